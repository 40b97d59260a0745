//! `check POLICY --from-nl`: translates sentences to laws over the names of a policy, and the laws back to sentences.

use super::super::{Failure, Input, VERSION};
use crate::Session;
use tsl_synth_agents::from_nl::{NotTranslated, Translation, from_nl};
use tsl_synth_agents::{Log, NoOracle, Oracle};
use tsl_synth_core::diag::{Diagnostic, Diagnostics};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{
    CheckDiagnostic, PatternEntry, PatternsDocument, PolicyRegister, PolicySentence, PolicySentencesDocument,
};
use tsl_synth_policy::language::words::{
    CountRequest, PatternRow, PolicyNames, english, pattern_table, sentences,
};
use tsl_synth_policy::language::{Policy, names_of};

/// Asks what sentences mean.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SentencesRequest {
    /// The policy whose names they use.
    pub policy: Input,
    /// Texts: one or more sentences in a line.
    pub texts: Vec<String>,
    /// The number of attempts for one question to a model.
    pub attempts: u32,
}

impl SentencesRequest {
    /// Asks what these texts mean.
    pub fn new(policy: Input, texts: Vec<String>) -> Self {
        Self { policy, texts, attempts: 3 }
    }
}

/// The translation of a sentence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LawOfSentence {
    /// A name for the law: `nl-1`.
    pub id: String,
    /// The sentence.
    pub sentence: String,
    /// The law; empty if the sentence is not translated.
    pub ltl: String,
    /// The law translated back to a sentence.
    pub means: String,
    /// Registers that it needs.
    pub registers: Vec<CountRequest>,
    /// The chosen readings of ambiguous parts, and the remarks of a model.
    pub notes: Vec<String>,
    /// Whether a model translated it.
    pub by_model: bool,
}

/// The translations of sentences.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SentencesReport {
    /// The name of the policy's text.
    pub name: String,
    /// One for each sentence, in order.
    pub laws: Vec<LawOfSentence>,
    /// Findings: an error for each sentence that is not translated.
    pub diagnostics: Diagnostics,
}

impl Session<'_> {
    /// Translates sentences to laws over the names of a policy. Sentences that no built-in pattern matches are given to
    /// the oracle, if there is one.
    ///
    /// # Errors
    /// Errors of the policy. A sentence that is not translated is an error among the findings of the report.
    pub fn sentences(
        &mut self,
        request: &SentencesRequest,
        mut oracle: Option<&mut dyn Oracle>,
        log: &mut dyn Log,
    ) -> Result<SentencesReport, Failure> {
        let loaded = self.policy(&request.policy)?;
        let policy = &loaded.compiled.policy;
        let names = names_of(&policy.atoms);
        let mut report = SentencesReport { name: request.policy.shown(), ..SentencesReport::default() };
        let lines = request.texts.iter().flat_map(|text| text.lines()).map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            for sentence in sentences(line) {
                let id = format!("nl-{}", report.laws.len() + 1);
                let read = match &mut oracle {
                    Some(oracle) => from_nl(sentence, &names, *oracle, log, request.attempts),
                    None => from_nl(sentence, &names, &mut NoOracle, log, 1),
                };
                let read = read.map_err(|why| reported(why, oracle.is_some()));
                let (law, error) = law(id, sentence, read, policy, &names);
                report.laws.push(law);
                if let Some(error) = error {
                    report.diagnostics.push(error);
                }
            }
        }
        Ok(report)
    }
}

/// The diagnostic for a sentence that is not translated: without an oracle, the error of the built-in patterns.
fn reported(why: NotTranslated, was_asked: bool) -> Diagnostic {
    match why {
        NotTranslated::Model { sentence, refused, .. } if !was_asked => {
            let message = format!("`{sentence}` is not read: {}", refused.message);
            refused
                .hints
                .iter()
                .fold(Diagnostic::error(refused.code, message), |error, hint| error.hint(hint.clone()))
        }
        why => why.diagnostic(),
    }
}

/// The law of a sentence in the notation of the policy, or the diagnostic if there is none.
fn law(
    id: String,
    sentence: &str,
    read: Result<Translation, Diagnostic>,
    policy: &Policy,
    names: &PolicyNames,
) -> (LawOfSentence, Option<Diagnostic>) {
    let mut law = LawOfSentence {
        id,
        sentence: sentence.to_string(),
        ltl: String::new(),
        means: String::new(),
        registers: Vec::new(),
        notes: Vec::new(),
        by_model: false,
    };
    match read {
        Ok(read) => {
            let written = if policy.strong_next { read.law.without_weak_next() } else { read.law.clone() };
            law.ltl = written.to_string();
            law.means = english(&read.law, names);
            law.by_model = read.by_model > 0;
            (law.registers, law.notes) = (read.registers, read.notes);
            (law, None)
        }
        Err(error) => (law, Some(error)),
    }
}

/// A register in the form of documents.
fn register(one: &CountRequest) -> PolicyRegister {
    PolicyRegister {
        name: one.name.clone(),
        on: one.on.to_string(),
        above: one.above,
        reset_on: one.reset_on.as_ref().map(ToString::to_string),
        window: one.window.as_ref().map(|window| window.text.clone()),
        over_sessions: one.window.as_ref().is_some_and(|window| window.is_over_sessions),
        distinct: one.distinct.clone(),
    }
}

/// The document of `schema pattern`: the named patterns of rules and what they mean.
pub fn patterns_document() -> PatternsDocument {
    let entry = |row: PatternRow| PatternEntry {
        name: row.form.name.into(),
        form: row.form.form.into(),
        example: row.form.example.into(),
        ltl: row.ltl,
        sentence: row.english,
        register: row.register.as_ref().map(register),
    };
    PatternsDocument::new(VERSION, pattern_table().into_iter().map(entry).collect())
}

impl SentencesReport {
    /// Whether every sentence is translated.
    pub fn is_whole(&self) -> bool {
        !self.diagnostics.has_errors()
    }
    /// The document of `check --from-nl --format json`.
    pub fn document(&self, sources: &SourceMap) -> PolicySentencesDocument {
        let law = |law: &LawOfSentence| PolicySentence {
            id: law.id.clone(),
            sentence: law.sentence.clone(),
            ltl: (!law.ltl.is_empty()).then(|| law.ltl.clone()),
            means: (!law.means.is_empty()).then(|| law.means.clone()),
            registers: law.registers.iter().map(register).collect(),
            notes: law.notes.clone(),
            by_model: law.by_model,
        };
        let laws = self.laws.iter().map(law).collect();
        let found = self.diagnostics.iter().map(|one| CheckDiagnostic::new(sources, one)).collect();
        PolicySentencesDocument::new(VERSION, &self.name, laws, found)
    }
}
