//! Outcomes and values of results in rollouts of Codex.

use super::blocks::result;
use super::lenient::{LenientObject, LenientScalar, given};
use super::text;
use serde::Deserialize;
use serde_json::value::RawValue;
use tsl_synth_core::model::{CallOutcome, JsonText};

/// The result of an MCP call: a Rust `Result` as serde writes it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct McpResult<'a> {
    #[serde(borrow, rename = "Ok")]
    ok: Option<&'a RawValue>,
    #[serde(borrow, rename = "Err")]
    err: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct McpValue<'a> {
    #[serde(borrow, rename = "isError", alias = "is_error")]
    failed: LenientScalar<'a>,
    #[serde(borrow, rename = "structuredContent", alias = "structured_content")]
    structured: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// An output with a mark of success or an exit code.
#[derive(Default, Deserialize)]
#[serde(default)]
struct MarkedOutput<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    success: LenientScalar<'a>,
    #[serde(borrow)]
    metadata: LenientObject<OutputMetadata<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OutputMetadata<'a> {
    #[serde(borrow)]
    exit_code: LenientScalar<'a>,
}

/// How the output of a call begins that was not executed because a hook, a rule or a person refused it; for the tools of
/// the host itself.
const NOT_CALLED: &[&str] = &[
    "Command blocked by PreToolUse hook: ",
    "Tool call blocked by PreToolUse hook: ",
    "exec command rejected",
    "patch rejected by user",
    "rejected by user",
    "approval required by policy, but AskForApproval is set to Never",
];

/// The beginning of an output of a command that could not be started, and what is between the command and the reason.
const NOT_STARTED: (&str, &str) = ("exec_command failed for `", "`: CreateProcess { message: \"");

/// Whether an output says that its call was not made.
pub(super) fn is_refusal(output: Option<&str>) -> bool {
    let Some(said) = output.and_then(text::unquoted) else { return false };
    if let Some(rest) = said.strip_prefix(NOT_STARTED.0) {
        return rest.split_once(NOT_STARTED.1).is_some_and(|(_, why)| why.starts_with("Rejected("));
    }
    NOT_CALLED.iter().any(|beginning| said.starts_with(beginning))
        || (said.starts_with('`') && said.contains("` rejected: "))
}

/// The number of the process of a command that goes on.
pub(super) fn running(output: &str) -> Option<String> {
    let said = text::unquoted(output)?;
    let head = said.split("Output:").next().unwrap_or_default();
    let after = head.split_once("Process running with session ID ")?.1;
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    (digits > 0).then(|| after[..digits].to_owned())
}

/// The outcome that an exit code means.
pub(super) fn of_exit(code: i64) -> CallOutcome {
    if code == 0 { CallOutcome::Ok } else { CallOutcome::Failed }
}

/// Outcome and value of an output that the model sees.
pub(super) fn output(raw: Option<&str>) -> (Option<CallOutcome>, Option<JsonText<'_>>) {
    let Some(raw) = raw else {
        return (None, None);
    };
    let of_flag = |ok| if ok { CallOutcome::Ok } else { CallOutcome::Failed };
    let of = |object: &MarkedOutput<'_>| {
        let code = object.metadata.0.as_ref().and_then(|metadata| metadata.exit_code.int());
        code.map(of_exit).or(object.success.flag().map(of_flag))
    };
    if raw.starts_with('{')
        && let Ok(object) = serde_json::from_str::<MarkedOutput<'_>>(raw)
    {
        let value = given(object.content).unwrap_or(raw);
        return (of(&object), Some(result(value)));
    }
    let value = result(raw);
    if value.as_str().starts_with('{') {
        let outcome =
            serde_json::from_str::<MarkedOutput<'_>>(value.as_str()).ok().and_then(|object| of(&object));
        return (outcome, Some(value));
    }
    let mut head = raw.len().min(400);
    while !raw.is_char_boundary(head) {
        head -= 1;
    }
    let head = &raw[..head];
    let head = head.find("Output:").map_or(head, |end| &head[..end]);
    let after =
        ["Exit code: ", "exited with code "].into_iter().find_map(|mark| Some(head.split_once(mark)?.1));
    let code = after.and_then(|after| {
        let digits = after.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(after.len());
        after[..digits].parse().ok()
    });
    let running = head.contains("Process running with session");
    let has_failed = ["exec_command failed for `", "failed in sandbox"]
        .iter()
        .any(|beginning| head.trim_start_matches('"').starts_with(beginning));
    let known = match (running, has_failed) {
        (true, _) => Some(CallOutcome::Unknown),
        (false, true) => Some(CallOutcome::Failed),
        (false, false) => None,
    };
    // A command that was not started may name a code, too.
    (known.filter(|_| has_failed).or(code.map(of_exit)).or(known), Some(value))
}

/// Outcome and value of an MCP call.
pub(super) fn mcp(raw: Option<&RawValue>) -> (CallOutcome, Option<JsonText<'_>>) {
    let Some(both) =
        raw.and_then(|raw| serde_json::from_str::<LenientObject<McpResult<'_>>>(raw.get()).ok()?.0)
    else {
        return (CallOutcome::Unknown, None);
    };
    if let Some(err) = both.err {
        return (CallOutcome::Failed, Some(result(err.get())));
    }
    let Some(ok) = both.ok else {
        return (CallOutcome::Unknown, None);
    };
    let value = serde_json::from_str::<LenientObject<McpValue<'_>>>(ok.get())
        .ok()
        .and_then(|value| value.0)
        .unwrap_or_default();
    let failed = value.failed.flag() == Some(true);
    let content = given(value.structured).or(given(value.content)).unwrap_or(ok.get());
    (if failed { CallOutcome::Failed } else { CallOutcome::Ok }, Some(result(content)))
}
