//! Temporal formulas over conditions on numbers, and their LTL formulas.

use super::{Condition, Failure};
use tsl_synth_core::logic::FormulaId;
use tsl_synth_core::model::{FormulaBlock, ProgramFormula};

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
    let mut builder = Builder(ProgramFormula::new());
    for (assumptions, assertions) in blocks {
        let assumptions = assumptions.iter().map(|part| builder.formula(part)).collect();
        let guarantees = assertions.iter().map(|part| builder.formula(part)).collect();
        builder.0.blocks.push(FormulaBlock { assumptions, guarantees });
    }
    let mut result = builder.0;
    (result.formula() != result.formulas.top()).then_some(result)
}

struct Builder(ProgramFormula);

impl Builder {
    fn formula(&mut self, temporal: &Temporal) -> FormulaId {
        let mut both = |parts: &[Temporal; 2]| (self.formula(&parts[0]), self.formula(&parts[1]));
        match temporal {
            Temporal::Holds(condition) => self.condition(condition),
            Temporal::Not(body) => {
                let body = self.formula(body);
                self.0.formulas.not(body)
            }
            Temporal::Next(body) => {
                let body = self.formula(body);
                self.0.formulas.next(body)
            }
            Temporal::Finally(body) => {
                let body = self.formula(body);
                self.0.formulas.finally(body)
            }
            Temporal::Globally(body) => {
                let body = self.formula(body);
                self.0.formulas.globally(body)
            }
            Temporal::And(parts) => {
                let (left, right) = both(parts);
                self.0.formulas.and([left, right])
            }
            Temporal::Or(parts) => {
                let (left, right) = both(parts);
                self.0.formulas.or([left, right])
            }
            Temporal::Implies(parts) => {
                let (left, right) = both(parts);
                self.0.formulas.implies(left, right)
            }
            Temporal::Iff(parts) => {
                let (left, right) = both(parts);
                self.0.formulas.iff(left, right)
            }
            Temporal::Until(parts) => {
                let (left, right) = both(parts);
                self.0.formulas.until(left, right)
            }
            Temporal::WeakUntil(parts) => {
                let (left, right) = both(parts);
                self.0.formulas.weak_until(left, right)
            }
            Temporal::Release(parts) => {
                let (left, right) = both(parts);
                self.0.formulas.release(left, right)
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> FormulaId {
        match condition {
            Condition::All(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|part| self.condition(part)).collect();
                self.0.formulas.and(parts)
            }
            Condition::Any(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|part| self.condition(part)).collect();
                self.0.formulas.or(parts)
            }
            Condition::Holds(inequality) => self.0.condition(inequality),
        }
    }
}
