//! When assumptions become impossible on a play, and which player caused it, compared with the definition: for every
//! history, a tableau by enumeration decides whether some word that satisfies the assumptions begins with it.

use crate::oracle::elementary::{Elementary, Table, table_of_mealy};
use crate::oracle::instance::Instance;
use crate::oracle::machines::{random_letter, random_mealy};
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::logic::{AtomId, FormulaId, Guards, Lasso, Letter, Player};
use tsl_synth_core::model::Mealy;
use tsl_synth_kernel::{Blame, Culprit, Tracker};
use tsl_synth_testkit::{Rng, random_formula};

/// The most nodes of a tableau.
const NODES: usize = 1 << 12;

/// The definition of `Blame`, evaluated by tableaux.
struct Definition<'a> {
    instance: &'a Instance,
    letters: Vec<Letter>,
    machine: Option<&'a Mealy>,
    all: Elementary,
    facts: Elementary,
    /// A tableau for each assumption together with the facts.
    each: Vec<Elementary>,
}

impl<'a> Definition<'a> {
    /// `None` where a tableau would be too large.
    fn new(instance: &'a mut Instance, machine: Option<&'a Mealy>) -> Option<Self> {
        let facts = instance.contract.facts.clone();
        let assumptions = instance.contract.assumptions.clone();
        let all = instance.formulas.and(facts.iter().chain(&assumptions).copied());
        let each: Vec<FormulaId> = assumptions
            .iter()
            .map(|&assumption| instance.formulas.and(facts.iter().copied().chain([assumption])))
            .collect();
        let facts = instance.formulas.and(facts);
        let letters = instance.letters();
        let tableau = |f| Elementary::new(instance, &letters, f, NODES);
        let (all, facts) = (tableau(all)?, tableau(facts)?);
        let each = each.into_iter().map(tableau).collect::<Option<Vec<_>>>()?;
        Some(Self { instance, letters, machine, all, facts, each })
    }

    /// A table of all words that begin with the history, or of the plays of the machine that begin with it.
    fn table(&self, history: &[Letter], of_machine: bool) -> Option<Table> {
        let start = history.len();
        let none = || vec![None; self.letters.len()];
        let mut table: Table = Vec::new();
        for (i, letter) in history.iter().enumerate() {
            let mut row = none();
            row[self.letters.iter().position(|other| other == letter)?] = Some(i + 1);
            table.push(row);
        }
        match self.machine.filter(|_| of_machine) {
            None => table.push(vec![Some(start); self.letters.len()]),
            Some(machine) => {
                let rows = table_of_mealy(self.instance, &self.letters, machine);
                let mut state = 0;
                for letter in history {
                    state = rows[state][self.letters.iter().position(|other| other == letter)?]?;
                }
                // The state after the history comes first: it is exchanged with state 0.
                let number = |s: usize| {
                    start
                        + match s {
                            0 => state,
                            s if s == state => 0,
                            s => s,
                        }
                };
                let shifted = |row: &Vec<Option<usize>>| row.iter().map(|next| next.map(number)).collect();
                let mut after: Table = rows.iter().map(shifted).collect();
                after.swap(0, state);
                table.extend(after);
            }
        }
        Some(table)
    }

    /// Whether some word that begins with this history, or some such play of the machine, satisfies the formula of a
    /// tableau.
    fn possible(&self, tableau: &Elementary, history: &[Letter], of_machine: bool) -> bool {
        let table = self.table(history, of_machine).expect("a history of the machine");
        tableau.has_play(&table)
    }

    fn is_legal(&self, before: &[Letter], letter: &Letter) -> bool {
        let alphabet = &self.instance.alphabet;
        let same = |other: &&Letter| {
            alphabet.bits_of(Player::Environment).all(|bit| other.contains(bit) == letter.contains(bit))
        };
        let mut answers = self.letters.iter().filter(same);
        answers
            .any(|answer| self.possible(&self.all, &[before, std::slice::from_ref(answer)].concat(), false))
    }

    /// The blame for the letters of a play.
    fn blame(&self, play: &[Letter]) -> Option<Blame> {
        for steps in 0..=play.len() {
            let history = &play[..steps];
            let by = if !self.possible(&self.all, history, false) {
                steps.checked_sub(1).map(|last| {
                    if self.is_legal(&play[..last], &play[last]) {
                        Culprit::System
                    } else {
                        Culprit::Environment
                    }
                })
            } else if self.machine.is_some() && !self.possible(&self.all, history, true) {
                Some(Culprit::Controller)
            } else {
                continue;
            };
            let of_machine = by == Some(Culprit::Controller);
            let facts = !self.possible(&self.facts, history, of_machine);
            let impossible = |tableau: &Elementary| !self.possible(tableau, history, of_machine);
            let assumption = self.each.iter().position(impossible).filter(|_| !facts);
            return Some(Blame { steps, by, assumption, facts });
        }
        None
    }
}

fn literal(rng: &mut Rng, instance: &mut Instance) -> FormulaId {
    let atom = AtomId::from_index(rng.below(instance.alphabet.atoms().len()));
    let f = instance.formulas.atom(atom);
    if rng.flip() { instance.formulas.not(f) } else { f }
}

/// A random formula, usually of a common form.
fn clause(rng: &mut Rng, instance: &mut Instance) -> FormulaId {
    let (a, b) = (literal(rng, instance), literal(rng, instance));
    let Instance { formulas, alphabet, .. } = instance;
    let later = match rng.below(6) {
        0 => return random_formula(rng, formulas, alphabet, 4),
        1 => return formulas.until(a, b),
        2 => formulas.next(b),
        3 => b,
        _ => formulas.finally(b),
    };
    let f = formulas.implies(a, later);
    if rng.below(4) == 0 { f } else { formulas.globally(f) }
}

/// A random problem with facts and assumptions only.
fn random_problem(rng: &mut Rng) -> Instance {
    let mut instance = match rng.below(3) {
        0 => Instance::new("a", "x"),
        1 => Instance::new("a b", "x"),
        _ => Instance::new("a", "").with_cell("c", "p q r"),
    };
    if rng.below(3) == 0 {
        let f = clause(rng, &mut instance);
        instance.contract.facts.push(f);
    }
    for _ in 0..=rng.below(2) {
        let f = clause(rng, &mut instance);
        instance.contract.assumptions.push(f);
    }
    instance
}

fn random_letters(rng: &mut Rng, instance: &Instance, machine: Option<&Mealy>, steps: usize) -> Vec<Letter> {
    let mut state = machine.map(|machine| machine.initial);
    let letter = |_| {
        let mut letter = random_letter(rng, &instance.alphabet, Player::Environment);
        match (machine, state) {
            (Some(machine), Some(now)) => {
                let edge = machine.edge(now, &letter).expect("an edge for each input");
                letter.union_with(&edge.output);
                state = Some(edge.next);
            }
            _ => letter.union_with(&random_letter(rng, &instance.alphabet, Player::System)),
        }
        letter
    };
    (0..steps).map(letter).collect()
}

fn new_tracker(instance: &Instance, machine: Option<&Mealy>) -> Tracker {
    let Instance { formulas, alphabet, contract, .. } = instance;
    Tracker::new(formulas, alphabet, contract, machine, &Budget::unlimited()).expect("no limit")
}

/// The blame after all letters. Checks that `step` returns it exactly once, or never if it holds from the start.
fn tracked(instance: &Instance, machine: Option<&Mealy>, play: &[Letter]) -> Option<Blame> {
    let mut tracker = new_tracker(instance, machine);
    let told: Vec<Blame> =
        play.iter().filter_map(|letter| tracker.step(letter, &Budget::unlimited())).collect();
    let found = tracker.found().copied();
    assert!(told.len() <= 1, "it is told once");
    if found.is_some_and(|blame| blame.steps > 0) {
        assert_eq!(told.first().copied(), found, "it is told when it happens");
    } else {
        assert!(told.is_empty(), "what was so from the start is no news");
    }
    found
}

#[test]
fn the_definition_is_kept() {
    let mut rng = Rng(20_261_122);
    let mut counts = [0; 6];
    let mut together = 0;
    for round in 0..700 {
        let mut instance = random_problem(&mut rng);
        let shown = instance.show();
        let states = 1 + rng.below(3);
        let machine = random_mealy(&mut rng, &instance.alphabet, states);
        let machine = Some(&machine).filter(|_| rng.below(3) > 0);
        let play = random_letters(&mut rng, &instance, machine, 4);
        let other = instance.clone();
        let Some(definition) = Definition::new(&mut instance, machine) else { continue };
        let expected = definition.blame(&play);
        assert_eq!(tracked(&other, machine, &play), expected, "round {round}\n{shown}");
        let kind = match expected {
            None => 0,
            Some(blame) if blame.facts => 1,
            Some(blame) => match blame.by {
                None => 2,
                Some(Culprit::Environment) => 3,
                Some(Culprit::System) => 4,
                Some(Culprit::Controller) => 5,
            },
        };
        counts[kind] += 1;
        together += usize::from(kind > 1 && expected.is_some_and(|blame| blame.assumption.is_none()));
        // The letters after which the assumptions are still possible.
        let before = rng.below(3);
        let history = &play[..before];
        let mut tracker = new_tracker(&other, machine);
        for letter in history {
            tracker.step(letter, &Budget::unlimited());
        }
        let mut guards = Guards::new();
        let kept = tracker.kept(&mut guards);
        for letter in &definition.letters {
            let next = [history, std::slice::from_ref(letter)].concat();
            let possible = tracker.found().is_some() || definition.possible(&definition.all, &next, false);
            assert_eq!(guards.contains(kept, letter), possible, "round {round}\n{shown}");
        }
    }
    assert!(counts.iter().all(|&n| n >= 10) && together >= 10, "{counts:?} {together}");
}

#[test]
fn steps_are_taken_back() {
    let mut rng = Rng(18);
    let mut undone = 0;
    for round in 0..200 {
        let instance = random_problem(&mut rng);
        let machine = random_mealy(&mut rng, &instance.alphabet, 2);
        let mut tracker = new_tracker(&instance, Some(&machine));
        let mut play: Vec<Letter> = Vec::new();
        for _ in 0..6 {
            let had = tracker.found().is_some();
            if rng.below(3) == 0 {
                let steps = rng.below(3);
                tracker.back(steps);
                play.truncate(play.len().saturating_sub(steps));
                undone += usize::from(had && tracker.found().is_none());
            } else {
                let mut letter = random_letter(&mut rng, &instance.alphabet, Player::Environment);
                let mut state = machine.initial;
                for letter in &play {
                    state = machine.edge(state, letter).expect("an edge for each input").next;
                }
                letter.union_with(&machine.edge(state, &letter).expect("an edge for each input").output);
                tracker.step(&letter, &Budget::unlimited());
                play.push(letter);
            }
            let fresh = tracked(&instance, Some(&machine), &play);
            assert_eq!(tracker.found().copied(), fresh, "round {round}\n{}", instance.show());
        }
    }
    assert!(undone >= 5, "{undone}");
}

#[test]
fn infinite_plays_are_followed_until_they_repeat() {
    let mut rng = Rng(4711);
    let mut found = 0;
    for round in 0..300 {
        let instance = random_problem(&mut rng);
        let lengths = [rng.below(3), 1 + rng.below(3)];
        let [prefix, cycle] = lengths.map(|steps| random_letters(&mut rng, &instance, None, steps));
        let play = Lasso { prefix, cycle };
        let long: Vec<Letter> =
            play.prefix.iter().chain(play.cycle.iter().cycle().take(40)).cloned().collect();
        let expected = tracked(&instance, None, &long);
        let mut tracker = new_tracker(&instance, None);
        let told = tracker.follow(&play, None, &Budget::unlimited());
        assert_eq!(told, expected, "round {round}\n{}", instance.show());
        found += usize::from(told.is_some_and(|blame| blame.steps > play.len()));
        let most = rng.below(4);
        let mut tracker = new_tracker(&instance, None);
        let told = tracker.follow(&play, Some(most), &Budget::unlimited());
        assert_eq!(told, expected.filter(|blame| blame.steps <= most), "round {round}");
    }
    assert!(found >= 1, "{found}");
}

#[test]
fn limits_end_it() {
    let instance = Instance::new("a", "x").with_assumption("G (a -> F x)");
    let Instance { formulas, alphabet, contract, .. } = &instance;
    let budget = Budget::unlimited().with_work(0);
    assert!(Tracker::new(formulas, alphabet, contract, None, &budget).is_err());
    // Without work for the search of the violated assumption, step and culprit are reported nevertheless.
    let instance = Instance::new("a", "x").with_assumption("G ! a");
    let mut tracker = new_tracker(&instance, None);
    let found = tracker.step(&instance.letter("a"), &Budget::unlimited().with_work(0));
    let expected = Blame { steps: 1, by: Some(Culprit::Environment), assumption: None, facts: false };
    assert_eq!(found, Some(expected));
}
