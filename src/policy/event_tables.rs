//! The `[[match]]` tables of a policy, and the values that they refer to in the documents of an event.

use super::compiled::CompiledPolicy;
use super::letters::LetterBuilder;
use super::observation::EventFault;
use crate::language::{Amount, Match, On, RegisterId};
use tsl_synth_core::json_text::{JsonSlice, Lookup, holds};
use tsl_synth_core::model::Pointer;

/// The document that contains a value of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventDocument {
    Arguments,
    Result,
    Event,
}

/// The values of one document that tables refer to, each once.
#[derive(Debug, Default)]
pub(super) struct WantedValues {
    pub(super) pointers: Vec<Pointer>,
    pub(super) lookup: Lookup,
}

impl WantedValues {
    fn add(&mut self, pointer: Pointer) -> usize {
        if let Some(known) = self.pointers.iter().position(|one| *one == pointer) {
            return known;
        }
        self.pointers.push(pointer);
        self.pointers.len() - 1
    }
}

/// A table, as the documents of its values and their indices in [`WantedValues`].
#[derive(Debug)]
struct EventTable {
    conditions: Vec<(EventDocument, usize)>,
    binds: Vec<(EventDocument, usize)>,
}

/// The tables of a policy, prepared for events.
#[derive(Debug)]
pub(super) struct EventTables {
    tables: Vec<EventTable>,
    pub(super) arguments: WantedValues,
    pub(super) results: WantedValues,
    pub(super) events: WantedValues,
    /// The registers of amounts, with the indices of the amounts in `arguments`.
    pub(super) amounts: Vec<(RegisterId, usize)>,
    /// Whether some table about results refers to arguments.
    pub(super) keeps_arguments: bool,
}

impl EventTables {
    /// Prepares the tables of a policy.
    pub(super) fn new(compiled: &CompiledPolicy) -> Self {
        let policy = &compiled.policy;
        let (mut arguments, mut results, mut events) =
            (WantedValues::default(), WantedValues::default(), WantedValues::default());
        let mut place = |on: On, pointer: &Pointer| -> (EventDocument, usize) {
            if let (true, Some(inner)) = (matches!(on, On::Call | On::Result), pointer.within("arguments")) {
                (EventDocument::Arguments, arguments.add(inner))
            } else if let (On::Result, Some(inner)) = (on, pointer.within("result")) {
                (EventDocument::Result, results.add(inner))
            } else {
                (EventDocument::Event, events.add(pointer.clone()))
            }
        };
        let mut tables = Vec::new();
        for table in &policy.matches {
            let conditions = table.conditions.iter().map(|one| place(table.on, &one.pointer)).collect();
            let binds = table.bind.iter().map(|(_, pointer)| place(table.on, pointer)).collect();
            tables.push(EventTable { conditions, binds });
        }
        let keeps_arguments = policy.matches.iter().zip(&tables).any(|(own, table)| {
            let used = table.conditions.iter().chain(&table.binds);
            own.on == On::Result
                && used.into_iter().any(|(document, _)| *document == EventDocument::Arguments)
        });
        let mut amounts = Vec::new();
        for (id, register) in policy.registers.enumerate() {
            if let Amount::Sum(pointer) = &register.amount {
                let inner = pointer.within("arguments").unwrap_or_else(|| pointer.clone());
                amounts.push((id, arguments.add(inner)));
            }
        }
        for wanted in [&mut arguments, &mut results, &mut events] {
            wanted.lookup = Lookup::new(&wanted.pointers);
        }
        Self { tables, arguments, results, events, amounts, keeps_arguments }
    }
    /// Whether a table refers to values in the documents.
    pub(super) fn asks(&self, i: usize) -> bool {
        !self.tables[i].conditions.is_empty() || !self.tables[i].binds.is_empty()
    }
    /// Whether the conditions of a table hold.
    pub(super) fn hold(&self, i: usize, table: &Match, values: &FoundValues<'_>) -> bool {
        let own = &self.tables[i];
        table
            .conditions
            .iter()
            .zip(&own.conditions)
            .all(|(condition, &(document, place))| holds(&condition.comparison, values.get(document, place)))
    }

    /// Adds the action, truths and bindings of a table if its conditions hold; returns whether they do.
    pub(super) fn apply(
        &self,
        compiled: &CompiledPolicy,
        i: usize,
        table: &Match,
        values: &FoundValues<'_>,
        letter: &mut LetterBuilder,
        faults: &mut Vec<EventFault>,
    ) -> bool {
        if !self.hold(i, table, values) {
            return false;
        }
        if let Some(action) = table.action {
            letter.action(action);
        }
        for &(proposition, value) in &table.set {
            if letter.set.insert(proposition, value).is_some_and(|before| before != value) {
                let name = &compiled.policy.atoms.propositions[proposition].name;
                faults.push(EventFault::Contradiction(format!("two tables disagree on `{name}`")));
            }
        }
        for ((name, _), &(document, place)) in table.bind.iter().zip(&self.tables[i].binds) {
            let Some(found) = values.get(document, place) else { continue };
            let value =
                found.string().map_or_else(|| found.as_str().to_string(), std::borrow::Cow::into_owned);
            if letter.bind.insert(name.clone(), value.clone()).is_some_and(|before| before != value) {
                faults
                    .push(EventFault::Contradiction(format!("two tables bind `{name}` to different values")));
            }
        }
        true
    }
}

/// The values found in the documents of an event.
pub(super) struct FoundValues<'v> {
    pub(super) arguments: &'v [Option<JsonSlice<'v>>],
    pub(super) result: &'v [Option<JsonSlice<'v>>],
    pub(super) event: &'v [Option<JsonSlice<'v>>],
}

impl<'v> FoundValues<'v> {
    fn get(&self, document: EventDocument, place: usize) -> Option<JsonSlice<'v>> {
        let all = match document {
            EventDocument::Arguments => self.arguments,
            EventDocument::Result => self.result,
            EventDocument::Event => self.event,
        };
        all.get(place).copied().flatten()
    }
}
