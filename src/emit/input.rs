//! The input, options, output and errors of the emitter.

use std::collections::BTreeMap;
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{Circuit, CounterStrategy, Mealy, Monitor, OnBroken};
use tsl_synth_engine::mealy::{circuit_id, machine_id};
use tsl_synth_lang::spec::Problem;

/// A finite-state strategy to be emitted.
#[derive(Clone, Copy, Debug)]
pub enum Strategy<'a> {
    /// A controller, for every target.
    Controller(&'a Mealy),
    /// A counter-strategy of the environment: `dot`, `mermaid`, `svg`, `hoa`, `aiger` and `json` only.
    Counter(&'a CounterStrategy),
}

/// A safety assumption that the emitted controller monitors.
#[derive(Clone, Debug)]
pub struct AssumptionMonitor {
    /// The assumption as the user wrote it; reported when the environment violates it.
    pub text: String,
    /// Its monitor, over the bits of the problem's alphabet.
    pub monitor: Monitor,
}

/// A clause of the specification, for the doc comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClauseText {
    /// The section it is from: `always guarantee`.
    pub section: String,
    /// The formula as the user wrote it.
    pub text: String,
}

/// The contents of the header of emitted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Version of this tool.
    pub tool_version: String,
    /// Name of the specification: the file name as given.
    pub spec_name: String,
    /// SHA-256 of the text of the specification, in hexadecimal.
    pub spec_sha256: String,
    /// The method of the certificate check; `None` for "not certified".
    pub certified_by: Option<String>,
    /// How the machine was found: `bounded synthesis, bound 2, minimized`.
    pub origin: String,
    /// The clauses in source order.
    pub clauses: Vec<ClauseText>,
    /// For each state and edge of a controller the cells that it changes, as far as it is known which clauses ask for that:
    /// these clauses, none for a free choice. Empty if nothing is known.
    pub asked: Vec<Vec<BTreeMap<String, Vec<String>>>>,
}

/// A problem and its solution, with the texts for headers.
#[derive(Clone, Copy, Debug)]
pub struct EmitInput<'a> {
    /// The problem that was solved.
    pub problem: &'a Problem,
    /// Its solution.
    pub strategy: Strategy<'a>,
    /// The safety assumptions with their monitors, in source order.
    pub assumptions: &'a [AssumptionMonitor],
    /// The contents of the header.
    pub meta: &'a Meta,
}

/// A problem and its solution as a circuit, with the texts for headers.
#[derive(Clone, Copy, Debug)]
pub struct CircuitInput<'a> {
    /// The problem that was solved.
    pub problem: &'a Problem,
    /// Its solution.
    pub circuit: &'a Circuit,
    /// The machine that the circuit encodes, if its states are known: then the id is that of the machine, as in machine
    /// JSON and in traces.
    pub encodes: Option<&'a Mealy>,
    /// The player whose strategy it is.
    pub owner: Player,
    /// The safety assumptions with their monitors, in source order.
    pub assumptions: &'a [AssumptionMonitor],
    /// The contents of the header.
    pub meta: &'a Meta,
}

impl CircuitInput<'_> {
    /// The id of the controller.
    pub(super) fn id(&self) -> String {
        let alphabet = &self.problem.alphabet;
        match self.encodes {
            Some(machine) => machine_id(alphabet, machine),
            None => circuit_id(alphabet, self.circuit),
        }
    }
}

/// A target language of `emit --lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Lang {
    /// Rust, `no_std`-ready.
    Rust,
    /// A dependency-free ES module with its `.d.ts`.
    Js,
    /// TypeScript.
    Ts,
    /// Python 3.10 or later.
    Python,
    /// C99, header and source.
    C,
    /// Lua 5.4 or later.
    Lua,
    /// Go 1.18 or later.
    Go,
    /// C# 7 or later.
    CSharp,
    /// Graphviz.
    Dot,
    /// A Mermaid flowchart.
    Mermaid,
    /// A drawing as scalable vector graphics.
    Svg,
    /// A drawing for the terminal.
    Text,
    /// Hanoi Omega-Automata.
    Hoa,
    /// A sequential circuit, AIGER in ASCII or binary.
    Aiger,
    /// Machine JSON.
    Json,
    /// A synchronous module in Verilog.
    Verilog,
    /// A machine for XState 5, as an ES module.
    Xstate,
}

/// The targets for which [`Lang::takes_circuits`] holds, in a list for messages.
pub const CIRCUIT_TARGETS: &str =
    "`rust`, `js`, `ts`, `python`, `c`, `lua`, `go`, `csharp`, `verilog` and `aiger`";

/// The message that the target has no form for a counter-strategy.
pub(super) fn no_counter_strategy() -> EmitError {
    EmitError::Unsupported(
        "a counter-strategy is emitted as `dot`, `mermaid`, `svg`, `text`, `hoa`, `aiger` or `json`".into(),
    )
}

impl Lang {
    /// All targets, in the order of the help text.
    pub const ALL: [Self; 17] = [
        Self::Rust,
        Self::Js,
        Self::Ts,
        Self::Python,
        Self::C,
        Self::Lua,
        Self::Go,
        Self::CSharp,
        Self::Dot,
        Self::Mermaid,
        Self::Svg,
        Self::Text,
        Self::Hoa,
        Self::Aiger,
        Self::Json,
        Self::Verilog,
        Self::Xstate,
    ];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Js => "js",
            Self::Ts => "ts",
            Self::Python => "python",
            Self::C => "c",
            Self::Lua => "lua",
            Self::Go => "go",
            Self::CSharp => "csharp",
            Self::Dot => "dot",
            Self::Mermaid => "mermaid",
            Self::Svg => "svg",
            Self::Text => "text",
            Self::Hoa => "hoa",
            Self::Aiger => "aiger",
            Self::Json => "json",
            Self::Verilog => "verilog",
            Self::Xstate => "xstate",
        }
    }
    /// The target with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.name() == name)
    }
    /// Whether the target takes a counter-strategy, too.
    pub fn takes_counter_strategies(self) -> bool {
        !self.is_code() && !matches!(self, Self::Verilog | Self::Xstate)
    }
    /// Whether the target expresses a controller that is a circuit.
    pub fn takes_circuits(self) -> bool {
        self.is_code() || matches!(self, Self::Verilog | Self::Aiger)
    }
    /// Whether the target is code that runs.
    pub fn is_code(self) -> bool {
        self.is_asynchronous() || matches!(self, Self::C | Self::Lua | Self::Go | Self::CSharp)
    }
    /// Whether predicates and functions of the target may be asynchronous.
    pub fn is_asynchronous(self) -> bool {
        matches!(self, Self::Rust | Self::Js | Self::Ts | Self::Python)
    }
}

/// The form of an AIGER file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AigerForm {
    /// `aag`: text.
    #[default]
    Ascii,
    /// `aig`: bytes.
    Binary,
}

/// A template of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserTemplate {
    /// Its file name, for error messages.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Options of the emitter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "options are bools")]
pub struct EmitOptions {
    /// The target.
    pub lang: Lang,
    /// Predicates and functions are asynchronous (`rust`, `js`, `ts`, `python`).
    pub asynchronous: bool,
    /// Predicates are evaluated only when the decision depends on them.
    pub lazy: bool,
    /// What the controller does when the environment violates an assumption.
    pub on_broken: OnBroken,
    /// A template that replaces the embedded one of the target.
    pub template: Option<UserTemplate>,
    /// Also make a project that builds and runs at once, with stubs and a test.
    pub scaffold: bool,
    /// Make the project a web page that runs the controller (only [`Lang::Js`]).
    pub web: bool,
    /// The stem of the file names; the name of the problem where it is `None`.
    pub stem: Option<String>,
    /// The form of [`Lang::Aiger`].
    pub aiger: AigerForm,
}

impl EmitOptions {
    /// The option that needs the states of the machine one by one, if there is one. `is_watched` is whether the
    /// controller watches any assumption.
    pub fn needs_states(&self, is_watched: bool) -> Option<&'static str> {
        match self.on_broken {
            _ if self.lazy => Some("--lazy"),
            OnBroken::Resync if is_watched => Some("--on-broken-assumption resync"),
            _ => None,
        }
    }
    /// The defaults for a target.
    pub fn new(lang: Lang) -> Self {
        Self {
            lang,
            asynchronous: false,
            lazy: false,
            on_broken: OnBroken::Error,
            template: None,
            scaffold: false,
            web: false,
            stem: None,
            aiger: AigerForm::Ascii,
        }
    }
}

/// An emitted file; the caller writes it to disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedFile {
    /// Path relative to a directory that the caller chooses, with `/`: `cave.js`, `cave.d.ts`, `src/lib.rs`.
    /// Made of letters, digits, `_`, `-`, `.` and `/` only.
    pub path: String,
    /// Its text or bytes.
    pub contents: Contents,
    /// Whether it is the file that `-o` names (and stdout gets); there is exactly one.
    pub main: bool,
}

/// The contents of an emitted file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Contents {
    /// Text that ends in a line feed.
    Text(String),
    /// A binary format: AIGER as [`AigerForm::Binary`].
    Binary(Vec<u8>),
}

impl Contents {
    /// The bytes of a file with these contents.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }
}

impl EmittedFile {
    /// The text; `None` for a binary format.
    pub fn text(&self) -> Option<&str> {
        match &self.contents {
            Contents::Text(text) => Some(text),
            Contents::Binary(_) => None,
        }
    }
    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        self.contents.bytes()
    }
}

/// Why nothing was emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmitError {
    /// The target cannot express the input or does not support the options.
    Unsupported(String),
    /// The user's template is wrong: message with line.
    Template(String),
    /// A template did not finish within its fuel.
    Limit(String),
    /// An embedded template or the machine is wrong: a bug.
    Internal(String),
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unsupported(text) | Self::Template(text) | Self::Limit(text) => f.write_str(text),
            Self::Internal(text) => write!(f, "internal error: {text}"),
        }
    }
}

impl std::error::Error for EmitError {}
