//! The search for repairs. See [`super`] for sources.

use super::order::implies;
use super::templates::{AssumptionCandidate, Template, candidates};
use super::text::{formula_text, is_writable};
use super::weaker::{Weakening, weaker};
use super::{Addition, Repair, Repairs, Weakened, sections};
use crate::cores::Core;
use crate::number_cells::is_decided_by_bounds;
use crate::synthesis_queries::{Help, SynthesisAnswer, Synthesizer, part};
use crate::trigger::is_triggered;
use crate::tuning::{CANDIDATE_WORK, COMBINED, FRIENDLY_WORK, MOST_IDLE};
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{AtomId, FormulaId, Node, Player};
use tsl_synth_core::model::{Contract, CounterStrategy, Observer, Phase, Role, StrategyRepr};
use tsl_synth_engine::synth::{FailedCertificate, SolverOptions};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::{Clause, ClauseId, Language, Problem};

/// Limits of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairEffort {
    /// Questions about assumptions, and as many about guarantees.
    pub questions: usize,
    /// The most repairs of each kind.
    pub repairs: usize,
    /// The number of unanswered questions after which no further ones are asked.
    pub unanswered: usize,
}

impl RepairEffort {
    /// For a hint beside a verdict.
    pub const HINT: Self = Self { questions: 16, repairs: 2, unanswered: 2 };
    /// For an explanation.
    pub const FULL: Self = Self { questions: 250, repairs: 8, unanswered: 12 };
}

/// Searches for repairs of a core of an unrealizable problem. Facts that refinement found must be among the clauses.
/// Deterministic, because it is limited by counted work only; stops early when the stop flag of `options` is raised.
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn repairs(
    problem: &Problem,
    core: &Core,
    effort: RepairEffort,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Repairs, FailedCertificate> {
    observer.phase(Phase::Repairs);
    let mut search = RepairSearch {
        problem: problem.clone(),
        core,
        effort,
        asker: Synthesizer::new(options, observer),
        counters: core.counter.clone().and_then(StrategyRepr::explicit).into_iter().collect(),
        complete: true,
        unexercised: false,
    };
    let atoms = search.atoms();
    // First the repair that users most often want: the guarantee with a guard.
    let guards = search.weakenings(&atoms, |weakening| weakening <= Weakening::Trigger)?;
    let mut assumptions = search.assumptions(&atoms)?;
    let is_idle = |repair: &Repair| !repair.idle.is_empty();
    if effort == RepairEffort::FULL && assumptions.iter().all(is_idle) {
        // All assumptions that were found make some guarantee vacuous: also try triggers from other guarantees.
        let wider = search.wider(&atoms);
        if wider.len() > atoms.len() {
            assumptions.extend(search.assumptions(&wider)?.into_iter().filter(|repair| !is_idle(repair)));
        }
    }
    let mut weakenings = search.weakenings(&atoms, |weakening| weakening > Weakening::Trigger)?;
    if guards.is_empty() && weakenings.is_empty() {
        weakenings = search.drops()?;
    }
    // One assumption or one weaker guarantee before two, and repairs that make a guarantee vacuous last.
    let (mut resigned, useful): (Vec<Repair>, Vec<Repair>) =
        assumptions.into_iter().partition(|r| !r.idle.is_empty() || r.unexercised);
    // Of those, two assumptions are no better than one.
    if resigned.iter().any(|r| r.additions.len() == 1) {
        resigned.retain(|r| r.additions.len() == 1);
    }
    let (several, single): (Vec<Repair>, Vec<Repair>) =
        useful.into_iter().partition(|r| r.additions.len() > 1);
    let (drops, weakenings): (Vec<Repair>, Vec<Repair>) =
        weakenings.into_iter().partition(|r| r.changes.iter().all(|c| c.formula.is_none()));
    let mut all = [guards, single, weakenings, several, resigned, drops].concat();
    let (problem, formulas) = (&search.problem, &search.problem.formulas);
    all.retain(|repair| {
        let added = repair.additions.iter().map(|addition| addition.formula);
        let written = repair.changes.iter().filter_map(|change| change.formula);
        added.chain(written).all(|f| is_writable(problem, formulas, f))
    });
    Ok(Repairs { repairs: all, formulas: search.problem.formulas, complete: search.complete })
}

struct RepairSearch<'a> {
    /// Owns the formulas of all candidates.
    problem: Problem,
    core: &'a Core,
    effort: RepairEffort,
    asker: Synthesizer<'a>,
    /// Counter-strategies; the first is against the core alone.
    counters: Vec<CounterStrategy>,
    complete: bool,
    /// [`Repair::unexercised`] for the last repair that helps.
    unexercised: bool,
}

/// Assumptions that help.
struct Helpful {
    added: Vec<AssumptionCandidate>,
    /// See [`Repair::idle`].
    idle: Vec<ClauseId>,
    /// See [`Repair::unexercised`].
    unexercised: bool,
}

impl RepairSearch<'_> {
    /// The assumptions of the last question, with their effect on the core.
    fn helpful(&mut self, added: Vec<AssumptionCandidate>) -> Result<Helpful, FailedCertificate> {
        let idle = self.idle(&added)?;
        Ok(Helpful { added, idle, unexercised: self.unexercised })
    }

    /// The atoms that the core and the assumptions mention, those of the core first.
    fn atoms(&self) -> Vec<AtomId> {
        // A single binary digit of a value is no condition that a person would write.
        // Nor is a comparison that the declared bounds decide.
        let is_word = |atom: &AtomId| {
            self.problem.alphabet.digit_of(*atom).is_none() && !is_decided_by_bounds(&self.problem, *atom)
        };
        let formulas = |ids: &mut dyn Iterator<Item = ClauseId>| {
            let roots: Vec<FormulaId> = ids.map(|id| self.problem.clauses[id].formula).collect();
            self.problem.support(&roots).iter().filter(is_word).collect::<Vec<AtomId>>()
        };
        let mut atoms = formulas(&mut self.core.guarantees.iter().copied());
        let assumptions =
            self.problem.clauses.enumerate().filter(|(_, c)| c.role == Role::Assumption).map(|(id, _)| id);
        let more = formulas(&mut assumptions.into_iter());
        atoms.extend(more.into_iter().filter(|a| !atoms.contains(a)).collect::<Vec<_>>());
        atoms
    }

    /// These atoms, and those that the system chooses in other guarantees.
    fn wider(&self, atoms: &[AtomId]) -> Vec<AtomId> {
        let all: Vec<FormulaId> =
            self.problem.clauses.iter().filter(|c| c.is_duty()).map(|c| c.formula).collect();
        let support = self.problem.formulas.support(&all);
        let more = support
            .iter()
            .filter(|&atom| self.problem.alphabet.player(atom) == Player::System && !atoms.contains(&atom));
        atoms.iter().copied().chain(more).collect()
    }

    /// Renews the allowance of questions. It stops after a few unanswered ones, which are the expensive ones.
    fn allow(&mut self) {
        self.asker.allow(self.effort.questions, self.effort.unanswered);
    }

    /// The budget of a question about a counter-strategy.
    fn budget(&self) -> Budget {
        self.asker.budget(CANDIDATE_WORK)
    }

    fn clause(role: Role, formula: FormulaId) -> Clause {
        Clause { role, formula, span: None, constraint: None }
    }

    /// The problem with more assumptions.
    fn assuming(&self, added: &[AssumptionCandidate]) -> Problem {
        let mut problem = self.problem.clone();
        for candidate in added {
            problem.clauses.push(Self::clause(Role::Assumption, candidate.formula));
        }
        sections::assume(&mut problem, added);
        problem
    }

    /// Whether a counter-strategy breaks an assumption on some play (on which the system keeps what it must).
    fn breaks(&self, counter: &CounterStrategy, assumption: FormulaId) -> bool {
        let Problem { formulas, alphabet, .. } = &self.problem;
        // Assumptions may weaken written restrictions.
        let bound = |c: &&Clause| c.role == Role::Restriction && !c.is_duty();
        let restrictions = self.problem.clauses.iter().filter(bound).map(|c| c.formula).collect();
        let contract = Contract { restrictions, assumptions: vec![assumption], ..Contract::default() };
        let budget = self.budget();
        match certify(
            &StrategyClaim {
                formulas,
                alphabet,
                contract: &contract,
                strategy: StrategyRef::Counter(counter),
            },
            &budget,
        ) {
            Err(CertifyError::Violated(violation)) => violation.role == Role::Assumption,
            Err(CertifyError::Limit(_)) => true,
            Ok(_) | Err(CertifyError::Malformed(_) | CertifyError::Wrong(_)) => false,
        }
    }

    /// Whether with these assumptions there is a friendly controller in whose plays their triggers happen, and the
    /// environment can satisfy all assumptions. Records a counter-strategy if there is no controller.
    fn verified(&mut self, added: &[AssumptionCandidate]) -> Result<bool, FailedCertificate> {
        let new: Vec<FormulaId> = added.iter().map(|candidate| candidate.formula).collect();
        if !self.helps(&self.assuming(added), Role::Assumption, &new)? {
            return Ok(false);
        }
        // Without guarantees to keep, can the environment keep all assumptions against every system?
        let with = self.assuming(added);
        let mut hopeless = part(&with, |_, c| !c.is_duty());
        let bottom = hopeless.formulas.bottom();
        hopeless.clauses.push(Self::clause(Role::Guarantee, bottom));
        Ok(matches!(self.asker.ask(&hopeless)?, SynthesisAnswer::Unrealizable(..)))
    }

    /// Whether a problem has a friendly controller in whose plays the triggers of its new clauses of a role happen.
    /// Sets `unexercised`. Records a counter-strategy if there is no controller.
    fn helps(&mut self, mended: &Problem, role: Role, new: &[FormulaId]) -> Result<bool, FailedCertificate> {
        let (mended, controller) = match self.asker.ask_for_friendly(mended)? {
            Help::Friendly(mended, controller) => (mended, controller),
            Help::Unfriendly => return Ok(false),
            Help::Unrealizable(counter) => {
                self.counters.extend(counter);
                return Ok(false);
            }
            Help::Unknown => {
                self.complete = false;
                return Ok(false);
            }
        };
        let budget = self.asker.budget(FRIENDLY_WORK);
        let mut formulas = mended.formulas.clone();
        for &f in new {
            match is_triggered(&mended, &mut formulas, &controller, (role, f), &budget) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(_) => {
                    self.complete = false;
                    return Ok(false);
                }
            }
        }
        let guarantees = self.core.guarantees.iter().take(MOST_IDLE);
        self.unexercised = guarantees.into_iter().any(|&id| {
            let asked = (Role::Guarantee, sections::written(&mended, &mut formulas, id));
            is_triggered(&mended, &mut formulas, &controller, asked, &budget) == Ok(false)
        });
        Ok(true)
    }

    fn assumptions(&mut self, atoms: &[AtomId]) -> Result<Vec<Repair>, FailedCertificate> {
        if !self.problem.takes_formulas() {
            return Ok(Vec::new());
        }
        self.allow();
        let mut formulas = std::mem::take(&mut self.problem.formulas);
        let all = candidates(&self.problem, &mut formulas, atoms);
        self.problem.formulas = formulas;
        let mut found: Vec<Helpful> = Vec::new();
        // For each candidate, by the number of the counter-strategy, whether that breaks the candidate.
        let mut hits: Vec<Vec<bool>> = vec![Vec::new(); all.len()];
        for (i, &candidate) in all.iter().enumerate() {
            if found.len() >= self.effort.repairs || self.asker.exhausted() {
                self.complete = false;
                break;
            }
            self.asker.progress(i + 1, all.len());
            self.learn(&all, &mut hits, i);
            let stronger = |this: &mut Self| {
                let found: Vec<FormulaId> = found.iter().map(|f| f.added[0].formula).collect();
                found.into_iter().any(|weaker| implies(&mut this.problem, candidate.formula, weaker))
            };
            if hits[i].iter().all(|&hit| hit) && !stronger(self) && self.verified(&[candidate])? {
                let found_one = self.helpful(vec![candidate])?;
                found.push(found_one);
            }
        }
        let constant = |f: &Helpful| f.added.iter().all(|c| c.template == Template::Constant);
        if found.iter().all(constant) {
            self.combinations(&all, &mut hits, &mut found)?;
        }
        Ok(self.sorted(&found))
    }

    /// Updates which counter-strategies break a candidate.
    fn learn(&self, all: &[AssumptionCandidate], hits: &mut [Vec<bool>], i: usize) {
        for counter in &self.counters[hits[i].len()..] {
            let hit = self.breaks(counter, all[i].formula);
            hits[i].push(hit);
        }
    }

    /// Pairs of candidates of which every counter-strategy breaks one.
    fn combinations(
        &mut self,
        all: &[AssumptionCandidate],
        hits: &mut [Vec<bool>],
        found: &mut Vec<Helpful>,
    ) -> Result<(), FailedCertificate> {
        self.allow();
        let mut useful: Vec<usize> = Vec::new();
        for i in 0..all.len() {
            self.learn(all, hits, i);
            if hits[i].iter().any(|&hit| hit) && all[i].template != Template::Constant {
                useful.push(i);
            }
        }
        // Those that more counter-strategies break first, then those that require less.
        useful.sort_by_key(|&i| (std::cmp::Reverse(hits[i].iter().filter(|&&hit| hit).count()), i));
        useful.truncate(COMBINED);
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (n, &i) in useful.iter().enumerate() {
            // Only pairs of one form, as for two clients, or with a simple candidate: others are hard to understand.
            let simple = |i: usize| matches!(all[i].template, Template::Initial | Template::Recurs);
            let fit = |&&j: &&usize| all[i].template == all[j].template || simple(i) || simple(j);
            pairs.extend(useful[n + 1..].iter().filter(fit).map(|&j| (i.min(j), i.max(j))));
        }
        let rank = |i: usize| all[i].template as usize;
        pairs.sort_by_key(|&(i, j)| (rank(i) + rank(j), all[i].template != all[j].template, i, j));
        for (i, j) in pairs {
            if found.len() >= self.effort.repairs || self.asker.exhausted() {
                self.complete = false;
                return Ok(());
            }
            self.learn(all, hits, i);
            self.learn(all, hits, j);
            let both_hit = hits[i].iter().zip(&hits[j]).all(|(a, b)| a | b);
            if both_hit && self.verified(&[all[i], all[j]])? {
                let found_two = self.helpful(vec![all[i], all[j]])?;
                found.push(found_two);
            }
        }
        Ok(())
    }

    /// The repairs, weaker ones first: by implication, then by form, then by size.
    fn sorted(&mut self, found: &[Helpful]) -> Vec<Repair> {
        let formulas: Vec<FormulaId> =
            found.iter().map(|set| self.problem.formulas.and(set.added.iter().map(|c| c.formula))).collect();
        let n = found.len();
        let mut weaker_than = vec![vec![false; n]; n];
        for (i, row) in weaker_than.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = i != j && implies(&mut self.problem, formulas[j], formulas[i]);
            }
        }
        let strictly = |i: usize, j: usize| weaker_than[i][j] && !weaker_than[j][i];
        let key = |i: usize| {
            let templates: Vec<Template> = found[i].added.iter().map(|c| c.template).collect();
            let size = self.problem.formulas.size(formulas[i]);
            (templates.len(), templates.iter().max().copied(), size, i)
        };
        let mut waiting: Vec<usize> = (0..n).collect();
        waiting.sort_by_key(|&i| key(i));
        let mut order = Vec::new();
        while !waiting.is_empty() {
            let next = waiting.iter().position(|&i| !waiting.iter().any(|&j| strictly(j, i))).unwrap_or(0);
            order.push(waiting.remove(next));
        }
        order.into_iter().map(|i| self.repair(&found[i])).collect()
    }

    fn repair(&self, helpful: &Helpful) -> Repair {
        let addition = |c: &AssumptionCandidate| {
            let section = sections::of_assumption(&self.problem, *c);
            let (always, text) = self.written(c.formula, section);
            Addition { template: c.template, formula: c.formula, always, text, section }
        };
        let additions = helpful.added.iter().map(addition).collect();
        let (idle, unexercised) = (helpful.idle.clone(), helpful.unexercised);
        Repair { additions, changes: Vec::new(), idle, unexercised }
    }

    /// Whether a formula belongs in an `always` section, and its text there, or in a section of TLSF.
    fn written(&self, f: FormulaId, section: Option<&str>) -> (bool, String) {
        let formulas = &self.problem.formulas;
        let is_inside = self.problem.language == Language::Tsl || section.is_some_and(sections::is_always);
        match (is_inside, formulas.node(f)) {
            (true, &Node::Globally(body)) => (true, formula_text(&self.problem, formulas, body)),
            (_, node) => (matches!(node, Node::Globally(_)), formula_text(&self.problem, formulas, f)),
        }
    }

    /// Guarantees of the core that the assumptions imply.
    fn idle(&mut self, added: &[AssumptionCandidate]) -> Result<Vec<ClauseId>, FailedCertificate> {
        if self.core.guarantees.len() > MOST_IDLE {
            return Ok(Vec::new());
        }
        let allowance = self.asker.allowance();
        self.asker.allow(MOST_IDLE, 2);
        let mut idle = Vec::new();
        for &guarantee in &self.core.guarantees {
            let mut problem = part(&self.assuming(added), |_, c| !c.is_duty());
            let negation = problem.formulas.not(self.problem.clauses[guarantee].formula);
            problem.clauses.push(Self::clause(Role::Guarantee, negation));
            if self.asker.satisfiable(problem)? == Some(false) {
                idle.push(guarantee);
            }
        }
        self.asker.allow(allowance.0, allowance.1);
        Ok(idle)
    }

    /// The problem with some guarantees changed.
    fn changed(&self, changes: &[(ClauseId, Option<FormulaId>)]) -> Problem {
        let mut problem = self.problem.clone();
        for &(clause, formula) in changes {
            problem.clauses[clause].formula = match formula {
                Some(formula) => sections::lowered(&mut problem, clause, formula),
                None => problem.formulas.top(),
            };
        }
        problem
    }

    /// Whether a known counter-strategy still defeats a changed problem.
    fn defeated(&self, problem: &Problem) -> bool {
        let contract = Contract { facts: Vec::new(), assumptions: Vec::new(), ..problem.contract() };
        self.counters.iter().any(|counter| {
            let budget = self.budget();
            certify(
                &StrategyClaim {
                    formulas: &problem.formulas,
                    alphabet: &problem.alphabet,
                    contract: &contract,
                    strategy: StrategyRef::Counter(counter),
                },
                &budget,
            )
            .is_ok()
        })
    }

    /// One guarantee of the core weakened, in one of these ways.
    fn weakenings(
        &mut self,
        atoms: &[AtomId],
        ways: impl Fn(Weakening) -> bool,
    ) -> Result<Vec<Repair>, FailedCertificate> {
        self.allow();
        let mut all: Vec<(Weakening, ClauseId, Option<FormulaId>)> = Vec::new();
        for &clause in &self.core.guarantees {
            let is_bound = self.problem.clauses[clause].role == Role::Restriction;
            if self.problem.language == Language::Tsl && is_bound {
                // The bounds of a declared number are no formula that could be another one.
                continue;
            }
            let mut formulas = std::mem::take(&mut self.problem.formulas);
            let guarantee = sections::written(&self.problem, &mut formulas, clause);
            let variants = weaker(&self.problem, &mut formulas, guarantee, atoms);
            self.problem.formulas = formulas;
            // A formula with a hidden cell cannot be written in the language.
            let written = |&(_, f): &(Weakening, FormulaId)| {
                !self.problem.formulas.support(&[f]).iter().any(|atom| self.problem.is_hidden(atom))
            };
            let variants = if self.problem.takes_formulas() { variants } else { Vec::new() };
            all.extend(variants.into_iter().filter(written).map(|(w, f)| (w, clause, Some(f))));
            all.push((Weakening::Dropped, clause, None));
        }
        all.retain(|&(way, ..)| ways(way));
        all.sort_by_key(|&(w, clause, _)| (w, clause));
        let mut found: Vec<Vec<usize>> = Vec::new();
        for i in 0..all.len() {
            self.asker.progress(i + 1, all.len());
            let kept = found.iter().filter(|f| all[f[0]].0 != Weakening::Dropped).count();
            if kept >= self.effort.repairs && all[i].0 != Weakening::Dropped {
                continue;
            }
            if self.try_changes(&all, &[i])? {
                found.push(vec![i]);
            }
        }
        Ok(found.into_iter().map(|set| self.weakened(&all, &set)).collect())
    }

    /// Several guarantees dropped.
    fn drops(&mut self) -> Result<Vec<Repair>, FailedCertificate> {
        self.allow();
        let (mut all, mut found) = (Vec::new(), Vec::new());
        self.change_more(&mut all, &mut found)?;
        Ok(found.into_iter().map(|set| self.weakened(&all, &set)).collect())
    }

    fn try_changes(
        &mut self,
        all: &[(Weakening, ClauseId, Option<FormulaId>)],
        set: &[usize],
    ) -> Result<bool, FailedCertificate> {
        if self.asker.is_stopped() {
            self.complete = false;
            return Ok(false);
        }
        let changes: Vec<_> = set.iter().map(|&i| (all[i].1, all[i].2)).collect();
        let problem = self.changed(&changes);
        if self.defeated(&problem) {
            return Ok(false);
        }
        if self.asker.exhausted() {
            self.complete = false;
            return Ok(false);
        }
        // A weaker guarantee whose trigger never happens is useless.
        let new: Vec<FormulaId> = changes.iter().filter_map(|&(_, formula)| formula).collect();
        self.helps(&problem, Role::Guarantee, &new)
    }

    /// For several cores: starts with all guarantees dropped and restores one after the other, those of the core last,
    /// as long as the rest is realizable.
    fn change_more(
        &mut self,
        all: &mut Vec<(Weakening, ClauseId, Option<FormulaId>)>,
        found: &mut Vec<Vec<usize>>,
    ) -> Result<(), FailedCertificate> {
        let mut dropped: Vec<usize> = Vec::new();
        let guarantees: Vec<ClauseId> =
            self.problem.clauses.enumerate().filter(|(_, c)| c.is_duty()).map(|(id, _)| id).collect();
        let first = all.len();
        all.extend(guarantees.iter().map(|&clause| (Weakening::Dropped, clause, None)));
        let everything: Vec<usize> = (first..all.len()).collect();
        // Restore the guarantees of the core last.
        let (mut order, own): (Vec<usize>, Vec<usize>) =
            everything.into_iter().partition(|&i| !self.core.guarantees.contains(&all[i].1));
        order.extend(own);
        dropped.extend(&order);
        for &i in &order {
            let fewer: Vec<usize> = dropped.iter().copied().filter(|&j| j != i).collect();
            if self.try_changes(all, &fewer)? {
                dropped = fewer;
            }
            if self.asker.exhausted() {
                self.complete = false;
                return Ok(());
            }
        }
        dropped.sort_unstable();
        if dropped.len() < guarantees.len() {
            found.push(dropped);
        }
        Ok(())
    }

    fn weakened(&self, all: &[(Weakening, ClauseId, Option<FormulaId>)], set: &[usize]) -> Repair {
        let change = |&i: &usize| {
            let (weakening, clause, formula) = all[i];
            let section = sections::of_clause(&self.problem, clause);
            let (always, text) = formula.map_or((false, String::new()), |f| self.written(f, section));
            Weakened { weakening, clause, formula, always, text, section }
        };
        Repair { additions: Vec::new(), changes: set.iter().map(change).collect(), ..Repair::default() }
    }
}
