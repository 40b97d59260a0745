//! The winning positions of a game, by the fixpoints that define them (see the module `game`).

use super::arena::PolicyArena;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::Guard;

/// The solution of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solution {
    /// The winning positions.
    pub winning: Guard,
    /// Those that stay winning whatever the world does before the agent's next choice.
    pub closed: Guard,
}

/// The solution for runs that end:
/// `νZ. μY. End ∪ {p : some call whose answers are all in C, and some in V} ∪ (C ∩ V if the agent may do nothing)`,
/// where `C` is the largest subset of `Z` that letters of the world do not leave, and `V` the positions of `C` from
/// which letters of the world may lead to `Y`.
///
/// # Errors
/// The budget.
pub(super) fn finite(arena: &mut PolicyArena, budget: &Budget) -> Result<Solution, Limit> {
    let mut positions = Guard::TRUE;
    loop {
        let closed = arena.closed(positions, budget)?;
        let reached = leading_to_end(arena, positions, closed, budget)?;
        if reached == positions {
            return Ok(Solution { winning: positions, closed });
        }
        positions = reached;
    }
}

/// The inner fixpoint: the positions of a set from which the agent may come to an accepted end without leaving it. Each
/// call is applied to what was reached before it in the same pass (Burch, Clarke and Long 1991 call it chaining):
/// obligations that are discharged one after the other then take one pass, not one pass each. Passes alternate in their
/// direction, since the order in which calls depend on each other is not known.
fn leading_to_end(
    arena: &mut PolicyArena,
    positions: Guard,
    closed: Guard,
    budget: &Budget,
) -> Result<Guard, Limit> {
    let mut reached = arena.store.and(positions, arena.end);
    if reached == positions {
        return Ok(reached);
    }
    let mut safe = Vec::with_capacity(arena.calls.len());
    for call in &mut arena.calls {
        safe.push(call.safe_choices(&mut arena.store, closed));
    }
    arena.tick(budget)?;
    let mut hopeful = arena.reached_by_world(reached, closed, budget)?;
    let mut order: Vec<usize> = (0..safe.len()).collect();
    loop {
        let before = reached;
        for &at in &order {
            let (call, store) = (&mut arena.calls[at], &mut arena.store);
            let calls = call.hopeful_choices(store, hopeful);
            let calls = store.and(calls, safe[at]);
            let calls = call.choose(store, calls);
            let calls = store.and(calls, positions);
            reached = store.or(reached, calls);
            let own = store.and(calls, closed);
            hopeful = store.or(hopeful, own);
            arena.tick(budget)?;
        }
        if arena.idle {
            reached = arena.store.or(reached, hopeful);
        }
        hopeful = arena.reached_by_world(hopeful, closed, budget)?;
        if arena.idle {
            reached = arena.store.or(reached, hopeful);
        }
        if reached == before {
            return Ok(reached);
        }
        order.reverse();
    }
}

/// The solution for infinite runs under safety laws: the agent can continue forever without violating one.
///
/// # Errors
/// The budget.
pub(super) fn infinite(arena: &mut PolicyArena, budget: &Budget) -> Result<Solution, Limit> {
    let mut positions = Guard::TRUE;
    loop {
        let closed = arena.closed(positions, budget)?;
        let mut next = if arena.idle { closed } else { Guard::FALSE };
        for call in &mut arena.calls {
            let safe = call.safe_choices(&mut arena.store, closed);
            let safe = call.choose(&mut arena.store, safe);
            next = arena.store.or(next, safe);
        }
        next = arena.store.and(next, positions);
        arena.tick(budget)?;
        if next == positions {
            return Ok(Solution { winning: positions, closed });
        }
        positions = next;
    }
}
