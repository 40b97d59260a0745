//! The rows of items and the sides of columns.
//!
//! In turn each column takes the rows that are nearest to the neighbors of its items, in the sense of weighted least
//! squares, without a change of order or an overlap: an isotonic regression, which pooling adjacent violators solves
//! exactly (Barlow, Bartholomew, Bremner and Brunk 1972). Edges that can be straight are then made so.

use super::{Columns, LayoutItemKind};

const ROUNDS: usize = 30;
/// The vertical gap between items of a column, in pixels.
const GAP: i32 = 8;
/// Rows that are less than this apart, in pixels, are merged if that makes an edge straight.
const CLOSE: f64 = 24.0;
/// The least and the greatest gap between columns, in pixels.
const NEAR: i32 = 26;
const FAR: i32 = 110;

/// The coordinates of all items and columns, in pixels.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// The row of each item.
    pub(super) rows: Vec<i32>,
    /// The left and right side of each column.
    pub(super) columns: Vec<(i32, i32)>,
    /// The extent of all rows.
    pub(super) height: i32,
}

/// A neighbor of an item: the best offset of the item's row from the neighbor's row, and the weight of that in the
/// least squares.
struct Neighbor {
    other: usize,
    offset: f64,
    weight: f64,
}

/// Chooses rows and columns.
pub(super) fn place(columns: &Columns) -> Placed {
    let near = neighbors(columns);
    let mut rows = vec![0.0; columns.items.len()];
    for column in &columns.ranks {
        let mut row = 0.0;
        for (i, &item) in column.iter().enumerate() {
            if i > 0 {
                row += apart(columns, column[i - 1], item);
            }
            rows[item] = row;
        }
    }
    let count = columns.ranks.len();
    for round in 0..ROUNDS {
        // In the last rounds the neighbors on both sides count.
        let both = round + 6 >= ROUNDS;
        for i in 0..count {
            let rank = if round % 2 == 0 { i } else { count - 1 - i };
            let side = |other: usize| {
                let is_left = columns.items[other].rank < rank;
                both || is_left == (round % 2 == 0)
            };
            settle(columns, &columns.ranks[rank], &near, &side, &mut rows);
        }
    }
    for _ in 0..4 {
        straighten(columns, &near, &mut rows);
        align(columns, &near, &mut rows);
    }
    finish(columns, &rows)
}

/// The neighbors of all items; pieces between bends weigh most, since long edges should be straight.
fn neighbors(columns: &Columns) -> Vec<Vec<Neighbor>> {
    let mut near: Vec<Vec<Neighbor>> = columns.items.iter().map(|_| Vec::new()).collect();
    let is_node = |item: usize| matches!(columns.items[item].what, LayoutItemKind::Node(_));
    for link in &columns.links {
        let weight = match (is_node(link.left), is_node(link.right)) {
            (true, true) => 1.0,
            (false, false) => 8.0,
            _ => 2.0,
        };
        let offset = f64::from(link.from - link.to);
        near[link.left].push(Neighbor { other: link.right, offset: -offset, weight });
        near[link.right].push(Neighbor { other: link.left, offset, weight });
    }
    near
}

/// The least distance of the rows of two adjacent items of a column.
fn apart(columns: &Columns, upper: usize, lower: usize) -> f64 {
    f64::from(columns.items[upper].below + GAP + columns.items[lower].above)
}

/// A block of the isotonic regression: consecutive items at least distances. `sum / weight` is the best row of the
/// column's first item according to these items.
struct RowBlock {
    first: usize,
    sum: f64,
    weight: f64,
}

/// Moves the items of a column to the best rows for their neighbors on the chosen side.
fn settle(
    columns: &Columns,
    column: &[usize],
    near: &[Vec<Neighbor>],
    side: &dyn Fn(usize) -> bool,
    rows: &mut [f64],
) {
    let mut shift = vec![0.0; column.len()];
    for i in 1..column.len() {
        shift[i] = shift[i - 1] + apart(columns, column[i - 1], column[i]);
    }
    let mut blocks: Vec<RowBlock> = Vec::new();
    for (i, &item) in column.iter().enumerate() {
        let wanted = near[item].iter().filter(|near| side(near.other));
        let (mut sum, mut weight) = (0.0, 0.0);
        for near in wanted {
            sum += near.weight * (rows[near.other] + near.offset);
            weight += near.weight;
        }
        if weight == 0.0 {
            (sum, weight) = (rows[item] * 0.1, 0.1);
        }
        let mut block = RowBlock { first: i, sum: sum - weight * shift[i], weight };
        while let Some(last) = blocks.last() {
            if last.sum / last.weight <= block.sum / block.weight {
                break;
            }
            block =
                RowBlock { first: last.first, sum: last.sum + block.sum, weight: last.weight + block.weight };
            blocks.pop();
        }
        blocks.push(block);
    }
    for (b, block) in blocks.iter().enumerate() {
        let end = blocks.get(b + 1).map_or(column.len(), |next| next.first);
        for i in block.first..end {
            rows[column[i]] = block.sum / block.weight + shift[i];
        }
    }
}

/// Moves all inner items of an edge to one row if the items around them leave room for that.
fn straighten(columns: &Columns, near: &[Vec<Neighbor>], rows: &mut [f64]) {
    let mut place = vec![0; columns.items.len()];
    for column in &columns.ranks {
        for (i, &item) in column.iter().enumerate() {
            place[item] = i;
        }
    }
    for (edge, chain) in columns.chains.iter().enumerate() {
        if chain.len() < 3 {
            continue;
        }
        let inner = &chain[1..chain.len() - 1];
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for &item in inner {
            let column = &columns.ranks[columns.items[item].rank];
            let here = place[item];
            if here > 0 {
                let upper = column[here - 1];
                least = least.max(rows[upper] + apart(columns, upper, item));
            }
            if let Some(&lower) = column.get(here + 1) {
                most = most.min(rows[lower] - apart(columns, item, lower));
            }
        }
        if least > most {
            continue;
        }
        // The row of one of the ends is preferred, if there is room, since it saves a bend.
        let first = columns.first_link[edge];
        let last = first + chain.len() - 2;
        let ends = [(chain[0], columns.links[first].from), (chain[chain.len() - 1], columns.links[last].to)];
        // A node with only one edge is ignored here: `align` moves it to the row of that edge.
        let ends = ends.into_iter().filter(|&(item, _)| near[item].len() > 1);
        let ends: Vec<f64> = ends.map(|(item, port)| rows[item] + f64::from(port)).collect();
        let mean = inner.iter().map(|&item| rows[item]).sum::<f64>() / inner.len() as f64;
        let close = |end: &f64| (least..=most).contains(end) && (end - mean).abs() < CLOSE;
        let row = ends.into_iter().find(close).unwrap_or_else(|| mean.clamp(least, most));
        for &item in inner {
            rows[item] = row;
        }
    }
}

/// Moves each item with only one edge to the row of that edge if there is room, and each node with only one edge from
/// the left if that row is also close.
fn align(columns: &Columns, near: &[Vec<Neighbor>], rows: &mut [f64]) {
    for (rank, column) in columns.ranks.iter().enumerate() {
        for (i, &item) in column.iter().enumerate() {
            let mut left = near[item].iter().filter(|near| columns.items[near.other].rank < rank);
            let only = match (near[item].as_slice(), left.next(), left.next()) {
                ([only], ..) => only,
                (_, Some(only), None) if matches!(columns.items[item].what, LayoutItemKind::Node(_)) => only,
                _ => continue,
            };
            let row = rows[only.other] + only.offset;
            let above = i.checked_sub(1).map(|i| rows[column[i]] + apart(columns, column[i], item));
            let below = column.get(i + 1).map(|&lower| rows[lower] - apart(columns, item, lower));
            let is_free = above.is_none_or(|least| least <= row) && below.is_none_or(|most| row <= most);
            if is_free && (near[item].len() == 1 || (row - rows[item]).abs() < CLOSE) {
                rows[item] = row;
            }
        }
    }
}

fn finish(columns: &Columns, rows: &[f64]) -> Placed {
    let edge = |of: &dyn Fn(usize) -> f64, pick: &dyn Fn(f64, f64) -> f64| {
        (0..rows.len()).map(of).reduce(pick).unwrap_or(0.0)
    };
    let top = edge(&|item| rows[item] - f64::from(columns.items[item].above), &f64::min);
    let bottom = edge(&|item| rows[item] + f64::from(columns.items[item].below), &f64::max);
    let rows: Vec<i32> = rows.iter().map(|row| (row - top).round() as i32).collect();
    // Steep edges need more room between columns.
    let mut steepest = vec![0; columns.ranks.len()];
    for link in &columns.links {
        let rank = columns.items[link.left].rank;
        let rise = (rows[link.left] + link.from - rows[link.right] - link.to).abs();
        steepest[rank] = steepest[rank].max(rise);
    }
    let mut sides = Vec::new();
    let mut x = 0;
    for (rank, column) in columns.ranks.iter().enumerate() {
        let width = column.iter().map(|&item| columns.items[item].width).max().unwrap_or(0);
        sides.push((x, x + width));
        x += width + (NEAR + steepest[rank] / 4).min(FAR);
    }
    Placed { rows, columns: sides, height: (bottom - top).round() as i32 }
}
