//! Explanations: what is said about a specification without a controller is true of it, and the same everywhere.

use crate::cli::{Folder, Run};
use serde_json::Value;
use std::path::Path;
use tsl_synth_testkit::more;

fn tlsf(semantics: &str, target: &str, main: &str) -> String {
    format!(
        "INFO {{\n  TITLE: \"t\"\n  DESCRIPTION: \"t\"\n  SEMANTICS: {semantics}\n  TARGET: {target}\n}}\nMAIN {{\n{main}\n}}\n"
    )
}

fn shown(what: &str, run: &Run) {
    println!("{what}: exit {}: {}{}", run.code, run.out, run.err);
}

fn texts(clauses: &Value) -> Vec<String> {
    let all = clauses.as_array().expect("clauses").iter();
    all.map(|clause| clause["text"].as_str().expect("a text").to_owned()).collect()
}

/// The core of the only result of `check --format json`.
fn core_of(folder: &Folder, file: &str) -> (Vec<String>, Value) {
    let run = folder.run(["check", file, "--format", "json"]);
    let result = run.json()["results"][0].clone();
    println!("{file}: core {}", result["core"]);
    assert_eq!(result["verdict"], "UNREALIZABLE", "{file}");
    (texts(&result["core"]["guarantees"]), result)
}

/// Each of a file's repairs, applied to the text, as `explain` prints them.
fn repairs_of(result: &Value) -> Vec<String> {
    let empty = Vec::new();
    let hints = result["hints"].as_array().unwrap_or(&empty).iter();
    hints.map(|hint| format!("{} {}", hint["assume"], hint["weaken"])).collect()
}

const CONFLICT: &str = "  INPUTS { a; b; }\n  OUTPUTS { c; d; }\n";

/// With REQUIRE, INITIALLY or ASSUME, ASSERT and PRESET are restrictions: they are to blame as guarantees are.
#[test]
fn restrictions_are_part_of_cores_sentences_and_repairs() {
    let folder = Folder::new();
    let cases: [(&str, &str, &str, &[&str]); 9] = [
        (
            "require",
            "Mealy,Strict",
            "  REQUIRE { b; }\n  ASSERT { a -> c; a -> !c; }\n  GUARANTEE { G F d; }",
            &["G (a -> c)", "G (a -> !c)"],
        ),
        (
            "initially",
            "Mealy,Strict",
            "  INITIALLY { !b; }\n  ASSERT { a -> X c; b -> X !c; }\n  GUARANTEE { G F d; }",
            &["G (a -> X c)", "G (b -> X !c)"],
        ),
        (
            "assume",
            "Mealy,Strict",
            "  ASSUME { G F b; }\n  ASSERT { c -> !d; }\n  GUARANTEE { G (a -> F (c && d)); G F c; }",
            &["G (c -> !d)", "G (a -> F (c && d))"],
        ),
        (
            "never",
            "Mealy,Strict",
            "  REQUIRE { a || !a; b; }\n  ASSERT { !c; d; }\n  GUARANTEE { F c; }",
            &["G (!c)", "F c"],
        ),
        (
            "several",
            "Mealy,Strict",
            "  REQUIRE { a -> X b; }\n  ASSERT { b -> !c; d -> X c; }\n  ASSUME { G F a; }\n  GUARANTEE { G (a -> F c); }",
            &["G (b -> !c)", "G (a -> F c)"],
        ),
        (
            "preset",
            "Mealy,Strict",
            "  ASSUME { G F b; }\n  PRESET { c; }\n  ASSERT { a -> !c; }\n  GUARANTEE { G F d; }",
            &["c", "G (a -> !c)"],
        ),
        (
            "preset-plain",
            "Mealy",
            "  ASSUME { G F b; }\n  PRESET { c <-> a; d; c <-> d; }\n  GUARANTEE { G F d; }",
            &["c <-> a", "d", "c <-> d"],
        ),
        (
            "moore",
            "Moore,Strict",
            "  REQUIRE { a -> X b; }\n  ASSERT { a <-> c; d; }\n  GUARANTEE { G F d; }",
            &["G (a <-> c)"],
        ),
        (
            "nothing",
            "Mealy,Strict",
            "  ASSERT { a -> c; a -> !c; }\n  GUARANTEE { G F d; }",
            &["G (a -> c)", "G (a -> !c)"],
        ),
    ];
    for (name, semantics, main, core) in cases {
        let file = format!("{name}.tlsf");
        let target = if semantics.starts_with("Moore") { "Moore" } else { "Mealy" };
        folder.file(&file, tlsf(semantics, target, &format!("{CONFLICT}{main}")));
        let run = folder.run(["check", &file]);
        shown(name, &run);
        assert!(run.code == 1 && !run.out.contains("restriction"), "{name}");
        assert!(!run.out.contains("is not available"), "{name}: {}", run.out);
        let (found, result) = core_of(&folder, &file);
        assert_eq!(found, core, "{name}");
        assert_eq!(result["core"]["minimal"], true, "{name}");
        let sentence = result["reason"].as_str().expect("a sentence");
        let blamed = result["play"]["failures"].as_array().expect("failures");
        for failure in blamed {
            let text = failure["clause"]["text"].as_str().expect("a text");
            println!("{name}: `{text}` fails: {sentence}");
            assert!(core.contains(&text) && sentence.contains(text), "{name}: {text}: {sentence}");
        }
        let all = folder.run(["explain", &file, "--all-cores", "--format", "json"]).json();
        println!("{name}: all cores {}, corrections {}", all["cores"], all["corrections"]);
        assert!(all["allCores"] == true && !all["cores"].as_array().expect("cores").is_empty(), "{name}");
        let cores: Vec<Vec<String>> =
            all["cores"].as_array().expect("cores").iter().map(|core| texts(&core["guarantees"])).collect();
        assert!(cores.iter().any(|other| other == core), "{name}: {cores:?}");
    }
    if let Some(cases) = more("cases/synthesis/01-strict-blames-wrong-clause") {
        shared_cases_have_the_right_cores(&cases);
    }
}

/// A repair that names a section is one: the file with it is realizable. Assuming `G !a` in ASSUME would not help.
#[test]
fn repairs_of_strict_files_name_the_section_and_hold() {
    let folder = Folder::new();
    let (mut assumed, mut weakened, mut dropped) = (0, 0, 0);
    for (name, main) in [
        ("require", "  REQUIRE { b; }\n  ASSERT { a -> c; a -> !c; }\n  GUARANTEE { G F d; }"),
        ("next", "  ASSUME { G F b; }\n  ASSERT { a -> X c; b -> X !c; }\n  GUARANTEE { G F d; }"),
        ("never", "  REQUIRE { b; }\n  ASSERT { b -> !c; }\n  GUARANTEE { G (a -> F c); }"),
        ("preset", "  INITIALLY { b; }\n  PRESET { a <-> c; !c; }\n  GUARANTEE { G F d; }"),
        ("iff", "  REQUIRE { a -> X b; }\n  ASSERT { c <-> X a; }\n  GUARANTEE { G F d; }"),
    ] {
        let text = tlsf("Mealy,Strict", "Mealy", &format!("{CONFLICT}{main}"));
        folder.file("s.tlsf", &text);
        let run = folder.run(["explain", "s.tlsf", "--format", "json"]);
        let repairs = run.json()["repairs"].as_array().expect("repairs").clone();
        assert!(!repairs.is_empty(), "{name}: no repair: {}", run.out);
        for repair in repairs {
            println!("{name}: {repair}");
            let mut mended = text.clone();
            for added in repair["assume"].as_array().expect("assumptions") {
                let added = added.as_str().expect("a text");
                assert!(added.ends_with("; }"), "{added}");
                mended = mended.replace("  OUTPUTS", &format!("  {added}\n  OUTPUTS"));
                assumed += 1;
            }
            for change in repair["weaken"].as_array().expect("changes") {
                let written = change["clause"]["text"].as_str().expect("a text");
                let inner = written.strip_prefix("G (").and_then(|inner| inner.strip_suffix(')'));
                let in_assert = inner.filter(|inner| text.contains(&format!(" {inner};")));
                let written = in_assert.unwrap_or(written);
                let with = change["with"].as_str();
                mended = mended.replace(&format!(" {written};"), " ");
                if let Some(with) = with {
                    weakened += 1;
                    let section = if with.ends_with('}') {
                        with.to_owned()
                    } else {
                        format!("GUARANTEE {{ {with}; }}")
                    };
                    mended = mended.replace("  OUTPUTS", &format!("  {section}\n  OUTPUTS"));
                } else {
                    dropped += 1;
                }
            }
            assert_ne!(mended, text, "{name}");
            folder.file("mended.tlsf", &mended);
            let run = folder.run(["check", "mended.tlsf", "--verdict-only"]);
            assert_eq!(run.code, 0, "{name}: {repair}: {mended}{}{}", run.out, run.err);
        }
    }
    println!("{assumed} assumptions, {weakened} weaker and {dropped} dropped guarantees hold");
    assert!(assumed > 3 && weakened > 3 && dropped > 3, "{assumed} {weakened} {dropped}");
}

fn shared_cases_have_the_right_cores(cases: &Path) {
    let folder = Folder::new();
    for (name, core) in [
        ("asserts", ["G (a -> c)", "G (a -> !c)"]),
        ("never", ["G (!c)", "F c"]),
        ("gr1", ["G (b -> !c)", "G (a -> F c)"]),
        ("plain", ["G (a -> c)", "G (a -> !c)"]),
    ] {
        let file = format!("{name}.tlsf");
        folder.file(&file, std::fs::read(cases.join(&file)).expect("a case"));
        let (found, result) = core_of(&folder, &file);
        assert_eq!(found, core, "{name}");
        let repairs = repairs_of(&result);
        println!("{name}: {repairs:?}");
        assert!(!repairs.is_empty(), "{name}");
    }
}

/// The rows of the play of a text: step, environment, system.
fn rows(text: &str) -> Vec<[String; 3]> {
    let table = text.split("Counterexample").nth(1).expect("a play").lines();
    let rows = table.skip(2).take_while(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let cells = rows.map(|line| {
        let mut cells = line.trim().split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        [(); 3].map(|()| cells.next().unwrap_or_default().to_owned())
    });
    cells.collect()
}

/// With Moore semantics the system answers before it sees the inputs of a step: each input stands in its own step.
#[test]
fn plays_of_moore_games_have_each_input_in_its_own_step() {
    type Row<'a> = [&'a str; 3];
    let folder = Folder::new();
    let cases: [(&str, &str, &str, &[Row], &str); 9] = [
        ("first", "Moore", "GUARANTEE { c <-> a; }", &[["0", "a", "!c"]], "`c <-> a` fails at step 0"),
        ("always", "Moore", "ASSERT { a <-> c; }", &[["0", "a", "!c"]], "`G (a <-> c)` fails at step 0"),
        (
            "next",
            "Moore",
            "GUARANTEE { G (a -> X c); G (b -> X !c); }",
            &[["0", "a, b", "!c"], ["1", "-", "no answer helps"]],
            "no answer of the system at step 1 is right",
        ),
        (
            "sees-later",
            "Moore",
            "GUARANTEE { X (c <-> X a); }",
            &[["0", "!a", "!c"], ["1", "!a", "!c"], ["2", "a", "!c"]],
            "give `a` true at step 2, and then `X (c <-> X a)` fails at step 2",
        ),
        ("at-once", "Moore", "GUARANTEE { c; !c; }", &[["0", "-", "no answer helps"]], "at step 0"),
        (
            "endless",
            "Moore",
            "GUARANTEE { F (c && a); }",
            &[["0", "!a", "!c"]],
            "The environment may keep `a` false for ever",
        ),
        ("strict", "Moore,Strict", "REQUIRE { b; } ASSERT { a <-> c; }", &[["0", "a, b", "!c"]], "step 0"),
        ("finite", "Finite,Moore", "GUARANTEE { G (a <-> c); }", &[["0", "a", "!c, !done"]], "step 0"),
        (
            "mealy",
            "Mealy",
            "GUARANTEE { G (c <-> X a); }",
            &[["0", "!a", "!c"], ["1", "a", "no answer helps"]],
            "step 1",
        ),
    ];
    for (name, semantics, main, play, sentence) in cases {
        for target in ["Moore", "Mealy"] {
            if (name == "mealy") && target == "Moore" {
                continue;
            }
            folder.file("m.tlsf", tlsf(semantics, target, &format!("{CONFLICT}  {main}")));
            let run = folder.run(["check", "m.tlsf"]);
            shown(&format!("{name} to {target}"), &run);
            let words = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(run.code == 1 && words.contains(sentence), "{name}: {words}");
            // Only the row in which the play is lost has to be as it is written here: others may differ.
            let found = rows(&run.out);
            assert_eq!(found.len(), play.len(), "{name}: {found:?}");
            assert_eq!(
                found.last().map(|row| row.each_ref().map(String::as_str)).as_ref(),
                play.last(),
                "{name}"
            );
            let first = words.contains("in each step the system answers first");
            assert_eq!(first, semantics.contains("Moore"), "{name}");
            let json = folder.run(["check", "m.tlsf", "--format", "json"]).json();
            let steps = json["results"][0]["play"]["steps"].as_array().expect("steps").clone();
            println!("{name}: {steps:?}");
            assert_eq!(steps.len(), play.len(), "{name}");
            for (row, step) in found.iter().zip(&steps) {
                let given = step["inputs"].as_object().expect("inputs");
                assert_eq!(given.is_empty(), row[1] == "-", "{name}: {row:?} {step}");
                for literal in row[1].split(", ").filter(|literal| *literal != "-") {
                    let holds = given[literal.trim_start_matches('!')] == true;
                    assert_eq!(holds, !literal.starts_with('!'), "{name}: {row:?} {step}");
                }
            }
            let long = folder.run(["explain", "m.tlsf"]);
            assert_eq!(rows(&long.out).len(), play.len(), "{name}: {}", long.out);
        }
    }
}

/// A note about a line is about the whole line, also if it stands for several clauses.
#[test]
fn a_line_that_says_something_is_not_called_superfluous() {
    let folder = Folder::new();
    let head = "INFO { TITLE: \"t\" DESCRIPTION: \"t\" SEMANTICS: Mealy TARGET: Mealy }\nGLOBAL { PARAMETERS { n = 2; } }\n";
    let file = |lines: &[&str]| {
        format!("{head}MAIN {{\n  INPUTS {{ r[n]; }}\n  OUTPUTS {{ g[n]; }}\n  {}\n}}\n", lines.join("\n  "))
    };
    let one_hot = "ASSERT { g[0] || g[1]; !(g[0] && g[1]); }";
    let mut notes = 0;
    for (name, line, says_nothing) in [
        ("stays", "ASSERT { &&[0 <= i < n] (r[0] -> (g[i] <-> X g[i])); }", false),
        ("toggles", "GUARANTEE { &&[0 <= i < n] (r[0] -> X (r[1] -> (g[i] <-> r[0]) || g[1])); }", false),
        ("never-both", "ASSERT { &&[0 <= i < n] (r[i] -> !(g[0] && g[1])); }", true),
        ("some", "ASSERT { &&[0 <= i < n] (r[i] -> g[0] || g[1]); }", true),
        ("half", "ASSERT { &&[0 <= i < n] (r[i] -> g[0] || g[i]); }", false),
    ] {
        folder.file("with.tlsf", file(&[one_hot, line]));
        folder.file("without.tlsf", file(&[one_hot]));
        let run = folder.run(["check", "with.tlsf"]);
        shown(name, &run);
        assert_eq!(run.code, 0, "{name}");
        let noted = run.err.contains("TSL0304") && run.err.contains("&&[0 <= i < n]");
        let same = folder.run(["diff", "with.tlsf", "without.tlsf"]);
        shown(name, &same);
        assert_eq!((noted, same.code == 0), (says_nothing, says_nothing), "{name}");
        notes += usize::from(noted);
    }
    assert_eq!(notes, 2);
    // Assumptions, too.
    let both = "ASSUME { G (r[0] <-> !r[1]); &&[0 <= i < n] G (g[0] -> (r[i] -> X r[i])); }";
    folder.file("assumed.tlsf", file(&[both, "GUARANTEE { G (r[0] -> F g[0]); }"]));
    let run = folder.run(["check", "assumed.tlsf"]);
    shown("assumed", &run);
    assert!(run.code == 0 && !run.err.contains("TSL0307"), "{}", run.err);
}

/// The literals of a cell of a table, as atoms with values.
fn literals(cell: &str) -> Vec<(String, bool)> {
    let literal = |text: &str| match text.split_once(" != ") {
        Some((left, right)) => (format!("{left} = {right}"), false),
        None => (text.trim_start_matches('!').to_owned(), !text.starts_with('!')),
    };
    cell.split(", ").map(literal).collect()
}

/// The sentence, the table, JSON and the page of one verdict show one play, with all inputs that decide it.
#[test]
fn one_verdict_shows_one_play() {
    let folder = Folder::new();
    let specs = [
        (
            "undeclared",
            "always guarantee {\n  near -> [npc <- greet()];\n  life = 0 -> [npc <- die()];\n  hit -> [life <- hurt life];\n}\n",
        ),
        (
            "more",
            "always guarantee {\n  seen(who) -> [npc <- greet()];\n  !seen(who) -> [npc <- idle()];\n  hit -> [life <- life - 1];\n  life = 0 -> [npc <- die()];\n}\n",
        ),
        (
            "sums",
            "input a: Count;\ncell v: Bool = false;\nalways guarantee { (a > 5) -> [v <- true]; (a + 1 <= 5) -> [v <- false]; (a > 10 && a + 1 < 5) -> [v <- false]; }\n",
        ),
        ("equal", "always guarantee {\n  go -> [x <- f()];\n  go && !(x = y) -> [x <- g()];\n}\n"),
    ];
    for (name, spec) in specs {
        folder.file("s.tsl", spec);
        let run = folder.run(["check", "s.tsl"]);
        shown(name, &run);
        assert_eq!(run.code, 1, "{name}");
        let table = rows(&run.out);
        let words = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentence = words.split(", and then").next().expect("a sentence").to_owned();
        let json = folder.run(["check", "s.tsl", "--format", "json"]).json();
        let step = json["results"][0]["play"]["steps"][0].clone();
        let html = folder.run(["view", "s.tsl"]).exits(0).out;
        let data = html.split("<script type=\"application/json\" id=\"data\">").nth(1).expect("data");
        let data: Value = serde_json::from_str(data.split("</script>").next().expect("data")).expect("JSON");
        let machine = &data["machines"][0];
        let state = machine["initial"].as_u64().and_then(|i| usize::try_from(i).ok()).expect("a state");
        let letter = machine["states"][state]["letter"].as_array().expect("a letter").clone();
        let atoms = machine["atoms"].as_array().expect("atoms");
        // Every input that the sentence names is in the table.
        let named: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
        println!("{name}: sentence {named:?}, table {:?}, JSON {step}, page {letter:?}", table[0]);
        assert!(!named.is_empty(), "{name}");
        for literal in &named {
            let bare = table[0][1].split(", ").any(|cell| cell.trim_start_matches('!') == *literal);
            assert!(bare, "{name}: `{literal}` is not in {:?}", table[0]);
        }
        // JSON and the page have the values of the table.
        let mut compared = 0;
        for (atom, holds) in literals(&table[0][1]) {
            if atom.contains("<=") {
                continue;
            }
            assert_eq!(step["inputs"][&atom], holds, "{name}: {atom} {step}");
            let number = atoms.iter().position(|a| a["name"] == *atom).expect("an atom of the page");
            let on_page = letter.iter().any(|i| i.as_u64() == u64::try_from(number).ok());
            assert_eq!(on_page, holds, "{name}: {atom} on the page: {letter:?}");
            compared += 1;
        }
        assert!(compared > 0, "{name}");
    }
}
