//! Formulas as text in the language of the specification, so that a repair can be pasted into it.

use crate::explain::values::condition;
use crate::logic::{AtomId, FormulaId, Formulas, Node, Player};
use crate::spec::{Language, Problem};

/// Where an operand stands: how tightly its surroundings bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Arrow,
    Or,
    And,
    Until,
    Prefix,
}

enum Task {
    Text(String),
    Formula(FormulaId, Level),
}

/// An atom as the language writes it.
pub(super) fn atom_text(problem: &Problem, atom: AtomId) -> String {
    let name = &problem.alphabet.atoms()[atom].name;
    if problem.language == Language::Tlsf {
        return problem.signature.spellings.get(&atom).unwrap_or(name).clone();
    }
    match problem.language {
        Language::Tsl if name.starts_with('[') => name.clone(),
        Language::Tsl if name.contains(" = ") || name.contains(" > ") => format!("({name})"),
        Language::Tsl => name.clone(),
        Language::Ltl | Language::Tlsf => {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.chars().all(word)
                && !name.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase())
            {
                name.clone()
            } else {
                format!("\"{name}\"")
            }
        }
    }
}

/// The formula as the language writes it. Iterative; linear in the result.
pub(super) fn formula_text(problem: &Problem, formulas: &Formulas, f: FormulaId) -> String {
    let not = "!";
    let mut out = String::new();
    let mut stack = vec![Task::Formula(f, Level::Arrow)];
    while let Some(task) = stack.pop() {
        let (f, outer) = match task {
            Task::Text(text) => {
                out.push_str(&text);
                continue;
            }
            Task::Formula(f, outer) => (f, outer),
        };
        if problem.language == Language::Tsl
            && let Some(condition) = condition(problem, formulas, f)
        {
            let bare = outer < Level::Prefix;
            if bare {
                out.push_str(&condition);
            } else {
                out.extend(["(", condition.as_str(), ")"]);
            }
            continue;
        }
        let binary = |a: FormulaId, symbol: &str, b: FormulaId, level: Level| {
            let inner = if level == Level::Arrow { Level::Or } else { Level::Prefix };
            (level, vec![Task::Formula(a, inner), Task::Text(format!(" {symbol} ")), Task::Formula(b, inner)])
        };
        let nary = |fs: &[FormulaId], symbol: &str, level: Level| {
            let mut tasks = Vec::new();
            for (i, &g) in fs.iter().enumerate() {
                if i > 0 {
                    tasks.push(Task::Text(format!(" {symbol} ")));
                }
                tasks.push(Task::Formula(g, if level == Level::Or { Level::And } else { Level::Until }));
            }
            tasks
        };
        let prefix = |symbol: &str, g: FormulaId| {
            (Level::Prefix, vec![Task::Text(symbol.into()), Task::Formula(g, Level::Prefix)])
        };
        let (level, mut tasks) = match formulas.node(f) {
            Node::True => (Level::Prefix, vec![Task::Text("true".into())]),
            Node::False => (Level::Prefix, vec![Task::Text("false".into())]),
            Node::Atom(atom) => (Level::Prefix, vec![Task::Text(atom_text(problem, *atom))]),
            Node::Not(g) => prefix(not, *g),
            Node::Next(g) => prefix("X ", *g),
            Node::Finally(g) => prefix("F ", *g),
            Node::Globally(g) => prefix("G ", *g),
            Node::And(fs) => (Level::And, nary(fs, "&&", Level::And)),
            Node::Or(fs) => {
                let (premises, conclusions) = premises(problem, formulas, fs);
                if premises.is_empty() {
                    (Level::Or, nary(fs, "||", Level::Or))
                } else {
                    let side =
                        |tasks: &mut Vec<Task>, literals: &[(FormulaId, bool)], symbol, level, inner| {
                            let inner = if literals.len() == 1 { level } else { inner };
                            for (i, &(g, negated)) in literals.iter().enumerate() {
                                if i > 0 {
                                    tasks.push(Task::Text(format!(" {symbol} ")));
                                }
                                if negated {
                                    tasks.push(Task::Text(not.into()));
                                }
                                tasks.push(Task::Formula(g, if negated { Level::Prefix } else { inner }));
                            }
                        };
                    let mut tasks = Vec::new();
                    side(&mut tasks, &premises, "&&", Level::Or, Level::Until);
                    tasks.push(Task::Text(" -> ".into()));
                    side(&mut tasks, &conclusions, "||", Level::Or, Level::And);
                    (Level::Arrow, tasks)
                }
            }
            Node::Iff(a, b) => binary(*a, "<->", *b, Level::Arrow),
            Node::Until(a, b) => binary(*a, "U", *b, Level::Until),
            Node::Release(a, b) => binary(*a, "R", *b, Level::Until),
            Node::WeakUntil(a, b) => binary(*a, "W", *b, Level::Until),
            Node::StrongRelease(a, b) => binary(*a, "M", *b, Level::Until),
        };
        if level < outer {
            tasks.insert(0, Task::Text("(".into()));
            tasks.push(Task::Text(")".into()));
        }
        stack.extend(tasks.into_iter().rev());
    }
    out
}

/// A disjunction as an implication: what is negated, and what the environment decides now while the rest is
/// about later or about the system, are premises. Formulas with whether they are shown negated.
#[expect(clippy::type_complexity, reason = "two lists of one kind")]
fn premises(
    problem: &Problem,
    formulas: &Formulas,
    fs: &[FormulaId],
) -> (Vec<(FormulaId, bool)>, Vec<(FormulaId, bool)>) {
    let is_input = |f: FormulaId| match formulas.node(f) {
        Node::Atom(atom) => problem.alphabet.player(*atom) == Player::Environment,
        _ => false,
    };
    let negated = |f: FormulaId| match *formulas.node(f) {
        Node::Not(g) => Some(g),
        _ => None,
    };
    // Whether something is left to conclude.
    let says_more = fs.iter().any(|&f| negated(f).is_none() && !is_input(f));
    let (mut premises, mut conclusions) = (Vec::new(), Vec::new());
    for &f in fs {
        match negated(f) {
            Some(g) => match formulas.node(g) {
                // Parts of a premise are premises, but for what is said more briefly as one.
                Node::And(parts) if condition(problem, formulas, g).is_none() => {
                    premises.extend(parts.iter().map(|&part| (part, false)));
                }
                _ => premises.push((g, false)),
            },
            None if says_more && is_input(f) => premises.push((f, true)),
            None => conclusions.push((f, false)),
        }
    }
    if conclusions.is_empty() { (Vec::new(), premises) } else { (premises, conclusions) }
}
