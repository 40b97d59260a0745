//! The questions to an oracle: the task, the plan so far, the step that is served, and numbered choices.

use super::tree::PlanNode;
use crate::plan_grammar::{ControlId, NonterminalId, Order, PlanGrammar, TerminalId};
use crate::{AnswerKind, OracleRequest};
use std::fmt::Write;

/// The name of the step with this index, counted from the end if plans are made from their end.
fn step_name(order: Order, index: usize) -> String {
    match (order, index) {
        (Order::Written, i) => format!("Step {}", i + 1),
        (Order::Execution, 0) => "Step n".into(),
        (Order::Execution, i) => format!("Step (n-{i})"),
    }
}

fn head(grammar: &PlanGrammar, nodes: &[PlanNode], with_question: bool) -> String {
    let mut text = String::new();
    if let Some(task) = &grammar.task {
        let _ = writeln!(text, "Task: {task}\n");
    }
    if grammar.order == Order::Execution {
        text.push_str("The plan is made from its end.\n");
    }
    text.push_str("Current progress:\n");
    for (i, node) in nodes.iter().enumerate() {
        let _ = write!(text, "{}: {}", step_name(grammar.order, i), node.text);
        let _ = match node.serves.filter(|&parent| grammar.order == Order::Execution && parent + 1 < i) {
            Some(parent) => writeln!(text, ", for the step \"{}\"", nodes[parent].text),
            None => writeln!(text),
        };
    }
    if with_question {
        let _ = writeln!(text, "{}: ?", step_name(grammar.order, nodes.len()));
    }
    text.push('\n');
    text
}

fn numbered(text: &mut String, choices: &[String]) {
    for (i, choice) in choices.iter().enumerate() {
        let _ = writeln!(text, "{}: {choice}", i + 1);
    }
    text.push('\n');
}

/// Asks which choice replaces a symbol.
pub(super) fn choose(
    grammar: &PlanGrammar,
    control: ControlId,
    top: NonterminalId,
    serves: Option<usize>,
    nodes: &[PlanNode],
    choices: &[String],
) -> OracleRequest {
    let mut text = head(grammar, nodes, true);
    let nonterminal = &grammar.nonterminals[top];
    let state = &grammar.controls[control];
    let subject = if state.question.is_some() && nonterminal.question.is_none() {
        &state.name
    } else {
        &nonterminal.name
    };
    if let Some(question) = nonterminal.question.as_ref().or(state.question.as_ref()) {
        let _ = writeln!(text, "Question: {question}");
    } else if let Some(parent) = serves {
        let _ = writeln!(
            text,
            "To get {} for the step \"{}\", there are these choices:",
            nonterminal.shown(),
            nodes[parent].text
        );
    } else if grammar.has_table() {
        let _ = writeln!(text, "At {}, there are these choices:", state.name);
    } else {
        let _ = writeln!(text, "To get {}, there are these choices:", nonterminal.shown());
    }
    numbered(&mut text, choices);
    text.push_str("Your answer is only an integer, the number of a choice.\n");
    OracleRequest::new(AnswerKind::Choose, subject.clone(), text).choices(choices.iter().cloned())
}

/// Asks which elements a step chooses.
pub(super) fn choose_many(
    grammar: &PlanGrammar,
    step: TerminalId,
    nodes: &[PlanNode],
    choices: &[String],
) -> OracleRequest {
    let mut text = head(grammar, nodes, true);
    let terminal = &grammar.terminals[step];
    let _ = writeln!(text, "{}: choose what belongs to it.", terminal.shown());
    numbered(&mut text, choices);
    text.push_str(
        "Your answer is only a list of integers, such as [1, 2]: the numbers of the choices, at least one.\n",
    );
    OracleRequest::new(AnswerKind::ChooseMany, terminal.name.clone(), text).choices(choices.iter().cloned())
}
