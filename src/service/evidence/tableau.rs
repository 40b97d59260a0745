//! The product of a machine with a tableau of a conjunction of LTL formulas, as a model-checking problem with justice:
//! the answer is yes exactly if some play of the machine satisfies all formulas.
//!
//! The tableau is that of Clarke, Grumberg and Hamaguchi ("Another look at LTL model checking", Formal Methods in
//! System Design 10, 1997), with implications instead of equivalences: formulas have a polarity, a free input promises
//! that a formula holds in the next step, a latch stores the promise, and a constraint enforces it. An eventuality that
//! is promised forever must hold infinitely often. Shares no code with the certifier's tableaux.

use super::wires::{Copy, atoms_of, one_update_each};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::logic::{Alphabet, AtomId, FormulaId, Formulas, Node, Player};
use tsl_synth_core::model::{CircuitBuilder, Literal};
use tsl_synth_formats::aiger::{Aiger, CircuitProperty, ModelChecking};

/// A formula, or its negation where the flag is false.
type Signed = (FormulaId, bool);

/// The steps in which a formula must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FormulaScope {
    First,
    Always,
    Recurring,
}

/// How a formula is expanded in one step.
enum Expansion {
    Constant(bool),
    Atom(AtomId, bool),
    /// A conjunction (`true`) or disjunction of formulas.
    Many(bool, Vec<Signed>),
    /// An equivalence (`true`) or its negation.
    Same(FormulaId, FormulaId, bool),
    /// A formula holds in the next step.
    Next(Signed),
    /// goal ∨ (all of `stay` ∧ X self), where a goal is a conjunction; `strong` if the goal must be reached.
    Until {
        stay: Vec<Signed>,
        goal: Vec<Signed>,
        strong: bool,
    },
    /// All of `now` ∧ (some of `free` ∨ X self); `goal` must be reached if there is one.
    While {
        now: Vec<Signed>,
        free: Vec<Signed>,
        goal: Option<Vec<Signed>>,
    },
}

fn step(formulas: &Formulas, (f, positive): Signed) -> Expansion {
    use Expansion::{Until, While};
    let own = |g: FormulaId| (g, positive);
    match *formulas.node(f) {
        Node::True => Expansion::Constant(positive),
        Node::False => Expansion::Constant(!positive),
        Node::Atom(atom) => Expansion::Atom(atom, positive),
        Node::Not(g) => Expansion::Many(true, vec![(g, !positive)]),
        Node::And(ref fs) => Expansion::Many(positive, fs.iter().map(|&g| own(g)).collect()),
        Node::Or(ref fs) => Expansion::Many(!positive, fs.iter().map(|&g| own(g)).collect()),
        Node::Iff(a, b) => Expansion::Same(a, b, positive),
        Node::Next(g) => Expansion::Next(own(g)),
        Node::Finally(g) if positive => Until { stay: vec![], goal: vec![own(g)], strong: true },
        Node::Globally(g) if !positive => Until { stay: vec![], goal: vec![own(g)], strong: true },
        Node::Finally(g) | Node::Globally(g) => While { now: vec![own(g)], free: vec![], goal: None },
        Node::Until(a, b) if positive => Until { stay: vec![own(a)], goal: vec![own(b)], strong: true },
        Node::Release(a, b) if !positive => Until { stay: vec![own(a)], goal: vec![own(b)], strong: true },
        // ¬(a U b) = ¬a R ¬b.
        Node::Until(a, b) | Node::Release(a, b) => {
            While { now: vec![own(b)], free: vec![own(a)], goal: None }
        }
        Node::WeakUntil(a, b) if positive => Until { stay: vec![own(a)], goal: vec![own(b)], strong: false },
        // ¬(a M b) = ¬a W ¬b.
        Node::StrongRelease(a, b) if !positive => {
            Until { stay: vec![own(a)], goal: vec![own(b)], strong: false }
        }
        // a M b = b U (a ∧ b), and ¬(a W b) = ¬a M ¬b.
        Node::StrongRelease(a, b) | Node::WeakUntil(a, b) => {
            While { now: vec![own(b)], free: vec![own(a)], goal: Some(vec![own(a), own(b)]) }
        }
    }
}

/// The subformulas that are expanded, and the promises in the order of their inputs.
struct Required {
    roots: BTreeSet<(FormulaScope, Signed)>,
    formulas: BTreeSet<Signed>,
    promises: BTreeSet<Signed>,
}

impl Required {
    fn of(formulas: &Formulas, conjuncts: &[FormulaId]) -> Self {
        let mut needs = Self { roots: BTreeSet::new(), formulas: BTreeSet::new(), promises: BTreeSet::new() };
        let mut open: Vec<(FormulaScope, Signed)> =
            conjuncts.iter().map(|&f| (FormulaScope::First, (f, true))).collect();
        while let Some((when, (f, positive))) = open.pop() {
            match (when, formulas.node(f), positive) {
                (_, Node::Not(g), _) => open.push((when, (*g, !positive))),
                (FormulaScope::First | FormulaScope::Always, Node::And(fs), true)
                | (FormulaScope::First | FormulaScope::Always, Node::Or(fs), false) => {
                    open.extend(fs.iter().map(|&g| (when, (g, positive))));
                }
                (FormulaScope::First | FormulaScope::Always, Node::Globally(g), true)
                | (FormulaScope::First | FormulaScope::Always, Node::Finally(g), false) => {
                    open.push((FormulaScope::Always, (*g, positive)));
                }
                (FormulaScope::Always | FormulaScope::Recurring, Node::Finally(g), true)
                | (FormulaScope::Always | FormulaScope::Recurring, Node::Globally(g), false) => {
                    open.push((FormulaScope::Recurring, (*g, positive)));
                }
                _ => {
                    needs.roots.insert((when, (f, positive)));
                }
            }
        }
        let mut stack: Vec<Signed> = needs.roots.iter().map(|&(_, key)| key).collect();
        while let Some(key) = stack.pop() {
            if !needs.formulas.insert(key) {
                continue;
            }
            match step(formulas, key) {
                Expansion::Constant(_) | Expansion::Atom(..) => {}
                Expansion::Many(_, fs) => stack.extend(fs),
                Expansion::Same(a, b, _) => stack.extend([(a, true), (a, false), (b, true), (b, false)]),
                Expansion::Next(then) => {
                    needs.promises.insert(then);
                    stack.push(then);
                }
                Expansion::Until { stay, goal, .. } => {
                    needs.promises.insert(key);
                    stack.extend(stay.into_iter().chain(goal));
                }
                Expansion::While { now, free, goal } => {
                    needs.promises.insert(key);
                    stack.extend(now.into_iter().chain(free).chain(goal.unwrap_or_default()));
                }
            }
        }
        needs
    }
}

/// A promise: the input that makes it and the latch that stores it.
#[derive(Clone, Copy)]
struct Promise {
    made: Literal,
    due: Literal,
}

/// The question whether the machine, a strategy of `owner`, has a play that satisfies all formulas.
pub(super) fn problem(
    formulas: &Formulas,
    alphabet: &Alphabet,
    machine: &Aiger,
    owner: Player,
    conjuncts: &[FormulaId],
) -> ModelChecking {
    let needs = Required::of(formulas, conjuncts);
    let read = machine.circuit.inputs;
    let mut builder = CircuitBuilder::new(read + needs.promises.len());
    let inputs: Vec<Literal> = (0..read).map(|i| builder.input(i)).collect();
    let (copy, _) = Copy::running(&mut builder, &machine.circuit, &inputs);
    let (reads, gives) = (atoms_of(alphabet, owner.opponent()), atoms_of(alphabet, owner));
    let atoms: BTreeMap<AtomId, Literal> = (reads.iter().copied().zip(inputs.iter().copied()))
        .chain(gives.iter().copied().zip(copy.outputs(&machine.circuit)))
        .collect();
    let first = builder.add_latch(true);
    builder.set_next(first, Literal::FALSE);
    let mut promises: BTreeMap<Signed, Promise> = BTreeMap::new();
    for (i, &key) in needs.promises.iter().enumerate() {
        let promise = Promise { made: builder.input(read + i), due: builder.add_latch(false) };
        builder.set_next(promise.due, promise.made);
        promises.insert(key, promise);
    }
    let mut values: BTreeMap<Signed, Literal> = BTreeMap::new();
    let mut constraints = vec![one_update_each(&mut builder, alphabet, &reads, &inputs)];
    let mut fairness = Vec::new();
    // In the order of ids, in which operands come first.
    for &key in &needs.formulas {
        let all = |builder: &mut CircuitBuilder, keys: &[Signed]| {
            builder.and_all(keys.iter().map(|key| values[key]))
        };
        let value = match step(formulas, key) {
            Expansion::Constant(value) => Literal::constant(value),
            Expansion::Atom(atom, positive) => atoms[&atom].negated_if(!positive),
            Expansion::Many(true, fs) => all(&mut builder, &fs),
            Expansion::Many(false, fs) => builder.or_all(fs.iter().map(|key| values[key])),
            Expansion::Same(a, b, same) => {
                let both = builder.and(values[&(a, true)], values[&(b, same)]);
                let neither = builder.and(values[&(a, false)], values[&(b, !same)]);
                builder.or(both, neither)
            }
            Expansion::Next(then) => promises[&then].made,
            Expansion::Until { stay, goal, strong } => {
                let Promise { made, due } = promises[&key];
                let (stay, goal) = (all(&mut builder, &stay), all(&mut builder, &goal));
                if strong {
                    fairness.push(builder.or(!due, goal));
                }
                let on = builder.and(stay, made);
                builder.or(goal, on)
            }
            Expansion::While { now, free, goal } => {
                let Promise { made, due } = promises[&key];
                if let Some(goal) = goal {
                    let goal = all(&mut builder, &goal);
                    fairness.push(builder.or(!due, goal));
                }
                let free = builder.or_all(free.iter().map(|key| values[key]));
                let on = builder.or(free, made);
                let now = all(&mut builder, &now);
                builder.and(now, on)
            }
        };
        values.insert(key, value);
    }
    for (key, promise) in &promises {
        constraints.push(builder.or(!promise.due, values[key]));
    }
    for (when, key) in &needs.roots {
        match when {
            FormulaScope::First => constraints.push(builder.or(!first, values[key])),
            FormulaScope::Always => constraints.push(values[key]),
            FormulaScope::Recurring => fairness.push(values[key]),
        }
    }
    for list in [&mut constraints, &mut fairness] {
        let mut seen = BTreeSet::new();
        list.retain(|&literal| literal != Literal::TRUE && seen.insert(literal));
    }
    if fairness.is_empty() {
        fairness.push(Literal::TRUE);
    }
    for &literal in constraints.iter().chain(&fairness) {
        builder.add_output(literal);
    }
    let mut circuit = builder.finish();
    let outputs = std::mem::take(&mut circuit.outputs);
    let (constraints, fairness) = outputs.split_at(constraints.len());
    let names = machine.inputs.iter().map(|name| name.clone().unwrap_or_default());
    let promised = needs.promises.iter().map(|&(f, positive)| promise_name(formulas, alphabet, f, positive));
    ModelChecking {
        circuit,
        inputs: names.chain(promised).collect(),
        constraints: constraints.to_vec(),
        question: CircuitProperty::Justice(fairness.to_vec()),
        comment: String::new(),
    }
}

/// Formulas larger than this are named by a number.
const NAMED: u32 = 40;

fn promise_name(formulas: &Formulas, alphabet: &Alphabet, f: FormulaId, positive: bool) -> String {
    use tsl_synth_core::base::Id;
    let not = if positive { "" } else { "!" };
    if formulas.size(f) > NAMED {
        return format!("next: {not}formula {}", f.index());
    }
    format!("next: {not}({})", formulas.display_quoted(f, alphabet))
}
