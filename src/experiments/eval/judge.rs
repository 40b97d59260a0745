//! Whether answers are right.

use regex::Regex;
use std::collections::BTreeMap;

/// How answers are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// Equal up to case, articles, punctuation and blanks, as in SQuAD.
    #[default]
    Exact,
    /// At least half of the words in common, by F1.
    F1,
    /// The expected answer is a regular expression that occurs in the answer.
    Regex,
    /// An oracle decides.
    Oracle,
}

impl Judge {
    /// Whether the answer is one of the expected ones; `None` if an oracle has to decide.
    ///
    /// # Errors
    /// An expected answer is no regular expression.
    pub fn is_right(self, answer: &str, expected: &[String]) -> Result<Option<bool>, String> {
        Ok(match self {
            Self::Exact => Some(expected.iter().any(|one| normalized(one) == normalized(answer))),
            Self::F1 => Some(expected.iter().any(|one| f1(answer, one) >= 0.5)),
            Self::Regex => {
                let mut found = false;
                for one in expected {
                    let regex = Regex::new(one)
                        .map_err(|error| format!("`{one}` is no regular expression: {error}"))?;
                    found |= regex.is_match(answer);
                }
                Some(found)
            }
            Self::Oracle => None,
        })
    }
}

/// The text in lower case, without punctuation and articles, with single blanks.
pub fn normalized(text: &str) -> String {
    let plain: String = text
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || c.is_whitespace() || *c == '.')
        .collect();
    let words = plain.split_whitespace().map(|word| word.trim_matches('.'));
    let words: Vec<&str> =
        words.filter(|word| !word.is_empty() && !matches!(*word, "a" | "an" | "the")).collect();
    words.join(" ")
}

/// The F1 of two texts by their words: the harmonic mean of precision and recall.
pub fn f1(answer: &str, expected: &str) -> f64 {
    let (answer, expected) = (normalized(answer), normalized(expected));
    let count = |text: &str| {
        let mut words: BTreeMap<String, usize> = BTreeMap::new();
        text.split(' ')
            .filter(|word| !word.is_empty())
            .for_each(|word| *words.entry(word.into()).or_default() += 1);
        words
    };
    let (given, wanted) = (count(&answer), count(&expected));
    let common: usize = given.iter().map(|(word, n)| *n.min(wanted.get(word).unwrap_or(&0))).sum();
    let all = given.values().sum::<usize>() + wanted.values().sum::<usize>();
    if all == 0 {
        return 1.0;
    }
    2.0 * common as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_judged() {
        let expected = ["The Blue Door".to_string()];
        let right = |judge: Judge, answer: &str| judge.is_right(answer, &expected).expect("no regex");
        assert_eq!(right(Judge::Exact, " blue door. "), Some(true));
        assert_eq!(right(Judge::Exact, "blue doors"), Some(false));
        assert_eq!(right(Judge::F1, "a blue window"), Some(true));
        assert_eq!(right(Judge::F1, "red"), Some(false));
        assert_eq!(right(Judge::Oracle, "red"), None);
        assert_eq!(Judge::Regex.is_right("it is 42", &["\\b42\\b".into()]), Ok(Some(true)));
        assert_eq!(Judge::Regex.is_right("it is 421", &["\\b42\\b".into()]), Ok(Some(false)));
        assert!(Judge::Regex.is_right("x", &["(".into()]).is_err());
        assert!((f1("x b c", "b c d e") - 4.0 / 7.0).abs() < 1e-9);
        assert!((f1("x y", "y x") - 1.0).abs() < 1e-9 && f1("", "y").abs() < 1e-9);
        assert_eq!(normalized("3.5 km."), "3.5 km");
    }
}
