//! Operators and formulas in words.

use super::sketch::{Sketch, SketchForm};
use std::ops::Range;
use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp};

/// The nesting depth from which formulas are cited and not put into words.
const DEEP: usize = 5;
/// Longer pieces of text are cut, in characters.
const LONG: usize = 60;

/// The name and the meaning of an operator with one operand.
pub(super) fn unary(op: UnaryOp) -> (&'static str, &'static str) {
    match op {
        UnaryOp::Not => ("negation", "`! a`: `a` does not hold now"),
        UnaryOp::Next => ("next", "`X a`: `a` holds in the next step"),
        UnaryOp::Finally => ("finally", "`F a`: `a` holds now or in some later step"),
        UnaryOp::Globally => ("globally", "`G a`: `a` holds now and in every later step"),
        UnaryOp::Yesterday => ("yesterday", "`Y a`: there is a step before this one, and `a` held in it"),
        UnaryOp::WeakYesterday => {
            ("weak yesterday", "`Z a`: `a` held in the step before, or this is the first step")
        }
        UnaryOp::Once => ("once", "`O a`: `a` holds now or held in some earlier step"),
        UnaryOp::Historically => ("historically", "`H a`: `a` holds now and held in every earlier step"),
        UnaryOp::Negate => ("minus", "`- n`: the number with the other sign"),
        UnaryOp::Size => ("size", "`SIZE s`: the number of elements of a set"),
        UnaryOp::Min => ("minimum", "`MIN s`: the least element of a set"),
        UnaryOp::Max => ("maximum", "`MAX s`: the greatest element of a set"),
    }
}

/// The name and the meaning of an operator between two operands.
pub(super) fn binary(op: BinaryOp) -> (&'static str, &'static str) {
    match op {
        BinaryOp::And => ("conjunction", "`a && b`: both hold"),
        BinaryOp::Or => ("disjunction", "`a || b`: at least one holds"),
        BinaryOp::Xor => ("exclusive or", "`a ^ b`: exactly one holds"),
        BinaryOp::Implies => ("implication", "`a -> b`: if `a` holds, so does `b`"),
        BinaryOp::Iff => ("equivalence", "`a <-> b`: both hold, or neither"),
        BinaryOp::Until => {
            ("until", "`a U b`: `b` holds now or later, and `a` holds in every step before that")
        }
        BinaryOp::WeakUntil => ("weak until", "`a W b`: `a` holds until `b` does, or for ever"),
        BinaryOp::Release => {
            ("release", "`a R b`: `b` holds up to and including the step in which `a` does, or for ever")
        }
        BinaryOp::StrongRelease => (
            "strong release",
            "`a M b`: `b` holds up to and including a step in which `a` does, and there is one",
        ),
        BinaryOp::AsSoonAs => {
            ("as soon as", "`a A b`: the first time that `b` holds, `a` holds, too: `(!b) W (a && b)`")
        }
        BinaryOp::Since => ("since", "`a S b`: `b` held once, and `a` has held in every step since then"),
        BinaryOp::Trigger => (
            "trigger",
            "`a T b`: `b` has held since the step in which `a` did, that step included, or always",
        ),
        BinaryOp::Add => ("sum", "`m + n`"),
        BinaryOp::Sub => ("difference", "`m - n`"),
        BinaryOp::Mul => ("product", "`m * n`"),
        BinaryOp::Div => ("quotient", "`m / n`"),
        BinaryOp::Mod => ("remainder", "`m % n`"),
        BinaryOp::Eq => ("equality", "`a = b`: the values of this step are the same"),
        BinaryOp::Ne => ("inequality", "`a != b`: the values of this step differ"),
        BinaryOp::Lt => ("less", "`a < b`"),
        BinaryOp::Le => ("less or equal", "`a <= b`"),
        BinaryOp::Gt => ("greater", "`a > b`"),
        BinaryOp::Ge => ("greater or equal", "`a >= b`"),
        BinaryOp::In => ("membership", "`x IN s`: `x` is an element of the set"),
        BinaryOp::Union => ("union", "`s (+) t`: the elements of either set"),
        BinaryOp::Intersection => ("intersection", "`s (*) t`: the elements of both sets"),
        BinaryOp::Difference => {
            ("set difference", "`s (-) t`: the elements of the first set that are not in the second")
        }
    }
}

/// The name and the meaning of an operator with a number of steps.
pub(super) fn timed(op: UnaryOp) -> (&'static str, &'static str) {
    match op {
        UnaryOp::Finally => {
            ("finally, within", "`F within 5 a`: `a` holds now or in one of the next 5 steps")
        }
        UnaryOp::Globally => {
            ("globally, for", "`G for 3 a`: `a` holds in 3 steps, of which this one is the first")
        }
        UnaryOp::Once => {
            ("once, within", "`O within 5 a`: `a` holds now or held in one of the 5 steps before")
        }
        _ => ("historically, for", "`H for 3 a`: `a` held in 3 steps, of which this one is the last"),
    }
}

/// The name and the meaning of `every`.
pub(super) const EVERY: (&str, &str) = (
    "every",
    "`a every 10`: from now on, `a` holds at those steps of the play that are multiples of 10, 0 included",
);

/// The name and the meaning of an operator over a set.
pub(super) fn big(op: BigOp) -> (&'static str, &'static str) {
    match op {
        BigOp::And => ("conjunction over a set", "`&&[i IN s] f`: `f` holds for every element"),
        BigOp::Or => ("disjunction over a set", "`||[i IN s] f`: `f` holds for some element"),
        BigOp::Sum => ("sum over a set", "`+[i IN s] n`"),
        BigOp::Product => ("product over a set", "`*[i IN s] n`"),
        BigOp::Union => ("union over a set", "`(+)[i IN s] t`"),
        BigOp::Intersection => ("intersection over a set", "`(*)[i IN s] t`"),
    }
}

impl Sketch {
    /// A formula in words, without a period.
    pub(super) fn in_words(&self, node: usize) -> String {
        self.reported(node, 0)
    }

    /// A piece of the text for use between backticks.
    pub(super) fn cited(&self, range: Range<usize>, most: usize) -> String {
        self.snippet(range, most).replace('`', "'")
    }

    fn reported(&self, node: usize, depth: usize) -> String {
        let here = &self.nodes[node];
        let cited = || format!("`{}`", self.cited(here.range.clone(), LONG));
        if depth >= DEEP {
            return cited();
        }
        let child = |i: usize| here.children.get(i).map_or_else(cited, |&c| self.reported(c, depth + 1));
        let last = here.children.len().saturating_sub(1);
        match &here.form {
            SketchForm::Group => child(0),
            SketchForm::Update(cell) => {
                let value = here.children.first().map(|&c| self.cited(self.nodes[c].range.clone(), LONG));
                match value {
                    Some(value) if value == *cell => format!("`{cell}` keeps its value"),
                    Some(value) => format!("`{cell}` becomes `{value}`"),
                    None => cited(),
                }
            }
            SketchForm::Unary(op) => match op {
                UnaryOp::Not => format!("not {}", nested(child(0))),
                UnaryOp::Next => format!("in the next step, {}", child(0)),
                UnaryOp::Finally => format!("now or later, {}", child(0)),
                UnaryOp::Globally => format!("in every step from now on, {}", child(0)),
                UnaryOp::Yesterday => format!("in the step before, which there is, {}", child(0)),
                UnaryOp::WeakYesterday => format!("in the step before, if there is one, {}", child(0)),
                UnaryOp::Once => format!("now or earlier, {}", child(0)),
                UnaryOp::Historically => format!("in every step up to now, {}", child(0)),
                _ => cited(),
            },
            SketchForm::Bounded(op) => self.bounded(node, *op, &child(last)),
            SketchForm::Timed(op) => {
                let count = here
                    .children
                    .first()
                    .map_or_else(String::new, |&count| self.cited(self.nodes[count].range.clone(), LONG));
                match op {
                    UnaryOp::Finally => format!("now or at most {count} steps later, {}", child(1)),
                    UnaryOp::Once => format!("now or at most {count} steps ago, {}", child(1)),
                    UnaryOp::Globally => format!("in each of {count} steps from now on, {}", child(1)),
                    _ => format!("in each of the last {count} steps, {}", child(1)),
                }
            }
            SketchForm::Every => {
                let period = here
                    .children
                    .get(1)
                    .map_or_else(String::new, |&period| self.cited(self.nodes[period].range.clone(), LONG));
                format!("at the steps 0, {period}, 2 * {period}, .. from now on, {}", child(0))
            }
            SketchForm::Binary(op) => {
                let (a, b) = (child(0), child(1));
                match op {
                    BinaryOp::And => self.chain(node, *op, depth).join(" and "),
                    BinaryOp::Or => self.chain(node, *op, depth).join(" or "),
                    BinaryOp::Xor => format!("either {} or {}, but not both", nested(a), nested(b)),
                    BinaryOp::Implies => format!("if {a}, then {b}"),
                    BinaryOp::Iff => format!("{} exactly if {}", nested(a), nested(b)),
                    BinaryOp::Until => {
                        format!("{} until {}, which does happen", nested(a), nested(b))
                    }
                    BinaryOp::WeakUntil => {
                        format!("{} until {}, or for ever", nested(a), nested(b))
                    }
                    BinaryOp::Release => {
                        format!(
                            "{} up to and including the step in which {}, or for ever",
                            nested(b),
                            nested(a)
                        )
                    }
                    BinaryOp::StrongRelease => {
                        format!("{} up to and including a step in which {}", nested(b), nested(a))
                    }
                    BinaryOp::AsSoonAs => format!("the first time that {b}, also {a}"),
                    BinaryOp::Since => format!("{} ever since {}", nested(a), nested(b)),
                    BinaryOp::Trigger => {
                        format!("{} ever since {}, or always", nested(b), nested(a))
                    }
                    _ => cited(),
                }
            }
            SketchForm::Big(BigOp::And) => format!("for each choice, {}", child(last)),
            SketchForm::Big(BigOp::Or) => format!("for some choice, {}", child(last)),
            SketchForm::Big(_) | SketchForm::Leaf | SketchForm::Apply | SketchForm::Other => cited(),
        }
    }

    fn bounded(&self, node: usize, op: UnaryOp, body: &str) -> String {
        let here = &self.nodes[node];
        let end = here.children.last().map_or(here.range.end, |&body| self.nodes[body].range.start);
        let head = self.cited(here.range.start..end, LONG);
        let bounds = head.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(b, _)| b);
        let (low, high) = bounds.split_once([':', ',']).unwrap_or((bounds, bounds));
        let (low, high) = (low.trim(), high.trim());
        match op {
            UnaryOp::Next if low == "!" => format!("there is a next step, and in it {body}"),
            UnaryOp::Next => format!("{low} steps later, {body}"),
            UnaryOp::Yesterday | UnaryOp::WeakYesterday => format!("{low} steps ago, {body}"),
            UnaryOp::Finally => format!("within {low} to {high} steps, {body}"),
            UnaryOp::Globally => format!("in each of the steps {low} to {high} from now, {body}"),
            UnaryOp::Once => format!("in one of the steps {low} to {high} ago, {body}"),
            UnaryOp::Historically => format!("in each of the steps {low} to {high} ago, {body}"),
            _ => format!("`{head}` {body}"),
        }
    }

    /// The operands of a chain of one operator, in words.
    fn chain(&self, node: usize, op: BinaryOp, depth: usize) -> Vec<String> {
        let (mut parts, mut todo) = (Vec::new(), vec![node]);
        while let Some(node) = todo.pop() {
            let here = &self.nodes[node];
            if here.form == SketchForm::Binary(op) {
                todo.extend(here.children.iter().rev());
            } else {
                parts.push(nested(self.reported(node, depth + 1)));
            }
        }
        parts
    }
}

/// A part of a sentence, in parentheses unless it is simple.
fn nested(reported: String) -> String {
    let simple = reported.starts_with('`') && reported[1..].find('`') == Some(reported.len() - 2);
    let plain = simple || reported.contains("` becomes `") && reported.matches('`').count() == 4;
    if plain || reported.starts_with("not `") && reported.matches('`').count() == 2 {
        reported
    } else {
        format!("({reported})")
    }
}
