//! Negation normal form, as the tableau reads it. Subformulas without temporal operators are sets of letters;
//! the eight temporal operators become two fixpoints, each strong or weak. Nothing else is simplified.

use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Guard, Guards, Node};

define_id! {
    /// A formula in a [`NormalForms`] arena.
    pub(crate) struct NormalId;
    /// A strong fixpoint: it may be postponed, but not forever.
    pub(crate) struct GoalId;
}

/// A formula or its negation.
pub(crate) type SignedFormula = (FormulaId, bool);

/// A formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Normal {
    /// The first letter is in the set.
    Letters(Guard),
    /// All hold. Sorted; at most one is `Letters`, none is `And`.
    And(Box<[NormalId]>),
    /// Some holds. Sorted; at most one is `Letters`, none is `Or`.
    Or(Box<[NormalId]>),
    /// It holds in the next step.
    Next(NormalId),
    /// `goal ∨ (hold ∧ X self)`: U when strong, W when weak.
    Until { hold: NormalId, goal: NormalId, strong: bool },
    /// `goal ∧ (free ∨ X self)`: M when strong, R when weak.
    Release { free: NormalId, goal: NormalId, strong: bool },
}

/// An arena of formulas in negation normal form.
#[derive(Debug, Default)]
pub(crate) struct NormalForms {
    nodes: IdVec<NormalId, Normal>,
    index: FxHashMap<Normal, NormalId>,
    goals: FxHashMap<NormalId, GoalId>,
}

impl NormalForms {
    pub(crate) fn node(&self, f: NormalId) -> &Normal {
        &self.nodes[f]
    }
    /// How many formulas there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
    /// How many strong fixpoints there are.
    pub(crate) fn goal_count(&self) -> usize {
        self.goals.len()
    }
    /// The goal of a strong fixpoint; `None` for every other formula.
    pub(crate) fn goal(&self, f: NormalId) -> Option<GoalId> {
        self.goals.get(&f).copied()
    }

    /// The normal form of `f`, or of its negation. Linear in the subformulas of `f` apart from the guards.
    pub(crate) fn add(
        &mut self,
        formulas: &Formulas,
        alphabet: &Alphabet,
        guards: &mut Guards,
        (f, positive): (FormulaId, bool),
        budget: &Budget,
    ) -> Result<NormalId, Limit> {
        let mut needed = FxHashSet::default();
        let mut stack = vec![(f, positive)];
        while let Some((g, polarity)) = stack.pop() {
            if needed.insert((g, polarity)) {
                let node = formulas.node(g);
                node.for_each_operand(|h| match node {
                    Node::Not(_) => stack.push((h, !polarity)),
                    Node::Iff(..) => stack.extend([(h, true), (h, false)]),
                    _ => stack.push((h, polarity)),
                });
            }
        }
        // Operands have smaller ids.
        let mut needed: Vec<(FormulaId, bool)> = needed.into_iter().collect();
        needed.sort_unstable();
        let mut done: FxHashMap<(FormulaId, bool), NormalId> = FxHashMap::default();
        for (g, polarity) in needed {
            let nodes_before = guards.node_count();
            let normal = self.translate(formulas, alphabet, guards, (g, polarity), &done);
            budget.tick(1 + (guards.node_count() - nodes_before) as u64, || {
                "certificate: the normal form of a clause".into()
            })?;
            done.insert((g, polarity), normal);
        }
        Ok(done[&(f, positive)])
    }

    fn translate(
        &mut self,
        formulas: &Formulas,
        alphabet: &Alphabet,
        guards: &mut Guards,
        (f, positive): (FormulaId, bool),
        done: &FxHashMap<(FormulaId, bool), NormalId>,
    ) -> NormalId {
        let get = |g: FormulaId| done[&(g, positive)];
        match *formulas.node(f) {
            Node::True => self.constant(positive),
            Node::False => self.constant(!positive),
            Node::Atom(atom) => {
                let letters = alphabet.guard(atom, guards);
                let letters = if positive { letters } else { guards.not(letters) };
                self.letters(letters)
            }
            Node::Not(g) => done[&(g, !positive)],
            Node::And(ref gs) | Node::Or(ref gs) => {
                let conjunction = matches!(formulas.node(f), Node::And(_)) == positive;
                let operands = gs.iter().map(|&g| get(g)).collect();
                self.nary(operands, conjunction, guards)
            }
            Node::Iff(a, b) => {
                let both = self.nary(vec![done[&(a, true)], done[&(b, positive)]], true, guards);
                let neither = self.nary(vec![done[&(a, false)], done[&(b, !positive)]], true, guards);
                self.nary(vec![both, neither], false, guards)
            }
            Node::Next(g) => self.next(get(g)),
            Node::Finally(g) => {
                // F g, or ¬F g = G ¬g.
                let (top, bottom) = (self.constant(true), self.constant(false));
                if positive { self.until(top, get(g), true) } else { self.release(bottom, get(g), false) }
            }
            Node::Globally(g) => {
                let (top, bottom) = (self.constant(true), self.constant(false));
                if positive { self.release(bottom, get(g), false) } else { self.until(top, get(g), true) }
            }
            // The negation of a least fixpoint is the greatest of the dual, and conversely.
            Node::Until(a, b) if positive => self.until(get(a), get(b), true),
            Node::Until(a, b) => self.release(get(a), get(b), false),
            Node::WeakUntil(a, b) if positive => self.until(get(a), get(b), false),
            Node::WeakUntil(a, b) => self.release(get(a), get(b), true),
            Node::Release(a, b) if positive => self.release(get(a), get(b), false),
            Node::Release(a, b) => self.until(get(a), get(b), true),
            Node::StrongRelease(a, b) if positive => self.release(get(a), get(b), true),
            Node::StrongRelease(a, b) => self.until(get(a), get(b), false),
        }
    }

    fn intern(&mut self, node: Normal) -> NormalId {
        if let Some(&f) = self.index.get(&node) {
            return f;
        }
        let strong =
            matches!(node, Normal::Until { strong: true, .. } | Normal::Release { strong: true, .. });
        let f = self.nodes.push(node.clone());
        self.index.insert(node, f);
        if strong {
            self.goals.insert(f, GoalId::from_index(self.goals.len()));
        }
        f
    }
    /// The formula for a set of letters.
    pub(crate) fn letters(&mut self, letters: Guard) -> NormalId {
        self.intern(Normal::Letters(letters))
    }
    /// The set of letters that a formula stands for; `None` if it has a temporal operator.
    pub(crate) fn letters_of(&self, f: NormalId) -> Option<Guard> {
        if let Normal::Letters(letters) = *self.node(f) { Some(letters) } else { None }
    }
    fn constant(&mut self, value: bool) -> NormalId {
        self.letters(if value { Guard::TRUE } else { Guard::FALSE })
    }
    fn is(&self, f: NormalId, value: bool) -> bool {
        *self.node(f) == Normal::Letters(if value { Guard::TRUE } else { Guard::FALSE })
    }
    fn nary(&mut self, operands: Vec<NormalId>, conjunction: bool, guards: &mut Guards) -> NormalId {
        let (unit, zero) =
            if conjunction { (Guard::TRUE, Guard::FALSE) } else { (Guard::FALSE, Guard::TRUE) };
        let mut letters = unit;
        let mut rest: Vec<NormalId> = Vec::new();
        let mut stack = operands;
        while let Some(f) = stack.pop() {
            match self.node(f) {
                Normal::Letters(g) if conjunction => letters = guards.and(letters, *g),
                Normal::Letters(g) => letters = guards.or(letters, *g),
                Normal::And(gs) if conjunction => stack.extend_from_slice(gs),
                Normal::Or(gs) if !conjunction => stack.extend_from_slice(gs),
                _ => rest.push(f),
            }
        }
        if letters == zero {
            return self.letters(zero);
        }
        if letters != unit || rest.is_empty() {
            rest.push(self.letters(letters));
        }
        rest.sort_unstable();
        rest.dedup();
        match rest.len() {
            1 => rest[0],
            _ if conjunction => self.intern(Normal::And(rest.into())),
            _ => self.intern(Normal::Or(rest.into())),
        }
    }
    fn next(&mut self, f: NormalId) -> NormalId {
        if self.is(f, true) || self.is(f, false) { f } else { self.intern(Normal::Next(f)) }
    }
    fn until(&mut self, hold: NormalId, goal: NormalId, strong: bool) -> NormalId {
        if self.is(goal, true) || self.is(goal, false) && strong || self.is(hold, false) {
            goal
        } else if self.is(hold, true) && !strong {
            hold
        } else {
            self.intern(Normal::Until { hold, goal, strong })
        }
    }
    fn release(&mut self, free: NormalId, goal: NormalId, strong: bool) -> NormalId {
        if self.is(goal, false) || self.is(goal, true) && !strong || self.is(free, true) {
            goal
        } else if self.is(free, false) && strong {
            free
        } else {
            self.intern(Normal::Release { free, goal, strong })
        }
    }
}
