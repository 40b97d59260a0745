//! Reads rules; for one in plain English that is no pattern, the error has the pattern that says the same.

use super::names::{NameKind, PolicyNames};
use super::pattern::LawPattern;
use super::pattern_read::parse_pattern;
use super::refused::Refused;

/// The longest text that is compared, in words.
const LONGEST: usize = 24;

/// Words that say nothing about which pattern is meant.
const FILLERS: &[&str] = &[
    "a",
    "all",
    "allow",
    "allowed",
    "always",
    "an",
    "any",
    "are",
    "be",
    "been",
    "by",
    "call",
    "called",
    "calling",
    "calls",
    "can",
    "do",
    "does",
    "each",
    "every",
    "for",
    "has",
    "have",
    "having",
    "is",
    "it",
    "its",
    "may",
    "me",
    "must",
    "of",
    "permitted",
    "please",
    "run",
    "running",
    "runs",
    "shall",
    "should",
    "that",
    "the",
    "to",
    "tool",
    "use",
    "used",
    "using",
    "was",
    "were",
    "will",
    "with",
    "you",
];

/// Synonyms, each list with the word that [`SHAPES`] uses for them.
const SAME: &[(&[&str], &str)] = &[
    (&["dont", "don't", "cannot", "can't", "mustn't", "shouldn't", "no", "never"], "not"),
    (&["forbidden", "prohibited", "disallowed", "blocked", "denied"], "forbidden"),
    (&["deny", "block", "forbid", "disallow", "prohibit", "prevent", "refuse", "ban"], "deny"),
    (&["need", "needs", "require", "required", "requires", "needed"], "requires"),
    (&["when", "while", "during", "whenever"], "if"),
    (&["followed", "leads", "triggers", "causes", "implies"], "then"),
    (&["approval", "confirmation", "approve", "confirm", "approved", "confirmed", "permission"], "approval"),
    (&["ask", "asks", "asking", "prompt"], "ask"),
    (&["user", "human", "person", "someone", "operator"], "user"),
    (&["max", "maximum"], "max"),
    (&["times", "time", "x"], "times"),
    (&["finally", "later", "afterwards", "eventually"], "eventually"),
    (&["preceded", "depends"], "preceded"),
    (&["finish", "finishing", "stop", "stopping", "ending", "ends", "end"], "end"),
    (&["one", "single", "1"], "1"),
    (&["two", "twice", "2"], "2"),
    (&["three", "thrice", "3"], "3"),
];

/// Sentences as words, with the pattern that they mean for actions and, where it differs, for propositions. `A` and `B` are
/// names in the order in which they occur, `N` is a number, `T` a time.
const SHAPES: &[(&[&str], &[&str])] = &[
    (
        &[
            "A only after B",
            "A after B",
            "A requires B",
            "A requires B first",
            "A preceded B",
            "A preceded on B",
            "A only if B",
            "not A without B",
            "A not without B",
            "not A unless B",
            "A forbidden unless B",
            "not A until B",
            "A not until B",
            "A forbidden until B",
            "A unless B not",
            "not A if not B",
            "only A after B",
            "only A if B",
            "only A once B",
            "deny A unless B",
            "deny A without B",
            "deny A until B",
        ],
        &["A requires B before", "never A unless B"],
    ),
    (
        &[
            "A before B",
            "A precedes B",
            "A first then B",
            "A comes before B",
            "A needed before B",
            "A requires before B",
            "before B A",
        ],
        &["B requires A before"],
    ),
    (&["before A B", "before A B first", "without B not A", "before A requires B"], &["A requires B before"]),
    (
        &["not A before B", "A not before B", "A forbidden before B", "deny A before B"],
        &["A requires B before"],
    ),
    (
        &[
            "A then B",
            "if A then B",
            "if A then eventually B",
            "A then eventually B",
            "A eventually B",
            "after A B",
            "after A eventually B",
            "after A B eventually",
            "after A then B",
            "if A B",
            "if A B eventually",
            "if A eventually B",
            "once A B",
        ],
        &["A then B eventually"],
    ),
    (
        &["not A after B", "A not after B", "A forbidden after B", "deny A after B", "not A once B"],
        &["B forbids A after"],
    ),
    (&["after A not B", "once A not B", "after A B forbidden", "after A deny B"], &["A forbids B after"]),
    (
        &[
            "A at most once",
            "A once",
            "A only once",
            "at most once A",
            "A not more than once",
            "only once A",
            "A once per session",
            "A at most once per session",
            "A only once per session",
        ],
        &["at most 1 A"],
    ),
    (
        &["A at most once per T", "A once per T", "A only once per T", "A not more than once per T"],
        &["at most 1 A per T"],
    ),
    (
        &[
            "A at most N times",
            "A at most N",
            "not more than N A",
            "not A more than N times",
            "A not more than N times",
            "A not more than N",
            "max N A",
            "max N times A",
            "A max N",
            "A max N times",
            "only N A",
            "A only N",
            "A only N times",
            "A N times",
            "A N",
            "limit A N",
            "limit A N times",
            "up N A",
            "A up N times",
            "at most N A",
            "at most N times A",
            "N A",
            "A at most N per session",
            "at most N A per session",
            "at most N A session",
            "A at most N times per session",
            "max N A per session",
            "A max N per session",
            "A only N per session",
        ],
        &["at most N A"],
    ),
    (
        &[
            "A at most N times per T",
            "A at most N per T",
            "not more than N A per T",
            "max N A per T",
            "A max N per T",
            "A N per T",
            "A N times per T",
            "N A per T",
            "limit A N per T",
            "A max N times per T",
            "at most N A per T",
            "A not more than N times per T",
            "A not more than N per T",
            "up N A per T",
        ],
        &["at most N A per T"],
    ),
    (&["not A", "A not", "A forbidden", "deny A", "A deny"], &["never A"]),
    (
        &["not A if B", "A not if B", "A forbidden if B", "if B not A", "deny A if B", "if B deny A"],
        &["B forbids A after", "never A while B"],
    ),
    (&["if A B forbidden", "if A not B", "if A deny B"], &["A forbids B after", "never B while A"]),
    (
        &[
            "ask A",
            "ask before A",
            "ask user before A",
            "ask if A",
            "user approval before A",
            "A requires approval",
            "A requires user approval",
            "A requires approval user",
            "A only approval",
            "A only approval user",
            "approval A",
            "approval before A",
            "not A without approval",
            "not A without user approval",
            "not A without ask",
            "not A without asking user",
            "user ask before A",
            "user approval A",
            "A approval",
            "not A without ask user",
            "A only after approval",
            "A only after user approval",
            "A only if approval",
            "A only if approval user",
        ],
        &["ask before each A"],
    ),
    (
        &[
            "end requires A",
            "A before end",
            "A at end",
            "end A",
            "not end without A",
            "session end A",
            "requires A before end",
            "not end before A",
            "end only after A",
            "before end A",
        ],
        &["end requires A"],
    ),
];

/// Reads a rule. A, B and C are names of actions (`a`, `a.ok`, `a.failed`, `a.unknown`) or propositions, or Boolean
/// combinations of them with `!  &  |` (or `not and or` between parentheses).
///
/// # Errors
/// If the text is not a pattern, uses an unknown name, or a name of a kind that is not allowed in its position.
pub fn read_pattern(text: &str, names: &PolicyNames) -> Result<LawPattern, Refused> {
    parse_pattern(text, names).map_err(|refused| match rephrased(text, names) {
        Some((rule, pattern)) => Refused { hints: Vec::new(), ..refused }
            .hint(format!("did you mean `{rule}`? It says: {}", pattern.english())),
        None => refused,
    })
}

/// The pattern that a text in plain English probably means, in the syntax of patterns, with its meaning. It is a pattern of
/// these names.
fn rephrased(text: &str, names: &PolicyNames) -> Option<(String, LawPattern)> {
    let (words, own) = abstracted(text, names)?;
    let shape = words.join(" ");
    let (_, meant) = SHAPES.iter().find(|(shapes, _)| shapes.contains(&shape.as_str()))?;
    let read = |pattern: &&str| {
        let words: Vec<&str> = pattern.split(' ').map(|word| own.fill(word)).collect();
        let rule = words.join(" ");
        Some((rule.clone(), parse_pattern(&rule, names).ok()?))
    };
    // The last one is about propositions.
    let is_action = |name: &String| names.kind(name) != Some(NameKind::State);
    if own.names.iter().all(is_action) {
        meant.iter().find_map(read)
    } else {
        meant.iter().rev().find_map(read)
    }
}

/// What stands for the placeholders of a shape.
#[derive(Default)]
struct Placeholders {
    names: Vec<String>,
    number: Option<String>,
    time: Option<&'static str>,
}

impl Placeholders {
    fn fill<'w>(&'w self, word: &'w str) -> &'w str {
        match word {
            "A" => self.names.first().map_or(word, String::as_str),
            "B" => self.names.get(1).map_or(word, String::as_str),
            "N" => self.number.as_deref().unwrap_or(word),
            "T" => self.time.unwrap_or(word),
            _ => word,
        }
    }
    /// The word that stands for another one, which is no name.
    fn word(&mut self, word: &str) -> Option<String> {
        let same = SAME.iter().find(|(words, _)| words.contains(&word)).map_or(word, |&(_, same)| same);
        if !same.is_empty() && same.chars().all(|c| c.is_ascii_digit()) {
            if self.number.is_some() {
                return None;
            }
            self.number = Some(same.to_owned());
            return Some("N".to_owned());
        }
        let time = match same {
            "second" => Some("1s"),
            "minute" => Some("1min"),
            "hour" => Some("1h"),
            "day" => Some("day"),
            _ => None,
        };
        if time.is_some() {
            self.time = time;
            return Some("T".to_owned());
        }
        Some(same.to_owned())
    }
}

/// The words of a text with placeholders for names, numbers and times; `None` if it is too long or has too many of them.
fn abstracted(text: &str, names: &PolicyNames) -> Option<(Vec<String>, Placeholders)> {
    let mut own = Placeholders::default();
    let mut words: Vec<String> = Vec::new();
    let mut after_name = false;
    let parts: Vec<&str> = text.split_whitespace().take(LONGEST + 1).collect();
    if parts.len() > LONGEST {
        return None;
    }
    for part in parts {
        let part = part.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':' | '`' | '"' | '!'));
        let is_name = names.kind(part).is_some() || super::names::outcome(names, part).is_some();
        let lower = part.to_lowercase();
        if is_name {
            let at = own.names.iter().position(|name| name == part);
            let at = at.unwrap_or_else(|| {
                own.names.push(part.to_owned());
                own.names.len() - 1
            });
            words.push(["A", "B"].get(at)?.to_string());
            after_name = true;
            continue;
        }
        if let (true, Some(outcome)) = (after_name, outcome_word(&lower)) {
            let name = own.names.last_mut()?;
            if names.kind(name) == Some(NameKind::Action) {
                *name = format!("{name}.{outcome}");
            }
            continue;
        }
        if FILLERS.contains(&lower.as_str()) {
            continue;
        }
        after_name = false;
        words.push(own.word(&lower)?);
    }
    Some((words, own))
}

/// What a word says about the outcome of the call before it.
fn outcome_word(word: &str) -> Option<&'static str> {
    match word {
        "succeeded" | "succeeds" | "success" | "successful" | "successfully" | "passed" | "passes"
        | "pass" => Some("ok"),
        "failed" | "fails" | "fail" | "failing" => Some("failed"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn names() -> PolicyNames {
        let actions = ["deploy", "run_tests", "send_email", "git.push"].map(|name| (name, NameKind::Action));
        actions.into_iter().chain([("frozen", NameKind::State), ("end", NameKind::Action)]).take(5).collect()
    }

    #[test]
    fn sentences_have_the_pattern_that_they_mean() {
        let table = [
            ("deploy only after run_tests", "deploy requires run_tests before"),
            ("Deploy may only run after run_tests succeeded.", ""),
            ("deploy may only run after run_tests succeeded.", "deploy requires run_tests.ok before"),
            ("run_tests before deploy", "deploy requires run_tests before"),
            ("always run_tests before git.push", "git.push requires run_tests before"),
            ("do not deploy without run_tests", "deploy requires run_tests before"),
            ("never deploy before run_tests", "deploy requires run_tests before"),
            ("deploy must be preceded by run_tests", "deploy requires run_tests before"),
            ("deploy requires run_tests", "deploy requires run_tests before"),
            ("every deploy is followed by send_email", "deploy then send_email eventually"),
            ("after deploy, send_email eventually", "deploy then send_email eventually"),
            ("no deploy after send_email", "send_email forbids deploy after"),
            ("after `send_email` never `deploy`", "send_email forbids deploy after"),
            ("deploy at most once", "at most 1 deploy"),
            ("at most 2 deploy per session", "at most 2 deploy"),
            ("deploy no more than 3 times per hour", "at most 3 deploy per 1h"),
            ("don't deploy", "never deploy"),
            ("deploy is forbidden", "never deploy"),
            ("no deploy while frozen", "never deploy while frozen"),
            ("deploy only if frozen", "never deploy unless frozen"),
            ("if run_tests failed, never deploy", "run_tests.failed forbids deploy after"),
            ("deploy needs approval", "ask before each deploy"),
            ("always ask the user before deploy", "ask before each deploy"),
            ("do not finish without run_tests", "end requires run_tests"),
            ("deploy and send_email and run_tests", ""),
            ("deploy whatever happens", ""),
            ("deploy", ""),
        ];
        for (text, expected) in table {
            let found = rephrased(text, &names()).map(|(rule, _)| rule).unwrap_or_default();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn every_shape_has_a_pattern_and_no_two_rows_share_one() {
        let mut seen = std::collections::BTreeSet::new();
        for (shapes, meant) in SHAPES {
            let own = Placeholders {
                names: vec!["deploy".into(), "run_tests".into()],
                number: Some("2".into()),
                time: Some("1h"),
            };
            let reads = |pattern: &&&str| {
                let rule: Vec<&str> = pattern.split(' ').map(|word| own.fill(word)).collect();
                read_pattern(&rule.join(" "), &names()).is_ok()
            };
            assert!(meant.iter().any(|pattern| reads(&pattern)), "{meant:?}");
            for shape in *shapes {
                assert!(seen.insert(*shape), "{shape} stands twice");
            }
        }
    }
}
