//! What shells allow before the name of a program, in front of a law that forbids the program.

use crate::cli::Folder;
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};

const POLICY: &str = r#"policy = 1
name = "push"
unmatched = "allow"
[actions]
groups = [["push"]]
[[match]]
on = "call"
tool = "Bash"
shell = "/command"
argv = ["git", "push", "**"]
action = "push"
[[law]]
id = "no-push"
ltl = "G !push"
"#;

/// Whether each command may be run, one session for each.
fn allowed(commands: &[&str]) -> Vec<bool> {
    let folder = Folder::new();
    folder.file("policy.toml", POLICY);
    let mut command = folder.command(["shield", "policy.toml"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let lines: Vec<String> = commands
        .iter()
        .enumerate()
        .map(|(i, text)| {
            let arguments = json!({ "command": text });
            json!({"event": "propose", "session": format!("s{i}"), "id": "c", "tool": "Bash", "arguments": arguments})
                .to_string()
        })
        .collect();
    child.stdin.take().expect("piped").write_all((lines.join("\n") + "\n").as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    let allowed: Vec<bool> = text.lines().map(|line| line.contains("\"verdict\":\"allow\"")).collect();
    assert_eq!(allowed.len(), commands.len(), "{text}");
    for (command, allowed) in commands.iter().zip(&allowed) {
        println!("{}: {command:?}", if *allowed { "allow" } else { "deny" });
    }
    allowed
}

/// What stands before `git push` or around it, `@` for the command itself.
const BEFORE: &[&str] = &[
    "@",
    "{fd}>x @",
    "{fd}>&1 @",
    "{fd}<<<x @",
    "{fd}<>x @",
    "{_a1}>>x @",
    "{a[0]}>x @",
    "{fd}>x {other}>y @",
    "{fd}>x time @",
    "A=b {fd}>x @",
    "sudo {fd}>x @",
    "exec {fd}>x @",
    "true && {fd}>x @",
    "time @",
    "time -p @",
    "time -- @",
    "time -p -- @",
    "time -- ! @",
    "time -- A=b @",
    "time -- >x @",
    "time -- { @; }",
    "time -- ( @ )",
    "! time -- @",
    "true; time -- @",
    "if true; then time -- @; fi",
    "(time -- @)",
    "time -- time -- @",
    "! @",
    "! ! @",
    "coproc @",
    "coproc NAME { @; }",
    ">x @",
    "2>&1 @",
    "<x @",
    "<<<x @",
    "<>x @",
    ">|x @",
    "&>x @",
    "&>>x @",
    "3<&0 @",
    "A=b @",
    "A+=b @",
    "a[1]=x @",
    "a=(x y) @",
    "function f { @; }; f",
    "f() { @; }; f",
    "case x in (x) @;; esac",
    "select x in a; do @; done",
    "for ((;;)); do @; done",
    "until @; do :; done",
    "command -p -- @",
    "builtin command @",
    "exec -a name @",
    "noglob @",
    "nocorrect @",
    "nohup -- @",
    "nice -n 5 @",
    "timeout -k 1 5 @",
    "env -S '@'",
    "env -i A=b @",
    "stdbuf -oL @",
    "caffeinate -i @",
    "chronic @",
    "unbuffer @",
    "taskset 1 @",
    "xvfb-run @",
    "xargs @",
    "trap '@' EXIT",
    "eval '@'",
    "bash -c '@'",
];

#[test]
fn words_before_a_program_do_not_hide_it() {
    let commands: Vec<String> = BEFORE.iter().map(|form| form.replace('@', "git push")).collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let hidden: Vec<&str> =
        commands.iter().zip(allowed(&commands)).filter(|(_, allowed)| *allowed).map(|(c, _)| *c).collect();
    assert!(hidden.is_empty(), "the gate lets these pass: {hidden:?}");
}

#[test]
fn text_that_is_evaluated_and_not_known_is_opaque() {
    let commands = ["eval \"$x\"", "source x", ". ./x", "bash \"$x\"", "$x", "env -S \"$x\"", "time -- $x"];
    assert_eq!(allowed(&commands), vec![false; commands.len()]);
}

/// Forms that look alike and run something else.
#[test]
fn other_words_are_judged_as_bash_runs_them() {
    let commands = [
        // A program named `{fd}`, which there is not.
        "{fd} >x git push",
        "\"{fd}\">x git push",
        "\\{fd}>x git push",
        "{1}>x git push",
        // An argument.
        "echo time -- git push",
        "time -- -- git push",
        "echo {fd}",
        "time -- git pull",
        "{fd}>x git pull",
    ];
    assert_eq!(allowed(&commands), vec![true; commands.len()]);
}

/// The forms of [`BEFORE`] that are of bash run their command there.
#[test]
fn bash_runs_the_command_in_these_forms() {
    if Command::new("bash").arg("--version").output().is_err() {
        return tsl_synth_testkit::skip("bash is not installed");
    }
    for form in BEFORE.iter().filter(|form| {
        let builtin = ["{", "time", "!", ">", "2", "&", "<", "A", "a[", "f", "case", "coproc", "exec {"];
        builtin.iter().any(|start| form.starts_with(start)) && !form.contains("((")
    }) {
        let folder = Folder::new();
        folder.file("x", "");
        let script = form.replace('@', "touch ran");
        let _ = Command::new("bash")
            .args(["-c", &script])
            .current_dir(folder.path())
            .output()
            .expect("bash runs");
        let mut ran = folder.path().join("ran").exists();
        for _ in 0..50 {
            // A coprocess may end later.
            if ran {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            ran = folder.path().join("ran").exists();
        }
        println!("{script}: {ran}");
        assert!(ran, "bash does not run it: {script}");
    }
}
