//! Emitted agents with gates run without a network and print the same in Python and JavaScript.

use super::gates::loaded;
use crate::emit::run::{folder, run};
use std::path::Path;
use tsl_synth_emit::{PolicyEmitOptions, PolicyMeta, PolicyTarget, emit_policy};

/// Tools with names that contain code or may collide after escaping; patterns; arguments of all types.
const HOSTILE: &str = r#"
policy = 1
name = "''' \"\"\" */ {{ 7 * 7 }}"
unmatched = "deny"
[propositions]
[actions]
groups = [["go", "stop"]]
[[count]]
name = "much"
sum = "/arguments/eur"
on = "go"
above = 5
[[match]]
on = "call"
tool = ["class", "a-b", "a_b", "a b", "\"); import os #", "__proto__", "*/ x", "get_*"]
action = "go"
where = [{ pointer = "/arguments/n", ">" = 0 }, { pointer = "/arguments/sure", "=" = true }, { pointer = "/arguments/a/b", exists = false }]
bind = { "x" = "/arguments/__proto__" }
[[match]]
on = "call"
tool = "stop"
action = "stop"
[[law]]
id = "once"
for_each = ["x"]
rule = "at most 1 stop since go"
[[law]]
id = "little"
rule = "never go while much"
"#;

fn write(dir: &Path, name: &str, text: &str, target: PolicyTarget) -> bool {
    let policy = loaded(name, text);
    let mut options = PolicyEmitOptions::new(target, "gate");
    options.agent = true;
    let meta = PolicyMeta { tool_version: "0 */ '''".into(), sha256: "00".into() };
    let Ok(files) = emit_policy(&policy.compiled, &meta, &options) else { return false };
    let again = emit_policy(&policy.compiled, &meta, &options).expect("the same");
    std::fs::create_dir_all(dir).expect("a writable folder");
    for (file, same) in files.iter().zip(&again) {
        assert_eq!(file.bytes(), same.bytes(), "{}", file.path);
        std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
    }
    let text = std::fs::read_to_string(dir.join("tools.json")).expect("tools");
    let tools: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for tool in tools.as_array().expect("a list") {
        let name = tool["function"]["name"].as_str().expect("a name");
        assert!(!name.contains('*'), "{name}");
    }
    true
}

#[test]
fn agents_run_without_a_network() {
    let root = folder("policy-agents");
    let mut policies = vec![("hostile".to_string(), HOSTILE.to_string())];
    for entry in std::fs::read_dir(crate::readme::root().join("specs/policies")).expect("the gallery") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            policies.push((name, std::fs::read_to_string(&path).expect("a policy")));
        }
    }
    policies.sort();
    let (mut agents, mut refused) = (0, 0);
    for (name, text) in policies {
        let (python, js) = (root.join(format!("{name}-python")), root.join(format!("{name}-js")));
        let file = format!("{name}.toml");
        if !write(&python, &file, &text, PolicyTarget::Python) || !write(&js, &file, &text, PolicyTarget::Js)
        {
            continue;
        }
        agents += 1;
        let said = run(&python, "python3", &["agent.py"], false);
        if let Some(text) = &said {
            refused += usize::from(text.contains("Denied by"));
            assert!(text.trim_end().ends_with("agent: I am done."), "{name}: {text}");
        }
        if let (Some(said), Some(text)) = (said, run(&js, "node", &["agent.js"], true)) {
            assert_eq!(said, text, "{name}");
        }
    }
    println!("{agents} agents, {refused} with refusals");
    assert!(agents > 5 && refused > 2, "{agents} {refused}");
}

#[test]
fn tools_get_the_arguments_that_the_policy_reads() {
    let dir = folder("policy-agent-tools");
    assert!(write(&dir, "hostile.toml", HOSTILE, PolicyTarget::Python));
    let tools: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("tools.json")).expect("tools")).expect("JSON");
    let tools = tools.as_array().expect("a list");
    assert_eq!(tools.len(), 7);
    let properties = &tools[0]["function"]["parameters"]["properties"];
    assert_eq!(properties["n"]["type"], "number");
    assert_eq!(properties["sure"]["type"], "boolean");
    assert_eq!(properties["eur"]["type"], "number");
    assert_eq!(properties["__proto__"]["type"], "string");
    assert_eq!(properties.as_object().expect("an object").len(), 4);
    assert_eq!(tools[6]["function"]["name"], "stop");
    assert_eq!(tools[6]["function"]["parameters"]["properties"], serde_json::json!({}));
}
