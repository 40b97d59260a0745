//! Laws against recorded sessions: whether what a law is about ever occurs, and whether the session keeps it.

use crate::base::Id;
use crate::control::policy::CompiledPolicy;
use crate::logic::{FiniteFormulas, FiniteId, FiniteNode, Letter};
use crate::model::Standing;
use crate::spec::policy::{LawFormula, LawId};

/// So many steps are remembered for each law.
const MAX_STEPS: usize = 20;

/// A recorded session.
pub trait RecordedSession {
    /// Its name.
    fn name(&self) -> &str;
    /// Its letters, in order. For laws with copies these are the letters of one value.
    fn letters(&self) -> &[Letter];
}

/// What the sessions tell about a law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounding {
    /// Whether what it is about occurs.
    pub is_grounded: bool,
    /// Whether that is the premise of the law, `G (p -> ..)`; else that its monitor leaves its first state.
    pub by_premise: bool,
    /// Where: sessions and letters, both from 0; not all of them.
    pub steps: Vec<(usize, usize)>,
    /// Sessions that violate it for ever, with the letter that does.
    pub violated: Vec<(usize, usize)>,
    /// Sessions that end while it is not kept.
    pub owed: Vec<usize>,
}

/// Holds laws to sessions; one entry for each law.
pub fn ground<'s, S: RecordedSession + 's>(
    compiled: &CompiledPolicy,
    sessions: impl IntoIterator<Item = &'s S>,
) -> Vec<Grounding> {
    let laws: Vec<LawId> = compiled.policy.laws.ids().collect();
    let premises: Vec<Option<FiniteId>> =
        laws.iter().map(|&law| premise(&compiled.policy.laws[law].formula)).collect();
    let mut all: Vec<Grounding> = premises
        .iter()
        .map(|premise| Grounding { by_premise: premise.is_some(), ..Grounding::default() })
        .collect();
    for (number, session) in sessions.into_iter().enumerate() {
        for &law in &laws {
            let (monitor, premise) = (&compiled.monitors[law], premises[law.index()]);
            let own = &mut all[law.index()];
            let mut state = 0;
            for (at, letter) in session.letters().iter().enumerate() {
                let valuation = compiled.valuation(law, letter);
                let next = monitor.next(state, valuation);
                let occurs = match premise {
                    // What is denied in the formula is the premise.
                    Some(denied) => !holds(&compiled.policy.laws[law].formula.formulas, denied, valuation),
                    None => next != state,
                };
                if occurs {
                    own.is_grounded = true;
                    if own.steps.len() < MAX_STEPS {
                        own.steps.push((number, at));
                    }
                }
                let is_new = monitor.standing(state) != Standing::Violated;
                if is_new && monitor.standing(next) == Standing::Violated {
                    own.violated.push((number, at));
                }
                state = next;
            }
            if monitor.standing(state) == Standing::CurrentlyViolated {
                own.owed.push(number);
            }
        }
    }
    all
}

/// Of a law `G (p -> ..)` the denial of `p`: the part without temporal operators of a disjunction below `G`.
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

fn holds(formulas: &FiniteFormulas, id: FiniteId, valuation: usize) -> bool {
    match *formulas.node(id) {
        FiniteNode::Letter { letter, negated } => (valuation >> letter & 1 == 1) != negated,
        _ => false,
    }
}
