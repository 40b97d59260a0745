//! Shortest words that a law accepts and rejects.

use super::compiled::CompiledPolicy;
use crate::language::{LawId, TraceMode};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};

/// A state of the monitor, and whether some letter so far has a true bit.
type At = (u32, bool);
/// For each reached state its predecessor and the letter that leads from there.
type Before = FxHashMap<At, Option<(At, usize)>>;

/// A shortest word over possible letters that a law accepts (or rejects, unless `accepted`). If the law accepts words
/// in which some letter has a true bit, it is one of these. `None` if there is no such word.
pub fn shortest_example(compiled: &CompiledPolicy, law: LawId, accepted: bool) -> Option<Vec<Letter>> {
    let monitor = &compiled.monitors[law];
    let mut guards = Guards::new();
    let conditions: Vec<Guard> =
        monitor.guards().iter().map(|&guard| compiled.policy.guards.copy_into(guard, &mut guards)).collect();
    // All other bits may be false.
    let bits: BTreeSet<BitId> = conditions.iter().flat_map(|&guard| guards.support(guard)).collect();
    let bits: Vec<BitId> = bits.into_iter().collect();
    let apart = compiled.policy.trace == TraceMode::PerEvent;
    let possible = compiled.policy.atoms.possible_values(&mut guards, &bits, apart);
    // For each valuation of the guards a letter with few true bits, and one that has some.
    let mut letters: Vec<(u32, Letter)> = Vec::new();
    for &valuation in monitor.valuations() {
        let mut set = possible;
        for (i, &guard) in conditions.iter().enumerate() {
            let side = if valuation >> i & 1 == 1 { guard } else { guards.not(guard) };
            set = guards.and(set, side);
        }
        let mut letter = guards.pick(set);
        letters.extend(letter.clone().map(|letter| (valuation, letter)));
        if letter.as_ref().is_some_and(Letter::is_empty) {
            let some = bits.iter().fold(Guard::FALSE, |some, &bit| {
                let own = guards.bit(bit);
                guards.or(some, own)
            });
            let rest = guards.and(set, some);
            letter = guards.pick(rest);
            letters.extend(letter.map(|letter| (valuation, letter)));
        }
    }
    letters.sort_by_key(|(_, letter)| letter.iter().count());
    let mut before = Before::default();
    let mut queue = VecDeque::from([(0, false)]);
    before.insert((0, false), None);
    let mut fallback = None;
    while let Some(state) = queue.pop_front() {
        if state != (0, false) || !accepted {
            let matches = monitor.dfa().is_accepting(state.0) == accepted;
            if matches && (state.1 || !accepted) {
                return Some(word(&before, state, &letters));
            }
            if matches && fallback.is_none() {
                fallback = Some(state);
            }
        }
        for (i, (valuation, letter)) in letters.iter().enumerate() {
            let next = (monitor.next(state.0, *valuation as usize), state.1 || !letter.is_empty());
            before.entry(next).or_insert_with(|| {
                queue.push_back(next);
                Some((state, i))
            });
        }
    }
    fallback.map(|state| word(&before, state, &letters))
}

fn word(before: &Before, mut state: At, letters: &[(u32, Letter)]) -> Vec<Letter> {
    let mut word = Vec::new();
    while let Some(Some((previous, letter))) = before.get(&state) {
        word.push(letters[*letter].1.clone());
        state = *previous;
    }
    word.reverse();
    word
}
