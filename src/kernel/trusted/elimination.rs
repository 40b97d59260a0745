//! Checks step by step that no path of a graph satisfies a conjunction of clauses about letters that are read
//! infinitely often, letters that are read finitely often, and safety formulas.
//!
//! A region is a set of states with the letters that may be read there. Its states fall into components such that no
//! edge of the region leads to a later one: every path that stays in the region stays in one component from some step
//! on. For each component there is a reason why such a path violates the condition: no edge leads back into it; or all
//! edges inside postpone one strong fixpoint; or a clause fails, as none of its alternatives about safety formulas
//! holds at any state of the component, none of its frequent letters can be read inside, and for each of its sets of
//! rare letters the component without them is a region with an elimination of its own. Regions are numbered so that
//! those that a reason refers to come later, so the argument is well founded.
//!
//! How the components were found does not matter (`search::components`). Linear in the edges of all regions.

use super::conditions::FairnessClause;
use super::normal::GoalId;
use tsl_synth_core::base::{Budget, IdSet, IdVec, Limit};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{Guard, Guards};

define_id! {
    /// A state of the product.
    pub(crate) struct VertexId;
}

/// An edge: the letters that lead from one state of the product to another.
#[derive(Clone, Debug)]
pub(crate) struct VertexEdge {
    pub(crate) letters: Guard,
    /// The strong fixpoints that are postponed.
    pub(crate) postponed: IdSet<GoalId>,
    pub(crate) next: VertexId,
}

/// The reachable part of a product.
#[derive(Debug)]
pub(crate) struct ProductGraph {
    pub(crate) edges: IdVec<VertexId, Vec<VertexEdge>>,
    pub(crate) initial: VertexId,
}

/// A conjunction of conditions on the paths of a graph.
#[derive(Debug)]
pub(crate) struct FairnessCondition {
    pub(crate) clauses: Vec<FairnessClause>,
    /// The number of strong fixpoints, none of which may be postponed forever.
    pub(crate) goals: usize,
    /// For each state of the product, which safety formulas are not broken there.
    pub(crate) kept: IdVec<VertexId, Vec<bool>>,
}

impl FairnessCondition {
    /// Whether a clause holds at a state of the product because of a safety formula.
    pub(crate) fn by_safety(&self, clause: &FairnessClause, pair: VertexId) -> bool {
        let kept = &self.kept[pair];
        clause.kept.iter().any(|&f| kept[f]) || clause.broken.iter().any(|&f| !kept[f])
    }
}

/// Why no path that stays in a component satisfies the condition.
#[derive(Clone, Debug)]
pub(crate) enum EliminationReason {
    /// No edge leads back into it.
    NoEdge,
    /// Every edge inside postpones this strong fixpoint.
    Postponed(GoalId),
    /// This clause fails. The list has, for each of its sets of rare letters, the number of the region without these
    /// letters.
    Clause(usize, Vec<usize>),
}

/// The components of a region: no edge leads from one to a later one.
pub(crate) type Decomposition = Vec<(Vec<VertexId>, EliminationReason)>;

/// An elimination of all paths. The first region is the whole graph with all letters.
#[derive(Debug, Default)]
pub(crate) struct Elimination {
    pub(crate) regions: Vec<Decomposition>,
}

/// The states of a region and the letters that may be read there.
type Extent = (Vec<VertexId>, Guard);

impl Elimination {
    /// Whether this elimination shows that no path satisfies the condition.
    pub(crate) fn holds(
        &self,
        graph: &ProductGraph,
        condition: &FairnessCondition,
        guards: &mut Guards,
        budget: &Budget,
    ) -> Result<bool, Limit> {
        let mut extents: Vec<Option<Extent>> = vec![None; self.regions.len()];
        let Some(whole) = extents.first_mut() else { return Ok(false) };
        *whole = Some((graph.edges.ids().collect(), Guard::TRUE));
        let mut number: IdVec<VertexId, Option<usize>> = IdVec::filled(None, graph.edges.len());
        for (id, components) in self.regions.iter().enumerate() {
            let Some((pairs, allowed)) = extents[id].take() else { return Ok(false) };
            if !is_partition(components, &pairs, &mut number) {
                return Ok(false);
            }
            for (own, (members, reason)) in components.iter().enumerate() {
                let mut inside = Vec::new();
                for edge in members.iter().flat_map(|&pair| &graph.edges[pair]) {
                    budget.tick(1, || "certificate: components of a product".into())?;
                    let letters = guards.and(edge.letters, allowed);
                    match number[edge.next].filter(|_| letters != Guard::FALSE) {
                        Some(other) if other > own => return Ok(false),
                        Some(other) if other == own => inside.push((letters, &edge.postponed)),
                        _ => {}
                    }
                }
                let fails = match *reason {
                    EliminationReason::NoEdge => inside.is_empty(),
                    EliminationReason::Postponed(goal) => {
                        inside.iter().all(|(_, postponed)| postponed.contains(goal))
                    }
                    EliminationReason::Clause(clause, ref without) => {
                        let Some(clause) = condition.clauses.get(clause) else { return Ok(false) };
                        if without.len() != clause.seldom.len() {
                            return Ok(false);
                        }
                        for (&region, &rare) in without.iter().zip(&clause.seldom) {
                            let extent = (members.clone(), guards.minus(allowed, rare));
                            // Exactly one reason refers to each region, and it belongs to an earlier region.
                            if region <= id || extents.get(region).is_none_or(Option::is_some) {
                                return Ok(false);
                            }
                            extents[region] = Some(extent);
                        }
                        !members.iter().any(|&pair| condition.by_safety(clause, pair))
                            && !inside.iter().any(|&(letters, _)| guards.intersects(letters, clause.often))
                    }
                };
                if !fails {
                    return Ok(false);
                }
            }
            for &pair in &pairs {
                number[pair] = None;
            }
        }
        Ok(true)
    }
}

/// Whether the components are a partition of these states; fills in the component of each state.
fn is_partition(
    components: &Decomposition,
    pairs: &[VertexId],
    number: &mut IdVec<VertexId, Option<usize>>,
) -> bool {
    let mut count = 0;
    for (own, (members, _)) in components.iter().enumerate() {
        for &pair in members {
            if number.get(pair).is_none_or(Option::is_some) {
                return false;
            }
            number[pair] = Some(own);
            count += 1;
        }
    }
    count == pairs.len() && pairs.iter().all(|&pair| number[pair].is_some())
}
