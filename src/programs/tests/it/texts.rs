//! Texts: the specifications of the repository have the verdicts that they say, errors name their place, and public
//! problems where they are there.

use std::path::{Path, PathBuf};
use tsl_synth_core::base::{Budget, Rational, on_large_stack};
use tsl_synth_core::source::SourceMap;
use tsl_synth_programs::{ProgramLanguage, Winner, losing_play, read_program, solve};

/// The work for a public problem.
const PUBLIC: u64 = 400_000;

fn language(path: &Path) -> Option<ProgramLanguage> {
    match path.extension()?.to_str()? {
        "rpg" => Some(ProgramLanguage::Rpg),
        "issy" => Some(ProgramLanguage::Issy),
        _ => None,
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| language(path).is_some())
        .collect();
    files.sort();
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The winner of a text; `None` if it is not found with this much work.
fn winner(path: &Path, work: u64) -> Option<Winner> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let language = language(path).expect("a game");
    let solved = on_large_stack(|| {
        let mut map = SourceMap::new();
        let source = map.add("x", text);
        let text = read_program(&map, source, language).expect("it follows the grammar");
        let budget = Budget::unlimited().with_work(work);
        let solution = match solve(&text, &budget) {
            Ok(solution) => solution,
            Err(error) => {
                assert!(
                    matches!(error, tsl_synth_kernel::CertifyError::Limit(_)),
                    "{}: {error}",
                    path.display()
                );
                return None;
            }
        };
        let (winner, certificate) = solution.answer?;
        if winner == Winner::Environment {
            let play = losing_play(&solution.game, text.formula.as_ref(), &certificate, 12).expect("a play");
            assert!(!play.steps.is_empty(), "{}", path.display());
        }
        Some(winner)
    });
    solved.unwrap_or_else(|_| panic!("{}", path.display()))
}

#[test]
fn own_specifications_have_the_verdicts_that_they_say() {
    let files = files(&root().join("specs/programs"));
    assert!(files.len() >= 5, "{files:?}");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let says = text.lines().next().and_then(|line| line.split("expect: ").nth(1)).expect("a verdict");
        let expected = if says == "REALIZABLE" { Winner::System } else { Winner::Environment };
        assert_eq!(winner(&path, 60_000_000), Some(expected), "{}", path.display());
    }
}

#[test]
fn public_problems_are_answered_rightly_or_not_at_all() {
    let folder = root().join("../shared/cases/numbers");
    let Ok(table) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        println!("skipped: {} is not there", folder.display());
        return;
    };
    let (mut right, mut all) = (0, 0);
    for line in table.lines().skip(1) {
        let mut parts = line.split(',');
        let (Some(name), Some(verdict)) = (parts.next(), parts.next()) else { continue };
        all += 1;
        if let Some(winner) = winner(&folder.join(name), PUBLIC) {
            let expected = if verdict == "realizable" { Winner::System } else { Winner::Environment };
            assert_eq!(winner, expected, "{name}");
            right += 1;
        }
    }
    println!("{right} of {all} answered");
    assert!(right >= 11, "{right} of {all}");
}

#[test]
fn errors_name_their_place() {
    let rpg = ProgramLanguage::Rpg;
    let issy = ProgramLanguage::Issy;
    let start = "type Safety\noutput x Int\nloc a 1\ninit a\n";
    let cases = [
        (rpg, "type Wins\nloc a 1\ninit a".to_string(), "Wins", "the type is"),
        (rpg, format!("{start}trans a b"), "b", "no location `b`"),
        (rpg, format!("{start}trans a if (< y 0) then a else a"), "y", "`y` is not declared"),
        (rpg, format!("{start}trans a if (< (* x x) 0) then a else a"), "(* x x)", "not linear"),
        (rpg, format!("{start}trans a if (< (to_real x 1) 0) then a else a"), "(to_real x 1)", "one operand"),
        (rpg, format!("{start}trans a sys (((x 0.5)) a)"), "((x 0.5)) a", "is an integer"),
        (rpg, format!("{start}trans a sys (((x true)) a)"), "(x true)", "not of the sort"),
        (rpg, format!("{start}trans a sys (((x 1) (x 2)) a)"), "x", "updated twice"),
        (rpg, format!("{start}output x Int"), "x", "declared twice"),
        (rpg, format!("{start}trans a sys ("), "", "expected here"),
        (rpg, "loc a 1\ninit a".to_string(), "l", "`type` is missing"),
        (rpg, format!("{start}trans a if {}x", "(not ".repeat(300)), "(", "nested deeper"),
        (issy, "input int i\nformula { assert G [i * i = 1] }".to_string(), "i * i", "not linear"),
        (issy, "input int i\nformula { assert G [i' = 1] }".to_string(), "i'", "no next value"),
        (issy, "state int x\nformula { assert F x }".to_string(), "x", "a number stands"),
        (issy, "state word x".to_string(), "word", "no sort"),
        (issy, "game Safety from a { loc b 1 }".to_string(), "a", "no location `a`"),
        (
            issy,
            "game Safety from a { loc a 1 from a to a with F [1 = 1] }".to_string(),
            "F [1 = 1]",
            "temporal",
        ),
    ];
    for (language, text, place, message) in cases {
        let mut map = SourceMap::new();
        let source = map.add("x", text.clone());
        let error = read_program(&map, source, language).expect_err(&text);
        assert!(error.message.contains(message), "{text}: {}", error.message);
        let span = error.labels.first().expect("a place").span;
        assert!(map.text(span).trim().starts_with(place), "{text}: {:?}", map.text(span));
    }
}

/// What a text of Issy means, for comparison with others.
fn meaning(text: &str) -> String {
    let mut map = SourceMap::new();
    let source = map.add("x", text.to_string());
    let text = read_program(&map, source, ProgramLanguage::Issy).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    format!("{text:?}")
}

#[test]
fn operators_of_issy_bind_as_in_issy() {
    let formula = |text: &str| {
        meaning(&format!(
            "input bool a\nstate bool b\nstate bool c\nstate bool d\nformula {{ assert {text} }}"
        ))
    };
    // In formulas: `R` (to the left), `U`, `W`, then `->` and `<->` on one level.
    let rows = [
        ("a W b U c", "(a W b) U c", "a W (b U c)"),
        ("a U b W c", "a U (b W c)", "(a U b) W c"),
        ("a R b U c", "a R (b U c)", "(a R b) U c"),
        ("a W b R c", "(a W b) R c", "a W (b R c)"),
        ("a R b R c", "(a R b) R c", "a R (b R c)"),
        ("a U b U c", "a U (b U c)", "(a U b) U c"),
        ("a W b W c", "a W (b W c)", "(a W b) W c"),
        ("a -> b U c", "(a -> b) U c", "a -> (b U c)"),
        ("a -> b <-> c", "a -> (b <-> c)", "(a -> b) <-> c"),
        ("a <-> b -> c", "a <-> (b -> c)", "(a <-> b) -> c"),
        ("a || b && c -> d", "(a || (b && c)) -> d", "a || (b && (c -> d))"),
        ("! F a && b", "(!(F a)) && b", "!(F (a && b))"),
    ];
    for (bare, same, other) in rows {
        assert_eq!(formula(bare), formula(same), "{bare} is {same}");
        assert_ne!(formula(bare), formula(other), "{bare} is not {other}");
    }
    // Elsewhere, `<->` is looser than `->`.
    let domain = |text: &str| {
        meaning(&format!(
            "state bool a\nstate bool b\nstate bool c\ngame Safety from l {{ loc l 1 with {text} from l to l with true }}"
        ))
    };
    let defined = |text: &str| {
        meaning(&format!(
            "state bool a\nstate bool b\nstate bool c\ndef m = {text}\nformula {{ assert G m }}"
        ))
    };
    for (bare, same, other) in [
        ("a -> b <-> c", "(a -> b) <-> c", "a -> (b <-> c)"),
        ("a <-> b -> c", "a <-> (b -> c)", "(a <-> b) -> c"),
        ("a -> b -> c", "a -> (b -> c)", "(a -> b) -> c"),
    ] {
        assert_eq!(domain(bare), domain(same), "{bare} is {same}");
        assert_ne!(domain(bare), domain(other), "{bare} is not {other}");
        assert_eq!(defined(bare), defined(same), "{bare} is {same}");
        assert_ne!(defined(bare), defined(other), "{bare} is not {other}");
    }
}

#[test]
fn other_spellings_of_issy_are_read() {
    let rows = [
        // A location without a number has number 0.
        (
            "state int x\ngame Safety from l { loc l 1 loc m with [x > 0] from l to m with keep(x) }",
            "state int x\ngame Safety from l { loc l 1 loc m 0 with [x > 0] from l to m with keep(x) }",
        ),
        ("state int x\nlogic { assert G [x > 0] }", "state int x\nformula { assert G [x > 0] }"),
        ("state int x\nformula { assert G [abs x < 3] }", "state int x\nformula { assert G [abs(x) < 3] }"),
        (
            "state int x\nformula { assert G [abs - x + 2 * abs (x) < 3] }",
            "state int x\nformula { assert G [abs(x) + 2 * abs(x) < 3] }",
        ),
        // Definitions stand for terms, too, and come in any order.
        (
            "state int x\nformula { assert G ok }\ndef ok = [2 * step < limit]\ndef step = [x + 1]\ndef limit = [9]",
            "state int x\nformula { assert G [2 * (x + 1) < 9] }",
        ),
        (
            "state int x\ndef low = [x < 3]\nformula { assert G ([low && x > 0] || low) }",
            "state int x\nformula { assert G ([x < 3 && x > 0] || [x < 3]) }",
        ),
    ];
    for (text, same) in rows {
        assert_eq!(meaning(text), meaning(same), "{text}");
    }
}

/// Comparisons of more than two values, `xor` and `to_real` are those of SMT-LIB.
#[test]
fn operators_of_reactive_program_games_are_those_of_smt_lib() {
    let text = |condition: &str| {
        format!(
            "type Safety\noutput x Int\noutput y Real\noutput b Bool\noutput c Bool\nloc a 1\nloc z 1\ninit a
trans a if {condition} then z else sys (((x (+ x 1))) a)\ntrans z z\n"
        )
    };
    for (chain, plain) in [
        ("(< 0 x 5)", "(and (< 0 x) (< x 5))"),
        ("(<= 0 x y 9)", "(and (<= 0 x) (<= x y) (<= y 9))"),
        ("(= x y 3)", "(and (= x y) (= y 3))"),
        ("(distinct x y 3)", "(and (distinct x y) (distinct x 3) (distinct y 3))"),
        ("(xor b c)", "(or (and (not b) c) (and b (not c)))"),
        ("(xor b c (> x 0))", "(distinct (distinct b c) (> x 0))"),
        ("(> (to_real x) 0.5)", "(> x 0.5)"),
    ] {
        let mut map = SourceMap::new();
        let games = [chain, plain].map(|condition| {
            let source = map.add("x", text(condition));
            let read = read_program(&map, source, ProgramLanguage::Rpg).expect("it follows the grammar");
            let mut guards: Vec<Vec<String>> = Vec::new();
            for one in &read.game.moves {
                let mut guard: Vec<String> = one.guard.iter().map(|part| format!("{part:?}")).collect();
                guard.sort();
                guards.push(guard);
            }
            guards.sort();
            guards
        });
        assert_eq!(games[0], games[1], "{chain}");
    }
}

/// Names of reactive program games are symbols of SMT-LIB, and locations may be called by a number.
#[test]
fn names_of_reactive_program_games_are_symbols() {
    for (x, i, loc) in [
        ("x", "i", "a"),
        ("pos-1", "env.in", "1"),
        ("b!", "i@2", "main.0"),
        ("x'", "i~", "l:0"),
        ("-y", "in?", "2a"),
    ] {
        let text = format!(
            "type Buechi\ninput {i} Int\noutput {x} Int\nloc {loc} 1\nloc b 0\ninit {loc}\n\
             trans {loc} if (and (>= {i} -1) (< {x} 1.0)) then sys ((({x} (- {x} {i}))) {loc} () b) else b\n\
             trans b sys ((({x} 0)) {loc})"
        );
        let mut map = SourceMap::new();
        let source = map.add("x", text.clone());
        let read = read_program(&map, source, ProgramLanguage::Rpg);
        assert!(read.is_ok(), "{text}: {:?}", read.err().map(|error| error.message));
    }
}

#[test]
fn long_rows_and_definitions_are_errors() {
    let double = |n: usize| {
        let doubled: Vec<String> = (1..n).map(|i| format!("def d{i} = d{0} && d{0}\n", i - 1)).collect();
        let doubled = doubled.concat();
        format!("state bool p\ndef d0 = p\n{doubled}formula {{ assert G d{} }}", n - 1)
    };
    let cases = [
        (format!("state bool p\nformula {{ assert {}p }}", "F ".repeat(300_000)), "nested deeper"),
        (format!("state bool p\nformula {{ assert {}p }}", "p -> ".repeat(300_000)), "nested deeper"),
        (format!("state int p\nformula {{ assert [p = {}p] }}", "p + ".repeat(300_000)), "nested deeper"),
        (format!("state int p\nformula {{ assert [p = {}p] }}", "2 * ".repeat(300_000)), "nested deeper"),
        (double(40), "stand for more than"),
        ("state bool p\ndef a = b\ndef b = !a\nformula { assert a }".to_string(), "uses itself"),
        ("state int x\ndef t = [x + 1]\nformula { assert F t }".to_string(), "inside of brackets"),
        ("state int x\ndef t = F [x = 1]\nformula { assert [t] }".to_string(), "one pair of brackets"),
        ("state int x\ndef x = [1]\nformula { assert [x = 1] }".to_string(), "declared twice"),
    ];
    for (text, message) in cases {
        let found = on_large_stack(move || {
            let mut map = SourceMap::new();
            let source = map.add("x", text);
            read_program(&map, source, ProgramLanguage::Issy).map(|_| ()).map_err(|error| error.message)
        });
        let found = found.unwrap_or_else(|_| panic!("{message}")).expect_err(message);
        assert!(found.contains(message), "{message}: {found}");
    }
}

/// A table of all games of a folder.
#[test]
#[ignore = "table"]
fn table_of_games() {
    let Ok(folder) = std::env::var("TSL_SYNTH_GAMES") else {
        println!("skipped: TSL_SYNTH_GAMES names no folder");
        return;
    };
    let work = std::env::var("TSL_SYNTH_WORK").ok().and_then(|text| text.parse().ok()).unwrap_or(40_000_000);
    for path in files(Path::new(&folder)) {
        let begin = std::time::Instant::now();
        let winner = winner(&path, work);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name:56} {:12} {:6.1} s", format!("{winner:?}"), begin.elapsed().as_secs_f64());
    }
}

/// A tank into which up to 3 flow in a step and from which a pump takes 2: it overflows whatever the system does.
fn tank(most: i64) -> String {
    format!(
        "type Safety\n\ninput inflow Int\noutput level Int\n\nloc begin 1\nloc fill 1\nloc over 0\n\ninit begin\n\n\
         trans begin\n    sys (((level 0)) fill)\n\ntrans fill\n    if (> level {most}) then over else\n    \
         if (or (< inflow 0) (> inflow 3)) then fill else\n    sys (\n        ((level (+ level inflow))) fill\n        \
         ((level (- (+ level inflow) 2))) fill\n    )\n\ntrans over\n    sys (() over)\n"
    )
}

#[test]
fn the_system_resists_until_a_play_is_lost() {
    for most in [0, 1, 2, 4, 7, 40] {
        let text = tank(most);
        let play = on_large_stack(|| {
            let mut map = SourceMap::new();
            let source = map.add("tank.rpg", text.as_str());
            let read =
                read_program(&map, source, ProgramLanguage::Rpg).unwrap_or_else(|why| panic!("{why:?}"));
            let solution = solve(&read, &Budget::unlimited().with_work(20_000_000)).expect("solved");
            let (winner, certificate) = solution.answer.expect("an answer");
            assert_eq!(winner, Winner::Environment, "{text}");
            let play = losing_play(&solution.game, read.formula.as_ref(), &certificate, 12).expect("a play");
            let name = |location| solution.game.locations[location].clone();
            let lost = play.lost.as_ref().map(|lost| (name(lost.location), lost.cells[0]));
            let steps = play.steps.iter().map(|step| (name(step.location), step.cells[0], step.inputs[0]));
            (steps.collect::<Vec<_>>(), lost, play.repeats_from)
        });
        let (steps, lost, repeats_from) = play.unwrap_or_else(|_| panic!("{text}"));
        // At most 1 more in each step, so that 7 steps are needed for 7.
        let is_short = most < 10;
        assert_eq!((lost.is_some(), repeats_from), (is_short, None), "{steps:?}");
        assert_eq!(steps.len() == 12, !is_short, "{steps:?}");
        assert!(steps.iter().all(|(location, ..)| location != "over"), "{steps:?}");
        // In the last step it is lost in any case, and where it is not lost soon any answer resists.
        let resisting = if is_short { &steps[1..steps.len() - 1] } else { &[] };
        for pair in resisting.windows(2) {
            let [(_, before, inflow), (_, after, _)] = pair else { panic!("a pair") };
            let taken = before.plus(*inflow).and_then(|filled| filled.minus(*after));
            assert_eq!(taken, Rational::integer(2), "the pump works: {steps:?}");
        }
        if let Some((location, level)) = lost {
            assert_eq!(location, "over");
            assert!(Rational::integer(most.into()).is_some_and(|most| level > most), "{level} {steps:?}");
        }
    }
}
