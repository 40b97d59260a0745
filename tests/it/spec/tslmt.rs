//! Texts of TSL modulo theories as other tools write them: numbers, headers, comments that name signals, functions.

use crate::cli::Folder;
use tsl_synth_testkit::quota;

/// The first line of a certified verdict.
fn verdict(folder: &Folder, text: &str) -> String {
    folder.file("one.tslmt", text);
    let run = folder.run(["check", "one.tslmt"]);
    let is_computed = !run.err.contains("TSL0306") && !run.err.contains("TSL0156");
    assert!(run.out.contains("certified by") && is_computed, "{text}{}{}", run.out, run.err);
    run.out.lines().next().unwrap_or_default().to_owned()
}

/// What is said of a text that is refused, with its place.
fn refusal(folder: &Folder, text: &str, place: &str) -> String {
    folder.file("one.tslmt", text);
    let run = folder.run(["check", "one.tslmt"]).exits(2);
    assert!(run.err.contains(&format!("one.tslmt:{place}")), "{text}{}", run.err);
    run.err
}

/// A cell that only falls gets below each number, and does not stay above it.
#[test]
fn negative_numbers_are_read_in_all_their_spellings() {
    let folder = Folder::new();
    for number in [1, 12, 1_000] {
        for spelling in [
            format!("i-{number}()"),
            format!("im{number}()"),
            format!("c-{number}()"),
            format!("int-{number}()"),
            format!("(sub i0() i{number}())"),
        ] {
            let text = |guarantee: &str| {
                format!(
                    "var Int x\nSPECIFICATION\nassume {{ eq x i0(); }}
always guarantee {{ [x <- sub x i1()] || [x <- add x i-1()]; {guarantee}; }}\n"
                )
            };
            let below = text(&format!("F (lte x {spelling})"));
            assert_eq!(verdict(&folder, &below), "REALIZABLE", "{below}");
            let above = text(&format!("gte x {spelling}"));
            assert_eq!(verdict(&folder, &above), "UNREALIZABLE", "{above}");
        }
    }
    let real = "var Real x\nSPECIFICATION\nassume { eq x r0.0(); }
always guarantee { [x <- add x r-0.5()]; lte x r0(); F (lt x r-2.25()); F (lt x rm7.5()); }\n";
    assert_eq!(verdict(&folder, real), "REALIZABLE");
    // A difference of a name and a number stays one.
    let difference = "//-- State: x, i\nassume { eq x i0(); eq i i5(); }
always guarantee { [x <- i-5]; [i <- i]; eq x i0(); }\n";
    assert_eq!(verdict(&folder, difference), "REALIZABLE");
}

#[test]
fn comments_name_signals_of_any_sort() {
    let folder = Folder::new();
    // Words that were run together name nothing; signals that are missing are found in the formulas.
    let lists = [
        "//-- State: x, on\n//-- Inputs: alarm\n",
        "//-- State: x on\n//-- Inputs: alarm\n",
        "//-- State: onvar Int x,\n//-- Inputs: inp Bool alarm\n",
        "//-- State: y, z\n",
        "",
    ];
    for (number, list) in lists.into_iter().enumerate() {
        let text = |answer: &str| {
            format!(
                "{list}assume {{ eq x i0(); !on; }}\nalways guarantee {{
  [x <- add x i1()] || [x <- x];\n  alarm -> {answer};\n  !alarm -> [on <- on];\n  on -> F (gte x i5());\n  lte x i7();\n}}\n"
            )
        };
        assert_eq!(verdict(&folder, &text("[on <- true]")), "REALIZABLE", "{list}");
        // The other verdict takes long.
        if number < quota(1) {
            assert_eq!(verdict(&folder, &text("[on <- true] && X !on")), "UNREALIZABLE", "{list}");
        }
    }
    // A copy of a truth value is one.
    for (steps, expected) in [("X X", "REALIZABLE"), ("X", "UNREALIZABLE")] {
        let copied = format!(
            "//-- State: old, new\n//-- Inputs: press\nalways guarantee {{
  [new <- press]; [old <- new];\n  press -> {steps} old;\n}}\n"
        );
        assert_eq!(verdict(&folder, &copied), expected, "{copied}");
    }
}

#[test]
fn headers_have_comments_and_one_name_a_line() {
    let folder = Folder::new();
    let rest =
        "assume { eq x i0(); }\nalways guarantee { [x <- add x i1()] || [x <- x]; b -> F (gte x i5()); }\n";
    for header in [
        "var Int x\ninp Bool b\nSPECIFICATION\n",
        "var Int x // position\r\ninp Bool b /* pressed */\r\n\r\nSPECIFICATION\r\n",
        "/* two\n   lines */\n  var  Int  x\n// inp Int y\ninp Bool b\nSPECIFICATION // follows\n",
    ] {
        assert_eq!(verdict(&folder, &format!("{header}{rest}")), "REALIZABLE", "{header}");
    }
    for (header, place) in [
        ("inp Bool b\nvar Int x, y\nSPECIFICATION\n", "2:1"),
        ("inp Bool b\nvar Int x;\nSPECIFICATION\n", "2:1"),
        ("inp Bool b\nvar int x\nSPECIFICATION\n", "2:1"),
        ("inp Bool b\n output Int x\nSPECIFICATION\n", "2:2"),
        ("inp Bool b\nvar Int 3\nSPECIFICATION\n", "2:1"),
    ] {
        let told = refusal(&folder, &format!("{header}{rest}"), place);
        assert!(told.contains("`var Int x`"), "{told}");
    }
    for end in ["", "Specification:\n", "// SPECIFICATION\n"] {
        let told = refusal(&folder, &format!("var Int x\ninp Bool b\n{end}{rest}"), "1:9");
        assert!(told.contains("the line `SPECIFICATION` is missing"), "{told}");
    }
}

#[test]
fn functions_have_the_arguments_of_the_theory() {
    let folder = Folder::new();
    let text = |update: &str, duty: &str| {
        format!("var Int x\nvar Int y\nSPECIFICATION\nalways guarantee {{\n[x <- {update}];\n{duty};\n}}\n")
    };
    for (update, duty, place, hint) in [
        ("add x y i1()", "true", "5:7", "nest it: `add (add x y) z`"),
        ("mul x i2() i3()", "true", "5:7", "`mul (mul x y) z`"),
        ("sub x", "true", "5:7", "`sub i0() x`"),
        ("abs x y", "true", "5:7", "`abs` has one argument, not 2"),
        ("ite (gt x y) x", "true", "5:7", "`ite` has 3 arguments, not 2"),
        ("x", "gte x i0() i5()", "6:1", "join them by `&&`"),
        ("x", "eq x", "6:1", "`eq` has 2 arguments, not 1"),
        ("x", "and (gte x i0()) (lte x y) (eq y i0())", "6:1", "`and (and x y) z`"),
    ] {
        let told = refusal(&folder, &text(update, duty), place);
        assert!(told.contains(hint), "{told}");
    }
    // A function that the text defines is its own.
    let own = "var Int x\nSPECIFICATION\nadd a b c = a + b + c;\nassume { eq x i0(); }
always guarantee { [x <- add x x i1()]; F (gte x i9()); }\n";
    assert_eq!(verdict(&folder, own), "REALIZABLE");
    // Other functions, and names that look like numbers, are said to have no meaning.
    for (update, name) in [("double x", "`double`"), ("add x z5()", "`z5`"), ("add x b1()", "`b1`")] {
        folder.file("one.tslmt", text(update, "gte x y || true"));
        let run = folder.run(["check", "one.tslmt"]);
        assert!(run.err.contains(&format!("{name} is no function of the theory")), "{}", run.err);
        folder.file("one.tslmt", format!("#UF\n{}", text(update, "gte x y || true")));
        let run = folder.run(["check", "one.tslmt"]);
        assert!(!run.err.contains("of the theory"), "{}", run.err);
    }
}
