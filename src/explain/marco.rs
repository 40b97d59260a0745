//! All cores of an unrealizable problem, up to a number.
//!
//! Source: Liffiton, Previti, Malik and Marques-Silva 2016, "Fast, flexible MUS enumeration" (MARCO), with guarantees
//! for constraints and realizability for satisfiability: both are monotone. A map, a propositional formula over "this
//! guarantee is in the set", represents the sets that are not yet explored. Each seed is made as large as the map
//! allows, so that a realizable seed is a maximal realizable set (its complement is a minimal set of guarantees to give
//! up), and an unrealizable one is shrunk to a core ([`super::cores`]). Each core and each maximal set is found
//! once; there may be exponentially many of both.

use super::cores::{Core, guarantees_of, shrink};
use super::counter_repr::CounterRepr;
use super::synthesis_queries::{SynthesisAnswer, Synthesizer, with_guarantees};
use super::tuning::{SEEDS, UNANSWERED};
use rustsat::solvers::{Solve, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal, Var};
use rustsat_batsat::BasicSolver;
use tsl_synth_core::model::{Abstraction, Observer, Phase};
use tsl_synth_engine::synth::{FailedCertificate, SolverOptions};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// Cores, and minimal sets of guarantees to give up.
#[derive(Clone, Debug)]
pub struct Cores {
    /// The cores, in the order in which they were found.
    pub cores: Vec<Core>,
    /// Minimal sets of guarantees without which the others are realizable.
    pub corrections: Vec<Vec<ClauseId>>,
    /// Whether both lists are complete.
    pub complete: bool,
}

/// The cores of an unrealizable problem with this counter-strategy, at most `limit` of them. Facts that
/// refinement found must be among the clauses. Stops early when the stop flag of `options` is raised.
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn all_cores(
    problem: &Problem,
    (counter, notion): (Option<&CounterRepr>, Abstraction),
    limit: usize,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Cores, FailedCertificate> {
    observer.phase(Phase::AllCores);
    let guarantees = guarantees_of(problem);
    let mut found = Cores { cores: Vec::new(), corrections: Vec::new(), complete: true };
    let mut map = Map::new(guarantees.len());
    let mut asker = Synthesizer::new(options, observer);
    for _ in 0..SEEDS.saturating_mul(limit) {
        let Some(seed) = map.seed() else { return Ok(found) };
        if found.cores.len() == limit {
            break;
        }
        asker.allow(1, UNANSWERED);
        let set: Vec<ClauseId> = seed.iter().map(|&i| guarantees[i]).collect();
        if seed.len() == guarantees.len() {
            found.add(shrink(problem, set, (counter.cloned(), notion), &mut asker)?, &guarantees, &mut map);
            continue;
        }
        match asker.ask_at_length(&with_guarantees(problem, &set))? {
            SynthesisAnswer::Realizable(_) => {
                let gone = guarantees.iter().copied().filter(|id| !set.contains(id));
                found.corrections.push(gone.collect());
                map.block_down(&seed);
            }
            SynthesisAnswer::Unrealizable(counter, n) if n == notion || n == Abstraction::Tsl => {
                found.add(shrink(problem, set, (Some(counter), n), &mut asker)?, &guarantees, &mut map);
            }
            SynthesisAnswer::Unrealizable(..) | SynthesisAnswer::Unknown => {
                found.complete = false;
                map.block_down(&seed);
            }
        }
        if options.stop.raised().is_some() {
            break;
        }
    }
    found.complete = false;
    Ok(found)
}

impl Cores {
    /// Adds a core, whose supersets need not be explored.
    fn add(&mut self, core: Core, guarantees: &[ClauseId], map: &mut Map) {
        let position = |id: &ClauseId| guarantees.iter().position(|g| g == id).unwrap_or_default();
        map.block_up(core.guarantees.iter().map(position).collect());
        self.complete &= core.minimal;
        self.cores.push(core);
    }
}

/// The sets of guarantees that are not yet explored.
struct Map {
    size: usize,
    solver: BasicSolver,
    cores: Vec<Vec<usize>>,
}

impl Map {
    /// Initially no set is explored.
    fn new(size: usize) -> Self {
        let mut solver = BasicSolver::default();
        if size > 0 {
            let _ = solver.reserve(Self::literal(size - 1, true).var());
        }
        Self { size, solver, cores: Vec::new() }
    }

    fn literal(i: usize, positive: bool) -> Lit {
        let var = Var::new(u32::try_from(i).unwrap_or(0));
        if positive { var.pos_lit() } else { var.neg_lit() }
    }

    /// A set that is neither a superset of a core nor a subset of a blocked set, as large as possible.
    fn seed(&mut self) -> Option<Vec<usize>> {
        if !matches!(self.solver.solve(), Ok(SolverResult::Sat)) {
            return None;
        }
        let is_inside = |i| matches!(self.solver.lit_val(Self::literal(i, true)), Ok(TernaryVal::True));
        let mut inside: Vec<bool> = (0..self.size).map(is_inside).collect();
        for i in 0..self.size {
            if !inside[i] {
                inside[i] = true;
                inside[i] = !self.cores.iter().any(|core| core.iter().all(|&j| inside[j]));
            }
        }
        Some((0..self.size).filter(|&i| inside[i]).collect())
    }

    /// Excludes all subsets of a set.
    fn block_down(&mut self, set: &[usize]) {
        let outside = (0..self.size).filter(|i| !set.contains(i)).map(|i| Self::literal(i, true));
        self.add(outside.collect());
    }

    /// Excludes all supersets of a core.
    fn block_up(&mut self, core: Vec<usize>) {
        self.add(core.iter().map(|&i| Self::literal(i, false)).collect());
        self.cores.push(core);
    }

    fn add(&mut self, literals: Vec<Lit>) {
        // This cannot fail: the solver has no limit.
        let _ = self.solver.add_clause(Clause::from_iter(literals));
    }
}
