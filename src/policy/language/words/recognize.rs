//! Recognizes the pattern of a formula. It is guessed from the form of the formula, and the guess is accepted only if
//! its formula is the same tree.

use super::names::{NameKind, OUTCOMES, PolicyNames};
use super::pattern::{LawPattern, NameCondition, PatternSubject, Reset, fresh_parts};
use super::tree::{LawTree, Link, Temporal};

/// The pattern whose formula this is.
pub(super) fn recognize(law: &LawTree, names: &PolicyNames) -> Option<LawPattern> {
    let guess = guess(law, names)?;
    (guess.law() == *law).then_some(guess)
}

fn guess(law: &LawTree, names: &PolicyNames) -> Option<LawPattern> {
    let body = match law {
        LawTree::Unary(Temporal::Globally, body) => body,
        other => return Some(LawPattern::EndRequires { needed: unjoin(other, names, &at_end)? }),
    };
    let (trigger, then) = match &**body {
        LawTree::Not(inner) => return counted_or_excluded(inner, names),
        LawTree::Implies(trigger, then) => (trigger, then),
        _ => return Some(LawPattern::EndRequires { needed: unjoin(law, names, &at_end)? }),
    };
    let trigger = condition(trigger, names, false)?;
    if let Some(needed) = unjoin(then, names, &has_been) {
        return Some(LawPattern::RequiresBefore { what: trigger, needed });
    }
    if let Some((_, stale)) = first_fresh(then) {
        let since = condition(stale, names, false)?;
        let matched = |law: &LawTree, names: &PolicyNames| {
            let (negated, inner) = stripped(law);
            let (x, _) = fresh_parts(inner)?;
            literal(x, names, negated)
        };
        // `A only between B and C` has the same formula.
        let needed = unjoin(then, names, &matched)?;
        return Some(LawPattern::RequiresSince { what: trigger, needed, since });
    }
    let step = |law: &'_ LawTree, op: Temporal| match law {
        LawTree::Unary(o, inner) if *o == op => Some((**inner).clone()),
        _ => None,
    };
    if let Some(inner) = step(then, Temporal::StrongNext)
        && let LawTree::Binary(Link::Until, _, done) = &inner
    {
        return Some(LawPattern::ThenImmediately { trigger, owed: condition(done, names, true)? });
    }
    let never = step(then, Temporal::Next).unwrap_or_else(|| (**then).clone());
    if let Some(LawTree::Not(forbidden)) = step(&never, Temporal::Globally)
        && let Some(forbidden) = condition(&forbidden, names, false)
    {
        return Some(LawPattern::ForbidsAfter { trigger, forbidden });
    }
    if let Some(owed) = unjoin(then, names, &comes) {
        return Some(LawPattern::ThenEventually { trigger, owed });
    }
    Some(LawPattern::AfterEndRequires { trigger, needed: unjoin(then, names, &at_end)? })
}

/// `G !(A & P)`, or `G !f` where `f` describes the first letter beyond the allowed count.
fn counted_or_excluded(inner: &LawTree, names: &PolicyNames) -> Option<LawPattern> {
    if let LawTree::And(all) = inner
        && inner.is_boolean()
    {
        let is_state = |law: &LawTree| condition(law, names, false).is_some_and(|c| c.is_state());
        let first = all.iter().position(is_state)?;
        let (what, state) = all.split_at(first);
        return Some(LawPattern::NeverWhile {
            what: condition(&LawTree::all(what.to_vec()), names, false)?,
            state: condition(&LawTree::all(state.to_vec()), names, false)?,
        });
    }
    // A & Y O (A & Y O A), or A & !B & Y(!B S (...))
    let mut most = 0;
    let mut reset = Reset::Never;
    let mut rest = inner;
    while let LawTree::And(all) = rest
        && let Some(LawTree::Unary(Temporal::Yesterday, earlier)) = all.last()
    {
        match &**earlier {
            LawTree::Unary(Temporal::Once, earlier) => rest = earlier,
            LawTree::Binary(Link::Since, kept, earlier) => {
                let LawTree::Not(done) = &**kept else { return None };
                reset = Reset::Since(condition(done, names, true)?);
                rest = earlier;
            }
            // `Y` of another formula is not part of the count.
            _ => break,
        }
        most += 1;
    }
    let counted = match rest {
        LawTree::And(all) if matches!(all.last(), Some(LawTree::Not(f)) if matches!(**f, LawTree::Unary(Temporal::Yesterday, _))) => {
            LawTree::all(all[..all.len() - 1].to_vec())
        }
        other => other.clone(),
    };
    Some(LawPattern::AtMost { most, what: condition(&counted, names, false)?, reset })
}

/// The condition that a formula without temporal operators expresses. With `done`, an atom `a.ok` denotes the action
/// `a`.
pub(super) fn condition(law: &LawTree, names: &PolicyNames, done: bool) -> Option<NameCondition> {
    let all =
        |laws: &[LawTree]| laws.iter().map(|law| condition(law, names, done)).collect::<Option<Vec<_>>>();
    match law {
        LawTree::Atom(name) => Some(NameCondition::Is(subject(name, names, done))),
        LawTree::Not(inner) => Some(NameCondition::Not(Box::new(condition(inner, names, done)?))),
        LawTree::And(laws) => Some(NameCondition::All(all(laws)?)),
        LawTree::Or(laws) => Some(NameCondition::Any(all(laws)?)),
        _ => None,
    }
}

/// The subject of a name; an unknown name is a proposition that is true in single letters.
pub(super) fn subject(name: &str, names: &PolicyNames, done: bool) -> PatternSubject {
    match names.kind(name) {
        Some(NameKind::Action) => return PatternSubject::Action(name.into()),
        Some(NameKind::State) => return PatternSubject::State(name.into()),
        Some(NameKind::Momentary) => return PatternSubject::Momentary(name.into()),
        None => {}
    }
    match name.rsplit_once('.') {
        Some((action, "ok")) if done && names.kind(action) != Some(NameKind::Momentary) => {
            PatternSubject::Action(action.into())
        }
        Some((action, suffix)) if names.kind(action) == Some(NameKind::Action) => {
            match OUTCOMES.into_iter().find(|outcome| *outcome == suffix) {
                Some(outcome) => PatternSubject::Outcome(action.into(), outcome),
                None => PatternSubject::Momentary(name.into()),
            }
        }
        _ => PatternSubject::Momentary(name.into()),
    }
}

fn stripped(law: &LawTree) -> (bool, &LawTree) {
    match law {
        LawTree::Not(inner) => (true, inner),
        other => (false, other),
    }
}

/// A name or its negation, once more negated if `negated`.
fn literal(law: &LawTree, names: &PolicyNames, negated: bool) -> Option<NameCondition> {
    let (inside, atom) = stripped(law);
    let LawTree::Atom(name) = atom else { return None };
    let is = NameCondition::Is(subject(name, names, true));
    Some(if negated == inside { is } else { NameCondition::Not(Box::new(is)) })
}

/// The condition of a conjunction or disjunction whose parts are single names in the form that `part` recognizes.
fn unjoin(
    law: &LawTree,
    names: &PolicyNames,
    part: &dyn Fn(&LawTree, &PolicyNames) -> Option<NameCondition>,
) -> Option<NameCondition> {
    if let Some(found) = part(law, names) {
        return Some(found);
    }
    let all = |laws: &[LawTree]| laws.iter().map(|law| unjoin(law, names, part)).collect::<Option<Vec<_>>>();
    match law {
        LawTree::And(laws) => Some(NameCondition::All(all(laws)?)),
        LawTree::Or(laws) => Some(NameCondition::Any(all(laws)?)),
        _ => None,
    }
}

fn has_been(law: &LawTree, names: &PolicyNames) -> Option<NameCondition> {
    let (negated, inner) = stripped(law);
    match inner {
        LawTree::Unary(Temporal::Once, x) => literal(x, names, negated),
        _ => None,
    }
}

fn comes(law: &LawTree, names: &PolicyNames) -> Option<NameCondition> {
    match law {
        LawTree::Unary(Temporal::StrongNext, inner) => comes(inner, names),
        LawTree::Unary(Temporal::Finally, x) => literal(x, names, false),
        _ => None,
    }
}

fn at_end(law: &LawTree, names: &PolicyNames) -> Option<NameCondition> {
    match law {
        LawTree::Unary(Temporal::StrongNext | Temporal::Next, inner) => at_end(inner, names),
        LawTree::Unary(Temporal::Finally, x) => match &**x {
            LawTree::Unary(Temporal::Globally, x) => literal(x, names, false),
            x => literal(x, names, false),
        },
        // `G !e` and `G F !p`
        LawTree::Unary(Temporal::Globally, x) => match &**x {
            LawTree::Unary(Temporal::Finally, x) => literal(x, names, false),
            x => literal(x, names, false),
        },
        _ => None,
    }
}

/// The first subformula of the form that [`fresh_parts`] recognizes.
fn first_fresh(law: &LawTree) -> Option<(&LawTree, &LawTree)> {
    match law {
        LawTree::And(laws) => laws.iter().find_map(first_fresh),
        LawTree::Or(laws) => fresh_parts(law).or_else(|| laws.iter().find_map(first_fresh)),
        LawTree::Not(inner) => first_fresh(inner),
        _ => None,
    }
}
