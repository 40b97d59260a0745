//! Reactions of a controller to a broken assumption.

/// What a controller does in the step in which the environment breaks a safety assumption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnBroken {
    /// Refuse the step with an error that names the assumption.
    #[default]
    Error,
    /// Keep state and cells as they are.
    Hold,
    /// Continue with the synthesized strategy.
    Continue,
    /// Restart the obligations from a state that agrees with the observed letter; best effort.
    Resync,
}

impl OnBroken {
    /// All policies, in the order of the help text.
    pub const ALL: [Self; 4] = [Self::Error, Self::Hold, Self::Continue, Self::Resync];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Hold => "hold",
            Self::Continue => "continue",
            Self::Resync => "resync",
        }
    }
    /// The policy with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}
