//! Things, containers and hands: families of actions that the file does not write out.
//!
//! A thing is in the hands (0), at a place (from 1 on), or in a container (after the places). It may be taken where the
//! agent is, out of an open container, as long as the hands are not full; it is put down, or put into an open container
//! of the place that is not full.

use super::entries::ContainerEntry;
use super::resolver::{MOST, Resolver};
use super::rule::{Change, Rule, Step, Test};
use super::state::{Atom, Comparison, Slot, SlotKind};
use super::things::{Container, Things, number};
use crate::world::ToolCall;

/// The name of a thing as part of a proposition.
fn word(name: &str) -> String {
    name.replace(|c: char| !c.is_alphanumeric(), "_")
}

fn at_most(slot: usize, value: u32) -> Test {
    Test::Number(Atom { slot, comparison: Comparison::AtMost, value })
}

/// A number that no condition names.
fn count(resolver: &mut Resolver, name: &str, initial: u32, most: u32) -> usize {
    let (name, shown) = (name.to_owned(), name.to_owned());
    resolver.words.unnamed(Slot { name, shown, kind: SlotKind::Location, initial, most, is_told: false })
}

/// The propositions of containers and things.
///
/// # Errors
/// The first thing that is wrong with them, as a sentence.
pub(super) fn names(resolver: &mut Resolver) -> Result<(), String> {
    let file = resolver.file;
    let count_places = resolver.map.as_ref().map_or(1, |map| map.places.len());
    let mut things = Things { places: number(count_places), ..Things::default() };
    things.hands_hold = file.hands.as_ref().map_or(1, |hands| hands.capacity);
    if file.objects.len().saturating_mul(file.containers.len() + 2) > 20 * MOST {
        return Err(format!(
            "{} things and {} containers give too many actions",
            file.objects.len(),
            file.containers.len()
        ));
    }
    things.hands = count(resolver, "hands", 0, things.hands_hold);
    for entry in &file.containers {
        let wrong = |why: String| format!("container `{}`: {why}", entry.name);
        let place = place(resolver, entry).map_err(wrong)?;
        let opens = format!("{}_open", word(&entry.name));
        let open = entry.opens.then(|| {
            let is_told = resolver.is_told(&opens);
            resolver.words.add_fact(&opens, false, is_told)
        });
        let open = open.transpose().map_err(wrong)?;
        let capacity = entry.capacity.unwrap_or_else(|| number(file.objects.len()));
        let inside = file.objects.iter().filter(|object| object.inside.as_ref() == Some(&entry.name)).count();
        if number(inside) > capacity {
            return Err(wrong(format!("{inside} things are in it, and it holds {capacity}")));
        }
        let count = count(resolver, &entry.name, number(inside), capacity);
        things.containers.push(Container { place, open, count, capacity });
    }
    for (at, entry) in file.objects.iter().enumerate() {
        let wrong = |why: String| format!("object `{}`: {why}", entry.name);
        if file.objects[..at].iter().any(|own| own.name == entry.name) {
            return Err(wrong("it is declared twice".into()));
        }
        let initial = match (&entry.at, &entry.inside) {
            (Some(place), None) => Things::at(resolver.place(place).map_err(wrong)?),
            (None, Some(name)) => {
                let at = file.containers.iter().position(|own| own.name == *name);
                things.inside(at.ok_or_else(|| wrong(format!("there is no container `{name}`")))?)
            }
            (None, None) if resolver.map.is_none() => Things::at(0),
            (None, None) => return Err(wrong("`at` or `in` says where it is".into())),
            (Some(_), Some(_)) => {
                return Err(wrong("it is `at` a place or `in` a container, not both".into()));
            }
        };
        let slot = count(resolver, &entry.name, initial, things.inside(things.containers.len()));
        things.objects.push(slot);
        let own = word(&entry.name);
        resolver.follows(&format!("holding_{own}"), Atom::equal(slot, 0));
        for (at, container) in file.containers.iter().enumerate() {
            let name = format!("{own}_in_{}", word(&container.name));
            resolver.follows(&name, Atom::equal(slot, things.inside(at)));
        }
        let places: Vec<String> =
            resolver.map.iter().flat_map(|map| &map.places).map(|place| word(&place.name)).collect();
        for (at, place) in places.iter().enumerate() {
            resolver.follows(&format!("{own}_at_{place}"), Atom::equal(slot, Things::at(at)));
        }
    }
    resolver.things = things;
    Ok(())
}

fn place(resolver: &Resolver, entry: &ContainerEntry) -> Result<Option<usize>, String> {
    match &entry.at {
        Some(place) => resolver.place(place).map(Some),
        None if resolver.map.is_none() => Ok(None),
        None => Err("`at` says where it is".into()),
    }
}

/// The actions of containers and things.
pub(super) fn rules(resolver: &Resolver, calls: impl Fn(&str) -> Vec<ToolCall>) -> Vec<Rule> {
    let (file, things) = (resolver.file, &resolver.things);
    let mut rules = Vec::new();
    let mut rule = |name: String, requires: Vec<(Test, String)>, steps: Vec<Step>| {
        rules.push(Rule { requires, steps, ..Rule::new(&name, calls(&name)) });
    };
    // The agent is at a place.
    let here = |place: Option<usize>| {
        let map = resolver.map.as_ref()?;
        let place = place?;
        let atom = Atom::equal(map.slot, number(place));
        Some((atom, format!("that is in the {}", map.places[place].shown)))
    };
    let near = |container: &Container| {
        let here = here(container.place).map(|(atom, error)| (Test::Number(atom), error));
        here.into_iter().collect::<Vec<_>>()
    };
    let set = |changes: Vec<(usize, Change)>| Step { changes, ..Step::default() };
    for (container, entry) in things.containers.iter().zip(&file.containers) {
        let Some(open) = container.open else { continue };
        for (verb, value, error) in [("open", 1, "it is open already"), ("close", 0, "it is closed already")]
        {
            let mut requires = near(container);
            requires.push((Test::Number(Atom::equal(open, 1 - value)), error.into()));
            rule(format!("{verb} {}", entry.name), requires, vec![set(vec![(open, Change::Set(value))])]);
        }
    }
    for (&slot, entry) in things.objects.iter().zip(&file.objects) {
        let held = (Test::Number(Atom::equal(slot, 0)), "you do not hold it".to_owned());
        // Within reach: at the place of the agent, or in an open container there.
        let mut reach: Vec<Vec<Atom>> = Vec::new();
        for place in 0..things.places {
            let there = Atom::equal(slot, 1 + place);
            let at = here(Some(place as usize)).map(|(atom, _)| atom);
            reach.push(at.into_iter().chain([there]).collect());
        }
        let mut out = Vec::new();
        for (at, container) in things.containers.iter().enumerate() {
            let inside = Atom::equal(slot, things.inside(at));
            let place = here(container.place).map(|(atom, _)| atom);
            let open = container.open.map(|open| Atom::at_least(open, 1));
            reach.push(place.into_iter().chain(open).chain([inside]).collect());
            let when = Some(Test::Number(inside));
            out.push(Step { when, ..set(vec![(container.count, Change::Add(-1, -1))]) });
        }
        out.push(set(vec![(things.hands, Change::Add(1, 1)), (slot, Change::Set(0))]));
        let free = at_most(things.hands, things.hands_hold.saturating_sub(1));
        let free = if things.hands_hold == 0 { Test::Any(Vec::new()) } else { free };
        let not_held = Test::Number(Atom { slot, comparison: Comparison::Unequal, value: 0 });
        let requires = vec![
            (not_held, "you hold it already".into()),
            (free, "your hands are full".into()),
            (Test::Any(reach), "it is not within reach".into()),
        ];
        rule(format!("take {}", entry.name), requires, out);
        let let_go = (things.hands, Change::Add(-1, -1));
        let mut down = vec![set(vec![let_go])];
        for place in 0..things.places {
            let when = here(Some(place as usize)).map(|(atom, _)| Test::Number(atom));
            down.push(Step { when, ..set(vec![(slot, Change::Set(1 + place))]) });
        }
        rule(format!("put down {}", entry.name), vec![held.clone()], down);
        for (at, (container, own)) in things.containers.iter().zip(&file.containers).enumerate() {
            let mut requires = vec![held.clone()];
            requires.extend(near(container));
            requires.extend(
                container.open.map(|open| (Test::Number(Atom::at_least(open, 1)), "it is closed".into())),
            );
            let room = match container.capacity.checked_sub(1) {
                Some(most) => at_most(container.count, most),
                None => Test::Any(Vec::new()),
            };
            requires.push((room, "it is full".into()));
            let changes =
                vec![let_go, (container.count, Change::Add(1, 1)), (slot, Change::Set(things.inside(at)))];
            rule(format!("put {} in {}", entry.name, own.name), requires, vec![set(changes)]);
        }
    }
    rules
}
