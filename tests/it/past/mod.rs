//! Past operators of LTL and TSL: their semantics, the engines and the certifier on them, machines without registers.

mod cases;
mod formula;
mod machines;
mod meaning;
mod tsl;

use formula::{NAMES, Word};
use tsl_synth_core::logic::{Lasso, LassoSemantics, Letter};
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec::{Problem, load_ltl};

/// The problem of a formula over [`NAMES`], the first two of which are inputs.
fn problem(text: &str) -> Problem {
    let mut map = SourceMap::new();
    let source = map.add("test", text);
    let names = |range: std::ops::Range<usize>| NAMES[range].iter().map(|name| (*name).to_string()).collect();
    let (ins, outs): (Vec<String>, Vec<String>) = (names(0..2), names(2..4));
    load_ltl(&[source], &ins, &outs, &map).unwrap_or_else(|failure| panic!("{text}: {failure:?}")).0
}

/// A letter of a word as a letter of a problem, without registers.
fn letter(problem: &Problem, values: [bool; 4]) -> Letter {
    let mut letter = Letter::new();
    for (atom, _) in problem.alphabet.atoms().ids().zip(values).filter(|(_, value)| *value) {
        problem.alphabet.choose(atom, &mut letter);
    }
    letter
}

/// The values of a letter of a problem.
fn values(problem: &Problem, letter: &Letter) -> [bool; 4] {
    let mut atoms = problem.alphabet.atoms().ids();
    [0; 4].map(|_| problem.alphabet.holds(atoms.next().expect("four atoms"), letter))
}

/// A word with the values of the registers, step by step until they repeat at the same position of the cycle.
fn with_registers(problem: &Problem, word: &Word) -> Lasso {
    let registers = &problem.signature.registers;
    let (mut held, mut position) = (vec![false; registers.len()], 0);
    let (mut letters, mut seen): (Vec<Letter>, Vec<(usize, Vec<bool>)>) = (Vec::new(), Vec::new());
    loop {
        if let Some(back) = seen.iter().position(|before| *before == (position, held.clone())) {
            return Lasso { cycle: letters.split_off(back), prefix: letters };
        }
        seen.push((position, held.clone()));
        let mut letter = letter(problem, word.letters[position]);
        for (register, _) in registers.iter().zip(&held).filter(|(_, value)| **value) {
            problem.alphabet.choose(register.atom, &mut letter);
        }
        let one = Lasso { prefix: Vec::new(), cycle: vec![letter.clone()] };
        let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &one);
        held = registers.iter().map(|register| meaning.holds(register.now)).collect();
        letters.push(letter);
        position = if position + 1 == word.letters.len() { word.back } else { position + 1 };
    }
}
