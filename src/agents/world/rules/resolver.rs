//! The names of a world file, and what its entries mean.

use super::condition::{Condition, meant, no_number, unknown};
use super::entries::{
    ActionEntry, By, CallEntry, Door, MapEntry, RequiredEntry, Requires, StepEntry, WayEntry, WorldFile,
};
use super::map::{Map, Place};
use super::rule::{Change, Changes, Rule, Step, Test, Way, needs};
use super::state::{Atom, Meaning, Slot, SlotKind, State, Vocabulary};
use super::things::Things;
use crate::world::ToolCall;
use serde_json::Value;
use std::collections::BTreeMap;
use tsl_synth_policy::language::{ActionId, Named, Policy, PropositionId};

/// How often something happens that may happen, if the file does not say it.
const USUAL_CHANCE: f64 = 0.5;
/// A counter is at most this, if the file does not say it.
const USUAL_MOST: u32 = 1_000_000;
/// A file has at most this many tasks, actions, places, things and sub-goals.
pub(super) const MOST: usize = 1_000;

/// The names of a world while it is read.
pub(super) struct Resolver<'f> {
    pub(super) file: &'f WorldFile,
    pub(super) policy: Option<&'f Policy>,
    pub(super) words: Vocabulary,
    pub(super) map: Option<Map>,
    pub(super) things: Things,
    /// The slots that record which actions were done, by the names of the actions.
    pub(super) done: BTreeMap<String, usize>,
}

pub(super) fn chance(value: f64, what: &str) -> Result<f64, String> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(format!("{what}: {value} is no probability from 0 to 1"))
    }
}

/// The calls of an entry, with the name of the action in the place of `{action}`.
pub(super) fn calls(entries: &[CallEntry], action: &str) -> Vec<ToolCall> {
    fn filled(value: &Value, action: &str) -> Value {
        match value {
            Value::String(text) => text.replace("{action}", action).into(),
            Value::Array(all) => all.iter().map(|one| filled(one, action)).collect(),
            Value::Object(all) => {
                let all = all.iter().map(|(name, one)| (name.clone(), filled(one, action)));
                Value::Object(all.collect())
            }
            other => other.clone(),
        }
    }
    let one = |entry: &CallEntry| ToolCall {
        tool: entry.tool.replace("{action}", action),
        arguments: filled(&Value::Object(entry.arguments.clone()), action),
    };
    if entries.is_empty() {
        return vec![ToolCall { tool: action.to_owned(), arguments: serde_json::json!({}) }];
    }
    entries.iter().map(one).collect()
}

impl Resolver<'_> {
    /// Whether the agent is told about a name: the policy knows it, and it is not hidden.
    pub(super) fn is_told(&self, name: &str) -> bool {
        let is_known = |policy: &Policy| matches!(policy.atoms.named(name), Some(Named::Proposition(_)));
        !self.file.hidden.iter().any(|own| own == name) && self.policy.is_none_or(is_known)
    }

    /// The quantities and propositions of the policy.
    pub(super) fn declared(&mut self, policy: &Policy) -> Result<(), String> {
        let mut following: BTreeMap<PropositionId, Vec<Atom>> = BTreeMap::new();
        for quantity in &policy.quantities {
            let is_told = !self.file.hidden.contains(&quantity.name);
            let slot = self.words.add(Slot {
                name: quantity.name.clone(),
                shown: quantity.name.clone(),
                kind: SlotKind::Amount,
                initial: quantity.initial,
                most: quantity.most,
                is_told,
            })?;
            for &(id, least) in &quantity.thresholds {
                following.entry(id).or_default().push(Atom::at_least(slot, least));
            }
        }
        for (id, one) in policy.atoms.propositions.enumerate() {
            if one.is_computed {
                self.words.meanings.insert(one.name.clone(), Meaning::default());
            } else if let Some(any) = following.remove(&id) {
                let is_told = self.is_told(&one.name);
                self.words.meanings.insert(one.name.clone(), Meaning { any, fact: None, is_told });
            } else {
                let is_told = self.is_told(&one.name);
                self.words.add_fact(&one.name, one.initial, is_told)?;
            }
        }
        Ok(())
    }

    /// Makes a name follow from a comparison, instead of being a fact.
    pub(super) fn follows(&mut self, name: &str, atom: Atom) {
        let is_told = self.is_told(name);
        let own = self.words.meanings.entry(name.to_owned()).or_default();
        if own.fact.take().is_some() {
            own.any.clear();
        }
        own.any.push(atom);
        own.is_told = is_told;
    }

    /// The counters and facts of the file.
    pub(super) fn own_names(&mut self) -> Result<(), String> {
        let file = self.file;
        for counter in &file.counters {
            let most = counter.most.unwrap_or(USUAL_MOST);
            if counter.initial > most || self.words.meanings.contains_key(&counter.name) {
                let why = if counter.initial > most {
                    format!("it begins with {} and is at most {most}", counter.initial)
                } else {
                    "it is a proposition, too".into()
                };
                return Err(format!("counter `{}`: {why}", counter.name));
            }
            let slot = self.words.add(Slot {
                name: counter.name.clone(),
                shown: counter.shown.clone().unwrap_or_else(|| counter.name.clone()),
                kind: SlotKind::Amount,
                initial: counter.initial,
                most,
                is_told: !file.hidden.contains(&counter.name),
            })?;
            for (name, least) in &counter.at_least {
                self.follows(name, Atom::at_least(slot, *least));
            }
        }
        for name in &file.facts {
            let is_told = self.is_told(name);
            self.words.add_fact(name, false, is_told).map_err(|why| format!("facts: {why}"))?;
        }
        Ok(())
    }

    pub(super) fn places(&mut self, entry: &MapEntry) -> Result<(), String> {
        let known = |name: &String| {
            let at = entry.places.iter().position(|own| own == name);
            let near = || meant(name, entry.places.iter().map(String::as_str));
            at.ok_or_else(|| format!("there is no place `{name}`{}", near()))
        };
        if entry.places.is_empty() {
            return Err("there are no places".into());
        }
        if !entry.walk.contains("{place}") {
            return Err("`walk` is the name of an action with `{place}` in it".into());
        }
        if let Some(name) = entry.shown.keys().find(|name| !entry.places.contains(name)) {
            known(name)?;
        }
        let mut doors = Vec::new();
        for door in &entry.doors {
            let (a, b, length) = match door {
                Door::Near(a, b) => (a, b, 1),
                Door::Far(a, b, length) => (a, b, *length),
            };
            doors.push((known(a)?, known(b)?, length));
        }
        let first = entry.at.as_ref().map_or(Ok(0), known)?;
        let shown = |name: &String| entry.shown.get(name).unwrap_or(name).clone();
        let places: Vec<Place> =
            entry.places.iter().map(|name| Place { name: name.clone(), shown: shown(name) }).collect();
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let slot = self.words.unnamed(Slot {
            name: "place".into(),
            shown: "place".into(),
            kind: SlotKind::Location,
            initial: number(first),
            most: number(places.len() - 1),
            is_told: false,
        });
        for (at, place) in places.iter().enumerate() {
            if entry.places[..at].contains(&place.name) {
                return Err(format!("the place `{}` is declared twice", place.name));
            }
            self.follows(&place.name, Atom::equal(slot, number(at)));
        }
        let mut map = Map::new(places, slot, &doors);
        map.here = entry.here.clone().unwrap_or(map.here);
        map.tool = entry.tool.as_ref().map(|tool| (tool.clone(), entry.argument.clone()));
        map.doorways = entry.doorways;
        for (name, each) in &entry.uses {
            map.uses.push((self.number(name)?, *each));
        }
        self.map = Some(map);
        Ok(())
    }

    /// The slot of a number.
    pub(super) fn number(&self, name: &str) -> Result<usize, String> {
        self.words.slot(name).ok_or_else(|| no_number(name, &self.words))
    }

    /// The place of a name, by its index.
    pub(super) fn place(&self, name: &str) -> Result<usize, String> {
        let map = self.map.as_ref().ok_or_else(|| format!("`at = \"{name}\"`: the world has no `[map]`"))?;
        let at = map.places.iter().position(|place| place.name == name);
        let near = || meant(name, map.places.iter().map(|place| place.name.as_str()));
        at.ok_or_else(|| format!("there is no place `{name}`{}", near()))
    }

    /// The slot of a proposition that is a fact.
    pub(super) fn settable(&self, name: &str) -> Result<usize, String> {
        let meaning = self.words.meanings.get(name).ok_or_else(|| unknown(name, &self.words))?;
        let follows = || match meaning.any.first() {
            None => format!("`{name}` is computed from what happens, and a world does not set it"),
            Some(atom) if self.words.slots[atom.slot].kind == SlotKind::Amount => {
                let quantity = &self.words.slots[atom.slot].name;
                format!("`{name}` follows from the quantity `{quantity}`: give its amount")
            }
            Some(_) => format!("`{name}` tells where something is: it is not set, but moved"),
        };
        meaning.fact.ok_or_else(follows)
    }

    pub(super) fn condition(&self, text: &str) -> Result<Condition, String> {
        Condition::read(text, &self.words)
    }

    /// The changes of an entry: numbers, then facts.
    pub(super) fn changes(
        &self,
        changes: &BTreeMap<String, By>,
        sets: &[String],
        clears: &[String],
    ) -> Result<Changes, String> {
        let mut found = Vec::new();
        for (name, by) in changes {
            let (least, most) = match by {
                By::Fixed(by) => (*by, *by),
                By::Drawn(least, most) if least <= most => (*least, *most),
                By::Drawn(least, most) => return Err(format!("`{name}`: {least} is more than {most}")),
            };
            found.push((self.number(name)?, Change::Add(i64::from(least), i64::from(most))));
        }
        for (names, value) in [(sets, 1), (clears, 0)] {
            for name in names {
                found.push((self.settable(name)?, Change::Set(value)));
            }
        }
        Ok(found)
    }

    pub(super) fn needed(&self, given: &BTreeMap<String, u32>) -> Result<Vec<(Atom, String)>, String> {
        let one = |(name, least): (&String, &u32)| {
            let slot = self.number(name)?;
            Ok((needs(slot, *least), format!("{least} {}", self.words.slots[slot].shown)))
        };
        given.iter().map(one).collect()
    }

    pub(super) fn step(&self, entry: &StepEntry) -> Result<Step, String> {
        Ok(Step {
            chance: entry.chance.map(|value| chance(value, "chance")).transpose()?,
            when: entry.when.as_ref().map(|when| self.condition(when).map(Test::Formula)).transpose()?,
            changes: self.changes(&entry.changes, &entry.sets, &entry.clears)?,
        })
    }

    pub(super) fn way(&self, entry: &WayEntry) -> Result<Way, String> {
        let needed = self.needed(&entry.needs)?;
        let names: Vec<&str> = needed.iter().map(|(_, name)| name.as_str()).collect();
        let error = entry.error.clone().unwrap_or_else(|| format!("missing: {}", names.join(", ")));
        let changes = self.changes(&entry.changes, &entry.sets, &entry.clears)?;
        Ok(Way { error, changes, needs: needed.into_iter().map(|(atom, _)| atom).collect() })
    }

    /// What the policy declares about an action, with the chances of the file.
    pub(super) fn of_policy(&self, id: ActionId, entry: &ActionEntry, rule: &mut Rule) -> Result<(), String> {
        let Some(policy) = self.policy else { return Ok(()) };
        let effects = policy.effects[id].clone().unwrap_or_default();
        for &(quantity, least) in &effects.needs {
            let name = &policy.quantities[quantity].name;
            rule.missing.push((Test::Number(needs(self.number(name)?, least)), format!("{least} {name}")));
        }
        let mut always = Step::default();
        for &(quantity, by) in &effects.changes {
            let by = i64::from(by);
            let slot = self.number(&policy.quantities[quantity].name)?;
            always.changes.push((slot, Change::Add(by, by)));
        }
        // A proposition that follows from a counter or a place of the file is left to those.
        let name = |id: &PropositionId| policy.atoms.propositions[*id].name.as_str();
        let fact = |id: &PropositionId| self.words.meanings.get(name(id)).and_then(|own| own.fact);
        for (ids, value) in [(&effects.sets, 1), (&effects.clears, 0)] {
            always.changes.extend(ids.iter().filter_map(fact).map(|slot| (slot, Change::Set(value))));
        }
        rule.steps.push(always);
        let mut used: Vec<&str> = Vec::new();
        for (ids, value) in [(&effects.may_set, 1), (&effects.may_clear, 0)] {
            for id in ids {
                let given = entry.chances.get(name(id));
                used.push(name(id));
                let often = chance(given.copied().unwrap_or(USUAL_CHANCE), name(id))?;
                let Some(slot) = fact(id) else { continue };
                let changes = vec![(slot, Change::Set(value))];
                rule.steps.push(Step { chance: Some(often), when: None, changes });
            }
        }
        match entry.chances.keys().find(|key| !used.contains(&key.as_str())) {
            Some(other) => {
                Err(format!("`{}` neither may set nor may clear `{other}`, so it has no chance", rule.name))
            }
            None => Ok(()),
        }
    }

    /// What the file says about an action.
    pub(super) fn add(&self, entry: &ActionEntry, rule: &mut Rule) -> Result<(), String> {
        if let Some(place) = &entry.at {
            let at = self.place(place)?;
            let map = self.map.as_ref().ok_or("the world has no `[map]`")?;
            let here = Atom::equal(map.slot, u32::try_from(at).unwrap_or(u32::MAX));
            rule.requires.push((Test::Number(here), format!("that is in the {}", map.places[at].shown)));
        }
        for name in &entry.after {
            rule.requires.push((Test::Number(Atom::at_least(self.done(name)?, 1)), format!("first: {name}")));
        }
        let needed = self.needed(&entry.needs)?.into_iter();
        rule.missing.extend(needed.map(|(atom, name)| (Test::Number(atom), name)));
        let usual = || entry.error.clone().unwrap_or_else(|| "this is not possible now".into());
        match &entry.requires {
            None => {}
            Some(Requires::One(when)) => {
                rule.requires.push((Test::Formula(self.condition(when)?), usual()));
            }
            Some(Requires::Several(all)) => {
                for RequiredEntry { when, error, missing } in all {
                    let test = Test::Formula(self.condition(when)?);
                    match missing {
                        Some(missing) => rule.missing.push((test, missing.clone())),
                        None => rule.requires.push((test, error.clone().unwrap_or_else(usual))),
                    }
                }
            }
        }
        rule.succeeds = entry.succeeds.map(|value| chance(value, "succeeds")).transpose()?;
        rule.fails = entry.fails.clone().unwrap_or_else(|| rule.fails.clone());
        rule.ways = entry.one_of.iter().map(|way| self.way(way)).collect::<Result<_, _>>()?;
        rule.any_way = entry.any_of_them.map(|value| chance(value, "any_of_them")).transpose()?;
        let changes = self.changes(&entry.changes, &entry.sets, &entry.clears)?;
        rule.steps.push(Step { changes, ..Step::default() });
        for step in &entry.then {
            rule.steps.push(self.step(step)?);
        }
        let mut history = Vec::new();
        for name in &entry.undoes {
            history.push((self.done(name)?, Change::Set(0)));
        }
        history.extend(self.done.get(&rule.name).map(|slot| (*slot, Change::Set(1))));
        rule.steps.push(Step { changes: history, ..Step::default() });
        rule.steps.retain(|step| step.chance.is_some() || !step.changes.is_empty());
        Ok(())
    }

    /// The slot that remembers whether an action of the file was done.
    pub(super) fn done(&self, name: &str) -> Result<usize, String> {
        let near = || meant(name, self.done.keys().map(String::as_str));
        self.done
            .get(name)
            .copied()
            .ok_or_else(|| format!("the world has no action `{name}` of its own{}", near()))
    }

    /// Remembers which actions of the file are done, if anything depends on it.
    pub(super) fn history(&mut self) {
        let file = self.file;
        let depends = |entry: &ActionEntry| !entry.after.is_empty() || !entry.undoes.is_empty();
        if !file.own.iter().any(depends) && file.tasks.iter().all(|task| task.done.is_empty()) {
            return;
        }
        for entry in &file.own {
            let Some(name) = &entry.name else { continue };
            let slot = self.words.unnamed(Slot {
                name: name.clone(),
                shown: name.clone(),
                kind: SlotKind::Done,
                initial: 0,
                most: 1,
                is_told: true,
            });
            self.done.insert(name.clone(), slot);
            if let Some(map) = self.map.as_mut().filter(|_| entry.ends_by_walking) {
                map.clears.push(slot);
            }
        }
    }

    pub(super) fn amounts(&self, given: &BTreeMap<String, u32>, state: &mut State) -> Result<(), String> {
        for (name, amount) in given {
            let slot = self.number(name)?;
            let most = self.words.slots[slot].most;
            if *amount > most {
                return Err(format!("`{name}` is at most {most}, and not {amount}"));
            }
            state[slot] = *amount;
        }
        Ok(())
    }

    /// Makes these propositions true and all other facts false.
    pub(super) fn truths(&self, names: &[String], state: &mut State) -> Result<(), String> {
        for fact in self.words.meanings.values().filter_map(|meaning| meaning.fact) {
            state[fact] = 0;
        }
        for name in names {
            state[self.settable(name)?] = 1;
        }
        Ok(())
    }
}
