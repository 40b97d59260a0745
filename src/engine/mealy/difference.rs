//! Comparison of two strategies of the same player: a shortest word of the other player after which they answer
//! differently, by breadth-first search of the pairs of states that the same word reaches. Atoms are matched by name,
//! so that alphabets may differ in the order of atoms and in the codes of cells. At most as many pairs as the product
//! of the numbers of states.

use super::simulate::Strategist;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::atoms::{AtomGuards, variable};
use tsl_synth_core::logic::{Alphabet, AtomId, BitId, Guard, Guards, Letter, Player};

/// A strategy with its atoms.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// The atoms.
    pub alphabet: &'a Alphabet,
    /// The strategy.
    pub strategy: Strategist<'a>,
}

impl<'a> Compared<'a> {
    /// The player whose strategy it is.
    pub fn owner(&self) -> Player {
        match self.strategy {
            Strategist::Mealy(_) => Player::System,
            Strategist::Counter(_) => Player::Environment,
        }
    }
    /// The names of the atoms of a player in order.
    pub fn names(&self, player: Player) -> impl Iterator<Item = &'a str> + use<'a> {
        let alphabet = self.alphabet;
        let own = alphabet.atoms().enumerate().filter(move |&(id, _)| alphabet.player(id) == player);
        own.map(|(_, atom)| atom.name.as_str())
    }
}

/// The first difference of two strategies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// For each step the atoms of the other player that hold; in the last step the answers differ.
    pub word: Vec<BTreeSet<String>>,
    /// The atoms in which the answers of the last step differ, with the values that they give.
    pub atoms: Vec<(String, [bool; 2])>,
}

impl Difference {
    /// The word over the alphabet of one of the strategies: atoms that the alphabet does not have are left out.
    pub fn choices(&self, alphabet: &Alphabet) -> Vec<Letter> {
        let choice = |step: &BTreeSet<String>| {
            let mut letter = Letter::new();
            for (id, _) in alphabet.atoms().enumerate().filter(|(_, atom)| step.contains(&atom.name)) {
                alphabet.choose(id, &mut letter);
            }
            letter
        };
        self.word.iter().map(choice).collect()
    }
}

/// The answer of a strategy in a state to the letters of a guard.
struct StrategyEdge {
    guard: Guard,
    answer: Vec<bool>,
    next: usize,
}

/// A strategy over the common names: bit i of a guard is the i-th name that is read.
struct StrategyTable {
    initial: usize,
    states: Vec<Vec<StrategyEdge>>,
}

/// The most pairs of states that are visited.
const MOST_PAIRS: usize = 1 << 22;

/// A shortest word after which the answers of two strategies of one player differ in an atom of `compared`; `None` if
/// there is none, and the number of pairs of states that were visited.
///
/// # Errors
/// A limit of the budget, or too many pairs.
pub fn first_difference(
    sides: [Compared<'_>; 2],
    compared: &[String],
    budget: &Budget,
) -> Result<(Option<Difference>, usize), Limit> {
    let reader = sides[0].owner().opponent();
    let mut reads: Vec<&str> = Vec::new();
    for name in sides.iter().flat_map(|side| side.names(reader)) {
        if !reads.contains(&name) {
            reads.push(name);
        }
    }
    let index: FxHashMap<&str, BitId> =
        reads.iter().enumerate().map(|(i, &name)| (name, BitId::from_index(i))).collect();
    let mut guards = Guards::new();
    let mut legal = Guard::TRUE;
    let mut tables = Vec::new();
    for side in &sides {
        let (table, care) = table(side, &index, compared, &mut guards);
        legal = guards.and(legal, care);
        tables.push(table);
    }
    let [left, right] = &tables[..] else { unreachable!("there are two sides") };
    let mut pairs = vec![(left.initial, right.initial)];
    let mut known: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    known.insert(pairs[0], 0);
    // The pair before each pair, and the guard that leads from there.
    let mut before: Vec<Option<(usize, Guard)>> = vec![None];
    let what = || "comparing two machines".to_owned();
    let mut at = 0;
    while let Some(&(p, q)) = pairs.get(at) {
        for a in &left.states[p] {
            budget.tick(1 + right.states[q].len() as u64, what)?;
            for b in &right.states[q] {
                let both = guards.and(a.guard, b.guard);
                let both = guards.and(both, legal);
                if both == Guard::FALSE {
                    continue;
                }
                if a.answer != b.answer {
                    let word = word(&guards, &before, at, both, &reads);
                    let differs = |i: &usize| a.answer[*i] != b.answer[*i];
                    let atoms = (0..compared.len()).filter(differs);
                    let atoms = atoms.map(|i| (compared[i].clone(), [a.answer[i], b.answer[i]])).collect();
                    return Ok((Some(Difference { word, atoms }), pairs.len()));
                }
                let pair = (a.next, b.next);
                known.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    before.push(Some((at, both)));
                    pairs.len() - 1
                });
                if pairs.len() > MOST_PAIRS {
                    let what = format!("two machines with more than {MOST_PAIRS} pairs of states");
                    return Err(Limit::new(tsl_synth_core::base::LimitKind::Size, what));
                }
            }
        }
        at += 1;
    }
    Ok((None, pairs.len()))
}

/// The letters on the way to a pair, and a last one.
fn word(
    guards: &Guards,
    before: &[Option<(usize, Guard)>],
    at: usize,
    last: Guard,
    reads: &[&str],
) -> Vec<BTreeSet<String>> {
    let mut way = vec![last];
    let mut here = at;
    while let Some((previous, guard)) = before[here] {
        way.push(guard);
        here = previous;
    }
    let letter = |&guard: &Guard| {
        let letter = guards.pick(guard).unwrap_or_default();
        letter.iter().map(|bit: BitId| reads[bit.index()].to_owned()).collect()
    };
    way.iter().rev().map(letter).collect()
}

/// A strategy over the common names, and the letters that it can be given.
fn table(
    side: &Compared<'_>,
    index: &FxHashMap<&str, BitId>,
    compared: &[String],
    guards: &mut Guards,
) -> (StrategyTable, Guard) {
    let alphabet = side.alphabet;
    let mut atoms = AtomGuards::new(alphabet);
    // An atom that the alphabet does not have counts as false.
    let given: Vec<Option<AtomId>> = compared
        .iter()
        .map(|name| alphabet.atoms().enumerate().find(|(_, atom)| atom.name == *name).map(|(id, _)| id))
        .collect();
    let answer = |letter: &Letter| -> Vec<bool> {
        given.iter().map(|atom| atom.is_some_and(|atom| alphabet.holds(atom, letter))).collect()
    };
    let renamed: FxHashMap<BitId, BitId> = alphabet
        .atoms()
        .enumerate()
        .filter_map(|(id, atom)| Some((variable(id), *index.get(atom.name.as_str())?)))
        .collect();
    let mut done: FxHashMap<Guard, Guard> = FxHashMap::default();
    let mut states = Vec::new();
    let initial = match side.strategy {
        Strategist::Mealy(machine) => {
            let mut from = machine.guards.clone();
            for state in &machine.states {
                let edges = state.edges.iter().map(|edge| {
                    let over_atoms = atoms.import(edge.guard, &mut from);
                    let guard = moved(&atoms.guards, over_atoms, guards, &renamed, &mut done);
                    StrategyEdge { guard, answer: answer(&edge.output), next: edge.next.index() }
                });
                states.push(edges.collect());
            }
            machine.initial.index()
        }
        Strategist::Counter(machine) => {
            let mut from = machine.guards.clone();
            for state in &machine.states {
                let edges = state.edges.iter().map(|edge| {
                    let over_atoms = atoms.import(edge.guard, &mut from);
                    let guard = moved(&atoms.guards, over_atoms, guards, &renamed, &mut done);
                    StrategyEdge { guard, answer: answer(&state.input), next: edge.next.index() }
                });
                states.push(edges.collect());
            }
            machine.initial.index()
        }
    };
    let care = match side.owner() {
        Player::System => Guard::TRUE,
        Player::Environment => {
            let care = atoms.care();
            moved(&atoms.guards, care, guards, &renamed, &mut done)
        }
    };
    (StrategyTable { initial, states }, care)
}

/// A guard with its bits renamed. Recursion is as deep as there are atoms in the guard.
fn moved(
    from: &Guards,
    guard: Guard,
    to: &mut Guards,
    renamed: &FxHashMap<BitId, BitId>,
    done: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let Some((bit, low, high)) = from.branch(guard) else { return guard };
    if let Some(&known) = done.get(&guard) {
        return known;
    }
    let low = moved(from, low, to, renamed, done);
    let high = moved(from, high, to, renamed, done);
    let condition = to.bit(renamed[&bit]);
    let result = to.ite(condition, high, low);
    done.insert(guard, result);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::IdVec;
    use tsl_synth_core::model::{Mealy, MealyEdge, MealyState, StateId};

    /// Answers with `x` in every `period`-th step, whatever `a` is.
    fn clock(names: [&str; 2], period: usize) -> (Alphabet, Mealy) {
        let mut alphabet = Alphabet::new();
        alphabet.add_input(names[0]);
        let x = alphabet.add_output(names[1]);
        let mut states = IdVec::new();
        for i in 0..period {
            let mut output = Letter::new();
            if i + 1 == period {
                alphabet.choose(x, &mut output);
            }
            let next = StateId::from_index((i + 1) % period);
            states.push(MealyState { edges: vec![MealyEdge { guard: Guard::TRUE, output, next }] });
        }
        let machine = Mealy { guards: Guards::new(), states, initial: StateId::from_index(0) };
        (alphabet, machine)
    }

    #[test]
    fn the_first_difference_is_the_earliest_one() {
        for (left, right) in [(2, 3), (3, 2), (3, 5), (4, 4), (6, 3)] {
            let (a, first) = clock(["a", "x"], left);
            let (b, second) = clock(["b", "x"], right);
            let sides = [
                Compared { alphabet: &a, strategy: Strategist::Mealy(&first) },
                Compared { alphabet: &b, strategy: Strategist::Mealy(&second) },
            ];
            let found = first_difference(sides, &["x".into()], &Budget::unlimited()).expect("no limit").0;
            let expected = (1..100).find(|step| (step % left == 0) != (step % right == 0));
            assert_eq!(found.as_ref().map(|found| found.word.len()), expected, "{left} {right}");
            if let Some(found) = found {
                let step = found.word.len();
                assert_eq!(found.atoms, [("x".to_string(), [step % left == 0, step % right == 0])]);
            }
        }
    }
}
