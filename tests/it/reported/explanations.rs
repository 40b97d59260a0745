//! Sentences about verdicts that claim no more than is known.

use crate::cli::Folder;

const REMARK: &str =
    "arithmetic is not computed, nor are comparisons: over numbers there may be a controller";

#[test]
fn verdicts_that_may_hang_on_arithmetic_say_so() {
    let folder = Folder::new();
    for (name, text) in [
        (
            "balance",
            "input amount: Int;\ncell balance: Int = 0;\n\
             always guarantee { balance >= 0; withdraw -> [balance <- balance - amount]; !withdraw -> [balance <- balance]; }",
        ),
        ("sum", "cell n: Int = 0;\nalways guarantee { [n <- n + 1]; n < 5; }"),
        (
            "order",
            "input a: Int;\ncell v: Bool = false;\nalways guarantee { a > 5 -> [v <- true]; a + 1 < 5 -> [v <- false]; }",
        ),
    ] {
        folder.file("s.tsl", text);
        let run = folder.run(["check", "s.tsl"]);
        println!("{name}: {}{}", run.out, run.err);
        // With notion `ltl` the verdict is only about an abstraction already.
        let remarks = [REMARK, "notion ltl: "];
        let says = |text: &str| {
            let second = text.lines().nth(1).unwrap_or_default();
            remarks.iter().any(|remark| second.starts_with(remark))
        };
        assert!(run.code == 1 && says(&run.out), "{name}: {}", run.out);
        let unwrapped = run.out.replace('\n', " ");
        assert!(!unwrapped.contains("whatever the system does."), "{}", run.out);
        assert!(unwrapped.contains("as long as arithmetic is not computed"), "{}", run.out);
        let explained = folder.run(["explain", "s.tsl"]);
        assert!(says(&explained.out), "{}", explained.out);
        for verb in ["check", "explain"] {
            let json = folder.run([verb, "s.tsl", "--format", "json"]).out;
            let has_remark = remarks.iter().any(|remark| json.contains(&format!("\"remark\": \"{remark}")));
            assert!(has_remark, "{verb}: {json}");
        }
    }
}

/// A controller is right for every meaning of the operators, and finite numbers are computed.
#[test]
fn verdicts_that_do_not_hang_on_arithmetic_have_no_remark() {
    let folder = Folder::new();
    for (name, text, code) in [
        (
            "realizable",
            "input a: Int;\ncell n: Int = 0;\nalways guarantee { a > 5 -> [n <- n + 1]; !(a > 5) -> [n <- n]; }",
            0,
        ),
        ("finite", "cell n: 0..9 = 0;\nalways guarantee { [n <- n + 1]; n < 5; }", 1),
        ("none", "always guarantee { p -> [x <- a()]; q -> [x <- b()]; }", 1),
    ] {
        folder.file("s.tsl", text);
        let run = folder.run(["check", "s.tsl"]);
        println!("{name}: {}{}", run.out, run.err);
        assert_eq!(run.code, code, "{name}: {}{}", run.out, run.err);
        assert!(!run.out.contains("arithmetic is not computed"), "{name}: {}", run.out);
    }
}

/// A counter over finite words that has to come to its end, for each number of bits.
fn counter(bits: usize) -> String {
    let all = |part: &dyn Fn(usize) -> String| (0..bits).map(part).collect::<Vec<_>>().join(" && ");
    // A bit changes if all lower bits are set and the counter counts.
    let flips = |i: usize| {
        let lower: Vec<String> = (0..i).map(|j| format!("b{j}")).chain(["(tick || own)".into()]).collect();
        format!("((X b{i}) <-> !(b{i} <-> ({})))", lower.join(" && "))
    };
    let outputs = (0..bits).map(|i| format!("b{i}; ")).collect::<Vec<_>>().concat();
    format!(
        "INFO {{ TITLE: \"counter\" DESCRIPTION: \"d\" SEMANTICS: Finite,Mealy TARGET: Moore }}\n\
         MAIN {{ INPUTS {{ tick; }} OUTPUTS {{ own; {outputs}}}\n\
         INITIALLY {{ !tick; }} PRESET {{ {}; }}\n\
         ASSERT {{ X[!] true -> ({}); }} GUARANTEE {{ F ({}); }} }}\n",
        all(&|i| format!("!b{i}")),
        all(&flips),
        all(&|i| format!("b{i}")),
    )
}

/// Over finite words the default is not starved by games that the bounded engine does not need.
#[test]
fn finite_counters_are_decided_by_the_default() {
    let folder = Folder::new();
    for bits in 1..4 {
        folder.file("s.tlsf", counter(bits));
        let [auto, bounded] = ["auto", "bounded"].map(|engine| {
            let run = folder.run(["check", "s.tlsf", "--engine", engine, "--verdict-only"]);
            println!("{bits} bits, {engine}: {}{}", run.out, run.err);
            (run.code, run.out.lines().next().unwrap_or_default().to_owned())
        });
        assert_eq!(auto, bounded, "{bits} bits");
        assert!(auto.0 < 2, "{bits} bits: {auto:?}");
    }
}

/// A note says that a written line follows from the others, and not that an instance of it does.
#[test]
fn lines_with_instances_are_judged_as_a_whole() {
    let spec = |guarantees: &str| {
        format!(
            "INFO {{ TITLE: \"t\" DESCRIPTION: \"t\" SEMANTICS: Mealy TARGET: Mealy }}\n\
             GLOBAL {{ PARAMETERS {{ n = 2; }} }}\n\
             MAIN {{ INPUTS {{ r; }} OUTPUTS {{ g[n]; }} ASSERT {{ {guarantees} }} }}\n"
        )
    };
    let folder = Folder::new();
    let one = "g[0] || g[1]; !(g[0] && g[1]);";
    for (guarantees, lines) in [
        // Each instance follows from the other one, and the line from nothing.
        (format!("{one} &&[0 <= i < n] (r -> (g[i] <-> X g[i]));"), 0),
        (format!("{one} &&[0 <= i < n] (r -> g[i] || !g[i]);"), 1),
        // The line says twice what others say.
        (format!("{one} &&[0 <= i < n] (g[0] -> !g[1]);"), 1),
        ("r -> g[0]; g[0] || !r; g[1];".to_owned(), 1),
    ] {
        folder.file("s.tlsf", spec(&guarantees));
        let run = folder.run(["check", "s.tlsf"]);
        println!("{guarantees}: {}", run.err);
        let found = run.err.matches("TSL0304").count() + run.err.matches("TSL0308").count();
        assert_eq!(found, lines, "{guarantees}: {}{}", run.out, run.err);
    }
}

/// The rows of the play of a text: step, environment, system.
fn rows(text: &str) -> Vec<[String; 3]> {
    let table = text.split("Counterexample").nth(1).expect("a play").lines();
    let rows = table.skip(2).take_while(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let cells = rows.map(|line| {
        let mut cells = line.trim().split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        [(); 3].map(|()| cells.next().unwrap_or_default().to_owned())
    });
    cells.collect()
}

/// With Moore semantics the system answers before it sees the inputs of a step: each input stands in its own step.
#[test]
fn plays_of_moore_games_have_each_input_in_its_own_step() {
    type Row<'a> = [&'a str; 3];
    let folder = Folder::new();
    let cases: [(&str, &str, &str, &[Row], &str); 9] = [
        ("first", "Moore", "GUARANTEE { c <-> a; }", &[["0", "a", "!c"]], "`c <-> a` fails at step 0"),
        ("always", "Moore", "ASSERT { a <-> c; }", &[["0", "a", "!c"]], "`always a <-> c` fails at step 0"),
        (
            "next",
            "Moore",
            "GUARANTEE { G (a -> X c); G (b -> X !c); }",
            &[["0", "a, b", "!c"], ["1", "-", "no answer helps"]],
            "no answer of the system at step 1 is right",
        ),
        (
            "sees-later",
            "Moore",
            "GUARANTEE { X (c <-> X a); }",
            &[["0", "!a", "!c"], ["1", "!a", "!c"], ["2", "a", "!c"]],
            "give `a` true at step 2, and then `X (c <-> X a)` fails at step 2",
        ),
        ("at-once", "Moore", "GUARANTEE { c; !c; }", &[["0", "-", "no answer helps"]], "at step 0"),
        (
            "endless",
            "Moore",
            "GUARANTEE { F (c && a); }",
            &[["0", "!a", "!c"]],
            "The environment may keep `a` false for ever",
        ),
        ("strict", "Moore,Strict", "REQUIRE { b; } ASSERT { a <-> c; }", &[["0", "a, b", "!c"]], "step 0"),
        ("finite", "Finite,Moore", "GUARANTEE { G (a <-> c); }", &[["0", "a", "!c, !done"]], "step 0"),
        (
            "mealy",
            "Mealy",
            "GUARANTEE { G (c <-> X a); }",
            &[["0", "!a", "!c"], ["1", "a", "no answer helps"]],
            "step 1",
        ),
    ];
    for (name, semantics, main, play, sentence) in cases {
        for target in ["Moore", "Mealy"] {
            if (name == "mealy") && target == "Moore" {
                continue;
            }
            folder.file("m.tlsf", tlsf(semantics, target, &format!("{CONFLICT}  {main}")));
            let run = folder.run(["check", "m.tlsf"]);
            shown(&format!("{name} to {target}"), &run);
            let words = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(run.code == 1 && words.contains(sentence), "{name}: {words}");
            // Only the row in which the play is lost has to be as it is written here: others may differ.
            let found = rows(&run.out);
            assert_eq!(found.len(), play.len(), "{name}: {found:?}");
            assert_eq!(
                found.last().map(|row| row.each_ref().map(String::as_str)).as_ref(),
                play.last(),
                "{name}"
            );
            let first = words.contains("in each step the system answers first");
            assert_eq!(first, semantics.contains("Moore"), "{name}");
            let json = folder.run(["check", "m.tlsf", "--format", "json"]).json();
            let steps = json["results"][0]["play"]["steps"].as_array().expect("steps").clone();
            println!("{name}: {steps:?}");
            assert_eq!(steps.len(), play.len(), "{name}");
            for (row, step) in found.iter().zip(&steps) {
                let given = step["inputs"].as_object().expect("inputs");
                assert_eq!(given.is_empty(), row[1] == "-", "{name}: {row:?} {step}");
                for literal in row[1].split(", ").filter(|literal| *literal != "-") {
                    let holds = given[literal.trim_start_matches('!')] == true;
                    assert_eq!(holds, !literal.starts_with('!'), "{name}: {row:?} {step}");
                }
            }
            let long = folder.run(["explain", "m.tlsf"]);
            assert_eq!(rows(&long.out).len(), play.len(), "{name}: {}", long.out);
        }
    }
}

/// A note about a line is about the whole line, also if it stands for several clauses.
#[test]
fn a_line_that_says_something_is_not_called_superfluous() {
    let folder = Folder::new();
    let head = "INFO { TITLE: \"t\" DESCRIPTION: \"t\" SEMANTICS: Mealy TARGET: Mealy }\nGLOBAL { PARAMETERS { n = 2; } }\n";
    let file = |lines: &[&str]| {
        format!("{head}MAIN {{\n  INPUTS {{ r[n]; }}\n  OUTPUTS {{ g[n]; }}\n  {}\n}}\n", lines.join("\n  "))
    };
    let one_hot = "ASSERT { g[0] || g[1]; !(g[0] && g[1]); }";
    let mut notes = 0;
    for (name, line, says_nothing) in [
        ("stays", "ASSERT { &&[0 <= i < n] (r[0] -> (g[i] <-> X g[i])); }", false),
        ("toggles", "GUARANTEE { &&[0 <= i < n] (r[0] -> X (r[1] -> (g[i] <-> r[0]) || g[1])); }", false),
        ("never-both", "ASSERT { &&[0 <= i < n] (r[i] -> !(g[0] && g[1])); }", true),
        ("some", "ASSERT { &&[0 <= i < n] (r[i] -> g[0] || g[1]); }", true),
        ("half", "ASSERT { &&[0 <= i < n] (r[i] -> g[0] || g[i]); }", false),
    ] {
        folder.file("with.tlsf", file(&[one_hot, line]));
        folder.file("without.tlsf", file(&[one_hot]));
        let run = folder.run(["check", "with.tlsf"]);
        shown(name, &run);
        assert_eq!(run.code, 0, "{name}");
        let noted = run.err.contains("TSL0304") && run.err.contains("&&[0 <= i < n]");
        let same = folder.run(["diff", "with.tlsf", "without.tlsf"]);
        shown(name, &same);
        assert_eq!((noted, same.code == 0), (says_nothing, says_nothing), "{name}");
        notes += usize::from(noted);
    }
    assert_eq!(notes, 2);
    // Assumptions, too.
    let both = "ASSUME { G (r[0] <-> !r[1]); &&[0 <= i < n] G (g[0] -> (r[i] -> X r[i])); }";
    folder.file("assumed.tlsf", file(&[both, "GUARANTEE { G (r[0] -> F g[0]); }"]));
    let run = folder.run(["check", "assumed.tlsf"]);
    shown("assumed", &run);
    assert!(run.code == 0 && !run.err.contains("TSL0307"), "{}", run.err);
}

/// The literals of a cell of a table, as atoms with values.
fn literals(cell: &str) -> Vec<(String, bool)> {
    let literal = |text: &str| match text.split_once(" != ") {
        Some((left, right)) => (format!("{left} = {right}"), false),
        None => (text.trim_start_matches('!').to_owned(), !text.starts_with('!')),
    };
    cell.split(", ").map(literal).collect()
}

/// The sentence, the table, JSON and the page of one verdict show one play, with all inputs that decide it.
#[test]
fn one_verdict_shows_one_play() {
    let folder = Folder::new();
    let specs = [
        (
            "undeclared",
            "always guarantee {\n  near -> [npc <- greet()];\n  life = 0 -> [npc <- die()];\n  hit -> [life <- hurt life];\n}\n",
        ),
        (
            "more",
            "always guarantee {\n  seen(who) -> [npc <- greet()];\n  !seen(who) -> [npc <- idle()];\n  hit -> [life <- life - 1];\n  life = 0 -> [npc <- die()];\n}\n",
        ),
        (
            "sums",
            "input a: Int;\ncell v: Bool = false;\nalways guarantee { (a > 5) -> [v <- true]; (a + 1 <= 5) -> [v <- false]; (a > 10 && a + 1 < 5) -> [v <- false]; }\n",
        ),
        ("equal", "always guarantee {\n  go -> [x <- f()];\n  go && !(x = y) -> [x <- g()];\n}\n"),
    ];
    for (name, spec) in specs {
        folder.file("s.tsl", spec);
        let run = folder.run(["check", "s.tsl"]);
        shown(name, &run);
        assert_eq!(run.code, 1, "{name}");
        let table = rows(&run.out);
        let words = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentence = words.split(", and then").next().expect("a sentence").to_owned();
        let json = folder.run(["check", "s.tsl", "--format", "json"]).json();
        let step = json["results"][0]["play"]["steps"][0].clone();
        let html = folder.run(["view", "s.tsl"]).exits(0).out;
        let data = html.split("<script type=\"application/json\" id=\"data\">").nth(1).expect("data");
        let data: Value = serde_json::from_str(data.split("</script>").next().expect("data")).expect("JSON");
        let machine = &data["machines"][0];
        let state = machine["initial"].as_u64().and_then(|i| usize::try_from(i).ok()).expect("a state");
        let letter = machine["states"][state]["letter"].as_array().expect("a letter").clone();
        let atoms = machine["atoms"].as_array().expect("atoms");
        // Every input that the sentence names is in the table.
        let named: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
        println!("{name}: sentence {named:?}, table {:?}, JSON {step}, page {letter:?}", table[0]);
        assert!(!named.is_empty(), "{name}");
        for literal in &named {
            let bare = table[0][1].split(", ").any(|cell| cell.trim_start_matches('!') == *literal);
            assert!(bare, "{name}: `{literal}` is not in {:?}", table[0]);
        }
        // JSON and the page have the values of the table.
        let mut compared = 0;
        for (atom, holds) in literals(&table[0][1]) {
            if atom.contains("<=") {
                continue;
            }
            assert_eq!(step["inputs"][&atom], holds, "{name}: {atom} {step}");
            let number = atoms.iter().position(|a| a["name"] == *atom).expect("an atom of the page");
            let on_page = letter.iter().any(|i| i.as_u64() == u64::try_from(number).ok());
            assert_eq!(on_page, holds, "{name}: {atom} on the page: {letter:?}");
            compared += 1;
        }
        assert!(compared > 0, "{name}");
    }
}
