//! `policy try`: for each call the simple commands that the gate finds, the tables that match each, and the verdict.

use crate::adapters::Adapters;
use crate::exit::Exit;
use crate::flags::{EngineArgs, OutputArgs, OutputFormat};
use crate::output;
use crate::terminal::escape;
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::{NearMiss, TriedCallDocument, TriedCommand, TriedTable, TryDocument};
use tsl_synth_service::{Input, TryRequest};
use tsl_synth_stores::{surroundings, surroundings_in};

/// `policy try`
#[derive(Args, Debug)]
#[command(
    after_help = "No call is made; probes of the policy are run. What a command does is read from its text \
                  alone, as `shield` reads it; `…` stands for what is known only when it runs. Exit codes: 0 each call is allowed, 1 some call is refused or asked \
                  about, 2 wrong input or call, 3 a limit.\n\nExamples:\n  tsl-synth policy try policy.toml 'cd x && \
                  git push'\n  tsl-synth policy try policy.toml --in-order 'cargo test' 'git push'\n  tsl-synth policy \
                  try policy.toml '{\"tool\": \"Edit\", \"arguments\": {\"file_path\": \"a.rs\"}}'"
)]
pub(crate) struct TryArgs {
    /// The policy: TOML, JSON of the same shape, or a JSON list of laws
    policy: PathBuf,
    /// Shell commands, each as one argument, or calls as JSON: `{"tool": "..", "arguments": {..}}`
    #[arg(value_name = "CALL", required = true)]
    calls: Vec<String>,
    /// The tool that shell commands are for [default: one that the policy names]
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// One session: each call that is allowed succeeds before the next one
    #[arg(long)]
    in_order: bool,
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
pub(crate) fn run(args: TryArgs) -> Exit {
    if !matches!(args.format, OutputFormat::Text | OutputFormat::Json) {
        return output::wrong("`policy try` has `--format text` and `--format json`");
    }
    let shown = OutputArgs { color: args.color, ..OutputArgs::default() };
    let adapters = Adapters::new(&args.engine, &shown, None);
    let mut request = TryRequest::new(Input::File(args.policy), args.calls);
    (request.tool, request.in_order) = (args.tool, args.in_order);
    request.around = surroundings_in(Path::new(".")).unwrap_or_else(|_| surroundings());
    let (report, sources) = match adapters.report(move |session| session.try_policy(&request)) {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    adapters.show(&report.diagnostics, Severity::Warning, &sources);
    let document = &report.document;
    let is_json = args.format == OutputFormat::Json;
    let text = if is_json { output::json(document) } else { text(document) };
    match output::deliver(None, &text) {
        Ok(()) if document.calls.iter().all(|call| ["allow", "warn"].contains(&&*call.verdict)) => Exit::Yes,
        Ok(()) => Exit::No,
        Err(error) => output::error(&error),
    }
}

fn text(document: &TryDocument) -> String {
    let mut text = String::new();
    for (i, call) in document.calls.iter().enumerate() {
        text.push_str(if i == 0 { "" } else { "\n" });
        add_call(&mut text, call);
    }
    text
}

fn add_call(text: &mut String, call: &TriedCallDocument) {
    let first = call.call.lines().next().unwrap_or_default();
    let more = if call.call.lines().count() > 1 { " …" } else { "" };
    let by = if call.by.is_empty() { String::new() } else { format!(" by {}", call.by.join(", ")) };
    let _ = writeln!(text, "{}{}: {}{more}", call.verdict.to_uppercase(), escape(&by), escape(first));
    for table in &call.tables {
        let _ = writeln!(text, "  the call is {}", table_text(table));
    }
    for command in &call.commands {
        add_command(text, command);
    }
    for line in call.reason.lines() {
        let _ = writeln!(text, "  {}", escape(line));
    }
}

fn add_command(text: &mut String, command: &TriedCommand) {
    let words: Vec<String> = command.words.iter().map(|words| format!("`{}`", escape(words))).collect();
    let words = if words.is_empty() { "a command".into() } else { words.join(", which runs ") };
    let mut said: Vec<String> = command
        .tables
        .iter()
        .map(|table| format!("{} {}", if table.is_certain { "is" } else { "may be" }, table_text(table)))
        .collect();
    if let Some(why) = &command.unreadable {
        said.push(format!("may be any command ({})", escape(why)));
    }
    if said.is_empty() {
        said.push("is in no table".into());
    }
    let _ = writeln!(text, "  {words} {}", said.join("; "));
    for NearMiss { line, names, between } in &command.near {
        let (names, between, place) = (escape(&names.join(", ")), escape(between), place(*line));
        let _ = writeln!(text, "    not {names} ({place}): `{between}` stands where its pattern has no word");
    }
}

fn table_text(table: &TriedTable) -> String {
    format!("{} ({})", escape(&table.names.join(", ")), place(table.line))
}

fn place(line: Option<u32>) -> String {
    line.map_or_else(|| "vocabulary".into(), |line| format!("line {line}"))
}
