//! Formulas as text in the language of the specification, so that a repair can be pasted into it.

use crate::values::{condition, enumerated_condition};
use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, Node, Player};
use tsl_synth_lang::spec::{AtomMeaning, Language, LiteralValue, Problem, Term};

/// The binding strength of the operator around an operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OpLevel {
    /// `U`, `W` and `R` of TLSF, which bind looser than connectives there.
    Loosest,
    Arrow,
    Or,
    And,
    Until,
    Prefix,
}

enum ToPrint {
    Text(String),
    Formula(FormulaId, OpLevel),
}

/// An atom as the language writes it.
pub(super) fn atom_text(problem: &Problem, atom: AtomId) -> String {
    let name = &problem.alphabet.atoms()[atom].name;
    if problem.language == Language::Tlsf {
        return problem.signature.spellings.get(&atom).unwrap_or(name).clone();
    }
    if let Some(text) = chosen_text(problem, atom) {
        return text;
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

/// The update of an output that is set by being named: with brackets it would be another output.
fn chosen_text(problem: &Problem, atom: AtomId) -> Option<String> {
    let signature = &problem.signature;
    let Some(&AtomMeaning::Update(symbol, term)) = signature.atoms.get(atom) else { return None };
    let Term::Literal(LiteralValue::Bool(value)) = *signature.terms.get(term) else { return None };
    let name = &signature.symbols[symbol].name;
    signature.chosen.contains(&symbol).then(|| if value { name.clone() } else { format!("!{name}") })
}

/// Whether the formula can be written: it mentions binary digits of values only in conditions that can be.
pub(super) fn is_writable(problem: &Problem, formulas: &Formulas, f: FormulaId) -> bool {
    let mut stack = vec![f];
    while let Some(f) = stack.pop() {
        if condition(problem, formulas, f).is_some() {
            continue;
        }
        if let Node::Atom(atom) = formulas.node(f)
            && problem.alphabet.digit_of(*atom).is_some()
        {
            return false;
        }
        formulas.node(f).for_each_operand(|operand| stack.push(operand));
    }
    true
}

/// A condition on the value of one signal, in the notation of the language.
fn short(problem: &Problem, formulas: &Formulas, f: FormulaId) -> Option<String> {
    match problem.language {
        Language::Tsl => condition(problem, formulas, f),
        Language::Tlsf => enumerated_condition(problem, formulas, f),
        Language::Ltl => None,
    }
}

/// The formula as the language writes it. Iterative; linear in the result.
pub(crate) fn formula_text(problem: &Problem, formulas: &Formulas, f: FormulaId) -> String {
    let not = "!";
    let mut out = String::new();
    let until = if problem.language == Language::Tlsf { OpLevel::Loosest } else { OpLevel::Until };
    let mut stack = vec![ToPrint::Formula(f, OpLevel::Loosest)];
    while let Some(task) = stack.pop() {
        let (f, outer) = match task {
            ToPrint::Text(text) => {
                out.push_str(&text);
                continue;
            }
            ToPrint::Formula(f, outer) => (f, outer),
        };
        if let Some(condition) = short(problem, formulas, f) {
            let bare = outer < OpLevel::Prefix;
            if bare {
                out.push_str(&condition);
            } else {
                out.extend(["(", condition.as_str(), ")"]);
            }
            continue;
        }
        let binary = |a: FormulaId, symbol: &str, b: FormulaId, level: OpLevel| {
            let inner = if level == OpLevel::Arrow { OpLevel::Or } else { OpLevel::Prefix };
            (
                level,
                vec![
                    ToPrint::Formula(a, inner),
                    ToPrint::Text(format!(" {symbol} ")),
                    ToPrint::Formula(b, inner),
                ],
            )
        };
        let nary = |fs: &[FormulaId], symbol: &str, level: OpLevel| {
            let mut tasks = Vec::new();
            for (i, &g) in fs.iter().enumerate() {
                if i > 0 {
                    tasks.push(ToPrint::Text(format!(" {symbol} ")));
                }
                tasks.push(ToPrint::Formula(
                    g,
                    if level == OpLevel::Or { OpLevel::And } else { OpLevel::Until },
                ));
            }
            tasks
        };
        let prefix = |symbol: &str, g: FormulaId| {
            (OpLevel::Prefix, vec![ToPrint::Text(symbol.into()), ToPrint::Formula(g, OpLevel::Prefix)])
        };
        let (level, mut tasks) = match formulas.node(f) {
            Node::True => (OpLevel::Prefix, vec![ToPrint::Text("true".into())]),
            Node::False => (OpLevel::Prefix, vec![ToPrint::Text("false".into())]),
            Node::Atom(atom) => (OpLevel::Prefix, vec![ToPrint::Text(atom_text(problem, *atom))]),
            Node::Not(g) => prefix(not, *g),
            Node::Next(g) => prefix("X ", *g),
            Node::Finally(g) => prefix("F ", *g),
            Node::Globally(g) => prefix("G ", *g),
            Node::And(fs) => (OpLevel::And, nary(fs, "&&", OpLevel::And)),
            Node::Or(fs) => {
                let (premises, conclusions) = premises(problem, formulas, fs);
                if premises.is_empty() {
                    (OpLevel::Or, nary(fs, "||", OpLevel::Or))
                } else {
                    let side =
                        |tasks: &mut Vec<ToPrint>, literals: &[(FormulaId, bool)], symbol, level, inner| {
                            let inner = if literals.len() == 1 { level } else { inner };
                            for (i, &(g, negated)) in literals.iter().enumerate() {
                                if i > 0 {
                                    tasks.push(ToPrint::Text(format!(" {symbol} ")));
                                }
                                if negated {
                                    tasks.push(ToPrint::Text(not.into()));
                                }
                                tasks
                                    .push(ToPrint::Formula(g, if negated { OpLevel::Prefix } else { inner }));
                            }
                        };
                    let mut tasks = Vec::new();
                    side(&mut tasks, &premises, "&&", OpLevel::Or, OpLevel::Until);
                    tasks.push(ToPrint::Text(" -> ".into()));
                    side(&mut tasks, &conclusions, "||", OpLevel::Or, OpLevel::And);
                    (OpLevel::Arrow, tasks)
                }
            }
            Node::Iff(a, b) => binary(*a, "<->", *b, OpLevel::Arrow),
            Node::Until(a, b) => binary(*a, "U", *b, until),
            Node::Release(a, b) => binary(*a, "R", *b, until),
            Node::WeakUntil(a, b) => binary(*a, "W", *b, until),
            Node::StrongRelease(a, b) => binary(*a, "M", *b, until),
        };
        if level < outer {
            tasks.insert(0, ToPrint::Text("(".into()));
            tasks.push(ToPrint::Text(")".into()));
        }
        stack.extend(tasks.into_iter().rev());
    }
    out
}

/// Splits a disjunction into the premises and conclusions of an implication. Negated disjuncts are premises; so are
/// inputs, shown negated, if another disjunct is left as a conclusion. Each formula comes with whether it is shown
/// negated.
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
    // Whether a conclusion is left.
    let says_more = fs.iter().any(|&f| negated(f).is_none() && !is_input(f));
    let (mut premises, mut conclusions) = (Vec::new(), Vec::new());
    for &f in fs {
        match negated(f) {
            Some(g) => match formulas.node(g) {
                // The conjuncts of a premise are premises, unless it is a short condition as a whole.
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
