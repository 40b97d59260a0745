//! The order of the rooms, read off the sources, so that it cannot rot.

use std::path::{Path, PathBuf};

/// The rooms from the ground up: each imports only those before it.
const ROOMS: [&str; 18] = [
    "base",
    "source",
    "diag",
    "logic",
    "model",
    "format",
    "certify",
    "syntax",
    "spec",
    "automaton",
    "game",
    "mealy",
    "synth",
    "explain",
    "control",
    "wire",
    "emit",
    "service",
];

/// Files past this many lines are too many.
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

/// The room of a file: the first folder, or the file name of a room that is one file.
fn room(file: &Path) -> Option<usize> {
    let first = file.strip_prefix(sources()).ok()?.components().next()?.as_os_str().to_str()?.to_string();
    ROOMS.iter().position(|room| *room == first.trim_end_matches(".rs"))
}

/// The text without comments: `//` to the end of the line.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line.split("//").next().unwrap_or("")))
}

/// The names that follow `crate::` in a line, those in braces included.
fn imported(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let list = rest.strip_prefix('{').map_or(rest, |rest| rest.split('}').next().unwrap_or(rest));
        let many = rest.starts_with('{');
        for item in list.split(',').take(if many { usize::MAX } else { 1 }) {
            let name = item.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            names.push(name);
        }
    }
    names
}

#[test]
fn rooms_import_only_rooms_above_them() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in rust_files(&sources()) {
        let Some(own) = room(&file) else { continue };
        let text = std::fs::read_to_string(&file).expect("sources are text");
        for (line, code) in code(&text) {
            for name in imported(code) {
                let Some(other) = ROOMS.iter().position(|room| *room == name) else { continue };
                seen += 1;
                let allowed = match ROOMS[own] {
                    // The checker shares data types with the engines and no algorithm.
                    "certify" => ["base", "logic", "model", "certify"].contains(&name),
                    _ => other <= own,
                };
                if !allowed {
                    wrong.push(format!("{}:{line}: {} imports {name}", file.display(), ROOMS[own]));
                }
            }
        }
    }
    assert!(seen > 50, "the test reads no imports any more");
    assert!(wrong.is_empty(), "against the order of the rooms:\n{}", wrong.join("\n"));
}

#[test]
fn the_crate_doc_lists_the_rooms_in_order() {
    let text = std::fs::read_to_string(sources().join("lib.rs")).expect("lib.rs");
    let listed: Vec<usize> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(|name| {
            ROOMS.iter().position(|room| *room == name).unwrap_or_else(|| panic!("{name} is no room"))
        })
        .collect();
    assert!(listed.is_sorted(), "src/lib.rs lists the rooms out of order");
}

#[test]
fn only_the_binary_touches_the_world() {
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
    for file in rust_files(&sources()).into_iter().filter(|file| room(file).is_some()) {
        let text = std::fs::read_to_string(&file).expect("sources are text");
        // Tests inside of a file may do what they like.
        let text = text.split("#[cfg(test)]").next().unwrap_or("");
        for (line, code) in code(text) {
            if forbidden.iter().any(|name| code.contains(name)) {
                wrong.push(format!("{}:{line}: {}", file.display(), code.trim()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "only the binary reads files, prints, sleeps or asks for the time:\n{}",
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
