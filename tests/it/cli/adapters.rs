//! `emit POLICY --adapter`: where the adapter is written, and combinations of options that are refused.

use super::{Folder, REALIZABLE};
use tsl_synth_service::Adapter;

const POLICY: &str = include_str!("../../../specs/policies/telecom.toml");

#[test]
fn an_adapter_is_written_beside_its_gate() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.run(["emit", "p.toml", "--lang", "python", "-o", "plain.py"]).exits(0);
    let plain = std::fs::read(folder.path().join("plain.py")).expect("the gate");
    for adapter in Adapter::ALL {
        let (lang, ending) = if adapter == Adapter::AiSdk { ("js", "mjs") } else { ("python", "py") };
        let gate = format!("my-gate.{ending}");
        let name = adapter.name();
        folder.run(["emit", "p.toml", "--lang", lang, "--adapter", name, "-o", &gate]).exits(0);
        let own = format!("my_gate_{}.{ending}", name.replace('-', "_"));
        let text = std::fs::read_to_string(folder.path().join(&own)).expect("the adapter");
        assert!(
            text.contains(&gate) && text.contains("How to use it") && text.contains("Not stopped"),
            "{own}"
        );
        let document = folder.run(["emit", "p.toml", "--lang", lang, "--adapter", name, "--format", "json"]);
        let files = document.exits(0).json()["files"].as_array().expect("files").clone();
        let paths: Vec<&str> = files.iter().filter_map(|file| file["path"].as_str()).collect();
        assert!(paths.iter().any(|path| path.starts_with("p_")), "{paths:?}");
        assert_eq!(files.iter().filter(|file| file["main"] == true).count(), 1);
    }
    // The gate is the same with and without an adapter.
    assert_eq!(std::fs::read(folder.path().join("my-gate.py")).expect("the gate"), plain);
    assert!(folder.path().join("my-gate.d.mts").is_file());
}

#[test]
fn what_an_adapter_is_not_for() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("yes.tsl", REALIZABLE);
    let wrong = |args: &[&str], hint: &str| {
        let run = folder.run(args.iter().copied().chain(["-o", "out.py"])).exits(2);
        assert!(run.err.contains(hint) && run.out.is_empty(), "{args:?}: {run:?}");
        assert!(!folder.path().join("out.py").exists(), "{args:?}");
    };
    wrong(&["emit", "p.toml", "--lang", "js", "--adapter", "langchain"], "`--lang python`");
    wrong(&["emit", "p.toml", "--lang", "rust", "--adapter", "ai-sdk"], "`--lang js`");
    wrong(
        &["emit", "p.toml", "--lang", "python", "--adapter", "langchain", "--law-monitor"],
        "leave out `--law-monitor`",
    );
    wrong(&["emit", "yes.tsl", "--lang", "python", "--adapter", "langchain"], "are for policies");
    wrong(&["emit", "p.toml", "--lang", "js", "--adapter", "ai-sdk"], "`.js` or `.mjs`");
    wrong(&["emit", "p.toml", "--lang", "python", "--adapter", "crewai"], "openai-agents, langchain");
    let run = folder.run(["emit", "p.toml", "--lang", "python", "--adapter", "langchain"]).exits(2);
    assert!(
        run.err.contains("`-o FILE`") && run.err.contains("--format json") && run.out.is_empty(),
        "{run:?}"
    );
    let run =
        folder.run(["emit", "p.toml", "--lang", "python", "--adapter", "langchain", "-o", "-"]).exits(2);
    assert!(run.err.contains("`-o FILE`"), "{run:?}");
    let help = folder.run(["policy", "emit", "--help"]).exits(0).out;
    for adapter in Adapter::ALL {
        assert!(help.contains(adapter.name()), "{}", adapter.name());
    }
}

#[test]
fn an_agent_behind_the_gate() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    for (lang, ending) in [("python", "py"), ("js", "js")] {
        let args = ["emit", "p.toml", "--lang", lang, "--llm", "--scaffold", lang];
        let run = folder.run(args).exits(0);
        for name in ["README.md", "tools.json", &format!("gate.{ending}"), &format!("agent.{ending}")] {
            assert!(
                folder.path().join(lang).join(name).is_file() && run.err.contains(name),
                "{name}: {run:?}"
            );
        }
        let agent = std::fs::read_to_string(folder.path().join(lang).join(format!("agent.{ending}")));
        assert!(agent.expect("the agent").lines().count() < 125);
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
    wrong(&["--lang", "python", "--llm", "--adapter", "langchain"], "leave out");
}
