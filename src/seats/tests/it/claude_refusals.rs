//! Calls of Claude Code that its transcript shows to be refused, by the text of the result only.

use super::{lines, words};
use serde_json::{Value, json};
use tsl_synth_seats::log::LogFormat;

const REFUSED: [&str; 15] = [
    "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    "The user doesn't want to take this action right now. STOP what you are doing.",
    "PreToolUse:Bash hook error: [guard.py]: no push",
    "Hook PreToolUse:Bash denied this tool",
    "Permission to use Bash with command git push has been denied.",
    "Permission to use Bash has been denied because Claude Code is running in don't ask mode. IMPORTANT: You *may*",
    "Permission for this action was denied by the Claude Code auto mode classifier. Reason: Blocked by classifier.",
    "Permission for this action has been denied. Reason: [Production Deploy] no.",
    "Claude requested permissions to use Bash, but you haven't granted it yet.",
    "Claude requested permissions to write to /p/a.rs, but you haven't granted it yet.",
    "Claude requested permissions to edit /p/.bashrc which is a sensitive file.",
    "This command requires approval",
    "This Bash command contains multiple operations. The following part requires approval: git push",
    "This PowerShell command contains multiple operations. The following parts require approval: a, b",
    "<tool_use_error>InputValidationError: Bash failed</tool_use_error>",
];
const MADE: [&str; 6] = [
    "Exit code 1\nPermission to use the registry has been denied.",
    "Permission to use\nthe registry has been denied",
    "Permission denied (publickey).",
    "Error: This command requires approval",
    "Claude requested permissions to push",
    "[Request interrupted by user for tool use]",
];

fn log(tool: &str, content: &Value, is_error: bool) -> String {
    let base = |kind: &str, content: Value| json!({ "type": kind, "sessionId": "s", "isSidechain": false, "message": { "role": kind, "content": content } });
    let call = json!([{ "type": "tool_use", "id": "t1", "name": tool, "input": { "command": "git push" } }]);
    let result =
        json!([{ "type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": is_error }]);
    lines(&[base("user", json!("go")), base("assistant", call), base("user", result)])
}

#[test]
fn the_text_of_a_refusal_is_recognized() {
    for text in REFUSED {
        for content in [json!(text), json!([{ "type": "text", "text": text }])] {
            for tool in ["Bash", "Write"] {
                let (events, notes) = words(LogFormat::Claude, &log(tool, &content, true));
                assert_eq!(events, ["user go"], "{text}");
                assert_eq!(notes.refused_calls, 1, "{text}");
            }
            // What a server returns, or what did not fail, may have any text.
            for (tool, is_error) in [("mcp__x__y", true), ("Bash", false)] {
                let (events, notes) = words(LogFormat::Claude, &log(tool, &content, is_error));
                assert_eq!((events.len(), notes.refused_calls), (3, 0), "{text} {tool}");
            }
        }
    }
}

#[test]
fn other_failures_are_calls() {
    for text in MADE {
        let (events, notes) = words(LogFormat::Claude, &log("Bash", &json!(text), true));
        assert_eq!(events[2], "failed Bash", "{text}");
        assert_eq!(notes.refused_calls, 0, "{text}");
    }
}
