//! World files: what is read, and the world that it comes to.

use super::entries::WorldFile;
use super::map::Map;
use super::resolve::resolve;
use super::rule::{Rule, Test};
use super::state::{State, Vocabulary};
use crate::toml_or_json::toml_or_json;
use serde::Deserialize;
use tsl_synth_policy::CompiledPolicy;

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
    /// The propositions among its sub-goals and its goal that are single ones, in order.
    pub fn goal_propositions(&self) -> Vec<String> {
        let tests = self.sub_goals.iter().map(|(_, test)| test).chain(&self.goal);
        let single = tests.filter_map(|test| match test {
            Test::Formula(condition) => condition.single().map(str::to_owned),
            Test::Number(_) | Test::Any(_) => None,
        });
        let mut found: Vec<String> = Vec::new();
        for name in single {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
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
    pub(super) text: String,
    /// Whether the world tells which propositions hold.
    pub(super) tells: bool,
    /// At least one.
    pub(super) tasks: Vec<WorldTask>,
}

/// The schema of world files.
pub fn world_schema() -> schemars::Schema {
    schemars::schema_for!(WorldFile)
}

/// The policy that a world file names, if it names one. `None` for a text that is no world file.
///
/// # Errors
/// A text that begins like a world file and cannot be read, with the reason.
pub fn world_policy(text: &str, is_json: bool) -> Result<Option<Option<String>>, String> {
    #[derive(Deserialize)]
    struct Head {
        world: Option<serde_json::Value>,
        policy: Option<serde_json::Value>,
    }
    let head: Head = toml_or_json(text, is_json)?;
    let named = head.policy.as_ref().and_then(|policy| policy.as_str()).map(str::to_owned);
    Ok(head.world.map(|_| named))
}

impl WorldSpec {
    /// The world of the effects alone: everything that may happen happens every other time, and there is no task.
    ///
    /// # Panics
    /// Never, since nothing is named that the policy might not have.
    pub fn of_policy(compiled: &CompiledPolicy) -> Self {
        let empty = WorldFile { world: 1, ..WorldFile::default() };
        resolve(Some(&compiled.policy), &empty).expect("an empty file names nothing")
    }

    /// Reads a world file in TOML or JSON. The policy is the one whose names and effects the file is about; a world with
    /// rules of its own needs none.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence: with the line for a text that is not TOML or JSON or has other fields.
    pub fn read(text: &str, is_json: bool, compiled: Option<&CompiledPolicy>) -> Result<Self, String> {
        let file: WorldFile = toml_or_json(text, is_json)?;
        if file.world != 1 {
            return Err(format!("`world = {}`: this version of the program reads `world = 1`", file.world));
        }
        resolve(compiled.map(|compiled| &compiled.policy), &file)
    }

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
