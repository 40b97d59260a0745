//! `check POLICY`: whether the laws of a policy always leave an action, and findings about them. The first line is
//! `CONSISTENT`, `OVER-CONSTRAINED`, `UNREALIZABLE` or `UNKNOWN` (exit codes 0, 1, 1 and 3); `--deny` makes warnings
//! count.

use super::files::{self, Reported};
use crate::adapters::Adapters;
use crate::check::args::CheckArgs;
use crate::exit::Exit;
use crate::flags::OutputFormat;
use crate::monitor::logs::LogArgs;
use crate::policy_file::{held, is_policy};
use crate::{output, terminal};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::base::counted;
use tsl_synth_core::diag::{Code, Diagnostic, Severity};
use tsl_synth_documents::{PolicyCheckDocument, PolicyResult, PolicyStep};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_service::{
    Input, LoggedSessions, PolicyCheckReport, PolicyCheckRequest, PolicyVerdict, Session, VERSION,
};

/// The largest number of trajectories, and of pairs of laws, that are listed in text.
const SHOWN: usize = 5;

/// Runs the verb if it is about policies.
pub(super) fn run(args: &CheckArgs) -> Option<Exit> {
    let specs = &args.input.specs;
    let policies = specs.iter().filter(|path| is_policy(path)).count();
    if !args.from_nl.is_empty() {
        return Some(match specs.as_slice() {
            [policy] if policies == 1 => super::sentences::run(args, policy),
            _ => output::wrong("`--from-nl` reads sentences about the names of a policy: name one"),
        });
    }
    if policies == 0 {
        return None;
    }
    if policies < specs.len() {
        return Some(output::wrong("policies are checked by themselves, without files of other languages"));
    }
    let document = |results| output::json(&PolicyCheckDocument::new(VERSION, results));
    Some(files::each(args, "policies", &[], |path, format| one(path, args, format), document))
}

/// The exit code of one file, its text, and its part of the document.
fn one(path: &Path, args: &CheckArgs, format: OutputFormat) -> Reported<PolicyResult> {
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut request = PolicyCheckRequest::new(Input::File(path.to_path_buf()));
    request.spellings = args.spellings;
    let logs = LogArgs { logs: args.against.clone(), from: args.from };
    let held = move |compiled: &CompiledPolicy| {
        if logs.logs.is_empty() {
            return Ok(LoggedSessions::default());
        }
        held(&logs, compiled)
            .map_err(|error| Diagnostic::error(Code::LOG_NOT_READ, format!("{error:#}")).into())
    };
    let failed = |found| PolicyResult::new(&path.to_string_lossy(), "ERROR", found);
    let check = move |session: &mut Session<'_>| session.check_policy_against(&request, &held);
    let (report, sources) = match files::ask(&adapters, format, check, failed) {
        Ok(asked) => asked,
        Err(reported) => return reported,
    };
    let exit = match report.verdict {
        PolicyVerdict::OverConstrained | PolicyVerdict::Unrealizable => Exit::No,
        _ if files::denies(args, &report.diagnostics) => Exit::No,
        PolicyVerdict::Consistent => Exit::Yes,
        PolicyVerdict::Unknown => Exit::Unknown,
    };
    let result = report.result(&sources);
    if format == OutputFormat::Json {
        return (exit, String::new(), Some(result));
    }
    if args.verdict_only {
        return (exit, format!("{}\n", report.verdict.name()), None);
    }
    // The text reports these findings itself, with trajectories and pairs of laws.
    let reported = [Code::OVER_CONSTRAINED, Code::LAW_CONFLICT, Code::POLICY_UNREALIZABLE, Code::TRAP];
    let rest = report.diagnostics.iter().filter(|diagnostic| !reported.contains(&diagnostic.code));
    adapters.show(rest, Severity::Note, &sources);
    (exit, text(&report, &result) + &spellings(&result), None)
}

/// Equivalent and similar commands for each table about shell commands, if they were requested.
fn spellings(result: &PolicyResult) -> String {
    let mut text = String::new();
    for own in &result.spellings {
        let names = terminal::escape(&own.names.join(", "));
        let Some(example) = &own.example else {
            let _ = writeln!(text, "{names} (line {}): no command was found that it matches", own.line);
            continue;
        };
        let shown = |text: &str| terminal::escape(&text.replace('\n', "⏎"));
        let _ = writeln!(text, "{names} (line {}): {}", own.line, shown(example));
        for (title, all) in [("the same command:", &own.same), ("looks like it:", &own.others)] {
            let _ = writeln!(text, "  {title}");
            for one in all {
                let _ = writeln!(text, "    {:<5} {:<5} {}", one.matches, one.verdict, shown(&one.command));
            }
        }
    }
    text
}

fn text(report: &PolicyCheckReport, result: &PolicyResult) -> String {
    let mut text = format!("{}\n", report.verdict.name());
    if let (Some(reason), true) = (&report.reason, report.stuck.is_empty()) {
        let _ = writeln!(text, "{}", terminal::escape(reason));
    }
    for (i, (stuck, own)) in result.over_constrained.iter().zip(&report.stuck).enumerate() {
        let steps = if stuck.steps == 1 { "step" } else { "steps" };
        let _ = writeln!(text, "over-constrained after {} legal {steps}", stuck.steps);
        for &law in &own.core {
            let law = &report.compiled.policy.laws[law];
            let _ = writeln!(text, "  {}: {}", terminal::escape(&law.id), terminal::escape(&law.ltl));
        }
        if i < SHOWN {
            text += &trajectory(&stuck.trajectory);
        }
    }
    text += &look_ahead(report, result);
    if !result.conflicts.is_empty() {
        let count = result.conflicts.len();
        let (pairs, verb) = if count == 1 { ("pair", "excludes") } else { ("pairs", "exclude") };
        let _ = writeln!(
            text,
            "{count} {pairs} of laws {verb} each other in states that the laws of the world allow"
        );
        for conflict in result.conflicts.iter().take(SHOWN) {
            let _ = writeln!(text, "  {}", terminal::escape(&conflict.laws.join(" and ")));
        }
        if count > SHOWN {
            let _ = writeln!(text, "  and {} more: `--format json` has all", count - SHOWN);
        }
    }
    for own in &result.copies {
        let said = own.reason.as_deref().unwrap_or("its copies are independent");
        let _ = writeln!(text, "{}: {}", terminal::escape(&own.law), terminal::escape(said));
    }
    if !result.sessions.is_empty() {
        text += &against(report, result);
    }
    if report.search.not_searched.is_none() {
        let all = if report.search.is_complete { "these are all" } else { "there are more" };
        let _ = writeln!(text, "{} of the world searched; {all}", counted(report.search.states, "state"));
    }
    text
}

/// How the sessions of the logs keep the laws.
fn against(report: &PolicyCheckReport, result: &PolicyResult) -> String {
    let times = |n: usize| if n == 1 { "once".to_string() } else { format!("{n} times") };
    let mut text = String::new();
    let sessions = if result.sessions.len() == 1 { "session" } else { "sessions" };
    let _ = writeln!(text, "held to {} {sessions}:", result.sessions.len());
    let laws = &report.compiled.policy.laws;
    let width = laws.iter().map(|law| terminal::escape(&law.id).chars().count()).max().unwrap_or(0);
    for law in &result.against {
        let open = law.undecided.len();
        let said = match (law.violated.len(), law.owed.len()) {
            (0, 0) if open > 0 => format!("undecidable in {open}"),
            (0, 0) if law.grounded => "triggered, and kept".into(),
            (0, 0) => "never triggered".into(),
            (0, owed) => format!("owed at the end of {owed}"),
            (violated, 0) => format!("violated {}", times(violated)),
            (violated, owed) => format!("violated {}, owed at the end of {owed}", times(violated)),
        };
        let _ = writeln!(text, "  {:<width$}  {said}", terminal::escape(&law.law));
    }
    text
}

/// The result of the game of all hard laws.
fn look_ahead(report: &PolicyCheckReport, result: &PolicyResult) -> String {
    let mut text = String::new();
    let laws = |text: &mut String, laws: &[tsl_synth_policy::language::LawId]| {
        for &law in laws {
            let law = &report.compiled.policy.laws[law];
            let _ = writeln!(text, "  {}: {}", terminal::escape(&law.id), terminal::escape(&law.ltl));
        }
    };
    laws(&mut text, &report.ahead.lost);
    for (i, (trap, own)) in result.traps.iter().zip(&report.ahead.traps).enumerate() {
        let steps = if trap.steps == 1 { "step" } else { "steps" };
        let _ = writeln!(
            text,
            "trap after {} legal {steps}: once the agent does `{}`, the world can make it impossible to keep",
            trap.steps,
            terminal::escape(&trap.action)
        );
        laws(&mut text, &own.laws);
        let width = trap.trajectory.len().to_string().len();
        for (i, step) in trap.trajectory.iter().enumerate().filter(|_| i < SHOWN) {
            let names = terminal::escape(&step.names.join(", "));
            let _ = writeln!(text, "  {:>width$}. {}: {names}", i + 1, step.by);
        }
    }
    if result.positions > 0 {
        let all = if result.is_all_positions { "these are all" } else { "there are more" };
        let value = if result.is_of_one_value { ", all letters about one value" } else { "" };
        let _ = writeln!(text, "{} searched for traps{value}; {all}", counted(result.positions, "position"));
    }
    text
}

/// The steps of a trajectory, numbered.
fn trajectory(steps: &[PolicyStep]) -> String {
    let mut text = String::new();
    let width = steps.len().to_string().len();
    for (i, step) in steps.iter().enumerate() {
        let truths = terminal::escape(&step.truths.join(", "));
        let action = step.action.as_deref().map_or("no action is legal".into(), terminal::escape);
        let _ = writeln!(text, "  {:>width$}. {{{truths}}} -> {action}", i + 1);
    }
    text
}
