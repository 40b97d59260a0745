//! What a question asks of plays, sorted by how much of a play decides it.

use super::super::question::PlayQuestion;
use crate::certify::kernel::normal::SignedFormula;
use crate::logic::{Class, FormulaId, Formulas, Node};

/// What is asked of a play that keeps something at every step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Safety {
    /// Of the first letter.
    pub(super) first: Vec<SignedFormula>,
    /// Of every letter.
    pub(super) letters: Vec<SignedFormula>,
    /// Of every letter and the one after it.
    pub(super) steps: Vec<SignedFormula>,
}

/// What is asked of a play.
#[derive(Default)]
pub(super) struct Demands {
    /// What it keeps.
    pub(super) safety: Safety,
    /// What some letter, or some letter with the one after it, satisfies; `letters` and `steps` hold up to it.
    pub(super) breach: Option<SignedFormula>,
    /// Everything else: first what the conjuncts ask, then what the pool does.
    pub(super) rest: Vec<SignedFormula>,
    /// How much of the rest the conjuncts ask.
    pub(super) own: usize,
}

impl Demands {
    /// Of the conjuncts and the pool of a question.
    pub(super) fn of(question: &PlayQuestion<'_>) -> Self {
        let formulas = question.formulas;
        let mut demands = Self::default();
        question.conjuncts.iter().for_each(|&literal| demands.add(formulas, literal));
        demands.own = demands.rest.len();
        for &literal in question.pool.iter().filter(|literal| !question.conjuncts.contains(literal)) {
            // The pool asks for no breach: what would be one is left to the rest.
            let mut further = Self { breach: Some(literal), ..Self::default() };
            further.add(formulas, literal);
            demands.safety.first.extend(further.safety.first);
            demands.safety.letters.extend(further.safety.letters);
            demands.safety.steps.extend(further.safety.steps);
            if demands.breach.is_none() {
                demands.rest.extend(further.rest);
            }
        }
        let Safety { first, letters, steps } = &mut demands.safety;
        for part in [first, letters, steps] {
            part.sort_unstable();
            part.dedup();
        }
        demands
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

    /// Asks for this at every step: conjunct by conjunct, so that as much as can be is asked of single letters.
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
