//! From events to letters: the `[[match]]` tables of a policy.
//!
//! An event that no table matches and that names no action says nothing. A policy without a table for an action reads a call
//! of the tool with the action's own name as that action, and observations name propositions.

use super::compiled::CompiledPolicy;
use super::program::{BoundLetter, Program};
use crate::base::Decimal;
use crate::format::json_text::{Found, Lookup, holds, unpacked};
use crate::model::{HostEvent, HostEventKind, JsonText, Outcome, Pointer, Speaker};
use crate::spec::policy::{ActionId, Amount, Atom, Match, Named, On, RegisterId, Unmatched};
use std::collections::{BTreeMap, VecDeque};

/// More calls than this without results are not waited for.
const MAX_PENDING: usize = 1 << 16;

/// What an event says.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// Nothing.
    Nothing,
    /// The agent calls a tool.
    Call {
        /// The number of the call in the session.
        call: u64,
        /// Its letters.
        program: Program,
        /// What becomes of it because no table names it.
        unmatched: Option<Unmatched>,
    },
    /// A call ended.
    Result {
        /// The number of the call; `None` for a call that was not seen.
        call: Option<u64>,
        /// How.
        outcome: Outcome,
        /// What else the result says.
        letter: BoundLetter,
    },
    /// Truths, of the world or the session.
    Truths {
        /// What is said.
        letter: BoundLetter,
        /// Whether all truths of the world are named.
        complete: bool,
    },
    /// A step of a trace over names.
    Step {
        /// What is true in it.
        letter: BoundLetter,
        /// What the agent does in it.
        action: Option<ActionId>,
        /// Whether the agent wants to stop after it.
        ends: bool,
    },
    /// The agent wants to stop.
    End,
    /// The session is over.
    Close,
}

/// Something that is wrong with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Arguments or a result that are no JSON.
    BadJson(String),
    /// Two tables give a name two values, or name two actions of one group.
    Contradiction(String),
    /// An amount that is negative or no number.
    BadAmount(String),
    /// An observation names a proposition that the policy does not have.
    UnknownName(String),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadJson(what) => write!(f, "{what} is not JSON"),
            Self::Contradiction(what) | Self::BadAmount(what) | Self::UnknownName(what) => f.write_str(what),
        }
    }
}

/// Where a value of a table stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Document {
    Arguments,
    Result,
    Event,
}

/// Values that tables ask for, in each document.
#[derive(Debug, Default)]
struct Wanted {
    pointers: Vec<Pointer>,
    lookup: Lookup,
}

impl Wanted {
    fn add(&mut self, pointer: Pointer) -> usize {
        if let Some(known) = self.pointers.iter().position(|one| *one == pointer) {
            return known;
        }
        self.pointers.push(pointer);
        self.pointers.len() - 1
    }
}

/// A table, and where its values are in what was looked up.
#[derive(Debug)]
struct Table {
    conditions: Vec<(Document, usize)>,
    binds: Vec<(Document, usize)>,
}

/// A call whose result has not come.
#[derive(Debug)]
struct Waiting {
    call: u64,
    id: Option<String>,
    server: Option<String>,
    tool: String,
    arguments: Option<JsonText<'static>>,
    bindings: Vec<(String, String)>,
}

/// Turns the events of one session into letters.
#[derive(Debug)]
pub struct Interpreter<'p> {
    compiled: &'p CompiledPolicy,
    tables: Vec<Table>,
    arguments: Wanted,
    results: Wanted,
    events: Wanted,
    /// Where the amounts of registers stand in arguments.
    amounts: Vec<(RegisterId, usize)>,
    /// Whether some table about results looks at arguments.
    keeps_arguments: bool,
    waiting: VecDeque<Waiting>,
    calls: u64,
}

impl<'p> Interpreter<'p> {
    /// For the first event of a session.
    pub fn new(compiled: &'p CompiledPolicy) -> Self {
        let policy = &compiled.policy;
        let (mut arguments, mut results, mut events) =
            (Wanted::default(), Wanted::default(), Wanted::default());
        let mut place = |on: On, pointer: &Pointer| -> (Document, usize) {
            if let (true, Some(inner)) = (matches!(on, On::Call | On::Result), pointer.within("arguments")) {
                (Document::Arguments, arguments.add(inner))
            } else if let (On::Result, Some(inner)) = (on, pointer.within("result")) {
                (Document::Result, results.add(inner))
            } else {
                (Document::Event, events.add(pointer.clone()))
            }
        };
        let mut tables = Vec::new();
        for table in &policy.matches {
            let conditions = table.conditions.iter().map(|one| place(table.on, &one.pointer)).collect();
            let binds = table.bind.iter().map(|(_, pointer)| place(table.on, pointer)).collect();
            tables.push(Table { conditions, binds });
        }
        let keeps_arguments = policy.matches.iter().zip(&tables).any(|(own, table)| {
            let used = table.conditions.iter().chain(&table.binds);
            own.on == On::Result && used.into_iter().any(|(document, _)| *document == Document::Arguments)
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
        Self {
            compiled,
            tables,
            arguments,
            results,
            events,
            amounts,
            keeps_arguments,
            waiting: VecDeque::new(),
            calls: 0,
        }
    }

    /// What an event says. Faults are added to `faults`.
    pub fn read(&mut self, event: &HostEvent<'_>, faults: &mut Vec<Fault>) -> Told {
        match &event.kind {
            HostEventKind::Start => self.truths(On::Start, &BTreeMap::new(), faults),
            HostEventKind::Tick => self.truths(On::Tick, &BTreeMap::new(), faults),
            HostEventKind::End => match self.truths(On::End, &BTreeMap::new(), faults) {
                Told::Nothing => Told::End,
                told => told,
            },
            HostEventKind::Close => Told::Close,
            HostEventKind::Message { speaker, text } => self.message(*speaker, text, faults),
            HostEventKind::Call { id, server, tool, arguments } => {
                self.call(id.as_deref(), server.as_deref(), tool, arguments, faults)
            }
            HostEventKind::Result { call, outcome, result } => {
                self.result(call.as_deref(), *outcome, result.as_ref(), faults)
            }
            HostEventKind::Observe { truths, complete } => self.observe(truths, *complete, faults),
            HostEventKind::Step { props, action, end } => {
                let truths = props.iter().map(|name| (name.clone(), true)).collect();
                let letter = match self.observe(&truths, true, faults) {
                    Told::Truths { letter, .. } => letter,
                    _ => BoundLetter::default(),
                };
                let atoms = &self.compiled.policy.atoms;
                let named = action.as_ref().and_then(|name| atoms.named(name));
                let known = if let Some(Named::Action(action)) = named { Some(action) } else { None };
                if let (Some(name), None) = (action, known) {
                    faults.push(Fault::UnknownName(format!("the policy has no action `{name}`")));
                }
                Told::Step { letter, action: known, ends: *end }
            }
        }
    }

    /// The tables about some events that a test does not exclude.
    fn about(&self, on: On) -> impl Iterator<Item = (usize, &'p Match)> + use<'p> {
        self.compiled.policy.matches.iter().enumerate().filter(move |(_, table)| table.on == on)
    }

    fn message(&mut self, speaker: Speaker, text: &str, faults: &mut Vec<Fault>) -> Told {
        let mut values = None;
        let mut letter = Letters::default();
        for (i, table) in self.about(On::Message) {
            let is_user = speaker == Speaker::User;
            if table.user.is_some_and(|user| user != is_user)
                || table.regex.as_ref().is_some_and(|regex| !regex.is_match(text))
            {
                continue;
            }
            let values = values.get_or_insert_with(|| {
                serde_json::json!({ "text": text, "role": if is_user { "user" } else { "agent" } })
                    .to_string()
            });
            let found = self.events.lookup.find(values).unwrap_or_default();
            self.apply(i, table, &Values { arguments: &[], result: &[], event: &found }, &mut letter, faults);
        }
        letter.truths(self.compiled, false)
    }

    fn truths(&mut self, on: On, truths: &BTreeMap<&str, bool>, faults: &mut Vec<Fault>) -> Told {
        let mut letter = Letters::default();
        let values = serde_json::json!(truths).to_string();
        for (i, table) in self.about(on) {
            let found = self.events.lookup.find(&values).unwrap_or_default();
            self.apply(i, table, &Values { arguments: &[], result: &[], event: &found }, &mut letter, faults);
        }
        letter.truths(self.compiled, false)
    }

    fn observe(
        &mut self,
        truths: &BTreeMap<std::borrow::Cow<'_, str>, bool>,
        complete: bool,
        faults: &mut Vec<Fault>,
    ) -> Told {
        let atoms = &self.compiled.policy.atoms;
        let mut letter = Letters::default();
        let plain: BTreeMap<&str, bool> =
            truths.iter().map(|(name, value)| (name.as_ref(), *value)).collect();
        for (name, &value) in &plain {
            match atoms.named(name) {
                Some(Named::Proposition(id)) if !atoms.propositions[id].is_computed => {
                    letter.set.insert(id, value);
                }
                Some(_) | None => {
                    faults.push(Fault::UnknownName(format!("`{name}` is no proposition to observe")));
                }
            }
        }
        if complete {
            for (id, proposition) in atoms.propositions.enumerate() {
                if !proposition.is_computed {
                    letter.set.entry(id).or_insert(false);
                }
            }
        }
        let values = serde_json::json!(plain).to_string();
        for (i, table) in self.about(On::Observe) {
            let found = self.events.lookup.find(&values).unwrap_or_default();
            self.apply(i, table, &Values { arguments: &[], result: &[], event: &found }, &mut letter, faults);
        }
        letter.truths(self.compiled, complete)
    }

    fn call(
        &mut self,
        id: Option<&str>,
        server: Option<&str>,
        tool: &str,
        arguments: &JsonText<'_>,
        faults: &mut Vec<Fault>,
    ) -> Told {
        let policy = &self.compiled.policy;
        self.calls += 1;
        let call = self.calls;
        let named: Vec<(usize, &Match)> =
            self.about(On::Call).filter(|(_, table)| is_about(table, server, tool)).collect();
        let unpacked =
            arguments.as_str().trim_start().starts_with('"').then(|| unpacked(arguments)).flatten();
        let text = unpacked.as_ref().unwrap_or(arguments).as_str();
        let asks = |(i, _): &(usize, &Match)| {
            let table = &self.tables[*i];
            !table.conditions.is_empty() || !table.binds.is_empty()
        };
        let mut letter = Letters::default();
        let needs = named.iter().any(asks) || !self.amounts.is_empty();
        let found = if needs { self.arguments.lookup.find(text) } else { Ok(Vec::new()) };
        let found = found.unwrap_or_else(|_| {
            faults.push(Fault::BadJson("the text of the arguments".into()));
            vec![None; self.arguments.pointers.len()]
        });
        let values = Values { arguments: &found, result: &[], event: &[] };
        let mut matched = false;
        for &(i, table) in &named {
            if table.shell.is_none() {
                matched |= self.apply(i, table, &values, &mut letter, faults);
            }
        }
        let shell: Vec<(usize, &Match)> = named
            .iter()
            .copied()
            .filter(|&(i, table)| table.shell.is_some() && self.hold(i, table, &values))
            .collect();
        // The tool's own name, where no table tells what the action is.
        if let Some(Named::Action(action)) = policy.atoms.named(tool)
            && !policy.matches.iter().any(|table| table.action == Some(action))
        {
            letter.action(action);
            matched = true;
        }
        letter.check_groups(self.compiled, faults);
        for &(register, place) in &self.amounts {
            let counted = policy.registers[register].on;
            if policy.guards.contains(counted, &letter.bits(self.compiled)) {
                match found.get(place).copied().flatten().and_then(Found::number) {
                    Some(amount) if !amount.is_negative() => letter.amounts.push((register, amount)),
                    _ => faults.push(Fault::BadAmount(format!(
                        "the amount for `{}` is missing, negative or no number",
                        policy.atoms.propositions[policy.registers[register].proposition].name
                    ))),
                }
            }
        }
        let bindings = letter.bindings();
        let actions = letter.actions.clone();
        let has_results = policy.matches.iter().any(|table| table.on == On::Result);
        if matched || has_results || !shell.is_empty() {
            if self.waiting.len() == MAX_PENDING {
                self.waiting.pop_front();
            }
            self.waiting.push_back(Waiting {
                call,
                id: id.map(str::to_string),
                server: server.map(str::to_string),
                tool: tool.to_string(),
                arguments: self.keeps_arguments.then(|| JsonText(text.to_string().into())),
                bindings: bindings.clone(),
            });
        }
        let program = if letter.is_silent() {
            Program::silent()
        } else {
            Program::one(letter.bound(self.compiled), actions)
        };
        let program = if shell.is_empty() {
            program
        } else {
            matched = true;
            super::script::program(self.compiled, program, &shell, text, &bindings)
        };
        Told::Call { call, program, unmatched: (!matched).then_some(policy.unmatched) }
    }

    fn result(
        &mut self,
        id: Option<&str>,
        outcome: Outcome,
        result: Option<&JsonText<'_>>,
        faults: &mut Vec<Fault>,
    ) -> Told {
        let place = self.waiting.iter().position(|one| one.id.as_deref() == id);
        let Some(waiting) = place.and_then(|place| self.waiting.remove(place)) else {
            return Told::Result { call: None, outcome, letter: BoundLetter::default() };
        };
        let about: Vec<(usize, &Match)> = self
            .about(On::Result)
            .filter(|(_, table)| is_about(table, waiting.server.as_deref(), &waiting.tool))
            .filter(|(_, table)| {
                table.ok.is_none_or(|ok| ok == (outcome == Outcome::Ok) && outcome != Outcome::Unknown)
            })
            .collect();
        let mut letter = Letters::default();
        for (name, value) in &waiting.bindings {
            letter.bind.insert(name.clone(), value.clone());
        }
        if !about.is_empty() {
            // Many tools give their results as a text that holds JSON.
            let inner = result.and_then(|text| {
                text.as_str().trim_start().starts_with('"').then(|| unpacked(text)).flatten()
            });
            let text = inner.as_ref().or(result).map_or("null", JsonText::as_str);
            let arguments = waiting.arguments.as_ref().map_or("null", JsonText::as_str);
            let found = self.arguments.lookup.find(arguments).unwrap_or_default();
            let results = self.results.lookup.find(text).unwrap_or_else(|_| {
                faults.push(Fault::BadJson("the text of a result".into()));
                Vec::new()
            });
            let values = Values { arguments: &found, result: &results, event: &[] };
            for (i, table) in about {
                self.apply(i, table, &values, &mut letter, faults);
            }
        }
        Told::Result { call: Some(waiting.call), outcome, letter: letter.bound(self.compiled) }
    }

    /// Whether the conditions of a table hold.
    fn hold(&self, i: usize, table: &Match, values: &Values<'_>) -> bool {
        let own = &self.tables[i];
        table
            .conditions
            .iter()
            .zip(&own.conditions)
            .all(|(condition, &(document, place))| holds(&condition.comparison, values.get(document, place)))
    }

    /// Adds what a table says if its conditions hold; whether they do.
    fn apply(
        &self,
        i: usize,
        table: &Match,
        values: &Values<'_>,
        letter: &mut Letters,
        faults: &mut Vec<Fault>,
    ) -> bool {
        if !self.hold(i, table, values) {
            return false;
        }
        if let Some(action) = table.action {
            letter.action(action);
        }
        for &(proposition, value) in &table.set {
            if letter.set.insert(proposition, value).is_some_and(|before| before != value) {
                let name = &self.compiled.policy.atoms.propositions[proposition].name;
                faults.push(Fault::Contradiction(format!("two tables disagree on `{name}`")));
            }
        }
        for ((name, _), &(document, place)) in table.bind.iter().zip(&self.tables[i].binds) {
            let Some(found) = values.get(document, place) else { continue };
            let value =
                found.string().map_or_else(|| found.as_str().to_string(), std::borrow::Cow::into_owned);
            if letter.bind.insert(name.clone(), value.clone()).is_some_and(|before| before != value) {
                faults.push(Fault::Contradiction(format!("two tables bind `{name}` to different values")));
            }
        }
        true
    }
}

/// Whether a table is about a tool of a server.
fn is_about(table: &Match, server: Option<&str>, tool: &str) -> bool {
    (table.tools.is_empty() || table.tools.iter().any(|glob| glob.matches(tool)))
        && (table.servers.is_empty()
            || server.is_some_and(|server| table.servers.iter().any(|glob| glob.matches(server))))
}

/// What was found in the documents of an event.
struct Values<'v> {
    arguments: &'v [Option<Found<'v>>],
    result: &'v [Option<Found<'v>>],
    event: &'v [Option<Found<'v>>],
}

impl<'v> Values<'v> {
    fn get(&self, document: Document, place: usize) -> Option<Found<'v>> {
        let all = match document {
            Document::Arguments => self.arguments,
            Document::Result => self.result,
            Document::Event => self.event,
        };
        all.get(place).copied().flatten()
    }
}

/// A letter in the making.
#[derive(Default)]
struct Letters {
    actions: Vec<ActionId>,
    set: BTreeMap<crate::spec::policy::PropositionId, bool>,
    bind: BTreeMap<String, String>,
    amounts: Vec<(RegisterId, Decimal)>,
}

impl Letters {
    fn action(&mut self, action: ActionId) {
        if !self.actions.contains(&action) {
            self.actions.push(action);
        }
    }
    fn is_silent(&self) -> bool {
        self.actions.is_empty() && self.set.is_empty()
    }
    fn bindings(&self) -> Vec<(String, String)> {
        self.bind.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
    fn bits(&self, compiled: &CompiledPolicy) -> crate::logic::Letter {
        let atoms = &compiled.policy.atoms;
        let mut letter = crate::logic::Letter::default();
        for &action in &self.actions {
            letter.insert(atoms.bit(Atom::Call(action)));
        }
        for (&id, &value) in &self.set {
            match (value, atoms.propositions[id].is_state) {
                (true, _) => letter.insert(atoms.bit(Atom::Proposition(id))),
                (false, true) => letter.insert(atoms.bit(Atom::Clear(id))),
                (false, false) => false,
            };
        }
        letter
    }
    fn bound(&self, compiled: &CompiledPolicy) -> BoundLetter {
        BoundLetter { letter: self.bits(compiled), bindings: self.bindings(), amounts: self.amounts.clone() }
    }
    fn truths(&self, compiled: &CompiledPolicy, complete: bool) -> Told {
        if self.is_silent() && !complete {
            return Told::Nothing;
        }
        Told::Truths { letter: self.bound(compiled), complete }
    }
    fn check_groups(&self, compiled: &CompiledPolicy, faults: &mut Vec<Fault>) {
        let actions = &compiled.policy.atoms.actions;
        for (i, &one) in self.actions.iter().enumerate() {
            if let Some(&other) =
                self.actions[..i].iter().find(|&&other| actions[other].group == actions[one].group)
            {
                faults.push(Fault::Contradiction(format!(
                    "one call is `{}` and `{}`, which are of one group",
                    actions[other].name, actions[one].name
                )));
            }
        }
    }
}
