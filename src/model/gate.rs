//! What a gate answers to what an agent proposes.

/// What becomes of a proposal, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ruling {
    /// It may go on.
    Allow,
    /// It may go on, and the reason is shown.
    Warn,
    /// A person must approve it.
    Ask,
    /// It must not go on.
    Deny,
}

impl Ruling {
    /// The word for it in protocols and journals.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// The answer to one proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalAnswer {
    /// What becomes of it.
    pub ruling: Ruling,
    /// Why, in sentences for the model and for people. Empty only where it is allowed.
    pub reason: String,
    /// The laws to which the answer is due, by id.
    pub laws: Vec<String>,
    /// Names the granted call until its result is reported.
    pub ticket: Option<String>,
}
