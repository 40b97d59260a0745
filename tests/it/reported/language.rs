//! How specifications are read and told: words of other languages, TLSF's precedence, finite words, values, instances.

use crate::cli::{Folder, Run};

const TLSF: &str = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }\n";
const FINITE: &str = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy,Finite TARGET: Mealy }\n";

/// The text of an answer on one line.
fn flat(run: &Run) -> String {
    format!("{}{}", run.out, run.err).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check(folder: &Folder, name: &str, text: impl AsRef<str>, flags: &[&str]) -> (i32, String) {
    folder.file(name, text.as_ref());
    let run = folder.run([&["check", name][..], flags].concat());
    println!("{name} {flags:?}: exit {}: {}{}", run.code, run.out, run.err);
    (run.code, flat(&run))
}

/// Whatever signals are listed, `always` before a section or a formula is no proposition of LTL.
#[test]
fn words_of_sections_are_no_propositions_of_ltl() {
    let folder = Folder::new();
    for word in ["always", "initially", "eventually"] {
        for text in [
            format!("{word} assume {{ F a; }}\n{word} guarantee {{ c; F !c; }}"),
            format!("{word} guarantee {{ c; F !c }}"),
            format!("{word}\nG (a -> c)"),
        ] {
            for flags in [&["--ins", "a"][..], &["--outs", "c"], &["--ins", "a", "--outs", "c"]] {
                let (code, said) = check(&folder, "s.ltl", &text, flags);
                let error = format!("error[TSL0130]: `{word}` is neither an input nor an output");
                assert!(code == 2 && said.contains(&error), "{text}: {said}");
                let run = folder.run([&["check", "-f", text.as_str()][..], flags].concat());
                assert!(run.code == 2 && flat(&run).contains(&error), "{text}: {}", run.err);
            }
            let (_, said) = check(&folder, "s.ltl", &text, &["--ins", "a", "--outs", &format!("c,{word}")]);
            assert!(!said.contains("TSL0130"), "{said}");
        }
    }
}

/// A connective below a temporal operator of TLSF is warned of, and shown with its parentheses.
#[test]
fn the_precedence_of_tlsf_is_told() {
    let folder = Folder::new();
    let text = |formula: &str| {
        format!(
            "{TLSF}MAIN {{ INPUTS {{ r; q; }} OUTPUTS {{ g; h; }} GUARANTEES {{ G ({formula}); G !q; }} }}"
        )
    };
    for (formula, ours, theirs) in [
        ("r -> g U q", "(r -> g) U q", "r -> (g U q)"),
        ("r -> g W q", "(r -> g) W q", "r -> (g W q)"),
        ("r && g U q", "(r && g) U q", "r && (g U q)"),
        ("g U q || h", "g U (q || h)", "(g U q) || h"),
        ("r R g <-> h", "r R (g <-> h)", "(r R g) <-> h"),
    ] {
        let (code, said) = check(&folder, "s.tlsf", text(formula), &[]);
        assert!(code == 1 && said.contains("TSL0040"), "{said}");
        assert!(said.contains(&format!("read as `{ours}`")), "{said}");
        assert!(said.contains(&format!("if you mean `{theirs}`")), "{said}");
    }
    let (_, said) = check(&folder, "s.tlsf", text("r -> g U q").replace(" G !q;", ""), &[]);
    assert!(said.contains("`G ((r -> g) U q)` fails"), "{said}");
    for formula in ["r -> (g U q)", "(r -> g) U q", "g U h U q", "X r U !g", "r -> g && h", "r -> F q"] {
        let (_, said) = check(&folder, "s.tlsf", text(formula), &[]);
        assert!(!said.contains("TSL0040"), "{formula}: {said}");
    }
    // What a repair proposes is read as it is meant.
    let repaired = format!(
        "{TLSF}MAIN {{ INPUTS {{ req; ack; }} OUTPUTS {{ busy; }} GUARANTEES {{ G (req -> (busy U ack)); }} }}"
    );
    let (_, said) = check(&folder, "s.tlsf", repaired, &[]);
    assert!(!said.contains("-> busy W ack") && !said.contains("-> busy U ack`"), "{said}");
}

/// That words end is no guarantee of the file: it is neither counted nor dropped, and repairs are found beside it.
#[test]
fn guarantees_of_finite_words_can_be_dropped() {
    let folder = Folder::new();
    for (semantics, guarantees, lost) in [
        (FINITE, "F r; F g;", "drop `F r`"),
        (FINITE, "F g; G !r;", "drop `G !r`"),
        (FINITE, "F r; G !r; F g;", "drop both `F r` and `G !r`"),
    ] {
        let text =
            format!("{semantics}MAIN {{ INPUTS {{ r; }} OUTPUTS {{ g; }} GUARANTEES {{ {guarantees} }} }}");
        for verb in ["check", "explain"] {
            folder.file("s.tlsf", &text);
            let run = folder.run([verb, "s.tlsf"]);
            let said = flat(&run);
            println!("{verb} {guarantees}: {said}");
            let count = guarantees.matches(';').count();
            assert!(run.code == 1 && !said.contains("No set of guarantees to drop"), "{said}");
            assert!(said.contains(&format!("of {count} guarantees")) || said.contains("These"), "{said}");
            assert!(said.contains(lost) && !said.contains("F done"), "{said}");
        }
    }
}

/// Sentences, tables and labels speak of values and not of the bits that encode them.
#[test]
fn values_are_told_as_values() {
    let folder = Folder::new();
    let clash = |condition: &str| {
        format!(
            "input target: 0..3;\ninput cmd: enum {{ stop, go, turbo }};\noutput lamp: Bool;\n\
             always guarantee {{ {condition} -> [lamp <- true]; {condition} -> [lamp <- false]; }}"
        )
    };
    for (condition, told) in [
        ("target = 3", "`target = 3` true"),
        ("target = 0", "`target = 0` true"),
        ("cmd = turbo", "`cmd = turbo` true"),
        ("target = 2", "`target = 2` true"),
    ] {
        let (code, said) = check(&folder, "s.tsl", clash(condition), &[]);
        assert!(code == 1 && said.contains(told) && !said.contains('%'), "{said}");
    }
    for (condition, label) in [
        ("a = 3", "a = 3"),
        ("a >= 2", "a >= 2"),
        ("a = 1 || a = 3", "a in {1, 3}"),
        ("a != 2", "a != 2"),
        ("a = 0 || a = 1", "a <= 1"),
    ] {
        let text = format!(
            "input a: 0..3;\noutput m: Bool;\n\
             always guarantee {{ ({condition}) -> [m <- true]; !({condition}) -> [m <- false]; }}"
        );
        folder.file("s.tsl", text);
        for lang in ["text", "mermaid", "dot"] {
            let out = folder.run(["emit", "s.tsl", "--lang", lang]).out;
            let out = out.replace("&lt;", "<").replace("&gt;", ">").replace("#62;", ">").replace("#60;", "<");
            let out = out.replace("#123;", "{").replace("#125;", "}");
            assert!(out.contains(label) && !out.contains("% 2"), "{lang} {condition}: {out}");
        }
    }
    let tlsf = |formulas: &str| {
        format!(
            "{TLSF}GLOBAL {{ DEFINITIONS {{ enum C = stop: 00 go: 01 turbo: 10; }} }}\n\
             MAIN {{ INPUTS {{ C cmd; }} OUTPUTS {{ m; C mode; }} GUARANTEES {{ {formulas} }} }}"
        )
    };
    let (code, said) = check(&folder, "s.tlsf", tlsf("G (cmd == turbo -> m); G (cmd == turbo -> !m);"), &[]);
    assert!(code == 1 && said.contains("`cmd == turbo` true"), "{said}");
    assert!(!said.contains("cmd_") && !said.contains("cmd["), "{said}");
    folder.file("s.tlsf", tlsf("G (cmd == turbo <-> mode == go); G (mode != go -> mode == stop);"));
    let out = folder.run(["emit", "s.tlsf", "--lang", "text"]).out;
    assert!(out.contains("mode == go") && out.contains("cmd == turbo") && !out.contains("cmd_"), "{out}");
}

/// Instances of a big operator are told apart by their values.
#[test]
fn instances_of_big_operators_are_told_apart() {
    let folder = Folder::new();
    let text = |first: &str| {
        format!(
            "{TLSF}GLOBAL {{ PARAMETERS {{ n = 2; }} DEFINITIONS {{ serve(r, g) = &&[0 <= i < n] G (r[i] -> g[i]); }} }}\n\
             MAIN {{ INPUTS {{ r[n]; }} OUTPUTS {{ g[n]; }}\n GUARANTEES {{ {first};\n \
             G &&[0<=i<n] &&[i < j < n] !(g[i] && g[j]); }} }}"
        )
    };
    for first in ["&&[0 <= i < n] G (r[i] -> g[i])", "FORALL[i IN {0, 1}] G (r[i] -> g[i])", "serve(r, g)"] {
        let (code, said) = check(&folder, "s.tlsf", text(first), &[]);
        assert!(code == 1, "{said}");
        for instance in ["G (r[0] -> g[0])", "G (r[1] -> g[1])"] {
            assert!(said.contains(instance), "{instance}: {said}");
        }
        assert!(!said.contains(&format!("instead of `{first}`")), "{said}");
        assert!(!said.contains(&format!("drop `{first}`")), "{said}");
    }
    // A line that follows from the others is named as it is written.
    let implied = format!(
        "{TLSF}MAIN {{ INPUTS {{ r[2]; }} OUTPUTS {{ g[2]; }} GUARANTEES {{ G (r[0] -> g[0]); G (r[1] -> g[1]); \
         &&[0 <= i < 2] G (r[i] -> g[i] || X g[i]); }} }}"
    );
    let (code, said) = check(&folder, "s.tlsf", implied, &[]);
    assert!(code == 0 && said.contains("`&&[0 <= i < 2] G (r[i] -> g[i] || X g[i])` follows"), "{said}");
}

/// Formulas over finite words are pointed to TLSF, and never read over infinite ones unasked.
#[test]
fn finite_words_are_pointed_to_tlsf() {
    let folder = Folder::new();
    let (code, said) = check(&folder, "s.ltlf", "G (r -> X[!] g)", &["--ins", "r"]);
    assert!(
        code == 2 && said.contains("SEMANTICS: Mealy,Finite") && !said.contains("--input-format"),
        "{said}"
    );
    let run = folder.run(["check", "--input-format", "ltlf", "s.ltlf"]);
    assert!(run.code == 2 && run.err.contains("SEMANTICS: Mealy,Finite"), "{}", run.err);
    for formula in ["G (r -> WX g)", "G (r -> N g)", "F (last & g)", "F end & X[!] g"] {
        let run = folder.run(["check", "-f", formula, "--ins", "r"]);
        assert!(flat(&run).contains("SEMANTICS: Mealy,Finite"), "{formula}: {}{}", run.out, run.err);
    }
    let run = folder.run(["check", "-f", "F (last & g)", "--outs", "last,g"]);
    assert!(!run.err.contains("Finite"), "{}", run.err);
    folder.file(
        "d.tlsf",
        format!("{FINITE}MAIN {{ INPUTS {{ r; }} OUTPUTS {{ done; }} GUARANTEES {{ F done; }} }}"),
    );
    let run = folder.run(["check", "d.tlsf"]);
    assert!(run.code == 0 && run.err.contains("is `done_`"), "{}{}", run.out, run.err);
}

/// A machine may have more signals than a property.
#[test]
fn machines_with_more_signals_are_verified() {
    let folder = Folder::new();
    let machine = |outputs: &str| {
        format!(
            "HOA: v1\nStates: 1\nStart: 0\nAP: 4 \"r\" \"q\" {outputs}\ncontrollable-AP: 2 3\n\
             acc-name: all\nAcceptance: 0 t\n--BODY--\nState: 0\n[0&2&!3 | !0&!2&3] 0\n--END--\n"
        )
    };
    folder.file("m.hoa", machine("\"g\" \"h\""));
    let run = folder.run(["verify", "-f", "G (r -> g)", "--ins", "r", "m.hoa"]);
    assert!(run.code == 0 && run.out.contains("HOLDS"), "{}{}", run.out, run.err);
    assert!(flat(&run).contains("says nothing about the input `q` and the output `h`"), "{}", run.err);
    let run = folder.run(["verify", "-f", "G (r -> !g)", "--ins", "r", "m.hoa"]);
    assert!(run.code == 1, "{}{}", run.out, run.err);
    // A missing output may be spelt otherwise in the file.
    folder.file("m.hoa", machine("\"gg\" \"h\""));
    let run = folder.run(["verify", "-f", "G (r -> g)", "--ins", "r", "m.hoa"]);
    assert!(run.code == 2 && run.err.contains("TSL0206"), "{}{}", run.out, run.err);
    folder.file("m.aag", "aag 2 2 0 2 0\n2\n4\n2\n4\ni0 r\ni1 q\no0 g\no1 h\n");
    let run = folder.run(["verify", "-f", "G (r -> g)", "--ins", "r", "m.aag"]);
    assert!(run.code == 0, "{}{}", run.out, run.err);
}

/// Names of other tools are read where a list has them; else hints say what to write.
#[test]
fn names_and_lists_of_other_tools() {
    let folder = Folder::new();
    for name in ["at(r1)", "req[0]", "req<0>", "a-b"] {
        let formula = format!("G ({name} -> F c)");
        let run = folder.run(["check", "-f", &formula, "--ins", name]);
        assert!(run.code == 0, "{name}: {}{}", run.out, run.err);
        let run = folder.run(["check", "-f", &formula, "--outs", "c"]);
        assert!(run.code == 2 && run.err.contains(&format!("`\"{name}\"`")), "{name}: {}", run.err);
    }
    for line in ["inputs: a", "INPUTS a", "input a;", ".inputs: a", ".inputs a", "c ins=a"] {
        let (code, said) = check(&folder, "s.ltl", format!("{line}\nG (a -> c)"), &["--outs", "c"]);
        assert!(code == 2 && said.contains("`// inputs: a`"), "{line}: {said}");
    }
    let bus = format!("{TLSF}MAIN {{ INPUTS {{ b[2]; }} OUTPUTS {{ c; }} GUARANTEES {{ G (b_1 -> c); }} }}");
    let (code, said) = check(&folder, "s.tlsf", bus, &[]);
    assert!(code == 2 && said.contains("`b[1]`"), "{said}");
    let always =
        format!("{TLSF}MAIN {{ INPUTS {{ a; }} OUTPUTS {{ c; }} GUARANTEES {{ always (a -> c); }} }}");
    let (code, said) = check(&folder, "s.tlsf", always, &[]);
    assert!(code == 2 && said.contains("write `G (..)`"), "{said}");
}

/// Definitions that call themselves without an end are named.
#[test]
fn endless_definitions_are_named() {
    let folder = Folder::new();
    for definitions in ["f(i) = f(i + 1);", "f(i) = g(i); g(i) = X f(i + 1);"] {
        let text = format!(
            "{TLSF}GLOBAL {{ DEFINITIONS {{\n {definitions} }} }}\n\
             MAIN {{ INPUTS {{ a; }} OUTPUTS {{ m; }} GUARANTEES {{ f(0); }} }}"
        );
        let (code, said) = check(&folder, "s.tlsf", text, &[]);
        assert!(code == 3 && said.contains("defined in line 3, calls itself"), "{said}");
    }
}

/// What is said in passing is true of the file at hand.
#[test]
fn remarks_fit_the_file() {
    let folder = Folder::new();
    folder.file(
        "s.tlsf",
        format!("{TLSF}MAIN {{ INPUTS {{ a; }} OUTPUTS {{ c; }} GUARANTEES {{ G (a -> c); }} }}"),
    );
    let run = folder.run(["convert", "s.tlsf", "--to", "ltl"]);
    assert!(!run.err.contains("parameters"), "{}", run.err);
    folder.file(
        "t.tlsf",
        format!("{TLSF}MAIN {{ INPUTS {{ a[2]; }} OUTPUTS {{ c; }} GUARANTEES {{ G (&&[0 <= i < 2] a[i] -> c); }} }}"),
    );
    let run = folder.run(["convert", "t.tlsf", "--to", "ltl"]);
    assert!(run.err.contains("buses and big operators: they are expanded"), "{}", run.err);
    let (_, said) = check(&folder, "s.ltl", "G (a \\ c)", &["--ins", "a"]);
    assert!(said.contains("`\\` means nothing here"), "{said}");
    let (_, said) =
        check(&folder, "s.ltl", format!("{}a{}", "(".repeat(2_000), ")".repeat(2_000)), &["--ins", "a"]);
    assert!(said.contains("several formulas"), "{said}");
    let text = format!("{TLSF}MAIN {{ INPUTS {{ a; }} OUTPUTS {{ c; }} ASSERT {{ a -> c; !c; }} }}");
    let (code, said) = check(&folder, "s.tlsf", text, &[]);
    assert!(code == 1 && said.contains("G (a -> c)") && !said.contains("always"), "{said}");
}
