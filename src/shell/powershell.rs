//! Texts for PowerShell, as far as they mean the same as a script of bash: plain words and quotes, separated by `;`, `&&`,
//! `||`, `|` and ends of lines. All others are opaque.

use super::graph_builder::{ShellAutomaton, Unread, opaque_automaton};
use super::run::script_with_files;
use super::scripts::WantedFiles;
use std::sync::Arc;
use tsl_synth_core::model::ReadScripts;

/// Commands of PowerShell with the program that does the same with the files that they name.
const SAME: &[(&str, &str)] = &[
    ("add-content", "tee"),
    ("cat", "cat"),
    ("cd", "cd"),
    ("chdir", "cd"),
    ("copy-item", "cp"),
    ("cp", "cp"),
    ("del", "rm"),
    ("dir", "ls"),
    ("echo", "echo"),
    ("gc", "cat"),
    ("gci", "ls"),
    ("get-childitem", "ls"),
    ("get-content", "cat"),
    ("get-location", "pwd"),
    ("ls", "ls"),
    ("move-item", "mv"),
    ("mv", "mv"),
    ("pwd", "pwd"),
    ("rd", "rm -r"),
    ("remove-item", "rm"),
    ("rm", "rm"),
    ("rmdir", "rm -r"),
    ("select-string", "cat"),
    ("set-location", "cd"),
    ("test-path", "ls"),
    ("type", "cat"),
    ("write-host", "echo"),
    ("write-output", "echo"),
];
/// Other names that PowerShell has for commands of its own, some of which run what they are given.
const ALIASES: &str = "ac asnp cat clc clear clhy cli clp cls clv cnsn compare copy cp cpi cpp curl cvpa dbp del diff dir dnsn \
    ebp echo epal epcsv epsn erase etsn exsn fc fhx fl foreach ft fw gal gbp gcm gcs gdr gerr ghy gi gin gjb gl gm gmo gp gps \
    gpv group gsn gsnp gsv gtz gu gv gwmi h history icm iex ihy ii ipal ipcsv ipmo ipsn irm ise iwmi iwr kill lp man md \
    measure mi mount move mp mv nal ndr ni nmo npssc nsn nv ogv oh popd ps pushd r rbp rcjb rcsn rdr ren ri rjb rmo rni rnp \
    rp rsn rsnp rujb rv rvpa rwmi sajb sal saps sasv sbp sc scb select set shcm si sl sleep sls sort sp spjb spps spsv \
    start stz sujb sv swmi tee trcm wget where wjb write if for foreach while do switch function filter param begin process \
    end try catch finally throw trap return exit break continue class enum using data workflow parallel sequence inlinescript \
    dynamicparam until elseif else in hidden static configuration";

/// The automaton of a text for PowerShell, as [`script_with_files`] is that of a script.
pub fn powershell_with_files(
    text: &str,
    files: Option<&Arc<ReadScripts>>,
    unread: Unread,
) -> (ShellAutomaton, WantedFiles) {
    match as_script(text) {
        Some(script) => script_with_files(&script, files, unread),
        None => (opaque_automaton("a command of PowerShell"), WantedFiles::default()),
    }
}

/// The same commands as a script of bash.
fn as_script(text: &str) -> Option<String> {
    let mut script = String::new();
    let mut rest = text.trim();
    // PowerShell takes these for hyphens and quotes.
    if rest.contains(|c: char| ('\u{2010}'..='\u{201f}').contains(&c)) {
        return None;
    }
    let mut is_first = true;
    while let Some(c) = rest.chars().next() {
        let separator = ["&&", "||", ";", "|", "\r\n", "\n"].iter().find(|own| rest.starts_with(**own));
        if let Some(separator) = separator {
            script.push_str(if separator.ends_with('\n') { "\n" } else { separator });
            rest = &rest[separator.len()..];
            is_first = true;
        } else if c == ' ' || c == '\t' {
            script.push(' ');
            rest = &rest[1..];
        } else if let Some(after) = rest.strip_prefix("2>&1") {
            script.push_str("2>&1");
            rest = after;
        } else {
            let (word, after) = word(rest)?;
            rest = after;
            if is_first {
                script.push_str(&program(&word)?);
            } else {
                script.push_str(&argument(&word)?);
            }
            is_first = false;
        }
    }
    Some(script)
}

/// A word of a command. Commands of PowerShell expand wildcards also in quotes.
fn argument(word: &str) -> Option<String> {
    let word = word.replace('\\', "/");
    if !word.contains(['*', '?', '[', ']']) {
        return Some(format!("'{}'", word.replace('\'', "'\\''")));
    }
    word.chars().all(|c| c.is_alphanumeric() || "._-/*?[]".contains(c)).then_some(word)
}

/// A program that is none of PowerShell's own commands, or what does the same.
fn program(word: &str) -> Option<String> {
    let name = word.to_lowercase();
    if let Some((_, same)) = SAME.iter().find(|(own, _)| *own == name) {
        return Some((*same).to_owned());
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-/\\:".contains(c);
    let is_own = ALIASES.split_ascii_whitespace().any(|own| own == name);
    // `Start-Process` and the like.
    let is_verb =
        name.split_once('-').is_some_and(|(verb, _)| VERBS.split_ascii_whitespace().any(|own| own == verb));
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.');
    (begins && name != "." && name.chars().all(is_name) && !is_own && !is_verb)
        .then(|| format!("'{}'", word.replace('\\', "/")))
}

/// Verbs with which commands of PowerShell begin.
const VERBS: &str = "add approve assert backup block build checkpoint clear close compare complete compress confirm connect \
    convert convertfrom convertto copy debug deny deploy disable disconnect dismount edit enable enter exit expand export \
    find foreach format get grant group hide import initialize install invoke join limit lock measure merge mount move new \
    open optimize out ping pop protect publish push read receive redo register remove rename repair request reset resize \
    resolve restart restore resume revoke save search select send set show skip sort split start step stop submit suspend \
    switch sync tee test trace unblock undo uninstall unlock unprotect unpublish unregister update use wait watch where write";

/// A word without its quotes, and what follows it.
fn word(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let inner = &text[at + c.len_utf8()..];
        match c {
            '\'' => {
                let end = inner.find('\'')?;
                word.push_str(&inner[..end]);
                at += 1 + end + 1;
                if text[at..].starts_with('\'') {
                    return None;
                }
            }
            '"' => {
                let end = inner.find('"')?;
                if inner[..end].contains(['$', '`']) || inner[end + 1..].starts_with('"') {
                    return None;
                }
                word.push_str(&inner[..end]);
                at += 1 + end + 1;
            }
            ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' => break,
            c if c.is_alphanumeric() || "_./:\\-=+%~^!?*[]".contains(c) => {
                word.push(c);
                at += c.len_utf8();
            }
            // `--%` passes the rest as it is; `@`, `$`, `(`, `{`, `,`, `<`, `>`, `#` and `` ` `` have meanings of their own.
            _ => return None,
        }
    }
    (at > 0 && !matches!(&*word, "--%")).then_some((word, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_are_read_and_others_are_opaque() {
        for (text, script) in [
            ("git push", "'git' 'push'"),
            ("git push; npm test", "'git' 'push'; 'npm' 'test'"),
            ("cargo test && git push origin main", "'cargo' 'test' && 'git' 'push' 'origin' 'main'"),
            ("Get-Content .env", "cat '.env'"),
            ("Remove-Item -Recurse -Force src\\a", "rm '-Recurse' '-Force' 'src/a'"),
            ("git commit -m 'a b' -m \"c 'd'\"", "'git' 'commit' '-m' 'a b' '-m' 'c '\\''d'\\'''"),
            ("npm test 2>&1\r\nls", "'npm' 'test' 2>&1\nls"),
            (".\\x.exe a", "'./x.exe' 'a'"),
            ("Get-Content '.e*'", "cat .e*"),
        ] {
            assert_eq!(as_script(text).as_deref(), Some(script), "{text}");
        }
        for text in [
            "iex 'git push'",
            "& git push",
            "git pu`sh",
            "Start-Process git push",
            "Invoke-Expression x",
            "$x = 1",
            "git $x",
            "git \"$x\"",
            "if ($?) { git push }",
            "git (x)",
            "git a,b",
            "git --% push",
            "ls > a",
            "git push # x",
            "'git' ''''",
            "where.exe | % { git }",
            "% x",
            "git \u{2013}C x push",
            "git @x",
        ] {
            assert_eq!(as_script(text), None, "{text}");
        }
    }
}
