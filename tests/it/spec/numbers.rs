//! Arithmetic of numbers: random contracts over small ranges have the same verdict with the exact engine for finite
//! sorts, which sees all values, and with arithmetic and bounds; proofs about random systems are checked, compared with
//! enumeration, and mutants of them are refused unless they are right.

use super::support::{Table, lines, load_all, problem, show};
use crate::campaign::{first_seed, setting};
use std::fmt::Write;
use tsl_synth_core::base::{Budget, Random, Rational};
use tsl_synth_core::logic::{Inequality, LinearProof, LinearSystem, Sum};
use tsl_synth_core::model::{Abstraction, Silent, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_explain::minimal_core;
use tsl_synth_kernel::{CertifyError, refutes};
use tsl_synth_lang::spec::{
    LinearAnswer, LoadOptions, MainFile, NoImports, Problem, compared_numbers, decide, load_tsl, number_game,
    satisfies,
};
use tsl_synth_programs::{Winner, solve};
use tsl_synth_testkit::quota;

/// The greatest value; the least is 0.
const TOP: usize = 3;
/// The work of one game.
const GAME_WORK: u64 = 20_000_000;

/// A random contract: its clauses, and the initial values of the cells `x` and `y`.
struct Contract {
    initial: [usize; 2],
    clauses: Vec<String>,
}

impl Contract {
    fn random(random: &mut Random) -> Self {
        let initial = [random.below(TOP + 1), random.below(TOP + 1)];
        let count = 1 + random.below(3);
        let clauses = (0..count).map(|_| clause(random)).collect();
        Self { initial, clauses }
    }

    fn text(&self, finite: bool) -> String {
        let mut text = String::from("input p: Bool;\n");
        let sort = if finite { format!("0..{TOP}") } else { "Int".into() };
        let _ = writeln!(text, "input a: {sort};");
        for (name, value) in ["x", "y"].into_iter().zip(self.initial) {
            let _ = writeln!(text, "cell {name}: {sort} = {value};");
        }
        if !finite {
            let _ = writeln!(text, "always assume {{ a >= 0; a <= {TOP}; }}");
        }
        text += "always guarantee {\n";
        for clause in &self.clauses {
            let _ = writeln!(text, "  {clause};");
        }
        if !finite {
            for name in ["x", "y"] {
                let _ = writeln!(text, "  {name} >= 0; {name} <= {TOP};");
            }
        }
        // Every name occurs, so that both texts have the same signals.
        text + "  [x <- x] || [y <- y] || p || a >= 0 || y >= 0 || x >= 0;\n}\n"
    }
}

fn clause(random: &mut Random) -> String {
    let condition = condition(random);
    match random.below(8) {
        6 => format!("F ({condition})"),
        7 => format!("{condition} -> F ({})", self::condition(random)),
        0 => format!("{condition} || {}", self::condition(random)),
        1 => format!("{condition} -> X {}", self::condition(random)),
        2 => format!("{} || {}", update(random), update(random)),
        3 => format!("p -> {}", update(random)),
        _ => format!("{condition} -> {}", update(random)),
    }
}

fn condition(random: &mut Random) -> String {
    let operator = ["<", "<=", ">", ">=", "=", "!="][random.below(6)];
    let left = ["x", "y", "x", "y", "a", "x + a", "x - y"][random.below(7)];
    let right = match random.below(4) {
        0 => ["x", "y", "a"][random.below(3)].to_owned(),
        _ => random.below(TOP + 1).to_string(),
    };
    format!("{left} {operator} {right}")
}

fn update(random: &mut Random) -> String {
    let cell = ["x", "y"][random.below(2)];
    let term = match random.below(8) {
        0 => random.below(TOP + 1).to_string(),
        1 => "a".into(),
        2 => format!("{cell} + 1"),
        3 => format!("{cell} - 1"),
        4 => format!("{cell} + a"),
        5 => format!("{cell} - a"),
        6 => if cell == "x" { "y" } else { "x" }.into(),
        _ => cell.into(),
    };
    format!("[{cell} <- {term}]")
}

fn read(text: &str) -> Problem {
    let mut map = SourceMap::new();
    let source = map.add("numbers.tsl", text);
    let file = MainFile { source, canonical: "numbers.tsl".into() };
    let (problem, _) = load_tsl(&[file], &LoadOptions::default(), &mut map, &NoImports)
        .unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    problem
}

/// The certified winner of the game over a program: true for the system; `None` for UNKNOWN.
fn game_winner(text: &str) -> Option<bool> {
    let game = number_game(&read(text)).unwrap_or_else(|limit| panic!("{limit}\n{text}"));
    assert!(game.is_exact || text.contains("saturating") || text.contains("wrapping"), "{text}");
    let budget = Budget::unlimited().with_work(GAME_WORK);
    match solve(&game.text, &budget) {
        // A win of the environment counts only where the game is exact.
        Ok(solution) => Some(solution.answer?.0 == Winner::System).filter(|&won| won || game.is_exact),
        Err(CertifyError::Limit(_)) => None,
        Err(refused) => panic!("{refused}\n{text}"),
    }
}

/// The certified winner: true for the system; `None` for UNKNOWN.
fn winner(text: &str) -> Option<bool> {
    let mut problem = read(text);
    let options = SolverOptions { friendly: false, minimize: false, ..SolverOptions::default() };
    let outcome = synthesize(&mut problem, &options, &Silent).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match outcome.verdict {
        Verdict::Realizable(_) => Some(true),
        Verdict::Unrealizable(_, Abstraction::Tsl) => Some(false),
        Verdict::Unrealizable(_, Abstraction::Ltl) | Verdict::Unknown(_) => None,
    }
}

/// Compares the verdicts on this number of contracts.
fn verdicts_agree(count: u64, seed: u64) {
    let (mut system, mut environment, mut unknown) = (0, 0, 0);
    let mut games = 0;
    for number in 0..count {
        let mut random = Random::new(seed.wrapping_add(number));
        let contract = Contract::random(&mut random);
        let exact = winner(&contract.text(true));
        let arithmetic = winner(&contract.text(false));
        for is_finite in [false, true] {
            let text = contract.text(is_finite);
            let found = game_winner(&text);
            games += u64::from(found.is_some());
            assert!(found.is_none() || exact.is_none() || found == exact, "seed {}\n{text}", seed + number);
        }
        let modifier = ["saturating", "wrapping"][random.below(2)];
        let modified = contract.text(true).replace("cell ", &format!("{modifier} cell "));
        if let (Some(exact), Some(found)) = (winner(&modified), game_winner(&modified)) {
            assert_eq!(exact, found, "seed {}\n{modified}", seed + number);
        }
        if let (Some(exact), Some(found)) = (exact, arithmetic) {
            assert_eq!(exact, found, "seed {}\n{}", seed + number, contract.text(false));
            if found { system += 1 } else { environment += 1 }
        } else {
            unknown += 1;
        }
    }
    println!(
        "{count} contracts: {system} realizable, {environment} unrealizable, {unknown} unknown; {games} of {} games decided",
        2 * count
    );
    assert!(games * 10 > count * 18, "{games} of {} games decided", 2 * count);
    assert!(system > 0 && environment > 0 && unknown * 4 < count, "{unknown} of {count} unknown");
}

#[test]
fn verdicts_over_numbers_are_those_over_ranges() {
    verdicts_agree(quota(20) as u64, 7);
}

/// The guarantees that are said to be impossible together are so, with all updates of the contract.
#[test]
fn clauses_at_fault_are_lost_over_numbers() {
    let mut cores = 0;
    for number in 0..quota(12) as u64 {
        let contract = Contract::random(&mut Random::new(4_000 + number));
        let text = contract.text(false);
        let mut problem = read(&text);
        let options = SolverOptions { friendly: false, threads: 1, ..SolverOptions::default() };
        let outcome = synthesize(&mut problem, &options, &Silent).expect("certified");
        let Verdict::Unrealizable(counter, notion) = &outcome.verdict else { continue };
        let mut alone = problem.clone();
        for constraint in outcome.constraints {
            problem.clauses.push(constraint);
        }
        let asked = SolverOptions { stop: options.stop.within(2_000_000), ..options };
        let core = minimal_core(&problem, Some(counter), *notion, &asked, &Silent).expect("certified");
        let top = alone.formulas.top();
        for (id, clause) in problem.clauses.enumerate() {
            if clause.is_duty() && !core.guarantees.contains(&id) {
                alone.clauses[id].formula = top;
            }
        }
        let game = number_game(&alone).expect("a game");
        let budget = Budget::unlimited().with_work(GAME_WORK);
        if let Ok(solution) = solve(&game.text, &budget) {
            let winner = solution.answer.map(|(winner, _)| winner);
            assert_ne!(
                winner,
                Some(Winner::System),
                "seed {}\n{text}\n{:?}",
                4_000 + number,
                core.guarantees
            );
            cores += u32::from(winner.is_some());
        }
    }
    assert!(cores as usize > quota(2), "{cores} cores");
}

#[test]
#[ignore = "a campaign"]
fn campaign_numbers() {
    verdicts_agree(setting("TSL_SYNTH_NUMBERS", 5_000), first_seed());
}

fn number(value: usize) -> Rational {
    Rational::integer(value as i128 - 4).expect("small")
}

/// A random system over three integers from -2 to 2.
fn random_system(random: &mut Random) -> LinearSystem {
    let mut system = LinearSystem { integer: vec![true; 3], ..LinearSystem::default() };
    for variable in 0..3 {
        let bound = Sum::constant(number(2));
        let sides = [Rational::ONE, Rational::ONE.negated()];
        let sums = sides.map(|side| bound.plus(side, &Sum::variable(variable)).expect("small"));
        system.inequalities.extend(sums.map(Inequality::at_most_zero));
    }
    for _ in 0..2 + random.below(4) {
        let mut sum = Sum::constant(number(random.below(9)));
        for variable in 0..3 {
            let factor = number(2 + random.below(5));
            sum = sum.plus(factor, &Sum::variable(variable)).expect("small");
        }
        match random.below(4) {
            0 => system.different.push(sum),
            1 => system.equate(sum),
            2 => system.inequalities.push(Inequality::below_zero(sum)),
            _ => system.inequalities.push(Inequality::at_most_zero(sum)),
        }
    }
    system
}

fn has_solution(system: &LinearSystem) -> bool {
    (0..125).any(|code: usize| {
        let values = [code % 5, code / 5 % 5, code / 25].map(|digit| number(digit + 2));
        satisfies(system, &(0..).zip(values).collect())
    })
}

/// A proof with one change: another factor, a combination less, or cases exchanged.
fn changed(proof: &LinearProof, random: &mut Random) -> LinearProof {
    let mut proof = proof.clone();
    match &mut proof {
        LinearProof::Cases(_, both) => {
            let side = random.below(2);
            if random.below(4) == 0 { both.swap(0, 1) } else { both[side] = changed(&both[side], random) }
        }
        LinearProof::Combine(steps) => {
            let step = random.below(steps.len());
            let part = random.below(steps[step].len().max(1));
            match random.below(4) {
                0 => drop(steps.remove(step)),
                1 if !steps[step].is_empty() => drop(steps[step].remove(part)),
                2 if !steps[step].is_empty() => steps[step][part].1 = number(random.below(9)),
                _ if !steps[step].is_empty() => steps[step][part].0 = random.below(12),
                _ => steps.clear(),
            }
        }
    }
    proof
}

/// The checker agrees with enumeration on this number of random systems, and refuses mutants of proofs of systems that
/// have solutions.
fn proofs_are_checked(count: usize, seed: u64) {
    let mut random = Random::new(seed);
    let (mut proofs, mut refused, mut foreign) = (0, 0, 0);
    let mut last: Option<LinearProof> = None;
    for _ in 0..count {
        let system = random_system(&mut random);
        let possible = has_solution(&system);
        match decide(&system) {
            LinearAnswer::Possible(model) => assert!(possible && satisfies(&system, &model), "{system:?}"),
            LinearAnswer::Impossible(proof) => {
                assert!(!possible && refutes(&system, &proof), "{system:?}");
                proofs += 1;
                refused += usize::from(!refutes(&system, &changed(&proof, &mut random)));
                last = Some(proof);
            }
            LinearAnswer::Unknown => panic!("undecided: {system:?}"),
        }
        // A proof of another system proves nothing of one with solutions, changed or not.
        if let (true, Some(proof)) = (possible, &last) {
            assert!(
                !refutes(&system, proof) && !refutes(&system, &changed(proof, &mut random)),
                "{system:?}"
            );
            foreign += 1;
        }
    }
    println!(
        "{count} systems: {proofs} proofs, {refused} mutants refused, {foreign} proofs of others refused"
    );
    assert!(proofs > count / 10 && refused > proofs / 2 && foreign > count / 10);
}

#[test]
fn proofs_about_numbers_are_checked() {
    proofs_are_checked(500, 3);
}

#[test]
#[ignore = "a campaign"]
fn campaign_lemmas() {
    proofs_are_checked(setting("TSL_SYNTH_LEMMAS", 2_000) as usize, first_seed());
}

#[test]
fn only_declared_numbers_are_computed() {
    let compared = |text: &str| {
        let problem = problem(text);
        (compared_numbers(&problem.signature).len(), problem.signature.uninterpreted_arithmetic)
    };
    assert_eq!(compared("input a: Int; cell x: Int; always guarantee { x > a; }"), (1, false));
    assert_eq!(compared("cell x: Int; always guarantee { x > a; }"), (0, true));
    assert_eq!(compared("input a: Real; cell x: Real; always guarantee { x * a > 2; }"), (0, true));
    assert_eq!(compared("input a: 0..9; cell x: Int; always guarantee { x > 2 * a + 1; }"), (1, false));
    assert_eq!(compared("input a: Int; always guarantee { a / 2 > 1; }"), (3, false));
    assert_eq!(compared("input a: Int; always guarantee { a % 2 = 1; }"), (0, true));
    assert_eq!(compared("input a: Real; always guarantee { a / 2 > 1; }"), (1, false));
}

/// Quotients of reals are exact, also where the dividend is known, as a cell is in the first step.
#[test]
fn cells_are_divided() {
    for (first, update, kept, lost) in [
        ("8", "x / 2", "x <= 8", "x >= 1"),
        ("8", "x / 3 + 4", "x <= 8", "x >= 7"),
        ("-9", "x / 0.5 + 1", "x <= -9", "x > -20"),
        ("6", "x - x / 4", "x <= 6", "x >= 4"),
        ("6", "x * 2 / 4", "x <= 6", "x >= 1"),
        ("8", "x / 2 + a", "x <= 9", "x >= 1"),
        ("1", "(x + a) / 2", "x <= 2", "x >= 0.2"),
        ("1", "x / -2", "x <= 1", "x >= -0.4"),
        ("0", "(1 - x) / 3", "x <= 0.5", "x <= 0.3"),
        ("0", "(1 + 2 * x + a / 5) / 4", "x <= 1", "x <= 0.2"),
    ] {
        let text = |clause: &str| {
            format!(
                "input a: Real in 0..2; cell x: Real = {first};
                 always guarantee {{ [x <- {update}]; {clause}; }}"
            )
        };
        assert_eq!(winner(&text(kept)), Some(true), "{update} {kept}");
        assert_eq!(winner(&text(lost)), Some(false), "{update} {lost}");
    }
}

#[test]
fn a_controller_may_need_what_a_comparison_amounts_to_before() {
    let text = |low: &str| {
        format!(
            "input flow: Real; cell level: Real = 10; always assume {{ flow >= 0; flow <= 1; }}
             always guarantee {{ [level <- level + flow - 2] || [level <- level + flow]; level >= {low}; level <= 100; }}"
        )
    };
    assert_eq!(winner(&text("0")), Some(true));
    assert_eq!(winner(&text("99")), Some(false));
}

#[test]
fn bounds_that_no_update_can_leave_are_no_constant_clauses() {
    for (floors, update) in [(9, "floor"), (0, "floor"), (99, "min floor 5")] {
        let text = format!(
            "input floor: 0..{floors};\ncell target: Int in 0..{floors} = 0;\n\
             always guarantee {{ [target <- {update}] || [target <- target]; }}\n"
        );
        let (_, read) = load_all(&[&text], &LoadOptions::default(), &Table::default());
        let (_, found) = read.unwrap_or_else(|failure| panic!("{text}\n{}", show(&failure)));
        assert!(!lines(&found).contains("TSL0154"), "{text}\n{}", lines(&found));
    }
}
