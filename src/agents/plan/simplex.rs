//! Feasibility of linear constraints with bounded variables, in exact fractions (Dutertre and de Moura, "A fast
//! linear-arithmetic solver for DPLL(T)", CAV 2006, figure 3).
//!
//! Each constraint is a further variable that equals a sum of others and has bounds. Bounds may be changed between
//! checks, and the last basis is kept. The rule of Bland (the smallest index) excludes cycles.

use super::rational::Fraction;
use tsl_synth_core::base::{Budget, Limit};

/// The answer of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relaxed {
    /// The values satisfy all constraints.
    Feasible,
    /// No values do.
    Infeasible,
    /// A number did not fit, or too many pivots were needed.
    Unknown,
}

/// Lower and upper bound of a variable; `None` if there is none.
pub(super) type Bounds = (Option<i64>, Option<i64>);

type Row = Vec<(u32, Fraction)>;

/// A basic variable as a sum of the others.
struct BasicRow {
    variable: u32,
    terms: Row,
}

/// Linear constraints.
pub(super) struct Simplex {
    bounds: Vec<Bounds>,
    values: Vec<Fraction>,
    /// The row of a basic variable.
    row_of: Vec<Option<usize>>,
    rows: Vec<BasicRow>,
    /// Set when a number did not fit; the basis is of no use any more.
    overflowed: bool,
}

/// `left + factor * right`, both sorted by variable.
fn combined(left: &Row, factor: Fraction, right: &Row) -> Option<Row> {
    let mut sum = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let (a, b) = (left.get(i), right.get(j));
        let (variable, value) = match (a, b) {
            (Some(&(x, v)), Some(&(y, w))) if x == y => {
                (i, j) = (i + 1, j + 1);
                (x, v.plus(factor.times(w)?)?)
            }
            (Some(&(x, v)), other) if other.is_none_or(|&(y, _)| x < y) => {
                i += 1;
                (x, v)
            }
            (_, Some(&(y, w))) => {
                j += 1;
                (y, factor.times(w)?)
            }
            _ => break,
        };
        if !value.is_zero() {
            sum.push((variable, value));
        }
    }
    Some(sum)
}

impl Simplex {
    /// Variables with these bounds, which contain 0 or lie above it, and sums of them with theirs. Variables in sums are
    /// sorted.
    pub(super) fn new(variables: &[Bounds], sums: Vec<(Vec<(u32, i64)>, Bounds)>) -> Self {
        let n = variables.len();
        let mut bounds = variables.to_vec();
        let values: Vec<Fraction> =
            variables.iter().map(|(low, _)| Fraction::integer(low.unwrap_or(0))).collect();
        let mut this =
            Self { row_of: vec![None; n], bounds: Vec::new(), values, rows: Vec::new(), overflowed: false };
        for (at, (terms, bound)) in sums.into_iter().enumerate() {
            bounds.push(bound);
            let terms: Row = terms.into_iter().map(|(id, a)| (id, Fraction::integer(a))).collect();
            this.row_of.push(Some(at));
            let value = this.sum(&terms);
            this.overflowed |= value.is_none();
            this.values.push(value.unwrap_or(Fraction::ZERO));
            this.rows.push(BasicRow { variable: (n + at) as u32, terms });
        }
        this.bounds = bounds;
        this
    }
    fn sum(&self, terms: &Row) -> Option<Fraction> {
        terms
            .iter()
            .try_fold(Fraction::ZERO, |sum, &(id, factor)| sum.plus(factor.times(self.values[id as usize])?))
    }
    pub(super) fn bounds(&self, variable: usize) -> Bounds {
        self.bounds[variable]
    }
    pub(super) fn value(&self, variable: usize) -> Fraction {
        self.values[variable]
    }
    /// Changes the bounds of a variable.
    pub(super) fn set_bounds(&mut self, variable: usize, bounds: Bounds) {
        self.bounds[variable] = bounds;
        if self.row_of[variable].is_none() {
            let now = self.values[variable];
            let low = bounds.0.map(Fraction::integer).filter(|&low| now < low);
            let high = bounds.1.map(Fraction::integer).filter(|&high| now > high);
            if let Some(to) = low.or(high) {
                self.overflowed |= self.update(variable, to).is_none();
            }
        }
    }
    /// Moves a variable that is not basic, and with it the basic ones.
    fn update(&mut self, variable: usize, to: Fraction) -> Option<()> {
        let change = to.minus(self.values[variable])?;
        for row in &self.rows {
            if let Ok(at) = row.terms.binary_search_by_key(&(variable as u32), |term| term.0) {
                let basic = row.variable as usize;
                self.values[basic] = self.values[basic].plus(row.terms[at].1.times(change)?)?;
            }
        }
        self.values[variable] = to;
        Some(())
    }
    /// Exchanges the basic variable of a row and another one of it, such that the former gets the value `to`.
    fn pivot(&mut self, at: usize, entering: usize, to: Fraction) -> Option<()> {
        let leaving = self.rows[at].variable as usize;
        let place = self.rows[at].terms.binary_search_by_key(&(entering as u32), |term| term.0).ok()?;
        let factor = self.rows[at].terms[place].1;
        let change = to.minus(self.values[leaving])?.over(factor)?;
        let moved = self.values[entering].plus(change)?;
        self.update(entering, moved)?;
        // entering = (leaving - the rest) / factor
        let inverse = Fraction::integer(1).over(factor)?;
        let negated = Fraction::ZERO.minus(inverse)?;
        let mut terms: Row = Vec::with_capacity(self.rows[at].terms.len());
        for &(id, value) in &self.rows[at].terms {
            if id as usize != entering {
                terms.push((id, value.times(negated)?));
            }
        }
        let place = terms.partition_point(|term| (term.0 as usize) < leaving);
        terms.insert(place, (leaving as u32, inverse));
        for (other, row) in self.rows.iter_mut().enumerate() {
            if other == at {
                continue;
            }
            if let Ok(place) = row.terms.binary_search_by_key(&(entering as u32), |term| term.0) {
                let (_, factor) = row.terms.remove(place);
                row.terms = combined(&row.terms, factor, &terms)?;
            }
        }
        self.rows[at] = BasicRow { variable: entering as u32, terms };
        (self.row_of[leaving], self.row_of[entering]) = (None, Some(at));
        Some(())
    }
    /// Looks for values within all bounds.
    pub(super) fn check(&mut self, pivots: &mut u64, budget: &Budget) -> Result<Relaxed, Limit> {
        if self.bounds.iter().any(|&(low, high)| low.zip(high).is_some_and(|(low, high)| low > high)) {
            return Ok(Relaxed::Infeasible);
        }
        loop {
            if self.overflowed || *pivots == 0 {
                return Ok(Relaxed::Unknown);
            }
            budget.tick(1, || "which plans can be completed".into())?;
            *pivots -= 1;
            let outside = |row: &BasicRow| {
                let (low, high) = self.bounds[row.variable as usize];
                let now = self.values[row.variable as usize];
                let low = low.map(Fraction::integer).filter(|&low| now < low);
                low.map(|to| (to, true))
                    .or_else(|| high.map(Fraction::integer).filter(|&high| now > high).map(|to| (to, false)))
            };
            let violated = self
                .rows
                .iter()
                .enumerate()
                .filter_map(|(at, row)| outside(row).map(|(to, up)| (row.variable, at, to, up)))
                .min_by_key(|&(variable, ..)| variable);
            let Some((_, at, to, up)) = violated else { return Ok(Relaxed::Feasible) };
            let entering = self.rows[at].terms.iter().find(|&&(id, factor)| {
                let (low, high) = self.bounds[id as usize];
                let now = self.values[id as usize];
                if factor.is_positive() == up {
                    high.is_none_or(|high| now < Fraction::integer(high))
                } else {
                    low.is_none_or(|low| now > Fraction::integer(low))
                }
            });
            let Some(&(entering, _)) = entering else { return Ok(Relaxed::Infeasible) };
            self.overflowed |= self.pivot(at, entering as usize, to).is_none();
        }
    }
}
