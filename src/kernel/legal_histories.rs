//! Follows the facts and assumptions A of a contract along histories, by their tableau over all words. For a history, T
//! is the set of the tableau states that some run of the history reaches and from which some word is accepted, so that
//! the history is in Pref(A) iff T is not empty, and an input is *legal* iff some output keeps T from becoming empty.
//!
//! The tableau is exponential in the formulas in the worst case, and the number of sets T is exponential in the tableau;
//! conditions whose tableau is deterministic have sets of one state.

use super::search::couvreur::{ProductEmptiness, SearchExtent, search};
use crate::trusted::cases::Cases;
use crate::trusted::conditions::recurring;
use crate::trusted::normal::{GoalId, Normal, NormalForms, NormalId};
use crate::trusted::plays::{MemoryCharge, Plays, output_letters};
use crate::trusted::product::TableauProduct;
use crate::trusted::tableau::{LetterChoice, Obligations, expand};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tsl_synth_core::base::{Budget, Id, IdSet, IdVec, Limit};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{Alphabet, Class, FormulaId, Formulas, Guard, Guards, Player};
use tsl_synth_core::model::{Contract, StateId};

define_id! {
    /// A state of the tableau.
    pub(super) struct ExpectedId;
    /// Letters that have to be read infinitely often.
    struct ConditionId;
}

/// States of the tableau that a history may have led to, in order; those from which no word satisfies A are left out.
pub(super) type Reached = Box<[ExpectedId]>;

/// A transition of the tableau.
#[derive(Debug)]
struct ExpectedBranch {
    letters: Guard,
    next: ExpectedId,
    postponed: IdSet<GoalId>,
}

/// The facts and assumptions of a contract.
pub(super) fn expectations(contract: &Contract) -> Vec<FormulaId> {
    [&contract.facts[..], &contract.assumptions[..]].concat()
}

/// The tableau of facts and assumptions, expanded on demand. Conjuncts `GF g` with g about one step are not part of its
/// states: they are kept as sets of letters that have to be read infinitely often.
pub(super) struct Expectations {
    forms: NormalForms,
    states: IdVec<ExpectedId, Obligations>,
    index: FxHashMap<Obligations, ExpectedId>,
    /// By state and letters.
    branches: FxHashMap<(ExpectedId, Guard), Rc<[ExpectedBranch]>>,
    /// Sets of letters of which some letter has to be read infinitely often, with the formulas that require this.
    often: Vec<(Guard, NormalId)>,
    /// All words, for the question whether one of them satisfies the obligations of a state.
    words: Plays,
    possible: FxHashMap<ExpectedId, bool>,
    /// All letters in which every cell has the code of an option.
    letters: Guard,
    /// The legal inputs for the sets T for which they were computed.
    legal: FxHashMap<Reached, Guard>,
    budget: Budget,
}

impl Expectations {
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
        let mut forms = NormalForms::default();
        let clauses = Contract { assumptions: expected.to_vec(), ..Contract::default() };
        let cases = Cases::new(formulas, &clauses);
        let (mut roots, mut often) = (Obligations::new(), Vec::new());
        for &(f, value) in expected.iter().flat_map(|&clause| cases.conjuncts(clause)) {
            let whole = forms.add(&cases.formulas, alphabet, guards, (f, value), budget)?;
            let inner = recurring(&cases.formulas, f)
                .filter(|&(g, is_often)| is_often == value && cases.formulas.class(g).is(Class::BOOLEAN));
            if let Some((g, _)) = inner {
                let letters = forms.add(&cases.formulas, alphabet, guards, (g, value), budget)?;
                if let Normal::Letters(letters) = *forms.node(letters) {
                    often.push((letters, whole));
                    continue;
                }
            }
            roots.insert(whole);
        }
        let letters = output_letters(alphabet, guards);
        let words = Plays::all(alphabet, guards.clone());
        let mut this = Self {
            forms,
            states: IdVec::new(),
            index: FxHashMap::default(),
            branches: FxHashMap::default(),
            often,
            words,
            possible: FxHashMap::default(),
            letters,
            legal: FxHashMap::default(),
            budget: budget.clone(),
        };
        this.state(roots)?;
        Ok(this)
    }

    fn state(&mut self, obligations: Obligations) -> Result<ExpectedId, Limit> {
        if let Some(&state) = self.index.get(&obligations) {
            return Ok(state);
        }
        self.budget.charge(256 + self.forms.len() as u64 / 4, what)?;
        let state = self.states.push(obligations.clone());
        self.index.insert(obligations, state);
        Ok(state)
    }

    /// The transitions from a state with some letters.
    fn branches(
        &mut self,
        state: ExpectedId,
        letters: Guard,
        guards: &mut Guards,
    ) -> Result<Rc<[ExpectedBranch]>, Limit> {
        if let Some(known) = self.branches.get(&(state, letters)) {
            return Ok(Rc::clone(known));
        }
        let nodes_before = guards.node_count();
        let obligations = self.states[state].clone();
        let found =
            expand(&self.forms, guards, &obligations, letters, LetterChoice::EachLetter, &self.budget)?;
        let mut branches = Vec::with_capacity(found.len());
        for branch in found {
            let next = self.state(branch.next)?;
            branches.push(ExpectedBranch { letters: branch.letters, next, postponed: branch.postponed });
        }
        let nodes = (guards.node_count() - nodes_before) as u64;
        self.budget.charge(96 + 96 * branches.len() as u64 + 32 * nodes, what)?;
        let branches: Rc<[ExpectedBranch]> = branches.into();
        self.branches.insert((state, letters), Rc::clone(&branches));
        Ok(branches)
    }

    /// Whether some word satisfies the obligations of a state and all conjuncts `GF g`.
    fn is_possible(&mut self, state: ExpectedId) -> Result<bool, Limit> {
        if let Some(&known) = self.possible.get(&state) {
            return Ok(known);
        }
        let asked: Vec<NormalId> =
            self.states[state].iter().chain(self.often.iter().map(|&(_, whole)| whole)).collect();
        let mut product = TableauProduct::new(&mut self.words, &mut self.forms, &asked, &self.budget)?;
        let is_possible = matches!(search(&mut product, SearchExtent::First)?, ProductEmptiness::Play(_));
        self.possible.insert(state, is_possible);
        Ok(is_possible)
    }

    /// The set T before the first letter; empty if no word satisfies A.
    pub(super) fn initial(&mut self) -> Result<Reached, Limit> {
        let first = ExpectedId::from_index(0);
        Ok(if self.is_possible(first)? { [first].into() } else { [].into() })
    }

    /// The inputs of some letters that are legal, as a guard over inputs.
    pub(super) fn legal_among(
        &mut self,
        reached: &Reached,
        letters: Guard,
        alphabet: &Alphabet,
        guards: &mut Guards,
    ) -> Result<Guard, Limit> {
        let output = |bit| alphabet.owner(bit) == Player::System;
        let inputs = guards.exists(letters, &output);
        let letters = guards.and(inputs, self.letters);
        let mut legal = Guard::FALSE;
        for &state in reached {
            for branch in self.branches(state, letters, guards)?.iter() {
                let given = guards.exists(branch.letters, &output);
                if !guards.implies(given, legal) && self.is_possible(branch.next)? {
                    legal = guards.or(legal, given);
                }
            }
        }
        Ok(legal)
    }

    /// The inputs that are legal, as a guard over inputs.
    pub(super) fn legal(
        &mut self,
        reached: &Reached,
        alphabet: &Alphabet,
        guards: &mut Guards,
    ) -> Result<Guard, Limit> {
        if let Some(&legal) = self.legal.get(reached) {
            return Ok(legal);
        }
        let legal = self.legal_among(reached, Guard::TRUE, alphabet, guards)?;
        self.legal.insert(reached.clone(), legal);
        Ok(legal)
    }

    /// The letters after which T is not empty.
    pub(super) fn kept(&mut self, reached: &Reached, guards: &mut Guards) -> Result<Guard, Limit> {
        let mut kept = Guard::FALSE;
        for &state in reached {
            for branch in self.branches(state, self.letters, guards)?.iter() {
                if !guards.implies(branch.letters, kept) && self.is_possible(branch.next)? {
                    kept = guards.or(kept, branch.letters);
                }
            }
        }
        Ok(kept)
    }

    /// Raises the limit of work by this much.
    pub(super) fn grant(&self, work: u64) {
        self.budget.grant(work);
    }

    /// The sets T after the letters of a set, each with the class of letters that lead to it.
    pub(super) fn after(
        &mut self,
        reached: &Reached,
        letters: Guard,
        guards: &mut Guards,
    ) -> Result<Vec<(Guard, Reached)>, Limit> {
        let mut classes: Vec<(Guard, Vec<ExpectedId>)> = vec![(letters, Vec::new())];
        for &state in reached {
            for branch in self.branches(state, letters, guards)?.iter() {
                if !self.is_possible(branch.next)? {
                    continue;
                }
                self.budget.tick(classes.len() as u64, what)?;
                let mut finer: Vec<(Guard, Vec<ExpectedId>)> = Vec::with_capacity(classes.len() + 1);
                for (class, mut states) in classes {
                    let inside = guards.and(class, branch.letters);
                    if inside == Guard::FALSE || states.contains(&branch.next) {
                        finer.push((class, states));
                        continue;
                    }
                    let outside = guards.minus(class, inside);
                    if outside != Guard::FALSE {
                        finer.push((outside, states.clone()));
                    }
                    states.push(branch.next);
                    finer.push((inside, states));
                }
                classes = finer;
            }
        }
        let mut found: FxHashMap<Reached, Guard> = FxHashMap::default();
        let mut order: Vec<Reached> = Vec::new();
        for (class, mut states) in classes {
            states.sort_unstable();
            let states: Reached = states.into();
            if let Some(same) = found.get_mut(&states) {
                *same = guards.or(*same, class);
            } else {
                found.insert(states.clone(), class);
                order.push(states);
            }
        }
        Ok(order.into_iter().map(|states| (found[&states], states)).collect())
    }
}

/// The product of a machine's plays with the tableau: the pairs from which some play of the machine satisfies A.
#[derive(Debug)]
pub(super) struct MachineProduct {
    unfalsifiable: FxHashMap<(StateId, ExpectedId), bool>,
}

/// An edge of the product.
struct ExpectedEdge {
    next: usize,
    postponed: IdSet<GoalId>,
    /// For each set of letters that have to be read infinitely often, whether the edge has one of them.
    read: Vec<bool>,
}

impl MachineProduct {
    /// Explores the product.
    ///
    /// # Errors
    /// Those of the budget.
    pub(super) fn new(
        plays: &mut Plays,
        expected: &mut Expectations,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut memory = MemoryCharge::new(budget);
        let mut index: FxHashMap<(StateId, ExpectedId), usize> = FxHashMap::default();
        let mut pairs: Vec<(StateId, ExpectedId)> = Vec::new();
        for state in expected.initial()? {
            index.insert((plays.initial, state), pairs.len());
            pairs.push((plays.initial, state));
        }
        let mut graph: Vec<Vec<ExpectedEdge>> = Vec::new();
        while graph.len() < pairs.len() {
            let (state, reached) = pairs[graph.len()];
            let mut out = Vec::new();
            for i in 0..plays.edges[state].len() {
                let (letters, next) = plays.edges[state][i];
                for branch in expected.branches(reached, letters, &mut plays.guards)?.iter() {
                    budget.tick(1, what)?;
                    let pair = *index.entry((next, branch.next)).or_insert_with_key(|&pair| {
                        pairs.push(pair);
                        pairs.len() - 1
                    });
                    let guards = &mut plays.guards;
                    let read = expected.often.iter().map(|&(g, _)| guards.intersects(branch.letters, g));
                    let (read, postponed) = (read.collect(), branch.postponed.clone());
                    out.push(ExpectedEdge { next: pair, postponed, read });
                }
            }
            memory.charge(64 + 48 * out.len() as u64)?;
            graph.push(out);
        }
        let fair = fair_states(&graph, expected.forms.goal_count(), expected.often.len(), budget)?;
        Ok(Self { unfalsifiable: pairs.into_iter().zip(fair).collect() })
    }

    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.unfalsifiable.len()
    }

    /// Whether the machine, in this state, has a play that satisfies A after a history with this set T.
    pub(super) fn unfalsifiable(&self, state: StateId, reached: &Reached) -> bool {
        reached.iter().any(|&t| self.unfalsifiable.get(&(state, t)) == Some(&true))
    }
}

/// The states of a graph from which some infinite path postpones no goal forever and reads infinitely often all that it
/// has to read: those that reach a strongly connected component with an edge, on whose edges no goal is always
/// postponed and every required set of letters occurs (Tarjan 1972; components are finished after those that they
/// reach). Linear in the edges, times the conditions.
fn fair_states(
    graph: &[Vec<ExpectedEdge>],
    goals: usize,
    often: usize,
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
            if let Some(&ExpectedEdge { next, .. }) = graph[state].get(*cursor) {
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
                let mut unread: IdSet<ConditionId> = (0..often).map(ConditionId::from_index).collect();
                for edge in component.iter().flat_map(|&s| &graph[s]) {
                    if inside.contains(&edge.next) {
                        has_edge = true;
                        always.intersect_with(&edge.postponed);
                        for (i, _) in edge.read.iter().enumerate().filter(|(_, read)| **read) {
                            unread.remove(ConditionId::from_index(i));
                        }
                    } else {
                        reaches |= fair[edge.next];
                    }
                }
                for s in component {
                    is_open[s] = false;
                    fair[s] = reaches || has_edge && always.is_empty() && unread.is_empty();
                }
            }
        }
    }
    Ok(fair)
}

fn what() -> String {
    "certificate: following the assumptions".into()
}
