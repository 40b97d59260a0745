//! What is known about whether a controller makes the assumptions false.

use crate::base::Limit;
use crate::certify::Falsified;

/// Whether a controller wins by making the assumptions false, and whether it has to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Friendliness {
    /// Nobody asked, or there is no controller.
    #[default]
    NotAsked,
    /// No controller can make an assumption false: none depends on the outputs, or the environment can keep them whatever
    /// the outputs are.
    Independent,
    /// The controller is friendly; certified.
    Friendly,
    /// No environment can keep the facts and assumptions, whatever the controller does; certified.
    Unsatisfiable,
    /// No controller that keeps the contract is friendly; certified. How this one makes the assumptions false.
    None(Box<Falsified>),
    /// It is not known whether there is a friendly controller; how this one makes the assumptions false, if it is known
    /// to.
    Undecided(Limit, Option<Box<Falsified>>),
}

impl Friendliness {
    /// Whether something definite is known about the controller at hand.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::NotAsked | Self::Undecided(_, None))
    }
}
