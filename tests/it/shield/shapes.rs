//! Payloads in the formats of hosts: those of Copilot, Gemini CLI, Cline and OpenCode as recorded from the programs,
//! the others as in the manuals.

use serde_json::{Value, json};
use tsl_synth_seats::hook::HookHost;

/// A payload format: VS Code and older versions of a host have formats of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Copilot,
    VsCode,
    Gemini,
    Cursor,
    Cline,
    OldCline,
    OpenCode,
}

/// The content of an event.
#[derive(Clone, Copy, Debug)]
pub(super) enum EventContent<'a> {
    Call { tool: &'a str, arguments: &'a str, id: &'a str },
    Result { tool: &'a str, arguments: &'a str, id: &'a str, ok: bool },
    Prompt(&'a str),
    Stop,
}

impl Shape {
    pub(super) const ALL: [Self; 7] = [
        Self::Copilot,
        Self::VsCode,
        Self::Gemini,
        Self::Cursor,
        Self::Cline,
        Self::OldCline,
        Self::OpenCode,
    ];

    pub(super) fn host(self) -> HookHost {
        match self {
            Self::Copilot | Self::VsCode => HookHost::Copilot,
            Self::Gemini => HookHost::GeminiCli,
            Self::Cursor => HookHost::Cursor,
            Self::Cline | Self::OldCline => HookHost::Cline,
            Self::OpenCode => HookHost::OpenCode,
        }
    }
    /// Whether its calls and results have ids.
    pub(super) fn has_ids(self) -> bool {
        !matches!(self, Self::Copilot | Self::Gemini | Self::OldCline)
    }
    /// The event for which the hook is installed.
    pub(super) fn event(self, content: EventContent<'_>) -> &'static str {
        let names = match self {
            Self::Copilot => ["preToolUse", "postToolUse", "userPromptSubmitted", "agentStop"],
            Self::VsCode | Self::OpenCode => ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"],
            Self::Gemini => ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent"],
            Self::Cursor => ["preToolUse", "postToolUse", "beforeSubmitPrompt", "stop"],
            Self::Cline | Self::OldCline => ["PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskComplete"],
        };
        names[match content {
            EventContent::Call { .. } => 0,
            EventContent::Result { .. } => 1,
            EventContent::Prompt(_) => 2,
            EventContent::Stop => 3,
        }]
    }
    /// The payload, with its keys in the order of the host.
    pub(super) fn payload(self, session: &str, content: EventContent<'_>) -> String {
        let event = self.event(content);
        let session = json!(session);
        let base = match self {
            Self::Copilot => format!(r#""sessionId":{session},"timestamp":1795424196983,"cwd":"/p""#),
            Self::VsCode => format!(
                r#""timestamp":"2026-11-23T08:55:29.386Z","hookEventName":"{event}","sessionId":{session},"cwd":"/p""#
            ),
            Self::Gemini => format!(
                r#""session_id":{session},"transcript_path":"","cwd":"/p","hook_event_name":"{event}","timestamp":"2026-11-23T08:55:29.386Z""#
            ),
            Self::Cursor => format!(
                r#""conversation_id":{session},"generation_id":"g7","model":"m","hook_event_name":"{event}","cursor_version":"3.13.25","workspace_roots":["/p"],"user_email":null,"transcript_path":null"#
            ),
            Self::Cline => {
                let name = match content {
                    EventContent::Call { .. } => "tool_call",
                    EventContent::Result { .. } => "tool_result",
                    EventContent::Prompt(_) => "prompt_submit",
                    EventContent::Stop => "agent_end",
                };
                format!(
                    r#""clineVersion":"3.0.65","timestamp":"2026-11-23T08:55:29.386Z","taskId":"conv","sessionContext":{{"rootSessionId":{session}}},"workspaceRoots":["/p"],"agent_id":"agent_1","parent_agent_id":null,"hookName":"{name}""#
                )
            }
            Self::OldCline => format!(r#""hookName":"{event}","taskId":{session},"workspaceRoots":["/p"]"#),
            Self::OpenCode => {
                format!(r#""session_id":{session},"cwd":"/p","hook_event_name":"{event}""#)
            }
        };
        let more = match content {
            EventContent::Call { tool, arguments, id } => self.call(tool, arguments, id),
            EventContent::Result { tool, arguments, id, ok } => self.result(tool, arguments, id, ok),
            EventContent::Prompt(text) => {
                let text = json!(text);
                match self {
                    Self::Cline | Self::OldCline => {
                        format!(r#""userPromptSubmit":{{"prompt":{text},"attachments":[]}}"#)
                    }
                    _ => format!(r#""prompt":{text}"#),
                }
            }
            EventContent::Stop => match self {
                Self::Gemini => r#""prompt":"go","prompt_response":"Done.","stop_hook_active":false"#.into(),
                Self::Cursor => r#""status":"completed","loop_count":0"#.into(),
                Self::Copilot => {
                    r#""transcriptPath":"/t","stopReason":"end_turn","stop_hook_active":false"#.into()
                }
                _ => r#""stop_hook_active":false"#.to_owned(),
            },
        };
        format!("{{{base},{more}}}")
    }
    fn call(self, tool: &str, arguments: &str, id: &str) -> String {
        let (text, strings) = (json!(arguments), strings(arguments));
        match self {
            // Older versions send a string, newer ones an object.
            Self::Copilot if id.ends_with('0') => format!(r#""toolName":"{tool}","toolArgs":{text}"#),
            Self::Copilot => format!(r#""toolName":"{tool}","toolArgs":{arguments}"#),
            Self::Gemini => format!(r#""tool_name":"{tool}","tool_input":{arguments}"#),
            Self::Cursor if id.ends_with('0') => {
                format!(r#""tool_name":"{tool}","tool_input":{text},"tool_use_id":"{id}","cwd":"/p""#)
            }
            Self::Cline => format!(
                r#""iteration":1,"tool_call":{{"id":"{id}","name":"{tool}","input":{arguments}}},"preToolUse":{{"toolName":"{tool}","parameters":{strings}}}"#
            ),
            Self::OldCline => format!(r#""preToolUse":{{"toolName":"{tool}","parameters":{strings}}}"#),
            Self::VsCode | Self::Cursor | Self::OpenCode => {
                format!(r#""tool_name":"{tool}","tool_use_id":"{id}","tool_input":{arguments}"#)
            }
        }
    }
    fn result(self, tool: &str, arguments: &str, id: &str, ok: bool) -> String {
        let call = match self {
            Self::Cline | Self::OldCline => String::new(),
            _ => self.call(tool, arguments, id) + ",",
        };
        let strings = strings(arguments);
        match self {
            Self::Copilot => {
                let kind = if ok { "success" } else { "failure" };
                format!(r#"{call}"toolResult":{{"resultType":"{kind}","textResultForLlm":"x"}}"#)
            }
            Self::VsCode => format!(r#"{call}"tool_response":{{"is_error":{}}}"#, !ok),
            Self::Gemini if ok => {
                format!(r#"{call}"tool_response":{{"llmContent":"x","returnDisplay":"x"}}"#)
            }
            Self::Gemini => format!(
                r#"{call}"tool_response":{{"llmContent":"x","returnDisplay":"x","error":{{"message":"no","type":"x"}}}}"#
            ),
            Self::Cursor => format!(r#"{call}"tool_output":"{{\"isError\":{}}}","duration":5"#, !ok),
            Self::Cline => {
                let error = if ok { "null" } else { "\"no\"" };
                format!(
                    r#""tool_result":{{"id":"{id}","name":"{tool}","input":{arguments},"output":"x","error":{error}}},"postToolUse":{{"toolName":"{tool}","parameters":{strings},"result":"x","success":{ok},"executionTimeMs":3}}"#
                )
            }
            Self::OldCline => format!(
                r#""postToolUse":{{"toolName":"{tool}","parameters":{strings},"result":"x","success":{ok},"executionTimeMs":3}}"#
            ),
            Self::OpenCode if ok => format!(r#"{call}"tool_response":"x","exit":null"#),
            Self::OpenCode => format!(r#"{call}"tool_response":{{"isError":true}},"exit":null"#),
        }
    }
}

/// Cline writes every argument as a string.
fn strings(arguments: &str) -> Value {
    let mut content: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
    for value in content.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        if !value.is_string() {
            *value = json!(value.to_string());
        }
    }
    content
}
