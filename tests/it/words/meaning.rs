//! What a law means on a finite word, by the definition.

use tsl_synth_policy::language::words::{LawTree, Link, Temporal};
use tsl_synth_testkit::Rng;

/// A letter: the atoms that are true.
pub(crate) type Letter<'a> = Vec<&'a str>;

/// Whether a law holds at a position of a word; after the last position the rest of the word is empty.
pub(crate) fn holds(law: &LawTree, word: &[Letter<'_>], at: usize) -> bool {
    let n = word.len();
    match law {
        LawTree::Constant(value) => *value,
        LawTree::Atom(name) => at < n && word[at].contains(&&**name),
        LawTree::Not(f) => !holds(f, word, at),
        LawTree::And(all) => all.iter().all(|f| holds(f, word, at)),
        LawTree::Or(all) => all.iter().any(|f| holds(f, word, at)),
        LawTree::Implies(f, g) => !holds(f, word, at) || holds(g, word, at),
        LawTree::Iff(f, g) => holds(f, word, at) == holds(g, word, at),
        LawTree::Unary(op, f) => match op {
            Temporal::Next => at + 1 >= n || holds(f, word, at + 1),
            Temporal::StrongNext => at + 1 < n && holds(f, word, at + 1),
            Temporal::Finally => (at..n).any(|i| holds(f, word, i)),
            Temporal::Globally => (at..n).all(|i| holds(f, word, i)),
            Temporal::Yesterday => at > 0 && holds(f, word, at - 1),
            Temporal::WeakYesterday => at == 0 || holds(f, word, at - 1),
            Temporal::Once => (0..=at).any(|i| i < n && holds(f, word, i)),
            Temporal::Historically => (0..=at).all(|i| i >= n || holds(f, word, i)),
        },
        LawTree::Binary(op, f, g) => {
            let until = |f: &LawTree, g: &LawTree| {
                (at..n).any(|i| holds(g, word, i) && (at..i).all(|j| holds(f, word, j)))
            };
            let since = |f: &LawTree, g: &LawTree| {
                (0..=at).any(|i| i < n && holds(g, word, i) && (i + 1..=at).all(|j| holds(f, word, j)))
            };
            let not = |f: &LawTree| LawTree::Not(Box::new(f.clone()));
            match op {
                Link::Until => until(f, g),
                Link::WeakUntil => until(f, g) || (at..n).all(|i| holds(f, word, i)),
                Link::Release => !until(&not(f), &not(g)),
                Link::StrongRelease => {
                    (at..n).any(|i| holds(f, word, i) && (at..=i).all(|j| holds(g, word, j)))
                }
                Link::Since => since(f, g),
                Link::Trigger => !since(&not(f), &not(g)),
            }
        }
    }
}

/// All words over these atoms up to this length.
pub(crate) fn words<'a>(atoms: &[&'a str], longest: usize) -> Vec<Vec<Letter<'a>>> {
    let letters: Vec<Letter<'a>> = (0..1_usize << atoms.len())
        .map(|bits| (0..atoms.len()).filter(|i| bits >> i & 1 == 1).map(|i| atoms[i]).collect())
        .collect();
    let mut all: Vec<Vec<Letter<'a>>> = vec![Vec::new()];
    let mut begin = 0;
    for _ in 0..longest {
        let end = all.len();
        for k in begin..end {
            for letter in &letters {
                let mut word = all[k].clone();
                word.push(letter.clone());
                all.push(word);
            }
        }
        begin = end;
    }
    all
}

/// Words of random letters up to this length.
pub(crate) fn random_words<'a>(
    rng: &mut Rng,
    atoms: &[&'a str],
    longest: usize,
    n: usize,
) -> Vec<Vec<Letter<'a>>> {
    let letter = |rng: &mut Rng| atoms.iter().copied().filter(|_| rng.flip()).collect();
    (0..n)
        .map(|_| {
            let length = 1 + rng.below(longest);
            (0..length).map(|_| letter(rng)).collect()
        })
        .collect()
}

/// A word on which two laws differ.
pub(crate) fn difference<'a>(
    f: &LawTree,
    g: &LawTree,
    words: &'a [Vec<Letter<'a>>],
) -> Option<&'a Vec<Letter<'a>>> {
    words.iter().find(|word| holds(f, word, 0) != holds(g, word, 0))
}
