//! From events to letters: the `[[match]]` tables of a policy.
//!
//! An event that no table matches and that names no action has no letter. If a policy has no table for an action, a
//! call of the tool with the action's own name is that action; observations refer to propositions by name.

use super::compiled::CompiledPolicy;
use super::event_tables::{EventTables, FoundValues, counts_results};
use super::letters::LetterBuilder;
use super::observation::{EventContent, EventFault};
use super::program::{BoundLetter, Program};
use super::said::Said;
use super::script::{ShellCall, ShellTable};
use super::tool_name::ToolName;
use crate::language::{DefaultRuling, EventKind, LawAtom, Match, Named};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tsl_synth_core::base::Decimal;
use tsl_synth_core::json_text::{JsonSlice, unpacked};
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, Speaker};

/// The maximal number of calls without results that are remembered; beyond it the oldest is dropped.
const MAX_PENDING: usize = 1 << 16;

/// A call whose result has not arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Its number in the session.
    pub call: u64,
    /// The name by which its result refers to it.
    pub id: Option<String>,
    /// The MCP server.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// Its arguments, if a table about results refers to them.
    pub arguments: Option<JsonText<'static>>,
    /// The values that it bound.
    pub bindings: Vec<(String, String)>,
}

/// Turns the events of one session into letters.
#[derive(Clone, Debug)]
pub struct Interpreter {
    tables: Arc<EventTables>,
    waiting: VecDeque<Waiting>,
    calls: u64,
    /// What was said, if a table asks.
    said: Said,
}

impl Interpreter {
    /// An interpreter for a new session.
    pub fn new(compiled: &CompiledPolicy) -> Self {
        Self {
            tables: Arc::new(EventTables::new(compiled)),
            waiting: VecDeque::new(),
            calls: 0,
            said: Said::default(),
        }
    }
    /// An interpreter for another new session of the same policy.
    pub fn another(&self) -> Self {
        Self { tables: self.tables.clone(), waiting: VecDeque::new(), calls: 0, said: Said::default() }
    }
    pub(super) fn tables(&self) -> &EventTables {
        &self.tables
    }
    /// The number of calls so far, and the calls whose results have not arrived.
    pub fn calls(&self) -> (u64, impl Iterator<Item = &Waiting>) {
        (self.calls, self.waiting.iter())
    }
    /// Continues after this number of calls, with those whose results have not arrived.
    pub fn with_calls(self, calls: u64, waiting: impl IntoIterator<Item = Waiting>) -> Self {
        Self { calls, waiting: waiting.into_iter().collect(), ..self }
    }
    /// What was said in the session, as far as tables ask: texts with the numbers of their sources.
    pub fn said_texts(&self) -> &[(usize, String)] {
        self.said.texts()
    }
    /// Continues after these texts.
    #[must_use]
    pub fn with_said(self, texts: Vec<(usize, String)>) -> Self {
        Self { said: Said::of(texts), ..self }
    }
    pub(super) fn said(&self) -> &Said {
        &self.said
    }
    /// The call that a result with this id is of.
    pub(super) fn waiting(&self, id: Option<&str>) -> Option<&Waiting> {
        self.waiting.iter().find(|one| one.id.as_deref() == id)
    }
    /// The bits that messages may set.
    pub(super) fn message_bits(compiled: &CompiledPolicy) -> Letter {
        let tables = Self::about(compiled, EventKind::Message);
        tables.flat_map(|(_, table)| table_bits(compiled, table)).collect()
    }
    /// The bits that a call of a tool may set, depending on what is not told about it.
    pub(super) fn call_bits(&self, compiled: &CompiledPolicy, server: Option<&str>, tool: &str) -> Letter {
        let tables = self.about_tool(compiled, EventKind::Call, server, tool);
        let is_open = |&(i, table): &(usize, &Match)| table.shell.is_some() || self.tables.has_conditions(i);
        let mut tables = tables.into_iter().filter(is_open).peekable();
        let mut bits = Letter::new();
        if tables.peek().is_some() {
            bits.insert(compiled.policy.atoms.bit(LawAtom::Opaque));
        }
        bits.extend(tables.flat_map(|(_, table)| table_bits(compiled, table)));
        bits
    }
    /// The names that calls of a tool bind to values.
    pub(super) fn bound_names(
        &self,
        compiled: &CompiledPolicy,
        server: Option<&str>,
        tool: &str,
    ) -> BTreeSet<String> {
        let tables = self.about_tool(compiled, EventKind::Call, server, tool).into_iter();
        tables.flat_map(|(_, table)| table.bind.iter().map(|(name, _)| name.clone())).collect()
    }
    /// Whether tables about results of a tool ask for the arguments of its calls.
    pub(super) fn results_ask_arguments(
        &self,
        compiled: &CompiledPolicy,
        server: Option<&str>,
        tool: &str,
    ) -> bool {
        let tables = self.about_tool(compiled, EventKind::Result, server, tool);
        tables.into_iter().any(|(i, _)| self.tables.asks_arguments(i))
    }
    /// The bits that a result of a tool with one of these outcomes may set, depending on its value or on the arguments of its
    /// call.
    pub(super) fn value_bits(
        &self,
        compiled: &CompiledPolicy,
        server: Option<&str>,
        tool: &str,
        outcomes: &[CallOutcome],
    ) -> Letter {
        let tables = self.about_tool(compiled, EventKind::Result, server, tool).into_iter();
        let is_possible = |ok: bool| {
            outcomes.iter().any(|&one| one == CallOutcome::Unknown || (one == CallOutcome::Ok) == ok)
        };
        let open = tables.filter(|&(i, table)| self.tables.asks(i) && table.ok.is_none_or(is_possible));
        open.flat_map(|(_, table)| table_bits(compiled, table)).collect()
    }
    /// The bits that a result of a tool may set, depending on its outcome, and with `by_value` on its value or on the
    /// arguments of its call.
    pub(super) fn result_bits(
        &self,
        compiled: &CompiledPolicy,
        server: Option<&str>,
        tool: &str,
        by_value: bool,
    ) -> Letter {
        let tables = self.about_tool(compiled, EventKind::Result, server, tool);
        let open =
            tables.into_iter().filter(|&(i, table)| table.ok.is_some() || by_value && self.tables.asks(i));
        open.flat_map(|(_, table)| table_bits(compiled, table)).collect()
    }
    /// Forgets a call that was not made.
    pub fn forget(&mut self, call: u64) {
        self.waiting.retain(|waiting| waiting.call != call);
    }

    /// The content of an event. Faults are added to `faults`.
    pub fn read(
        &mut self,
        compiled: &CompiledPolicy,
        event: &HostEvent<'_>,
        faults: &mut Vec<EventFault>,
    ) -> EventContent {
        match &event.kind {
            HostEventKind::Start => self.truths(compiled, EventKind::Start, &BTreeMap::new(), faults),
            HostEventKind::Tick => self.truths(compiled, EventKind::Tick, &BTreeMap::new(), faults),
            HostEventKind::End => match self.truths(compiled, EventKind::End, &BTreeMap::new(), faults) {
                EventContent::Truths { letter, .. } => EventContent::End { letter: Some(letter) },
                _ => EventContent::End { letter: None },
            },
            HostEventKind::Close => EventContent::Close,
            HostEventKind::Untold(_) => EventContent::Nothing,
            HostEventKind::Message { speaker, text } => self.message(compiled, *speaker, text, faults),
            HostEventKind::Call { .. } => self.call(compiled, event, faults),
            HostEventKind::Result { call, outcome, result } => {
                self.result(compiled, call.as_deref(), *outcome, result.as_ref(), faults)
            }
            HostEventKind::Observe { truths, complete } => self.observe(compiled, truths, *complete, faults),
            HostEventKind::Step { props, action, end } => {
                let truths = props.iter().map(|name| (name.clone(), true)).collect();
                let letter = match self.observe(compiled, &truths, true, faults) {
                    EventContent::Truths { letter, .. } => letter,
                    _ => BoundLetter::default(),
                };
                let atoms = &compiled.policy.atoms;
                let named = action.as_ref().and_then(|name| atoms.named(name));
                let known = if let Some(Named::Action(action)) = named { Some(action) } else { None };
                if let (Some(name), None) = (action, known) {
                    faults.push(EventFault::UnknownName(format!("the policy has no action `{name}`")));
                }
                EventContent::Step { letter, action: known, ends: *end }
            }
        }
    }

    /// The tables about events of one kind, with their indices.
    fn about(compiled: &CompiledPolicy, on: EventKind) -> impl Iterator<Item = (usize, &Match)> {
        compiled.policy.matches.iter().enumerate().filter(move |(_, table)| table.on == on)
    }

    /// The tables about calls or results of a tool, with their indices.
    pub(super) fn about_tool<'c>(
        &self,
        compiled: &'c CompiledPolicy,
        on: EventKind,
        server: Option<&str>,
        tool: &str,
    ) -> Vec<(usize, &'c Match)> {
        let named = ToolName::new(server, tool);
        let tables = self.tables.of_tool(&named).into_iter().map(|i| (i, &compiled.policy.matches[i]));
        let is_about = |table: &Match| named.is_one_of(&table.tools, &table.servers);
        tables.filter(|(_, table)| table.on == on && is_about(table)).collect()
    }

    /// Applies the tables about an event that is a single document, which is built only if there is such a table.
    fn apply_all(
        &self,
        compiled: &CompiledPolicy,
        on: EventKind,
        is_about: &dyn Fn(&Match) -> bool,
        document: &dyn Fn() -> String,
        letter: &mut LetterBuilder,
        faults: &mut Vec<EventFault>,
    ) {
        let mut text = None;
        for (i, table) in Self::about(compiled, on).filter(|(_, table)| is_about(table)) {
            let text = text.get_or_insert_with(document);
            let found = self.tables.events.lookup.find(text).unwrap_or_default();
            let values = FoundValues {
                text: "",
                arguments: &[],
                result: &[],
                event: &found,
                probes: &[],
                host: [None; 2],
                said: None,
            };
            self.tables.apply(compiled, i, table, &values, letter, faults);
        }
    }

    fn message(
        &mut self,
        compiled: &CompiledPolicy,
        speaker: Speaker,
        text: &str,
        faults: &mut Vec<EventFault>,
    ) -> EventContent {
        let mut letter = LetterBuilder::default();
        let is_user = speaker == Speaker::User;
        if is_user && compiled.policy.asks_what_was_said() {
            self.said.add(0, text);
        }
        let is_about = |table: &Match| {
            table.user.is_none_or(|user| user == is_user)
                && table.regex.as_ref().is_none_or(|regex| regex.is_match(text))
        };
        let document = || {
            serde_json::json!({ "text": text, "role": if is_user { "user" } else { "agent" } }).to_string()
        };
        self.apply_all(compiled, EventKind::Message, &is_about, &document, &mut letter, faults);
        letter.truths(compiled, false)
    }

    fn truths(
        &self,
        compiled: &CompiledPolicy,
        on: EventKind,
        truths: &BTreeMap<&str, bool>,
        faults: &mut Vec<EventFault>,
    ) -> EventContent {
        let mut letter = LetterBuilder::default();
        let document = || serde_json::json!(truths).to_string();
        self.apply_all(compiled, on, &|_| true, &document, &mut letter, faults);
        letter.truths(compiled, false)
    }

    fn observe(
        &mut self,
        compiled: &CompiledPolicy,
        truths: &BTreeMap<Cow<'_, str>, bool>,
        complete: bool,
        faults: &mut Vec<EventFault>,
    ) -> EventContent {
        let atoms = &compiled.policy.atoms;
        let mut letter = LetterBuilder::default();
        let plain: BTreeMap<&str, bool> =
            truths.iter().map(|(name, value)| (name.as_ref(), *value)).collect();
        for (name, &value) in &plain {
            match atoms.named(name) {
                Some(Named::Proposition(id)) if !atoms.propositions[id].is_computed => {
                    letter.set.insert(id, value);
                }
                Some(_) | None => {
                    faults.push(EventFault::UnknownName(format!("`{name}` is no proposition to observe")));
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
        let document = || serde_json::json!(plain).to_string();
        self.apply_all(compiled, EventKind::Observe, &|_| true, &document, &mut letter, faults);
        letter.truths(compiled, complete)
    }

    fn call(
        &mut self,
        compiled: &CompiledPolicy,
        event: &HostEvent<'_>,
        faults: &mut Vec<EventFault>,
    ) -> EventContent {
        let policy = &compiled.policy;
        let HostEventKind::Call { id, server, tool, arguments } = &event.kind else {
            return EventContent::Nothing;
        };
        let (id, name) = (id.as_deref(), ToolName::new(server.as_deref(), tool));
        let (server, tool) = (name.server, name.tool);
        self.calls += 1;
        let call = self.calls;
        let named = self.about_tool(compiled, EventKind::Call, server, tool);
        let text = arguments_text(arguments);
        let text = text.as_str();
        let mut letter = LetterBuilder::default();
        let needs = named.iter().any(|&(i, _)| self.tables.asks(i)) || !self.tables.amounts.is_empty();
        let found = if needs { self.tables.arguments.lookup.find(text) } else { Ok(Vec::new()) };
        let found = found.unwrap_or_else(|_| {
            faults.push(EventFault::BadJson("the text of the arguments".into()));
            vec![None; self.tables.arguments.pointers.len()]
        });
        let answers = self.tables.probe_answers(event);
        let probes = self.tables.probes.lookup.find(&answers).unwrap_or_default();
        let values = FoundValues {
            text,
            arguments: &found,
            result: &[],
            event: &[],
            probes: &probes,
            host: [Some(tool), server],
            said: Some(&self.said),
        };
        let mut matched = false;
        for &(i, table) in &named {
            if table.shell.is_none() {
                matched |= self.tables.apply(compiled, i, table, &values, &mut letter, faults);
            }
        }
        let mut shell: Vec<ShellTable<'_>> = Vec::new();
        for &(i, table) in &named {
            if let Some(own) = &table.shell
                && let Some(is_sure) = self.tables.may_hold(i, table, &values, faults)
            {
                let bind = self.tables.bound(i, table, &values);
                let bind = bind.map(|(name, value)| (name.to_owned(), value)).collect();
                shell.push(ShellTable { table, shell: own, bind, is_sure });
            }
        }
        // The tool's own name is the action if no table is about this action.
        for own in name.names() {
            if let Some(Named::Action(action)) = policy.atoms.named(own)
                && !self.tables.named_actions.contains(action)
            {
                letter.action(action);
                matched = true;
            }
        }
        letter.check_groups(compiled, faults);
        let bindings = letter.bindings();
        let actions = letter.actions.clone();
        if matched || self.tables.has_results || !shell.is_empty() || !policy.sources.is_empty() {
            if self.waiting.len() == MAX_PENDING {
                self.waiting.pop_front();
            }
            self.waiting.push_back(Waiting {
                call,
                id: id.map(str::to_string),
                server: server.map(str::to_string),
                tool: tool.to_string(),
                arguments: self.tables.keeps_arguments.then(|| JsonText(text.to_string().into())),
                bindings: bindings.clone(),
            });
        }
        let program = if letter.is_silent() {
            Program::silent()
        } else {
            Program::one(letter.bound(compiled), actions)
        };
        let mut program = program;
        if !shell.is_empty() {
            let scripts = event.scripts.as_ref().filter(|_| policy.read_scripts);
            let call =
                ShellCall { compiled, tables: &shell, tool, arguments: text, scripts, bindings: &bindings };
            let script = call.program(program, faults);
            // Where commands without a table pass there is nothing to say of them.
            matched |= script.is_named || policy.unmatched == DefaultRuling::Allow;
            program = script.program;
        }
        self.count(compiled, &mut program, &found, faults);
        let opaque = policy.atoms.bit(LawAtom::Opaque);
        let is_opaque = program.arrows.iter().flatten().filter_map(|arrow| arrow.letter.as_ref());
        let opaque = is_opaque
            .map(|letter| &letter.letter)
            .any(|letter| letter.contains(opaque))
            .then(|| shell.iter().map(|own| own.shell.opaque).min().unwrap_or(DefaultRuling::Deny));
        EventContent::Call { call, program, unmatched: (!matched).then_some(policy.unmatched), opaque }
    }

    /// Adds the amounts in arguments to the letters of a call that count them. A call that counts an amount, or whose
    /// results may, needs one.
    fn count(
        &self,
        compiled: &CompiledPolicy,
        program: &mut Program,
        found: &[Option<JsonSlice<'_>>],
        faults: &mut Vec<EventFault>,
    ) {
        let policy = &compiled.policy;
        for &(register, place) in &self.tables.amounts {
            let amount = amount_at(found, place);
            let mut is_needed = false;
            for letter in program.arrows.iter_mut().flatten().filter_map(|arrow| arrow.letter.as_mut()) {
                let is_counted = policy.guards.contains(policy.registers[register].on, &letter.letter);
                let may_be = |bit| match policy.atoms.atom(bit) {
                    LawAtom::Call(action) => counts_results(policy, register, action),
                    _ => false,
                };
                is_needed |= is_counted || letter.letter.iter().any(may_be);
                if let (true, Some(amount)) = (is_counted, &amount) {
                    letter.amounts.push((register, amount.clone()));
                }
            }
            if is_needed && amount.is_none() {
                faults.push(EventFault::BadAmount(format!(
                    "the amount for `{}` is missing, negative or no number",
                    policy.atoms.propositions[policy.registers[register].proposition].name
                )));
            }
        }
    }

    fn result(
        &mut self,
        compiled: &CompiledPolicy,
        id: Option<&str>,
        outcome: CallOutcome,
        result: Option<&JsonText<'_>>,
        faults: &mut Vec<EventFault>,
    ) -> EventContent {
        let place = self.waiting.iter().position(|one| one.id.as_deref() == id);
        let Some(waiting) = place.and_then(|place| self.waiting.remove(place)) else {
            return EventContent::Result { call: None, outcome, letter: BoundLetter::default() };
        };
        if let Some(result) = result.filter(|_| outcome != CallOutcome::Failed) {
            let (tool, server) = (&waiting.tool, waiting.server.as_deref());
            for (at, source) in compiled.policy.sources.iter().enumerate() {
                if ToolName::new(server, tool).is_one_of(&source.tools, &source.servers) {
                    self.said.result(at + 1, source, arguments_text(result).as_str());
                }
            }
        }
        let letter = self.result_letter(compiled, &waiting, outcome, result, faults);
        EventContent::Result { call: Some(waiting.call), outcome, letter }
    }
    /// The truths and bindings of the result of a call beside its outcome.
    fn result_letter(
        &self,
        compiled: &CompiledPolicy,
        waiting: &Waiting,
        outcome: CallOutcome,
        result: Option<&JsonText<'_>>,
        faults: &mut Vec<EventFault>,
    ) -> BoundLetter {
        let mut about =
            self.about_tool(compiled, EventKind::Result, waiting.server.as_deref(), &waiting.tool);
        about.retain(|(_, table)| {
            table.ok.is_none_or(|ok| ok == (outcome == CallOutcome::Ok) && outcome != CallOutcome::Unknown)
        });
        let mut letter = LetterBuilder::default();
        for (name, value) in &waiting.bindings {
            letter.bind.insert(name.clone(), value.clone());
        }
        let counts = self.tables.keeps_arguments && !self.tables.amounts.is_empty();
        if !about.is_empty() || counts || !self.tables.result_amounts.is_empty() {
            // Many tools return their results as a string that contains JSON.
            let text = result.map(arguments_text);
            let text = text.as_ref().map_or("null", |text| text.as_str());
            let arguments = waiting.arguments.as_ref().map_or("null", JsonText::as_str);
            let found = self.tables.arguments.lookup.find(arguments).unwrap_or_default();
            let results = self.tables.results.lookup.find(text).unwrap_or_else(|_| {
                faults.push(EventFault::BadJson("the text of a result".into()));
                Vec::new()
            });
            let values = FoundValues {
                text: "",
                arguments: &found,
                result: &results,
                event: &[],
                probes: &[],
                host: [Some(&waiting.tool), waiting.server.as_deref()],
                said: None,
            };
            for (i, table) in about {
                self.tables.apply(compiled, i, table, &values, &mut letter, faults);
            }
            for (of_results, places, values) in
                [(false, &self.tables.amounts, &found), (true, &self.tables.result_amounts, &results)]
            {
                for &(register, place) in places {
                    let amount = amount_at(values, place);
                    // Arguments were judged when the call was proposed.
                    let register_of = &compiled.policy.registers[register];
                    let amount = amount.or_else(|| of_results.then(|| register_of.unreadable()));
                    letter.amounts.extend(amount.map(|amount| (register, amount)));
                }
            }
        }
        letter.bound(compiled)
    }
    /// If the event is a result of unknown outcome that was not read yet: the outcomes that it may have in truth, with the
    /// truths and bindings of each.
    pub(super) fn possible_ends(
        &self,
        compiled: &CompiledPolicy,
        event: &HostEvent<'_>,
    ) -> Vec<(CallOutcome, BoundLetter)> {
        let HostEventKind::Result { call, outcome: CallOutcome::Unknown, result } = &event.kind else {
            return Vec::new();
        };
        [CallOutcome::Ok, CallOutcome::Failed]
            .map(|one| (one, self.possible_result(compiled, call.as_deref(), one, result.as_ref())))
            .into()
    }
    /// The truths and bindings that a result which was not read yet would have with an outcome.
    pub(super) fn possible_result(
        &self,
        compiled: &CompiledPolicy,
        call: Option<&str>,
        outcome: CallOutcome,
        result: Option<&JsonText<'_>>,
    ) -> BoundLetter {
        let Some(waiting) = self.waiting(call) else { return BoundLetter::default() };
        self.result_letter(compiled, waiting, outcome, result, &mut Vec::new())
    }
}

/// The arguments or the result of a call; some hosts write them as a string that contains JSON.
pub(super) fn arguments_text<'t>(text: &'t JsonText<'_>) -> Cow<'t, JsonText<'t>> {
    let inner = text.as_str().trim_start().starts_with('"').then(|| unpacked(text)).flatten();
    inner.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The bits that a table may set.
fn table_bits(compiled: &CompiledPolicy, table: &Match) -> impl Iterator<Item = BitId> {
    let atoms = &compiled.policy.atoms;
    let truths = table.set.iter().filter_map(|&(id, value)| match (value, atoms.propositions[id].is_state) {
        (true, _) => Some(atoms.bit(LawAtom::Proposition(id))),
        (false, true) => Some(atoms.bit(LawAtom::Clear(id))),
        (false, false) => None,
    });
    table.action.map(|action| atoms.bit(LawAtom::Call(action))).into_iter().chain(truths)
}

/// An amount in a document: a number that is not negative.
fn amount_at(found: &[Option<JsonSlice<'_>>], place: usize) -> Option<Decimal> {
    let amount = found.get(place).copied().flatten().and_then(JsonSlice::number);
    amount.filter(|amount| !amount.is_negative())
}
