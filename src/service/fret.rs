//! Requirements that FRET exports: `check FILE.json`, and their components as specifications.

use super::tuning::FRET_WORK;
use super::{CheckReport, CheckRequest, Failure, Hints, Input, SolverOptions, SpecLanguage, SpecRequest};
use crate::Session;
use std::collections::BTreeSet;
use std::path::Path;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::model::Stage;
use tsl_synth_core::source::{SourceId, Span};
use tsl_synth_documents::CheckVerdict;
use tsl_synth_fret::{
    ARITHMETIC, Component, Contracts, Requirement, WITH, contracts, is_export, read_export,
};

/// The rounds in which comparisons of earlier values are followed further, while the answer is open, each with its share of
/// [`FRET_WORK`]: most components are decided by the small contracts of the first one.
const ROUNDS: [(usize, u64); 3] = [(0, 3), (1, 1), (3, 1)];

/// Asks which components of an export are realizable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FretRequest {
    /// The export.
    pub text: Input,
    /// The component; all of them if it is not named.
    pub component: Option<String>,
    /// How contracts are solved.
    pub solver: SolverOptions,
    /// How much is reported in addition to the verdicts.
    pub hints: Hints,
}

impl FretRequest {
    /// Asks about all components of an export.
    pub fn new(text: Input) -> Self {
        Self {
            text,
            component: None,
            solver: CheckRequest::new(SpecRequest::default()).solver,
            hints: Hints::default(),
        }
    }
}

/// The answer about one component.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FretReport {
    /// Its project.
    pub project: String,
    /// Its name.
    pub component: String,
    /// How many requirements it has.
    pub requirements: usize,
    /// The requirements that are not read, with the reasons.
    pub unread: Vec<(String, String)>,
    /// The requirements that cannot be kept together, for UNREALIZABLE.
    pub conflict: Vec<String>,
    /// The answer.
    pub verdict: CheckVerdict,
    /// The report on the contract that has the answer, or on the last one that was tried.
    pub report: CheckReport,
    /// Why there is no answer.
    pub reason: Option<String>,
}

/// Ends a contract that differs from its component.
const DIFFERS: &str =
    "// Realizable only if the component is: the environment also chooses values of earlier steps.\n";

/// Whether an input is an export of FRET.
pub(super) fn is_fret(input: &Input, text: &str) -> bool {
    is_json(input) && is_export(text)
}

fn is_json(input: &Input) -> bool {
    let ending = match input {
        Input::File(path) => path.extension(),
        Input::Text { name, .. } => Path::new(name).extension(),
    };
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// The components of an export that were asked for.
fn components(source: SourceId, text: &str, wanted: Option<&str>) -> Result<Vec<Component>, Failure> {
    let export = read_export(text).map_err(|error| {
        let at = error.place.map_or(0, |(line, column)| offset(text, line, column));
        Diagnostic::error(Code::CANNOT_READ, format!("not an export of FRET: {}", error.message))
            .at(Span::new(source, at, at), "here")
    })?;
    let names: BTreeSet<&str> = export.components.iter().map(|one| one.name.as_str()).collect();
    if let Some(wanted) = wanted.filter(|wanted| !names.contains(wanted)) {
        let message = format!("there is no component `{wanted}`");
        return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(listed(&names)).into());
    }
    let all = export.components.into_iter();
    Ok(all.filter(|one| wanted.is_none_or(|wanted| one.name == wanted)).collect())
}

/// The names of components, for a hint.
fn listed(names: &BTreeSet<&str>) -> String {
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > shown.len() { ", .." } else { "" };
    format!("its components are {}{more}", shown.join(", "))
}

fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl Session<'_> {
    /// The text of an input, if that is an export of FRET.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn fret_source(&mut self, input: &Input) -> Result<Option<SourceId>, Failure> {
        if !is_json(input) {
            return Ok(None);
        }
        let source = self.source(input)?;
        Ok(is_export(&self.sources.get(source).text).then_some(source))
    }

    /// The text of a component as a specification in LTL that has the same winner, or, with `may_differ`, as one that is
    /// realizable only if the component is.
    pub(super) fn fret_contract(
        &mut self,
        source: SourceId,
        request: &SpecRequest,
        may_differ: bool,
    ) -> Result<SpecRequest, Failure> {
        let text = self.sources.get(source).text.clone();
        let all = components(source, &text, request.component.as_deref())?;
        let [component] = &all[..] else {
            let names = all.iter().map(|one| one.name.as_str()).collect();
            let message = "the export has several components: say `--component NAME`";
            return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(listed(&names)).into());
        };
        let made = contracts(component, 0, |_| true);
        let spec = |text: &str| SpecRequest::text(SpecLanguage::Ltl, format!("{}.ltl", component.name), text);
        if let Some(exact) = made.exact() {
            return Ok(spec(exact));
        }
        let wrong = |message: String, hint: &str| {
            Failure::from(Diagnostic::error(Code::CANNOT_READ, message).hint(hint.to_string()))
        };
        match made.realizable {
            Ok(text) if may_differ => Ok(spec(&format!("{text}{DIFFERS}"))),
            Ok(_) => {
                let what = format!(
                    "`{}` compares numbers of different steps: it is no finite specification",
                    component.name
                );
                Err(wrong(what, "`tsl-synth check` decides such components as far as it can"))
            }
            Err(why) => Err(wrong(
                format!("`{}` is no specification: {why}", component.name),
                "see `tsl-synth check`",
            )),
        }
    }

    /// Which components of an export are realizable.
    ///
    /// # Errors
    /// Errors of the input, or a defect of this program.
    pub fn check_fret(&mut self, request: &FretRequest) -> Result<Vec<FretReport>, Failure> {
        self.deep(|session| {
            let source = session.source(&request.text)?;
            let text = session.sources.get(source).text.clone();
            let file = request.text.shown();
            let mut reports = Vec::new();
            for component in components(source, &text, request.component.as_deref())? {
                reports.push(session.check_component(request, &file, &component)?);
            }
            Ok(reports)
        })
    }

    fn check_component(
        &mut self,
        request: &FretRequest,
        file: &str,
        component: &Component,
    ) -> Result<FretReport, Failure> {
        let all = contracts(component, 0, |_| true);
        let name = format!("{file}: {}", component.name);
        let mut report = FretReport {
            project: component.project.clone(),
            component: component.name.clone(),
            requirements: component.requirements.len(),
            unread: all.unread.clone(),
            conflict: Vec::new(),
            verdict: CheckVerdict::Unknown,
            report: CheckReport::unknown(
                name.clone(),
                Stage::Reading,
                Limit::new(LimitKind::Work, "no contract"),
            ),
            reason: None,
        };
        let decided = if let Some(exact) = all.exact() {
            self.attempt(request, &name, exact, None, &mut report)?
        } else {
            self.approximate(request, &name, component, &all, &mut report)?
        };
        if decided.is_none() {
            // Without a contract there is no limit that was reached.
            let limit = report.report.problem.is_some().then(|| report.report.reason()).flatten();
            report.reason = Some(limit.map_or_else(|| open(&all), |why| format!("{}; {why}", open(&all))));
            return Ok(report);
        }
        report.conflict = self.conflict(&report.report);
        Ok(report)
    }

    /// Tries contracts that are right about one of the two answers, in rounds.
    fn approximate(
        &mut self,
        request: &FretRequest,
        name: &str,
        component: &Component,
        all: &Contracts,
        report: &mut FretReport,
    ) -> Result<Option<CheckVerdict>, Failure> {
        let mut tried = BTreeSet::new();
        for (round, share) in ROUNDS {
            // Requirements about single steps are often what contradicts each other.
            let short = contracts(component, round, Requirement::is_about_one_step);
            let whole = if round == 0 { all.clone() } else { contracts(component, round, |_| true) };
            let attempts = [
                (short.unrealizable, CheckVerdict::Unrealizable),
                (whole.realizable, CheckVerdict::Realizable),
                (whole.unrealizable, CheckVerdict::Unrealizable),
            ];
            for (text, wanted) in attempts {
                let Ok(text) = text else { continue };
                if !tried.insert((text.clone(), wanted == CheckVerdict::Realizable)) {
                    continue;
                }
                let found = self.attempt(request, name, &text, Some((wanted, share)), report)?;
                if found.is_some() || self.cancel.raised().is_some() {
                    return Ok(found);
                }
            }
            if whole.is_final {
                break;
            }
        }
        Ok(None)
    }

    /// Checks one contract. If only one answer of it is right, the other one is no answer, and the work is limited.
    fn attempt(
        &mut self,
        request: &FretRequest,
        name: &str,
        text: &str,
        limited: Option<(CheckVerdict, u64)>,
        report: &mut FretReport,
    ) -> Result<Option<CheckVerdict>, Failure> {
        let spec = SpecRequest::text(SpecLanguage::Ltl, name, text);
        let wanted = limited.map(|(wanted, _)| wanted);
        let mut check = CheckRequest::new(spec);
        check.solver = request.solver.clone();
        check.hints = if wanted.is_some() { Hints::None } else { request.hints };
        let whole = self.cancel.clone();
        if let Some((_, share)) = limited {
            // On one thread the counted work, and so the answer, is the same in every run.
            check.solver.threads = 1;
            self.cancel = whole.within(share * FRET_WORK);
        }
        let checked = self.check(&check);
        self.cancel = whole;
        let checked = checked?;
        let answer = checked.answer();
        let decides = answer != CheckVerdict::Unknown && wanted.is_none_or(|wanted| wanted == answer);
        if !decides {
            // The limit of a contract that was given up says more than the answer of one that is no answer.
            if answer == CheckVerdict::Unknown {
                report.report = checked;
            }
            return Ok(None);
        }
        report.verdict = answer;
        report.report = checked;
        if wanted.is_some() && request.hints != Hints::None {
            check.hints = request.hints;
            report.report = self.check(&check)?;
        }
        Ok(Some(answer))
    }

    /// The names of the requirements at fault: each line of a contract ends with those that it is about.
    fn conflict(&self, report: &CheckReport) -> Vec<String> {
        let mut names = Vec::new();
        let (Some(problem), Some(explanation)) = (&report.problem, &report.explanation) else { return names };
        for &clause in &explanation.core.guarantees {
            let Some(span) = problem.clauses[clause].span else { continue };
            let text = &self.sources.get(span.source).text;
            let line = text[span.start as usize..].lines().next().unwrap_or_default();
            let Some((_, label)) = line.rsplit_once(" // ") else { continue };
            for name in label.split(WITH).filter(|name| *name != ARITHMETIC) {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_string());
                }
            }
        }
        names
    }
}

/// Why the contracts of a component have no answer.
fn open(all: &Contracts) -> String {
    match (&all.realizable, &all.unrealizable) {
        (Err(why), Err(other)) if why == other => why.clone(),
        (Err(why), Err(other)) => format!("{why}; {other}"),
        (Err(why), Ok(_)) => format!("{why}, and the others do not contradict each other as far as was tried"),
        (Ok(_), Err(why)) => why.clone(),
        (Ok(_), Ok(_)) => {
            "its requirements compare numbers of different steps, and following them for some steps did not decide it".into()
        }
    }
}
