//! `new`: the commands that it prints succeed.

use super::Folder;

#[test]
fn what_is_begun_works_at_once() {
    for (what, count) in [("spec", 3), ("agent", 2), ("ci", 1), ("monitor", 1)] {
        let folder = Folder::new();
        let run = folder.run(["new", what, "my folder"]).exits(0);
        let commands: Vec<Vec<String>> = run
            .out
            .lines()
            .filter_map(|line| line.strip_prefix("  tsl-synth "))
            .map(crate::readme::words)
            .collect();
        assert_eq!(commands.len(), count, "{run:?}");
        if what == "ci" {
            folder.file("my folder/s.tsl", super::REALIZABLE);
        }
        // What the numbers are about is not written, and the call does not end.
        for command in commands.into_iter().filter(|_| what != "monitor") {
            let run = folder.run(&command);
            assert_eq!(run.code, 0, "{command:?}: {run:?}");
        }
        let again = folder.run(["new", what, "my folder"]).exits(2);
        assert!(again.err.contains("is there already"), "{again:?}");
        folder.run(["new", what, "my folder", "--force"]).exits(0);
    }
}

#[test]
fn the_commands_of_the_readmes_work() {
    for what in ["spec", "agent"] {
        let folder = Folder::new();
        folder.run(["new", what, "here"]).exits(0);
        let here = folder.path().join("here");
        let readme = std::fs::read_to_string(here.join("README.md")).expect("it is written");
        let mut tried = 0;
        for line in readme.lines().filter_map(|line| line.strip_prefix("tsl-synth ")) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.contains("--watch") || line.contains("tty") {
                continue;
            }
            let output =
                folder.command(crate::readme::words(line)).current_dir(&here).output().expect("it starts");
            assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            tried += 1;
        }
        assert!(tried >= 3, "{readme}");
    }
}

#[test]
fn a_workflow_is_for_the_folder_of_the_call() {
    let folder = Folder::new();
    folder.run(["new", "ci"]).exits(0);
    let text =
        std::fs::read_to_string(folder.path().join(".github/workflows/tsl-synth.yml")).expect("a workflow");
    assert!(text.contains("tsl-synth check --each --format github"), "{text}");
    let run = folder.run(["new", "spec"]).exits(2);
    assert!(run.err.contains("the folder is missing"), "{run:?}");
}
