//! `view`: a page that draws and plays a machine: the controller of a specification, the counter-strategy of an
//! unrealizable one with repairs, or the machine of a file.

use super::opponent::{Played, brief_question, no_machine, played};
use super::questions::CertificateTimer;
use super::subject::bare;
use super::tuning::{CORE_WORK, HINT_WORK, PLAY_WORK, PLAYED_REPAIRS};
use super::what_if::WhatIf;
use super::{Failure, Input, SolverOptions, SpecRequest, VERSION};
use crate::Session;
use std::collections::BTreeSet;
use tsl_synth_core::base::{Budget, Id, counted, sha256};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::FormulaId;
use tsl_synth_core::model::{Register, Role, StateId, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{AnyStrategy, CheckRepair};
use tsl_synth_emit::{EmitInput, FollowedClause, GivenPlay, Meta, PagePart, PageParts, Strategy, emit_page};
use tsl_synth_engine::mealy::Registers;
use tsl_synth_engine::synth::{Outcome, StrategyForm, synthesize};
use tsl_synth_explain::{
    Core, RepairEffort, Repairs, clause_text, explanation_sentence, falsified, losing_play, repaired,
    repairs, role_word,
};
use tsl_synth_lang::spec::{Clause, ClauseId, Problem};

/// Asks for a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ViewRequest {
    /// A specification, the one file of a machine (HOA, AIGER, machine JSON), or that of a trace (JSON).
    pub spec: SpecRequest,
    /// How the specification is solved.
    pub solver: SolverOptions,
    /// A trace in any form that `explain` reads, of the machine or specification of `spec`. `None`: `spec` may be a
    /// trace in JSON, which names its machine or specification.
    pub trace: Option<Input>,
    /// For a trace, the effect whose cause is marked; `None`: that of the trace.
    pub effect: Option<String>,
    /// For a trace, a property of the inputs that is compared with the cause.
    pub hypothesis: Option<String>,
}

impl ViewRequest {
    /// Asks for the page of this specification or file.
    pub fn new(spec: SpecRequest) -> Self {
        Self { spec, solver: SolverOptions::default(), trace: None, effect: None, hypothesis: None }
    }
}

/// A page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ViewReport {
    /// The name of the specification or file.
    pub name: String,
    /// The page: one document in HTML that loads nothing. It depends on the request only.
    pub html: String,
    /// Warnings and notes about the input.
    pub diagnostics: Diagnostics,
}

/// A machine with its description, before it becomes part of a page.
struct Shown {
    problem: Problem,
    strategy: AnyStrategy,
    about: String,
    names: Vec<String>,
    clauses: Vec<FollowedClause>,
    registers: Vec<(String, FormulaId)>,
    watched: Vec<Option<FormulaId>>,
}

impl Session<'_> {
    /// The page of a specification or machine.
    ///
    /// # Errors
    /// Errors of the input, a limit, or a defect of this program.
    pub fn view(&mut self, request: &ViewRequest) -> Result<ViewReport, Failure> {
        self.deep(|session| match request.trace.clone().or_else(|| session.named_trace(&request.spec)) {
            Some(trace) => session.view_trace(&trace, request),
            None if request.effect.is_some() || request.hypothesis.is_some() => {
                if let [Input::File(path)] = request.spec.inputs.as_slice() {
                    session.bytes(path)?;
                }
                let what = if request.effect.is_some() { "effect" } else { "hypothesis" };
                let message = format!("the {what} is that of a trace, and none was named");
                let hint = "`tsl-synth simulate SPEC -o trace.json` writes one";
                Err(Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into())
            }
            None => session.view_play(request, None, None),
        })
    }

    /// A page with a play to begin with, and the runs and properties that it is compared with.
    pub(super) fn view_play(
        &mut self,
        request: &ViewRequest,
        play: Option<&GivenPlay>,
        what_if: Option<&WhatIf>,
    ) -> Result<ViewReport, Failure> {
        let begun = Begun { play, what_if };
        match self.named_machine(&request.spec) {
            Some(input) => self.view_file(&input, request, begun),
            None => self.view_spec(request, begun),
        }
    }

    fn view_file(
        &mut self,
        input: &Input,
        request: &ViewRequest,
        begun: Begun<'_>,
    ) -> Result<ViewReport, Failure> {
        let played = self.played_file(input, &request.spec.outs)?;
        let count = played.states().unwrap_or_default();
        let what = if played.is_counter_strategy() { "counter-strategy" } else { "controller" };
        let names = (0..count).map(|i| played.name(StateId::from_index(i))).collect();
        let mut shown = Shown {
            problem: bare(played.alphabet),
            strategy: played.strategy.explicit()?.clone(),
            about: format!("{what} from a file, {}, not certified", counted(count, "state")),
            names,
            clauses: Vec::new(),
            registers: Vec::new(),
            watched: Vec::new(),
        };
        let play = begun.on(&mut shown);
        let name = request.spec.name();
        let meta = Meta { spec_name: name.clone(), tool_version: VERSION.into(), ..Meta::default() };
        let parts = PageParts {
            title: name.clone(),
            version: VERSION.into(),
            story: None,
            machines: vec![shown.part(&meta, true)],
            repairs: Vec::new(),
            notes: vec![format!("Made by tsl-synth {VERSION} from {name}.")],
            play,
        };
        Ok(ViewReport { html: emit_page(&parts)?, name, diagnostics: played.diagnostics })
    }

    fn view_spec(&mut self, request: &ViewRequest, begun: Begun<'_>) -> Result<ViewReport, Failure> {
        let (problem, mut diagnostics) = self.problem(&request.spec)?;
        match self.view_problem(request, problem, begun, &mut diagnostics) {
            Ok(html) => Ok(ViewReport { name: request.spec.name(), html, diagnostics }),
            Err(failure) => Err(failure.after(diagnostics)),
        }
    }

    fn view_problem(
        &self,
        request: &ViewRequest,
        mut problem: Problem,
        begun: Begun<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<String, Failure> {
        let options = SolverOptions { form: StrategyForm::Explicit, ..self.options(&request.solver, true) };
        let relay = CertificateTimer::new(self.observer, self.clock);
        let Played { outcome, core, brief } =
            played(&mut problem, &self.options(&request.solver, true), &relay)?;
        let is_lost = matches!(outcome.verdict, Verdict::Unrealizable(..));
        // Given plays of a controller are played as by `simulate` and `explain`, without the facts that refinement added.
        if begun.play.is_none() && !is_lost {
            for constraint in &outcome.constraints {
                problem.clauses.push(constraint.clone());
            }
        }
        let mut sentence = None;
        let mut mended: Vec<(String, Option<Shown>)> = Vec::new();
        if let Some(core) = &core {
            let asked = |work| brief_question(&options, &brief, work);
            sentence = self.losing_story(&problem, core, &options, &asked(CORE_WORK), &relay)?;
            let found = repairs(&problem, core, RepairEffort::HINT, &asked(HINT_WORK), &relay)?;
            for repair in found.repairs.iter().take(PLAYED_REPAIRS) {
                let words = CheckRepair::new(&with_arena(&problem, &found), &self.sources, repair).sentence();
                let (fixed, changed) = repaired(&problem, &found.formulas, repair);
                mended.push((words, self.repaired(fixed, &changed, &options, &relay)?));
            }
        }
        match &outcome.verdict {
            Verdict::Unrealizable(..) => {}
            Verdict::Unknown(unknown) => return Err(no_machine(&problem, unknown)),
            Verdict::Realizable(_) => {
                if let Some(finding) = falsified(&problem, &self.sources, &outcome.friendly) {
                    diagnostics.push(finding);
                }
            }
        }
        let name = request.spec.name();
        let meta = Meta {
            tool_version: VERSION.into(),
            spec_name: name.clone(),
            spec_sha256: sha256(self.texts().collect::<String>().as_bytes()),
            certified_by: outcome.certificate.as_ref().map(ToString::to_string),
            ..Meta::default()
        };
        let mut shown = Shown::new(&problem, &outcome, &self.sources, &BTreeSet::new())?;
        let play = begun.on(&mut shown);
        let mut notes = vec![
            format!("Made by tsl-synth {VERSION} from {name}, sha256 {}.", meta.spec_sha256),
            "A loss is shown where the formula itself shows it, which may be late, but never without reason."
                .into(),
        ];
        if problem.answers_first && matches!(outcome.verdict, Verdict::Unrealizable(..)) {
            notes.push(
                "By the semantics of the specification the system answers first: the inputs of a step stand in the next one."
                    .into(),
            );
        }
        if !shown.problem.alphabet.cells().is_empty() {
            notes.push(
                "Among the values of cells, x₀ is what x was at first, and y@3 the input y of step 3.".into(),
            );
        }
        let mut machines = vec![shown.part(&meta, false)];
        let mut offered = Vec::new();
        for (sentence, shown) in &mended {
            offered.push((sentence.clone(), shown.as_ref().map(|_| machines.len())));
            machines.extend(shown.as_ref().map(|shown| shown.part(&meta, false)));
        }
        let parts = PageParts {
            title: name,
            version: VERSION.into(),
            story: sentence,
            machines,
            repairs: offered,
            notes,
            play,
        };
        Ok(emit_page(&parts)?)
    }

    /// Why the core cannot be kept, in a sentence, if a play shows it.
    fn losing_story(
        &self,
        problem: &Problem,
        core: &Core,
        options: &SolverOptions,
        asked: &SolverOptions,
        relay: &CertificateTimer<'_>,
    ) -> Result<Option<String>, Failure> {
        let budget = Budget::unlimited().with_flag(options.stop.clone()).with_work(PLAY_WORK);
        let Ok(play) = losing_play(problem, core, &budget) else { return Ok(None) };
        Ok(Some(explanation_sentence(problem, &self.sources, core, &play, asked, relay)?))
    }

    /// The controller of a repaired problem, if it is found within the work of a hint.
    fn repaired(
        &self,
        mut problem: Problem,
        changed: &BTreeSet<ClauseId>,
        options: &SolverOptions,
        relay: &CertificateTimer<'_>,
    ) -> Result<Option<Shown>, Failure> {
        let options = SolverOptions { stop: options.stop.within(HINT_WORK), ..options.clone() };
        let outcome = synthesize(&mut problem, &options, relay)?;
        if !matches!(outcome.verdict, Verdict::Realizable(StrategyRepr::Explicit(_))) {
            return Ok(None);
        }
        for constraint in &outcome.constraints {
            problem.clauses.push(constraint.clone());
        }
        Shown::new(&problem, &outcome, &self.sources, changed).map(Some)
    }
}

impl Shown {
    /// The strategy of an outcome, without registers of past operators.
    fn new(
        problem: &Problem,
        outcome: &Outcome,
        sources: &SourceMap,
        changed: &BTreeSet<ClauseId>,
    ) -> Result<Self, Failure> {
        let certified = match &outcome.certificate {
            Some(certificate) => format!("certified: {certificate}"),
            None => "not certified".into(),
        };
        let mut problem = problem.clone();
        let (strategy, what, count) = match Registers::of(&problem).hidden(&outcome.verdict) {
            Verdict::Realizable(StrategyRepr::Explicit(mealy)) => {
                problem = problem.of_controller_plays();
                let count = mealy.states.len();
                (AnyStrategy::Mealy(mealy), "controller", count)
            }
            Verdict::Unrealizable(StrategyRepr::Explicit(counter), _) => {
                let count = counter.states.len();
                (
                    AnyStrategy::Counter(counter),
                    "unrealizable: the counter-strategy of the environment",
                    count,
                )
            }
            _ => return Err(Failure::internal("a circuit, where an explicit machine was asked for")),
        };
        let followed = |(id, clause): (ClauseId, &Clause)| FollowedClause {
            role: role_word(clause.role),
            text: clause_text(&problem, sources, id),
            formula: clause.formula,
            repaired: changed.contains(&id),
        };
        // The page computes registers itself: facts about them are left out.
        let is_followed = |clause: &Clause| clause.role != Role::Fact || !problem.remembers(clause.formula);
        let kept = problem.clauses.enumerate().filter(|(_, clause)| is_followed(clause));
        let clauses = kept.map(followed).collect();
        let name = |register: &Register| problem.alphabet.atoms()[register.atom].name.clone();
        let registers = problem.signature.registers.iter().map(|one| (name(one), one.now)).collect();
        let about = format!("{what}, {}, {certified}", counted(count, "state"));
        Ok(Self {
            problem: problem.shown(),
            strategy,
            about,
            names: Vec::new(),
            clauses,
            registers,
            watched: Vec::new(),
        })
    }

    fn part<'a>(&'a self, meta: &'a Meta, is_machine: bool) -> PagePart<'a> {
        let strategy = match &self.strategy {
            AnyStrategy::Mealy(mealy) => Strategy::Controller(mealy),
            AnyStrategy::Counter(counter) => Strategy::Counter(counter),
        };
        PagePart {
            input: EmitInput { problem: &self.problem, strategy, assumptions: &[], meta },
            about: self.about.clone(),
            names: self.names.clone(),
            clauses: self.clauses.clone(),
            registers: self.registers.clone(),
            is_machine,
            watched: self.watched.clone(),
        }
    }
}

/// The play of a page, and what it is compared with.
#[derive(Clone, Copy)]
struct Begun<'a> {
    play: Option<&'a GivenPlay>,
    what_if: Option<&'a WhatIf>,
}

impl Begun<'_> {
    /// The play in the terms of the machine on which it is played.
    fn on(self, shown: &mut Shown) -> Option<GivenPlay> {
        let mut play = self.play.cloned()?;
        if let Some((what_if, watched)) = self.what_if.and_then(|what_if| what_if.on(&mut shown.problem)) {
            play.what_if = Some(what_if);
            shown.watched = watched;
        }
        Some(play)
    }
}

/// The problem with an arena that has the formulas of repairs, too.
fn with_arena(problem: &Problem, found: &Repairs) -> Problem {
    Problem { formulas: found.formulas.clone(), ..problem.clone() }
}
