//! The text of a certificate.

use crate::{Proved, Subject};
use std::collections::HashMap;
use std::fmt::Write;
use tsl_check::certificate::FIRST_LINE;
use tsl_check::check::describe;
use tsl_check::contract::Signals;
use tsl_check::formula::{Arena, Formula, Node};

/// A name in double quotes.
fn quoted(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", clean.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Writes a certificate.
pub(crate) fn write(subject: &Subject, arena: &Arena, proved: &[Proved]) -> String {
    let Subject { signals, contract, .. } = subject;
    let mut out = format!("{FIRST_LINE}\n");
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line(format!("spec {}", quoted(&subject.name)));
    line(format!("verdict {}", if subject.is_realizable { "realizable" } else { "unrealizable" }));
    line(format!("machine {}", subject.kind.word()));
    let in_cells = |atom| signals.cells.iter().any(|cell| cell.contains(&atom));
    for atom in signals.atoms().filter(|&atom| !in_cells(atom)) {
        let word = if signals.is_input(atom) { "input" } else { "output" };
        line(format!("{word} {}", quoted(signals.name(atom))));
    }
    for cell in &signals.cells {
        let names: Vec<String> = cell.iter().map(|&atom| quoted(signals.name(atom))).collect();
        line(format!("cell {}", names.join(" ")));
    }
    for &(role, formula) in &contract.clauses {
        line(format!("{} {}", role.word(), formula_text(arena, formula, signals)));
    }
    line(subject.hoa.trim_end().to_string());
    let roots: Vec<Formula> =
        proved.iter().flat_map(|claim| claim.rows.iter().flat_map(|row| row.1.iter().copied())).collect();
    let mut number: HashMap<Formula, usize> = HashMap::new();
    for f in arena.closure(&roots) {
        line(format!("node {} {}", number.len(), node_text(arena, f, signals, &number)));
        number.insert(f, number.len());
    }
    for claim in proved {
        line(format!("claim {}", describe(claim.goal)));
        if !claim.given.is_empty() {
            let given: Vec<String> =
                claim.given.iter().map(|(role, i)| format!("{} {}", role.word(), i + 1)).collect();
            line(format!("given {}", given.join(" ")));
        }
        for (state, formulas, rank) in &claim.rows {
            let mut row = format!("row {state} {rank}");
            for f in formulas {
                write!(row, " {}", number[f]).expect("strings take everything");
            }
            line(row);
        }
    }
    out
}

fn node_text(arena: &Arena, f: Formula, signals: &Signals, number: &HashMap<Formula, usize>) -> String {
    let numbers = |fs: &[Formula]| fs.iter().map(|g| format!(" {}", number[g])).collect::<Vec<_>>().concat();
    match arena.node(f) {
        Node::True => "true".into(),
        Node::False => "false".into(),
        Node::Literal(atom, value) => {
            format!("{} {}", if *value { "yes" } else { "no" }, quoted(signals.name(*atom)))
        }
        Node::And(fs) => format!("and{}", numbers(fs)),
        Node::Or(fs) => format!("or{}", numbers(fs)),
        Node::Next(g) => format!("next{}", numbers(&[*g])),
        Node::Until(p, q) => format!("until{}", numbers(&[*p, *q])),
        Node::Weak(p, q) => format!("weak{}", numbers(&[*p, *q])),
        Node::Release(p, q) => format!("release{}", numbers(&[*p, *q])),
        Node::Strong(p, q) => format!("strong{}", numbers(&[*p, *q])),
    }
}

/// A formula in Spot's syntax. Every operator with two operands is in brackets.
pub(crate) fn formula_text(arena: &Arena, root: Formula, signals: &Signals) -> String {
    enum Part {
        Formula(Formula),
        Text(&'static str),
    }
    let (mut out, mut todo) = (String::new(), vec![Part::Formula(root)]);
    while let Some(part) = todo.pop() {
        let f = match part {
            Part::Text(text) => {
                out.push_str(text);
                continue;
            }
            Part::Formula(f) => f,
        };
        let mut join = |fs: &[Formula], symbol: &'static str| {
            todo.push(Part::Text(")"));
            for (i, &g) in fs.iter().enumerate().rev() {
                todo.push(Part::Formula(g));
                todo.push(Part::Text(if i == 0 { "(" } else { symbol }));
            }
        };
        match arena.node(f) {
            Node::True => out.push('1'),
            Node::False => out.push('0'),
            Node::Literal(atom, value) => {
                out.push_str(if *value { "" } else { "!" });
                out.push_str(&quoted(signals.name(*atom)));
            }
            Node::And(fs) => join(fs, " & "),
            Node::Or(fs) => join(fs, " | "),
            Node::Next(g) => todo.extend([Part::Formula(*g), Part::Text("X ")]),
            Node::Until(p, q) if *arena.node(*p) == Node::True => {
                todo.extend([Part::Formula(*q), Part::Text("F ")]);
            }
            Node::Release(p, q) if *arena.node(*p) == Node::False => {
                todo.extend([Part::Formula(*q), Part::Text("G ")]);
            }
            Node::Until(p, q) => join(&[*p, *q], " U "),
            Node::Weak(p, q) => join(&[*p, *q], " W "),
            Node::Release(p, q) => join(&[*p, *q], " R "),
            Node::Strong(p, q) => join(&[*p, *q], " M "),
        }
    }
    out
}
