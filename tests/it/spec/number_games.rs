//! Contracts over numbers that are decided as games: families in a size, terms with cases, texts of other tools.

use crate::cli::Folder;

/// The first line of the verdict, which has to come with this exit code.
fn verdict(folder: &Folder, file: &str, code: i32) -> String {
    let run = folder.run(["check", file]).exits(code);
    assert!(run.out.contains("certified by"), "{}", run.out);
    run.out.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn goals_are_reached_however_far_they_are() {
    let folder = Folder::new();
    for far in [1, 10, 100, 1_000, 1_000_000] {
        folder.file(
            "up.tsl",
            format!(
                "cell x: Int = 0;\nguarantee {{ F (x >= {far}); }}\nalways guarantee {{ [x <- x + 1] || [x <- x]; }}\n"
            ),
        );
        assert_eq!(verdict(&folder, "up.tsl", 0), "REALIZABLE", "{far}");
        folder.file(
            "down.tsl",
            format!(
                "input back: Int;\ncell x: Int = 0;\nalways assume {{ back >= 0; back <= 2; }}
always guarantee {{ F (x >= {far}); [x <- x + 1 - back] || [x <- x]; }}\n"
            ),
        );
        assert_eq!(verdict(&folder, "down.tsl", 1), "UNREALIZABLE", "{far}");
    }
}

#[test]
fn an_assumption_that_comes_again_and_again_helps() {
    let folder = Folder::new();
    let text = |assumption: &str| {
        format!(
            "input wind: Bool;\ncell x: Int;\n{assumption}
always guarantee {{ [x <- x + 1] || [x <- x - 1] || [x <- x]; wind -> [x <- x]; F (x = 0); }}\n"
        )
    };
    folder.file("calm.tsl", text("assume { G F !wind; }"));
    assert_eq!(verdict(&folder, "calm.tsl", 0), "REALIZABLE");
    folder.file("windy.tsl", text(""));
    let run = folder.run(["check", "windy.tsl", "--format", "json"]).exits(1);
    let document: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let result = &document["results"][0];
    assert_eq!(result["core"]["guarantees"].as_array().map(Vec::len), Some(2), "{result}");
    assert!(result["play"]["steps"][0]["numbers"]["x"].is_string(), "{result}");
}

#[test]
fn terms_with_cases_are_computed() {
    let folder = Folder::new();
    // A cell that follows an input within one step of each other, as far as 5 apart.
    let text = |term: &str, bound: u32| {
        format!(
            "input i: Int;\ncell x: Int = 0;\nalways assume {{ i >= -5; i <= 5; }}
always guarantee {{ [x <- {term}]; abs x <= {bound}; }}\n"
        )
    };
    for (term, bound, code) in [
        ("max i (0 - i)", 5, 0),
        ("max i (0 - i)", 4, 1),
        ("min (abs i) 3", 3, 0),
        ("min (abs i) 3", 2, 1),
        ("ite (i > 0) i (0 - i)", 5, 0),
        ("ite (i > x) (x + 1) (x - 1)", 6, 0),
        ("ite (i > x) (x + 1) (x - 1)", 4, 1),
        ("abs (i - 2) - 1", 6, 0),
    ] {
        folder.file("cases.tsl", text(term, bound));
        let expected = if code == 0 { "REALIZABLE" } else { "UNREALIZABLE" };
        assert_eq!(verdict(&folder, "cases.tsl", code), expected, "{term} {bound}");
    }
    // A declared function keeps its name.
    folder.file(
        "own.tsl",
        "function max: Int -> Int -> Int;\ncell x: Int = 0;\nalways guarantee { [x <- max x 1]; x >= 0; }\n",
    );
    folder.run(["check", "own.tsl"]).exits(3);
}

const ISSY: &str = "inp Int drift
var Int x
var Bool on

// A comment.
SPECIFICATION

NEAR = (lte x i5()) && (gte x (sub i0() i5()));

assume { eq x i20(); !on; }
always assume { gte drift i0(); lte drift i1(); }
guarantee {
  G ([x <- sub x i1()] || [x <- add (sub x i1()) drift] || [x <- x]);  /* steps */
  F (NEAR && on);
  G (on -> NEAR);
  G ([on <- true] || [on <- false]);
}
";

#[test]
fn texts_of_other_tools_are_read() {
    let folder = Folder::new();
    folder.file("issy.tslmt", ISSY);
    assert_eq!(verdict(&folder, "issy.tslmt", 0), "REALIZABLE");
    folder.file("stuck.tslmt", ISSY.replace("[x <- sub x i1()] || ", "").replace(" || [x <- x]", ""));
    assert_eq!(verdict(&folder, "stuck.tslmt", 1), "UNREALIZABLE");
    folder.file(
        "raboniel.tslmt",
        "//-- State: level, pump\n//-- Inputs: rain\n
assume { eq level i3(); eq pump i0(); }\nalways assume { eq rain i0() || eq rain i1(); }
always guarantee {\n  [pump <- i0()] || [pump <- i1()];\n  [level <- sub (add level rain) pump];
  le level i6();\n  F eq pump i1();\n}\n",
    );
    assert_eq!(verdict(&folder, "raboniel.tslmt", 0), "REALIZABLE");
    folder.file(
        "temos.tslmt",
        "//#LIA#\nassume { lte c1() floor; lte floor c9(); }\nalways guarantee {
  [floor <- floor] || [floor <- sub floor c1()] || [floor <- add floor c1()];\n  F eq floor c1();\n  F eq floor c9();\n}\n",
    );
    assert_eq!(verdict(&folder, "temos.tslmt", 0), "REALIZABLE");
    // Other names of the same functions, and logical ones as functions.
    let logic =
        ISSY.replace("(lte x i5()) && (gte x (sub i0() i5()))", "and (leq x i5()) (geq x (minus i0() i5()))");
    let logic = logic.replace("assume { eq x i20(); !on; }", "assume { and (eq x i20()) (not on); }");
    assert!(logic.contains("geq") && logic.contains("(not on)"));
    folder.file("logic.tslmt", &logic);
    assert_eq!(verdict(&folder, "logic.tslmt", 0), "REALIZABLE");
    let stuck = logic.replace("[x <- sub x i1()] || ", "").replace(" || [x <- x]", "");
    folder.file("stuck_logic.tslmt", &stuck);
    assert_eq!(verdict(&folder, "stuck_logic.tslmt", 1), "UNREALIZABLE");
    for name in ["issy", "raboniel", "temos"] {
        let (from, to) = (format!("{name}.tslmt"), format!("{name}_ours.tsl"));
        folder.run(["convert", &from, "-o", &to]).exits(0);
        folder.run(["fmt", &to]).exits(0);
        assert_eq!(verdict(&folder, &to, 0), "REALIZABLE");
    }
    let run = folder.run(["fmt", "issy.tslmt"]).exits(2);
    assert!(run.err.contains("convert"), "{}", run.err);
    // Errors are at their place in the text as it was written.
    folder.file("wrong.tslmt", ISSY.replace("F (NEAR && on)", "F (NEAR && on"));
    let run = folder.run(["check", "wrong.tslmt"]).exits(2);
    assert!(run.err.contains("wrong.tslmt:14:"), "{}", run.err);
    folder.file("header.tslmt", ISSY.replace("var Int x", "var Integer x"));
    let run = folder.run(["check", "header.tslmt"]).exits(2);
    assert!(run.err.contains("header.tslmt:2:"), "{}", run.err);
}

#[test]
fn theories_are_computed_or_said_not_to_be() {
    let folder = Folder::new();
    let functions = "always guarantee {\n  eq x 0 -> F (eq x 2);\n  [x <- add x 1] || [x <- sub x 1];\n}\n";
    let operators = "always guarantee {\n  x = 0 -> F (x = 2);\n  [x <- x + 1] || [x <- x - 1];\n}\n";
    for tag in ["", "#LIA\n", "#EUF\n", "#RA#\n"] {
        for text in [functions, operators] {
            folder.file("step.tslmt", format!("{tag}{text}"));
            let run = folder.run(["check", "step.tslmt"]).exits(0);
            assert!(run.err.is_empty(), "{tag}{}", run.err);
        }
    }
    let warning = |tag: &str, text: &str, code: i32| {
        folder.file("step.tsl", format!("{tag}{text}"));
        let run = folder.run(["check", "step.tsl"]).exits(code);
        run.err.contains("TSL0156").then_some(run.err)
    };
    for tag in ["", "#LIA\n"] {
        let told = warning(tag, functions, 1).unwrap_or_default();
        assert!(told.contains("`add`, `eq`, `sub` have no meaning of their own here"), "{told}");
        assert!(told.contains("`.tslmt`") && told.contains("`cell x: Int = 0;`"), "{told}");
    }
    assert!(warning("#LIA\n", operators, 1).unwrap_or_default().contains("undeclared names"));
    let declared = format!("cell x: Int = 0;\n{operators}");
    for text in [
        declared.as_str(),
        "eq a b = a && b;\nalways guarantee { [x <- y] || eq p q; }\n",
        "always guarantee { eq y z -> [x <- y]; }\n",
    ] {
        assert_eq!(warning("#UF\n", text, 0).filter(|_| !text.contains("eq y z")), None);
        assert_eq!(warning("", text, 0), None);
    }
    folder.file(
        "lamp.tslmt",
        "always guarantee {\n  [lamp <- true()] || [lamp <- false()];\n  F lamp; F !lamp;\n}\n",
    );
    assert_eq!(verdict(&folder, "lamp.tslmt", 0), "REALIZABLE");
    folder.file("tagged.tslmt", format!("#LIA\n{ISSY}"));
    assert_eq!(verdict(&folder, "tagged.tslmt", 0), "REALIZABLE");
}

#[test]
fn declared_bounds_are_kept() {
    let folder = Folder::new();
    let account = |guard: &str| {
        format!(
            "input amount: Nat;\ninput withdraw: Bool;\ncell balance: Nat = 10;
always guarantee {{ withdraw{guard} -> [balance <- balance - amount]; }}\n"
        )
    };
    folder.file("guarded.tsl", account(" && amount <= balance"));
    assert_eq!(verdict(&folder, "guarded.tsl", 0), "REALIZABLE");
    folder.file("account.tsl", account(""));
    let run = folder.run(["check", "account.tsl"]).exits(1);
    assert!(run.out.contains("cell balance: Nat = 10\n"), "{}", run.out);
    folder.file(
        "heater.tsl",
        "input loss: Real in 0..0.25;\ncell heat: Real in 0..10 = 0.5;
always guarantee { [heat <- heat + 0.5 - loss] || [heat <- heat - loss]; F (heat >= 9.5); }\n",
    );
    assert_eq!(verdict(&folder, "heater.tsl", 0), "REALIZABLE");
    // A cell without a first value begins anywhere within its bounds.
    folder.file(
        "fan.tsl",
        "cell fan: Real in -1..1;\nalways guarantee { [fan <- 0 - fan]; fan <= 1; fan >= -1; }\n",
    );
    assert_eq!(verdict(&folder, "fan.tsl", 0), "REALIZABLE");
    for (text, code) in [
        ("cell x: Nat = -1;\nguarantee { x = x; }\n", "TSL"),
        ("cell x: Int in 3..1 = 2;\nguarantee { [x <- x]; }\n", "TSL"),
        ("cell x: Bool in 0..1;\nguarantee { [x <- x]; }\n", "has no bounds"),
        ("cell x: Int in a..b;\nguarantee { [x <- x]; }\n", "bounds are numbers"),
        ("output x: Int in 0..1;\nguarantee { [x <- 1]; }\n", "only inputs and cells have bounds"),
    ] {
        folder.file("wrong.tsl", text);
        let run = folder.run(["check", "wrong.tsl"]).exits(2);
        assert!(run.err.contains(code) && run.err.contains("wrong.tsl:1:"), "{text}{}", run.err);
    }
    // The layout and the printed text keep them.
    folder.file("layout.tsl", "input  t : Real   in -40 .. 125.5 ;\nguarantee { t > 3; }\n");
    folder.run(["fmt", "layout.tsl"]).exits(0);
    let text = std::fs::read_to_string(folder.path().join("layout.tsl")).expect("a text");
    assert!(text.contains("input t: Real in -40..125.5;"), "{text}");
}

/// Updates of such cells may store another value than that of their term.
#[test]
fn saturating_and_wrapping_cells_beside_numbers_store_what_they_hold() {
    let folder = Folder::new();
    for (modifier, kept, code) in [
        ("saturating", "m = 3", 0),
        ("saturating", "m = 2", 1),
        ("wrapping", "m = 3", 0),
        ("wrapping", "m = 2", 1),
    ] {
        folder.file(
            "cells.tsl",
            format!(
                "input k: 0..9;\n{modifier} cell m: 0..3 = 0;\ncell x: Int = 0;\nalways guarantee {{
  [m <- k];\n  k = 7 -> X ({kept});\n  [x <- x + 1] || [x <- x];\n  F (x > 100);\n}}\n"
            ),
        );
        let run = folder.run(["check", "cells.tsl"]);
        // 7 is 3 in both: the greatest value, and 7 modulo 4.
        assert!(run.code == code || run.code == 3 && code == 1, "{modifier} {kept}: {run:?}");
    }
}

#[test]
fn verbs_agree_about_contracts_over_numbers() {
    let folder = Folder::new();
    let text = "input leak: Real in 0..0.5;\ncell level: Real = 0;\nalways guarantee {
  [level <- level + 1 - leak] || [level <- level - leak];\n  F (level >= 10);\n  F (level <= 5);\n}\n";
    folder.file("tank.tsl", text);
    assert_eq!(verdict(&folder, "tank.tsl", 1), "UNREALIZABLE");
    let run = folder.run(["explain", "tank.tsl"]).exits(1);
    assert!(run.out.contains("The environment can break `always F (level >= 10)` or"), "{}", run.out);
    let run = folder.run(["explain", "tank.tsl", "--format", "json"]).exits(1);
    let document: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert!(document["play"]["steps"][0]["numbers"]["level"].is_string(), "{document}");
    for lang in ["python", "js"] {
        let run = folder.run(["emit", "tank.tsl", "--lang", lang]).exits(1);
        assert!(!run.err.contains("the controller computes"), "{}", run.err);
    }
    folder.file("issy.tslmt", ISSY);
    let run = folder.run(["explain", "issy.tslmt"]).exits(0);
    assert!(run.out.starts_with("REALIZABLE"), "{}", run.out);
}
