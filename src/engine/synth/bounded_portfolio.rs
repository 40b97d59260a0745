//! Decides a contract with the bounded engine. Each player has its own bounded game, with bounds 0, 1, 2, 4, …
//! interleaved by counted work; the two games are solved on two threads or in turns. At most one player can win, and
//! neither search depends on the other before that, so the answer does not depend on the clock or on the threads. The
//! sum of the work of both would depend on them, so under a stop flag that counts work they take turns.

use super::tuning::FIRST_SLICE;
use crate::game::{BoundedSolution, Objective, PositionStrategy, objective, solve};
use tsl_synth_core::base::{Budget, Limit, LimitKind, StopFlag};
use tsl_synth_core::logic::{Alphabet, Formulas, Player};
use tsl_synth_core::model::{Contract, Observer, Phase};

/// A contract to decide, with its limits.
#[derive(Clone, Copy)]
pub(super) struct BoundedQuery<'a> {
    pub(super) formulas: &'a Formulas,
    pub(super) alphabet: &'a Alphabet,
    pub(super) contract: &'a Contract,
    /// The only bound to try, if there is one.
    pub(super) bound: Option<u32>,
    /// Units of counted work for each player.
    pub(super) work: u64,
    pub(super) threads: usize,
    /// Diagram nodes for each player.
    pub(super) max_nodes: usize,
    pub(super) stop: &'a StopFlag,
    pub(super) observer: &'a dyn Observer,
}

/// The winner, its strategy, and the bound of its game.
#[derive(Debug)]
pub(super) struct BoundedAnswer {
    pub(super) winner: Player,
    pub(super) strategy: PositionStrategy,
    pub(super) bound: u32,
}

enum RoundResult {
    Won(PositionStrategy, u32),
    /// The work of this round is spent.
    Continue,
    /// The search has ended: all allowed bounds are lost, or a limit was reached.
    Ended(Limit),
}

/// One player's search.
struct Pursuit<'a> {
    query: BoundedQuery<'a>,
    player: Player,
    objective: Option<Objective>,
    bounds: Vec<(u32, bool)>,
    round: u32,
    spent: u64,
    flag: &'a StopFlag,
}

impl<'a> Pursuit<'a> {
    fn new(query: BoundedQuery<'a>, player: Player, flag: &'a StopFlag) -> Self {
        Self { query, player, objective: None, bounds: Vec::new(), round: 0, spent: 0, flag }
    }

    fn budget(&self, work: u64) -> Budget {
        Budget::unlimited().with_flag(self.query.stop.clone()).with_flag(self.flag.clone()).with_work(work)
    }

    /// One round: every bound so far that is not lost gets one slice of work.
    fn step(&mut self) -> RoundResult {
        if self.objective.is_none() {
            let budget = self.budget(self.query.work);
            let mut formulas = self.query.formulas.clone();
            let made =
                objective(&mut formulas, self.query.alphabet, self.query.contract, self.player, &budget);
            match made {
                Ok(objective) => self.objective = Some(objective),
                Err(limit) => return RoundResult::Ended(limit),
            }
        }
        let slice = FIRST_SLICE << (2 * self.round.min(20));
        match self.query.bound {
            Some(bound) if self.bounds.is_empty() => self.bounds.push((bound, false)),
            Some(_) => {}
            None => self.bounds.push((if self.round == 0 { 0 } else { 1 << (self.round - 1).min(7) }, false)),
        }
        for i in 0..self.bounds.len() {
            let (bound, lost) = self.bounds[i];
            if lost {
                continue;
            }
            let left = self.query.work.saturating_sub(self.spent);
            if left == 0 {
                return RoundResult::Ended(Limit::new(
                    LimitKind::Work,
                    "the work of one question to the bounded engine",
                ));
            }
            match self.play(bound, slice.min(left)) {
                Ok(BoundedSolution::Won(strategy)) => return RoundResult::Won(strategy, bound),
                Ok(BoundedSolution::Lost) => self.bounds[i].1 = true,
                Err(limit) if limit.kind == LimitKind::Work => {}
                Err(limit) => return RoundResult::Ended(limit),
            }
        }
        self.round += 1;
        let exhausted = self.query.bound.is_some() || self.round > 9;
        if exhausted && self.bounds.iter().all(|&(_, lost)| lost) {
            let largest = self.bounds.last().map_or(0, |b| b.0);
            let what = format!("no strategy of the {} with bound {largest} on rejecting visits", self.player);
            return RoundResult::Ended(Limit::new(LimitKind::Bound, what));
        }
        RoundResult::Continue
    }

    fn play(&mut self, bound: u32, work: u64) -> Result<BoundedSolution, Limit> {
        let budget = self.budget(work);
        self.query.observer.phase(Phase::BoundedGame { player: self.player, bound });
        let objective = self.objective.as_ref().expect("compiled before");
        let solution =
            solve(objective, self.query.alphabet, bound, self.query.max_nodes, &budget, self.query.observer);
        self.spent = self.spent.saturating_add(budget.work().min(work));
        solution
    }

    fn run(&mut self) -> Result<(PositionStrategy, u32), Limit> {
        loop {
            match self.step() {
                RoundResult::Won(strategy, bound) => return Ok((strategy, bound)),
                RoundResult::Continue => {}
                RoundResult::Ended(limit) => return Err(limit),
            }
        }
    }
}

/// Searches for a winning strategy of either player.
///
/// # Errors
/// The limits of both, the system's first.
pub(super) fn decide(query: BoundedQuery<'_>) -> Result<BoundedAnswer, [Limit; 2]> {
    let done = StopFlag::new();
    let mut system = Pursuit::new(query, Player::System, &done);
    let mut environment = Pursuit::new(query, Player::Environment, &done);
    let (first, second) = if !cfg!(target_family = "wasm") && query.threads > 1 && !query.stop.counts_work() {
        race(&mut system, &mut environment, &done)
    } else {
        take_turns(&mut system, &mut environment)
    };
    let answer = |winner, (strategy, bound)| BoundedAnswer { winner, strategy, bound };
    match (first, second) {
        (Ok(won), _) => Ok(answer(Player::System, won)),
        (_, Ok(won)) => Ok(answer(Player::Environment, won)),
        (Err(a), Err(b)) => Err([a, b]),
    }
}

type Outcome = Result<(PositionStrategy, u32), Limit>;

fn race(system: &mut Pursuit<'_>, environment: &mut Pursuit<'_>, done: &StopFlag) -> (Outcome, Outcome) {
    let pursue = |pursuit: &mut Pursuit<'_>| {
        let outcome = pursuit.run();
        if outcome.is_ok() {
            done.raise(LimitKind::Superseded);
        }
        outcome
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| pursue(environment));
        let first = pursue(system);
        // A panic of the other thread is a bug and is resumed here.
        let second = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (first, second)
    })
}

fn take_turns(system: &mut Pursuit<'_>, environment: &mut Pursuit<'_>) -> (Outcome, Outcome) {
    let superseded = || Err(Limit::new(LimitKind::Superseded, "the other player won"));
    let (mut first, mut second): (Option<Limit>, Option<Limit>) = (None, None);
    loop {
        if first.is_none() {
            match system.step() {
                RoundResult::Won(strategy, bound) => return (Ok((strategy, bound)), superseded()),
                RoundResult::Continue => {}
                RoundResult::Ended(limit) => first = Some(limit),
            }
        }
        if second.is_none() {
            match environment.step() {
                RoundResult::Won(strategy, bound) => return (superseded(), Ok((strategy, bound))),
                RoundResult::Continue => {}
                RoundResult::Ended(limit) => second = Some(limit),
            }
        }
        if let (Some(a), Some(b)) = (&first, &second) {
            return (Err(a.clone()), Err(b.clone()));
        }
    }
}
