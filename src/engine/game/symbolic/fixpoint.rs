//! Winning regions of Emerson-Lei games as nested fixpoints that follow the Zielonka tree.
//!
//! Hausmann, Lehaut and Piterman, "Symbolic solution of Emerson-Lei games for reactive synthesis", FoSSaCS
//! 2024, definition 7 and theorem 1, here with colors on edges. A node whose label is good for the player is a
//! greatest fixpoint and the intersection of its children, any other a least fixpoint and their union. For
//! safety, (generalized) Büchi and GR(1) conditions these are the well-known fixpoints (Bloem, Jobstmann,
//! Piterman, Pnueli and Sa'ar, JCSS 2012). O(states^height) steps in the worst case.

use super::arena::{Mode, SymbolicArena};
use super::diagrams::{Bdd, Diagrams};
use crate::game::colors::Colors;
use crate::game::condition::{ColorCondition, ZielonkaTree};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_core::base::{Limit, Variable};
use tsl_synth_core::logic::Player;

/// The game of one mode.
pub(super) struct ModeGame {
    pub(super) tree: ZielonkaTree,
    /// For each label of the tree, the edges without a color outside it.
    pub(super) inside: BTreeMap<Colors, Bdd>,
    /// The positions that matter: all that can be reached in this mode, perhaps others.
    within: Bdd,
}

/// The solved game of one mode.
pub(super) struct SolvedMode {
    pub(super) game: ModeGame,
    /// The positions from which the player wins.
    pub(super) region: Bdd,
    /// A plan to win from there.
    pub(super) plan: Rc<FixpointPlan>,
}

/// A winning plan for a region.
pub(super) enum FixpointPlan {
    /// A leaf of the tree: any of these moves.
    Moves(MoveSet),
    /// Each child's goal in turn; the tree's node and its children's plans.
    Turns(usize, Vec<FixpointPlan>),
    /// The first layer that holds the position; every move that leaves the child's label leads to an earlier layer.
    Layers(usize, Vec<FixpointLayer>),
}

/// A set of moves that is computed only for the states where it is needed: the whole set would be large, and different
/// for every layer.
#[derive(Clone)]
pub(super) struct MoveSet {
    /// Moves that win at once.
    won: Bdd,
    /// Edges, each with the region to which they must lead.
    to: Vec<(Bdd, Bdd)>,
}

impl MoveSet {
    /// Moves that win at once, and no others.
    pub(super) fn winning(won: Bdd) -> Self {
        Self { won, to: Vec::new() }
    }

    fn and_to(&self, edges: Bdd, region: &Bdd) -> Self {
        let mut more = self.clone();
        more.to.push((edges, region.clone()));
        more
    }

    /// The moves from one state, over letters. `targets` caches the moves that lead to each region.
    // Diagrams are counted references: equal and hashed by their node, whose contents never change.
    #[allow(clippy::mutable_key_type)]
    pub(super) fn at(
        &self,
        arena: &SymbolicArena<'_>,
        state: &[(Variable, bool)],
        targets: &mut FxHashMap<Bdd, Bdd>,
    ) -> Result<Bdd, Limit> {
        let d = &arena.diagrams;
        let mut moves = d.restrict(&self.won, state)?;
        for (edges, region) in &self.to {
            let edges = d.restrict(edges, state)?;
            if edges == d.bottom {
                continue;
            }
            if !targets.contains_key(region) {
                targets.insert(region.clone(), d.replace(region, &arena.step)?);
            }
            moves = d.or(&moves, &d.and(&edges, &d.restrict(&targets[region], state)?)?)?;
        }
        Ok(moves)
    }

    /// The moves from some states.
    pub(super) fn from(&self, arena: &SymbolicArena<'_>, states: &Bdd) -> Result<Bdd, Limit> {
        let d = &arena.diagrams;
        let mut moves = d.and(states, &self.won)?;
        for (edges, region) in &self.to {
            let edges = d.and(states, edges)?;
            moves = d.or(&moves, &d.and(&edges, &d.replace(region, &arena.step)?)?)?;
        }
        Ok(moves)
    }
}

/// One step of a least fixpoint.
pub(super) struct FixpointLayer {
    /// The child of the tree's node that is pursued; the node itself if it is a leaf.
    pub(super) node: usize,
    pub(super) region: Bdd,
    pub(super) plan: FixpointPlan,
}

/// Moves that are winning because of the nodes above the current one.
struct Above {
    moves: MoveSet,
    /// The same moves as [`FixpointSolver::prepared`] returns them.
    prepared: Bdd,
}

/// Solves the game of every mode for one player.
pub(super) struct FixpointSolver<'s, 'a> {
    pub(super) arena: &'s SymbolicArena<'a>,
    pub(super) player: Player,
    /// The system must not violate a guarantee before an assumption is violated, even if that would help it.
    strict: bool,
    /// The positions of the first mode that matter.
    within: Bdd,
    pub(super) stages: BTreeMap<Mode, SolvedMode>,
}

enum SolveStop {
    Limit(Limit),
    /// The winner of the initial position is known before the whole region is.
    Decided,
}

impl From<Limit> for SolveStop {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

impl<'s, 'a> FixpointSolver<'s, 'a> {
    /// `within` must contain all positions that are reached before a duty is violated.
    pub(super) fn new(arena: &'s SymbolicArena<'a>, player: Player, within: &Bdd) -> Self {
        let within = within.clone();
        Self { arena, player, strict: false, within, stages: BTreeMap::new() }
    }

    /// For a system that never violates a guarantee before an assumption is violated. If it wins, the game after a
    /// violated guarantee need not be solved.
    pub(super) fn strict(arena: &'s SymbolicArena<'a>, within: &Bdd) -> Self {
        Self { strict: true, ..Self::new(arena, Player::System, within) }
    }

    /// Whether the player wins from the initial position.
    pub(super) fn solve(&mut self) -> Result<bool, Limit> {
        match self.stage(Mode::Open) {
            Ok(()) => {}
            Err(SolveStop::Decided) => return Ok(false),
            Err(SolveStop::Limit(limit)) => return Err(limit),
        }
        Ok(self.initially(&self.stages[&Mode::Open].region))
    }

    /// The initial states have code 0.
    fn initially(&self, region: &Bdd) -> bool {
        Diagrams::holds(region, &self.arena.initial())
    }

    /// The condition of a mode from the player's side.
    fn condition(&self, mode: Mode) -> ColorCondition {
        let condition = mode.objective(self.arena.compiled);
        match self.player {
            Player::System => condition,
            Player::Environment => condition.negated(),
        }
    }

    fn stage(&mut self, mode: Mode) -> Result<(), SolveStop> {
        let (d, player) = (&self.arena.diagrams, self.player);
        let mut won = d.bottom.clone();
        let mut stay = d.top.clone();
        for &(duty, next) in mode.exits() {
            let violated = self.arena.violated(duty);
            if *violated == d.bottom {
                continue;
            }
            let exit = d.and(&stay, violated)?;
            stay = d.minus(&stay, violated)?;
            let region = if next == Mode::FactViolated {
                d.constant(player == Player::System)
            } else if next == Mode::GuaranteeViolated && self.strict {
                d.bottom.clone()
            } else {
                if !self.stages.contains_key(&next) {
                    self.stage(next)?;
                }
                d.replace(&self.stages[&next].region, &self.arena.step)?
            };
            let win = d.and(&exit, &region)?;
            won = d.or(&won, &win)?;
        }
        let tree = ZielonkaTree::new(&self.condition(mode), d.budget)?;
        let mut inside = BTreeMap::new();
        for node in &tree.nodes {
            if inside.contains_key(&node.label) {
                continue;
            }
            let mut edges = stay.clone();
            for (position, &color) in tree.colors.enumerate() {
                if !node.label.contains(position) {
                    edges = d.minus(&edges, &self.arena.colors[color])?;
                }
            }
            inside.insert(node.label, edges);
        }
        let within = if mode == Mode::Open { self.within.clone() } else { d.top.clone() };
        let moves = MoveSet::winning(won);
        let above = Above { prepared: self.prepared(&moves.won)?, moves };
        let game = ModeGame { tree, inside, within };
        let (region, plan) = self.node(&game, mode == Mode::Open, 0, &above)?;
        self.stages.insert(mode, SolvedMode { game, region, plan: Rc::new(plan) });
        Ok(())
    }

    /// Moves as [`Self::node`] expects them: for the system only the states and inputs that have one, because
    /// existential quantification distributes over the later unions, so the set of edges is never built.
    fn prepared(&self, moves: &Bdd) -> Result<Bdd, Limit> {
        match self.player {
            Player::System => self.arena.diagrams.exists(moves, &self.arena.outputs),
            Player::Environment => Ok(moves.clone()),
        }
    }

    /// The `edges` that lead to a region, prepared.
    fn to(&self, edges: &Bdd, region: &Bdd) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let target = d.replace(region, &self.arena.step)?;
        match self.player {
            Player::System => d.and_exists(edges, &target, &self.arena.outputs),
            Player::Environment => d.and(edges, &target),
        }
    }

    /// Positions from which the player can force a move that is in `base` or `more`, both prepared.
    fn force(&self, game: &ModeGame, base: &Bdd, more: &Bdd) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let positions = match self.player {
            Player::System => d.forall_or(base, more, &self.arena.inputs)?,
            Player::Environment => {
                d.exists(&d.forall_or(base, more, &self.arena.outputs)?, &self.arena.inputs)?
            }
        };
        d.and(&positions, &game.within)
    }

    /// The fixpoint of a node and how the player wins from there.
    fn node(
        &self,
        game: &ModeGame,
        decisive: bool,
        n: usize,
        above: &Above,
    ) -> Result<(Bdd, FixpointPlan), SolveStop> {
        if game.tree.nodes[n].accepting {
            self.greatest(game, decisive, n, above)
        } else {
            self.least(game, n, above)
        }
    }

    /// The greatest fixpoint of a node that is good for the player: the intersection of its children.
    fn greatest(
        &self,
        game: &ModeGame,
        decisive: bool,
        n: usize,
        above: &Above,
    ) -> Result<(Bdd, FixpointPlan), SolveStop> {
        let d = &self.arena.diagrams;
        let node = &game.tree.nodes[n];
        let inside = &game.inside[&node.label];
        let mut region = game.within.clone();
        let mut plans: Vec<Option<FixpointPlan>> = node.children.iter().map(|_| None).collect();
        // Stable when every child in turn leaves it as it is; without children, when its own step does.
        let turns = node.children.len().max(1);
        let (mut stable, mut turn) = (0, 0);
        while stable < turns {
            let next = if let Some(&child) = node.children.get(turn) {
                let (part, plan) = self.child(game, n, child, above, &region)?;
                plans[turn] = Some(plan);
                d.and(&region, &part)?
            } else {
                self.force(game, &above.prepared, &self.to(inside, &region)?)?
            };
            if next == region {
                stable += 1;
            } else {
                (region, stable) = (next, 0);
                if decisive && !self.initially(&region) {
                    return Err(SolveStop::Decided);
                }
            }
            turn = (turn + 1) % turns;
        }
        let plan = if plans.is_empty() {
            FixpointPlan::Moves(above.moves.and_to(inside.clone(), &region))
        } else {
            FixpointPlan::Turns(n, plans.into_iter().flatten().collect())
        };
        Ok((region, plan))
    }

    /// The least fixpoint of a node that is not good for the player: the union of its children. Before the fixpoints of
    /// the children, which may contain greatest ones, the region is extended by all positions from which the player can
    /// force the play into it inside the label of the node; they belong to the winning region.
    fn least(&self, game: &ModeGame, n: usize, above: &Above) -> Result<(Bdd, FixpointPlan), SolveStop> {
        let d = &self.arena.diagrams;
        let node = &game.tree.nodes[n];
        let inside = &game.inside[&node.label];
        let mut layers = Vec::new();
        let mut region = d.bottom.clone();
        let (mut stable, mut turn) = (0, 0);
        loop {
            let nearer = self.force(game, &above.prepared, &self.to(inside, &region)?)?;
            let mut next = d.or(&region, &nearer)?;
            if next != region {
                let plan = FixpointPlan::Moves(above.moves.and_to(inside.clone(), &region));
                layers.push(FixpointLayer { node: n, region: next.clone(), plan });
            }
            while next == region && stable < node.children.len() {
                let child = node.children[turn];
                let (part, plan) = self.child(game, n, child, above, &region)?;
                turn = (turn + 1) % node.children.len();
                stable += 1;
                next = d.or(&region, &part)?;
                if next != region {
                    layers.push(FixpointLayer { node: child, region: part, plan });
                }
            }
            if next == region {
                return Ok((region, FixpointPlan::Layers(n, layers)));
            }
            (region, stable) = (next, 0);
        }
    }

    /// The fixpoint of a child, given a region of its parent: moves into that region that leave the child's label are
    /// winning, too.
    fn child(
        &self,
        game: &ModeGame,
        n: usize,
        child: usize,
        above: &Above,
        region: &Bdd,
    ) -> Result<(Bdd, FixpointPlan), SolveStop> {
        let leaving = self.leaving(game, n, child)?;
        let prepared = self.arena.diagrams.or(&above.prepared, &self.to(&leaving, region)?)?;
        let above = Above { moves: above.moves.and_to(leaving, region), prepared };
        self.node(game, false, child, &above)
    }

    /// The edges inside the label of a node and outside that of its child.
    fn leaving(&self, game: &ModeGame, n: usize, child: usize) -> Result<Bdd, Limit> {
        let label = |n: usize| &game.inside[&game.tree.nodes[n].label];
        self.arena.diagrams.minus(label(n), label(child))
    }

    /// Whether the player has won or lost in every position of a mode, so that nothing is left to do there.
    pub(super) fn is_settled(&self, mode: Mode) -> bool {
        let d = &self.arena.diagrams;
        let Some(stage) = self.stages.get(&mode) else { return true };
        let root = &stage.game.tree.nodes[0];
        let won = root.accepting && root.children.is_empty() && stage.game.inside[&root.label] == d.top;
        won || stage.region == d.bottom
    }
}
