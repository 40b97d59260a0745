//! Finite sorts in both encodings: an atom for each value, where terms are computed by tables, and binary digits, where
//! they are adders and comparators. The tables are the reference.

use super::support::{Table, load_all, show};
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, CellId, Lasso, LassoSemantics, Letter, Player};
use tsl_synth_core::model::{Role, Silent, Verdict};
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_lang::spec::{LoadOptions, Problem};
use tsl_synth_testkit::{Rng, quota};

/// Each range has an atom for each value.
const TABLES: usize = usize::MAX;
/// Each range is encoded in binary.
const DIGITS: usize = 1;
/// Small ranges have an atom for each value, larger ones are encoded in binary.
const MIXED: usize = 4;

fn load(text: &str, one_hot_values: usize) -> Problem {
    let options = LoadOptions { one_hot_values, ..LoadOptions::default() };
    let (_, result) = load_all(&[text], &options, &Table::default());
    result.map_or_else(|failure| panic!("{text}\n{}", show(&failure)), |(problem, _)| problem)
}

/// The letter in which the followed signals have the values with these indices, and these updates are made.
fn letter(problem: &Problem, values: &[usize], updates: &[AtomId]) -> Letter {
    let mut letter = Letter::new();
    for (signal, &index) in problem.alphabet.encoded().iter().zip(values) {
        for (atom, _) in signal.literals(index).filter(|literal| literal.1) {
            problem.alphabet.choose(atom, &mut letter);
        }
    }
    for &update in updates {
        problem.alphabet.choose(update, &mut letter);
    }
    letter
}

/// All combinations of values of the followed signals, by index.
fn combinations(problem: &Problem) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for signal in problem.alphabet.encoded() {
        let longer = all
            .iter()
            .flat_map(|values| (0..signal.values.len()).map(move |value| [&values[..], &[value]].concat()));
        all = longer.collect();
    }
    all
}

/// Whether all clauses of some roles hold on two letters, of which the second repeats.
fn holds(problem: &Problem, roles: &[Role], letters: [&Letter; 2]) -> bool {
    let word = Lasso { prefix: vec![letters[0].clone()], cycle: vec![letters[1].clone()] };
    let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &word);
    problem.clauses.iter().filter(|c| roles.contains(&c.role)).all(|c| meaning.holds(c.formula))
}

/// A number below n.
fn below(rng: &mut Rng, n: u32) -> i64 {
    i64::from(u32::try_from(rng.below(n as usize)).expect("it is below n"))
}

fn term(rng: &mut Rng, depth: usize, signals: &[&str]) -> String {
    if depth == 0 || rng.below(4) == 0 {
        return match rng.below(3) {
            0 => (below(rng, 9) - 3).to_string().replace('-', "0 - "),
            _ => signals[rng.below(signals.len())].to_string(),
        };
    }
    let operator = ["+", "-", "*", "/", "%"][rng.below(5)];
    let (a, b) = (term(rng, depth - 1, signals), term(rng, depth - 1, signals));
    // Constants are folded, and a division by a constant 0 is an error.
    let b = if matches!(operator, "/" | "%") && !b.chars().any(char::is_alphabetic) { "x".into() } else { b };
    format!("({a}) {operator} ({b})")
}

fn range(rng: &mut Rng) -> (i64, i64) {
    let low = below(rng, 8) - 4;
    (low, low + 1 + below(rng, 6))
}

/// `-3..4` as it is written.
fn sort((low, high): (i64, i64)) -> String {
    format!("{low}..{high}")
}

#[test]
fn conditions_have_the_values_of_tables() {
    let mut rng = Rng(1);
    let mut compared = 0;
    for _ in 0..quota(200) {
        let (x, y) = (range(&mut rng), range(&mut rng));
        let sign = ["<", "<=", ">", ">=", "=", "!="][rng.below(6)];
        let (a, b) = (term(&mut rng, 2, &["x", "y"]), term(&mut rng, 1, &["x", "y"]));
        let text =
            format!("input x: {}; input y: {}; guarantee {{ {a} {sign} {b}; x + y > 2; }}", sort(x), sort(y));
        let [tables, digits] = [TABLES, [DIGITS, MIXED][rng.below(2)]].map(|one_hot| load(&text, one_hot));
        for values in combinations(&tables) {
            let all = [Role::Guarantee];
            let truth = [&tables, &digits].map(|problem| {
                let letter = letter(problem, &values, &[]);
                holds(problem, &all, [&letter, &letter])
            });
            assert_eq!(truth[0], truth[1], "{text}\n{values:?}");
            compared += 1;
        }
    }
    assert!(compared > quota(1_500), "{compared}");
}

/// The facts and restrictions about an update allow the same next values, wherever the update has a value.
#[test]
fn updates_store_the_values_of_tables() {
    let mut rng = Rng(2);
    let (mut compared, mut stored, mut unavailable) = (0, 0, 0);
    for _ in 0..quota(25) {
        let (x, m) = (range(&mut rng), range(&mut rng));
        let kind = ["", "saturating ", "wrapping "][rng.below(3)];
        let update = term(&mut rng, 2, &["x", "m"]);
        let text = format!(
            "input x: {}; {kind}cell m: {}; guarantee {{ F [m <- {update}]; F m = {}; F x = {}; }}",
            sort(x),
            sort(m),
            m.0,
            x.0
        );
        let problems = [TABLES, [DIGITS, MIXED][rng.below(2)]].map(|one_hot| load(&text, one_hot));
        let encoded = |problem: &Problem| -> Vec<String> {
            problem.alphabet.encoded().iter().map(|signal| signal.name.clone()).collect()
        };
        assert_eq!(encoded(&problems[0]), encoded(&problems[1]), "{text}");
        let all = combinations(&problems[0]);
        for option in 0..problems[0].alphabet.cells()[CellId::from_index(0)].options.len() {
            for now in &all {
                let allowed = |problem: &Problem, role| -> Vec<bool> {
                    let cell = &problem.alphabet.cells()[CellId::from_index(0)];
                    let first = letter(problem, now, &[cell.options[option]]);
                    let second = |next| letter(problem, next, &[cell.options[0]]);
                    all.iter().map(|next| holds(problem, &[role], [&first, &second(next)])).collect()
                };
                let restricted = problems.each_ref().map(|problem| allowed(problem, Role::Restriction));
                assert_eq!(restricted[0], restricted[1], "{text}\n{now:?}");
                compared += 1;
                if restricted[0].iter().all(|&available| !available) {
                    unavailable += 1;
                    continue;
                }
                let facts = problems.each_ref().map(|problem| allowed(problem, Role::Fact));
                assert_eq!(facts[0], facts[1], "{text}\n{now:?}, option {option}");
                stored += usize::from(facts[0].iter().any(|&allowed| !allowed));
            }
        }
    }
    assert!(
        compared > quota(240) && stored > quota(80) && unavailable > quota(40),
        "{compared} {stored} {unavailable}"
    );
}

/// A random contract over finite sorts.
fn contract(rng: &mut Rng) -> String {
    let (x, m, n) = (range(rng), range(rng), range(rng));
    let kind = |rng: &mut Rng| ["", "saturating ", "wrapping "][rng.below(3)];
    let initial = |rng: &mut Rng, (low, high): (i64, i64)| (low + below(rng, 12)).min(high);
    let mut text = format!("input x: {}; input go: Bool;\n", sort(x));
    for (name, range) in [("m", m), ("n", n)] {
        let _ = writeln!(text, "{}cell {name}: {} = {};", kind(rng), sort(range), initial(rng, range));
    }
    let condition = |rng: &mut Rng| {
        let signals = ["x", "m", "n"];
        let sign = ["<", "=", ">", "!="][rng.below(4)];
        let depth = rng.below(2);
        let (a, b) = (term(rng, 1, &signals), term(rng, depth, &signals));
        if rng.below(4) == 0 { "go".to_owned() } else { format!("{a} {sign} {b}") }
    };
    text += "always assume {\n";
    for _ in 0..rng.below(2) {
        let _ = writeln!(text, "  {} -> X !({});", condition(rng), condition(rng));
    }
    text += "  true;\n}\nalways guarantee {\n";
    for _ in 0..=rng.below(3) {
        let cell = ["m", "n"][rng.below(2)];
        let update = format!("[{cell} <- {}]", term(rng, 1, &["x", "m", "n"]));
        let (a, b) = (condition(rng), condition(rng));
        let clause = match rng.below(4) {
            0 => format!("  {a} -> {update};"),
            1 => format!("  {a} -> F ({b});"),
            2 => format!("  X !({a});"),
            _ => format!("  {a} -> X ({b}) || {update};"),
        };
        let _ = writeln!(text, "{clause}");
    }
    text + "}\n"
}

/// The verdict of a contract; `None` if it was not found with this work.
fn verdict(text: &str, one_hot_values: usize) -> Option<Player> {
    let options = SolverOptions { work: 20_000, rounds: 3, ..SolverOptions::default() };
    let outcome = synthesize(&mut load(text, one_hot_values), &options, &Silent);
    match outcome.unwrap_or_else(|failed| panic!("{failed}\n{text}")).verdict {
        Verdict::Realizable(_) => Some(Player::System),
        Verdict::Unrealizable(..) => Some(Player::Environment),
        Verdict::Unknown(_) => None,
    }
}

/// How many random contracts have a verdict in both encodings; all have the same one.
fn compare_verdicts(seed: u64, count: usize) -> usize {
    let mut decided = [0, 0];
    for i in 0..count {
        let text = contract(&mut Rng(seed + i as u64));
        let code = [DIGITS, MIXED][i % 2];
        let (Some(tables), Some(digits)) = (verdict(&text, TABLES), verdict(&text, code)) else { continue };
        assert_eq!(tables, digits, "seed {}\n{text}", seed + i as u64);
        decided[usize::from(tables == Player::System)] += 1;
    }
    println!("{count} contracts: {} unrealizable, {} realizable in both encodings", decided[0], decided[1]);
    assert!(decided[0] * 10 > count && decided[1] * 10 > count, "{decided:?}");
    decided[0] + decided[1]
}

#[test]
fn verdicts_do_not_depend_on_the_encoding() {
    assert!(compare_verdicts(1, 30) > 20);
}

#[test]
#[ignore = "long: see tests/README.md"]
fn campaign_encodings() {
    let number = |name, or| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    compare_verdicts(number("TSL_SYNTH_SEED", 1) as u64, number("TSL_SYNTH_ENCODINGS", 10_000));
}
