//! Which edges are drawn from right to left, and the column of each node.

use super::LayoutGraph;
use std::collections::VecDeque;

/// The numbering of nodes that breaks cycles: edges to smaller numbers are reversed.
#[derive(Clone, Copy, Debug)]
pub(super) enum NodeNumbering {
    /// Reverse postorder of a depth-first search: few edges are reversed, and long chains are not split.
    Depth,
    /// The order of a breadth-first search.
    Breadth,
}

/// The columns of the nodes, all even, and whether each edge is reversed, so that every edge leads to the right.
#[derive(Clone, Debug)]
pub(super) struct RankedGraph {
    pub(super) ranks: Vec<usize>,
    pub(super) reversed: Vec<bool>,
}

/// The most rounds of `shorten`.
const ROUNDS: usize = 24;

/// Breaks cycles and ranks nodes. O(rounds · (nodes + edges)).
pub(super) fn ranks(graph: &LayoutGraph, search: NodeNumbering) -> RankedGraph {
    let number = numbers(graph, search);
    let reversed: Vec<bool> = graph.edges.iter().map(|&(from, to, _)| number[from] > number[to]).collect();
    let count = graph.nodes.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut before = next.clone();
    for (&(from, to, _), &reversed) in graph.edges.iter().zip(&reversed) {
        if from != to {
            let (left, right) = if reversed { (to, from) } else { (from, to) };
            next[left].push(right);
            before[right].push(left);
        }
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&node| number[node]);
    let mut ranks = vec![0_usize; count];
    for &node in &order {
        ranks[node] = before[node].iter().map(|&left| ranks[left] + 1).max().unwrap_or(0);
    }
    shorten(&order, &next, &before, &mut ranks);
    let least = ranks.iter().copied().min().unwrap_or(0);
    for rank in &mut ranks {
        *rank = 2 * (*rank - least);
    }
    RankedGraph { ranks, reversed }
}

/// Shortens edges: moves each node, within the columns that its neighbors leave, to the side on which it has more
/// edges.
fn shorten(order: &[usize], next: &[Vec<usize>], before: &[Vec<usize>], ranks: &mut [usize]) {
    for round in 0..ROUNDS {
        let mut moved = false;
        let mut visit = |node: usize| {
            let least = before[node].iter().map(|&left| ranks[left] + 1).max();
            let most = next[node].iter().map(|&right| ranks[right] - 1).min();
            let to = match (least, most) {
                (Some(least), Some(most)) if next[node].len() > before[node].len() => most.max(least),
                (Some(least), _) => least,
                (None, Some(most)) if node != 0 => most,
                _ => ranks[node],
            };
            moved |= ranks[node] != to;
            ranks[node] = to;
        };
        if round % 2 == 0 {
            for &node in order.iter().rev() {
                visit(node);
            }
        } else {
            for &node in order {
                visit(node);
            }
        }
        if !moved {
            break;
        }
    }
}

/// A number for each node, the first node's being the smallest.
fn numbers(graph: &LayoutGraph, search: NodeNumbering) -> Vec<usize> {
    let count = graph.nodes.len();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to, _) in &graph.edges {
        if from != to {
            out[from].push(to);
        }
    }
    let mut number = vec![usize::MAX; count];
    match search {
        NodeNumbering::Breadth => {
            let mut given = 0;
            for root in 0..count {
                let mut queue = VecDeque::from([root]);
                while let Some(node) = queue.pop_front() {
                    if number[node] == usize::MAX {
                        number[node] = given;
                        given += 1;
                        queue.extend(out[node].iter().copied());
                    }
                }
            }
        }
        NodeNumbering::Depth => {
            let mut seen = vec![false; count];
            // Each tree is numbered in reverse postorder, and trees in the order of their roots, so the first node has
            // number 0.
            let mut post = Vec::new();
            let mut trees: Vec<Vec<usize>> = Vec::new();
            for root in 0..count {
                let mut stack = vec![(root, 0)];
                if std::mem::replace(&mut seen[root], true) {
                    continue;
                }
                while let Some((node, i)) = stack.pop() {
                    match out[node].get(i) {
                        Some(&to) => {
                            stack.push((node, i + 1));
                            if !std::mem::replace(&mut seen[to], true) {
                                stack.push((to, 0));
                            }
                        }
                        None => post.push(node),
                    }
                }
                trees.push(std::mem::take(&mut post));
            }
            let all = trees.into_iter().flat_map(|tree| tree.into_iter().rev());
            for (i, node) in all.enumerate() {
                number[node] = i;
            }
        }
    }
    number
}
