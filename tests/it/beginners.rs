//! Twelve first tasks, each with two natural mistakes: what `check` prints is in `fixtures/beginners`.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn first_tasks_and_their_mistakes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/beginners");
    let mut tasks: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    tasks.sort();
    assert_eq!(tasks.len(), 12);
    let mut different = String::new();
    for task in tasks {
        for name in ["right", "mistake-1", "mistake-2"] {
            let output = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
                .args(["check", &format!("{name}.tsl")])
                .current_dir(&task)
                .output()
                .expect("a run");
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
            let printed = text(&output.stderr) + &text(&output.stdout);
            let path = task.join(name).with_extension("out");
            // The correct solution is accepted without warnings; a mistake is rejected or has a diagnostic.
            if name == "right" {
                assert_eq!(output.status.code(), Some(0), "{}:\n{printed}", path.display());
                assert!(!printed.contains("warning"), "{}:\n{printed}", path.display());
            } else {
                let said = output.status.code() != Some(0) || printed.contains("[TSL");
                assert!(said, "{}:\n{printed}", path.display());
            }
            assert!(printed.lines().all(|line| line.chars().count() <= 200), "{}", path.display());
            if std::env::var_os("UPDATE_FIXTURES").is_some() {
                std::fs::write(&path, &printed).expect("the expectation");
            }
            if std::fs::read_to_string(&path).unwrap_or_default() != printed {
                different.extend([path.display().to_string(), format!(":\n{printed}\n")]);
            }
        }
    }
    assert!(different.is_empty(), "{different}");
}
