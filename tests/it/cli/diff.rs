//! `diff` as a user calls it.

use super::Folder;
use crate::gallery;

const LEFT: &str = "aag 2 1 1 1 0\n2\n4 2\n4\ni0 r\no0 g\n";
/// Answers one step later.
const LATER: &str = "aag 3 1 2 1 0\n2\n4 2\n6 4\n6\ni0 r\no0 g\n";

#[test]
fn machines_are_told_apart_by_a_shortest_play() {
    let folder = Folder::new();
    folder.file("left.aag", LEFT);
    folder.file("later.aag", LATER);
    let run = folder.run(["diff", "left.aag", "later.aag", "--trace", "t.json"]).exits(1);
    assert!(
        run.out.starts_with(
            "DIFFERENT\nThe answers of the machines agree up to step 0, and differ in step 1.\n"
        ),
        "{run:?}"
    );
    assert!(run.out.contains("  0     r") && run.out.contains("They differ in g."), "{run:?}");
    // The trace is one of the left machine, and not of the right one.
    let played = folder.run(["simulate", "left.aag", "--script", "t.json"]).exits(0);
    assert!(played.out.contains('g'), "{played:?}");
    folder.run(["simulate", "later.aag", "--script", "t.json"]).exits(2);
    let explained = folder.run(["explain", "t.json", "--effect", "X g", "--continue", "last"]);
    assert!(explained.code == 0 && explained.out.contains('r'), "{explained:?}");
    let json = folder.run(["diff", "later.aag", "left.aag", "--format", "json"]).exits(1).json();
    assert_eq!(
        (&json["verdict"], &json["kind"], &json["step"]),
        (&"DIFFERENT".into(), &"machines".into(), &1.into())
    );
    assert_eq!(json["atoms"][0], serde_json::json!({ "name": "g", "left": false, "right": true }));
    assert_eq!(json["plays"][1]["prefix"][0]["r"], true);
    let same = folder.run(["diff", "left.aag", "left.aag"]).exits(0);
    assert!(same.out.starts_with("EQUIVALENT\n"), "{same:?}");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = Folder::new();
    folder.file("left.aag", LEFT);
    folder.file("more.aag", "aag 2 1 1 2 0\n2\n4 2\n4\n1\ni0 r\no0 g\no1 h\n");
    folder.file("turned.aag", "aag 2 1 1 1 0\n2\n4 2\n4\ni0 g\no0 r\n");
    folder.file("s.ltl", "// inputs: r\n// outputs: g\nG (r -> X g)\n");
    folder.file("t.ltl", "// inputs: g\n// outputs: r\nG (r -> X g)\n");
    for (args, what, hint) in [
        (["left.aag", "more.aag"], "only `more.aag` gives `h`", "--common"),
        (["left.aag", "turned.aag"], "is read by", "who decides a name"),
        (["left.aag", "s.ltl"], "`left.aag` is a machine and `s.ltl` a specification", "tsl-synth verify"),
        (["s.ltl", "t.ltl"], "is an output of the one and an input of the other", "who decides a name"),
    ] {
        let run = folder.run(["diff", args[0], args[1]]).exits(2);
        assert!(run.err.contains("TSL0340") && run.err.contains(what) && run.err.contains(hint), "{run:?}");
    }
    let run = folder.run(["diff", "left.aag", "more.aag", "--common"]).exits(0);
    assert!(run.out.contains("(not compared, as only `more.aag` gives them: `h`)"), "{run:?}");
    folder.run(["diff", "left.aag"]).exits(2);
}

#[test]
fn specifications_are_compared() {
    let folder = Folder::new();
    let formulas = |a: &str, b: &str| folder.run(["diff", "--formula", a, "--formula", b]);
    let same = formulas("a U b", "F b & (a W b)").exits(0);
    assert!(
        same.out.starts_with("EQUIVALENT\n") && same.out.contains("certified by two translations"),
        "{same:?}"
    );
    let stronger = formulas("G F a", "F G a").exits(1);
    assert!(
        stronger.out.contains("`F G a` is stronger: all of its words are words of `G F a`"),
        "{stronger:?}"
    );
    assert!(stronger.out.contains("and steps 0 to 1 repeat for ever"), "{stronger:?}");
    let json =
        folder.run(["diff", "--formula", "F a", "--formula", "F b", "--format", "json"]).exits(1).json();
    assert_eq!(json["relation"], "incomparable");
    assert_eq!(json["onlyLeft"]["clause"]["text"], "F b");
    folder.file("a.tsl", "always guarantee { p x -> [y <- f x]; }\n");
    folder.file("b.tsl", "always guarantee { !(p x && ![y <- f x]); }\n");
    folder.file("c.tsl", "always guarantee { p x -> [y <- f x]; q x -> [y <- g x]; }\n");
    folder.run(["diff", "a.tsl", "b.tsl"]).exits(0);
    let run = folder.run(["diff", "a.tsl", "c.tsl"]).exits(1);
    assert!(
        run.out.contains("a cell gets exactly one update") && run.out.contains("only `c.tsl` has"),
        "{run:?}"
    );
    // The word has an update that does not occur in the other specification.
    assert!(run.out.contains("A word of `c.tsl` that is none of `a.tsl`:"), "{run:?}");
    assert!(run.out.contains("[y <- g(x)]"), "{run:?}");
    let declared = [
        "cell lamp: Bool = false; always guarantee { lamp -> [lamp <- false]; }",
        "cell lamp: Bool = true; always guarantee { lamp -> [lamp <- false]; }",
    ];
    folder.file("off.tsl", declared[0]);
    folder.file("on.tsl", declared[1]);
    folder.run(["diff", "off.tsl", "on.tsl"]).exits(1);
    let limited = folder.run(["diff", "--time-limit", "0s", "--formula", "G F a", "--formula", "F G a"]);
    assert!(matches!(limited.code, 1 | 3), "{limited:?}");
}

/// Every fifth specification of the gallery is equivalent to itself.
#[test]
fn specifications_of_the_gallery_are_their_own_equivalents() {
    let folder = Folder::new();
    for spec in gallery::every(5, 2) {
        let name = spec.display().to_string();
        let run = folder.run(["diff", &name, &name, "--time-limit", "60s"]);
        assert_eq!(run.code, 0, "{run:?}");
    }
}
