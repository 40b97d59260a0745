//! Random samples of a constrained decoder (llguidance, from Python) are runs that together take every transition.

use super::cases::REACT;
use super::grammars::{node_of, segments};
use super::{behavior, gallery, of_file};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use tsl_synth_agents::behavior::Behavior;
use tsl_synth_core::model::{AgentStateId, BehaviorNodeId};
use tsl_synth_emit::BehaviorTarget;
use tsl_synth_testkit::skip;

/// Samples in all.
const SAMPLES: usize = 10_000;

/// The tokens of a small model: characters, pieces of prompts and words.
fn vocabulary(behavior: &Behavior) -> Vec<Vec<u8>> {
    let mut words: BTreeSet<Vec<u8>> = (0x20..0x7f).chain([b'\n', b'\t']).map(|byte| vec![byte]).collect();
    for state in &behavior.spec().states {
        let prompt = state.prompt.as_bytes();
        for cut in 1..=prompt.len() {
            words.extend([prompt[..cut].to_vec(), [b"\n", &prompt[..cut]].concat()]);
        }
        words.extend(prompt.iter().map(|byte| vec![*byte]));
        words.extend(state.one_of.iter().map(|text| text.text.as_bytes().to_vec()));
    }
    words.extend([
        b" the".to_vec(),
        b" Thought".to_vec(),
        b"ation".to_vec(),
        ": ".into(),
        "ä".into(),
        vec![0xc3],
        vec![0xa4],
        ".\n".into(),
    ]);
    words.into_iter().collect()
}

/// Follows the text of a segment through the automaton, as a run would read it.
pub(super) fn follow(
    behavior: &Behavior,
    start: BehaviorNodeId,
    text: &str,
    taken: &mut BTreeSet<(BehaviorNodeId, AgentStateId)>,
) {
    let mut node = start;
    // The text begins with the first prompt.
    let legal = behavior.legal(start);
    let first = legal.into_iter().filter(|&s| text.starts_with(&behavior.state(s).prompt));
    let mut next = first.max_by_key(|&s| behavior.state(s).prompt.len());
    let mut rest = text;
    let mut is_first = true;
    while let Some(state) = next {
        taken.insert((node, state));
        node = behavior.automaton().step(node, state).expect("a legal state");
        if is_first {
            rest = &rest[behavior.state(state).prompt.len()..];
            is_first = false;
        }
        if behavior.is_env_input(node) {
            assert_eq!(rest, "", "{text:?}");
            return;
        }
        let read = behavior.read(node, rest);
        assert_eq!(read.removed, None, "{text:?}");
        assert!(behavior.check_content(state, read.content).is_ok(), "{text:?}");
        (next, rest) = (read.next, read.rest);
    }
    assert!(!is_first && behavior.may_end(node), "{text:?}");
}

/// Samples of all segments of a behavior; every transition has to be taken. `None` without the decoder.
fn sample_all(behavior: &Behavior, target: BehaviorTarget, count: usize, seed: u64) -> Option<usize> {
    let words = vocabulary(behavior);
    let is_piece = |word: &Vec<u8>| {
        let separated = |prompt: &str| format!("\n{prompt}").into_bytes() == *word;
        let mut states = behavior.spec().states.iter();
        states.any(|s| separated(&s.prompt) || s.prompt.as_bytes() == word.as_slice()) || word == b"\n"
    };
    let pieces: Vec<usize> = (0..words.len()).filter(|&token| is_piece(&words[token])).collect();
    let list = segments(behavior, target);
    let each = count.div_ceil(list.len());
    let job =
        |segment: &Value| json!({ "kind": target.name(), "grammar": segment["grammar"], "samples": each });
    let jobs: Vec<Value> = list.iter().map(job).collect();
    let answer = ask(&json!({ "words": words, "pieces": pieces, "seed": seed, "jobs": jobs }))?;
    let mut taken = BTreeSet::new();
    for (segment, texts) in list.iter().zip(answer.as_array().expect("a list for each segment")) {
        let prefix = segment["prefix"].as_str().expect("a text");
        let texts = texts.as_array().expect("texts");
        assert_eq!(texts.len(), each);
        for text in texts {
            let whole = prefix.to_owned() + text.as_str().expect("a text");
            follow(behavior, node_of(segment), &whole, &mut taken);
        }
    }
    let automaton = behavior.automaton();
    for (id, node) in automaton.nodes() {
        for (state, _) in &node.next {
            // A state of the environment is in no segment if it is entered at the start or from another such state.
            let after_model = id != automaton.start() && !behavior.is_env_input(id);
            let is_in_segment = !behavior.state(*state).env_input || after_model;
            let name = &behavior.state(*state).name;
            assert!(!is_in_segment || taken.contains(&(id, *state)), "never taken: {id:?} {name}");
        }
    }
    Some(each * list.len())
}

/// The answer of the decoder; `None` if it is not installed.
fn ask(request: &Value) -> Option<Value> {
    let python = std::env::var("TSL_SYNTH_PYTHON").unwrap_or_else(|_| "python3".into());
    let there = Command::new(&python).args(["-c", "import llguidance"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        skip("there is no Python with the package llguidance (TSL_SYNTH_PYTHON names one)");
        return None;
    }
    let mut child = Command::new(&python)
        .args(["-c", include_str!("decoder.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let written = child.stdin.take().expect("piped").write_all(request.to_string().as_bytes());
    let output = child.wait_with_output().expect("Python ends");
    assert!(output.status.success() && written.is_ok(), "the decoder failed");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn samples_of_a_constrained_decoder_are_runs() {
    let mut agents: Vec<Behavior> = gallery().iter().map(|path| of_file(path)).collect();
    agents.push(behavior(REACT));
    let each = SAMPLES.div_ceil(2 * agents.len());
    let mut count = 0;
    for (i, agent) in agents.iter().enumerate() {
        for target in [BehaviorTarget::Lark, BehaviorTarget::Regex] {
            let Some(samples) = sample_all(agent, target, each, i as u64) else { return };
            count += samples;
        }
    }
    assert!(count >= SAMPLES, "{count}");
}
