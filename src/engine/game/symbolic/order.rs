//! A static variable order: variables that occur together are placed close together.
//!
//! Aloul, Markov and Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic", GLSVLSI 2003:
//! each variable moves to the mean of the centers of gravity of its groups, here weighted. O(rounds · size of the
//! groups).

use crate::game::tuning::ORDER_ROUNDS;

/// Variables that occur together, and the weight of placing them close together.
pub(super) struct VariableGroup {
    pub(super) variables: Vec<usize>,
    pub(super) weight: f64,
}

/// The position of each of `variables` variables.
pub(super) fn force_order(variables: usize, groups: &[VariableGroup]) -> Vec<usize> {
    // Begin with the order in which the groups list the variables.
    let mut sequence: Vec<usize> = Vec::with_capacity(variables);
    let mut placed = vec![false; variables];
    for v in groups.iter().flat_map(|group| &group.variables).copied().chain(0..variables) {
        if !std::mem::replace(&mut placed[v], true) {
            sequence.push(v);
        }
    }
    let mut best = positions(&sequence);
    let mut cost = span(&best, groups);
    let mut position = best.clone();
    let mut member = vec![Vec::new(); variables];
    for (g, group) in groups.iter().enumerate() {
        for &v in &group.variables {
            member[v].push(g);
        }
    }
    for _ in 0..ORDER_ROUNDS {
        let centers: Vec<f64> = groups
            .iter()
            .map(|VariableGroup { variables, .. }| {
                variables.iter().map(|&v| position[v] as f64).sum::<f64>() / variables.len().max(1) as f64
            })
            .collect();
        let mean = |v: usize| match member[v].iter().map(|&g| groups[g].weight).sum::<f64>() {
            0.0 => position[v] as f64,
            weight => member[v].iter().map(|&g| centers[g] * groups[g].weight).sum::<f64>() / weight,
        };
        let means: Vec<f64> = (0..variables).map(mean).collect();
        sequence.sort_by(|&a, &b| means[a].total_cmp(&means[b]).then(position[a].cmp(&position[b])));
        position = positions(&sequence);
        let now = span(&position, groups);
        if now < cost {
            (best, cost) = (position.clone(), now);
        }
    }
    best
}

/// (share, fewest): a variable in more than 1/share of the groups is a hub; with fewer than `fewest` groups there are
/// no hubs.
const HUB: (usize, usize) = (3, 8);

/// The order with the hubs on top: variables that occur in very many groups, such as the address of a multiplexer or
/// the state that a large specification branches on. FORCE puts them in the middle, where the diagrams must distinguish
/// all valuations of the variables above them; on top each of their valuations has a diagram of its own. `None` without
/// hubs.
pub(super) fn hubs_first(position: &[usize], groups: &[VariableGroup]) -> Option<Vec<usize>> {
    let (share, fewest) = HUB;
    let mut degree = vec![0; position.len()];
    groups.iter().flat_map(|group| &group.variables).for_each(|&v| degree[v] += 1);
    let is_hub = |v: usize| degree[v] * share > groups.len();
    let mut sequence: Vec<usize> = (0..position.len()).collect();
    sequence.sort_by_key(|&v| (!is_hub(v), position[v]));
    let order = positions(&sequence);
    (groups.len() >= fewest && order != position).then_some(order)
}

fn positions(sequence: &[usize]) -> Vec<usize> {
    let mut position = vec![0; sequence.len()];
    for (i, &v) in sequence.iter().enumerate() {
        position[v] = i;
    }
    position
}

/// The weighted sum of the distances between the first and the last variable of each group.
fn span(position: &[usize], groups: &[VariableGroup]) -> f64 {
    let width = |group: &VariableGroup| {
        let positions = group.variables.iter().map(|&v| position[v]);
        group.weight * (positions.clone().max().unwrap_or(0) - positions.min().unwrap_or(0)) as f64
    };
    groups.iter().map(width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hubs_are_on_top() {
        // A multiplexer: two address bits and the output with each of the inputs.
        let mut groups: Vec<VariableGroup> =
            (0..20).map(|i| VariableGroup { variables: vec![20, 21, 22, i], weight: 1.0 }).collect();
        let position = force_order(23, &groups);
        let order = hubs_first(&position, &groups).expect("the hubs are somewhere else");
        assert!([20, 21, 22].iter().all(|&hub| order[hub] < 3), "{order:?}");
        groups.truncate(4);
        assert_eq!(hubs_first(&position, &groups), None, "few groups");
    }

    #[test]
    fn clusters_end_up_together() {
        // Ten clusters of three, listed crosswise.
        let groups: Vec<VariableGroup> =
            (0..10).map(|c| VariableGroup { variables: vec![c, c + 10, c + 20], weight: 1.0 }).collect();
        let position = force_order(30, &groups);
        assert!(span(&position, &groups) < 20.5, "each cluster is adjacent: {position:?}");
        let mut sorted = position;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..30).collect::<Vec<_>>());
    }
}
