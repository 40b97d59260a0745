//! Evaluation of laws on short words, directly by the semantics. A word on which two laws differ shows that they are
//! not equivalent; agreement on all short words proves nothing.

use super::tree::{LawTree, Link, Temporal};
use std::sync::Arc;
use tsl_synth_core::base::Random;

/// The largest number of steps of a word; the truth value at each step is one bit.
const MOST_STEPS: usize = 16;

/// A word: for each step the set of true atoms, one bit for each.
pub(super) type Word = Vec<u64>;

/// The steps at which a law holds, one bit for each. For the empty word, bit 0 is the truth value of the law.
fn steps(law: &LawTree, atoms: &[Arc<str>], word: &[u64]) -> u32 {
    let n = word.len().max(1);
    let all = (1_u32 << n) - 1;
    let of = |law: &LawTree| steps(law, atoms, word);
    let is_empty = word.is_empty();
    let backward = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut bits = 0;
        let mut last = start;
        for at in (0..n).rev() {
            last = step(at, last);
            bits |= u32::from(last) << at;
        }
        bits
    };
    let forward = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut bits = 0;
        let mut last = start;
        for at in 0..n {
            last = step(at, last);
            bits |= u32::from(last) << at;
        }
        bits
    };
    let bit = |bits: u32, at: usize| bits >> at & 1 == 1;
    match law {
        LawTree::Constant(value) => {
            if *value {
                all
            } else {
                0
            }
        }
        LawTree::Atom(name) => {
            let place = atoms.iter().position(|atom| atom == name);
            let holds = |letter: &u64| place.is_some_and(|place| letter >> place & 1 == 1);
            word.iter().enumerate().map(|(at, letter)| u32::from(holds(letter)) << at).sum()
        }
        LawTree::Not(f) => !of(f) & all,
        LawTree::And(parts) => parts.iter().fold(all, |bits, part| bits & of(part)),
        LawTree::Or(parts) => parts.iter().fold(0, |bits, part| bits | of(part)),
        LawTree::Implies(f, g) => (!of(f) | of(g)) & all,
        LawTree::Iff(f, g) => !(of(f) ^ of(g)) & all,
        // The empty word has no steps: operators that require one are false, and their duals are true.
        LawTree::Unary(
            Temporal::Next | Temporal::Globally | Temporal::WeakYesterday | Temporal::Historically,
            _,
        )
        | LawTree::Binary(Link::WeakUntil | Link::Release | Link::Trigger, ..)
            if is_empty =>
        {
            1
        }
        LawTree::Unary(..) | LawTree::Binary(..) if is_empty => 0,
        LawTree::Unary(op, f) => {
            let f = of(f);
            match op {
                Temporal::Next => f >> 1 | 1 << (n - 1),
                Temporal::StrongNext => f >> 1,
                Temporal::Yesterday => f << 1 & all,
                Temporal::WeakYesterday => (f << 1 | 1) & all,
                Temporal::Finally => backward(false, &|at, later| later || bit(f, at)),
                Temporal::Globally => backward(true, &|at, later| later && bit(f, at)),
                Temporal::Once => forward(false, &|at, before| before || bit(f, at)),
                Temporal::Historically => forward(true, &|at, before| before && bit(f, at)),
            }
        }
        LawTree::Binary(op, f, g) => {
            let (f, g) = (of(f), of(g));
            let until = |at: usize, later: bool| bit(g, at) || bit(f, at) && later;
            let release = |at: usize, later: bool| bit(g, at) && (bit(f, at) || later);
            match op {
                Link::Until => backward(false, &until),
                Link::WeakUntil => backward(true, &until),
                Link::Release => backward(true, &release),
                Link::StrongRelease => backward(false, &release),
                Link::Since => forward(false, &until),
                Link::Trigger => forward(true, &release),
            }
        }
    }
}

/// Whether a word satisfies a law.
pub(super) fn keeps(law: &LawTree, atoms: &[Arc<str>], word: &[u64]) -> bool {
    steps(law, atoms, word) & 1 == 1
}

/// All words over the atoms up to a small length, and random longer ones from a fixed seed.
pub(super) fn words(atoms: usize) -> Vec<Word> {
    /// All words of at most this many bits are tried.
    const ALL_BITS: usize = 14;
    const RANDOM: usize = 1_500;
    let mut words = vec![Vec::new()];
    for length in 1..=(ALL_BITS / atoms.max(1)).min(6) {
        let count = 1_u64 << (atoms * length);
        let letter = |word: u64, at: usize| word >> (atoms * at) & ((1 << atoms) - 1);
        words.extend((0..count).map(|word| (0..length).map(|at| letter(word, at)).collect::<Word>()));
    }
    let mut random = Random::new(20);
    for _ in 0..RANDOM {
        let length = 1 + random.below(MOST_STEPS / 2);
        // Sparse, dense or uniformly random letters.
        let kind = random.below(3);
        let letter = |random: &mut Random| match kind {
            0 => random.bits() & random.bits(),
            1 => random.bits() | random.bits(),
            _ => random.bits(),
        };
        words.push((0..length).map(|_| letter(&mut random)).collect());
    }
    words
}

/// The atoms of two laws; the first 60 of them.
pub(super) fn atoms_of(f: &LawTree, g: &LawTree) -> Vec<Arc<str>> {
    let mut atoms = f.atoms();
    atoms.extend(g.atoms());
    atoms.sort();
    atoms.dedup();
    atoms.truncate(60);
    atoms
}

/// Whether a word was found that satisfies only `f`, and one that satisfies only `g`.
pub(super) fn differ(f: &LawTree, g: &LawTree) -> (bool, bool) {
    let atoms = atoms_of(f, g);
    let (mut only_f, mut only_g) = (false, false);
    for word in words(atoms.len()) {
        match (keeps(f, &atoms, &word), keeps(g, &atoms, &word)) {
            (true, false) => only_f = true,
            (false, true) => only_g = true,
            _ => {}
        }
    }
    (only_f, only_g)
}

/// Whether some word violates the law but has an extension that satisfies it.
pub(super) fn owes(law: &LawTree) -> bool {
    let atoms = law.atoms();
    let atoms: Vec<Arc<str>> = atoms.into_iter().take(60).collect();
    let all = words(atoms.len());
    all.iter()
        .filter(|word| keeps(law, &atoms, word))
        .any(|word| (0..word.len()).any(|length| !keeps(law, &atoms, &word[..length])))
}
