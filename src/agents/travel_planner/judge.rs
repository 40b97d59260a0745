//! Judges travel plans by TravelPlanner's eight commonsense constraints and five hard constraints (Xie et al., 2024,
//! table 1), independently of how they were made.

use super::grammar::{forbids, has_room_type};
use super::item::{Accommodation, Restaurant, TravelItem};
use super::plan_file::{TravelDay, between_cities};

/// The judgment of one constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Its name in the paper.
    pub constraint: &'static str,
    /// What is wrong; `None` if it is kept.
    pub wrong: Option<String>,
}

/// The judgment of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TravelJudgment {
    /// The eight constraints of common sense.
    pub commonsense: Vec<Judged>,
    /// Those of the five hard constraints that the query has.
    pub hard: Vec<Judged>,
    /// Dollars for all of it, as far as its parts are known.
    pub cost: u64,
}

impl TravelJudgment {
    /// Whether all constraints are kept.
    pub fn passes(&self) -> bool {
        self.commonsense.iter().chain(&self.hard).all(|one| one.wrong.is_none())
    }
}

/// `NAME, CITY`: the last comma separates; the name of a state in brackets is no part of the city.
fn split(text: &str) -> (&str, &str) {
    let (name, city) = text.rsplit_once(',').unwrap_or((text, ""));
    (name.trim(), city.split('(').next().unwrap_or(city).trim())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Flight,
    SelfDriving,
    Taxi,
}

fn kind(way: &str) -> Option<Kind> {
    let lower = way.to_lowercase();
    if lower.contains("flight number") {
        Some(Kind::Flight)
    } else if lower.contains("self-driving") {
        Some(Kind::SelfDriving)
    } else {
        lower.contains("taxi").then_some(Kind::Taxi)
    }
}

struct Judge<'p> {
    item: &'p TravelItem,
    days: &'p [TravelDay],
}

impl Judge<'_> {
    fn restaurant(&self, meal: &str) -> Option<&Restaurant> {
        let (name, city) = split(meal);
        self.item.restaurants.iter().find(|one| one.name == name && one.city == city)
    }
    fn bed(&self, night: &str) -> Option<&Accommodation> {
        let (name, city) = split(night);
        self.item.accommodations.iter().find(|one| one.name == name && one.city == city)
    }
    /// The cost of a way for all persons; `None` if there is no such way on the date.
    fn way(&self, way: &str, date: &str) -> Option<u64> {
        let people = u64::from(self.item.people);
        let (from, to) = between_cities(way)?;
        let of_ride = |taxi: bool, seats: u64| {
            let ride =
                self.item.rides.iter().find(|one| one.taxi == taxi && one.from == from && one.to == to);
            ride.map(|ride| u64::from(ride.cost) * people.div_ceil(seats))
        };
        match kind(way)? {
            Kind::SelfDriving => of_ride(false, 5),
            Kind::Taxi => of_ride(true, 4),
            Kind::Flight => {
                let number = way.split_once("umber:")?.1.split(',').next()?.trim();
                let here =
                    self.item.flights.iter().find(|one| {
                        one.number == number && one.from == from && one.to == to && one.date == date
                    });
                here.map(|flight| u64::from(flight.price) * people)
            }
        }
    }
    /// The cities of a day.
    fn cities(day: &TravelDay) -> Vec<String> {
        let Some(city) = &day.current_city else { return Vec::new() };
        match between_cities(city).filter(|_| city.starts_with("from ")) {
            Some((from, to)) => vec![from, to],
            None => vec![city.split('(').next().unwrap_or(city).trim().to_string()],
        }
    }
    fn ways(&self) -> impl Iterator<Item = (usize, &String)> {
        self.days.iter().enumerate().filter_map(|(at, day)| day.transportation.as_ref().map(|way| (at, way)))
    }

    fn within_sandbox(&self) -> Option<String> {
        for (day, date) in self.days.iter().zip(&self.item.dates) {
            if let Some(meal) = day.meals().find(|meal| self.restaurant(meal).is_none()) {
                return Some(format!("there is no restaurant `{meal}`"));
            }
            let known = |sight: &&String| {
                let (name, city) = split(sight);
                self.item.attractions.iter().any(|one| one.name == name && one.city == city)
            };
            if let Some(sight) = day.attractions.iter().find(|sight| !known(sight)) {
                return Some(format!("there is no attraction `{sight}`"));
            }
            if let Some(night) = day.accommodation.as_ref().filter(|night| self.bed(night).is_none()) {
                return Some(format!("there is no accommodation `{night}`"));
            }
            if let Some(way) = day.transportation.as_ref().filter(|way| self.way(way, date).is_none()) {
                return Some(format!("there is no such way on {date}: `{way}`"));
            }
        }
        None
    }
    fn complete(&self) -> Option<String> {
        if self.days.len() != self.item.days as usize {
            return Some(format!("{} of {} days are there", self.days.len(), self.item.days));
        }
        let mut there = 0;
        for (at, day) in self.days.iter().enumerate() {
            let wrong = |what: &str| Some(format!("day {} has no {what}", at + 1));
            let Some(city) = &day.current_city else { return wrong("current city") };
            let travels = city.starts_with("from ");
            let meals = day.meals().count();
            if travels && day.transportation.is_none() {
                return wrong("transportation");
            }
            if !travels && meals < 3 {
                return wrong("breakfast, lunch or dinner");
            }
            if !travels && day.attractions.is_empty() {
                return wrong("attraction");
            }
            if at + 1 < self.days.len() && day.accommodation.is_none() {
                return wrong("accommodation");
            }
            there += meals + usize::from(day.transportation.is_some());
            there += usize::from(!day.attractions.is_empty()) + usize::from(day.accommodation.is_some());
        }
        let all = self.days.len() * 6;
        (there * 2 < all).then(|| format!("only {there} of {all} fields are filled in"))
    }
    fn within_city(&self) -> Option<String> {
        for (at, day) in self.days.iter().enumerate() {
            let cities = Self::cities(day);
            let places = day.meals().chain(&day.attractions).chain(&day.accommodation);
            for place in places {
                if !cities.iter().any(|city| city == split(place).1) {
                    return Some(format!("`{place}` is not in the city of day {}", at + 1));
                }
            }
            // The last city of the day is where one sleeps.
            let slept = day.accommodation.as_ref().map(|night| split(night).1);
            if slept.is_some_and(|slept| cities.last().is_some_and(|city| city != slept)) {
                return Some(format!("the night of day {} is not where the day ends", at + 1));
            }
            if let Some((from, to)) = day.transportation.as_ref().and_then(|way| between_cities(way))
                && cities != [from, to]
            {
                return Some(format!("the way of day {} is not between its cities", at + 1));
            }
        }
        None
    }
    fn route(&self) -> Option<String> {
        let mut route: Vec<String> = Vec::new();
        for (at, day) in self.days.iter().enumerate() {
            let cities = Self::cities(day);
            if at > 0 && route.last() != cities.first() {
                return Some(format!("day {} does not begin where day {at} ends", at + 1));
            }
            for city in cities {
                if route.last() != Some(&city) {
                    route.push(city);
                }
            }
        }
        let origin = &self.item.origin;
        let ([first, inner @ .., last], true) = (&route[..], route.len() > 2) else {
            return Some("no city is visited".into());
        };
        if first != origin || last != origin {
            return Some(format!("the trip does not begin and end in {origin}"));
        }
        if let Some((_, twice)) = inner.iter().enumerate().find(|(at, city)| inner[..*at].contains(city)) {
            return Some(format!("{twice} is visited twice"));
        }
        if let Some(unknown) =
            inner.iter().find(|city| !self.item.accommodations.iter().any(|one| one.city == **city))
        {
            return Some(format!("{unknown} is no city of the trip"));
        }
        (inner.len() != self.item.cities as usize)
            .then(|| format!("{} cities are visited and not {}", inner.len(), self.item.cities))
    }
    fn twice<'s>(names: impl Iterator<Item = &'s String>) -> Option<String> {
        let names: Vec<&String> = names.collect();
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        twice.map(|(_, name)| format!("`{name}` occurs twice"))
    }
    fn conflict(&self) -> Option<String> {
        let kinds: Vec<Kind> = self.ways().filter_map(|(_, way)| kind(way)).collect();
        if self.days.first().is_none_or(|day| day.transportation.is_none()) {
            return Some("there is no way on the first day".into());
        }
        let drives = kinds.contains(&Kind::SelfDriving);
        (drives && kinds.iter().any(|kind| *kind != Kind::SelfDriving))
            .then(|| "self-driving and another way".into())
    }
    fn nights(&self) -> Option<String> {
        let nights: Vec<&Option<String>> = self.days.iter().map(|day| &day.accommodation).collect();
        for group in nights.chunk_by(|a, b| a == b) {
            let Some(night) = group[0] else { continue };
            let Some(bed) = self.bed(night) else {
                return Some(format!("there is no accommodation `{night}`"));
            };
            if group.len() < bed.minimum_nights as usize {
                return Some(format!(
                    "`{night}` for {}, and at least {} nights",
                    group.len(),
                    bed.minimum_nights
                ));
            }
        }
        None
    }
    fn cost(&self) -> (u64, bool) {
        let people = u64::from(self.item.people);
        let (mut sum, mut known) = (0u64, true);
        let mut add = |cost: Option<u64>| {
            known &= cost.is_some();
            sum += cost.unwrap_or(0);
        };
        for (day, date) in self.days.iter().zip(&self.item.dates) {
            for meal in day.meals() {
                add(self.restaurant(meal).map(|one| u64::from(one.cost) * people));
            }
            if let Some(night) = &day.accommodation {
                add(self
                    .bed(night)
                    .map(|bed| u64::from(bed.price) * people.div_ceil(u64::from(bed.occupancy))));
            }
            if let Some(way) = &day.transportation {
                add(self.way(way, date));
            }
        }
        (sum, known)
    }
    fn beds(&self) -> Vec<&Accommodation> {
        self.days.iter().filter_map(|day| self.bed(day.accommodation.as_ref()?)).collect()
    }
}

/// Judges a plan of an item.
pub fn judge(item: &TravelItem, days: &[TravelDay]) -> TravelJudgment {
    let judge = Judge { item, days };
    // What is not delivered keeps nothing.
    let nothing = days.is_empty().then(|| "there is no plan".to_string());
    let judged = |constraint, wrong: Option<String>| Judged { constraint, wrong: nothing.clone().or(wrong) };
    let commonsense = vec![
        judged("within sandbox", judge.within_sandbox()),
        judged("complete information", judge.complete()),
        judged("within current city", judge.within_city()),
        judged("reasonable city route", judge.route()),
        judged("diverse restaurants", Judge::twice(days.iter().flat_map(TravelDay::meals))),
        judged("diverse attractions", Judge::twice(days.iter().flat_map(|day| &day.attractions))),
        judged("non-conflicting transportation", judge.conflict()),
        judged("minimum nights stay", judge.nights()),
    ];
    let (cost, known) = judge.cost();
    let (constraint, mut hard) = (&item.constraint, Vec::new());
    if let Some(budget) = item.budget {
        let wrong = if cost > u64::from(budget) {
            Some(format!("the plan costs {cost}, and the budget is {budget}"))
        } else {
            (!known).then(|| "a part of the plan has no known cost".to_string())
        };
        hard.push(judged("budget", wrong));
    }
    if let Some(need) = &constraint.house_rule {
        let wrong = judge.beds().into_iter().find(|bed| forbids(&bed.house_rules, need));
        hard.push(judged("room rule", wrong.map(|bed| format!("`{}` forbids {need}", bed.name))));
    }
    if let Some(wanted) = &constraint.room_type {
        let wrong = judge.beds().into_iter().find(|bed| !has_room_type(wanted, &bed.room_type));
        hard.push(judged("room type", wrong.map(|bed| format!("`{}` is a {}", bed.name, bed.room_type))));
    }
    if !constraint.cuisine.is_empty() {
        let eaten = |wanted: &&String| {
            let meals = days.iter().flat_map(TravelDay::meals).filter_map(|meal| judge.restaurant(meal));
            let mut meals = meals.filter(|meal| meal.city != item.origin);
            meals.any(|meal| meal.cuisines.iter().any(|have| have.eq_ignore_ascii_case(wanted)))
        };
        let wrong = constraint.cuisine.iter().find(|wanted| !eaten(wanted));
        hard.push(judged("cuisine", wrong.map(|wanted| format!("no meal is {wanted}"))));
    }
    if let Some(rule) = &constraint.transportation {
        let forbidden = |way: &str| {
            let kind = kind(way);
            rule == "no flight" && kind == Some(Kind::Flight)
                || rule == "no self-driving" && kind == Some(Kind::SelfDriving)
        };
        let wrong = judge.ways().find(|(_, way)| forbidden(way)).map(|(_, way)| format!("{rule}: `{way}`"));
        hard.push(judged("transportation", wrong));
    }
    TravelJudgment { commonsense, hard, cost }
}
