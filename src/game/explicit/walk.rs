//! From a plan for an explicit game to a strategy: the positions that it reaches, each with where the plan is.

use super::decisions::{Decisions, Diagram};
use super::product::{Product, Vertex};
use super::zielonka::{Path, Plan};
use crate::base::{Budget, Limit, LimitKind};
use crate::game::bounded::{Move, Strategy};
use crate::game::tuning::GUARD_NODES_PER_WORK;
use crate::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use rustc_hash::FxHashMap;

/// The positions of a player's strategy.
struct Walk<'w, 'a> {
    product: &'w mut Product<'a>,
    alphabet: &'w Alphabet,
    plan: &'w Plan,
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
    product: &mut Product<'_>,
    alphabet: &Alphabet,
    player: Player,
    plan: &Plan,
    max_positions: usize,
    budget: &Budget,
) -> Result<Strategy, Limit> {
    let initial = product.initial;
    let (guards, positions, index) = (Guards::new(), Vec::new(), FxHashMap::default());
    let mut walk = Walk { product, alphabet, plan, guards, counted: 0, budget, positions, index };
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
    Ok(Strategy { guards: walk.guards, moves })
}

impl Walk<'_, '_> {
    /// Counts `work` and the nodes of guards made since the last time.
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

    /// Anything for ever: the player has won.
    fn idle(&mut self, position: usize, player: Player) -> Move {
        let any = self.guards.valuation(self.alphabet.bits_of(player), &Letter::new());
        match player {
            Player::System => Move { inputs: Guard::TRUE, outputs: any, next: position },
            Player::Environment => Move { inputs: any, outputs: Guard::TRUE, next: position },
        }
    }

    /// Goes along an edge, given by its index; the path is that of the vertex before and then that of the one after.
    fn go(&self, vertex: u32, edge: u32, path: &mut Path) -> u32 {
        let edge = self.product.graph.edges[vertex as usize][edge as usize];
        self.plan.pass(path, edge.colors);
        self.plan.locate(edge.to, path);
        edge.to
    }

    /// The letters that lead from a diagram over outputs to the end with an edge.
    fn leading_to(&mut self, choice: Diagram, vertex: u32, edge: u32) -> Result<Guard, Limit> {
        let edge = self.product.graph.edges[vertex as usize][edge as usize];
        let product = &*self.product;
        let end =
            |d: Diagram| product.decisions.number(d).map(|number| product.edges[number as usize] == edge);
        let letters = product.decisions.letters(choice, &end, &mut self.guards, &mut FxHashMap::default());
        self.tick(1)?;
        Ok(letters)
    }

    /// The system's answers in a position: choices with the same output and the same end are one move.
    fn answers(&mut self, vertex: u32, diagram: Diagram, path: &Path) -> Result<Vec<Move>, Limit> {
        let mut answers: Vec<Guard> = Vec::new();
        let mut moves: Vec<(Guard, usize)> = Vec::new();
        let mut move_of: FxHashMap<Diagram, usize> = FxHashMap::default();
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
            let is_choice = |d: Diagram| move_of.get(&d) == Some(&number);
            let product = &*self.product;
            let guards = &mut self.guards;
            let inputs = inputs(&product.decisions, diagram, &is_choice, guards);
            self.tick(1)?;
            made.push(Move { inputs, outputs, next });
        }
        Ok(made)
    }

    /// The environment's letter in a position, and where each answer leads.
    fn questions(&mut self, vertex: u32, mut path: Path) -> Result<Vec<Move>, Limit> {
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
            moves.push(Move { inputs: given, outputs: covered, next });
        }
        Ok(moves)
    }
}

/// The inputs that lead from the diagram of a position to some of its choices.
fn inputs(
    decisions: &Decisions<'_>,
    diagram: Diagram,
    is_choice: &dyn Fn(Diagram) -> bool,
    guards: &mut Guards,
) -> Guard {
    let end = |d: Diagram| decisions.is_of_outputs(d).then(|| is_choice(d));
    decisions.letters(diagram, &end, guards, &mut FxHashMap::default())
}

/// The certifier would find out; a limit is the honest answer here.
fn broken(what: &str) -> Limit {
    Limit::new(LimitKind::Size, format!("the explicit strategy has a gap: {what}"))
}
