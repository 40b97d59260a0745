//! The baseline without a controller: the prompt describes the format of a behavior, and the model generates text without
//! constraints. The automaton of the behavior then reads the text, and violations are counted, not prevented.

use super::Behavior;
use crate::behavior_spec::BehaviorFormula;
use crate::{AnswerKind, Conversation, OracleRequest, Port, StopReason};
use std::fmt::Write;
use tsl_synth_core::model::{AgentStateId, BehaviorNodeId};

/// The run of a model alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreeRun {
    /// What was written after the task.
    pub text: String,
    /// The text of the last state.
    pub last: String,
    /// The number of states, plus one for the end.
    pub steps: u64,
    /// The steps that the behavior does not allow at their position, that are texts of the environment which the model
    /// wrote, or that have a text which their state does not allow.
    pub illegal: u64,
    /// The names of the states that were illegal, and `end` if the run may not end there; each once.
    pub faults: Vec<String>,
    /// Whether the run came to an end that the behavior allows.
    pub is_whole: bool,
    /// Why a port gave no answer.
    pub stopped: Option<StopReason>,
}

struct Follower<'b> {
    behavior: &'b Behavior,
    node: BehaviorNodeId,
    run: FreeRun,
}

impl Behavior {
    /// The form of its runs in words, for the prompt of a model.
    pub fn in_words(&self) -> String {
        let mut text =
            "Write a text of parts. Each part begins with its label, and the labels come in this order:\n"
                .to_string();
        let _ = writeln!(text, "{}.", self.formula_in_words(&self.spec.formula));
        for state in &self.spec.states {
            let label = state.prompt.trim();
            if state.env_input {
                let _ = writeln!(text, "What comes after {label} is given to you: stop before this label.");
            } else if !state.one_of.is_empty() {
                let list: Vec<&str> = state.one_of.iter().map(|one| one.text.as_str()).collect();
                let _ = writeln!(text, "What comes after {label} is one of: {}.", list.join(", "));
            }
        }
        text
    }

    fn formula_in_words(&self, formula: &BehaviorFormula) -> String {
        let all = |list: &[BehaviorFormula], joint: &str| {
            list.iter().map(|one| self.formula_in_words(one)).collect::<Vec<_>>().join(joint)
        };
        match formula {
            BehaviorFormula::State(state) => self.state(*state).prompt.trim().to_string(),
            BehaviorFormula::Next(list) => all(list, ", then "),
            BehaviorFormula::Or(list) => format!("(either {})", all(list, ", or ")),
            BehaviorFormula::Until(body, exit, most) => {
                let times = most.map_or("any number of times".into(), |most| format!("at most {most} times"));
                let body = self.formula_in_words(body);
                format!("({body}) {times}, then {}", self.formula_in_words(exit))
            }
            BehaviorFormula::Always(body) => format!("({}) again and again", self.formula_in_words(body)),
        }
    }

    /// Lets the generator write freely after `task`, at most `turns` times; the world answers where the text comes to a
    /// state of the environment.
    pub fn run_alone(&self, task: &str, conversation: &mut Conversation<'_>, turns: u32) -> FreeRun {
        let node = self.automaton.start();
        let mut follower = Follower { behavior: self, node, run: FreeRun::default() };
        if let Err(stop) = follower.go(task, conversation, turns) {
            follower.run.stopped = Some(stop);
        } else {
            follower.run.steps += 1;
            follower.run.is_whole = self.may_end(follower.node);
            if !follower.run.is_whole {
                follower.fault("end");
            }
        }
        follower.run
    }
}

impl Follower<'_> {
    fn go(&mut self, task: &str, conversation: &mut Conversation<'_>, turns: u32) -> Result<(), StopReason> {
        let behavior = self.behavior;
        for _ in 0..turns {
            let text = [task, &self.run.text].concat();
            let request = OracleRequest::new(AnswerKind::Generate, "turn", &text)
                .about(text)
                .stop(behavior.stop_strings());
            let written = conversation.text(Port::Generator, &request)?;
            let before = self.run.steps;
            self.follow(&written);
            self.run.text.push_str(&written);
            if behavior.may_end(self.node) {
                return Ok(());
            }
            let inputs = behavior.legal(self.node).into_iter().find(|state| behavior.state(*state).env_input);
            let Some(input) = inputs else {
                if self.run.steps == before {
                    return Ok(());
                }
                continue;
            };
            let text = [task, &self.run.text].concat();
            let joint = behavior.joint(&text, input);
            let declared = behavior.state(input);
            self.run.text.extend([joint, &declared.prompt]);
            self.enter(input, true);
            let text = [task, &self.run.text].concat();
            let request = OracleRequest::new(AnswerKind::Act, &declared.name, &text).about(text);
            let answer = conversation.text(Port::World, &request)?;
            self.run.text.push_str(&answer);
            self.run.last = answer;
        }
        Ok(())
    }

    fn fault(&mut self, what: &str) {
        self.run.illegal += 1;
        if !self.run.faults.iter().any(|known| known == what) {
            self.run.faults.push(what.to_string());
        }
    }

    /// Follows a text of the model, state by state.
    fn follow(&mut self, text: &str) {
        let behavior = self.behavior;
        let mut from = 0;
        let mut own: Option<AgentStateId> = None;
        loop {
            let node = self.node;
            let hit = behavior
                .prompts
                .first(&text[from..], 0, |state| behavior.automaton.step(node, state).is_some());
            let end = hit.map_or(text.len(), |hit| from + hit.start);
            if let Some(state) = own {
                self.run.last = text[from..end].to_string();
                if behavior.check_content(state, &text[from..end]).is_err() {
                    self.fault(&behavior.state(state).name);
                }
            }
            let Some(hit) = hit else { return };
            self.enter(hit.state, false);
            own = Some(hit.state);
            from += hit.end;
        }
    }

    /// Enters a state; after an illegal one the run goes on at the next node of this state.
    fn enter(&mut self, state: AgentStateId, by_world: bool) {
        let behavior = self.behavior;
        self.run.steps += 1;
        let next = behavior.automaton.step(self.node, state);
        let declared = behavior.state(state);
        if next.is_none() || declared.env_input && !by_world {
            self.fault(&declared.name);
        }
        let node = self.node;
        self.node = next.unwrap_or_else(|| {
            let all: Vec<BehaviorNodeId> = behavior
                .automaton
                .nodes()
                .filter(|(_, other)| other.state == Some(state))
                .map(|(other, _)| other)
                .collect();
            all.iter().copied().find(|other| *other > node).or(all.last().copied()).unwrap_or(node)
        });
    }
}
