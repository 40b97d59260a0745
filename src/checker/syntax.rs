//! Formulas as they are written, before negation normal form. Readers build these trees, and [`Syntax::lower`] translates
//! them. Nothing here recurses.

use crate::formula::{Arena, Atom, Formula};
use std::collections::HashMap;

/// The number of a tree in its [`Syntax`]. Operands have smaller numbers.
pub type Tree = usize;

/// A tree: operands are older trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A constant.
    Constant(bool),
    /// An atom.
    Atom(Atom),
    /// An operator with one operand.
    Unary(Unary, Tree),
    /// An operator with two operands.
    Binary(Binary, Tree, Tree),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Negation.
    Not,
    /// Next.
    Next,
    /// Finally.
    Finally,
    /// Globally.
    Globally,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Exclusive disjunction.
    Xor,
    /// Implication.
    Implies,
    /// Equivalence.
    Iff,
    /// Until.
    Until,
    /// Weak until.
    Weak,
    /// Release.
    Release,
    /// Strong release.
    Strong,
}

/// Most trees of a text.
pub const MOST_TREES: usize = 4_000_000;

/// A store of trees.
#[derive(Clone, Debug, Default)]
pub struct Syntax {
    trees: Vec<Written>,
    done: HashMap<(Tree, bool), Formula>,
}

impl Syntax {
    /// The tree with this number.
    pub fn tree(&self, tree: Tree) -> Written {
        self.trees[tree]
    }

    /// Adds a tree.
    ///
    /// # Errors
    /// There are too many.
    pub fn add(&mut self, written: Written) -> Result<Tree, String> {
        if self.trees.len() >= MOST_TREES {
            return Err(format!("more than {MOST_TREES} operators"));
        }
        self.trees.push(written);
        Ok(self.trees.len() - 1)
    }

    /// Adds an operator with one operand; constants are negated at once.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn unary(&mut self, op: Unary, operand: Tree) -> Result<Tree, String> {
        match (op, self.trees[operand]) {
            (Unary::Not, Written::Constant(value)) => self.add(Written::Constant(!value)),
            _ => self.add(Written::Unary(op, operand)),
        }
    }

    /// Adds an operator with two operands; conjunctions and disjunctions with constants are computed at once.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn binary(&mut self, op: Binary, p: Tree, q: Tree) -> Result<Tree, String> {
        // The value that decides the result by itself.
        let zero = match op {
            Binary::And => false,
            Binary::Or => true,
            _ => return self.add(Written::Binary(op, p, q)),
        };
        match (self.trees[p], self.trees[q]) {
            (Written::Constant(value), _) => Ok(if value == zero { p } else { q }),
            (_, Written::Constant(value)) => Ok(if value == zero { q } else { p }),
            _ => self.add(Written::Binary(op, p, q)),
        }
    }

    /// The operands of the largest conjunction or disjunction at the top of a tree.
    fn chain(&self, op: Binary, tree: Tree) -> Vec<Tree> {
        let (mut found, mut todo) = (Vec::new(), vec![tree]);
        while let Some(t) = todo.pop() {
            match self.trees[t] {
                Written::Binary(same, p, q) if same == op => todo.extend([p, q]),
                _ => found.push(t),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The trees with signs that the normal form of a tree with a sign is made of.
    fn parts(&self, (tree, sign): (Tree, bool)) -> Vec<(Tree, bool)> {
        match self.trees[tree] {
            Written::Constant(_) | Written::Atom(_) => Vec::new(),
            Written::Unary(op, p) => vec![(p, sign != (op == Unary::Not))],
            Written::Binary(op, p, q) => match op {
                Binary::And | Binary::Or => self.chain(op, tree).into_iter().map(|t| (t, sign)).collect(),
                Binary::Implies => vec![(p, !sign), (q, sign)],
                Binary::Xor | Binary::Iff => vec![(p, true), (p, false), (q, true), (q, false)],
                _ => vec![(p, sign), (q, sign)],
            },
        }
    }

    /// The negation normal form. Linear in the trees below.
    pub fn lower(&mut self, root: Tree, arena: &mut Arena) -> Formula {
        let mut todo = vec![(root, true)];
        while let Some(&key) = todo.last() {
            if self.done.contains_key(&key) {
                todo.pop();
                continue;
            }
            let parts = self.parts(key);
            let open: Vec<_> = parts.iter().copied().filter(|part| !self.done.contains_key(part)).collect();
            if open.is_empty() {
                let operands: Vec<Formula> = parts.iter().map(|part| self.done[part]).collect();
                let formula = self.build(key, &operands, arena);
                self.done.insert(key, formula);
                todo.pop();
            } else {
                todo.extend(open);
            }
        }
        self.done[&(root, true)]
    }

    fn build(&self, (tree, sign): (Tree, bool), parts: &[Formula], arena: &mut Arena) -> Formula {
        let (top, bottom) = (arena.constant(true), arena.constant(false));
        match (self.trees[tree], parts) {
            (Written::Constant(value), _) => arena.constant(value == sign),
            (Written::Atom(atom), _) => arena.literal(atom, sign),
            (Written::Unary(Unary::Next, _), &[f]) => arena.next(f),
            (Written::Unary(Unary::Finally, _), &[f]) if sign => arena.until(top, f),
            (Written::Unary(Unary::Globally, _), &[f]) if !sign => arena.until(top, f),
            (Written::Unary(Unary::Finally | Unary::Globally, _), &[f]) => arena.release(bottom, f),
            (Written::Unary(Unary::Not, _), &[f]) => f,
            (Written::Binary(Binary::And, ..), fs) if sign => arena.and(fs.iter().copied()),
            (Written::Binary(Binary::Or, ..), fs) if !sign => arena.and(fs.iter().copied()),
            (Written::Binary(Binary::And | Binary::Or, ..), fs) => arena.or(fs.iter().copied()),
            (Written::Binary(Binary::Implies, ..), &[p, q]) if sign => arena.or([p, q]),
            (Written::Binary(Binary::Implies, ..), &[p, q]) => arena.and([p, q]),
            (Written::Binary(op, ..), &[p, not_p, q, not_q]) => {
                let equal = (op == Binary::Iff) == sign;
                let (q, not_q) = if equal { (q, not_q) } else { (not_q, q) };
                let (both, none) = (arena.and([p, q]), arena.and([not_p, not_q]));
                arena.or([both, none])
            }
            (Written::Binary(op, ..), &[p, q]) => match (op, sign) {
                (Binary::Until, true) | (Binary::Release, false) => arena.until(p, q),
                (Binary::Release, true) | (Binary::Until, false) => arena.release(p, q),
                (Binary::Weak, true) | (Binary::Strong, false) => arena.weak(p, q),
                _ => arena.strong(p, q),
            },
            // `parts` gives as many operands as the operator has.
            _ => bottom,
        }
    }
}
