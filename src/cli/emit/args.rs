//! The flags of `emit`.

use super::target::{EmitTarget, grammars, langs, target};
use crate::flags::{EmitFormat, EngineArgs, InputArgs, OutputArgs, on_broken};
use clap::Args;
use std::path::PathBuf;
use tsl_synth_service::OnBroken;

/// `emit`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct EmitArgs {
    #[arg(short, long, value_parser = target, value_name = "LANG", help = format!("The target [default: by the ending of `-o`]: {}; of an `.agent` file rust, js, python, dot, svg, json, {}; of a policy python, c, hoa, sql", langs(), grammars()))]
    pub(crate) lang: Option<EmitTarget>,
    /// Form of the result: the main file, or one JSON document with all files
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: EmitFormat,
    /// The counter-strategy of an unrealizable specification (dot, mermaid, svg, hoa, aiger, json)
    #[arg(long)]
    pub(crate) counter: bool,
    /// Instead of the controller, the deterministic automaton of each conjunct that the symbolic engine plays on, one
    /// after another (hoa, dot)
    #[arg(long, alias = "monitors", conflicts_with_all = ["counter", "template", "scaffold"])]
    pub(crate) conjunct_automata: bool,
    /// Predicates and functions are asynchronous (rust, js, ts, python)
    #[arg(long = "async")]
    pub(crate) asynchronous: bool,
    /// Evaluate predicates only where the decision asks for them
    #[arg(long)]
    pub(crate) lazy: bool,
    /// What the controller does when the environment breaks a safety assumption: error, hold, continue, resync
    /// [default: error, with `--llm` resync]
    #[arg(long, value_parser = on_broken, value_name = "WHAT")]
    pub(crate) on_broken_assumption: Option<OnBroken>,
    /// A minijinja template of your own instead of the embedded one
    #[arg(long, value_name = "FILE", conflicts_with = "scaffold")]
    pub(crate) template: Option<PathBuf>,
    /// Make a project in this folder that builds and runs at once, with stubs and a test
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "format"])]
    pub(crate) scaffold: Option<PathBuf>,
    /// The project is an agent that asks a language model (js, python): scripted at first, or a chat model; of a policy a
    /// loop of a model and tools behind the gate
    #[arg(long, requires = "scaffold", conflicts_with_all = ["asynchronous", "lazy", "counter"])]
    pub(crate) llm: bool,
    /// The project is a page, `index.html`, that runs the controller in a browser (js): no server, no bundler, no network
    #[arg(long, requires = "scaffold", conflicts_with_all = ["asynchronous", "lazy", "counter", "llm"])]
    pub(crate) web: bool,
    /// Let `--scaffold` replace files
    #[arg(long, requires = "scaffold")]
    pub(crate) force: bool,
    /// The query of `--lang sql` answers after each letter; without it at the end of each session
    #[arg(long)]
    pub(crate) rows: bool,
    /// Of a policy the monitor of its laws alone, in a language that has a package with the gate (python)
    #[arg(long, alias = "monitor")]
    pub(crate) law_monitor: bool,
    /// Answered with the name of the package that has the adapter for this SDK
    #[arg(long, hide = true, value_name = "SDK")]
    pub(crate) adapter: Option<String>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
