//! Ordinary commands: which share of them the gate refuses although the policy is not about them.
//!
//! `fixtures/shell/ordinary.txt` has the commands, `fixtures/shell/refused.txt` the refusals with their reasons. Each
//! command is proposed in a session of its own.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth_core::model::ScriptContent;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling, ScriptReader, Surroundings};
use tsl_synth_shell::script_automaton;

/// A policy, and what a command that it is about has in its text.
struct Case {
    policy: &'static str,
    about: &'static [&'static str],
    /// The share of refused commands that are not about it, in percent, which is not reached.
    below: f64,
}

const CASES: [Case; 8] = [
    Case {
        policy: "specs/policies/commit-checks.toml",
        about: &["git push", "git pull", "git rebase", "git commit", "user.name=bot"],
        below: 1.0,
    },
    Case { policy: "specs/policies/finish-tested.toml", about: &[], below: 1.0 },
    Case { policy: "specs/policies/secrets-then-network.toml", about: &["deploy.sh"], below: 1.0 },
    Case { policy: "specs/policies/tests-before-push.toml", about: &["git push"], below: 1.0 },
    Case { policy: "fixtures/shell/dangerous.toml", about: &[], below: 1.0 },
    Case {
        policy: "fixtures/shell/destructive.toml",
        about: &[
            "git checkout -- ",
            "git checkout HEAD~1 -- ",
            "git restore src",
            "git reset --hard",
            "git clean -fd",
            "--force-with-lease",
            "docker push",
            "docker compose down -v",
            "docker system prune",
            "kubectl delete",
            "gh pr merge",
            "gh release create",
        ],
        below: 1.0,
    },
    // Names of files that are not known before a command runs may be those of secrets.
    Case { policy: "fixtures/shell/protected-files.toml", about: &[], below: 1.0 },
    Case { policy: "fixtures/shell/allow-list.toml", about: UNLISTED, below: 1.0 },
];

/// Programs that the allow-list leaves out on purpose.
const UNLISTED: &[&str] = &[
    "docker",
    "podman",
    "kubectl",
    "helm",
    "terraform",
    "tofu",
    "aws ",
    "gcloud",
    "az ",
    "flyctl",
    "vercel",
    "wrangler",
    "ansible",
    "systemctl",
    "journalctl",
    "sudo",
    "apt-",
    "brew",
    "apk ",
    "dpkg",
    "ssh",
    "scp",
    "rsync",
    "psql",
    "pg_",
    "mysql",
    "redis",
    "mongosh",
    "duckdb",
    "createdb",
    "crontab",
    "tmux",
    "screen",
    "ngrok",
    "chown",
    "watch -",
    "script -q",
    "strace",
    "flock",
    "parallel",
    "javac",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("the file is there")
}

/// The commands: one in each line, or several lines between `<<<` and `>>>`. A line that begins with `# ` is a heading.
fn commands() -> Vec<String> {
    let corpus = text("fixtures/shell/ordinary.txt");
    let (mut all, mut block) = (Vec::new(), None::<Vec<&str>>);
    for line in corpus.lines() {
        match (&mut block, line) {
            (Some(lines), ">>>") => {
                all.push(lines.join("\n"));
                block = None;
            }
            (Some(lines), _) => lines.push(line),
            (None, "<<<") => block = Some(Vec::new()),
            (None, "") => {}
            (None, line) if line.starts_with("# ") => {}
            (None, line) => all.push(line.to_owned()),
        }
    }
    all
}

/// The scripts of the project in which the commands run.
#[derive(Debug)]
struct Project;

impl ScriptReader for Project {
    fn read(&self, folder: Option<&str>, path: &str) -> (ScriptContent, Option<String>) {
        let place = self.place(folder, path);
        let name = place.as_deref().and_then(|place| place.rsplit('/').next()).unwrap_or_default();
        let is_there = match name {
            "activate" => path.ends_with("venv/bin/activate"),
            "build.sh" | "deploy.sh" | "install.sh" | "run_tests.sh" | "test.sh" => true,
            _ => false,
        };
        let content = if is_there {
            ScriptContent::of_bytes(text(&format!("fixtures/shell/scripts/{name}")).as_bytes())
        } else {
            ScriptContent::Missing
        };
        (content, place)
    }
    fn place(&self, folder: Option<&str>, path: &str) -> Option<String> {
        let path = path.strip_prefix("./").unwrap_or(path);
        Some(if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", folder?) })
    }
}

/// Why a command cannot be read, in the words of the reader.
fn opaque(command: &str) -> String {
    let automaton = script_automaton(command);
    let mut reasons: Vec<&str> = automaton.letters.iter().filter_map(|letter| letter.opaque).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons.join(", ")
}

/// The refused commands with the reasons of the gate.
fn refused(case: &Case, commands: &[String]) -> Vec<(String, String)> {
    let policy = Policy::from_text(case.policy, &text(case.policy)).expect("a policy");
    let store = Arc::new(MemoryStore::new(|| None));
    let mut refused = Vec::new();
    for (i, command) in commands.iter().enumerate() {
        let gate = Gate::new(&policy, &format!("s{i}"), store.clone()).expect("a gate");
        let (scripts, folder) = (Some(Arc::new(Project) as Arc<dyn ScriptReader>), Some("/project".into()));
        gate.look_around(Surroundings { scripts, folder, ..Surroundings::default() }).expect("a gate");
        let arguments = serde_json::json!({ "command": command }).to_string();
        let decision = gate.propose("Bash", &arguments).expect("a decision");
        if decision.verdict >= Ruling::Ask {
            refused.push((command.clone(), decision.reason));
        }
    }
    refused
}

#[test]
fn few_ordinary_commands_are_refused_by_policies_that_are_not_about_them() {
    let commands = commands();
    assert!(commands.len() >= 1_000, "{}", commands.len());
    let (mut table, mut list) = (String::new(), String::new());
    let mut too_many = Vec::new();
    for case in &CASES {
        let refused = refused(case, &commands);
        let (about, others): (Vec<_>, Vec<_>) =
            refused.iter().partition(|(command, _)| case.about.iter().any(|text| command.contains(text)));
        let share = 100.0 * others.len() as f64 / commands.len() as f64;
        let name = case.policy.rsplit('/').next().unwrap_or_default();
        let _ = writeln!(
            table,
            "{name:<30} {:>4} about it, {:>4} others of {}: {share:.2} %",
            about.len(),
            others.len(),
            commands.len()
        );
        let _ = writeln!(list, "# {name}");
        for (command, reason) in others {
            let _ = writeln!(list, "{command}");
            let because = opaque(command);
            let reason = reason.replace('\n', " ");
            let because = if because.is_empty() { &reason } else { &because };
            let _ = writeln!(list, "    {because}");
        }
        if share >= case.below {
            too_many.push(name);
        }
    }
    println!("{table}");
    let golden = root().join("fixtures/shell/refused.txt");
    let expected = format!("{table}\n{list}");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&golden, &expected).expect("the file is written");
    }
    let known = std::fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(known, expected, "UPDATE_FIXTURES=1 rewrites {}", golden.display());
    assert!(too_many.is_empty(), "too many of the commands are refused: {too_many:?}");
}
