//! Expands parameters, definitions, buses and big operators of TLSF.

use super::MOST_LEVELS;
use super::parse::{Bounds, Definition, Expr, ExprKind, Module, Section};
use crate::contract::Signals;
use crate::read_ltl::{Unread, bounded};
use crate::syntax::{Binary, Syntax, Tree, Unary, Written};
use std::collections::HashMap;

/// Evaluated expressions of a text.
const MOST_STEPS: u64 = 10_000_000;
/// The width of a bus.
const MOST_WIDTH: i64 = 10_000;
/// Steps of a bound, and numbers of a range.
const MOST_NUMBERS: i64 = 100_000;

/// The value of an expression.
#[derive(Clone, Debug)]
enum Value {
    Number(i64),
    Formula(Tree),
    Bus(String, i64),
    Set(Vec<i64>),
}

/// The values of the bound names; inner ones last.
type Scope = Vec<(String, Value)>;

pub(super) struct Expander<'a> {
    module: &'a Module,
    definitions: HashMap<&'a str, &'a Definition>,
    parameters: HashMap<String, i64>,
    buses: HashMap<String, i64>,
    pub(super) signals: Signals,
    pub(super) syntax: Syntax,
    steps: u64,
    levels: usize,
}

impl<'a> Expander<'a> {
    /// Evaluates parameters and declares the signals.
    pub(super) fn new(module: &'a Module, given: &[(String, i64)]) -> Result<Self, Unread> {
        let mut expander = Self {
            module,
            definitions: module.definitions.iter().map(|d| (d.name.as_str(), d)).collect(),
            parameters: HashMap::new(),
            buses: HashMap::new(),
            signals: Signals::default(),
            syntax: Syntax::default(),
            steps: 0,
            levels: 0,
        };
        if let Some((name, _)) = given.iter().find(|(name, _)| module.parameters.iter().all(|p| p.0 != *name))
        {
            return Err(Unread::new(1, format!("there is no parameter {name:?}")));
        }
        for (name, value) in &module.parameters {
            let value = match given.iter().find(|(other, _)| other == name) {
                Some((_, value)) => *value,
                None => expander.number(value, &mut Vec::new())?,
            };
            expander.parameters.insert(name.clone(), value);
        }
        for (is_input, line, name, width) in &module.signals {
            let wrong = |why| Unread::new(*line, why);
            let Some(width) = width else {
                expander.signals.add(name, *is_input).map_err(wrong)?;
                continue;
            };
            let width = expander.number(width, &mut Vec::new())?;
            if !(0..=MOST_WIDTH).contains(&width) {
                return Err(Unread::beyond(*line, format!("a bus of width {width}")));
            }
            for i in 0..width {
                expander.signals.add(&format!("{name}_{i}"), *is_input).map_err(wrong)?;
            }
            expander.buses.insert(name.clone(), width);
        }
        Ok(expander)
    }

    /// The formulas of all sections.
    pub(super) fn clauses(&mut self) -> Result<Vec<(Section, Tree)>, Unread> {
        let module = self.module;
        let mut found = Vec::new();
        for (section, expr) in &module.clauses {
            found.push((*section, self.formula(expr, &mut Vec::new())?));
        }
        Ok(found)
    }

    fn formula(&mut self, expr: &Expr, scope: &mut Scope) -> Result<Tree, Unread> {
        match self.value(expr, scope)? {
            Value::Formula(tree) => Ok(tree),
            _ => Err(Unread::new(expr.line, "a formula is expected")),
        }
    }

    fn number(&mut self, expr: &Expr, scope: &mut Scope) -> Result<i64, Unread> {
        match self.value(expr, scope)? {
            Value::Number(number) => Ok(number),
            _ => Err(Unread::new(expr.line, "a number is expected")),
        }
    }

    fn set(&mut self, expr: &Expr, scope: &mut Scope) -> Result<Vec<i64>, Unread> {
        match self.value(expr, scope)? {
            Value::Set(set) => Ok(set),
            _ => Err(Unread::new(expr.line, "a set of numbers is expected")),
        }
    }

    fn constant(&mut self, line: usize, value: bool) -> Result<Value, Unread> {
        let tree = self.syntax.add(Written::Constant(value)).map_err(|why| Unread::beyond(line, why))?;
        Ok(Value::Formula(tree))
    }

    fn value(&mut self, expr: &Expr, scope: &mut Scope) -> Result<Value, Unread> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Unread::beyond(expr.line, "the text is too large when it is expanded"));
        }
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return Err(Unread::new(expr.line, format!("more than {MOST_LEVELS} levels of definitions")));
        }
        let value = self.value_of(expr, scope);
        self.levels -= 1;
        value
    }

    fn value_of(&mut self, expr: &Expr, scope: &mut Scope) -> Result<Value, Unread> {
        let line = expr.line;
        let wrong = |why: String| Unread::beyond(line, why);
        Ok(match &expr.kind {
            ExprKind::Number(number) => Value::Number(*number),
            ExprKind::Constant(value) => self.constant(line, *value)?,
            ExprKind::Otherwise => self.constant(line, true)?,
            ExprKind::Name(name) => self.named(line, name, scope)?,
            ExprKind::Call(name, arguments) => self.call(line, name, arguments, scope)?,
            ExprKind::Index(name, index) => {
                let index = self.number(index, scope)?;
                match self.named(line, name, scope)? {
                    Value::Bus(name, width) if (0..width).contains(&index) => {
                        self.atom(line, &format!("{name}_{index}"))?
                    }
                    Value::Bus(name, width) => {
                        return Err(Unread::new(line, format!("{name}[{index}]: the width is {width}")));
                    }
                    _ => return Err(Unread::new(line, format!("{name:?} is no bus"))),
                }
            }
            ExprKind::Size(bus) => match self.value(bus, scope)? {
                Value::Bus(_, width) => Value::Number(width),
                _ => return Err(Unread::new(line, "SIZEOF is followed by a bus")),
            },
            ExprKind::Count(set) => {
                Value::Number(i64::try_from(self.set(set, scope)?.len()).unwrap_or(i64::MAX))
            }
            ExprKind::Set(items) => {
                let mut set = Vec::new();
                for item in items {
                    set.push(self.number(item, scope)?);
                }
                Value::Set(sorted(set))
            }
            ExprKind::Range(first, second, last) => {
                let first = self.number(first, scope)?;
                let step = match second {
                    Some(second) => self.number(second, scope)?.checked_sub(first),
                    None => Some(1),
                };
                let last = self.number(last, scope)?;
                let step = step.filter(|&step| step > 0 && last.saturating_sub(first) / step < MOST_NUMBERS);
                let step = step.ok_or_else(|| Unread::new(line, "the range is not understood"))?;
                Value::Set((0..).map_while(|i| Some(first + i * step).filter(|&n| n <= last)).collect())
            }
            ExprKind::Logic(op, bounds, operand) => {
                let bounds = match bounds {
                    Some(bounds) => Some(self.bounds(line, *op, bounds, scope)?),
                    None => None,
                };
                let operand = self.formula(operand, scope)?;
                let tree = match bounds {
                    Some(bounds) => bounded(&mut self.syntax, *op, bounds, operand),
                    None => self.syntax.unary(*op, operand),
                };
                Value::Formula(tree.map_err(wrong)?)
            }
            ExprKind::Infix(op, left, right) => self.infix(line, op, left, right, scope)?,
            ExprKind::Big(op, binders, body) => {
                let mut tree = self.syntax.add(Written::Constant(*op == Binary::And)).map_err(wrong)?;
                self.big(*op, binders, body, scope, &mut tree)?;
                Value::Formula(tree)
            }
        })
    }

    fn bounds(
        &mut self,
        line: usize,
        op: Unary,
        bounds: &Bounds,
        scope: &mut Scope,
    ) -> Result<(u64, Option<u64>), Unread> {
        let low = self.number(&bounds.low, scope)?;
        let high = match &bounds.high {
            Some(high) => self.number(high, scope)?,
            None => low,
        };
        let is_right = 0 <= low && low <= high && (op != Unary::Next || bounds.high.is_none());
        if !is_right || high > MOST_NUMBERS {
            return Err(Unread::beyond(line, format!("the bounds {low}:{high}")));
        }
        Ok((low.unsigned_abs(), Some(high.unsigned_abs())))
    }

    fn atom(&mut self, line: usize, name: &str) -> Result<Value, Unread> {
        let atom = self.signals.find(name);
        let atom = atom.ok_or_else(|| Unread::new(line, format!("{name:?} is not declared")))?;
        let tree = self.syntax.add(Written::Atom(atom)).map_err(|why| Unread::beyond(line, why))?;
        Ok(Value::Formula(tree))
    }

    fn named(&mut self, line: usize, name: &str, scope: &mut Scope) -> Result<Value, Unread> {
        if let Some((_, value)) = scope.iter().rev().find(|(bound, _)| bound == name) {
            return Ok(value.clone());
        }
        if let Some(&number) = self.parameters.get(name) {
            return Ok(Value::Number(number));
        }
        if let Some(&width) = self.buses.get(name) {
            return Ok(Value::Bus(name.to_string(), width));
        }
        if self.definitions.contains_key(name) {
            return self.call(line, name, &[], scope);
        }
        self.atom(line, name)
    }

    fn call(
        &mut self,
        line: usize,
        name: &str,
        arguments: &[Expr],
        scope: &mut Scope,
    ) -> Result<Value, Unread> {
        let Some(&definition) = self.definitions.get(name) else {
            return Err(Unread::new(line, format!("{name:?} is not defined")));
        };
        if definition.arguments.len() != arguments.len() {
            return Err(Unread::new(line, format!("{name:?} has another number of arguments")));
        }
        let mut inner = Scope::new();
        for (argument, expr) in definition.arguments.iter().zip(arguments) {
            inner.push((argument.clone(), self.value(expr, scope)?));
        }
        for (guard, value) in &definition.cases {
            if let Some(guard) = guard {
                let tree = self.formula(guard, &mut inner)?;
                match self.syntax.tree(tree) {
                    Written::Constant(true) => {}
                    Written::Constant(false) => continue,
                    _ => return Err(Unread::new(guard.line, "a guard is no comparison of numbers")),
                }
            }
            return self.value(value, &mut inner);
        }
        Err(Unread::new(line, format!("no alternative of {name:?} applies")))
    }

    fn infix(
        &mut self,
        line: usize,
        op: &str,
        left: &Expr,
        right: &Expr,
        scope: &mut Scope,
    ) -> Result<Value, Unread> {
        let logic = match op {
            "&&" => Some(Binary::And),
            "||" => Some(Binary::Or),
            "->" => Some(Binary::Implies),
            "<->" => Some(Binary::Iff),
            "U" => Some(Binary::Until),
            "W" => Some(Binary::Weak),
            "R" => Some(Binary::Release),
            _ => None,
        };
        let (left, right) = (self.value(left, scope)?, self.value(right, scope)?);
        let wrong = || Unread::new(line, format!("the operands of `{op}` do not fit"));
        match (logic, left, right) {
            (Some(op), Value::Formula(p), Value::Formula(q)) => {
                self.syntax.binary(op, p, q).map(Value::Formula).map_err(|why| Unread::beyond(line, why))
            }
            (None, Value::Number(a), Value::Number(b)) => {
                if let Some(holds) = compare(op, a, b) {
                    return self.constant(line, holds);
                }
                let result = match op {
                    "+" => a.checked_add(b),
                    "-" => a.checked_sub(b),
                    "*" => a.checked_mul(b),
                    "/" => a.checked_div_euclid(b),
                    "%" => a.checked_rem_euclid(b),
                    _ => return Err(wrong()),
                };
                result.map(Value::Number).ok_or_else(|| Unread::new(line, "no number is the result"))
            }
            (None, Value::Number(a), Value::Set(set)) if op == "IN" => self.constant(line, set.contains(&a)),
            _ => Err(wrong()),
        }
    }

    /// Joins the values of the body for all values of the binders.
    fn big(
        &mut self,
        op: Binary,
        binders: &[Expr],
        body: &Expr,
        scope: &mut Scope,
        tree: &mut Tree,
    ) -> Result<(), Unread> {
        let Some((first, rest)) = binders.split_first() else {
            let one = self.formula(body, scope)?;
            *tree = self.syntax.binary(op, *tree, one).map_err(|why| Unread::beyond(body.line, why))?;
            return Ok(());
        };
        let (name, values) = self.binder(first, scope)?;
        for value in values {
            scope.push((name.clone(), Value::Number(value)));
            let result = self.big(op, rest, body, scope, tree);
            scope.pop();
            result?;
        }
        Ok(())
    }

    /// `low <= i < high` or `i IN set`.
    fn binder(&mut self, expr: &Expr, scope: &mut Scope) -> Result<(String, Vec<i64>), Unread> {
        let unknown = || Unread::beyond(expr.line, "this range of a big operator is not read here");
        let ExprKind::Infix(op, left, right) = &expr.kind else { return Err(unknown()) };
        if let ("IN", ExprKind::Name(name)) = (*op, &left.kind) {
            return Ok((name.clone(), self.set(right, scope)?));
        }
        let ExprKind::Infix(before, low, name) = &left.kind else { return Err(unknown()) };
        let (ExprKind::Name(name), "<" | "<=", "<" | "<=") = (&name.kind, *before, *op) else {
            return Err(unknown());
        };
        let low = self.number(low, scope)?.saturating_add(i64::from(*before == "<"));
        let high = self.number(right, scope)?.saturating_sub(i64::from(*op == "<"));
        if high.saturating_sub(low) > MOST_NUMBERS {
            return Err(Unread::beyond(expr.line, "the range is too large"));
        }
        Ok((name.clone(), (low..=high).collect()))
    }
}

fn compare(op: &str, a: i64, b: i64) -> Option<bool> {
    Some(match op {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        _ => return None,
    })
}

fn sorted(mut numbers: Vec<i64>) -> Vec<i64> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
