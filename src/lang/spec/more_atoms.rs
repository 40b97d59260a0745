//! Problems over more atoms, for machines that name other signals than a specification does.

use super::problem::{Problem, Restricted};
use super::signature::AtomMeaning;
use std::convert::Infallible;
use tsl_synth_core::base::IdVec;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, FormulaId, Formulas, Player};
use tsl_synth_core::model::Register;

impl Problem {
    /// Adds plain inputs and outputs of these names, about which no clause speaks. Atoms other than registers, which stay
    /// the last ones, keep their numbers. Linear.
    pub fn add_signals(&mut self, signals: &[(String, Player)]) {
        let mut alphabet = self.shown_alphabet();
        let known = alphabet.atoms().len();
        for (name, player) in signals {
            match player {
                Player::Environment => alphabet.add_input(name.as_str()),
                Player::System => alphabet.add_output(name.as_str()),
            };
        }
        let mut image: IdVec<AtomId, AtomId> = self.alphabet.atoms().ids().take(known).collect();
        for register in &self.signature.registers {
            let mut name = self.alphabet.atoms()[register.atom].name.clone();
            while signals.iter().any(|(other, _)| *other == name) {
                name.push('\'');
            }
            image.push(alphabet.add_input(name));
        }
        self.over(alphabet, &image);
    }

    /// The outputs of these names as cells with the updates `[x <- false]` and `[x <- true]`, as machines of TSL have them;
    /// for problems without cells. Linear.
    pub fn switch_outputs(&mut self, names: &[String]) {
        let mut alphabet = Alphabet::new();
        let mut image: IdVec<AtomId, AtomId> = IdVec::new();
        for atom in self.alphabet.atoms() {
            let name = atom.name.as_str();
            image.push(match atom.kind {
                AtomKind::Output(_) if names.contains(&atom.name) => {
                    let cell = alphabet.add_switch(name);
                    alphabet.cells()[cell].options[1]
                }
                AtomKind::Output(_) => alphabet.add_output(name),
                AtomKind::Input(_) | AtomKind::Update(..) => alphabet.add_input(name),
            });
        }
        self.over(alphabet, &image);
    }

    /// Replaces all atoms by those of another alphabet.
    fn over(&mut self, alphabet: Alphabet, image: &IdVec<AtomId, AtomId>) {
        let given = self.formulas.clone();
        let formulas = &mut self.formulas;
        let mut renamed = |formula: FormulaId| -> FormulaId {
            let of = |formulas: &mut Formulas, atom| Ok::<_, Infallible>(formulas.atom(image[atom]));
            let Ok(copy) = formulas.import(&given, formula, of);
            copy
        };
        for id in self.clauses.ids() {
            self.clauses[id].formula = renamed(self.clauses[id].formula);
        }
        if let Some(Restricted { initially, required, preset, asserted }) = &mut self.restricted {
            let written = preset.iter_mut().chain(asserted).map(|(_, formula)| formula);
            written.chain([initially, required]).for_each(|formula| *formula = renamed(*formula));
        }
        let instances = std::mem::take(&mut self.wordings.instances).into_iter();
        self.wordings.instances =
            instances.map(|((span, formula), text)| ((span, renamed(formula)), text)).collect();
        let registers = std::mem::take(&mut self.signature.registers).into_iter();
        self.signature.registers = registers
            .map(|Register { atom, now }| Register { atom: image[atom], now: renamed(now) })
            .collect();
        let mut meanings: IdVec<AtomId, AtomMeaning> =
            alphabet.atoms().ids().map(|_| AtomMeaning::Proposition).collect();
        for (atom, meaning) in self.signature.atoms.enumerate() {
            meanings[image[atom]] = *meaning;
        }
        self.signature.atoms = meanings;
        let spellings = std::mem::take(&mut self.signature.spellings).into_iter();
        self.signature.spellings = spellings.map(|(atom, text)| (image[atom], text)).collect();
        for signal in &mut self.signature.enumerated {
            signal.atoms.iter_mut().for_each(|atom| *atom = image[*atom]);
        }
        self.alphabet = alphabet;
    }
}
