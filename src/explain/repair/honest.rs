//! Whether a controller wins by keeping its guarantees, and not because assumptions become false.
//!
//! That the environment can keep its assumptions from the start says nothing of the moves after which it cannot: with
//! `G (!market -> F !cave)` a controller that never leaves the cave wins every play that begins in the cave, whatever
//! it was to guarantee. So no move of the environment may leave a way to keep the assumptions and none to keep
//! assumptions and guarantees (cf. well-separation: Maoz and Ringert, *On well-separation of GR(1) specifications*,
//! FSE 2016; here for the plays of one controller, and of what everybody could still do together).
//!
//! Walks through the product of controller and the states that words lead to in automata of assumptions, and of
//! assumptions and guarantees; every state accepts something, so there is a way while there is a state.

use crate::automaton::ltl_to_buchi;
use crate::base::{Budget, Limit, LimitKind};
use crate::explain::tuning::{HONEST_POSITIONS, HONEST_STATES};
use crate::logic::{BitId, FormulaId, Guard, Guards, Player};
use crate::model::{Buchi, Mealy, NodeId, Role, StateId};
use crate::spec::{ClauseId, Problem};
use rustc_hash::FxHashSet;

/// A position: of the controller, and of both automata.
type Position = (StateId, Vec<NodeId>, Vec<NodeId>);

/// Whether on the plays of the controller some move of the environment can be survived only by making assumptions
/// false: after it the assumptions could be kept, and not together with these guarantees.
///
/// # Errors
/// A limit.
pub(super) fn leans_on_falsity(
    problem: &mut Problem,
    guarantees: &[ClauseId],
    controller: &Mealy,
    budget: &Budget,
) -> Result<bool, Limit> {
    let kept = |id: ClauseId, role: Role| role != Role::Guarantee || guarantees.contains(&id);
    let of = |keep: &dyn Fn(ClauseId, Role) -> bool| -> Vec<FormulaId> {
        problem.clauses.enumerate().filter(|(id, c)| keep(*id, c.role)).map(|(_, c)| c.formula).collect()
    };
    let (alone, together) = (of(&|_, role| role != Role::Guarantee), of(&kept));
    let Problem { formulas, alphabet, .. } = problem;
    let (alone, together) = (formulas.and(alone), formulas.and(together));
    let alone = ltl_to_buchi(formulas, alphabet, alone, HONEST_STATES, budget)?;
    let together = ltl_to_buchi(formulas, alphabet, together, HONEST_STATES, budget)?;
    let output = |bit: BitId| alphabet.owner(bit) == Player::System;
    let outputs: Vec<BitId> = alphabet.bits_of(Player::System).collect();
    let mut guards = controller.guards.clone();
    let start: Position = (controller.initial, alone.initial.clone(), together.initial.clone());
    let mut seen: FxHashSet<Position> = FxHashSet::from_iter([start.clone()]);
    let mut queue = vec![start];
    while let Some((state, apart, both)) = queue.pop() {
        let mut survived = |automaton: &Buchi, states: &[NodeId]| {
            let mut all = Guard::FALSE;
            for edge in states.iter().flat_map(|&q| &automaton.edges[q]) {
                let copy = automaton.guards.copy_into(edge.guard, &mut guards);
                let inputs = guards.exists(copy, &output);
                all = guards.or(all, inputs);
            }
            all
        };
        let (possible, kept) = (survived(&alone, &apart), survived(&together, &both));
        if guards.minus(possible, kept) != Guard::FALSE {
            return Ok(true);
        }
        for edge in &controller.states[state].edges {
            let output = guards.valuation(outputs.iter().copied(), &edge.output);
            let letters = guards.and(edge.guard, output);
            for (letters, both) in after(&together, &both, letters, &mut guards, budget)? {
                // Nothing left: the controller gave up what it could have kept.
                if both.is_empty() {
                    continue;
                }
                for (_, apart) in after(&alone, &apart, letters, &mut guards, budget)? {
                    let next = (edge.next, apart, both.clone());
                    if seen.insert(next.clone()) {
                        if seen.len() > HONEST_POSITIONS {
                            let what =
                                format!("more than {HONEST_POSITIONS} positions of a repaired controller");
                            return Err(Limit::new(LimitKind::Size, what));
                        }
                        queue.push(next);
                    }
                }
            }
        }
    }
    Ok(false)
}

/// The states after these letters: a division of the letters with the states that each part leads to.
fn after(
    automaton: &Buchi,
    states: &[NodeId],
    letters: Guard,
    guards: &mut Guards,
    budget: &Budget,
) -> Result<Vec<(Guard, Vec<NodeId>)>, Limit> {
    let mut parts: Vec<(Guard, Vec<NodeId>)> = vec![(letters, Vec::new())];
    for edge in states.iter().flat_map(|&q| &automaton.edges[q]) {
        let open = automaton.guards.copy_into(edge.guard, guards);
        let mut divided: Vec<(Guard, Vec<NodeId>)> = Vec::new();
        for (part, to) in parts {
            budget.tick(1, || "the plays of a repaired controller".into())?;
            let (inside, outside) = (guards.and(part, open), guards.minus(part, open));
            if inside != Guard::FALSE {
                let mut more = to.clone();
                if !more.contains(&edge.next) {
                    more.push(edge.next);
                    more.sort_unstable();
                }
                divided.push((inside, more));
            }
            if outside != Guard::FALSE {
                divided.push((outside, to));
            }
        }
        // Letters that lead to the same states stay together.
        divided.sort_by(|a, b| a.1.cmp(&b.1));
        parts = Vec::new();
        for (part, to) in divided {
            match parts.last_mut() {
                Some((last, same)) if *same == to => *last = guards.or(*last, part),
                _ => parts.push((part, to)),
            }
        }
    }
    Ok(parts)
}
