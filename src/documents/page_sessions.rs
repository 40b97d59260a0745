//! The data embedded in the pages of `view` about sessions: automata that are followed event by event. Only the script
//! of the page reads it, so it has no schema and may change from version to version.

use super::PolicyTestView;
use serde::Serialize;

/// The data of a page.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionsDocument {
    /// What the automata are: `law`, `behavior` or `plan`.
    pub kind: &'static str,
    /// The automata.
    pub automata: Vec<FollowedAutomaton>,
    /// The names of the atoms that may be true in a letter.
    pub atoms: Vec<String>,
    /// The atoms that some automaton tests, from which the user of the page composes letters.
    pub offered: Vec<usize>,
    /// Pairs of these that are never true together.
    pub conflicts: Vec<(usize, usize)>,
    /// The sessions, in the order of their first events.
    pub sessions: Vec<FollowedSession>,
}

/// An automaton that is followed.
#[derive(Clone, Debug, Serialize)]
pub struct FollowedAutomaton {
    /// Its name.
    pub name: String,
    /// What it is: `hard`, `soft`, `assume`; `behavior`, `plan`.
    pub role: String,
    /// Descriptions: titles and texts.
    pub about: Vec<(&'static str, String)>,
    /// The names of the bound values; there is a copy of the automaton for each value.
    pub each: Vec<String>,
    /// Its states; the first one is the initial state.
    pub states: Vec<FollowedState>,
    /// Its edges.
    pub edges: Vec<FollowedEdge>,
    /// The decision diagram from letters to classes; `-1 - c` is the class `c`.
    pub tests: Vec<PolicyTestView>,
    /// The root of the decision diagram.
    pub root: i64,
    /// For each state the next state for each class; none if letters do not determine the next state.
    pub rows: Vec<Vec<u32>>,
    /// Whether there is a drawing.
    pub drawn: bool,
}

/// A state.
#[derive(Clone, Debug, Serialize)]
pub struct FollowedState {
    /// Its name.
    pub name: String,
    /// The verdict in this state: for laws `violated`, `currently-violated`, `currently-satisfied`, `satisfied`.
    pub standing: String,
}

/// An edge.
#[derive(Clone, Debug, Serialize)]
pub struct FollowedEdge {
    /// From this state.
    pub from: usize,
    /// To this one.
    pub to: usize,
    /// Its condition as text for people.
    pub when: String,
}

/// A session.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowedSession {
    /// Its name.
    pub name: String,
    /// The automata that it concerns; all automata if the list is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub automata: Vec<usize>,
    /// What happened.
    pub events: Vec<FollowedEvent>,
}

/// Something that happened.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowedEvent {
    /// Its position: a line of the log, or the number of a record.
    pub line: u64,
    /// What it is, in a word.
    pub kind: String,
    /// What happened, in a few words.
    pub what: String,
    /// Whether it is not part of the session, such as a call that was refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// Its letters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub letters: Vec<FollowedLetter>,
    /// The automata whose state or verdict changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<FollowedMove>,
    /// The verdict on the conjunction of the hard laws, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// The automata that are violated since this event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<usize>,
    /// If the agent wants to stop: the laws that are owed, that is, would be violated by the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owed: Option<Vec<usize>>,
    /// Other remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The ruling of the gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<FollowedRuling>,
}

/// A letter.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowedLetter {
    /// The atoms that are true in it.
    pub holds: Vec<usize>,
    /// The bound values: name and value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bound: Vec<(String, String)>,
}

/// The state of an automaton after an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FollowedMove {
    /// The automaton.
    pub of: usize,
    /// Its verdict.
    pub standing: String,
    /// The states that it may be in.
    pub at: Vec<ActiveState>,
}

/// A state that an automaton or some of its copies are in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActiveState {
    /// The state.
    pub state: u32,
    /// The bound values of the copies, as far as they are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// The number of copies that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The ruling of the gate on a call, or on the wish to stop.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowedRuling {
    /// `allow`, `warn`, `ask` or `deny`.
    pub verdict: String,
    /// Why, in sentences.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The laws that cause the ruling.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
    /// Whether the gate ruled so during the session; otherwise it would rule so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub then: bool,
}
