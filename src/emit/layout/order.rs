//! The order within columns: sweeps by the barycenters of neighbors, and exchanges of neighbors in a column, as long as
//! fewer edges cross (Gansner, Koutsofios, North and Vo 1993, section 3).

use super::Columns;

const ROUNDS: usize = 24;
/// Rounds without progress before the search ends.
const IDLE_ROUNDS: usize = 8;

/// The neighbors of each item in one direction.
type Neighbors = Vec<Vec<usize>>;

/// Orders the items of all columns and returns the number of pairs of edges that cross.
pub(super) fn order(columns: &mut Columns) -> usize {
    let mut left: Neighbors = vec![Vec::new(); columns.items.len()];
    let mut right = left.clone();
    for link in &columns.links {
        right[link.left].push(link.right);
        left[link.right].push(link.left);
    }
    let mut place = vec![0; columns.items.len()];
    for column in &columns.ranks {
        note(column, &mut place);
    }
    let mut best = (crossings(&columns.ranks, &right, &place), columns.ranks.clone());
    let mut idle = 0;
    for round in 0..ROUNDS {
        let to_right = round % 2 == 0;
        let count = columns.ranks.len();
        for i in 1..count {
            let (rank, neighbors) = if to_right { (i, &left) } else { (count - 1 - i, &right) };
            sort(&mut columns.ranks[rank], neighbors, &mut place, round % 4 >= 2);
        }
        exchange(&mut columns.ranks, [&left, &right], &mut place);
        let found = crossings(&columns.ranks, &right, &place);
        if found < best.0 {
            best = (found, columns.ranks.clone());
            idle = 0;
        } else {
            idle += 1;
        }
        if best.0 == 0 || idle >= IDLE_ROUNDS {
            break;
        }
    }
    columns.ranks = best.1;
    best.0
}

fn note(column: &[usize], place: &mut [usize]) {
    for (i, &item) in column.iter().enumerate() {
        place[item] = i;
    }
}

/// Sorts a column by the barycenters of neighbors; items without neighbors stay where they are. With `turn`, items
/// with equal barycenters are reversed.
fn sort(column: &mut [usize], neighbors: &Neighbors, place: &mut [usize], turn: bool) {
    let mean = |item: usize| {
        let near = &neighbors[item];
        let sum: usize = near.iter().map(|&other| place[other]).sum();
        (!near.is_empty()).then(|| sum as f64 / near.len() as f64)
    };
    let mut movable: Vec<(f64, usize)> =
        column.iter().filter_map(|&item| Some((mean(item)?, item))).collect();
    if turn {
        movable.reverse();
    }
    movable.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut sorted = movable.into_iter();
    for slot in column.iter_mut() {
        if !neighbors[*slot].is_empty() {
            *slot = sorted.next().map_or(*slot, |(_, item)| item);
        }
    }
    note(column, place);
}

/// Exchanges neighbors in columns as long as that removes crossings.
fn exchange(columns: &mut [Vec<usize>], sides: [&Neighbors; 2], place: &mut [usize]) {
    for _ in 0..IDLE_ROUNDS {
        let mut better = false;
        for column in columns.iter_mut() {
            for i in 1..column.len() {
                let (upper, lower) = (column[i - 1], column[i]);
                let (mut now, mut then) = (0, 0);
                for side in sides {
                    now += pair(&side[upper], &side[lower], place);
                    then += pair(&side[lower], &side[upper], place);
                }
                if then < now {
                    column.swap(i - 1, i);
                    place[upper] = i;
                    place[lower] = i - 1;
                    better = true;
                }
            }
        }
        if !better {
            break;
        }
    }
}

/// Crossings of the edges of two items on one side, the first above the second.
fn pair(upper: &[usize], lower: &[usize], place: &[usize]) -> usize {
    let above = |a: usize| lower.iter().filter(|&&b| place[b] < place[a]).count();
    upper.iter().map(|&a| above(a)).sum()
}

/// The number of pairs of edges that cross, by an accumulator tree (Barth, Jünger and Mutzel 2002), here a Fenwick
/// tree. O(edges · log nodes).
fn crossings(columns: &[Vec<usize>], right: &Neighbors, place: &[usize]) -> usize {
    let mut crossings = 0;
    for pair in columns.windows(2) {
        let mut ends: Vec<usize> = Vec::new();
        for &item in &pair[0] {
            let from = ends.len();
            ends.extend(right[item].iter().map(|&other| place[other]));
            ends[from..].sort_unstable();
        }
        let mut counts = vec![0_usize; pair[1].len() + 1];
        for (seen, &end) in ends.iter().enumerate() {
            let (mut at_most, mut i) = (0, end + 1);
            while i > 0 {
                at_most += counts[i];
                i &= i - 1;
            }
            crossings += seen - at_most;
            let mut i = end + 1;
            while i < counts.len() {
                counts[i] += 1;
                i += i & i.wrapping_neg();
            }
        }
    }
    crossings
}
