//! Random games whose variables stay in small ranges, solved by enumeration of all states: answers are the same, and a
//! certificate is accepted for a changed game only if the winner is the same there.

use std::collections::BTreeMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Random, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::ProgramText;
use tsl_synth_core::model::{LocationId, MoveId, ProgramGame, ProgramMove, ProgramSort, ProgramVariable};
use tsl_synth_kernel::certify_program;
use tsl_synth_programs::{Winner, solve};

/// Cells are between 0 and this.
const TOP: i64 = 3;
const CELLS: usize = 2;
/// The variable of the input, which is 0 or 1.
const INPUT: u32 = 2;
const LOCATIONS: usize = 3;

fn number(value: i64) -> Rational {
    Rational::integer(value.into()).expect("small")
}

fn sum(constant: i64, terms: &[(u32, i64)]) -> Sum {
    let mut sum = Sum::constant(number(constant));
    for &(variable, factor) in terms {
        sum = sum.plus(number(factor), &Sum::variable(variable)).expect("small");
    }
    sum
}

fn small(random: &mut Random, below: usize) -> i64 {
    i64::try_from(random.below(below)).expect("small")
}

fn between(value: &Sum, low: i64, high: i64) -> [Inequality; 2] {
    let minus = number(-1);
    let above = Sum::constant(number(low)).plus(minus, value).expect("small");
    let below = value.plus(minus, &Sum::constant(number(high))).expect("small");
    [above, below].map(Inequality::at_most_zero)
}

fn random_move(random: &mut Random) -> ProgramMove {
    let mut updates = Vec::new();
    for cell in 0..CELLS as u32 {
        updates.push(match random.below(6) {
            0 => sum(small(random, 4), &[]),
            1 => sum(0, &[(INPUT, 1)]),
            2 => sum(1, &[(cell, 1)]),
            3 => sum(-1, &[(cell, 1)]),
            4 => sum(-1, &[(cell, 1), (INPUT, 2)]),
            _ => sum(0, &[(cell, 1)]),
        });
    }
    let mut guard: Vec<Inequality> = between(&sum(0, &[(INPUT, 1)]), 0, 1).to_vec();
    for update in &updates {
        guard.extend(between(update, 0, TOP));
    }
    for _ in 0..random.below(2) {
        let terms: Vec<(u32, i64)> = (0..3).map(|variable| (variable, small(random, 3) - 1)).collect();
        guard.push(Inequality::at_most_zero(sum(small(random, 4) - 2, &terms)));
    }
    ProgramMove {
        from: LocationId::from_index(random.below(LOCATIONS)),
        to: LocationId::from_index(random.below(LOCATIONS)),
        guard,
        updates,
        priority: random.below(4) as u32,
        actions: 0,
    }
}

fn random_game(random: &mut Random) -> ProgramGame {
    let variable = |name: &str| ProgramVariable { name: name.into(), sort: ProgramSort::Integer };
    let count = 3 + random.below(5);
    let start =
        (0..CELLS as u32).flat_map(|cell| between(&Sum::variable(cell), 0, small(random, 3))).collect();
    ProgramGame {
        variables: ["x", "y", "i"].map(variable).to_vec(),
        cells: CELLS,
        inputs: 1,
        locations: (0..LOCATIONS).map(|at| format!("l{at}")).collect(),
        initial: LocationId::from_index(0),
        start: vec![start],
        moves: (0..count).map(|_| random_move(random)).collect(),
    }
}

type State = (usize, [i64; CELLS]);

/// All states with, for each input that is allowed, the priority and the next state of each enabled move.
struct Finite {
    states: BTreeMap<State, Vec<Vec<(u32, State)>>>,
    priorities: Vec<u32>,
}

fn value(sum: &Sum, values: [i64; 3]) -> i64 {
    let term = |(variable, factor): (u32, Rational)| {
        i64::try_from(factor.numerator()).expect("small") * values[variable as usize]
    };
    i64::try_from(sum.offset().numerator()).expect("small") + sum.terms().map(term).sum::<i64>()
}

impl Finite {
    fn new(game: &ProgramGame) -> Self {
        let mut states = BTreeMap::new();
        for location in 0..LOCATIONS {
            for code in 0..16 {
                let cells = [code % 4, code / 4];
                let mut inputs = Vec::new();
                for input in [0, 1] {
                    let values = [cells[0], cells[1], input];
                    let enabled = |one: &&ProgramMove| {
                        one.from.index() == location
                            && one.guard.iter().all(|part| value(&part.sum, values) <= 0)
                    };
                    let next = |one: &ProgramMove| {
                        let cells = [value(&one.updates[0], values), value(&one.updates[1], values)];
                        (one.priority, (one.to.index(), cells))
                    };
                    let own: Vec<(u32, State)> = game.moves.iter().filter(enabled).map(next).collect();
                    if !own.is_empty() {
                        inputs.push(own);
                    }
                }
                states.insert((location, cells), inputs);
            }
        }
        let mut priorities: Vec<u32> = game.moves.iter().map(|one| one.priority).collect();
        priorities.sort_unstable();
        priorities.dedup();
        Self { states, priorities }
    }

    /// Where the system wins: the nested fixpoint over all priorities, by its definition.
    fn won(&self, parameters: &mut Vec<Vec<State>>) -> Vec<State> {
        if parameters.len() == self.priorities.len() {
            let good = |(priority, next): &(u32, State)| {
                let level = self.priorities.iter().position(|p| p == priority).expect("a priority");
                parameters[level].contains(next)
            };
            let wins = |inputs: &Vec<Vec<(u32, State)>>| inputs.iter().all(|own| own.iter().any(good));
            return self.states.iter().filter(|(_, inputs)| wins(inputs)).map(|(state, _)| *state).collect();
        }
        let mut current: Vec<State> = match self.priorities[parameters.len()] % 2 {
            0 => self.states.keys().copied().collect(),
            _ => Vec::new(),
        };
        loop {
            parameters.push(current.clone());
            let next = self.won(parameters);
            parameters.pop();
            if next == current {
                return current;
            }
            current = next;
        }
    }

    fn winner(&self, game: &ProgramGame) -> Winner {
        let won = self.won(&mut Vec::new());
        let starts = |(location, cells): &&State| {
            let values = [cells[0], cells[1], 0];
            *location == game.initial.index()
                && game.start.iter().any(|part| part.iter().all(|part| value(&part.sum, values) <= 0))
        };
        let all = self.states.keys().filter(starts).all(|state| won.contains(state));
        if all { Winner::System } else { Winner::Environment }
    }
}

/// The game with one thing changed.
fn changed(random: &mut Random, game: &ProgramGame) -> ProgramGame {
    let mut moves: Vec<ProgramMove> = game.moves.iter().cloned().collect();
    let at = random.below(moves.len());
    match random.below(5) {
        0 => moves[at].priority = random.below(4) as u32,
        1 => moves[at].to = LocationId::from_index(random.below(LOCATIONS)),
        2 => {
            moves.remove(at);
            moves.push(random_move(random));
        }
        3 => {
            let part = random.below(moves[at].guard.len());
            // Within the ranges the game stays finite.
            let tighter =
                moves[at].guard[part].sum.plus(number(1), &Sum::constant(number(1))).expect("small");
            moves[at].guard[part] = Inequality::at_most_zero(tighter);
        }
        _ => {
            let other = random_move(random);
            moves[at] = ProgramMove { from: moves[at].from, ..other };
        }
    }
    ProgramGame { moves: moves.into_iter().collect::<IdVec<MoveId, _>>(), ..game.clone() }
}

#[test]
fn answers_are_those_of_enumeration_and_certificates_fit_their_game_only() {
    compare(120, 49);
}

#[test]
#[ignore = "campaign"]
fn campaign_programs() {
    let number =
        |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().expect("a number"));
    let rounds = usize::try_from(number("TSL_SYNTH_PROGRAMS", 5_000)).expect("a number of games");
    compare(rounds, number("TSL_SYNTH_SEED", 1));
}

fn compare(rounds: usize, seed: u64) {
    let mut random = Random::new(seed);
    let (mut by_system, mut by_environment, mut unknown) = (0, 0, 0);
    let (mut refused, mut accepted) = (0, 0);
    for round in 0..rounds {
        let game = random_game(&mut random);
        let expected = Finite::new(&game).winner(&game);
        let budget = Budget::unlimited().with_work(4_000_000);
        let text = ProgramText { game: game.clone(), formula: None };
        let Ok(solution) = solve(&text, &budget) else {
            unknown += 1;
            continue;
        };
        let Some((winner, certificate)) = solution.answer else {
            unknown += 1;
            continue;
        };
        assert_eq!(winner, expected, "round {round}: {game:#?}");
        match winner {
            Winner::System => by_system += 1,
            Winner::Environment => by_environment += 1,
        }
        for _ in 0..8 {
            let other = changed(&mut random, &game);
            if certify_program(&other, &certificate, &Budget::unlimited()).is_err() {
                refused += 1;
                continue;
            }
            accepted += 1;
            let truth = Finite::new(&other).winner(&other);
            assert_eq!(
                winner, truth,
                "round {round}: the certificate of {game:#?} is accepted for {other:#?}"
            );
        }
    }
    println!("{by_system} for the system, {by_environment} for the environment, {unknown} unknown");
    println!("of games with a change: {refused} refused, {accepted} accepted and right");
    assert!(by_system > rounds / 4 && by_environment > rounds / 10, "{by_system} {by_environment}");
    assert!(unknown < rounds / 10, "{unknown}");
    assert!(refused > 2 * rounds && accepted > rounds, "{refused} {accepted}");
}
