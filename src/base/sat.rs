//! Questions to a SAT solver within a budget.

use super::budget::{Budget, Limit, LimitKind};
use rustsat::solvers::{Solve, SolverResult};
use rustsat_batsat::BasicSolver;
use std::cell::Cell;
use std::rc::Rc;

/// Whether so many clauses, which the solver has, can be satisfied. Decisions are counted, and as work the share of the
/// clauses that each passes through.
///
/// # Errors
/// More than `most` decisions, or a limit of the budget. `what` is only built then.
///
/// # Panics
/// If the solver was asked before.
pub fn satisfiable(
    solver: &mut BasicSolver,
    clauses: u64,
    most: u64,
    budget: &Budget,
    what: impl Fn() -> String,
) -> Result<bool, Limit> {
    let price = 1 + clauses / 50_000;
    let allowed = most.min(budget.left() / price);
    let decisions = Rc::new(Cell::new(0u64));
    let (counter, stopped) = (Rc::clone(&decisions), budget.stopped());
    solver.batsat_mut().cb_mut().set_stop(move || {
        counter.set(counter.get() + 1);
        counter.get() > allowed || stopped()
    });
    let result = solver.solve().expect("the solver is in its input state");
    budget.tick(decisions.get() * price, &what)?;
    match result {
        SolverResult::Sat => Ok(true),
        SolverResult::Unsat => Ok(false),
        SolverResult::Interrupted => Err(Limit::new(LimitKind::Work, what())),
    }
}
