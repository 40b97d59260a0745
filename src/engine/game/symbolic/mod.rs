//! The symbolic engine: the product of the automata as a game on decision diagrams, for either player.
//!
//! Complete for contracts whose conjuncts compile to automata: the game is determined, so one of the
//! players wins. Its answers are checked by the certifier.

mod arena;
mod choice;
mod circuit;
mod diagrams;
mod fixpoint;
mod layout;
mod order;
mod reachable;
mod sift;
mod strategy;
mod turns;

use super::bounded::PositionStrategy;
use super::compiled::CompiledContract;
use super::condition::ZielonkaTree;
use crate::game::tuning::{FIRST_NODES, LARGE_STRATEGY, SMALL_STRATEGY};
use arena::{Mode, SymbolicArena};
use diagrams::Bdd;
use fixpoint::FixpointSolver;
use layout::VariableLayout;
pub(super) use layout::state_codes;
use reachable::TransitionRelation;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, Player};
use tsl_synth_core::model::{Circuit, Observer, Phase};
use turns::TurnBits;

/// The requested form of a strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StrategyForm {
    /// Explicit if it is small, otherwise a circuit.
    #[default]
    Either,
    /// Explicit unless it is very large, otherwise a circuit.
    PreferExplicit,
    /// Explicit.
    Explicit,
    /// A circuit.
    Circuit,
}

/// The winner with a strategy.
#[derive(Clone, Debug)]
pub struct SymbolicSolution {
    /// The winner of the game.
    pub winner: Player,
    /// A winning strategy for the winner.
    pub strategy: SymbolicStrategy,
    /// Diagram nodes at the end.
    pub nodes: usize,
}

/// A winning strategy.
#[derive(Clone, Debug)]
pub enum SymbolicStrategy {
    /// Explicit positions with their moves.
    Explicit(PositionStrategy),
    /// A circuit.
    Circuit(Circuit),
}

/// Solves the game of a contract's automata with at most `max_nodes` diagram nodes. `wanted` returns the requested form
/// of the winner's strategy.
///
/// # Errors
/// A limit: of the budget, of nodes, of the Zielonka tree, of positions of the explicit strategy.
pub fn solve_symbolic(
    compiled: &CompiledContract,
    alphabet: &Alphabet,
    max_nodes: usize,
    wanted: impl Fn(Player) -> StrategyForm,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<SymbolicSolution, Limit> {
    let turns = turns(compiled, budget)?;
    let mut layout = VariableLayout::new(compiled, alphabet);
    let mut large = false;
    growing(max_nodes, |nodes| {
        observer.phase(Phase::SymbolicGame(Player::System));
        let arena = SymbolicArena::new(compiled, alphabet, &mut layout, nodes, turns, budget)?;
        let within = reachable(&arena)?;
        let won = won_by_system(&arena, &within)?;
        let winner = if won.is_some() { Player::System } else { Player::Environment };
        let solver = if let Some(solver) = won {
            solver
        } else {
            observer.phase(Phase::SymbolicGame(Player::Environment));
            let mut solver = FixpointSolver::new(&arena, winner, &within);
            if !solver.solve()? {
                return Err(Limit::new(LimitKind::Size, "the symbolic game: neither player wins"));
            }
            solver
        };
        observer.phase(Phase::SymbolicStrategy);
        let strategy = strategy(&solver, wanted(winner), &mut large, budget)?;
        Ok(SymbolicSolution { winner, strategy, nodes: arena.diagrams.nodes() })
    })
}

/// The positions that matter in the first mode: unreachable ones would make diagrams larger and fixpoints longer.
fn reachable(arena: &SymbolicArena<'_>) -> Result<Bdd, Limit> {
    match TransitionRelation::new(arena)?.reachable(&arena.stays()?)? {
        Some(reached) => arena.diagrams.exists(&reached, &arena.irrelevant()?),
        None => Ok(arena.diagrams.top.clone()),
    }
}

/// The solved game if the system wins it. At first it never violates a guarantee before an assumption is violated.
fn won_by_system<'s, 'a>(
    arena: &'s SymbolicArena<'a>,
    within: &Bdd,
) -> Result<Option<FixpointSolver<'s, 'a>>, Limit> {
    let mut solver = FixpointSolver::strict(arena, within);
    let mut won = solver.solve()?;
    if !won && arena.may_fail() {
        solver = FixpointSolver::new(arena, Player::System, within);
        won = solver.solve()?;
    }
    Ok(won.then_some(solver))
}

/// The winner, without a strategy and so without a certificate.
///
/// # Errors
/// As [`solve_symbolic`].
pub fn symbolic_winner(
    compiled: &CompiledContract,
    alphabet: &Alphabet,
    max_nodes: usize,
    budget: &Budget,
) -> Result<Player, Limit> {
    winner(compiled, alphabet, max_nodes, budget, |arena| {
        FixpointSolver::new(arena, Player::System, &arena.diagrams.top).solve()
    })
}

/// As [`symbolic_winner`], but solves the game on the reachable positions only. Computing them pays off in large games.
///
/// # Errors
/// As [`solve_symbolic`].
pub fn symbolic_winner_of_large(
    compiled: &CompiledContract,
    alphabet: &Alphabet,
    max_nodes: usize,
    budget: &Budget,
) -> Result<Player, Limit> {
    winner(compiled, alphabet, max_nodes, budget, |arena| {
        Ok(won_by_system(arena, &reachable(arena)?)?.is_some())
    })
}

/// The winner, where `is_won` solves the game for the system.
fn winner(
    compiled: &CompiledContract,
    alphabet: &Alphabet,
    max_nodes: usize,
    budget: &Budget,
    is_won: impl Fn(&SymbolicArena<'_>) -> Result<bool, Limit>,
) -> Result<Player, Limit> {
    turns(compiled, budget)?;
    let mut layout = VariableLayout::new(compiled, alphabet);
    growing(max_nodes, |nodes| {
        let arena = SymbolicArena::new(compiled, alphabet, &mut layout, nodes, 0, budget)?;
        Ok(if is_won(&arena)? { Player::System } else { Player::Environment })
    })
}

/// Attempts with more and more nodes.
fn growing<T>(max_nodes: usize, mut attempt: impl FnMut(usize) -> Result<T, Limit>) -> Result<T, Limit> {
    let mut nodes = FIRST_NODES.min(max_nodes);
    loop {
        match attempt(nodes) {
            Err(limit) if limit.kind == LimitKind::Memory && nodes < max_nodes => {
                nodes = (nodes * 32).min(max_nodes);
            }
            result => return result,
        }
    }
}

/// Bits for the turns of either player's circuit. Fails before any diagrams are made if the Zielonka tree is too large.
fn turns(compiled: &CompiledContract, budget: &Budget) -> Result<usize, Limit> {
    let mut most = 0;
    for mode in Mode::ALL {
        match ZielonkaTree::new(&mode.objective(compiled), budget) {
            Ok(tree) => most = most.max(TurnBits::count(&tree)),
            Err(limit) if mode == Mode::Open || limit.kind != LimitKind::Size => return Err(limit),
            // The mode may never be entered; if it is, the solver reports the limit.
            Err(_) => {}
        }
    }
    Ok(most)
}

/// The strategy of the winner. `large` is set when the explicit strategy was too large, and skips it in later attempts.
fn strategy(
    solver: &FixpointSolver<'_, '_>,
    wanted: StrategyForm,
    large: &mut bool,
    budget: &Budget,
) -> Result<SymbolicStrategy, Limit> {
    let explored = match wanted {
        StrategyForm::Circuit => None,
        StrategyForm::Either | StrategyForm::PreferExplicit if *large => None,
        StrategyForm::Either => {
            let (positions, work) = SMALL_STRATEGY;
            Some(strategy::explore(solver, positions, &budget.child(work)))
        }
        StrategyForm::PreferExplicit | StrategyForm::Explicit => {
            let (positions, work) = LARGE_STRATEGY;
            Some(strategy::explore(solver, positions, &budget.child(work)))
        }
    };
    match explored {
        Some(Ok(strategy)) => Ok(SymbolicStrategy::Explicit(strategy)),
        Some(Err(limit))
            if wanted == StrategyForm::Explicit
                || !matches!(limit.kind, LimitKind::Size | LimitKind::Work) =>
        {
            Err(limit)
        }
        _ => {
            *large = true;
            circuit::circuit(solver).map(SymbolicStrategy::Circuit)
        }
    }
}
