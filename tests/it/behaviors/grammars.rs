//! Emitted grammars and the automaton accept the same words over the states, for all words up to a length.

use super::cases::REACT;
use super::decoder::follow;
use super::matchers::{Gbnf, Matcher, Regex, lark, structural_tag};
use super::{behavior, gallery, of_file};
use serde_json::Value;
use tsl_synth_agents::behavior::{Behavior, findings};
use tsl_synth_core::base::Id;
use tsl_synth_core::model::{AgentStateId, BehaviorNodeId};
use tsl_synth_emit::{BehaviorTarget, EmitError, emit_behavior};
use tsl_synth_testkit::Rng;

/// The maximal length of a word.
const LENGTH: usize = 8;

/// The segments of an emitted document.
pub(super) fn segments(behavior: &Behavior, target: BehaviorTarget) -> Vec<Value> {
    let files = emit_behavior(behavior, target, "x", "0").expect("grammars");
    let main = files.iter().find(|file| file.main).expect("a main file");
    let document: Value = serde_json::from_str(main.text().expect("text")).expect("JSON");
    let list = document["segments"].as_array().expect("segments").clone();
    // Each grammar in text form is a file of its own, too.
    if matches!(target, BehaviorTarget::Gbnf | BehaviorTarget::Lark) {
        assert_eq!(files.len(), list.len() + 1);
        for (file, segment) in files[1..].iter().zip(&list) {
            assert_eq!(file.text(), segment["grammar"].as_str());
        }
    }
    list
}

pub(super) fn node_of(segment: &Value) -> BehaviorNodeId {
    BehaviorNodeId::from_index(segment["node"].as_u64().expect("a number") as usize)
}

/// A text of this state.
fn content(behavior: &Behavior, state: AgentStateId) -> String {
    let declared = behavior.state(state);
    let blank = if declared.prompt.ends_with(char::is_whitespace) { "" } else { " " };
    declared.one_of.first().map_or_else(|| " x1, y.".into(), |text| format!("{blank}{}", text.text))
}

struct Words<'b, M: Matcher> {
    behavior: &'b Behavior,
    matcher: M,
    seen: usize,
    accepted: usize,
}

impl<M: Matcher> Words<'_, M> {
    /// Compares grammar and automaton on all extensions of a word; `node` is `None` if the automaton rejects the word,
    /// and `before` is its last state.
    fn all(
        &mut self,
        state: &M::State,
        node: Option<BehaviorNodeId>,
        before: Option<AgentStateId>,
        word: &mut Vec<AgentStateId>,
        prefix: &str,
    ) {
        if word.len() == LENGTH || self.matcher.is_dead(state) && node.is_none() {
            return;
        }
        for next in self.behavior.spec().states.ids() {
            let declared = self.behavior.state(next);
            let text = match before {
                // A grammar describes the text after the prefix of its segment.
                None => match declared.prompt.strip_prefix(prefix) {
                    Some(rest) => rest.to_owned(),
                    None => continue,
                },
                Some(before) => format!("{}\n{}", content(self.behavior, before), declared.prompt),
            };
            let after = self.matcher.feed(state, &text);
            // The prompt of a state of the environment ends the segment.
            let is_open = before.is_none_or(|before| !self.behavior.state(before).env_input);
            let to = node.filter(|_| is_open).and_then(|node| self.behavior.automaton().step(node, next));
            let (wanted, found) = if declared.env_input {
                (to.is_some(), self.matcher.accepts(&after))
            } else {
                let end = self.matcher.feed(&after, &content(self.behavior, next));
                (to.is_some_and(|to| self.behavior.may_end(to)), self.matcher.accepts(&end))
            };
            word.push(next);
            self.seen += 1;
            self.accepted += usize::from(found);
            assert_eq!(found, wanted, "{:?}", self.names(word));
            self.all(&after, to, Some(next), word, prefix);
            word.pop();
        }
    }
    fn names(&self, word: &[AgentStateId]) -> Vec<&str> {
        word.iter().map(|&s| self.behavior.state(s).name.as_str()).collect()
    }
}

fn compare<M: Matcher>(behavior: &Behavior, segment: &Value, matcher: M) -> usize {
    let mut words = Words { behavior, matcher, seen: 0, accepted: 0 };
    let start = words.matcher.start();
    let prefix = segment["prefix"].as_str().expect("a text");
    words.all(&start, Some(node_of(segment)), None, &mut Vec::new(), prefix);
    assert!(words.accepted > 0 && words.seen > words.accepted, "{segment}");
    words.seen
}

fn compare_all(behavior: &Behavior) -> usize {
    let mut words = 0;
    for segment in segments(behavior, BehaviorTarget::Regex) {
        words += compare(behavior, &segment, Regex::new(segment["grammar"].as_str().expect("a pattern")));
    }
    for segment in segments(behavior, BehaviorTarget::Lark) {
        words +=
            compare(behavior, &segment, Regex::new(&lark(segment["grammar"].as_str().expect("a grammar"))));
    }
    for segment in segments(behavior, BehaviorTarget::StructuralTag) {
        words += compare(behavior, &segment, Regex::new(&structural_tag(&segment["grammar"])));
    }
    for segment in segments(behavior, BehaviorTarget::Gbnf) {
        words += compare(behavior, &segment, Gbnf::new(segment["grammar"].as_str().expect("a grammar")));
    }
    words
}

const PASS: &str = r#"(define pass
  (:states (Ques (:text "[Question]")) (Plan (:text "[Thought]")) (Act (:text "[Action]")) (Inp (:text "[Action Input]"))
    (Sum (:text "[Summary]") (:flags :env-input)) (Final (:text "[Final Thought]")) (Ans (:text "[Answer]")))
  (:behavior (next Ques (until (next Plan (until (next Act Inp) Sum)) Final) Ans)))"#;

#[test]
fn grammars_accept_the_words_of_the_automaton() {
    let mut words = 0;
    for path in gallery() {
        words += compare_all(&of_file(&path));
    }
    for text in [REACT, PASS] {
        words += compare_all(&behavior(text));
    }
    assert!(words > 1_500, "{words}");
    println!("{words} words");
}

#[test]
fn grammars_of_hostile_prompts() {
    // One prompt contains a tab; the line feed is in none, so it can be the separator.
    assert!(compare_all(&behavior(super::HOSTILE)) > 100);
    let no_separator = r#"(define x (:states (A (:text "a b")) (B (:text "\n\t"))) (:behavior (next A B)))"#;
    let no_separator = no_separator.replace(r#""\n\t""#, "\"b\\n\\t!\"");
    let error =
        emit_behavior(&behavior(&no_separator), BehaviorTarget::Gbnf, "x", "0").expect_err("no separator");
    assert!(matches!(error, EmitError::Unsupported(_)), "{error}");
}

/// No text with a prompt in it is accepted as the text of a state, and ordinary texts are.
#[test]
fn grammars_reject_texts_that_contain_prompts() {
    let cot = behavior(
        r#"(define c (:states (T (:text "Thought:")) (F (:text "Final Thought:")) (A (:text "AAB:")))
             (:behavior (next T (or F A))))"#,
    );
    let [segment] = &segments(&cot, BehaviorTarget::Regex)[..] else { panic!("one segment") };
    assert_eq!(segment["prefix"], "Thought:");
    let mut regex = Regex::new(segment["grammar"].as_str().expect("a pattern"));
    let mut check = |text: &str, good: bool| {
        let joined = format!(" {text}\nFinal Thought: x");
        assert_eq!(regex.matches(&joined), good, "{text:?}");
    };
    for text in [
        "I think that this is it.",
        "The Thought, Final or not",
        "Though Fin Final Though",
        "THE FTAA",
        "Final thought: small",
        "",
        "ThThought :",
        "TFTF",
    ] {
        check(text, true);
    }
    for text in [
        "Thought:",
        "Final Thought:",
        "x Thought: y",
        "ThThought:",
        "AAAB:",
        "Final Final Thought: ",
        "TThought:",
    ] {
        check(text, false);
    }
}

/// Calls `seen` with all texts over four characters, up to a length, that a grammar accepts.
fn texts<M: Matcher>(
    matcher: &mut M,
    state: &M::State,
    text: &mut String,
    length: usize,
    seen: &mut dyn FnMut(&str),
) {
    if matcher.is_dead(state) {
        return;
    }
    if matcher.accepts(state) {
        seen(text);
    }
    if length == 0 {
        return;
    }
    for c in ["a", "b", ":", "\n"] {
        let next = matcher.feed(state, c);
        text.push_str(c);
        texts(matcher, &next, text, length - 1, seen);
        text.pop();
    }
}

/// Random prompts, which may be prefixes or suffixes of each other: every text that a grammar accepts is read as a run.
#[test]
fn accepted_texts_are_runs_whatever_the_prompts_are() {
    let (mut accepted, mut agents) = (0, 0);
    for seed in 0..150 {
        let mut rng = Rng(seed);
        let mut prompt = || -> String { (0..=rng.below(4)).map(|_| ["a", "b", ":"][rng.below(3)]).collect() };
        let (a, b, c, d) = (prompt(), prompt(), prompt(), prompt());
        let formula = [
            "(next A (until B C))",
            "(until (next A B) (or C (next B D)))",
            "(next (or A B) (until (or C A) D))",
        ][rng.below(3)];
        let agent = behavior(&format!(
            "(define x (:states (A (:text \"{a}\")) (B (:text \"{b}\")) (C (:text \"{c}\")) (D (:text \"{d}\") \
             (:flags :env-input))) (:behavior {formula}))"
        ));
        if !findings(&agent).is_valid() {
            continue;
        }
        agents += 1;
        let mut taken = std::collections::BTreeSet::new();
        for (target, length) in [(BehaviorTarget::Regex, 8), (BehaviorTarget::Gbnf, 6)] {
            for segment in segments(&agent, target) {
                let prefix = segment["prefix"].as_str().expect("a text").to_owned();
                let node = node_of(&segment);
                let grammar = segment["grammar"].as_str().expect("a text");
                let mut seen = |text: &str| {
                    accepted += 1;
                    follow(&agent, node, &format!("{prefix}{text}"), &mut taken);
                };
                let mut text = String::new();
                if target == BehaviorTarget::Regex {
                    let mut matcher = Regex::new(grammar);
                    let start = matcher.start();
                    texts(&mut matcher, &start, &mut text, length, &mut seen);
                } else {
                    let mut matcher = Gbnf::new(grammar);
                    let start = matcher.start();
                    texts(&mut matcher, &start, &mut text, length, &mut seen);
                }
            }
        }
    }
    assert!(agents > 50 && accepted > 10_000, "{agents} agents, {accepted} texts");
}
