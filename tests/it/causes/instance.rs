//! Instances of the cause problem (a system, a trace and an effect), and readers for their parts.

use tsl_synth_automata::{HistoryTree, ParityTable, emerson_lei_to_buchi, ltl_to_buchi};
use tsl_synth_core::base::{Budget, Id, IdVec};
use tsl_synth_core::logic::{Alphabet, BitId, FormulaId, Formulas, Lasso, Letter, Player};
use tsl_synth_core::model::{Buchi, Marks, Mealy, NodeId, Parity};
use tsl_synth_core::source::SourceMap;
use tsl_synth_explain::cause::{CauseQuestion, plays};
use tsl_synth_formats::hoa::{read_automaton, read_hoa};
use tsl_synth_lang::spec::{AtomMeaning, Language, Problem, Signature, Wordings, resolve_ltl};

/// The data of a [`CauseQuestion`].
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
    pub(crate) fn question(&self) -> CauseQuestion<'_> {
        let Self { problem, system, actual, without, .. } = self;
        CauseQuestion { alphabet: &problem.alphabet, system, actual, without }
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
        rewritten: false,
        restricted: None,
        invariants: Vec::new(),
        wordings: Wordings::default(),
        answers_first: false,
        finite: false,
        target: tsl_synth_lang::spec::Target::Mealy,
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

/// An automaton in HOA, over the bits of an alphabet of its propositions.
pub(crate) fn automaton(hoa: &str) -> (Alphabet, Buchi) {
    let read = read_automaton(hoa).expect("HOA");
    let controllable = hoa.lines().find_map(|line| line.strip_prefix("controllable-AP:")).unwrap_or_default();
    let controllable: Vec<usize> =
        controllable.split_whitespace().map(|n| n.parse().expect("a number")).collect();
    let mut alphabet = Alphabet::new();
    for (i, name) in read.propositions.iter().enumerate() {
        if controllable.contains(&i) {
            alphabet.add_output(name)
        } else {
            alphabet.add_input(name)
        };
    }
    let buchi = emerson_lei_to_buchi(&read.automaton, 10_000, &Budget::unlimited()).expect("small");
    assert!(buchi.sets <= 1);
    (alphabet, buchi)
}

/// All input letters of an alphabet.
fn letters(alphabet: &Alphabet) -> Vec<Letter> {
    let bits: Vec<BitId> = alphabet.bits_of(Player::Environment).collect();
    let letter = |code: usize| {
        bits.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1).map(|(_, &bit)| bit).collect()
    };
    (0..1 << bits.len()).map(letter).collect()
}

/// Determinizes a Büchi automaton over `names`, which are the inputs of `alphabet`, possibly with other indices.
pub(crate) fn table_of_buchi(alphabet: &Alphabet, names: &Alphabet, automaton: &Buchi) -> ParityTable {
    let letters: Vec<Letter> = letters(alphabet)
        .iter()
        .map(|letter| {
            let named = names.atoms().enumerate().map(|(id, atom)| {
                let own = alphabet.atoms().enumerate().find(|(_, own)| own.name == atom.name);
                (id, alphabet.holds(own.expect("an input").0, letter))
            });
            named.filter(|(_, value)| *value).map(|(id, _)| BitId::from_index(id.index())).collect()
        })
        .collect();
    let mut trees = vec![HistoryTree::new(automaton.initial.iter().map(|q| q.index()))];
    let mut entries = Vec::new();
    let mut next = 0;
    while next < trees.len() {
        let tree = trees[next].clone();
        next += 1;
        for letter in &letters {
            let (to, priority) = tree.step(|q| {
                let open = automaton.edges[NodeId::from_index(q)].iter();
                let open = open.filter(|edge| automaton.guards.contains(edge.guard, letter));
                open.map(|edge| (edge.next.index(), edge.marks.covers(Marks::all(automaton.sets))))
                    .collect::<Vec<_>>()
            });
            let to = trees.iter().position(|t| *t == to).unwrap_or_else(|| {
                trees.push(to);
                trees.len() - 1
            });
            entries.push(Some((to as u32, priority)));
        }
    }
    ParityTable { letters: letters.len(), entries }
}

/// A parity automaton as a table.
pub(crate) fn table_of_parity(alphabet: &Alphabet, automaton: &Parity) -> ParityTable {
    let letters = letters(alphabet);
    let mut entries = Vec::new();
    assert_eq!(automaton.initial.index(), 0);
    for out in &automaton.edges {
        for letter in &letters {
            let taken = out.iter().find(|edge| automaton.guards.contains(edge.guard, letter));
            entries.push(taken.map(|edge| (edge.next.index() as u32, edge.priority)));
        }
    }
    ParityTable { letters: letters.len(), entries }
}
