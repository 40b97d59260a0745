//! Conditions over the names and numbers of a world: formulas without temporal operators, with comparisons such as
//! `planks >= 3`.

use super::state::{Atom, Comparison, SlotKind, Vocabulary};
use std::collections::BTreeSet;
use tsl_synth_core::diag::{Diagnostics, Severity};
use tsl_synth_core::source::SourceMap;
use tsl_synth_ltl::ltl::{LtlExprs, LtlId, LtlKind, parse_ltl};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};
use tsl_synth_ltl::spelling::nearest;

/// How the names of comparisons begin.
const COMPARED: &str = "comparison_";

/// A name in a condition, which holds where one of these comparisons does.
type NamedTest = (String, Vec<Atom>);

/// A condition.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    exprs: LtlExprs,
    root: LtlId,
    /// The names in it, in alphabetical order.
    names: Vec<NamedTest>,
}

/// A hint at the known name that is most similar to an unknown one; empty if none is similar.
pub(super) fn meant<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(name, names).map_or(String::new(), |near| format!("; is `{near}` meant?"))
}

/// The error that a name is not a proposition of a world.
pub(super) fn unknown(name: &str, words: &Vocabulary) -> String {
    if words.slot(name).is_some() {
        return format!("`{name}` is a number: compare it, such as `{name} >= 1`");
    }
    let near = meant(name, words.meanings.keys().map(String::as_str));
    let near = if near.is_empty() { "; `facts` lists those of the world itself".to_owned() } else { near };
    format!("there is no proposition `{name}`{near}")
}

/// The error that a name is not a number of a world.
pub(super) fn no_number(name: &str, words: &Vocabulary) -> String {
    if words.meanings.contains_key(name) {
        return format!("`{name}` holds or does not, and is no number");
    }
    let near = meant(name, words.names(SlotKind::Amount));
    format!("there is no quantity and no counter `{name}`{near}")
}

/// A comparison at the beginning of a text after a name: its operator, its number, and its length.
fn comparison(text: &str) -> Option<(&'static str, u32, usize)> {
    let from = text.trim_start();
    let operator = [">=", "<=", "==", "!=", ">", "<", "="].into_iter().find(|sign| from.starts_with(sign))?;
    let after = from[operator.len()..].trim_start();
    let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let value = after[..digits].parse().ok()?;
    Some((operator, value, text.len() - after.len() + digits))
}

/// The text with a name in the place of each comparison, and the comparisons by these names.
fn replaced(text: &str, words: &Vocabulary) -> Result<(String, Vec<NamedTest>), String> {
    let (mut out, mut found) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(length);
        let Some((operator, value, length)) = comparison(after).filter(|_| is_name(first)) else {
            out.push_str(word);
            rest = after;
            continue;
        };
        let slot = words.slot(word).ok_or_else(|| no_number(word, words))?;
        let atom = |comparison, value| Atom { slot, comparison, value };
        let any = match operator {
            ">=" => vec![atom(Comparison::AtLeast, value)],
            "<=" => vec![atom(Comparison::AtMost, value)],
            ">" => vec![atom(Comparison::AtLeast, value.saturating_add(1))],
            "<" => value.checked_sub(1).map(|most| atom(Comparison::AtMost, most)).into_iter().collect(),
            "!=" => vec![atom(Comparison::Unequal, value)],
            _ => vec![atom(Comparison::Equal, value)],
        };
        let name = format!("{COMPARED}{}", found.len());
        out.extend(["(", &name, ")"]);
        found.push((name, any));
        rest = &after[length..];
    }
    Ok((out, found))
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// The first thing that is wrong with it, as a sentence.
    pub(super) fn read(text: &str, words: &Vocabulary) -> Result<Self, String> {
        let wrong = |why: String| format!("`{text}`: {why}");
        let (plain, compared) = replaced(text, words).map_err(wrong)?;
        let mut map = SourceMap::new();
        let source = map.add("condition", plain.as_str());
        let mut found = Diagnostics::new();
        let is_proposition =
            |name: &str| words.meanings.contains_key(name) || compared.iter().any(|(own, _)| own == name);
        let Some(module) = parse_ltl(&map, source, &is_proposition, &mut found) else {
            let error = found.iter().find(|one| one.severity == Severity::Error);
            return Err(wrong(error.map_or("this is no formula".into(), |error| error.message.clone())));
        };
        let &[root] = module.formulas.as_slice() else {
            return Err(wrong("one formula is expected".into()));
        };
        let mut names = compared;
        for (_, expr) in module.exprs.enumerate() {
            match &expr.kind {
                LtlKind::Constant(_)
                | LtlKind::Unary(UnaryOp::Not, _)
                | LtlKind::Binary(
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Xor,
                    ..,
                ) => {}
                LtlKind::Proposition(name) => {
                    if !names.iter().any(|(own, _)| *own == **name) {
                        let meaning = words.meanings.get(&**name);
                        let meaning = meaning.ok_or_else(|| wrong(unknown(name, words)))?;
                        names.push((name.to_string(), meaning.any.clone()));
                    }
                }
                LtlKind::Unary(..) | LtlKind::Bounded { .. } | LtlKind::Binary(..) => {
                    return Err(wrong(
                        "a condition is about one moment, and has no temporal operators".into(),
                    ));
                }
            }
        }
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(Self { exprs: module.exprs, root, names })
    }

    /// The conditions of which it is the conjunction.
    pub(super) fn parts(&self) -> Vec<Self> {
        let (mut parts, mut todo) = (Vec::new(), vec![self.root]);
        while let Some(id) = todo.pop() {
            if let LtlKind::Binary(BinaryOp::And, a, b) = self.exprs.kind(id) {
                todo.extend([*b, *a]);
            } else {
                let own = self.names_below(id);
                let names = self.names.iter().filter(|(name, _)| own.contains(name.as_str()));
                parts.push(Self { exprs: self.exprs.clone(), root: id, names: names.cloned().collect() });
            }
        }
        parts
    }

    fn names_below(&self, id: LtlId) -> BTreeSet<&str> {
        let (mut names, mut todo) = (BTreeSet::new(), vec![id]);
        while let Some(id) = todo.pop() {
            match self.exprs.kind(id) {
                LtlKind::Proposition(name) => {
                    names.insert(&**name);
                }
                LtlKind::Unary(_, a) | LtlKind::Bounded { body: a, .. } => todo.push(*a),
                LtlKind::Binary(_, a, b) => todo.extend([*a, *b]),
                LtlKind::Constant(_) => {}
            }
        }
        names
    }

    /// The slots that it reads.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> {
        self.names.iter().flat_map(|(_, any)| any.iter().map(|atom| atom.slot))
    }

    /// Whether it holds in a state.
    pub(super) fn holds(&self, state: &[u32]) -> bool {
        let holds = |name: &str| {
            let known = self.names.binary_search_by(|(own, _)| own.as_str().cmp(name));
            known.is_ok_and(|at| self.names[at].1.iter().any(|atom| atom.holds(state)))
        };
        self.exprs.holds(self.root, &holds).unwrap_or(false)
    }
}
