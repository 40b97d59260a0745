//! Conjuncts that speak about two neighbouring letters, `G g` with no temporal operator in g but X, none below another:
//! read late, all of them have no states of their own and share what they remember. (Longer windows have delay lines
//! one by one.)
//!
//! The relation between this and the next letter that models of an environment consist of is such a conjunct. If each
//! remembers what it owes, their states say the same again and again in different codes; if all read late
//! ([`Formulas::delayed`]), the memory is the last letters, once. Three ways are compared by their bits: an
//! automaton for each, memory of the values of Boolean subformulas, and memory of atoms.

use super::memory::Memory;
use crate::base::Limit;
use crate::logic::{Class, FormulaId, Formulas, Node};
use rustc_hash::FxHashMap;

/// What is remembered of a Boolean formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remembered {
    /// The values of its atoms.
    Atoms,
    /// Those or its own, whichever takes fewer bits at that moment.
    Fewer,
}

/// The windows of two letters among some conjuncts, each with what it says when read late over the memory; none if
/// the automata take no more bits: an obligation says less than the letter it is from. `bits` are those of the
/// automaton of a conjunct, `None` if it has too many states.
///
/// # Errors
/// Those of `bits`.
pub(super) fn late_windows(
    formulas: &mut Formulas,
    memory: &mut Memory,
    conjuncts: &[FormulaId],
    mut bits: impl FnMut(&mut Formulas, FormulaId) -> Result<Option<usize>, Limit>,
) -> Result<FxHashMap<FormulaId, FormulaId>, Limit> {
    let is_window = |formulas: &Formulas, f: FormulaId| {
        formulas.is_windowed(f) && formulas.class(f).is(Class::SAFETY) && formulas.next_depth(f) == 1
    };
    let windows: Vec<FormulaId> = conjuncts.iter().copied().filter(|&f| is_window(formulas, f)).collect();
    let mut explicit = Some(0);
    for &f in &windows {
        let own = bits(formulas, f)?;
        explicit = explicit.zip(own).map(|(sum, own)| sum + own);
        if explicit.is_none() {
            break;
        }
    }
    let mut best: Option<(Memory, FxHashMap<FormulaId, FormulaId>)> = None;
    for remembered in [Remembered::Atoms, Remembered::Fewer] {
        let mut more = memory.clone();
        let late = windows.iter().map(|&f| (f, late(formulas, &mut more, f, remembered))).collect();
        if best.as_ref().is_none_or(|(best, _)| more.len() < best.len()) {
            best = Some((more, late));
        }
    }
    Ok(match best {
        Some((more, late)) if explicit.is_none_or(|bits| more.len() - memory.len() < bits) => {
            *memory = more;
            late
        }
        _ => FxHashMap::default(),
    })
}

/// A window, read late: without X, and true before there were enough letters.
fn late(formulas: &mut Formulas, memory: &mut Memory, f: FormulaId, remembered: Remembered) -> FormulaId {
    let depth = formulas.next_depth(f);
    let mut past = |formulas: &mut Formulas, g: FormulaId, k: u32| match remembered {
        Remembered::Atoms => memory.past_of_atoms(formulas, g, k),
        Remembered::Fewer => memory.past(formulas, g, k),
    };
    let shifted = formulas.delayed(f, depth, &mut past);
    // Before the first step there were only letters without true bits.
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
