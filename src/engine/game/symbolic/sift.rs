//! A better variable order for given functions, found by sifting a copy of them: the store of a game keeps its order,
//! in which the next-state variable of a bit directly follows its variable.

use super::diagrams::Bdd;
use crate::game::tuning::{SIFTING_GROWTH, SIFTING_NODES, SIFTING_RESULTS, SIFTING_ROUNDS, SIFTING_WORK};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::diagrams::{Diagram, DiagramStore, Effort};
use tsl_synth_core::base::{
    BooleanFunction as _, Budget, Id as _, Limit, Operation, Spent, Store as _, Variable,
};

/// The result of sifting.
pub(super) struct Sifted {
    /// The variables from the top down.
    pub(super) order: Vec<Variable>,
    /// Nodes of all functions together, in the order that was given and in this one.
    pub(super) nodes: [usize; 2],
}

/// A store for copies of functions, whose variables are numbered by their positions.
struct Copies<'b> {
    store: DiagramStore,
    position: FxHashMap<Variable, usize>,
    budget: &'b Budget,
}

impl Copies<'_> {
    /// Counts no work, but fails when the budget of the game ends.
    fn charge(&self, _: Spent) -> Result<(), Limit> {
        self.budget.tick(0, || "the order of variables".into())
    }
    /// Recursion is as deep as there are variables.
    // Diagrams are counted references: equal and hashed by their node, whose contents never change.
    #[allow(clippy::mutable_key_type)]
    fn copy(
        &self,
        function: &Bdd,
        variables: &[Diagram],
        known: &mut FxHashMap<Bdd, Diagram>,
    ) -> Result<Diagram, Limit> {
        let Some((variable, low, high)) = function.branch() else {
            return Ok(self.store.constant(function.eval(|_| false)));
        };
        if let Some(copy) = known.get(function) {
            return Ok(copy.clone());
        }
        let (low, high) = (self.copy(&low, variables, known)?, self.copy(&high, variables, known)?);
        let decision = Operation::Ite(&variables[self.position[&variable]], &high, &low);
        let copy = self.store.apply(decision, &|spent| self.charge(spent))?;
        known.insert(function.clone(), copy.clone());
        Ok(copy)
    }
    /// Nodes of all copies that there are.
    fn nodes(&self) -> Result<usize, Limit> {
        self.store.collect_garbage(&|spent| self.charge(spent))?;
        Ok(self.store.nodes())
    }
}

/// Blocks of variables from the top down: one for each variable of `order`, except that for each pair the second
/// variable, if its block has no other, joins the block of the first at the end nearer to it.
fn blocks(order: &[Variable], pairs: &[(Variable, Variable)]) -> Vec<Vec<Variable>> {
    let mut blocks: Vec<Vec<Variable>> = order.iter().map(|&v| vec![v]).collect();
    for &(first, second) in pairs {
        let position = |v: Variable| blocks.iter().position(|block| block.contains(&v));
        let (Some(to), Some(from)) = (position(first), position(second)) else { continue };
        if to == from || blocks[from].len() > 1 {
            continue;
        }
        if from > to {
            blocks[to].push(second);
        } else {
            blocks[to].insert(0, second);
        }
        blocks.remove(from);
    }
    blocks
}

/// Searches for an order of the variables in which the functions are small. `order` has the variables from the top
/// down; each is a block of its own, except that pairs share a block.
///
/// # Errors
/// The limits of the budget, and too many nodes.
#[allow(clippy::mutable_key_type)]
pub(super) fn sifted<'f>(
    order: &[Variable],
    pairs: &[(Variable, Variable)],
    functions: impl Iterator<Item = &'f Bdd>,
    budget: &Budget,
) -> Result<Sifted, Limit> {
    let blocks = blocks(order, pairs);
    let order: Vec<Variable> = blocks.concat();
    let block_of: Vec<usize> =
        blocks.iter().enumerate().flat_map(|(b, block)| vec![b; block.len()]).collect();
    let store = DiagramStore::new(SIFTING_NODES, SIFTING_RESULTS, "the search for an order of variables");
    let variables = store.add_variables(order.len())?;
    let position = order.iter().enumerate().map(|(position, &v)| (v, position)).collect();
    let copies = Copies { store, position, budget };
    let mut known = FxHashMap::default();
    let made: Vec<Diagram> =
        functions.map(|function| copies.copy(function, &variables, &mut known)).collect::<Result<_, _>>()?;
    drop((known, variables));
    let before = copies.nodes()?;
    let (mut nodes, mut left) = (before, SIFTING_WORK);
    for _ in 0..SIFTING_ROUNDS {
        let now = copies.store.order();
        let sizes = now
            .chunk_by(|&a, &b| block_of[a.index()] == block_of[b.index()])
            .map(<[Variable]>::len)
            .collect();
        let effort = Effort { growth: SIFTING_GROWTH, nodes: left };
        left -= copies.store.sift(sizes, effort, &|spent| copies.charge(spent))?;
        let last = std::mem::replace(&mut nodes, copies.nodes()?);
        if left == 0 || nodes * 20 > last * 19 {
            break;
        }
    }
    drop(made);
    let order = copies.store.order().into_iter().map(|v| order[v.index()]).collect();
    Ok(Sifted { order, nodes: [before, nodes] })
}

#[cfg(test)]
mod tests {
    use super::super::diagrams::Diagrams;
    use super::*;
    use tsl_synth_core::base::Random;

    fn at(number: usize) -> Variable {
        Variable::from_index(number)
    }

    #[test]
    fn pairs_come_together() {
        // A disjunction of conjunctions of variables that are far apart: exponential before, linear after.
        let budget = Budget::unlimited();
        let d = Diagrams::new(1 << 16, 16, &budget).expect("there is room");
        let mut f = d.bottom.clone();
        for v in 0..8 {
            f = d
                .or(&f, &d.and(d.variable(at(v)), d.variable(at(v + 8))).expect("there is room"))
                .expect("there is room");
        }
        let order: Vec<Variable> = (0..16).map(at).collect();
        let found = sifted(&order, &[], std::iter::once(&f), &budget).expect("there is room");
        assert!(found.nodes[0] > 500, "{:?}", found.nodes);
        assert_eq!(found.nodes[1], 16);
        for pair in found.order.chunks(2) {
            assert_eq!(pair[0].index().abs_diff(pair[1].index()), 8, "{:?}", found.order);
        }
    }

    #[test]
    fn variables_join_blocks_on_their_side() {
        let pairs = [(2, 5), (5, 0), (2, 3), (6, 1), (1, 2), (4, 9)].map(|(a, b)| (at(a), at(b)));
        let found = blocks(&[0, 1, 2, 3, 4, 5, 6].map(at), &pairs);
        assert_eq!(
            found,
            [vec![0, 2, 5, 3], vec![4], vec![1, 6]].map(|b| b.into_iter().map(at).collect::<Vec<_>>())
        );
    }

    #[test]
    fn the_order_is_one_of_the_given_functions() {
        let mut random = Random::new(27);
        let budget = Budget::unlimited();
        let mut smaller = 0;
        for _ in 0..40 {
            let d = Diagrams::new(1 << 14, 10, &budget).expect("there is room");
            let functions: Vec<Bdd> = (0..3)
                .map(|_| {
                    let mut f = d.bottom.clone();
                    for _ in 0..12 {
                        let values: Vec<usize> = (0..10).map(|_| random.below(6)).collect();
                        let fixed = values.iter().enumerate().filter(|(_, value)| **value < 2);
                        let literals: Vec<(Variable, bool)> =
                            fixed.map(|(v, &value)| (at(v), value == 1)).collect();
                        f = d.or(&f, &d.cube(&literals).expect("there is room")).expect("there is room");
                    }
                    f
                })
                .collect();
            let order: Vec<Variable> = (0..10).map(at).collect();
            let pairs = [(2, 7), (7, 5), (9, 0)].map(|(a, b)| (at(a), at(b)));
            let found = sifted(&order, &pairs, functions.iter(), &budget).expect("there is room");
            let mut variables = found.order.clone();
            variables.sort_unstable();
            assert_eq!(variables, order);
            let position =
                |v: usize| found.order.iter().position(|&other| other == at(v)).expect("every variable");
            assert!(
                position(2).abs_diff(position(7)) <= 2 && position(9).abs_diff(position(0)) == 1,
                "{:?}",
                found.order
            );
            let again = sifted(&found.order, &[], functions.iter(), &budget).expect("there is room");
            assert_eq!(again.nodes[0], found.nodes[1], "the functions in the order that was found");
            assert!(found.nodes[1] <= found.nodes[0]);
            smaller += usize::from(found.nodes[1] < found.nodes[0]);
        }
        assert!(smaller > 20, "{smaller}");
    }
}
