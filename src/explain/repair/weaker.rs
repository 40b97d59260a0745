//! Weaker versions of a guarantee.
//!
//! The forms: only while the required update is available, an added trigger (`G (q -> f)`), later instead of now or
//! next (`X q` or an answer becomes `F q`), one direction of an equivalence, `W` for `U`, `G F f` for `G f`, and
//! dropping the guarantee. Each is implied by the original.

use crate::tuning::TRIGGERS;
use rustc_hash::FxHashSet;
use tsl_synth_core::base::IdSet;
use tsl_synth_core::logic::{AtomId, AtomKind, Class, FormulaId, Formulas, Node, Player};
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::Problem;

/// How a guarantee is weakened; small changes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weakening {
    /// Only while the update that it requires is available.
    Guard,
    /// A trigger is added.
    Trigger,
    /// `X q`, or an answer in the same step, becomes `F q`.
    Later,
    /// One direction of an equivalence.
    OneWay,
    /// `W` for `U`: without the eventuality.
    NoPromise,
    /// `G F f` for `G f`.
    Recurs,
    /// The guarantee is dropped.
    Dropped,
}

/// The weaker versions of a guarantee, over these atoms, each once.
pub(super) fn weaker(
    problem: &Problem,
    formulas: &mut Formulas,
    guarantee: FormulaId,
    atoms: &[AtomId],
) -> Vec<(Weakening, FormulaId)> {
    let mut all: Vec<(Weakening, FormulaId)> = Vec::new();
    let (always, body) = match *formulas.node(guarantee) {
        Node::Globally(body) => (true, body),
        _ => (false, guarantee),
    };
    let mut add = |formulas: &mut Formulas, weakening, body| {
        let f = if always { formulas.globally(body) } else { body };
        if f != guarantee && f != formulas.top() && !all.iter().any(|(_, g)| *g == f) {
            all.push((weakening, f));
        }
    };
    let support = formulas.support(&[guarantee]);
    for available in availabilities(problem, formulas, &support) {
        let guarded = formulas.implies(available, body);
        add(formulas, Weakening::Guard, guarded);
    }
    let free = |a: &&AtomId| {
        problem.alphabet.player(**a) == Player::Environment
            && !problem.is_hidden(**a)
            && !support.contains(**a)
    };
    let never = excluded(problem, formulas);
    for &atom in atoms.iter().filter(free).take(TRIGGERS) {
        let atom = formulas.atom(atom);
        let not = formulas.not(atom);
        // What never happens triggers nothing: the guarantee would be dropped.
        for trigger in [not, atom].into_iter().filter(|trigger| !never.contains(trigger)) {
            let triggered = formulas.implies(trigger, body);
            add(formulas, Weakening::Trigger, triggered);
        }
    }
    // `req -> X (grant || block)`: the requirement on the next step, or else the input.
    for &atom in atoms.iter().filter(free).take(TRIGGERS) {
        let atom = formulas.atom(atom);
        let not = formulas.not(atom);
        if never.contains(&atom) || never.contains(&not) {
            continue;
        }
        if let Some(excused) = excused(formulas, body, atom) {
            add(formulas, Weakening::Trigger, excused);
        }
    }
    for part in 0.. {
        match later(problem, formulas, body, part) {
            Some(f) => add(formulas, Weakening::Later, f),
            None => break,
        }
    }
    if let Node::Iff(a, b) = *formulas.node(body) {
        for (a, b) in [(a, b), (b, a)] {
            let implication = formulas.implies(a, b);
            add(formulas, Weakening::OneWay, implication);
        }
    }
    let without = without_promises(formulas, body);
    add(formulas, Weakening::NoPromise, without);
    if always && !matches!(formulas.node(body), Node::Finally(_)) {
        let finally = formulas.finally(body);
        add(formulas, Weakening::Recurs, finally);
    }
    all
}

/// The formulas that an assumption, such as the bound of an input, excludes in every step.
fn excluded(problem: &Problem, formulas: &mut Formulas) -> FxHashSet<FormulaId> {
    let mut all = FxHashSet::default();
    for clause in problem.clauses.iter().filter(|clause| clause.role == Role::Assumption) {
        let Node::Globally(body) = *formulas.node(clause.formula) else { continue };
        let parts = match formulas.node(body) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![body],
        };
        for part in parts {
            all.insert(formulas.not(part));
        }
    }
    all
}

/// For each update among the atoms that is not always available, the condition under which it is: the restrictions of
/// the problem with the update chosen.
fn availabilities(problem: &Problem, formulas: &mut Formulas, support: &IdSet<AtomId>) -> Vec<FormulaId> {
    let restrictions = problem.clauses.iter().filter(|clause| clause.role == Role::Restriction);
    let mut all = Vec::new();
    for restriction in restrictions {
        let Node::Globally(body) = *formulas.node(restriction.formula) else { continue };
        let about = formulas.support(&[body]);
        let is_update = |atom: &AtomId| matches!(problem.alphabet.atoms()[*atom].kind, AtomKind::Update(..));
        let updates: Vec<AtomId> = about.iter().filter(is_update).collect();
        let [update] = updates.as_slice() else { continue };
        if !support.contains(*update) || problem.is_hidden(*update) {
            continue;
        }
        let chosen = formulas.top();
        let available = formulas.map(body, |formulas, g, _| match formulas.node(g) {
            Node::Atom(atom) if atom == update => Some(chosen),
            _ => None,
        });
        all.push(available);
    }
    all
}

/// The body with `X (g || atom)` for the only `X g` among its disjuncts.
fn excused(formulas: &mut Formulas, body: FormulaId, atom: FormulaId) -> Option<FormulaId> {
    let Node::Or(parts) = formulas.node(body) else { return None };
    let mut parts = parts.to_vec();
    let mut later = (0..parts.len()).filter(|&i| matches!(formulas.node(parts[i]), Node::Next(_)));
    let (i, None) = (later.next()?, later.next()) else { return None };
    drop(later);
    let Node::Next(g) = *formulas.node(parts[i]) else { return None };
    let either = formulas.or([g, atom]);
    parts[i] = formulas.next(either);
    Some(formulas.or(parts))
}

/// The body with `F` in its `part`-th disjunct that the system can fulfill later; `None` if there are fewer.
fn later(problem: &Problem, formulas: &mut Formulas, body: FormulaId, part: usize) -> Option<FormulaId> {
    let mut parts = match formulas.node(body) {
        Node::Or(fs) => fs.to_vec(),
        _ => vec![body],
    };
    let single = parts.len() == 1;
    let postponable = |formulas: &Formulas, f: FormulaId| match formulas.node(f) {
        Node::Next(_) => true,
        _ => {
            !single
                && formulas.class(f).is(Class::BOOLEAN)
                && formulas.support(&[f]).iter().all(|a| problem.alphabet.player(a) == Player::System)
        }
    };
    let i = (0..parts.len()).filter(|&i| postponable(formulas, parts[i])).nth(part)?;
    let operand = match *formulas.node(parts[i]) {
        Node::Next(g) => g,
        _ => parts[i],
    };
    parts[i] = formulas.finally(operand);
    Some(formulas.or(parts))
}

/// `W` for `U` and `R` for `M` wherever that weakens: not below a negation or an equivalence.
fn without_promises(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    formulas.map(f, |formulas, g, operands| match *formulas.node(g) {
        Node::Not(_) | Node::Iff(..) => Some(g),
        Node::Until(..) => Some(formulas.weak_until(operands[0], operands[1])),
        Node::StrongRelease(..) => Some(formulas.release(operands[0], operands[1])),
        _ => None,
    })
}
