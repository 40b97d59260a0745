//! Values of variables, as far as a script determines them by its text: of loops over known words, and of assignments that
//! nothing else changes.

use super::tree::{CommandTree, List, commands};
use super::word::{ShellWord, UnknownText, WordPiece};

/// A loop over more words than this is followed with what the words have in common.
const WORDS: usize = 8;

/// What the variable of a loop stands for.
#[derive(Debug)]
pub(super) enum LoopValue {
    /// One of these words.
    Each(Vec<ShellWord>),
    /// Some word of which this is known.
    Some(ShellWord),
}

/// What the variable of a loop over these words stands for; `None` if nothing is known of it.
pub(super) fn loop_value(words: &[ShellWord]) -> Option<LoopValue> {
    let known = |word: &ShellWord| match word.text() {
        Some(text) => (!text.is_empty()).then(|| word.clone()),
        None => common(std::slice::from_ref(word)),
    };
    let each: Option<Vec<ShellWord>> = words.iter().map(known).collect();
    match (words, each) {
        ([], _) => None,
        (_, Some(each)) if words.len() <= WORDS => Some(LoopValue::Each(each)),
        _ => common(words).map(LoopValue::Some),
    }
}

/// What words have in common that are each one word: known texts, and matches of wildcards.
pub(super) fn common(words: &[ShellWord]) -> Option<ShellWord> {
    let is_match = |word: &ShellWord| word.unknown == UnknownText::Wildcard && word.each;
    if let [only] = words
        && is_match(only)
    {
        return Some(ShellWord { splits: false, each: false, ..only.clone() });
    }
    // What is not known in the middle has no `..`.
    let is_usable = |word: &ShellWord| match word.text() {
        Some(text) => !text.split('/').any(|part| part == ".."),
        None => is_match(word) || word.unknown == UnknownText::Found && (word.each || !word.splits),
    };
    if words.is_empty() || words.iter().any(|word| word.home || !is_usable(word)) {
        return None;
    }
    let first = |word: &ShellWord| match word.pieces.first() {
        Some(WordPiece::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let last = |word: &ShellWord| match word.pieces.last() {
        Some(WordPiece::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let shortest = words.iter().filter_map(|word| word.text().map(str::len)).min();
    let mut end = last(&words[0]);
    for word in words {
        let own = last(word);
        let start = end.char_indices().map(|(at, _)| at).find(|&at| own.ends_with(&end[at..]));
        end = start.map_or(String::new(), |at| end[at..].to_owned());
    }
    let mut start = first(&words[0]);
    for word in words {
        let own = first(word);
        let same =
            start.chars().zip(own.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        start.truncate(same);
    }
    // Both are of the same text only if it is long enough.
    while shortest.is_some_and(|shortest| start.len() + end.len() > shortest) && start.pop().is_some() {}
    if shortest.is_some_and(|shortest| end.len() > shortest) {
        return None;
    }
    // A dot at the beginning or the end of what is not known could be one of two.
    let mut word = ShellWord { unknown: UnknownText::Found, ..ShellWord::default() };
    if !start.is_empty() {
        word.push(&start);
    }
    word.pieces.push(WordPiece::Any);
    if !end.is_empty() {
        word.push(&end);
    }
    Some(word)
}

/// Variables that the shell sets by itself, or that it treats in a way of its own.
const OF_THE_SHELL: &[&str] = &[
    "_",
    "CDPATH",
    "COLUMNS",
    "DIRSTACK",
    "EGID",
    "EUID",
    "FUNCNAME",
    "GID",
    "GROUPS",
    "HISTCMD",
    "HOME",
    "HOSTNAME",
    "HOSTTYPE",
    "IFS",
    "LINENO",
    "LINES",
    "MACHTYPE",
    "MAPFILE",
    "OLDPWD",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "OSTYPE",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "SRANDOM",
    "UID",
    "argv",
    "path",
    "status",
];

/// Whether the value of a variable is what a script assigns to it.
pub(super) fn is_own_variable(name: &str) -> bool {
    let starts = ["BASH", "COMP_", "COPROC", "EPOCH", "READLINE_"];
    !OF_THE_SHELL.contains(&name) && !starts.iter().any(|start| name.starts_with(start))
}

/// Whether some command of a script may set a variable whose name the script does not spell out.
pub(super) fn may_set_any(list: &List) -> bool {
    some_command(list, &sets_any)
}

/// Whether some command of a script may set options of the shell that are not known.
pub(super) fn may_set_options(list: &List) -> bool {
    some_command(list, &|words| {
        let names = words.iter().take(3).filter_map(ShellWord::text);
        names.into_iter().any(|name| matches!(name, "shopt" | "setopt" | "emulate"))
            && words.iter().any(|word| word.text().is_none())
    })
}

/// Whether a command has words of this kind, or some cannot be read.
fn some_command(list: &List, is_meant: &dyn Fn(&[ShellWord]) -> bool) -> bool {
    let mut open = vec![list];
    while let Some(list) = open.pop() {
        for tree in commands(list) {
            let mut inside = tree;
            while let CommandTree::With(inner, tree) = inside {
                if inner.opaque.is_some() {
                    return true;
                }
                inside = tree;
            }
            let is_found = match inside {
                CommandTree::Simple(simple) => simple.inner.opaque.is_some() || is_meant(&simple.words),
                CommandTree::Opaque(_) => true,
                // The body of a function.
                _ => false,
            };
            if is_found {
                return true;
            }
            open.extend(tree.lists());
        }
    }
    false
}

/// An option of `declare` that makes a name one for another variable.
fn is_reference(word: &ShellWord) -> bool {
    word.text().is_some_and(|text| text.starts_with('-') && text.contains('n'))
}

/// Whether a command may set a variable whose name is not known.
fn sets_any(words: &[ShellWord]) -> bool {
    const NAMES: &[&str] = &[
        "read",
        "mapfile",
        "readarray",
        "declare",
        "typeset",
        "local",
        "export",
        "readonly",
        "getopts",
        "let",
        "unset",
        "wait",
        "vared",
        "zparseopts",
        "float",
        "integer",
    ];
    let is_prefix = |word: &&ShellWord| matches!(word.text(), Some("command" | "builtin" | "noglob"));
    let at = words.iter().take_while(is_prefix).count();
    let Some((name, arguments)) = words.get(at..).and_then(<[ShellWord]>::split_first) else { return false };
    let name_is_known = |word: &ShellWord| match word.pieces.first() {
        _ if word.text().is_some() => true,
        Some(WordPiece::Text(text)) => text.contains('=') && !word.splits,
        _ => false,
    };
    match name.text() {
        Some("eval" | "source" | ".") => true,
        Some("printf") => match arguments.first().map(|word| (word.text(), word.pieces.first())) {
            Some((Some("-v"), _)) => !arguments.get(1).is_some_and(name_is_known),
            Some((Some(text), _)) => text.starts_with("-v") && text.len() > 2,
            Some((None, Some(WordPiece::Text(text)))) => text.is_empty() || text.starts_with('-'),
            Some(_) => true,
            None => false,
        },
        Some("trap" | "alias") => arguments.first().is_some_and(|word| {
            word.text().is_none_or(|text| ["eval", "source", ". "].iter().any(|part| text.contains(part)))
        }),
        // A name for a variable that is named elsewhere.
        Some("declare" | "typeset" | "local") if arguments.iter().any(is_reference) => true,
        Some("wait") => arguments.iter().any(|word| word.text().is_none() && word.splits),
        Some(name) if NAMES.contains(&name) => !arguments.iter().all(name_is_known),
        _ => false,
    }
}

/// Whether a script names a variable only once, where it is set, besides its uses as `$NAME` and `${NAME..}`. Options such
/// as `-f` are no names, nor are its values in `b=b` and `for b in a b`.
pub(super) fn only_set_once(name: &str, script: &str) -> bool {
    let joined = script.replace("\\\n", "");
    let script = joined.as_str();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut set = 0;
    for (at, _) in script.match_indices(name) {
        let (before, after) = (&script[..at], &script[at + name.len()..]);
        if after.starts_with(is_part) {
            continue;
        }
        let start = before.trim_end_matches(is_part);
        if start.len() < before.len() {
            // `printf -vNAME`, `read -aNAME`.
            if start.ends_with('-') {
                return false;
            }
            continue;
        }
        let is_use = before.ends_with('$') || before.ends_with("${") || before.ends_with("${#");
        let is_value = is_own_value(name, before) || is_in_own_list(name, before, after);
        set += usize::from(!is_use && !is_value && !before.ends_with('-'));
    }
    set == 1
}

/// Whether a text ends with `NAME=`, after which a name is the value of the variable.
fn is_own_value(name: &str, before: &str) -> bool {
    let assigned =
        before.trim_end_matches(['"', '\'']).strip_suffix('=').and_then(|text| text.strip_suffix(name));
    assigned.is_some_and(|text| !text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-'))
}

/// Whether a place in a script is a word in the list of `for NAME in`, which runs no command.
fn is_in_own_list(name: &str, before: &str, after: &str) -> bool {
    let line = before.rsplit([';', '\n', '&', '|', '(', ')', '`', '{', '}']).next().unwrap_or_default();
    let mut words =
        line.split_whitespace().skip_while(|word| *word == "do" || *word == "then" || *word == "else");
    let is_list = words.next() == Some("for") && words.next() == Some(name) && words.next() == Some("in");
    let ends_word = after.chars().next().is_none_or(|c| c.is_whitespace() || c == ';');
    is_list && before.ends_with(char::is_whitespace) && ends_word
}

impl ShellWord {
    /// The value of `${NAME%end}` and the like for a value of which something is known; `None` if nothing is known of it.
    /// `after` is what stands after the name.
    pub(super) fn without_affix(&self, after: &str) -> Option<Self> {
        let value = self;
        let from_end = after.starts_with('%');
        let sign = if from_end { '%' } else { '#' };
        let pattern = after.strip_prefix(sign)?;
        let (longest, pattern) = match pattern.strip_prefix(sign) {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let literal = |text: &str| {
            !text.is_empty()
                && text.chars().all(|c| {
                    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ',' | ':' | '+')
                })
        };
        let (text, piece) = match (from_end, value.text()) {
            (_, Some(text)) => (text, None),
            (true, None) => match value.pieces.split_last()? {
                (WordPiece::Text(text), rest) => (text.as_str(), Some(rest)),
                _ => return None,
            },
            (false, None) => match value.pieces.split_first()? {
                (WordPiece::Text(text), rest) => (text.as_str(), Some(rest)),
                _ => return None,
            },
        };
        let cut = if literal(pattern) {
            let (inside, is_part) = if from_end {
                (text.strip_suffix(pattern), pattern.ends_with(text))
            } else {
                (text.strip_prefix(pattern), pattern.starts_with(text))
            };
            match inside {
                Some(rest) => rest,
                // What is not known may be the rest of the pattern.
                None if piece.is_some() && is_part => return None,
                None => text,
            }
        } else {
            // The part of a path: `##*/`, `%/*`, and the name without its end: `%.*`.
            let ends = (from_end, pattern.strip_prefix('*'), pattern.strip_suffix('*'));
            let ((false, Some(sign), _) | (true, _, Some(sign))) = ends else { return None };
            if !literal(sign) || sign.contains('*') || value.home {
                return None;
            }
            let place = match (from_end, longest) {
                (true, false) | (false, true) => text.rfind(sign),
                _ => text.find(sign),
            };
            match (from_end, place) {
                // The rest of the word may have it, too.
                (true, _) if piece.is_some() && longest => return None,
                (false, _) if piece.is_some() && (longest && value.unknown != UnknownText::Wildcard) => {
                    return None;
                }
                (_, None) if piece.is_some() => return None,
                (_, None) => text,
                (true, Some(at)) => &text[..at],
                (false, Some(at)) => &text[at + sign.len()..],
            }
        };
        if longest && piece.is_some() && sign == '#' && !literal(pattern) && pattern != "*/" {
            return None;
        }
        // A wildcard finds no hidden files, but its matches may have a dot after their first letters.
        let is_name = from_end || cut.len() < text.len() && text[..text.len() - cut.len()].ends_with('/');
        let is_whole = cut.len() == text.len() || !cut.is_empty();
        let unknown = if is_name || is_whole { value.unknown } else { UnknownText::Value };
        let mut result = ShellWord { unknown, ..ShellWord::default() };
        match (from_end, piece) {
            (_, None) => result.push(cut),
            (true, Some(rest)) => {
                result.push_pieces(rest);
                if !cut.is_empty() {
                    result.push(cut);
                }
            }
            (false, Some(rest)) => {
                if !cut.is_empty() {
                    result.push(cut);
                }
                result.push_pieces(rest);
            }
        }
        // An empty value is no word without quotes.
        (!result.pieces.is_empty() && result.text() != Some("")).then_some(result)
    }

    /// The output of a well-known command that is a number, a date or a hash.
    pub(super) fn plain_output(script: &str) -> Option<Self> {
        const COMMANDS: &[&str] = &[
            "nproc",
            "id -u",
            "id -g",
            "git rev-parse HEAD",
            "git rev-parse --short HEAD",
            "uname -s",
            "uname -m",
            "uname",
            "date -u +%s",
        ];
        let script = script.trim();
        if COMMANDS.contains(&script) {
            return Some(ShellWord::plain());
        }
        let rest = script.strip_prefix("date ")?.trim_start();
        let format = rest.strip_prefix("-u ").unwrap_or(rest).trim_start();
        let format =
            ["'", "\""].iter().find_map(|q| format.strip_prefix(*q)?.strip_suffix(*q)).unwrap_or(format);
        let mut chars = format.strip_prefix('+')?.chars();
        while let Some(c) = chars.next() {
            let is_plain = match c {
                '%' => chars.next().is_some_and(|c| "FYmdHMSsjyTVUuwzNC".contains(c)),
                c => c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'),
            };
            if !is_plain {
                return None;
            }
        }
        Some(ShellWord::plain())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_may_be_set_elsewhere_are_not_known() {
        for script in [
            "for f in *.log; do rm \"$f\"; done",
            "for f in a; do rm -f \"${f%.x}\" \"${#f}\"; done",
            "for f in a; do test -f $f; done",
            // Values that are its name.
            "for f in f; do rm $f; done",
            "for f in e f g; do rm $f; done",
            "cd x && for f in e f\ndo rm $f; done",
            "f=f; rm $f",
            "f='f'; rm $f",
            "export f=\"f\"; rm $f",
        ] {
            assert!(only_set_once("f", script), "{script}");
        }
        for script in [
            "for f in *.log; do f=/; rm \"$f\"; done",
            "for f in a; do read f; done",
            "for f in a; do read -r f < x; done",
            "for f in a; do printf -v f x; done",
            "for f in a; do printf -vf x; done",
            "for f in a; do ((f++)); done",
            "for f in a; do let f=1; done",
            "for f in a; do for f in b; do :; done; done",
            "for f in a; do mapfile f; done",
            "for f in a; do declare -n f=y; done",
            "for f in a; do unset f; done",
            "for f in f; do f=g; rm $f; done",
            "for f in $(( f = 3 )) f; do rm $f; done",
            "for f in a; do read f f; done",
            "for f in a; do x=f; eval $x=b; done",
            "for f in a; do read x-f=f; done",
        ] {
            assert!(!only_set_once("f", script), "{script}");
        }
        assert!(!only_set_once("foo", "for foo in a; do fo\\\no=b; done"));
    }

    #[test]
    fn ends_are_removed_from_what_is_known() {
        let open = |start: &str, end: &str| {
            let mut word = ShellWord { unknown: UnknownText::Wildcard, ..ShellWord::default() };
            if !start.is_empty() {
                word.push(start);
            }
            word.pieces.push(WordPiece::Any);
            if !end.is_empty() {
                word.push(end);
            }
            word
        };
        let known = ShellWord::literal;
        for (value, after, expected) in [
            (known("a/b.in"), "%.in", Some(known("a/b"))),
            (known("a/b.in"), "%.out", Some(known("a/b.in"))),
            (known("a/b.in"), "%.*", Some(known("a/b"))),
            (known("a/b.c.in"), "%%.*", Some(known("a/b"))),
            (known("a/b.in"), "##*/", Some(known("b.in"))),
            (known("a/b/c"), "%/*", Some(known("a/b"))),
            (known("a/b/c"), "#*/", Some(known("b/c"))),
            (known("a"), "%a", None),
            (known("a"), ":-b", None),
            (known("a"), "/a/b", None),
            (known("a"), "%[a]", None),
            (known("a"), "%$x", None),
            (open("x/", ".in"), "%.in", Some(open("x/", ""))),
            (open("x/", ".in"), "%in", Some(open("x/", "."))),
            (open("x/", ".in"), "%y.in", None),
            (open("x/", ".in"), "%.out", Some(open("x/", ".in"))),
            (open("x/", ".in"), "#x/", Some(open("", ".in"))),
            (open("x", ""), "#x", Some(ShellWord { unknown: UnknownText::Value, ..open("", "") })),
            (open("x/", ".in"), "##*/", Some(open("", ".in"))),
            (open("x/", ".in"), "%%.*", None),
            (open("x/", ".in"), "##*.", None),
            (open("x/", ""), "%.in", None),
            (open("", ".in"), "##*/", None),
        ] {
            assert_eq!(value.without_affix(after), expected, "{value:?} {after}");
        }
    }

    #[test]
    fn words_have_a_beginning_and_an_end_in_common() {
        let of =
            |texts: &[&str]| common(&texts.iter().map(|text| ShellWord::literal(text)).collect::<Vec<_>>());
        let found = |pieces: &[WordPiece]| {
            Some(ShellWord { pieces: pieces.to_vec(), unknown: UnknownText::Found, ..ShellWord::default() })
        };
        let text = |text: &str| WordPiece::Text(text.to_owned());
        assert_eq!(of(&["src/a.rs", "src/b.rs"]), found(&[text("src/"), WordPiece::Any, text(".rs")]));
        assert_eq!(of(&["aa", "a"]), found(&[WordPiece::Any, text("a")]));
        assert_eq!(of(&["a", "b"]), found(&[WordPiece::Any]));
        assert_eq!(of(&["a", "../b"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn outputs_without_signs_of_paths() {
        for script in
            ["date +%F", "date +%Y-%m-%d_%H%M", "date -u '+%s'", " nproc ", "git rev-parse --short HEAD"]
        {
            assert!(ShellWord::plain_output(script).is_some(), "{script}");
        }
        for script in [
            "date",
            "date +%c",
            "date +%D",
            "date +%Y/%m",
            "date +.env",
            "date +$x",
            "date -d x +%F",
            "cat x",
        ] {
            assert!(ShellWord::plain_output(script).is_none(), "{script}");
        }
    }
}
