//! What people write in TSL who know other languages.

use crate::cli::{Folder, Run};
use tsl_synth_testkit::more;

fn check(folder: &Folder, name: &str, text: &str) -> Run {
    folder.file(name, text);
    let run = folder.run(["check", name]);
    println!("{text}\nexit {}: {}{}", run.code, run.out, run.err);
    run
}

#[test]
fn a_guarantee_about_the_first_step_is_noted() {
    let folder = Folder::new();
    let head = "input press: Bool; input near: 0..3; cell lamp: Bool = false;\n";
    for (section, noted) in [
        ("guarantee { press -> [lamp <- true]; !press -> [lamp <- false]; }", 2),
        ("guarantee { press -> F [lamp <- true]; }", 1),
        ("guarantee { near = 2 -> [lamp <- true]; }", 1),
        ("guarantee { X (press -> [lamp <- true]); }", 1),
        ("guarantee { m press; }\nm x = x -> [lamp <- true];", 1),
        ("always guarantee { press -> [lamp <- true]; }", 0),
        ("initially guarantee { press -> [lamp <- true]; }", 0),
        ("guarantee after 2 { press -> [lamp <- true]; }", 0),
        ("guarantee { G (press -> [lamp <- true]); }", 0),
        ("guarantee { F (press && [lamp <- true]) || G !press; }", 0),
        ("guarantee { G F press -> G F [lamp <- true]; }", 0),
        ("guarantee { [lamp <- true]; !lamp; }", 0),
        ("assume { press; } guarantee { [lamp <- true]; }", 0),
    ] {
        let run = check(&folder, "first.tsl", &format!("{head}{section}"));
        assert!(run.code <= 1);
        assert_eq!(run.err.matches("TSL0161").count(), noted, "{section}: {}", run.err);
    }
}

/// `output gnt: Bool;` without an update is chosen by the system, as the same specification in LTL.
#[test]
fn a_declared_boolean_output_without_updates_is_chosen() {
    let folder = Folder::new();
    for formula in [
        "G (req -> gnt)",
        "G (req -> F gnt) & G (gnt -> X !gnt)",
        "G (req <-> X gnt)",
        "G (gnt <-> X req)",
        "(!gnt) U req",
        "G F gnt & G F !gnt & G (gnt -> !rdy) & G (req -> rdy)",
        "G (req -> gnt) & G !(gnt & rdy) & G (req -> rdy)",
        "G (gnt <-> !rdy)",
        "gnt",
    ] {
        folder.file("s.ltl", format!("// inputs: req\n// outputs: gnt, rdy\n{formula}\n"));
        let plain = folder.run(["check", "s.ltl", "--verdict-only"]).code;
        let tsl = formula.replace('&', "&&").replace('|', "||");
        for declared in
            ["output gnt, rdy: Bool;", "output gnt: Bool;\noutput rdy: Bool;", "output gnt;\noutput rdy;"]
        {
            let text = format!("input req: Bool;\n{declared}\ninitially guarantee {{ {tsl}; }}");
            let run = check(&folder, "s.tsl", &text);
            assert_eq!(run.code, plain, "{text}");
            assert!(!run.err.contains("TSL0158"), "{}", run.err);
            // The updates that the names stand for say the same.
            let written = tsl.replace("gnt", "[gnt <- true]").replace("rdy", "[rdy <- true]");
            let both =
                "always guarantee { [gnt <- true] || [gnt <- false]; [rdy <- true] || [rdy <- false]; }";
            let written =
                format!("input req: Bool;\n{declared}\ninitially guarantee {{ {written}; }}\n{both}");
            assert_eq!(check(&folder, "w.tsl", &written).code, plain, "{written}");
            if plain == 0 {
                for ending in ["hoa", "aag", "json"] {
                    let file = format!("s.{ending}");
                    assert_eq!(folder.run(["emit", "s.tsl", "-o", &file, "-q"]).code, 0, "{file}");
                    let run = folder.run(["verify", "s.tsl", &file]);
                    assert!(run.out.starts_with("HOLDS"), "{file}: {}{}", run.out, run.err);
                }
            }
        }
    }
}

#[test]
fn families_of_chosen_outputs_are_solved() {
    let folder = Folder::new();
    for count in [1usize, 2, 10, 24] {
        let names: Vec<String> = (0..count).map(|i| format!("o{i}")).collect();
        let guarantees: Vec<String> = (0..count).map(|i| format!("i{i} -> o{i};")).collect();
        let inputs: Vec<String> = (0..count).map(|i| format!("i{i}")).collect();
        let text = format!(
            "input {}: Bool;\noutput {}: Bool;\nalways guarantee {{ {} }}",
            inputs.join(", "),
            names.join(", "),
            guarantees.join(" ")
        );
        folder.file("f.tsl", text);
        let run = folder.run(["check", "f.tsl", "--verdict-only"]);
        assert_eq!(run.code, 0, "{count}: {}{}", run.out, run.err);
    }
}

#[test]
fn other_uses_of_a_chosen_output_are_errors() {
    let folder = Folder::new();
    let head = "input req: Bool; output gnt: Bool; cell seen: Bool = false; predicate p: Bool -> Bool;\n";
    for clause in ["[seen <- gnt]", "p(gnt)", "gnt = req", "gnt != seen", "req -> [seen <- gnt]"] {
        let run = check(&folder, "r.tsl", &format!("{head}always guarantee {{ {clause}; gnt -> req; }}"));
        assert!(run.code == 2 && run.err.contains("TSL0163"), "{clause}: {}", run.err);
        assert!(run.err.contains("cell gnt: Bool = false;"), "{clause}: {}", run.err);
    }
    // A comparison with a constant is a formula.
    let compared = format!("{head}always guarantee {{ req -> gnt = true; [seen <- req]; p(seen) || !gnt; }}");
    assert_eq!(check(&folder, "t.tsl", &compared).code, 1);
    // With an update it is a cell, as before, and reads the last value.
    let cell = format!("{head}always guarantee {{ req -> [gnt <- true]; [seen <- gnt]; }}");
    assert_eq!(check(&folder, "c.tsl", &cell).code, 0);
    // An output of another sort that no update sets is the environment's, with a warning.
    let other = "input req: Bool; output floor: 0..3;\nalways guarantee { req -> floor = 2; [x <- req]; }";
    let run = check(&folder, "o.tsl", other);
    assert!(run.code == 1 && run.err.contains("TSL0158"), "{}", run.err);
}

#[test]
fn next_values_and_constants_of_other_languages_are_named() {
    let folder = Folder::new();
    let head = "input up: Bool; input k: 0..3; cell n: 0..5 = 0;\n";
    for (text, code, hint) in [
        ("always guarantee { n' = n + 1; }", "TSL0162", "[n <- t]"),
        ("always guarantee { next(n) = n + 1; }", "TSL0162", "[n <- t]"),
        ("always guarantee { up -> next(n) = 2; }", "TSL0162", "[n <- t]"),
        ("always guarantee { up' -> [n <- 1]; }", "TSL0162", "`X up`"),
        ("always guarantee { k' = 2 -> [n <- 1]; }", "TSL0162", "X (k = 0)"),
        ("parameter N = 5;\nalways guarantee { F[0:N] [n <- 1]; }", "TSL0030", "`N = 5;`"),
        ("const N = 5;\nalways guarantee { F[0:N] [n <- 1]; }", "TSL0030", "`N = 5;`"),
        ("define Far = k > 2;\nalways guarantee { Far -> [n <- 1]; }", "TSL0030", "`Far = k > 2;`"),
        ("always guarantee { F[<=5] [n <- 1]; }", "TSL0044", "F[0:5]"),
        ("always guarantee { F[≤ 5] [n <- 1]; }", "TSL0044", "F[0:5]"),
        ("always guarantee { G[<3] up; }", "TSL0044", "G[0:2]"),
        ("always guarantee { F[5] up; }", "TSL0044", "F[0:5]"),
    ] {
        let run = check(&folder, "i.tsl", &format!("{head}{text}"));
        assert!(run.code == 2 && run.err.contains(code) && run.err.contains(hint), "{text}: {}", run.err);
    }
    // Names of one's own stay names.
    for text in [
        "input n'': Bool; always guarantee { n'' -> [m <- a()]; }",
        "predicate next: Bool -> Bool; input a: Bool; always guarantee { next(a) -> [m <- b()]; }",
        "always guarantee { q' -> [m <- b()]; next q -> [m <- b()]; }",
        "let x = x && X x; always guarantee { let a -> [m <- b()]; }",
        "always guarantee { allowed (next n) -> [n <- next n]; next n = 2 -> [m <- b()]; }",
        "const = 5; always guarantee { F[0:const] [m <- b()]; }",
    ] {
        let run = check(&folder, "own.tsl", text);
        assert_eq!(run.code, 0, "{text}: {}", run.err);
    }
}

#[test]
fn a_compared_value_that_nothing_sets_is_named() {
    let folder = Folder::new();
    let head = "input see: Bool; cell mode: enum {patrol, chase, rest} = patrol;\n";
    for (clauses, values) in [
        ("see -> mode == chase;", &["chase"][..]),
        ("see -> F mode == rest; see -> X mode = chase;", &["rest", "chase"]),
        ("see -> mode = chase; [mode <- rest] || [mode <- mode];", &["chase"]),
        ("see -> [mode <- chase]; see -> X mode = chase;", &[]),
        ("mode = chase -> [mode <- rest];", &[]),
        ("see -> mode = patrol;", &[]),
        ("see -> mode = chase; [mode <- choose()];", &[]),
    ] {
        let run = check(&folder, "b.tsl", &format!("{head}always guarantee {{ {clauses} }}"));
        assert!(run.code <= 1, "{clauses}");
        let warned = run.err.matches("which is compared here").count();
        assert_eq!(warned, values.len(), "{clauses}: {}", run.err);
        for value in values {
            assert!(run.err.contains(&format!("`[mode <- {value}]` sets it")), "{clauses}: {}", run.err);
        }
    }
}

/// Newcomers have no other tool: only files that bear a sign of one are compared, and the remark comes last.
#[test]
fn other_readings_are_remarks_for_those_who_have_other_tools() {
    let folder = Folder::new();
    let clause = "a -> [x <- b()] U c; a -> b && c || d;";
    let plain = check(&folder, "p.tsl", &format!("always guarantee {{ {clause} }}"));
    assert!(!plain.err.contains("TSL0040"), "{}", plain.err);
    for sign in
        ["#UF\n", "always assume { a AND b; }\n", "guarantee { [y ֋ c()]; }\n", "guarantee { G a -> F c; }\n"]
    {
        let run = check(&folder, "s.tsl", &format!("{sign}always guarantee {{ {clause} }}"));
        assert!(run.err.contains("TSL0040"), "{sign}: {}", run.err);
    }
    // The order on a terminal, where both streams go: verdict, explanation, certificate, remark.
    folder.file(
        "u.tsl",
        "assume { G a AND d; }\nguarantee { a -> d U [x <- b()]; [x <- c()] && ![x <- c()]; }",
    );
    let command = format!("{} check u.tsl 2>&1", env!("CARGO_BIN_EXE_tsl-synth"));
    let output = std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output();
    let text = String::from_utf8(output.expect("a shell").stdout).expect("text");
    println!("{text}");
    let at = |word: &str| text.find(word).unwrap_or_else(|| panic!("no {word:?} in {text}"));
    assert!(at("UNREALIZABLE") < at("certified") && at("certified") < at("TSL0040"), "{text}");
}

/// Advice is in the language of the file, and never a clause that the system cannot keep.
#[test]
fn advice_is_in_the_language_of_the_file() {
    let folder = Folder::new();
    let tlsf = |assumed: &str| {
        format!(
            "INFO {{ TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }}\n\
             MAIN {{ INPUTS {{ x; }} OUTPUTS {{ y; }} {assumed} GUARANTEE {{ false; }} }}"
        )
    };
    for (name, text, advice) in [
        (
            "a.ltl",
            "// inputs: x\n// outputs: y\nassume { G F (x & !y) }\nguarantee { G F 0 }\n".to_owned(),
            None,
        ),
        (
            "b.ltl",
            "// inputs: x\n// outputs: y\nassume { G F y }\nguarantee { 0 }\n".to_owned(),
            Some("`guarantee { G F y }`"),
        ),
        ("c.tlsf", tlsf("ASSUME { G F y; }"), Some("`GUARANTEE { G F y; }`")),
        ("d.tlsf", tlsf("REQUIRE { y; }"), Some("`ASSERT { y; }`")),
        ("e.tlsf", tlsf("ASSUME { G F (x && y); }"), None),
        (
            "f.tsl",
            "always assume { [y <- a()]; }\nalways guarantee { x; [y <- b()] || true; }".to_owned(),
            Some("`always guarantee { [y <- a()]; }`"),
        ),
    ] {
        let run = check(&folder, name, &text);
        assert!(run.err.contains("belongs in a guarantee"), "{name}: {}{}", run.out, run.err);
        match advice {
            Some(advice) => assert!(run.err.contains(advice), "{name}: {}", run.err),
            None => assert!(!run.err.contains("such as"), "{name}: {}", run.err),
        }
    }
}

/// The public reports that are collected beside the repository: verdict or exit code of each command.
#[test]
fn the_collected_reports_come_out_right() {
    let Some(cases) = more("cases/synthesis") else { return };
    let folder = Folder::new();
    let copied = |case: &str| {
        for entry in std::fs::read_dir(cases.join(case)).expect("a folder").flatten() {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
        }
    };
    let past = "G (g -> O r) & G (g <-> Y r)";
    let expected: &[(&str, &[&str], i32, &str)] = &[
        ("10-tlsf-lone-semicolon", &["check", "lone.tlsf"], 0, "REALIZABLE"),
        ("11-verify-names-in-lower-case", &["verify", "bus.tlsf", "theirs.aag"], 0, "HOLDS"),
        ("11-verify-names-in-lower-case", &["verify", "bus.tlsf", "theirs.hoa"], 0, "HOLDS"),
        ("14-advice-in-another-language", &["check", "a.ltl"], 0, "REALIZABLE"),
        (
            "20-hoa-second-automaton-ignored",
            &["verify", "--ins", "r", "--formula", "G (r -> X g)", "two.hoa"],
            2,
            "",
        ),
        ("21-hoa-v1.1", &["verify", "--ins", "r", "--formula", "G (r -> X g)", "m.hoa"], 0, "HOLDS"),
        (
            "24-controllable-ap-out-of-range",
            &["verify", "--ins", "r", "--formula", "G (r -> X g)", "m.hoa"],
            2,
            "",
        ),
        ("25-tlsf-past-operators", &["check", "p.tlsf"], 0, "REALIZABLE"),
        ("25-tlsf-past-operators", &["check", "--ins", "r", "--formula", past], 0, "REALIZABLE"),
    ];
    for (case, args, code, out) in expected {
        copied(case);
        let run = folder.run(*args);
        println!("{case}: {args:?}: exit {}: {}{}", run.code, run.out, run.err);
        assert!(run.code == *code && run.out.starts_with(out), "{case}: {args:?}: {}{}", run.out, run.err);
    }
}

/// A family by a parameter: `g[i]` is `g_i`, as if each signal was declared and each clause written.
#[test]
fn indexed_names_and_parameters_make_families() {
    let folder = Folder::new();
    let family = "N = 2;\ninput r[N]: Bool;\noutput g[N]: Bool;\ncell last[1]: 0..9 = 0;\n\nalways guarantee {\n  &&[0 <= i < N] (r[i] -> F g[i]);\n  &&[0 <= i < N, 0 <= j < i] (g[i] -> !g[j]);\n  &&[0 <= i < N] (g[i] -> [last[0] <- i]);\n}\n";
    folder.file("f.tsl", family);
    for n in [1usize, 2, 3, 10] {
        let mut written = String::from("cell last_0: 0..9 = 0;\nalways guarantee {\n");
        let mut declared = String::new();
        for i in 0..n {
            declared.extend([format!("input r_{i}: Bool;\noutput g_{i}: Bool;\n")]);
            written.extend([format!("r_{i} -> F g_{i}; g_{i} -> [last_0 <- {i}];\n")]);
            for j in 0..i {
                written.extend([format!("!(g_{i} && g_{j});\n")]);
            }
        }
        folder.file("w.tsl", format!("{declared}{written}}}"));
        let param = format!("N={n}");
        let family = folder.run(["check", "f.tsl", "--param", &param, "--verdict-only"]);
        let plain = folder.run(["check", "w.tsl", "--verdict-only"]);
        assert_eq!(family.code, plain.code, "{n}: {}{}", family.out, family.err);
        if n <= 3 {
            let args = ["emit", "f.tsl", "--param", &param, "-o", "f.hoa", "-q"];
            assert_eq!(folder.run(args).code, 0, "{n}");
            let run = folder.run(["verify", "w.tsl", "f.hoa"]);
            assert!(run.out.starts_with("HOLDS"), "{n}: {}{}", run.out, run.err);
        }
    }
    assert_eq!(folder.run(["fmt", "--check", "f.tsl"]).code, 0, "{}", folder.run(["fmt", "f.tsl"]).err);
    folder.file("m.tsl", "import \"f.tsl\" as Lib\nalways guarantee { Lib.r[1] -> X [Lib.last[0] <- 1]; }");
    assert!(folder.run(["check", "m.tsl", "--param", "Lib.N=2"]).code <= 1);
    for (param, word) in [("M=2", "it defines `N`"), ("i=2", "no number `i`")] {
        let run = folder.run(["check", "f.tsl", "--param", param]);
        assert!(run.code == 2 && run.err.contains(word), "{param}: {}", run.err);
    }
    for (clause, code, word) in [
        ("r[2] -> true", "TSL0134", "the indices are 0 to 1"),
        ("r[0 - 1] -> true", "TSL0134", "indices"),
        ("r[k] -> true", "TSL0107", "`r k`"),
        ("r -> g[0]", "TSL0107", "`r[0]`"),
        ("[last <- 1]", "TSL0107", "`last[0]`"),
        ("[last[1] <- 1]", "TSL0134", "the indices are 0 to 0"),
        ("r [0] -> true", "TSL0025", "glued"),
        ("(g && r)[0]", "TSL0025", "index nothing"),
    ] {
        let run = check(&folder, "e.tsl", &format!("{family}always guarantee {{ {clause}; }}"));
        assert!(run.code == 2 && run.err.contains(code) && run.err.contains(word), "{clause}: {}", run.err);
    }
    for declared in
        ["input q[0 - 2]: Bool;", "predicate p[2]: Bool -> Bool;", "input q[]: Bool;", "input q[x]: Bool;"]
    {
        let run = check(&folder, "d.tsl", &format!("{declared} always guarantee {{ [x <- a()]; }}"));
        assert_eq!(run.code, 2, "{declared}: {}{}", run.out, run.err);
    }
}

/// The table of the manual: each head with its formula; the lines after a head alone belong to it.
fn patterns_of_the_manual() -> Vec<(String, String)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/topics/patterns.md");
    let text = std::fs::read_to_string(path).expect("the topic");
    let mut table: Vec<(String, String)> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("    ")) {
        if let (true, Some(last)) = (line.starts_with("        "), table.last_mut()) {
            last.1 += line;
            continue;
        }
        let (head, formula) = line.trim_start().split_once("  ").unwrap_or((line.trim(), ""));
        table.push((head.trim().to_owned(), formula.trim().to_owned()));
    }
    table
}

/// Each pattern of the library is the formula of the manual, and those of the paper can be told from each other.
#[test]
fn the_library_of_patterns_is_that_of_the_manual() {
    let folder = Folder::new();
    let table = patterns_of_the_manual();
    assert!(table.len() >= 38, "{table:?}");
    let head = "input p, q, r, s, t: Bool;\noutput done: Bool;\n";
    for (pattern, formula) in &table {
        let mut words = pattern.split(' ');
        let name = words.next().expect("a name");
        let arguments: Vec<&str> = words.map(|word| if word == "n" { "2" } else { word }).collect();
        let written = formula.replace("0:n", "0:2");
        let call = format!("P.{name}({})", arguments.join(", "));
        folder.file("l.tsl", format!("import patterns as P\n{head}guarantee {{ {call}; done; }}"));
        folder.file("m.tsl", format!("{head}guarantee {{ {written}; done; }}"));
        let run = folder.run(["diff", "l.tsl", "m.tsl"]);
        assert!(run.code == 0 && run.out.starts_with("EQUIVALENT"), "{call}: {}{}", run.out, run.err);
        // Without a name the macros are called by theirs.
        folder.file(
            "b.tsl",
            format!("import patterns\n{head}guarantee {{ {name} {}; done; }}", arguments.join(" ")),
        );
        let run = folder.run(["check", "b.tsl", "--verdict-only"]);
        assert!(run.code <= 1, "{name}: {}{}", run.out, run.err);
    }
}

/// What the scopes mean, on words: each property holds of the first word and not of the second.
#[test]
fn patterns_hold_of_the_words_that_they_are_about() {
    let folder = Folder::new();
    let head = "// inputs: p, q, r, s, t\n// outputs: done\n";
    for (pattern, yes, no) in [
        ("absence p", "cycle{q}", "q; cycle{p}"),
        ("absence_before p r", "q; r; cycle{p}", "p; cycle{r}"),
        ("absence_after p q", "p; cycle{q}", "q; cycle{p}"),
        ("absence_between p q r", "p; q; r; cycle{p}", "q; p; cycle{r}"),
        ("absence_after_until p q r", "q; r; cycle{p}", "q; cycle{p}"),
        ("existence p", "q; p; cycle{q}", "cycle{q}"),
        ("existence_before p r", "p; cycle{r}", "q; r; cycle{p}"),
        ("existence_after p q", "p; q; p; cycle{r}", "p; cycle{q}"),
        ("existence_between p q r", "q; p; cycle{r}", "q; cycle{r}"),
        ("universality_before p r", "p; r; cycle{q}", "q; cycle{r}"),
        ("precedence s p", "s; cycle{p}", "p; cycle{s}"),
        ("precedence_before s p r", "r; cycle{p}", "p; cycle{r}"),
        ("response s p", "p; cycle{s}", "s; cycle{p}"),
        ("response_before s p r", "p; s; r; cycle{p}", "p; r; cycle{s}"),
        ("response_after s p q", "p; cycle{q}", "q; cycle{p}"),
        ("precedence_chain s t p", "s; t; cycle{p}", "s; p; cycle{t}"),
        ("at_most_twice p", "p; q; p; cycle{q}", "p; q; p; q; p; cycle{q}"),
        ("response_within s p 2", "p; q; s; cycle{q}", "p; q; q; cycle{s}"),
        ("minimal_duration p 1", "q; p; p; cycle{q}", "q; p; cycle{q}"),
        ("maximal_duration p 1", "q; p; cycle{q}", "q; p; p; cycle{q}"),
    ] {
        let (name, arguments) = pattern.split_once(' ').expect("arguments");
        let call = format!("P.{name}({})", arguments.replace(' ', ", "));
        for (word, holds) in [(yes, true), (no, false)] {
            // The environment gives exactly this word.
            let letters = |part: &str| -> Vec<String> {
                let names = ["p", "q", "r", "s", "t"];
                let letter = |l: &str| {
                    let all = names.map(|n| if l.trim() == n { n.to_owned() } else { format!("!{n}") });
                    all.join(" && ")
                };
                part.split(';').filter(|l| !l.trim().is_empty()).map(letter).collect()
            };
            let (prefix, cycle) = word.split_once("cycle{").expect("a cycle");
            let (prefix, cycle) = (letters(prefix), letters(cycle.trim_end_matches('}')));
            let mut given: Vec<String> =
                prefix.iter().enumerate().map(|(i, letter)| format!("X[{i}] ({letter});")).collect();
            given.push(format!("X[{}] G ({});", prefix.len(), cycle[0]));
            folder.file(
                "w.tsl",
                format!("import patterns as P\ninput p, q, r, s, t: Bool;\noutput done: Bool;\nassume {{ {} }}\nguarantee {{ {call}; done; }}", given.join(" ")),
            );
            let run = folder.run(["check", "w.tsl", "--verdict-only"]);
            assert_eq!(run.code == 0, holds, "{call} on {word}: {}{} ({head})", run.out, run.err);
        }
    }
}

#[test]
fn libraries_are_imported_by_name() {
    let folder = Folder::new();
    let body = "always guarantee { a -> [x <- b()]; }";
    for (import, code, word) in [
        ("import patterns as P\n", 0, ""),
        ("import patterns\n", 0, ""),
        ("import patterns;\n", 0, ""),
        ("import patterns\nimport patterns as P\n", 0, ""),
        ("import patterns as\n", 2, "TSL0027"),
        ("import patterns as p\n", 2, "capital"),
        ("import other as P\n", 2, "quotes"),
        ("import patterns\nabsence p = p;\n", 2, "defined twice"),
        ("absence p = p;\nimport patterns as P\n", 0, ""),
    ] {
        let run = check(&folder, "i.tsl", &format!("{import}{body}"));
        assert!(run.code == code && run.err.contains(word), "{import}: {}", run.err);
        if code == 0 {
            assert_eq!(folder.run(["fmt", "i.tsl"]).code, 0, "{import}");
            assert_eq!(
                check(&folder, "i.tsl", &std::fs::read_to_string(folder.path().join("i.tsl")).expect("text"))
                    .code,
                0
            );
            assert_eq!(folder.run(["fmt", "--check", "i.tsl"]).code, 0, "{import}");
        }
    }
}

/// `a U[n:m] b` and the like, against the definition, written out.
#[test]
fn bounds_of_until_are_counted_steps() {
    let folder = Folder::new();
    let head = "input a, b: Bool;\noutput c: Bool;\nN = 2;\n";
    for (bounded, plain) in [
        ("a U[0:2] b", "b || (a && X b) || (a && X a && X X b)"),
        ("a U[1:N] b", "(a && X b) || (a && X a && X X b)"),
        ("a U[2:2] b", "a && X a && X X b"),
        ("a U[0:0] b", "b"),
        ("a U[3:1] b", "false"),
        ("a W[0:2] b", "b || (a && X b) || (a && X a && X X b) || (a && X a && X X a)"),
        ("a W[1:1] b", "(a && X b) || (a && X a)"),
        ("a R[0:2] b", "!((!b) || (!a && X !b) || (!a && X !a && X X !b))"),
        ("a M[0:1] b", "!((!b) || (!a && X !b) || (!a && X !a))"),
        ("a U[0:1] b U[0:1] c", "a U[0:1] (b U[0:1] c)"),
        ("!a U[0:1] b && c", "((!a) U[0:1] b) && c"),
        ("G (a -> a U[0:4] b)", "G (a -> (b || (a && X (b || (a && X (b || (a && X (b || (a && X b)))))))))"),
    ] {
        folder.file("b.tsl", format!("{head}guarantee {{ {bounded}; c; }}"));
        folder.file("p.tsl", format!("{head}guarantee {{ {plain}; c; }}"));
        let run = folder.run(["diff", "b.tsl", "p.tsl"]);
        assert!(run.code == 0 && run.out.starts_with("EQUIVALENT"), "{bounded}: {}{}", run.out, run.err);
        assert_eq!(folder.run(["fmt", "b.tsl"]).code, 0);
        assert_eq!(folder.run(["diff", "b.tsl", "p.tsl"]).code, 0, "{bounded} after formatting");
    }
    for (wrong, code) in [
        ("a U[2] b", "TSL0044"),
        ("a U[0:x] b", "TSL0107"),
        ("a U[0 - 1:2] b", "TSL0112"),
        ("a U[1:2]", "TSL0014"),
    ] {
        let run = check(&folder, "w.tsl", &format!("{head}guarantee {{ {wrong}; }}"));
        assert!(run.code == 2 && run.err.contains(code), "{wrong}: {}", run.err);
    }
}
