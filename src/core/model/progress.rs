//! The progress of a long computation: reported to observers, and in the answer when a limit is reached.

use crate::logic::Player;
use std::fmt;

/// The engine that decides realizability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// All engines.
    #[default]
    Auto,
    /// k-bounded safety games over universal co-Büchi automata, for both players.
    Bounded,
    /// Emerson-Lei games of deterministic automata on decision diagrams.
    Symbolic,
    /// The same games explored forward as graphs.
    Explicit,
}

impl Engine {
    /// Its name on the command line: `auto`, `bounded`, `symbolic`, `explicit`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Bounded => "bounded",
            Self::Symbolic => "symbolic",
            Self::Explicit => "explicit",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The engine or method that found an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SolvedBy {
    /// The bounded engine.
    Bounded,
    /// The explicit engine.
    Explicit,
    /// The symbolic engine.
    Symbolic,
    /// An attack of the environment with constant inputs.
    Attack,
    /// Several of them: different parts of the contract were decided by different engines.
    Several,
}

impl fmt::Display for SolvedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bounded => "bounded",
            Self::Explicit => "explicit",
            Self::Symbolic => "symbolic",
            Self::Attack => "attack",
            Self::Several => "several",
        })
    }
}

/// The stage of a computation at which a limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading the specification.
    Reading,
    /// Deciding who wins, with this choice of engines.
    Solving(Engine),
    /// Checking the strategy of this player.
    Certificate(Player),
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reading => f.write_str("reading"),
            Self::Solving(Engine::Auto) => f.write_str("solving"),
            Self::Solving(engine) => write!(f, "solving with the {engine} engine"),
            Self::Certificate(Player::System) => f.write_str("checking the certificate of REALIZABLE"),
            Self::Certificate(Player::Environment) => f.write_str("checking the certificate of UNREALIZABLE"),
        }
    }
}

/// A phase of a long computation. Phases follow one another; none contains another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The game of one player with a bound on rejecting visits.
    BoundedGame {
        /// The player whose strategy is searched for.
        player: Player,
        /// The bound.
        bound: u32,
    },
    /// The explicit engine explores and solves its game.
    ExplicitGame,
    /// The explicit engine extracts the winner's strategy.
    ExplicitStrategy,
    /// The symbolic engine solves its game, for the strategy of this player.
    SymbolicGame(Player),
    /// The symbolic engine extracts the winner's strategy.
    SymbolicStrategy,
    /// A round of refinement of the TSL abstraction begins, counted from 1.
    Refinement(u32),
    /// Whether the controller makes the assumptions false, and the search for one that does not.
    FriendlyController,
    /// The search for the smallest controller.
    SmallestMachine,
    /// The answer is checked.
    Certificate,
    /// A given machine is checked.
    Verification,
    /// Guarantees are left out of an unrealizable core, one after the other.
    MinimalCore,
    /// All minimal unrealizable cores are enumerated.
    AllCores,
    /// Whether clauses are vacuous, redundant, or contradictory.
    Vacuity,
    /// Which changes make an unrealizable specification realizable.
    Repairs,
    /// At which step of a play each guarantee is lost.
    Losses,
    /// A play that violates a guarantee in as few steps as possible.
    ShortestViolation,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BoundedGame { player, bound } => write!(f, "bounded game of the {player}, K = {bound}"),
            Self::ExplicitGame => f.write_str("explicit game"),
            Self::ExplicitStrategy => f.write_str("strategy of the explicit game"),
            Self::SymbolicGame(player) => write!(f, "symbolic game of the {player}"),
            Self::SymbolicStrategy => f.write_str("strategy of the symbolic game"),
            Self::Refinement(round) => write!(f, "refinement {round}"),
            Self::FriendlyController => f.write_str("searching for a controller that keeps the assumptions"),
            Self::SmallestMachine => f.write_str("searching for the smallest machine"),
            Self::Certificate => f.write_str("certificate"),
            Self::Verification => f.write_str("verification"),
            Self::MinimalCore => f.write_str("minimizing the unrealizable core"),
            Self::AllCores => f.write_str("enumerating the unrealizable cores"),
            Self::Vacuity => f.write_str("checking for vacuity"),
            Self::Repairs => f.write_str("searching for repairs"),
            Self::Losses => f.write_str("finding when each guarantee is lost"),
            Self::ShortestViolation => f.write_str("searching for a shortest violation"),
        }
    }
}

/// The quantity that is counted during a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Counter {
    /// Positions of a game.
    Positions,
    /// Questions asked of the synthesizer.
    Questions,
    /// Candidates that were considered.
    Candidates {
        /// How many there are.
        of: u64,
    },
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positions => f.write_str("positions"),
            Self::Questions => f.write_str("questions asked"),
            Self::Candidates { of } => write!(f, "of {of} candidates"),
        }
    }
}

/// Receives the progress of a long computation.
pub trait Observer: Sync {
    /// A phase begins.
    fn phase(&self, _phase: Phase) {}
    /// A count of the phase changed.
    fn count(&self, _counter: Counter, _value: u64) {}
}

/// An observer that ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_name_the_engine_that_was_asked_for() {
        let shown = [
            Stage::Reading,
            Stage::Solving(Engine::Auto),
            Stage::Solving(Engine::Symbolic),
            Stage::Certificate(Player::Environment),
        ]
        .map(|stage| stage.to_string());
        assert_eq!(
            shown,
            [
                "reading",
                "solving",
                "solving with the symbolic engine",
                "checking the certificate of UNREALIZABLE"
            ]
        );
    }
}
