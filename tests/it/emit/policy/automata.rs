//! Emitted automata of laws in HOA, run letter by letter and compared with `PossibleState::step`; policies that the C
//! target refuses.

use super::RandomPolicy;
use tsl_synth_core::logic::Letter;
use tsl_synth_emit::{PolicyEmitOptions, PolicyMeta, PolicyTarget, emit_policy};
use tsl_synth_policy::PossibleState;
use tsl_synth_testkit::Rng;

/// The name of a state, whether it accepts, and its edges.
type ReadState = (String, bool, Vec<(String, usize)>);

struct Automaton {
    propositions: Vec<String>,
    /// For each state its verdict, whether it accepts, and labels with targets.
    states: Vec<ReadState>,
}

fn texts(line: &str) -> Vec<String> {
    let (mut all, mut own, mut inside) = (Vec::new(), String::new(), false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' if inside => {
                all.push(std::mem::take(&mut own));
                inside = false;
            }
            '"' => inside = true,
            '\\' => own.extend(chars.next()),
            c if inside => own.push(c),
            _ => {}
        }
    }
    all
}

fn read(text: &str) -> Vec<Automaton> {
    let mut all = Vec::new();
    for part in text.split("--END--\n").filter(|part| !part.is_empty()) {
        let mut automaton = Automaton { propositions: Vec::new(), states: Vec::new() };
        for line in part.lines() {
            if let Some(rest) = line.strip_prefix("AP: ") {
                automaton.propositions = texts(rest);
            } else if line.starts_with("State: ") {
                automaton.states.push((texts(line)[0].clone(), line.ends_with("{0}"), Vec::new()));
            } else if let Some((label, to)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
                let edge = (label.to_string(), to.parse().expect("a state"));
                automaton.states.last_mut().expect("a state").2.push(edge);
            }
        }
        all.push(automaton);
    }
    all
}

fn meta() -> PolicyMeta {
    PolicyMeta { tool_version: "0".into(), sha256: "00".into() }
}

#[test]
fn automata_agree() {
    let mut rng = Rng(33);
    let mut letters = 0;
    for _ in 0..20 {
        let policy = RandomPolicy::new(&mut rng, false, false);
        let own = &policy.compiled;
        let options = PolicyEmitOptions::new(PolicyTarget::Hoa, "p");
        let files = emit_policy(own, &meta(), &options).expect("automata");
        let automata = read(files[0].text().expect("text"));
        assert_eq!(automata.len(), own.policy.laws.len());
        let shown = |name: &str| tsl_synth_emit::plain(name);
        let mut states = vec![0; automata.len()];
        let mut world = PossibleState::new(own);
        for _ in 0..500 {
            letters += 1;
            if rng.below(10) == 0 {
                states.fill(0);
                world = PossibleState::new(own);
            }
            let seen: Letter = world.step(own, &policy.letter(&mut rng), None).letter;
            let names: Vec<String> = seen.iter().map(|bit| shown(&own.policy.atoms.bit_name(bit))).collect();
            for ((id, automaton), state) in own.policy.laws.ids().zip(&automata).zip(&mut states) {
                let literal = |text: &str| match text.strip_prefix('!') {
                    _ if text == "t" => true,
                    Some(place) => !names.contains(&automaton.propositions[place.parse::<usize>().unwrap()]),
                    None => names.contains(&automaton.propositions[text.parse::<usize>().unwrap()]),
                };
                let edges = &automaton.states[*state].2;
                let fits = |label: &str| label.split(" | ").any(|cube| cube.split('&').all(literal));
                let taken: Vec<usize> =
                    edges.iter().filter(|(label, _)| fits(label)).map(|(_, to)| *to).collect();
                assert_eq!(taken.len(), 1, "complete and deterministic");
                *state = taken[0];
                let (name, accepting, _) = &automaton.states[*state];
                let standing = world.standing(own, id);
                assert_eq!((name.as_str(), *accepting), (standing.name(), standing.holds()));
            }
        }
    }
    assert!(letters >= 10_000);
}

#[test]
fn c_refuses_what_needs_memory() {
    let mut rng = Rng(1);
    let mut refused = 0;
    for _ in 0..20 {
        let policy = RandomPolicy::new(&mut rng, true, true);
        let needs = policy.compiled.policy.laws.iter().any(|law| !law.for_each.is_empty())
            || policy.compiled.policy.registers.iter().any(|register| register.window.is_some());
        let files = emit_policy(&policy.compiled, &meta(), &PolicyEmitOptions::new(PolicyTarget::C, "p"));
        assert_eq!(files.is_err(), needs, "{files:?}");
        refused += usize::from(needs);
    }
    assert!(refused > 0);
}
