//! Random contracts that decompose into contracts over disjoint outputs, decided part by part and as a whole, and
//! stories, whose clauses read places, counters and things that other clauses write.

use crate::oracle::instance::Instance;
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, FormulaId};
use tsl_synth_core::model::{Silent, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{Engine, Outcome, SolverOptions, StrategyForm, synthesize};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, load_tsl};
use tsl_synth_testkit::{Rng, random_formula, small_alphabet};

/// A random formula over the inputs and one output.
fn about(rng: &mut Rng, instance: &mut Instance, output: &str) -> FormulaId {
    let size = 2 + rng.below(6);
    let f = random_formula(rng, &mut instance.formulas, &small_alphabet(false), size);
    let own = instance.read(output);
    let outputs = [2, 3].map(|i| instance.formulas.atom(AtomId::from_index(i)));
    instance.formulas.map(f, |_, g, _| outputs.contains(&g).then_some(own))
}

fn decide(instance: &Instance, engine: Engine, form: StrategyForm) -> Outcome {
    // Little work: problems that are not decided soon are skipped.
    let options = SolverOptions { engine, form, minimize: false, rounds: 3, ..SolverOptions::default() };
    synthesize(&mut instance.problem(), &options, &Silent)
        .unwrap_or_else(|failed| panic!("{failed}\n{}", instance.show()))
}

#[test]
fn parts_and_the_whole_have_the_same_winner() {
    let mut rng = Rng(77);
    let (mut fell_apart, mut loose, mut realizable, mut unrealizable, mut circuits) = (0, 0, 0, 0, 0);
    for round in 0..300 {
        let mut instance = Instance::new("a b", "x y z");
        for output in ["x", "y", "z"] {
            for _ in 0..=rng.below(2) {
                let f = about(&mut rng, &mut instance, output);
                let f = if rng.below(3) == 0 { instance.formulas.globally(f) } else { f };
                instance.contract.guarantees.push(f);
            }
        }
        if rng.flip() {
            let atom = ["a", "a", "x"][rng.below(3)];
            let f = about(&mut rng, &mut instance, atom);
            instance.contract.assumptions.push(f);
        }
        if rng.below(4) == 0 {
            let atom = ["b", "y"][rng.below(2)];
            let f = about(&mut rng, &mut instance, atom);
            instance.contract.facts.push(f);
        }
        let form = if rng.flip() { StrategyForm::Circuit } else { StrategyForm::Either };
        let parted = decide(&instance, Engine::Auto, form);
        let whole = decide(&instance, Engine::Bounded, StrategyForm::Explicit);
        let apart = parted.statistics.log.iter().any(|line| line.starts_with("parts:"));
        let speaks_of_outputs =
            !instance.contract.assumptions.is_empty() || !instance.contract.facts.is_empty();
        match (&parted.verdict, &whole.verdict) {
            (Verdict::Realizable(machine), Verdict::Realizable(_)) => {
                realizable += 1;
                circuits += usize::from(apart && matches!(machine, StrategyRepr::Circuit(_)));
            }
            (Verdict::Unrealizable(..), Verdict::Unrealizable(..)) => unrealizable += 1,
            (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => continue,
            other => panic!("{round}: {other:?}\n{}", instance.show()),
        }
        fell_apart += usize::from(apart);
        loose += usize::from(apart && speaks_of_outputs);
    }
    println!(
        "{fell_apart} fell apart, {loose} of them with premises; {realizable} realizable ({circuits} circuits of \
         parts), {unrealizable} unrealizable"
    );
    assert!(fell_apart > 80 && loose > 20 && realizable > 30 && unrealizable > 80 && circuits > 5);
}

/// A decomposition must not drop assumptions about the outputs of another part: the system may win by violating them.
#[test]
fn the_system_may_violate_an_assumption_about_another_part() {
    // Dropped from the part of p, the assumption cannot be violated there.
    let instance = Instance::new("i", "p q").with_assumption("G F q").with_guarantee("G (p <-> X i)");
    let outcome = decide(&instance, Engine::Auto, StrategyForm::Either);
    assert!(matches!(outcome.verdict, Verdict::Realizable(_)), "q is never true: {outcome:?}");
    let instance = Instance::new("i", "o1 o2")
        .with_assumption("G ((o1 & !i) | (!o1 & i))")
        .with_assumption("G (o2 -> (i | X i))")
        .with_guarantee("G (o1 -> X o1)")
        .with_guarantee("G (o2 <-> X i)");
    let outcome = decide(&instance, Engine::Auto, StrategyForm::Either);
    assert!(matches!(outcome.verdict, Verdict::Realizable(_)), "o1 has the value of i: {outcome:?}");
}

/// A story: all places are visited, a counter counts what is safe, and each thing is taken in one place and used in the
/// last one. With `locked`, the last place is not entered before the counter is at its end.
fn story(places: usize, most: usize, things: usize, locked: bool) -> String {
    let mut text = format!("cell count: 0..{most} = 0;\n");
    for i in 0..things {
        let _ = writeln!(text, "cell thing{i}: enum {{none, held, used}} = none;");
    }
    let mut always = format!(
        "safe && count < {most} -> [count <- count + 1]; !(safe && count < {most}) -> [count <- count];\n"
    );
    let last = places - 1;
    for i in 0..places {
        let _ = writeln!(text, "initially assume {{ !in{i}(here); }}");
        let _ = writeln!(text, "always assume {{ [way <- to{i}(here)] <-> X in{i}(here); }}");
        if i < last || !locked {
            let _ = writeln!(always, "F in{i}(here);");
        }
    }
    for i in 0..things {
        let at = i % places;
        let _ = write!(
            always,
            "take{i} && in{at}(here) && thing{i} = none -> [thing{i} <- held];
             !(take{i} && in{at}(here)) && thing{i} = none -> [thing{i} <- none];
             thing{i} = held && in{last}(here) -> [thing{i} <- used];
             thing{i} = held && !in{last}(here) -> [thing{i} <- held];
             thing{i} = used -> [thing{i} <- used];\n"
        );
    }
    let _ = write!(text, "always guarantee {{\n{always}}}\n");
    if locked {
        let _ = write!(
            text,
            "assume {{ G F safe; }}
             guarantee {{ (!in{last}(here)) W (count = {most}); F in{last}(here); }}\n"
        );
    }
    text
}

fn decided(text: &str, minimize: bool) -> Outcome {
    let mut map = SourceMap::new();
    let source = map.add("story.tsl", text);
    let file = MainFile { source, canonical: "story.tsl".into() };
    let (mut problem, _) =
        load_tsl(&[file], &LoadOptions::default(), &mut map, &NoImports).expect("a specification");
    let options = SolverOptions { minimize, ..SolverOptions::default() };
    synthesize(&mut problem, &options, &Silent).unwrap_or_else(|failed| panic!("{failed}\n{text}"))
}

/// The counter and each thing are parts of their own, as long as no clause relates them to the places; so the work does
/// not grow with their values.
#[test]
fn what_clauses_only_read_is_another_part() {
    for locked in [false, true] {
        for (places, most, things) in [(2, 3, 1), (2, 7, 2), (3, 7, 4), (3, 15, 4), (5, 7, 1), (7, 31, 1)] {
            let shown = format!("{places} places, count 0..{most}, {things} things, locked: {locked}");
            let outcome = decided(&story(places, most, things, locked && places < 5), false);
            assert!(
                matches!(outcome.verdict, Verdict::Realizable(_)) && outcome.certificate.is_some(),
                "{shown}: {:?}",
                outcome.verdict
            );
            let parts = if locked && places < 5 { 1 + things } else { 2 + things };
            let said = format!("parts: {parts} over disjoint outputs");
            assert!(outcome.statistics.log.contains(&said), "{shown}: {:?}", outcome.statistics.log);
            let effort = outcome.statistics.progress.effort;
            assert!(effort < 10_000_000, "{shown}: {effort} units of work without an answer");
        }
    }
}

/// The search for the smallest machine ends where its guards grow large, before its automaton is complete.
#[test]
fn smallest_machines_of_stories_are_given_up_early() {
    for (places, most, things) in [(2, 3, 1), (2, 3, 2), (2, 3, 3)] {
        let outcome = decided(&story(places, most, things, true), true);
        let log = &outcome.statistics.log;
        assert!(matches!(outcome.verdict, Verdict::Realizable(_)), "{log:?}");
        assert!(log.iter().any(|line| line.contains("guards too large")), "{log:?}");
    }
}

/// A clause may need premises about outputs that it only reads: its part is lost, and joined with theirs. The winner is
/// that of the whole.
#[test]
fn a_part_that_needs_the_premises_of_another_is_joined_with_it() {
    for (chain, wins) in [(1, true), (2, true), (3, true), (1, false), (2, false)] {
        let outputs: Vec<String> = (0..=chain).map(|i| format!("o{i}")).collect();
        let inputs: Vec<String> = (0..=chain).map(|i| format!("i{i}")).collect();
        let mut instance =
            Instance::new(&format!("{} free", inputs.join(" ")), &format!("{} other", outputs.join(" ")));
        // Each input shows the output of the step before, and each output but the first has to announce an input.
        for i in 0..=chain {
            instance = instance.with_assumption(&format!("G (X i{i} <-> o{i})"));
            if i > 0 {
                let read = if wins { format!("i{}", i - 1) } else { "free".to_owned() };
                instance = instance.with_guarantee(&format!("G (o{i} <-> X {read})"));
            }
        }
        let instance = instance.with_guarantee("F i0").with_guarantee("G (other <-> free)");
        let parted = decide(&instance, Engine::Auto, StrategyForm::Either);
        let whole = decide(&instance, Engine::Bounded, StrategyForm::Explicit);
        let log = &parted.statistics.log;
        assert_eq!(matches!(parted.verdict, Verdict::Realizable(_)), wins, "{log:?}\n{}", instance.show());
        assert_eq!(matches!(whole.verdict, Verdict::Realizable(_)), wins, "{}", instance.show());
        assert!(log.iter().any(|line| line.starts_with("parts:")), "{log:?}\n{}", instance.show());
    }
}
