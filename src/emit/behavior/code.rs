//! Emits a behavior as a class: tables of its states and nodes, and a reader of texts that is the same for all
//! behaviors.

use super::BehaviorTarget;
use crate::input::EmitError;
use crate::render;
use crate::text::{comment, js_string, python_string, rust_string};
use tsl_synth_agents::behavior::Behavior;
use tsl_synth_core::base::Id;
use tsl_synth_documents::{BehaviorEdgeDocument, BehaviorNodeDocument, BehaviorStateView, BehaviorView};

/// The extension of the file and its text.
pub(super) fn code(
    behavior: &Behavior,
    target: BehaviorTarget,
    machine_id: &str,
    tool_version: &str,
) -> Result<(&'static str, String), EmitError> {
    type Literal = fn(&str) -> String;
    let (template, ending, literal): (_, _, Literal) = match target {
        BehaviorTarget::Rust => ("rust/behavior", "rs", rust_string),
        BehaviorTarget::Python => ("python/behavior", "py", python_string),
        _ => ("js/behavior", "js", js_string),
    };
    let spec = behavior.spec();
    let states = spec.states.iter().map(|state| BehaviorStateView {
        name: literal(&state.name),
        prompt: literal(&state.prompt),
        env_input: state.env_input,
        one_of: state.one_of.iter().map(|text| literal(&text.text)).collect(),
    });
    let nodes = behavior.automaton().nodes().map(|(_, node)| {
        let edge =
            |(state, to): &(_, _)| BehaviorEdgeDocument { state: Id::index(*state), node: Id::index(*to) };
        let next = node.next.iter().map(edge).collect();
        BehaviorNodeDocument { state: node.state.map(Id::index), may_end: node.may_end, next }
    });
    let view = BehaviorView {
        agent: comment(&spec.name),
        version: comment(tool_version),
        machine_id: literal(machine_id),
        states: states.collect(),
        nodes: nodes.collect(),
    };
    Ok((ending, render::embedded(template, &view)?))
}
