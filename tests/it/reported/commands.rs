//! What the gate says about shell commands: a denial names the command that it is due to, and `policy try` shows what
//! the tables see without running anything.

use super::policies::Session;
use crate::cli::Folder;
use serde_json::{Value, json};

const POLICY: &str = r#"
unmatched = "allow"
[actions]
groups = [["push"], ["destroy"], ["tests"]]
[[match]]
on = "call"
tool = ["Bash", "shell"]
shell = "/arguments/command"
argv = ["git", "push", "**"]
action = "push"
[[match]]
on = "call"
tool = ["Bash", "shell"]
shell = "/arguments/command"
argv = ["terraform", "destroy", "**"]
action = "destroy"
[[match]]
on = "call"
tool = ["Bash", "shell"]
shell = "/arguments/command"
argv = ["cargo", "test", "**"]
action = "tests"
[[match]]
on = "call"
tool = "deploy"
action = "destroy"
[[law]]
id = "no-push"
rule = "push requires tests before"
why = "Test first."
[[law]]
id = "no-destroy"
ltl = "G !destroy"
"#;

/// Commands with what the denial says about them.
const DENIED: [(&str, &str); 12] = [
    ("git push", "`git push` is push."),
    ("cd x && git push -f origin main", "`git push -f origin main` is push."),
    ("sudo git push", "`git push` is push."),
    ("bash -c 'ls; git push'", "`git push` is push."),
    ("git $x", "`git …` may be push: write out what is `…` here."),
    ("git \"$a\" \"$b\"", "`git … …` may be push: write out what is `…` here."),
    ("$x push", "`… push` may be destroy or push or tests: write out what is `…` here."),
    ("terraform destroy -auto-approve", "`terraform destroy -auto-approve` is destroy."),
    ("ls; eval \"$x\"", "`eval …` cannot be read ("),
    ("source setup.sh", "`source setup.sh` cannot be read ("),
    ("git commit -m 'x; y' && git push", "`git push` is push."),
    ("git push 'a b'", "`git push 'a b'` is push."),
];

#[test]
fn denials_name_the_command() {
    for (command, says) in DENIED {
        let answers = Session::new("denials", POLICY).shell(command, "deny").check();
        let reason = answers[0]["reason"].as_str().expect("a reason").to_owned();
        assert!(reason.contains(says), "{command}: {reason}");
        assert!(reason.starts_with("Denied"), "{reason}");
        let commands = answers[0]["commands"].as_array().expect("commands");
        assert!(
            commands.iter().any(|one| one["is"] != Value::Null
                || one["mayBe"] != Value::Null
                || one["unreadable"] != Value::Null),
            "{commands:?}"
        );
    }
    // A call without shell commands has none.
    let answers = Session::new("whole", POLICY).calls("deploy", "deny").check();
    assert_eq!(answers[0].get("commands"), None);
}

/// Long commands, and commands of many parts, are cut.
#[test]
fn long_denials_are_cut() {
    for count in [1, 10, 100, 1_000] {
        let all = vec!["git push origin main"; count].join(" && ");
        let long = format!("git push {}", "x".repeat(100 * count));
        let many = (0..count.min(100)).map(|i| format!("git push r{i}")).collect::<Vec<_>>().join("; ");
        for command in [all, long, many] {
            let answers = Session::new("long", POLICY).shell(&command, "deny").check();
            let reason = answers[0]["reason"].as_str().expect("a reason");
            assert!(reason.chars().count() < 1_200, "{count}: {reason}");
        }
    }
}

/// Characters that a terminal would obey do not reach a reason.
#[test]
fn denials_have_no_control_characters() {
    let command = "git push '\u{1b}[2J\u{7}' \"a\tb\"";
    let answers = Session::new("control", POLICY).shell(command, "deny").check();
    let reason = answers[0]["reason"].as_str().expect("a reason");
    assert!(!reason.contains(['\u{1b}', '\u{7}', '\t']), "{reason:?}");
}

fn policy() -> Folder {
    let folder = Folder::new();
    folder.file("policy.toml", format!("policy = 1\n{POLICY}"));
    folder
}

#[test]
fn calls_are_tried_without_running_them() {
    let folder = policy();
    let run = folder.run(["policy", "try", "policy.toml", "git push", "cargo test && git push", "ls"]);
    assert_eq!(run.code, 1, "{}", run.err);
    for line in [
        "DENY by no-push: git push",
        "  `git push` is push (line 6)",
        "ALLOW: cargo test && git push",
        "  `cargo test` is tests (line 18)",
        "ALLOW: ls",
        "  `ls` is in no table",
    ] {
        assert!(run.out.lines().any(|own| own == line), "{line}: {}", run.out);
    }
    let run = folder.run(["policy", "try", "policy.toml", "--in-order", "cargo test", "git push"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    // What stands between the words of a pattern is named.
    for (command, between) in [
        ("terraform -chdir=prod destroy", "-chdir=prod"),
        ("terraform --verbose destroy x", "--verbose"),
        ("git remote push", "remote"),
    ] {
        let run = folder.run(["policy", "try", "policy.toml", command]);
        assert!(run.code == 0 && run.out.contains(&format!("`{between}` stands where")), "{}", run.out);
    }
}

#[test]
fn calls_as_json() {
    let folder = policy();
    let call = json!({ "tool": "deploy", "arguments": { "to": "prod" } }).to_string();
    let run = folder.run(["policy", "try", "policy.toml", "--format", "json", &call, "git $x"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let document: Value = serde_json::from_str(&run.out).expect("JSON");
    let calls = document["calls"].as_array().expect("calls");
    assert_eq!(calls[0]["tables"], json!([{ "line": 24, "names": ["destroy"], "isCertain": true }]));
    assert_eq!(calls[0]["verdict"], "deny");
    assert_eq!(calls[1]["commands"][0]["words"], json!(["git …"]));
    assert_eq!(calls[1]["commands"][0]["tables"][0]["isCertain"], false);
    assert_eq!(calls[1]["by"], json!(["no-push"]));
}

#[test]
fn what_cannot_be_tried() {
    let folder = policy();
    folder.file(
        "plain.toml",
        "policy = 1\n[actions]\ngroups = [[\"a\"]]\n[[law]]\nid = \"l\"\nltl = \"G !a\"\n",
    );
    for (args, code, says) in [
        (vec!["policy.toml"], 2, "CALL"),
        (vec!["missing.toml", "ls"], 2, "missing.toml"),
        (vec!["plain.toml", "ls"], 2, "no table of the policy is about shell commands"),
        (vec!["policy.toml", "--tool", "nosuch", "ls"], 2, "`nosuch`"),
        (vec!["policy.toml", r#"{"tool": "deploy", "argument": {}}"#], 2, "`argument`"),
        (vec!["policy.toml", "--format", "sarif", "ls"], 2, "--format json"),
        (vec!["policy.toml", r#"{"no": "call"}"#], 2, "`tool`"),
    ] {
        let run = folder.run([vec!["policy", "try"], args.clone()].concat());
        let said = format!("{}{}", run.out, run.err);
        assert!(run.code == code && said.contains(says), "{args:?}: {} {said}", run.code);
    }
}
