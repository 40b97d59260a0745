//! `diff`: are two machines, or two specifications, equivalent?

use crate::adapters::{Adapters, WithSources, not_stopped};
use crate::exit::Exit;
use crate::flags::{EmitFormat, EngineArgs, InputArgs, OutputArgs};
use crate::output;
use crate::simulate::{trace_json, trace_path};
use crate::supervise::WorkEnd;
use crate::terminal::{escape, escape_lines};
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tsl_synth_core::base::counted;
use tsl_synth_core::diag::Severity;
use tsl_synth_core::logic::Player;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::DiffVerdict;
use tsl_synth_service::{
    DiffAnswer, DiffReport, DiffRequest, DistinguishingWord, MachineDifference, SpecLanguage, SpecRequest,
};

/// `diff`
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// Of two machines compare only the outputs that both have
    #[arg(long)]
    pub(crate) common: bool,
    /// Write the play of the left machine, or the word that tells the specifications apart, for `simulate` and `explain`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: EmitFormat,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Runs the verb.
pub(crate) fn run(args: &DiffArgs) -> Exit {
    let Some([left, right]) = sides(&args.input) else {
        return output::wrong("there are not two things to compare: `tsl-synth diff LEFT RIGHT`");
    };
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let names = [left.name(), right.name()];
    let mut request = DiffRequest::new(left, right);
    request.common = args.common;
    request.solver = adapters.settings.solver();
    let (answer, sources) = match adapters.ask(move |session| session.diff(&request)) {
        WorkEnd::Done(WithSources { answer, sources }) => (answer, sources),
        WorkEnd::Abandoned(kind, _) => {
            let [left, right] = names.clone();
            (Ok(DiffReport::unknown(left, right, not_stopped(kind))), SourceMap::new())
        }
        WorkEnd::Panicked(message) => return output::internal(&message),
    };
    let (text, exit) = match (&answer, args.format) {
        (Ok(report), format) => {
            let exit = match report.verdict() {
                DiffVerdict::Equivalent => Exit::Yes,
                DiffVerdict::Different => Exit::No,
                DiffVerdict::Unknown => Exit::Unknown,
            };
            let text = match format {
                EmitFormat::Text => {
                    adapters.show(&report.diagnostics, Severity::Warning, &sources);
                    rendered(report)
                }
                EmitFormat::Json => output::json(&report.document(&sources)),
            };
            (text, exit)
        }
        (Err(failure), EmitFormat::Text) => (String::new(), adapters.failed(failure, &sources)),
        (Err(failure), EmitFormat::Json) => {
            let exit = if failure.is_of_input() { Exit::Wrong } else { adapters.failed(failure, &sources) };
            (output::json(&failure.diff_document(&names[0], &names[1], &sources)), exit)
        }
    };
    let written = match (&args.trace, &answer) {
        (Some(path), Ok(report)) => write_trace(path, report),
        _ => Ok(()),
    };
    match written.and_then(|()| output::deliver(args.output.output.as_deref(), &text)) {
        Ok(()) => exit,
        Err(error) => output::error(&error).worst(exit),
    }
}

/// The two specifications or machines: files, then formulas.
fn sides(input: &InputArgs) -> Option<[SpecRequest; 2]> {
    let plain = InputArgs { specs: Vec::new(), formula: Vec::new(), ..input.clone() };
    let is_ltl = |path: &Path| {
        let language = SpecLanguage::of_ending(path).or(plain.spec().language);
        language.is_none_or(|language| language == SpecLanguage::Ltl)
    };
    let mut all: Vec<SpecRequest> = Vec::new();
    for path in &input.specs {
        let mut spec = plain.spec_of(vec![path.clone()]);
        // Flags for one language do not apply to a file in another one.
        if !is_ltl(path) {
            (spec.ins, spec.outs) = (Vec::new(), Vec::new());
        }
        if SpecLanguage::of_ending(path).is_some_and(|language| language != SpecLanguage::Tlsf) {
            spec.parameters.clear();
        }
        all.push(spec);
    }
    for formula in &input.formula {
        let mut spec = plain.spec();
        spec.formulas = vec![formula.clone()];
        if spec.ins.is_empty() && spec.outs.is_empty() {
            // The language of a formula does not depend on which atoms are inputs.
            spec.ins = vec!["/.*/".into()];
        }
        spec.parameters.clear();
        all.push(spec);
    }
    all.try_into().ok()
}

fn write_trace(path: &Path, report: &DiffReport) -> anyhow::Result<()> {
    let trace = match &report.answer {
        DiffAnswer::Machines { difference: Some(found), .. } => Some(found.plays[0].clone()),
        DiffAnswer::Specifications { words, .. } => {
            words.iter().flatten().next().map(|word| word.document.trace.clone())
        }
        _ => None,
    };
    let Some(mut trace) = trace else { return Ok(()) };
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    trace.machine = trace.machine.map(|machine| trace_path(&folder, Path::new(&machine)));
    output::write_file(path, trace_json(&trace).as_bytes())
}

/// The answer as text: the verdict, its reason, notes, and the traces or words that distinguish the two.
fn rendered(report: &DiffReport) -> String {
    let verdict = match report.verdict() {
        DiffVerdict::Equivalent => "EQUIVALENT",
        DiffVerdict::Different => "DIFFERENT",
        DiffVerdict::Unknown => "UNKNOWN",
    };
    let mut text = format!("{verdict}\n{}\n", escape_lines(&report.reason()));
    for note in &report.notes {
        let _ = writeln!(text, "({})", escape(note));
    }
    match &report.answer {
        DiffAnswer::Machines { owner, pairs, difference } => match difference {
            Some(found) => machines(*owner, found, &mut text),
            None => {
                let _ = writeln!(text, "checked: {} of states", counted(*pairs, "pair"));
            }
        },
        DiffAnswer::Specifications { words, unknown, questions } => {
            let names = [&report.left, &report.right];
            for (i, word) in words.iter().enumerate() {
                if let Some(word) = word {
                    distinguishing(word, names[i], names[1 - i], &mut text);
                }
            }
            if unknown.iter().all(Option::is_none) && words.iter().all(Option::is_none) {
                let _ = writeln!(
                    text,
                    "certified by two translations of each clause: {}",
                    counted(*questions, "question")
                );
            }
        }
        _ => {}
    }
    text
}

/// A table with these headings, after a first column with the numbers of the steps.
fn table(heads: &[&str], rows: &[Vec<String>], text: &mut String) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |first: &str, cells: &mut dyn Iterator<Item = &str>| {
        let mut line = format!("  {first:<4}");
        for (cell, width) in cells.zip(&widths) {
            let _ = write!(line, "  {cell:width$}");
        }
        format!("{}\n", line.trim_end())
    };
    text.push_str(&line("step", &mut heads.iter().copied()));
    for (i, row) in rows.iter().enumerate() {
        text.push_str(&line(&i.to_string(), &mut row.iter().map(String::as_str)));
    }
}

fn machines(owner: Player, found: &MachineDifference, text: &mut String) {
    let words = |words: &Vec<String>| escape(&words.join(", "));
    let rows: Vec<Vec<String>> = found
        .steps
        .iter()
        .map(|step| vec![words(&step.given), words(&step.answers[0]), words(&step.answers[1])])
        .collect();
    let gives = match owner {
        Player::System => "the environment gives",
        Player::Environment => "the system gives",
    };
    text.push('\n');
    table(&[gives, "left answers", "right answers"], &rows, text);
    let names: Vec<&str> = found.atoms.iter().map(|(name, _)| name.as_str()).collect();
    let _ = writeln!(text, "They differ in {}.", escape(&names.join(", ")));
}

fn distinguishing(word: &DistinguishingWord, has: &str, lacks: &str, text: &mut String) {
    let _ = writeln!(text, "\nA word of `{}` that is none of `{}`:", escape(has), escape(lacks));
    let words = |words: &Vec<String>| escape(&words.join(", "));
    let rows: Vec<Vec<String>> =
        word.steps.iter().map(|[inputs, outputs]| vec![words(inputs), words(outputs)]).collect();
    table(&["inputs", "outputs"], &rows, text);
    let last = word.steps.len() - 1;
    let _ = match last - word.back {
        0 => writeln!(text, "  and step {} repeats for ever", word.back),
        _ => writeln!(text, "  and steps {} to {last} repeat for ever", word.back),
    };
    let _ = match &word.clause {
        Some(clause) => {
            writeln!(text, "`{}` has the clause `{}`, which fails on it.", escape(lacks), escape(clause))
        }
        None => writeln!(text, "`{}` does not have one of its updates.", escape(lacks)),
    };
}
