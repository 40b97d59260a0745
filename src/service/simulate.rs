//! `simulate`: a controller, or the counter-strategy of an unrealizable specification, played step by step.

use super::blame::{assumption_texts, clause_budget, named, named_clause, tracker};
use super::guided::Guided;
use super::machine::{
    MachineText, PlayedStrategy, bad, found_as, machine_file_begins, named_outputs, notation_of_ending, same,
};
use super::ports::is_stdin;
use super::questions::CertificateTimer;
use super::tuning::{ROUNDS, TRIES};
use super::{Failure, Input, SolverOptions, SpecLanguage, SpecRequest, VERSION};
use crate::Session;
use crate::trace_terms::{MissingInput, resolve_trace};
use std::path::{Path, PathBuf};
use tsl_synth_core::base::{Id, Random, StopFlag};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{Alphabet, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Mealy, Observation, Role, StateId, Trace};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{AnyStrategy, ImpossibleAssumptions, TraceDocument};
use tsl_synth_engine::mealy::{
    Deviation, PlaySoFar, Registers, Strategist, choice, circuit_id, counter_id, machine_id,
};
use tsl_synth_explain::{blame_text, idle};
use tsl_synth_formats::trace::{TraceText, read_trace};
use tsl_synth_kernel::{Blame, Culprit, Tracker};
use tsl_synth_lang::spec::{Clause, ClauseId, Problem};

/// Asks for a machine to play: that of a file, or the one that synthesis finds for a specification, exactly as `emit`
/// does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SimulateRequest {
    /// A specification, or the one file of a machine (HOA, AIGER, machine JSON).
    pub spec: SpecRequest,
    /// How the specification is solved.
    pub solver: SolverOptions,
    /// Whether a controller may be a circuit, where its states are too many to be listed.
    pub takes_circuits: bool,
}

impl SimulateRequest {
    /// Asks for the machine of this specification or file.
    pub fn new(spec: SpecRequest) -> Self {
        Self { spec, solver: SolverOptions::default(), takes_circuits: false }
    }
}

/// A machine to play with what is known about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlayedMachine {
    /// Its atoms.
    pub alphabet: Alphabet,
    /// The atoms that are displayed and that the user may set: all but the registers that store the values of past
    /// operators of LTL.
    pub shown: Alphabet,
    /// A controller, or a counter-strategy.
    pub strategy: PlayedStrategy,
    /// The hash of its table.
    pub id: String,
    /// The names of its states; empty or missing for states without a name.
    names: Vec<String>,
    /// The specification; `None` for a machine from a file.
    pub problem: Option<Problem>,
    /// The file of the machine, or the only file of the specification.
    pub path: Option<PathBuf>,
    /// Warnings and notes about the input.
    pub diagnostics: Diagnostics,
    /// The texts of the assumptions of the specification.
    assumptions: Vec<String>,
    /// Facts that refinement added to the specification.
    further: Vec<Clause>,
    /// The limit in bytes for tracking the assumptions.
    memory: u64,
}

impl PlayedMachine {
    fn new(alphabet: Alphabet, strategy: AnyStrategy, path: Option<&Path>) -> Self {
        let id = match &strategy {
            AnyStrategy::Mealy(mealy) => machine_id(&alphabet, mealy),
            AnyStrategy::Counter(counter) => counter_id(&alphabet, counter),
        };
        Self::with_id(alphabet, PlayedStrategy::Explicit(strategy), id, path)
    }
    fn with_id(alphabet: Alphabet, strategy: PlayedStrategy, id: String, path: Option<&Path>) -> Self {
        let path = path.map(Path::to_path_buf);
        let diagnostics = Diagnostics::new();
        Self {
            shown: alphabet.clone(),
            alphabet,
            strategy,
            id,
            names: Vec::new(),
            problem: None,
            path,
            diagnostics,
            assumptions: Vec::new(),
            further: Vec::new(),
            memory: 0,
        }
    }
    /// The controller of a specification.
    pub(super) fn of_controller(
        problem: Problem,
        mealy: &Mealy,
        assumptions: Vec<String>,
        further: &[Clause],
        memory: u64,
    ) -> Self {
        let strategy = AnyStrategy::Mealy(mealy.clone());
        let played = Self::new(problem.alphabet.clone(), strategy, None);
        Self { problem: Some(problem), assumptions, further: further.to_vec(), memory, ..played }
    }
    /// The sentence about assumptions that became impossible in a play, or about the one with this text.
    pub fn blame_text(&self, blame: &Blame, clause: Option<&str>) -> String {
        let clause = clause.or_else(|| named(&self.assumptions, blame));
        blame_text(blame, clause, !self.is_counter_strategy())
    }
    /// The assumption that [`Blame::assumption`] names.
    pub fn blamed_clause(&self, blame: &Blame) -> Option<ClauseId> {
        named_clause(self.problem.as_ref()?, blame)
    }
    /// The name of a state.
    pub fn name(&self, state: StateId) -> String {
        let number = state.index();
        let name = self.names.get(number).filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("S{number}"))
    }
    /// The number of states; `None` for a circuit.
    pub fn states(&self) -> Option<usize> {
        match &self.strategy {
            PlayedStrategy::Explicit(AnyStrategy::Mealy(mealy)) => Some(mealy.states.len()),
            PlayedStrategy::Explicit(AnyStrategy::Counter(counter)) => Some(counter.states.len()),
            PlayedStrategy::Circuit(_) => None,
        }
    }
    /// Whether it is a counter-strategy, against which the user plays the system.
    pub fn is_counter_strategy(&self) -> bool {
        matches!(self.strategy, PlayedStrategy::Explicit(AnyStrategy::Counter(_)))
    }
}

impl Session<'_> {
    /// A machine to play.
    ///
    /// # Errors
    /// Errors of the input, a limit, or a defect of this program.
    pub fn simulate(&mut self, request: &SimulateRequest) -> Result<PlayedMachine, Failure> {
        self.deep(|session| match session.named_machine(&request.spec) {
            Some(input) => session.played_file(&input, &request.spec.outs),
            None => session.played_spec(request),
        })
    }

    /// The only input, if it is a file with a machine, judged by its ending, else by its beginning.
    pub(super) fn named_machine(&self, spec: &SpecRequest) -> Option<Input> {
        let [input @ Input::File(path)] = spec.inputs.as_slice() else { return None };
        if spec.language.is_some() || !spec.formulas.is_empty() || SpecLanguage::of_ending(path).is_some() {
            return None;
        }
        // Without a language standard input can only be a machine.
        let by_name = is_stdin(path) || notation_of_ending(path).is_some();
        let machine =
            by_name || self.bytes(path).is_ok_and(|bytes| machine_file_begins(&bytes[..bytes.len().min(64)]));
        machine.then(|| input.clone())
    }

    pub(super) fn played_file(&mut self, input: &Input, outs: &[String]) -> Result<PlayedMachine, Failure> {
        let path = input.path().filter(|path| !is_stdin(path));
        let mut played = match self.machine_text(input)? {
            MachineText::Json(alphabet, strategy, names) => {
                PlayedMachine { names, ..PlayedMachine::new(alphabet, strategy, path) }
            }
            MachineText::Hoa(hoa) => {
                let shown = input.shown();
                let outs = named_outputs(&shown, &hoa.propositions, hoa.controllable.as_deref(), outs)?;
                let (alphabet, mealy) = hoa.mealy(&outs).map_err(|error| bad(&shown, error))?;
                let names = hoa.states.into_iter().map(|state| state.name.unwrap_or_default()).collect();
                PlayedMachine { names, ..PlayedMachine::new(alphabet, AnyStrategy::Mealy(mealy), path) }
            }
        };
        if played.alphabet.outputs().next().is_none() && played.alphabet.cells().is_empty() {
            played.diagnostics.push(
                Diagnostic::warning(Code::BAD_MACHINE, "the machine has no outputs")
                    .hint("without `controllable-AP` in the file, `--outs a,b` names them"),
            );
        }
        Ok(played)
    }

    fn played_spec(&mut self, request: &SimulateRequest) -> Result<PlayedMachine, Failure> {
        let (mut problem, diagnostics) = self.problem(&request.spec)?;
        let options = self.options(&request.solver, true);
        let relay = CertificateTimer::new(self.observer, self.clock);
        let (strategy, further) = match found_as(&mut problem, &options, request.takes_circuits, &relay) {
            Ok(found) => found,
            Err(failure) => return Err(failure.after(diagnostics)),
        };
        let (assumptions, memory) = (assumption_texts(&problem, &self.sources), options.memory);
        let shown = problem.shown_alphabet();
        let id = match &strategy {
            PlayedStrategy::Explicit(AnyStrategy::Mealy(mealy)) => machine_id(&shown, mealy),
            PlayedStrategy::Explicit(AnyStrategy::Counter(counter)) => {
                counter_id(&shown, &Registers::of(&problem).hidden_counter(counter))
            }
            PlayedStrategy::Circuit(circuit) => circuit_id(&problem.alphabet, circuit),
        };
        let is_counter = matches!(strategy, PlayedStrategy::Explicit(AnyStrategy::Counter(_)));
        let problem = if is_counter { problem } else { problem.of_controller_plays() };
        let path = request.spec.only_file();
        let played = PlayedMachine::with_id(problem.alphabet.clone(), strategy, id, path);
        let played = PlayedMachine { shown, ..played };
        Ok(PlayedMachine { problem: Some(problem), diagnostics, assumptions, further, memory, ..played })
    }

    /// The word of a script in the terms of a machine.
    ///
    /// # Errors
    /// Errors of the script, or a script of another machine.
    pub fn script(&mut self, machine: &PlayedMachine, input: &Input) -> Result<PlayScript, Failure> {
        self.deep(|session| {
            let source = session.source(input)?;
            let text = read_trace(&session.sources, source)?;
            same(&text, Some(&machine.id))?;
            // A document must name all inputs; a word that is typed may leave some open.
            let start = session.sources.get(source).text.trim_start_matches('\u{feff}').trim_start();
            let exact = start.starts_with(['{', '[']) && !machine.is_counter_strategy();
            let missing = if exact { MissingInput::Error } else { MissingInput::Open };
            let word = resolve_trace(&machine.shown, &text, missing)?;
            Ok(PlayScript { text, word })
        })
    }
}

/// A word that a play can follow, with the text that it came from.
#[derive(Clone, Debug)]
pub struct PlayScript {
    text: TraceText,
    word: Trace,
}

impl PlayScript {
    /// Points to the letter of a step, in a script whose cycle was repeated.
    pub fn at_step(&self, diagnostic: Diagnostic, step: usize) -> Diagnostic {
        let TraceText { prefix, cycle, .. } = &self.text;
        let in_cycle = step.checked_sub(prefix.len()).map(|n| n % cycle.len().max(1));
        let place = in_cycle.map_or(step, |n| prefix.len() + n);
        match prefix.iter().chain(cycle).nth(place) {
            Some(letter) => diagnostic.at(letter.span, "this letter"),
            None => diagnostic,
        }
    }
}

/// The events that a play reports while it goes on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PlayEvent {
    /// A step was taken.
    Step {
        /// Its number, from 0.
        number: usize,
        /// The state before and after it.
        states: (StateId, StateId),
        /// The moves of both players.
        letter: Letter,
        /// Clauses that cannot be kept any more after this step.
        lost: Vec<ClauseId>,
        /// If the assumptions became impossible in this step, who caused that.
        blame: Option<Blame>,
    },
    /// The strategy has no answer in this step and state.
    NoAnswer(usize, StateId),
    /// No input keeps all assumptions in this step.
    NoInputKeepsAssumptions(usize),
    /// The play repeats from this step.
    Repeats(usize),
    /// No state of the play recurs: the play stays finite.
    StaysFinite,
}

/// The receiver of the events of a play.
type Tell<'t> = &'t mut dyn FnMut(PlayEvent);

/// A play of a machine.
pub struct Playing<'a> {
    machine: &'a PlayedMachine,
    guided: Guided<'a>,
    tracker: Option<Tracker>,
    /// The values of a choice that are left open.
    default: Letter,
    random: Random,
    respect_assumptions: bool,
    /// The step to which the play loops back after its last step.
    back: Option<usize>,
}

impl<'a> Playing<'a> {
    /// The empty play. Random choices follow from the seed; with `respect_assumptions` they keep the assumptions as
    /// long as some choice does.
    pub fn new(machine: &'a PlayedMachine, seed: u64, respect_assumptions: bool) -> Self {
        let play = match &machine.strategy {
            PlayedStrategy::Explicit(AnyStrategy::Mealy(mealy)) => {
                PlaySoFar::new(&machine.alphabet, Strategist::Mealy(mealy))
            }
            PlayedStrategy::Explicit(AnyStrategy::Counter(counter)) => {
                PlaySoFar::new(&machine.alphabet, Strategist::Counter(counter))
            }
            PlayedStrategy::Circuit(circuit) => PlaySoFar::of_circuit(&machine.alphabet, circuit),
        };
        let roles = [Role::Fact, Role::Restriction, Role::Assumption, Role::Guarantee];
        let guided = Guided::new(play, machine.problem.as_ref(), &roles);
        let default = match guided.play.chooser() {
            Player::Environment => Letter::new(),
            Player::System => idle(&machine.alphabet),
        };
        let random = Random::new(seed);
        let mealy = match &machine.strategy {
            PlayedStrategy::Explicit(AnyStrategy::Mealy(mealy)) => Some(mealy),
            PlayedStrategy::Explicit(AnyStrategy::Counter(_)) | PlayedStrategy::Circuit(_) => None,
        };
        let tracker = machine
            .problem
            .as_ref()
            .and_then(|problem| tracker(problem, &machine.further, mealy, &StopFlag::new(), machine.memory));
        Self { machine, guided, tracker, default, random, respect_assumptions, back: None }
    }
    /// The machine.
    pub fn machine(&self) -> &'a PlayedMachine {
        self.machine
    }
    /// The player whose moves are chosen: the environment of a controller, the system against a counter-strategy.
    pub fn chooser(&self) -> Player {
        self.guided.play.chooser()
    }
    /// The moves of the other player in the next step, if it moves before the choice.
    pub fn given(&self) -> Option<&Letter> {
        self.guided.play.given()
    }
    /// The state that the play is in.
    pub fn state(&self) -> StateId {
        self.guided.play.state()
    }
    /// The step from which on the play repeats, if it does.
    pub fn repeats_from(&self) -> Option<usize> {
        self.back
    }
    /// The number of steps that were taken.
    pub fn len(&self) -> usize {
        self.guided.play.letters().len()
    }
    /// Whether no step was taken yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// When the assumptions became impossible, and who made them so, if they did.
    pub fn blame(&self) -> Option<&Blame> {
        self.tracker.as_ref().and_then(Tracker::found)
    }
    /// All steps so far.
    pub fn steps(&self) -> impl Iterator<Item = (usize, (StateId, StateId), &Letter)> {
        let states = self.guided.play.states();
        let letters = self.guided.play.letters().iter().enumerate();
        letters.map(|(i, letter)| (i, (states[i], states[i + 1]), letter))
    }
    /// Takes a step. `false` if the strategy has no answer.
    pub fn step(&mut self, choice: &Letter, tell: Tell<'_>) -> bool {
        let (number, from) = (self.len(), self.state());
        self.back = None;
        let Some(mut lost) = self.guided.step(choice) else {
            tell(PlayEvent::NoAnswer(number, from));
            return false;
        };
        // An assumption that became impossible was reported then; the watch may find only later that it is lost.
        let known = self.blame().filter(|blame| blame.by != Some(Culprit::Controller));
        let known = known.and_then(|blame| self.machine.blamed_clause(blame));
        lost.retain(|&clause| Some(clause) != known);
        let letter = self.guided.play.letters()[number].clone();
        let blame = self.tracker.as_mut().and_then(|tracker| tracker.step(&letter, &clause_budget()));
        tell(PlayEvent::Step { number, states: (from, self.state()), letter, lost, blame });
        true
    }
    /// Takes back this number of steps.
    pub fn back(&mut self, steps: usize) {
        self.back = None;
        self.guided.play.back(steps);
        if let Some(watch) = &mut self.guided.watch {
            watch.back(steps);
        }
        if let Some(tracker) = &mut self.tracker {
            tracker.back(steps);
        }
    }
    /// The input letters that keep the facts and, with `assumptions`, the assumptions.
    fn inputs(&mut self, assumptions: bool, guards: &mut Guards) -> Guard {
        let roles = if assumptions { &[Role::Fact, Role::Assumption][..] } else { &[Role::Fact] };
        let inputs = self.guided.inputs(roles, guards);
        let Some(tracker) = self.tracker.as_mut().filter(|_| assumptions) else { return inputs };
        let kept = tracker.kept(guards);
        let kept = self.guided.play.inputs(kept, guards);
        guards.and(inputs, kept)
    }
    /// A random choice that keeps the facts and, if they are respected, the assumptions; reports if there is none.
    fn choose(&mut self, tell: Tell<'_>) -> Letter {
        if self.chooser() == Player::System {
            return self.choose_outputs();
        }
        let mut guards = Guards::new();
        let mut inputs = self.inputs(self.respect_assumptions, &mut guards);
        if inputs == Guard::FALSE {
            if self.respect_assumptions {
                tell(PlayEvent::NoInputKeepsAssumptions(self.len()));
            }
            inputs = self.inputs(false, &mut guards);
        }
        self.guided.play.random_input(inputs, &guards, &mut self.random)
    }
    /// Random outputs that the system may choose.
    fn choose_outputs(&mut self) -> Letter {
        let mut choice = self.guided.play.random_choice(&mut self.random);
        for _ in 0..TRIES {
            let (Some(watch), Some(problem)) = (&mut self.guided.watch, &self.machine.problem) else { break };
            let Some((letter, _)) = self.guided.play.peek(&choice) else { break };
            let lost = watch.lost(&letter);
            let bad = |&id| match problem.clauses[id].role {
                Role::Restriction => true,
                Role::Assumption => self.respect_assumptions,
                Role::Fact | Role::Guarantee => false,
            };
            if !lost.iter().any(bad) {
                break;
            }
            choice = self.guided.play.random_choice(&mut self.random);
        }
        choice
    }
    /// Takes a random step. `false` if the strategy has no answer.
    pub fn random_step(&mut self, tell: Tell<'_>) -> bool {
        let choice = self.choose(tell);
        self.step(&choice, tell)
    }
    /// Takes random steps; with `close` further ones, until a state recurs. `false` if the strategy has no answer.
    pub fn random(&mut self, steps: usize, close: bool, tell: Tell<'_>) -> bool {
        for _ in 0..steps {
            if !self.random_step(tell) {
                return false;
            }
        }
        if close && steps > 0 {
            for _ in 0..ROUNDS {
                if self.recurrence().is_some() {
                    break;
                }
                if !self.random_step(tell) {
                    return false;
                }
            }
            self.close(tell);
        }
        true
    }
    /// The choice of an observation: values that it leaves open are those that the facts determine, else false; cells
    /// keep their values.
    fn complete(&self, given: &Observation) -> Letter {
        let alphabet = &self.machine.alphabet;
        if self.chooser() == Player::Environment {
            let mut guards = Guards::new();
            let inputs = self.guided.inputs_of(given, &mut guards);
            if let Some(letter) = guards.pick(inputs) {
                return letter;
            }
        }
        choice(alphabet, self.chooser(), given, &self.default)
    }
    /// Takes the step of an observation.
    ///
    /// # Errors
    /// The deviation of the strategy from the observation.
    pub fn observe(&mut self, given: &Observation, tell: Tell<'_>) -> Result<(), Deviation> {
        let choice = self.complete(given);
        self.guided.compare(&choice, given)?;
        self.step(&choice, tell);
        Ok(())
    }
    /// The first step before which the state of the machine and the residuals of the facts (such as the values of
    /// Boolean cells) were as they are now.
    pub fn recurrence(&self) -> Option<usize> {
        self.guided.returned(0..self.len())
    }
    /// Makes the play repeat from an earlier occurrence of its state, if there is one.
    pub fn close(&mut self, tell: Tell<'_>) {
        self.back = self.recurrence();
        tell(self.back.map_or(PlayEvent::StaysFinite, PlayEvent::Repeats));
    }
    /// Plays a script; its cycle is repeated until the state recurs at the beginning of a round. With `close`, the last
    /// letter of a finite script is its cycle.
    ///
    /// # Errors
    /// The machine deviates, or the play does not close.
    pub fn follow(&mut self, script: &PlayScript, close: bool, tell: Tell<'_>) -> Result<(), Deviation> {
        let word = &script.word;
        for letter in &word.prefix {
            self.observe(letter, tell)?;
        }
        let mut cycle = word.cycle.clone();
        if cycle.is_empty() && close {
            cycle.extend(word.prefix.last().map(|last| self.chosen(last)));
        }
        let mut begun: Vec<usize> = Vec::new();
        while !cycle.is_empty() {
            if let Some(back) = self.guided.begin_round(&mut begun)? {
                self.back = Some(back);
                tell(PlayEvent::Repeats(back));
                break;
            }
            for letter in &cycle {
                self.observe(letter, tell)?;
            }
        }
        Ok(())
    }
    /// The part of an observation that is about the chooser.
    fn chosen(&self, given: &Observation) -> Observation {
        let alphabet = &self.machine.alphabet;
        let mut chosen = Observation::default();
        for atom in alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == self.chooser()) {
            if let Some(value) = given.value(atom) {
                chosen.record(atom, value);
            }
        }
        chosen
    }
    /// The trace so far. Its machine or specification is named as `file`.
    pub fn document(&self, file: Option<String>) -> TraceDocument {
        let mut document =
            TraceDocument::new(VERSION, &self.machine.shown, self.guided.play.letters(), self.back);
        match self.machine.problem {
            Some(_) => document.spec = file,
            None => document.machine = file,
        }
        // Other verbs have the specification solved by an explicit machine.
        let is_circuit = matches!(self.machine.strategy, PlayedStrategy::Circuit(_));
        document.machine_id = (!is_circuit).then(|| self.machine.id.clone());
        document.assumptions = self.blame().filter(|blame| !blame.facts).map(|blame| {
            let clause = named(&self.machine.assumptions, blame);
            ImpossibleAssumptions::new(blame, clause.map(str::to_owned))
        });
        document
    }
}

/// A letter that a person typed, in the terms of a machine.
///
/// # Errors
/// Errors in the text.
pub fn read_choice(machine: &PlayedMachine, step: usize, text: &str) -> Result<Observation, Diagnostics> {
    let mut sources = SourceMap::new();
    let source = sources.add("line", text);
    let span = tsl_synth_core::source::Span::new(source, 0, text.len());
    let read = tsl_synth_formats::trace::read_letter(text, span)
        .map_err(|diagnostic| std::iter::once(diagnostic).collect::<Diagnostics>())?;
    crate::trace_terms::TraceTerms::new(&machine.shown).letter(
        &read,
        &format!("step {step}"),
        MissingInput::Open,
    )
}
