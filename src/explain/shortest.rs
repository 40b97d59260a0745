//! A shortest endless play against a counter-strategy.
//!
//! A play is a lasso of the machine: stem and loop after which it is in the same state. Such plays in which no clause
//! is *broken*, that is, false whatever comes, are compared by how many clauses fail, then by their letters. That no
//! fewer clauses fail is an emptiness question for each smaller set of failures, answered by the certifier; that no
//! play with as few failures has fewer letters is a question to a SAT solver for each number of letters
//! ([`super::lassos`]).
//!
//! A clause is broken by some prefix iff it fails on the word with `W` for `U`, and so on: the limit of the weak views of
//! [`super::forced`], which only fall.

use super::lassos::lasso;
use super::letters::{choices, idle};
use super::play::PlayStep;
use super::tuning::{EMPTINESS_WORK, MAX_SETS};
use crate::base::{Budget, Limit, LimitKind};
use crate::certify::{CertifyError, Claim, StrategyRef, certify};
use crate::logic::{Alphabet, FormulaId, Formulas, Lasso, Letter, Meaning, Node, Player};
use crate::model::{Contract, CounterStrategy, StateId};
use rustc_hash::FxHashMap;

/// An endless play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endless {
    /// Its steps; the last ones are the loop.
    pub(super) steps: Vec<PlayStep>,
    /// Where the loop begins.
    pub(super) from: usize,
}

/// What is compared: plays against a counter-strategy, and the clauses that they may break.
pub(super) struct Plays<'a> {
    pub(super) formulas: Formulas,
    pub(super) alphabet: &'a Alphabet,
    pub(super) counter: &'a CounterStrategy,
    pub(super) clauses: Vec<FormulaId>,
    /// That no prefix breaks the clause.
    pub(super) unbroken: Vec<FormulaId>,
}

impl<'a> Plays<'a> {
    /// Plays against a counter-strategy that defeats the clauses, taken together.
    pub(super) fn new(
        formulas: &Formulas,
        alphabet: &'a Alphabet,
        counter: &'a CounterStrategy,
        clauses: Vec<FormulaId>,
    ) -> Self {
        let mut formulas = formulas.clone();
        let unbroken = clauses.iter().map(|&f| unbroken(&mut formulas, f)).collect();
        Self { formulas, alphabet, counter, clauses, unbroken }
    }

    /// A play with the fewest failing clauses and of those with the fewest letters, at best the known one, which fails
    /// `failures` clauses; and whether it is known to be one.
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

    /// Some play in which only so many clauses fail and none is broken.
    fn failing_at_most(&self, failures: usize, budget: &Budget) -> Result<Option<Endless>, Limit> {
        for set in subsets(self.clauses.len(), failures)? {
            let kept = (0..self.clauses.len()).filter(|i| !set.contains(i)).map(|i| self.clauses[i]);
            let guarantees = kept.chain(set.iter().map(|&i| self.unbroken[i])).collect();
            let contract = Contract { guarantees, ..Contract::default() };
            let part = budget.child(EMPTINESS_WORK.min(budget.left()));
            let checked = certify(
                &Claim {
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
                    // Against more clauses than these it may lose to a system that keeps them all.
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

    /// The play in which the system answers as in a word: the rounds of the loop until the machine is in a state in which
    /// a round began.
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

    /// The play with the system idle wherever that changes neither the loop nor which clauses fail more than allowed.
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
        let mut meaning = Meaning::new(&self.formulas, self.alphabet, &word);
        if !self.unbroken.iter().all(|&f| meaning.holds(f)) {
            return None;
        }
        Some(self.clauses.iter().filter(|&&f| !meaning.holds(f)).count())
    }
}

pub(super) fn what() -> String {
    "looking for a shortest losing play".into()
}

/// The subsets of so many of the numbers below n, in lexicographic order.
pub(super) fn subsets(n: usize, size: usize) -> Result<Vec<Vec<usize>>, Limit> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = all.iter().flat_map(|set| {
            let first = set.last().map_or(0, |&last| last + 1);
            (first..n).map(move |i| set.iter().copied().chain([i]).collect())
        });
        all = longer.collect();
        if all.len() > MAX_SETS {
            return Err(Limit::new(LimitKind::Size, what()));
        }
    }
    Ok(all)
}

/// The formula that holds on a word iff no prefix of it breaks `f`. O(size).
fn unbroken(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    // For each subformula: that no prefix makes it false, and that some prefix makes it true.
    let mut views: FxHashMap<FormulaId, (FormulaId, FormulaId)> = FxHashMap::default();
    let (top, bottom) = (formulas.top(), formulas.bottom());
    for g in formulas.subformulas(&[f]) {
        let view = match formulas.node(g).clone() {
            Node::True | Node::False | Node::Atom(_) => (g, g),
            Node::Not(h) => {
                let (weak, strong) = views[&h];
                (formulas.not(strong), formulas.not(weak))
            }
            Node::And(hs) => {
                (formulas.and(hs.iter().map(|h| views[h].0)), formulas.and(hs.iter().map(|h| views[h].1)))
            }
            Node::Or(hs) => {
                (formulas.or(hs.iter().map(|h| views[h].0)), formulas.or(hs.iter().map(|h| views[h].1)))
            }
            Node::Iff(a, b) => {
                let ((wa, sa), (wb, sb)) = (views[&a], views[&b]);
                let mut equal = |yes: [FormulaId; 2], no: [FormulaId; 2]| {
                    let no = no.map(|h| formulas.not(h));
                    let (both, neither) = (formulas.and(yes), formulas.and(no));
                    formulas.or([both, neither])
                };
                (equal([wa, wb], [sa, sb]), equal([sa, sb], [wa, wb]))
            }
            Node::Next(h) => (formulas.next(views[&h].0), formulas.next(views[&h].1)),
            Node::Finally(h) => (top, formulas.finally(views[&h].1)),
            Node::Globally(h) => (formulas.globally(views[&h].0), bottom),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                (formulas.weak_until(views[&a].0, views[&b].0), formulas.until(views[&a].1, views[&b].1))
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => (
                formulas.release(views[&a].0, views[&b].0),
                formulas.strong_release(views[&a].1, views[&b].1),
            ),
        };
        views.insert(g, view);
    }
    views[&f].0
}
