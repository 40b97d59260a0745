//! The places of a world, the doors between them, and the ways that walks take.

use super::rule::{Change, Changes};
use super::state::State;
use crate::world::ToolCall;
use serde_json::json;
use std::collections::BTreeSet;

/// A place.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    /// Its name in sentences.
    pub(super) shown: String,
}

/// A way: its length, and the places on it.
type Way = (u64, Vec<usize>);

/// Places and ways.
#[derive(Clone, Debug)]
pub(super) struct Map {
    pub(super) places: Vec<Place>,
    /// The slot of the place where the agent is.
    pub(super) slot: usize,
    /// For each pair of places the shortest way with its length; `None` if none leads there.
    ways: Vec<Vec<Option<Way>>>,
    /// The sentence that tells the agent its place; `{place}` is replaced by the place's name.
    pub(super) here: String,
    /// The tool that a walk calls, and its argument, which has the places where the agent is.
    pub(super) tool: Option<(String, String)>,
    /// Whether the agent is in two places at once in a doorway.
    pub(super) doorways: bool,
    /// What each unit of length uses up.
    pub(super) uses: Vec<(usize, u32)>,
    /// The slots that a walk clears.
    pub(super) clears: Vec<usize>,
}

impl Map {
    /// The ways between places with these doors: pairs of places, and how far apart they are.
    ///
    /// Of the shortest ways the one through fewest places is taken, and of these the first in the order of the places.
    pub(super) fn new(places: Vec<Place>, slot: usize, doors: &[(usize, usize, u32)]) -> Self {
        let count = places.len();
        let mut near: Vec<Vec<(usize, u32)>> = vec![Vec::new(); count];
        for &(a, b, length) in doors {
            near[a].push((b, length));
            near[b].push((a, length));
        }
        let ways = (0..count).map(|from| {
            let mut found: Vec<Option<Way>> = vec![None; count];
            let mut open = BTreeSet::from([(0_u64, 1_usize, vec![from])]);
            while let Some((length, _, way)) = open.pop_first() {
                let here = way.last().copied().unwrap_or(from);
                if found[here].is_some() {
                    continue;
                }
                for &(next, far) in &near[here] {
                    if found[next].is_none() {
                        let longer = [way.as_slice(), &[next]].concat();
                        open.insert((length + u64::from(far), longer.len(), longer));
                    }
                }
                found[here] = Some((length, way));
            }
            found
        });
        Self {
            ways: ways.collect(),
            places,
            slot,
            here: "You are in the {place}.".into(),
            tool: None,
            doorways: false,
            uses: Vec::new(),
            clears: Vec::new(),
        }
    }

    /// The place where the agent is.
    pub(super) fn place(&self, state: &[u32]) -> usize {
        (state[self.slot] as usize).min(self.places.len() - 1)
    }

    /// The sentence that tells the agent its place in a state.
    pub(super) fn words(&self, state: &[u32]) -> String {
        self.here.replace("{place}", &self.places[self.place(state)].shown)
    }

    /// The amounts that a walk uses up.
    fn used(&self, length: u64) -> impl Iterator<Item = (usize, u64)> {
        self.uses.iter().map(move |(slot, each)| (*slot, u64::from(*each).saturating_mul(length)))
    }

    /// Why a walk is not possible.
    ///
    /// # Errors
    /// The error that the agent is told. `name` gives the names of amounts.
    pub(super) fn possible(
        &self,
        state: &[u32],
        to: usize,
        name: impl Fn(usize) -> String,
    ) -> Result<(), String> {
        let here = self.place(state);
        if here == to {
            return Err("you are there already".into());
        }
        let (length, _) = self.ways[here][to].as_ref().ok_or("no way leads there")?;
        let missing = self.used(*length).filter(|(slot, used)| u64::from(state[*slot]) < *used);
        let missing: Vec<String> = missing.map(|(slot, used)| format!("{used} {}", name(slot))).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("missing: {}", missing.join(", "))) }
    }

    /// What a walk changes.
    pub(super) fn changes(&self, state: &State, to: usize) -> Changes {
        let length = self.ways[self.place(state)][to].as_ref().map_or(0, |(length, _)| *length);
        let used = self.used(length);
        let used = used.map(|(slot, used)| {
            let by = i64::try_from(used).map_or(i64::MIN, |used| -used);
            (slot, Change::Add(by, by))
        });
        let cleared = self.clears.iter().map(|slot| (*slot, Change::Set(0)));
        let to = u32::try_from(to).unwrap_or(u32::MAX);
        used.chain(cleared).chain([(self.slot, Change::Set(to))]).collect()
    }

    /// The places where the agent is, at each change, on a walk.
    pub(super) fn letters(&self, from: usize, to: usize) -> Vec<Vec<usize>> {
        let way = self.ways[from][to].as_ref().map_or(&[][..], |(_, way)| way);
        let both = |pair: &[usize]| {
            let mut both = pair.to_vec();
            both.sort_unstable();
            both
        };
        let step = |pair: &[usize]| {
            let doorway = self.doorways.then(|| both(pair));
            doorway.into_iter().chain([vec![pair[1]]]).collect::<Vec<_>>()
        };
        way.windows(2).flat_map(step).collect()
    }

    /// The call that tells in which places the agent is.
    pub(super) fn call(&self, places: &[usize]) -> Option<ToolCall> {
        let (tool, argument) = self.tool.as_ref()?;
        let names: Vec<&str> = places.iter().map(|place| self.places[*place].name.as_str()).collect();
        let mut arguments = serde_json::Map::new();
        arguments.insert(argument.clone(), json!(names));
        Some(ToolCall { tool: tool.clone(), arguments: arguments.into() })
    }

    /// The calls that a walk consists of: none if it changes nothing, or if walks call no tool.
    pub(super) fn calls(&self, state: &[u32], to: usize) -> Vec<ToolCall> {
        self.letters(self.place(state), to).iter().filter_map(|places| self.call(places)).collect()
    }
}
