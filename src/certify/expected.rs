//! What is expected of the environment, followed along histories: the tableau of the facts and assumptions A of a contract
//! over all words. After a history it is in the set T of the tableau states that a run of the history reaches and from
//! which some word satisfies A, so that the history is in Pref(A) iff T is not empty, and an input is *legal* iff some
//! output keeps T from becoming empty.
//!
//! Exponential in the formulas in the worst case, and the sets T once more; conditions whose tableau is deterministic
//! have sets of one state.

use super::normal::{GoalId, NormalForms};
use super::plays::{Plays, Rent, output_letters};
use super::tableau::{Choice, Obligations, expand};
use crate::base::{Budget, Id, IdSet, IdVec, Limit};
use crate::define_id;
use crate::logic::{Alphabet, FormulaId, Formulas, Guard, Guards, Player};
use crate::model::StateId;
use rustc_hash::{FxHashMap, FxHashSet};

define_id! {
    /// A state of the tableau.
    pub(super) struct ExpectedId;
}

/// States of the tableau that a history may have led to, in order; those from which no word satisfies A are left out.
pub(super) type Reached = Box<[ExpectedId]>;

/// A way to go on from a state of the tableau.
#[derive(Debug)]
struct Branch {
    letters: Guard,
    next: ExpectedId,
    postponed: IdSet<GoalId>,
}

/// The tableau of facts and assumptions.
#[derive(Debug)]
pub(super) struct Expected {
    branches: IdVec<ExpectedId, Vec<Branch>>,
    /// Whether some word satisfies what a state asks for.
    possible: IdVec<ExpectedId, bool>,
    goals: usize,
    /// The legal inputs, of sets that were asked about.
    legal: FxHashMap<Reached, Guard>,
}

impl Expected {
    /// The tableau of some formulas; its letters are guards of this store.
    ///
    /// # Errors
    /// Those of the budget.
    pub(super) fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        guards: &mut Guards,
        expected: &[FormulaId],
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut rent = Rent::new(budget);
        let mut forms = NormalForms::default();
        let mut roots = Obligations::new();
        for &f in expected {
            roots.insert(forms.add(formulas, alphabet, guards, (f, true), budget)?);
        }
        let letters = output_letters(alphabet, guards);
        let mut index: FxHashMap<Obligations, ExpectedId> = FxHashMap::default();
        let mut states = vec![roots.clone()];
        index.insert(roots, ExpectedId::from_index(0));
        let mut branches: IdVec<ExpectedId, Vec<Branch>> = IdVec::new();
        while branches.len() < states.len() {
            let here = states[branches.len()].clone();
            let nodes_before = guards.node_count();
            let mut out = Vec::new();
            for branch in expand(&forms, guards, &here, letters, Choice::EachLetter, budget)? {
                let next = *index.entry(branch.next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    ExpectedId::from_index(states.len() - 1)
                });
                out.push(Branch { letters: branch.letters, next, postponed: branch.postponed });
            }
            let nodes = (guards.node_count() - nodes_before) as u64;
            rent.charge(256 + forms.len() as u64 / 4 + 64 * out.len() as u64 + 32 * nodes)?;
            branches.push(out);
        }
        let goals = forms.goal_count();
        let graph: Vec<Vec<(usize, &IdSet<GoalId>)>> = branches
            .iter()
            .map(|out| out.iter().map(|branch| (branch.next.index(), &branch.postponed)).collect())
            .collect();
        let possible = fair_states(&graph, goals, budget)?.into();
        Ok(Self { branches, possible, goals, legal: FxHashMap::default() })
    }

    /// What is reached before the first letter; empty if no word satisfies A.
    pub(super) fn initial(&self) -> Reached {
        let first = ExpectedId::from_index(0);
        if self.possible[first] { [first].into() } else { [].into() }
    }

    /// The inputs that are legal, as a guard over inputs.
    pub(super) fn legal(&mut self, reached: &Reached, alphabet: &Alphabet, guards: &mut Guards) -> Guard {
        if let Some(&legal) = self.legal.get(reached) {
            return legal;
        }
        let mut letters = Guard::FALSE;
        for branch in reached.iter().flat_map(|&state| &self.branches[state]) {
            if self.possible[branch.next] {
                letters = guards.or(letters, branch.letters);
            }
        }
        let legal = guards.exists(letters, &|bit| alphabet.owner(bit) == Player::System);
        self.legal.insert(reached.clone(), legal);
        legal
    }

    /// What is reached after the letters of a set: the classes of letters that lead to the same.
    pub(super) fn after(
        &self,
        reached: &Reached,
        letters: Guard,
        guards: &mut Guards,
        budget: &Budget,
    ) -> Result<Vec<(Guard, Reached)>, Limit> {
        let mut classes: Vec<(Guard, Vec<ExpectedId>)> = vec![(letters, Vec::new())];
        for branch in reached.iter().flat_map(|&state| &self.branches[state]) {
            if !self.possible[branch.next] {
                continue;
            }
            budget.tick(classes.len() as u64, what)?;
            let mut finer: Vec<(Guard, Vec<ExpectedId>)> = Vec::with_capacity(classes.len() + 1);
            for (class, states) in classes {
                let inside = guards.and(class, branch.letters);
                if inside == Guard::FALSE || states.contains(&branch.next) {
                    finer.push((class, states));
                    continue;
                }
                let outside = guards.minus(class, inside);
                if outside != Guard::FALSE {
                    finer.push((outside, states.clone()));
                }
                let mut states = states;
                states.push(branch.next);
                finer.push((inside, states));
            }
            classes = finer;
        }
        let mut found: Vec<(Guard, Reached)> = Vec::new();
        for (class, mut states) in classes {
            states.sort_unstable();
            let states: Reached = states.into();
            match found.iter_mut().find(|(_, other)| *other == states) {
                Some((same, _)) => *same = guards.or(*same, class),
                None => found.push((class, states)),
            }
        }
        Ok(found)
    }
}

/// The product of a machine's plays with the tableau: with which of its states the machine can still satisfy A.
#[derive(Debug)]
pub(super) struct Together {
    keepable: FxHashMap<(StateId, ExpectedId), bool>,
}

impl Together {
    /// Explores the product.
    ///
    /// # Errors
    /// Those of the budget.
    pub(super) fn new(plays: &mut Plays, expected: &Expected, budget: &Budget) -> Result<Self, Limit> {
        let mut rent = Rent::new(budget);
        let mut index: FxHashMap<(StateId, ExpectedId), usize> = FxHashMap::default();
        let mut pairs: Vec<(StateId, ExpectedId)> = Vec::new();
        for state in expected.initial() {
            index.insert((plays.initial, state), pairs.len());
            pairs.push((plays.initial, state));
        }
        let mut graph: Vec<Vec<(usize, &IdSet<GoalId>)>> = Vec::new();
        while graph.len() < pairs.len() {
            let (state, reached) = pairs[graph.len()];
            let mut out = Vec::new();
            for &(letters, next) in &plays.edges[state] {
                for branch in &expected.branches[reached] {
                    budget.tick(1, what)?;
                    if !expected.possible[branch.next] || !plays.guards.intersects(letters, branch.letters) {
                        continue;
                    }
                    let pair = *index.entry((next, branch.next)).or_insert_with_key(|&pair| {
                        pairs.push(pair);
                        pairs.len() - 1
                    });
                    out.push((pair, &branch.postponed));
                }
            }
            rent.charge(64 + 16 * out.len() as u64)?;
            graph.push(out);
        }
        let fair = fair_states(&graph, expected.goals, budget)?;
        Ok(Self { keepable: pairs.into_iter().zip(fair).collect() })
    }

    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.keepable.len()
    }

    /// Whether the machine, in this state, has a play that satisfies A after a history that reached this.
    pub(super) fn keepable(&self, state: StateId, reached: &Reached) -> bool {
        reached.iter().any(|&t| self.keepable.get(&(state, t)) == Some(&true))
    }
}

/// The states of a graph from which some infinite path postpones no goal forever: those that reach a strongly connected
/// component with an edge, on whose edges no goal is always postponed (Tarjan 1972; components are finished after those
/// that they reach). Linear in the edges, times the goals.
fn fair_states(
    graph: &[Vec<(usize, &IdSet<GoalId>)>],
    goals: usize,
    budget: &Budget,
) -> Result<Vec<bool>, Limit> {
    const UNSEEN: usize = usize::MAX;
    let all: IdSet<GoalId> = (0..goals).map(GoalId::from_index).collect();
    let n = graph.len();
    let (mut number, mut low) = (vec![UNSEEN; n], vec![0; n]);
    let (mut open, mut is_open) = (Vec::new(), vec![false; n]);
    let mut fair = vec![false; n];
    let mut seen = 0;
    for root in 0..n {
        if number[root] != UNSEEN {
            continue;
        }
        let mut frames = vec![(root, 0)];
        while let Some((state, cursor)) = frames.last_mut() {
            let state = *state;
            if *cursor == 0 {
                budget.tick(1 + graph[state].len() as u64, what)?;
                (number[state], low[state]) = (seen, seen);
                seen += 1;
                open.push(state);
                is_open[state] = true;
            }
            if let Some(&(next, _)) = graph[state].get(*cursor) {
                *cursor += 1;
                if number[next] == UNSEEN {
                    frames.push((next, 0));
                } else if is_open[next] {
                    low[state] = low[state].min(number[next]);
                }
                continue;
            }
            frames.pop();
            if let Some(&mut (before, _)) = frames.last_mut() {
                low[before] = low[before].min(low[state]);
            }
            if low[state] == number[state] {
                let first = open.iter().rposition(|&s| s == state).expect("the first of a component is open");
                let component = open.split_off(first);
                let inside: FxHashSet<usize> = component.iter().copied().collect();
                let (mut always, mut has_edge, mut reaches) = (all.clone(), false, false);
                for &(next, postponed) in component.iter().flat_map(|&s| &graph[s]) {
                    if inside.contains(&next) {
                        has_edge = true;
                        always.intersect_with(postponed);
                    } else {
                        reaches |= fair[next];
                    }
                }
                for s in component {
                    is_open[s] = false;
                    fair[s] = reaches || has_edge && always.is_empty();
                }
            }
        }
    }
    Ok(fair)
}

fn what() -> String {
    "certificate: following the assumptions".into()
}
