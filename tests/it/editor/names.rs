//! Names: definitions, references, and renaming.

use super::{marked, read, texts, tsl};
use tsl_synth_service::SpecLanguage;
use tsl_synth_service::editor::{EditProposal, Introduction, NameRole, Sketch, TextEdit};
use tsl_synth_testkit::quota;

fn renamed(sketch: &Sketch, text: &str, at: usize, name: &str) -> Result<String, String> {
    let edits = sketch.rename(at, name)?;
    Ok(apply(text, &edits))
}

fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut text = text.to_string();
    for edit in edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.text);
    }
    text
}

#[test]
fn a_broken_clause_hides_nothing_but_itself() {
    let (text, at) = marked(
        "cell lamp: Bool = false;\nboth a b = a && b;\n\nalways guarantee {\n  press -> -> [lamp <- ;\n  both §press lamp;\n}\n\nalways assume { F press; }\n",
    );
    let sketch = tsl(&text);
    let names: Vec<&str> = sketch.outline().iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["lamp", "both", "always guarantee", "always assume"]);
    // References in clauses with syntax errors are found, too.
    assert_eq!(sketch.references(at).len(), 3);
    let lamp = text.rfind("lamp").expect("used");
    assert_eq!(sketch.definition(lamp), Some(Introduction::Here(5..9)));
    let found = read(SpecLanguage::Tsl, &text).findings;
    assert!(found.len() >= 2, "{found:?}");
}

#[test]
fn parameters_and_bound_variables_are_names_of_their_own() {
    let (text, at) = marked("f x = x && §y;\ng x = !x;\nguarantee { f x; &&[y IN {1, 2}] p y; y; }\n");
    let sketch = tsl(&text);
    let of = |at: usize| sketch.named_at(at).map(|(thing, _)| thing.role);
    assert_eq!(of(text.find("= x").expect("x") + 2), Some(NameRole::Parameter));
    assert_eq!(of(text.find("p y").expect("y") + 2), Some(NameRole::Variable));
    assert_eq!(of(text.find("p y").expect("p")), Some(NameRole::Predicate));
    assert_eq!(sketch.references(at).len(), 2, "the bound variable is another one");
    assert_eq!(sketch.references(2).len(), 2);
}

#[test]
fn a_file_that_breaks_off_in_a_comment_is_known_up_to_there() {
    let text = "input press;\nalways guarantee { press -> [lamp <- on()]; }\n/* and so on";
    let sketch = tsl(text);
    assert_eq!(sketch.references(text.rfind("press").expect("used")).len(), 2);
    assert_eq!(sketch.outline().len(), 2);
}

#[test]
fn names_of_every_language_have_their_roles() {
    let tlsf = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }\nGLOBAL { PARAMETERS { n = 2; } DEFINITIONS { f(b) = b && a; } }\nMAIN { INPUTS { a; } OUTPUTS { r[n]; } GUARANTEES { &&[0 <= i < n] G (f(a) -> F r[i]); } }\n";
    let sketch = Sketch::new(SpecLanguage::Tlsf, tlsf);
    let of = |sketch: &Sketch, at: usize| sketch.named_at(at).map(|(thing, _)| thing.role);
    let place = |what: &str| tlsf.rfind(what).unwrap_or_else(|| panic!("{what}"));
    assert_eq!(of(&sketch, place("f(a)")), Some(NameRole::Definition));
    assert_eq!(of(&sketch, place("a) ->")), Some(NameRole::Input));
    assert_eq!(of(&sketch, place("r[i]")), Some(NameRole::Output));
    assert_eq!(of(&sketch, place("i])")), Some(NameRole::Variable));
    assert_eq!(of(&sketch, place("b && a")), Some(NameRole::Parameter));
    assert_eq!(sketch.references(place("Mealy }")).len(), 0, "a value of a key is no name");
    let ltl = "// inputs: req\n// outputs: grant\nG(req -> Fgrant)\n";
    let sketch = Sketch::new(SpecLanguage::Ltl, ltl);
    let grant = ltl.rfind("grant").expect("used");
    assert_eq!(of(&sketch, grant), Some(NameRole::Output));
    assert_eq!(sketch.references(grant).len(), 2);
    let after = renamed(&sketch, ltl, grant, "answer").expect("a name");
    assert_eq!(after, ltl.replace("grant", "answer"));
    assert!(sketch.rename(grant, "Fine").is_err(), "read as `F ine`");
}

#[test]
fn other_names_that_would_be_read_differently_are_refused() {
    let (text, at) =
        marked("twice x = x && other;\nalways guarantee { §press -> [lamp <- on()]; twice press; }\n");
    let sketch = tsl(&text);
    for (name, why) in [
        ("lamp", "there is already"),
        ("other", "there is already"),
        ("twice", "there is already"),
        ("X", "cannot be a name"),
        ("always", "cannot be a name"),
        ("a b", "cannot be a name"),
        ("", "cannot be a name"),
        ("1a", "cannot be a name"),
        ("a;b", "cannot be a name"),
    ] {
        let refused = sketch.rename(at, name).expect_err(name);
        assert!(refused.contains(why), "{name}: {refused}");
    }
    assert_eq!(renamed(&sketch, &text, at, "pressed"), Ok(text.replace("press", "pressed")));
    let parameter = text.find("x &&").expect("x");
    assert!(sketch.rename(parameter, "other").is_err(), "it would hide the one that is used");
    assert!(sketch.rename(parameter, "y").is_ok());
}

/// Renaming any name of the gallery changes neither the findings nor the number of names.
#[test]
fn every_name_of_the_gallery_can_be_renamed() {
    let mut count = 0;
    let sampled = if quota(1) > 1 { 1 } else { 4 };
    for (path, language, text) in texts().into_iter().step_by(sampled) {
        let sketch = Sketch::new(language, &text);
        let before = read(language, &text);
        let mut seen = Vec::new();
        for (at, _) in text.char_indices() {
            let Some((thing, range)) = sketch.named_at(at) else { continue };
            let key = (thing.name.clone(), thing.role, thing.introduced.clone());
            if range.start != at || seen.contains(&key) || text[..at].ends_with(" IN ") {
                continue;
            }
            seen.push(key);
            let after = renamed(&sketch, &text, at, "zebra9").unwrap_or_else(|why| {
                panic!("{}: `{}`: {why}", path.display(), thing.name);
            });
            let found = read(language, &after);
            assert_eq!(
                found.findings.iter().map(|one| one.code).collect::<Vec<_>>(),
                before.findings.iter().map(|one| one.code).collect::<Vec<_>>(),
                "{}: `{}`",
                path.display(),
                thing.name
            );
            let count_of =
                |reading: &super::Reading| reading.names.as_ref().map(std::collections::BTreeMap::len);
            assert_eq!(count_of(&found), count_of(&before), "{}: `{}`", path.display(), thing.name);
            count += 1;
        }
    }
    assert!(count > 50, "{count} names");
}

#[test]
fn fixes_are_tried_before_they_are_offered() {
    for (text, expected) in [
        (
            "always guarantee {\n  a -> [x <- b()]\n  c -> [x <- d()];\n}\n",
            "always guarantee {\n  a -> [x <- b()];\n  c -> [x <- d()];\n}\n",
        ),
        ("always guarantee { (a -> [x <- b()]; }\n", "always guarantee { (a -> [x <- b()]); }\n"),
        ("always guarantee { a & [x <- b()]; }\n", "always guarantee { a && [x <- b()]; }\n"),
        (
            "always guarantee { a && True -> [x <- b()]; }\n",
            "always guarantee { a && true -> [x <- b()]; }\n",
        ),
        (
            "always guarantee { press -> [lamp <- on()]; pres -> [lamp <- off()]; !press -> [lamp <- on()]; }\n",
            "always guarantee { press -> [lamp <- on()]; press -> [lamp <- off()]; !press -> [lamp <- on()]; }\n",
        ),
    ] {
        let sketch = tsl(text);
        let before = read(SpecLanguage::Tsl, text);
        let fixes: Vec<EditProposal> = before
            .findings
            .iter()
            .flat_map(|one| sketch.fixes(one, &before, &mut |text| read(SpecLanguage::Tsl, text)))
            .collect();
        let after: Vec<String> = fixes.iter().map(|fix| fix.apply(text)).collect();
        assert!(after.iter().any(|after| after == expected), "{text}: {after:#?}, {:#?}", before.findings);
        for after in after {
            let errors = |text: &str| {
                let found = read(SpecLanguage::Tsl, text).findings.into_iter();
                found.filter(|one| one.severity == tsl_synth_core::diag::Severity::Error).count()
            };
            assert!(errors(&after) <= errors(text), "{after}");
        }
    }
}
