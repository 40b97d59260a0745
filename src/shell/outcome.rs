//! What the exit of a launcher tells about the command that it runs, by its options.

use super::launchers::{Launcher, Outcome};
use super::runs::Runs;
use super::word::{ShellWord, WordPiece};

impl Runs {
    /// A command or a script of a launcher with these options, and what its exit tells about it.
    pub(super) fn with_outcome(self, launcher: &Launcher, options: &[String]) -> Self {
        let given = launcher.outcomes.iter().find(|(name, _)| options.iter().any(|own| own == name));
        let outcome = given.map_or(launcher.outcome, |&(_, outcome)| outcome);
        match self {
            Self::Command(_) | Self::Script(..) if outcome != Outcome::Same => {
                Self::Apart(Box::new(self), outcome)
            }
            _ => self,
        }
    }
}

/// The names of the options in these words, each letter of a bundle, and with `=` also their values.
pub(super) fn given(launcher: &Launcher, words: &[ShellWord]) -> Vec<String> {
    let mut all = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let Some(WordPiece::Text(text)) = word.pieces.first() else { continue };
        let next = || words.get(i + 1).map_or("", |word| word.text().unwrap_or("?"));
        // Numbers may have zeros before them.
        let value = |text: &str| text.parse::<i64>().map_or(text.to_owned(), |number| number.to_string());
        if text.starts_with("--") {
            let (name, own) = text.split_once('=').map_or((&**text, None), |(name, own)| (name, Some(own)));
            let own = own.map(|own| if word.text().is_some() { own } else { "?" });
            if own != Some("false") {
                all.push(name.to_owned());
                all.push(format!("{name}={}", value(own.unwrap_or_else(next))));
            }
            continue;
        }
        let Some(letters) = text.strip_prefix('-') else { continue };
        let letters = letters.strip_suffix("=false").map_or(letters, |_| "");
        for (at, letter) in letters.char_indices() {
            all.push(format!("-{letter}"));
            if launcher.valued.contains(letter) {
                let rest = &letters[at + letter.len_utf8()..];
                let known = if word.text().is_some() { rest } else { "?" };
                let own = if rest.is_empty() && word.text().is_some() { next() } else { known };
                all.push(format!("-{letter}={}", value(own)));
                break;
            }
        }
    }
    all
}

/// Whether an option has the text of a script, also as the last one of a bundle: `script -qec TEXT`.
pub(super) fn names_script(launcher: &Launcher, text: &str) -> bool {
    let is_named = |name: &str| launcher.scripts.contains(&name);
    let mut letters = text.chars();
    let is_bundle = match (letters.next(), letters.next_back()) {
        (Some('-'), Some(last)) => {
            is_named(&format!("-{last}")) && letters.all(|letter| launcher.flags.contains(letter))
        }
        _ => false,
    };
    is_bundle || is_named(text.split_once('=').map_or(text, |(name, _)| name))
}
