//! `simulate`: a machine played by hand, from a script, or at random; an unrealizable specification from the
//! losing side.

mod session;
mod show;

use crate::args::{SimulateArgs, TraceFormat};
use crate::exit::Exit;
use crate::machine::same;
use crate::output;
use crate::played::{self, Played};
use crate::terminal::{self, print, say};
use crate::{files, project, supervise, text};
use std::path::Path;
use tsl_synth::base::{Limit, LimitKind, Random};
use tsl_synth::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth::explain::{Watch, idle};
use tsl_synth::format::trace::read_trace;
use tsl_synth::logic::{Alphabet, AtomKind, Guard, Guards, Letter, Player};
use tsl_synth::mealy::{Deviation, Simulation, Strategist, choice};
use tsl_synth::model::{Observation, Role, Trace};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::{Openness, resolve_trace};
use tsl_synth::wire::{AnyStrategy, TraceDocument};

/// Random outputs tried for one that the system may choose.
const TRIES: usize = 200;
/// Rounds of a cycle, or random steps, before a run is taken not to close.
const ROUNDS: usize = 10_000;

/// Runs the verb.
pub(crate) fn run(mut args: SimulateArgs) -> Exit {
    if let Err(message) = project::complete(&mut args.input, &mut args.engine) {
        return output::wrong(&message);
    }
    let stdin = args.input.specs.iter().filter(|path| files::is_stdin(path)).count();
    let script_stdin = args.script.as_deref().is_none_or(files::is_stdin) && args.random.is_none();
    if stdin > 0 && script_stdin {
        return output::wrong("standard input cannot be both the specification and the letters");
    }
    let subject = match played::load(&args.input, &args.engine, &args.output) {
        Ok(subject) => subject,
        Err(exit) => return exit,
    };
    // Terms are parsed here too.
    match supervise::on_large_stack(|| play(&args, &subject)) {
        Ok(exit) => exit,
        Err(panic) => output::internal(&panic),
    }
}

fn play(args: &SimulateArgs, subject: &Played) -> Exit {
    let mut table = Table::new(args, subject);
    if !args.output.quiet {
        table.tell(&show::heading(subject));
    }
    let played = match (&args.script, args.random) {
        (Some(script), _) => table.script(script),
        (None, Some(steps)) => table.random(steps as usize),
        (None, None) => session::play(&mut table),
    };
    if let Err(exit) = played {
        return exit;
    }
    if let Err(message) = table.deliver() {
        return output::wrong(&message);
    }
    Exit::Yes
}

/// A play with everything that is said about it.
pub(super) struct Table<'a> {
    args: &'a SimulateArgs,
    subject: &'a Played,
    play: Simulation<'a>,
    watch: Option<Watch<'a>>,
    /// What a choice is where it is left open.
    default: Letter,
    random: Random,
    /// Where the play goes on after its last step.
    back: Option<usize>,
}

impl<'a> Table<'a> {
    fn new(args: &'a SimulateArgs, subject: &'a Played) -> Self {
        let strategist = match &subject.strategy {
            AnyStrategy::Mealy(mealy) => Strategist::Mealy(mealy),
            AnyStrategy::Counter(counter) => Strategist::Counter(counter),
        };
        let play = Simulation::new(&subject.alphabet, strategist);
        let default = match play.chooser() {
            Player::Environment => Letter::new(),
            Player::System => idle(&subject.alphabet),
        };
        let roles = [Role::Fact, Role::Restriction, Role::Assumption, Role::Guarantee];
        let watch = subject.problem.as_ref().map(|problem| Watch::new(problem, &roles));
        let random = Random::new(args.engine.seed.unwrap_or(0));
        Self { args, subject, play, watch, default, random, back: None }
    }
    fn alphabet(&self) -> &'a Alphabet {
        &self.subject.alphabet
    }
    /// Says something about the play: on standard output, unless that is for the trace.
    fn tell(&self, text: &str) {
        if self.args.format == TraceFormat::Json {
            if !self.args.output.quiet {
                say(text);
            }
        } else {
            // A reader that went away is seen when the trace is delivered.
            let _ = print(text);
        }
    }
    /// Takes a step and tells it. `false` if the strategy has no answer.
    fn step(&mut self, choice: &Letter) -> bool {
        let (number, from) = (self.play.letters().len(), self.play.state());
        let Some(letter) = self.play.step(choice).cloned() else {
            self.tell(&format!("{number:>4}  {}: no answer\n", self.subject.name(from)));
            return false;
        };
        let mut line = show::step(self.subject, number, (from, self.play.state()), &letter);
        if let (Some(watch), Some(problem)) = (&mut self.watch, &self.subject.problem) {
            for lost in watch.step(&letter) {
                line.push_str(&show::lost(problem, &self.subject.map, lost));
            }
        }
        self.tell(&line);
        true
    }
    fn back(&mut self, steps: usize) {
        self.play.back(steps);
        if let Some(watch) = &mut self.watch {
            watch.back(steps);
        }
    }
    /// The input letters that keep the facts, and the assumptions too if there are such.
    fn inputs(&self, assumptions: bool, guards: &mut Guards) -> Guard {
        let Some(watch) = &self.watch else { return Guard::TRUE };
        let mut allowed = watch.allowed(&[Role::Fact], guards);
        if assumptions {
            let kept = watch.allowed(&[Role::Assumption], guards);
            allowed = guards.and(allowed, kept);
        }
        self.play.inputs(allowed, guards)
    }
    /// A random choice that keeps facts, and assumptions if asked. Tells if there is none.
    fn choose(&mut self) -> Letter {
        if self.play.chooser() == Player::System {
            return self.choose_outputs();
        }
        let mut guards = Guards::new();
        let mut inputs = self.inputs(self.args.respect_assumptions, &mut guards);
        if inputs == Guard::FALSE {
            let step = self.play.letters().len();
            if self.args.respect_assumptions {
                self.tell(&format!("      no input keeps all assumptions in step {step}\n"));
            }
            inputs = self.inputs(false, &mut guards);
        }
        self.play.random_input(inputs, &guards, &mut self.random)
    }
    /// Random outputs that the system may choose.
    fn choose_outputs(&mut self) -> Letter {
        let mut choice = self.play.random_choice(&mut self.random);
        for _ in 0..TRIES {
            let (Some(watch), Some(problem)) = (&mut self.watch, &self.subject.problem) else { break };
            let Some((letter, _)) = self.play.peek(&choice) else { break };
            let lost = watch.lost(&letter);
            let bad = |&id| match problem.clauses[id].role {
                Role::Restriction => true,
                Role::Assumption => self.args.respect_assumptions,
                Role::Fact | Role::Guarantee => false,
            };
            if !lost.iter().any(bad) {
                break;
            }
            choice = self.play.random_choice(&mut self.random);
        }
        choice
    }
    /// The choice that an observation means: what it leaves open is as the facts want it, else false; cells
    /// keep their values.
    fn complete(&self, given: &Observation) -> Letter {
        let alphabet = self.alphabet();
        if self.play.chooser() == Player::Environment {
            let mut guards = Guards::new();
            let mut inputs = self.inputs(false, &mut guards);
            for atom in alphabet.inputs() {
                if let (Some(value), AtomKind::Input(bit)) = (given.value(atom), alphabet.atoms()[atom].kind)
                {
                    let literal = guards.literal(bit, value);
                    inputs = guards.and(inputs, literal);
                }
            }
            if let Some(letter) = guards.pick(inputs) {
                return letter;
            }
        }
        choice(alphabet, self.play.chooser(), given, &self.default)
    }
    /// Takes the step that an observation means.
    ///
    /// # Errors
    /// What the strategy does instead.
    fn observe(&mut self, given: &Observation) -> Result<(), Deviation> {
        let choice = self.complete(given);
        let (step, state) = (self.play.letters().len(), self.play.state());
        let Some((letter, _)) = self.play.peek(&choice) else { return Err(Deviation::Stuck { step, state }) };
        if let Some(atom) = given.differs(self.alphabet(), &letter) {
            return Err(Deviation::Outputs { step, state, atom, expected: letter, given: given.clone() });
        }
        self.step(&choice);
        Ok(())
    }
    fn random(&mut self, steps: usize) -> Result<(), Exit> {
        for _ in 0..steps {
            let choice = self.choose();
            if !self.step(&choice) {
                return Err(Exit::No);
            }
        }
        if self.args.close && steps > 0 {
            for _ in 0..ROUNDS {
                if self.recurrence().is_some() {
                    break;
                }
                let choice = self.choose();
                if !self.step(&choice) {
                    return Err(Exit::No);
                }
            }
            self.close();
        }
        Ok(())
    }
    /// The first step before which everything was as it is now: the state of the machine, and what the facts
    /// ask (the values of Boolean cells, say).
    fn recurrence(&self) -> Option<usize> {
        let states = self.play.states();
        let here = self.play.letters().len();
        let facts = |step| self.watch.as_ref().map(|watch| watch.remainder(step, Role::Fact));
        let now = facts(here);
        (0..here).find(|&step| states[step] == states[here] && facts(step) == now)
    }
    /// Notes where the play goes on, if the state was there before.
    fn close(&mut self) {
        self.back = self.recurrence();
        match self.back {
            Some(back) => self.tell(&format!("      and again from step {back}\n")),
            None => self.tell("      no state was there before: the trace stays finite\n"),
        }
    }
    fn script(&mut self, path: &Path) -> Result<(), Exit> {
        let mut map = SourceMap::new();
        let color = terminal::wants_color(self.args.output.color);
        let wrong = |diagnostics: &Diagnostics, map: &SourceMap| {
            say(&text::render(diagnostics.iter(), map, color));
            Exit::Wrong
        };
        let source = files::load(path, &mut map).map_err(|diagnostic| match diagnostic {
            Some(diagnostic) => {
                let mut diagnostics = Diagnostics::new();
                diagnostics.push(diagnostic);
                wrong(&diagnostics, &map)
            }
            None => output::wrong(&format!(
                "`{}` is larger than {} MiB",
                files::shown(path),
                files::MAX_INPUT >> 20
            )),
        })?;
        let trace = read_trace(&map, source).map_err(|found| wrong(&found, &map))?;
        if let Err(diagnostic) = same(&trace, &self.subject.id) {
            let mut diagnostics = Diagnostics::new();
            diagnostics.push(diagnostic);
            return Err(wrong(&diagnostics, &map));
        }
        // Documents are exact; what is typed is short.
        let typed = !map.get(source).text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']);
        let exact = !typed && self.play.chooser() == Player::Environment;
        let openness = if exact { Openness::Error } else { Openness::Open };
        let word = resolve_trace(self.alphabet(), &trace, openness).map_err(|found| wrong(&found, &map))?;
        match self.follow(&word) {
            Ok(()) => Ok(()),
            Err(Deviation::TooLong(limit)) => {
                say(&format!("unknown: {limit}\n"));
                Err(Exit::Unknown)
            }
            Err(deviation) => {
                let letters: Vec<_> = trace.prefix.iter().chain(&trace.cycle).collect();
                let (step, message) = show::deviation(self.subject, &deviation);
                let of_cycle = step.checked_sub(trace.prefix.len()).map(|n| n % trace.cycle.len().max(1));
                let place = of_cycle.map_or(step, |n| trace.prefix.len() + n);
                let mut diagnostic = Diagnostic::error(Code::NO_RUN, message);
                if let Some(letter) = letters.get(place) {
                    diagnostic = diagnostic.at(letter.span, "this letter");
                }
                let mut diagnostics = Diagnostics::new();
                diagnostics.push(diagnostic);
                Err(wrong(&diagnostics, &map))
            }
        }
    }
    /// Plays a word; its cycle until everything is as it was at the beginning of some round.
    fn follow(&mut self, word: &Trace) -> Result<(), Deviation> {
        for letter in &word.prefix {
            self.observe(letter)?;
        }
        let mut cycle = word.cycle.clone();
        if cycle.is_empty() && self.args.close {
            cycle.extend(word.prefix.last().map(|last| self.chosen(last)));
        }
        let mut begun: Vec<usize> = Vec::new();
        while !cycle.is_empty() {
            let here = self.play.letters().len();
            let facts = |step| self.watch.as_ref().map(|watch| watch.remainder(step, Role::Fact));
            let (states, now) = (self.play.states(), facts(here));
            if let Some(&back) = begun.iter().find(|&&b| states[b] == states[here] && facts(b) == now) {
                self.back = Some(back);
                self.tell(&format!("      and again from step {back}\n"));
                break;
            }
            if begun.len() >= ROUNDS {
                let what = format!("the run on the trace does not close within {ROUNDS} rounds");
                return Err(Deviation::TooLong(Limit::new(LimitKind::Size, what)));
            }
            begun.push(here);
            for letter in &cycle {
                self.observe(letter)?;
            }
        }
        Ok(())
    }
    /// What an observation says of the chooser.
    fn chosen(&self, given: &Observation) -> Observation {
        let mut chosen = Observation::default();
        for atom in self.alphabet().atoms().ids() {
            if let Some(value) =
                given.value(atom).filter(|_| self.alphabet().player(atom) == self.play.chooser())
            {
                chosen.say(atom, value);
            }
        }
        chosen
    }
    /// The trace so far as a document for a file in this folder.
    fn document(&self, folder: &Path) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let mut document = TraceDocument::new(version, self.alphabet(), self.play.letters(), self.back);
        let path = self.subject.path.as_deref().map(|path| show::relative(folder, path));
        match self.subject.problem {
            Some(_) => document.spec = path,
            None => document.machine = path,
        }
        document.machine_id = Some(self.subject.id.clone());
        show::document(&document)
    }
    /// Writes the trace.
    fn save(&self, path: &Path) -> Result<(), String> {
        output::write_file(path, self.document(path.parent().unwrap_or(Path::new(""))))
    }
    fn deliver(&self) -> Result<(), String> {
        if let Some(path) = self.args.output.output.as_deref().filter(|path| !files::is_stdin(path)) {
            self.save(path)?;
        }
        if self.args.format == TraceFormat::Json {
            print(&self.document(Path::new("")))
                .map_err(|e| format!("cannot write to standard output: {e}"))?;
        }
        Ok(())
    }
}
