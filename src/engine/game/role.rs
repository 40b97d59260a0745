//! The roles of the parts of a contract in the game.

/// The role of a part of a contract in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameRole {
    /// A property of every environment.
    Fact,
    /// The system must satisfy it even if an assumption is violated.
    Restriction,
    /// The environment is expected to satisfy it.
    Assumption,
    /// The system must satisfy it as long as no assumption is violated; see `strict`.
    Promise,
    /// The system must satisfy it unless an assumption is violated at any time.
    Guarantee,
}
