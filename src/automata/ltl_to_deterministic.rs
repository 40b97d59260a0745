//! Deterministic Büchi automata of Π₂ formulas: the breakpoint construction on formulas.
//!
//! A formula of Π₂ in negation normal form is an alternating weak automaton of height two: an outer layer of
//! ν-operators (G, R, W), where staying forever accepts, above an inner layer of μ-operators (F, U, M), where
//! it does not. A state of the deterministic automaton is a pair of positive Boolean formulas over
//! obligations: `all`, what the suffix must satisfy, and `pending`, what of it must leave the inner layer
//! before the next breakpoint. Both are kept as decision diagrams, so states are equal when they are
//! propositionally equivalent, and letters are never enumerated. For safety formulas `pending` is always ⊤:
//! every edge accepts, and only the dead state rejects.
//!
//! States are also merged if they are equivalent under the implications f → g between obligations that are visible in
//! their operators ([`Implications`]); `F(a & F(b & F c))` then has as many states as temporal subformulas. In `all`, f
//! becomes `f ∧ g`; in `pending`, g becomes `f ∨ g`. The values on sets of obligations that are closed under the
//! implications stay the same, and formulas that agree on all those sets become equal. Acceptance does not change. A
//! disjunction in `pending` becomes ⊤ as soon as one of its disjuncts does, and closing adds a disjunct, so every
//! breakpoint still comes. If the word violates the formula, `all` at some step contradicts obligations of the inner
//! layer that are never met; a conjunction does so as soon as one of its conjuncts does, and closing adds a conjunct,
//! so that step comes no later; after it there is at most one breakpoint.
//!
//! Sickert and Esparza, "An efficient normalisation procedure for linear temporal logic", LICS 2020, section 6
//! (from AWW\[2\] to DBA). At most 2^2^O(n) states; a handful for the conjuncts of real specifications. Checked by
//! the lasso semantics in the tests.

use super::labels::Labels;
use super::redirect::redirected;
use super::tuning::MAX_NODES;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, coarsest_partition};
use tsl_synth_core::logic::{Alphabet, BitId, Class, FormulaId, Formulas, Guard, Guards, Implications, Node};
use tsl_synth_core::model::{DeterministicBuchi, RunEdge, RunStateId};

/// Whether an obligation came from below a μ-operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum OperatorLayer {
    Outer,
    Inner,
}

/// An obligation: a formula that the suffix from here must satisfy.
type LayeredObligation = (FormulaId, OperatorLayer);

/// The automaton of a formula in negation normal form whose class is [`Class::RECURRENCE`], minimized.
///
/// # Errors
/// A limit, among them more than `max_states` states; [`LimitKind::Size`] also for formulas that are in Π₂ only
/// semantically, not syntactically.
pub fn ltl_to_deterministic(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    max_states: usize,
    budget: &Budget,
) -> Result<DeterministicBuchi, Limit> {
    let mut progression = BreakpointProgression {
        formulas,
        alphabet,
        budget,
        labels: Labels::over(alphabet),
        obligations: Vec::new(),
        index: FxHashMap::default(),
        now: FxHashMap::default(),
        relax: FxHashMap::default(),
        closed: [Vec::new(), Vec::new()],
        close: [FxHashMap::default(), FxHashMap::default()],
        unfolded: [Vec::new(), Vec::new()],
    };
    progression.labels.guards.set_stop(budget);
    let automaton = progression.explore(f, max_states)?;
    // Diagrams were cut short only where the budget ended.
    progression.tick()?;
    if progression.labels.guards.is_exhausted() {
        return Err(too_large());
    }
    Ok(minimize(redirected(minimize(automaton), budget)?))
}

struct BreakpointProgression<'a> {
    formulas: &'a mut Formulas,
    alphabet: &'a Alphabet,
    budget: &'a Budget,
    /// Diagrams over the bits of the letter, on top, and one variable per obligation below.
    labels: Labels,
    obligations: Vec<LayeredObligation>,
    index: FxHashMap<LayeredObligation, usize>,
    now: FxHashMap<LayeredObligation, Guard>,
    relax: FxHashMap<Guard, Guard>,
    /// By part of a pair: the conjunction of each obligation with those that it implies, and its disjunction with those
    /// that imply it.
    closed: [Vec<Guard>; 2],
    close: [FxHashMap<Guard, Guard>; 2],
    /// By part of a pair: the one-step unfolding of each obligation over the bits of the letter and the obligations of
    /// the next step, closed.
    unfolded: [Vec<Guard>; 2],
}

/// The parts of a pair.
const ALL: usize = 0;
const PENDING: usize = 1;

/// A state: what must hold, and what of it must be resolved before the next breakpoint.
type BreakpointPair = (Guard, Guard);

impl BreakpointProgression<'_> {
    fn explore(&mut self, f: FormulaId, max_states: usize) -> Result<DeterministicBuchi, Limit> {
        let what = || too_many(max_states);
        let mut pairs: Vec<BreakpointPair> = Vec::new();
        let mut ids: FxHashMap<BreakpointPair, RunStateId> = FxHashMap::default();
        let all = self.later(f, OperatorLayer::Outer)?;
        self.relate()?;
        let all = self.closed(ALL, all)?;
        let first = (all, self.owed(all)?);
        pairs.push(first);
        ids.insert(first, RunStateId::from_index(0));
        let mut states: IdVec<RunStateId, Vec<RunEdge>> = IdVec::new();
        let mut guards = self.alphabet.guards();
        while states.len() < pairs.len() {
            let (all, pending) = pairs[states.len()];
            if all == Guard::FALSE {
                let next = RunStateId::from_index(states.len());
                states.push(vec![RunEdge { next, accepting: false, guard: Guard::TRUE }]);
                continue;
            }
            let all = self.step(ALL, all)?;
            let pending = self.step(PENDING, pending)?;
            let mut out = Vec::new();
            for (guard, (all, pending)) in self.branches(all, pending, max_states)? {
                let dead = all == Guard::FALSE;
                let accepting = pending == Guard::TRUE && !dead;
                let pending = match (dead, accepting) {
                    (true, _) => Guard::FALSE,
                    (false, true) => self.owed(all)?,
                    (false, false) => pending,
                };
                let next = *ids.entry((all, pending)).or_insert_with_key(|&pair| {
                    pairs.push(pair);
                    RunStateId::from_index(pairs.len() - 1)
                });
                let guard = self.labels.guards.copy_into(guard, &mut guards);
                out.push(RunEdge { next, accepting, guard });
                self.budget.tick(1, what)?;
            }
            states.push(merged(&mut guards, out));
            if pairs.len() > max_states {
                return Err(Limit::new(LimitKind::Size, what()));
            }
        }
        let dead = ids.get(&(Guard::FALSE, Guard::FALSE)).copied();
        Ok(DeterministicBuchi { guards, states, initial: RunStateId::from_index(0), dead })
    }

    /// Counts an operation on diagrams, which makes them at most a few times larger, and checks their size.
    fn tick(&self) -> Result<(), Limit> {
        if self.labels.guards.node_count() > MAX_NODES {
            return Err(too_large());
        }
        self.budget.tick(1, || "a deterministic automaton".into())
    }

    fn variable(&self, obligation: usize) -> BitId {
        BitId::from_index(self.alphabet.bit_count() + obligation)
    }

    /// The variable of an obligation.
    fn obligation(&mut self, obligation: LayeredObligation) -> Guard {
        let next = self.obligations.len();
        let id = *self.index.entry(obligation).or_insert(next);
        if id == next {
            self.obligations.push(obligation);
        }
        let variable = self.variable(id);
        self.labels.guards.bit(variable)
    }

    /// A formula as a requirement on the next step: its Boolean structure over obligations.
    fn later(&mut self, f: FormulaId, layer: OperatorLayer) -> Result<Guard, Limit> {
        self.structure(f, &mut |this, g| this.obligation((g, layer)))
    }

    /// Maps the And/Or skeleton of a formula; `leaf` maps the Boolean and temporal formulas below it. Operands have
    /// smaller ids, so an ordered pass suffices.
    fn structure(
        &mut self,
        f: FormulaId,
        leaf: &mut dyn FnMut(&mut Self, FormulaId) -> Guard,
    ) -> Result<Guard, Limit> {
        let mut skeleton = vec![f];
        let mut i = 0;
        while i < skeleton.len() {
            let g = skeleton[i];
            i += 1;
            if !self.formulas.class(g).is(Class::BOOLEAN)
                && let Node::And(gs) | Node::Or(gs) = self.formulas.node(g)
            {
                skeleton.extend(gs.iter().copied());
            }
        }
        skeleton.sort_unstable();
        skeleton.dedup();
        let mut value: FxHashMap<FormulaId, Guard> = FxHashMap::default();
        for g in skeleton {
            self.tick()?;
            let boolean = self.formulas.class(g).is(Class::BOOLEAN);
            let result = match self.formulas.node(g) {
                Node::True => Guard::TRUE,
                Node::False => Guard::FALSE,
                Node::And(hs) if !boolean => {
                    hs.iter().fold(Guard::TRUE, |sum, h| self.labels.guards.and(sum, value[h]))
                }
                Node::Or(hs) if !boolean => {
                    hs.iter().fold(Guard::FALSE, |sum, h| self.labels.guards.or(sum, value[h]))
                }
                _ => leaf(self, g),
            };
            value.insert(g, result);
        }
        Ok(value[&f])
    }

    /// The one-step unfolding of a formula: over the present letter and the obligations of the next step.
    fn unfold(&mut self, f: FormulaId, layer: OperatorLayer) -> Result<Guard, Limit> {
        // An explicit stack instead of recursion: a formula is combined after its operands.
        if let Some(&guard) = self.now.get(&(f, layer)) {
            return Ok(guard);
        }
        let mut stack = vec![(f, layer)];
        while let Some(&(g, layer)) = stack.last() {
            if self.now.contains_key(&(g, layer)) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for operand in self.present_operands(g, layer)? {
                if !self.now.contains_key(&operand) {
                    stack.push(operand);
                }
            }
            if stack.len() == before {
                let guard = self.combine(g, layer)?;
                self.now.insert((g, layer), guard);
                stack.pop();
            }
        }
        Ok(self.now[&(f, layer)])
    }

    /// The formulas whose present value decides the present value of `f`.
    fn present_operands(
        &mut self,
        f: FormulaId,
        layer: OperatorLayer,
    ) -> Result<Vec<LayeredObligation>, Limit> {
        if self.formulas.class(f).is(Class::BOOLEAN) {
            return Ok(Vec::new());
        }
        let node = self.formulas.node(f).clone();
        Ok(match node {
            Node::Next(_) => Vec::new(),
            Node::And(gs) | Node::Or(gs) => gs.iter().map(|&g| (g, layer)).collect(),
            Node::Globally(g) => vec![(g, outer(layer)?)],
            Node::Release(a, b) | Node::WeakUntil(a, b) => {
                let layer = outer(layer)?;
                vec![(a, layer), (b, layer)]
            }
            Node::Finally(g) => vec![(g, OperatorLayer::Inner)],
            Node::Until(..) | Node::StrongRelease(..) => match self.parts(f, layer) {
                Some(parts) => parts.map(|g| (g, layer)).to_vec(),
                None => match node {
                    Node::Until(a, b) | Node::StrongRelease(a, b) => {
                        vec![(a, OperatorLayer::Inner), (b, OperatorLayer::Inner)]
                    }
                    _ => unreachable!("matched above"),
                },
            },
            _ => unreachable!("normal forms have no other temporal operators"),
        })
    }

    /// `a U b` with a of Π₂ is `(a W b) & F b`, and `a M b` is `(a R b) & F(a & b)`.
    fn parts(&mut self, f: FormulaId, layer: OperatorLayer) -> Option<[FormulaId; 2]> {
        if layer == OperatorLayer::Inner || self.formulas.class(f).is(Class::COSAFETY) {
            return None;
        }
        match *self.formulas.node(f) {
            Node::Until(a, b) => Some([self.formulas.weak_until(a, b), self.formulas.finally(b)]),
            Node::StrongRelease(a, b) => {
                let both = self.formulas.and([a, b]);
                Some([self.formulas.release(a, b), self.formulas.finally(both)])
            }
            _ => None,
        }
    }

    fn combine(&mut self, f: FormulaId, layer: OperatorLayer) -> Result<Guard, Limit> {
        if self.formulas.class(f).is(Class::BOOLEAN) {
            let guard = self.labels.guard_within(self.formulas, self.alphabet, f, MAX_NODES);
            return guard.ok_or_else(too_large);
        }
        let node = self.formulas.node(f).clone();
        let now = |this: &Self, g: FormulaId, layer| this.now[&(g, layer)];
        Ok(match node {
            Node::Next(g) => self.later(g, layer)?,
            Node::And(gs) => gs.iter().try_fold(Guard::TRUE, |sum, &g| {
                let value = self.now[&(g, layer)];
                self.tick()?;
                Ok(self.labels.guards.and(sum, value))
            })?,
            Node::Or(gs) => gs.iter().try_fold(Guard::FALSE, |sum, &g| {
                let value = self.now[&(g, layer)];
                self.tick()?;
                Ok(self.labels.guards.or(sum, value))
            })?,
            Node::Globally(g) => {
                let stay = self.obligation((f, layer));
                self.labels.guards.and(now(self, g, layer), stay)
            }
            Node::Finally(g) => {
                let stay = self.obligation((f, OperatorLayer::Inner));
                self.labels.guards.or(now(self, g, OperatorLayer::Inner), stay)
            }
            Node::WeakUntil(a, b) => self.until(f, now(self, a, layer), now(self, b, layer), layer),
            Node::Release(a, b) => self.release(f, now(self, a, layer), now(self, b, layer), layer),
            Node::Until(a, b) | Node::StrongRelease(a, b) => {
                if let Some([weak, eventual]) = self.parts(f, layer) {
                    return Ok(self.labels.guards.and(now(self, weak, layer), now(self, eventual, layer)));
                }
                let (left, right) = (now(self, a, OperatorLayer::Inner), now(self, b, OperatorLayer::Inner));
                match node {
                    Node::Until(..) => self.until(f, left, right, OperatorLayer::Inner),
                    _ => self.release(f, left, right, OperatorLayer::Inner),
                }
            }
            _ => unreachable!("normal forms have no other temporal operators"),
        })
    }

    /// b ∨ (a ∧ X f)
    fn until(&mut self, f: FormulaId, a: Guard, b: Guard, layer: OperatorLayer) -> Guard {
        let stay = self.obligation((f, layer));
        let go_on = self.labels.guards.and(a, stay);
        self.labels.guards.or(b, go_on)
    }
    /// b ∧ (a ∨ X f)
    fn release(&mut self, f: FormulaId, a: Guard, b: Guard, layer: OperatorLayer) -> Guard {
        let stay = self.obligation((f, layer));
        let go_on = self.labels.guards.or(a, stay);
        self.labels.guards.and(b, go_on)
    }

    /// Unfolds all obligations and closes them under the implications between them.
    fn relate(&mut self) -> Result<(), Limit> {
        let mut unfolded = Vec::new();
        while let Some(&(f, layer)) = self.obligations.get(unfolded.len()) {
            unfolded.push(self.unfold(f, layer)?);
        }
        let formulas: Vec<FormulaId> = self.obligations.iter().map(|&(f, _)| f).collect();
        let implications = Implications::between(self.formulas, &formulas);
        for i in 0..formulas.len() {
            let this = self.variable(i);
            let this = self.labels.guards.bit(this);
            let mut closed = [this, this];
            for j in (0..formulas.len()).filter(|&j| j != i) {
                let other = self.variable(j);
                let other = self.labels.guards.bit(other);
                if implications.holds(formulas[i], formulas[j]) {
                    closed[ALL] = self.labels.guards.and(closed[ALL], other);
                }
                if self.obligations[j].1 == OperatorLayer::Inner
                    && implications.holds(formulas[j], formulas[i])
                {
                    closed[PENDING] = self.labels.guards.or(closed[PENDING], other);
                }
            }
            self.closed[ALL].push(closed[ALL]);
            self.closed[PENDING].push(closed[PENDING]);
            self.tick()?;
        }
        for part in [ALL, PENDING] {
            for &guard in &unfolded {
                let guard = self.closed(part, guard)?;
                self.unfolded[part].push(guard);
            }
        }
        Ok(())
    }

    /// Closes one part of a pair under the implications, so that formulas that are equivalent under them become equal.
    fn closed(&mut self, part: usize, guard: Guard) -> Result<Guard, Limit> {
        let mut close = std::mem::take(&mut self.close[part]);
        let result = self.map(guard, &mut close, &mut |this, obligation| Ok(this.closed[part][obligation]));
        self.close[part] = close;
        result
    }

    /// The new `pending` after a breakpoint, closed.
    fn owed(&mut self, all: Guard) -> Result<Guard, Limit> {
        let pending = self.relaxed(all)?;
        self.closed(PENDING, pending)
    }

    /// Replaces obligations of the outer layer by ⊤: only those of the inner layer must be resolved.
    fn relaxed(&mut self, guard: Guard) -> Result<Guard, Limit> {
        let mut relax = std::mem::take(&mut self.relax);
        let result = self.map(guard, &mut relax, &mut |this, obligation| {
            let (_, layer) = this.obligations[obligation];
            Ok(match layer {
                OperatorLayer::Outer => Guard::TRUE,
                OperatorLayer::Inner => {
                    let variable = this.variable(obligation);
                    this.labels.guards.bit(variable)
                }
            })
        });
        self.relax = relax;
        result
    }

    /// Unfolds every obligation in one part of a pair by one step.
    fn step(&mut self, part: usize, guard: Guard) -> Result<Guard, Limit> {
        self.map(
            guard,
            &mut FxHashMap::default(),
            &mut |this, obligation| Ok(this.unfolded[part][obligation]),
        )
    }

    /// Replaces every obligation at once. Recursion is as deep as there are bits and obligations.
    fn map(
        &mut self,
        guard: Guard,
        done: &mut FxHashMap<Guard, Guard>,
        replace: &mut dyn FnMut(&mut Self, usize) -> Result<Guard, Limit>,
    ) -> Result<Guard, Limit> {
        let Some((variable, low, high)) = self.labels.guards.branch(guard) else { return Ok(guard) };
        if let Some(&result) = done.get(&guard) {
            return Ok(result);
        }
        let low = self.map(low, done, replace)?;
        let high = self.map(high, done, replace)?;
        let condition = match variable.index().checked_sub(self.alphabet.bit_count()) {
            Some(obligation) => replace(self, obligation)?,
            None => self.labels.guards.bit(variable),
        };
        let result = self.labels.guards.ite(condition, high, low);
        self.tick()?;
        done.insert(guard, result);
        Ok(result)
    }

    /// The pairs of formulas over obligations at the leaves of two diagrams, each with its letters. More than twice
    /// `most` are an error: a state comes from at most two pairs, with and without a breakpoint.
    fn branches(
        &mut self,
        all: Guard,
        pending: Guard,
        most: usize,
    ) -> Result<Vec<(Guard, BreakpointPair)>, Limit> {
        let mut done: FxHashMap<BreakpointPair, Vec<(Guard, BreakpointPair)>> = FxHashMap::default();
        self.branch(all, pending, most, &mut done)?;
        Ok(done.remove(&(all, pending)).unwrap_or_default())
    }

    fn branch(
        &mut self,
        all: Guard,
        pending: Guard,
        most: usize,
        done: &mut FxHashMap<BreakpointPair, Vec<(Guard, BreakpointPair)>>,
    ) -> Result<(), Limit> {
        if done.contains_key(&(all, pending)) {
            return Ok(());
        }
        let bits = self.alphabet.bit_count();
        let letter = |guards: &Guards, g| guards.branch(g).filter(|(bit, ..)| bit.index() < bits);
        let (a, p) = (letter(&self.labels.guards, all), letter(&self.labels.guards, pending));
        let tops = a.iter().chain(p.iter()).map(|&(bit, ..)| bit);
        let Some(bit) = self.labels.guards.topmost(tops) else {
            let rest = if all == Guard::FALSE { all } else { pending };
            done.insert((all, pending), vec![(Guard::TRUE, (all, rest))]);
            return Ok(());
        };
        let cofactors = |part: Option<(BitId, Guard, Guard)>, whole| match part {
            Some((b, low, high)) if b == bit => (low, high),
            _ => (whole, whole),
        };
        let ((a0, a1), (p0, p1)) = (cofactors(a, all), cofactors(p, pending));
        self.branch(a0, p0, most, done)?;
        self.branch(a1, p1, most, done)?;
        let mut merged: Vec<(BreakpointPair, Guard, Guard)> =
            done[&(a0, p0)].iter().map(|&(guard, pair)| (pair, guard, Guard::FALSE)).collect();
        let index_of: FxHashMap<BreakpointPair, usize> =
            merged.iter().enumerate().map(|(i, m)| (m.0, i)).collect();
        for &(guard, pair) in &done[&(a1, p1)] {
            match index_of.get(&pair) {
                Some(&i) => merged[i].2 = guard,
                None => merged.push((pair, Guard::FALSE, guard)),
            }
        }
        self.budget.tick(merged.len() as u64, || "a deterministic automaton".into())?;
        if merged.len() > most.saturating_mul(2) {
            return Err(Limit::new(LimitKind::Size, too_many(most)));
        }
        let guards = &mut self.labels.guards;
        let merged =
            merged.into_iter().map(|(pair, low, high)| (guards.make(bit, low, high), pair)).collect();
        done.insert((all, pending), merged);
        Ok(())
    }
}

fn too_large() -> Limit {
    Limit::new(
        LimitKind::Size,
        format!("a deterministic automaton with more than {MAX_NODES} nodes of diagrams"),
    )
}

fn too_many(states: usize) -> String {
    format!("a deterministic automaton with more than {states} states")
}

/// ν-operators belong to the outer layer.
fn outer(layer: OperatorLayer) -> Result<OperatorLayer, Limit> {
    match layer {
        OperatorLayer::Outer => Ok(layer),
        OperatorLayer::Inner => {
            Err(Limit::new(LimitKind::Size, "a formula whose operators do not show that it is Π₂"))
        }
    }
}

/// One edge per next state and acceptance, in canonical order.
fn merged(guards: &mut Guards, mut edges: Vec<RunEdge>) -> Vec<RunEdge> {
    edges.sort_by_key(|e| (e.next, e.accepting));
    let mut merged: Vec<RunEdge> = Vec::with_capacity(edges.len());
    for edge in edges {
        match merged.last_mut() {
            Some(e) if e.next == edge.next && e.accepting == edge.accepting => {
                e.guard = guards.or(e.guard, edge.guard);
            }
            _ => merged.push(edge),
        }
    }
    merged
}

/// The coarsest partition; blocks are numbered by their first state, so the initial one is the first.
fn minimize(mut automaton: DeterministicBuchi) -> DeterministicBuchi {
    let DeterministicBuchi { guards, states, dead, .. } = &mut automaton;
    let initial = states.ids().map(|q| usize::from(Some(q) == *dead)).collect();
    let block =
        coarsest_partition(initial, |q, block| quotient(guards, &states[RunStateId::from_index(q)], block));
    let blocks = block.iter().max().map_or(0, |last| last + 1);
    let mut states: IdVec<RunStateId, Vec<RunEdge>> = IdVec::filled(Vec::new(), blocks);
    for (q, out) in automaton.states.enumerate() {
        states[RunStateId::from_index(block[q.index()])] = quotient(&mut automaton.guards, out, &block);
    }
    DeterministicBuchi {
        guards: automaton.guards,
        states,
        initial: RunStateId::from_index(block[0]),
        dead: automaton.dead.map(|q| RunStateId::from_index(block[q.index()])),
    }
}

/// The edges between blocks, in canonical order.
fn quotient(guards: &mut Guards, out: &[RunEdge], block: &[usize]) -> Vec<RunEdge> {
    let between = |e: &RunEdge| RunEdge { next: RunStateId::from_index(block[e.next.index()]), ..*e };
    merged(guards, out.iter().map(between).collect())
}
