//! The items of TravelPlanner (Xie et al., "TravelPlanner: A benchmark for real-world planning with language agents",
//! ICML 2024): a query with its constraints, and the reference information with all flights, hotels and so on.
//!
//! The reference information is a list of descriptions and contents. A content is a table as `DataFrame.to_string`
//! of pandas prints it, with right-aligned columns; or a list of records; or a sentence about a ride, or one that says
//! that nothing was found.

use super::literal::{csv, literal};
use serde_json::{Map, Value};

/// A flight on a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Its number.
    pub number: String,
    /// Dollars for one person.
    pub price: u32,
    /// Where it starts.
    pub from: String,
    /// Where it lands.
    pub to: String,
    /// The date, such as `2022-03-16`.
    pub date: String,
    /// The time of departure.
    pub departure: String,
    /// The time of arrival.
    pub arrival: String,
}

/// A way by road.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ride {
    /// Whether it is by taxi; otherwise it is self-driving.
    pub taxi: bool,
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Dollars for one car.
    pub cost: u32,
}

/// A restaurant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restaurant {
    /// Its name.
    pub name: String,
    /// Its city.
    pub city: String,
    /// Dollars for one person.
    pub cost: u32,
    /// Its cuisines.
    pub cuisines: Vec<String>,
}

/// An attraction, which costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attraction {
    /// Its name.
    pub name: String,
    /// Its city.
    pub city: String,
}

/// An accommodation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accommodation {
    /// Its name.
    pub name: String,
    /// Its city.
    pub city: String,
    /// Dollars for one room and night.
    pub price: u32,
    /// `Entire home/apt`, `Private room` or `Shared room`.
    pub room_type: String,
    /// What is forbidden, such as `No smoking & No pets`.
    pub house_rules: String,
    /// It is let for at least this many nights.
    pub minimum_nights: u32,
    /// The largest number of persons in one room.
    pub occupancy: u32,
}

/// The constraints of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalConstraint {
    /// What the house must allow: `smoking`, `parties`, `children under 10`, `visitors` or `pets`.
    pub house_rule: Option<String>,
    /// Each of these cuisines is eaten.
    pub cuisine: Vec<String>,
    /// `entire room`, `private room`, `shared room` or `not shared room`.
    pub room_type: Option<String>,
    /// `no flight` or `no self-driving`.
    pub transportation: Option<String>,
}

/// An item: a query and what there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TravelItem {
    /// The query in words.
    pub query: String,
    /// Where the trip begins and ends.
    pub origin: String,
    /// The city or state of the trip.
    pub destination: String,
    /// The number of days.
    pub days: u32,
    /// The number of cities to visit.
    pub cities: u32,
    /// The date of each day.
    pub dates: Vec<String>,
    /// The number of persons.
    pub people: u32,
    /// Dollars for all of it; `None` if there is no bound.
    pub budget: Option<u32>,
    /// The constraints.
    pub constraint: LocalConstraint,
    /// All flights.
    pub flights: Vec<Flight>,
    /// All ways by road.
    pub rides: Vec<Ride>,
    /// All restaurants.
    pub restaurants: Vec<Restaurant>,
    /// All attractions.
    pub attractions: Vec<Attraction>,
    /// All accommodations.
    pub accommodations: Vec<Accommodation>,
}

/// The items of a file: a JSON object or list, JSON lines, or CSV as the data set is published.
///
/// # Errors
/// What is wrong with the file, in a sentence.
pub fn travel_items(text: &str) -> Result<Vec<TravelItem>, String> {
    let values: Vec<Value> = match serde_json::from_str(text) {
        Ok(Value::Array(items)) => items,
        Ok(value) => vec![value],
        Err(error) if text.trim_start().starts_with(['{', '[']) => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let read: Result<Vec<Value>, _> = lines.map(serde_json::from_str).collect();
            read.map_err(|_| format!("neither JSON nor JSON lines: {error}"))?
        }
        Err(_) => csv(text).ok_or("neither JSON nor a CSV table with one row of names")?,
    };
    let item =
        |(at, value): (usize, &Value)| item(value).map_err(|message| format!("item {}: {message}", at + 1));
    values.iter().enumerate().map(item).collect()
}

/// A member that may be text which contains the value as a literal.
fn member(fields: &Map<String, Value>, name: &str) -> Option<Value> {
    match fields.get(name)? {
        Value::Null => None,
        Value::String(text) if text.trim_start().starts_with(['{', '[', '(']) => literal(text),
        other => Some(other.clone()),
    }
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    match fields.get(name)? {
        Value::String(text) => Some(text.trim().to_string()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A number, which may be text with a sign of a currency; rounded up.
fn number(value: &str) -> Option<u32> {
    let plain: String = value.chars().filter(|c| !matches!(c, '$' | ',' | ' ')).collect();
    let end = plain.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(plain.len());
    let (whole, part) = plain[..end].split_once('.').unwrap_or((&plain[..end], ""));
    let whole: u32 = whole.parse().ok().filter(|&whole| whole <= 1_000_000_000)?;
    Some(whole + u32::from(part.bytes().any(|digit| digit != b'0')))
}

fn counted(fields: &Map<String, Value>, name: &str) -> Result<u32, String> {
    let value = text(fields, name).ok_or_else(|| format!("there is no `{name}`"))?;
    number(&value).ok_or_else(|| format!("`{name}` is no number: `{value}`"))
}

fn item(value: &Value) -> Result<TravelItem, String> {
    let fields = value.as_object().ok_or("an object is expected")?;
    let named = |name: &str| text(fields, name).ok_or_else(|| format!("there is no `{name}`"));
    let dates = match member(fields, "date") {
        Some(Value::Array(dates)) => {
            dates.iter().filter_map(|date| date.as_str().map(str::to_string)).collect()
        }
        Some(Value::String(date)) => vec![date],
        _ => return Err("`date` is no list of dates".into()),
    };
    let mut found = TravelItem {
        query: text(fields, "query").unwrap_or_default(),
        origin: named("org")?,
        destination: named("dest")?,
        days: counted(fields, "days")?,
        cities: fields
            .get("visiting_city_number")
            .map_or(Ok(1), |_| counted(fields, "visiting_city_number"))?,
        people: fields.get("people_number").map_or(Ok(1), |_| counted(fields, "people_number"))?,
        budget: fields
            .get("budget")
            .filter(|v| !v.is_null())
            .map(|_| counted(fields, "budget"))
            .transpose()?,
        dates,
        ..TravelItem::default()
    };
    if !(2..=30).contains(&found.days) || found.dates.len() != found.days as usize {
        return Err(format!(
            "{} days with {} dates: 2 to 30 days, each with a date",
            found.days,
            found.dates.len()
        ));
    }
    if found.cities == 0 || found.cities >= found.days || found.people == 0 {
        return Err("at least one person and city are expected, and more days than cities".into());
    }
    if let Some(Value::Object(all)) = member(fields, "local_constraint") {
        let cuisine = match member(&all, "cuisine") {
            Some(Value::Array(all)) => {
                all.iter().filter_map(|one| one.as_str().map(str::to_string)).collect()
            }
            Some(Value::String(one)) => vec![one],
            _ => Vec::new(),
        };
        found.constraint = LocalConstraint {
            house_rule: text(&all, "house rule"),
            cuisine,
            room_type: text(&all, "room type"),
            transportation: text(&all, "transportation"),
        };
    }
    let reference = member(fields, "reference_information").ok_or("there is no `reference_information`")?;
    let reference = match reference {
        Value::Array(parts) => parts,
        // In some releases a dictionary from descriptions to contents.
        Value::Object(parts) => parts
            .into_iter()
            .map(|(about, content)| serde_json::json!({ "Description": about, "Content": content }))
            .collect(),
        _ => return Err("`reference_information` is no list of descriptions and contents".into()),
    };
    for part in &reference {
        let Some(part) = part.as_object() else { continue };
        let about = text(part, "Description").ok_or("a part of the reference has no `Description`")?;
        let content = part.get("Content").ok_or_else(|| format!("`{about}` has no `Content`"))?;
        found.add(&about, content)?;
    }
    Ok(found)
}

/// The records of a content.
///
/// # Errors
/// It is a table of several lines, and no row is read.
fn records(about: &str, content: &Value) -> Result<Vec<Map<String, Value>>, String> {
    let objects = |rows: &[Value]| rows.iter().filter_map(|row| row.as_object().cloned()).collect();
    let text = match content {
        Value::Array(rows) => return Ok(objects(rows)),
        Value::String(text) => text,
        _ => return Ok(Vec::new()),
    };
    let rows = match literal(text) {
        Some(Value::Array(rows)) => objects(&rows),
        _ => printed_table(text),
    };
    if rows.is_empty() && text.lines().filter(|line| !line.trim().is_empty()).count() > 1 {
        return Err(format!(
            "`{about}`: no row of the table is read; in each row the columns end where their names end, or two blanks \
             are between them"
        ));
    }
    Ok(rows)
}

/// The rows of a printed table: each column ends where its name ends.
fn printed_table(text: &str) -> Vec<Map<String, Value>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(head) = lines.next() else { return Vec::new() };
    let head: Vec<char> = head.trim_end().chars().collect();
    let mut columns: Vec<(String, usize)> = Vec::new();
    let mut name = String::new();
    for (at, &c) in head.iter().enumerate() {
        let ends = at + 1 == head.len() || c != ' ' && head[at + 1] == ' ' && head.get(at + 2) == Some(&' ');
        name.push(c);
        if ends {
            columns.push((name.trim().to_string(), at + 1));
            name.clear();
        }
    }
    if columns.len() < 2 {
        return Vec::new();
    }
    let row = |line: &str| {
        let line = line.trim_end();
        let chars: Vec<char> = line.chars().collect();
        let aligned = columns.iter().all(|&(_, end)| chars.get(end).is_none_or(|&c| c == ' '));
        let parts: Vec<String> = if aligned {
            let mut begin = 0;
            let mut cells = Vec::new();
            for &(_, end) in &columns {
                let cell = chars.get(begin..end.min(chars.len())).unwrap_or_default();
                cells.push(cell.iter().collect::<String>().trim().to_string());
                begin = end;
            }
            cells
        } else {
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_string).collect()
        };
        let names = columns.iter().map(|(name, _)| name.clone());
        (parts.len() == columns.len())
            .then(|| names.zip(parts.into_iter().map(Value::String)).collect::<Map<String, Value>>())
    };
    lines.filter_map(row).collect()
}

/// What stands between two words of a text.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    let rest = &text[text.find(begin)? + begin.len()..];
    let found = if end.is_empty() { rest } else { &rest[..rest.find(end)?] };
    Some(found.trim())
}

impl TravelItem {
    fn add(&mut self, about: &str, content: &Value) -> Result<(), String> {
        let any = |row: &Map<String, Value>, names: &[&str]| names.iter().find_map(|name| text(row, name));
        let wrong = |what: &str| format!("`{about}`: a row without {what}");
        let of_number =
            |row: &Map<String, Value>, names: &[&str]| any(row, names).and_then(|text| number(&text));
        if let Some(city) = about.strip_prefix("Attractions in ") {
            for row in records(about, content)? {
                let name = any(&row, &["Name", "NAME", "name"]).ok_or_else(|| wrong("a name"))?;
                self.attractions.push(Attraction { name, city: city.trim().into() });
            }
        } else if let Some(city) = about.strip_prefix("Restaurants in ") {
            for row in records(about, content)? {
                let cuisines = any(&row, &["Cuisines", "cuisines"]).unwrap_or_default();
                self.restaurants.push(Restaurant {
                    name: any(&row, &["Name", "NAME", "name"]).ok_or_else(|| wrong("a name"))?,
                    city: city.trim().into(),
                    cost: of_number(&row, &["Average Cost", "average cost"])
                        .ok_or_else(|| wrong("a cost"))?,
                    cuisines: cuisines.split(',').map(|one| one.trim().to_string()).collect(),
                });
            }
        } else if let Some(city) = about.strip_prefix("Accommodations in ") {
            for row in records(about, content)? {
                self.accommodations.push(Accommodation {
                    name: any(&row, &["NAME", "Name", "name"]).ok_or_else(|| wrong("a name"))?,
                    city: city.trim().into(),
                    price: of_number(&row, &["price", "Price"]).ok_or_else(|| wrong("a price"))?,
                    room_type: any(&row, &["room type", "room_type"]).unwrap_or_default(),
                    house_rules: any(&row, &["house_rules", "house rules"]).unwrap_or_default(),
                    minimum_nights: of_number(&row, &["minimum nights", "minimum_nights"]).unwrap_or(1),
                    occupancy: of_number(&row, &["maximum occupancy", "maximum_occupancy"])
                        .unwrap_or(1)
                        .max(1),
                });
            }
        } else if let Some(rest) = about.strip_prefix("Flight from ") {
            for row in records(about, content)? {
                let (from, to) =
                    rest.split_once(" to ").ok_or_else(|| format!("`{about}` names no two cities"))?;
                let to = to.split(" on ").next().unwrap_or(to);
                self.flights.push(Flight {
                    number: any(&row, &["Flight Number"]).ok_or_else(|| wrong("a number"))?,
                    price: of_number(&row, &["Price"]).ok_or_else(|| wrong("a price"))?,
                    from: any(&row, &["OriginCityName"]).unwrap_or_else(|| from.trim().into()),
                    to: any(&row, &["DestCityName"]).unwrap_or_else(|| to.trim().into()),
                    date: any(&row, &["FlightDate"])
                        .or_else(|| between(about, " on ", "").map(str::to_string))
                        .ok_or_else(|| wrong("a date"))?,
                    departure: any(&row, &["DepTime"]).unwrap_or_default(),
                    arrival: any(&row, &["ArrTime"]).unwrap_or_default(),
                });
            }
        } else {
            let taxi = about.starts_with("Taxi from ");
            let rest = about.strip_prefix("Taxi from ").or_else(|| about.strip_prefix("Self-driving from "));
            let (Some((from, to)), Some(content)) =
                (rest.and_then(|rest| rest.split_once(" to ")), content.as_str())
            else {
                return Ok(());
            };
            // Without a cost there is no such way: `No valid information.`
            if let Some(cost) = between(content, "cost:", "").and_then(number) {
                self.rides.push(Ride { taxi, from: from.trim().into(), to: to.trim().into(), cost });
            }
        }
        Ok(())
    }
}
