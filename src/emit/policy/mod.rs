//! Gates and monitors of policies as one file without dependencies, and as a query over a table of letters.
//!
//! | target | file |
//! |---|---|
//! | `python`, `js`, `ts`, `rust` | the whole gate: the requests of the reference protocol and their answers |
//! | the same with `monitor` | a module: `step(state, letter)`, and a session with snapshots |
//! | `c` | C99 source without allocation; policies with `for_each` or windows are refused |
//! | `hoa` | one automaton for each law, on finite words |
//! | `sql` | one query over the table that `monitor --letters` writes ([`LettersTable`]) |
//!
//! On request an [`Adapter`] is emitted with a gate: code that puts the gate in front of the tools of an SDK for
//! agents.
//!
//! The code of a monitor does the same as [`PossibleState::step`](tsl_synth_policy::PossibleState::step): a letter consists of
//! the atoms that are true, the values that it is bound to, the amounts of registers and a time. Matching events is
//! left to the caller.

mod adapter;
mod agent;
mod code;
mod gate;
mod hoa;
mod joined;
mod letters;
mod matches;
mod page;
mod programs;
mod regexes;
mod sql;
mod tables;

pub use adapter::Adapter;
pub use letters::LettersTable;
pub use page::PolicyPages;

use super::input::{Contents, EmitError, EmittedFile};
use tables::PolicyTables;
use tsl_synth_policy::CompiledPolicy;

/// The output format of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyTarget {
    /// Python 3.10 or later.
    Python,
    /// TypeScript.
    Ts,
    /// An ES module.
    Js,
    /// Rust, with the standard library only.
    Rust,
    /// C99.
    C,
    /// Automata on finite words.
    Hoa,
    /// A query over the table of letters.
    Sql,
}

impl PolicyTarget {
    /// All targets.
    pub const ALL: [Self; 7] = [Self::Python, Self::Ts, Self::Js, Self::Rust, Self::C, Self::Hoa, Self::Sql];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Ts => "ts",
            Self::Js => "js",
            Self::Rust => "rust",
            Self::C => "c",
            Self::Hoa => "hoa",
            Self::Sql => "sql",
        }
    }
    /// The target with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }
    /// The extension of its files.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::Ts => "ts",
            Self::Js => "js",
            Self::Rust => "rs",
            Self::C => "c",
            Self::Hoa => "hoa",
            Self::Sql => "sql",
        }
    }
    /// Whether an agent behind the gate can be emitted.
    pub fn has_agent(self) -> bool {
        matches!(self, Self::Python | Self::Js)
    }
    /// Whether the whole gate can be emitted for this target; then the monitor alone is emitted only on request.
    pub fn has_gate(self) -> bool {
        matches!(self, Self::Python | Self::Js | Self::Ts | Self::Rust)
    }
}

/// A dialect of SQL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SqlDialect {
    /// DuckDB 1.3 or later.
    #[default]
    DuckDb,
}

impl SqlDialect {
    /// All dialects.
    pub const ALL: [Self; 1] = [Self::DuckDb];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::DuckDb => "duckdb",
        }
    }
    /// The dialect with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// The options of [`emit_policy`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyEmitOptions {
    /// The output format.
    pub target: PolicyTarget,
    /// The stem of the file name.
    pub stem: String,
    /// The dialect of SQL.
    pub dialect: SqlDialect,
    /// Whether the query has an answer after each letter, not only at the end of each session.
    pub rows: bool,
    /// Whether only the monitor is emitted, for a target that also has a gate.
    pub monitor: bool,
    /// The SDK whose adapter is emitted beside the gate.
    pub adapter: Option<Adapter>,
    /// Whether a scaffold of an agent is emitted with the gate: a loop of a chat model and tools, with stubs of the
    /// tools.
    pub agent: bool,
    /// The name of the file that the gate is written to, if it is not the stem with the usual extension.
    pub file: Option<String>,
}

impl PolicyEmitOptions {
    /// The defaults for a target.
    pub fn new(target: PolicyTarget, stem: impl Into<String>) -> Self {
        let stem = stem.into();
        let dialect = SqlDialect::default();
        Self { target, stem, dialect, rows: false, monitor: false, adapter: None, agent: false, file: None }
    }
}

/// The origin of a policy, for the headers of files.
#[derive(Clone, Debug)]
pub struct PolicyMeta {
    /// The version of this tool.
    pub tool_version: String,
    /// The hash of the text of the policy.
    pub sha256: String,
}

/// Emits the gate of a policy, or its monitor.
///
/// The result depends on nothing but the arguments.
///
/// # Errors
/// If the target cannot express the policy, the file would be too large, or the target has no such adapter or agent.
pub fn emit_policy(
    compiled: &CompiledPolicy,
    meta: &PolicyMeta,
    options: &PolicyEmitOptions,
) -> Result<Vec<EmittedFile>, EmitError> {
    if options.adapter.is_some_and(|own| own.target() != options.target || options.monitor) {
        return Err(EmitError::Unsupported("an adapter is for the whole gate in its language".into()));
    }
    if options.agent && (!options.target.has_agent() || options.monitor) {
        return Err(EmitError::Unsupported("an agent has a whole gate: in `python` or `js`".into()));
    }
    let tables = PolicyTables::new(compiled)?;
    if options.target.has_gate() && !options.monitor {
        let (text, types) = gate::gate(&tables, meta, options.target)?;
        let file = |ending: &str, text: String, main: bool| EmittedFile {
            path: format!("{}.{ending}", options.stem),
            contents: Contents::Text(text),
            main,
        };
        let types = types.map(|text| file("d.ts", text, false));
        let main = file(options.target.ending(), text, true);
        let beside = options.file.as_deref().unwrap_or(&main.path);
        let adapter = options
            .adapter
            .map(|own| adapter::adapter(own, &compiled.policy.name, meta, &options.stem, beside))
            .transpose()?;
        let agent =
            if options.agent { agent::agent(&compiled.policy, meta, options.target)? } else { Vec::new() };
        return Ok(std::iter::once(main).chain(types).chain(adapter).chain(agent).collect());
    }
    let text = match options.target {
        PolicyTarget::Hoa => hoa::automata(&tables, meta)?,
        PolicyTarget::Sql => sql::query(&tables, meta, options)?,
        code => code::code(&tables, meta, code, &options.stem)?,
    };
    let path = format!("{}.{}", options.stem, options.target.ending());
    Ok(vec![EmittedFile { path, contents: Contents::Text(text), main: true }])
}
