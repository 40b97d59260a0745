//! Emerson-Lei acceptance to generalized Büchi acceptance: one copy of the automaton per clause, without the
//! edges that the clause allows only finitely often; a run guesses when it has seen the last of them.
//!
//! Source: the removal of `Fin` of Spot (Duret-Lutz et al., *Spot 2.0*, ATVA 2016, Section 3). At most (1 + clauses) ·
//! n states. Checked on lasso words in the tests.

use super::reduce::reduce;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind};
use tsl_synth_core::model::{Buchi, Edge, EmersonLei, Marks, NodeId};

/// A generalized Büchi automaton of the same language.
///
/// # Errors
/// A limit, among them more than `max_states` states before the reduction.
pub fn emerson_lei_to_buchi(
    automaton: &EmersonLei,
    max_states: usize,
    budget: &Budget,
) -> Result<Buchi, Limit> {
    let n = automaton.edges.len();
    let clauses = &automaton.acceptance.clauses;
    if n.saturating_mul(1 + clauses.len()) > max_states {
        let what = format!("a Büchi automaton with more than {max_states} states");
        return Err(Limit::new(LimitKind::Size, what));
    }
    let widest = clauses.iter().map(|clause| clause.inf.count() as usize).max().unwrap_or(0);
    // At least one set, so that runs that stay in the first copy, whose edges are in no set, are not accepting.
    let sets = widest.max(1);
    let at = |copy: usize, q: NodeId| NodeId::from_index(copy * n + q.index());
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); n * (1 + clauses.len())];
    for (q, out) in automaton.edges.enumerate() {
        for edge in out {
            budget.tick(clauses.len() as u64, || "translating an acceptance condition".to_owned())?;
            edges[q.index()].push(Edge { marks: Marks::NONE, ..*edge });
            for (i, clause) in clauses.iter().enumerate() {
                if edge.marks.meets(clause.fin) {
                    continue;
                }
                let jump = Edge { next: at(1 + i, edge.next), marks: Marks::NONE, guard: edge.guard };
                edges[q.index()].push(jump);
                // The sets of the clause in order; if the clause has fewer than `sets`, its edges are in all remaining
                // sets.
                let met = clause.inf.iter().enumerate().filter(|&(_, set)| edge.marks.covers(Marks::of(set)));
                let rest = (clause.inf.count() as usize..sets).map(Marks::of);
                let marks = met.map(|(i, _)| Marks::of(i)).chain(rest).fold(Marks::NONE, Marks::union);
                edges[at(1 + i, q).index()].push(Edge { marks, ..jump });
            }
        }
    }
    let initial = automaton.initial.clone();
    let mut buchi =
        Buchi { guards: automaton.guards.clone(), edges: edges.into_iter().collect(), initial, sets };
    reduce(&mut buchi, budget)?;
    Ok(buchi)
}
