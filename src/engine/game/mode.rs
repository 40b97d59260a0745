//! The modes of the game of a contract: which duty is irrevocably violated.

use super::colors::AutomatonId;
use super::compiled::CompiledContract;
use super::condition::ColorCondition;
use super::role::GameRole;
use tsl_synth_core::model::Role;

/// Which duty of the contract is irrevocably violated. A later mode is never left for an earlier one, and only the
/// violations that still matter are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mode {
    /// Nothing is violated.
    Open,
    /// A guarantee is violated: the system wins only if an assumption is violated.
    GuaranteeViolated,
    /// An assumption is violated: the system must satisfy only the restrictions.
    AssumptionViolated,
    /// A restriction or a promise is violated: the system wins only if a fact is violated.
    RestrictionViolated,
    /// A fact is violated: the system has won.
    FactViolated,
}

impl Mode {
    /// All of them.
    pub(super) const ALL: [Self; 5] = [
        Self::Open,
        Self::GuaranteeViolated,
        Self::AssumptionViolated,
        Self::RestrictionViolated,
        Self::FactViolated,
    ];

    /// The duty whose violation leads from this mode to each later one, in order of precedence.
    pub(super) fn exits(self) -> &'static [(GameRole, Mode)] {
        use GameRole::{Assumption, Fact, Guarantee, Promise, Restriction};
        match self {
            Self::Open => &[
                (Fact, Self::FactViolated),
                (Restriction, Self::RestrictionViolated),
                (Assumption, Self::AssumptionViolated),
                (Promise, Self::RestrictionViolated),
                (Guarantee, Self::GuaranteeViolated),
            ],
            Self::GuaranteeViolated => &[
                (Fact, Self::FactViolated),
                (Restriction, Self::RestrictionViolated),
                (Assumption, Self::AssumptionViolated),
                (Promise, Self::RestrictionViolated),
            ],
            Self::AssumptionViolated => {
                &[(Fact, Self::FactViolated), (Restriction, Self::RestrictionViolated)]
            }
            Self::RestrictionViolated => &[(Fact, Self::FactViolated)],
            Self::FactViolated => &[],
        }
    }
    /// The acceptance condition of the system if the mode is never left.
    pub(super) fn objective(self, compiled: &CompiledContract) -> ColorCondition {
        let violated = match self {
            Self::Open => None,
            Self::GuaranteeViolated => Some(Role::Guarantee),
            Self::AssumptionViolated => Some(Role::Assumption),
            Self::RestrictionViolated => Some(Role::Restriction),
            Self::FactViolated => Some(Role::Fact),
        };
        compiled.objective(violated).clone()
    }
    /// The automata that decide the game from here on.
    pub(super) fn relevant(self, compiled: &CompiledContract) -> Vec<AutomatonId> {
        let colors = self.objective(compiled).colors();
        let mut all: Vec<AutomatonId> = colors.iter().flat_map(|&c| compiled.colors[c].automata()).collect();
        for &(duty, next) in self.exits() {
            all.extend(&compiled.part(duty).safety);
            if !compiled.part(duty).safety.is_empty() {
                all.extend(next.relevant(compiled));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}
