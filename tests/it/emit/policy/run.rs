//! Emitted monitors, compiled or interpreted, compared with `PossibleState::step` after every letter.

use super::RandomPolicy;
use crate::emit::run::{folder, run};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use tsl_synth_core::model::LawStatus;
use tsl_synth_emit::{PolicyEmitOptions, PolicyMeta, PolicyTarget, emit_policy};
use tsl_synth_policy::language::LawKind;
use tsl_synth_policy::{BoundLetter, PossibleState};
use tsl_synth_testkit::{Rng, skip};

/// The number of policies, and of letters for each: more than 10,000 letters for a target.
const POLICIES: usize = 16;
const LETTERS: usize = 700;

fn hex(text: &str) -> String {
    text.bytes().fold(String::from("x"), |mut out, byte| {
        write!(out, "{byte:02x}").unwrap();
        out
    })
}

fn line(policy: &RandomPolicy, letter: &BoundLetter, time: Option<i64>) -> String {
    let own = &policy.compiled.policy;
    let atoms: Vec<String> = letter.letter.iter().map(|bit| hex(&own.atoms.bit_name(bit))).collect();
    let pairs: Vec<String> =
        letter.bindings.iter().map(|(name, value)| format!("{}={}", hex(name), hex(value))).collect();
    let name = |id| &own.atoms.propositions[own.registers[id].proposition].name;
    let amounts: Vec<String> =
        letter.amounts.iter().map(|(id, amount)| format!("{}={amount}", hex(name(*id)))).collect();
    let time = time.map_or("-".into(), |time| time.to_string());
    format!("{}\t{time}\t{}\t{}", atoms.join(" "), pairs.join(" "), amounts.join(" "))
}

/// The verdicts of all laws, the least verdict of the hard laws, and whether there were too many values.
fn standings(policy: &RandomPolicy, world: &PossibleState) -> String {
    let own = &policy.compiled;
    let all: Vec<LawStatus> = own.policy.laws.ids().map(|id| world.standing(own, id)).collect();
    let hard = own.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Hard);
    let joint = hard.map(|(id, _)| world.standing(own, id)).min().unwrap_or(LawStatus::Satisfied);
    let digits: String = all.iter().map(|standing| (*standing as u8).to_string()).collect();
    format!("{digits} {} {}", joint as u8, u8::from(world.overflowed))
}

/// Letters with the expected verdicts; `S` saves and restores, `R` resets the monitor.
fn script(policy: &RandomPolicy, rng: &mut Rng) -> String {
    let mut world = PossibleState::new(&policy.compiled);
    let mut text = String::new();
    let mut time = 0;
    for _ in 0..LETTERS {
        match rng.below(40) {
            0 => {
                world = PossibleState::new(&policy.compiled);
                text.push_str("R\n");
            }
            1 => text.push_str("S\n"),
            _ => {}
        }
        let letter = policy.letter(rng);
        time += i64::try_from(rng.below(4)).unwrap();
        let now = (rng.below(8) > 0).then_some(time);
        world.step(&policy.compiled, &letter, now);
        writeln!(text, "{}\t{}", line(policy, &letter, now), standings(policy, &world)).unwrap();
    }
    text
}

/// Writes random policies as files of a target with scripts; with `each` they may have laws with `for_each`.
fn prepare(dir: &Path, target: PolicyTarget, each: bool) -> Vec<RandomPolicy> {
    let mut rng = Rng(20);
    let policies: Vec<RandomPolicy> =
        (0..POLICIES).map(|i| RandomPolicy::new(&mut rng, each, each && i % 2 == 0)).collect();
    let mut index = String::new();
    for (i, policy) in policies.iter().enumerate() {
        let options = PolicyEmitOptions::new(target, format!("p{i}"));
        let meta = PolicyMeta { tool_version: "*/ 0".into(), sha256: "00".into() };
        let files = emit_policy(&policy.compiled, &meta, &options).expect("a monitor");
        for file in files {
            std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
        }
        std::fs::write(dir.join(format!("p{i}.script")), script(policy, &mut rng)).expect("writable");
        writeln!(index, "p{i}").unwrap();
    }
    std::fs::write(dir.join("index.txt"), index).expect("a writable folder");
    let laws = policies.iter().flat_map(|policy| &policy.compiled.policy.laws);
    let copied = laws.clone().filter(|law| !law.for_each.is_empty()).count();
    let registers: usize = policies.iter().map(|policy| policy.compiled.policy.registers.len()).sum();
    println!("{}: {} laws, {copied} for values, {registers} registers", target.name(), laws.count());
    policies
}

fn expected() -> String {
    format!("letters {}", POLICIES * LETTERS)
}

#[test]
fn python_agrees() {
    let dir = folder("policy-python");
    prepare(&dir, PolicyTarget::Python, true);
    std::fs::write(dir.join("main.py"), include_str!("drivers/main.py")).expect("a writable folder");
    if let Some(text) = run(&dir, "python3", &["main.py"], false) {
        assert_eq!(text.trim(), expected());
    }
    let python = std::env::var("TSL_SYNTH_PYTHON").unwrap_or_else(|_| "python3".into());
    let mypy = Command::new(&python).args(["-m", "mypy", "--version"]).output();
    if mypy.is_ok_and(|output| output.status.success()) {
        run(&dir, &python, &["-m", "mypy", "--strict", "p0.py", "p1.py", "p2.py"], false);
    } else {
        skip("mypy is not there; TSL_SYNTH_PYTHON names another python");
    }
}

#[test]
fn c_agrees() {
    let dir = folder("policy-c");
    let policies = prepare(&dir, PolicyTarget::C, false);
    std::fs::write(dir.join("main.h"), include_str!("drivers/main.c")).expect("a writable folder");
    let mut total = 0;
    for i in 0..policies.len() {
        let unit = format!(
            "#include \"p{i}.c\"\n#define NAME(x) p{i}_##x\n#define CONST(x) P{i}_##x\n#include \"main.h\"\n"
        );
        std::fs::write(dir.join(format!("main{i}.c")), unit).expect("a writable folder");
        let (source, alone) = (format!("main{i}.c"), format!("p{i}.c"));
        let strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-overlength-strings"];
        let main = [&strict[..], &["-Wno-unused-value", "-o", "main", &source]].concat();
        if run(&dir, "gcc", &main, false).is_none() {
            return;
        }
        run(&dir, "gcc", &[&strict[..], &["-Wconversion", "-fsyntax-only", &alone]].concat(), false);
        let text = run(&dir, "./main", &[&format!("p{i}.script")], false).expect("it was compiled");
        total += text.trim().strip_prefix("letters ").and_then(|n| n.parse().ok()).unwrap_or(0);
    }
    assert_eq!(format!("letters {total}"), expected());
}
