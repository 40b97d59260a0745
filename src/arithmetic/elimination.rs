//! Decides systems of linear constraints: Fourier-Motzkin elimination with a record of every combination, cases for
//! sums that are not 0, and branching on variables that have to be integers. Meant for about a dozen variables; a
//! system that is too large or needs too many cases stays undecided.
//!
//! Source: Schrijver, "Theory of Linear and Integer Programming" (1986), sections 7.1 (Farkas), 12.2 (elimination),
//! 23.1 (rounding).

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::{Inequality, LinearProof, LinearSplit, LinearSystem, Sum};

/// The largest number of inequalities that are combined.
const ROWS: usize = 400;
/// The deepest nesting of cases.
const DEPTH: usize = 14;
/// The largest number of cases of one system.
const CASES: usize = 200;

/// A value for each variable that matters; the others are 0.
pub type LinearModel = BTreeMap<u32, Rational>;

/// Whether a system has a solution.
#[derive(Clone, Debug)]
pub enum LinearAnswer {
    /// It has none.
    Impossible(LinearProof),
    /// This is one.
    Possible(LinearModel),
    /// Not known.
    Unknown,
}

impl LinearAnswer {
    /// Whether there is no solution.
    pub fn is_impossible(&self) -> bool {
        matches!(self, Self::Impossible(_))
    }
}

/// Decides a system.
pub fn decide(system: &LinearSystem) -> LinearAnswer {
    let mut cases = CASES;
    branch(system, &mut Vec::new(), &mut cases)
}

/// A proof that a system has no solution, if one is found.
pub fn refutation(system: &LinearSystem) -> Option<LinearProof> {
    match decide(system) {
        LinearAnswer::Impossible(proof) => Some(proof),
        LinearAnswer::Possible(_) | LinearAnswer::Unknown => None,
    }
}

/// The value of a sum.
pub fn value(sum: &Sum, model: &LinearModel) -> Option<Rational> {
    let zero = Sum::constant(Rational::ZERO);
    let image = |variable| model.get(&variable).map_or(zero.clone(), |&value| Sum::constant(value));
    sum.substituted(|variable| Some(image(variable)))?.value()
}

/// Whether a model is a solution of a system.
pub fn satisfies(system: &LinearSystem, model: &LinearModel) -> bool {
    let holds = |inequality: &Inequality| {
        let value = value(&inequality.sum, model);
        value.is_some_and(|value| if inequality.strict { value.is_negative() } else { !value.is_positive() })
    };
    system.inequalities.iter().all(holds)
        && system.different.iter().all(|sum| value(sum, model).is_some_and(|value| !value.is_zero()))
        && model.iter().all(|(&variable, value)| value.is_integer() || !system.is_integer(variable))
}

/// Decides a system with the inequalities of some cases, at most this many cases further on.
fn branch(system: &LinearSystem, given: &mut Vec<Inequality>, cases: &mut usize) -> LinearAnswer {
    let model = match Elimination::run(system, given) {
        LinearAnswer::Possible(model) => model,
        answer => return answer,
    };
    let Some(split) = split(system, &model) else { return LinearAnswer::Possible(model) };
    if given.len() >= DEPTH || *cases == 0 {
        return LinearAnswer::Unknown;
    }
    *cases -= 1;
    let sum = match &split {
        LinearSplit::Sign(sum) => sum.clone(),
        LinearSplit::Different(index) => system.different[*index].clone(),
    };
    let first = Inequality { strict: matches!(split, LinearSplit::Different(_)), sum: sum.clone() };
    let mut proofs = Vec::new();
    for case in [first, Inequality::below_zero(sum.negated())] {
        given.push(case);
        let answer = branch(system, given, cases);
        given.pop();
        match answer {
            LinearAnswer::Impossible(proof) => proofs.push(proof),
            other => return other,
        }
    }
    match <[LinearProof; 2]>::try_from(proofs) {
        Ok(both) => LinearAnswer::Impossible(LinearProof::Cases(split, Box::new(both))),
        Err(_) => LinearAnswer::Unknown,
    }
}

/// The cases that exclude a model that solves the inequalities only; `None` if it solves the system.
fn split(system: &LinearSystem, model: &LinearModel) -> Option<LinearSplit> {
    for (&variable, &value) in model {
        if system.is_integer(variable) && !value.is_integer() {
            let below =
                Sum::variable(variable).plus(Rational::ONE.negated(), &Sum::constant(value.floor()))?;
            return Some(LinearSplit::Sign(below));
        }
    }
    let is_zero = |sum: &Sum| value(sum, model).is_none_or(Rational::is_zero);
    system.different.iter().position(is_zero).map(LinearSplit::Different)
}

/// The inequalities with this variable, when it was eliminated.
struct Eliminated {
    variable: u32,
    rows: Vec<usize>,
}

struct Elimination<'a> {
    system: &'a LinearSystem,
    /// Those that were given, then the results of `steps`.
    rows: Vec<Inequality>,
    given: usize,
    steps: Vec<Vec<(usize, Rational)>>,
    active: Vec<usize>,
    /// For each left side without the constant, the strongest active inequality.
    best: FxHashMap<Sum, usize>,
    eliminated: Vec<Eliminated>,
}

/// Why elimination ends early.
enum Ended {
    False(usize),
    TooLarge,
}

impl Elimination<'_> {
    fn run(system: &LinearSystem, cases: &[Inequality]) -> LinearAnswer {
        let mut this = Elimination {
            system,
            rows: Vec::new(),
            given: system.inequalities.len() + cases.len(),
            steps: Vec::new(),
            active: Vec::new(),
            best: FxHashMap::default(),
            eliminated: Vec::new(),
        };
        match this.eliminate_all(cases) {
            Ok(()) => this.model().map_or(LinearAnswer::Unknown, LinearAnswer::Possible),
            Err(Ended::False(row)) => LinearAnswer::Impossible(this.proof(row)),
            Err(Ended::TooLarge) => LinearAnswer::Unknown,
        }
    }

    fn eliminate_all(&mut self, cases: &[Inequality]) -> Result<(), Ended> {
        for inequality in self.system.inequalities.iter().chain(cases) {
            let row = inequality.normalized(|v| self.system.is_integer(v)).ok_or(Ended::TooLarge)?;
            self.rows.push(row);
        }
        for row in 0..self.rows.len() {
            self.activate(row)?;
        }
        while let Some(variable) = self.next_variable() {
            self.eliminate(variable)?;
        }
        Ok(())
    }

    /// Makes an inequality active unless it is implied by another with the same left side.
    fn activate(&mut self, row: usize) -> Result<(), Ended> {
        match self.rows[row].known() {
            Some(true) => return Ok(()),
            Some(false) => return Err(Ended::False(row)),
            None => {}
        }
        let left = |row: &Inequality| {
            row.sum.plus(row.sum.offset().negated(), &Sum::constant(Rational::ONE)).ok_or(Ended::TooLarge)
        };
        let key = left(&self.rows[row])?;
        if let Some(&other) = self.best.get(&key) {
            let (new, old) = (&self.rows[row], &self.rows[other]);
            if (new.sum.offset(), new.strict) <= (old.sum.offset(), old.strict) {
                return Ok(());
            }
            self.active.retain(|&r| r != other);
        }
        self.best.insert(key, row);
        self.active.push(row);
        if self.active.len() > ROWS { Err(Ended::TooLarge) } else { Ok(()) }
    }

    /// The variable whose elimination makes the fewest inequalities.
    fn next_variable(&self) -> Option<u32> {
        let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for &row in &self.active {
            for (variable, coefficient) in self.rows[row].sum.terms() {
                let count = counts.entry(variable).or_default();
                if coefficient.is_positive() { count.0 += 1 } else { count.1 += 1 }
            }
        }
        let cost = |&(_, (up, down)): &(u32, (usize, usize))| up * down;
        counts.into_iter().min_by_key(cost).map(|(variable, _)| variable)
    }

    fn eliminate(&mut self, variable: u32) -> Result<(), Ended> {
        let has = |&&row: &&usize| !self.rows[row].sum.coefficient(variable).is_zero();
        let rows: Vec<usize> = self.active.iter().filter(has).copied().collect();
        self.active.retain(|row| !rows.contains(row));
        self.best.retain(|_, row| !rows.contains(row));
        let (upper, lower): (Vec<usize>, Vec<usize>) =
            rows.iter().partition(|&&row| self.rows[row].sum.coefficient(variable).is_positive());
        self.eliminated.push(Eliminated { variable, rows });
        // With an equality, the others are combined with it only.
        let equal = upper.iter().find_map(|&up| {
            let opposite = self.rows[up].sum.negated();
            let down = lower.iter().copied().find(|&down| self.rows[down].sum == opposite)?;
            (!self.rows[up].strict && !self.rows[down].strict).then_some((up, down))
        });
        for &up in &upper {
            for &down in &lower {
                let wanted = equal.is_none_or(|(a, b)| (up == a) != (down == b));
                if wanted {
                    self.combine(variable, up, down)?;
                }
            }
        }
        Ok(())
    }

    fn combine(&mut self, variable: u32, up: usize, down: usize) -> Result<(), Ended> {
        let (a, b) = (self.rows[up].sum.coefficient(variable), self.rows[down].sum.coefficient(variable));
        let factors = [(up, b.negated()), (down, a)];
        let sum = self.rows[up].sum.times(factors[0].1).and_then(|s| s.plus(a, &self.rows[down].sum));
        let row = Inequality {
            sum: sum.ok_or(Ended::TooLarge)?,
            strict: self.rows[up].strict || self.rows[down].strict,
        };
        let row = row.normalized(|v| self.system.is_integer(v)).ok_or(Ended::TooLarge)?;
        if row.known() == Some(true) {
            return Ok(());
        }
        self.rows.push(row);
        self.steps.push(factors.to_vec());
        self.activate(self.rows.len() - 1)
    }

    /// The steps that a false inequality rests on.
    fn proof(&self, last: usize) -> LinearProof {
        if last < self.given {
            return LinearProof::Combine(vec![vec![(last, Rational::ONE)]]);
        }
        let mut needed = vec![false; last + 1];
        needed[last] = true;
        for row in (self.given..=last).rev().filter(|&row| row >= self.given) {
            if needed[row] {
                self.steps[row - self.given].iter().for_each(|&(used, _)| needed[used] = true);
            }
        }
        let mut number: FxHashMap<usize, usize> = (0..self.given).map(|row| (row, row)).collect();
        let mut steps = Vec::new();
        for row in (self.given..=last).filter(|&row| needed[row]) {
            number.insert(row, self.given + steps.len());
            let step = &self.steps[row - self.given];
            steps.push(step.iter().map(|(used, factor)| (number[used], *factor)).collect());
        }
        LinearProof::Combine(steps)
    }

    /// A solution of the inequalities, with integers where they are possible.
    fn model(&self) -> Option<LinearModel> {
        let mut model = LinearModel::new();
        for Eliminated { variable, rows } in self.eliminated.iter().rev() {
            let (mut low, mut high): (Option<Bound>, Option<Bound>) = (None, None);
            for &row in rows {
                let Inequality { sum, strict } = &self.rows[row];
                let coefficient = sum.coefficient(*variable);
                let rest = sum.plus(coefficient.negated(), &Sum::variable(*variable))?;
                let bound = value(&rest, &model)?.negated().over(coefficient)?;
                if coefficient.is_positive() {
                    if high.is_none_or(|(old, is_strict)| (bound, !strict) < (old, !is_strict)) {
                        high = Some((bound, *strict));
                    }
                } else if low.is_none_or(|(old, is_strict)| (bound, *strict) > (old, is_strict)) {
                    low = Some((bound, *strict));
                }
            }
            model.insert(*variable, between(low, high)?);
        }
        Some(model)
    }
}

/// A bound, and whether it is excluded.
type Bound = (Rational, bool);

/// A number between two bounds, which may be excluded: the integer that is nearest to 0 if there is one.
fn between(low: Option<Bound>, high: Option<Bound>) -> Option<Rational> {
    let least = match low {
        Some((low, true)) => Some(low.floor().plus(Rational::ONE)?),
        Some((low, false)) => Some(low.ceiling()),
        None => None,
    };
    let greatest = match high {
        Some((high, true)) => Some(high.ceiling().minus(Rational::ONE)?),
        Some((high, false)) => Some(high.floor()),
        None => None,
    };
    match (least, greatest) {
        (Some(least), Some(greatest)) if least > greatest => {
            let sum = low?.0.plus(high?.0)?;
            sum.over(Rational::integer(2)?)
        }
        (Some(least), _) if least.is_positive() => Some(least),
        (_, Some(greatest)) if greatest.is_negative() => Some(greatest),
        _ => Some(Rational::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Random;

    fn number(value: i64) -> Rational {
        Rational::integer(value.into()).expect("small")
    }

    fn small(random: &mut Random, below: usize) -> i64 {
        i64::try_from(random.below(below)).expect("small")
    }

    fn random_sum(random: &mut Random, variables: u32) -> Sum {
        let mut sum = Sum::constant(number(small(random, 9) - 4));
        for variable in 0..variables {
            let coefficient = number(small(random, 5) - 2);
            sum = sum.plus(coefficient, &Sum::variable(variable)).expect("small");
        }
        sum
    }

    /// Over integers from -3 to 3, the answer is that of enumeration.
    #[test]
    fn answers_are_those_of_enumeration() {
        let mut random = Random::new(3);
        let (mut possible, mut impossible) = (0, 0);
        for _ in 0..2_000 {
            let mut system = LinearSystem { integer: vec![true; 3], ..LinearSystem::default() };
            for variable in 0..3 {
                let three = Sum::constant(number(-3));
                let up = three.plus(Rational::ONE, &Sum::variable(variable)).expect("small");
                let down = three.plus(Rational::ONE.negated(), &Sum::variable(variable)).expect("small");
                system.inequalities.extend([up, down].map(Inequality::at_most_zero));
            }
            for _ in 0..2 + random.below(3) {
                let sum = random_sum(&mut random, 3);
                match random.below(4) {
                    0 => system.different.push(sum),
                    1 => system.equate(sum),
                    2 => system.inequalities.push(Inequality::below_zero(sum)),
                    _ => system.inequalities.push(Inequality::at_most_zero(sum)),
                }
            }
            let found = (0..343).any(|code| {
                let values = [code % 7, code / 7 % 7, code / 49].map(|digit| number(digit - 3));
                satisfies(&system, &(0..).zip(values).collect())
            });
            match decide(&system) {
                LinearAnswer::Possible(model) => {
                    assert!(found && satisfies(&system, &model), "{model:?}");
                    possible += 1;
                }
                LinearAnswer::Impossible(_) => {
                    assert!(!found, "{system:?}");
                    impossible += 1;
                }
                LinearAnswer::Unknown => panic!("a small system is decided: {system:?}"),
            }
        }
        assert!(possible > 300 && impossible > 300, "{possible} {impossible}");
    }
}
