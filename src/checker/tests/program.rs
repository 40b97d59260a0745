//! The program: exit codes, what it says that it trusts, machines in files of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

const SPEC: &str = "// inputs: a\n// outputs: c\nG (a -> c)\n";
const MACHINE: &str = "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"a\" \"c\"\ncontrollable-AP: 1\nAcceptance: 0 t\n--BODY--\n\
    State: 0\n[1] 0\n--END--\n";
const HEAD: &str =
    "tsl-certificate 1\nverdict realizable\nmachine mealy\ninput \"a\"\noutput \"c\"\nguarantee G (a -> c)\n";
const PROOF: &str = "node 0 true\nnode 1 yes \"a\"\nnode 2 no \"c\"\nnode 3 and 1 2\nnode 4 until 0 3\n\
    claim guarantee 1\nrow 0 0 4\n";

/// The exit code and what was printed, to both streams.
fn run(arguments: &[&Path]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tsl-check")).args(arguments).output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("text"))
}

#[test]
fn exit_codes_tell_what_was_found() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program");
    std::fs::create_dir_all(&home).expect("a folder");
    let file = |name: &str, text: &str| -> PathBuf {
        let path = home.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let spec = file("spec.ltl", SPEC);
    let proof = file("proof.cert", &[HEAD, MACHINE, PROOF].concat());
    let (code, text) = run(&[&spec, &proof]);
    assert!(code == Some(0) && text.starts_with("ACCEPTED"), "{text}");
    assert!(text.contains("equal to those of") && text.contains("trusted: tsl-check"), "{text}");

    let machine = file("machine.hoa", MACHINE);
    let broken = file("broken.hoa", &MACHINE.replace("[1] 0", "[!1] 0"));
    assert_eq!(run(&[&spec, &machine, &proof]).0, Some(0));
    assert_eq!(run(&[&spec, Path::new("-"), &proof]).0, Some(0));
    let (code, text) = run(&[&spec, &broken, &proof]);
    assert!(code == Some(1) && text.contains("guarantee 1") && text.contains("line "), "{text}");

    let other = file("other.ltl", &SPEC.replace("->", "<->"));
    let (code, text) = run(&[&other, &proof]);
    assert!(code == Some(1) && text.contains("not those of the specification"), "{text}");
    // A language that it does not read: the clauses are trusted, and it says so.
    let tsl = file("spec.tsl", "whatever");
    let (code, text) = run(&[&tsl, &proof]);
    assert!(code == Some(0) && text.contains("trusted: the translation"), "{text}");
    let past = file("past.ltl", &SPEC.replace("(a", "(Y a"));
    let (code, text) = run(&[&past, &proof]);
    assert!(code == Some(2) && text.contains("--trust-contract"), "{text}");
    assert_eq!(run(&[Path::new("--trust-contract"), &past, &proof]).0, Some(0));

    let hostile = file("hostile.cert", "tsl-certificate 1\ninput \"\u{1b}[31m\"\nfact \"\u{1b}]0;x\u{7}\"\n");
    let nowhere = Path::new("/nonexistent");
    let bad: [&[&Path]; 5] = [&[], &[&spec], &[&spec, &spec], &[&spec, &hostile], &[&spec, nowhere]];
    for arguments in bad {
        let (code, text) = run(arguments);
        assert!(code == Some(2) && !text.contains('\u{1b}'), "{text}");
    }
    assert_eq!(run(&[Path::new("--frobnicate"), &spec, &proof]).0, Some(2));
    assert_eq!(run(&[Path::new("--help")]).0, Some(0));
}
