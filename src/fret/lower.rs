//! From parsed formulas and assignments to [`Logic`]: names get their meaning, numbers become linear sums by cases.

use crate::comparisons::compared;
use crate::export::{Component, Owner, Sort, Variable};
use crate::logic::{Formula, Logic, Temporal, ago, and, constant, first, iff, not, or, temporal};
use crate::numbers::{Relation, Symbol, Symbols};
use crate::syntax::{Arrow, Expr, Infix, Prefix, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::Sum;

/// The largest number of cases of one number.
const MAX_CASES: usize = 64;
/// The largest number of cases that all comparisons of a component are split into: shared definitions may unfold to many.
const MAX_COMPARISONS: usize = 20_000;
/// The largest depth of variables that are defined by others.
const MAX_DEFINITIONS: usize = 64;

/// A number by cases: exactly one of the conditions holds.
type Cases = Vec<(Formula, Sum)>;

/// Lowers the formulas of one component.
pub(crate) struct Lowering<'a> {
    variables: &'a BTreeMap<String, Variable>,
    pub(crate) symbols: Symbols,
    definitions: BTreeMap<String, Expr>,
    /// The requirement that each of these variables is always equal to another term.
    determined: BTreeMap<String, String>,
    /// Such requirements that were used since this was last emptied.
    pub(crate) used: BTreeSet<String>,
    /// The variables whose definitions are being lowered.
    open: Vec<String>,
    /// Whether an earlier step exists where the expression matters.
    guarded: bool,
    comparisons: usize,
}

/// What a name stands for.
enum Meaning {
    Input(Sort),
    Output(Sort),
    Defined(Expr),
}

fn too_large() -> String {
    "a number in it is too large".into()
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(component: &'a Component) -> Self {
        Self {
            variables: &component.variables,
            symbols: Symbols::default(),
            definitions: BTreeMap::new(),
            determined: BTreeMap::new(),
            used: BTreeSet::new(),
            open: Vec::new(),
            guarded: false,
            comparisons: 0,
        }
    }

    /// If an expression says that an output always equals a term, and the output is not part of what determines that
    /// term, the output is replaced by the term from now on. Returns whether it is.
    pub(crate) fn determine(&mut self, expr: &Expr, requirement: &str) -> bool {
        let Expr::Prefix(Prefix::Temporal(Temporal::Historically | Temporal::Globally), body) = expr else {
            return false;
        };
        let Expr::Infix(Infix::Equal, a, b) = &**body else { return false };
        for (side, term) in [(a, b), (b, a)] {
            let Expr::Name(name) = &**side else { continue };
            let sort =
                self.variables.get(name).filter(|known| known.owner == Owner::Output).and_then(|v| v.sort);
            let is_free = sort == Some(Sort::Real) && !self.determined.contains_key(name);
            if !is_free || self.is_boolean(term) || !self.is_sum(term) || self.needs(term, name, 0) {
                continue;
            }
            self.definitions.insert(name.clone(), (**term).clone());
            self.determined.insert(name.clone(), requirement.to_string());
            return true;
        }
        false
    }

    /// Whether a term is built from numbers of this step by addition and constant factors.
    fn is_sum(&self, term: &Expr) -> bool {
        match term {
            Expr::Number(_) => true,
            Expr::Name(name) => self.variables.get(name).is_some_and(|known| match &known.owner {
                Owner::Input | Owner::Output => true,
                Owner::Defined(text) => text.trim().parse::<f64>().is_ok(),
                Owner::Function | Owner::Unknown => false,
            }),
            Expr::Prefix(Prefix::Minus, a) => self.is_sum(a),
            Expr::Infix(Infix::Plus | Infix::Minus, a, b) => self.is_sum(a) && self.is_sum(b),
            Expr::Infix(Infix::Times, a, b) => match (&**a, &**b) {
                (Expr::Number(_), other) | (other, Expr::Number(_)) => self.is_sum(other),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a term depends on a variable.
    fn needs(&self, term: &Expr, name: &str, depth: usize) -> bool {
        let mut names = Vec::new();
        names_of(term, &mut names);
        depth > MAX_DEFINITIONS
            || names.iter().any(|other| {
                other == name
                    || self.definitions.get(other).is_some_and(|next| self.needs(next, name, depth + 1))
            })
    }

    fn meaning(&mut self, name: &str) -> Result<Meaning, String> {
        if let (Some(requirement), Some(term)) = (self.determined.get(name), self.definitions.get(name)) {
            self.used.insert(requirement.clone());
            return Ok(Meaning::Defined(term.clone()));
        }
        let variable =
            self.variables.get(name).ok_or_else(|| format!("`{name}` is no variable of the component"))?;
        match (&variable.owner, variable.sort) {
            (Owner::Input, Some(sort)) => Ok(Meaning::Input(sort)),
            (Owner::Output, Some(sort)) => Ok(Meaning::Output(sort)),
            (Owner::Input | Owner::Output, None) => Err(format!("`{name}` has no type")),
            (Owner::Function, _) => Err(format!("`{name}` is a function")),
            (Owner::Unknown, _) => {
                Err(format!("`{name}` is neither an input nor an output, and has no definition"))
            }
            (Owner::Defined(text), _) => {
                if let Some(known) = self.definitions.get(name) {
                    return Ok(Meaning::Defined(known.clone()));
                }
                let expr = parse(text, Arrow::Followed)
                    .map_err(|why| format!("the definition of `{name}`: {why}"))?;
                self.definitions.insert(name.to_string(), expr.clone());
                Ok(Meaning::Defined(expr))
            }
        }
    }

    /// Lowers the definition of a name.
    fn defined<T>(
        &mut self,
        name: &str,
        lower: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        if self.open.iter().any(|open| open == name) {
            return Err(format!("`{name}` is defined by its own value, perhaps that of an earlier step"));
        }
        if self.open.len() >= MAX_DEFINITIONS {
            return Err(format!("more than {MAX_DEFINITIONS} definitions are nested"));
        }
        self.open.push(name.to_string());
        let lowered = lower(self);
        self.open.pop();
        lowered
    }

    /// Whether an expression is a truth value.
    fn is_boolean(&self, expr: &Expr) -> bool {
        let declared = |name: &str| self.variables.get(name).is_some_and(|v| v.sort == Some(Sort::Boolean));
        match expr {
            Expr::Number(_) | Expr::Prefix(Prefix::Minus, _) => false,
            Expr::Infix(op, ..) if op.is_arithmetic() => false,
            Expr::Name(name) => name == "FTP" || declared(name),
            Expr::Prefix(Prefix::Pre, a) | Expr::Infix(Infix::Followed, a, _) | Expr::If(_, a, _) => {
                self.is_boolean(a)
            }
            Expr::Call(name, _) => {
                matches!(name.as_str(), "preBool" | "persisted" | "occurred" | "persists" | "occurs")
                    || declared(name)
            }
            Expr::Constant(_) | Expr::Bounded(..) | Expr::Prefix(..) | Expr::Infix(..) => true,
        }
    }

    /// A formula.
    ///
    /// # Errors
    /// What is not read.
    pub(crate) fn formula(&mut self, expr: &Expr) -> Result<Formula, String> {
        Ok(match expr {
            Expr::Constant(value) => constant(*value),
            Expr::Number(number) => return Err(format!("`{number}` is no truth value")),
            Expr::Name(name) if name == "FTP" => first(),
            Expr::Name(name) if name == "LAST" => {
                return Err("`LAST` speaks about the end of a finite run".into());
            }
            Expr::Name(name) => match self.meaning(name)? {
                Meaning::Input(Sort::Boolean) | Meaning::Output(Sort::Boolean) => {
                    Rc::new(Logic::Variable(name.clone()))
                }
                Meaning::Defined(expr) => self.defined(name, |own| own.formula(&expr))?,
                Meaning::Input(_) | Meaning::Output(_) => return Err(format!("`{name}` is no truth value")),
            },
            Expr::Prefix(op, a) => self.prefix(*op, a)?,
            Expr::Bounded(op, from, to, a) => Rc::new(Logic::Bounded(*op, *from, *to, self.formula(a)?)),
            Expr::Infix(op, a, b) => self.infix(*op, a, b)?,
            Expr::If(condition, a, b) => {
                let condition = self.formula(condition)?;
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                or([and([Rc::clone(&condition), a]), and([not(&condition), b])])
            }
            Expr::Call(name, arguments) => self.call(name, arguments)?,
        })
    }

    /// Lowers an expression where an earlier step exists, or need not exist.
    fn within<T>(
        &mut self,
        guarded: bool,
        lower: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        let outer = std::mem::replace(&mut self.guarded, guarded);
        let lowered = lower(self);
        self.guarded = outer;
        lowered
    }

    /// The operand of `pre`, which has no value in the first step.
    fn operand_of_pre<T>(&mut self, lower: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if !self.guarded {
            return Err("`pre` needs a first value: `value -> pre x`".into());
        }
        self.within(false, lower)
    }

    fn prefix(&mut self, op: Prefix, a: &Expr) -> Result<Formula, String> {
        let inner =
            if op == Prefix::Pre { self.operand_of_pre(|own| own.formula(a))? } else { self.formula(a)? };
        match op {
            Prefix::Not => Ok(not(&inner)),
            Prefix::Minus => Err("a minus stands before a truth value".into()),
            Prefix::Pre => Ok(ago(inner, 1)),
            Prefix::Temporal(op) => Ok(temporal(op, inner)),
        }
    }

    fn infix(&mut self, op: Infix, a: &Expr, b: &Expr) -> Result<Formula, String> {
        let relation = match op {
            Infix::Equal | Infix::Different if self.is_boolean(a) || self.is_boolean(b) => {
                let same = iff(self.formula(a)?, self.formula(b)?);
                return Ok(if op == Infix::Equal { same } else { not(&same) });
            }
            Infix::Equal | Infix::Different => Some((Relation::Equal, false)),
            Infix::Less | Infix::AtLeast => Some((Relation::Below, false)),
            Infix::AtMost | Infix::Greater => Some((Relation::AtMost, false)),
            _ => None,
        };
        if let Some((relation, _)) = relation {
            let formula = self.comparison(a, b, relation)?;
            let negated = matches!(op, Infix::Different | Infix::AtLeast | Infix::Greater);
            return Ok(if negated { not(&formula) } else { formula });
        }
        let left = self.formula(a)?;
        let right = self.within(self.guarded || op == Infix::Followed, |own| own.formula(b))?;
        Ok(match op {
            Infix::Followed => or([and([first(), left]), and([not(&first()), right])]),
            Infix::Iff => iff(left, right),
            Infix::Implies => or([not(&left), right]),
            Infix::Xor => not(&iff(left, right)),
            Infix::Or => or([left, right]),
            Infix::And => and([left, right]),
            Infix::Temporal(op) => Rc::new(Logic::Binary(op, left, right)),
            _ => return Err("a number stands where a truth value is expected".into()),
        })
    }

    /// `a - b` below, at most or equal to 0.
    fn comparison(&mut self, a: &Expr, b: &Expr, relation: Relation) -> Result<Formula, String> {
        // The size of `x` is less than a number iff `x` and `-x` are: no case distinction is needed.
        let size = |expr: &Expr| match expr {
            Expr::Call(name, arguments) if matches!(name.as_str(), "absReal" | "abs" | "absInt") => {
                let [inner] = &arguments[..] else { return None };
                Some((inner.clone(), Expr::Prefix(Prefix::Minus, Box::new(inner.clone()))))
            }
            _ => None,
        };
        if relation != Relation::Equal {
            if let Some((one, other)) = size(a) {
                return Ok(and([self.comparison(&one, b, relation)?, self.comparison(&other, b, relation)?]));
            }
            if let Some((one, other)) = size(b) {
                return Ok(or([self.comparison(a, &one, relation)?, self.comparison(a, &other, relation)?]));
            }
        }
        let (left, right) = (self.number(a)?, self.number(b)?);
        let minus = Rational::ONE.negated();
        let mut cases = Vec::new();
        for (condition, sum) in combined(&left, &right, |a, b| a.plus(minus, b))? {
            self.comparisons += 1;
            if self.comparisons > MAX_COMPARISONS {
                return Err(format!("it has more than {MAX_COMPARISONS} comparisons by cases"));
            }
            let holds = compared(&mut self.symbols, &sum, relation).ok_or_else(too_large)?;
            cases.push(and([condition, holds]));
        }
        Ok(or(cases))
    }

    fn call(&mut self, name: &str, arguments: &[Expr]) -> Result<Formula, String> {
        let steps = |expr: &Expr| match expr {
            Expr::Number(n) if n.is_integer() => u32::try_from(n.numerator()).ok().filter(|&n| n <= 100_000),
            _ => None,
        };
        match (name, arguments) {
            ("preBool", [begin, body]) => {
                let (begin, body) = (self.formula(begin)?, self.formula(body)?);
                Ok(or([and([first(), begin]), ago(body, 1)]))
            }
            ("persisted" | "occurred" | "persists" | "occurs", [n, body]) => {
                let n = steps(n).ok_or_else(|| format!("`{name}` begins with a number of steps"))?;
                let body = self.formula(body)?;
                let bounded = |op, n, body| Rc::new(Logic::Bounded(op, 0, n, body));
                Ok(match name {
                    "persisted" if n == 0 => body,
                    // False where there are fewer steps.
                    "persisted" => {
                        let started = bounded(Temporal::Historically, n - 1, ago(constant(true), 1));
                        and([bounded(Temporal::Historically, n, body), started])
                    }
                    "occurred" => bounded(Temporal::Once, n, body),
                    "persists" => bounded(Temporal::Globally, n, body),
                    _ => bounded(Temporal::Finally, n, body),
                })
            }
            _ => Err(format!("the function `{name}` is not known")),
        }
    }

    /// A number by cases.
    fn number(&mut self, expr: &Expr) -> Result<Cases, String> {
        let always = |sum| Ok(vec![(constant(true), sum)]);
        match expr {
            Expr::Number(number) => always(Sum::constant(*number)),
            Expr::Name(name) => match self.meaning(name)? {
                Meaning::Input(Sort::Boolean) | Meaning::Output(Sort::Boolean) => {
                    Err(format!("`{name}` is no number"))
                }
                Meaning::Input(sort) => always(self.symbol(name, sort, false)),
                Meaning::Output(sort) => always(self.symbol(name, sort, true)),
                Meaning::Defined(expr) => self.defined(name, |own| own.number(&expr)),
            },
            Expr::Prefix(Prefix::Minus, a) => {
                Ok(self.number(a)?.into_iter().map(|(c, sum)| (c, sum.negated())).collect())
            }
            Expr::Prefix(Prefix::Pre, a) => {
                let inner = self.operand_of_pre(|own| own.number(a))?;
                self.before(inner)
            }
            Expr::If(condition, a, b) => {
                let condition = self.formula(condition)?;
                let (a, b) = (self.number(a)?, self.number(b)?);
                chosen(&condition, a, b)
            }
            Expr::Infix(op, a, b) => self.arithmetic(expr, *op, a, b),
            Expr::Call(name, arguments) => self.function(expr, name, arguments),
            _ => Err("a truth value stands where a number is expected".into()),
        }
    }

    fn symbol(&mut self, name: &str, sort: Sort, output: bool) -> Sum {
        let integer = matches!(sort, Sort::Integer { .. });
        let symbol = Symbol { name: name.to_string(), ago: 0, output, integer, opaque: false };
        Sum::variable(self.symbols.number(symbol))
    }

    /// The values one step ago.
    fn before(&mut self, cases: Cases) -> Result<Cases, String> {
        let mut shifted = Vec::new();
        for (condition, sum) in cases {
            let condition = match &*condition {
                Logic::Constant(_) => condition,
                _ => ago(condition, 1),
            };
            shifted.push((condition, self.symbols.shifted(&sum, 1).ok_or_else(too_large)?));
        }
        Ok(shifted)
    }

    fn arithmetic(&mut self, whole: &Expr, op: Infix, a: &Expr, b: &Expr) -> Result<Cases, String> {
        if op == Infix::Followed {
            let a = self.number(a)?;
            let b = self.within(true, |own| own.number(b))?;
            return chosen(&first(), a, b);
        }
        let (left, right) = (self.number(a)?, self.number(b)?);
        let minus = Rational::ONE.negated();
        let known = |cases: &Cases| cases.iter().all(|(_, sum)| sum.value().is_some());
        match op {
            Infix::Plus => combined(&left, &right, |a, b| a.plus(Rational::ONE, b)),
            Infix::Minus => combined(&left, &right, |a, b| a.plus(minus, b)),
            Infix::Times if known(&right) => combined(&left, &right, |a, b| a.times(b.value()?)),
            Infix::Times if known(&left) => combined(&left, &right, |a, b| b.times(a.value()?)),
            Infix::Over
                if known(&right) && right.iter().all(|(_, sum)| sum.value() != Some(Rational::ZERO)) =>
            {
                combined(&left, &right, |a, b| a.times(Rational::ONE.over(b.value()?)?))
            }
            Infix::Power if known(&right) && known(&left) => combined(&left, &right, |a, b| {
                let exponent = b.value().filter(|b| b.is_integer() && !b.is_negative())?;
                let exponent = u32::try_from(exponent.numerator()).ok().filter(|&e| e <= 64)?;
                let base = a.value()?;
                (0..exponent).try_fold(Rational::ONE, |power, _| power.times(base)).map(Sum::constant)
            }),
            Infix::Times | Infix::Over | Infix::Modulo | Infix::Power => {
                self.opaque(whole, "it is not linear")
            }
            _ => Err("a truth value stands where a number is expected".into()),
        }
    }

    fn function(&mut self, whole: &Expr, name: &str, arguments: &[Expr]) -> Result<Cases, String> {
        match (name, arguments) {
            ("preReal" | "preInt" | "preInteger", [begin, body]) => {
                let begin = self.number(begin)?;
                let body = self.within(false, |own| own.number(body))?;
                let body = self.before(body)?;
                chosen(&first(), begin, body)
            }
            ("absReal" | "abs" | "absInt", [a]) => {
                let cases = self.number(a)?;
                let negated = cases.iter().map(|(c, sum)| (Rc::clone(c), sum.negated())).collect();
                self.greatest(&cases, &negated)
            }
            ("maxReal" | "max" | "maxInt", [a, b]) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                self.greatest(&a, &b)
            }
            ("minReal" | "min" | "minInt", [a, b]) => {
                let negated =
                    |cases: Cases| cases.into_iter().map(|(c, sum)| (c, sum.negated())).collect::<Cases>();
                let (a, b) = (negated(self.number(a)?), negated(self.number(b)?));
                Ok(negated(self.greatest(&a, &b)?))
            }
            _ => self.opaque(whole, &format!("the function `{name}` is not known")),
        }
    }

    /// The greater one of two numbers.
    fn greatest(&mut self, a: &Cases, b: &Cases) -> Result<Cases, String> {
        let minus = Rational::ONE.negated();
        let mut all = Vec::new();
        for (left_condition, left) in a {
            for (right_condition, right) in b {
                let both = and([Rc::clone(left_condition), Rc::clone(right_condition)]);
                if matches!(&*both, Logic::Constant(false)) {
                    continue;
                }
                let difference = left.plus(minus, right).ok_or_else(too_large)?;
                let less = compared(&mut self.symbols, &difference, Relation::Below).ok_or_else(too_large)?;
                all.push((and([Rc::clone(&both), not(&less)]), left.clone()));
                all.push((and([both, less]), right.clone()));
            }
        }
        kept(all)
    }

    /// A term that is not computed: the environment chooses its value, if the term depends on inputs only.
    fn opaque(&mut self, term: &Expr, why: &str) -> Result<Cases, String> {
        let mut names = Vec::new();
        names_of(term, &mut names);
        for name in names {
            if self.depends_on_outputs(&name) {
                return Err(format!("{why}, and `{name}` depends on an output"));
            }
        }
        let name = printed(term);
        if name.len() > 200 {
            return Err(why.to_string());
        }
        let symbol = Symbol { name, ago: 0, output: false, integer: false, opaque: true };
        Ok(vec![(constant(true), Sum::variable(self.symbols.number(symbol)))])
    }

    /// Whether the value of an expression depends on outputs.
    pub(crate) fn has_outputs(&mut self, expr: &Expr) -> bool {
        let mut names = Vec::new();
        names_of(expr, &mut names);
        names.iter().any(|name| self.depends_on_outputs(name))
    }

    fn depends_on_outputs(&mut self, name: &str) -> bool {
        match self.meaning(name) {
            Ok(Meaning::Output(_)) => true,
            Ok(Meaning::Input(_)) => false,
            Ok(Meaning::Defined(expr)) => {
                self.defined(name, |own| Ok(own.has_outputs(&expr))).unwrap_or(true)
            }
            // A function: what it is applied to is among the names, too.
            Err(_) => {
                !self.variables.get(name).is_some_and(|known| known.owner == Owner::Function)
                    && self.variables.contains_key(name)
            }
        }
    }
}

/// One number if the condition holds, else another one.
fn chosen(condition: &Formula, a: Cases, b: Cases) -> Result<Cases, String> {
    let under = |given: &Formula, cases: Cases| {
        let given = Rc::clone(given);
        cases.into_iter().map(move |(condition, sum)| (and([Rc::clone(&given), condition]), sum))
    };
    let negated = not(condition);
    kept(under(condition, a).chain(under(&negated, b)).collect())
}

/// An operation on each case of two numbers.
fn combined(
    left: &Cases,
    right: &Cases,
    operation: impl Fn(&Sum, &Sum) -> Option<Sum>,
) -> Result<Cases, String> {
    let mut all = Vec::new();
    for (left_condition, a) in left {
        for (right_condition, b) in right {
            let condition = and([Rc::clone(left_condition), Rc::clone(right_condition)]);
            all.push((condition, operation(a, b).ok_or_else(too_large)?));
        }
    }
    kept(all)
}

/// The possible cases.
fn kept(mut cases: Cases) -> Result<Cases, String> {
    cases.retain(|(condition, _)| !is_contradiction(condition));
    if cases.len() > MAX_CASES {
        return Err(format!("a number in it has more than {MAX_CASES} cases"));
    }
    Ok(cases)
}

/// Whether a conjunction has a part and its negation.
fn is_contradiction(condition: &Formula) -> bool {
    match &**condition {
        Logic::Constant(value) => !value,
        Logic::And(parts) => parts.iter().any(|part| parts.contains(&not(part))),
        _ => false,
    }
}

fn names_of(expr: &Expr, names: &mut Vec<String>) {
    match expr {
        Expr::Constant(_) | Expr::Number(_) => {}
        Expr::Name(name) => names.push(name.clone()),
        Expr::Prefix(_, a) | Expr::Bounded(_, _, _, a) => names_of(a, names),
        Expr::Infix(_, a, b) => {
            names_of(a, names);
            names_of(b, names);
        }
        Expr::If(a, b, c) => {
            for part in [a, b, c] {
                names_of(part, names);
            }
        }
        Expr::Call(name, arguments) => {
            names.push(name.clone());
            for part in arguments {
                names_of(part, names);
            }
        }
    }
}

/// The text of a term.
fn printed(expr: &Expr) -> String {
    let mut text = String::new();
    let infix = |op: &Infix| match op {
        Infix::Plus => "+",
        Infix::Minus => "-",
        Infix::Times => "*",
        Infix::Over => "/",
        Infix::Modulo => "mod",
        Infix::Power => "^",
        Infix::Followed => "->",
        _ => "?",
    };
    let _ = match expr {
        Expr::Constant(value) => write!(text, "{value}"),
        Expr::Number(number) => write!(text, "{number}"),
        Expr::Name(name) => write!(text, "{name}"),
        Expr::Prefix(Prefix::Minus, a) => write!(text, "-{}", printed(a)),
        Expr::Prefix(Prefix::Pre, a) => write!(text, "pre {}", printed(a)),
        Expr::Infix(op, a, b) => write!(text, "({} {} {})", printed(a), infix(op), printed(b)),
        Expr::Call(name, arguments) => {
            write!(text, "{name}({})", arguments.iter().map(printed).collect::<Vec<_>>().join("; "))
        }
        // Other terms are the same only if they are written the same way.
        other => write!(text, "{other:?}"),
    };
    text
}
