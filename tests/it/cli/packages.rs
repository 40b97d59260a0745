//! `emit POLICY` in languages whose packages have the gate, and agents behind a gate.

use super::Folder;

const POLICY: &str = include_str!("../../../specs/policies/telecom.toml");

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder
}

/// Runs `emit` with these arguments: exit code 2, a message with these parts, and no file.
fn refused(folder: &Folder, args: &[&str], parts: &[&str]) {
    let all = ["emit", "p.toml", "-o", "out.txt"].into_iter().chain(args.iter().copied());
    let run = folder.run(all).exits(2);
    for part in parts {
        assert!(run.err.contains(part), "{args:?}: `{part}` is not in {}", run.err);
    }
    assert!(run.out.is_empty() && !folder.path().join("out.txt").exists(), "{args:?}: {run:?}");
}

#[test]
fn gates_are_in_packages() {
    let folder = folder();
    for (lang, package) in [
        ("python", "`pip install tsl-synth`"),
        ("py", "`from tsl_synth import Gate, Policy`"),
        ("js", "`npm install tsl-synth`"),
        ("mjs", "`import { Gate, Policy } from \"tsl-synth\"`"),
        ("ts", "`npm install tsl-synth`"),
        ("rust", "tsl-synth-gate"),
        ("rs", "tsl-synth-stores"),
    ] {
        refused(&folder, &["--lang", lang], &["the gate of a policy is not emitted", package, "help policy"]);
    }
    // The ending of the file says the language, too, and the verb has two spellings.
    let run = folder.run(["policy", "emit", "p.toml", "-o", "gate.py"]).exits(2);
    assert!(
        run.err.contains("`pip install tsl-synth`") && !folder.path().join("gate.py").exists(),
        "{run:?}"
    );
    refused(&folder, &["--lang", "python"], &["`--law-monitor` emits the monitor of its laws alone"]);
    for lang in ["js", "ts", "rust"] {
        let monitor = "the monitor of its laws alone is emitted as one of python, c, hoa, sql";
        refused(&folder, &["--lang", lang, "--law-monitor"], &["it is in a package", monitor]);
    }
    refused(
        &folder,
        &["--lang", "verilog"],
        &["the monitor of a policy is emitted as one of python, c, hoa, sql"],
    );
}

#[test]
fn monitors_are_emitted() {
    let folder = folder();
    for args in [&["--lang", "python", "--law-monitor"][..], &["--lang", "hoa"], &["--lang", "sql"]] {
        let all = ["emit", "p.toml"].into_iter().chain(args.iter().copied());
        assert!(!folder.run(all).exits(0).out.is_empty(), "{args:?}");
    }
}

#[test]
fn adapters_are_in_packages() {
    let folder = folder();
    for (sdk, module) in [
        ("openai-agents", "`tsl_synth.openai_agents`"),
        ("langchain", "`tsl_synth.langchain`"),
        ("pydantic-ai", "`tsl_synth.pydantic_ai`"),
        ("claude-agent-sdk", "`tsl_synth.claude_agent_sdk`"),
        ("agent-framework", "`tsl_synth.agent_framework`"),
        ("ai-sdk", "`tsl-synth/ai-sdk`"),
        ("crewai", "`tsl_synth.langchain`"),
    ] {
        refused(&folder, &["--lang", "python", "--adapter", sdk], &["adapters are not emitted", module]);
    }
    let help = folder.run(["policy", "emit", "--help"]).exits(0).out;
    assert!(!help.contains("--adapter") && help.contains("--law-monitor"), "{help}");
}

#[test]
fn an_agent_behind_the_gate() {
    let folder = folder();
    for (lang, ending, needs) in [("python", "py", "requirements.txt"), ("js", "js", "package.json")] {
        let args = ["emit", "p.toml", "--lang", lang, "--llm", "--scaffold", lang];
        let run = folder.run(args).exits(0);
        for name in ["README.md", "tools.json", "policy.toml", needs, &format!("agent.{ending}")] {
            assert!(
                folder.path().join(lang).join(name).is_file() && run.err.contains(name),
                "{name}: {run:?}"
            );
        }
        let read = |name: &str| std::fs::read_to_string(folder.path().join(lang).join(name)).expect("a file");
        assert_eq!(read("policy.toml"), POLICY);
        assert!(read(needs).contains("tsl-synth") && read("README.md").contains("install"));
        assert!(read(&format!("agent.{ending}")).lines().count() < 130);
        let run = folder.run(args).exits(2);
        assert!(run.err.contains("`--force`"), "{run:?}");
        folder.run(args.into_iter().chain(["--force"])).exits(0);
    }
    let wrong = |args: &[&str], hint: &str| {
        let run = folder
            .run(["emit", "p.toml", "--scaffold", "x"].into_iter().chain(args.iter().copied()))
            .exits(2);
        assert!(run.err.contains(hint) && !folder.path().join("x").exists(), "{run:?}");
    };
    wrong(&["--lang", "python"], "add `--llm`");
    wrong(&["--lang", "rust", "--llm"], "`--lang js`");
    wrong(&["--lang", "python", "--llm", "--law-monitor"], "leave out");
    wrong(&["--lang", "python", "--llm", "--adapter", "langchain"], "in packages");
}
