//! `policy`: the verbs about policies of agents under one head. Each is the verb of the same name at the top, with the
//! flags that concern policies; there the kind of a file decides. `try` stands only here.

mod ask;
mod scenarios;
mod try_calls;

use crate::check::args::CheckArgs;
use crate::emit::args::EmitArgs;
use crate::exit::Exit;
use crate::explain::args::ExplainArgs;
use crate::policy_file::is_policy;
use crate::{check, critic, emit, explain, monitor, output, shield, view};
use clap::{Args, Command, Subcommand};
use std::path::Path;

/// `policy`
#[derive(Args, Debug)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    verb: PolicyVerb,
}

#[derive(Subcommand, Debug)]
enum PolicyVerb {
    /// Do the laws always leave an action? A verdict, conflicts, findings; also over recorded sessions
    Check(Box<CheckArgs>),
    /// What the gate sees in a call and decides about it, without running anything
    Try(Box<try_calls::TryArgs>),
    /// May I, must I: do the laws permit or require something? With a session that shows it, or the laws that decide it
    Ask(Box<ask::AskArgs>),
    /// The laws in words with examples; from the journal of a gate: why a call was refused, and what was possible
    Explain(Box<ExplainArgs>),
    /// Logs of agents judged by a policy: how each law stands after each step, and over many sessions
    Monitor(Box<monitor::args::MonitorArgs>),
    /// A policy as a gate in front of the calls of an agent: put into the settings of a host, taken out, checked
    Shield(Box<shield::ShieldArgs>),
    /// Scenarios against a policy: does each step have the verdict and the reason that it should have?
    Test(Box<scenarios::TestArgs>),
    /// A scenario for `policy test` from the journal of a gate
    Record(Box<scenarios::RecordArgs>),
    /// Edits of a policy's laws from recorded runs: mined or by a model, each admitted or refused with the reason
    Critic(Box<critic::CriticArgs>),
    /// A policy as code or queries: gate, monitor, SQL, automaton
    Emit(Box<EmitArgs>),
    /// A page for the browser: a policy over a log
    View(Box<view::args::ViewArgs>),
}

/// Runs the verb.
pub(crate) fn run(args: PolicyArgs) -> i32 {
    match args.verb {
        PolicyVerb::Check(args) => match wrong("check", &args.input.specs, is_policy) {
            None => check::run(*args),
            Some(exit) => exit.code(),
        },
        PolicyVerb::Try(args) => try_calls::run(*args).code(),
        PolicyVerb::Ask(args) => ask::run(*args).code(),
        PolicyVerb::Explain(args) => {
            let is_meant =
                |path: &Path| is_policy(path) || args.step.is_some() || explain::refusal::is_journal(path);
            wrong("explain", &args.what, is_meant).unwrap_or_else(|| explain::run(*args)).code()
        }
        PolicyVerb::Emit(args) => {
            wrong("emit", &args.input.specs, is_policy).unwrap_or_else(|| emit::run(*args)).code()
        }
        PolicyVerb::View(args) => {
            let first = args.input.specs.get(..1).unwrap_or_default();
            wrong("view", first, is_policy).unwrap_or_else(|| view::run(*args)).code()
        }
        PolicyVerb::Monitor(args) => monitor::run(&args).code(),
        PolicyVerb::Shield(args) => shield::run(&args),
        PolicyVerb::Test(args) => scenarios::test(&args).code(),
        PolicyVerb::Record(args) => scenarios::record(&args).code(),
        PolicyVerb::Critic(args) => critic::run(&args).code(),
    }
}

/// The error if one of the files is not meant, or there is none.
fn wrong<P: AsRef<Path>>(verb: &str, paths: &[P], is_meant: impl Fn(&Path) -> bool) -> Option<Exit> {
    if paths.is_empty() {
        return Some(output::wrong(&format!("name a policy: `tsl-synth policy {verb} POLICY`")));
    }
    let other = paths.iter().map(AsRef::as_ref).find(|path| !is_meant(path))?;
    let shown = crate::terminal::escape(&other.to_string_lossy());
    Some(output::wrong(&format!(
        "`{shown}` is no policy (TOML, or JSON with the key `policy`): `tsl-synth {verb} {shown}` is about the rest"
    )))
}

/// The flags of every verb.
const SHARED: &[&str] = &["help", "time_limit", "output", "quiet", "verbose", "color", "progress"];
/// The flags of each verb that are about policies; the others are hidden.
const CHECK: &[&str] = &[
    "given_format",
    "each",
    "jobs",
    "baseline",
    "write_baseline",
    "summary",
    "deny",
    "verdict_only",
    "against",
    "spellings",
    "from",
    "from_nl",
    "oracle",
    "model",
    "key_env",
    "oracle_timeout",
    "attempts",
    "memory_limit",
];
const EXPLAIN: &[&str] = &["step", "spec", "memory_limit", "format"];
const EMIT: &[&str] =
    &["lang", "dialect", "rows", "law_monitor", "scaffold", "llm", "format", "memory_limit"];
const VIEW: &[&str] = &["from", "tried", "open"];

const POLICIES: &str = "The policy: TOML, JSON of the same shape, or a JSON list of laws";
const EXPLAINED: &str = "A policy, or the journal of a gate";
const VIEWED: &str = "A policy, and logs over which it is shown";

/// Hides the flags of the verbs at the top that are about policies, and those of the verbs here that are not; each still
/// works everywhere.
pub(crate) fn arranged(command: Command) -> Command {
    let hidden = |command: Command, names: &'static [&'static str]| {
        command.mut_args(move |arg| if names.contains(&arg.get_id().as_str()) { arg.hide(true) } else { arg })
    };
    let only = |command: Command, names: &'static [&'static str], input: &'static str, help: &'static str| {
        command.mut_args(move |arg| match arg.get_id().as_str() {
            "specs" | "what" => arg.value_name(input).help(help),
            name if names.contains(&name) || SHARED.contains(&name) => arg,
            _ => arg.hide(true),
        })
    };
    command
        .mut_subcommand("explain", |verb| hidden(verb, &["step"]))
        .mut_subcommand("check", |verb| {
            hidden(
                verb,
                &["spellings", "from_nl", "oracle", "model", "key_env", "oracle_timeout", "attempts"],
            )
        })
        .mut_subcommand("emit", |verb| hidden(verb, &["rows", "law_monitor"]))
        .mut_subcommand("policy", |policy| {
            policy
                .mut_subcommand("check", |verb| only(verb, CHECK, "POLICY", POLICIES))
                .mut_subcommand("explain", |verb| only(verb, EXPLAIN, "POLICY|JOURNAL", EXPLAINED))
                .mut_subcommand("emit", |verb| only(verb, EMIT, "POLICY", POLICIES))
                .mut_subcommand("view", |verb| only(verb, VIEW, "POLICY", VIEWED))
        })
}
