//! A model of a circuit, made when it is needed, with more diagram nodes after each memory limit.

use super::order::orders;
use crate::trusted::symbolic::answer::ModelStore;
use crate::trusted::symbolic::model::CircuitModel;
use crate::trusted::symbolic::structure::SupportLeaf;
use crate::tuning::{
    BYTES_PER_NODE, FIRST_NODES, LEAST_NODES, MAX_NODES, NODES_GROWTH, TRIAL_NODES, TRIAL_WORK,
};
use std::rc::Rc;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::model::Circuit;

/// Makes a model when it is needed, with more diagram nodes after each memory limit.
pub(crate) struct Growing<'a> {
    circuit: &'a Circuit,
    /// See [`CircuitModel::new`].
    cut: bool,
    pub(crate) budget: Budget,
    order: Option<Rc<[SupportLeaf]>>,
    store: Option<ModelStore<'a>>,
    nodes: usize,
}

impl<'a> Growing<'a> {
    pub(crate) fn new(circuit: &'a Circuit, cut: bool, budget: &Budget) -> Self {
        Self { circuit, cut, budget: budget.clone(), order: None, store: None, nodes: FIRST_NODES }
    }

    pub(crate) fn run<T>(
        &mut self,
        mut question: impl FnMut(&mut ModelStore<'a>) -> Result<T, Limit>,
    ) -> Result<T, Limit> {
        let most = (self.budget.memory_limit() / BYTES_PER_NODE).min(MAX_NODES) as usize;
        if most < LEAST_NODES {
            return Err(Limit::new(LimitKind::Memory, "certificate: the decision diagrams of a circuit"));
        }
        loop {
            self.nodes = self.nodes.min(most);
            let result = self.provide().and_then(&mut question);
            match result {
                Err(limit) if limit.kind == LimitKind::Memory && self.nodes < most => {
                    self.store = None;
                    self.nodes = self.nodes.saturating_mul(NODES_GROWTH);
                }
                Err(limit) if limit.kind == LimitKind::Memory => {
                    self.store = None;
                    return Err(limit);
                }
                result => return result,
            }
        }
    }

    /// More nodes, for questions with many small steps: garbage is collected less often, which also drops cached
    /// results. On the other hand, a hopeless step takes longer.
    pub(super) fn make_room(&mut self) {
        if self.nodes == FIRST_NODES {
            self.nodes *= NODES_GROWTH;
            self.store = None;
        }
    }

    /// The order of the variables, found once.
    pub(super) fn ordered(&mut self, budget: &Budget) -> Result<Rc<[SupportLeaf]>, Limit> {
        if let Some(order) = &self.order {
            return Ok(Rc::clone(order));
        }
        let order = order(self.circuit, self.cut, budget)?;
        Ok(Rc::clone(self.order.insert(order.into())))
    }

    fn provide(&mut self) -> Result<&mut ModelStore<'a>, Limit> {
        let budget = self.budget.clone();
        let order = self.ordered(&budget)?;
        let mut store = match self.store.take() {
            Some(store) => store,
            None => ModelStore::new(CircuitModel::new(self.circuit, self.cut, &order, self.nodes, &budget)?),
        };
        store.model.diagrams.budget = budget;
        let store = self.store.insert(store);
        if store.model.diagrams.nodes() > self.nodes / 2 {
            store.model.diagrams.collect_garbage()?;
        }
        Ok(store)
    }
}

/// The order of a circuit's variables: the first in which all functions stay small, or else the last.
///
/// # Errors
/// Limits of the budget other than of memory.
fn order(circuit: &Circuit, cut: bool, budget: &Budget) -> Result<Vec<SupportLeaf>, Limit> {
    let mut orders = orders(circuit);
    let all: [Vec<usize>; 2] = [circuit.outputs.len(), circuit.inputs].map(|n| (0..n).collect());
    for i in 0..orders.len() - 1 {
        let little = budget.child(TRIAL_WORK.min(budget.left()));
        let model = CircuitModel::new(circuit, cut, &orders[i], TRIAL_NODES, &little);
        let made = model.and_then(|mut model| model.cone(&all[0], &all[1]));
        budget.tick(little.work(), || "certificate: an order of variables".into())?;
        match made {
            Ok(_) => return Ok(orders.swap_remove(i)),
            Err(limit) if matches!(limit.kind, LimitKind::Work | LimitKind::Memory) => {}
            Err(limit) => return Err(limit),
        }
    }
    Ok(orders.swap_remove(orders.len() - 1))
}
