//! Monitors of policies as one file without dependencies, and as a query over a table of letters; scaffolds of agents.
//!
//! | target | file |
//! |---|---|
//! | `python` | a module: `step(state, letter)`, and a session with snapshots |
//! | `c` | C99 source without allocation; policies with `for_each` or windows are refused |
//! | `hoa` | one automaton for each law, on finite words |
//! | `sql` | one query over the table that `monitor --letters` writes ([`LettersTable`]) |
//!
//! The code of a monitor does the same as [`PossibleState::step`](tsl_synth_policy::PossibleState::step): a letter consists of
//! the atoms that are true, the values that it is bound to, the amounts of registers and a time. Matching events is
//! left to the caller.
//!
//! Gates are not emitted: programs in other languages run the gate of this workspace in a package of their language. The
//! scaffold of an agent uses such a package.

mod agent;
mod code;
mod hoa;
mod letters;
mod page;
mod sql;
mod tables;

pub use agent::{AgentLang, emit_policy_agent};
pub use letters::LettersTable;
pub use page::PolicyPages;

use super::input::{Contents, EmitError, EmittedFile};
use tables::PolicyTables;
use tsl_synth_policy::CompiledPolicy;

/// The output format of the monitor of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyTarget {
    /// Python 3.10 or later.
    Python,
    /// C99.
    C,
    /// Automata on finite words.
    Hoa,
    /// A query over the table of letters.
    Sql,
}

impl PolicyTarget {
    /// All targets.
    pub const ALL: [Self; 4] = [Self::Python, Self::C, Self::Hoa, Self::Sql];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
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
            Self::C => "c",
            Self::Hoa => "hoa",
            Self::Sql => "sql",
        }
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
}

impl PolicyEmitOptions {
    /// The defaults for a target.
    pub fn new(target: PolicyTarget, stem: impl Into<String>) -> Self {
        Self { target, stem: stem.into(), dialect: SqlDialect::default(), rows: false }
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

/// Emits the monitor of the laws of a policy.
///
/// The result depends on nothing but the arguments.
///
/// # Errors
/// If the target cannot express the policy, or the file would be too large.
pub fn emit_policy(
    compiled: &CompiledPolicy,
    meta: &PolicyMeta,
    options: &PolicyEmitOptions,
) -> Result<Vec<EmittedFile>, EmitError> {
    let tables = PolicyTables::new(compiled)?;
    let text = match options.target {
        PolicyTarget::Hoa => hoa::automata(&tables, meta)?,
        PolicyTarget::Sql => sql::query(&tables, meta, options)?,
        code => code::code(&tables, meta, code, &options.stem)?,
    };
    let path = format!("{}.{}", options.stem, options.target.ending());
    Ok(vec![EmittedFile { path, contents: Contents::Text(text), main: true }])
}
