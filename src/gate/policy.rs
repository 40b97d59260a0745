//! Policies for programs that embed a gate.

use crate::loaded::{LoadedPolicy, UnusablePolicy};
use crate::shared::SharedSolver;
use crate::store::Store;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tsl_synth_core::base::{Budget, Limit, NoResult, on_stack};
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_core::source::{Position, SourceMap};
use tsl_synth_policy::CompiledPolicy;

/// In bytes of address space. Parsers recurse as deep as the documented limit on nesting permits.
const STACK: usize = 256 << 20;

/// A finding about the text of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyFinding {
    /// Its stable code, such as `TSL0501`.
    pub code: String,
    /// How serious it is.
    pub severity: Severity,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The place in the text, if it has one.
    pub place: Option<Position>,
    /// What to do.
    pub hints: Vec<String>,
}

impl PolicyFinding {
    /// Its severity in a word: `error`, `warning` or `note`.
    pub fn severity_word(&self) -> &'static str {
        match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Why there is no policy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// The text has errors.
    Text {
        /// The name of the text.
        name: String,
        /// All findings; at least one is an error.
        findings: Vec<PolicyFinding>,
    },
    /// A law, or the game of all laws, is beyond a limit.
    Limit(Limit),
    /// The file cannot be read, or reading it failed.
    Unreadable(String),
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { name, findings } => {
                let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
                for (i, finding) in errors.enumerate() {
                    if i > 0 {
                        f.write_str("\n")?;
                    }
                    f.write_str(name)?;
                    if let Some(place) = finding.place {
                        write!(f, ":{}:{}", place.line, place.column)?;
                    }
                    write!(f, ": {}: {}", finding.code, finding.message)?;
                    for hint in &finding.hints {
                        write!(f, "\n  {hint}")?;
                    }
                }
                Ok(())
            }
            Self::Limit(limit) => write!(f, "{limit}; {}", crate::limit::WITHOUT_LOOK_AHEAD),
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for PolicyError {}

struct Inner {
    compiled: Arc<CompiledPolicy>,
    warnings: Vec<PolicyFinding>,
    name: String,
    sha256: String,
    /// The solved games, once a gate needs them.
    solver: Mutex<Option<SharedSolver>>,
}

/// A policy that gates decide by. Clones share its solved games, so one policy serves all sessions and threads.
#[derive(Clone)]
pub struct Policy {
    inner: Arc<Inner>,
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Policy {
    /// Reads and compiles a policy: TOML, JSON of the same shape, or a JSON list of laws. The name, that of a file, is
    /// for messages and journals; a name that ends with `.json` makes the text JSON.
    ///
    /// # Errors
    /// Errors of the text, or a limit on the monitor of a law.
    pub fn from_text(name: &str, text: &str) -> Result<Self, PolicyError> {
        match on_stack(STACK, || Self::read(name, text)) {
            Ok(read) => read,
            Err(NoResult::Panic(_)) => Err(PolicyError::Unreadable(format!("reading `{name}` failed"))),
            Err(NoResult::NoStack(error)) => Err(PolicyError::Unreadable(error.to_string())),
        }
    }
    fn read(name: &str, text: &str) -> Result<Self, PolicyError> {
        let mut sources = SourceMap::new();
        let source = sources.add(name, text);
        match LoadedPolicy::read(&mut sources, source, &Budget::unlimited()) {
            Ok(loaded) => {
                let warnings = loaded.diagnostics.iter().map(|one| finding(one, &sources)).collect();
                let inner = Inner {
                    compiled: Arc::new(loaded.compiled),
                    warnings,
                    name: name.to_owned(),
                    sha256: loaded.sha256,
                    solver: Mutex::new(None),
                };
                Ok(Self { inner: Arc::new(inner) })
            }
            Err(UnusablePolicy::Text(diagnostics)) => {
                let findings = diagnostics.iter().map(|one| finding(one, &sources)).collect();
                Err(PolicyError::Text { name: name.to_owned(), findings })
            }
            Err(UnusablePolicy::Limit(limit)) => Err(PolicyError::Limit(limit)),
        }
    }
    /// The name of the text.
    pub fn name(&self) -> &str {
        &self.inner.name
    }
    /// SHA-256 of the text, in hexadecimal digits.
    pub fn sha256(&self) -> &str {
        &self.inner.sha256
    }
    /// Warnings and notes about the text.
    pub fn warnings(&self) -> &[PolicyFinding] {
        &self.inner.warnings
    }
    /// The names of the laws, in the order of the text.
    pub fn laws(&self) -> Vec<String> {
        self.inner.compiled.policy.laws.enumerate().map(|(_, law)| law.id.clone()).collect()
    }
    /// The games of the policy, which are solved when the first gate needs them, or read from the cache of its store.
    ///
    /// # Errors
    /// A limit on the game of all laws.
    pub(crate) fn solver(&self, store: &dyn Store) -> Result<SharedSolver, PolicyError> {
        let mut solver = self.inner.solver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(solved) = &*solver {
            return Ok(solved.clone());
        }
        let Inner { compiled, name, sha256, .. } = &*self.inner;
        let solved = SharedSolver::new(compiled.clone(), sha256, name, store.games(sha256));
        Ok(solver.insert(solved.map_err(PolicyError::Limit)?).clone())
    }
}

fn finding(diagnostic: &Diagnostic, sources: &SourceMap) -> PolicyFinding {
    let place = diagnostic.labels.first().map(|label| sources.positions(label.span).0);
    PolicyFinding {
        code: diagnostic.code.to_string(),
        severity: diagnostic.severity,
        message: diagnostic.message.clone(),
        place,
        hints: diagnostic.hints.clone(),
    }
}
