//! Parse trees over one row of words: where two of them differ, and one as text with parentheses.

use tsl_synth_ltl::operators::BinaryOp;
use tsl_synth_ltl::shunting_yard::OperatorNode;

/// A tree over a row, with the range of tokens that each node covers.
pub(super) struct RowReading<'n> {
    nodes: &'n [OperatorNode],
    /// The first and the last token of each node.
    pub(super) ranges: Vec<(u32, u32)>,
}

impl<'n> RowReading<'n> {
    pub(super) fn new(nodes: &'n [OperatorNode]) -> Self {
        let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(nodes.len());
        for node in nodes {
            ranges.push(match *node {
                OperatorNode::Operand(place) => (place, place),
                OperatorNode::Prefix(place, inner) => (place, ranges[inner as usize].1),
                OperatorNode::Infix(_, left, right) => (ranges[left as usize].0, ranges[right as usize].1),
            });
        }
        Self { nodes, ranges }
    }
    fn root(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }
    /// The operands of the chain of one associative operator at `node`, from left to right. `regrouped` is the operator at
    /// a place, if regrouping a chain of it changes nothing.
    fn chain(&self, regrouped: &dyn Fn(u32) -> Option<BinaryOp>, node: u32) -> Vec<u32> {
        let operator = |n: u32| match self.nodes[n as usize] {
            OperatorNode::Infix(place, ..) => regrouped(place),
            _ => None,
        };
        let chained = operator(node);
        let (mut todo, mut chain) = (vec![node], Vec::new());
        while let Some(n) = todo.pop() {
            match self.nodes[n as usize] {
                OperatorNode::Infix(_, left, right) if chained.is_some() && operator(n) == chained => {
                    todo.push(right);
                    todo.push(left);
                }
                _ => chain.push(n),
            }
        }
        chain
    }
    /// The topmost node that covers exactly these tokens.
    pub(super) fn covering(&self, range: (u32, u32)) -> Option<u32> {
        // Children come first, so the last one is the topmost.
        self.ranges.iter().rposition(|r| *r == range).map(|i| i as u32)
    }
}

/// The smallest ranges of tokens that two parse trees of one text divide in different ways.
pub(super) fn differences(
    regrouped: &dyn Fn(u32) -> Option<BinaryOp>,
    ours: &RowReading<'_>,
    theirs: &RowReading<'_>,
) -> Vec<(u32, u32)> {
    let mut todo = vec![(ours.root(), theirs.root())];
    let mut places = Vec::new();
    while let Some((a, b)) = todo.pop() {
        let (chain_a, chain_b) = (ours.chain(regrouped, a), theirs.chain(regrouped, b));
        let ranges = |reading: &RowReading<'_>, chain: &[u32]| -> Vec<(u32, u32)> {
            chain.iter().map(|n| reading.ranges[*n as usize]).collect()
        };
        if ranges(ours, &chain_a) != ranges(theirs, &chain_b) {
            places.push(ours.ranges[a as usize]);
            continue;
        }
        if chain_a.len() > 1 {
            todo.extend(chain_a.into_iter().zip(chain_b));
            continue;
        }
        match (ours.nodes[a as usize], theirs.nodes[b as usize]) {
            (OperatorNode::Operand(_), OperatorNode::Operand(_)) => {}
            (OperatorNode::Prefix(p, x), OperatorNode::Prefix(q, y)) if p == q => todo.push((x, y)),
            (OperatorNode::Infix(p, x, v), OperatorNode::Infix(q, y, w)) if p == q => {
                todo.push((x, y));
                todo.push((v, w));
            }
            _ => places.push(ours.ranges[a as usize]),
        }
    }
    places
}

/// The longest text shown for one operand, and for a whole reading.
const LONG: (usize, usize) = (40, 240);

/// A node as text, with parentheses around each inner operator that could be misread. `word` is the text at a place, and
/// whether no blank follows it.
pub(super) fn show(reading: &RowReading<'_>, root: u32, word: &dyn Fn(u32) -> (String, bool)) -> String {
    let (low, high) = reading.ranges[root as usize];
    let mut opens = vec![0usize; (high - low + 1) as usize];
    let mut closes = opens.clone();
    let mut todo = vec![root];
    while let Some(n) = todo.pop() {
        let children: &[u32] = match reading.nodes[n as usize] {
            OperatorNode::Operand(_) => &[],
            OperatorNode::Prefix(_, x) => &[x],
            OperatorNode::Infix(_, x, y) => &[x, y],
        };
        let above_infix = children.len() == 2;
        for &child in children {
            let group = match reading.nodes[child as usize] {
                OperatorNode::Operand(_) => false,
                OperatorNode::Infix(..) => true,
                OperatorNode::Prefix(_, inner) => {
                    above_infix && !matches!(reading.nodes[inner as usize], OperatorNode::Operand(_))
                }
            };
            if group {
                let (first, last) = reading.ranges[child as usize];
                opens[(first - low) as usize] += 1;
                closes[(last - low) as usize] += 1;
            }
            todo.push(child);
        }
    }
    let mut text = String::new();
    for place in low..=high {
        let index = (place - low) as usize;
        text.push_str(&"(".repeat(opens[index]));
        let (words, tight) = word(place);
        if words.chars().count() > LONG.0 {
            text.extend(words.chars().take(LONG.0 - 1));
            text.push('…');
        } else {
            text.push_str(&words);
        }
        text.push_str(&")".repeat(closes[index]));
        if place < high && !tight {
            text.push(' ');
        }
        if text.chars().count() > LONG.1 {
            text.push('…');
            break;
        }
    }
    text
}
