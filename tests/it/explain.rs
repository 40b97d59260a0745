//! Plays and sentences from counter-strategies made by hand.

use tsl_synth_core::base::{Budget, Id, IdVec};
use tsl_synth_core::logic::{Guard, Guards, Letter};
use tsl_synth_core::model::{
    Abstraction, CounterEdge, CounterState, CounterStrategy, Role, Silent, StateId, StrategyRepr,
};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::SolverOptions;
use tsl_synth_explain::{Core, LosingPlay, PlayEnding, explanation_sentence, losing_play};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, Problem, load_ltl, load_tsl};

fn tsl(text: &str) -> (Problem, SourceMap) {
    let mut map = SourceMap::new();
    let source = map.add("t.tsl", text);
    let files = [MainFile { source, canonical: "t.tsl".into() }];
    let problem = load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports).expect("well-formed").0;
    (problem, map)
}

fn ltl(text: &str, ins: &str, outs: &str) -> (Problem, SourceMap) {
    let mut map = SourceMap::new();
    let source = map.add("t.ltl", text);
    let problem = load_ltl(&[source], &[ins.into()], &[outs.into()], &map).expect("well-formed").0;
    (problem, map)
}

/// A counter-strategy that gives these inputs one after the other, whatever the outputs, and the last ones forever.
fn fixed(problem: &Problem, steps: &[&[&str]]) -> CounterStrategy {
    let letter = |names: &&[&str]| -> Letter {
        let mut letter = Letter::new();
        for name in *names {
            let atoms = problem.alphabet.atoms();
            let atom = atoms.ids().find(|&a| atoms[a].name == *name).expect("an atom of that name");
            problem.alphabet.choose(atom, &mut letter);
        }
        letter
    };
    let last = steps.len() - 1;
    let states: IdVec<StateId, CounterState> = steps
        .iter()
        .enumerate()
        .map(|(i, names)| {
            let next = StateId::from_index((i + 1).min(last));
            CounterState { input: letter(names), edges: vec![CounterEdge { guard: Guard::TRUE, next }] }
        })
        .collect();
    CounterStrategy { guards: Guards::new(), states, initial: StateId::from_index(0) }
}

fn core(problem: &Problem, counter: CounterStrategy) -> Core {
    let of = |role| problem.clauses.enumerate().filter(|(_, c)| c.role == role).map(|(id, _)| id).collect();
    Core {
        guarantees: of(Role::Guarantee),
        assumptions: of(Role::Assumption),
        minimal: true,
        undecided: Vec::new(),
        counter: Some(StrategyRepr::Explicit(counter)),
        notion: Abstraction::Tsl,
    }
}

fn sentence(problem: &Problem, map: &SourceMap, core: &Core, play: &LosingPlay) -> String {
    explanation_sentence(problem, map, core, play, &SolverOptions::default(), &Silent).expect("certificates")
}

fn told(problem: &Problem, map: &SourceMap, steps: &[&[&str]]) -> (String, PlayEnding) {
    let core = core(problem, fixed(problem, steps));
    let play = losing_play(problem, &core, &Budget::unlimited()).expect("a play");
    (sentence(problem, map, &core, &play), play.ending)
}

#[test]
fn a_violation_that_no_answer_prevents() {
    let (problem, map) = tsl("guarantee { (! p x) W q x; } always guarantee { F [x <- f x]; }");
    let (sentence, ending) = told(&problem, &map, &[&["p(x)"]]);
    assert_eq!(ending, PlayEnding::Violated);
    assert_eq!(
        sentence,
        "The environment may start with `p(x)` true and `q(x)` false, and then `(! p x) W q x` fails at step 0, \
         whatever the system does."
    );
}

#[test]
fn two_guarantees_in_conflict() {
    let (problem, map) = tsl("always guarantee { a -> [x <- c()]; b -> [x <- d()]; }");
    let (sentence, _) = told(&problem, &map, &[&["a", "b"]]);
    assert_eq!(
        sentence,
        "The environment may start with `a` and `b` true, and then no answer of the system at step 0 is \
         right: `[x <- x]` breaks `always a -> [x <- c()]`, `[x <- c()]` breaks `always b -> [x <- d()]`."
    );
}

#[test]
fn a_promise_that_is_never_kept() {
    let (problem, map) = tsl("always guarantee { [mail <- answer l] -> ok l; F [mail <- answer l]; }");
    let (sentence, ending) = told(&problem, &map, &[&[]]);
    assert_eq!(ending, PlayEnding::Repeats(0));
    assert!(
        sentence.contains("keep `ok(l)` false for ever") || sentence.contains("cannot be kept together"),
        "{sentence}"
    );
}

#[test]
fn knowing_the_future() {
    let (problem, map) = ltl("G (g <-> X r)", "r", "g");
    // Whatever `g` was, the next input is the opposite.
    let atoms: Vec<_> = problem.alphabet.atoms().ids().collect();
    let mut guards = Guards::new();
    let g = *atoms.iter().find(|&&a| problem.alphabet.atoms()[a].name == "g").expect("g");
    let said = problem.alphabet.guard(g, &mut guards);
    let silent = guards.not(said);
    let r = *atoms.iter().find(|&&a| problem.alphabet.atoms()[a].name == "r").expect("r");
    let mut ring = Letter::new();
    problem.alphabet.choose(r, &mut ring);
    let (zero, one) = (StateId::from_index(0), StateId::from_index(1));
    let edges = vec![CounterEdge { guard: said, next: zero }, CounterEdge { guard: silent, next: one }];
    let states = vec![
        CounterState { input: Letter::new(), edges: edges.clone() },
        CounterState { input: ring, edges },
    ];
    let counter = CounterStrategy { guards, states: states.into(), initial: zero };
    let core = core(&problem, counter);
    let play = losing_play(&problem, &core, &Budget::unlimited()).expect("a play");
    assert_eq!((play.steps.len(), play.ending), (2, PlayEnding::Violated));
    let sentence = sentence(&problem, &map, &core, &play);
    assert_eq!(
        sentence,
        "If the system answers `!g` at step 0, the environment may give `r` true at step 1, and then \
         `G (g <-> X r)` fails at step 1; other answers lose as well."
    );
}
