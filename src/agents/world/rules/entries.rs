//! World files as they are written.

use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Whose effects a world plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    /// Those that the policy declares, and those of the file.
    #[default]
    Policy,
    /// Those of the file alone: names and actions of the policy are not used.
    Own,
}

/// A world file: what an agent acts on under a policy.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldFile {
    /// The version of the format: 1.
    pub(super) world: u32,
    /// The policy whose names and effects the file is about, relative to it; that of the agent, if not given.
    #[serde(rename = "policy")]
    pub(super) _policy: Option<String>,
    /// Whose effects are played.
    #[serde(default)]
    pub(super) effects: Source,
    /// What the agent is told at the beginning.
    #[serde(default)]
    pub(super) text: String,
    /// Whether the world tells which propositions hold; yes, if not given. Otherwise the policy reads its calls.
    pub(super) tells: Option<bool>,
    /// Propositions of the world itself, which do not hold at the beginning.
    #[serde(default)]
    pub(super) facts: Vec<String>,
    /// Facts and counters that the agent is not told.
    #[serde(default)]
    pub(super) hidden: Vec<String>,
    /// What holds at first; all other facts do not.
    #[serde(default)]
    pub(super) begin: Vec<String>,
    /// The values of quantities and counters at the beginning, where they differ from their declared initial values.
    #[serde(default)]
    pub(super) amounts: BTreeMap<String, u32>,
    /// The tool calls that the gate sees for a walk or an action of the file; `{action}` is replaced by its name.
    #[serde(default)]
    pub(super) calls: Vec<CallEntry>,
    /// Places, and the doors between them.
    pub(super) map: Option<MapEntry>,
    /// What the agent can hold.
    pub(super) hands: Option<HandsEntry>,
    /// Numbers of the world itself.
    #[serde(default, rename = "counter")]
    pub(super) counters: Vec<CounterEntry>,
    /// Where things may be put.
    #[serde(default, rename = "container")]
    pub(super) containers: Vec<ContainerEntry>,
    /// Things that may be taken and put somewhere.
    #[serde(default, rename = "object")]
    pub(super) objects: Vec<ObjectEntry>,
    /// What is added to actions of the policy, or to walks, by name.
    #[serde(default)]
    pub(super) actions: BTreeMap<String, ActionEntry>,
    /// Actions of the world's own, in the order in which they are offered.
    #[serde(default, rename = "action")]
    pub(super) own: Vec<ActionEntry>,
    /// What an agent may have to do.
    #[serde(default, rename = "task")]
    pub(super) tasks: Vec<TaskEntry>,
}

/// A number that actions change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CounterEntry {
    /// Its name in conditions and changes.
    pub(super) name: String,
    /// Its name in what the agent is told.
    pub(super) shown: Option<String>,
    /// Its value at first.
    #[serde(default)]
    pub(super) initial: u32,
    /// Larger values are cut to it; 1000000, if not given.
    pub(super) most: Option<u32>,
    /// Propositions that hold where it is at least so much.
    #[serde(default)]
    pub(super) at_least: BTreeMap<String, u32>,
}

/// Places, each of which is a proposition that holds where the agent is, and an action that leads there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MapEntry {
    /// The places.
    pub(super) places: Vec<String>,
    /// Pairs of places, and how far apart they are.
    #[serde(default)]
    pub(super) doors: Vec<Door>,
    /// The name of a walk, where `{place}` stands for where it leads.
    #[serde(default = "walk")]
    pub(super) walk: String,
    /// The sentence that tells the agent its place, with `{place}` for the name; default `You are in the {place}.`
    pub(super) here: Option<String>,
    /// The names of places in sentences.
    #[serde(default)]
    pub(super) shown: BTreeMap<String, String>,
    /// The tool that is called at each change of the place, and at the beginning.
    pub(super) tool: Option<String>,
    /// The argument of that tool, which has the places as a list.
    #[serde(default = "argument")]
    pub(super) argument: String,
    /// Whether the agent is in both places at once on its way from one to the other.
    #[serde(default)]
    pub(super) doorways: bool,
    /// How much of a quantity or counter each unit of distance uses up.
    #[serde(default)]
    pub(super) uses: BTreeMap<String, u32>,
    /// Where the agent is at first; at the first place, if not given.
    pub(super) at: Option<String>,
}

fn walk() -> String {
    "walk to {place}".into()
}

fn argument() -> String {
    "to".into()
}

/// A door between two places, and how far apart they are: 1, if not given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a door is `[\"A\", \"B\"]` or `[\"A\", \"B\", DISTANCE]`")]
pub(super) enum Door {
    Near(String, String),
    Far(String, String, u32),
}

/// What the agent can hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HandsEntry {
    /// So many things; 1, if not given.
    #[serde(default = "one")]
    pub(super) capacity: u32,
}

fn one() -> u32 {
    1
}

/// Where things may be put.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ContainerEntry {
    /// Its name.
    pub(super) name: String,
    /// Its place.
    pub(super) at: Option<String>,
    /// Whether it is closed at first, and is opened and closed.
    #[serde(default)]
    pub(super) opens: bool,
    /// So many things are in it at most.
    pub(super) capacity: Option<u32>,
}

/// A thing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ObjectEntry {
    /// Its name.
    pub(super) name: String,
    /// The place where it is at first.
    pub(super) at: Option<String>,
    /// The container where it is at first.
    #[serde(rename = "in")]
    pub(super) inside: Option<String>,
}

/// What an action requires and does.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ActionEntry {
    /// Of an action of the world's own.
    pub(super) name: Option<String>,
    /// What has to hold.
    pub(super) requires: Option<Requires>,
    /// What is reported where it does not.
    pub(super) error: Option<String>,
    /// How often it works where it is possible; always, if not given.
    pub(super) succeeds: Option<f64>,
    /// What is reported where it does not work.
    pub(super) fails: Option<String>,
    /// How often what the policy says may be set or cleared is; every other time, if not given.
    #[serde(default)]
    pub(super) chances: BTreeMap<String, f64>,
    /// The tool calls that the gate sees for it.
    #[serde(default)]
    pub(super) calls: Vec<CallEntry>,
    /// The place where it is possible.
    pub(super) at: Option<String>,
    /// Actions of the file that have to be done before, and not undone.
    #[serde(default)]
    pub(super) after: Vec<String>,
    /// Actions of the file that it undoes.
    #[serde(default)]
    pub(super) undoes: Vec<String>,
    /// Whether it is undone by a walk.
    #[serde(default)]
    pub(super) ends_by_walking: bool,
    /// Quantities and counters, and how much of them has to be there.
    #[serde(default)]
    pub(super) needs: BTreeMap<String, u32>,
    /// Quantities and counters, and by how much they change.
    #[serde(default)]
    pub(super) changes: BTreeMap<String, By>,
    /// Facts that hold afterwards.
    #[serde(default)]
    pub(super) sets: Vec<String>,
    /// Facts that do not hold afterwards.
    #[serde(default)]
    pub(super) clears: Vec<String>,
    /// The ways to do it: the first whose needs are met.
    #[serde(default)]
    pub(super) one_of: Vec<WayEntry>,
    /// The probability that a way is drawn uniformly at random instead, whether its needs are met or not.
    pub(super) any_of_them: Option<f64>,
    /// Further changes, one after another.
    #[serde(default)]
    pub(super) then: Vec<StepEntry>,
}

/// What an action requires.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "`requires` is a condition, or a list of `{ when = .., error = .. }` or `{ when = .., missing = .. }`"
)]
pub(super) enum Requires {
    One(String),
    Several(Vec<RequiredEntry>),
}

/// Something that has to hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequiredEntry {
    /// A condition.
    pub(super) when: String,
    /// What is reported where it does not hold.
    pub(super) error: Option<String>,
    /// The name of what is missing then.
    pub(super) missing: Option<String>,
}

/// By how much a number changes.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a change is a whole number, or `[LEAST, MOST]` for one that is drawn")]
pub(super) enum By {
    Fixed(i32),
    Drawn(i32, i32),
}

/// A way to do an action.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WayEntry {
    /// How much has to be there.
    #[serde(default)]
    pub(super) needs: BTreeMap<String, u32>,
    /// What it changes.
    #[serde(default)]
    pub(super) changes: BTreeMap<String, By>,
    /// Facts that hold afterwards.
    #[serde(default)]
    pub(super) sets: Vec<String>,
    /// Facts that do not hold afterwards.
    #[serde(default)]
    pub(super) clears: Vec<String>,
    /// What is reported where the way is tried and its needs are not met.
    pub(super) error: Option<String>,
}

/// Changes that happen together.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StepEntry {
    /// How often; always, if not given.
    pub(super) chance: Option<f64>,
    /// Only where this holds.
    pub(super) when: Option<String>,
    /// Quantities and counters, and by how much they change.
    #[serde(default)]
    pub(super) changes: BTreeMap<String, By>,
    /// Facts that hold afterwards.
    #[serde(default)]
    pub(super) sets: Vec<String>,
    /// Facts that do not hold afterwards.
    #[serde(default)]
    pub(super) clears: Vec<String>,
}

/// A call of a tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallEntry {
    /// The tool.
    pub(super) tool: String,
    /// Its arguments.
    #[serde(default)]
    pub(super) arguments: serde_json::Map<String, serde_json::Value>,
}

/// What an agent is to do.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskEntry {
    /// Its name, which `--env FILE:NAME` has.
    pub(super) name: String,
    /// The instruction to the agent.
    #[serde(default)]
    pub(super) sentence: String,
    /// What holds at first, instead of that of the file.
    pub(super) begin: Option<Vec<String>>,
    /// The values of quantities and counters at the beginning of the task, where they differ from those of the file.
    #[serde(default)]
    pub(super) amounts: BTreeMap<String, u32>,
    /// Where the agent is at first.
    pub(super) at: Option<String>,
    /// The condition under which it is done; without one the agent says so.
    pub(super) goal: Option<String>,
    /// Actions that are to be done.
    #[serde(default)]
    pub(super) done: Vec<String>,
    /// What is reached on the way.
    #[serde(default, rename = "sub_goal")]
    pub(super) sub_goals: Vec<SubGoalEntry>,
    /// Whether the agent itself declares the end.
    #[serde(default)]
    pub(super) ends: bool,
}

/// A step on the way to a goal.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SubGoalEntry {
    /// Its name.
    pub(super) name: String,
    /// The condition under which it is reached.
    pub(super) when: String,
}
