//! Partial results and suggestions for the verdict UNKNOWN. Each suggestion applies to the specification and the
//! options.

use super::tuning::{ADVICE_WORK, MANY_VALUES};
use tsl_synth_core::base::{Budget, LimitKind, StopFlag};
use tsl_synth_core::model::{Engine, Role, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{CheckAdvice, CheckClause, CheckWeight};
use tsl_synth_engine::synth::{Progress, SolverOptions};
use tsl_synth_explain::{ClauseWeight, clause_weights};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// What is known without a verdict. Nothing of it is certified.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Advice {
    /// Guarantees that share no output with the others, and for which a controller was found.
    pub parts: Vec<ClauseId>,
    /// The largest set of guarantees for which a controller was found under some of the assumptions, besides these parts.
    pub decided: Vec<ClauseId>,
    /// The guarantee that was added last when a set, enlarged one guarantee at a time, could no longer be decided.
    pub hard: Option<ClauseId>,
    /// The clauses, heavy ones first.
    pub weights: Vec<ClauseWeight>,
    /// What to try.
    pub suggestions: Vec<String>,
}

impl Advice {
    /// The advice about a report without a verdict. Its work is counted and small, and does not end with the stop flag of the
    /// request, which may have ended the search.
    pub(super) fn new(
        verdict: &Verdict,
        problem: &Problem,
        progress: &Progress,
        options: &SolverOptions,
    ) -> Option<Self> {
        let Verdict::Unknown(unknown) = verdict else { return None };
        let kind = unknown.limit.kind;
        if kind == LimitKind::Interrupted {
            return None;
        }
        let contract: Vec<ClauseId> = problem
            .clauses
            .enumerate()
            .filter(|(_, c)| c.role == Role::Guarantee)
            .map(|(id, _)| id)
            .collect();
        let of = |indices: &[usize]| -> Vec<ClauseId> {
            indices.iter().filter_map(|&index| contract.get(index).copied()).collect()
        };
        let budget = Budget::unlimited().with_flag(StopFlag::new().within(ADVICE_WORK));
        let mut advice = Self {
            parts: of(&progress.parts),
            decided: of(&progress.decided),
            hard: progress.hard.and_then(|index| contract.get(index).copied()),
            weights: clause_weights(problem, &budget),
            suggestions: Vec::new(),
        };
        advice.parts.sort_unstable();
        advice.parts.dedup();
        advice.suggestions = suggestions(problem, kind, &advice, contract.len(), options);
        Some(advice)
    }

    /// The JSON form.
    pub(super) fn document(&self, problem: &Problem, sources: &SourceMap) -> CheckAdvice {
        let clause = |id: ClauseId| CheckClause::new(problem, sources, id);
        let clauses = |ids: &[ClauseId]| ids.iter().map(|&id| clause(id)).collect();
        let weight = |weight: &ClauseWeight| CheckWeight {
            clause: clause(weight.clause),
            states: weight.states,
            atoms: weight.atoms,
        };
        CheckAdvice {
            parts: clauses(&self.parts),
            decided: clauses(&self.decided),
            hard: self.hard.map(clause),
            weights: self.weights.iter().map(weight).collect(),
            suggestions: self.suggestions.clone(),
        }
    }
}

/// What to try.
fn suggestions(
    problem: &Problem,
    kind: LimitKind,
    advice: &Advice,
    guarantees: usize,
    options: &SolverOptions,
) -> Vec<String> {
    let mut all = Vec::new();
    match (options.bound, kind) {
        (Some(bound), LimitKind::Bound) => {
            all.push(format!("a larger bound than {bound}, which says nothing about realizability"));
        }
        (Some(bound), _) if bound > 0 => {
            all.push(format!(
                "`--bound {}`: its games are smaller than those of `--bound {bound}`",
                bound / 2
            ));
        }
        _ => {}
    }
    if options.bound.is_some() {
        all.push("no `--bound`: then the other engines are asked, too".into());
    } else if options.engine != Engine::Auto {
        all.push(format!("no `--engine {}`: then all engines take turns", options.engine));
    }
    let rest = guarantees.saturating_sub(advice.parts.len());
    if !advice.parts.is_empty() && rest > 0 {
        let which =
            if rest == 1 { "the other guarantee".into() } else { format!("the other {rest} guarantees") };
        all.push(format!(
            "a specification of {which}: the {} with a controller share no output with them",
            advice.parts.len()
        ));
    }
    if advice.decided.len() > 1 && advice.decided.len() < guarantees {
        all.push(format!(
            "to begin with the {} guarantees that have a controller together, and to add the others one by one",
            advice.decided.len()
        ));
    }
    let cells = problem.alphabet.cells();
    if let Some(cell) = cells.iter().max_by_key(|cell| cell.options.len())
        && cell.options.len() >= MANY_VALUES
    {
        all.push(format!(
            "fewer updates of `{}`: it has {}, and each doubling is one more bit of every game",
            cell.name,
            cell.options.len()
        ));
    }
    match kind {
        LimitKind::Time => all.push("a longer `--time-limit`".into()),
        LimitKind::Memory => all.push("a larger `--memory-limit`".into()),
        _ => {}
    }
    all
}
