//! `experiment react`: the wiki and its tools, perfect, erring and adversarial models, the agents that run them.

use tsl_synth_agents::{Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::base::Random;
use tsl_synth_experiments::Experiment;
use tsl_synth_experiments::react::{React, ReactAgent, ReactLab, ReactModel, ReactRates, ReactRun, Tools};
use tsl_synth_service::{Input, Session};

fn lab() -> ReactLab {
    ReactLab::new().unwrap_or_else(|failure| panic!("{}", failure.reason()))
}

/// A model that writes random prompts and words, and ignores stop strings.
struct Babble(Random);

impl Oracle for Babble {
    fn ask(&mut self, _request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        const WORDS: [&str; 14] = [
            "Thought:",
            "Action:",
            "Action Input:",
            "Observation:",
            "Final Thought:",
            "Answer:",
            "Final ",
            "Action",
            " ",
            "\n",
            "Search",
            "Port Alder",
            "2 + 2",
            "Thought",
        ];
        let count = self.0.below(12);
        Ok(OracleAnswer::Text((0..count).map(|_| WORDS[self.0.below(WORDS.len())]).collect()))
    }
}

/// A model that always gives the same answer.
struct Same(&'static str);

impl Oracle for Same {
    fn ask(&mut self, _request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        Ok(OracleAnswer::Text(self.0.into()))
    }
}

/// A model all of whose errors have this rate.
fn erring(lab: &ReactLab, rate: f64, seed: u64) -> ReactModel<'_> {
    let rates = ReactRates {
        skip: rate,
        empty: rate,
        unknown: rate,
        fabricate: rate,
        repeat: rate,
        example: 1.0,
        mistake: rate,
        misread: rate,
    };
    ReactModel::new(lab.wiki(), rates, seed)
}

/// The runs of many models that do not keep to the form.
fn adversarial(lab: &ReactLab, agent: ReactAgent) -> Vec<ReactRun> {
    let mut runs = Vec::new();
    for (i, question) in (0_u64..).zip(&lab.wiki().questions) {
        let mut models: Vec<Box<dyn Oracle + '_>> = vec![
            Box::new(Same("")),
            Box::new(Same("Observation: 42\nAnswer: 42\n")),
            Box::new(Same("Thought: Thought: Final Thought: Action: Final ")),
            Box::new(Same("Action: Browser\nAction Input:\nObservation: I saw it.\nThought:")),
        ];
        models.extend((0..20).map(|k| Box::new(Babble(Random::new(100 * i + k))) as Box<dyn Oracle>));
        models.extend([0.3, 0.7, 1.0].map(|rate| Box::new(erring(lab, rate, i)) as Box<dyn Oracle>));
        for mut model in models {
            runs.push(lab.run(agent, question, (i % 4) as usize, model.as_mut()));
        }
    }
    runs
}

#[test]
fn the_constrained_agent_takes_no_illegal_step_whatever_the_model_writes() {
    let lab = lab();
    let runs = adversarial(&lab, ReactAgent::Constrained);
    assert!(runs.len() > 1000);
    for run in runs {
        assert_eq!((run.illegal, run.unknown), (0, 0), "{}", run.text);
        assert!((1..=3).contains(&run.calls), "{}", run.text);
        assert!(run.text.contains("Answer:"), "{}", run.text);
    }
    // The same check finds illegal steps of the other agents.
    for agent in [ReactAgent::Free, ReactAgent::Partial] {
        let runs = adversarial(&lab, agent);
        let illegal = runs.iter().filter(|run| run.illegal > 0).count();
        assert!(illegal * 2 > runs.len(), "{}: {illegal} of {}", agent.name(), runs.len());
        assert!(runs.iter().all(|run| run.calls <= 3), "{}", agent.name());
    }
}

#[test]
fn a_perfect_model_answers_all_questions_by_every_agent() {
    let lab = lab();
    for agent in ReactAgent::ALL {
        for question in &lab.wiki().questions {
            for examples in [0, 3] {
                let mut model = ReactModel::new(lab.wiki(), ReactRates::default(), 0);
                let run = lab.run(agent, question, examples, &mut model);
                assert!(lab.is_correct(question, &run), "{}: {}{}", agent.name(), question.text, run.text);
                assert_eq!((run.illegal, run.null_inputs, run.unknown), (0, 0, 0), "{}", run.text);
                assert_eq!(run.calls as usize, question.steps.len(), "{}", run.text);
            }
        }
    }
}

#[test]
fn a_model_that_misreads_all_answers_none() {
    let lab = lab();
    let rates = ReactRates { misread: 1.0, ..ReactRates::default() };
    for question in &lab.wiki().questions {
        let mut model = ReactModel::new(lab.wiki(), rates.clone(), 0);
        let run = lab.run(ReactAgent::Constrained, question, 0, &mut model);
        assert!(!lab.is_correct(question, &run), "{}{}", question.text, run.text);
    }
}

#[test]
fn the_answers_of_the_wiki_are_found_by_the_tools() {
    let lab = lab();
    let kinds: Vec<&str> = lab.wiki().questions.iter().map(|question| question.kind.name()).collect();
    assert!(kinds.len() >= 60, "{} questions", kinds.len());
    for kind in ["calculator", "search", "lookup"] {
        assert_eq!(kinds.iter().filter(|k| **k == kind).count(), 20, "{kind}");
    }
    for question in &lab.wiki().questions {
        let mut tools = Tools::new(lab.wiki());
        let mut returned: Vec<String> = Vec::new();
        let mut before_last = String::new();
        for (tool, input) in &question.steps {
            let mut input = input.clone();
            for (i, value) in returned.iter().enumerate() {
                input = input.replace(&format!("{{{}}}", i + 1), value);
            }
            before_last = returned.concat();
            returned.push(tools.call(tool, &input));
        }
        let last = returned.pop().expect("a step");
        let found = question.read.replace("{}", &question.answer);
        assert!(last.contains(&found), "{}: {found} is not in {last}", question.text);
        if question.kind.name() == "lookup" {
            assert!(!before_last.contains(&found), "{}: Search alone finds it", question.text);
        }
        assert!(question.steps.len() <= 3, "{}", question.text);
    }
}

#[test]
fn the_examples_are_runs_of_the_behavior() {
    let text = include_str!("../../specs/agents/react.agent");
    let input = Input::Text { name: "react.agent".into(), text: text.into() };
    let (behavior, _) =
        Session::new().behavior(&input, None).unwrap_or_else(|failure| panic!("{}", failure.reason()));
    let lab = lab();
    assert_eq!(lab.wiki().examples.len(), 3);
    for example in &lab.wiki().examples {
        let transcript = behavior.transcript(&example.text);
        assert!(transcript.fault.is_none(), "{:?}: {}", transcript.fault, example.text);
        assert!(!lab.wiki().questions.iter().any(|question| example.text.contains(&question.text)));
    }
    let asked = &lab.wiki().questions[0];
    for k in 0..=3 {
        assert_eq!(lab.prompt(asked, k).matches("Question:").count(), k + 1);
    }
}

#[test]
fn tools_answer_every_input() {
    let lab = lab();
    let mut tools = Tools::new(lab.wiki());
    assert_eq!(tools.call("Lookup", "harbor"), "Cannot use Lookup without using Search first!");
    let near = tools.call("Search", "Port Older");
    assert!(near.contains("Similar: Port Alder, "), "{near}");
    assert!(tools.call("Search", "port alder").starts_with("Port Alder is the largest harbor town"));
    assert_eq!(tools.call("Lookup", "1902"), "(Result 1 / 1) A fire destroyed the customs house in 1902.");
    assert_eq!(tools.call("Lookup", "1902"), "No more results.");
    assert_eq!(tools.call("Lookup", ""), "Error in parsing action");
    assert_eq!(tools.call("Browser", "Varn"), "Error in parsing action");
    assert_eq!((tools.calls, tools.null_inputs, tools.unknown), (7, 1, 1));
    for (expression, value) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * -3", "-9"),
        ("1 / 3 * 3", "1"),
        ("2 / 3", "0.666667"),
        ("-0.5 / 2", "-0.25"),
        ("0.1 + 0.2", "0.3"),
        ("10 - 4 - 3", "3"),
    ] {
        assert_eq!(tools.call("Calculator", expression), value, "{expression}");
    }
    let deep = "(".repeat(100_000);
    let large = "9".repeat(100);
    for expression in
        ["1 / 0", "1 +", "1..2", "two", "1 2", ".", "٣", &deep, &large, "1/(2-2)", &"-".repeat(9999)]
    {
        assert_eq!(tools.call("Calculator", expression), "Error: this has no value", "{expression:.20}");
    }
}

#[test]
fn the_same_seed_gives_the_same_rows_and_examples_help_the_form() {
    let react = React { questions: 60, ..React::default() };
    let rows = |react: &React| -> Vec<_> {
        let row = |part: &String| react.run(part).unwrap_or_else(|failure| panic!("{}", failure.reason()));
        react.parts().iter().map(row).collect()
    };
    let all = rows(&react);
    assert_eq!(all, rows(&react));
    assert_ne!(all, rows(&React { seed: 1, ..react.clone() }));
    assert_ne!(react.settings(), React { seed: 1, ..react.clone() }.settings());
    assert!(react.run("weak/4/free text").is_err());
    let get = |part: &str, column: &str| {
        let row = all.iter().find(|row| row.part == part).unwrap_or_else(|| panic!("no row {part}"));
        row.get(column)
    };
    for model in ["weak", "strong"] {
        for k in 0..4 {
            let constrained = format!("{model}/{k}/constrained");
            assert!(get(&constrained, "illegal steps").abs() < f64::EPSILON);
            assert!(get(&constrained, "unknown tools").abs() < f64::EPSILON);
        }
        let free = |k, column| get(&format!("{model}/{k}/free text"), column);
        assert!(free(3, "illegal-step rate") < free(0, "illegal-step rate"));
        assert!(free(0, "illegal steps") > 0.0);
    }
    let report = react.report(&all);
    assert!(report.text.contains("10.2  29.8"), "{}", report.text);
    assert!(
        report.text.contains("illegal steps of the constrained agent in all rows: 0\n"),
        "{}",
        report.text
    );
    let chart = report.chart.expect("a chart");
    assert_eq!(chart.lines.len(), 6);
    assert!(chart.lines.iter().all(|(_, points)| points.len() == 4));
}
