//! Progression by letters: what remains to be kept of a formula after one letter (see [`Formulas::progress`]).

use tsl_synth_core::logic::{Alphabet, AtomId, FormulaId, Formulas, Letter, Node};

/// What remains of `roots` after `letter`. O(size of the roots as a graph).
pub(super) fn after(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    roots: &[FormulaId],
    letter: &Letter,
) -> Vec<FormulaId> {
    let remains = formulas.progress(roots, |atom| Some(alphabet.holds(atom, letter)));
    remains.expect("each atom has a value in a letter")
}

/// The atoms whose values in the present letter the progression depends on.
pub(super) fn present_atoms(formulas: &Formulas, roots: &[FormulaId]) -> Vec<AtomId> {
    let atom = |f| if let Node::Atom(atom) = formulas.node(f) { Some(*atom) } else { None };
    let mut atoms: Vec<AtomId> = formulas.present(roots).into_iter().filter_map(atom).collect();
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
