//! Plans of many tools, each used at most once: answers that do not need a table of all use counts.

use super::plan::{By, drive, driven_names, plans};
use std::collections::BTreeSet;
use std::fmt::Write;
use tsl_synth_agents::plan::{DriveEnd, DriveOptions, Driven, PlanLength, WordReport};
use tsl_synth_agents::plan_grammar::TerminalId;
use tsl_synth_agents::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::base::Budget;
use tsl_synth_service::Plans;
use tsl_synth_testkit::Rng;

/// How often what is given may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    /// Every modality, without limit.
    Unlimited,
    /// Every modality, once; so plans run out of leaves.
    Once,
    /// Only the first modality, twice.
    Scarce,
}

/// A grammar of tools that turn one to three modalities into one, each used at most once.
fn tools(rng: &mut Rng, count: usize, modalities: usize, given: Given) -> String {
    let mut bodies = vec![Vec::new(); modalities];
    let mut leaves = Vec::new();
    for tool in 0..count {
        let inputs = 1 + rng.below(2) + usize::from(rng.below(6) == 0);
        let inputs: Vec<String> = (0..inputs).map(|_| format!("M{}", rng.below(modalities))).collect();
        bodies[rng.below(modalities)].push(format!("t{tool} {}", inputs.join(" ")));
    }
    for (modality, bodies) in bodies.iter_mut().enumerate() {
        if given != Given::Scarce || modality == 0 {
            bodies.push(format!("in{modality}"));
            leaves.push(format!("in{modality}"));
        }
    }
    let mut text = format!("S -> M{}\n", rng.below(modalities));
    for (modality, bodies) in bodies.iter().enumerate() {
        let bodies = if bodies.is_empty() { format!("M{modality}") } else { bodies.join(" | ") };
        let _ = writeln!(text, "M{modality} -> {bodies}");
    }
    text.push_str("%limit * 1\n%order execution\n");
    let _ = match given {
        Given::Unlimited => writeln!(text, "%unlimited {}", leaves.join(" ")),
        Given::Once => Ok(()),
        Given::Scarce => writeln!(text, "%limit {} 2", leaves.join(" ")),
    };
    text
}

/// Whether a word is in the language and uses nothing too often, by recursive descent: each tool has one production.
fn is_plan(text: &str, word: &[String], given: Given) -> bool {
    let mut productions: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('M')) {
        let Some((top, bodies)) = line.split_once(" -> ") else { return false };
        productions.extend(bodies.split(" | ").map(|body| (top, body.split(' ').collect())));
    }
    let start = text.lines().next().and_then(|line| line.strip_prefix("S -> ")).unwrap_or_default();
    let mut open = vec![start];
    for step in word {
        let Some(top) = open.pop() else { return false };
        let body = productions.iter().find(|(from, body)| *from == top && body[0] == step.as_str());
        let Some((_, body)) = body else { return false };
        open.extend(body[1..].iter().rev());
    }
    let mut used = std::collections::BTreeMap::<&str, usize>::new();
    for step in word {
        *used.entry(step).or_default() += 1;
    }
    let most = |step: &str| match given {
        _ if step.starts_with('t') => 1,
        Given::Unlimited => usize::MAX,
        Given::Once => 1,
        Given::Scarce => 2,
    };
    open.is_empty() && used.iter().all(|(step, count)| *count <= most(step))
}

/// Chooses what opens most modalities, so that leaves run out.
struct Greedy<'t>(&'t str);

impl Oracle for Greedy<'_> {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let width = |label: &String| {
            let name = label.split([',', ' ']).next().unwrap_or_default();
            let body = self.0.split(['|', '\n', '>']).find(|body| body.split(' ').any(|w| w == name));
            body.map_or(0, |body| body.split(' ').filter(|word| !word.is_empty()).count())
        };
        let best = (0..request.choices.len()).max_by_key(|&i| (width(&request.choices[i]), i));
        let chosen = best.unwrap_or(0);
        Ok(if request.kind == AnswerKind::Choose {
            OracleAnswer::Choice(chosen)
        } else {
            OracleAnswer::Choices(vec![chosen])
        })
    }
}

fn ends_well(plans: &Plans, text: &str, given: Given, driven: &Driven, has_plan: bool) {
    if !has_plan {
        assert_eq!(driven.end, DriveEnd::NoPlan, "{text}");
        return;
    }
    assert_eq!(driven.end, DriveEnd::Plan, "{text}");
    assert!(driven.backtracks == 0 || driven.unsure > 0, "a dead end was not announced: {text}");
    let names = driven_names(plans, driven);
    assert!(is_plan(text, &names, given), "{names:?} {text}");
    let budget = Budget::unlimited();
    let word: Vec<TerminalId> = driven.nodes.iter().map(|node| node.step.terminal).collect();
    let mut planner = plans.planner(PlanLength::Any, &budget);
    assert_eq!(planner.check(&word).expect("no limit"), WordReport::Plan, "{text}");
    // A word with its last step left out, or its first one repeated, is none.
    if word.len() > 1 {
        let report = planner.check(&word[..word.len() - 1]).expect("no limit");
        assert!(matches!(report, WordReport::Unfinished(next) if next.steps.contains(&word[word.len() - 1])));
        let mut twice = word.clone();
        twice.push(word[0]);
        assert!(
            matches!(planner.check(&twice).expect("no limit"), WordReport::Wrong(at, _) if at == word.len())
        );
    }
}

#[test]
fn drivers_come_to_a_plan_at_all_sizes_or_there_is_none() {
    let mut rng = Rng(45);
    let (mut with, mut without) = (0, 0);
    for (count, modalities) in
        [(5, 1), (5, 3), (10, 2), (10, 6), (20, 1), (20, 4), (40, 2), (40, 5), (60, 3), (60, 6)]
    {
        for given in [Given::Unlimited, Given::Once, Given::Scarce] {
            let text = tools(&mut rng, count, modalities, given);
            let plans = plans("tools.cfg", &text, &[]);
            let budget = Budget::unlimited();
            let has_plan = plans.planner(PlanLength::Any, &budget).has_plan().expect("no limit");
            *(if has_plan { &mut with } else { &mut without }) += 1;
            let (mut first, mut last) = (By(|_| 0), By(|n| n - 1));
            let mut greedy = Greedy(&text);
            let oracles: [&mut dyn Oracle; 3] = [&mut first, &mut last, &mut greedy];
            for oracle in oracles {
                ends_well(&plans, &text, given, &drive(&plans, oracle, DriveOptions::default()), has_plan);
            }
        }
    }
    assert!(with >= 20 && without >= 1, "{with} {without}");
}

#[test]
fn bounds_contain_the_number_of_plans() {
    let mut rng = Rng(46);
    let mut proper = BTreeSet::new();
    for _ in 0..12 {
        let text = tools(&mut rng, 5, 2, Given::Once);
        let plans = plans("tools.cfg", &text, &[]);
        let budget = Budget::unlimited();
        let mut planner = plans.planner(PlanLength::Any, &budget);
        let count = planner.count().expect("no limit").words.expect("finite");
        let Some(bounds) = planner.bounds(None).expect("no limit") else {
            assert_eq!(count, 0u32.into(), "{text}");
            continue;
        };
        let (listed, _) = planner.enumerate(100_000, None).expect("no limit");
        let lengths: BTreeSet<usize> = listed.iter().map(Vec::len).collect();
        assert_eq!(lengths.first(), Some(&(bounds.shortest as usize)), "{text}");
        assert_eq!(lengths.last().copied(), bounds.longest.map(|n| n as usize), "{text}");
        // The grammar is small, so that plans of all lengths are counted.
        assert_eq!(bounds.at_least, count, "{text}");
        assert!(bounds.at_most.as_ref().is_some_and(|most| *most >= count), "{text}");
        proper.insert(count.to_string());
    }
    assert!(proper.len() > 3, "{proper:?}");
    let text = tools(&mut rng, 40, 5, Given::Once);
    let plans = plans("tools.cfg", &text, &[]);
    let budget = Budget::unlimited();
    let bounds = plans.planner(PlanLength::Any, &budget).bounds(None).expect("no limit");
    if let Some(bounds) = bounds {
        assert!(bounds.at_most.is_none_or(|most| most >= bounds.at_least), "{text}");
    }
}
