//! LTL to nondeterministic generalized Büchi automata: very weak alternating automaton, generalized Büchi
//! automaton over conjunctions of its states, reductions.
//!
//! Source: Gastin and Oddoux, *Fast LTL to Büchi automata translation*, CAV 2001, with acceptance on edges
//! throughout and guards as decision diagrams. 2^O(n) states. Checked by the lasso semantics in the tests.

use super::reduce::reduce;
use super::very_weak::{Conjunction, VeryWeak, VeryWeakEdge, is_subset};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Guard, Normalizer};
use tsl_synth_core::model::{Buchi, Edge, Marks, NodeId};

/// The automaton of `f`, of at most `max_states` states.
///
/// # Errors
/// A limit.
pub fn ltl_to_buchi(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    max_states: usize,
    budget: &Budget,
) -> Result<Buchi, Limit> {
    let f = Normalizer::new().normalize(formulas, f, false);
    let mut automaton = generalized(formulas, alphabet, f, max_states, budget)?;
    reduce(&mut automaton, budget)?;
    if automaton.edges.len() > max_states {
        return Err(too_large(max_states));
    }
    Ok(automaton)
}

fn too_large(max_states: usize) -> Limit {
    Limit::new(LimitKind::Size, format!("a Büchi automaton with more than {max_states} states"))
}

/// The generalized Büchi automaton over conjunctions of alternating states.
fn generalized(
    formulas: &Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    max_states: usize,
    budget: &Budget,
) -> Result<Buchi, Limit> {
    let mut weak = VeryWeak::new(formulas, alphabet, budget);
    let mut states: Vec<Conjunction> = Vec::new();
    let mut index: FxHashMap<Conjunction, NodeId> = FxHashMap::default();
    let mut id = |c: &Conjunction, states: &mut Vec<Conjunction>| {
        *index.entry(c.clone()).or_insert_with(|| {
            states.push(c.clone());
            NodeId::from_index(states.len() - 1)
        })
    };
    let initial: Vec<NodeId> = weak.split(f)?.iter().map(|c| id(c, &mut states)).collect();
    let mut edges: IdVec<NodeId, Vec<(Guard, NodeId, Conjunction)>> = IdVec::new();
    while edges.len() < states.len() {
        let source = states[edges.len()].clone();
        budget.tick(1 + source.len() as u64, || "translating LTL to a Büchi automaton".to_owned())?;
        let moves = successors(&mut weak, &source)?;
        let out = moves.into_iter().map(|(m, done)| (m.guard, id(&m.next, &mut states), done)).collect();
        edges.push(out);
        if states.len() > max_states.saturating_mul(4) {
            return Err(too_large(max_states));
        }
    }
    let mut eventualities: Vec<FormulaId> =
        states.iter().flat_map(|c| c.iter().copied()).filter(|&g| weak.is_eventuality(g)).collect();
    eventualities.sort_unstable();
    eventualities.dedup();
    if eventualities.len() > Marks::MAX_SETS {
        let what = format!("a Büchi automaton with more than {} eventualities", Marks::MAX_SETS);
        return Err(Limit::new(LimitKind::Size, what));
    }
    // An edge is in the sets of the eventualities that it does *not* postpone.
    let marks = |postponed: &Conjunction| {
        let kept = eventualities.iter().enumerate().filter(|(_, e)| !postponed.contains(e));
        kept.fold(Marks::NONE, |marks, (set, _)| marks.union(Marks::of(set)))
    };
    let edges = edges
        .iter()
        .map(|out| {
            out.iter()
                .map(|(guard, next, postponed)| Edge { next: *next, marks: marks(postponed), guard: *guard })
                .collect()
        })
        .collect();
    Ok(Buchi { guards: weak.into_guards()?, edges, initial, sets: eventualities.len() })
}

/// The moves of a conjunction, each with the eventualities that it postpones.
fn successors(
    weak: &mut VeryWeak<'_>,
    source: &[FormulaId],
) -> Result<Vec<(VeryWeakEdge, Conjunction)>, Limit> {
    let mut product = vec![VeryWeakEdge { guard: Guard::TRUE, next: Box::new([]) }];
    for &f in source {
        let part = weak.moves(f)?;
        product = weak.conjoin(&product, &part)?;
    }
    // Split every move until its guard decides for each kept eventuality whether the eventuality is fulfilled.
    let mut result: Vec<(VeryWeakEdge, Conjunction)> = Vec::new();
    for m in product {
        let mut pieces = vec![(m.guard, Vec::new())];
        for &f in &m.next {
            if !weak.is_eventuality(f) {
                continue;
            }
            let fulfilled = fulfilling(weak, f, &m.next)?;
            weak.tick(pieces.len())?;
            let mut next = Vec::new();
            for (guard, postponed) in pieces {
                let guards = &mut weak.labels.guards;
                let (yes, no) = (guards.and(guard, fulfilled), guards.minus(guard, fulfilled));
                if no != Guard::FALSE {
                    next.push((no, [&postponed[..], &[f]].concat()));
                }
                if yes != Guard::FALSE {
                    next.push((yes, postponed));
                }
            }
            pieces = next;
        }
        result.extend(
            pieces
                .into_iter()
                .map(|(guard, postponed)| (VeryWeakEdge { guard, next: m.next.clone() }, postponed.into())),
        );
    }
    // A move covers another one that has more to satisfy and postpones at least as much.
    result.sort_by_key(|(m, postponed)| (m.next.len(), postponed.len()));
    let mut kept: Vec<(VeryWeakEdge, Conjunction)> = Vec::new();
    for (mut m, postponed) in result {
        weak.tick(kept.len())?;
        for (k, p) in &kept {
            if is_subset(&k.next, &m.next) && is_subset(p, &postponed) {
                m.guard = weak.labels.guards.minus(m.guard, k.guard);
            }
        }
        if m.guard != Guard::FALSE {
            kept.push((m, postponed));
        }
    }
    Ok(kept)
}

/// The letters on which `f`, although it is in `next`, has a move to a subset of `next` without `f`.
fn fulfilling(weak: &mut VeryWeak<'_>, f: FormulaId, next: &[FormulaId]) -> Result<Guard, Limit> {
    let moves = weak.moves(f)?;
    let mut sum = Guard::FALSE;
    for m in moves.iter() {
        if !m.next.contains(&f) && is_subset(&m.next, next) {
            sum = weak.labels.guards.or(sum, m.guard);
        }
    }
    Ok(sum)
}
