//! The built-in environments, and actors in them under policies.

mod actors;
mod experiments;
mod household;
mod inventory;
mod papers;

use std::sync::Arc;
use tsl_synth_agents::world::{EffectsWorld, WorldSpec};
use tsl_synth_agents::{Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_service::{
    ActorKind, ActorOptions, ActorRun, LoadedPolicy, Session, SpecLanguage, SpecRequest,
};

fn loaded(name: &str, text: &str) -> LoadedPolicy {
    let input = SpecRequest::text(SpecLanguage::Tsl, name, text).inputs.remove(0);
    Session::new().policy(&input).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// An actor under a policy; `change` edits its default options.
fn actor(text: &str, kind: ActorKind, change: impl Fn(&mut ActorOptions)) -> ActorRun {
    let mut options = ActorOptions::new(kind);
    change(&mut options);
    let name = if text.starts_with(['{', '[']) { "policy.json" } else { "policy.toml" };
    ActorRun::new(loaded(name, text), text, options).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// An oracle that is a function.
struct FnOracle<F>(F);

impl<F: FnMut(&OracleRequest) -> Result<OracleAnswer, OracleError>> Oracle for FnOracle<F> {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        (self.0)(request)
    }
}

fn gallery(name: &str) -> String {
    file(&format!("policies/{name}"))
}

/// A file below `specs`.
fn file(path: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(path);
    std::fs::read_to_string(path).expect("a file of the gallery")
}

/// A world with rules of its own, with these texts replaced in its file.
fn edited(name: &str, edits: &[(&str, &str)]) -> Arc<WorldSpec> {
    let mut text = file(&format!("worlds/{name}.world.toml"));
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    Arc::new(WorldSpec::read(&text, false, None).expect("a world"))
}

/// The inventory world of a seed.
fn inventory(seed: u64) -> EffectsWorld {
    EffectsWorld::new(edited("inventory", &[]), 0, seed)
}

/// The household with a task.
fn household(task: &str) -> EffectsWorld {
    let spec = edited("household", &[]);
    let task = spec.task(task).expect("a task");
    EffectsWorld::new(spec, task, 0)
}
