//! `explain POLICY`: each law in English, with a shortest word that it accepts and a shortest word that it rejects.

use super::super::{Failure, Input};
use crate::Session;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::Letter;
use tsl_synth_policy::language::words::{LawTree, Temporal, english, read_pattern};
use tsl_synth_policy::language::{LawId, LawKind, names_of};
use tsl_synth_policy::{CompiledPolicy, shortest_example};

/// A word: for each letter the names that are true in it.
pub type ExampleWord = Vec<Vec<String>>;

/// A law in words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LawInWords {
    /// Its name.
    pub id: String,
    /// Whether it is hard, soft, or an assumption about the world.
    pub kind: LawKind,
    /// The variables for whose values the law has copies.
    pub for_each: Vec<String>,
    /// The law as an English sentence.
    pub sentence: String,
    /// The formula.
    pub ltl: String,
    /// The explanation of its author.
    pub why: String,
    /// A shortest word that it accepts.
    pub accepted: Option<ExampleWord>,
    /// A shortest word that it rejects.
    pub rejected: Option<ExampleWord>,
    /// `never A`, if it says only that something never happens.
    pub never: Option<String>,
}

/// A policy in words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyInWords {
    /// The name of the policy.
    pub name: String,
    /// The laws, in the order of the text.
    pub laws: Vec<LawInWords>,
    /// Findings about the text.
    pub diagnostics: Diagnostics,
}

impl Session<'_> {
    /// Puts the laws of a policy into words.
    ///
    /// # Errors
    /// Errors of the text, or a limit on the monitor of a law.
    pub fn explain_policy(&mut self, input: &Input) -> Result<PolicyInWords, Failure> {
        self.deep(|session| {
            let loaded = session.policy_here(input)?;
            let laws = laws_in_words(&loaded.compiled);
            let name = loaded.compiled.policy.name.clone();
            Ok(PolicyInWords { name, laws, diagnostics: loaded.diagnostics })
        })
    }
}

/// The laws of a policy in words.
pub(crate) fn laws_in_words(compiled: &CompiledPolicy) -> Vec<LawInWords> {
    let names = names_of(&compiled.policy.atoms);
    let is_strong = compiled.policy.strong_next;
    let mut laws = Vec::new();
    for (id, law) in compiled.policy.laws.enumerate() {
        let pattern = law.pattern().and_then(|rule| read_pattern(rule, &names).ok());
        // A law past the limits of sentences is shown as its formula.
        let in_words = || {
            LawTree::read(&law.ltl, &names)
                .map(|tree| if is_strong { tree.with_strong_next() } else { tree })
                .map_or_else(|_| law.ltl.clone(), |tree| english(&tree, &names))
        };
        let mut sentence = pattern.map_or_else(in_words, |pattern| pattern.english());
        if !law.for_each.is_empty() && compiled.reads_count(id) && !law.is_value_limit {
            sentence += " (counted over all values together)";
        }
        laws.push(LawInWords {
            id: law.id.clone(),
            kind: law.kind,
            for_each: law.for_each.clone(),
            sentence,
            ltl: law.ltl.clone(),
            why: law.why.clone(),
            accepted: example(compiled, id, true),
            rejected: example(compiled, id, false),
            never: LawTree::read(&law.ltl, &names).ok().as_ref().and_then(never),
        });
    }
    laws
}

/// `never A` for `G !A`.
fn never(law: &LawTree) -> Option<String> {
    let LawTree::Unary(Temporal::Globally, body) = law else { return None };
    match &**body {
        LawTree::Not(forbidden) if forbidden.is_boolean() => Some(format!("never {forbidden}")),
        _ => None,
    }
}

fn example(compiled: &CompiledPolicy, law: LawId, accepted: bool) -> Option<ExampleWord> {
    let names = |letter: &Letter| compiled.policy.atoms.letter_names(letter);
    shortest_example(compiled, law, accepted).map(|word| word.iter().map(names).collect())
}
