//! Edits that remove over-constrained states: among laws that together leave no action, a soft one is weakened or
//! deleted.

use crate::CompiledPolicy;
use crate::language::words::{LawTree, Temporal};
use crate::language::{LawId, LawKind, names_of};
use tsl_synth_core::model::{EditKind, LawEdit};

/// The premise and the conclusion of a law `G (p -> q)` whose premise has no temporal operators.
fn parts(compiled: &CompiledPolicy, law: LawId) -> Option<(LawTree, LawTree)> {
    let policy = &compiled.policy;
    let tree = LawTree::read(&policy.laws[law].ltl, &names_of(&policy.atoms)).ok()?;
    let LawTree::Unary(Temporal::Globally, body) = tree else { return None };
    let LawTree::Implies(premise, conclusion) = *body else { return None };
    premise.is_boolean().then_some((*premise, *conclusion))
}

/// An edit of one of these laws, which together leave no action; `None` if none of them is soft.
///
/// The soft law declared first is edited. If there is one other law and both have the form `G (p -> q)`, it is weakened:
/// the premise of the other law is excluded from its own (`G (p & !p' -> q)`). If that was done before, or in all other
/// cases, it is deleted.
pub fn relax(compiled: &CompiledPolicy, core: &[LawId]) -> Option<LawEdit> {
    let laws = &compiled.policy.laws;
    let law = gives_way(compiled, core)?;
    let id = laws[law].id.clone();
    let others: Vec<LawId> = core.iter().copied().filter(|&other| other != law).collect();
    let names: Vec<String> = others.iter().map(|&other| format!("`{}`", laws[other].id)).collect();
    let weaker = match (others.as_slice(), parts(compiled, law)) {
        ([other], Some((premise, conclusion))) => parts(compiled, *other).and_then(|(excluded, _)| {
            let excluded = LawTree::negate(excluded);
            let is_new = !matches!(&premise, LawTree::And(all) if all.contains(&excluded));
            let premise = LawTree::all([premise, excluded]);
            is_new.then(|| LawTree::globally(LawTree::implies(premise, conclusion)))
        }),
        _ => None,
    };
    match weaker {
        Some(ltl) => Some(LawEdit {
            kind: EditKind::Replace,
            why: format!("{} Where {} applies, this law gives way.", laws[law].why, names.join(", "))
                .trim()
                .into(),
            id,
            ltl: ltl.to_string(),
        }),
        None => delete(compiled, core),
    }
}

/// The soft law that gives way: the one declared first. Lists of laws that follow a task, such as those of LTLCrit, have
/// the laws that are nearer to the goal later.
fn gives_way(compiled: &CompiledPolicy, core: &[LawId]) -> Option<LawId> {
    let laws = &compiled.policy.laws;
    core.iter().copied().filter(|&law| laws[law].kind == LawKind::Soft).min()
}

/// The deletion of the law that [`relax`] edits, for when the weaker law was refused.
pub fn delete(compiled: &CompiledPolicy, core: &[LawId]) -> Option<LawEdit> {
    let laws = &compiled.policy.laws;
    let law = gives_way(compiled, core)?;
    let others = core.iter().filter(|&&other| other != law);
    let names: Vec<String> = others.map(|&other| format!("`{}`", laws[other].id)).collect();
    let together =
        if names.is_empty() { String::new() } else { format!(" together with {}", names.join(", ")) };
    Some(LawEdit {
        kind: EditKind::Delete,
        why: format!("It leaves no action{together}."),
        id: laws[law].id.clone(),
        ltl: String::new(),
    })
}
