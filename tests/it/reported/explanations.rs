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
            "input amount: Coins;\ncell balance: Coins = 0;\n\
             always guarantee { balance >= 0; withdraw -> [balance <- balance - amount]; !withdraw -> [balance <- balance]; }",
        ),
        ("sum", "cell n: Count = 0;\nalways guarantee { [n <- n + 1]; n < 5; }"),
        (
            "order",
            "input a: Count;\ncell v: Bool = false;\nalways guarantee { a > 5 -> [v <- true]; a + 1 < 5 -> [v <- false]; }",
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
        // The search for repairs of the second one takes long.
        let verbs = if name == "sum" { vec!["check"] } else { vec!["check", "explain"] };
        for verb in verbs {
            // The text of `check` is above.
            if verb != "check" {
                let text = folder.run([verb, "s.tsl"]).out;
                assert!(says(&text), "{verb}: {text}");
            }
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
        ("sum", "cell n: Int = 0;\nalways guarantee { [n <- n + 1]; n < 5; }", 1),
        (
            "balance",
            "input amount: Int;\ncell balance: Int = 0;\n\
             always guarantee { balance >= 0; withdraw -> [balance <- balance - amount]; !withdraw -> [balance <- balance]; }",
            1,
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
