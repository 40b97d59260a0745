//! `policy ask`: whether the laws of a policy permit or require something, with a session that shows it or the laws that
//! exclude it (the query of a person to a safety chip, Yang, Raman, Shah and Tellex 2023).

use super::super::{Failure, Input, VERSION};
use super::critic::is_json;
use crate::Session;
use std::collections::BTreeSet;
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{EditKind, LawEdit};
use tsl_synth_documents::PolicyAskDocument;
use tsl_synth_policy::analysis::{AnalysisFrame, SessionSearch, find_session};
use tsl_synth_policy::language::words::{LawTree, QuestionKind, english, read_question};
use tsl_synth_policy::language::{LawAtom, LawId, LawKind, OnViolation, names_of};
use tsl_synth_policy::policy_text::edit_law;
use tsl_synth_policy::{CompiledPolicy, language::Policy};

/// Asks what the laws of a policy say.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AskRequest {
    /// The policy.
    pub policy: Input,
    /// The question in English, or a formula that is asked to hold always.
    pub question: String,
    /// Whether the question is a formula in LTL.
    pub is_formula: bool,
}

impl AskRequest {
    /// Asks this question.
    pub fn new(policy: Input, question: String) -> Self {
        Self { policy, question, is_formula: false }
    }
}

/// The answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AskReport {
    /// The answer.
    pub document: PolicyAskDocument,
    /// Findings about the text of the policy.
    pub diagnostics: Diagnostics,
}

impl Session<'_> {
    /// Answers a question about the laws of a policy.
    ///
    /// # Errors
    /// Errors of the text of the policy, a question that cannot be read, or a limit.
    pub fn ask_policy(&mut self, request: &AskRequest) -> Result<AskReport, Failure> {
        self.deep(|session| session.ask_policy_here(request))
    }

    fn ask_policy_here(&mut self, request: &AskRequest) -> Result<AskReport, Failure> {
        let source = self.source(&request.policy)?;
        let text = self.sources.get(source).text.clone();
        let loaded = self.policy_here(&request.policy)?;
        let policy = &loaded.compiled.policy;
        let names = names_of(&policy.atoms);
        let question = self.sources.add("the question", &request.question);
        let (kind, law, registers) = if request.is_formula {
            let law = LawTree::read(&request.question, &names).map_err(|why| why.diagnostic(question, 0))?;
            (QuestionKind::Must, law, Vec::new())
        } else {
            let read = read_question(&request.question, &names).map_err(|why| why.diagnostic(question, 0))?;
            (read.kind, read.law, read.registers)
        };
        let shown = match kind {
            QuestionKind::May => "may",
            QuestionKind::Must => "must",
        };
        let mut document = PolicyAskDocument::new(VERSION, &request.policy.shown(), &request.question, shown);
        document.means = english(&law, &names);
        let written = if policy.strong_next { law.without_weak_next() } else { law };
        document.ltl = written.to_string();
        let diagnostics = loaded.diagnostics.clone();
        if let Some(register) = registers.first() {
            document.reason =
                Some(format!("questions about counts such as `{}` are not decided", register.name));
            return Ok(AskReport { document, diagnostics });
        }
        let id = (0..=policy.laws.len())
            .map(|n| format!("question-{n}"))
            .find(|id| policy.laws.iter().all(|law| law.id != *id))
            .unwrap_or_default();
        let edit =
            LawEdit { kind: EditKind::Add, id: id.clone(), ltl: document.ltl.clone(), why: String::new() };
        let text = edit_law(&text, is_json(&request.policy.shown(), &text), &edit)
            .map_err(|fault| Failure::internal(fault.0))?;
        let asked = self.policy_here(&Input::Text { name: request.policy.shown(), text })?;
        let compiled = &asked.compiled;
        let law = compiled.policy.laws.enumerate().find(|(_, law)| law.id == id).map(|(law, _)| law);
        let law = law.ok_or_else(|| Failure::internal("the law of the question is not in the policy"))?;
        let budget = self.budget();
        let mut frame = AnalysisFrame::new(compiled, &budget)?;
        frame.keep_truths_apart();
        let mut answer = Answer { frame, asked: law, document };
        match kind {
            QuestionKind::May => answer.may(&budget)?,
            QuestionKind::Must => answer.must(&budget)?,
        }
        Ok(AskReport { document: answer.document, diagnostics })
    }
}

struct Answer<'c> {
    frame: AnalysisFrame<'c>,
    asked: LawId,
    document: PolicyAskDocument,
}

impl Answer<'_> {
    fn policy(&self) -> &Policy {
        &self.frame.compiled.policy
    }

    /// The laws that are kept: assumptions, hard laws that deny, and if asked for those that ask a person and soft ones.
    fn kept(&self, asking: bool, soft: bool) -> Vec<LawId> {
        let laws = self.policy().laws.enumerate().filter(|(id, law)| {
            *id != self.asked
                && match (law.kind, law.on_violation) {
                    (LawKind::Assume, _) => true,
                    (_, OnViolation::Warn | OnViolation::Log) => false,
                    (LawKind::Soft, _) => soft,
                    (_, OnViolation::Ask) => asking,
                    (_, OnViolation::Deny) => true,
                }
        });
        laws.map(|(id, _)| id).collect()
    }

    fn ids(&self, laws: &[LawId]) -> Vec<String> {
        laws.iter().map(|&law| self.policy().laws[law].id.clone()).collect()
    }

    /// Whether some session does what is asked about: the laws that were kept grow weaker until there is one.
    fn may(&mut self, budget: &Budget) -> Result<(), Failure> {
        let (mut soft, mut approval): (Vec<LawId>, Vec<LawId>) = (Vec::new(), Vec::new());
        for (asking, with_soft) in [(true, true), (true, false), (false, false)] {
            let kept = self.kept(asking, with_soft);
            match find_session(&mut self.frame, &kept, (self.asked, false), budget)? {
                SessionSearch::Found(word) => {
                    (self.document.soft, self.document.approval) = (self.ids(&soft), self.ids(&approval));
                    self.found("yes", &word);
                    return Ok(());
                }
                SessionSearch::Excluded(core) => {
                    let laws = &self.frame.compiled.policy.laws;
                    if with_soft {
                        soft = core.iter().copied().filter(|&law| laws[law].kind == LawKind::Soft).collect();
                    } else if asking {
                        let asks = |law: &LawId| laws[*law].on_violation == OnViolation::Ask;
                        approval = core.iter().copied().filter(asks).collect();
                    } else {
                        self.excluded("no", &core, budget)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether every session that keeps the laws keeps what is asked about, and if so, whether a person may approve
    /// one that does not.
    fn must(&mut self, budget: &Budget) -> Result<(), Failure> {
        let has_asking = self.kept(true, false) != self.kept(false, false);
        for asking in [false, true] {
            let kept = self.kept(asking, false);
            match find_session(&mut self.frame, &kept, (self.asked, false), budget)? {
                SessionSearch::Found(_) if !asking && has_asking => {}
                SessionSearch::Found(word) => {
                    self.found("no", &word);
                    break;
                }
                SessionSearch::Excluded(core) => {
                    self.excluded("yes", &core, budget)?;
                    let laws = &self.frame.compiled.policy.laws;
                    let asks = |law: &LawId| laws[*law].on_violation == OnViolation::Ask;
                    let approval: Vec<LawId> = core.into_iter().filter(asks).collect();
                    self.document.approval = self.ids(&approval);
                    break;
                }
            }
        }
        Ok(())
    }

    fn excluded(&mut self, answer: &str, core: &[LawId], budget: &Budget) -> Result<(), Failure> {
        let other = find_session(&mut self.frame, core, (self.asked, true), budget)?;
        self.document.laws = self.ids(core);
        let names = core.iter().flat_map(|&law| &self.policy().laws[law].for_each);
        let names: BTreeSet<String> = names.cloned().collect();
        self.document.same_values = names.into_iter().collect();
        if matches!(other, SessionSearch::Excluded(_)) {
            self.document.reason = Some("no session at all keeps these laws".into());
        } else {
            self.document.answer = answer.into();
        }
        Ok(())
    }

    /// The answer that a session shows, if its counts are those that the session has.
    fn found(&mut self, answer: &str, word: &[Letter]) {
        if let Some(register) = uncounted(self.frame.compiled, word) {
            self.document.reason = Some(format!(
                "the answer depends on `{register}`, a count that this analysis does not track"
            ));
            return;
        }
        self.document.answer = answer.into();
        let atoms = &self.frame.compiled.policy.atoms;
        self.document.session = word.iter().map(|letter| atoms.letter_names(letter)).collect();
    }
}

/// A computed proposition whose value in a word is not certain. A count stays below its limit in words that are short
/// enough.
fn uncounted(compiled: &CompiledPolicy, word: &[Letter]) -> Option<String> {
    let policy = &compiled.policy;
    let is_certain = |register: &tsl_synth_policy::language::LawRegister| {
        let bit = policy.atoms.bit(LawAtom::Proposition(register.proposition));
        register.is_exact()
            && register.above >= word.len() as f64
            && word.iter().all(|letter| !letter.contains(bit))
    };
    let own =
        policy.registers.iter().find(|register| !is_certain(register) && is_read(compiled, register))?;
    Some(policy.atoms.propositions[own.proposition].name.clone())
}

/// Whether some law reads the proposition of a register.
fn is_read(compiled: &CompiledPolicy, register: &tsl_synth_policy::language::LawRegister) -> bool {
    let bit = compiled.policy.atoms.bit(LawAtom::Proposition(register.proposition));
    compiled.policy.laws.ids().any(|law| compiled.reads(law).contains(&bit))
}
