//! Causes of choices: flipping the inputs that `explain RECORD --turn N` names changes the choice of the controller.

use super::{TASKS, adventure, game, options, record};
use tsl_synth_agents::SimRates;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{OnBroken, StateId};
use tsl_synth_documents::{CauseVerdict, Record};
use tsl_synth_service::{LoadedStory, Session, SpecRequest};

/// Whether the choice of a turn has a cause; asserts that the controller chooses otherwise on the flipped inputs.
fn check(loaded: &LoadedStory, spec: &SpecRequest, record: &Record, turn: u32) -> bool {
    let report = Session::new().explain_choice(loaded, spec, record, turn, None).expect("an explanation");
    let document = &report.cause.document;
    match document.verdict {
        CauseVerdict::Inevitable => return false,
        CauseVerdict::Cause => {}
        other => panic!("turn {turn}: {other:?}: {}", document.sentence),
    }
    let flips = &document.counterfactual.as_ref().expect("a counterfactual").flips;
    assert!(!flips.is_empty());
    let turns: Vec<_> = report
        .steps
        .iter()
        .map(|number| record.turns.iter().find(|t| t.number == *number).expect("a turn"))
        .collect();
    let alphabet = &loaded.story.problem.alphabet;
    let mut state = StateId::from_index(turns[0].state);
    let mut chosen = Letter::new();
    for (step, turn) in turns.iter().enumerate() {
        let mut input = Letter::new();
        for atom in alphabet.inputs() {
            let name = &alphabet.atoms()[atom].name;
            let flipped = flips.iter().any(|flip| flip.step == step && flip.input == *name);
            if turn.inputs[name] != flipped {
                alphabet.choose(atom, &mut input);
            }
        }
        let edge = loaded.story.machine.edge(state, &input).expect("an edge");
        (state, chosen) = (edge.next, edge.output.clone());
    }
    let recorded = &turns.last().expect("a turn").updates;
    let same = alphabet.cells().enumerate().all(|(id, cell)| {
        let term = alphabet.update_term(alphabet.chosen(&chosen, id)).expect("an update");
        recorded[&cell.name] == term
    });
    assert!(!same, "turn {turn}: the choice is the same after {flips:?}");
    true
}

fn games(count: u64, turns: u32, every: usize) -> usize {
    let rates = SimRates { success: 0.85, spurious: 0.05, sticky: 0.05, ..SimRates::default() };
    let mut caused = 0;
    for seed in 0..count {
        let (spec, loaded) = adventure(TASKS[seed as usize % 4]);
        let policy = if seed % 2 == 0 { OnBroken::Resync } else { OnBroken::Continue };
        let (_, text) = game(&loaded, &options(turns, 0, policy), &rates, seed);
        let record = record(&text);
        for turn in record.turns.iter().filter(|turn| !turn.held).step_by(every) {
            caused += usize::from(check(&loaded, &spec, &record, turn.number));
        }
    }
    caused
}

#[test]
fn what_is_named_changes_the_choice() {
    assert!(games(8, 12, 3) >= 16);
}

/// Every choice of 75 games of 20 turns.
#[test]
#[ignore = "a campaign of some minutes"]
fn campaign_choices() {
    let caused = games(75, 20, 1);
    println!("{caused} choices with a cause, each changed by what is named");
    assert!(caused > 500);
}

#[test]
fn turns_that_are_not_there_are_refused() {
    let (spec, loaded) = adventure("story");
    let (_, text) = game(&loaded, &options(3, 0, OnBroken::Error), &SimRates::default(), 5);
    let record = record(&text);
    let failure = Session::new().explain_choice(&loaded, &spec, &record, 9, None).expect_err("no such turn");
    assert!(failure.diagnostics.into_iter().any(|found| found.message.contains("3 turns")));
    let (_, other) = adventure("story_forest");
    assert!(Session::new().explain_choice(&other, &spec, &record, 1, None).is_err());
}
