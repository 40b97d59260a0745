//! Reordering of the variables, in place: each block of variables in turn moves through all positions and stays in the
//! best one (Rudell, "Dynamic variable ordering for ordered binary decision diagrams", ICCAD 1993).
//!
//! Exchanging two levels changes the nodes of the upper one that depend on the lower one, in place: every node keeps
//! representing the same function, and so do all handles. Work is counted in nodes of the exchanged levels.

use super::tables::{Edge, Meter, Stop, Tables};

/// The state of sifting.
struct Sifting<'t, 'm> {
    tables: &'t mut Tables,
    meter: Meter<'m>,
    /// For each node the number of references to it, from nodes and handles.
    references: Vec<u32>,
    /// The sizes of the blocks, from the top.
    blocks: Vec<usize>,
    effort: Effort,
}

/// The limits of sifting.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// In percent: a block is not moved further when the size of the diagrams exceeds this share of their smallest
    /// size.
    pub growth: usize,
    /// After this many nodes in exchanged levels no further position is tried.
    pub nodes: u64,
}

/// Sifts blocks of adjacent levels, given by their sizes from the top, once each; the largest first. The tables have no
/// garbage. Returns the number of nodes in exchanged levels.
///
/// # Errors
/// The error of the meter. The tables are consistent then, too, with some order of variables.
pub(super) fn sift(
    tables: &mut Tables,
    handles: &[u32],
    blocks: Vec<usize>,
    effort: Effort,
    meter: Meter<'_>,
) -> Result<u64, Stop> {
    let references = tables.references(handles);
    let mut sifting = Sifting { tables, meter, references, blocks, effort };
    let result = sifting.round();
    let left = sifting.effort.nodes;
    sifting.tables.forget_results();
    result.map(|()| effort.nodes - left)
}

impl Sifting<'_, '_> {
    fn first_level(&self, block: usize) -> usize {
        self.blocks[..block].iter().sum()
    }
    fn round(&mut self) -> Result<(), Stop> {
        // Blocks by the variable on top, since their positions change.
        let size = |sifting: &Self, block: usize| -> usize {
            let first = sifting.first_level(block);
            (first..first + sifting.blocks[block]).map(|level| sifting.tables.level_size(level)).sum()
        };
        let mut order: Vec<(usize, usize)> = (0..self.blocks.len())
            .map(|block| (size(self, block), self.tables.variable_at(self.first_level(block))))
            .collect();
        order.sort_by_key(|&(size, variable)| (std::cmp::Reverse(size), variable));
        for (_, variable) in order {
            let mut first = 0;
            let level = self.tables.level_of(variable);
            let block = self.blocks.iter().position(|&size| {
                let is_it = first == level;
                first += size;
                is_it
            });
            if let Some(block) = block.filter(|_| self.effort.nodes > 0) {
                self.sift_block(block)?;
            }
        }
        Ok(())
    }
    /// Moves a block to all positions, those on the side of the nearer end first, and then to the best one.
    fn sift_block(&mut self, block: usize) -> Result<(), Stop> {
        let (mut best, last) = ((self.tables.in_use(), block), self.blocks.len() - 1);
        let ends = if block > last / 2 { [last, 0] } else { [0, last] };
        for end in ends {
            let mut at = block;
            while at != end {
                at = self.shift(at, end > at)?;
                let size = self.tables.in_use();
                best = best.min((size, at));
                if size > best.0 / 100 * self.effort.growth + 100 || self.effort.nodes == 0 {
                    break;
                }
            }
            self.move_to(at, block)?;
        }
        self.move_to(block, best.1)
    }
    fn move_to(&mut self, mut at: usize, goal: usize) -> Result<(), Stop> {
        while at != goal {
            at = self.shift(at, goal > at)?;
        }
        Ok(())
    }
    /// Exchanges a block with the one below or above it; returns its new position.
    fn shift(&mut self, block: usize, down: bool) -> Result<usize, Stop> {
        let upper = if down { block } else { block - 1 };
        let first = self.first_level(upper);
        let (above, below) = (self.blocks[upper], self.blocks[upper + 1]);
        // Each level of the lower block rises through the upper one.
        for rising in 0..below {
            for level in (first + rising..first + rising + above).rev() {
                self.tables.swap(level, &mut self.references);
            }
        }
        self.blocks.swap(upper, upper + 1);
        let seen = self.tables.unreported_steps();
        self.effort.nodes = self.effort.nodes.saturating_sub(seen);
        self.tables.report(self.meter)?;
        Ok(if down { block + 1 } else { block - 1 })
    }
}

impl Tables {
    /// The number of references to each node, from nodes and handles.
    fn references(&self, handles: &[u32]) -> Vec<u32> {
        let mut references = handles.to_vec();
        references.resize(self.indices(), 0);
        for node in self.taken() {
            let node = self.node(node);
            references[node.low.node()] += 1;
            references[node.high.node()] += 1;
        }
        references
    }
    /// Exchanges a level with the one below it.
    fn swap(&mut self, level: usize, references: &mut Vec<u32>) {
        let (upper, lower) = (level as u32, level as u32 + 1);
        let (above, below) = (self.take_level(upper), self.take_level(lower));
        self.count_steps((above.len() + below.len()) as u64 + 1);
        let mut dependent = Vec::new();
        for index in above {
            let node = *self.node(index);
            let ((f00, f01), (f10, f11)) =
                (self.cofactors(node.low, lower), self.cofactors(node.high, lower));
            if self.level(node.low) == lower || self.level(node.high) == lower {
                dependent.push((index, [f00, f10], [f01, f11]));
            } else {
                self.put(index, lower, node.low, node.high);
            }
        }
        // The nodes of the lower level keep their variable, which is now above. Those without references are freed
        // below.
        for index in below {
            let node = *self.node(index);
            self.put(index, upper, node.low, node.high);
        }
        for (index, low, high) in dependent {
            let old = *self.node(index);
            let [low, high] = [low, high].map(|[low, high]| {
                let made = self.made(lower, low, high, references);
                references[made.node()] += 1;
                made
            });
            self.put(index, upper, low, high);
            for edge in [old.low, old.high] {
                self.release(edge, references);
            }
        }
        self.exchange_variables(level);
    }
    /// The node with these edges; a new one is counted as a reference to each of them.
    fn made(&mut self, level: u32, low: Edge, high: Edge, references: &mut Vec<u32>) -> Edge {
        if low == high {
            return low;
        }
        let before = self.in_use();
        let made = self.make_always(level, low, high);
        if self.in_use() > before {
            references.resize(self.indices(), 0);
            references[made.node()] = 0;
            references[low.node()] += 1;
            references[high.node()] += 1;
        }
        made
    }
    /// Removes a reference; a node without references is freed.
    fn release(&mut self, edge: Edge, references: &mut [u32]) {
        let mut open = vec![edge];
        while let Some(edge) = open.pop() {
            let index = edge.node();
            references[index] -= 1;
            if references[index] == 0 && index != 0 {
                let node = *self.node(index as u32);
                self.free(index as u32);
                open.extend([node.low, node.high]);
            }
        }
    }
}
