//! The targets of `emit` and their names on the command line.

use std::path::Path;
use tsl_synth_service::{BehaviorTarget, Lang};

/// A target of `emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmitTarget {
    /// Of controllers; some of these are targets of behaviors and policies too.
    Machine(Lang),
    /// Of behaviors only.
    Grammar(BehaviorTarget),
    /// Of policies only.
    Sql,
}

pub(crate) fn grammars() -> String {
    BehaviorTarget::GRAMMARS.map(BehaviorTarget::name).join(", ")
}

/// The name of a target, given an alias or a file ending.
fn known_as(text: &str) -> &str {
    match text {
        "javascript" | "mjs" => "js",
        "typescript" | "mts" => "ts",
        "py" => "python",
        "rs" => "rust",
        "gv" => "dot",
        "mmd" => "mermaid",
        "txt" => "text",
        "aag" | "aig" => "aiger",
        "v" => "verilog",
        "golang" => "go",
        "cs" | "c#" => "csharp",
        other => other,
    }
}

/// The target for the ending of a file; never SQL.
pub(crate) fn of_ending(file: &Path) -> Option<EmitTarget> {
    let ending = file.extension()?.to_str()?;
    target(ending).ok().filter(|target| *target != EmitTarget::Sql)
}

pub(crate) fn target(text: &str) -> Result<EmitTarget, String> {
    let text = known_as(text);
    if text == "sql" {
        return Ok(EmitTarget::Sql);
    }
    let grammar = BehaviorTarget::GRAMMARS.into_iter().find(|target| target.name() == text);
    let found = Lang::from_name(text).map(EmitTarget::Machine).or(grammar.map(EmitTarget::Grammar));
    found.ok_or_else(|| format!("expected one of {}, {}, sql", langs(), grammars()))
}

pub(crate) fn langs() -> String {
    Lang::ALL.map(Lang::name).join(", ")
}

pub(crate) fn lang(text: &str) -> Result<Lang, String> {
    Lang::from_name(text).ok_or_else(|| format!("expected one of {}", langs()))
}
