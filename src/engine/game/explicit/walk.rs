//! From a plan for an explicit game to a strategy: the reachable vertices, each with the current path in the plan.

use super::decisions::{Decisions, LetterDiagram};
use super::product::{ExplicitGame, Vertex};
use super::zielonka::{Path, RecursivePlan};
use crate::game::bounded::{PositionStrategy, StrategyMove};
use crate::game::tuning::GUARD_NODES_PER_WORK;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};

/// The positions of a player's strategy.
struct StrategyWalk<'w, 'a> {
    product: &'w mut ExplicitGame<'a>,
    alphabet: &'w Alphabet,
    plan: &'w RecursivePlan,
    guards: Guards,
    counted: usize,
    budget: &'w Budget,
    positions: Vec<(u32, Path)>,
    index: FxHashMap<(u32, Path), usize>,
}

/// The strategy that follows a plan from the initial position on.
///
/// # Errors
/// More than `max_positions` positions; those of the budget.
pub(super) fn strategy(
    product: &mut ExplicitGame<'_>,
    alphabet: &Alphabet,
    player: Player,
    plan: &RecursivePlan,
    max_positions: usize,
    budget: &Budget,
) -> Result<PositionStrategy, Limit> {
    let initial = product.initial;
    let (guards, positions, index) = (Guards::new(), Vec::new(), FxHashMap::default());
    let mut walk = StrategyWalk { product, alphabet, plan, guards, counted: 0, budget, positions, index };
    let mut path = Path::new();
    walk.plan.locate(initial, &mut path);
    walk.id(initial, path);
    let mut moves = Vec::new();
    while moves.len() < walk.positions.len() {
        let (vertex, path) = walk.positions[moves.len()].clone();
        moves.push(match (walk.product.vertices[vertex as usize], player) {
            (Vertex::Position(Some(diagram)), Player::System) => walk.answers(vertex, diagram, &path)?,
            (Vertex::Position(Some(_)), Player::Environment) => walk.questions(vertex, path)?,
            _ => vec![walk.idle(moves.len(), player)],
        });
        walk.tick(1)?;
        if walk.positions.len() > max_positions {
            let what = format!("an explicit strategy of more than {max_positions} positions");
            return Err(Limit::new(LimitKind::Size, what));
        }
    }
    Ok(PositionStrategy { guards: walk.guards, moves })
}

impl StrategyWalk<'_, '_> {
    /// Counts `work` and the nodes of guards made since the last call.
    fn tick(&mut self, work: usize) -> Result<(), Limit> {
        let nodes = self.guards.node_count();
        let made = nodes - std::mem::replace(&mut self.counted, nodes);
        self.budget
            .tick((work + made / GUARD_NODES_PER_WORK) as u64, || "the moves of an explicit strategy".into())
    }

    fn id(&mut self, vertex: u32, path: Path) -> usize {
        let key = (vertex, path);
        if let Some(&id) = self.index.get(&key) {
            return id;
        }
        self.positions.push(key.clone());
        self.index.insert(key, self.positions.len() - 1);
        self.positions.len() - 1
    }

    /// The same arbitrary move forever: the player has won.
    fn idle(&mut self, position: usize, player: Player) -> StrategyMove {
        let any = self.guards.valuation(self.alphabet.bits_of(player), &Letter::new());
        match player {
            Player::System => StrategyMove { inputs: Guard::TRUE, outputs: any, next: position },
            Player::Environment => StrategyMove { inputs: any, outputs: Guard::TRUE, next: position },
        }
    }

    /// Follows an edge, given by its index, and updates the path in the plan from its source to its target, which is
    /// returned.
    fn go(&self, vertex: u32, edge: u32, path: &mut Path) -> u32 {
        let edge = self.product.graph.edges[vertex as usize][edge as usize];
        self.plan.pass(path, edge.colors);
        self.plan.locate(edge.to, path);
        edge.to
    }

    /// The letters that lead from a diagram over outputs to the end with an edge.
    fn leading_to(&mut self, choice: LetterDiagram, vertex: u32, edge: u32) -> Result<Guard, Limit> {
        let edge = self.product.graph.edges[vertex as usize][edge as usize];
        let product = &*self.product;
        let end = |d: LetterDiagram| {
            product.decisions.number(d).map(|number| product.edges[number as usize] == edge)
        };
        let letters = product.decisions.letters(choice, &end, &mut self.guards, &mut FxHashMap::default());
        self.tick(1)?;
        Ok(letters)
    }

    /// The system's answers in a position: choices with the same output and the same end are one move.
    fn answers(
        &mut self,
        vertex: u32,
        diagram: LetterDiagram,
        path: &Path,
    ) -> Result<Vec<StrategyMove>, Limit> {
        let mut answers: Vec<Guard> = Vec::new();
        let mut moves: Vec<(Guard, usize)> = Vec::new();
        let mut move_of: FxHashMap<LetterDiagram, usize> = FxHashMap::default();
        for i in 0..self.product.graph.edges[vertex as usize].len() as u32 {
            let mut path = path.clone();
            let choice = self.go(vertex, i, &mut path);
            let Vertex::Choice(outputs) = self.product.vertices[choice as usize] else {
                return Err(broken("a position without a choice"));
            };
            let edge = self.plan.locate(choice, &mut path).ok_or_else(|| broken("no output wins"))?;
            let allowed = self.leading_to(outputs, choice, edge)?;
            let mut known = answers.iter().copied();
            let answer = known.find(|&answer| self.guards.intersects(answer, allowed));
            let answer = if let Some(answer) = answer {
                answer
            } else {
                let letter = self.guards.pick(allowed).ok_or_else(|| broken("no output leads to an edge"))?;
                let letter = self.alphabet.canonical(&letter);
                let answer = self.guards.valuation(self.alphabet.bits_of(Player::System), &letter);
                answers.push(answer);
                answer
            };
            let to = self.go(choice, edge, &mut path);
            let target = self.id(to, path);
            let known = moves.iter().position(|&known| known == (answer, target));
            let number = known.unwrap_or_else(|| {
                moves.push((answer, target));
                moves.len() - 1
            });
            move_of.insert(outputs, number);
            self.tick(1 + answers.len() / GUARD_NODES_PER_WORK)?;
        }
        let mut made = Vec::with_capacity(moves.len());
        for (number, (outputs, next)) in moves.into_iter().enumerate() {
            let is_choice = |d: LetterDiagram| move_of.get(&d) == Some(&number);
            let product = &*self.product;
            let guards = &mut self.guards;
            let inputs = inputs(&product.decisions, diagram, &is_choice, guards);
            self.tick(1)?;
            made.push(StrategyMove { inputs, outputs, next });
        }
        Ok(made)
    }

    /// The environment's letter in a position, and the next position for each answer.
    fn questions(&mut self, vertex: u32, mut path: Path) -> Result<Vec<StrategyMove>, Limit> {
        let Vertex::Position(Some(diagram)) = self.product.vertices[vertex as usize] else {
            return Err(broken("a position without a diagram"));
        };
        let edge = self.plan.locate(vertex, &mut path).ok_or_else(|| broken("no input wins"))?;
        let choice = self.go(vertex, edge, &mut path);
        let Vertex::Choice(outputs) = self.product.vertices[choice as usize] else {
            return Err(broken("a position without a choice"));
        };
        let letters = inputs(&self.product.decisions, diagram, &|d| d == outputs, &mut self.guards);
        let letter = self.guards.pick(letters).ok_or_else(|| broken("no input leads to a choice"))?;
        let own: Vec<BitId> = self.alphabet.bits_of(Player::Environment).collect();
        let given = self.guards.valuation(own, &letter);
        let mut moves = Vec::new();
        for i in 0..self.product.graph.edges[choice as usize].len() as u32 {
            let mut path = path.clone();
            let covered = self.leading_to(outputs, choice, i)?;
            let to = self.go(choice, i, &mut path);
            let next = self.id(to, path);
            moves.push(StrategyMove { inputs: given, outputs: covered, next });
        }
        Ok(moves)
    }
}

/// The inputs that lead from the diagram of a position to some of its choices.
fn inputs(
    decisions: &Decisions<'_>,
    diagram: LetterDiagram,
    is_choice: &dyn Fn(LetterDiagram) -> bool,
    guards: &mut Guards,
) -> Guard {
    let end = |d: LetterDiagram| decisions.is_of_outputs(d).then(|| is_choice(d));
    decisions.letters(diagram, &end, guards, &mut FxHashMap::default())
}

/// A gap is an internal error; the certifier would reject the strategy, so it is reported as a limit.
fn broken(what: &str) -> Limit {
    Limit::new(LimitKind::Size, format!("the explicit strategy has a gap: {what}"))
}
