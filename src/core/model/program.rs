//! Games over programs: finitely many locations, variables over integers and rational numbers, moves with conditions.
//! In each step the environment chooses the inputs, then the system chooses one of the enabled moves.
//!
//! Source: Heim and Dimitrova, "Solving infinite-state games via acceleration" (POPL 2024), reactive program games;
//! a move may also have numbers of its own that the system chooses freely.

use crate::base::{Id, IdVec, Rational};
use crate::define_id;
use crate::logic::{Alphabet, AtomId, FormulaId, Formulas, Inequality, LinearProof, Sum};
use rustc_hash::FxHashMap;

define_id! {
    /// A location of a [`ProgramGame`].
    pub struct LocationId;
    /// A move of a [`ProgramGame`].
    pub struct MoveId;
}

/// What the values of a variable are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramSort {
    /// True is every integer from 1 on, false every other: a condition is `1 - b ≤ 0` or `b ≤ 0`.
    Boolean,
    /// The integers.
    Integer,
    /// The rational numbers.
    Real,
}

/// A variable of a [`ProgramGame`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramVariable {
    /// Its name in the text.
    pub name: String,
    /// Its values.
    pub sort: ProgramSort,
}

/// A move: enabled for the inputs and chosen numbers with which all inequalities of its guard hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramMove {
    /// Where it begins.
    pub from: LocationId,
    /// Where it leads.
    pub to: LocationId,
    /// All of these hold.
    pub guard: Vec<Inequality>,
    /// The next value of each cell.
    pub updates: Vec<Sum>,
    /// The least priority that is taken infinitely often decides: even ones are won by the system.
    pub priority: u32,
    /// What the system does with it besides, as a set of numbers below 64. Only a formula speaks of them.
    pub actions: u64,
}

/// A game over a program. The variables are numbered: first the cells, then the inputs, then the numbers that the system
/// chooses together with a move. The system wins a play if the least priority that is seen infinitely often is even. An
/// input for which no move is enabled is not allowed; where none is allowed, the play ends and the system wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramGame {
    /// All variables.
    pub variables: Vec<ProgramVariable>,
    /// How many of them are cells.
    pub cells: usize,
    /// How many are inputs.
    pub inputs: usize,
    /// The names of the locations.
    pub locations: IdVec<LocationId, String>,
    /// Where plays begin.
    pub initial: LocationId,
    /// The first values of the cells satisfy all inequalities of one of these.
    pub start: Vec<Vec<Inequality>>,
    /// All moves.
    pub moves: IdVec<MoveId, ProgramMove>,
}

impl ProgramGame {
    /// Whether a variable has integer values.
    pub fn is_integer(&self, variable: u32) -> bool {
        self.variables.get(variable as usize).is_some_and(|v| v.sort != ProgramSort::Real)
    }
    /// The moves from each location.
    pub fn moves_from(&self) -> IdVec<LocationId, Vec<MoveId>> {
        let mut result = IdVec::filled(Vec::new(), self.locations.len());
        for (id, one) in self.moves.enumerate() {
            result[one.from].push(id);
        }
        result
    }
    /// Whether all numbers of variables, locations and updates exist, and cells and inputs are where they belong.
    pub fn is_well_formed(&self) -> bool {
        let own = |sum: &Sum, end: usize| sum.terms().all(|(variable, _)| (variable as usize) < end);
        let all = self.variables.len();
        self.cells + self.inputs <= all
            && self.initial.index() < self.locations.len()
            && self.start.iter().flatten().all(|part| own(&part.sum, self.cells))
            && self.moves.iter().all(|one| {
                one.from.index() < self.locations.len()
                    && one.to.index() < self.locations.len()
                    && one.updates.len() == self.cells
                    && one.updates.iter().all(|sum| own(sum, all))
                    && one.guard.iter().all(|part| own(&part.sum, all))
            })
    }
}

/// A game together with a formula about its plays: the system has to win the one and keep the other.
#[derive(Clone, Debug)]
pub struct ProgramText {
    /// The game.
    pub game: ProgramGame,
    /// The formula.
    pub formula: Option<ProgramFormula>,
}

/// The meaning of an atom of a [`ProgramFormula`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ProgramAtom {
    /// A condition on the values of a step; variables beyond cells and inputs are the next values of cells.
    Condition(Inequality),
    /// The move has the action with this number.
    Action(u32),
}

/// A part of a [`ProgramFormula`].
#[derive(Clone, Debug, Default)]
pub struct FormulaBlock {
    /// If all of these hold,
    pub assumptions: Vec<FormulaId>,
    /// all of these do.
    pub guarantees: Vec<FormulaId>,
}

/// A formula about the steps of a play.
#[derive(Clone, Debug)]
pub struct ProgramFormula {
    /// Owns the formula.
    pub formulas: Formulas,
    /// An input for each atom.
    pub alphabet: Alphabet,
    /// The meanings of the atoms by their numbers.
    pub meanings: IdVec<AtomId, ProgramAtom>,
    /// The actions that the system chooses with each move, whatever the set of the move is.
    pub free: u64,
    /// The formula is that all of these hold: the guarantees of each, if its assumptions do.
    pub blocks: Vec<FormulaBlock>,
    known: FxHashMap<ProgramAtom, AtomId>,
}

impl Default for ProgramFormula {
    fn default() -> Self {
        Self::new()
    }
}

impl ProgramFormula {
    /// The formula that is always true.
    pub fn new() -> Self {
        let (alphabet, meanings, known) = (Alphabet::new(), IdVec::new(), FxHashMap::default());
        Self { formulas: Formulas::new(), alphabet, meanings, free: 0, blocks: Vec::new(), known }
    }
    /// All blocks as one formula.
    pub fn formula(&mut self) -> FormulaId {
        let mut all = Vec::new();
        for block in &self.blocks {
            let assumed = self.formulas.and(block.assumptions.iter().copied());
            let guaranteed = self.formulas.and(block.guarantees.iter().copied());
            all.push(self.formulas.implies(assumed, guaranteed));
        }
        self.formulas.and(all)
    }
    /// That the move has an action.
    pub fn action(&mut self, action: u32) -> FormulaId {
        let atom = self.atom(ProgramAtom::Action(action));
        self.formulas.atom(atom)
    }
    /// That an inequality holds.
    pub fn condition(&mut self, inequality: &Inequality) -> FormulaId {
        if let Some(value) = inequality.known() {
            return self.formulas.constant(value);
        }
        if let Some(&atom) = self.known.get(&ProgramAtom::Condition(inequality.negated())) {
            let atom = self.formulas.atom(atom);
            return self.formulas.not(atom);
        }
        let atom = self.atom(ProgramAtom::Condition(inequality.clone()));
        self.formulas.atom(atom)
    }
    fn atom(&mut self, meaning: ProgramAtom) -> AtomId {
        if let Some(&atom) = self.known.get(&meaning) {
            return atom;
        }
        let atom = self.alphabet.add_input(format!("c{}", self.meanings.len()));
        let own = self.meanings.push(meaning.clone());
        debug_assert_eq!(atom, own, "atoms are numbered in order");
        self.known.insert(meaning, atom);
        atom
    }
}

/// A claim that a player wins a [`ProgramGame`] from the start, with all that its check needs.
///
/// A play visits nodes; each has a region of states and a rank. The rank has components, each with a level, which is an odd
/// priority for the system and an even one for the environment; levels do not fall from left to right. On a step of
/// priority p, the components with a level below p, or p itself where p is bad for the player, do not rise
/// lexicographically, and for a bad p one of them falls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCertificate {
    /// The level and the least fall of each component of a rank.
    pub components: Vec<(u32, Rational)>,
    /// For each value that a node remembers, whether it is an integer.
    pub remembered: Vec<bool>,
    /// All nodes.
    pub nodes: ProgramNodes,
    /// Where the player begins; as for a step, over the cells.
    pub start: Vec<ProgramStart>,
    /// For each part of the game's start that all of it is covered; for the environment, first values of the cells that
    /// are.
    pub covered: ProgramStartProof,
}

/// The nodes of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramNodes {
    /// The system chooses a move for each input.
    System(Vec<SystemNode>),
    /// The environment chooses inputs.
    Environment(Vec<EnvironmentNode>),
}

/// A region of the states at a location, over the cells and the remembered values, and a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRegion {
    /// The location.
    pub location: LocationId,
    /// All of these hold.
    pub states: Vec<Inequality>,
    /// The components of the rank.
    pub rank: Vec<Sum>,
    /// For each component that is not a constant, a proof that it is at least 0: that the states and the component
    /// being below 0 contradict each other.
    pub bounded: Vec<Option<LinearProof>>,
}

/// Where a player begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramStart {
    /// The node, by its number.
    pub node: usize,
    /// What is remembered there, over the cells.
    pub remembered: Vec<Sum>,
}

/// What shows that a player wins from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramStartProof {
    /// For each part of the start, that each state is in a node of the system.
    All(Vec<Coverage>),
    /// Values of the cells from which the environment wins, and the number of the start of the certificate.
    One(Vec<Rational>, usize),
}

/// Where a move leads: a node, what is remembered there, and which component of the rank falls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramStep {
    /// The node, by its number.
    pub node: usize,
    /// The remembered values there, over all variables and those remembered before.
    pub remembered: Vec<Sum>,
    /// The component that falls; those before it do not rise.
    pub falls: Option<usize>,
}

/// A region in which the system has an answer to each input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemNode {
    /// The states.
    pub region: ProgramRegion,
    /// The answers.
    pub options: Vec<SystemOption>,
    /// That for each input one of them is possible.
    pub proof: SystemProof,
}

/// An answer of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemOption {
    /// The move.
    pub chosen: MoveId,
    /// The numbers that are chosen with it, over cells, inputs and remembered values.
    pub numbers: Vec<Sum>,
    /// Where it leads.
    pub step: ProgramStep,
}

/// What shows that the system has an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SystemProof {
    /// For each input, allowed or not.
    Always(Coverage),
    /// For each move from the location, in their order: for each input for which it is enabled.
    WhereEnabled(Vec<Coverage>),
}

/// A region in which the environment has an input that is good whatever the system does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentNode {
    /// The states.
    pub region: ProgramRegion,
    /// The inputs, over the cells and the remembered values.
    pub inputs: Vec<Sum>,
    /// Moves with chosen numbers, over the cells, inputs and remembered values, that show that the input is allowed.
    pub enabled: Vec<(MoveId, Vec<Sum>)>,
    /// That in each state one of them is enabled.
    pub allowed: Coverage,
    /// For each move from the location, in their order: where it may lead, and that it leads to one of them.
    pub answers: Vec<(Vec<ProgramStep>, Coverage)>,
}

/// A proof that some inequalities imply one of several options, each a list of inequalities: that the inequalities and the
/// negation of each option contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// What is given is a contradiction: the inequalities in their order, then those of the cases above.
    Closed(LinearProof),
    /// A case distinction on the option with this number, which is refuted as a whole: there is one case for each of its
    /// inequalities, in which this inequality is false and those before it are true.
    Option(usize, Vec<Coverage>),
    /// A sum is at most 0, or it is greater.
    Sign(Sum, Box<[Coverage; 2]>),
}
