//! Conjuncts `G g`, in which X is the only temporal operator of g and is not nested, as relations between each letter
//! and the next one: the letters allowed after a letter form a set, so that no choice is necessary. A tableau chooses a
//! disjunct of g instead, and has a state for each set of choices.
//!
//! A relation is a guard over twice the bits, those of the next letter below all others. The conjunction of all
//! relations is never computed for all letters, only for those that are still possible in a state of the product.

use super::normal::{Normal, NormalForms, NormalId, SignedFormula};
use crate::tuning::GUARD_NODES_PER_WORK;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::{BitId, Formulas, Guard, Guards};

/// Whether a conjunct is a relation between each letter and the next one.
pub(crate) fn is_window(formulas: &Formulas, (f, value): SignedFormula) -> bool {
    value && formulas.is_windowed(f) && formulas.next_depth(f) == 1
}

/// The relations of some conjuncts.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    relations: Vec<Guard>,
    /// The first bit of the next letter.
    first: usize,
}

impl Windows {
    /// Moves the windows out of `conjuncts`.
    pub(crate) fn among(
        conjuncts: &mut Vec<NormalId>,
        forms: &NormalForms,
        guards: &mut Guards,
        bits: usize,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut windows = Self { relations: Vec::new(), first: bits };
        let mut rest = Vec::new();
        for &f in conjuncts.iter() {
            match windows.relation(f, forms, guards, budget)? {
                Some(relation) => windows.relations.push(relation),
                None => rest.push(f),
            }
        }
        *conjuncts = rest;
        Ok(windows)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.relations.is_empty()
    }

    /// The relation of a window; `None` for any other formula, and for one without X.
    fn relation(
        &self,
        f: NormalId,
        forms: &NormalForms,
        guards: &mut Guards,
        budget: &Budget,
    ) -> Result<Option<Guard>, Limit> {
        let Normal::Release { free, goal, strong: false } = *forms.node(f) else { return Ok(None) };
        if *forms.node(free) != Normal::Letters(Guard::FALSE) {
            return Ok(None);
        }
        let mut done: FxHashMap<(NormalId, bool), Guard> = FxHashMap::default();
        let mut stack = vec![(goal, false)];
        let mut has_next = false;
        while let Some(&(g, late)) = stack.last() {
            let counted = guards.node_count();
            let made = match *forms.node(g) {
                Normal::Letters(letters) if late => {
                    let later = |bit: BitId| bit.index() + self.first;
                    moved(letters, guards, &later, &mut FxHashMap::default())
                }
                Normal::Letters(letters) => letters,
                Normal::Next(h) if !late => {
                    has_next = true;
                    if let Some(&guard) = done.get(&(h, true)) {
                        guard
                    } else {
                        stack.push((h, true));
                        continue;
                    }
                }
                Normal::And(ref gs) | Normal::Or(ref gs) => {
                    let before = stack.len();
                    stack.extend(gs.iter().map(|&h| (h, late)).filter(|key| !done.contains_key(key)));
                    if stack.len() > before {
                        continue;
                    }
                    let all = matches!(forms.node(g), Normal::And(_));
                    let parts = gs.iter().map(|&h| done[&(h, late)]);
                    let unit = if all { Guard::TRUE } else { Guard::FALSE };
                    parts.fold(
                        unit,
                        |sum, part| if all { guards.and(sum, part) } else { guards.or(sum, part) },
                    )
                }
                _ => return Ok(None),
            };
            tick(guards.node_count() - counted, budget)?;
            done.insert((g, late), made);
            stack.pop();
        }
        Ok(has_next.then(|| done[&(goal, false)]))
    }

    /// Splits `letters` into classes by the set of letters allowed next; returns each class with this set.
    pub(crate) fn followers(
        &self,
        letters: Guard,
        guards: &mut Guards,
        budget: &Budget,
    ) -> Result<Vec<(Guard, Guard)>, Limit> {
        let mut related = letters;
        for &relation in &self.relations {
            let counted = guards.node_count();
            related = guards.and(related, relation);
            tick(guards.node_count() - counted, budget)?;
            if related == Guard::FALSE {
                return Ok(Vec::new());
            }
        }
        let is_next = |guards: &Guards, guard: Guard| {
            guards.branch(guard).is_none_or(|(bit, ..)| bit.index() >= self.first)
        };
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut stack = vec![related];
        while let Some(guard) = stack.pop() {
            if guard == Guard::FALSE || !seen.insert(guard) {
                continue;
            }
            match guards.branch(guard) {
                Some((_, low, high)) if !is_next(guards, guard) => stack.extend([high, low]),
                _ => found.push(guard),
            }
        }
        let mut classes = Vec::with_capacity(found.len());
        for next in found {
            tick(seen.len(), budget)?;
            let letters = leading(related, next, guards, &is_next, &mut FxHashMap::default());
            let back = |bit: BitId| bit.index() - self.first;
            classes.push((letters, moved(next, guards, &back, &mut FxHashMap::default())));
        }
        Ok(classes)
    }
}

/// The letters for which a relation allows exactly the set `next` as the next letter. Recursion is as deep as there are
/// bits.
fn leading(
    relation: Guard,
    next: Guard,
    guards: &mut Guards,
    is_next: &dyn Fn(&Guards, Guard) -> bool,
    done: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    if relation == next {
        return Guard::TRUE;
    }
    let Some((bit, low, high)) = guards.branch(relation).filter(|_| !is_next(guards, relation)) else {
        return Guard::FALSE;
    };
    if let Some(&known) = done.get(&relation) {
        return known;
    }
    let low = leading(low, next, guards, is_next, done);
    let high = leading(high, next, guards, is_next, done);
    let made = guards.make(bit, low, high);
    done.insert(relation, made);
    made
}

/// The same letters over other bits in the same order. Recursion is as deep as there are bits.
fn moved(
    letters: Guard,
    guards: &mut Guards,
    position: &dyn Fn(BitId) -> usize,
    done: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let Some((bit, low, high)) = guards.branch(letters) else { return letters };
    if let Some(&known) = done.get(&letters) {
        return known;
    }
    let low = moved(low, guards, position, done);
    let high = moved(high, guards, position, done);
    let made = guards.make(BitId::from_index(position(bit)), low, high);
    done.insert(letters, made);
    made
}

fn tick(nodes: usize, budget: &Budget) -> Result<(), Limit> {
    budget.tick(1 + (nodes / GUARD_NODES_PER_WORK) as u64, || "certificate: relations between letters".into())
}
