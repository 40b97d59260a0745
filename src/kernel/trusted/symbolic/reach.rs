//! Reachable states, forward: images by clusters of the transition relation with early quantification (Burch, Clarke
//! and Long, VLSI 1991; Ranjan et al., IWLS 1995).
//!
//! A cone is searched block by block of its latches, each block with the blocks before it in any of their reachable
//! states (the machine-by-machine approximation of Cho, Hachtel, Macii, Plessier and Somenzi, IEEE TCAD 1996). The
//! result is a superset of the reachable states. It is used only for pruning: plays begin in the initial state, so
//! every answer is exact. If a search meets a limit, all states of the block count as reachable.

use super::clusters::Clusters;
use super::diagrams::{Bdd, Diagrams, Replacement};
use super::model::CircuitModel;
use super::structure::{Cone, SupportLeaf};
use crate::tuning::{REACH_NODES, REACH_ROUNDS};
use tsl_synth_core::base::{BooleanFunction as _, Limit, LimitKind};

impl CircuitModel<'_> {
    /// A superset of the reachable states of a cone whose functions were computed.
    ///
    /// # Errors
    /// Limits other than of memory.
    pub(crate) fn reached(&mut self, cone: &Cone) -> Result<Bdd, Limit> {
        let mut blocks: Vec<usize> = cone.latches.iter().map(|&i| self.structure.block_of[i]).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let mut all = self.diagrams.top.clone();
        for block in blocks {
            if self.reached[block].is_none() {
                let states = match self.reached_of_block(block) {
                    Ok(states) => states,
                    Err(limit) if limit.kind == LimitKind::Memory => {
                        self.diagrams.collect_garbage()?;
                        self.diagrams.top.clone()
                    }
                    Err(limit) => return Err(limit),
                };
                self.reached[block] = Some(states);
            }
            if let Some(states) = &self.reached[block] {
                all = self.diagrams.and(&all, states)?;
            }
        }
        Ok(all)
    }

    fn reached_of_block(&self, block: usize) -> Result<Bdd, Limit> {
        let d = &self.diagrams;
        let latches = &self.structure.blocks[block];
        let mut before: Vec<usize> = Vec::new();
        for leaf in latches.iter().flat_map(|&latch| &self.structure.latches[latch]) {
            if let SupportLeaf::Latch(other) = *leaf {
                before.push(self.structure.block_of[other]);
            }
        }
        before.sort_unstable();
        before.dedup();
        before.retain(|&other| other != block);
        let image = Image::new(self, latches, &before)?;
        let mut reached = self.reset(latches)?;
        let mut frontier = reached.clone();
        for _ in 0..REACH_ROUNDS {
            frontier = d.minus(&image.of(d, &frontier)?, &reached)?;
            if frontier == d.bottom {
                return Ok(reached);
            }
            reached = d.or(&reached, &frontier)?;
            if reached.node_count() > REACH_NODES {
                break;
            }
        }
        Ok(d.top.clone())
    }

    /// The states of a cone that are first reached after 0, 1, ... steps; `None` if there are too many rounds.
    pub(crate) fn rings(&self, cone: &Cone) -> Result<Option<Vec<Bdd>>, Limit> {
        let d = &self.diagrams;
        let image = Image::new(self, &cone.latches, &[])?;
        let mut reached = self.reset(&cone.latches)?;
        let mut rings = vec![reached.clone()];
        while rings.len() < REACH_ROUNDS {
            let Some(frontier) = rings.last() else { break };
            let next = image.of(d, frontier)?;
            let fresh = d.minus(&next, &reached)?;
            if fresh == d.bottom {
                return Ok(Some(rings));
            }
            reached = d.or(&reached, &fresh)?;
            rings.push(fresh);
        }
        Ok(None)
    }
}

/// The clusters of a transition relation, each with the variables that no later one mentions.
struct Image {
    clusters: Vec<(Bdd, Bdd)>,
    /// Variables that no cluster mentions.
    alone: Bdd,
    rename: Replacement,
}

impl Image {
    /// The image for some latches, with the blocks `before` in any of their reachable states.
    fn new(model: &CircuitModel<'_>, latches: &[usize], before: &[usize]) -> Result<Self, Limit> {
        let d = &model.diagrams;
        let mut clusters = Clusters::new(d);
        for &block in before {
            let states = model.reached[block].clone().unwrap_or_else(|| d.top.clone());
            clusters
                .push(states, model.structure.blocks[block].iter().map(|&latch| model.latches[latch].now));
        }
        let mut answers: Vec<usize> = latches.iter().flat_map(|&i| model.structure.answers(i)).collect();
        answers.sort_unstable();
        answers.dedup();
        clusters.extend(&*model.steps(latches, &answers)?);
        let mut freed = clusters.mentioned();
        freed.extend(latches.iter().map(|&i| model.latches[i].now));
        freed.sort_unstable();
        freed.dedup();
        let (clusters, alone) = clusters.freeing(d, freed)?;
        let back = latches.iter().map(|&i| (model.latches[i].next, d.variable(model.latches[i].now).clone()));
        Ok(Self { clusters, alone, rename: Diagrams::replacement(back.collect()) })
    }

    /// The successors of a set of states.
    fn of(&self, d: &Diagrams, states: &Bdd) -> Result<Bdd, Limit> {
        let mut image = d.exists(states, &self.alone)?;
        for (relation, freed) in &self.clusters {
            image = d.and_exists(&image, relation, freed)?;
        }
        d.replace(&image, &self.rename)
    }
}
