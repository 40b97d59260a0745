//! Lists of laws: the printed ones, without those that are soft, repaired, or from elsewhere.

use crate::base::Budget;
use crate::control::policy::analysis::{AnalysisFrame, conflicts};
use crate::service::{Failure, Input, LoadedPolicy, Session};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The policies of the gallery.
pub(super) const SAYCAN: &str = include_str!("../../../../specs/policies/saycan.json");
pub(super) const INNER_MONOLOGUE: &str = include_str!("../../../../specs/policies/innermonologue.json");

/// A law as an entry of a policy.
pub(super) type Law = Value;

/// The policy of a text of ours.
fn value(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::internal(format!("a policy of ours: {error}")))
}

/// The laws of a text of ours that are of some kind.
pub(super) fn laws(text: &str, kind: &str) -> Result<Vec<Law>, Failure> {
    let policy = value(text)?;
    let all = policy["law"].as_array().cloned().unwrap_or_default();
    Ok(all.into_iter().filter(|law| law["kind"] == kind).collect())
}

/// A policy over the alphabet of the paper with these laws: what its observations mean are laws of the world, nothing is looked
/// ahead, and soft laws give way where nothing else is left, all as in the paper.
pub(super) fn policy(laws: &[Law]) -> Result<String, Failure> {
    let mut policy = value(SAYCAN)?;
    let world = self::laws(SAYCAN, "assume")?;
    policy["law"] = world.into_iter().chain(laws.iter().cloned()).collect();
    policy["fallback"] = json!("hard");
    // Where nothing is looked ahead, no law depends on what actions may change.
    policy["quantities"] = json!({});
    policy["actions"]["effects"] = json!({});
    Ok(policy.to_string())
}

/// The policy, read.
pub(super) fn load(text: &str) -> Result<LoadedPolicy, Failure> {
    Session::new().policy(&Input::Text { name: "laws.json".into(), text: text.into() })
}

/// The pairs of laws that exclude each other in some state, by id.
pub(super) fn conflicting(text: &str) -> Result<Vec<[String; 2]>, Failure> {
    let loaded = load(text)?;
    let budget = Budget::unlimited();
    let mut frame = AnalysisFrame::new(&loaded.compiled, &budget)?;
    let found = conflicts(&mut frame, &budget)?;
    let id = |law| loaded.compiled.policy.laws[law].id.clone();
    Ok(found.found.iter().map(|conflict| conflict.laws.map(id)).collect())
}

/// The two sides of a law `G(p -> X(q))`.
fn sides(ltl: &str) -> Option<(&str, &str)> {
    let body = ltl.trim().strip_prefix('G')?.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (premise, asked) = body.split_once("->")?;
    let asked = asked.trim();
    (asked.starts_with('X') && !premise.contains('X')).then_some((premise.trim(), asked))
}

/// The laws such that no state is over-constrained: a soft law yields, where its condition meets that of a law with which it
/// conflicts and that comes first. Hard laws come first, then soft ones from the last on: they are printed in the order of the
/// task, so that what is nearer to the goal comes first. A law of another form than the paper's that conflicts is left out.
pub(super) fn repaired(laws: &[Law]) -> Result<Vec<Law>, Failure> {
    let conflicting = conflicting(&policy(laws)?)?;
    let place = |id: &str| laws.iter().position(|law| law["id"] == id);
    let rank = |place: usize| {
        let is_soft = laws[place]["kind"] == "soft";
        (is_soft, if is_soft { laws.len() - place } else { place })
    };
    let mut yields: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); laws.len()];
    for [a, b] in &conflicting {
        let (Some(a), Some(b)) = (place(a), place(b)) else { continue };
        let (first, later) = if rank(a) < rank(b) { (a, b) } else { (b, a) };
        yields[later].insert(first);
    }
    let premise = |place: usize| laws[place]["ltl"].as_str().and_then(sides).map(|(premise, _)| premise);
    let mut repaired = Vec::new();
    for (law, yields) in laws.iter().zip(&yields) {
        if yields.is_empty() {
            repaired.push(law.clone());
            continue;
        }
        let others: Option<Vec<String>> =
            yields.iter().map(|&other| premise(other).map(|premise| format!("!({premise})"))).collect();
        let own = law["ltl"].as_str().and_then(sides);
        if let (Some(others), Some((premise, asked))) = (others, own) {
            let mut law = law.clone();
            law["ltl"] = format!("G(({premise}) & {} -> {asked})", others.join(" & ")).into();
            repaired.push(law);
        }
    }
    Ok(repaired)
}

/// A list of laws from elsewhere, a critic say: entries `{law_id, law, explanation}` or `{id, ltl, why}`, with `kind` where
/// they are not soft.
///
/// # Errors
/// What is wrong with the text.
pub fn read_laws(text: &str) -> Result<Vec<Value>, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("the laws are no JSON: {error}"))?;
    let list = value.get("laws").or_else(|| value.get("law")).unwrap_or(&value);
    let list = list.as_array().ok_or("the laws are no list")?;
    let mut laws = Vec::new();
    for (i, entry) in list.iter().enumerate() {
        let text = |names: [&str; 2]| names.iter().find_map(|name| entry.get(*name)?.as_str());
        let ltl = text(["law", "ltl"]).ok_or_else(|| format!("law {} has no `law`", i + 1))?;
        let id = text(["law_id", "id"]).map_or_else(|| format!("law-{}", i + 1), str::to_string);
        let kind = entry.get("kind").and_then(Value::as_str).unwrap_or("soft");
        if kind == "assume" {
            continue;
        }
        laws.push(
            json!({ "id": id, "kind": kind, "ltl": ltl, "why": text(["explanation", "why"]).unwrap_or("") }),
        );
    }
    Ok(laws)
}
