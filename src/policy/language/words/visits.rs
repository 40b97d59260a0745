//! Laws on the number of visits: a visit of a condition is a maximal interval of steps in which it holds. These are the
//! restricted avoidance patterns of Menghi et al., "Specification Patterns for Robotic Missions", TSE 47(10), 2021.

use super::tree::{LawTree, Link, Temporal};

/// A law on the number of visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Visits<'a> {
    /// The condition that is visited.
    pub(super) on: &'a LawTree,
    /// The least number of visits, if it is bounded.
    pub(super) least: Option<u32>,
    /// The largest number of visits, if it is bounded.
    pub(super) most: Option<u32>,
}

/// `on & (on U (!on & F (on & ... F on)))`: `times` visits, the first in this step; `None` if `times` is 0.
fn chain(on: &LawTree, times: u32) -> Option<LawTree> {
    let mut law = None;
    for _ in 0..times {
        law = Some(match law {
            None => on.clone(),
            Some(more) => {
                let gone = LawTree::all([LawTree::negate(on.clone()), LawTree::finally(more)]);
                LawTree::all([on.clone(), LawTree::binary(Link::Until, on.clone(), gone)])
            }
        });
    }
    law
}

/// There are at least so many visits.
pub(super) fn at_least(on: &LawTree, times: u32) -> LawTree {
    chain(on, times).map_or(LawTree::Constant(true), LawTree::finally)
}

/// There are at most so many visits.
pub(super) fn at_most(on: &LawTree, times: u32) -> LawTree {
    chain(on, times.saturating_add(1))
        .map_or(LawTree::Constant(true), |chain| LawTree::Not(Box::new(LawTree::finally(chain))))
}

/// Recognizes a law that requires at least `n` visits for some `n` > 1, or at most `n` for some `n` > 0.
pub(super) fn visits(law: &LawTree) -> Option<Visits<'_>> {
    if let LawTree::Not(inner) = law {
        let (on, n) = counted(inner)?;
        return (n > 1).then_some(Visits { on, least: None, most: Some(n - 1) });
    }
    let (on, n) = counted(law)?;
    (n > 1).then_some(Visits { on, least: Some(n), most: None })
}

/// `F (on & (on U (!on & F (..))))`; `x U F y` is equivalent to `F y`.
fn counted(law: &LawTree) -> Option<(&LawTree, u32)> {
    let mut rest = comes(law)?;
    let mut found: Option<&LawTree> = None;
    let mut times = 0;
    loop {
        times += 1;
        let next = match rest {
            LawTree::And(all) => match all.as_slice() {
                [on, LawTree::Binary(Link::Until, again, gone)] if on == &**again => Some((on, gone)),
                _ => None,
            },
            _ => None,
        };
        let Some((on, gone)) = next else {
            let on = found.unwrap_or(rest);
            return (on == rest && on.is_boolean()).then_some((on, times));
        };
        let LawTree::And(all) = &**gone else { return None };
        let [LawTree::Not(not_on), later] = all.as_slice() else { return None };
        if on != &**not_on || found.is_some_and(|found| found != on) {
            return None;
        }
        found = Some(on);
        rest = comes(later)?;
    }
}

/// `f` if the law is equivalent to `F f`: for `F f`, `F F f`, `x U F f` and `(!f) U f`.
fn comes(law: &LawTree) -> Option<&LawTree> {
    let mut law = match law {
        LawTree::Unary(Temporal::Finally, inner) => &**inner,
        LawTree::Binary(Link::Until, kept, inner) => match (&**kept, &**inner) {
            (_, LawTree::Unary(Temporal::Finally, _)) => inner,
            (LawTree::Not(not), inner) if &**not == inner => return Some(inner),
            _ => return None,
        },
        _ => return None,
    };
    while let LawTree::Unary(Temporal::Finally, inner) = law {
        law = inner;
    }
    Some(law)
}
