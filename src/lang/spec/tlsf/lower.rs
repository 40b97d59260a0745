//! Lowers trees to LTL on infinite words. The parts of a file become the roles of a contract as follows.
//!
//! With θ, ψ, φ the initial, invariant and other formulas of the environment (e) and the system (s), a file
//! means `θe → (θs ∧ (G ψe ∧ φe → G ψs ∧ φs))`; with `Strict` semantics
//! `θe → (θs ∧ (ψs W ¬ψe) ∧ (G ψe ∧ φe → φs))` (Jacobs, Klein and Schirmer 2016, Section 3). Both are the
//! contract `R ∧ (A → G)` with R the clauses `θe → θs` and `θe → (ψs W ¬ψe)`, A the clauses θe, G ψe and φe,
//! and G the clauses G ψs (not `Strict`) and φs: nothing is multiplied out, as `W` distributes over the
//! conjunction on its left.
//!
//! *Models.* A Moore system for φ is a Mealy system for φ with a delay of one step on every input (`i` becomes
//! `X i`): what it knew of step n it now learns in step n + 1. A Moore system that simulates a Mealy one
//! answers with a delay of one step (`o` becomes `X o`).
//!
//! *Finite words.* An output `done` ends the word: it must occur, and formulas are interpreted over the steps up to and
//! including its first occurrence. De Giacomo and Vardi (2013) use the complement, `alive`. A Moore system can end the
//! word only after it has read the last input, so its `done` comes one step later. In the last step of a word each
//! formula is equivalent to a Boolean formula, and `F G f` and `G F f` both mean that `f` holds in the last step.
//!
//! *Past operators* become registers, see [`past`](super::past).

use super::past::TlsfPast;
use super::tree::{FormulaTree, TreeId, Trees};
use tsl_synth_core::base::{Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, AtomId, FormulaId, Formulas, Player};
use tsl_synth_core::model::Register;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// The interpretation of atoms and operators.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TimingReading {
    /// An input `i` is lowered to `X i`.
    pub(super) delayed_inputs: bool,
    /// An output `o` is lowered to `X o`.
    pub(super) delayed_outputs: bool,
    /// For finite words, the output that ends them, and whether it comes one step later.
    pub(super) done: Option<(AtomId, bool)>,
}

/// Lowers trees to formulas.
pub(super) struct TlsfLowering<'a> {
    pub(super) formulas: &'a mut Formulas,
    /// For each atom, whether it is lowered to its value in the next step.
    delayed: Vec<bool>,
    done: Option<FormulaId>,
    lowered: IdVec<TreeId, FormulaId>,
    /// For finite words, what each tree means in the last step.
    in_last: IdVec<TreeId, FormulaId>,
}

impl<'a> TlsfLowering<'a> {
    /// Lowers all trees, and returns the registers of their past operators, whose atoms are added to the alphabet.
    /// Linear.
    ///
    /// # Errors
    /// Past operators need more registers than the limit.
    pub(super) fn new(
        trees: &Trees,
        reading: TimingReading,
        alphabet: &mut Alphabet,
        formulas: &'a mut Formulas,
    ) -> Result<(Self, Vec<Register>), Limit> {
        let is_delayed = |atom| match alphabet.player(atom) {
            Player::Environment => reading.delayed_inputs,
            Player::System => reading.delayed_outputs,
        };
        let delayed: Vec<bool> =
            (0..alphabet.atoms().len()).map(AtomId::from_index).map(is_delayed).collect();
        let (lowered, in_last) = (IdVec::new(), IdVec::new());
        let mut this = Self { formulas, delayed, done: None, lowered, in_last };
        if let Some((done, later)) = reading.done {
            let mut end = this.atom(done);
            if later {
                end = this.formulas.next(end);
            }
            this.done = Some(end);
        }
        let mut past = TlsfPast::new(trees, alphabet, reading.delayed_inputs || reading.delayed_outputs);
        for id in trees.ids() {
            let register = past.operator(trees, id, (&this.lowered, &this.delayed), this.formulas)?;
            let formula = register.unwrap_or_else(|| this.tree(trees, trees.get(id)));
            this.lowered.push(formula);
            if this.done.is_some() {
                let in_last = register.unwrap_or_else(|| this.tree_in_last(trees.get(id)));
                this.in_last.push(in_last);
            }
        }
        Ok((this, past.registers()))
    }
    /// The formula of a tree.
    pub(super) fn get(&self, id: TreeId) -> FormulaId {
        self.lowered[id]
    }
    /// The end of the word, for finite words.
    pub(super) fn done(&self) -> Option<FormulaId> {
        self.done
    }

    fn atom(&mut self, atom: AtomId) -> FormulaId {
        let formula = self.formulas.atom(atom);
        if self.delayed[atom.index()] { self.formulas.next(formula) } else { formula }
    }

    fn tree(&mut self, trees: &Trees, tree: FormulaTree) -> FormulaId {
        if let Some(done) = self.done
            && let Some(inner) = decided_last(trees, tree)
        {
            let last = self.formulas.and([done, self.in_last[inner]]);
            return self.finally(last);
        }
        match tree {
            FormulaTree::Bool(value) => self.formulas.constant(value),
            FormulaTree::Atom(atom) => self.atom(atom),
            FormulaTree::Unary(op, a) => {
                let a = self.get(a);
                match op {
                    UnaryOp::Not => self.formulas.not(a),
                    UnaryOp::Next => self.next(a, false),
                    UnaryOp::Finally => self.finally(a),
                    _ => self.globally(a),
                }
            }
            FormulaTree::StrongNext(a) => {
                let a = self.get(a);
                self.next(a, true)
            }
            FormulaTree::Binary(op, a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                self.binary(op, a, b)
            }
        }
    }

    /// What a tree of future operators means in the last step of a word, where no step follows.
    fn tree_in_last(&mut self, tree: FormulaTree) -> FormulaId {
        let fs = &mut *self.formulas;
        match tree {
            FormulaTree::Bool(value) => fs.constant(value),
            FormulaTree::Atom(atom) => self.atom(atom),
            FormulaTree::Unary(UnaryOp::Not, a) => fs.not(self.in_last[a]),
            FormulaTree::Unary(UnaryOp::Next, _) => fs.top(),
            FormulaTree::StrongNext(_) => fs.bottom(),
            // `F` and `G`.
            FormulaTree::Unary(_, a) => self.in_last[a],
            FormulaTree::Binary(op, a, b) => {
                let (a, b) = (self.in_last[a], self.in_last[b]);
                match op {
                    BinaryOp::Until | BinaryOp::Release => b,
                    BinaryOp::WeakUntil => fs.or([a, b]),
                    BinaryOp::StrongRelease => fs.and([a, b]),
                    _ => self.binary(op, a, b),
                }
            }
        }
    }

    fn next(&mut self, a: FormulaId, strong: bool) -> FormulaId {
        let fs = &mut *self.formulas;
        // On finite words, `X[!] true` is not valid: it fails in the last step.
        match (self.done, strong) {
            (None, _) => fs.next(a),
            (Some(done), false) => {
                let next = fs.next(a);
                fs.or([done, next])
            }
            (Some(done), true) => {
                let (alive, next) = (fs.not(done), fs.next(a));
                fs.and([alive, next])
            }
        }
    }
    pub(super) fn finally(&mut self, a: FormulaId) -> FormulaId {
        if self.done.is_none() {
            return self.formulas.finally(a);
        }
        let top = self.formulas.top();
        self.until(top, a)
    }
    pub(super) fn globally(&mut self, a: FormulaId) -> FormulaId {
        match self.done {
            None => self.formulas.globally(a),
            Some(done) => self.formulas.release(done, a),
        }
    }
    fn until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let fs = &mut *self.formulas;
        match self.done {
            None => fs.until(a, b),
            Some(done) => {
                let alive = fs.not(done);
                let a = fs.and([a, alive]);
                fs.until(a, b)
            }
        }
    }
    fn release(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let fs = &mut *self.formulas;
        match self.done {
            None => fs.release(a, b),
            Some(done) => {
                let a = fs.or([a, done]);
                fs.release(a, b)
            }
        }
    }
    pub(super) fn weak_until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        if self.done.is_none() {
            return self.formulas.weak_until(a, b);
        }
        let either = self.formulas.or([a, b]);
        self.release(b, either)
    }
    fn strong_release(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        if self.done.is_none() {
            return self.formulas.strong_release(a, b);
        }
        let both = self.formulas.and([a, b]);
        self.until(b, both)
    }
    fn binary(&mut self, op: BinaryOp, a: FormulaId, b: FormulaId) -> FormulaId {
        match op {
            BinaryOp::And => self.formulas.and([a, b]),
            BinaryOp::Or => self.formulas.or([a, b]),
            BinaryOp::Implies => self.formulas.implies(a, b),
            BinaryOp::Iff => self.formulas.iff(a, b),
            BinaryOp::Until => self.until(a, b),
            BinaryOp::Release => self.release(a, b),
            BinaryOp::WeakUntil => self.weak_until(a, b),
            BinaryOp::StrongRelease => self.strong_release(a, b),
            _ => unreachable!("not an operator of formulas"),
        }
    }
}

/// The operand f of `F G f` or `G F f`, whose value in the last step of a finite word is that of the formula.
fn decided_last(trees: &Trees, tree: FormulaTree) -> Option<TreeId> {
    let FormulaTree::Unary(outer, inner) = tree else { return None };
    let FormulaTree::Unary(op, f) = trees.get(inner) else { return None };
    let pair = (outer, op);
    let alternates =
        matches!(pair, (UnaryOp::Finally, UnaryOp::Globally) | (UnaryOp::Globally, UnaryOp::Finally));
    alternates.then_some(f)
}
