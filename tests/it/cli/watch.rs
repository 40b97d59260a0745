//! `check --watch`: checks again after a change, and ends on an interrupt.

use super::Folder;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watching {
    fn new(folder: &Folder, args: &[&str]) -> Self {
        let mut command = folder.command(["check", "--watch", "--progress", "never"].iter().chain(args));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (sender, lines) = channel();
        let streams: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.stdout.take().expect("piped")), Box::new(child.stderr.take().expect("piped"))];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Self { child, lines }
    }
    /// Waits for a line with these words.
    #[track_caller]
    fn until(&self, words: &str) {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(Duration::from_mins(1)) {
                Ok(line) if line.contains(words) => return,
                Ok(line) => seen.push(line),
                Err(error) => panic!("no line with {words:?}: {error}: {seen:#?}"),
            }
        }
    }
}

#[test]
fn changes_are_checked_imports_and_new_files_included() {
    let folder = Folder::new();
    folder.file("lib.tsl", "goal = F [x <- a()];\n");
    folder.file("s.tsl", "import \"lib.tsl\" as Lib\nguarantee { Lib.goal; }\n");
    let watching = Watching::new(&folder, &["s.tsl"]);
    watching.until("REALIZABLE");
    watching.until("watching 2 files");
    folder.file("lib.tsl", "goal = F [x <- a()] && G ![x <- a()];\n");
    watching.until("changed: lib.tsl");
    watching.until("UNREALIZABLE");
    watching.until("watching 2 files");
    folder.file("s.tsl", super::BROKEN);
    watching.until("changed: s.tsl");
    watching.until("error[TSL");
    folder.file("s.tsl", super::REALIZABLE);
    watching.until("REALIZABLE");
}

#[test]
fn a_running_check_is_given_up_for_the_next_one() {
    let folder = Folder::new();
    // Too hard to be decided before the file is changed.
    let hard: Vec<String> =
        (0..14).map(|i| format!("G (r{i} -> F g{i}) & G F (g{i} <-> X X X r{i})")).collect();
    folder.file(
        "s.ltl",
        format!(
            "// inputs: {}\n{}\n",
            (0..14).map(|i| format!("r{i}")).collect::<Vec<_>>().join(", "),
            hard.join(" & ")
        ),
    );
    let watching = Watching::new(&folder, &["--each", "."]);
    std::thread::sleep(Duration::from_millis(300));
    folder.file("s.ltl", "// inputs: r\nG (r -> F g)\n");
    watching.until("changed: s.ltl");
    watching.until("REALIZABLE");
    folder.file("new.ltl", "// inputs: r\nG (r <-> X g)\n");
    watching.until("changed: new.ltl");
    watching.until("new.ltl");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let folder = Folder::new();
    folder.file("s.tsl", super::REALIZABLE);
    let mut watching = Watching::new(&folder, &["s.tsl"]);
    watching.until("watching 1 file;");
    let killed = std::process::Command::new("kill").args(["-INT", &watching.child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
    assert_eq!(watching.child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn standard_input_is_not_watched() {
    let folder = Folder::new();
    let run = folder.run(["check", "--watch", "-", "--input-format", "tsl"]).exits(2);
    assert!(run.err.contains("standard input does not change"), "{run:?}");
}

#[test]
fn a_call_that_no_edit_mends_ends() {
    let folder = Folder::new();
    folder.file("notes.txt", "hello");
    for name in ["missing.tsl", "no*.tsl", "notes.txt"] {
        let run = folder.run(["check", "--watch", name]).exits(2);
        assert!(run.err.contains(name) && !run.err.contains("watching"), "{run:?}");
    }
    let run = folder.run(["check", "--watch"]).exits(2);
    assert!(run.err.contains("no specification was named"), "{run:?}");
}
