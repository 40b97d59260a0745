//! Friendly controllers by definition. Let A be the facts and assumptions together. After a history, an input is legal
//! if with some output the longer history is a prefix of a word in A. A controller is friendly if each of its histories
//! of legal inputs, the empty one included, is a prefix of a play of the controller in A.
//!
//! Two implementations: [`Expectations`] explores all histories at once, by sets of tableau nodes; [`Unrolled`]
//! enumerates short histories and short lasso words.

use super::brute::{Tried, smallest_controller, split};
use super::elementary::{Elementary, Table};
use super::instance::Instance;
use std::collections::{BTreeSet, HashSet, VecDeque};
use tsl_synth_core::logic::{FormulaId, Lasso, LassoSemantics, Letter, Player};

/// A finite word: indices into [`Instance::letters`].
pub(crate) type History = Vec<usize>;

/// The facts and assumptions as one formula.
pub(crate) fn expected(instance: &mut Instance) -> FormulaId {
    let all = [instance.contract.facts.clone(), instance.contract.assumptions.clone()].concat();
    instance.formulas.and(all)
}

/// The language A of an instance.
pub(crate) struct Expectations {
    tableau: Elementary,
    /// Per letter, the number of its input.
    inputs: Vec<usize>,
}

/// The product state after a history.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ProductState {
    /// The state of the controller.
    state: usize,
    /// The tableau nodes after the history on runs of words in A. Empty if the history is not a prefix of a word in A.
    words: BTreeSet<usize>,
    /// Those from which some play of the controller in A continues.
    plays: BTreeSet<usize>,
}

impl Expectations {
    /// `None` when the tableau would have more than `limit` nodes.
    pub(crate) fn new(instance: &mut Instance, limit: usize) -> Option<Self> {
        let letters = instance.letters();
        let formula = expected(instance);
        let tableau = Elementary::new(instance, &letters, formula, limit)?;
        Some(Self { tableau, inputs: split(instance, &letters, Player::Environment) })
    }

    /// The tableau nodes in which runs of words in A begin.
    pub(crate) fn initial(&self) -> BTreeSet<usize> {
        self.tableau.initial().iter().copied().collect()
    }

    /// The successors of those of these nodes that read the letter.
    pub(crate) fn read(&self, nodes: &BTreeSet<usize>, letter: usize) -> BTreeSet<usize> {
        let reading = nodes.iter().filter(|&&node| self.tableau.letter(node) == letter);
        reading.flat_map(|&node| self.tableau.successors(node)).copied().collect()
    }

    /// The product state after the empty history.
    fn start(&self, live: &HashSet<(usize, usize)>) -> ProductState {
        let words = self.initial();
        let plays = words.iter().copied().filter(|&node| live.contains(&(0, node))).collect();
        ProductState { state: 0, words, plays }
    }

    fn is_legal(&self, words: &BTreeSet<usize>, input: usize) -> bool {
        (0..self.inputs.len()).any(|l| self.inputs[l] == input && !self.read(words, l).is_empty())
    }

    /// The product state after one more letter; `None` if the controller does not allow it.
    fn step(
        &self,
        table: &Table,
        live: &HashSet<(usize, usize)>,
        place: &ProductState,
        letter: usize,
    ) -> Option<ProductState> {
        let state = table[place.state][letter]?;
        let words = self.read(&place.words, letter);
        let mut plays = self.read(&place.plays, letter);
        plays.retain(|&node| live.contains(&(state, node)));
        Some(ProductState { state, words, plays })
    }

    /// A shortest history of legal inputs after which no play of the controller is in A; `None` if the controller is
    /// friendly.
    pub(crate) fn violation(&self, table: &Table) -> Option<History> {
        self.violation_within(table, table.len())
    }

    /// A shortest violation that only visits states below `bound`.
    fn violation_within(&self, table: &Table, bound: usize) -> Option<History> {
        let live = self.tableau.live(table);
        let start = self.start(&live);
        let mut seen = HashSet::from([start.clone()]);
        let mut queue = VecDeque::from([(History::new(), start)]);
        while let Some((history, place)) = queue.pop_front() {
            if place.plays.is_empty() {
                return Some(history);
            }
            for letter in 0..self.inputs.len() {
                let Some(next) = self.step(table, &live, &place, letter) else { continue };
                if next.state < bound
                    && self.is_legal(&place.words, self.inputs[letter])
                    && seen.insert(next.clone())
                {
                    queue.push_back(([history.as_slice(), &[letter]].concat(), next));
                }
            }
        }
        None
    }

    /// Whether a partial controller has a violation that every completion has: one that remains if all undecided
    /// choices allow every letter.
    pub(crate) fn is_lost(&self, table: &Table) -> bool {
        let anything = table.len();
        let mut optimistic = table.clone();
        for row in &mut optimistic {
            let decided: HashSet<usize> =
                (0..row.len()).filter(|&l| row[l].is_some()).map(|l| self.inputs[l]).collect();
            for letter in (0..row.len()).filter(|&l| !decided.contains(&self.inputs[l])) {
                row[letter] = Some(anything);
            }
        }
        optimistic.push(vec![Some(anything); self.inputs.len()]);
        self.violation_within(&optimistic, anything).is_some()
    }

    /// Whether this is a history of the controller, of legal inputs only, after which no play of it is in A.
    pub(crate) fn is_violation(&self, table: &Table, history: &[usize]) -> bool {
        let live = self.tableau.live(table);
        let mut place = self.start(&live);
        for &letter in history {
            if !self.is_legal(&place.words, self.inputs[letter]) {
                return false;
            }
            let Some(next) = self.step(table, &live, &place, letter) else { return false };
            place = next;
        }
        place.plays.is_empty()
    }

    /// Whether this is a history of the controller after which some play of it is in A.
    pub(crate) fn goes_on(&self, table: &Table, history: &[usize]) -> bool {
        let live = self.tableau.live(table);
        let end = history
            .iter()
            .try_fold(self.start(&live), |place, &letter| self.step(table, &live, &place, letter));
        end.is_some_and(|place| !place.plays.is_empty())
    }

    /// Whether A has a word.
    pub(crate) fn is_satisfiable(&self) -> bool {
        !self.tableau.initial().is_empty()
    }
}

/// The smallest friendly controller that keeps the contract, among those with at most `states` states, by trying
/// all of them; at most `tries` partial controllers for each number of states.
pub(crate) fn friendly_winner(
    instance: &mut Instance,
    expectations: &Expectations,
    states: usize,
    tries: usize,
) -> Tried {
    smallest_controller(instance, states, tries, &|table| !expectations.is_lost(table))
}

/// The prefixes of lasso words with few positions.
pub(crate) struct Unrolled {
    /// Prefixes of words in A.
    words: HashSet<History>,
    /// Prefixes of plays of the controller in A.
    plays: HashSet<History>,
    /// Per letter, the number of its input.
    inputs: Vec<usize>,
    depth: usize,
}

impl Unrolled {
    /// Prefixes with at most `depth` letters of words in A with at most `word` positions, and of plays in A with at
    /// most `play` positions.
    pub(crate) fn new(
        instance: &mut Instance,
        table: &Table,
        depth: usize,
        word: usize,
        play: usize,
    ) -> Self {
        let letters = instance.letters();
        let formula = expected(instance);
        let inputs = split(instance, &letters, Player::Environment);
        let free: Table = vec![vec![Some(0); letters.len()]];
        let begin = |table, length| {
            let mut found = HashSet::new();
            extend(&mut Vec::new(), &mut vec![0], table, length, &mut |history, cycle| {
                let at = |range: &[usize]| range.iter().map(|&l| letters[l].clone()).collect::<Vec<Letter>>();
                let lasso = Lasso { prefix: at(&history[..cycle]), cycle: at(&history[cycle..]) };
                if LassoSemantics::new(&instance.formulas, &instance.alphabet, &lasso).holds(formula) {
                    let mut unrolled = History::new();
                    let mut position = 0;
                    for _ in 0..=depth {
                        found.insert(unrolled.clone());
                        unrolled.push(history[position]);
                        position = if position + 1 == history.len() { cycle } else { position + 1 };
                    }
                }
            });
            found
        };
        Self { words: begin(&free, word), plays: begin(table, play), inputs, depth }
    }

    /// A shortest violation of at most `depth` letters.
    pub(crate) fn violation(&self, table: &Table) -> Option<History> {
        let mut level = vec![(History::new(), 0)];
        for length in 0..=self.depth {
            let violation = level.iter().find(|(history, _)| !self.plays.contains(history));
            if violation.is_some() || length == self.depth {
                return violation.map(|(history, _)| history.clone());
            }
            let mut longer = Vec::new();
            for (history, state) in level {
                for (letter, next) in table[state].iter().enumerate() {
                    let &Some(next) = next else { continue };
                    let with = |l: usize| [history.as_slice(), &[l]].concat();
                    let mut same_input =
                        (0..self.inputs.len()).filter(|&l| self.inputs[l] == self.inputs[letter]);
                    if same_input.any(|l| self.words.contains(&with(l))) {
                        longer.push((with(letter), next));
                    }
                }
            }
            level = longer;
        }
        None
    }
}

/// Enumerates the lasso words of the table with at most `length` positions: the letters, and the position where the
/// cycle begins. `states` are the states before each letter of the word and after it.
fn extend(
    word: &mut History,
    states: &mut Vec<usize>,
    table: &Table,
    length: usize,
    take: &mut dyn FnMut(&[usize], usize),
) {
    let state = states[word.len()];
    for cycle in (0..word.len()).filter(|&cycle| states[cycle] == state).collect::<Vec<_>>() {
        take(word, cycle);
    }
    if word.len() == length {
        return;
    }
    for (letter, next) in table[state].iter().enumerate() {
        let &Some(next) = next else { continue };
        word.push(letter);
        states.push(next);
        extend(word, states, table, length, take);
        word.pop();
        states.pop();
    }
}
