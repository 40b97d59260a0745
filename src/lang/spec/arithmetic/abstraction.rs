//! The arithmetic part of a specification: comparisons of numbers that are atoms, and updates of cells that are numbers.

use super::sums::{NumberComparison, NumberSet, comparison_of, number_set, sum_of, variable};
use crate::spec::finite::domain;
use crate::spec::problem::Problem;
use crate::spec::signature::{AtomMeaning, LiteralValue, Signature, SymbolId, SymbolKind, Term};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec, Rational};
use tsl_synth_core::logic::{AtomId, AtomKind, Inequality, Letter, LinearSystem, Sum};

/// An atom that compares numbers.
#[derive(Clone, Debug)]
pub(crate) struct NumberAtom {
    pub(crate) atom: AtomId,
    pub(crate) comparison: NumberComparison,
}

/// A cell whose values are numbers.
#[derive(Clone, Debug)]
pub(crate) struct NumberCell {
    pub(crate) symbol: SymbolId,
    /// The declared value in the first step.
    pub(crate) initial: Option<Rational>,
    /// The atoms of its updates, each with the new value; `None` if that is not linear.
    pub(crate) options: Vec<(AtomId, Option<Sum>)>,
}

/// All comparisons of numbers and all cells that are numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) atoms: Vec<NumberAtom>,
    pub(crate) cells: Vec<NumberCell>,
    pub(crate) sets: IdVec<SymbolId, Option<NumberSet>>,
}

impl Numbers {
    pub(crate) fn new(signature: &Signature) -> Self {
        let mut this = Self::default();
        for symbol in signature.symbols.ids() {
            this.sets.push(number_set(signature, symbol));
        }
        let mut options: FxHashMap<SymbolId, Vec<(AtomId, Option<Sum>)>> = FxHashMap::default();
        for (atom, meaning) in signature.atoms.enumerate() {
            match *meaning {
                AtomMeaning::Predicate(term) => {
                    if let Some(comparison) = comparison_of(signature, term) {
                        this.atoms.push(NumberAtom { atom, comparison });
                    }
                }
                AtomMeaning::Update(symbol, term) => {
                    options.entry(symbol).or_default().push((atom, sum_of(signature, term)));
                }
                AtomMeaning::Proposition => {}
            }
        }
        for (symbol, info) in signature.symbols.enumerate() {
            let is_cell = matches!(info.kind, SymbolKind::Cell | SymbolKind::Output);
            if !is_cell || this.sets[symbol].is_none() {
                continue;
            }
            let initial = info.initial.and_then(|term| match signature.terms.get(term) {
                Term::Literal(LiteralValue::Int(value)) => Rational::integer((*value).into()),
                Term::Literal(LiteralValue::Real(text)) => Rational::parse(text),
                _ => None,
            });
            let options = options.remove(&symbol).unwrap_or_default();
            this.cells.push(NumberCell { symbol, initial, options });
        }
        this
    }

    pub(crate) fn cell(&self, variable: u32) -> Option<&NumberCell> {
        self.cells.iter().find(|cell| super::sums::variable(cell.symbol) == variable)
    }

    /// How many variables there are for one step.
    pub(crate) fn width(&self) -> u32 {
        self.sets.len() as u32
    }

    /// The variable of a signal in a step.
    pub(crate) fn timed(&self, variable: u32, step: u32) -> u32 {
        variable + step * self.width()
    }

    /// Marks the integer variables of a system, and adds the declared bounds of all its variables.
    pub(crate) fn bound(&self, system: &mut LinearSystem) {
        let sums = system.inequalities.iter().map(|inequality| &inequality.sum).chain(&system.different);
        let mut used: Vec<u32> = sums.flat_map(Sum::terms).map(|(variable, _)| variable).collect();
        used.sort_unstable();
        used.dedup();
        system.integer = vec![false; used.last().map_or(0, |&last| last as usize + 1)];
        for variable in used {
            let symbol = SymbolId::from_index((variable % self.width()) as usize);
            let Some(set) = self.sets[symbol] else { continue };
            system.integer[variable as usize] = set.integer;
            system.inequalities.extend(bounds(variable, &set));
        }
    }
}

/// The bounds of a variable as inequalities.
pub(crate) fn bounds(variable: u32, set: &NumberSet) -> Vec<Inequality> {
    let mut all = Vec::new();
    let minus = Rational::ONE.negated();
    if let Some(above) = set.low.and_then(|low| Sum::constant(low).plus(minus, &Sum::variable(variable))) {
        all.push(Inequality::at_most_zero(above));
    }
    if let Some(below) = set.high.and_then(|high| Sum::variable(variable).plus(minus, &Sum::constant(high))) {
        all.push(Inequality::at_most_zero(below));
    }
    all
}

/// Adds that a comparison, whose sum is given, has this truth value.
pub(crate) fn require(system: &mut LinearSystem, sum: Sum, equal: bool, truth: bool) {
    match (equal, truth) {
        (false, true) => system.inequalities.push(Inequality::below_zero(sum.negated())),
        (false, false) => system.inequalities.push(Inequality::at_most_zero(sum)),
        (true, true) => system.equate(sum),
        (true, false) => system.different.push(sum),
    }
}

impl NumberCell {
    pub(crate) fn variable(&self) -> u32 {
        variable(self.symbol)
    }
}

/// Whether an input atom is true in a letter.
pub(super) fn letter_truth(problem: &Problem, atom: AtomId, letter: &Letter) -> bool {
    match problem.alphabet.atoms()[atom].kind {
        AtomKind::Input(bit) => letter.contains(bit),
        AtomKind::Output(_) | AtomKind::Update(..) => false,
    }
}

/// The inputs with a range whose values the letter tells, with their values.
pub(super) fn fixed_inputs(problem: &Problem, numbers: &Numbers, letter: &Letter) -> Vec<(u32, Rational)> {
    let mut fixed = Vec::new();
    for (&symbol, signal) in problem.signature.encoded.iter().zip(problem.alphabet.encoded()) {
        if numbers.sets[symbol].is_none() {
            continue;
        }
        let Ok(Some(values)) = domain(&problem.signature, symbol) else { continue };
        if let Some(LiteralValue::Int(value)) =
            values.get(signal.index(|atom| letter_truth(problem, atom, letter)))
            && let Some(value) = Rational::integer((*value).into())
        {
            fixed.push((symbol.index() as u32, value));
        }
    }
    fixed
}
