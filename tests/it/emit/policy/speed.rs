//! Times, printed: `campaigns monitor-times` and `campaigns query-times`.

use super::compiled;
use crate::emit::run::folder;
use crate::policy_check::ltlcrit;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};
use tsl_synth_emit::{LettersTable, PolicyEmitOptions, PolicyMeta, PolicyTarget, emit_policy};
use tsl_synth_policy::language::{LawAtom, Named};
use tsl_synth_policy::{BoundLetter, PossibleState};
use tsl_synth_testkit::Rng;

const LETTERS: usize = 1_000_000;

/// The three lists of laws of LTLCrit in one list: 54 laws.
fn laws() -> String {
    let folder = &ltlcrit::cases()[0];
    let mut all: Vec<serde_json::Value> = Vec::new();
    for name in ["saycan_hard", "saycan_soft", "innermonologue"] {
        let document = ltlcrit::read(folder, &format!("laws_{name}.json"));
        all.extend(document["laws"].as_array().expect("laws").iter().cloned());
    }
    serde_json::to_string(&all).expect("JSON")
}

#[test]
#[ignore = "prints times"]
fn a_letter_of_54_laws() {
    let text = laws();
    let begin = Instant::now();
    let own = compiled(&text, "laws.json").expect("a policy");
    let compiled_in = begin.elapsed();
    let atoms = &own.policy.atoms;
    println!(
        "{} laws, {} propositions, {} actions, compiled in {compiled_in:?}",
        own.policy.laws.len(),
        atoms.propositions.len(),
        atoms.actions.len()
    );
    let mut rng = Rng(54);
    let letters: Vec<BoundLetter> = (0..1024)
        .map(|_| {
            let mut letter = BoundLetter::default();
            for id in atoms.propositions.ids() {
                if rng.flip() {
                    letter.letter.insert(atoms.bit(LawAtom::Proposition(id)));
                }
            }
            let actions: Vec<_> = atoms.actions.ids().collect();
            letter.letter.insert(atoms.bit(LawAtom::Call(actions[rng.below(actions.len())])));
            letter
        })
        .collect();
    let mut best = Duration::MAX;
    let mut world = PossibleState::new(&own);
    for _ in 0..5 {
        let begin = Instant::now();
        for i in 0..LETTERS {
            world.step(&own, &letters[i % letters.len()], None);
        }
        best = best.min(begin.elapsed());
    }
    println!("a letter of all laws: {:?} (the best of 5 runs of {LETTERS})", best / LETTERS as u32);
}

const REFUNDS: &str = r#"
policy = 1
name = "refunds"
[propositions]
receipt_ok = {}
edited = {}
tested = {}
[actions]
groups = [["refund", "push"]]
[[law]]
id = "receipt-first"
for_each = ["order"]
rule = "refund requires receipt_ok before"
[[law]]
id = "tests-after-edits"
ltl = "G (push -> (!edited S tested))"
[[law]]
id = "push-at-last"
ltl = "G (edited -> F push)"
"#;

#[test]
#[ignore = "prints times; needs a python with duckdb and a gigabyte"]
fn a_million_sessions() {
    let python = std::env::var("TSL_SYNTH_PYTHON").unwrap_or_else(|_| "python3".into());
    let sessions: usize =
        std::env::var("TSL_SYNTH_SESSIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let own = compiled(REFUNDS, "refunds.toml").expect("a policy");
    let dir = folder("policy-speed");
    let table = LettersTable::new(&own);
    let mut options = PolicyEmitOptions::new(PolicyTarget::Sql, "refunds");
    let meta = PolicyMeta { tool_version: "0".into(), sha256: "00".into() };
    for rows in [false, true] {
        options.rows = rows;
        options.stem = if rows { "refunds_rows".into() } else { "refunds".into() };
        for file in emit_policy(&own, &meta, &options).expect("a query") {
            std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
        }
    }
    let file = std::fs::File::create(dir.join("letters.csv")).expect("a writable folder");
    let mut file = std::io::BufWriter::new(file);
    file.write_all(table.header().as_bytes()).expect("a writable folder");
    let atoms = &own.policy.atoms;
    let bits: Vec<_> = ["receipt_ok", "edited", "tested", "refund", "push"]
        .iter()
        .map(|name| match atoms.named(name) {
            Some(Named::Proposition(id)) => atoms.bit(LawAtom::Proposition(id)),
            Some(Named::Action(id)) => atoms.bit(LawAtom::Call(id)),
            _ => panic!("{name} is a name of the policy"),
        })
        .collect();
    let mut rng = Rng(1);
    let (mut letters, mut violated) = (0_u64, vec![0_u64; own.policy.laws.len()]);
    let mut stepping = Duration::ZERO;
    for session in 0..sessions {
        let word: Vec<BoundLetter> = (0..4 + rng.below(8))
            .map(|_| {
                let mut letter = BoundLetter::default();
                letter.letter.insert(bits[rng.below(bits.len())]);
                if rng.flip() {
                    letter.bindings.push(("order".into(), rng.below(3).to_string()));
                }
                letter
            })
            .collect();
        let begin = Instant::now();
        let mut world = PossibleState::new(&own);
        let seen: Vec<_> = word.iter().map(|letter| world.step(&own, letter, None)).collect();
        for (id, count) in own.policy.laws.ids().zip(&mut violated) {
            *count += u64::from(!world.standing(&own, id).holds());
        }
        stepping += begin.elapsed();
        for (position, seen) in seen.iter().enumerate() {
            let row = table.row(&session.to_string(), position as u64, seen);
            file.write_all(row.as_bytes()).expect("a writable folder");
        }
        letters += word.len() as u64;
    }
    file.flush().expect("a writable folder");
    let rate = |time: Duration| letters as f64 / time.as_secs_f64() / 1e6;
    println!("{sessions} sessions, {letters} letters; not kept: {violated:?}");
    println!("PossibleState::step: {stepping:?}, {:.2} million letters a second", rate(stepping));
    std::fs::write(dir.join("speed.py"), include_str!("drivers/speed.py")).expect("a writable folder");
    let output = Command::new(&python).arg("speed.py").current_dir(&dir).output().expect("python");
    println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let counted = format!("not kept: {violated:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(&counted), "{counted}");
}
