//! Whether the copies of a law, one for each value, can be judged independently.

use crate::CompiledPolicy;
use crate::language::{LawAtom, LawId};

/// Whether the copies of a law are shown to be independent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copying {
    /// A copy has no open obligation at the end, and only calls that are bound to its own value change it.
    Independent,
    /// The reason why that is not shown.
    Open(String),
}

/// For each law with copies whether they can be judged independently. The condition is sufficient: the law holds in
/// every state in which it is not violated, so that copies do not interact at the end; each action that it reads is
/// bound to its values, so that they do not interact in one call; and it reads no register.
pub fn copies(compiled: &CompiledPolicy) -> Vec<(LawId, Copying)> {
    let policy = &compiled.policy;
    let mut all = Vec::new();
    for (law, own) in policy.laws.enumerate().filter(|(_, law)| !law.for_each.is_empty()) {
        let monitor = &compiled.monitors[law];
        let owes = (0..monitor.len() as u32)
            .any(|state| monitor.dfa().is_live(state) && !monitor.standing(state).holds());
        let unbound = compiled.reads(law).into_iter().find_map(|bit| {
            let LawAtom::Call(action) = policy.atoms.atom(bit) else { return None };
            let mut tables = policy.matches.iter().filter(|table| table.action == Some(action)).peekable();
            let is_bound = tables.peek().is_some()
                && tables.all(|table| {
                    own.for_each.iter().all(|name| table.bind.iter().any(|(bound, _)| bound == name))
                });
            (!is_bound).then(|| policy.atoms.actions[action].name.clone())
        });
        let copying = if owes {
            Copying::Open("a copy may owe something, and all copies meet in `end`".into())
        } else if let Some(action) = unbound {
            Copying::Open(format!("a call of `{action}` is not always bound to its values"))
        } else if compiled.reads_count(law) && !own.is_value_limit {
            Copying::Open("it depends on a register, which all copies share".into())
        } else {
            Copying::Independent
        };
        all.push((law, copying));
    }
    all
}
