//! Merges atoms that a clause makes equal: if `G (a <-> b)` or `G (a <-> !b)` is a clause, b is replaced by a (or its
//! negation) in other clauses. The resulting contract is equivalent, so the winner is the same.

use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, Node};
use tsl_synth_core::model::Contract;

/// The contract with equal atoms merged; the clauses that make them equal stay.
///
/// For F → (R ∧ (A → G)): an equality in F holds for all other clauses, one in R for R, A and G, one in A for A
/// and G, one in G for G.
pub(super) fn with_equal_atoms(formulas: &mut Formulas, contract: &Contract) -> Contract {
    let mut parts = [
        contract.facts.clone(),
        contract.restrictions.clone(),
        contract.assumptions.clone(),
        contract.guarantees.clone(),
    ];
    for part in 0..parts.len() {
        for clause in 0..parts[part].len() {
            let Some((kept, dropped, same)) = equality(formulas, parts[part][clause]) else { continue };
            let (kept, dropped) = (formulas.atom(kept), formulas.atom(dropped));
            let value = if same { kept } else { formulas.not(kept) };
            for (p, clauses) in parts.iter_mut().enumerate().skip(part) {
                for (c, f) in clauses.iter_mut().enumerate() {
                    if (p, c) != (part, clause) {
                        *f = formulas.map(*f, |_, g, _| (g == dropped).then_some(value));
                    }
                }
            }
        }
    }
    let [facts, restrictions, assumptions, guarantees] = parts;
    Contract { facts, restrictions, assumptions, guarantees }
}

/// `G (a <-> b)` or `G (a <-> !b)`: the two atoms, the smaller first, and whether they are equal or opposite.
fn equality(formulas: &Formulas, f: FormulaId) -> Option<(AtomId, AtomId, bool)> {
    let Node::Globally(inner) = *formulas.node(f) else { return None };
    let (sides, flip) = match *formulas.node(inner) {
        Node::Iff(a, b) => ([a, b], false),
        Node::Not(g) => match *formulas.node(g) {
            Node::Iff(a, b) => ([a, b], true),
            _ => return None,
        },
        _ => return None,
    };
    let literal = |g: FormulaId| match *formulas.node(g) {
        Node::Atom(a) => Some((a, true)),
        Node::Not(h) => match *formulas.node(h) {
            Node::Atom(a) => Some((a, false)),
            _ => None,
        },
        _ => None,
    };
    let ((a, x), (b, y)) = (literal(sides[0])?, literal(sides[1])?);
    (a != b).then_some((a.min(b), a.max(b), (x == y) != flip))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Id;
    use tsl_synth_core::logic::{Alphabet, Lasso, LassoSemantics, Letter};

    /// The objective has the same truth value on all lassos with one letter before a cycle of two, over three atoms.
    #[test]
    fn the_objective_keeps_its_meaning() {
        let mut alphabet = Alphabet::new();
        let (i, j) = (alphabet.add_input("i"), alphabet.add_input("j"));
        let o = alphabet.add_output("o");
        let mut formulas = Formulas::new();
        let [i, j, o] = [i, j, o].map(|a| formulas.atom(a));
        let equal = formulas.iff(i, j);
        let opposite = formulas.xor(j, o);
        let (equal, opposite) = (formulas.globally(equal), formulas.globally(opposite));
        let goal = formulas.until(j, o);
        let eventually = formulas.finally(j);
        for (facts, restrictions, assumptions, guarantees) in [
            (vec![equal], vec![], vec![eventually], vec![goal, opposite]),
            (vec![eventually], vec![opposite], vec![equal, goal], vec![goal]),
            (vec![], vec![], vec![opposite, equal], vec![goal, eventually]),
        ] {
            let contract = Contract { facts, restrictions, assumptions, guarantees };
            let smaller = with_equal_atoms(&mut formulas, &contract);
            assert_ne!(smaller, contract, "something is replaced");
            let (before, after) = (contract.formula(&mut formulas), smaller.formula(&mut formulas));
            for word in 0..1 << 9 {
                let letter = |position: usize| -> Letter {
                    (0..3).filter(|bit| word >> (3 * position + bit) & 1 == 1).map(Id::from_index).collect()
                };
                let lasso = Lasso { prefix: vec![letter(0)], cycle: vec![letter(1), letter(2)] };
                let mut meaning = LassoSemantics::new(&formulas, &alphabet, &lasso);
                assert_eq!(meaning.holds(before), meaning.holds(after), "{lasso:?}");
            }
        }
    }
}
