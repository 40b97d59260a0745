//! The experiments of the papers as evaluations of one's own model: their specifications, policies, grammars, questions and
//! worlds.

use super::{EvalGroup, EvalTask, Subject};
use crate::openagi::TASKS;
use crate::react::{ReactLab, Tools};
use crate::travel::{Travel, travel_grammar};
use crate::{Adventure, Ltlcrit, household_constraints, household_policy, ltlcrit, safety_chip};
use std::sync::OnceLock;
use tsl_synth_agents::wiki::Wiki;
use tsl_synth_agents::world::HOUSEHOLD_TASKS;
use tsl_synth_service::{BehaviorRun, Failure, Input, PlanRequest, Session};

/// The names of the presets: those of the experiments.
pub const PRESETS: [&str; 6] = ["adventure", "openagi", "travel", "ltlcrit", "safety-chip", "react"];

/// The groups of a preset, and how many runs each task has in its paper.
///
/// # Errors
/// There is no such preset, or a defect of this program.
pub fn preset(name: &str) -> Result<(Vec<EvalGroup>, u32), Failure> {
    Ok(match name {
        "adventure" => (adventure()?, 75),
        "openagi" => (openagi()?, 17),
        "travel" => (travel()?, 1),
        "ltlcrit" => (ltlcrit_groups()?, 5),
        "safety-chip" => (safety_chip_groups()?, 1),
        "react" => (react()?, 1),
        _ => return Err(Failure::internal(format!("there is no preset `{name}`"))),
    })
}

fn adventure() -> Result<Vec<EvalGroup>, Failure> {
    let adventure = Adventure::default();
    let mut groups = Vec::new();
    for task in Adventure::tasks() {
        let story = adventure.story(task)?.clone();
        let tasks = vec![EvalTask::new("game", "")];
        groups.push(EvalGroup::new(format!("task {task}"), Subject::Story(Box::new(story)), tasks));
    }
    Ok(groups)
}

fn openagi() -> Result<Vec<EvalGroup>, Failure> {
    let mut groups = Vec::new();
    for (task, text) in TASKS {
        let input = Input::Text { name: format!("{task}.cfg"), text: text.into() };
        let plans = Session::new().plans(&PlanRequest::new(input))?;
        groups.push(EvalGroup::new(
            task,
            Subject::Plans(Box::new(plans), Vec::new()),
            vec![EvalTask::new("plan", "")],
        ));
    }
    Ok(groups)
}

fn travel() -> Result<Vec<EvalGroup>, Failure> {
    let travel = Travel::ours().map_err(Failure::internal)?;
    let mut groups = Vec::new();
    for query in &travel.queries {
        let (text, laws) = travel_grammar(&travel, query, true);
        let mut request = PlanRequest::new(Input::Text { name: format!("query{}.cfg", query.id), text });
        for law in &laws {
            request = request.with(Input::Text { name: "<law>".into(), text: law.clone() });
        }
        let plans = Session::new().plans(&request)?;
        let tasks = vec![EvalTask::new(query.id.to_string(), "")];
        groups.push(EvalGroup::new("trips", Subject::Plans(Box::new(plans), laws), tasks));
    }
    Ok(groups)
}

fn ltlcrit_groups() -> Result<Vec<EvalGroup>, Failure> {
    let mut groups = Vec::new();
    for (name, actor, text) in Ltlcrit::default().policies()? {
        let loaded = ltlcrit::load(&text)?;
        let mut task = EvalTask::new("diamond", "Mine a diamond.");
        task.env = Some("inventory".into());
        let subject = Subject::Policy(Box::new(loaded), text);
        groups.push(EvalGroup { actor: Some(actor), ..EvalGroup::new(name, subject, vec![task]) });
    }
    Ok(groups)
}

fn safety_chip_groups() -> Result<Vec<EvalGroup>, Failure> {
    let mut groups = Vec::new();
    for count in 0..=safety_chip::MOST {
        for (task, sentence, ..) in HOUSEHOLD_TASKS {
            let text = household_policy(household_constraints(task, count))?;
            let loaded = safety_chip::load(&text)?;
            let mut one = EvalTask::new(task, sentence);
            one.env = Some(format!("household:{task}"));
            let subject = Subject::Policy(Box::new(loaded), text);
            groups.push(EvalGroup::new(format!("{count} constraints"), subject, vec![one]));
        }
    }
    Ok(groups)
}

/// Few-shot examples in the prompts of `react`.
const EXAMPLES: usize = 2;

fn react() -> Result<Vec<EvalGroup>, Failure> {
    let lab = ReactLab::new()?;
    let mut tasks = Vec::new();
    for (i, question) in lab.wiki().questions.iter().enumerate() {
        let mut task = EvalTask::new(format!("{}", i + 1), lab.prompt(question, EXAMPLES));
        task.answers = vec![question.answer.clone()];
        task.env = Some("wiki".into());
        tasks.push(task);
    }
    let mut run = BehaviorRun::new(lab.constrained().clone(), "", "");
    run.options.decide = tsl_synth_agents::behavior::Decide::Write;
    Ok(vec![EvalGroup::new("react", Subject::Behavior(Box::new(run)), tasks)])
}

/// The tools of the preset `react`: Search, Lookup and Calculator over our wiki.
///
/// # Errors
/// A defect of this program.
pub fn wiki_tools() -> Result<Tools<'static>, Failure> {
    static WIKI: OnceLock<Wiki> = OnceLock::new();
    let wiki = if let Some(wiki) = WIKI.get() {
        wiki
    } else {
        let read = crate::react::wiki()?;
        WIKI.get_or_init(|| read)
    };
    Ok(Tools::new(wiki))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_groups_with_distinct_tasks() {
        for name in PRESETS {
            let (groups, runs) =
                preset(name).unwrap_or_else(|failure| panic!("{name}: {}", failure.reason()));
            assert!(!groups.is_empty() && runs > 0, "{name}");
            let mut keys: Vec<(&str, &str)> = Vec::new();
            for group in &groups {
                keys.extend(group.tasks.iter().map(|task| (group.name.as_str(), task.id.as_str())));
            }
            let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
            assert_eq!(distinct.len(), keys.len(), "{name}");
        }
        assert!(preset("none").is_err());
    }
}
