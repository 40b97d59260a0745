//! Judges trips, independently of how they were made: the eight commonsense constraints of TravelPlanner and the
//! constraints of the query.

use super::travel_data::{City, Hotel, Leg, NIGHTS, Restaurant, Travel, TravelQuery};

/// A trip has this many items in each city: the way there, a hotel, and meals and sights.
const ITEMS: usize = 8;
/// Which of them are meals, and which sights.
const MEALS: [usize; 4] = [2, 4, 5, 7];
const SIGHTS: [usize; 2] = [3, 6];

/// The judgment of a trip: each constraint, and whether it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripJudgment {
    /// The constraints of common sense.
    pub commonsense: Vec<(&'static str, bool)>,
    /// The constraints of the query.
    pub hard: Vec<(&'static str, bool)>,
    /// The cost of the whole trip.
    pub cost: u32,
}

impl TripJudgment {
    /// Whether all constraints are kept.
    pub fn passes(&self) -> bool {
        self.commonsense.iter().chain(&self.hard).all(|(_, kept)| *kept)
    }
}

/// An item of a trip, as found in the database.
#[derive(Clone, Copy, Debug)]
enum TravelItem<'t> {
    Way(&'t Leg),
    Hotel(&'t City, &'t Hotel),
    Meal(&'t City, &'t Restaurant),
    Sight(&'t City, u32),
}

fn find<'t>(travel: &'t Travel, name: &str) -> Option<TravelItem<'t>> {
    if let Some(way) = travel.ways.iter().find(|way| way.name() == name) {
        return Some(TravelItem::Way(way));
    }
    for city in &travel.cities {
        if let Some(hotel) = city.hotels.iter().find(|one| one.name == name) {
            return Some(TravelItem::Hotel(city, hotel));
        }
        if let Some(meal) = city.restaurants.iter().find(|one| one.name == name) {
            return Some(TravelItem::Meal(city, meal));
        }
        if let Some(sight) = city.attractions.iter().find(|one| one.name == name) {
            return Some(TravelItem::Sight(city, sight.price));
        }
    }
    None
}

/// Judges a trip: its items in order, `None` where one is left out.
pub(super) fn judge(travel: &Travel, query: &TravelQuery, trip: &[Option<String>]) -> TripJudgment {
    let found: Vec<Option<TravelItem<'_>>> =
        trip.iter().map(|item| item.as_ref().and_then(|name| find(travel, name))).collect();
    let named = |place: &[usize]| -> Vec<&String> {
        let inside = |i: &usize| *i < query.destinations.len() * ITEMS && place.contains(&(i % ITEMS));
        (0..trip.len()).filter(inside).filter_map(|i| trip[i].as_ref()).collect()
    };
    let distinct = |names: &[&String]| names.iter().enumerate().all(|(i, name)| !names[..i].contains(name));
    let mut stops = vec![query.origin.as_str()];
    stops.extend(query.destinations.iter().map(String::as_str));
    stops.push(&query.origin);
    let city_of = |i: usize| stops.get(i / ITEMS + 1).copied().unwrap_or_default();
    let in_city = found.iter().enumerate().all(|(i, item)| match item {
        Some(TravelItem::Hotel(city, _) | TravelItem::Meal(city, _) | TravelItem::Sight(city, _)) => {
            city.name == city_of(i)
        }
        Some(TravelItem::Way(_)) | None => true,
    });
    let ways: Vec<&Leg> = found
        .iter()
        .filter_map(|item| if let Some(TravelItem::Way(way)) = item { Some(*way) } else { None })
        .collect();
    let route = ways.len() + 1 == stops.len()
        && ways.iter().zip(stops.windows(2)).all(|(way, pair)| way.from == pair[0] && way.to == pair[1]);
    let takes = |kind: &str| ways.iter().any(|way| way.kind == kind);
    let hotels: Vec<&Hotel> = found
        .iter()
        .filter_map(|item| if let Some(TravelItem::Hotel(_, one)) = item { Some(*one) } else { None })
        .collect();
    // Every slot has an item, and those of the database are of the right kind.
    let whole = trip.len() == query.destinations.len() * ITEMS + 1
        && trip.iter().all(Option::is_some)
        && found.iter().enumerate().all(|(i, item)| match item {
            Some(TravelItem::Way(_)) => i % ITEMS == 0,
            Some(TravelItem::Hotel(..)) => i % ITEMS == 1,
            Some(TravelItem::Meal(..)) => MEALS.contains(&(i % ITEMS)),
            Some(TravelItem::Sight(..)) => SIGHTS.contains(&(i % ITEMS)),
            None => true,
        });
    let cost = found
        .iter()
        .flatten()
        .map(|item| match item {
            TravelItem::Way(way) => way.price,
            TravelItem::Hotel(_, hotel) => hotel.price * NIGHTS,
            TravelItem::Meal(_, meal) => meal.price,
            TravelItem::Sight(_, price) => *price,
        })
        .sum();
    let commonsense = vec![
        (
            "within the database",
            trip.iter().zip(&found).all(|(item, found)| item.is_none() || found.is_some()),
        ),
        ("complete information", whole),
        ("within the current city", in_city),
        ("reasonable route", route),
        ("diverse restaurants", distinct(&named(&MEALS))),
        ("diverse attractions", distinct(&named(&SIGHTS))),
        ("transport without conflict", !(takes("flight") && takes("driving"))),
        ("minimum nights", hotels.iter().all(|hotel| hotel.minimum_nights <= NIGHTS)),
    ];
    let mut hard = vec![("budget", cost <= query.budget)];
    if let Some(cuisine) = &query.cuisine {
        let eaten = |item: &Option<TravelItem<'_>>| matches!(item, Some(TravelItem::Meal(_, meal)) if meal.cuisine == *cuisine);
        hard.push(("cuisine", found.iter().any(eaten)));
    }
    if let Some(wanted) = &query.room_type {
        hard.push(("room type", hotels.iter().all(|hotel| hotel.room_type == *wanted)));
    }
    if let Some(rule) = &query.room_rule {
        hard.push(("room rule", hotels.iter().all(|hotel| hotel.forbids != *rule)));
    }
    if let Some(kind) = &query.forbidden {
        hard.push(("transport", !takes(kind)));
    }
    TripJudgment { commonsense, hard, cost }
}
