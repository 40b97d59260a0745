//! Controllers against the games that they are for: each step is one of the enabled moves, and there is one for each
//! input that is allowed.

use std::path::Path;
use tsl_synth_core::base::{Budget, Random, Rational, on_large_stack};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{LocationId, ProgramGame, ProgramSort};
use tsl_synth_core::source::SourceMap;
use tsl_synth_programs::{
    ControllerOption, ProgramController, ProgramLanguage, Winner, controller, read_program, solve,
};

fn evaluated(sums: &[Sum], values: &[Rational]) -> Vec<Rational> {
    let image = |variable: u32| Some(Sum::constant(values[variable as usize]));
    sums.iter().map(|sum| sum.substituted(image).and_then(|sum| sum.value()).expect("small")).collect()
}

fn holds(parts: &[Inequality], values: &[Rational]) -> bool {
    let image = |variable: u32| Some(Sum::constant(values[variable as usize]));
    parts.iter().all(|part| {
        let sum = part.sum.substituted(image).expect("small");
        Inequality { sum, strict: part.strict }.known() == Some(true)
    })
}

fn random_value(random: &mut Random, sort: ProgramSort) -> Rational {
    let value = i128::try_from(random.below(13)).expect("small") - 6;
    match sort {
        ProgramSort::Real => Rational::new(value, 4).expect("small"),
        ProgramSort::Integer => Rational::integer(value).expect("small"),
        ProgramSort::Boolean => Rational::integer(value.rem_euclid(2)).expect("small"),
    }
}

/// A run of some steps; how many steps it had.
fn run(random: &mut Random, game: &ProgramGame, controller: &ProgramController, steps: usize) -> usize {
    let mut cells: Vec<Rational> =
        game.variables[..game.cells].iter().map(|v| random_value(random, v.sort)).collect();
    if !game.start.iter().any(|part| holds(part, &cells)) {
        return 0;
    }
    let begin =
        controller.start.iter().find(|one| holds(&one.conditions, &cells)).expect("the start is covered");
    let mut remembered = evaluated(&begin.remembered, &cells);
    let (mut node, mut location) = (begin.node, game.initial);
    for step in 0..steps {
        assert_eq!(controller.nodes[node].location, location);
        let mut values = cells.clone();
        let inputs = &game.variables[game.cells..game.cells + game.inputs];
        values.extend(inputs.iter().map(|v| random_value(random, v.sort)));
        values.resize(game.variables.len(), Rational::ZERO);
        values.extend(&remembered);
        let option = controller.nodes[node].options.iter().find(|option| holds(&option.conditions, &values));
        let Some(option) = option else {
            let enabled = game.moves.iter().any(|one| one.from == location && holds(&one.guard, &values));
            assert!(!enabled, "an allowed input has no answer");
            return step;
        };
        let next = evaluated(&option.cells, &values);
        location = checked(game, location, controller, option, &values, &next);
        remembered = evaluated(&option.remembered, &values);
        (node, cells) = (option.node, next);
    }
    steps
}

/// The next location: some enabled move leads there with these values of the cells; numbers that are chosen with a move
/// are taken from the cells that they are for.
fn checked(
    game: &ProgramGame,
    from: LocationId,
    controller: &ProgramController,
    option: &ControllerOption,
    values: &[Rational],
    next: &[Rational],
) -> LocationId {
    let to = controller.nodes[option.node].location;
    let numbers = game.cells + game.inputs;
    let fits = game.moves.iter().filter(|one| one.from == from && one.to == to).any(|one| {
        let mut values = values.to_vec();
        for (update, value) in one.updates.iter().zip(next) {
            let mut terms = update.terms();
            if let (Some((variable, Rational::ONE)), None) = (terms.next(), terms.next())
                && (variable as usize) >= numbers
                && update.offset().is_zero()
            {
                values[variable as usize] = *value;
            }
        }
        holds(&one.guard, &values) && evaluated(&one.updates, &values) == next
    });
    assert!(fits, "no move leads from {from:?} to {to:?} with {next:?}");
    to
}

#[test]
fn steps_are_moves_of_the_game() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/programs");
    let names = [
        ("robot.rpg", ProgramLanguage::Rpg),
        ("tank.issy", ProgramLanguage::Issy),
        ("queue.issy", ProgramLanguage::Issy),
    ];
    for (name, language) in names {
        let text = std::fs::read_to_string(folder.join(name)).expect("a specification");
        let steps = on_large_stack(|| {
            let mut map = SourceMap::new();
            let source = map.add(name, text);
            let text = read_program(&map, source, language).expect("it follows the grammar");
            let solution = solve(&text, &Budget::unlimited()).expect("an answer");
            let (winner, certificate) = solution.answer.expect("an answer");
            assert_eq!(winner, Winner::System, "{name}");
            let controller = controller(&solution.game, &certificate).expect("a controller");
            let mut random = Random::new(3);
            (0..60).map(|_| run(&mut random, &solution.game, &controller, 80)).sum::<usize>()
        });
        let steps = steps.unwrap_or_else(|_| panic!("{name}"));
        assert!(steps > 500, "{name}: {steps}");
    }
}
