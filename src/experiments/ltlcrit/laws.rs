//! Lists of laws: those that the paper prints, by kind or repaired, and those of other sources.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use tsl_synth_core::base::Budget;
use tsl_synth_policy::analysis::{AnalysisFrame, conflicts};
use tsl_synth_service::{Failure, Input, LoadedPolicy, Session};

/// The policies of the gallery.
pub(super) const SAYCAN: &str = tsl_synth_specs::text("policies/saycan.json");
pub(super) const INNER_MONOLOGUE: &str = tsl_synth_specs::text("policies/innermonologue.json");

/// A law as an entry of a policy.
pub(super) type Law = Value;

/// Parses the text of a built-in policy.
pub(super) fn value(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::internal(format!("a policy of ours: {error}")))
}

/// The laws of one kind in a policy; laws are hard unless they say otherwise.
pub(super) fn laws(policy: &Value, kind: &str) -> Vec<Law> {
    let all = policy["law"].as_array().into_iter().flatten();
    all.filter(|law| law.get("kind").and_then(Value::as_str).unwrap_or("hard") == kind).cloned().collect()
}

/// The policy with these laws in the place of its own, but for assumptions. As in the paper, soft laws are dropped if no
/// action is left.
pub(super) fn policy(base: &Value, laws: &[Law]) -> String {
    let mut policy = base.clone();
    let world = self::laws(base, "assume");
    policy["law"] = world.into_iter().chain(laws.iter().cloned()).collect();
    policy["fallback"] = json!("hard");
    if base["look_ahead"] == false {
        // Without look-ahead, no law depends on the effects of actions.
        policy["quantities"] = json!({});
        policy["actions"]["effects"] = json!({});
    }
    policy.to_string()
}

/// Reads and compiles a policy.
pub(crate) fn load(text: &str) -> Result<LoadedPolicy, Failure> {
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

/// The laws, weakened so that no state is over-constrained: a law does not apply where the condition of a conflicting
/// law of higher priority holds. Hard laws have priority over soft ones, and later soft ones over earlier ones: the
/// paper prints them in the order of the task, so later ones are nearer to the goal. Of two conflicting laws, the one
/// of lower priority is left out if one of them is not of the form `G(p -> X(q))`.
pub(super) fn repaired(base: &Value, laws: &[Law]) -> Result<Vec<Law>, Failure> {
    let conflicting = conflicting(&policy(base, laws))?;
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

/// Reads a list of laws, for example of a critic. Its entries are `{law_id, law, explanation}` or `{id, ltl, why}`,
/// with `kind` unless they are soft. Assumptions are skipped.
///
/// # Errors
/// A text that is not such a list.
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
