//! A machine, a trace and an effect, read or made at random.

use tsl_synth::automaton::ltl_to_buchi;
use tsl_synth::base::{Budget, IdVec};
use tsl_synth::explain::cause::{Question, plays};
use tsl_synth::format::hoa::read_hoa;
use tsl_synth::logic::{Alphabet, FormulaId, Formulas, Lasso, Letter};
use tsl_synth::model::{Buchi, Mealy};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::{AtomMeaning, Language, Problem, Signature, resolve_ltl};

/// Everything that a question is made of.
pub(crate) struct Instance {
    pub(crate) problem: Problem,
    pub(crate) system: Buchi,
    pub(crate) actual: Lasso,
    pub(crate) effect: FormulaId,
    pub(crate) without: Buchi,
}

impl Instance {
    pub(crate) fn new(alphabet: Alphabet, machine: &Mealy, actual: Lasso, effect: &str) -> Self {
        let system = plays(&alphabet, machine);
        let mut problem = problem(alphabet);
        let effect = formula(&mut problem, effect);
        Self::over(problem, system, actual, effect)
    }
    pub(crate) fn over(mut problem: Problem, system: Buchi, actual: Lasso, effect: FormulaId) -> Self {
        let negated = problem.formulas.not(effect);
        let budget = Budget::unlimited();
        let without = ltl_to_buchi(&mut problem.formulas, &problem.alphabet, negated, 10_000, &budget);
        Self { problem, system, actual, effect, without: without.expect("small") }
    }
    pub(crate) fn question(&self) -> Question<'_> {
        let Self { problem, system, actual, without, .. } = self;
        Question { alphabet: &problem.alphabet, system, actual, without }
    }
    pub(crate) fn formulas(&self) -> Formulas {
        self.problem.formulas.clone()
    }
}

/// A problem without clauses over these atoms.
pub(crate) fn problem(alphabet: Alphabet) -> Problem {
    let mut signature = Signature::default();
    for _ in alphabet.atoms() {
        signature.atoms.push(AtomMeaning::Proposition);
    }
    Problem {
        name: String::new(),
        language: Language::Ltl,
        formulas: Formulas::new(),
        alphabet,
        clauses: IdVec::new(),
        signature,
        uninterpreted_arithmetic: false,
        target: tsl_synth::spec::Target::Mealy,
    }
}

/// An LTL formula over the atoms of a problem.
pub(crate) fn formula(problem: &mut Problem, text: &str) -> FormulaId {
    let mut map = SourceMap::new();
    let source = map.add("f.ltl", text);
    resolve_ltl(problem, &map, source).expect("a formula over these atoms")
}

/// The machine of a HOA text.
pub(crate) fn machine(hoa: &str) -> (Alphabet, Mealy) {
    read_hoa(hoa).expect("HOA").mealy(&[]).expect("a machine")
}

/// A word in Spot's syntax whose letters are cubes; atoms that are not named are false.
pub(crate) fn word(alphabet: &Alphabet, text: &str) -> Lasso {
    let letter = |cube: &str| -> Letter {
        let mut letter = Letter::new();
        for literal in cube.split('&').map(str::trim).filter(|l| !l.starts_with('!') && *l != "1") {
            let atom = alphabet.atoms().enumerate().find(|(_, atom)| atom.name == literal);
            alphabet.choose(atom.unwrap_or_else(|| panic!("no atom {literal}")).0, &mut letter);
        }
        letter
    };
    let (prefix, cycle) = text.trim().split_once("cycle{").expect("a cycle");
    let cycle = cycle.strip_suffix('}').expect("the end of the cycle");
    let letters = |part: &str| part.split(';').map(str::trim).filter(|c| !c.is_empty()).map(letter).collect();
    Lasso { prefix: letters(prefix), cycle: letters(cycle) }
}
