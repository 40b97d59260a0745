//! Synthesis by brute force: every machine with few states is tried, choice by choice; a partial machine that
//! already has a bad play is not completed. Only for tiny problems.

use super::elementary::{Elementary, Table};
use super::instance::Instance;
use tsl_synth::logic::{Letter, Player};

/// Nodes of a tableau of elementary sets that are worth their time.
const NODES: usize = 1 << 13;

/// What brute force found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Controller,
    CounterStrategy,
    /// No strategy of either player with so few states, or too much to try.
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
        // Few states first: most winners need only one or two.
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

/// What trying all controllers with few states comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tried {
    Found(Table),
    /// None of the controllers with so few states is wanted.
    Nothing,
    /// Too much to try.
    TooMuch,
}

/// The smallest controller that is wanted, among those with at most `states` states. `possible` says whether a complete
/// one is wanted; it may refuse a partial one of which no completion is.
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
    /// Per letter, what the strategy sees before it moves on.
    seen: &'a [usize],
    /// Per letter, what the strategy gives.
    given: &'a [usize],
    /// Whether it sees the letter's part before it gives its own.
    mealy: bool,
    states: usize,
    tries: usize,
    /// What else is wanted: of a complete strategy, whether it is so; of a partial one, whether that may become so.
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

    /// Completes a partial strategy without a forbidden play to one that is wanted, if that is possible.
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
