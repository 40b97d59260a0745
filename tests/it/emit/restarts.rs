//! The product states that runs can reach while all assumptions hold, letter by letter: the reference for `resync`.
//! Exponential in the number of inputs; the examples are small.

use super::examples::Example;
use std::collections::{HashSet, VecDeque};
use tsl_synth_core::logic::{BitId, Guard, Letter, Player};
use tsl_synth_core::model::{MonitorStateId, StateId};

type ProductState = (StateId, Vec<Option<MonitorStateId>>);

/// All product states that the emitted table may contain; `None` if there are too many inputs.
pub(crate) fn reachable(example: &Example) -> Option<HashSet<ProductState>> {
    let alphabet = &example.problem.alphabet;
    let inputs: Vec<BitId> = alphabet.bits_of(Player::Environment).collect();
    if inputs.len() > 8 {
        return None;
    }
    let start =
        (example.mealy.initial, example.monitors.iter().map(|m| Some(m.monitor.initial)).collect::<Vec<_>>());
    let mut seen = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([start]);
    while let Some((state, monitors)) = queue.pop_front() {
        for code in 0..1usize << inputs.len() {
            let letter: Letter =
                inputs.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1).map(|(_, &b)| b).collect();
            let edge = example.mealy.edge(state, &letter).expect("total");
            let mut whole = letter.clone();
            whole.union_with(&edge.output);
            let mut after = Vec::new();
            let mut broken = false;
            for (watched, state) in example.monitors.iter().zip(&monitors) {
                let monitor = &watched.monitor;
                let next = state.map(|s| monitor.step(s, &whole));
                let dead = next.is_some_and(|n| monitor.states[n].dead);
                if dead {
                    let mut guards = monitor.guards.clone();
                    let mut alive = Guard::FALSE;
                    for e in &monitor.states[state.unwrap()].edges {
                        if !monitor.states[e.next].dead {
                            alive = guards.or(alive, e.guard);
                        }
                    }
                    let avoidable = guards.exists(alive, &|bit| alphabet.owner(bit) == Player::System);
                    broken |= !guards.contains(avoidable, &letter);
                }
                after.push(next.filter(|_| !dead));
            }
            if !broken && seen.insert((edge.next, after.clone())) {
                queue.push_back((edge.next, after));
            }
        }
    }
    Some(seen)
}

/// The table of the emitter, in its order; every entry must be reachable.
pub(crate) fn restarts(example: &Example) -> Vec<ProductState> {
    use tsl_synth_core::base::Id;
    use tsl_synth_emit::{EmitOptions, Lang, UserTemplate, emit};
    let mut options = EmitOptions::new(Lang::Js);
    options.template = Some(UserTemplate {
        name: "restarts".into(),
        text: "{% for place in resync %}{{ place.state }} {{ place.monitors | join(' ') }}\n{% endfor %}"
            .into(),
    });
    let text = emit(&example.input(), &options).expect("a table").remove(0).text().expect("text").to_owned();
    let allowed = reachable(example);
    let place = |line: &str| {
        let mut words = line.split_whitespace();
        let state = words.next().unwrap().trim_start_matches(|c: char| !c.is_ascii_digit());
        let state = StateId::from_index(state.parse().unwrap());
        let monitors = words
            .zip(&example.monitors)
            .map(|(word, watched)| {
                let n: usize = word.parse().unwrap();
                (n < watched.monitor.states.len()).then(|| MonitorStateId::from_index(n))
            })
            .collect();
        (state, monitors)
    };
    let table: Vec<ProductState> = text.lines().map(place).collect();
    let reached = |place| allowed.as_ref().is_none_or(|allowed| allowed.contains(place));
    assert!(table.iter().all(reached), "{}: a restart is not reachable", example.name);
    table
}
