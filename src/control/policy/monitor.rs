//! One session of a policy: events in, letters and verdicts out.

use super::compiled::CompiledPolicy;
use super::game::Conjunction;
use super::interpret::{Fault, Interpreter, Told};
use super::program::{BoundLetter, Last, Program};
use super::world::{PendingCall, SeenLetter, World};
use crate::logic::Letter;
use crate::model::{HostEvent, Outcome, Standing};
use crate::spec::policy::{ActionId, Atom, LawId, LawKind, Timing, TraceMode};

/// More possible states than this are not told apart: what then follows is undecidable.
const MAX_WORLDS: usize = 64;

/// How a law stands, in the worst and the best of the possible states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingRange {
    /// In the worst.
    pub worst: Standing,
    /// In the best.
    pub best: Standing,
}

impl StandingRange {
    /// How it stands, if that is sure.
    pub fn sure(self) -> Option<Standing> {
        (self.worst == self.best).then_some(self.worst)
    }
}

/// What came of one event.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The letters, in one of the possible orders.
    pub letters: Vec<SeenLetter>,
    /// Whether no table names the call.
    pub unmatched: bool,
    /// What is wrong with the event.
    pub faults: Vec<Fault>,
    /// Whether the agent wants to stop.
    pub ends: bool,
    /// Whether the session is over.
    pub closes: bool,
}

/// A session of a policy.
#[derive(Debug)]
pub struct PolicyMonitor<'p> {
    compiled: &'p CompiledPolicy,
    interpreter: Interpreter<'p>,
    worlds: Vec<World>,
    /// Truths that are not in a letter yet, for one letter an action; the letter in the making where the action comes first.
    gathered: Option<BoundLetter>,
    /// The truths of the last letter, for letters at changes.
    truths: Option<Letter>,
    /// Whether the possible states were too many.
    lost: bool,
    /// Tells where no continuation keeps all hard laws, though each has one.
    conjunction: Option<&'p Conjunction>,
}

impl<'p> PolicyMonitor<'p> {
    /// A session that begins.
    pub fn new(compiled: &'p CompiledPolicy) -> Self {
        Self {
            compiled,
            interpreter: Interpreter::new(compiled),
            worlds: vec![World::new(compiled)],
            gathered: None,
            truths: None,
            lost: false,
            conjunction: None,
        }
    }
    /// With the question solved whether all hard laws can still be kept; without it the conjunction stands as its worst law.
    pub fn with_conjunction(self, conjunction: Option<&'p Conjunction>) -> Self {
        Self { conjunction, ..self }
    }
    /// The possible states.
    pub fn worlds(&self) -> &[World] {
        &self.worlds
    }
    /// Whether the possible states were too many to be followed.
    pub fn is_lost(&self) -> bool {
        self.lost
    }
    /// How a law stands.
    pub fn standing(&self, law: LawId) -> StandingRange {
        let all = self.worlds.iter().map(|world| world.standing(self.compiled, law));
        let (mut worst, mut best) = (Standing::Satisfied, Standing::Violated);
        for one in all {
            (worst, best) = (worst.min(one), best.max(one));
        }
        if self.lost && !best.is_final() {
            (worst, best) = (Standing::Violated, Standing::Satisfied);
        }
        StandingRange { worst, best }
    }

    /// How the conjunction of all hard laws stands: no worse than its worst law, and violated where no continuation keeps all
    /// of them.
    pub fn joint(&self) -> StandingRange {
        let hard = self.compiled.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Hard);
        let (mut worst, mut best) = (Standing::Satisfied, Standing::Satisfied);
        for (id, _) in hard {
            let own = self.standing(id);
            (worst, best) = (worst.min(own.worst), best.min(own.best));
        }
        if let Some(conjunction) = self.conjunction.filter(|_| worst != Standing::Violated) {
            let dead = |world: &&World| {
                let states: Vec<u32> =
                    conjunction.laws().iter().map(|&law| world.law(law).some_state()).collect();
                conjunction.standing(self.compiled, &states) == Standing::Violated
            };
            let lost = self.worlds.iter().filter(dead).count();
            if lost > 0 {
                worst = Standing::Violated;
            }
            if lost == self.worlds.len() {
                best = Standing::Violated;
            }
        }
        StandingRange { worst, best }
    }

    /// Reads an event.
    pub fn event(&mut self, event: &HostEvent<'_>) -> Step {
        let mut step = Step::default();
        let told = self.interpreter.read(event, &mut step.faults);
        match told {
            Told::Nothing => {}
            Told::Call { call, program, unmatched } => {
                step.unmatched = unmatched.is_some();
                self.call(call, &program, event.time, &mut step);
            }
            Told::Result { call, outcome, letter } => {
                self.result(call, outcome, &letter, event.time, &mut step);
            }
            Told::Truths { letter, complete } => self.truths(letter, complete, event.time, &mut step),
            Told::Step { letter, action, ends } => {
                self.step(letter, action, event.time, &mut step);
                if ends {
                    step.ends = true;
                    self.flush(event.time, &mut step);
                }
            }
            Told::End => {
                step.ends = true;
                self.flush(event.time, &mut step);
            }
            Told::Close => {
                step.closes = true;
                self.flush(event.time, &mut step);
            }
        }
        step
    }

    /// Truths that wait for an action become a letter.
    fn flush(&mut self, time: Option<i64>, step: &mut Step) {
        if let Some(letter) = self.gathered.take()
            && !(letter.letter.is_empty() && self.compiled.policy.timing == Timing::Same)
        {
            self.emit(&letter, time, step);
        }
    }

    /// A step of all worlds with one letter.
    fn emit(&mut self, letter: &BoundLetter, time: Option<i64>, step: &mut Step) {
        for (i, world) in self.worlds.iter_mut().enumerate() {
            let seen = world.step(self.compiled, letter, time);
            if i == 0 {
                step.letters.push(seen);
            }
        }
    }

    fn truths(&mut self, letter: BoundLetter, complete: bool, time: Option<i64>, step: &mut Step) {
        let policy = &self.compiled.policy;
        match policy.trace {
            TraceMode::PerEvent => self.emit(&letter, time, step),
            TraceMode::PerAction => {
                let gathered = self.gathered.get_or_insert_default();
                join(gathered, letter, complete, self.compiled);
            }
            TraceMode::StateChange => {
                let before = self.truths.clone();
                let mut now = before.clone().unwrap_or_default();
                if complete {
                    now = letter.letter.clone();
                } else {
                    for bit in letter.letter.iter() {
                        // What is cleared is not listed; see below.
                        now.insert(bit);
                    }
                }
                for (id, _) in policy.atoms.propositions.enumerate() {
                    let (set, clear) =
                        (policy.atoms.bit(Atom::Proposition(id)), policy.atoms.bit(Atom::Clear(id)));
                    if letter.letter.contains(clear) {
                        now.remove(set);
                    }
                }
                if before.as_ref() != Some(&now) {
                    self.truths = Some(now.clone());
                    let letter = BoundLetter { letter: now, ..letter };
                    self.emit(&letter, time, step);
                }
            }
        }
    }

    /// A step of a trace: one letter with truths and action, and after it the outcome, where some law asks for it. Where each
    /// letter is of one action, the truths are those before the action.
    fn step(&mut self, letter: BoundLetter, action: Option<ActionId>, time: Option<i64>, step: &mut Step) {
        let atoms = &self.compiled.policy.atoms;
        let mut call = BoundLetter::default();
        let mut outcome = BoundLetter::default();
        if let Some(action) = action {
            call.letter.insert(atoms.bit(Atom::Call(action)));
            outcome.letter.insert(atoms.bit(Atom::Result(action, Outcome::Ok)));
        }
        let wants_outcome = action.is_some_and(|action| self.compiled.reads_outcome(action));
        match self.compiled.policy.trace {
            TraceMode::PerAction => {
                self.truths(letter, true, time, step);
                if action.is_some() {
                    self.call(0, &Program::one(call, Vec::new()), time, step);
                    for world in &mut self.worlds {
                        world.pending.pop();
                    }
                    join(self.gathered.get_or_insert_default(), outcome, false, self.compiled);
                }
            }
            TraceMode::StateChange => self.truths(letter, true, time, step),
            TraceMode::PerEvent => {
                let mut whole = letter;
                join(&mut whole, call, false, self.compiled);
                self.emit(&whole, time, step);
                if wants_outcome {
                    self.emit(&outcome, time, step);
                }
            }
        }
    }

    fn call(&mut self, call: u64, program: &Program, time: Option<i64>, step: &mut Step) {
        let policy = &self.compiled.policy;
        if program.is_silent() {
            for world in &mut self.worlds {
                world.pending.push(PendingCall {
                    call,
                    last: Last::with(0, Vec::new()),
                    bindings: Vec::new(),
                });
            }
            return;
        }
        if let (TraceMode::PerAction, Some(own)) = (policy.trace, program.only_letter()) {
            let mut own = own.clone();
            let last = program.last.first().cloned().unwrap_or_else(|| Last::with(0, Vec::new()));
            let bindings = own.bindings.clone();
            if policy.timing == Timing::Next {
                // The letter of the action before is complete; this action joins the truths to come.
                self.flush(time, step);
                self.gathered = Some(own);
            } else {
                if let Some(gathered) = self.gathered.take() {
                    let own_bits = own;
                    own = gathered;
                    join(&mut own, own_bits, false, self.compiled);
                }
                self.emit(&own, time, step);
            }
            for world in &mut self.worlds {
                world.pending.push(PendingCall { call, last: last.clone(), bindings: bindings.clone() });
            }
            return;
        }
        let truths = self.truths.clone().filter(|_| policy.trace == TraceMode::StateChange);
        let worlds = std::mem::take(&mut self.worlds);
        for (i, world) in worlds.into_iter().enumerate() {
            let mut letters = Vec::new();
            self.run(&world, call, program, truths.as_ref(), time, &mut letters);
            if i == 0 {
                step.letters.append(&mut letters);
            }
        }
        self.reduce();
    }

    /// All worlds that a program leads to.
    fn run(
        &mut self,
        from: &World,
        call: u64,
        program: &Program,
        truths: Option<&Letter>,
        time: Option<i64>,
        letters: &mut Vec<SeenLetter>,
    ) {
        let bindings = program.arrows.iter().flatten().find_map(|arrow| arrow.letter.as_ref());
        let bindings = bindings.map_or_else(Vec::new, |letter| letter.bindings.clone());
        // A state of the program, a world, and the letters on the way there.
        let mut seen: Vec<(usize, World, Vec<SeenLetter>)> = vec![(0, from.clone(), Vec::new())];
        let mut done = 0;
        let mut told = false;
        while done < seen.len() {
            let (state, world, way) = seen[done].clone();
            done += 1;
            for last in program.last.iter().filter(|last| last.state == state) {
                let mut world = world.clone();
                world.pending.push(PendingCall { call, last: last.clone(), bindings: bindings.clone() });
                self.worlds.push(world);
                if !told {
                    letters.clone_from(&way);
                    told = true;
                }
            }
            for arrow in &program.arrows[state] {
                let (mut next, mut way) = (world.clone(), way.clone());
                if let Some(letter) = &arrow.letter {
                    let mut letter = letter.clone();
                    for bit in truths.iter().flat_map(|truths| truths.iter()) {
                        letter.letter.insert(bit);
                    }
                    way.push(next.step(self.compiled, &letter, time));
                }
                let known = seen.iter().any(|(at, other, _)| *at == arrow.to && other.same(&next));
                if !known && seen.len() < 4 * MAX_WORLDS {
                    seen.push((arrow.to, next, way));
                } else if !known {
                    self.lost = true;
                }
            }
        }
    }

    /// Keeps one of equal worlds.
    fn reduce(&mut self) {
        let mut kept: Vec<World> = Vec::new();
        for world in self.worlds.drain(..) {
            if !kept.iter().any(|other| other.same(&world)) {
                kept.push(world);
            }
        }
        self.lost |= kept.len() > MAX_WORLDS;
        kept.truncate(MAX_WORLDS);
        self.worlds = kept;
    }

    fn result(
        &mut self,
        call: Option<u64>,
        outcome: Outcome,
        letter: &BoundLetter,
        time: Option<i64>,
        step: &mut Step,
    ) {
        let policy = &self.compiled.policy;
        let mut worlds = std::mem::take(&mut self.worlds);
        let mut told = None;
        // A world in which the call cannot have ended so is none.
        let ends_so = |world: &World| {
            let pending = world.pending.iter().find(|one| Some(one.call) == call);
            pending.is_none_or(|pending| pending.last.outcome(outcome).is_some())
        };
        if worlds.iter().any(ends_so) {
            worlds.retain(ends_so);
        }
        for (i, world) in worlds.iter_mut().enumerate() {
            let place = world.pending.iter().position(|one| Some(one.call) == call);
            let pending = place.map(|place| world.pending.remove(place));
            let mut own = letter.clone();
            for last in pending.iter().map(|pending| &pending.last) {
                let own_outcome = last.outcome(outcome).unwrap_or(outcome);
                for &action in &last.actions {
                    own.letter.insert(policy.atoms.bit(Atom::Result(action, own_outcome)));
                }
            }
            if own.letter.is_empty() {
                continue;
            }
            match policy.trace {
                TraceMode::PerAction => told = Some(own),
                TraceMode::PerEvent | TraceMode::StateChange => {
                    for bit in self.truths.iter().flat_map(Letter::iter) {
                        own.letter.insert(bit);
                    }
                    let seen = world.step(self.compiled, &own, time);
                    if i == 0 {
                        step.letters.push(seen);
                    }
                }
            }
        }
        self.worlds = worlds;
        self.reduce();
        if let Some(own) = told {
            join(self.gathered.get_or_insert_default(), own, false, self.compiled);
        }
    }
    /// The actions of a letter, by name.
    pub fn actions_of(&self, letter: &Letter) -> Vec<ActionId> {
        let atoms = &self.compiled.policy.atoms;
        atoms.actions.ids().filter(|&id| letter.contains(atoms.bit(Atom::Call(id)))).collect()
    }
}

/// Adds truths to a letter; what is cleared is no longer set, and the other way round. Where all truths of the world are told,
/// those told before are forgotten.
fn join(into: &mut BoundLetter, more: BoundLetter, complete: bool, compiled: &CompiledPolicy) {
    let atoms = &compiled.policy.atoms;
    for id in atoms.propositions.ids() {
        let (set, clear) = (atoms.bit(Atom::Proposition(id)), atoms.bit(Atom::Clear(id)));
        if complete || more.letter.contains(clear) {
            into.letter.remove(set);
        }
        if complete || more.letter.contains(set) {
            into.letter.remove(clear);
        }
    }
    for bit in more.letter.iter() {
        into.letter.insert(bit);
    }
    for (name, value) in more.bindings {
        if !into.bindings.iter().any(|(own, _)| *own == name) {
            into.bindings.push((name, value));
        }
    }
    into.bindings.sort();
    into.amounts.extend(more.amounts);
}
