//! `shield doctor`: are the hooks that are installed called, and do they refuse? The command of each is started as its host
//! starts it, and its answer is read as the host reads it.

use super::install::gaps;
use super::places::{HostArg, Scope, read, settings_file, switches};
use super::probe::{Ended, Ran, run as start, run_command};
use super::store::Store;
use crate::exit::Exit;
use crate::output;
use crate::terminal::{escape, escape_lines};
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tsl_synth::format::hook::settings::{InstalledHook, SettingsFault, installed, is_set};
use tsl_synth::format::hook::{HookHost, HostAction, action, events};

/// What `shield doctor` can be told.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The host whose hooks are checked [default: all]
    #[arg(long, value_enum)]
    host: Option<HostArg>,
    /// Whose settings: those of the project in this folder, or of all your projects [default: both]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
}

/// A tool that no host has: what the policy says of calls that no table names.
const NO_TOOL: &str = "tsl_synth_doctor";

/// Findings so far.
#[derive(Default)]
struct Findings {
    text: String,
    bad: usize,
}

impl Findings {
    fn ok(&mut self, what: &str) {
        let _ = writeln!(self.text, "  ok    {}", escape(what));
    }
    fn note(&mut self, what: &str) {
        let _ = writeln!(self.text, "  note  {}", escape(what));
    }
    fn bad(&mut self, what: &str) {
        self.bad += 1;
        let _ = writeln!(self.text, "  BAD   {}", escape(what));
    }
}

/// Runs the checks.
pub(crate) fn run(args: &DoctorArgs) -> Exit {
    let mut findings = Findings::default();
    let mut checked = 0;
    journals(&mut findings);
    for host in
        HookHost::ALL.into_iter().filter(|host| args.host.is_none_or(|only| HookHost::from(only) == *host))
    {
        let mut of_host = 0;
        for scope in Scope::ALL.into_iter().filter(|scope| args.scope.is_none_or(|only| only == *scope)) {
            match settings(host, scope, &mut findings) {
                Ok(found) => of_host += usize::from(found),
                Err(error) => findings.bad(&format!("{error:#}")),
            }
        }
        if of_host > 0 {
            switched(host, &mut findings);
            let _ = writeln!(findings.text, "{} lets through all the same:", host.title());
            gaps(host, &mut findings.text);
        }
        checked += of_host;
    }
    if checked == 0 {
        findings.bad("no hooks of ours are installed here: `tsl-synth shield install --host HOST` does that");
    }
    if let Err(error) = output::deliver(None, &escape_lines(&findings.text)) {
        return output::error(&error);
    }
    if findings.bad == 0 { Exit::Yes } else { Exit::No }
}

/// Can journals be written and locked?
fn journals(findings: &mut Findings) {
    let session = format!("doctor-{}", std::process::id());
    let store = match Store::of_user(false) {
        Ok(store) => store,
        Err(error) => return findings.bad(&format!("{error:#}")),
    };
    let _ = writeln!(findings.text, "journals in {}", escape(&store.folder().display().to_string()));
    let tried = store
        .lock("doctor", &session, Duration::from_secs(1))
        .and_then(|mut journal| journal.append("event", "{}"));
    match tried {
        Ok(()) => findings.ok("can be locked and written"),
        Err(error) => findings.bad(&format!("cannot be used, so every call will be refused: {error:#}")),
    }
    let _ = std::fs::remove_file(store.path("doctor", &session));
}

/// The hooks in a file of settings. Tells whether there are any.
fn settings(host: HookHost, scope: Scope, findings: &mut Findings) -> Result<bool> {
    let path = settings_file(host, scope)?;
    let Some(text) = read(&path)? else { return Ok(false) };
    let hooks = match installed(&text) {
        Ok(hooks) => hooks,
        Err(fault) => anyhow::bail!("{}: {fault}", path.display()),
    };
    if hooks.is_empty() {
        return Ok(false);
    }
    let _ = writeln!(findings.text, "{} in {}", host.title(), escape(&path.display().to_string()));
    for event in events(host) {
        match hooks.iter().filter(|hook| hook.event == event.name).count() {
            0 if event.name == "PreToolUse" => findings.bad("no hook for `PreToolUse`: nothing is refused"),
            0 => findings.bad(&format!("no hook for `{}`: the journal misses what it tells", event.name)),
            1 => {}
            many => findings.note(&format!("{many} hooks for `{}`: each is asked", event.name)),
        }
    }
    for hook in hooks.iter().filter(|hook| hook.event == "PreToolUse") {
        calls(host, hook, findings);
    }
    for hook in hooks.iter().filter(|hook| hook.event == "UserPromptSubmit") {
        prompts(host, hook, findings);
    }
    Ok(true)
}

/// The program of a hook.
fn program(hook: &InstalledHook) -> Option<String> {
    if hook.args.is_some() {
        return Some(hook.command.clone());
    }
    shlex::split(&hook.command)?.into_iter().next()
}

/// The hook before calls: what is called, and whether it refuses.
fn calls(host: HookHost, hook: &InstalledHook, findings: &mut Findings) {
    match program(hook).filter(|program| Path::new(program).is_absolute()) {
        None => findings.bad("the hook before calls names no program by an absolute path"),
        Some(program) => version(&program, findings),
    }
    if !hook.sees_all {
        findings.bad("the hook before calls is not called for all tools (`matcher`)");
    }
    if host == HookHost::ClaudeCode && !hook.blocks_on_failure {
        findings.bad("the hook before calls has no `\"onFailure\": \"block\"`: when it fails the call runs");
    }
    let session = session();
    // Half of a payload: the hook cannot know the call, so it must refuse it.
    let head = payload(&session, "PreToolUse");
    let half = format!("{},\"tool_name\":\"{NO_TOOL}\",\"tool_input\":{{\"te", head.trim_end_matches('}'));
    match said(host, &start(hook, &half)) {
        Ok((HostAction::Refuses(_), _)) => findings.ok("refuses a call that it cannot read"),
        Ok((other, _)) => {
            findings.bad(&format!("does not refuse a call that it cannot read: {}", sentence(&other)));
        }
        Err(why) => findings.bad(&format!("before a call that it cannot read: {why}")),
    }
    let call = json!({ "tool_name": NO_TOOL, "tool_input": {}, "tool_use_id": "doctor-1" });
    match said(host, &start(hook, &joined(&session, "PreToolUse", &call))) {
        Ok((HostAction::Ignores, ran)) => {
            findings.bad(&format!(
                "{} does not understand its answer to a call: {}",
                host.title(),
                output_of(&ran)
            ));
        }
        Ok((HostAction::Approves, _)) => findings.bad("approves a call in the place of the person"),
        Ok((other, ran)) => {
            let text =
                format!("a call that no table names, in {} ms: {}", ran.took.as_millis(), sentence(&other));
            findings.ok(&text);
        }
        Err(why) => findings.bad(&format!("before a call: {why}")),
    }
    forget(host, &session);
}

/// The hook at prompts: it must let them pass, which it does if policy and journal can be read.
fn prompts(host: HookHost, hook: &InstalledHook, findings: &mut Findings) {
    let session = session();
    let ran =
        start(hook, &joined(&session, "UserPromptSubmit", &json!({ "prompt": "tsl-synth shield doctor" })));
    let told = serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap_or_default();
    let is_message = told["decision"] == "block" || !told["systemMessage"].is_null();
    match (said(host, &ran), &ran.ended) {
        (Ok(_), Ended::By(Some(0))) if !is_message => findings.ok("takes up what the user says"),
        (Ok(_), _) => findings.bad(&format!("does not take up what the user says: {}", output_of(&ran))),
        (Err(why), _) => findings.bad(&format!("at a prompt: {why}")),
    }
    forget(host, &session);
}

fn session() -> String {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("tsl-synth-doctor-{}-{}", std::process::id(), time.as_nanos())
}

/// Removes the journal that a trial left.
fn forget(host: HookHost, session: &str) {
    if let Ok(store) = Store::of_user(false) {
        let _ = std::fs::remove_file(store.path(host.name(), session));
    }
}

fn payload(session: &str, event: &str) -> String {
    joined(session, event, &json!({}))
}

/// A payload with these entries besides those that all have.
fn joined(session: &str, event: &str, more: &serde_json::Value) -> String {
    let folder = std::env::current_dir().unwrap_or_default();
    let mut all = json!({
        "session_id": session,
        "transcript_path": null,
        "cwd": folder.to_string_lossy(),
        "permission_mode": "default",
        "hook_event_name": event,
    });
    if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
        all.extend(more.clone());
    }
    all.to_string()
}

/// What the host makes of a run, or why the hook is no hook.
fn said(host: HookHost, ran: &Ran) -> Result<(HostAction, Ran), String> {
    let what = match &ran.ended {
        Ended::NotStarted(why) => format!("it cannot be started ({why})"),
        Ended::TooSlow => "it does not end in time".into(),
        Ended::By(Some(code @ (126 | 127))) => format!("exit code {code}: the program is not found"),
        // A shell tells by such codes that what it started was killed.
        Ended::By(None | Some(129..160)) => "it is killed by a signal".into(),
        Ended::By(code) => return Ok((action(host, *code, &ran.stdout, &ran.stderr), ran.clone())),
    };
    Err(match host {
        HookHost::ClaudeCode => format!("{what}, and before 2.1.295 Claude Code lets the call run"),
        HookHost::Codex => format!("{what}, and Codex lets the call run"),
    })
}

fn sentence(action: &HostAction) -> String {
    match action {
        HostAction::NoDecision => "left to the permissions of the host".into(),
        HostAction::Approves => "approved".into(),
        HostAction::Asks => "a person is asked".into(),
        HostAction::Refuses(_) => "refused".into(),
        HostAction::Ignores => "the host ignores the answer".into(),
    }
}

fn output_of(ran: &Ran) -> String {
    let code = match ran.ended {
        Ended::By(Some(code)) => format!("exit code {code}"),
        _ => "no exit code".into(),
    };
    let words: Vec<&str> = ran.stdout.split_whitespace().chain(ran.stderr.split_whitespace()).collect();
    let text: String = words.join(" ").chars().take(400).collect();
    if text.is_empty() { format!("{code}, no output") } else { format!("{code}, {text}") }
}

fn version(program: &str, findings: &mut Findings) {
    if !Path::new(program).is_file() {
        return findings.bad(&format!("there is no program `{program}`: the host lets every call run"));
    }
    let ran = run_command(Command::new(program).arg("--version"), "", Duration::from_secs(10));
    let own = concat!("tsl-synth ", env!("CARGO_PKG_VERSION"));
    match ran.ended {
        Ended::By(Some(0)) if ran.stdout.trim() == own => findings.ok(&format!("calls {program} ({own})")),
        Ended::By(_) => findings.note(&format!("calls {program}, which is not {own}: {}", output_of(&ran))),
        Ended::TooSlow => findings.note(&format!("calls {program}, which does not tell its version")),
        Ended::NotStarted(why) => findings.bad(&format!("`{program}` cannot be started: {why}")),
    }
}

/// Switches that turn all hooks off.
fn switched(host: HookHost, findings: &mut Findings) {
    let files = match switches(host) {
        Ok(files) => files,
        Err(error) => return findings.bad(&format!("{error:#}")),
    };
    for path in files {
        let name = path.display();
        let off = match read(&path) {
            Ok(None) => continue,
            Ok(Some(text)) => match host {
                HookHost::ClaudeCode => is_off(&text).map_err(|fault| fault.to_string()),
                HookHost::Codex => hooks_are_off(&text),
            },
            Err(error) => Err(format!("{error:#}")),
        };
        match off {
            Ok(false) => {}
            Ok(true) => findings.bad(&format!("{name} switches all hooks off")),
            Err(why) => findings.bad(&format!("{name}: {why}")),
        }
    }
    if host == HookHost::Codex {
        findings.note("whether Codex trusts the hooks only Codex knows: look with /hooks");
    }
}

/// `disableAllHooks`, or a file of administrators that permits no hooks but its own.
fn is_off(text: &str) -> Result<bool, SettingsFault> {
    Ok(is_set(text, "disableAllHooks")? || is_set(text, "allowManagedHooksOnly")?)
}

/// `[features] hooks = false`, or its older name.
fn hooks_are_off(text: &str) -> Result<bool, String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let features = table.get("features").and_then(toml::Value::as_table);
    let is_off =
        |name: &str| features.and_then(|features| features.get(name)) == Some(&toml::Value::Boolean(false));
    Ok(is_off("hooks") || is_off("codex_hooks"))
}
