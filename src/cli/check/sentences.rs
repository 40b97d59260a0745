//! `check POLICY --from-nl`: translates sentences into laws over the names of a policy. Exit code 0 if every sentence
//! is translated.

use crate::adapters::Adapters;
use crate::check::args::CheckArgs;
use crate::exit::Exit;
use crate::flags::OutputFormat;
use crate::oracles::{self, Access};
use crate::{output, terminal};
use anyhow::Context;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_agents::NoLog;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::{Input, SentencesReport, SentencesRequest};

/// Runs `check --from-nl`.
pub(super) fn run(args: &CheckArgs, policy: &Path) -> Exit {
    let format = args.given_format.unwrap_or_default();
    if !matches!(format, OutputFormat::Text | OutputFormat::Json) {
        return output::wrong("with `--from-nl` there is `--format text` and `--format json`");
    }
    let texts = match args.from_nl.iter().map(|text| read(text)).collect::<anyhow::Result<Vec<String>>>() {
        Ok(texts) => texts,
        Err(error) => return output::error(&error),
    };
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut request = SentencesRequest::new(Input::File(policy.to_path_buf()), texts);
    request.attempts = args.access.attempts;
    let access = Access::new(&args.access, args.engine.seed, terminal::wants_color(args.output.color));
    let oracle = args.oracle.clone();
    let asked = oracles::ask(&adapters, oracle, access, move |session, oracle| {
        session.sentences(&request, oracle, &mut NoLog)
    });
    let (report, sources) = match asked {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let text = if format == OutputFormat::Json {
        output::json(&report.document(&sources))
    } else {
        adapters.show(&report.diagnostics, Severity::Note, &sources);
        text(&report)
    };
    let exit = if report.is_whole() { Exit::Yes } else { Exit::Wrong };
    let delivered = output::deliver(args.output.output.as_deref(), &text);
    delivered.map_or_else(|error| output::error(&error), |()| exit)
}

/// The contents of the file of this name, or the text itself if there is no such file.
fn read(text: &str) -> anyhow::Result<String> {
    let path = Path::new(text);
    if path.is_file() {
        std::fs::read_to_string(path)
            .with_context(|| format!("cannot read `{}`", terminal::escape(&path.display().to_string())))
    } else {
        Ok(text.to_string())
    }
}

fn text(report: &SentencesReport) -> String {
    let mut text = String::new();
    for law in &report.laws {
        let _ = writeln!(text, "{}: {}", law.id, terminal::escape(&law.sentence));
        if law.ltl.is_empty() {
            text += "  not translated\n";
            continue;
        }
        let _ = writeln!(text, "  formula: {}", terminal::escape(&law.ltl));
        let _ = writeln!(text, "  means:   {}", terminal::escape(&law.means));
        for register in &law.registers {
            let on = register.on.to_string();
            let _ = writeln!(
                text,
                "  needs:   a `[[count]]` named `{}` of `{}`, above {}",
                terminal::escape(&register.name),
                terminal::escape(&on),
                register.above
            );
        }
        for note in &law.notes {
            let _ = writeln!(text, "  note:    {}", terminal::escape(note));
        }
    }
    text
}
