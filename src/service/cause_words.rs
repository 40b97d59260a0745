//! Causes in words: parts of the document of `explain TRACE`.

use super::tuning::READABLE_FACT;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomKind, FormulaId, Formulas, Lasso, Node, Player};
use tsl_synth_core::model::NecessaryEvent;
use tsl_synth_documents::{
    CauseCounterfactual, CauseDocument, CauseEvent, CauseEvents, CauseHypothesis, CauseVerdict, CauseWitness,
    cause_word,
};
use tsl_synth_engine::mealy::Deviation;
use tsl_synth_explain::cause::hypothesis::{HypothesisComparison, HypothesisVerdict};
use tsl_synth_explain::cause::{CauseAnswer, Closed, ExactCause, event_text, input_name, sentence};

/// The document of an answer, without the parts that a request asks for in addition.
pub(super) fn document(
    alphabet: &Alphabet,
    formulas: &Formulas,
    answer: &CauseAnswer,
    effect: &str,
    machine: &str,
) -> CauseDocument {
    let verdict = match answer {
        CauseAnswer::NoEffect => CauseVerdict::NoEffect,
        CauseAnswer::NotDecided(_) => CauseVerdict::NoCause,
        CauseAnswer::Inevitable => CauseVerdict::Inevitable,
        CauseAnswer::Cause(_) => CauseVerdict::Cause,
    };
    let reported = sentence(alphabet, formulas, effect, answer);
    let mut document = CauseDocument::new(super::VERSION, verdict, reported, effect, machine);
    let CauseAnswer::Cause(found) = answer else {
        if let CauseAnswer::NotDecided(other) = answer {
            let (prefix, cycle) = cause_word(alphabet, other, true);
            let (flips, flips_per_round) = (Vec::new(), Vec::new());
            document.counterfactual = Some(CauseCounterfactual { prefix, cycle, flips, flips_per_round });
        }
        return document;
    };
    let cause = &found.cause;
    document.exact = found.exact || cause.formula.is_some();
    document.formula = cause.formula.map(|f| formulas.display_by_time(f, alphabet));
    document.formula_kind = cause.formula.map(|_| "ltl".into());
    document.necessary = cause.necessary.iter().map(|e| CauseEvents::new(alphabet, e)).collect();
    let set = |set: &Vec<_>| set.iter().map(|e| CauseEvent::new(alphabet, e)).collect();
    document.alternatives = cause.alternatives.iter().map(set).collect();
    document.recurring = cause.recurring.iter().map(|e| CauseEvents::new(alphabet, e)).collect();
    let group = |group: &Vec<_>| group.iter().map(|e| CauseEvents::new(alphabet, e)).collect();
    document.again = cause.again.iter().map(group).collect();
    document.irrelevant_inputs =
        cause.irrelevant.iter().map(|&i| input_name(alphabet, i).to_owned()).collect();
    document.counterfactual = cause.counterfactual.as_ref().map(|c| {
        let (prefix, cycle) = cause_word(alphabet, &c.play, true);
        let events = |all: &[_]| all.iter().map(|e| CauseEvent::new(alphabet, e)).collect();
        let (flips, flips_per_round) = (events(&c.flips), events(&c.period));
        CauseCounterfactual { prefix, cycle, flips, flips_per_round }
    });
    document
}

/// Why a trace is not a trace of the machine.
pub(super) fn deviation(alphabet: &Alphabet, machine: &str, deviation: &Deviation) -> String {
    match deviation {
        Deviation::Outputs { step, state, atom, expected, .. } => {
            let name = &alphabet.atoms()[*atom].name;
            let (does, said) = if alphabet.holds(*atom, expected) { ("", " not") } else { (" not", "") };
            let what = if alphabet.player(*atom) == Player::System { "output" } else { "input" };
            format!(
                "This is no trace of {machine}: in step {step} (in state {}) the {what} `{name}` is{does} given, and the trace says that it is{said}.",
                state.index()
            )
        }
        Deviation::Stuck { step, .. } => {
            format!("This is no trace of {machine}: it has no answer to the inputs of step {step}.")
        }
        Deviation::TooLong(limit) => limit.to_string(),
    }
}

/// How respecting the assumptions changes the answer.
pub(super) fn differences(alphabet: &Alphabet, plain: &CauseAnswer, respected: &CauseAnswer) -> Vec<String> {
    let events = |answer: &CauseAnswer| -> Vec<NecessaryEvent> {
        match answer {
            CauseAnswer::Cause(found) => found.cause.necessary.clone(),
            _ => Vec::new(),
        }
    };
    let (before, after) = (events(plain), events(respected));
    let mut notes = Vec::new();
    for event in before.iter().filter(|event| !after.contains(event)) {
        notes.push(format!(
            "without the assumptions it would also count that {}: changing that breaks an assumption, or needs another change with it",
            event_text(alphabet, event)
        ));
    }
    if matches!((plain, respected), (CauseAnswer::Cause(_), CauseAnswer::Inevitable)) {
        notes.push("only inputs that break an assumption could have prevented the effect".into());
    }
    if notes.is_empty() {
        notes.push("respecting the assumptions changes no necessary event".into());
    }
    notes
}

/// The sentence on a hypothesis that does not hold on the trace.
const FALSE: &str = "is not the cause: the hypothesis is false on this trace";

/// A hypothesis compared with the cause, in words and with witnesses.
pub(super) fn hypothesis(
    alphabet: &Alphabet,
    text: &str,
    compared: &HypothesisComparison,
    holds: bool,
) -> CauseHypothesis {
    let (word, reported) = match compared.verdict {
        HypothesisVerdict::TooStrong if !holds => ("too-strong", FALSE),
        HypothesisVerdict::Unrelated if !holds => ("unrelated", FALSE),
        HypothesisVerdict::Cause => ("cause", "is the cause"),
        HypothesisVerdict::TooWeak => {
            ("too-weak", "is too weak: it does not exclude everything that undoes the effect")
        }
        HypothesisVerdict::TooStrong => ("too-strong", "is too strong: the cause is weaker"),
        HypothesisVerdict::Unrelated => {
            ("unrelated", "is not the cause: neither of the two implies the other")
        }
    };
    let mut witnesses = Vec::new();
    let mut witness = |shows: &str, word: &Lasso| {
        let (prefix, cycle) = cause_word(alphabet, word, false);
        witnesses.push(CauseWitness { shows: shows.into(), prefix, cycle });
    };
    if let Some(spoiled) = &compared.not_sufficient {
        witness("the hypothesis holds here, and this is not in the cause", &spoiled.far);
        witness("because this changes nothing else, and the effect fails", &spoiled.close);
    }
    if let (Some(word), true) = (&compared.not_necessary, holds) {
        witness("the hypothesis fails here, and yet nothing that changes less undoes the effect", word);
    }
    let sentence = format!("`{text}` {reported}.");
    CauseHypothesis { verdict: word.into(), sentence, holds_on_trace: holds, witnesses }
}

/// The note on inputs that are determined by the updates.
pub(super) fn followed_note(closed: &Closed) -> String {
    let alphabet = &closed.alphabet;
    // The atoms that encode the value of one signal are named together.
    let mut names: Vec<String> = Vec::new();
    for &atom in &closed.followed {
        let signal = alphabet.encoded_by(atom).map(|signal| &signal.name);
        let name = format!("`{}`", signal.unwrap_or(&alphabet.atoms()[atom].name));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (verb, are) = if names.len() == 1 { ("follows", "is") } else { ("follow", "are") };
    format!("{} {verb} from earlier steps and {are} no input here", names.join(", "))
}

/// The note on the size of the automaton of the exact cause.
pub(super) fn size_note(exact: &ExactCause) -> String {
    let states = exact.automaton.edges.len();
    let s = if states == 1 { "" } else { "s" };
    let least = match exact.needed {
        needed if needed == states => ", the fewest possible".into(),
        1 => "; a smaller automaton may exist".into(),
        needed => format!("; a smaller automaton may exist, with {needed} or more"),
    };
    format!("the exact cause has {states} state{s}{least}")
}

/// How a trace violates a fact. The formula of a cell with many values is too long to be shown.
pub(super) fn broken_fact(formulas: &Formulas, alphabet: &Alphabet, fact: FormulaId) -> String {
    if formulas.size(fact) <= READABLE_FACT {
        let text = formulas.display(fact, alphabet);
        return format!("breaks `{text}`, which follows from the meaning of the specification");
    }
    let mut cells: Vec<String> = Vec::new();
    for f in formulas.subformulas(&[fact]) {
        if let Node::Atom(atom) = formulas.node(f)
            && let AtomKind::Update(cell, _) = alphabet.atoms()[*atom].kind
        {
            cells.push(format!("`{}`", alphabet.cells()[cell].name));
        }
    }
    cells.sort();
    cells.dedup();
    match cells.as_slice() {
        [] => "has values that the specification rules out".into(),
        _ => format!("has a value of {} that no update makes", cells.join(" or ")),
    }
}
