//! `explain RECORD --turn N`: which evaluations in which turns made an agent choose what it chose.

use super::args::ExplainArgs;
use crate::adapters::{Adapters, WithSources};
use crate::agent::{load_story, recorded};
use crate::exit::Exit;
use crate::flags::{EmitFormat, InputArgs};
use crate::output;
use crate::terminal::escape_lines;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tsl_synth_documents::CauseVerdict;
use tsl_synth_service::ChoiceReport;

/// Runs the verb.
pub(crate) fn run(args: &ExplainArgs, path: &Path) -> Exit {
    let (record, _) = match recorded::read(path) {
        Ok(read) => read,
        Err(error) => return output::error(&error),
    };
    if record.header.behavior.is_some() {
        return output::wrong(
            "this is the record of a behavior: `explain` is about the choices of controllers",
        );
    }
    if record.header.actor.is_some() {
        return output::wrong(
            "this is the record of an actor: its steps say by which laws actions were refused",
        );
    }
    let last = record.turns.iter().rev().find(|turn| !turn.held).map(|turn| turn.number);
    let Some(turn) = args.turn.or(last) else {
        return output::wrong("the record has no turn in which something was chosen");
    };
    let specs: Vec<PathBuf> = match &args.spec {
        Some(spec) => vec![spec.clone()],
        None => recorded::specs(&record, path),
    };
    let input = InputArgs { specs, dialect: args.dialect, ..InputArgs::default() };
    let adapters = Adapters::new(&args.engine, &args.output, args.import_root.as_ref());
    let request = load_story(&adapters, &input, recorded::prompts(&record, path).as_ref());
    let effect = args.effect.first().cloned();
    let asked = adapters.ask(move |session| {
        let loaded = session.story(&request)?;
        session.explain_choice(&loaded, &request.spec, &record, turn, effect.as_deref())
    });
    let WithSources { answer, sources } = match asked.or_exit() {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let report = match answer {
        Ok(report) => report,
        Err(failure) => return adapters.failed(&failure, &sources),
    };
    let text = match args.format {
        EmitFormat::Text => escape_lines(&render(&report)),
        EmitFormat::Json => output::json(&report.document()),
    };
    match output::deliver(args.output.output.as_deref(), &text) {
        Ok(()) => match report.cause.document.verdict {
            CauseVerdict::Cause | CauseVerdict::Inevitable => Exit::Yes,
            CauseVerdict::NoEffect | CauseVerdict::NoCause => Exit::No,
            CauseVerdict::BadTrace => Exit::Wrong,
        },
        Err(error) => output::error(&error),
    }
}

fn render(report: &ChoiceReport) -> String {
    let document = &report.cause.document;
    let turn_of = |step: usize| report.steps.get(step).map_or_else(|| "?".into(), u32::to_string);
    let event = |step: usize, input: &str, holds: bool| {
        format!("`{input}` {} in turn {}", if holds { "held" } else { "did not hold" }, turn_of(step))
    };
    let turn = report.turn;
    let mut text = match document.verdict {
        CauseVerdict::Cause => format!("In turn {turn} the controller chose {}, because\n", report.effect),
        CauseVerdict::Inevitable => {
            format!(
                "In turn {turn} the controller chose {}, whatever holds: no evaluation could have changed that.\n",
                report.effect
            )
        }
        _ => format!("Turn {turn}: {}\n", document.sentence),
    };
    if let Some(first) = report.restarted.filter(|first| *first > 0) {
        let _ =
            writeln!(text, "  (what was before turn {first} does not count: the controller restarted there)");
    }
    for necessary in &document.necessary {
        for &step in &necessary.steps.prefix {
            let _ = writeln!(text, "  - {}", event(step, &necessary.input, necessary.value));
        }
    }
    for alternatives in &document.alternatives {
        let events: Vec<String> =
            alternatives.iter().map(|found| event(found.step, &found.input, found.actual)).collect();
        let _ = writeln!(text, "  - {}", events.join(", or "));
    }
    if let Some(counterfactual) = &document.counterfactual {
        let flips: Vec<String> = counterfactual
            .flips
            .iter()
            .map(|flip| {
                let how = if flip.actual { "not held" } else { "held" };
                format!("`{}` had {how} in turn {}", flip.input, turn_of(flip.step))
            })
            .collect();
        let _ = writeln!(text, "If {}, it would have chosen something else.", flips.join(" and "));
    }
    text
}
