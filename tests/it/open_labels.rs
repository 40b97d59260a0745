//! `verify` on random machines whose labels leave outputs open, compared with all short plays.

use std::fmt::Write;
use tsl_synth_core::logic::{Alphabet, Formulas, Lasso, LassoSemantics, Letter};
use tsl_synth_documents::VerifyVerdict;
use tsl_synth_service::{
    Input, MachineVerdict, Session, SpecRequest, VerifyAnswer, VerifyReport, VerifyRequest,
};
use tsl_synth_testkit::{Rng, random_formula, small_alphabet};

const STATES: usize = 2;
/// Letters of the longest plays that are enumerated.
const LONGEST: usize = 3;
const ATOMS: [&str; 4] = ["a", "b", "c", "d"];

/// In each state, for each value of `a`: which of the four output letters are allowed, and the next state.
type Machine = [[([bool; 4], usize); 2]; STATES];

fn random_machine(rng: &mut Rng) -> Machine {
    let mut edge = || {
        let mut allowed = [rng.flip(), rng.flip(), rng.flip(), rng.flip()];
        allowed[rng.below(4)] = true;
        (allowed, rng.below(STATES))
    };
    [[edge(), edge()], [edge(), edge()]]
}

fn hoa(machine: &Machine) -> String {
    let mut text = format!(
        "HOA: v1\nStates: {STATES}\nStart: 0\nAP: 3 \"a\" \"c\" \"d\"\nacc-name: all\nAcceptance: 0 t\n--BODY--\n"
    );
    for (state, edges) in machine.iter().enumerate() {
        let _ = writeln!(text, "State: {state}");
        for (input, (allowed, next)) in edges.iter().enumerate() {
            let not = |value: bool| if value { "" } else { "!" };
            let letters: Vec<String> = (0..4)
                .filter(|&output| allowed[output])
                .map(|output| format!("{}1&{}2", not(output & 1 == 1), not(output & 2 == 2)))
                .collect();
            let _ = writeln!(text, "[{}0&({})] {next}", not(input == 1), letters.join(" | "));
        }
    }
    text + "--END--\n"
}

/// A letter of the values of `a`, `b`, `c` and `d`.
fn letter(alphabet: &Alphabet, values: [bool; 4]) -> Letter {
    let mut letter = Letter::new();
    for (atom, _) in
        alphabet.atoms().enumerate().filter(|(atom, _)| values[tsl_synth_core::base::Id::index(*atom)])
    {
        alphabet.choose(atom, &mut letter);
    }
    letter
}

/// All plays with at most [`LONGEST`] letters; `b` follows a fixed pattern.
fn short_plays(machine: &Machine, alphabet: &Alphabet) -> Vec<Lasso> {
    let mut plays = Vec::new();
    let mut open = vec![(vec![0], Vec::<Letter>::new())];
    while let Some((states, letters)) = open.pop() {
        let here = states[letters.len()];
        plays.extend(
            (0..letters.len())
                .filter(|&back| states[back] == here)
                .map(|back| Lasso { prefix: letters[..back].to_vec(), cycle: letters[back..].to_vec() }),
        );
        if letters.len() == LONGEST {
            continue;
        }
        for (input, (allowed, next)) in machine[here].iter().enumerate() {
            for output in (0..4).filter(|&output| allowed[output]) {
                let values = [input == 1, letters.len() % 2 == 1, output & 1 == 1, output & 2 == 2];
                let (mut states, mut letters) = (states.clone(), letters.clone());
                letters.push(letter(alphabet, values));
                states.push(*next);
                open.push((states, letters));
            }
        }
    }
    plays
}

/// The play that a report shows, if it is one of the machine.
fn shown_play(machine: &Machine, report: &VerifyReport, alphabet: &Alphabet) -> Option<Lasso> {
    let VerifyAnswer::Judged { found, .. } = &report.answer else { return None };
    let MachineVerdict::Violated { play, .. } = &found.judgment else { return None };
    let own = &report.problem.as_ref()?.alphabet;
    let value = |name: &str, letter: &Letter| {
        own.atoms()
            .enumerate()
            .find(|(_, atom)| atom.name == name)
            .is_some_and(|(id, _)| own.holds(id, letter))
    };
    let mut state = 0;
    // Long enough for some state to repeat at the beginning of the cycle.
    for step in 0..play.prefix.len() + play.cycle.len() * (STATES + 1) {
        let at = if step < play.len() {
            step
        } else {
            play.prefix.len() + (step - play.prefix.len()) % play.cycle.len()
        };
        let letter = play.letter(at);
        let (allowed, next) = machine[state][usize::from(value("a", letter))];
        if !allowed[usize::from(value("c", letter)) + 2 * usize::from(value("d", letter))] {
            return None;
        }
        state = next;
    }
    let mirrored =
        |part: &[Letter]| part.iter().map(|l| letter(alphabet, ATOMS.map(|name| value(name, l)))).collect();
    Some(Lasso { prefix: mirrored(&play.prefix), cycle: mirrored(&play.cycle) })
}

#[test]
fn verdicts_agree_with_short_plays() {
    let mut rng = Rng(7);
    let alphabet = small_alphabet(false);
    let (mut holds, mut violated) = (0, 0);
    for round in 0..1000 {
        let mut formulas = Formulas::new();
        // A disjunction holds more often.
        let parts: Vec<_> = (0..3)
            .map(|_| {
                let size = 1 + rng.below(6);
                random_formula(&mut rng, &mut formulas, &alphabet, size)
            })
            .collect();
        let formula = formulas.or(parts);
        let machine = random_machine(&mut rng);
        let text = formulas.display(formula, &alphabet);
        let all = ATOMS.map(|name| format!("({name} | !{name})")).join(" & ");
        let spec = SpecRequest::formulas([format!("({text}) & {all}")], ["c".to_owned(), "d".to_owned()]);
        let input = Input::Text { name: "m.hoa".into(), text: hoa(&machine) };
        let report = Session::new().verify(&VerifyRequest::new(spec, input)).expect("a report");
        let fails = |play: &Lasso| !LassoSemantics::new(&formulas, &alphabet, play).holds(formula);
        let context = format!("round {round}: {text}\n{}", hoa(&machine));
        match report.verdict() {
            VerifyVerdict::Holds => {
                holds += 1;
                assert!(!short_plays(&machine, &alphabet).iter().any(fails), "it does not hold. {context}");
            }
            VerifyVerdict::Violated => {
                violated += 1;
                let play = shown_play(&machine, &report, &alphabet);
                assert!(play.as_ref().is_some_and(fails), "no play that violates: {play:?}. {context}");
            }
            VerifyVerdict::Unknown => panic!("no answer. {context}"),
        }
    }
    assert!(holds > 50 && violated > 50, "{holds} hold, {violated} are violated");
}
