//! Controllers that change cells only where a clause asks: what they do, and that the others stay.

use crate::gallery;
use crate::oracle::tsl::random_tsl;
use std::path::{Path, PathBuf};
use tsl_synth_core::base::{Budget, IdVec};
use tsl_synth_core::logic::{Alphabet, AtomId, Letter, Player};
use tsl_synth_core::model::{Mealy, Prefer, Silent, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::game::objective;
use tsl_synth_engine::mealy::{LeastChange, machine_id};
use tsl_synth_engine::synth::{
    Outcome, SolverOptions, StrategyForm, keeping_updates, synthesize, writing_updates,
};
use tsl_synth_explain::{Asked, Reasons, unread_inputs};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, Problem, load_tsl};
use tsl_synth_testkit::{Rng, more, quota};
use walkdir::WalkDir;

fn problem(name: &str, text: &str) -> Option<Problem> {
    let mut map = SourceMap::new();
    let source = map.add(name, text);
    let file = MainFile { source, canonical: name.into() };
    load_tsl(&[file], &LoadOptions::default(), &mut map, &NoImports).ok().map(|(problem, _)| problem)
}

fn solved(problem: &mut Problem, prefer: Prefer) -> Outcome {
    let options = SolverOptions { prefer, form: StrategyForm::Explicit, ..SolverOptions::default() };
    synthesize(problem, &options, &Silent).unwrap_or_else(|failed| panic!("{failed}"))
}

fn controller(outcome: &Outcome) -> Option<&Mealy> {
    match &outcome.verdict {
        Verdict::Realizable(StrategyRepr::Explicit(machine)) => Some(machine),
        _ => None,
    }
}

/// The specification with this text, with the facts that refinement added, and the controller that is preferred.
fn machine(text: &str, prefer: Prefer) -> (Problem, Mealy) {
    let mut problem = problem("test.tsl", text).expect("the text is a specification");
    let outcome = solved(&mut problem, prefer);
    let machine = controller(&outcome).expect("it is realizable").clone();
    assert!(outcome.certificate.is_some());
    for clause in outcome.constraints {
        problem.clauses.push(clause);
    }
    (problem, machine)
}

/// A run of a controller, as the names of the updates that it chooses in each step. The values of enumerations follow
/// the updates `[cell <- value]`.
struct Run<'a> {
    alphabet: &'a Alphabet,
    machine: &'a Mealy,
    state: tsl_synth_core::model::StateId,
    value: String,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem, machine: &'a Mealy, value: &str) -> Self {
        Self { alphabet: &problem.alphabet, machine, state: machine.initial, value: value.into() }
    }
    /// The update of the cell with this name on these true inputs.
    fn step(&mut self, cell: &str, inputs: &[&str]) -> String {
        let mut letter = Letter::new();
        for atom in self.alphabet.inputs() {
            let name = self.alphabet.atoms()[atom].name.as_str();
            if inputs.contains(&name) || name == format!("{cell} = {}", self.value) {
                self.alphabet.choose(atom, &mut letter);
            }
        }
        let edge = self.machine.edge(self.state, &letter).expect("the machine is complete");
        let (id, _) = self.alphabet.cells().enumerate().find(|(_, own)| own.name == cell).expect("a cell");
        let chosen = self.alphabet.chosen(&edge.output, id);
        let term = self.alphabet.update_term(chosen).expect("an update").to_owned();
        self.state = edge.next;
        self.value = match term.as_str() {
            kept if kept == cell => self.value.clone(),
            "floor + 1" => (self.value.parse::<i32>().expect("a number") + 1).to_string(),
            "floor - 1" => (self.value.parse::<i32>().expect("a number") - 1).to_string(),
            value => value.to_owned(),
        };
        term
    }
}

const ELEVATOR: &str = include_str!("../../specs/machines/elevator.tsl");

const GUARD: &str = include_str!("../../fixtures/machines/guard.tsl");

/// The elevator stands until it is called, goes where it was called, and stands again.
#[test]
fn an_elevator_stands_until_it_is_called() {
    let (problem, kept) = machine(ELEVATOR, Prefer::Keep);
    let mut run = Run::new(&problem, &kept, "0");
    for _ in 0..5 {
        assert_eq!(run.step("floor", &[]), "floor");
    }
    run.step("floor", &["call2"]);
    for _ in 0..4 {
        run.step("floor", &[]);
    }
    assert_eq!(run.value, "2");
    for _ in 0..5 {
        assert_eq!(run.step("floor", &[]), "floor");
    }
    assert!(unread_inputs(&problem, &kept).is_empty());
    let (problem, swept) = machine(ELEVATOR, Prefer::Any);
    let names = unread_inputs(&problem, &swept);
    assert_eq!(names.len(), 3, "the first controller reads no call");
}

/// The guard does nothing where nothing is asked, and at once what is.
#[test]
fn a_guard_acts_only_with_a_reason() {
    let (problem, kept) = machine(GUARD, Prefer::Keep);
    let mut run = Run::new(&problem, &kept, "patrol");
    for (inputs, expected) in [
        (&[][..], "mode"),
        (&["hearsNoise"], "search"),
        (&[], "patrol"),
        (&["seesPlayer"], "chase"),
        (&["tired"], "rest"),
        (&[], "mode"),
        (&[], "mode"),
        (&["seesPlayer", "tired"], "chase"),
        (&["tired"], "rest"),
    ] {
        assert_eq!(run.step("mode", inputs), expected, "{inputs:?}");
    }
    let reasons = Reasons::new(&problem, &kept).expect("a Mealy machine");
    let all = reasons.all(&Budget::unlimited().with_work(10_000_000));
    assert!(!all.is_empty() && all.iter().all(|reason| matches!(reason.asked, Asked::By(_))), "{all:?}");
}

/// Writing the value that a cell has is no change: a light that has to be written in every step blinks only when it is asked.
#[test]
fn writing_the_same_value_is_no_change() {
    let text = "input button: Bool; cell light: enum {red, green} = red;
        always guarantee {
          button -> F (light = green);
          light = green -> X (light = red);
          [light <- red] || [light <- green];
        }";
    let (problem, kept) = machine(text, Prefer::Keep);
    assert!(unread_inputs(&problem, &kept).is_empty());
    let mut run = Run::new(&problem, &kept, "red");
    assert_eq!(
        ["red"; 4],
        [0; 4].map(|_| run.step("light", &[])).map(|term| if term == "red" { "red" } else { "green" })
    );
    assert_eq!(run.step("light", &["button"]), "green");
    assert_eq!(run.step("light", &[]), "red");
}

/// A free choice is known as one: the machine that is found first changes the cell although nothing asks for it.
#[test]
fn free_choices_are_told_from_answers() {
    let text = "input go: Bool; cell light: enum {red, green} = red;
        always guarantee { go -> [light <- green]; !go -> ([light <- red] || [light <- light]); }";
    let (problem, kept) = machine(text, Prefer::Keep);
    let reasons = Reasons::new(&problem, &kept).expect("a Mealy machine");
    let all = reasons.all(&Budget::unlimited());
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(matches!(&all[0].asked, Asked::By(clauses) if clauses.len() == 1));
    let state = kept.initial;
    let edge =
        kept.states[state].edges.iter().position(|edge| reasons.changes(edge).is_empty()).expect("an edge");
    let red = problem.alphabet.atoms().ids().find(|&a| problem.alphabet.atoms()[a].name == "[light <- red]");
    let red = red.expect("an update");
    let changed = reasons.with(state, edge, None, &|letter| {
        problem.alphabet.choose(red, letter);
    });
    let others = Reasons::new(&problem, &changed).expect("a Mealy machine");
    let free = others.all(&Budget::unlimited());
    assert_eq!(free.iter().filter(|reason| reason.asked == Asked::Free).count(), 1, "{free:?}");
}

/// Counts changes that are not needed in the plays of a controller, and changes.
fn unneeded(problem: &mut Problem, machine: &Mealy) -> Option<(usize, usize)> {
    let keep: IdVec<_, Option<AtomId>> = keeping_updates(problem);
    let same = writing_updates(problem);
    let budget = Budget::unlimited().with_work(20_000_000);
    let contract = problem.contract();
    let Problem { formulas, alphabet, .. } = problem;
    let objective = objective(formulas, alphabet, &contract, Player::System, &budget).ok()?;
    LeastChange { objective: &objective, alphabet, keep: &keep, same: &same, machine }
        .unneeded(&budget)
        .ok()?
}

/// On random specifications the preferred controllers are certified, the same on every run, and have no more changes
/// without need than the first ones.
#[test]
fn random_specifications_change_less() {
    let mut rng = Rng(46);
    let (mut compared, mut before, mut after) = (0, (0, 0), (0, 0));
    while compared < quota(4) {
        let text = random_tsl(&mut rng);
        let Some(problem) = problem("random.tsl", &text) else { continue };
        let [any, keep, again, fast] =
            [Prefer::Any, Prefer::Keep, Prefer::Keep, Prefer::Fast].map(|prefer| {
                let mut problem = problem.clone();
                let outcome = solved(&mut problem, prefer);
                if let Some(own) = controller(&outcome) {
                    assert!(outcome.certificate.is_some(), "{text}");
                    let own = own.clone();
                    outcome.constraints.into_iter().for_each(|clause| {
                        problem.clauses.push(clause);
                    });
                    Some((problem, own))
                } else {
                    None
                }
            });
        let (Some(mut any), Some(mut keep), Some(again), Some(_)) = (any, keep, again, fast) else {
            continue;
        };
        compared += 1;
        let id = |(problem, machine): &(Problem, Mealy)| machine_id(&problem.alphabet, machine);
        assert_eq!(id(&keep), id(&again), "{text}");
        let (Some(old), Some(new)) = (unneeded(&mut any.0, &any.1), unneeded(&mut keep.0, &keep.1)) else {
            continue;
        };
        before = (before.0 + old.0, before.1 + old.1);
        after = (after.0 + new.0, after.1 + new.1);
    }
    println!("{compared} controllers: {before:?} unneeded and all changes before, {after:?} after");
    assert!(after.0 * 10 <= before.0, "{after:?} of {before:?}");
}

/// The specifications in TSL below a folder, in order.
fn below(folder: &Path) -> Vec<PathBuf> {
    let all = WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    all.map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|e| e == "tsl"))
        .collect()
}

/// The gallery and the public specifications: states, changes that are not needed, work counted.
#[test]
#[ignore = "a table"]
fn table() {
    let folders = [Some(gallery::folder()), more("cases/tsl"), more("cases/ux")];
    let files: Vec<PathBuf> = folders.iter().flatten().flat_map(|folder| below(folder)).collect();
    println!("{:44} {:>13} {:>15} {:>15}", "file", "states", "unneeded before", "unneeded after");
    let mut sums = [0; 4];
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let Some(problem) = problem("x.tsl", &text) else { continue };
        let found = [Prefer::Any, Prefer::Keep].map(|prefer| {
            let mut problem = problem.clone();
            let stop = tsl_synth_core::base::StopFlag::new().within(60_000_000);
            let options = SolverOptions {
                prefer,
                stop,
                form: StrategyForm::Explicit,
                threads: 1,
                ..SolverOptions::default()
            };
            let outcome = synthesize(&mut problem, &options, &Silent).ok()?;
            let machine = controller(&outcome)?.clone();
            let log = outcome.statistics.log.iter().find(|line| line.starts_with("fewer changes")).cloned();
            outcome.constraints.into_iter().for_each(|clause| {
                problem.clauses.push(clause);
            });
            let count = unneeded(&mut problem, &machine);
            Some((machine.states.len(), count, log))
        });
        let [Some((states, old, _)), Some((more, new, log))] = found else { continue };
        if let (Some(old), Some(new)) = (old, new) {
            sums = [sums[0] + old.0, sums[1] + old.1, sums[2] + new.0, sums[3] + new.1];
        }
        let show =
            |count: Option<(usize, usize)>| count.map_or("-".into(), |(n, all)| format!("{n} of {all}"));
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!(
            "{name:44} {:>13} {:>15} {:>15}  {}",
            format!("{states} -> {more}"),
            show(old),
            show(new),
            log.unwrap_or_default()
        );
    }
    println!("unneeded changes: {} of {} before, {} of {} after", sums[0], sums[1], sums[2], sums[3]);
}
