//! What the README shows is what the tool prints. `UPDATE_FIXTURES=1` pastes it anew.

use std::path::Path;
use std::process::Command;

/// The words of a command line with single quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words
}

fn run(command: &str) -> Option<String> {
    let words = words(command);
    let (program, args) = words.split_first()?;
    // What writes files is tested elsewhere.
    if program != "tsl-synth" || args.iter().any(|arg| arg == "-o") {
        return None;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("CI")
        .output()
        .expect("the binary runs");
    // Findings come before the verdict.
    let all = [output.stderr, output.stdout].concat();
    Some(String::from_utf8(all).expect("text"))
}

#[test]
fn shows_what_the_tool_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).expect("README.md");
    let mut fresh = String::new();
    let mut lines = text.lines().peekable();
    let (mut console, mut commands) = (false, 0);
    while let Some(line) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        console = line == "```console" || console && line != "```";
        let printed = line.strip_prefix("$ ").filter(|_| console).and_then(run);
        let Some(printed) = printed else { continue };
        commands += 1;
        while lines.peek().is_some_and(|next| *next != "```" && !next.starts_with("$ ")) {
            lines.next();
        }
        fresh.push_str(printed.trim_end());
        fresh.push('\n');
    }
    assert!(commands >= 5, "{commands} commands are shown");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&path, &fresh).expect("README.md");
    } else {
        assert!(text == fresh, "README.md shows something else; run the test with UPDATE_FIXTURES=1");
    }
}
