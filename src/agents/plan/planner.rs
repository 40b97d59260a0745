//! Queries about the plans of a grammar that satisfy its laws: membership, next steps, counting, enumeration and
//! sampling.

use super::ambiguity::is_deterministic;
use super::forest::{Derivations, Forest, below, subsets};
use super::prefix::WordPrefix;
use super::reach::Reach;
use super::space::{PlanLength, Space};
use crate::plan_grammar::{PlanGrammar, TerminalId};
use num_bigint::BigUint;
use tsl_synth_core::base::{Budget, Limit, LimitKind, Random};
use tsl_synth_core::model::Dfa;

/// The maximal number of words that are listed for counting or sampling if the grammar is not known to be unambiguous.
pub const MAX_WORDS: usize = 200_000;

/// A step of a plan, with the elements that it chooses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlanStep {
    /// The step.
    pub terminal: TerminalId,
    /// The indices of the chosen elements, in order; `None` if the step has no elements or the choice is left open.
    pub chosen: Option<Vec<usize>>,
}

impl PlanStep {
    /// A step without elements.
    pub fn plain(terminal: TerminalId) -> Self {
        Self { terminal, chosen: None }
    }
    /// The notation in words: `wok`, `seasoning{onion,salt}`.
    pub fn written(&self, grammar: &PlanGrammar) -> String {
        let name = grammar.written(self.terminal);
        match (&self.chosen, &grammar.terminals[self.terminal].subset) {
            (Some(chosen), Some(subset)) => {
                let names: Vec<&str> =
                    chosen.iter().filter_map(|&i| subset.elements.get(i).map(String::as_str)).collect();
                format!("{name}{{{}}}", names.join(","))
            }
            _ => name,
        }
    }
}

/// Whether a word is a plan, and how it can be continued or corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordReport {
    /// It is a plan.
    Plan,
    /// It is a proper prefix of plans, which continue with one of these steps.
    Unfinished(Vec<TerminalId>),
    /// No plan begins with its steps up to this index (from 0); the steps that are possible at the index; whether the
    /// steps before it are a plan.
    Wrong(usize, Vec<TerminalId>, bool),
}

/// The number of plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number of words; `None` if there are infinitely many.
    pub words: Option<BigUint>,
    /// The number of words with the subsets that their steps choose; `None` if there are infinitely many.
    pub with_subsets: Option<BigUint>,
    /// The number of derivation trees; `None` if there are infinitely many.
    pub trees: Option<BigUint>,
}

/// The plans of a grammar that satisfy a law.
pub struct Planner<'a> {
    pub(super) space: Space<'a>,
    pub(super) reach: Reach,
    pub(super) budget: &'a Budget,
    law: &'a Dfa,
}

impl<'a> Planner<'a> {
    /// The plans of this grammar that have this length and are accepted by `law`, an automaton over its steps.
    pub fn new(grammar: &'a PlanGrammar, law: &'a Dfa, length: PlanLength, budget: &'a Budget) -> Self {
        Self { space: Space::new(grammar, law, length), reach: Reach::default(), budget, law }
    }
    /// The grammar.
    pub fn grammar(&self) -> &'a PlanGrammar {
        self.space.grammar
    }
    /// The number of product states (of the control, the limits and the laws) that were explored so far.
    pub fn states(&self) -> usize {
        self.space.len()
    }
    /// The number of steps and rules of the cheapest plan; `None` if there is no plan.
    ///
    /// # Errors
    /// A limit.
    pub fn least_cost(&mut self) -> Result<Option<u64>, Limit> {
        let (first, start) = (self.space.first(), self.space.grammar.start);
        self.reach.finish(&mut self.space, first, start, self.budget)
    }
    /// Whether there is a plan.
    ///
    /// # Errors
    /// A limit.
    pub fn has_plan(&mut self) -> Result<bool, Limit> {
        Ok(self.least_cost()?.is_some())
    }

    /// Whether a word is a plan, regardless of the elements that its steps choose.
    ///
    /// # Errors
    /// A limit.
    pub fn check(&mut self, word: &[TerminalId]) -> Result<WordReport, Limit> {
        let mut prefix = WordPrefix::new(&mut self.space, self.budget)?;
        for (at, &step) in word.iter().enumerate() {
            let next = prefix.next(&mut self.space, Some(&mut self.reach), self.budget)?;
            if !next.contains(&step) {
                return Ok(WordReport::Wrong(at, next, prefix.is_plan()));
            }
            prefix.push(&mut self.space, step, self.budget)?;
        }
        if prefix.is_plan() {
            return Ok(WordReport::Plan);
        }
        let next = prefix.next(&mut self.space, Some(&mut self.reach), self.budget)?;
        Ok(WordReport::Unfinished(next))
    }

    /// The possible next steps after a prefix, in the order in which the productions offer them, and whether the prefix
    /// is a plan. With `look_ahead`, only steps after which some plan is possible. `None` if the prefix itself is not
    /// possible.
    ///
    /// # Errors
    /// A limit.
    pub fn next(
        &mut self,
        word: &[TerminalId],
        look_ahead: bool,
    ) -> Result<Option<(Vec<TerminalId>, bool)>, Limit> {
        let mut prefix = WordPrefix::new(&mut self.space, self.budget)?;
        for &step in word {
            if !prefix.push(&mut self.space, step, self.budget)? {
                return Ok(None);
            }
        }
        let reach = look_ahead.then_some(&mut self.reach);
        let next = prefix.next(&mut self.space, reach, self.budget)?;
        Ok(Some((next, prefix.is_plan())))
    }

    /// The number of plans, exactly.
    ///
    /// # Errors
    /// A limit, such as [`MAX_WORDS`] for grammars that are not known to be unambiguous.
    pub fn count(&mut self) -> Result<Count, Limit> {
        let forest = Forest::new(&mut self.space, &mut self.reach, self.budget)?;
        if !forest.has_plan() {
            let zero = Some(BigUint::ZERO);
            return Ok(Count { words: zero.clone(), with_subsets: zero.clone(), trees: zero });
        }
        let trees = match forest.derivations(&self.space) {
            Derivations::InfiniteWords => return Ok(Count { words: None, with_subsets: None, trees: None }),
            Derivations::InfiniteTrees => None,
            Derivations::Finite(words, with_subsets) => {
                if is_deterministic(self.grammar()) {
                    let trees = Some(words.clone());
                    return Ok(Count { words: Some(words), with_subsets: Some(with_subsets), trees });
                }
                Some(words)
            }
        };
        drop(forest);
        let words = self.all_words()?;
        let weighted = |word: &Vec<TerminalId>| -> BigUint {
            word.iter().map(|&step| subsets(&self.space, step)).product()
        };
        let with_subsets = Some(words.iter().map(weighted).sum());
        Ok(Count { words: Some(BigUint::from(words.len())), with_subsets, trees })
    }

    /// All words of a finite language, at most [`MAX_WORDS`].
    fn all_words(&mut self) -> Result<Vec<Vec<TerminalId>>, Limit> {
        let mut words = Vec::new();
        let all = self.each_word(&mut |word| {
            words.push(word.to_vec());
            words.len() <= MAX_WORDS
        })?;
        if all {
            return Ok(words);
        }
        let what = format!(
            "the grammar is not seen to be unambiguous, and more than {MAX_WORDS} words would have to be listed"
        );
        Err(Limit::new(LimitKind::Size, what))
    }

    /// Visits the words in the order in which the productions offer their steps, each before its extensions, until
    /// `visit` returns `false`. Returns whether all were visited.
    fn each_word(&mut self, visit: &mut dyn FnMut(&[TerminalId]) -> bool) -> Result<bool, Limit> {
        let mut prefix = WordPrefix::new(&mut self.space, self.budget)?;
        let mut open: Vec<std::vec::IntoIter<TerminalId>> = Vec::new();
        let mut fresh = true;
        loop {
            if fresh {
                if prefix.is_plan() && !visit(prefix.word()) {
                    return Ok(false);
                }
                let next = prefix.next(&mut self.space, Some(&mut self.reach), self.budget)?;
                open.push(next.into_iter());
            }
            let Some(choices) = open.last_mut() else { return Ok(true) };
            if let Some(step) = choices.next() {
                fresh = prefix.push(&mut self.space, step, self.budget)?;
            } else {
                open.pop();
                prefix.pop();
                fresh = false;
            }
        }
    }

    /// The first `limit` plans with at most `longest` steps, and whether there are more. Shorter plans come first,
    /// those of the same length in the order in which the productions offer their steps, and those with the same steps
    /// in the order of the chosen elements as binary numbers, the first element being the lowest bit.
    ///
    /// # Errors
    /// A limit.
    pub fn enumerate(&self, limit: usize, longest: Option<u32>) -> Result<(Vec<Vec<PlanStep>>, bool), Limit> {
        let grammar = self.grammar();
        let mut plans = Vec::new();
        for length in 0.. {
            if longest.is_some_and(|most| length > most) {
                return Ok((plans, false));
            }
            let mut exact = Planner::new(grammar, self.law, PlanLength::Exactly(length), self.budget);
            if !exact.has_plan()? {
                let mut more = Planner::new(grammar, self.law, PlanLength::AtLeast(length), self.budget);
                if !more.has_plan()? {
                    return Ok((plans, false));
                }
                continue;
            }
            let all = exact.each_word(&mut |word| {
                for plan in ChosenPlans::new(grammar, word) {
                    if plans.len() == limit {
                        return false;
                    }
                    plans.push(plan);
                }
                true
            })?;
            if !all {
                return Ok((plans, true));
            }
        }
        Ok((plans, false))
    }

    /// Plans drawn uniformly, with their subsets, from all plans. `None` if there is none.
    ///
    /// # Errors
    /// A limit, also if there are infinitely many plans.
    pub fn sample(
        &mut self,
        number: usize,
        random: &mut Random,
    ) -> Result<Option<Vec<Vec<PlanStep>>>, Limit> {
        let forest = Forest::new(&mut self.space, &mut self.reach, self.budget)?;
        if !forest.has_plan() {
            return Ok(None);
        }
        let words: Vec<Vec<TerminalId>> = match forest.derivations(&self.space) {
            Derivations::InfiniteWords => {
                let what =
                    "there are infinitely many plans, and no uniform choice among them: bound their length";
                return Err(Limit::new(LimitKind::Size, what));
            }
            Derivations::Finite(..) if is_deterministic(self.grammar()) => {
                let counts = forest.counts(&self.space, true);
                (0..number).map(|_| forest.draw(&self.space, &counts, true, random)).collect()
            }
            _ => {
                let words = self.all_words()?;
                let weights: Vec<BigUint> = words
                    .iter()
                    .map(|word| word.iter().map(|&step| subsets(&self.space, step)).product::<BigUint>())
                    .collect();
                let total: BigUint = weights.iter().sum();
                let draw = |random: &mut Random| {
                    let mut left = below(&total, random);
                    let found = weights.iter().position(|weight| {
                        let here = left < *weight;
                        if !here {
                            left -= weight;
                        }
                        here
                    });
                    words[found.unwrap_or(0)].clone()
                };
                (0..number).map(|_| draw(random)).collect()
            }
        };
        let grammar = self.grammar();
        let chosen =
            |word: Vec<TerminalId>| word.into_iter().map(|step| drawn_step(grammar, step, random)).collect();
        Ok(Some(words.into_iter().map(chosen).collect()))
    }
}

/// A step with elements drawn uniformly.
pub(super) fn drawn_step(grammar: &PlanGrammar, terminal: TerminalId, random: &mut Random) -> PlanStep {
    let chosen = grammar.terminals[terminal].subset.as_ref().map(|subset| {
        loop {
            let bits = random.bits();
            let chosen: Vec<usize> = (0..subset.elements.len()).filter(|i| bits >> i & 1 == 1).collect();
            if subset.may_be_empty || !chosen.is_empty() {
                return chosen;
            }
        }
    });
    PlanStep { terminal, chosen }
}

/// The plans of a word, one for each way to choose the elements of its steps.
struct ChosenPlans<'a> {
    grammar: &'a PlanGrammar,
    word: &'a [TerminalId],
    /// The choice of each step as a binary number; `None` at the end.
    bits: Option<Vec<u64>>,
}

impl<'a> ChosenPlans<'a> {
    fn new(grammar: &'a PlanGrammar, word: &'a [TerminalId]) -> Self {
        let first = |id: &TerminalId| {
            u64::from(grammar.terminals[*id].subset.as_ref().is_some_and(|subset| !subset.may_be_empty))
        };
        Self { grammar, word, bits: Some(word.iter().map(first).collect()) }
    }
}

impl Iterator for ChosenPlans<'_> {
    type Item = Vec<PlanStep>;
    fn next(&mut self) -> Option<Self::Item> {
        let bits = self.bits.take()?;
        let subset = |i: usize| self.grammar.terminals[self.word[i]].subset.as_ref();
        let step = |i: usize| PlanStep {
            terminal: self.word[i],
            chosen: subset(i).map(|s| (0..s.elements.len()).filter(|e| bits[i] >> e & 1 == 1).collect()),
        };
        let plan = (0..self.word.len()).map(step).collect();
        let mut after = bits.clone();
        for i in (0..self.word.len()).rev() {
            let Some(subset) = subset(i) else { continue };
            let most = u64::MAX >> (64 - subset.elements.len());
            if after[i] < most {
                after[i] += 1;
                self.bits = Some(after);
                break;
            }
            after[i] = u64::from(!subset.may_be_empty);
        }
        Some(plan)
    }
}
