//! When the assumptions become impossible on a play, and which player makes them so.
//!
//! Let A be the facts and assumptions of a contract (see `friendly` for what is *legal*). A play makes A impossible with
//! its first letter after which
//!
//! - no word that satisfies A begins like the play: the *environment* did it if the input was illegal, else the
//!   *system*, or
//! - a word that satisfies A begins so, but no play of the machine that plays the system continues this one and
//!   satisfies A: the *controller* did it. Such a machine is not friendly.
//!
//! Once A is impossible, it stays so.

use super::legal_histories::{Expectations, MachineProduct, Reached, expectations};
use super::outcome::{Certified, CertifyError};
use super::search::couvreur::SearchExtent;
use super::search::explicit::Explicit;
use super::tuning::STEP_WORK;
use crate::trusted::Emptiness;
use crate::trusted::checker::PlaySearch;
use crate::trusted::plays::Plays;
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Guard, Guards, Lasso, Letter, Player};
use tsl_synth_core::model::{Contract, Mealy, StateId};

/// The player or machine that made the assumptions impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// The environment: the input of the last step was illegal.
    Environment,
    /// The system: the input of the last step was legal, but with these outputs no word that satisfies the assumptions
    /// begins so.
    System,
    /// The controller: the assumptions could still be kept, but in no play of this machine.
    Controller,
}

/// When the assumptions became impossible on a play, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The number of steps after which they became impossible; 0 means from the start.
    pub steps: usize,
    /// The culprit; `None` if no word satisfies the facts and assumptions.
    pub by: Option<Culprit>,
    /// The first assumption that, alone with the facts, is impossible. `None` if only several assumptions together are,
    /// or if none was found within the limits.
    pub assumption: Option<usize>,
    /// Whether the facts alone are impossible: the history is no prefix of a play of the specification, or no play of
    /// the controller that continues it keeps the facts.
    pub facts: bool,
}

/// A history and all plays that continue it.
pub(super) struct KnownPast<'a> {
    pub(super) formulas: &'a Formulas,
    pub(super) alphabet: &'a Alphabet,
    /// All plays.
    pub(super) plays: &'a Plays,
    /// The prefix of one of them.
    pub(super) history: &'a [Letter],
}

impl KnownPast<'_> {
    /// Whether some play with this history satisfies all these formulas.
    fn is_possible(
        &self,
        formulas: impl IntoIterator<Item = FormulaId>,
        budget: &Budget,
    ) -> Result<bool, Limit> {
        let &KnownPast { plays, history, alphabet, .. } = self;
        let bits = || [Player::Environment, Player::System].into_iter().flat_map(|p| alphabet.bits_of(p));
        let (mut guards, mut edges) = (plays.guards.clone(), plays.edges.clone());
        let mut initial =
            history.iter().fold(plays.initial, |state, letter| plays.after(state, letter).unwrap_or(state));
        for letter in history.iter().rev() {
            let letters = guards.valuation(bits(), letter);
            initial = edges.push(vec![(letters, initial)]);
        }
        let after = Plays { guards, edges, initial };
        let literals: Vec<(FormulaId, bool)> = formulas.into_iter().map(|f| (f, true)).collect();
        let mut explicit = Explicit::new(self.formulas, alphabet, after, SearchExtent::First, budget);
        let found = explicit.find(&literals, &mut Certified::default())?;
        Ok(matches!(found, Emptiness::Play(_)))
    }

    /// The first assumption that no play with this history satisfies together with the facts.
    pub(super) fn first_impossible(
        &self,
        contract: &Contract,
        budget: &Budget,
    ) -> Result<Option<usize>, Limit> {
        for (i, &assumption) in contract.assumptions.iter().enumerate() {
            if !self.is_possible(contract.facts.iter().copied().chain([assumption]), budget)? {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }
}

/// The state of a [`Tracker`] after a history.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct HistoryPosition {
    reached: Reached,
    /// The state of the machine; `None` after a letter that does not occur in its plays.
    state: Option<StateId>,
}

/// Follows the assumptions of a contract along a play.
pub struct Tracker {
    formulas: Formulas,
    alphabet: Alphabet,
    /// Only facts and assumptions.
    contract: Contract,
    /// The plays of the machine, or all words; the letters of `expected` are guards of its store.
    plays: Plays,
    expected: Expectations,
    /// The product of the machine with `expected`; `None` without a machine, or if outputs have no influence.
    together: Option<MachineProduct>,
    letters: Vec<Letter>,
    /// Before each letter, and now, as long as A was possible.
    positions: Vec<HistoryPosition>,
    found: Option<Blame>,
    /// A limit was reached: nothing further is reported.
    is_cut_short: bool,
}

impl Tracker {
    /// A tracker before the first letter. `machine` plays the system. Of the contract only the facts and assumptions
    /// count. Exponential in them in the worst case. Steps obey the budget, too, which is granted more work for each of
    /// them.
    ///
    /// # Errors
    /// [`CertifyError::Malformed`] for a machine that is no controller, or [`CertifyError::Limit`].
    pub fn new(
        formulas: &Formulas,
        alphabet: &Alphabet,
        contract: &Contract,
        machine: Option<&Mealy>,
        budget: &Budget,
    ) -> Result<Self, CertifyError> {
        let mut plays = match machine {
            Some(machine) => Plays::of_mealy(alphabet, machine, budget)?,
            None => Plays::all(alphabet, Guards::new()),
        };
        let clauses = expectations(contract);
        let mut expected = Expectations::new(formulas, alphabet, &mut plays.guards, &clauses, budget)?;
        // If A does not mention outputs, it constrains inputs only, and a machine has a play for every sequence of
        // inputs.
        let has_influence =
            || formulas.support(&clauses).iter().any(|atom| alphabet.player(atom) == Player::System);
        let together = match machine {
            Some(_) if has_influence() => Some(MachineProduct::new(&mut plays, &mut expected, budget)?),
            _ => None,
        };
        let first = HistoryPosition { reached: expected.initial()?, state: Some(plays.initial) };
        let mut this = Self {
            formulas: formulas.clone(),
            alphabet: alphabet.clone(),
            contract: Contract {
                facts: contract.facts.clone(),
                assumptions: contract.assumptions.clone(),
                ..Contract::default()
            },
            plays,
            expected,
            together,
            letters: Vec::new(),
            positions: Vec::new(),
            found: None,
            is_cut_short: false,
        };
        let by = if first.reached.is_empty() { None } else { Some(Culprit::Controller) };
        if by.is_none() || !this.is_unfalsifiable(&first) {
            this.found = Some(this.blame(by, budget));
        } else {
            this.positions.push(first);
        }
        Ok(this)
    }

    /// The blame, if the assumptions are impossible.
    pub fn found(&self) -> Option<&Blame> {
        self.found.as_ref()
    }

    /// Appends a letter; returns the blame if it makes the assumptions impossible. The budget is for finding the first
    /// assumption that is impossible.
    pub fn step(&mut self, letter: &Letter, budget: &Budget) -> Option<Blame> {
        self.letters.push(letter.clone());
        if self.found.is_some() || self.is_cut_short {
            return None;
        }
        self.expected.grant(STEP_WORK);
        let by = match self.goes_on(letter) {
            Ok(None) => return None,
            Ok(Some(by)) => by,
            Err(_) => {
                self.is_cut_short = true;
                return None;
            }
        };
        self.found = Some(self.blame(Some(by), budget));
        self.found
    }

    /// Appends the next position, or returns the culprit who made the assumptions impossible.
    fn goes_on(&mut self, letter: &Letter) -> Result<Option<Culprit>, Limit> {
        let Some(HistoryPosition { reached, state }) = self.positions.last() else { return Ok(None) };
        let bits = [Player::Environment, Player::System].into_iter().flat_map(|p| self.alphabet.bits_of(p));
        let guards = &mut self.plays.guards;
        let only = guards.valuation(bits, letter);
        let edge = state.and_then(|state| {
            let mut edges = self.plays.edges[state].iter();
            edges.find(|(letters, _)| guards.contains(*letters, letter)).copied()
        });
        // The tableau is expanded on all letters of the edge, as in the product with the machine, so that the same
        // pairs of states are reached.
        let letters = edge.map_or(only, |(letters, _)| letters);
        let classes = self.expected.after(reached, letters, guards)?;
        let class = classes.into_iter().find(|(letters, _)| guards.contains(*letters, letter));
        let next = HistoryPosition {
            reached: class.map(|(_, reached)| reached).unwrap_or_default(),
            state: edge.map(|(_, next)| next),
        };
        if next.reached.is_empty() {
            let legal = self.expected.legal_among(reached, only, &self.alphabet, guards)?;
            let is_legal = guards.contains(legal, letter);
            return Ok(Some(if is_legal { Culprit::System } else { Culprit::Environment }));
        }
        if !self.is_unfalsifiable(&next) {
            return Ok(Some(Culprit::Controller));
        }
        self.positions.push(next);
        Ok(None)
    }

    /// Whether some word that satisfies A begins so, and also a play of the machine if this is a history of it.
    fn is_unfalsifiable(&self, position: &HistoryPosition) -> bool {
        match (&self.together, position.state) {
            (Some(together), Some(state)) => together.unfalsifiable(state, &position.reached),
            _ => !position.reached.is_empty(),
        }
    }

    /// Takes back up to `steps` letters.
    pub fn back(&mut self, steps: usize) {
        let left = self.letters.len().saturating_sub(steps);
        self.letters.truncate(left);
        self.positions.truncate(left + 1);
        self.found = self.found.filter(|blame| blame.steps <= left);
    }

    /// Appends the letters of an infinite play until a position repeats, but no more than `most` letters.
    pub fn follow(&mut self, play: &Lasso, most: Option<usize>, budget: &Budget) -> Option<Blame> {
        let mut seen: FxHashSet<(usize, HistoryPosition)> = FxHashSet::default();
        let (mut index, mut steps) = (0, 0);
        while self.found.is_none() && !self.is_cut_short && most.is_none_or(|most| steps < most) {
            if let Some(position) = self.positions.last()
                && !seen.insert((index, position.clone()))
            {
                break;
            }
            self.step(play.letter(index), budget);
            index = play.successor(index);
            steps += 1;
        }
        self.found
    }

    /// The letters after which A is still possible; all letters if A is impossible already or a limit was reached.
    pub fn kept(&mut self, guards: &mut Guards) -> Guard {
        let position = self.positions.last().filter(|_| self.found.is_none() && !self.is_cut_short);
        let Some(HistoryPosition { reached, .. }) = position else { return Guard::TRUE };
        self.expected.grant(STEP_WORK);
        match self.expected.kept(reached, &mut self.plays.guards) {
            Ok(kept) => self.plays.guards.copy_into(kept, guards),
            Err(_) => Guard::TRUE,
        }
    }

    /// The blame after the letters so far.
    fn blame(&self, by: Option<Culprit>, budget: &Budget) -> Blame {
        let Self { formulas, alphabet, contract, .. } = self;
        let words = Plays::all(alphabet, Guards::new());
        let plays = if by == Some(Culprit::Controller) { &self.plays } else { &words };
        let past = KnownPast { formulas, alphabet, plays, history: &self.letters };
        let facts = past.is_possible(contract.facts.iter().copied(), budget).is_ok_and(|possible| !possible);
        let assumption =
            if facts { None } else { past.first_impossible(contract, budget).unwrap_or_default() };
        Blame { steps: self.letters.len(), by, assumption, facts }
    }
}
