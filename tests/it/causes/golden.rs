//! Ten printed explanations, and for each five what-if questions that a reader can answer from the explanation; the
//! recorded answers are checked by simulation. `UPDATE_FIXTURES=1` rewrites the explanations.

use super::instance::{formula, machine, problem};
use crate::oracle::causes::{at, holds, play};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tsl_synth_core::logic::{Alphabet, Lasso, Letter};
use tsl_synth_core::model::{Mealy, Silent, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{Prefer, SolverOptions, synthesize};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, load_tsl};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/causes")
}

fn questions() -> Vec<String> {
    let files = std::fs::read_dir(folder()).expect("the folder").map(|file| file.expect("a file").path());
    let mut names: Vec<String> = files
        .filter_map(|path| Some(path.file_name()?.to_str()?.strip_suffix(".what-if.json")?.to_owned()))
        .collect();
    names.sort();
    names
}

fn read(name: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(name)).expect("a fixture");
    serde_json::from_str(&text).expect("JSON")
}

fn explain(args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
        .args(["explain", "--prefer", "any"])
        .args(args)
        .current_dir(folder())
        .env_remove("CI")
        .output()
        .expect("the binary runs");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
    (output.status.code().expect("ended by itself"), text)
}

#[test]
fn explanations_are_the_recorded_ones() {
    let names = questions();
    assert_eq!(names.len(), 10);
    for name in names {
        let (code, text) = explain(&[&format!("{name}.json")]);
        assert_eq!(code, 0, "{name}: {text}");
        let golden = folder().join(format!("{name}.txt"));
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(&golden, &text).expect("a golden file");
        }
        let recorded = std::fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(text, recorded, "{name}; UPDATE_FIXTURES=1 writes it anew");
    }
}

/// The machine that a question names, or the controller of its specification.
fn subject(question: &Value) -> (Alphabet, Mealy) {
    if let Some(file) = question["machine"].as_str() {
        return machine(&std::fs::read_to_string(folder().join(file)).expect("a machine"));
    }
    let file = folder().join(question["spec"].as_str().expect("a specification"));
    let mut map = SourceMap::new();
    let source = map.add("s.tsl", std::fs::read_to_string(file).expect("a specification"));
    let files = [MainFile { source, canonical: "s.tsl".into() }];
    let loaded = load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports);
    let mut problem = loaded.expect("well-formed").0;
    let options = SolverOptions { prefer: Prefer::Any, ..SolverOptions::default() };
    let Verdict::Realizable(StrategyRepr::Explicit(machine)) =
        synthesize(&mut problem, &options, &Silent).expect("a certified answer").verdict
    else {
        panic!("realizable")
    };
    (problem.alphabet, machine)
}

fn letters(alphabet: &Alphabet, list: &Value) -> Vec<Letter> {
    let letter = |value: &Value| {
        let mut letter = Letter::new();
        for (name, value) in value.as_object().expect("a letter") {
            let atom = alphabet.atoms().enumerate().find(|(_, atom)| atom.name == *name);
            if value == &Value::Bool(true) {
                alphabet.choose(atom.expect("an input").0, &mut letter);
            }
        }
        letter
    };
    list.as_array().expect("letters").iter().map(letter).collect()
}

#[test]
fn questions_are_answered_rightly() {
    for name in questions() {
        let question = read(&format!("{name}.json"));
        let (alphabet, machine) = subject(&question);
        let actual = Lasso {
            prefix: letters(&alphabet, &question["prefix"]),
            cycle: letters(&alphabet, &question["loop"]),
        };
        // Updates are atoms with brackets in their names.
        let effect = question["effect"].as_str().expect("an effect");
        let effect = effect.replace('[', "\"[").replace(']', "]\"");
        let mut problem = problem(alphabet.clone());
        let effect = formula(&mut problem, &effect);
        let all = read(&format!("{name}.what-if.json"));
        let all = all.as_array().expect("a list");
        assert_eq!(all.len(), 5, "{name}");
        for what_if in all {
            let cells: Vec<(usize, &str)> = what_if["change"]
                .as_array()
                .expect("cells")
                .iter()
                .map(|c| (c[0].as_u64().expect("a step") as usize, c[1].as_str().expect("an input")))
                .collect();
            let last = cells.iter().map(|(step, _)| step + 1).max().unwrap_or(0).max(actual.prefix.len());
            let mut steps: Vec<Letter> =
                (0..last + actual.cycle.len()).map(|step| at(&actual, step).clone()).collect();
            for (step, input) in cells {
                let atom = alphabet.atoms().enumerate().find(|(_, atom)| atom.name == input);
                let mut bit = Letter::new();
                alphabet.choose(atom.expect("an input").0, &mut bit);
                for bit in bit.iter() {
                    if !steps[step].remove(bit) {
                        steps[step].insert(bit);
                    }
                }
            }
            let cycle = steps.split_off(last);
            let instead = play(&machine, &Lasso { prefix: steps, cycle });
            let happens = holds(&problem.formulas, &alphabet, effect, &instead);
            assert_eq!(Value::Bool(happens), what_if["effect"], "{name}: what if {}", what_if["question"]);
        }
    }
}

/// Names are escaped in the picture, so it contains no script.
#[test]
fn pictures_escape_hostile_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = r"</text><script>alert(1)</script>&\u{202e}";
    let hoa = format!(
        "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"{hostile}\" \"o\"\ncontrollable-AP: 1\nAcceptance: 0 t\n--BODY--\n\
         State: 0\n[!0&!1] 0\n[0&1] 1\nState: 1\n[1] 1\n--END--\n",
    );
    let file = folder.path().join("m.hoa");
    std::fs::write(&file, hoa).expect("a file");
    let trace =
        format!("{{\"prefix\":[],\"loop\":[{{{}:false}}]}}", Value::String(hostile.replace(r"\u", "u")));
    let trace_file = folder.path().join("t.json");
    std::fs::write(&trace_file, trace).expect("a file");
    let svg = folder.path().join("x.svg");
    let text = |path: &Path| path.to_str().expect("a path").to_owned();
    let (code, printed) =
        explain(&[&text(&trace_file), "--machine", &text(&file), "--effect", "G !o", "--svg", &text(&svg)]);
    assert_eq!(code, 0, "{printed}");
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    assert!(!picture.contains("<script") && picture.contains("&lt;script&gt;"), "{picture}");
    assert!(picture.contains("class=\"necessary"), "{picture}");
}
