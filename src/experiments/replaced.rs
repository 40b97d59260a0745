//! Files given by the user that replace those of the gallery in an experiment.

use serde_json::Value;
use std::sync::Arc;
use tsl_synth_agents::toml_or_json;
use tsl_synth_agents::world::WorldSpec;
use tsl_synth_core::base::sha256;
use tsl_synth_service::Failure;

/// A file: its name, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedText {
    /// Its name, with the ending.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl NamedText {
    /// A file of the gallery, by its path.
    pub(crate) fn gallery(path: &str, text: &str) -> Self {
        Self { name: path.to_owned(), text: text.to_owned() }
    }
    /// Whether its name ends in `.json`.
    pub fn is_json(&self) -> bool {
        let (_, ending) = self.name.rsplit_once('.').unwrap_or_default();
        ending.eq_ignore_ascii_case("json")
    }
    /// Its name without folders and ending.
    pub fn stem(&self) -> &str {
        let name = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
    }
    /// Reads it as TOML or JSON.
    pub(crate) fn value(&self) -> Result<Value, String> {
        toml_or_json(&self.text, self.is_json()).map_err(|why| format!("`{}`: {why}", self.name))
    }
}

/// A world that is played, and its task.
#[derive(Clone, Debug)]
pub struct PlayedWorld {
    /// The world.
    pub spec: Arc<WorldSpec>,
    /// The index of the task; `None` for all of them, or the first.
    pub task: Option<usize>,
    /// How `--env` names it.
    pub env: String,
    /// The policy that the file of the world names.
    pub policy: Option<NamedText>,
    /// A text that distinguishes different worlds.
    pub identity: String,
}

/// The files that replace those of the gallery.
#[derive(Clone, Debug, Default)]
pub struct Replaced {
    /// What guards the model: specifications, policies, behaviors or grammars.
    pub specs: Vec<NamedText>,
    /// A list of laws.
    pub laws: Option<NamedText>,
    /// Questions or queries.
    pub tasks: Option<NamedText>,
    /// A world of an actor under a policy.
    pub world: Option<PlayedWorld>,
    /// Articles of a wiki.
    pub articles: Option<Vec<tsl_synth_agents::tools::Article>>,
}

/// A part of [`Replaced`], by its flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Specs,
    Laws,
    Tasks,
    World,
    Articles,
}

impl Replaced {
    /// Refuses parts that an experiment does not read, with what it reads instead.
    pub(crate) fn only(&self, name: &str, parts: &[Part], reads: &str) -> Result<(), String> {
        let given = [
            (Part::Specs, "--spec", !self.specs.is_empty()),
            (Part::Laws, "--laws", self.laws.is_some()),
            (Part::Tasks, "--tasks", self.tasks.is_some()),
            (Part::World, "--env", self.world.is_some()),
            (Part::Articles, "--env", self.articles.is_some()),
        ];
        match given.into_iter().find(|(part, _, is_given)| *is_given && !parts.contains(part)) {
            Some((_, flag, _)) => {
                Err(format!("`{flag}` is not about the experiment `{name}`; it reads {reads}"))
            }
            None => Ok(()),
        }
    }
    /// The only specification, if one is given.
    pub(crate) fn spec(&self) -> Result<Option<&NamedText>, String> {
        match &self.specs[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            [_, more, ..] => Err(format!("`--spec {}`: one file is expected", more.name)),
        }
    }
}

/// A world of the gallery.
///
/// # Errors
/// There is none of this name: a defect of this program.
pub fn gallery_world(name: &str) -> Result<PlayedWorld, Failure> {
    let text = match name {
        "inventory" => tsl_synth_specs::text("worlds/inventory.world.toml"),
        "household" => tsl_synth_specs::text("worlds/household.world.toml"),
        _ => return Err(Failure::internal(format!("there is no world `{name}`"))),
    };
    let spec = WorldSpec::read(text, false, None)
        .map_err(|why| Failure::internal(format!("the world `{name}`: {why}")))?;
    Ok(PlayedWorld {
        spec: Arc::new(spec),
        task: None,
        env: name.to_owned(),
        policy: None,
        identity: sha256(text.as_bytes()),
    })
}
