//! Inputs that a controller never reads, although a guarantee mentions them.

use tsl_synth_core::base::IdSet;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{AtomId, AtomKind, BitId, FormulaId, Guard};
use tsl_synth_core::model::{Mealy, Role, StateId};
use tsl_synth_lang::spec::{AtomMeaning, Problem, SymbolKind};

/// The most inputs that a message names.
const MOST_TOLD: usize = 6;

/// The inputs, other than values of cells, that some guarantee mentions and no reachable state of a controller reads.
pub fn unread_inputs(problem: &Problem, machine: &Mealy) -> Vec<AtomId> {
    let alphabet = &problem.alphabet;
    let duties = problem.clauses.iter().filter(|clause| clause.role == Role::Guarantee);
    let duties: Vec<FormulaId> = duties.map(|clause| clause.formula).collect();
    let mentioned = problem.support(&duties);
    let read = read_bits(machine);
    let is_unread = |&atom: &AtomId| match alphabet.atoms()[atom].kind {
        AtomKind::Input(bit) => {
            mentioned.contains(atom)
                && !problem.is_hidden(atom)
                && !read.contains(bit)
                && is_outside(problem, atom)
        }
        AtomKind::Output(_) | AtomKind::Update(..) => false,
    };
    alphabet.inputs().filter(is_unread).collect()
}

/// Whether an input says nothing about cells: the environment decides it in every step.
fn is_outside(problem: &Problem, atom: AtomId) -> bool {
    let signature = &problem.signature;
    match signature.atoms[atom] {
        AtomMeaning::Predicate(term) => signature
            .signals_of(term)
            .iter()
            .all(|&symbol| signature.symbols[symbol].kind == SymbolKind::Input),
        AtomMeaning::Update(..) => false,
        AtomMeaning::Proposition => true,
    }
}

/// The bits on which an answer or a next state depends.
fn read_bits(machine: &Mealy) -> IdSet<BitId> {
    let mut seen: IdSet<StateId> = [machine.initial].into_iter().collect();
    let mut queue = vec![machine.initial];
    let mut read = IdSet::new();
    while let Some(state) = queue.pop() {
        for edge in machine.states[state].edges.iter().filter(|edge| edge.guard != Guard::FALSE) {
            machine.guards.support(edge.guard).into_iter().for_each(|bit| {
                read.insert(bit);
            });
            if seen.insert(edge.next) {
                queue.push(edge.next);
            }
        }
    }
    read
}

/// The note on inputs that are never read.
pub fn never_read(problem: &Problem, unread: &[AtomId]) -> Option<Diagnostic> {
    if unread.is_empty() {
        return None;
    }
    let name = |&atom: &AtomId| format!("`{}`", problem.alphabet.atoms()[atom].name);
    let mut names: Vec<String> = unread.iter().take(MOST_TOLD).map(name).collect();
    if unread.len() > MOST_TOLD {
        names.push(format!("and {} more", unread.len() - MOST_TOLD));
    }
    let message = format!("the controller that was found never reads {}", names.join(", "));
    let hint =
        "it does the same whatever their values are; if they should matter, a guarantee has to tell when";
    Some(Diagnostic::note(Code::UNREAD_INPUT, message).hint(hint))
}
