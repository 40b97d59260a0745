//! Every specification of the gallery is lowered, and every public one where the corpus is there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::support::{Folder, show};
use crate::gallery;
use tsl_synth_core::model::Role;
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec;
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports};
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_testkit::{Rng, cases, more, shared};

/// Splits a line of comma-separated values with quotes.
pub(crate) fn fields(line: &str) -> Vec<String> {
    let (mut all, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.push(chars.next().unwrap_or('"')),
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    all.push(field);
    all
}

/// Specifications with mistakes: a missing parenthesis; `closed` as a signal and `closed()` as a constant; a file of
/// comments only.
const BROKEN: [&str; 3] = [
    "seed/choices-as-printed.tsl",
    "jarvis/extracted-benchmarks/jarvis_philippe_484face8/jarvis_philippe_484face8_1.tsl",
    "jarvis/scenario-creator/scenarios/template.tsl",
];

/// Our own specifications with their numbers of inputs and of options of cells, counted by hand.
const COUNTED: [(&str, usize, usize); 6] = [
    ("adventure/cave.tsl", 2, 3),
    ("adventure/story_choices.tsl", 5, 6),
    ("arbiters/round_robin.tsl", 3, 4),
    ("machines/traffic_light.tsl", 2, 8),
    ("spurious/choice.tsl", 3, 3),
    ("spurious/swap.tsl", 2, 4),
];

#[test]
fn specifications_have_the_known_numbers_of_atoms() {
    for (name, inputs, options) in COUNTED {
        let problem = gallery::problem(&gallery::folder().join(name));
        let cells = problem.alphabet.cells().iter();
        let found = (problem.alphabet.inputs().count(), cells.map(|cell| cell.options.len()).sum::<usize>());
        assert_eq!(found, (inputs, options), "{name}");
    }
    if let Some(root) = more("cases/tsl") {
        public_specifications_have_the_indexed_numbers(&root);
    }
}

fn public_specifications_have_the_indexed_numbers(root: &Path) {
    let index = std::fs::read_to_string(root.join("INDEX.csv")).expect("INDEX.csv");
    let mut lines = index.lines();
    let header = fields(lines.next().expect("a header"));
    let column = |name: &str| header.iter().position(|h| h == name).expect("a column");
    let (name, aps, orig) = (column("name"), column("in/out_APs"), column("orig_tlsf"));
    let (mut read, mut same, mut bad) = (0, 0, Vec::new());
    for line in lines {
        let row = fields(line);
        let path = root.join(&row[name]);
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let dialect = if row[orig] == "ok" { Dialect::Tsltools } else { Dialect::Barnard };
        let mut map = SourceMap::new();
        let file = path.canonicalize().expect("a path").display().to_string();
        let source = map.add(file.clone(), text);
        let options = LoadOptions { dialect, ..LoadOptions::default() };
        match spec::load_tsl(&[MainFile { source, canonical: file }], &options, &mut map, &Folder) {
            Ok((problem, _)) => {
                read += 1;
                let inputs = problem.alphabet.inputs().count();
                let outputs: usize = problem.alphabet.cells().iter().map(|c| c.options.len()).sum();
                let found = format!("{inputs}/{outputs}");
                // The indexed numbers are 0/0 for specifications without guarantees.
                let lost = row[aps] == "0/0" && problem.clauses.iter().all(|c| c.role != Role::Guarantee);
                if found == row[aps] {
                    same += 1;
                } else if !lost && !row[aps].is_empty() {
                    bad.push(format!("{}: {found}, indexed {}", row[name], row[aps]));
                }
            }
            Err(_) if BROKEN.contains(&row[name].as_str()) => {}
            Err(failure) => bad.push(format!("{}: {}", row[name], show(&failure))),
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(read >= 300 && same >= 260, "{read} read, {same} with the indexed numbers of atoms");
}

/// As printed in a paper, with a parenthesis missing.
const AS_PRINTED: [&str; 2] = ["choices.as-printed.tsl", "task3.as-printed.tsl"];

#[test]
fn specifications_of_agents_are_lowered() {
    let mut bad = String::new();
    let folders = cases("agents/tsl");
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder").flatten());
    let mut lowered = 0;
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().extension().is_none_or(|e| e != "tsl") || AS_PRINTED.contains(&name.as_str()) {
            continue;
        }
        let mut map = SourceMap::new();
        let source = map.add(name.clone(), std::fs::read_to_string(entry.path()).expect("text"));
        let files = [MainFile { source, canonical: name.clone() }];
        if let Err(failure) = spec::load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports) {
            let _ = writeln!(bad, "{name}: {}", show(&failure));
        }
        lowered += 1;
    }
    assert!(lowered >= 8, "{lowered} specifications");
    assert!(bad.is_empty(), "{bad}");
}

#[test]
fn changed_specifications_never_panic() {
    let mut files = gallery::gallery();
    files.retain(|path| path.extension().is_some_and(|e| e == "tsl"));
    files.extend(public_files());
    let texts: Vec<String> = files
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a specification"))
        .filter(|text| text.len() < 4000)
        .collect();
    let extra = [
        "c()",
        "[x <- x + 1]",
        "(",
        ")",
        "x",
        "X[2]",
        "cell x: 0..3 = 0;",
        "{a, b}",
        "&&[i IN {1,2}]",
        "= 3",
        "Y",
        "true",
        "p x",
        "f = g;",
        "!",
        "S",
    ];
    let mut rng = Rng(13);
    let (mut whole, mut wrong) = (0, 0);
    for _ in 0..3000 {
        let text = &texts[rng.below(texts.len())];
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(', ')']).collect();
        for _ in 0..=rng.below(3) {
            let at = rng.below(words.len());
            match rng.below(4) {
                0 if words.len() > 1 => drop(words.remove(at)),
                1 => words.insert(at, extra[rng.below(extra.len())]),
                2 => words[at] = extra[rng.below(extra.len())],
                _ => {
                    let other = rng.below(words.len());
                    words.swap(at, other);
                }
            }
        }
        let text = words.concat();
        let mut map = SourceMap::new();
        let source = map.add("m.tsl", text);
        let files = [MainFile { source, canonical: "m.tsl".into() }];
        match spec::load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports) {
            Ok((mut problem, _)) => {
                whole += 1;
                let facts: Vec<_> =
                    problem.clauses.iter().filter(|c| c.role == Role::Fact).cloned().collect();
                super::runs::check(&problem, &facts, &mut rng, 2);
                let frames = spec::frame_constraints(&mut problem);
                super::runs::check(&problem, &frames, &mut rng, 2);
            }
            Err(_) => wrong += 1,
        }
    }
    assert!(whole > 100 && wrong > 100, "{whole} whole, {wrong} wrong");
}

/// The specifications of the public corpus, if it is there.
pub(super) fn public_files() -> Vec<PathBuf> {
    let Some(root) = more("cases/tsl") else { return Vec::new() };
    let index = std::fs::read_to_string(root.join("INDEX.csv")).expect("INDEX.csv");
    let names = index.lines().skip(1).filter_map(|line| line.split(',').next());
    names.map(|name| root.join(name)).filter(|path| path.is_file()).collect()
}

#[test]
#[ignore = "prints all remarks on the corpus"]
fn remarks() {
    let Some(root) = shared("cases") else { return };
    let index = std::fs::read_to_string(root.join("tsl/INDEX.csv")).expect("INDEX.csv");
    for line in index.lines().skip(1) {
        let row = fields(line);
        let path = root.join("tsl").join(&row[0]);
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let mut map = SourceMap::new();
        let file = path.canonicalize().expect("a path").display().to_string();
        let source = map.add(file.clone(), text);
        let options = LoadOptions { dialect: Dialect::Tsltools, ..LoadOptions::default() };
        if let Ok((_, found)) =
            spec::load_tsl(&[MainFile { source, canonical: file }], &options, &mut map, &Folder)
        {
            print!("{}", super::support::lines(&found));
        }
    }
}
