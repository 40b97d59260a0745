//! Exports of FRET: verdicts by component, the two formulas of a requirement, random components against a contract in
//! which numbers are values.

use crate::cli::Folder;
use std::fmt::Write as _;
use std::path::Path;
use tsl_synth_core::base::Random;
use tsl_synth_fret::{Component, Requirement, contracts, read_export};
use tsl_synth_testkit as support;

/// The verdict of each component with its name.
fn verdicts(out: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (verdict, rest) = line.split_once(' ')?;
        let name = rest.split(':').next()?;
        ["REALIZABLE", "UNREALIZABLE", "UNKNOWN"].contains(&verdict).then(|| (name.into(), verdict.into()))
    };
    out.lines().filter_map(line).collect()
}

fn plant() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/fret/plant.json").to_string_lossy().into_owned()
}

#[test]
fn components_of_an_export_have_verdicts_and_conflicts() {
    let folder = Folder::new();
    let run = folder.run(["check", &plant()]).exits(1);
    let expected = [("tank", "REALIZABLE"), ("dosing", "UNREALIZABLE"), ("ramp", "REALIZABLE")]
        .map(|(a, b)| (a.into(), b.into()));
    assert_eq!(verdicts(&run.out), expected, "{}", run.out);
    assert!(run.out.contains("cannot be kept together: DOS-3-assumption, DOS-1, DOS-2"), "{}", run.out);
    folder.run(["check", &plant(), "--component", "tank", "--verdict-only"]).exits(0);
    let run = folder.run(["check", &plant(), "--format", "json"]).exits(1);
    let document: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let components = &document["results"][0]["components"];
    assert_eq!(components[1]["conflict"][1], "DOS-1", "{components}");
    assert_eq!(components[0]["contract"]["verdict"], "REALIZABLE");
}

#[test]
fn a_component_is_a_specification_for_other_verbs() {
    let folder = Folder::new();
    let component = ["--component", "tank"];
    let run = folder
        .run(["convert", &plant(), "--to", "ltl", "-o", "tank.ltl", component[0], component[1]])
        .exits(0);
    assert_eq!(run.err, "");
    folder.run(["check", "tank.ltl"]).exits(0);
    folder.run(["emit", &plant(), "--lang", "python", "-o", "tank.py", component[0], component[1]]).exits(0);
    let run = folder.run(["explain", &plant(), "--component", "dosing"]).exits(1);
    assert!(run.out.contains("UNREALIZABLE"), "{}", run.out);
    let run = folder.run(["emit", &plant(), "--lang", "python", "--component", "ramp"]).exits(2);
    assert!(run.err.contains("numbers of different steps"), "{}", run.err);
    let run = folder.run(["convert", &plant(), "--to", "ltl"]).exits(2);
    assert!(run.err.contains("`--component NAME`") && run.err.contains("`tank`"), "{}", run.err);
}

#[test]
fn faults_of_exports_are_named() {
    let folder = Folder::new();
    let run = folder.run(["check", &plant(), "--component", "Tank"]).exits(2);
    assert!(run.err.contains("there is no component `Tank`") && run.err.contains("`dosing`"), "{}", run.err);
    folder.file("half.json", "{\"requirements\": [{\"reqid\": \"A\"},");
    assert!(folder.run(["check", "half.json"]).exits(2).err.contains("half.json"));
    folder.file("empty.json", "{\"requirements\": [{\"reqid\": \"A\"}], \"variables\": 5}");
    let run = folder.run(["check", "empty.json"]).exits(3);
    assert!(run.out.contains("not read: A: FRET gives no formula for it"), "{}", run.out);
    folder.file("other.tsl", "always guarantee { [x <- x]; }");
    assert!(folder.run(["check", &plant(), "other.tsl"]).exits(2).err.contains("by themselves"));
    let deep = format!(
        "{{\"reqid\": \"A\", \"semantics\": {{\"type\": \"nasa\", \"ptExpanded\": \"{}\"}}}}",
        "(".repeat(200_000)
    );
    folder.file("deep.json", format!("[{deep}]"));
    assert!(folder.run(["check", "deep.json"]).exits(3).out.contains("nested more than"));
}

/// The guarantee of a contract for a requirement, without its operator "always", or as a whole.
fn clause(component: &Component, requirement: Requirement) -> Option<(String, String)> {
    let one = Component { requirements: vec![requirement], ..component.clone() };
    let made = contracts(&one, 0, |_| true);
    let text = made.exact()?;
    let id = &one.requirements[0].id;
    let line = text.lines().find_map(|line| line.trim().strip_suffix(&format!("; // {id}")))?;
    let header = text.lines().take(2).map(|line| line.split_once(": ").unwrap_or_default().1);
    Some((line.to_string(), header.collect::<Vec<_>>().join(", ")))
}

/// Whether the two formulas of each requirement say the same; returns how many were compared.
fn compare_formulas(text: &str, folder: &Folder) -> usize {
    let mut compared = 0;
    for component in read_export(text).expect("an export").components {
        for requirement in &component.requirements {
            let plain = Requirement { id: "R".into(), ..requirement.clone() };
            let past = clause(&component, Requirement { future: None, ..plain.clone() });
            let future = clause(&component, Requirement { past: None, ..plain });
            let (Some((past, names)), Some((future, others))) = (past, future) else { continue };
            let all = format!("{names}, {others}");
            let mut names: Vec<&str> = all.split(", ").filter(|name| !name.is_empty()).collect();
            names.sort_unstable();
            names.dedup();
            for (a, b) in [(&past, &future), (&future, &past)] {
                folder.file(
                    "both.ltl",
                    format!(
                        "// inputs: unused_input\n// outputs: {}\nguarantee {{ ({a}) & !({b}); }}\n",
                        names.join(", ")
                    ),
                );
                let run = folder.run(["check", "both.ltl", "--verdict-only", "--time-limit", "60s"]);
                assert!(run.out.starts_with("UNREALIZABLE"), "{}: {a}\n{b}\n{}", requirement.id, run.out);
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_formulas_about_the_past_and_about_infinite_runs_say_the_same() {
    let folder = Folder::new();
    let own = std::fs::read_to_string(plant()).expect("the gallery");
    assert!(compare_formulas(&own, &folder) >= 5);
    let Some(shared) = support::shared("cases/fret") else { return };
    let mut compared = 0;
    for file in ["fsm_reqts_and_vars.json", "LM_reqts_and_vars.json", "LPC_mini_reqts_and_vars.json"] {
        compared +=
            compare_formulas(&std::fs::read_to_string(shared.join(file)).expect("an export"), &folder);
    }
    assert!(compared >= 35, "{compared}");
}

#[test]
fn the_case_studies_come_out_as_known() {
    let Some(shared) = support::shared("cases/fret") else { return };
    let folder = Folder::new();
    let path = |file: &str| shared.join(file).to_string_lossy().into_owned();
    let check = |file: &str, component: &str| {
        let run = folder.run(["check", &path(file), "--component", component, "--verdict-only"]);
        run.out.split(' ').next().unwrap_or_default().to_owned()
    };
    for (file, component, expected) in [
        ("fsm_reqts_and_vars.json", "FSM", "UNREALIZABLE"),
        ("LM_reqts_and_vars.json", "liquid_mixer", "UNREALIZABLE"),
        ("LPC_full_reqts_and_vars.json", "vehicle", "UNREALIZABLE"),
        ("LPC_mini_reqts_and_vars.json", "vehicle", "UNREALIZABLE"),
        ("LM_requirements.json", "FSM_Autopilot", "UNREALIZABLE"),
        ("LM_requirements.json", "FSM_Sensor", "UNREALIZABLE"),
        ("LM_requirements.json", "FSM", "REALIZABLE"),
        ("LM_requirements.json", "NLGuidance", "UNKNOWN"),
    ] {
        assert_eq!(check(file, component), expected, "{file} {component}");
    }
}

/// Assumptions that end between the steps that a requirement is about, or that the system itself can break.
#[test]
fn guarantees_hold_only_as_long_as_the_assumptions() {
    let folder = Folder::new();
    let never = "(H (! ((H[0,1] (i > 3.0)) & (H[0,0] (Y TRUE)))))";
    let rate = "(H ((! (Y TRUE)) | ((x - preReal(0.0,x)) <= 1.0)))";
    let cases = [
        (vec![("A-assumption", never), ("R", never)], "REALIZABLE"),
        (vec![("R", never)], "UNREALIZABLE"),
        // The system breaks the assumption together with the equation.
        (vec![("A-assumption", "(H (x <= 5.0))"), ("R", "(H (x = i))"), ("S", "(H FALSE)")], "REALIZABLE"),
        (vec![("A-assumption", "(H (i <= 5.0))"), ("R", "(H (x = i))"), ("S", "(H FALSE)")], "UNREALIZABLE"),
        // Arithmetic alone says that this assumption holds.
        (
            vec![("A-assumption", "(H ((x <= 3.0) -> (x <= 5.0)))"), ("R", rate), ("S", "(H FALSE)")],
            "UNREALIZABLE",
        ),
        (vec![("A-assumption", "(H (Y (X (i > 0.0))))"), ("R", "(H (x > i))")], "REALIZABLE"),
    ];
    for (requirements, expected) in cases {
        let requirement = |(id, past): &(&str, &str)| {
            serde_json::json!({
                "reqid": id, "fulltext": "",
                "semantics": {"type": "nasa", "component_name": "c", "ptExpanded": past},
            })
        };
        let variable = |name: &str, kind: &str| serde_json::json!({"variable_name": name, "component_name": "c", "idType": kind, "dataType": "double"});
        let export = serde_json::json!({
            "requirements": requirements.iter().map(requirement).collect::<Vec<_>>(),
            "variables": [variable("i", "Input"), variable("x", "Output")],
        });
        folder.file("c.json", export.to_string());
        let run = folder.run(["check", "c.json", "--verdict-only"]);
        assert!(run.out.starts_with(&format!("{expected} c")), "{requirements:?}: {}{}", run.out, run.err);
    }
}

/// A random component over the numbers 0 to 3, as an export and as a contract in which each value is a proposition.
struct Random3 {
    export: String,
    reference: String,
}

const VALUES: i32 = 4;

fn small(random: &mut Random, below: usize) -> i32 {
    i32::try_from(random.below(below)).expect("small")
}

/// A comparison in the syntax of FRET and in LTL over the propositions of values.
fn comparison(random: &mut Random) -> (String, String) {
    let terms = ["i", "x", "y"];
    let relations = ["<", "<=", ">", ">=", "=", "!="];
    let relation = relations[random.below(relations.len())];
    let holds = |a: i32, b: i32| match relation {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "=" => a == b,
        _ => a != b,
    };
    let left = terms[random.below(3)];
    // The value of a term: this step's, or in the last step, 0 at first.
    let past = random.below(4) == 0;
    let is = |name: &str, past: bool, value: i32| match (past, value) {
        (false, _) => format!("{name}{value}"),
        (true, 0) => format!("Z {name}0"),
        (true, _) => format!("Y {name}{value}"),
    };
    let shown = |name: &str, past: bool| if past { format!("preReal(0.0,{name})") } else { name.to_string() };
    let any = |cases: Vec<String>| if cases.is_empty() { "0".to_string() } else { cases.join(" | ") };
    if random.flip() {
        let bound = small(random, 4);
        let cases = (0..VALUES).filter(|&v| holds(v, bound)).map(|v| is(left, past, v)).collect();
        return (format!("({} {relation} {bound}.0)", shown(left, past)), format!("({})", any(cases)));
    }
    let (right, offset) = (terms[random.below(3)], small(random, 3) - 1);
    let mut cases = Vec::new();
    for a in 0..VALUES {
        for b in 0..VALUES {
            if holds(a, b + offset) {
                cases.push(format!("({} & {})", is(left, past, a), is(right, false, b)));
            }
        }
    }
    let text =
        format!("({} {relation} ({right} + {offset}.0))", shown(left, past)).replace("+ -1.0", "- 1.0");
    (text, format!("({})", any(cases)))
}

fn body(random: &mut Random) -> (String, String) {
    let (a, b) = comparison(random);
    let (c, d) = comparison(random);
    match random.below(5) {
        0 => (a, b),
        1 => (format!("({a} -> {c})"), format!("({b} -> {d})")),
        2 => (format!("({a} | {c})"), format!("({b} | {d})")),
        3 => (format!("((Y {a}) -> {c})"), format!("((Y {b}) -> {d})")),
        _ => (format!("(({a} & (Z (! {a}))) -> {c})"), format!("(({b} & Z !{b}) -> {d})")),
    }
}

fn random_component(seed: u64) -> Random3 {
    let mut random = Random::new(seed);
    let mut requirements = Vec::new();
    let (mut assumed, mut guarantees) = (vec!["1".to_string()], Vec::new());
    let mut add = |id: String, past: &str| {
        requirements.push(serde_json::json!({
            "reqid": id, "fulltext": past,
            "semantics": {"type": "nasa", "component_name": "c", "ptExpanded": format!("(H {past})")},
        }));
    };
    for name in ["i", "x", "y"] {
        let id = if name == "i" { "range-assumption".to_string() } else { format!("range-{name}") };
        let whole: Vec<String> = (0..VALUES).map(|v| format!("({name} = {v}.0)")).collect();
        add(id, &format!("({})", whole.join(" | ")));
    }
    if random.below(3) == 0 {
        // Of inputs alone: the system could break another one with a number outside of the range.
        let of_inputs = |text: &str| !text.contains(['x', 'y']);
        let own = (0..20).map(|_| comparison(&mut random)).find(|(past, _)| of_inputs(past));
        if let Some((past, ltl)) = own {
            add("own-assumption".into(), &past);
            assumed.push(ltl);
        }
    }
    for n in 0..=random.below(4) {
        let (past, ltl) = body(&mut random);
        add(format!("R{n}"), &past);
        guarantees.push(ltl);
    }
    let one = |name: &str| {
        let all: Vec<String> = (0..VALUES).map(|v| format!("{name}{v}")).collect();
        let mut text = format!("({})", all.join(" | "));
        for a in 0..all.len() {
            for b in a + 1..all.len() {
                let _ = write!(text, " & !({} & {})", all[a], all[b]);
            }
        }
        text
    };
    let names = |name: &str| (0..VALUES).map(|v| format!("{name}{v}")).collect::<Vec<_>>().join(", ");
    let mut reference = format!(
        "// inputs: {}\n// outputs: {}, {}\nassume {{ G ({}); }}\nguarantee {{\n  G ({});\n  G ({});\n",
        names("i"),
        names("x"),
        names("y"),
        one("i"),
        one("x"),
        one("y")
    );
    for guarantee in guarantees {
        let _ = writeln!(reference, "  G (H ({}) -> {guarantee});", assumed.join(" & "));
    }
    reference += "}\n";
    let variable = |name: &str, kind: &str| serde_json::json!({"variable_name": name, "component_name": "c", "idType": kind, "dataType": "double"});
    let variables = [variable("i", "Input"), variable("x", "Output"), variable("y", "Output")];
    let export = serde_json::json!({"requirements": requirements, "variables": variables}).to_string();
    Random3 { export, reference }
}

fn compare_with_values(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let folder = Folder::new();
    let (mut decided, mut open) = (0, 0);
    for seed in seeds {
        let Random3 { export, reference } = random_component(seed);
        folder.file("c.json", &export);
        folder.file("reference.ltl", &reference);
        let run = folder.run(["check", "c.json", "--verdict-only"]);
        let found = run.out.split(' ').next().unwrap_or_default().to_owned();
        let known = folder.run(["check", "reference.ltl", "--verdict-only"]).out;
        let known = known.lines().next().unwrap_or_default();
        match found.as_str() {
            "UNKNOWN" => open += 1,
            found => {
                assert_eq!(found, known, "seed {seed}:\n{export}\n{reference}");
                decided += 1;
            }
        }
    }
    (decided, open)
}

#[test]
fn random_components_have_the_winner_of_contracts_over_values() {
    let (decided, open) = compare_with_values(0..3);
    println!("{decided} decided, {open} open");
    assert!(decided >= 2, "{decided} decided, {open} open");
}

#[test]
#[ignore = "campaign `fret`"]
fn campaign_of_random_components() {
    let count = std::env::var("TSL_SYNTH_FRET").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000);
    let seed = std::env::var("TSL_SYNTH_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(10_000);
    let (decided, open) = compare_with_values(seed..seed + count);
    println!("{decided} decided, {open} open, first seed {seed}");
}

#[test]
fn families_in_a_size_stay_readable() {
    let folder = Folder::new();
    for n in [1, 10, 100] {
        let requirement = |k: usize| {
            serde_json::json!({
                "reqid": format!("R{k}"), "fulltext": "",
                "semantics": {"type": "nasa", "component_name": "c",
                    "ptExpanded": format!("(H ((level > {k}.0) -> (flow >= {k}.5)))")},
            })
        };
        let variable = |name: &str, kind: &str| serde_json::json!({"variable_name": name, "component_name": "c", "idType": kind, "dataType": "double"});
        let export = serde_json::json!({
            "requirements": (0..n).map(requirement).collect::<Vec<_>>(),
            "variables": [variable("level", "Input"), variable("flow", "Output")],
        });
        folder.file("n.json", export.to_string());
        folder.run(["check", "n.json", "--verdict-only"]).exits(0);
    }
}
