//! Compares the explanation of a law with its formula. The agent is told the text, but the formula is enforced.
//!
//! If the text can be parsed as a sentence, its formula is compared with that of the law. Otherwise three differences
//! are searched for: a condition of the formula that the text does not mention, `and` in place of `or`, and a text that
//! only forbids while the formula requires something. Words are compared, not meanings: a synonym is a difference.

use super::explanation::{ExplanationKind, LawExplanation};
use super::ground::parts;
use super::meaning::{differ, owes};
use super::names::PolicyNames;
use super::sentence::read_sentence;
use super::tree::{LawTree, Temporal};
use std::collections::BTreeSet;
use tsl_synth_core::diag::{Code, Diagnostic};

/// A difference between the explanation of a law and its formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFlag {
    /// The atom that it is about, if it is about one.
    pub atom: Option<String>,
    /// What differs, as one sentence.
    pub reason: String,
}

impl TextFlag {
    fn new(reason: impl Into<String>) -> Self {
        Self { atom: None, reason: reason.into() }
    }
    fn about(atom: &str, reason: impl Into<String>) -> Self {
        Self { atom: Some(atom.to_owned()), reason: reason.into() }
    }
    /// As a warning about a law, without a span.
    pub fn diagnostic(&self, law: &str) -> Diagnostic {
        let message =
            format!("the explanation of the law `{law}` is not what its formula says: {}", self.reason);
        Diagnostic::warning(Code::TEXT_AND_FORMULA, message)
    }
}

/// The differences that were found between the explanation of a law and its formula. A text that is empty or in
/// parentheses explains nothing and is not compared.
pub fn text_against_formula(text: &str, law: &LawTree, names: &PolicyNames) -> Vec<TextFlag> {
    let Some(mut explanation) = LawExplanation::new(text) else { return Vec::new() };
    let read = read_as_sentence(text, law, names);
    let difference = read.as_ref().and_then(|read| compared(read, law));
    if read.is_some() && difference.is_none() {
        return Vec::new();
    }
    let mut flags = Vec::new();
    if explanation.forbids() && owes(law) {
        flags.push(TextFlag::new(
            "the text only forbids, and the formula asks for something: it is not kept by a run that does nothing",
        ));
    }
    if let Some(reason) = difference {
        flags.push(TextFlag::new(reason));
        return flags;
    }
    let mut vocabulary: Vec<String> = names.iter().map(|(name, _)| name.to_string()).collect();
    vocabulary.extend(law.atoms().iter().map(ToString::to_string));
    vocabulary.sort();
    vocabulary.dedup();
    let vocabulary: Vec<&str> = vocabulary.iter().map(String::as_str).collect();
    if !restates(&explanation, law, &vocabulary) {
        return flags;
    }
    if let Some((given, then)) = step(law) {
        for action in then.atoms() {
            explanation.learn(&action, &vocabulary);
        }
        flags.extend(unmentioned(&explanation, &given.atoms(), &vocabulary));
        flags.extend(signs(&explanation, given));
        flags.extend(acts(&explanation, then));
    } else {
        let atoms: Vec<_> = law.atoms().into_iter().filter(|atom| !explanation.acts(atom)).collect();
        flags.extend(unmentioned(&explanation, &atoms, &vocabulary));
    }
    flags
}

/// The same for texts that need not restate the law, because they speak of commands and tools: only a text that is read
/// as a sentence is compared.
pub fn sentence_against_formula(text: &str, law: &LawTree, names: &PolicyNames) -> Option<TextFlag> {
    LawExplanation::new(text)?;
    let read = read_as_sentence(text, law, names)?;
    if !says_more_than_names(text, &read, law) {
        return None;
    }
    compared(&read, law).map(TextFlag::new)
}

/// Whether a text that is read as a law speaks of all that the law is about, and says more of it than the names: `Test.` and
/// `Always test first.` are reasons for `push requires test before`, and do not restate it.
fn says_more_than_names(text: &str, read: &LawTree, law: &LawTree) -> bool {
    let subjects = |law: &LawTree| -> BTreeSet<String> {
        let outcomes = [".ok", ".failed", ".unknown"];
        let plain =
            |name: &str| outcomes.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).to_owned();
        law.atoms().iter().map(|atom| plain(atom)).collect()
    };
    let named = subjects(read);
    let words = text.split_whitespace().count();
    let of_names: usize = named.iter().map(|name| parts(name).len()).sum();
    subjects(law).is_subset(&named) && words > of_names
}

/// The law that a text says, if it is read as a sentence.
fn read_as_sentence(text: &str, law: &LawTree, names: &PolicyNames) -> Option<LawTree> {
    let read = read_sentence(text, names).ok()?;
    (read.registers.is_empty() && read.law.is_boolean() == law.is_boolean()).then_some(read.law)
}

/// Whether a text seems to restate the law and not to justify it: it mentions half of the names or more.
fn restates(explanation: &LawExplanation, law: &LawTree, vocabulary: &[&str]) -> bool {
    let atoms = law.atoms();
    let said = atoms.iter().filter(|atom| explanation.acts(atom) || explanation.mentions(atom, vocabulary));
    let said = said.count();
    // Exactly half is enough for laws of the form [`step`], which explanations usually restate part by part.
    if step(law).is_some() { said * 2 >= atoms.len() } else { said * 2 > atoms.len() }
}

/// `s` and `a` of `G(s -> X a)` or `G(s -> a)`.
fn step(law: &LawTree) -> Option<(&LawTree, &LawTree)> {
    let LawTree::Unary(Temporal::Globally, body) = law else { return None };
    let LawTree::Implies(given, then) = &**body else { return None };
    let then = match &**then {
        LawTree::Unary(Temporal::Next, then) => then,
        then => then,
    };
    (given.is_boolean() && then.is_boolean()).then_some((given, then))
}

/// How the formula `read` from a text and the formula of the law differ. A condition one step earlier than in the text
/// is no difference, since a policy may choose actions before it sees the rest of the letter.
fn compared(read: &LawTree, law: &LawTree) -> Option<String> {
    let undelayed =
        step(law).map(|(given, then)| LawTree::globally(LawTree::implies(given.clone(), then.clone())));
    let (only_text, only_formula) = differ(read, law);
    if !(only_text || only_formula) || undelayed.is_some_and(|law| differ(read, &law) == (false, false)) {
        return None;
    }
    let difference = match (only_text, only_formula) {
        (true, false) => "the formula forbids more than the text",
        (false, _) => "the formula allows what the text forbids",
        (true, true) => "each forbids something that the other allows",
    };
    Some(format!("{difference}; the text is read as `{read}`"))
}

/// Conditions that the text does not mention.
fn unmentioned(
    explanation: &LawExplanation,
    atoms: &[std::sync::Arc<str>],
    vocabulary: &[&str],
) -> Vec<TextFlag> {
    if explanation.speaks_of_all() {
        return Vec::new();
    }
    let missing = atoms.iter().filter(|atom| !explanation.mentions(atom, vocabulary));
    missing
        .map(|atom| {
            let reason = format!("the formula depends on `{atom}`, and the text does not mention it");
            TextFlag::about(atom, reason)
        })
        .collect()
}

/// Compares `and` and `or`: `do not A unless P and Q` means that A needs both.
fn signs(explanation: &LawExplanation, given: &LawTree) -> Option<TextFlag> {
    if explanation.kind != ExplanationKind::Unless || !explanation.forbids() {
        return None;
    }
    let atoms = given.atoms();
    let all: Vec<&str> = atoms.iter().map(|atom| &**atom).collect();
    let (conjunction, parts) = explanation.sign(&all)?;
    let parts: Vec<LawTree> = parts.into_iter().map(LawTree::atom).collect();
    let lifted = if conjunction { LawTree::all(parts) } else { LawTree::any(parts) };
    if differ(&LawTree::negate(lifted.clone()), given) == (false, false) {
        return None;
    }
    let said = if conjunction { "all of" } else { "one of" };
    Some(TextFlag::new(format!(
        "the text lifts the ban only with {said} `{}`, and the formula with `{}`",
        list(&lifted),
        LawTree::negate(given.clone())
    )))
}

fn list(law: &LawTree) -> String {
    law.atoms().iter().map(ToString::to_string).collect::<Vec<_>>().join("`, `")
}

/// Differences between the text and the right side of the formula's implication: they name different actions, or one
/// forbids an action that the other requires.
fn acts(explanation: &LawExplanation, then: &LawTree) -> Vec<TextFlag> {
    let mut flags = Vec::new();
    let actions = then.atoms();
    if actions.is_empty() {
        return flags;
    }
    if !actions.iter().any(|action| explanation.acts(action)) {
        let reason = format!("the formula is about `{}`, and the text does not mention it", list(then));
        return vec![TextFlag::about(&actions[0], reason)];
    }
    // A consequence that holds if no action occurs is a ban.
    let none: Vec<u64> = vec![0];
    let bans = super::meaning::keeps(then, &actions, &none);
    if bans != explanation.forbids() {
        let reason = if bans {
            "the formula only forbids, and the text asks for something"
        } else {
            "the text forbids, and the formula asks for an action"
        };
        flags.push(TextFlag::new(reason));
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::words::NameKind;

    #[test]
    fn reasons_are_no_restatements() {
        let names: PolicyNames =
            [("deploy", NameKind::Action), ("test", NameKind::Action), ("git.push", NameKind::Action)]
                .into_iter()
                .collect();
        for (text, law, is_flagged) in [
            ("deploy", "G !deploy", false),
            ("Git push.", "G !git.push", false),
            ("Test.", "G (git.push -> O test.ok)", false),
            ("Always test first.", "G (git.push -> O test.ok)", false),
            ("Never deploy.", "G !deploy", false),
            ("Never deploy.", "G (deploy -> O test.ok)", false),
            // Sentences about all that the law is about.
            ("Always deploy.", "G !deploy", true),
            ("Deploy after test.", "G (deploy -> X G !test)", true),
        ] {
            let law = LawTree::read(law, &names).unwrap_or_else(|_| panic!("{law}"));
            let flag = sentence_against_formula(text, &law, &names);
            assert_eq!(flag.is_some(), is_flagged, "{text} {law}: {flag:?}");
        }
    }
}
