//! Cases about agents as behaviors: those of `fixtures/papers/agents/agents`, and those beside the repository.

use super::{of_file, state};
use serde_json::Value;
use std::path::Path;
use tsl_synth_agents::behavior::{Behavior, FaultKind, SequenceVerdict, common_prefix, findings};
use tsl_synth_agents::behavior_spec::{BehaviorFormula, load_agent};
use tsl_synth_agents::syntax_agent::parse_agent;
use tsl_synth_core::diag::{Code, Diagnostics};
use tsl_synth_core::model::{AgentStateId, BehaviorNodeId};
use tsl_synth_core::source::SourceMap;
use tsl_synth_service::{CheckRequest, Session, SpecRequest};
use tsl_synth_testkit::cases;

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|v| v.as_str().expect("a text").to_owned()).collect()
}

fn read(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).expect("the cases are there");
    serde_json::from_str(&text).expect("JSON")
}

fn names(behavior: &Behavior, states: &[AgentStateId]) -> Vec<String> {
    states.iter().map(|&s| behavior.state(s).name.clone()).collect()
}

#[test]
fn sequences_of_states() {
    for folder in cases("agents/agents") {
        let cases = read(&folder, "sequence_cases.json");
        let (mut agents, mut sequences) = (0, 0);
        for (agent, case) in cases.as_object().expect("agents") {
            let path = folder.join(format!("{agent}.agent"));
            if case["expect"] == "parse error" {
                let mut map = SourceMap::new();
                let source = map.add(agent, std::fs::read_to_string(&path).expect("an agent"));
                let mut found = Diagnostics::new();
                assert!(parse_agent(&map, source, &mut found).is_none(), "{agent}");
                let error = found.iter().find(|d| d.code == Code::NOT_OPENED).expect("unbalanced");
                assert!(error.message.contains("unbalanced"), "{error}");
                let place = |i: usize| map.positions(error.labels[i].span).0;
                assert_eq!((place(0).line, place(1).line, place(1).column), (12, 1, 1), "{error:?}");
                continue;
            }
            agents += 1;
            let behavior = of_file(&path);
            assert!(findings(&behavior).is_valid(), "{agent}");
            let spec = behavior.spec();
            assert_eq!(spec.name, case["name"]);
            for (name, prompt) in case["states"].as_object().expect("states") {
                assert_eq!(behavior.state(state(&behavior, name)).prompt, prompt.as_str().expect("a prompt"));
            }
            let mut inputs: Vec<String> =
                spec.states.iter().filter(|s| s.env_input).map(|s| s.name.clone()).collect();
            inputs.sort();
            assert_eq!(inputs, texts(&case["env_input"]), "{agent}");
            assert_eq!(names(&behavior, &spec.initial), [case["initial_state"].as_str().expect("a state")]);
            let automaton = behavior.automaton();
            let ends: Vec<&str> = automaton
                .nodes()
                .filter(|(_, node)| node.may_end)
                .filter_map(|(_, node)| node.state.map(|s| behavior.state(s).name.as_str()))
                .collect();
            assert_eq!(ends, case["final_state"].as_str().into_iter().collect::<Vec<_>>(), "{agent}");
            // The formula by itself, with every state as an initial one.
            let mut free = spec.clone();
            free.initial = free.states.ids().collect();
            let free = Behavior::new(free).expect("a small automaton");
            let permitted = texts(&case["behaviour_permits_initially"]);
            assert_eq!(sorted(free.legal_names(free.automaton().start())), sorted(permitted), "{agent}");
            for (name, next) in case["next_states"].as_object().expect("states") {
                let own = state(&behavior, name);
                for (id, _) in automaton.nodes().filter(|(_, node)| node.state == Some(own)) {
                    assert_eq!(behavior.legal_names(id), texts(next), "{agent}: {name}");
                }
            }
            for sequence in case["sequences"].as_array().expect("sequences") {
                sequences += 1;
                one_sequence(&behavior, sequence);
            }
        }
        assert!(agents == 6 && sequences >= 35, "{agents} agents, {sequences} sequences");
    }
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

fn one_sequence(behavior: &Behavior, case: &Value) {
    let words = texts(&case["states"]);
    // A state that the agent does not have is rejected at its position.
    let known: Vec<AgentStateId> = words.iter().map_while(|name| behavior.spec().named(name)).collect();
    let found = match behavior.walk(&known) {
        SequenceVerdict::To(node) if known.len() < words.len() => {
            SequenceVerdict::Rejected { at: known.len(), node }
        }
        found => found,
    };
    let accepted = matches!(found, SequenceVerdict::To(node) if behavior.may_end(node));
    assert_eq!(accepted, case["accepted"], "{words:?}");
    assert_eq!(
        accepted && known.len() == words.len(),
        known.len() == words.len() && behavior.accepts(&known)
    );
    match found {
        SequenceVerdict::To(node) => {
            assert_eq!(case["prefix_ok"], true, "{words:?}");
            assert_eq!(case["complete"], behavior.may_end(node), "{words:?}");
            assert_eq!(behavior.legal_names(node), texts(&case["valid_next"]), "{words:?}");
        }
        SequenceVerdict::Rejected { at, node } => {
            assert_eq!(case["prefix_ok"], false, "{words:?}");
            assert_eq!(
                (case["rejected_at"].as_u64(), &case["got"]),
                (Some(at as u64), &Value::from(words[at].clone()))
            );
            assert_eq!(behavior.legal_names(node), texts(&case["valid"]), "{words:?}");
        }
    }
    // The same as a transcript of states.
    let transcript = behavior.transcript(&words.join("\n"));
    let endless = behavior.automaton().nodes().all(|(_, node)| !node.may_end);
    if known.len() == words.len() && !endless {
        assert_eq!(transcript.fault.is_none(), accepted || again(behavior, &known), "{words:?}");
    }
}

/// Whether a sequence is a concatenation of runs.
fn again(behavior: &Behavior, states: &[AgentStateId]) -> bool {
    states.is_empty()
        || (1..=states.len()).any(|n| behavior.accepts(&states[..n]) && again(behavior, &states[n..]))
}

/// A node of this state.
fn node_of(behavior: &Behavior, name: &str) -> BehaviorNodeId {
    let own = state(behavior, name);
    behavior.automaton().nodes().find(|(_, node)| node.state == Some(own)).expect("a node").0
}

#[test]
fn texts_of_models() {
    for folder in cases("agents/agents") {
        let cases = read(&folder, "text_cases.json");
        let all = cases["cases"].as_array().expect("cases");
        assert_eq!(all.len(), 14);
        let mut seen = 0;
        for case in all {
            seen += usize::from(one_text(&folder, case));
        }
        assert_eq!(seen, all.len());
    }
}

/// Checks one case; false if none of the known expectations is in it.
fn one_text(folder: &Path, case: &Value) -> bool {
    let name = case["name"].as_str().expect("a name");
    let file = case["agent"].as_str().filter(|agent| *agent != "*").unwrap_or("react.agent");
    let behavior = match case["constraint"].as_object() {
        None => of_file(&folder.join(file)),
        Some(constraint) => {
            let (own, allowed) = constraint.iter().next().expect("a state");
            let text = std::fs::read_to_string(folder.join(file)).expect("an agent");
            let list: Vec<String> = texts(allowed).iter().map(|t| format!("{t:?}")).collect();
            let prompt = format!("(:text \"{own}:\")");
            super::behavior(&text.replace(&prompt, &format!("{prompt} (:one-of {})", list.join(" "))))
        }
    };
    let expect = &case["expect"];
    if let Some(text) = case["llm"].as_str() {
        let node = node_of(&behavior, case["state"].as_str().expect("a state"));
        if behavior.is_env_input(node) {
            // What the model writes after the text of the environment.
            let mut generator = super::runs::Fixed::texts(&[text]);
            let next = super::runs::next_after_world(&behavior, "page", &mut generator);
            assert_eq!(
                (next.as_str(), expect["forced"].as_bool()),
                (expect["next_state"].as_str().expect("a state"), Some(false))
            );
            return true;
        }
        if let Some(states) = expect["states"].as_array() {
            let stop = super::runs::states_of_chunk(&behavior, text);
            let mut wanted: Vec<String> =
                states.iter().map(|s| s.as_str().expect("a state").into()).collect();
            wanted.push(expect["stop_before"].as_str().expect("a state").into());
            assert_eq!(stop, wanted, "{name}");
            return true;
        }
        let read = behavior.read(node, text);
        if let Some(ok) = expect["content_ok"].as_bool() {
            let own = behavior.automaton().node(node).state.expect("a state");
            assert_eq!(behavior.check_content(own, read.content).is_ok(), ok, "{name}");
            if let Some(value) = expect["value"].as_str() {
                assert_eq!(read.content.trim(), value);
                assert_eq!(
                    read.next,
                    Some(state(&behavior, expect["next_state"].as_str().expect("a state")))
                );
            }
            return true;
        }
        if expect["done"] == true {
            assert!(read.next.is_none() && behavior.may_end(node) && read.content == text, "{name}");
            return true;
        }
        if let Some(content) = expect["content"].as_str() {
            assert_eq!(read.content, content, "{name}");
        }
        let removed = read.removed.map(|s| behavior.state(s).prompt.clone());
        assert_eq!(removed.as_deref(), expect["removed"].as_str(), "{name}");
        let next = read.next.unwrap_or_else(|| behavior.legal(node)[0]);
        assert_eq!(Value::from(behavior.state(next).name.clone()), expect["next_state"], "{name}");
        assert_eq!(Value::from(read.next.is_none()), expect["forced"], "{name}");
        if let Some(forced) = expect["forced_text"].as_str() {
            assert_eq!(behavior.state(next).prompt, forced);
        }
        return true;
    }
    if let Some(text) = case["env"].as_str() {
        let node = node_of(&behavior, case["state"].as_str().expect("a state"));
        if let Some(choices) = expect["choices"].as_array() {
            let (asked, content) = super::runs::asked_after_world(&behavior, text);
            assert_eq!(asked.iter().map(|c| Value::from(c.clone())).collect::<Vec<_>>(), *choices, "{name}");
            assert_eq!(content, text);
        } else {
            assert!(!behavior.may_end(node));
            assert_eq!(behavior.legal_names(node), [expect["next_state"].as_str().expect("a state")]);
        }
        return true;
    }
    if let Some(times) = case["max_loops"].as_u64() {
        let bounded = Behavior::new(behavior.spec().clone().with_max_loops(times as u32)).expect("small");
        let round = ["Thought", "Action", "Action-Input", "Observation"].map(|n| state(&bounded, n));
        let SequenceVerdict::To(node) = bounded.walk(&round.repeat(times as usize)) else {
            panic!("{times} rounds")
        };
        assert_eq!(bounded.legal_names(node), texts(&expect["valid_next"]));
        return true;
    }
    if let Some(transcript) = case["transcript"].as_array() {
        let text: Vec<&str> = transcript.iter().map(|s| s.as_str().expect("a state")).collect();
        assert!(behavior.transcript(&text.join(" ")).fault.is_none(), "{name}");
        let full = of_file(&folder.join("react.agent"));
        let words = texts(&case["check_same_text_with_full_react"]).join("\n");
        let fault = full.transcript(&words).fault.expect("a fault");
        assert_eq!(fault.kind, FaultKind::Illegal(state(&full, "Observation")));
        assert_eq!(&words[fault.place], "Observation");
        assert_eq!(names(&full, &fault.allowed), ["Action-Input"]);
        return true;
    }
    let sequences = case["sequences"].as_array().expect("sequences");
    for sequence in sequences {
        let states: Vec<AgentStateId> = texts(sequence).iter().map(|n| state(&behavior, n)).collect();
        assert!(behavior.accepts(&states), "{name}");
    }
    !sequences.is_empty()
}

#[test]
fn prompts_that_stand_in_others() {
    for folder in cases("agents/agents") {
        let cases = read(&folder, "text_cases.json");
        let mut first = String::new();
        for case in cases["lint"].as_array().expect("lint") {
            let behavior = of_file(&folder.join(case["agent"].as_str().expect("an agent")));
            let found = findings(&behavior).diagnostics;
            let overlaps: Vec<&str> =
                found.iter().filter(|d| d.code == Code::PROMPT_OVERLAP).map(|d| d.message.as_str()).collect();
            match case["warn"].as_str() {
                None => {
                    assert!(overlaps.is_empty());
                    assert!(
                        behavior.spec().states.iter().any(|s| s.prompt.ends_with(' ')),
                        "the blank is kept"
                    );
                }
                Some(warning) => {
                    if warning != "same" {
                        first = warning.into();
                    }
                    assert_eq!(overlaps, [first.as_str()]);
                }
            }
        }
        for row in cases["later_version_corrections"]["valid_state_prefixing"].as_array().expect("rows") {
            let prompts = texts(&row["valid_texts"]);
            assert_eq!(
                common_prefix(prompts.iter().map(String::as_str)),
                row["append"].as_str().expect("a text")
            );
        }
    }
}

/// The literal definition of the paper in LTL: `next` and `until` over single positions, one state in each.
fn literal(formula: &BehaviorFormula) -> String {
    match formula {
        BehaviorFormula::State(s) => format!("s{}", tsl_synth_core::base::Id::index(*s)),
        BehaviorFormula::Next(all) => {
            let parts: Vec<String> = all.iter().map(literal).collect();
            parts
                .into_iter()
                .rev()
                .reduce(|rest, first| format!("({first} & X {rest})"))
                .expect("at least one")
        }
        BehaviorFormula::Until(a, b, _) => format!("({} U {})", literal(a), literal(b)),
        BehaviorFormula::Or(all) => format!("({})", all.iter().map(literal).collect::<Vec<_>>().join(" | ")),
        BehaviorFormula::Always(a) => format!("G {}", literal(a)),
    }
}

/// Whether the formula is satisfiable: all states are outputs, so the word of a controller satisfies it.
fn is_satisfiable(behavior: &Behavior, more: &str) -> bool {
    let names: Vec<String> = (0..behavior.spec().states.len()).map(|i| format!("s{i}")).collect();
    let others = |own: &String| -> Vec<String> {
        names.iter().map(|n| if n == own { n.clone() } else { format!("!{n}") }).collect()
    };
    let one: Vec<String> = names.iter().map(|n| format!("({})", others(n).join(" & "))).collect();
    let one = one.join(" | ");
    let formulas = vec![literal(&behavior.spec().formula), format!("G ({one})"), more.to_owned()];
    let report = Session::new().check(&CheckRequest::new(SpecRequest::formulas(formulas, names)));
    report.expect("a verdict").is_realizable()
}

#[test]
fn the_literal_reading_as_ltl() {
    for folder in cases("agents/agents") {
        let cases = read(&folder, "text_cases.json");
        let verdicts = cases["literal_LTL_reading"]["verdicts"].as_object().expect("verdicts");
        for (what, verdict) in verdicts {
            let (file, rest) = what.split_once(' ').unwrap_or((what, ""));
            let behavior = of_file(&folder.join(file));
            let s = |name: &str| format!("s{}", tsl_synth_core::base::Id::index(state(&behavior, name)));
            if rest == "unrestricted" {
                let wanted = format!("{} & X {}", s("Final-Thought"), s("Answer"));
                assert!(is_satisfiable(&behavior, &wanted));
                assert!(!is_satisfiable(&behavior, &format!("!({wanted})")));
                continue;
            }
            let more = rest.strip_prefix("starting in ").map_or("true".into(), s);
            assert_eq!(is_satisfiable(&behavior, &more), verdict == "satisfiable", "{what}");
        }
        assert_eq!(verdicts.len(), 5);
    }
}

#[test]
fn the_examples_of_the_prompts() {
    let text = "Claim: x\nThought: I need to look x up.\nAction: Lookup\nAction Input: x\nObservation: Cannot use Lookup \
                without Search! Answer: no.\nThought: so\nAction: Search\nAction Input: x\nObservation: x appeared in 2009. Final \
                Thought: because.\nAnswer: SUPPORTS\n\nClaim: y\nThought: y\nAction: Search\nAction Input: y\nObservation: y\n\
                Final Thought: y\nAnswer: y\n\nClaim:\n";
    let react = super::behavior(REACT);
    let transcript = react.transcript(text);
    assert_eq!(transcript.fault, None);
    assert_eq!(transcript.runs.iter().map(Vec::len).collect::<Vec<_>>(), [10, 6]);
    // Figure 5 of the paper: the state `Action-Input` is skipped.
    let text = "Question: Which movie?\n\nThought: Iron Man.\nAction: Lookup\nObservation: Error\n\nThought: Iron Man.\n";
    let fault = react.transcript(text).fault.expect("a fault");
    assert_eq!(fault.kind, FaultKind::Illegal(state(&react, "Observation")));
    assert_eq!(fault.place.start, text.find("Observation:").expect("a prompt"));
    assert_eq!(names(&react, &fault.allowed), ["Action-Input"]);
}

pub(super) const REACT: &str = r#"(define react
  (:states
    (Thought (:text "Thought:")) (Action (:text "Action:")) (Action-Input (:text "Action Input:"))
    (Observation (:text "Observation:") (:flags :env-input))
    (Final-Thought (:text "Final Thought:")) (Answer (:text "Answer:")))
  (:behavior (next (until (next Thought Action Action-Input Observation) Final-Thought) Answer)))"#;

#[test]
fn load_reports_nothing_about_good_texts() {
    let mut map = SourceMap::new();
    let source = map.add("x", REACT);
    let (_, found) = load_agent(source, &map).expect("an agent");
    assert!(found.is_empty());
}
