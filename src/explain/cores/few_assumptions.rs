//! Realizability queries under few assumptions: games with many assumptions are hard, and most sets of guarantees need
//! few.
//!
//! A controller under some of the assumptions is right under all of them. A counter-strategy against some of them that keeps
//! the others defeats all of them; one that does not shows an assumption to add. (The portfolio does the same with a game,
//! after its other attempts: see `engine/synth/lazy.rs`.)

use crate::counter_repr::{CounterRepr, counter_ref};
use crate::synthesis_queries::{SynthesisAnswer, Synthesizer, part};
use tsl_synth_core::logic::{Class, FormulaId, LassoSemantics};
use tsl_synth_core::model::{Contract, Role};
use tsl_synth_engine::synth::FailedCertificate;
use tsl_synth_kernel::{CertifyError, StrategyClaim, certify};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// Whether there is a controller of some guarantees, decided with few assumptions within this much counted work; unknown
/// also if there is at most one assumption, so that nothing is gained. `learned` are the assumptions that the last answer
/// needed: if one is needed now, these are taken as well.
pub(super) fn few_assumptions(
    problem: &Problem,
    guarantees: &[ClauseId],
    learned: &mut Vec<ClauseId>,
    asker: &mut Synthesizer<'_>,
    work: u64,
) -> Result<SynthesisAnswer, FailedCertificate> {
    let of_role = |role| problem.clauses.enumerate().filter(move |(_, c)| c.role == role).map(|(id, _)| id);
    let all: Vec<ClauseId> = of_role(Role::Assumption).collect();
    if all.len() < 2 {
        return Ok(SynthesisAnswer::Unknown);
    }
    let (questions, unanswered) = asker.allowance();
    let mut some: Vec<ClauseId> = Vec::new();
    let outer = asker.limited(work);
    let answer = loop {
        let part = part(problem, |id, c| match c.role {
            Role::Assumption => some.contains(&id),
            _ => !c.is_duty() || guarantees.contains(&id),
        });
        match asker.ask_at_length(&part)? {
            SynthesisAnswer::Unrealizable(counter, notion) => {
                let open: Vec<ClauseId> = all.iter().copied().filter(|id| !some.contains(id)).collect();
                match broken(problem, &part, &open, &counter, asker) {
                    Some(broken) if broken.is_empty() => {
                        break SynthesisAnswer::Unrealizable(counter, notion);
                    }
                    Some(broken) => {
                        let new = broken.into_iter().chain(std::mem::take(learned));
                        let new: Vec<ClauseId> = new.filter(|id| !some.contains(id)).collect();
                        some.extend(new);
                        some.sort_unstable();
                        some.dedup();
                    }
                    None => break SynthesisAnswer::Unknown,
                }
            }
            answer => break answer,
        }
    };
    asker.restore(outer);
    if !some.is_empty() {
        *learned = some;
    }
    // The query under all assumptions follows if this one stays undecided.
    if matches!(answer, SynthesisAnswer::Unknown) {
        asker.allow(questions, unanswered);
    }
    Ok(answer)
}

/// Assumptions to add: those that a counter-strategy breaks on some play and that are safety properties, or else the smallest;
/// none if it keeps all of them. `None` if that is not known within the limits.
fn broken(
    problem: &Problem,
    part: &Problem,
    open: &[ClauseId],
    counter: &CounterRepr,
    asker: &Synthesizer<'_>,
) -> Option<Vec<ClauseId>> {
    let formula = |id: ClauseId| problem.clauses[id].formula;
    let Problem { formulas, alphabet, .. } = part;
    let assumptions: Vec<FormulaId> = open.iter().map(|&id| formula(id)).collect();
    let contract =
        Contract { restrictions: part.contract().restrictions, assumptions, ..Contract::default() };
    let strategy = counter_ref(counter);
    let claim = StrategyClaim { formulas, alphabet, contract: &contract, strategy };
    let play = match certify(&claim, &asker.budget(u64::MAX)) {
        Err(CertifyError::Violated(violation)) if violation.role == Role::Assumption => violation.play,
        // Without guarantees no counter-strategy wins.
        Err(CertifyError::Violated(_)) | Ok(_) => return Some(Vec::new()),
        Err(CertifyError::Limit(_) | CertifyError::Malformed(_) | CertifyError::Wrong(_)) => return None,
    };
    let mut meaning = LassoSemantics::new(formulas, alphabet, &play);
    let broken: Vec<ClauseId> = open.iter().copied().filter(|&id| !meaning.holds(formula(id))).collect();
    let is_safe = |id: &ClauseId| formulas.class(formula(*id)).is(Class::SAFETY);
    let safe: Vec<ClauseId> = broken.iter().copied().filter(is_safe).collect();
    if safe.is_empty() {
        let smallest = broken.into_iter().min_by_key(|&id| (formulas.size(formula(id)), id));
        return Some(vec![smallest?]);
    }
    Some(safe)
}
