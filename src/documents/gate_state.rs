//! Checkpoints of gate sessions: the state of a session after all earlier records. A checkpoint is read only by the
//! program version that wrote it, and only for the same policy.

use serde::{Deserialize, Serialize};

/// Names and values.
type Bindings = Vec<(String, String)>;

/// A session.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GateState {
    /// The version of the program.
    pub version: String,
    /// The hash of the policy.
    pub policy: String,
    /// Whether no other policy may decide in the session.
    #[serde(default)]
    pub pinned: bool,
    /// How many calls there were.
    pub calls: u64,
    /// Calls whose results have not come.
    pub waiting: Vec<GateWaiting>,
    /// The states that the session may be in.
    pub worlds: Vec<GateWorld>,
    /// The bits of the propositions that hold, if letters are formed at changes of propositions.
    pub truths: Option<Vec<u32>>,
    /// Whether the set of possible states became too large.
    pub lost: bool,
    /// The last letter.
    pub last: Option<GateLetter>,
    /// How many times in a row the end was refused.
    pub end_refusals: u32,
    /// Calls with ids.
    pub tickets: Vec<GateTicket>,
    /// The number of calls without ids.
    pub unnamed: u64,
    /// The hashes of the prompts that the agent scheduled for itself.
    #[serde(default)]
    pub scheduled: Vec<String>,
}

/// A call whose result has not come.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GateWaiting {
    /// Its number.
    pub call: u64,
    /// Its id.
    pub id: Option<String>,
    /// The MCP server.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The text of its arguments.
    pub arguments: Option<String>,
    /// The values that it bound.
    pub bindings: Bindings,
}

/// A state that a session may be in.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GateWorld {
    /// The states of the laws.
    pub laws: Vec<GateLaw>,
    /// The registers: the value, and the amounts that were added, with their times in milliseconds.
    pub registers: Vec<(String, Vec<(i64, String)>)>,
    /// Calls whose outcome is not known.
    pub pending: Vec<GatePending>,
    /// The truths that are not part of a letter yet.
    pub gathered: Option<GateLetter>,
    /// The bits of the last letter, if they are needed.
    pub last: Vec<u32>,
    /// How many letters there were.
    pub letters: u64,
    /// Whether a value was not distinguished because there were too many.
    pub overflowed: bool,
}

/// The state of a law.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum GateLaw {
    /// Of a law without bound values.
    One(u32),
    /// Of each copy, in the order the values were seen.
    Each(Vec<(Vec<Option<String>>, u32)>),
}

/// A call whose outcome is not known.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GatePending {
    /// Its number.
    pub call: u64,
    /// The state in which its program ended.
    pub state: usize,
    /// Its actions.
    pub actions: Vec<u32>,
    /// Whether the actions are ok if the whole script succeeds, and if it fails; `None` if it does not end in this
    /// state in that case.
    pub outcomes: [Option<bool>; 2],
    /// The values that it bound.
    pub bindings: Bindings,
}

/// A letter.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GateLetter {
    /// Its bits.
    pub bits: Vec<u32>,
    /// The values that it is bound to.
    pub bindings: Bindings,
    /// The amounts that it adds to registers.
    pub amounts: Vec<(u32, String)>,
}

/// A call with an id.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GateTicket {
    /// The id.
    pub id: String,
    /// The name of the ticket.
    pub name: String,
    /// The hash of the proposed call.
    pub hash: String,
    /// `refused`, `asked`, `granted` or `ended`.
    pub state: String,
    /// The call, if it was refused or a person is asked.
    pub event: Option<serde_json::Value>,
}
