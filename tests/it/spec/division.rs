//! `mod`, `div`, `%` and `/` by constants: against their definitions on negative numbers, with the exact engine for finite
//! sorts as reference for integers, and what is said of those that are not computed.

use super::support::{Table, lines, load_all, problem, show};
use crate::campaign::{first_seed, setting};
use std::fmt::Write;
use tsl_synth_core::base::{Random, StopFlag};
use tsl_synth_core::model::{Abstraction, Silent, Verdict};
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_lang::spec::LoadOptions;
use tsl_synth_testkit::quota;

/// The work for one contract.
const WORK: u64 = 20_000_000;

/// Whether a contract is realizable; `None` if that is not known.
fn winner(text: &str) -> Option<bool> {
    let mut problem = problem(text);
    let stop = StopFlag::new().within(WORK);
    let options = SolverOptions { friendly: false, minimize: false, stop, ..SolverOptions::default() };
    let outcome = synthesize(&mut problem, &options, &Silent).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match outcome.verdict {
        Verdict::Realizable(_) => Some(true),
        Verdict::Unrealizable(_, Abstraction::Tsl) => Some(false),
        Verdict::Unrealizable(_, Abstraction::Ltl) | Verdict::Unknown(_) => None,
    }
}

/// What the four operations say of a number.
fn facts(value: i64, divisor: i64) -> [(String, i64); 4] {
    [
        (format!("mod x ({divisor})"), value.rem_euclid(divisor)),
        (format!("div x ({divisor})"), value.div_euclid(divisor)),
        (format!("x % ({divisor})"), value % divisor),
        (format!("x / ({divisor})"), value / divisor),
    ]
}

#[test]
fn each_operation_has_its_rounding() {
    let mut random = Random::new(7);
    for sort in ["Int", "-9..9"] {
        // More values take long.
        let values = [-7, 3, -4, 0, -1, 5, -9, 2, -6, 8, -3];
        for value in values.into_iter().take(quota(4)) {
            let head = format!("cell x: {sort} = {value};\n");
            let mut right = String::new();
            let mut all = Vec::new();
            for divisor in [-4, -3, 1, 2, 4] {
                for (term, result) in facts(value, divisor) {
                    let _ = writeln!(
                        right,
                        "  {term} = {result}; !({term} > {result}); {term} > {};",
                        result - 1
                    );
                    all.push((term, result));
                }
            }
            let tail = "  x = 0 || x != 0 || [x <- x];\n}\n";
            assert_eq!(
                winner(&format!("{head}initially guarantee {{\n{right}{tail}")),
                Some(true),
                "{value}"
            );
            let (term, result) = &all[random.below(all.len())];
            let other = if random.below(2) == 0 { result + 1 } else { result - 1 };
            let wrong =
                [format!("{term} = {other}"), format!("{term} > {result}"), format!("{term} < {result}")];
            let wrong = &wrong[random.below(3)];
            let text = format!("{head}initially guarantee {{\n  {wrong};\n{tail}");
            assert_eq!(winner(&text), Some(false), "{value}: {wrong}");
        }
    }
}

#[test]
fn literals_are_computed() {
    let p = problem(
        "cell x: Int = 0; guarantee { mod (-7) 3 = 2 && div (-7) 3 = -3 && mod (-7) (-3) = 2 && div (-7) (-3) = 3
         && (0 - 7) % 3 = -1 && (0 - 7) / 3 = -2 || x > 5; }",
    );
    let mut p = p;
    let outcome = synthesize(&mut p, &SolverOptions::default(), &Silent).expect("certified");
    assert!(matches!(outcome.verdict, Verdict::Realizable(_)));
}

/// The greatest value of the cells; the least is its opposite.
const TOP: i64 = 3;

fn condition(random: &mut Random) -> String {
    let left = ["x", "y", "x + a", "x - y", "2 * x + 1", "a - x"][random.below(6)];
    let divisor = [2, 3, -2, 4][random.below(4)];
    let term = match random.below(5) {
        0 | 1 => format!("mod ({left}) ({divisor})"),
        2 => format!("div ({left}) ({divisor})"),
        3 => format!("({left}) % ({divisor})"),
        _ => format!("({left}) / ({divisor})"),
    };
    let sign = ["=", "!=", "<", ">", "<=", ">="][random.below(6)];
    let right = match random.below(4) {
        0 => ["y", "a", "x"][random.below(3)].to_owned(),
        _ => ["-1", "0", "1", "2"][random.below(4)].to_owned(),
    };
    format!("{term} {sign} {right}")
}

fn update(random: &mut Random) -> String {
    [
        "[x <- x + 1]",
        "[x <- x - 1]",
        "[x <- x + a]",
        "[y <- x]",
        "[x <- 0]",
        "[y <- y + 2]",
        "[x <- 0 - y]",
        "[y <- mod x 2]",
        "[x <- 2 * y]",
    ][random.below(9)]
    .to_owned()
}

fn contract(random: &mut Random) -> impl Fn(bool) -> String + use<> {
    let initial = [(); 2].map(|()| [-2, -1, 0, 1, 2][random.below(5)]);
    let mut clauses = String::new();
    for _ in 0..=random.below(3) {
        let condition = condition(random);
        let clause = match random.below(6) {
            0 => format!("F ({condition})"),
            1 => format!("{condition} -> X !({})", self::condition(random)),
            2 => format!("{condition} || {}", update(random)),
            3 => format!("{} || {}", update(random), update(random)),
            4 => format!("p -> {}", update(random)),
            _ => format!("{condition} -> {}", update(random)),
        };
        let _ = writeln!(clauses, "  {clause};");
    }
    move |finite| {
        let sort = if finite { format!("-{TOP}..{TOP}") } else { "Int".into() };
        let mut text = format!("input p: Bool;\ninput a: -1..1;\ncell x: {sort} = {};\n", initial[0]);
        let _ = writeln!(text, "cell y: {sort} = {};\nalways guarantee {{", initial[1]);
        text += &clauses;
        if !finite {
            for name in ["x", "y"] {
                let _ = writeln!(text, "  {name} >= -{TOP}; {name} <= {TOP};");
            }
        }
        text + "  [x <- x] || [y <- y] || p || a >= 0 || y >= 0 || x >= 0;\n}\n"
    }
}

#[test]
fn random_contracts_agree_with_the_exact_engine() {
    let count = setting("TSL_SYNTH_DIVISIONS", quota(6) as u64);
    let (mut system, mut environment, mut unknown) = (0, 0, 0);
    for number in 0..count {
        let seed = first_seed().wrapping_mul(0x9e37).wrapping_add(number);
        let contract = contract(&mut Random::new(seed));
        let exact = winner(&contract(true)).unwrap_or_else(|| panic!("seed {seed}: {}", contract(true)));
        match winner(&contract(false)) {
            Some(found) => {
                assert_eq!(found, exact, "seed {seed}:\n{}\n{}", contract(true), contract(false));
                *if found { &mut system } else { &mut environment } += 1;
            }
            None => unknown += 1,
        }
    }
    println!("{system} realizable, {environment} unrealizable, {unknown} unknown");
    assert!(system > 0 && environment > 0 && unknown * 2 < count, "{system}, {environment}, {unknown}");
}

#[test]
fn what_is_not_computed_is_said() {
    let found = |text: &str| {
        let (_, result) = load_all(&[text], &LoadOptions::default(), &Table::default());
        match result {
            Ok((_, found)) => lines(&found),
            Err(failure) => show(&failure),
        }
    };
    for (text, part) in [
        ("cell x: Int = 0; guarantee { mod x 0 = 1; [x <- x + 1]; }", "TSL0111"),
        ("cell x: Int = 0; guarantee { div x 0 = 1; [x <- x + 1]; }", "TSL0111"),
        ("cell x: Int = 0; guarantee { x % 0 = 1; [x <- x + 1]; }", "TSL0111"),
        ("cell x: Int = 0; input n: Int; guarantee { mod x n = 1; [x <- x + 1]; }", "not a number"),
        ("cell x: Int = 0; input n: Int; guarantee { x % n = 1; [x <- x + 1]; }", "not linear"),
        ("cell x: Int; guarantee { mod x 3 = 1; [x <- x + 1]; }", "not computed"),
        ("cell x: Int = 0; input n: Int; guarantee { mod x 3 = 1; [x <- x + n]; }", "not computed"),
        ("cell x: Int = 0; guarantee { div x 3 + div x 2 > 1; [x <- x + 1]; }", "not computed"),
        ("cell x: Int = 0; guarantee { mod x 9999999 = 1; [x <- x + 1]; }", "at most 4096"),
    ] {
        assert!(found(text).contains(part), "{text}: {}", found(text));
    }
    for text in [
        "cell x: Int = 0; always guarantee { mod x 3 = 1 -> [x <- x + 1]; div x 2 < 9; }",
        "cell x: Nat = 0; always guarantee { x % 3 = 1 -> [x <- x + 1]; x / 2 < 9; }",
        "function mod: Int -> Int -> Int; cell x: Int = 0; always guarantee { mod x 3 = 1 -> [x <- x + 1]; }",
        "cell x: 0..9 = 0; always guarantee { mod x 3 = 1 -> [x <- div x 2]; }",
    ] {
        assert!(
            !found(text).contains("computed") && !found(text).contains("linear"),
            "{text}: {}",
            found(text)
        );
    }
}

/// In state 0 the equation `r = 1` is false of a known value, 0, and less on its left side.
#[test]
fn ranges_beside_integers_are_certified() {
    let text = "cell x: Int = -3; wrapping cell r: 0..2 = 0; initially guarantee { r = 1 && x < 0; }
                always guarantee { [x <- x] -> [r <- r]; }";
    assert_eq!(winner(text), Some(false));
    assert_eq!(winner(&text.replace("r = 1", "r = 0")), Some(true));
}

/// Whether a comparison of numbers holds.
fn compares(left: i64, sign: &str, right: i64) -> bool {
    match sign {
        "=" => left == right,
        "!=" => left != right,
        "<" => left < right,
        ">" => left > right,
        "<=" => left <= right,
        _ => left >= right,
    }
}

#[test]
fn divided_inputs_are_compared_with_cells_of_any_sort() {
    let mut random = Random::new(11);
    let ranges = [(0, 20), (-6, 20), (-20, -1), (0, 900)];
    let (mut won, mut lost) = (0, 0);
    for number in 0..quota(48) {
        let (low, high) = ranges[random.below(4)];
        let prefix = if number % 2 == 0 { "" } else { "Int in " };
        let divisor = [3, 4, -3, 7][random.below(4)];
        let function = random.below(4);
        let results = |value: i64| facts(value, divisor)[function].1;
        let all: Vec<i64> = (low..=high).map(results).collect();
        let (least, greatest) = (all.iter().min().expect("some"), all.iter().max().expect("some"));
        // Around the ends, where a comparison of all values is decided.
        let first = [least - 1, *least, *greatest, greatest + 1][random.below(4)];
        let sign = ["=", "!=", "<", ">", "<=", ">="][random.below(6)];
        let term = facts(0, divisor)[function].0.replace('x', "pay");
        let is_left = random.below(2) == 0;
        let holds = |value: i64| {
            let (left, right) = if is_left { (results(value), first) } else { (first, results(value)) };
            compares(left, sign, right)
        };
        let side = if is_left { format!("{term} {sign} pot") } else { format!("pot {sign} {term}") };
        let text = format!(
            "input pay: {prefix}{low}..{high};\noutput ok: Bool;\ncell pot: Int = {first};\n\
             always guarantee {{ ok <-> {side}; ok; [pot <- pot]; }}\n"
        );
        let expected = (low..=high).all(holds);
        // Where remainders are not asked for, bounded integers stay numbers, which the engines may leave to the game.
        let found = winner(&text);
        let is_left = found.is_none() && !prefix.is_empty();
        assert!(is_left || found == Some(expected), "{found:?} {expected}\n{text}");
        if expected { won += 1 } else { lost += 1 }
    }
    assert!(won > 8 && lost > 8, "{won} {lost}");
}
