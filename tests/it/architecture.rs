//! The architecture, checked on the sources: the import order of the modules, import cycles, and which code has side
//! effects.

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What the manifest of each crate below `src` may name among the crates of this workspace.
const DIRECTIONS: [(&str, &[&str]); 26] = [
    ("core", &[]),
    // The second checker: it shares no code with all that follows.
    ("checker", &[]),
    ("certificates", &["checker"]),
    ("arithmetic", &["core"]),
    ("automata", &["core"]),
    ("kernel", &["core"]),
    ("ltl", &["core", "grammars"]),
    ("lang", &["arithmetic", "core", "grammars", "ltl"]),
    ("formats", &["core"]),
    ("fret", &["core"]),
    ("programs", &["arithmetic", "automata", "core", "grammars", "kernel"]),
    ("engine", &["automata", "core", "kernel", "lang"]),
    ("explain", &["automata", "core", "engine", "kernel", "lang"]),
    ("shell", &["core"]),
    ("policy", &["automata", "core", "ltl", "shell"]),
    ("seats", &["core", "policy", "templates"]),
    ("gate", &["core", "policy", "seats", "shell"]),
    ("stores", &["core", "gate", "seats"]),
    ("agents", &["automata", "core", "grammars", "lang", "ltl", "policy"]),
    ("documents", &["agents", "core", "engine", "explain", "kernel", "lang", "ltl", "policy"]),
    (
        "emit",
        &[
            "agents",
            "core",
            "documents",
            "engine",
            "formats",
            "lang",
            "ltl",
            "policy",
            "programs",
            "templates",
        ],
    ),
    (
        "service",
        &[
            "agents",
            "automata",
            "certificates",
            "checker",
            "core",
            "documents",
            "emit",
            "engine",
            "explain",
            "formats",
            "fret",
            "gate",
            "kernel",
            "lang",
            "ltl",
            "policy",
            "programs",
            "seats",
            "shell",
        ],
    ),
    ("experiments", &["agents", "core", "documents", "policy", "service", "specs"]),
    (
        "cli",
        &[
            "agents",
            "core",
            "documents",
            "experiments",
            "lang",
            "policy",
            "seats",
            "service",
            "shell",
            "stores",
            "templates",
        ],
    ),
    // It runs Cargo.
    ("lab", &[]),
    // What tests share.
    ("testkit", &["core"]),
];

/// The crates with side effects: files, clock, terminal, processes.
const ADAPTERS: [&str; 5] = ["checker", "cli", "lab", "stores", "testkit"];

/// The most lines that a file may have.
const LINES: usize = 800;

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources are there") {
            let path = entry.expect("the sources can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The crate of a file below `src`; `None` for the facade and for bindings.
fn crate_of(file: &Path) -> Option<String> {
    let first = file.strip_prefix(sources()).ok()?.components().next()?.as_os_str().to_str()?.to_string();
    DIRECTIONS.iter().any(|(name, _)| *name == first).then_some(first)
}

/// The numbered lines without comments, which extend from `//` to the end of the line.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line.split("//").next().unwrap_or("")))
}

#[test]
fn manifests_name_only_crates_that_they_may_use() {
    let mut folders: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(sources()).expect("the sources are there") {
        let entry = entry.expect("the sources can be read");
        if entry.path().join("Cargo.toml").exists() {
            folders.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    folders.sort();
    let mut listed: Vec<&str> = DIRECTIONS.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(folders, listed, "crates below src, and those of the table");
    for (name, allowed) in DIRECTIONS {
        let text = std::fs::read_to_string(sources().join(name).join("Cargo.toml")).expect("a manifest");
        let manifest: toml::Table = text.parse().expect("a manifest is TOML");
        let uses = manifest.get("dependencies").and_then(toml::Value::as_table).expect("dependencies");
        let folder = |key: &String| match key.as_str() {
            "tsl-check" => Some("checker".to_string()),
            _ => key.strip_prefix("tsl-synth-").map(str::to_string),
        };
        let uses: Vec<String> = uses.keys().filter_map(folder).collect();
        assert!(allowed.is_empty() || !uses.is_empty(), "{name} uses no other crate");
        for used in uses {
            assert!(allowed.contains(&used.as_str()), "{name} uses {used}");
        }
    }
}

#[test]
fn only_adapters_have_side_effects() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "println!",
        "eprintln!",
        "Instant",
        "SystemTime",
        "thread::sleep",
    ];
    let mut wrong = Vec::new();
    let is_pure = |file: &PathBuf| crate_of(file).is_some_and(|own| !ADAPTERS.contains(&own.as_str()));
    for file in rust_files(&sources()).into_iter().filter(is_pure) {
        let text = std::fs::read_to_string(&file).expect("sources are text");
        // Tests are exempt.
        if file.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let text = text.split("#[cfg(test)]").next().unwrap_or("");
        for (line, code) in code(text) {
            if forbidden.iter().any(|name| code.contains(name)) {
                wrong.push(format!("{}:{line}: {}", file.display(), code.trim()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "only the crates of adapters read files, print, sleep or ask for the time:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn no_file_is_too_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["src", "tests"] {
        for file in rust_files(&root.join(folder)) {
            let lines = std::fs::read_to_string(&file).expect("sources are text").lines().count();
            assert!(lines <= LINES, "{} has {lines} lines", file.display());
        }
    }
}

/// The path of a module: its crate, the names of its folders and its own.
type Module = Vec<String>;

/// All modules of the crates with their texts, without comments and tests.
fn modules() -> BTreeMap<Module, String> {
    let mut modules = BTreeMap::new();
    for file in rust_files(&sources()).into_iter().filter(|file| crate_of(file).is_some()) {
        let path = file.strip_prefix(sources()).expect("a source").with_extension("");
        let mut module: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        module.pop_if(|last| last == "mod" || last == "lib");
        let text = std::fs::read_to_string(&file).expect("sources are text");
        let text = text.split("#[cfg(test)]").next().unwrap_or("");
        modules.insert(module, code(text).flat_map(|(_, line)| [line, "\n"]).collect());
    }
    modules
}

/// The paths of a `use` tree: those of `a::{b, c::d}` are `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let Some((prefix, list)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or("").trim().to_owned()];
    };
    let list = &list[..list.rfind('}').unwrap_or(list.len())];
    let (mut depth, mut items) = (0, vec![String::new()]);
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        items.last_mut().expect("at least one").push(c);
    }
    let items = items.iter().map(|item| item.trim()).filter(|item| !item.is_empty());
    items.flat_map(paths).map(|path| format!("{}{path}", prefix.trim())).collect()
}

/// The paths in a module that begin with `crate`, `self` or `super`, resolved to paths that begin with the crate.
fn named(module: &Module, text: &str) -> Vec<Module> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in text.split_inclusive(';') {
        // A `use` declaration begins a line, except for a visibility before it.
        let start = statement.rfind("use ").filter(|&at| {
            let line = statement[..at].rsplit('\n').next().unwrap_or("").trim();
            line.is_empty() || line.starts_with("pub")
        });
        let (other, import) = statement.split_at(start.unwrap_or(statement.len()));
        rest.push_str(other);
        if let Some(tree) = import.strip_prefix("use ") {
            found.extend(paths(tree.trim_end_matches(';').trim()));
        }
    }
    found.extend(rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').map(str::to_owned));
    let absolute = |path: String| {
        let mut parts = path.split("::").map(str::to_owned).peekable();
        let mut from = match parts.peek()?.as_str() {
            "crate" => {
                parts.next();
                module[..1].to_vec()
            }
            "self" => {
                parts.next();
                module.clone()
            }
            "super" => module.clone(),
            _ => return None,
        };
        while parts.next_if(|part| part == "super").is_some() {
            from.pop();
        }
        from.extend(parts);
        Some(from)
    };
    found.into_iter().filter_map(absolute).collect()
}

/// For each pair of modules of one folder of which the first imports the second, one such import. A subfolder counts as
/// one module. Imports between a module and the modules that contain it do not count, nor those between
/// crates.
fn imports_between_siblings() -> BTreeMap<(Module, Module), String> {
    let modules = modules();
    let mut imports = BTreeMap::new();
    for (module, text) in &modules {
        for path in named(module, text) {
            let Some(target) =
                (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|m| modules.contains_key(m))
            else {
                continue;
            };
            let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if common > 0 && common < module.len().min(target.len()) {
                let pair = (module[..=common].to_vec(), target[..=common].to_vec());
                let import = format!("{} imports {}", module.join("::"), path.join("::"));
                imports.entry(pair).or_insert(import);
            }
        }
    }
    imports
}

/// The trusted modules of the checker do not depend on its search for counterexamples; `Cargo.toml` sees to it that
/// nothing of an engine is imported.
#[test]
fn the_trusted_modules_import_no_search() {
    let own = ["trusted", "outcome", "tuning"];
    let mut checked = 0;
    for (module, text) in modules() {
        if !module.starts_with(&["kernel".to_string(), "trusted".to_string()]) {
            continue;
        }
        for path in named(&module, &text).into_iter().filter(|path| path.len() > 1) {
            let inside = path[1].as_str();
            assert!(own.contains(&inside), "{} imports {}", module.join("::"), path.join("::"));
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} imports of trusted modules");
}

#[test]
fn modules_import_each_other_without_circles() {
    let imports = imports_between_siblings();
    assert!(imports.len() > 300, "the test reads no imports any more");
    let numbers: BTreeMap<&Module, usize> =
        imports.keys().flat_map(|(a, b)| [a, b]).collect::<BTreeSet<_>>().into_iter().zip(0..).collect();
    let names: Vec<String> = numbers.keys().map(|module| module.join("::")).collect();
    let graph: DiGraphMap<usize, ()> = imports.keys().map(|(a, b)| (numbers[a], numbers[b])).collect();
    let circles = kosaraju_scc(&graph).into_iter().filter(|component| component.len() > 1);
    let found: BTreeSet<BTreeSet<&str>> =
        circles.map(|circle| circle.iter().map(|&i| names[i].as_str()).collect()).collect();
    let mut wrong = String::new();
    for circle in &found {
        let _ = writeln!(wrong, "{circle:?}");
        for ((a, b), import) in &imports {
            if [a, b].iter().all(|module| circle.contains(module.join("::").as_str())) {
                let _ = writeln!(wrong, "    {import}");
            }
        }
    }
    assert!(wrong.is_empty(), "modules that import each other in a circle:\n{wrong}");
}

#[test]
fn trees_of_imports_are_read() {
    assert_eq!(
        paths("super::{a, b::{c, d as e}, f::*}"),
        ["super::a", "super::b::c", "super::b::d", "super::f::*"]
    );
    let module = ["engine", "game", "bounded"].map(str::to_owned).to_vec();
    let text = "use super::colors::{\n    A,\n    B,\n};\nfn f(x: crate::base::Id) { super::mode::g(x); }\n";
    let found: Vec<String> = named(&module, text).iter().map(|path| path.join("::")).collect();
    assert_eq!(
        found,
        ["engine::game::colors::A", "engine::game::colors::B", "engine::base::Id", "engine::game::mode::g"]
    );
}

/// A library that `cargo test` does not compile for tests, with `test = false`, has none.
#[test]
fn libraries_without_a_test_build_have_no_tests() {
    let root = sources().parent().expect("the repository").to_path_buf();
    let crates = ["certificates", "lang", "programs"].map(|name| format!("src/{name}"));
    let folders = ["grammars", "specs", "templates"].map(str::to_owned);
    let mut without = 0;
    for folder in crates.iter().chain(&folders).map(|folder| root.join(folder)) {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        assert!(manifest.contains("[lib]"), "{}", folder.display());
        without += usize::from(manifest.contains("\ntest = false\n"));
        for file in rust_files(&folder).iter().filter(|file| !file.starts_with(folder.join("tests"))) {
            let text = std::fs::read_to_string(file).expect("a source");
            let mut lines = code(&text);
            assert!(!lines.any(|(_, line)| line.contains("#[test]")), "{}", file.display());
        }
    }
    assert_eq!(without, 6);
}
