//! The names that the laws of a policy may use.

use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_ltl::spelling::nearest;

/// The atom that is true in every letter with an action.
pub const ACT: &str = "act";

/// The possible outcomes of a call of an action `a`; `a.ok` and the like are propositions.
pub const OUTCOMES: [&str; 3] = ["ok", "failed", "unknown"];

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameKind {
    /// A call of the agent. Its outcomes `a.ok`, `a.failed` and `a.unknown` are known with it.
    Action,
    /// A proposition that is true in single letters.
    Momentary,
    /// A proposition that keeps its value until it is set again, or whose value a register computes.
    State,
}

/// The names of a policy with their kinds, in the order of their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyNames {
    kinds: BTreeMap<Arc<str>, NameKind>,
}

impl PolicyNames {
    /// No names.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a name.
    pub fn add(&mut self, name: impl Into<Arc<str>>, kind: NameKind) {
        self.kinds.insert(name.into(), kind);
    }
    /// The kind of a declared name; outcomes are not declared.
    pub fn kind(&self, name: &str) -> Option<NameKind> {
        self.kinds.get(name).copied()
    }
    /// Whether an atom of a law is known: a declared name, the outcome of an action, or [`ACT`] where there is an
    /// action.
    pub fn knows(&self, atom: &str) -> bool {
        self.kind(atom).is_some() || outcome(self, atom).is_some() || (atom == ACT && self.has_actions())
    }
    /// Whether some name is an action.
    pub fn has_actions(&self) -> bool {
        self.kinds.values().any(|kind| *kind == NameKind::Action)
    }
    /// All declared names with their kinds.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, NameKind)> {
        self.kinds.iter().map(|(name, kind)| (name, *kind))
    }
    /// How many names are declared.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }
    /// The declared names that begin with a name and a dot, sorted.
    pub fn below(&self, name: &str) -> impl Iterator<Item = &str> {
        let prefix = format!("{name}.");
        self.kinds.keys().map(|own| &**own).filter(move |own| own.starts_with(&prefix))
    }
    /// The declared name that is most similar to an unknown name, if any is similar enough.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let (base, suffix) = match name.rsplit_once('.') {
            Some((base, suffix)) if OUTCOMES.contains(&suffix) => (base, Some(suffix)),
            _ => (name, None),
        };
        let of_kind = |action: bool| {
            self.kinds
                .iter()
                .filter(move |(_, kind)| !action || **kind == NameKind::Action)
                .map(|(n, _)| &**n)
        };
        nearest(base, of_kind(suffix.is_some()))
    }
}

impl<N: Into<Arc<str>>> FromIterator<(N, NameKind)> for PolicyNames {
    fn from_iter<I: IntoIterator<Item = (N, NameKind)>>(names: I) -> Self {
        Self { kinds: names.into_iter().map(|(name, kind)| (name.into(), kind)).collect() }
    }
}

/// The action and the outcome that an atom `a.ok` names.
pub(super) fn outcome<'a>(names: &PolicyNames, atom: &'a str) -> Option<(&'a str, &'static str)> {
    let (action, suffix) = atom.rsplit_once('.')?;
    let outcome = OUTCOMES.into_iter().find(|outcome| *outcome == suffix)?;
    (names.kind(action) == Some(NameKind::Action)).then_some((action, outcome))
}
