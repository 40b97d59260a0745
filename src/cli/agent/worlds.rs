//! The simulated worlds that `--env` names for actors under a policy.

use anyhow::{Context, Result, anyhow};
use std::path::Path;
use std::sync::Arc;
use tsl_synth_agents::Oracle;
use tsl_synth_agents::world::{
    EffectsModel, EffectsRates, EffectsWorld, InventoryModel, LawModel, LawRates, ModelRates, Simulated,
    WorldSpec, world_policy,
};
use tsl_synth_core::base::sha256;
use tsl_synth_experiments::{NamedText, PlayedWorld, first_error, gallery_world};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_service::{Input, Session, reported_goals};

/// A simulated model that acts in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    /// It knows the recipes of the inventory world.
    Inventory,
    /// It plans under the constraints that it considers, which are about the calls of the world.
    Laws,
    /// It plans by the rules of the world.
    Rules,
}

/// A simulated world with its task, read once for all runs in it.
#[derive(Clone)]
pub(crate) struct SimulatedWorld {
    spec: Arc<WorldSpec>,
    task: usize,
    model: Model,
}

impl SimulatedWorld {
    /// The world of a text such as `inventory`, `household:TASK`, `effects` or `effects:FILE:TASK`; `None` if it names none.
    /// A file that is a policy, and `effects` alone, stand for the declared effects of that policy, or of the policy that the
    /// agent runs under.
    pub(crate) fn named(text: &str, compiled: &Arc<CompiledPolicy>) -> Result<Option<Self>> {
        if text == "effects" {
            let spec = Arc::new(WorldSpec::of_policy(compiled));
            return Ok(Some(Self { spec, task: 0, model: Model::Rules }));
        }
        let played = played(text, Some(compiled))?;
        Ok(played.map(|played| {
            let model = match text.split(':').next() {
                Some("inventory") => Model::Inventory,
                _ if !played.spec.tells() => Model::Laws,
                _ => Model::Rules,
            };
            Self { task: played.task.unwrap_or(0), spec: played.spec, model }
        }))
    }

    /// The instruction to the agent.
    pub(crate) fn sentence(&self) -> String {
        self.spec.tasks()[self.task].sentence.clone()
    }

    /// What is reported on the way to the end of the task, and at its end.
    pub(crate) fn goals(&self) -> Vec<String> {
        reported_goals(&self.spec.tasks()[self.task])
    }

    fn world(&self, seed: u64) -> EffectsWorld {
        EffectsWorld::new(Arc::clone(&self.spec), self.task, seed)
    }

    /// The world as the port that executes actions.
    pub(super) fn port(&self, seed: u64) -> Box<dyn Oracle> {
        Box::new(Simulated(self.world(seed)))
    }

    /// A simulated model that acts in this world.
    pub(super) fn model(&self, compiled: &Arc<CompiledPolicy>, seed: u64) -> Box<dyn Oracle> {
        match self.model {
            Model::Inventory => Box::new(InventoryModel::new(ModelRates::default(), seed)),
            Model::Laws => {
                let rates = LawRates::default();
                Box::new(LawModel::new(&self.world(seed), Arc::clone(compiled), &[], rates, seed))
            }
            Model::Rules => Box::new(EffectsModel::new(&self.world(seed), EffectsRates::default(), seed)),
        }
    }
}

/// The world that a text names: one of the gallery, or that of a file, `effects:FILE:TASK` or just `FILE:TASK`. The policy is
/// the one that the agent runs under, for a file that names none. `None` if the text names no world.
pub(crate) fn played(text: &str, compiled: Option<&Arc<CompiledPolicy>>) -> Result<Option<PlayedWorld>> {
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    if matches!(name, "inventory" | "household") {
        let mut world = gallery_world(name).map_err(|failure| anyhow!("{}", failure.reason()))?;
        if let Some(task) = rest.filter(|task| !task.is_empty()) {
            world.task = Some(world.spec.task(task).map_err(|why| anyhow!("`{text}`: {why}"))?);
        }
        return Ok(Some(world));
    }
    let (file, task) = match (name, rest) {
        ("effects", Some(rest)) => of_file(rest),
        _ => of_file(text),
    };
    if name != "effects" && !is_world(Path::new(file)) {
        return Ok(None);
    }
    let mut world = read(Path::new(file), compiled).with_context(|| format!("`{text}`"))?;
    if let Some(task) = task {
        world.task = Some(world.spec.task(task).map_err(|why| anyhow!("`{text}`: {why}"))?);
    }
    text.clone_into(&mut world.env);
    Ok(Some(world))
}

/// A file and a task: the file is the whole text, or what stands before its last colon.
fn of_file(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((file, task)) if !Path::new(text).exists() => (file, Some(task)),
        _ => (text, None),
    }
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Whether a file is there and is a world file.
fn is_world(path: &Path) -> bool {
    let is_table =
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) || is_json(path);
    let text = is_table.then(|| std::fs::read_to_string(path).ok()).flatten();
    text.is_some_and(|text| matches!(world_policy(&text, is_json(path)), Ok(Some(_))))
}

fn text_of(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

fn read(path: &Path, compiled: Option<&Arc<CompiledPolicy>>) -> Result<PlayedWorld> {
    let text = text_of(path)?;
    let named = world_policy(&text, is_json(path)).map_err(|why| anyhow!("{why}"))?;
    let file = match &named {
        // The file is a policy: its declared effects are the world.
        None => Some(path.to_path_buf()),
        Some(own) => own.as_ref().map(|own| path.parent().unwrap_or(Path::new("")).join(own)),
    };
    let (own, policy) = match &file {
        Some(file) => {
            let (own, policy) = named_policy(file)?;
            (Some(own), Some(policy))
        }
        None => (compiled.map(Arc::clone), None),
    };
    let spec = match &named {
        None => {
            own.as_ref().map(|own| WorldSpec::of_policy(own)).ok_or_else(|| anyhow!("no policy is named"))?
        }
        Some(_) => WorldSpec::read(&text, is_json(path), own.as_deref()).map_err(|why| anyhow!("{why}"))?,
    };
    let env = path.display().to_string();
    Ok(PlayedWorld { spec: Arc::new(spec), task: None, env, policy, identity: sha256(text.as_bytes()) })
}

fn named_policy(path: &Path) -> Result<(Arc<CompiledPolicy>, NamedText)> {
    let file = NamedText { name: path.display().to_string(), text: text_of(path)? };
    Ok((compiled(&file)?, file))
}

/// The policy of a file.
pub(crate) fn compiled(file: &NamedText) -> Result<Arc<CompiledPolicy>> {
    let input = Input::Text { name: file.name.clone(), text: file.text.clone() };
    let loaded = Session::new().policy(&input);
    let loaded =
        loaded.map_err(|failure| anyhow!("the policy `{}`: {}", file.name, first_error(&failure)))?;
    Ok(Arc::new(loaded.compiled))
}
