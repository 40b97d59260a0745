//! The engines on one contract, each for itself.

use super::found::Found;
use super::options::Options;
use super::query::{Answer, Query, decide};
use super::tuning::{COMPONENTS_SHARE, EXPLICIT_NODES, LARGE_STRATEGY, SYMBOLIC_SHARE, WORK_NODES};
use crate::base::{Budget, Limit, LimitKind};
use crate::game::{
    Components, Effort, FEW_STATES, Sharing, SymbolicStrategy, Wanted, components, solve_explicit,
    solve_symbolic,
};
use crate::logic::{Alphabet, Formulas, Player};
use crate::mealy::swept;
use crate::model::{Contract, Observer, SolvedBy};

/// Who wins a contract, and which engine found it.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) winner: Found,
    pub(super) engine: SolvedBy,
    /// The bound that sufficed, of the bounded engine.
    pub(super) bound: Option<u32>,
    /// Guarantees of the contract without which the environment wins, too, are not among these.
    pub(super) core: Option<Vec<usize>>,
}

/// Decides a contract.
pub(super) struct Settler<'a> {
    pub(super) formulas: &'a mut Formulas,
    pub(super) alphabet: &'a Alphabet,
    pub(super) contract: Contract,
    pub(super) options: &'a Options,
    pub(super) observer: &'a dyn Observer,
    pub(super) nodes: usize,
    /// The form of each player's strategy.
    pub(super) wanted: &'a dyn Fn(Player) -> Wanted,
    pub(super) log: &'a mut Vec<String>,
}

impl Settler<'_> {
    pub(super) fn go_on(&self) -> Result<(), Limit> {
        match self.options.stop.raised() {
            Some(kind) => Err(Limit::new(kind, "the engines")),
            None => Ok(()),
        }
    }

    pub(super) fn budget(&self, work: u64) -> Budget {
        self.options.budget().child(work)
    }

    /// The whole contract, with so much work for each player.
    pub(super) fn bounded(&mut self, work: u64) -> Result<Settled, Limit> {
        match decide(self.query(&self.contract, work)) {
            Ok(answer) => {
                self.log.push(format!("bounded engine: decided with K = {}", answer.bound));
                Ok(bounded(&answer, self.alphabet))
            }
            Err([system, environment]) => Err(more_telling(system, environment)),
        }
    }

    /// The components of a contract, for a game of the symbolic engine with so much work.
    pub(super) fn components(&mut self, contract: &Contract, work: u64) -> Result<Components, Limit> {
        let budget = self.budget(work.saturating_mul(COMPONENTS_SHARE / SYMBOLIC_SHARE));
        components(self.formulas, self.alphabet, contract, Sharing::Memory(FEW_STATES), &budget)
    }

    pub(super) fn symbolic(&mut self, contract: &Contract, budget: &Budget) -> Result<Settled, Limit> {
        let components = self.components(contract, budget.left())?;
        self.symbolic_game(&components, self.wanted, budget)
    }

    pub(super) fn symbolic_game(
        &mut self,
        components: &Components,
        wanted: &dyn Fn(Player) -> Wanted,
        budget: &Budget,
    ) -> Result<Settled, Limit> {
        // What there is little work for needs few nodes.
        let nodes = budget.left().saturating_mul(WORK_NODES);
        let nodes = usize::try_from(nodes).map_or(self.nodes, |nodes| nodes.min(self.nodes));
        let solution = solve_symbolic(components, self.alphabet, nodes, wanted, budget, self.observer)?;
        self.log.push(format!(
            "symbolic engine: decided; {} components, {} diagram nodes",
            components.automata.len(),
            solution.nodes
        ));
        let winner = match solution.strategy {
            SymbolicStrategy::Explicit(strategy) => Found::new(solution.winner, &strategy, self.alphabet),
            SymbolicStrategy::Circuit(circuit) => Found::circuit(solution.winner, swept(circuit)),
        };
        Ok(Settled { winner, engine: SolvedBy::Symbolic, bound: None, core: None })
    }

    pub(super) fn explicit(&mut self, contract: &Contract, work: u64) -> Result<Settled, Limit> {
        let components = self.components(contract, work)?;
        self.explicit_game(&components, work, work)
    }

    pub(super) fn explicit_game(
        &mut self,
        components: &Components,
        work: u64,
        patience: u64,
    ) -> Result<Settled, Limit> {
        let budget = self.budget(work);
        let max_nodes = self.nodes.min(EXPLICIT_NODES);
        let effort = Effort { max_nodes, max_positions: LARGE_STRATEGY, patience };
        let solution = solve_explicit(components, self.alphabet, effort, &budget, self.observer)?;
        self.log.push(format!(
            "explicit engine: decided; {} components, {} positions, {} units of work",
            components.automata.len(),
            solution.positions,
            budget.work()
        ));
        let winner = Found::new(solution.winner, &solution.strategy, self.alphabet);
        Ok(Settled { winner, engine: SolvedBy::Explicit, bound: None, core: None })
    }

    pub(super) fn query<'q>(&'q self, contract: &'q Contract, work: u64) -> Query<'q> {
        Query {
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

/// The symbolic engine's share of the work of a round.
pub(super) fn symbolic_work(work: u64) -> u64 {
    work.saturating_mul(SYMBOLIC_SHARE)
}

fn more_telling(a: Limit, b: Limit) -> Limit {
    if matches!(a.kind, LimitKind::Bound | LimitKind::Superseded) { b } else { a }
}

pub(super) fn bounded(answer: &Answer, alphabet: &Alphabet) -> Settled {
    let winner = Found::new(answer.winner, &answer.strategy, alphabet);
    Settled { winner, engine: SolvedBy::Bounded, bound: Some(answer.bound), core: None }
}
