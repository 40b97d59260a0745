//! Bad input ends with exit code 2 and a clear message, too large input with an answer or exit code 3.

use super::{Folder, REALIZABLE};

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    let run = folder.run(["check", "missing.tsl"]).exits(2);
    assert!(run.err.contains("missing.tsl") && run.err.contains("no such file"), "{}", run.err);
    std::fs::create_dir(folder.path().join("folder.tsl")).expect("a folder");
    let run = folder.run(["check", "folder.tsl"]).exits(2);
    assert!(run.err.contains("it is a folder"), "{}", run.err);
    folder.file("notes.txt", REALIZABLE);
    let run = folder.run(["check", "notes.txt"]).exits(2);
    assert!(run.err.contains("--input-format"), "{}", run.err);
    folder.run(["check", "--input-format", "tsl", "notes.txt"]).exits(0);
}

/// Files of other tools: what to do with them is said.
#[test]
fn files_of_other_tools() {
    let folder = Folder::new();
    let bosy = r#"{"semantics": "mealy", "inputs": ["r"], "outputs": ["g"], "assumptions": [], "guarantees": ["G (r -> F g)"]}"#;
    for (name, text, hint) in [
        ("a.bosy", bosy, "guarantee { .. }"),
        ("a.json", bosy, "guarantee { .. }"),
        ("a.part", ".inputs r\n.outputs g\n", "--ins"),
        ("a.smv", "MODULE main\nLTLSPEC G a\n", "LTLSPEC is a formula"),
        ("a.PML", "ltl p { [] a }\n", "`ltl` block"),
        ("a.spectra", "spec S\nsys boolean g;\n", "help tlsf"),
        ("a.llissy", "(() () ())\n", ".issy"),
        ("a.lus", "node main() returns ()\n", "help fret"),
        ("a.hoa", "HOA: v1\n", "verify SPEC MACHINE"),
        ("a.txt", "G a\n", "--input-format"),
    ] {
        folder.file(name, text);
        let run = folder.run(["check", name]).exits(2);
        assert!(run.err.contains(hint), "{name}: {}", run.err);
    }
    // No verb reads them as something else.
    let game = "input int i\nstate bool b\nformula { assert G (b <-> [i > 0]) }\n";
    folder.file("game.issy", game);
    folder.file("UPPER.ISSY", game);
    for verb in
        [["explain"].as_slice(), &["view", "-o", "v.html"], &["convert", "--to", "tsl"], &["simulate"]]
    {
        let run = folder.run(verb.iter().copied().chain(["game.issy"])).exits(2);
        assert!(run.err.contains("a game over a program") && run.err.contains("`check`"), "{}", run.err);
    }
    let run = folder.run(["explain", "a.smv"]).exits(2);
    assert!(run.err.contains("LTLSPEC is a formula"), "{}", run.err);
    for name in ["game.issy", "a.hoa", "a.json", "a.PML"] {
        let run = folder.run(["fmt", name]).exits(2);
        assert!(run.err.contains("is not TSL"), "{name}: {}", run.err);
    }
    let run = folder.run(["check", "UPPER.ISSY", "--verdict-only"]).exits(1);
    assert!(run.out.starts_with("UNREALIZABLE"), "{}", run.out);
    // `-f` is `--formula`, as in ltlsynt.
    folder.run(["check", "--ins", "a", "-f", "G (a -> F b)"]).exits(0);
    folder.run(["explain", "--ins", "a", "-f", "G (a -> X b)"]).exits(0);
}

#[test]
fn files_that_are_no_text() {
    let folder = Folder::new();
    let garbage: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    folder.file("garbage.tsl", &garbage);
    let run = folder.run(["check", "garbage.tsl"]).exits(2);
    assert!(run.err.contains("TSL0003"), "{}", run.err);
    folder.file("latin1.tsl", b"always guarantee {\n  // gr\xfc\xdfe\n}");
    let run = folder.run(["check", "latin1.tsl"]).exits(2);
    assert!(run.err.contains("latin1.tsl:2:8"), "{}", run.err);
    folder.file("nul.tsl", "always guarantee { a \0 b; }");
    let run = folder.run(["check", "nul.tsl"]).exits(2);
    assert!(!run.err.contains('\0'), "{:?}", run.err);
    folder.file("empty.tsl", "");
    folder.run(["check", "empty.tsl"]).exits(2);
    folder.file("empty.ltl", "");
    folder.run(["check", "empty.ltl"]).exits(2);
}

#[test]
fn nothing_deceptive_reaches_the_terminal() {
    let folder = Folder::new();
    folder.file("evil\u{1b}[31m.tsl", "always guarantee { a && ) \u{202e}\u{1b}[2J; }");
    let run = folder.run(["check", "evil\u{1b}[31m.tsl"]).exits(2);
    assert!(!run.err.contains('\u{1b}') && !run.err.contains('\u{202e}'), "{:?}", run.err);
    let run = folder.run(["check", "missing\u{1b}[31m.tsl"]).exits(2);
    assert!(!run.err.contains('\u{1b}'), "{:?}", run.err);
}

#[test]
fn deep_nesting_is_refused() {
    let folder = Folder::new();
    let deep = 100_000;
    let nested = |open: &str, close: &str| {
        format!("always guarantee {{ {}a{}; }}", open.repeat(deep), close.repeat(deep))
    };
    for (i, (open, close)) in [("(", ")"), ("! ", ""), ("f(", ")"), ("X ", "")].into_iter().enumerate() {
        let name = format!("deep{i}.tsl");
        folder.file(&name, nested(open, close));
        let run = folder.run(["check", &name]);
        assert!(matches!(run.code, 2 | 3), "{open}: {run:?}");
        assert!(run.err.len() < 4000, "{open}: {} bytes of message", run.err.len());
    }
    folder.file("deep.ltl", format!("{}a{}", "(".repeat(deep), ")".repeat(deep)));
    let run = folder.run(["check", "--outs", "a", "deep.ltl"]);
    assert!(matches!(run.code, 2 | 3), "{run:?}");
}

#[test]
fn a_large_formula_gets_an_answer_or_a_limit() {
    let folder = Folder::new();
    let mut text = String::from("always guarantee {\n");
    while text.len() < 10_000_000 {
        text.push_str("  (go && ! stop) -> [x <- a()];\n");
    }
    text.push_str("}\n");
    folder.file("large.tsl", text);
    let run = folder.run(["check", "--time-limit", "5s", "large.tsl"]);
    assert!(matches!(run.code, 0 | 3), "{} {}", run.code, run.err.chars().take(500).collect::<String>());
}

#[test]
fn contradictory_calls() {
    let folder = Folder::new();
    folder.file("a.tsl", REALIZABLE);
    folder.file("b.ltl", "G a");
    folder.run(["check", "a.tsl", "b.ltl"]).exits(2);
    folder.run(["check", "a.tsl", "--formula", "G a"]).exits(2);
    folder.run(["check", "a.tsl", "--ins", "go"]).exits(2);
    folder.run(["check", "--time-limit", "soon", "a.tsl"]).exits(2);
    folder.run(["check", "--memory-limit", "0", "a.tsl"]).exits(2);
    folder.run(["check", "--deny=everything", "a.tsl"]).exits(2);
    folder.run(["explain", "TSL9999"]).exits(2);
    folder.run(["explain", "nothing"]).exits(2);
}

#[test]
fn imports_stay_below_their_root() {
    let folder = Folder::new();
    folder.file("secret.tsl", "both = a && b;");
    folder.file("project/tsl-synth.toml", "");
    folder.file("project/lib/parts.tsl", "both = a && b;");
    folder.file(
        "project/specs/inside.tsl",
        "import \"../lib/parts.tsl\" as P\nalways guarantee { P.both -> [x <- c()]; }",
    );
    folder.file(
        "project/specs/outside.tsl",
        "import \"../../secret.tsl\" as P\nalways guarantee { P.both -> [x <- c()]; }",
    );
    folder.run(["check", "project/specs/inside.tsl"]).exits(0);
    let run = folder.run(["check", "project/specs/outside.tsl"]).exits(2);
    assert!(run.err.contains("TSL0103"), "{}", run.err);
    folder.run(["check", "--import-root", ".", "project/specs/outside.tsl"]).exits(0);
    folder.run(["check", "--import-root", "project/specs", "project/specs/inside.tsl"]).exits(2);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../../secret.tsl", folder.path().join("project/lib/link.tsl"))
            .expect("a link");
        folder.file(
            "project/specs/link.tsl",
            "import \"../lib/link.tsl\" as P\nalways guarantee { P.both -> [x <- c()]; }",
        );
        folder.run(["check", "project/specs/link.tsl"]).exits(2);
    }
}

/// Typical mistakes of beginners: the message names each one, and what to do instead.
#[test]
fn calls_of_beginners() {
    let folder = Folder::new();
    folder.file("a.tsl", REALIZABLE);
    folder.file("no.tsl", super::UNREALIZABLE);
    folder.file("m.hoa", "HOA: v1\n");
    folder.file("log.jsonl", "{\"event\": \"start\"}\n");
    folder.file("idle.tsl", "always guarantee {\n  press -> X light;\n}\n");
    folder.file("in/the/way", "");
    let policy = crate::readme::root().join("specs/cookbook/rules.toml");
    let policy = policy.to_str().expect("UTF-8");
    let calls: &[(&[&str], &str)] = &[
        (&["emit", "a.tsl"], "or `-o FILE` with an ending that tells it"),
        (&["emit", "a.tsl", "-o", "a.xyz"], "or `-o FILE` with an ending that tells it"),
        (&["emit", "a.tsl", "-o", "a.png"], "`tsl-synth emit SPEC -o FILE.svg`"),
        (&["emit", "a.tsl", "--lang", "svg", "--async"], "`--async` is for code"),
        (&["emit", "a.tsl", "--lang", "verilog", "--lazy"], "`--lazy` is for code"),
        (&["emit", "no.tsl", "--lang", "xstate", "--counter"], "`svg`"),
        (&["emit", "m.hoa", "--lang", "svg"], "machines (HOA, AIGER, machine JSON) are for `view`"),
        (&["verify", "m.hoa", "a.tsl"], "the machine comes last"),
        (&["view", "a.tsl", "--effect", "F press"], "the effect is that of a trace"),
        (&["monitor", "log.jsonl", "rules.toml"], "the policy comes first"),
        (&["monitor", policy], "standard input is no log"),
        (&["shield", "test", policy, "migrate"], "a request is JSON such as"),
        (&["shield", "test", policy, "{}"], "a request has an `event`; a request is JSON such as"),
        (&["new", "spec"], "`tsl-synth new spec DIR`"),
        (&["new", "spec", "in/the/way"], "`in/the/way`: there is a file of this name"),
        (&["new", "policy", "in/the/way/x"], "a part of this path is a file"),
        (&["lsp", "--editor-files", "in/the/way"], "a part of this path is a file"),
        (&["lsp", "--time-limit", "soon"], "such as `500ms`"),
        (&["lsp"], "standard input ended before the request `initialize`; an editor starts"),
    ];
    for (call, told) in calls {
        let run = folder.run(*call).exits(2);
        assert!(run.err.contains(told), "{call:?}: {}", run.err);
    }
    let run = folder.run_with(["lsp"], "hello\r\n\r\n").exits(2);
    assert!(run.err.contains("standard input has no message of the protocol"), "{}", run.err);
    // No clause updates `light`, so it is an input.
    let run = folder.run(["check", "--verdict-only", "idle.tsl"]).exits(1);
    assert!(run.err.contains("TSL0158") && run.err.contains("`[x <- term]` sets `x`"), "{}", run.err);
    // The ending of the file determines the target.
    for (file, begins) in
        [("a.svg", "<svg"), ("a.mjs", "/**"), ("a.hoa", "HOA: v1"), ("a.v", "// Controller")]
    {
        folder.run(["emit", "a.tsl", "-o", file]).exits(0);
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap_or_default();
        assert!(text.starts_with(begins), "{file}: {text}");
    }
}
