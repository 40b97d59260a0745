//! Cheap constraints that hold in every consistent environment: a predicate has the same truth value for the term that
//! a cell is updated to and for the cell in the next step.

use super::explore::{Abstraction, stored};
use super::knowledge::{self, LiteralUse};
use super::nodes::{Nodes, TimedLeaf, TimedTerm, TimedTermId};
use crate::spec::{Clause, Constraint, Overflow, Problem, SymbolId, Term, TermId};
use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{AtomId, FormulaId};
use tsl_synth_core::model::Role;

/// The largest number of choices of updates per predicate; predicates with more are skipped.
const CHOICES: usize = 64;

/// For each predicate atom `p x` over cells and constants, and each choice of updates `[x <- t]` of its
/// cells: `G ([x <- t] -> (p t <-> X p x))`, where `p t` is an atom too or has a known value. With
/// self-updates, `p x` keeps its value; without cells, `p c()` is constant over time. Noisy predicates are
/// left out. No atoms are added.
pub fn frame_constraints(problem: &mut Problem) -> Vec<Clause> {
    let abstraction = Abstraction::new(problem);
    let mut nodes = Nodes::default();
    let mut atom_of: FxHashMap<TimedTermId, AtomId> = FxHashMap::default();
    for &(atom, term) in &abstraction.atoms {
        let node = now(problem, &mut nodes, term);
        atom_of.insert(node, atom);
    }
    let mut clauses = Vec::new();
    for &(atom, term) in &abstraction.atoms {
        // Lowering has added the facts about Boolean cells.
        if matches!(problem.signature.terms.get(term), Term::Signal(_)) {
            continue;
        }
        let Some(cells) = cells_of(problem, &abstraction, term) else { continue };
        for choice in choices(&cells, &abstraction) {
            let next = after(problem, &mut nodes, term, &choice);
            let Some(next) = next else { continue };
            let before: FormulaId = match (atom_of.get(&next), knowledge::view(&nodes, next)) {
                (Some(&before), _) => problem.formulas.atom(before),
                (None, LiteralUse::Known(value)) => problem.formulas.constant(value),
                _ => continue,
            };
            let formulas = &mut problem.formulas;
            let updates: Vec<FormulaId> =
                choice.iter().map(|(_, update, _)| formulas.atom(*update)).collect();
            let premise = formulas.and(updates);
            let this = formulas.atom(atom);
            let later = formulas.next(this);
            let same = formulas.iff(before, later);
            let implication = formulas.implies(premise, same);
            let formula = formulas.globally(implication);
            clauses.push(Clause {
                role: Role::Fact,
                formula,
                span: None,
                constraint: Some(Constraint::Frame),
            });
        }
    }
    clauses
}

/// The chosen update of each cell.
type Choice = Vec<(SymbolId, AtomId, TermId)>;

/// The cells that a term reads; `None` if it reads an input or a followed signal.
fn cells_of(problem: &Problem, abstraction: &Abstraction, term: TermId) -> Option<Vec<SymbolId>> {
    let mut cells = Vec::new();
    let mut todo = vec![term];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(term) = todo.pop() {
        match problem.signature.terms.get(term) {
            Term::Signal(symbol) => {
                abstraction.cells.binary_search_by_key(symbol, |c| c.symbol).ok()?;
                cells.push(*symbol);
            }
            Term::Apply(_, arguments) => todo.extend(arguments.iter().copied().filter(|t| seen.insert(*t))),
            Term::Operation(_, a, b) => todo.extend([*a, *b].into_iter().filter(|t| seen.insert(*t))),
            Term::Literal(_) => {}
        }
    }
    cells.sort_unstable();
    cells.dedup();
    Some(cells)
}

fn choices(cells: &[SymbolId], abstraction: &Abstraction) -> Vec<Choice> {
    let mut all: Vec<Choice> = vec![Vec::new()];
    for symbol in cells {
        let Some(cell) = abstraction.cells.iter().find(|c| c.symbol == *symbol) else { return Vec::new() };
        if all.len() * cell.options.len() > CHOICES {
            return Vec::new();
        }
        let extend = |choice: &Choice| {
            let choice = choice.clone();
            cell.options.iter().map(move |&(atom, term)| [&choice[..], &[(*symbol, atom, term)]].concat())
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}

/// The term over the values of this step.
fn now(problem: &Problem, nodes: &mut Nodes, term: TermId) -> TimedTermId {
    nodes.evaluate(&problem.signature, term, &mut FxHashMap::default(), &mut |nodes, leaf| match leaf {
        TimedLeaf::Signal(symbol) => nodes.intern(TimedTerm::Cell(symbol)),
        TimedLeaf::Noisy(term) => nodes.intern(TimedTerm::Noisy(term, 0)),
    })
}

/// The value of the term in the next step, expressed over the values of this step; `None` if an update is noisy.
fn after(problem: &Problem, nodes: &mut Nodes, term: TermId, choice: &Choice) -> Option<TimedTermId> {
    let mut values: FxHashMap<SymbolId, TimedTermId> = FxHashMap::default();
    for &(symbol, _, update) in choice {
        if super::nodes::is_noisy(&problem.signature, update) {
            return None;
        }
        let value = now(problem, nodes, update);
        let keeps = *problem.signature.terms.get(update) == Term::Signal(symbol);
        let exact = problem.signature.symbols[symbol].overflow == Overflow::Unavailable;
        values.insert(symbol, if keeps || exact { value } else { stored(problem, nodes, symbol, value) });
    }
    Some(nodes.evaluate(&problem.signature, term, &mut FxHashMap::default(), &mut |nodes, leaf| match leaf {
        TimedLeaf::Signal(symbol) => values[&symbol],
        TimedLeaf::Noisy(term) => nodes.intern(TimedTerm::Noisy(term, 0)),
    }))
}
