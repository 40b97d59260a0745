//! A play of a controller in which the assumptions are kept: the answers of a scripted model.

use super::blame::assumption_texts;
use super::simulate::{PlayEvent, PlayedMachine, Playing};
use crate::base::Random;
use crate::logic::{AtomId, Letter};
use crate::model::Mealy;
use crate::source::SourceMap;
use crate::spec::{AtomMeaning, Clause, Problem, Term};
use crate::wire::TraceDocument;

/// So many turns the script has answers for.
const STEPS: usize = 60;
/// The play is the same each time.
const SEED: u64 = 1;

/// A play in which predicates hold of what was written as their names suggest: `inCave` after `toCave`. Where the
/// assumptions forbid that, the inputs are random ones that keep them as long as some do. `further` are facts that
/// refinement added.
pub(super) fn scripted_play(
    problem: &Problem,
    machine: &Mealy,
    sources: &SourceMap,
    further: &[Clause],
    memory: u64,
) -> TraceDocument {
    let assumptions = assumption_texts(problem, sources);
    // Values that contradict each other would not be answered as the guarantees say.
    let mut informed = problem.clone();
    for fact in further {
        informed.clauses.push(fact.clone());
    }
    let played = PlayedMachine::of_controller(informed, machine, assumptions, further, memory);
    let mut playing = Playing::new(&played, SEED, true);
    let mut random = Random::new(SEED);
    for _ in 0..STEPS {
        let last = playing.steps().last().map(|(_, _, letter)| letter.clone());
        let input = suggested(problem, last.as_ref(), &mut random);
        let mut good = true;
        let mut reported = |event: PlayEvent| {
            good &= matches!(&event, PlayEvent::Step { lost, blame: None, .. } if lost.is_empty());
        };
        let taken = playing.step(&input, &mut reported);
        if taken && good {
            continue;
        }
        if taken {
            playing.back(1);
        }
        if !playing.random_step(&mut |_| {}) {
            break;
        }
    }
    playing.document(None)
}

/// The inputs after the updates of a letter: a predicate holds if some update that was chosen ends with the same word;
/// one that no update ends with holds now and then.
fn suggested(problem: &Problem, last: Option<&Letter>, random: &mut Random) -> Letter {
    let alphabet = &problem.alphabet;
    let updates = || alphabet.cells().iter().flat_map(|cell| cell.options.iter().copied());
    let mut input = Letter::new();
    for atom in alphabet.inputs() {
        let word = last_word(problem, atom);
        let named = |update: &AtomId| word.is_some() && last_word(problem, *update) == word;
        let holds = match last {
            _ if !updates().any(|update| named(&update)) => random.below(3) == 0,
            Some(letter) => updates().any(|update| named(&update) && alphabet.holds(update, letter)),
            None => false,
        };
        if holds {
            alphabet.choose(atom, &mut input);
        }
    }
    input
}

/// The last word of the name that a predicate or an update applies: `cave` of `toCave(summary)` and of `in_cave(x)`.
fn last_word(problem: &Problem, atom: AtomId) -> Option<String> {
    let term = match problem.signature.atoms.get(atom)? {
        AtomMeaning::Predicate(term) | AtomMeaning::Update(_, term) => *term,
        AtomMeaning::Proposition => return None,
    };
    let Term::Apply(symbol, _) = problem.signature.terms.get(term) else { return None };
    let name = &problem.signature.symbols[*symbol].name;
    let start = name.rfind(|c: char| c.is_uppercase() || c == '_').unwrap_or(0);
    Some(name[start..].trim_start_matches('_').to_lowercase())
}
