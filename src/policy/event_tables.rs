//! The `[[match]]` tables of a policy, and the values that they refer to in the documents of an event.

use super::compiled::CompiledPolicy;
use super::letters::LetterBuilder;
use super::observation::EventFault;
use super::paths::{as_path, path_matches};
use super::program::{HASHED, UNKNOWN_VALUE};
use super::said::Said;
use super::tool_name::ToolName;
use crate::language::{ActionId, Amount, EventKind, LawAtom, Match, OUTCOMES, Policy, RegisterId};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Glob, IdSet, sha256};
use tsl_synth_core::json_text::{JsonSlice, Lookup, canonical, is_beyond, judged};
use tsl_synth_core::model::{HostEvent, JsonText, Pointer, ValueComparison};

/// Lists and objects with longer texts are bound by the hash of it, in bytes.
const LONGEST_VALUE: usize = 256;

/// The document that contains a value of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventDocument {
    Arguments,
    Result,
    Event,
    /// The answers of probes.
    Probes,
    /// The name of the tool (0) or of its server (1).
    Host,
}

/// What tables can bind of a call besides its arguments.
const HOST: [&str; 2] = ["/tool", "/server"];

/// Whether the conditions of a table hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held<'p> {
    /// One of them does not.
    No,
    /// That cannot be judged: the value at this pointer is missing, or of a type that the condition is not about.
    Unjudged(&'p Pointer),
    /// That cannot be judged for no other reason than that the probe of this pointer has no such answer.
    Unanswered(&'p Pointer),
    /// They do.
    Yes,
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
    said: Vec<(EventDocument, usize)>,
    binds: Vec<(EventDocument, usize)>,
}

/// The tables of a policy, prepared for events.
#[derive(Debug)]
pub(super) struct EventTables {
    tables: Vec<EventTable>,
    pub(super) arguments: WantedValues,
    pub(super) results: WantedValues,
    pub(super) events: WantedValues,
    pub(super) probes: WantedValues,
    /// The registers of amounts in arguments, with the indices of the amounts in `arguments`.
    pub(super) amounts: Vec<(RegisterId, usize)>,
    /// The registers of amounts in results, with the indices of the amounts in `results`.
    pub(super) result_amounts: Vec<(RegisterId, usize)>,
    /// The tables that name tools without wildcards, by the tool.
    by_tool: FxHashMap<Box<str>, Vec<usize>>,
    /// The other tables.
    of_any_tool: Vec<usize>,
    /// Whether there are tables about results.
    pub(super) has_results: bool,
    /// The actions that some table names.
    pub(super) named_actions: IdSet<ActionId>,
    /// Whether some table about results, or a sum that counts results, refers to arguments.
    pub(super) keeps_arguments: bool,
}

impl EventTables {
    /// The tables that may be about calls or results of a tool, in their order.
    pub(super) fn of_tool(&self, tool: &ToolName<'_>) -> Vec<usize> {
        let names = tool.names().chain(tool.joined().map(|(_, tool)| tool));
        let named = names.filter_map(|name| self.by_tool.get(name)).flatten();
        let mut all: Vec<usize> = named.chain(&self.of_any_tool).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
    /// Prepares the tables of a policy.
    pub(super) fn new(compiled: &CompiledPolicy) -> Self {
        let policy = &compiled.policy;
        let (mut arguments, mut results, mut events, mut probes) = (
            WantedValues::default(),
            WantedValues::default(),
            WantedValues::default(),
            WantedValues::default(),
        );
        let mut place = |on: EventKind, pointer: &Pointer| -> (EventDocument, usize) {
            let of_tool = matches!(on, EventKind::Call | EventKind::Result);
            let host = HOST.iter().position(|name| of_tool && pointer.to_string() == *name);
            if let Some(place) = host {
                (EventDocument::Host, place)
            } else if let (EventKind::Call, Some(_), Some(inner)) =
                (on, policy.probe_at(pointer), pointer.within("probe"))
            {
                (EventDocument::Probes, probes.add(inner))
            } else if let (true, Some(inner)) = (of_tool, pointer.within("arguments")) {
                (EventDocument::Arguments, arguments.add(inner))
            } else if let (EventKind::Result, Some(inner)) = (on, pointer.within("result")) {
                (EventDocument::Result, results.add(inner))
            } else {
                (EventDocument::Event, events.add(pointer.clone()))
            }
        };
        let mut tables = Vec::new();
        for table in &policy.matches {
            let conditions = table.conditions.iter().map(|one| place(table.on, &one.pointer)).collect();
            let binds = table.bind.iter().map(|(_, pointer)| place(table.on, pointer)).collect();
            let said = table.said.iter().map(|one| place(table.on, &one.pointer)).collect();
            tables.push(EventTable { conditions, said, binds });
        }
        let keeps_arguments = policy.matches.iter().zip(&tables).any(|(own, table)| {
            let used = table.conditions.iter().chain(&table.binds);
            own.on == EventKind::Result
                && used.into_iter().any(|(document, _)| *document == EventDocument::Arguments)
        });
        let (mut amounts, mut result_amounts) = (Vec::new(), Vec::new());
        for (id, register) in policy.registers.enumerate() {
            if let Amount::Sum(pointer) = &register.amount {
                if let Some(inner) = pointer.within("result") {
                    result_amounts.push((id, results.add(inner)));
                } else {
                    let inner = pointer.within("arguments").unwrap_or_else(|| pointer.clone());
                    amounts.push((id, arguments.add(inner)));
                }
            }
        }
        let of_results = |&(id, _): &(RegisterId, usize)| {
            policy.atoms.actions.ids().any(|action| counts_results(policy, id, action))
        };
        let keeps_arguments = keeps_arguments || amounts.iter().any(of_results);
        for wanted in [&mut arguments, &mut results, &mut events, &mut probes] {
            wanted.lookup = Lookup::new(&wanted.pointers);
        }
        let (mut by_tool, mut of_any_tool): (FxHashMap<Box<str>, Vec<usize>>, _) =
            (FxHashMap::default(), Vec::new());
        for (i, table) in policy.matches.iter().enumerate() {
            let literals: Option<Vec<&str>> = table.tools.iter().map(Glob::literal).collect();
            match literals {
                Some(mut tools) if !tools.is_empty() => {
                    tools.sort_unstable();
                    tools.dedup();
                    for tool in tools {
                        by_tool.entry(tool.into()).or_default().push(i);
                    }
                }
                _ => of_any_tool.push(i),
            }
        }
        Self {
            tables,
            arguments,
            results,
            events,
            probes,
            amounts,
            result_amounts,
            by_tool,
            of_any_tool,
            has_results: policy.matches.iter().any(|table| table.on == EventKind::Result),
            named_actions: policy.matches.iter().filter_map(|table| table.action).collect(),
            keeps_arguments,
        }
    }
    /// The answers of probes about a call, as a document.
    pub(super) fn probe_answers(&self, event: &HostEvent<'_>) -> String {
        let outside = event.outside.as_ref().filter(|_| !self.probes.pointers.is_empty());
        outside.map_or_else(String::new, |outside| outside.probe_document())
    }
    /// Whether a table refers to values in the documents.
    pub(super) fn asks(&self, i: usize) -> bool {
        let EventTable { conditions, said, binds } = &self.tables[i];
        !conditions.is_empty() || !said.is_empty() || !binds.is_empty()
    }
    /// Whether a table applies only under conditions on values in the documents.
    pub(super) fn has_conditions(&self, i: usize) -> bool {
        !self.tables[i].conditions.is_empty() || !self.tables[i].said.is_empty()
    }
    /// Whether a table refers to values in the arguments of a call.
    pub(super) fn asks_arguments(&self, i: usize) -> bool {
        let EventTable { conditions, said, binds } = &self.tables[i];
        let mut used = conditions.iter().chain(said).chain(binds);
        used.any(|(document, _)| *document == EventDocument::Arguments)
    }
    /// Whether the conditions of a table hold. Only tables about calls can be unjudged: a call can be refused then.
    pub(super) fn hold<'p>(&self, i: usize, table: &'p Match, values: &FoundValues<'_>) -> Held<'p> {
        let mut held = Held::Yes;
        for (condition, &(document, place)) in table.conditions.iter().zip(&self.tables[i].conditions) {
            let found = values.get(document, place);
            if document == EventDocument::Probes && found.is_none() {
                if held == Held::Yes {
                    held = Held::Unanswered(&condition.pointer);
                }
                continue;
            }
            match compared(&condition.comparison, found) {
                Some(false) => return Held::No,
                None if table.on != EventKind::Call => return Held::No,
                None if document == EventDocument::Arguments
                    && is_beyond(&self.arguments.pointers[place], values.text) =>
                {
                    return Held::No;
                }
                None if !matches!(held, Held::Unjudged(_)) => held = Held::Unjudged(&condition.pointer),
                Some(true) | None => {}
            }
        }
        for (condition, &(document, place)) in table.said.iter().zip(&self.tables[i].said) {
            match values.is_said(&condition.sources, values.get(document, place)) {
                Some(is_said) if is_said != condition.is_said => return Held::No,
                None if !matches!(held, Held::Unjudged(_)) => held = Held::Unjudged(&condition.pointer),
                Some(_) | None => {}
            }
        }
        held
    }
    /// As [`EventTables::hold`]; adds a fault if that cannot be judged, each once.
    pub(super) fn held(
        &self,
        i: usize,
        table: &Match,
        values: &FoundValues<'_>,
        faults: &mut Vec<EventFault>,
    ) -> bool {
        let held = self.hold(i, table, values);
        let what = match held {
            Held::Unjudged(pointer) => {
                format!("`{pointer}` is missing, or no value that the policy can compare")
            }
            Held::Unanswered(pointer) => format!("`{pointer}` is not known"),
            Held::Yes | Held::No => return held == Held::Yes,
        };
        let fault = EventFault::BadValue(what);
        if !faults.contains(&fault) {
            faults.push(fault);
        }
        false
    }
    /// The same for a table about commands: whether the conditions hold or, for want of the answer of a probe, may hold;
    /// the second value is whether they do for sure. Without an answer there is no fault, since the command may be none
    /// that the table is about.
    pub(super) fn may_hold(
        &self,
        i: usize,
        table: &Match,
        values: &FoundValues<'_>,
        faults: &mut Vec<EventFault>,
    ) -> Option<bool> {
        match self.hold(i, table, values) {
            Held::Unanswered(_) => Some(false),
            _ => self.held(i, table, values, faults).then_some(true),
        }
    }
    /// The values that a table binds, by their names, equal values by the same text: of numbers, lists and objects that is
    /// the canonical one. A value that is missing or `null` is [`UNKNOWN_VALUE`].
    pub(super) fn bound<'t>(
        &'t self,
        i: usize,
        table: &'t Match,
        values: &'t FoundValues<'_>,
    ) -> impl Iterator<Item = (&'t str, String)> {
        let text = |found: JsonSlice<'_>| match (found.as_str(), found.string()) {
            ("null", _) => None,
            (_, Some(text)) => Some(text.into_owned()),
            (other, None) => canonical(&JsonText::borrowed(other)).ok().map(|text| {
                let is_short = text.len() <= LONGEST_VALUE;
                if is_short { text } else { format!("{HASHED}{}", sha256(text.as_bytes())) }
            }),
        };
        table.bind.iter().zip(&self.tables[i].binds).map(move |((name, pointer), &(document, place))| {
            let value = match document {
                EventDocument::Host => values.host[place].map(str::to_owned),
                _ => values.get(document, place).and_then(text).map(|value| as_path(pointer, value)),
            };
            (name.as_str(), value.unwrap_or_else(|| UNKNOWN_VALUE.to_owned()))
        })
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
        if !self.held(i, table, values, faults) {
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
        for (name, value) in self.bound(i, table, values) {
            if letter.bind(name, value) {
                faults
                    .push(EventFault::Contradiction(format!("two tables bind `{name}` to different values")));
            }
        }
        true
    }
}

/// Whether a comparison holds for a value; texts are compared with globs as the paths that they name.
fn compared(comparison: &ValueComparison, found: Option<JsonSlice<'_>>) -> Option<bool> {
    match (comparison, found.and_then(JsonSlice::string)) {
        (ValueComparison::Glob(globs), Some(text)) => path_matches(globs, &text),
        _ => judged(comparison, found),
    }
}

/// Whether a register counts some outcome of an action, or takes its amount back.
pub fn counts_results(policy: &Policy, register: RegisterId, action: ActionId) -> bool {
    let register = &policy.registers[register];
    [register.on, register.returned_on].iter().any(|&guard| {
        let support = policy.guards.support(guard);
        OUTCOMES.iter().any(|&outcome| support.contains(&policy.atoms.bit(LawAtom::Result(action, outcome))))
    })
}

/// The values found in the documents of an event.
pub(super) struct FoundValues<'v> {
    /// The text of the arguments of a call.
    pub(super) text: &'v str,
    pub(super) arguments: &'v [Option<JsonSlice<'v>>],
    pub(super) result: &'v [Option<JsonSlice<'v>>],
    pub(super) event: &'v [Option<JsonSlice<'v>>],
    /// The answers of probes.
    pub(super) probes: &'v [Option<JsonSlice<'v>>],
    /// The tool of a call and its server.
    pub(super) host: [Option<&'v str>; 2],
    /// What was said before; `None` where no table asks.
    pub(super) said: Option<&'v Said>,
}

impl<'v> FoundValues<'v> {
    fn is_said(&self, sources: &[usize], found: Option<JsonSlice<'_>>) -> Option<bool> {
        self.said?.has(sources, found)
    }
    fn get(&self, document: EventDocument, place: usize) -> Option<JsonSlice<'v>> {
        let all = match document {
            EventDocument::Arguments => self.arguments,
            EventDocument::Result => self.result,
            EventDocument::Event => self.event,
            EventDocument::Probes => self.probes,
            EventDocument::Host => &[],
        };
        all.get(place).copied().flatten()
    }
}
