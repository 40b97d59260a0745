//! The parts of letters. Formulas are over *atoms*, games and machines over *bits*: an input or a Boolean output is one
//! bit, a cell with n options is ⌈log₂ n⌉ bits, so that every valuation of the bits is a letter with exactly one update
//! per cell. Codes past the last option mean the last option.

use super::encoded::EncodedSignal;
use super::guard::{Guard, Guards};
use super::ids::{AtomId, CellId};
use super::letter::{BitId, Letter};
use crate::base::{Id, IdVec};

/// A player of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Player {
    /// Owns the inputs.
    Environment,
    /// Owns the outputs.
    System,
}

impl Player {
    /// The other player.
    pub fn opponent(self) -> Self {
        match self {
            Self::Environment => Self::System,
            Self::System => Self::Environment,
        }
    }
}

impl std::fmt::Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Environment => "environment",
            Self::System => "system",
        })
    }
}

/// The kind of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomKind {
    /// An input of the environment (a predicate term, a Boolean input).
    Input(BitId),
    /// A Boolean output of the system.
    Output(BitId),
    /// The option with this index of a cell (an update).
    Update(CellId, u32),
}

/// An atom and how it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The text it stands for, in the notation of the input language: `inCave(s)`, `[x <- f(x)]`, `req`.
    pub name: String,
    /// Whether it is an input, an output or an update.
    pub kind: AtomKind,
}

/// A cell and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The name of the cell.
    pub name: String,
    /// One atom per option, in canonical order; never empty.
    pub options: Vec<AtomId>,
    /// The bits that hold the index of the chosen option, least significant first.
    pub bits: Vec<BitId>,
}

/// The atoms, cells and bits of a problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alphabet {
    atoms: IdVec<AtomId, Atom>,
    cells: IdVec<CellId, Cell>,
    owners: IdVec<BitId, Player>,
    /// Bits that are placed after another one in the bit order of guards.
    behind: Vec<(BitId, BitId)>,
    /// The signals whose values input atoms encode.
    encoded: Vec<EncodedSignal>,
}

impl Alphabet {
    /// An alphabet without atoms.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds an input atom.
    pub fn add_input(&mut self, name: impl Into<String>) -> AtomId {
        let bit = self.owners.push(Player::Environment);
        self.atoms.push(Atom { name: name.into(), kind: AtomKind::Input(bit) })
    }
    /// Adds an input atom whose bit is placed after another one in the bit order of guards, for bits that are often
    /// compared.
    pub fn add_input_behind(&mut self, name: impl Into<String>, other: BitId) -> AtomId {
        let atom = self.add_input(name);
        self.behind.push((BitId::from_index(self.bit_count() - 1), other));
        atom
    }
    /// Declares that input atoms encode the value of a signal, so that values are shown instead of atoms.
    pub fn add_encoded(&mut self, signal: EncodedSignal) {
        self.encoded.push(signal);
    }
    /// The signals whose values input atoms encode, in the order in which they were added.
    pub fn encoded(&self) -> &[EncodedSignal] {
        &self.encoded
    }
    /// A store of guards over the bits.
    pub fn guards(&self) -> Guards {
        let mut guards = Guards::new();
        self.behind.iter().for_each(|&(bit, other)| guards.put_behind(bit, other));
        guards
    }
    /// Adds a Boolean output atom.
    pub fn add_output(&mut self, name: impl Into<String>) -> AtomId {
        let bit = self.owners.push(Player::System);
        self.atoms.push(Atom { name: name.into(), kind: AtomKind::Output(bit) })
    }
    /// Adds a cell with the updates `[x <- false]` and `[x <- true]`, in this order; its bit is that of an output `x`.
    pub fn add_switch(&mut self, name: &str) -> CellId {
        self.add_cell(name, [false, true].map(|value| format!("[{name} <- {value}]")))
    }
    /// The same bits with these Boolean outputs as cells: see [`Self::add_switch`]. Atoms have other numbers.
    pub fn with_switches(&self, names: &[String]) -> Self {
        let mut result = Self::new();
        for atom in &self.atoms {
            match atom.kind {
                AtomKind::Input(_) => {
                    result.add_input(atom.name.as_str());
                }
                AtomKind::Output(_) if names.contains(&atom.name) => {
                    result.add_switch(&atom.name);
                }
                AtomKind::Output(_) => {
                    result.add_output(atom.name.as_str());
                }
                AtomKind::Update(cell, 0) => {
                    let cell = &self.cells[cell];
                    let options: Vec<String> =
                        cell.options.iter().map(|&option| self.atoms[option].name.clone()).collect();
                    result.add_cell(cell.name.as_str(), options);
                }
                AtomKind::Update(..) => {}
            }
        }
        result.behind.clone_from(&self.behind);
        result
    }
    /// Adds a cell with these options (the names of its update atoms).
    ///
    /// # Panics
    /// If there are no options.
    pub fn add_cell<S: Into<String>>(
        &mut self,
        name: impl Into<String>,
        options: impl IntoIterator<Item = S>,
    ) -> CellId {
        let id = CellId::from_index(self.cells.len());
        let options: Vec<AtomId> = options
            .into_iter()
            .enumerate()
            .map(|(i, option)| {
                self.atoms.push(Atom { name: option.into(), kind: AtomKind::Update(id, i as u32) })
            })
            .collect();
        assert!(!options.is_empty(), "a cell has at least one option");
        let width = usize::BITS - (options.len() - 1).leading_zeros();
        let bits = (0..width).map(|_| self.owners.push(Player::System)).collect();
        self.cells.push(Cell { name: name.into(), options, bits })
    }
    /// The alphabet with this many further inputs, the last ones: they choose the outputs that a machine leaves open.
    pub fn with_resolutions(&self, count: usize) -> Self {
        let mut wider = self.clone();
        for number in 0..count {
            wider.add_input(format!("resolution {number}"));
        }
        wider
    }
    /// All atoms.
    pub fn atoms(&self) -> &IdVec<AtomId, Atom> {
        &self.atoms
    }
    /// All cells.
    pub fn cells(&self) -> &IdVec<CellId, Cell> {
        &self.cells
    }
    /// How many bits there are.
    pub fn bit_count(&self) -> usize {
        self.owners.len()
    }
    /// The same alphabet with some inputs as outputs.
    pub fn with_outputs(&self, is_output: impl Fn(AtomId) -> bool) -> Self {
        let mut result = Self::new();
        for (id, atom) in self.atoms.enumerate() {
            match atom.kind {
                AtomKind::Input(_) if !is_output(id) => {
                    result.add_input(atom.name.as_str());
                }
                AtomKind::Input(_) | AtomKind::Output(_) => {
                    result.add_output(atom.name.as_str());
                }
                // A cell's options are added together, at the first of them.
                AtomKind::Update(cell, 0) => {
                    let cell = &self.cells[cell];
                    let names = cell.options.iter().map(|&option| self.atoms[option].name.clone());
                    result.add_cell(cell.name.as_str(), names.collect::<Vec<_>>());
                }
                AtomKind::Update(..) => {}
            }
        }
        result.encoded.clone_from(&self.encoded);
        result
    }
    /// The alphabet of the atoms before `end`, an input atom after which there are only input atoms; ids stay the same.
    pub fn before(&self, end: AtomId) -> Self {
        let AtomKind::Input(bit) = self.atoms[end].kind else { return self.clone() };
        Self {
            atoms: self.atoms.iter().take(end.index()).cloned().collect(),
            cells: self.cells.clone(),
            owners: self.owners.iter().take(bit.index()).copied().collect(),
            behind: self.behind.iter().copied().filter(|pair| pair.0 < bit && pair.1 < bit).collect(),
            encoded: self
                .encoded
                .iter()
                .filter(|signal| signal.atoms.iter().all(|&a| a < end))
                .cloned()
                .collect(),
        }
    }
    /// The player that owns a bit.
    pub fn owner(&self, bit: BitId) -> Player {
        self.owners[bit]
    }
    /// The player that decides an atom.
    pub fn player(&self, atom: AtomId) -> Player {
        match self.atoms[atom].kind {
            AtomKind::Input(_) => Player::Environment,
            AtomKind::Output(_) | AtomKind::Update(..) => Player::System,
        }
    }
    /// The bits of a player in order.
    pub fn bits_of(&self, player: Player) -> impl Iterator<Item = BitId> + '_ {
        self.owners.enumerate().filter(move |(_, owner)| **owner == player).map(|(bit, _)| bit)
    }
    /// The input atoms in order.
    pub fn inputs(&self) -> impl Iterator<Item = AtomId> + '_ {
        self.atoms.ids().filter(|&a| self.player(a) == Player::Environment)
    }
    /// The Boolean output atoms (not updates) in order.
    pub fn outputs(&self) -> impl Iterator<Item = AtomId> + '_ {
        self.atoms.ids().filter(|&a| matches!(self.atoms[a].kind, AtomKind::Output(_)))
    }
    /// The option that a letter chooses for a cell.
    pub fn chosen(&self, letter: &Letter, cell: CellId) -> AtomId {
        let cell = &self.cells[cell];
        let code: usize =
            cell.bits.iter().enumerate().map(|(i, &b)| usize::from(letter.contains(b)) << i).sum();
        cell.options[code.min(cell.options.len() - 1)]
    }
    /// The term that an update assigns to its cell: the text after the arrow in the name of its atom. `None` for other
    /// atoms.
    pub fn update_term(&self, atom: AtomId) -> Option<&str> {
        let AtomKind::Update(cell, _) = self.atoms[atom].kind else { return None };
        let name = self.atoms[atom].name.as_str();
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let term = inner.and_then(|inner| inner.strip_prefix(self.cells[cell].name.as_str()));
        Some(term.and_then(|term| term.trim_start().strip_prefix("<-")).map_or(name, str::trim))
    }
    /// Whether an atom is true in a letter.
    pub fn holds(&self, atom: AtomId, letter: &Letter) -> bool {
        match self.atoms[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => letter.contains(bit),
            AtomKind::Update(cell, _) => self.chosen(letter, cell) == atom,
        }
    }
    /// The letters in which an atom is true, as a guard.
    pub fn guard(&self, atom: AtomId, guards: &mut Guards) -> Guard {
        match self.atoms[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => guards.bit(bit),
            AtomKind::Update(cell, index) => {
                let cell = &self.cells[cell];
                let (index, last) = (index as usize, cell.options.len() - 1);
                let codes = 1usize << cell.bits.len();
                let range = if index == last { last..codes } else { index..index + 1 };
                let mut sum = Guard::FALSE;
                for code in range {
                    let literals = cell.bits.iter().enumerate().map(|(i, &bit)| (bit, code >> i & 1 == 1));
                    let product = guards.cube(&literals.collect::<Vec<_>>());
                    sum = guards.or(sum, product);
                }
                sum
            }
        }
    }
    /// Makes an atom true in `letter` (for an update: sets the bits of its cell, canonically coded).
    pub fn choose(&self, atom: AtomId, letter: &mut Letter) {
        match self.atoms[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => {
                letter.insert(bit);
            }
            AtomKind::Update(cell, index) => {
                for (i, &bit) in self.cells[cell].bits.iter().enumerate() {
                    if index >> i & 1 == 1 {
                        letter.insert(bit);
                    } else {
                        letter.remove(bit);
                    }
                }
            }
        }
    }
    /// The same letter with every cell's code made canonical (codes past the last option become the last).
    pub fn canonical(&self, letter: &Letter) -> Letter {
        let mut result = letter.clone();
        for cell in self.cells.ids() {
            self.choose(self.chosen(letter, cell), &mut result);
        }
        result
    }
}
