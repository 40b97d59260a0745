//! A circuit as assignments of a target language. A gate with one use and a short expression is inlined there; every
//! other gate gets a name. Expressions are in negation normal form, so that disjunctions are written with the operator
//! for them.

use super::dialect::TargetDialect;
use rustc_hash::FxHashSet;
use tsl_synth_core::model::{Circuit, Literal};
use tsl_synth_documents::view::GateView;

/// A gate with more operands than this gets a name of its own, even if it is used once.
const INLINE_OPERANDS: usize = 6;

/// The syntax of Boolean expressions.
pub(super) struct LogicSyntax<'a> {
    pub(super) and: &'a str,
    pub(super) or: &'a str,
    pub(super) negate: &'a dyn Fn(&str) -> String,
    pub(super) constant: &'a dyn Fn(bool) -> String,
}

/// The statements of a circuit.
pub(super) struct CircuitCode {
    /// The gates with names; each uses those before it.
    pub(super) gates: Vec<(String, Expression)>,
    /// The next value of each latch.
    pub(super) next: Vec<Expression>,
    /// The outputs.
    pub(super) outputs: Vec<Expression>,
}

impl CircuitCode {
    /// Keeps only the gates on which the expressions depend; also returns all names on which they depend.
    pub(super) fn keep_used<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expression>,
    ) -> FxHashSet<String> {
        let mut used = FxHashSet::default();
        expressions.into_iter().for_each(|expression| expression.add_names(&mut used));
        self.next.iter().for_each(|expression| expression.add_names(&mut used));
        // A gate comes after all gates that it uses.
        for (name, value) in self.gates.iter().rev() {
            if used.contains(name) {
                value.add_names(&mut used);
            }
        }
        self.gates.retain(|(name, _)| used.contains(name));
        used
    }
    /// The gates in the syntax of a target.
    pub(super) fn gate_views(&self, syntax: &LogicSyntax<'_>) -> Vec<GateView> {
        let view =
            |(name, value): &(String, Expression)| GateView { ident: name.clone(), code: value.code(syntax) };
        self.gates.iter().map(view).collect()
    }
    /// The next value of each bit of the state. A circuit without latches has one bit, which never changes.
    pub(super) fn next_bits(&self, syntax: &LogicSyntax<'_>) -> Vec<String> {
        if self.next.is_empty() {
            return vec![(syntax.constant)(false)];
        }
        self.next.iter().map(|next| next.code(syntax)).collect()
    }
}

/// A Boolean expression in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    Constant(bool),
    /// A name, or its negation if `false`.
    Name(String, bool),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    /// The negation.
    pub(super) fn negated(self) -> Self {
        let all = |parts: Vec<Self>| parts.into_iter().map(Self::negated).collect();
        match self {
            Self::Constant(value) => Self::Constant(!value),
            Self::Name(name, value) => Self::Name(name, !value),
            Self::All(parts) => Self::Any(all(parts)),
            Self::Any(parts) => Self::All(all(parts)),
        }
    }
    /// The conjunction. Nested conjunctions are flattened; it is false if it has an operand and the negation of it.
    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Constant(true) => {}
                Self::Constant(false) => return part,
                Self::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        let mut distinct: Vec<Self> = Vec::new();
        for part in flat {
            if distinct.contains(&part.clone().negated()) {
                return Self::Constant(false);
            }
            if !distinct.contains(&part) {
                distinct.push(part);
            }
        }
        let mut flat = distinct;
        match flat.len() {
            0 => Self::Constant(true),
            1 => flat.remove(0),
            _ => Self::All(flat),
        }
    }
    fn operands(&self) -> usize {
        match self {
            Self::Constant(_) | Self::Name(..) => 1,
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::operands).sum(),
        }
    }
    fn add_names(&self, names: &mut FxHashSet<String>) {
        match self {
            Self::Constant(_) => {}
            Self::Name(name, _) => {
                if !names.contains(name) {
                    names.insert(name.clone());
                }
            }
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.add_names(names)),
        }
    }
    /// The text in a target.
    pub(super) fn code(&self, syntax: &LogicSyntax<'_>) -> String {
        let joined = |parts: &[Self], operator: &str| {
            let inner = |part: &Self| match part {
                Self::Constant(_) | Self::Name(..) => part.code(syntax),
                Self::All(_) | Self::Any(_) => format!("({})", part.code(syntax)),
            };
            parts.iter().map(inner).collect::<Vec<_>>().join(&format!(" {operator} "))
        };
        match self {
            Self::Constant(value) => (syntax.constant)(*value),
            Self::Name(name, true) => name.clone(),
            Self::Name(name, false) => (syntax.negate)(name),
            Self::All(parts) => joined(parts, syntax.and),
            Self::Any(parts) => joined(parts, syntax.or),
        }
    }
}

/// The names of the variables of a circuit.
pub(super) struct CircuitNames {
    pub(super) inputs: Vec<String>,
    pub(super) latches: Vec<String>,
    /// What the names of gates begin with; a number follows.
    pub(super) gate: String,
}

/// The statements of a circuit with these names. `is_coded` tells which outputs are bits of a
/// code, and so part of several conditions. Linear in the size of the circuit.
pub(super) fn circuit_code(
    circuit: &Circuit,
    names: &CircuitNames,
    is_coded: &dyn Fn(usize) -> bool,
) -> CircuitCode {
    let mut uses = uses(circuit);
    for (_, output) in circuit.outputs.iter().enumerate().filter(|(i, _)| is_coded(*i)) {
        uses[output.variable()] += 1;
    }
    let first = circuit.gate(0).variable();
    let mut values: Vec<Expression> = vec![Expression::Constant(false)];
    values.extend(names.inputs.iter().chain(&names.latches).map(|name| Expression::Name(name.clone(), true)));
    let mut gates = Vec::new();
    for (i, &(a, b)) in circuit.gates.iter().enumerate() {
        let value = Expression::all([b, a].map(|operand| of(&values, operand)));
        if uses[first + i] > 1 || value.operands() > INLINE_OPERANDS {
            let name = format!("{}{}", names.gate, gates.len());
            gates.push((name.clone(), value));
            values.push(Expression::Name(name, true));
        } else {
            values.push(value);
        }
    }
    CircuitCode {
        gates,
        next: circuit.latches.iter().map(|latch| of(&values, latch.next)).collect(),
        outputs: circuit.outputs.iter().map(|&output| of(&values, output)).collect(),
    }
}

fn of(values: &[Expression], literal: Literal) -> Expression {
    let value = values[literal.variable()].clone();
    if literal.is_negated() { value.negated() } else { value }
}

/// How often each variable is used.
fn uses(circuit: &Circuit) -> Vec<usize> {
    let mut uses = vec![0; circuit.variables()];
    for &(a, b) in &circuit.gates {
        uses[a.variable()] += 1;
        uses[b.variable()] += 1;
    }
    circuit.latches.iter().for_each(|latch| uses[latch.next.variable()] += 1);
    circuit.outputs.iter().for_each(|output| uses[output.variable()] += 1);
    uses
}

/// The inputs that a circuit reads, in order.
pub(super) fn read_inputs(circuit: &Circuit) -> Vec<usize> {
    let uses = uses(circuit);
    (0..circuit.inputs).filter(|&i| uses[circuit.input(i).variable()] > 0).collect()
}

/// The syntax of a target that is code.
pub(super) fn with_syntax<R>(dialect: &dyn TargetDialect, run: impl FnOnce(&LogicSyntax<'_>) -> R) -> R {
    let [and, or] = dialect.connectives();
    let syntax = LogicSyntax {
        and,
        or,
        negate: &|operand| dialect.negate(operand),
        constant: &|value| dialect.boolean(value),
    };
    run(&syntax)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::model::CircuitBuilder;

    fn syntax_of_rust(run: impl FnOnce(&LogicSyntax<'_>)) {
        let syntax = LogicSyntax {
            and: "&&",
            or: "||",
            negate: &|operand| format!("!{operand}"),
            constant: &|value: bool| value.to_string(),
        };
        run(&syntax);
    }

    /// The value of a text with the names `i0`, `s0`, `g0` and the operators of Rust.
    fn value(text: &str, known: &dyn Fn(&str) -> bool) -> bool {
        let mut rest: Vec<char> = text.chars().filter(|c| *c != ' ').rev().collect();
        any(&mut rest, known)
    }
    fn any(rest: &mut Vec<char>, known: &dyn Fn(&str) -> bool) -> bool {
        let mut value = all(rest, known);
        while rest.last() == Some(&'|') {
            rest.truncate(rest.len() - 2);
            let other = all(rest, known);
            value |= other;
        }
        value
    }
    fn all(rest: &mut Vec<char>, known: &dyn Fn(&str) -> bool) -> bool {
        let mut value = atom(rest, known);
        while rest.last() == Some(&'&') {
            rest.truncate(rest.len() - 2);
            let other = atom(rest, known);
            value &= other;
        }
        value
    }
    fn atom(rest: &mut Vec<char>, known: &dyn Fn(&str) -> bool) -> bool {
        match rest.pop() {
            Some('!') => !atom(rest, known),
            Some('(') => {
                let value = any(rest, known);
                assert_eq!(rest.pop(), Some(')'));
                value
            }
            Some(first) => {
                let mut name = String::from(first);
                while rest.last().is_some_and(char::is_ascii_alphanumeric) {
                    name.extend(rest.pop());
                }
                match name.as_str() {
                    "true" => true,
                    "false" => false,
                    name => known(name),
                }
            }
            None => panic!("the text ends early"),
        }
    }

    #[test]
    fn the_statements_compute_what_the_circuit_computes() {
        let mut seed = 7u64;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        for round in 0..200 {
            let (inputs, latches) = (1 + round % 4, round % 3);
            let mut builder = CircuitBuilder::new(inputs);
            let mut made: Vec<Literal> = (0..inputs).map(|i| builder.input(i)).collect();
            let states: Vec<Literal> = (0..latches).map(|i| builder.add_latch(i % 2 == 0)).collect();
            made.extend(&states);
            for _ in 0..round {
                let (a, b) = (made[random(made.len())], made[random(made.len())]);
                made.push(builder.and(a.negated_if(random(2) == 0), b.negated_if(random(2) == 0)));
            }
            for &latch in &states {
                builder.set_next(latch, made[random(made.len())].negated_if(random(2) == 0));
            }
            for _ in 0..3 {
                builder.add_output(made[random(made.len())].negated_if(random(2) == 0));
            }
            let circuit = builder.finish();
            let name =
                |kind: &str, count: usize| (0..count).map(|i| format!("{kind}{i}")).collect::<Vec<_>>();
            let latches = circuit.latches.len();
            let names = CircuitNames {
                inputs: name("i", circuit.inputs),
                latches: name("s", latches),
                gate: "g".into(),
            };
            syntax_of_rust(|syntax| {
                let code = circuit_code(&circuit, &names, &|i| i % 2 == 0);
                for letter in 0..1usize << (circuit.inputs + latches) {
                    let given: Vec<bool> = (0..circuit.inputs).map(|i| letter >> i & 1 == 1).collect();
                    let state: Vec<bool> =
                        (0..latches).map(|i| letter >> (i + circuit.inputs) & 1 == 1).collect();
                    let values = circuit.evaluate(&state, &given);
                    let mut gates: Vec<bool> = Vec::new();
                    let number = |name: &str| name[1..].parse::<usize>().expect("a number");
                    for (name, gate) in &code.gates {
                        let known = |name: &str| match &name[..1] {
                            "i" => given[number(name)],
                            "s" => state[number(name)],
                            _ => gates[number(name)],
                        };
                        let result = value(&gate.code(syntax), &known);
                        assert_eq!(*name, format!("g{}", gates.len()));
                        gates.push(result);
                    }
                    let known = |name: &str| match &name[..1] {
                        "i" => given[number(name)],
                        "s" => state[number(name)],
                        _ => gates[number(name)],
                    };
                    let outputs: Vec<bool> =
                        code.outputs.iter().map(|output| value(&output.code(syntax), &known)).collect();
                    let next: Vec<bool> =
                        code.next.iter().map(|next| value(&next.code(syntax), &known)).collect();
                    assert_eq!((outputs, next), (values.outputs(&circuit), values.next(&circuit)));
                }
            });
        }
    }
}
