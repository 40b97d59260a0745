//! Laws checked against recorded sessions: whether the situation that a law is about ever occurs, and whether the
//! session keeps the law.

use crate::language::{LawFormula, LawId};
use crate::{CompiledPolicy, StandingRange};
use std::collections::BTreeMap;
use tsl_synth_core::logic::{FiniteFormulas, FiniteId, FiniteNode, Letter};
use tsl_synth_core::model::LawStatus;

/// The largest number of steps that are remembered for each law.
const MAX_STEPS: usize = 20;

/// A recorded session.
pub trait RecordedSession {
    /// Its name.
    fn name(&self) -> &str;
    /// Its letters, in order.
    fn letters(&self) -> &[Letter];
    /// The values that a letter is bound to.
    fn bindings(&self, _letter: usize) -> &[(String, String)] {
        &[]
    }
    /// The standing of a law at its end, in all ways to complete what the log does not tell; `None` if that of the letters
    /// is sure.
    fn standing(&self, _law: LawId) -> Option<StandingRange> {
        None
    }
}

/// What the sessions show about a law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounding {
    /// Whether the situation that the law is about occurs.
    pub is_grounded: bool,
    /// Whether this situation is the premise of the law, `G (p -> ..)`; otherwise it is a change of its monitor's
    /// state.
    pub by_premise: bool,
    /// The first occurrences: sessions and letters, both from 0.
    pub steps: Vec<(usize, usize)>,
    /// Sessions that violate it forever, with the letter that does.
    pub violated: Vec<(usize, usize)>,
    /// Sessions that end while it is not kept.
    pub owed: Vec<usize>,
    /// Sessions whose log leaves open whether it is kept.
    pub undecided: Vec<usize>,
}

/// Checks laws against sessions; returns one entry for each law.
pub fn ground<'s, S: RecordedSession + 's>(
    compiled: &CompiledPolicy,
    sessions: impl IntoIterator<Item = &'s S>,
) -> Vec<Grounding> {
    let laws: Vec<LawId> = compiled.policy.laws.ids().collect();
    check_all(compiled, &laws, sessions)
}

/// Checks one law against sessions.
pub fn ground_law<'s, S: RecordedSession + 's>(
    compiled: &CompiledPolicy,
    law: LawId,
    sessions: impl IntoIterator<Item = &'s S>,
) -> Grounding {
    check_all(compiled, &[law], sessions).pop().unwrap_or_default()
}

fn check_all<'s, S: RecordedSession + 's>(
    compiled: &CompiledPolicy,
    laws: &[LawId],
    sessions: impl IntoIterator<Item = &'s S>,
) -> Vec<Grounding> {
    let premises: Vec<Option<FiniteId>> =
        laws.iter().map(|&law| premise(&compiled.policy.laws[law].formula)).collect();
    let mut all: Vec<Grounding> = premises
        .iter()
        .map(|premise| Grounding { by_premise: premise.is_some(), ..Grounding::default() })
        .collect();
    for (number, session) in sessions.into_iter().enumerate() {
        for ((&law, &premise), own) in laws.iter().zip(&premises).zip(&mut all) {
            let before = (own.violated.len(), own.owed.len());
            let names = &compiled.policy.laws[law].for_each;
            for letters in runs(session, names) {
                check_session(compiled, law, premise, (number, session.letters(), &letters), own);
            }
            if let Some(range) = session.standing(law) {
                // The letters are those of one way to complete the log.
                if range.best != LawStatus::Violated {
                    own.violated.truncate(before.0);
                }
                if range.best.holds() {
                    own.owed.truncate(before.1);
                } else if range.best != LawStatus::Violated && own.owed.len() == before.1 {
                    own.owed.push(number);
                }
                if range.best.holds() != range.worst.holds() {
                    own.undecided.push(number);
                }
            }
        }
    }
    all
}

/// The letters of a session that each copy of a law reads: those bound to its values, and those that are not bound to
/// others. One run of all letters without copies, and where no letter binds all values.
fn runs(session: &impl RecordedSession, names: &[String]) -> Vec<Vec<usize>> {
    let count = session.letters().len();
    let mut values: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    let mut open: Vec<(usize, Vec<Option<&str>>)> = Vec::new();
    for at in 0..count {
        let bound = session.bindings(at);
        let of = |name: &String| bound.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
        let key: Vec<Option<&str>> = names.iter().map(of).collect();
        match key.iter().copied().collect::<Option<Vec<&str>>>() {
            Some(whole) if !names.is_empty() => values.entry(whole).or_default().push(at),
            _ => open.push((at, key)),
        }
    }
    if values.is_empty() {
        return vec![(0..count).collect()];
    }
    let run = |(whole, mut letters): (Vec<&str>, Vec<usize>)| {
        let agrees = |key: &[Option<&str>]| {
            key.iter().zip(&whole).all(|(own, value)| own.is_none_or(|own| own == *value))
        };
        letters.extend(open.iter().filter(|(_, key)| agrees(key)).map(|(at, _)| *at));
        letters.sort_unstable();
        letters
    };
    values.into_iter().map(run).collect()
}

/// Checks a law against some letters of a session.
fn check_session(
    compiled: &CompiledPolicy,
    law: LawId,
    premise: Option<FiniteId>,
    (number, letters, run): (usize, &[Letter], &[usize]),
    own: &mut Grounding,
) {
    let monitor = &compiled.monitors[law];
    let mut state = 0;
    for &at in run {
        let valuation = compiled.valuation(law, &letters[at]);
        let next = monitor.next(state, valuation);
        let occurs = match premise {
            // The formula contains the negation of the premise.
            Some(denied) => !literal_holds(&compiled.policy.laws[law].formula.formulas, denied, valuation),
            None => next != state,
        };
        if occurs {
            own.is_grounded = true;
            if own.steps.len() < MAX_STEPS && !own.steps.contains(&(number, at)) {
                own.steps.push((number, at));
            }
        }
        let is_new = monitor.standing(state) != LawStatus::Violated;
        if is_new && monitor.standing(next) == LawStatus::Violated && !own.violated.contains(&(number, at)) {
            own.violated.push((number, at));
        }
        state = next;
    }
    if monitor.standing(state) == LawStatus::CurrentlyViolated && own.owed.last() != Some(&number) {
        own.owed.push(number);
    }
}

/// The negation of `p` in a law `G (p -> ..)`: the part without temporal operators of a disjunction below `G`.
fn premise(formula: &LawFormula) -> Option<FiniteId> {
    let formulas = &formula.formulas;
    let FiniteNode::Release(left, body) = *formulas.node(formula.root) else { return None };
    if *formulas.node(left) != FiniteNode::Constant(false) {
        return None;
    }
    let FiniteNode::Or(a, b) = *formulas.node(body) else { return None };
    match (is_state(formulas, a), is_state(formulas, b)) {
        (true, false) => Some(a),
        (false, true) => Some(b),
        _ => None,
    }
}

/// Whether a formula is one proposition: parts without temporal operators were made propositions before.
fn is_state(formulas: &FiniteFormulas, id: FiniteId) -> bool {
    matches!(formulas.node(id), FiniteNode::Letter { .. })
}

fn literal_holds(formulas: &FiniteFormulas, id: FiniteId, valuation: usize) -> bool {
    match *formulas.node(id) {
        FiniteNode::Letter { letter, negated } => (valuation >> letter & 1 == 1) != negated,
        _ => false,
    }
}
