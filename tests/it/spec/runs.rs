//! Random runs in which predicates, functions and arithmetic have a fixed interpretation: every fact must hold on them.

use super::support::{Folder, problem};
use crate::gallery;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::mealy::Registers;
use tsl_synth_lang::spec;
use tsl_synth_lang::spec::{
    AtomMeaning, Clause, LiteralValue, LoadOptions, MainFile, Operator, Overflow, Problem, Sort, SymbolId,
    SymbolKind, Term, TermId,
};
use tsl_synth_testkit::Rng;

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Bool(bool),
    Number(f64),
    Variant(String),
    Token(u64),
}

fn hash(parts: &[Value], salt: u64, seed: u64) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    (format!("{parts:?}"), salt, seed).hash(&mut hasher);
    hasher.finish()
}

/// A value of a sort picked by a number.
fn pick(sort: &Sort, n: u64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(n & 1 == 1),
        Sort::Number | Sort::Int | Sort::Real => Value::Number((n % 9) as f64 - 2.0),
        Sort::Range(low, high) => {
            Value::Number(*low as f64 + (n % high.abs_diff(*low).saturating_add(1)) as f64)
        }
        Sort::Enum(names) => Value::Variant(names[(n % names.len() as u64) as usize].clone()),
        Sort::Named(_) | Sort::Inferred(_) => Value::Token(n % 4),
    }
}

/// An interpretation and the current values of all signals.
struct World<'a> {
    problem: &'a Problem,
    seed: u64,
    noise: Rng,
    signals: BTreeMap<SymbolId, Value>,
    noisy: BTreeMap<TermId, Value>,
}

impl World<'_> {
    fn evaluate(&mut self, term: TermId) -> Value {
        let signature = &self.problem.signature;
        match signature.terms.get(term).clone() {
            Term::Signal(symbol) => self.signals[&symbol].clone(),
            Term::Literal(LiteralValue::Bool(b)) => Value::Bool(b),
            Term::Literal(LiteralValue::Int(i)) => Value::Number(i as f64),
            Term::Literal(LiteralValue::Real(r)) => Value::Number(r.parse().expect("a number")),
            Term::Literal(LiteralValue::Variant(name)) => Value::Variant(name),
            Term::Apply(symbol, arguments) => {
                let info = &signature.symbols[symbol];
                if info.noisy {
                    let next = self.noise.draw();
                    return self.noisy.entry(term).or_insert_with(|| pick(&info.sort, next)).clone();
                }
                let values: Vec<Value> = arguments.iter().map(|&a| self.evaluate(a)).collect();
                pick(&info.sort, hash(&values, symbol.index() as u64, self.seed))
            }
            Term::Operation(operator, a, b) => {
                let (a, b) = (self.evaluate(a), self.evaluate(b));
                match (operator, &a, &b) {
                    (Operator::Equal, ..) => Value::Bool(a == b),
                    (_, Value::Number(a), Value::Number(b)) => match operator {
                        Operator::Add => Value::Number(a + b),
                        Operator::Sub => Value::Number(a - b),
                        Operator::Mul => Value::Number(a * b),
                        Operator::Greater => Value::Bool(a > b),
                        _ if *b == 0.0 => Value::Number(0.0),
                        Operator::Div => Value::Number((a / b).trunc()),
                        _ => Value::Number(a % b),
                    },
                    // Uninterpreted operators on values that are not numbers.
                    (Operator::Greater, ..) => Value::Bool(hash(&[a, b], 1, self.seed) & 1 == 1),
                    _ => pick(&Sort::Inferred(0), hash(&[a, b], operator as u64, self.seed)),
                }
            }
        }
    }
    /// The value that a cell takes; `None` if the update is not available.
    fn store(&mut self, cell: SymbolId, term: TermId) -> Option<Value> {
        let value = self.evaluate(term);
        let info = &self.problem.signature.symbols[cell];
        let (Sort::Range(low, high), Value::Number(n)) = (&info.sort, &value) else { return Some(value) };
        let (low, high) = (*low as f64, *high as f64);
        match info.overflow {
            _ if (low..=high).contains(n) => Some(value),
            Overflow::Unavailable => None,
            Overflow::Saturating => Some(Value::Number(n.clamp(low, high))),
            Overflow::Wrapping => Some(Value::Number(low + (n - low).rem_euclid(high - low + 1.0))),
        }
    }
    fn inputs(&mut self, rng: &mut Rng) {
        for (symbol, info) in self.problem.signature.symbols.enumerate() {
            if info.kind == SymbolKind::Input {
                self.signals.insert(symbol, pick(&info.sort, rng.draw()));
            }
        }
    }
    fn predicates(&mut self) -> Letter {
        let mut letter = Letter::new();
        for (atom, meaning) in self.problem.signature.atoms.enumerate() {
            if let AtomMeaning::Predicate(term) = *meaning
                && self.evaluate(term) == Value::Bool(true)
            {
                self.problem.alphabet.choose(atom, &mut letter);
            }
        }
        letter
    }
}

/// A random consistent run, after which all cells keep their values forever, as a lasso word.
pub(crate) fn run(problem: &Problem, rng: &mut Rng, steps: usize) -> Lasso {
    let signature = &problem.signature;
    let seed = rng.draw();
    let mut world =
        World { problem, seed, noise: Rng(seed), signals: BTreeMap::new(), noisy: BTreeMap::new() };
    for (symbol, info) in signature.symbols.enumerate() {
        if matches!(info.kind, SymbolKind::Cell | SymbolKind::Output) {
            let value = match info.initial {
                Some(term) => world.evaluate(term),
                None => pick(&info.sort, rng.draw()),
            };
            world.signals.insert(symbol, value);
        }
    }
    let mut prefix = Vec::new();
    for _ in 0..steps {
        world.inputs(rng);
        world.noisy.clear();
        let mut letter = world.predicates();
        let mut next = world.signals.clone();
        for (cell, &symbol) in signature.cells.enumerate() {
            let options = &problem.alphabet.cells()[cell].options;
            let term = |atom: AtomId| match signature.atoms[atom] {
                AtomMeaning::Update(_, term) => term,
                _ => unreachable!("options are updates"),
            };
            let mut atom = options[rng.below(options.len())];
            let mut value = world.store(symbol, term(atom));
            if value.is_none() {
                atom = options[0];
                value = world.store(symbol, term(atom));
            }
            problem.alphabet.choose(atom, &mut letter);
            next.insert(symbol, value.expect("keeping is available"));
        }
        world.signals = next;
        prefix.push(letter);
    }
    world.inputs(rng);
    world.noisy.clear();
    let mut rest = world.predicates();
    for cell in problem.alphabet.cells() {
        problem.alphabet.choose(cell.options[0], &mut rest);
    }
    with_registers(problem, prefix, &rest)
}

/// The lasso of a word whose last letter repeats, with the values of the registers: until they repeat.
fn with_registers(problem: &Problem, prefix: Vec<Letter>, rest: &Letter) -> Lasso {
    let registers = Registers::of(problem);
    if registers.all.is_empty() {
        return Lasso { prefix, cycle: vec![rest.clone()] };
    }
    let start = prefix.len();
    let mut word = prefix;
    loop {
        word.extend(std::iter::repeat_n(rest.clone(), 16));
        let mut letters = registers.recorded(&word);
        let end = letters.len() - 1;
        if let Some(back) = (start..end).find(|&i| letters[i] == letters[end]) {
            letters.truncate(end);
            let cycle = letters.split_off(back);
            return Lasso { prefix: letters, cycle };
        }
    }
}

/// Checks that clauses hold on random consistent runs.
pub(crate) fn check(problem: &Problem, clauses: &[Clause], rng: &mut Rng, runs: usize) {
    for _ in 0..runs {
        let steps = rng.below(7);
        let word = run(problem, rng, steps);
        let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &word);
        for clause in clauses {
            assert!(
                meaning.holds(clause.formula),
                "{}: no fact of {word:?}: {}",
                problem.name,
                problem.formulas.display(clause.formula, &problem.alphabet)
            );
        }
    }
}

const SPECS: [&str; 8] = [
    "cell c: 0..3 = 0; always guarantee { go -> [c <- c + 1]; c = 3 -> [c <- 0]; c > 1 -> p c; [c <- c - 1] -> q; }",
    "saturating cell c: 0..3; wrapping cell d: -1..1 = 1; input i: 0..2;\n\
     always guarantee { [c <- c + i] || [d <- d + c]; c > d -> go; c + d = 2 -> X go; d != i; }",
    "cell s: enum {idle, busy, done} = idle; cell t: enum {idle, busy, done};\n\
     always guarantee { s = idle -> [s <- busy]; s = t -> [t <- s]; t = done -> go; }",
    "cell b: Bool = false; always guarantee { b -> [b <- p x]; [b <- true] || [b <- c]; c -> [c <- q b]; [c <- x > 3]; }",
    "always guarantee { x = 3 -> a; x > 5 -> a; x < 5 -> b; x = 5.0; x > 2.5; x >= 7 -> [y <- x]; y < 3; y = 3; y > 3; }",
    "noisy predicate near: A -> Bool;\n\
     always guarantee { near x -> [x <- f x]; far x -> [x <- g i]; r x c() -> go; near i; k c() -> stop; }",
    "function f: A -> enum {l, m, h}; always guarantee { f x = l -> a; f x = h -> b; f x = m -> [x <- y]; (p x = q y); }",
    "always guarantee { p x -> [x <- y]; p y -> [y <- x]; q x y -> [x <- f x y]; q y x; q (f x y) y; [x <- 3]; x > 2; y = 3; }",
];

#[test]
fn facts_hold_of_consistent_runs() {
    let mut rng = Rng(7);
    for text in SPECS {
        let problem = problem(text);
        let facts: Vec<Clause> = problem.clauses.iter().filter(|c| c.role == Role::Fact).cloned().collect();
        check(&problem, &facts, &mut rng, 400);
        // Runs take available updates only, so that restrictions hold as well.
        let kept: Vec<Clause> =
            problem.clauses.iter().filter(|c| c.role == Role::Restriction).cloned().collect();
        check(&problem, &kept, &mut rng, 400);
    }
}

#[test]
fn frame_constraints_hold_of_consistent_runs() {
    let mut rng = Rng(8);
    let mut found = 0;
    for text in SPECS {
        let mut problem = problem(text);
        let clauses = spec::frame_constraints(&mut problem);
        found += clauses.len();
        check(&problem, &clauses, &mut rng, 400);
    }
    assert!(found >= 10, "{found} constraints");
}

#[test]
fn facts_and_frames_of_specifications_hold() {
    let mut rng = Rng(9);
    let mut files = gallery::gallery();
    files.retain(|path| path.extension().is_some_and(|e| e == "tsl"));
    files.extend(super::corpus::public_files());
    let mut checked = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a specification");
        let mut map = SourceMap::new();
        let canonical = path.canonicalize().expect("a path").display().to_string();
        let source = map.add(canonical.clone(), text);
        let files = [MainFile { source, canonical }];
        let Ok((mut problem, _)) = spec::load_tsl(&files, &LoadOptions::default(), &mut map, &Folder) else {
            continue;
        };
        let mut clauses: Vec<Clause> =
            problem.clauses.iter().filter(|c| c.role == Role::Fact).cloned().collect();
        clauses.extend(spec::frame_constraints(&mut problem));
        checked += clauses.len();
        check(&problem, &clauses, &mut rng, 20);
    }
    println!("{checked} facts and frame constraints");
    assert!(checked >= 20, "{checked} facts and frame constraints");
}
