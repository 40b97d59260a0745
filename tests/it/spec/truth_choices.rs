//! `ite` between truth values, in formulas and updates, in the own language and in texts of other tools.

use crate::cli::Folder;

/// A cell that an update with `ite` changes, against what it has to be in the next step.
#[test]
fn updates_choose_between_truth_values() {
    let folder = Folder::new();
    for (term, duty, expected) in [
        ("ite b false true", "b <-> X !b", 0),
        ("ite b false true", "b <-> X b", 1),
        ("ite a b true", "a -> (b <-> X b)", 0),
        ("ite a b true", "!a -> X b", 0),
        ("ite a b true", "X b", 0),
        ("ite a b true", "a -> X !b", 1),
        ("ite (x > 0) a (ite b false a)", "x > 0 -> (a <-> X b)", 0),
        ("ite (x > 0) a (ite b false a)", "x <= 0 && b -> X !b", 0),
        ("ite (x > 0) a (ite b false a)", "x <= 0 -> (a <-> X b)", 1),
    ] {
        let text = format!(
            "input a: Bool;\ninput x: Int;\ncell b: Bool = true;\nalways guarantee {{ [b <- {term}]; {duty}; }}\n"
        );
        folder.file("own.tsl", &text);
        folder.run(["check", "own.tsl", "--verdict-only"]).exits(expected);
        let theory = text
            .replace(
                "input a: Bool;\ninput x: Int;\ncell b: Bool = true;\n",
                "inp Bool a\ninp Int x\nvar Bool b\nSPECIFICATION\nassume { b; }\n",
            )
            .replace("(x > 0)", "(gt x i0())")
            .replace("x > 0", "gt x i0()")
            .replace("x <= 0", "lte x i0()");
        folder.file("theory.tslmt", &theory);
        folder.run(["check", "theory.tslmt", "--verdict-only"]).exits(expected);
    }
}

/// A number that changes with a truth value that an `ite` toggles stays between two bounds.
#[test]
fn numbers_follow_truth_values() {
    let folder = Folder::new();
    for (bound, expected) in [(1, 0), (0, 1)] {
        folder.file(
            "toggle.tslmt",
            format!(
                "var Bool b\nvar Int x\nSPECIFICATION\nassume {{ eq x i0(); b; }}
always guarantee {{ [b <- ite b false true]; [x <- ite b (add x i1()) (sub x i1())]; gte x i0(); lte x i{bound}(); }}\n"
            ),
        );
        folder.run(["check", "toggle.tslmt", "--verdict-only"]).exits(expected);
    }
}

/// In a formula it is the value of one of its sides.
#[test]
fn formulas_choose_between_truth_values() {
    let folder = Folder::new();
    for (duty, expected) in
        [("ite a p q <-> [c <- true]", 0), ("a -> (ite a p q <-> p)", 0), ("ite a p q -> p", 1)]
    {
        folder.file(
            "formula.tsl",
            format!(
                "input a, p, q: Bool;\ncell c: Bool = true;\nalways guarantee {{ [c <- true] || [c <- false]; {duty}; }}\n"
            ),
        );
        folder.run(["check", "formula.tsl", "--verdict-only"]).exits(expected);
    }
}
