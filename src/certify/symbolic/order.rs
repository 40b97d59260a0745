//! The variable order of a circuit: inputs and latches that occur together in an output or in the next value of a
//! latch stand together, by the heuristic FORCE (Aloul, Markov and Sakallah, GLSVLSI 2003), begun with the order of
//! the outputs' supports. O(rounds · sizes of the supports).

use super::structure::{Leaf, Structure};

/// Rounds of the search for a better order.
const ROUNDS: usize = 30;

/// All inputs and latches, each once, in order.
pub(super) fn variable_order(structure: &Structure, inputs: usize) -> Vec<Leaf> {
    let number = |leaf: &Leaf| match *leaf {
        Leaf::Input(i) => i,
        Leaf::Latch(i) => inputs + i,
    };
    let group = |leaves: &Vec<Leaf>| leaves.iter().map(number).collect::<Vec<usize>>();
    let mut groups: Vec<Vec<usize>> = structure.outputs.iter().map(group).collect();
    groups.extend(structure.latches.iter().enumerate().map(|(i, leaves)| {
        let mut group = group(leaves);
        group.insert(0, inputs + i);
        group
    }));
    let leaf = |v: usize| if v < inputs { Leaf::Input(v) } else { Leaf::Latch(v - inputs) };
    force(inputs + structure.latches.len(), &groups).into_iter().map(leaf).collect()
}

/// Begins with the order of the groups; then each variable moves to the mean of the centers of its groups. The
/// sequence with the least sum of spans is kept.
fn force(count: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut sequence: Vec<usize> = Vec::new();
    let mut seen = vec![false; count];
    for v in groups.iter().flatten().copied().chain(0..count) {
        if !std::mem::replace(&mut seen[v], true) {
            sequence.push(v);
        }
    }
    let (mut best, mut least) = (sequence.clone(), span(&sequence, groups));
    for _ in 0..ROUNDS {
        let place = places(&sequence);
        let (mut sum, mut members) = (vec![0.0; count], vec![0usize; count]);
        for group in groups {
            let center = group.iter().map(|&v| place[v] as f64).sum::<f64>() / group.len().max(1) as f64;
            for &v in group {
                sum[v] += center;
                members[v] += 1;
            }
        }
        let goal = |v: usize| if members[v] == 0 { place[v] as f64 } else { sum[v] / members[v] as f64 };
        sequence.sort_by(|&a, &b| goal(a).total_cmp(&goal(b)).then(place[a].cmp(&place[b])));
        let now = span(&sequence, groups);
        if now < least {
            (best, least) = (sequence.clone(), now);
        }
    }
    best
}

fn places(sequence: &[usize]) -> Vec<usize> {
    let mut place = vec![0; sequence.len()];
    for (i, &v) in sequence.iter().enumerate() {
        place[v] = i;
    }
    place
}

/// The sum over the groups of the distance between their first and last variable.
fn span(sequence: &[usize], groups: &[Vec<usize>]) -> usize {
    let place = places(sequence);
    let one = |group: &Vec<usize>| {
        let ends = group.iter().map(|&v| place[v]);
        ends.clone().max().unwrap_or(0) - ends.min().unwrap_or(0)
    };
    groups.iter().map(one).sum()
}
