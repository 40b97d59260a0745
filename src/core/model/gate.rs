//! The answers of a gate to the proposals of an agent.

/// The decision on a proposal, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ruling {
    /// The proposal is allowed.
    Allow,
    /// The proposal is allowed, and the reason is shown.
    Warn,
    /// A person must approve it.
    Ask,
    /// The proposal is denied.
    Deny,
}

impl Ruling {
    /// Its name in protocols and journals.
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
    /// The decision.
    pub ruling: Ruling,
    /// The reason, in sentences for the model and for people. Empty only if the proposal is allowed.
    pub reason: String,
    /// The ids of the laws that led to the decision.
    pub laws: Vec<String>,
    /// Names the granted call until its result is reported.
    pub ticket: Option<String>,
}
