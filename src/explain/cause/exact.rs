//! The exact cause as an automaton, and a formula where its form allows one.

use super::counterfactuals::Counterfactuals;
use super::determinate::{Determinate, pack};
use super::events::bits;
use super::flips::Flips;
use super::question::input_atom;
use crate::tuning::{FORMULA_SIZE, SMALLEST_WORK, TABLE_ENTRIES, TABLE_INPUTS};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsPostOrder, VisitMap};
use tsl_synth_automata::{ParityTable, TableEntry, reduce_table, smallest_table};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::cover::cover;
use tsl_synth_core::logic::{Alphabet, BitId, Class, FormulaId, Formulas, Guard, Guards};
use tsl_synth_core::model::{NodeId, Parity, ParityEdge};

/// The cause as an automaton.
#[derive(Clone, Debug)]
pub struct ExactCause {
    /// The automaton, over the inputs that matter.
    pub automaton: Parity,
    /// A lower bound on the states of every deterministic automaton of the cause.
    pub needed: usize,
    /// How many states it had before it was reduced.
    pub made: usize,
}

/// The automaton of the cause, of at most `most` states before it is reduced; with the search for a smallest one if it
/// is not known to be smallest.
pub(super) fn smallest(
    counterfactuals: &Counterfactuals,
    most: usize,
    budget: &Budget,
) -> Result<ExactCause, Limit> {
    let some = budget.child(SMALLEST_WORK.min(budget.left()));
    made(counterfactuals, most, budget, |reduced, needed| smallest_table(&reduced, needed, &some))
}

/// The automaton of the cause, of at most `most` states before it is reduced.
pub(super) fn exact(
    counterfactuals: &Counterfactuals,
    most: usize,
    budget: &Budget,
) -> Result<ExactCause, Limit> {
    made(counterfactuals, most, budget, |reduced, needed| (reduced, needed))
}

fn made(
    counterfactuals: &Counterfactuals,
    most: usize,
    budget: &Budget,
    further: impl FnOnce(ParityTable, usize) -> (ParityTable, usize),
) -> Result<ExactCause, Limit> {
    let support = if counterfactuals.spares_actual() { counterfactuals.support() } else { 0 };
    if support.count_ones() > TABLE_INPUTS {
        let what = format!("a cause automaton over {} inputs", support.count_ones());
        return Err(Limit::new(LimitKind::Size, what));
    }
    let table = table(counterfactuals, support, most, budget)?;
    let made = table.len();
    let (reduced, needed) = reduce_table(&table);
    let (reduced, needed) = further(reduced, needed);
    let inputs: Vec<BitId> = bits(support).map(|i| counterfactuals.inputs[i as usize]).collect();
    Ok(ExactCause { automaton: symbolic(&reduced, &inputs), needed, made })
}

/// All states, over letters of actual values.
fn table(
    counterfactuals: &Counterfactuals,
    support: Flips,
    most: usize,
    budget: &Budget,
) -> Result<ParityTable, Limit> {
    let letters = 1usize << support.count_ones();
    let mut entries: Vec<TableEntry> = Vec::new();
    if !counterfactuals.spares_actual() {
        return Ok(ParityTable { letters, entries: vec![None; letters] });
    }
    let mut cause = Determinate::new(counterfactuals, most);
    let mut state = 0;
    while state < cause.len() {
        let actual = counterfactuals.actual.letter(cause.position(state));
        let values: Flips = bits(support)
            .filter(|&i| actual.contains(counterfactuals.inputs[i as usize]))
            .fold(0, |all, i| all | 1 << i);
        let here = pack(values, support);
        let row = cause.row(state, budget)?;
        let local = pack(row.local, support);
        for letter in 0..letters {
            // The packed differences of the inputs that the edges of this state depend on.
            let differs = (letter ^ here) & local;
            let index = pack(differs as Flips, local as Flips);
            entries.push(row.targets[index].map(|(to, priority)| (to as u32, priority)));
        }
        if entries.len() > TABLE_ENTRIES {
            return Err(Limit::new(LimitKind::Size, "the table of a cause automaton"));
        }
        budget.charge(letters as u64 * 12, || "the table of a cause automaton".into())?;
        state += 1;
    }
    Ok(ParityTable { letters, entries })
}

/// The table with guards over these inputs.
fn symbolic(table: &ParityTable, inputs: &[BitId]) -> Parity {
    let mut guards = Guards::new();
    let mut edges: IdVec<NodeId, Vec<ParityEdge>> = IdVec::new();
    for state in 0..table.len() {
        let row = table.row(state);
        let mut targets: Vec<(u32, u32)> = row.iter().flatten().copied().collect();
        targets.sort_unstable();
        targets.dedup();
        let out = targets.into_iter().map(|target| {
            let guard = diagram(&mut guards, row, inputs, target, 0, 0);
            ParityEdge { next: NodeId::from_index(target.0 as usize), priority: target.1, guard }
        });
        let out = out.collect();
        edges.push(out);
    }
    Parity { guards, edges, initial: NodeId::from_index(0) }
}

/// The letters that lead to `target`. Recursion is as deep as there are inputs.
fn diagram(
    guards: &mut Guards,
    row: &[TableEntry],
    inputs: &[BitId],
    target: (u32, u32),
    depth: usize,
    letter: usize,
) -> Guard {
    let Some(&bit) = inputs.get(depth) else {
        return if row[letter] == Some(target) { Guard::TRUE } else { Guard::FALSE };
    };
    let low = diagram(guards, row, inputs, target, depth + 1, letter);
    let high = diagram(guards, row, inputs, target, depth + 1, letter | 1 << depth);
    guards.make(bit, low, high)
}

/// A formula for the automaton if it never returns to a state that it has left: in every state it stays for
/// ever, as its priorities allow, or until it leaves. `None` otherwise, and when the formula would be long.
pub fn formula_of(automaton: &Parity, alphabet: &Alphabet, formulas: &mut Formulas) -> Option<FormulaId> {
    let mut guards = automaton.guards.clone();
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = automaton.edges.iter().map(|_| graph.add_node(())).collect();
    for (q, edges) in automaton.edges.enumerate() {
        // The last edge of a node is its first neighbor.
        for edge in edges.iter().rev().filter(|edge| edge.next != q) {
            graph.add_edge(nodes[q.index()], nodes[edge.next.index()], ());
        }
    }
    let mut walk = DfsPostOrder::new(&graph, nodes[automaton.initial.index()]);
    let mut order = Vec::new();
    while let Some(node) = walk.next(&graph) {
        // Successors come first, unless the automaton returns.
        if graph.neighbors(node).any(|next| !walk.finished.is_visited(&next)) {
            return None;
        }
        order.push(NodeId::from_index(node.index()));
    }
    let mut of: Vec<Option<FormulaId>> = vec![None; automaton.edges.len()];
    for q in order {
        let (mut exits, mut stay) = (Vec::new(), Guard::FALSE);
        let mut forever: Vec<(u32, Guard)> = Vec::new();
        for edge in &automaton.edges[q] {
            if edge.next == q {
                stay = guards.or(stay, edge.guard);
                forever.push((edge.priority, edge.guard));
            } else {
                let later = formulas.next(of[edge.next.index()]?);
                let now = boolean(formulas, alphabet, &mut guards, edge.guard);
                exits.push(formulas.and([now, later]));
            }
        }
        let leaves = formulas.or(exits);
        let mut stays = boolean(formulas, alphabet, &mut guards, stay);
        if formulas.class(leaves).is(Class::BOOLEAN) {
            // If every letter stays or leaves, `stays U leaves` is `F leaves`.
            let leaving = automaton.edges[q].iter().filter(|edge| edge.next != q);
            let either = leaving.fold(stay, |sum, edge| guards.or(sum, edge.guard));
            if either == Guard::TRUE {
                stays = formulas.top();
            }
        }
        let all = boolean(formulas, alphabet, &mut guards, stay);
        let always = formulas.globally(all);
        let infinitely = recurring(formulas, alphabet, &mut guards, &mut forever)?;
        let rests = formulas.and([always, infinitely]);
        let f = if infinitely == formulas.top() && !forever.is_empty() {
            formulas.weak_until(stays, leaves)
        } else {
            let until = formulas.until(stays, leaves);
            formulas.or([until, rests])
        };
        if formulas.size(f) > FORMULA_SIZE {
            return None;
        }
        of[q.index()] = Some(f);
    }
    of[automaton.initial.index()]
}

/// The acceptance condition on self-loops with these priorities that are taken forever; `None` for more than Büchi or
/// co-Büchi conditions.
fn recurring(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    guards: &mut Guards,
    loops: &mut [(u32, Guard)],
) -> Option<FormulaId> {
    loops.sort_unstable();
    match *loops {
        [] => Some(formulas.bottom()),
        [(p, _)] => Some(formulas.constant(p % 2 == 0)),
        [(p, often), (q, _)] if p % 2 == 0 && q % 2 == 1 => {
            let often = boolean(formulas, alphabet, guards, often);
            let f = formulas.finally(often);
            Some(formulas.globally(f))
        }
        [(p, rarely), (q, _)] if p % 2 == 1 && q % 2 == 0 => {
            let rarely = boolean(formulas, alphabet, guards, rarely);
            let not = formulas.not(rarely);
            let f = formulas.globally(not);
            Some(formulas.finally(f))
        }
        _ => None,
    }
}

fn boolean(formulas: &mut Formulas, alphabet: &Alphabet, guards: &mut Guards, guard: Guard) -> FormulaId {
    let mut sum = Vec::new();
    for cube in cover(guards, guard, guard) {
        let mut product = Vec::new();
        for (bit, value) in cube {
            let atom = formulas.atom(input_atom(alphabet, bit));
            product.push(if value { atom } else { formulas.not(atom) });
        }
        sum.push(formulas.and(product));
    }
    formulas.or(sum)
}
