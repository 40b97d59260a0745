//! A static variable order: variables that occur together stand together.
//!
//! Aloul, Markov and Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic", GLSVLSI 2003:
//! each variable moves to the mean of the centers of gravity of its groups. O(rounds · size of the groups).

const ROUNDS: usize = 40;

/// The place of each of `variables` variables; each group is a set of variables that occur together.
pub(super) fn force_order(variables: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    // Begin with the order of the groups' text.
    let mut sequence: Vec<usize> = Vec::with_capacity(variables);
    let mut placed = vec![false; variables];
    for v in groups.iter().flatten().copied().chain(0..variables) {
        if !std::mem::replace(&mut placed[v], true) {
            sequence.push(v);
        }
    }
    let mut best = places(&sequence);
    let mut cost = span(&best, groups);
    let mut place = best.clone();
    let mut member = vec![Vec::new(); variables];
    for (g, group) in groups.iter().enumerate() {
        for &v in group {
            member[v].push(g);
        }
    }
    for _ in 0..ROUNDS {
        let centers: Vec<f64> = groups
            .iter()
            .map(|group| group.iter().map(|&v| place[v] as f64).sum::<f64>() / group.len().max(1) as f64)
            .collect();
        let mean = |v: usize| match member[v].len() {
            0 => place[v] as f64,
            n => member[v].iter().map(|&g| centers[g]).sum::<f64>() / n as f64,
        };
        let means: Vec<f64> = (0..variables).map(mean).collect();
        sequence.sort_by(|&a, &b| means[a].total_cmp(&means[b]).then(place[a].cmp(&place[b])));
        place = places(&sequence);
        let now = span(&place, groups);
        if now < cost {
            (best, cost) = (place.clone(), now);
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

/// The sum of the distances between the first and the last variable of each group.
fn span(place: &[usize], groups: &[Vec<usize>]) -> usize {
    let width = |group: &Vec<usize>| {
        let places = group.iter().map(|&v| place[v]);
        places.clone().max().unwrap_or(0) - places.min().unwrap_or(0)
    };
    groups.iter().map(width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_end_up_together() {
        // Ten clusters of three, listed crosswise.
        let groups: Vec<Vec<usize>> = (0..10).map(|c| vec![c, c + 10, c + 20]).collect();
        let place = force_order(30, &groups);
        assert_eq!(span(&place, &groups), 20, "each cluster is adjacent: {place:?}");
        let mut sorted = place;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..30).collect::<Vec<_>>());
    }
}
