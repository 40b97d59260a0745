//! `verify` on random machines compared with enumeration: all semantics and targets of TLSF, cells, labels that leave
//! outputs open, every format, and each method of the certifier.

use crate::campaign::{first_seed, setting};
use crate::cli::verify::emitted;
use crate::oracle::elementary::{Table, keeps, table_of_counter, table_of_mealy};
use crate::oracle::instance::Instance;
use crate::oracle::machines::{random_counter, random_mealy};
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::Mealy;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::VerifyVerdict;
use tsl_synth_emit::{Lang, Strategy};
use tsl_synth_engine::synth::{CheckMethod, Engine};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, Problem, load_tsl};
use tsl_synth_service::{
    Input, MachineVerdict, Session, SpecLanguage, SpecRequest, VerifyAnswer, VerifyReport, VerifyRequest,
};
use tsl_synth_testkit::Rng;

/// The most nodes of a tableau of elementary sets.
const NODES: usize = 1 << 13;

/// What a campaign counts.
#[derive(Debug, Default)]
struct Tally {
    calls: u64,
    holds: u64,
    no_strategy: u64,
    too_large: u64,
    by: [u64; 3],
}

impl Tally {
    /// Checks that the answer is right, and that it was found by the requested method.
    fn take(&mut self, report: &VerifyReport, right: bool, symbolic: bool, context: &dyn Fn() -> String) {
        self.calls += 1;
        self.holds += u64::from(right);
        let expected = if right { VerifyVerdict::Holds } else { VerifyVerdict::Violated };
        assert_eq!(report.verdict(), expected, "{:?}\n{}", report.answer, context());
        let VerifyAnswer::Judged { found, .. } = &report.answer else {
            self.no_strategy += 1;
            return;
        };
        match &found.judgment {
            MachineVerdict::Malformed(_) | MachineVerdict::Improper(..) => self.no_strategy += 1,
            MachineVerdict::Holds(certified, _) => {
                let by_diagrams = matches!(found.by, CheckMethod::Diagrams | CheckMethod::Monitors);
                assert_eq!(symbolic, by_diagrams, "{}\n{}", found.by, context());
                assert!(certified.searches > 0 || !symbolic || certified.diagram_nodes == 0);
            }
            _ => {}
        }
        let method = match found.by {
            CheckMethod::Products => 0,
            CheckMethod::ProductsAndDiagrams => 1,
            _ => 2,
        };
        self.by[method] += 1;
    }
}

fn pick<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.below(all.len())]
}

fn literal(rng: &mut Rng, names: &[&str]) -> String {
    let not = if rng.below(3) == 0 { "!" } else { "" };
    format!("{not}{}", pick(rng, names))
}

/// A disjunction of literals.
fn clause(rng: &mut Rng, names: &[&str]) -> String {
    (0..=rng.below(2)).map(|_| literal(rng, names)).collect::<Vec<_>>().join(" | ")
}

/// A random formula of a common form over these inputs and outputs.
fn temporal(rng: &mut Rng, inputs: &[&str], outputs: &[&str]) -> String {
    let (a, x) = (literal(rng, inputs), literal(rng, outputs));
    let all = [inputs, outputs].concat();
    let z = literal(rng, &all);
    match rng.below(8) {
        0 => format!("G (({a}) -> F ({x}))"),
        1 => format!("G (({x}) -> X ({z}))"),
        2 => format!("G F ({z})"),
        3 => format!("F G ({z})"),
        4 => format!("(({z}) U ({a})) | G ({x})"),
        5 => format!("({x}) W ({a})"),
        6 => format!("F ({a}) -> F ({x})"),
        _ => format!("G (({x}) | X ({a}))"),
    }
}

/// The formula with an `X` before each of these names.
fn delayed(text: &str, names: &[&str]) -> String {
    let next = |c: char| if names.contains(&c.to_string().as_str()) { format!("(X {c})") } else { c.into() };
    text.chars().map(next).collect()
}

fn machine_file(rng: &mut Rng, problem: &Problem, strategy: Strategy<'_>) -> Input {
    let (lang, name) = [(Lang::Hoa, "m.hoa"), (Lang::Json, "m.json"), (Lang::Aiger, "m.aag")][rng.below(3)];
    Input::Text { name: name.into(), text: emitted(problem, strategy, lang) }
}

fn judged(spec: SpecRequest, machine: Input, symbolic: bool) -> VerifyReport {
    let mut request = VerifyRequest::new(spec, machine);
    request.solver.engine = if symbolic { Engine::Symbolic } else { Engine::Auto };
    Session::new().verify(&request).expect("a report")
}

/// Makes all edges of a state have the output of the first one.
fn moore(mut machine: Mealy) -> Mealy {
    for state in &mut machine.states {
        let output = state.edges[0].output.clone();
        for edge in &mut state.edges {
            edge.output.clone_from(&output);
        }
    }
    machine
}

fn is_moore(machine: &Mealy) -> bool {
    machine.states.iter().all(|state| state.edges.iter().all(|edge| edge.output == state.edges[0].output))
}

/// A random specification in TLSF, and its formula for the target by the definitions of the format (Jacobs, Klein and
/// Schirmer, "A high-level LTL synthesis format: TLSF v1.1", 2016).
fn tlsf(rng: &mut Rng) -> (String, String, bool) {
    let (inputs, outputs) = (["a", "b"], ["x", "y"]);
    let all = ["a", "b", "x", "y"];
    let (moore, strict, target) = (rng.flip(), rng.flip(), rng.flip());
    let maybe = |rng: &mut Rng, text: String| if rng.below(3) == 0 { text } else { "true".into() };
    let initially = clause(rng, &inputs);
    let initially = maybe(rng, initially);
    let preset = clause(rng, &outputs);
    let preset = maybe(rng, preset);
    let require = clause(rng, &inputs);
    let require = maybe(rng, require);
    let assert = clause(rng, &all);
    let assert = maybe(rng, assert);
    let assume = temporal(rng, &inputs, &outputs);
    let assume = maybe(rng, assume);
    let guarantee = temporal(rng, &inputs, &outputs);
    let semantics = if moore { "Moore" } else { "Mealy" };
    let semantics = if strict { format!("{semantics},Strict") } else { semantics.into() };
    let text = format!(
        "INFO {{ TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: {semantics} TARGET: {} }}\nMAIN {{\n  INPUTS {{ a; b; }}\n  OUTPUTS {{ x; y; }}\n  INITIALLY {{ {initially}; }}\n  PRESET {{ {preset}; }}\n  REQUIRE {{ {require}; }}\n  ASSERT {{ {assert}; }}\n  ASSUME {{ {assume}; }}\n  GUARANTEE {{ {guarantee}; }}\n}}\n",
        if target { "Moore" } else { "Mealy" },
    );
    let text = text.replace('|', "||");
    let formula = if strict {
        format!(
            "({initially}) -> (({preset}) & (({assert}) W !({require})) & (((G ({require})) & ({assume})) -> ({guarantee})))"
        )
    } else {
        format!(
            "({initially}) -> (({preset}) & (((G ({require})) & ({assume})) -> ((G ({assert})) & ({guarantee}))))"
        )
    };
    let formula = formula.replace("true", "1");
    let formula = match (moore, target) {
        (true, false) => delayed(&formula, &inputs),
        (false, true) => delayed(&formula, &outputs),
        _ => formula,
    };
    (text, formula, target)
}

fn semantics(rng: &mut Rng, tally: &mut Tally) {
    let (text, formula, target) = tlsf(rng);
    let mut instance = Instance::new("a b", "x y").with_guarantee(&formula);
    let objective = instance.contract.guarantees[0];
    let problem = instance.problem();
    let states = 1 + rng.below(3);
    let symbolic = rng.flip();
    // A counter-strategy against Moore machines reads the outputs of the same step, which no machine format expresses.
    let (file, right) = if !target && rng.below(3) == 0 {
        let counter = random_counter(rng, &instance.alphabet, states);
        let table = table_of_counter(&instance, &instance.letters(), &counter);
        let defeat = instance.formulas.not(objective);
        let right = keeps(&mut instance, &table, defeat, NODES);
        (machine_file(rng, &problem, Strategy::Counter(&counter)), right)
    } else {
        let mut machine = random_mealy(rng, &instance.alphabet, states);
        while !is_connected(&machine) {
            machine = random_mealy(rng, &instance.alphabet, states);
        }
        if target && rng.below(4) > 0 {
            machine = moore(machine);
        }
        let table = table_of_mealy(&instance, &instance.letters(), &machine);
        let right = keeps(&mut instance, &table, objective, NODES);
        let proper = !target || is_moore(&machine);
        (machine_file(rng, &problem, Strategy::Controller(&machine)), right.map(|right| right && proper))
    };
    let Some(right) = right else {
        tally.too_large += 1;
        return;
    };
    let context = || format!("{text}\n{formula}\n{file:?}");
    let spec = SpecRequest::text(SpecLanguage::Tlsf, "s.tlsf", text.as_str());
    tally.take(&judged(spec, file.clone(), symbolic), right, symbolic, &context);
}

/// Whether all states are reachable. An error in an unreachable state makes the whole file malformed.
fn is_connected(machine: &Mealy) -> bool {
    let mut seen = vec![machine.initial];
    let mut next = 0;
    while let Some(&state) = seen.get(next) {
        next += 1;
        for edge in &machine.states[state].edges {
            if !seen.contains(&edge.next) {
                seen.push(edge.next);
            }
        }
    }
    seen.len() == machine.states.len()
}

/// Cells whose updates no predicate reads: enumeration needs no meaning of terms.
fn cells(rng: &mut Rng, tally: &mut Tally) {
    let inputs = ["a", "b"];
    let updates = ["[x <- one()]", "[x <- two()]", "[x <- x]", "[y <- a1()]", "[y <- y]"];
    let mut text = String::from("input a, b: Bool;\nalways assume { true; a || !a; b || !b; }\n");
    if rng.flip() {
        let _ = writeln!(text, "assume {{ {}; }}", temporal(rng, &inputs, &updates));
    }
    for _ in 0..=rng.below(2) {
        let (f, g) = (temporal(rng, &inputs, &updates), temporal(rng, &inputs, &updates));
        let _ = writeln!(text, "guarantee {{ ({f}) || ({g}); }}");
    }
    let _ = writeln!(
        text,
        "always guarantee {{ {}; }}",
        updates.map(|update| format!("({update} || !{update})")).join(" && ")
    );
    let text = text.replace(" | ", " || ").replace(" & ", " && ");
    let mut map = SourceMap::new();
    let source = map.add("s.tsl", text.clone());
    let files = [MainFile { source, canonical: "s.tsl".into() }];
    let problem = match load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports) {
        Ok((problem, _)) => problem,
        Err(failure) => panic!("{:?}\n{text}", failure.diagnostics),
    };
    let mut instance = Instance::of(&problem, &[]);
    let objective = instance.contract.formula(&mut instance.formulas);
    let (states, symbolic) = (1 + rng.below(3), rng.flip());
    let (file, right) = if rng.below(3) == 0 {
        let counter = random_counter(rng, &instance.alphabet, states);
        let table = table_of_counter(&instance, &instance.letters(), &counter);
        let defeat = instance.formulas.not(objective);
        (
            machine_file(rng, &problem, Strategy::Counter(&counter)),
            keeps(&mut instance, &table, defeat, NODES),
        )
    } else {
        let machine = random_mealy(rng, &instance.alphabet, states);
        let table = table_of_mealy(&instance, &instance.letters(), &machine);
        let right = keeps(&mut instance, &table, objective, NODES);
        (machine_file(rng, &problem, Strategy::Controller(&machine)), right)
    };
    let Some(right) = right else {
        tally.too_large += 1;
        return;
    };
    let context = || format!("{text}\n{file:?}");
    let spec = SpecRequest::text(SpecLanguage::Tsl, "s.tsl", text.as_str());
    tally.take(&judged(spec, file.clone(), symbolic), right, symbolic, &context);
}

/// Random machines that allow, in each state and for each input letter, some output letters and one next state. Where
/// inputs decide nothing, the label may stand at the state.
fn open_labels(rng: &mut Rng, tally: &mut Tally) {
    let (inputs, outputs) = (["a", "b"], ["x", "y"]);
    let parts: Vec<String> = (0..2).map(|_| format!("({})", temporal(rng, &inputs, &outputs))).collect();
    let formula = parts.join(" | ");
    let mut instance = Instance::new("a b", "x y").with_guarantee(&formula);
    let objective = instance.contract.guarantees[0];
    let letters = instance.letters();
    let states = 1 + rng.below(2);
    let mut table: Table = Vec::new();
    let mut text = format!(
        "HOA: v1\nStates: {states}\nStart: 0\nAP: 4 \"a\" \"b\" \"x\" \"y\"\ncontrollable-AP: 2 3\nacc-name: all\nAcceptance: 0 t\n--BODY--\n"
    );
    let code = |letter: &Letter| {
        (0..4).filter(|&bit| letter.contains(Id::from_index(bit))).map(|bit| 1 << bit).sum()
    };
    let literals = |bits: usize, first: usize| {
        let not = |bit: usize| if bits >> bit & 1 == 1 { "" } else { "!" };
        format!("{}{}&{}{}", not(0), first, not(1), first + 1)
    };
    for state in 0..states {
        let mut row = vec![None; letters.len()];
        if rng.below(3) == 0 {
            let (next, sure) = (rng.below(states), rng.below(4));
            let allowed: Vec<usize> = (0..4).filter(|&output| output == sure || rng.below(3) == 0).collect();
            let labels: Vec<String> = allowed.iter().map(|&output| literals(output, 2)).collect();
            let _ = writeln!(text, "State: [{}] {state}\n{next}", labels.join(" | "));
            for (index, letter) in letters.iter().enumerate() {
                let bits: usize = code(letter);
                row[index] = allowed.contains(&(bits >> 2)).then_some(next);
            }
            table.push(row);
            continue;
        }
        let _ = writeln!(text, "State: {state}");
        for input in 0..4usize {
            let next = rng.below(states);
            let sure = rng.below(4);
            let allowed: Vec<usize> = (0..4).filter(|&output| output == sure || rng.below(3) == 0).collect();
            let labels: Vec<String> = allowed.iter().map(|&output| literals(output, 2)).collect();
            let _ = writeln!(text, "[{}&({})] {next}", literals(input, 0), labels.join(" | "));
            for (index, letter) in letters.iter().enumerate() {
                let bits: usize = code(letter);
                if bits & 3 == input && allowed.contains(&(bits >> 2)) {
                    row[index] = Some(next);
                }
            }
        }
        table.push(row);
    }
    text.push_str("--END--\n");
    let symbolic = rng.flip();
    let Some(right) = keeps(&mut instance, &table, objective, NODES) else {
        tally.too_large += 1;
        return;
    };
    let spec = SpecRequest::formulas(
        [formula.clone(), "a | !a | b | !b | x | !x | y | !y".into()],
        ["x".into(), "y".into()],
    );
    let file = Input::Text { name: "m.hoa".into(), text };
    let context = || format!("{formula}\n{file:?}");
    tally.take(&judged(spec, file.clone(), symbolic), right, symbolic, &context);
}

fn campaign(count: u64) {
    let mut tally = Tally::default();
    let mut seed = first_seed();
    while tally.calls < count {
        seed += 1;
        let rng = &mut Rng(seed);
        match seed % 4 {
            0 | 1 => semantics(rng, &mut tally),
            2 => cells(rng, &mut tally),
            _ => open_labels(rng, &mut tally),
        }
    }
    println!(
        "verify: {} calls as enumeration says, {} hold, {} are no strategies; {} problems too large to enumerate; by products {}, with diagrams {}, on circuits {}",
        tally.calls, tally.holds, tally.no_strategy, tally.too_large, tally.by[0], tally.by[1], tally.by[2]
    );
    assert!(tally.holds > count / 20 && tally.by[0] > count / 5 && tally.by[2] > count / 5, "{tally:?}");
}

#[test]
fn verify_agrees_with_enumeration() {
    campaign(300);
}

#[test]
#[ignore = "a campaign"]
fn campaign_judgments() {
    campaign(setting("TSL_SYNTH_JUDGMENTS", 10_000));
}
