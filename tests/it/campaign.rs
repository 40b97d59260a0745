//! Differential campaigns: seeded random problems are solved by the whole synthesizer, and every answer is checked by
//! the certifier, by enumeration if the problem is small, and by brute force if it is tiny.
//!
//! A tenth runs with the other tests. `tests/README.md` has the commands for the full campaigns.

use crate::oracle::brute::{self, Found};
use crate::oracle::elementary::{keeps, table_of_counter, table_of_mealy};
use crate::oracle::instance::Instance;
use crate::oracle::machines::{mutate_counter, mutate_mealy};
use crate::oracle::specs::{Scale, random_instance};
use crate::oracle::tsl::random_tsl;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tsl_synth_core::base::{Budget, LimitKind, StopFlag};
use tsl_synth_core::model::{Abstraction, CounterStrategy, Mealy, Silent, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{Engine, Outcome, SolverOptions, StrategyForm, synthesize};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, Problem, load_tsl};
use tsl_synth_testkit::{Rng, quota};

/// The most nodes of a tableau of elementary sets.
const NODES: usize = 1 << 11;
/// The time limit of one problem.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A number from an environment variable.
pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

/// The first seed; every problem of a campaign adds its own number to it.
pub(crate) fn first_seed() -> u64 {
    setting("TSL_SYNTH_SEED", 2026)
}

fn decide(problem: &mut Problem, engine: Engine, form: StrategyForm) -> Outcome {
    let minimize = engine != Engine::Symbolic;
    let options = SolverOptions { engine, minimize, form, stop: StopFlag::new(), ..SolverOptions::default() };
    let (done, alarm) = mpsc::channel::<()>();
    let stop = options.stop.clone();
    let clock = std::thread::spawn(move || {
        if alarm.recv_timeout(TIME_LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
            stop.raise(LimitKind::Time);
        }
    });
    let outcome = synthesize(problem, &options, &Silent).unwrap_or_else(|failed| {
        panic!("{engine}, {form:?}: {failed}\n{}", Instance::of(problem, &[]).show())
    });
    drop(done);
    clock.join().expect("the clock");
    outcome
}

/// What a campaign counts.
#[derive(Debug, Default)]
struct Tally {
    realizable: usize,
    unrealizable: usize,
    undecided: Vec<u64>,
    uncertified: usize,
    /// Answers confirmed by model checking with elementary sets.
    enumerated: usize,
    /// Answers that brute force gave as well.
    brute: usize,
    /// Answers that the symbolic engine gave as well.
    symbolic: usize,
    /// The same with circuits as strategies.
    circuits: usize,
    /// Answers that the explicit engine gave as well.
    explicit: usize,
    /// Problems of which the game with the players exchanged had the opposite verdict.
    dual: usize,
    /// Tiny problems on which brute force found nothing.
    brute_open: usize,
    solving: Vec<Duration>,
    /// The time of a second certification relative to that of the whole synthesis, in thousandths.
    checking: Vec<u32>,
    slowest: (Duration, u64),
}

impl Tally {
    /// Decides one problem and compares the answer with all other engines and oracles. Panics with seed and problem on
    /// a disagreement.
    fn take(&mut self, seed: u64, mut problem: Problem, tiny: bool) -> Option<Found> {
        let start = Instant::now();
        let other = problem.clone();
        let outcome = decide(&mut problem, Engine::Bounded, StrategyForm::Explicit);
        let time = start.elapsed();
        self.solving.push(time);
        self.slowest = self.slowest.max((time, seed));
        let mut instance = Instance::of(&problem, &outcome.constraints);
        let context = |what: &str| format!("{what}, seed {seed}\n{}", Instance::of(&problem, &[]).show());
        let start = Instant::now();
        let claim = match &outcome.verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                self.realizable += 1;
                let Instance { formulas, alphabet, contract, .. } = &instance;
                let checked = certify(
                    &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(machine) },
                    &Budget::unlimited(),
                );
                assert!(checked.is_ok(), "{} {checked:?}", context("a controller is wrong"));
                Found::Controller
            }
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => {
                self.unrealizable += 1;
                let Instance { formulas, alphabet, contract, .. } = &instance;
                let checked = certify(
                    &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Counter(machine) },
                    &Budget::unlimited(),
                );
                assert!(checked.is_ok(), "{} {checked:?}", context("a counter-strategy is wrong"));
                Found::CounterStrategy
            }
            _ => {
                self.undecided.push(seed);
                return None;
            }
        };
        let share = start.elapsed().as_micros() * 1000 / time.as_micros().max(1);
        self.checking.push(u32::try_from(share).unwrap_or(u32::MAX));
        for form in [StrategyForm::Explicit, StrategyForm::Circuit] {
            let answer = decide(&mut other.clone(), Engine::Symbolic, form);
            // Refinement needs explicit machines: without it, UNREALIZABLE holds for the LTL abstraction only.
            let abstraction =
                matches!(answer.verdict, Verdict::Unrealizable(StrategyRepr::Circuit(_), Abstraction::Ltl));
            if let Some(found) = found(&answer.verdict) {
                let agreed = found == claim || abstraction;
                assert!(agreed, "{form:?}: {}", context("the engines disagree"));
                self.symbolic += usize::from(form == StrategyForm::Explicit);
                self.circuits += usize::from(form == StrategyForm::Circuit);
            }
        }
        let answer = decide(&mut other.clone(), Engine::Explicit, StrategyForm::Explicit);
        if let Some(found) = found(&answer.verdict) {
            assert_eq!(found, claim, "{}", context("the explicit engine disagrees"));
            self.explicit += 1;
        }
        self.uncertified += usize::from(outcome.certificate.is_none());
        if instance.alphabet.bit_count() <= 6 {
            let confirmed = match &outcome.verdict {
                Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                    controller_is_right(&mut instance, machine)
                }
                Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => {
                    counter_is_right(&mut instance, machine)
                }
                _ => None,
            };
            assert_ne!(confirmed, Some(false), "{}", context("enumeration refutes the answer"));
            self.enumerated += usize::from(confirmed.is_some());
        }
        if tiny {
            let found = brute::synthesize(&mut instance, 3, 2000);
            assert!(found == claim || found == Found::Nothing, "{}", context("brute force disagrees"));
            self.brute += usize::from(found == claim);
            self.brute_open += usize::from(found == Found::Nothing);
        }
        Some(claim)
    }

    /// Decides the game with the players exchanged, which must have the opposite verdict.
    fn take_dual(&mut self, seed: u64, instance: &Instance, claim: Found) {
        let mut problem = instance.dual().problem();
        let outcome = decide(&mut problem, Engine::Auto, StrategyForm::Explicit);
        let context = || format!("seed {seed}\n{}", instance.show());
        let Some(dual) = found(&outcome.verdict) else { return };
        assert_ne!(dual, claim, "the dual game disagrees, {}", context());
        self.dual += 1;
    }

    fn report(&mut self, name: &str) {
        let all = self.solving.len();
        let percent = |n: usize| 100.0 * n as f64 / all.max(1) as f64;
        self.solving.sort();
        self.checking.sort_unstable();
        let median = |i: usize| i / 2;
        println!("{name}: {all} problems, first seed {}", first_seed());
        println!("  decided       {:6.2} %", percent(self.realizable + self.unrealizable));
        println!("  REALIZABLE    {:6.2} %", percent(self.realizable));
        println!("  UNREALIZABLE  {:6.2} %", percent(self.unrealizable));
        println!("  uncertified   {:6}", self.uncertified);
        println!("  disagreements      0  (the first one ends the campaign)");
        println!(
            "  confirmed by enumeration {}, by brute force {} (open {}), by the symbolic engine {} \
             (as circuits {}), by the explicit engine {}, by the dual game {}",
            self.enumerated,
            self.brute,
            self.brute_open,
            self.symbolic,
            self.circuits,
            self.explicit,
            self.dual
        );
        if let (Some(time), Some(share)) =
            (self.solving.get(median(all)), self.checking.get(median(self.checking.len())))
        {
            println!("  median time {time:?}, certification {:.1} % of it", f64::from(*share) / 10.0);
        }
        println!("  slowest {:?}, seed {}", self.slowest.0, self.slowest.1);
        println!("  undecided seeds {:?}", &self.undecided[..self.undecided.len().min(20)]);
    }

    /// The thresholds of the campaign, lowered by `slack` percentage points for small samples.
    fn judge(&self, slack: usize) {
        let all = self.solving.len();
        assert_eq!(self.uncertified, 0);
        assert!((self.realizable + self.unrealizable) * 100 >= all * (95 - slack), "95 % decided");
        assert!(self.realizable * 100 >= all * (30 - slack), "30 % realizable");
        assert!(self.unrealizable * 100 >= all * (30 - slack), "30 % unrealizable");
    }
}

/// Whose strategy a verdict contains; `None` if it is unknown.
fn found(verdict: &Verdict) -> Option<Found> {
    match verdict {
        Verdict::Realizable(_) => Some(Found::Controller),
        Verdict::Unrealizable(..) => Some(Found::CounterStrategy),
        Verdict::Unknown(_) => None,
    }
}

pub(crate) fn controller_is_right(instance: &mut Instance, machine: &Mealy) -> Option<bool> {
    let table = table_of_mealy(instance, &instance.letters(), machine);
    let objective = instance.contract.formula(&mut instance.formulas);
    keeps(instance, &table, objective, NODES)
}

pub(crate) fn counter_is_right(instance: &mut Instance, machine: &CounterStrategy) -> Option<bool> {
    let table = table_of_counter(instance, &instance.letters(), machine);
    let objective = instance.contract.formula(&mut instance.formulas);
    let defeat = instance.formulas.not(objective);
    keeps(instance, &table, defeat, NODES)
}

fn ltl(count: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + count {
        // Every fourth is small enough for brute force.
        let tiny = seed % 4 == 0;
        let instance = random_instance(&mut Rng(seed), if tiny { Scale::TINY } else { Scale::FULL });
        let claim = tally.take(seed, instance.problem(), tiny);
        if let Some(claim) = claim.filter(|_| seed % 5 == 0) {
            tally.take_dual(seed, &instance, claim);
        }
    }
    tally.report("random LTL");
    tally
}

/// A TSL text through the front end.
fn load(seed: u64, text: &str) -> Problem {
    let mut map = SourceMap::new();
    let source = map.add(format!("random{seed}.tsl"), text);
    let main = MainFile { source, canonical: String::new() };
    match load_tsl(&[main], &LoadOptions::default(), &mut map, &NoImports) {
        Ok((problem, _)) => problem,
        Err(failure) => panic!("seed {seed}: {:?}\n{text}", failure.diagnostics),
    }
}

fn tsl(count: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + count {
        let text = random_tsl(&mut Rng(seed));
        let problem = load(seed, &text);
        let tiny = problem.alphabet.bit_count() <= 3 && problem.clauses.len() <= 3;
        tally.take(seed, problem, tiny);
    }
    tally.report("random TSL");
    tally
}

/// Winning strategies of random problems, half of them of each player.
pub(crate) fn winners(count: usize) -> Vec<(Instance, Verdict)> {
    let mut winners = Vec::new();
    let mut of_kind = [0; 2];
    let mut seed = first_seed();
    while winners.len() < count {
        seed += 1;
        assert!(seed < first_seed() + 500 * count as u64 + 5000, "few winners");
        let instance = random_instance(&mut Rng(seed), Scale { inputs: 2, outputs: 2, size: 12 });
        let mut problem = instance.problem();
        let outcome = decide(&mut problem, Engine::Auto, StrategyForm::Explicit);
        let states = match &outcome.verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => machine.states.len(),
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => machine.states.len(),
            _ => 0,
        };
        // Small enough that enumeration decides every mutant.
        let mut instance = Instance::of(&problem, &outcome.constraints);
        let opinion = match &outcome.verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                controller_is_right(&mut instance, machine)
            }
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => {
                counter_is_right(&mut instance, machine)
            }
            _ => None,
        };
        let kind = usize::from(matches!(outcome.verdict, Verdict::Unrealizable(..)));
        if states > 1 && opinion.is_some() && of_kind[kind] < count.div_ceil(2) {
            of_kind[kind] += 1;
            winners.push((instance, outcome.verdict));
        }
    }
    winners
}

fn mutants(count: usize) {
    let mut rng = Rng(first_seed());
    let winners = winners(count.div_ceil(10));
    let (mut made, mut killed, mut confirmed) = ([0usize; 2], [0usize; 2], [0usize; 2]);
    while made[0] + made[1] < count {
        let (instance, verdict) = &winners[rng.below(winners.len())];
        let mut instance = instance.clone();
        let Instance { formulas, alphabet, contract, .. } = &instance;
        let budget = Budget::unlimited();
        let (kind, checked, right) = match verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                let Some(mutant) = mutate_mealy(&mut rng, alphabet, machine) else { continue };
                let checked = certify(
                    &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(&mutant) },
                    &budget,
                );
                (0, checked, controller_is_right(&mut instance, &mutant))
            }
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => {
                let Some(mutant) = mutate_counter(&mut rng, alphabet, machine) else { continue };
                let checked = certify(
                    &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Counter(&mutant) },
                    &budget,
                );
                (1, checked, counter_is_right(&mut instance, &mutant))
            }
            _ => unreachable!("winners only"),
        };
        let right = right.expect("enumeration had an opinion on the machine");
        made[kind] += 1;
        match checked {
            Ok(_) => {
                assert!(right, "an accepted mutant is wrong\n{}", instance.show());
                confirmed[kind] += 1;
            }
            Err(CertifyError::Violated(_)) => {
                assert!(!right, "a rejected mutant is right\n{}", instance.show());
                killed[kind] += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    for (kind, name) in ["controllers", "counter-strategies"].into_iter().enumerate() {
        println!(
            "mutants of {name}: {} made, {} rejected ({:.1} %), {} accepted and all confirmed",
            made[kind],
            killed[kind],
            100.0 * killed[kind] as f64 / made[kind].max(1) as f64,
            confirmed[kind]
        );
    }
    assert!(made[0] > count / 5 && made[1] > count / 5, "mutants of both kinds");
}

#[test]
fn the_soundness_example_is_realizable() {
    let instance = Instance::new("i1 i2", "o1 o2")
        .with_guarantee("(G !(o1 <-> i1) & G(o2 -> (i2 | X i2))) -> (G(o1 -> X o1) & G(o2 <-> X i2))");
    let mut tally = Tally::default();
    assert_eq!(tally.take(0, instance.problem(), true), Some(Found::Controller));
    tally.take_dual(0, &instance, Found::Controller);
    // The same with the premises as assumptions.
    let instance = Instance::new("i1 i2", "o1 o2")
        .with_assumption("G !(o1 <-> i1)")
        .with_assumption("G(o2 -> (i2 | X i2))")
        .with_guarantee("G(o1 -> X o1)")
        .with_guarantee("G(o2 <-> X i2)");
    assert_eq!(tally.take(1, instance.problem(), true), Some(Found::Controller));
    assert_eq!((tally.dual, tally.uncertified), (1, 0));
}

/// Minimal problems on which an earlier version of the engine was wrong, and their answers.
fn regressions() -> Vec<(Instance, Found)> {
    let boolean = || Instance::new("a b", "x y z");
    let cells = || Instance::new("a", "").with_cell("m", "u v w");
    vec![
        // The value of a bit that was chosen early was lost, and the machine gave the other one.
        (boolean().with_guarantee("x"), Found::Controller),
        (cells().with_guarantee("G(v | X w)"), Found::Controller),
        (boolean().with_guarantee("F G !y").with_guarantee("G(z U b | !a)"), Found::CounterStrategy),
        // The letters that lead to a node at the border between the players' bits contained bits of the other player.
        (cells().with_guarantee("w & !G(w | a)"), Found::CounterStrategy),
        (cells().with_guarantee("!(a R w) U X w"), Found::Controller),
        (cells().with_guarantee("w & (u U (a U w))"), Found::Controller),
        (boolean().with_guarantee("!((!a | x) <-> y)"), Found::Controller),
    ]
}

#[test]
fn brute_force_solves_the_regressions() {
    for (mut instance, answer) in regressions() {
        assert_eq!(brute::synthesize(&mut instance, 2, 20_000), answer, "{}", instance.show());
    }
}

#[test]
fn the_engine_solves_the_regressions() {
    let mut tally = Tally::default();
    for (instance, answer) in regressions() {
        assert_eq!(tally.take(0, instance.problem(), true), Some(answer), "{}", instance.show());
    }
}

#[test]
fn a_part_of_the_ltl_campaign() {
    ltl(quota(100) as u64).judge(6);
}

#[test]
fn a_part_of_the_tsl_campaign() {
    tsl(quota(12) as u64).judge(12);
}

#[test]
fn random_tsl_is_well_formed() {
    for seed in 0..300 {
        load(seed, &random_tsl(&mut Rng(seed)));
    }
}

#[test]
fn a_tenth_of_the_mutants() {
    mutants(quota(40));
}

#[test]
#[ignore = "long: see tests/README.md"]
fn campaign_ltl() {
    ltl(setting("TSL_SYNTH_CAMPAIGN", 10_000)).judge(0);
}

#[test]
#[ignore = "long: see tests/README.md"]
fn campaign_tsl() {
    tsl(setting("TSL_SYNTH_CAMPAIGN_TSL", 2000)).judge(0);
}

#[test]
#[ignore = "long: see tests/README.md"]
fn campaign_mutants() {
    mutants(setting("TSL_SYNTH_MUTANTS", 1000) as usize);
}
