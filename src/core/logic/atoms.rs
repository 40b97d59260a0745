//! Guards over atoms instead of bits. Machines and games encode a cell with n options in ⌈log₂ n⌉ bits; output for
//! people and automata in text formats use one atom per option. In an [`AtomGuards`] store the variable with index i is
//! the atom with index i, and [`AtomGuards::care`] is the care set: exactly one option of each cell is chosen.

use crate::base::Id;
use crate::logic::{Alphabet, AtomId, AtomKind, BitId, CellId, Guard, Guards};
use rustc_hash::FxHashMap;

/// The variable of an atom in an [`AtomGuards`] store.
pub fn variable(atom: AtomId) -> BitId {
    BitId::from_index(atom.index())
}

/// The atom of a variable in an [`AtomGuards`] store.
pub fn atom_of(variable: BitId) -> AtomId {
    AtomId::from_index(variable.index())
}

/// A store of guards whose variables are the atoms of an alphabet.
#[derive(Debug)]
pub struct AtomGuards<'a> {
    alphabet: &'a Alphabet,
    /// The store.
    pub guards: Guards,
    care: Guard,
    owners: Vec<Owner>,
}

#[derive(Clone, Copy, Debug)]
enum Owner {
    Atom(AtomId),
    Cell(CellId),
}

impl<'a> AtomGuards<'a> {
    /// An empty store for an alphabet.
    pub fn new(alphabet: &'a Alphabet) -> Self {
        let mut owners = vec![Owner::Atom(AtomId::from_index(0)); alphabet.bit_count()];
        for (id, atom) in alphabet.atoms().enumerate() {
            if let AtomKind::Input(bit) | AtomKind::Output(bit) = atom.kind {
                owners[bit.index()] = Owner::Atom(id);
            }
        }
        for (id, cell) in alphabet.cells().enumerate() {
            for bit in &cell.bits {
                owners[bit.index()] = Owner::Cell(id);
            }
        }
        let mut this = Self { alphabet, guards: Guards::new(), care: Guard::TRUE, owners };
        this.care = this.one_of_each(alphabet.cells().ids());
        this
    }
    /// The alphabet.
    pub fn alphabet(&self) -> &'a Alphabet {
        self.alphabet
    }
    /// The guard that requires exactly one option of each of these cells, which are in ascending order.
    pub fn one_of_each(
        &mut self,
        cells: impl IntoIterator<Item = CellId, IntoIter: DoubleEndedIterator>,
    ) -> Guard {
        let guards = &mut self.guards;
        let mut care = Guard::TRUE;
        // Later atoms come first, so that each conjunction only adds nodes above the existing ones.
        for cell in cells.into_iter().rev() {
            let cell = &self.alphabet.cells()[cell];
            let mut one = Guard::FALSE;
            for (i, _) in cell.options.iter().enumerate() {
                let cube: Vec<_> =
                    cell.options.iter().enumerate().map(|(j, &atom)| (variable(atom), i == j)).collect();
                let product = guards.cube(&cube);
                one = guards.or(one, product);
            }
            care = guards.and(one, care);
        }
        care
    }
    /// The care set: exactly one option of every cell.
    pub fn care(&self) -> Guard {
        self.care
    }
    /// A guard over bits as a guard over atoms; meaningful within [`AtomGuards::care`]. The recursion depth is at most
    /// the number of bits.
    pub fn import(&mut self, guard: Guard, from: &mut Guards) -> Guard {
        self.import_cached(guard, from, &mut FxHashMap::default())
    }
    fn import_cached(
        &mut self,
        guard: Guard,
        from: &mut Guards,
        done: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some((bit, low, high)) = from.branch(guard) else { return guard };
        if let Some(&result) = done.get(&guard) {
            return result;
        }
        let result = match self.owners[bit.index()] {
            Owner::Atom(atom) => {
                let low = self.import_cached(low, from, done);
                let high = self.import_cached(high, from, done);
                let condition = self.guards.bit(variable(atom));
                self.guards.ite(condition, high, low)
            }
            Owner::Cell(cell) => {
                let cell = &self.alphabet.cells()[cell];
                let mut sum = Guard::FALSE;
                for (code, &option) in cell.options.iter().enumerate() {
                    let mut part = guard;
                    for (i, &bit) in cell.bits.iter().enumerate() {
                        part = restrict(from, part, bit, code >> i & 1 == 1);
                    }
                    let part = self.import_cached(part, from, done);
                    let chosen = self.guards.bit(variable(option));
                    let product = self.guards.and(chosen, part);
                    sum = self.guards.or(sum, product);
                }
                sum
            }
        };
        done.insert(guard, result);
        result
    }
}

/// The cofactor of a guard for `bit` set to `value`; it does not depend on `bit`.
pub fn restrict(guards: &mut Guards, guard: Guard, bit: BitId, value: bool) -> Guard {
    let literal = guards.literal(bit, value);
    let with = guards.and(guard, literal);
    guards.exists(with, &|b| b == bit)
}
