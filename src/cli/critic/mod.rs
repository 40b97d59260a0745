//! `critic`: law edits from recorded runs, each admitted or refused with the reason.

mod rounds;

use crate::adapters::Adapters;
use crate::exit::Exit;
use crate::flags::{EngineArgs, OutputArgs, OutputFormat};
use crate::monitor::logs::LogArgs;
use crate::oracles::{self, Access, AccessArgs};
use crate::policy_file::held;
use crate::{output, terminal};
use anyhow::{Context, ensure};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use tsl_synth_agents::NoLog;
use tsl_synth_core::base::counted;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_seats::log::LogFormat;
use tsl_synth_service::{CriticGoal, CriticReport, CriticRequest, Input, JudgedEdit, VERSION};

/// `critic`
#[derive(Args, Debug)]
#[command(
    after_help = "Edits add, replace or delete soft laws. One is admitted if it is read, new, grounded in the runs or \
                  only weaker, and takes the last action in no state, or in none that can be reached; else the reason is \
                  said, with a shortest way into the state without action. The difference is shown, and the policy is rewritten with `--write`. Exit \
                  codes: 0 done, 1 every edit was refused, 2 wrong input or call, 3 a limit."
)]
pub(crate) struct CriticArgs {
    /// The policy: TOML, JSON of the same shape, or a JSON list of laws
    pub(crate) policy: PathBuf,
    /// Recorded runs: logs, folders, or `-` for standard input
    #[arg(long, value_name = "LOG", required_unless_present = "looped", num_args = 1..)]
    pub(crate) trajectories: Vec<PathBuf>,
    /// Format of the logs [default: recognized by their beginning]
    #[arg(long, value_name = "FORMAT", value_parser = crate::monitor::args::format)]
    pub(crate) from: Option<LogFormat>,
    /// Who proposes edits: `mine` (no model), `script:FILE`, `cmd:PROGRAM ARGS..`, `http:URL`, `tty`
    #[arg(long, value_name = "ORACLE", default_value = "mine", help_heading = "Oracles")]
    pub(crate) oracle: String,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
    /// What the runs are to reach, for `mine` and for the prompt of a model: a formula without temporal operators over
    /// propositions and results, such as `paid & !open`; may be given more than once, in their order [default: with
    /// `--loop`, what the environment reports]
    #[arg(long, value_name = "FORMULA")]
    pub(crate) goal: Vec<String>,
    /// For `mine`: the least number of steps that speak for a law
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) support: u32,
    /// Stop after this many rounds; earlier once a round changes nothing
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    #[command(flatten)]
    pub(crate) rounds_with: rounds::LoopArgs,
    /// Replace the file of the policy, whole or not at all
    #[arg(long, conflicts_with = "output")]
    pub(crate) write: bool,
    /// Form of the answer: text or json
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: OutputFormat,
    /// Write the edited policy to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    /// Colors
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) color: crate::flags::ColorChoice,
}

/// The steps of this many witnesses are shown in text; `--format json` has all.
const SHOWN: usize = 3;

/// Runs the verb.
pub(crate) fn run(args: &CriticArgs) -> Exit {
    if !matches!(args.format, OutputFormat::Text | OutputFormat::Json) {
        return output::wrong("`critic` has `--format text` and `--format json`");
    }
    let shown = OutputArgs { color: args.color, ..OutputArgs::default() };
    let adapters = Adapters::new(&args.engine, &shown, None);
    if args.rounds_with.looped {
        return rounds::run(args, &adapters);
    }
    if let Some(flag) = args.rounds_with.given() {
        return output::wrong(&format!("`{flag}` is about `--loop`"));
    }
    let request = request(args);
    let logs = LogArgs { logs: args.trajectories.clone(), from: args.from };
    let sessions = move |compiled: &CompiledPolicy| {
        held(&logs, compiled)
            .map_err(|error| Diagnostic::error(Code::LOG_NOT_READ, format!("{error:#}")).into())
    };
    let access = Access::new(&args.access, args.engine.seed, terminal::wants_color(args.color));
    let oracle = (args.oracle != "mine").then(|| args.oracle.clone());
    let asked = oracles::ask(&adapters, oracle, access, move |session, oracle| {
        session.critic(&request, &sessions, oracle, &mut NoLog)
    });
    let (report, _) = match asked {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    match deliver(args, &report) {
        Ok(()) if !report.edits.is_empty() && report.admitted().next().is_none() => Exit::No,
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

/// What the critic is asked.
fn request(args: &CriticArgs) -> CriticRequest {
    let mut request = CriticRequest::new(Input::File(args.policy.clone()));
    request.goals = args.goal.iter().cloned().map(CriticGoal::Condition).collect();
    request.rounds = args.rounds;
    request.attempts = args.access.attempts;
    request.mining.support = args.support as usize;
    request
}

/// Writes the edited policy where the flags say; whether it is written.
fn write(args: &CriticArgs, before: &str, after: &str) -> anyhow::Result<bool> {
    let target = if args.write { Some(&args.policy) } else { args.output.as_ref() };
    let Some(target) = target else { return Ok(false) };
    if before != after || !args.write {
        if args.write {
            let now = std::fs::read(target).with_context(|| format!("cannot read `{}`", target.display()))?;
            ensure!(now == before.as_bytes(), "`{}` was changed meanwhile; try again", target.display());
        }
        output::write_file(target, after.as_bytes())?;
    }
    Ok(true)
}

/// Writes the policy, then prints the report.
fn deliver(args: &CriticArgs, report: &CriticReport) -> anyhow::Result<()> {
    let is_written = write(args, &report.before, &report.after)?;
    let diff = diff(&report.name, &report.before, &report.after);
    let text = if args.format == OutputFormat::Json {
        let mut document = report.document(VERSION);
        document.diff = diff;
        output::json(&document)
    } else {
        text(report, &diff, is_written)
    };
    output::deliver(None, &text)
}

fn diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let name = terminal::escape(name);
    let diff = similar::TextDiff::from_lines(before, after);
    diff.unified_diff().header(&name, &name).to_string()
}

fn text(report: &CriticReport, diff: &str, is_written: bool) -> String {
    let mut text = edits(report);
    if !report.is_settled {
        text += "the last round still changed something: `--rounds` allows more\n";
    }
    text += &changes(diff, is_written);
    text
}

/// The difference of the texts, and what becomes of it.
fn changes(diff: &str, is_written: bool) -> String {
    let mut text = terminal::escape_lines(diff);
    if !diff.is_empty() && !is_written {
        text += "nothing is written: `--write` replaces the policy\n";
    }
    text
}

/// The edits of a report, and how many sets of laws leave no action before and after them.
fn edits(report: &CriticReport) -> String {
    let admitted = report.admitted().count();
    let mut text = String::new();
    let reaching = report.reaching.map_or(String::new(), |n| format!(", of which {n} reach the goal"));
    let _ = writeln!(text, "{}{reaching}", counted(report.runs, "run"));
    let _ = writeln!(
        text,
        "{} of {} admitted in {}",
        admitted,
        counted(report.edits.len(), "edit"),
        counted(report.rounds, "round")
    );
    let mut reported = 0;
    for own in &report.edits {
        let has_witness = own.refusal.as_ref().is_some_and(|refusal| refusal.witness.is_some());
        reported += usize::from(has_witness);
        text += &edit(own, reported <= SHOWN);
    }
    let [before, after] = report.stuck;
    let _ = writeln!(text, "sets of laws that leave no action in some state: {before} before, {after} after");
    if let Some(why) = &report.undecided {
        let _ = writeln!(text, "there may be more: {}", terminal::escape(why));
    }
    text
}

/// An edit, its verdict and why; with the steps of its witness.
fn edit(own: &JudgedEdit, with_steps: bool) -> String {
    let what = own.edit.as_ref().map_or("an answer".into(), |edit| {
        format!(
            "{} `{}`: {}",
            edit.kind.name(),
            edit.id,
            if edit.ltl.is_empty() { &edit.why } else { &edit.ltl }
        )
    });
    let mut text = String::new();
    let verdict = if own.refusal.is_some() { "refused " } else { "admitted" };
    let _ = writeln!(text, "  {verdict} {}", terminal::escape(&what));
    if let Some(refusal) = &own.refusal {
        let _ = writeln!(text, "           {}", terminal::escape(&refusal.message));
        let witness = refusal.witness.as_ref().filter(|_| with_steps);
        let steps = witness.iter().flat_map(|witness| &witness.steps);
        for (i, step) in steps.enumerate() {
            let action = step.action.as_deref().unwrap_or("no action is legal");
            let line = format!("{}. {{{}}} -> {action}", i + 1, step.truths.join(", "));
            let _ = writeln!(text, "           {}", terminal::escape(&line));
        }
    } else if let Some(edit) = own.edit.as_ref().filter(|edit| !edit.ltl.is_empty() && !edit.why.is_empty()) {
        let _ = writeln!(text, "           {}", terminal::escape(&edit.why));
    }
    text
}
