//! Whether a word that is only partly known matches a glob: in every case, in some cases, or in none.
//!
//! A word is compared as it is written. If the glob is about paths (one of its alternatives has a `/` or begins with a
//! dot) and the word may be one, the path is compared, too, without what does not change it: `./`, `//`, `x/..`, a `/` at
//! the end. Links are not followed. What is not known then counts as follows:
//!
//! - `../x` and `$folder/x` may be anything that ends in `x`; `src/$x` may be outside of `src`, because the value may have
//!   `..`; what a wildcard stands for has none.
//! - `~/x` is below the home folder: `~/x` of a glob, and perhaps `/home/me/x`.
//! - After `cd folder` the word may also name what is in the folder.
//! - A path from the root may be one that the glob names from the working folder, and the other way round for globs that
//!   begin with `*/`.

use super::word::{Certainty, ShellWord, UnknownText, WordPiece};
use tsl_synth_core::base::Glob;

/// Globs with more alternatives are compared with known words only.
const ALTERNATIVES: usize = 256;

/// A part of a glob for one word, in which `/` is a character like any other.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
    /// `[..]`: the ranges, and whether it stands for all other characters.
    Class(bool, Vec<(char, char)>),
}

impl Part {
    fn matches(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::One | Self::Many => true,
            Self::Class(others, ranges) => *others != ranges.iter().any(|&(low, high)| low <= c && c <= high),
        }
    }
}

/// A piece of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Char(char),
    /// Any characters, also none.
    Any,
    /// Any characters but `/`, also none: what a wildcard stands for.
    Name,
    /// The same at the beginning of a name, which does not begin with a dot then.
    Visible,
    /// Letters, digits, `_`, `-`, `+` and `:`, also none.
    Plain,
}

impl Unit {
    fn is_open(self) -> bool {
        !matches!(self, Self::Char(_))
    }
}

impl ShellWord {
    /// Whether the word matches if it expands to exactly one word. A glob about paths is compared with the path that the
    /// word names.
    pub fn matches(&self, glob: &Glob) -> Certainty {
        let own = compared(self, glob);
        let Some(folders) = self.folders.as_ref().filter(|_| own != Certainty::Yes && is_about_paths(glob))
        else {
            return own;
        };
        // In another folder it may name the path, too.
        let is_option = matches!(self.pieces.first(), Some(WordPiece::Text(text)) if text.starts_with('-'));
        let paths = if is_option { Vec::new() } else { folders.paths(self) };
        let elsewhere = paths.iter().map(|path| compared(path, glob)).max().unwrap_or(Certainty::No);
        own.max(elsewhere.min(Certainty::Maybe))
    }
    /// Whether the word is the program of a pattern, if it expands to exactly one word.
    pub(super) fn matches_program(&self, glob: &Glob) -> Certainty {
        match self.program() {
            Some(name) if !glob.as_str().contains('/') => {
                self.matches(glob).max(Self::literal(name).matches(glob))
            }
            _ => self.matches(glob),
        }
    }
}

/// Whether some alternative of a glob has a `/` or begins with a dot.
fn is_about_paths(glob: &Glob) -> bool {
    glob.as_str().contains(['/', '.', '~'])
}

/// Whether a word matches a glob, if it is exactly one word.
fn compared(word: &ShellWord, glob: &Glob) -> Certainty {
    let known = known(word);
    let is_dotted = known.as_deref().is_none_or(|text| text.contains('/') || text.starts_with(['.', '~']));
    if let Some(text) = &known
        && (!is_dotted || glob.literal() == Some(text))
    {
        return if glob.matches(text) { Certainty::Yes } else { Certainty::No };
    }
    if matches!(glob.as_str(), "*" | "**") {
        return Certainty::Yes;
    }
    let Some(alternatives) = alternatives(glob.as_str()) else {
        return match known {
            Some(text) if glob.matches(&text) => Certainty::Yes,
            _ => Certainty::Maybe,
        };
    };
    let written = units(word);
    let written: Vec<Vec<Unit>> = if word.home {
        vec![joined(&[Unit::Char('~')], &written[1..]), joined(&[Unit::Char('/')], &written)]
    } else {
        vec![written]
    };
    let surely = |alternative: &Vec<Part>| written.iter().all(|word| always(word, alternative));
    let perhaps = |alternative: &Vec<Part>| written.iter().any(|word| sometimes(word, alternative));
    let is_path = alternatives
        .iter()
        .any(|own| own.contains(&Part::Char('/')) || own.first() == Some(&Part::Char('.')));
    let Some(path) = Path::of(word).filter(|_| is_path) else {
        return level(alternatives.iter().any(surely), alternatives.iter().any(perhaps));
    };
    let globs: Vec<PathGlob> = alternatives.iter().map(|own| PathGlob::of(own)).collect();
    level(
        globs.iter().any(|glob| path.always(glob)),
        globs.iter().any(|glob| path.sometimes(glob)) || alternatives.iter().any(perhaps),
    )
}

fn level(surely: bool, perhaps: bool) -> Certainty {
    match (surely, perhaps) {
        (true, _) => Certainty::Yes,
        (_, true) => Certainty::Maybe,
        _ => Certainty::No,
    }
}

fn known(word: &ShellWord) -> Option<String> {
    let texts: Option<Vec<&str>> = word
        .pieces
        .iter()
        .map(|piece| match piece {
            WordPiece::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    texts.map(|texts| texts.concat())
}

fn units(word: &ShellWord) -> Vec<Unit> {
    let mut units = Vec::new();
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) => units.extend(text.chars().map(Unit::Char)),
            WordPiece::Any if word.unknown != UnknownText::Wildcard || word.home && units.is_empty() => {
                units.push(Unit::Any);
            }
            WordPiece::Any if matches!(units.last(), None | Some(Unit::Char('/'))) => {
                units.push(Unit::Visible);
            }
            WordPiece::Any | WordPiece::Name => units.push(Unit::Name),
            WordPiece::Plain => units.push(Unit::Plain),
        }
    }
    units
}

fn joined<T: Clone>(first: &[T], second: &[T]) -> Vec<T> {
    [first, second].concat()
}

/// Whether all values of a word match.
fn always(word: &[Unit], glob: &[Part]) -> bool {
    run(word, glob, |now, _| {
        // Only a star takes any characters.
        now.iter().enumerate().map(|(at, &used)| used && glob.get(at) == Some(&Part::Many)).collect()
    })
}

/// Whether some value of a word matches.
fn sometimes(word: &[Unit], glob: &[Part]) -> bool {
    run(word, glob, |now, i| match word[i] {
        Unit::Any => {
            let first = now.iter().position(|&used| used).unwrap_or(now.len());
            (0..now.len()).map(|at| at >= first).collect()
        }
        Unit::Visible => {
            // One character that is no dot, then a name; nothing, unless a dot follows.
            let mut next = vec![false; now.len()];
            for (at, part) in glob.iter().enumerate().filter(|&(at, _)| now[at]) {
                if !matches!(part, Part::Char('/' | '.')) {
                    next[if *part == Part::Many { at } else { at + 1 }] = true;
                }
            }
            let mut next = names(next, glob);
            if word.get(i + 1) != Some(&Unit::Char('.')) {
                next.iter_mut().zip(now).for_each(|(next, &now)| *next |= now);
            }
            next
        }
        Unit::Plain => {
            let mut next = now.to_vec();
            for (at, part) in glob.iter().enumerate() {
                let fits = match part {
                    Part::Char(c) => c.is_ascii_alphanumeric() || "_-+:".contains(*c),
                    Part::One | Part::Many | Part::Class(..) => true,
                };
                if next[at] && fits {
                    next[at + 1] = true;
                }
            }
            next
        }
        Unit::Name | Unit::Char(_) => names(now.to_vec(), glob),
    })
}

/// The numbers of parts that are used after further characters of a name.
fn names(mut now: Vec<bool>, glob: &[Part]) -> Vec<bool> {
    for (at, part) in glob.iter().enumerate() {
        if now[at] && *part != Part::Char('/') {
            now[at + 1] = true;
        }
    }
    now
}

/// Runs the parts of a glob along a word; `open` gives the numbers of parts that are used after a piece that is not known,
/// by its index.
fn run(word: &[Unit], glob: &[Part], open: impl Fn(&[bool], usize) -> Vec<bool>) -> bool {
    let skip = |now: &mut Vec<bool>| {
        for at in 0..glob.len() {
            if now[at] && glob[at] == Part::Many {
                now[at + 1] = true;
            }
        }
    };
    let mut now = vec![false; glob.len() + 1];
    now[0] = true;
    skip(&mut now);
    for (i, unit) in word.iter().enumerate() {
        let mut next = match unit {
            Unit::Char(c) => {
                let mut next = vec![false; glob.len() + 1];
                for (at, part) in glob.iter().enumerate().filter(|&(at, _)| now[at]) {
                    if part.matches(*c) {
                        next[if *part == Part::Many { at } else { at + 1 }] = true;
                    }
                }
                next
            }
            _ => open(&now, i),
        };
        skip(&mut next);
        now = next;
    }
    now[glob.len()]
}

/// Globs without braces, of which one is to match.
type Alternatives = Vec<Vec<Part>>;

/// The alternatives of the braces of a glob, each without braces; `None` if there are too many.
fn alternatives(glob: &str) -> Option<Alternatives> {
    let mut all: Alternatives = vec![Vec::new()];
    // Inside of braces: what stood before them, and the alternatives that are complete.
    let mut braces: Option<(Alternatives, Alternatives)> = None;
    let mut chars = glob.chars().peekable();
    while let Some(c) = chars.next() {
        let part = match (c, &mut braces) {
            ('*', _) => Part::Many,
            ('?', _) => Part::One,
            ('[', _) => class(&mut chars)?,
            ('{', None) => {
                braces = Some((all.clone(), Vec::new()));
                continue;
            }
            (',', Some((before, done))) => {
                done.append(&mut all);
                all.clone_from(before);
                continue;
            }
            ('}', Some((_, done))) => {
                done.append(&mut all);
                all = std::mem::take(done);
                braces = None;
                continue;
            }
            ('\\', _) => Part::Char(chars.next()?),
            (c, _) => Part::Char(c),
        };
        for own in &mut all {
            if part != Part::Many || own.last() != Some(&Part::Many) {
                own.push(part.clone());
            }
        }
        if all.len() + braces.as_ref().map_or(0, |(_, done)| done.len()) > ALTERNATIVES {
            return None;
        }
    }
    Some(all)
}

/// A class after its `[`.
fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Part> {
    let others = chars.next_if(|&c| c == '!' || c == '^').is_some();
    let mut ranges = Vec::new();
    let one = |c: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        if c == '\\' { chars.next() } else { Some(c) }
    };
    loop {
        let c = chars.next()?;
        if c == ']' && !ranges.is_empty() {
            return Some(Part::Class(others, ranges));
        }
        let low = one(c, chars)?;
        let mut ahead = chars.clone();
        let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
        let high = if is_range {
            chars.next();
            let c = chars.next()?;
            one(c, chars)?
        } else {
            low
        };
        ranges.push((low, high));
    }
}

/// Where home folders are.
const HOMES: &[&str] = &["/root", "/home/*", "/Users/*", "/var/root", "/var/home/*"];

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// `/`
    Absolute,
    /// The working folder.
    Relative,
    /// The home folder.
    Home,
    /// Somewhere.
    Unknown,
}

/// A word as a path, without what does not change it.
#[derive(Debug)]
struct Path {
    root: Root,
    /// The text after the root, with its `/` unless that is the working folder or unknown.
    rest: Vec<Unit>,
    /// What follows the last value that may have `..`.
    after_value: Option<Vec<Unit>>,
}

impl Path {
    /// `None` for words that are no paths: options, addresses, names without folders.
    fn of(word: &ShellWord) -> Option<Self> {
        let all = units(word);
        let first: String =
            all.iter().map_while(|unit| if let Unit::Char(c) = unit { Some(*c) } else { None }).collect();
        let scheme = first.split_once("://").is_some_and(|(name, _)| name.chars().all(char::is_alphanumeric));
        if first.starts_with('-') || scheme {
            return None;
        }
        let is_known = !all.iter().any(|unit| unit.is_open());
        if is_known && !first.contains('/') && !first.starts_with('.') {
            return None;
        }
        let segments: Vec<&[Unit]> = all.split(|unit| *unit == Unit::Char('/')).collect();
        let mut root = match (word.home, all.first()) {
            (true, _) => Root::Home,
            (_, Some(Unit::Char('/'))) => Root::Absolute,
            (_, Some(Unit::Any)) => Root::Unknown,
            _ => Root::Relative,
        };
        let dots = [Unit::Char('.'), Unit::Char('.')];
        let mut kept: Vec<&[Unit]> = Vec::new();
        for segment in segments.iter().skip(usize::from(word.home)) {
            match segment {
                [] | [Unit::Char('.')] => {}
                segment if **segment == dots => match kept.last() {
                    Some(last) if !last.iter().any(|unit| unit.is_open()) => drop(kept.pop()),
                    Some(_) => {
                        kept.clear();
                        root = Root::Unknown;
                    }
                    None if root == Root::Absolute => {}
                    None => root = Root::Unknown,
                },
                segment => kept.push(segment),
            }
        }
        let mut rest = Vec::new();
        for (i, segment) in kept.iter().enumerate() {
            if i > 0 || matches!(root, Root::Absolute | Root::Home) {
                rest.push(Unit::Char('/'));
            }
            rest.extend_from_slice(segment);
        }
        if root == Root::Absolute && rest.is_empty() {
            rest.push(Unit::Char('/'));
        }
        // A wildcard after a dot may stand for `..` in old shells.
        let values = |segment: &&[Unit]| {
            segment.contains(&Unit::Any) && word.unknown != UnknownText::Found
                || segment.starts_with(&[Unit::Char('.'), Unit::Name])
        };
        let after_value = kept.iter().any(values).then(|| {
            let last = rest.iter().rposition(|unit| unit.is_open()).unwrap_or(0);
            joined(&[Unit::Any], &rest[last + 1..])
        });
        Some(Self { root, rest, after_value })
    }
    fn any_rest(&self) -> Vec<Unit> {
        joined(&[Unit::Any], &self.rest)
    }
    fn always(&self, glob: &PathGlob) -> bool {
        if self.after_value.as_ref().is_some_and(|rest| !always(rest, &glob.parts)) {
            return false;
        }
        match self.root {
            Root::Absolute | Root::Relative => {
                glob.root == GlobRoot::Other && always(&self.rest, &glob.parts)
            }
            Root::Home if glob.root == GlobRoot::Home => always(&self.rest, &glob.parts),
            Root::Home => always(&joined(&[Unit::Char('/'), Unit::Any], &self.rest), &glob.parts),
            Root::Unknown => glob.root == GlobRoot::Other && always(&self.any_rest(), &glob.parts),
        }
    }
    fn sometimes(&self, glob: &PathGlob) -> bool {
        if let Some(rest) = &self.after_value
            && sometimes(rest, &glob.parts)
        {
            return true;
        }
        let below = |folders: &[Part]| joined(folders, &glob.parts);
        match (self.root, glob.root) {
            (Root::Home, GlobRoot::Home) => sometimes(&self.rest, &glob.parts),
            (Root::Relative, GlobRoot::Home) => false,
            (Root::Relative, GlobRoot::Other) if glob.parts.first() == Some(&Part::Char('/')) => false,
            (Root::Relative, GlobRoot::Other) => {
                // From the root it is below some folder.
                let is_below = glob.parts.starts_with(&[Part::Many, Part::Char('/')]);
                sometimes(&self.rest, &glob.parts) || is_below && sometimes(&self.rest, &glob.parts[2..])
            }
            (Root::Home, GlobRoot::Other) => {
                let word = joined(&[Unit::Char('/'), Unit::Any], &self.rest);
                sometimes(&word, &glob.parts) || sometimes(&word, &below(&[Part::Many, Part::Char('/')]))
            }
            (Root::Absolute, GlobRoot::Home) => HOMES.iter().any(|home| {
                let folder: Vec<Part> =
                    home.chars().map(|c| if c == '*' { Part::Many } else { Part::Char(c) }).collect();
                sometimes(&self.rest, &below(&folder))
            }),
            (Root::Absolute, GlobRoot::Other) => {
                sometimes(&self.rest, &glob.parts)
                    || glob.parts.first() != Some(&Part::Char('/'))
                        && sometimes(&self.rest, &below(&[Part::Many, Part::Char('/')]))
            }
            (Root::Unknown, GlobRoot::Other) => sometimes(&self.any_rest(), &glob.parts),
            (Root::Unknown, GlobRoot::Home) => sometimes(&self.any_rest(), &below(&[Part::Many])),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobRoot {
    /// `~`
    Home,
    Other,
}

/// An alternative of a glob about paths; below the home folder without its `~`.
#[derive(Debug)]
struct PathGlob {
    root: GlobRoot,
    parts: Vec<Part>,
}

impl PathGlob {
    fn of(alternative: &[Part]) -> Self {
        let mut parts = alternative;
        let slash = Part::Char('/');
        while let [Part::Char('.'), Part::Char('/'), rest @ ..] = parts
            && !rest.is_empty()
        {
            parts = rest;
        }
        if parts.len() > 1 && parts.last() == Some(&slash) {
            parts = &parts[..parts.len() - 1];
        }
        match parts {
            [Part::Char('~')] | [Part::Char('~'), Part::Char('/'), ..] => {
                Self { root: GlobRoot::Home, parts: parts[1..].to_vec() }
            }
            _ => Self { root: GlobRoot::Other, parts: parts.to_vec() },
        }
    }
}
