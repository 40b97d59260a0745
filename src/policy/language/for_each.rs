//! The names of bound values that laws and counts are for each of.

use tsl_synth_ltl::data::{DataKind, DataValue};

/// A rule without `for each A and B` at its end, and the names there.
pub(super) fn split_for_each(rule: &str) -> (&str, Vec<String>) {
    let Some((rest, names)) = rule.rsplit_once(" for each ") else { return (rule, Vec::new()) };
    let names: Vec<String> = names.split(" and ").map(|name| name.trim().to_owned()).collect();
    let are_names = names.iter().all(|name| !name.is_empty() && !name.contains(char::is_whitespace));
    if are_names { (rest.trim_end().trim_end_matches(','), names) } else { (rule, Vec::new()) }
}

/// The names of bound values in the order in which laws and counts have them.
pub(super) fn bound_names(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

/// The names in a value that is one name or a list of them, as far as it is that.
pub(super) fn names_in(value: &DataValue) -> Vec<String> {
    let name = |data: &DataValue| {
        if let DataKind::Text(name) = &data.kind { Some(name.clone()) } else { None }
    };
    match &value.kind {
        DataKind::List(names) => names.iter().filter_map(name).collect(),
        _ => name(value).into_iter().collect(),
    }
}
