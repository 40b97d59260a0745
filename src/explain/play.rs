//! A readable play that the system loses.
//!
//! A counter-strategy wins against every system, but a play in which the system makes needless mistakes explains
//! nothing. So the system of the play avoids violating any guarantee for as long as it can. If it can do so forever,
//! the play is a lasso on which some guarantee is never fulfilled: one with the fewest failing guarantees, and of these
//! one with the fewest steps. A first one is found by a shortest path to each position with a shortest cycle through
//! it; [`super::shortest`] makes it a shortest one. If it cannot, the play ends where every answer violates some
//! guarantee: the longest such play, the best that the system can do against this counter-strategy. Another one may win
//! in fewer steps: see [`super::forced`].

use super::cores::Core;
use super::endless::{CounterPlays, Endless, PlayStep};
use super::letters::{answers, idle};
use super::opponent::Opponent;
use super::progress::{after, present_atoms};
use super::tuning::{PLAY_POSITIONS, TRIED_ANSWERS};
use petgraph::graphmap::DiGraphMap;
use petgraph::visit::DfsPostOrder;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{FormulaId, Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::{Clause, ClauseId, NumberStep, Problem};

/// A clause that the system breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenClause {
    /// Which clause.
    pub clause: ClauseId,
    /// An answer in the last step that violates it; `None` for a clause that fails with every answer, and for one that
    /// the loop never fulfills.
    pub answer: Option<Letter>,
}

/// How a play ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayEnding {
    /// After the last step some clause is violated, whatever the system answers in it.
    Violated,
    /// The steps from this one on repeat forever.
    Repeats(usize),
}

/// A play that the system loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LosingPlay {
    /// The steps; never empty.
    pub steps: Vec<PlayStep>,
    /// How it ends.
    pub ending: PlayEnding,
    /// The clauses that the system breaks.
    pub failures: Vec<BrokenClause>,
    /// Whether it is known that no play against this counter-strategy fails fewer guarantees, or as many in fewer
    /// steps. Always false for a play that ends.
    pub shortest: bool,
    /// The values of inputs and cells that are numbers in each step, if comparisons of numbers are computed; else empty.
    pub numbers: Vec<NumberStep>,
}

/// A position: a state of the counter-strategy, and what remains of each clause.
type PlayPosition = (usize, Vec<FormulaId>);

/// An answer, and the clauses that it violates.
type Death = (Letter, Vec<usize>);

struct PlayState {
    position: PlayPosition,
    /// Answers that keep all clauses alive, with the node they lead to. One answer per node.
    moves: Vec<(Letter, usize)>,
    /// For answers that do not: the letter and the clauses that it violates.
    deaths: Vec<Death>,
    /// Whether some answer was not followed.
    cut: bool,
    /// The predecessor in the breadth-first search, with the answer.
    parent: Option<(usize, Letter)>,
    depth: usize,
}

impl PlayState {
    fn new(position: PlayPosition, parent: Option<(usize, Letter)>, depth: usize) -> Self {
        Self { position, moves: Vec::new(), deaths: Vec::new(), cut: false, parent, depth }
    }
}

struct PlaySearch<'a> {
    problem: Problem,
    counter: Opponent<'a>,
    clauses: Vec<ClauseId>,
    nodes: Vec<PlayState>,
}

/// The clauses one of which the system breaks.
pub(super) fn losing_clauses(problem: &Problem, core: &Core) -> Vec<ClauseId> {
    let mut clauses = core.guarantees.clone();
    let is_kept = |c: &Clause| matches!(c.role, Role::Restriction | Role::Guarantee);
    let of_the_language = |c: &Clause| is_kept(c) && !c.is_duty();
    clauses.extend(problem.clauses.enumerate().filter(|(_, c)| of_the_language(c)).map(|(id, _)| id));
    clauses
}

/// A losing play against the guarantees of a core, without numbers.
///
/// # Errors
/// The limit that was reached before a play was found.
pub(super) fn abstract_play(problem: &Problem, core: &Core, budget: &Budget) -> Result<LosingPlay, Limit> {
    let clauses = losing_clauses(problem, core);
    let Some(counter) = &core.counter else {
        return Err(Limit::new(LimitKind::Size, "no counter-strategy is known"));
    };
    let counter = Opponent::new(&problem.alphabet, counter);
    let mut explorer = PlaySearch { problem: problem.clone(), counter, clauses, nodes: Vec::new() };
    let complete = explorer.explore(budget)?;
    if let Some(play) = explorer.best_lasso(budget)? {
        return Ok(explorer.shortened(play, budget));
    }
    let play = if complete { explorer.longest_resistance() } else { explorer.deepest_end() };
    play.ok_or_else(|| {
        let what =
            format!("the plays against the counter-strategy have more than {PLAY_POSITIONS} positions");
        Limit::new(LimitKind::Size, what)
    })
}

impl PlaySearch<'_> {
    fn roots(&self) -> Vec<FormulaId> {
        self.clauses.iter().map(|&id| self.problem.clauses[id].formula).collect()
    }

    /// Breadth-first exploration of the positions in which no clause is violated yet. Returns whether all of them were
    /// found.
    fn explore(&mut self, budget: &Budget) -> Result<bool, Limit> {
        let default = idle(&self.problem.alphabet);
        let start = (self.counter.initial(), self.roots());
        let mut index: FxHashMap<PlayPosition, usize> = FxHashMap::default();
        index.insert(start.clone(), 0);
        self.nodes.push(PlayState::new(start, None, 0));
        let bottom = self.problem.formulas.bottom();
        let mut complete = true;
        let mut current = 0;
        while current < self.nodes.len() {
            let (state, remains) = self.nodes[current].position.clone();
            let input = self.counter.input(state);
            let atoms = present_atoms(&self.problem.formulas, &remains);
            let bits = self.counter.bits(state);
            let mut moves: Vec<(Letter, usize)> = Vec::new();
            let mut deaths: Vec<Death> = Vec::new();
            let mut tried = answers(&self.problem.alphabet, &default, &atoms, &bits);
            if !tried.complete {
                let Problem { alphabet, formulas, .. } = &mut self.problem;
                let mut broken = |answer: &Letter| {
                    let mut letter = answer.clone();
                    letter.union_with(&input);
                    let rest = after(formulas, alphabet, &remains, &letter);
                    rest.iter().filter(|&&f| f == bottom).count()
                };
                tried.add_better(alphabet, &mut broken);
                let work = (tried.letters.len() * remains.len()) as u64;
                budget.tick(work, || "looking for a losing play".into())?;
            }
            let is_complete = tried.complete;
            for answer in tried.letters {
                let work = self.counter.work() + remains.len() as u64;
                budget.tick(work, || "looking for a losing play".into())?;
                let Some(next) = self.counter.next(state, &answer) else { continue };
                let mut letter = answer.clone();
                letter.union_with(&input);
                let rest = after(&mut self.problem.formulas, &self.problem.alphabet, &remains, &letter);
                let dead: Vec<usize> = (0..rest.len()).filter(|&i| rest[i] == bottom).collect();
                if !dead.is_empty() {
                    if !deaths.iter().any(|(_, d)| *d == dead) {
                        deaths.push((answer, dead));
                    }
                    continue;
                }
                let position = (next, rest);
                let target = match index.get(&position) {
                    Some(&target) => target,
                    None if self.nodes.len() >= PLAY_POSITIONS => {
                        self.nodes[current].cut = true;
                        complete = false;
                        continue;
                    }
                    None => {
                        let target = self.nodes.len();
                        index.insert(position.clone(), target);
                        let depth = self.nodes[current].depth + 1;
                        self.nodes.push(PlayState::new(position, Some((current, answer.clone())), depth));
                        target
                    }
                };
                if !moves.iter().any(|(_, t)| *t == target) {
                    moves.push((answer, target));
                }
            }
            if !is_complete {
                // What loses with all answers that are tried need not be lost.
                match self.lost_at_once(&input, &remains, budget)? {
                    Some(all) if moves.is_empty() => deaths = all,
                    _ => {
                        self.nodes[current].cut = true;
                        complete = false;
                    }
                }
            }
            self.nodes[current].moves = moves;
            self.nodes[current].deaths = deaths;
            current += 1;
        }
        Ok(complete)
    }

    /// The answers to an input that some clauses, few enough for all of them to be tried, leave: each with those that it
    /// violates. `None` if no such clauses are found.
    fn lost_at_once(
        &mut self,
        input: &Letter,
        remains: &[FormulaId],
        budget: &Budget,
    ) -> Result<Option<Vec<Death>>, Limit> {
        let default = idle(&self.problem.alphabet);
        for first in 0..remains.len() {
            // Clauses that share atoms with the first one, as long as all their answers can be tried.
            let mut some = vec![first];
            let others = (0..remains.len()).filter(|&i| i != first);
            for other in others {
                let own = present_atoms(&self.problem.formulas, &[remains[other]]);
                let known: Vec<FormulaId> = some.iter().map(|&i| remains[i]).collect();
                let near = present_atoms(&self.problem.formulas, &known);
                let both = [&near[..], &own].concat();
                if own.iter().any(|atom| near.contains(atom))
                    && answers(&self.problem.alphabet, &default, &both, &[]).complete
                {
                    some.push(other);
                }
            }
            let known: Vec<FormulaId> = some.iter().map(|&i| remains[i]).collect();
            let atoms = present_atoms(&self.problem.formulas, &known);
            let tried = answers(&self.problem.alphabet, &default, &atoms, &[]);
            if !tried.complete {
                continue;
            }
            let mut deaths: Vec<Death> = Vec::new();
            let is_lost = tried.letters.into_iter().all(|answer| {
                let mut letter = answer.clone();
                letter.union_with(input);
                let Problem { formulas, alphabet, .. } = &mut self.problem;
                let rest = after(formulas, alphabet, &known, &letter);
                let bottom = formulas.bottom();
                let dead: Vec<usize> =
                    (0..rest.len()).filter(|&i| rest[i] == bottom).map(|i| some[i]).collect();
                let is_dead = !dead.is_empty();
                if is_dead && !deaths.iter().any(|(_, known)| *known == dead) {
                    deaths.push((answer, dead));
                }
                is_dead
            });
            budget.tick(TRIED_ANSWERS as u64, || "looking for a losing play".into())?;
            if is_lost {
                return Ok(Some(deaths));
            }
        }
        Ok(None)
    }

    fn step(&self, node: usize, output: Option<Letter>) -> PlayStep {
        PlayStep { input: self.counter.input(self.nodes[node].position.0), output }
    }

    /// The steps from the start to a node, as the search found it.
    fn path_to(&self, mut node: usize) -> Vec<PlayStep> {
        let mut steps = Vec::new();
        while let Some((parent, letter)) = &self.nodes[node].parent {
            steps.push(self.step(*parent, Some(letter.clone())));
            node = *parent;
        }
        steps.reverse();
        steps
    }

    /// The shortest cycle through a node.
    fn cycle_through(&self, root: usize, budget: &Budget) -> Result<Option<Vec<PlayStep>>, Limit> {
        let mut parent: FxHashMap<usize, (usize, &Letter)> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            budget.tick(1, || "looking for a losing play".into())?;
            for (letter, target) in &self.nodes[node].moves {
                if *target == root {
                    let mut steps = vec![self.step(node, Some(letter.clone()))];
                    let mut at = node;
                    while at != root {
                        let (before, letter) = parent[&at];
                        steps.push(self.step(before, Some(letter.clone())));
                        at = before;
                    }
                    steps.reverse();
                    return Ok(Some(steps));
                }
                if !parent.contains_key(target) {
                    parent.insert(*target, (node, letter));
                    queue.push_back(*target);
                }
            }
        }
        Ok(None)
    }

    fn best_lasso(&self, budget: &Budget) -> Result<Option<LosingPlay>, Limit> {
        let mut best: Option<((usize, usize), LosingPlay)> = None;
        for root in 0..self.nodes.len() {
            let worth = best
                .as_ref()
                .is_none_or(|((failures, length), _)| *failures > 1 || self.nodes[root].depth < *length);
            if !worth {
                break;
            }
            let cycle = match self.cycle_through(root, budget) {
                Ok(Some(cycle)) => cycle,
                Ok(None) => continue,
                // A play that is not known to be the shortest is better than none.
                Err(_) if best.is_some() => break,
                Err(limit) => return Err(limit),
            };
            let (prefix, cycle) = shortest(self.path_to(root), cycle);
            let failures = self.failures_of(&prefix, &cycle);
            if failures.is_empty() {
                continue;
            }
            let key = (failures.len(), prefix.len() + cycle.len());
            if best.as_ref().is_none_or(|(k, _)| key < *k) {
                let ending = PlayEnding::Repeats(prefix.len());
                let steps = prefix.into_iter().chain(cycle).collect();
                best =
                    Some((key, LosingPlay { steps, ending, failures, shortest: false, numbers: Vec::new() }));
            }
        }
        Ok(best.map(|(_, play)| play))
    }

    /// A shortest endless play, if the budget suffices.
    fn shortened(&self, known: LosingPlay, budget: &Budget) -> LosingPlay {
        let (PlayEnding::Repeats(from), Some(machine)) = (known.ending, self.counter.machine()) else {
            return known;
        };
        let plays = CounterPlays::new(&self.problem.formulas, &self.problem.alphabet, machine, self.roots());
        let failures = known.failures.len();
        let (found, shortest) = plays.shortest(Endless { steps: known.steps, from }, failures, budget);
        let failures = self.failures_of(&found.steps[..found.from], &found.steps[found.from..]);
        LosingPlay {
            steps: found.steps,
            ending: PlayEnding::Repeats(found.from),
            failures,
            shortest,
            numbers: Vec::new(),
        }
    }

    /// The clauses that fail on a lasso, by the lasso semantics.
    fn failures_of(&self, prefix: &[PlayStep], cycle: &[PlayStep]) -> Vec<BrokenClause> {
        let letters = |steps: &[PlayStep]| {
            let letter = |step: &PlayStep| {
                let mut letter = step.input.clone();
                if let Some(output) = &step.output {
                    letter.union_with(output);
                }
                letter
            };
            steps.iter().map(letter).collect::<Vec<Letter>>()
        };
        let word = Lasso { prefix: letters(prefix), cycle: letters(cycle) };
        let mut meaning = LassoSemantics::new(&self.problem.formulas, &self.problem.alphabet, &word);
        let fails = |&id: &ClauseId| !meaning.holds(self.problem.clauses[id].formula);
        let failing: Vec<ClauseId> = self.clauses.iter().copied().filter(fails).collect();
        failing.into_iter().map(|clause| BrokenClause { clause, answer: None }).collect()
    }

    /// The longest play: without a cycle every play ends.
    fn longest_resistance(&self) -> Option<LosingPlay> {
        let mut graph: DiGraphMap<usize, ()> = DiGraphMap::new();
        graph.add_node(0);
        for (node, data) in self.nodes.iter().enumerate() {
            graph.extend(data.moves.iter().map(|&(_, target)| (node, target)));
        }
        // Depth of the deepest end below each node; the graph has no cycles, so a postorder visits targets
        // first.
        let mut height = vec![0usize; self.nodes.len()];
        let mut walk = DfsPostOrder::new(&graph, 0);
        while let Some(node) = walk.next(&graph) {
            height[node] = graph.neighbors(node).map(|target| height[target] + 1).max().unwrap_or(0);
        }
        let mut steps = Vec::new();
        let mut node = 0;
        while let Some((letter, target)) =
            self.nodes[node].moves.iter().find(|(_, target)| height[*target] + 1 == height[node])
        {
            steps.push(self.step(node, Some(letter.clone())));
            node = *target;
        }
        self.ends_at(node, steps)
    }

    /// The play that ends in a node without moves.
    fn ends_at(&self, node: usize, mut steps: Vec<PlayStep>) -> Option<LosingPlay> {
        steps.push(self.step(node, None));
        let deaths = &self.nodes[node].deaths;
        if deaths.is_empty() {
            return None;
        }
        let always = |i: &usize| deaths.iter().all(|(_, dead)| dead.contains(i));
        let common = (0..self.clauses.len()).find(always);
        let mut failures: Vec<BrokenClause> = Vec::new();
        if let Some(i) = common {
            failures.push(BrokenClause { clause: self.clauses[i], answer: None });
        } else {
            // One answer per clause is enough.
            for (answer, dead) in deaths {
                let clause = self.clauses[dead[0]];
                if !failures.iter().any(|f| f.clause == clause) {
                    failures.push(BrokenClause { clause, answer: Some(answer.clone()) });
                }
            }
        }
        Some(LosingPlay {
            steps,
            ending: PlayEnding::Violated,
            failures,
            shortest: false,
            numbers: Vec::new(),
        })
    }

    /// If the graph is too large: the play to the deepest dead end that was found.
    fn deepest_end(&self) -> Option<LosingPlay> {
        let ends = (0..self.nodes.len()).filter(|&i| self.nodes[i].moves.is_empty() && !self.nodes[i].cut);
        let node = ends.max_by_key(|&i| (self.nodes[i].depth, std::cmp::Reverse(i)))?;
        self.ends_at(node, self.path_to(node))
    }
}

/// The same infinite play with the shortest cycle and prefix: equal steps may lead to different positions.
fn shortest(mut prefix: Vec<PlayStep>, mut cycle: Vec<PlayStep>) -> (Vec<PlayStep>, Vec<PlayStep>) {
    let n = cycle.len();
    let repeats = |period: &usize| n.is_multiple_of(*period) && (0..n).all(|i| cycle[i] == cycle[i % period]);
    let period = (1..=n).find(repeats).unwrap_or(n);
    cycle.truncate(period);
    while !prefix.is_empty() && prefix.last() == cycle.last() {
        prefix.pop();
        cycle.rotate_right(1);
    }
    (prefix, cycle)
}
