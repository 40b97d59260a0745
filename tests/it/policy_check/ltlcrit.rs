//! The laws of LTLCrit (seed 003), `fixtures/papers/agents/ltlcrit` and those beside the repository: expected conflicts, over-constrained states, allowed actions.

use super::{checked, input, name};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Code;
use tsl_synth_core::logic::Letter;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{AnalysisFrame, Shape, blocked_after, cores, ground, shape};
use tsl_synth_policy::language::{LawAtom, LawKind, Named};
use tsl_synth_service::{LoggedSession, PolicyCheckReport, PolicyCheckRequest, PolicyVerdict, Session};
use tsl_synth_testkit as support;

/// The allowed actions, the laws that block each other action, and the minimal cores.
type Judged = (BTreeSet<String>, BTreeMap<String, BTreeSet<String>>, Vec<BTreeSet<String>>);

pub(crate) const SETS: [&str; 4] =
    ["saycan_hard", "saycan_hard+soft(as printed)", "saycan_hard+soft(normalised 007)", "innermonologue"];

/// The folders of cases, our own first.
pub(crate) fn cases() -> Vec<PathBuf> {
    support::cases("agents/ltlcrit")
}

/// A file of a folder of cases. Our own folder has no lists of laws: they are those of the gallery.
pub(crate) fn read(folder: &Path, file: &str) -> Value {
    let text = match file.strip_prefix("laws_").map(|list| (list, folder.join(file))) {
        Some((list, path)) if !path.is_file() => return laws_of_gallery(list.trim_end_matches(".json")),
        _ => std::fs::read_to_string(folder.join(file)).expect("a case"),
    };
    serde_json::from_str(&text).expect("JSON")
}

/// A list of laws of the paper, from the policies of the gallery. The paper prints the soft law 7 with names that are
/// not in its alphabet; the gallery has it with the names that are meant.
fn laws_of_gallery(list: &str) -> Value {
    let (file, prefix) = match list {
        "saycan_hard" => ("saycan.json", "saycan-hard-"),
        "saycan_soft" => ("saycan.json", "saycan-soft-"),
        "innermonologue" => ("innermonologue.json", "im-"),
        other => panic!("no list of laws is called {other}"),
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies").join(file);
    let policy: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a policy")).expect("JSON");
    let all = policy["law"].as_array().expect("laws").iter();
    let own = all.filter(|law| law["id"].as_str().is_some_and(|id| id.starts_with(prefix)));
    let laws = own.map(|law| {
        let ltl = law["ltl"].as_str().expect("a formula");
        let mut entry =
            json!({"law_id": law["id"], "kind": law["kind"], "law": ltl, "explanation": law["why"]});
        if law["id"] == "saycan-soft-007" {
            let printed = ltl.replace("wood_pickaxe", "wooden_pickaxe");
            entry["law"] = printed.into();
            entry["normalised"] = ltl.into();
        }
        entry
    });
    json!({ "laws": laws.collect::<Vec<Value>>() })
}

pub(crate) fn texts(value: &Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|one| one.as_str().expect("a text").to_string()).collect()
}

/// The laws of a set as entries of a policy. The soft law 7 as printed is left out: it has names that do not exist, so
/// it never fires.
pub(crate) fn laws(folder: &Path, set: &str) -> Vec<Value> {
    let files: &[&str] = match set {
        "saycan_hard" => &["laws_saycan_hard.json"],
        "innermonologue" => &["laws_innermonologue.json"],
        _ => &["laws_saycan_hard.json", "laws_saycan_soft.json"],
    };
    let all = files.iter().flat_map(|file| read(folder, file)["laws"].as_array().expect("laws").clone());
    all.filter(|law| law.get("normalised").is_none() || set.contains("normalised"))
        .map(|law| {
            let ltl = law.get("normalised").unwrap_or(&law["law"]);
            json!({"id": law["law_id"], "kind": law["kind"], "ltl": ltl})
        })
        .collect()
}

/// A policy over the alphabet of the paper; the implications between its propositions are laws of the world.
pub(crate) fn policy(folder: &Path, laws: Vec<Value>) -> String {
    let alphabet = read(folder, "alphabet.json");
    let names = |list: &str| -> Vec<String> {
        let all = alphabet[list].as_array().expect("a list").iter();
        all.map(|one| one["ap"].as_str().expect("a name").to_string()).collect()
    };
    let rules = [
        "(obs_has_11x_plank -> obs_has_4x_plank) & (obs_has_4x_plank -> obs_has_3x_plank)",
        "(obs_has_3x_plank -> obs_has_2x_plank) & (obs_has_2x_plank -> obs_has_plank)",
        "(obs_has_11x_cobble -> obs_has_8x_cobble) & (obs_has_8x_cobble -> obs_has_3x_cobble)",
        "obs_has_3x_iron_ingot -> obs_has_iron_ingot",
        "(obs_has_3x_iron_ore -> obs_has_2x_iron_ore) & (obs_has_2x_iron_ore -> obs_has_1x_iron_ore)",
        "!(obs_wood_pickaxe_equipped & obs_stone_pickaxe_equipped)",
        "!(obs_wood_pickaxe_equipped & obs_iron_pickaxe_equipped)",
        "!(obs_stone_pickaxe_equipped & obs_iron_pickaxe_equipped)",
        "obs_wood_pickaxe_equipped -> obs_has_wood_pickaxe",
        "obs_stone_pickaxe_equipped -> obs_has_stone_pickaxe",
        "obs_iron_pickaxe_equipped -> obs_has_iron_pickaxe",
    ];
    let world = rules
        .iter()
        .enumerate()
        .map(|(i, rule)| json!({"id": format!("world-{i}"), "kind": "assume", "ltl": format!("G({rule})")}));
    let propositions: BTreeMap<String, Value> =
        names("observations").into_iter().map(|name| (name, json!({}))).collect();
    let policy = json!({
        "policy": 1, "timing": "next", "idle": false, "look_ahead": false,
        "propositions": propositions,
        "actions": {"groups": [names("actions")]},
        "law": world.chain(laws).collect::<Vec<Value>>(),
    });
    policy.to_string()
}

fn of_set(folder: &Path, set: &str) -> PolicyCheckReport {
    checked("laws.json", &policy(folder, laws(folder, set)))
}

fn letter(compiled: &CompiledPolicy, names: &[String]) -> Letter {
    let atoms = &compiled.policy.atoms;
    let bit = |name: &String| match atoms.named(name) {
        Some(Named::Proposition(id)) => atoms.bit(LawAtom::Proposition(id)),
        Some(Named::Action(id)) => atoms.bit(LawAtom::Call(id)),
        other => panic!("{name}: {other:?}"),
    };
    names.iter().map(bit).collect()
}

/// After a word: the allowed actions, and for each other action the laws that block it.
fn after(report: &PolicyCheckReport, frame: &mut AnalysisFrame<'_>, letters: &[Letter]) -> Judged {
    let (available, blocked) = blocked_after(frame, letters, &Budget::unlimited()).expect("no limit");
    let mut by: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (law, choices) in &blocked {
        for choice in choices.iter() {
            by.entry(name(frame, choice)).or_default().insert(report.law(*law).to_string());
        }
    }
    let allowed = available.iter().map(|choice| name(frame, choice)).filter(|name| !by.contains_key(name));
    let core = |core: Vec<_>| core.into_iter().map(|law| report.law(law).to_string()).collect();
    let all = cores(&available, &blocked).into_iter().map(core).collect();
    (allowed.collect(), by, all)
}

#[test]
fn the_pairs_that_exclude_each_other_are_found() {
    for folder in cases() {
        let expected = read(&folder, "conflict_pairs.json");
        for (set, count) in SETS.into_iter().zip([0, 32, 41, 34]) {
            let report = of_set(&folder, set);
            let found: BTreeSet<BTreeSet<String>> = report
                .conflicts
                .found
                .iter()
                .map(|conflict| conflict.laws.iter().map(|&law| report.law(law).to_string()).collect())
                .collect();
            let pairs = expected["pairs"][set].as_array().expect("pairs");
            let pairs: BTreeSet<BTreeSet<String>> =
                pairs.iter().map(|pair| texts(&pair["laws"]).into_iter().collect()).collect();
            assert_eq!((found.len(), &found), (count, &pairs), "{set}");
            assert!(report.conflicts.undecided.is_empty());
            // Each of these words is one letter that violates no other law, so all laws together leave no action, either.
            for conflict in &report.conflicts.found {
                assert!(conflict.others.is_empty() && conflict.trajectory.letters.len() == 1, "{conflict:?}");
            }
            let verdict = if count == 0 { PolicyVerdict::Consistent } else { PolicyVerdict::OverConstrained };
            assert_eq!(report.verdict, verdict, "{set}");
        }
    }
}

#[test]
fn the_known_words_into_over_constrained_states_are_legal() {
    for folder in cases() {
        for trace in read(&folder, "deadlock_traces.json")["traces"].as_array().expect("traces") {
            let set = match trace["law_set"].as_str().expect("a name") {
                "saycan_hard+soft(as printed)" => SETS[1],
                other => other,
            };
            let report = of_set(&folder, set);
            let compiled = &report.compiled;
            let mut frame = AnalysisFrame::new(compiled, &Budget::unlimited()).expect("no limit");
            let steps = trace["trajectory"].as_array().expect("steps");
            let mut letters: Vec<Letter> = Vec::new();
            let mut action: Option<String> = None;
            for step in steps {
                let names: Vec<String> = texts(&step["obs_true"]).into_iter().chain(action.take()).collect();
                letters.push(letter(compiled, &names));
                let (allowed, _, cores) = after(&report, &mut frame, &letters);
                action = step["action"].as_str().map(str::to_string);
                if let Some(action) = &action {
                    assert!(allowed.contains(action), "{action} in {step}: {allowed:?}");
                } else {
                    let core: BTreeSet<String> = texts(&trace["core"]).into_iter().collect();
                    assert!(allowed.is_empty() && cores.contains(&core), "{cores:?}");
                }
            }
            assert_eq!(letters.len() as u64 - 1, trace["length"].as_u64().expect("a number"));
        }
    }
}

#[test]
fn allowed_actions_of_states_are_as_expected() {
    for folder in cases() {
        let cases = read(&folder, "state_cases.json");
        let cases = cases["cases"].as_array().expect("cases");
        assert!(cases.len() >= 12, "{} states", cases.len());
        for set in SETS {
            let report = of_set(&folder, set);
            let compiled = &report.compiled;
            let mut frame = AnalysisFrame::new(compiled, &Budget::unlimited()).expect("no limit");
            for case in cases {
                let expected = &case["expect"][set];
                let word = [letter(compiled, &texts(&case["obs_true"]))];
                let (allowed, by, cores) = after(&report, &mut frame, &word);
                let what = format!("{} / {set}", case["name"]);
                assert_eq!(allowed, texts(&expected["allowed"]).into_iter().collect(), "{what}");
                let expected_by = expected["blocked_by"].as_object().expect("a table");
                let expected_by: BTreeMap<String, BTreeSet<String>> =
                    expected_by.iter().map(|(k, v)| (k.clone(), texts(v).into_iter().collect())).collect();
                assert_eq!(by, expected_by, "{what}");
                assert_eq!(Some(allowed.is_empty()), expected["over_constrained"].as_bool(), "{what}");
                let known: BTreeSet<BTreeSet<String>> = match expected["conflict_cores"].as_array() {
                    Some(cores) => cores.iter().map(|core| texts(core).into_iter().collect()).collect(),
                    None => BTreeSet::new(),
                };
                assert_eq!(cores.into_iter().collect::<BTreeSet<_>>(), known, "{what}");
                if let Some(fallback) = expected.get("fallback_hard_only") {
                    let is_hard = |id: &String| {
                        compiled.policy.laws.iter().any(|law| law.id == *id && law.kind == LawKind::Hard)
                    };
                    let left = frame.choices.ids().map(|choice| name(&frame, choice));
                    let left: BTreeSet<String> = left
                        .filter(|action| !by.get(action).is_some_and(|laws| laws.iter().any(is_hard)))
                        .collect();
                    assert_eq!(left, texts(fallback).into_iter().collect(), "{what}");
                }
            }
        }
    }
}

fn own_policy(file: &str) -> PolicyCheckReport {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies").join(file);
    checked(file, &std::fs::read_to_string(path).expect("a policy"))
}

/// The lengths of the words into over-constrained states, with the laws of the cores.
fn lengths(report: &PolicyCheckReport) -> Vec<(usize, Vec<&str>)> {
    let of = |stuck: &tsl_synth_policy::analysis::Stuck| {
        (stuck.trajectory.len(), stuck.core.iter().map(|&law| report.law(law)).collect())
    };
    report.stuck.iter().map(of).collect()
}

#[test]
fn the_world_of_the_paper_leads_there_in_as_many_steps() {
    let report = own_policy("saycan.json");
    let found = lengths(&report);
    assert_eq!(report.verdict, PolicyVerdict::OverConstrained);
    assert_eq!(found[0], (12, vec!["saycan-soft-001", "saycan-soft-008"]), "{found:?}");
    assert!(found.contains(&(14, vec!["saycan-hard-002", "saycan-soft-009"])), "{found:?}");
    assert_eq!(report.conflicts.found.len(), 41);
}

#[test]
fn the_world_of_inner_monologue_leads_there_in_as_many_steps() {
    let report = own_policy("innermonologue.json");
    let found = lengths(&report);
    assert_eq!(found[0], (20, vec!["im-006", "im-007"]), "{found:?}");
    assert_eq!(report.conflicts.found.len(), 34);
}

#[test]
fn unknown_names_are_errors() {
    for folder in cases() {
        let soft = read(&folder, "laws_saycan_soft.json");
        let law = soft["laws"].as_array().expect("laws").iter().find(|law| law.get("normalised").is_some());
        let law = law.expect("law 7");
        let text = policy(&folder, vec![json!({"id": law["law_id"], "kind": "soft", "ltl": law["law"]})]);
        let failure = Session::new()
            .check_policy(&PolicyCheckRequest::new(input("laws.json", text)))
            .expect_err("unknown");
        let found: Vec<_> = failure.diagnostics.iter().filter(|d| d.code == Code::POLICY_UNKNOWN).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        let hints = format!("{found:?}");
        for near in ["obs_has_wood_pickaxe", "obs_wood_pickaxe_equipped", "action_equip_wood_pickaxe"] {
            assert!(hints.contains(&format!("`{near}`?")), "{near}: {hints}");
        }
    }
}

/// A policy with these laws over the names of the small cases.
fn small(folder: &Path, laws: &[&str]) -> PolicyCheckReport {
    let misc = read(folder, "misc_cases.json");
    let with = &misc["law_shape"]["with_props"];
    let propositions: BTreeMap<String, Value> =
        texts(&with["obs"]).into_iter().map(|name| (name, json!({}))).collect();
    let laws = laws.iter().enumerate().map(|(i, law)| json!({"id": format!("law-{i}"), "ltl": law}));
    let policy = json!({
        "policy": 1, "timing": "next", "idle": false,
        "propositions": propositions,
        "actions": {"groups": [with["actions"]]},
        "law": laws.collect::<Vec<Value>>(),
    });
    checked("small.json", &policy.to_string())
}

#[test]
fn shapes_of_laws() {
    for folder in cases() {
        let misc = read(&folder, "misc_cases.json");
        let of = |law: &str| {
            let report = small(&folder, &[law]);
            let mut frame = AnalysisFrame::new(&report.compiled, &Budget::unlimited()).expect("no limit");
            shape(&mut frame, report.compiled.policy.laws.ids().next().expect("a law"))
        };
        for law in texts(&misc["law_shape"]["accept"]) {
            assert_eq!(of(&law), Shape::StateAction, "{law}");
        }
        for case in misc["law_shape"]["reject"].as_array().expect("cases") {
            let law = case["law"].as_str().expect("a law");
            let expected = match (case["shape"].as_str(), law) {
                (Some("no-action"), _) | (None, "G(p -> X(a & b))") => Shape::NoAction,
                (Some("other"), _) | (None, "G(p -> a)" | "F(a)") => Shape::Other,
                (Some("world"), _) | (None, "G(p -> X(q))") => Shape::AboutTheWorld,
                (Some("history"), _) | (None, "G(a -> X(!b))") => Shape::History,
                // The names do not exist: an error, tested above.
                (None, _) => continue,
                (Some(other), _) => panic!("no shape is called {other}"),
            };
            assert_eq!(of(law), expected, "{law}");
        }
    }
}

#[test]
fn laws_are_grounded_where_their_premise_occurs() {
    for folder in cases() {
        let misc = read(&folder, "misc_cases.json");
        let grounding = &misc["grounding"];
        let cases = grounding["cases"].as_array().expect("cases");
        let laws: Vec<&str> = cases.iter().map(|case| case["law"].as_str().expect("a law")).collect();
        let report = small(&folder, &laws);
        let mut session = LoggedSession { name: "one".into(), ..LoggedSession::default() };
        let mut action: Option<String> = None;
        for step in grounding["trajectory"].as_array().expect("steps") {
            let names: Vec<String> = texts(&step["obs"]).into_iter().chain(action.take()).collect();
            session.letters.push(letter(&report.compiled, &names));
            action = step["action"].as_str().map(str::to_string);
        }
        let found = ground(&report.compiled, [&session]);
        for (case, own) in cases.iter().zip(&found) {
            assert_eq!(Some(own.is_grounded), case["grounded"].as_bool(), "{case}");
            let steps: Vec<u64> = own.steps.iter().map(|&(_, step)| step as u64).collect();
            let expected = case["witness_steps"].as_array().cloned().unwrap_or_default();
            assert_eq!(steps, expected.iter().filter_map(Value::as_u64).collect::<Vec<_>>(), "{case}");
        }
        // Beside the repository, the first action is `a`, which the first and the last law forbid after `p`. The last
        // action of a trajectory is in no letter.
        for (i, (case, own)) in cases.iter().zip(&found).enumerate() {
            let expected: Vec<usize> = match case["violated"].as_array() {
                Some(steps) => steps.iter().map(|step| step.as_u64().expect("a step") as usize).collect(),
                None => {
                    if i == 0 || i == 3 {
                        vec![1]
                    } else {
                        Vec::new()
                    }
                }
            };
            assert_eq!(own.violated.iter().map(|&(_, step)| step).collect::<Vec<_>>(), expected, "{case}");
        }
    }
}
