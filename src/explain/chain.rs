//! Why a controller did something in a step, as a chain: the inputs that decided it and the clauses that ask for it, then
//! the same for the updates that gave cells the values on which it depended, back to the beginning.
//!
//! The inputs are a smallest set, tried atom by atom, that leaves the controller in its state no other update of the cell, or
//! with which a clause that asks for the update leaves no other one, whatever the state.
//! The clauses are those that the controller would break with the cell kept ([`Reasons`]). A clause that is owed since an
//! earlier step is found by progression.

use super::asked::{Asked, Reasons};
use super::progress::after;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{
    AtomId, AtomKind, BitId, CellId, FormulaId, Guard, Guards, Letter, Node, Player,
};
use tsl_synth_core::model::{Mealy, Role, StateId};
use tsl_synth_lang::spec::{AtomMeaning, ClauseId, Problem, SymbolKind};

/// The most links of a chain.
const MOST_LINKS: usize = 12;
/// The most other updates of a cell that are tried.
const MOST_OTHERS: usize = 8;

/// An obligation that began in an earlier step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    /// The clause.
    pub clause: ClauseId,
    /// The step in which it began.
    pub since: usize,
    /// The inputs of the clause that were true then.
    pub inputs: Vec<AtomId>,
}

/// One update and the reasons for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// The step.
    pub step: usize,
    /// The cell.
    pub cell: CellId,
    /// Its update.
    pub update: AtomId,
    /// Whether the update keeps the cell.
    pub keeps: bool,
    /// Whether it is an output that has a value in each step, and none to keep.
    pub is_chosen: bool,
    /// The inputs that decided it, with their values.
    pub because: Vec<(AtomId, bool)>,
    /// Whether some clauses ask for it. An update that keeps the cell is asked for if every other one breaks a clause.
    pub asked: Asked,
    /// For a free choice: other updates of the cell that break no clause either.
    pub allowed: Vec<AtomId>,
    /// The clause among those which ask that is owed since an earlier step.
    pub owed: Option<Owed>,
}

/// The chain for a step of a play: first the cells that changed in it, or all cells if none did; then how cells on whose
/// values that depended got them. The problem includes all facts that the controller relies on. `None` if the letters are no
/// play of the controller, or if the controller does not keep the specification.
pub fn chain(
    problem: &Problem,
    machine: &Mealy,
    letters: &[Letter],
    step: usize,
    budget: &Budget,
) -> Option<Vec<ChainLink>> {
    let reasons = Reasons::new(problem, machine)?;
    if reasons.broken(machine, budget) != Asked::Free {
        return None;
    }
    let mut edges: Vec<(StateId, usize)> = Vec::new();
    let mut state = machine.initial;
    for letter in letters.get(..=step)? {
        let own = &machine.states[state].edges;
        let edge = own.iter().position(|edge| machine.guards.contains(edge.guard, letter))?;
        edges.push((state, edge));
        state = own[edge].next;
    }
    let mut guards = machine.guards.clone();
    let possible = invariants(problem, &mut guards);
    let mut search = ChainSearch { problem, machine, letters, reasons, edges, guards, possible, budget };
    let cells = search.cells();
    let changed: Vec<CellId> = cells.iter().copied().filter(|&cell| search.changes(step, cell)).collect();
    let mut open: Vec<(usize, CellId)> =
        (if changed.is_empty() { cells } else { changed }).into_iter().map(|cell| (step, cell)).collect();
    let mut seen: FxHashSet<(usize, CellId)> = open.iter().copied().collect();
    let mut links = Vec::new();
    let mut next = 0;
    while let Some(&(step, cell)) = open.get(next).filter(|_| links.len() < MOST_LINKS) {
        next += 1;
        let link = search.link(step, cell);
        for &(atom, _) in &link.because {
            for cell in search.cells_of(atom) {
                let before = (0..step).rev().find(|&before| search.changes(before, cell));
                if let Some(before) = before.filter(|&before| seen.insert((before, cell))) {
                    open.push((before, cell));
                }
            }
        }
        links.push(link);
    }
    Some(links)
}

/// An input with its bit and its value.
type BitLiteral = (AtomId, BitId, bool);

struct ChainSearch<'a> {
    problem: &'a Problem,
    machine: &'a Mealy,
    letters: &'a [Letter],
    reasons: Reasons<'a>,
    /// The state and the edge of each step.
    edges: Vec<(StateId, usize)>,
    guards: Guards,
    /// The inputs that the meaning of the language allows.
    possible: Guard,
    budget: &'a Budget,
}

impl ChainSearch<'_> {
    /// The cells of the specification.
    fn cells(&self) -> Vec<CellId> {
        let hidden = |cell: CellId| {
            self.problem.alphabet.cells()[cell].options.iter().any(|&option| self.problem.is_hidden(option))
        };
        self.problem.alphabet.cells().ids().filter(|&cell| !hidden(cell)).collect()
    }

    /// Whether an update changes its cell. Of an output that has a value in each step: whether it is true, or was in the
    /// step before.
    fn changes(&self, step: usize, cell: CellId) -> bool {
        let (state, edge) = self.edges[step];
        if self.reasons.can_keep(cell) {
            let changed = self.reasons.changes(&self.machine.states[state].edges[edge]);
            return changed.iter().any(|(own, _)| *own == cell);
        }
        let no = self.problem.alphabet.cells()[cell].options[0];
        (step.saturating_sub(1)..=step).any(|at| self.update(at, cell) != no)
    }

    /// The update of a cell in a step.
    fn update(&self, step: usize, cell: CellId) -> AtomId {
        let (state, edge) = self.edges[step];
        self.problem.alphabet.chosen(&self.machine.states[state].edges[edge].output, cell)
    }

    /// The cells on whose values an input depends.
    fn cells_of(&self, atom: AtomId) -> Vec<CellId> {
        let signature = &self.problem.signature;
        let AtomMeaning::Predicate(term) = signature.atoms[atom] else { return Vec::new() };
        let symbols = signature.signals_of(term);
        let own = signature.cells.enumerate().filter(|(_, symbol)| symbols.contains(symbol));
        own.map(|(cell, _)| cell).collect()
    }

    fn link(&mut self, step: usize, cell: CellId) -> ChainLink {
        let alphabet = &self.problem.alphabet;
        let (state, edge) = self.edges[step];
        let update = self.update(step, cell);
        let is_chosen = !self.reasons.can_keep(cell);
        let keeps = !is_chosen && !self.changes(step, cell);
        let letter = &self.letters[step];
        let others: Vec<AtomId> =
            alphabet.cells()[cell].options.iter().copied().filter(|&other| other != update).collect();
        let (mut asked, mut allowed) = (Asked::Undecided, Vec::new());
        if !keeps && !is_chosen {
            asked = self.reasons.asked((state, edge), Some(letter), cell, self.budget);
        }
        let is_open = keeps || is_chosen;
        if is_open || asked == Asked::Free {
            let mut broken = Vec::new();
            for &other in others.iter().take(MOST_OTHERS) {
                let changed =
                    self.reasons.with(state, edge, Some(letter), &|output| alphabet.choose(other, output));
                match self.reasons.broken(&changed, self.budget) {
                    Asked::Free => allowed.push(other),
                    Asked::By(clauses) => broken.extend(clauses),
                    Asked::Undecided => {}
                }
            }
            if is_open && !allowed.is_empty() {
                asked = Asked::Free;
            } else if is_open && !broken.is_empty() {
                broken.sort_unstable();
                broken.dedup();
                asked = Asked::By(broken);
            }
        }
        let because = self.decisive(step, cell, update, &asked);
        let owed = match &asked {
            Asked::By(clauses) if !keeps => clauses.iter().find_map(|&clause| self.owed(clause, step)),
            _ => None,
        };
        ChainLink { step, cell, update, keeps, is_chosen, because, asked, allowed, owed }
    }

    /// Inputs and values of cells that suffice for the update: of the controller in this state, or of a clause that asks for
    /// it. A controller may do anything where a fact is broken, so that it alone would name inputs that no clause reads.
    fn decisive(&mut self, step: usize, cell: CellId, update: AtomId, asked: &Asked) -> Vec<(AtomId, bool)> {
        let (state, _) = self.edges[step];
        let alphabet = &self.problem.alphabet;
        let mut same = self.guards.not(self.possible);
        for edge in &self.machine.states[state].edges {
            if alphabet.chosen(&edge.output, cell) == update {
                same = self.guards.or(same, edge.guard);
            }
        }
        let letter = &self.letters[step];
        let mut literals: Vec<BitLiteral> = alphabet
            .inputs()
            .filter_map(|atom| match alphabet.atoms()[atom].kind {
                AtomKind::Input(bit) => Some((atom, bit, letter.contains(bit))),
                AtomKind::Output(_) | AtomKind::Update(..) => None,
            })
            .collect();
        literals.sort_by_key(|&(atom, _, holds)| (self.is_of_cells(atom), holds, atom));
        let mut kept = self.needed(&literals, same);
        let clauses: &[ClauseId] = if let Asked::By(clauses) = asked { clauses } else { &[] };
        for &clause in clauses {
            let Some(others) = self.others_allowed(clause, cell, update) else { continue };
            let forced = self.guards.not(others);
            let all = self.cube(&literals);
            if !self.guards.implies(all, forced) {
                continue;
            }
            let of_clause = self.needed(&literals, forced);
            if !kept.iter().all(|literal| of_clause.contains(literal)) {
                // Of what the controller reads as well, only that.
                let both = self.guards.or(same, forced);
                let fewer = self.needed(&kept, both);
                kept =
                    if fewer.iter().all(|literal| of_clause.contains(literal)) { fewer } else { of_clause };
            }
            break;
        }
        kept.sort_by_key(|&(atom, _, _)| (self.is_of_cells(atom), atom));
        kept.into_iter().map(|(atom, _, holds)| (atom, holds)).collect()
    }

    fn cube(&mut self, literals: &[BitLiteral]) -> Guard {
        let mut inputs = Guard::TRUE;
        for &(_, bit, holds) in literals {
            let literal = self.guards.literal(bit, holds);
            inputs = self.guards.and(inputs, literal);
        }
        inputs
    }

    /// The literals that are needed for a guard, which all of them imply. Those that are not needed are dropped one by one:
    /// inputs first, while the values of all cells are still given, and then values of cells; in both groups what is false
    /// before what is true.
    fn needed(&mut self, literals: &[BitLiteral], wanted: Guard) -> Vec<BitLiteral> {
        let mut kept = literals.to_vec();
        for literal in literals {
            let rest: Vec<_> = kept.iter().copied().filter(|other| other != literal).collect();
            let inputs = self.cube(&rest);
            if self.guards.implies(inputs, wanted) {
                kept = rest;
            }
        }
        kept
    }

    /// The letters in which a clause `G b` leaves the choice of another update of a cell, at most: a part of b with temporal
    /// operators may hold. `None` for other clauses and those that are large.
    fn others_allowed(&mut self, clause: ClauseId, cell: CellId, update: AtomId) -> Option<Guard> {
        const MOST_SUBFORMULAS: usize = 400;
        let problem = self.problem;
        let Node::Globally(body) = *problem.formulas.node(problem.clauses[clause].formula) else {
            return None;
        };
        if problem.formulas.subformulas(&[body]).len() > MOST_SUBFORMULAS {
            return None;
        }
        let (allowed, _) = at_most(problem, &mut self.guards, body, &|_| true);
        let mut others = Guard::FALSE;
        for &option in problem.alphabet.cells()[cell].options.iter().filter(|option| **option != update) {
            let other = problem.alphabet.guard(option, &mut self.guards);
            others = self.guards.or(others, other);
        }
        Some(self.guards.and(allowed, others))
    }

    fn is_of_cells(&self, atom: AtomId) -> bool {
        let signature = &self.problem.signature;
        match signature.atoms[atom] {
            AtomMeaning::Predicate(term) => signature.signals_of(term).iter().any(|&symbol| {
                matches!(signature.symbols[symbol].kind, SymbolKind::Cell | SymbolKind::Output)
            }),
            AtomMeaning::Update(..) | AtomMeaning::Proposition => false,
        }
    }

    /// Since when a clause is owed before a step; `None` if it is as at the beginning then, or was never so again.
    fn owed(&self, clause: ClauseId, step: usize) -> Option<Owed> {
        let alphabet = &self.problem.alphabet;
        let mut formulas = self.problem.formulas.clone();
        let whole = self.problem.clauses[clause].formula;
        let mut remains = whole;
        let mut since = None;
        for (at, letter) in self.letters[..step].iter().enumerate() {
            remains = after(&mut formulas, alphabet, &[remains], letter)[0];
            since = if remains == whole { None } else { since.or(Some(at)) };
        }
        let since = since?;
        let support = formulas.support(&[whole]);
        let held = support.iter().filter(|&atom| {
            alphabet.player(atom) == Player::Environment
                && !self.is_of_cells(atom)
                && alphabet.holds(atom, &self.letters[since])
        });
        Some(Owed { clause, since, inputs: held.collect() })
    }
}

/// The inputs that the facts `G b` allow, where b is a Boolean combination of inputs.
fn invariants(problem: &Problem, guards: &mut Guards) -> Guard {
    let is_input = |atom: AtomId| problem.alphabet.player(atom) == Player::Environment;
    let mut possible = Guard::TRUE;
    for clause in problem.clauses.iter().filter(|clause| clause.role == Role::Fact) {
        let Node::Globally(body) = *problem.formulas.node(clause.formula) else { continue };
        if let (body, true) = at_most(problem, guards, body, &is_input) {
            possible = guards.and(possible, body);
        }
    }
    possible
}

/// The letters in which a formula may hold now, and whether these are exactly those in which it holds: it has no temporal
/// operators, and only atoms that are read.
fn at_most(
    problem: &Problem,
    guards: &mut Guards,
    formula: FormulaId,
    is_read: &dyn Fn(AtomId) -> bool,
) -> (Guard, bool) {
    let formulas = &problem.formulas;
    let mut values: FxHashMap<FormulaId, (Guard, bool)> = FxHashMap::default();
    for f in formulas.subformulas(&[formula]) {
        let value = |g: &FormulaId| values.get(g).copied().unwrap_or((Guard::TRUE, false));
        let found = match formulas.node(f) {
            Node::True => (Guard::TRUE, true),
            Node::False => (Guard::FALSE, true),
            Node::Atom(atom) if is_read(*atom) => (problem.alphabet.guard(*atom, guards), true),
            Node::Not(g) if value(g).1 => (guards.not(value(g).0), true),
            Node::And(gs) => gs.iter().fold((Guard::TRUE, true), |(all, exact), g| {
                let (one, is_exact) = value(g);
                (guards.and(all, one), exact && is_exact)
            }),
            Node::Or(gs) => gs.iter().fold((Guard::FALSE, true), |(any, exact), g| {
                let (one, is_exact) = value(g);
                (guards.or(any, one), exact && is_exact)
            }),
            Node::Iff(a, b) if value(a).1 && value(b).1 => (guards.iff(value(a).0, value(b).0), true),
            _ => (Guard::TRUE, false),
        };
        values.insert(f, found);
    }
    values.get(&formula).copied().unwrap_or((Guard::TRUE, false))
}
