//! A play of a controller in which the assumptions are kept: the answers of a scripted model.

use super::blame::assumption_texts;
use super::simulate::{PlayEvent, PlayedMachine, Playing};
use tsl_synth_core::base::Random;
use tsl_synth_core::logic::{AtomId, Letter};
use tsl_synth_core::model::Mealy;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::TraceDocument;
use tsl_synth_lang::spec::{AtomMeaning, Clause, Problem, Term};

/// The number of turns for which the script has answers.
const STEPS: usize = 60;
/// A fixed seed, so that the play is reproducible.
const SEED: u64 = 1;

/// A play in which predicates hold as the names of the last updates suggest: `inCave` after `toCave`. If the
/// assumptions exclude these inputs, they are random ones that keep the assumptions as long as some do. `further` are
/// facts that refinement added.
pub(super) fn scripted_play(
    problem: &Problem,
    machine: &Mealy,
    sources: &SourceMap,
    further: &[Clause],
    memory: u64,
) -> TraceDocument {
    let assumptions = assumption_texts(problem, sources);
    // The facts exclude contradictory inputs, for which the controller need not keep the guarantees.
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
/// one that no update ends with holds at random, in one of three steps.
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
