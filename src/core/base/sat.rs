//! Questions to a SAT solver within a budget.

use super::budget::{Budget, Limit, LimitKind};
use rustsat::instances::{BasicVarManager, ManageVars};
use rustsat::solvers::{Solve, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal};
use rustsat_batsat::Solver;
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

/// A question under construction: variables and clauses.
pub struct Sat {
    solver: Solver<Learned>,
    variables: BasicVarManager,
    clauses: u64,
    most_learned: u64,
}

/// What the solver has learned, and whether it has to stop with so many literals.
#[derive(Default)]
struct Learned {
    literals: u64,
    stop: Option<Box<dyn Fn(u64) -> bool>>,
}

impl batsat::Callbacks for Learned {
    fn on_new_clause(&mut self, clause: &[batsat::Lit], kind: batsat::clause::Kind) {
        if matches!(kind, batsat::clause::Kind::Learnt) {
            self.literals += clause.len() as u64;
        }
    }
    fn stop(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop(self.literals))
    }
}

impl fmt::Debug for Sat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sat").field("clauses", &self.clauses).finish_non_exhaustive()
    }
}

impl Default for Sat {
    fn default() -> Self {
        Self {
            solver: Solver::default(),
            variables: BasicVarManager::default(),
            clauses: 0,
            most_learned: u64::MAX,
        }
    }
}

impl Sat {
    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.variables.new_var().pos_lit()
    }
    /// Adds a clause: one of these literals is true.
    ///
    /// # Panics
    /// If the question was asked before.
    pub fn add(&mut self, literals: impl IntoIterator<Item = Lit>) {
        let clause: Clause = literals.into_iter().collect();
        self.clauses += 1;
        self.solver.add_clause(clause).expect("the solver takes every clause");
    }
    /// How many clauses were added.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }
    /// Stops also when the clauses that the solver has learned have more than this many literals together. Their number
    /// says more about the time than that of decisions where decisions lead to many conflicts.
    pub fn limit_learned(&mut self, literals: u64) {
        self.most_learned = literals;
    }
    /// Whether the clauses can be satisfied. Decisions are counted as work; the cost of a decision grows with the
    /// number of clauses.
    ///
    /// # Errors
    /// More than `most` decisions, or a limit of the budget. `what` is only built then.
    ///
    /// # Panics
    /// If the question was asked before.
    pub fn satisfiable(
        &mut self,
        most: u64,
        budget: &Budget,
        what: impl Fn() -> String,
    ) -> Result<bool, Limit> {
        let price = 1 + self.clauses / 50_000;
        let allowed = most.min(budget.left() / price);
        let decisions = Rc::new(Cell::new(0u64));
        let (counter, stopped) = (Rc::clone(&decisions), budget.stopped());
        let most_learned = self.most_learned;
        self.solver.batsat_mut().cb_mut().stop = Some(Box::new(move |learned| {
            counter.set(counter.get() + 1);
            counter.get() > allowed || learned > most_learned || stopped()
        }));
        let result = self.solver.solve().expect("the solver is in its input state");
        budget.tick(decisions.get() * price, &what)?;
        match result {
            SolverResult::Sat => Ok(true),
            SolverResult::Unsat => Ok(false),
            SolverResult::Interrupted => Err(Limit::new(LimitKind::Work, what())),
        }
    }
    /// Whether a literal is true in the solution that was found; a variable that no clause mentions has no value.
    pub fn holds(&self, literal: Lit) -> bool {
        matches!(self.solver.lit_val(literal), Ok(TernaryVal::True))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That each of `n + 1` pigeons has a hole of its own, which is hard to refute.
    fn pigeons(n: usize) -> Sat {
        let mut sat = Sat::default();
        let at: Vec<Vec<Lit>> = (0..=n).map(|_| (0..n).map(|_| sat.fresh()).collect()).collect();
        for (b, holes) in at.iter().enumerate() {
            sat.add(holes.iter().copied());
            for (one, other) in at[..b].iter().flat_map(|earlier| earlier.iter().zip(holes)) {
                sat.add([!*one, !*other]);
            }
        }
        sat
    }

    #[test]
    fn a_question_ends_when_much_is_learned() {
        for n in 2..=10 {
            let ask = |literals: u64| {
                let mut sat = pigeons(n);
                sat.limit_learned(literals);
                sat.satisfiable(u64::MAX, &Budget::unlimited(), || String::from("test"))
            };
            if n < 6 {
                assert_eq!(ask(u64::MAX).ok(), Some(false), "{n} holes");
            } else {
                assert_eq!(ask(50).expect_err("much is learned").kind, LimitKind::Work, "{n} holes");
            }
        }
    }
}
