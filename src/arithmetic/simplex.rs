//! The general simplex method: bounds on linear forms, a rational solution or the bounds that contradict each other with
//! their factors (Farkas).
//!
//! Source: Dutertre and de Moura, "A fast linear-arithmetic solver for DPLL(T)" (CAV 2006), with Bland's rule, so that it
//! ends. Strict bounds are bounds with an infinitesimal part.

use tsl_synth_core::base::Rational;

/// A bound on a form: `form ≤ value` or `form ≥ value`, or with `<` and `>` if it is strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number of the form: the variables, then the rows in the order in which they were added.
    pub form: usize,
    /// Whether the form is at most the value.
    pub upper: bool,
    /// The value.
    pub value: Rational,
    /// Whether the value itself is excluded.
    pub strict: bool,
}

/// The answer for some bounds.
#[derive(Clone, Debug)]
pub enum SimplexAnswer {
    /// Values of the variables.
    Possible(Vec<Rational>),
    /// The bounds, by their numbers, that contradict each other, and the factor of each, which is positive.
    Impossible(Vec<(usize, Rational)>),
    /// A number is too large.
    Unknown,
}

/// A number plus a multiple of an infinitesimal.
type Number = (Rational, Rational);

/// A tableau; it begins with variables only.
#[derive(Clone, Debug)]
pub struct Simplex {
    variables: usize,
    /// For each basic form, its sum over the nonbasic ones; the first index is a row.
    rows: Vec<Vec<Rational>>,
    /// The form of each row and of each column.
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
}

impl Simplex {
    /// A tableau with this many variables and with rows, each with the factors of the variables.
    pub fn new(variables: usize, rows: Vec<Vec<Rational>>) -> Self {
        let basic = (variables..variables + rows.len()).collect();
        Self { variables, rows, basic, nonbasic: (0..variables).collect() }
    }

    /// Decides whether all bounds hold for some rational values. Exponential in the worst case, cubic as a rule.
    pub fn decide(self, bounds: &[Bound]) -> SimplexAnswer {
        let forms = self.variables + self.basic.len();
        let mut run = Run {
            lower: vec![None; forms],
            upper: vec![None; forms],
            value: vec![(Rational::ZERO, Rational::ZERO); forms],
            tableau: self,
        };
        for (number, bound) in bounds.iter().enumerate() {
            if let Some(conflict) = run.assert(number, bound) {
                return SimplexAnswer::Impossible(conflict);
            }
        }
        run.solve().unwrap_or(SimplexAnswer::Unknown)
    }
}

struct Run {
    tableau: Simplex,
    /// For each form, the strongest bound with its number.
    lower: Vec<Option<(Number, usize)>>,
    upper: Vec<Option<(Number, usize)>>,
    value: Vec<Number>,
}

impl Run {
    /// Notes a bound; two bounds of one form may contradict each other.
    fn assert(&mut self, number: usize, bound: &Bound) -> Option<Vec<(usize, Rational)>> {
        let minus_one = Rational::ONE.negated();
        let part = match (bound.strict, bound.upper) {
            (false, _) => Rational::ZERO,
            (true, true) => minus_one,
            (true, false) => Rational::ONE,
        };
        let new = (bound.value, part);
        let form = bound.form;
        let own = if bound.upper { &mut self.upper[form] } else { &mut self.lower[form] };
        let is_stronger = own.is_none_or(|(old, _)| if bound.upper { new < old } else { new > old });
        if is_stronger {
            *own = Some((new, number));
        }
        match (self.lower[form], self.upper[form]) {
            (Some((low, a)), Some((high, b))) if low > high => {
                Some(vec![(a, Rational::ONE), (b, Rational::ONE)])
            }
            _ => None,
        }
    }

    fn solve(&mut self) -> Option<SimplexAnswer> {
        for column in 0..self.tableau.nonbasic.len() {
            let form = self.tableau.nonbasic[column];
            let start = (Rational::ZERO, Rational::ZERO);
            let value = match (self.lower[form], self.upper[form]) {
                (Some((low, _)), _) if start < low => low,
                (_, Some((high, _))) if start > high => high,
                _ => start,
            };
            self.value[form] = value;
        }
        for row in 0..self.tableau.basic.len() {
            let mut sum = (Rational::ZERO, Rational::ZERO);
            for column in 0..self.tableau.nonbasic.len() {
                let factor = self.tableau.rows[row][column];
                sum = plus(sum, factor, self.value[self.tableau.nonbasic[column]])?;
            }
            let form = self.tableau.basic[row];
            self.value[form] = sum;
        }
        loop {
            let Some((row, target, below)) = self.violated() else { return self.solution() };
            match self.entering(row, below) {
                Some(column) => self.pivot_and_update(row, column, target)?,
                None => return Some(SimplexAnswer::Impossible(self.conflict(row, below)?)),
            }
        }
    }

    /// The basic form with the least number that breaks a bound; with the bound, and whether it is below it.
    fn violated(&self) -> Option<(usize, Number, bool)> {
        let broken = |(row, &form): (usize, &usize)| {
            let value = self.value[form];
            match (self.lower[form], self.upper[form]) {
                (Some((low, _)), _) if value < low => Some((form, row, low, true)),
                (_, Some((high, _))) if value > high => Some((form, row, high, false)),
                _ => None,
            }
        };
        let found = self.tableau.basic.iter().enumerate().filter_map(broken).min_by_key(|found| found.0);
        found.map(|(_, row, target, below)| (row, target, below))
    }

    /// The column of the nonbasic form with the least number that can move a basic one up or down.
    fn entering(&self, row: usize, up: bool) -> Option<usize> {
        let can_move = |&column: &usize| {
            let (form, factor) = (self.tableau.nonbasic[column], self.tableau.rows[row][column]);
            if factor.is_zero() {
                return false;
            }
            let value = self.value[form];
            if factor.is_positive() == up {
                self.upper[form].is_none_or(|(high, _)| value < high)
            } else {
                self.lower[form].is_none_or(|(low, _)| value > low)
            }
        };
        (0..self.tableau.nonbasic.len()).filter(can_move).min_by_key(|&column| self.tableau.nonbasic[column])
    }

    /// All forms of the row are at their bounds: these and the bound of the basic form contradict each other.
    fn conflict(&self, row: usize, below: bool) -> Option<Vec<(usize, Rational)>> {
        let own = if below { &self.lower } else { &self.upper };
        let (_, number) = own[self.tableau.basic[row]]?;
        let mut conflict = vec![(number, Rational::ONE)];
        for (column, &form) in self.tableau.nonbasic.iter().enumerate() {
            let factor = self.tableau.rows[row][column];
            if !factor.is_zero() {
                let side = if factor.is_positive() == below { &self.upper } else { &self.lower };
                let (_, number) = side[form]?;
                conflict.push((number, if factor.is_negative() { factor.negated() } else { factor }));
            }
        }
        Some(conflict)
    }

    /// The basic form of a row gets the target as its value and leaves the basis for the form of a column.
    fn pivot_and_update(&mut self, row: usize, column: usize, target: Number) -> Option<()> {
        let (leaving, entering) = (self.tableau.basic[row], self.tableau.nonbasic[column]);
        let factor = self.tableau.rows[row][column];
        let step = plus(target, Rational::ONE.negated(), self.value[leaving])?;
        let step = (step.0.over(factor)?, step.1.over(factor)?);
        self.value[leaving] = target;
        self.value[entering] = plus(self.value[entering], Rational::ONE, step)?;
        for (other, &form) in self.tableau.basic.iter().enumerate() {
            if other != row {
                self.value[form] = plus(self.value[form], self.tableau.rows[other][column], step)?;
            }
        }
        // x_row = ... + factor x_column becomes x_column = (x_row - ...) / factor.
        let inverse = Rational::ONE.over(factor)?;
        let old = std::mem::take(&mut self.tableau.rows[row]);
        let mut new = Vec::with_capacity(old.len());
        for (index, value) in old.iter().enumerate() {
            new.push(if index == column { inverse } else { value.times(inverse)?.negated() });
        }
        for (other, entries) in self.tableau.rows.iter_mut().enumerate() {
            if other == row || entries[column].is_zero() {
                continue;
            }
            let through = entries[column];
            for (index, entry) in entries.iter_mut().enumerate() {
                let change = through.times(new[index])?;
                *entry = if index == column { change } else { entry.plus(change)? };
            }
        }
        self.tableau.rows[row] = new;
        self.tableau.basic[row] = entering;
        self.tableau.nonbasic[column] = leaving;
        Some(())
    }

    /// The values with a number in place of the infinitesimal that is small enough for all bounds.
    fn solution(&self) -> Option<SimplexAnswer> {
        let mut small = Rational::ONE;
        for (form, &(value, part)) in self.value.iter().enumerate() {
            if let Some(((bound, bound_part), _)) = self.lower[form]
                && bound < value
                && part < bound_part
            {
                small = small.min(value.minus(bound)?.over(bound_part.minus(part)?)?);
            }
            if let Some(((bound, bound_part), _)) = self.upper[form]
                && value < bound
                && part > bound_part
            {
                small = small.min(bound.minus(value)?.over(part.minus(bound_part)?)?);
            }
        }
        let exact = |form: usize| self.value[form].0.plus(self.value[form].1.times(small)?);
        (0..self.tableau.variables).map(exact).collect::<Option<_>>().map(SimplexAnswer::Possible)
    }
}

/// `left + factor · right`
fn plus(left: Number, factor: Rational, right: Number) -> Option<Number> {
    if factor.is_zero() {
        return Some(left);
    }
    Some((left.0.plus(factor.times(right.0)?)?, left.1.plus(factor.times(right.1)?)?))
}
