//! `policy ask`: whether the laws permit or require something.

use crate::adapters::Adapters;
use crate::exit::Exit;
use crate::flags::{EngineArgs, OutputArgs, OutputFormat};
use crate::output;
use crate::policy_file::is_policy;
use crate::terminal::escape;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::PolicyAskDocument;
use tsl_synth_service::{AskRequest, Input};

/// `policy ask`
#[derive(Args, Debug)]
#[command(
    after_help = "`may` asks whether some session does it and keeps the laws, if the world plays along; `must` and sentences \
                  ask whether every session that keeps the laws does it. Exit codes: 0 yes, 1 no, 2 wrong input or \
                  call, 3 unknown.\n\nExamples:\n  tsl-synth policy ask policy.toml \"may I ship before payment?\"\n  \
                  tsl-synth policy ask policy.toml \"must I run the tests before I push?\"\n  tsl-synth policy ask \
                  policy.toml --ltl 'G (ship -> O pay.ok)'"
)]
pub(crate) struct AskArgs {
    /// The policy: TOML, JSON of the same shape, or a JSON list of laws
    policy: PathBuf,
    /// The question
    #[arg(required_unless_present = "ltl", conflicts_with = "ltl")]
    question: Option<String>,
    /// Does this formula hold in every session that keeps the laws?
    #[arg(long, value_name = "LTL")]
    ltl: Option<String>,
    /// Form of the answer: text or json
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: OutputFormat,
    #[command(flatten)]
    engine: EngineArgs,
    /// Colors
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    color: crate::flags::ColorChoice,
}

/// Runs the verb.
pub(crate) fn run(args: AskArgs) -> Exit {
    if !matches!(args.format, OutputFormat::Text | OutputFormat::Json) {
        return output::wrong("`policy ask` has `--format text` and `--format json`");
    }
    if !is_policy(&args.policy) {
        let shown = escape(&args.policy.to_string_lossy());
        return output::wrong(&format!("`{shown}` is no policy (TOML, or JSON with the key `policy`)"));
    }
    let shown = OutputArgs { color: args.color, ..OutputArgs::default() };
    let adapters = Adapters::new(&args.engine, &shown, None);
    let is_formula = args.ltl.is_some();
    let question = args.ltl.or(args.question).unwrap_or_default();
    let mut request = AskRequest::new(Input::File(args.policy), question);
    request.is_formula = is_formula;
    let (report, sources) = match adapters.report(move |session| session.ask_policy(&request)) {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    adapters.show(&report.diagnostics, Severity::Warning, &sources);
    let document = &report.document;
    let is_json = args.format == OutputFormat::Json;
    let text = if is_json { output::json(document) } else { text(document) };
    match output::deliver(None, &text) {
        Ok(()) => match document.answer.as_str() {
            "yes" => Exit::Yes,
            "no" => Exit::No,
            _ => Exit::Unknown,
        },
        Err(error) => output::error(&error),
    }
}

fn text(document: &PolicyAskDocument) -> String {
    let list = |names: &[String]| {
        names.iter().map(|name| format!("`{}`", escape(name))).collect::<Vec<_>>().join(", ")
    };
    let because = |names: &[String]| match names {
        [] => "whatever the laws say".to_owned(),
        names => format!("by {}", list(names)),
    };
    let same = match document.same_values.as_slice() {
        [] => String::new(),
        names => format!(", for calls with the same {}", list(names)),
    };
    let mut text = String::new();
    let (laws, is_may) = (&document.laws, document.kind == "may");
    let _ = match (document.answer.as_str(), is_may) {
        ("yes", true) if !document.approval.is_empty() => {
            writeln!(text, "YES, if a person approves: {}", list(&document.approval))
        }
        ("yes", true) => writeln!(text, "YES"),
        ("no", true) => writeln!(text, "NO, {}{same}", because(laws)),
        ("yes", false) if !document.approval.is_empty() => {
            let others: Vec<String> =
                laws.iter().filter(|law| !document.approval.contains(law)).cloned().collect();
            let by = if others.is_empty() { String::new() } else { format!(" {},", because(&others)) };
            writeln!(text, "YES,{by} unless a person approves: {}{same}", list(&document.approval))
        }
        ("yes", false) => writeln!(text, "YES, {}{same}", because(laws)),
        ("no", false) => writeln!(text, "NO"),
        _ => {
            let reason = document.reason.as_deref().unwrap_or("it could not be decided");
            let laws = if laws.is_empty() { String::new() } else { format!(": {}", list(laws)) };
            writeln!(text, "UNKNOWN: {}{laws}", escape(reason))
        }
    };
    if !document.soft.is_empty() {
        let _ = writeln!(text, "  soft laws speak against it: {}", list(&document.soft));
    }
    let asked = if is_may { "does some session violate this?" } else { "does every session keep this?" };
    let _ = writeln!(text, "  asked: {asked} {}", escape(&document.means));
    if !document.session.is_empty() {
        let _ = writeln!(
            text,
            "  a session that {} and keeps the laws:",
            if is_may { "does it" } else { "does not" }
        );
        for (number, letter) in (1..).zip(&document.session) {
            let names: Vec<String> = letter.iter().map(|name| escape(name)).collect();
            let names = if names.is_empty() { "(nothing)".to_owned() } else { names.join(" & ") };
            let _ = writeln!(text, "    {number}. {names}");
        }
    }
    text
}
