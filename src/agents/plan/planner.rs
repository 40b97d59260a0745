//! Queries about the plans of a grammar that satisfy its laws: membership, next steps, counting, enumeration and
//! sampling.

use super::ambiguity::is_deterministic;
use super::completion::{OneStack, Situation};
use super::forest::{Derivations, Forest, below, subsets};
use super::look_ahead::LookAhead;
use super::parikh::Possible;
use super::prefix::{NextSteps, WordPrefix};
use super::space::{PlanLength, Space};
use crate::plan_grammar::{PlanGrammar, StackSymbol, TerminalId};
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
    /// It is a proper prefix of plans, which continue with one of these steps. If all of them are unsure, there may be
    /// no such plan.
    Unfinished(NextSteps),
    /// No plan begins with its steps up to this index (from 0); the steps that are possible at the index.
    Wrong(usize, NextSteps),
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
    pub(super) look_ahead: LookAhead<'a>,
    pub(super) budget: &'a Budget,
    law: &'a Dfa,
}

impl<'a> Planner<'a> {
    /// The plans of this grammar that have this length and are accepted by `law`, an automaton over its steps.
    pub fn new(grammar: &'a PlanGrammar, law: &'a Dfa, length: PlanLength, budget: &'a Budget) -> Self {
        let space = Space::new(grammar, law, length);
        Self { look_ahead: LookAhead::new(&space), space, budget, law }
    }
    /// Decides by a table of all use counts only as long as it has at most this many entries, and lazily beyond; for
    /// tests and comparisons.
    #[must_use]
    pub fn with_table(mut self, entries: usize) -> Self {
        self.look_ahead.limit_table(entries);
        self
    }
    /// The plans of another length.
    fn of_length(&self, length: PlanLength) -> Self {
        let mut other = Planner::new(self.space.grammar, self.law, length, self.budget);
        other.look_ahead.like(&self.look_ahead);
        other
    }
    pub(super) fn law(&self) -> &'a Dfa {
        self.law
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
        // A plan of this cost is known, and none of at most the lower bound.
        let (mut low, mut high) = (0, 1);
        if !self.has_plan()? {
            return Ok(None);
        }
        while !self.sure(Some(high))? {
            (low, high) = (high, high.saturating_mul(2));
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.sure(Some(middle))? {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(Some(high))
    }
    /// Whether there is a plan.
    ///
    /// # Errors
    /// A limit.
    pub fn has_plan(&mut self) -> Result<bool, Limit> {
        self.sure(None)
    }
    fn sure(&mut self, most: Option<u64>) -> Result<bool, Limit> {
        match self.is_possible(most)? {
            Possible::Yes => Ok(true),
            Possible::No => Ok(false),
            Possible::Unknown => {
                let what = "whether there is a plan was not found within the bounds of the search";
                Err(Limit::new(LimitKind::Size, what))
            }
        }
    }
    /// Whether there is a plan of at most this cost.
    pub(super) fn is_possible(&mut self, most: Option<u64>) -> Result<Possible, Limit> {
        let (first, start) = (self.space.first(), self.space.grammar.start);
        self.completes(first, &[StackSymbol::Nonterminal(start)], most)
    }
    /// Whether a plan can be completed with this stack, its top first, and at most this further cost.
    pub(super) fn completes(
        &mut self,
        state: super::space::StateIndex,
        stack: &[StackSymbol],
        most: Option<u64>,
    ) -> Result<Possible, Limit> {
        let Self { space, look_ahead, budget, .. } = self;
        // With one state the order of the symbols does not matter, and the stack is one body.
        let (body, call) =
            if space.has_one_state() || stack.is_empty() { (stack, None) } else { (&[][..], Some(0)) };
        let start = [Situation { state, body, call }];
        look_ahead.possible(space, (&start, &OneStack(stack)), most, budget, &mut |space, reach| {
            let rest = reach.complete(space, state, stack, budget)?;
            Ok(rest.is_some_and(|rest| most.is_none_or(|most| rest <= most)))
        })
    }

    /// Whether a word is a plan, regardless of the elements that its steps choose: a parse of the word, and only where
    /// it is no plan a search for plans that begin with a part of it.
    ///
    /// # Errors
    /// A limit.
    pub fn check(&mut self, word: &[TerminalId]) -> Result<WordReport, Limit> {
        let mut prefix = WordPrefix::new(&mut self.space, self.budget)?;
        // No plan begins with the first `wrong` steps.
        let mut wrong = word.len() + 1;
        for (at, &step) in word.iter().enumerate() {
            if !prefix.push(&mut self.space, step, self.budget)? {
                wrong = at + 1;
                break;
            }
        }
        if wrong > word.len() && prefix.is_plan() {
            return Ok(WordReport::Plan);
        }
        let mut right = 0;
        if wrong > word.len() {
            if self.begins(&prefix)? == Possible::No {
                wrong = word.len();
            } else {
                right = word.len();
            }
        }
        while wrong - right > 1 {
            let middle = right + (wrong - right) / 2;
            while prefix.word().len() > middle {
                prefix.pop();
            }
            while prefix.word().len() < middle {
                prefix.push(&mut self.space, word[prefix.word().len()], self.budget)?;
            }
            if self.begins(&prefix)? == Possible::No {
                wrong = middle;
            } else {
                right = middle;
            }
        }
        let mut at = wrong.saturating_sub(1);
        while prefix.word().len() > at {
            prefix.pop();
        }
        while prefix.word().len() < at {
            prefix.push(&mut self.space, word[prefix.word().len()], self.budget)?;
        }
        let mut next = prefix.next(&mut self.space, Some(&mut self.look_ahead), self.budget)?;
        // The answers for all next steps may say what the answer for the prefix did not.
        while next.steps.is_empty() && !next.is_plan && at > 0 {
            at -= 1;
            prefix.pop();
            next = prefix.next(&mut self.space, Some(&mut self.look_ahead), self.budget)?;
        }
        Ok(if at < word.len() { WordReport::Wrong(at, next) } else { WordReport::Unfinished(next) })
    }
    fn begins(&mut self, prefix: &WordPrefix) -> Result<Possible, Limit> {
        prefix.is_possible(&mut self.space, &mut self.look_ahead, self.budget)
    }

    /// The possible next steps after a prefix, in the order in which the productions offer them, and whether the prefix
    /// is a plan. With `look_ahead`, only steps after which some plan is possible, or may be. `None` if the prefix
    /// itself has no derivation.
    ///
    /// # Errors
    /// A limit.
    pub fn next(&mut self, word: &[TerminalId], look_ahead: bool) -> Result<Option<NextSteps>, Limit> {
        let mut prefix = WordPrefix::new(&mut self.space, self.budget)?;
        for &step in word {
            if !prefix.push(&mut self.space, step, self.budget)? {
                return Ok(None);
            }
        }
        let look_ahead = look_ahead.then_some(&mut self.look_ahead);
        prefix.next(&mut self.space, look_ahead, self.budget).map(Some)
    }

    /// The number of plans, exactly.
    ///
    /// # Errors
    /// A limit, such as [`MAX_WORDS`] for grammars that are not known to be unambiguous.
    pub fn count(&mut self) -> Result<Count, Limit> {
        let forest = Forest::new(&mut self.space, &mut self.look_ahead.reach, self.budget)?;
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
        self.look_ahead.use_table();
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
                let next = prefix.next(&mut self.space, Some(&mut self.look_ahead), self.budget)?;
                open.push(next.steps.into_iter());
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
            let mut exact = self.of_length(PlanLength::Exactly(length));
            if !exact.has_plan()? {
                let mut more = self.of_length(PlanLength::AtLeast(length));
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
        let forest = Forest::new(&mut self.space, &mut self.look_ahead.reach, self.budget)?;
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
                self.look_ahead.use_table();
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
