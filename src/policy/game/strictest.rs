//! Which of several positions that the agent cannot distinguish need a common strategy: only the strictest ones, an
//! antichain as in L. Doyen, J.-F. Raskin, *Antichain algorithms for finite automata*, TACAS 2010. So a session of which
//! many results are open is mostly in one position: that in which nothing has succeeded.

use super::position::PolicyPosition;
use crate::CompiledPolicy;
use crate::language::{LawId, LawKind, RegisterId};
use tsl_synth_core::base::Id;

/// Removes each position for which another one is stricter with respect to these laws and registers, those of a game.
/// What is a strategy from the stricter position is also one from the position that is removed, so all answers about the
/// positions together stay the same. Quadratic in the number of positions.
pub fn keep_strictest(
    compiled: &CompiledPolicy,
    laws: &[LawId],
    registers: &[RegisterId],
    positions: &mut Vec<PolicyPosition>,
) {
    let is_stricter = |first: &PolicyPosition, second: &PolicyPosition| {
        (&first.pending, &first.last, &first.truths) == (&second.pending, &second.last, &second.truths)
            && registers.iter().all(|id| first.registers[id.index()] == second.registers[id.index()])
            && laws.iter().all(|&law| permits_no_more(compiled, law, first, second))
    };
    let mut at = 0;
    while at < positions.len() {
        let mut others = positions.iter().enumerate().filter(|(other, _)| *other != at);
        if others.any(|(_, other)| is_stricter(other, &positions[at])) {
            positions.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Whether a law permits no more in the first position than in the second. A law about the world has to be in the same
/// state, so that the world has the same moves, and so has a soft law, which restarts when it is violated.
fn permits_no_more(
    compiled: &CompiledPolicy,
    law: LawId,
    first: &PolicyPosition,
    second: &PolicyPosition,
) -> bool {
    let is_hard = compiled.policy.laws[law].kind == LawKind::Hard;
    let mut states = first.laws[law.index()].iter().zip(&second.laws[law.index()]);
    states.all(|(&one, &other)| one == other || is_hard && compiled.permits_no_more(law, one, other))
}
