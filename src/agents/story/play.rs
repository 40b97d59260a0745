//! The turns of an agent with a synthesized controller.

use super::judge::WatchedClause;
use super::plan::{PredicateSource, QuestionContext, Story, UpdateSource};
use super::turn::{AppliedUpdate, Evaluated, Evaluation, Turn};
use super::values::{Value, Values, evaluate, stored};
use super::watch::{ControllerWatch, Reached, SafeStep};
use crate::prompts::Text;
use crate::{AnswerKind, Conversation, OracleAnswer, OracleRequest, Port, StopReason};
use tsl_synth_core::logic::{AtomId, Guard, Letter, Player};
use tsl_synth_core::model::{MonitorStateId, OnBroken, StateId};
use tsl_synth_lang::spec::AtomMeaning;

/// How an agent is run.
#[derive(Clone, Debug)]
pub struct StoryOptions {
    /// The maximal number of turns.
    pub turns: u32,
    /// The maximal number of times that a passage that fails its check is written again.
    pub regenerate: u32,
    /// The reaction to a broken assumption.
    pub on_broken: OnBroken,
    /// Whether the user is asked for a message in every turn.
    pub with_user: bool,
}

/// Observes every turn while it is played.
pub trait Audience {
    /// Called when the controller has chosen, before anything is written.
    fn decided(&mut self, _story: &Story, _turn: &Turn) {}
    /// Called at the end of the turn.
    fn finished(&mut self, _story: &Story, _turn: &Turn) {}
}

/// An audience that ignores every turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAudience;

impl Audience for NoAudience {}

/// Why an agent ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoryEnd {
    /// It played all its turns.
    Turns,
    /// The user left, or a script is at its end.
    Left(String),
    /// An assumption was broken, and that is an error by [`OnBroken::Error`].
    Broken(usize),
    /// A port gave no answer.
    Stopped(StopReason),
    /// The controller has no answer to an input: a defect of this program.
    NoAnswer,
}

/// A guarantee that was violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenGuarantee {
    /// The turn.
    pub turn: u32,
    /// The guarantee, by its number.
    pub guarantee: usize,
    /// The first turn up to this one that broke an assumption, and the assumption; `None` if the controller is to
    /// blame.
    pub broken: Option<(u32, usize)>,
    /// The first turn in which the outputs of the controller broke an assumption that others could have kept, and the
    /// assumption.
    pub given_up: Option<(u32, usize)>,
}

/// A turn that was not completed, as far as it was played, and the reason.
type Unfinished = Box<(Option<Turn>, StoryEnd)>;

/// The record of a run of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The completed turns.
    pub turns: Vec<Turn>,
    /// The turn that was not completed, as far as it was played.
    pub unfinished: Option<Turn>,
    /// Why it ended.
    pub end: StoryEnd,
}

impl Played {
    /// The violated guarantees, in order.
    pub fn violations(&self) -> Vec<BrokenGuarantee> {
        let (mut found, mut broken, mut given_up) = (Vec::new(), None, None);
        for turn in self.turns.iter().chain(&self.unfinished) {
            broken = broken.or(turn.broken.first().map(|&assumption| (turn.number, assumption)));
            given_up = given_up.or(turn.given_up.first().map(|&assumption| (turn.number, assumption)));
            let violated = turn.violated.iter();
            found.extend(violated.map(|&guarantee| BrokenGuarantee {
                turn: turn.number,
                guarantee,
                broken,
                given_up,
            }));
        }
        found
    }
}

impl Story {
    /// Runs the agent.
    pub fn play(
        &self,
        conversation: &mut Conversation<'_>,
        options: &StoryOptions,
        audience: &mut dyn Audience,
    ) -> Played {
        let mut run = SessionRun::new(self, options, conversation);
        let (mut turns, mut unfinished) = (Vec::new(), None);
        let end = loop {
            let number = u32::try_from(turns.len()).unwrap_or(u32::MAX);
            if number >= options.turns {
                break StoryEnd::Turns;
            }
            match run.turn(number, audience) {
                Ok(turn) => turns.push(turn),
                Err(stopped) => {
                    let end;
                    (unfinished, end) = *stopped;
                    break end;
                }
            }
        };
        Played { turns, unfinished, end }
    }
}

fn live(watched: &WatchedClause, state: MonitorStateId) -> Option<MonitorStateId> {
    (!watched.monitor.states[state].dead).then_some(state)
}

/// The state of a run between two turns.
pub(super) struct SessionRun<'a, 'c> {
    pub(super) story: &'a Story,
    options: &'a StoryOptions,
    pub(super) conversation: &'a mut Conversation<'c>,
    watch: ControllerWatch,
    state: StateId,
    reached: Reached,
    /// The states of the monitors of the guarantees; `None` once violated.
    kept: Reached,
    values: Values,
    pub(super) passage: String,
    pub(super) message: String,
    pub(super) summary: String,
    /// The evaluations of texts that have not changed since.
    known: Vec<(AtomId, bool)>,
}

impl<'a, 'c> SessionRun<'a, 'c> {
    /// Before the first turn.
    pub(super) fn new(
        story: &'a Story,
        options: &'a StoryOptions,
        conversation: &'a mut Conversation<'c>,
    ) -> Self {
        let watch = ControllerWatch::new(&story.problem.alphabet, &story.machine, &story.clauses);
        let (state, reached) = watch.initial();
        let guarantees = story.clauses.guarantees.iter();
        Self {
            story,
            options,
            conversation,
            watch,
            state,
            reached,
            kept: guarantees.map(|watched| live(watched, watched.monitor.initial)).collect(),
            values: story.initial(),
            passage: String::new(),
            message: String::new(),
            summary: String::new(),
            known: Vec::new(),
        }
    }
}

impl From<StopReason> for StoryEnd {
    fn from(stop: StopReason) -> Self {
        if stop.is_end() { Self::Left(stop.to_string()) } else { Self::Stopped(stop) }
    }
}

impl SessionRun<'_, '_> {
    /// Plays one turn. The error contains the part of the turn that was played, and the reason why it ended early.
    fn turn(&mut self, number: u32, audience: &mut dyn Audience) -> Result<Turn, Unfinished> {
        let story = self.story;
        let early = |stop: StopReason| Box::new((None, StoryEnd::from(stop)));
        self.message = self.ask_user(number).map_err(early)?;
        let evaluations = self.evaluations().map_err(early)?;
        let mut input = Letter::new();
        for evaluation in evaluations.iter().filter(|evaluation| evaluation.holds) {
            story.problem.alphabet.choose(evaluation.atom, &mut input);
        }
        let state = self.state;
        let Some(mut step) = self.watch.step(state, &self.reached, &input) else {
            return Err(Box::new((None, StoryEnd::NoAnswer)));
        };
        let broken = step.broken.clone();
        let mut resynchronized = false;
        if !broken.is_empty()
            && self.options.on_broken == OnBroken::Resync
            && let Some(other) = self.watch.restart(&input)
        {
            (step, resynchronized) = (other, true);
        }
        let held = !broken.is_empty() && self.options.on_broken == OnBroken::Hold;
        let refused = !broken.is_empty() && self.options.on_broken == OnBroken::Error;
        let mut turn = Turn {
            number,
            message: self.message.clone(),
            evaluations,
            because: self.because(step.from, &input, &step),
            letter: step.letter.clone(),
            state: step.from,
            next: if held || refused { state } else { step.next },
            broken,
            given_up: step.given_up.clone(),
            resynchronized,
            held: held || refused,
            violated: Vec::new(),
            made: Vec::new(),
            outputs: Vec::new(),
            summary: self.summary.clone(),
        };
        if refused {
            let first = turn.broken[0];
            audience.decided(story, &turn);
            return Err(Box::new((Some(turn), StoryEnd::Broken(first))));
        }
        if held {
            // The evaluations may be wrong: the next turn asks again.
            self.known.clear();
            audience.decided(story, &turn);
            audience.finished(story, &turn);
            return Ok(turn);
        }
        (self.state, self.reached) = (step.next, step.reached.clone());
        for (i, watched) in story.clauses.guarantees.iter().enumerate() {
            if let Some(now) = self.kept[i] {
                self.kept[i] = live(watched, watched.monitor.step(now, &step.letter));
                if self.kept[i].is_none() {
                    turn.violated.push(i);
                }
            }
        }
        let alphabet = &story.problem.alphabet;
        turn.outputs = alphabet.outputs().filter(|&atom| alphabet.holds(atom, &step.letter)).collect();
        audience.decided(story, &turn);
        match self.fill(&mut turn) {
            Ok(()) => {
                audience.finished(story, &turn);
                Ok(turn)
            }
            Err(stop) => Err(Box::new((Some(turn), stop.into()))),
        }
    }

    pub(super) fn ask_user(&mut self, number: u32) -> Result<String, StopReason> {
        if !self.options.with_user {
            return Ok(String::new());
        }
        let prompt = if self.passage.is_empty() { "What would you like?" } else { "What do you do?" };
        let request =
            OracleRequest::new(AnswerKind::Message, format!("turn {number}"), prompt).about(&self.passage);
        self.conversation.text(Port::User, &request)
    }

    /// The text that a question is about; `None` if there is none yet.
    fn text(&self, about: &QuestionContext) -> Option<String> {
        let mut parts = Vec::new();
        for cell in &about.cells {
            if let Some(value) = self.values.get(cell) {
                parts.push(value.to_string());
            }
        }
        for text in &about.texts {
            let text = match text {
                Text::Passage => &self.passage,
                Text::Message => &self.message,
                Text::Summary => &self.summary,
            };
            parts.push(text.clone());
        }
        parts.retain(|part| !part.is_empty());
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }

    /// The truth values of all predicates.
    pub(super) fn evaluations(&mut self) -> Result<Vec<Evaluation>, StopReason> {
        let mut evaluations = Vec::new();
        let story = self.story;
        for (atom, source) in &story.sources {
            let (holds, by) = self.evaluation(*atom, source)?;
            evaluations.push(Evaluation { atom: *atom, holds, by });
        }
        self.known.clear();
        Ok(evaluations)
    }

    fn evaluation(
        &mut self,
        atom: AtomId,
        source: &PredicateSource,
    ) -> Result<(bool, Evaluated), StopReason> {
        let signature = &self.story.problem.signature;
        match source {
            PredicateSource::Compute(term) => {
                let value = evaluate(signature, *term, &self.values);
                Ok((value == Some(Value::Bool(true)), Evaluated::Computed))
            }
            PredicateSource::AtLeast(cell, least) => {
                let holds = matches!(self.values.get(cell), Some(Value::Int(value)) if value >= least);
                Ok((holds, Evaluated::Computed))
            }
            PredicateSource::Ask { port, question, about } => {
                if let Some(&(_, holds)) = self.known.iter().find(|(known, _)| *known == atom) {
                    return Ok((holds, Evaluated::Asked));
                }
                let text = match self.text(about) {
                    Some(text) => text,
                    None if *port == Port::Evaluator => return Ok((false, Evaluated::NoText)),
                    None => String::new(),
                };
                let prompt = join(&[&self.story.prompts.evaluator.prompt, question, &text]);
                let request =
                    OracleRequest::new(AnswerKind::Predicate, self.story.name(atom), prompt).about(text);
                let answer = self.conversation.ask(*port, &request)?;
                Ok((answer == OracleAnswer::Truth(true), Evaluated::Asked))
            }
        }
    }

    /// A subset of the evaluations that determines these outputs in this state, reduced by dropping one evaluation
    /// after another as long as it does.
    fn because(&self, state: StateId, input: &Letter, step: &SafeStep) -> Vec<(AtomId, bool)> {
        let alphabet = &self.story.problem.alphabet;
        let mut guards = alphabet.guards();
        let machine = &self.story.machine;
        let mut same = Guard::FALSE;
        for edge in &machine.states[state].edges {
            let output = |bit| step.letter.contains(bit) == edge.output.contains(bit);
            if alphabet.bits_of(Player::System).all(output) {
                let read = machine.guards.copy_into(edge.guard, &mut guards);
                same = guards.or(same, read);
            }
        }
        let mut enough: Vec<(AtomId, bool)> =
            alphabet.inputs().map(|atom| (atom, alphabet.holds(atom, input))).collect();
        let mut i = enough.len();
        while i > 0 {
            i -= 1;
            let mut fewer = enough.clone();
            fewer.remove(i);
            let mut cube = Guard::TRUE;
            for &(atom, holds) in &fewer {
                let literal = alphabet.guard(atom, &mut guards);
                let literal = if holds { literal } else { guards.not(literal) };
                cube = guards.and(cube, literal);
            }
            if guards.implies(cube, same) {
                enough = fewer;
            }
        }
        enough
    }

    /// Fills in the content of all updates. They read the old values and take effect together.
    pub(super) fn fill(&mut self, turn: &mut Turn) -> Result<(), StopReason> {
        let story = self.story;
        let alphabet = &story.problem.alphabet;
        let mut after = self.values.clone();
        let mut passage = None;
        for (cell, atom, content) in &story.contents {
            if !alphabet.holds(*atom, &turn.letter) {
                continue;
            }
            let (mut generated, mut discarded) = (false, 0);
            let value = match content {
                UpdateSource::Keep => continue,
                UpdateSource::Compute(term) => evaluate(&story.problem.signature, *term, &self.values)
                    .map(|value| stored(&story.problem.signature, *cell, value)),
                UpdateSource::Copy(text) => {
                    self.text(&QuestionContext { cells: Vec::new(), texts: vec![*text] }).map(Value::Text)
                }
                UpdateSource::Generate { .. } => {
                    let text;
                    (text, discarded) = self.passage(*cell, *atom, content)?;
                    generated = true;
                    passage = Some(text.clone());
                    Some(Value::Text(text))
                }
            };
            // A value that cannot be computed leaves the cell as it is.
            let Some(value) = value.or_else(|| self.values.get(cell).cloned()) else { continue };
            after.insert(*cell, value.clone());
            let AtomMeaning::Update(_, term) = story.problem.signature.atoms[*atom] else { continue };
            turn.made.push(AppliedUpdate {
                atom: *atom,
                cell: story.problem.signature.symbols[*cell].name.clone(),
                term: story.problem.signature.display(term),
                value,
                generated,
                discarded,
            });
        }
        self.values = after;
        // With several new texts, each changes the context in which the others were evaluated.
        if turn.made.iter().filter(|made| made.generated).count() > 1 {
            self.known.clear();
        }
        if let Some(passage) = passage {
            self.passage = passage;
            self.renew_summary()?;
        }
        turn.summary.clone_from(&self.summary);
        Ok(())
    }

    fn renew_summary(&mut self) -> Result<(), StopReason> {
        let Some(summary) = &self.story.prompts.generator.summary else { return Ok(()) };
        let prompt = join(&[
            summary,
            &titled("The story so far:", &self.summary),
            &titled("What came then:", &self.passage),
        ]);
        let request = OracleRequest::new(AnswerKind::Generate, "summary", prompt).about(&self.passage);
        self.summary = self.conversation.text(Port::Generator, &request)?;
        Ok(())
    }

    /// A new passage, and how many were discarded before it.
    fn passage(
        &mut self,
        cell: tsl_synth_lang::spec::SymbolId,
        atom: AtomId,
        content: &UpdateSource,
    ) -> Result<(String, u32), StopReason> {
        let story = self.story;
        let AtomMeaning::Update(_, term) = story.problem.signature.atoms[atom] else {
            return Ok(Default::default());
        };
        let subject = story.problem.signature.display(term);
        let UpdateSource::Generate { port, prompt, cells } = content else { return Ok(Default::default()) };
        let mut parts = vec![prompt.clone()];
        if *port == Port::Generator {
            parts.insert(0, story.prompts.generator.prompt.clone());
        }
        for read in cells {
            let name = &story.problem.signature.symbols[*read].name;
            let value = self.values.get(read).map(Value::to_string).unwrap_or_default();
            parts.push(titled(&format!("{name}:"), &value));
        }
        if story.prompts.generator.summary.is_some() {
            parts.push(titled("The story so far:", &self.summary));
        } else if cells.is_empty() {
            parts.push(titled("What was written before:", &self.passage));
        }
        parts.push(titled("The user says:", &self.message));
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let kind = match port {
            Port::World => AnswerKind::Act,
            Port::User => AnswerKind::Message,
            _ => AnswerKind::Generate,
        };
        let request = OracleRequest::new(kind, subject, join(&parts)).about(&self.message);
        let mut discarded = 0;
        loop {
            self.known.clear();
            let text = self.conversation.text(*port, &request)?;
            // An action in the world or a message of the user cannot be undone.
            if self.options.regenerate == 0 || *port != Port::Generator {
                return Ok((text, discarded));
            }
            let (good, known) = self.check(cell, atom, &text)?;
            if good || discarded >= self.options.regenerate {
                self.known = known;
                return Ok((text, discarded));
            }
            discarded += 1;
        }
    }

    /// Whether a passage passes the check of its update and each assumption is kept by some next letter with its
    /// evaluations; and these evaluations.
    fn check(
        &mut self,
        cell: tsl_synth_lang::spec::SymbolId,
        atom: AtomId,
        text: &str,
    ) -> Result<(bool, Vec<(AtomId, bool)>), StopReason> {
        let story = self.story;
        let old_passage = std::mem::replace(&mut self.passage, text.to_string());
        let old_value = self.values.insert(cell, Value::Text(text.to_string()));
        let mut known = Vec::new();
        let mut stopped = None;
        for (predicate, source) in &story.sources {
            let PredicateSource::Ask { about, .. } = source else { continue };
            let says = about.cells.contains(&cell) || about.texts.contains(&Text::Passage);
            let depends = about.texts.iter().any(|text| *text != Text::Passage)
                || about.cells.iter().any(|other| *other != cell);
            if !says || depends {
                continue;
            }
            match self.evaluation(*predicate, source) {
                Ok((holds, _)) => known.push((*predicate, holds)),
                Err(stop) => {
                    stopped = Some(stop);
                    break;
                }
            }
        }
        self.passage = old_passage;
        match old_value {
            Some(value) => self.values.insert(cell, value),
            None => self.values.remove(&cell),
        };
        if let Some(stop) = stopped {
            return Err(stop);
        }
        let of_update = story.checks.iter().filter(|(update, _)| *update == atom);
        let own = of_update.map(|(_, predicate)| predicate);
        let own = own.filter(|predicate| known.iter().any(|(known, _)| known == *predicate));
        let kept = own.clone().all(|predicate| known.contains(&(*predicate, true)));
        let good = kept && self.watch.may_go_on(&self.reached, &known);
        Ok((good, known))
    }
}

/// The parts that are not empty, with an empty line between them.
fn join(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// A text under a title; nothing for an empty text.
fn titled(title: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{title}\n{text}") }
}
