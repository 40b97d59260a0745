//! The modes of the game of a contract: which duty is violated beyond repair.

use super::components::Components;
use super::condition::Condition;
use super::duty::Duty;
use crate::model::Role;

/// What has happened to the contract: which duty is violated beyond repair. A later mode is never left for an
/// earlier one, and only the violations that still matter are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mode {
    /// Nothing is violated.
    Open,
    /// A guarantee is violated: the system needs a violated assumption.
    Failed,
    /// An assumption is violated: the system owes only the restrictions.
    Freed,
    /// A restriction or a promise is violated: only a violated fact would save the system.
    Lost,
    /// A fact is violated: the system has won.
    Absurd,
}

impl Mode {
    /// All of them.
    pub(super) const ALL: [Self; 5] = [Self::Open, Self::Failed, Self::Freed, Self::Lost, Self::Absurd];

    /// The duty whose violation leads from this mode to each later one, in the order in which they count.
    pub(super) fn exits(self) -> &'static [(Duty, Mode)] {
        use Duty::{Assumption, Fact, Guarantee, Promise, Restriction};
        match self {
            Self::Open => &[
                (Fact, Self::Absurd),
                (Restriction, Self::Lost),
                (Assumption, Self::Freed),
                (Promise, Self::Lost),
                (Guarantee, Self::Failed),
            ],
            Self::Failed => &[
                (Fact, Self::Absurd),
                (Restriction, Self::Lost),
                (Assumption, Self::Freed),
                (Promise, Self::Lost),
            ],
            Self::Freed => &[(Fact, Self::Absurd), (Restriction, Self::Lost)],
            Self::Lost => &[(Fact, Self::Absurd)],
            Self::Absurd => &[],
        }
    }
    /// What the system must achieve if the mode is never left.
    pub(super) fn objective(self, components: &Components) -> Condition {
        let violated = match self {
            Self::Open => None,
            Self::Failed => Some(Role::Guarantee),
            Self::Freed => Some(Role::Assumption),
            Self::Lost => Some(Role::Restriction),
            Self::Absurd => Some(Role::Fact),
        };
        components.objective(violated).clone()
    }
    /// The components that decide the game from here on.
    pub(super) fn relevant(self, components: &Components) -> Vec<usize> {
        let colors = self.objective(components).colors();
        let mut all: Vec<usize> = colors.iter().flat_map(|&c| components.colors[c].components()).collect();
        for &(duty, next) in self.exits() {
            all.extend(&components.part(duty).safety);
            if !components.part(duty).safety.is_empty() {
                all.extend(next.relevant(components));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}
