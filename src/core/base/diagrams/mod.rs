//! Decision diagrams of Boolean functions: reduced and ordered, with negated edges, in one store of one thread.
//!
//! A [`Diagram`] is a reference-counted handle: no node that it depends on is freed while it exists. Garbage is
//! collected between operations, never during one. Each operation counts its steps, its new nodes and the nodes visited
//! by garbage collection ([`Spent`]), reports them to its [`Charge`] about every thousand steps, and ends when the
//! charge returns an error, also during a collection or the growth of a table; existing diagrams are then unchanged.
//! The same operations in the same order have the same counts.
//!
//! Bryant, "Graph-based algorithms for Boolean function manipulation", 1986; Brace, Rudell and Bryant, "Efficient
//! implementation of a BDD package", DAC 1990.

mod operations;
mod reorder;
mod tables;
#[cfg(test)]
mod tests;

use super::budget::{Limit, LimitKind};
use super::ids::Id;
use super::steps;
use super::store::{Applied, BooleanFunction, Charge, Operation, Spent, Store, Variable};
use operations::{Recursion, Replaced};
pub use reorder::Effort;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tables::{Edge, Meter, Stop, Tables};

/// A store of diagrams. Variables are numbered in the order in which they were added, which is also their order from
/// the top until [`DiagramStore::sift`] changes it.
pub struct DiagramStore {
    shared: Rc<Shared>,
    /// Describes the diagrams in messages about limits.
    what: &'static str,
}

struct Shared {
    tables: RefCell<Tables>,
    /// For each node the number of its handles.
    handles: RefCell<Vec<u32>>,
}

/// A Boolean function in a store.
pub struct Diagram {
    edge: Edge,
    shared: Rc<Shared>,
}

impl Diagram {
    fn new(edge: Edge, shared: &Rc<Shared>) -> Self {
        let mut handles = shared.handles.borrow_mut();
        if handles.len() <= edge.node() {
            handles.resize(edge.node() + 1, 0);
        }
        handles[edge.node()] += 1;
        Self { edge, shared: shared.clone() }
    }
}

impl BooleanFunction for Diagram {
    fn branch(&self) -> Option<(Variable, Self, Self)> {
        if self.edge.is_constant() {
            return None;
        }
        let tables = self.shared.tables.borrow();
        let level = tables.level(self.edge);
        let (low, high) = tables.cofactors(self.edge, level);
        let variable = Variable::from_index(tables.variable_at(level as usize));
        Some((variable, Self::new(low, &self.shared), Self::new(high, &self.shared)))
    }
    fn node_count(&self) -> usize {
        self.shared.tables.borrow().nodes_of(&[self.edge]).len() + 1
    }
    fn eval(&self, value: impl Fn(Variable) -> bool) -> bool {
        let tables = self.shared.tables.borrow();
        let mut at = self.edge;
        while !at.is_constant() {
            let level = tables.level(at);
            let (low, high) = tables.cofactors(at, level);
            let variable = Variable::from_index(tables.variable_at(level as usize));
            at = if value(variable) { high } else { low };
        }
        at == Edge::TRUE
    }
}

impl Clone for Diagram {
    fn clone(&self) -> Self {
        Self::new(self.edge, &self.shared)
    }
}

impl Drop for Diagram {
    fn drop(&mut self) {
        self.shared.handles.borrow_mut()[self.edge.node()] -= 1;
    }
}

impl PartialEq for Diagram {
    fn eq(&self, other: &Self) -> bool {
        self.edge == other.edge
    }
}

impl Eq for Diagram {}

impl std::hash::Hash for Diagram {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.edge.hash(state);
    }
}

impl std::fmt::Debug for Diagram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Diagram").field(&self.edge).finish()
    }
}

/// A simultaneous replacement of variables by functions.
pub struct Replacement {
    pairs: Vec<(Variable, Diagram)>,
    /// Its number in the store; `None` before it is first used.
    number: Cell<Option<u32>>,
}

/// The charge, which also counts the steps of the thread.
fn metered(charge: Charge<'_>) -> impl FnMut(Spent) -> Result<(), Limit> {
    move |spent| {
        steps::count(spent.steps + spent.swept / 16);
        charge(spent)
    }
}

impl DiagramStore {
    fn handle(&self, edge: Edge) -> Diagram {
        Diagram::new(edge, &self.shared)
    }
    /// The bytes of the tables.
    pub fn bytes(&self) -> usize {
        self.shared.tables.borrow().bytes()
    }
    fn limit(&self, stop: Stop) -> Limit {
        match stop {
            Stop::Full => Limit::new(LimitKind::Memory, self.what),
            Stop::Limit(limit) => limit,
        }
    }
    fn collect(&self, meter: Meter<'_>) -> Result<(), Limit> {
        let collected = self.shared.tables.borrow_mut().collect(&self.shared.handles.borrow(), meter);
        collected.map_err(|stop| self.limit(stop))
    }
    /// Runs an operation. If there is no room for its result, garbage is collected and it is tried once more.
    fn run(
        &self,
        charge: Charge<'_>,
        operation: impl Fn(&mut Recursion<'_, '_>) -> Result<Edge, Stop>,
    ) -> Result<Diagram, Limit> {
        let mut meter = metered(charge);
        if self.shared.tables.borrow().is_due() {
            self.collect(&mut meter)?;
            if self.shared.tables.borrow().is_crowded() {
                return Err(self.limit(Stop::Full));
            }
        }
        let mut is_again = false;
        loop {
            let result = {
                let mut tables = self.shared.tables.borrow_mut();
                tables.begin();
                let result = operation(&mut Recursion { tables: &mut tables, meter: &mut meter, steps: 0 });
                let reported = tables.charge(&mut meter);
                reported.and(result)
            };
            match result {
                Ok(edge) => return Ok(self.handle(edge)),
                Err(Stop::Full) => {
                    self.collect(&mut meter)?;
                    if std::mem::replace(&mut is_again, true) {
                        return Err(self.limit(Stop::Full));
                    }
                }
                Err(stop) => return Err(self.limit(stop)),
            }
        }
    }
    fn replace(&self, a: &Diagram, replacement: &Replacement, charge: Charge<'_>) -> Result<Diagram, Limit> {
        let mut tables = self.shared.tables.borrow_mut();
        let number = replacement.number.get().unwrap_or_else(|| {
            tables.replacements += 1;
            tables.replacements
        });
        replacement.number.set(Some(number));
        let mut functions: Vec<Option<Edge>> = Vec::new();
        for (variable, function) in &replacement.pairs {
            let level = tables.level_of(variable.index());
            if functions.len() <= level {
                functions.resize(level + 1, None);
            }
            functions[level] = Some(function.edge);
        }
        drop(tables);
        let replaced = Replaced { number, functions: &functions };
        self.run(charge, |own| own.replace(a.edge, &replaced))
    }
    fn simplified(
        &self,
        a: &Diagram,
        care: &Diagram,
        effort: usize,
        charge: Charge<'_>,
    ) -> Result<Diagram, Limit> {
        if care.edge == Edge::FALSE {
            return Ok(self.constant(false));
        }
        let size = a.node_count();
        let most = effort * (size + care.node_count());
        let smaller = self.run(charge, |own| own.simplified(a.edge, care.edge, most))?;
        Ok(if smaller.node_count() < size { smaller } else { a.clone() })
    }
    /// The variables from the top.
    pub fn order(&self) -> Vec<Variable> {
        let tables = self.shared.tables.borrow();
        (0..tables.variables()).map(|level| Variable::from_index(tables.variable_at(level))).collect()
    }
    /// Looks for an order of the variables in which the diagrams are smaller: each block of adjacent variables, given
    /// by their numbers from the top, moves through all positions. All diagrams keep representing the same functions.
    /// Returns the number of nodes in exchanged levels, a measure of work.
    ///
    /// # Errors
    /// The error of the charge; the store is consistent then, too.
    ///
    /// # Panics
    /// If the blocks do not have as many variables as there are.
    pub fn sift(&self, blocks: Vec<usize>, effort: Effort, charge: Charge<'_>) -> Result<u64, Limit> {
        let mut meter = metered(charge);
        self.collect(&mut meter)?;
        let mut tables = self.shared.tables.borrow_mut();
        assert_eq!(blocks.iter().sum::<usize>(), tables.variables(), "blocks of all variables");
        let handles = self.shared.handles.borrow();
        reorder::sift(&mut tables, &handles, blocks, effort, &mut meter).map_err(|stop| self.limit(stop))
    }
}

impl Store for DiagramStore {
    type Function = Diagram;
    type Replacement = Replacement;

    fn new(nodes: usize, results: usize, what: &'static str) -> Self {
        let shared =
            Shared { tables: RefCell::new(Tables::new(nodes, results)), handles: RefCell::default() };
        Self { shared: Rc::new(shared), what }
    }
    fn constant(&self, value: bool) -> Diagram {
        self.handle(if value { Edge::TRUE } else { Edge::FALSE })
    }
    fn add_variables(&self, count: usize) -> Result<Vec<Diagram>, Limit> {
        let first = {
            let mut tables = self.shared.tables.borrow_mut();
            tables.add_variables(count);
            tables.variables() - count
        };
        let free = |_: Spent| Ok(());
        (first..first + count)
            .map(|v| {
                self.run(&free, |own| own.tables.make(own.tables.level_of(v) as u32, Edge::FALSE, Edge::TRUE))
            })
            .collect()
    }
    fn nodes(&self) -> usize {
        self.shared.tables.borrow().in_use()
    }
    fn collect_garbage(&self, charge: Charge<'_>) -> Result<(), Limit> {
        self.collect(&mut metered(charge))
    }
    fn not(&self, a: &Diagram) -> Diagram {
        self.handle(!a.edge)
    }
    fn replacement(pairs: Vec<(Variable, Diagram)>) -> Replacement {
        Replacement { pairs, number: Cell::new(None) }
    }
    fn apply(&self, operation: Applied<'_, Self>, charge: Charge<'_>) -> Result<Diagram, Limit> {
        match operation {
            Operation::And(a, b) => self.run(charge, |own| own.and(a.edge, b.edge)),
            Operation::Or(a, b) => self.run(charge, |own| own.or(a.edge, b.edge)),
            Operation::Minus(a, b) => self.run(charge, |own| own.and(a.edge, !b.edge)),
            Operation::Iff(a, b) => self.run(charge, |own| own.xor(!a.edge, b.edge)),
            Operation::Ite(a, b, c) => self.run(charge, |own| own.ite(a.edge, b.edge, c.edge)),
            Operation::Exists(a, cube) => self.run(charge, |own| own.exists(a.edge, cube.edge)),
            Operation::Forall(a, cube) => self.run(charge, |own| own.forall(a.edge, cube.edge)),
            Operation::AndExists(a, b, cube) => {
                self.run(charge, |own| own.and_exists(a.edge, b.edge, cube.edge))
            }
            Operation::ForallOr(a, b, cube) => {
                self.run(charge, |own| own.forall_or(a.edge, b.edge, cube.edge))
            }
            Operation::Cofactor(a, literals) => self.run(charge, |own| own.cofactor(a.edge, literals.edge)),
            Operation::Replace(a, replacement) => self.replace(a, replacement, charge),
            Operation::Simplified(a, care, effort) => self.simplified(a, care, effort, charge),
            Operation::Covered(lower, upper, effort) => {
                let most = effort * (lower.node_count() + upper.node_count());
                self.run(charge, |own| own.covered(lower.edge, upper.edge, most))
            }
        }
    }
}
