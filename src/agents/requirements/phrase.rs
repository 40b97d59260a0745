//! Conditions in English: phrases with `and`, `or` and `not`, and the names that stand for phrases.

use std::collections::BTreeMap;

/// Who decides about what a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The environment.
    Input,
    /// The system.
    Output,
}

/// A name with its phrase.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    phrase: String,
    side: Side,
    /// Whether the side was declared.
    is_fixed: bool,
}

/// The names so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    all: Vec<Named>,
    /// Phrases that were given a name, in their plain form.
    given: BTreeMap<String, String>,
    /// Sides that were declared.
    sides: BTreeMap<String, Side>,
}

/// Words that say nothing about what holds.
const IDLE: [&str; 17] = [
    "the", "a", "an", "is", "are", "was", "were", "be", "been", "being", "has", "have", "that", "its",
    "becomes", "become", "holds",
];
/// Words that negate a phrase.
const NOT: [&str; 9] = ["not", "never", "no", "isn't", "aren't", "doesn't", "don't", "cannot", "won't"];
/// Words that go with a negation and say nothing else.
const WITH_NOT: [&str; 4] = ["does", "do", "longer", "did"];
/// Words of conditions and times: a phrase that still has one was not understood.
const STRUCTURE: [&str; 23] = [
    "when",
    "whenever",
    "while",
    "if",
    "unless",
    "until",
    "within",
    "before",
    "after",
    "later",
    "earlier",
    "step",
    "steps",
    "only",
    "then",
    "shall",
    "must",
    "should",
    "eventually",
    "immediately",
    "always",
    "previously",
    "follow",
];
/// Words of TSL and LTL that are no names.
const RESERVED: [&str; 33] = [
    "true",
    "false",
    "always",
    "initially",
    "assume",
    "guarantee",
    "input",
    "output",
    "cell",
    "function",
    "predicate",
    "import",
    "as",
    "type",
    "enum",
    "G",
    "F",
    "X",
    "U",
    "R",
    "W",
    "M",
    "Y",
    "Z",
    "O",
    "H",
    "S",
    "T",
    "def",
    "let",
    "not",
    "and",
    "or",
];

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Names {
    /// Reads `NAME = phrase | phrase`, `input NAME` and `output NAME`; `false` for other lines.
    pub(super) fn declared(&mut self, line: &str) -> bool {
        if let Some((name, phrases)) = line.split_once('=') {
            let name = name.trim();
            if !is_name(name) || RESERVED.contains(&name) {
                return false;
            }
            for phrase in phrases.split('|') {
                let (plain, _) = plain(phrase.trim().trim_end_matches('.'));
                self.given.insert(plain.join(" "), name.to_string());
            }
            return true;
        }
        for (word, side) in [("input ", Side::Input), ("output ", Side::Output)] {
            let Some(list) = line.strip_prefix(word) else { continue };
            let names: Vec<&str> = list.trim_end_matches([';', '.']).split(',').map(str::trim).collect();
            if names.iter().all(|name| is_name(name)) {
                for name in names {
                    self.sides.insert(name.to_string(), side);
                    if let Some(known) = self.all.iter_mut().find(|known| known.name == name) {
                        (known.side, known.is_fixed) = (side, true);
                    }
                }
                return true;
            }
        }
        false
    }

    /// The names of a side with their phrases, in the order in which they occur.
    pub(super) fn of(&self, side: Side) -> Vec<(String, String)> {
        let own = self.all.iter().filter(|named| named.side == side);
        own.map(|named| (named.name.clone(), named.phrase.clone())).collect()
    }

    /// The formula of a condition of this side.
    ///
    /// # Errors
    /// What was expected.
    pub(super) fn condition(&mut self, text: &str, side: Side) -> Result<String, String> {
        let text = text.trim().trim_matches(',').trim();
        let either = text.strip_prefix("either ").or_else(|| text.strip_prefix("Either ")).unwrap_or(text);
        let both = either.strip_prefix("both ").or_else(|| either.strip_prefix("Both ")).unwrap_or(either);
        let alternatives: Vec<&str> = pieces(both, "or");
        let mut formulas = Vec::new();
        for alternative in &alternatives {
            let mut parts = Vec::new();
            for part in pieces(alternative, "and") {
                parts.push(self.atom(part, side)?);
            }
            formulas.push(parts.join(" && "));
        }
        let is_mixed = formulas.len() > 1;
        let formulas: Vec<String> = formulas
            .into_iter()
            .map(
                |formula| if is_mixed && formula.contains(" && ") { format!("({formula})") } else { formula },
            )
            .collect();
        let formula = formulas.join(" || ");
        Ok(if formula.contains(' ') { format!("({formula})") } else { formula })
    }

    /// A phrase, possibly negated.
    fn atom(&mut self, text: &str, side: Side) -> Result<String, String> {
        let (words, is_negated) = plain(text);
        if words.is_empty() {
            return Err(format!("expected what holds, in words, in place of `{}`", text.trim()));
        }
        let key = words.join(" ");
        let name = if let Some(name) = self.given.get(&key) {
            name.clone()
        } else {
            let is_left = |word: &&String| words.len() > 1 && STRUCTURE.contains(&word.as_str());
            if let Some(word) = words.iter().find(is_left) {
                return Err(format!(
                    "expected a phrase for one thing that holds or is done, without `{word}`, in place of `{}`",
                    text.trim()
                ));
            }
            name_of(&words)
        };
        if !self.all.iter().any(|known| known.name == name) {
            let fixed = self.sides.get(&name).copied();
            let phrase = text.trim().to_string();
            self.all.push(Named {
                name: name.clone(),
                phrase,
                side: fixed.unwrap_or(side),
                is_fixed: fixed.is_some(),
            });
        } else if side == Side::Output
            && let Some(known) = self.all.iter_mut().find(|known| known.name == name && !known.is_fixed)
        {
            // What the system shall do is its own, also where it is a condition elsewhere.
            known.side = Side::Output;
        }
        Ok(if is_negated { format!("!{name}") } else { name })
    }
}

/// The parts of a text between a word.
fn pieces<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let between = format!(" {word} ");
    text.split(between.as_str())
        .map(|part| part.trim().trim_end_matches(','))
        .filter(|part| !part.is_empty())
        .collect()
}

/// The words of a phrase that say what holds, in lower case, and whether it is negated.
fn plain(text: &str) -> (Vec<String>, bool) {
    let mut is_negated = false;
    let mut words = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || ",;\"`()".contains(c)) {
        let exact = word.trim_matches(['\'', '.', ':']);
        let lower = exact.to_lowercase();
        if lower.is_empty() || IDLE.contains(&lower.as_str()) {
            continue;
        }
        if NOT.contains(&lower.as_str()) {
            is_negated = !is_negated;
            continue;
        }
        if is_negated && WITH_NOT.contains(&lower.as_str()) {
            continue;
        }
        words.push(if is_name(exact) && words.is_empty() && text.trim() == exact {
            exact.to_string()
        } else {
            lower
        });
    }
    // A single letter is a name, also where it is an article elsewhere.
    if words.is_empty() && text.trim().len() == 1 && is_name(text.trim()) {
        words.push(text.trim().to_string());
    }
    // `does not open`: the auxiliary stands before the negation.
    if is_negated {
        words.retain(|word| !WITH_NOT.contains(&word.as_str()));
    }
    (words, is_negated)
}

fn name_of(words: &[String]) -> String {
    let mut name = String::new();
    for word in words {
        let clean: String = word
            .chars()
            .map(|c| match c {
                c if c.is_ascii_alphanumeric() || c == '_' => c,
                '%' => 'p',
                _ => '_',
            })
            .collect();
        let clean = clean.trim_matches('_').to_string();
        if clean.is_empty() {
            continue;
        }
        if !name.is_empty() {
            name.push('_');
        }
        name.push_str(&clean);
    }
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || RESERVED.contains(&name.as_str())
    {
        name.insert_str(0, "p_");
    }
    name
}
