//! What the parts of a contract are to the game.

/// What a part of a contract is to the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Duty {
    /// What every environment does.
    Fact,
    /// What the system keeps whatever happens.
    Restriction,
    /// What is expected of the environment.
    Assumption,
    /// What the system keeps as long as no assumption is violated; see `strict`.
    Promise,
    /// What is asked of the system unless an assumption is violated some time.
    Guarantee,
}
