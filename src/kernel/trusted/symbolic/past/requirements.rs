//! The requirements of a question on plays, sorted by the part of a play that decides them.

use super::super::question::PlayQuestion;
use crate::trusted::normal::SignedFormula;
use tsl_synth_core::logic::{Class, FormulaId, Formulas, Node};

/// Requirements on the letters and steps of a play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Safety {
    /// On the first letter.
    pub(super) first: Vec<SignedFormula>,
    /// On every letter.
    pub(super) letters: Vec<SignedFormula>,
    /// On every letter and the next one.
    pub(super) steps: Vec<SignedFormula>,
}

/// All requirements on a play.
#[derive(Default)]
pub(super) struct Requirements {
    /// Without a breach required at every step, otherwise up to the breach.
    pub(super) safety: Safety,
    /// The *breach*: a formula that some letter, or some letter with the next one, has to satisfy.
    pub(super) breach: Option<SignedFormula>,
    /// All other requirements: first those of the conjuncts, then those of the pool.
    pub(super) rest: Vec<SignedFormula>,
    /// The number of entries of `rest` that come from the conjuncts of the question; the others come from its pool.
    pub(super) own: usize,
}

impl Requirements {
    /// The requirements of the conjuncts and the pool of a question.
    pub(super) fn of(question: &PlayQuestion<'_>) -> Self {
        let formulas = question.formulas;
        let mut requirements = Self::default();
        question.conjuncts.iter().for_each(|&literal| requirements.add(formulas, literal));
        requirements.own = requirements.rest.len();
        for &literal in question.pool.iter().filter(|literal| !question.conjuncts.contains(literal)) {
            // The breach comes from the conjuncts only: with `breach` set, `add` leaves such a literal to `rest`.
            let mut further = Self { breach: Some(literal), ..Self::default() };
            further.add(formulas, literal);
            requirements.safety.first.extend(further.safety.first);
            requirements.safety.letters.extend(further.safety.letters);
            requirements.safety.steps.extend(further.safety.steps);
            if requirements.breach.is_none() {
                requirements.rest.extend(further.rest);
            }
        }
        let Safety { first, letters, steps } = &mut requirements.safety;
        for part in [first, letters, steps] {
            part.sort_unstable();
            part.dedup();
        }
        requirements
    }

    fn add(&mut self, formulas: &Formulas, (f, value): SignedFormula) {
        let is_step = |g: FormulaId| is_step(formulas, g);
        let is_boolean = |g: FormulaId| formulas.class(g).is(Class::BOOLEAN);
        let (always, body) = match *formulas.node(f) {
            Node::Globally(g) => (value, g),
            Node::Finally(g) => (!value, g),
            Node::WeakUntil(kept, end)
                if !value && self.breach.is_none() && is_step(kept) && is_step(end) =>
            {
                self.keep(formulas, (end, false));
                self.breach = Some((kept, false));
                return;
            }
            _ if is_boolean(f) => return self.safety.first.push((f, value)),
            _ => return self.rest.push((f, value)),
        };
        if is_step(body) && always {
            self.keep(formulas, (body, value));
        } else if is_step(body) && self.breach.is_none() {
            self.breach = Some((body, value));
        } else {
            self.rest.push((f, value));
        }
    }

    /// Requires this at every step: conjunct by conjunct, so that as much as possible is required of single letters.
    fn keep(&mut self, formulas: &Formulas, literal: SignedFormula) {
        let mut stack = vec![literal];
        while let Some((f, value)) = stack.pop() {
            match (formulas.node(f), value) {
                (Node::Not(g), _) => stack.push((*g, !value)),
                (Node::And(gs), true) | (Node::Or(gs), false) => stack.extend(gs.iter().map(|&g| (g, value))),
                _ if formulas.class(f).is(Class::BOOLEAN) => self.safety.letters.push((f, value)),
                _ => self.safety.steps.push((f, value)),
            }
        }
    }
}

/// Whether a formula is about a letter and the next one.
pub(super) fn is_step(formulas: &Formulas, f: FormulaId) -> bool {
    formulas.is_window(f) && formulas.next_depth(f) <= 1
}
