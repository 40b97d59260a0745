//! Programs whose own languages can run commands: whether their code, as far as it is known, does.

use super::interpreters::{calls_commands, has_code};
use super::word::{Certainty, ShellWord, WordPiece};

/// Whether the code in the words of a program, or on its standard input, visibly runs commands. What is not known of the
/// code counts as code that runs none, as in all interpreters.
pub(super) fn runs_commands(program: &str, words: &[ShellWord], input: Option<&ShellWord>) -> bool {
    let texts = || words.iter().chain(input).flat_map(texts);
    match program {
        "awk" | "gawk" | "mawk" | "nawk" => awk_code(words).into_iter().any(awk),
        "sed" | "gsed" => !has(words, "--sandbox") && sed_scripts(words).into_iter().any(sed),
        "vim" | "vi" | "nvim" | "ex" | "view" | "gvim" => {
            let commands =
                words.windows(2).filter(|pair| matches!(pair[0].text(), Some("-c" | "--cmd" | "-S" | "-s")));
            let after = commands.flat_map(|pair| self::texts(&pair[1]));
            let plus = words.iter().filter_map(ShellWord::text).filter(|text| text.starts_with('+'));
            after.chain(plus).any(vim)
                || has(words, "-S")
                || has(words, "-s")
                || program == "ex" && texts().any(vim)
        }
        "less" | "more" => {
            words.iter().filter_map(ShellWord::text).any(|text| text.starts_with('+') && text.contains('!'))
        }
        "gdb" => words.windows(2).any(|pair| {
            matches!(pair[0].text(), Some("-ex" | "--eval-command" | "-iex" | "-x" | "-ix"))
                && pair[1]
                    .text()
                    .is_none_or(|text| gdb(text) || pair[0].text().is_some_and(|o| o.ends_with("-x")))
        }),
        "psql" => texts().any(|text| {
            let lower = text.to_lowercase();
            lower.contains("\\!")
                || lower.contains("program '")
                || ["\\o", "\\g", "\\w", "\\gx"].iter().any(|own| piped(&lower, own))
        }),
        "sqlite3" => texts().any(|text| {
            text.lines().any(|line| {
                let line = line.trim_start();
                let name = line.split_whitespace().next().unwrap_or_default();
                let is_shell =
                    name.starts_with(".sh") && !name.starts_with(".sho") || name.starts_with(".sy");
                is_shell
                    || name.starts_with('.') && line.contains('|')
                    || line.contains("edit(")
                    || name.starts_with(".load")
            })
        }),
        "mysql" | "mariadb" => {
            texts().any(|text| text.contains("\\!") || text.to_lowercase().contains("system "))
        }
        "make" | "gmake" => texts().any(|text| text.contains("$(") || text.contains("${")),
        "crontab" => !has(words, "-l") && !has(words, "-r") && !has(words, "--help"),
        name => has_code(name, words, input.is_some()) == Certainty::Yes && calls_commands(name, texts()),
    }
}

fn texts(word: &ShellWord) -> impl Iterator<Item = &str> {
    word.pieces.iter().filter_map(|piece| match piece {
        WordPiece::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

fn has(words: &[ShellWord], option: &str) -> bool {
    words.iter().any(|word| word.text() == Some(option))
}

/// Whether a `|` follows a command of psql.
fn piped(text: &str, command: &str) -> bool {
    text.match_indices(command).any(|(at, _)| text[at + command.len()..].trim_start().starts_with('|'))
}

fn gdb(command: &str) -> bool {
    let name = command.trim_start();
    ["shell", "she", "!", "pipe", "|", "python", "py", "make", "source", "guile"]
        .iter()
        .any(|own| name.starts_with(own))
}

fn vim(command: &str) -> bool {
    let command = command.trim_start_matches(['+', ':']).trim();
    let quits = ["q!", "qa!", "wq!", "wqa!", "w!", "x!", "xa!", "e!", "bd!", "quit!", "qall!", "cq!"];
    let runs = [
        "!", "system(", "term", "lua", "py", "perl", "ruby", "tcl", "mak", "grep", "so ", "source", "exe",
        "normal",
    ];
    !quits.contains(&command) && runs.iter().any(|own| command.contains(own))
}

/// The words of awk without separators and assignments.
fn awk_code(words: &[ShellWord]) -> Vec<&str> {
    let (mut code, mut words) = (Vec::new(), words.iter());
    while let Some(word) = words.next() {
        match texts(word).next().unwrap_or_default() {
            "-F" | "-v" | "-f" | "--field-separator" | "--assign" | "--file" => drop(words.next()),
            start
                if ["-F", "-v", "--field-separator=", "--assign="]
                    .iter()
                    .any(|own| start.starts_with(own)) => {}
            _ => code.extend(texts(word)),
        }
    }
    code
}

/// Whether a program of awk runs commands: `system`, or a pipe outside of texts, patterns and comments.
fn awk(code: &str) -> bool {
    let (mut plain, mut chars) = (String::new(), code.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '#' => drop(chars.by_ref().find(|&c| c == '\n')),
            '"' => {
                skip(&mut chars, '"');
                plain.push('"');
            }
            // A pattern stands where a value may not stand before it.
            '/' if plain
                .trim_end()
                .chars()
                .next_back()
                .is_none_or(|before| "(,{};!&|~=?:<>+-*%^\n".contains(before)) =>
            {
                skip(&mut chars, '/');
                plain.push('"');
            }
            '|' if chars.next_if_eq(&'|').is_some() => plain.push_str("&&"),
            '|' => return true,
            c => plain.push(c),
        }
    }
    plain.match_indices("system").any(|(at, name)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        !plain[..at].ends_with(is_part) && plain[at + name.len()..].trim_start().starts_with('(')
    }) || plain.contains("@load")
}

fn skip(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, end: char) {
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == end {
            return;
        }
    }
}

/// The scripts in the words of sed, as far as they are known: texts of `-e`, else the first word that is no option.
fn sed_scripts(words: &[ShellWord]) -> Vec<&str> {
    let (mut scripts, mut operand, mut has_option) = (Vec::new(), None, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(WordPiece::Text(start)) = word.pieces.first() else { continue };
        let is_known = word.pieces.len() == 1;
        let bundle = start.strip_prefix('-').filter(|rest| !rest.starts_with('-') && !rest.is_empty());
        if let Some(script) = start.strip_prefix("--expression=") {
            has_option = true;
            scripts.extend(is_known.then_some(script));
        } else if start == "--expression"
            || bundle.is_some_and(|letters| letters.ends_with('e') && !letters.contains('i'))
        {
            has_option = true;
            scripts.extend(words.next().and_then(ShellWord::text));
        } else if let Some((_, script)) =
            bundle.and_then(|letters| letters.split_once('e')).filter(|_| !start.starts_with("-i"))
        {
            has_option = true;
            scripts.extend(is_known.then_some(script));
        } else if !start.starts_with('-') && operand.is_none() {
            operand = Some(word);
        }
    }
    if !has_option {
        scripts.extend(operand.and_then(ShellWord::text));
    }
    scripts
}

/// Whether a script of sed has the command `e`, or the flag `e` of `s`. A script that is not understood has.
fn sed(script: &str) -> bool {
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // An address.
            '/' => skip_pattern(&mut chars, '/'),
            '\\' => match chars.next() {
                Some(end) => skip_pattern(&mut chars, end),
                None => return false,
            },
            ' '
            | '\t'
            | '\n'
            | ';'
            | '{'
            | '}'
            | '!'
            | ','
            | '$'
            | '~'
            | '+'
            | '0'..='9'
            | 'I'
            | 'M'
            | '='
            | 'd'
            | 'D'
            | 'g'
            | 'G'
            | 'h'
            | 'H'
            | 'n'
            | 'N'
            | 'p'
            | 'P'
            | 'x'
            | 'z'
            | 'F'
            | 'q'
            | 'Q'
            | 'l'
            | 'L' => {}
            'r' | 'R' | 'w' | 'W' | '#' => {
                chars.by_ref().find(|&c| c == '\n');
            }
            // A text to the end of the line, unless a `\` joins lines.
            'a' | 'i' | 'c' => {
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => drop(chars.next()),
                        '\n' => break,
                        _ => {}
                    }
                }
            }
            'b' | 't' | 'T' | ':' => drop(chars.by_ref().find(|&c| matches!(c, '\n' | ';' | '}'))),
            's' | 'y' => {
                let Some(end) = chars.next() else { return false };
                if c == 's' {
                    skip_pattern(&mut chars, end);
                } else {
                    skip(&mut chars, end);
                }
                skip(&mut chars, end);
                while let Some(flag) = chars.next_if(char::is_ascii_alphanumeric) {
                    match flag {
                        'e' => return true,
                        'w' => drop(chars.by_ref().find(|&c| c == '\n')),
                        _ => {}
                    }
                }
            }
            _ => return true,
        }
    }
    false
}

/// Skips a pattern: its end does not count in brackets.
fn skip_pattern(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, end: char) {
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == end {
            return;
        } else if c == '[' {
            // `]` at the beginning is a character of the class.
            chars.next_if_eq(&'^');
            chars.next_if_eq(&']');
            while let Some(c) = chars.next() {
                if c == '[' && chars.peek().is_some_and(|c| matches!(c, ':' | '.' | '=')) {
                    let kind = chars.next();
                    while let Some(c) = chars.next() {
                        if Some(c) == kind && chars.peek() == Some(&']') {
                            chars.next();
                            break;
                        }
                    }
                } else if c == ']' {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(words: &[&str], input: Option<&str>) -> bool {
        let words: Vec<ShellWord> = words.iter().map(|word| ShellWord::literal(word)).collect();
        let program = words[0].text().unwrap_or_default();
        runs_commands(program, &words[1..], input.map(ShellWord::literal).as_ref())
    }

    #[test]
    fn code_that_runs_commands_is_told_from_code_that_does_not() {
        let yes: &[&[&str]] = &[
            &["awk", "BEGIN { system(\"git push\") }"],
            &["awk", "{ print | \"sh\" }"],
            &["awk", "{ \"date\" | getline d }"],
            &["gawk", "BEGIN { print \"x\" |& cmd }"],
            &["awk", "BEGIN { system (c) }"],
            &["awk", "/a/ { x = 1 / 2; print $1 | cmd }"],
            &["awk", "-f", "x.awk", "BEGIN{system(\"a\")}"],
            &["sed", "1e git push"],
            &["sed", "s/.*/git push/e"],
            &["sed", "-n", "-e", "p", "-e", "s|x|y|ge"],
            &["sed", "--expression=e date"],
            &["sed", "/[/]/e date"],
            &["sed", "$!{s/a/b/;e date\n}"],
            &["sed", "-ne", "e"],
            &["vim", "-c", "!git push", "-c", "q"],
            &["vim", "+!ls"],
            &["nvim", "--headless", "-c", "call system('x')"],
            &["less", "+!ls", "f"],
            &["gdb", "-ex", "shell git push", "a.out"],
            &["psql", "-c", "\\! git push"],
            &["psql", "-c", "\\o | sh"],
            &["sqlite3", "a.db", ".shell git push"],
            &["sqlite3", "a.db", ".system git push"],
            &["sqlite3", "a.db", ".once |sh"],
            &["mysql", "-e", "system git push"],
            &["make", "X=$(shell git push)"],
        ];
        for words in yes {
            assert!(runs(words, None), "{words:?}");
        }
        let no: &[&[&str]] = &[
            &["awk", "{print $1}"],
            &["awk", "/a|b/ {print}"],
            &["awk", "$1 ~ /x|y/ || $2 == \"a|b\" { n++ } # a | b"],
            &["awk", "{ print $1 / 2 \"|\" $3 }"],
            &["awk", "{ filesystem = 1; systems[1] }"],
            &["awk", "-F|", "{print $2}"],
            &["awk", "-F", "|", "{print $2}"],
            &["awk", "-v", "x=a|b", "{print x}"],
            &["sed", "s/a/b/g"],
            &["sed", "-n", "1,200p"],
            &["sed", "s|/old/path|/new/eee|g"],
            &["sed", "-i", "s/x/e/", "exe"],
            &["sed", "/^## Install/,/^## /p"],
            &["sed", "-e", "/^$/d", "-e", "s/^ *//"],
            &["sed", "5i\\use std::fmt;"],
            &["sed", "/mod a;/a mod e;"],
            &["sed", "s/[[:space:]]*$//"],
            &["sed", "s/[]/]x/e y/;p"],
            &["sed", "-i.bake", "s/a/b/", "f"],
            &["sed", "$a\\"],
            &["sed", "-E", "s/(a)_(b)/\\2_\\1/"],
            &["vim", "-c", "wq!", "f"],
            &["gdb", "-batch", "-ex", "run", "-ex", "bt", "./a.out"],
            &["psql", "-c", "select version();"],
            &["sqlite3", "a.db", ".tables"],
            &["sqlite3", "a.db", ".show"],
            &["make", "-j8", "test"],
        ];
        for words in no {
            assert!(!runs(words, None), "{words:?}");
        }
        assert!(runs(&["psql", "app"], Some("select 1;\n\\! git push\n")));
        assert!(!runs(&["psql", "app"], Some("select 1;\n")));
    }
}
