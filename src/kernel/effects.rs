//! Effects that are given as automata: the product of plays with an automaton, with a mark (an extra output) for each
//! acceptance set, so that the checker's own search can decide its emptiness.
//!
//! The complement of an effect is computed by the engines and not trusted: that no word is accepted by both automata is
//! checked for all words, that every word is accepted by one of them is checked on sampled plays.

use crate::trusted::plays::Plays;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, BitId, Formulas, Guard, Guards, Lasso};
use tsl_synth_core::logic::{AtomKind, FormulaId};
use tsl_synth_core::model::{Buchi, Marks, NodeId, StateId};

/// An automaton with an extra output for each acceptance set, and its acceptance as a formula over these outputs.
#[derive(Clone, Debug)]
pub(super) struct MarkedAutomaton<'a> {
    automaton: &'a Buchi,
    bits: Vec<BitId>,
    /// Every mark occurs infinitely often.
    pub(super) accepts: FormulaId,
}

impl<'a> MarkedAutomaton<'a> {
    /// Adds the marks to alphabet and formulas.
    pub(super) fn new(
        automaton: &'a Buchi,
        name: &str,
        alphabet: &mut Alphabet,
        formulas: &mut Formulas,
    ) -> Self {
        let (mut bits, mut goals) = (Vec::new(), Vec::new());
        for set in 0..automaton.sets {
            let atom = alphabet.add_output(format!("{name} {set}"));
            if let AtomKind::Output(bit) = alphabet.atoms()[atom].kind {
                bits.push(bit);
            }
            let mark = formulas.atom(atom);
            let finally = formulas.finally(mark);
            goals.push(formulas.globally(finally));
        }
        Self { automaton, bits, accepts: formulas.and(goals) }
    }

    /// The product of the plays with the automaton. O(plays · automaton) states.
    pub(super) fn beside(&self, plays: &Plays, budget: &Budget) -> Result<Plays, Limit> {
        type Pair = (StateId, NodeId);
        let mut guards = plays.guards.clone();
        let mut pairs: Vec<Pair> = Vec::new();
        let mut index: FxHashMap<Pair, StateId> = FxHashMap::default();
        // State 0 is a new initial state, which has the edges of all initial pairs.
        let mut state = |pair: Pair, pairs: &mut Vec<Pair>| {
            *index.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                StateId::from_index(pairs.len())
            })
        };
        let starts: Vec<Pair> = self.automaton.initial.iter().map(|&b| (plays.initial, b)).collect();
        let mut edges: IdVec<StateId, Vec<(Guard, StateId)>> = IdVec::new();
        let mut done = 0;
        while edges.len() <= pairs.len() {
            let from = if edges.is_empty() { starts.clone() } else { vec![pairs[done - 1]] };
            done += 1;
            let mut out = Vec::new();
            for (q, b) in from {
                for &(letters, next) in &plays.edges[q] {
                    for edge in &self.automaton.edges[b] {
                        budget.tick(1, || "certificate of a cause".into())?;
                        let copy = self.automaton.guards.copy_into(edge.guard, &mut guards);
                        let mut guard = guards.and(letters, copy);
                        for (set, &bit) in self.bits.iter().enumerate() {
                            let literal = guards.literal(bit, edge.marks.covers(Marks::of(set)));
                            guard = guards.and(guard, literal);
                        }
                        if guard != Guard::FALSE {
                            out.push((guard, state((next, edge.next), &mut pairs)));
                        }
                    }
                }
            }
            edges.push(out);
        }
        Ok(Plays { guards, edges, initial: StateId::from_index(0) })
    }
}

/// The graph of a single play.
pub(super) fn only(alphabet: &Alphabet, word: &Lasso) -> Plays {
    let mut guards = Guards::new();
    let bits: Vec<BitId> =
        [tsl_synth_core::logic::Player::Environment, tsl_synth_core::logic::Player::System]
            .into_iter()
            .flat_map(|player| alphabet.bits_of(player).collect::<Vec<_>>())
            .collect();
    let edge = |position: usize| {
        let guard = guards.valuation(bits.iter().copied(), word.letter(position));
        vec![(guard, StateId::from_index(word.successor(position)))]
    };
    let edges = (0..word.len()).map(edge).collect::<Vec<_>>().into();
    Plays { guards, edges, initial: StateId::from_index(0) }
}

/// The graph of all words.
pub(super) fn all() -> Plays {
    let initial = StateId::from_index(0);
    Plays { guards: Guards::new(), edges: vec![vec![(Guard::TRUE, initial)]].into(), initial }
}
