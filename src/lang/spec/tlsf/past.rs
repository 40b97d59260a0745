//! Past operators in TLSF, by the registers of [`past_ltl`](crate::spec::past_ltl). Where atoms are delayed (see
//! [`lower`](super::lower)), `X i` is the value of `i` in the step that a formula is about, so registers, which store
//! what a letter says, follow the values of one step before: there a delayed atom is `i` itself, and one without a delay
//! is a register. The first step has none before it; `started` is false there and true afterwards.

use super::tree::{FormulaTree, TreeId, Trees};
use crate::spec::past_ltl::{LONG, PastAtoms};
use tsl_synth_core::base::{Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas};
use tsl_synth_core::model::Register;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// The past operators of a file, while its trees are lowered in order.
pub(super) struct TlsfPast<'a> {
    atoms: PastAtoms<'a>,
    names: Vec<String>,
    /// Whether some atoms are delayed.
    is_delayed: bool,
    /// The trees that past operators need.
    needed: Vec<bool>,
    /// Where atoms are delayed: the value that each needed tree had in the step before. It has no meaning in the first
    /// step; `false` for the trees that are not needed.
    earlier: IdVec<TreeId, FormulaId>,
}

impl<'a> TlsfPast<'a> {
    pub(super) fn new(trees: &Trees, alphabet: &'a mut Alphabet, is_delayed: bool) -> Self {
        let names = alphabet.atoms().iter().map(|atom| atom.name.clone()).collect();
        let needed = if is_delayed { needed(trees) } else { Vec::new() };
        Self { atoms: PastAtoms::new(alphabet), names, is_delayed, needed, earlier: IdVec::new() }
    }

    /// The registers that were made.
    pub(super) fn registers(self) -> Vec<Register> {
        self.atoms.registers
    }

    /// The formula of a past operator, `None` for another tree. The trees have to come in order; `lowered` are the
    /// formulas of those before, and `delayed` tells which atoms are delayed.
    ///
    /// # Errors
    /// More registers than the limit.
    pub(super) fn operator(
        &mut self,
        trees: &Trees,
        id: TreeId,
        (lowered, delayed): (&IdVec<TreeId, FormulaId>, &[bool]),
        fs: &mut Formulas,
    ) -> Result<Option<FormulaId>, Limit> {
        if self.is_delayed {
            let earlier =
                if self.needed[id.index()] { self.before(trees.get(id), delayed, fs)? } else { fs.bottom() };
            self.earlier.push(earlier);
        }
        let (is_past, operands) = match trees.get(id) {
            FormulaTree::Unary(op, a) => (op.is_past(), [a, a]),
            FormulaTree::Binary(op, a, b) => (op.is_past(), [a, b]),
            _ => return Ok(None),
        };
        let [a, b] = operands.map(|operand| lowered[operand]);
        if !is_past {
            return Ok(None);
        }
        let text = || self.text(trees, id);
        Ok(Some(match (trees.get(id), self.is_delayed) {
            (FormulaTree::Unary(op, _), false) => {
                let text = text();
                self.atoms.unary(fs, op, a, text)?
            }
            (FormulaTree::Binary(op, ..), false) => {
                let text = text();
                self.atoms.binary(fs, op, (a, b), text)?
            }
            (tree, _) => self.delayed(tree, operands, (a, b), self.earlier[id], fs)?,
        }))
    }

    fn started(&mut self, fs: &mut Formulas) -> Result<FormulaId, Limit> {
        let top = fs.top();
        self.atoms.yesterday(fs, top, None)
    }

    /// A past operator where atoms are delayed, from the formulas `now` of its operands and its own value `earlier`.
    fn delayed(
        &mut self,
        tree: FormulaTree,
        operands: [TreeId; 2],
        now: (FormulaId, FormulaId),
        earlier: FormulaId,
        fs: &mut Formulas,
    ) -> Result<FormulaId, Limit> {
        let started = self.started(fs)?;
        let before = self.earlier[operands[0]];
        Ok(match tree {
            FormulaTree::Unary(UnaryOp::Yesterday, _) => fs.and([started, before]),
            FormulaTree::Unary(UnaryOp::WeakYesterday, _) => fs.implies(started, before),
            // `O f` is `f || Y O f`, and `H f` is `f && Z H f`.
            FormulaTree::Unary(UnaryOp::Once, _) => {
                let kept = fs.and([started, earlier]);
                fs.or([now.0, kept])
            }
            FormulaTree::Unary(..) => {
                let kept = fs.implies(started, earlier);
                fs.and([now.0, kept])
            }
            // `a S b` is `b || (a && Y (a S b))`, and `a T b` is `b && (a || Z (a T b))`.
            FormulaTree::Binary(BinaryOp::Since, ..) => {
                let kept = fs.and([now.0, started, earlier]);
                fs.or([now.1, kept])
            }
            _ => {
                let kept = fs.implies(started, earlier);
                let either = fs.or([now.0, kept]);
                fs.and([now.1, either])
            }
        })
    }

    /// The value in the step before, where atoms are delayed.
    fn before(&mut self, tree: FormulaTree, delayed: &[bool], fs: &mut Formulas) -> Result<FormulaId, Limit> {
        let of = |this: &Self, id: TreeId| this.earlier[id];
        Ok(match tree {
            FormulaTree::Bool(value) => fs.constant(value),
            FormulaTree::Atom(atom) if delayed[atom.index()] => fs.atom(atom),
            FormulaTree::Atom(atom) => {
                let atom = fs.atom(atom);
                self.atoms.yesterday(fs, atom, None)?
            }
            FormulaTree::Unary(op, a) => {
                let a = of(self, a);
                self.before_unary(op, a, fs)?
            }
            FormulaTree::Binary(op, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                match op {
                    BinaryOp::And => fs.and([a, b]),
                    BinaryOp::Or => fs.or([a, b]),
                    BinaryOp::Implies => fs.implies(a, b),
                    BinaryOp::Iff => fs.iff(a, b),
                    BinaryOp::Since => self.since(a, b, fs)?,
                    _ => {
                        let (a, b) = (fs.not(a), fs.not(b));
                        let since = self.since(a, b, fs)?;
                        fs.not(since)
                    }
                }
            }
            FormulaTree::StrongNext(_) => unreachable!("no future operator is below a past operator"),
        })
    }

    fn before_unary(&mut self, op: UnaryOp, a: FormulaId, fs: &mut Formulas) -> Result<FormulaId, Limit> {
        let (top, not) = (fs.top(), fs.not(a));
        let started = self.started(fs)?;
        Ok(match op {
            UnaryOp::Not => not,
            UnaryOp::Yesterday => {
                let now = fs.and([started, a]);
                self.atoms.yesterday(fs, now, None)?
            }
            UnaryOp::WeakYesterday => {
                let now = fs.and([started, not]);
                let before = self.atoms.yesterday(fs, now, None)?;
                fs.not(before)
            }
            UnaryOp::Once => self.since(top, a, fs)?,
            _ => {
                let once = self.since(top, not, fs)?;
                fs.not(once)
            }
        })
    }

    fn since(&mut self, a: FormulaId, b: FormulaId, fs: &mut Formulas) -> Result<FormulaId, Limit> {
        let started = self.started(fs)?;
        self.atoms.since_before(fs, (a, b), started)
    }

    /// The text of a tree, unless it is too long for a name.
    fn text(&self, trees: &Trees, id: TreeId) -> Option<String> {
        enum Piece {
            Text(&'static str),
            Tree(TreeId, bool),
        }
        let (mut text, mut todo) = (String::new(), vec![Piece::Tree(id, false)]);
        while let Some(piece) = todo.pop() {
            if text.len() > LONG as usize {
                return None;
            }
            let (id, nested) = match piece {
                Piece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Piece::Tree(id, nested) => (id, nested),
            };
            match trees.get(id) {
                FormulaTree::Bool(value) => text.push_str(if value { "true" } else { "false" }),
                FormulaTree::Atom(atom) => text.push_str(&self.names[atom.index()]),
                FormulaTree::Unary(op, a) => {
                    text.push_str(op.spelling());
                    if op != UnaryOp::Not {
                        text.push(' ');
                    }
                    todo.push(Piece::Tree(a, true));
                }
                FormulaTree::StrongNext(a) => {
                    text.push_str("X[!] ");
                    todo.push(Piece::Tree(a, true));
                }
                FormulaTree::Binary(op, a, b) => {
                    if nested {
                        text.push('(');
                        todo.push(Piece::Text(")"));
                    }
                    todo.extend([Piece::Tree(b, true), Piece::Text(" "), Piece::Text(op.spelling())]);
                    todo.extend([Piece::Text(" "), Piece::Tree(a, true)]);
                }
            }
        }
        Some(text)
    }
}

/// The trees whose value in the step before is needed: past operators, and all that is below one.
fn needed(trees: &Trees) -> Vec<bool> {
    let ids: Vec<TreeId> = trees.ids().collect();
    let mut needed = vec![false; ids.len()];
    // Operands come before the formulas made of them.
    for &id in ids.iter().rev() {
        let (is_past, operands) = match trees.get(id) {
            FormulaTree::Unary(op, a) => (op.is_past(), [a, a]),
            FormulaTree::Binary(op, a, b) => (op.is_past(), [a, b]),
            _ => continue,
        };
        needed[id.index()] |= is_past;
        if needed[id.index()] {
            for operand in operands {
                needed[operand.index()] = true;
            }
        }
    }
    needed
}
