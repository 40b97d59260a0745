//! Reports as text for people.

use crate::terminal::{escape, escape_lines};
use std::fmt::Write;
use tsl_synth::diag::Severity;
use tsl_synth::logic::AtomId;
use tsl_synth::model::{Role, Verdict};
use tsl_synth::service::{
    CheckReport, Core, Cores, Ending, ExplainSpecReport, Failure, LimitKind, Lost, Play, SpecExplanation,
    clause_text, is_given,
};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::{ClauseId, Problem};
use tsl_synth::wire::{CheckRepair, CheckResult, answer_words, lost_sentence};

/// The text of a failure as a result of `check`.
pub(crate) fn failure(name: &str, failure: &Failure, each: bool) -> String {
    let spec = if each { format!("spec: {}\n", escape(name)) } else { String::new() };
    format!("UNKNOWN\n{spec}{}\n", escape(&failure.reason()))
}

/// The text of a result of `check`.
pub(crate) fn check(
    report: &CheckReport,
    sources: &SourceMap,
    each: bool,
    statistics: Option<CheckResult>,
) -> String {
    let mut explanation = String::new();
    if let (Some(problem), Some(explained)) = (&report.problem, &report.explanation) {
        explanation = losing(problem, sources, &explained.core, explained.play.as_ref());
        hints(&report.hints(sources), &mut explanation);
    }
    let mut text = verdict(report, report.reason(), explanation, each);
    if let Some(result) = statistics {
        text.push('\n');
        text.push_str(&table(&statistics_rows(report, &result)));
    }
    text
}

/// The text of a result of `explain SPEC`.
pub(crate) fn explain_spec(report: &ExplainSpecReport, sources: &SourceMap) -> String {
    let check = &report.check;
    let mut explanation = String::new();
    if let (Some(problem), Some(explained)) = (&check.problem, &report.explanation) {
        explanation = at_length(problem, sources, explained, report.all_cores);
    } else if check.is_realizable() {
        explanation = health(check);
    }
    verdict(check, report.reason(), explanation, false)
}

/// The bare verdict, the notion if it is `ltl`, the file with `--each`, the reason, what explains it, and how it was
/// certified.
fn verdict(report: &CheckReport, reason: Option<String>, mut explanation: String, each: bool) -> String {
    let word = match &report.verdict {
        Verdict::Realizable(_) => "REALIZABLE",
        Verdict::Unrealizable(..) => "UNREALIZABLE",
        Verdict::Unknown(unknown) => {
            if unknown.limit.kind == LimitKind::Bound {
                explanation =
                    "the bound says nothing about realizability: try a larger one, or none\n".into();
            }
            "UNKNOWN"
        }
    };
    let mut text = format!("{word}\n");
    if let Some(remark) = report.notion_remark() {
        let _ = writeln!(text, "{remark}");
    }
    if each {
        let _ = writeln!(text, "spec: {}", escape(&report.name));
    }
    if let Some(reason) = reason {
        let _ = writeln!(text, "{}", escape(&reason));
    }
    if !explanation.is_empty() {
        let _ = write!(text, "\n{}", escape_lines(&explanation));
    }
    if let Some(certificate) = &report.certificate {
        if !explanation.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "certified by {certificate}");
    } else if !matches!(report.verdict, Verdict::Unknown(_)) {
        text.push_str("not certified\n");
    }
    text
}

/// The clauses at fault and a play.
fn losing(problem: &Problem, sources: &SourceMap, core: &Core, play: Option<&Play>) -> String {
    let mut text = String::new();
    core_text(problem, sources, core, &mut text);
    if let Some(play) = play {
        text.push('\n');
        text.push_str(&play_table(problem, core, play));
    }
    text
}

/// Adds a part, after an empty line.
fn tell(text: &mut String, part: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(part);
}

/// Everything that `explain` knows.
fn at_length(problem: &Problem, sources: &SourceMap, explained: &SpecExplanation, all_cores: bool) -> String {
    let Some(core) = explained.cores.cores.first() else { return String::new() };
    let mut text = losing(problem, sources, core, explained.play.as_ref());
    if let Some(play) = &explained.play {
        let endless = explained.is_endless();
        if !endless && play.steps.len() > 1 && play.steps.len() == explained.no_loss_within + 1 {
            tell(&mut text, "No environment can force a violation in fewer steps.\n");
        }
        if play.shortest && play.steps.len() > 1 {
            tell(
                &mut text,
                "Of the plays against this counter-strategy that go on for ever none breaks fewer guarantees, and \
                 none that breaks as few is shorter.\n",
            );
        }
        tell(&mut text, &lost_text(problem, sources, &explained.lost, endless));
    } else if core.counter.is_none() {
        tell(&mut text, "The counter-strategy is a circuit: there is no play to show.\n");
    }
    if all_cores {
        tell(&mut text, &cores_text(problem, sources, &explained.cores));
    }
    if explained.repairs.is_empty() {
        tell(&mut text, "No assumption or weaker guarantee of a known form was found to help.\n");
    }
    hints(&explained.hints(problem, sources), &mut text);
    text
}

fn hints(hints: &[CheckRepair], text: &mut String) {
    if hints.is_empty() {
        return;
    }
    let mut part = String::from("What would help (checked: with any one of these there is a controller):\n");
    for (i, hint) in hints.iter().enumerate() {
        let _ = writeln!(part, "  {}. {}", i + 1, hint.sentence());
    }
    tell(text, &part);
}

/// The clauses of a core, with a headline.
fn core_text(problem: &Problem, sources: &SourceMap, core: &Core, text: &mut String) {
    let all = problem.clauses.iter().filter(|c| c.role == Role::Guarantee).count();
    let some = core.guarantees.len();
    let which = if some == all { format!("These {all}") } else { format!("These {some} of {all}") };
    let headline = match (some, core.minimal) {
        (1, _) if all == 1 => "This guarantee cannot be kept:".into(),
        (1, _) => format!("This one of {all} guarantees cannot be kept:"),
        (_, true) => {
            format!("{which} guarantees cannot be kept together; without any one of them the others can:")
        }
        (_, false) => {
            format!("{which} guarantees cannot be kept together (not every one of them may be needed):")
        }
    };
    text.push_str(&headline);
    text.push('\n');
    clauses(problem, sources, &core.guarantees, text);
    if !core.assumptions.is_empty() {
        text.push_str("The assumptions that matter, without which fewer guarantees would be too much:\n");
        clauses(problem, sources, &core.assumptions, text);
    }
}

fn clauses(problem: &Problem, sources: &SourceMap, clauses: &[ClauseId], text: &mut String) {
    let place = |id: ClauseId| match problem.clauses[id].span {
        Some(span) => {
            let position = sources.positions(span).0;
            format!("{}:{}:{}", sources.get(span.source).name, position.line, position.column)
        }
        None => "(by the language)".into(),
    };
    let rows: Vec<Vec<String>> =
        clauses.iter().map(|&id| vec![place(id), clause_text(problem, sources, id)]).collect();
    text.push_str(&table(&rows));
}

/// When the guarantees of the core are lost.
fn lost_text(problem: &Problem, sources: &SourceMap, lost: &[Lost], endless: bool) -> String {
    if lost.len() > 1 && lost.iter().all(|entry| entry.after.is_none()) {
        let end = if endless { "for ever" } else { "to the end" };
        return format!(
            "Each of the guarantees could be kept by itself {end}: it is together that they fail.\n"
        );
    }
    let mut text = String::from("When the guarantees are lost:\n");
    for entry in lost {
        let _ = writeln!(text, "  {}", lost_sentence(problem, sources, entry, endless));
    }
    text
}

/// The other cores, and what can be given up.
fn cores_text(problem: &Problem, sources: &SourceMap, cores: &Cores) -> String {
    let mut text = match (cores.cores.len(), cores.complete) {
        (1, true) => "There is no other minimal set of guarantees that cannot be kept together.\n".into(),
        (n, true) => format!("There are {n} minimal sets of guarantees that cannot be kept together.\n"),
        (n, false) => format!("{n} minimal sets of guarantees were found; there may be more.\n"),
    };
    for (i, core) in cores.cores.iter().enumerate().skip(1) {
        let _ = write!(text, "\nSet {}. ", i + 1);
        core_text(problem, sources, core, &mut text);
    }
    if !cores.corrections.is_empty() {
        text.push_str("\nIt is enough to give up all guarantees of one of these lines:\n");
        for correction in &cores.corrections {
            let clauses: Vec<String> =
                correction.iter().map(|&id| format!("`{}`", clause_text(problem, sources, id))).collect();
            let _ = writeln!(text, "  {}", clauses.join(", "));
        }
    }
    text
}

/// What can be said of a contract that has a controller.
fn health(report: &CheckReport) -> String {
    match report.diagnostics.iter().filter(|d| d.severity >= Severity::Warning).count() {
        0 => "There is a controller, and nothing suggests that the contract says less than it seems to.\n"
            .into(),
        1 => "There is a controller, but see the warning about the contract.\n".into(),
        n => format!("There is a controller, but see the {n} warnings about the contract.\n"),
    }
}

fn statistics_rows(report: &CheckReport, result: &CheckResult) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            rows.push(vec![name.to_string(), escape(&value)]);
        }
    };
    row("seconds", Some(format!("{:.3}", result.seconds)));
    row("engine", result.engine.clone());
    row("bound", result.bound.map(|b| b.to_string()));
    row("states", result.states.map(|s| s.to_string()));
    row("latches", result.latches.map(|l| l.to_string()));
    row("gates", result.gates.map(|g| g.to_string()));
    let count = |severity| report.diagnostics.iter().filter(|d| d.severity == severity).count();
    row("warnings", Some(count(Severity::Warning).to_string()));
    for line in &result.log {
        row("log", Some(line.clone()));
    }
    rows
}

/// A play as a table: the inputs given, the answers, and what fails where.
fn play_table(problem: &Problem, core: &Core, play: &Play) -> String {
    let alphabet = &problem.alphabet;
    let spoken: Vec<_> = core.guarantees.iter().map(|&id| problem.clauses[id].formula).collect();
    let mut support = problem.formulas.support(&spoken);
    let assumed: Vec<_> = core.assumptions.iter().map(|&id| problem.clauses[id].formula).collect();
    support.union_with(&problem.formulas.support(&assumed));
    let failing: Vec<_> = play.failures.iter().map(|f| problem.clauses[f.clause].formula).collect();
    support.union_with(&problem.formulas.support(&failing));
    let atoms: Vec<AtomId> = support.iter().collect();
    let mut rows = vec![["step", "the environment gives", "the system answers"].map(String::from).to_vec()];
    for (i, step) in play.steps.iter().enumerate() {
        let given: Vec<String> = alphabet
            .inputs()
            // Of what follows from earlier updates only what is true is worth a word.
            .filter(|&atom| {
                atoms.contains(&atom) && (alphabet.holds(atom, &step.input) || is_given(problem, atom))
            })
            .map(|atom| {
                let not = if alphabet.holds(atom, &step.input) { "" } else { "!" };
                format!("{not}{}", alphabet.atoms()[atom].name)
            })
            .collect();
        let answered = match &step.output {
            Some(output) => answer_words(problem, &atoms, output).join(", "),
            None => "no answer helps".into(),
        };
        let dash = |text: String| if text.is_empty() { "-".to_string() } else { text };
        rows.push(vec![i.to_string(), dash(given.join(", ")), dash(answered)]);
    }
    let mut text = String::from("A play that the system loses although it does its best:\n");
    text.push_str(&table(&rows));
    match play.ending {
        Ending::Repeats(from) if from + 1 == play.steps.len() => {
            let _ = writeln!(text, "  step {from} repeats for ever");
        }
        Ending::Repeats(from) => {
            let _ = writeln!(text, "  steps {from} to {} repeat for ever", play.steps.len() - 1);
        }
        Ending::Violated => {}
    }
    text
}

/// Rows with aligned columns, indented.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).min(72)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, " {cell:<width$} ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
