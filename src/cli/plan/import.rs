//! `plan import` and `plan judge`: the data of others as grammars of plans, and the judgment of their plans.

use super::args::{ImportArgs, JudgeArgs, PlanData};
use crate::exit::Exit;
use crate::flags::EmitFormat;
use crate::output;
use crate::terminal::{eprint, escape, escape_lines};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_agents::tool_list::{tool_list, tools_grammar, unused_kinds};
use tsl_synth_agents::travel_planner::{
    Judged, TravelItem, TravelJudgment, judge as judge_plan, travel_grammar, travel_items, travel_plans,
};
use tsl_synth_documents::{ConstraintDocument, JudgmentDocument, TravelJudgmentDocument};
use tsl_synth_service::VERSION;

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn items(file: &Path) -> Result<Vec<TravelItem>, String> {
    travel_items(&read(file)?).map_err(|message| format!("{}: {message}", file.display()))
}

fn nth<T>(all: &[T], number: usize, file: &Path) -> Result<usize, String> {
    if (1..=all.len()).contains(&number) {
        return Ok(number - 1);
    }
    Err(format!("{} has {} items; `--item` is a number from 1 on", file.display(), all.len()))
}

fn grammar(args: &ImportArgs) -> Result<String, String> {
    match args.data {
        PlanData::Travelplanner => {
            if !args.given.is_empty() || args.want.is_some() {
                return Err("`--given` and `--want` are for `import openagi`".into());
            }
            let all = items(&args.file)?;
            Ok(travel_grammar(&all[nth(&all, args.item, &args.file)?]))
        }
        PlanData::Openagi => {
            let tools = tool_list(&read(&args.file)?)
                .map_err(|message| format!("{}: {message}", args.file.display()))?;
            let (false, Some(want)) = (args.given.is_empty(), &args.want) else {
                return Err("`import openagi` needs `--given KINDS` and `--want KIND`, such as `--given image --want text`".into());
            };
            let given: Vec<String> = args.given.iter().map(|kind| kind.trim().to_lowercase()).collect();
            let want = want.trim().to_lowercase();
            let text = tools_grammar(&tools, &given, &want)?;
            for kind in unused_kinds(&tools, &given, &want) {
                eprint(&format!(
                    "warning: no tool has the kind `{}`, so it is given in vain\n",
                    escape(kind)
                ));
            }
            Ok(text)
        }
    }
}

/// Writes a grammar.
pub(super) fn run(args: &ImportArgs, file: Option<&Path>) -> Exit {
    match grammar(args) {
        Ok(text) => match output::deliver(file, &text) {
            Ok(()) => Exit::Yes,
            Err(error) => output::error(&error),
        },
        Err(message) => output::wrong(&message),
    }
}

/// The plans with the number of their items, judged.
fn judged(args: &JudgeArgs) -> Result<Vec<(usize, TravelJudgment)>, String> {
    let all = items(&args.items)?;
    let plans = travel_plans(&read(&args.plans)?)
        .map_err(|message| format!("{}: {message}", args.plans.display()))?;
    let item_of: Vec<usize> = match args.item {
        Some(number) => vec![nth(&all, number, &args.items)?; plans.len()],
        None if plans.len() == all.len() => (0..all.len()).collect(),
        None if all.len() == 1 => vec![0; plans.len()],
        None => {
            return Err(format!(
                "{} items and {} plans: one plan for each item is expected, or `--item N`",
                all.len(),
                plans.len()
            ));
        }
    };
    Ok(item_of.into_iter().zip(&plans).map(|(at, days)| (at, judge_plan(&all[at], days))).collect())
}

/// Judges plans.
pub(super) fn judge(args: &JudgeArgs, format: EmitFormat, file: Option<&Path>) -> Exit {
    let judged = match judged(args) {
        Ok(judged) => judged,
        Err(message) => return output::wrong(&message),
    };
    let documents: Vec<JudgmentDocument> = judged
        .iter()
        .map(|(at, judgment)| {
            let all = |all: &[Judged]| {
                all.iter().map(|one| ConstraintDocument::new(one.constraint, one.wrong.clone())).collect()
            };
            let (commonsense, hard) = (all(&judgment.commonsense), all(&judgment.hard));
            JudgmentDocument::new(at + 1, judgment.passes(), commonsense, hard, judgment.cost)
        })
        .collect();
    let passed = judged.iter().filter(|(_, judgment)| judgment.passes()).count();
    let exit = if passed == judged.len() { Exit::Yes } else { Exit::No };
    let text = match format {
        EmitFormat::Json => output::json(&TravelJudgmentDocument::new(VERSION, documents)),
        EmitFormat::Text => {
            let mut text = String::new();
            for (number, (at, judgment)) in judged.iter().enumerate() {
                let verdict = if judgment.passes() { "PASSES" } else { "FAILS" };
                let _ = writeln!(
                    text,
                    "plan {} for item {}: {verdict}, cost {}",
                    number + 1,
                    at + 1,
                    judgment.cost
                );
                for (kind, all) in [("commonsense", &judgment.commonsense), ("hard", &judgment.hard)] {
                    for one in all {
                        let _ = match &one.wrong {
                            None => writeln!(text, "  {kind}: {}: kept", one.constraint),
                            Some(wrong) => writeln!(text, "  {kind}: {}: violated: {wrong}", one.constraint),
                        };
                    }
                }
            }
            rates(&mut text, &judged.iter().map(|(_, judgment)| judgment).collect::<Vec<_>>());
            escape_lines(&text)
        }
    };
    match output::deliver(file, &text) {
        Ok(()) => exit,
        Err(error) => output::error(&error).worst(exit),
    }
}

/// The rates of the paper: of constraints that are kept (micro), and of plans that keep all (macro).
fn rates(text: &mut String, all: &[&TravelJudgment]) {
    let percent = |part: usize, whole: usize| {
        if whole == 0 { "-".to_string() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
    };
    let mut rate = |name: &str, of: &dyn Fn(&TravelJudgment) -> Vec<bool>| {
        let kept: Vec<Vec<bool>> = all.iter().map(|judgment| of(judgment)).collect();
        let micro = kept.iter().flatten().filter(|kept| **kept).count();
        let whole = kept.iter().filter(|kept| kept.iter().all(|kept| *kept)).count();
        let micro = percent(micro, kept.iter().flatten().count());
        let _ = writeln!(text, "{name}: {micro} of constraints, {} of plans", percent(whole, all.len()));
    };
    let kept = |all: &[Judged]| all.iter().map(|one| one.wrong.is_none()).collect::<Vec<bool>>();
    rate("commonsense", &|judgment| kept(&judgment.commonsense));
    rate("hard", &|judgment| kept(&judgment.hard));
    let passed = all.iter().filter(|judgment| judgment.passes()).count();
    let _ = writeln!(text, "final pass rate: {} of {} plans", percent(passed, all.len()), all.len());
}
