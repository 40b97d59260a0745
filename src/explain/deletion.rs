//! Which clauses cannot be kept together.
//!
//! Deletion: a guarantee is left out whenever the rest is still unrealizable. Leaving out guarantees only helps the
//! system, so a set from which no single guarantee can be left out has no smaller unrealizable subset (Cimatti, Roveri,
//! Schuppan, Tchaltsev 2008, "Diagnostic information for realizability", definition 8 for guarantees). Groups are tried
//! before single guarantees. The known counter-strategy is checked against the smaller set before anything is
//! synthesized: it often needs few of the guarantees that it was made for. Every answer that is used is certified. A
//! guarantee with an unknown answer is kept and tried again when the set has become smaller; if the answer stays
//! unknown, the core is reported as not minimal.
//!
//! Leaving out assumptions only helps the environment, so a core needs none of them to be unrealizable. They matter for
//! its minimality: an assumption matters if without it fewer guarantees would be unrealizable.

use super::growth::grown;
use super::synthesis_queries::{SynthesisAnswer, Synthesizer, part, with_guarantees};
use super::tuning::{ASSUMPTION_QUESTIONS, ASSUMPTION_UNANSWERED, CORE_QUESTIONS, MACHINE_WORK, UNANSWERED};
use tsl_synth_core::base::IdSet;
use tsl_synth_core::logic::{AtomKind, BitId};
use tsl_synth_core::model::{Abstraction, Contract, CounterStrategy, Observer, Phase, Role};
use tsl_synth_engine::synth::{FailedCertificate, SolverOptions};
use tsl_synth_kernel::{StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// Guarantees that no controller keeps together.
#[derive(Clone, Debug)]
pub struct Core {
    /// The guarantees, in source order.
    pub guarantees: Vec<ClauseId>,
    /// The assumptions that matter: with these alone the system can keep the guarantees when any one of them
    /// is left out, and without any one of these assumptions it cannot. (An assumption about which the
    /// answer is not known stays.)
    pub assumptions: Vec<ClauseId>,
    /// Whether each of the guarantees is needed, by certified answers.
    pub minimal: bool,
    /// A counter-strategy against these guarantees alone; if the one that was found is a circuit, one against more
    /// guarantees or `None`.
    pub counter: Option<CounterStrategy>,
    /// In which sense they are unrealizable.
    pub notion: Abstraction,
}

/// A minimal core of an unrealizable problem with this counter-strategy, if it is explicit. Facts that refinement found
/// must be among the clauses. Stops early, with what it has, when the stop flag of `options` is raised.
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn minimal_core(
    problem: &Problem,
    counter: Option<&CounterStrategy>,
    notion: Abstraction,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Core, FailedCertificate> {
    observer.phase(Phase::MinimalCore);
    let mut asker = Synthesizer::new(options, observer);
    shrink(problem, guarantees_of(problem), (counter.cloned(), notion), &mut asker)
}

/// All guarantees and written restrictions, in source order.
pub(super) fn guarantees_of(problem: &Problem) -> Vec<ClauseId> {
    problem.clauses.enumerate().filter(|(_, c)| c.is_duty()).map(|(id, _)| id).collect()
}

/// A minimal core among guarantees that the counter-strategy defeats.
pub(super) fn shrink(
    problem: &Problem,
    mut kept: Vec<ClauseId>,
    (counter, notion): (Option<CounterStrategy>, Abstraction),
    asker: &mut Synthesizer<'_>,
) -> Result<Core, FailedCertificate> {
    asker.allow(CORE_QUESTIONS, UNANSWERED);
    let (mut counter, mut notion) = (counter, notion);
    // Unrealizability in the weaker sense does not imply it in the stronger.
    if let Some((some, other, n)) = grown(problem, &kept, asker)?
        && (n == notion || n == Abstraction::Tsl)
    {
        (kept, counter, notion) = (some, other.or(counter), n);
    }
    let mut search = DeletionSearch { problem, asker, counter, notion, needed: IdSet::new() };
    let mut chunk = kept.len() / 2;
    while chunk > 1 {
        search.pass(&mut kept, chunk)?;
        chunk = chunk.min(kept.len()) / 2;
    }
    loop {
        let before = kept.len();
        search.pass(&mut kept, 1)?;
        if kept.len() == before {
            break;
        }
    }
    let minimal = kept.len() == 1 || kept.iter().all(|&id| search.needed.contains(id));
    let DeletionSearch { counter, notion, .. } = search;
    asker.allow(ASSUMPTION_QUESTIONS, ASSUMPTION_UNANSWERED);
    let assumptions = assumptions_that_matter(problem, &kept, asker)?;
    Ok(Core { guarantees: kept, assumptions, minimal, counter, notion })
}

struct DeletionSearch<'a, 'b> {
    problem: &'a Problem,
    asker: &'a mut Synthesizer<'b>,
    counter: Option<CounterStrategy>,
    notion: Abstraction,
    /// Guarantees without which the rest is realizable, and so is every smaller set without them.
    needed: IdSet<ClauseId>,
}

impl DeletionSearch<'_, '_> {
    /// Tries to leave out each group of `chunk` neighbors, last ones first.
    fn pass(&mut self, kept: &mut Vec<ClauseId>, chunk: usize) -> Result<(), FailedCertificate> {
        let mut end = kept.len();
        while end > 0 && kept.len() > 1 {
            let start = end.saturating_sub(chunk);
            let group = &kept[start..end];
            end = start;
            if group.iter().any(|&id| self.needed.contains(id)) {
                continue;
            }
            let fewer: Vec<ClauseId> = kept.iter().copied().filter(|id| !group.contains(id)).collect();
            if fewer.is_empty() {
                continue;
            }
            match self.unrealizable(&fewer)? {
                Some(true) => *kept = fewer,
                Some(false) => {
                    if let [only] = group {
                        self.needed.insert(*only);
                    }
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Whether these guarantees are unrealizable; `None` if that is not known in the required sense.
    fn unrealizable(&mut self, guarantees: &[ClauseId]) -> Result<Option<bool>, FailedCertificate> {
        let part = with_guarantees(self.problem, guarantees);
        if self.defeated(&part) {
            return Ok(Some(true));
        }
        Ok(match self.asker.ask_at_length(&part)? {
            // Unrealizability in the weaker sense does not imply it in the stronger.
            SynthesisAnswer::Unrealizable(counter, notion)
                if notion == self.notion || notion == Abstraction::Tsl =>
            {
                // A counter-strategy against more guarantees is better than none.
                self.counter = counter.or(self.counter.take());
                self.notion = notion;
                Some(true)
            }
            SynthesisAnswer::Realizable(_) => Some(false),
            SynthesisAnswer::Unrealizable(..) | SynthesisAnswer::Unknown => None,
        })
    }

    /// Whether the known counter-strategy, which satisfies the facts and assumptions, defeats these guarantees, too.
    fn defeated(&self, part: &Problem) -> bool {
        let contract = Contract { facts: Vec::new(), assumptions: Vec::new(), ..part.contract() };
        let budget = self.asker.budget(MACHINE_WORK);
        self.counter.as_ref().is_some_and(|counter| {
            certify(
                &StrategyClaim {
                    formulas: &part.formulas,
                    alphabet: &part.alphabet,
                    contract: &contract,
                    strategy: StrategyRef::Counter(counter),
                },
                &budget,
            )
            .is_ok()
        })
    }
}

/// Leaves out assumptions as long as the core stays minimal without them. A core of one guarantee is
/// minimal under any.
fn assumptions_that_matter(
    problem: &Problem,
    core: &[ClauseId],
    asker: &mut Synthesizer<'_>,
) -> Result<Vec<ClauseId>, FailedCertificate> {
    if core.len() < 2 {
        return Ok(Vec::new());
    }
    let mut kept: Vec<ClauseId> =
        problem.clauses.enumerate().filter(|(_, c)| c.role == Role::Assumption).map(|(id, _)| id).collect();
    let mut needless = |kept: &[ClauseId]| -> Result<bool, FailedCertificate> {
        for left_out in core {
            let rest = part(problem, |id, c| match c.role {
                _ if c.is_duty() => core.contains(&id) && id != *left_out,
                Role::Assumption => kept.contains(&id),
                _ => true,
            });
            if !matches!(asker.ask_at_length(&rest)?, SynthesisAnswer::Realizable(_)) {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let related = related_assumptions(problem, core);
    if related.len() < kept.len() && needless(&related)? {
        kept = related;
    }
    for i in (0..kept.len()).rev() {
        let mut fewer = kept.clone();
        fewer.remove(i);
        if needless(&fewer)? {
            kept = fewer;
        }
    }
    Ok(kept)
}

/// The bits that the formula of a clause mentions; for a cell all of its bits.
fn bits(problem: &Problem, clause: ClauseId) -> IdSet<BitId> {
    let mut bits = IdSet::new();
    for atom in problem.support(&[problem.clauses[clause].formula]).iter() {
        match problem.alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => {
                bits.insert(bit);
            }
            AtomKind::Update(cell, _) => bits.extend(problem.alphabet.cells()[cell].bits.iter().copied()),
        }
    }
    bits
}

/// Assumptions that share bits with these guarantees, directly or through other assumptions.
fn related_assumptions(problem: &Problem, guarantees: &[ClauseId]) -> Vec<ClauseId> {
    let mut related_bits = IdSet::new();
    for &guarantee in guarantees {
        related_bits.union_with(&bits(problem, guarantee));
    }
    let mut waiting: Vec<(ClauseId, IdSet<BitId>)> = problem
        .clauses
        .enumerate()
        .filter(|(_, c)| c.role == Role::Assumption)
        .map(|(id, _)| (id, bits(problem, id)))
        .collect();
    let mut related = Vec::new();
    loop {
        let (near, far): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(_, bits)| bits.is_empty() || !bits.is_disjoint(&related_bits));
        if near.is_empty() {
            break;
        }
        for (id, bits) in near {
            related_bits.union_with(&bits);
            related.push(id);
        }
        waiting = far;
    }
    related.sort_unstable();
    related
}
