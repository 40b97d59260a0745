//! Emitted controllers in their real compilers and interpreters, held to the scripts of the reference.

use super::examples::{self, Example};
use super::reference::Reference;
use std::path::{Path, PathBuf};
use std::process::Command;
use tsl_synth::emit::{EmitOptions, Lang, OnBroken, UserTemplate, emit};

/// Steps of the first variant of an example, and of the others.
const STEPS: [usize; 2] = [10_000, 1_000];

/// A controller with its script.
struct Prepared {
    stem: String,
    traced: bool,
    options: EmitOptions,
    script: String,
}

/// The variants of an example for a target: all of them occur across the examples.
fn variants(lang: Lang, number: usize, count: usize) -> Vec<(EmitOptions, bool)> {
    (0..count)
        .map(|k| {
            let code = if k == 0 { number * 4 } else { number * 7 + k * 5 };
            let mut options = EmitOptions::new(lang);
            options.asynchronous = code & 1 == 1 && lang != Lang::C;
            options.lazy = k > 0 && code >> 1 & 1 == 1;
            options.on_broken = OnBroken::ALL[(code + k + (code >> 2)) % 4];
            (options, (code >> 1) % 3 != 0)
        })
        .collect()
}

fn prepare(dir: &Path, lang: Lang, examples: &[Example], count: usize) -> Vec<Prepared> {
    let mut all = Vec::new();
    let (mut taken, mut edges, mut broken, mut steps) = (0, 0, 0, 0);
    for (number, example) in examples.iter().enumerate() {
        let mut covered = std::collections::BTreeSet::new();
        for (k, (mut options, traced)) in variants(lang, number, count).into_iter().enumerate() {
            let stem = format!("{}_{k}", example.name);
            options.stem = Some(stem.clone());
            for file in emit(&example.input(), &options).expect("an emitted controller") {
                std::fs::write(dir.join(&file.path), file.text).expect("a writable folder");
            }
            let mut reference = Reference::new(example, &options, traced, number as u64 * 100 + k as u64);
            let length = STEPS[usize::from(k > 0)];
            let script = reference.script(length);
            steps += length;
            covered.append(&mut reference.covered);
            broken += reference.broken;
            std::fs::write(dir.join(format!("{stem}.script")), &script).expect("a writable folder");
            all.push(Prepared { stem, traced, options, script });
        }
        taken += covered.len();
        edges += Reference::edges(&example.mealy);
        if covered.len() < Reference::edges(&example.mealy) {
            println!("{}: {} of {} edges", example.name, covered.len(), Reference::edges(&example.mealy));
        }
    }
    println!(
        "{}: {} controllers, {steps} steps, {taken} of {edges} reachable edges, {broken} broken assumptions",
        lang.name(),
        all.len(),
    );
    all
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emit").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a writable folder");
    dir
}

/// Renders a driver with the view of a controller.
fn driver(example: &Example, prepared: &Prepared, template: &str) -> String {
    let mut options = prepared.options.clone();
    options.template = Some(UserTemplate { name: "driver".into(), text: template.into() });
    emit(&example.input(), &options).expect("a driver").remove(0).text
}

fn of<'a>(examples: &'a [Example], prepared: &Prepared) -> &'a Example {
    let name = prepared.stem.rsplit_once('_').expect("a numbered stem").0;
    examples.iter().find(|e| e.name == name).expect("an example of this name")
}

/// Runs a command and returns what it prints. `None` if it is not there: then CI fails and others skip.
fn run(dir: &Path, command: &str, arguments: &[&str], required: bool) -> Option<String> {
    let output = match Command::new(command).args(arguments).current_dir(dir).output() {
        Ok(output) => output,
        Err(_) => {
            let ci = std::env::var("CI").is_ok_and(|v| v == "true");
            assert!(!(ci && required), "`{command}` is required under CI=true");
            println!("skipped: `{command}` is not there");
            return None;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let clip = |s: &str| s.chars().take(3000).collect::<String>();
    assert!(output.status.success(), "{command} {arguments:?}:\n{}\n{}", clip(&text), clip(&errors));
    Some(text)
}

fn index(dir: &Path, all: &[Prepared]) {
    let lines: Vec<String> = all.iter().map(|p| format!("{} {}", p.stem, u8::from(p.traced))).collect();
    std::fs::write(dir.join("index.txt"), lines.join("\n") + "\n").expect("a writable folder");
}

fn expected(all: &[Prepared]) -> String {
    let steps = |p: &Prepared| p.script.lines().filter(|l| l.starts_with('I')).count();
    format!("steps {}", all.iter().map(steps).sum::<usize>())
}

#[test]
fn javascript_agrees_with_the_machine() {
    let dir = folder("js");
    let examples = examples::all();
    let all = prepare(&dir, Lang::Js, &examples, 4);
    index(&dir, &all);
    std::fs::write(dir.join("package.json"), "{\"type\":\"module\"}").expect("a writable folder");
    std::fs::write(dir.join("main.mjs"), include_str!("drivers/main.mjs")).expect("a writable folder");
    for p in &all {
        let text = driver(of(&examples, p), p, include_str!("drivers/js.jinja"));
        std::fs::write(dir.join(format!("{}_driver.mjs", p.stem)), text).expect("a writable folder");
    }
    if let Some(text) = run(&dir, "node", &["main.mjs"], true) {
        assert_eq!(text.trim(), expected(&all));
    }
}
