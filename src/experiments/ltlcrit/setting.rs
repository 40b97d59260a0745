//! The policy and the world that games are played in: those of the paper, or other ones.

use super::first_error;
use super::laws::{INNER_MONOLOGUE, SAYCAN, load, policy, value};
use crate::replaced::{PlayedWorld, Replaced, gallery_world};
use serde_json::Value;
use std::sync::Arc;
use tsl_synth_agents::world::{EffectsWorld, WorldSpec, WorldTask};
use tsl_synth_core::base::sha256;
use tsl_synth_service::{ActorOutcome, CriticGoal, Failure, reported_goals};

/// The event until which a column of the table counts actions.
#[derive(Clone, Debug)]
enum Until {
    /// A sub-goal was reached.
    Goal(String),
    /// A proposition was observed.
    Seen(&'static str),
    /// The goal was reached.
    End,
}

/// A column of the table.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    until: Until,
}

impl Column {
    /// The name of the column that counts the games in which the event happened.
    pub(super) fn times(&self) -> String {
        format!("{} in", self.name)
    }
    /// The number of actions until the event, if it happened in the game.
    pub(super) fn reached(&self, game: &ActorOutcome) -> Option<u64> {
        match &self.until {
            Until::Goal(name) => {
                let own = game.steps.iter().find(|step| step.goals.contains(name));
                own.map(|step| u64::from(step.number) + 1)
            }
            Until::Seen(name) => {
                let own = game.steps.iter().find(|step| step.truths.iter().any(|own| own == name));
                own.map(|step| u64::from(step.number))
            }
            Until::End => game.reached.then_some(game.steps.len() as u64),
        }
    }
}

/// The policy and the world of [`super::Ltlcrit`].
#[derive(Clone, Debug)]
pub struct Setting {
    /// The policy whose names and laws are used.
    pub(super) policy: Value,
    /// The laws of an actor with thoughts, where they are others.
    pub(super) monologue: Option<Value>,
    spec: Arc<WorldSpec>,
    task: usize,
    /// What the critic takes as goals, in the order in which games reach them.
    pub(super) goals: Vec<CriticGoal>,
    pub(super) columns: Vec<Column>,
    /// Whether the world is another one than that of the paper.
    pub(super) has_own_world: bool,
    /// How `--env` names the world.
    pub(super) env: String,
    /// Where the rates of the world are.
    pub(super) file: String,
    /// A text that distinguishes different settings.
    pub(super) identity: String,
}

/// The goals of the critic in the paper's world.
const GOALS: [&str; 4] =
    ["obs_has_wood_pickaxe", "obs_has_stone_pickaxe", "obs_has_iron_pickaxe", "obs_has_diamond"];

impl Setting {
    /// That of the paper.
    pub(super) fn of_paper() -> Result<Self, Failure> {
        let world = gallery_world("inventory")?;
        let goal = |name: &str, until: Until| Column { name: name.to_owned(), until };
        Ok(Self {
            policy: value(SAYCAN)?,
            monologue: Some(value(INNER_MONOLOGUE)?),
            spec: world.spec,
            task: 0,
            goals: GOALS.map(|goal| CriticGoal::Condition(goal.into())).to_vec(),
            columns: vec![
                goal("wooden tool", Until::Goal("wooden pickaxe".into())),
                goal("stone tool", Until::Seen("obs_has_stone_pickaxe")),
                goal("iron tool", Until::Goal("iron pickaxe".into())),
                goal("diamond", Until::Goal("diamond".into())),
            ],
            has_own_world: false,
            env: world.env,
            file: "specs/worlds/inventory.world.toml".into(),
            identity: world.identity,
        })
    }

    /// That of files; `None` if neither a policy nor a world is given.
    pub(super) fn of_files(files: &Replaced) -> Result<Option<Self>, String> {
        let given = files.spec()?;
        if given.is_none() && files.world.is_none() {
            return Ok(None);
        }
        let of_world = files.world.as_ref().and_then(|world| world.policy.as_ref());
        let Some(spec) = given.or(of_world) else {
            return Err("the world names no policy: `--spec FILE` is the one that is played under".into());
        };
        let world = match &files.world {
            Some(world) => world.clone(),
            None => gallery_world("inventory").map_err(|failure| failure.reason())?,
        };
        let own = spec.value()?;
        let PlayedWorld { spec: rules, task, env, identity, .. } = world;
        let task = task.unwrap_or(0);
        let played: &WorldTask = &rules.tasks()[task];
        let mut columns: Vec<Column> = played
            .sub_goals()
            .map(|name| Column { name: name.to_owned(), until: Until::Goal(name.to_owned()) })
            .collect();
        if played.has_goal() && columns.iter().all(|column| column.name != "goal") {
            columns.push(Column { name: "goal".into(), until: Until::End });
        }
        let identity = format!("{} {identity} {task}", sha256(spec.text.as_bytes()));
        let found = Self {
            goals: reported_goals(played).into_iter().map(CriticGoal::Reported).collect(),
            file: files.world.as_ref().map_or("specs/worlds/inventory.world.toml".into(), |_| env.clone()),
            has_own_world: files.world.as_ref().is_some_and(|world| world.env != "inventory"),
            policy: own,
            monologue: None,
            spec: rules,
            task,
            columns,
            env,
            identity,
        };
        let all = [super::laws(&found.policy, "hard"), super::laws(&found.policy, "soft")].concat();
        let read = load(&policy(&found.policy, &all));
        let loaded = read.map_err(|failure| format!("`{}`: {}", spec.name, first_error(&failure)))?;
        let atoms = &loaded.compiled.policy.atoms;
        let is_known = |name: &&str| atoms.named(name).is_some();
        if let Some(name) = found.spec.observations().find(|name| !is_known(name)) {
            return Err(format!(
                "the world tells `{name}`, which the policy `{}` does not declare: declare it, name it in the \
                 list `hidden` of the world, or write `tells = false` there, and the world tells nothing",
                spec.name
            ));
        }
        Ok(Some(found))
    }

    /// Whether it is that of the paper.
    pub(super) fn is_paper(&self) -> bool {
        self.monologue.is_some()
    }

    /// The task.
    pub(super) fn task(&self) -> &WorldTask {
        &self.spec.tasks()[self.task]
    }

    /// The world of a seed.
    pub(super) fn world(&self, seed: u64) -> EffectsWorld {
        EffectsWorld::new(Arc::clone(&self.spec), self.task, seed)
    }
}
