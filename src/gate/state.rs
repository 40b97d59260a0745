//! Checkpoints of gate sessions: the state of a session after all earlier records. A checkpoint is read only by the
//! program version that wrote it, and only for the same policy.

use crate::open::HostState;
use serde::{Deserialize, Serialize};

/// Names and values.
type Bindings = Vec<(String, String)>;

/// A session.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct GateState {
    /// The version of the program.
    pub(crate) version: String,
    /// The hash of the policy.
    pub(crate) policy: String,
    /// Whether no other policy may decide in the session.
    #[serde(default)]
    pub(crate) pinned: bool,
    /// For how many milliseconds after its last event the session is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retain: Option<u64>,
    /// How many calls there were.
    pub(crate) calls: u64,
    /// Calls whose results have not come.
    pub(crate) waiting: Vec<GateWaiting>,
    /// The states that the session may be in.
    pub(crate) worlds: Vec<GateWorld>,
    /// The bits of the propositions that hold, if letters are formed at changes of propositions.
    pub(crate) truths: Option<Vec<u32>>,
    /// Whether the set of possible states became too large.
    pub(crate) lost: bool,
    /// The last letter.
    pub(crate) last: Option<GateLetter>,
    /// How many times in a row the end was refused.
    pub(crate) end_refusals: u32,
    /// Calls with ids.
    pub(crate) tickets: Vec<GateTicket>,
    /// The number of calls without ids.
    pub(crate) unnamed: u64,
    /// What was said: texts with the numbers of their sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) said: Vec<(usize, String)>,
    /// What the host reported beside the events.
    #[serde(default)]
    pub(crate) host: HostState,
}

/// A call whose result has not come.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct GateWaiting {
    /// Its number.
    pub(crate) call: u64,
    /// Its id.
    pub(crate) id: Option<String>,
    /// The MCP server.
    pub(crate) server: Option<String>,
    /// The tool.
    pub(crate) tool: String,
    /// The text of its arguments.
    pub(crate) arguments: Option<String>,
    /// The values that it bound.
    pub(crate) bindings: Bindings,
}

/// A state that a session may be in.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct GateWorld {
    /// The states of the laws.
    pub(crate) laws: Vec<GateLaw>,
    /// The registers: the value, and the amounts that were added, with their times in milliseconds.
    pub(crate) registers: Vec<(String, Vec<(i64, String)>)>,
    /// The values that registers of distinct values have counted; empty if there are no such registers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<Vec<String>>,
    /// What other sessions had counted; empty if there are no registers over all sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<String>,
    /// The numbers of values of each register; empty if no register has one for each value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) each: Vec<Vec<GateNumber>>,
    /// Calls whose outcome is not known.
    pub(crate) pending: Vec<GatePending>,
    /// The truths that are not part of a letter yet.
    pub(crate) gathered: Option<GateLetter>,
    /// The bits of the last letter, if they are needed.
    pub(crate) last: Vec<u32>,
    /// How many letters there were.
    pub(crate) letters: u64,
    /// Whether a value was not distinguished because there were too many.
    pub(crate) overflowed: bool,
}

/// The number that a register has for a combination of values.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct GateNumber {
    /// The combination of values.
    pub(crate) of: Vec<String>,
    /// The number, and the amounts that were added, with their times in milliseconds.
    pub(crate) number: (String, Vec<(i64, String)>),
    /// The values that were counted, if distinct ones are.
    pub(crate) counted: Vec<String>,
    /// What other sessions had counted.
    pub(crate) others: String,
}

/// The state of a law.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum GateLaw {
    /// Of a law without bound values.
    One(u32),
    /// Of each copy, in the order the values were seen.
    Each(Vec<(Vec<Option<String>>, u32)>),
}

/// A call whose outcome is not known.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct GatePending {
    /// Its number.
    pub(crate) call: u64,
    /// The state in which its program ended.
    pub(crate) state: usize,
    /// Its actions.
    pub(crate) actions: Vec<u32>,
    /// Whether the actions are ok if the whole script succeeds, and if it fails; `None` if it does not end in this
    /// state in that case.
    pub(crate) outcomes: [Option<bool>; 2],
    /// The values that it bound.
    pub(crate) bindings: Bindings,
}

/// A letter.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct GateLetter {
    /// Its bits.
    pub(crate) bits: Vec<u32>,
    /// The values that it is bound to.
    pub(crate) bindings: Bindings,
    /// The amounts that it adds to registers.
    pub(crate) amounts: Vec<(u32, String)>,
}

/// A call with an id.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct GateTicket {
    /// The id.
    pub(crate) id: String,
    /// The name of the ticket.
    pub(crate) name: String,
    /// The hash of the proposed call.
    pub(crate) hash: String,
    /// `refused`, `asked`, `granted` or `ended`.
    pub(crate) state: String,
    /// The call, if it was refused or a person is asked.
    pub(crate) event: Option<serde_json::Value>,
}
