//! The words of a command as operands and values of options, for what they name.

use super::file_specs::FileSpec;
use super::option_rows::{OptionArity, OptionStyle, ProgramRow, program_row, subcommand_row};
use super::word::{ShellWord, WordPiece};

/// The longest path of a file.
const LONGEST_PATH: usize = 4096;
/// The most letters of a bundle after which a value may begin, where the program is not known.
const LETTERS: usize = 4;

/// `NAME=value`
pub(super) fn assignment(word: &ShellWord) -> Option<(String, ShellWord)> {
    let WordPiece::Text(text) = word.pieces.first()? else { return None };
    let (name, rest) = text.split_once('=')?;
    let mut value = word.clone();
    if rest.is_empty() {
        value.pieces.remove(0);
    } else {
        value.pieces[0] = WordPiece::Text(rest.to_owned());
    }
    Some((name.to_owned(), value))
}

/// A word of a command that is no option.
pub(super) struct Argument {
    pub(super) word: ShellWord,
    /// The option that it may be the value of.
    pub(super) option: Option<String>,
}

impl Argument {
    /// The texts in it that may name files: itself, and what follows `=`, `@`, `:`, `,` and `;`, up to the end or to the next
    /// `:`, `,` or `;`.
    pub(super) fn mentioned(&self) -> Vec<ShellWord> {
        let mut all = vec![self.word.clone()];
        if let Some(text) = self.word.text() {
            let signs = text.char_indices().filter(|(_, c)| matches!(c, '=' | '@' | ':' | ',' | ';'));
            for start in std::iter::once(0).chain(signs.map(|(at, _)| at + 1)) {
                let rest = &text[start..];
                let part = rest.find([':', ',', ';']).map(|end| &rest[..end]);
                let rest = (start > 0).then_some(rest);
                let fits = |text: &&str| !text.is_empty() && text.len() <= LONGEST_PATH;
                all.extend(rest.into_iter().chain(part).filter(fits).map(ShellWord::literal));
            }
        } else if let Some((_, value)) = assignment(&self.word) {
            all.push(value);
        }
        all
    }
}

/// The words of a command after its program.
pub(super) struct Arguments {
    /// The operands and the values of options. A word that may be either is both.
    pub(super) all: Vec<Argument>,
    /// The names of the options, each letter of a bundle by itself.
    options: Vec<String>,
}

impl Arguments {
    pub(super) fn of(words: &[ShellWord], spec: Option<&FileSpec>) -> Self {
        let row = words.first().and_then(ShellWord::program).and_then(program_row);
        let mut reader =
            Reader { row, spec, own: Self { all: Vec::new(), options: Vec::new() }, awaited: None };
        let mut ended = false;
        for word in words.iter().skip(1) {
            ended = reader.word(word, ended);
        }
        reader.own
    }
    /// The operands.
    pub(super) fn operands(&self) -> Vec<&ShellWord> {
        self.all.iter().filter(|a| a.option.is_none()).map(|a| &a.word).collect()
    }
    /// Whether one of some options is there.
    pub(super) fn has(&self, names: &str) -> bool {
        names.split_ascii_whitespace().any(|name| self.options.iter().any(|own| own == name))
    }
    /// The values of some options.
    pub(super) fn values(&self, names: &str) -> Vec<&Argument> {
        let named = |option: &str| names.split_ascii_whitespace().any(|name| name == option);
        self.all.iter().filter(|a| a.option.as_deref().is_some_and(named)).collect()
    }
}

struct Reader<'s> {
    row: Option<&'static ProgramRow>,
    spec: Option<&'s FileSpec>,
    own: Arguments,
    /// The option whose value the next word is, and whether that is certain.
    awaited: Option<(String, bool)>,
}

impl Reader<'_> {
    /// Reads a word; whether the rest are operands.
    fn word(&mut self, word: &ShellWord, ended: bool) -> bool {
        if let Some((option, certain)) = self.awaited.take() {
            self.own.all.push(Argument { word: word.clone(), option: Some(option) });
            if certain {
                return ended;
            }
        }
        match (word.text(), word.pieces.first()) {
            (Some("--"), _) if !ended => return true,
            (_, Some(WordPiece::Text(start))) if !ended && start.len() > 1 && start.starts_with('-') => {
                self.option(word, start);
            }
            (text, _) => {
                self.row = self.row.zip(text).map(|(row, text)| subcommand_row(row, text)).or(self.row);
                self.own.all.push(Argument { word: word.clone(), option: None });
            }
        }
        ended
    }
    fn arity(&self, name: &str) -> OptionArity {
        match self.row.map_or(OptionArity::Either, |row| row.arity(name)) {
            OptionArity::Either if self.spec.is_some_and(|spec| spec.gives_file(name)) => OptionArity::Value,
            arity => arity,
        }
    }
    /// A word that begins with a hyphen.
    fn option(&mut self, word: &ShellWord, start: &str) {
        let name = start.split_once('=').map_or(start, |(name, _)| name);
        let style = self.row.map_or(OptionStyle::Unknown, |row| row.style);
        let is_listed = name.len() > 2
            && (self.row.is_some_and(|row| row.lists(name))
                || self.spec.is_some_and(|spec| spec.lists(name)));
        if !start.starts_with("--") && style != OptionStyle::Words && !is_listed {
            return self.bundle(word, start);
        }
        let name = self.row.map_or(name, |row| row.full_name(name)).to_owned();
        self.own.options.push(name.clone());
        match assignment(word) {
            Some((_, value)) => self.own.all.push(Argument { word: value, option: Some(name) }),
            None if word.text().is_none() => {
                self.own.all.push(Argument { word: word.clone(), option: None });
            }
            None => self.awaits(name),
        }
    }
    /// Reads the next word as the value of an option, if the option may have one.
    fn awaits(&mut self, name: String) {
        self.awaited = match self.arity(&name) {
            OptionArity::Value => Some((name, true)),
            OptionArity::Either => Some((name, false)),
            OptionArity::Flag | OptionArity::Attached => None,
        };
    }
    /// `-abc`, where a letter may take the rest of the word, or the next word, as its value.
    fn bundle(&mut self, word: &ShellWord, start: &str) {
        for (count, (at, letter)) in start.char_indices().skip(1).enumerate() {
            let name = format!("-{letter}");
            let value = after(word, at + letter.len_utf8());
            let arity = self.arity(&name);
            if arity == OptionArity::Either && !letter.is_ascii_alphanumeric() {
                break;
            }
            self.own.options.push(name.clone());
            let Some(value) = value else { return self.awaits(name) };
            match arity {
                OptionArity::Flag => {}
                OptionArity::Value | OptionArity::Attached => {
                    self.own.all.push(Argument { word: value, option: Some(name) });
                    return;
                }
                OptionArity::Either => {
                    let names_file = value.text().is_some_and(|text| text.contains(['/', '.', '@', '=']));
                    if names_file && count < LETTERS {
                        self.own.all.push(Argument { word: value, option: Some(name) });
                    }
                }
            }
        }
        if word.text().is_none() {
            self.own.all.push(Argument { word: word.clone(), option: None });
        }
    }
}

/// What follows a position in the first text of a word, without a `=`; `None` if nothing does.
fn after(word: &ShellWord, at: usize) -> Option<ShellWord> {
    let Some(WordPiece::Text(text)) = word.pieces.first() else { return None };
    let rest = text.get(at..)?;
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    if rest.is_empty() && word.pieces.len() == 1 {
        return None;
    }
    let mut value = word.clone();
    if rest.is_empty() {
        value.pieces.remove(0);
    } else {
        value.pieces[0] = WordPiece::Text(rest.to_owned());
    }
    Some(value)
}
