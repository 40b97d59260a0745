//! `explain`, by the kind of its argument.

pub(crate) mod args;
mod choice;
mod policy;
pub(crate) mod refusal;
pub(crate) mod spec;
mod trace;

use crate::exit::Exit;
use crate::files::is_fret;
use crate::output;
use args::ExplainArgs;
use std::path::Path;
use tsl_synth_core::diag::{Code, all_codes, explanation};
use tsl_synth_service::SpecLanguage;

/// An option of `explain` that does not apply: one for traces if a specification is explained, or the other way round.
fn stray(args: &ExplainArgs, spec: bool) -> Option<&'static str> {
    let of_traces = [
        ("--effect", !args.effect.is_empty()),
        ("--at", args.at.is_some()),
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
pub(crate) fn run(args: ExplainArgs) -> Exit {
    if let [only] = args.what.as_slice()
        && let Some(code) = crate::choices::parse_code(only)
    {
        return explain_code(code);
    }
    if let [only] = args.what.as_slice()
        && (args.turn.is_some() || crate::agent::recorded::is_record(Path::new(only)))
    {
        return choice::run(&args, Path::new(only));
    }
    // What is a play of a specification or a machine is no policy.
    let is_trace = args.spec.is_some() || args.machine.is_some();
    if let [only] = args.what.as_slice()
        && !is_trace
        && !is_fret(Path::new(only))
        && crate::policy_file::is_policy(Path::new(only))
    {
        return policy::run(&args, Path::new(only));
    }
    if let [only] = args.what.as_slice()
        && (args.step.is_some() || refusal::is_journal(Path::new(only)))
    {
        return refusal::run(&args, Path::new(only));
    }
    if args.turn.is_some() {
        return output::wrong(
            "`--turn` is about the record of an agent: name the file that `agent --record` wrote",
        );
    }
    let names_spec = |what: &String| {
        let path = Path::new(what);
        SpecLanguage::of_ending(path).is_some() || SpecLanguage::is_other(path) || is_fret(path)
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
    if spec { spec::run(args) } else { trace::run(&args) }
}

/// `explain TSLnnnn`
fn explain_code(code: Code) -> Exit {
    if let Some(text) = explanation(code) {
        return crate::verbs::print(&format!("{code}: {text}\n"));
    }
    let near = all_codes().min_by_key(|(other, _)| other.0.abs_diff(code.0));
    let near = near.map_or(String::new(), |(other, _)| format!("; the nearest is {other}"));
    output::wrong(&format!("there is no code {code}{near}"))
}
