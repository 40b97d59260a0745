//! Synthesis by brute force: every machine with few states is tried, choice by choice; a partial machine that already
//! has a violating play is not completed. Only for tiny problems.

use super::elementary::{Elementary, Table};
use super::instance::Instance;
use tsl_synth_core::logic::{Letter, Player};

/// The largest number of nodes of a tableau of elementary sets.
const NODES: usize = 1 << 13;

/// What brute force found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Controller,
    CounterStrategy,
    /// No strategy of either player with at most this many states, or too many to try.
    Nothing,
}

/// Looks for a controller and a counter-strategy of the contract with at most `states` states each, in at most
/// `tries` model checks per player and number of states.
pub(crate) fn synthesize(instance: &mut Instance, states: usize, tries: usize) -> Found {
    let letters = instance.letters();
    let objective = instance.contract.formula(&mut instance.formulas);
    let negated = instance.formulas.not(objective);
    let (Some(good), Some(bad)) = (
        Elementary::new(instance, &letters, objective, NODES),
        Elementary::new(instance, &letters, negated, NODES),
    ) else {
        return Found::Nothing;
    };
    let inputs = split(instance, &letters, Player::Environment);
    let outputs = split(instance, &letters, Player::System);
    let search = |forbidden, seen, given, mealy| {
        // Few states first: most winning strategies need only one or two.
        (1..=states)
            .any(|states| Search { forbidden, seen, given, mealy, states, tries, possible: &|_| true }.run())
    };
    let controller = search(&bad, &inputs, &outputs, true);
    let counter = search(&good, &outputs, &inputs, false);
    match (controller, counter) {
        (true, true) => panic!("both players win\n{}", instance.show()),
        (true, false) => Found::Controller,
        (false, true) => Found::CounterStrategy,
        (false, false) => Found::Nothing,
    }
}

/// The number of states of the smallest controller, if it is at most `states`; `None` also when that would take
/// more than `tries` model checks for some number of states.
pub(crate) fn fewest_states(instance: &mut Instance, states: usize, tries: usize) -> Option<usize> {
    match smallest_controller(instance, states, tries, &|_| true) {
        Tried::Found(table) => Some(table.len()),
        Tried::Nothing | Tried::TooMuch => None,
    }
}

/// The result of trying all controllers with few states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tried {
    Found(Table),
    /// No controller with at most this many states keeps the contract and satisfies the condition.
    Nothing,
    /// A limit was reached.
    TooMuch,
}

/// The smallest controller that keeps the contract and satisfies `possible`, among those with at most `states` states.
/// `possible` may also reject a partial controller, if it rejects all completions.
pub(crate) fn smallest_controller(
    instance: &mut Instance,
    states: usize,
    tries: usize,
    possible: &dyn Fn(&Table) -> bool,
) -> Tried {
    let letters = instance.letters();
    let objective = instance.contract.formula(&mut instance.formulas);
    let negated = instance.formulas.not(objective);
    let Some(bad) = Elementary::new(instance, &letters, negated, NODES) else { return Tried::TooMuch };
    let inputs = split(instance, &letters, Player::Environment);
    let outputs = split(instance, &letters, Player::System);
    for states in 1..=states {
        let mut search =
            Search { forbidden: &bad, seen: &inputs, given: &outputs, mealy: true, states, tries, possible };
        if let Some(table) = search.find() {
            return Tried::Found(table);
        }
        if search.tries == 0 {
            return Tried::TooMuch;
        }
    }
    Tried::Nothing
}

/// Per letter, the number of its part that belongs to the player.
pub(crate) fn split(instance: &Instance, letters: &[Letter], player: Player) -> Vec<usize> {
    let bits: Letter = instance.alphabet.bits_of(player).collect();
    let mut parts: Vec<Letter> = Vec::new();
    letters
        .iter()
        .map(|letter| {
            let mut part = letter.clone();
            part.intersect_with(&bits);
            parts.iter().position(|p| *p == part).unwrap_or_else(|| {
                parts.push(part);
                parts.len() - 1
            })
        })
        .collect()
}

struct Search<'a> {
    /// No play may satisfy this.
    forbidden: &'a Elementary,
    /// Per letter, the part that the strategy reads.
    seen: &'a [usize],
    /// Per letter, the part that the strategy chooses.
    given: &'a [usize],
    /// Whether it reads before it chooses, as a Mealy machine.
    mealy: bool,
    states: usize,
    tries: usize,
    /// A further condition: of a complete strategy, whether it is satisfied; of a partial one, whether it may still be.
    possible: &'a dyn Fn(&Table) -> bool,
}

impl Search<'_> {
    fn run(&mut self) -> bool {
        self.find().is_some()
    }

    fn find(&mut self) -> Option<Table> {
        let mut table: Table = vec![vec![None; self.seen.len()]];
        let mut gifts = vec![None; self.states];
        ((self.possible)(&table) && self.complete(&mut table, &mut gifts)).then_some(table)
    }

    /// Completes a partial strategy without a forbidden play to one that satisfies `possible`, if there is one.
    fn complete(&mut self, table: &mut Table, gifts: &mut Vec<Option<usize>>) -> bool {
        let count = |part: &[usize]| part.iter().max().map_or(1, |m| m + 1);
        let (seen_count, given_count) = (count(self.seen), count(self.given));
        // The first choice that is still open.
        let open = (0..table.len()).flat_map(|state| (0..seen_count).map(move |seen| (state, seen))).find(
            |&(state, seen)| (0..self.seen.len()).all(|l| self.seen[l] != seen || table[state][l].is_none()),
        );
        let Some((state, seen)) = open else { return true };
        for given in 0..given_count {
            if !self.mealy && gifts[state].is_some_and(|gift| gift != given) {
                continue;
            }
            let letter = (0..self.seen.len())
                .find(|&l| self.seen[l] == seen && self.given[l] == given)
                .expect("all pairs of parts are letters");
            let states = table.len();
            for next in 0..self.states.min(states + 1) {
                if self.tries == 0 {
                    return false;
                }
                self.tries -= 1;
                if next == states {
                    table.push(vec![None; self.seen.len()]);
                }
                table[state][letter] = Some(next);
                let gift_before = gifts[state].replace(given);
                if !self.forbidden.has_play(table) && (self.possible)(table) && self.complete(table, gifts) {
                    return true;
                }
                gifts[state] = gift_before;
                table[state][letter] = None;
                table.truncate(states);
            }
        }
        false
    }
}
