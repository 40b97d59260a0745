//! Plans compared with brute force on small random grammars: counts, enumeration, next steps, laws, drivers.

use super::plan::{By, drive, drive_with, names, plans};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tsl_synth_agents::plan::{DriveEnd, DriveOptions, NextSteps, OnInvalid, PlanLength, WordReport};
use tsl_synth_agents::plan_grammar::TerminalId;
use tsl_synth_agents::{Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::base::{Budget, Random};
use tsl_synth_service::Plans;
use tsl_synth_testkit::Rng;

const LONGEST: usize = 5;
const LETTERS: [&str; 3] = ["a", "b", "c"];

type Word = Vec<usize>;

/// A grammar whose productions contain indices of symbols: first the letters, then the nonterminals.
struct Small {
    text: String,
    rules: Vec<(usize, Vec<usize>)>,
    most: [Option<usize>; 3],
    least: [usize; 3],
    cost: [usize; 3],
    budget: Option<usize>,
    /// At least and at most so many of `a` and `b` together.
    group: Option<(usize, usize)>,
}

fn small(rng: &mut Rng) -> Small {
    let mut rules = Vec::new();
    let mut text = String::new();
    for top in 0..3 {
        let count = 1 + rng.below(3);
        let mut bodies = Vec::new();
        for _ in 0..count {
            let body: Vec<usize> = (0..rng.below(4)).map(|_| rng.below(6)).collect();
            let names: Vec<&str> =
                body.iter().map(|&s| if s < 3 { LETTERS[s] } else { ["S", "T", "U"][s - 3] }).collect();
            bodies.push(if names.is_empty() { "ε".to_string() } else { names.join(" ") });
            rules.push((top, body));
        }
        let _ = writeln!(text, "{} -> {}", ["S", "T", "U"][top], bodies.join(" | "));
    }
    // Directives may name only terminals that occur in the grammar.
    text.push_str("Never -> a b c Never\n");
    let (mut most, mut least, mut cost, mut budget) = ([None; 3], [0; 3], [0; 3], None);
    for i in 0..3 {
        if rng.below(2) == 0 {
            let n = 1 + rng.below(2);
            most[i] = Some(n);
            let _ = writeln!(text, "%limit {} {n}", LETTERS[i]);
        }
        if rng.below(6) == 0 {
            least[i] = 1;
            let _ = writeln!(text, "%require {}", LETTERS[i]);
        }
    }
    if rng.below(4) == 0 {
        for i in 0..3 {
            cost[i] = rng.below(3);
            let _ = writeln!(text, "%cost {} {}", LETTERS[i], cost[i]);
        }
        let most = 2 + rng.below(4);
        budget = Some(most);
        let _ = writeln!(text, "%budget {most}");
    }
    let mut group = None;
    if rng.below(4) == 0 {
        let (low, high) = (rng.below(2), 1 + rng.below(3));
        group = Some((low, high));
        let _ = writeln!(text, "%group both a b\n%limit both {high}\n%require both {low}");
    }
    Small { text, rules, most, least, cost, budget, group }
}

/// All words of at most `LONGEST` letters: the least fixpoint of the productions without words that violate directives.
fn brute(small: &Small) -> BTreeSet<Word> {
    let mut languages: Vec<BTreeSet<Word>> = vec![BTreeSet::new(); 3];
    loop {
        let before: usize = languages.iter().map(BTreeSet::len).sum();
        for (top, body) in &small.rules {
            let mut words = BTreeSet::from([Word::new()]);
            for &symbol in body {
                let parts =
                    if symbol < 3 { BTreeSet::from([vec![symbol]]) } else { languages[symbol - 3].clone() };
                words = words
                    .iter()
                    .flat_map(|word| parts.iter().map(move |part| [&word[..], &part[..]].concat()))
                    .filter(|word| word.len() <= LONGEST)
                    .collect();
            }
            languages[*top].extend(words);
        }
        if languages.iter().map(BTreeSet::len).sum::<usize>() == before {
            break;
        }
    }
    let fits = |word: &Word| {
        let count = |i: usize| word.iter().filter(|&&letter| letter == i).count();
        (0..3).all(|i| small.most[i].is_none_or(|most| count(i) <= most) && count(i) >= small.least[i])
            && small.group.is_none_or(|(low, high)| (low..=high).contains(&(count(0) + count(1))))
            && small.budget.is_none_or(|most| word.iter().map(|&i| small.cost[i]).sum::<usize>() <= most)
    };
    languages[0].iter().filter(|word| fits(word)).cloned().collect()
}

fn ids(plans: &Plans, word: &[usize]) -> Vec<TerminalId> {
    word.iter().map(|&i| plans.grammar.terminal(LETTERS[i]).expect("each letter is used")).collect()
}

fn letters(plans: &Plans, word: &[TerminalId]) -> Word {
    names(plans, word)
        .iter()
        .map(|name| LETTERS.iter().position(|letter| letter == name).expect("a letter"))
        .collect()
}

fn agrees(plans: &Plans, words: &BTreeSet<Word>, text: &str) {
    let budget = Budget::unlimited();
    let mut planner = plans.planner(PlanLength::AtMost(LONGEST as u32), &budget);
    let count = planner.count().expect("no limit").words.expect("finite");
    assert_eq!(count.to_string(), words.len().to_string(), "{text}");
    // By the table of all use counts, and lazily.
    for entries in [usize::MAX, 0] {
        let any = plans.planner(PlanLength::Any, &budget).with_table(entries);
        let (listed, more) =
            any.enumerate(100_000, Some(LONGEST as u32)).unwrap_or_else(|limit| panic!("{limit:?} {text}"));
        let listed: Vec<Word> = listed
            .iter()
            .map(|plan| letters(plans, &plan.iter().map(|step| step.terminal).collect::<Vec<_>>()))
            .collect();
        assert!(!more && listed.is_sorted_by_key(Vec::len), "{text}");
        assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), *words, "{text}");
        assert_eq!(listed.len(), words.len(), "a word is listed twice: {text}");
        let mut planner = plans.planner(PlanLength::AtMost(LONGEST as u32), &budget).with_table(entries);
        for prefix in [vec![], vec![0], vec![1], vec![2], vec![0, 1], vec![1, 1], vec![2, 0]] {
            let after: BTreeSet<usize> = words
                .iter()
                .filter(|word| word.starts_with(&prefix))
                .filter_map(|word| word.get(prefix.len()).copied())
                .collect();
            let found = planner.next(&ids(plans, &prefix), true).expect("no limit");
            let NextSteps { steps: next, unsure, is_plan } = found.unwrap_or_default();
            assert!(unsure.is_empty(), "{entries} {prefix:?} {text}");
            let next: BTreeSet<usize> = letters(plans, &next).into_iter().collect();
            assert_eq!(next, after, "{entries} {prefix:?} {text}");
            assert_eq!(is_plan, words.contains(&prefix), "{prefix:?} {text}");
            let wrong =
                (1..=prefix.len()).find(|&n| !words.iter().any(|word| word.starts_with(&prefix[..n])));
            match planner.check(&ids(plans, &prefix)).expect("no limit") {
                WordReport::Plan => assert!(words.contains(&prefix), "{prefix:?} {text}"),
                WordReport::Unfinished(next) => {
                    assert!(!words.contains(&prefix) && wrong.is_none(), "{entries} {prefix:?} {text}");
                    assert_eq!(letters(plans, &next.steps).into_iter().collect::<BTreeSet<_>>(), after);
                }
                WordReport::Wrong(at, _) => assert_eq!(wrong, Some(at + 1), "{entries} {prefix:?} {text}"),
            }
        }
    }
}

#[test]
fn counts_lists_and_next_steps_equal_brute_force() {
    let (mut rng, mut some) = (Rng(430), 0);
    for _ in 0..400 {
        let small = small(&mut rng);
        let words = brute(&small);
        some += usize::from(words.len() > 2);
        agrees(&plans("small.cfg", &small.text, &[]), &words, &small.text);
    }
    assert!(some >= 60, "only {some} grammars have words");
}

/// A formula on finite words, evaluated by definition.
enum Formula {
    Letter(usize),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Next(Box<Self>),
    StrongNext(Box<Self>),
    Finally(Box<Self>),
    Globally(Box<Self>),
    Until(Box<Self>, Box<Self>),
    Release(Box<Self>, Box<Self>),
}

fn formula(rng: &mut Rng, size: usize) -> Formula {
    if size == 0 {
        return Formula::Letter(rng.below(3));
    }
    let one = |rng: &mut Rng| Box::new(formula(rng, size - 1));
    match rng.below(10) {
        0 => Formula::Not(one(rng)),
        1 => Formula::And(one(rng), one(rng)),
        2 => Formula::Or(one(rng), one(rng)),
        3 => Formula::Next(one(rng)),
        4 => Formula::StrongNext(one(rng)),
        5 => Formula::Finally(one(rng)),
        6 => Formula::Globally(one(rng)),
        7 => Formula::Until(one(rng), one(rng)),
        8 => Formula::Release(one(rng), one(rng)),
        _ => Formula::Letter(rng.below(3)),
    }
}

fn shown(f: &Formula) -> String {
    match f {
        Formula::Letter(i) => LETTERS[*i].into(),
        Formula::Not(f) => format!("!({})", shown(f)),
        Formula::And(f, g) => format!("({}) & ({})", shown(f), shown(g)),
        Formula::Or(f, g) => format!("({}) | ({})", shown(f), shown(g)),
        Formula::Next(f) => format!("X ({})", shown(f)),
        Formula::StrongNext(f) => format!("X[!] ({})", shown(f)),
        Formula::Finally(f) => format!("F ({})", shown(f)),
        Formula::Globally(f) => format!("G ({})", shown(f)),
        Formula::Until(f, g) => format!("({}) U ({})", shown(f), shown(g)),
        Formula::Release(f, g) => format!("({}) R ({})", shown(f), shown(g)),
    }
}

fn holds(f: &Formula, word: &[usize], at: usize) -> bool {
    let steps = at..word.len();
    match f {
        Formula::Letter(i) => word.get(at) == Some(i),
        Formula::Not(f) => !holds(f, word, at),
        Formula::And(f, g) => holds(f, word, at) && holds(g, word, at),
        Formula::Or(f, g) => holds(f, word, at) || holds(g, word, at),
        Formula::Next(f) => at + 1 >= word.len() || holds(f, word, at + 1),
        Formula::StrongNext(f) => at + 1 < word.len() && holds(f, word, at + 1),
        Formula::Finally(f) => steps.into_iter().any(|i| holds(f, word, i)),
        Formula::Globally(f) => steps.into_iter().all(|i| holds(f, word, i)),
        Formula::Until(f, g) => {
            steps.clone().any(|i| holds(g, word, i) && (at..i).all(|j| holds(f, word, j)))
        }
        Formula::Release(f, g) => {
            steps.clone().all(|i| holds(g, word, i) || (at..i).any(|j| holds(f, word, j)))
        }
    }
}

#[test]
fn laws_keep_exactly_the_words_that_satisfy_them() {
    let (mut rng, mut proper) = (Rng(431), 0);
    for _ in 0..400 {
        let small = small(&mut rng);
        let laws: Vec<Formula> = (0..=rng.below(2)).map(|_| formula(&mut rng, 3)).collect();
        let all = brute(&small);
        let words: BTreeSet<Word> =
            all.iter().filter(|word| laws.iter().all(|law| holds(law, word, 0))).cloned().collect();
        proper += usize::from(!words.is_empty() && words.len() < all.len());
        let texts: Vec<String> = laws.iter().map(shown).collect();
        let laws: Vec<&str> = texts.iter().map(String::as_str).collect();
        agrees(&plans("small.cfg", &small.text, &laws), &words, &format!("{}{texts:?}", small.text));
    }
    assert!(proper >= 25, "only {proper} laws keep some words and not others");
}

/// An oracle whose answers are never valid.
struct InvalidOracle;

impl Oracle for InvalidOracle {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        // Alternates between a number that is out of range and an answer that is no number.
        if request.attempt.is_multiple_of(2) {
            Ok(OracleAnswer::Choice(99))
        } else {
            Err(OracleError::invalid("banana", "a number"))
        }
    }
}

#[test]
fn every_oracle_comes_to_a_plan_or_there_is_none() {
    let mut rng = Rng(432);
    let (mut some, mut none) = (0, 0);
    for round in 0..200 {
        let small = small(&mut rng);
        let plans = plans("small.cfg", &small.text, &[]);
        let budget = Budget::unlimited();
        let least = plans.planner(PlanLength::Any, &budget).least_cost().expect("no limit");
        for (kind, on_invalid) in
            [(0, OnInvalid::Stop), (1, OnInvalid::Stop), (2, OnInvalid::First), (3, OnInvalid::Random)]
        {
            let mut first = By(|_| 0);
            let mut last = By(|n| n - 1);
            let oracle: &mut dyn Oracle = match kind {
                0 => &mut first,
                1 => &mut last,
                _ => &mut InvalidOracle,
            };
            let options = DriveOptions { on_invalid, most: 60, seed: round, ..DriveOptions::default() };
            let lazy = drive_with(&plans, oracle, options, Some(0));
            let driven = drive(&plans, oracle, options);
            assert_eq!(lazy, driven, "{}", small.text);
            if least.is_some() {
                assert_eq!((driven.end, driven.backtracks), (DriveEnd::Plan, 0), "{}", small.text);
                let word: Vec<TerminalId> = driven.nodes.iter().map(|node| node.step.terminal).collect();
                let checked = plans.planner(PlanLength::Any, &budget).check(&word).expect("no limit");
                assert_eq!(checked, WordReport::Plan, "{}", small.text);
            } else {
                assert_eq!(driven.end, DriveEnd::NoPlan, "{}", small.text);
            }
            let options = DriveOptions { look_ahead: false, most: 7, ..options };
            let driven = drive(&plans, oracle, options);
            if least.is_some_and(|least| least <= 7) {
                assert_eq!(driven.end, DriveEnd::Plan, "going back finds a plan: {}", small.text);
            }
            if driven.end == DriveEnd::Plan {
                let word: Vec<TerminalId> = driven.nodes.iter().map(|node| node.step.terminal).collect();
                let checked = plans.planner(PlanLength::Any, &budget).check(&word).expect("no limit");
                assert_eq!(checked, WordReport::Plan, "{}", small.text);
            }
        }
        *(if least.is_some() { &mut some } else { &mut none }) += 1;
    }
    assert!(some >= 50 && none >= 10, "{some} grammars with plans, {none} without");
}

#[test]
fn samples_are_uniform() {
    // The first grammar is unambiguous, the second one is not; both have the same ten words.
    for text in [
        "S -> A B | c\nA -> a1 | a2 | a3\nB -> b1 | b2 | b3\n",
        "S -> A B | c\nA -> a1 | a2 | a3\nB -> b1 | b2 | b3\nS -> a1 b1 | A b2\n",
    ] {
        let plans = plans("words.cfg", text, &[]);
        let budget = Budget::unlimited();
        let mut planner = plans.planner(PlanLength::Any, &budget);
        let drawn = planner.sample(10_000, &mut Random::new(7)).expect("no limit").expect("there are plans");
        let mut counts: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        for plan in drawn {
            *counts.entry(plan.iter().map(|step| step.written(&plans.grammar)).collect()).or_default() += 1;
        }
        assert_eq!(counts.len(), 10, "{counts:?}");
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}

#[test]
fn infinitely_many_plans_are_said_to_be_infinitely_many() {
    let budget = Budget::unlimited();
    for (text, infinite) in [
        ("S -> ε | a S b\n", true),
        ("S -> S a | b\n", true),
        ("S -> S | a\n", false),
        ("S -> i S b | c\n%limit b 1\n", false),
        ("S -> S S | a\n%limit a 3\n", false),
        ("S -> S S | ε\n", false),
        ("S -> a S\n", false),
    ] {
        let plans = plans("words.cfg", text, &[]);
        let count = plans.planner(PlanLength::Any, &budget).count().expect("no limit");
        assert_eq!(count.words.is_none(), infinite, "{text}");
    }
    let plans = plans("toy.cfg", "S -> ε | a S b\n", &[]);
    let count = plans.planner(PlanLength::AtMost(200), &budget).count().expect("no limit");
    assert_eq!(count.words.expect("finite").to_string(), "101");
}
