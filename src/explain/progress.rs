//! Progression: what remains to be kept of a formula after one letter.
//!
//! Bacchus and Kabanza (2000), "Using temporal logics to express search control knowledge for planning", section 3.1. A
//! word a·w satisfies f iff w satisfies `after(f, a)`. The result ⊥ means that f is violated whatever follows; but a
//! formula can be violated although the result is not the constant ⊥.

use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{Alphabet, AtomId, FormulaId, Formulas, Letter, Node};

/// What remains of `roots` after `letter`. O(size of the roots as a graph).
pub(super) fn after(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    roots: &[FormulaId],
    letter: &Letter,
) -> Vec<FormulaId> {
    let mut next: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    for f in present(formulas, roots) {
        let value = |g: &FormulaId| next[g];
        let result = match formulas.node(f).clone() {
            Node::True | Node::False => f,
            Node::Atom(atom) => formulas.constant(alphabet.holds(atom, letter)),
            Node::Not(g) => formulas.not(value(&g)),
            Node::And(gs) => formulas.and(gs.iter().map(value)),
            Node::Or(gs) => formulas.or(gs.iter().map(value)),
            Node::Iff(a, b) => formulas.iff(value(&a), value(&b)),
            Node::Next(g) => g,
            Node::Finally(g) => formulas.or([value(&g), f]),
            Node::Globally(g) => formulas.and([value(&g), f]),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let stay = formulas.and([value(&a), f]);
                formulas.or([value(&b), stay])
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                let stay = formulas.or([value(&a), f]);
                formulas.and([value(&b), stay])
            }
        };
        next.insert(f, result);
    }
    roots.iter().map(|f| next[f]).collect()
}

/// The subformulas whose truth now depends on the present letter, operands first: everything that is not
/// below an `X`.
fn present(formulas: &Formulas, roots: &[FormulaId]) -> Vec<FormulaId> {
    let mut seen: rustc_hash::FxHashSet<FormulaId> = roots.iter().copied().collect();
    let mut stack: Vec<FormulaId> = roots.to_vec();
    while let Some(f) = stack.pop() {
        if matches!(formulas.node(f), Node::Next(_)) {
            continue;
        }
        formulas.node(f).for_each_operand(|g| {
            if seen.insert(g) {
                stack.push(g);
            }
        });
    }
    let mut all: Vec<FormulaId> = seen.into_iter().collect();
    // Operands have smaller ids.
    all.sort_unstable();
    all
}

/// The atoms whose values in the present letter the progression depends on.
pub(super) fn present_atoms(formulas: &Formulas, roots: &[FormulaId]) -> Vec<AtomId> {
    let mut atoms: Vec<AtomId> = present(formulas, roots)
        .into_iter()
        .filter_map(|f| if let Node::Atom(a) = formulas.node(f) { Some(*a) } else { None })
        .collect();
    atoms.sort_unstable();
    atoms
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Id;
    use tsl_synth_core::logic::{Lasso, LassoSemantics};

    #[test]
    fn progression_agrees_with_the_meaning_on_lassos() {
        let mut alphabet = Alphabet::new();
        let (a, b) = (alphabet.add_input("a"), alphabet.add_output("b"));
        let mut fs = Formulas::new();
        let (a, b) = (fs.atom(a), fs.atom(b));
        let next_b = fs.next(b);
        let all = [
            fs.until(a, next_b),
            fs.weak_until(next_b, a),
            fs.release(a, b),
            fs.strong_release(b, a),
            fs.iff(a, next_b),
        ];
        let mut roots = all.to_vec();
        for f in all {
            let finally = fs.finally(f);
            roots.extend([fs.globally(finally), fs.not(f), fs.globally(f)]);
        }
        let letter =
            |code: usize| (0..2).filter(|i| code >> i & 1 == 1).map(Id::from_index).collect::<Letter>();
        for code in 0..256 {
            let letters: Vec<Letter> = (0..4).map(|i| letter(code >> (2 * i) & 3)).collect();
            let word = Lasso { prefix: vec![letters[0].clone()], cycle: letters[1..].to_vec() };
            let rest = Lasso { prefix: Vec::new(), cycle: letters[1..].to_vec() };
            let remains = after(&mut fs, &alphabet, &roots, &letters[0]);
            for (&f, &g) in roots.iter().zip(&remains) {
                let whole = LassoSemantics::new(&fs, &alphabet, &word).holds(f);
                assert_eq!(
                    whole,
                    LassoSemantics::new(&fs, &alphabet, &rest).holds(g),
                    "{}",
                    fs.display(f, &alphabet)
                );
            }
        }
    }
}
