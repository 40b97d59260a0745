//! The output of `monitor`.

use super::args::{MonitorArgs, MonitorFormat};
use super::numbers;
use crate::exit::Exit;
use crate::output::Output;
use crate::terminal::escape;
use std::fmt::Write;
use tsl_synth_core::base::{calendar, counted, csv_field};
use tsl_synth_core::diag::{Code, Diagnostic, Severity};
use tsl_synth_core::model::LawStatus;
use tsl_synth_documents::{
    MonitorGroupTotal, MonitorLaw, MonitorLetter, MonitorStep, MonitorTotal, MonitorViolation,
};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_service::{LawTotal, MonitorRow, MonitorTotals, NamedLetter, VERSION};

/// Builds the answer in the format that was chosen.
pub(super) struct MonitorPrinter<'a> {
    args: &'a MonitorArgs,
    compiled: &'a CompiledPolicy,
    out: Output<'a>,
    session: Option<String>,
    /// For `--query`: whether some step is not safe.
    unsafe_step: bool,
}

fn letter_text((names, bindings): &NamedLetter) -> String {
    let names: Vec<String> = names.iter().map(|name| escape(name)).collect();
    let mut text = if names.is_empty() { "(nothing)".to_string() } else { names.join(" & ") };
    if !bindings.is_empty() {
        let values: Vec<String> =
            bindings.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect();
        let _ = write!(text, " [{}]", values.join(", "));
    }
    text
}

/// Whether no session was judged although none was left out for the time at which it begins.
fn is_nothing_judged(totals: &MonitorTotals) -> bool {
    totals.sessions == 0 && totals.outside == 0
}

/// Whether the logs have parts that are not read.
fn is_partly_read(notes: &[Diagnostic]) -> bool {
    let codes =
        [Code::LOG_PASSED_OVER, Code::LOG_UNREAD, Code::LOG_BROKEN_LINE, Code::LOG_TORN, Code::LOG_CHANGED];
    notes.iter().any(|note| note.severity >= Severity::Warning && codes.contains(&note.code))
}

impl<'a> MonitorPrinter<'a> {
    pub(super) fn new(args: &'a MonitorArgs, compiled: &'a CompiledPolicy) -> Self {
        let mut out = Output::new(args.output.as_deref());
        if args.format == MonitorFormat::Csv && !args.stats && args.group_by.is_none() {
            out.push("session,line,step,law,standing,time,agent,service,model,file\n");
        }
        Self { args, compiled, out, session: None, unsafe_step: false }
    }
    fn law(&self, law: tsl_synth_policy::language::LawId) -> &'a str {
        &self.compiled.policy.laws[law].id
    }
    /// Adds the result of one event.
    pub(super) fn row(&mut self, row: &MonitorRow) {
        match self.args.format {
            MonitorFormat::Text if self.args.query => self.query(row),
            MonitorFormat::Text => self.text_row(row),
            MonitorFormat::Json => {
                let mut line = MonitorStep::new(row.session.clone(), row.line, row.step, row.joint.words());
                let letters = row.letters.iter().cloned();
                line.letters = letters.map(|(names, bindings)| MonitorLetter::new(names, bindings)).collect();
                line.laws = row
                    .laws
                    .iter()
                    .map(|law| (self.law(law.law).to_string(), law.standing.words()))
                    .collect();
                line.violated = row.violated.iter().map(|&law| self.law(law).to_string()).collect();
                line.owed =
                    row.owed.as_ref().map(|owed| owed.iter().map(|&law| self.law(law).to_string()).collect());
                line.unmatched = row.unmatched;
                line.faults.clone_from(&row.faults);
                line.time = row.time.map(calendar::timestamp);
                line.agent.clone_from(&row.agent);
                if let Some(origin) = row.origin.as_deref() {
                    line.service.clone_from(&origin.service);
                    line.model.clone_from(&origin.model);
                    line.file.clone_from(&origin.file);
                }
                self.json(&line);
            }
            MonitorFormat::Csv => {
                let origin = row.origin.as_deref().cloned().unwrap_or_default();
                let time = row.time.map(calendar::timestamp);
                let further = [time, row.agent.clone(), origin.service, origin.model, origin.file];
                let further = further.map(|field| csv_field(&field.unwrap_or_default())).join(",");
                for law in row.laws.iter().filter(|_| !row.letters.is_empty()) {
                    let line = format!(
                        "{},{},{},{},{},{further}\n",
                        csv_field(&row.session),
                        row.line,
                        row.step,
                        csv_field(self.law(law.law)),
                        law.standing.words()
                    );
                    self.out.push(&line);
                }
            }
            MonitorFormat::Prometheus => {}
        }
    }
    fn json(&mut self, line: &impl serde::Serialize) {
        let mut text = serde_json::to_string(line).expect("our documents have string keys only");
        text.push('\n');
        self.out.push(&text);
    }
    fn text_row(&mut self, row: &MonitorRow) {
        let mut text = String::new();
        if self.session.as_ref() != Some(&row.session) {
            let _ = writeln!(text, "session {}", escape(&row.session));
            self.session = Some(row.session.clone());
        }
        for letter in &row.letters {
            let _ = writeln!(text, "{:>6}  {:<22} {}", row.line, row.joint.words(), letter_text(letter));
        }
        for fault in &row.faults {
            let _ = writeln!(text, "{:>6}  note: {}", row.line, escape(fault));
        }
        if row.unmatched {
            let _ = writeln!(text, "{:>6}  note: no table names this call", row.line);
        }
        for &law in &row.violated {
            let _ = write!(text, "        violates {}", escape(self.law(law)));
            let why = &self.compiled.policy.laws[law].why;
            if self.args.blame && !why.is_empty() {
                let _ = write!(text, ": {}", escape(why));
            }
            text.push('\n');
        }
        if let Some(owed) = row.owed.as_ref().filter(|owed| !owed.is_empty()) {
            let names: Vec<String> = owed.iter().map(|&law| escape(self.law(law))).collect();
            let _ = writeln!(text, "{:>6}  the agent stops and owes {}", row.line, names.join(", "));
        }
        self.out.push(&text);
    }
    /// For `--query`: adds each valuation of the propositions with `Safe` or `Violated`, up to the first violation.
    fn query(&mut self, row: &MonitorRow) {
        if self.unsafe_step {
            return;
        }
        let atoms = &self.compiled.policy.atoms;
        for (names, _) in &row.letters {
            let mut valuation: Vec<String> = Vec::new();
            let mut all: Vec<&str> = atoms.propositions.iter().map(|one| one.name.as_str()).collect();
            all.sort_unstable();
            for name in all {
                let holds = names.iter().any(|own| own == name);
                valuation.push(format!("{}{}", if holds { "" } else { "!" }, escape(name)));
            }
            for action in names.iter().filter(|name| {
                matches!(atoms.named(name), Some(tsl_synth_policy::language::Named::Action(_)))
            }) {
                valuation.push(escape(action));
            }
            let state = if row.joint.worst == LawStatus::Violated { "Violated" } else { "Safe" };
            self.out.push(&format!("{state}: {}\n", valuation.join(" & ")));
        }
        for &law in &row.violated {
            let why = &self.compiled.policy.laws[law].why;
            let why = if why.is_empty() { &self.compiled.policy.laws[law].ltl } else { why };
            self.out.push(&format!("Reason of violation: {} ({})\n", escape(why), escape(self.law(law))));
        }
        self.unsafe_step = row.joint.worst == LawStatus::Violated;
    }
    /// Writes what was added so far if the answer goes to standard output; fails if that cannot be written.
    pub(super) fn flush(&mut self) -> Result<(), ()> {
        self.out.flush()
    }
    /// Adds the totals, and returns the exit code.
    pub(super) fn totals(&mut self, totals: &MonitorTotals, notes: &[Diagnostic]) -> Exit {
        // A session without a time may be one that should have been judged.
        let undecided = totals.undated > 0
            || totals.laws.iter().any(|law| law.undecidable > 0)
            || is_nothing_judged(totals)
            || (self.args.query && is_partly_read(notes));
        let exit = if totals.violating > 0 {
            Exit::No
        } else if undecided {
            Exit::Unknown
        } else {
            Exit::Yes
        };
        match self.args.format {
            MonitorFormat::Json => {
                let line = self.total_document(totals, notes);
                self.json(&line);
            }
            MonitorFormat::Csv => {
                let table = match self.args.group_by {
                    Some(by) => numbers::grouped(&self.compiled.policy, totals, by),
                    None if self.args.stats => numbers::plain(&self.compiled.policy, totals),
                    None => String::new(),
                };
                self.out.push(&table);
            }
            MonitorFormat::Prometheus => {
                self.out.push(&numbers::metrics(&self.compiled.policy, totals, self.args.group_by));
            }
            MonitorFormat::Text => self.text_totals(totals, notes),
        }
        exit
    }
    fn total_document(&self, totals: &MonitorTotals, notes: &[Diagnostic]) -> MonitorTotal {
        let mut line = MonitorTotal::new(VERSION, &self.compiled.policy.name);
        (line.sessions, line.violating) = (totals.sessions, totals.violating);
        (line.outside, line.undated) = (totals.outside, totals.undated);
        (line.events, line.letters) = (totals.events, totals.letters);
        (line.unmatched, line.faults) = (totals.unmatched, totals.faults);
        let laws = |totals: &[LawTotal]| {
            let laws = self.compiled.policy.laws.iter().zip(totals);
            laws.map(|(law, total)| MonitorLaw::new(law.id.clone(), total.counts())).collect::<Vec<_>>()
        };
        line.laws = laws(&totals.laws);
        let groups = totals.groups.iter().map(|(name, own)| {
            MonitorGroupTotal::new(name.clone(), [own.sessions, own.violating], laws(&own.laws))
        });
        line.groups = groups.collect();
        for seen in &totals.first {
            let law = &self.compiled.policy.laws[seen.law];
            let letter = MonitorLetter::new(seen.letter.clone(), seen.bindings.clone());
            line.first.push(MonitorViolation::new(
                law.id.clone(),
                law.why.clone(),
                seen.session.clone(),
                seen.line,
                letter,
                seen.owed,
            ));
        }
        line.notes = notes.iter().map(|note| note.message.clone()).collect();
        line
    }
    fn text_totals(&mut self, totals: &MonitorTotals, notes: &[Diagnostic]) {
        let mut text = String::new();
        // Whether soft laws or assumptions are violated.
        let softly = totals.laws.iter().any(|law| law.violated > 0);
        if self.args.query {
            let verdict = if totals.violating > 0 {
                "no: the plan violates the policy"
            } else if is_nothing_judged(totals) {
                "unknown: no session was judged"
            } else if is_partly_read(notes) {
                "unknown: the log has parts that are not read"
            } else if totals.undated > 0 || totals.laws.iter().any(|law| law.undecidable > 0) {
                "unknown: the log does not tell whether the plan is safe"
            } else if softly {
                "yes: the plan keeps the hard laws, and violates others"
            } else {
                "yes: the plan is safe"
            };
            let _ = writeln!(text, "{verdict}");
            self.out.push(&text);
            return;
        }
        let _ = if totals.sessions == 0 {
            writeln!(text, "no session was judged")
        } else if totals.violating == 0 {
            let laws = if softly { "no hard law is violated" } else { "no law is violated" };
            writeln!(text, "{}: {laws}", counted(totals.sessions, "session"))
        } else {
            let verb = if totals.violating == 1 { "violates" } else { "violate" };
            writeln!(
                text,
                "{} of {} {verb} the policy",
                totals.violating,
                counted(totals.sessions, "session")
            )
        };
        let width =
            self.compiled.policy.laws.iter().map(|law| escape(&law.id).chars().count()).max().unwrap_or(3);
        let _ = writeln!(
            text,
            "{:<width$}  {:>8} {:>8} {:>8} {:>11}",
            "law", "judged", "kept", "violated", "undecidable"
        );
        for (law, total) in self.compiled.policy.laws.iter().zip(&totals.laws) {
            let _ = writeln!(
                text,
                "{:<width$}  {:>8} {:>8} {:>8} {:>11}",
                escape(&law.id),
                total.judged,
                total.kept,
                total.violated,
                total.undecidable
            );
        }
        if self.args.stats || self.args.blame || self.session.is_none() {
            for seen in totals.first.iter().take(if self.args.blame { usize::MAX } else { 3 }) {
                let law = &self.compiled.policy.laws[seen.law];
                let letter = letter_text(&(seen.letter.clone(), seen.bindings.clone()));
                let what = if seen.owed { "ends and still owes" } else { "violates" };
                let _ = writeln!(
                    text,
                    "session {}, line {}: {letter} {what} {}",
                    escape(&seen.session),
                    seen.line,
                    escape(&law.id)
                );
                if !law.why.is_empty() {
                    let _ = writeln!(text, "  {}", escape(&law.why));
                }
            }
        }
        if let Some(by) = self.args.group_by {
            text.push_str(&numbers::table(&self.compiled.policy, totals, by));
        }
        if totals.outside > 0 {
            let _ = writeln!(
                text,
                "not judged, since they begin at other times: {}",
                counted(totals.outside, "session")
            );
        }
        if totals.undated > 0 {
            let _ = writeln!(
                text,
                "not judged, since the log has no time for them: {}",
                counted(totals.undated, "session")
            );
        }
        if totals.unmatched > 0 {
            let _ = writeln!(text, "calls that no table names: {}", totals.unmatched);
        }
        for note in notes {
            let _ = writeln!(text, "note: {}", escape(&note.message));
        }
        self.out.push(&text);
    }
    /// Writes the rest.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        self.out.finish()
    }
}
