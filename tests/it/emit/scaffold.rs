//! Scaffolds: every project builds, runs and passes its tests as emitted.

use super::examples::{self, Example};
use super::run::{emitted, folder, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use tsl_synth_core::source::SourceMap;
use tsl_synth_emit::{EmitOptions, Lang, OnBroken};
use tsl_synth_formats::trace::read_trace;
use tsl_synth_testkit::skip;

/// Examples with every kind of sort, and one with hostile names.
const NAMES: [&str; 7] = ["fig2", "light", "reals", "copies", "silent", "buttons", "hostile3"];
/// Those of them that are written as circuits, too.
const CIRCUITS: [&str; 4] = ["fig2", "light", "buttons", "hostile3"];

fn write(root: &Path, lang: Lang) -> Vec<PathBuf> {
    let examples = examples::all();
    let chosen: Vec<&Example> = examples.iter().filter(|e| NAMES.contains(&e.name.as_str())).collect();
    let mut projects = Vec::new();
    let machines = chosen.iter().map(|example| (example, false));
    let circuits =
        chosen.iter().filter(|e| CIRCUITS.contains(&e.name.as_str())).map(|example| (example, true));
    for (i, (example, as_circuit)) in machines.chain(circuits).enumerate() {
        let mut options = EmitOptions::new(lang);
        options.scaffold = true;
        options.asynchronous = i % 2 == 1 && lang.is_asynchronous();
        options.lazy = i % 3 == 2;
        options.on_broken = OnBroken::ALL[1 + i % 3];
        if as_circuit {
            options.lazy = false;
            options.on_broken = OnBroken::Hold;
        }
        let project = root.join(format!("{}{}", example.name, if as_circuit { "_circuit" } else { "" }));
        for file in emitted(example, &options, as_circuit) {
            let path = project.join(&file.path);
            std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a writable folder");
            std::fs::write(path, file.bytes()).expect("a writable folder");
        }
        projects.push(project);
    }
    projects
}

/// Asserts that the output of a project is a run: letters, then the snapshot.
fn is_a_run(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.last().expect("something is printed");
    assert!(last.contains("machineId"), "{text}");
    for line in &lines {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
    // `explain` and `simulate` read it: all but the snapshot are letters.
    let mut sources = SourceMap::new();
    let source = sources.add("run.jsonl", text.to_owned());
    let read = read_trace(&sources, source).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
    assert_eq!((read.prefix.len(), read.cycle.len()), (lines.len() - 1, 0), "{text}");
}

#[test]
fn javascript_scaffolds_run() {
    for project in write(&folder("scaffold-js"), Lang::Js) {
        let Some(text) = run(&project, "node", &["main.js"], true) else { return };
        is_a_run(&text);
        run(&project, "node", &["--test"], true);
    }
}

#[test]
fn rust_scaffolds_run() {
    for project in write(&folder("scaffold-rust"), Lang::Rust) {
        let target = project.with_file_name("target");
        let target = target.to_str().expect("UTF-8");
        let build = |verb| [verb, "--quiet", "--offline", "--target-dir", target];
        let Some(text) = run(&project, "cargo", &build("run"), true) else { return };
        is_a_run(&text);
        run(&project, "cargo", &build("test"), true);
    }
}

#[test]
fn python_scaffolds_run() {
    for project in write(&folder("scaffold-python"), Lang::Python) {
        let Some(text) = run(&project, "python3", &["main.py"], false) else { return };
        is_a_run(&text);
        run(&project, "python3", &["-m", "unittest", "-q"], false);
    }
}

#[test]
fn c_scaffolds_run() {
    for project in write(&folder("scaffold-c"), Lang::C) {
        let Some(text) = run(&project, "make", &["-s", "run"], false) else { return };
        is_a_run(&text);
        run(&project, "make", &["-s", "test"], false);
    }
}

#[test]
fn lua_scaffolds_run() {
    for project in write(&folder("scaffold-lua"), Lang::Lua) {
        let Some(text) = run(&project, "lua5.4", &["main.lua"], false) else { return };
        is_a_run(&text);
        run(&project, "lua5.4", &["lassos.lua"], false);
    }
}

#[test]
fn go_scaffolds_run() {
    for project in write(&folder("scaffold-go"), Lang::Go) {
        let Some(text) = run(&project, "go", &["run", "."], false) else { return };
        is_a_run(&text);
        run(&project, "go", &["test", "./..."], false);
        let unformatted = run(&project, "gofmt", &["-l", "."], false).unwrap_or_default();
        assert_eq!(unformatted, "", "{}", project.display());
    }
}

#[test]
fn csharp_scaffolds_run() {
    if Command::new("mcs").arg("--version").output().is_err() {
        skip("`mcs` is not there");
        return;
    }
    for project in write(&folder("scaffold-csharp"), Lang::CSharp) {
        let Some(text) = run(&project, "make", &["-s", "run"], false) else { return };
        is_a_run(&text);
        run(&project, "make", &["-s", "test"], false);
    }
}

/// `TSL_SYNTH_TSC` may list several compilers, such as versions 5 and 7, in the syntax of `PATH`.
#[test]
fn typescript_scaffolds_run() {
    let named = std::env::var_os("TSL_SYNTH_TSC").unwrap_or_else(|| "tsc".into());
    let compilers: Vec<PathBuf> = std::env::split_paths(&named).collect();
    for project in write(&folder("scaffold-ts"), Lang::Ts) {
        // The types of Node.js come from a registry, which tests do not use; these two modules are declared instead.
        let shim = "declare module \"node:test\" { export default function test(name: string, f: () => void): void; }\n\
                    declare module \"node:assert/strict\" { const assert: { equal(a: unknown, b: unknown): void; \
                    deepEqual(a: unknown, b: unknown): void }; export default assert; }\n";
        let types = project.join("node_modules/@types/node");
        std::fs::create_dir_all(&types).expect("a writable folder");
        std::fs::write(types.join("index.d.ts"), shim).expect("a writable folder");
        std::fs::write(
            types.join("package.json"),
            "{ \"name\": \"@types/node\", \"types\": \"index.d.ts\" }",
        )
        .expect("a writable folder");
        for compiler in &compilers {
            if run(&project, compiler.to_str().expect("UTF-8"), &[], false).is_none() {
                return;
            }
            is_a_run(&run(&project, "node", &["dist/main.js"], true).expect("node is there"));
            run(&project, "node", &["--test", "dist/lassos.test.js"], true);
        }
    }
}

/// TypeScript 6 and 7 load only types that the configuration names, and reject options that they have dropped.
#[test]
fn the_configuration_of_typescript_is_of_versions_5_to_7() {
    let project = write(&folder("scaffold-ts-config"), Lang::Ts).remove(0);
    let text = std::fs::read_to_string(project.join("tsconfig.json")).expect("the configuration");
    let config: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let options = config["compilerOptions"].as_object().expect("options");
    assert_eq!(options["types"], serde_json::json!(["node"]));
    for gone in ["baseUrl", "downlevelIteration", "outFile", "esModuleInterop", "moduleSuffixes"] {
        assert!(!options.contains_key(gone), "{gone}");
    }
    assert_eq!((&options["module"], &options["moduleResolution"]), (&"nodenext".into(), &"nodenext".into()));
    assert_eq!((&options["target"], &options["strict"]), (&"es2022".into(), &true.into()));
}
