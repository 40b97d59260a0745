//! Expressions over numbers and truth values, and their meaning as conditions.

use super::Failure;
use tsl_synth_arithmetic::{Literal, Region, Space};
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::ProgramSort;

/// The most conjunctions of a condition.
const CASES: usize = 4_096;

/// An expression with its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) at: (usize, usize),
    pub(crate) kind: Kind,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number(Rational),
    Truth(bool),
    Variable(u32, ProgramSort),
    Apply(Operator, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Not,
    And,
    Or,
    Implies,
    Equal,
    Different,
    /// Exclusive or: an odd number of the operands is true.
    Odd,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
    If,
    Absolute,
    Least,
    Largest,
    /// An integer as a real number, which it is here anyway.
    Real,
}

impl Operator {
    /// The operator with this spelling in an S-expression.
    pub(crate) fn named(text: &str) -> Option<Self> {
        Some(match text {
            "not" => Self::Not,
            "and" => Self::And,
            "or" => Self::Or,
            "=>" => Self::Implies,
            "=" => Self::Equal,
            "distinct" => Self::Different,
            "xor" => Self::Odd,
            "<" => Self::Less,
            "<=" => Self::AtMost,
            ">" => Self::Greater,
            ">=" => Self::AtLeast,
            "+" => Self::Plus,
            "to_real" => Self::Real,
            "-" => Self::Minus,
            "*" => Self::Times,
            "/" => Self::Over,
            "ite" => Self::If,
            "abs" => Self::Absolute,
            "min" => Self::Least,
            "max" => Self::Largest,
            _ => return None,
        })
    }
}

/// A condition in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Holds(Inequality),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl Condition {
    pub(crate) fn truth(value: bool) -> Self {
        if value { Self::All(Vec::new()) } else { Self::Any(Vec::new()) }
    }

    /// The conjunction, without parts that are always true.
    fn all_of(parts: impl IntoIterator<Item = Self>) -> Self {
        let is_open = |part: &Self| !matches!(part, Self::All(parts) if parts.is_empty());
        let mut parts: Vec<Self> = parts.into_iter().filter(is_open).collect();
        if parts.len() == 1 { parts.swap_remove(0) } else { Self::All(parts) }
    }

    pub(crate) fn negated(&self) -> Self {
        match self {
            Self::Holds(inequality) => Self::Holds(inequality.negated()),
            Self::All(parts) => Self::Any(parts.iter().map(Self::negated).collect()),
            Self::Any(parts) => Self::All(parts.iter().map(Self::negated).collect()),
        }
    }

    /// Conjunctions one of which holds, without impossible ones, over the variables of a space; `None` if there are too
    /// many or a number is too large.
    pub(crate) fn conjunctions(&self, space: &mut Space) -> Option<Vec<Vec<Inequality>>> {
        let region = self.region(space)?;
        Some(region.iter().map(|polyhedron| space.inequalities(polyhedron)).collect())
    }

    fn region(&self, space: &mut Space) -> Option<Region> {
        match self {
            Self::Holds(inequality) => Some(match space.literal(inequality)? {
                Literal::Known(true) => vec![Vec::new()],
                Literal::Known(false) => Vec::new(),
                Literal::Atom(atom) => vec![vec![atom]],
            }),
            Self::Any(parts) => {
                let mut all = Region::new();
                for part in parts {
                    let own = part.region(space)?;
                    all = space.union(&all, &own);
                }
                (all.len() <= CASES).then_some(all)
            }
            Self::All(parts) => {
                let mut all: Region = vec![Vec::new()];
                let mut regions = Vec::new();
                for part in parts {
                    regions.push(part.region(space)?);
                }
                // Those without cases first.
                regions.sort_by_key(Vec::len);
                for region in regions {
                    all = space.intersection(&all, &region);
                    if all.len() > CASES {
                        return None;
                    }
                }
                Some(all)
            }
        }
    }
}

/// The condition that two conditions have the same truth value.
fn same(left: Condition, right: Condition) -> Condition {
    let neither = Condition::All(vec![left.negated(), right.negated()]);
    Condition::Any(vec![Condition::All(vec![left, right]), neither])
}

/// A value in each of some cases, which exclude each other.
type Cases = Vec<(Condition, Sum)>;

impl Expression {
    /// Whether the value is a truth value; `None` if that is not clear.
    pub(crate) fn is_truth(&self) -> bool {
        match &self.kind {
            Kind::Number(_) => false,
            Kind::Truth(_) => true,
            Kind::Variable(_, sort) => *sort == ProgramSort::Boolean,
            Kind::Apply(operator, parts) => match operator {
                Operator::Not
                | Operator::And
                | Operator::Or
                | Operator::Implies
                | Operator::Equal
                | Operator::Different
                | Operator::Odd
                | Operator::Less
                | Operator::AtMost
                | Operator::Greater
                | Operator::AtLeast => true,
                Operator::If => parts.get(1).is_some_and(Self::is_truth),
                Operator::Plus
                | Operator::Minus
                | Operator::Times
                | Operator::Over
                | Operator::Absolute
                | Operator::Least
                | Operator::Largest
                | Operator::Real => false,
            },
        }
    }

    fn fails(&self, message: impl Into<String>) -> Failure {
        Failure { at: self.at, message: message.into() }
    }

    fn too_large(&self) -> Failure {
        self.fails("a number is too large")
    }

    /// The condition that the expression states.
    pub(crate) fn condition(&self) -> Result<Condition, Failure> {
        match &self.kind {
            Kind::Truth(value) => Ok(Condition::truth(*value)),
            Kind::Variable(variable, ProgramSort::Boolean) => Ok(Condition::Holds(is_true(*variable))),
            Kind::Number(_) | Kind::Variable(..) => {
                Err(self.fails("a number stands where a condition is expected"))
            }
            Kind::Apply(operator, parts) => self.applied(*operator, parts),
        }
    }

    fn applied(&self, operator: Operator, parts: &[Self]) -> Result<Condition, Failure> {
        let all = || parts.iter().map(Self::condition).collect::<Result<Vec<Condition>, Failure>>();
        match operator {
            Operator::And => Ok(Condition::All(all()?)),
            Operator::Or => Ok(Condition::Any(all()?)),
            Operator::Not => match parts {
                [part] => Ok(part.condition()?.negated()),
                _ => Err(self.fails("`not` has one operand")),
            },
            Operator::Implies => match parts {
                [left, right] => Ok(Condition::Any(vec![left.condition()?.negated(), right.condition()?])),
                _ => Err(self.fails("an implication has two operands")),
            },
            Operator::If => match parts {
                [test, yes, no] => {
                    let test = test.condition()?;
                    let (yes, no) = (yes.condition()?, no.condition()?);
                    Ok(Condition::Any(vec![
                        Condition::All(vec![test.clone(), yes]),
                        Condition::All(vec![test.negated(), no]),
                    ]))
                }
                _ => Err(self.fails("`ite` has three operands")),
            },
            Operator::Equal
            | Operator::Different
            | Operator::Less
            | Operator::AtMost
            | Operator::Greater
            | Operator::AtLeast => {
                if parts.len() < 2 {
                    return Err(self.fails("a comparison has two operands or more"));
                }
                // Neighbors are compared, but `distinct` compares all pairs.
                let following = if operator == Operator::Different { parts.len() } else { 1 };
                let mut all = Vec::new();
                for (at, left) in parts.iter().enumerate() {
                    for right in parts[at + 1..].iter().take(following) {
                        all.push(self.pair(operator, left, right)?);
                    }
                }
                Ok(Condition::all_of(all))
            }
            Operator::Odd => {
                let mut odd = Condition::truth(false);
                for part in all()? {
                    odd = same(odd, part).negated();
                }
                Ok(odd)
            }
            Operator::Plus
            | Operator::Minus
            | Operator::Times
            | Operator::Over
            | Operator::Absolute
            | Operator::Least
            | Operator::Largest
            | Operator::Real => Err(self.fails("a number stands where a condition is expected")),
        }
    }

    /// The comparison of two values.
    fn pair(&self, operator: Operator, left: &Self, right: &Self) -> Result<Condition, Failure> {
        if !left.is_truth() && !right.is_truth() {
            return self.compared(operator, left, right);
        }
        let same = same(left.condition()?, right.condition()?);
        match operator {
            Operator::Equal => Ok(same),
            Operator::Different => Ok(same.negated()),
            _ => Err(self.fails("truth values have no order")),
        }
    }

    fn compared(&self, operator: Operator, left: &Self, right: &Self) -> Result<Condition, Failure> {
        let mut any = Vec::new();
        for (left_case, left) in left.sums()? {
            for (right_case, right) in right.sums()? {
                let change =
                    |a: &Sum, b: &Sum| a.plus(Rational::ONE.negated(), b).ok_or_else(|| self.too_large());
                let (forth, back) = (change(&left, &right)?, change(&right, &left)?);
                let holds = Condition::Holds;
                let compared = match operator {
                    Operator::Less => holds(Inequality::below_zero(forth)),
                    Operator::AtMost => holds(Inequality::at_most_zero(forth)),
                    Operator::Greater => holds(Inequality::below_zero(back)),
                    Operator::AtLeast => holds(Inequality::at_most_zero(back)),
                    Operator::Different => Condition::Any(vec![
                        holds(Inequality::below_zero(forth)),
                        holds(Inequality::below_zero(back)),
                    ]),
                    _ => Condition::All(vec![
                        holds(Inequality::at_most_zero(forth)),
                        holds(Inequality::at_most_zero(back)),
                    ]),
                };
                any.push(Condition::all_of([left_case.clone(), right_case, compared]));
            }
        }
        Ok(if any.len() == 1 { any.swap_remove(0) } else { Condition::Any(any) })
    }

    /// The number that the expression stands for, in each of some cases. Of a truth value it is 1 or 0.
    pub(crate) fn sums(&self) -> Result<Cases, Failure> {
        let always = |sum: Sum| vec![(Condition::truth(true), sum)];
        if self.is_truth() {
            if let Kind::Variable(variable, _) = self.kind {
                return Ok(always(Sum::variable(variable)));
            }
            let condition = self.condition()?;
            let value = |truth: bool| Sum::constant(if truth { Rational::ONE } else { Rational::ZERO });
            return Ok(match self.kind {
                Kind::Truth(truth) => always(value(truth)),
                _ => vec![(condition.clone(), value(true)), (condition.negated(), value(false))],
            });
        }
        match &self.kind {
            Kind::Number(value) => Ok(always(Sum::constant(*value))),
            Kind::Variable(variable, _) => Ok(always(Sum::variable(*variable))),
            Kind::Truth(_) => Err(self.fails("a truth value stands where a number is expected")),
            Kind::Apply(operator, parts) => self.computed(*operator, parts),
        }
    }

    fn computed(&self, operator: Operator, parts: &[Self]) -> Result<Cases, Failure> {
        if operator == Operator::If {
            let [test, yes, no] = parts else { return Err(self.fails("`ite` has three operands")) };
            let test = test.condition()?;
            let mut cases = Vec::new();
            for (given, part) in [(test.clone(), yes), (test.negated(), no)] {
                for (case, sum) in part.sums()? {
                    cases.push((Condition::all_of([given.clone(), case]), sum));
                }
            }
            return Ok(cases);
        }
        let mut parts = parts.iter();
        let first = parts.next().ok_or_else(|| self.fails("an operator without operands"))?;
        let mut cases = first.sums()?;
        let mut alone = true;
        for part in parts {
            alone = false;
            if operator == Operator::Real {
                break;
            }
            let own = part.sums()?;
            let mut next = Vec::new();
            for (left_case, left) in &cases {
                for (right_case, right) in &own {
                    for (more, sum) in self.combined(operator, left, right)? {
                        let all = [left_case.clone(), right_case.clone(), more];
                        next.push((Condition::all_of(all), sum));
                    }
                }
            }
            if next.len() > CASES {
                return Err(self.fails("too many cases"));
            }
            cases = next;
        }
        match (operator, alone) {
            (Operator::Minus, true) => {
                Ok(cases.into_iter().map(|(case, sum)| (case, sum.negated())).collect())
            }
            (Operator::Absolute, true) => {
                let mut result = Vec::new();
                for (case, sum) in cases {
                    let negative = Condition::Holds(Inequality::below_zero(sum.clone()));
                    let with = |more: Condition| Condition::all_of([case.clone(), more]);
                    result.push((with(negative.negated()), sum.clone()));
                    result.push((with(negative.clone()), sum.negated()));
                }
                Ok(result)
            }
            (Operator::Absolute, false) => Err(self.fails("`abs` has one operand")),
            (Operator::Real, false) => Err(self.fails("`to_real` has one operand")),
            _ => Ok(cases),
        }
    }

    fn combined(&self, operator: Operator, left: &Sum, right: &Sum) -> Result<Cases, Failure> {
        let always = |sum: Option<Sum>| {
            sum.map(|sum| vec![(Condition::truth(true), sum)]).ok_or_else(|| self.too_large())
        };
        let minus = Rational::ONE.negated();
        match operator {
            Operator::Plus => always(left.plus(Rational::ONE, right)),
            Operator::Minus => always(left.plus(minus, right)),
            Operator::Times => match (left.value(), right.value()) {
                (Some(factor), _) => always(right.times(factor)),
                (None, Some(factor)) => always(left.times(factor)),
                (None, None) => Err(self.fails("a product of two variables is not linear")),
            },
            Operator::Over => match right.value() {
                Some(divisor) if !divisor.is_zero() => {
                    always(Rational::ONE.over(divisor).and_then(|factor| left.times(factor)))
                }
                Some(_) => Err(self.fails("division by 0")),
                None => Err(self.fails("a division by a variable is not linear")),
            },
            Operator::Least | Operator::Largest => {
                let change = left.plus(minus, right).ok_or_else(|| self.too_large())?;
                let below = Condition::Holds(Inequality::at_most_zero(change));
                let (first, second) = if operator == Operator::Least { (left, right) } else { (right, left) };
                Ok(vec![(below.clone(), first.clone()), (below.negated(), second.clone())])
            }
            _ => Err(self.fails("a truth value stands where a number is expected")),
        }
    }
}

/// A truth value as a number: at least 1.
fn is_true(variable: u32) -> Inequality {
    let one = Sum::constant(Rational::ONE);
    let sum = one.plus(Rational::ONE.negated(), &Sum::variable(variable));
    Inequality::at_most_zero(sum.unwrap_or(one))
}
