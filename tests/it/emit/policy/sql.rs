//! The query over the table of letters in DuckDB, compared with `PossibleState::step` row by row.
//!
//! A few hundred sessions in the suite; `TSL_SYNTH_SESSIONS=10000` for the campaign. `TSL_SYNTH_PYTHON` names a Python
//! interpreter with `duckdb` 1.3 or later.

use super::RandomPolicy;
use crate::emit::run::{folder, run};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use tsl_synth_core::model::LawStatus;
use tsl_synth_emit::{LettersTable, PolicyEmitOptions, PolicyMeta, PolicyTarget, emit_policy, json_string};
use tsl_synth_policy::PossibleState;
use tsl_synth_policy::language::LawKind;
use tsl_synth_testkit::{Rng, skip};

const POLICIES: usize = 12;

/// Writes the letters of random sessions, and the verdict of each law after each of them.
fn sessions(policy: &RandomPolicy, rng: &mut Rng, count: usize, dir: &Path, stem: &str) {
    let own = &policy.compiled;
    let table = LettersTable::new(own);
    let (mut letters, mut expected) = (table.header(), String::new());
    for number in 0..count {
        let session = format!("s\"{number}', --\u{e9}");
        let mut world = PossibleState::new(own);
        for position in 0..=(rng.below(12) as u64) {
            let letter = policy.letter(rng);
            let seen = world.step(own, &letter, i64::try_from(position).ok());
            letters.push_str(&table.row(&session, position, &seen));
            let mut joint = LawStatus::Satisfied;
            for (id, law) in own.policy.laws.enumerate() {
                let standing = world.standing(own, id);
                if law.kind == LawKind::Hard {
                    joint = joint.min(standing);
                }
                let name = json_string(&law.id);
                let text = json_string(&session);
                writeln!(expected, "[{text}, {position}, {name}, \"{}\"]", standing.name()).unwrap();
            }
            let text = json_string(&session);
            writeln!(expected, "[{text}, {position}, null, \"{}\"]", joint.name()).unwrap();
        }
        assert!(!world.overflowed);
    }
    std::fs::write(dir.join(format!("{stem}.csv")), letters).expect("a writable folder");
    std::fs::write(dir.join(format!("{stem}.expected")), expected).expect("a writable folder");
}

/// A Python interpreter with DuckDB; prints a notice if there is none.
fn python() -> Option<String> {
    let python = std::env::var("TSL_SYNTH_PYTHON").unwrap_or_else(|_| "python3".into());
    let has = Command::new(&python).args(["-c", "import duckdb"]).output().is_ok_and(|o| o.status.success());
    if !has {
        skip(&format!("`{python}` has no duckdb; TSL_SYNTH_PYTHON names another"));
    }
    has.then_some(python)
}

/// Compares the queries of policies with the monitor, on `TSL_SYNTH_SESSIONS` sessions in total.
fn compare(policies: &[RandomPolicy], rng: &mut Rng, name: &str, python: &str) {
    let in_all: usize =
        std::env::var("TSL_SYNTH_SESSIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(360);
    let each = in_all.div_ceil(policies.len());
    let dir = folder(name);
    let mut index = String::new();
    for (i, policy) in policies.iter().enumerate() {
        for rows in [false, true] {
            let stem = format!("p{i}{}", if rows { "_rows" } else { "" });
            let mut options = PolicyEmitOptions::new(PolicyTarget::Sql, stem);
            options.rows = rows;
            let meta = PolicyMeta { tool_version: "0".into(), sha256: "00".into() };
            for file in emit_policy(&policy.compiled, &meta, &options).expect("a query") {
                std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
            }
        }
        sessions(policy, rng, each, &dir, &format!("p{i}"));
        std::fs::write(dir.join(format!("p{i}.toml")), &policy.text).expect("a writable folder");
        writeln!(index, "p{i}").unwrap();
    }
    std::fs::write(dir.join("index.txt"), index).expect("a writable folder");
    std::fs::write(dir.join("main.py"), include_str!("drivers/sql.py")).expect("a writable folder");
    let text = run(&dir, python, &["main.py"], false).expect("python is there");
    let sessions = each * policies.len();
    assert_eq!(text.trim(), format!("sessions {sessions}"));
    println!("duckdb: {sessions} sessions of {} policies", policies.len());
}

#[test]
fn duckdb_agrees_row_by_row() {
    let Some(python) = python() else { return };
    let mut rng = Rng(7);
    let mut policies = Vec::new();
    while policies.len() < POLICIES {
        let policy = RandomPolicy::new(&mut rng, true, true);
        // Queries distinguish any number of values, monitors at most `max_values`: the limit must not be reached.
        if policy.compiled.policy.max_values == 10_000 {
            policies.push(policy);
        }
    }
    compare(&policies, &mut rng, "policy-sql", &python);
}

/// The same on handwritten policies.
#[test]
fn duckdb_agrees_row_by_row_on_the_gallery() {
    let Some(python) = python() else { return };
    let mut files: Vec<_> = std::fs::read_dir(crate::readme::root().join("specs/policies"))
        .expect("the gallery")
        .map(|entry| entry.expect("the gallery").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    let policies: Vec<RandomPolicy> = files
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).expect("a policy");
            let compiled = super::random::compiled(&text, "gallery.toml").expect("it is read");
            RandomPolicy { compiled, text }
        })
        .collect();
    assert!(policies.iter().map(|policy| policy.compiled.policy.laws.len()).sum::<usize>() >= 15);
    compare(&policies, &mut Rng(11), "policy-sql-gallery", &python);
}
