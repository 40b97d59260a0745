//! A shortest endless play against a counter-strategy.
//!
//! A play is a lasso of the machine: stem and loop after which it is in the same state. Such plays in which no clause
//! is *broken* (see [`super::endless`]) are compared by how many clauses fail, then by their letters. That no
//! fewer clauses fail is an emptiness question for each smaller set of failures, answered by the certifier; that no
//! play with as few failures has fewer letters is a question to a SAT solver for each number of letters
//! ([`super::lassos`]).

use super::endless::{CounterPlays, Endless, PlayStep, subsets, what};
use super::lassos::lasso;
use super::letters::{choices, idle};
use super::tuning::EMPTINESS_WORK;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{Lasso, LassoSemantics, Letter, Player};
use tsl_synth_core::model::{Contract, StateId};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};

impl CounterPlays<'_> {
    /// The best play that is found, with the fewest failing clauses and of those with the fewest letters, starting from
    /// a known one that fails `failures` clauses; and whether it is known to be the best.
    pub(super) fn shortest(&self, known: Endless, failures: usize, budget: &Budget) -> (Endless, bool) {
        let mut best = known;
        let exact = self.improve(&mut best, failures, budget).is_ok();
        (best, exact)
    }

    fn improve(&self, best: &mut Endless, failures: usize, budget: &Budget) -> Result<(), Limit> {
        let better = (1..failures).find_map(|fewer| match self.failing_at_most(fewer, budget) {
            Ok(play) => play.map(|play| Ok((play, fewer))),
            Err(limit) => Some(Err(limit)),
        });
        let failures = match better.transpose()? {
            Some((play, fewer)) => {
                *best = play;
                fewer
            }
            None => failures,
        };
        for letters in 1..best.steps.len() {
            if let Some((outputs, from)) = lasso(self, letters, failures, budget)? {
                let play = self.replay(outputs, from).expect("the solver's play is one of the machine");
                *best = self.plain(play, failures);
                break;
            }
        }
        Ok(())
    }

    /// Some play in which at most `failures` clauses fail and none is broken.
    fn failing_at_most(&self, failures: usize, budget: &Budget) -> Result<Option<Endless>, Limit> {
        for set in subsets(self.clauses.len(), failures)? {
            let kept = (0..self.clauses.len()).filter(|i| !set.contains(i)).map(|i| self.clauses[i]);
            let guarantees = kept.chain(set.iter().map(|&i| self.unbroken[i])).collect();
            let contract = Contract { guarantees, ..Contract::default() };
            let part = budget.child(EMPTINESS_WORK.min(budget.left()));
            let checked = certify(
                &StrategyClaim {
                    formulas: &self.formulas,
                    alphabet: self.alphabet,
                    contract: &contract,
                    strategy: StrategyRef::Counter(self.counter),
                },
                &part,
            );
            budget.tick(part.work(), what)?;
            match checked {
                Ok(_) => {}
                Err(CertifyError::Violated(violation)) => {
                    // The play counts only if some clause fails on it.
                    let lost = |play: &Endless| self.failing(play).is_some_and(|failing| failing > 0);
                    let play = self.endless(&violation.play).filter(lost);
                    return play.map(Some).ok_or_else(|| Limit::new(LimitKind::Size, what()));
                }
                Err(CertifyError::Limit(limit)) => return Err(limit),
                Err(error) => return Err(Limit::new(LimitKind::Size, error.to_string())),
            }
        }
        Ok(None)
    }

    /// The play in which the system answers as in a word; the loop is unrolled until the machine repeats a state at the
    /// same position of the word.
    fn endless(&self, word: &Lasso) -> Option<Endless> {
        let (mut state, mut at, mut steps) = (self.counter.initial, 0, Vec::new());
        let mut seen: FxHashMap<(StateId, usize), usize> = FxHashMap::default();
        loop {
            if let Some(&from) = seen.get(&(state, at)) {
                return Some(Endless { steps, from });
            }
            seen.insert((state, at), steps.len());
            let machine_state = &self.counter.states[state];
            let letter = self.alphabet.canonical(word.letter(at));
            let output = letter.iter().filter(|&bit| self.alphabet.owner(bit) == Player::System).collect();
            state = self.counter.edge(state, &output)?.next;
            steps.push(PlayStep { input: machine_state.input.clone(), output: Some(output) });
            at = word.successor(at);
        }
    }

    /// The play with the system idle wherever the loop still closes and at least one and at most `failures` clauses
    /// fail.
    fn plain(&self, play: Endless, failures: usize) -> Endless {
        let idle = idle(self.alphabet);
        let mut play = play;
        for step in 0..play.steps.len() {
            for bits in choices(self.alphabet) {
                let mut outputs: Vec<Letter> = play.steps.iter().filter_map(|s| s.output.clone()).collect();
                let before = outputs[step].clone();
                for &bit in &bits {
                    if idle.contains(bit) {
                        outputs[step].insert(bit);
                    } else {
                        outputs[step].remove(bit);
                    }
                }
                if outputs[step] == before {
                    continue;
                }
                if let Some(other) = self.replay(outputs, play.from)
                    && self.failing(&other).is_some_and(|failing| (1..=failures).contains(&failing))
                {
                    play = other;
                }
            }
        }
        play
    }

    /// The play with these answers, if the loop closes.
    fn replay(&self, outputs: Vec<Letter>, from: usize) -> Option<Endless> {
        let mut states = vec![self.counter.initial];
        let mut steps = Vec::new();
        for output in outputs {
            let state = *states.last()?;
            states.push(self.counter.edge(state, &output)?.next);
            steps.push(PlayStep { input: self.counter.states[state].input.clone(), output: Some(output) });
        }
        (states.last() == states.get(from)).then_some(Endless { steps, from })
    }

    /// How many clauses fail; `None` if one is broken.
    fn failing(&self, play: &Endless) -> Option<usize> {
        let letter = |step: &PlayStep| {
            let mut letter = step.input.clone();
            letter.union_with(step.output.as_ref()?);
            Some(letter)
        };
        let mut letters: Vec<Letter> = play.steps.iter().map(letter).collect::<Option<_>>()?;
        let cycle = letters.split_off(play.from);
        let word = Lasso { prefix: letters, cycle };
        let mut meaning = LassoSemantics::new(&self.formulas, self.alphabet, &word);
        if !self.unbroken.iter().all(|&f| meaning.holds(f)) {
            return None;
        }
        Some(self.clauses.iter().filter(|&&f| !meaning.holds(f)).count())
    }
}
