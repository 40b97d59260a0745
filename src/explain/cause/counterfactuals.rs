//! The automaton of the *counterfactuals*: the input sequences above one that breaks the effect, in difference space.
//! Its language is the complement of the cause.
//!
//! Source: the definition of Finkbeiner, Frenkel, Metzger and Siber, *Synthesis of temporal causality* (CAV 2024), in
//! the closed form "σ is in the cause iff no ρ ≤ σ breaks the effect", with the trace first: states are pairs of lasso
//! position, system state and state of the automaton of plays without the effect, and an edge with flips d admits every
//! far letter D ⊇ d. O(|trace| · |system| · |automaton|) states. Checked by brute force in `tests/it/oracle/causes.rs`
//! and by `certify`.

use super::flips::{FlipLabel, Flips, MOST_INPUTS, labels};
use super::question::{CauseQuestion, shortest_lasso};
use rustc_hash::FxHashMap;
use tsl_synth_automata::components;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Guards, Lasso, Player};
use tsl_synth_core::model::{Buchi, Marks, NodeId};

/// The order in which input sequences are close to the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlipOrder {
    /// By inclusion of the changed cells.
    #[default]
    Inclusion,
    /// The order without infinite descending chains: an input that a sequence changes infinitely often has to
    /// agree with the far sequence everywhere, so closest sequences exist.
    LimitAssumption,
}

/// An edge, which admits the letters of its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Arc {
    pub(super) next: usize,
    pub(super) accepting: bool,
    pub(super) label: FlipLabel,
}

/// The automaton: Büchi with acceptance on edges, only states from which something is accepted.
#[derive(Clone, Debug)]
pub(super) struct Counterfactuals {
    /// The inputs; the i-th is bit i of a set of flips.
    pub(super) inputs: Vec<BitId>,
    /// The actual inputs.
    pub(super) actual: Lasso,
    /// The initial states.
    pub(super) initial: Vec<usize>,
    /// The lasso position of every state.
    pub(super) position: Vec<usize>,
    /// The edges of every state; none from a top state.
    pub(super) arcs: Vec<Vec<Arc>>,
    /// States that accept every continuation, since the actual one without further flips already breaks the
    /// effect.
    pub(super) top: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SpoilerState {
    position: usize,
    system: NodeId,
    without: NodeId,
    /// How many Büchi sets have been seen in order.
    level: usize,
    /// The inputs that agree with the far sequence everywhere.
    exact: Flips,
    /// No further flips except those of `exact`.
    settled: bool,
}

/// An edge of system and automaton together, as a set of input letters.
#[derive(Clone, Copy)]
struct JointEdge {
    inputs: Guard,
    system: NodeId,
    without: NodeId,
    marks: Marks,
}

impl Counterfactuals {
    /// The automaton of a question.
    ///
    /// # Errors
    /// A limit, among them more than 64 inputs.
    pub(super) fn new(
        question: &CauseQuestion<'_>,
        order: FlipOrder,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let inputs = question.inputs();
        if inputs.len() > MOST_INPUTS {
            let what = format!("causes among more than {MOST_INPUTS} inputs");
            return Err(Limit::new(LimitKind::Size, what));
        }
        let sets = question.system.sets + question.without.sets;
        if sets > Marks::MAX_SETS {
            return Err(Limit::new(LimitKind::Size, "a product with more than 64 acceptance sets"));
        }
        // Only the inputs of the trace matter, and their lasso may be shorter than that of the play.
        let environment = |letter: &tsl_synth_core::logic::Letter| {
            letter.iter().filter(|&bit| question.alphabet.owner(bit) == Player::Environment).collect()
        };
        let actual = shortest_lasso(&Lasso {
            prefix: question.actual.prefix.iter().map(environment).collect(),
            cycle: question.actual.cycle.iter().map(environment).collect(),
        });
        let mut builder = SpoilerBuilder {
            question,
            actual: &actual,
            budget,
            sets,
            inputs: &inputs,
            pairs: JointEdges::new(question),
            labels: FxHashMap::default(),
            keys: Vec::new(),
            index: FxHashMap::default(),
        };
        let (initial, arcs) = builder.build(order)?;
        let top = vec![false; arcs.len()];
        let position = builder.keys.iter().map(|key| key.position).collect();
        let mut this = Self { inputs, actual, initial, position, arcs, top };
        this.trim();
        Ok(this)
    }

    /// Whether no play on the actual inputs breaks the effect.
    pub(super) fn spares_actual(&self) -> bool {
        !self.initial.iter().any(|&s| self.top[s])
    }

    /// The states after a letter of differences, sorted; `None` when a top state is among them.
    pub(super) fn step(&self, states: &[usize], flips: Flips) -> Option<Vec<usize>> {
        let mut next = Vec::new();
        for &s in states {
            for arc in self.arcs[s].iter().filter(|arc| arc.label.admits(flips)) {
                if self.top[arc.next] {
                    return None;
                }
                next.push(arc.next);
            }
        }
        next.sort_unstable();
        next.dedup();
        Some(next)
    }

    /// The inputs in the labels of the edges.
    pub(super) fn support(&self) -> Flips {
        self.arcs.iter().flatten().fold(0, |all, arc| all | arc.label.need | arc.label.forbid)
    }

    /// Finds the top states and removes states that accept nothing or cannot be reached.
    fn trim(&mut self) {
        let alive = self.accepting_from(|_| true);
        let top = self.accepting_from(|arc| arc.label == FlipLabel::default());
        let mut map = vec![usize::MAX; self.arcs.len()];
        let mut order: Vec<usize> = Vec::new();
        let mut visit = |s: usize, order: &mut Vec<usize>| {
            if !alive[s] {
                return None;
            }
            if map[s] == usize::MAX {
                map[s] = order.len();
                order.push(s);
            }
            Some(map[s])
        };
        let initial: Vec<usize> = self.initial.iter().filter_map(|&s| visit(s, &mut order)).collect();
        let mut arcs: Vec<Vec<Arc>> = Vec::new();
        while arcs.len() < order.len() {
            let s = order[arcs.len()];
            let mut out = Vec::new();
            if !top[s] {
                for arc in &self.arcs[s] {
                    if let Some(next) = visit(arc.next, &mut order) {
                        out.push(Arc { next, ..*arc });
                    }
                }
            }
            arcs.push(out);
        }
        self.initial = initial;
        self.top = order.iter().map(|&s| top[s]).collect();
        self.position = order.iter().map(|&s| self.position[s]).collect();
        self.arcs = arcs;
        self.initial.sort_unstable();
        self.initial.dedup();
    }

    /// The states with an accepting run over edges that `allowed` lets through.
    fn accepting_from(&self, allowed: impl Fn(&Arc) -> bool) -> Vec<bool> {
        let successors: Vec<Vec<usize>> = self
            .arcs
            .iter()
            .map(|arcs| arcs.iter().filter(|arc| allowed(arc)).map(|arc| arc.next).collect())
            .collect();
        let component = components(&successors);
        let mut good = component.table(false);
        // Components come in reverse topological order: successors first.
        let mut order: Vec<usize> = (0..self.arcs.len()).collect();
        order.sort_by_key(|&s| component[s]);
        for &s in &order {
            for arc in self.arcs[s].iter().filter(|arc| allowed(arc)) {
                let inner = component[s] == component[arc.next];
                good[component[s]] |= if inner { arc.accepting } else { good[component[arc.next]] };
            }
        }
        // Only now is `good` final for each component: its last state may have set it.
        component.iter().map(|c| good[c]).collect()
    }
}

/// The edges of the product of system and automaton, computed once per pair of states.
struct JointEdges<'a> {
    question: &'a CauseQuestion<'a>,
    guards: Guards,
    system: FxHashMap<NodeId, Vec<(Guard, NodeId, Marks)>>,
    without: FxHashMap<NodeId, Vec<(Guard, NodeId, Marks)>>,
    joint: FxHashMap<(NodeId, NodeId), std::rc::Rc<[JointEdge]>>,
    /// The input letters that two guards have in common: large machines have few guards.
    common: FxHashMap<(Guard, Guard), Guard>,
}

impl<'a> JointEdges<'a> {
    fn new(question: &'a CauseQuestion<'a>) -> Self {
        let (system, without) = (FxHashMap::default(), FxHashMap::default());
        let (joint, common) = (FxHashMap::default(), FxHashMap::default());
        Self { question, guards: Guards::new(), system, without, joint, common }
    }
    fn copied(
        automaton: &Buchi,
        state: NodeId,
        shift: usize,
        guards: &mut Guards,
    ) -> Vec<(Guard, NodeId, Marks)> {
        let copy = |edge: &tsl_synth_core::model::Edge| {
            let marks = (0..automaton.sets)
                .filter(|&set| edge.marks.covers(Marks::of(set)))
                .fold(Marks::NONE, |marks, set| marks.union(Marks::of(set + shift)));
            (automaton.guards.copy_into(edge.guard, guards), edge.next, marks)
        };
        automaton.edges[state].iter().map(copy).collect()
    }
    fn of(
        &mut self,
        system: NodeId,
        without: NodeId,
        budget: &Budget,
    ) -> Result<std::rc::Rc<[JointEdge]>, Limit> {
        if let Some(joint) = self.joint.get(&(system, without)) {
            return Ok(joint.clone());
        }
        let CauseQuestion { alphabet, system: plays, without: automaton, .. } = *self.question;
        let guards = &mut self.guards;
        let left = self.system.entry(system).or_insert_with(|| Self::copied(plays, system, 0, guards));
        let right = self
            .without
            .entry(without)
            .or_insert_with(|| Self::copied(automaton, without, plays.sets, guards));
        let mut joint = Vec::new();
        for &(g, system, m) in left.iter() {
            for &(h, without, n) in right.iter() {
                budget.tick(1, || "the product of trace, machine and effect".into())?;
                let inputs = *self.common.entry((g, h)).or_insert_with(|| {
                    let both = guards.and(g, h);
                    guards.exists(both, &|bit| alphabet.owner(bit) == Player::System)
                });
                if inputs != Guard::FALSE {
                    joint.push(JointEdge { inputs, system, without, marks: m.union(n) });
                }
            }
        }
        let joint: std::rc::Rc<[JointEdge]> = joint.into();
        self.joint.insert((system, without), joint.clone());
        Ok(joint)
    }
}

struct SpoilerBuilder<'a> {
    question: &'a CauseQuestion<'a>,
    actual: &'a Lasso,
    budget: &'a Budget,
    sets: usize,
    inputs: &'a [BitId],
    pairs: JointEdges<'a>,
    labels: FxHashMap<(Guard, usize, Flips), std::rc::Rc<[FlipLabel]>>,
    keys: Vec<SpoilerState>,
    index: FxHashMap<SpoilerState, usize>,
}

impl SpoilerBuilder<'_> {
    fn state(&mut self, key: SpoilerState) -> usize {
        *self.index.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() - 1
        })
    }

    fn build(&mut self, order: FlipOrder) -> Result<(Vec<usize>, Vec<Vec<Arc>>), Limit> {
        let frozen: Vec<Flips> = match order {
            FlipOrder::Inclusion => vec![0],
            FlipOrder::LimitAssumption if self.inputs.len() > 12 => {
                let what = "the limit assumption with more than 12 inputs";
                return Err(Limit::new(LimitKind::Size, what));
            }
            FlipOrder::LimitAssumption => (0..1 << self.inputs.len()).collect(),
        };
        let mut initial = Vec::new();
        for &exact in &frozen {
            for &system in &self.question.system.initial {
                for &without in &self.question.without.initial {
                    let settled = order == FlipOrder::Inclusion;
                    initial.push(self.state(SpoilerState {
                        position: 0,
                        system,
                        without,
                        level: 0,
                        exact,
                        settled,
                    }));
                }
            }
        }
        let mut arcs = Vec::new();
        while arcs.len() < self.keys.len() {
            let out = self.arcs(self.keys[arcs.len()], order)?;
            self.budget
                .charge(64 + 48 * out.len() as u64, || "the product of trace, machine and effect".into())?;
            arcs.push(out);
        }
        Ok((initial, arcs))
    }

    fn arcs(&mut self, key: SpoilerState, order: FlipOrder) -> Result<Vec<Arc>, Limit> {
        let actual = self.actual;
        let letter = actual.letter(key.position);
        let position = actual.successor(key.position);
        let mut arcs: Vec<Arc> = Vec::new();
        for joint in self.pairs.of(key.system, key.without, self.budget)?.iter() {
            let (guards, inputs) = (&self.pairs.guards, self.inputs);
            let labels = self
                .labels
                .entry((joint.inputs, key.position, key.exact))
                .or_insert_with(|| labels(guards, joint.inputs, inputs, letter, key.exact).into())
                .clone();
            self.budget
                .tick(1 + labels.len() as u64, || "the product of trace, machine and effect".into())?;
            let (level, full) = self.level(key.level, joint.marks);
            for &label in labels.iter() {
                // Under the limit assumption a run guesses when its last flip has passed.
                let choices: &[bool] = match order {
                    FlipOrder::Inclusion => &[true],
                    FlipOrder::LimitAssumption if label.need & !key.exact != 0 => {
                        if key.settled {
                            &[]
                        } else {
                            &[false]
                        }
                    }
                    FlipOrder::LimitAssumption if key.settled => &[true],
                    FlipOrder::LimitAssumption => &[false, true],
                };
                for &settled in choices {
                    let (system, without) = (joint.system, joint.without);
                    let next = self.state(SpoilerState {
                        position,
                        system,
                        without,
                        level,
                        exact: key.exact,
                        settled,
                    });
                    arcs.push(Arc { next, accepting: full && settled, label });
                }
            }
        }
        Ok(antichain(arcs))
    }

    /// The next level of the counter over acceptance sets, and whether it has passed all of them.
    fn level(&self, level: usize, marks: Marks) -> (usize, bool) {
        let onwards =
            |from: usize| (from..self.sets).find(|&set| !marks.covers(Marks::of(set))).unwrap_or(self.sets);
        match onwards(level) {
            full if full == self.sets => {
                let again = onwards(0);
                (if again == self.sets { 0 } else { again }, true)
            }
            next => (next, false),
        }
    }
}

/// Drops arcs that another arc to the same state covers.
fn antichain(mut arcs: Vec<Arc>) -> Vec<Arc> {
    arcs.sort_unstable_by_key(|arc| {
        (arc.next, !arc.accepting, arc.label.need.count_ones() + arc.label.forbid.count_ones(), arc.label)
    });
    arcs.dedup();
    let mut kept: Vec<Arc> = Vec::with_capacity(arcs.len());
    for arc in arcs {
        let covered = kept.iter().rev().take_while(|k| k.next == arc.next).any(|k| k.label.covers(arc.label));
        if !covered {
            kept.push(arc);
        }
    }
    kept
}
