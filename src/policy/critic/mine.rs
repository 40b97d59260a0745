//! Soft laws mined from recorded runs, without a model: bans of actions that fail, and of actions that the shortest
//! runs to a goal never need.
//!
//! The sources are those of LTLCrit, section 3.4. From *errors of the environment*: a condition that held in every step
//! in which an action succeeded, and did not hold in steps in which it failed, is taken as a requirement of the action.
//! From *efficiency*: an action that the shortest runs never take while a condition holds, although it held in at least
//! half of them, is banned while it holds, if other runs took it often.
//!
//! The shortest runs keep every law of the second kind. Moreover, no such law makes the goal unreachable: in the graph
//! of all recorded steps between sets of features, each state with a path to the goal keeps one by steps that these
//! laws allow.
//!
//! Both are computed as greedy set covers: the condition that holds in the most unexplained steps is chosen first,
//! conditions of two literals only if none of a single one has enough support; among equal ones, the one declared
//! first. Time: the number of actions times features (squared for conditions of two) times steps.

use super::runs::{Feature, FeatureId, Run, RunStep};
use crate::CompiledPolicy;
use crate::analysis::AnalysisFrame;
use crate::language::words::{LawTree, Temporal};
use crate::language::{ActionId, Timing};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Id, IdSet};
use tsl_synth_core::logic::{BitId, Guard};
use tsl_synth_core::model::{CallOutcome, EditKind, LawEdit};

/// The evidence that mining requires.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MineOptions {
    /// The least number of steps that support a law.
    pub support: usize,
    /// Of the runs that reach the goal, one in this many counts among the shortest; at least two do.
    pub elite: usize,
}

impl Default for MineOptions {
    fn default() -> Self {
        Self { support: 4, elite: 10 }
    }
}

/// The smallest number of successes of an action from which its requirements are inferred.
const SUCCESSES: usize = 3;

/// A feature that holds, or one that does not.
type Literal = (FeatureId, bool);

fn satisfies(holds: &IdSet<FeatureId>, condition: &[Literal]) -> bool {
    condition.iter().all(|&(feature, is_true)| holds.contains(feature) == is_true)
}

/// Edits that add a law for each ban that the runs support. Goals are in the order in which they are to be reached;
/// without goals only errors are used.
pub fn mine(
    frame: &mut AnalysisFrame<'_>,
    features: &[Feature],
    runs: &[Run],
    options: MineOptions,
) -> Vec<LawEdit> {
    let mut miner = Miner { frame, features, options, edits: Vec::new() };
    let actions: Vec<ActionId> = miner.compiled().policy.atoms.actions.ids().collect();
    for &action in &actions {
        miner.errors(action, runs);
    }
    let reached = |run: &Run| run.reached.iter().take_while(|steps| steps.is_some()).count();
    let most = runs.iter().map(reached).max().unwrap_or(0);
    if most > 0 {
        let (elite, others) = miner.elite(runs, most);
        let mut ways = StepGraph::new(runs, most);
        for &action in &actions {
            miner.detours(action, &elite, &others, &mut ways);
        }
    }
    miner.edits
}

/// The recorded steps that no mined law bans, as a graph between sets of features.
struct StepGraph {
    /// From, action, to.
    steps: Vec<(usize, ActionId, usize)>,
    states: Vec<IdSet<FeatureId>>,
    goals: Vec<bool>,
    /// The number of states with a path to a goal.
    winning: usize,
}

impl StepGraph {
    /// The steps of all runs; states in which the goal of this number (from 1) has been reached are goals.
    fn new(runs: &[Run], goal: usize) -> Self {
        let mut ways = Self { steps: Vec::new(), states: Vec::new(), goals: Vec::new(), winning: 0 };
        let mut numbers: FxHashMap<IdSet<FeatureId>, usize> = FxHashMap::default();
        let mut known: FxHashSet<(usize, ActionId, usize)> = FxHashSet::default();
        for run in runs {
            let until = run.reached.get(goal - 1).copied().flatten();
            let mut before: Option<(usize, ActionId)> = None;
            let all = run.steps.iter().map(|step| (&step.holds, Some(step.action)));
            for (i, (holds, action)) in all.chain([(&run.last, None)]).enumerate() {
                let state = *numbers.entry(holds.clone()).or_insert_with(|| {
                    ways.states.push(holds.clone());
                    ways.goals.push(false);
                    ways.states.len() - 1
                });
                ways.goals[state] |= until.is_some_and(|until| i >= until);
                if let Some((from, action)) = before
                    && known.insert((from, action, state))
                {
                    ways.steps.push((from, action, state));
                }
                before = action.map(|action| (state, action));
            }
        }
        ways.winning = ways.count(None);
        ways
    }
    /// The number of states with a path to a goal without the steps of a ban.
    fn count(&self, ban: Option<(&[Literal], ActionId)>) -> usize {
        let is_banned = |&&(from, action, _): &&(usize, ActionId, usize)| {
            ban.is_some_and(|(condition, banned)| {
                action == banned && satisfies(&self.states[from], condition)
            })
        };
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for &(from, _, to) in self.steps.iter().filter(|step| !is_banned(step)) {
            into[to].push(from);
        }
        let mut wins = self.goals.clone();
        let mut open: Vec<usize> = (0..wins.len()).filter(|&state| wins[state]).collect();
        while let Some(state) = open.pop() {
            for &from in &into[state] {
                if !std::mem::replace(&mut wins[from], true) {
                    open.push(from);
                }
            }
        }
        wins.into_iter().filter(|&wins| wins).count()
    }
    /// Bans an action while a condition holds, unless that makes the goal unreachable from a state; returns whether it
    /// is banned.
    fn ban(&mut self, condition: &[Literal], action: ActionId) -> bool {
        let is_kept = self.count(Some((condition, action))) == self.winning;
        if is_kept {
            let states = &self.states;
            self.steps.retain(|&(from, own, _)| own != action || !satisfies(&states[from], condition));
        }
        is_kept
    }
}

struct Miner<'m, 'c> {
    frame: &'m mut AnalysisFrame<'c>,
    features: &'m [Feature],
    options: MineOptions,
    edits: Vec<LawEdit>,
}

impl<'c> Miner<'_, 'c> {
    fn compiled(&self) -> &'c CompiledPolicy {
        self.frame.compiled
    }
    fn literals(&self) -> impl Iterator<Item = Literal> + use<> {
        let ids = (0..self.features.len()).map(FeatureId::from_index);
        // Negative literals come first: a missing requirement explains an error more often than a present obstacle.
        ids.flat_map(|id| [(id, false), (id, true)])
    }
    fn feature(&self, literal: Literal) -> &Feature {
        &self.features[literal.0.index()]
    }
    /// A law that bans an action while a condition holds.
    fn ban(&mut self, condition: &[Literal], action: ActionId, why: String) {
        let premise = LawTree::all(condition.iter().map(|&own| self.feature(own).formula(own.1)));
        let name = self.compiled().policy.atoms.actions[action].name.as_str();
        let banned = LawTree::negate(LawTree::atom(name));
        let banned = match self.compiled().policy.timing {
            Timing::Next => LawTree::unary(Temporal::Next, banned),
            Timing::Same => banned,
        };
        let ltl = LawTree::globally(LawTree::implies(premise, banned)).to_string();
        let laws = &self.compiled().policy.laws;
        let is_taken =
            |id: &str| laws.iter().any(|law| law.id == id) || self.edits.iter().any(|edit| edit.id == id);
        let names = (1..=laws.len() + self.edits.len() + 1).map(|n| format!("mined-{n}"));
        let id = names.into_iter().find(|id| !is_taken(id)).unwrap_or_default();
        self.edits.push(LawEdit { kind: EditKind::Add, id, ltl, why });
    }
    fn words(&self, condition: &[Literal]) -> String {
        condition.iter().map(|&own| self.feature(own).words(own.1)).collect::<Vec<_>>().join(" and ")
    }
    /// Bans an action while one of its requirements is missing.
    fn errors(&mut self, action: ActionId, runs: &[Run]) {
        let steps: Vec<&RunStep> =
            runs.iter().flat_map(|run| &run.steps).filter(|step| step.action == action).collect();
        let of = |outcome| steps.iter().copied().filter(move |step| step.outcome == Some(outcome));
        let mut failed: Vec<&RunStep> = of(CallOutcome::Failed).collect();
        let succeeded: Vec<&RunStep> = of(CallOutcome::Ok).collect();
        if failed.len() < self.options.support {
            return;
        }
        let name = self.compiled().policy.atoms.actions[action].name.clone();
        if succeeded.len() < SUCCESSES {
            // There are too few successes to infer requirements: the action is banned until a feature holds that held
            // in no failure.
            let absent = |&(id, holds): &Literal| {
                !holds
                    && failed.iter().all(|step| !step.holds.contains(id))
                    && succeeded.iter().all(|step| step.holds.contains(id))
            };
            let condition: Vec<Literal> = self.literals().filter(absent).collect();
            let condition = self.shortened(condition);
            if !condition.is_empty() {
                let why = format!(
                    "In {} recorded steps `{name}` failed while none of these held; it is banned until one does.",
                    failed.len()
                );
                self.ban(&condition, action, why);
            }
            return;
        }
        loop {
            // Literals that are false in every success: while one holds, the action never succeeded.
            let never = |literal: &Literal| succeeded.iter().all(|step| !satisfies(&step.holds, &[*literal]));
            let count =
                |literal: Literal| failed.iter().filter(|step| satisfies(&step.holds, &[literal])).count();
            let best = self.literals().filter(never).map(|own| (count(own), own)).first_largest();
            let Some((count, literal)) = best.filter(|(count, _)| *count >= self.options.support) else {
                return;
            };
            let why = format!(
                "In {count} recorded steps `{name}` failed where {}; all {} successes were elsewhere.",
                self.words(&[literal]),
                succeeded.len()
            );
            self.ban(&[literal], action, why);
            failed.retain(|step| !satisfies(&step.holds, &[literal]));
        }
    }
    /// A conjunction without the literals that the others imply in every letter that the world may make.
    fn shortened(&mut self, mut condition: Vec<Literal>) -> Vec<Literal> {
        let atoms = &self.compiled().policy.atoms;
        let mut at = condition.len();
        while at > 0 {
            at -= 1;
            let cube = |own: &[Literal]| -> Vec<(BitId, bool)> {
                own.iter().map(|&(id, holds)| (atoms.bit(self.features[id.index()].atom()), holds)).collect()
            };
            let (rest, own) = ([&condition[..at], &condition[at + 1..]].concat(), cube(&condition[at..=at]));
            let is_past = condition.iter().any(|&(id, _)| self.features[id.index()].is_past());
            let (rest_cube, guards) = (cube(&rest), &mut self.frame.guards);
            let (rest_guard, own_guard) = (guards.cube(&rest_cube), guards.cube(&own));
            let inside = guards.and(rest_guard, self.frame.world);
            if !is_past && guards.minus(inside, own_guard) == Guard::FALSE {
                condition = rest;
            }
        }
        condition
    }
    /// The shortest of the runs that reach the goal of this number, and all others.
    fn elite<'r>(&self, runs: &'r [Run], goal: usize) -> (Vec<&'r Run>, Vec<&'r Run>) {
        let steps = |run: &Run| run.reached.get(goal - 1).copied().flatten().unwrap_or(usize::MAX);
        let mut order: Vec<&Run> = runs.iter().collect();
        order.sort_by_key(|run| steps(run));
        let reaching = order.iter().filter(|run| steps(run) < usize::MAX).count();
        let count = (reaching / self.options.elite.max(1)).max(2).min(reaching);
        let others = order.split_off(count);
        (order, others)
    }
    /// Bans an action while a condition holds under which the shortest runs never take it.
    fn detours(&mut self, action: ActionId, elite: &[&Run], others: &[&Run], ways: &mut StepGraph) {
        // Steps after the last goal that a run reaches are no evidence about the path to it.
        let until = |run: &Run| run.reached.iter().map_while(|steps| *steps).last().unwrap_or(0);
        let before: Vec<&[RunStep]> = elite.iter().map(|run| &run.steps[..until(run)]).collect();
        let mut rest: Vec<&RunStep> = others
            .iter()
            .flat_map(|run| &run.steps)
            .filter(|step| step.action == action && step.outcome != Some(CallOutcome::Failed))
            .collect();
        // The condition held in at least half of the shortest runs, and they did something else there.
        let is_consistent = |condition: &[Literal]| {
            let within = |steps: &&&[RunStep]| steps.iter().any(|step| satisfies(&step.holds, condition));
            let does = |step: &RunStep| step.action == action && satisfies(&step.holds, condition);
            before.iter().filter(within).count() * 2 >= before.len()
                && !before.iter().any(|steps| steps.iter().any(does))
        };
        let (count_elite, name) = (elite.len(), self.compiled().policy.atoms.actions[action].name.clone());
        let mut cut: Vec<Vec<Literal>> = Vec::new();
        while rest.len() >= self.options.support {
            let support = self.options.support;
            let count =
                |condition: &[Literal]| rest.iter().filter(|step| satisfies(&step.holds, condition)).count();
            let fits = |own: &Vec<Literal>| is_consistent(own) && !cut.contains(own);
            let single = self.literals().map(|own| vec![own]).filter(fits);
            let single = single.map(|own| (count(&own), own)).first_largest();
            let found = single.filter(|found| found.0 >= support).or_else(|| {
                let literals: Vec<Literal> =
                    self.literals().filter(|&own| count(&[own]) >= support).collect();
                let pairs = literals.iter().enumerate().flat_map(|(i, &a)| {
                    literals[i + 1..].iter().filter(move |b| b.0 != a.0).map(move |&b| vec![a, b])
                });
                let pairs = pairs.filter(fits).map(|pair| (count(&pair), pair));
                pairs.first_largest().filter(|found| found.0 >= support)
            });
            let Some((count, condition)) = found else { return };
            if !ways.ban(&condition, action) {
                cut.push(condition);
                continue;
            }
            let why = format!(
                "The {count_elite} shortest runs never do `{name}` where {}; other runs did it there {count} times.",
                self.words(&condition)
            );
            self.ban(&condition, action, why);
            rest.retain(|step| !satisfies(&step.holds, &condition));
        }
    }
}

/// The first element with the largest number.
trait FirstLargest<T> {
    fn first_largest(self) -> Option<(usize, T)>;
}

impl<T, It: Iterator<Item = (usize, T)>> FirstLargest<T> for It {
    fn first_largest(self) -> Option<(usize, T)> {
        let mut best: Option<(usize, T)> = None;
        for own in self {
            if best.as_ref().is_none_or(|best| own.0 > best.0) {
                best = Some(own);
            }
        }
        best
    }
}
