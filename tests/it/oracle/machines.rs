//! Seeded random strategies, and small changes to given ones.

use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{
    CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, StateId,
};
use tsl_synth_testkit::Rng;

/// A random letter of one player, canonically coded.
pub(crate) fn random_letter(rng: &mut Rng, alphabet: &Alphabet, player: Player) -> Letter {
    let mut letter = Letter::new();
    for atom in alphabet.atoms().ids() {
        let boolean = !matches!(alphabet.atoms()[atom].kind, AtomKind::Update(..));
        if alphabet.player(atom) == player && boolean && rng.flip() {
            alphabet.choose(atom, &mut letter);
        }
    }
    if player == Player::System {
        for cell in alphabet.cells() {
            alphabet.choose(cell.options[rng.below(cell.options.len())], &mut letter);
        }
    }
    letter
}

/// Disjoint guards over the player's bits that cover all letters.
fn random_partition(rng: &mut Rng, alphabet: &Alphabet, guards: &mut Guards, player: Player) -> Vec<Guard> {
    let bits: Vec<BitId> = alphabet.bits_of(player).collect();
    let mut parts = vec![Guard::TRUE];
    for _ in 0..rng.below(3).min(bits.len()) {
        let part = parts.swap_remove(rng.below(parts.len()));
        let bit = guards.bit(bits[rng.below(bits.len())]);
        let (inside, outside) = (guards.and(part, bit), guards.minus(part, bit));
        parts.extend([inside, outside].into_iter().filter(|&g| g != Guard::FALSE));
    }
    parts
}

fn random_state(rng: &mut Rng, states: usize) -> StateId {
    StateId::from_index(rng.below(states))
}

/// A random controller.
pub(crate) fn random_mealy(rng: &mut Rng, alphabet: &Alphabet, states: usize) -> Mealy {
    let mut guards = Guards::new();
    let mut all = IdVec::new();
    for _ in 0..states {
        let parts = random_partition(rng, alphabet, &mut guards, Player::Environment);
        let edges = parts.into_iter().map(|guard| MealyEdge {
            guard,
            output: random_letter(rng, alphabet, Player::System),
            next: random_state(rng, states),
        });
        all.push(MealyState { edges: edges.collect() });
    }
    Mealy { guards, states: all, initial: random_state(rng, states) }
}

/// A random counter-strategy.
pub(crate) fn random_counter(rng: &mut Rng, alphabet: &Alphabet, states: usize) -> CounterStrategy {
    let mut guards = Guards::new();
    let mut all = IdVec::new();
    for _ in 0..states {
        let parts = random_partition(rng, alphabet, &mut guards, Player::System);
        let edges = parts.into_iter().map(|guard| CounterEdge { guard, next: random_state(rng, states) });
        let edges = edges.collect();
        all.push(CounterState { input: random_letter(rng, alphabet, Player::Environment), edges });
    }
    CounterStrategy { guards, states: all, initial: random_state(rng, states) }
}

/// Moves some letters from one guard to another: one letter, or all that agree with it on one bit.
fn move_letters(
    rng: &mut Rng,
    alphabet: &Alphabet,
    guards: &mut Guards,
    from: &mut Guard,
    to: &mut Guard,
) -> bool {
    let (Some(letter), bits) = (guards.pick(*from), guards.support(*from)) else { return false };
    let Some(&first) = bits.first() else { return false };
    let moved = if rng.flip() {
        guards.valuation(alphabet.bits_of(alphabet.owner(first)), &letter)
    } else {
        let bit = bits[rng.below(bits.len())];
        guards.literal(bit, letter.contains(bit))
    };
    let moved = guards.and(moved, *from);
    *from = guards.minus(*from, moved);
    *to = guards.or(*to, moved);
    moved != Guard::FALSE
}

/// Two random indices below `n`; `None` if they are equal.
fn two(rng: &mut Rng, n: usize) -> Option<(usize, usize)> {
    let (a, b) = (rng.below(n), rng.below(n));
    (a != b).then_some((a, b))
}

/// A well-formed controller that differs in one edge target, one output or one guard; `None` when the change
/// that was drawn is not possible.
pub(crate) fn mutate_mealy(rng: &mut Rng, alphabet: &Alphabet, machine: &Mealy) -> Option<Mealy> {
    let mut mutant = machine.clone();
    let states = mutant.states.len();
    let state = random_state(rng, states);
    let edges = &mut mutant.states[state].edges;
    let index = rng.below(edges.len());
    match rng.below(3) {
        0 => {
            let next = random_state(rng, states);
            (edges[index].next != next).then(|| edges[index].next = next)?;
        }
        1 => {
            let choices: Vec<AtomId> =
                alphabet.atoms().ids().filter(|&a| alphabet.player(a) == Player::System).collect();
            let atom = *choices.get(rng.below(choices.len().max(1)))?;
            let output = &mut edges[index].output;
            match alphabet.atoms()[atom].kind {
                AtomKind::Output(bit) if output.contains(bit) => {
                    output.remove(bit);
                }
                _ if alphabet.holds(atom, output) => return None,
                _ => alphabet.choose(atom, output),
            }
        }
        _ => {
            let (a, b) = two(rng, edges.len())?;
            let (mut from, mut to) = (edges[a].guard, edges[b].guard);
            move_letters(rng, alphabet, &mut mutant.guards, &mut from, &mut to).then_some(())?;
            (edges[a].guard, edges[b].guard) = (from, to);
        }
    }
    Some(mutant)
}

/// A well-formed counter-strategy that differs in one edge target, one input letter or one guard; `None` when the
/// change that was drawn is not possible.
pub(crate) fn mutate_counter(
    rng: &mut Rng,
    alphabet: &Alphabet,
    machine: &CounterStrategy,
) -> Option<CounterStrategy> {
    let mut mutant = machine.clone();
    let states = mutant.states.len();
    let state = random_state(rng, states);
    match rng.below(3) {
        0 => {
            let edges = &mut mutant.states[state].edges;
            let (index, next) = (rng.below(edges.len()), random_state(rng, states));
            (edges[index].next != next).then(|| edges[index].next = next)?;
        }
        1 => {
            let bits: Vec<BitId> = alphabet.bits_of(Player::Environment).collect();
            let bit = *bits.get(rng.below(bits.len().max(1)))?;
            let input = &mut mutant.states[state].input;
            if !input.remove(bit) {
                input.insert(bit);
            }
        }
        _ => {
            let edges = &mut mutant.states[state].edges;
            let (a, b) = two(rng, edges.len())?;
            let (mut from, mut to) = (edges[a].guard, edges[b].guard);
            move_letters(rng, alphabet, &mut mutant.guards, &mut from, &mut to).then_some(())?;
            (edges[a].guard, edges[b].guard) = (from, to);
        }
    }
    Some(mutant)
}
