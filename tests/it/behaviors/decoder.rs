//! Random samples under a constrained decoder that is in use (llguidance) are runs, and take every transition.

use super::cases::REACT;
use super::grammars::{node_of, segments};
use super::{behavior, gallery, of_file};
use crate::support::Rng;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};
use std::collections::BTreeSet;
use std::sync::Arc;
use tsl_synth::control::behavior::Behavior;
use tsl_synth::emit::BehaviorTarget;
use tsl_synth::model::{AgentStateId, BehaviorNodeId};

/// Samples in all.
const SAMPLES: usize = 10_000;
/// After so many tokens a sample takes a token of a prompt wherever it may.
const FREE: usize = 12;
/// A sample has no more.
const MOST: usize = 300;

/// The tokens of a small model: characters, pieces of prompts and words, and the end of a text.
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
        ".\n".into(),
    ]);
    let mut all: Vec<Vec<u8>> = words.into_iter().collect();
    all.push(b"\xFF<|end|>".to_vec());
    all
}

/// Follows the text of a segment through the automaton, as a run would read it.
pub(super) fn follow(
    behavior: &Behavior,
    start: BehaviorNodeId,
    text: &str,
    taken: &mut BTreeSet<(BehaviorNodeId, AgentStateId)>,
) {
    let mut node = start;
    // The first prompt stands at the beginning.
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

fn sample(
    matcher: &mut Matcher,
    words: &[Vec<u8>],
    end: usize,
    rng: &mut Rng,
    prompts: &BTreeSet<usize>,
) -> String {
    let mut bytes = Vec::new();
    for length in 0..MOST {
        let mask = matcher.compute_mask().expect("a mask");
        let mut allowed: Vec<usize> =
            (0..words.len()).filter(|&token| mask.is_allowed(token as u32)).collect();
        if length >= FREE {
            if allowed.contains(&end) {
                allowed = vec![end];
            } else if allowed.iter().any(|token| prompts.contains(token)) {
                allowed.retain(|token| prompts.contains(token));
                // The longest ones lead on.
                let most = allowed.iter().map(|&token| words[token].len()).max().unwrap_or(0);
                allowed.retain(|&token| words[token].len() == most || rng.below(4) == 0);
            }
        }
        let token = allowed[rng.below(allowed.len())];
        if token == end {
            break;
        }
        bytes.extend(&words[token]);
        matcher.consume_token(token as u32).expect("an allowed token");
        if matcher.is_stopped() {
            break;
        }
        assert!(length + 1 < MOST, "the sample has no end: {}", String::from_utf8_lossy(&bytes));
    }
    assert!(matcher.is_stopped() || matcher.is_accepting().expect("an answer"));
    String::from_utf8(bytes).expect("text")
}

/// Samples of all segments of a behavior; every transition has to be taken.
fn sample_all(behavior: &Behavior, target: BehaviorTarget, count: usize, seed: u64) -> usize {
    let words = vocabulary(behavior);
    let end = words.len() - 1;
    let info = TokRxInfo::new(words.len() as u32, end as u32);
    let env: TokEnv = Arc::new(ApproximateTokEnv::new(TokTrie::from(&info, &words)));
    let factory = ParserFactory::new(&env, llguidance::toktrie::InferenceCapabilities::default(), &[]);
    let mut factory = factory.expect("a factory");
    factory.quiet();
    let is_piece = |word: &Vec<u8>| {
        let separated = |prompt: &str| format!("\n{prompt}").into_bytes() == *word;
        behavior.spec().states.iter().any(|s| separated(&s.prompt) || s.prompt.as_bytes() == word.as_slice())
            || word == b"\n"
    };
    let prompts: BTreeSet<usize> = (0..end).filter(|&token| is_piece(&words[token])).collect();
    let mut rng = Rng(seed);
    let mut taken = BTreeSet::new();
    let list = segments(behavior, target);
    let each = count / list.len();
    for segment in &list {
        let grammar = segment["grammar"].as_str().expect("a text");
        let grammar = match target {
            BehaviorTarget::Lark => TopLevelGrammar::from_lark(grammar.into()),
            _ => TopLevelGrammar::from_regex(grammar),
        };
        let fresh = Matcher::new(factory.create_parser(grammar));
        assert!(fresh.get_error().is_none(), "{:?}", fresh.get_error());
        for _ in 0..each {
            let text = sample(&mut fresh.deep_clone(), &words, end, &mut rng, &prompts);
            let whole = segment["prefix"].as_str().expect("a text").to_owned() + &text;
            follow(behavior, node_of(segment), &whole, &mut taken);
        }
    }
    for (id, node) in behavior.automaton().nodes() {
        for (state, _) in &node.next {
            // What follows the environment without a choice of the model is no part of a segment.
            let in_segment = !behavior.state(*state).env_input
                || id != behavior.automaton().start() && !behavior.is_env_input(id);
            assert!(
                !in_segment || taken.contains(&(id, *state)),
                "never taken: {id:?} {}",
                behavior.state(*state).name
            );
        }
    }
    each * list.len()
}

#[test]
fn samples_of_a_constrained_decoder_are_runs() {
    let mut agents: Vec<Behavior> = gallery().iter().map(|path| of_file(path)).collect();
    agents.push(behavior(REACT));
    let each = SAMPLES.div_ceil(2 * agents.len()) + 8;
    let mut count = 0;
    for (i, agent) in agents.iter().enumerate() {
        for target in [BehaviorTarget::Lark, BehaviorTarget::Regex] {
            count += sample_all(agent, target, each, i as u64);
        }
    }
    assert!(count >= SAMPLES, "{count}");
}
