//! Very weak alternating automata of formulas in negation normal form, one state per temporal subformula
//! (Gastin and Oddoux, CAV 2001), with symbolic labels. A transition of a state is a guard and a
//! conjunction of states; the alternatives of a state are its disjunction.

use super::labels::Labels;
use super::tuning::{COMPARISONS_PER_WORK, MAX_MOVES};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit, LimitKind, steps};
use tsl_synth_core::logic::{Alphabet, Class, FormulaId, Formulas, Guard, Guards, Node};

/// A conjunction of states, sorted: formulas that the suffix must satisfy.
pub(super) type Conjunction = Box<[FormulaId]>;

/// One alternative of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VeryWeakEdge {
    pub(super) guard: Guard,
    pub(super) next: Conjunction,
}

/// Computes the alternatives of formulas on demand and memoizes them.
#[derive(Debug)]
pub(super) struct VeryWeak<'a> {
    formulas: &'a Formulas,
    alphabet: &'a Alphabet,
    budget: &'a Budget,
    pub(super) labels: Labels,
    /// The number of guard nodes that have been counted as work.
    counted: usize,
    moves: FxHashMap<FormulaId, std::rc::Rc<Vec<VeryWeakEdge>>>,
    splits: FxHashMap<FormulaId, std::rc::Rc<Vec<Conjunction>>>,
}

impl<'a> VeryWeak<'a> {
    pub(super) fn new(formulas: &'a Formulas, alphabet: &'a Alphabet, budget: &'a Budget) -> Self {
        let mut labels = Labels::new();
        // Each node of a guard is counted as a unit of work, so this limit never ends a translation that the budget allows.
        labels.guards.set_limit(usize::try_from(budget.left()).unwrap_or(usize::MAX));
        labels.guards.set_stop(budget);
        Self {
            formulas,
            alphabet,
            budget,
            labels,
            counted: 0,
            moves: FxHashMap::default(),
            splits: FxHashMap::default(),
        }
    }

    /// Whether a state is an eventuality that must not be kept forever.
    pub(super) fn is_eventuality(&self, f: FormulaId) -> bool {
        matches!(self.formulas.node(f), Node::Until(..) | Node::Finally(_) | Node::StrongRelease(..))
    }

    /// The disjunctive normal form of a formula over states: conjunctions of temporal or Boolean formulas.
    pub(super) fn split(&mut self, f: FormulaId) -> Result<std::rc::Rc<Vec<Conjunction>>, Limit> {
        // Operands have smaller ids, so an ordered pass over the And/Or skeleton suffices.
        let mut skeleton = vec![f];
        let mut i = 0;
        while i < skeleton.len() {
            let g = skeleton[i];
            i += 1;
            if let Node::And(gs) | Node::Or(gs) = self.formulas.node(g)
                && !self.formulas.class(g).is(Class::BOOLEAN)
                && !self.splits.contains_key(&g)
            {
                skeleton.extend(gs.iter().copied());
            }
        }
        skeleton.sort_unstable();
        skeleton.dedup();
        for g in skeleton {
            if self.splits.contains_key(&g) {
                continue;
            }
            let boolean = self.formulas.class(g).is(Class::BOOLEAN);
            let split: Vec<Conjunction> = match self.formulas.node(g) {
                Node::True => vec![Box::new([])],
                Node::False => vec![],
                Node::And(gs) if !boolean => {
                    let mut product: Vec<Conjunction> = vec![Box::new([])];
                    for h in gs {
                        let part = std::rc::Rc::clone(&self.splits[h]);
                        let mut next = Vec::new();
                        for left in &product {
                            self.budget.tick(part.len() as u64, splitting)?;
                            for right in part.iter() {
                                next.push(union(left, right));
                            }
                        }
                        minimal(&mut next, self.budget)?;
                        self.fits(next.len())?;
                        product = next;
                    }
                    product
                }
                Node::Or(gs) if !boolean => {
                    let mut sum = Vec::new();
                    for h in gs {
                        sum.extend(self.splits[h].iter().cloned());
                    }
                    minimal(&mut sum, self.budget)?;
                    self.fits(sum.len())?;
                    sum
                }
                _ => vec![Box::new([g])],
            };
            self.splits.insert(g, std::rc::Rc::new(split));
        }
        Ok(std::rc::Rc::clone(&self.splits[&f]))
    }

    fn fits(&self, moves: usize) -> Result<(), Limit> {
        let what = || "an alternating automaton with too many alternatives".to_owned();
        self.budget.tick(moves as u64, what)?;
        if moves > MAX_MOVES { Err(Limit::new(LimitKind::Size, what())) } else { Ok(()) }
    }

    /// The alternatives of a formula in the present step.
    pub(super) fn moves(&mut self, f: FormulaId) -> Result<std::rc::Rc<Vec<VeryWeakEdge>>, Limit> {
        if let Some(moves) = self.moves.get(&f) {
            return Ok(std::rc::Rc::clone(moves));
        }
        // Operands under X are not looked at in this step; all other operands have smaller ids.
        let mut needed = vec![f];
        let mut i = 0;
        while i < needed.len() {
            let g = needed[i];
            i += 1;
            let node = self.formulas.node(g);
            if !self.formulas.class(g).is(Class::BOOLEAN) && !matches!(node, Node::Next(_)) {
                node.for_each_operand(|h| {
                    if !self.moves.contains_key(&h) && !needed.contains(&h) {
                        needed.push(h);
                    }
                });
            }
        }
        needed.sort_unstable();
        for g in needed {
            if !self.moves.contains_key(&g) {
                let moves = self.compute(g)?;
                self.moves.insert(g, std::rc::Rc::new(moves));
            }
        }
        Ok(std::rc::Rc::clone(&self.moves[&f]))
    }

    fn compute(&mut self, f: FormulaId) -> Result<Vec<VeryWeakEdge>, Limit> {
        if self.formulas.class(f).is(Class::BOOLEAN) {
            let guard = self.labels.guard(self.formulas, self.alphabet, f);
            self.tick(0)?;
            return Ok(if guard == Guard::FALSE {
                vec![]
            } else {
                vec![VeryWeakEdge { guard, next: Box::new([]) }]
            });
        }
        let keep = vec![VeryWeakEdge { guard: Guard::TRUE, next: Box::new([f]) }];
        let of = |this: &Self, g: FormulaId| this.moves[&g].as_ref().clone();
        Ok(match *self.formulas.node(f) {
            Node::And(ref gs) => {
                let parts: Vec<_> = gs.iter().map(|&g| of(self, g)).collect();
                let mut product = vec![VeryWeakEdge { guard: Guard::TRUE, next: Box::new([]) }];
                for part in parts {
                    product = self.conjoin(&product, &part)?;
                }
                product
            }
            Node::Or(ref gs) => {
                let mut sum = Vec::new();
                for &g in gs {
                    sum.extend(of(self, g));
                }
                self.reduce(sum)?
            }
            Node::Next(g) => {
                let split = self.split(g)?;
                split.iter().map(|next| VeryWeakEdge { guard: Guard::TRUE, next: next.clone() }).collect()
            }
            Node::Finally(g) => {
                let now = of(self, g);
                self.reduce([now, keep].concat())?
            }
            Node::Globally(g) => {
                let now = of(self, g);
                self.conjoin(&now, &keep)?
            }
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let (hold, goal) = (of(self, a), of(self, b));
                let wait = self.conjoin(&hold, &keep)?;
                self.reduce([goal, wait].concat())?
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                let (free, hold) = (of(self, a), of(self, b));
                let either = self.reduce([free, keep].concat())?;
                self.conjoin(&hold, &either)?
            }
            Node::Not(_) | Node::Iff(..) | Node::True | Node::False | Node::Atom(_) => {
                unreachable!("formulas are in negation normal form")
            }
        })
    }

    /// Counts `work` and the guard nodes made since the last call.
    ///
    /// # Errors
    /// A limit, also if an operation on guards gave up, so that its result means nothing.
    pub(super) fn tick(&mut self, work: usize) -> Result<(), Limit> {
        let nodes = self.labels.guards.node_count();
        let made = nodes - std::mem::replace(&mut self.counted, nodes);
        let what = || "translating LTL to a Büchi automaton".to_owned();
        self.budget.tick((work + made) as u64, what)?;
        let gave_up = self.labels.guards.is_exhausted();
        if gave_up { Err(Limit::new(LimitKind::Work, what())) } else { Ok(()) }
    }

    /// The store of all guards, without the limits of the translation.
    ///
    /// # Errors
    /// As [`VeryWeak::tick`].
    pub(super) fn into_guards(mut self) -> Result<Guards, Limit> {
        self.tick(0)?;
        let mut guards = self.labels.guards;
        guards.set_limit(usize::MAX);
        guards.set_stop(&Budget::unlimited());
        Ok(guards)
    }

    /// The alternatives of a conjunction: all pairs with satisfiable guards, reduced.
    pub(super) fn conjoin(
        &mut self,
        left: &[VeryWeakEdge],
        right: &[VeryWeakEdge],
    ) -> Result<Vec<VeryWeakEdge>, Limit> {
        let mut product = Vec::new();
        for a in left {
            self.tick(right.len())?;
            steps::count(4 * right.len() as u64);
            for b in right {
                let guard = self.labels.guards.and(a.guard, b.guard);
                if guard != Guard::FALSE {
                    product.push(VeryWeakEdge { guard, next: union(&a.next, &b.next) });
                }
            }
        }
        self.fits(product.len() / 50)?;
        let product = self.reduce(product)?;
        self.fits(product.len())?;
        Ok(product)
    }

    /// Merges alternatives with equal targets and drops those that a weaker alternative covers. An
    /// alternative that keeps an eventuality covers no other: the other may be the one that fulfills it.
    fn reduce(&mut self, moves: Vec<VeryWeakEdge>) -> Result<Vec<VeryWeakEdge>, Limit> {
        steps::count(4 * moves.len() as u64);
        let mut merged: Vec<VeryWeakEdge> = Vec::new();
        let mut index: FxHashMap<Conjunction, usize> = FxHashMap::default();
        for m in moves {
            if let Some(&i) = index.get(&m.next) {
                merged[i].guard = self.labels.guards.or(merged[i].guard, m.guard);
            } else {
                index.insert(m.next.clone(), merged.len());
                merged.push(m);
            }
        }
        merged.sort_by(|a, b| a.next.len().cmp(&b.next.len()).then_with(|| a.next.cmp(&b.next)));
        let mut kept: Vec<VeryWeakEdge> = Vec::new();
        for mut m in merged {
            self.tick(kept.len())?;
            for k in &kept {
                if is_subset(&k.next, &m.next) && !k.next.iter().any(|&f| self.is_eventuality(f)) {
                    m.guard = self.labels.guards.minus(m.guard, k.guard);
                }
            }
            if m.guard != Guard::FALSE {
                kept.push(m);
            }
        }
        Ok(kept)
    }
}

/// Sorted union of two sorted sets.
pub(super) fn union(a: &[FormulaId], b: &[FormulaId]) -> Conjunction {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// Whether the sorted set `a` is a subset of the sorted set `b`.
pub(super) fn is_subset(a: &[FormulaId], b: &[FormulaId]) -> bool {
    let mut rest = b.iter();
    a.iter().all(|x| rest.any(|y| y == x))
}

fn splitting() -> String {
    "a disjunctive normal form over states of an alternating automaton".into()
}

/// Keeps only the subset-minimal conjunctions.
fn minimal(conjunctions: &mut Vec<Conjunction>, budget: &Budget) -> Result<(), Limit> {
    conjunctions.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    conjunctions.dedup();
    let mut kept: Vec<Conjunction> = Vec::new();
    for c in conjunctions.drain(..) {
        budget.tick((1 + kept.len() / COMPARISONS_PER_WORK) as u64, splitting)?;
        if !kept.iter().any(|k| is_subset(k, &c)) {
            kept.push(c);
        }
    }
    *conjunctions = kept;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl_to_buchi;
    use tsl_synth_core::base::StopFlag;

    /// A multiplexer: with its selectors below its data in the order of the bits, its guard is exponential in the data.
    #[test]
    fn large_guards_of_one_formula_are_counted() {
        const WORK: u64 = 2_000;
        for selectors in [3, 4, 5] {
            let (mut formulas, mut alphabet) = (Formulas::new(), Alphabet::new());
            let data: Vec<FormulaId> =
                (0..1 << selectors).map(|i| formulas.atom(alphabet.add_input(format!("d{i}")))).collect();
            let select: Vec<FormulaId> =
                (0..selectors).map(|i| formulas.atom(alphabet.add_input(format!("s{i}")))).collect();
            let mut chosen = Vec::new();
            for (code, &value) in data.iter().enumerate() {
                let mut all = vec![value];
                for (bit, &s) in select.iter().enumerate() {
                    all.push(if code >> bit & 1 == 1 { s } else { formulas.not(s) });
                }
                chosen.push(formulas.and(all));
            }
            let one = formulas.or(chosen);
            let always = formulas.globally(one);
            let flag = StopFlag::new().within(u64::MAX);
            let budget = Budget::unlimited().with_flag(flag.clone()).with_work(WORK);
            let result = ltl_to_buchi(&mut formulas, &alphabet, always, 100, &budget);
            assert_eq!(result.is_ok(), selectors == 3, "{selectors} selectors");
            assert!(flag.spent() < 4 * WORK, "{} units for {selectors} selectors", flag.spent());
        }
    }
}
