//! A contract over numbers as a game over a program with one location: cells whose values can be computed are cells of
//! the game, every choice of updates is a move, and the contract is a formula about the steps.

use super::remembered::registers_as_cells;
use super::sums::{sum_over, variable};
use crate::spec::finite::{domain, store};
use crate::spec::problem::{Clause, Problem, Target};
use crate::spec::signature::{
    AtomMeaning, LiteralValue, Operator, Overflow, Signature, Sort, SymbolId, SymbolKind, Term, TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Id, IdVec, Limit, LimitKind, Rational};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, FormulaId, Formulas, Inequality, Node, Sum};
use tsl_synth_core::model::{
    Contract, FormulaBlock, LocationId, ProgramAtom, ProgramFormula, ProgramGame, ProgramMove, ProgramSort,
    ProgramText, ProgramVariable, Role,
};

/// The most moves: choices of one update for each cell.
const MOVES: usize = 1_024;
/// The most updates and Boolean outputs: a move has a set of them.
const ACTIONS: usize = u64::BITS as usize;

/// A contract over numbers as a game.
#[derive(Clone, Debug)]
pub struct NumberGame {
    /// The game with the contract as its formula.
    pub text: ProgramText,
    /// The atoms of the problem, then the updates of the cells that stand for registers.
    pub alphabet: Alphabet,
    /// The update or the Boolean output that each action is.
    pub actions: Vec<AtomId>,
    /// Whether the environment of the game can do no more than that of the specification: no function and no predicate
    /// is left uninterpreted.
    pub is_exact: bool,
    /// Whether the environment chooses the values of terms in updates that are not computed.
    pub has_unknown_terms: bool,
}

/// The game of a problem. Where the system wins it, the problem is realizable; where the environment does and the game is
/// exact, it is not.
///
/// # Errors
/// [`LimitKind::Size`] if there are too many updates, or the problem has a form that is not supported.
pub fn number_game(problem: &Problem) -> Result<NumberGame, Limit> {
    let is_plain = !problem.answers_first && !problem.finite && problem.target == Target::Mealy;
    if !is_plain {
        return Err(unsupported("finite words and Moore machines with numbers"));
    }
    let with_cells;
    let problem = if problem.signature.registers.is_empty() {
        problem
    } else {
        with_cells = registers_as_cells(problem);
        &with_cells
    };
    let mut builder = Builder::new(problem)?;
    let formula = builder.contract()?;
    let moves = builder.moves()?;
    let start = builder.start()?;
    let Builder { mut cells, inputs, actions, is_exact, has_unknown_terms, .. } = builder;
    let (cell_count, input_count) = (cells.len(), inputs.len());
    cells.extend(inputs);
    let game = ProgramGame {
        variables: cells,
        cells: cell_count,
        inputs: input_count,
        locations: IdVec::filled(String::new(), 1),
        initial: LocationId::from_index(0),
        start: vec![start],
        moves,
    };
    Ok(NumberGame {
        text: ProgramText { game, formula: Some(formula) },
        alphabet: problem.alphabet.clone(),
        actions,
        is_exact,
        has_unknown_terms,
    })
}

fn unsupported(what: &str) -> Limit {
    Limit::new(LimitKind::Size, format!("{what} are not supported"))
}

fn large() -> Limit {
    Limit::new(LimitKind::Size, "a number is too large")
}

/// The values of a signal as numbers.
#[derive(Clone, Copy)]
struct Values {
    sort: ProgramSort,
    bounds: Option<(i64, i64)>,
}

impl Values {
    /// The values of the signals whose terms can be sums: a truth value is 0 or 1, a value of an enumeration its index.
    fn new(signature: &Signature, symbol: SymbolId) -> Option<Self> {
        let (sort, bounds) = match &signature.symbols[symbol].sort {
            Sort::Bool => (ProgramSort::Boolean, None),
            Sort::Int => (ProgramSort::Integer, None),
            Sort::Real => (ProgramSort::Real, None),
            Sort::Range(low, high) => (ProgramSort::Integer, Some((*low, *high))),
            Sort::Enum(names) => (ProgramSort::Integer, Some((0, i64::try_from(names.len()).ok()? - 1))),
            Sort::Number | Sort::Named(_) | Sort::Inferred(_) => return None,
        };
        Some(Self { sort, bounds })
    }

    fn inequalities(&self, variable: u32) -> Option<Vec<Inequality>> {
        let Some((low, high)) = self.bounds else { return Some(Vec::new()) };
        let value = Sum::variable(variable);
        let minus = Rational::ONE.negated();
        let above = Sum::constant(Rational::integer(low.into())?).plus(minus, &value)?;
        let below = value.plus(minus, &Sum::constant(Rational::integer(high.into())?))?;
        Some(vec![Inequality::at_most_zero(above), Inequality::at_most_zero(below)])
    }
}

struct Builder<'a> {
    problem: &'a Problem,
    /// The variables of the game; those of inputs are numbered after the cells.
    cells: Vec<ProgramVariable>,
    inputs: Vec<ProgramVariable>,
    variables: FxHashMap<SymbolId, u32>,
    /// The atoms whose meaning is computed in the game.
    computed: FxHashSet<AtomId>,
    actions: Vec<AtomId>,
    /// That the inputs are in their ranges.
    allowed: Vec<Inequality>,
    /// What is assumed of the cells in the first step.
    begin: Vec<Inequality>,
    is_exact: bool,
    has_unknown_terms: bool,
}

impl<'a> Builder<'a> {
    fn new(problem: &'a Problem) -> Result<Self, Limit> {
        let actions = problem.alphabet.atoms().enumerate();
        let actions = actions.filter(|(_, atom)| !matches!(atom.kind, AtomKind::Input(_)));
        let mut this = Self {
            problem,
            cells: Vec::new(),
            inputs: Vec::new(),
            variables: FxHashMap::default(),
            computed: FxHashSet::default(),
            actions: actions.map(|(id, _)| id).collect(),
            allowed: Vec::new(),
            begin: Vec::new(),
            is_exact: true,
            has_unknown_terms: false,
        };
        if this.actions.len() > ACTIONS {
            let what = format!("{} updates and outputs, more than {ACTIONS},", this.actions.len());
            return Err(unsupported(&what));
        }
        let signature = &problem.signature;
        for symbol in this.computed_cells() {
            let Some(values) = Values::new(signature, symbol) else { continue };
            this.variables.insert(symbol, this.cells.len() as u32);
            let name = signature.symbols[symbol].name.clone();
            this.cells.push(ProgramVariable { name, sort: values.sort });
        }
        for (symbol, info) in signature.symbols.enumerate() {
            if info.kind != SymbolKind::Input {
                continue;
            }
            if let Some(values) = Values::new(signature, symbol) {
                let variable = this.input(info.name.clone(), values.sort);
                this.variables.insert(symbol, variable);
                this.allowed.extend(values.inequalities(variable).ok_or_else(large)?);
            }
        }
        Ok(this)
    }

    /// Another input of the game.
    fn input(&mut self, name: String, sort: ProgramSort) -> u32 {
        self.inputs.push(ProgramVariable { name, sort });
        (self.cells.len() + self.inputs.len() - 1) as u32
    }

    /// The cells whose updates are all sums, so that the game has their values. The values of other cells are inputs of
    /// the game, about which the facts of the problem speak.
    fn computed_cells(&self) -> Vec<SymbolId> {
        let signature = &self.problem.signature;
        let mut cells: Vec<SymbolId> = Vec::new();
        for (symbol, info) in signature.symbols.enumerate() {
            if info.kind == SymbolKind::Cell && Values::new(signature, symbol).is_some() {
                cells.push(symbol);
            }
        }
        loop {
            let is_value = |symbol: SymbolId| {
                signature.symbols[symbol].kind == SymbolKind::Input || cells.contains(&symbol)
            };
            let is_kept = |cell: SymbolId| {
                if matches!(signature.symbols[cell].sort, Sort::Int | Sort::Real) {
                    return true;
                }
                let is_finite = |symbol: SymbolId| {
                    let sort = &signature.symbols[symbol].sort;
                    is_value(symbol) && !matches!(sort, Sort::Int | Sort::Real)
                };
                let signal = |symbol: SymbolId| is_finite(symbol).then(|| variable(symbol));
                signature.atoms.iter().all(|meaning| match *meaning {
                    AtomMeaning::Update(symbol, term) if symbol == cell => {
                        is_stored_as_is(signature, cell, term)
                            && sum_over(signature, term, &signal, &|_| true).is_some()
                    }
                    _ => true,
                })
            };
            let kept: Vec<SymbolId> = cells.iter().copied().filter(|&cell| is_kept(cell)).collect();
            if kept.len() == cells.len() {
                return kept;
            }
            cells = kept;
        }
    }

    fn sum(&self, term: TermId) -> Option<Sum> {
        let signal = |symbol| self.variables.get(&symbol).copied();
        let variables = || self.cells.iter().chain(&self.inputs);
        let is_integer = |v: u32| variables().nth(v as usize).is_some_and(|v| v.sort != ProgramSort::Real);
        sum_over(&self.problem.signature, term, &signal, &is_integer)
    }

    /// A move for each choice of one update for each cell.
    fn moves(&mut self) -> Result<IdVec<tsl_synth_core::model::MoveId, ProgramMove>, Limit> {
        let problem = self.problem;
        let mut choices: Vec<Vec<AtomId>> = vec![Vec::new()];
        for cell in problem.alphabet.cells() {
            if choices.len().saturating_mul(cell.options.len()) > MOVES {
                return Err(unsupported(&format!("more than {MOVES} choices of updates")));
            }
            let with = |choice: &Vec<AtomId>| {
                let choice = choice.clone();
                cell.options.iter().map(move |&option| [&choice[..], &[option]].concat())
            };
            choices = choices.iter().flat_map(with).collect();
        }
        let mut images: FxHashMap<AtomId, (u32, Sum)> = FxHashMap::default();
        for (atom, meaning) in problem.signature.atoms.enumerate() {
            let AtomMeaning::Update(symbol, term) = *meaning else { continue };
            let Some(&cell) = self.variables.get(&symbol) else { continue };
            let image = if let Some(sum) = self.sum(term) {
                sum
            } else {
                // The environment chooses the value of a term that is not computed.
                self.is_exact = false;
                self.has_unknown_terms = true;
                let sort = self.cells[cell as usize].sort;
                let name = problem.alphabet.update_term(atom).unwrap_or_default().to_owned();
                Sum::variable(self.input(name, sort))
            };
            images.insert(atom, (cell, image));
        }
        let here = LocationId::from_index(0);
        let mut moves = IdVec::new();
        for choice in choices {
            let mut updates: Vec<Sum> = (0..self.cells.len() as u32).map(Sum::variable).collect();
            for atom in &choice {
                if let Some((cell, image)) = images.get(atom) {
                    updates[*cell as usize] = image.clone();
                }
            }
            let number = |atom| self.actions.binary_search(atom).unwrap_or_default();
            let actions = choice.iter().map(|atom| 1u64 << number(atom)).fold(0, |all, one| all | one);
            let guard = self.allowed.clone();
            moves.push(ProgramMove { from: here, to: here, guard, updates, priority: 0, actions });
        }
        Ok(moves)
    }

    /// The first values of the cells.
    fn start(&mut self) -> Result<Vec<Inequality>, Limit> {
        let signature = &self.problem.signature;
        let mut start = self.begin.clone();
        for (symbol, info) in signature.symbols.enumerate() {
            let Some(&cell) = self.variables.get(&symbol).filter(|_| info.kind == SymbolKind::Cell) else {
                continue;
            };
            let values = Values::new(signature, symbol).ok_or_else(large)?;
            start.extend(values.inequalities(cell).ok_or_else(large)?);
            let Some(initial) = info.initial else { continue };
            // Of a signal that is not declared finite the initial value may be any term.
            let value = self.sum(initial).filter(|sum| sum.value().is_some());
            if let Some(value) = value {
                let change = Sum::variable(cell).plus(Rational::ONE.negated(), &value).ok_or_else(large)?;
                start.extend([change.negated(), change].map(Inequality::at_most_zero));
            } else {
                self.is_exact = false;
            }
        }
        Ok(start)
    }

    /// The contract as a formula about the steps of the game. Facts that the game computes are left out.
    fn contract(&mut self) -> Result<ProgramFormula, Limit> {
        let problem = self.problem;
        let mut result = ProgramFormula::new();
        let mut images: FxHashMap<AtomId, FormulaId> = FxHashMap::default();
        for (atom, info) in problem.alphabet.atoms().enumerate() {
            let image = match info.kind {
                AtomKind::Update(..) => {
                    self.computed.insert(atom);
                    result.action(self.actions.binary_search(&atom).unwrap_or_default() as u32)
                }
                AtomKind::Output(_) => {
                    let number = self.actions.binary_search(&atom).unwrap_or_default();
                    result.free |= 1 << number;
                    result.action(number as u32)
                }
                AtomKind::Input(_) => {
                    if let Some(condition) = self.condition(&mut result, atom)? {
                        self.computed.insert(atom);
                        condition
                    } else {
                        self.is_exact &= self.is_determined(atom);
                        let variable = self.input(info.name.clone(), ProgramSort::Boolean);
                        result.condition(&is_true(variable))
                    }
                }
            };
            images.insert(atom, image);
        }
        let is_needed = |clause: &&Clause| {
            let is_computed = problem.formulas.support(&[clause.formula]).iter().all(|atom| {
                let is_input = matches!(problem.alphabet.atoms()[atom].kind, AtomKind::Input(_));
                self.computed.contains(&atom) && (is_input || self.is_update_of_variable(atom))
            });
            !(clause.role == Role::Fact && clause.constraint.is_some() && is_computed)
        };
        let kept: Vec<&Clause> = problem.clauses.iter().filter(is_needed).collect();
        let of =
            |role| kept.iter().filter(|clause| clause.role == role).map(|clause| clause.formula).collect();
        let contract = Contract {
            facts: of(Role::Fact),
            restrictions: of(Role::Restriction),
            assumptions: of(Role::Assumption),
            guarantees: of(Role::Guarantee),
        };
        let mut contract = contract.map(|formula| {
            let image = |_: &mut Formulas, atom| Ok::<_, std::convert::Infallible>(images[&atom]);
            let Ok(copy) = result.formulas.import(&problem.formulas, formula, image);
            copy
        });
        // Such assumptions are conditions of the game, which keeps its formula small.
        contract.assumptions.retain(|&assumption| {
            let (body, is_always) = match *result.formulas.node(assumption) {
                Node::Globally(body) => (body, true),
                _ => (assumption, false),
            };
            let Some(conditions) = all_conditions(&result, body) else { return true };
            let is_input = |v: u32| v as usize >= self.cells.len();
            let is_about = |inputs: bool| {
                conditions.iter().all(|one| one.sum.terms().all(|(variable, _)| is_input(variable) == inputs))
            };
            match is_always {
                true if is_about(true) => self.allowed.extend(conditions),
                false if is_about(false) => self.begin.extend(conditions),
                _ => return true,
            }
            false
        });
        let Contract { facts, restrictions, assumptions, guarantees } = contract;
        let assumptions = [&facts[..], &assumptions[..]].concat();
        result.blocks = vec![FormulaBlock { assumptions: facts, guarantees: restrictions }];
        result.blocks.push(FormulaBlock { assumptions, guarantees });
        result.blocks.retain(|block| !block.guarantees.is_empty());
        Ok(result)
    }

    fn is_update_of_variable(&self, atom: AtomId) -> bool {
        match self.problem.signature.atoms[atom] {
            AtomMeaning::Update(symbol, _) => self.variables.contains_key(&symbol),
            AtomMeaning::Predicate(_) | AtomMeaning::Proposition => false,
        }
    }

    /// Whether the facts of the problem determine an atom of the environment that is not computed: the value of a
    /// Boolean cell.
    fn is_determined(&self, atom: AtomId) -> bool {
        let signature = &self.problem.signature;
        match signature.atoms[atom] {
            AtomMeaning::Predicate(term) => match *signature.terms.get(term) {
                Term::Signal(symbol) => signature.symbols[symbol].sort == Sort::Bool,
                _ => false,
            },
            AtomMeaning::Update(..) | AtomMeaning::Proposition => false,
        }
    }

    /// An atom of the environment as a condition on the values of the game.
    fn condition(&self, result: &mut ProgramFormula, atom: AtomId) -> Result<Option<FormulaId>, Limit> {
        let signature = &self.problem.signature;
        for (signal, &symbol) in self.problem.alphabet.encoded().iter().zip(&signature.encoded) {
            if !signal.atoms.contains(&atom) {
                continue;
            }
            let Some(&variable) = self.variables.get(&symbol) else { return Ok(None) };
            let Some(values) = domain(signature, symbol)? else { return Ok(None) };
            let first = match values.first() {
                Some(LiteralValue::Int(low)) => *low,
                _ => 0,
            };
            let has = |index: usize| signal.literals(index).any(|literal| literal == (atom, true));
            let mut intervals = Vec::new();
            let mut index = 0;
            while index < values.len() {
                let length = (index..values.len()).take_while(|&one| has(one)).count();
                if length > 0 {
                    let bound = |index: usize| i64::try_from(index).ok()?.checked_add(first);
                    let bounds = bound(index).zip(bound(index + length - 1));
                    let values =
                        Values { sort: ProgramSort::Integer, bounds: Some(bounds.ok_or_else(large)?) };
                    let inside = values.inequalities(variable);
                    let inside: Vec<FormulaId> =
                        inside.ok_or_else(large)?.iter().map(|part| result.condition(part)).collect();
                    intervals.push(result.formulas.and(inside));
                }
                index += length.max(1);
            }
            return Ok(Some(result.formulas.or(intervals)));
        }
        let AtomMeaning::Predicate(term) = signature.atoms[atom] else { return Ok(None) };
        match *signature.terms.get(term) {
            Term::Signal(symbol) if signature.symbols[symbol].sort == Sort::Bool => {
                let variable = self.variables.get(&symbol);
                Ok(variable.map(|&variable| result.condition(&is_true(variable))))
            }
            Term::Operation(operator @ (Operator::Equal | Operator::Greater), a, b) => {
                let (Some(a), Some(b)) = (self.sum(a), self.sum(b)) else { return Ok(None) };
                let change = b.plus(Rational::ONE.negated(), &a).ok_or_else(large)?;
                if operator == Operator::Greater {
                    return Ok(Some(result.condition(&Inequality::below_zero(change))));
                }
                let below = result.condition(&Inequality::at_most_zero(change.negated()));
                let above = result.condition(&Inequality::at_most_zero(change));
                Ok(Some(result.formulas.and([below, above])))
            }
            _ => Ok(None),
        }
    }
}

/// The conditions of a formula that says that all of these hold in the first step; `None` for other formulas.
fn all_conditions(formula: &ProgramFormula, body: FormulaId) -> Option<Vec<Inequality>> {
    let parts = match formula.formulas.node(body) {
        Node::And(parts) => parts.to_vec(),
        _ => vec![body],
    };
    let mut conditions = Vec::new();
    for part in parts {
        let (atom, is_true) = match *formula.formulas.node(part) {
            Node::Atom(atom) => (atom, true),
            Node::Not(inner) => match *formula.formulas.node(inner) {
                Node::Atom(atom) => (atom, false),
                _ => return None,
            },
            _ => return None,
        };
        let ProgramAtom::Condition(condition) = &formula.meanings[atom] else { return None };
        conditions.push(if is_true { condition.clone() } else { condition.negated() });
    }
    Some(conditions)
}

/// Whether an update stores the value of its term, or is not available: cells that saturate or wrap around may store
/// another value.
fn is_stored_as_is(signature: &Signature, cell: SymbolId, term: TermId) -> bool {
    let own = &signature.symbols[cell];
    own.overflow == Overflow::Unavailable
        || match signature.terms.get(term) {
            Term::Signal(other) => signature.symbols[*other].sort == own.sort,
            Term::Literal(value) => store(signature, cell, Some(value)).as_ref() == Some(value),
            Term::Apply(..) | Term::Operation(..) => false,
        }
}

/// That a Boolean variable is true.
fn is_true(variable: u32) -> Inequality {
    let change = Sum::constant(Rational::ONE).plus(Rational::ONE.negated(), &Sum::variable(variable));
    Inequality::at_most_zero(change.unwrap_or_default())
}
