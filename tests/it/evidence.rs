//! Evidence: replayed by ABC and Spot, and compared with explicit enumeration of the circuits that were written.

use crate::campaign::{controller_is_right, counter_is_right, winners};
use crate::cli::Folder;
use crate::gallery::{every, folder};
use crate::oracle::instance::Instance;
use crate::oracle::machines::{mutate_counter, mutate_mealy};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::model::{Abstraction, CircuitBuilder, Stage, StrategyRepr, Verdict};
use tsl_synth_engine::mealy::{circuit_of_counter, circuit_of_mealy};
use tsl_synth_formats::aiger::read_aiger;
use tsl_synth_lang::spec::Problem;
use tsl_synth_service::{
    CheckReport, CheckRequest, Evidence, Hints, Session, SolverOptions, SpecLanguage, SpecRequest,
};
use tsl_synth_testkit::{Rng, quota, skip};

/// A report with this problem and this verdict.
fn report(problem: &Problem, verdict: Verdict) -> CheckReport {
    let limit = Limit::new(LimitKind::Work, "none");
    let mut report = CheckReport::unknown("test".into(), Stage::Reading, limit);
    let mut problem = problem.clone();
    // The session that writes the evidence has no source texts for the spans.
    problem.clauses.ids().collect::<Vec<_>>().into_iter().for_each(|id| problem.clauses[id].span = None);
    report.problem = Some(Arc::new(problem));
    report.verdict = verdict;
    report
}

fn evidence(problem: &Problem, verdict: &Verdict) -> Evidence {
    Session::new().evidence(&report(problem, verdict.clone())).expect("there is a verdict")
}

/// The files of problems with this extension.
fn problems<'a>(evidence: &'a Evidence, extension: &str) -> Vec<(&'a str, &'a [u8])> {
    let wanted = |path: &str| path.starts_with("problems/") && path.ends_with(extension);
    let files = evidence.files.iter().filter(|file| wanted(&file.path));
    files.map(|file| (file.path.as_str(), file.bytes())).collect()
}

/// A model-checking problem in ASCII AIGER.
struct Question {
    inputs: usize,
    latches: Vec<(u32, bool)>,
    bad: Vec<u32>,
    constraints: Vec<u32>,
    justice: Option<Vec<u32>>,
    gates: Vec<(u32, u32)>,
}

impl Question {
    fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let header: Vec<usize> =
            lines.next().expect("a header").split(' ').skip(1).map(|n| n.parse().expect("a count")).collect();
        let [_, inputs, latches, outputs, gates, bad, constraints] = header[..7] else { unreachable!() };
        assert_eq!(outputs, 0);
        let mut numbers = |count: usize| -> Vec<Vec<u32>> {
            let line = |line: &str| line.split(' ').map(|n| n.parse().expect("a literal")).collect();
            (0..count).map(|_| line(lines.next().expect("a line"))).collect()
        };
        let singles = |lines: Vec<Vec<u32>>| -> Vec<u32> { lines.iter().map(|line| line[0]).collect() };
        assert_eq!(singles(numbers(inputs)), (1..=inputs as u32).map(|i| 2 * i).collect::<Vec<_>>());
        let latches = numbers(latches).iter().map(|line| (line[1], line.get(2) == Some(&1))).collect();
        let (bad, constraints) = (singles(numbers(bad)), singles(numbers(constraints)));
        let justice = (header.get(7) == Some(&1)).then(|| {
            let size = numbers(1)[0][0] as usize;
            singles(numbers(size))
        });
        let gates = numbers(gates).iter().map(|line| (line[1], line[2])).collect();
        Self { inputs, latches, bad, constraints, justice, gates }
    }

    /// The values of all variables.
    fn step(&self, state: &[bool], input: u32) -> Vec<bool> {
        let mut values = vec![false];
        values.extend((0..self.inputs).map(|i| input >> i & 1 == 1));
        values.extend(state);
        for &(a, b) in &self.gates {
            values.push(holds(&values, a) && holds(&values, b));
        }
        values
    }

    /// Whether a bad state is reachable or some cycle satisfies the justice property, by enumeration; `None` if there
    /// are too many inputs or states.
    fn answer(&self, most: usize) -> Option<bool> {
        if self.inputs > 9 {
            return None;
        }
        let start: Vec<bool> = self.latches.iter().map(|&(_, reset)| reset).collect();
        let mut graph: DiGraph<(), u64> = DiGraph::new();
        let mut known = HashMap::from([(start.clone(), graph.add_node(()))]);
        let mut open = vec![start];
        let wanted = self.justice.as_deref().unwrap_or_default();
        while let Some(state) = open.pop() {
            let from = known[&state];
            for input in 0..1 << self.inputs {
                let values = self.step(&state, input);
                if !self.constraints.iter().all(|&literal| holds(&values, literal)) {
                    continue;
                }
                if self.bad.iter().any(|&literal| holds(&values, literal)) {
                    return Some(true);
                }
                let next: Vec<bool> = self.latches.iter().map(|&(next, _)| holds(&values, next)).collect();
                let to = *known.entry(next.clone()).or_insert_with(|| {
                    open.push(next);
                    graph.add_node(())
                });
                let seen = wanted.iter().enumerate().filter(|&(_, &literal)| holds(&values, literal));
                graph.add_edge(from, to, seen.map(|(i, _)| 1 << i).sum());
            }
            if known.len() > most {
                return None;
            }
        }
        if self.justice.is_none() {
            return Some(false);
        }
        let all = (1u64 << wanted.len()) - 1;
        Some(kosaraju_scc(&graph).iter().any(|component| {
            let inside = component.iter().flat_map(|&state| graph.edges(state));
            let inside = inside.filter(|edge| component.contains(&edge.target()));
            let (mut some, mut seen) = (false, 0);
            for edge in inside {
                (some, seen) = (true, seen | edge.weight());
            }
            some && seen == all
        }))
    }
}

fn holds(values: &[bool], literal: u32) -> bool {
    values[(literal >> 1) as usize] != (literal & 1 == 1)
}

/// Whether the output of a circuit in binary AIGER can be true.
fn can_be_true(bytes: &[u8], most: usize) -> Option<bool> {
    let circuit = read_aiger(bytes).expect("AIGER").circuit;
    let as_question = Question {
        inputs: circuit.inputs,
        latches: circuit.latches.iter().map(|latch| (latch.next.code(), latch.reset)).collect(),
        bad: circuit.outputs.iter().map(|output| output.code()).collect(),
        constraints: Vec::new(),
        justice: None,
        gates: circuit.gates.iter().map(|&(a, b)| (a.code(), b.code())).collect(),
    };
    as_question.answer(most)
}

/// Counts of right and wrong strategies whose evidence was enumerated, and of answers to safety problems: no, yes.
#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    safety: [usize; 2],
}

impl Tally {
    /// Checks that some problem has the answer yes exactly if the strategy is wrong, and that both forms of each
    /// problem have the same answer.
    fn add(&mut self, problem: &Problem, verdict: &Verdict, is_right: bool) {
        let evidence = evidence(problem, verdict);
        let mut answers = Vec::new();
        for ((path, text), (_, binary)) in
            problems(&evidence, ".aag").into_iter().zip(problems(&evidence, ".aig"))
        {
            let text = std::str::from_utf8(text).expect("ASCII");
            let answer = Question::read(text).answer(3000);
            if let (Some(answer), Some(safety)) = (answer, can_be_true(binary, 3000)) {
                assert_eq!(answer, safety, "{path} in both forms");
                self.safety[usize::from(safety)] += 1;
            }
            answers.push(answer);
        }
        let some = answers.contains(&Some(true));
        if some || !answers.contains(&None) {
            let readme = String::from_utf8_lossy(evidence.files[0].bytes());
            assert_eq!(some, !is_right, "{answers:?}\n{readme}");
            *if some { &mut self.wrong } else { &mut self.right } += 1;
        }
    }

    /// Adds a verdict and mutants of its strategy.
    fn add_mutants(&mut self, rng: &mut Rng, problem: &Problem, verdict: &Verdict, tries: usize) {
        let instance = &mut Instance::of(problem, &[]);
        self.add(problem, verdict, true);
        for _ in 0..tries {
            let (mutant, is_right) = match verdict {
                Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                    let Some(mutant) = mutate_mealy(rng, &problem.alphabet, machine) else { continue };
                    let is_right = controller_is_right(instance, &mutant);
                    (Verdict::Realizable(StrategyRepr::Explicit(mutant)), is_right)
                }
                Verdict::Unrealizable(StrategyRepr::Explicit(machine), notion) => {
                    let Some(mutant) = mutate_counter(rng, &problem.alphabet, machine) else { continue };
                    let is_right = counter_is_right(instance, &mutant);
                    (Verdict::Unrealizable(StrategyRepr::Explicit(mutant), *notion), is_right)
                }
                _ => return,
            };
            if let Some(is_right) = is_right {
                self.add(problem, &mutant, is_right);
            }
        }
    }
}

#[test]
fn problems_have_an_answer_exactly_for_wrong_machines() {
    let mut rng = Rng(5);
    let mut tally = Tally::default();
    for (instance, verdict) in winners(quota(2)) {
        tally.add_mutants(&mut rng, &instance.problem(), &verdict, 4);
    }
    let Tally { right, wrong, safety } = tally;
    println!("{right} right and {wrong} wrong machines, {safety:?} safety problems by enumeration");
    assert!(right >= quota(2) && wrong >= quota(2), "{right} right and {wrong} wrong machines");
    assert!(safety[0] >= quota(1) && safety[1] >= quota(1), "{safety:?} safety problems");
}

/// The report on a specification of the gallery.
fn checked(path: &str) -> CheckReport {
    let text = std::fs::read_to_string(folder().join(path)).expect("a specification");
    let language = match Path::new(path).extension().and_then(|e| e.to_str()) {
        Some("ltl") => SpecLanguage::Ltl,
        Some("tlsf") => SpecLanguage::Tlsf,
        _ => SpecLanguage::Tsl,
    };
    let mut request = CheckRequest::new(SpecRequest::text(language, path, &text));
    request.hints = Hints::None;
    request.minimize = true;
    request.solver = SolverOptions::default();
    Session::new().check(&request).expect("a report")
}

#[test]
fn cells_assumptions_and_facts_count() {
    let mut rng = Rng(6);
    let mut tally = Tally::default();
    for path in [
        "machines/toggle.tsl",
        "arbiters/impatient.tsl",
        "ltl/latch.ltl",
        "ltl/soundness.ltl",
        "ltl/clairvoyant.ltl",
        "spurious/hold.tsl",
        "spurious/choice.tsl",
        "tlsf/moore_echo.tlsf",
    ] {
        let report = checked(path);
        let problem = report.problem.as_deref().expect("it was read");
        let mut right = problem.clone();
        if report.is_realizable() {
            // Machines have to satisfy the contract for their target, Mealy or Moore.
            let contract = right.contract();
            let mut contract = right.target_contract(&contract);
            for clause in right.clauses.ids().collect::<Vec<_>>() {
                let list = match right.clauses[clause].role {
                    tsl_synth_core::model::Role::Fact => &mut contract.facts,
                    tsl_synth_core::model::Role::Restriction => &mut contract.restrictions,
                    tsl_synth_core::model::Role::Assumption => &mut contract.assumptions,
                    tsl_synth_core::model::Role::Guarantee => &mut contract.guarantees,
                };
                right.clauses[clause].formula = list.remove(0);
            }
            right.target = tsl_synth_lang::spec::Target::Mealy;
        }
        tally.add_mutants(&mut rng, &right, &report.verdict, 12);
    }
    let Tally { right, wrong, safety } = tally;
    println!("{right} right and {wrong} wrong machines, {safety:?} safety problems by enumeration");
    assert!(right >= 8 && wrong >= 12, "{right} right and {wrong} wrong machines");
}

#[test]
fn a_counter_strategy_that_looks_at_the_present_output_is_found() {
    let report = checked("ltl/clairvoyant.ltl");
    let problem = report.problem.as_deref().expect("it was read");
    let (reads, gives) = (problem.alphabet.outputs().count(), problem.alphabet.inputs().count());
    let machine = |looks: bool| {
        let mut builder = CircuitBuilder::new(reads);
        for _ in 0..gives {
            let latch = builder.add_latch(false);
            builder.set_next(latch, builder.input(0));
            builder.add_output(if looks { builder.input(0) } else { latch });
        }
        Verdict::Unrealizable(StrategyRepr::Circuit(builder.finish()), Abstraction::Tsl)
    };
    for looks in [true, false] {
        let evidence = evidence(problem, &machine(looks));
        let (_, text) = problems(&evidence, "/moore.aag")[0];
        let text = std::str::from_utf8(text).expect("ASCII");
        assert_eq!(Question::read(text).answer(100), Some(looks), "{text}");
        assert_eq!(can_be_true(problems(&evidence, "/moore.aig")[0].1, 100), Some(looks));
    }
}

#[test]
fn a_circuit_has_the_problems_of_its_machine() {
    let report = checked("arbiters/impatient.tsl");
    let problem = report.problem.as_deref().expect("it was read");
    let circuit = match &report.verdict {
        Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
            Verdict::Realizable(StrategyRepr::Circuit(circuit_of_mealy(&problem.alphabet, machine)))
        }
        Verdict::Unrealizable(StrategyRepr::Explicit(machine), notion) => {
            let circuit = circuit_of_counter(&problem.alphabet, machine);
            Verdict::Unrealizable(StrategyRepr::Circuit(circuit), *notion)
        }
        other => panic!("{other:?}"),
    };
    let [machine, circuit] = [&report.verdict, &circuit].map(|verdict| evidence(problem, verdict));
    for extension in [".ltl", ".aag", ".aig"] {
        assert_eq!(problems(&machine, extension), problems(&circuit, extension));
    }
    assert!(circuit.files.iter().all(|file| file.path != "machine.hoa" && file.path != "replay-spot.sh"));
}

fn runs(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|output| output.status.success())
}

fn abc() -> Option<&'static str> {
    ["berkeley-abc", "abc", "yosys-abc"].into_iter().find(|program| runs(program, &["-c", "version"]))
}

/// Runs a script in every folder, two at a time. Returns the folders where it fails, with its output.
fn replay(folders: &[PathBuf], script: &str) -> Vec<String> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(folder) = folders.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let output = Command::new("sh").arg(folder.join(script)).output().expect("a shell");
                    if !output.status.success() {
                        let said = String::from_utf8_lossy(&output.stdout).into_owned();
                        failed.lock().expect("no panic").push(format!("{}:\n{said}", folder.display()));
                    }
                }
            });
        }
    });
    failed.into_inner().expect("no panic")
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    folders
}

/// Whether ABC needs long for one of its claims, beside those that are slow for all.
fn is_slow(path: &Path) -> bool {
    std::env::var_os("TSL_SYNTH_GALLERY").is_none() && path.ends_with("arbiters/round_robin.tsl")
}

#[test]
fn other_programs_replay_the_evidence_of_the_gallery() {
    let home = Folder::new();
    let files: Vec<PathBuf> = every(8, 1).into_iter().filter(|path| !is_slow(path)).collect();
    let mut args: Vec<String> =
        ["check", "--each", "--verdict-only", "--time-limit", "60s", "--evidence", "evidence"]
            .map(String::from)
            .to_vec();
    args.extend(files.iter().map(|file| file.display().to_string()));
    home.run(&args).exits(1);
    let folders = subfolders(&home.path().join("evidence"));
    assert_eq!(folders.len(), files.len(), "evidence for every specification");
    for folder in &folders {
        let readme = std::fs::read_to_string(folder.join("README.txt")).expect("a README");
        assert!(
            readme.contains("Verdict: REALIZABLE") || readme.contains("Verdict: UNREALIZABLE"),
            "{readme}"
        );
        for name in ["contract.ltl", "machine.aag", "replay-abc.sh"] {
            assert!(folder.join(name).is_file(), "{}: {name}", folder.display());
        }
    }
    let mut read_back = 0;
    for folder in folders.iter().filter(|folder| folder.extension().is_some_and(|e| e != "tsl")) {
        let readme = std::fs::read_to_string(folder.join("README.txt")).expect("a README");
        if !readme.contains("Verdict: REALIZABLE") || !folder.join("machine.hoa").is_file() {
            continue;
        }
        // Our own certifier can check the files, too.
        let circuit = std::fs::read_to_string(folder.join("machine.aag")).expect("a circuit");
        let outputs = circuit.lines().filter(|line| line.starts_with('o'));
        let outputs: Vec<&str> = outputs.filter_map(|line| Some(line.split_once(' ')?.1)).collect();
        let [contract, machine] = ["contract.ltl", "machine.hoa"].map(|name| folder.join(name));
        let files = [contract.as_os_str(), machine.as_os_str()];
        let args = ["verify", "--outs"].map(OsString::from).into_iter().chain([outputs.join(",").into()]);
        home.run(args.chain(files.map(OsString::from))).exits(0);
        read_back += 1;
    }
    assert!(read_back >= 2, "{read_back} contracts");
    if abc().is_some() {
        let failed = replay(&folders, "replay-abc.sh");
        println!("ABC confirmed {} of {} specifications", folders.len() - failed.len(), folders.len());
        assert!(failed.is_empty() && folders.len() >= 6, "{}", failed.join("\n"));
    } else {
        skip("ABC is not installed (Debian: berkeley-abc)");
    }
    if runs("autfilt", &["--version"]) {
        let automata: Vec<PathBuf> =
            folders.iter().filter(|folder| folder.join("replay-spot.sh").is_file()).cloned().collect();
        let failed = replay(&automata, "replay-spot.sh");
        println!("Spot confirmed {} of {} specifications", automata.len() - failed.len(), automata.len());
        assert!(failed.is_empty(), "{}", failed.join("\n"));
    } else {
        skip("Spot is not installed");
    }
}

#[test]
fn abc_does_not_confirm_a_wrong_machine() {
    if abc().is_none() {
        skip("ABC is not installed (Debian: berkeley-abc)");
        return;
    }
    let mut rng = Rng(7);
    let mut wrong = 0;
    for (mut instance, verdict) in winners(6) {
        let problem = instance.problem();
        for _ in 0..3 {
            let Verdict::Realizable(StrategyRepr::Explicit(machine)) = &verdict else { continue };
            let Some(mutant) = mutate_mealy(&mut rng, &problem.alphabet, machine) else { continue };
            let Some(is_right) = controller_is_right(&mut instance, &mutant) else { continue };
            let home = Folder::new();
            for file in evidence(&problem, &Verdict::Realizable(StrategyRepr::Explicit(mutant))).files {
                home.file(&file.path, file.bytes());
            }
            let confirmed = replay(&[home.path().to_path_buf()], "replay-abc.sh").is_empty();
            assert_eq!(confirmed, is_right);
            wrong += usize::from(!is_right);
        }
    }
    assert!(wrong >= 2, "{wrong} wrong machines");
}

#[test]
fn evidence_needs_a_folder_of_its_own_and_a_verdict() {
    let home = Folder::new();
    home.file("lamp.ltl", "// inputs: a\n// outputs: x\nG (a <-> x)\n");
    let args = ["check", "lamp.ltl", "--outs", "x", "--evidence"];
    home.run(args.iter().copied().chain(["new/evidence"])).exits(0);
    let first = home.path().join("new/evidence");
    let contract = std::fs::read_to_string(first.join("contract.ltl")).expect("the contract");
    assert_eq!(contract, "G (\"a\" <-> \"x\")\n");
    // A second run writes the same bytes.
    home.run(args.iter().copied().chain(["again"])).exits(0);
    for name in ["machine.hoa", "machine.aag", "problems/01-guarantee.aag", "problems/01-guarantee.aig"] {
        let [a, b] = [&first, &home.path().join("again")].map(|folder| std::fs::read(folder.join(name)));
        assert_eq!(a.expect("a file"), b.expect("a file"), "{name}");
    }
    let run = home.run(args.iter().copied().chain(["again"])).exits(2);
    assert!(run.err.contains("is not empty"), "{}", run.err);
    let run = home.run(args.iter().copied().chain(["lamp.ltl"])).exits(2);
    assert!(run.err.contains("cannot make the folder"), "{}", run.err);
    home.run(["verify", "again/contract.ltl", "again/machine.hoa", "--outs", "x"]).exits(0);
    home.file(
        "open.ltl",
        "// inputs: r\n// outputs: g\nG (r -> X X g)\nG (r -> X X X X (g | F r))\nG F !g\n",
    );
    let run = home.run(["check", "open.ltl", "--bound", "0", "--evidence", "none"]).exits(3);
    assert!(run.err.contains("there is no verdict"), "{}", run.err);
    assert!(subfolders(&home.path().join("none")).is_empty());
}
