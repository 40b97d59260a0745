//! Decision trees written out as rows: what a template lays out without recursion.

use super::machine::{Leaf, Watch};
use super::scope::Scope;
use super::tree::{Node, NodeId, Tree};
use crate::base::Id;
use crate::format::atoms::atom_of;
use crate::logic::{AtomId, AtomKind, BitId};
use crate::spec::AtomMeaning;
use crate::wire::view::{HelperView, RowView, UpdateView};
use rustc_hash::{FxHashMap, FxHashSet};

/// A tree with more tests than this has its repeated parts moved to helpers.
const INLINE_TESTS: u64 = 40;
/// Smaller parts are repeated rather than moved.
const HELPER_TESTS: u64 = 4;

/// Writes decisions of one controller.
pub(super) struct Rows<'a> {
    pub(super) scope: &'a Scope<'a>,
    /// Predicates that must be asked for before they are tested.
    pub(super) asked: FxHashSet<AtomId>,
    /// Helpers so far.
    pub(super) helpers: Vec<HelperView>,
}

enum Task {
    Node(NodeId, usize, Vec<AtomId>),
    Row(&'static str, usize),
}

impl Rows<'_> {
    /// The decision of a state of the machine.
    pub(super) fn machine(&mut self, tree: &Tree, leaves: &[Leaf]) -> Vec<RowView> {
        let (uses, sizes) = tree.measure();
        let mut helpers: FxHashMap<NodeId, String> = FxHashMap::default();
        if sizes[tree.root.index()] > INLINE_TESTS {
            // Smaller trees first: larger helpers call smaller ones.
            for node in tree.nodes() {
                let i = node.index();
                if uses[i] > 1 && sizes[i] >= HELPER_TESTS && node != tree.root {
                    let rows = self
                        .write(tree, node, &helpers, &|rows, leaf, depth| rows.leaf(&leaves[leaf], depth));
                    let ident = format!("shared_{}", self.helpers.len());
                    let updates_anything = leaves.iter().any(|leaf| self.changes(leaf));
                    self.helpers.push(HelperView { ident: ident.clone(), updates_anything, rows });
                    helpers.insert(node, ident);
                }
            }
        }
        self.write(tree, tree.root, &helpers, &|rows, leaf, depth| rows.leaf(&leaves[leaf], depth))
    }
    /// The decision of a live state of a monitor.
    pub(super) fn watch(&self, tree: &Tree, leaves: &[Watch], dead: usize) -> Vec<RowView> {
        self.write(tree, tree.root, &FxHashMap::default(), &|_, leaf, depth| {
            let (kind, next) = match leaves[leaf] {
                Watch::Goes(state) => ("goes", state.index()),
                Watch::Broken => ("broken", dead),
                Watch::GivenUp => ("goes", dead),
            };
            RowView { next: next.to_string(), ..row(kind, depth) }
        })
    }
    /// Whether a leaf changes a cell or sets an output.
    pub(super) fn changes(&self, leaf: &Leaf) -> bool {
        !leaf.outputs.is_empty() || leaf.updates.iter().any(|&atom| self.update(atom).is_some())
    }

    fn write(
        &self,
        tree: &Tree,
        start: NodeId,
        helpers: &FxHashMap<NodeId, String>,
        leaf: &dyn Fn(&Self, usize, usize) -> RowView,
    ) -> Vec<RowView> {
        let mut rows: Vec<RowView> = Vec::new();
        let mut stack = vec![Task::Node(start, 0, Vec::new())];
        while let Some(task) = stack.pop() {
            let (node, depth, mut known) = match task {
                Task::Row(kind, depth) => {
                    rows.push(row(kind, depth));
                    continue;
                }
                Task::Node(node, depth, known) => (node, depth, known),
            };
            if let Some(ident) = helpers.get(&node) {
                rows.push(RowView { ident: ident.clone(), ..row("helper", depth) });
                continue;
            }
            match tree.node(node) {
                Node::Leaf(i) => rows.push(leaf(self, i, depth)),
                Node::Test { variable, then, otherwise } => {
                    let test = self.test(variable);
                    let atom = atom_of(variable);
                    let chained = matches!(rows.last(), Some(last) if last.kind == "else")
                        && !self.asked.contains(&atom);
                    if self.asked.contains(&atom) && !known.contains(&atom) {
                        rows.push(RowView { kind: "ask".into(), depth, ..test.clone() });
                        known.push(atom);
                    }
                    if chained {
                        // The block of this `else` ends with the chain.
                        rows.pop();
                        rows.push(RowView { kind: "else_if".into(), depth: depth - 1, ..test });
                        stack.pop();
                        let depth = depth - 1;
                        stack.push(Task::Row("end", depth));
                        stack.push(Task::Node(otherwise, depth + 1, known.clone()));
                        stack.push(Task::Row("else", depth));
                        stack.push(Task::Node(then, depth + 1, known));
                    } else {
                        rows.push(RowView { kind: "if".into(), depth, ..test });
                        stack.push(Task::Row("end", depth));
                        stack.push(Task::Node(otherwise, depth + 1, known.clone()));
                        stack.push(Task::Row("else", depth));
                        stack.push(Task::Node(then, depth + 1, known));
                    }
                }
            }
        }
        rows
    }

    fn test(&self, variable: BitId) -> RowView {
        let atom = atom_of(variable);
        match self.scope.problem.alphabet.atoms()[atom].kind {
            AtomKind::Input(_) => RowView {
                what: "predicate".into(),
                ident: self.scope.predicates[&atom].clone(),
                variant: self.scope.questions[&atom].clone(),
                ..row("if", 0)
            },
            AtomKind::Output(_) => {
                RowView { what: "output".into(), ident: self.scope.outputs[&atom].clone(), ..row("if", 0) }
            }
            AtomKind::Update(..) => {
                let UpdateView { ident, update, variant, quoted } = self.option(atom);
                RowView { what: "update".into(), ident, update, variant, quoted, ..row("if", 0) }
            }
        }
    }
    fn leaf(&self, leaf: &Leaf, depth: usize) -> RowView {
        RowView {
            next: self.scope.states[leaf.next.index()].clone(),
            updates: leaf.updates.iter().filter_map(|&atom| self.update(atom)).collect(),
            outputs: leaf.outputs.iter().map(|atom| self.scope.outputs[atom].clone()).collect(),
            ..row("leaf", depth)
        }
    }
    /// An update, unless the cell keeps its value.
    fn update(&self, atom: AtomId) -> Option<UpdateView> {
        let view = self.option(atom);
        let kept =
            self.scope.cells.values().any(|cell| cell.field == view.ident && cell.keep == view.variant);
        (!kept).then_some(view)
    }
    fn option(&self, atom: AtomId) -> UpdateView {
        let problem = self.scope.problem;
        let (AtomKind::Update(_, index), AtomMeaning::Update(symbol, term)) =
            (problem.alphabet.atoms()[atom].kind, problem.signature.atoms[atom])
        else {
            unreachable!("an option of a cell is an update");
        };
        let names = &self.scope.cells[&symbol];
        UpdateView {
            ident: names.field.clone(),
            update: names.update.clone(),
            variant: names.variants[index as usize].clone(),
            quoted: self.scope.dialect.string(&problem.signature.display(term)),
        }
    }
}

fn row(kind: &str, depth: usize) -> RowView {
    RowView {
        kind: kind.into(),
        depth,
        what: String::new(),
        ident: String::new(),
        variant: String::new(),
        update: String::new(),
        quoted: String::new(),
        next: String::new(),
        updates: Vec::new(),
        outputs: Vec::new(),
    }
}
