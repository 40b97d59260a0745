//! The ranks of runs: how many rejecting edges they can still take while the given machine plays.

use super::arena::{Arena, ContextId, Track};
use rustc_hash::FxHashMap;
use tsl_synth_automata::components;
use tsl_synth_core::base::{Id, Limit};
use tsl_synth_core::logic::Guard;

/// A state of the machine, the states of the hypotheses, and a run.
type Place = (usize, ContextId, Track);

/// Ranks that were computed; `None` is infinite.
#[derive(Default)]
pub(super) struct Ranks {
    known: FxHashMap<Place, Option<u32>>,
}

impl Ranks {
    /// The rank of a run when the machine plays from a state on.
    pub(super) fn rank(
        &mut self,
        arena: &mut Arena<'_>,
        state: usize,
        context: ContextId,
        track: Track,
    ) -> Result<Option<u32>, Limit> {
        let place = (state, context, track);
        if let Some(&known) = self.known.get(&place) {
            return Ok(known);
        }
        // All places that can be reached and are not known; places of known rank are leaves.
        let mut numbers: FxHashMap<Place, usize> = FxHashMap::default();
        let mut places = vec![place];
        numbers.insert(place, 0);
        let mut inner: Vec<Vec<(usize, bool)>> = Vec::new();
        let mut leaves: Vec<Option<u32>> = Vec::new();
        while inner.len() < places.len() {
            let (mut own, mut most) = (Vec::new(), Some(0));
            for (next, rejects) in successors(arena, places[inner.len()])? {
                if let Some(known) = self.known.get(&next) {
                    most = larger(most, known.map(|rank| rank + u32::from(rejects)));
                    continue;
                }
                let number = *numbers.entry(next).or_insert_with(|| {
                    places.push(next);
                    places.len() - 1
                });
                own.push((number, rejects));
            }
            inner.push(own);
            leaves.push(most);
        }
        let graph: Vec<Vec<usize>> =
            inner.iter().map(|own| own.iter().map(|&(next, _)| next).collect()).collect();
        let component = components(&graph);
        // Edges lead to components with smaller numbers.
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); component.count()];
        for place in 0..places.len() {
            members[component[place].index()].push(place);
        }
        let mut ranks: Vec<Option<u32>> = vec![Some(0); component.count()];
        for (c, members) in members.iter().enumerate() {
            let mut most = Some(0);
            for &place in members {
                most = larger(most, leaves[place]);
                for &(next, rejects) in &inner[place] {
                    let other = component[next].index();
                    let rank = match (other == c, rejects) {
                        (true, true) => None,
                        (true, false) => Some(0),
                        (false, _) => ranks[other].map(|rank| rank + u32::from(rejects)),
                    };
                    most = larger(most, rank);
                }
            }
            ranks[c] = most;
        }
        for (place, &own) in places.iter().enumerate() {
            self.known.insert(own, ranks[component[place].index()]);
        }
        Ok(self.known[&place])
    }
}

fn larger(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    Some(a?.max(b?))
}

/// The places after one step of the machine, and whether the run took a rejecting edge.
fn successors(arena: &mut Arena<'_>, (state, context, track): Place) -> Result<Vec<(Place, bool)>, Limit> {
    let mut found: Vec<(Place, bool)> = Vec::new();
    let group = arena.nodes[track.0 as usize].group;
    for i in 0..arena.edges[state].len() {
        let (guard, answer, next_state) = arena.edges[state][i];
        for &(inputs, next_context) in arena.steps(context, answer)?.iter() {
            let inputs = arena.guards.and(guard, inputs);
            if inputs == Guard::FALSE || !arena.is_alive(group, next_context) {
                continue;
            }
            for e in 0..arena.nodes[track.0 as usize].edges.len() {
                arena.tick(1)?;
                let label = arena.nodes[track.0 as usize].edges[e].guard;
                let label = arena.given(label, answer);
                if !arena.guards.overlap(inputs, label) {
                    continue;
                }
                let (next, rejects) = arena.after(track, &arena.nodes[track.0 as usize].edges[e]);
                let step = ((next_state, next_context, next), rejects);
                if !found.contains(&step) {
                    found.push(step);
                }
            }
        }
    }
    Ok(found)
}
