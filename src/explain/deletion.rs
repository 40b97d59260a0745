//! Which clauses cannot be kept together.
//!
//! Deletion: a guarantee is left out whenever the rest is still unrealizable. Leaving out guarantees only
//! helps the system, so a set from which no single guarantee can be left out has no smaller unrealizable
//! subset (Cimatti, Roveri, Schuppan, Tchaltsev 2008, "Diagnostic information for realizability",
//! definition 8 for guarantees). Groups are tried before single guarantees. Every answer that counts is
//! certified; an unknown one keeps its guarantee and costs minimality, which is said.

use crate::base::{IdSet, IdVec, Observer};
use crate::logic::{AtomKind, BitId};
use crate::model::{CounterStrategy, Notion, Role, Verdict};
use crate::spec::{Clause, ClauseId, Problem};
use crate::synth::{Options, synthesize};

/// More questions than this are not asked.
const QUESTIONS: usize = 400;

/// Guarantees that no controller keeps together.
#[derive(Clone, Debug)]
pub struct Core {
    /// The guarantees, in source order.
    pub guarantees: Vec<ClauseId>,
    /// Assumptions that speak, directly or through other assumptions, about what these guarantees speak
    /// about: the environment keeps them all the same. The others do not matter here.
    pub assumptions: Vec<ClauseId>,
    /// Whether each of the guarantees is needed, as certified answers say.
    pub minimal: bool,
    /// A counter-strategy against these guarantees alone.
    pub counter: CounterStrategy,
    /// In which sense they are unrealizable.
    pub notion: Notion,
}

/// A minimal core of an unrealizable problem with this counter-strategy. Facts that refinement found must
/// be among the clauses. Stops early, with what it has, when the stop flag of `options` is raised.
pub fn minimal_core(
    problem: &Problem,
    counter: &CounterStrategy,
    notion: Notion,
    options: &Options,
    observer: &dyn Observer,
) -> Core {
    observer.phase("which clauses are at fault");
    let guarantees: Vec<ClauseId> =
        problem.clauses.enumerate().filter(|(_, c)| c.role == Role::Guarantee).map(|(id, _)| id).collect();
    let mut search = Search {
        problem,
        options: Options { minimize: false, ..options.clone() },
        observer,
        questions: 0,
        counter: counter.clone(),
        notion,
        unsure: false,
    };
    let kept = search.shrink(guarantees);
    Core {
        assumptions: related_assumptions(problem, &kept),
        guarantees: kept,
        minimal: !search.unsure,
        counter: search.counter,
        notion: search.notion,
    }
}

struct Search<'a> {
    problem: &'a Problem,
    options: Options,
    observer: &'a dyn Observer,
    questions: usize,
    counter: CounterStrategy,
    notion: Notion,
    unsure: bool,
}

impl Search<'_> {
    fn shrink(&mut self, mut kept: Vec<ClauseId>) -> Vec<ClauseId> {
        let mut chunk = kept.len() / 2;
        while chunk > 1 {
            self.pass(&mut kept, chunk);
            chunk = chunk.min(kept.len()) / 2;
        }
        // Only answers about single guarantees decide whether the core is minimal.
        self.unsure = false;
        self.pass(&mut kept, 1);
        kept
    }

    /// Tries to leave out each group of `chunk` neighbors, last ones first.
    fn pass(&mut self, kept: &mut Vec<ClauseId>, chunk: usize) {
        let mut end = kept.len();
        while end > 0 && kept.len() > 1 {
            let start = end.saturating_sub(chunk);
            let mut fewer = kept.clone();
            fewer.drain(start..end);
            if !fewer.is_empty() && self.still_unrealizable(&fewer) {
                *kept = fewer;
            }
            end = start;
        }
    }

    fn still_unrealizable(&mut self, guarantees: &[ClauseId]) -> bool {
        if self.questions >= QUESTIONS || self.options.stop.raised().is_some() {
            self.unsure = true;
            return false;
        }
        self.questions += 1;
        self.observer.count("questions asked", self.questions as u64);
        let keep = |id: ClauseId, clause: &Clause| clause.role != Role::Guarantee || guarantees.contains(&id);
        let outcome = synthesize(&mut part(self.problem, keep), &self.options, self.observer);
        match outcome.verdict {
            // An answer in the weaker sense is no proof of one in the stronger.
            Verdict::Unrealizable(counter, notion) if notion == self.notion || notion == Notion::Tsl => {
                self.counter = counter;
                self.notion = notion;
                true
            }
            Verdict::Realizable(_) => false,
            Verdict::Unrealizable(..) | Verdict::Unknown(_) => {
                self.unsure = true;
                false
            }
        }
    }
}

/// The problem with some of its clauses.
pub(super) fn part(problem: &Problem, keep: impl Fn(ClauseId, &Clause) -> bool) -> Problem {
    let clauses: IdVec<ClauseId, Clause> =
        problem.clauses.enumerate().filter(|(id, c)| keep(*id, c)).map(|(_, c)| c.clone()).collect();
    Problem { clauses, ..problem.clone() }
}

/// The bits that the formula of a clause speaks about; a cell is all of its bits.
fn bits(problem: &Problem, clause: ClauseId) -> IdSet<BitId> {
    let mut bits = IdSet::new();
    for atom in problem.formulas.support(&[problem.clauses[clause].formula]).iter() {
        match problem.alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => {
                bits.insert(bit);
            }
            AtomKind::Update(cell, _) => bits.extend(problem.alphabet.cells()[cell].bits.iter().copied()),
        }
    }
    bits
}

fn related_assumptions(problem: &Problem, guarantees: &[ClauseId]) -> Vec<ClauseId> {
    let mut spoken = IdSet::new();
    for &guarantee in guarantees {
        spoken.union_with(&bits(problem, guarantee));
    }
    let mut waiting: Vec<(ClauseId, IdSet<BitId>)> = problem
        .clauses
        .enumerate()
        .filter(|(_, c)| c.role == Role::Assumption)
        .map(|(id, _)| (id, bits(problem, id)))
        .collect();
    let mut related = Vec::new();
    loop {
        let (near, far): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(_, bits)| bits.is_empty() || !bits.is_disjoint(&spoken));
        if near.is_empty() {
            break;
        }
        for (id, bits) in near {
            spoken.union_with(&bits);
            related.push(id);
        }
        waiting = far;
    }
    related.sort_unstable();
    related
}
