//! Assumptions that no system can make false, whatever it does: those of which every prefix can be continued by inputs alone.

use crate::trusted::cases::Cases;
use crate::trusted::normal::SignedFormula;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdSet};
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, Class, FormulaId, Formulas, Guard, Guards, Node, Player,
};
use tsl_synth_core::model::Contract;

/// With more nodes of guards the check gives up and answers `false`.
const MOST_NODES: usize = 20_000;

/// Whether it is certain that every controller is friendly (see [`certify_friendly`](super::certify_friendly)) for some
/// expectations that are satisfiable together; `false` where it is not known.
///
/// The conjuncts fall into groups that share no atoms. A group without outputs cannot be made false by a system: what
/// is legal, and how to go on, is a matter of inputs alone. A group with outputs has to consist of conditions on the
/// first inputs, invariants of inputs, and relations `G w` of a letter to the inputs of the next step, and for every
/// letter whose inputs keep the invariants there have to be next inputs that keep relations and invariants. Then a
/// history is a prefix iff it breaks none of them so far, outputs of the last step do not matter, and the environment
/// can go on forever by its own choice.
pub fn is_always_unfalsifiable(formulas: &Formulas, alphabet: &Alphabet, expected: &[FormulaId]) -> bool {
    let clauses = Contract { assumptions: expected.to_vec(), ..Contract::default() };
    let cases = &Cases::new(formulas, &clauses);
    let mut left: Vec<SignedFormula> =
        expected.iter().flat_map(|&clause| cases.conjuncts(clause)).copied().collect();
    while let Some(first) = left.pop() {
        let mut atoms: IdSet<AtomId> = cases.formulas.support(&[first.0]);
        let mut group = vec![first];
        loop {
            let (near, far): (Vec<SignedFormula>, Vec<SignedFormula>) =
                left.iter().partition(|(f, _)| !cases.formulas.support(&[*f]).is_disjoint(&atoms));
            left = far;
            if near.is_empty() {
                break;
            }
            for (f, _) in &near {
                atoms.union_with(&cases.formulas.support(&[*f]));
            }
            group.extend(near);
        }
        let has_outputs = atoms.iter().any(|atom| alphabet.player(atom) == Player::System);
        if has_outputs && !StepGuards::new(&cases.formulas, alphabet).go_on(&group) {
            return false;
        }
    }
    true
}

/// Formulas about a letter and the inputs of the next step as guards; the bits of the next inputs come after all others.
struct StepGuards<'a> {
    formulas: &'a Formulas,
    alphabet: &'a Alphabet,
    guards: Guards,
    done: FxHashMap<(FormulaId, bool), Option<Guard>>,
}

impl<'a> StepGuards<'a> {
    fn new(formulas: &'a Formulas, alphabet: &'a Alphabet) -> Self {
        Self { formulas, alphabet, guards: Guards::new(), done: FxHashMap::default() }
    }

    /// Whether a group has the required form and there are next inputs for every letter.
    fn go_on(&mut self, group: &[SignedFormula]) -> bool {
        let (mut invariant, mut later, mut relation) = (Guard::TRUE, Guard::TRUE, Guard::TRUE);
        for &(f, value) in group {
            let speaks_of_inputs = self
                .formulas
                .support(&[f])
                .iter()
                .all(|atom| self.alphabet.player(atom) == Player::Environment);
            match *self.formulas.node(f) {
                _ if self.formulas.class(f).is(Class::BOOLEAN) && speaks_of_inputs => {}
                Node::Globally(body) if value => {
                    let Some(now) = self.guard(body, false) else { return false };
                    if speaks_of_inputs && self.formulas.class(body).is(Class::BOOLEAN) {
                        let Some(next) = self.guard(body, true) else { return false };
                        invariant = self.guards.and(invariant, now);
                        later = self.guards.and(later, next);
                    } else if self.formulas.class(body).is(Class::BOOLEAN) {
                        // Outputs of a step could break it in that step.
                        return false;
                    } else {
                        relation = self.guards.and(relation, now);
                    }
                }
                _ => return false,
            }
            if self.guards.node_count() > MOST_NODES {
                return false;
            }
        }
        let next = self.guards.and(relation, later);
        let letters = self.alphabet.bit_count();
        let some = self.guards.exists(next, &|bit| bit.index() >= letters);
        let valid = crate::trusted::plays::output_letters(self.alphabet, &mut self.guards);
        let asked = self.guards.and(valid, invariant);
        self.guards.implies(asked, some)
    }

    /// A formula with Boolean operators, and X above inputs, as a guard; `None` for other formulas. Recursion is as
    /// deep as the formula is nested, which parsers limit.
    fn guard(&mut self, f: FormulaId, later: bool) -> Option<Guard> {
        if let Some(&known) = self.done.get(&(f, later)) {
            return known;
        }
        let formulas = self.formulas;
        let found = match formulas.node(f) {
            Node::True => Some(Guard::TRUE),
            Node::False => Some(Guard::FALSE),
            Node::Atom(atom) => match (self.alphabet.atoms()[*atom].kind, later) {
                (_, false) => Some(self.alphabet.guard(*atom, &mut self.guards)),
                (AtomKind::Input(bit), true) => {
                    let copy = BitId::from_index(self.alphabet.bit_count() + bit.index());
                    Some(self.guards.bit(copy))
                }
                (_, true) => None,
            },
            Node::Not(g) => self.guard(*g, later).map(|g| self.guards.not(g)),
            Node::Next(g) if !later => self.guard(*g, true),
            Node::Iff(a, b) => match (self.guard(*a, later), self.guard(*b, later)) {
                (Some(a), Some(b)) => Some(self.guards.iff(a, b)),
                _ => None,
            },
            Node::And(fs) | Node::Or(fs) => {
                let all = matches!(formulas.node(f), Node::And(_));
                let mut sum = if all { Guard::TRUE } else { Guard::FALSE };
                let mut known = true;
                for &g in fs {
                    match self.guard(g, later) {
                        Some(g) if self.guards.node_count() <= MOST_NODES => {
                            sum = if all { self.guards.and(sum, g) } else { self.guards.or(sum, g) };
                        }
                        _ => {
                            known = false;
                            break;
                        }
                    }
                }
                known.then_some(sum)
            }
            _ => None,
        };
        self.done.insert((f, later), found);
        found
    }
}
