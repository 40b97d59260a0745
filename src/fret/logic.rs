//! Formulas over Boolean variables and comparisons, and their text in the syntax of `.ltl` files.

use crate::numbers::Comparison;
use std::fmt::Write;
use std::rc::Rc;

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Temporal {
    Next,
    Globally,
    Finally,
    Yesterday,
    WeakYesterday,
    Historically,
    Once,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Until,
    Release,
    Since,
    Triggered,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Logic {
    Constant(bool),
    /// A Boolean variable.
    Variable(String),
    /// A comparison of numbers of this step, and perhaps of earlier ones.
    Comparison(Comparison),
    Not(Formula),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Iff(Formula, Formula),
    Temporal(Temporal, Formula),
    Bounded(Temporal, u32, u32, Formula),
    Binary(Binary, Formula, Formula),
}

/// A shared formula.
pub(crate) type Formula = Rc<Logic>;

/// A truth value.
pub(crate) fn constant(value: bool) -> Formula {
    Rc::new(Logic::Constant(value))
}

/// The negation.
pub(crate) fn not(formula: &Formula) -> Formula {
    match &**formula {
        Logic::Constant(value) => constant(!value),
        Logic::Not(inner) => Rc::clone(inner),
        _ => Rc::new(Logic::Not(Rc::clone(formula))),
    }
}

/// All of some formulas.
pub(crate) fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
    joined(parts, true)
}

/// One of some formulas.
pub(crate) fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
    joined(parts, false)
}

fn joined(parts: impl IntoIterator<Item = Formula>, neutral: bool) -> Formula {
    let mut kept: Vec<Formula> = Vec::new();
    for part in parts {
        match &*part {
            Logic::Constant(value) if *value == neutral => {}
            Logic::Constant(_) => return part,
            Logic::And(inner) if neutral => kept.extend(inner.iter().cloned()),
            Logic::Or(inner) if !neutral => kept.extend(inner.iter().cloned()),
            _ if kept.contains(&part) => {}
            _ => kept.push(part),
        }
    }
    let count = kept.len();
    let simplified = absorbed(kept.clone(), neutral);
    if simplified != kept {
        return joined(simplified, neutral);
    }
    match count {
        0 => constant(neutral),
        1 => kept.swap_remove(0),
        _ if neutral => Rc::new(Logic::And(kept)),
        _ => Rc::new(Logic::Or(kept)),
    }
}

/// The parts of a conjunction or disjunction without what single others make superfluous: `a | (b & (a | c))` is
/// `a | (b & c)`.
fn absorbed(mut parts: Vec<Formula>, neutral: bool) -> Vec<Formula> {
    let is_compound = |part: &Formula| matches!(&**part, Logic::And(_) | Logic::Or(_) | Logic::Iff(..));
    if !parts.iter().any(is_compound) {
        return parts;
    }
    for given in parts.clone().iter().filter(|part| !is_compound(part)) {
        for part in parts.iter_mut().filter(|part| is_compound(part)) {
            *part = under(part, given, neutral);
        }
    }
    parts
}

/// A formula where another one, in the same step, has this value.
fn under(formula: &Formula, given: &Formula, value: bool) -> Formula {
    if formula == given {
        return constant(value);
    }
    if *formula == not(given) {
        return constant(!value);
    }
    let inner = |part: &Formula| under(part, given, value);
    match &**formula {
        Logic::Not(a) => not(&inner(a)),
        Logic::And(parts) => and(parts.iter().map(inner)),
        Logic::Or(parts) => or(parts.iter().map(inner)),
        Logic::Iff(a, b) => iff(inner(a), inner(b)),
        _ => Rc::clone(formula),
    }
}

/// `a -> b`
pub(crate) fn implies(a: &Formula, b: Formula) -> Formula {
    or([not(a), b])
}

/// `a <-> b`
pub(crate) fn iff(a: Formula, b: Formula) -> Formula {
    match (&*a, &*b) {
        (Logic::Constant(true), _) => b,
        (_, Logic::Constant(true)) => a,
        (Logic::Constant(false), _) => not(&b),
        (_, Logic::Constant(false)) => not(&a),
        _ => Rc::new(Logic::Iff(a, b)),
    }
}

/// A temporal operator.
pub(crate) fn temporal(op: Temporal, formula: Formula) -> Formula {
    Rc::new(Logic::Temporal(op, formula))
}

/// Whether this is the first step.
pub(crate) fn first() -> Formula {
    temporal(Temporal::WeakYesterday, constant(false))
}

/// The formula in the step this many steps ago; false if there was none.
pub(crate) fn ago(formula: Formula, steps: u32) -> Formula {
    (0..steps).fold(formula, |formula, _| temporal(Temporal::Yesterday, formula))
}

impl Logic {
    /// Calls a function for every comparison and every Boolean variable.
    pub(crate) fn visit(&self, at: &mut impl FnMut(&Logic)) {
        match self {
            Self::Constant(_) => {}
            Self::Variable(_) | Self::Comparison(_) => at(self),
            Self::Not(a) | Self::Temporal(_, a) | Self::Bounded(_, _, _, a) => a.visit(at),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.visit(at)),
            Self::Iff(a, b) | Self::Binary(_, a, b) => {
                a.visit(at);
                b.visit(at);
            }
        }
    }

    /// Whether it has an operator about the future; `None` if one stands below an operator about the past.
    pub(crate) fn has_future(&self) -> Option<bool> {
        let any =
            |parts: &[Formula]| parts.iter().try_fold(false, |any, part| Some(part.has_future()? || any));
        let (is_future, below) = match self {
            Self::Constant(_) | Self::Variable(_) | Self::Comparison(_) => return Some(false),
            Self::Not(a) => return a.has_future(),
            Self::And(parts) | Self::Or(parts) => return any(parts),
            Self::Iff(a, b) => return Some(a.has_future()? || b.has_future()?),
            Self::Temporal(op, a) | Self::Bounded(op, _, _, a) => {
                (matches!(op, Temporal::Next | Temporal::Globally | Temporal::Finally), a.has_future()?)
            }
            Self::Binary(op, a, b) => {
                (matches!(op, Binary::Until | Binary::Release), a.has_future()? || b.has_future()?)
            }
        };
        if is_future || !below { Some(is_future) } else { None }
    }

    /// The text, with the texts of comparisons.
    pub(crate) fn text(&self, comparison: &impl Fn(&Comparison) -> Formula) -> String {
        let mut out = String::new();
        self.write(&mut out, comparison, false);
        out
    }

    fn write(&self, out: &mut String, comparison: &impl Fn(&Comparison) -> Formula, inner: bool) {
        let word = |op: &Temporal| match op {
            Temporal::Next => "X",
            Temporal::Globally => "G",
            Temporal::Finally => "F",
            Temporal::Yesterday => "Y",
            Temporal::WeakYesterday => "Z",
            Temporal::Historically => "H",
            Temporal::Once => "O",
        };
        let row = |out: &mut String, parts: &[Formula], sign: &str| {
            let open = inner;
            if open {
                out.push('(');
            }
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    out.push_str(sign);
                }
                part.write(out, comparison, true);
            }
            if open {
                out.push(')');
            }
        };
        match self {
            Self::Constant(value) => out.push(if *value { '1' } else { '0' }),
            Self::Variable(name) => out.push_str(&quoted(name)),
            Self::Comparison(one) => comparison(one).write(out, comparison, inner),
            Self::Not(a) => {
                out.push('!');
                a.write(out, comparison, true);
            }
            Self::Or(parts) if implication(parts).is_some() => {
                let (given, then) = implication(parts).unwrap_or_default();
                row(out, &[and(given), or(then)], " -> ");
            }
            Self::And(parts) => row(out, parts, " & "),
            Self::Or(parts) => row(out, parts, " | "),
            Self::Iff(a, b) => row(out, &[Rc::clone(a), Rc::clone(b)], " <-> "),
            Self::Temporal(op, a) => {
                let _ = write!(out, "{} ", word(op));
                a.write(out, comparison, true);
            }
            Self::Bounded(op, from, to, a) => {
                let _ = write!(out, "{}[{from}:{to}] ", word(op));
                a.write(out, comparison, true);
            }
            Self::Binary(op, a, b) => {
                let sign = match op {
                    Binary::Until => " U ",
                    Binary::Release => " R ",
                    Binary::Since => " S ",
                    Binary::Triggered => " T ",
                };
                row(out, &[Rc::clone(a), Rc::clone(b)], sign);
            }
        }
    }
}

/// A disjunction with negated parts as an implication, as people write it.
fn implication(parts: &[Formula]) -> Option<(Vec<Formula>, Vec<Formula>)> {
    let is_negated = |part: &&Formula| matches!(&***part, Logic::Not(_));
    let given: Vec<Formula> = parts.iter().filter(is_negated).map(not).collect();
    let then: Vec<Formula> = parts.iter().filter(|part| !is_negated(part)).cloned().collect();
    (!given.is_empty() && !then.is_empty()).then_some((given, then))
}

/// A name as a proposition: words of other characters than letters, digits and `_`, and words of LTL, are quoted.
pub(crate) fn quoted(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.bytes().all(|b| b"XFGURWMVYZOHST0123456789".contains(&b))
        && !["true", "false", "not", "xor", "assume", "guarantee", "and", "or"].contains(&name);
    if plain { name.to_string() } else { format!("\"{}\"", name.replace(['"', '\\', '\n'], "_")) }
}
