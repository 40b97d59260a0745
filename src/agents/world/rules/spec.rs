//! A world as it is played, and its tasks.

use super::map::Map;
use super::rule::{Rule, Test};
use super::state::{State, Vocabulary};

/// A task in a world.
#[derive(Clone, Debug)]
pub struct WorldTask {
    /// Its name; empty for a world without tasks.
    pub name: String,
    /// The instruction to the agent.
    pub sentence: String,
    pub(super) begin: State,
    /// What has to hold when it is done; if nothing does, it has no goal.
    pub(super) goal: Vec<Test>,
    /// What is reached on the way, by name.
    pub(super) sub_goals: Vec<(String, Test)>,
    /// Whether the agent itself declares the end.
    pub(super) ends: bool,
}

impl WorldTask {
    /// The names of its sub-goals, in order.
    pub fn sub_goals(&self) -> impl Iterator<Item = &str> {
        self.sub_goals.iter().map(|(name, _)| name.as_str())
    }
    /// Whether the agent itself declares the end.
    pub fn ends(&self) -> bool {
        self.ends
    }
    /// Whether it has a goal.
    pub fn has_goal(&self) -> bool {
        !self.goal.is_empty()
    }
    /// The slots that its goal reads.
    pub(super) fn goal_slots(&self) -> Vec<usize> {
        self.goal.iter().flat_map(Test::slots).collect()
    }
    pub(super) fn is_reached(&self, state: &[u32]) -> bool {
        self.has_goal() && self.goal.iter().all(|test| test.holds(state))
    }
}

/// A world of a file, or of the effects that a policy declares.
#[derive(Clone, Debug)]
pub struct WorldSpec {
    pub(super) words: Vocabulary,
    /// The actions, in the order in which they are offered.
    pub(super) rules: Vec<Rule>,
    pub(super) map: Option<Map>,
    /// The slots that say where things are.
    pub(super) objects: Vec<usize>,
    pub(super) text: String,
    /// Whether the world tells which propositions hold.
    pub(super) tells: bool,
    /// At least one.
    pub(super) tasks: Vec<WorldTask>,
}

impl WorldSpec {
    /// The tasks, at least one; a world without tasks has one that has no name and no goal.
    pub fn tasks(&self) -> &[WorldTask] {
        &self.tasks
    }

    /// The index of the task of this name.
    ///
    /// # Errors
    /// The names that there are, as a sentence.
    pub fn task(&self, name: &str) -> Result<usize, String> {
        let names = self.tasks.iter().map(|own| own.name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let found = self.tasks.iter().position(|own| own.name == name && !name.is_empty());
        found.ok_or_else(|| match names[..] {
            [] => "the world has no tasks".into(),
            _ => format!("the world has no task `{name}`; it has {}", names.join(", ")),
        })
    }

    /// The names of its actions, in the order in which they are offered.
    pub fn actions(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.name.as_str())
    }

    /// Whether it tells which propositions hold; if not, the policy reads its calls.
    pub fn tells(&self) -> bool {
        self.tells
    }

    /// The propositions that it tells where they hold.
    pub fn observations(&self) -> impl Iterator<Item = &str> {
        let told = self.words.meanings.iter().filter(|(_, meaning)| meaning.is_told && self.tells);
        told.map(|(name, _)| name.as_str())
    }
}
