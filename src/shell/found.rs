//! Names of files that one command finds and another one gets: `find -exec`, and pipelines into `xargs` and `read`.
//!
//! Names may have blanks and line feeds, so that only those separated by zero bytes are known to be whole.

use super::tree::{CommandTree, Fed, List, Simple, commands};
use super::values::common;
use super::word::{ShellWord, UnknownText, WordPiece};
use tsl_synth_core::base::{Glob, GlobKind};

/// The most words that are followed one by one.
const ITEMS: usize = 16;

/// What `{}` stands for in a command of `find`: a file below the only folder that is searched, with the name that the
/// tests before the command ask for. `words` are those between the program and the option.
pub(super) fn found(name: &str, option: Option<&str>, words: &[ShellWord]) -> ShellWord {
    if name != "find" || matches!(option, Some("-execdir" | "-okdir")) {
        return ShellWord::unknown();
    }
    let is_leading = |word: &&ShellWord| matches!(word.text(), Some("-H" | "-L" | "-P"));
    let words = &words[words.iter().take_while(is_leading).count()..];
    let begins_test = |word: &ShellWord| match word.pieces.first() {
        Some(WordPiece::Text(text)) => text.starts_with(['-', '(', ')', '!', '\\', ',']),
        _ => false,
    };
    let folders = words.iter().take_while(|word| !begins_test(word)).count();
    let (folders, tests) = words.split_at(folders);
    let working = ShellWord::literal(".");
    let is_test = |word: &ShellWord| word.text().is_some_and(|text| TESTS.contains(&text));
    let folder = match folders {
        [] if tests.first().is_none_or(is_test) => &working,
        [folder] if is_folder(folder) => folder,
        _ => return ShellWord::unknown(),
    };
    let unknown = if folder.text().is_some() { UnknownText::Found } else { folder.unknown };
    let mut pieces = folder.pieces.clone();
    if let Some(name) = wanted_name(tests) {
        let is_shallow =
            tests.windows(2).any(|pair| pair[0].text() == Some("-maxdepth") && pair[1].text() == Some("1"));
        name_below(folder, &name, is_shallow, &mut pieces);
    } else {
        below(&mut pieces);
    }
    // The names have neither `..` nor an unknown beginning.
    let unknown = if unknown == UnknownText::Wildcard { UnknownText::Found } else { unknown };
    ShellWord { pieces, splits: true, each: true, unknown, ..ShellWord::default() }
}

/// What an expression of `find` without a folder begins with; other words may be options before a folder.
const TESTS: &[&str] = &[
    "!",
    "(",
    "-delete",
    "-depth",
    "-empty",
    "-exec",
    "-iname",
    "-ipath",
    "-iregex",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-not",
    "-ok",
    "-path",
    "-perm",
    "-print",
    "-print0",
    "-prune",
    "-regex",
    "-size",
    "-type",
    "-user",
    "-xdev",
];

/// Whether a word is one folder whose name is known to be no option.
fn is_folder(word: &ShellWord) -> bool {
    let is_named = matches!(word.pieces.first(), Some(WordPiece::Text(text)) if !text.is_empty());
    is_named
        && !word.splits
        && (word.text().is_some() || matches!(word.unknown, UnknownText::Found | UnknownText::Wildcard))
}

/// Adds what is below a folder to the pieces of its name.
fn below(pieces: &mut Vec<WordPiece>) {
    if let Some(WordPiece::Text(text)) = pieces.last_mut()
        && matches!(text.rsplit('/').next(), Some("." | ".."))
    {
        text.push('/');
    }
    if pieces.last() != Some(&WordPiece::Any) {
        pieces.push(WordPiece::Any);
    }
}

/// Adds a name below a folder to the pieces of the folder.
fn name_below(folder: &ShellWord, name: &str, is_shallow: bool, pieces: &mut Vec<WordPiece>) {
    let texts = name.split('*').map(|text| (!text.is_empty()).then(|| WordPiece::Text(text.to_owned())));
    let parts = texts.flat_map(|text| [Some(WordPiece::Name), text].into_iter().flatten()).skip(1);
    let parts: Vec<WordPiece> = parts.collect();
    let mut word = ShellWord::default();
    let base = folder.text().map(|text| text.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
    let is_itself = |base: &str| Glob::new(name, GlobKind::Name).is_ok_and(|glob| glob.matches(base));
    match (folder.text(), base) {
        (Some(text), Some(base)) if !is_itself(base) => {
            match (text.trim_end_matches('/'), is_shallow) {
                (folder, true) => word.push(&format!("{folder}/")),
                (folder, false) if matches!(base, "" | "." | "..") => {
                    word.pieces = vec![WordPiece::Text(format!("{folder}/")), WordPiece::Any];
                }
                (folder, false) => {
                    word.pieces = vec![WordPiece::Text(folder.to_owned()), WordPiece::Any];
                    word.push("/");
                }
            }
            for part in parts {
                match part {
                    WordPiece::Text(text) => word.push(&text),
                    part if word.pieces.last() == Some(&part) => {}
                    part => word.pieces.push(part),
                }
            }
        }
        // The folder itself may have the name.
        _ => {
            word.pieces.clone_from(pieces);
            below(&mut word.pieces);
            match parts.last() {
                Some(WordPiece::Text(end)) if folder.text().is_none() => word.push(end),
                _ => {}
            }
        }
    }
    *pieces = word.pieces;
}

/// The pattern of the first `-name` that all files have that the tests let through.
fn wanted_name(tests: &[ShellWord]) -> Option<String> {
    let texts: Option<Vec<&str>> = tests.iter().map(ShellWord::text).collect();
    let texts = texts?;
    if texts.iter().any(|text| matches!(*text, "-o" | "-or" | "," | "(" | ")")) {
        return None;
    }
    let at = texts.iter().position(|text| *text == "-name")?;
    let is_negated = at > 0 && matches!(texts[at - 1], "!" | "-not");
    let name = texts.get(at + 1).filter(|_| !is_negated)?;
    let is_plain = !name.is_empty() && !name.contains(['?', '[', '\\', '/', '{']);
    is_plain.then(|| (*name).to_owned())
}

/// What `find` does with the files that it finds, besides `-print0`.
const ACTIONS: &[&str] = &[
    "-print",
    "-print0",
    "-printf",
    "-fprint",
    "-fprint0",
    "-fprintf",
    "-ls",
    "-fls",
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
    "-delete",
    "-files0-from",
];

/// What a command of a pipeline writes, if that is known.
pub(super) fn fed_by(tree: &CommandTree) -> Option<Fed> {
    let CommandTree::Simple(simple) = tree else { return None };
    let Simple { assignments, words, redirected, redirects, inner, .. } = &**simple;
    if !assignments.is_empty() || *redirected || !redirects.is_empty() || inner.opaque.is_some() {
        return None;
    }
    let (name, rest) = words.split_first()?;
    match name.text()? {
        "find" => {
            let (last, tests) = rest.split_last()?;
            let acts = |word: &ShellWord| word.text().is_none_or(|text| ACTIONS.contains(&text));
            let tests_begin =
                tests.iter().position(|word| word.text().is_some_and(|text| text.starts_with('-')));
            let is_plain = !tests[tests_begin.unwrap_or(tests.len())..].iter().any(acts);
            let word = found("find", None, tests);
            (last.text() == Some("-print0") && is_plain && word != ShellWord::unknown())
                .then_some(Fed::Names(word))
        }
        "printf" => match rest {
            [format, words @ ..] if format.text() == Some("%s\\0") && !words.is_empty() => {
                let word = common(words)?;
                Some(Fed::Names(ShellWord { splits: true, each: true, ..word }))
            }
            _ => None,
        },
        "echo" => {
            let texts: Option<Vec<&str>> = rest.iter().map(ShellWord::text).collect();
            let texts = texts.filter(|texts| !texts.is_empty() && texts.len() <= ITEMS)?;
            let is_plain = |text: &&str| {
                !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "\"'\\".contains(c))
            };
            let has_options = texts[0].starts_with('-');
            (!has_options && texts.iter().all(is_plain))
                .then(|| Fed::Words(texts.into_iter().map(str::to_owned).collect()))
        }
        _ => None,
    }
}

/// The text that a command writes to its standard output, as far as its words and its standard input tell: of `cat` with
/// a here-document, of `echo` and `printf` without escapes.
pub(super) fn written(simple: &Simple) -> Option<ShellWord> {
    let Simple { assignments, words, redirects, inner, input, .. } = simple;
    if !assignments.is_empty() || !redirects.is_empty() || inner.opaque.is_some() {
        return None;
    }
    let (name, rest) = words.split_first()?;
    let is_option = |word: &ShellWord| match word.pieces.first() {
        Some(WordPiece::Text(text)) => text.starts_with('-'),
        // The value of a variable may be an option.
        _ => true,
    };
    let has_any = |word: &ShellWord, signs: &[char]| {
        word.pieces.iter().any(|piece| matches!(piece, WordPiece::Text(text) if text.contains(signs)))
    };
    match (name.text()?, rest, input) {
        ("cat", [], Some(text)) => Some(text.clone()),
        ("echo", [first, ..], None)
            if !is_option(first) && !rest.iter().any(|word| has_any(word, &['\\'])) =>
        {
            let mut line = ShellWord::default();
            for (i, word) in rest.iter().enumerate() {
                line.push(if i > 0 { " " } else { "" });
                line.push_pieces(&word.pieces);
            }
            Some(line)
        }
        ("printf", [format], None) if !is_option(format) && !has_any(format, &['\\', '%']) => {
            Some(format.clone())
        }
        ("printf", [format, text], None) if matches!(format.text(), Some("%s" | "%s\\n")) => {
            (!text.splits).then(|| text.clone())
        }
        _ => None,
    }
}

/// The variable of `read -r -d ''`, which takes names separated by zero bytes, as the only command of a list.
pub(super) fn read_name(list: &List) -> Option<String> {
    let [chain] = &list[..] else { return None };
    if !chain.rest.is_empty() || chain.background || chain.first.negated {
        return None;
    }
    let mut all = commands(list);
    let (Some(CommandTree::Simple(simple)), None) = (all.next(), all.next()) else { return None };
    let is_whole = match &simple.assignments[..] {
        [(name, value)] => name == "IFS" && value.text() == Some(""),
        _ => false,
    };
    let texts: Option<Vec<&str>> = simple.words.iter().map(ShellWord::text).collect();
    let (["read", "-r", "-d", "", name] | ["read", "-d", "", "-r", name] | ["read", "-rd", "", name]) =
        texts?[..]
    else {
        return None;
    };
    (is_whole && !simple.redirected).then(|| name.to_owned())
}

/// Where `xargs` puts what it reads.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Behind the words of its command; whether one at a time.
    Behind(bool),
    /// For each of these texts.
    Inside(String),
}

/// What the options of `xargs` say; `None` if they are not understood.
fn xargs_options(options: &[ShellWord]) -> Option<(bool, Place)> {
    let (mut null, mut place) = (false, Place::Behind(false));
    let mut at = 0;
    while let Some(word) = options.get(at) {
        let text = word.text()?;
        at += 1;
        let mut value = |rest: &str| {
            if rest.is_empty() {
                at += 1;
                options.get(at - 1).and_then(ShellWord::text).map(str::to_owned)
            } else {
                Some(rest.to_owned())
            }
        };
        match text {
            "-0" | "--null" | "-0r" | "-r0" => null = true,
            "-r" | "-t" | "--no-run-if-empty" | "--verbose" => {}
            "--replace" => place = Place::Inside("{}".into()),
            _ if text.starts_with("--replace=") => place = Place::Inside(text["--replace=".len()..].into()),
            _ if text.starts_with("--max-procs=") => {}
            _ if text.starts_with("-I") => place = Place::Inside(value(&text[2..])?),
            _ if text.starts_with("-P") => drop(value(&text[2..])?),
            _ if text.starts_with("-n") => {
                let count = value(&text[2..])?;
                if count != "1" {
                    return None;
                }
                place = Place::Behind(true);
            }
            _ => return None,
        }
    }
    Some((null, place))
}

/// The commands that `xargs` with these options runs, each any number of times; `None` if their program is not known.
pub(super) fn repeated(
    options: &[ShellWord],
    inner: &[ShellWord],
    fed: Option<&Fed>,
) -> Option<Vec<Vec<ShellWord>>> {
    let Some((null, place)) = xargs_options(options) else {
        // Options that may say where the words are put.
        let may_insert = options.iter().any(|word| match word.text() {
            Some(text) => {
                text.starts_with("--rep") || !text.starts_with("--") && text.contains(['I', 'i', 'J'])
            }
            None => true,
        });
        let mut inner = inner.to_vec();
        if may_insert {
            if inner.first().and_then(ShellWord::text).is_none_or(|name| name.contains(['{', '%', '@', '_']))
            {
                return None;
            }
            inner.truncate(1);
        }
        inner.push(ShellWord::unknown());
        return Some(vec![inner]);
    };
    let items: Vec<ShellWord> = match (fed, null) {
        (Some(Fed::Names(word)), true) => vec![word.clone()],
        (Some(Fed::Words(words)), false) => match &place {
            // A line is one item.
            Place::Inside(_) => vec![ShellWord::literal(&words.join(" "))],
            Place::Behind(true) => words.iter().map(|word| ShellWord::literal(word)).collect(),
            Place::Behind(false) => {
                let words = words.iter().map(|word| ShellWord::literal(word));
                return Some(vec![inner.iter().cloned().chain(words).collect()]);
            }
        },
        _ => vec![ShellWord::unknown()],
    };
    match place {
        Place::Behind(_) => {
            Some(items.into_iter().map(|item| inner.iter().cloned().chain([item]).collect()).collect())
        }
        Place::Inside(text) => {
            let named = |word: &ShellWord| word.text().is_some_and(|own| !own.contains(&text));
            if text.is_empty() || !inner.first().is_some_and(named) {
                return None;
            }
            let with = |item: &ShellWord| inner.iter().map(|word| inserted(word, &text, item)).collect();
            Some(items.iter().map(with).collect())
        }
    }
}

/// A word in which a text is replaced by one item.
fn inserted(word: &ShellWord, place: &str, item: &ShellWord) -> ShellWord {
    if word.text() == Some(place) {
        return ShellWord { splits: false, each: false, ..item.clone() };
    }
    let mut result = ShellWord { pieces: Vec::new(), ..word.clone() };
    let mut is_changed = false;
    for piece in &word.pieces {
        let WordPiece::Text(text) = piece else {
            result.push_pieces(std::slice::from_ref(piece));
            continue;
        };
        for (i, part) in text.split(place).enumerate() {
            if i > 0 {
                is_changed = true;
                result.push_pieces(&item.pieces);
            }
            if !part.is_empty() {
                result.push(part);
            }
        }
    }
    if is_changed {
        let is_open = word.text().is_none();
        result.unknown =
            if is_open && word.unknown != item.unknown { UnknownText::Value } else { item.unknown };
    }
    result
}
