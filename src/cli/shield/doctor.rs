//! `shield doctor`: are the hooks that are installed called, and do they refuse? The command of each is started as its host
//! starts it, and its answer is read as the host reads it.

use super::gate_file::read_policy;
use super::install::gaps;
use super::places::{HostArg, SettingsScope, installed_hooks, read, settings_place, switches};
use super::probe::{HookEnd, HookRun, run as start, run_command};
use crate::exit::Exit;
use crate::output;
use crate::terminal::{escape, escape_lines};
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tsl_synth_core::base::{Budget, counted};
use tsl_synth_seats::hook::settings::InstalledHook;
use tsl_synth_seats::hook::{HookHost, HookKind, HostAction, NO_ANSWER, Sample};
use tsl_synth_service::{WITHOUT_LOOK_AHEAD, gate_limit};
use tsl_synth_stores::JournalStore;

/// The flags of `shield doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The host whose hooks are checked [default: all]
    #[arg(long, value_enum)]
    host: Option<HostArg>,
    /// Whose settings: those of the project in this folder, or of all your projects [default: both]
    #[arg(long, value_enum)]
    scope: Option<SettingsScope>,
}

/// The name of a tool that no host has, for a call that no table of the policy names.
const NO_TOOL: &str = "tsl_synth_doctor";

/// Findings so far.
#[derive(Default)]
struct DoctorFindings {
    text: String,
    bad: usize,
}

impl DoctorFindings {
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
    let mut findings = DoctorFindings::default();
    let mut checked = 0;
    journals(&mut findings);
    for host in HookHost::ALL
        .iter()
        .copied()
        .filter(|host| args.host.is_none_or(|only| HookHost::from(only) == *host))
    {
        let mut of_host = 0;
        for scope in
            SettingsScope::ALL.into_iter().filter(|scope| args.scope.is_none_or(|only| only == *scope))
        {
            match settings(host, scope, &mut findings) {
                Ok(found) => of_host += usize::from(found),
                Err(error) => findings.bad(&format!("{error:#}")),
            }
        }
        if of_host > 0 {
            switched(host, &mut findings);
            let _ = writeln!(findings.text, "What {} lets through in spite of its hooks:", host.title());
            gaps(host, &mut findings.text);
        }
        checked += of_host;
    }
    if checked == 0 {
        findings.bad(
            "no hooks of ours are installed here: `tsl-synth policy shield install --host HOST` does that",
        );
    }
    if let Err(error) = output::deliver(None, &escape_lines(&findings.text)) {
        return output::error(&error);
    }
    if findings.bad == 0 { Exit::Yes } else { Exit::No }
}

/// Can journals be written and locked?
fn journals(findings: &mut DoctorFindings) {
    let session = format!("doctor-{}", std::process::id());
    let store = match JournalStore::of_user(false) {
        Ok(store) => store,
        Err(error) => return findings.bad(&error.to_string()),
    };
    let _ = writeln!(findings.text, "journals in {}", escape(&store.folder().display().to_string()));
    let tried = store
        .lock("doctor", &session, Duration::from_secs(1))
        .and_then(|mut journal| journal.append("event", "{}"));
    match tried {
        Ok(()) => findings.ok("can be locked and written"),
        Err(error) => findings.bad(&format!("cannot be used, so every call will be refused: {error}")),
    }
    let _ = std::fs::remove_file(store.path("doctor", &session));
}

/// Checks the hooks in the settings of a host, and returns whether there are any.
fn settings(host: HookHost, scope: SettingsScope, findings: &mut DoctorFindings) -> Result<bool> {
    let place = settings_place(host, scope)?;
    let hooks = installed_hooks(host, &place)?;
    if hooks.is_empty() {
        return Ok(false);
    }
    let _ = writeln!(findings.text, "{} in {}", host.title(), escape(&place.display().to_string()));
    for event in host.events() {
        match hooks.iter().filter(|hook| hook.event == event.name).count() {
            0 if host.kind(event.name) == HookKind::Call => {
                findings.bad(&format!("no hook for `{}`: nothing is refused", event.name));
            }
            0 => findings.bad(&format!("no hook for `{}`: the journal misses what it tells", event.name)),
            1 => {}
            many => findings.note(&format!("{many} hooks for `{}`: each is asked", event.name)),
        }
    }
    let mut policies: Vec<PathBuf> = hooks.iter().filter_map(policy).collect();
    policies.sort();
    policies.dedup();
    for policy in &policies {
        decides(policy, findings);
    }
    for hook in hooks.iter().filter(|hook| host.kind(&hook.event) == HookKind::Call) {
        calls(host, hook, findings);
    }
    for hook in hooks.iter().filter(|hook| host.kind(&hook.event) == HookKind::Prompt) {
        prompts(host, hook, findings);
    }
    Ok(true)
}

/// The policy of a hook.
fn policy(hook: &InstalledHook) -> Option<PathBuf> {
    let words = match (&hook.line, &hook.args) {
        (None, Some(args)) => args.clone(),
        (line, _) => shlex::split(line.as_ref().unwrap_or(&hook.command))?,
    };
    let place = words.iter().position(|word| word == "shield")?;
    words.get(place + 1).map(PathBuf::from)
}

/// Can gates decide by a policy? It is read, and its game is built, as a gate does.
fn decides(policy: &Path, findings: &mut DoctorFindings) {
    let name = policy.display();
    let compiled = match read_policy(policy) {
        Ok(loaded) => Arc::new(loaded.compiled),
        Err(why) => return findings.bad(&format!("{name}, so every call is refused: {why}")),
    };
    match gate_limit(&compiled, None, &Budget::unlimited()) {
        Ok(None) => {
            findings.ok(&format!("decides by {} of {name}", counted(compiled.policy.laws.len(), "law")));
        }
        Ok(Some(limit)) if limit.laws.is_some() => {
            findings.note(&format!("{name}: {limit}; {WITHOUT_LOOK_AHEAD}"));
        }
        Ok(Some(limit)) => {
            let why = limit.why;
            findings.bad(&format!("{name}, so every call is refused: {why}; {WITHOUT_LOOK_AHEAD}"));
        }
        Err(limit) => findings.note(&format!("{name}: {limit}")),
    }
}

/// The program of a hook.
fn program(hook: &InstalledHook) -> Option<String> {
    match (&hook.line, &hook.args) {
        (None, Some(_)) => Some(hook.command.clone()),
        (line, _) => shlex::split(line.as_ref().unwrap_or(&hook.command))?.into_iter().next(),
    }
}

/// Checks a hook before calls: which program it starts, and whether it refuses.
fn calls(host: HookHost, hook: &InstalledHook, findings: &mut DoctorFindings) {
    match program(hook).filter(|program| Path::new(program).is_absolute()) {
        None => findings.bad("the hook before calls names no program by an absolute path"),
        Some(program) => version(&program, findings),
    }
    if !hook.sees_all {
        findings.bad("the hook before calls is not called for all tools (`matcher`)");
    }
    if let Some(setting) = host.block_setting().filter(|_| !hook.blocks_on_failure) {
        findings.bad(&format!("the hook before calls has no `{setting}`: when it fails the call runs"));
    }
    let session = session();
    // A payload that is cut off: the hook cannot read the call, so it must refuse it.
    let call = payload(host, hook, &session, Sample::Call(NO_TOOL));
    let half = &call[..call.len() - 3];
    match said(host, &start(hook, half)) {
        Ok((HostAction::Refuses(_), _)) => findings.ok("refuses a call that it cannot read"),
        Ok((other, _)) => {
            findings.bad(&format!("does not refuse a call that it cannot read: {}", sentence(&other)));
        }
        Err(why) => findings.bad(&format!("before a call that it cannot read: {why}")),
    }
    match said(host, &start(hook, &call)) {
        Ok((HostAction::Ignores, ran)) => {
            findings.bad(&format!(
                "{} does not understand its answer to a call: {}",
                host.title(),
                output_of(&ran)
            ));
        }
        Ok((HostAction::Refuses(why), ran)) if why.contains(NO_ANSWER) => {
            findings.bad(&format!("gives no answer to a call, so that each is refused: {}", output_of(&ran)));
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

/// Checks a hook at prompts: it must let them pass, which it does if policy and journal can be read.
fn prompts(host: HookHost, hook: &InstalledHook, findings: &mut DoctorFindings) {
    let session = session();
    let ran = start(hook, &payload(host, hook, &session, Sample::Prompt("tsl-synth shield doctor")));
    let reported = serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap_or_default();
    let is_message = matches!(reported["decision"].as_str(), Some("block" | "deny"))
        || !reported["systemMessage"].is_null()
        || reported["continue"] == false
        || reported["verdict"] == "deny";
    match (said(host, &ran), &ran.ended) {
        (Ok(_), HookEnd::By(Some(0))) if !is_message => findings.ok("takes up what the user says"),
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
    if let Ok(store) = JournalStore::of_user(false) {
        let _ = std::fs::remove_file(store.path(host.name(), session));
    }
}

/// A payload for a hook, as its host sends it.
fn payload(host: HookHost, hook: &InstalledHook, session: &str, sample: Sample<'_>) -> String {
    let folder = std::env::current_dir().unwrap_or_default();
    host.sample(&hook.event, session, &folder.to_string_lossy(), sample).to_string()
}

/// The action that the host takes after a run, or why the run failed.
fn said(host: HookHost, ran: &HookRun) -> Result<(HostAction, HookRun), String> {
    let what = match &ran.ended {
        HookEnd::NotStarted(why) => format!("it cannot be started ({why})"),
        HookEnd::TooSlow => "it does not end in time".into(),
        HookEnd::By(Some(code @ (126 | 127))) => format!("exit code {code}: the program is not found"),
        // A shell exits with 128 + N if signal N killed the program that it started.
        HookEnd::By(None | Some(129..160)) => "it is killed by a signal".into(),
        HookEnd::By(code) => return Ok((host.action(*code, &ran.stdout, &ran.stderr), ran.clone())),
    };
    Err(format!("{what}, and {}", host.on_failure()))
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

fn output_of(ran: &HookRun) -> String {
    let code = match ran.ended {
        HookEnd::By(Some(code)) => format!("exit code {code}"),
        _ => "no exit code".into(),
    };
    let words: Vec<&str> = ran.stdout.split_whitespace().chain(ran.stderr.split_whitespace()).collect();
    let text: String = words.join(" ").chars().take(400).collect();
    if text.is_empty() { format!("{code}, no output") } else { format!("{code}, {text}") }
}

fn version(program: &str, findings: &mut DoctorFindings) {
    if !Path::new(program).is_file() {
        return findings.bad(&format!("there is no program `{program}`: no call can be judged"));
    }
    let ran = run_command(Command::new(program).arg("--version"), "", Duration::from_secs(10));
    let own = concat!("tsl-synth ", env!("CARGO_PKG_VERSION"));
    match ran.ended {
        HookEnd::By(Some(0)) if ran.stdout.trim() == own => findings.ok(&format!("calls {program} ({own})")),
        HookEnd::By(_) => findings.note(&format!("calls {program}, which is not {own}: {}", output_of(&ran))),
        HookEnd::TooSlow => findings.note(&format!("calls {program}, which does not tell its version")),
        HookEnd::NotStarted(why) => findings.bad(&format!("`{program}` cannot be started: {why}")),
    }
}

/// Checks the switches that turn all hooks off.
fn switched(host: HookHost, findings: &mut DoctorFindings) {
    let files = match switches(host) {
        Ok(files) => files,
        Err(error) => return findings.bad(&format!("{error:#}")),
    };
    for path in files {
        let name = path.display();
        let off = match read(&path) {
            Ok(None) => continue,
            Ok(Some(text)) => host.is_off(&text),
            Err(error) => Err(format!("{error:#}")),
        };
        match off {
            Ok(false) => {}
            Ok(true) => findings.bad(&format!("{name} switches all hooks off")),
            Err(why) => findings.bad(&format!("{name}: {why}")),
        }
    }
    if !host.after_install().is_empty() {
        findings.note(host.after_install());
    }
}
