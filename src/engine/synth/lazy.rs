//! Decides parts of a contract, with a subset of its clauses or of its inputs, whose winner may also win the whole
//! contract.
//!
//! Counterexample-guided: a strategy that wins the part but not the whole is refuted by a play, which shows what the
//! part lacks (lazy synthesis: Finkbeiner and Jacobs, VMCAI 2012). Parts only grow, so the search terminates. Every
//! answer is checked by the certifier.

use super::bounded_portfolio::decide;
use super::fixed::Fixed;
use super::found::WinningStrategy;
use super::growth::Shapes;
use super::monitored::certify_in_turn;
use super::portfolio::{EngineAnswer, Portfolio, bounded};
use super::tuning::{
    BOUNDED_FIRST, CERTIFICATE, CONSTANT_NODES, CONSTANT_SHARE, CONSTANT_WORK, FEW_INPUTS, FROZEN_SHARE,
    SYMBOLIC_SHARE,
};
use crate::game::{FEW_STATES, Sharing, compile_contract, symbolic_winner};
use std::fmt;
use tsl_synth_core::base::{Budget, Id, IdVec};
use tsl_synth_core::logic::{
    AtomKind, BitId, FormulaId, Guard, Guards, Lasso, LassoSemantics, Letter, Normalizer, Player,
};
use tsl_synth_core::model::{
    Contract, CounterEdge, CounterState, CounterStrategy, Engine, Role, SolvedBy, StateId, StrategyRepr,
};
use tsl_synth_kernel::{CertifyError, StrategyClaim, Violation};
use tsl_synth_lang::spec::Target;

/// A subset of the guarantees and of the assumptions of a contract, by their indices.
#[derive(Clone, Debug, Default)]
pub(super) struct ClauseChoice {
    pub(super) guarantees: Vec<usize>,
    pub(super) assumptions: Vec<usize>,
}

/// The behavior of idle inputs, which the environment does not control freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdleInputs {
    /// They have this value in every step.
    Constant(bool),
    /// They keep the value that they have in the second step. The first step is free, since assumptions often constrain
    /// it.
    Frozen,
}

impl IdleInputs {
    pub(super) const ALL: [Self; 3] = [Self::Constant(false), Self::Constant(true), Self::Frozen];

    /// The divisor of a round's work for an attack.
    pub(super) fn share(self) -> u64 {
        match self {
            Self::Constant(_) => CONSTANT_SHARE,
            Self::Frozen => FROZEN_SHARE,
        }
    }

    /// Whether an input deviates from this behavior in a play.
    fn is_left(self, bit: BitId, play: &Lasso) -> bool {
        let letters = play.prefix.iter().chain(&play.cycle).chain(&play.cycle);
        let mut values = letters.map(|letter| letter.contains(bit));
        match self {
            Self::Constant(value) => values.any(|other| other != value),
            Self::Frozen => {
                let second = values.nth(1);
                values.any(|other| Some(other) != second)
            }
        }
    }
}

impl fmt::Display for IdleInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "constantly {value}"),
            Self::Frozen => write!(f, "frozen"),
        }
    }
}

impl Portfolio<'_> {
    /// Decides a part of the contract with the bounded engine, or else with the symbolic engine.
    fn either(&mut self, part: &Contract, budget: &Budget) -> Option<EngineAnswer> {
        let alone = self.options.engine == Engine::Bounded;
        let work = budget.left() / if alone { SYMBOLIC_SHARE } else { BOUNDED_FIRST };
        match decide(self.query(part, work)) {
            Ok(answer) => Some(bounded(&answer, self.alphabet)),
            Err(_) if alone => None,
            Err(_) => self.symbolic(part, budget).ok(),
        }
    }

    /// Certifies a strategy for a part against the whole contract, whose guarantees are checked in the given order.
    fn checked(
        &mut self,
        winner: &WinningStrategy,
        order: &[usize],
        budget: &Budget,
    ) -> Result<(), CertifyError> {
        let own = self.budget(budget.left() / CERTIFICATE);
        let Self { formulas, alphabet, contract, .. } = self;
        let guarantees = order.iter().map(|&i| contract.guarantees[i]).collect();
        let contract = &Contract { guarantees, ..contract.clone() };
        let claim = StrategyClaim { formulas, alphabet, contract, strategy: winner.strategy(Target::Mealy) };
        let checked = certify_in_turn(&claim, &own);
        budget.tick(own.work() * CERTIFICATE, || "a part of the contract".into())?;
        match checked {
            Err(CertifyError::Violated(mut violation)) => {
                if violation.role == Role::Guarantee {
                    violation.clause = violation.clause.map(|i| order[i]);
                }
                Err(CertifyError::Violated(violation))
            }
            checked => checked.map(drop),
        }
    }

    /// Decides the contract with as few guarantees and assumptions as suffice. A counter-strategy against some of the
    /// guarantees that satisfies all assumptions wins the whole contract, and so does a controller for all guarantees
    /// under some of the assumptions. All games together get this work.
    pub(super) fn fewer(&mut self, chosen: &mut ClauseChoice, work: u64) -> Option<EngineAnswer> {
        let budget = self.budget(work);
        let (guarantees, assumptions) = (self.contract.guarantees.len(), self.contract.assumptions.len());
        let shapes = Shapes::new(self.formulas, self.alphabet, &self.contract.guarantees);
        loop {
            let mut part = self.contract.clone();
            part.guarantees = chosen.guarantees.iter().map(|&i| part.guarantees[i]).collect();
            part.assumptions = chosen.assumptions.iter().map(|&i| part.assumptions[i]).collect();
            let Some(mut settled) = self.either(&part, &budget) else {
                self.progress.failed(&chosen.guarantees);
                return None;
            };
            self.log.push(format!(
                "{} engine: decided with {} of {guarantees} guarantees and {} of {assumptions} assumptions",
                settled.engine,
                part.guarantees.len(),
                part.assumptions.len()
            ));
            let system = settled.winner.player() == Player::System;
            settled.core = (!system).then(|| chosen.guarantees.clone());
            if system {
                self.progress.found(&chosen.guarantees);
            }
            let whole = if system {
                part.guarantees.len() == guarantees
            } else {
                part.assumptions.len() == assumptions
            };
            if whole {
                return Some(settled);
            }
            match self.checked(&settled.winner, &shapes.rare_first, &budget) {
                Err(CertifyError::Violated(violation)) => self.add(chosen, &violation, &shapes)?,
                Err(_) => return None,
                Ok(()) => return Some(settled),
            }
        }
    }

    /// Adds clauses that a play violates: guarantees (see [`Shapes::to_add`]), or all violated assumptions that are
    /// safety properties, or else the smallest violated assumptions, at most as many as are chosen. `None` if there is
    /// nothing to add.
    fn add(&mut self, chosen: &mut ClauseChoice, violation: &Violation, shapes: &Shapes) -> Option<()> {
        let Self { formulas, alphabet, contract, .. } = self;
        let mut meaning = LassoSemantics::new(formulas, alphabet, &violation.play);
        let mut violated = |clauses: &[FormulaId], chosen: &[usize]| -> Vec<usize> {
            (0..clauses.len()).filter(|i| !chosen.contains(i) && !meaning.holds(clauses[*i])).collect()
        };
        match violation.role {
            Role::Guarantee => {
                let first = violation.clause.filter(|i| !chosen.guarantees.contains(i))?;
                let broken = violated(&contract.guarantees, &chosen.guarantees);
                let new = shapes.to_add(&chosen.guarantees, first, &broken);
                chosen.guarantees.extend(new);
                return Some(());
            }
            Role::Assumption => {}
            Role::Fact | Role::Restriction => return None,
        }
        let (clauses, chosen) = (&contract.assumptions, &mut chosen.assumptions);
        let mut broken = violated(clauses, chosen);
        let mut normalizer = Normalizer::new();
        let is_safe = |&i: &usize| normalizer.is_safety(formulas, clauses[i]);
        let safe: Vec<usize> = broken.iter().copied().filter(is_safe).collect();
        let new = if safe.is_empty() {
            broken.sort_by_key(|&i| formulas.size(clauses[i]));
            broken.truncate(chosen.len().max(1));
            broken
        } else {
            safe
        };
        if new.is_empty() {
            return None;
        }
        chosen.extend(new);
        Some(())
    }

    /// Decides the contract with as few free inputs as the environment needs to win while all others are idle. A
    /// counter-strategy with idle inputs wins the whole game. A controller for idle inputs wins it if the certifier
    /// accepts it; otherwise the counterexample shows an input to add. All games together get this work.
    pub(super) fn few_inputs(
        &mut self,
        idle: IdleInputs,
        chosen: &mut Vec<BitId>,
        work: u64,
    ) -> Option<EngineAnswer> {
        let budget = self.budget(work);
        let inputs: Vec<BitId> = self.alphabet.bits_of(Player::Environment).collect();
        let in_order: Vec<usize> = (0..self.contract.guarantees.len()).collect();
        while chosen.len() < FEW_INPUTS.min(inputs.len()) {
            let (part, fixed) = match idle {
                IdleInputs::Constant(value) => {
                    let choice = |bit| (!chosen.contains(&bit)).then_some(value);
                    Fixed::by_choice(self.formulas, self.alphabet, &self.contract, &choice)
                }
                IdleInputs::Frozen => (self.frozen(chosen), Fixed::default()),
            };
            let settled = self.either(&part, &budget)?;
            let winner = fixed.complete(self.alphabet, settled.winner);
            self.log.push(format!(
                "{} engine: decided with {} inputs, the others {idle}",
                settled.engine,
                chosen.len()
            ));
            if winner.player() == Player::Environment {
                return Some(EngineAnswer { winner, core: None, ..settled });
            }
            match self.checked(&winner, &in_order, &budget) {
                Err(CertifyError::Violated(v)) => {
                    let new = |bit: &BitId| !chosen.contains(bit) && idle.is_left(*bit, &v.play);
                    chosen.push(inputs.iter().copied().find(new)?);
                }
                Err(_) => return None,
                Ok(()) => return Some(EngineAnswer { winner, core: None, ..settled }),
            }
        }
        None
    }

    /// The contract with a fact for each input that is not among these: it does not change after the second step.
    fn frozen(&mut self, free: &[BitId]) -> Contract {
        let mut part = self.contract.clone();
        let clauses = [&part.facts, &part.restrictions, &part.assumptions, &part.guarantees];
        let clauses: Vec<FormulaId> = clauses.into_iter().flatten().copied().collect();
        for atom in self.formulas.support(&clauses).iter() {
            match self.alphabet.atoms()[atom].kind {
                AtomKind::Input(bit) if !free.contains(&bit) => {}
                _ => continue,
            }
            let now = self.formulas.atom(atom);
            let next = self.formulas.next(now);
            let same = self.formulas.iff(now, next);
            let always = self.formulas.globally(same);
            part.facts.push(self.formulas.next(always));
        }
        part
    }

    /// Tries two constant inputs, all false and all true: if no outputs satisfy the contract on one of them, it is a
    /// counter-strategy.
    pub(super) fn constant_inputs(&mut self) -> Option<EngineAnswer> {
        for value in [false, true] {
            let choice = |_| Some(value);
            let (contract, fixed) = Fixed::by_choice(self.formulas, self.alphabet, &self.contract, &choice);
            let budget = self.budget(CONSTANT_WORK);
            let compiled = compile_contract(
                self.formulas,
                self.alphabet,
                &contract,
                Sharing::Memory(FEW_STATES),
                &budget,
            )
            .ok()?;
            let winner = symbolic_winner(&compiled, self.alphabet, CONSTANT_NODES, &budget).ok()?;
            if winner == Player::Environment {
                self.log.push(format!("attack: all inputs constantly {value}"));
                let winner = fixed.complete(
                    self.alphabet,
                    WinningStrategy::Environment(StrategyRepr::Explicit(constant())),
                );
                return Some(EngineAnswer { winner, engine: SolvedBy::Attack, bound: None, core: None });
            }
        }
        None
    }
}

/// The counter-strategy that always plays the input letter without true bits.
fn constant() -> CounterStrategy {
    let initial = StateId::from_index(0);
    let edges = vec![CounterEdge { guard: Guard::TRUE, next: initial }];
    let states = IdVec::filled(CounterState { input: Letter::new(), edges }, 1);
    CounterStrategy { guards: Guards::new(), states, initial }
}
