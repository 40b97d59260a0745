//! `plan drive`: an oracle chooses until there is a plan; of several plans the best is kept.

use super::args::{DriveArgs, OnInvalidArg};
use super::reward::Rewarder;
use super::{NoAnswer, PlanAnswer, document, none, oracle, step_document};
use crate::exit::Exit;
use crate::output;
use std::fmt::Write;
use tsl_synth_agents::plan::{
    AnsweredRequest, DriveEnd, DriveOptions, Driven, OnInvalid, PlanDriver, PlanLength,
};
use tsl_synth_agents::plan_grammar::Order;
use tsl_synth_agents::{Conversation, NoLog, NoOracle};
use tsl_synth_documents::{ExportDocument, PlanStepDocument, RewardRequestDocument};
use tsl_synth_service::{Plans, Session};

/// The steps in the order in which they are carried out.
fn carried_out(plans: &Plans, driven: &Driven) -> Vec<PlanStepDocument> {
    let step = |&i: &usize| {
        let node = &driven.nodes[i];
        step_document(plans, &node.step, node.text.clone(), node.serves)
    };
    driven.order.iter().map(step).collect()
}

fn exported(plan: usize, taken: &AnsweredRequest, reward: Option<f64>) -> ExportDocument {
    let choice = taken.chosen.iter().filter_map(|&i| taken.request.choices.get(i).cloned()).collect();
    ExportDocument::new(plan, taken.request.prompt.clone(), choice, reward)
}

/// Lets the oracle choose `args.best` plans, and reports the one with the highest reward. `color`: whether questions at
/// the terminal have colors.
pub(super) fn run(
    session: &Session<'_>,
    plans: &Plans,
    args: &DriveArgs,
    color: bool,
) -> Result<PlanAnswer, NoAnswer> {
    let budget = session.budget();
    let mut planner = plans.planner(PlanLength::Any, &budget);
    let mut rewarder = match &args.reward {
        Some(spec) => Some(Rewarder::start(spec, args.reward_timeout).map_err(NoAnswer::Call)?),
        None => None,
    };
    let access = crate::oracles::Access::new(&args.access, Some(args.seed), color);
    let mut chooser = oracle::open(&args.oracle, &access).map_err(NoAnswer::Call)?;
    let (mut best, mut lines): (Option<(Option<f64>, Driven)>, Vec<ExportDocument>) = (None, Vec::new());
    for plan in 1..=args.best as usize {
        let options = DriveOptions {
            look_ahead: !args.no_lookahead,
            on_invalid: match args.on_invalid {
                OnInvalidArg::First => OnInvalid::First,
                OnInvalidArg::Random => OnInvalid::Random,
                OnInvalidArg::Stop => OnInvalid::Stop,
            },
            most: args.most,
            seed: args.seed.wrapping_add(plan as u64),
        };
        let (mut generator, mut user, mut world, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
        let mut conversation = Conversation::new(
            &mut *chooser,
            &mut generator,
            &mut user,
            &mut world,
            &mut log,
            args.access.attempts,
        );
        let driven = PlanDriver::new(&mut planner, options).run(&mut conversation)?;
        if driven.end != DriveEnd::Plan {
            // A repetition would fail in the same way, or the oracle has no more answers.
            best = best.or(Some((None, driven)));
            break;
        }
        let reward = match &mut rewarder {
            Some(rewarder) => {
                let steps = carried_out(plans, &driven);
                let request = RewardRequestDocument::new(plan as u64, plans.grammar.task.clone(), steps);
                Some(rewarder.rate(&request).map_err(NoAnswer::Call)?)
            }
            None => None,
        };
        lines.extend(driven.taken.iter().map(|taken| exported(plan, taken, reward)));
        if best.as_ref().is_none_or(|(least, _)| reward > *least) {
            best = Some((reward, driven));
        }
    }
    if let Some(file) = &args.export {
        let mut text = String::new();
        for line in &lines {
            let _ = writeln!(
                text,
                "{}",
                serde_json::to_string(line).map_err(|error| NoAnswer::Call(error.to_string()))?
            );
        }
        output::write_file(file, text.as_bytes()).map_err(|error| NoAnswer::Call(format!("{error:#}")))?;
    }
    Ok(best.map_or_else(|| none(plans), |(reward, driven)| reported(plans, args, reward, &driven)))
}

fn reported(plans: &Plans, args: &DriveArgs, reward: Option<f64>, driven: &Driven) -> PlanAnswer {
    let (answer, reason, exit) = match &driven.end {
        DriveEnd::Plan => ("plan", None, Exit::Yes),
        DriveEnd::NoPlan if args.no_lookahead || driven.backtracks > 0 => (
            "none",
            Some(format!("there is no plan of at most {} steps and productions", args.most)),
            Exit::No,
        ),
        DriveEnd::NoPlan => return none(plans),
        DriveEnd::TooLarge(least) => {
            let reason = format!(
                "the smallest plan has {least} steps and productions, and at most {} are allowed: `--most {least}`",
                args.most
            );
            ("none", Some(reason), Exit::No)
        }
        DriveEnd::Stopped(stop) => ("stopped", Some(stop.to_string()), Exit::Unknown),
    };
    let mut text = format!("{}\n", answer.to_uppercase());
    if let Some(reason) = &reason {
        let _ = writeln!(text, "{reason}");
    }
    for (number, &i) in driven.order.iter().enumerate() {
        let node = &driven.nodes[i];
        let _ = write!(text, "Step {}: {}", number + 1, node.text);
        // With a table of control states, a step does not serve another one; it only comes after it.
        let is_tree = plans.grammar.order == Order::Execution && !plans.grammar.has_table();
        let parent = node.serves.filter(|_| is_tree).map(|parent| &driven.nodes[parent].text);
        let _ = match parent {
            Some(parent) => writeln!(text, ", for \"{parent}\""),
            None => writeln!(text),
        };
    }
    if driven.end == DriveEnd::Plan {
        let word: Vec<String> = driven.nodes.iter().map(|node| node.step.written(&plans.grammar)).collect();
        let _ = writeln!(text, "word: {}", if word.is_empty() { "ε".to_string() } else { word.join(" ") });
    }
    let _ = writeln!(text, "questions: {}, dead ends: {}", driven.taken.len(), driven.backtracks);
    if driven.unsure > 0 {
        let _ = writeln!(text, "choices announced as possible dead ends: {}", driven.unsure);
    }
    if let Some(reward) = reward {
        let _ = writeln!(text, "reward: {reward}");
    }
    let mut document = document(plans, answer);
    document.reason = reason;
    let steps =
        driven.nodes.iter().map(|node| step_document(plans, &node.step, node.text.clone(), node.serves));
    document.plans = Some(vec![steps.collect()]);
    document.order = Some(driven.order.clone());
    (document.questions, document.backtracks) = (Some(driven.taken.len()), Some(driven.backtracks));
    document.possible_dead_ends = (driven.unsure > 0).then_some(driven.unsure);
    document.reward = reward;
    PlanAnswer { text, document, exit }
}
