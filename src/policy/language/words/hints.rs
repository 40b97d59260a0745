//! Errors about names and words of rules that mean nothing, with what was probably meant.

use super::names::{ACT, NameKind, OUTCOMES, PolicyNames};
use super::pattern::PATTERNS;
use super::refused::Refused;
use crate::language::vocabulary::{VOCABULARIES, vocabulary};
use std::ops::Range;
use tsl_synth_core::diag::Code;
use tsl_synth_ltl::spelling::nearest;

/// Words that people write in place of those of the patterns, and the pattern that they mean.
const MEANT: &[(&[&str], &str)] = &[
    (
        &[
            "no", "dont", "don't", "not", "deny", "disallow", "block", "forbid", "prohibit", "prevent",
            "refuse",
        ],
        "`never A` refuses each call of `A`",
    ),
    (
        &["approve", "confirm", "approval", "confirmation", "prompt", "require", "requires"],
        "`ask before each A` asks a person, `A requires B before` refuses",
    ),
    (&["max", "maximum", "limit", "only"], "`at most N A` limits calls, `at most N A per 60s` their rate"),
    (
        &["always", "must", "every", "each", "after"],
        "`A requires B before`, `A then B eventually`, `end requires B`",
    ),
];

/// Words that people write for the outcomes of calls.
const OUTCOME_WORDS: &[(&[&str], &str)] = &[
    (&["passed", "pass", "succeeded", "success", "successful", "done", "true"], "ok"),
    (&["error", "errored", "failure", "failing", "rejected", "false"], "failed"),
];

/// An error about a name that no table declares.
pub(super) fn unknown_name(name: &str, range: Range<usize>, names: &PolicyNames) -> Refused {
    if let Some((base, suffix)) = name.rsplit_once('.')
        && let Some(kind) = names.kind(base)
    {
        let message = if kind == NameKind::Action {
            format!("`{suffix}` is no outcome of an action: the outcomes are `ok`, `failed` and `unknown`")
        } else {
            format!("`{base}` is a proposition, and only actions have outcomes")
        };
        let refused = Refused::new(Code::RULE_NAME, range, message);
        let begins = OUTCOMES
            .into_iter()
            .find(|outcome| suffix.len() > 1 && (outcome.starts_with(suffix) || suffix.starts_with(outcome)));
        let meant =
            OUTCOME_WORDS.iter().find(|(words, _)| words.contains(&suffix)).map(|&(_, outcome)| outcome);
        return match meant.or(begins).or_else(|| nearest(suffix, OUTCOMES)) {
            Some(outcome) if kind == NameKind::Action => {
                refused.hint(format!("did you mean `{base}.{outcome}`?"))
            }
            _ => refused,
        };
    }
    let refused = Refused::new(Code::RULE_NAME, range, format!("there is no action or proposition `{name}`"));
    refused.hint(match names.nearest(name) {
        Some(near) => format!("did you mean `{near}`?"),
        None if name == ACT => "the policy has no actions".to_owned(),
        None => hint_for(name, names),
    })
}

/// A hint about a name that resembles no declared one.
fn hint_for(name: &str, names: &PolicyNames) -> String {
    if let Some(word) = vocabulary_word(name) {
        return format!("`{word}` is a word of the vocabularies: `use = [\"{word}\"]` declares it");
    }
    let quoted = |all: &[&str]| all.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let longer: Vec<&str> = names.below(name).take(4).collect();
    if !longer.is_empty() {
        return format!("did you mean {}?", quoted(&longer));
    }
    if let Some((_, meant)) =
        MEANT.iter().find(|(words, _)| words.contains(&name.to_ascii_lowercase().as_str()))
    {
        return (*meant).to_owned();
    }
    if matches!(name, "G" | "F" | "X" | "U" | "W" | "R" | "M" | "H" | "O" | "Y" | "S" | "Z" | "T") {
        return format!(
            "`{name}` is an operator of formulas, which stand in `ltl`: `{{ ltl = \"G (A -> O B)\" }}`"
        );
    }
    let prefix = format!("{name}.");
    let words = VOCABULARIES.iter().map(|own| own.name).filter(|own| own.starts_with(&prefix));
    let words: Vec<&str> = words.collect();
    if !words.is_empty() {
        return format!(
            "words of the vocabularies that begin so are {}: `use = [..]` declares them",
            quoted(&words)
        );
    }
    "`[[match]]` with `on = \"call\"`, `tool` and `action` makes calls of a tool an action; `use` brings actions with their \
     tables, and `[propositions]` names propositions"
        .to_owned()
}

/// The word of the vocabularies that a name is, or has an outcome of.
fn vocabulary_word(name: &str) -> Option<&str> {
    let without_outcome =
        OUTCOMES.into_iter().find_map(|outcome| name.strip_suffix(outcome)?.strip_suffix('.'));
    [Some(name), without_outcome].into_iter().flatten().find(|word| vocabulary(word).is_some())
}

/// A hint: the pattern that a wrong word suggests, or the forms of all patterns.
pub(super) fn forms(word: &str) -> String {
    let meant = match word {
        "require" | "needs" | "need" | "after" => Some("A requires B before"),
        "forbid" | "blocks" | "bans" | "prevents" => Some("B forbids A after"),
        "when" | "until" | "if" | "while" => Some("never A while P"),
        "leads" | "eventually" | "triggers" | "implies" => Some("A then B eventually"),
        "immediately" | "directly" | "next" => Some("A then B immediately"),
        "before" => Some("B requires A before"),
        "between" => Some("A only between B and C"),
        _ => None,
    };
    if let Some(form) = meant {
        return format!("a pattern near this is `{form}`");
    }
    let all: Vec<String> = PATTERNS.iter().map(|pattern| format!("`{}`", pattern.form)).collect();
    format!("the patterns are {}", all.join(", "))
}
