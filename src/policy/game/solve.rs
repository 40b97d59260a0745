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
        let safe = arena.call.safe_choices(&mut arena.store, closed);
        arena.tick(budget)?;
        let mut reached = arena.store.and(positions, arena.end);
        let mut hopeful = arena.store.and(reached, closed);
        loop {
            let more = arena.world_some(hopeful);
            let mut next = arena.store.or(hopeful, more);
            next = arena.store.and(next, closed);
            let calls = arena.call.hopeful_choices(&mut arena.store, hopeful);
            let calls = arena.store.and(calls, safe);
            let calls = arena.call.choose(&mut arena.store, calls);
            let mut now = arena.store.or(reached, calls);
            if arena.idle {
                now = arena.store.or(now, hopeful);
            }
            now = arena.store.and(now, positions);
            let own = arena.store.and(now, closed);
            next = arena.store.or(next, own);
            arena.tick(budget)?;
            if (now, next) == (reached, hopeful) {
                break;
            }
            (reached, hopeful) = (now, next);
        }
        if reached == positions {
            return Ok(Solution { winning: positions, closed });
        }
        positions = reached;
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
        let safe = arena.call.safe_choices(&mut arena.store, closed);
        let mut next = arena.call.choose(&mut arena.store, safe);
        if arena.idle {
            next = arena.store.or(next, closed);
        }
        next = arena.store.and(next, positions);
        arena.tick(budget)?;
        if next == positions {
            return Ok(Solution { winning: positions, closed });
        }
        positions = next;
    }
}
