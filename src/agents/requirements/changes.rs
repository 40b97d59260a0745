//! Changes of what holds: `becomes full`, `is no longer full`, `stops running`. A change is from one step to the next, so that
//! none is in the first step.

use super::verbs::{is_participle, is_progressive};
use super::words::{is_negation, is_one_of};

/// A change of what holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It holds now, and not in the step before.
    Begins,
    /// It held in the step before, and does not now.
    Ends,
}

impl Change {
    /// The formula of a change of what a name stands for.
    pub(super) fn of(self, name: &str) -> String {
        match self {
            Self::Begins => format!("({name} && Y !{name})"),
            Self::Ends => format!("(!{name} && Y {name})"),
        }
    }
}

/// Words that begin or end what follows them, as `being full`, `to be full` or `running`.
const ENDS: [&str; 4] = ["stops", "stop", "ceases", "cease"];
const BEGINS: [&str; 4] = ["starts", "start", "begins", "begin"];

/// The words of a phrase without those of a change, and the change.
///
/// # Errors
/// What was expected, for a change that no rule reads.
pub(super) fn change<'t>(all: &[&'t str]) -> Result<(Vec<&'t str>, Option<Change>), String> {
    let is = |at: usize, list: &[&str]| all.get(at).is_some_and(|word| is_one_of(list, word));
    let shown = all.join(" ");
    let without = |from: usize, size: usize| [&all[..from], &all[from + size..]].concat();
    for at in 0..all.len() {
        let perfect = is(at, &["has", "have", "hasn't", "haven't"]);
        let next = at + 1 + usize::from(is(at + 1, &["not"]));
        let is_past = perfect && all.get(next).is_some_and(|word| is_participle(word));
        if is_past || is(at, &["been"]) {
            return Err(format!(
                "expected what holds now, or `becomes ..`, `is no longer ..`, in place of the past in `{shown}`"
            ));
        }
        // `gets full` is a change, and `gets the mail` is none.
        if at > 0 && is(at, &["gets", "get", "got"]) && at + 2 == all.len() && !is(at - 1, &["not", "to"]) {
            return Err(format!(
                "expected `becomes {}`, or what is done to what, in place of `{shown}`",
                all[at + 1]
            ));
        }
        let begins = if is(at, &["becomes", "become"]) {
            Some((1, Change::Begins))
        } else if is(at, &["no"]) && is(at + 1, &["longer"]) && !is(at + 2, &["than"]) {
            Some((2, Change::Ends))
        } else if is(at, &ENDS) || is(at, &BEGINS) {
            let change = if is(at, &ENDS) { Change::Ends } else { Change::Begins };
            if is(at + 1, &["to"]) && is(at + 2, &["be"]) {
                Some((3, change))
            } else if is(at + 1, &["to"]) && at > 0 && all.len() > at + 2 {
                return Err(format!("expected `{} ..ing`, or what holds, in place of `{shown}`", all[at]));
            } else if is(at + 1, &["being"]) {
                Some((2, change))
            } else {
                all.get(at + 1).is_some_and(|word| is_progressive(word)).then_some((1, change))
            }
        } else {
            None
        };
        let Some((size, change)) = begins else { continue };
        let rest = without(at, size);
        if rest.iter().any(|word| is_negation(word)) || at + size == all.len() {
            return Err(format!("expected a change without a negation, of one thing, in place of `{shown}`"));
        }
        return Ok((rest, Some(change)));
    }
    Ok((all.to_vec(), None))
}
