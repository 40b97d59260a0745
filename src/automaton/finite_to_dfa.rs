//! From LTL on finite words to a complete deterministic finite automaton, by progression.
//!
//! A state is what the rest of the word owes: an antichain of sets of obligations (a disjunction of conjunctions, minimal
//! under inclusion, so that equal Boolean functions are equal states; the functions are monotone). An obligation is `X f`
//! or `X[!] f`, about the step to come. At most 2^2^n states for n obligations. After Brzozowski ("Derivatives of regular
//! expressions", 1964) and De Giacomo and Vardi (2013); minimized by partition refinement.

use crate::base::{Budget, Limit, LimitKind, coarsest_partition};
use crate::logic::{FiniteFormulas, FiniteId, FiniteNode};
use crate::model::Dfa;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What the next step owes; without `strong` there need not be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Obligation {
    strong: bool,
    formula: FiniteId,
}

/// A disjunction of conjunctions.
type Owed = BTreeSet<BTreeSet<Obligation>>;

/// More alternatives than this in one state are past the limit.
const MAX_ALTERNATIVES: usize = 1 << 12;

/// Without sets that include another one.
fn minimal(all: Owed) -> Owed {
    let sets: Vec<BTreeSet<Obligation>> = all.into_iter().collect();
    let kept = |i: usize| {
        !sets
            .iter()
            .enumerate()
            .any(|(j, other)| j != i && other.len() < sets[i].len() && other.is_subset(&sets[i]))
    };
    (0..sets.len()).filter(|&i| kept(i)).map(|i| sets[i].clone()).collect()
}

fn verum() -> Owed {
    BTreeSet::from([BTreeSet::new()])
}

struct Progression<'a> {
    formulas: &'a FiniteFormulas,
    budget: &'a Budget,
}

impl Progression<'_> {
    fn limit(&self, size: usize) -> Result<(), Limit> {
        self.budget.tick(size as u64, || "the automaton of a law".into())?;
        if size > MAX_ALTERNATIVES {
            let what =
                format!("a state of the automaton of a law has more than {MAX_ALTERNATIVES} alternatives");
            return Err(Limit::new(LimitKind::Size, what));
        }
        Ok(())
    }
    fn both(&self, a: &Owed, b: &Owed) -> Result<Owed, Limit> {
        self.limit(a.len().saturating_mul(b.len()))?;
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| x.union(y).copied().collect()));
        Ok(minimal(pairs.collect()))
    }
    fn either(&self, mut a: Owed, b: Owed) -> Result<Owed, Limit> {
        self.limit(a.len() + b.len())?;
        a.extend(b);
        Ok(minimal(a))
    }
    /// What a formula owes after a letter. Operands come first, so that one pass over the subformulas does.
    fn step(&self, letter: u32) -> Result<Vec<Owed>, Limit> {
        let mut table: Vec<Owed> = Vec::with_capacity(self.formulas.len());
        for i in 0..self.formulas.len() {
            let id = crate::base::Id::from_index(i);
            let owe = |strong| BTreeSet::from([BTreeSet::from([Obligation { strong, formula: id }])]);
            let of = |f: FiniteId| &table[crate::base::Id::index(f)];
            let one = |strong, formula| BTreeSet::from([BTreeSet::from([Obligation { strong, formula }])]);
            let row = match *self.formulas.node(id) {
                FiniteNode::Constant(true) => verum(),
                FiniteNode::Letter { letter: own, negated } if (own == letter) != negated => verum(),
                FiniteNode::Constant(false) | FiniteNode::Letter { .. } => Owed::new(),
                FiniteNode::And(f, g) => self.both(of(f), of(g))?,
                FiniteNode::Or(f, g) => self.either(of(f).clone(), of(g).clone())?,
                FiniteNode::Next(f) => one(false, f),
                FiniteNode::StrongNext(f) => one(true, f),
                FiniteNode::Until(f, g) => self.either(of(g).clone(), self.both(of(f), &owe(true))?)?,
                FiniteNode::Release(f, g) => self.both(of(g), &self.either(of(f).clone(), owe(false))?)?,
            };
            table.push(row);
        }
        Ok(table)
    }
}

/// The minimal automaton of a formula over the letters `0..letters`.
///
/// # Errors
/// More than `max_states` states, or the budget.
pub fn finite_to_dfa(
    formulas: &FiniteFormulas,
    root: FiniteId,
    letters: u32,
    max_states: usize,
    budget: &Budget,
) -> Result<Dfa, Limit> {
    let progression = Progression { formulas, budget };
    let steps: Vec<Vec<Owed>> =
        (0..letters).map(|letter| progression.step(letter)).collect::<Result<_, _>>()?;
    // The state before the first step owes the formula itself, and is accepting if the empty word satisfies it.
    let first: Owed = BTreeSet::from([BTreeSet::from([Obligation { strong: false, formula: root }])]);
    let mut states: Vec<Owed> = vec![first.clone()];
    let mut ids: FxHashMap<Owed, usize> = FxHashMap::default();
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let mut done = 0;
    while done < states.len() {
        let owed = states[done].clone();
        let mut row = Vec::with_capacity(letters as usize);
        for table in &steps {
            let mut next = Owed::new();
            for all in &owed {
                let mut sum = verum();
                for obligation in all {
                    sum = progression.both(&sum, &table[crate::base::Id::index(obligation.formula)])?;
                }
                next = progression.either(next, sum)?;
            }
            let fresh = states.len();
            let id = *ids.entry(next.clone()).or_insert(fresh);
            if id == fresh {
                states.push(next);
            }
            if states.len() > max_states {
                let what = format!("the automaton of a law has more than {max_states} states");
                return Err(Limit::new(LimitKind::Size, what));
            }
            row.push(id);
        }
        edges.push(row);
        done += 1;
    }
    let mut accepting: Vec<bool> =
        states.iter().map(|owed| owed.iter().any(|all| all.iter().all(|one| !one.strong))).collect();
    accepting[0] = formulas.holds(root, &[]);
    Ok(minimized(&edges, &accepting))
}

/// The coarsest quotient.
fn minimized(edges: &[Vec<usize>], accepting: &[bool]) -> Dfa {
    let colors = accepting.iter().map(|&yes| usize::from(yes)).collect();
    let block = coarsest_partition(colors, |state, block| {
        edges[state].iter().map(|&next| block[next]).collect::<Vec<usize>>()
    });
    let count = block.iter().max().map_or(0, |most| most + 1);
    let mut quotient = vec![Vec::new(); count];
    let mut yes = vec![false; count];
    for (state, &own) in block.iter().enumerate().rev() {
        quotient[own] = edges[state].iter().map(|&next| block[next] as u32).collect();
        yes[own] = accepting[state];
    }
    Dfa::new(quotient, yes)
}

/// The automaton of the words that two automata both accept, minimized.
///
/// # Errors
/// More than `max_states` states.
pub fn intersection(a: &Dfa, b: &Dfa, max_states: usize) -> Result<Dfa, Limit> {
    let mut pairs: Vec<(u32, u32)> = vec![(0, 0)];
    let mut ids: FxHashMap<(u32, u32), usize> = FxHashMap::from_iter([((0, 0), 0)]);
    let (mut edges, mut accepting) = (Vec::new(), Vec::new());
    while edges.len() < pairs.len() {
        let (p, q) = pairs[edges.len()];
        accepting.push(a.is_accepting(p) && b.is_accepting(q));
        let mut row = Vec::new();
        for letter in 0..a.letters() {
            let next = (a.next(p, letter), b.next(q, letter));
            let fresh = pairs.len();
            let id = *ids.entry(next).or_insert(fresh);
            if id == fresh {
                pairs.push(next);
            }
            row.push(id);
        }
        edges.push(row);
        if pairs.len() > max_states {
            let what = format!("the automaton of the laws has more than {max_states} states");
            return Err(Limit::new(LimitKind::Size, what));
        }
    }
    Ok(minimized(&edges, &accepting))
}
