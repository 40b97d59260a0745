//! Writes formulas with the operators of other languages. Operands with a binary operator are put in parentheses, so
//! that the text does not depend on operator precedence; a disjunction of negated and other operands is written as an
//! implication.

use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, Node};

/// The operators of a language; binary ones include the blanks around them.
#[derive(Clone, Copy, Debug)]
pub struct Notation {
    /// ⊥ and ⊤
    pub constants: [&'static str; 2],
    /// ∧
    pub and: &'static str,
    /// ∨
    pub or: &'static str,
    /// R
    pub release: &'static str,
    /// W; without it `a W b` is `b R (a ∨ b)`.
    pub weak_until: Option<&'static str>,
    /// M; without it `a M b` is `b U (a ∧ b)`.
    pub strong_release: Option<&'static str>,
}

/// Spot's LTL.
pub const LTL: Notation = Notation {
    constants: ["0", "1"],
    and: " & ",
    or: " | ",
    release: " R ",
    weak_until: Some(" W "),
    strong_release: Some(" M "),
};
/// TSL.
pub const TSL: Notation = Notation {
    constants: ["false", "true"],
    and: " && ",
    or: " || ",
    release: " R ",
    weak_until: Some(" W "),
    strong_release: Some(" M "),
};
/// TLSF 1.2.
pub const TLSF: Notation = Notation { strong_release: None, ..TSL };
/// SMV, as NuSMV and nuXmv read it.
pub const SMV: Notation = Notation {
    constants: ["FALSE", "TRUE"],
    and: " & ",
    or: " | ",
    release: " V ",
    weak_until: None,
    strong_release: None,
};

enum Task {
    Text(&'static str),
    /// A formula, in parentheses if it is binary and the flag is set.
    Formula(FormulaId, bool),
}

/// The text of `f`, where `atom` gives the text of each atom. Iterative; linear in the length of the result.
pub fn write_formula(
    formulas: &Formulas,
    f: FormulaId,
    notation: &Notation,
    atom: &dyn Fn(AtomId) -> String,
) -> String {
    let mut out = String::new();
    let mut stack = vec![Task::Formula(f, false)];
    while let Some(task) = stack.pop() {
        let (f, nested) = match task {
            Task::Text(text) => {
                out.push_str(text);
                continue;
            }
            Task::Formula(f, nested) => (f, nested),
        };
        let mut row = Vec::new();
        let node = formulas.node(f);
        match node {
            Node::True => row.push(Task::Text(notation.constants[1])),
            Node::False => row.push(Task::Text(notation.constants[0])),
            Node::Atom(a) => out.push_str(&atom(*a)),
            Node::Not(g) => unary("!", *g, &mut row),
            Node::Next(g) => unary("X ", *g, &mut row),
            Node::Finally(g) => unary("F ", *g, &mut row),
            Node::Globally(g) => unary("G ", *g, &mut row),
            _ => {
                if nested {
                    row.push(Task::Text("("));
                }
                binary(formulas, node, notation, &mut row);
                if nested {
                    row.push(Task::Text(")"));
                }
            }
        }
        stack.extend(row.into_iter().rev());
    }
    out
}

fn unary(operator: &'static str, operand: FormulaId, row: &mut Vec<Task>) {
    row.extend([Task::Text(operator), Task::Formula(operand, true)]);
}

fn joined(operands: &[FormulaId], operator: &'static str, row: &mut Vec<Task>) {
    let group = operands.len() > 1;
    if group {
        row.push(Task::Text("("));
    }
    list(operands, operator, row);
    if group {
        row.push(Task::Text(")"));
    }
}

fn list(operands: &[FormulaId], operator: &'static str, row: &mut Vec<Task>) {
    for (i, &operand) in operands.iter().enumerate() {
        if i > 0 {
            row.push(Task::Text(operator));
        }
        row.push(Task::Formula(operand, true));
    }
}

fn binary(formulas: &Formulas, node: &Node, notation: &Notation, row: &mut Vec<Task>) {
    let pair = |a: FormulaId, operator: &'static str, b: FormulaId| {
        [Task::Formula(a, true), Task::Text(operator), Task::Formula(b, true)]
    };
    match node {
        Node::And(operands) => list(operands, notation.and, row),
        Node::Or(operands) => {
            let negated = |&g: &FormulaId| match *formulas.node(g) {
                Node::Not(h) => Some(h),
                _ => None,
            };
            let premises: Vec<FormulaId> = operands.iter().filter_map(negated).collect();
            let rest: Vec<FormulaId> = operands.iter().copied().filter(|g| negated(g).is_none()).collect();
            if premises.is_empty() || rest.is_empty() {
                list(operands, notation.or, row);
            } else {
                joined(&premises, notation.and, row);
                row.push(Task::Text(" -> "));
                joined(&rest, notation.or, row);
            }
        }
        Node::Iff(a, b) => row.extend(pair(*a, " <-> ", *b)),
        Node::Until(a, b) => row.extend(pair(*a, " U ", *b)),
        Node::Release(a, b) => row.extend(pair(*a, notation.release, *b)),
        Node::WeakUntil(a, b) => {
            if let Some(operator) = notation.weak_until {
                row.extend(pair(*a, operator, *b));
            } else {
                row.extend([Task::Formula(*b, true), Task::Text(notation.release)]);
                joined(&[*a, *b], notation.or, row);
            }
        }
        Node::StrongRelease(a, b) => {
            if let Some(operator) = notation.strong_release {
                row.extend(pair(*a, operator, *b));
            } else {
                row.extend([Task::Formula(*b, true), Task::Text(" U ")]);
                joined(&[*a, *b], notation.and, row);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::logic::Alphabet;

    #[test]
    fn operators_that_a_language_lacks_are_written_with_others() {
        let mut alphabet = Alphabet::new();
        let (a, b) = (alphabet.add_input("a"), alphabet.add_output("b"));
        let mut formulas = Formulas::new();
        let [fa, fb] = [a, b].map(|atom| formulas.atom(atom));
        let weak = formulas.weak_until(fa, fb);
        let strong = formulas.strong_release(fa, fb);
        let release = formulas.release(fa, fb);
        let implication = formulas.implies(fa, fb);
        let nested = formulas.globally(implication);
        let name = |atom: AtomId| alphabet.atoms()[atom].name.clone();
        for (f, notation, text) in [
            (weak, LTL, "a W b"),
            (weak, TLSF, "a W b"),
            (weak, SMV, "b V (a | b)"),
            (strong, TSL, "a M b"),
            (strong, TLSF, "b U (a && b)"),
            (strong, SMV, "b U (a & b)"),
            (release, SMV, "a V b"),
            (nested, TSL, "G (a -> b)"),
            (formulas.bottom(), SMV, "FALSE"),
        ] {
            assert_eq!(write_formula(&formulas, f, &notation, &name), text);
        }
    }
}
