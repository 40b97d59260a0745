//! Machines whose labels leave outputs open, as [`HoaMachine::mealy_over`] accepts them: every way to resolve them at
//! once. Fresh inputs choose among the output letters that a label allows, step by step, so that a property of all plays
//! of the machine made here is one of every resolution, those that change their mind included.

use super::machine::HoaMachine;
use crate::base::{Id, IdVec, Limit, LimitKind};
use crate::logic::{Alphabet, AtomKind, BitId, Cube, Guard, Guards, Letter};
use crate::model::{Mealy, MealyEdge, MealyState, StateId};

/// More output letters for one input letter are refused.
const MOST: usize = 64;

/// Some input letters with one of the output letters that they may have.
struct Alternative {
    guard: Guard,
    output: Letter,
    next: StateId,
}

impl HoaMachine {
    /// The machine in which fresh inputs, added to the alphabet behind all others, resolve what labels leave open; `None`
    /// where nothing is open. Propositions are the names of atoms; an output that the file does not name is open.
    ///
    /// The machine has to be one that [`HoaMachine::mealy_over`] accepts.
    ///
    /// # Errors
    /// Labels that leave too much open.
    pub fn resolutions_over(&self, alphabet: &Alphabet) -> Result<Option<(Alphabet, Mealy)>, Limit> {
        let mut guards = Guards::new();
        let mut states: Vec<Vec<Alternative>> = Vec::new();
        for (number, state) in self.states.iter().enumerate() {
            let mut all = Vec::new();
            for &(label, next) in &state.edges {
                let from = all.len();
                for product in self.guards.cubes(label) {
                    let inputs = self.inputs(alphabet, &product, &mut guards);
                    for output in self.outputs(alphabet, &product, number)? {
                        let known = |a: &&mut Alternative| a.output == output;
                        if let Some(known) = all[from..].iter_mut().find(known) {
                            known.guard = guards.or(known.guard, inputs);
                        } else {
                            all.push(Alternative { guard: inputs, output, next: StateId::from_index(next) });
                        }
                    }
                }
                if all.len() - from > MOST {
                    return Err(too_open(number));
                }
            }
            states.push(all);
        }
        let open = |all: &Vec<Alternative>, guards: &mut Guards| {
            let mut union = Guard::FALSE;
            all.iter().any(|a| {
                let overlaps = guards.intersects(union, a.guard);
                union = guards.or(union, a.guard);
                overlaps
            })
        };
        if !states.iter().any(|all| open(all, &mut guards)) {
            return Ok(None);
        }
        let most = states.iter().map(Vec::len).max().unwrap_or(0);
        let mut wider = alphabet.clone();
        let choices: Vec<BitId> = (0..most.next_power_of_two().ilog2())
            .map(|number| {
                wider.add_input(format!("resolution {number}"));
                BitId::from_index(wider.bit_count() - 1)
            })
            .collect();
        let states: IdVec<StateId, MealyState> =
            states.into_iter().map(|all| resolved(all, &choices, &mut guards)).collect();
        Ok(Some((wider, Mealy { guards, states, initial: StateId::from_index(self.start) })))
    }

    /// The input letters of a product of a label.
    fn inputs(&self, alphabet: &Alphabet, product: &Cube, guards: &mut Guards) -> Guard {
        product.iter().fold(Guard::TRUE, |inputs, &(bit, value)| match self.kind(alphabet, bit) {
            Some(AtomKind::Input(bit)) => {
                let literal = guards.literal(bit, value);
                guards.and(inputs, literal)
            }
            _ => inputs,
        })
    }

    fn kind(&self, alphabet: &Alphabet, proposition: BitId) -> Option<AtomKind> {
        let name = &self.propositions[proposition.index()];
        alphabet.atoms().iter().find(|atom| atom.name == *name).map(|atom| atom.kind)
    }

    /// The output letters that a product of a label allows.
    fn outputs(&self, alphabet: &Alphabet, product: &Cube, number: usize) -> Result<Vec<Letter>, Limit> {
        let said = |name: &str| {
            let literal = product.iter().find(|(bit, _)| self.propositions[bit.index()] == name);
            literal.map(|&(_, value)| value)
        };
        let mut letters = vec![Letter::new()];
        let atoms = alphabet.atoms();
        // Of each cell one update, of each output one value.
        let cells = alphabet.cells().iter().map(|cell| {
            let chosen = cell.options.iter().find(|&&option| said(&atoms[option].name) == Some(true));
            let free = cell.options.iter().filter(|&&option| said(&atoms[option].name).is_none());
            chosen.map_or_else(|| free.map(|&o| Some(o)).collect(), |&o| vec![Some(o)])
        });
        let outputs = alphabet.outputs().map(|atom| match said(&atoms[atom].name) {
            Some(true) => vec![Some(atom)],
            Some(false) => vec![None],
            None => vec![None, Some(atom)],
        });
        for options in cells.chain(outputs) {
            if letters.len() * options.len() > MOST {
                return Err(too_open(number));
            }
            letters = letters
                .iter()
                .flat_map(|letter| {
                    options.iter().map(|option| {
                        let mut letter = letter.clone();
                        if let Some(atom) = *option {
                            alphabet.choose(atom, &mut letter);
                        }
                        letter
                    })
                })
                .collect();
        }
        Ok(letters)
    }
}

fn too_open(state: usize) -> Limit {
    let what = format!("a label of state {state} leaves open more than {MOST} output letters");
    Limit::new(LimitKind::Size, what)
}

/// The edges of a state: the choice takes the alternative with its number where that is one, else the first.
fn resolved(all: Vec<Alternative>, choices: &[BitId], guards: &mut Guards) -> MealyState {
    let numbered: Vec<Guard> = (0..1usize << choices.len())
        .map(|number| {
            choices.iter().enumerate().fold(Guard::TRUE, |guard, (i, &bit)| {
                let literal = guards.literal(bit, number >> i & 1 == 1);
                guards.and(guard, literal)
            })
        })
        .collect();
    let mut elsewhere = Guard::FALSE;
    for (number, &chosen) in numbered.iter().enumerate() {
        let here = all.get(number).map_or(Guard::FALSE, |alternative| alternative.guard);
        let missed = guards.minus(chosen, here);
        elsewhere = guards.or(elsewhere, missed);
    }
    let mut before = Guard::FALSE;
    let mut edges = Vec::new();
    for (alternative, &chosen) in all.into_iter().zip(&numbered) {
        let taken = guards.and(alternative.guard, chosen);
        let first = guards.minus(alternative.guard, before);
        let fallback = guards.and(first, elsewhere);
        let guard = guards.or(taken, fallback);
        before = guards.or(before, alternative.guard);
        edges.push(MealyEdge { guard, output: alternative.output, next: alternative.next });
    }
    MealyState { edges }
}
