//! The data that the page of a trace compares with the actual run: the atoms of a cause, runs without the effect, and
//! the formulas that the page evaluates, in the terms of the machine that the page plays.

use super::{ExplainTraceReport, TraceAnswer};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, BitId, FormulaId, Lasso, Letter};
use tsl_synth_core::model::Cause;
use tsl_synth_documents::{
    CauseLetter, CauseValue, CauseWitness, PageMark, PageProperty, PageRun, PageWhatIf,
};
use tsl_synth_explain::cause::{CauseAnswer, input_name};
use tsl_synth_lang::spec::Problem;

/// An answered question about a trace, for a page.
#[derive(Clone, Debug)]
pub(super) struct WhatIf {
    found: TraceAnswer,
    properties: Vec<(&'static str, String, Option<FormulaId>)>,
    witnesses: Vec<CauseWitness>,
    ended: Option<usize>,
}

/// The atoms of a page by their names.
type Numbers<'a> = FxHashMap<&'a str, AtomId>;

impl WhatIf {
    /// The answer about a trace and this hypothesis; `ended` is the number of steps of a finite trace. `None` if the
    /// trace is not a play of the machine.
    pub(super) fn new(
        report: &ExplainTraceReport,
        hypothesis: Option<&str>,
        ended: Option<usize>,
    ) -> Option<Self> {
        let found = report.found.clone()?;
        let document = &report.document;
        let mut properties = vec![("effect", document.effect.clone(), found.effect)];
        if let (CauseAnswer::Cause(answer), Some(text)) = (&found.answer, &document.formula) {
            properties.push(("cause", text.clone(), answer.cause.formula));
        }
        let mut witnesses = Vec::new();
        if let (Some(text), Some(compared)) = (hypothesis, &document.hypothesis) {
            properties.push(("hypothesis", text.to_owned(), found.hypothesis));
            witnesses.clone_from(&compared.witnesses);
        }
        Some(Self { found, properties, witnesses, ended })
    }

    /// The answer over the atoms of the machine that a page plays. Formulas are added to `problem`, which is that of
    /// the machine; `None` if the answer has atoms that the machine does not have.
    pub(super) fn on(&self, problem: &mut Problem) -> Option<(PageWhatIf, Vec<Option<FormulaId>>)> {
        let found = &self.found;
        let numbers: Numbers<'_> =
            problem.alphabet.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        let known = |atom: AtomId| numbers.get(found.alphabet.atoms()[atom].name.as_str()).copied();
        if !found.alphabet.atoms().ids().all(|atom| known(atom).is_some()) {
            return None;
        }
        let mut properties = Vec::new();
        let mut watched = Vec::new();
        for (role, text, formula) in &self.properties {
            let image = formula.and_then(|f| {
                let atom = |formulas: &mut tsl_synth_core::logic::Formulas, atom| {
                    known(atom).map(|atom| formulas.atom(atom)).ok_or(())
                };
                problem.formulas.import(&found.formulas, f, atom).ok()
            });
            properties.push(PageProperty { role, text: text.clone(), formula: None });
            watched.push(image);
        }
        let mut runs = Vec::new();
        match &found.answer {
            CauseAnswer::Cause(answer) => {
                if let Some(other) = &answer.cause.counterfactual {
                    runs.push(run("Nearest counterfactual", &found.alphabet, &numbers, &other.play));
                }
            }
            CauseAnswer::NotDecided(other) => {
                runs.push(run("Other answers to the same inputs", &found.alphabet, &numbers, other));
            }
            _ => {}
        }
        runs.extend(self.witnesses.iter().map(|witness| witnessed(witness, &numbers)));
        let what_if = PageWhatIf {
            properties,
            free: found.alphabet.inputs().filter_map(known).map(Id::index).collect(),
            marks: match &found.answer {
                CauseAnswer::Cause(answer) => marks(&answer.cause, &found.alphabet, &numbers),
                _ => Vec::new(),
            },
            actual: run("Actual run", &found.alphabet, &numbers, &found.actual),
            runs,
            ended: self.ended,
            answers: found.is_machine,
        };
        Some((what_if, watched))
    }
}

fn run(text: &str, alphabet: &Alphabet, numbers: &Numbers<'_>, word: &Lasso) -> PageRun {
    let letter = |letter: &Letter| -> Vec<usize> {
        let atoms = alphabet.atoms().enumerate().filter(|&(id, _)| alphabet.holds(id, letter));
        atoms.filter_map(|(_, atom)| numbers.get(atom.name.as_str())).map(|atom| atom.index()).collect()
    };
    PageRun {
        text: text.into(),
        prefix: word.prefix.iter().map(letter).collect(),
        cycle: word.cycle.iter().map(letter).collect(),
        whole: true,
    }
}

/// An input sequence that distinguishes a hypothesis from the cause.
fn witnessed(witness: &CauseWitness, numbers: &Numbers<'_>) -> PageRun {
    let letter = |letter: &CauseLetter| -> Vec<usize> {
        let holding = letter.iter().filter(|(_, value)| matches!(value, CauseValue::Holds(true)));
        holding.filter_map(|(name, _)| numbers.get(name.as_str())).map(|atom| atom.index()).collect()
    };
    PageRun {
        text: witness.shows.clone(),
        prefix: witness.prefix.iter().map(letter).collect(),
        cycle: witness.cycle.iter().map(letter).collect(),
        whole: false,
    }
}

/// The events of a cause.
fn marks(cause: &Cause, alphabet: &Alphabet, numbers: &Numbers<'_>) -> Vec<PageMark> {
    let atom = |input: BitId| numbers.get(input_name(alphabet, input)).map(|atom| atom.index());
    let mut marks = Vec::new();
    let several = cause.recurring.iter().chain(cause.again.iter().flatten()).map(|event| (event, false));
    for (event, needed) in cause.necessary.iter().map(|event| (event, true)).chain(several) {
        let Some(atom) = atom(event.input) else { continue };
        let steps = event.steps.clone();
        marks.push(PageMark { atom, needed, prefix: steps.prefix, period: steps.period, every: steps.every });
    }
    for event in cause.alternatives.iter().flatten() {
        let Some(atom) = atom(event.input) else { continue };
        marks.push(PageMark { atom, needed: false, prefix: vec![event.step], period: Vec::new(), every: 1 });
    }
    marks
}
