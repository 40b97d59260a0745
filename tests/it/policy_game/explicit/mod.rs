//! The game of a policy by its definition: every position and every letter one by one, over all bits of letters. Shares
//! only the monitors of single laws with the library, not its game.
//!
//! A node is a set of positions that the agent cannot distinguish: all read the same letters, and a choice must be safe
//! in all of them. A letter of the world is possible if one of the positions allows it; positions in which it would
//! violate an `assume` law leave the set. In the plain game all sets have one element.

mod graph;
mod rules;

pub(crate) use graph::{Choice, Ends, Graph};
pub(crate) use rules::{Mode, Position, Rules};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::BitId;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::language::{ActionId, Ending, LawAtom, LawId};

/// Limits on the number of nodes and on the number of letters tried in all of them; a larger game is not solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) nodes: usize,
    pub(crate) letters: usize,
}

/// All nodes that letters of both players can reach.
pub(crate) struct Explicit<'a> {
    pub(crate) rules: Rules<'a>,
    nodes: Vec<Vec<Position>>,
    numbers: HashMap<Vec<Position>, usize>,
    /// Letters tried so far.
    letters: usize,
    pub(crate) graph: Graph,
}

/// All letters of the world, and all letters with a call of the agent.
struct Letters {
    world: Vec<u64>,
    calls: Vec<(ActionId, u64)>,
}

/// The sets of successors of a set of positions, given the successors of each: one of each, all with the same pending
/// calls. `None` if a letter may violate a kept law.
fn joined(members: &[BTreeSet<Option<Position>>]) -> Option<BTreeSet<Vec<Position>>> {
    let mut all: BTreeMap<_, Vec<Vec<Position>>> = BTreeMap::new();
    for (at, ends) in members.iter().enumerate() {
        let mut by_pending: BTreeMap<_, Vec<&Position>> = BTreeMap::new();
        for end in ends {
            let end = end.as_ref()?;
            by_pending.entry(end.pending.clone()).or_default().push(end);
        }
        for (pending, ends) in by_pending {
            let before = all.entry(pending).or_default();
            if at == 0 {
                before.push(Vec::new());
            }
            let more = |set: &Vec<Position>| {
                let set = set.clone();
                ends.iter()
                    .map(move |&end| [set.as_slice(), std::slice::from_ref(end)].concat())
                    .collect::<Vec<_>>()
            };
            *before = before.iter().flat_map(more).collect();
        }
    }
    let sorted = |mut set: Vec<Position>| {
        set.sort();
        set
    };
    Some(all.into_values().flatten().map(sorted).collect())
}

impl<'a> Explicit<'a> {
    /// Explores the plain game from its beginning and solves it; `None` if it is too large.
    pub(crate) fn solve(
        compiled: &'a CompiledPolicy,
        kept: &[LawId],
        copies: usize,
        bounds: Bounds,
    ) -> Option<Self> {
        let rules = Rules::new(compiled, kept, copies);
        let start = vec![rules.initial()];
        Self::from(rules, vec![start], bounds)
    }
    /// The same from some sets of positions.
    pub(crate) fn from(rules: Rules<'a>, starts: Vec<Vec<Position>>, bounds: Bounds) -> Option<Self> {
        let policy = &rules.compiled.policy;
        let graph = Graph { idle: policy.idle, is_finite: policy.end == Ending::Finite, ..Graph::default() };
        let mut own = Self { rules, nodes: Vec::new(), numbers: HashMap::new(), letters: 0, graph };
        for mut start in starts {
            start.sort();
            own.number(start);
        }
        let letters = own.all_letters();
        let mut at = 0;
        while at < own.nodes.len() {
            own.explore(at, &letters);
            at += 1;
            if own.nodes.len() > bounds.nodes || own.letters > bounds.letters {
                return None;
            }
        }
        own.graph.fixpoints();
        Some(own)
    }
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
    /// The positions of a node.
    pub(crate) fn set(&self, node: usize) -> &[Position] {
        &self.nodes[node]
    }
    /// The position of a node of the plain game.
    pub(crate) fn position(&self, node: usize) -> &Position {
        &self.nodes[node][0]
    }
    /// The actions with a choice that is safe for a set of nodes. With one copy of laws with bound values, the choices
    /// are those for the values of that copy.
    pub(crate) fn actions(&self, node: usize, safe: &[bool]) -> Vec<ActionId> {
        let is_one = self.rules.copies == 1 && self.rules.has_key();
        self.graph.actions(node, safe, &|choice| !is_one || choice.mask == 1)
    }
    fn number(&mut self, set: Vec<Position>) -> usize {
        if let Some(&number) = self.numbers.get(&set) {
            return number;
        }
        self.numbers.insert(set.clone(), self.nodes.len());
        self.nodes.push(set);
        self.nodes.len() - 1
    }
    fn ends(&mut self, members: &[BTreeSet<Option<Position>>]) -> Ends {
        match joined(members) {
            Some(sets) => sets.into_iter().map(|set| Some(self.number(set))).collect(),
            None => Ends::from([None]),
        }
    }
    fn all_letters(&self) -> Letters {
        let rules = &self.rules;
        let world_truths = Rules::subsets(&rules.bits_of(false));
        let agent_truths = Rules::subsets(&rules.bits_of(true));
        let outcomes = rules.outcomes(rules.mode == Mode::Apart);
        let world = outcomes.iter().flat_map(|o| world_truths.iter().map(move |t| o | t)).collect();
        let actions = rules.compiled.policy.atoms.actions.ids();
        let calls = actions.flat_map(|id| agent_truths.iter().map(move |truths| (id, *truths)));
        let calls = calls.map(|(id, truths)| (id, truths | rules.bit(LawAtom::Call(id)))).collect();
        Letters { world, calls }
    }
    /// The nodes to which a letter may lead; `None` if no position allows it. With `is_observed` its truths join the
    /// next call.
    fn answer(&mut self, set: &[Position], bits: u64, mask: u32, is_observed: bool) -> Option<Ends> {
        self.letters += 1;
        let mut members = Vec::new();
        for place in set {
            let (ends, broken) = if is_observed {
                let ends = self.rules.observe(place, bits);
                (ends.clone().unwrap_or_default(), ends.is_none())
            } else {
                self.rules.after(place, bits, mask)
            };
            if !broken && !ends.is_empty() {
                members.push(ends);
            }
        }
        (!members.is_empty()).then(|| self.ends(&members))
    }
    fn explore(&mut self, at: usize, all: &Letters) {
        let set = self.nodes[at].clone();
        let mut letters: BTreeSet<Ends> = BTreeSet::new();
        let mode = self.rules.mode;
        for &bits in all.world.iter().filter(|&&bits| bits != 0 && mode != Mode::CallFirst) {
            let is_observed = mode == Mode::TruthsFirst;
            if !is_observed && !self.rules.is_framed(0, bits) {
                continue;
            }
            for mask in if is_observed { vec![0] } else { self.rules.masks(bits) } {
                letters.extend(self.answer(&set, bits, mask, is_observed));
            }
        }
        let mut choices = Vec::new();
        for &(action, letter) in &all.calls {
            if mode == Mode::CallFirst {
                let mut answers = BTreeSet::new();
                for &more in &all.world {
                    if self.rules.is_framed(set[0].last, letter | more) {
                        answers.extend(self.answer(&set, letter | more, 0, false));
                    }
                }
                choices.push(Choice { action, letter, mask: 0, answers: answers.into_iter().collect() });
                continue;
            }
            let whole = letter | set[0].truths;
            if !self.rules.is_framed(0, whole) {
                continue;
            }
            for mask in self.rules.masks(letter) {
                self.letters += 1;
                let members: Vec<_> =
                    set.iter().map(|place| self.rules.after(place, whole, mask).0).collect();
                let ends = self.ends(&members);
                let answers = ends.into_iter().map(|end| Ends::from([end])).collect();
                choices.push(Choice { action, letter, mask, answers });
            }
        }
        self.graph.end.push(set.iter().all(|place| self.rules.is_accepted(place)));
        self.graph.world.push(letters.into_iter().collect());
        self.graph.choices.push(choices);
    }
}

/// The letter with these bits.
pub(crate) fn bits(all: u64) -> tsl_synth_core::logic::Letter {
    (0..64).filter(|i| all >> i & 1 == 1).map(BitId::from_index).collect()
}
