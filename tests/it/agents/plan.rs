//! `plan`: cases about Formal-LLM (`fixtures/papers/agents/plan`, and those beside the repository).

use serde_json::Value;
use std::path::Path;
use tsl_synth_agents::plan::{
    DriveEnd, DriveOptions, Driven, NextSteps, PlanDriver, PlanLength, WordReport, dead_configurations,
};
use tsl_synth_agents::plan_grammar::TerminalId;
use tsl_synth_agents::{
    AnswerKind, Conversation, NoLog, NoOracle, Oracle, OracleAnswer, OracleError, OracleRequest,
};
use tsl_synth_core::base::Budget;
use tsl_synth_service::{Input, PlanRequest, Plans, Session};
use tsl_synth_testkit as support;

pub(super) fn plans(name: &str, text: &str, laws: &[&str]) -> Plans {
    let mut request = PlanRequest::new(Input::Text { name: name.into(), text: text.into() });
    for law in laws {
        request = request.with(Input::Text { name: "<law>".into(), text: (*law).into() });
    }
    let mut session = Session::new();
    session.plans(&request).unwrap_or_else(|failure| panic!("{name}: {failure}\n{text}"))
}

pub(super) fn names(plans: &Plans, word: &[TerminalId]) -> Vec<String> {
    word.iter().map(|&id| plans.grammar.terminals[id].name.clone()).collect()
}

fn case(folder: &Path, file: &str, once: bool) -> Plans {
    let text = std::fs::read_to_string(folder.join(file)).expect("the grammar is there");
    let extra = if once { "\n%limit * 1\n%unlimited " } else { "" };
    let unlimited: Vec<&str> = if once {
        ["i", "t"]
            .into_iter()
            .filter(|t| text.lines().any(|l| !l.starts_with('#') && l.split([' ', '|']).any(|w| w == *t)))
            .collect()
    } else {
        Vec::new()
    };
    plans(file, &format!("{text}{extra}{}\n", unlimited.join(" ")), &[])
}

fn word(plans: &Plans, value: &Value) -> Option<Vec<TerminalId>> {
    value.as_array()?.iter().map(|name| plans.grammar.terminal(name.as_str()?)).collect()
}

/// The folders of cases, each with what its `cases.json` says.
fn cases() -> Vec<(std::path::PathBuf, Value)> {
    let read = |folder: std::path::PathBuf| {
        let text = std::fs::read_to_string(folder.join("cases.json")).expect("cases.json");
        (folder, serde_json::from_str(&text).expect("cases.json is JSON"))
    };
    support::cases("agents/plan").into_iter().map(read).collect()
}

/// Chooses by a function of the number of choices.
pub(super) struct By(pub(super) fn(usize) -> usize);

impl Oracle for By {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let chosen = self.0(request.choices.len());
        Ok(if request.kind == AnswerKind::Choose {
            OracleAnswer::Choice(chosen)
        } else {
            OracleAnswer::Choices(vec![chosen])
        })
    }
}

pub(super) fn drive(plans: &Plans, oracle: &mut dyn Oracle, options: DriveOptions) -> Driven {
    drive_with(plans, oracle, options, None)
}

/// With a bound on the table of use counts, beyond which the driver decides lazily.
pub(super) fn drive_with(
    plans: &Plans,
    oracle: &mut dyn Oracle,
    options: DriveOptions,
    table: Option<usize>,
) -> Driven {
    let budget = Budget::unlimited();
    let mut planner = plans.planner(PlanLength::Any, &budget);
    if let Some(entries) = table {
        planner = planner.with_table(entries);
    }
    let (mut a, mut b, mut c, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
    let mut conversation = Conversation::new(oracle, &mut a, &mut b, &mut c, &mut log, 3);
    PlanDriver::new(&mut planner, options).run(&mut conversation).expect("no limit")
}

pub(super) fn driven_names(plans: &Plans, driven: &Driven) -> Vec<String> {
    driven.nodes.iter().map(|node| plans.grammar.terminals[node.step.terminal].name.clone()).collect()
}

#[test]
fn recorded_words_are_judged_as_recorded() {
    for (folder, cases) in cases() {
        let budget = Budget::unlimited();
        let mut count = 0;
        for (file, words) in cases["words"].as_object().expect("words") {
            let (any, once) = (case(&folder, file, false), case(&folder, file, true));
            for one in words.as_array().expect("a list") {
                for (plans, key) in [(&any, "in_language"), (&once, "valid_with_each_tool_once")] {
                    let Some(expected) = one[key].as_bool() else { continue };
                    let known = word(plans, &one["word"]);
                    let found = known.is_some_and(|word| {
                        plans.planner(PlanLength::Any, &budget).check(&word).expect("no limit")
                            == WordReport::Plan
                    });
                    assert_eq!(found, expected, "{file} {key} {one}");
                    count += 1;
                }
            }
        }
        assert!(count >= 30, "only {count} words");
    }
}

#[test]
fn recorded_counts_and_dead_ends() {
    for (folder, cases) in cases() {
        let budget = Budget::unlimited();
        for (file, expected) in cases["counts"].as_object().expect("counts") {
            let key = "plans_with_each_tool_at_most_once";
            let Some(expected_count) = expected[key].as_u64() else { continue };
            let plans = case(&folder, file, true);
            let mut planner = plans.planner(PlanLength::Any, &budget);
            let count = planner.count().expect("no limit");
            assert_eq!(count.words.expect("finite").to_string(), expected_count.to_string(), "{file}");
            let dead = dead_configurations(&mut planner).expect("no limit");
            assert_eq!(
                dead.dead as u64,
                expected["dead_end_configurations"].as_u64().expect("a number"),
                "{file}"
            );
        }
        let cooking = case(&folder, "cooking.cfg", false);
        assert_eq!(
            cooking
                .planner(PlanLength::Any, &budget)
                .count()
                .expect("no limit")
                .words
                .expect("finite")
                .to_string(),
            "3"
        );
        for dead in cases["dead_ends"].as_array().expect("dead ends") {
            let plans = case(&folder, dead["grammar"].as_str().expect("a file"), true);
            let prefix = word(&plans, &dead["prefix"]).expect("tools");
            let mut planner = plans.planner(PlanLength::Any, &budget);
            assert_eq!(planner.next(&prefix, true).expect("no limit"), Some(NextSteps::default()), "{dead}");
        }
    }
}

#[test]
fn recorded_runs_of_the_driver() {
    for (folder, cases) in cases() {
        for run in cases["drive"].as_array().expect("runs") {
            let plans = case(&folder, run["grammar"].as_str().expect("a file"), true);
            let mut oracle =
                By(if run["oracle"].as_str().expect("text").contains("first") { |_| 0 } else { |n| n - 1 });
            let naive = DriveOptions { look_ahead: false, ..DriveOptions::default() };
            let driven = drive(&plans, &mut oracle, naive);
            assert_eq!(driven.end, DriveEnd::Plan, "{run}");
            assert_eq!(serde_json::json!(driven_names(&plans, &driven)), run["backtracking_result"], "{run}");
            assert_eq!(driven.backtracks, run["backtracks"].as_u64().expect("a number"), "{run}");
            let driven = drive(&plans, &mut oracle, DriveOptions::default());
            assert_eq!((driven.end, driven.backtracks), (DriveEnd::Plan, 0), "{run}");
        }
        let file = if folder.join("text_to_image.cfg").is_file() {
            "text_to_image.cfg"
        } else {
            "openagi_text_to_image.cfg"
        };
        let plans = case(&folder, file, true);
        let budget = Budget::unlimited();
        for list in cases["first_choice_lists_text_to_image"].as_array().expect("lists") {
            let prefix = word(&plans, &list["word"]).expect("tools");
            let next = plans
                .planner(PlanLength::Any, &budget)
                .next(&prefix, false)
                .expect("no limit")
                .expect("possible")
                .steps;
            assert_eq!(serde_json::json!(names(&plans, &next)), list["choices"], "{list}");
        }
    }
}
