//! Conjuncts about two consecutive letters, `G g` with no temporal operator in g but X, not nested: evaluated with a
//! delay, they have no states of their own and share memory. (Longer windows have delay lines one by one.)
//!
//! Models of an environment consist of such conjuncts, which relate the current letter to the next one. Separate
//! automata store the same information several times in different codes; with a delay for all ([`Formulas::delayed`]),
//! the memory stores the previous letter once. Three encodings are compared by their numbers of bits: an automaton for
//! each, memory of the values of Boolean subformulas, and memory of atoms.

use super::memory::Memory;
use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{Class, FormulaId, Formulas, Node};

/// How past values of a Boolean formula are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remembered {
    /// The values of its atoms.
    Atoms,
    /// The values of its atoms or its own, whichever takes fewer new bits.
    Fewer,
}

/// The windows of two letters among some conjuncts.
pub(super) fn windows_of_two(formulas: &Formulas, conjuncts: &[FormulaId]) -> Vec<FormulaId> {
    let is_window = |f: FormulaId| {
        formulas.is_windowed(f) && formulas.class(f).is(Class::SAFETY) && formulas.next_depth(f) == 1
    };
    conjuncts.iter().copied().filter(|&f| is_window(f)).collect()
}

/// Each window with the delayed formula over the memory that replaces it; empty if explicit automata, with `explicit`
/// bits, take no more bits. `explicit` is `None` if the automata have too many states.
pub(super) fn delayed_windows(
    formulas: &mut Formulas,
    memory: &mut Memory,
    windows: &[FormulaId],
    explicit: Option<usize>,
) -> FxHashMap<FormulaId, FormulaId> {
    let mut best: Option<(Memory, FxHashMap<FormulaId, FormulaId>)> = None;
    for remembered in [Remembered::Atoms, Remembered::Fewer] {
        let mut more = memory.clone();
        let delayed_window =
            |&f: &FormulaId| (f, delayed(formulas, &mut more, f, formulas.next_depth(f), remembered));
        let delayed = windows.iter().map(delayed_window).collect();
        if best.as_ref().is_none_or(|(best, _)| more.len() < best.len()) {
            best = Some((more, delayed));
        }
    }
    match best {
        Some((more, delayed)) if explicit.is_none_or(|bits| more.len() - memory.len() < bits) => {
            *memory = more;
            delayed
        }
        _ => FxHashMap::default(),
    }
}

/// A window that looks ahead at most `depth` steps, delayed by `depth` over the memory of atoms.
pub(super) fn delayed_by(
    formulas: &mut Formulas,
    memory: &mut Memory,
    f: FormulaId,
    depth: u32,
) -> FormulaId {
    delayed(formulas, memory, f, depth, Remembered::Atoms)
}

/// A window with a delay: without X, and true before there were enough letters.
fn delayed(
    formulas: &mut Formulas,
    memory: &mut Memory,
    f: FormulaId,
    depth: u32,
    remembered: Remembered,
) -> FormulaId {
    let mut past = |formulas: &mut Formulas, g: FormulaId, k: u32| match remembered {
        Remembered::Atoms => memory.past_of_atoms(formulas, g, k),
        Remembered::Fewer => memory.past(formulas, g, k),
    };
    let shifted = formulas.delayed(f, depth, &mut past);
    // The memory starts as if all earlier letters had no true bits.
    let alphabet = memory.alphabet.clone();
    if formulas.idles(&alphabet, f) {
        return shifted;
    }
    let Node::Globally(body) = *formulas.node(shifted) else { return shifted };
    let started = memory.started(formulas, depth);
    let waiting = formulas.not(started);
    let body = formulas.or([waiting, body]);
    formulas.globally(body)
}
