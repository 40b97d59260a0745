//! Numbers for a play: values of all inputs and cells that are numbers, and the truth values that its comparisons then
//! have.

use super::abstraction::{Numbers, fixed_inputs, letter_truth, require};
use crate::spec::problem::Problem;
use crate::spec::signature::SymbolId;
use rustc_hash::FxHashMap;
use tsl_synth_arithmetic::{LinearAnswer, LinearModel, decide, value};
use tsl_synth_core::base::{Id, IdSet, Rational};
use tsl_synth_core::logic::{AtomId, AtomKind, Letter, LinearSystem, Sum};

/// The values of numbers in one step.
pub type NumberStep = Vec<(SymbolId, Rational)>;

/// A play with numbers.
#[derive(Clone, Debug)]
pub struct NumberPlay {
    /// The inputs of each step, with the truth values that the numbers give to comparisons.
    pub inputs: Vec<Letter>,
    /// The numbers of each step.
    pub numbers: Vec<NumberStep>,
}

/// The values and comparisons of a play as sums.
struct Timed {
    /// For each step and comparison, its sum.
    compared: Vec<Vec<Sum>>,
    /// For each step, the values of all numbers.
    values: Vec<Vec<(SymbolId, Sum)>>,
    /// What holds if the play repeats.
    closing: Vec<Sum>,
}

/// Numbers for a play, given as input letters with the outputs that follow, whose steps from `repeats_from` on repeat for
/// ever. The comparisons in `fixed` have the truth values of the play; of the others as many as possible, the last step
/// first. `None` if there are no numbers or they were not found.
pub fn numbers_of_steps(
    problem: &Problem,
    steps: &[(Letter, Option<Letter>)],
    fixed: &IdSet<AtomId>,
    repeats_from: Option<usize>,
) -> Option<NumberPlay> {
    let numbers = Numbers::new(&problem.signature);
    let timed = timed(problem, &numbers, steps, repeats_from)?;
    let mut literals: Vec<(usize, usize)> =
        (0..steps.len()).flat_map(|step| (0..numbers.atoms.len()).map(move |atom| (step, atom))).collect();
    let last = steps.len() - 1;
    literals.sort_by_key(|&(step, atom)| (!fixed.contains(numbers.atoms[atom].atom), step != last));
    let required = literals.iter().filter(|(_, atom)| fixed.contains(numbers.atoms[*atom].atom)).count();
    let solve = |chosen: &[(usize, usize)]| -> Option<LinearModel> {
        let mut system = LinearSystem::default();
        timed.closing.iter().for_each(|sum| system.equate(sum.clone()));
        for &(step, atom) in chosen {
            let known = &numbers.atoms[atom];
            let truth = letter_truth(problem, known.atom, &steps[step].0);
            require(&mut system, timed.compared[step][atom].clone(), known.comparison.equal, truth);
        }
        numbers.bound(&mut system);
        match decide(&system) {
            LinearAnswer::Possible(model) => Some(model),
            LinearAnswer::Impossible(_) | LinearAnswer::Unknown => None,
        }
    };
    let model = if let Some(model) = solve(&literals) {
        model
    } else {
        let mut chosen = literals[..required].to_vec();
        let mut model = solve(&chosen)?;
        for &literal in &literals[required..] {
            chosen.push(literal);
            match solve(&chosen) {
                Some(better) => model = better,
                None => {
                    chosen.pop();
                }
            }
        }
        model
    };
    let mut play = NumberPlay { inputs: Vec::new(), numbers: Vec::new() };
    for (step, (input, _)) in steps.iter().enumerate() {
        let mut letter = input.clone();
        for (known, sum) in numbers.atoms.iter().zip(&timed.compared[step]) {
            let value = value(sum, &model)?;
            let holds = if known.comparison.equal { value.is_zero() } else { value.is_positive() };
            let AtomKind::Input(bit) = problem.alphabet.atoms()[known.atom].kind else { return None };
            if holds {
                letter.insert(bit);
            } else {
                letter.remove(bit);
            }
        }
        play.inputs.push(letter);
        let exact = |(symbol, sum): &(SymbolId, Sum)| Some((*symbol, value(sum, &model)?));
        play.numbers.push(timed.values[step].iter().map(exact).collect::<Option<NumberStep>>()?);
    }
    Some(play)
}

fn timed(
    problem: &Problem,
    numbers: &Numbers,
    steps: &[(Letter, Option<Letter>)],
    repeats_from: Option<usize>,
) -> Option<Timed> {
    let mut values: FxHashMap<u32, Sum> = FxHashMap::default();
    for cell in &numbers.cells {
        let fresh = Sum::variable(numbers.timed(cell.variable(), 0));
        values.insert(cell.variable(), cell.initial.map_or(fresh, Sum::constant));
    }
    let mut all = Timed { compared: Vec::new(), values: Vec::new(), closing: Vec::new() };
    for (step, (input, output)) in steps.iter().enumerate() {
        let given = fixed_inputs(problem, numbers, input);
        let read = |v: u32| match (values.get(&v), given.iter().find(|(symbol, _)| *symbol == v)) {
            (Some(value), _) => value.clone(),
            (None, Some((_, value))) => Sum::constant(*value),
            (None, None) => Sum::variable(numbers.timed(v, step as u32)),
        };
        let compared = numbers.atoms.iter().map(|atom| atom.comparison.sum.substituted(|v| Some(read(v))));
        all.compared.push(compared.collect::<Option<Vec<Sum>>>()?);
        let symbols = numbers.sets.ids().filter(|symbol| numbers.sets[*symbol].is_some());
        all.values.push(symbols.map(|symbol| (symbol, read(symbol.index() as u32))).collect());
        let Some(output) = output else { break };
        let mut next = FxHashMap::default();
        for cell in &numbers.cells {
            let chosen = cell.options.iter().find(|(atom, _)| problem.alphabet.holds(*atom, output));
            let sum = chosen.and_then(|(_, sum)| sum.as_ref())?;
            next.insert(cell.variable(), sum.substituted(|v| Some(read(v)))?);
        }
        values = next;
    }
    if let Some(from) = repeats_from {
        for (symbol, sum) in &all.values[from] {
            if let Some(end) = values.get(&(symbol.index() as u32)) {
                all.closing.push(end.plus(Rational::ONE.negated(), sum)?);
            }
        }
    }
    Some(all)
}
