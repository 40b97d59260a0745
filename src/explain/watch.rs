//! Monitors the clauses along a play and reports those that no continuation can satisfy. It works by progression (see
//! `progress`): reports are correct, but may be late, because only a remainder that is the constant ⊥ is detected.

use super::progress::after;
use super::tuning::WATCHED_SIZE;
use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{FormulaId, Formulas, Guard, Guards, Letter, Node};
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// The watched clauses of a problem and what remains of them.
#[derive(Clone, Debug)]
pub struct ClauseWatch<'a> {
    problem: &'a Problem,
    formulas: Formulas,
    clauses: Vec<ClauseId>,
    /// The remainders of the clauses before each step and after the last one; true for a clause that is no longer
    /// watched.
    remains: Vec<Vec<FormulaId>>,
}

impl<'a> ClauseWatch<'a> {
    /// Watches all clauses of some roles.
    pub fn new(problem: &'a Problem, roles: &[Role]) -> Self {
        let watched = problem.clauses.enumerate().filter(|(_, clause)| roles.contains(&clause.role));
        let clauses: Vec<ClauseId> = watched.map(|(id, _)| id).collect();
        let start = clauses.iter().map(|&id| problem.clauses[id].formula).collect();
        Self { problem, formulas: problem.formulas.clone(), clauses, remains: vec![start] }
    }
    /// The clauses that are lost after a letter and were not before.
    pub fn lost(&mut self, letter: &Letter) -> Vec<ClauseId> {
        let next = self.after(letter);
        self.difference(&next)
    }
    /// Takes a step with a letter; returns the clauses that it loses.
    pub fn step(&mut self, letter: &Letter) -> Vec<ClauseId> {
        let next = self.after(letter);
        let lost = self.difference(&next);
        self.remains.push(next);
        lost
    }
    /// Undoes up to `steps` steps.
    pub fn back(&mut self, steps: usize) {
        let left = self.remains.len().saturating_sub(steps).max(1);
        self.remains.truncate(left);
    }
    /// The remainders of the clauses of a role before a step of the play, or after its last step if `step` is the
    /// number of its steps. Empty beyond that.
    pub fn remainder(&self, step: usize, role: Role) -> Vec<FormulaId> {
        let all = self.remains.get(step).map_or(&[][..], Vec::as_slice);
        let clauses = self.clauses.iter().map(|&clause| &self.problem.clauses[clause]);
        clauses.zip(all).filter(|(clause, _)| clause.role == role).map(|(_, &f)| f).collect()
    }
    /// The letters after which no clause of some roles is lost, as far as the letter alone decides it; clauses
    /// that are lost already do not count. O(size of the remainder) guard operations.
    pub fn allowed(&self, roles: &[Role], guards: &mut Guards) -> Guard {
        let mut allowed = Guard::TRUE;
        for (&clause, &f) in self.clauses.iter().zip(self.now()) {
            if roles.contains(&self.problem.clauses[clause].role) && *self.formulas.node(f) != Node::False {
                let letters = self.bounds(f, guards).1;
                allowed = guards.and(allowed, letters);
            }
        }
        allowed
    }
    /// Letters after which `f` certainly holds, and after which it may hold.
    fn bounds(&self, f: FormulaId, guards: &mut Guards) -> (Guard, Guard) {
        let mut values: FxHashMap<FormulaId, (Guard, Guard)> = FxHashMap::default();
        for g in self.formulas.subformulas(&[f]) {
            let value = |g: &FormulaId| values[g];
            let bounds = match self.formulas.node(g) {
                Node::True => (Guard::TRUE, Guard::TRUE),
                Node::False => (Guard::FALSE, Guard::FALSE),
                Node::Atom(atom) => {
                    let letters = self.problem.alphabet.guard(*atom, guards);
                    (letters, letters)
                }
                Node::Not(g) => {
                    let (surely, perhaps) = value(g);
                    (guards.not(perhaps), guards.not(surely))
                }
                Node::And(gs) => gs.iter().fold((Guard::TRUE, Guard::TRUE), |(s, p), g| {
                    (guards.and(s, value(g).0), guards.and(p, value(g).1))
                }),
                Node::Or(gs) => gs.iter().fold((Guard::FALSE, Guard::FALSE), |(s, p), g| {
                    (guards.or(s, value(g).0), guards.or(p, value(g).1))
                }),
                Node::Iff(a, b) if value(a).0 == value(a).1 && value(b).0 == value(b).1 => {
                    let letters = guards.iff(value(a).0, value(b).0);
                    (letters, letters)
                }
                Node::Iff(..) | Node::Next(_) => (Guard::FALSE, Guard::TRUE),
                Node::Finally(g) => (value(g).0, Guard::TRUE),
                Node::Globally(g) => (Guard::FALSE, value(g).1),
                Node::Until(a, b) | Node::WeakUntil(a, b) => (value(b).0, guards.or(value(a).1, value(b).1)),
                Node::Release(_, b) | Node::StrongRelease(_, b) => (Guard::FALSE, value(b).1),
            };
            values.insert(g, bounds);
        }
        values[&f]
    }
    fn now(&self) -> &[FormulaId] {
        self.remains.last().map_or(&[], Vec::as_slice)
    }
    fn after(&mut self, letter: &Letter) -> Vec<FormulaId> {
        let now = self.now().to_vec();
        let mut next = after(&mut self.formulas, &self.problem.alphabet, &now, letter);
        for (f, &clause) in next.iter_mut().zip(&self.clauses) {
            // What remains of `G f` has the clause itself as a part, however large it is.
            let own = self.formulas.size(self.problem.clauses[clause].formula);
            if self.formulas.size(*f) > WATCHED_SIZE.saturating_add(own) {
                *f = self.formulas.constant(true);
            }
        }
        next
    }
    fn difference(&mut self, next: &[FormulaId]) -> Vec<ClauseId> {
        let lost = self.formulas.constant(false);
        let fresh = self.now().iter().zip(next).map(|(&before, &after)| before != lost && after == lost);
        self.clauses.iter().zip(fresh).filter(|(_, fresh)| *fresh).map(|(&id, _)| id).collect()
    }
}
