//! The report on a controller that makes the assumptions false although the environment gives only legal inputs.

use super::clause::{clause_parts, clause_quote};
use super::given::is_given;
use super::values::{literal_text, values_told};
use rustc_hash::FxHashSet;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{AtomId, AtomKind, FormulaId, Letter, Node, Player};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::Friendliness;
use tsl_synth_kernel::Falsified;
use tsl_synth_lang::spec::{ClauseId, Language, Problem};

/// The most steps of a play that are described one by one.
const SHOWN: usize = 4;

/// The finding about a controller of a problem: a warning if no controller is friendly or the one that was found is
/// not, a note if that is not known; `None` if the assumptions are safe.
pub fn falsified(problem: &Problem, map: &SourceMap, friendly: &Friendliness) -> Option<Diagnostic> {
    match friendly {
        Friendliness::NotAsked
        | Friendliness::Independent
        | Friendliness::Friendly
        // Reported elsewhere, with the clauses that contradict each other.
        | Friendliness::Unsatisfiable => None,
        Friendliness::None(how) => {
            let message = format!(
                "realizable only by making assumptions false: with the controller that was found, {}; with every other one some assumption can, too",
                broken(problem, map, how)
            );
            Some(reported(problem, map, Diagnostic::warning(Code::ONLY_BY_FALSIFYING, message), how))
        }
        Friendliness::Undecided(limit, Some(how)) => {
            let message = format!("with the controller that was found, {}", broken(problem, map, how));
            let hint = format!("whether there is a controller with which it cannot is not known: {limit}");
            Some(reported(problem, map, Diagnostic::warning(Code::MAY_FALSIFY, message), how).hint(hint))
        }
        Friendliness::Undecided(limit, None) => Some(Diagnostic::note(
            Code::MAY_FALSIFY,
            format!("it is not known whether the controller makes the assumptions false: {limit}"),
        )),
    }
}

/// The clause that cannot be kept any more.
fn clause(problem: &Problem, how: &Falsified) -> Option<ClauseId> {
    let mut assumptions = problem.clauses.enumerate().filter(|(_, clause)| clause.role == Role::Assumption);
    assumptions.nth(how.assumption?).map(|(id, _)| id)
}

pub(super) fn broken(problem: &Problem, map: &SourceMap, how: &Falsified) -> String {
    let what = match clause(problem, how) {
        Some(id) => format!("the assumption `{}`", clause_quote(problem, map, id)),
        None => "the assumptions together".into(),
    };
    format!("{what} can become impossible for the environment to keep")
}

/// Adds the source position and the play to a diagnostic.
pub(super) fn reported(
    problem: &Problem,
    map: &SourceMap,
    mut diagnostic: Diagnostic,
    how: &Falsified,
) -> Diagnostic {
    if let Some(id) = clause(problem, how)
        && let Some(span) = problem.clauses[id].span
    {
        let text = match how.steps.checked_sub(1) {
            Some(step) => format!("cannot be kept any more after step {step} of the play below"),
            None => "cannot be kept from the start".into(),
        };
        diagnostic = diagnostic.at(span, text);
    }
    let letters: Vec<&Letter> = how.play.prefix.iter().chain(&how.play.cycle).take(how.steps).collect();
    let from = letters.len().saturating_sub(SHOWN);
    let mut steps: Vec<String> = Vec::new();
    if from > 0 {
        steps.push(format!("{from} steps before"));
    }
    for (step, letter) in letters.iter().enumerate().skip(from) {
        steps.push(format!("step {step}: {}", step_text(problem, letter)));
    }
    if !steps.is_empty() {
        diagnostic = diagnostic.hint(format!("play: {}", steps.join("; ")));
    }
    let written = clause(problem, how).filter(|&id| may_be_kept(problem, id));
    let written = written.map_or(String::new(), |id| format!(", such as `{}`", guaranteed(problem, map, id)));
    diagnostic.hint(format!(
        "what the system should achieve belongs in a guarantee{written}; an assumption should only speak about what the environment decides"
    ))
}

/// Whether a clause as a guarantee may be kept by a system: no constant inputs make it false, and it asks for no input of
/// a later step. This is necessary and not sufficient; without it there is no advice.
fn may_be_kept(problem: &Problem, id: ClauseId) -> bool {
    /// Constant inputs are tried in all combinations up to this number of inputs.
    const COMBINED: usize = 6;
    let formula = problem.clauses[id].formula;
    let mut formulas = problem.formulas.clone();
    let given: Vec<AtomId> =
        formulas.support(&[formula]).iter().filter(|&atom| is_given(problem, atom)).collect();
    let mut reads: FxHashSet<FormulaId> = FxHashSet::default();
    for f in formulas.subformulas(&[formula]) {
        let mut below = matches!(formulas.node(f), Node::Atom(atom) if given.contains(atom));
        formulas.node(f).for_each_operand(|operand| below |= reads.contains(&operand));
        if below && matches!(formulas.node(f), Node::Next(_)) {
            return false;
        }
        if below {
            reads.insert(f);
        }
    }
    let combinations = if given.len() <= COMBINED { 0..1u32 << given.len() } else { 0..2 };
    combinations.into_iter().all(|code| {
        let value = |atom: AtomId| {
            let place = given.iter().position(|&other| other == atom)?;
            Some(code >> (if given.len() <= COMBINED { place } else { 0 }) & 1 == 1)
        };
        formulas.with_constants(formula, &value) != formulas.bottom()
    })
}

/// A clause as a guarantee, in the language of its file.
fn guaranteed(problem: &Problem, map: &SourceMap, id: ClauseId) -> String {
    let (always, bare) = clause_parts(problem, map, id);
    match (problem.language, always) {
        (Language::Ltl, false) => format!("guarantee {{ {bare} }}"),
        (Language::Ltl, true) => format!("guarantee {{ G ({bare}) }}"),
        (Language::Tlsf, false) => format!("GUARANTEE {{ {bare}; }}"),
        (Language::Tlsf, true) => format!("ASSERT {{ {bare}; }}"),
        (_, false) => format!("guarantee {{ {bare}; }}"),
        (_, true) => format!("always guarantee {{ {bare}; }}"),
    }
}

/// "callUp, floor = 1, answered by [floor <- floor + 1]".
fn step_text(problem: &Problem, letter: &Letter) -> String {
    let alphabet = &problem.alphabet;
    let shown: Vec<AtomId> = alphabet.inputs().filter(|&atom| !problem.is_hidden(atom)).collect();
    let (mut given, covered) = values_told(problem, &shown, letter);
    let mut inputs: Vec<String> = Vec::new();
    for &atom in shown.iter().filter(|atom| !covered.contains(atom)) {
        let holds = alphabet.holds(atom, letter);
        if holds || is_given(problem, atom) {
            inputs.push(literal_text(problem, atom, holds));
        }
    }
    inputs.append(&mut given);
    let mut outputs: Vec<String> = Vec::new();
    for (atom, data) in alphabet.atoms().enumerate() {
        if alphabet.player(atom) != Player::System || problem.is_hidden(atom) {
            continue;
        }
        let holds = alphabet.holds(atom, letter);
        match data.kind {
            AtomKind::Update(..) if holds => outputs.push(data.name.clone()),
            AtomKind::Output(_) => outputs.push(format!("{}{}", if holds { "" } else { "!" }, data.name)),
            AtomKind::Update(..) | AtomKind::Input(_) => {}
        }
    }
    match (inputs.is_empty(), outputs.is_empty()) {
        (true, _) => outputs.join(", "),
        (false, true) => inputs.join(", "),
        (false, false) => format!("{} -> {}", inputs.join(", "), outputs.join(", ")),
    }
}
