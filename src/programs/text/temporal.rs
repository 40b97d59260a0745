//! Temporal formulas over conditions on numbers, and their LTL formulas.

use super::{Condition, Failure, ProgramFormula};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, FormulaId, Formulas, Inequality};

/// A temporal formula.
#[derive(Clone, Debug)]
pub(super) enum Temporal {
    Holds(Condition),
    Not(Box<Self>),
    And(Box<[Self; 2]>),
    Or(Box<[Self; 2]>),
    Implies(Box<[Self; 2]>),
    Iff(Box<[Self; 2]>),
    Next(Box<Self>),
    Finally(Box<Self>),
    Globally(Box<Self>),
    Until(Box<[Self; 2]>),
    WeakUntil(Box<[Self; 2]>),
    Release(Box<[Self; 2]>),
}

impl Temporal {
    /// The formula as a condition on one step.
    pub(super) fn condition(&self, at: (usize, usize)) -> Result<Condition, Failure> {
        let both = |parts: &[Self; 2]| Ok::<_, Failure>([parts[0].condition(at)?, parts[1].condition(at)?]);
        Ok(match self {
            Self::Holds(condition) => condition.clone(),
            Self::Not(body) => body.condition(at)?.negated(),
            Self::And(parts) => Condition::All(both(parts)?.to_vec()),
            Self::Or(parts) => Condition::Any(both(parts)?.to_vec()),
            Self::Implies(parts) => {
                let [left, right] = both(parts)?;
                Condition::Any(vec![left.negated(), right])
            }
            Self::Iff(parts) => {
                let [left, right] = both(parts)?;
                let neither = Condition::All(vec![left.negated(), right.negated()]);
                Condition::Any(vec![Condition::All(vec![left, right]), neither])
            }
            _ => {
                let message = "a temporal operator in the condition of a transition or location".into();
                return Err(Failure { at, message });
            }
        })
    }
}

/// The conjunction of all blocks, each of which says that its assertions hold if its assumptions do; `None` if there are
/// no assertions.
pub(super) fn ltl(blocks: &[(Vec<Temporal>, Vec<Temporal>)]) -> Option<ProgramFormula> {
    let mut builder = Builder {
        formulas: Formulas::new(),
        alphabet: Alphabet::new(),
        conditions: Vec::new(),
        atoms: FxHashMap::default(),
    };
    let mut all = Vec::new();
    for (assumptions, assertions) in blocks {
        let assumed: Vec<FormulaId> = assumptions.iter().map(|part| builder.formula(part)).collect();
        let asserted: Vec<FormulaId> = assertions.iter().map(|part| builder.formula(part)).collect();
        let (assumed, asserted) = (builder.formulas.and(assumed), builder.formulas.and(asserted));
        all.push(builder.formulas.implies(assumed, asserted));
    }
    let formula = builder.formulas.and(all);
    if builder.formulas.top() == formula {
        return None;
    }
    let Builder { formulas, alphabet, conditions, .. } = builder;
    Some(ProgramFormula { formulas, alphabet, conditions, formula })
}

struct Builder {
    formulas: Formulas,
    alphabet: Alphabet,
    conditions: Vec<Inequality>,
    atoms: FxHashMap<Inequality, AtomId>,
}

impl Builder {
    fn formula(&mut self, temporal: &Temporal) -> FormulaId {
        let mut both = |parts: &[Temporal; 2]| (self.formula(&parts[0]), self.formula(&parts[1]));
        match temporal {
            Temporal::Holds(condition) => self.condition(condition),
            Temporal::Not(body) => {
                let body = self.formula(body);
                self.formulas.not(body)
            }
            Temporal::Next(body) => {
                let body = self.formula(body);
                self.formulas.next(body)
            }
            Temporal::Finally(body) => {
                let body = self.formula(body);
                self.formulas.finally(body)
            }
            Temporal::Globally(body) => {
                let body = self.formula(body);
                self.formulas.globally(body)
            }
            Temporal::And(parts) => {
                let (left, right) = both(parts);
                self.formulas.and([left, right])
            }
            Temporal::Or(parts) => {
                let (left, right) = both(parts);
                self.formulas.or([left, right])
            }
            Temporal::Implies(parts) => {
                let (left, right) = both(parts);
                self.formulas.implies(left, right)
            }
            Temporal::Iff(parts) => {
                let (left, right) = both(parts);
                self.formulas.iff(left, right)
            }
            Temporal::Until(parts) => {
                let (left, right) = both(parts);
                self.formulas.until(left, right)
            }
            Temporal::WeakUntil(parts) => {
                let (left, right) = both(parts);
                self.formulas.weak_until(left, right)
            }
            Temporal::Release(parts) => {
                let (left, right) = both(parts);
                self.formulas.release(left, right)
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> FormulaId {
        match condition {
            Condition::All(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|part| self.condition(part)).collect();
                self.formulas.and(parts)
            }
            Condition::Any(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|part| self.condition(part)).collect();
                self.formulas.or(parts)
            }
            Condition::Holds(inequality) => {
                if let Some(value) = inequality.known() {
                    return self.formulas.constant(value);
                }
                if let Some(&atom) = self.atoms.get(&inequality.negated()) {
                    let atom = self.formulas.atom(atom);
                    return self.formulas.not(atom);
                }
                let atom = if let Some(&atom) = self.atoms.get(inequality) {
                    atom
                } else {
                    let atom = self.alphabet.add_input(format!("c{}", self.conditions.len()));
                    debug_assert_eq!(atom.index(), self.conditions.len(), "atoms are numbered in order");
                    self.conditions.push(inequality.clone());
                    self.atoms.insert(inequality.clone(), atom);
                    atom
                };
                self.formulas.atom(atom)
            }
        }
    }
}
