//! The explicit engine: the product of the automata explored forward from the initial position, for either player.
//!
//! For games with few reachable positions although the alphabet is large, such as models of environments in which
//! assumptions allow few letters in each state. The game is solved repeatedly while it grows, with unexplored positions
//! counted as won by the opponent, and finally as a whole. Complete for contracts whose conjuncts compile to automata;
//! its answers are checked by the certifier.

mod decisions;
mod product;
mod walk;
mod zielonka;

use super::bounded::PositionStrategy;
use super::compiled::CompiledContract;
use super::condition::ColorCondition;
use super::mode::Mode;
use crate::game::tuning::{FIRST_VERTICES, VERTICES_GROWTH};
use product::{ExplicitGame, Vertex, WON};
use std::collections::BTreeMap;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, Player};
use tsl_synth_core::model::{Observer, Phase};
use zielonka::{RecursivePlan, RecursiveSolver, slot};

/// The winner with a strategy.
#[derive(Clone, Debug)]
pub struct ExplicitSolution {
    /// The winner of the game.
    pub winner: Player,
    /// A winning strategy for the winner.
    pub strategy: PositionStrategy,
    /// How many positions were seen.
    pub positions: usize,
}

/// The limits of an explicit game.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitEffort {
    /// Nodes of decision diagrams.
    pub max_nodes: usize,
    /// Positions of the strategy.
    pub max_positions: usize,
    /// The most work for a single position; when the whole game takes more, an eighth of the known positions must be
    /// explored.
    pub least_work: u64,
}

/// Solves the game of a contract's automata.
///
/// # Errors
/// A limit: of the budget or the effort ([`LimitKind::Size`] when that work was not enough), of colors.
pub fn solve_explicit(
    compiled: &CompiledContract,
    alphabet: &Alphabet,
    effort: ExplicitEffort,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<ExplicitSolution, Limit> {
    observer.phase(Phase::ExplicitGame);
    let conditions: BTreeMap<Mode, ColorCondition> =
        Mode::ALL.iter().map(|&mode| (mode, mode.objective(compiled).clone())).collect();
    let mut product = ExplicitGame::new(compiled, alphabet, effort, budget)?;
    let mut next = FIRST_VERTICES;
    let (winner, plan) = loop {
        while product.is_open() && product.vertices.len() < next {
            product.explore()?;
            if budget.work() > effort.least_work && product.open() / 7 > product.positions() / 8 {
                return Err(Limit::new(LimitKind::Size, "an explicit game that keeps growing"));
            }
        }
        next = product.vertices.len() * VERTICES_GROWTH;
        if let Some(won) = winner(&product, &conditions, budget)? {
            break won;
        }
    };
    observer.phase(Phase::ExplicitStrategy);
    let positions = product.positions();
    let strategy = walk::strategy(&mut product, alphabet, winner, &plan, effort.max_positions, budget)?;
    Ok(ExplicitSolution { winner, strategy, positions })
}

/// The winner with a plan; `None` if that depends on unexplored positions.
fn winner(
    product: &ExplicitGame<'_>,
    conditions: &BTreeMap<Mode, ColorCondition>,
    budget: &Budget,
) -> Result<Option<(Player, RecursivePlan)>, Limit> {
    let mut solver = RecursiveSolver::new(&product.graph, conditions, budget);
    for player in [Player::System, Player::Environment] {
        let decided = |v: u32| match product.vertices[v as usize] {
            Vertex::Won => WON.iter().find(|(_, vertex)| *vertex == v).map(|&(winner, _)| winner),
            Vertex::Position(None) => Some(player.opponent()),
            _ => None,
        };
        let mut plans = solver.solve(&decided)?;
        for winner in [Player::System, Player::Environment] {
            if plans[slot(winner)].covers(product.initial) && (winner == player || !product.is_open()) {
                return Ok(Some((winner, std::mem::take(&mut plans[slot(winner)]))));
            }
        }
    }
    if product.is_open() {
        return Ok(None);
    }
    Err(Limit::new(LimitKind::Size, "the explicit game: neither player wins"))
}
