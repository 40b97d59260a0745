//! Examples for the emitter: specifications with machines, synthesized or random. The random machines, with fixed
//! seeds, cover parts of the templates that synthesized ones do not reach.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use tsl_synth_automata::ltl_to_monitor;
use tsl_synth_core::base::{Budget, Id, IdVec, LimitKind, sha256};
use tsl_synth_core::logic::{Class, Guard, Guards, Letter, Normalizer, Player};
use tsl_synth_core::model::{
    Circuit, Mealy, MealyEdge, MealyState, Role, Silent, StateId, StrategyRepr, Verdict,
};
use tsl_synth_core::source::SourceMap;
use tsl_synth_emit::{AssumptionMonitor, CircuitInput, ClauseText, EmitInput, Meta, Strategy};
use tsl_synth_engine::synth::{Prefer, SolverOptions, synthesize};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, Problem, Sort, load_ltl, load_tsl};
use tsl_synth_testkit::Rng;

/// A specification with a machine and the monitors of its safety assumptions.
pub(crate) struct Example {
    pub(crate) name: String,
    pub(crate) problem: Problem,
    pub(crate) mealy: Mealy,
    pub(crate) monitors: Vec<AssumptionMonitor>,
    pub(crate) meta: Meta,
}

impl Example {
    pub(crate) fn input(&self) -> EmitInput<'_> {
        EmitInput {
            problem: &self.problem,
            strategy: Strategy::Controller(&self.mealy),
            assumptions: &self.monitors,
            meta: &self.meta,
        }
    }
    pub(crate) fn circuit_input<'a>(&'a self, circuit: &'a Circuit) -> CircuitInput<'a> {
        CircuitInput {
            problem: &self.problem,
            circuit,
            encodes: None,
            owner: Player::System,
            assumptions: &self.monitors,
            meta: &self.meta,
        }
    }
}

/// Texts that exercise one feature each; the first part is the name.
const TEXTS: [(&str, &str); 12] = [
    (
        "fig2",
        "initially assume { !inCave(summary); !inMarket(summary); }
         always assume { [storyPassage <- toCave(summary)] <-> X inCave(summary);
                         [storyPassage <- toMarket(summary)] -> F inMarket(summary); }
         guarantee { (!inCave(summary)) W inMarket(summary); }
         always guarantee { F inCave(summary); F inMarket(summary); }",
    ),
    ("buttons", "input a, b, c, d: Bool; always guarantee { (a && b || c && d) -> [x <- f(x)]; [y <- a] || [y <- y]; }"),
    (
        "counter",
        "input up: Bool; cell n: Number = 0; always guarantee { up && !(n > 5) -> [n <- n + 1]; n = 3 -> [n <- n - 2]; }",
    ),
    ("copies", "always guarantee { p(x, f(g y)) -> [x <- f(g y)] && [y <- x]; q y -> [x <- y] || [y <- h(f(g y), x)]; }"),
    ("shared", "always guarantee { p(f(x)) -> [x <- f(x)]; q(f(x)) <-> [y <- g(f(x), f(x))]; r x -> [z <- f(x)]; }"),
    (
        "light",
        "cell light: enum {red, amber, green} = red; input walk: Bool;
         always guarantee { light = red && !walk -> [light <- green]; light = green -> [light <- amber]; light = amber -> [light <- red]; }",
    ),
    (
        "ranges",
        "saturating cell s: 0..3 = 0; wrapping cell w: 0..4 = 2; input up: Bool;
         always guarantee { up -> [s <- s + 1] && [w <- w + 1]; !up -> [s <- s - 1] && [w <- w - 3]; }",
    ),
    (
        "digits",
        "input x: -5..9; cell q: -9..9 = 0; cell r: -9..9 = 0;
         always guarantee { x > 3 -> [q <- x / 2]; x < -2 -> [q <- x / 2 - x % 3] && [r <- (x - 3) % 4];
                            x = 0 -> [r <- (x - 3) / 2]; x = 9 -> [r <- q]; }",
    ),
    ("reals", "input t: Number; always guarantee { t > 20.5 <-> [heat <- off()]; [set <- t * 2 + 1] || [set <- set / 3]; }"),
    ("flags", "input go: Bool; cell on: Bool = false; always guarantee { on && go -> [on <- false]; ok y -> [on <- ok y]; [on <- true] || [on <- on] || [on <- false] || [on <- ok y]; }"),
    ("constants", "always guarantee { p(c()) -> [x <- c()]; p x -> [x <- d()]; }"),
    ("silent", "always guarantee { [note <- a] || [note <- b]; }"),
];

/// The problem of a TSL text.
pub(crate) fn problem(name: &str, text: &str) -> Problem {
    let mut map = SourceMap::new();
    let source = map.add(format!("{name}.tsl"), text);
    let files = [MainFile { source, canonical: format!("{name}.tsl") }];
    match load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports) {
        Ok((problem, _)) => problem,
        Err(failure) => {
            let all: Vec<String> = failure.diagnostics.iter().map(|d| d.message.clone()).collect();
            panic!("{name}: {all:?}")
        }
    }
}

/// A machine with random decisions. Its last state is a sink.
pub(crate) fn random_machine(problem: &Problem, states: usize, rng: &mut Rng) -> Mealy {
    let mut guards = Guards::new();
    let inputs: Vec<_> = problem.alphabet.bits_of(Player::Environment).collect();
    let mut machine = IdVec::new();
    for state in 0..states {
        let mut parts = vec![Guard::TRUE];
        let sink = state + 1 == states && states > 1;
        for _ in 0..if sink { 0 } else { rng.below(4) } {
            let mut cube: Vec<_> =
                inputs.iter().filter_map(|&bit| [None, Some((bit, rng.flip()))][rng.below(2)]).collect();
            cube.sort_unstable_by(|a, b| b.cmp(a));
            let cube = guards.cube(&cube);
            parts = parts.into_iter().flat_map(|p| [guards.and(p, cube), guards.minus(p, cube)]).collect();
            parts.retain(|&part| part != Guard::FALSE);
        }
        let edges = parts
            .into_iter()
            .map(|guard| {
                let mut output = Letter::new();
                for cell in problem.alphabet.cells() {
                    problem.alphabet.choose(cell.options[rng.below(cell.options.len())], &mut output);
                }
                for atom in problem.alphabet.outputs() {
                    if rng.flip() {
                        problem.alphabet.choose(atom, &mut output);
                    }
                }
                let next = if sink { state } else { rng.below(states) };
                MealyEdge { guard, output, next: StateId::from_index(next) }
            })
            .collect();
        machine.push(MealyState { edges });
    }
    Mealy { guards, states: machine, initial: StateId::from_index(0) }
}

/// The monitors of the safety assumptions.
pub(crate) fn monitors(problem: &mut Problem) -> Vec<AssumptionMonitor> {
    let assumptions: Vec<_> =
        problem.clauses.iter().filter(|c| c.role == Role::Assumption).map(|c| c.formula).collect();
    let mut monitors = Vec::new();
    for f in assumptions {
        let text = problem.formulas.display(f, &problem.alphabet);
        let normal = Normalizer::new().normalize(&mut problem.formulas, f, false);
        if problem.formulas.class(normal).is(Class::SAFETY) {
            let alphabet = problem.alphabet.clone();
            let monitor =
                ltl_to_monitor(&mut problem.formulas, &alphabet, normal, 1000, &Budget::unlimited());
            monitors.push(AssumptionMonitor { text, monitor: monitor.expect("a small monitor") });
        }
    }
    monitors
}

/// An example with a random machine.
pub(crate) fn example(name: &str, text: &str, states: usize, seed: u64) -> Example {
    let problem = problem(name, text);
    let mealy = random_machine(&problem, states, &mut Rng(seed));
    with_machine(name, text, problem, mealy, "a random machine of the tests")
}

/// The realizable specifications of the gallery with their machines; with a random machine if none is found in time.
pub(crate) fn gallery() -> Vec<Example> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
    let (mut files, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the gallery") {
            let path = entry.expect("the gallery").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "tsl" || e == "ltl") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut examples = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a specification");
        if !text.starts_with("// expect: REALIZABLE") {
            continue;
        }
        let folder = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        let name = format!("{folder}_{}", path.file_stem().expect("a name").to_string_lossy());
        let mut problem = if path.extension().is_some_and(|e| e == "ltl") {
            let mut map = SourceMap::new();
            let source = map.add(name.clone(), text.clone());
            load_ltl(&[source], &[], &[], &map).unwrap_or_else(|e| panic!("{name}: {e:?}")).0
        } else {
            problem(&name, &text)
        };
        // Exact rational numbers are emitted for one target only.
        if problem.signature.symbols.iter().any(|symbol| symbol.sort == Sort::Real) {
            continue;
        }
        let (mealy, origin) = if let Some(mealy) = synthesized(&mut problem) {
            (mealy, "synthesized")
        } else {
            println!("{name}: no machine within {TIME_LIMIT:?}, a random one instead");
            let mealy = random_machine(&problem, 5, &mut Rng(examples.len() as u64));
            (mealy, "a random machine of the tests")
        };
        examples.push(with_machine(&format!("gallery_{name}"), &text, problem, mealy, origin));
    }
    examples
}

/// The time limit of synthesis for one specification of the gallery.
const TIME_LIMIT: Duration = Duration::from_secs(20);

fn synthesized(problem: &mut Problem) -> Option<Mealy> {
    // Random inputs take every edge of the first controllers, which have few states.
    let options = SolverOptions { certify: false, prefer: Prefer::Any, ..SolverOptions::default() };
    let stop = options.stop.clone();
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let clock = std::thread::spawn(move || {
        if wait.recv_timeout(TIME_LIMIT) == Err(RecvTimeoutError::Timeout) {
            stop.raise(LimitKind::Time);
        }
    });
    let verdict = synthesize(problem, &options, &Silent).expect("a certified answer").verdict;
    drop(done);
    clock.join().expect("the clock stops");
    if let Verdict::Realizable(StrategyRepr::Explicit(mealy)) = verdict { Some(mealy) } else { None }
}

fn with_machine(name: &str, text: &str, mut problem: Problem, mealy: Mealy, origin: &str) -> Example {
    let monitors = monitors(&mut problem);
    let clauses = problem.clauses.iter().map(|c| ClauseText {
        section: format!("{:?}", c.role),
        text: problem.formulas.display(c.formula, &problem.alphabet),
    });
    let meta = Meta {
        tool_version: "0.0.0-test".into(),
        spec_name: format!("{name}.tsl"),
        spec_sha256: sha256(text.as_bytes()),
        certified_by: None,
        origin: origin.into(),
        clauses: clauses.collect(),
        asked: Vec::new(),
    };
    Example { name: name.into(), problem, mealy, monitors, meta }
}

/// All examples, made once.
pub(crate) fn all() -> &'static [Example] {
    static ALL: OnceLock<Vec<Example>> = OnceLock::new();
    ALL.get_or_init(make)
}

fn make() -> Vec<Example> {
    let mut all = own();
    all.extend(gallery());
    all
}

/// The examples with random machines, made again at each call.
pub(crate) fn own() -> Vec<Example> {
    let own = TEXTS.iter().enumerate();
    let mut all: Vec<Example> =
        own.map(|(i, (name, text))| example(name, text, 2 + i % 4, i as u64)).collect();
    all.extend(super::hostile::all());
    all
}
