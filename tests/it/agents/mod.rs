//! Agents at run time.

mod cases;
mod choices;
mod plan;
mod plan_diagnostics;
mod plan_random;
mod plan_sizes;
mod plan_tables;
mod plan_travel;
mod records;
mod stories;

use std::path::Path;
use tsl_synth_agents::story::{NoAudience, Played, StoryOptions};
use tsl_synth_agents::{NoOracle, Sim, SimRates};
use tsl_synth_core::model::OnBroken;
use tsl_synth_documents::Record;
use tsl_synth_service::{
    Input, LoadedStory, Oracles, Session, SpecLanguage, SpecRequest, StoryRequest, run_story,
};

/// The four tasks of the adventure games.
pub(crate) const TASKS: [&str; 4] = ["story", "story_forest", "story_choices", "story_choices_forest"];

pub(crate) fn adventure(task: &str) -> (SpecRequest, LoadedStory) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/adventure");
    let read = |name: String| std::fs::read_to_string(folder.join(name)).expect("a file of ours");
    story(&read(format!("{task}.tsl")), &read("prompts.toml".into()))
}

/// The agent of a specification and a table of prompts.
pub(crate) fn story(spec: &str, prompts: &str) -> (SpecRequest, LoadedStory) {
    let spec = SpecRequest::text(SpecLanguage::Tsl, "agent.tsl", spec);
    let mut request = StoryRequest::new(spec.clone());
    request.prompts = Some(Input::Text { name: "prompts.toml".into(), text: prompts.into() });
    (spec, Session::new().story(&request).expect("a realizable specification"))
}

pub(crate) fn options(turns: u32, regenerate: u32, on_broken: OnBroken) -> StoryOptions {
    StoryOptions { turns, regenerate, on_broken, with_user: true }
}

/// A game of simulated models, and its record.
pub(crate) fn game(
    loaded: &LoadedStory,
    options: &StoryOptions,
    rates: &SimRates,
    seed: u64,
) -> (Played, String) {
    let sim = |salt| Sim::new(rates.clone(), loaded.world(), seed ^ salt);
    let (mut evaluator, mut generator, mut user, mut world) = (sim(1), sim(2), sim(3), NoOracle);
    let oracles =
        Oracles { evaluator: &mut evaluator, generator: &mut generator, user: &mut user, world: &mut world };
    let header = loaded.header(vec!["agent.tsl".into()], options, 4, seed);
    let mut text = String::new();
    let played =
        run_story(loaded, oracles, options, header, &mut NoAudience, &mut |line| text.push_str(line));
    (played, text)
}

pub(crate) fn record(text: &str) -> Record {
    Record::read(text).expect("our own record")
}
