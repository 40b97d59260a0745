//! The experiments of the papers as evaluations of one's own model: their specifications, policies, grammars, questions and
//! worlds.

use super::{EvalGroup, EvalTask, Subject};
use crate::openagi::OpenAgiSettings;
use crate::react::{ReactLab, Tools};
use crate::replaced::{Part, Replaced};
use crate::travel::{TravelSettings, travel_grammar};
use crate::{Adventure, Ltlcrit, SafetyChip, ltlcrit, safety_chip};
use std::sync::OnceLock;
use tsl_synth_agents::wiki::Wiki;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_service::{BehaviorRun, Failure, Input, PlanRequest, Session};

/// The names of the presets: those of the experiments.
pub const PRESETS: [&str; 6] = ["adventure", "openagi", "travel", "ltlcrit", "safety-chip", "react"];

/// The groups of a preset with these files in the place of those of the gallery, and how many runs each task has in its
/// paper.
///
/// # Errors
/// The preset does not exist, a file cannot be read, or the program has a defect.
pub fn preset(name: &str, files: &Replaced) -> Result<(Vec<EvalGroup>, u32), Failure> {
    Ok(match name {
        "adventure" => (adventure(files)?, 75),
        "openagi" => (openagi(files)?, 17),
        "travel" => (travel(files)?, 1),
        "ltlcrit" => (ltlcrit_groups(files)?, 5),
        "safety-chip" => (safety_chip_groups(files)?, 1),
        "react" => (react(files)?, 1),
        _ => return Err(Failure::internal(format!("there is no preset `{name}`"))),
    })
}

/// A file that cannot be read.
fn wrong(why: String) -> Failure {
    Diagnostic::error(Code::CANNOT_READ, why).into()
}

fn adventure(files: &Replaced) -> Result<Vec<EvalGroup>, Failure> {
    let adventure = Adventure::default().with_files(files).map_err(wrong)?;
    let mut groups = Vec::new();
    for task in adventure.tasks() {
        let story = adventure.story(&task)?.clone();
        let tasks = vec![EvalTask::new("game", "")];
        groups.push(EvalGroup::new(format!("task {task}"), Subject::Story(Box::new(story)), tasks));
    }
    Ok(groups)
}

fn openagi(files: &Replaced) -> Result<Vec<EvalGroup>, Failure> {
    let settings = OpenAgiSettings::default().with_files(files).map_err(wrong)?;
    let mut groups = Vec::new();
    for (task, text) in settings.tasks() {
        let input = Input::Text { name: format!("{task}.cfg"), text: text.clone() };
        let plans = Session::new().plans(&PlanRequest::new(input))?;
        groups.push(EvalGroup::new(
            task,
            Subject::Plans(Box::new(plans), Vec::new()),
            vec![EvalTask::new("plan", "")],
        ));
    }
    Ok(groups)
}

fn travel(files: &Replaced) -> Result<Vec<EvalGroup>, Failure> {
    let travel = TravelSettings::default().with_files(files).map_err(wrong)?.travel()?;
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

fn ltlcrit_groups(files: &Replaced) -> Result<Vec<EvalGroup>, Failure> {
    let ltlcrit = Ltlcrit::default().with_files(files).map_err(wrong)?;
    let (env, name, sentence) = ltlcrit.environment()?;
    let mut groups = Vec::new();
    for (group, actor, text) in ltlcrit.policies()? {
        let loaded = ltlcrit::load(&text)?;
        let mut task = EvalTask::new(name.clone(), sentence.clone());
        task.env = Some(env.clone());
        let subject = Subject::Policy(Box::new(loaded), text);
        groups.push(EvalGroup { actor: Some(actor), ..EvalGroup::new(group, subject, vec![task]) });
    }
    Ok(groups)
}

fn safety_chip_groups(files: &Replaced) -> Result<Vec<EvalGroup>, Failure> {
    let household = SafetyChip::default().with_files(files).map_err(wrong)?.household()?;
    let mut groups = Vec::new();
    for count in 0..=household.most() {
        for task in household.tasks() {
            let text = household.policy(household.constraints(&task.name, count));
            let loaded = safety_chip::load(&text)?;
            let mut one = EvalTask::new(task.name.clone(), task.sentence.clone());
            one.env = Some(household.env(&task.name));
            let subject = Subject::Policy(Box::new(loaded), text);
            groups.push(EvalGroup::new(format!("{count} constraints"), subject, vec![one]));
        }
    }
    Ok(groups)
}

/// Few-shot examples in the prompts of `react`.
const EXAMPLES: usize = 2;

fn react(files: &Replaced) -> Result<Vec<EvalGroup>, Failure> {
    const READS: &str =
        "with a model of your own `--spec` (a behavior); `agent eval` measures it on other questions";
    files.only("react", &[Part::Specs], READS).map_err(wrong)?;
    let lab = ReactLab::of_files(files).map_err(wrong)?;
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
            let (groups, runs) = preset(name, &Replaced::default())
                .unwrap_or_else(|failure| panic!("{name}: {}", failure.reason()));
            assert!(!groups.is_empty() && runs > 0, "{name}");
            let mut keys: Vec<(&str, &str)> = Vec::new();
            for group in &groups {
                keys.extend(group.tasks.iter().map(|task| (group.name.as_str(), task.id.as_str())));
            }
            let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
            assert_eq!(distinct.len(), keys.len(), "{name}");
        }
        assert!(preset("none", &Replaced::default()).is_err());
    }
}
