//! What a trace is about: a machine with its alphabet, from a specification or from a file, and formulas in its
//! terms. A counter-strategy is a machine, too: its inputs are the moves of the system.

use crate::args::{ExplainArgs, InputArgs};
use crate::files::{self, ImportLoader};
use crate::input::{self, Reading};
use crate::machine::{self, Lack, MachineFile, bad, load};
use crate::settings::dialect;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tsl_synth::automaton::emerson_lei_to_buchi;
use tsl_synth::base::{Budget, IdVec, Limit, LimitKind};
use tsl_synth::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth::explain::cause::shortest_lasso;
use tsl_synth::explain::{Watch, idle};
use tsl_synth::format::hoa::{HoaMachine, read_automaton};
use tsl_synth::format::trace::TraceText;
use tsl_synth::logic::{Alphabet, BitId, FormulaId, Formulas, Guards, Lasso, Letter, Player};
use tsl_synth::mealy::{
    Continuation, Deviation, Simulation, Strategist, Turned, complete, counter_id, machine_id,
};
use tsl_synth::model::{Buchi, CounterStrategy, Mealy, Role, Silent, Trace};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::{
    AtomMeaning, Language, LoadOptions, MainFile, Openness, Problem, Signature, load_tsl, resolve_ltl,
    resolve_trace,
};
use tsl_synth::synth::Options;
use tsl_synth::wire::AnyStrategy;

/// Larger automata in HOA are past the limit.
const MOST_STATES: usize = 100_000;
/// Finite traces go on for at most so many steps before they are where they were.
const CONTINUED: usize = 100_000;

/// A machine and the terms in which one speaks about it.
pub(crate) struct Subject {
    /// How the machine is named in answers.
    pub(crate) name: String,
    pub(crate) problem: Problem,
    pub(crate) machine: Mealy,
    /// The counter-strategy that the machine is, with the alphabet of its traces.
    opponent: Option<(Alphabet, CounterStrategy)>,
    /// Whoever reads an answer should know this about the machine.
    pub(crate) notes: Vec<String>,
    /// The specification's file, whose terms formulas use.
    spec: Option<PathBuf>,
}

fn cannot(message: String) -> Lack {
    Diagnostic::error(Code::CANNOT_READ, message).into()
}

/// The controller that synthesis finds for a specification.
pub(crate) fn of_spec(
    path: &Path,
    args: &ExplainArgs,
    options: &Options,
    map: &mut SourceMap,
) -> Result<Subject, Lack> {
    let mut problem = spec(path, args, map)?;
    match machine::found(&mut problem, options, &Silent)? {
        AnyStrategy::Mealy(machine) => {
            let name = format!("the controller of `{}`", files::shown(path));
            let spec = Some(path.to_path_buf());
            Ok(Subject { name, problem, machine, opponent: None, notes: Vec::new(), spec })
        }
        AnyStrategy::Counter(counter) => {
            let name = format!("the counter-strategy of `{}`", files::shown(path));
            Ok(turned(name, problem, counter, Some(path.to_path_buf())))
        }
    }
}

/// A counter-strategy as a machine that reads the moves of the system.
fn turned(name: String, mut problem: Problem, counter: CounterStrategy, spec: Option<PathBuf>) -> Subject {
    let Turned { alphabet, machine } = Turned::new(&problem.alphabet, &counter);
    let known = std::mem::replace(&mut problem.alphabet, alphabet);
    // The facts and assumptions hold on every play against it, and its guarantees are what the system lost.
    let notes = vec!["you play the system: causes are its moves, effects what the environment gives".into()];
    problem.clauses = problem.clauses.iter().filter(|c| c.role == Role::Restriction).cloned().collect();
    Subject { name, problem, machine, opponent: Some((known, counter)), notes, spec }
}

fn spec(path: &Path, args: &ExplainArgs, map: &mut SourceMap) -> Result<Problem, Lack> {
    let input = InputArgs {
        specs: vec![path.to_path_buf()],
        dialect: args.dialect,
        import_root: args.import_root.clone(),
        ins: args.ins.clone(),
        outs: args.outs.clone(),
        parameters: args.parameters.clone(),
        ..InputArgs::default()
    };
    let mut diagnostics = Diagnostics::new();
    match input::read(&input, map, &mut diagnostics) {
        Reading::Problem(problem) => Ok(*problem),
        Reading::Wrong => Err(Lack::Wrong(diagnostics)),
        Reading::TooLarge(limit) => Err(Lack::Limit(limit.to_string())),
    }
}

/// A machine from a file, over the atoms of a specification where one is given.
pub(crate) fn of_machine(
    path: &Path,
    spec_path: Option<&Path>,
    args: &ExplainArgs,
    map: &mut SourceMap,
) -> Result<Subject, Lack> {
    let name = format!("`{}`", files::shown(path));
    let hoa = match machine::read(path, map)? {
        MachineFile::Json(alphabet, AnyStrategy::Mealy(machine), _) => {
            let problem = bare(alphabet);
            return Ok(Subject { name, problem, machine, opponent: None, notes: Vec::new(), spec: None });
        }
        MachineFile::Json(alphabet, AnyStrategy::Counter(counter), _) => {
            return Ok(turned(name, bare(alphabet), counter, None));
        }
        MachineFile::Hoa(hoa) => hoa,
    };
    if let Some(spec_path) = spec_path {
        let problem = spec(spec_path, args, map)?;
        let machine = hoa.mealy_over(&problem.alphabet).map_err(|e| bad(path, e))?;
        let notes = open_outputs(&hoa, &problem.alphabet);
        let spec = Some(spec_path.to_path_buf());
        return Ok(Subject { name, problem, machine, opponent: None, notes, spec });
    }
    if hoa.controllable.is_none() && args.outs.is_empty() {
        let hint = "the file has no `controllable-AP:`; name the outputs with `--outs a,b`";
        return Err(bad(path, "it is not known which propositions are outputs").hint(hint).into());
    }
    let (alphabet, machine) = hoa.mealy(&args.outs).map_err(|e| bad(path, e))?;
    let notes = open_outputs(&hoa, &alphabet);
    Ok(Subject { name, problem: bare(alphabet), machine, opponent: None, notes, spec: None })
}

/// That one machine of several was explained, where labels leave outputs open.
fn open_outputs(hoa: &HoaMachine, alphabet: &Alphabet) -> Vec<String> {
    let note = |state| {
        format!(
            "the file leaves outputs open (first in state {state}); one machine that it allows is explained"
        )
    };
    hoa.leaves_open(alphabet).map(note).into_iter().collect()
}

/// A problem without clauses.
fn bare(alphabet: Alphabet) -> Problem {
    let mut signature = Signature::default();
    for _ in alphabet.atoms() {
        signature.atoms.push(AtomMeaning::Proposition);
    }
    Problem {
        name: String::new(),
        language: Language::Ltl,
        target: tsl_synth::spec::Target::Mealy,
        formulas: Formulas::new(),
        alphabet,
        clauses: IdVec::new(),
        signature,
        uninterpreted_arithmetic: false,
    }
}

/// An effect or hypothesis.
pub(crate) enum Property {
    Formula(FormulaId),
    Automaton(Buchi),
}

impl Subject {
    /// The hash of its table, as traces name it.
    pub(crate) fn id(&self) -> String {
        match &self.opponent {
            None => machine_id(&self.problem.alphabet, &self.machine),
            Some((alphabet, counter)) => counter_id(alphabet, counter),
        }
    }

    /// Whether it is a counter-strategy.
    pub(crate) fn is_opponent(&self) -> bool {
        self.opponent.is_some()
    }

    /// The alphabet of its traces.
    pub(crate) fn alphabet(&self) -> &Alphabet {
        self.opponent.as_ref().map_or(&self.problem.alphabet, |(alphabet, _)| alphabet)
    }

    /// The letters of a trace. What the environment did has to be said where it chooses.
    pub(crate) fn read(&self, text: &TraceText) -> Result<Trace, Diagnostics> {
        let openness = if self.opponent.is_some() { Openness::Open } else { Openness::Error };
        resolve_trace(self.alphabet(), text, openness)
    }

    /// The infinite play of a trace, in the alphabet of the problem.
    pub(crate) fn play(&self, trace: &Trace) -> Result<Lasso, Deviation> {
        let (strategist, default) = match &self.opponent {
            None if trace.is_finite() => return Ok(shortest_lasso(&self.continued(trace)?)),
            None => (Strategist::Mealy(&self.machine), Letter::new()),
            Some((alphabet, counter)) => (Strategist::Counter(counter), idle(alphabet)),
        };
        let run = complete(self.alphabet(), strategist, trace, Continuation::Last, &default)?;
        let word = run.lasso().expect("a trace that is continued for ever closes");
        let turned = |(alphabet, _): &(Alphabet, _)| Turned::word(alphabet, &word);
        Ok(shortest_lasso(&self.opponent.as_ref().map_or_else(|| word.clone(), turned)))
    }

    /// The play of a finite trace: the last input again and again, but for what the facts say of it, such as the value
    /// of a cell after an update.
    fn continued(&self, trace: &Trace) -> Result<Lasso, Deviation> {
        let alphabet = &self.problem.alphabet;
        let mut play = Simulation::new(alphabet, Strategist::Mealy(&self.machine));
        play.follow(trace, Continuation::Any, &Letter::new())?;
        let mut watch = Watch::new(&self.problem, &[Role::Fact]);
        for letter in play.letters() {
            watch.step(letter);
        }
        let own = |letter: &Letter| -> Letter {
            letter.iter().filter(|&bit| alphabet.owner(bit) == Player::Environment).collect()
        };
        let mut input = play.letters().last().map(own).unwrap_or_default();
        let mut seen = BTreeMap::new();
        loop {
            let (here, state) = (play.letters().len(), play.state());
            let bits: Vec<BitId> = input.iter().collect();
            let before = seen.insert((state, watch.remainder(here, Role::Fact), bits), here);
            if let Some(back) = before {
                let mut prefix = play.letters().to_vec();
                let cycle = prefix.split_off(back);
                return Ok(Lasso { prefix, cycle });
            }
            if here > trace.len() + CONTINUED {
                let what = "the continuation of the trace does not close";
                return Err(Deviation::TooLong(Limit::new(LimitKind::Size, what)));
            }
            let mut guards = Guards::new();
            let allowed = watch.allowed(&[Role::Fact], &mut guards);
            let mut inputs = play.inputs(allowed, &mut guards);
            for bit in alphabet.bits_of(Player::Environment) {
                let same = guards.literal(bit, input.contains(bit));
                if guards.intersects(inputs, same) {
                    inputs = guards.and(inputs, same);
                }
            }
            // A trace that broke a fact is told so later.
            input = guards.pick(inputs).unwrap_or(input);
            match play.step(&input) {
                Some(letter) => drop(watch.step(letter)),
                None => return Err(Deviation::Stuck { step: here, state }),
            }
        }
    }

    /// A formula, or the automaton of a file in HOA.
    pub(crate) fn property(
        &mut self,
        what: &str,
        text: &str,
        args: &ExplainArgs,
        map: &mut SourceMap,
    ) -> Result<Property, Lack> {
        if !Path::new(text).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("hoa")) {
            return self.formula(what, text, args, map).map(Property::Formula);
        }
        let source = load(Path::new(text), map)?;
        let read = read_automaton(&map.get(source).text).map_err(|e| cannot(format!("`{text}`: {e}")))?;
        let over = read.over(&self.problem.alphabet).map_err(|e| cannot(format!("`{text}`: {e}")))?;
        let automaton = emerson_lei_to_buchi(&over, MOST_STATES, &Budget::unlimited())
            .map_err(|limit| Lack::Limit(limit.to_string()))?;
        Ok(Property::Automaton(automaton))
    }

    /// A formula in the terms of the subject: TSL over the terms of a TSL specification, else LTL.
    pub(crate) fn formula(
        &mut self,
        what: &str,
        text: &str,
        args: &ExplainArgs,
        map: &mut SourceMap,
    ) -> Result<FormulaId, Lack> {
        if let (Some(spec), Language::Tsl) = (self.spec.clone(), self.problem.language) {
            return self.tsl(what, text, &spec, args, map);
        }
        let source = map.add(format!("<{what}>"), text);
        resolve_ltl(&mut self.problem, map, source).map_err(Lack::Wrong)
    }

    /// Reads the specification once more with the formula as a guarantee, so that all its names mean what they
    /// mean there.
    fn tsl(
        &mut self,
        what: &str,
        text: &str,
        spec: &Path,
        args: &ExplainArgs,
        map: &mut SourceMap,
    ) -> Result<FormulaId, Lack> {
        let main = load(spec, map)?;
        let source = map.add(format!("<{what}>"), format!("guarantee {{ {text}; }}\n"));
        let loader = ImportLoader::new(None, Some(spec));
        let files = [
            MainFile { source: main, canonical: files::canonical_name(spec) },
            MainFile { source, canonical: format!("<{what}>") },
        ];
        let options = LoadOptions { dialect: dialect(args.dialect), ..LoadOptions::default() };
        let (other, _) = load_tsl(&files, &options, map, &loader).map_err(|failure| match failure.limit {
            Some(limit) if !failure.diagnostics.has_errors() => Lack::Limit(limit.to_string()),
            _ => Lack::Wrong(failure.diagnostics),
        })?;
        let written =
            other.clauses.iter().filter(|clause| clause.span.is_some_and(|span| span.source == source));
        let parts: Vec<FormulaId> =
            written.filter(|clause| clause.role == Role::Guarantee).map(|clause| clause.formula).collect();
        let mut all = Vec::new();
        for part in parts {
            all.push(self.translated(&other, part, what)?);
        }
        Ok(self.problem.formulas.and(all))
    }

    fn translated(&mut self, other: &Problem, f: FormulaId, what: &str) -> Result<FormulaId, Lack> {
        let Problem { formulas, alphabet, .. } = &mut self.problem;
        formulas.import(&other.formulas, f, |formulas, atom| {
            let name = &other.alphabet.atoms()[atom].name;
            let known = alphabet.atoms().enumerate().find(|(_, a)| a.name == *name);
            let (known, _) = known.ok_or_else(|| {
                let message = format!("the {what} speaks of `{name}`, which the specification does not have");
                Diagnostic::error(Code::UNKNOWN_TERM, message)
            })?;
            Ok(formulas.atom(known))
        })
    }
}
