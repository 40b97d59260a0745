//! Records of agents: JSON lines with the requests, answers and actions of the agent, in order.

use super::oracle::{RequestDocument, answer_value, is_false, value_answer};
use super::record_actor::{ActorRunDocument, ActorStepDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use tsl_synth_agents::story::{Evaluated, Played, Story, StoryEnd, Turn};
use tsl_synth_agents::{Exchange, OracleError, Port};
use tsl_synth_core::base::Id;
use tsl_synth_core::model::StateId;

/// The version of records.
pub const RECORD_VERSION: &str = "1.0";

/// A line of a record.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RecordLine {
    /// The first line: the configuration of the run.
    Header(Box<RecordHeader>),
    /// A request and its outcome.
    Exchange(Box<ExchangeDocument>),
    /// A turn; the last one may be incomplete.
    Turn(Box<TurnDocument>),
    /// A state of the run of a behavior.
    State(StateDocument),
    /// A step of an actor under a policy.
    Step(Box<ActorStepDocument>),
    /// The last line: why it ended.
    End(EndDocument),
}

/// The configuration of a run.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordHeader {
    /// The version of the format.
    pub schema_version: String,
    /// The version of the tool.
    pub tool_version: String,
    /// The files of the specification, relative to the folder of the record if they are below it.
    pub spec: Vec<String>,
    /// SHA-256 of its text and the table of prompts.
    pub sha256: String,
    /// The hash of the controller.
    pub machine_id: String,
    /// The table of prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<String>,
    /// The largest number of turns.
    pub turns: u32,
    /// How many times a passage that fails its check is written again.
    pub regenerate: u32,
    /// How many times a request is asked.
    pub attempts: u32,
    /// What is done when an assumption is broken.
    pub on_broken_assumption: String,
    /// Whether the user is asked for messages.
    pub with_user: bool,
    /// The oracles that act as the evaluator, the generator, the user, and the world.
    pub oracles: BTreeMap<String, String>,
    /// The seed of simulated models.
    pub seed: u64,
    /// The predicates that the text of a function has to satisfy: point-in-time adherence counts them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, Vec<String>>,
    /// How a behavior is run; absent for agents with a synthesized controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behavior: Option<BehaviorRunDocument>,
    /// How an actor under a policy is run; absent for other agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<ActorRunDocument>,
}

/// How a behavior is run.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BehaviorRunDocument {
    /// The text before the first state.
    pub task: String,
    /// Attempts of the model to repair its text; 0: a legal state is entered at once.
    pub repair: u32,
    /// Whether the evaluator chooses the state that is forced.
    pub choose_forced: bool,
    /// A bound of all loops, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_loops: Option<u32>,
    /// The largest number of states.
    pub most_states: usize,
    /// `grammar` if the grammar of each stretch went with its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoding: Option<String>,
}

/// A state of the run of a behavior.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateDocument {
    /// From 0.
    pub number: usize,
    /// The state.
    pub state: String,
    /// How it was entered: `start`, `written`, `chosen`, `only` or `forced`.
    pub entered: String,
    /// Who wrote its text: `model`, `world` or `constraint`.
    pub author: String,
    /// Its text.
    pub text: String,
    /// The state whose prompt was removed after the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// With a grammar: `grammar` if the model kept to it, `prompt` if it was asked again, state by state; absent for texts
    /// of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoding: Option<String>,
}

/// A request and its outcome.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeDocument {
    /// Who was asked: `evaluator`, `generator`, `user` or `world`.
    pub port: String,
    /// The request.
    pub request: RequestDocument,
    /// The answer.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub answer: Value,
    /// The failure, if there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureDocument>,
}

/// Why there is no answer.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FailureDocument {
    /// The answer cannot be used.
    Invalid {
        /// The answer.
        answer: String,
        /// Why it cannot be used.
        why: String,
    },
    /// A refusal.
    Refused {
        /// Its text.
        why: String,
    },
    /// Nobody answered in time.
    Unavailable {
        /// Why.
        why: String,
    },
    /// No more answers follow.
    Ended {
        /// Why.
        why: String,
    },
    /// The oracle will never answer.
    Unusable {
        /// Why.
        why: String,
    },
}

impl ExchangeDocument {
    /// The document of an exchange, which is the `id`-th of the record.
    pub fn new(id: u64, exchange: &Exchange) -> Self {
        let (answer, failure) = match &exchange.outcome {
            Ok(answer) => (answer_value(answer), None),
            Err(error) => (Value::Null, Some(FailureDocument::new(error))),
        };
        let request = RequestDocument::new(id, &exchange.request);
        Self { port: exchange.port.name().into(), request, answer, failure }
    }
    /// The exchange.
    ///
    /// # Errors
    /// An unknown port or kind of request, or an invalid answer.
    pub fn exchange(&self) -> Result<Exchange, String> {
        let port = Port::of_name(&self.port).ok_or_else(|| format!("there is no port `{}`", self.port))?;
        let request = self.request.request()?;
        let outcome = match &self.failure {
            Some(failure) => Err(failure.error()),
            None => Ok(value_answer(request.kind, &self.answer).map_err(|error| error.to_string())?),
        };
        Ok(Exchange { port, request, outcome })
    }
}

impl FailureDocument {
    fn new(error: &OracleError) -> Self {
        match error.clone() {
            OracleError::Invalid { answer, why } => Self::Invalid { answer, why },
            OracleError::Refused(why) => Self::Refused { why },
            OracleError::Unavailable(why) => Self::Unavailable { why },
            OracleError::Ended(why) => Self::Ended { why },
            OracleError::Unusable(why) => Self::Unusable { why },
        }
    }
    fn error(&self) -> OracleError {
        match self.clone() {
            Self::Invalid { answer, why } => OracleError::Invalid { answer, why },
            Self::Refused { why } => OracleError::Refused(why),
            Self::Unavailable { why } => OracleError::Unavailable(why),
            Self::Ended { why } => OracleError::Ended(why),
            Self::Unusable { why } => OracleError::Unusable(why),
        }
    }
}

/// A turn.
#[derive(Clone, Debug, Default, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TurnDocument {
    /// From 0.
    pub number: u32,
    /// The message of the user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The truth values of the predicates.
    pub inputs: BTreeMap<String, bool>,
    /// The predicates about which nobody was asked, since they were computed or there was no text yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_asked: Vec<String>,
    /// Evaluations that are sufficient for the choice in this state.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub because: BTreeMap<String, bool>,
    /// The state in which the controller chose, by its number.
    pub state: usize,
    /// The state after the turn.
    pub next: usize,
    /// The term that every cell was set to.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub updates: BTreeMap<String, String>,
    /// Boolean outputs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, bool>,
    /// The new values of the cells that were changed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
    /// The number of passages that were written and not shown, by cell.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub discarded: BTreeMap<String, u32>,
    /// The assumptions that this turn broke.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// The assumptions that this turn gave up by its outputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<String>,
    /// Whether the controller restarted in another state.
    #[serde(skip_serializing_if = "is_false")]
    pub resynchronized: bool,
    /// Whether nothing was done.
    #[serde(skip_serializing_if = "is_false")]
    pub held: bool,
    /// The guarantees that this turn violated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
    /// The summary after the turn.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

impl TurnDocument {
    /// The document of a turn.
    pub fn new(story: &Story, turn: &Turn) -> Self {
        let name = |atom| story.name(atom).to_string();
        let alphabet = &story.problem.alphabet;
        let updates = alphabet.cells().enumerate().map(|(id, cell)| {
            let term = alphabet.update_term(alphabet.chosen(&turn.letter, id)).unwrap_or_default();
            (cell.name.clone(), term.to_string())
        });
        let not_asked = turn.evaluations.iter().filter(|evaluation| evaluation.by != Evaluated::Asked);
        let state = |state: StateId| state.index();
        let texts =
            |clauses: &[usize], of: &dyn Fn(usize) -> String| clauses.iter().map(|&i| of(i)).collect();
        let done = !turn.held;
        Self {
            number: turn.number,
            message: turn.message.clone(),
            inputs: turn.evaluations.iter().map(|e| (name(e.atom), e.holds)).collect(),
            not_asked: not_asked.map(|evaluation| name(evaluation.atom)).collect(),
            because: turn.because.iter().map(|&(atom, holds)| (name(atom), holds)).collect(),
            state: state(turn.state),
            next: state(turn.next),
            updates: if done { updates.collect() } else { BTreeMap::new() },
            outputs: alphabet
                .outputs()
                .filter(|_| done)
                .map(|a| (name(a), turn.outputs.contains(&a)))
                .collect(),
            values: turn.made.iter().map(|made| (made.cell.clone(), made.value.to_string())).collect(),
            discarded: turn
                .made
                .iter()
                .filter(|made| made.discarded > 0)
                .map(|made| (made.cell.clone(), made.discarded))
                .collect(),
            broken: texts(&turn.broken, &|i| story.clauses.assumptions[i].text.clone()),
            given_up: texts(&turn.given_up, &|i| story.clauses.assumptions[i].text.clone()),
            resynchronized: turn.resynchronized,
            held: turn.held,
            violated: texts(&turn.violated, &|i| story.clauses.guarantees[i].text.clone()),
            summary: turn.summary.clone(),
        }
    }
}

/// Why an agent ended.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndDocument {
    /// `turns`, `left`, `broken`, `stopped` or `no-answer`; of a behavior `final`, `limit`, `left` or `stopped`; of an
    /// actor `goal`, `done`, `limit`, `refused`, `stuck`, `world`, `left` or `stopped`.
    pub reason: String,
    /// The reason in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The number of completed turns, states or steps.
    pub turns: usize,
}

impl EndDocument {
    /// The document of the end of a run.
    pub fn new(story: &Story, played: &Played) -> Self {
        let (reason, text) = match &played.end {
            StoryEnd::Turns => ("turns", String::new()),
            StoryEnd::Left(why) => ("left", why.clone()),
            StoryEnd::Broken(i) => ("broken", story.clauses.assumptions[*i].text.clone()),
            StoryEnd::Stopped(stop) => ("stopped", stop.to_string()),
            StoryEnd::NoAnswer => ("no-answer", String::new()),
        };
        Self { reason: reason.into(), text, turns: played.turns.len() }
    }
}

/// A record that was read.
#[derive(Clone, Debug)]
pub struct Record {
    /// The configuration of the run.
    pub header: RecordHeader,
    /// All exchanges.
    pub exchanges: Vec<Exchange>,
    /// All turns.
    pub turns: Vec<TurnDocument>,
    /// All states of the run of a behavior.
    pub states: Vec<StateDocument>,
    /// All steps of an actor.
    pub steps: Vec<ActorStepDocument>,
    /// Why it ended; `None` if the record is incomplete.
    pub end: Option<EndDocument>,
}

impl Record {
    /// Reads a record. A last line without a line feed that cannot be read is ignored, since the run was interrupted.
    ///
    /// # Errors
    /// The number of a line, from 1, and what is wrong with it.
    pub fn read(text: &str) -> Result<Self, (usize, String)> {
        let mut header = None;
        let (mut exchanges, mut turns, mut states) = (Vec::new(), Vec::new(), Vec::new());
        let (mut steps, mut end) = (Vec::new(), None);
        for (i, line) in text.split_inclusive('\n').enumerate() {
            let number = i + 1;
            let parsed: RecordLine = match serde_json::from_str(line.trim_end()) {
                Ok(parsed) => parsed,
                Err(_) if !line.ends_with('\n') && header.is_some() => break,
                Err(error) => return Err((number, format!("this is no line of a record: {error}"))),
            };
            match (parsed, &header) {
                (RecordLine::Header(found), None) => {
                    let major = |version: &str| version.split('.').next().map(str::to_string);
                    if major(&found.schema_version) != major(RECORD_VERSION) {
                        let version = &found.schema_version;
                        return Err((
                            number,
                            format!("a record of version {version}; this program reads {RECORD_VERSION}"),
                        ));
                    }
                    header = Some(*found);
                }
                (RecordLine::Header(_), Some(_)) => return Err((number, "a second header".into())),
                (_, None) => return Err((number, "a record begins with its header".into())),
                (RecordLine::Exchange(exchange), Some(_)) => {
                    exchanges.push(exchange.exchange().map_err(|why| (number, why))?);
                }
                (RecordLine::Turn(turn), Some(_)) => turns.push(*turn),
                (RecordLine::State(state), Some(_)) => states.push(state),
                (RecordLine::Step(step), Some(_)) => steps.push(*step),
                (RecordLine::End(found), Some(_)) => end = Some(found),
            }
        }
        let header = header.ok_or((1, "the record is empty".to_string()))?;
        Ok(Self { header, exchanges, turns, states, steps, end })
    }
}

/// A line of a record as text, ending in a line feed.
///
/// # Panics
/// Never: our documents have string keys only.
pub fn record_line(line: &RecordLine) -> String {
    let mut text = serde_json::to_string(line).expect("our documents have string keys only");
    text.push('\n');
    text
}
