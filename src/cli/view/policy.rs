//! `view POLICY [LOG]`, `view JOURNAL`, and `view RECORD` of an actor: laws followed event by event.

use super::agent::show;
use super::args::ViewArgs;
use crate::agent::recorded;
use crate::exit::Exit;
use crate::explain::refusal::is_journal;
use crate::monitor::logs::{self, LogArgs};
use crate::output;
use crate::policy_file::is_policy;
use crate::terminal::escape;
use anyhow::{Context, Result, bail};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tsl_synth_documents::RecordLine;
use tsl_synth_seats::journal::{JOURNAL_LIMIT, JournalEnd, JournalRecord, parse};
use tsl_synth_service::{Input, PolicyViewRequest, ViewedLog, is_stdin};

/// The largest number of events of a log on a page.
const MOST_EVENTS: usize = 5_000;

/// Whether the files are a policy with logs, or a log that names its policy.
pub(crate) fn is_meant(args: &ViewArgs) -> bool {
    let Some(first) = args.input.specs.first().filter(|path| !is_stdin(path)) else { return false };
    is_policy(first) || is_journal(first) || is_actor(first)
}

fn is_actor(path: &Path) -> bool {
    recorded::is_record(path) && recorded::read(path).is_ok_and(|(record, _)| record.header.actor.is_some())
}

/// Runs the verb.
pub(crate) fn run(args: &ViewArgs) -> Exit {
    for (option, given) in [("--effect", args.effect.is_some()), ("--hypothesis", args.hypothesis.is_some())]
    {
        if given {
            return output::wrong(&format!(
                "`{option}` is about traces, and this is a policy or what is judged by one"
            ));
        }
    }
    match request(args) {
        Ok(request) => show(args, move |session| session.view_policy(&request)),
        Err(error) => output::error(&error),
    }
}

/// The request: the policy that is named or that the log names, and the log.
fn request(args: &ViewArgs) -> Result<PolicyViewRequest> {
    let files = &args.input.specs;
    let (policy, logs) = if is_policy(&files[0]) {
        (files[0].clone(), &files[1..])
    } else {
        if files.len() > 1 {
            bail!("a journal or a record names its policy: to choose another one say `view POLICY LOG`");
        }
        (policy_of(&files[0])?, &files[..])
    };
    let mut request = PolicyViewRequest::new(Input::File(policy));
    if !args.tried.is_empty() && (!logs.is_empty() || !is_policy(&files[0])) {
        bail!("`--try` is about a policy alone, without a log");
    }
    request.tried.clone_from(&args.tried);
    if !logs.is_empty() || args.from.is_some() {
        request.log = Some(log(args, logs)?);
    }
    Ok(request)
}

/// The policy that a journal or a record names.
fn policy_of(path: &Path) -> Result<PathBuf> {
    if !is_journal(path) {
        let (record, _) = recorded::read(path)?;
        let specs = recorded::specs(&record, path);
        return specs.into_iter().next().context("the record names no policy: say `view POLICY RECORD`");
    }
    let named = |record: &JournalRecord| -> Option<PathBuf> {
        let data: serde_json::Value = serde_json::from_str(&record.data).ok()?;
        (record.kind == "policy").then(|| data["file"].as_str().map(PathBuf::from)).flatten()
    };
    let records = records(path)?;
    records.iter().rev().find_map(named).context("the journal names no policy: say `view POLICY JOURNAL`")
}

fn records(path: &Path) -> Result<Vec<JournalRecord>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(JOURNAL_LIMIT + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(parse(&bytes, &JournalEnd::default())?.records)
}

fn log(args: &ViewArgs, files: &[PathBuf]) -> Result<ViewedLog> {
    let named = LogArgs { logs: files.to_vec(), from: args.from };
    let found = logs::find(&named)?;
    let names: Vec<String> = files.iter().take(3).map(|path| path.display().to_string()).collect();
    let more = if files.len() > names.len() { ", ..." } else { "" };
    let mut log = ViewedLog::new(format!("{}{more}", names.join(", ")));
    let mut left_out = 0_u64;
    let notes = logs::read(&named, &found, &mut |event| {
        if log.events.len() < MOST_EVENTS {
            log.events.push(event.clone().into_owned());
        } else {
            left_out += 1;
        }
        ControlFlow::Continue(())
    })?;
    log.notes = notes.iter().map(|note| escape(&note.message)).collect();
    if left_out > 0 {
        log.notes
            .push(format!("The page has the first {MOST_EVENTS} events; {left_out} more are in the log."));
    }
    // A journal or a record has further data, which belong to its only session.
    if let [only] = files {
        let last = log.events.last().map_or(0, |event| event.line);
        if is_journal(only) {
            log.records = records(only)?;
            log.records.retain(|record| left_out == 0 || record.number <= last);
        } else if is_actor(only) {
            let (_, text) = recorded::read(only)?;
            for (number, line) in (1..).zip(text.lines()) {
                if let Ok(RecordLine::Step(step)) = serde_json::from_str(line) {
                    log.steps.push((number, *step));
                }
            }
            log.steps.retain(|(line, _)| left_out == 0 || *line <= last);
        }
    }
    Ok(log)
}
