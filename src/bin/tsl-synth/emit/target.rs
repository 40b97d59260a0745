//! What `emit` writes: the names on the command line.

use tsl_synth::service::{Adapter, BehaviorTarget, Lang};

/// A target of `emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Of controllers; some of these are targets of behaviors too.
    Machine(Lang),
    /// Of behaviors only.
    Grammar(BehaviorTarget),
    /// Of policies only.
    Sql,
}

pub(crate) fn grammars() -> String {
    BehaviorTarget::GRAMMARS.map(BehaviorTarget::name).join(", ")
}

pub(crate) fn target(text: &str) -> Result<Target, String> {
    if text == "sql" {
        return Ok(Target::Sql);
    }
    let grammar = BehaviorTarget::GRAMMARS.into_iter().find(|target| target.name() == text);
    let found = Lang::from_name(text).map(Target::Machine).or(grammar.map(Target::Grammar));
    found.ok_or_else(|| format!("expected one of {}, {}, sql", langs(), grammars()))
}

pub(crate) fn adapter(text: &str) -> Result<Adapter, String> {
    Adapter::from_name(text).ok_or_else(|| format!("expected one of {}", adapters()))
}

pub(crate) fn adapters() -> String {
    Adapter::ALL.map(Adapter::name).join(", ")
}

pub(crate) fn langs() -> String {
    Lang::ALL.map(Lang::name).join(", ")
}

pub(crate) fn lang(text: &str) -> Result<Lang, String> {
    Lang::from_name(text).ok_or_else(|| format!("expected one of {}", langs()))
}
