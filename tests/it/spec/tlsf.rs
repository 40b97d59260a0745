//! TLSF: the public benchmarks are read, and mean what the format's own tool makes of them.

use std::path::{Path, PathBuf};

use crate::support::Rng;
use tsl_synth::base::Id;
use tsl_synth::logic::{Alphabet, AtomKind, BitId, FormulaId, Lasso, Letter, Meaning};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::{Failure, Problem, TlsfOptions, load_tlsf, resolve_ltl};

/// The folder of public benchmarks, if it is there.
fn bench() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find_map(|above| {
        let folder = above.join("shared/bench");
        folder.is_dir().then_some(folder)
    });
    if folder.is_none() {
        println!("skipped: there is no folder ../shared/bench with public benchmarks");
    }
    folder
}

pub(crate) fn load(text: &str, parameters: &[(&str, i64)]) -> Result<Problem, Failure> {
    let mut map = SourceMap::new();
    let source = map.add("test.tlsf", text);
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
    let options = TlsfOptions { parameters, ..TlsfOptions::default() };
    load_tlsf(source, &options, &map).map(|(problem, _)| problem)
}

fn shown(failure: &Failure) -> String {
    format!("{:?} {}", failure.limit, super::support::lines(&failure.diagnostics))
}

/// The same alphabet with names in small letters, as the format's tool writes them; nothing if two names
/// become one.
fn small_letters(alphabet: &Alphabet) -> Option<Alphabet> {
    let mut small = Alphabet::new();
    let mut names = std::collections::BTreeSet::new();
    for atom in alphabet.atoms() {
        let name = atom.name.to_lowercase();
        if !names.insert(name.clone()) {
            return None;
        }
        match atom.kind {
            AtomKind::Input(_) => small.add_input(name),
            AtomKind::Output(_) => small.add_output(name),
            AtomKind::Update(..) => return None,
        };
    }
    Some(small)
}

/// A word whose letters are mostly true, mostly false or anything.
fn word(rng: &mut Rng, bits: usize) -> Lasso {
    let (density, n, m) = ([1, 8, 15][rng.below(3)], rng.below(4), 1 + rng.below(3));
    let mut letter =
        || -> Letter { (0..bits).filter(|_| rng.below(16) < density).map(BitId::from_index).collect() };
    let prefix = (0..n).map(|_| letter()).collect();
    Lasso { prefix, cycle: (0..m).map(|_| letter()).collect() }
}

fn disagreement(problem: &mut Problem, other: FormulaId, rng: &mut Rng) -> Option<Lasso> {
    let contract = problem.contract();
    let own = contract.formula(&mut problem.formulas);
    let bits = problem.alphabet.bit_count();
    // Words that a conjunct of the contract cares about come from changing words step by step.
    for _ in 0..24 {
        let mut word = word(rng, bits);
        for _ in 0..4 {
            let mut meaning = Meaning::new(&problem.formulas, &problem.alphabet, &word);
            if meaning.holds(own) != meaning.holds(other) {
                return Some(word);
            }
            let position = rng.below(word.len());
            let bit = BitId::from_index(rng.below(bits.max(1)));
            let letter = match position.checked_sub(word.prefix.len()) {
                None => &mut word.prefix[position],
                Some(i) => &mut word.cycle[i],
            };
            if bits > 0 && !letter.remove(bit) {
                letter.insert(bit);
            }
        }
    }
    None
}

#[test]
fn public_benchmarks_are_read_and_mean_the_same() {
    let Some(bench) = bench() else { return };
    let converted = std::fs::read_to_string(bench.join("ltl.jsonl")).expect("ltl.jsonl");
    let mut files: Vec<PathBuf> = std::fs::read_dir(bench.join("syntcomp"))
        .expect("the benchmarks")
        .map(|entry| entry.expect("the benchmarks").path())
        .filter(|path| path.extension().is_some_and(|e| e == "tlsf"))
        .collect();
    files.sort();
    let mut rng = Rng(2025);
    let (mut read, mut compared, mut wrong) = (0, 0, Vec::new());
    for path in &files {
        let name = path.file_stem().and_then(|s| s.to_str()).expect("a name");
        let text = std::fs::read_to_string(path).expect("a benchmark");
        if let Err(failure) = load(&text, &[]) {
            wrong.push(format!("{name}: {}", shown(&failure)));
            continue;
        }
        read += 1;
        let key = format!("\"name\": \"{name}\",");
        let Some(line) = converted.lines().find(|line| line.contains(&key)) else { continue };
        // The conversion keeps the semantics of the file: it is the formula that they are a reading of.
        let plain = text.replace("Mealy,Strict", "Mealy").replace("SEMANTICS:   Moore", "SEMANTICS: Mealy");
        let mut problem = load(&plain, &[]).unwrap_or_else(|f| panic!("{name}: {}", shown(&f)));
        let Some(alphabet) = small_letters(&problem.alphabet) else { continue };
        problem.alphabet = alphabet;
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let mut map = SourceMap::new();
        let source = map.add("ltl", row["ltl"].as_str().expect("a formula"));
        match resolve_ltl(&mut problem, &map, source) {
            Err(found) => wrong.push(format!("{name}: {}", super::support::lines(&found))),
            Ok(other) => {
                compared += 1;
                if let Some(word) = disagreement(&mut problem, other, &mut rng) {
                    wrong.push(format!("{name}: differs on {word:?}"));
                }
            }
        }
    }
    println!("{} files, {read} read, {compared} compared", files.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 700, "only {compared} compared");
}
