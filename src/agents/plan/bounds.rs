//! Bounds on the number of plans, where counting them exactly is too expensive: the problem is #P-hard if steps have use
//! limits.

use super::forest::{Derivations, Forest};
use super::planner::Planner;
use super::reach::Reach;
use super::space::{PlanLength, Space};
use num_bigint::BigUint;
use tsl_synth_core::base::{Limit, LimitKind};

/// The table of an exact count of short plans has at most this many entries.
const MAX_SHORT: usize = 150_000;
/// The table of the count without limits has at most this many entries.
const MAX_WITHOUT_LIMITS: usize = 1_000_000;
/// Lengths beyond this are not tried.
const MAX_LENGTH: u32 = 4_096;

/// What is known about the number of plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanBounds {
    /// The number of steps of a shortest plan.
    pub shortest: u32,
    /// The number of steps of a longest plan; `None` if no bound was found.
    pub longest: Option<u32>,
    /// The plans of at most this many steps were counted.
    pub counted_length: Option<u32>,
    /// Their number, exactly.
    pub at_least: BigUint,
    /// The number of derivations of at most `longest` steps when use limits and budgets are not enforced, which no number
    /// of plans exceeds; `None` if it is not known.
    pub at_most: Option<BigUint>,
}

impl Planner<'_> {
    /// Bounds on the number of plans, with `most` of those of at most this many steps; `None` if there is no plan. What a
    /// limit leaves open is not known.
    ///
    /// # Errors
    /// A limit before the number of steps of a shortest plan was found.
    pub fn bounds(&self, most: Option<u32>) -> Result<Option<PlanBounds>, Limit> {
        let (grammar, law, budget) = (self.grammar(), self.law(), self.budget);
        let has_plan = |length: PlanLength| Planner::new(grammar, law, length, budget).has_plan();
        if !has_plan(most.map_or(PlanLength::Any, PlanLength::AtMost))? {
            return Ok(None);
        }
        // The least n with a plan of at most n steps, and the least n with no plan of at least n steps.
        let shortest = first(&|n| has_plan(PlanLength::AtMost(n)))?.ok_or_else(too_long)?;
        let longest = first(&|n| Ok(!has_plan(PlanLength::AtLeast(n))?)).ok().flatten().map(|n| n - 1);
        let longest = most.map_or(longest, |most| Some(longest.map_or(most, |longest| longest.min(most))));
        let (mut counted_length, mut at_least) = (None, BigUint::ZERO);
        for length in shortest..=longest.unwrap_or(MAX_LENGTH) {
            let mut short = Planner::new(grammar, law, PlanLength::AtMost(length), budget);
            short.look_ahead.reach.most = MAX_SHORT;
            match short.count() {
                Ok(count) => {
                    let Some(words) = count.words else { break };
                    (counted_length, at_least) = (Some(length), words);
                }
                Err(_) => break,
            }
        }
        let at_most = longest.and_then(|longest| self.without_limits(longest));
        let at_most = at_most.map(|most| most.max(at_least.clone()));
        Ok(Some(PlanBounds { shortest, longest, counted_length, at_least, at_most }))
    }

    /// The number of derivations of at most this many steps, without limits; `None` if a limit is met.
    fn without_limits(&self, longest: u32) -> Option<BigUint> {
        let mut space = Space::without_limits(self.grammar(), self.law(), PlanLength::AtMost(longest));
        let mut reach = Reach::with_limit(MAX_WITHOUT_LIMITS);
        match Forest::new(&mut space, &mut reach, self.budget).ok()?.derivations(&space) {
            Derivations::Finite(words, _) => Some(words),
            Derivations::InfiniteWords | Derivations::InfiniteTrees => None,
        }
    }
}

fn too_long() -> Limit {
    Limit::new(LimitKind::Size, format!("the shortest plan has more than {MAX_LENGTH} steps"))
}

/// The least number from 0 to [`MAX_LENGTH`] for which a monotone condition holds.
fn first(holds: &dyn Fn(u32) -> Result<bool, Limit>) -> Result<Option<u32>, Limit> {
    let mut high = 1;
    while !holds(high)? {
        if high >= MAX_LENGTH {
            return Ok(None);
        }
        high *= 2;
    }
    let mut low = 0;
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle)? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(Some(low))
}
