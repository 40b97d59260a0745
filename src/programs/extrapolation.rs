//! Guesses of what a loop keeps: where two stages of a least fixpoint won polyhedra that differ in the bounds of their
//! inequalities only, the bounds are taken to go on in steps of the same size.
//!
//! With x ≤ 1, y ≥ 1 won first and then x ≤ 2, y ≥ 2, the guess is x ≤ y: enough of y is left for each step that x needs.
//! A wrong guess is harmless: every loop that uses one is checked before it counts, and the certificate again.

use crate::fixpoint::Fixpoint;
use tsl_synth_arithmetic::{Polyhedron, Region, Space};
use tsl_synth_core::logic::{Inequality, Sum};

/// The most polyhedra of a stage that are compared, and the most guesses.
const COMPARED: usize = 8;
const GUESSES: usize = 6;

impl Fixpoint<'_, '_> {
    /// Polyhedra that contain those of both stages and those that follow in the same steps.
    pub(crate) fn extrapolated(&mut self, before: &Region, after: &Region) -> Vec<Polyhedron> {
        let counter = self.arena.counter();
        let space = &mut self.arena.space;
        let mut guesses = Vec::new();
        for old in before.iter().take(COMPARED) {
            for new in after.iter().take(COMPARED) {
                let Some(guess) = extrapolation(space, counter, old, new) else { continue };
                if guesses.len() < GUESSES && !guess.is_empty() && !guesses.contains(&guess) {
                    guesses.push(guess);
                }
            }
        }
        guesses
    }
}

/// The union of `old`, `new` and so on, without the number of steps; `None` if no bound of both changes.
fn extrapolation(space: &mut Space, counter: u32, old: &[u32], new: &[u32]) -> Option<Polyhedron> {
    let (old, new) = (space.irredundant(old.to_vec()), space.irredundant(new.to_vec()));
    let mut rows = vec![Inequality::at_most_zero(Sum::variable(counter).negated())];
    let mut is_moving = false;
    for &atom in &old {
        let Some(&other) = new.iter().find(|&&other| space.form(other) == space.form(atom)) else { continue };
        let (first, second) = (space.inequality(atom), space.inequality(other));
        let step = second.sum.offset().minus(first.sum.offset())?;
        is_moving |= !step.is_zero();
        let sum = first.sum.plus(step, &Sum::variable(counter))?;
        rows.push(Inequality { sum, strict: first.strict || second.strict });
    }
    if !is_moving || rows.len() < 3 {
        return None;
    }
    let family = space.polyhedron(&rows)?;
    space.exists(&family, &[counter])
}
