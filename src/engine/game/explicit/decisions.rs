//! Decision diagrams with numbers at their leaves, here called ends: the edge that an automaton takes on a letter, the
//! position that follows.
//!
//! Bits of memory are on top, then those of inputs, then those of outputs: the memory selects a diagram over letters,
//! in which the inputs select a diagram over outputs, the choice of the system. Reduced and ordered as in Bryant 1986,
//! multi-terminal as in Fujita, McGeer and Yang 1997.

use super::ExplicitEffort;
use crate::game::tuning::STEPS_PER_WORK;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind, steps};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};

/// A diagram, or the number at an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct LetterDiagram(u32);

/// The number of an end that adds nothing to a product.
pub(super) const NOTHING: u32 = 0;

/// The level of ends.
const END: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LetterNode {
    level: u32,
    /// At an end: its number.
    low: u32,
    high: u32,
}

/// A store of diagrams.
pub(super) struct Decisions<'a> {
    nodes: Vec<LetterNode>,
    unique: FxHashMap<LetterNode, LetterDiagram>,
    products: FxHashMap<(LetterDiagram, LetterDiagram), LetterDiagram>,
    selections: FxHashMap<(u32, LetterDiagram, LetterDiagram), LetterDiagram>,
    /// The position of each bit from the top, and the bit at each position.
    level: Vec<u32>,
    bits: Vec<BitId>,
    /// The first positions of inputs and of outputs.
    inputs: u32,
    outputs: u32,
    /// Steps that are not counted as work yet.
    steps: u64,
    effort: ExplicitEffort,
    /// The work that was done before the present position.
    begun: u64,
    budget: &'a Budget,
}

impl<'a> Decisions<'a> {
    /// A store over the bits of an alphabet and `memory` bits of memory after them.
    pub(super) fn new(
        alphabet: &Alphabet,
        memory: usize,
        effort: ExplicitEffort,
        budget: &'a Budget,
    ) -> Self {
        let letter = alphabet.bit_count();
        let mut bits: Vec<BitId> = (letter..letter + memory).map(BitId::from_index).collect();
        let inputs = bits.len() as u32;
        bits.extend(alphabet.bits_of(Player::Environment));
        let outputs = bits.len() as u32;
        bits.extend(alphabet.bits_of(Player::System));
        let mut level = vec![0; bits.len()];
        for (position, bit) in bits.iter().enumerate() {
            level[bit.index()] = position as u32;
        }
        Self {
            nodes: Vec::new(),
            unique: FxHashMap::default(),
            products: FxHashMap::default(),
            selections: FxHashMap::default(),
            level,
            bits,
            inputs,
            outputs,
            steps: 0,
            effort,
            begun: 0,
            budget,
        }
    }

    /// Starts to count the work of another position.
    pub(super) fn begin(&mut self) {
        self.begun = self.budget.work();
    }

    /// Counts `work`.
    ///
    /// # Errors
    /// Those of the effort and of the budget.
    pub(super) fn tick(&mut self, work: u64) -> Result<(), Limit> {
        self.budget.tick(work, || "the positions of the explicit game".into())?;
        if self.budget.work() - self.begun > self.effort.least_work {
            return Err(Limit::new(LimitKind::Size, "an explicit game with a position that is too large"));
        }
        if self.nodes.len() > self.effort.max_nodes {
            return Err(Limit::new(LimitKind::Memory, "the decision diagrams of the explicit game"));
        }
        Ok(())
    }

    /// Counts a step of an operation.
    fn step(&mut self) -> Result<(), Limit> {
        self.steps += 1;
        if self.steps == STEPS_PER_WORK {
            self.steps = 0;
            self.tick(1)?;
        }
        Ok(())
    }

    fn node(&mut self, node: LetterNode) -> LetterDiagram {
        if node.level != END && node.low == node.high {
            return LetterDiagram(node.low);
        }
        steps::count(1);
        let nodes = &mut self.nodes;
        *self.unique.entry(node).or_insert_with(|| {
            nodes.push(node);
            LetterDiagram(nodes.len() as u32 - 1)
        })
    }

    /// The end with a number.
    pub(super) fn end(&mut self, number: u32) -> LetterDiagram {
        self.node(LetterNode { level: END, low: number, high: 0 })
    }

    /// The number of an end.
    pub(super) fn number(&self, diagram: LetterDiagram) -> Option<u32> {
        let node = self.nodes[diagram.0 as usize];
        (node.level == END).then_some(node.low)
    }

    /// Whether only outputs are left to decide on.
    pub(super) fn is_of_outputs(&self, diagram: LetterDiagram) -> bool {
        self.nodes[diagram.0 as usize].level >= self.outputs
    }

    /// The top bit and the two cofactors (false, true); `None` at an end.
    pub(super) fn branch(&self, diagram: LetterDiagram) -> Option<(BitId, LetterDiagram, LetterDiagram)> {
        let node = self.nodes[diagram.0 as usize];
        (node.level != END)
            .then(|| (self.bits[node.level as usize], LetterDiagram(node.low), LetterDiagram(node.high)))
    }

    /// The cofactor for these values of the bits of memory.
    pub(super) fn remembering(&self, mut diagram: LetterDiagram, memory: &Letter) -> LetterDiagram {
        loop {
            let node = self.nodes[diagram.0 as usize];
            if node.level >= self.inputs {
                return diagram;
            }
            let bit = self.bits[node.level as usize];
            diagram = LetterDiagram(if memory.contains(bit) { node.high } else { node.low });
        }
    }

    /// One diagram on the letters of a guard and another on all others.
    pub(super) fn choice(
        &mut self,
        guards: &Guards,
        guard: Guard,
        (then, otherwise): (LetterDiagram, LetterDiagram),
    ) -> Result<LetterDiagram, Limit> {
        self.chosen(guards, guard, (then, otherwise), &mut FxHashMap::default())
    }

    /// As `choice`. Recursion is as deep as there are bits.
    fn chosen(
        &mut self,
        guards: &Guards,
        guard: Guard,
        (then, otherwise): (LetterDiagram, LetterDiagram),
        memo: &mut FxHashMap<Guard, LetterDiagram>,
    ) -> Result<LetterDiagram, Limit> {
        let Some((bit, low, high)) = guards.branch(guard) else {
            return Ok(if guard == Guard::TRUE { then } else { otherwise });
        };
        if let Some(&done) = memo.get(&guard) {
            return Ok(done);
        }
        let low = self.chosen(guards, low, (then, otherwise), memo)?;
        let high = self.chosen(guards, high, (then, otherwise), memo)?;
        let made = self.select(self.level[bit.index()], low, high)?;
        memo.insert(guard, made);
        Ok(made)
    }

    /// `level ? high : low`, for a level anywhere in the order. Recursion is as deep as there are bits.
    fn select(
        &mut self,
        level: u32,
        low: LetterDiagram,
        high: LetterDiagram,
    ) -> Result<LetterDiagram, Limit> {
        let (a, b) = (self.nodes[low.0 as usize], self.nodes[high.0 as usize]);
        let top = a.level.min(b.level);
        if low == high || level < top {
            return Ok(self.node(LetterNode { level, low: low.0, high: high.0 }));
        }
        if level == top {
            let low = if a.level == top { LetterDiagram(a.low) } else { low };
            let high = if b.level == top { LetterDiagram(b.high) } else { high };
            return Ok(self.node(LetterNode { level, low: low.0, high: high.0 }));
        }
        if let Some(&done) = self.selections.get(&(level, low, high)) {
            return Ok(done);
        }
        self.step()?;
        let halves = |node: LetterNode, whole: LetterDiagram| {
            if node.level == top {
                (LetterDiagram(node.low), LetterDiagram(node.high))
            } else {
                (whole, whole)
            }
        };
        let ((a0, a1), (b0, b1)) = (halves(a, low), halves(b, high));
        let (l, h) = (self.select(level, a0, b0)?, self.select(level, a1, b1)?);
        let made = self.node(LetterNode { level: top, low: l.0, high: h.0 });
        self.selections.insert((level, low, high), made);
        Ok(made)
    }

    /// The product of two diagrams. `pair` maps a pair of ends to an end; called with an end of the first diagram only,
    /// it returns the end if that does not depend on the second. The end [`NOTHING`] of the second diagram leaves the
    /// first as it is. Results are cached, so `pair` must be a function of its arguments. Recursion is as deep as there
    /// are bits.
    pub(super) fn product(
        &mut self,
        a: LetterDiagram,
        b: LetterDiagram,
        pair: &mut dyn FnMut(u32, Option<u32>) -> Option<u32>,
    ) -> Result<LetterDiagram, Limit> {
        let (x, y) = (self.nodes[a.0 as usize], self.nodes[b.0 as usize]);
        if y.level == END && y.low == NOTHING {
            return Ok(a);
        }
        if let Some(&done) = self.products.get(&(a, b)) {
            return Ok(done);
        }
        self.step()?;
        let ends = (x.level == END).then(|| pair(x.low, (y.level == END).then_some(y.low)));
        let made = if let Some(Some(number)) = ends {
            self.end(number)
        } else {
            let top = x.level.min(y.level);
            let halves = |node: LetterNode, whole: LetterDiagram| {
                if node.level == top {
                    (LetterDiagram(node.low), LetterDiagram(node.high))
                } else {
                    (whole, whole)
                }
            };
            let ((a0, a1), (b0, b1)) = (halves(x, a), halves(y, b));
            let low = self.product(a0, b0, pair)?;
            let high = self.product(a1, b1, pair)?;
            self.step()?;
            self.node(LetterNode { level: top, low: low.0, high: high.0 })
        };
        self.products.insert((a, b), made);
        Ok(made)
    }

    /// The diagram with its ends replaced: `memo` contains all of them. Recursion is as deep as there are bits.
    pub(super) fn map(
        &mut self,
        diagram: LetterDiagram,
        memo: &mut FxHashMap<LetterDiagram, LetterDiagram>,
    ) -> Result<LetterDiagram, Limit> {
        if let Some(&done) = memo.get(&diagram) {
            return Ok(done);
        }
        let node = self.nodes[diagram.0 as usize];
        debug_assert_ne!(node.level, END, "all ends are known");
        let low = self.map(LetterDiagram(node.low), memo)?;
        let high = self.map(LetterDiagram(node.high), memo)?;
        self.step()?;
        let made = self.node(LetterNode { level: node.level, low: low.0, high: high.0 });
        memo.insert(diagram, made);
        Ok(made)
    }

    /// The first diagrams below this one of which `stop` holds, in order, each once.
    pub(super) fn below(
        &mut self,
        diagram: LetterDiagram,
        stop: fn(&Self, LetterDiagram) -> bool,
    ) -> Result<Vec<LetterDiagram>, Limit> {
        let mut seen = rustc_hash::FxHashSet::default();
        let (mut found, mut stack) = (Vec::new(), vec![diagram]);
        while let Some(d) = stack.pop() {
            if !seen.insert(d) {
                continue;
            }
            if stop(self, d) {
                found.push(d);
                continue;
            }
            let node = self.nodes[d.0 as usize];
            stack.extend([LetterDiagram(node.high), LetterDiagram(node.low)]);
        }
        self.tick(seen.len() as u64 / STEPS_PER_WORK)?;
        Ok(found)
    }

    /// The letters that lead from a diagram to a true end; `end` returns whether a diagram is an end and of which kind;
    /// any other diagram without bits is a false end. Recursion is as deep as there are bits.
    pub(super) fn letters(
        &self,
        from: LetterDiagram,
        end: &dyn Fn(LetterDiagram) -> Option<bool>,
        guards: &mut Guards,
        memo: &mut FxHashMap<LetterDiagram, Guard>,
    ) -> Guard {
        if let Some(end) = end(from) {
            return if end { Guard::TRUE } else { Guard::FALSE };
        }
        let Some((bit, low, high)) = self.branch(from) else { return Guard::FALSE };
        if let Some(&done) = memo.get(&from) {
            return done;
        }
        let low = self.letters(low, end, guards, memo);
        let high = self.letters(high, end, guards, memo);
        let bit = guards.bit(bit);
        let made = guards.ite(bit, high, low);
        memo.insert(from, made);
        made
    }
}
