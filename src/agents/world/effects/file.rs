//! World files: what a simulated world adds to the declared effects of a policy.

use super::super::ToolCall;
use super::condition::{Condition, meant, proposition};
use crate::toml_or_json::toml_or_json;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::base::IdVec;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::declared_world::{DeclaredWorld, Facts};
use tsl_synth_policy::language::{ActionId, Named, Policy, PropositionId};

/// How often something happens that may happen, if the file does not say it.
const USUAL_CHANCE: f64 = 0.5;
/// A file has at most this many tasks, actions and sub-goals.
const MOST: usize = 1_000;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldFile {
    world: u32,
    /// Read by [`world_policy`].
    #[serde(rename = "policy")]
    _policy: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    begin: Vec<String>,
    #[serde(default)]
    amounts: BTreeMap<String, u32>,
    #[serde(default)]
    actions: BTreeMap<String, ActionEntry>,
    #[serde(default, rename = "task")]
    tasks: Vec<TaskEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionEntry {
    requires: Option<String>,
    error: Option<String>,
    succeeds: Option<f64>,
    fails: Option<String>,
    #[serde(default)]
    chances: BTreeMap<String, f64>,
    #[serde(default)]
    calls: Vec<CallEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallEntry {
    tool: String,
    #[serde(default)]
    arguments: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskEntry {
    name: String,
    #[serde(default)]
    sentence: String,
    begin: Option<Vec<String>>,
    #[serde(default)]
    amounts: BTreeMap<String, u32>,
    goal: Option<String>,
    #[serde(default, rename = "sub_goal")]
    sub_goals: Vec<SubGoalEntry>,
    #[serde(default)]
    ends: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SubGoalEntry {
    name: String,
    when: String,
}

/// What a world adds to the declared effects of an action.
#[derive(Clone, Debug)]
pub(super) struct WorldAction {
    /// The action fails where this does not hold.
    pub(super) requires: Option<Condition>,
    /// What is reported then.
    pub(super) error: String,
    /// How often it succeeds where it is possible.
    pub(super) succeeds: f64,
    /// What is reported where it does not succeed.
    pub(super) fails: String,
    /// How often each proposition of `may_set` is set.
    pub(super) sets: Vec<(PropositionId, f64)>,
    /// How often each proposition of `may_clear` is cleared.
    pub(super) clears: Vec<(PropositionId, f64)>,
    /// The calls of tools that it consists of.
    pub(super) calls: Vec<ToolCall>,
}

/// A task in a world.
#[derive(Clone, Debug)]
pub struct WorldTask {
    /// Its name; empty for a world without tasks.
    pub name: String,
    /// The instruction to the agent.
    pub sentence: String,
    pub(super) begin: Facts,
    /// The condition under which it is done.
    pub(super) goal: Option<Condition>,
    /// What is reached on the way, by name.
    pub(super) sub_goals: Vec<(String, Condition)>,
    /// Whether the agent itself declares the end.
    pub(super) ends: bool,
}

/// A world that the declared effects of a policy describe (`[actions.effects]`), with the chances, conditions and tasks
/// of a world file.
#[derive(Clone, Debug)]
pub struct WorldSpec {
    pub(super) compiled: Arc<CompiledPolicy>,
    pub(super) declared: DeclaredWorld,
    pub(super) text: String,
    pub(super) actions: IdVec<ActionId, WorldAction>,
    /// At least one.
    pub(super) tasks: Vec<WorldTask>,
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

/// Reads names against what a policy declares.
struct Resolver<'p> {
    policy: &'p Policy,
    declared: &'p DeclaredWorld,
}

impl Resolver<'_> {
    /// A proposition that the world may set: neither one that a register computes nor one that follows from a quantity.
    fn settable(&self, name: &str) -> Result<PropositionId, String> {
        let id = proposition(&self.policy.atoms, name)?;
        if self.policy.atoms.propositions[id].is_computed {
            return Err(format!("`{name}` is computed from what happens, and a world does not set it"));
        }
        match self.declared.counted(id) {
            Some(quantity) => {
                let quantity = &self.policy.quantities[quantity].name;
                Err(format!("`{name}` follows from the quantity `{quantity}`: give its amount"))
            }
            None => Ok(id),
        }
    }

    fn amounts(&self, given: &BTreeMap<String, u32>, facts: &mut Facts) -> Result<(), String> {
        for (name, amount) in given {
            let quantities = &self.policy.quantities;
            let Some(at) = quantities.iter().position(|one| one.name == *name) else {
                let names = quantities.iter().map(|one| one.name.as_str());
                return Err(format!("the policy has no quantity `{name}`{}", meant(name, names)));
            };
            let most = quantities[at].most;
            let fits = u8::try_from(*amount).ok().filter(|_| *amount <= most);
            facts[at] = fits.ok_or_else(|| format!("`{name}` is at most {most}, and not {amount}"))?;
        }
        Ok(())
    }

    /// Makes these propositions true and all others false.
    fn truths(&self, names: &[String], facts: &mut Facts) -> Result<(), String> {
        for id in self.policy.atoms.propositions.ids() {
            self.declared.set(facts, id, false);
        }
        for name in names {
            self.declared.set(facts, self.settable(name)?, true);
        }
        Ok(())
    }

    fn chance(value: f64, what: &str) -> Result<f64, String> {
        if (0.0..=1.0).contains(&value) {
            Ok(value)
        } else {
            Err(format!("{what}: {value} is no probability from 0 to 1"))
        }
    }

    fn action(&self, id: ActionId, entry: Option<&ActionEntry>) -> Result<WorldAction, String> {
        let name = &self.policy.atoms.actions[id].name;
        let usual = ActionEntry::default();
        let entry = entry.unwrap_or(&usual);
        let effects = self.policy.effects[id].clone().unwrap_or_default();
        let mut used: Vec<&str> = Vec::new();
        let mut chances = |ids: &[PropositionId]| {
            let chance = |&id: &PropositionId| {
                let own = self.policy.atoms.propositions[id].name.as_str();
                let given = entry.chances.get_key_value(own);
                used.extend(given.map(|(key, _)| key.as_str()));
                let value = given.map_or(USUAL_CHANCE, |(_, value)| *value);
                Self::chance(value, own).map(|value| (id, value))
            };
            ids.iter().map(chance).collect::<Result<Vec<_>, _>>()
        };
        let (sets, clears) = (chances(&effects.may_set)?, chances(&effects.may_clear)?);
        if let Some(other) = entry.chances.keys().find(|key| !used.contains(&key.as_str())) {
            return Err(format!("`{name}` neither may set nor may clear `{other}`, so it has no chance"));
        }
        let condition = |text: &String| Condition::read(text, &self.policy.atoms);
        let calls = entry.calls.iter().map(|call| ToolCall {
            tool: call.tool.clone(),
            arguments: serde_json::Value::Object(call.arguments.clone()),
        });
        let mut calls: Vec<ToolCall> = calls.collect();
        if calls.is_empty() {
            calls.push(ToolCall { tool: name.clone(), arguments: serde_json::json!({}) });
        }
        Ok(WorldAction {
            requires: entry.requires.as_ref().map(condition).transpose()?,
            error: entry.error.clone().unwrap_or_else(|| "this is not possible now".into()),
            succeeds: Self::chance(entry.succeeds.unwrap_or(1.0), "succeeds")?,
            fails: entry.fails.clone().unwrap_or_else(|| "it did not succeed".into()),
            sets,
            clears,
            calls,
        })
    }

    fn task(&self, entry: &TaskEntry, usual: &Facts) -> Result<WorldTask, String> {
        let mut begin = usual.clone();
        if let Some(names) = &entry.begin {
            self.truths(names, &mut begin)?;
        }
        self.amounts(&entry.amounts, &mut begin)?;
        let atoms = &self.policy.atoms;
        let sub_goals = entry
            .sub_goals
            .iter()
            .map(|own| Condition::read(&own.when, atoms).map(|when| (own.name.clone(), when)));
        Ok(WorldTask {
            name: entry.name.clone(),
            sentence: entry.sentence.clone(),
            begin,
            goal: entry.goal.as_ref().map(|goal| Condition::read(goal, atoms)).transpose()?,
            sub_goals: sub_goals.collect::<Result<_, _>>()?,
            ends: entry.ends || entry.goal.is_none(),
        })
    }
}

impl WorldSpec {
    /// The world of the effects alone: everything that may happen happens every other time, and there is no task.
    ///
    /// # Panics
    /// Never, since nothing is named that the policy might not have.
    pub fn of_policy(compiled: &Arc<CompiledPolicy>) -> Self {
        let empty = WorldFile { world: 1, ..WorldFile::default() };
        Self::resolve(compiled, &empty).expect("an empty file names nothing")
    }

    /// Reads a world file in TOML or JSON.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence: with the line for a text that is not TOML or JSON or has other fields.
    pub fn read(text: &str, is_json: bool, compiled: &Arc<CompiledPolicy>) -> Result<Self, String> {
        let file: WorldFile = toml_or_json(text, is_json)?;
        if file.world != 1 {
            return Err(format!("`world = {}`: this version of the program reads `world = 1`", file.world));
        }
        Self::resolve(compiled, &file)
    }

    fn resolve(compiled: &Arc<CompiledPolicy>, file: &WorldFile) -> Result<Self, String> {
        let policy = &compiled.policy;
        let declared = DeclaredWorld::new(policy);
        let resolver = Resolver { policy, declared: &declared };
        if file.tasks.len() > MOST || file.tasks.iter().any(|task| task.sub_goals.len() > MOST) {
            return Err(format!("there are more than {MOST} tasks or sub-goals"));
        }
        for name in file.actions.keys() {
            if !matches!(policy.atoms.named(name), Some(Named::Action(_))) {
                let names = policy.atoms.actions.iter().map(|one| one.name.as_str());
                return Err(format!("the policy has no action `{name}`{}", meant(name, names)));
            }
        }
        let in_action = |name: &str, why: String| format!("actions.{name}: {why}");
        let actions = policy.atoms.actions.enumerate().map(|(id, action)| {
            let entry = file.actions.get(&action.name);
            resolver.action(id, entry).map_err(|why| in_action(&action.name, why))
        });
        let actions = actions.collect::<Result<IdVec<ActionId, _>, _>>()?;
        let mut begin = declared.initial(policy);
        if !file.begin.is_empty() {
            resolver.truths(&file.begin, &mut begin).map_err(|why| format!("begin: {why}"))?;
        }
        resolver.amounts(&file.amounts, &mut begin).map_err(|why| format!("amounts: {why}"))?;
        let mut tasks: Vec<WorldTask> = Vec::new();
        for entry in &file.tasks {
            let in_task = |why: String| format!("task `{}`: {why}", entry.name);
            if entry.name.is_empty() || tasks.iter().any(|own| own.name == entry.name) {
                return Err(in_task("each task has a name of its own".into()));
            }
            tasks.push(resolver.task(entry, &begin).map_err(in_task)?);
        }
        if tasks.is_empty() {
            let (name, sentence) = (String::new(), String::new());
            tasks.push(WorldTask { name, sentence, begin, goal: None, sub_goals: Vec::new(), ends: true });
        }
        let text = file.text.clone();
        Ok(Self { text, actions, tasks, declared, compiled: Arc::clone(compiled) })
    }

    /// The tasks, at least one; a world without tasks has one that has no name and no goal.
    pub fn tasks(&self) -> &[WorldTask] {
        &self.tasks
    }
}
