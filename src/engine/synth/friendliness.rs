//! What is known about whether a controller makes the assumptions false.

use tsl_synth_core::base::Limit;
use tsl_synth_kernel::Falsified;

/// Whether a controller wins by making the assumptions false, and whether it has to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Friendliness {
    /// Not requested, or there is no controller.
    #[default]
    NotAsked,
    /// No controller can make an assumption false: none depends on the outputs, or the environment can satisfy them
    /// whatever the outputs are.
    Independent,
    /// The controller is friendly; certified.
    Friendly,
    /// No environment can satisfy the facts and assumptions, whatever the controller does; certified.
    Unsatisfiable,
    /// No controller that satisfies the contract is friendly; certified. Holds how this controller makes the
    /// assumptions false.
    None(Box<Falsified>),
    /// It is not known whether there is a friendly controller. Holds how this controller makes the assumptions false,
    /// if that is known.
    Undecided(Limit, Option<Box<Falsified>>),
}

impl Friendliness {
    /// Whether something definite is known about this controller.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::NotAsked | Self::Undecided(_, None))
    }
}
