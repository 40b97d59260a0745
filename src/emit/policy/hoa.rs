//! Monitors of laws as automata in the HOA format, one after another.
//!
//! Each automaton is deterministic and complete; a finite word satisfies the law iff the state that it leads to is in
//! the acceptance set. The name of a state is the verdict of the law in that state. The atomic propositions are the
//! atoms that the law depends on.

use super::PolicyMeta;
use super::tables::{PolicyTables, kind_name};
use crate::input::EmitError;
use crate::text::{comment, plain};
use std::collections::BTreeMap;
use std::fmt::Write;
use tsl_synth_core::model::LawStatus;
use tsl_synth_documents::PolicyTestsView;
use tsl_synth_policy::language::LawId;

/// The approximate limit on the number of literals in all labels together.
const MOST_LITERALS: usize = 1 << 20;

/// The text of all automata.
pub(super) fn automata(tables: &PolicyTables<'_>, meta: &PolicyMeta) -> Result<String, EmitError> {
    let mut text = String::new();
    let mut left = MOST_LITERALS;
    for id in tables.compiled.policy.laws.ids() {
        let own = automaton(tables, meta, id, &mut left).ok_or_else(|| {
            EmitError::Limit("the labels of the automata of this policy are too large".into())
        })?;
        text.push_str(&own);
    }
    Ok(text)
}

/// A text between quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", plain(text).replace('\\', "\\\\").replace('"', "\\\""))
}

fn automaton(tables: &PolicyTables<'_>, meta: &PolicyMeta, id: LawId, left: &mut usize) -> Option<String> {
    let policy = &tables.compiled.policy;
    let (law, monitor) = (&policy.laws[id], &tables.compiled.monitors[id]);
    let tests = tables.tests(id);
    let mut atoms: Vec<usize> = tests.tests.iter().map(|test| test.atom).collect();
    atoms.sort_unstable();
    atoms.dedup();
    let labels = labels(&tests, &atoms, left)?;
    let mut text = String::from("HOA: v1\n");
    let _ = writeln!(text, "tool: \"tsl-synth\" {}", quoted(&meta.tool_version));
    let _ = writeln!(text, "name: {}", quoted(&law.id));
    let each = if law.for_each.is_empty() {
        String::new()
    } else {
        format!(", for each {}", law.for_each.join(", "))
    };
    let about = format!("{}: {}{each}: {}", plain(&policy.name), kind_name(law.kind), law.ltl);
    let _ = writeln!(text, "/* {} */", comment(&about));
    let _ = writeln!(text, "/* policy sha256 {} */", comment(&meta.sha256));
    text.push_str("/* finite words: one is kept iff it leads to a state in the acceptance set */\n");
    let _ = writeln!(text, "States: {}\nStart: 0", monitor.len());
    let mut names: Vec<String> = Vec::new();
    for &atom in &atoms {
        let mut name = quoted(&tables.atoms[atom].name);
        // Characters that are shown as escapes could make two names the same.
        while names.contains(&name) {
            name.insert(name.len() - 1, '\'');
        }
        names.push(name);
    }
    let _ = write!(text, "AP: {}", atoms.len());
    for name in &names {
        let _ = write!(text, " {name}");
    }
    text.push('\n');
    text.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\n");
    text.push_str("properties: trans-labels explicit-labels state-acc complete deterministic\n--BODY--\n");
    for (state, row) in tables.rows(id).iter().enumerate() {
        let standing: LawStatus = monitor.standing(u32::try_from(state).ok()?);
        let set = if standing.holds() { " {0}" } else { "" };
        let _ = writeln!(text, "State: {state} \"{}\"{set}", standing.name());
        let mut by_target: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for (class, &to) in row.iter().enumerate() {
            by_target.entry(to).or_default().push(&labels[class]);
        }
        let single = by_target.len() == 1;
        for (to, own) in &by_target {
            let label = if single { "t".into() } else { own.join(" | ") };
            *left = left.checked_sub(label.len() / 4)?;
            let _ = writeln!(text, "[{label}] {to}");
        }
    }
    text.push_str("--END--\n");
    Some(text)
}

/// The label of each class of letters, a disjunction of cubes over the indices of atoms; `None` past the limit.
fn labels(tests: &PolicyTestsView, atoms: &[usize], left: &mut usize) -> Option<Vec<String>> {
    let mut labels: Vec<String> = Vec::new();
    let mut stack = vec![(tests.root, String::new())];
    while let Some((at, path)) = stack.pop() {
        *left = left.checked_sub(1 + path.len() / 4)?;
        let Ok(place) = usize::try_from(at) else {
            let class = usize::try_from(-1 - at).ok()?;
            if labels.len() <= class {
                labels.resize(class + 1, String::new());
            }
            let own = if path.is_empty() { "t" } else { &path };
            let between = if labels[class].is_empty() { "" } else { " | " };
            labels[class].push_str(between);
            labels[class].push_str(own);
            continue;
        };
        let test = &tests.tests[place];
        let number = atoms.iter().position(|&atom| atom == test.atom)?;
        let and = if path.is_empty() { "" } else { "&" };
        stack.push((test.high, format!("{path}{and}{number}")));
        stack.push((test.low, format!("{path}{and}!{number}")));
    }
    Some(labels)
}
