//! Explicit games with Emerson-Lei conditions on edges, solved by McNaughton's recursion over sets of colors.
//!
//! McNaughton, "Infinite games played on finite graphs" (APAL 1993); Zielonka, "Infinite games on finitely coloured
//! graphs" (TCS 1998), with the memory of Dziembowski, Jurdziński and Walukiewicz (LICS 1997): the player for whom all
//! colors of a component are good leaves each of the maximal subsets that are good for the opponent in turn. Strongly
//! connected components are solved in reverse topological order, each for the colors that occur in it, so only the
//! nodes of the Zielonka tree are made whose colors some component has. Exponential in the number of colors in the
//! worst case.

use crate::game::colors::Colors;
use crate::game::condition::{ColorCondition, Sides};
use crate::game::mode::Mode;
use crate::game::tuning::EDGES_PER_WORK;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_automata::components as strongly_connected;
use tsl_synth_core::base::{Budget, Id as _, Limit};
use tsl_synth_core::logic::Player;

/// An edge of a game; its colors belong to the condition of the mode of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GameEdge {
    pub(super) to: u32,
    pub(super) colors: Colors,
}

/// A game graph; a mode that is left is never entered again.
#[derive(Debug, Default)]
pub(super) struct GameGraph {
    pub(super) owners: Vec<Player>,
    pub(super) modes: Vec<Mode>,
    pub(super) edges: Vec<Vec<GameEdge>>,
}

/// A winning plan of a player: each vertex that it covers belongs to a numbered piece.
#[derive(Debug, Default)]
pub(super) struct RecursivePlan {
    of: FxHashMap<u32, u32>,
    pieces: Vec<PlanPiece>,
}

/// The chosen edge of each vertex; `None` for vertices of the opponent.
type Choices = FxHashMap<u32, Option<u32>>;

#[derive(Debug)]
enum PlanPiece {
    /// Edges that lead to earlier pieces or stay forever among good colors.
    Moves(Choices),
    /// The plan of a smaller game.
    Inner(RecursivePlan),
    /// Each child in turn: moves towards an edge with a color outside the child's label, or the plan for the remaining
    /// vertices.
    Turns(Vec<ChildTurn>),
}

#[derive(Debug)]
struct ChildTurn {
    label: Colors,
    moves: Choices,
    rest: RecursivePlan,
}

/// The state of a strategy: the piece on each level of the plan, with the index of the child whose turn it is.
pub(super) type Path = Vec<(u32, u32)>;

impl RecursivePlan {
    /// Whether the plan wins from a vertex.
    pub(super) fn covers(&self, vertex: u32) -> bool {
        self.of.contains_key(&vertex)
    }

    fn add(&mut self, vertices: impl IntoIterator<Item = u32>, piece: PlanPiece) {
        let number = self.pieces.len() as u32;
        self.of.extend(vertices.into_iter().map(|v| (v, number)));
        self.pieces.push(piece);
    }

    /// Finds a vertex in the plan and updates the path to it, keeping the turns of the pieces that it stays in. Returns
    /// the edge to take, as an index, if the vertex is the player's.
    pub(super) fn locate(&self, vertex: u32, path: &mut Path) -> Option<u32> {
        let (mut plan, mut level) = (self, 0);
        loop {
            let &piece = plan.of.get(&vertex)?;
            if path.get(level).is_none_or(|&(known, _)| known != piece) {
                path.truncate(level);
                path.push((piece, 0));
            }
            match &plan.pieces[piece as usize] {
                PlanPiece::Moves(moves) => {
                    path.truncate(level + 1);
                    return moves.get(&vertex).copied().flatten();
                }
                PlanPiece::Inner(inner) => plan = inner,
                PlanPiece::Turns(turns) => {
                    let turn = &turns[path[level].1 as usize];
                    if let Some(choice) = turn.moves.get(&vertex) {
                        path.truncate(level + 1);
                        return *choice;
                    }
                    plan = &turn.rest;
                }
            }
            level += 1;
        }
    }

    /// The path after an edge with some colors.
    pub(super) fn pass(&self, path: &mut Path, colors: Colors) {
        let mut plan = self;
        for level in 0..path.len() {
            let (piece, turn) = path[level];
            match &plan.pieces[piece as usize] {
                PlanPiece::Moves(_) => return,
                PlanPiece::Inner(inner) => plan = inner,
                PlanPiece::Turns(turns) => {
                    let child = &turns[turn as usize];
                    if !colors.is_within(child.label) {
                        path[level].1 = (turn + 1) % turns.len() as u32;
                        path.truncate(level + 1);
                        return;
                    }
                    plan = &child.rest;
                }
            }
        }
    }
}

/// The acceptance of a set of colors that are seen infinitely often.
#[derive(Clone, Debug)]
struct ColorLabel {
    accepting: bool,
    /// The maximal subsets with the opposite acceptance.
    children: Rc<[Colors]>,
}

/// A condition and its negation, with a cache of labels.
struct LabelledCondition {
    sides: Sides,
    labels: FxHashMap<Colors, ColorLabel>,
}

impl LabelledCondition {
    fn label(&mut self, set: Colors, budget: &Budget) -> Result<ColorLabel, Limit> {
        if let Some(label) = self.labels.get(&set) {
            return Ok(label.clone());
        }
        let accepting = self.sides.accepts(set);
        let label = ColorLabel { accepting, children: self.sides.below(set, accepting, budget)?.into() };
        self.labels.insert(set, label.clone());
        Ok(label)
    }
}

/// Solves a game graph.
pub(super) struct RecursiveSolver<'g> {
    graph: &'g GameGraph,
    /// The edges to each vertex: their source and their index there.
    before: Vec<Vec<(u32, u32)>>,
    conditions: &'g BTreeMap<Mode, ColorCondition>,
    meanings: BTreeMap<Mode, LabelledCondition>,
    /// The part of the game to which each vertex currently belongs; 0 for none.
    part: Vec<u32>,
    parts: u32,
    budget: &'g Budget,
}

impl<'g> RecursiveSolver<'g> {
    pub(super) fn new(
        graph: &'g GameGraph,
        conditions: &'g BTreeMap<Mode, ColorCondition>,
        budget: &'g Budget,
    ) -> Self {
        let mut before = vec![Vec::new(); graph.edges.len()];
        for (v, edges) in graph.edges.iter().enumerate() {
            for (i, edge) in edges.iter().enumerate() {
                before[edge.to as usize].push((v as u32, i as u32));
            }
        }
        let part = vec![0; graph.edges.len()];
        Self { graph, before, conditions, meanings: BTreeMap::new(), part, parts: 0, budget }
    }

    /// The plans of the system and of the environment, which cover all vertices; `decided` returns the winner of some
    /// of them, which must include all vertices without edges.
    pub(super) fn solve(
        &mut self,
        decided: &dyn Fn(u32) -> Option<Player>,
    ) -> Result<[RecursivePlan; 2], Limit> {
        let mut plans = [RecursivePlan::default(), RecursivePlan::default()];
        let all: Vec<u32> = (0..self.graph.edges.len() as u32).collect();
        let whole = self.enter(&all);
        for player in [Player::System, Player::Environment] {
            let goal: Vec<u32> = all.iter().copied().filter(|&v| decided(v) == Some(player)).collect();
            let stay =
                goal.iter().map(|&v| (v, (!self.graph.edges[v as usize].is_empty()).then_some(0))).collect();
            self.settle(whole, Colors::ALL, player, goal.clone(), PlanPiece::Moves(stay), &mut plans)?;
        }
        self.region(all, whole, Colors::ALL, plans)
    }

    /// A new part of these vertices.
    fn enter(&mut self, vertices: &[u32]) -> u32 {
        self.parts += 1;
        self.put(vertices, self.parts);
        self.parts
    }

    fn put(&mut self, vertices: &[u32], part: u32) {
        for &v in vertices {
            self.part[v as usize] = part;
        }
    }

    fn tick(&self, work: usize) -> Result<(), Limit> {
        self.budget.tick(1 + (work / EDGES_PER_WORK) as u64, || "solving an explicit game".into())
    }

    fn is_inside(&self, edge: &GameEdge, part: u32, label: Colors) -> bool {
        self.part[edge.to as usize] == part && edge.colors.is_within(label)
    }

    /// Adds a piece to a player's plan, with the moves of its attractor; both are removed from the part.
    fn settle(
        &mut self,
        part: u32,
        label: Colors,
        player: Player,
        goal: Vec<u32>,
        piece: PlanPiece,
        plans: &mut [RecursivePlan; 2],
    ) -> Result<(), Limit> {
        if goal.is_empty() {
            return Ok(());
        }
        let moves = self.attracted(part, label, player, &goal)?;
        let plan = &mut plans[slot(player)];
        self.put(&goal, 0);
        plan.add(goal, piece);
        if !moves.is_empty() {
            let mut more: Vec<u32> = moves.keys().copied().collect();
            more.sort_unstable();
            self.put(&more, 0);
            plan.add(more, PlanPiece::Moves(moves));
        }
        Ok(())
    }

    /// The attractor of the goal in a part, without the goal itself.
    fn attracted(&self, part: u32, label: Colors, player: Player, goal: &[u32]) -> Result<Choices, Limit> {
        let goals: FxHashSet<u32> = goal.iter().copied().collect();
        self.attract(part, label, player, Choices::default(), goal.to_vec(), &goals)
    }

    fn attract(
        &self,
        part: u32,
        label: Colors,
        player: Player,
        mut moves: Choices,
        mut queue: Vec<u32>,
        goals: &FxHashSet<u32>,
    ) -> Result<Choices, Limit> {
        let mut open: FxHashMap<u32, usize> = FxHashMap::default();
        while let Some(v) = queue.pop() {
            self.tick(self.before[v as usize].len())?;
            for &(u, i) in &self.before[v as usize] {
                if self.part[u as usize] != part || goals.contains(&u) || moves.contains_key(&u) {
                    continue;
                }
                let edges = &self.graph.edges[u as usize];
                if !edges[i as usize].colors.is_within(label) {
                    continue;
                }
                if self.graph.owners[u as usize] == player {
                    moves.insert(u, Some(i));
                    queue.push(u);
                    continue;
                }
                let all = || edges.iter().filter(|e| self.is_inside(e, part, label)).count();
                let left = open.entry(u).or_insert_with(all);
                *left -= 1;
                if *left == 0 {
                    moves.insert(u, None);
                    queue.push(u);
                }
            }
        }
        Ok(moves)
    }

    /// The vertices of a part from which the player can force an edge inside the part with a color outside `child`.
    fn leaving(
        &self,
        vertices: &[u32],
        part: u32,
        label: Colors,
        child: Colors,
        player: Player,
    ) -> Result<Choices, Limit> {
        let mut moves = Choices::default();
        for &v in vertices {
            let edges = &self.graph.edges[v as usize];
            self.tick(edges.len())?;
            if self.graph.owners[v as usize] == player {
                let leaves = |e: &GameEdge| self.is_inside(e, part, label) && !e.colors.is_within(child);
                if let Some(i) = edges.iter().position(leaves) {
                    moves.insert(v, Some(i as u32));
                }
            } else if !edges.iter().any(|e| self.is_inside(e, part, child)) {
                moves.insert(v, None);
            }
        }
        let mut queue: Vec<u32> = moves.keys().copied().collect();
        queue.sort_unstable();
        self.attract(part, child, player, moves, queue, &FxHashSet::default())
    }

    /// Solves the remaining vertices of a part over the colors of a label; each of them has an edge inside the part.
    /// Recursion is as deep as there are colors.
    fn region(
        &mut self,
        vertices: Vec<u32>,
        part: u32,
        label: Colors,
        mut plans: [RecursivePlan; 2],
    ) -> Result<[RecursivePlan; 2], Limit> {
        let mut open = vec![vertices];
        while let Some(mut set) = open.pop() {
            set.retain(|&v| self.part[v as usize] == part);
            if set.is_empty() {
                continue;
            }
            let mut components = self.components(&set, part, label)?;
            if components.len() > 1 {
                // Edges lead to components with smaller numbers: those come first.
                components.reverse();
                open.extend(components);
                continue;
            }
            let (player, piece, won) = self.component(&set, label)?;
            self.put(&set, part);
            self.settle(part, label, player, won, piece, &mut plans)?;
            open.push(set);
        }
        Ok(plans)
    }

    /// The strongly connected components of a set in reverse topological order.
    fn components(&self, set: &[u32], part: u32, label: Colors) -> Result<Vec<Vec<u32>>, Limit> {
        let position: FxHashMap<u32, usize> = set.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let mut work = 0;
        let successors: Vec<Vec<usize>> = set
            .iter()
            .map(|&v| {
                let edges = &self.graph.edges[v as usize];
                work += edges.len();
                let inside = edges.iter().filter(|e| self.is_inside(e, part, label));
                inside.filter_map(|e| position.get(&e.to).copied()).collect()
            })
            .collect();
        self.tick(work)?;
        let component = strongly_connected(&successors);
        let mut components = vec![Vec::new(); component.count()];
        for (i, &v) in set.iter().enumerate() {
            components[component[i].index()].push(v);
        }
        Ok(components)
    }

    /// Solves a strongly connected component: one player wins all of it, or a nonempty part is returned that the other
    /// wins.
    fn component(&mut self, set: &[u32], label: Colors) -> Result<(Player, PlanPiece, Vec<u32>), Limit> {
        let part = self.enter(set);
        let mut seen = Colors::NONE;
        for &v in set {
            let edges = &self.graph.edges[v as usize];
            self.tick(edges.len())?;
            let inside = edges.iter().filter(|e| self.is_inside(e, part, label));
            seen = inside.fold(seen, |set, e| set | e.colors);
        }
        let ColorLabel { accepting, children } = self.label(self.graph.modes[set[0] as usize], seen)?;
        let player = if accepting { Player::System } else { Player::Environment };
        if children.is_empty() {
            let inside = |v: u32| {
                let mine = self.graph.owners[v as usize] == player;
                let edges = &self.graph.edges[v as usize];
                let stays = edges.iter().position(|e| self.is_inside(e, part, label));
                (v, stays.filter(|_| mine).map(|i| i as u32))
            };
            let stay: Choices = set.iter().map(|&v| inside(v)).collect();
            return Ok((player, PlanPiece::Moves(stay), set.to_vec()));
        }
        let mut turns = Vec::with_capacity(children.len());
        for &child in children.iter() {
            let moves = self.leaving(set, part, label, child, player)?;
            let rest: Vec<u32> = set.iter().copied().filter(|v| !moves.contains_key(v)).collect();
            let mut plans = [RecursivePlan::default(), RecursivePlan::default()];
            if !rest.is_empty() {
                let inner = self.enter(&rest);
                plans = self.region(rest.clone(), inner, child, plans)?;
                self.put(&rest, part);
            }
            let lost = &mut plans[slot(player.opponent())];
            if !lost.of.is_empty() {
                let mut won: Vec<u32> = lost.of.keys().copied().collect();
                won.sort_unstable();
                return Ok((player.opponent(), PlanPiece::Inner(std::mem::take(lost)), won));
            }
            let rest = std::mem::take(&mut plans[slot(player)]);
            turns.push(ChildTurn { label: child, moves, rest });
        }
        Ok((player, PlanPiece::Turns(turns), set.to_vec()))
    }

    fn label(&mut self, mode: Mode, set: Colors) -> Result<ColorLabel, Limit> {
        let meaning = self.meanings.entry(mode).or_insert_with(|| {
            let sides = Sides::new(self.conditions[&mode].clone());
            LabelledCondition { sides, labels: FxHashMap::default() }
        });
        meaning.label(set, self.budget)
    }
}

/// The index of a player in pairs.
pub(super) fn slot(player: Player) -> usize {
    usize::from(player == Player::Environment)
}
