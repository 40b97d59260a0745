//! `policy test`: scenarios against a policy; and `policy record`: a scenario from the journal of a gate.

use crate::exit::Exit;
use crate::output;
use crate::shield::gate_file::read_policy;
use crate::terminal::{escape, escape_lines};
use crate::xml::{attribute, content};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth_core::base::counted;
use tsl_synth_seats::journal::{JournalEnd, parse};
use tsl_synth_service::{Scenario, SharedSolver, StepReport, scenario_of};

/// `policy test`
#[derive(Args, Debug)]
pub(crate) struct TestArgs {
    /// The policy
    policy: PathBuf,
    /// Files of scenarios: JSON lines of steps with the verdicts that they should have
    #[arg(required = true, value_name = "SCENARIOS")]
    scenarios: Vec<PathBuf>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: ScenarioFormat,
    /// Write the answer to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

/// `policy record`
#[derive(Args, Debug)]
pub(crate) struct RecordArgs {
    /// The journal of a gate
    journal: PathBuf,
    /// Write the scenario to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ScenarioFormat {
    /// For people
    #[default]
    Text,
    /// XML for build servers, a case for each scenario
    Junit,
}

/// A scenario that was run.
struct Ran {
    file: String,
    name: String,
    steps: Vec<StepReport>,
}

impl Ran {
    fn differs(&self) -> bool {
        self.steps.iter().any(|step| !step.differences.is_empty())
    }
}

/// Runs `policy test`: exit code 1 if a step differs.
pub(super) fn test(args: &TestArgs) -> Exit {
    let loaded = match read_policy(&args.policy) {
        Ok(loaded) => loaded,
        Err(why) => return output::wrong(&format!("the policy `{}`: {why}", args.policy.display())),
    };
    let (hash, file) = (loaded.sha256.clone(), args.policy.display().to_string());
    let solver = match SharedSolver::new(Arc::new(loaded.compiled), &hash, &file, None) {
        Ok(solver) => solver,
        Err(limit) => return output::wrong(&format!("the policy `{file}`: {limit}")),
    };
    let mut ran = Vec::new();
    for path in &args.scenarios {
        match run(&solver, path) {
            Ok(more) => ran.extend(more),
            Err(error) => return output::error(&error),
        }
    }
    let text = match args.format {
        ScenarioFormat::Text => told(&ran),
        ScenarioFormat::Junit => junit(&ran),
    };
    match output::deliver(args.output.as_deref(), &text) {
        Ok(()) if ran.iter().any(Ran::differs) => Exit::No,
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

fn run(solver: &SharedSolver, path: &Path) -> Result<Vec<Ran>> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{name}`"))?;
    let scenarios = Scenario::read(&text).with_context(|| format!("`{name}`"))?;
    let ran = scenarios.into_iter().map(|scenario| {
        let steps = scenario.run(solver).with_context(|| format!("`{name}`"))?;
        Ok(Ran { file: name.clone(), name: scenario.name, steps })
    });
    ran.collect()
}

fn told(ran: &[Ran]) -> String {
    let mut text = String::new();
    for scenario in ran {
        let word = if scenario.differs() { "differs" } else { "ok" };
        let _ = writeln!(text, "{word:<8}{}: {}", escape(&scenario.file), escape(&scenario.name));
        for step in scenario.steps.iter().filter(|step| !step.differences.is_empty()) {
            let _ = writeln!(text, "  line {}: {}", step.line, escape(&step.what));
            for difference in &step.differences {
                let _ = writeln!(text, "    {}", escape(difference));
            }
            for line in step.reason.lines() {
                let _ = writeln!(text, "    | {}", escape(line));
            }
        }
    }
    let steps: usize = ran.iter().map(|scenario| scenario.steps.len()).sum();
    let differ = ran.iter().filter(|scenario| scenario.differs()).count();
    let (all, steps) = (counted(ran.len(), "scenario"), counted(steps, "step"));
    let differ = match differ {
        1 => "1 scenario differs".into(),
        _ => format!("{differ} scenarios differ"),
    };
    let _ = writeln!(text, "{all}, {steps}: {differ}");
    text
}

fn junit(ran: &[Ran]) -> String {
    let differ = ran.iter().filter(|scenario| scenario.differs()).count();
    let counts =
        format!("name=\"tsl-synth policy test\" tests=\"{}\" failures=\"{differ}\" errors=\"0\"", ran.len());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite {counts}>\n"
    );
    for scenario in ran {
        let _ = write!(
            text,
            "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\"",
            attribute(&scenario.name),
            attribute(&scenario.file.replace(['/', '\\'], ".")),
            attribute(&scenario.file)
        );
        let steps: Vec<&StepReport> =
            scenario.steps.iter().filter(|step| !step.differences.is_empty()).collect();
        let Some(first) = steps.first() else {
            text.push_str("/>\n");
            continue;
        };
        let mut body = String::new();
        for step in &steps {
            let _ = writeln!(body, "line {}: {}: {}", step.line, step.what, step.differences.join("; "));
            let _ = writeln!(body, "{}", step.reason);
        }
        let _ = write!(
            text,
            ">\n      <failure type=\"verdict\" message=\"line {}: {}\">{}</failure>\n    </testcase>\n",
            first.line,
            attribute(&first.differences.join("; ")),
            content(&body)
        );
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// Runs `policy record`.
pub(super) fn record(args: &RecordArgs) -> Exit {
    let done = recorded(&args.journal).and_then(|text| output::deliver(args.output.as_deref(), &text));
    done.map_or_else(|error| output::error(&error), |()| Exit::Yes)
}

fn recorded(journal: &Path) -> Result<String> {
    let name = journal.display().to_string();
    let bytes = std::fs::read(journal).with_context(|| format!("cannot read `{name}`"))?;
    let records =
        parse(&bytes, &JournalEnd::default()).with_context(|| format!("`{name}` is no journal"))?.records;
    let header = records.iter().find(|record| record.kind == "journal");
    let header: Option<serde_json::Value> = header.and_then(|header| serde_json::from_str(&header.data).ok());
    let session = header.and_then(|header| header["session"].as_str().map(str::to_owned));
    let session = session.unwrap_or_else(|| "a recorded session".to_owned());
    scenario_of(&records, &escape_lines(&session)).map_err(anyhow::Error::msg)
}
