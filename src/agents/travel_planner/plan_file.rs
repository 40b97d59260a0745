//! Files of travel plans: days as TravelPlanner's agents deliver them, or the steps of a plan of
//! [`super::travel_grammar`].

use super::grammar::{NOTHING, SAME_BED};
use serde_json::Value;

/// A day of a travel plan; `None` where a field is left out or `-`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TravelDay {
    /// A city, or `from A to B`.
    pub current_city: Option<String>,
    /// `Flight Number: F1, from A to B, ..`, `Self-driving, from A to B, ..` or `Taxi, from A to B, ..`.
    pub transportation: Option<String>,
    /// `NAME, CITY`.
    pub breakfast: Option<String>,
    /// Each `NAME, CITY`.
    pub attractions: Vec<String>,
    /// `NAME, CITY`.
    pub lunch: Option<String>,
    /// `NAME, CITY`.
    pub dinner: Option<String>,
    /// `NAME, CITY`.
    pub accommodation: Option<String>,
}

impl TravelDay {
    /// The meals of the day.
    pub(super) fn meals(&self) -> impl Iterator<Item = &String> {
        [&self.breakfast, &self.lunch, &self.dinner].into_iter().flatten()
    }
}

/// The plans of a file: a list of days; an object with them as its `plan`; the list of a query and days of an annotated
/// plan; the document of `plan drive` or `plan enumerate`; or JSON lines of these.
///
/// # Errors
/// What is wrong with the file, in a sentence.
pub fn travel_plans(text: &str) -> Result<Vec<Vec<TravelDay>>, String> {
    let values: Vec<Value> = match serde_json::from_str(text) {
        Ok(value) => vec![value],
        Err(error) => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let read: Result<Vec<Value>, _> = lines.map(serde_json::from_str).collect();
            read.map_err(|_| format!("neither JSON nor JSON lines: {error}"))?
        }
    };
    let mut plans = Vec::new();
    for value in &values {
        plans.extend(plans_of(value)?);
    }
    Ok(plans)
}

fn plans_of(value: &Value) -> Result<Vec<Vec<TravelDay>>, String> {
    let is_day = |value: &Value| {
        value.get("days").or_else(|| value.get("day")).is_some() && value.get("breakfast").is_some()
    };
    match value {
        Value::Object(fields) => {
            // The document of a driver: only with the answer `plan` it has a whole plan.
            if let Some(answer) = fields.get("answer").and_then(Value::as_str)
                && answer != "plan"
            {
                return Ok(vec![Vec::new()]);
            }
            if let Some(Value::Array(plans)) = fields.get("plans") {
                return plans.iter().map(steps).collect();
            }
            match fields.get("plan").or_else(|| fields.get("annotated_plan")) {
                Some(Value::String(text)) => {
                    let inner = super::literal::literal(text).ok_or("`plan` is text that is no list")?;
                    plans_of(&inner)
                }
                // Nothing was delivered.
                Some(Value::Null) => Ok(vec![Vec::new()]),
                Some(inner) => plans_of(inner),
                None => Err("an object with `plan` or `plans`, or a list of days, is expected".into()),
            }
        }
        Value::Array(items) if items.is_empty() => Ok(vec![Vec::new()]),
        // An annotated plan: the query, then its days.
        Value::Array(items) if matches!(&items[..], [Value::Object(_), Value::Array(_)]) => {
            plans_of(&items[1])
        }
        Value::Array(items)
            if items
                .iter()
                .all(|one| is_day(one) || one.as_object().is_some_and(serde_json::Map::is_empty)) =>
        {
            Ok(vec![items.iter().filter(|one| is_day(one)).map(day).collect()])
        }
        Value::Array(items) => Ok(items.iter().map(plans_of).collect::<Result<Vec<_>, _>>()?.concat()),
        _ => Err("a list of days is expected".into()),
    }
}

fn day(value: &Value) -> TravelDay {
    let field = |name: &str| {
        let text = value.get(name).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty() && *text != NOTHING).map(str::to_string)
    };
    let attractions = field("attraction").or_else(|| field("attractions")).unwrap_or_default();
    TravelDay {
        current_city: field("current_city"),
        transportation: field("transportation"),
        breakfast: field("breakfast"),
        attractions: attractions
            .split(';')
            .map(|one| one.trim().to_string())
            .filter(|one| !one.is_empty() && one != NOTHING)
            .collect(),
        lunch: field("lunch"),
        dinner: field("dinner"),
        accommodation: field("accommodation"),
    }
}

/// The days of the steps of a grammar: seven steps each.
fn steps(plan: &Value) -> Result<Vec<TravelDay>, String> {
    let name = |step: &Value| step.get("step").and_then(Value::as_str).map(str::to_string);
    let names: Option<Vec<String>> = plan.as_array().and_then(|steps| steps.iter().map(name).collect());
    let names = names.ok_or("a plan is no list of steps")?;
    if !names.len().is_multiple_of(7) || !names.iter().step_by(7).all(|step| step.starts_with("day ")) {
        return Err(
            "these are not the steps of a travel plan: seven for each day, the first one `day N`".into()
        );
    }
    let mut bed: Option<String> = None;
    let days = names.chunks(7).map(|steps| {
        let field = |at: usize| Some(steps[at].clone()).filter(|step| step != NOTHING);
        let way = field(1);
        if let Some(night) = field(6) {
            if !night.starts_with(SAME_BED) {
                // The number of nights is not a part of the name.
                bed = Some(night.rsplit_once(", ").map_or(night.clone(), |(name, _)| name.to_string()));
            }
        } else {
            bed = None;
        }
        let cities = way.as_ref().and_then(|way| between_cities(way));
        let city = bed.as_ref().and_then(|bed| bed.rsplit_once(", ")).map(|(_, city)| city.to_string());
        TravelDay {
            current_city: cities.map(|(from, to)| format!("from {from} to {to}")).or(city),
            transportation: way.map(|way| match way.strip_prefix("flight ") {
                Some(rest) => format!("Flight Number: {rest}"),
                None => way.replacen("self-driving", "Self-driving", 1).replacen("taxi", "Taxi", 1),
            }),
            breakfast: field(2),
            attractions: field(3).into_iter().collect(),
            lunch: field(4),
            dinner: field(5),
            accommodation: bed.clone(),
        }
    });
    Ok(days.collect())
}

/// The cities of `.. from A to B, ..`.
pub(super) fn between_cities(text: &str) -> Option<(String, String)> {
    let rest = text.split_once("from ")?.1;
    let (from, to) = rest.split_once(" to ")?;
    let to = to.split([',', '(']).next().unwrap_or(to);
    Some((from.trim().to_string(), to.trim().to_string()))
}
