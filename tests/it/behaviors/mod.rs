//! Behaviors of agents: reading, meaning, runs, emitted code and grammars.

mod cases;
mod cli;
mod code;
mod decoder;
mod diagnostics;
mod grammars;
mod matchers;
mod runs;

use std::path::{Path, PathBuf};
use tsl_synth_agents::behavior::Behavior;
use tsl_synth_agents::behavior_spec::load_agent;
use tsl_synth_core::model::AgentStateId;
use tsl_synth_core::source::SourceMap;

/// The behavior of a text.
pub(super) fn behavior(text: &str) -> Behavior {
    let mut map = SourceMap::new();
    let source = map.add("x.agent", text);
    let (spec, _) = load_agent(source, &map).unwrap_or_else(|failure| panic!("{failure:?}"));
    Behavior::new(spec).expect("a small automaton")
}

/// The behavior in a file.
pub(super) fn of_file(path: &Path) -> Behavior {
    behavior(&std::fs::read_to_string(path).expect("a behavior"))
}

/// The valid behaviors of the gallery.
pub(super) fn gallery() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/agents");
    let mut files = tsl_synth_testkit::files_below(&folder, &["agent"]);
    files.retain(|file| std::fs::read_to_string(file).expect("a behavior").starts_with("; expect: VALID"));
    assert!(files.len() >= 4, "{files:?}");
    files
}

/// The state of this name.
pub(super) fn state(behavior: &Behavior, name: &str) -> AgentStateId {
    behavior.spec().named(name).unwrap_or_else(|| panic!("no state {name}"))
}

/// An agent with names and prompts that have to be escaped in emitted code.
pub(super) const HOSTILE: &str = r#"
(define */-quit-<script>
  (:states
    (*/ (:text "*/ </script> \\ \"quoted\" $x {y}|z"))
    (__proto__ (:text "a.b*c+?[d]^-(e)"))
    (class (:text "a.b") (:flags :env-input))
    (tool-ä (:text "ä🙂/\t") (:one-of "x\"y" "*/" "\\d{3}"))
    (None (:text "aab"))
    (constructor (:text "aaab")))
  (:behavior
    (next (or */ tool-ä) (until (next __proto__ (or class None) ) (or constructor None)) tool-ä)))
"#;
