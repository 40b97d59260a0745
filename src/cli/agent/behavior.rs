//! `agent FILE.agent`: a behavior run with a model and a world.

use super::{RunArgs, open_oracle};
use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::oracles::Access;
use crate::output;
use crate::terminal::{eprint, escape, escape_lines, print};
use anyhow::Result;
use std::path::Path;
use tsl_synth_agents::SimWorld;
use tsl_synth_agents::behavior::{Author, BehaviorStep, Entered, Force, OnIllegalState, RunEnd, RunOutcome};
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::{BehaviorRunDocument, Record};
use tsl_synth_service::{BehaviorRun, Input, is_stdin, replay_behavior, run_behavior};

/// Whether a file holds a behavior, by its ending.
pub(crate) fn is_behavior(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "agent")
}

/// The behavior of a file.
fn load(
    args: &RunArgs,
    adapters: &Adapters,
    path: &Path,
    max_loops: Option<u32>,
) -> Result<BehaviorRun, Exit> {
    let input = Input::File(path.to_path_buf());
    let WithSources { answer, sources } =
        adapters.ask(move |session| session.behavior(&input, max_loops)).or_exit()?;
    let (behavior, diagnostics) = answer.map_err(|failure| adapters.failed(&failure, &sources))?;
    adapters.show(&diagnostics, Severity::Warning, &sources);
    let text = sources.iter().next().map(|(_, source)| source.text.clone()).unwrap_or_default();
    let mut run = BehaviorRun::new(behavior, text, args.task.clone().unwrap_or_default());
    run.max_loops = max_loops;
    run.options.repair = match args.repair {
        0 => OnIllegalState::Force,
        attempts => OnIllegalState::Prefix { attempts },
    };
    run.options.force = if args.choose_forced { Force::Choose } else { Force::First };
    run.options.most_states = args.most_states.unwrap_or(run.options.most_states);
    if args.oracles.access.decoding.is_some() {
        return run.under_grammars().map_err(|failure| adapters.failed(&failure, &sources));
    }
    Ok(run)
}

/// Runs the verb.
pub(crate) fn play(args: &RunArgs, path: &Path) -> Exit {
    for (given, flag) in [
        (args.regenerate > 0, "--regenerate"),
        (args.prompts.is_some(), "--prompts"),
        (args.turns.is_some(), "--turns"),
        (args.on_broken_assumption.is_some(), "--on-broken-assumption"),
    ] {
        if given {
            return output::wrong(&format!(
                "`{flag}` is about specifications in TSL, and this is a behavior"
            ));
        }
    }
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let run = match load(args, &adapters, path, args.max_loops) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    match perform(args, &run) {
        Ok(outcome) => exit_of(&outcome),
        Err(error) => output::error(&error),
    }
}

fn perform(args: &RunArgs, run: &BehaviorRun) -> Result<RunOutcome> {
    let seed = args.engine.seed.unwrap_or(0);
    let color = crate::terminal::wants_color(args.output.color);
    let access = Access::new(&args.oracles.access, args.engine.seed, color);
    let mut ports = args.oracles.ports(&|text| open_oracle(text, SimWorld::default(), seed, &access))?;
    let mut header = run.header(super::spec_names(args), args.oracles.access.attempts, seed);
    header.oracles = args.oracles.named();
    let silent = args.record.as_deref().is_some_and(is_stdin);
    let _ = print(&if silent { String::new() } else { with_line_end(&run.task) });
    let mut heard = |step: &BehaviorStep| {
        if !silent {
            print_step(step, args.output.quiet);
        }
    };
    let outcome = super::with_record(args.record.as_deref(), |write| {
        run_behavior(run, ports.oracles(), header, &mut heard, write)
    });
    ports.report_usage(args.output.quiet);
    outcome
}

fn with_line_end(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{}\n", escape_lines(text.trim_end())) }
}

/// Prints a state with its text; changes to the text of the model are reported on standard error.
fn print_step(step: &BehaviorStep, quiet: bool) {
    let text = format!("{}{}", step.prompt, step.text);
    let _ = print(&with_line_end(&text));
    if quiet {
        return;
    }
    if step.entered == Entered::Forced {
        eprint(&format!("  ({}: entered by the automaton, the model did not)\n", escape(&step.name)));
    }
    if step.author == Author::Constraint {
        eprint(&format!("  ({}: the model produced none of the allowed texts)\n", escape(&step.name)));
    }
    if step.removed.is_some() {
        eprint(&format!("  ({}: a prompt that may not come after it was removed)\n", escape(&step.name)));
    }
}

fn exit_of(outcome: &RunOutcome) -> Exit {
    match &outcome.end {
        RunEnd::Final => Exit::Yes,
        RunEnd::Limit => {
            eprint(&format!(
                "it was ended after {} states: `--most-states` allows more\n",
                outcome.steps.len()
            ));
            Exit::No
        }
        RunEnd::Stopped(stop) if stop.is_end() => {
            eprint(&format!("it ended: {}\n", escape(&stop.to_string())));
            Exit::Yes
        }
        RunEnd::Stopped(stop) => {
            eprint(&format!("it stopped: {}\n", escape_lines(&stop.to_string())));
            Exit::No
        }
        RunEnd::DeadEnd => output::internal("a valid behavior has a dead end"),
    }
}

/// Plays a record again.
pub(crate) fn replay(
    args: &RunArgs,
    path: &Path,
    record: &Record,
    text: &str,
    document: &BehaviorRunDocument,
) -> Exit {
    let named =
        args.input.specs.first().cloned().or_else(|| super::recorded::specs(record, path).into_iter().next());
    let Some(file) = named else { return output::wrong("the record names no behavior") };
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let run = match load(args, &adapters, &file, document.max_loops) {
        Ok(run) => run.with(document),
        Err(exit) => return exit,
    };
    let run = if document.decoding.is_some() {
        match run.under_grammars() {
            Ok(run) => run,
            Err(failure) => return adapters.failed(&failure, &tsl_synth_core::source::SourceMap::new()),
        }
    } else {
        run
    };
    let mut again = String::new();
    let quiet = args.output.quiet;
    let mut heard = |step: &BehaviorStep| {
        if !quiet {
            print_step(step, true);
        }
    };
    replay_behavior(&run, record, &mut heard, &mut |line| again.push_str(line));
    super::recorded::compared(&again, text)
}
