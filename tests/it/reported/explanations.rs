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
