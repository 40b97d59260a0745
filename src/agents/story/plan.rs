//! How each predicate is evaluated and each update computed, from the specification and its table of prompts.

use super::Value;
use super::judge::WatchedClauses;
use super::values::{self, Values, is_computed};
use crate::Port;
use crate::prompts::{FunctionPrompt, Initial, PredicatePrompt, Prompts, Text, Who};
use std::collections::BTreeSet;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, Node};
use tsl_synth_core::model::{Mealy, Role};
use tsl_synth_lang::spec::{
    AtomMeaning, Clause, ClauseId, Problem, Signature, SymbolId, SymbolKind, Term, TermId,
};

/// How a predicate is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PredicateSource {
    /// An oracle is asked.
    Ask {
        /// The port that is asked.
        port: Port,
        /// The question.
        question: String,
        /// The cells and texts that it is about.
        about: QuestionContext,
    },
    /// The term is computed.
    Compute(TermId),
    /// It holds if the cell holds a number of at least this.
    AtLeast(SymbolId, i64),
}

/// The context of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionContext {
    /// The values of these cells.
    pub cells: Vec<SymbolId>,
    /// These texts.
    pub texts: Vec<Text>,
}

/// How an update is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateSource {
    /// The cell stays as it is.
    Keep,
    /// The term is computed.
    Compute(TermId),
    /// The cell gets one of the texts of the current turn.
    Copy(Text),
    /// An oracle writes it.
    Generate {
        /// The port that writes it: the generator, the user, or the world, for which it is an action.
        port: Port,
        /// The prompt for the port.
        prompt: String,
        /// The cells that the term reads.
        cells: Vec<SymbolId>,
    },
}

/// An agent with a synthesized controller.
#[derive(Clone, Debug)]
pub struct Story {
    /// The specification.
    pub problem: Problem,
    /// The controller.
    pub machine: Mealy,
    /// The clauses that are watched.
    pub clauses: WatchedClauses,
    /// The prompts for functions and predicates.
    pub prompts: Prompts,
    /// How each input atom is evaluated.
    pub(super) sources: Vec<(AtomId, PredicateSource)>,
    /// How each update is computed: the cell, the atom of the update, and the source of the value.
    pub(super) contents: Vec<(SymbolId, AtomId, UpdateSource)>,
    /// Updates, each with a predicate that has to hold of the text that it wrote.
    pub(super) checks: Vec<(AtomId, AtomId)>,
}

impl Story {
    /// The agent of a specification and its controller. `further` are facts in addition to those of the problem; `text`
    /// returns the text of a clause.
    pub fn new(
        mut problem: Problem,
        machine: Mealy,
        further: &[Clause],
        prompts: Prompts,
        text: &dyn Fn(&Problem, ClauseId) -> String,
    ) -> Self {
        let clauses = WatchedClauses::new(&mut problem, further, text);
        // Only monitors read registers: nothing is asked about them.
        let problem = problem.shown();
        let sources = sources(&problem, &prompts);
        let contents = contents(&problem, &prompts);
        let checks = checks(&problem, &prompts);
        Self { problem, machine, clauses, prompts, sources, contents, checks }
    }

    /// How each input atom is evaluated.
    pub fn sources(&self) -> &[(AtomId, PredicateSource)] {
        &self.sources
    }
    /// How each update is computed.
    pub fn contents(&self) -> impl Iterator<Item = (AtomId, &UpdateSource)> {
        self.contents.iter().map(|(_, atom, content)| (*atom, content))
    }
    /// Updates, each with a predicate that has to hold of the text that it wrote: those that the table of prompts
    /// names, and the `p` of assumptions `[c <- f(..)] -> X p`, `.. -> F p` and `.. <-> X p`. The measure of
    /// point-in-time adherence counts these pairs.
    pub fn checks(&self) -> &[(AtomId, AtomId)] {
        &self.checks
    }
    /// The name of an atom.
    pub fn name(&self, atom: AtomId) -> &str {
        &self.problem.alphabet.atoms()[atom].name
    }

    /// The values of all cells before the first turn.
    pub(super) fn initial(&self) -> Values {
        let signature = &self.problem.signature;
        let cells = signature.symbols.enumerate();
        let cells = cells.filter(|(_, symbol)| matches!(symbol.kind, SymbolKind::Cell | SymbolKind::Output));
        let value = |cell: SymbolId| {
            let given = self.prompts.cells.get(&signature.symbols[cell].name).map(|initial| match initial {
                Initial::Bool(value) => Value::Bool(*value),
                Initial::Int(value) => Value::Int(*value),
                Initial::Text(text) => Value::Text(text.clone()),
            });
            Some((cell, values::initial(signature, cell, given)?))
        };
        cells.filter_map(|(cell, _)| value(cell)).collect()
    }
}

/// The text of a term, and the name of its head symbol; empty if there is none.
fn named(signature: &Signature, term: TermId) -> (String, String) {
    let head = match signature.terms.get(term) {
        Term::Signal(symbol) | Term::Apply(symbol, _) => signature.symbols[*symbol].name.clone(),
        _ => String::new(),
    };
    (signature.display(term), head)
}

/// The signals of a term, each once, in the order of their ids.
fn signals(signature: &Signature, term: TermId) -> BTreeSet<SymbolId> {
    let (mut found, mut stack) = (BTreeSet::new(), vec![term]);
    while let Some(term) = stack.pop() {
        match signature.terms.get(term) {
            Term::Signal(symbol) => {
                found.insert(*symbol);
            }
            Term::Literal(_) => {}
            Term::Apply(_, arguments) => stack.extend(arguments.iter().copied()),
            Term::Operation(_, a, b) => stack.extend([*a, *b]),
        }
    }
    found
}

/// The cells whose updates are all computed.
fn computed_cells(signature: &Signature) -> BTreeSet<SymbolId> {
    let written =
        |symbol: &SymbolId| matches!(signature.symbols[*symbol].kind, SymbolKind::Cell | SymbolKind::Output);
    let mut computed: BTreeSet<SymbolId> = signature.symbols.ids().filter(written).collect();
    loop {
        let fails = signature.atoms.iter().find_map(|meaning| match meaning {
            AtomMeaning::Update(cell, term)
                if computed.contains(cell)
                    && !is_computed(signature, *term, &|symbol| computed.contains(&symbol)) =>
            {
                Some(*cell)
            }
            _ => None,
        });
        match fails {
            Some(cell) => computed.remove(&cell),
            None => return computed,
        };
    }
}

fn sources(problem: &Problem, prompts: &Prompts) -> Vec<(AtomId, PredicateSource)> {
    let Problem { alphabet, signature, .. } = problem;
    let computed = computed_cells(signature);
    let source = |atom: AtomId| {
        let name = &alphabet.atoms()[atom].name;
        let (term, (text, head)) = match signature.atoms.get(atom) {
            Some(AtomMeaning::Predicate(term)) => (Some(*term), named(signature, *term)),
            _ => (None, (name.clone(), name.clone())),
        };
        let prompt = prompts.predicate(&text, &head);
        let about = |given: Option<Text>| match (given, term) {
            (Some(text), _) => QuestionContext { cells: Vec::new(), texts: vec![text] },
            (None, Some(term)) => about(signature, prompts, term),
            (None, None) => QuestionContext { cells: Vec::new(), texts: vec![Text::Passage] },
        };
        match prompt {
            Some(PredicatePrompt::Counted(counted)) => {
                let cell = signature.symbols.enumerate().find(|(_, symbol)| symbol.name == counted.cell);
                if let Some((cell, _)) = cell {
                    return PredicateSource::AtLeast(cell, counted.at_least);
                }
                ask(Who::Model, default_question(&text), about(None))
            }
            Some(PredicatePrompt::Prompt(question)) => ask(Who::Model, question.clone(), about(None)),
            Some(PredicatePrompt::About(asked)) => ask(asked.by, asked.prompt.clone(), about(asked.about)),
            None => match term {
                Some(term) if is_computed(signature, term, &|symbol| computed.contains(&symbol)) => {
                    PredicateSource::Compute(term)
                }
                _ => ask(Who::Model, default_question(&text), about(None)),
            },
        }
    };
    alphabet.inputs().map(|atom| (atom, source(atom))).collect()
}

fn ask(by: Who, question: String, about: QuestionContext) -> PredicateSource {
    let port = match by {
        Who::Model => Port::Evaluator,
        Who::User => Port::User,
        Who::World => Port::World,
    };
    PredicateSource::Ask { port, question, about }
}

fn default_question(term: &str) -> String {
    format!("Does `{term}` hold of this text?")
}

/// The context of a predicate term: the cells that it reads, and the texts that its inputs represent.
fn about(signature: &Signature, prompts: &Prompts, term: TermId) -> QuestionContext {
    let mut about = QuestionContext::default();
    for symbol in signals(signature, term) {
        let symbol_data = &signature.symbols[symbol];
        if matches!(symbol_data.kind, SymbolKind::Cell | SymbolKind::Output) {
            about.cells.push(symbol);
            continue;
        }
        let text = prompts.inputs.get(&symbol_data.name).copied().unwrap_or_default();
        if !about.texts.contains(&text) {
            about.texts.push(text);
        }
    }
    if about == QuestionContext::default() {
        about.texts.push(Text::Passage);
    }
    about
}

fn contents(problem: &Problem, prompts: &Prompts) -> Vec<(SymbolId, AtomId, UpdateSource)> {
    let signature = &problem.signature;
    let computed = computed_cells(signature);
    let content = |cell: SymbolId, term: TermId| match signature.terms.get(term) {
        Term::Signal(symbol) if *symbol == cell => UpdateSource::Keep,
        Term::Signal(symbol) if signature.symbols[*symbol].kind == SymbolKind::Input => {
            let name = &signature.symbols[*symbol].name;
            UpdateSource::Copy(prompts.inputs.get(name).copied().unwrap_or(Text::Message))
        }
        Term::Signal(_) | Term::Literal(_) => UpdateSource::Compute(term),
        _ if is_computed(signature, term, &|symbol| computed.contains(&symbol)) => {
            UpdateSource::Compute(term)
        }
        _ => {
            let (text, head) = named(signature, term);
            let found = prompts.function(&text, &head);
            let prompt = found.map(|found| found.prompt().to_string());
            let port = match found.map(FunctionPrompt::by).unwrap_or_default() {
                Who::Model => Port::Generator,
                Who::User => Port::User,
                Who::World => Port::World,
            };
            let cells = signals(signature, term).into_iter();
            let written = |symbol: &SymbolId| {
                matches!(signature.symbols[*symbol].kind, SymbolKind::Cell | SymbolKind::Output)
            };
            UpdateSource::Generate {
                port,
                prompt: prompt.unwrap_or_else(|| format!("Write what `{text}` stands for.")),
                cells: cells.filter(written).collect(),
            }
        }
    };
    let atoms = signature.atoms.enumerate();
    let updates = atoms.filter_map(|(atom, meaning)| match meaning {
        AtomMeaning::Update(cell, term) => Some((*cell, atom, content(*cell, *term))),
        _ => None,
    });
    updates.collect()
}

/// See [`Story::checks`].
pub fn checks(problem: &Problem, prompts: &Prompts) -> Vec<(AtomId, AtomId)> {
    let Problem { alphabet, signature, formulas, .. } = problem;
    let is_written = |update: AtomId| match signature.atoms.get(update) {
        Some(AtomMeaning::Update(_, term)) => matches!(signature.terms.get(*term), Term::Apply(..)),
        _ => false,
    };
    let mut found = Vec::new();
    let mut add = |update, predicate| {
        if is_written(update) && !found.contains(&(update, predicate)) {
            found.push((update, predicate));
        }
    };
    for (update, meaning) in signature.atoms.enumerate() {
        let AtomMeaning::Update(_, term) = meaning else { continue };
        let (text, head) = named(signature, *term);
        let Some(check) = prompts.function(&text, &head).and_then(|prompt| prompt.check()) else { continue };
        for predicate in alphabet.inputs() {
            let AtomMeaning::Predicate(term) = signature.atoms[predicate] else { continue };
            let (text, head) = named(signature, term);
            if text == check || head == check {
                add(update, predicate);
            }
        }
    }
    for clause in problem.clauses.iter().filter(|clause| clause.role == Role::Assumption) {
        for part in conjuncts(formulas, clause.formula) {
            let Node::Globally(body) = *formulas.node(part) else { continue };
            if let Some((update, predicate)) = follows(formulas, body)
                && matches!(signature.atoms.get(predicate), Some(AtomMeaning::Predicate(_)))
            {
                add(update, predicate);
            }
        }
    }
    found
}

fn conjuncts(formulas: &Formulas, f: FormulaId) -> Vec<FormulaId> {
    match formulas.node(f) {
        Node::And(parts) => parts.to_vec(),
        _ => vec![f],
    }
}

/// The `a` and `b` of `a -> X b`, `a -> F b` and `a <-> X b`.
fn follows(formulas: &Formulas, f: FormulaId) -> Option<(AtomId, AtomId)> {
    let atom = |f: FormulaId| match *formulas.node(f) {
        Node::Atom(atom) => Some(atom),
        _ => None,
    };
    let later = |f: FormulaId| match *formulas.node(f) {
        Node::Next(g) | Node::Finally(g) => atom(g),
        _ => None,
    };
    let negated = |f: FormulaId| match *formulas.node(f) {
        Node::Not(g) => atom(g),
        _ => None,
    };
    match formulas.node(f) {
        Node::Iff(a, b) => atom(*a).zip(later(*b)).or_else(|| atom(*b).zip(later(*a))),
        Node::Or(parts) => match &parts[..] {
            [a, b] => negated(*a).zip(later(*b)).or_else(|| negated(*b).zip(later(*a))),
            _ => None,
        },
        _ => None,
    }
}

/// Warnings about entries of a table of prompts for names that the specification does not have.
pub fn unknown_prompts(problem: &Problem, prompts: &Prompts) -> Diagnostics {
    let signature = &problem.signature;
    let names = |kinds: &[SymbolKind]| -> BTreeSet<String> {
        let symbols =
            signature.symbols.iter().filter(|symbol| kinds.contains(&symbol.kind) && !symbol.hidden);
        symbols.map(|symbol| symbol.name.clone()).collect()
    };
    let mut terms: BTreeSet<String> = BTreeSet::new();
    for (atom, meaning) in signature.atoms.enumerate() {
        terms.insert(match meaning {
            AtomMeaning::Predicate(term) | AtomMeaning::Update(_, term) => signature.display(*term),
            AtomMeaning::Proposition => problem.alphabet.atoms()[atom].name.clone(),
        });
    }
    let mut found = Diagnostics::new();
    let mut look = |table: &str, given: &mut dyn Iterator<Item = &String>, known: BTreeSet<String>| {
        for name in given.filter(|name| !known.contains(*name)) {
            let mut warning = Diagnostic::warning(
                Code::UNKNOWN_PROMPT,
                format!(
                    "the table of prompts has `{name}` in `[{table}]`, and the specification has no such name"
                ),
            );
            let near = known.iter().max_by(|a, b| {
                strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)).then(b.cmp(a))
            });
            if let Some(near) = near.filter(|near| strsim::jaro_winkler(near, name) > 0.8) {
                warning = warning.hint(format!("did you mean `{near}`?"));
            }
            found.push(warning);
        }
    };
    let with_terms = |mut names: BTreeSet<String>| {
        names.extend(terms.iter().cloned());
        names
    };
    let functions = with_terms(names(&[SymbolKind::Function, SymbolKind::Constant]));
    look("functions", &mut prompts.functions.keys(), functions);
    let predicates = with_terms(names(&[SymbolKind::Predicate, SymbolKind::Input]));
    look("predicates", &mut prompts.predicates.keys(), predicates);
    look("inputs", &mut prompts.inputs.keys(), names(&[SymbolKind::Input]));
    let cells = names(&[SymbolKind::Cell, SymbolKind::Output]);
    look("cells", &mut prompts.cells.keys(), cells.clone());
    let counted = prompts.predicates.values().filter_map(|prompt| match prompt {
        PredicatePrompt::Counted(counted) => Some(&counted.cell),
        _ => None,
    });
    look("predicates", &mut counted.into_iter(), cells);
    found
}
