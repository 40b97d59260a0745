//! What is known about one specification, and its text for people.

use crate::exit::Exit;
use crate::terminal::{escape, escape_lines};
use std::fmt::Write;
use tsl_synth::base::{Limit, LimitKind};
use tsl_synth::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth::explain::{Core, Ending, Play, Repairs, clause_text, is_given};
use tsl_synth::logic::AtomId;
use tsl_synth::model::{Form, Role};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::{ClauseId, Problem};
use tsl_synth::synth::{Certificate, Statistics};
use tsl_synth::wire::{
    CheckCertificate, CheckDiagnostic, CheckNotion, CheckRepair, CheckResult, CheckVerdict, answer_words,
};

/// The result of checking one specification.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// All texts that diagnostics speak about.
    pub(crate) map: SourceMap,
    /// What there is to say about the input.
    pub(crate) diagnostics: Diagnostics,
    /// The mirror for JSON, without its diagnostics.
    pub(crate) result: CheckResult,
    /// The exit code.
    pub(crate) exit: Exit,
    /// An internal error.
    pub(crate) internal: Option<String>,
    /// Clauses at fault and a play, for people.
    explanation: String,
    /// The places of the core, for annotations.
    places: Vec<(tsl_synth::source::Span, String)>,
    /// Whether there was anything to decide.
    wrong: bool,
}

impl Report {
    /// Nothing is known yet.
    pub(crate) fn new(spec: String) -> Self {
        Self {
            map: SourceMap::new(),
            diagnostics: Diagnostics::new(),
            result: CheckResult {
                spec,
                verdict: CheckVerdict::Unknown,
                reason: None,
                notion: None,
                engine: None,
                bound: None,
                seconds: 0.0,
                certificate_seconds: None,
                peak_memory: None,
                states: None,
                latches: None,
                gates: None,
                certificate: None,
                diagnostics: Vec::new(),
                core: None,
                play: None,
                hints: Vec::new(),
                log: Vec::new(),
            },
            exit: Exit::Unknown,
            internal: None,
            explanation: String::new(),
            places: Vec::new(),
            wrong: false,
        }
    }
    /// There is a verdict.
    pub(crate) fn verdict(&mut self, verdict: CheckVerdict, exit: Exit) {
        self.result.verdict = verdict;
        self.exit = exit;
    }
    /// How large the strategy is.
    pub(crate) fn size<M>(&mut self, strategy: &Form<M>, states: impl Fn(&M) -> usize) {
        match strategy {
            Form::Explicit(machine) => self.result.states = Some(states(machine)),
            Form::Circuit(circuit) => {
                self.result.latches = Some(circuit.latches.len());
                self.result.gates = Some(circuit.gates.len());
            }
        }
    }
    /// The input has errors.
    pub(crate) fn wrong(&mut self) {
        self.exit = Exit::Wrong;
        self.wrong = true;
        self.result.reason = Some("the input has errors".into());
    }
    /// A limit was reached.
    pub(crate) fn unknown(&mut self, stage: &dyn std::fmt::Display, limit: &Limit) {
        self.exit = Exit::Unknown;
        self.result.reason = Some(format!("{stage}: {limit}"));
        if limit.kind == LimitKind::Bound {
            let hint = "the bound says nothing about realizability: try a larger one, or none";
            self.explanation = format!("{hint}\n");
        }
    }
    /// Something is wrong with the program.
    pub(crate) fn fail(&mut self, message: String) {
        self.exit = Exit::Internal;
        self.result.verdict = CheckVerdict::Unknown;
        self.result.reason = Some(format!("internal error: {message}"));
        self.internal = Some(message);
    }
    /// What the engines did.
    pub(crate) fn statistics(&mut self, statistics: &Statistics) {
        self.result.engine = statistics.engine.map(|engine| engine.to_string());
        self.result.bound = statistics.bound;
        self.result.log.extend(statistics.log.iter().cloned());
    }
    /// How the answer was checked.
    pub(crate) fn certificate(&mut self, certificate: Option<&Certificate>) {
        self.result.certificate =
            certificate.map(|c| CheckCertificate { checked: true, by: c.by.to_string() });
    }

    /// Keeps the clauses at fault and a play as text.
    pub(crate) fn explain(&mut self, problem: &Problem, core: &Core, play: Option<&Play>) {
        let mut text = String::new();
        let many = core.guarantees.len() > 1;
        self.core(problem, core, &mut text);
        if let Some(play) = play {
            text.push('\n');
            text.push_str(&play_table(problem, core, play));
        }
        self.explanation = text;
        for &id in &core.guarantees {
            if let Some(span) = problem.clauses[id].span {
                let remark = if many {
                    "cannot be kept together with the other places shown"
                } else {
                    "cannot be kept"
                };
                self.places.push((span, remark.into()));
            }
        }
    }

    /// The clauses of a core, with a headline.
    pub(crate) fn core(&self, problem: &Problem, core: &Core, text: &mut String) {
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
        self.clauses(problem, &core.guarantees, text);
        if !core.assumptions.is_empty() {
            text.push_str("The assumptions that matter, without which fewer guarantees would be too much:\n");
            self.clauses(problem, &core.assumptions, text);
        }
    }

    /// Keeps more text below the explanation.
    pub(crate) fn tell(&mut self, text: &str) {
        if !self.explanation.is_empty() {
            self.explanation.push('\n');
        }
        self.explanation.push_str(text);
    }

    /// Keeps what would help.
    pub(crate) fn hints(&mut self, problem: &Problem, repairs: &Repairs, most: usize) {
        let mirror = |repair| CheckRepair::new(problem, &self.map, repair);
        self.result.hints = repairs.repairs.iter().take(most).map(mirror).collect();
        if self.result.hints.is_empty() {
            return;
        }
        let mut text =
            String::from("What would help (checked: with any one of these there is a controller):\n");
        for (i, hint) in self.result.hints.iter().enumerate() {
            let _ = writeln!(text, "  {}. {}", i + 1, hint.sentence());
        }
        self.tell(&text);
    }

    pub(crate) fn clauses(&self, problem: &Problem, clauses: &[ClauseId], text: &mut String) {
        let place = |id: ClauseId| match problem.clauses[id].span {
            Some(span) => {
                let position = self.map.positions(span).0;
                format!("{}:{}:{}", self.map.get(span.source).name, position.line, position.column)
            }
            None => "(by the language)".into(),
        };
        let rows: Vec<Vec<String>> =
            clauses.iter().map(|&id| vec![place(id), clause_text(problem, &self.map, id)]).collect();
        text.push_str(&table(&rows));
    }

    /// The document of this result.
    pub(crate) fn document(&self, stats: bool) -> CheckResult {
        let mut result = self.result.clone();
        result.diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(&self.map, d)).collect();
        if !stats {
            result.log.clear();
        }
        result
    }

    /// The diagnostics together with the verdict, for formats that know only findings.
    pub(crate) fn findings(&self) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let reason = self.result.reason.as_deref().unwrap_or_default();
        match self.result.verdict {
            CheckVerdict::Unrealizable => {
                let mut diagnostic = Diagnostic::error(
                    Code::UNREALIZABLE,
                    format!("`{}` is unrealizable. {reason}", self.result.spec),
                );
                for (span, remark) in &self.places {
                    diagnostic = diagnostic.at(*span, remark.clone());
                }
                if self.result.notion == Some(CheckNotion::Ltl) {
                    diagnostic = diagnostic.hint(LTL_NOTION);
                }
                for hint in &self.result.hints {
                    diagnostic = diagnostic.hint(format!("what would help: {}", hint.sentence()));
                }
                findings.push(self.placed(diagnostic));
            }
            CheckVerdict::Unknown if !self.wrong => {
                let message = format!("no answer for `{}`: {reason}", self.result.spec);
                findings.push(self.placed(Diagnostic::warning(Code::NO_ANSWER, message)));
            }
            CheckVerdict::Unknown | CheckVerdict::Realizable => {}
        }
        findings.extend(self.diagnostics.iter().cloned());
        findings
    }

    /// A finding about the whole specification points to the beginning of its first file.
    fn placed(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.map.iter().next() {
            Some((source, _)) if diagnostic.labels.is_empty() => {
                diagnostic.at(tsl_synth::source::Span::new(source, 0, 0), "")
            }
            _ => diagnostic,
        }
    }
}

const LTL_NOTION: &str =
    "notion ltl: no controller exists for the LTL abstraction; a TSL controller may still exist";

/// The text of a result: the bare verdict, the notion if it is `ltl`, the file with `--each`, the reason, the
/// clauses at fault and a play.
pub(crate) fn text(report: &Report, each: bool, stats: bool) -> String {
    let result = &report.result;
    if report.wrong && !each {
        return String::new();
    }
    let mut text = format!("{}\n", result.verdict);
    if result.notion == Some(CheckNotion::Ltl) {
        text.push_str(LTL_NOTION);
        text.push('\n');
    }
    if each {
        let _ = writeln!(text, "spec: {}", escape(&result.spec));
    }
    if let Some(reason) = &result.reason {
        let _ = writeln!(text, "{}", escape(reason));
    }
    if !report.explanation.is_empty() {
        let _ = write!(text, "\n{}", escape_lines(&report.explanation));
    }
    if let Some(certificate) = &result.certificate {
        if !report.explanation.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "certified by {}", escape(&certificate.by));
    } else if result.verdict != CheckVerdict::Unknown {
        text.push_str("not certified\n");
    }
    if stats {
        text.push('\n');
        text.push_str(&statistics(report));
    }
    text
}

fn statistics(report: &Report) -> String {
    let result = &report.result;
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
    table(&rows)
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
