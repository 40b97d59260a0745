//! A strategy as the table that a page simulates: guards as decision diagrams over atoms, terms as trees, formulas as
//! lists of nodes.

use super::graph::{GraphState, guarded_graph};
use super::input::{EmitError, EmitInput, Strategy};
use super::labels::atom_text;
use super::overview::is_large;
use super::svg::Picture;
use super::text::plain;
use super::unfold::{GraphByValues, by_values_of};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, AtomKind, CellId, FormulaId, Guard, Guards, Node};
use tsl_synth_documents::{
    PageAtom, PageCell, PageClause, PageEdge, PageFormula, PageMachine, PagePlace, PagePlaceEdge, PageState,
    PageTerm,
};
use tsl_synth_engine::mealy::{counter_id, machine_id};
use tsl_synth_lang::spec::{
    AtomMeaning, LiteralValue, Operator, Overflow, Problem, Sort, SymbolId, Term, TermId,
};

/// Terms with more nodes are shown as text.
const MOST_PARTS: usize = 200;

/// A clause that a page evaluates along a play.
#[derive(Clone, Debug)]
pub struct FollowedClause {
    /// Its role: `fact`, `restriction`, `assumption`, `guarantee`.
    pub role: &'static str,
    /// Its text.
    pub text: String,
    /// Its formula in the problem.
    pub formula: FormulaId,
    /// Whether a repair changed or added it.
    pub repaired: bool,
}

/// A machine on a page.
#[derive(Clone, Debug)]
pub struct PagePart<'a> {
    /// The machine with its problem.
    pub input: EmitInput<'a>,
    /// A description of the machine in a few words.
    pub about: String,
    /// The names of its states; a state whose name is empty or missing has its default name.
    pub names: Vec<String>,
    /// The clauses that are followed along a play.
    pub clauses: Vec<FollowedClause>,
    /// The registers of past operators: the name of an atom, numbered after those of the problem, and the formula whose
    /// value the atom has one step later.
    pub registers: Vec<(String, FormulaId)>,
    /// Whether it was read from the file of a machine, not from that of a specification.
    pub is_machine: bool,
    /// Further formulas that are evaluated on runs: those of the properties of [`PageWhatIf`], in order; `None` for a
    /// property without a formula.
    ///
    /// [`PageWhatIf`]: tsl_synth_documents::PageWhatIf
    pub watched: Vec<Option<FormulaId>>,
}

/// The table and the drawing of a strategy.
pub(super) struct MachineOnPage {
    /// Its table.
    pub(super) machine: PageMachine,
    /// Its drawing, unless it is too large for one.
    pub(super) picture: Option<Picture>,
    /// The indices of the watched formulas in the table.
    pub(super) watched: Vec<Option<usize>>,
}

/// Prepares a strategy for a page.
pub(super) fn page_machine(part: &PagePart<'_>) -> Result<MachineOnPage, EmitError> {
    let PagePart { input, clauses, .. } = part;
    let problem = input.problem;
    let (mut states, guards) = guarded_graph(input)?;
    let by_values = by_values_of(input)?;
    for (state, name) in states.iter_mut().zip(&part.names).filter(|(_, name)| !name.is_empty()) {
        state.name = plain(name);
    }
    let picture = match &by_values {
        Some(graph) => Picture::new(&graph.states),
        // Large machines are shown as tables only: in an overview the states of a play could not be marked.
        None if is_large(&states) => None,
        None => Picture::new(&states),
    };
    let (counter, machine_id) = match input.strategy {
        Strategy::Controller(mealy) => (false, machine_id(&problem.alphabet, mealy)),
        Strategy::Counter(counter) => (true, counter_id(&problem.alphabet, counter)),
    };
    let letters: Vec<Vec<usize>> = match input.strategy {
        Strategy::Controller(mealy) => vec![Vec::new(); mealy.states.len()],
        Strategy::Counter(strategy) => {
            let holds = |letter| {
                let inputs = problem.alphabet.inputs();
                inputs.filter(|&a| problem.alphabet.holds(a, letter)).map(Id::index).collect()
            };
            strategy.states.iter().map(|state| holds(&state.input)).collect()
        }
    };
    let mut diagrams = PageDiagrams::new(&guards);
    let page_states: Vec<PageState> =
        states.iter().zip(letters).map(|(state, letter)| page_state(state, letter, &mut diagrams)).collect();
    let places = by_values.map_or_else(Vec::new, |graph| page_places(&graph, &mut diagrams.nodes));
    let remembered = part.registers.iter().map(|&(_, now)| now);
    let watched = part.watched.iter().flatten().copied();
    let roots: Vec<FormulaId> =
        clauses.iter().map(|clause| clause.formula).chain(remembered).chain(watched).collect();
    let (formulas, number) = page_formulas(problem, &roots);
    let mut atoms: Vec<PageAtom> =
        problem.alphabet.atoms().ids().map(|atom| page_atom(problem, atom)).collect();
    let mut registers = Vec::new();
    for (name, now) in &part.registers {
        registers.push((atoms.len(), number[now]));
        atoms.push(PageAtom { name: name.clone(), key: name.clone(), hidden: true, term: None });
    }
    let machine = PageMachine {
        counter,
        about: part.about.clone(),
        file: input.meta.spec_name.clone(),
        is_machine: part.is_machine,
        machine_id,
        atoms,
        inputs: problem.alphabet.inputs().map(Id::index).collect(),
        outputs: problem.alphabet.outputs().map(Id::index).collect(),
        cells: problem.alphabet.cells().ids().map(|cell| page_cell(problem, cell)).collect(),
        registers,
        nodes: diagrams.nodes,
        initial: states.iter().position(|state| state.start).unwrap_or(0),
        states: page_states,
        clauses: clauses
            .iter()
            .map(|clause| PageClause {
                role: clause.role.to_owned(),
                text: clause.text.clone(),
                formula: number[&clause.formula],
                repaired: clause.repaired,
            })
            .collect(),
        formulas,
        drawn: picture.is_some(),
        places,
    };
    let watched = part.watched.iter().map(|formula| formula.map(|f| number[&f])).collect();
    Ok(MachineOnPage { machine, picture, watched })
}

fn page_state(state: &GraphState, letter: Vec<usize>, diagrams: &mut PageDiagrams<'_>) -> PageState {
    let edges = state.edges.iter().map(|edge| PageEdge {
        guard: diagrams.number(edge.letters),
        next: edge.next,
        chosen: edge.chosen.iter().map(|atom| atom.index()).collect(),
        when: if edge.guard == "1" { "always".into() } else { edge.guard.clone() },
        does: edge.actions.clone(),
    });
    PageState { name: state.name.clone(), sink: state.sink, letter, edges: edges.collect() }
}

/// The states of a drawing by values; adds to the nodes of diagrams.
fn page_places(graph: &GraphByValues, nodes: &mut Vec<(usize, usize, usize)>) -> Vec<PagePlace> {
    let mut diagrams = PageDiagrams::new(&graph.guards);
    diagrams.nodes = std::mem::take(nodes);
    let mut places = Vec::new();
    for (state, node) in graph.states.iter().zip(&graph.nodes) {
        let edges = node.edges.iter().map(|edge| PagePlaceEdge {
            guard: diagrams.number(edge.letters),
            next: edge.next,
            when: if edge.guard == "1" { "always".into() } else { edge.guard.clone() },
            does: edge.actions.clone(),
        });
        let edges = edges.collect();
        places.push(PagePlace { name: state.name.clone(), state: node.machine, edges });
    }
    *nodes = diagrams.nodes;
    places
}

/// Decision diagrams with numbered nodes.
struct PageDiagrams<'a> {
    guards: &'a Guards,
    nodes: Vec<(usize, usize, usize)>,
    numbers: FxHashMap<Guard, usize>,
}

impl<'a> PageDiagrams<'a> {
    fn new(guards: &'a Guards) -> Self {
        let numbers = [(Guard::FALSE, 0), (Guard::TRUE, 1)].into_iter().collect();
        Self { guards, nodes: Vec::new(), numbers }
    }
    /// The number of a guard. The recursion depth is at most the number of atoms.
    fn number(&mut self, guard: Guard) -> usize {
        if let Some(&number) = self.numbers.get(&guard) {
            return number;
        }
        let Some((variable, low, high)) = self.guards.branch(guard) else { return 0 };
        let (low, high) = (self.number(low), self.number(high));
        self.nodes.push((variable.index(), low, high));
        let number = self.nodes.len() + 1;
        self.numbers.insert(guard, number);
        number
    }
}

fn page_atom(problem: &Problem, atom: AtomId) -> PageAtom {
    let alphabet = &problem.alphabet;
    let name = atom_text(problem, atom);
    let own = &alphabet.atoms()[atom].name;
    let is_cell = alphabet.cells().iter().any(|cell| cell.name == *own);
    let is_update = matches!(alphabet.atoms()[atom].kind, AtomKind::Update(..));
    let key = if is_cell && !is_update { format!("({own})") } else { own.clone() };
    let term = match problem.signature.atoms.get(atom) {
        Some(AtomMeaning::Predicate(term)) => Some(page_term(problem, *term)),
        _ => None,
    };
    let term = term.filter(|term| matches!(term, PageTerm::Apply { .. } | PageTerm::Operation { .. }));
    PageAtom { name, key, hidden: problem.is_hidden(atom), term }
}

fn page_cell(problem: &Problem, cell: CellId) -> PageCell {
    let data = &problem.alphabet.cells()[cell];
    let symbol = problem.signature.cells.get(cell).map(|&symbol| &problem.signature.symbols[symbol]);
    let text = |atom: AtomId| problem.alphabet.update_term(atom).unwrap_or_default().to_owned();
    let term = |atom: AtomId| match problem.signature.atoms.get(atom) {
        Some(AtomMeaning::Update(_, term)) => page_term(problem, *term),
        _ if text(atom) == data.name => PageTerm::Cell { c: cell.index() },
        _ => PageTerm::Text(text(atom)),
    };
    PageCell {
        name: data.name.clone(),
        hidden: symbol.is_some_and(|symbol| symbol.hidden),
        initial: symbol.and_then(|symbol| symbol.initial).map(|term| page_term(problem, term)),
        options: data.options.iter().map(|atom| atom.index()).collect(),
        texts: data.options.iter().map(|&atom| text(atom)).collect(),
        terms: data.options.iter().map(|&atom| term(atom)).collect(),
        range: symbol.and_then(|symbol| match symbol.sort {
            Sort::Range(low, high) => Some((low, high)),
            _ => None,
        }),
        wraps: symbol.is_some_and(|symbol| symbol.overflow == Overflow::Wrapping),
    }
}

/// A term as a tree, or as text if the tree would be too large.
fn page_term(problem: &Problem, term: TermId) -> PageTerm {
    let mut cells: FxHashMap<SymbolId, usize> = FxHashMap::default();
    for (cell, &symbol) in problem.signature.cells.enumerate() {
        cells.insert(symbol, cell.index());
    }
    let mut left = MOST_PARTS;
    let tree = term_tree(problem, &cells, term, &mut left);
    tree.unwrap_or_else(|| PageTerm::Text(problem.signature.display(term)))
}

/// `None` if the tree has more than `left` nodes, which also bounds the recursion depth.
fn term_tree(
    problem: &Problem,
    cells: &FxHashMap<SymbolId, usize>,
    term: TermId,
    left: &mut usize,
) -> Option<PageTerm> {
    *left = left.checked_sub(1)?;
    let signature = &problem.signature;
    Some(match signature.terms.get(term) {
        Term::Signal(symbol) => match cells.get(symbol) {
            Some(&c) => PageTerm::Cell { c },
            None => PageTerm::Input { i: signature.symbols[*symbol].name.clone() },
        },
        Term::Literal(LiteralValue::Int(n)) => PageTerm::Number { n: n.to_string() },
        Term::Literal(_) => PageTerm::Text(signature.display(term)),
        Term::Apply(symbol, arguments) => {
            let trees: Option<Vec<PageTerm>> =
                arguments.iter().map(|&argument| term_tree(problem, cells, argument, left)).collect();
            PageTerm::Apply { f: signature.symbols[*symbol].name.clone(), a: trees? }
        }
        &Term::Operation(operator, a, b) => {
            let o = match operator {
                Operator::Add => "+",
                Operator::Sub => "-",
                Operator::Mul => "*",
                Operator::Div => "/",
                Operator::Mod => "%",
                Operator::Equal => "=",
                Operator::Greater => ">",
            };
            let a = term_tree(problem, cells, a, left)?;
            PageTerm::Operation { o, a: vec![a, term_tree(problem, cells, b, left)?] }
        }
    })
}

/// All subformulas of `roots`, operands first, and the index of each in the list.
fn page_formulas(problem: &Problem, roots: &[FormulaId]) -> (Vec<PageFormula>, FxHashMap<FormulaId, usize>) {
    let formulas = &problem.formulas;
    let mut number: FxHashMap<FormulaId, usize> = FxHashMap::default();
    let mut all = Vec::new();
    for f in formulas.subformulas(roots) {
        let of = |g: &FormulaId| number[g];
        let node = match formulas.node(f) {
            Node::True => PageFormula::Constant(true),
            Node::False => PageFormula::Constant(false),
            Node::Atom(atom) => PageFormula::Atom(atom.index()),
            Node::Not(g) => PageFormula::Node("!", vec![of(g)]),
            Node::And(gs) => PageFormula::Node("&", gs.iter().map(of).collect()),
            Node::Or(gs) => PageFormula::Node("|", gs.iter().map(of).collect()),
            Node::Iff(a, b) => PageFormula::Node("=", vec![of(a), of(b)]),
            Node::Next(g) => PageFormula::Node("X", vec![of(g)]),
            Node::Finally(g) => PageFormula::Node("F", vec![of(g)]),
            Node::Globally(g) => PageFormula::Node("G", vec![of(g)]),
            Node::Until(a, b) => PageFormula::Node("U", vec![of(a), of(b)]),
            Node::WeakUntil(a, b) => PageFormula::Node("W", vec![of(a), of(b)]),
            Node::Release(a, b) => PageFormula::Node("R", vec![of(a), of(b)]),
            Node::StrongRelease(a, b) => PageFormula::Node("M", vec![of(a), of(b)]),
        };
        number.insert(f, all.len());
        all.push(node);
    }
    (all, number)
}
