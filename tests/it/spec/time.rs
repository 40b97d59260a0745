//! `F within n f`, `G for n f` and `f every n`: against their definitions on random lasso words, in verdicts of random
//! contracts, as names where they were names, and wrong numbers.

use super::support::{Table, lines, load_all, problem, show};
use crate::campaign::first_seed;
use std::fmt::Write;
use tsl_synth_core::base::Random;
use tsl_synth_core::logic::{AtomId, AtomKind, Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::{Role, Silent, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::mealy::Registers;
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_lang::spec::{LoadOptions, Problem};
use tsl_synth_lang::syntax::{Parentheses, format_tsl, parse_tsl, print_expression, print_module};
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_testkit::quota;

fn atom(problem: &Problem, name: &str) -> AtomId {
    let found = problem.alphabet.atoms().enumerate().find(|(_, atom)| atom.name == name);
    found.unwrap_or_else(|| panic!("no atom {name}")).0
}

/// A random word over the inputs `a` and `b` in which the input `tick` is true at the multiples of `period`, and clocks
/// count. Its parts are as long as some multiple of the periods.
fn word(problem: &Problem, period: usize, periods: &[usize], random: &mut Random) -> Lasso {
    let names = ["a", "b"].map(|name| atom(problem, name));
    let tick = atom(problem, "tick");
    let whole: usize = periods.iter().product();
    let mut letters = Vec::new();
    for step in 0..2 * whole {
        let mut letter = Letter::new();
        for name in names {
            if random.below(2) == 0 {
                problem.alphabet.choose(name, &mut letter);
            }
        }
        if step % period == 0 {
            problem.alphabet.choose(tick, &mut letter);
        }
        letters.push(letter);
    }
    let mut letters = Registers::of(problem).recorded(&letters);
    let cycle = letters.split_off(whole);
    Lasso { prefix: letters, cycle }
}

/// Formulas, and the same ones with `tick` in place of the multiples of the period N.
const PERIODIC: &[(&str, &str)] = &[
    ("a every N", "G (tick -> a)"),
    ("!a every N", "G (tick -> !a)"),
    ("!(a every N)", "F (tick && !a)"),
    ("F a every N", "G (tick -> F a)"),
    ("X a every N && b", "G (tick -> X a) && b"),
    ("a U b every N", "a U (G (tick -> b))"),
    ("b -> a every N", "b -> G (tick -> a)"),
    ("X X (a || b) every N", "G (tick -> X X (a || b))"),
    ("F (a every N)", "F G (tick -> a)"),
    ("F within 2 a every N", "G (tick -> F[0:2] a)"),
    ("(a every N) <-> (b every N)", "G (tick -> a) <-> G (tick -> b)"),
    ("a every (N - 1) + 1", "G (tick -> a)"),
];

#[test]
fn every_is_about_the_multiples_of_its_period() {
    let mut random = Random::new(49);
    for period in [1, 2, 3, 4, 7] {
        for (ours, definition) in PERIODIC {
            let p = problem(&format!(
                "N = {period}; guarantee {{ {ours}; {definition}; a || b || tick || true; }}"
            ));
            let (left, right) = (p.clauses.as_slice()[0].formula, p.clauses.as_slice()[1].formula);
            for _ in 0..quota(40) {
                let word = word(&p, period, &[period], &mut random);
                let mut meaning = LassoSemantics::new(&p.formulas, &p.alphabet, &word);
                for clause in p.clauses.iter().filter(|c| matches!(c.role, Role::Fact | Role::Restriction)) {
                    assert!(meaning.holds(clause.formula), "{ours}: {:?} on {word:?}", clause.role);
                }
                assert_eq!(meaning.holds(left), meaning.holds(right), "{ours}, N = {period} on {word:?}");
            }
        }
    }
}

#[test]
fn clocks_of_several_periods_count_apart() {
    let p = problem(
        "guarantee { a every 2 -> b every 3; G (tick -> b); (b every 3) || a || b || tick || true; }",
    );
    let mut random = Random::new(50);
    let (left, right) = (p.clauses.as_slice()[0].formula, p.clauses.as_slice()[1].formula);
    let (mut agreed, mut kept) = (0, 0);
    for _ in 0..quota(300) {
        let word = word(&p, 3, &[2, 3], &mut random);
        let mut meaning = LassoSemantics::new(&p.formulas, &p.alphabet, &word);
        let is_a = |step: usize| p.alphabet.holds(atom(&p, "a"), word.letter(step));
        let even = (0..word.len()).step_by(2).all(is_a);
        assert_eq!(meaning.holds(left), !even || meaning.holds(right));
        agreed += 1;
        kept += usize::from(meaning.holds(left));
    }
    assert!(0 < kept && agreed > 0);
}

#[test]
fn a_wrong_digit_of_a_clock_breaks_a_fact() {
    let mut random = Random::new(51);
    for period in [2, 3, 5, 8, 12] {
        let p = problem(&format!("guarantee {{ a every {period}; tick || b || true; }}"));
        let registers = &p.signature.registers;
        assert_eq!(1 << registers.len(), usize::next_power_of_two(period), "{period}");
        let good = word(&p, period, &[period], &mut random);
        let kept = |word: &Lasso| {
            let mut meaning = LassoSemantics::new(&p.formulas, &p.alphabet, word);
            p.clauses.iter().filter(|c| c.role == Role::Fact).all(|c| meaning.holds(c.formula))
        };
        assert!(kept(&good));
        for (step, register) in (0..period).flat_map(|step| registers.iter().map(move |r| (step, r))) {
            let AtomKind::Input(bit) = p.alphabet.atoms()[register.atom].kind else {
                unreachable!("a register is an input")
            };
            let mut wrong = good.clone();
            if wrong.prefix[step].contains(bit) {
                wrong.prefix[step].remove(bit);
            } else {
                wrong.prefix[step].insert(bit);
            }
            assert!(!kept(&wrong), "a digit of the clock {period} is wrong at step {step}");
        }
    }
}

#[test]
fn durations_are_bounded_operators() {
    for n in [1i64, 2, 5, 20, 100, 1000] {
        let before = n - 1;
        for (ours, definition) in [
            ("F within N a".to_owned(), format!("F[0:{n}] a")),
            ("G for N a".to_owned(), format!("G[0:{before}] a")),
            (format!("F within {n} a"), format!("F[0:{n}] a")),
            (format!("G for {n} a"), format!("G[0:{before}] a")),
            (format!("a -> F within {n} !b && a"), format!("a -> (F[0:{n}] (!b)) && a")),
            (format!("!F within {n} a"), format!("!F[0:{n}] a")),
            ("G for (N - 1 + 1) (a || b)".to_owned(), format!("G[0:{before}] (a || b)")),
            (format!("G F within {n} G for {n} a"), format!("G F[0:{n}] G[0:{before}] a")),
        ] {
            if n > 100 && ours.matches("1000").count() > 1 {
                continue;
            }
            let p = problem(&format!("N = {n}; guarantee {{ {ours}; {definition}; a || b || true; }}"));
            assert_eq!(p.clauses.as_slice()[0].formula, p.clauses.as_slice()[1].formula, "{ours}");
        }
    }
    // Those of the past have one register for each step back.
    for (ours, definition) in [("O within 3 a", "O[0:3] a"), ("H for 3 a", "H[0:2] a")] {
        let p = problem(&format!("always guarantee {{ {ours} -> b; {definition} -> b; }}"));
        assert_eq!(p.clauses.as_slice()[0].formula, p.clauses.as_slice()[1].formula, "{ours}");
    }
}

#[test]
fn a_macro_and_a_big_operator_give_the_number() {
    let p = problem(
        "deadline p n = F within n p; hold p n = G for n p; tick p n = p every n;
         guarantee { deadline a 3; F[0:3] a; hold b 2; b && X b; tick a 1; G a;
                     &&[1 <= i < 4] F within i a; &&[1 <= i < 4] F[0:i] a; }",
    );
    for pair in p.clauses.as_slice()[..8].chunks(2) {
        assert_eq!(pair[0].formula, pair[1].formula);
    }
    let options = LoadOptions { parameters: vec![("N".into(), 7)], ..LoadOptions::default() };
    let text = "N = 2; guarantee { F within N a; F[0:7] a; a every N; }";
    let (_, result) = load_all(&[text], &options, &Table::default());
    let p = result.unwrap_or_else(|failure| panic!("{}", show(&failure))).0;
    assert_eq!(p.clauses.as_slice()[0].formula, p.clauses.as_slice()[1].formula);
    assert_eq!(p.signature.registers.len(), 3);
}

#[test]
fn the_words_stay_names_where_they_were() {
    for text in [
        "input within, for, every: Bool; always guarantee { within && for -> F every; }",
        "always guarantee { within -> [x <- every]; for || every; F within; G for -> within; }",
        "predicate within: Int -> Bool; input x: Int; always guarantee { F within 5; F within x; }",
        "predicate for: Int -> Int -> Bool; input x: Int; always guarantee { G for 5 x -> [y <- y]; }",
        "always guarantee { F within(5); G for(3, x); G (for 3 x); p (every 10) -> [y <- every 10]; }",
        "input every: Thing; predicate p: Thing -> Bool; always guarantee { p every; }",
        "function every: Int -> Int -> Int; input x: Int; always guarantee { [y <- every 10 x]; }",
        "always guarantee { [every <- within every]; [for <- within for]; }",
        "within p = X p; always guarantee { F within a; G within b; }",
        "every = 3; always guarantee { F[0:every] a; }",
    ] {
        let (_, result) = load_all(&[text], &LoadOptions::default(), &Table::default());
        let (p, _) = result.unwrap_or_else(|failure| panic!("{text}: {}", show(&failure)));
        assert!(p.signature.registers.is_empty(), "{text}");
    }
    // In other dialects they always are.
    let options = LoadOptions { dialect: Dialect::Tsltools, ..LoadOptions::default() };
    let (_, result) =
        load_all(&["always guarantee { F within 5 p; q every 10; }"], &options, &Table::default());
    let (p, _) = result.unwrap_or_else(|failure| panic!("{}", show(&failure)));
    assert!(p.alphabet.atoms().iter().any(|atom| atom.name == "within(5, p)"));
    // A register takes no name of the text.
    let p = problem("cell past1: 0..9 = 0; always guarantee { a every 4; past1 < 5; [past1 <- past11]; }");
    let mut names: Vec<&str> = p.alphabet.atoms().iter().map(|atom| atom.name.as_str()).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!((names.len(), p.signature.registers.len()), (count, 2));
}

#[test]
fn wrong_numbers_are_errors() {
    for (formula, code, part) in [
        ("G for 0 a", "TSL0112", "counts steps, from 1"),
        ("G for N a", "TSL0112", "from 1"),
        ("H for 0 a", "TSL0112", "from 1"),
        ("F within -1 a", "TSL0112", "negative"),
        ("G for -3 a", "TSL0112", "from 1"),
        ("a every 0", "TSL0112", "at least 1"),
        ("a every -10", "TSL0112", "at least 1"),
        ("a every N", "TSL0112", "at least 1"),
        ("F within 2.5 a", "TSL0107", "an integer"),
        ("a every 2.5", "TSL0107", "an integer"),
        ("F within 99999999999999999999 a", "TSL0031", "64 bits"),
        ("a every 99999999999999999999", "TSL0031", "64 bits"),
        ("F within 5s a", "TSL0031", "neither a number nor a name"),
        ("F for 5 a", "TSL0044", "`F within n f`"),
        ("G within 5 a", "TSL0044", "`G for n f`"),
        ("F within 5", "TSL0014", "lacks"),
        ("F within 5 && a", "TSL0014", "lacks"),
        ("(a every)", "TSL0122", ""),
        ("a every 5 b", "TSL0015", "operator"),
        ("3 every 5", "TSL0107", "a formula"),
        ("O (a every 3)", "TSL0126", ""),
    ] {
        let text = format!("N = 0; guarantee {{ {formula}; a || b; }}");
        let (_, result) = load_all(&[&text], &LoadOptions::default(), &Table::default());
        let failure = result.err().unwrap_or_else(|| panic!("{formula}: no error"));
        let found = lines(&failure.diagnostics);
        assert!(found.contains(code) && found.contains(part), "{formula}: {found}");
    }
    for formula in ["F within 1000000000 a", "G for 1000000000 a", "a every 1000000000", "a every 4097"] {
        let (_, result) =
            load_all(&[&format!("guarantee {{ {formula}; }}")], &LoadOptions::default(), &Table::default());
        let failure = result.err().unwrap_or_else(|| panic!("{formula}: no limit was met"));
        assert!(failure.limit.is_some(), "{formula}: {}", lines(&failure.diagnostics));
    }
    // Without a number the words are names, which is said.
    for formula in ["F within a b", "G for a", "p every a"] {
        let text = format!("always guarantee {{ {formula}; }}");
        let (_, result) = load_all(&[&text], &LoadOptions::default(), &Table::default());
        let (_, found) = result.unwrap_or_else(|failure| panic!("{}", show(&failure)));
        assert!(lines(&found).contains("is read as a name"), "{formula}: {}", lines(&found));
    }
}

#[test]
fn printed_and_formatted_text_is_read_back() {
    let formulas = [
        ("F   within   5    p", "F within 5 p"),
        ("G for 3 (a||b)", "G for 3 (a || b)"),
        ("!F within N !a", "!F within N !a"),
        ("a   every 10", "a every 10"),
        ("(a && b) every N+1 || c", "(a && b) every N + 1 || c"),
        ("F within (N+1) G for 2 -x = y", "F within (N + 1) G for 2 -x = y"),
        ("!(a every 3) && (G for 2 a) every 4", "!(a every 3) && (G for 2 a) every 4"),
        ("O within 2 a -> H for N [x <- f y]", "O within 2 a -> H for N [x <- f y]"),
        ("[x <- f y] every 5 every 6", "[x <- f y] every 5 every 6"),
    ];
    let body: String = formulas.iter().fold(String::new(), |mut text, (formula, _)| {
        let _ = writeln!(text, "  {formula};");
        text
    });
    let mut map = SourceMap::new();
    let source = map.add("a.tsl", format!("N = 4;\n\nalways guarantee {{\n{body}}}\n"));
    let mut found = tsl_synth_core::diag::Diagnostics::new();
    let module =
        parse_tsl(&map, source, Dialect::TslSynth, &mut found).unwrap_or_else(|| panic!("{found:?}"));
    let layout = format_tsl(&map, source, Dialect::TslSynth, &mut found).expect("a layout");
    let wanted: String = formulas.iter().fold(String::new(), |mut text, (_, formula)| {
        let _ = writeln!(text, "  {formula};");
        text
    });
    assert_eq!(layout, format!("N = 4;\n\nalways guarantee {{\n{wanted}}}\n"));
    let printed = print_module(&module);
    let again = map.add("b.tsl", printed.clone());
    let other = parse_tsl(&map, again, Dialect::TslSynth, &mut found).unwrap_or_else(|| panic!("{printed}"));
    assert_eq!(print_module(&other), printed);
    let clauses = |module: &tsl_synth_lang::syntax::ast::Module| {
        module.items.iter().find_map(|item| match item {
            tsl_synth_lang::syntax::ast::Item::Section(section) => Some(section.clauses.clone()),
            _ => None,
        })
    };
    let (left, right) = (clauses(&module).expect("clauses"), clauses(&other).expect("clauses"));
    for (&a, &b) in left.iter().zip(&right) {
        assert!(module.exprs.same(a, &other.exprs, b, true), "{printed}");
        let bare = print_expression(&module.exprs, a, Parentheses::Needed);
        let text = format!("N = 4; guarantee {{ {bare}; }}");
        let bare_source = map.add("c.tsl", text);
        let short =
            parse_tsl(&map, bare_source, Dialect::TslSynth, &mut found).unwrap_or_else(|| panic!("{bare}"));
        assert!(module.exprs.same(a, &short.exprs, clauses(&short).expect("a clause")[0], true), "{bare}");
    }
}

/// A random formula with N as a number of steps, in both spellings.
fn timed(random: &mut Random, depth: usize, last: usize) -> (String, String) {
    let same = |text: String| (text.clone(), text);
    if depth == 0 {
        let leaves = ["a", "b", "!a", "[x <- on()]", "[x <- off()]", "a || b", "!b"];
        return same(format!("({})", leaves[random.below(leaves.len())]));
    }
    let n = random.below(last + 1);
    let (left, right) = timed(random, depth - 1, last);
    match random.below(6) {
        0 | 1 => (format!("(F within {n} {left})"), format!("(F[0:{n}] {right})")),
        2 | 3 => (format!("(G for {} {left})", n + 1), format!("(G[0:{n}] {right})")),
        4 => (format!("(X {left})"), format!("(X {right})")),
        _ => {
            let (other, same) = timed(random, depth - 1, last);
            let sign = ["&&", "||", "->"][random.below(3)];
            (format!("({left} {sign} {other})"), format!("({right} {sign} {same})"))
        }
    }
}

fn is_realizable(text: &str) -> bool {
    let mut problem = problem(text);
    let options = SolverOptions { friendly: false, minimize: false, ..SolverOptions::default() };
    let outcome = synthesize(&mut problem, &options, &Silent).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match outcome.verdict {
        Verdict::Realizable(_) => true,
        Verdict::Unrealizable(..) => false,
        Verdict::Unknown(unknown) => panic!("{text}: {unknown:?}"),
    }
}

#[test]
fn random_contracts_have_the_verdict_of_their_expansion() {
    let seed = first_seed();
    let mut counts = [0, 0];
    for round in 0..quota(60) as u64 {
        let mut random = Random::new(seed + round);
        let mut texts = [String::from("always guarantee {\n"), String::from("always guarantee {\n")];
        for _ in 0..=random.below(2) {
            let (ours, definition) = timed(&mut random, 2, 3);
            let _ = writeln!(texts[0], "  a -> {ours};");
            let _ = writeln!(texts[1], "  a -> {definition};");
        }
        for text in &mut texts {
            text.push_str("  a || b || [x <- on()] || [x <- off()] || true;\n}\n");
        }
        let verdicts = texts.each_ref().map(|text| is_realizable(text));
        assert_eq!(verdicts[0], verdicts[1], "seed {}: {}", seed + round, texts[0]);
        counts[usize::from(verdicts[0])] += 1;
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}
