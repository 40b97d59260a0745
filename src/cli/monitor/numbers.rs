//! The numbers of `monitor`, over all sessions and for each group, as tables and as metrics.

use super::args::GroupBy;
use crate::terminal::escape;
use std::fmt::Write;
use tsl_synth_core::base::csv_field;
use tsl_synth_policy::language::Policy;
use tsl_synth_service::{LawTotal, MonitorTotals};

/// Names of the numbers in [`LawTotal::counts`], in their order.
const STANDINGS: [&str; 4] = ["judged", "kept", "violated", "undecidable"];

/// The numbers of a law as fields of CSV.
fn fields(total: &LawTotal) -> String {
    total.counts().map(|count| count.to_string()).join(",")
}

/// The totals of all sessions as CSV, with one line for each law.
pub(super) fn plain(policy: &Policy, totals: &MonitorTotals) -> String {
    let mut text = String::from("law,judged,kept,violated,undecidable\n");
    for (law, total) in policy.laws.iter().zip(&totals.laws) {
        let _ = writeln!(text, "{},{}", csv_field(&law.id), fields(total));
    }
    text
}

/// The totals of each group as CSV, with one line for each group and law.
pub(super) fn grouped(policy: &Policy, totals: &MonitorTotals, by: GroupBy) -> String {
    let mut text = format!("{},sessions,violating,law,judged,kept,violated,undecidable\n", by.name());
    for (name, own) in &totals.groups {
        for (law, total) in policy.laws.iter().zip(&own.laws) {
            let group = [csv_field(name), own.sessions.to_string(), own.violating.to_string()].join(",");
            let _ = writeln!(text, "{group},{},{}", csv_field(&law.id), fields(total));
        }
    }
    text
}

/// The totals of each group as a table for people: one line for each group, with the law that most of its sessions violate.
pub(super) fn table(policy: &Policy, totals: &MonitorTotals, by: GroupBy) -> String {
    let shown = |name: &str| if name.is_empty() { "(not told)".to_owned() } else { escape(name) };
    let names = totals.groups.keys().map(|name| shown(name).chars().count());
    let width = names.chain([by.name().len()]).max().unwrap_or_default();
    let mut text = String::new();
    let _ = writeln!(text, "{:<width$}  {:>8} {:>9}  violated most", by.name(), "sessions", "violating");
    for (name, own) in &totals.groups {
        let laws = policy.laws.iter().zip(&own.laws).filter(|(_, total)| total.violated > 0);
        // Of equal numbers the first law counts.
        let most = laws.rev().max_by_key(|(_, total)| total.violated);
        let most = most.map(|(law, total)| format!("{} ({})", escape(&law.id), total.violated));
        let line = format!(
            "{:<width$}  {:>8} {:>9}  {}",
            shown(name),
            own.sessions,
            own.violating,
            most.unwrap_or_default()
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// A label of a metric (the text format of Prometheus, version 0.0.4).
fn label(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{name}=\"{value}\"")
}

/// The totals as metrics in the text format of Prometheus. They are gauges, because the next run may read other logs and
/// find fewer sessions.
pub(super) fn metrics(policy: &Policy, totals: &MonitorTotals, by: Option<GroupBy>) -> String {
    let own = label("policy", &policy.name);
    let mut groups: Vec<(String, u64, u64, &[LawTotal])> = Vec::new();
    match by {
        None => groups.push((own.clone(), totals.sessions, totals.violating, &totals.laws)),
        Some(by) => groups.extend(totals.groups.iter().map(|(name, group)| {
            (format!("{own},{}", label(by.name(), name)), group.sessions, group.violating, &group.laws[..])
        })),
    }
    let mut text = String::new();
    let mut metric = |name: &str, help: &str, values: Vec<(String, u64)>| {
        let _ = writeln!(text, "# HELP tsl_synth_{name} {help}\n# TYPE tsl_synth_{name} gauge");
        for (labels, value) in values {
            let _ = writeln!(text, "tsl_synth_{name}{{{labels}}} {value}");
        }
    };
    let sessions = groups.iter().map(|(labels, sessions, ..)| (labels.clone(), *sessions));
    metric("monitor_sessions", "Sessions that were judged.", sessions.collect());
    let violating = groups.iter().map(|(labels, _, violating, _)| (labels.clone(), *violating));
    metric("monitor_violating_sessions", "Sessions that violate a hard law.", violating.collect());
    let laws = groups.iter().flat_map(|(labels, _, _, laws)| {
        policy.laws.iter().zip(*laws).flat_map(move |(law, total)| {
            let law = label("law", &law.id);
            let counts = STANDINGS.into_iter().zip(total.counts());
            counts.map(move |(standing, count)| {
                (format!("{labels},{law},{}", label("standing", standing)), count)
            })
        })
    });
    metric("monitor_law_sessions", "Sessions by how they stand to a law.", laws.collect());
    let all = [
        (
            "monitor_outside_sessions",
            "Sessions that begin outside of the time that was asked for.",
            totals.outside,
        ),
        (
            "monitor_undated_sessions",
            "Sessions that are not judged because they have no time.",
            totals.undated,
        ),
        ("monitor_events", "Events of the logs.", totals.events),
        ("monitor_unmatched_calls", "Calls that no table names.", totals.unmatched),
        ("monitor_faulty_events", "Events that cannot be judged as they are.", totals.faults),
    ];
    for (name, help, value) in all {
        metric(name, help, vec![(own.clone(), value)]);
    }
    text
}
