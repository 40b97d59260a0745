//! `explain TRACE`: why an effect happened.

use super::blame::{assumption_texts, named};
use super::cause_words;
use super::guided::NoPlayReason;
use super::machine::same;
use super::property::Property;
use super::subject::{Subject, System};
use super::tuning::{AUTOMATON_STATES, EFFECT_STATES, HYPOTHESIS_STATES};
use super::{Failure, Input, SolverOptions, SpecRequest, VERSION, is_stdin};
use crate::Session;
use std::path::{Path, PathBuf};
use tsl_synth_automata::{complement, intersect, ltl_to_buchi};
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Lasso, LassoSemantics};
use tsl_synth_core::model::{Buchi, Role};
use tsl_synth_documents::{CauseDocument, CauseVerdict, ImpossibleAssumptions};
use tsl_synth_emit::{PartDrawing, cause_drawing, parity_dot};
use tsl_synth_engine::mealy::{Continuation, Deviation};
use tsl_synth_explain::cause::hypothesis::{HypothesisComparison, HypothesisVerdict};
use tsl_synth_explain::cause::{
    CauseAnswer, CauseEffort, CauseFinder, CauseQuestion, FlipOrder, absence, closed, contingent_plays,
    plays, ruled_out, timeline,
};
use tsl_synth_explain::{blame_text, clause_text};
use tsl_synth_formats::hoa::{HoaHeader, write_parity};
use tsl_synth_formats::trace::{TraceString, TraceText, read_trace};
use tsl_synth_kernel::{CauseClaim, CertifyError, certify_cause};
use tsl_synth_lang::spec::Problem;

/// Forms in which the exact cause is written as an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AutomatonForm {
    /// Hanoi Omega-Automata.
    Hoa,
    /// Graphviz.
    Dot,
}

/// Asks why an effect happened on a trace. The answer depends on the request only, never on the clock or the number of
/// threads.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "options are bools")]
pub struct ExplainTraceRequest {
    /// The trace: JSON, ITF, JSON lines, or a word.
    pub trace: Input,
    /// The machine that made the trace; if neither it nor a specification is given, those that the trace names are
    /// used.
    pub machine: Option<Input>,
    /// The specification whose controller (or counter-strategy) made the trace, and how it is read.
    pub spec: SpecRequest,
    /// The effect: LTL, TSL in the terms of the specification, or the name of a file with such a formula or in HOA; `None`: that of the trace, or
    /// else the outputs of its last step.
    pub effect: Option<String>,
    /// The step whose outputs are the effect, if no effect is named.
    pub at: Option<usize>,
    /// A property of the inputs that is compared with the cause.
    pub hypothesis: Option<String>,
    /// Assumptions in addition to those of the specification; if there are any, all assumptions are respected.
    pub assume: Vec<String>,
    /// Whether only inputs that keep the assumptions are considered.
    pub respect_assumptions: bool,
    /// Whether counterfactuals may keep actual outputs.
    pub contingencies: bool,
    /// Whether counterfactuals are compared such that closest ones always exist (the limit assumption).
    pub limit_assumption: bool,
    /// How a finite trace is continued.
    pub continuation: Continuation,
    /// Whether inputs that a letter does not name, and that do not follow from the updates before, are false.
    pub default_false: bool,
    /// Whether, and in which form, the exact cause is written as an automaton.
    pub automaton: Option<AutomatonForm>,
    /// Whether a picture of the trace and its cause is drawn.
    pub svg: bool,
    /// The specifications beside the trace: if there is one, it is used where neither the request nor the trace names a
    /// machine or a specification.
    pub beside: Vec<Input>,
    /// How the specification is solved.
    pub solver: SolverOptions,
}

impl ExplainTraceRequest {
    /// Asks about this trace.
    pub fn new(trace: Input) -> Self {
        Self {
            trace,
            machine: None,
            spec: SpecRequest::default(),
            effect: None,
            at: None,
            hypothesis: None,
            assume: Vec::new(),
            respect_assumptions: false,
            contingencies: false,
            limit_assumption: false,
            continuation: Continuation::Last,
            default_false: false,
            automaton: None,
            svg: false,
            beside: Vec::new(),
            solver: SolverOptions::default(),
        }
    }
}

/// Why an effect happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainTraceReport {
    /// The answer as data, the document of `explain TRACE --format json`.
    pub document: CauseDocument,
    /// The answer in the terms of the machine; `None` for a trace that the machine does not have.
    pub found: Option<TraceAnswer>,
    /// How a hypothesis compares with the cause.
    pub hypothesis: Option<HypothesisVerdict>,
    /// The limit that was reached, if the exact cause was requested and could not be constructed.
    pub automaton_limit: Option<Limit>,
    /// The exact cause as text.
    pub automaton: Option<String>,
    /// The picture.
    pub svg: Option<String>,
    /// The part of the picture that shows the exact cause, where it is small enough.
    pub drawing: Option<PartDrawing>,
}

/// A cause in the terms of the machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TraceAnswer {
    /// The inputs and outputs.
    pub alphabet: Alphabet,
    /// The trace as an infinite play.
    pub actual: Lasso,
    /// The answer.
    pub answer: CauseAnswer,
    /// The arena of its formulas.
    pub formulas: Formulas,
    /// The effect; `None` where it is an automaton.
    pub effect: Option<FormulaId>,
    /// The hypothesis; `None` where there is none, or it is an automaton.
    pub hypothesis: Option<FormulaId>,
    /// Whether the system is a machine that has exactly one answer to every input.
    pub is_machine: bool,
}

fn wrong(message: impl Into<String>, hint: &str) -> Failure {
    Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into()
}

/// The question of a request, as formulas.
struct TraceQuestion {
    /// The play, with the values of registers if the question has past operators.
    actual: Lasso,
    effect_text: String,
    effect: Property,
    /// Facts that every environment obeys, and assumptions that are to be respected.
    within: FormulaId,
    /// Only the facts.
    facts: FormulaId,
    /// Only the assumptions.
    respected: FormulaId,
    hypothesis: Option<(String, Property)>,
    notes: Vec<String>,
}

impl Session<'_> {
    /// The cause of an effect on a trace (Finkbeiner et al., CAV 2024), checked from its definition.
    ///
    /// # Errors
    /// Errors of the input, a limit, or a defect of this program. A trace that the machine does not have is an answer.
    pub fn explain_trace(&mut self, request: &ExplainTraceRequest) -> Result<ExplainTraceReport, Failure> {
        let effects = std::slice::from_ref(&request.effect);
        let reports = self.deep(|session| session.explained(request, effects, None))?;
        let report = reports.into_iter().next();
        report.ok_or_else(|| Failure::internal("an effect without an answer"))
    }

    /// The causes of several effects on one trace, in order; the effect of the request is ignored. The machine is
    /// found, and the trace played, once.
    ///
    /// # Errors
    /// As [`Session::explain_trace`].
    pub fn explain_effects(
        &mut self,
        request: &ExplainTraceRequest,
        effects: &[String],
    ) -> Result<Vec<ExplainTraceReport>, Failure> {
        let effects: Vec<Option<String>> = effects.iter().cloned().map(Some).collect();
        self.deep(|session| session.explained(request, &effects, None))
    }

    /// As [`Session::explain_trace`], on a thread of its own, about this machine and no other.
    pub(super) fn explain_subject(
        &mut self,
        request: &ExplainTraceRequest,
        subject: Subject,
    ) -> Result<ExplainTraceReport, Failure> {
        let effects = std::slice::from_ref(&request.effect);
        let reports = self.deep(|session| session.explained(request, effects, Some(subject)))?;
        let report = reports.into_iter().next();
        report.ok_or_else(|| Failure::internal("an effect without an answer"))
    }

    /// `given` is the machine, where it is known already.
    fn explained(
        &mut self,
        request: &ExplainTraceRequest,
        effects: &[Option<String>],
        given: Option<Subject>,
    ) -> Result<Vec<ExplainTraceReport>, Failure> {
        let (trace_text, folder) = self.trace(&request.trace)?;
        let mut subject = match given {
            Some(subject) => subject,
            None => self.subject(request, &trace_text, folder.as_deref())?,
        };
        same(&trace_text, subject.id().as_deref())?;
        if trace_text.prefix.is_empty() && trace_text.cycle.is_empty() {
            return Err(wrong("the trace has no step", "a trace is a word such as `a & !b; cycle{a}`"));
        }
        let played = subject.read(&trace_text, request.default_false).and_then(|trace| {
            subject.notes.extend(subject.left_open(&trace));
            subject.play(&trace)
        });
        let played = match played {
            Ok(actual) => Ok(actual),
            Err(NoPlayReason::Wrong(failure)) => return Err(failure),
            Err(NoPlayReason::Invalid(reported)) => Err(reported),
            Err(NoPlayReason::Deviation(Deviation::TooLong(limit))) => return Err(limit.into()),
            Err(NoPlayReason::Deviation(deviation)) => {
                Err(cause_words::deviation(subject.alphabet(), &subject.name, &deviation))
            }
        };
        let played = match played {
            Ok(actual) => match self.impossible(request.solver.memory, &mut subject, &actual)? {
                None => Ok(actual),
                Some(reported) => Err(reported),
            },
            reported => reported,
        };
        let last = trace_text.prefix.len() + trace_text.cycle.len() - 1;
        if let Some(at) = request.at.filter(|&at| at > last) {
            let message = format!("the trace has no step {at}: its last one is {last}");
            return Err(wrong(message, "steps are counted from 0"));
        }
        let mut told = None;
        let mut texts = Vec::new();
        for effect in effects {
            texts.push(match (effect, &trace_text.effect, &played) {
                (Some(effect), ..) => self.written(effect)?,
                (None, Some(effect), _) if request.at.is_none() => effect.text.clone(),
                (None, _, Ok(actual)) => {
                    let step = request.at.unwrap_or(last);
                    let Some(effect) = subject.outputs_at(actual, step) else {
                        let message = "there is no effect to explain";
                        let error = Diagnostic::error(Code::CANNOT_READ, message);
                        return Err(error.hint(subject.effect_hint()).into());
                    };
                    told = Some(self.chain(&subject, actual, step));
                    if request.at.is_none() {
                        subject.notes.push(format!(
                            "no effect was named: the outputs of the last step, {step}, are explained; `--at STEP` asks about another one, `--effect FORMULA` about a formula"
                        ));
                    }
                    effect
                }
                (None, _, Err(_)) => "the outputs of the last step".into(),
            });
        }
        let blamed = played.as_ref().ok().and_then(|actual| {
            let most = trace_text.cycle.is_empty().then_some(trace_text.prefix.len());
            self.blamed(request, &subject, actual, most)
        });
        let mut reports = Vec::new();
        for text in texts {
            let actual = match &played {
                Ok(actual) => actual,
                Err(reported) => {
                    reports.push(bad_trace(&subject, &text, reported.clone()));
                    continue;
                }
            };
            let mut asked = self.asked(request, text, actual, &mut subject)?;
            if trace_text.cycle.is_empty() {
                finite(request.continuation, trace_text.prefix.len(), &subject, &mut asked)?;
            }
            let mut report = self.answer(request, &subject, &asked)?;
            report.document.chain = told.take().unwrap_or_default();
            if let Some((note, found)) = &blamed {
                report.document.notes.push(note.clone());
                report.document.assumptions = Some(found.clone());
            }
            reports.push(report);
        }
        Ok(reports)
    }

    /// The note on assumptions that became impossible on a play, or in its first `most` steps.
    fn blamed(
        &self,
        request: &ExplainTraceRequest,
        subject: &Subject,
        actual: &Lasso,
        most: Option<usize>,
    ) -> Option<(String, ImpossibleAssumptions)> {
        let blame = subject.blame(actual, most, &self.cancel, request.solver.memory)?;
        let texts = assumption_texts(&subject.problem, &self.sources);
        let clause = named(&texts, &blame);
        let text = blame_text(&blame, clause, true);
        let note = match blame.steps.checked_sub(1) {
            Some(step) => format!("after step {step} {text}"),
            None => text,
        };
        Some((note, ImpossibleAssumptions::new(&blame, clause.map(str::to_owned))))
    }

    /// The trace, and the folder that its file names are relative to.
    fn trace(&mut self, input: &Input) -> Result<(TraceText, Option<PathBuf>), Failure> {
        let source = self.source(input).map_err(|failure| {
            let hint = "to explain a trace name its file, or say `--trace WORD`; codes look like TSL0001";
            failure.hint(hint)
        })?;
        let text = read_trace(&self.sources, source)?;
        let path = input.path().filter(|path| !is_stdin(path));
        Ok((text, path.and_then(Path::parent).map(Path::to_path_buf)))
    }

    fn subject(
        &mut self,
        request: &ExplainTraceRequest,
        text: &TraceText,
        folder: Option<&Path>,
    ) -> Result<Subject, Failure> {
        let near = |name: &TraceString| {
            Input::File(folder.map_or_else(|| PathBuf::from(&name.text), |folder| folder.join(&name.text)))
        };
        // A machine or specification of the request replaces both of the trace.
        let given = request.machine.is_some() || !request.spec.inputs.is_empty();
        let (mut machine, mut spec) = (request.machine.clone(), request.spec.clone());
        if !given {
            machine = text.machine.as_ref().map(near);
            spec.inputs.extend(text.spec.as_ref().map(near));
            if let (None, [], [only]) = (&machine, spec.inputs.as_slice(), request.beside.as_slice()) {
                spec.inputs.push(only.clone());
            }
        }
        match machine {
            Some(machine) => self.subject_of_machine(&machine, &spec),
            None if spec.inputs.is_empty() => {
                let message = match request.beside.len() {
                    0 => "it is not known which machine made this trace".into(),
                    many => format!(
                        "it is not known which machine made this trace: {many} specifications stand beside it"
                    ),
                };
                Err(wrong(message, "say `--machine m.hoa` or `--spec s.tsl`, or name it in the trace"))
            }
            None => {
                let options = self.options(&request.solver, true);
                self.subject_of_trace(&spec, &options, text, request.default_false)
            }
        }
    }

    fn asked(
        &mut self,
        request: &ExplainTraceRequest,
        effect_text: String,
        actual: &Lasso,
        subject: &mut Subject,
    ) -> Result<TraceQuestion, Failure> {
        let with_assumptions = request.respect_assumptions || !request.assume.is_empty();
        if with_assumptions {
            subject.remember();
        }
        let effect = self.property(subject, "effect", &effect_text)?;
        let mut assumptions = Vec::new();
        for text in &request.assume {
            assumptions.push((self.formula(subject, "assumption", text)?, text.clone()));
        }
        let mut notes = Vec::new();
        let mut facts = Vec::new();
        let actual = subject.recorded(actual);
        let problem = &subject.problem;
        let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &actual);
        for (id, clause) in problem.clauses.enumerate() {
            match clause.role {
                // The moves of the system are the inputs of a counter-strategy, and restrictions limit them.
                Role::Restriction if subject.is_opponent() && meaning.holds(clause.formula) => {
                    facts.push(clause.formula);
                }
                Role::Fact => facts.push(clause.formula),
                Role::Assumption if with_assumptions => {
                    assumptions.push((clause.formula, clause_text(problem, &self.sources, id)));
                }
                _ => {}
            }
        }
        // An assumption that the trace itself violates does not limit the counterfactuals.
        let mut respected = Vec::new();
        for (formula, text) in &assumptions {
            if meaning.holds(*formula) {
                respected.push(*formula);
            } else {
                notes.push(format!("the trace itself breaks the assumption `{text}`, which is left aside"));
            }
        }
        if request.respect_assumptions && assumptions.is_empty() {
            notes.push("there are no assumptions to respect".into());
        }
        let hypothesis = match &request.hypothesis {
            None => None,
            Some(text) => {
                let text = &self.written(text)?;
                let registers = subject.problem.signature.registers.len();
                let property = self.property(subject, "hypothesis", text)?;
                if subject.problem.signature.registers.len() > registers {
                    return Err(wrong(
                        "the hypothesis has past operators",
                        "effects and assumptions may have them; a hypothesis is compared with the cause without them",
                    ));
                }
                if let Some(name) = property.output(&subject.problem) {
                    return Err(wrong(
                        format!("the hypothesis speaks of `{name}`, which is an output"),
                        if subject.is_opponent() {
                            "causes are about what the system did: the environment is the machine here"
                        } else {
                            "causes are about inputs: what the environment did"
                        },
                    ));
                }
                Some((text.clone(), property))
            }
        };
        let formulas = &mut subject.problem.formulas;
        let (facts, respected) = (formulas.and(facts), formulas.and(respected));
        let within = formulas.and([facts, respected]);
        Ok(TraceQuestion { actual, effect_text, effect, within, facts, respected, hypothesis, notes })
    }

    /// A message if the trace violates a fact, which follows from the meaning of the specification, such as the value
    /// of a cell after an update; no play does so.
    fn impossible(
        &self,
        memory: u64,
        subject: &mut Subject,
        actual: &Lasso,
    ) -> Result<Option<String>, Failure> {
        let Problem { formulas, alphabet, clauses, .. } = &mut subject.problem;
        let budget = Budget::unlimited().with_flag(self.cancel.clone()).with_memory(memory);
        for clause in clauses.iter().filter(|clause| clause.role == Role::Fact) {
            if LassoSemantics::new(formulas, alphabet, actual).holds(clause.formula) {
                continue;
            }
            let fact = ltl_to_buchi(formulas, alphabet, clause.formula, EFFECT_STATES, &budget)?;
            let step = ruled_out(&fact, actual).map_or(String::new(), |step| format!("step {step} of "));
            let broken = cause_words::broken_fact(formulas, alphabet, clause.formula);
            return Ok(Some(format!("This is no trace of {}: {step}the trace {broken}.", subject.name)));
        }
        Ok(None)
    }

    fn answer(
        &self,
        request: &ExplainTraceRequest,
        subject: &Subject,
        asked: &TraceQuestion,
    ) -> Result<ExplainTraceReport, Failure> {
        let actual = &asked.actual;
        let budget = Budget::unlimited().with_flag(self.cancel.clone()).with_memory(request.solver.memory);
        let mut alphabet = &subject.problem.alphabet;
        let mut formulas = subject.problem.formulas.clone();
        let mut notes = subject.notes.clone();
        notes.extend(asked.notes.iter().cloned());
        let mut system = plays_of(request, subject, actual, &mut notes, &budget)?;
        let (mut facts, mut within) = (asked.facts, asked.within);
        let closed = if request.contingencies {
            None
        } else {
            closed(alphabet, &system, &mut formulas, asked.facts, &budget)?
        };
        if let Some(closed) = &closed {
            (alphabet, system) = (&closed.alphabet, closed.system.clone());
            if closed.total {
                (facts, within) = (formulas.top(), asked.respected);
            }
            notes.push(cause_words::followed_note(closed));
        }
        let order = if request.limit_assumption { FlipOrder::LimitAssumption } else { FlipOrder::Inclusion };
        let without = asked.effect.complement(&mut formulas, alphabet, within, &budget)?;
        let question = CauseQuestion { alphabet, system: &system, actual, without: &without };
        let finder = CauseFinder::new(question, order, &budget)?;
        let effort = CauseEffort::default();
        let answer = finder.explain(&mut formulas, within, &effort, &budget)?;
        if within != facts {
            let without = asked.effect.complement(&mut formulas, alphabet, facts, &budget)?;
            let plain = CauseFinder::new(CauseQuestion { without: &without, ..question }, order, &budget)?;
            let plain = plain.explain(&mut formulas, facts, &effort, &budget)?;
            notes.extend(cause_words::differences(alphabet, &plain, &answer));
        }
        let mut document =
            cause_words::document(alphabet, &formulas, &answer, &asked.effect_text, &subject.name);
        let happened = !matches!(document.verdict, CauseVerdict::NoEffect | CauseVerdict::NoCause);
        if document.verdict == CauseVerdict::NoEffect {
            let effect = asked.effect.automaton(&mut formulas, alphabet, &budget)?;
            document.ruled_out_at = ruled_out(&effect, actual);
            document.sentence = absence(&asked.effect_text, actual, document.ruled_out_at);
        }
        let mut hypothesis = None;
        if let (Some((text, property)), true) = (&asked.hypothesis, happened) {
            let compared = compare(&finder, &mut formulas, property, within, &budget)?;
            hypothesis = Some(compared.verdict);
            let holds = property.holds(&formulas, alphabet, actual);
            document.hypothesis = Some(cause_words::hypothesis(alphabet, text, &compared, holds));
        }
        if asked.hypothesis.is_some() && !happened {
            notes.push("there is no cause that the hypothesis could be".into());
        }
        let (mut automaton, mut automaton_limit) = (None, None);
        // The picture shows the automaton where there is one.
        if (request.automaton.is_some() || request.svg) && happened {
            match finder.smallest(AUTOMATON_STATES, &budget) {
                Ok(exact) => {
                    notes.push(cause_words::size_note(&exact));
                    document.automaton_minimal = Some(exact.needed == exact.automaton.edges.len());
                    automaton = Some(exact.automaton);
                }
                Err(_) if request.automaton.is_none() => {}
                // The rest of the answer does not need the automaton.
                Err(limit) => {
                    notes.push(format!("the exact cause was not made: {limit}"));
                    automaton_limit = Some(limit);
                }
            }
        }
        if let (CauseAnswer::Cause(found), true) = (&answer, request.solver.certify) {
            let claim = CauseClaim {
                system: &system,
                actual,
                without: within,
                automata: None,
                within,
                cause: &found.cause,
                exact: found.exact,
                automaton: automaton.as_ref(),
                infinite: order == FlipOrder::Inclusion,
            };
            document.certificate = certify(&mut formulas, alphabet, asked, claim, &budget)?;
        }
        let drawing = automaton.as_ref().filter(|_| request.svg);
        let drawing = drawing.and_then(|automaton| cause_drawing(alphabet, automaton));
        let automaton = automaton.filter(|_| request.automaton.is_some());
        if let Some(automaton) = &automaton {
            let name = format!("the cause of {}", asked.effect_text);
            let header = HoaHeader { name, tool_version: VERSION.into() };
            document.automaton = Some(write_parity(alphabet, automaton, &header));
        }
        let automaton = match (automaton, request.automaton) {
            (Some(automaton), Some(AutomatonForm::Dot)) => Some(parity_dot(alphabet, &automaton, "cause")?),
            (automaton, _) => automaton.and(document.automaton.clone()),
        };
        let svg = request.svg.then(|| picture(alphabet, &document, actual, &answer, drawing.as_ref()));
        document.notes = notes;
        let is_machine = matches!(subject.system, System::Machine(_)) && !request.contingencies;
        let found = trace_answer(alphabet, formulas, actual, answer, asked, is_machine);
        let found = Some(found);
        Ok(ExplainTraceReport { document, found, hypothesis, automaton_limit, automaton, svg, drawing })
    }
}

/// An answer in the terms of the machine.
fn trace_answer(
    alphabet: &Alphabet,
    formulas: Formulas,
    actual: &Lasso,
    answer: CauseAnswer,
    asked: &TraceQuestion,
    is_machine: bool,
) -> TraceAnswer {
    TraceAnswer {
        alphabet: alphabet.clone(),
        actual: actual.clone(),
        answer,
        effect: asked.effect.formula(),
        hypothesis: asked.hypothesis.as_ref().and_then(|(_, property)| property.formula()),
        is_machine,
        formulas,
    }
}

/// The time line, and below it the automaton of the cause.
fn picture(
    alphabet: &Alphabet,
    document: &CauseDocument,
    actual: &Lasso,
    answer: &CauseAnswer,
    drawing: Option<&PartDrawing>,
) -> String {
    let below = drawing.map(|own| (own.svg.as_str(), own.size, own.caption.as_str()));
    timeline(alphabet, &document.sentence, actual, answer, below)
}

/// The plays that counterfactuals are taken from.
fn plays_of(
    request: &ExplainTraceRequest,
    subject: &Subject,
    actual: &Lasso,
    notes: &mut Vec<String>,
    budget: &Budget,
) -> Result<Buchi, Failure> {
    let alphabet = &subject.problem.alphabet;
    match &subject.system {
        System::Machine(machine) if request.contingencies => {
            notes.push("counterfactuals may keep some outputs at their actual values (contingencies)".into());
            Ok(contingent_plays(alphabet, machine, actual, budget)?)
        }
        System::Machine(machine) => Ok(plays(alphabet, machine)),
        System::Plays(..) if request.contingencies => Err(wrong(
            "contingencies need a machine: one output letter for every input letter",
            "this file leaves something open, refuses inputs, or accepts only some of its plays",
        )),
        System::Plays(plays, _) => Ok(plays.clone()),
    }
}

/// Adds a note on the continuation of a finite trace, or rejects an effect that the trace does not decide.
fn finite(
    continuation: Continuation,
    steps: usize,
    subject: &Subject,
    asked: &mut TraceQuestion,
) -> Result<(), Failure> {
    match continuation {
        Continuation::Last => {
            asked.notes.push("the trace is finite: its last input is taken to be repeated for ever".into());
            Ok(())
        }
        Continuation::Any => match asked.effect.horizon(&subject.problem.formulas) {
            Some(last) if last < steps => Ok(()),
            Some(last) => Err(wrong(
                format!("the effect looks at step {last}, and the trace ends after step {}", steps - 1),
                "with `--continue last` the last input is repeated",
            )),
            None => Err(wrong(
                "with `--continue any` the effect has to be decided within the trace: only X and Boolean operators",
                "with `--continue last` the last input is repeated",
            )),
        },
    }
}

/// Checks the answer by the definition; returns a sentence about the check.
fn certify(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    asked: &TraceQuestion,
    claim: CauseClaim<'_>,
    budget: &Budget,
) -> Result<Option<String>, Failure> {
    let complemented;
    let claim = match &asked.effect {
        Property::Formula(effect) => {
            let not = formulas.not(*effect);
            CauseClaim { without: formulas.and([not, claim.within]), ..claim }
        }
        Property::Automaton(effect) => {
            complemented = complement(effect, EFFECT_STATES, budget)?;
            CauseClaim { automata: Some((effect, &complemented)), ..claim }
        }
    };
    match certify_cause(formulas, alphabet, &claim, budget) {
        Ok(done) => Ok(Some(format!(
            "{} questions answered from the definition by the independent checker",
            done.searches
        ))),
        Err(CertifyError::Limit(limit)) => {
            Err(Limit::new(limit.kind, format!("the certificate of the cause: {}", limit.what)).into())
        }
        Err(error) => Err(Failure::internal(format!("the cause failed its check: {error}"))),
    }
}

fn compare(
    finder: &CauseFinder<'_>,
    formulas: &mut Formulas,
    hypothesis: &Property,
    within: FormulaId,
    budget: &Budget,
) -> Result<HypothesisComparison, Limit> {
    let most = HYPOTHESIS_STATES;
    match hypothesis {
        Property::Formula(f) => finder.compare(formulas, *f, within, most, budget),
        Property::Automaton(holds) => {
            let fails = complement(holds, most, budget)?;
            let within = ltl_to_buchi(formulas, finder.question().alphabet, within, EFFECT_STATES, budget)?;
            let holds = intersect(holds, &within, most, budget)?;
            let fails = intersect(&fails, &within, most, budget)?;
            finder.compare_automata(&holds, &fails, most, budget)
        }
    }
}

fn bad_trace(subject: &Subject, effect: &str, reported: String) -> ExplainTraceReport {
    let mut document = CauseDocument::new(VERSION, CauseVerdict::BadTrace, reported, effect, &subject.name);
    document.notes.clone_from(&subject.notes);
    ExplainTraceReport {
        document,
        found: None,
        hypothesis: None,
        automaton_limit: None,
        automaton: None,
        svg: None,
        drawing: None,
    }
}
