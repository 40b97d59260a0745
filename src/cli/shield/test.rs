//! `shield test`: how would the gate decide about this payload, in a session that begins with it?

use super::args::{GateArgs, OnChange, Proto};
use super::gate_file::GateFile;
use super::places::HostArg;
use crate::exit::Exit;
use crate::output;
use crate::terminal::escape_lines;
use clap::Args;
use std::fmt::Write;
use std::io::Read;
use std::path::PathBuf;
use tsl_synth_core::model::{HostEvent, HostEventKind, Ruling};
use tsl_synth_seats::gate::{BadRequest, GateRequest, REQUEST_LIMIT, read_request};
use tsl_synth_seats::hook::{HookHost, answer, read};
use tsl_synth_service::GateAnswer;

/// The flags of `shield test`.
#[derive(Args, Clone, Debug)]
pub(crate) struct TestArgs {
    /// The policy
    policy: PathBuf,
    /// The payload: JSON of a hook, or lines of the reference protocol [default: standard input]
    payload: Option<String>,
    /// The host whose hook sends the payload [default: recognized by its form]
    #[arg(long, value_enum)]
    host: Option<HostArg>,
}

/// The error message for a malformed request, with an example of a correct one.
fn example(bad: &BadRequest) -> String {
    let example = r#"{"event":"propose","tool":"Bash","arguments":{"command":"ls"}}"#;
    format!("{}; a request is JSON such as `{example}`: `tsl-synth help shield`", bad.0)
}

/// Runs the verb: exit code 0 if everything is allowed, 1 if not.
pub(crate) fn run(args: &TestArgs) -> Exit {
    match judge(args) {
        Ok((exit, text)) => {
            output::deliver(None, &escape_lines(&text)).map_or_else(|error| output::error(&error), |()| exit)
        }
        Err(why) => output::wrong(&why),
    }
}

fn judge(args: &TestArgs) -> Result<(Exit, String), String> {
    let payload = match &args.payload {
        Some(payload) if payload != "-" => payload.clone().into_bytes(),
        _ => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().take(REQUEST_LIMIT as u64 + 1).read_to_end(&mut bytes);
            read.map_err(|error| format!("cannot read the payload: {error}"))?;
            bytes
        }
    };
    let gate = GateArgs {
        policy: args.policy.clone(),
        proto: Proto::Jsonl,
        host: None,
        event: None,
        shadow: false,
        session: Some("test".into()),
        journal: None,
        durable: false,
        no_cache: true,
        on_change: OnChange::Reload,
        server: None,
        command: Vec::new(),
    };
    let mut keeper = GateFile::new(&gate, "test", false).map_err(|error| format!("{error:#}"))?;
    if let Some(why) = keeper.broken() {
        return Err(why.to_owned());
    }
    let text = String::from_utf8_lossy(&payload);
    let is_hook = args.host.is_some() || text.contains("\"hook_event_name\"");
    let mut out = String::new();
    let mut exit = Exit::Yes;
    if is_hook {
        let host = args.host.map_or(HookHost::ClaudeCode, HookHost::from);
        let payload =
            read(host, None, &payload).map_err(|fault| format!("the payload: {}", fault.message))?;
        let answers = keeper.payload(&payload, None)?;
        if answers.is_empty() {
            let _ = writeln!(out, "nothing to judge: {} reports nothing to the gate", payload.event);
        }
        for (event, reported) in answers {
            exit = exit.worst(show(&mut out, &event, &reported));
            let reply = answer(&payload, &reported.answer);
            let silence = if reply.stdout.is_empty() { "nothing" } else { reply.stdout.trim_end() };
            let _ = writeln!(out, "{} gets: exit code {}, on stdout {silence}", host.title(), reply.exit);
        }
        return Ok((exit, out));
    }
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let GateRequest::Event(event) =
            read_request(line, i as u64 + 1, "test").map_err(|bad| example(&bad))?
        else {
            return Err("`shield test` reads events and proposals".into());
        };
        let reported = keeper.event(&event)?;
        exit = exit.worst(show(&mut out, &event, &reported));
    }
    Ok((exit, out))
}

fn show(out: &mut String, event: &HostEvent<'_>, reported: &GateAnswer) -> Exit {
    let is_proposal = matches!(event.kind, HostEventKind::Call { .. } | HostEventKind::End);
    if !is_proposal {
        out.push_str("heard\n");
        for fault in &reported.document.faults {
            let _ = writeln!(out, "  {fault}");
        }
        return Exit::Yes;
    }
    let _ = writeln!(out, "{}", reported.answer.ruling.name());
    for line in reported.answer.reason.lines() {
        let _ = writeln!(out, "  {line}");
    }
    if reported.answer.ruling < Ruling::Ask { Exit::Yes } else { Exit::No }
}
