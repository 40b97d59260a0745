//! Decision trees as lists of rows, which a template prints without recursion.

use super::lasso::{LassoStep, StateLasso};
use super::machine::{MachineLeaf, MonitorLeaf};
use super::scope::ControllerScope;
use super::tree::{DecisionNode, DecisionNodeId, DecisionTree};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::atoms::atom_of;
use tsl_synth_core::logic::{AtomId, AtomKind, BitId};
use tsl_synth_documents::view::{HelperView, LassoStepView, LassoView, RowView, TestView, UpdateView};
use tsl_synth_lang::spec::AtomMeaning;

/// A tree with more tests than this has its repeated parts moved to helpers.
const INLINE_TESTS: u64 = 40;
/// Smaller parts are repeated rather than moved.
const HELPER_TESTS: u64 = 4;

/// Writes decisions of one controller.
pub(super) struct Rows<'a> {
    pub(super) scope: &'a ControllerScope<'a>,
    /// Predicates that must be evaluated before they are tested.
    pub(super) asked: FxHashSet<AtomId>,
    /// Helpers so far.
    pub(super) helpers: Vec<HelperView>,
}

/// A disjunction (`any`) or conjunction of tests.
struct RowTest {
    tests: Vec<(BitId, bool)>,
    any: bool,
}

enum RowTask {
    Node(DecisionNodeId, usize, Vec<AtomId>),
    Row(&'static str, usize),
}

impl Rows<'_> {
    /// The decision of a state of the machine.
    pub(super) fn machine(&mut self, tree: &DecisionTree, leaves: &[MachineLeaf]) -> Vec<RowView> {
        let (uses, sizes) = tree.measure();
        let mut helpers: FxHashMap<DecisionNodeId, String> = FxHashMap::default();
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
    pub(super) fn watch(&self, tree: &DecisionTree, leaves: &[MonitorLeaf], dead: usize) -> Vec<RowView> {
        self.write(tree, tree.root, &FxHashMap::default(), &|_, leaf, depth| {
            let (kind, next) = match leaves[leaf] {
                MonitorLeaf::Goes(state) => ("goes", state.index()),
                MonitorLeaf::Broken => ("broken", dead),
                MonitorLeaf::GivenUp => ("goes", dead),
            };
            RowView { next: next.to_string(), ..row(kind, depth) }
        })
    }
    /// Whether a leaf changes a cell or sets an output.
    pub(super) fn changes(&self, leaf: &MachineLeaf) -> bool {
        !leaf.outputs.is_empty() || leaf.updates.iter().any(|&atom| self.update(atom).is_some())
    }

    fn write(
        &self,
        tree: &DecisionTree,
        start: DecisionNodeId,
        helpers: &FxHashMap<DecisionNodeId, String>,
        leaf: &dyn Fn(&Self, usize, usize) -> RowView,
    ) -> Vec<RowView> {
        let mut rows: Vec<RowView> = Vec::new();
        let mut stack = vec![RowTask::Node(start, 0, Vec::new())];
        while let Some(task) = stack.pop() {
            let (node, depth, mut known) = match task {
                RowTask::Row(kind, depth) => {
                    rows.push(row(kind, depth));
                    continue;
                }
                RowTask::Node(node, depth, known) => (node, depth, known),
            };
            if let Some(ident) = helpers.get(&node) {
                rows.push(RowView { ident: ident.clone(), ..row("helper", depth) });
                continue;
            }
            let (condition, then, otherwise) = match tree.node(node) {
                DecisionNode::Leaf(i) => {
                    rows.push(leaf(self, i, depth));
                    continue;
                }
                DecisionNode::Test { variable, then, otherwise } => {
                    self.condition(tree, variable, then, otherwise)
                }
            };
            let first = atom_of(condition.tests[0].0);
            let asks = self.asked.contains(&first) && !known.contains(&first);
            if asks {
                rows.push(RowView {
                    tests: vec![self.test(condition.tests[0].0, false)],
                    ..row("ask", depth)
                });
                known.push(first);
            }
            let tests = condition.tests.iter().map(|&(v, value)| self.test(v, !value)).collect();
            let mut test = RowView { tests, any: condition.any, ..row("if", depth) };
            if !asks && matches!(rows.last(), Some(last) if last.kind == "else") {
                // The block of this `else` ends with the chain.
                rows.pop();
                stack.pop();
                (test.kind, test.depth) = ("else_if".into(), depth - 1);
            }
            let depth = test.depth;
            rows.push(test);
            stack.push(RowTask::Row("end", depth));
            stack.push(RowTask::Node(otherwise, depth + 1, known.clone()));
            stack.push(RowTask::Row("else", depth));
            stack.push(RowTask::Node(then, depth + 1, known));
        }
        rows
    }

    /// Merges the longest chain of tests into one condition: a disjunction of tests that share the target `then`, or a
    /// conjunction of tests that share the target `otherwise`.
    fn condition(
        &self,
        tree: &DecisionTree,
        variable: BitId,
        then: DecisionNodeId,
        otherwise: DecisionNodeId,
    ) -> (RowTest, DecisionNodeId, DecisionNodeId) {
        let chain = |target: DecisionNodeId, start: DecisionNodeId| {
            let (mut tests, mut rest) = (Vec::new(), start);
            while let DecisionNode::Test { variable, then, otherwise } = tree.node(rest) {
                // Only the first test of a chain can request the value of its predicate.
                if self.asked.contains(&atom_of(variable)) {
                    break;
                }
                if then == target {
                    tests.push((variable, true));
                    rest = otherwise;
                } else if otherwise == target {
                    tests.push((variable, false));
                    rest = then;
                } else {
                    break;
                }
            }
            (tests, rest)
        };
        let (any, rest) = chain(then, otherwise);
        let (all, inner) = chain(otherwise, then);
        let mut tests = vec![(variable, true)];
        if all.len() > any.len() {
            tests.extend(all.into_iter().map(|(v, value)| (v, !value)));
            return (RowTest { tests, any: false }, inner, otherwise);
        }
        tests.extend(any);
        (RowTest { tests, any: true }, then, rest)
    }

    fn test(&self, variable: BitId, negated: bool) -> TestView {
        let atom = atom_of(variable);
        let none = String::new;
        let (what, ident, variant, update, quoted) = match self.scope.problem.alphabet.atoms()[atom].kind {
            AtomKind::Input(_) => {
                let (ident, variant) = (&self.scope.predicates[&atom], &self.scope.questions[&atom]);
                ("predicate", ident.clone(), variant.clone(), none(), none())
            }
            AtomKind::Output(_) => ("output", self.scope.outputs[&atom].clone(), none(), none(), none()),
            AtomKind::Update(..) => {
                let UpdateView { ident, update, variant, quoted } = self.option(atom);
                ("update", ident, variant, update, quoted)
            }
        };
        let optional = self.asked.contains(&atom);
        TestView { what: what.into(), ident, optional, variant, update, quoted, negated }
    }
    fn leaf(&self, leaf: &MachineLeaf, depth: usize) -> RowView {
        RowView {
            next: self.scope.states[leaf.next.index()].clone(),
            updates: leaf.updates.iter().filter_map(|&atom| self.update(atom)).collect(),
            outputs: leaf.outputs.iter().map(|atom| self.scope.outputs[atom].clone()).collect(),
            ..row("leaf", depth)
        }
    }
    /// A lasso in the names of the target.
    pub(super) fn lasso(&self, lasso: &StateLasso) -> LassoView {
        let step = |step: &LassoStep| {
            let leaf = self.leaf(&step.leaf, 0);
            LassoStepView {
                from: self.scope.states[step.from.index()].clone(),
                holds: step.holds.iter().map(|atom| self.scope.predicates[atom].clone()).collect(),
                next: leaf.next,
                updates: leaf.updates,
                choices: step.leaf.updates.iter().map(|&atom| self.option(atom).variant).collect(),
                outputs: leaf.outputs,
            }
        };
        LassoView {
            state: self.scope.states[lasso.state.index()].clone(),
            index: lasso.state.index(),
            steps: lasso.steps.iter().map(step).collect(),
            turn: lasso.turn,
        }
    }
    /// An update, unless the cell keeps its value.
    pub(super) fn update(&self, atom: AtomId) -> Option<UpdateView> {
        let view = self.option(atom);
        let kept =
            self.scope.cells.values().any(|cell| cell.field == view.ident && cell.keep == view.variant);
        (!kept).then_some(view)
    }
    pub(super) fn option(&self, atom: AtomId) -> UpdateView {
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
        tests: Vec::new(),
        any: false,
        ident: String::new(),
        next: String::new(),
        updates: Vec::new(),
        outputs: Vec::new(),
    }
}
