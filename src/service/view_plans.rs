//! `view GRAMMAR`: the symbols and rules of a grammar of plans, and plans as trees.

use super::{Failure, PlanRequest, Plans, VERSION, ViewReport};
use crate::Session;
use std::collections::BTreeMap;
use tsl_synth_agents::plan::{DriveEnd, DriveOptions, Driven, OnInvalid, PlanDriver, PlanLength};
use tsl_synth_agents::plan_grammar::StackSymbol;
use tsl_synth_agents::{
    AnswerKind, Conversation, NoLog, NoOracle, Oracle, OracleAnswer, OracleError, OracleRequest,
};
use tsl_synth_core::base::{Budget, Limit, Random};
use tsl_synth_documents::{ActiveState, FollowedEvent, FollowedMove, FollowedSession};
use tsl_synth_emit::{FollowedNode, FollowedPart, SessionsParts, emit_sessions, followed_graph};

/// The maximal number of plans on a page.
const PLANS: usize = 12;
/// The number of random plans that are drawn to find different ones.
const DRAWS: u64 = 48;

/// Asks for the page of a grammar.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanViewRequest {
    /// The grammar with its laws.
    pub plans: PlanRequest,
    /// The seed of the plans that are drawn.
    pub seed: u64,
}

impl PlanViewRequest {
    /// Asks for the page of this grammar.
    pub fn new(plans: PlanRequest) -> Self {
        Self { plans, seed: 0 }
    }
}

/// Chooses at random.
struct Dice(Random);

impl Oracle for Dice {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        if request.choices.is_empty() {
            return Err(OracleError::Unusable("there is nothing to choose from".into()));
        }
        let chosen = self.0.below(request.choices.len());
        let many = request.kind == AnswerKind::ChooseMany;
        Ok(if many { OracleAnswer::Choices(vec![chosen]) } else { OracleAnswer::Choice(chosen) })
    }
}

impl Session<'_> {
    /// The page of a grammar.
    ///
    /// # Errors
    /// Errors of the texts, or a limit.
    pub fn view_plans(&mut self, request: &PlanViewRequest) -> Result<ViewReport, Failure> {
        let plans = self.plans(&request.plans)?;
        let name = request.plans.grammar.shown();
        self.deep(|session| {
            let budget = session.budget();
            let drawn = draw(&plans, request.seed, &budget)?;
            let mut automata = vec![grammar(&plans)];
            let mut sessions =
                vec![FollowedSession { name: "The grammar".into(), automata: vec![0], events: Vec::new() }];
            for driven in &drawn {
                let number = automata.len();
                automata.push(tree(&plans, driven, number));
                sessions.push(steps(driven, number));
            }
            let mut notes = vec![format!("Made by tsl-synth {VERSION} from {name}.")];
            notes.push(match drawn.len() {
                0 => "There is no plan.".into(),
                1 => "One plan was drawn.".into(),
                count => format!("{count} plans were drawn at random; `plan enumerate` lists all."),
            });
            let task = plans.grammar.task.clone().unwrap_or_else(|| plans.grammar.name.clone());
            let parts = SessionsParts {
                title: name.clone(),
                version: VERSION.into(),
                about: format!("plans for {task}"),
                kind: "plan",
                automata,
                atoms: Vec::new(),
                offered: Vec::new(),
                conflicts: Vec::new(),
                sessions,
                notes,
            };
            let diagnostics = plans.diagnostics.clone();
            Ok(ViewReport { html: emit_sessions(parts)?, name: name.clone(), diagnostics })
        })
    }
}

/// Different random plans; the same seed gives the same plans.
fn draw(plans: &Plans, seed: u64, budget: &Budget) -> Result<Vec<Driven>, Limit> {
    let mut planner = plans.planner(PlanLength::Any, budget);
    let mut found: Vec<Driven> = Vec::new();
    for round in 0..DRAWS {
        if found.len() == PLANS {
            break;
        }
        let mut dice = Dice(Random::new(seed.wrapping_add(round)));
        let (mut generator, mut user, mut world, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
        let mut conversation =
            Conversation::new(&mut dice, &mut generator, &mut user, &mut world, &mut log, 1);
        let options = DriveOptions { on_invalid: OnInvalid::First, ..DriveOptions::default() };
        let driven = PlanDriver::new(&mut planner, options).run(&mut conversation)?;
        if driven.end != DriveEnd::Plan {
            break;
        }
        if found.iter().all(|other| other.nodes != driven.nodes) {
            found.push(driven);
        }
    }
    Ok(found)
}

/// The symbols of a grammar, each with an edge to those of the bodies of its rules.
fn grammar(plans: &Plans) -> FollowedPart {
    use tsl_synth_core::base::Id;
    let grammar = &plans.grammar;
    let count = grammar.nonterminals.len();
    let mut nodes: Vec<FollowedNode> = Vec::new();
    for (id, own) in grammar.nonterminals.enumerate() {
        let texts = own.goal.iter().chain(&own.question).cloned().collect();
        nodes.push(FollowedNode {
            name: own.name.clone(),
            texts,
            start: id == grammar.start,
            to: Vec::new(),
        });
    }
    for own in &grammar.terminals {
        let mut texts: Vec<String> = own.label.iter().cloned().collect();
        if let Some(most) = own.most {
            texts.push(if own.least == most {
                format!("{most} times")
            } else {
                format!("{} to {most} times", own.least)
            });
        }
        if let Some(subset) = &own.subset {
            texts.push(format!("chooses of {}", subset.elements.join(", ")));
        }
        nodes.push(FollowedNode { name: own.name.clone(), texts, start: false, to: Vec::new() });
    }
    // The rules of a symbol are numbered where there are several.
    let mut rules: BTreeMap<usize, usize> = BTreeMap::new();
    for rule in &grammar.rules {
        let top = rule.top.index();
        let number = rules.entry(top).or_default();
        *number += 1;
        let label = rule.label.clone().unwrap_or_else(|| format!("rule {number}"));
        for symbol in &rule.body {
            let to = match symbol {
                StackSymbol::Nonterminal(id) => id.index(),
                StackSymbol::Terminal(id) => count + id.index(),
            };
            let edge = (to, label.clone());
            if !nodes[top].to.contains(&edge) {
                nodes[top].to.push(edge);
            }
        }
    }
    followed_graph(&grammar.name, "grammar", nodes)
}

/// A plan as a tree: each step with an edge to the steps that serve it.
fn tree(plans: &Plans, driven: &Driven, number: usize) -> FollowedPart {
    let mut nodes: Vec<FollowedNode> = vec![FollowedNode {
        name: plans.grammar.task.clone().unwrap_or_else(|| plans.grammar.name.clone()),
        texts: Vec::new(),
        start: true,
        to: Vec::new(),
    }];
    for (i, node) in driven.nodes.iter().enumerate() {
        let place = driven.order.iter().position(|&own| own == i);
        let texts = place.map(|place| format!("step {}", place + 1)).into_iter().collect();
        nodes.push(FollowedNode { name: node.text.clone(), texts, start: false, to: Vec::new() });
    }
    for (i, node) in driven.nodes.iter().enumerate() {
        nodes[node.serves.map_or(0, |parent| parent + 1)].to.push((i + 1, String::new()));
    }
    followed_graph(&format!("plan {number}"), "plan", nodes)
}

/// The steps of a plan in the order in which they are carried out.
fn steps(driven: &Driven, number: usize) -> FollowedSession {
    let event = |(place, &i): (usize, &usize)| FollowedEvent {
        line: place as u64 + 1,
        kind: "step".into(),
        what: driven.nodes[i].text.clone(),
        moves: vec![FollowedMove {
            of: number,
            standing: format!("step {}", place + 1),
            at: vec![ActiveState { state: i as u32 + 1, copies: Vec::new(), more: 0 }],
        }],
        ..FollowedEvent::default()
    };
    FollowedSession {
        name: format!("Plan {number}"),
        automata: vec![number],
        events: driven.order.iter().enumerate().map(event).collect(),
    }
}
