//! Questions to a SAT solver within a budget.

use super::budget::{Budget, Limit, LimitKind};
use rustsat::instances::{BasicVarManager, ManageVars};
use rustsat::solvers::{Solve, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal};
use rustsat_batsat::BasicSolver;
use std::cell::Cell;
use std::rc::Rc;

/// A question under construction: variables and clauses.
#[derive(Default)]
pub struct Sat {
    solver: BasicSolver,
    variables: BasicVarManager,
    clauses: u64,
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
        self.solver.batsat_mut().cb_mut().set_stop(move || {
            counter.set(counter.get() + 1);
            counter.get() > allowed || stopped()
        });
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
