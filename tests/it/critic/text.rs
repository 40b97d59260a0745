//! Edits in the text of policies, and edits as models write them.

use crate::policies::compiled;
use tsl_synth_core::model::{EditKind, LawEdit};
use tsl_synth_policy::language::{LawKind, OnViolation};
use tsl_synth_policy::law_edits::read_edits;
use tsl_synth_policy::policy_text::edit_law;

pub(super) fn edit(kind: EditKind, id: &str, ltl: &str) -> LawEdit {
    LawEdit { kind, id: id.into(), ltl: ltl.into(), why: "Because \"of\" this.".into() }
}

fn is_json(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|ending| ending == "json")
}

/// The policies of the gallery, and two bare lists of laws.
fn texts() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies");
    let mut all: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the gallery")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml" || ending == "json"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a policy"))
        })
        .collect();
    all.sort();
    let bare = "[\n  {\"law_id\": \"one\", \"law\": \"G(p -> X(action_a))\", \"explanation\": \"x\"}\n]\n";
    all.push(("bare.json".into(), bare.into()));
    all.push((
        "unnamed.json".into(),
        "[{\"law\":\"G(p -> X(action_a))\"},{\"ltl\":\"G(q -> X(action_b))\"}]".into(),
    ));
    all
}

#[test]
fn a_law_is_added_replaced_and_deleted_and_all_else_stays() {
    for (name, text) in texts() {
        let is_json = is_json(&name);
        let before = compiled(&name, &text);
        let atoms = &before.policy.atoms;
        let names =
            atoms.propositions.iter().map(|own| &own.name).chain(atoms.actions.iter().map(|own| &own.name));
        let proposition = names.into_iter().next().expect("a name").clone();
        let first = format!("G (\"{proposition}\" -> X \"{proposition}\")");
        let added = edit_law(&text, is_json, &edit(EditKind::Add, "new one", &first)).expect("added");
        let with = compiled(&name, &added);
        let last = with.policy.laws.iter().last().expect("a law");
        assert_eq!(
            (last.id.as_str(), last.kind, last.ltl.as_str()),
            ("new one", LawKind::Soft, first.as_str())
        );
        assert_eq!(last.why, "Because \"of\" this.", "{name}");
        assert_eq!(with.policy.laws.len(), before.policy.laws.len() + 1, "{name}");
        // Every line of the text is still there, in order.
        let mut lines = added.lines();
        // A list in a single line is split into several lines.
        for line in text.lines().filter(|_| name != "unnamed.json") {
            let trimmed = line.trim_end_matches([',', ']', '}', ' ']);
            assert!(
                lines.any(|own| own.trim_start().starts_with(trimmed.trim_start())),
                "{name}: `{line}` in\n{added}"
            );
        }
        let second = format!("G !\"{proposition}\"");
        let replaced =
            edit_law(&added, is_json, &edit(EditKind::Replace, "new one", &second)).expect("replaced");
        let own = compiled(&name, &replaced);
        assert_eq!(own.policy.laws.iter().last().expect("a law").ltl, second, "{name}");
        let deleted = edit_law(&replaced, is_json, &edit(EditKind::Delete, "new one", "")).expect("deleted");
        let after = compiled(&name, &deleted);
        assert_eq!(after.policy.laws.len(), before.policy.laws.len(), "{name}");
        if !is_json {
            assert_eq!(deleted, text, "{name}");
        }
    }
}

#[test]
fn a_named_pattern_gives_way_to_a_formula() {
    let text = "policy = 1 # first\n[actions]\ngroups = [[\"a\", \"b\"]]\n# before\n[[law]]\nid = \"x\"\nkind = \"soft\"\nrule = \"a requires b before\" # own\n# after\n";
    let new = edit_law(text, false, &edit(EditKind::Replace, "x", "G !a")).expect("replaced");
    assert!(!new.contains("rule") && new.contains("ltl = \"G !a\""), "{new}");
    assert!(new.contains("# first") && new.contains("# before") && new.contains("# after"), "{new}");
    compiled("x.toml", &new);
}

#[test]
fn laws_of_rules_are_edited_where_they_stand() {
    let toml = "policy = 1\n[actions]\ngroups = [[\"a\", \"b\"]]\n# ours\n[rules]\nx = \"a requires b before\" # one\n\
                y = { rule = \"never b\", on_violation = \"ask\", why = \"w\" }\n";
    let json = "{\"policy\": 1, \"actions\": {\"groups\": [[\"a\", \"b\"]]},\n \"rules\": {\"x\": \"a requires b before\",\n\
                \"y\": {\"rule\": \"never b\", \"on_violation\": \"ask\", \"why\": \"w\"}}}\n";
    for (name, text) in [("x.toml", toml), ("x.json", json)] {
        let is_json = is_json(name);
        let laws = |text: &str| -> Vec<(String, String, OnViolation)> {
            let laws = &compiled(name, text).policy.laws;
            laws.iter().map(|law| (law.id.clone(), law.ltl.clone(), law.on_violation)).collect()
        };
        let law = |id: &str, ltl: &str, answer| (id.to_owned(), ltl.to_owned(), answer);
        let (x, y) = (law("x", "G(a -> O b.ok)", OnViolation::Deny), law("y", "G !b", OnViolation::Ask));
        assert_eq!(laws(text), [x.clone(), y.clone()], "{name}");
        let edited = |kind, id: &str, ltl: &str| {
            let new = edit_law(text, is_json, &edit(kind, id, ltl)).expect("an edit");
            assert!(is_json || new.contains("# ours"), "{new}");
            new
        };
        assert_eq!(laws(&edited(EditKind::Delete, "x", "")), std::slice::from_ref(&y), "{name}");
        let new = law("x", "G !a", OnViolation::Deny);
        assert_eq!(laws(&edited(EditKind::Replace, "x", "G !a")), [new, y.clone()], "{name}");
        let new = law("y", "G !a", OnViolation::Ask);
        assert_eq!(laws(&edited(EditKind::Replace, "y", "G !a")), [x.clone(), new], "{name}");
        let added = laws(&edited(EditKind::Add, "z", "G !a"));
        assert!(added.contains(&x) && added.contains(&y) && added.len() == 3, "{added:?}");
        let fault = edit_law(text, is_json, &edit(EditKind::Add, "x", "G !a")).expect_err("taken");
        assert!(fault.to_string().contains("already"), "{name}: {fault}");
    }
}

#[test]
fn an_edit_of_a_law_that_is_not_there_is_an_error() {
    for (name, text) in texts() {
        let is_json = is_json(&name);
        for kind in [EditKind::Replace, EditKind::Delete] {
            let fault = edit_law(&text, is_json, &edit(kind, "nowhere", "G true")).expect_err("no such law");
            assert!(fault.to_string().contains("no law `nowhere`"), "{name}: {fault}");
        }
        let known = compiled(&name, &text).policy.laws.iter().next().expect("a law").id.clone();
        let fault = edit_law(&text, is_json, &edit(EditKind::Add, &known, "G true")).expect_err("taken");
        assert!(fault.to_string().contains("already"), "{name}: {fault}");
    }
}

#[test]
fn answers_of_models_are_read_with_their_fences_and_faults() {
    let good = r#"[{"op":"add","law_id":"x","law":"G p","explanation":"why"},{"op":"delete","id":"y"}]"#;
    for text in
        [good.to_owned(), format!("Here:\n```json\n{good}\n```\nDone."), format!("{{\"edits\":{good}}}")]
    {
        let edits = read_edits(&text).expect("a list");
        let kinds: Vec<EditKind> = edits.iter().map(|edit| edit.as_ref().expect("an edit").kind).collect();
        assert_eq!(kinds, [EditKind::Add, EditKind::Delete], "{text}");
    }
    for text in ["", "no", "{}", "[1", "{\"edits\":3}"] {
        assert!(read_edits(text).is_err(), "{text}");
    }
    let bad = r#"[3,{"op":"drop","law_id":"x"},{"op":"add","law_id":"x"},{"op":"add","law_id":"","law":"G p"},{"op":"delete","law_id":"a\u0007"}]"#;
    let edits = read_edits(bad).expect("a list");
    assert!(edits.len() == 5 && edits.iter().all(Result::is_err), "{edits:?}");
}
