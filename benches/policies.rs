//! Policies of many rules, in a table: `cargo bench --bench policies [-- RULES ..]`. Compilation is all work before the
//! first decision; decisions are about calls of random actions, each with a result if it is granted. A second table has
//! sessions of 1,000 calls about 100 orders: the median of the first 100 calls and of the last 100.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tsl_synth::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText};
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateOptions, GateSolver, Reason};
use tsl_synth_policy::language::load_policy;

#[path = "../tests/it/policy_game/families.rs"]
mod families;

/// Calls for which decisions are timed.
const CALLS: u64 = 1_000;

fn event(line: u64, kind: HostEventKind<'static>) -> HostEvent<'static> {
    HostEvent { time: Some(100 * line.cast_signed()), ..HostEvent::new("s", line, kind) }
}

/// A row of the table.
struct Row {
    compile: Duration,
    /// The median, the 99th percentile, and the number of calls that are granted.
    decisions: Result<(Duration, Duration, usize), String>,
}

fn decisions(solver: &mut GateSolver) -> Result<(Duration, Duration, usize), String> {
    let compiled = solver.compiled().clone();
    let names: Vec<String> = compiled.policy.atoms.actions.iter().map(|own| own.name.clone()).collect();
    let mut session = solver.session();
    let (mut times, mut granted, mut number) = (Vec::new(), 0, 88_172_645_463_325_252_u64);
    for line in 1..=CALLS {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        let id: Cow<'static, str> = format!("c{line}").into();
        let tool = names[(number % names.len() as u64) as usize].clone().into();
        let values = ["{\"v\":\"x\"}", "{\"v\":\"y\"}", "{\"v\":\"z\"}", "{\"v\":\"u\"}", "{\"v\":\"w\"}"];
        let arguments = JsonText::borrowed(values[(number >> 40) as usize % values.len()]);
        let call = event(line, HostEventKind::Call { id: Some(id.clone()), server: None, tool, arguments });
        let start = Instant::now();
        let open = solver.propose(&mut session, &call);
        times.push(start.elapsed());
        for reason in &open.decision.reasons {
            if let Reason::TooHard(what) = reason {
                return Err(what.clone());
            }
        }
        if open.decision.reasons.is_empty() {
            granted += 1;
            session.grant(&compiled, open);
            let result = HostEventKind::Result { call: Some(id), outcome: CallOutcome::Ok, result: None };
            solver.read_event(&mut session, &event(line, result));
        } else {
            session.refuse(&open);
        }
    }
    times.sort_unstable();
    Ok((times[times.len() / 2], times[times.len() * 99 / 100], granted))
}

fn row(text: &str) -> Row {
    let start = Instant::now();
    let mut sources = SourceMap::new();
    let source = sources.add("policy.toml", text);
    let policy = load_policy(&mut sources, source, &mut Diagnostics::new()).expect("a policy");
    let compiled = CompiledPolicy::new(policy, &Budget::unlimited()).map(Arc::new);
    let solver =
        compiled.and_then(|compiled| GateSolver::new(compiled, GateOptions::default(), &Budget::unlimited()));
    let compile = start.elapsed();
    let decisions = match solver {
        Ok(mut solver) => decisions(&mut solver),
        Err(limit) => Err(limit.to_string()),
    };
    Row { compile, decisions }
}

/// Rules for each order, with what they are called in the table.
const ORDERS: [(&str, &[&str]); 4] = [
    ("at most 3 refund", &["at most 3 refund"]),
    ("refund then note eventually", &["refund then note eventually"]),
    ("three rules", &["refund requires look before", "at most 4 refund", "close forbids refund after"]),
    ("rate", &["at most 900 refund per 10h"]),
];

/// A policy with these rules, each for every order or, if it is about a rate, for all.
fn of_orders(rules: &[&str]) -> String {
    const TOOLS: [&str; 4] = ["look", "refund", "note", "close"];
    let mut text = format!("policy = 1\nunmatched = \"allow\"\n[actions]\ngroups = [{TOOLS:?}]\n");
    for tool in TOOLS {
        let _ = write!(text, "[[match]]\non = \"call\"\ntool = \"{tool}\"\naction = \"{tool}\"\n");
        text += "bind = { order = \"/arguments/order\" }\n";
    }
    for (number, rule) in rules.iter().enumerate() {
        let each = if rule.contains(" per ") { "" } else { "for_each = [\"order\"]\n" };
        let _ = write!(text, "[[law]]\nid = \"r{number}\"\n{each}rule = \"{rule}\"\n");
    }
    text
}

/// The medians of the first and of the last 100 decisions in a session.
fn long_session(text: &str) -> (Duration, Duration) {
    let mut sources = SourceMap::new();
    let source = sources.add("policy.toml", text);
    let policy = load_policy(&mut sources, source, &mut Diagnostics::new()).expect("a policy");
    let compiled = Arc::new(CompiledPolicy::new(policy, &Budget::unlimited()).expect("monitors"));
    let solver = GateSolver::new(compiled.clone(), GateOptions::default(), &Budget::unlimited());
    let mut solver = solver.expect("a game");
    let (mut session, mut times) = (solver.session(), Vec::new());
    for line in 1..=CALLS {
        let id: Cow<'static, str> = format!("c{line}").into();
        let tool = ["look", "refund", "note", "refund"][(line % 4) as usize].into();
        let arguments = JsonText(format!("{{\"order\": \"o{}\"}}", line * 7 / 3 % 100).into());
        let call = event(line, HostEventKind::Call { id: Some(id.clone()), server: None, tool, arguments });
        let start = Instant::now();
        let open = solver.propose(&mut session, &call);
        times.push(start.elapsed());
        if open.decision.reasons.is_empty() {
            session.grant(&compiled, open);
            let result = HostEventKind::Result { call: Some(id), outcome: CallOutcome::Ok, result: None };
            solver.read_event(&mut session, &event(line, result));
        } else {
            session.refuse(&open);
        }
    }
    let median = |times: &[Duration]| {
        let mut times = times.to_vec();
        times.sort_unstable();
        times[times.len() / 2]
    };
    (median(&times[..100]), median(&times[times.len() - 100..]))
}

fn long_sessions() {
    println!("\n| rules about orders | first 100 calls | last 100 calls |\n|---|---|---|");
    for (name, rules) in ORDERS {
        let (first, last) = long_session(&of_orders(rules));
        println!("| {name} | {first:.1?} | {last:.1?} |");
    }
}

/// The largest memory that the process had so far, in MiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn table(sizes: &[usize]) {
    println!("| rules | pattern | share | compile | decision | 99 % | granted | peak so far |");
    println!("|---|---|---|---|---|---|---|---|");
    for &size in sizes {
        for each in [false, true] {
            for sharing in families::SHARINGS {
                let patterns = families::PATTERNS.iter().map(|(name, _)| Some(*name)).chain([None]);
                for pattern in patterns {
                    let Row { compile, decisions } = row(&families::policy(pattern, sharing, size, each));
                    let name =
                        format!("{}{}", pattern.unwrap_or("all"), if each { ", for_each" } else { "" });
                    let rest = match decisions {
                        Ok((median, most, granted)) => {
                            format!("{median:.1?} | {most:.1?} | {granted} of {CALLS} | {} MiB", memory())
                        }
                        Err(what) => format!("{what} | | | {} MiB", memory()),
                    };
                    println!("| {size} | {name} | {sharing:?} | {compile:.1?} | {rest} |");
                }
            }
        }
    }
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|one| one.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![10, 100] } else { sizes };
    // Diagrams of a thousand rules are deep.
    let thread = std::thread::Builder::new().stack_size(1 << 28);
    let tables = move || {
        table(&sizes);
        long_sessions();
    };
    thread.spawn(tables).expect("a thread").join().expect("the table");
}
