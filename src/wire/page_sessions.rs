//! What pages of `view` about sessions have embedded: automata that are followed event by event. Only the script of the
//! page reads it, so it has no schema and may change from version to version.

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
    /// What may be true in a letter, by name.
    pub atoms: Vec<String>,
    /// The atoms that some automaton tests: what letters by hand are made of.
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
    /// What it says: a title and a text each.
    pub about: Vec<(&'static str, String)>,
    /// The values of which each has its own copy.
    pub each: Vec<String>,
    /// Its states; the first one is where it begins.
    pub states: Vec<FollowedState>,
    /// Its edges.
    pub edges: Vec<FollowedEdge>,
    /// From letters to classes; `-1 - c` is the class `c`.
    pub tests: Vec<PolicyTestView>,
    /// Where a decision begins.
    pub root: i64,
    /// For each state the states after each class; none where letters do not decide.
    pub rows: Vec<Vec<u32>>,
    /// Whether there is a drawing.
    pub drawn: bool,
}

/// A state.
#[derive(Clone, Debug, Serialize)]
pub struct FollowedState {
    /// Its name.
    pub name: String,
    /// How things stand there: of laws `violated`, `currently-violated`, `currently-satisfied`, `satisfied`.
    pub standing: String,
}

/// An edge.
#[derive(Clone, Debug, Serialize)]
pub struct FollowedEdge {
    /// From this state.
    pub from: usize,
    /// To this one.
    pub to: usize,
    /// When it is taken, for people.
    pub when: String,
}

/// A session.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowedSession {
    /// Its name.
    pub name: String,
    /// The automata that it is about; all where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub automata: Vec<usize>,
    /// What happened.
    pub events: Vec<FollowedEvent>,
}

/// Something that happened.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowedEvent {
    /// Where it was told: a line of the log, the number of a record.
    pub line: u64,
    /// What it is, in a word.
    pub kind: String,
    /// What happened, in a few words.
    pub what: String,
    /// Whether it is no part of the session: a call that was refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// Its letters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub letters: Vec<FollowedLetter>,
    /// The automata that stand otherwise than before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<FollowedMove>,
    /// How all hard laws stand together, where that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// The automata that are violated since this event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<usize>,
    /// What is owed, where the agent wants to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owed: Option<Vec<usize>>,
    /// What else is to be said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the gate says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<FollowedRuling>,
}

/// A letter.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowedLetter {
    /// The atoms that are true in it.
    pub holds: Vec<usize>,
    /// What it is bound to: name and value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bound: Vec<(String, String)>,
}

/// How an automaton stands since an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FollowedMove {
    /// The automaton.
    pub of: usize,
    /// How it stands.
    pub standing: String,
    /// The states that it may be in.
    pub at: Vec<FollowedPlace>,
}

/// A state that an automaton or some of its copies are in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FollowedPlace {
    /// The state.
    pub state: u32,
    /// The copies, as far as they are listed: what they are bound to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What the gate says of a call, or of the wish to stop.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowedRuling {
    /// `allow`, `warn`, `ask` or `deny`.
    pub verdict: String,
    /// Why, in sentences.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The laws to which that is due.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
    /// Whether it was said then; else it is what the gate would say.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub then: bool,
}
