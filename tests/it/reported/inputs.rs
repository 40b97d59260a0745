//! Inputs of other tools: labels of HOA, circuits after a verdict line, lists of names, widths of buses.

use crate::cli::{Folder, Run};

fn machine(ap: &str, body: &str) -> String {
    format!(
        "HOA: v1\nStates: 2\nStart: 0\nAP: {ap}\nacc-name: all\nAcceptance: 0 t\n--BODY--\n{body}--END--\n"
    )
}

fn shown(run: &Run) {
    println!("exit {}: {}{}", run.code, run.out, run.err);
}

/// The format says that the label of a state is that of all its edges, which then have none.
#[test]
fn a_state_with_a_label_has_edges_without() {
    let ap = "2 \"r\" \"g\"\ncontrollable-AP: 1";
    let folder = Folder::new();
    for (name, body, line) in [
        ("held", "State: [1] 0\n[0] 0\n[!0] 0\nState: 1\n[t] 1\n", 10),
        ("violated", "State: [!1] 0\n[0&1] 0\n[!0&1] 0\nState: 1\n[t] 1\n", 10),
        ("second", "State: 0\n[1] 1\nState: [1] 1\n\n[0 | !0] 0\n", 13),
        ("some", "State: 0\n[0&1] 0\n1\nState: 1\n[t] 1\n", 11),
    ] {
        folder.file("m.hoa", machine(ap, body));
        for args in [
            &["verify", "--ins", "r", "--formula", "G g", "m.hoa"][..],
            &["convert", "m.hoa", "--to", "json"],
            &["simulate", "m.hoa"],
            &["explain", "t", "--machine", "m.hoa", "--effect", "g"],
        ] {
            folder.file("t", "r, g; cycle{r, g}\n");
            let run = folder.run(args);
            println!("{name}: {args:?}");
            shown(&run);
            assert_eq!(run.code, 2, "{name}: {args:?}: {}{}", run.out, run.err);
            assert!(run.err.contains(&format!("line {line}")) && run.err.contains("label"), "{}", run.err);
        }
    }
    // With an alias, and an automaton for an effect.
    let alias = machine(&format!("{ap}\nAlias: @on 1"), "State: [@on] 0\n[@on] 0\nState: 1\n[t] 1\n");
    folder.file("effect.hoa", &alias);
    folder.file("lamp.ltl", "// inputs: r\n// outputs: g\nG g\n");
    let run = folder.run(["explain", "t", "--spec", "lamp.ltl", "--effect-automaton", "effect.hoa"]);
    shown(&run);
    assert!(run.code == 2 && !run.err.is_empty());
}

/// Labels of states alone and labels of edges alone are read, and mean the same.
#[test]
fn labels_of_states_and_labels_of_edges_mean_the_same() {
    let folder = Folder::new();
    let ap = "2 \"r\" \"g\"\ncontrollable-AP: 1";
    let of_states = "State: [1] 0\n1\nState: [!1] 1\n0\n";
    let of_edges = "State: 0\n[1] 1\nState: 1\n[!1] 0\n";
    for (formula, code) in [("G F g", 0), ("G (g -> X !g)", 0), ("G g", 1), ("g & X g", 1)] {
        for body in [of_states, of_edges] {
            folder.file("m.hoa", machine(ap, body));
            let run = folder.run(["verify", "--ins", "r", "--formula", formula, "m.hoa"]);
            shown(&run);
            assert_eq!(run.code, code, "{formula}: {}{}", run.out, run.err);
        }
    }
}

/// `ltlsynt --aiger` and Strix print the verdict before the circuit.
#[test]
fn circuits_after_a_verdict_line_are_read() {
    let folder = Folder::new();
    let wire = "aag 1 1 0 1 0\n2\n2\ni0 x\no0 y\n";
    let binary = "aig 1 1 0 1 0\n2\ni0 x\no0 y\n";
    for (name, text) in [
        ("plain.aag", wire.to_owned()),
        ("verdict.aag", format!("REALIZABLE\n{wire}")),
        ("crlf.aag", format!("REALIZABLE\r\n{wire}")),
        ("blank.aag", format!("\nREALIZABLE\n{wire}")),
        ("verdict.aig", format!("REALIZABLE\n{binary}")),
        ("no-ending", format!("REALIZABLE\n{wire}")),
    ] {
        folder.file(name, &text);
        let run = folder.run(["verify", "--ins", "x", "--formula", "G (x <-> y)", name]);
        shown(&run);
        assert!(run.code == 0 && run.out.starts_with("HOLDS"), "{name}: {}{}", run.out, run.err);
        let run = folder.run(["verify", "--ins", "x", "--formula", "G (x <-> !y)", name]);
        assert_eq!(run.code, 1, "{name}: {}{}", run.out, run.err);
        let run = folder.run(["convert", name, "--to", "hoa"]);
        assert!(run.code == 0 && run.out.contains("HOA: v1"), "{name}: {}{}", run.out, run.err);
        let run = folder.run(["simulate", name, "--random", "2"]);
        assert_eq!(run.code, 0, "{name}: {}{}", run.out, run.err);
    }
    // A circuit of the environment: its input is the system's output. r delayed by a step cannot be answered early.
    folder.file("counter.aag", "UNREALIZABLE\naag 2 1 1 1 0\n2\n4 3 1\n4\ni0 g\no0 r\n");
    let run = folder.run(["verify", "--ins", "r", "--formula", "G (g <-> X r)", "counter.aag"]);
    shown(&run);
    assert!(run.code == 0 && run.out.starts_with("HOLDS"), "{}{}", run.out, run.err);
    // Errors name the line of the file, and a verdict alone is no machine.
    folder.file("broken.aag", "REALIZABLE\naag 1 1 0 1 0\n2\nx\n");
    let run = folder.run(["verify", "--ins", "x", "--formula", "x", "broken.aag"]);
    assert!(run.code == 2 && run.err.contains("line 4"), "{}", run.err);
    folder.file("only.txt", "UNREALIZABLE\n");
    let run = folder.run(["verify", "--ins", "x", "--formula", "x", "only.txt"]);
    assert!(run.code == 2 && run.err.contains("after the verdict"), "{}", run.err);
}

const CLAIM: &str = "G (a -> X c) & G (b -> X !c)";

#[test]
fn lists_of_names_that_are_not_names_are_errors() {
    let folder = Folder::new();
    for list in ["a b", "a;b", "a | b", "a\tb", "a,b c"] {
        for flag in ["--ins", "--outs"] {
            for verb in [&["check"][..], &["emit", "--lang", "js"], &["convert", "--to", "tlsf"]] {
                let run = folder.run([verb, &[flag, list, "--formula", CLAIM]].concat());
                println!("{verb:?} {flag} {list:?}");
                shown(&run);
                assert!(run.code == 2 && run.err.contains("TSL0046"), "{}{}", run.out, run.err);
                assert!(run.err.contains("is not one name") && run.err.contains("commas"), "{}", run.err);
            }
        }
    }
    for header in ["// inputs: a b", "// inputs: a; b", "// inputs: a | b"] {
        folder.file("header.ltl", format!("{header}\n{CLAIM}\n"));
        let run = folder.run(["check", "header.ltl"]);
        shown(&run);
        assert!(run.code == 2 && run.err.contains("TSL0046"), "{}{}", run.out, run.err);
    }
}

#[test]
fn names_that_occur_in_no_formula_get_a_warning() {
    let folder = Folder::new();
    for (list, expected) in [
        ("A,B", "did you mean `a` instead of `A`?"),
        ("/^x/", "`/^x/` of `--ins` matches nothing"),
        ("a,bb", "`bb` of `--ins` occurs in no formula"),
        ("request,grant", "`request`, `grant` of `--ins` occur in no formula"),
    ] {
        let run = folder.run(["check", "--ins", list, "--formula", CLAIM]);
        shown(&run);
        assert!(run.err.contains("warning[TSL0047]") && run.err.contains(expected), "{}", run.err);
        let json = folder.run(["check", "--format", "json", "--ins", list, "--formula", CLAIM]);
        assert!(json.out.contains("TSL0047"), "{}", json.out);
        let denied = folder.run(["check", "--deny=TSL0047", "--ins", list, "--formula", CLAIM]);
        assert_eq!(denied.code, 1, "{}{}", denied.out, denied.err);
    }
    folder.file("header.ltl", format!("// inputs: a, b, d\n// outputs: c\n{CLAIM}\n"));
    let run = folder.run(["check", "header.ltl"]);
    assert!(run.err.contains("TSL0047") && run.err.contains("`d` of the inputs"), "{}", run.err);
    // The right list is silent.
    for list in ["a,b", " a , b ", "/^[ab]$/", "\"a\",b"] {
        let run = folder.run(["check", "--ins", list, "--formula", CLAIM]);
        assert!(run.code == 1 && !run.err.contains("TSL0047"), "{list}: {}{}", run.out, run.err);
    }
}

/// `--outs` for machines without `controllable-AP:`.
#[test]
fn outputs_of_machines_may_be_expressions_and_must_exist() {
    let folder = Folder::new();
    folder.file("m.hoa", machine("2 \"r\" \"u0g\"", "State: 0\n[1] 0\nState: 1\n[t] 1\n"));
    for (verb, rest) in [("convert", &["--to", "json"][..]), ("simulate", &["--random", "1"])] {
        for (outs, code, expected) in [
            ("u0g", 0, ""),
            ("/^u0/", 0, ""),
            ("u0G", 2, "did you mean `u0g`"),
            ("/^v/", 2, "matches nothing"),
            ("r u0g", 2, "is not one name"),
        ] {
            let run = folder.run([&[verb, "m.hoa", "--outs", outs][..], rest].concat());
            println!("{verb} --outs {outs}");
            shown(&run);
            assert_eq!(run.code, code, "{}{}", run.out, run.err);
            assert!(run.err.contains(expected), "{}", run.err);
        }
    }
}

#[test]
fn the_width_of_a_bus_is_one_number() {
    let spec = |inputs: &str, outputs: &str| {
        format!(
            "INFO {{ TITLE: \"t\" DESCRIPTION: \"t\" SEMANTICS: Mealy TARGET: Mealy }}\n\
             GLOBAL {{ PARAMETERS {{ n = 3; }} }}\n\
             MAIN {{ INPUTS {{ {inputs} }} OUTPUTS {{ {outputs} }} GUARANTEE {{ G (r[0] -> g[0]); }} }}\n"
        )
    };
    let folder = Folder::new();
    for (width, code) in
        [("1..3", 2), ("0..n-1", 2), ("2:0", 2), ("1,2", 2), ("1, 2, 3", 2), ("3", 0), ("n", 0), ("n - 1", 0)]
    {
        for (inputs, outputs) in
            [(format!("r[{width}];"), "g[2];".into()), ("r[2];".into(), format!("g[{width}];"))]
        {
            folder.file("s.tlsf", spec(&inputs, &outputs));
            let run = folder.run(["check", "s.tlsf"]);
            println!("INPUTS {{ {inputs} }} OUTPUTS {{ {outputs} }}");
            shown(&run);
            assert_eq!(run.code, code, "{}{}", run.out, run.err);
            if code == 2 {
                let named = ["the width of a bus is one number", "s.tlsf:3:", "`g[3]` declares"];
                assert!(named.iter().all(|part| run.err.contains(part)), "{}", run.err);
            }
        }
    }
}

/// The terminal escapes every character that could deceive its reader.
#[test]
fn invisible_characters_are_escaped_in_the_terminal() {
    let folder = Folder::new();
    for c in ['\u{ad}', '\u{180e}', '\u{e0100}', '\u{3164}', '\u{202e}'] {
        let run = folder.run(["check", "--ins", "a", "--formula", &format!("\"x{c}y\" & )")]);
        shown(&run);
        assert!(run.code == 2 && !run.err.contains(c), "{:04X}", u32::from(c));
        let name = format!("no{c}file.tsl");
        let run = folder.run(["check", name.as_str()]);
        assert!(run.code == 2 && !run.err.contains(c), "{:04X}", u32::from(c));
    }
}

const LAMP: &str = "cell lamp: Bool = false;\n\
    always guarantee { press && !lamp -> [lamp <- true]; press && lamp -> [lamp <- false]; !press -> [lamp <- lamp]; }\n";
const ARBITER: &str = "// inputs: r\n// outputs: g\nG (r -> X g) && G (!r -> X !g)\n";

/// What `simulate --format json` and the trace hook of emitted code write is explained without a flag.
#[test]
fn recorded_traces_are_explained_without_flags() {
    let folder = Folder::new();
    folder.file("lamp/lamp.tsl", LAMP);
    folder.file("arbiter/arbiter.ltl", ARBITER);
    for (place, spec, output) in [("lamp", "lamp.tsl", "lamp <-"), ("arbiter", "arbiter.ltl", "g")] {
        let within = |args: &[&str], input: &str| {
            let mut command = folder.command(args);
            command.current_dir(folder.path().join(place));
            piped(command, input)
        };
        for steps in ["1", "2", "12"] {
            let run = within(&["simulate", spec, "--random", steps, "--seed", "3", "--format", "json"], "");
            assert_eq!(run.code, 0, "{}", run.err);
            folder.file(&format!("{place}/trace.json"), &run.out);
            let run = within(&["explain", "trace.json"], "");
            shown(&run);
            assert!(run.code < 2 && run.out.contains(output), "{}{}", run.out, run.err);
            assert!(run.out.contains("no effect was named"), "{}{}", run.out, run.err);
            // From elsewhere the names in the trace are relative to its folder.
            let run = folder.run(["explain", &format!("{place}/trace.json")]);
            assert!(run.code < 2, "{}{}", run.out, run.err);
        }
    }
    // JSON lines name nothing: the only specification beside them made them.
    folder.file("lamp/steps.jsonl", "{\"press\":false,\"(lamp)\":false,\"lamp\":\"lamp\"}\n{\"press\":true,\"(lamp)\":false,\"lamp\":\"true\"}\n");
    let run = folder.run(["explain", "lamp/steps.jsonl"]);
    shown(&run);
    assert!(run.code == 0 && run.out.contains("`press` was true at step 1"), "{}{}", run.out, run.err);
    // With two of them it is not known which.
    folder.file("lamp/other.ltl", ARBITER);
    let run = folder.run(["explain", "lamp/steps.jsonl"]);
    assert!(run.code == 2 && run.err.contains("2 specifications stand beside it"), "{}", run.err);
}

/// Runs a command with this text on standard input.
fn piped(mut command: std::process::Command, input: &str) -> Run {
    use std::io::Write;
    use std::process::Stdio;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).env_remove("GITLAB_CI");
    let mut child = command.spawn().expect("it starts");
    // A program that does not read may end before.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    Run::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_pipe_is_the_specification_where_none_is_named() {
    let tlsf = "/* a comment */\nINFO { TITLE: \"t\" DESCRIPTION: \"t\" SEMANTICS: Mealy TARGET: Mealy }\n\
                MAIN { INPUTS { r; } OUTPUTS { g; } GUARANTEE { G (r -> X g); } }\n";
    let policy = "policy = 1\nunmatched = \"allow\"\n[actions]\ngroups = [[\"a\", \"b\"]]\n[[law]]\nid = \"l\"\nltl = \"G (a -> O b)\"\n";
    // The file in the folder is another specification, and unrealizable.
    let folder = Folder::new();
    folder.file("other.ltl", "// inputs: a\n// outputs: c\nG (c <-> X a)\n");
    for (text, expected) in
        [(LAMP, "REALIZABLE"), (ARBITER, "REALIZABLE"), (tlsf, "REALIZABLE"), (policy, "CONSISTENT")]
    {
        for dash in [&[][..], &["-"]] {
            let run = piped(folder.command([&["check"][..], dash].concat()), text);
            shown(&run);
            assert!(run.code == 0 && run.out.starts_with(expected), "{}{}", run.out, run.err);
        }
    }
    for text in [LAMP, ARBITER, tlsf] {
        for dash in [&[][..], &["-"]] {
            let run = piped(folder.command([&["emit", "--lang", "js"][..], dash].concat()), text);
            assert!(run.code == 0 && run.out.contains("class Controller"), "{}{}", run.out, run.err);
        }
    }
    let run = piped(folder.command(["emit", "--lang", "sql"]), policy);
    assert!(run.code == 0 && run.out.contains("SELECT"), "{}{}", run.out, run.err);
    // Nothing on the pipe: the only specification of the folder. A file that is named comes first.
    let run = piped(folder.command(["check"]), "");
    assert!(run.code == 1 && run.out.starts_with("UNREALIZABLE"), "{}{}", run.out, run.err);
    let run = piped(folder.command(["check", "other.ltl"]), LAMP);
    assert!(run.code == 1 && run.out.starts_with("UNREALIZABLE"), "{}{}", run.out, run.err);
    // Errors in the text are errors of standard input.
    let run = piped(folder.command(["check"]), "always guarantee { a && ; }\n");
    shown(&run);
    assert!(run.code == 2 && run.err.contains("stdin"), "{}", run.err);
}

/// A pipe that stays open and silent is not ignored in favor of a file.
#[cfg(unix)]
#[test]
fn a_silent_pipe_beside_a_specification_is_an_error() {
    use std::process::Stdio;
    let folder = Folder::new();
    folder.file("lamp.tsl", LAMP);
    let mut command = folder.command(["check"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).env_remove("GITLAB_CI");
    let mut child = command.spawn().expect("it starts");
    let held = child.stdin.take().expect("piped");
    let run = Run::of(child.wait_with_output().expect("it ends"));
    drop(held);
    shown(&run);
    assert!(run.code == 2 && run.err.contains("`lamp.tsl`") && run.err.contains("say `-`"), "{}", run.err);
}
