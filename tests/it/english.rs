//! Requirements in English: 200 sentences and the formulas that they mean, written beforehand; and `new spec --from-nl`.

use crate::cli::Folder;
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_agents::requirements::read_requirements;
use tsl_synth_core::base::Random;
use tsl_synth_core::logic::{Lasso, LassoSemantics, Letter};
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec::{Problem, load_ltl};

const TABLE: &str = include_str!("../../fixtures/requirements/english.tsv");
const TRAPS: &str = include_str!("../../fixtures/requirements/traps.tsv");
/// Random words on which two formulas are compared.
const WORDS: usize = 3_000;

/// The signals of a formula.
fn signals(formula: &str) -> BTreeSet<String> {
    let words = formula.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).map(str::to_string).collect()
}

/// A random word on which exactly one of two formulas holds, if there is one among many.
fn difference(one: &str, other: &str, seed: u64) -> Option<Lasso> {
    let names: BTreeSet<String> = signals(one).union(&signals(other)).cloned().collect();
    let list = names.iter().cloned().collect::<Vec<_>>().join(", ");
    let problem = problem(&format!("// outputs: {list}\n{one};\n{other};\n"));
    let [first, second] = [0, 1].map(|i| problem.clauses.iter().nth(i).expect("two formulas").formula);
    let atoms: Vec<_> = problem.alphabet.outputs().chain(problem.alphabet.inputs()).collect();
    let mut random = Random::new(seed);
    for _ in 0..WORDS {
        // Rare and frequent signals: long waits are words, too.
        let density = [0.1, 0.3, 0.5, 0.8][random.below(4)];
        let letters = |count: usize, random: &mut Random| -> Vec<Letter> {
            let letter = |random: &mut Random| {
                let mut letter = Letter::new();
                for &atom in &atoms {
                    if random.chance(density) {
                        problem.alphabet.choose(atom, &mut letter);
                    }
                }
                letter
            };
            (0..count).map(|_| letter(random)).collect()
        };
        let (prefix, cycle) = (random.below(9), 1 + random.below(4));
        let word = Lasso { prefix: letters(prefix, &mut random), cycle: letters(cycle, &mut random) };
        let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &word);
        if meaning.holds(first) != meaning.holds(second) {
            return Some(word);
        }
    }
    None
}

fn problem(text: &str) -> Problem {
    let mut map = SourceMap::new();
    let source = map.add("formulas.ltl", text);
    load_ltl(&[source], &[], &[], &map).unwrap_or_else(|failure| panic!("{text}: {failure:?}")).0
}

#[test]
fn two_hundred_sentences_are_read_as_they_were_meant() {
    let (mut all, mut read) = (0, 0);
    let mut unread: BTreeMap<String, usize> = BTreeMap::new();
    for (number, line) in TABLE.lines().filter(|line| !line.starts_with('#')).enumerate() {
        let (sentence, meant) = line.split_once('\t').expect("a sentence and a formula");
        all += 1;
        let found = read_requirements(sentence);
        match found.read.as_slice() {
            [one] => {
                read += 1;
                let differs = difference(&one.formula, meant, number as u64);
                assert_eq!(differs, None, "{sentence}\nread:  {}\nmeant: {meant}", one.formula);
            }
            _ => *unread.entry(sentence.split(' ').take(2).collect::<Vec<_>>().join(" ")).or_default() += 1,
        }
    }
    println!("{read} of {all} sentences are read, all of them as they were meant; not read: {unread:?}");
    assert_eq!(all, 200);
    assert!(read >= 195, "{read}");
}

#[test]
fn traps_mean_their_formulas_or_are_refused() {
    let (mut all, mut refused, mut wrong) = (0, 0, Vec::new());
    for (number, line) in TRAPS.lines().filter(|line| !line.starts_with('#')).enumerate() {
        let (sentence, meant) = line.split_once('\t').expect("a sentence and a formula");
        all += 1;
        let found = read_requirements(sentence);
        if meant == "refused" {
            refused += 1;
            if found.unread.is_empty() {
                wrong.push(format!("{sentence}: read as {:?}", found.read));
            }
            continue;
        }
        let meant: Vec<&str> = meant.split(" ; ").collect();
        let read: Vec<&str> = found.read.iter().map(|one| one.formula.as_str()).collect();
        let mut pairs = read.iter().zip(&meant);
        let is_right = read.len() == meant.len() && found.unread.is_empty();
        if !is_right || pairs.any(|(one, other)| difference(one, other, number as u64).is_some()) {
            wrong.push(format!("{sentence}: read as {read:?}, not read: {:?}", found.unread));
        }
    }
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
    println!("{all} sentences, {refused} of them refused");
    assert!(all >= 150 && refused >= 60, "{all} {refused}");
}

#[test]
fn the_comparison_finds_differences() {
    for (one, other) in [("G (a -> F[0:5] b)", "G (a -> F[0:4] b)"), ("(a W b)", "(a U b)"), ("G F a", "F a")]
    {
        assert!(difference(one, other, 1).is_some(), "{one}, {other}");
    }
}

const SENTENCES: &str = "# A lamp.\nWhen the button is pressed, the lamp shall light the room within 2 steps.\nWhile the door is open, the lamp shall not ring.\n";

#[test]
fn sentences_become_a_specification() {
    let folder = Folder::new();
    folder.file("wishes.txt", SENTENCES);
    let run = folder.run(["new", "spec", "lamp", "--from-nl", "wishes.txt"]).exits(0);
    assert!(run.err.contains("2 sentences are read\nREALIZABLE"), "{}", run.err);
    let text = std::fs::read_to_string(folder.path().join("lamp/spec.tsl")).expect("it is written");
    assert!(
        text.contains("  // While the door is open, the lamp shall not ring\n  G (door_open -> !ring);\n"),
        "{text}"
    );
    folder.run(["check", "lamp/spec.tsl"]).exits(0);
    let again = folder.run(["new", "spec", "lamp", "--from-nl", "wishes.txt"]).exits(2);
    assert!(again.err.contains("is there already; `--force` replaces it"), "{}", again.err);
    // To standard output, in LTL, out of a text; the same each time.
    let call = ["new", "spec", "--from-nl", "The lamp shall never ring.", "--lang", "ltl"];
    let printed = folder.run(call).exits(0);
    assert_eq!(printed.out, "// outputs: ring\n// The lamp shall never ring\nG !ring;\n");
    assert_eq!(folder.run(call).out, printed.out);
}

#[test]
fn changes_and_letters_are_read_in_both_languages() {
    let folder = Folder::new();
    let text = "When the tank becomes full, the pump shall stop immediately. When the tank is no longer full, the pump shall run \
                immediately. The lamp shall be gr\u{fc}n initially.";
    for (language, file) in [("tsl", "spec.tsl"), ("ltl", "spec.ltl")] {
        let run = folder.run(["new", "spec", language, "--from-nl", text, "--lang", language]).exits(0);
        assert!(run.err.contains("3 sentences are read\nREALIZABLE"), "{}", run.err);
        let written =
            std::fs::read_to_string(folder.path().join(language).join(file)).expect("it is written");
        for line in [
            "(read as: a change from one step to the next, of which none is in the first step)",
            "G ((tank_full && Y !tank_full) -> stop);",
            "G ((!tank_full && Y tank_full) -> run);",
            "lamp_gruen;",
        ] {
            assert!(written.contains(line), "{line}: {written}");
        }
    }
}

#[test]
fn sentences_that_are_not_read_are_named_and_nothing_is_written() {
    let folder = Folder::new();
    folder.file("wishes.txt", format!("{SENTENCES}It would be nice if it were fast.\n"));
    let run = folder.run(["new", "spec", "lamp", "--from-nl", "wishes.txt"]).exits(2);
    assert!(
        run.err.contains(
            "line 4: `It would be nice if it were fast` is not read: expected `When .., the SYSTEM shall"
        ),
        "{}",
        run.err
    );
    assert!(run.err.contains("1 of 3 sentences are not read, and nothing is written"), "{}", run.err);
    assert!(!folder.path().join("lamp").exists());
    for (args, why) in [
        (
            vec!["new", "policy", "x", "--from-nl", "The lamp shall ring."],
            "`--from-nl` writes specifications",
        ),
        (vec!["new", "spec", "x", "--from-nl", "missing.txt"], "neither a file nor a sentence"),
        (vec!["new", "spec", "x", "--from-nl", "# nothing here"], "there is no sentence"),
        (vec!["new", "spec", "x", "--lang", "ltl"], "--from-nl"),
    ] {
        let run = folder.run(&args).exits(2);
        assert!(run.err.contains(why), "{args:?}: {}", run.err);
    }
}

#[cfg(feature = "http")]
mod by_model {
    use super::*;
    use crate::oracles::stub::{Reply, Stub};

    const GOOD: &str = "Here it is:\n```tsl\ninput button_pressed: Bool;\noutput light_room: Bool;\nguarantee {\n  // soon\n  G (button_pressed -> F[0:2] light_room);\n}\n```\n";
    const UNREALIZABLE: &str = "input button_pressed: Bool;\noutput light_room: Bool;\nguarantee {\n  G (light_room <-> X button_pressed);\n}\n";
    const WISH: &str = "When the button is pressed, the lamp should light up the room brightly.";

    fn draft(folder: &Folder, replies: &[&str], rounds: &str) -> (crate::cli::Run, Stub) {
        let stub = Stub::new(replies.iter().map(|text| Reply::says(text)).collect());
        let oracle = format!("{}#m", stub.oracle());
        let run =
            folder.run(["new", "spec", "lamp", "--from-nl", WISH, "--oracle", &oracle, "--rounds", rounds]);
        (run, stub)
    }

    #[test]
    fn faults_go_back_to_the_model_until_a_draft_passes() {
        let folder = Folder::new();
        let named = GOOD.replace("light_room", "light_up_room_brightly");
        let (run, stub) = draft(&folder, &["guarantee { G (", UNREALIZABLE, GOOD, &named], "4");
        let run = run.exits(0);
        for said in [
            "draft 1 cannot be read",
            "draft 2 is unrealizable",
            "draft 3 leaves something out",
            "draft 4 passes\nREALIZABLE",
        ] {
            assert!(run.err.contains(said), "{said}: {}", run.err);
        }
        let asked: Vec<String> = stub.arrived().iter().map(|request| request.body.to_string()).collect();
        assert!(asked[1].contains("It has faults") && asked[1].contains("error"), "{}", asked[1]);
        assert!(asked[2].contains("Counterexample") || asked[2].contains("cannot be kept"), "{}", asked[2]);
        assert!(asked[3].contains("does not occur"), "{}", asked[3]);
        let text = std::fs::read_to_string(folder.path().join("lamp/spec.tsl")).expect("it is written");
        assert!(text.starts_with("input button_pressed: Bool;") && !text.contains("```"), "{text}");
    }

    #[test]
    fn without_a_draft_that_passes_the_last_one_is_shown_with_its_faults() {
        let folder = Folder::new();
        let (run, _) = draft(&folder, &[UNREALIZABLE], "2");
        let run = run.exits(1);
        assert!(
            run.err
                .contains("no draft passes, and nothing is written; the last one:\n\ninput button_pressed"),
            "{}",
            run.err
        );
        assert!(run.err.contains("UNREALIZABLE"), "{}", run.err);
        assert!(!folder.path().join("lamp").exists());
    }
}
