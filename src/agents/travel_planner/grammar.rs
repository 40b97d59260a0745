//! The trips of an item as a grammar of plans, a `.cfg` text.
//!
//! A day is seven steps: its mark, the way, breakfast, attraction, lunch, dinner and the bed; [`NOTHING`] stands where
//! there is none. A trip goes to its cities one after the other, each for some nights, and back. What is counted over
//! the whole trip needs no state: restaurants and attractions have limits, all prices a budget, and the cuisines that
//! the query asks for are groups of which one is required. Trips by one's own car and others have symbols of their own,
//! since they must not be mixed.

use super::item::TravelItem;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Stands in a day for what is left out.
pub(super) const NOTHING: &str = "-";
/// Begins the step of a night in the same bed as before.
pub(super) const SAME_BED: &str = "the same bed";
/// More routes are not written.
const MAX_ROUTES: usize = 2_000;

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " "))
}

/// The name of a step for something in a city.
pub(super) fn in_city(name: &str, city: &str) -> String {
    format!("{name}, {city}")
}

/// The step of a bed for some nights.
pub(super) fn bed(name: &str, city: &str, nights: u32) -> String {
    format!("{name}, {city}, {nights} night{}", if nights == 1 { "" } else { "s" })
}

/// How a query names a type of rooms, and the one of the table that it means.
pub(super) fn has_room_type(wanted: &str, room_type: &str) -> bool {
    match wanted {
        "entire room" => room_type == "Entire home/apt",
        "private room" => room_type == "Private room",
        "shared room" => room_type == "Shared room",
        "not shared room" => room_type != "Shared room",
        other => room_type.eq_ignore_ascii_case(other),
    }
}

/// Whether a house forbids what a query needs: `No pets` forbids `pets`.
pub(super) fn forbids(house_rules: &str, need: &str) -> bool {
    house_rules.to_lowercase().contains(&format!("no {}", need.to_lowercase()))
}

struct Writer<'i> {
    item: &'i TravelItem,
    rules: String,
    directives: String,
    written: BTreeSet<String>,
    costed: BTreeSet<String>,
}

/// The grammar of an item.
pub fn travel_grammar(item: &TravelItem) -> String {
    let mut writer = Writer {
        item,
        rules: String::new(),
        directives: String::new(),
        written: BTreeSet::new(),
        costed: BTreeSet::new(),
    };
    let mut bodies = Vec::new();
    let only = |word: &str| item.constraint.transportation.as_deref() != Some(word);
    for drives in [true, false] {
        if drives && !only("no self-driving") {
            continue;
        }
        for (cities, nights) in routes(item) {
            if bodies.len() < MAX_ROUTES
                && let Some(body) = writer.route(drives, &cities, &nights)
            {
                bodies.push(body);
            }
        }
    }
    if bodies.is_empty() {
        bodies.push("Trip".into());
    }
    let mut text = format!(
        "# Trips of {} days from {} to {} and back, with TravelPlanner's constraints.\n",
        item.days, item.origin, item.destination
    );
    if !item.query.is_empty() {
        let _ = writeln!(text, "%task {}", quoted(&item.query));
    }
    text.push_str("%start Trip\n");
    let _ = writeln!(text, "Trip -> {}", bodies.join(" | "));
    text.push_str(&writer.rules);
    text.push_str(&writer.directives);
    if let Some(budget) = item.budget {
        let _ = writeln!(text, "%budget {budget}");
    }
    text.push_str(&cuisines(item, &writer.costed));
    text
}

/// For each cuisine that is asked for, the group of its restaurants, of which one is required.
fn cuisines(item: &TravelItem, steps: &BTreeSet<String>) -> String {
    let mut text = String::new();
    for wanted in &item.constraint.cuisine {
        let has =
            |one: &&super::Restaurant| one.cuisines.iter().any(|have| have.eq_ignore_ascii_case(wanted));
        let members: BTreeSet<String> = item
            .restaurants
            .iter()
            .filter(has)
            .map(|one| in_city(&one.name, &one.city))
            .filter(|name| steps.contains(name))
            .map(|name| quoted(&name))
            .collect();
        let group = quoted(&format!("cuisine {wanted}"));
        if members.is_empty() {
            let _ = writeln!(text, "# no restaurant has {wanted}\n%require {}", quoted(NOTHING_EDIBLE));
        } else {
            let members: Vec<String> = members.into_iter().collect();
            let _ = writeln!(text, "%group {group} {}\n%require {group} 1", members.join(" "));
        }
    }
    if text.contains(NOTHING_EDIBLE) {
        let name = quoted(NOTHING_EDIBLE);
        let _ = writeln!(text, "Unreachable -> {name}\n%limit {name} 1");
    }
    text
}

/// A step that no trip has, required where a constraint cannot be kept.
const NOTHING_EDIBLE: &str = "a cuisine that there is not";

/// The orders of cities with the nights in each, even distributions first.
fn routes(item: &TravelItem) -> Vec<(Vec<String>, Vec<u32>)> {
    let beds: BTreeSet<&str> = item.accommodations.iter().map(|one| one.city.as_str()).collect();
    let one_city = item.cities == 1 && beds.contains(item.destination.as_str());
    let cities: Vec<&str> = beds
        .into_iter()
        .filter(|city| *city != item.origin && (!one_city || *city == item.destination))
        .collect();
    let mut orders: Vec<Vec<&str>> = vec![Vec::new()];
    for _ in 0..item.cities {
        orders = orders
            .iter()
            .flat_map(|order| {
                let rest = cities.iter().filter(|city| !order.contains(*city));
                rest.map(|city| order.iter().copied().chain([*city]).collect::<Vec<_>>()).collect::<Vec<_>>()
            })
            .take(MAX_ROUTES)
            .collect();
    }
    let nights = item.days - 1;
    let mut parts: Vec<Vec<u32>> = vec![Vec::new()];
    for at in 0..item.cities {
        let left = item.cities - at - 1;
        parts = parts
            .into_iter()
            .flat_map(|part: Vec<u32>| {
                let rest = nights - part.iter().sum::<u32>();
                let range = if left == 0 { rest..=rest } else { 1..=rest.saturating_sub(left) };
                range.map(move |n| part.iter().copied().chain([n]).collect::<Vec<_>>()).collect::<Vec<_>>()
            })
            .take(MAX_ROUTES)
            .collect();
    }
    parts.sort_by_key(|part| (part.iter().max().copied(), std::cmp::Reverse(part.iter().min().copied())));
    let owned = |order: &Vec<&str>| order.iter().map(|city| (*city).to_string()).collect::<Vec<_>>();
    parts.iter().flat_map(|part| orders.iter().map(|order| (owned(order), part.clone()))).collect()
}

impl Writer<'_> {
    /// Writes productions of a symbol once; `None` if there is nothing to choose.
    fn choices(&mut self, symbol: &str, bodies: &[String]) -> Option<String> {
        if bodies.is_empty() {
            return None;
        }
        let symbol = quoted(symbol);
        if self.written.insert(symbol.clone()) {
            let _ = writeln!(self.rules, "{symbol} -> {}", bodies.join(" | "));
        }
        Some(symbol)
    }
    /// A step with its cost, at most once in a trip if `once`.
    fn step(&mut self, name: &str, cost: u32, once: bool) -> String {
        let step = quoted(name);
        if self.costed.insert(name.to_string()) {
            if cost > 0 {
                let _ = writeln!(self.directives, "%cost {step} {cost}");
            }
            if once {
                let _ = writeln!(self.directives, "%limit {step} 1");
            }
        }
        step
    }
    /// The steps from one city to another on a day.
    fn way(&mut self, drives: bool, from: &str, to: &str, day: u32) -> Option<String> {
        let (item, mut bodies) = (self.item, Vec::new());
        let date = &item.dates[day as usize - 1];
        if !drives && item.constraint.transportation.as_deref() != Some("no flight") {
            for one in item.flights.iter().filter(|one| one.from == from && one.to == to && one.date == *date)
            {
                let name = format!("flight {}, from {from} to {to}, {date}", one.number);
                bodies.push(self.step(&name, one.price.saturating_mul(item.people), false));
            }
        }
        for one in item.rides.iter().filter(|one| one.from == from && one.to == to && one.taxi != drives) {
            let (kind, seats) = if one.taxi { ("taxi", 4) } else { ("self-driving", 5) };
            let cost = one.cost.saturating_mul(item.people.div_ceil(seats));
            bodies.push(self.step(&format!("{kind}, from {from} to {to}"), cost, false));
        }
        bodies.dedup();
        let kind = if drives { "drive" } else { "way" };
        self.choices(&format!("{kind} from {from} to {to}, day {day}"), &bodies)
    }
    fn meal(&mut self, city: &str) -> Option<String> {
        let item = self.item;
        let here: Vec<_> = item.restaurants.iter().filter(|one| one.city == city).collect();
        let mut bodies = Vec::new();
        for one in here {
            let name = in_city(&one.name, city);
            bodies.push(self.step(&name, one.cost.saturating_mul(item.people), true));
        }
        bodies.dedup();
        self.choices(&format!("meal in {city}"), &bodies)
    }
    fn attraction(&mut self, city: &str) -> Option<String> {
        let item = self.item;
        let mut bodies = Vec::new();
        for one in item.attractions.iter().filter(|one| one.city == city) {
            bodies.push(self.step(&in_city(&one.name, city), 0, true));
        }
        bodies.dedup();
        self.choices(&format!("attraction in {city}"), &bodies)
    }
    fn bed(&mut self, city: &str, nights: u32) -> Option<String> {
        let item = self.item;
        let constraint = &item.constraint;
        let mut bodies = Vec::new();
        for one in item.accommodations.iter().filter(|one| one.city == city && one.minimum_nights <= nights) {
            let suits = constraint.room_type.as_ref().is_none_or(|want| has_room_type(want, &one.room_type))
                && constraint.house_rule.as_ref().is_none_or(|need| !forbids(&one.house_rules, need));
            if suits {
                let rooms = item.people.div_ceil(one.occupancy.max(1));
                let cost = one.price.saturating_mul(rooms).saturating_mul(nights);
                bodies.push(self.step(&bed(&one.name, city, nights), cost, false));
            }
        }
        bodies.dedup();
        self.choices(&format!("bed in {city} for {nights}"), &bodies)
    }

    /// The steps of a trip along a route; `None` if there is no way or no bed.
    fn route(&mut self, drives: bool, cities: &[String], nights: &[u32]) -> Option<String> {
        let (origin, nothing) = (self.item.origin.clone(), quoted(NOTHING));
        let (mut body, mut day, mut here) = (Vec::new(), 1, origin.as_str());
        for (city, &nights) in cities.iter().zip(nights) {
            let (meal, attraction) = (self.meal(city)?, self.attraction(city)?);
            let night = self.bed(city, nights)?;
            for n in 0..nights {
                body.push(quoted(&format!("day {day}")));
                if n == 0 {
                    // Breakfast is before the way.
                    body.push(self.way(drives, here, city, day)?);
                    body.push(nothing.clone());
                } else {
                    body.extend([nothing.clone(), meal.clone()]);
                }
                body.extend([attraction.clone(), meal.clone(), meal.clone()]);
                let again = format!("{SAME_BED}, {city}");
                body.push(if n == 0 { night.clone() } else { quoted(&again) });
                day += 1;
            }
            here = city;
        }
        let (meal, back) = (self.meal(here)?, self.way(drives, here, &origin, day)?);
        body.extend([quoted(&format!("day {day}")), back, meal]);
        body.extend([nothing.clone(), nothing.clone(), nothing.clone(), nothing]);
        Some(body.join(" "))
    }
}
