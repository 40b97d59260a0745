//! `travel`: trips over our own small database, with the four metrics of Formal-LLM's appendix A.4.1.
//!
//! A trip visits its cities for two nights each. A query has a budget and wishes; the plan is a flow with limits, a
//! budget and laws. Three agents with the same simulated model write trips: freely, under the flow alone, and under the
//! flow with limits, budget and laws. The rates of the free writer are in [`RATES`]. The trips are judged without the
//! grammars; the result is a [`super::TripJudgment`].

use super::chooser::RandomChooser;
use super::replaced::{Part, Replaced};
pub use super::travel_data::{Attraction, City, Hotel, Leg, Restaurant, Travel, TravelQuery};
use super::travel_judge::{TripJudgment, judge};
use super::{Experiment, ExperimentReport, Row};
use std::fmt::Write;
use std::sync::Arc;
use tsl_synth_agents::plan::{DriveEnd, DriveOptions, OnInvalid, PlanDriver, PlanLength};
use tsl_synth_agents::{Conversation, NoLog, NoOracle};
use tsl_synth_core::base::{Budget, Random, sha256};
use tsl_synth_service::{Failure, Input, PlanRequest, Session};

/// The rates of the simulated model, in percent: no plan at all, a slot left out, a name that does not exist, an item of
/// another city, an answer that is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Nothing is delivered.
    pub silent: u32,
    /// A slot is left out.
    pub left_out: u32,
    /// A name is made up.
    pub made_up: u32,
    /// An item is in another city.
    pub elsewhere: u32,
    /// An answer to a question is not a number.
    pub malformed: u32,
}

/// One set of rates for all queries and agents.
pub const RATES: Rates = Rates { silent: 7, left_out: 5, made_up: 3, elsewhere: 4, malformed: 10 };

/// The paper's Table 5: strategy, delivery, commonsense micro and macro, hard micro and macro, final, in percent.
pub const PAPER: [(&str, [f64; 6]); 2] =
    [("ReAct", [93.1, 63.3, 2.0, 10.5, 5.5, 0.6]), ("Formal-LLM", [100.0, 82.9, 16.7, 41.3, 31.7, 9.2])];

/// The kinds of agents that write trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// The model, freely.
    Free,
    /// The model chooses under the flow: structure, cities and names.
    Flow,
    /// The model chooses under the flow with limits, budget and laws.
    Guarded,
}

impl Agent {
    /// All agents.
    pub const ALL: [Self; 3] = [Self::Free, Self::Flow, Self::Guarded];
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Flow => "flow",
            Self::Guarded => "flow, limits and laws",
        }
    }
}

/// How large the experiment is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TravelSettings {
    /// Trips per query and agent.
    pub trips: u32,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The database and its queries; `None` for those of the gallery.
    pub database: Option<Arc<Travel>>,
}

impl Default for TravelSettings {
    fn default() -> Self {
        Self { trips: 10, seed: 19, database: None }
    }
}

impl TravelSettings {
    /// The experiment with a database and queries given by the user.
    ///
    /// # Errors
    /// What is wrong with a file, in a sentence.
    pub fn with_files(self, files: &Replaced) -> Result<Self, String> {
        files.only("travel", &[Part::Tasks], "`--tasks` (a database with queries, in JSON)")?;
        let Some(file) = &files.tasks else { return Ok(self) };
        let travel = Travel::read(&file.text).map_err(|why| format!("`{}`: {why}", file.name))?;
        Ok(Self { database: Some(Arc::new(travel)), ..self })
    }

    /// The database and its queries.
    ///
    /// # Errors
    /// A defect of this program.
    pub(crate) fn travel(&self) -> Result<Travel, Failure> {
        match &self.database {
            Some(travel) => Ok(Travel::clone(travel)),
            None => Travel::ours().map_err(Failure::internal),
        }
    }
}

/// A row: an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct TravelRow {
    /// The agent.
    pub agent: &'static str,
    /// Percent of the requested trips that were delivered, among those of queries for which a trip exists.
    pub delivery: f64,
    /// Percent of commonsense constraints that are kept, and of trips that keep all.
    pub commonsense: (f64, f64),
    /// Percent of constraints of queries that are kept, and of trips that keep all.
    pub hard: (f64, f64),
    /// Percent of trips that keep everything.
    pub passed: f64,
    /// The number of requested trips, without `impossible`.
    pub trips: u32,
    /// The number of trips that were requested and reported not to exist.
    pub impossible: u32,
}

/// A name in quotes, as in `.cfg` files.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// The grammar of the trips for a query, as a `.cfg` text, and its laws in LTL. Without `strict`, only the flow.
pub fn travel_grammar(travel: &Travel, query: &TravelQuery, strict: bool) -> (String, Vec<String>) {
    let mut text = format!("# Trips of query {}.\n%task {}\n\n", query.id, quoted(&query.sentence()));
    let (mut costs, mut limits, mut laws) = (String::new(), Vec::new(), Vec::new());
    let (mut flights, mut drives, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    let mut number = 0;
    let mut production = |text: &mut String, choices: &[(String, u32)], question: &str| {
        let (here, next) = (format!("N{number}"), format!("N{}", number + 1));
        number += 1;
        let bodies: Vec<String> =
            choices.iter().map(|(name, _)| format!("{} {next}", quoted(name))).collect();
        // If there is no choice, no trip exists: the nonterminal derives only itself.
        let body = if bodies.is_empty() { here.clone() } else { bodies.join(" | ") };
        let _ = writeln!(text, "{here} -> {body}\n%ask {here} {}", quoted(question));
        for (name, cost) in choices {
            let _ = writeln!(costs, "%cost {} {}", quoted(name), cost / 10);
        }
    };
    let mut stops: Vec<&str> = vec![&query.origin];
    stops.extend(query.destinations.iter().map(String::as_str));
    stops.push(&query.origin);
    for (i, pair) in stops.windows(2).enumerate() {
        let mut ways = Vec::new();
        for leg in travel.legs(pair[0], pair[1]) {
            if strict && query.forbidden.as_deref() == Some(leg.kind.as_str()) {
                continue;
            }
            let list = if leg.kind == "flight" { Some(&mut flights) } else { None };
            list.or((leg.kind == "driving").then_some(&mut drives))
                .into_iter()
                .for_each(|list| list.push(leg.name()));
            ways.push((leg.name(), leg.price));
        }
        production(&mut text, &ways, &format!("How do you travel from {} to {}?", pair[0], pair[1]));
        if i + 2 == stops.len() {
            break;
        }
        let Some(city) = travel.city(pair[1]) else { continue };
        let hotels = city.hotels.iter().filter(|hotel| !strict || query.accepts(hotel));
        let hotels: Vec<(String, u32)> = hotels.map(|hotel| (hotel.name.clone(), hotel.price * 2)).collect();
        production(&mut text, &hotels, &format!("Where do you stay in {} for two nights?", city.name));
        let meals: Vec<(String, u32)> =
            city.restaurants.iter().map(|one| (one.name.clone(), one.price)).collect();
        let sights: Vec<(String, u32)> =
            city.attractions.iter().map(|one| (one.name.clone(), one.price)).collect();
        for slot in SLOTS {
            let choices = if slot.contains("see") { &sights } else { &meals };
            production(&mut text, choices, &format!("{slot} in {}?", city.name));
        }
        limits.extend(meals.iter().chain(&sights).map(|(name, _)| quoted(name)));
        let fits = |one: &&Restaurant| Some(&one.cuisine) == query.cuisine.as_ref();
        wanted.extend(city.restaurants.iter().filter(fits).map(|one| quoted(&one.name)));
    }
    let _ = writeln!(text, "N{number} -> ε");
    if strict {
        let _ = write!(text, "\n{costs}%budget {}\n%limit {} 1\n", query.budget / 10, limits.join(" "));
        if !flights.is_empty() && !drives.is_empty() {
            let any = |list: &[String]| list.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(" | ");
            laws.push(format!("F ({}) -> ! F ({})", any(&drives), any(&flights)));
        }
        if query.cuisine.is_some() {
            laws.push(if wanted.is_empty() { "false".into() } else { format!("F ({})", wanted.join(" | ")) });
        }
    }
    (text, laws)
}

/// The questions about a city, in order.
pub const SLOTS: [&str; 6] = [
    "Where do you dine on the first day",
    "What do you see on the second day",
    "Where do you have lunch on the second day",
    "Where do you dine on the second day",
    "What do you see on the third day",
    "Where do you have lunch on the third day",
];

/// A trip that the model writes freely: an item for each slot, or none.
fn freely(travel: &Travel, query: &TravelQuery, random: &mut Random) -> Option<Vec<Option<String>>> {
    let chance = |random: &mut Random, percent: u32| random.below(100) < percent as usize;
    if chance(random, RATES.silent) {
        return None;
    }
    let mut trip = Vec::new();
    let mut item = |random: &mut Random, own: Vec<String>, other: Vec<String>| {
        if chance(random, RATES.left_out) {
            trip.push(None);
        } else if chance(random, RATES.made_up) {
            trip.push(Some("The Place Everyone Talks About".to_string()));
        } else {
            let list = if chance(random, RATES.elsewhere) && !other.is_empty() { other } else { own };
            trip.push((!list.is_empty()).then(|| list[random.below(list.len())].clone()));
        }
    };
    let mut stops: Vec<&str> = vec![&query.origin];
    stops.extend(query.destinations.iter().map(String::as_str));
    stops.push(&query.origin);
    for (i, pair) in stops.windows(2).enumerate() {
        let names = |from: &str, to: &str| travel.legs(from, to).map(Leg::name).collect::<Vec<_>>();
        item(random, names(pair[0], pair[1]), names(pair[1], pair[0]));
        if i + 2 == stops.len() {
            break;
        }
        let (own, other): (Vec<&City>, Vec<&City>) =
            travel.cities.iter().partition(|city| city.name == pair[1]);
        let hotels =
            |list: &[&City]| list.iter().flat_map(|c| c.hotels.iter().map(|h| h.name.clone())).collect();
        item(random, hotels(&own), hotels(&other));
        for slot in SLOTS {
            let names = |list: &[&City]| -> Vec<String> {
                list.iter()
                    .flat_map(|city| {
                        let sights = city.attractions.iter().map(|one| one.name.clone());
                        let meals = city.restaurants.iter().map(|one| one.name.clone());
                        if slot.contains("see") { sights.collect::<Vec<_>>() } else { meals.collect() }
                    })
                    .collect()
            };
            item(random, names(&own), names(&other));
        }
    }
    Some(trip)
}

/// Runs the experiment over all queries of the database. `each` is called for every trip that was delivered.
///
/// # Errors
/// A limit, or a database that cannot be read.
pub fn travel(
    settings: &TravelSettings,
    budget: &Budget,
    each: &mut dyn FnMut(Agent, &TravelQuery, &TripJudgment),
) -> Result<Vec<TravelRow>, Failure> {
    Agent::ALL.into_iter().map(|agent| of_agent(settings, agent, budget, each)).collect()
}

/// The trips of an agent.
fn of_agent(
    settings: &TravelSettings,
    agent: Agent,
    budget: &Budget,
    each: &mut dyn FnMut(Agent, &TravelQuery, &TripJudgment),
) -> Result<TravelRow, Failure> {
    let travel = settings.travel()?;
    let (mut asked, mut impossible) = (0u32, 0u32);
    let mut judged: Vec<TripJudgment> = Vec::new();
    for query in &travel.queries {
        let (text, laws) = travel_grammar(&travel, query, agent == Agent::Guarded);
        let name = format!("query{}.cfg", query.id);
        let mut request = PlanRequest::new(Input::Text { name, text });
        for law in laws {
            request = request.with(Input::Text { name: "<law>".into(), text: law });
        }
        let plans = Session::new().plans(&request)?;
        let mut planner = plans.planner(PlanLength::Any, budget);
        for trip in 0..settings.trips {
            let seed = settings.seed ^ (u64::from(query.id) << 32) ^ (u64::from(trip) << 8);
            let mut random = Random::new(seed);
            let wrote = if agent == Agent::Free {
                freely(&travel, query, &mut random)
            } else {
                let options = DriveOptions {
                    on_invalid: OnInvalid::Random,
                    seed: random.bits(),
                    ..DriveOptions::default()
                };
                let mut oracle = RandomChooser { random, malformed: RATES.malformed };
                let (mut a, mut b, mut c, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
                let mut conversation = Conversation::new(&mut oracle, &mut a, &mut b, &mut c, &mut log, 3);
                let driven = PlanDriver::new(&mut planner, options).run(&mut conversation)?;
                match driven.end {
                    DriveEnd::Plan => {
                        let name = |node: &tsl_synth_agents::plan::PlanNode| {
                            Some(plans.grammar.terminals[node.step.terminal].name.clone())
                        };
                        Some(driven.nodes.iter().map(name).collect())
                    }
                    DriveEnd::NoPlan => {
                        impossible += 1;
                        continue;
                    }
                    DriveEnd::TooLarge(_) | DriveEnd::Stopped(_) => None,
                }
            };
            asked += 1;
            if let Some(wrote) = wrote {
                let verdict = judge(&travel, query, &wrote);
                each(agent, query, &verdict);
                judged.push(verdict);
            }
        }
    }
    Ok(row(agent, asked, impossible, &judged))
}

fn row(agent: Agent, asked: u32, impossible: u32, judged: &[TripJudgment]) -> TravelRow {
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    let asked_for = asked as usize;
    let kept = |list: fn(&TripJudgment) -> &Vec<(&'static str, bool)>| {
        let all: usize = judged.iter().map(|one| list(one).len()).sum();
        let kept: usize = judged.iter().map(|one| list(one).iter().filter(|(_, kept)| *kept).count()).sum();
        let whole = judged.iter().filter(|one| list(one).iter().all(|(_, kept)| *kept)).count();
        (share(kept, all), share(whole, asked_for))
    };
    TravelRow {
        agent: agent.name(),
        delivery: share(judged.len(), asked_for),
        commonsense: kept(|one| &one.commonsense),
        hard: kept(|one| &one.hard),
        passed: share(judged.iter().filter(|one| one.passes()).count(), asked_for),
        trips: asked,
        impossible,
    }
}

impl Experiment for TravelSettings {
    fn parts(&self) -> Vec<String> {
        Agent::ALL.iter().map(|agent| agent.name().to_string()).collect()
    }

    fn run(&self, part: &str) -> Result<Row, Failure> {
        let agent = Agent::ALL.into_iter().find(|agent| agent.name() == part);
        let agent = agent.ok_or_else(|| Failure::internal(format!("there is no agent `{part}`")))?;
        let found = of_agent(self, agent, &Budget::unlimited(), &mut |_, _, _| {})?;
        let values = [
            ("delivery", found.delivery),
            ("commonsense micro", found.commonsense.0),
            ("commonsense macro", found.commonsense.1),
            ("hard micro", found.hard.0),
            ("hard macro", found.hard.1),
            ("final", found.passed),
            ("trips", f64::from(found.trips)),
            ("no trip exists", f64::from(found.impossible)),
        ];
        Ok(Row::new(part, &values))
    }

    fn report(&self, rows: &[Row]) -> ExperimentReport {
        let names =
            ["delivery", "commonsense micro", "commonsense macro", "hard micro", "hard macro", "final"];
        let mut text = format!("{} trips for each query and agent, in percent\n\n", self.trips);
        let _ = writeln!(
            text,
            "{:<30}{:>10}{:>13}{:>8}{:>8}{:>8}{:>8}",
            "", "delivery", "commonsense", "", "hard", "", "final"
        );
        let _ = writeln!(
            text,
            "{:<30}{:>10}{:>13}{:>8}{:>8}{:>8}{:>8}",
            "", "", "micro", "macro", "micro", "macro", ""
        );
        let mut line = |name: &str, numbers: [f64; 6]| {
            let _ = write!(text, "{name:<30}");
            for (number, width) in numbers.into_iter().zip([10, 13, 8, 8, 8, 8]) {
                let _ = write!(text, "{number:>width$.1}");
            }
            text.push('\n');
        };
        for row in rows {
            line(&format!("ours, {}", row.part), names.map(|name| row.get(name)));
        }
        for (strategy, numbers) in PAPER {
            line(&format!("paper, {strategy}"), numbers);
        }
        let impossible: f64 = rows.iter().map(|row| row.get("no trip exists")).sum();
        let _ = writeln!(
            text,
            "\n{impossible} trips were asked for by queries that have none, which was said; they are not counted. The \
             queries and the\ndatabase are ours: the numbers of the paper are of others."
        );
        ExperimentReport { text, chart: None }
    }

    fn settings(&self) -> String {
        let Self { trips, seed, database } = self;
        let own = database.as_ref().map_or(String::new(), |own| sha256(format!("{own:?}").as_bytes()));
        format!("{trips} {seed} {own} {RATES:?}")
    }
}
