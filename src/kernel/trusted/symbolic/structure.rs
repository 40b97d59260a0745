//! Dependencies in a circuit: the supports of its functions, the strongly connected components of its latches
//! (*blocks*), and cones of influence. A question about some outputs and inputs is one about their cone: the rest of
//! the circuit does not constrain the plays of the cone. Linear in the sum of the supports times the gates below them.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::steps;
use tsl_synth_core::model::{Circuit, Literal};

/// A leaf at which a support ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SupportLeaf {
    Input(usize),
    Latch(usize),
    /// Only if the search is set to end at outputs.
    Output(usize),
}

/// The supports and blocks of a circuit.
#[derive(Debug)]
pub(crate) struct Structure {
    /// The inputs and latches that each output depends on within one step.
    pub(crate) outputs: Vec<Vec<SupportLeaf>>,
    /// The same for the next value of each latch.
    pub(crate) latches: Vec<Vec<SupportLeaf>>,
    /// The supports of the next values of latches, ending at outputs.
    pub(crate) local: Vec<Vec<SupportLeaf>>,
    /// The gates at which such supports end: for each variable the output, and whether that is its negation.
    pub(crate) ends: FxHashMap<usize, (usize, bool)>,
    /// The strongly connected components of the latches; a block depends on itself and earlier blocks only.
    pub(crate) blocks: Vec<Vec<usize>>,
    /// The block of each latch.
    pub(crate) block_of: Vec<usize>,
}

/// Part of a circuit that depends on nothing else. All lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cone {
    pub(crate) outputs: Vec<usize>,
    pub(crate) inputs: Vec<usize>,
    pub(crate) latches: Vec<usize>,
    /// The outputs in terms of which the next values of the latches are expressed.
    pub(crate) answers: Vec<usize>,
}

impl Structure {
    /// The structure of a circuit, whose latches are expressed in terms of its answers if `cut`.
    pub(crate) fn new(circuit: &Circuit, cut: bool) -> Self {
        let mut supports = Supports::new(circuit);
        let outputs = circuit.outputs.iter().map(|&literal| supports.of(literal)).collect();
        let latches: Vec<Vec<SupportLeaf>> =
            circuit.latches.iter().map(|latch| supports.of(latch.next)).collect();
        let mut ends = FxHashMap::default();
        for (output, literal) in circuit.outputs.iter().enumerate() {
            if cut && literal.variable() > circuit.inputs + circuit.latches.len() {
                ends.entry(literal.variable()).or_insert((output, literal.is_negated()));
                supports.end_at(literal.variable(), output);
            }
        }
        let local = circuit.latches.iter().map(|latch| supports.ending(latch.next)).collect();
        let blocks = components(&latches);
        let mut block_of = vec![0; latches.len()];
        for (number, block) in blocks.iter().enumerate() {
            for &latch in block {
                block_of[latch] = number;
            }
        }
        Self { outputs, latches, local, ends, blocks, block_of }
    }

    /// The outputs in terms of which the next value of a latch is expressed.
    pub(crate) fn answers(&self, latch: usize) -> impl Iterator<Item = usize> {
        self.local[latch]
            .iter()
            .filter_map(|leaf| if let SupportLeaf::Output(o) = *leaf { Some(o) } else { None })
    }

    /// The cone of some outputs and inputs.
    pub(crate) fn cone(&self, outputs: &[usize], inputs: &[usize], input_count: usize) -> Cone {
        let mut read = vec![false; input_count];
        let mut held = vec![false; self.latches.len()];
        let mut stack: Vec<SupportLeaf> = inputs.iter().map(|&i| SupportLeaf::Input(i)).collect();
        stack.extend(outputs.iter().flat_map(|&output| &self.outputs[output]));
        while let Some(leaf) = stack.pop() {
            match leaf {
                SupportLeaf::Input(i) => read[i] = true,
                SupportLeaf::Output(_) => {}
                SupportLeaf::Latch(i) => {
                    if !std::mem::replace(&mut held[i], true) {
                        stack.extend(&self.latches[i]);
                    }
                }
            }
        }
        let members = |of: Vec<bool>| of.into_iter().enumerate().filter(|m| m.1).map(|m| m.0).collect();
        let mut outputs = outputs.to_vec();
        outputs.sort_unstable();
        outputs.dedup();
        let latches: Vec<usize> = members(held);
        let mut answers: Vec<usize> = latches.iter().flat_map(|&i| self.answers(i)).collect();
        answers.sort_unstable();
        answers.dedup();
        Cone { outputs, inputs: members(read), latches, answers }
    }
}

/// Computes supports, one after the other.
pub(crate) struct Supports<'a> {
    circuit: &'a Circuit,
    /// The number of the last search that visited each variable.
    seen: Vec<usize>,
    search: usize,
    /// The outputs at whose gates a search ends, except at its own.
    ends: FxHashMap<usize, usize>,
}

impl<'a> Supports<'a> {
    pub(crate) fn new(circuit: &'a Circuit) -> Self {
        Self { circuit, seen: vec![0; circuit.variables()], search: 0, ends: FxHashMap::default() }
    }

    /// Makes searches end at the gate of this variable, which is that of an output.
    pub(crate) fn end_at(&mut self, variable: usize, output: usize) {
        self.ends.entry(variable).or_insert(output);
    }

    /// The support of a literal, which may itself be an output at which searches end.
    fn ending(&mut self, literal: Literal) -> Vec<SupportLeaf> {
        match self.ends.get(&literal.variable()) {
            Some(&output) => vec![SupportLeaf::Output(output)],
            None => self.of(literal),
        }
    }

    /// The support of a literal.
    pub(crate) fn of(&mut self, literal: Literal) -> Vec<SupportLeaf> {
        let first_latch = 1 + self.circuit.inputs;
        let first_gate = first_latch + self.circuit.latches.len();
        self.search += 1;
        let (mut leaves, mut stack) = (Vec::new(), vec![literal.variable()]);
        while let Some(variable) = stack.pop() {
            steps::count(1);
            if std::mem::replace(&mut self.seen[variable], self.search) == self.search || variable == 0 {
                continue;
            }
            if variable < first_latch {
                leaves.push(SupportLeaf::Input(variable - 1));
            } else if variable < first_gate {
                leaves.push(SupportLeaf::Latch(variable - first_latch));
            } else if let Some(&output) = self.ends.get(&variable)
                && variable != literal.variable()
            {
                leaves.push(SupportLeaf::Output(output));
            } else {
                let (a, b) = self.circuit.gates[variable - first_gate];
                stack.extend([a.variable(), b.variable()]);
            }
        }
        leaves
    }
}

/// The strongly connected components of the graph from each latch to those it depends on, each after all that it
/// reaches: Tarjan, "Depth-first search and linear graph algorithms" (SIAM J. Computing 1972), iterative.
fn components(supports: &[Vec<SupportLeaf>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    const DONE: usize = usize::MAX - 1;
    let mut low = vec![UNSEEN; supports.len()];
    let (mut components, mut live, mut seen) = (Vec::new(), Vec::new(), 0);
    for root in 0..supports.len() {
        if low[root] != UNSEEN {
            continue;
        }
        // The latch, its number in the search, and how many of its edges were followed.
        let mut frames: Vec<(usize, usize, usize)> = Vec::new();
        let mut step = Some(root);
        loop {
            if let Some(latch) = step.take() {
                low[latch] = seen;
                frames.push((latch, seen, 0));
                live.push(latch);
                seen += 1;
            }
            let Some((latch, number, cursor)) = frames.last_mut() else { break };
            let (latch, number) = (*latch, *number);
            if let Some(leaf) = supports[latch].get(*cursor) {
                *cursor += 1;
                match *leaf {
                    SupportLeaf::Latch(next) if low[next] == UNSEEN => step = Some(next),
                    SupportLeaf::Latch(next) if low[next] != DONE => low[latch] = low[latch].min(low[next]),
                    SupportLeaf::Latch(_) | SupportLeaf::Input(_) | SupportLeaf::Output(_) => {}
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, ..)) = frames.last() {
                low[parent] = low[parent].min(low[latch]);
            }
            if low[latch] == number {
                let first = live.iter().rposition(|&l| l == latch).expect("a root is live");
                let mut component: Vec<usize> = live.drain(first..).collect();
                component.sort_unstable();
                for &member in &component {
                    low[member] = DONE;
                }
                components.push(component);
            }
        }
    }
    components
}
