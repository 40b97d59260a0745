//! Boolean outputs of TSL as those of LTL: one signal instead of two updates of a cell.

use super::problem::Problem;
use super::signature::AtomMeaning;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::IdVec;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, CellId, FormulaId, Node};
use tsl_synth_core::model::Register;

impl Problem {
    /// The update to true of a declared Boolean output that no update sets: for other tools, the signal of this name.
    pub fn plain_output(&self, name: &str) -> Option<AtomId> {
        let cell = self.alphabet.cells().enumerate().find(|(_, cell)| cell.name == name)?.0;
        self.is_plain_output(cell).then(|| self.alphabet.cells()[cell].options[1])
    }

    /// Whether a cell stands for a Boolean output. Its options are then the updates to false and to true, in this order.
    fn is_plain_output(&self, cell: CellId) -> bool {
        self.signature.cells.get(cell).is_some_and(|symbol| self.signature.chosen.contains(symbol))
            && self.alphabet.cells()[cell].options.len() == 2
    }

    /// The problem with each declared Boolean output that no update sets as one output with its name, in the place of its
    /// updates to true and false. Linear.
    pub fn with_plain_outputs(mut self) -> Self {
        if self.signature.chosen.is_empty() {
            return self;
        }
        let (alphabet, image) = self.plain_alphabet();
        let mut meanings: IdVec<AtomId, AtomMeaning> =
            alphabet.atoms().ids().map(|_| AtomMeaning::Proposition).collect();
        for (id, meaning) in self.signature.atoms.enumerate() {
            let (atom, _) = image[&id];
            if !matches!(alphabet.atoms()[atom].kind, AtomKind::Output(_)) {
                meanings[atom] = *meaning;
            }
        }
        let kept = self.signature.cells.enumerate().filter(|(cell, _)| !self.is_plain_output(*cell));
        self.signature.cells = kept.map(|(_, symbol)| *symbol).collect();
        self.signature.atoms = meanings;
        self.signature.chosen.clear();
        self.alphabet = alphabet;
        let formulas = &mut self.formulas;
        let mut plain = |formula: FormulaId| {
            formulas.map(formula, |formulas, g, _| {
                let Node::Atom(atom) = *formulas.node(g) else { return None };
                let (atom, holds) = image[&atom];
                let plain: FormulaId = formulas.atom(atom);
                Some(if holds { plain } else { formulas.not(plain) })
            })
        };
        for clause in &mut self.clauses {
            clause.formula = plain(clause.formula);
        }
        for register in &mut self.signature.registers {
            *register = Register { atom: image[&register.atom].0, now: plain(register.now) };
        }
        self
    }

    /// The alphabet with these outputs, and for each atom the new one, negated for an update to false.
    fn plain_alphabet(&self) -> (Alphabet, FxHashMap<AtomId, (AtomId, bool)>) {
        let mut alphabet = Alphabet::new();
        let mut image: FxHashMap<AtomId, (AtomId, bool)> = FxHashMap::default();
        for (id, atom) in self.alphabet.atoms().enumerate() {
            match atom.kind {
                AtomKind::Input(_) => {
                    image.insert(id, (alphabet.add_input(atom.name.as_str()), true));
                }
                AtomKind::Output(_) => {
                    image.insert(id, (alphabet.add_output(atom.name.as_str()), true));
                }
                // A cell's options are added together, at the first of them.
                AtomKind::Update(of, 0) => {
                    let cell = &self.alphabet.cells()[of];
                    if self.is_plain_output(of) {
                        let output = alphabet.add_output(cell.name.as_str());
                        image.extend([(cell.options[0], (output, false)), (cell.options[1], (output, true))]);
                    } else {
                        let names = cell.options.iter().map(|&o| self.alphabet.atoms()[o].name.clone());
                        let made = alphabet.add_cell(cell.name.as_str(), names.collect::<Vec<_>>());
                        let options = alphabet.cells()[made].options.clone();
                        image
                            .extend(cell.options.iter().copied().zip(options.into_iter().map(|o| (o, true))));
                    }
                }
                AtomKind::Update(..) => {}
            }
        }
        for signal in self.alphabet.encoded() {
            let mut signal = signal.clone();
            signal.atoms.iter_mut().for_each(|atom| *atom = image[atom].0);
            alphabet.add_encoded(signal);
        }
        (alphabet, image)
    }
}
