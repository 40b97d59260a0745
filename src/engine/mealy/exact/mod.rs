//! Controllers with as few states as possible: is there one of n states, for n = 1, 2, 3, …?
//!
//! Source: Schewe and Finkbeiner, *Bounded synthesis*, ATVA 2007 (annotations of the product of a machine with a
//! universal co-Büchi automaton, Theorem 4); Faymonville, Finkbeiner, Rabe and Tentrup, *Encodings of bounded
//! synthesis*, TACAS 2017 (the encodings of BoSy). Departures: input letters are grouped into the classes that the
//! automaton distinguishes, counters are unary levels that are part of the reachability bits, and safety hypotheses are
//! multiplied into the automata that they guard.
//!
//! NP in n and the automaton. The solver finds an inductive invariant, and the certifier checks the machine like any
//! other. That no machine is smaller relies on the solver and on the lower bound in `fewest`.

mod classes;
mod decode;
mod encode;
mod fewest;
mod universal;

use crate::game::Objective;
use crate::mealy::tuning::{FEW_REJECTIONS, FEWEST_WORK, MANY_REJECTIONS};
use classes::classes;
use encode::{Encoding, SizeAnswer};
use fewest::fewest_states;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::Alphabet;
use tsl_synth_core::model::Mealy;
use universal::Universal;

/// A controller with the fewest states, if it has fewer than `fewer_than`. Numbers of states that are too hard for the
/// limits are skipped; so are controllers on whose plays a run is rejecting for more than six rounds.
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
    // Without some hypotheses the automaton requires more than the objective, so that the bound may be too large.
    let fewest = if exact {
        fewest_states(&mut universal, &classes, &budget.child(FEWEST_WORK)).unwrap_or(1)
    } else {
        1
    };
    let mut passed = (!exact).then(|| Limit::new(LimitKind::Size, "hypotheses were left out"));
    let mut ask = |n: usize, levels: Vec<u32>| {
        let answer = Encoding::new(&universal, &classes, (n, levels), budget)
            .and_then(|mut encoding| encoding.solve(budget));
        match answer {
            Ok(SizeAnswer::Machine(found)) => {
                Ok(Some(decode::decode(&universal, &classes, alphabet, &found)))
            }
            Ok(SizeAnswer::None) => Ok(None),
            Err(limit) if matches!(limit.kind, LimitKind::Work | LimitKind::Size) && budget.left() > 0 => {
                passed = Some(limit);
                Ok(None)
            }
            Err(limit) => Err(limit),
        }
    };
    for n in fewest..fewer_than {
        let few = universal.levels(n, FEW_REJECTIONS);
        let many = universal.levels(n, MANY_REJECTIONS);
        let more = (many != few).then_some(many);
        for levels in std::iter::once(few).chain(more) {
            if let Some(machine) = ask(n, levels)? {
                return Ok(Some(machine));
            }
        }
    }
    passed.map_or(Ok(None), Err)
}
