//! Controllers that win without making the assumptions false themselves: the engine and the certifier compared with the
//! definition (`oracle::friendly`), and with a reduction to plain synthesis (`oracle::promises`).

use crate::campaign::{first_seed, setting};
use crate::oracle::brute::Tried;
use crate::oracle::elementary::{Table, keeps, table_of_mealy};
use crate::oracle::friendly::{Expectations, Unrolled, friendly_winner};
use crate::oracle::instance::Instance;
use crate::oracle::machines::{mutate_counter, mutate_mealy, random_mealy};
use crate::oracle::promises::Promises;
use crate::oracle::specs::random_contract;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{CounterStrategy, Mealy, Silent, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{Engine, Friendliness, Outcome, SolverOptions, StrategyForm, synthesize};
use tsl_synth_kernel::{
    CertifyError, Falsified, Friendly, StrategyClaim, StrategyRef, certify_friendly, certify_none_friendly,
};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, Problem, load_tsl};
use tsl_synth_testkit::{Rng, quota};

/// The most nodes of a tableau of elementary sets.
const NODES: usize = 1 << 12;
/// Partial controllers that are tried for each number of states.
const TRIES: usize = 120;

/// The answer to the search for a friendly controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    NotAsked,
    Friendly,
    None,
    Undecided,
}

/// Options with minimization, and without it by one of the engines.
fn both_ways(number: u64) -> [SolverOptions; 2] {
    let engine = [Engine::Auto, Engine::Bounded, Engine::Symbolic, Engine::Explicit][(number % 4) as usize];
    let plain = SolverOptions { friendly: false, ..SolverOptions::default() };
    [plain.clone(), SolverOptions { minimize: false, engine, ..plain }]
}

fn decide(problem: &mut Problem, options: SolverOptions) -> Outcome {
    let options = SolverOptions { form: StrategyForm::Explicit, ..options };
    synthesize(problem, &options, &Silent)
        .unwrap_or_else(|failed| panic!("{failed}\n{}", Instance::of(problem, &[]).show()))
}

/// Searches for a friendly controller, and checks by the definition what is claimed about the one that is found.
fn ask(
    instance: &Instance,
    expectations: &Expectations,
    problem: &mut Problem,
    options: SolverOptions,
) -> (Outcome, Answer) {
    let outcome = decide(problem, SolverOptions { friendly: true, ..options });
    let context = || format!("{:?}\n{}", outcome.friendly, instance.show());
    if let Some(machine) = controller(&outcome) {
        let table = table_of_mealy(instance, &instance.letters(), machine);
        let violation = expectations.violation(&table);
        match &outcome.friendly {
            Friendliness::NotAsked => panic!("{}", context()),
            // This does not imply that the assumptions are satisfiable.
            Friendliness::Independent if !expectations.is_satisfiable() => {}
            Friendliness::Independent | Friendliness::Friendly => {
                assert_eq!(violation, None, "the controller is not friendly: {}", context());
            }
            Friendliness::Unsatisfiable => assert!(!expectations.is_satisfiable(), "{}", context()),
            Friendliness::None(falsified) | Friendliness::Undecided(_, Some(falsified)) => {
                is_falsified(instance, expectations, &table, falsified);
            }
            Friendliness::Undecided(_, None) => {}
        }
    }
    let answer = match &outcome.friendly {
        Friendliness::NotAsked => Answer::NotAsked,
        Friendliness::Independent if !expectations.is_satisfiable() => Answer::None,
        Friendliness::Independent | Friendliness::Friendly => Answer::Friendly,
        Friendliness::Unsatisfiable | Friendliness::None(_) => Answer::None,
        Friendliness::Undecided(..) => Answer::Undecided,
    };
    (outcome, answer)
}

/// Checks that the play shows a shortest violation of the controller, and that the assumption is the first that, alone
/// with the facts, cannot be satisfied after it.
fn is_falsified(instance: &Instance, expectations: &Expectations, table: &Table, falsified: &Falsified) {
    let letters = instance.letters();
    let context = || format!("{falsified:?}\n{table:?}\n{}", instance.show());
    let Falsified { play, steps, assumption } = falsified;
    let index = |letter| letters.iter().position(|l| l == letter).expect("a letter of the alphabet");
    // Far enough to see the cycle in every state.
    let mut word = Vec::new();
    let mut position = 0;
    while word.len() < play.len() * (table.len() + 1) + steps {
        word.push(index(play.letter(position)));
        position = play.successor(position);
    }
    let played = word.iter().try_fold(0, |state, &letter| table[state][letter]);
    assert!(played.is_some(), "not a play: {}", context());
    assert!(expectations.is_violation(table, &word[..*steps]), "not a violation: {}", context());
    let shortest = expectations.violation(table).expect("a violation");
    assert_eq!(*steps, shortest.len(), "there is a shorter one: {}", context());
    let broken = |&index: &usize| {
        let mut instance = instance.clone();
        instance.contract.assumptions = vec![instance.contract.assumptions[index]];
        let alone = Expectations::new(&mut instance, NODES).expect("a smaller tableau");
        !alone.goes_on(table, &word[..*steps])
    };
    let first = (0..instance.contract.assumptions.len()).find(broken);
    assert_eq!(*assumption, first, "{}", context());
}

/// The controller in a verdict.
fn controller(outcome: &Outcome) -> Option<&Mealy> {
    match &outcome.verdict {
        Verdict::Realizable(StrategyRepr::Explicit(machine)) => Some(machine),
        _ => None,
    }
}

/// Whether there is a friendly controller that keeps the contract, of any size; `None` where that is not decided.
fn there_is_one(instance: &mut Instance, expectations: &Expectations) -> Option<bool> {
    if !expectations.is_satisfiable() {
        return Some(false);
    }
    let promises = Promises::new(instance, expectations)?;
    let outcome = decide(
        &mut promises.problem().problem(),
        SolverOptions { minimize: false, friendly: false, ..SolverOptions::default() },
    );
    let Some(machine) = controller(&outcome) else {
        return matches!(outcome.verdict, Verdict::Unrealizable(..)).then_some(false);
    };
    let table = table_of_mealy(instance, &instance.letters(), &promises.controller(machine));
    assert_eq!(expectations.violation(&table), None, "by its promises\n{}", instance.show());
    Some(true)
}

/// What a campaign counts.
#[derive(Debug, Default)]
struct Tally {
    not_realizable: usize,
    too_large: usize,
    /// The machine of plain synthesis is friendly.
    at_once: usize,
    /// A friendly machine is found, and that of plain synthesis is not friendly.
    searched: usize,
    none: usize,
    unsatisfiable: usize,
    undecided: Vec<u64>,
    /// Answers that plain synthesis with promises gave as well.
    by_promises: usize,
    /// Of every third problem: negative answers that were confirmed by trying all machines with at most two states.
    tried: usize,
    /// Friendly machines found by trying.
    found: usize,
    /// Of these, as small as the minimized one.
    smallest: usize,
    /// Friendly machines found with more states than the smallest winning one.
    larger: usize,
}

impl Tally {
    fn take(&mut self, seed: u64) {
        let mut instance = random_contract(&mut Rng(seed));
        let plain =
            decide(&mut instance.problem(), SolverOptions { friendly: false, ..SolverOptions::default() });
        let Some(machine) = controller(&plain) else {
            self.not_realizable += 1;
            let outcome =
                decide(&mut instance.problem(), SolverOptions { friendly: true, ..SolverOptions::default() });
            assert!(controller(&outcome).is_none(), "seed {seed}");
            assert_eq!(outcome.friendly, Friendliness::NotAsked, "seed {seed}");
            return;
        };
        let Some(expectations) = Expectations::new(&mut instance, NODES) else {
            self.too_large += 1;
            return;
        };
        let letters = instance.letters();
        let at_once = expectations.violation(&table_of_mealy(&instance, &letters, machine)).is_none();
        let exists = there_is_one(&mut instance, &expectations);
        let tried = match seed % 3 {
            0 => friendly_winner(&mut instance, &expectations, 2, TRIES),
            _ => Tried::TooMuch,
        };
        let context = |what: &str| format!("{what}, seed {seed}\n{}", random_contract(&mut Rng(seed)).show());
        assert!(!at_once || exists != Some(false), "{}", context("the promises miss the plain machine"));
        assert!(!at_once || tried != Tried::Nothing, "{}", context("trying misses the plain machine"));
        let mut answers = Vec::new();
        if setting("ONLY", 0) == 1 {
            println!(
                "{:?} {exists:?} {:?}\n{}",
                decide(&mut instance.problem(), SolverOptions { friendly: true, ..SolverOptions::default() }),
                tried,
                instance.show()
            );
        }
        for options in both_ways(seed) {
            let minimize = options.minimize;
            let (outcome, answer) = ask(&instance, &expectations, &mut instance.problem(), options);
            let found = controller(&outcome).unwrap_or_else(|| panic!("{}", context("the verdict changes")));
            let table = table_of_mealy(&instance, &letters, found);
            let objective = instance.contract.formula(&mut instance.formulas);
            let wins = keeps(&mut instance, &table, objective, NODES << 2);
            assert_ne!(wins, Some(false), "{}", context("the controller breaks its contract"));
            let violation = expectations.violation(&table);
            match answer {
                Answer::Friendly => {
                    assert_eq!(violation, None, "{}", context("the controller is not friendly"));
                    assert_ne!(exists, Some(false), "{}", context("the promises say that there is none"));
                    if let (Tried::Found(smallest), true) = (&tried, minimize) {
                        assert!(found.states.len() >= smallest.len(), "{}", context("too few states"));
                        self.smallest += usize::from(found.states.len() == smallest.len());
                    }
                    self.larger += usize::from(minimize && found.states.len() > machine.states.len());
                }
                Answer::None => {
                    assert_ne!(violation, None, "{}", context("the controller is friendly after all"));
                    assert_ne!(exists, Some(true), "{}", context("by promises there is one"));
                    assert!(!matches!(tried, Tried::Found(_)), "{}", context("trying finds one"));
                }
                Answer::Undecided => self.undecided.push(seed),
                Answer::NotAsked => panic!("{}", context("not asked")),
            }
            answers.push(answer);
        }
        let (none, friendly) = (answers.contains(&Answer::None), answers.contains(&Answer::Friendly));
        assert!(!(none && friendly), "{}", context("minimization changes the answer"));
        self.none += usize::from(none);
        self.unsatisfiable += usize::from(none && !expectations.is_satisfiable());
        self.at_once += usize::from(friendly && at_once);
        self.searched += usize::from(friendly && !at_once);
        self.by_promises += usize::from((none || friendly) && exists.is_some());
        self.tried += usize::from(none && tried == Tried::Nothing);
        self.found += usize::from(friendly && matches!(tried, Tried::Found(_)));
    }

    fn judge(&self, count: u64) {
        println!("friendly controllers of {count} random contracts, first seed {}: {self:#?}", first_seed());
        let count = count as usize;
        assert!(self.undecided.len() * 100 < 2 * 2 * count, "undecided: less than 2 %");
        assert!(self.too_large * 100 < 2 * count, "too large for enumeration: less than 2 %");
        assert!(self.at_once * 100 > 15 * count, "friendly at once: more than 15 %");
        assert!(self.searched * 100 > 15 * count, "friendly after a search: more than 15 %");
        assert!((self.none - self.unsatisfiable) * 100 > 15 * count, "none: more than 15 %");
        assert!(self.unsatisfiable > 0 && self.larger > 0 && self.tried > 0);
        let answers = self.at_once + self.searched + self.none;
        assert!(self.by_promises * 100 > 95 * answers, "by promises: more than 95 %");
        assert!(self.found * 6 > self.at_once + self.searched, "found by trying: more than half of a third");
    }
}

fn campaign(count: u64) {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + count {
        tally.take(seed);
    }
    tally.judge(count);
}

#[test]
fn random_contracts_are_answered_by_definition() {
    campaign(quota(15) as u64);
}

#[test]
#[ignore = "long: see tests/README.md"]
fn campaign_friendly() {
    campaign(setting("TSL_SYNTH_FRIENDLY", 5000));
}

/// Compares the judgment of the certifier on one machine with the definition. Returns the length of the violation;
/// `None` if the machine is friendly.
fn judge_machine(
    instance: &Instance,
    expectations: &Expectations,
    letters: &[Letter],
    machine: &Mealy,
) -> Option<usize> {
    let table: Table = table_of_mealy(instance, letters, machine);
    let violation = expectations.violation(&table);
    let context = || format!("{machine:?}\n{}", instance.show());
    let Instance { formulas, alphabet, contract, .. } = instance;
    let claim = StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(machine) };
    match certify_friendly(&claim, &Budget::unlimited()).expect("a judgment") {
        Friendly::Yes(_) => {
            assert_eq!(violation, None, "an accepted machine is not friendly\n{}", context());
            None
        }
        Friendly::Unsatisfiable => {
            assert!(!expectations.is_satisfiable(), "{}", context());
            Some(0)
        }
        Friendly::No(falsified) => {
            assert_ne!(violation, None, "a rejected machine is friendly\n{}", context());
            is_falsified(instance, expectations, &table, &falsified);
            Some(falsified.steps)
        }
    }
}

#[test]
fn machines_and_mutants_are_judged_by_definition() {
    let mut rng = Rng(first_seed());
    let (mut friendly, mut violated) = (0, [0; 5]);
    let mut mutants = 0;
    let mut seed = first_seed();
    while friendly + violated.iter().sum::<usize>() < 2000 {
        seed += 1;
        let mut instance = random_contract(&mut Rng(seed));
        let Some(expectations) = Expectations::new(&mut instance, NODES) else { continue };
        let letters = instance.letters();
        let mut machines = Vec::new();
        for options in both_ways(seed) {
            let (outcome, _) = ask(&instance, &expectations, &mut instance.problem(), options);
            machines.extend(controller(&outcome).cloned());
        }
        for _ in 0..3 {
            let states = 1 + rng.below(4);
            machines.push(random_mealy(&mut rng, &instance.alphabet, states));
        }
        for index in 0..8 {
            let machine = &machines[index % machines.len()];
            let Some(mutant) = mutate_mealy(&mut rng, &instance.alphabet, machine) else { continue };
            machines.push(mutant);
            mutants += 1;
        }
        for machine in &machines {
            match judge_machine(&instance, &expectations, &letters, machine) {
                None => friendly += 1,
                Some(length) => violated[length.min(4)] += 1,
            }
        }
    }
    println!(
        "{friendly} friendly machines, violations of 0, 1, 2, 3 and more letters: {violated:?}; {mutants} mutants"
    );
    assert!(friendly > 500 && mutants > 700 && violated.iter().all(|&n| n > 3), "{friendly} {violated:?}");
}

#[test]
fn counter_strategies_with_hints_are_judged_by_definition() {
    let mut rng = Rng(first_seed());
    let (mut original, mut accepted, mut rejected) = (0, 0, 0);
    let mut seed = first_seed();
    while accepted + rejected < quota(12) {
        seed += 1;
        let mut instance = random_contract(&mut Rng(seed));
        if instance.alphabet.bit_count() > 3 || instance.alphabet.inputs().count() > 1 {
            continue;
        }
        let Some(expectations) = Expectations::new(&mut instance, NODES) else { continue };
        let Some(promises) = Promises::new(&instance, &expectations) else { continue };
        let Some(forbidden) = promises.forbidden(NODES) else { continue };
        let outcome = decide(
            &mut promises.problem().problem(),
            SolverOptions { friendly: false, ..SolverOptions::default() },
        );
        let Verdict::Unrealizable(StrategyRepr::Explicit(counter), _) = &outcome.verdict else { continue };
        let counter = promises.counter(counter);
        let judge = |counter: &CounterStrategy| {
            let Instance { formulas, alphabet, contract, .. } = &promises.instance;
            let claim =
                StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Counter(counter) };
            let right = promises.refutes(counter, &forbidden);
            match certify_none_friendly(&claim, &promises.pairs, &Budget::unlimited()) {
                Ok(_) => assert!(right, "accepted: {counter:?}\n{}", instance.show()),
                Err(CertifyError::Violated(_)) => {
                    assert!(!right, "rejected: {counter:?}\n{}", instance.show());
                }
                Err(error) => panic!("{error}\n{}", instance.show()),
            }
            right
        };
        assert!(judge(&counter), "{}", instance.show());
        original += 1;
        for _ in 0..10 {
            let Some(mutant) = mutate_counter(&mut rng, &promises.instance.alphabet, &counter) else {
                continue;
            };
            let count = if judge(&mutant) { &mut accepted } else { &mut rejected };
            *count += 1;
        }
    }
    println!("{original} counter-strategies; of their mutants {accepted} accepted, {rejected} rejected");
    assert!(original > quota(1) && accepted > quota(1) && rejected > quota(1));
}

/// The friendly controller that is found.
fn friendly(instance: Instance) -> Mealy {
    check(instance, true)
}

/// No friendly controller keeps the contract.
fn none(instance: Instance) {
    check(instance, false);
}

/// Searches for a friendly controller, and checks by the definition that the existence of one is as expected. Returns
/// the controller that is found.
fn check(mut instance: Instance, exists: bool) -> Mealy {
    let expectations = Expectations::new(&mut instance, NODES).expect("a small tableau");
    let mut found = None;
    for options in both_ways(0) {
        let (outcome, answer) = ask(&instance, &expectations, &mut instance.problem(), options);
        let expected = if exists { Answer::Friendly } else { Answer::None };
        assert_eq!(answer, expected, "{}", instance.show());
        let machine = controller(&outcome).expect("a controller").clone();
        let table = table_of_mealy(&instance, &instance.letters(), &machine);
        let objective = instance.contract.formula(&mut instance.formulas);
        assert_eq!(keeps(&mut instance, &table, objective, NODES << 2), Some(true), "{}", instance.show());
        assert_eq!(expectations.violation(&table).is_none(), exists, "{}", instance.show());
        let letters = instance.letters();
        judge_machine(&instance, &expectations, &letters, &machine);
        found = Some(machine);
    }
    assert_eq!(there_is_one(&mut instance, &expectations), Some(exists), "{}", instance.show());
    let tried = friendly_winner(&mut instance, &expectations, 2, 20 * TRIES);
    assert!(if exists { tried != Tried::Nothing } else { !matches!(tried, Tried::Found(_)) });
    found.expect("a controller")
}

/// The length of the shortest violation of the machine of plain synthesis.
fn plain_violation(instance: &Instance) -> Option<usize> {
    let mut instance = instance.clone();
    let outcome =
        decide(&mut instance.problem(), SolverOptions { friendly: false, ..SolverOptions::default() });
    let table = table_of_mealy(&instance, &instance.letters(), controller(&outcome).expect("realizable"));
    Expectations::new(&mut instance, NODES).expect("small").violation(&table).map(|history| history.len())
}

#[test]
fn assumptions_over_inputs_cannot_be_broken() {
    let instance = Instance::new("a b", "x y")
        .with_assumption("G F a")
        .with_assumption("G (b -> X !b)")
        .with_guarantee("G (b -> x)")
        .with_guarantee("G F (a & y)");
    assert_eq!(plain_violation(&instance), None);
    friendly(instance);
}

#[test]
fn unsatisfiable_assumptions_have_no_friendly_controller() {
    for assumption in ["G F a & F G !a", "a & !a & F x", "F (x & X !x & X x)"] {
        let instance = Instance::new("a", "x").with_assumption(assumption).with_guarantee("G (x <-> X a)");
        assert_eq!(plain_violation(&instance), Some(0), "{assumption}");
        none(instance);
    }
    // Facts and assumptions count together.
    let instance =
        Instance::new("a", "x").with_fact("G a").with_assumption("F (x & !a)").with_guarantee("G x");
    none(instance);
}

#[test]
fn restrictions_are_no_assumptions() {
    // The assumption contradicts the restriction, which the controller always keeps.
    let contract = |restriction| {
        Instance::new("a", "x")
            .with_assumption("G F x")
            .with_restriction(restriction)
            .with_guarantee("G (a -> X x)")
    };
    none(contract("F G !x"));
    // A restriction that is consistent with the assumption.
    let instance = Instance::new("a", "x")
        .with_assumption("G F x")
        .with_restriction("G (x -> X !x)")
        .with_guarantee("G (a -> F x)");
    friendly(instance);
}

#[test]
fn the_soundness_example_is_won_by_breaking_assumptions_only() {
    let instance = Instance::new("i1 i2", "o1 o2")
        .with_assumption("G !(o1 <-> i1)")
        .with_assumption("G (o2 -> (i2 | X i2))")
        .with_guarantee("G (o1 -> X o1)")
        .with_guarantee("G (o2 <-> X i2)");
    assert!(plain_violation(&instance).is_some());
    none(instance);
    // With guarantees that do not depend on later inputs.
    let instance = Instance::new("i1 i2", "o1 o2")
        .with_assumption("G !(o1 <-> i1)")
        .with_assumption("G (o2 -> (i2 | X i2))")
        .with_guarantee("G (o1 -> X (o1 | i1))")
        .with_guarantee("G (i2 -> F o2)");
    friendly(instance);
}

#[test]
fn a_friendly_controller_may_need_more_states() {
    // A controller that never outputs x wins; a friendly one needs both x and !x again and again.
    let instance = Instance::new("a", "x").with_assumption("G F x").with_guarantee("G F !x");
    let plain = SolverOptions { friendly: false, ..SolverOptions::default() };
    let smallest = decide(&mut instance.problem(), plain);
    assert_eq!(controller(&smallest).expect("realizable").states.len(), 1);
    assert_eq!(plain_violation(&instance), Some(0));
    assert_eq!(friendly(instance).states.len(), 2);
}

#[test]
fn an_input_that_no_assumption_mentions_may_decide() {
    // x is allowed together with b only.
    let contract = |guarantee| Instance::new("a b", "x").with_assumption("F x").with_guarantee(guarantee);
    let machine = friendly(contract("G (x <-> b)"));
    assert_eq!(machine.states.len(), 1);
    none(contract("G !x"));
    // After x the assumption needs y, which is allowed when the environment gives b.
    let instance = Instance::new("a b", "x y")
        .with_assumption("G (x -> F y)")
        .with_guarantee("G (y -> b)")
        .with_guarantee("G (a -> x)");
    friendly(instance);
}

#[test]
fn safety_that_the_system_could_break() {
    // After x the environment must give a, which the fact forbids after b.
    let contract = |guarantee| {
        Instance::new("a b", "x")
            .with_fact("G (b -> X !a)")
            .with_assumption("G (x -> X a)")
            .with_guarantee(guarantee)
    };
    none(contract("G (b -> x)"));
    friendly(contract("G (!b -> x)"));
}

/// A TSL text through the front end.
fn load(text: &str) -> Problem {
    let mut map = SourceMap::new();
    let source = map.add("floor.tsl", text);
    let main = MainFile { source, canonical: String::new() };
    let loaded = load_tsl(&[main], &LoadOptions::default(), &mut map, &NoImports);
    loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).0
}

/// The answer to the search for a friendly controller of a TSL text, and the length of the violation of the controller.
fn tsl(text: &str) -> (Answer, Option<usize>) {
    let mut problem = load(text);
    let mut instance = Instance::of(&problem, &[]);
    let expectations = Expectations::new(&mut instance, 1 << 15).expect("a tableau for enumeration");
    let (outcome, answer) = ask(&instance, &expectations, &mut problem, SolverOptions::default());
    assert!(outcome.constraints.is_empty());
    let letters = instance.letters();
    let machine = controller(&outcome).expect("a controller");
    (answer, judge_machine(&instance, &expectations, &letters, machine))
}

#[test]
fn a_lift_that_keeps_away_from_the_floor_is_not_friendly() {
    let text = "cell floor: 0..1 = 0;\n\
                always assume { callUp -> F (floor = 1); }\n\
                always guarantee { callUp -> [floor <- floor + 1]; callDown -> [floor <- 0]; }\n";
    let (answer, violation) = tsl(text);
    assert_eq!(answer, Answer::None);
    assert!(violation.is_some());
    let text = text
        .replace("cell", "saturating cell")
        .replace("always assume {", "always assume { !(callUp && callDown);");
    assert_eq!(tsl(&text), (Answer::Friendly, None));
}

#[test]
fn facts_about_other_inputs_are_kept() {
    let contract = |guarantee| {
        Instance::new("a", "x").with_fact("G !a").with_assumption("F !x").with_guarantee(guarantee)
    };
    friendly(contract("F G x"));
    none(contract("G x"));
    // `Friendly` would be wrong. The answer may be undecided: a counter-strategy with hints for all these inputs has
    // too many states.
    let text = "cell floor: 0..1 = 0;\ncell door: 0..2 = 0;\n\
                always assume { callUp -> F (floor = 1); }\n\
                always guarantee { callUp -> [floor <- floor + 1]; callDown -> [floor <- 0]; }\n\
                always guarantee { open -> ([door <- 1] || [door <- 2]); door = 1 -> [door <- 2]; }\n";
    let mut problem = load(text);
    let outcome = decide(&mut problem, SolverOptions { friendly: true, ..SolverOptions::default() });
    assert!(
        matches!(outcome.friendly, Friendliness::None(_) | Friendliness::Undecided(_, Some(_))),
        "{:?}",
        outcome.friendly
    );
}

#[test]
fn short_histories_have_the_same_violations() {
    let mut rng = Rng(11);
    let (mut compared, mut by_length) = (0, [0; 4]);
    let mut friendly = 0;
    for seed in 0.. {
        if compared == 100 {
            break;
        }
        let mut instance = random_contract(&mut Rng(seed));
        if instance.alphabet.bit_count() > 2 {
            continue;
        }
        let expectations = Expectations::new(&mut instance, NODES).expect("a small tableau");
        let states = 1 + rng.below(3);
        let machine = random_mealy(&mut rng, &instance.alphabet, states);
        let table = table_of_mealy(&instance, &instance.letters(), &machine);
        let violation = expectations.violation(&table);
        let unrolled = Unrolled::new(&mut instance, &table, 3, 5, 9).violation(&table);
        let short = violation.as_ref().filter(|history| history.len() <= 3);
        assert_eq!(short.map(Vec::len), unrolled.as_ref().map(Vec::len), "seed {seed}\n{}", instance.show());
        for history in violation.iter().chain(&unrolled) {
            assert!(expectations.is_violation(&table, history), "{history:?}\n{}", instance.show());
        }
        compared += 1;
        match &violation {
            None => friendly += 1,
            Some(history) => by_length[history.len().min(3)] += 1,
        }
    }
    println!(
        "{compared} machines, {friendly} friendly, violations of 0, 1, 2 and more letters: {by_length:?}"
    );
    assert!(friendly > 20 && by_length.iter().all(|&n| n > 0), "{friendly} {by_length:?}");
}

/// Assumptions about the next inputs can be satisfied whatever the outputs are, if they allow some next inputs after
/// every letter.
#[test]
fn relations_to_the_next_inputs_break_no_controller() {
    let answer = |assumptions: &[&str]| {
        let mut instance = Instance::new("a b", "x y").with_guarantee("G F x");
        for assumption in assumptions {
            instance = instance.with_assumption(assumption);
        }
        let mut problem = instance.problem();
        decide(&mut problem, SolverOptions { friendly: true, ..SolverOptions::default() }).friendly
    };
    for always in [
        &["!a", "G (a & !x -> X a)", "G (a & x -> X !a)"][..],
        &["G (x -> X a)", "G !(a & b)", "G F b | F G b"],
        &["G (x & y -> X (a | b))"],
    ] {
        // The second has an assumption that is no relation between consecutive letters.
        let found = answer(always);
        assert!(matches!(found, Friendliness::Independent | Friendliness::Friendly), "{always:?}: {found:?}");
    }
    assert_eq!(answer(&["!a", "G (a & !x -> X a)", "G (a & x -> X !a)"]), Friendliness::Independent);
    for breakable in [
        // The outputs can require contradictory inputs, in one step or over several.
        &["G (x -> X a)", "G (y -> X !a)"][..],
        &["G (x -> X a)", "G !a"],
        &["G (x -> a)"],
        &["G (x -> X X a)", "G (y -> X !a)"],
        &["G (x -> F a)", "G (y -> X !a)"],
    ] {
        assert_ne!(answer(breakable), Friendliness::Independent, "{breakable:?}");
    }
}
