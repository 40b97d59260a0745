//! Recognizes policy files, and runs a policy over the sessions of logs.

use crate::files::standard_input_is;
use crate::monitor::logs::{self, LogArgs};
use std::ops::ControlFlow;
use std::path::Path;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_service::{LoggedSessions, LoggedSessionsBuilder, is_stdin};

/// Whether a file, or standard input for `-`, holds a policy: TOML other than the project file and tables of prompts, or JSON that is a list or has
/// the key `policy`.
pub(crate) fn is_policy(path: &Path) -> bool {
    if is_stdin(path) {
        return standard_input_is(|text| text.lines().any(is_version) || is_object_with_policy(text));
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match ending.as_deref() {
        Some("toml") => {
            name != "tsl-synth.toml" && !name.ends_with(".prompts.toml") && name != "prompts.toml"
        }
        Some("json") => std::fs::read_to_string(path).is_ok_and(|text| {
            let text = text.trim_start_matches('\u{feff}').trim_start();
            text.starts_with('[') && !is_list_of_letters(text) || is_object_with_policy(text)
        }),
        _ => false,
    }
}

/// `policy = 1`, the first key of each policy in TOML.
fn is_version(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, value)| key.trim() == "policy" && value.trim().starts_with('1'))
}

/// Whether a text is a JSON list of objects of which the first one is no law: the letters of a trace.
fn is_list_of_letters(text: &str) -> bool {
    let list: Option<Vec<serde_json::Map<String, serde_json::Value>>> = serde_json::from_str(text).ok();
    let first = list.as_ref().and_then(|list| list.first());
    first.is_some_and(|first| {
        !["law", "ltl", "rule", "law_id", "id"].iter().any(|key| first.contains_key(*key))
    })
}

fn is_object_with_policy(text: &str) -> bool {
    /// Only the presence of the key matters.
    #[derive(serde::Deserialize)]
    struct Top {
        policy: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_str::<Top>(text).is_ok_and(|top| top.policy.is_some())
}

/// Runs a compiled policy over the sessions of logs.
///
/// # Errors
/// When a log cannot be read, or when the logs have no session.
pub(crate) fn held(named: &LogArgs, compiled: &CompiledPolicy) -> anyhow::Result<LoggedSessions> {
    let files = logs::find(named)?;
    let mut run = LoggedSessionsBuilder::new(compiled);
    logs::read(named, &files, &mut |event| {
        run.event(event);
        ControlFlow::Continue(())
    })?;
    let held = run.finish();
    anyhow::ensure!(!held.sessions.is_empty(), "the logs have no session");
    Ok(held)
}
