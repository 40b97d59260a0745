//! The possible results of a check: a certificate, or the reason why there is none.

use tsl_synth_core::base::Limit;
use tsl_synth_core::logic::Lasso;
use tsl_synth_core::model::Role;

/// A certificate: everything that had to be checked was checked and holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certified {
    /// Emptiness questions answered, over all rounds.
    pub searches: u64,
    /// States of all products that were searched.
    pub product_states: u64,
    /// Nodes of decision diagrams after the question that needed most; 0 if no question was answered on diagrams.
    pub diagram_nodes: u64,
    /// The automata by which a circuit was certified; 0 if it was certified by tableaux.
    pub monitors: u64,
}

/// A play that refutes the claim about a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The role of the clause that the violation is about. For a controller: the restriction or guarantee that the play
    /// breaks although it keeps the facts and, for a guarantee, the assumptions. For a counter-strategy: the fact or
    /// assumption that the play breaks although the system keeps the restrictions, or [`Role::Guarantee`] when the
    /// system keeps all restrictions and guarantees.
    pub role: Role,
    /// The index of the clause among those of its role; `None` if the play against a counter-strategy keeps all
    /// guarantees.
    pub clause: Option<usize>,
    /// The play.
    pub play: Lasso,
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertifyError {
    /// The machine is not a strategy: no such initial or next state, guards of a state that overlap, leave a letter out
    /// or mention bits of the wrong player, a letter with bits of the wrong player or with a code that stands for no
    /// update of its cell. The text says which, with the number of the state.
    Malformed(String),
    /// The claim is wrong; this play shows it.
    Violated(Violation),
    /// A claim of another kind is wrong, such as one about a cause or a fact; the text says which.
    Wrong(String),
    /// A limit was reached first: neither certified nor refuted.
    Limit(Limit),
}

impl From<Limit> for CertifyError {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

impl std::fmt::Display for CertifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "not a strategy: {what}"),
            Self::Violated(Violation { role, clause, play }) => {
                let role = match role {
                    Role::Fact => "fact",
                    Role::Restriction => "restriction",
                    Role::Assumption => "assumption",
                    Role::Guarantee => "guarantee",
                };
                match clause {
                    Some(clause) => write!(f, "{role} {} fails", clause + 1)?,
                    None => write!(f, "every {role} is kept")?,
                }
                write!(f, " on a play of {} + {} steps", play.prefix.len(), play.cycle.len())
            }
            Self::Wrong(what) => f.write_str(what),
            Self::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for CertifyError {}
