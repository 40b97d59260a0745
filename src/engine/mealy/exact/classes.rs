//! Classes of input letters: two letters are in one class if every label allows the same outputs under both. Found bit
//! by bit, so the letters are never enumerated.

use super::universal::Universal;
use crate::mealy::tuning::MAX_CLASSES;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::atoms::restrict;
use tsl_synth_core::logic::{Alphabet, Guard, Player};

/// A class of input letters.
#[derive(Debug)]
pub(super) struct LetterClass {
    /// Its letters, as a guard over the bits of the environment.
    pub(super) inputs: Guard,
    /// For each label of the automaton the outputs that satisfy it, a guard over the bits of the system.
    pub(super) outputs: Vec<Guard>,
}

/// All classes, in a canonical order.
///
/// # Errors
/// A limit, among them too many classes.
pub(super) fn classes(
    universal: &mut Universal,
    alphabet: &Alphabet,
    budget: &Budget,
) -> Result<Vec<LetterClass>, Limit> {
    let guards = &mut universal.guards;
    let mut classes = vec![LetterClass { inputs: Guard::TRUE, outputs: universal.labels.clone() }];
    for bit in alphabet.bits_of(Player::Environment) {
        let mut index: FxHashMap<Vec<Guard>, usize> = FxHashMap::default();
        let mut finer: Vec<LetterClass> = Vec::new();
        for class in &classes {
            for value in [false, true] {
                let what = || "classes of input letters".to_owned();
                budget.tick(class.outputs.len() as u64, what)?;
                let literal = guards.literal(bit, value);
                let inputs = guards.and(class.inputs, literal);
                let outputs: Vec<Guard> =
                    class.outputs.iter().map(|&label| restrict(guards, label, bit, value)).collect();
                let i = *index.entry(outputs).or_insert_with_key(|outputs| {
                    finer.push(LetterClass { inputs: Guard::FALSE, outputs: outputs.clone() });
                    finer.len() - 1
                });
                finer[i].inputs = guards.or(finer[i].inputs, inputs);
            }
            if finer.len() > MAX_CLASSES {
                return Err(Limit::new(LimitKind::Size, "too many classes of input letters"));
            }
        }
        classes = finer;
    }
    Ok(classes)
}
