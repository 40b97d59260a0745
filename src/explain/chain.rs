//! Why a controller did something in a step, as a chain: the inputs that decided it and the clauses that ask for it, then
//! the same for the updates that gave cells the values on which it depended, back to the beginning.
//!
//! The inputs are the smallest set, tried atom by atom, that leaves the controller in its state no other update of the cell.
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
        let because = self.decisive(step, cell, update);
        let owed = match &asked {
            Asked::By(clauses) if !keeps => clauses.iter().find_map(|&clause| self.owed(clause, step)),
            _ => None,
        };
        ChainLink { step, cell, update, keeps, is_chosen, because, asked, allowed, owed }
    }

    /// Inputs and values of cells that suffice for the update in this state. Those that are not needed are dropped one by
    /// one: inputs first, while the values of all cells are still given, and then values of cells; in both groups what is
    /// false before what is true.
    fn decisive(&mut self, step: usize, cell: CellId, update: AtomId) -> Vec<(AtomId, bool)> {
        let (state, _) = self.edges[step];
        let alphabet = &self.problem.alphabet;
        let mut same = self.guards.not(self.possible);
        for edge in &self.machine.states[state].edges {
            if alphabet.chosen(&edge.output, cell) == update {
                same = self.guards.or(same, edge.guard);
            }
        }
        let letter = &self.letters[step];
        let mut literals: Vec<(AtomId, BitId, bool)> = alphabet
            .inputs()
            .filter_map(|atom| match alphabet.atoms()[atom].kind {
                AtomKind::Input(bit) => Some((atom, bit, letter.contains(bit))),
                AtomKind::Output(_) | AtomKind::Update(..) => None,
            })
            .collect();
        literals.sort_by_key(|&(atom, _, holds)| (self.is_of_cells(atom), holds, atom));
        let mut kept = literals.clone();
        for literal in literals {
            let rest: Vec<_> = kept.iter().copied().filter(|other| *other != literal).collect();
            let cube: Vec<(BitId, bool)> = rest.iter().map(|&(_, bit, holds)| (bit, holds)).collect();
            let mut inputs = Guard::TRUE;
            for &(bit, holds) in &cube {
                let literal = self.guards.literal(bit, holds);
                inputs = self.guards.and(inputs, literal);
            }
            if self.guards.implies(inputs, same) {
                kept = rest;
            }
        }
        kept.sort_by_key(|&(atom, _, _)| (self.is_of_cells(atom), atom));
        kept.into_iter().map(|(atom, _, holds)| (atom, holds)).collect()
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
    let formulas = &problem.formulas;
    let mut possible = Guard::TRUE;
    for clause in problem.clauses.iter().filter(|clause| clause.role == Role::Fact) {
        let Node::Globally(body) = *formulas.node(clause.formula) else { continue };
        let mut values: FxHashMap<FormulaId, Guard> = FxHashMap::default();
        for f in formulas.subformulas(&[body]) {
            let guard = match formulas.node(f) {
                Node::True => Guard::TRUE,
                Node::False => Guard::FALSE,
                Node::Atom(atom) if problem.alphabet.player(*atom) == Player::Environment => {
                    problem.alphabet.guard(*atom, guards)
                }
                Node::Not(g) if values.contains_key(g) => guards.not(values[g]),
                Node::And(gs) if gs.iter().all(|g| values.contains_key(g)) => {
                    gs.iter().fold(Guard::TRUE, |all, g| guards.and(all, values[g]))
                }
                Node::Or(gs) if gs.iter().all(|g| values.contains_key(g)) => {
                    gs.iter().fold(Guard::FALSE, |any, g| guards.or(any, values[g]))
                }
                Node::Iff(a, b) if values.contains_key(a) && values.contains_key(b) => {
                    guards.iff(values[a], values[b])
                }
                _ => continue,
            };
            values.insert(f, guard);
        }
        if let Some(&body) = values.get(&body) {
            possible = guards.and(possible, body);
        }
    }
    possible
}
