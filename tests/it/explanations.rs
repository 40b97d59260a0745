//! The explanations of `check` are correct: sentences about plays are compared with random words, and repairs are
//! applied to the specification, which must then be realizable.

use super::gallery::every;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, BitId, FormulaId, Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::CheckRepair;
use tsl_synth_lang::spec::Problem;
use tsl_synth_service::{CheckReport, CheckRequest, Session, SpecLanguage, SpecRequest, clause_text};
use tsl_synth_testkit::{Rng, shared};

/// A random specification over the inputs `a`, `b` and the outputs `x`, `y`, a formula per line.
fn random_spec(random: &mut Rng) -> String {
    let input = |r: &mut Rng| ["a", "b", "!a", "!b"][r.below(4)].to_string();
    let output = |r: &mut Rng| ["x", "y", "!x", "!y"][r.below(4)].to_string();
    let answer = |r: &mut Rng| match r.below(5) {
        0 => format!("X {}", output(r)),
        1 => format!("F {}", output(r)),
        2 => format!("X X {}", output(r)),
        _ => output(r),
    };
    let mut text = String::from("// inputs: a, b\n// outputs: x, y\n");
    if random.below(3) == 0 {
        let (p, q) = (input(random), input(random));
        text.extend(["assume { G (", &p, " -> X ", &q, ") }\n"]);
    }
    for _ in 0..2 + random.below(3) {
        let line = match random.below(6) {
            0 => format!("G ({} <-> {})", output(random), answer(random)),
            1 => format!("G ({} && {} -> {})", input(random), output(random), answer(random)),
            2 => format!("{} U {}", output(random), input(random)),
            _ => format!("G ({} -> {})", input(random), answer(random)),
        };
        text += &line;
        text.push('\n');
    }
    text
}

fn checked(language: SpecLanguage, text: &str) -> Option<(CheckReport, SourceMap)> {
    let mut session = Session::new();
    let report = session.check(&CheckRequest::new(SpecRequest::text(language, "spec", text))).ok()?;
    Some((report, session.sources))
}

/// Values of inputs or outputs by step, as a sentence names them.
type Literals = Vec<(usize, String, bool)>;

/// The literals of a part of a sentence: "start with `a` and `b` true and give `c` false at step 1", "`!x` at step 0".
fn literals(part: &str) -> Literals {
    let (mut found, mut group, mut names): (Literals, Literals, Vec<String>) = Default::default();
    let words: Vec<&str> = part.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    for (i, word) in words.iter().enumerate() {
        match *word {
            word if word.starts_with('`') => names.push(word.trim_matches('`').to_string()),
            "true" | "false" => group.extend(names.drain(..).map(|name| (0, name, *word == "true"))),
            "step" => {
                let step: usize = words[i + 1].parse().expect("a step");
                group.extend(names.drain(..).map(|name| match name.strip_prefix('!') {
                    Some(name) => (0, name.to_string(), false),
                    None => (0, name, true),
                }));
                found.extend(group.drain(..).map(|(_, name, value)| (step, name, value)));
            }
            "give" => found.append(&mut group),
            _ => {}
        }
    }
    found.append(&mut group);
    found
}

/// A word with this prefix and then the letter `last` forever; bit i of a number is bit i of the letter.
fn word(problem: &Problem, prefix: &[usize], last: usize) -> Lasso {
    let letter = |code: usize| -> Letter {
        (0..problem.alphabet.bit_count()).filter(|i| code >> i & 1 == 1).map(BitId::from_index).collect()
    };
    Lasso { prefix: prefix.iter().map(|&code| letter(code)).collect(), cycle: vec![letter(last)] }
}

/// Compares a sentence about a finite play with random words. Returns whether the sentence has a form that is checked.
fn sentence_holds(report: &CheckReport, sources: &SourceMap, random: &mut Rng) -> bool {
    let problem = report.problem.as_ref().expect("a problem");
    let sentence = report.reason().expect("a sentence");
    if sentence.contains("shown") || sentence.contains("for ever") {
        return false;
    }
    let (given, claim) = match sentence.split_once(" and then ") {
        Some((given, claim)) => (given.to_string(), claim),
        None => (String::new(), sentence.as_str()),
    };
    let given = given.to_lowercase();
    let (condition, inputs) = match given.split_once("the environment may") {
        Some((condition, inputs)) => (condition.to_string(), inputs.to_string()),
        None => (given.clone(), String::new()),
    };
    let mut conditions = literals(&condition);
    conditions.extend(literals(&inputs));
    // The clauses that fail, each with the answer at the last step under which it does.
    let quoted: Vec<&str> = claim.split('`').skip(1).step_by(2).collect();
    let Some(step) = claim.split("at step ").nth(1) else { return false };
    let last: usize =
        step.chars().take_while(char::is_ascii_digit).collect::<String>().parse().expect("a step");
    let clause = |text: &str| -> FormulaId {
        let found = problem.clauses.enumerate().find(|(id, _)| clause_text(problem, sources, *id) == text);
        found.unwrap_or_else(|| panic!("no clause `{text}`: {sentence}")).1.formula
    };
    let mut failing: Vec<(Literals, FormulaId)> = Vec::new();
    if claim.contains(" breaks ") {
        for part in claim
            .split_once(": ")
            .expect("answers")
            .1
            .split_inclusive("` breaks `")
            .collect::<Vec<_>>()
            .windows(2)
        {
            let answer = part[0].strip_suffix(" breaks `").expect("an answer");
            let answer = answer.rsplit("`, ").next().expect("an answer");
            let text = part[1].split('`').next().expect("a clause");
            failing.push((literals(&format!("{answer} at step {last}")), clause(text)));
        }
    } else {
        failing.push((Vec::new(), clause(quoted[0])));
    }
    let atoms: BTreeMap<&str, AtomId> =
        problem.alphabet.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
    let others: Vec<FormulaId> = failing.iter().map(|(_, formula)| *formula).collect();
    let letters = 1 << problem.alphabet.bit_count();
    for _ in 0..400 {
        let prefix: Vec<usize> = (0..=last + 1).map(|_| random.below(letters)).collect();
        for (answer, formula) in &failing {
            let mut prefix = prefix.clone();
            for (step, name, value) in conditions.iter().chain(answer) {
                let bit = atoms[name.as_str()].index();
                prefix[*step] = prefix[*step] & !(1 << bit) | usize::from(*value) << bit;
            }
            let word = word(problem, &prefix, random.below(letters));
            let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &word);
            let assumed = problem.clauses.iter().filter(|c| c.role == Role::Assumption);
            let kept = assumed.map(|c| c.formula).collect::<Vec<_>>().into_iter().all(|f| meaning.holds(f));
            let others_hold =
                others.iter().filter(|&other| other != formula).all(|&other| meaning.holds(other));
            assert!(!(kept && others_hold && meaning.holds(*formula)), "{sentence}\n{word:?}");
        }
    }
    true
}

/// The specification with a repair applied; `None` if that is not possible by edits of this text.
fn pasted(language: SpecLanguage, text: &str, repair: &CheckRepair) -> Option<String> {
    let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    let mut sections = String::new();
    for change in &repair.weaken {
        let place = change.clause.place.as_ref().filter(|place| place.file == "spec")?;
        let new = match (&change.with, language) {
            (Some(formula), SpecLanguage::Tlsf) => format!("({formula})"),
            (Some(section), _) => {
                sections.extend(["\n", section]);
                "true".into()
            }
            (None, _) => "true".into(),
        };
        edits.push((place.start.byte as usize..place.end.byte as usize, new));
    }
    for assumption in &repair.assume {
        if language == SpecLanguage::Tlsf {
            let word = ["ASSUMPTIONS", "ASSUME"].into_iter().find(|word| text.contains(word))?;
            let open = text.find(word)? + text[text.find(word)?..].find('{')? + 1;
            edits.push((open..open, format!(" {assumption}; ")));
        } else {
            sections.extend(["\n", assumption]);
        }
    }
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_string();
    for (range, new) in edits {
        text.replace_range(range, &new);
    }
    Some(text + &sections + "\n")
}

/// Checks that all repairs that are offered for a specification make it realizable. Returns how many could be applied.
fn repairs_hold(language: SpecLanguage, text: &str, report: &CheckReport, sources: &SourceMap) -> usize {
    let mut count = 0;
    for repair in report.hints(sources) {
        let Some(mended) = pasted(language, text, &repair) else { continue };
        let (answer, _) = checked(language, &mended)
            .unwrap_or_else(|| panic!("does not parse: {}\n{mended}", repair.sentence()));
        assert!(answer.is_realizable(), "{} is no repair of\n{text}", repair.sentence());
        count += 1;
    }
    count
}

fn random_specs(count: u64) -> (usize, usize, usize) {
    let (mut sentences, mut repairs, mut unrealizable) = (0, 0, 0);
    for seed in 0..count {
        let mut random = Rng(seed);
        let text = random_spec(&mut random);
        let (report, sources) = checked(SpecLanguage::Ltl, &text).expect("a report");
        if report.is_unrealizable() {
            unrealizable += 1;
            sentences += usize::from(sentence_holds(&report, &sources, &mut random));
            repairs += repairs_hold(SpecLanguage::Ltl, &text, &report, &sources);
        }
    }
    println!("{unrealizable} unrealizable of {count}: {sentences} sentences and {repairs} repairs held");
    (unrealizable, sentences, repairs)
}

#[test]
fn sentences_and_repairs_of_random_specifications_hold() {
    let (unrealizable, sentences, repairs) = random_specs(150);
    assert!(unrealizable > 50 && sentences >= 20 && repairs > unrealizable);
}

fn files_hold(files: impl IntoIterator<Item = PathBuf>) -> (usize, usize) {
    let (mut unrealizable, mut repairs) = (0, 0);
    for path in files {
        let Some(language) = SpecLanguage::of_ending(&path) else { continue };
        let text = std::fs::read_to_string(&path).expect("a specification");
        // Specifications with imports are skipped: the session has no files.
        let Some((report, sources)) = checked(language, &text) else { continue };
        if report.is_unrealizable() {
            unrealizable += 1;
            repairs += repairs_hold(language, &text, &report, &sources);
        }
    }
    println!("{unrealizable} unrealizable specifications: {repairs} repairs held");
    (unrealizable, repairs)
}

#[test]
fn repairs_of_the_gallery_hold() {
    let (unrealizable, repairs) = files_hold(every(4, 0));
    assert!(unrealizable >= 3 && repairs >= unrealizable, "{repairs} repairs of {unrealizable}");
}

#[test]
#[ignore = "long: see tests/README.md"]
fn campaign_explanations() {
    let count =
        std::env::var("TSL_SYNTH_EXPLANATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    random_specs(count);
    for part in ["cases/tsl", "bench/syntcomp"] {
        let Some(folder) = shared(part) else { continue };
        let (mut files, mut folders) = (Vec::new(), vec![folder]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        // Larger ones take long to solve again and again.
        files.retain(|path| std::fs::metadata(path).is_ok_and(|data| data.len() < 3_000));
        files_hold(files);
    }
}
