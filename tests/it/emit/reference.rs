//! The reference interpreter: runs a machine step by step according to the contract of emitted controllers, and writes
//! a script of the calls to the environment, their results, and the expected observations. Emitted controllers are
//! compared with these scripts.

use super::analysis::{leaves, representative, symbols, tested};
use super::examples::Example;
use super::values::{Kind, Kinds, Value};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, AtomKind, Guard, Letter, Player};
use tsl_synth_core::model::{Circuit, Mealy, MonitorStateId, StateId};
use tsl_synth_emit::{EmitOptions, OnBroken, json_string};
use tsl_synth_lang::spec::{AtomMeaning, Sort, SymbolId, SymbolKind, Term, TermId};
use tsl_synth_testkit::Rng;

/// Runs a machine.
pub(crate) struct Reference<'a> {
    example: &'a Example,
    kinds: Kinds<'a>,
    options: &'a EmitOptions,
    traced: bool,
    tested: BTreeSet<AtomId>,
    inputs: Vec<Source>,
    methods: Vec<SymbolId>,
    state: StateId,
    /// `None` once the assumption is violated, by the environment or by an output of the machine.
    monitors: Vec<Option<MonitorStateId>>,
    cells: HashMap<SymbolId, Value>,
    restarts: Vec<(StateId, Vec<Option<MonitorStateId>>)>,
    rng: Rng,
    fresh: u32,
    /// Edges that were taken.
    pub(crate) covered: BTreeSet<(StateId, usize)>,
    /// Steps in which an assumption was broken.
    pub(crate) broken: usize,
}

#[derive(Clone, Copy)]
enum Source {
    Symbol(SymbolId),
    Atom(AtomId),
}

/// The evaluation of one step: the known values and the calls so far.
struct Evaluation {
    inputs: HashMap<SymbolId, Value>,
    propositions: HashMap<AtomId, bool>,
    known: HashMap<TermId, Value>,
    /// Method, arguments, result, whether the controller must make the call.
    calls: Vec<(SymbolId, Vec<Value>, Value, bool)>,
    must: bool,
    /// The result that the next call of this term should have.
    preferred_letter: Option<(TermId, bool)>,
}

impl<'a> Reference<'a> {
    /// The interpreter of a machine, or of a circuit that encodes it.
    pub(crate) fn new(
        example: &'a Example,
        options: &'a EmitOptions,
        circuit: Option<&Circuit>,
        traced: bool,
        seed: u64,
    ) -> Self {
        let problem = &example.problem;
        let kinds = Kinds::new(problem);
        let mut signals: BTreeSet<SymbolId> = BTreeSet::new();
        let mut methods: BTreeSet<SymbolId> = BTreeSet::new();
        for (atom, meaning) in problem.signature.atoms.enumerate() {
            let term = match *meaning {
                AtomMeaning::Predicate(term) | AtomMeaning::Update(_, term) => term,
                AtomMeaning::Proposition => continue,
            };
            let keeps = matches!(*meaning, AtomMeaning::Update(cell, _) if *problem.signature.terms.get(term) == Term::Signal(cell));
            if !keeps {
                symbols(problem, term, &mut signals, &mut methods);
            }
            let _ = atom;
        }
        // Declared inputs are given, whether or not they are read.
        let declared = problem.signature.symbols.enumerate().filter(|(_, s)| s.kind == SymbolKind::Input);
        signals.extend(declared.map(|(symbol, _)| symbol));
        let cells: Vec<SymbolId> = problem.signature.cells.iter().copied().collect();
        let mut inputs: Vec<Source> =
            signals.iter().filter(|s| !cells.contains(s)).map(|&s| Source::Symbol(s)).collect();
        let plain = |a: &AtomId| problem.signature.atoms[*a] == AtomMeaning::Proposition;
        inputs.extend(problem.alphabet.inputs().filter(plain).map(Source::Atom));
        let mut reference = Self {
            tested: tested(example, circuit),
            example,
            kinds,
            options,
            traced,
            inputs,
            methods: methods.into_iter().collect(),
            state: example.mealy.initial,
            monitors: example.monitors.iter().map(|m| Some(m.monitor.initial)).collect(),
            cells: HashMap::new(),
            restarts: super::restarts::restarts(example),
            rng: Rng(seed),
            fresh: 100,
            covered: BTreeSet::new(),
            broken: 0,
        };
        reference.restart();
        reference
    }
    /// Starts a new controller.
    fn restart(&mut self) {
        let problem = &self.example.problem;
        self.state = self.example.mealy.initial;
        self.monitors = self.example.monitors.iter().map(|m| Some(m.monitor.initial)).collect();
        for &cell in &problem.signature.cells {
            let symbol = &problem.signature.symbols[cell];
            let initial = symbol.initial.map(|t| problem.signature.terms.get(t));
            let value = match initial {
                Some(Term::Literal(literal)) => self.kinds.literal(literal, &symbol.sort),
                _ => within(&symbol.sort, self.value(self.kinds.symbol(cell))),
            };
            self.cells.insert(cell, value);
        }
    }

    /// The script of runs. `C` is a new controller with these cells, `K` saves and restores, `I` is a step, `Q` ends.
    /// It has so many steps, and then more until all edges of reachable states were taken, but at most `most`.
    /// Returns it with the number of steps.
    pub(crate) fn script(&mut self, steps: usize, most: usize) -> (String, usize) {
        let mut out = String::new();
        let keep = self.rng.flip();
        let mut length = 0;
        let edges = Self::edges(&self.example.mealy);
        let mut i = 0;
        while i < steps || i < most && self.covered.len() < edges {
            if length == 0 {
                self.restart();
                let cells: Vec<String> =
                    self.cell_values().iter().map(|v| format!(" {}", v.token())).collect();
                writeln!(out, "C{}", cells.concat()).unwrap();
                length = 5 + self.rng.below(60);
            }
            length -= 1;
            if self.rng.below(40) == 0 && self.cells_fit() {
                out.push_str("K\n");
            }
            // In one half of the script the environment tries to keep the assumptions.
            let keep = (i % steps < steps / 2) == keep;
            let line = self.step(keep);
            out.push_str(&line);
            i += 1;
        }
        out.push_str("Q\n");
        (out, i)
    }
    /// The number of edges of the reachable states of a machine; edges with equal output and next state count once.
    pub(crate) fn edges(mealy: &Mealy) -> usize {
        let mut seen = BTreeSet::from([mealy.initial]);
        let mut stack = vec![mealy.initial];
        while let Some(state) = stack.pop() {
            stack.extend(mealy.states[state].edges.iter().map(|e| e.next).filter(|&n| seen.insert(n)));
        }
        seen.iter().map(|&s| leaves(mealy, s).len()).sum()
    }

    /// Whether the values of all cells of range sorts are in range, which a random machine does not ensure.
    fn cells_fit(&self) -> bool {
        let symbols = &self.example.problem.signature.symbols;
        self.cells.iter().all(|(&cell, &value)| within(&symbols[cell].sort, value) == value)
    }
    fn cell_values(&self) -> Vec<Value> {
        self.example.problem.signature.cells.iter().map(|c| self.cells[c]).collect()
    }
    fn value(&mut self, kind: Kind) -> Value {
        match kind {
            Kind::Bool => Value::Bool(self.rng.flip()),
            Kind::Int => Value::Int(self.kinds.near[self.rng.below(self.kinds.near.len())]),
            Kind::Real => Value::Real(self.rng.below(100) as f64 / 4.0 + 8.0),
            Kind::Enum(n) => Value::Variant(self.rng.below(n)),
            Kind::Opaque => {
                self.fresh += 1;
                Value::Opaque(self.fresh)
            }
        }
    }

    /// One step: the best of several random attempts; preferably it takes a new edge and, with `keep`, keeps the
    /// assumptions.
    fn step(&mut self, keep: bool) -> String {
        let mut best: Option<(u32, Attempt)> = None;
        // Where all edges were taken, no attempt can take a new one.
        let taken = leaves(&self.example.mealy, self.state)
            .into_iter()
            .all(|edge| self.covered.contains(&(self.state, edge)));
        let enough = if taken { 2 } else { 3 };
        for _ in 0..12 {
            let attempt = self.attempt();
            let new = !self.covered.contains(&(self.state, attempt.edge));
            let kept = attempt.broken.is_none();
            let score = 2 * u32::from(kept || !keep) + u32::from(new);
            if best.as_ref().is_none_or(|(known, _)| score > *known) {
                best = Some((score, attempt));
            }
            if score >= enough {
                break;
            }
        }
        let (_, mut attempt) = best.expect("there was a try");
        self.finish(&mut attempt)
    }

    fn attempt(&mut self) -> Attempt {
        let problem = &self.example.problem;
        let mut evaluation = Evaluation {
            inputs: HashMap::new(),
            propositions: HashMap::new(),
            known: HashMap::new(),
            calls: Vec::new(),
            must: !self.options.lazy,
            preferred_letter: None,
        };
        let preferred_letter = self.preferred_letter();
        for source in self.inputs.clone() {
            match source {
                Source::Symbol(symbol) => {
                    let sort = &problem.signature.symbols[symbol].sort;
                    let value = within(sort, self.value(self.kinds.symbol(symbol)));
                    evaluation.inputs.insert(symbol, value);
                }
                Source::Atom(atom) => {
                    let value = self.rng.flip();
                    evaluation.propositions.insert(atom, value);
                }
            }
        }
        for atom in problem.alphabet.inputs() {
            let wished = problem.alphabet.holds(atom, &preferred_letter);
            match problem.signature.atoms[atom] {
                AtomMeaning::Proposition => {
                    evaluation.propositions.insert(atom, wished);
                }
                AtomMeaning::Predicate(term) => {
                    if let Term::Signal(symbol) = problem.signature.terms.get(term)
                        && let Some(value) = evaluation.inputs.get_mut(symbol)
                    {
                        *value = Value::Bool(wished);
                    }
                }
                AtomMeaning::Update(..) => {}
            }
        }
        let mut letter = Letter::new();
        let mut later = Vec::new();
        for atom in problem.alphabet.inputs() {
            let costs = self.costs(atom);
            if costs && !self.tested.contains(&atom) {
                later.push(atom);
            } else {
                if let AtomMeaning::Predicate(term) = problem.signature.atoms[atom] {
                    evaluation.preferred_letter =
                        Some((term, problem.alphabet.holds(atom, &preferred_letter)));
                }
                if self.predicate(atom, &mut evaluation) {
                    problem.alphabet.choose(atom, &mut letter);
                }
            }
        }
        let mealy = &self.example.mealy;
        let edge = (0..mealy.states[self.state].edges.len())
            .find(|&i| mealy.guards.contains(mealy.states[self.state].edges[i].guard, &letter))
            .expect("the machine is total");
        let edge = representative(mealy, self.state, edge);
        let (broken, monitors) = self.watch(self.state, &self.monitors, &letter);
        Attempt { evaluation, letter, later, edge, broken, monitors }
    }

    /// A random letter, often one of an edge of the present state that was not taken yet.
    fn preferred_letter(&mut self) -> Letter {
        let mealy = &self.example.mealy;
        let edges = &mealy.states[self.state].edges;
        let new: Vec<usize> = leaves(mealy, self.state)
            .into_iter()
            .filter(|&i| !self.covered.contains(&(self.state, i)))
            .collect();
        let mut letter = Letter::new();
        for bit in self.example.problem.alphabet.bits_of(Player::Environment) {
            if self.rng.flip() {
                letter.insert(bit);
            }
        }
        if !new.is_empty() && self.rng.flip() {
            let cubes = mealy.guards.cubes(edges[new[self.rng.below(new.len())]].guard);
            for &(bit, value) in &cubes[self.rng.below(cubes.len())] {
                if value {
                    letter.insert(bit);
                } else {
                    letter.remove(bit);
                }
            }
        }
        letter
    }

    /// The first broken assumption, and the monitors after a letter.
    fn watch(
        &self,
        state: StateId,
        monitors: &[Option<MonitorStateId>],
        letter: &Letter,
    ) -> (Option<usize>, Vec<Option<MonitorStateId>>) {
        let alphabet = &self.example.problem.alphabet;
        let edge = self.example.mealy.edge(state, letter).expect("the machine is total");
        let mut whole = letter.clone();
        whole.union_with(&edge.output);
        let mut broken = None;
        let mut after = Vec::new();
        for (i, (watched, state)) in self.example.monitors.iter().zip(monitors).enumerate() {
            let monitor = &watched.monitor;
            let next = state.map(|state| monitor.step(state, &whole));
            let dead = next.is_some_and(|next| monitor.states[next].dead);
            if dead {
                // The environment violates the assumption only if no output would have kept it.
                let mut guards = monitor.guards.clone();
                let mut alive = Guard::FALSE;
                for e in &monitor.states[state.unwrap()].edges {
                    if !monitor.states[e.next].dead {
                        alive = guards.or(alive, e.guard);
                    }
                }
                let avoidable = guards.exists(alive, &|bit| alphabet.owner(bit) == Player::System);
                if !guards.contains(avoidable, letter) {
                    broken = broken.or(Some(i));
                }
            }
            after.push(next.filter(|_| !dead));
        }
        (broken, after)
    }

    fn finish(&mut self, attempt: &mut Attempt) -> String {
        let problem = &self.example.problem;
        let mut state = self.state;
        let mut monitors = attempt.monitors.clone();
        let mut status = 0;
        self.broken += usize::from(attempt.broken.is_some());
        let edge = self.example.mealy.states[state].edges[attempt.edge].clone();
        let (mut output, mut next) = (edge.output, edge.next);
        let mut hold = false;
        if attempt.broken.is_some() {
            match self.options.on_broken {
                OnBroken::Error => status = 1,
                OnBroken::Hold => hold = true,
                OnBroken::Continue => {}
                OnBroken::Resync => {
                    for (place, reached) in self.restarts.clone() {
                        let (broken, after) = self.watch(place, &reached, &attempt.letter);
                        let edge = self.example.mealy.edge(place, &attempt.letter).expect("total");
                        if broken.is_none() && !self.sink(edge.next) {
                            (output, next, monitors) = (edge.output.clone(), edge.next, after);
                            state = place;
                            break;
                        }
                    }
                }
            }
        }
        if hold {
            output = self.keeping();
            next = self.state;
            monitors.clone_from(&self.monitors);
        }
        attempt.evaluation.must = true;
        let mut values = self.cells.clone();
        let mut fail = None;
        if status == 0 {
            for cell in problem.alphabet.cells().ids() {
                let AtomMeaning::Update(symbol, term) =
                    problem.signature.atoms[problem.alphabet.chosen(&output, cell)]
                else {
                    panic!("a cell has updates")
                };
                if *problem.signature.terms.get(term) != Term::Signal(symbol) {
                    let sort = problem.signature.symbols[symbol].sort.clone();
                    let value = self.term(term, &sort, &mut attempt.evaluation);
                    values.insert(symbol, self.kinds.stored(symbol, value));
                }
            }
            if self.rng.below(30) == 0 && !self.options.lazy && !attempt.evaluation.calls.is_empty() {
                fail = Some(self.rng.below(attempt.evaluation.calls.len()));
            }
            if self.traced && !hold && fail.is_none() {
                for atom in attempt.later.clone() {
                    if self.predicate(atom, &mut attempt.evaluation) {
                        problem.alphabet.choose(atom, &mut attempt.letter);
                    }
                }
                if self.options.lazy {
                    // The letter in a trace is complete, so every call must be made in spite of lazy evaluation.
                    attempt.evaluation.calls.iter_mut().for_each(|call| call.3 = true);
                }
            }
        }
        if let Some(fail) = fail {
            status = 2;
            attempt.evaluation.calls.truncate(fail + 1);
        }
        let mut line = self.asked(attempt, fail);
        if status == 0 {
            if attempt.broken.is_none() || state == self.state {
                self.covered.insert((self.state, attempt.edge));
            }
            self.state = next;
            self.monitors = monitors;
            self.cells = values;
        }
        let broken = attempt.broken.map_or("-1".to_owned(), |i| i.to_string());
        write!(line, " {status} {broken} {}", self.state.index()).unwrap();
        for value in self.cell_values() {
            write!(line, " {}", value.token()).unwrap();
        }
        for cell in problem.alphabet.cells().ids() {
            write!(line, " {}", self.option(cell, &output)).unwrap();
        }
        for atom in problem.alphabet.outputs() {
            write!(line, " {}", u8::from(problem.alphabet.holds(atom, &output))).unwrap();
        }
        let traced = self.traced && status == 0 && !hold;
        writeln!(line, " {}", if traced { self.letter(&attempt.letter, &output) } else { "-".into() })
            .unwrap();
        line
    }

    /// The first half of a line: inputs, and calls with their results.
    fn asked(&self, attempt: &Attempt, fail: Option<usize>) -> String {
        let mut line = String::from("I");
        for source in &self.inputs {
            let value = match source {
                Source::Symbol(symbol) => attempt.evaluation.inputs[symbol],
                Source::Atom(atom) => Value::Bool(attempt.evaluation.propositions[atom]),
            };
            write!(line, " {}", value.token()).unwrap();
        }
        write!(line, " {}", attempt.evaluation.calls.len()).unwrap();
        for (i, (method, arguments, result, must)) in attempt.evaluation.calls.iter().enumerate() {
            let method = self.methods.iter().position(|m| m == method).unwrap();
            let failing = u8::from(fail == Some(i));
            write!(line, " {method} {failing} {} {}", u8::from(*must), arguments.len()).unwrap();
            for value in arguments.iter().chain([result]) {
                write!(line, " {}", value.token()).unwrap();
            }
        }
        line
    }

    /// The number of the chosen update of a cell: 0 for the one that keeps its value, then the others in order.
    fn option(&self, cell: tsl_synth_core::logic::CellId, output: &Letter) -> usize {
        let problem = &self.example.problem;
        let chosen = problem.alphabet.chosen(output, cell);
        let symbol = problem.signature.cells[cell];
        let keeps = |&atom: &AtomId| matches!(problem.signature.atoms[atom], AtomMeaning::Update(_, t) if *problem.signature.terms.get(t) == Term::Signal(symbol));
        if keeps(&chosen) {
            return 0;
        }
        let others = problem.alphabet.cells()[cell].options.iter().filter(|atom| !keeps(atom));
        1 + others.copied().position(|atom| atom == chosen).unwrap()
    }
    fn keeping(&self) -> Letter {
        let problem = &self.example.problem;
        let mut letter = Letter::new();
        for (cell, data) in problem.alphabet.cells().enumerate() {
            let symbol = problem.signature.cells[cell];
            for &atom in &data.options {
                if let AtomMeaning::Update(_, term) = problem.signature.atoms[atom]
                    && *problem.signature.terms.get(term) == Term::Signal(symbol)
                {
                    problem.alphabet.choose(atom, &mut letter);
                }
            }
        }
        letter
    }
    fn sink(&self, state: StateId) -> bool {
        state != self.example.mealy.initial
            && self.example.mealy.states[state].edges.iter().all(|e| e.next == state)
    }
    /// The letter as trace JSON, all text in ASCII.
    fn letter(&self, letter: &Letter, output: &Letter) -> String {
        let problem = &self.example.problem;
        let mut parts = Vec::new();
        for (id, atom) in problem.alphabet.atoms().enumerate() {
            if let AtomKind::Input(_) = atom.kind {
                let mut text = match problem.signature.atoms[id] {
                    AtomMeaning::Predicate(term) => problem.signature.display(term),
                    _ => atom.name.clone(),
                };
                if problem.alphabet.cells().iter().any(|cell| cell.name == text) {
                    text = format!("({text})");
                }
                parts.push(format!("{}:{}", json_string(&text), problem.alphabet.holds(id, letter)));
            }
        }
        for cell in problem.alphabet.cells().ids() {
            let AtomMeaning::Update(symbol, term) =
                problem.signature.atoms[problem.alphabet.chosen(output, cell)]
            else {
                panic!("a cell has updates")
            };
            let name = json_string(&problem.signature.symbols[symbol].name);
            parts.push(format!("{name}:{}", json_string(&problem.signature.display(term))));
        }
        for atom in problem.alphabet.outputs() {
            let name = json_string(&problem.alphabet.atoms()[atom].name);
            parts.push(format!("{name}:{}", problem.alphabet.holds(atom, output)));
        }
        format!("{{{}}}", parts.join(","))
    }

    fn costs(&self, atom: AtomId) -> bool {
        let problem = &self.example.problem;
        let AtomMeaning::Predicate(term) = problem.signature.atoms[atom] else { return false };
        let (mut signals, mut methods) = (BTreeSet::new(), BTreeSet::new());
        symbols(problem, term, &mut signals, &mut methods);
        !methods.is_empty()
    }
    fn predicate(&mut self, atom: AtomId, evaluation: &mut Evaluation) -> bool {
        match self.example.problem.signature.atoms[atom] {
            AtomMeaning::Predicate(term) => self.term(term, &Sort::Bool, evaluation).truth(),
            _ => evaluation.propositions[&atom],
        }
    }
    fn term(&mut self, term: TermId, sort: &Sort, evaluation: &mut Evaluation) -> Value {
        let signature = &self.example.problem.signature;
        match signature.terms.get(term) {
            Term::Signal(symbol) => match self.cells.get(symbol) {
                Some(value) => *value,
                None => evaluation.inputs[symbol],
            },
            Term::Literal(literal) => self.kinds.literal(literal, sort),
            Term::Operation(operator, a, b) => {
                let sort = self.kinds.operand_sort(*a, *b);
                let x = self.term(*a, &sort, evaluation);
                let y = self.term(*b, &sort, evaluation);
                Kinds::operate(*operator, x, y)
            }
            Term::Apply(symbol, arguments) => {
                if let Some(&value) = evaluation.known.get(&term) {
                    if evaluation.must {
                        self.require(term, evaluation);
                    }
                    return value;
                }
                let sorts = signature.symbols[*symbol].arguments.clone();
                let values: Vec<Value> = arguments
                    .iter()
                    .zip(&sorts)
                    .map(|(&argument, sort)| self.term(argument, sort, evaluation))
                    .collect();
                let result = match evaluation.preferred_letter {
                    Some((wished, truth)) if wished == term => Value::Bool(truth),
                    _ => self.value(self.kinds.symbol(*symbol)),
                };
                evaluation.calls.push((*symbol, values, result, evaluation.must));
                evaluation.known.insert(term, result);
                result
            }
        }
    }
    /// Marks a call and its arguments as required, because an update needs them; lazy evaluation might not have made
    /// them before.
    fn require(&mut self, term: TermId, evaluation: &mut Evaluation) {
        let signature = &self.example.problem.signature;
        let Term::Apply(symbol, arguments) = signature.terms.get(term) else { return };
        let value = evaluation.known[&term];
        let values: Vec<Option<Value>> = arguments.iter().map(|a| evaluation.known.get(a).copied()).collect();
        for call in &mut evaluation.calls {
            let same = call.0 == *symbol
                && call.2 == value
                && call.1.iter().zip(&values).all(|(a, b)| b.is_none_or(|b| b == *a));
            call.3 |= same;
        }
        for &argument in arguments {
            self.require(argument, evaluation);
        }
    }
}

struct Attempt {
    evaluation: Evaluation,
    letter: Letter,
    later: Vec<AtomId>,
    edge: usize,
    broken: Option<usize>,
    monitors: Vec<Option<MonitorStateId>>,
}

/// The value, or the nearest one in the range of its sort.
fn within(sort: &Sort, value: Value) -> Value {
    match (sort, value) {
        (Sort::Range(low, high), Value::Int(n)) => Value::Int(n.clamp(*low, *high)),
        (Sort::Range(low, high), Value::Real(x)) => Value::Real(x.floor().clamp(*low as f64, *high as f64)),
        _ => value,
    }
}
