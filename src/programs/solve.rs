//! Decides games over programs: both players' fixpoints in turn with growing effort, component by component.

use crate::arena::{Arena, Facts, Side};
use crate::certificate::{Builder, SolvedComponent};
use crate::fixpoint::{Effort, Fixpoint, Level};
use crate::objective::product;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_arithmetic::Region;
use tsl_synth_automata::components;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind};
use tsl_synth_core::model::{LocationId, ProgramCertificate, ProgramGame, ProgramText};
use tsl_synth_kernel::{CertifyError, certify_program};

/// Who wins a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// The system, from the whole start.
    System,
    /// The environment, from some start.
    Environment,
}

/// The answer about a text.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The game that was solved: of a text with a formula the product with the automaton of the formula.
    pub game: ProgramGame,
    /// The winner with the certificate, which was checked; `None` if it was not found.
    pub answer: Option<(Winner, ProgramCertificate)>,
}

/// What is tried in turn.
const EFFORTS: [Effort; 4] = [
    Effort { stages: 12, rounds: 8, loops: 1, nested: 0, others: true, candidate: 100_000 },
    Effort { stages: 40, rounds: 20, loops: 1, nested: 0, others: true, candidate: 400_000 },
    Effort { stages: 40, rounds: 20, loops: 2, nested: 0, others: true, candidate: 1_200_000 },
    Effort { stages: 120, rounds: 40, loops: 2, nested: 0, others: true, candidate: 6_000_000 },
];

/// A search for the strategy of one player.
struct Search {
    side: Side,
    /// Whether it guesses invariants from how bounds change from stage to stage, and rounds long fractions.
    guesses: bool,
    /// Whether it tries first what steps of equal size keep.
    carries: bool,
    /// The most loops of a level around a loop of the same level, for each effort in place of its own limit.
    nested: [usize; EFFORTS.len()],
    /// Its share of the work.
    share: u64,
}

/// The searches, which take turns. The first one finds most strategies; the strategy of the environment is rarely the
/// larger one.
const SEARCHES: [Search; 7] = [
    Search { side: Side::System, guesses: false, carries: true, nested: [0, 1, 1, 2], share: 8 },
    Search { side: Side::System, guesses: false, carries: false, nested: [0; 4], share: 8 },
    Search { side: Side::System, guesses: false, carries: false, nested: [1, 2, 3, 3], share: 4 },
    Search { side: Side::System, guesses: true, carries: false, nested: [0; 4], share: 6 },
    Search { side: Side::Environment, guesses: false, carries: true, nested: [0; 4], share: 3 },
    Search { side: Side::Environment, guesses: false, carries: false, nested: [0, 0, 1, 2], share: 2 },
    Search { side: Side::Environment, guesses: true, carries: false, nested: [0; 4], share: 2 },
];

/// The work of the first attempt of a search with a share of one, and the factor by which it grows after an attempt that
/// reached its limit of work, whose results are lost.
const FIRST_WORK: u64 = 50_000;
const GROWTH: u64 = 4;

/// The exact rounds of a greatest fixpoint in the first attempt of a search that guesses.
const GUESSED_ROUNDS: usize = 2;

/// Solves a game and certifies the answer.
///
/// # Errors
/// A limit of the budget; a certificate that the checker refuses.
pub fn solve(text: &ProgramText, budget: &Budget) -> Result<Solution, CertifyError> {
    let game = product(text, budget)?;
    let facts = Arena::new(&game, budget, None)?.facts();
    let mut turns = SEARCHES.map(Turn::new);
    loop {
        let left = budget.left().saturating_sub(turns.iter().map(|turn| turn.spent).sum());
        let open = turns.iter_mut().filter(|turn| turn.effort < EFFORTS.len());
        // Among searches with equal work for their share, the one whose next attempt is shortest is next.
        let order = |turn: &&mut Turn| (turn.spent / turn.search.share, turn.allowed);
        let Some(turn) = open.min_by_key(order) else { break };
        let own = budget.child(turn.allowed.min(left));
        let mut effort = Effort { nested: turn.search.nested[turn.effort], ..EFFORTS[turn.effort] };
        effort.others = !(turn.search.carries && turn.effort == 0);
        if turn.search.guesses && turn.effort == 0 {
            effort.rounds = GUESSED_ROUNDS;
        }
        let result = attempt(&game, &facts, &turn.search, effort, &own);
        turn.spent += own.work();
        match result {
            Ok(Some(certificate)) => {
                certify_program(&game, &certificate, budget)?;
                return Ok(Solution { game, answer: Some((turn.search.winner(), certificate)) });
            }
            Ok(None) => turn.effort += 1,
            Err(limit) if limit.kind == LimitKind::Work && own.left() == 0 && turn.allowed < left => {
                turn.allowed = turn.allowed.saturating_mul(GROWTH);
            }
            Err(limit) => return Err(limit.into()),
        }
    }
    Ok(Solution { game, answer: None })
}

/// How far a search is. The one with the least work for its share is next.
struct Turn {
    search: Search,
    /// The index of the next effort.
    effort: usize,
    /// The work that the next attempt may take.
    allowed: u64,
    /// The work of all attempts.
    spent: u64,
}

impl Turn {
    fn new(search: Search) -> Self {
        Self { effort: 0, allowed: FIRST_WORK * search.share, spent: 0, search }
    }
}

impl Search {
    fn winner(&self) -> Winner {
        match self.side {
            Side::System => Winner::System,
            Side::Environment => Winner::Environment,
        }
    }
}

fn attempt(
    game: &ProgramGame,
    facts: &Facts,
    search: &Search,
    effort: Effort,
    budget: &Budget,
) -> Result<Option<ProgramCertificate>, Limit> {
    let side = search.side;
    let mut arena = Arena::new(game, budget, Some(facts))?;
    let order = ordered_components(game);
    let mut won: Vec<Region> = vec![Region::new(); game.locations.len()];
    let mut solved: Vec<SolvedComponent> = Vec::new();
    for (number, own) in order.into_iter().enumerate() {
        let levels = levels(game, &own, side);
        let mut fixpoint = Fixpoint {
            arena: &mut arena,
            side,
            effort,
            guesses: search.guesses,
            carries: search.carries,
            own: own.clone(),
            levels: levels.clone(),
            won: &won,
            depth: 0,
            nested_in: None,
            tried: FxHashSet::default(),
            relevant: None,
            failed: FxHashSet::default(),
            succeeded: FxHashSet::default(),
            entries: FxHashMap::default(),
            plain_work: 0,
            cut: FxHashMap::default(),
            steps: FxHashMap::default(),
            work_limit: u64::MAX,
        };
        let (value, record) = fixpoint.level(&mut Vec::new())?;
        for &location in &own {
            won[location.index()].clone_from(&value[location.index()]);
        }
        solved.push(SolvedComponent { number, own, levels, record });
    }
    let region = won[game.initial.index()].clone();
    let mut wins = side == Side::System;
    for part in &game.start {
        let Some(part) = arena.space.polyhedron(part) else { continue };
        match side {
            Side::System => wins &= arena.space.is_covered(&part, &region),
            Side::Environment => {
                wins |= !arena.space.intersection(&vec![part], &region).is_empty();
            }
        }
    }
    if !wins {
        return Ok(None);
    }
    let nesting = solved.iter().map(|component| component.record.nesting()).max().unwrap_or(0);
    let mut builder = Builder::new(&mut arena, side, nesting);
    for component in &solved {
        builder.add(component, &won)?;
    }
    builder.finish()
}

/// The strongly connected components of the locations, those without a way to others first.
fn ordered_components(game: &ProgramGame) -> Vec<Vec<LocationId>> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); game.locations.len()];
    for one in &game.moves {
        next[one.from.index()].push(one.to.index());
    }
    let found = components(&next);
    let mut order = vec![Vec::new(); found.count()];
    for (location, component) in game.locations.ids().zip(found.iter()) {
        order[component.index()].push(location);
    }
    order
}

/// The levels of a component: its priorities in order, neighbors that are good for the same player together.
fn levels(game: &ProgramGame, own: &[LocationId], side: Side) -> Vec<Level> {
    let is_own = |location: LocationId| own.binary_search(&location).is_ok();
    let inner = game.moves.iter().filter(|one| is_own(one.from) && is_own(one.to));
    let mut priorities: Vec<u32> = inner.map(|one| one.priority).collect();
    priorities.sort_unstable();
    priorities.dedup();
    let mut levels: Vec<Level> = Vec::new();
    for priority in priorities {
        let good = side.likes(priority);
        match levels.last_mut() {
            Some(last) if last.good == good => last.priorities.push(priority),
            _ => levels.push(Level { priorities: vec![priority], good }),
        }
    }
    levels
}
