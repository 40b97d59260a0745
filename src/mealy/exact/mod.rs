//! Controllers with as few states as possible: is there one of n states, for n = 1, 2, 3, …?
//!
//! Source: Schewe and Finkbeiner, *Bounded synthesis*, ATVA 2007 (annotations of the product of a machine
//! with a universal co-Büchi automaton, Theorem 4); Faymonville, Finkbeiner, Rabe and Tentrup, *Encodings of
//! bounded synthesis*, TACAS 2017 (the encodings of BoSy). Departures: input letters are grouped into the
//! classes that the automaton tells apart, counters are unary levels that are part of the reachability bits,
//! and safety hypotheses are multiplied into the automata that they guard.
//!
//! NP in n and the automaton. What is found is an inductive invariant, and the certifier checks the machine as
//! it checks every machine. That no machine is smaller rests on the solver.

mod classes;
mod decode;
mod encode;
mod universal;

use crate::base::{Budget, Limit, LimitKind};
use crate::game::Objective;
use crate::logic::Alphabet;
use crate::model::Mealy;
use classes::classes;
use encode::{Answer, Encoding};
use universal::Universal;

/// How often runs may be rejecting in the first questions, which are small: that suffices nearly always.
const FEW_ROUNDS: u32 = 1;
/// The same in the questions whether a machine of fewer states was overlooked.
const MANY_ROUNDS: u32 = 6;

/// A controller with the fewest states, if it has fewer than `fewer_than`. Numbers of states that are too hard
/// for the limits are passed over; so are controllers on whose plays a run is rejecting for more than
/// [`MANY_ROUNDS`] rounds.
///
/// # Errors
/// The limit that ended the search before it found a controller or showed that there is none that small.
pub fn smallest_mealy(
    objective: &Objective,
    alphabet: &Alphabet,
    fewer_than: usize,
    budget: &Budget,
) -> Result<Option<Mealy>, Limit> {
    if fewer_than < 2 {
        return Ok(None);
    }
    let (mut universal, exact) = Universal::new(objective, budget)?;
    let classes = classes(&mut universal, alphabet, budget)?;
    let mut passed = (!exact).then(|| Limit::new(LimitKind::Size, "hypotheses were left out"));
    let mut ask = |n: usize, rounds: u32| {
        let levels = universal.levels(n, rounds);
        let answer = Encoding::new(&universal, &classes, (n, levels), budget)
            .and_then(|mut encoding| encoding.solve(budget));
        match answer {
            Ok(Answer::Machine(found)) => Ok(Some(decode::decode(&universal, &classes, alphabet, &found))),
            Ok(Answer::None) => Ok(None),
            Err(limit) if matches!(limit.kind, LimitKind::Work | LimitKind::Size) && budget.left() > 0 => {
                passed = Some(limit);
                Ok(None)
            }
            Err(limit) => Err(limit),
        }
    };
    let mut best = None;
    let mut states = fewer_than;
    for n in 1..fewer_than {
        if let Some(machine) = ask(n, FEW_ROUNDS)? {
            (best, states) = (Some(machine), n);
            break;
        }
    }
    for n in 1..states {
        match ask(n, MANY_ROUNDS) {
            Ok(None) => {}
            Ok(machine) => return Ok(machine),
            // What was found is good in any case.
            Err(limit) => return best.map_or(Err(limit), |machine| Ok(Some(machine))),
        }
    }
    match (best, passed) {
        (None, Some(limit)) => Err(limit),
        (best, _) => Ok(best),
    }
}
