//! Errors and suspicious parts of a behavior.

use super::Behavior;
use std::collections::BTreeSet;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::model::AgentStateId;

/// The result of checking a behavior.
#[derive(Clone, Debug, Default)]
pub struct BehaviorFindings {
    /// The findings; errors make the behavior invalid.
    pub diagnostics: Diagnostics,
}

impl BehaviorFindings {
    /// Whether the behavior can be run.
    pub fn is_valid(&self) -> bool {
        !self.diagnostics.has_errors()
    }
    /// The message of the first error, if there is one.
    pub fn reason(&self) -> Option<String> {
        let error = self.diagnostics.iter().find(|found| found.severity == Severity::Error)?;
        Some(error.message.clone())
    }
}

/// Examines a behavior.
pub fn findings(behavior: &Behavior) -> BehaviorFindings {
    let mut found = Diagnostics::new();
    beginnings(behavior, &mut found);
    dead_ends(behavior, &mut found);
    prompts(behavior, &mut found);
    contents(behavior, &mut found);
    idle_states(behavior, &mut found);
    BehaviorFindings { diagnostics: found }
}

fn names(behavior: &Behavior, states: impl IntoIterator<Item = AgentStateId>) -> String {
    let names = states.into_iter().map(|state| format!("`{}`", behavior.state(state).name));
    names.collect::<Vec<_>>().join(", ")
}

fn beginnings(behavior: &Behavior, found: &mut Diagnostics) {
    let automaton = behavior.automaton();
    if !automaton.node(automaton.start()).next.is_empty() {
        return;
    }
    let spec = behavior.spec();
    let initial = names(behavior, spec.initial.iter().copied());
    let message = format!("no run of the behavior begins in {initial}");
    let mut error = Diagnostic::error(Code::NO_BEGINNING, message);
    for &state in &spec.initial {
        error = error.at(spec.states[state].span, "an initial state");
    }
    found.push(error.hint("without the flag `:initial` runs begin in the first state of the formula"));
}

fn dead_ends(behavior: &Behavior, found: &mut Diagnostics) {
    let automaton = behavior.automaton();
    let mut said = BTreeSet::new();
    for (_, node) in automaton.nodes() {
        let Some(state) =
            node.state.filter(|&state| node.next.is_empty() && !node.may_end && said.insert(state))
        else {
            continue;
        };
        let name = &behavior.state(state).name;
        let message = format!("a run gets to `{name}`, where nothing may follow and it must not end");
        let finals = names(behavior, behavior.spec().finals.iter().copied());
        let error = Diagnostic::error(Code::DEAD_END, message)
            .at(behavior.state(state).span, "a dead end")
            .hint(format!("runs end in {finals} only: give `{name}` the flag `:final`, or no state"));
        found.push(error);
    }
}

fn prompts(behavior: &Behavior, found: &mut Diagnostics) {
    let spec = behavior.spec();
    for (a, short) in spec.states.enumerate() {
        for (b, long) in spec.states.enumerate().filter(|&(b, _)| b != a) {
            if short.prompt == long.prompt {
                if a < b {
                    found.push(same(behavior, a, b));
                }
            } else if long.prompt.contains(&short.prompt) && !short.prompt.is_empty() {
                let how = if long.prompt.ends_with(&short.prompt) {
                    "a suffix"
                } else if long.prompt.starts_with(&short.prompt) {
                    "a prefix"
                } else {
                    "a part"
                };
                let message = format!(
                    "prompt of {} ({:?}) is {how} of the prompt of {} ({:?})",
                    short.name, short.prompt, long.name, long.prompt
                );
                let warning = Diagnostic::warning(Code::PROMPT_OVERLAP, message)
                    .at(short.prompt_span, "is part of the other prompt")
                    .at(long.prompt_span, "the other one")
                    .hint("we take the longest match; other programs that read the text have to do so too");
                found.push(warning);
            }
        }
    }
}

/// Two states with the same prompt: an error if both may follow the same node.
fn same(behavior: &Behavior, a: AgentStateId, b: AgentStateId) -> Diagnostic {
    let automaton = behavior.automaton();
    let both =
        automaton.nodes().any(|(id, _)| automaton.step(id, a).is_some() && automaton.step(id, b).is_some());
    let (first, second) = (behavior.state(a), behavior.state(b));
    let message = format!("`{}` and `{}` have the same prompt", first.name, second.name);
    let diagnostic = if both {
        Diagnostic::error(Code::SAME_PROMPT, format!("{message}, and both may come at the same time"))
    } else {
        Diagnostic::warning(Code::SAME_PROMPT, message)
    };
    diagnostic.at(second.prompt_span, "").at(first.prompt_span, "the other one")
}

/// A text of `:one-of` can be read back unchanged only if it has no surrounding white space and contains no prompt.
fn contents(behavior: &Behavior, found: &mut Diagnostics) {
    let spec = behavior.spec();
    for state in &spec.states {
        for text in &state.one_of {
            let around = [&state.prompt, " ", &text.text, "\n"].concat();
            let prompt = behavior.prompts.first(&around, state.prompt.len(), |_| false);
            let why = if text.text.is_empty() {
                Some("is empty".to_string())
            } else if text.text.trim() != text.text {
                Some("begins or ends with white space".into())
            } else {
                prompt.map(|hit| format!("has the prompt of `{}` in it", behavior.state(hit.state).name))
            };
            if let Some(why) = why {
                let message = format!("a text of `{}` {why}", state.name);
                found.push(Diagnostic::error(Code::BAD_CONTENT, message).at(text.span, ""));
            }
        }
    }
}

fn idle_states(behavior: &Behavior, found: &mut Diagnostics) {
    let (spec, used) = (behavior.spec(), behavior.spec().used());
    if behavior.automaton().size() == 1 {
        // No state is reachable, which `beginnings` has reported.
        return;
    }
    let reached: BTreeSet<AgentStateId> =
        behavior.automaton().nodes().filter_map(|(_, node)| node.state).collect();
    for (id, state) in spec.states.enumerate() {
        let (code, message) = if !used.contains(&id) {
            (Code::UNUSED_STATE, format!("the behavior does not name the state `{}`", state.name))
        } else if !reached.contains(&id) {
            (Code::UNREACHABLE_STATE, format!("no run reaches the state `{}`", state.name))
        } else {
            continue;
        };
        found.push(Diagnostic::warning(code, message).at(state.span, ""));
    }
}
