//! Operator precedence: turns a flat row of operands and operators into a tree, iteratively.
//!
//! This is Dijkstra's shunting yard algorithm. The row does not depend on the language, since its operators have their
//! levels with them: the same code serves TSL in all dialects and LTL. Linear in the row.

use crate::operators::{Level, Side};

/// A symbol of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSymbol {
    /// A complete expression.
    Operand,
    /// An operator before its operand.
    Prefix(Level),
    /// An operator between its operands.
    Infix(Level, Side),
}

/// A node of the tree; indices in the row and of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorNode {
    /// The operand at this index.
    Operand(u32),
    /// The prefix operator at this index, and its operand's node.
    Prefix(u32, u32),
    /// The infix operator at this index, and its operands' nodes.
    Infix(u32, u32, u32),
}

/// The tree of a well-formed row (operands and infix operators alternate, prefix operators stand before
/// operands), children before their parents; the last node is the root.
///
/// # Panics
/// If the row is not well-formed.
pub fn shunting_yard(row: impl Iterator<Item = RowSymbol>) -> Vec<OperatorNode> {
    let mut nodes: Vec<OperatorNode> = Vec::new();
    let mut done: Vec<u32> = Vec::new();
    let mut waiting: Vec<(u32, RowSymbol)> = Vec::new();
    let reduce = |nodes: &mut Vec<OperatorNode>, done: &mut Vec<u32>, place: u32, symbol: RowSymbol| {
        let right = done.pop().expect("an operand stands after every operator");
        nodes.push(match symbol {
            RowSymbol::Prefix(_) => OperatorNode::Prefix(place, right),
            _ => OperatorNode::Infix(
                place,
                done.pop().expect("an operand stands before an infix operator"),
                right,
            ),
        });
        done.push(nodes.len() as u32 - 1);
    };
    for (place, symbol) in row.enumerate() {
        let place = place as u32;
        match symbol {
            RowSymbol::Operand => {
                nodes.push(OperatorNode::Operand(place));
                done.push(nodes.len() as u32 - 1);
            }
            RowSymbol::Prefix(_) => waiting.push((place, symbol)),
            RowSymbol::Infix(level, side) => {
                while let Some(&(earlier, top)) = waiting.last() {
                    let first = match top {
                        RowSymbol::Prefix(l) => l > level || (l == level && side == Side::Left),
                        RowSymbol::Infix(l, s) => l > level || (l == level && s == Side::Left),
                        RowSymbol::Operand => unreachable!("only operators wait"),
                    };
                    if !first {
                        break;
                    }
                    waiting.pop();
                    reduce(&mut nodes, &mut done, earlier, top);
                }
                waiting.push((place, symbol));
            }
        }
    }
    while let Some((place, symbol)) = waiting.pop() {
        reduce(&mut nodes, &mut done, place, symbol);
    }
    nodes
}
