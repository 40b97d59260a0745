//! What stands in the settings of a host so that it calls our hook.

use super::HookHost;
use crate::format::log::shared::shell_line;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// An event that we are called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// The name that the host gives it.
    pub name: &'static str,
    /// So many seconds the host waits for the hook. Our own deadline is far below.
    pub timeout: u64,
}

const fn event(name: &'static str, timeout: u64) -> HookEvent {
    HookEvent { name, timeout }
}

const CLAUDE: &[HookEvent] = &[
    event("SessionStart", 10),
    event("UserPromptSubmit", 10),
    event("PreToolUse", 10),
    event("PostToolUse", 10),
    event("PostToolUseFailure", 10),
    event("Stop", 10),
    event("SessionEnd", 3),
];

/// It has no event for failed calls, and waits at most three seconds at the end of a session.
const CODEX: &[HookEvent] = &[
    event("SessionStart", 10),
    event("UserPromptSubmit", 10),
    event("PreToolUse", 10),
    event("PostToolUse", 10),
    event("Stop", 10),
    event("SessionEnd", 3),
];

/// All the events that we are called for. Those of which we would learn nothing are left out: each is a process.
pub fn events(host: HookHost) -> &'static [HookEvent] {
    match host {
        HookHost::ClaudeCode => CLAUDE,
        HookHost::Codex => CODEX,
    }
}

/// The entry for an event: an element of the list `hooks.<event>` in the settings. `words` are the absolute path of the
/// program and its arguments.
pub fn settings_entry(host: HookHost, event: HookEvent, words: &[String]) -> Value {
    let mut hook = Map::new();
    hook.insert("type".into(), json!("command"));
    match host {
        HookHost::ClaudeCode => {
            let (program, arguments) =
                words.split_first().map_or((json!(""), &[][..]), |(p, a)| (json!(p), a));
            hook.insert("command".into(), program);
            // With arguments given as a list no shell runs that could read them otherwise.
            hook.insert("args".into(), json!(arguments));
        }
        HookHost::Codex => {
            let list: Vec<Cow<'_, str>> = words.iter().map(|word| Cow::Borrowed(&**word)).collect();
            hook.insert("command".into(), json!(shell_line(&list)));
            hook.insert("commandWindows".into(), json!(windows_line(words)));
        }
    }
    hook.insert("timeout".into(), json!(event.timeout));
    let is_call = event.name == "PreToolUse";
    if host == HookHost::ClaudeCode && is_call {
        hook.insert("onFailure".into(), json!("block"));
    }
    let mut entry = Map::new();
    if host == HookHost::ClaudeCode && event.name.ends_with("ToolUse") || event.name == "PostToolUseFailure" {
        entry.insert("matcher".into(), json!("*"));
    }
    entry.insert("hooks".into(), json!([hook]));
    Value::Object(entry)
}

/// The words as one line of `cmd`. The first stands without quotation marks if it can: `cmd /C` takes away outer ones.
fn windows_line(words: &[String]) -> String {
    let quoted = |word: &String| {
        let is_plain =
            !word.is_empty() && !word.contains([' ', '\t', '"', '&', '|', '<', '>', '^', '(', ')']);
        if is_plain { word.clone() } else { format!("\"{}\"", word.replace('"', "\\\"")) }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
