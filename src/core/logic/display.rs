//! Formulas as text in Spot's LTL syntax, for messages and tests.

use super::alphabet::Alphabet;
use super::class::Class;
use super::formula::{FormulaId, Formulas, Node};
use super::ids::AtomId;

enum DisplayTask {
    Text(&'static str),
    Formula(FormulaId, u8),
}

impl Formulas {
    /// The formula in LTL syntax, binary operators inside others parenthesized. Iterative; linear in the
    /// result.
    pub fn display(&self, f: FormulaId, alphabet: &Alphabet) -> String {
        self.written(f, alphabet, push_name, |_| {})
    }

    /// The same with every atom between quotes, so that other programs can read any name. An atom has the name that it
    /// has in HOA, where control characters are blanks.
    pub fn display_quoted(&self, f: FormulaId, alphabet: &Alphabet) -> String {
        self.written(f, alphabet, push_quoted, |_| {})
    }

    /// The same with the operands of `&` and `|` in the order of the steps that they are about, those about one step
    /// before those about many: `!a & X b & G c`. It does not depend on how the formula was made.
    pub fn display_by_time(&self, f: FormulaId, alphabet: &Alphabet) -> String {
        self.written(f, alphabet, push_name, |operands| operands.sort_by_cached_key(|&g| self.time(g)))
    }

    /// The number of leading `X`, whether other temporal operators follow, the first atom and the size.
    fn time(&self, f: FormulaId) -> (usize, bool, Option<AtomId>, u32) {
        let (mut steps, mut inner) = (0, f);
        while let Node::Next(g) = *self.node(inner) {
            (steps, inner) = (steps + 1, g);
        }
        let timed = !self.class(inner).is(Class::BOOLEAN);
        (steps, timed, self.support(&[f]).iter().next(), self.size(f))
    }

    fn written(
        &self,
        f: FormulaId,
        alphabet: &Alphabet,
        push: impl Fn(&mut String, &str),
        sort: impl Fn(&mut [FormulaId]),
    ) -> String {
        let mut out = String::new();
        let mut stack = vec![DisplayTask::Formula(f, 0)];
        while let Some(task) = stack.pop() {
            let (f, outer) = match task {
                DisplayTask::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                DisplayTask::Formula(f, outer) => (f, outer),
            };
            let node = self.node(f);
            let (level, symbol) = level_and_symbol(node);
            if level < outer {
                out.push('(');
                stack.push(DisplayTask::Text(")"));
            }
            match node {
                Node::Atom(a) => push(&mut out, &alphabet.atoms()[*a].name),
                Node::True | Node::False => out.push_str(symbol),
                Node::Not(g) | Node::Next(g) | Node::Finally(g) | Node::Globally(g) => {
                    out.push_str(symbol);
                    stack.push(DisplayTask::Formula(*g, 5));
                }
                _ => {
                    let mut operands = Vec::new();
                    node.for_each_operand(|g| operands.push(g));
                    if matches!(node, Node::And(_) | Node::Or(_)) {
                        sort(&mut operands);
                    }
                    for (i, &g) in operands.iter().enumerate().rev() {
                        stack.push(DisplayTask::Formula(g, level + 1));
                        if i > 0 {
                            stack.push(DisplayTask::Text(symbol));
                        }
                    }
                }
            }
        }
        out
    }
}

/// A name, between quotes if it could be read as something else.
fn push_name(out: &mut String, name: &str) {
    let strange = |c: char| c.is_control() || matches!(c, '"' | '\\' | ';' | '{' | '}' | '&' | '|');
    if name.starts_with('[') || (!name.is_empty() && !name.chars().any(strange)) {
        out.push_str(name);
    } else {
        push_between_quotes(out, name.chars());
    }
}

fn push_quoted(out: &mut String, name: &str) {
    push_between_quotes(out, name.chars().map(|c| if c.is_control() { ' ' } else { c }));
}

fn push_between_quotes(out: &mut String, name: impl Iterator<Item = char>) {
    out.push('"');
    for c in name {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

fn level_and_symbol(node: &Node) -> (u8, &'static str) {
    match node {
        Node::Iff(..) => (1, " <-> "),
        Node::Or(_) => (2, " | "),
        Node::And(_) => (3, " & "),
        Node::Until(..) => (4, " U "),
        Node::Release(..) => (4, " R "),
        Node::WeakUntil(..) => (4, " W "),
        Node::StrongRelease(..) => (4, " M "),
        Node::Not(_) => (5, "!"),
        Node::Next(_) => (5, "X "),
        Node::Finally(_) => (5, "F "),
        Node::Globally(_) => (5, "G "),
        Node::True => (6, "1"),
        Node::False => (6, "0"),
        Node::Atom(_) => (6, ""),
    }
}
