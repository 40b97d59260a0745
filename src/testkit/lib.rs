//! What the tests of all crates share: seeded random formulas and words, files outside of the repository, and the list of
//! skipped tests.
//!
//! This crate is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]
// What a test needs and does not find ends it.
#![allow(clippy::missing_panics_doc)]

pub mod skips;

use std::io::Write;
use std::path::{Path, PathBuf};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, BitId, FormulaId, Formulas, Lasso, Letter};

/// Reports that this test, or a part of it, is skipped: in its own output, and in the list at the end of `cargo test`.
pub fn skip(reason: &str) {
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

/// The folder of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two folders above this crate")
}

/// A folder of public specifications and benchmarks, which are not part of this repository: below `TSL_SYNTH_SHARED`
/// where it is set, or else below a folder `shared` beside the repository or above.
fn beside(part: &str) -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("TSL_SYNTH_SHARED") {
        return Some(PathBuf::from(given).join(part)).filter(|folder| folder.is_dir());
    }
    let mut around = repository().ancestors().skip(1);
    around.find_map(|above| Some(above.join("shared").join(part)).filter(|folder| folder.is_dir()))
}

/// A folder beside the repository without which a test has nothing to do: if there is none, it is reported as skipped.
pub fn shared(part: &str) -> Option<PathBuf> {
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
pub fn more(part: &str) -> Option<PathBuf> {
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
pub fn cases(part: &str) -> Vec<PathBuf> {
    let own = repository().join("fixtures/papers").join(part);
    assert!(own.is_dir(), "{} is missing", own.display());
    std::iter::once(own).chain(more(&format!("cases/{part}"))).collect()
}

/// How many instances a random test has: this many times `TSL_SYNTH_TIMES`, by default 1; `campaigns suite` sets it.
pub fn quota(count: usize) -> usize {
    let times = std::env::var("TSL_SYNTH_TIMES").ok().and_then(|text| text.parse().ok());
    count * times.unwrap_or(1).max(1)
}

/// SplitMix64: small, seeded, good enough for tests.
#[derive(Clone, Debug)]
pub struct Rng(
    /// The state; every seed is a good one.
    pub u64,
);

impl Rng {
    /// The next number, of all 64-bit ones.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() % n as u64) as usize
    }
    /// A fair coin.
    pub fn flip(&mut self) -> bool {
        self.draw() & 1 == 1
    }
}

/// Two inputs and either two Boolean outputs or a cell of three options.
pub fn small_alphabet(with_cell: bool) -> Alphabet {
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

/// A formula of this size with all operators over the atoms of the alphabet.
pub fn random_formula(rng: &mut Rng, formulas: &mut Formulas, alphabet: &Alphabet, size: usize) -> FormulaId {
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

/// A letter in canonical form.
pub fn random_letter(rng: &mut Rng, alphabet: &Alphabet) -> Letter {
    let letter = (0..alphabet.bit_count()).filter(|_| rng.flip()).map(BitId::from_index).collect();
    alphabet.canonical(&letter)
}

/// A random lasso word: a prefix of at most three letters and a cycle of one to four.
pub fn random_lasso(rng: &mut Rng, alphabet: &Alphabet) -> Lasso {
    let (prefix, cycle) = (rng.below(4), 1 + rng.below(4));
    let letters = |rng: &mut Rng, n| (0..n).map(|_| random_letter(rng, alphabet)).collect();
    Lasso { prefix: letters(rng, prefix), cycle: letters(rng, cycle) }
}

/// The files with these endings in a folder and below, in order.
pub fn files_below(root: &Path, endings: &[&str]) -> Vec<PathBuf> {
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
