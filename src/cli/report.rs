//! Reports as text for people.

use crate::advice;
use crate::layout::{paragraph, table, width};
use crate::number_play;
use crate::terminal::{escape, escape_lines};
use crate::units::with_limit;
use std::fmt::Write;
use std::time::Duration;
use tsl_synth_core::base::IdSet;
use tsl_synth_core::diag::{Code, Diagnostic, Severity};
use tsl_synth_core::logic::{AtomId, Letter};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{CheckClause, CheckRepair, CheckResult, CheckVerdict, answer_words, lost_sentence};
use tsl_synth_lang::spec::{AtomMeaning, ClauseId, NumberStep, Problem, SymbolId, compared_numbers};
use tsl_synth_service::{
    CheckReport, Core, Cores, ExplainSpecReport, Failure, LimitKind, LosingPlay, Lost, PlayEnding,
    ProgramReport, Searched, SpecExplanation, cited, clause_quote, clause_text, is_given, literal_text,
    shown_steps, updates_of_numbers, values_told,
};

/// Whether a finding has nothing to do with the verdict: how other tools read a formula.
pub(crate) fn is_remark(found: &Diagnostic) -> bool {
    found.code == Code::READ_DIFFERENTLY
}

/// The text of a failure as a result of `check`.
pub(crate) fn failure(name: &str, failure: &Failure, each: bool) -> String {
    let spec = if each { format!("spec: {}\n", escape(name)) } else { String::new() };
    format!("{}\n{spec}{}\n", failure.verdict(), escape(&failure.to_string()))
}

/// The text of a result of `check`.
pub(crate) fn check(
    report: &CheckReport,
    sources: &SourceMap,
    each: bool,
    statistics: Option<CheckResult>,
    time_limit: Option<Duration>,
) -> String {
    let mut explanation = String::new();
    if let Some(numbers) = &report.numbers {
        explanation = of_numbers(report, numbers, sources);
    } else if let (Some(problem), Some(explained)) = (&report.problem, &report.explanation) {
        let reported = CoreReport { problem, sources, core: &explained.core, width: width() };
        explanation = reported.losing(explained.play.as_ref());
        push_part(&mut explanation, &reported.repairs(&report.hints(sources)));
        if explained.repairs.is_empty() && report.cut_short.is_none() {
            push_part(&mut explanation, &paragraph(no_repairs(problem, explained.searched), 0, width()));
        }
    }
    let reason = report.reason().map(|reason| with_limit(&reason, time_limit));
    push_part(
        &mut explanation,
        &advice::text(report, sources, |problem, clauses| clause_list(problem, sources, clauses)),
    );
    let mut text = verdict(report, reason, &explanation, each);
    if let Some(result) = statistics {
        text.push('\n');
        text.push_str(&escape_lines(&table(&statistics_rows(report, &result), width())));
    }
    text
}

/// The clauses at fault and the play of an answer of a game over numbers.
fn of_numbers(report: &CheckReport, numbers: &ProgramReport, sources: &SourceMap) -> String {
    let mut text = String::new();
    let explained = report.problem.as_ref().zip(report.explanation.as_ref());
    let reported = explained.map(|(problem, explained)| {
        (CoreReport { problem, sources, core: &explained.core, width: width() }, explained.searched)
    });
    if let Some((reported, _)) = &reported {
        text = reported.core();
    }
    let play = number_play::text(&numbers.shown_play());
    push_part(&mut text, &play);
    let Some((reported, searched)) = reported else { return text };
    if play.is_empty() {
        push_part(
            &mut text,
            "No play was found whose numbers agree with the arithmetic of the specification.\n",
        );
    }
    let repairs = reported.repairs(&report.hints(sources));
    push_part(&mut text, &repairs);
    if repairs.is_empty() && report.cut_short.is_none() {
        let none = match searched {
            Searched::NotYet => "Repairs were not searched for, which `tsl-synth explain` does.",
            _ => NO_NUMBER_REPAIR,
        };
        push_part(&mut text, &paragraph(none, 0, width()));
    }
    text
}

/// The reason why no repair is shown where only the game over numbers has an answer.
const NO_NUMBER_REPAIR: &str = "No repair was found. Two kinds were tried with the game over numbers: an assumption about one input in \
                                every step, and dropping one guarantee.";

/// The reason why no repair is shown for problems to which no formula of the game can be added, while sets are left untried.
const NOT_DROPPED: &str = "No set of guarantees to drop was found within the small budget of `check`; `tsl-synth explain` searches \
                           longer.";

/// The reason why no repair is shown for problems to which no formula of the game can be added, after all sets were tried.
const NOT_TRIED: &str = "No set of guarantees to drop was found that makes it realizable; assumptions and weaker guarantees are \
                         not tried with this semantics or target.";

/// The reason why no repair is shown after all candidates were tried.
const NONE_HELPS: &str = "No assumption or weaker guarantee of a known form makes it realizable.";

/// The reason why no repair is shown.
fn no_repairs(problem: &Problem, searched: Searched) -> &'static str {
    match searched {
        Searched::Fully if !problem.takes_formulas() => NOT_TRIED,
        _ if !problem.takes_formulas() => NOT_DROPPED,
        Searched::Fully => NONE_HELPS,
        _ => "No repair was found within the small budget of `check`; `tsl-synth explain` searches longer.",
    }
}

/// The text of a result of `explain SPEC`.
pub(crate) fn explain_spec(report: &ExplainSpecReport, sources: &SourceMap) -> String {
    let check = &report.check;
    let mut explanation = String::new();
    if let Some(numbers) = &check.numbers {
        explanation = of_numbers(check, numbers, sources);
    } else if let (Some(problem), Some(explained)) = (&check.problem, &report.explanation) {
        explanation = at_length(problem, sources, explained, report);
    } else if check.is_realizable() {
        explanation = health(check);
    }
    push_part(
        &mut explanation,
        &advice::text(check, sources, |problem, clauses| clause_list(problem, sources, clauses)),
    );
    verdict(check, report.reason(), &explanation, false)
}

/// The verdict, a remark if it is only about the LTL abstraction or arithmetic that is not computed, the file with `--each`, the reason, the explanation,
/// and the certificate.
fn verdict(report: &CheckReport, reason: Option<String>, explanation: &str, each: bool) -> String {
    let mut text = format!("{}\n", report.answer());
    let width = width();
    if let Some(remark) = report.remark() {
        text.push_str(&paragraph(remark, 0, width));
    }
    if each {
        let _ = writeln!(text, "spec: {}", escape(&report.name));
    }
    if let Some(reason) = reason {
        text.push_str(&paragraph(&escape(&reason), 0, width));
    }
    if !explanation.is_empty() {
        let _ = write!(text, "\n{}", escape_lines(explanation));
    }
    if let Some(certificate) = report.certified_by() {
        if !explanation.is_empty() {
            text.push('\n');
        }
        text.push_str(&paragraph(&format!("certified by {certificate}"), 2, width));
    } else if report.answer() != CheckVerdict::Unknown {
        text.push_str("not certified\n");
    }
    if let Some(kind) = report.cut_short {
        let _ = writeln!(text, "explanation incomplete: {}", ended_by(kind));
    }
    if !report.undecided.is_empty() && report.is_realizable() {
        let codes: Vec<String> = report.undecided.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "not decided within the limits, and denied: {}", codes.join(", "));
    }
    text
}

fn ended_by(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Time => "the time limit was reached",
        LimitKind::Memory => "the memory limit was reached",
        LimitKind::Interrupted => "interrupted",
        _ => "a limit was reached",
    }
}

/// Clauses with numbers and spans; the file is named once.
fn clause_list(problem: &Problem, sources: &SourceMap, clauses: &[ClauseId]) -> String {
    let place = |id: ClauseId| {
        let span = problem.clauses[id].span?;
        Some((sources.get(span.source).name.as_str(), sources.positions(span).0))
    };
    let files: Vec<&str> = clauses.iter().filter_map(|&id| Some(place(id)?.0)).collect();
    let one_file =
        clauses.len() > 1 && files.len() == clauses.len() && files.windows(2).all(|f| f[0] == f[1]);
    let shown = |id: ClauseId| match place(id) {
        Some((_, at)) if one_file => format!("{}:{}", at.line, at.column),
        Some((file, at)) => format!("{file}:{}:{}", at.line, at.column),
        None => "(by the language)".into(),
    };
    let text = |id: ClauseId| clause_quote(problem, sources, id);
    let mut rows: Vec<Vec<String>> = Vec::new();
    if clauses.len() <= MOST_CLAUSES {
        for (i, &id) in clauses.iter().enumerate() {
            let number = if clauses.len() == 1 { Vec::new() } else { vec![format!("{}.", i + 1)] };
            rows.push([number, vec![shown(id), text(id)]].concat());
        }
    } else {
        // Clauses that differ in numbers only are of one form.
        let mut forms: Vec<(String, Vec<usize>)> = Vec::new();
        for (i, &id) in clauses.iter().enumerate() {
            let form = without_numbers(&text(id));
            match forms.iter_mut().find(|(other, _)| *other == form) {
                Some((_, members)) => members.push(i),
                None => forms.push((form, vec![i])),
            }
        }
        for (_, members) in forms.iter().take(MOST_CLAUSES) {
            let first = clauses[members[0]];
            let count = match members.len() {
                1 => String::new(),
                n => format!("(one of {n} of this form)"),
            };
            rows.push(vec![format!("{}.", members[0] + 1), shown(first), text(first), count]);
        }
        if forms.len() > MOST_CLAUSES {
            rows.push(vec![
                String::new(),
                String::new(),
                format!("... and {} more forms; `--format json` has all", forms.len() - MOST_CLAUSES),
            ]);
        }
    }
    let file = match files.first() {
        Some(file) if one_file => format!("  in {file}\n"),
        _ => String::new(),
    };
    file + &table(&rows, width())
}

/// Adds a part, after an empty line.
fn push_part(text: &mut String, part: &str) {
    if !text.is_empty() && !part.is_empty() {
        text.push('\n');
    }
    text.push_str(part);
}

/// The full explanation of `explain`: core, play, further cores, repairs.
fn at_length(
    problem: &Problem,
    sources: &SourceMap,
    explained: &SpecExplanation,
    report: &ExplainSpecReport,
) -> String {
    let is_whole = report.check.cut_short.is_none();
    let Some(core) = explained.cores.cores.first() else { return String::new() };
    let reported = CoreReport { problem, sources, core, width: width() };
    let mut text = reported.losing(explained.play.as_ref());
    if let Some(play) = &explained.play {
        let endless = explained.is_endless();
        let length = shown_steps(problem, play).len();
        if !endless && length > 1 && length == explained.no_loss_within + 1 {
            push_part(&mut text, "No environment can force a violation in fewer steps.\n");
        }
        if play.shortest && play.steps.len() > 1 {
            let shortest = "Every infinite play against this counter-strategy breaks at least as many guarantees, \
                            and none that breaks as many is shorter.";
            push_part(&mut text, &paragraph(shortest, 0, reported.width));
        }
        push_part(&mut text, &reported.lost(&explained.lost, endless));
    } else if is_whole {
        push_part(&mut text, "No play was found within the limits.\n");
    }
    if report.all_cores {
        push_part(&mut text, &cores_text(problem, sources, &explained.cores));
    }
    if explained.repairs.is_empty() && is_whole {
        let none = match (explained.tried_all_repairs, problem.takes_formulas()) {
            (_, false) => NOT_TRIED,
            (true, true) => NONE_HELPS,
            (false, true) => {
                "No repair was found within the limits of the search, which did not try all candidates."
            }
        };
        push_part(&mut text, &paragraph(none, 0, reported.width));
    }
    push_part(&mut text, &reported.repairs(&explained.hints(problem, sources)));
    text
}

/// The report on one core, whose guarantees are cited by their numbers where their texts are long.
struct CoreReport<'a> {
    problem: &'a Problem,
    sources: &'a SourceMap,
    core: &'a Core,
    width: usize,
}

/// The largest number of clauses that are listed one by one, and of forms by which more clauses are summarized.
const MOST_CLAUSES: usize = 12;
/// If a player makes more choices than this in some step, the table of the play shows only changes for that player.
const MOST_CHOICES: usize = 6;
/// Of a longer play, so many steps at its start and at its end are shown.
const SHOWN_AT_ENDS: usize = 20;

impl CoreReport<'_> {
    /// The clauses at fault and a play.
    fn losing(&self, play: Option<&LosingPlay>) -> String {
        let mut text = self.core();
        if let Some(play) = play {
            push_part(&mut text, &self.play(play));
        }
        text
    }

    fn repairs(&self, hints: &[CheckRepair]) -> String {
        if hints.is_empty() {
            return String::new();
        }
        let mut text =
            String::from("Possible repairs (each was checked: it makes the specification realizable):\n");
        let guarantees = &self.core.guarantees;
        let text_of = |&id: &ClauseId| clause_text(self.problem, self.sources, id);
        let cite = |clause: &CheckClause| match guarantees.iter().find(|id| text_of(id) == clause.text) {
            Some(&id) => cited(&clause.text, id, guarantees),
            None => format!("`{}`", clause.text),
        };
        for (i, hint) in hints.iter().enumerate() {
            let sentence = hint.sentence_citing(cite);
            text.push_str(&paragraph(&format!("  {}. {sentence}", i + 1), 3, self.width));
        }
        text
    }

    /// The clauses of the core, with a headline.
    fn core(&self) -> String {
        let Core { guarantees, assumptions, undecided, minimal, .. } = self.core;
        let all = self.problem.clauses.iter().filter(|c| c.is_duty()).count();
        let some = guarantees.len();
        let which = if some == all { format!("These {all}") } else { format!("These {some} of {all}") };
        let headline = match (some, minimal) {
            (1, _) if all == 1 => "This guarantee cannot be kept:".into(),
            (1, _) => format!("This one of {all} guarantees cannot be kept:"),
            (_, true) => {
                format!("{which} guarantees cannot be kept together; without any one of them the others can:")
            }
            (_, false) => {
                format!("{which} guarantees cannot be kept together (not known to be minimal):")
            }
        };
        let mut text = format!("{headline}\n");
        text.push_str(&clause_list(self.problem, self.sources, guarantees));
        if !minimal {
            text.push_str(&paragraph(&undecided_text(guarantees, undecided), 0, self.width));
        }
        if !assumptions.is_empty() {
            text.push_str("Assumptions used in this conflict:\n");
            text.push_str(&clause_list(self.problem, self.sources, assumptions));
        }
        text
    }

    /// When the guarantees of the core are lost.
    fn lost(&self, lost: &[Lost], endless: bool) -> String {
        let is_all = lost.len() == self.core.guarantees.len();
        if lost.len() > 1 && is_all && lost.iter().all(|entry| entry.after.is_none()) {
            let end = if endless { "for ever" } else { "to the end" };
            return format!("Each of the guarantees could be kept by itself {end}: together they cannot.\n");
        }
        if lost.is_empty() {
            return String::new();
        }
        let mut text = String::from("When the guarantees are lost:\n");
        for entry in lost {
            let sentence = lost_sentence(self.problem, self.sources, entry, endless);
            text.push_str(&paragraph(&format!("  {sentence}"), 2, self.width));
        }
        text
    }

    /// A play as a table with one row per step: inputs, outputs, and the clauses that fail.
    fn play(&self, play: &LosingPlay) -> String {
        let Self { problem, core, .. } = self;
        let alphabet = &problem.alphabet;
        let failing = play.failures.iter().map(|f| f.clause);
        let clauses = core.guarantees.iter().chain(&core.assumptions).copied().chain(failing);
        let roots: Vec<_> = clauses.map(|id| problem.clauses[id].formula).collect();
        let mut support = problem.support(&roots);
        if !play.numbers.is_empty() {
            for atom in updates_of_numbers(problem, &support) {
                support.insert(atom);
            }
        }
        let atoms: Vec<AtomId> = support.iter().filter(|&atom| !problem.is_hidden(atom)).collect();
        // Where numbers are shown, comparisons of them say nothing more.
        let compared =
            if play.numbers.is_empty() { Vec::new() } else { compared_numbers(&problem.signature) };
        let given = |input: &Letter| -> Vec<String> {
            let (values, covered) = values_told(problem, &atoms, input);
            let shown = alphabet.inputs().filter(|atom| {
                // Predicates whose values follow from earlier updates are shown only if they are true.
                let reported = alphabet.holds(*atom, input) || is_given(problem, *atom);
                let told = covered.contains(atom) || compared.contains(atom);
                atoms.contains(atom) && !told && reported
            });
            let word = |atom: AtomId| literal_text(problem, atom, alphabet.holds(atom, input));
            shown.map(word).chain(values).collect()
        };
        let shown_play = shown_steps(problem, play);
        let steps: Vec<(Vec<String>, Option<Vec<String>>)> = shown_play
            .iter()
            .enumerate()
            .map(|(i, step)| {
                let answer = step.output.as_ref().map(|output| answer_words(problem, &atoms, output));
                let mut words = step.input.as_ref().map_or_else(Vec::new, given);
                words.extend(numbers_told(problem, &support, play.numbers.get(i)));
                (words, answer)
            })
            .collect();
        let most = |words: &mut dyn Iterator<Item = usize>| words.max().unwrap_or(0) > MOST_CHOICES;
        let few_inputs = !most(&mut steps.iter().map(|(given, _)| given.len()));
        let few_answers = !most(&mut steps.iter().filter_map(|(_, answer)| Some(answer.as_ref()?.len())));
        let changed = |words: &[String], before: Option<&[String]>, few: bool| -> String {
            let shown: Vec<&str> = match before {
                Some(before) if !few => {
                    words.iter().filter(|word| !before.contains(word)).map(String::as_str).collect()
                }
                _ => words.iter().map(String::as_str).collect(),
            };
            match (shown.is_empty(), before.is_some() && !few) {
                (true, true) => "as before".into(),
                (true, false) => "-".into(),
                (false, _) => shown.join(", "),
            }
        };
        let head =
            |player: &str, few: bool| if few { player.to_string() } else { format!("{player} (changes)") };
        let mut rows =
            vec![vec!["step".into(), head("environment", few_inputs), head("system", few_answers)]];
        for (i, (given, answer)) in steps.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| &steps[i]);
            let answered = match answer {
                Some(words) => changed(words, before.and_then(|(_, answer)| answer.as_deref()), few_answers),
                None => "no answer helps".into(),
            };
            rows.push(vec![
                i.to_string(),
                changed(given, before.map(|(given, _)| given.as_slice()), few_inputs),
                answered,
            ]);
        }
        cut(&mut rows);
        let order = if problem.answers_first { "; in each step the system answers first" } else { "" };
        let mut text = format!("Counterexample: a play that the environment wins{order}\n");
        text.push_str(&table(&rows, self.width));
        match play.ending {
            PlayEnding::Repeats(from) if from + 1 == play.steps.len() => {
                let _ = writeln!(text, "  step {from} repeats for ever");
            }
            PlayEnding::Repeats(from) => {
                let _ = writeln!(text, "  steps {from} to {} repeat for ever", steps.len() - 1);
            }
            PlayEnding::Violated => {}
        }
        text
    }
}

/// The values in a step of the numeric signals that occur in some atoms, as equations such as `balance = 3`.
fn numbers_told(problem: &Problem, atoms: &IdSet<AtomId>, step: Option<&NumberStep>) -> Vec<String> {
    let signature = &problem.signature;
    let mentioned = atoms.iter().flat_map(|atom| match signature.atoms.get(atom) {
        Some(AtomMeaning::Predicate(term) | AtomMeaning::Update(_, term)) => signature.signals_of(*term),
        _ => Vec::new(),
    });
    let mentioned: Vec<SymbolId> = mentioned.collect();
    let told = step.into_iter().flatten().filter(|(symbol, _)| mentioned.contains(symbol));
    told.map(|(symbol, value)| format!("{} = {value}", signature.symbols[*symbol].name)).collect()
}

/// Leaves out the middle of a long table of steps, below its header.
fn cut(rows: &mut Vec<Vec<String>>) {
    let (first, last) = (1 + SHOWN_AT_ENDS, rows.len().saturating_sub(SHOWN_AT_ENDS));
    if first + 1 < last {
        let left_out = format!("{} steps, all in `--format json`", last - first);
        rows.splice(first..last, [vec!["...".into(), left_out, "...".into()]]);
    }
}

/// Which guarantees of a core may not be needed.
fn undecided_text(guarantees: &[ClauseId], undecided: &[ClauseId]) -> String {
    let number = |id: &ClauseId| guarantees.iter().position(|own| own == id).map_or(0, |index| index + 1);
    let which = match undecided {
        _ if undecided.len() == guarantees.len() => "any one of them".to_string(),
        _ if undecided.len() > MOST_CLAUSES => format!("each of {} of them", undecided.len()),
        [only] => format!("guarantee {}", number(only)),
        many => {
            let numbers: Vec<String> = many.iter().map(|id| number(id).to_string()).collect();
            format!("one of the guarantees {}", numbers.join(", "))
        }
    };
    format!("Whether the others can be kept without {which} was not decided within the limits.")
}

/// The form of a clause: its text with `#` for each number.
fn without_numbers(text: &str) -> String {
    let mut form = String::new();
    for c in text.chars() {
        match c {
            c if !c.is_ascii_digit() => form.push(c),
            _ if !form.ends_with('#') => form.push('#'),
            _ => {}
        }
    }
    form
}

/// The further cores, and the sets of guarantees that would be enough to give up.
fn cores_text(problem: &Problem, sources: &SourceMap, cores: &Cores) -> String {
    let mut text = match (cores.cores.len(), cores.complete) {
        (1, true) => "There is no other minimal set of guarantees that cannot be kept together.\n".into(),
        (n, true) => format!("There are {n} minimal sets of guarantees that cannot be kept together.\n"),
        (n, false) => format!("{n} minimal sets of guarantees were found; there may be more.\n"),
    };
    for (i, core) in cores.cores.iter().enumerate().skip(1) {
        let reported = CoreReport { problem, sources, core, width: width() };
        let _ = write!(text, "\nSet {}. {}", i + 1, reported.core());
    }
    if !cores.corrections.is_empty() {
        text.push_str("\nIt is enough to give up all guarantees of one of these lines:\n");
        for correction in &cores.corrections {
            let clauses: Vec<String> =
                correction.iter().map(|&id| format!("`{}`", clause_quote(problem, sources, id))).collect();
            text.push_str(&paragraph(&format!("  {}", clauses.join(", ")), 2, width()));
        }
    }
    text
}

/// The explanation of a realizable specification: the number of warnings about it.
fn health(report: &CheckReport) -> String {
    match report.diagnostics.iter().filter(|d| d.severity >= Severity::Warning).count() {
        0 => "There is a controller, and there are no warnings.\n".into(),
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
