//! A person as an oracle: questions on standard error, answers from standard input.

use crate::cli::Folder;

#[test]
fn a_person_answers() {
    let folder = Folder::new();
    let run = folder.run_with(["oracle", "tty", "Is it dark?", "--kind", "predicate"], "y\n").exits(0);
    assert_eq!(run.out, "true\n");
    assert_eq!(run.err, "\nDoes it hold?  question\n  Is it dark?\n[y/n] > \n");
    let args = ["oracle", "tty", "Where to?", "--choice", "left", "--choice", "right\u{1b}[2J"];
    let run = folder.run_with(args, "right\u{1b}[2J\n").exits(0);
    assert_eq!(run.out, "2\n");
    assert_eq!(run.err, "\nChoose one  question\n  Where to?\n  1  left\n  2  right\\u{1b}[2J\n[1-2] > \n");
    let args = ["oracle", "tty", "Go on.", "--kind", "generate"];
    assert_eq!(folder.run_with(args, "\na\nb\n\nc\n").exits(0).out, "a\nb\n");
    let args = ["oracle", "tty", "Say something.", "--kind", "message"];
    assert_eq!(folder.run_with(args, "a\nb\n").exits(0).out, "a\n");
}

#[test]
fn a_person_makes_mistakes_and_leaves() {
    let folder = Folder::new();
    let args = ["oracle", "tty", "Is it?", "--kind", "predicate"];
    assert_eq!(folder.run_with(args, "perhaps\nno\n").exits(0).out, "false\n");
    let left = folder.run_with(args, "").exits(1);
    assert!(left.err.ends_with("error: the person at the terminal left\n"), "{}", left.err);
    let requests = folder.run_with(["oracle", "tty"], "").exits(2);
    assert!(requests.err.contains("give a question"), "{}", requests.err);
}

#[test]
fn colors_are_asked_for() {
    let folder = Folder::new();
    let args = ["oracle", "tty", "Is it?", "--kind", "predicate", "--color", "always"];
    let run = folder.run_with(args, "y\n").exits(0);
    assert!(run.err.contains("\u{1b}[1;36mDoes it hold?\u{1b}[0m"), "{}", run.err);
}
