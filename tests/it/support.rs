//! Seeded random formulas and words, files outside of the repository, and the list of skipped tests.

use super::skips;
use std::io::Write;
use std::path::{Path, PathBuf};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, BitId, FormulaId, Formulas, Lasso, Letter};

/// Reports that this test, or a part of it, is skipped: in its own output, and in the list at the end of `cargo test`.
pub(crate) fn skip(reason: &str) {
    let thread = std::thread::current();
    // The name of a test is that of its thread, except with `--test-threads=1`.
    let test = thread.name().unwrap_or("main");
    println!("skipped: {reason}");
    let list = skips::list();
    let _ = list.parent().map(std::fs::create_dir_all);
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&list);
    let line = format!("{test}: {reason}\n");
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(written.is_ok(), "cannot write {}: {written:?}", list.display());
}

/// A folder of public specifications and benchmarks, which are not part of this repository: below `TSL_SYNTH_SHARED`
/// where it is set, or else below a folder `shared` beside the repository or above.
fn beside(part: &str) -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("TSL_SYNTH_SHARED") {
        return Some(PathBuf::from(given).join(part)).filter(|folder| folder.is_dir());
    }
    let mut around = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
    around.find_map(|above| Some(above.join("shared").join(part)).filter(|folder| folder.is_dir()))
}

/// A folder beside the repository without which a test has nothing to do: if there is none, it is reported as skipped.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let found = beside(part);
    if found.is_none() {
        skip(&format!(
            "there is no folder ../{}{part} (TSL_SYNTH_SHARED names another for ../shared)",
            skips::SHARED
        ));
    }
    found
}

/// A folder beside the repository whose files a test takes in addition to our own; a notice if there is none.
pub(crate) fn more(part: &str) -> Option<PathBuf> {
    let found = beside(part);
    if found.is_none() {
        println!(
            "notice: there is no folder ../{}{part}, so that only our own files are tested",
            skips::SHARED
        );
    }
    found
}

/// Our own cases about a paper, in `fixtures/papers`, and then those beside the repository, in the same form.
pub(crate) fn cases(part: &str) -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/papers").join(part);
    assert!(own.is_dir(), "{} is missing", own.display());
    std::iter::once(own).chain(more(&format!("cases/{part}"))).collect()
}

/// How many instances a random test has: this many times `TSL_SYNTH_TIMES`, by default 1; `campaigns suite` sets it.
pub(crate) fn quota(count: usize) -> usize {
    let times = std::env::var("TSL_SYNTH_TIMES").ok().and_then(|text| text.parse().ok());
    count * times.unwrap_or(1).max(1)
}

/// SplitMix64: small, seeded, good enough for tests.
#[derive(Clone, Debug)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub(crate) fn flip(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

/// Two inputs and either two Boolean outputs or a cell of three options.
pub(crate) fn small_alphabet(with_cell: bool) -> Alphabet {
    let mut alphabet = Alphabet::new();
    alphabet.add_input("a");
    alphabet.add_input("b");
    if with_cell {
        alphabet.add_cell("x", ["[x <- x]", "[x <- a]", "[x <- b]"]);
    } else {
        alphabet.add_output("c");
        alphabet.add_output("d");
    }
    alphabet
}

pub(crate) fn random_formula(
    rng: &mut Rng,
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    size: usize,
) -> FormulaId {
    if size <= 1 {
        let atom = AtomId::from_index(rng.below(alphabet.atoms().len()));
        return formulas.atom(atom);
    }
    let unary = |rng: &mut Rng, formulas: &mut Formulas| random_formula(rng, formulas, alphabet, size - 1);
    match rng.below(14) {
        0 | 1 => {
            let f = unary(rng, formulas);
            formulas.not(f)
        }
        2 | 3 => {
            let f = unary(rng, formulas);
            formulas.next(f)
        }
        4 => {
            let f = unary(rng, formulas);
            formulas.finally(f)
        }
        5 => {
            let f = unary(rng, formulas);
            formulas.globally(f)
        }
        op => {
            if size == 2 {
                let f = unary(rng, formulas);
                return formulas.not(f);
            }
            let left = 1 + rng.below(size - 2);
            let f = random_formula(rng, formulas, alphabet, left);
            let g = random_formula(rng, formulas, alphabet, size - 1 - left);
            match op {
                6 | 7 => formulas.and([f, g]),
                8 | 9 => formulas.or([f, g]),
                10 => formulas.iff(f, g),
                11 => formulas.until(f, g),
                12 => formulas.release(f, g),
                _ if rng.flip() => formulas.weak_until(f, g),
                _ => formulas.strong_release(f, g),
            }
        }
    }
}

pub(crate) fn random_letter(rng: &mut Rng, alphabet: &Alphabet) -> Letter {
    let letter = (0..alphabet.bit_count()).filter(|_| rng.flip()).map(BitId::from_index).collect();
    alphabet.canonical(&letter)
}

pub(crate) fn random_lasso(rng: &mut Rng, alphabet: &Alphabet) -> Lasso {
    let (prefix, cycle) = (rng.below(4), 1 + rng.below(4));
    let letters = |rng: &mut Rng, n| (0..n).map(|_| random_letter(rng, alphabet)).collect();
    Lasso { prefix: letters(rng, prefix), cycle: letters(rng, cycle) }
}

/// The files with these endings in a folder and below, in order.
pub(crate) fn files_below(root: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let ending = path.extension().and_then(|e| e.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if ending.is_some_and(|ending| endings.contains(&ending)) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
