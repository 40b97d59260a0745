//! Endless plays against a counter-strategy: lassos of the machine.
//!
//! A clause is *broken* in a play if some prefix violates it whatever follows. That is the case iff the clause with `W`
//! for `U`, and so on, fails on the word: the limit of the weak views of [`super::forced`], which become stronger with
//! every step.

use super::tuning::MAX_SETS;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Letter, Node};
use tsl_synth_core::model::CounterStrategy;

/// One step of a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayStep {
    /// The true bits of the environment.
    pub input: Letter,
    /// The true bits of the system; `None` if every answer loses.
    pub output: Option<Letter>,
}

/// An endless play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endless {
    /// Its steps; the last ones are the loop.
    pub(super) steps: Vec<PlayStep>,
    /// Where the loop begins.
    pub(super) from: usize,
}

/// The plays against a counter-strategy, and the clauses that they may break.
pub(super) struct CounterPlays<'a> {
    pub(super) formulas: Formulas,
    pub(super) alphabet: &'a Alphabet,
    pub(super) counter: &'a CounterStrategy,
    pub(super) clauses: Vec<FormulaId>,
    /// For each clause the formula that no prefix breaks it.
    pub(super) unbroken: Vec<FormulaId>,
}

impl<'a> CounterPlays<'a> {
    /// Plays against a counter-strategy that defeats the conjunction of the clauses.
    pub(super) fn new(
        formulas: &Formulas,
        alphabet: &'a Alphabet,
        counter: &'a CounterStrategy,
        clauses: Vec<FormulaId>,
    ) -> Self {
        let mut formulas = formulas.clone();
        let unbroken = clauses.iter().map(|&f| unbroken(&mut formulas, f)).collect();
        Self { formulas, alphabet, counter, clauses, unbroken }
    }
}

pub(super) fn what() -> String {
    "looking for a shortest losing play".into()
}

/// The subsets with `size` elements of the numbers below n, in lexicographic order.
pub(super) fn subsets(n: usize, size: usize) -> Result<Vec<Vec<usize>>, Limit> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = all.iter().flat_map(|set| {
            let first = set.last().map_or(0, |&last| last + 1);
            (first..n).map(move |i| set.iter().copied().chain([i]).collect())
        });
        all = longer.collect();
        if all.len() > MAX_SETS {
            return Err(Limit::new(LimitKind::Size, what()));
        }
    }
    Ok(all)
}

/// The formula that holds on a word iff no prefix of it breaks `f`. O(size).
fn unbroken(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    // For each subformula: that no prefix makes it false, and that some prefix makes it true.
    let mut views: FxHashMap<FormulaId, (FormulaId, FormulaId)> = FxHashMap::default();
    let (top, bottom) = (formulas.top(), formulas.bottom());
    for g in formulas.subformulas(&[f]) {
        let view = match formulas.node(g).clone() {
            Node::True | Node::False | Node::Atom(_) => (g, g),
            Node::Not(h) => {
                let (weak, strong) = views[&h];
                (formulas.not(strong), formulas.not(weak))
            }
            Node::And(hs) => {
                (formulas.and(hs.iter().map(|h| views[h].0)), formulas.and(hs.iter().map(|h| views[h].1)))
            }
            Node::Or(hs) => {
                (formulas.or(hs.iter().map(|h| views[h].0)), formulas.or(hs.iter().map(|h| views[h].1)))
            }
            Node::Iff(a, b) => {
                let ((wa, sa), (wb, sb)) = (views[&a], views[&b]);
                let mut equal = |yes: [FormulaId; 2], no: [FormulaId; 2]| {
                    let no = no.map(|h| formulas.not(h));
                    let (both, neither) = (formulas.and(yes), formulas.and(no));
                    formulas.or([both, neither])
                };
                (equal([wa, wb], [sa, sb]), equal([sa, sb], [wa, wb]))
            }
            Node::Next(h) => (formulas.next(views[&h].0), formulas.next(views[&h].1)),
            Node::Finally(h) => (top, formulas.finally(views[&h].1)),
            Node::Globally(h) => (formulas.globally(views[&h].0), bottom),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                (formulas.weak_until(views[&a].0, views[&b].0), formulas.until(views[&a].1, views[&b].1))
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => (
                formulas.release(views[&a].0, views[&b].0),
                formulas.strong_release(views[&a].1, views[&b].1),
            ),
        };
        views.insert(g, view);
    }
    views[&f].0
}
