//! The simulated worlds that `--env` names for actors under a policy.

use anyhow::{Context, Result, anyhow, bail};
use std::path::Path;
use std::sync::Arc;
use tsl_synth_agents::Oracle;
use tsl_synth_agents::world::{
    EffectsModel, EffectsRates, EffectsWorld, HOUSEHOLD_TASKS, Household, HouseholdModel, HouseholdRates,
    Inventory, InventoryModel, InventoryRates, ModelRates, Simulated, WorldSpec, world_policy,
};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_service::{Input, Session};

/// A simulated world with its task, read once for all runs in it.
#[derive(Clone)]
pub(crate) enum SimulatedWorld {
    Inventory,
    Household(Household),
    /// The index of the task.
    Effects(Arc<WorldSpec>, usize),
}

impl SimulatedWorld {
    /// The world of a text such as `inventory`, `household:TASK`, `effects` or `effects:FILE:TASK`; `None` if it names none.
    /// A file that is a policy, and `effects` alone, stand for the declared effects of that policy, or of the policy that the
    /// agent runs under.
    pub(crate) fn named(text: &str, compiled: &Arc<CompiledPolicy>) -> Result<Option<Self>> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        Ok(Some(match (name, rest) {
            ("inventory", None) => Self::Inventory,
            ("inventory", Some(_)) => bail!("`{text}`: the inventory world has no tasks"),
            ("household", task) => {
                let task = task.filter(|task| !task.is_empty()).unwrap_or(HOUSEHOLD_TASKS[0].0);
                let names = || HOUSEHOLD_TASKS.map(|(name, ..)| name).join(", ");
                let world = Household::new(task);
                Self::Household(
                    world.ok_or_else(|| anyhow!("`{text}`: the household has the tasks {}", names()))?,
                )
            }
            ("effects", None) => Self::Effects(Arc::new(WorldSpec::of_policy(compiled)), 0),
            ("effects", Some(file)) => {
                let (spec, task) = effects(file, compiled).with_context(|| format!("`{text}`"))?;
                Self::Effects(Arc::new(spec), task)
            }
            _ => return Ok(None),
        }))
    }

    /// The instruction to the agent.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Inventory => "Mine a diamond.".into(),
            Self::Household(world) => world.sentence().into(),
            Self::Effects(spec, task) => spec.tasks()[*task].sentence.clone(),
        }
    }

    /// The world as the port that executes actions.
    pub(super) fn port(&self, seed: u64) -> Box<dyn Oracle> {
        match self {
            Self::Inventory => Box::new(Simulated(Inventory::new(InventoryRates::default(), seed))),
            Self::Household(world) => Box::new(Simulated(world.clone())),
            Self::Effects(spec, task) => {
                Box::new(Simulated(EffectsWorld::new(Arc::clone(spec), *task, seed)))
            }
        }
    }

    /// A simulated model that acts in this world.
    pub(super) fn model(&self, compiled: &Arc<CompiledPolicy>, seed: u64) -> Box<dyn Oracle> {
        match self {
            Self::Inventory => Box::new(InventoryModel::new(ModelRates::default(), seed)),
            Self::Household(world) => {
                let rates = HouseholdRates::default();
                Box::new(HouseholdModel::new(world.clone(), Arc::clone(compiled), &[], rates, seed))
            }
            Self::Effects(spec, task) => {
                let world = EffectsWorld::new(Arc::clone(spec), *task, seed);
                Box::new(EffectsModel::new(world, EffectsRates::default(), seed))
            }
        }
    }
}

/// The world of a file and the index of its task: the file is the whole text, or what stands before its last colon.
fn effects(text: &str, compiled: &Arc<CompiledPolicy>) -> Result<(WorldSpec, usize)> {
    let (path, task) = match text.rsplit_once(':') {
        Some((path, task)) if !Path::new(text).exists() => (path, Some(task)),
        _ => (text, None),
    };
    let spec = read(Path::new(path), compiled)?;
    let Some(task) = task else { return Ok((spec, 0)) };
    let found = spec.tasks().iter().position(|own| own.name == task);
    let found = found.ok_or_else(|| {
        let names: Vec<&str> =
            spec.tasks().iter().map(|own| own.name.as_str()).filter(|name| !name.is_empty()).collect();
        match names[..] {
            [] => anyhow!("the world has no tasks"),
            _ => anyhow!("the world has no task `{task}`; it has {}", names.join(", ")),
        }
    })?;
    Ok((spec, found))
}

fn read(path: &Path, compiled: &Arc<CompiledPolicy>) -> Result<WorldSpec> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let named = world_policy(&text, is_json).map_err(|why| anyhow!("{why}"))?;
    let Some(named) = named else { return Ok(WorldSpec::of_policy(&policy(path)?)) };
    let own = match named {
        Some(file) => policy(&path.parent().unwrap_or(Path::new("")).join(file))?,
        None => Arc::clone(compiled),
    };
    WorldSpec::read(&text, is_json, &own).map_err(|why| anyhow!("{why}"))
}

fn policy(path: &Path) -> Result<Arc<CompiledPolicy>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let name = path.display().to_string();
    let loaded = Session::new().policy(&Input::Text { name: name.clone(), text });
    let loaded = loaded.map_err(|failure| anyhow!("the policy `{name}`: {}", failure.reason()))?;
    Ok(Arc::new(loaded.compiled))
}
