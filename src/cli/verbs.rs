//! `explain`, which runs the module for its argument, and the verbs that compute nothing: schemas, completions, the
//! manual page.

use crate::args::{Cli, CompletionsArgs, ExplainArgs, ManArgs, SchemaArgs, SchemaName};
use crate::exit::Exit;
use crate::output;
use clap::CommandFactory;
use std::path::Path;
use tsl_synth_core::diag::{Code, all_codes, explanation};
use tsl_synth_documents::machine::MachineDocument;
use tsl_synth_documents::policy_file::policy_schema;
use tsl_synth_documents::view::View;
use tsl_synth_documents::{
    AnswerDocument, BaselineDocument, CauseDocument, CausesDocument, CheckDocument, CriticDocument,
    DiffDocument, EmitDocument, ExplainDocument, PlanDocument, PolicyCheckDocument, PolicySentencesDocument,
    RequestDocument, ScriptedDocument, TraceDocument, VerifyDocument,
};
use tsl_synth_service::patterns_document;

/// Reads a diagnostic code, such as `TSL0123` or `tsl123`.
pub(crate) fn parse_code(text: &str) -> Option<Code> {
    let digits = text.get(..3).filter(|head| head.eq_ignore_ascii_case("tsl")).and_then(|_| text.get(3..))?;
    let all_digits = !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit());
    all_digits.then(|| digits.parse().ok().map(Code)).flatten()
}

/// Prints a text.
fn print(text: &str) -> Exit {
    match output::deliver(None, text) {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

/// An option of `explain` that does not apply: one for traces if a specification is explained, or the other way round.
fn stray(args: &ExplainArgs, spec: bool) -> Option<&'static str> {
    let of_traces = [
        ("--effect", !args.effect.is_empty()),
        ("--machine", args.machine.is_some()),
        ("--spec", args.spec.is_some()),
        ("--trace", args.trace.is_some()),
        ("--hypothesis", args.hypothesis.is_some()),
        ("--assume", !args.assume.is_empty()),
        ("--respect-assumptions", args.respect_assumptions),
        ("--contingencies", args.contingencies),
        ("--limit-assumption", args.limit_assumption),
        ("--default-false", args.default_false),
        ("--automaton", args.automaton.is_some()),
        ("--svg", args.svg.is_some()),
    ];
    let of_specs = [("--all-cores", args.all_cores.is_some()), ("--lang", args.lang.is_some())];
    let given = if spec { of_traces.as_slice() } else { of_specs.as_slice() };
    given.iter().find(|(_, given)| *given).map(|&(name, _)| name)
}

/// `explain`, by the kind of its argument: a code, the record of an agent, a policy, the journal of a gate, a
/// specification, else a trace.
pub(crate) fn explain(args: ExplainArgs) -> Exit {
    if let [only] = args.what.as_slice()
        && let Some(code) = parse_code(only)
    {
        return explain_code(code);
    }
    if let [only] = args.what.as_slice()
        && (args.turn.is_some() || crate::agent::choice::is_record(Path::new(only)))
    {
        return crate::agent::choice::run(&args, Path::new(only));
    }
    if let [only] = args.what.as_slice()
        && crate::policy_file::is_policy(Path::new(only))
    {
        return crate::explain_policy::run(&args, Path::new(only));
    }
    if let [only] = args.what.as_slice()
        && (args.step.is_some() || crate::shield::explain::is_journal(Path::new(only)))
    {
        return crate::shield::explain::run(&args, Path::new(only));
    }
    if args.turn.is_some() {
        return output::wrong(
            "`--turn` is about the record of an agent: name the file that `agent --record` wrote",
        );
    }
    let names_spec = |what: &String| {
        let ending = Path::new(what).extension().and_then(|e| e.to_str());
        matches!(ending, Some("tsl" | "ltl" | "tlsf"))
    };
    let spec = !args.formula.is_empty() || args.input_format.is_some() || args.what.iter().any(names_spec);
    if let Some(option) = stray(&args, spec) {
        let (asked, hint) = if spec {
            (
                "traces",
                "for a trace of its controller say `--spec SPEC --trace WORD`, or name what `simulate` wrote",
            )
        } else {
            ("specifications", "their files end in `.tsl`, `.ltl` or `.tlsf`")
        };
        return output::wrong(&format!("`{option}` is about {asked}: {hint}"));
    }
    if spec { crate::explain_spec::run(args) } else { crate::explain_trace::run(&args) }
}

/// `explain TSLnnnn`
fn explain_code(code: Code) -> Exit {
    if let Some(text) = explanation(code) {
        return print(&format!("{code}: {text}\n"));
    }
    let near = all_codes().min_by_key(|(other, _)| other.0.abs_diff(code.0));
    let near = near.map_or(String::new(), |(other, _)| format!("; the nearest is {other}"));
    output::wrong(&format!("there is no code {code}{near}"))
}

/// `schema NAME`
pub(crate) fn schema(args: &SchemaArgs) -> Exit {
    match args.name {
        SchemaName::Answer => print(&output::json(&schemars::schema_for!(AnswerDocument))),
        SchemaName::Request => print(&output::json(&schemars::schema_for!(RequestDocument))),
        SchemaName::Script => print(&output::json(&schemars::schema_for!(ScriptedDocument))),
        SchemaName::Baseline => print(&output::json(&schemars::schema_for!(BaselineDocument))),
        SchemaName::Cause => print(&output::json(&schemars::schema_for!(CauseDocument))),
        SchemaName::Causes => print(&output::json(&schemars::schema_for!(CausesDocument))),
        SchemaName::Critic => print(&output::json(&schemars::schema_for!(CriticDocument))),
        SchemaName::Check => print(&output::json(&schemars::schema_for!(CheckDocument))),
        SchemaName::Machine => print(&output::json(&schemars::schema_for!(MachineDocument))),
        SchemaName::Template => print(&output::json(&schemars::schema_for!(View))),
        SchemaName::Plan => print(&output::json(&schemars::schema_for!(PlanDocument))),
        SchemaName::PolicyCheck => print(&output::json(&schemars::schema_for!(PolicyCheckDocument))),
        SchemaName::Pattern => print(&output::json(&patterns_document())),
        SchemaName::Policy => print(&output::json(&policy_schema())),
        SchemaName::Sentences => print(&output::json(&schemars::schema_for!(PolicySentencesDocument))),
        SchemaName::Trace => print(&output::json(&schemars::schema_for!(TraceDocument))),
        SchemaName::Explain => print(&output::json(&schemars::schema_for!(ExplainDocument))),
        SchemaName::Verify => print(&output::json(&schemars::schema_for!(VerifyDocument))),
        SchemaName::Diff => print(&output::json(&schemars::schema_for!(DiffDocument))),
        SchemaName::Emit => print(&output::json(&schemars::schema_for!(EmitDocument))),
    }
}

/// `completions SHELL`
pub(crate) fn completions(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tsl-synth", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// `man`
pub(crate) fn man(args: &ManArgs) -> Exit {
    let command = Cli::command();
    let page = |command: clap::Command| {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map(|()| String::from_utf8_lossy(&page).into_owned())
    };
    let Some(folder) = &args.output else {
        return page(command).map_or_else(|e| output::internal(&e.to_string()), |text| print(&text));
    };
    let mut pages = vec![("tsl-synth.1".to_string(), command.clone())];
    for verb in command.get_subcommands() {
        let name = format!("tsl-synth-{}", verb.get_name());
        pages.push((
            format!("{name}.1"),
            verb.clone().display_name(name.clone()).bin_name(format!("tsl-synth {}", verb.get_name())),
        ));
    }
    if let Err(error) = crate::files::make_folder(folder) {
        return output::error(&error);
    }
    for (name, command) in pages {
        let written = page(command)
            .map_err(anyhow::Error::from)
            .and_then(|text| output::write_file(&folder.join(name), text.as_bytes()));
        if let Err(error) = written {
            return output::error(&error);
        }
    }
    Exit::Yes
}
