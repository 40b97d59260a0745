//! Emitted agents: their files, the syntax of their code, and what they tell a model about tools. `.ci/sdks/run` runs them
//! with the packages that have the gate.

use crate::emit::run::{folder, run};
use std::path::Path;
use tsl_synth_emit::{AgentLang, emit_policy_agent};
use tsl_synth_service::{Input, Session};

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

fn write(dir: &Path, name: &str, text: &str, lang: AgentLang) {
    let input = Input::Text { name: name.into(), text: text.into() };
    let policy = Session::new().policy(&input).expect("a policy");
    let is_json = Path::new(name).extension().is_some_and(|ending| ending == "json");
    let emit = || emit_policy_agent(&policy.compiled.policy, text, is_json, "0.1.0", lang).expect("an agent");
    let (files, again) = (emit(), emit());
    std::fs::create_dir_all(dir).expect("a writable folder");
    for (file, same) in files.iter().zip(&again) {
        assert_eq!(file.bytes(), same.bytes(), "{}", file.path);
        std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
    }
    assert_eq!(files.iter().filter(|file| file.main).count(), 1);
    let own = if is_json { "policy.json" } else { "policy.toml" };
    assert_eq!(std::fs::read_to_string(dir.join(own)).expect("the policy"), text);
    let text = std::fs::read_to_string(dir.join("tools.json")).expect("tools");
    let tools: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for tool in tools.as_array().expect("a list") {
        let name = tool["function"]["name"].as_str().expect("a name");
        assert!(!name.contains('*'), "{name}");
    }
}

#[test]
fn agents_are_code() {
    let root = folder("policy-agents");
    let mut policies = vec![("hostile.toml".to_string(), HOSTILE.to_string())];
    for entry in std::fs::read_dir(crate::readme::root().join("specs/policies")).expect("the gallery") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml" || ending == "json") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            policies.push((name, std::fs::read_to_string(&path).expect("a policy")));
        }
    }
    policies.sort();
    let mut checked = 0;
    for (name, text) in &policies {
        let (python, js) = (root.join(format!("{name}-python")), root.join(format!("{name}-js")));
        write(&python, name, text, AgentLang::Python);
        write(&js, name, text, AgentLang::Js);
        run(&python, "python3", &["-m", "py_compile", "agent.py", "tools.py"], false);
        for file in ["agent.js", "tools.js"] {
            run(&js, "node", &["--check", file], true);
        }
        checked += 1;
    }
    println!("{checked} agents in two languages");
    assert!(checked > 10, "{checked}");
}

#[test]
fn tools_get_the_arguments_that_the_policy_reads() {
    let dir = folder("policy-agent-tools");
    write(&dir, "hostile.toml", HOSTILE, AgentLang::Python);
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
