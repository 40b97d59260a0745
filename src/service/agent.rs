//! Agents with a synthesized controller: loading, recording, replaying, and explaining their choices.

use super::machine::found;
use super::questions::CertificateTimer;
use super::recording::{self, Oracles, RecordWriter};
use super::subject::{Subject, System};
use super::{ExplainTraceReport, ExplainTraceRequest, Failure, Input, SolverOptions, SpecRequest};
use crate::Session;
use std::collections::BTreeMap;
use std::path::Path;
use tsl_synth_agents::prompts::{Prompts, Text, read_prompts};
use tsl_synth_agents::story::{
    Audience, Played, PredicateSource, Story, StoryOptions, Turn, UpdateSource, unknown_prompts,
};
use tsl_synth_agents::{Port, Replay, SimWorld};
use tsl_synth_core::base::{Id, sha256};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{Mealy, OnBroken, Prefer, StateId};
use tsl_synth_documents::{
    AnyStrategy, ChoiceDocument, EndDocument, Record, RecordHeader, RecordLine, TurnDocument,
};
use tsl_synth_engine::mealy::machine_id;
use tsl_synth_explain::clause_text;
use tsl_synth_lang::spec::{Language, Problem};

/// Asks for the agent of a specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoryRequest {
    /// The specification.
    pub spec: SpecRequest,
    /// Its table of prompts; `None`: the tables next to the files of the specification, `NAME.prompts.toml` for
    /// `NAME.tsl`, then `prompts.toml` for all specifications of the folder. If a name has several entries, the first
    /// one counts.
    pub prompts: Option<Input>,
    /// How the specification is solved.
    pub solver: SolverOptions,
}

impl StoryRequest {
    /// Asks for the agent of this specification.
    pub fn new(spec: SpecRequest) -> Self {
        Self { spec, prompts: None, solver: SolverOptions::default() }
    }
}

/// An agent, ready to run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedStory {
    /// The agent.
    pub story: Story,
    /// The hash of its controller.
    pub machine_id: String,
    /// SHA-256 of the specification and the tables of prompts.
    pub sha256: String,
    /// Warnings and notes about the input.
    pub diagnostics: Diagnostics,
}

impl LoadedStory {
    /// The facts about the agent that a simulated model needs.
    pub fn world(&self) -> SimWorld {
        let story = &self.story;
        let mut world = SimWorld::default();
        for &(update, predicate) in story.checks() {
            let term = story.problem.alphabet.update_term(update).unwrap_or_default().to_string();
            world.makes.entry(term).or_default().push(story.name(predicate).to_string());
        }
        for (atom, source) in story.sources() {
            let PredicateSource::Ask { about, .. } = source else { continue };
            let name = story.name(*atom).to_string();
            if about.texts.contains(&Text::Message) {
                world.of_messages.push(name);
            } else {
                world.of_passages.push(name);
            }
        }
        world
    }

    /// Whether some predicate or update depends on a message or an answer of the user.
    pub fn needs_user(&self) -> bool {
        let mut sources = self.story.sources().iter();
        let of_user = |source: &PredicateSource| matches!(source, PredicateSource::Ask { about, port, .. } if about.texts.contains(&Text::Message) || *port == Port::User);
        let copies = |content: &UpdateSource| {
            matches!(
                content,
                UpdateSource::Copy(Text::Message) | UpdateSource::Generate { port: Port::User, .. }
            )
        };
        sources.any(|(_, source)| of_user(source))
            || self.story.contents().any(|(_, content)| copies(content))
    }

    /// The first line of a record.
    pub fn header(
        &self,
        spec: Vec<String>,
        options: &StoryOptions,
        attempts: u32,
        seed: u64,
    ) -> RecordHeader {
        let mut checks: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for &(update, predicate) in self.story.checks() {
            let name = self.story.name(update).to_string();
            checks.entry(name).or_default().push(self.story.name(predicate).to_string());
        }
        RecordHeader {
            machine_id: self.machine_id.clone(),
            turns: options.turns,
            regenerate: options.regenerate,
            on_broken_assumption: options.on_broken.name().into(),
            with_user: options.with_user,
            checks,
            ..recording::header(spec, self.sha256.clone(), attempts, seed)
        }
    }
}

/// Records the turns and passes them on to another audience.
struct TurnRecorder<'a, 'r> {
    writer: &'a RecordWriter<'r>,
    audience: &'a mut dyn Audience,
}

fn turn_line(story: &Story, turn: &Turn) -> RecordLine {
    RecordLine::Turn(Box::new(TurnDocument::new(story, turn)))
}

impl Audience for TurnRecorder<'_, '_> {
    fn decided(&mut self, story: &Story, turn: &Turn) {
        self.audience.decided(story, turn);
    }
    fn finished(&mut self, story: &Story, turn: &Turn) {
        self.writer.line(&turn_line(story, turn));
        self.audience.finished(story, turn);
    }
}

/// Runs an agent and records it.
pub fn run_story(
    loaded: &LoadedStory,
    mut oracles: Oracles<'_>,
    options: &StoryOptions,
    header: RecordHeader,
    audience: &mut dyn Audience,
    write: &mut dyn FnMut(&str),
) -> Played {
    let story = &loaded.story;
    let attempts = header.attempts;
    let writer = RecordWriter::new(header, write);
    let mut log = &writer;
    let mut conversation = oracles.conversation(&mut log, attempts);
    let played = story.play(&mut conversation, options, &mut TurnRecorder { writer: &writer, audience });
    if let Some(turn) = &played.unfinished {
        writer.line(&turn_line(story, turn));
    }
    writer.line(&RecordLine::End(EndDocument::new(story, &played)));
    played
}

/// Runs an agent again on the answers of a record. The same agent yields the same record, byte for byte.
///
/// # Errors
/// A record with an unknown policy for broken assumptions.
pub fn replay_story(
    loaded: &LoadedStory,
    record: &Record,
    audience: &mut dyn Audience,
    write: &mut dyn FnMut(&str),
) -> Result<Played, Failure> {
    let options = record_options(&record.header)?;
    let mut ports = Replay::ports(&record.exchanges);
    let fresh =
        loaded.header(record.header.spec.clone(), &options, record.header.attempts, record.header.seed);
    let header = RecordHeader {
        prompts: record.header.prompts.clone(),
        oracles: record.header.oracles.clone(),
        ..fresh
    };
    Ok(run_story(loaded, Oracles::of(&mut ports), &options, header, audience, write))
}

fn bad_record(message: impl Into<String>) -> Failure {
    Diagnostic::error(Code::BAD_RECORD, message).into()
}

/// The options with which a record was made.
fn record_options(header: &RecordHeader) -> Result<StoryOptions, Failure> {
    let policy = &header.on_broken_assumption;
    let on_broken = OnBroken::from_name(policy)
        .ok_or_else(|| bad_record(format!("there is no policy `{policy}` for broken assumptions")))?;
    Ok(StoryOptions {
        turns: header.turns,
        regenerate: header.regenerate,
        on_broken,
        with_user: header.with_user,
    })
}

/// Why an agent made its choice in a turn.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChoiceReport {
    /// The turn.
    pub turn: u32,
    /// The last turn up to `turn` in which the controller restarted, if there is one: turns before it are not
    /// considered.
    pub restarted: Option<u32>,
    /// The numbers of the turns that are steps of the explanation.
    pub steps: Vec<u32>,
    /// The updates that are explained.
    pub effect: String,
    /// The explanation; its steps are indices into `steps`.
    pub cause: ExplainTraceReport,
}

/// Tables of prompts.
#[derive(Debug, Default)]
pub(super) struct PromptTables {
    /// All tables merged into one.
    pub(super) prompts: Prompts,
    /// Their texts.
    text: String,
}

impl ChoiceReport {
    /// The document of `explain RECORD --format json`.
    pub fn document(&self) -> ChoiceDocument {
        let Self { turn, steps, effect, cause, .. } = self;
        ChoiceDocument {
            turn: *turn,
            turns: steps.clone(),
            effect: effect.clone(),
            cause: cause.document.clone(),
        }
    }
}

impl Session<'_> {
    /// The agent of a specification with its controller.
    ///
    /// # Errors
    /// Errors of the input, no controller, a limit, or a defect of this program.
    pub fn story(&mut self, request: &StoryRequest) -> Result<LoadedStory, Failure> {
        self.deep(|session| session.story_here(request))
    }

    fn story_here(&mut self, request: &StoryRequest) -> Result<LoadedStory, Failure> {
        let (mut problem, mut diagnostics) = self.problem(&request.spec)?;
        let mut texts: String = self.texts().collect();
        let PromptTables { prompts, text } = match self.prompts(request, &problem, &mut diagnostics) {
            Ok(found) => found,
            Err(failure) => return Err(failure.after(diagnostics)),
        };
        texts.push_str(&text);
        // A model chooses among what is allowed: its machine need not keep cells.
        let options = SolverOptions { prefer: Prefer::Any, ..self.options(&request.solver, true) };
        let (strategy, further) =
            found(&mut problem, &options, &CertificateTimer::new(self.observer, self.clock))?;
        let AnyStrategy::Mealy(machine) = strategy else {
            return Err(Failure::no_strategy(Player::System, None).after(diagnostics));
        };
        let machine_id = machine_id(&problem.shown_alphabet(), &machine);
        let sources = &self.sources;
        let text = |problem: &Problem, clause| clause_text(problem, sources, clause);
        let story = Story::new(problem, machine, &further, prompts, &text);
        Ok(LoadedStory { story, machine_id, sha256: sha256(texts.as_bytes()), diagnostics })
    }

    /// The tables of prompts of a request. Warns about unused entries, except in a table that several specifications
    /// share.
    pub(super) fn prompts(
        &mut self,
        request: &StoryRequest,
        problem: &Problem,
        warnings: &mut Diagnostics,
    ) -> Result<PromptTables, Failure> {
        if problem.language != Language::Tsl && !problem.signature.registers.is_empty() {
            let message = "agents do not support past operators of LTL";
            let hint = "TSL has the same operators: say what the steps are in a `.tsl` file";
            return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into());
        }
        let mut inputs: Vec<(Input, bool)> =
            request.prompts.iter().map(|input| (input.clone(), true)).collect();
        if inputs.is_empty() {
            let paths =
                request.spec.inputs.iter().filter_map(Input::path).filter(|path| !super::is_stdin(path));
            let paths: Vec<&Path> = paths.collect();
            let own = paths.iter().map(|path| (path.with_extension("prompts.toml"), true));
            let shared = paths.iter().map(|path| (path.with_file_name("prompts.toml"), false));
            for (path, is_own) in own.chain(shared) {
                let known = inputs.iter().any(|(input, _)| input.path() == Some(&path));
                if !known && self.loader.read(&path).is_ok() {
                    inputs.push((Input::File(path), is_own));
                }
            }
        }
        let mut tables = PromptTables::default();
        for (input, is_own) in inputs {
            let source = self.source(&input)?;
            let table = read_prompts(&self.sources, source)?;
            if is_own {
                unknown_prompts(problem, &table).into_iter().for_each(|warning| warnings.push(warning));
            }
            tables.text.push_str(&self.sources.get(source).text);
            tables.prompts.extend(table);
        }
        Ok(tables)
    }

    /// Why an agent made its choice in a turn of a record: the cause of the updates of that turn that wrote something
    /// new, or of `effect`.
    ///
    /// # Errors
    /// A record of another specification, a turn that it does not have, or a limit.
    pub fn explain_choice(
        &mut self,
        loaded: &LoadedStory,
        spec: &SpecRequest,
        record: &Record,
        turn: u32,
        effect: Option<&str>,
    ) -> Result<ChoiceReport, Failure> {
        if record.header.machine_id != loaded.machine_id {
            return Err(bad_record(
                "the record was made with another controller: its specification has changed",
            ));
        }
        let turns: Vec<&TurnDocument> = record.turns.iter().filter(|turn| !turn.held).collect();
        let Some(at) = turns.iter().position(|found| found.number == turn) else {
            let why = if record.turns.iter().any(|found| found.number == turn) {
                "nothing was chosen: an assumption was broken, and the agent held".to_string()
            } else {
                format!("the record has {} turns, numbered from 0", record.turns.len())
            };
            return Err(bad_record(format!("turn {turn} cannot be explained: {why}")));
        };
        let begin = (0..=at).rev().find(|&i| turns[i].resynchronized).unwrap_or(0);
        let steps: Vec<u32> = turns[begin..=at].iter().map(|turn| turn.number).collect();
        let chosen = turns[at];
        let effect = effect.map_or_else(|| chosen_updates(chosen), str::to_string);
        let later = format!("{}({effect}){}", "X (".repeat(at - begin), ")".repeat(at - begin));
        let prefix: Vec<serde_json::Value> = turns[begin..=at].iter().map(|turn| letter(turn)).collect();
        let trace = serde_json::json!({ "prefix": prefix }).to_string();
        let mut request = ExplainTraceRequest::new(Input::Text { name: "<record>".into(), text: trace });
        request.effect = Some(later);
        if turns[begin].state >= loaded.story.machine.states.len() {
            return Err(bad_record(format!("the controller has no state {}", turns[begin].state)));
        }
        let machine =
            Mealy { initial: StateId::from_index(turns[begin].state), ..loaded.story.machine.clone() };
        let (problem, system) = (loaded.story.problem.clone(), System::Machine(machine));
        let subject = Subject::new("the controller".into(), problem, system, Some(spec.clone()));
        let cause = self.explain_subject(&request, subject)?;
        Ok(ChoiceReport {
            turn,
            restarted: turns[begin].resynchronized.then_some(turns[begin].number),
            steps,
            effect,
            cause,
        })
    }
}

/// The updates of a turn that do not keep a cell as it is, and the outputs, as a formula.
fn chosen_updates(turn: &TurnDocument) -> String {
    let changed: Vec<String> = turn
        .updates
        .iter()
        .filter(|(cell, term)| cell != term)
        .map(|(cell, term)| format!("[{cell} <- {term}]"))
        .collect();
    let all = || turn.updates.iter().map(|(cell, term)| format!("[{cell} <- {term}]")).collect();
    let mut parts: Vec<String> = if changed.is_empty() { all() } else { changed };
    parts.extend(turn.outputs.iter().map(|(name, holds)| format!("{}{name}", if *holds { "" } else { "!" })));
    if parts.is_empty() { "true".into() } else { parts.join(" && ") }
}

/// The letter of a turn, in the JSON form of traces.
pub(super) fn letter(turn: &TurnDocument) -> serde_json::Value {
    let mut letter = serde_json::Map::new();
    for (name, holds) in turn.inputs.iter().chain(&turn.outputs) {
        let key = if turn.updates.contains_key(name) { format!("({name})") } else { name.clone() };
        letter.insert(key, (*holds).into());
    }
    for (cell, term) in &turn.updates {
        letter.insert(cell.clone(), term.clone().into());
    }
    letter.into()
}
