//! A strategy of either player in either form, with the claim that it wins: what the engines find, what `verify` is
//! given, and what the certifier is asked.

use super::options::Method;
use crate::base::Budget;
use crate::certify::{
    Certified, CertifyError, certify_circuit, certify_counter, certify_counter_circuit, certify_mealy,
    certify_moore, certify_moore_circuit,
};
use crate::game::Strategy;
use crate::logic::{Alphabet, Formulas, Player};
use crate::mealy::{counter_strategy, mealy, quotient_counter, quotient_mealy};
use crate::model::{Circuit, Contract, CounterStrategy, Form, Mealy, Notion, Verdict};
use crate::spec::Target;

/// A strategy that is said to win.
#[derive(Debug)]
pub(super) enum Claim {
    System(Form<Mealy>),
    Environment(Form<CounterStrategy>),
}

impl Claim {
    /// An engine's strategy as a machine.
    pub(super) fn new(player: Player, strategy: &Strategy, alphabet: &Alphabet) -> Self {
        match player {
            Player::System => Self::System(Form::Explicit(quotient_mealy(&mealy(strategy, alphabet)))),
            Player::Environment => {
                let machine = quotient_counter(&counter_strategy(strategy, alphabet));
                Self::Environment(Form::Explicit(machine))
            }
        }
    }

    pub(super) fn circuit(player: Player, circuit: Circuit) -> Self {
        match player {
            Player::System => Self::System(Form::Circuit(circuit)),
            Player::Environment => Self::Environment(Form::Circuit(circuit)),
        }
    }

    /// Whose strategy it is.
    pub(super) fn player(&self) -> Player {
        match self {
            Self::System(_) => Player::System,
            Self::Environment(_) => Player::Environment,
        }
    }

    /// How many states there are; `None` for a circuit.
    pub(super) fn states(&self) -> Option<usize> {
        match self {
            Self::System(form) => form.as_explicit().map(|machine| machine.states.len()),
            Self::Environment(form) => form.as_explicit().map(|machine| machine.states.len()),
        }
    }

    /// Certifies the claim; that of a controller for a machine of the kind `target`.
    pub(super) fn certify(
        &self,
        formulas: &Formulas,
        alphabet: &Alphabet,
        contract: &Contract,
        target: Target,
        budget: &Budget,
    ) -> Result<Certified, CertifyError> {
        match (self, target) {
            (Self::System(Form::Explicit(machine)), Target::Mealy) => {
                certify_mealy(formulas, alphabet, contract, machine, budget)
            }
            (Self::System(Form::Explicit(machine)), Target::Moore) => {
                certify_moore(formulas, alphabet, contract, machine, budget)
            }
            (Self::System(Form::Circuit(circuit)), Target::Mealy) => {
                certify_circuit(formulas, alphabet, contract, circuit, budget)
            }
            (Self::System(Form::Circuit(circuit)), Target::Moore) => {
                certify_moore_circuit(formulas, alphabet, contract, circuit, budget)
            }
            (Self::Environment(Form::Explicit(machine)), _) => {
                certify_counter(formulas, alphabet, contract, machine, budget)
            }
            (Self::Environment(Form::Circuit(circuit)), _) => {
                certify_counter_circuit(formulas, alphabet, contract, circuit, budget)
            }
        }
    }

    /// How it was certified.
    pub(super) fn method(&self, certified: &Certified) -> Method {
        match self.states() {
            Some(_) if certified.diagram_nodes == 0 => Method::Products,
            Some(_) => Method::ProductsAndDiagrams,
            None => Method::Diagrams,
        }
    }

    /// The answer; a counter-strategy's in the sense of the notion.
    pub(super) fn verdict(self, notion: Notion) -> Verdict {
        match self {
            Self::System(controller) => Verdict::Realizable(controller),
            Self::Environment(opponent) => Verdict::Unrealizable(opponent, notion),
        }
    }
}
