//! Runs single engines on one contract.

use super::bounded_portfolio::{BoundedAnswer, BoundedQuery, decide};
use super::found::WinningStrategy;
use super::options::{Progress, SolverOptions};
use super::tuning::{
    COMPONENTS_SHARE, EXPLICIT_BITS, EXPLICIT_NODES, FINITE_GAMES, LARGE_STRATEGY, SYMBOLIC_SHARE, WORK_NODES,
};
use crate::game::{
    CompiledContract, ExplicitEffort, FEW_STATES, Sharing, StrategyForm, SymbolicStrategy, compile_contract,
    solve_explicit, solve_symbolic,
};
use crate::mealy::simplified;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, Formulas, Player};
use tsl_synth_core::model::{Contract, Observer, SolvedBy};

/// The winning strategy for a contract, and the engine that found it.
#[derive(Debug)]
pub(super) struct EngineAnswer {
    pub(super) winner: WinningStrategy,
    pub(super) engine: SolvedBy,
    /// The bound that sufficed, for the bounded engine.
    pub(super) bound: Option<u32>,
    /// The indices of guarantees that suffice for the environment to win; `None` for all.
    pub(super) core: Option<Vec<usize>>,
}

/// Decides a contract.
pub(super) struct Portfolio<'a> {
    pub(super) formulas: &'a mut Formulas,
    pub(super) alphabet: &'a Alphabet,
    pub(super) contract: Contract,
    /// Whether the specification is over finite words.
    pub(super) finite: bool,
    pub(super) options: &'a SolverOptions,
    pub(super) observer: &'a dyn Observer,
    pub(super) nodes: usize,
    /// The form of each player's strategy.
    pub(super) wanted: &'a dyn Fn(Player) -> StrategyForm,
    pub(super) log: &'a mut Vec<String>,
    pub(super) progress: &'a mut Progress,
}

impl Portfolio<'_> {
    pub(super) fn go_on(&self) -> Result<(), Limit> {
        match self.options.stop.raised() {
            Some(kind) => Err(Limit::new(kind, "the engines")),
            None => Ok(()),
        }
    }

    pub(super) fn budget(&self, work: u64) -> Budget {
        self.options.budget().child(work)
    }

    /// The work of the symbolic engine and of the compiler of automata in a round of the portfolio.
    pub(super) fn games_work(&self, work: u64) -> u64 {
        symbolic_work(work) / if self.finite { FINITE_GAMES } else { 1 }
    }

    /// Decides the whole contract with the bounded engine, with this work for each player.
    pub(super) fn bounded(&mut self, work: u64) -> Result<EngineAnswer, Limit> {
        match decide(self.query(&self.contract, work)) {
            Ok(answer) => {
                self.log.push(format!("bounded engine: decided with K = {}", answer.bound));
                Ok(bounded(&answer, self.alphabet))
            }
            Err([system, environment]) => Err(more_telling(system, environment)),
        }
    }

    /// The automata of a contract, compiled with the work that corresponds to a game of the symbolic engine with
    /// `work`.
    pub(super) fn compiled(&mut self, contract: &Contract, work: u64) -> Result<CompiledContract, Limit> {
        let budget = self.budget(work.saturating_mul(COMPONENTS_SHARE / SYMBOLIC_SHARE));
        compile_contract(self.formulas, self.alphabet, contract, Sharing::Memory(FEW_STATES), &budget)
    }

    pub(super) fn symbolic(&mut self, contract: &Contract, budget: &Budget) -> Result<EngineAnswer, Limit> {
        let compiled = self.compiled(contract, budget.left())?;
        self.symbolic_game(&compiled, self.wanted, budget)
    }

    pub(super) fn symbolic_game(
        &mut self,
        compiled: &CompiledContract,
        wanted: &dyn Fn(Player) -> StrategyForm,
        budget: &Budget,
    ) -> Result<EngineAnswer, Limit> {
        let is_large = is_large_opponent(self.alphabet, compiled.determined);
        let wanted = |player| match wanted(player) {
            StrategyForm::PreferExplicit if is_large && player == Player::Environment => StrategyForm::Either,
            form => form,
        };
        // A game with little work needs few nodes.
        let nodes = budget.left().saturating_mul(WORK_NODES);
        let nodes = usize::try_from(nodes).map_or(self.nodes, |nodes| nodes.min(self.nodes));
        let solution = solve_symbolic(compiled, self.alphabet, nodes, wanted, budget, self.observer)?;
        self.log.push(format!(
            "symbolic engine: decided; {} automata, {} diagram nodes",
            compiled.automata.len(),
            solution.nodes
        ));
        let winner = match solution.strategy {
            SymbolicStrategy::Explicit(strategy) => {
                WinningStrategy::new(solution.winner, &strategy, self.alphabet)
            }
            SymbolicStrategy::Circuit(circuit) => {
                WinningStrategy::circuit(solution.winner, simplified(circuit))
            }
        };
        Ok(EngineAnswer { winner, engine: SolvedBy::Symbolic, bound: None, core: None })
    }

    pub(super) fn explicit(&mut self, contract: &Contract, work: u64) -> Result<EngineAnswer, Limit> {
        let compiled = self.compiled(contract, work)?;
        self.explicit_game(&compiled, work, work)
    }

    pub(super) fn explicit_game(
        &mut self,
        compiled: &CompiledContract,
        work: u64,
        least_work: u64,
    ) -> Result<EngineAnswer, Limit> {
        let budget = self.budget(work);
        let max_nodes = self.nodes.min(EXPLICIT_NODES);
        let effort = ExplicitEffort { max_nodes, max_positions: LARGE_STRATEGY, least_work };
        let solution = solve_explicit(compiled, self.alphabet, effort, &budget, self.observer)?;
        self.log.push(format!(
            "explicit engine: decided; {} automata, {} positions, {} units of work",
            compiled.automata.len(),
            solution.positions,
            budget.work()
        ));
        let winner = WinningStrategy::new(solution.winner, &solution.strategy, self.alphabet);
        Ok(EngineAnswer { winner, engine: SolvedBy::Explicit, bound: None, core: None })
    }

    pub(super) fn query<'q>(&'q self, contract: &'q Contract, work: u64) -> BoundedQuery<'q> {
        BoundedQuery {
            formulas: self.formulas,
            alphabet: self.alphabet,
            contract,
            bound: self.options.bound,
            work,
            threads: self.options.threads,
            max_nodes: self.nodes,
            stop: &self.options.stop,
            observer: self.observer,
        }
    }
}

/// Whether an explicit strategy of the environment is too large to be searched for: it shows all inputs that the facts
/// determine, whatever the outputs are, so that it has an edge for most of their values and outputs.
pub(super) fn is_large_opponent(alphabet: &Alphabet, determined: usize) -> bool {
    determined > 0 && determined + alphabet.bits_of(Player::System).count() > EXPLICIT_BITS
}

/// The symbolic engine's share of the work of a round.
pub(super) fn symbolic_work(work: u64) -> u64 {
    work.saturating_mul(SYMBOLIC_SHARE)
}

fn more_telling(a: Limit, b: Limit) -> Limit {
    if matches!(a.kind, LimitKind::Bound | LimitKind::Superseded) { b } else { a }
}

pub(super) fn bounded(answer: &BoundedAnswer, alphabet: &Alphabet) -> EngineAnswer {
    let winner = WinningStrategy::new(answer.winner, &answer.strategy, alphabet);
    EngineAnswer { winner, engine: SolvedBy::Bounded, bound: Some(answer.bound), core: None }
}
