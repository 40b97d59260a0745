//! The database of the travel experiment.

use serde_json::Value;

/// A place to stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hotel {
    /// Its name.
    pub name: String,
    /// The price of a night.
    pub price: u32,
    /// `private room`, `entire home` or `shared room`.
    pub room_type: String,
    /// What is not allowed, such as `no pets`.
    pub forbids: String,
    /// The minimal number of nights of a stay.
    pub minimum_nights: u32,
}

/// A place to eat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restaurant {
    /// Its name.
    pub name: String,
    /// The price of a meal.
    pub price: u32,
    /// The kind of food.
    pub cuisine: String,
}

/// Something to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attraction {
    /// Its name.
    pub name: String,
    /// The price of a ticket.
    pub price: u32,
}

/// A city.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct City {
    /// Its name.
    pub name: String,
    /// Where to stay.
    pub hotels: Vec<Hotel>,
    /// Where to eat.
    pub restaurants: Vec<Restaurant>,
    /// What to see.
    pub attractions: Vec<Attraction>,
}

/// A connection from one city to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The city where it begins.
    pub from: String,
    /// The city where it ends.
    pub to: String,
    /// `flight`, `driving` or `taxi`.
    pub kind: String,
    /// What it costs.
    pub price: u32,
}

impl Leg {
    /// Its name in plans.
    pub fn name(&self) -> String {
        format!("{} from {} to {}", self.kind, self.from, self.to)
    }
}

/// A request for a trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TravelQuery {
    /// Its number.
    pub id: u32,
    /// Where the trip begins and ends.
    pub origin: String,
    /// The cities to visit, in order, for two nights each.
    pub destinations: Vec<String>,
    /// The maximal cost of the whole trip.
    pub budget: u32,
    /// If given, some meal must be of this cuisine.
    pub cuisine: Option<String>,
    /// If given, rooms must be of this type.
    pub room_type: Option<String>,
    /// If given, rooms must not have this rule.
    pub room_rule: Option<String>,
    /// The means of transport that must not be used: `flight` or `driving`.
    pub forbidden: Option<String>,
}

/// Nights in each city.
pub(super) const NIGHTS: u32 = 2;

impl TravelQuery {
    /// Whether a hotel satisfies the wishes, and the stay is long enough for it.
    pub fn accepts(&self, hotel: &Hotel) -> bool {
        self.room_type.as_ref().is_none_or(|wanted| *wanted == hotel.room_type)
            && self.room_rule.as_ref().is_none_or(|rule| *rule != hotel.forbids)
            && hotel.minimum_nights <= NIGHTS
    }
    /// The query in words.
    pub fn sentence(&self) -> String {
        let mut text = format!(
            "A trip from {} to {}, two nights in each city, for at most {}",
            self.origin,
            self.destinations.join(" and "),
            self.budget
        );
        for (before, wish, after) in [
            ("one meal is ", &self.cuisine, ""),
            ("the room is of the type ", &self.room_type, ""),
            ("the house rule is not ", &self.room_rule, ""),
            ("without ", &self.forbidden, ""),
        ] {
            if let Some(wish) = wish {
                text.push_str("; ");
                text.push_str(before);
                text.push_str(wish);
                text.push_str(after);
            }
        }
        text
    }
}

/// Cities, connections between them, and queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Travel {
    /// The cities.
    pub cities: Vec<City>,
    /// The connections.
    pub ways: Vec<Leg>,
    /// The queries.
    pub queries: Vec<TravelQuery>,
}

impl Travel {
    /// The built-in database.
    ///
    /// # Errors
    /// An invalid database; the text says why.
    pub fn ours() -> Result<Self, String> {
        Self::read(tsl_synth_specs::text("plans/travel/database.json"))
    }
    /// Reads a database.
    ///
    /// # Errors
    /// An invalid database; the text says why.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut cities = Vec::new();
        for city in list(&value, "cities")? {
            let hotels = list(city, "hotels")?.iter().map(|one| {
                Ok(Hotel {
                    name: word(one, "name")?,
                    price: number(one, "price")?,
                    room_type: word(one, "type")?,
                    forbids: word(one, "forbids")?,
                    minimum_nights: number(one, "minimumNights")?,
                })
            });
            let restaurants = list(city, "restaurants")?.iter().map(|one| {
                Ok(Restaurant {
                    name: word(one, "name")?,
                    price: number(one, "price")?,
                    cuisine: word(one, "cuisine")?,
                })
            });
            let attractions = list(city, "attractions")?
                .iter()
                .map(|one| Ok(Attraction { name: word(one, "name")?, price: number(one, "price")? }));
            cities.push(City {
                name: word(city, "name")?,
                hotels: hotels.collect::<Result<_, String>>()?,
                restaurants: restaurants.collect::<Result<_, String>>()?,
                attractions: attractions.collect::<Result<_, String>>()?,
            });
        }
        let mut ways = Vec::new();
        for way in list(&value, "transport")? {
            for kind in ["flight", "driving", "taxi"] {
                let (from, to) = (word(way, "from")?, word(way, "to")?);
                ways.push(Leg { from, to, kind: kind.into(), price: number(way, kind)? });
            }
        }
        let mut queries = Vec::new();
        for query in list(&value, "queries")? {
            let wish = |key: &str| query.get(key).and_then(Value::as_str).map(str::to_string);
            let destinations = list(query, "destinations")?.iter();
            queries.push(TravelQuery {
                id: number(query, "id")?,
                origin: word(query, "origin")?,
                destinations: destinations.filter_map(Value::as_str).map(str::to_string).collect(),
                budget: number(query, "budget")?,
                cuisine: wish("cuisine"),
                room_type: wish("roomType"),
                room_rule: wish("roomRule"),
                forbidden: wish("transport"),
            });
        }
        Ok(Self { cities, ways, queries })
    }
    /// The city of this name.
    pub fn city(&self, name: &str) -> Option<&City> {
        self.cities.iter().find(|city| city.name == name)
    }
    /// The connections from one city to another.
    pub fn legs(&self, from: &str, to: &str) -> impl Iterator<Item = &Leg> {
        self.ways.iter().filter(move |way| way.from == from && way.to == to)
    }
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v Vec<Value>, String> {
    value.get(key).and_then(Value::as_array).ok_or_else(|| format!("there is no list `{key}`"))
}

fn word(value: &Value, key: &str) -> Result<String, String> {
    value
        .get(key)
        .and_then(Value::as_str)
        .map(str::to_string)
        .ok_or_else(|| format!("there is no text `{key}`"))
}

fn number(value: &Value, key: &str) -> Result<u32, String> {
    let number = value.get(key).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
    number.ok_or_else(|| format!("there is no number `{key}`"))
}
