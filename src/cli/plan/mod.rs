//! `plan`: plans under a grammar.

pub(crate) mod args;
mod drive;
mod import;
pub(crate) mod oracle;
mod reward;

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::{EmitFormat, EngineArgs, OutputArgs, ProgressChoice};
use crate::output;
use crate::terminal::escape_lines;
use args::{PlanArgs, PlanCommand};
use std::fmt::Write;
use tsl_synth_agents::plan::{Count, NextSteps, PlanBounds, PlanLength, PlanStep, WordReport};
use tsl_synth_agents::plan_grammar::TerminalId;
use tsl_synth_core::base::{Budget, Limit, LimitKind, Random, counted};
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::{PlanDocument, PlanStepDocument};
use tsl_synth_service::{Failure, Input, PlanRequest, Plans, Session, VERSION};

/// An answer in text and JSON.
struct PlanAnswer {
    text: String,
    document: PlanDocument,
    exit: Exit,
}

/// Why there is no answer.
enum NoAnswer {
    /// The input is wrong, or a limit was reached.
    Failure(Failure),
    /// The call is wrong, or a program that it names failed.
    Call(String),
}

impl<E: Into<Failure>> From<E> for NoAnswer {
    fn from(error: E) -> Self {
        Self::Failure(error.into())
    }
}

/// Work of a count before bounds are found for the case that it meets a limit. Larger: small counts never wait for
/// bounds, smaller: bounds are known after less time.
const FIRST_COUNT: u64 = 300_000;

/// Runs the verb.
pub(crate) fn run(args: PlanArgs) -> Exit {
    match &args.command {
        PlanCommand::Import(import) => return import::run(import, args.output.as_deref()),
        PlanCommand::Judge(judge) => return import::judge(judge, args.format, args.output.as_deref()),
        _ => {}
    }
    let Some(grammar) = args.grammar.clone() else {
        return output::wrong("a grammar is expected: `tsl-synth plan GRAMMAR check STEP..`");
    };
    let engine = EngineArgs { time_limit: args.time_limit, ..EngineArgs::default() };
    let quiet = OutputArgs {
        quiet: args.quiet,
        color: args.color,
        progress: ProgressChoice::Never,
        ..OutputArgs::default()
    };
    let adapters = Adapters::new(&engine, &quiet, None);
    let mut request = PlanRequest::new(Input::File(grammar));
    for law in &args.with {
        request = request.with(Input::File(law.clone()));
    }
    for formula in &args.law {
        request = request.with(Input::Text { name: "<law>".into(), text: formula.clone() });
    }
    let (format, file) = (args.format, args.output.clone());
    let asked = adapters.ask(move |session| {
        let plans = session.plans(&request)?;
        let diagnostics = plans.diagnostics.clone();
        Ok((answer(session, &plans, &args), diagnostics))
    });
    let WithSources { answer, sources } = match asked.or_exit() {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let reported = match answer {
        Ok((reported, diagnostics)) => {
            adapters.show(&diagnostics, Severity::Warning, &sources);
            reported
        }
        Err(failure) => Err(NoAnswer::Failure(failure)),
    };
    let PlanAnswer { text, document, exit } = match reported {
        Ok(reported) => reported,
        Err(NoAnswer::Failure(failure)) => return adapters.failed(&failure, &sources),
        Err(NoAnswer::Call(message)) => return output::wrong(&message),
    };
    let text = match format {
        EmitFormat::Text => escape_lines(&text),
        EmitFormat::Json => output::json(&document),
    };
    match output::deliver(file.as_deref(), &text) {
        Ok(()) => exit,
        Err(error) => output::error(&error).worst(exit),
    }
}

fn document(plans: &Plans, answer: &str) -> PlanDocument {
    PlanDocument::new(VERSION, &plans.grammar.name, answer)
}

fn length(most: Option<u32>) -> PlanLength {
    most.map_or(PlanLength::Any, PlanLength::AtMost)
}

fn answer(session: &Session<'_>, plans: &Plans, args: &PlanArgs) -> Result<PlanAnswer, NoAnswer> {
    let budget = session.budget();
    match &args.command {
        PlanCommand::Check { word } => check(plans, &budget, word),
        PlanCommand::Next { prefix, no_lookahead } => next(plans, &budget, prefix, !no_lookahead),
        PlanCommand::Count { length: most } => Ok(count(plans, &budget, *most)),
        PlanCommand::Enumerate { limit, length: most } => {
            let (found, more) = plans.planner(PlanLength::Any, &budget).enumerate(*limit, *most)?;
            Ok(listed(plans, &found, Some(more)))
        }
        PlanCommand::Sample { seed, number, length: most } => {
            let mut planner = plans.planner(length(*most), &budget);
            let found = planner.sample(*number, &mut Random::new(*seed)).map_err(|mut limit| {
                if limit.kind == LimitKind::Size {
                    limit.what += "; `--length N` draws among plans of at most N steps, and `drive --oracle random` makes \
                                   plans that are not equally likely";
                }
                limit
            })?;
            Ok(found.map_or_else(|| none(plans), |found| listed(plans, &found, None)))
        }
        PlanCommand::Drive(drive) => {
            drive::run(session, plans, drive, crate::terminal::wants_color(args.color))
        }
        PlanCommand::Import(_) | PlanCommand::Judge(_) => {
            Err(NoAnswer::Call("`import` and `judge` take no grammar".into()))
        }
    }
}

/// The answer that there is no plan.
fn none(plans: &Plans) -> PlanAnswer {
    let laws = if plans.laws > 0 { " that keeps the laws" } else { "" };
    let reason = format!("there is no plan{laws}");
    let mut document = document(plans, "none");
    document.reason = Some(reason.clone());
    PlanAnswer { text: format!("NONE\n{reason}\n"), document, exit: Exit::No }
}

fn shown(plans: &Plans, steps: &[TerminalId]) -> Vec<String> {
    steps.iter().map(|&step| plans.grammar.written(step)).collect()
}

fn one_of(plans: &Plans, steps: &[TerminalId]) -> String {
    match &shown(plans, steps)[..] {
        [] => "nothing".into(),
        [one] => format!("`{one}`"),
        many => {
            format!("one of {}", many.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

fn check(plans: &Plans, budget: &Budget, arguments: &[String]) -> Result<PlanAnswer, NoAnswer> {
    let word = plans.words(arguments).map_err(NoAnswer::Call)?;
    let steps: Vec<TerminalId> = word.iter().map(|step| step.terminal).collect();
    let mut planner = plans.planner(PlanLength::Any, budget);
    Ok(match planner.check(&steps)? {
        WordReport::Plan => {
            PlanAnswer { text: "PLAN\n".into(), document: document(plans, "plan"), exit: Exit::Yes }
        }
        WordReport::Unfinished(found) => {
            let next = &found.steps;
            let reason = if next.is_empty() {
                "no plan begins with these steps".to_string()
            } else {
                format!("the plan goes on with {}{}", one_of(plans, next), maybe(plans, &found))
            };
            let answer = if next.is_empty() { "wrong" } else { "unfinished" };
            let mut document = document(plans, answer);
            set_next(plans, &mut document, &found);
            document.is_plan = None;
            document.reason = Some(reason.clone());
            PlanAnswer { text: format!("{}\n{reason}\n", answer.to_uppercase()), document, exit: Exit::No }
        }
        WordReport::Wrong(at, found) => {
            let (wrong, next) = (plans.grammar.written(steps[at]), &found.steps);
            let expected = match (next.is_empty(), found.is_plan) {
                (true, true) => "the plan ends before it".to_string(),
                (false, true) => format!("the plan ends before it, or goes on with {}", one_of(plans, next)),
                (_, false) => format!("{} could stand there", one_of(plans, next)),
            };
            let maybe = maybe(plans, &found);
            let reason = format!("no plan goes on with step {}, `{wrong}`: {expected}{maybe}", at + 1);
            let mut document = document(plans, "wrong");
            set_next(plans, &mut document, &found);
            document.at = Some(at);
            document.reason = Some(reason.clone());
            PlanAnswer { text: format!("WRONG\n{reason}\n"), document, exit: Exit::No }
        }
    })
}

/// The steps that may be dead ends, as a part of a sentence.
fn maybe(plans: &Plans, found: &NextSteps) -> String {
    match &found.unsure[..] {
        [] => String::new(),
        all if all.len() == found.steps.len() => "; whether a plan is possible then is not known".into(),
        some => {
            let names: Vec<String> = shown(plans, some).iter().map(|one| format!("`{one}`")).collect();
            format!("; {} may be a dead end", names.join(" or "))
        }
    }
}

fn set_next(plans: &Plans, document: &mut PlanDocument, found: &NextSteps) {
    document.next = Some(shown(plans, &found.steps));
    document.unsure = (!found.unsure.is_empty()).then(|| shown(plans, &found.unsure));
    document.is_plan = Some(found.is_plan);
}

fn next(
    plans: &Plans,
    budget: &Budget,
    arguments: &[String],
    look_ahead: bool,
) -> Result<PlanAnswer, NoAnswer> {
    let word = plans.words(arguments).map_err(NoAnswer::Call)?;
    let steps: Vec<TerminalId> = word.iter().map(|step| step.terminal).collect();
    let mut planner = plans.planner(PlanLength::Any, budget);
    let Some(found) = planner.next(&steps, look_ahead)? else {
        let reason = "no derivation has these steps; `check` says which one is wrong";
        let mut document = document(plans, "wrong");
        document.reason = Some(reason.into());
        return Ok(PlanAnswer { text: format!("WRONG\n{reason}\n"), document, exit: Exit::No });
    };
    let mut text = String::new();
    for &step in &found.steps {
        let (name, label) = (plans.grammar.written(step), &plans.grammar.terminals[step].label);
        text.push_str(&name);
        if let Some(label) = label {
            let _ = write!(text, "  {label}");
        }
        text.push_str(if found.unsure.contains(&step) { "  (may be a dead end)\n" } else { "\n" });
    }
    if found.is_plan {
        text.push_str("(the steps so far are a plan)\n");
    } else if found.steps.is_empty() {
        text.push_str("(no plan begins with these steps)\n");
    }
    let mut document = document(plans, if found.is_plan { "plan" } else { "unfinished" });
    set_next(plans, &mut document, &found);
    let exit = if found.is_plan || !found.steps.is_empty() { Exit::Yes } else { Exit::No };
    Ok(PlanAnswer { text, document, exit })
}

fn count(plans: &Plans, budget: &Budget, most: Option<u32>) -> PlanAnswer {
    let counted = |budget: &Budget| plans.planner(length(most), budget).count();
    let mut known = None;
    let count = counted(&budget.child(FIRST_COUNT)).or_else(|limit| {
        if limit.kind != LimitKind::Work {
            return Err(limit);
        }
        // The count may take long: what is known when it meets a limit is found first.
        known = Some(plans.planner(length(most), budget).bounds(most));
        counted(budget)
    });
    let Count { words, with_subsets, trees } = match count {
        Ok(count) => count,
        Err(limit) => {
            let found = known.unwrap_or_else(|| plans.planner(length(most), budget).bounds(most));
            return bounded(plans, found, most, &limit);
        }
    };
    let digits =
        |number: &Option<num_bigint::BigUint>| number.as_ref().map_or("infinite".into(), ToString::to_string);
    let [words, with_subsets, trees] = [&words, &with_subsets, &trees].map(digits);
    let mut text = format!("{words}\n");
    if with_subsets != words {
        let _ = writeln!(text, "{with_subsets} with what steps choose of their elements");
    }
    if trees != words {
        let _ = writeln!(text, "{trees} derivations: the grammar is ambiguous");
    }
    if words == "infinite" {
        text.push_str("`--length N` counts the plans of at most N steps\n");
    }
    let mut document = document(plans, "counted");
    (document.words, document.with_subsets, document.trees) = (Some(words), Some(with_subsets), Some(trees));
    PlanAnswer { text, document, exit: Exit::Yes }
}

/// Bounds on the number of plans, when counting them reached this limit.
fn bounded(
    plans: &Plans,
    found: Result<Option<PlanBounds>, Limit>,
    most: Option<u32>,
    limit: &Limit,
) -> PlanAnswer {
    let reason = if limit.kind == LimitKind::Size { limit.what.clone() } else { limit.to_string() };
    let mut text = format!("UNKNOWN\nthe exact number was not found: {reason}\n");
    let mut document = document(plans, "bounded");
    document.reason = Some(reason);
    match found {
        Ok(None) => return none(plans),
        Ok(Some(PlanBounds { shortest, longest, counted_length, at_least, at_most })) => {
            let of = most.map_or(String::new(), |most| format!(" of at most {most} steps"));
            let _ = match longest {
                Some(longest) if longest == shortest => {
                    writeln!(text, "a plan{of} has {}", counted(shortest, "step"))
                }
                Some(longest) => writeln!(text, "a plan{of} has {shortest} to {longest} steps"),
                None => writeln!(
                    text,
                    "a plan has at least {}; no greatest number is known",
                    counted(shortest, "step")
                ),
            };
            let least = if let Some(n) = counted_length {
                let _ = writeln!(text, "at least {at_least} plans: exactly so many have at most {n} steps");
                at_least
            } else {
                text.push_str("at least 1\n");
                1u32.into()
            };
            if let (Some(most), Some(longest)) = (&at_most, longest) {
                let _ = writeln!(
                    text,
                    "at most {most} plans: without the limits so many derivations have at most {longest} steps"
                );
            }
            (document.at_least, document.at_most) = (Some(least.to_string()), at_most.map(|n| n.to_string()));
            (document.shortest, document.longest) = (Some(shortest), longest);
        }
        Err(_) => {
            text.push_str("at least 0, as no plan was found before this limit\n");
            document.at_least = Some("0".into());
        }
    }
    text.push_str(match most {
        Some(_) => "`--length N` with a smaller N may have an exact count\n",
        None => "`--length N` counts the plans of at most N steps\n",
    });
    PlanAnswer { text, document, exit: Exit::Unknown }
}

/// A step in the form of the JSON document.
fn step_document(plans: &Plans, step: &PlanStep, text: String, serves: Option<usize>) -> PlanStepDocument {
    let terminal = &plans.grammar.terminals[step.terminal];
    let chosen = step
        .chosen
        .as_ref()
        .zip(terminal.subset.as_ref())
        .map(|(chosen, subset)| chosen.iter().filter_map(|&i| subset.elements.get(i).cloned()).collect());
    PlanStepDocument::new(terminal.name.clone(), text, chosen, serves)
}

fn listed(plans: &Plans, found: &[Vec<PlanStep>], more: Option<bool>) -> PlanAnswer {
    if found.is_empty() && more != Some(true) {
        return none(plans);
    }
    let mut text = String::new();
    for plan in found {
        let word: Vec<String> = plan.iter().map(|step| step.written(&plans.grammar)).collect();
        let word = if word.is_empty() { "ε".to_string() } else { word.join(" ") };
        let _ = writeln!(text, "{word}");
    }
    if more == Some(true) {
        text.push_str("(there are more)\n");
    }
    let mut document = document(plans, "plan");
    let step = |step: &PlanStep| {
        let text = plans.grammar.terminals[step.terminal].shown().to_string();
        step_document(plans, step, text, None)
    };
    document.plans = Some(found.iter().map(|plan| plan.iter().map(step).collect()).collect());
    document.more = more;
    PlanAnswer { text, document, exit: Exit::Yes }
}
