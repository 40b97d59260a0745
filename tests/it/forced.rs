//! The shortest loss that the environment can force, compared with the game tree.

use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{AtomKind, Letter};
use tsl_synth_core::model::{Role, Silent, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_explain::{LosingPlay, PlayEnding, forced_loss, losing_play, minimal_core};
use tsl_synth_lang::spec::{ClauseId, Problem, load_ltl};
use tsl_synth_testkit::Rng;

/// The depth of the game trees.
const DEPTH: usize = 4;
const ATOMS: [&str; 4] = ["i0", "i1", "o0", "o1"];

/// An atom so many steps later, or its negation.
#[derive(Clone, Copy, Debug)]
struct Literal {
    later: usize,
    atom: usize,
    positive: bool,
}

impl Literal {
    fn text(self) -> String {
        let not = if self.positive { "" } else { "!" };
        format!("{}{not}{}", "X ".repeat(self.later), ATOMS[self.atom])
    }
    /// Its value at a step; `None` if the letters end before.
    fn value(self, letters: &[u8], step: usize) -> Option<bool> {
        letters.get(step + self.later).map(|letter| (letter >> self.atom & 1 == 1) == self.positive)
    }
}

/// `G (body -> head)`
#[derive(Clone, Debug)]
struct Law {
    body: Vec<Literal>,
    head: Literal,
}

impl Law {
    fn text(&self) -> String {
        let body: Vec<String> = self.body.iter().map(|literal| literal.text()).collect();
        format!("G ({} -> {})", body.join(" & "), self.head.text())
    }
    fn is_broken(&self, letters: &[u8]) -> bool {
        (0..letters.len()).any(|step| {
            self.head.value(letters, step) == Some(false)
                && self.body.iter().all(|literal| literal.value(letters, step) == Some(true))
        })
    }
}

struct Game {
    assumption: Option<Law>,
    guarantees: Vec<Law>,
}

impl Game {
    fn random(rng: &mut Rng) -> Self {
        let literal = |rng: &mut Rng, later: usize, first: usize, count: usize| Literal {
            later: rng.below(later + 1),
            atom: first + rng.below(count),
            positive: rng.flip(),
        };
        let assumption = rng.flip().then(|| {
            let head = literal(rng, 1, 0, 2);
            // The body mentions outputs only if the head is about the next input: the environment can satisfy it.
            let count = if head.later == 0 { 2 } else { 4 };
            Law { body: vec![literal(rng, 0, 0, count)], head }
        });
        let guarantees = (0..2 + rng.below(3))
            .map(|_| Law {
                body: (0..=rng.below(2)).map(|_| literal(rng, 1, 0, 4)).collect(),
                head: literal(rng, 2, 2, 2),
            })
            .collect();
        Self { assumption, guarantees }
    }

    fn problem(&self) -> Problem {
        let guarantees: Vec<String> = self.guarantees.iter().map(Law::text).collect();
        let text = match &self.assumption {
            Some(law) => format!("({}) -> (({}))", law.text(), guarantees.join(") & (")),
            None => guarantees.join(";\n"),
        };
        let mut map = SourceMap::new();
        let source = map.add("t.ltl", text);
        load_ltl(&[source], &["i0".into(), "i1".into()], &["o0".into(), "o1".into()], &map)
            .expect("well-formed")
            .0
    }

    /// Whether the environment can force a guarantee to be broken within so many steps.
    fn is_forced(&self, letters: &mut Vec<u8>, steps: usize) -> bool {
        steps > 0
            && (0..4).any(|input| {
                (0..4).all(|output| {
                    letters.push(input | output << 2);
                    let lost = !self.assumption.as_ref().is_some_and(|law| law.is_broken(letters))
                        && (self.guarantees.iter().any(|law| law.is_broken(letters))
                            || self.is_forced(letters, steps - 1));
                    letters.pop();
                    lost
                })
            })
    }
}

fn code(problem: &Problem, letter: &Letter) -> u8 {
    let atoms = problem.alphabet.atoms();
    let bit = |atom: &tsl_synth_core::logic::Atom| match atom.kind {
        AtomKind::Input(bit) | AtomKind::Output(bit) => u8::from(letter.contains(bit)),
        AtomKind::Update(..) => 0,
    };
    let value = |atom: &tsl_synth_core::logic::Atom| {
        ATOMS.iter().position(|name| *name == atom.name).map_or(0, |i| bit(atom) << i)
    };
    atoms.iter().map(value).sum()
}

/// Checks that no guarantee is violated before the last step, and that in it every output violates one and keeps the
/// assumption.
fn is_lost(game: &Game, problem: &Problem, play: &LosingPlay) {
    assert_eq!(play.ending, PlayEnding::Violated);
    let (last, before) = play.steps.split_last().expect("a step");
    let mut letters: Vec<u8> = before
        .iter()
        .map(|step| code(problem, &step.input) | code(problem, step.output.as_ref().expect("an answer")))
        .collect();
    assert!(!game.guarantees.iter().any(|law| law.is_broken(&letters)), "{play:?}");
    for output in 0..4 {
        letters.push(code(problem, &last.input) | output << 2);
        assert!(game.guarantees.iter().any(|law| law.is_broken(&letters)), "{play:?}");
        assert!(!game.assumption.as_ref().is_some_and(|law| law.is_broken(&letters)), "{play:?}");
        letters.pop();
    }
}

#[test]
fn losses_are_as_short_as_the_game_tree_says() {
    let mut rng = Rng(5);
    let mut lengths = [0; DEPTH + 1];
    while lengths.iter().sum::<usize>() < 60 {
        let game = Game::random(&mut rng);
        let mut problem = game.problem();
        let options = SolverOptions::default();
        let Verdict::Unrealizable(counter @ StrategyRepr::Explicit(_), notion) =
            synthesize(&mut problem, &options, &Silent).expect("a certified answer").verdict
        else {
            continue;
        };
        let core =
            minimal_core(&problem, Some(&counter), notion, &options, &Silent).expect("certified answers");
        let clauses = problem.clauses.enumerate().filter(|(_, clause)| clause.role == Role::Guarantee);
        let ids: Vec<ClauseId> = clauses.map(|(id, _)| id).collect();
        // Games with trivial or equal guarantees, which are removed from the problem, are skipped.
        if ids.len() != game.guarantees.len() {
            continue;
        }
        let kept = ids.iter().zip(&game.guarantees).filter(|(id, _)| core.guarantees.contains(id));
        let game = Game { guarantees: kept.map(|(_, law)| law.clone()).collect(), ..game };
        let shortest = (1..=DEPTH).find(|&steps| game.is_forced(&mut Vec::new(), steps));
        let known = losing_play(&problem, &core, &Budget::unlimited()).ok();
        let forced =
            forced_loss(&problem, &core, known.as_ref(), &options, &Silent).expect("certified answers");
        let all: Vec<String> = game.guarantees.iter().map(Law::text).collect();
        let what = format!("{:?} {all:?}: {forced:?}, known {known:?}", game.assumption);
        let Some(shortest) = shortest else {
            assert!(forced.play.is_none_or(|play| play.steps.len() > DEPTH), "{what}");
            lengths[0] += 1;
            continue;
        };
        assert_eq!(forced.excluded, shortest - 1, "{what}");
        let play = forced.play.or(known).expect("a play");
        assert_eq!(play.steps.len(), shortest, "{what}");
        is_lost(&game, &problem, &play);
        lengths[shortest] += 1;
    }
    println!("plays by length, 0 for longer ones and for ever: {lengths:?}");
    assert!(lengths[2] > 5, "{lengths:?}");
}
