//! Machines whose labels leave outputs open, as [`HoaMachine::mealy_over`] accepts them: one machine that represents
//! all resolutions. In each step fresh inputs choose among the output letters that a label allows, so a property that
//! holds on all plays of this machine holds for every resolution, including those that choose differently in different
//! steps.

use super::machine::HoaMachine;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Cube, Guard, Guards, Letter};
use tsl_synth_core::model::{Mealy, MealyEdge, MealyState, StateId};

/// The largest number of alternative output letters for one input letter.
const MOST: usize = 64;

/// An output letter, with input letters for which it is allowed.
struct OutputAlternative {
    guard: Guard,
    output: Letter,
    next: StateId,
}

impl HoaMachine {
    /// The machine in which fresh inputs, added at the end of the alphabet, resolve the outputs that labels leave open;
    /// `None` if no output is open. Propositions are the names of atoms; an output that is not in the file is open.
    ///
    /// The machine has to be one that [`HoaMachine::mealy_over`] accepts.
    ///
    /// # Errors
    /// If labels allow too many output letters for one input letter.
    pub fn resolutions_over(&self, alphabet: &Alphabet) -> Result<Option<(Alphabet, Mealy)>, Limit> {
        if self.mealy_of_all(alphabet).is_err() {
            return self.without_unreached().resolutions_of_all(alphabet);
        }
        self.resolutions_of_all(alphabet)
    }

    fn resolutions_of_all(&self, alphabet: &Alphabet) -> Result<Option<(Alphabet, Mealy)>, Limit> {
        let labels = PropositionMeanings::new(self, alphabet);
        let mut guards = Guards::new();
        let mut states = Vec::new();
        for state in &self.states {
            let number = state.number;
            let mut all: Vec<OutputAlternative> = Vec::new();
            for &(label, next) in &state.edges {
                let mut known: FxHashMap<Vec<BitId>, usize> = FxHashMap::default();
                for product in self.guards.cubes(label) {
                    let inputs = labels.inputs(&product, &mut guards);
                    for output in labels.outputs(&product).ok_or_else(|| too_open(number))? {
                        let at = *known.entry(output.iter().collect()).or_insert_with(|| {
                            all.push(OutputAlternative {
                                guard: Guard::FALSE,
                                output,
                                next: StateId::from_index(next),
                            });
                            all.len() - 1
                        });
                        all[at].guard = guards.or(all[at].guard, inputs);
                    }
                }
            }
            states.push(RankedAlternatives::new(all, &mut guards).ok_or_else(|| too_open(number))?);
        }
        let most = states.iter().map(RankedAlternatives::most).max().unwrap_or(1);
        if most == 1 {
            return Ok(None);
        }
        let wider = alphabet.with_resolutions(most.next_power_of_two().ilog2() as usize);
        let choices: Vec<BitId> = (alphabet.bit_count()..wider.bit_count()).map(BitId::from_index).collect();
        let states: IdVec<StateId, MealyState> =
            states.into_iter().map(|ranked| ranked.resolved(&choices, &mut guards)).collect();
        Ok(Some((wider, Mealy { guards, states, initial: StateId::from_index(self.start) })))
    }
}

fn too_open(state: usize) -> Limit {
    let what =
        format!("a label of state {state} leaves open more than {MOST} output letters for one input letter");
    Limit::new(LimitKind::Size, what)
}

/// The meaning of the propositions of a file over an alphabet.
struct PropositionMeanings<'a> {
    alphabet: &'a Alphabet,
    /// The atom of each proposition, if it has one.
    atoms: Vec<Option<AtomId>>,
}

impl<'a> PropositionMeanings<'a> {
    fn new(machine: &HoaMachine, alphabet: &'a Alphabet) -> Self {
        let known: FxHashMap<&str, AtomId> =
            alphabet.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        let atoms = machine.propositions.iter().map(|name| known.get(name.as_str()).copied()).collect();
        Self { alphabet, atoms }
    }

    /// The input letters of a product of a label.
    fn inputs(&self, product: &Cube, guards: &mut Guards) -> Guard {
        product.iter().fold(Guard::TRUE, |inputs, &(proposition, value)| {
            let kind = self.atoms[proposition.index()].map(|atom| self.alphabet.atoms()[atom].kind);
            let Some(AtomKind::Input(bit)) = kind else { return inputs };
            let literal = guards.literal(bit, value);
            guards.and(inputs, literal)
        })
    }

    /// The output letters that a product of a label allows: one update of each cell, one value of each output. `None`
    /// if there are more than [`MOST`].
    fn outputs(&self, product: &Cube) -> Option<Vec<Letter>> {
        let alphabet = self.alphabet;
        let said: FxHashMap<AtomId, bool> = product
            .iter()
            .filter_map(|&(proposition, value)| Some((self.atoms[proposition.index()]?, value)))
            .collect();
        let cells = alphabet.cells().iter().map(|cell| {
            let chosen = cell.options.iter().find(|option| said.get(option) == Some(&true));
            let free = cell.options.iter().filter(|option| !said.contains_key(option));
            chosen.map_or_else(|| free.map(|&option| Some(option)).collect(), |&option| vec![Some(option)])
        });
        let outputs = alphabet.outputs().map(|atom| match said.get(&atom) {
            Some(true) => vec![Some(atom)],
            Some(false) => vec![None],
            None => vec![None, Some(atom)],
        });
        let mut letters = vec![Letter::new()];
        for options in cells.chain(outputs) {
            if letters.len() * options.len() > MOST {
                return None;
            }
            let mut longer = Vec::new();
            for letter in &letters {
                for option in &options {
                    let mut letter = letter.clone();
                    if let Some(atom) = *option {
                        alphabet.choose(atom, &mut letter);
                    }
                    longer.push(letter);
                }
            }
            letters = longer;
        }
        Some(letters)
    }
}

/// The alternatives of a state, counted for each input letter.
struct RankedAlternatives {
    /// Each with the input letters for which it is the first, the second, ... alternative.
    all: Vec<(OutputAlternative, Vec<Guard>)>,
    /// The input letters that have no, one, two, ... alternatives.
    counts: Vec<Guard>,
}

impl RankedAlternatives {
    /// `None` if some input letter has too many.
    fn new(alternatives: Vec<OutputAlternative>, guards: &mut Guards) -> Option<Self> {
        let mut counts = vec![Guard::TRUE];
        let mut all = Vec::new();
        for alternative in alternatives {
            let ranks: Vec<Guard> =
                counts.iter().map(|&before| guards.and(before, alternative.guard)).collect();
            counts.push(Guard::FALSE);
            for (rank, &here) in ranks.iter().enumerate() {
                counts[rank] = guards.minus(counts[rank], here);
                counts[rank + 1] = guards.or(counts[rank + 1], here);
            }
            counts.pop_if(|last| *last == Guard::FALSE);
            if counts.len() > MOST + 1 {
                return None;
            }
            all.push((alternative, ranks));
        }
        Some(Self { all, counts })
    }

    /// The largest number of alternatives of an input letter.
    fn most(&self) -> usize {
        self.counts.len() - 1
    }

    /// The edges of the state: the bits `choices` encode the number of the alternative that is taken; a number that is
    /// too large takes the first one.
    fn resolved(self, choices: &[BitId], guards: &mut Guards) -> MealyState {
        let numbered: Vec<Guard> = (0..1usize << choices.len())
            .map(|number| {
                choices.iter().enumerate().fold(Guard::TRUE, |guard, (i, &bit)| {
                    let literal = guards.literal(bit, number >> i & 1 == 1);
                    guards.and(guard, literal)
                })
            })
            .collect();
        let (mut too_large, mut fewer) = (Guard::FALSE, Guard::FALSE);
        for (number, &chosen) in numbered.iter().enumerate() {
            fewer = self.counts.get(number).map_or(Guard::TRUE, |&count| guards.or(fewer, count));
            let here = guards.and(chosen, fewer);
            too_large = guards.or(too_large, here);
        }
        let mut edges = Vec::new();
        for (OutputAlternative { output, next, .. }, ranks) in self.all {
            let mut guard = guards.and(ranks[0], too_large);
            for (&rank, &chosen) in ranks.iter().zip(&numbered) {
                let here = guards.and(rank, chosen);
                guard = guards.or(guard, here);
            }
            if guard != Guard::FALSE {
                edges.push(MealyEdge { guard, output, next });
            }
        }
        MealyState { edges }
    }
}
