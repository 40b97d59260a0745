//! Programs and scripts as oracles.

use crate::cli::{Folder, Run};

/// Sends a predicate question to a shell script.
fn ask(script: &str) -> Run {
    let folder = Folder::new();
    let file = folder.file("a program.sh", script);
    let oracle = format!("cmd:sh \"{}\"", file.display());
    folder.run(["oracle", &oracle, "Is it?", "--kind", "predicate", "--oracle-timeout", "10s"])
}

#[test]
fn a_program_answers() {
    let run = ask("read request\necho '{\"id\":1,\"answer\":true}'\n").exits(0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("true\n", ""));
    let refused =
        ask("while read request; do i=$((i+1)); echo \"{\\\"id\\\":$i,\\\"refusal\\\":\\\"no\\\"}\"; done\n");
    assert_eq!(refused.exits(1).err, "error: it refused: `no`\n");
    let ended = ask("read request\necho '{\"id\":1,\"end\":true}'\n").exits(1);
    assert_eq!(ended.err, "error: it ended the conversation\n");
}

#[test]
fn a_program_sees_the_request() {
    let folder = Folder::new();
    folder.file("keep.sh", "read request\necho \"$request\" > seen\necho '{\"id\":1,\"answer\":2}'\n");
    let run = folder.run([
        "oracle",
        "cmd:sh keep.sh",
        "Which?",
        "--choice",
        "a",
        "--choice",
        "b",
        "--subject",
        "s",
    ]);
    assert_eq!(run.exits(0).out, "2\n");
    let seen = std::fs::read_to_string(folder.path().join("seen")).expect("it was kept");
    let expected =
        r#"{"id":1,"kind":"choose","subject":"s","prompt":"Which?","choices":["a","b"],"attempt":1}"#;
    assert_eq!(seen.trim_end(), expected);
}

#[test]
fn a_program_that_misbehaves() {
    // The second request has the `id` 2.
    let again = ask("read request\necho banana\nread request\necho '{\"id\":2,\"answer\":false}'\n").exits(0);
    assert_eq!(again.out, "false\n");
    let stray = ask(
        "read request\necho '{\"id\":9,\"answer\":true}'\nread request\necho '{\"id\":2,\"answer\":false}'\n",
    );
    assert_eq!(stray.exits(0).out, "false\n");
    // A greeting counts as a failed attempt, and the answer to the first request, which comes after it, is ignored.
    let greets = "echo hello\nfor i in 1 2; do read r; echo \"{\\\"id\\\":$i,\\\"answer\\\":true}\"; done\n";
    assert_eq!(ask(greets).exits(0).out, "true\n");
    for (script, why) in [
        ("while read r; do echo banana; done", "something else than an answer in JSON: `banana`"),
        ("while read r; do echo '{\"id\":77,\"answer\":true}'; done", "answered request 77 instead of 3"),
        ("while read r; do echo '{\"answer\":true}'; done", "did not repeat the `id`, which is 3"),
        (
            "while read r; do i=$((i+1)); echo \"{\\\"id\\\":$i,\\\"answer\\\":1}\"; done",
            "`true` or `false` is expected",
        ),
        ("read r\necho 'no luck' >&2\nexit 3", "ended (exit status: 3): no luck"),
        ("exit 0", "the program `sh` ended\n"),
        ("exec >&-\nsleep 20", "closed its output"),
        ("read r\nhead -c 9000000 /dev/zero", "a line of more than 8388608 bytes"),
    ] {
        let run = ask(script).exits(1);
        assert!(run.err.contains(why), "{script}: {}", run.err);
    }
}

#[test]
fn a_program_that_hangs_is_ended() {
    let folder = Folder::new();
    // It writes its process identifier, so that the test can check that it has ended.
    folder.file("hang.sh", "echo $$ > number\nexec sleep 30\n");
    let run = folder.run(["oracle", "cmd:sh hang.sh", "Is it?", "--oracle-timeout", "300ms"]).exits(1);
    assert!(run.err.contains("the program `sh` gave no answer within 300 ms"), "{}", run.err);
    if cfg!(target_os = "linux") {
        let number = std::fs::read_to_string(folder.path().join("number")).expect("it started");
        let process = std::path::Path::new("/proc").join(number.trim());
        assert!(!process.exists(), "it is still there");
    }
}

#[test]
fn a_program_that_does_not_read_blocks_nobody() {
    let folder = Folder::new();
    let long = "x".repeat(1 << 20);
    let request =
        format!("{{\"id\":1,\"kind\":\"generate\",\"subject\":\"s\",\"prompt\":\"{long}\",\"attempt\":1}}\n");
    let args = ["oracle", "cmd:sleep 30", "--oracle-timeout", "300ms"];
    let run = folder.run_with(args, &request).exits(1);
    assert!(run.out.contains("gave no answer within 300 ms"), "{}", run.out);
}

#[test]
fn programs_and_scripts_that_are_not_there() {
    let folder = Folder::new();
    for (oracle, why) in [
        ("cmd:tsl-synth-no-such-program x", "cannot run `tsl-synth-no-such-program`"),
        ("cmd:", "names no program"),
        ("cmd:sh \"x", "a quote in `sh \"x` is not closed"),
        ("script:no-such-file", "cannot read `no-such-file`"),
        ("script:", "cannot read"),
    ] {
        let run = folder.run(["oracle", oracle, "Is it?"]).exits(2);
        assert!(run.err.contains(why), "{oracle}: {}", run.err);
    }
    folder.file("broken.jsonl", "# answers\n\n{\"answer\": tru}\n");
    let run = folder.run(["oracle", "script:broken.jsonl", "Is it?"]).exits(2);
    assert!(run.err.contains("broken.jsonl, line 3:"), "{}", run.err);
}

#[test]
fn a_script_answers_in_turn() {
    let folder = Folder::new();
    folder.file("s.jsonl", "{\"subject\":\"p\",\"answer\":true}\n{\"answer\":\"hello\"}\n");
    let lines = "\
        {\"id\":1,\"kind\":\"generate\",\"subject\":\"g\",\"prompt\":\"?\",\"attempt\":1}\n\
        {\"id\":2,\"kind\":\"predicate\",\"subject\":\"p\",\"prompt\":\"?\",\"attempt\":1}\n\
        {\"id\":3,\"kind\":\"predicate\",\"subject\":\"p\",\"prompt\":\"?\",\"attempt\":1}\n\
        {\"id\":4,\"kind\":\"predicate\",\"subject\":\"p\",\"prompt\":\"?\",\"attempt\":1}\n";
    let run = folder.run_with(["oracle", "script:s.jsonl"], lines).exits(1);
    assert_eq!(
        run.out,
        "{\"id\":1,\"answer\":\"hello\"}\n{\"id\":2,\"answer\":true}\n{\"id\":3,\"end\":true}\n"
    );
    let wrong = folder.run_with(["oracle", "script:s.jsonl"], "{\"id\":1}\n").exits(2);
    assert!(wrong.err.contains("standard input, line 1: missing field"), "{}", wrong.err);
    let unknown = "{\"id\":1,\"kind\":\"sing\",\"subject\":\"g\",\"prompt\":\"?\",\"attempt\":1}\n";
    let wrong = folder.run_with(["oracle", "script:s.jsonl"], unknown).exits(2);
    assert!(wrong.err.contains("no kind of request `sing`"), "{}", wrong.err);
}
