//! Remainders, quotients and products of integers whose updates are no sums: bounded cells have the answers of ranges, and where
//! a term is left open no answer for the environment comes from it.

use super::support::problem;
use crate::campaign::{first_seed, setting};
use crate::cli::Folder;
use std::fmt::Write;
use tsl_synth_core::base::{Random, StopFlag};
use tsl_synth_core::model::{Silent, Verdict};
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_testkit::quota;

/// The work for one contract.
const WORK: u64 = 20_000_000;

/// Whether a contract is called realizable; `None` for UNKNOWN.
fn winner(text: &str) -> Option<bool> {
    let mut problem = problem(text);
    let stop = StopFlag::new().within(WORK);
    let options = SolverOptions { friendly: false, minimize: false, stop, ..SolverOptions::default() };
    let outcome = synthesize(&mut problem, &options, &Silent).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match outcome.verdict {
        Verdict::Realizable(_) => Some(true),
        Verdict::Unrealizable(..) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

/// The greatest value of the cells; the least is its opposite.
const TOP: i64 = 3;

fn of<'a>(random: &mut Random, all: &[&'a str]) -> &'a str {
    all[random.below(all.len())]
}

fn condition(random: &mut Random) -> String {
    let left = of(random, &["x", "y", "x + a", "x - y", "2 * x + 1", "a - x", "abs x", "min x y"]);
    let divisor = of(random, &["2", "3", "(-2)", "4"]);
    let term = match random.below(6) {
        0 | 1 => format!("mod ({left}) {divisor}"),
        2 => format!("div ({left}) {divisor}"),
        3 => format!("({left}) % {divisor}"),
        4 => format!("({left}) / {divisor}"),
        _ => format!("({left}) * x"),
    };
    let sign = of(random, &["=", "!=", "<", ">", "<=", ">="]);
    format!("{term} {sign} {}", of(random, &["y", "a", "x", "-1", "0", "1", "2"]))
}

fn update(random: &mut Random) -> String {
    let all = [
        "[x <- min (x + 1) 3]",
        "[x <- max (x - 2) (-1)]",
        "[x <- abs (x - 1)]",
        "[x <- ite (a > 0) (x + a) y]",
        "[x <- x * a]",
        "[x <- div y 2]",
        "[y <- mod x 3]",
        "[y <- x]",
        "[y <- 0 - y]",
        "[x <- x + a]",
        "[y <- max y (x - 1)]",
    ];
    of(random, &all).to_owned()
}

/// A contract over two cells and an input: as ranges, as bounded integers, and as integers with the bounds as guarantees.
fn contract(random: &mut Random) -> [String; 3] {
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
    [format!("-{TOP}..{TOP}"), format!("Int in -{TOP}..{TOP}"), "Int".into()].map(|sort| {
        let bounds = if sort == "Int" {
            format!("  x >= -{TOP}; x <= {TOP}; y >= -{TOP}; y <= {TOP};\n")
        } else {
            String::new()
        };
        format!(
            "input p: Bool;\ninput a: -1..1;\ncell x: {sort} = {};\ncell y: {sort} = {};\nalways guarantee {{\n{clauses}{bounds}\
             \x20 [x <- x] || [y <- y] || p || a >= 0 || y >= 0 || x >= 0;\n}}\n",
            initial[0], initial[1]
        )
    })
}

#[test]
fn integers_have_the_answers_of_ranges() {
    let count = setting("TSL_SYNTH_OPEN_TERMS", quota(8) as u64);
    let (mut won, mut lost, mut left, mut open) = (0, 0, 0, 0);
    for number in 0..count {
        let seed = first_seed().wrapping_mul(0x51ed).wrapping_add(number);
        let [range, bounded, free] = contract(&mut Random::new(seed));
        let Some(exact) = winner(&range) else { panic!("seed {seed}: {range}") };
        if exact {
            won += 1;
        } else {
            lost += 1;
        }
        match winner(&bounded) {
            Some(found) => assert_eq!(found, exact, "seed {seed}:\n{bounded}"),
            // A cell beside them stays a number, which the engines may leave to the game over numbers.
            None => left += 1,
        }
        match winner(&free) {
            Some(found) => assert_eq!(found, exact, "seed {seed}:\n{free}"),
            None => open += 1,
        }
    }
    println!("{won} realizable, {lost} unrealizable, {left} left open, {open} for integers without bounds");
    assert!(won > 0 && lost > 0 && left * 2 < count, "{won} {lost} {left}");
}

#[test]
fn what_always_holds_of_remainders_is_known() {
    for divisor in [1, 2, 3, 7, -4] {
        let most = i64::abs(divisor) - 1;
        for (text, expected) in [
            // Updates that are no sums, of a cell without bounds.
            (format!("mod x ({divisor}) <= {most} && mod x ({divisor}) >= 0"), Some(true)),
            (format!("p -> mod (x + 1) ({divisor}) < {}", most + 1), Some(true)),
            (format!("x % ({divisor}) <= {most} && x % ({divisor}) >= {}", -most), Some(true)),
            (format!("mod x ({divisor}) > {most}"), Some(false)),
        ] {
            let text = format!(
                "input p: Bool;\ninput n: Int;\ncell x: Int = 5;\nalways guarantee {{ {text}; [x <- x + n] || [x <- n]; }}\n"
            );
            let found = winner(&text);
            assert!(found == expected || found.is_none() && expected == Some(false), "{found:?} {text}");
        }
        for first in [-7i64, 0, 5] {
            let text = |value: i64| {
                format!(
                    "input n: Int;\ncell x: Int = {first};\ninitially guarantee {{ mod x ({divisor}) = {value}; }}\n\
                     always guarantee {{ [x <- n]; }}\n"
                )
            };
            let value = first.rem_euclid(divisor);
            assert_eq!(winner(&text(value)), Some(true), "{}", text(value));
            assert_ne!(winner(&text(value + 1)), Some(true), "{}", text(value + 1));
        }
    }
}

/// A remainder that is left open decides nothing for the environment; what does not depend on it is decided all the same.
#[test]
fn open_terms_make_no_contract_unrealizable() {
    let folder = Folder::new();
    let head = "input n: Int;\ninput p: Bool;\ncell x: Int = 0;\noutput o: Bool;\n";
    for (clauses, code) in [
        ("p -> mod (x + n) 3 != 1 || n > 5", 3),
        ("p -> x * x >= 0", 3),
        ("p -> mod (mod n 5) 3 <= 2", 0),
        ("p -> mod n 5 >= 0", 0),
        ("p -> mod (2 * n) 2 = 0", 0),
        ("p -> mod (2 * n) 4 != 1", 3),
        ("n % 3 = 2 -> o; F o", 0),
        ("n % 3 = 2 -> o; o <-> X p", 1),
    ] {
        folder
            .file("open.tsl", format!("{head}always guarantee {{ {clauses}; [x <- x + n] || [x <- x]; }}\n"));
        let run = folder.run(["check", "open.tsl"]);
        assert_eq!(run.code, code, "{clauses}\n{}{}", run.out, run.err);
        assert_eq!(folder.run(["explain", "open.tsl"]).code, code, "{clauses}");
    }
    // An assumption that is left open may forbid what the environment would have to do.
    let text =
        format!("{head}always assume {{ mod n 3 = 1 || p; }}\nalways guarantee {{ o <-> X p; [x <- x]; }}\n");
    folder.file("assumed.tsl", text);
    assert_ne!(folder.run(["check", "assumed.tsl"]).code, 0);
}

#[test]
fn bounded_cells_have_the_answers_of_ranges_at_all_sizes() {
    let folder = Folder::new();
    for most in [5, 20, 100] {
        for (clauses, code) in [
            (
                format!(
                    "p -> [x <- min (x + 1) {most}]; !p -> [x <- max (x - 1) 0]; o <-> mod x 5 = 0 && x > 0"
                ),
                0,
            ),
            (format!("[x <- min (x + 1) {most}]; o <-> mod x 5 = 4; G !o"), 1),
            ("[x <- abs (x - 3)] || [x <- x]; p -> mod x 3 <= 3".to_owned(), 0),
            ("[x <- 2 * x] || [x <- x]; p -> mod x 3 != 2 || div x 2 >= 1".to_owned(), 0),
        ] {
            for sort in ["", "Int in "] {
                let head = format!("input p: Bool;\ncell x: {sort}0..{most} = 0;\noutput o: Bool;\n");
                folder.file("cell.tsl", format!("{head}always guarantee {{ {clauses}; }}\n"));
                let run = folder.run(["check", "cell.tsl"]);
                assert_eq!(run.code, code, "{sort} {most}: {clauses}\n{}{}", run.out, run.err);
            }
        }
    }
}
