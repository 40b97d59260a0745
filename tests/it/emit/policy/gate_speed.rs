//! Times of emitted gates, printed: `cargo test --test it -- a_decision_of_each_gate --ignored --nocapture`.

use super::gate_runs::rust_times;
use super::gates::prepare_one;
use crate::emit::run::{folder, run};
use crate::support::Rng;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_emit::PolicyTarget;

const POLICIES: &[&str] =
    &["payments.toml", "refunds.toml", "retail.toml", "airline.toml", "household.toml", "saycan.json"];
/// The number of proposals in the script of a policy, and the number of rounds; the times are those of the last round.
const PROPOSALS: usize = 300;
const ROUNDS: &str = "8";
/// JavaScript needs more rounds until its engine has compiled the gate.
const JS_ROUNDS: &str = "40";

/// The medians by verdict in the lines of a driver, such as `allow 12 median 9.1 us`.
fn medians(text: &str) -> BTreeMap<String, f64> {
    let of = |line: &str| {
        let (verdict, rest) = line.split_once(' ')?;
        let (_, median) = rest.split_once("median ")?;
        Some((verdict.to_owned(), median.split(' ').next()?.parse().ok()?))
    };
    text.lines().filter_map(of).collect()
}

fn rust(dir: &Path) -> BTreeMap<String, f64> {
    let times = rust_times(dir, &[0], "3", ROUNDS).into_iter();
    times
        .map(|(verdict, mut taken)| {
            taken.sort_by(f64::total_cmp);
            (verdict, taken[taken.len() / 2])
        })
        .collect()
}

/// Times of decisions in microseconds after warm-up: reading the line, deciding, writing the answer. TypeScript is not
/// measured, because it runs as JavaScript.
#[test]
#[ignore = "prints times; takes minutes"]
fn a_decision_of_each_gate() {
    let mut table = String::from("policy | verdict | rust | js | python\n---|---|---|---|---\n");
    for name in POLICIES {
        let path = crate::readme::root().join("specs/policies").join(name);
        let text = std::fs::read_to_string(path).expect("a policy of the gallery");
        let mut columns = Vec::new();
        for target in [PolicyTarget::Rust, PolicyTarget::Js, PolicyTarget::Python] {
            let dir = folder("gate-speed");
            let mut seen = BTreeMap::new();
            assert!(prepare_one(&dir, target, (0, name, &text), PROPOSALS, &mut Rng(31), &mut seen));
            std::fs::write(dir.join("package.json"), "{\"type\":\"module\"}").expect("a writable folder");
            std::fs::write(dir.join("main.mjs"), include_str!("drivers/gate.mjs"))
                .expect("a writable folder");
            std::fs::write(dir.join("main.py"), include_str!("drivers/gate.py")).expect("a writable folder");
            columns.push(match target {
                PolicyTarget::Rust => rust(&dir),
                PolicyTarget::Js => {
                    medians(&run(&dir, "node", &["main.mjs", JS_ROUNDS], true).unwrap_or_default())
                }
                _ => medians(&run(&dir, "python3", &["main.py", ROUNDS], false).unwrap_or_default()),
            });
        }
        for verdict in ["allow", "deny"] {
            let cells =
                columns.iter().map(|own| own.get(verdict).map_or("-".into(), |us| format!("{us:.1}")));
            writeln!(table, "{name} | {verdict} | {}", cells.collect::<Vec<String>>().join(" | ")).unwrap();
        }
    }
    println!("{table}");
}
