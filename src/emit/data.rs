//! The data side of a controller, independent of the target language: its signals, methods and terms, the calls
//! that each term needs, in evaluation order, and the subterms that several terms share.

use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, CellId};
use tsl_synth_lang::spec::{
    AtomMeaning, LiteralValue, Operator, Problem, Sort, SymbolId, SymbolKind, Term, TermId,
};

/// A signal that the environment gives in every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnvironmentSignal {
    /// An input of a TSL specification.
    Symbol(SymbolId),
    /// A proposition of an LTL specification.
    Atom(AtomId),
}

/// A term to be evaluated, with the calls it makes in order, arguments first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TermRoot {
    pub(super) term: TermId,
    pub(super) calls: Vec<TermId>,
}

/// A predicate atom.
#[derive(Clone, Debug)]
pub(super) struct Predicate {
    pub(super) atom: AtomId,
    /// `None` for a proposition.
    pub(super) root: Option<TermRoot>,
}

impl Predicate {
    /// Whether evaluating it calls the environment.
    pub(super) fn costs(&self) -> bool {
        self.root.as_ref().is_some_and(|root| !root.is_free())
    }
}

/// One of the possible updates of a cell.
#[derive(Clone, Debug)]
pub(super) struct CellOption {
    pub(super) atom: AtomId,
    pub(super) root: TermRoot,
    /// Whether the update is `[cell <- cell]`.
    pub(super) keeps: bool,
}

#[derive(Clone, Debug)]
pub(super) struct CellData {
    pub(super) symbol: SymbolId,
    pub(super) updates: Vec<CellOption>,
}

/// The data side of a problem.
#[derive(Clone, Debug)]
pub(super) struct DataView {
    pub(super) inputs: Vec<EnvironmentSignal>,
    /// Whether any of the inputs is read.
    pub(super) reads: bool,
    pub(super) cells: Vec<CellData>,
    pub(super) outputs: Vec<AtomId>,
    pub(super) predicates: Vec<Predicate>,
    /// Predicates, functions and constants in the order of the symbols.
    pub(super) methods: Vec<SymbolId>,
    /// Calls that several roots make, in evaluation order.
    pub(super) shared: Vec<TermId>,
    /// Shared calls that are made in every step, with the predicate that makes them first.
    pub(super) definite: FxHashMap<TermId, AtomId>,
    /// All terms that are evaluated, in order.
    pub(super) terms: Vec<TermId>,
    /// Whether some literal is a real number, so that all numbers are reals in the target.
    pub(super) reals: bool,
    /// Whether some term is an arithmetic operation or a comparison.
    pub(super) arithmetic: bool,
    /// Sorts with a name, declared or inferred, whose values are computed with, compared by size, or written
    /// as numbers: they are the numbers of the target.
    pub(super) numeric: Vec<Sort>,
}

impl DataView {
    /// Collects the data side of a problem. Linear in its terms times the depth of nesting.
    pub(super) fn collect(problem: &Problem) -> Self {
        let signature = &problem.signature;
        let alphabet = &problem.alphabet;
        let root = |term| TermRoot { term, calls: calls(problem, term) };
        let predicates: Vec<Predicate> = alphabet
            .inputs()
            .map(|atom| match signature.atoms[atom] {
                AtomMeaning::Predicate(term) => Predicate { atom, root: Some(root(term)) },
                AtomMeaning::Update(..) | AtomMeaning::Proposition => Predicate { atom, root: None },
            })
            .collect();
        let cell = |id: CellId| {
            let symbol = signature.cells[id];
            let update = |&atom: &AtomId| {
                let AtomMeaning::Update(_, term) = signature.atoms[atom] else { return None };
                let keeps = *signature.terms.get(term) == Term::Signal(symbol);
                Some(CellOption { atom, root: root(term), keeps })
            };
            CellData { symbol, updates: alphabet.cells()[id].options.iter().filter_map(update).collect() }
        };
        let cells: Vec<CellData> = alphabet.cells().ids().map(cell).collect();
        let roots: Vec<&TermRoot> = predicates
            .iter()
            .filter_map(|p| p.root.as_ref())
            .chain(cells.iter().flat_map(|c| c.updates.iter().filter(|u| !u.keeps).map(|u| &u.root)))
            .collect();

        let mut users: FxHashMap<TermId, u32> = FxHashMap::default();
        for root in &roots {
            for &call in &root.calls {
                *users.entry(call).or_default() += 1;
            }
        }
        // Arguments have smaller ids than the terms made of them.
        let mut shared: Vec<TermId> = users.iter().filter(|(_, n)| **n > 1).map(|(&t, _)| t).collect();
        shared.sort_unstable();

        let mut seen = FxHashSet::default();
        let mut stack: Vec<TermId> = roots.iter().map(|root| root.term).collect();
        let (mut signals, mut methods) = (FxHashSet::default(), FxHashSet::default());
        let (mut reals, mut arithmetic) = (false, false);
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match signature.terms.get(term) {
                Term::Signal(symbol) => {
                    signals.insert(*symbol);
                }
                Term::Literal(literal) => reals |= matches!(literal, LiteralValue::Real(_)),
                Term::Apply(symbol, arguments) => {
                    methods.insert(*symbol);
                    stack.extend(arguments.iter().copied());
                }
                Term::Operation(_, a, b) => {
                    arithmetic = true;
                    stack.extend([*a, *b]);
                }
            }
        }
        let mut terms: Vec<TermId> = seen.iter().copied().collect();
        terms.sort_unstable();
        let held: FxHashSet<SymbolId> = cells.iter().map(|cell| cell.symbol).collect();
        // A declared input is part of the interface, whether or not a clause reads it.
        let is_input = |s: &SymbolId| signature.symbols[*s].kind == SymbolKind::Input;
        let reads = signals.iter().any(|s| !held.contains(s)) || predicates.iter().any(|p| p.root.is_none());
        let mut inputs: Vec<EnvironmentSignal> = signature
            .symbols
            .ids()
            .filter(|s| signals.contains(s) && !held.contains(s) || is_input(s))
            .map(EnvironmentSignal::Symbol)
            .collect();
        inputs
            .extend(predicates.iter().filter(|p| p.root.is_none()).map(|p| EnvironmentSignal::Atom(p.atom)));
        let methods = signature.symbols.ids().filter(|s| methods.contains(s)).collect();
        let outputs = alphabet.outputs().collect();
        let numeric = numeric(problem);
        Self {
            inputs,
            reads,
            cells,
            outputs,
            predicates,
            methods,
            shared,
            definite: FxHashMap::default(),
            reals,
            terms,
            arithmetic,
            numeric,
        }
    }
    /// Records in `definite` the shared calls of the predicates that are evaluated in every step.
    pub(super) fn always(&mut self, evaluated: &dyn Fn(&Predicate) -> bool) {
        for predicate in self.predicates.iter().filter(|p| evaluated(p)) {
            for call in predicate.root.iter().flat_map(|root| &root.calls) {
                if self.shared.binary_search(call).is_ok() {
                    self.definite.entry(*call).or_insert(predicate.atom);
                }
            }
        }
    }
    /// Whether a call is shared.
    pub(super) fn is_shared(&self, call: TermId) -> bool {
        self.shared.binary_search(&call).is_ok()
    }
}

impl TermRoot {
    /// Whether evaluating the term makes no calls.
    pub(super) fn is_free(&self) -> bool {
        self.calls.is_empty()
    }
}

/// The sort of a term according to the signature.
pub(super) fn sort_of(problem: &Problem, term: TermId) -> Sort {
    let signature = &problem.signature;
    let mut term = term;
    loop {
        match signature.terms.get(term) {
            Term::Signal(symbol) | Term::Apply(symbol, _) => return signature.symbols[*symbol].sort.clone(),
            Term::Literal(LiteralValue::Int(_) | LiteralValue::Real(_)) => return Sort::Number,
            Term::Literal(LiteralValue::Variant(variant)) => return sort_of_variant(problem, variant),
            Term::Literal(LiteralValue::Bool(_))
            | Term::Operation(Operator::Equal | Operator::Greater, ..) => {
                return Sort::Bool;
            }
            Term::Operation(_, a, _) => term = *a,
        }
    }
}

/// The first declared enumeration with this value.
fn sort_of_variant(problem: &Problem, variant: &str) -> Sort {
    let sorts = problem.signature.symbols.iter().flat_map(|s| s.arguments.iter().chain([&s.sort]));
    sorts
        .clone()
        .find(|sort| matches!(sort, Sort::Enum(variants) if variants.iter().any(|v| v == variant)))
        .cloned()
        .unwrap_or(Sort::Inferred(u32::MAX))
}

/// The name of a kind of symbols in views and documentation.
pub(super) fn kind_name(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Input => "input",
        SymbolKind::Cell => "cell",
        SymbolKind::Output => "output",
        SymbolKind::Function => "function",
        SymbolKind::Constant => "constant",
        SymbolKind::Predicate => "predicate",
    }
}

/// The named and inferred sorts whose values are used as numbers.
fn numeric(problem: &Problem) -> Vec<Sort> {
    let signature = &problem.signature;
    let mut numeric = Vec::new();
    let mut add = |sort: Sort| {
        if matches!(sort, Sort::Named(_) | Sort::Inferred(_)) && !numeric.contains(&sort) {
            numeric.push(sort);
        }
    };
    let is_number = |term: TermId| {
        matches!(signature.terms.get(term), Term::Literal(LiteralValue::Int(_) | LiteralValue::Real(_)))
    };
    for term in (0..signature.terms.len()).map(TermId::from_index) {
        match signature.terms.get(term) {
            Term::Operation(operator, a, b)
                if *operator != Operator::Equal || is_number(*a) || is_number(*b) =>
            {
                add(sort_of(problem, *a));
                add(sort_of(problem, *b));
            }
            Term::Apply(symbol, arguments) => {
                let sorts = &signature.symbols[*symbol].arguments;
                arguments.iter().zip(sorts).filter(|(a, _)| is_number(**a)).for_each(|(_, s)| add(s.clone()));
            }
            _ => {}
        }
    }
    for meaning in &signature.atoms {
        if let AtomMeaning::Update(cell, term) = meaning {
            let sort = &signature.symbols[*cell].sort;
            if is_number(*term) || matches!(signature.terms.get(*term), Term::Operation(..)) {
                add(sort.clone());
            }
        }
    }
    numeric
}

/// The calls of a term in evaluation order, each once.
fn calls(problem: &Problem, term: TermId) -> Vec<TermId> {
    let terms = &problem.signature.terms;
    let mut order = Vec::new();
    let mut done = FxHashSet::default();
    let mut stack = vec![(term, false)];
    while let Some((term, ready)) = stack.pop() {
        if ready {
            order.push(term);
            continue;
        }
        if !done.insert(term) {
            continue;
        }
        let children: Vec<TermId> = match terms.get(term) {
            Term::Signal(_) | Term::Literal(_) => Vec::new(),
            Term::Apply(_, arguments) => {
                stack.push((term, true));
                arguments.to_vec()
            }
            Term::Operation(_, a, b) => vec![*a, *b],
        };
        stack.extend(children.into_iter().rev().map(|child| (child, false)));
    }
    debug_assert!(order.iter().all(|t| t.index() < terms.len()));
    order
}
