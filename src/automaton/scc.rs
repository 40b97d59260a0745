//! Strongly connected components, iteratively (Tarjan 1972; `petgraph::tarjan_scc` recurses as deep as the
//! graph).

/// The component of every node; components are numbered in reverse topological order: an edge never leads
/// to a component with a larger number. Linear.
pub fn components(successors: &[Vec<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let n = successors.len();
    let (mut order, mut low, mut component) = (vec![UNSEEN; n], vec![0; n], vec![UNSEEN; n]);
    let (mut stack, mut counter, mut count) = (Vec::new(), 0, 0);
    for root in 0..n {
        if order[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some(&mut (v, ref mut i)) = calls.last_mut() {
            if *i == 0 {
                order[v] = counter;
                low[v] = counter;
                counter += 1;
                stack.push(v);
            }
            if let Some(&w) = successors[v].get(*i) {
                *i += 1;
                if order[w] == UNSEEN {
                    calls.push((w, 0));
                } else if component[w] == UNSEEN {
                    low[v] = low[v].min(order[w]);
                }
                continue;
            }
            calls.pop();
            if low[v] == order[v] {
                while let Some(w) = stack.pop() {
                    component[w] = count;
                    if w == v {
                        break;
                    }
                }
                count += 1;
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[v]);
            }
        }
    }
    component
}
