//! Adapters of emitted gates, tested without their SDKs; `.ci/sdks` tests them with the SDKs.

use super::gates::loaded;
use crate::emit::run::{folder, run};
use std::collections::BTreeSet;
use tsl_synth_emit::{Adapter, PolicyEmitOptions, PolicyMeta, PolicyTarget, emit_policy};

/// A policy for the calls that the drivers propose, with a name that contains code.
const POLICY: &str = r#"
policy = 1
name = "\"\"\" '''\n*/ {{ 7 * 7 }}\\"
unmatched = "deny"
[actions]
groups = [["pay", "lift", "audit"]]
[[match]]
on = "call"
tool = "make_payment"
action = "pay"
bind = { line = "/arguments/line_id" }
[[match]]
on = "call"
tool = "resume_line"
action = "lift"
bind = { line = "/arguments/line_id" }
[[match]]
on = "call"
tool = "audit"
action = "audit"
[[law]]
id = "paid-before-lift"
for_each = ["line"]
rule = "lift requires pay before"
[[law]]
id = "three-audits"
rule = "at most 3 audit"
"#;

/// File stems, most of which are not identifiers.
const STEMS: [&str; 6] = ["gate", "commit-checks", "1 and 2", "class", "a.b'\"#?%41", "Übung"];

fn meta() -> PolicyMeta {
    PolicyMeta { tool_version: "\"\"\" */ 0".into(), sha256: "00".into() }
}

/// Writes gates with these adapters, for all stems; returns the folder and the file names of the adapters.
fn prepare(name: &str, adapters: &[Adapter], ending: &str) -> (std::path::PathBuf, Vec<String>) {
    let (dir, policy) = (folder(name), loaded("adapters.toml", POLICY));
    let mut names = Vec::new();
    for &adapter in adapters {
        for stem in STEMS {
            let mut options = PolicyEmitOptions::new(adapter.target(), stem);
            options.adapter = Some(adapter);
            options.file = Some(format!("{stem}.{ending}"));
            let files = emit_policy(&policy.compiled, &meta(), &options).expect("a gate and its adapter");
            let again = emit_policy(&policy.compiled, &meta(), &options).expect("the same");
            for (file, same) in files.iter().zip(&again) {
                assert_eq!(file.bytes(), same.bytes(), "{}", file.path);
                let path = if file.main { format!("{stem}.{ending}") } else { file.path.clone() };
                std::fs::write(dir.join(path), file.bytes()).expect("a writable folder");
            }
            let own = files.last().expect("the adapter");
            assert!(!own.main && files.len() == again.len(), "{}", own.path);
            let lines = own.text().expect("text").lines().count();
            assert!((60..=115).contains(&lines), "{}: {lines} lines", own.path);
            names.push(own.path.clone());
        }
    }
    let unique: BTreeSet<&String> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
    (dir, names)
}

fn index<'a>(dir: &std::path::Path, names: impl Iterator<Item = &'a str>) {
    let lines: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    std::fs::write(dir.join("index.txt"), lines.join("\n")).expect("a writable folder");
}

#[test]
fn python_adapters_refuse_what_the_gate_does() {
    let adapters: Vec<Adapter> =
        Adapter::ALL.into_iter().filter(|adapter| adapter.target() == PolicyTarget::Python).collect();
    let (dir, names) = prepare("adapters-python", &adapters, "py");
    let modules = || names.iter().map(|name| name.strip_suffix(".py").expect("a module"));
    for module in modules() {
        let is_word = module.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        assert!(is_word && !module.starts_with(|c: char| c.is_ascii_digit()), "{module}");
    }
    index(&dir, modules());
    std::fs::write(dir.join("main.py"), include_str!("drivers/adapters.py")).expect("a writable folder");
    if let Some(text) = run(&dir, "python3", &["main.py"], false) {
        assert_eq!(text.trim(), format!("adapters {}", names.len()));
    }
}

#[test]
fn javascript_adapters_refuse_what_the_gate_does() {
    for ending in ["js", "mjs"] {
        let (dir, names) = prepare(&format!("adapters-{ending}"), &[Adapter::AiSdk], ending);
        assert!(names.iter().all(|name| name.ends_with(&format!(".{ending}"))), "{names:?}");
        index(&dir, names.iter().map(String::as_str));
        std::fs::write(dir.join("package.json"), "{\"type\":\"module\"}").expect("a writable folder");
        std::fs::write(dir.join("main.mjs"), include_str!("drivers/adapters.mjs"))
            .expect("a writable folder");
        if let Some(text) = run(&dir, "node", &["main.mjs"], true) {
            assert_eq!(text.trim(), format!("adapters {}", names.len()));
        }
    }
}

#[test]
fn adapters_are_for_whole_gates_in_their_language() {
    let policy = loaded("adapters.toml", POLICY);
    for adapter in Adapter::ALL {
        assert_eq!(Adapter::from_name(adapter.name()), Some(adapter));
        for target in PolicyTarget::ALL {
            for monitor in [false, true] {
                let mut options = PolicyEmitOptions::new(target, "gate");
                (options.adapter, options.monitor) = (Some(adapter), monitor);
                let emitted = emit_policy(&policy.compiled, &meta(), &options);
                assert_eq!(emitted.is_ok(), target == adapter.target() && !monitor, "{adapter:?} {target:?}");
            }
        }
    }
    assert_eq!(Adapter::from_name("langgraph"), None);
}
