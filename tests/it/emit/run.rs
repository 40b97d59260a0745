//! Emitted controllers, compiled or interpreted, compared with the scripts of the reference interpreter.

use super::examples::{self, Example};
use super::languages::{csharp, go, lua};
use super::reference::Reference;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tsl_synth_emit::{EmitOptions, EmittedFile, Lang, OnBroken, UserTemplate, emit, emit_circuit};
use tsl_synth_engine::mealy::circuit_of_mealy;
use tsl_synth_lang::spec::{AtomMeaning, Term};
use tsl_synth_testkit::skip;

/// How much of the examples is run.
#[derive(Clone, Copy)]
pub(super) struct Quota {
    /// Steps of the first variant of an example, and of the others.
    steps: [usize; 2],
    /// The first variant of a specification of the gallery goes on until all edges were taken, up to so many steps.
    most: usize,
    /// Whether the gallery has all of its variants, and not only the first one and one other.
    pub(super) whole: bool,
}

pub(super) const QUICK: Quota = Quota { steps: [400, 120], most: 4_000, whole: false };
const CAMPAIGN: Quota = Quota { steps: [10_000, 1_000], most: 10_000, whole: true };

/// A controller with its script.
pub(super) struct Prepared {
    pub(super) stem: String,
    pub(super) traced: bool,
    /// Whether its decisions are written as a circuit.
    circuit: bool,
    options: EmitOptions,
    script: String,
}

/// The files of a controller, state by state or as a circuit.
pub(super) fn emitted(example: &Example, options: &EmitOptions, circuit: bool) -> Vec<EmittedFile> {
    if !circuit {
        return emit(&example.input(), options).expect("an emitted controller");
    }
    let circuit = circuit_of_mealy(&example.problem.alphabet, &example.mealy);
    emit_circuit(&example.circuit_input(&circuit), options).expect("an emitted circuit")
}

/// Some variants of the options for an example and a target; all variants occur across the examples. The last one is
/// written as a circuit, for which there are fewer options.
fn variants(lang: Lang, number: usize, count: usize) -> Vec<(EmitOptions, bool)> {
    (0..=count)
        .map(|k| {
            let code = if k == 0 { number * 4 } else { number * 7 + k * 5 };
            let mut options = EmitOptions::new(lang);
            options.asynchronous = code & 1 == 1 && lang.is_asynchronous();
            options.lazy = k > 0 && code >> 1 & 1 == 1;
            options.on_broken = OnBroken::ALL[(code + k + (code >> 2)) % 4];
            if k == count {
                options.lazy = false;
                if options.on_broken == OnBroken::Resync {
                    options.on_broken = OnBroken::Error;
                }
            }
            (options, (code >> 1) % 3 != 0)
        })
        .collect()
}

pub(super) fn prepare(
    dir: &Path,
    lang: Lang,
    examples: &[Example],
    count: usize,
    quota: Quota,
) -> Vec<Prepared> {
    let mut all = Vec::new();
    let (mut taken, mut edges, mut broken, mut steps) = (0, 0, 0, 0);
    for (number, example) in examples.iter().enumerate() {
        let mut covered = std::collections::BTreeSet::new();
        let hostile = example.name.starts_with("hostile");
        let gallery = example.name.starts_with("gallery");
        // Each target gets a part of the gallery; compilers take long.
        let (part, first) = match lang {
            Lang::Rust => (12, 0),
            Lang::C => (12, 3),
            Lang::Python => (2, 1),
            Lang::Lua => (6, 1),
            Lang::Go => (12, 5),
            Lang::CSharp => (12, 8),
            _ => (2, 0),
        };
        if gallery && !quota.whole && number % part != first {
            continue;
        }
        let count = [count, 1, 2][usize::from(hostile) + 2 * usize::from(gallery)];
        for (k, (mut options, traced)) in variants(lang, number, count).into_iter().enumerate() {
            // Which of the other variants is left out depends on the example and on the target.
            if gallery && k > 0 && !quota.whole && (number + lang as usize) % 2 == k % 2 {
                continue;
            }
            if gallery && k == 0 {
                // With this option a violated assumption makes no edge unreachable.
                options.on_broken = OnBroken::Continue;
            }
            let stem = format!("{}_{k}", example.name);
            options.stem = Some(stem.clone());
            let circuit = k == count;
            for file in emitted(example, &options, circuit) {
                std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
            }
            let encoded = circuit.then(|| circuit_of_mealy(&example.problem.alphabet, &example.mealy));
            let seed = number as u64 * 100 + k as u64;
            let mut reference = Reference::new(example, &options, encoded.as_ref(), traced, seed);
            let length = if hostile { 500 } else { quota.steps[usize::from(k > 0)] };
            // Some edges of interpreted examples are impossible.
            let most = if gallery && k == 0 && !is_interpreted(example) { quota.most } else { length };
            let (script, length) = reference.script(length, most);
            steps += length;
            covered.append(&mut reference.covered);
            broken += reference.broken;
            std::fs::write(dir.join(format!("{stem}.script")), &script).expect("a writable folder");
            all.push(Prepared { stem, traced, circuit, options, script });
        }
        taken += covered.len();
        edges += Reference::edges(&example.mealy);
        let possible = Reference::edges(&example.mealy);
        if covered.len() < possible {
            println!("{}: {} of {possible} edges", example.name, covered.len());
            // Only the values of comparisons and of Boolean cells can make an edge impossible.
            assert!(!gallery || is_interpreted(example), "{}: an edge was not taken", example.name);
        }
    }
    println!(
        "{}: {} controllers, {steps} steps, {taken} of {edges} reachable edges, {broken} broken assumptions",
        lang.name(),
        all.len(),
    );
    all
}

pub(super) fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emit").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a writable folder");
    dir
}

/// Whether some predicate is a comparison or the value of a cell.
fn is_interpreted(example: &Example) -> bool {
    let signature = &example.problem.signature;
    signature.atoms.iter().any(|meaning| match meaning {
        AtomMeaning::Predicate(term) => match signature.terms.get(*term) {
            Term::Operation(..) => true,
            Term::Signal(symbol) => signature.cells.iter().any(|cell| cell == symbol),
            _ => false,
        },
        _ => false,
    })
}

/// Renders the template of a driver for a controller.
pub(super) fn driver(example: &Example, prepared: &Prepared, template: &str) -> String {
    let mut options = prepared.options.clone();
    options.template = Some(UserTemplate { name: "driver".into(), text: template.into() });
    emitted(example, &options, prepared.circuit).remove(0).text().expect("text").to_owned()
}

pub(super) fn of<'a>(examples: &'a [Example], prepared: &Prepared) -> &'a Example {
    let name = prepared.stem.rsplit_once('_').expect("a numbered stem").0;
    examples.iter().find(|e| e.name == name).expect("an example of this name")
}

/// Runs a command and returns its output; `None` if it is not installed, which is a failure in CI if it is `required`.
pub(super) fn run(dir: &Path, command: &str, arguments: &[&str], required: bool) -> Option<String> {
    let Ok(output) = Command::new(command).args(arguments).current_dir(dir).output() else {
        let ci = std::env::var("CI").is_ok_and(|v| v == "true");
        assert!(!(ci && required), "`{command}` is required under CI=true");
        skip(&format!("`{command}` is not there"));
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let clip = |s: &str| s.chars().take(3000).collect::<String>();
    assert!(output.status.success(), "{command} {arguments:?}:\n{}\n{}", clip(&text), clip(&errors));
    Some(text)
}

pub(super) fn index(dir: &Path, all: &[Prepared]) {
    let lines: Vec<String> = all.iter().map(|p| format!("{} {}", p.stem, u8::from(p.traced))).collect();
    std::fs::write(dir.join("index.txt"), lines.join("\n") + "\n").expect("a writable folder");
}

pub(super) fn expected(all: &[Prepared]) -> String {
    let steps = |p: &Prepared| p.script.lines().filter(|l| l.starts_with('I')).count();
    format!("steps {}", all.iter().map(steps).sum::<usize>())
}

fn javascript(quota: Quota) {
    let dir = folder("js");
    let examples = examples::all();
    let all = prepare(&dir, Lang::Js, examples, 4, quota);
    index(&dir, &all);
    std::fs::write(dir.join("package.json"), "{\"type\":\"module\"}").expect("a writable folder");
    std::fs::write(dir.join("main.mjs"), include_str!("drivers/main.mjs")).expect("a writable folder");
    for p in &all {
        let text = driver(of(examples, p), p, include_str!("drivers/js.jinja"));
        std::fs::write(dir.join(format!("{}_driver.mjs", p.stem)), text).expect("a writable folder");
    }
    if let Some(text) = run(&dir, "node", &["main.mjs"], true) {
        assert_eq!(text.trim(), expected(&all));
    }
}

fn python(quota: Quota) {
    let dir = folder("python");
    let examples = examples::all();
    let all = prepare(&dir, Lang::Python, examples, 4, quota);
    index(&dir, &all);
    std::fs::write(dir.join("main.py"), include_str!("drivers/main.py")).expect("a writable folder");
    for p in &all {
        let text = driver(of(examples, p), p, include_str!("drivers/python.jinja"));
        std::fs::write(dir.join(format!("{}_driver.py", p.stem)), text).expect("a writable folder");
    }
    if let Some(text) = run(&dir, "python3", &["main.py"], false) {
        assert_eq!(text.trim(), expected(&all));
    }
    let modules: Vec<String> = all.iter().map(|p| format!("{}.py", p.stem)).collect();
    let mut arguments = vec!["-m", "mypy", "--strict"];
    arguments.extend(modules.iter().map(String::as_str));
    if has(&["-m", "mypy", "--version"]) {
        run(&dir, "python3", &arguments, false);
    } else {
        skip("mypy is not there");
    }
}

fn has(arguments: &[&str]) -> bool {
    Command::new("python3").args(arguments).output().is_ok_and(|o| o.status.success())
}

/// Whether a program is there.
fn is_installed(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn rust(quota: Quota) {
    let dir = folder("rust");
    let examples = examples::all();
    // Compilers take long.
    let all = prepare(&dir, Lang::Rust, examples, if quota.whole { 4 } else { 2 }, quota);
    let mut library = String::from("#![no_std]\n");
    let mut main = String::from("#![deny(warnings)]\nuse controllers::*;\nmod support;\n");
    for p in &all {
        let text = driver(of(examples, p), p, include_str!("drivers/rust.jinja"));
        std::fs::write(dir.join(format!("{}_driver.rs", p.stem)), text).expect("a writable folder");
        writeln!(library, "pub mod {};", p.stem).unwrap();
        writeln!(main, "mod {}_driver;", p.stem).unwrap();
    }
    main.push_str("fn main() {\n    let mut total = 0;\n");
    for p in &all {
        let script = format!("&std::fs::read_to_string(\"{}.script\").unwrap()", p.stem);
        writeln!(main, "    total += {}_driver::run({script}, {});", p.stem, p.traced).unwrap();
    }
    main.push_str("    println!(\"steps {total}\");\n}\n");
    std::fs::write(dir.join("main.rs"), main).expect("a writable folder");
    std::fs::write(dir.join("controllers.rs"), library).expect("a writable folder");
    std::fs::write(dir.join("support.rs"), include_str!("drivers/support.rs")).expect("a writable folder");
    // All controllers are one `no_std` library, which compiles without warnings and without remarks of clippy.
    let compiler = if is_installed("clippy-driver") { "clippy-driver" } else { "rustc" };
    if compiler == "rustc" {
        skip("`clippy-driver` is not there");
    }
    let mut library = vec!["--edition", "2021", "-C", "debuginfo=0", "-D", "warnings", "--crate-type", "lib"];
    library.push("controllers.rs");
    if compiler == "clippy-driver" {
        library.extend(["-D", "clippy::all"]);
    }
    let mut program = vec!["--edition", "2021", "-C", "debuginfo=0", "main.rs", "-o", "main"];
    program.extend(["--extern", "controllers=libcontrollers.rlib"]);
    if run(&dir, compiler, &library, true).is_some()
        && run(&dir, "rustc", &program, true).is_some()
        && let Some(text) = run(&dir, "./main", &[], true)
    {
        assert_eq!(text.trim(), expected(&all));
    }
    // The default style, not that of this repository.
    std::fs::write(dir.join("rustfmt.toml"), "").expect("a writable folder");
    let files: Vec<String> = all.iter().map(|p| format!("{}.rs", p.stem)).collect();
    let mut arguments = vec!["--check", "--edition", "2021"];
    arguments.extend(files.iter().map(String::as_str));
    run(&dir, "rustfmt", &arguments, false);
}

fn c(quota: Quota) {
    let dir = folder("c");
    let examples = examples::all();
    let all = prepare(&dir, Lang::C, examples, if quota.whole { 3 } else { 2 }, quota);
    index(&dir, &all);
    let mut main = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         static char *slurp(const char *path) {\n    FILE *f = fopen(path, \"rb\");\n    long n;\n    char *t;\n\
         \x20   fseek(f, 0, SEEK_END);\n    n = ftell(f);\n    rewind(f);\n    t = calloc((size_t)n + 1, 1);\n\
         \x20   if (fread(t, 1, (size_t)n, f) != (size_t)n) exit(2);\n    fclose(f);\n    return t;\n}\n",
    );
    let mut files = vec!["main.c".to_owned()];
    // Controllers whose types are defined by the driver; they also compile without these definitions.
    let mut alone: Vec<String> = Vec::new();
    for p in &all {
        let text = driver(of(examples, p), p, include_str!("drivers/c.jinja"));
        std::fs::write(dir.join(format!("{}_driver.c", p.stem)), text).expect("a writable folder");
        writeln!(main, "int run_{}(char *text, int traced);", p.stem).unwrap();
        files.push(format!("{}_driver.c", p.stem));
        // The driver defines the types of the sorts, which the controller also needs when it is compiled alone.
        let text = std::fs::read_to_string(dir.join(format!("{}_driver.c", p.stem))).expect("written");
        let sorts: Vec<&str> = text.lines().filter(|l| l.starts_with("#define")).collect();
        if !sorts.is_empty() {
            alone.push(format!("{}.c", p.stem));
        }
        let unit = format!("{}\n#include \"{}.c\"\n", sorts.join("\n"), p.stem);
        std::fs::write(dir.join(format!("{}_unit.c", p.stem)), unit).expect("a writable folder");
        files.push(format!("{}_unit.c", p.stem));
    }
    main.push_str("int main(void) {\n    long total = 0;\n");
    for p in &all {
        let traced = u8::from(p.traced);
        writeln!(main, "    total += run_{0}(slurp(\"{0}.script\"), {traced});", p.stem).unwrap();
    }
    main.push_str("    printf(\"steps %ld\\n\", total);\n    return 0;\n}\n");
    std::fs::write(dir.join("main.c"), main).expect("a writable folder");
    std::fs::write(dir.join("support.h"), include_str!("drivers/support.h")).expect("a writable folder");
    let strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-overlength-strings"];
    let mut arguments: Vec<&str> = strict.to_vec();
    arguments.extend(["-o", "main"]);
    arguments.extend(files.iter().map(String::as_str));
    if run(&dir, "gcc", &arguments, false).is_some()
        && let Some(text) = run(&dir, "./main", &[], false)
    {
        assert_eq!(text.trim(), expected(&all));
        let mut arguments: Vec<&str> = strict.to_vec();
        arguments.push("-fsyntax-only");
        arguments.extend(alone.iter().map(String::as_str));
        run(&dir, "gcc", &arguments, false);
    }
}

fn typescript(quota: Quota) {
    let compiler = std::env::var("TSL_SYNTH_TSC").unwrap_or_else(|_| "tsc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        skip(&format!("`{compiler}` is not there; TSL_SYNTH_TSC names another"));
        return;
    }
    let dir = folder("ts");
    let examples = examples::all();
    let all = prepare(&dir, Lang::Ts, examples, 4, quota);
    index(&dir, &all);
    std::fs::write(dir.join("package.json"), "{\"type\":\"module\"}").expect("a writable folder");
    std::fs::write(dir.join("main.mjs"), include_str!("drivers/main.mjs")).expect("a writable folder");
    let mut files: Vec<String> = Vec::new();
    for p in &all {
        let text = driver(of(examples, p), p, include_str!("drivers/js.jinja"));
        std::fs::write(dir.join(format!("{}_driver.mjs", p.stem)), text).expect("a writable folder");
        files.push(format!("{}.ts", p.stem));
    }
    let strict =
        ["--strict", "--noUnusedLocals", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"];
    let mut arguments: Vec<&str> = strict.to_vec();
    arguments.extend(["--target", "es2022", "--module", "esnext", "--lib", "es2022,dom"]);
    arguments.extend(files.iter().map(String::as_str));
    run(&dir, &compiler, &arguments, false);
    if let Some(text) = run(&dir, "node", &["main.mjs"], true) {
        assert_eq!(text.trim(), expected(&all));
    }
    // The declarations of the JavaScript modules agree with the TypeScript ones, which are type-checked against them.
    let declarations = folder("dts");
    for p in &all {
        let mut options = EmitOptions { lang: Lang::Js, ..p.options.clone() };
        options.stem = Some(p.stem.clone());
        for file in emitted(of(examples, p), &options, p.circuit) {
            std::fs::write(declarations.join(&file.path), file.bytes()).expect("a writable folder");
        }
        let check = format!(
            "import * as js from \"./{0}.js\";\nimport * as ts from \"../ts/{0}.js\";\n\
             export const same: typeof js.decide = ts.decide;\nexport const plan: typeof js.plan = ts.plan;\n",
            p.stem
        );
        std::fs::write(declarations.join(format!("{}_check.ts", p.stem)), check).expect("a writable folder");
    }
    let checks: Vec<String> = all.iter().map(|p| format!("{}_check.ts", p.stem)).collect();
    let mut arguments: Vec<&str> = strict.to_vec();
    arguments.extend(["--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]);
    arguments.extend(["--lib", "es2022,dom", "--noEmit"]);
    arguments.extend(checks.iter().map(String::as_str));
    run(&declarations, &compiler, &arguments, false);
}

#[test]
fn javascript_agrees_with_the_machine() {
    javascript(QUICK);
}

#[test]
fn python_agrees_with_the_machine() {
    python(QUICK);
}

#[test]
fn rust_agrees_with_the_machine() {
    rust(QUICK);
}

#[test]
fn c_agrees_with_the_machine() {
    c(QUICK);
}

#[test]
fn typescript_agrees_with_the_machine() {
    typescript(QUICK);
}

#[test]
#[ignore = "a campaign: see tests/README.md"]
fn campaign_of_emitted_code() {
    for run in [javascript, python, rust, c, typescript, lua, go, csharp] {
        run(CAMPAIGN);
    }
}
