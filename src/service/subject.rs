//! The subject of a trace: a machine with its alphabet, from a specification or from a file, and formulas over its
//! terms. A counter-strategy is a machine, too: its inputs are the moves of the system.

use super::blame::{clause_budget, tracker};
use super::guided::{Guided, NoPlayReason};
use super::machine::{MachineFile, bad, found, named_outputs};
use super::open_system::{self, open_system};
use super::property::Property;
use super::tuning::{CONTINUED, MOST_STATES};
use super::{Failure, Input, SpecLanguage, SpecRequest};
use crate::Session;
use crate::trace_terms::{MissingInput, resolve_trace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tsl_synth_automata::emerson_lei_to_buchi;
use tsl_synth_core::base::{Budget, IdVec, Limit, LimitKind, StopFlag};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, Cell, FormulaId, Formulas, Guards, Lasso, Letter, Player,
};
use tsl_synth_core::model::{
    Buchi, CounterStrategy, Mealy, Observation, Prefer, Register, Role, Silent, Trace,
};
use tsl_synth_documents::AnyStrategy;
use tsl_synth_engine::mealy::{
    Continuation, Deviation, DualMachine, PlaySoFar, Registers, Strategist, complete, counter_id, machine_id,
};
use tsl_synth_engine::synth::SolverOptions;
use tsl_synth_explain::cause::shortest_lasso;
use tsl_synth_explain::{idle, values_told};
use tsl_synth_formats::hoa::{read_automaton, read_hoa};
use tsl_synth_formats::trace::TraceText;
use tsl_synth_kernel::Blame;
use tsl_synth_lang::spec::{
    AtomMeaning, Clause, Language, Problem, Signature, Target, Wordings, resolve_ltl,
};

/// The maximal number of names that are listed if a name is unknown.
const SHOWN_NAMES: usize = 12;

/// A machine, and the problem whose terms formulas about it use.
pub(super) struct Subject {
    /// How the machine is named in answers.
    pub(super) name: String,
    pub(super) problem: Problem,
    /// The problem with its registers, if it has any.
    remembering: Option<Problem>,
    pub(super) system: System,
    /// The counter-strategy that the machine is, with the alphabet of its traces.
    opponent: Option<(Alphabet, CounterStrategy)>,
    /// Notes about the machine for the readers of an answer.
    pub(super) notes: Vec<String>,
    /// Facts that refinement added to the specification.
    further: Vec<Clause>,
    /// The specification, whose terms formulas use.
    spec: Option<SpecRequest>,
}

/// The behavior of a subject.
pub(super) enum System {
    /// A machine: one output letter and one next state for every input letter.
    Machine(Mealy),
    /// The plays of an automaton that is not a machine, and the id of the machine that `simulate` plays for it, if any.
    Plays(Buchi, Option<String>),
}

/// What [`Subject::remembering`] is for a problem.
fn remembering(problem: &Problem) -> Option<Problem> {
    (!problem.signature.registers.is_empty()).then(|| problem.clone().of_controller_plays())
}

fn cannot(message: String) -> Failure {
    Diagnostic::error(Code::CANNOT_READ, message).into()
}

/// A counter-strategy as a machine that reads the moves of the system.
fn dual(name: String, mut problem: Problem, counter: CounterStrategy, spec: Option<SpecRequest>) -> Subject {
    let DualMachine { alphabet, machine } = DualMachine::new(&problem.alphabet, &counter);
    let known = std::mem::replace(&mut problem.alphabet, alphabet);
    // Only the restrictions are kept: on every play against it, the facts and assumptions hold, and some guarantee
    // fails.
    let notes = vec!["you play the system: causes are its moves, effects what the environment gives".into()];
    problem.clauses = problem.clauses.iter().filter(|c| c.role == Role::Restriction).cloned().collect();
    let system = System::Machine(machine);
    Subject { opponent: Some((known, counter)), notes, ..Subject::new(name, problem, system, spec) }
}

impl Session<'_> {
    /// The controller that synthesis finds for a specification.
    pub(super) fn subject_of_spec(
        &mut self,
        request: &SpecRequest,
        options: &SolverOptions,
    ) -> Result<Subject, Failure> {
        let (mut problem, _) = self.problem(request)?;
        let (spec, shown) = (Some(request.clone()), request.name());
        let (strategy, further) = found(&mut problem, options, &Silent)?;
        let strategy = match strategy {
            AnyStrategy::Counter(counter) => {
                AnyStrategy::Counter(Registers::of(&problem).hidden_counter(&counter))
            }
            controller @ AnyStrategy::Mealy(_) => controller,
        };
        let (remembering, problem) = (remembering(&problem), problem.shown());
        match strategy {
            AnyStrategy::Mealy(machine) => {
                let problem = problem.of_controller_plays();
                let name = format!("the controller of `{shown}`");
                let system = System::Machine(machine);
                Ok(Subject { remembering, further, ..Subject::new(name, problem, system, spec) })
            }
            AnyStrategy::Counter(counter) => {
                let name = format!("the counter-strategy of `{shown}`");
                Ok(dual(name, problem, counter, spec))
            }
        }
    }

    /// A machine from a file, over the atoms of a specification if that has inputs.
    pub(super) fn subject_of_machine(
        &mut self,
        machine: &Input,
        request: &SpecRequest,
    ) -> Result<Subject, Failure> {
        let shown = machine.shown();
        let name = format!("`{shown}`");
        let text = match self.machine_file(machine)? {
            MachineFile::Json(json) => {
                let (alphabet, strategy, _) = *json;
                let machine = match strategy {
                    AnyStrategy::Mealy(machine) => machine,
                    AnyStrategy::Counter(counter) => return Ok(dual(name, bare(alphabet), counter, None)),
                };
                let (problem, system) = (bare(alphabet), System::Machine(machine));
                return Ok(Subject::new(name, problem, system, None));
            }
            MachineFile::Hoa(text) => text,
        };
        let mut whole = None;
        let (given, spec) = if request.inputs.is_empty() {
            (None, None)
        } else {
            let problem = self.problem(request)?.0;
            whole = remembering(&problem);
            (Some(problem.shown().of_controller_plays()), Some(request.clone()))
        };
        let nameless = |controllable: &Option<Vec<usize>>| {
            given.is_none() && controllable.is_none() && request.outs.is_empty()
        };
        let unknown = || -> Failure {
            let hint = "the file has no `controllable-AP:`; name the outputs with `--outs a,b`";
            bad(&shown, "it is not known which propositions are outputs").hint(hint).into()
        };
        // A machine, which may leave outputs open.
        let mut read = None;
        if let Ok(hoa) = read_hoa(&text) {
            if nameless(&hoa.controllable) {
                return Err(unknown());
            }
            let found = if let Some(problem) = &given {
                hoa.mealy_over(&problem.alphabet).map(|machine| (problem.alphabet.clone(), machine))
            } else {
                let controllable = hoa.controllable.as_deref();
                hoa.mealy(&named_outputs(&shown, &hoa.propositions, controllable, &request.outs)?)
            };
            if let Ok((alphabet, machine)) = found {
                if hoa.leaves_open(&alphabet).is_none() {
                    let (problem, system) =
                        (given.unwrap_or_else(|| bare(alphabet)), System::Machine(machine));
                    return Ok(Subject { remembering: whole, ..Subject::new(name, problem, system, spec) });
                }
                read = Some((machine_id(&alphabet, &machine), alphabet));
            }
        }
        let hoa = read_automaton(&text).map_err(|error| bad(&shown, error))?;
        if nameless(&hoa.controllable) {
            return Err(unknown());
        }
        let (id, alphabet) = if let Some((id, alphabet)) = read {
            (Some(id), alphabet)
        } else {
            let controllable = hoa.controllable.as_deref();
            let outs = named_outputs(&shown, &hoa.propositions, controllable, &request.outs)?;
            (None, hoa.alphabet(&outs))
        };
        let problem = given.unwrap_or_else(|| bare(alphabet));
        let (plays, notes) = open_system(machine, &hoa, &problem.alphabet)?;
        Ok(Subject { notes, ..Subject::new(name, problem, System::Plays(plays, id), spec) })
    }

    /// The formula that a text is, or that the file of this name has (`.ltl`, `.tsl`, `.txt`).
    pub(super) fn written(&mut self, text: &str) -> Result<String, Failure> {
        let ending = Path::new(text).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !["ltl", "tsl", "txt"].iter().any(|own| ending.eq_ignore_ascii_case(own)) {
            return Ok(text.to_owned());
        }
        let source = self.source(&Input::File(PathBuf::from(text)))?;
        let lines = self.sources.get(source).text.lines().map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("//")).collect();
        Ok(lines.join(" ").trim_end_matches(';').to_owned())
    }

    /// A formula in the terms of the subject, or the automaton of a file in HOA.
    pub(super) fn property(
        &mut self,
        subject: &mut Subject,
        what: &str,
        text: &str,
    ) -> Result<Property, Failure> {
        if !Path::new(text).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("hoa")) {
            return self.formula(subject, what, text).map(Property::Formula);
        }
        let source = self.source(&Input::File(PathBuf::from(text)))?;
        let read = read_automaton(&self.sources.get(source).text);
        let read = read.map_err(|error| cannot(format!("`{text}`: {error}")))?;
        let over = read.over(&subject.problem.alphabet);
        let over = over.map_err(|error| cannot(format!("`{text}`: {error}")))?;
        Ok(Property::Automaton(Box::new(emerson_lei_to_buchi(&over, MOST_STATES, &Budget::unlimited())?)))
    }

    /// A formula in the terms of the subject, in which past operators become registers of its problem: TSL over the terms of a TSL specification, else LTL.
    pub(super) fn formula(
        &mut self,
        subject: &mut Subject,
        what: &str,
        text: &str,
    ) -> Result<FormulaId, Failure> {
        if let (Some(spec), Language::Tsl) = (&subject.spec, subject.problem.language) {
            let spec = spec.clone();
            return self.tsl(subject, what, text, spec);
        }
        let source = self.sources.add(format!("<{what}>"), text);
        Ok(resolve_ltl(&mut subject.problem, &self.sources, source)?)
    }

    /// Reads the specification once more with the formula as a guarantee, so that all names have the same meaning as
    /// there.
    fn tsl(
        &mut self,
        subject: &mut Subject,
        what: &str,
        text: &str,
        mut request: SpecRequest,
    ) -> Result<FormulaId, Failure> {
        let text = format!("guarantee {{ {text}; }}\n");
        request.inputs.push(Input::Text { name: format!("<{what}>"), text });
        request.language = Some(SpecLanguage::Tsl);
        let (other, _) = self.problem(&request)?;
        let source = self.sources.iter().nth(self.begin + request.inputs.len() - 1).map(|(source, _)| source);
        let written = other.clauses.iter().filter(|clause| clause.span.map(|span| span.source) == source);
        let parts: Vec<FormulaId> =
            written.filter(|clause| clause.role == Role::Guarantee).map(|clause| clause.formula).collect();
        subject.translated(&other, &parts, what)
    }
}

/// A problem without clauses.
pub(super) fn bare(alphabet: Alphabet) -> Problem {
    let mut signature = Signature::default();
    for _ in alphabet.atoms() {
        signature.atoms.push(AtomMeaning::Proposition);
    }
    Problem {
        name: String::new(),
        language: Language::Ltl,
        target: Target::Mealy,
        formulas: Formulas::new(),
        alphabet,
        clauses: IdVec::new(),
        signature,
        rewritten: false,
        restricted: None,
        invariants: Vec::new(),
        wordings: Wordings::default(),
        answers_first: false,
        finite: false,
    }
}

impl Session<'_> {
    /// The controller of a specification that made a trace: the preferred one, or else the one that is found first, as for
    /// traces that were recorded with `--prefer any` or before there were preferences.
    pub(super) fn subject_of_trace(
        &mut self,
        spec: &SpecRequest,
        options: &SolverOptions,
        text: &TraceText,
        default_false: bool,
    ) -> Result<Subject, Failure> {
        let subject = self.subject_of_spec(spec, options)?;
        if options.prefer == Prefer::Any || subject.is_opponent() || subject.made(text, default_false) {
            return Ok(subject);
        }
        let first = SolverOptions { prefer: Prefer::Any, ..options.clone() };
        let mut first = self.subject_of_spec(spec, &first)?;
        if !first.made(text, default_false) {
            return Ok(subject);
        }
        first.notes.push("the trace is of the controller that is found first (`--prefer any`)".into());
        Ok(first)
    }
}

impl Subject {
    /// Whether it made a trace: by the hash of its table if the trace has one, else if it gives the outputs.
    fn made(&self, text: &TraceText, default_false: bool) -> bool {
        match &text.machine_id {
            Some(named) => self.id().as_deref() == Some(&named.text),
            None => self.read(text, default_false).and_then(|trace| self.play(&trace)).is_ok(),
        }
    }
    pub(super) fn new(name: String, problem: Problem, system: System, spec: Option<SpecRequest>) -> Self {
        Self {
            name,
            problem,
            remembering: None,
            system,
            opponent: None,
            notes: Vec::new(),
            further: Vec::new(),
            spec,
        }
    }

    /// When a play, or its first `most` steps, made the assumptions impossible, and who caused that; `None` for plays
    /// against a counter-strategy.
    pub(super) fn blame(
        &self,
        play: &Lasso,
        most: Option<usize>,
        cancel: &StopFlag,
        memory: u64,
    ) -> Option<Blame> {
        let machine = match &self.system {
            System::Machine(machine) => Some(machine),
            System::Plays(..) => None,
        };
        if self.is_opponent() {
            return None;
        }
        let mut tracker = tracker(&self.problem, &self.further, machine, cancel, memory)?;
        let found = tracker.follow(play, most, &clause_budget());
        found.filter(|blame| !blame.facts)
    }

    /// The hint how to name an effect, with an output of the system as an example.
    pub(super) fn effect_hint(&self) -> String {
        let atoms = self.problem.alphabet.atoms();
        let mut outputs = atoms.ids().filter(|&atom| self.problem.alphabet.player(atom) == Player::System);
        let Some(atom) = outputs.next_back() else { return "say `--effect FORMULA`".into() };
        let Some(said) = self.written(&atoms[atom].name) else { return "say `--effect FORMULA`".into() };
        format!("name it, for instance `--effect 'F {said}'`")
    }

    /// A formula that says which outputs there are at a step of a play; `None` if there are none, or their names cannot
    /// be written.
    pub(super) fn outputs_at(&self, play: &Lasso, step: usize) -> Option<String> {
        let alphabet = &self.problem.alphabet;
        let (before, period) = (play.prefix.len(), play.cycle.len());
        let letter = play.letter(if step < before { step } else { before + (step - before) % period });
        let outputs: Vec<AtomId> = alphabet
            .atoms()
            .ids()
            .filter(|&atom| alphabet.player(atom) == Player::System && !self.problem.is_hidden(atom))
            .collect();
        // Outputs of a counter-strategy may be values of signals.
        let (values, covered) = values_told(&self.problem, &outputs, letter);
        let mut parts: Vec<String> = values.iter().map(|value| format!("({value})")).collect();
        for atom in outputs.into_iter().filter(|atom| !covered.contains(atom)) {
            let (named, holds) = (&alphabet.atoms()[atom], alphabet.holds(atom, letter));
            // Of a cell, the one update that happens.
            if !holds && matches!(named.kind, AtomKind::Update(..)) {
                continue;
            }
            let name = self.written(&named.name)?;
            parts.push(if holds { name } else { format!("!{name}") });
        }
        if parts.is_empty() {
            return None;
        }
        let all = parts.join(" && ");
        Some(match step {
            0 => all,
            1 => format!("X ({all})"),
            _ => format!("X[{step}] ({all})"),
        })
    }

    /// The specification with the facts that refinement added, and with its registers.
    pub(super) fn with_facts(&self) -> Problem {
        let mut problem = self.remembering.as_ref().unwrap_or(&self.problem).clone();
        for clause in &self.further {
            problem.clauses.push(clause.clone());
        }
        problem
    }

    /// The name of an atom as a formula has it; `None` if it has quotes.
    fn written(&self, name: &str) -> Option<String> {
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if name.contains(['\'', '"', '\\']) {
            return None;
        }
        Some(match self.problem.language {
            Language::Tsl if name.starts_with('[') || is_word => name.to_owned(),
            Language::Tsl => format!("({name})"),
            _ if is_word => name.to_owned(),
            _ => format!("\"{name}\""),
        })
    }

    /// The hash of its table, as traces name it; `None` if it has no table.
    pub(super) fn id(&self) -> Option<String> {
        match (&self.opponent, &self.system) {
            (Some((alphabet, counter)), _) => Some(counter_id(alphabet, counter)),
            (None, System::Machine(machine)) => Some(machine_id(&self.problem.alphabet, machine)),
            (None, System::Plays(_, id)) => id.clone(),
        }
    }

    /// Whether it is a counter-strategy.
    pub(super) fn is_opponent(&self) -> bool {
        self.opponent.is_some()
    }

    /// The alphabet of its traces.
    pub(super) fn alphabet(&self) -> &Alphabet {
        self.opponent.as_ref().map_or(&self.problem.alphabet, |(alphabet, _)| alphabet)
    }

    /// The letters of a trace. An input that the facts do not determine must be named; with `default_false` it is
    /// false.
    pub(super) fn read(&self, text: &TraceText, default_false: bool) -> Result<Trace, NoPlayReason> {
        let exact = if default_false { MissingInput::False } else { MissingInput::Error };
        let machine = match &self.system {
            System::Machine(machine) if self.has_facts() => Some(machine),
            _ => None,
        };
        let open = self.opponent.is_some() || machine.is_some();
        let missing = if open { MissingInput::Open } else { exact };
        let wrong = |found: Diagnostics| NoPlayReason::Wrong(found.into());
        let trace = resolve_trace(self.alphabet(), text, missing).map_err(wrong)?;
        let open = |given: &Observation| self.alphabet().inputs().any(|atom| given.value(atom).is_none());
        match machine.filter(|_| self.opponent.is_none()) {
            Some(machine) if trace.prefix.iter().chain(&trace.cycle).any(open) => {
                self.guided(machine).fill(text, &trace, default_false)
            }
            _ => Ok(trace),
        }
    }

    /// A note if a trace does not determine which of several plays it is.
    pub(super) fn left_open(&self, trace: &Trace) -> Option<String> {
        let alphabet = &self.problem.alphabet;
        let unsaid = |given: &Observation| {
            let outputs = alphabet.outputs().any(|atom| given.value(atom).is_none());
            let cell = |cell: &Cell| !cell.options.iter().any(|&option| given.value(option) == Some(true));
            outputs || alphabet.cells().iter().any(cell)
        };
        let several = matches!(self.system, System::Plays(..));
        let open = several && (trace.is_finite() || trace.prefix.iter().chain(&trace.cycle).any(unsaid));
        open.then(|| {
            "the trace does not name all outputs: it is taken to be one of the plays that are like it".into()
        })
    }

    fn has_facts(&self) -> bool {
        self.problem.clauses.iter().any(|clause| clause.role == Role::Fact)
    }

    /// A play of the machine together with the facts.
    fn guided<'a>(&'a self, machine: &'a Mealy) -> Guided<'a> {
        let strategist = Strategist::Mealy(machine);
        Guided::new(PlaySoFar::new(&self.problem.alphabet, strategist), Some(&self.problem), &[Role::Fact])
    }

    /// The infinite play of a trace, in the alphabet of the problem.
    pub(super) fn play(&self, trace: &Trace) -> Result<Lasso, NoPlayReason> {
        let (strategist, default) = match (&self.opponent, &self.system) {
            (None, System::Plays(..)) if trace.is_finite() && self.has_facts() => {
                let message = "what follows from updates is not known after the end of a finite trace here";
                let hint = "give the trace a cycle, or a machine that leaves nothing open";
                return Err(NoPlayReason::Wrong(
                    Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into(),
                ));
            }
            (None, System::Plays(plays, _)) => {
                return open_system::play(&self.name, &self.problem.alphabet, plays, trace);
            }
            (None, System::Machine(machine)) if trace.is_finite() => {
                let play = self.continued(machine, trace).map_err(NoPlayReason::Deviation)?;
                return Ok(shortest_lasso(&play));
            }
            (None, System::Machine(machine)) => (Strategist::Mealy(machine), Letter::new()),
            (Some((alphabet, counter)), _) => (Strategist::Counter(counter), idle(alphabet)),
        };
        let run = complete(self.alphabet(), strategist, trace, Continuation::Last, &default);
        let word =
            run.map_err(NoPlayReason::Deviation)?.lasso().expect("a trace that is continued for ever closes");
        let dual = |(alphabet, _): &(Alphabet, _)| DualMachine::word(alphabet, &word);
        Ok(shortest_lasso(&self.opponent.as_ref().map_or_else(|| word.clone(), dual)))
    }

    /// The play of a finite trace: the last input is repeated, except for values that the facts determine, such as that
    /// of a cell after an update.
    fn continued(&self, machine: &Mealy, trace: &Trace) -> Result<Lasso, Deviation> {
        let alphabet = &self.problem.alphabet;
        let mut guided = self.guided(machine);
        for given in &trace.prefix {
            let choice = given.input(alphabet);
            guided.compare(&choice, given)?;
            guided.step(&choice);
        }
        let own = |letter: &Letter| -> Letter {
            letter.iter().filter(|&bit| alphabet.owner(bit) == Player::Environment).collect()
        };
        let mut input = guided.play.letters().last().map(own).unwrap_or_default();
        let mut seen = BTreeMap::new();
        loop {
            let (here, state) = (guided.play.letters().len(), guided.play.state());
            let bits: Vec<BitId> = input.iter().collect();
            let before = seen.insert((state, guided.facts(here), bits), here);
            if let Some(back) = before {
                let mut prefix = guided.play.letters().to_vec();
                let cycle = prefix.split_off(back);
                return Ok(Lasso { prefix, cycle });
            }
            if here > trace.len() + CONTINUED {
                let what = "the continuation of the trace does not close";
                return Err(Deviation::TooLong(Limit::new(LimitKind::Size, what)));
            }
            let mut guards = Guards::new();
            let mut inputs = guided.inputs(&[Role::Fact], &mut guards);
            for bit in alphabet.bits_of(Player::Environment) {
                let same = guards.literal(bit, input.contains(bit));
                if guards.intersects(inputs, same) {
                    inputs = guards.and(inputs, same);
                }
            }
            // A trace that violates a fact is reported later.
            input = guards.pick(inputs).unwrap_or(input);
            if guided.step(&input).is_none() {
                return Err(Deviation::Stuck { step: here, state });
            }
        }
    }

    /// The conjunction of formulas of another reading of the specification. Registers that they depend on are added.
    fn translated(&mut self, other: &Problem, parts: &[FormulaId], what: &str) -> Result<FormulaId, Failure> {
        let Problem { formulas, alphabet, .. } = &mut self.problem;
        let mut known: BTreeMap<String, AtomId> =
            alphabet.atoms().enumerate().map(|(atom, named)| (named.name.clone(), atom)).collect();
        let all: Vec<&Register> = other.signature.registers.iter().collect();
        let used = parts.iter().any(|&part| other.remembers(part));
        // A register may depend on any other one, so all are added if one is used.
        let new: Vec<&Register> = all
            .into_iter()
            .filter(|own| used && !known.contains_key(&other.alphabet.atoms()[own.atom].name))
            .collect();
        for register in &new {
            let name = &other.alphabet.atoms()[register.atom].name;
            known.insert(name.clone(), alphabet.add_input(name.clone()));
        }
        let mut import = |f| {
            formulas.import(&other.formulas, f, |formulas, atom| {
                let name = &other.alphabet.atoms()[atom].name;
                let known = known.get(name).ok_or_else(|| unknown_term(what, name, known.keys()))?;
                Ok::<_, Failure>(formulas.atom(*known))
            })
        };
        let mut all = Vec::new();
        for &part in parts {
            all.push(import(part)?);
        }
        let mut registers = Vec::new();
        for register in new {
            let atom = known[&other.alphabet.atoms()[register.atom].name];
            registers.push(Register { atom, now: import(register.now)? });
        }
        let formula = formulas.and(all);
        self.problem.add_registers(registers);
        Ok(formula)
    }

    /// Takes the registers of the specification, and the clauses that mention them, into the problem.
    pub(super) fn remember(&mut self) {
        if let Some(whole) = self.remembering.take() {
            self.problem = whole;
        }
    }

    /// A play with the values of the registers of the problem.
    pub(super) fn recorded(&self, play: &Lasso) -> Lasso {
        Registers::of(&self.problem).recorded_lasso(play)
    }
}

/// The error about a name that the specification does not have.
fn unknown_term<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n String>) -> Failure {
    let message = format!("the {what} speaks of `{name}`, which the specification does not have");
    let mut names: Vec<String> = known.map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN_NAMES {
        names.truncate(SHOWN_NAMES);
        names.push("others".into());
    }
    Diagnostic::error(Code::UNKNOWN_TERM, message).hint(format!("there are {}", names.join(", "))).into()
}
