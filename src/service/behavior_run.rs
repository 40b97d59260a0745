//! Running, recording and replaying behaviors.

use super::recording::{self, Oracles, RecordWriter};
use super::{Failure, VERSION};
use tsl_synth_agents::behavior::{
    Behavior, BehaviorStep, Force, OnIllegalState, RunEnd, RunOptions, RunOutcome, Stretch, Stretches,
};
use tsl_synth_agents::{Replay, TextGrammar};
use tsl_synth_core::base::sha256;
use tsl_synth_documents::{
    BehaviorRunDocument, EndDocument, Record, RecordHeader, RecordLine, StateDocument,
};
use tsl_synth_emit::{BehaviorTarget, segment_grammars};

/// A behavior and how it is run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BehaviorRun {
    /// The behavior.
    pub behavior: Behavior,
    /// The text that it was read from.
    pub text: String,
    /// How it is run.
    pub options: RunOptions,
    /// The text that precedes the first state.
    pub task: String,
    /// The bound of all loops that it was read with, if one was given.
    pub max_loops: Option<u32>,
    /// The grammars that go with requests, if they do.
    stretches: Option<Stretches>,
}

impl BehaviorRun {
    /// This behavior with the default options.
    pub fn new(behavior: Behavior, text: impl Into<String>, task: impl Into<String>) -> Self {
        let options = RunOptions::default();
        Self { behavior, text: text.into(), options, task: task.into(), max_loops: None, stretches: None }
    }

    /// Lets the grammar of each stretch go with its request.
    ///
    /// # Errors
    /// A behavior for which no grammar can be emitted.
    pub fn under_grammars(mut self) -> Result<Self, Failure> {
        let emitted = |target| segment_grammars(&self.behavior, target, VERSION).map_err(Failure::from);
        let gbnf = emitted(BehaviorTarget::Gbnf)?;
        // A stretch may be too large for one regular expression.
        let regexes = emitted(BehaviorTarget::Regex).unwrap_or_default();
        let mut stretches = Stretches::new();
        for (node, prefix, gbnf) in gbnf {
            let regex = regexes.iter().find(|(other, ..)| *other == node);
            let regex = regex.map(|(_, _, regex)| regex.clone()).unwrap_or_default();
            stretches.insert(node, Stretch { prefix, grammar: TextGrammar { gbnf, regex } });
        }
        self.stretches = Some(stretches);
        Ok(self)
    }

    /// The first line of a record.
    pub fn header(&self, spec: Vec<String>, attempts: u32, seed: u64) -> RecordHeader {
        let RunOptions { force, repair, most_states, .. } = self.options;
        let repair = match repair {
            OnIllegalState::Force => 0,
            OnIllegalState::Prefix { attempts } => attempts,
        };
        RecordHeader {
            behavior: Some(BehaviorRunDocument {
                task: self.task.clone(),
                repair,
                choose_forced: force == Force::Choose,
                max_loops: self.max_loops,
                most_states,
                decoding: self.stretches.as_ref().map(|_| "grammar".into()),
            }),
            ..recording::header(spec, sha256(self.text.as_bytes()), attempts, seed)
        }
    }

    /// Sets the options of a record.
    #[must_use]
    pub fn with(mut self, document: &BehaviorRunDocument) -> Self {
        self.task.clone_from(&document.task);
        self.max_loops = document.max_loops;
        self.options.force = if document.choose_forced { Force::Choose } else { Force::First };
        self.options.repair = match document.repair {
            0 => OnIllegalState::Force,
            attempts => OnIllegalState::Prefix { attempts },
        };
        self.options.most_states = document.most_states;
        self
    }
}

/// Runs a behavior and records it. `heard` is called after each state of the behavior, with the text that was produced in it.
pub fn run_behavior(
    run: &BehaviorRun,
    mut oracles: Oracles<'_>,
    header: RecordHeader,
    heard: &mut dyn FnMut(&BehaviorStep),
    write: &mut dyn FnMut(&str),
) -> RunOutcome {
    let attempts = header.attempts;
    let writer = RecordWriter::new(header, write);
    let mut log = &writer;
    let mut conversation = oracles.conversation(&mut log, attempts);
    let mut number = 0;
    let name = |state| run.behavior.state(state).name.clone();
    let stretches = run.stretches.as_ref();
    let outcome =
        run.behavior.run_under(stretches, &run.task, &mut conversation, &run.options, &mut |step| {
            writer.line(&RecordLine::State(StateDocument {
                number,
                state: step.name.clone(),
                entered: step.entered.name().into(),
                author: step.author.name().into(),
                text: step.text.clone(),
                removed: step.removed.map(name),
                decoding: step.constrained.map(|kept| if kept { "grammar" } else { "prompt" }.into()),
            }));
            number += 1;
            heard(step);
        });
    let (reason, text) = match &outcome.end {
        RunEnd::Final => ("final", String::new()),
        RunEnd::Limit => ("limit", String::new()),
        RunEnd::Stopped(stop) => (if stop.is_end() { "left" } else { "stopped" }, stop.to_string()),
        RunEnd::DeadEnd => ("dead-end", String::new()),
    };
    writer.line(&RecordLine::End(EndDocument { reason: reason.into(), text, turns: outcome.steps.len() }));
    outcome
}

/// Runs a behavior again on the answers of a record. The same behavior yields the same record, byte for byte.
pub fn replay_behavior(
    run: &BehaviorRun,
    record: &Record,
    heard: &mut dyn FnMut(&BehaviorStep),
    write: &mut dyn FnMut(&str),
) -> RunOutcome {
    let RecordHeader { spec, attempts, seed, oracles: named, .. } = &record.header;
    let header = RecordHeader { oracles: named.clone(), ..run.header(spec.clone(), *attempts, *seed) };
    let mut ports = Replay::ports(&record.exchanges);
    run_behavior(run, Oracles::of(&mut ports), header, heard, write)
}
