//! Causes by their definition: an input sequence σ is outside the cause of an effect on π if the effect is absent on
//! some ρ that changes no cell of π that σ does not change. All ρ of one shape are tried.

use tsl_synth_core::logic::{Alphabet, BitId, FormulaId, Formulas, Lasso, LassoSemantics, Letter, Player};
use tsl_synth_core::model::Mealy;

/// The play of a machine on these inputs.
pub(crate) fn play(machine: &Mealy, inputs: &Lasso) -> Lasso {
    let mut seen = Vec::new();
    let mut letters: Vec<Letter> = Vec::new();
    let (mut position, mut state) = (0, machine.initial);
    loop {
        if let Some(back) = seen.iter().position(|&known| known == (position, state)) {
            let cycle = letters.split_off(back);
            return Lasso { prefix: letters, cycle };
        }
        seen.push((position, state));
        let edge = machine.edge(state, inputs.letter(position)).expect("machines are total");
        let mut letter = inputs.letter(position).clone();
        letter.union_with(&edge.output);
        letters.push(letter);
        state = edge.next;
        position = inputs.successor(position);
    }
}

/// The letter at a step of a word.
pub(crate) fn at(word: &Lasso, step: usize) -> &Letter {
    match step.checked_sub(word.prefix.len()) {
        None => &word.prefix[step],
        Some(later) => &word.cycle[later % word.cycle.len()],
    }
}

/// The lengths of the prefix and of the cycle of a common shape of two words.
pub(crate) fn shape(a: &Lasso, b: &Lasso) -> (usize, usize) {
    let cycle = (1..=a.cycle.len() * b.cycle.len())
        .find(|n| n % a.cycle.len() == 0 && n % b.cycle.len() == 0)
        .expect("a multiple");
    (a.prefix.len().max(b.prefix.len()), cycle)
}

/// The cells (a step and an input bit) in which the inputs of two words differ, in their common shape.
pub(crate) fn differences(alphabet: &Alphabet, a: &Lasso, b: &Lasso) -> Vec<(usize, BitId)> {
    let (prefix, cycle) = shape(a, b);
    let bits: Vec<BitId> = alphabet.bits_of(Player::Environment).collect();
    let cells = (0..prefix + cycle).flat_map(|step| bits.iter().map(move |&bit| (step, bit)));
    cells.filter(|&(step, bit)| at(a, step).contains(bit) != at(b, step).contains(bit)).collect()
}

/// Whether every cell in which the inputs of `close` differ from `actual` differs in `far` too.
pub(crate) fn is_closer(alphabet: &Alphabet, actual: &Lasso, close: &Lasso, far: &Lasso) -> bool {
    let (prefix, cycle) = shape(close, far);
    let all = Lasso { prefix: vec![Letter::new(); prefix], cycle: vec![Letter::new(); cycle] };
    let (prefix, cycle) = shape(&all, actual);
    let bits: Vec<BitId> = alphabet.bits_of(Player::Environment).collect();
    (0..prefix + cycle).all(|step| {
        bits.iter().all(|&bit| {
            let is = at(actual, step).contains(bit);
            at(close, step).contains(bit) == is || at(far, step).contains(bit) != is
        })
    })
}

/// Whether a formula holds on a word.
pub(crate) fn holds(formulas: &Formulas, alphabet: &Alphabet, f: FormulaId, word: &Lasso) -> bool {
    LassoSemantics::new(formulas, alphabet, word).holds(f)
}

/// An input sequence at most as far from `actual` as `far` on which the effect is absent, among those of the common
/// shape with `rounds` copies of the cycle and `unrolled` copies before it; `None` also when there are more than
/// 2^`limit`.
pub(crate) fn breaker(
    formulas: &Formulas,
    alphabet: &Alphabet,
    machine: &Mealy,
    actual: &Lasso,
    effect: FormulaId,
    far: &Lasso,
    (unrolled, rounds, limit): (usize, usize, usize),
) -> Option<Lasso> {
    let (prefix, cycle) = shape(actual, far);
    let (prefix, cycle) = (prefix + unrolled * cycle, cycle * rounds);
    let unrolled = Lasso {
        prefix: (0..prefix).map(|step| at(far, step).clone()).collect(),
        cycle: (prefix..prefix + cycle).map(|step| at(far, step).clone()).collect(),
    };
    let cells = differences(alphabet, &unrolled, actual);
    if cells.len() > limit {
        return None;
    }
    (0..1u64 << cells.len()).find_map(|choice| {
        let mut letters: Vec<Letter> = (0..prefix + cycle).map(|step| at(actual, step).clone()).collect();
        for (i, &(step, bit)) in cells.iter().enumerate() {
            // Both words have this shape, so a change of a cell in the cycle applies to all its repetitions.
            if choice >> i & 1 == 1 && !letters[step].remove(bit) {
                letters[step].insert(bit);
            }
        }
        for letter in &mut letters {
            *letter = letter.iter().filter(|&bit| alphabet.owner(bit) == Player::Environment).collect();
        }
        let tail = letters.split_off(prefix);
        let close = Lasso { prefix: letters, cycle: tail };
        (!holds(formulas, alphabet, effect, &play(machine, &close))).then_some(close)
    })
}
