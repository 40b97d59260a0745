//! Formulas of linear temporal logic in negation normal form, each stored once. Nothing here recurses.

use std::collections::HashMap;

/// The number of a formula in its [`Arena`]. The operands of a formula have smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(u32);

/// The number of an atomic proposition.
pub type Atom = u32;

/// The outermost operator of a formula with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Holds always.
    True,
    /// Never holds.
    False,
    /// An atom, or its negation if the flag is false.
    Literal(Atom, bool),
    /// All of them; sorted, without repetitions, none of them a conjunction.
    And(Vec<Formula>),
    /// One of them; sorted, without repetitions, none of them a disjunction.
    Or(Vec<Formula>),
    /// In the next step.
    Next(Formula),
    /// `p U q`: q some time, and p until then.
    Until(Formula, Formula),
    /// `p W q`: p until q, or p always.
    Weak(Formula, Formula),
    /// `p R q`: q until p and q hold together, or q always.
    Release(Formula, Formula),
    /// `p M q`: q until p and q hold together, which they do some time.
    Strong(Formula, Formula),
}

/// A store of formulas.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    index: HashMap<Node, Formula>,
}

impl Arena {
    /// A store with the constants.
    pub fn new() -> Self {
        let mut arena = Self::default();
        arena.store(Node::False);
        arena.store(Node::True);
        arena
    }

    /// How many formulas it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The outermost operator of a formula.
    pub fn node(&self, f: Formula) -> &Node {
        &self.nodes[f.0 as usize]
    }

    fn store(&mut self, node: Node) -> Formula {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let id = Formula(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.index.insert(node, id);
        id
    }

    /// `true` or `false`.
    pub fn constant(&mut self, value: bool) -> Formula {
        self.store(if value { Node::True } else { Node::False })
    }

    /// An atom or its negation.
    pub fn literal(&mut self, atom: Atom, value: bool) -> Formula {
        self.store(Node::Literal(atom, value))
    }

    /// The conjunction.
    pub fn and(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.join(operands, true)
    }

    /// The disjunction.
    pub fn or(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.join(operands, false)
    }

    fn join(&mut self, operands: impl IntoIterator<Item = Formula>, is_and: bool) -> Formula {
        let (unit, zero) = (self.constant(is_and), self.constant(!is_and));
        let mut all = Vec::new();
        for f in operands {
            match (self.node(f), is_and) {
                (Node::And(fs), true) | (Node::Or(fs), false) => all.extend_from_slice(fs),
                _ if f == unit => {}
                _ if f == zero => return zero,
                _ => all.push(f),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => unit,
            [f] => f,
            _ => self.store(if is_and { Node::And(all) } else { Node::Or(all) }),
        }
    }

    /// `X f`
    pub fn next(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::True | Node::False => f,
            _ => self.store(Node::Next(f)),
        }
    }

    /// `p U q`. `F` distributes over disjunctions.
    pub fn until(&mut self, p: Formula, q: Formula) -> Formula {
        match (self.node(p), self.node(q)) {
            (_, Node::True | Node::False) | (Node::False, _) => q,
            (Node::True, Node::Or(fs)) => {
                let fs: Vec<Formula> = fs.clone().into_iter().map(|f| self.until(p, f)).collect();
                self.or(fs)
            }
            _ => self.store(Node::Until(p, q)),
        }
    }

    /// `p W q`
    pub fn weak(&mut self, p: Formula, q: Formula) -> Formula {
        match (self.node(p), self.node(q)) {
            (Node::True, _) | (_, Node::True) => self.constant(true),
            (Node::False, _) => q,
            (_, Node::False) => self.release(q, p),
            _ => self.store(Node::Weak(p, q)),
        }
    }

    /// `p R q`. `G` distributes over conjunctions.
    pub fn release(&mut self, p: Formula, q: Formula) -> Formula {
        match (self.node(p), self.node(q)) {
            (_, Node::True | Node::False) | (Node::True, _) => q,
            (Node::False, Node::And(fs)) => {
                let fs: Vec<Formula> = fs.clone().into_iter().map(|f| self.release(p, f)).collect();
                self.and(fs)
            }
            _ => self.store(Node::Release(p, q)),
        }
    }

    /// `p M q`
    pub fn strong(&mut self, p: Formula, q: Formula) -> Formula {
        match (self.node(p), self.node(q)) {
            (Node::False, _) | (_, Node::False) => self.constant(false),
            (Node::True, _) => q,
            (_, Node::True) => self.until(q, p),
            _ => self.store(Node::Strong(p, q)),
        }
    }

    /// The formulas below and including some formulas, operands first.
    pub fn closure(&self, roots: &[Formula]) -> Vec<Formula> {
        let mut seen = std::collections::BTreeSet::new();
        let mut todo = roots.to_vec();
        while let Some(f) = todo.pop() {
            if seen.insert(f) {
                todo.extend(self.operands(f));
            }
        }
        seen.into_iter().collect()
    }

    /// The operands of the outermost operator.
    pub fn operands(&self, f: Formula) -> Vec<Formula> {
        match self.node(f) {
            Node::True | Node::False | Node::Literal(..) => Vec::new(),
            Node::And(fs) | Node::Or(fs) => fs.clone(),
            Node::Next(g) => vec![*g],
            Node::Until(p, q) | Node::Weak(p, q) | Node::Release(p, q) | Node::Strong(p, q) => vec![*p, *q],
        }
    }

    /// The negation, by the dualities of And and Or, U and R, W and M.
    pub fn not(&mut self, f: Formula) -> Formula {
        self.rebuilt(f, true, &|arena, atom, value| arena.literal(atom, !value))
    }

    /// The formula with the literals of some atoms put one step later: `a` becomes `X a`.
    pub fn shifted(&mut self, f: Formula, is_late: &dyn Fn(Atom) -> bool) -> Formula {
        self.rebuilt(f, false, &|arena, atom, value| {
            let literal = arena.literal(atom, value);
            if is_late(atom) { arena.next(literal) } else { literal }
        })
    }

    /// The formula with other atoms, given for each atom by its number.
    pub fn renamed(&mut self, f: Formula, atoms: &[Atom]) -> Formula {
        self.rebuilt(f, false, &|arena, atom, value| arena.literal(atoms[atom as usize], value))
    }

    /// The formula with other literals and, if `dual`, with the dual of each other operator.
    fn rebuilt(
        &mut self,
        f: Formula,
        dual: bool,
        literal: &dyn Fn(&mut Self, Atom, bool) -> Formula,
    ) -> Formula {
        let mut done: HashMap<Formula, Formula> = HashMap::new();
        for g in self.closure(&[f]) {
            let parts: Vec<Formula> = self.operands(g).iter().map(|h| done[h]).collect();
            let result = match (self.node(g), &parts[..]) {
                (&Node::Literal(atom, value), _) => literal(self, atom, value),
                (Node::True, _) => self.constant(!dual),
                (Node::False, _) => self.constant(dual),
                (Node::And(_), fs) => self.join(fs.iter().copied(), !dual),
                (Node::Or(_), fs) => self.join(fs.iter().copied(), dual),
                (Node::Until(..), &[p, q]) if !dual => self.until(p, q),
                (Node::Release(..), &[p, q]) if dual => self.until(p, q),
                (Node::Until(..) | Node::Release(..), &[p, q]) => self.release(p, q),
                (Node::Weak(..), &[p, q]) if !dual => self.weak(p, q),
                (Node::Strong(..), &[p, q]) if dual => self.weak(p, q),
                (Node::Weak(..) | Node::Strong(..), &[p, q]) => self.strong(p, q),
                (_, fs) => self.next(fs[0]),
            };
            done.insert(g, result);
        }
        done[&f]
    }

    /// The conjuncts of a formula as a sorted set.
    pub fn conjuncts(&self, f: Formula) -> Vec<Formula> {
        match self.node(f) {
            Node::True => Vec::new(),
            Node::And(fs) => fs.clone(),
            _ => vec![f],
        }
    }

    /// The atoms that occur.
    pub fn atoms(&self, roots: &[Formula]) -> std::collections::BTreeSet<Atom> {
        let of = |f: Formula| match self.node(f) {
            Node::Literal(atom, _) => Some(*atom),
            _ => None,
        };
        self.closure(roots).into_iter().filter_map(of).collect()
    }
}
