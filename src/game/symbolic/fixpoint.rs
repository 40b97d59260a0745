//! Winning regions of Emerson-Lei games as nested fixpoints that follow the Zielonka tree.
//!
//! Hausmann, Lehaut and Piterman, "Symbolic solution of Emerson-Lei games for reactive synthesis", FoSSaCS
//! 2024, definition 7 and theorem 1, here with colors on edges. A node whose label is good for the player is a
//! greatest fixpoint and the intersection of its children, any other a least fixpoint and their union. For
//! safety, (generalized) Büchi and GR(1) conditions these are the well-known fixpoints (Bloem, Jobstmann,
//! Piterman, Pnueli and Sa'ar, JCSS 2012). O(states^height) steps in the worst case.

use super::arena::{Arena, Mode};
use super::diagrams::{Bdd, Diagrams};
use crate::base::Limit;
use crate::game::condition::{Colors, Condition, ZielonkaTree};
use crate::logic::Player;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The game of one mode.
pub(super) struct Stage {
    pub(super) tree: ZielonkaTree,
    /// The moves with which the player wins by leaving the mode.
    won: Bdd,
    /// For each label of the tree, the edges without a color outside it.
    pub(super) inside: BTreeMap<Colors, Bdd>,
    /// The positions that matter: all that can be reached in this mode, perhaps others.
    within: Bdd,
    /// The positions from which the player wins.
    pub(super) region: Bdd,
}

/// How the player wins from a region.
pub(super) enum Plan {
    /// A leaf of the tree: any of these moves.
    Moves(Moves),
    /// Each child's goal in turn; the tree's node and its children's plans.
    Turns(usize, Vec<Plan>),
    /// The first layer that holds the position; every move that leaves the child's label comes to an earlier
    /// layer.
    Layers(usize, Vec<Layer>),
}

/// A set of moves that is made only where it is looked at: all of it would be large, and for every layer anew.
#[derive(Clone)]
pub(super) struct Moves {
    /// Moves that win at once.
    won: Bdd,
    /// The edges with which the play may come to a region.
    to: Vec<(Bdd, Bdd)>,
}

impl Moves {
    /// Moves that win at once, and no others.
    pub(super) fn winning(won: Bdd) -> Self {
        Self { won, to: Vec::new() }
    }

    fn and_to(&self, edges: Bdd, region: &Bdd) -> Self {
        let mut more = self.clone();
        more.to.push((edges, region.clone()));
        more
    }

    /// Those from one state, over letters. `targets` remembers the moves that come to each region.
    // Diagrams are counted references: equal and hashed by their node, whose contents never change.
    #[allow(clippy::mutable_key_type)]
    pub(super) fn at(
        &self,
        arena: &Arena<'_>,
        state: &[(usize, bool)],
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

    /// Those from some states.
    pub(super) fn from(&self, arena: &Arena<'_>, states: &Bdd) -> Result<Bdd, Limit> {
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
pub(super) struct Layer {
    /// The child of the tree's node that is pursued; the node itself if it is a leaf.
    pub(super) node: usize,
    pub(super) region: Bdd,
    pub(super) plan: Plan,
}

/// Solves the game of every mode for one player.
pub(super) struct Solver<'s, 'a> {
    pub(super) arena: &'s Arena<'a>,
    pub(super) player: Player,
    /// The system never violates a guarantee before an assumption is violated: not even where that would help it.
    strict: bool,
    /// The positions of the first mode that matter.
    within: Bdd,
    pub(super) stages: BTreeMap<Mode, Stage>,
    plans: RefCell<BTreeMap<Mode, Rc<Plan>>>,
}

enum Stop {
    Limit(Limit),
    /// The winner of the initial position is known before the whole region is.
    Decided,
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

impl<'s, 'a> Solver<'s, 'a> {
    /// All positions that are reached before something is violated are `within`.
    pub(super) fn new(arena: &'s Arena<'a>, player: Player, within: &Bdd) -> Self {
        let within = within.clone();
        Self { arena, player, strict: false, within, stages: BTreeMap::new(), plans: RefCell::default() }
    }

    /// For a system that never violates a guarantee before an assumption is violated. If it wins all the same, it has
    /// no use for the game that would follow.
    pub(super) fn strict(arena: &'s Arena<'a>, within: &Bdd) -> Self {
        Self { strict: true, ..Self::new(arena, Player::System, within) }
    }

    /// Whether the player wins from the initial position.
    pub(super) fn solve(&mut self) -> Result<bool, Limit> {
        match self.stage(Mode::Open) {
            Ok(()) => {}
            Err(Stop::Decided) => return Ok(false),
            Err(Stop::Limit(limit)) => return Err(limit),
        }
        Ok(self.initially(&self.stages[&Mode::Open].region))
    }

    /// The initial states have code 0.
    fn initially(&self, region: &Bdd) -> bool {
        Diagrams::holds(region, &self.arena.initial())
    }

    /// The condition of a mode from the player's side.
    fn condition(&self, mode: Mode) -> Condition {
        let condition = mode.objective(self.arena.components);
        match self.player {
            Player::System => condition,
            Player::Environment => condition.negated(),
        }
    }

    fn stage(&mut self, mode: Mode) -> Result<(), Stop> {
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
            let region = if next == Mode::Absurd {
                d.constant(player == Player::System)
            } else if next == Mode::Failed && self.strict {
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
            for (color, &c) in tree.colors.iter().enumerate() {
                if node.label >> color & 1 == 0 {
                    edges = d.minus(&edges, &self.arena.colors[c])?;
                }
            }
            inside.insert(node.label, edges);
        }
        let within = if mode == Mode::Open { self.within.clone() } else { d.top.clone() };
        let region = d.bottom.clone();
        let mut stage = Stage { tree, won, inside, within, region };
        let base = self.prepared(&stage.won)?;
        stage.region = self.node(&stage, mode == Mode::Open, 0, &base)?;
        self.stages.insert(mode, stage);
        Ok(())
    }

    /// Moves as [`Self::node`] wants them: of the system only after which inputs it has one, because existential
    /// quantification distributes over the unions to come, and the edges themselves are never made.
    fn prepared(&self, moves: &Bdd) -> Result<Bdd, Limit> {
        match self.player {
            Player::System => self.arena.diagrams.exists(moves, &self.arena.outputs),
            Player::Environment => Ok(moves.clone()),
        }
    }

    /// The `edges` that come to a region, prepared.
    fn to(&self, edges: &Bdd, region: &Bdd) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let target = d.replace(region, &self.arena.step)?;
        match self.player {
            Player::System => d.and_exists(edges, &target, &self.arena.outputs),
            Player::Environment => d.and(edges, &target),
        }
    }

    /// Positions from which the player can force a move that is in `base` or `more`, both prepared.
    fn force(&self, stage: &Stage, base: &Bdd, more: &Bdd) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let positions = match self.player {
            Player::System => d.forall_or(base, more, &self.arena.inputs)?,
            Player::Environment => {
                d.exists(&d.forall_or(base, more, &self.arena.outputs)?, &self.arena.inputs)?
            }
        };
        d.and(&positions, &stage.within)
    }

    /// The fixpoint of a node. `base` are the moves, prepared, that are good because of the nodes above.
    fn node(&self, stage: &Stage, decisive: bool, n: usize, base: &Bdd) -> Result<Bdd, Stop> {
        let d = &self.arena.diagrams;
        let node = &stage.tree.nodes[n];
        let mut region = if node.accepting {
            stage.within.clone()
        } else {
            self.attracted(stage, n, base, d.bottom.clone())?
        };
        // A region is stable when every child in turn leaves it as it is; without children, when its own step does.
        let turns = node.children.len().max(usize::from(node.accepting));
        let (mut stable, mut turn) = (0, 0);
        while stable < turns {
            let next = if let Some(&child) = node.children.get(turn) {
                let leaving = self.to(&self.leaving(stage, n, child)?, &region)?;
                let part = self.node(stage, false, child, &d.or(base, &leaving)?)?;
                if node.accepting { d.and(&region, &part)? } else { d.or(&region, &part)? }
            } else {
                self.force(stage, base, &self.to(&stage.inside[&node.label], &region)?)?
            };
            if next == region {
                stable += 1;
            } else {
                stable = 0;
                region = if node.accepting { next } else { self.attracted(stage, n, base, next)? };
                if decisive && node.accepting && !self.initially(&region) {
                    return Err(Stop::Decided);
                }
            }
            turn = (turn + 1) % turns;
        }
        Ok(region)
    }

    /// A region of a least fixpoint and all positions from which the player can force the play into it, inside the
    /// label of the node. Winning regions hold all of these, so this is a shortcut: the fixpoints of the children find
    /// them one step at a time, each with a greatest fixpoint of its own.
    fn attracted(&self, stage: &Stage, n: usize, base: &Bdd, mut region: Bdd) -> Result<Bdd, Limit> {
        loop {
            let next = self.nearer(stage, n, base, &region)?;
            if next == region {
                return Ok(region);
            }
            region = next;
        }
    }

    /// One step of [`Self::attracted`].
    fn nearer(&self, stage: &Stage, n: usize, base: &Bdd, region: &Bdd) -> Result<Bdd, Limit> {
        let inside = &stage.inside[&stage.tree.nodes[n].label];
        let part = self.force(stage, base, &self.to(inside, region)?)?;
        self.arena.diagrams.or(region, &part)
    }

    /// The edges inside the label of a node and outside that of its child.
    fn leaving(&self, stage: &Stage, n: usize, child: usize) -> Result<Bdd, Limit> {
        let label = |n: usize| &stage.inside[&stage.tree.nodes[n].label];
        self.arena.diagrams.minus(label(n), label(child))
    }

    /// Whether nothing has to be done in a mode: the player has won or lost, wherever it is.
    pub(super) fn is_settled(&self, mode: Mode) -> bool {
        let d = &self.arena.diagrams;
        let Some(stage) = self.stages.get(&mode) else { return true };
        let root = &stage.tree.nodes[0];
        let won = root.accepting && root.children.is_empty() && stage.inside[&root.label] == d.top;
        won || stage.region == d.bottom
    }

    /// How the player wins in a mode from its region; computed once.
    pub(super) fn plan(&self, mode: Mode) -> Result<Rc<Plan>, Limit> {
        if let Some(plan) = self.plans.borrow().get(&mode) {
            return Ok(Rc::clone(plan));
        }
        let stage = &self.stages[&mode];
        let plan = match self.plan_from(stage) {
            Ok(plan) => Rc::new(plan),
            Err(Stop::Limit(limit)) => return Err(limit),
            Err(Stop::Decided) => unreachable!("only the first solution stops early"),
        };
        self.plans.borrow_mut().insert(mode, Rc::clone(&plan));
        Ok(plan)
    }

    fn plan_from(&self, stage: &Stage) -> Result<Plan, Stop> {
        let moves = Moves::winning(stage.won.clone());
        self.plan_of(stage, 0, &moves, &self.prepared(&stage.won)?, Some(&stage.region))
    }

    /// The plan of a node, given the moves that are good because of the nodes above, the same prepared, and its region if
    /// that is known.
    fn plan_of(
        &self,
        stage: &Stage,
        n: usize,
        moves: &Moves,
        base: &Bdd,
        region: Option<&Bdd>,
    ) -> Result<Plan, Stop> {
        let d = &self.arena.diagrams;
        let node = &stage.tree.nodes[n];
        let inside = &stage.inside[&node.label];
        let below = |child: usize, region: &Bdd| -> Result<(Moves, Bdd), Limit> {
            let edges = self.leaving(stage, n, child)?;
            let base = d.or(base, &self.to(&edges, region)?)?;
            Ok((moves.and_to(edges, region), base))
        };
        if node.accepting {
            let region = match region {
                Some(region) => region.clone(),
                None => self.node(stage, false, n, base)?,
            };
            if node.children.is_empty() {
                return Ok(Plan::Moves(moves.and_to(inside.clone(), &region)));
            }
            let child_plan = |&child: &usize| {
                let (moves, base) = below(child, &region)?;
                self.plan_of(stage, child, &moves, &base, None)
            };
            let plans: Result<Vec<Plan>, Stop> = node.children.iter().map(child_plan).collect();
            return Ok(Plan::Turns(n, plans?));
        }
        // A least fixpoint, layer by layer, in the order of `node` and `attracted`.
        let mut layers = Vec::new();
        let mut region = d.bottom.clone();
        let (mut stable, mut turn) = (0, 0);
        loop {
            let next = self.nearer(stage, n, base, &region)?;
            if next != region {
                let plan = Plan::Moves(moves.and_to(inside.clone(), &region));
                layers.push(Layer { node: n, region: next.clone(), plan });
                (region, stable) = (next, 0);
                continue;
            }
            while stable < node.children.len() && next == region {
                let child = node.children[turn];
                let (moves, base) = below(child, &region)?;
                let part = self.node(stage, false, child, &base)?;
                turn = (turn + 1) % node.children.len();
                stable += 1;
                if d.minus(&part, &region)? != d.bottom {
                    let plan = self.plan_of(stage, child, &moves, &base, Some(&part))?;
                    region = d.or(&region, &part)?;
                    layers.push(Layer { node: child, region: part, plan });
                }
            }
            if next == region {
                break;
            }
            stable = 0;
        }
        Ok(Plan::Layers(n, layers))
    }
}
