//! The tree of a plan: which step serves which, and in which order they are carried out.

use super::planner::PlanStep;
use crate::plan_grammar::{Order, PlanGrammar};

/// A step of a plan in its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanNode {
    /// The step.
    pub step: PlanStep,
    /// Its text for people.
    pub text: String,
    /// The step that it serves, by its index in the word; `None` at a root.
    pub serves: Option<usize>,
}

impl PlanNode {
    /// A step with its text: the label of the rule that wrote it, else its own, and its chosen elements.
    pub(super) fn new(
        grammar: &PlanGrammar,
        step: PlanStep,
        label: Option<&str>,
        serves: Option<usize>,
    ) -> Self {
        let terminal = &grammar.terminals[step.terminal];
        let mut text = label.unwrap_or(terminal.shown()).to_string();
        if let (Some(chosen), Some(subset)) = (&step.chosen, &terminal.subset) {
            let names: Vec<&str> =
                chosen.iter().filter_map(|&i| subset.elements.get(i).map(String::as_str)).collect();
            text = if names.is_empty() {
                format!("{text}: none")
            } else {
                format!("{text}: {}", names.join(", "))
            };
        }
        Self { step, text, serves }
    }
}

/// The indices of the steps in the order in which they are carried out: in the order of the word, or with the children
/// of each step before it, from left to right.
pub(super) fn execution_order(order: Order, nodes: &[PlanNode]) -> Vec<usize> {
    if order == Order::Written {
        return (0..nodes.len()).collect();
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut roots = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        match node.serves {
            Some(parent) => children[parent].push(i),
            None => roots.push(i),
        }
    }
    let mut done = Vec::with_capacity(nodes.len());
    let mut todo: Vec<(usize, bool)> = roots.into_iter().rev().map(|i| (i, false)).collect();
    while let Some((i, parts_done)) = todo.pop() {
        if parts_done {
            done.push(i);
            continue;
        }
        todo.push((i, true));
        todo.extend(children[i].iter().rev().map(|&child| (child, false)));
    }
    done
}
