//! Conflicts of random policies, compared with a search over letters.

/// A choice in a situation: the states after each possible letter, and which of two laws some of these letters violate.
type Situation = (Vec<Vec<u32>>, [bool; 2]);

use super::checked;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::LawStatus;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{AnalysisFrame, product};
use tsl_synth_policy::language::{LawAtom, LawId, LawKind};
use tsl_synth_testkit::Rng;

fn state(rng: &mut Rng) -> &'static str {
    ["p", "!p", "q", "p & q", "p | q", "!p & !q", "true"][rng.below(7)]
}

fn choice(rng: &mut Rng) -> &'static str {
    ["a", "!a", "b", "!b", "a | b", "!a & !b", "c"][rng.below(7)]
}

fn law(rng: &mut Rng) -> String {
    let (p, q, a, b) = (state(rng), state(rng), choice(rng), choice(rng));
    match rng.below(6) {
        0 => format!("G(({p}) -> X({a}))"),
        1 => format!("G(({a}) -> X({b}))"),
        2 => format!("G(({p}) -> X(({a}) | ({q})))"),
        3 => format!("({a}) W ({q})"),
        4 => format!("G(({p}) & ({a}) -> X({b}))"),
        _ => format!("G(O({p}) -> ({a}))"),
    }
}

pub(super) fn text(rng: &mut Rng, next: bool) -> String {
    let mut text = format!(
        "policy = 1\ntiming = \"{}\"\ntrace = \"per-action\"\nidle = false\n[propositions]\np = {{}}\nq = {{}}\n[actions]\n\
         groups = [[\"a\", \"b\", \"c\"]]\n",
        if next { "next" } else { "same" }
    );
    if rng.below(3) == 0 {
        let assume = ["G(!(p & q))", "G(p -> X(!p))", "G(p | q)"][rng.below(3)];
        let _ = write!(text, "[[law]]\nid = \"world\"\nkind = \"assume\"\nltl = \"{assume}\"\n");
    }
    for i in 0..2 + rng.below(2) {
        let _ = write!(text, "[[law]]\nid = \"l{i}\"\nltl = \"{}\"\n", law(rng));
    }
    text
}

/// All letters of the world, and the letter of each choice.
struct Letters {
    rests: Vec<Letter>,
    choices: Vec<Letter>,
}

impl Letters {
    fn new(compiled: &CompiledPolicy) -> Self {
        let atoms = &compiled.policy.atoms;
        let bits: Vec<_> = atoms.propositions.ids().map(|id| atoms.bit(LawAtom::Proposition(id))).collect();
        let rests = (0..1usize << bits.len()).map(|mask| {
            bits.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, &b)| b).collect()
        });
        let choices = atoms.actions.ids().map(|id| Letter::from_iter([atoms.bit(LawAtom::Call(id))]));
        Self { rests: rests.collect(), choices: choices.collect() }
    }
}

/// The pairs of laws in conflict, by definition: outcomes of calls do not occur in these laws, so letters without them
/// are enough.
fn conflicts_by_definition(compiled: &CompiledPolicy, next: bool) -> BTreeSet<[LawId; 2]> {
    let letters = Letters::new(compiled);
    let of = |assume: bool| {
        let laws = compiled.policy.laws.enumerate();
        laws.filter(move |(_, law)| (law.kind == LawKind::Assume) == assume).map(|(id, _)| id)
    };
    let (world, laws): (Vec<LawId>, Vec<LawId>) = (of(true).collect(), of(false).collect());
    let bad = |law: LawId, state: u32| compiled.monitors[law].standing(state) == LawStatus::Violated;
    let both = |rest: &Letter, choice: &Letter| {
        let mut letter = rest.clone();
        letter.union_with(choice);
        letter
    };
    let mut found = BTreeSet::new();
    for (i, &first) in laws.iter().enumerate() {
        for &second in &laws[i + 1..] {
            let all: Vec<LawId> = [first, second].into_iter().chain(world.iter().copied()).collect();
            let step = |states: &[u32], letter: &Letter| -> Vec<u32> {
                all.iter().zip(states).map(|(&law, &state)| compiled.step(law, state, letter)).collect()
            };
            let possible = |states: &[u32]| !(2..all.len()).any(|k| bad(all[k], states[k]));
            let violates = |states: &[u32]| [bad(first, states[0]), bad(second, states[1])];
            let start = vec![0; all.len()];
            let mut open: VecDeque<Vec<u32>> = VecDeque::new();
            if next {
                for rest in &letters.rests {
                    let states = step(&start, rest);
                    if possible(&states) && violates(&states) == [false; 2] {
                        open.push_back(states);
                    }
                }
            } else {
                open.push_back(start);
            }
            let mut seen: BTreeSet<Vec<u32>> = open.iter().cloned().collect();
            while let Some(states) = open.pop_front() {
                // For each situation that the agent can distinguish, its choices.
                let mut situations: Vec<Vec<Situation>> = Vec::new();
                let rows = |rests: &[Letter]| {
                    let row = |choice: &Letter| {
                        let answers = rests.iter().map(|rest| step(&states, &both(rest, choice)));
                        let answers: Vec<Vec<u32>> = answers.filter(|states| possible(states)).collect();
                        let violated = answers.iter().map(|states| violates(states));
                        let violated = violated.fold([false; 2], |a, b| [a[0] || b[0], a[1] || b[1]]);
                        (answers, violated)
                    };
                    letters.choices.iter().map(row).filter(|(answers, _)| !answers.is_empty()).collect()
                };
                if next {
                    situations.push(rows(&letters.rests));
                } else {
                    situations.extend(letters.rests.iter().map(|rest| rows(std::slice::from_ref(rest))));
                }
                for rows in situations.into_iter().filter(|rows| !rows.is_empty()) {
                    let each = |law: usize| rows.iter().all(|(_, violated)| violated[law]);
                    if !each(0) && !each(1) && rows.iter().all(|(_, violated)| violated[0] || violated[1]) {
                        found.insert([first, second]);
                    }
                    for (answers, _) in rows.into_iter().filter(|(_, violated)| *violated == [false; 2]) {
                        for states in answers {
                            if seen.insert(states.clone()) {
                                open.push_back(states);
                            }
                        }
                    }
                }
            }
        }
    }
    found
}

#[test]
fn conflicts_are_those_of_the_definition() {
    let mut rng = Rng(20);
    let (mut with, mut without) = (0, 0);
    for round in 0..400 {
        let next = round % 2 == 0;
        let text = text(&mut rng, next);
        let report = checked("random.toml", &text);
        let fast: BTreeSet<[LawId; 2]> = report.conflicts.found.iter().map(|one| one.laws).collect();
        let expected = conflicts_by_definition(&report.compiled, next);
        assert_eq!(fast, expected, "{text}");
        if expected.is_empty() {
            without += 1;
        } else {
            with += 1;
        }
    }
    assert!(with > 40 && without > 40, "{with} {without}");
}

/// The length of the shortest legal word into a state in which all laws together leave no choice, by definition.
fn stuck_after(compiled: &CompiledPolicy, next: bool) -> Option<usize> {
    let letters = Letters::new(compiled);
    let all: Vec<LawId> = compiled.policy.laws.ids().collect();
    let (world, laws): (Vec<usize>, Vec<usize>) =
        (0..all.len()).partition(|&i| compiled.policy.laws[all[i]].kind == LawKind::Assume);
    let step = |states: &[u32], letter: &Letter| -> Vec<u32> {
        all.iter().zip(states).map(|(&law, &state)| compiled.step(law, state, letter)).collect()
    };
    let some_bad = |states: &[u32], among: &[usize]| {
        among.iter().any(|&i| compiled.monitors[all[i]].standing(states[i]) == LawStatus::Violated)
    };
    let start = vec![0; all.len()];
    let mut open: VecDeque<(Vec<u32>, usize)> = VecDeque::new();
    if next {
        let first = letters.rests.iter().map(|rest| step(&start, rest));
        open.extend(first.filter(|s| !some_bad(s, &world) && !some_bad(s, &laws)).map(|states| (states, 1)));
    } else {
        open.push_back((start, 0));
    }
    let mut seen: BTreeSet<Vec<u32>> = open.iter().map(|(states, _)| states.clone()).collect();
    while let Some((states, length)) = open.pop_front() {
        // The letters of the world that the agent cannot distinguish when it chooses.
        let apart: Vec<Vec<&Letter>> = if next {
            vec![letters.rests.iter().collect()]
        } else {
            letters.rests.iter().map(|rest| vec![rest]).collect()
        };
        let mut further = Vec::new();
        for rests in apart {
            let (mut available, mut left) = (false, false);
            for choice in &letters.choices {
                let answers: Vec<Vec<u32>> = rests
                    .iter()
                    .map(|rest| step(&states, &rest.iter().chain(choice.iter()).collect()))
                    .filter(|states| !some_bad(states, &world))
                    .collect();
                available |= !answers.is_empty();
                if !answers.is_empty() && !answers.iter().any(|states| some_bad(states, &laws)) {
                    left = true;
                    further.extend(answers);
                }
            }
            if available && !left {
                return Some(length);
            }
        }
        for states in further {
            if seen.insert(states.clone()) {
                open.push_back((states, length + 1));
            }
        }
    }
    None
}

#[test]
fn all_laws_together_are_stuck_as_by_definition() {
    let mut rng = Rng(21);
    let (mut with, mut without, mut large) = (0, 0, 0);
    for round in 0..400 {
        let next = round % 2 == 0;
        let text = text(&mut rng, next);
        let report = checked("random.toml", &text);
        let budget = tsl_synth_core::base::Budget::unlimited();
        let mut frame = AnalysisFrame::new(&report.compiled, &budget).expect("small");
        let product = product(&mut frame, &budget).expect("small");
        assert!(product.is_complete, "{text}");
        let expected = stuck_after(&report.compiled, next);
        let shortest = product.found.iter().map(|one| one.trajectory.letters.len()).min();
        assert_eq!(shortest, expected, "{text}");
        large += usize::from(product.found.iter().any(|one| one.core.len() > 2));
        with += usize::from(expected.is_some());
        without += usize::from(expected.is_none());
    }
    println!("{with} stuck, {without} not, {large} with a core of three laws or more");
    assert!(with > 40 && without > 40 && large > 0, "{with} {without} {large}");
}
