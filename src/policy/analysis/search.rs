//! The search for shortest legal words into over-constrained states, breadth first, in the world that the declared
//! effects describe.
//!
//! A state consists of the facts about the environment and the states of all monitors. Only legal steps are taken: those after which no
//! answer of the world violates a law. Answers that break an `assume` law are excluded. The first word found for a set
//! of laws is a shortest one; if the search reaches its limit, the states that it did not reach are not decided.

use super::conflicts::Blocked;
use super::cores::{MAX_CORES, cores};
use super::frame::{Alternation, AnalysisFrame, ChoiceId};
use super::trajectory::Trajectory;
use super::world::WorldModel;
use crate::declared_world::Facts;
use crate::language::{LawAtom, LawId, LawKind};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, IdSet, Limit};
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::LawStatus;

/// The largest number of states that are searched by default.
pub const SEARCH_STATES: usize = 200_000;

/// Once an over-constrained state is found, the largest number of further states that are searched for other sets of
/// laws.
const FURTHER_STATES: usize = 40_000;

/// A set of laws that leaves no choice, and a word into a state where this happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The laws; none of them can be left out.
    pub core: Vec<LawId>,
    /// A shortest legal word into a state where they leave no choice.
    pub trajectory: Trajectory,
}

/// The result of the search.
#[derive(Clone, Debug, Default)]
pub struct SearchReport {
    /// For each set of laws found the first state, in the order of the search: shorter words first.
    pub found: Vec<Stuck>,
    /// The number of states that were seen.
    pub states: usize,
    /// Whether these are all reachable states.
    pub is_complete: bool,
    /// Why there was no search.
    pub not_searched: Option<&'static str>,
}

struct SearchState {
    facts: Facts,
    laws: u32,
    before: u32,
    /// The letter that led here.
    letter: Letter,
}

/// The facts of the world after an answer, its letter, and the index of the law states after it.
type Answer = (Facts, Letter, u32);

struct PositionSearch<'f, 'c> {
    frame: &'f mut AnalysisFrame<'c>,
    model: WorldModel<'c>,
    /// All laws, the `assume` laws first.
    laws: Vec<LawId>,
    assumes: usize,
    vectors: Vec<Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, u32>,
    steps: FxHashMap<(u32, Letter), u32>,
    blocked: Blocked,
    /// For each vector of law states: the choices that are surely legal, and those that may be.
    legal: FxHashMap<u32, (IdSet<ChoiceId>, IdSet<ChoiceId>)>,
}

/// Searches at most `limit` states.
///
/// # Errors
/// The budget, or an action with too many answers.
pub fn search(frame: &mut AnalysisFrame<'_>, limit: usize, budget: &Budget) -> Result<SearchReport, Limit> {
    let mut found = SearchReport::default();
    if frame.turns == Alternation::Free {
        found.is_complete = true;
        found.not_searched = Some("the agent may always do nothing, or there is no action");
        return Ok(found);
    }
    let model = match WorldModel::new(frame) {
        Ok(model) => model,
        Err(why) => {
            found.not_searched = Some(why);
            return Ok(found);
        }
    };
    let all = frame.compiled.policy.laws.enumerate();
    let mut laws: Vec<LawId> = all.filter(|(_, law)| law.kind == LawKind::Assume).map(|(id, _)| id).collect();
    let assumes = laws.len();
    laws.extend(frame.laws());
    let mut searcher = PositionSearch {
        frame,
        model,
        laws,
        assumes,
        vectors: Vec::new(),
        numbers: FxHashMap::default(),
        steps: FxHashMap::default(),
        blocked: Blocked::default(),
        legal: FxHashMap::default(),
    };
    searcher.run(limit, budget, &mut found)?;
    Ok(found)
}

impl PositionSearch<'_, '_> {
    fn number(&mut self, vector: Box<[u32]>) -> u32 {
        if let Some(&number) = self.numbers.get(&vector) {
            return number;
        }
        let number = self.vectors.len() as u32;
        self.vectors.push(vector.clone());
        self.numbers.insert(vector, number);
        number
    }
    fn step(&mut self, laws: u32, letter: &Letter) -> u32 {
        if let Some(&next) = self.steps.get(&(laws, letter.clone())) {
            return next;
        }
        let compiled = self.frame.compiled;
        let states = self.laws.iter().zip(&*self.vectors[laws as usize]);
        let next: Box<[u32]> = states.map(|(&law, &state)| compiled.step(law, state, letter)).collect();
        let next = self.number(next);
        self.steps.insert((laws, letter.clone()), next);
        next
    }
    /// Whether some `assume` law is broken, and the indices of all violated laws.
    fn violated(&self, laws: u32) -> (bool, Vec<usize>) {
        let is_violated = |&(i, &state): &(usize, &u32)| {
            self.frame.compiled.monitors[self.laws[i]].standing(state) == LawStatus::Violated
        };
        let states = self.vectors[laws as usize].iter().enumerate();
        let violated: Vec<usize> = states.filter(is_violated).map(|(i, _)| i).collect();
        (violated.first().is_some_and(|&i| i < self.assumes), violated)
    }
    /// The choices that are legal for every answer, and those that are legal for some answer.
    fn legal(&mut self, laws: u32) -> (IdSet<ChoiceId>, IdSet<ChoiceId>) {
        if let Some(known) = self.legal.get(&laws) {
            return known.clone();
        }
        let states = self.vectors[laws as usize].clone();
        let world = self.frame.world;
        let mut sure: IdSet<ChoiceId> = self.frame.choices.ids().collect();
        let mut good = world;
        for (i, &law) in self.laws.clone().iter().enumerate().skip(self.assumes) {
            for choice in self.blocked.of(self.frame, law, states[i], world).iter() {
                sure.remove(choice);
            }
            let bad = self.frame.bad(law, states[i]);
            good = self.frame.guards.minus(good, bad);
        }
        let open = self.frame.choices_with(good);
        self.legal.insert(laws, (sure.clone(), open.clone()));
        (sure, open)
    }
    /// The answers to a choice with their letters and law states, and the laws that some answer violates.
    fn answers(&mut self, node: (&Facts, u32), choice: ChoiceId) -> Result<(Vec<Answer>, Vec<usize>), Limit> {
        let (facts, laws) = node;
        let action = self.frame.choices[choice].action;
        let mut all = Vec::new();
        let mut bad: Vec<usize> = Vec::new();
        let call = action.map(|action| self.frame.compiled.policy.atoms.bit(LawAtom::Call(action)));
        if self.frame.turns == Alternation::ChoiceLast {
            // The letter has the truths before the action.
            let mut letter = self.model.letter(None, facts);
            letter.extend(call);
            let next = self.step(laws, &letter);
            let (is_broken, violated) = self.violated(next);
            if !is_broken {
                for answer in self.model.answers(facts, action)? {
                    all.push((answer, letter.clone(), next));
                }
                bad = violated;
            }
            return Ok((all, bad));
        }
        for answer in self.model.answers(facts, action)? {
            let mut letter = self.model.letter(Some(facts), &answer);
            letter.extend(call);
            let next = self.step(laws, &letter);
            let (is_broken, violated) = self.violated(next);
            if is_broken {
                continue;
            }
            bad.extend(violated);
            all.push((answer, letter, next));
        }
        bad.sort_unstable();
        bad.dedup();
        Ok((all, bad))
    }

    fn run(&mut self, mut limit: usize, budget: &Budget, found: &mut SearchReport) -> Result<(), Limit> {
        let facts = self.model.initial();
        let mut laws = self.number(vec![0; self.laws.len()].into());
        let letter = self.model.letter(None, &facts);
        if self.frame.turns == Alternation::ChoiceFirst {
            laws = self.step(laws, &letter);
        }
        let mut nodes = vec![SearchState { facts: facts.clone(), laws, before: 0, letter }];
        let mut seen: FxHashMap<(Facts, u32), u32> = FxHashMap::from_iter([((facts, laws), 0)]);
        let mut at = 0;
        let mut is_cut = false;
        while at < nodes.len() && found.found.len() < MAX_CORES {
            budget.tick(4, || "the search for over-constrained states".into())?;
            let (facts, laws) = (nodes[at].facts.clone(), nodes[at].laws);
            let mut blocked: Vec<(LawId, IdSet<ChoiceId>)> = Vec::new();
            let (mut is_stuck, mut available) = (true, IdSet::new());
            let (sure, open) = if self.frame.turns == Alternation::ChoiceFirst {
                self.legal(laws)
            } else {
                (IdSet::new(), self.frame.choices.ids().collect())
            };
            for choice in open.iter() {
                let (answers, bad) = self.answers((&facts, laws), choice)?;
                if answers.is_empty() || !(bad.is_empty() || sure.contains(choice)) {
                    continue;
                }
                is_stuck = false;
                for (facts, letter, laws) in answers {
                    let key = (facts, laws);
                    if seen.contains_key(&key) {
                        continue;
                    }
                    if nodes.len() >= limit {
                        is_cut = true;
                        continue;
                    }
                    seen.insert(key.clone(), nodes.len() as u32);
                    nodes.push(SearchState { facts: key.0, laws, before: at as u32, letter });
                }
            }
            if is_stuck {
                if found.found.is_empty() {
                    limit = limit.min(nodes.len() + FURTHER_STATES);
                }
                for choice in self.frame.choices.ids().collect::<Vec<_>>() {
                    let (answers, bad) = self.answers((&facts, laws), choice)?;
                    if answers.is_empty() {
                        continue;
                    }
                    available.insert(choice);
                    for law in bad.into_iter().map(|i| self.laws[i]) {
                        match blocked.iter_mut().find(|(own, _)| *own == law) {
                            Some((_, choices)) => {
                                choices.insert(choice);
                            }
                            None => blocked.push((law, IdSet::from_iter([choice]))),
                        }
                    }
                }
                blocked.sort_by_key(|(law, _)| *law);
                for core in cores(&available, &blocked) {
                    if found.found.iter().all(|known| known.core != core) && found.found.len() < MAX_CORES {
                        let trajectory = self.trajectory(&nodes, at);
                        found.found.push(Stuck { core, trajectory });
                    }
                }
            }
            at += 1;
        }
        found.states = nodes.len();
        found.is_complete = at >= nodes.len() && !is_cut;
        Ok(())
    }

    fn trajectory(&self, nodes: &[SearchState], at: usize) -> Trajectory {
        let (mut letters, mut here) = (Vec::new(), at);
        while here != 0 {
            letters.push(nodes[here].letter.clone());
            here = nodes[here].before as usize;
        }
        let known = if self.frame.turns == Alternation::ChoiceFirst {
            letters.push(nodes[0].letter.clone());
            None
        } else {
            Some(self.model.letter(None, &nodes[at].facts))
        };
        letters.reverse();
        Trajectory::new(self.frame, letters, known)
    }
}
