//! Policies for programs that embed a gate.

use crate::loaded::{LoadedPolicy, UnusablePolicy};
use crate::shared::SharedSolver;
use crate::store::Store;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use tsl_synth_core::base::{Budget, Limit, NoResult, on_large_stack, sha256};
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_core::source::{Position, SourceMap};
use tsl_synth_policy::CompiledPolicy;

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

/// Where the text of a policy comes from that may be edited while gates decide by it.
pub trait PolicyText: Send + Sync {
    /// Numbers that differ from those before if the text was edited; `None` if it cannot be read now.
    fn stamp(&self) -> Option<[u64; 3]>;
    /// The text.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(&self) -> Result<String, String>;
}

/// A policy as it was read last.
struct Reading {
    inner: Arc<Inner>,
    stamp: Option<[u64; 3]>,
    /// Why the text that is there now is no policy, if it is none.
    unusable: Option<String>,
}

struct Inner {
    compiled: Arc<CompiledPolicy>,
    warnings: Vec<PolicyFinding>,
    sha256: String,
    /// The solved games, once a gate needs them.
    solver: Mutex<Option<SharedSolver>>,
}

/// A policy that gates decide by. Clones share its solved games, so one policy serves all sessions and threads.
///
/// If it was read from a file that is edited, all gates of the policy decide by the new text from their next decision on.
/// They read their sessions again by it, or deny everything if the old text says `on_change = "deny"`. They also deny
/// everything while the file cannot be read or has errors.
#[derive(Clone)]
pub struct Policy {
    name: Arc<str>,
    reading: Arc<RwLock<Reading>>,
    source: Option<Arc<dyn PolicyText>>,
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
        Ok(Self::new(name, Inner::from_text(name, text)?, None, None))
    }
    /// Reads and compiles a policy whose text may be edited while gates decide by it; otherwise as [`Policy::from_text`].
    ///
    /// # Errors
    /// A text that cannot be read, and the errors of [`Policy::from_text`].
    pub fn followed(name: &str, source: Arc<dyn PolicyText>) -> Result<Self, PolicyError> {
        let stamp = source.stamp();
        let text =
            source.read().map_err(|why| PolicyError::Unreadable(format!("cannot read `{name}`: {why}")))?;
        Ok(Self::new(name, Inner::from_text(name, &text)?, stamp, Some(source)))
    }
    fn new(name: &str, inner: Inner, stamp: Option<[u64; 3]>, source: Option<Arc<dyn PolicyText>>) -> Self {
        let reading = Reading { inner: Arc::new(inner), stamp, unusable: None };
        Self { name: name.into(), reading: Arc::new(RwLock::new(reading)), source }
    }
    /// Each change is one assignment, so a panic of another thread leaves the reading complete.
    fn reading(&self) -> RwLockReadGuard<'_, Reading> {
        self.reading.read().unwrap_or_else(PoisonError::into_inner)
    }
    /// The name of the text.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// SHA-256 of the text that was read last, in hexadecimal digits.
    pub fn sha256(&self) -> String {
        self.reading().inner.sha256.clone()
    }
    /// Warnings and notes about the text that was read last.
    pub fn warnings(&self) -> Vec<PolicyFinding> {
        self.reading().inner.warnings.clone()
    }
    /// The names of the laws, in the order of the text that was read last.
    pub fn laws(&self) -> Vec<String> {
        let inner = self.reading().inner.clone();
        inner.compiled.policy.laws.enumerate().map(|(_, law)| law.id.clone()).collect()
    }
    /// The games of the policy, of its text as it is now; games are solved when the first gate needs them, or read from
    /// the cache of its store. `decided_by` is the hash of the text that the caller has the games of; `None` if they are
    /// still the same.
    ///
    /// # Errors
    /// Why nothing can be decided by the text that is there now.
    pub(crate) fn edited(&self, decided_by: &str, store: &dyn Store) -> Result<Option<SharedSolver>, String> {
        let Some(source) = &self.source else { return Ok(None) };
        let stamp = source.stamp();
        if self.reading().stamp != stamp {
            self.read_again(&**source);
        }
        let reading = self.reading();
        if let Some(why) = &reading.unusable {
            return Err(why.clone());
        }
        if reading.inner.sha256 == decided_by {
            return Ok(None);
        }
        let inner = reading.inner.clone();
        drop(reading);
        inner.solver(&self.name, store).map(Some).map_err(|limit| PolicyError::Limit(limit).to_string())
    }
    fn read_again(&self, source: &dyn PolicyText) {
        let mut reading = self.reading.write().unwrap_or_else(PoisonError::into_inner);
        // Before the text, so that an edit after it is noticed; another thread may have read it by now.
        let stamp = source.stamp();
        if reading.stamp == stamp {
            return;
        }
        let text = source
            .read()
            .map_err(|why| PolicyError::Unreadable(format!("cannot read `{}`: {why}", self.name)));
        let inner = text.and_then(|text| {
            // A file may be written again with the same text.
            let is_same = reading.inner.sha256 == sha256(text.as_bytes());
            if is_same { Ok(None) } else { Inner::from_text(&self.name, &text).map(Some) }
        });
        reading.stamp = stamp;
        reading.unusable = inner.as_ref().err().map(|error| format!("the policy cannot be used: {error}"));
        if let Ok(Some(inner)) = inner {
            reading.inner = Arc::new(inner);
        }
    }
    /// The games of the text that was read last, which are solved when the first gate needs them, or read from the cache
    /// of its store.
    ///
    /// # Errors
    /// A limit on the game of all laws.
    pub(crate) fn solver(&self, store: &dyn Store) -> Result<SharedSolver, PolicyError> {
        let inner = self.reading().inner.clone();
        inner.solver(&self.name, store).map_err(PolicyError::Limit)
    }
}

impl Inner {
    fn from_text(name: &str, text: &str) -> Result<Self, PolicyError> {
        match on_large_stack(|| Self::read(name, text)) {
            Ok(read) => read,
            Err(NoResult::Panic(_)) => Err(PolicyError::Unreadable(format!("reading `{name}` failed"))),
            Err(NoResult::NoStack(error)) => Err(PolicyError::Unreadable(error.to_string())),
        }
    }
    fn read(name: &str, text: &str) -> Result<Self, PolicyError> {
        let mut sources = SourceMap::new();
        let source = sources.add(name, text);
        match LoadedPolicy::read(&mut sources, source, &Budget::unlimited()) {
            Ok(loaded) => Ok(Self {
                compiled: Arc::new(loaded.compiled),
                warnings: loaded.diagnostics.iter().map(|one| finding(one, &sources)).collect(),
                sha256: loaded.sha256,
                solver: Mutex::new(None),
            }),
            Err(UnusablePolicy::Text(diagnostics)) => {
                let findings = diagnostics.iter().map(|one| finding(one, &sources)).collect();
                Err(PolicyError::Text { name: name.to_owned(), findings })
            }
            Err(UnusablePolicy::Limit(limit)) => Err(PolicyError::Limit(limit)),
        }
    }
    fn solver(&self, name: &str, store: &dyn Store) -> Result<SharedSolver, Limit> {
        let mut solver = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(solved) = &*solver {
            return Ok(solved.clone());
        }
        let Self { compiled, sha256, .. } = self;
        let solved = SharedSolver::new(compiled.clone(), sha256, name, store.games(sha256))?;
        Ok(solver.insert(solved).clone())
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
