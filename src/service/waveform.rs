//! A play as waveforms.

use super::{Playing, VERSION};
use std::collections::BTreeSet;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, Cell, CellId, Letter};
use tsl_synth_emit::identifier;
use tsl_synth_formats::vcd::{Wave, WaveKind, WaveValue, write_vcd};
use tsl_synth_lang::spec::Problem;

impl Playing<'_> {
    /// The play so far as a Value Change Dump: the predicates and outputs of every step, for each cell its update in
    /// the step (a value if it is a number or a truth value, else the term), and the number of the state.
    pub fn vcd(&self, title: &str) -> String {
        let machine = self.machine();
        let alphabet = &machine.shown;
        let steps: Vec<(usize, &Letter)> =
            self.steps().map(|(_, (state, _), letter)| (state.index(), letter)).collect();
        let mut names = FreshNames(BTreeSet::new());
        let mut waves = Vec::new();
        let mut bit = |atom: AtomId, names: &mut FreshNames| {
            let text = alphabet.atoms()[atom].name.clone();
            let values =
                steps.iter().map(|(_, letter)| WaveValue::Bit(alphabet.holds(atom, letter))).collect();
            waves.push(Wave { name: names.fresh(&text), text, kind: WaveKind::Bit, values });
        };
        alphabet.inputs().for_each(|atom| bit(atom, &mut names));
        alphabet.outputs().for_each(|atom| bit(atom, &mut names));
        for (id, cell) in alphabet.cells().enumerate() {
            let name = names.fresh(&format!("{}_next", cell.name));
            let text = format!("what {} is set to", cell.name);
            let kind = kind(alphabet, cell);
            let mut held = initial(machine.problem.as_ref(), id, kind);
            let values = steps.iter().map(|(_, letter)| {
                let term = alphabet.update_term(alphabet.chosen(letter, id)).unwrap_or_default();
                let keeps = term == cell.name && kind != WaveKind::Text;
                if !keeps {
                    held = value(kind, term);
                }
                held.clone()
            });
            let values = values.collect();
            waves.push(Wave { name, text, kind, values });
        }
        let name = names.fresh("state");
        let values = steps
            .iter()
            .map(|(state, _)| WaveValue::Integer(i64::try_from(*state).unwrap_or(i64::MAX)))
            .collect();
        waves.push(Wave { text: name.clone(), name, kind: WaveKind::Integer, values });
        write_vcd(title, VERSION, &waves, steps.len(), self.repeats_from())
    }
}

/// Generates names that are different from all earlier ones.
struct FreshNames(BTreeSet<String>);

impl FreshNames {
    fn fresh(&mut self, text: &str) -> String {
        let base = identifier(text);
        let mut name = base.clone();
        let mut number = 2;
        while !self.0.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

/// The kind of the values of a cell: truth values or numbers if all of its terms are such or keep the value, else text.
fn kind(alphabet: &Alphabet, cell: &Cell) -> WaveKind {
    let terms = cell.options.iter().filter_map(|&option| alphabet.update_term(option));
    let terms: Vec<&str> = terms.filter(|&term| term != cell.name).collect();
    let all = |kind| !terms.is_empty() && terms.iter().all(|term| value(kind, term) != WaveValue::Unknown);
    [WaveKind::Bit, WaveKind::Integer, WaveKind::Real]
        .into_iter()
        .find(|&kind| all(kind))
        .unwrap_or(WaveKind::Text)
}

fn value(kind: WaveKind, term: &str) -> WaveValue {
    let found = match kind {
        WaveKind::Bit => term.parse().ok().map(WaveValue::Bit),
        WaveKind::Integer => term.parse().ok().map(WaveValue::Integer),
        WaveKind::Real => {
            let number = term.parse().ok().filter(|number: &f64| number.is_finite());
            number.filter(|_| term.starts_with(|c: char| c.is_ascii_digit() || c == '-')).map(WaveValue::Real)
        }
        WaveKind::Text => Some(WaveValue::Text(term.into())),
    };
    found.unwrap_or(WaveValue::Unknown)
}

/// The declared first value of a cell.
fn initial(problem: Option<&Problem>, cell: CellId, kind: WaveKind) -> WaveValue {
    let term = problem.and_then(|problem| {
        let symbol = problem.signature.cells.get(cell)?;
        Some(problem.signature.display(problem.signature.symbols[*symbol].initial?))
    });
    term.map_or(WaveValue::Unknown, |term| value(kind, &term))
}
