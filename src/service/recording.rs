//! Writes the records of agents while they run; the oracles at their ports.

use super::VERSION;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use tsl_synth_agents::{Conversation, Exchange, Log, Oracle, Replay};
use tsl_synth_documents::{ExchangeDocument, RECORD_VERSION, RecordHeader, RecordLine, record_line};

/// The oracles at the ports of an agent.
pub struct Oracles<'a> {
    /// Decides which predicates hold of a text.
    pub evaluator: &'a mut dyn Oracle,
    /// Writes texts.
    pub generator: &'a mut dyn Oracle,
    /// The person whom the agent serves.
    pub user: &'a mut dyn Oracle,
    /// The environment that the agent acts on.
    pub world: &'a mut dyn Oracle,
}

impl<'a> Oracles<'a> {
    /// The oracles of a replay.
    pub(super) fn of(ports: &'a mut [Replay<'_>; 4]) -> Self {
        let [evaluator, generator, user, world] = ports;
        Self { evaluator, generator, user, world }
    }
    /// A conversation with them.
    pub(super) fn conversation<'c>(&'c mut self, log: &'c mut dyn Log, attempts: u32) -> Conversation<'c> {
        Conversation::new(self.evaluator, self.generator, self.user, self.world, log, attempts)
    }
}

/// The fields of a header that all records have; the caller adds those of the controller, behavior or actor.
pub(super) fn header(spec: Vec<String>, sha256: String, attempts: u32, seed: u64) -> RecordHeader {
    RecordHeader {
        schema_version: RECORD_VERSION.into(),
        tool_version: VERSION.into(),
        spec,
        sha256,
        machine_id: String::new(),
        prompts: None,
        turns: 0,
        regenerate: 0,
        attempts,
        on_broken_assumption: String::new(),
        with_user: false,
        oracles: BTreeMap::new(),
        seed,
        checks: BTreeMap::new(),
        behavior: None,
        actor: None,
    }
}

/// Writes the lines of a record as soon as they are known.
pub(super) struct RecordWriter<'a> {
    write: RefCell<&'a mut dyn FnMut(&str)>,
    exchanges: Cell<u64>,
}

impl<'a> RecordWriter<'a> {
    /// Begins a record.
    pub(super) fn new(header: RecordHeader, write: &'a mut dyn FnMut(&str)) -> Self {
        let writer = Self { write: RefCell::new(write), exchanges: Cell::new(0) };
        writer.line(&RecordLine::Header(Box::new(header)));
        writer
    }
    /// Writes a line.
    pub(super) fn line(&self, line: &RecordLine) {
        (self.write.borrow_mut())(&record_line(line));
    }
}

impl Log for &RecordWriter<'_> {
    fn exchange(&mut self, exchange: &Exchange) {
        self.exchanges.set(self.exchanges.get() + 1);
        self.line(&RecordLine::Exchange(Box::new(ExchangeDocument::new(self.exchanges.get(), exchange))));
    }
}
