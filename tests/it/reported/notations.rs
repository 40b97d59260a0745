//! How people write formulas: the signs of papers, Wring, TLSF with past operators and strong bounds, names that begin
//! like an operator, constants of other tools.

use crate::cli::{Folder, Run};
use tsl_synth_testkit::quota;

fn shown(what: &str, run: &Run) {
    println!("{what}: exit {}: {}{}", run.code, run.out, run.err);
}

/// A TLSF file with the inputs `r`, `q`, the outputs `g`, `h`, and these guarantees.
fn tlsf(semantics: &str, target: &str, guarantees: &str) -> String {
    format!(
        "INFO {{ TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: {semantics} TARGET: {target} }}\n\
         MAIN {{ INPUTS {{ r; q; }} OUTPUTS {{ g; h; }} GUARANTEE {{ {guarantees} }} }}\n"
    )
}

/// Two LTL formulas have the same words.
fn same(folder: &Folder, left: &str, right: &str) {
    let head = "// inputs: a, b\n// outputs: c, d\n";
    folder.file("left.ltl", format!("{head}{left}\n"));
    folder.file("right.ltl", format!("{head}{right}\n"));
    let run = folder.run(["diff", "left.ltl", "right.ltl"]);
    shown(&format!("{left} and {right}"), &run);
    assert!(run.code == 0 && run.out.starts_with("EQUIVALENT"), "{left}: {}{}", run.out, run.err);
}

/// Each sign with the spelling in ASCII that it stands for.
const PAPER: &[(&str, &str)] = &[
    ("□ (a → ◇ c)", "G (a -> F c)"),
    ("◻ (a ⟶ ⋄ c)", "G (a -> F c)"),
    ("⬜ (a ⇒ ♢ c)", "G (a -> F c)"),
    ("□ (a ⟹ ○ c)", "G (a -> X c)"),
    ("□(a→◯◯c)", "G (a -> X X c)"),
    ("□ (¬a ∨ b ∧ c → d)", "G ((!a || (b && c)) -> d)"),
    ("a 𝒰 c ∧ d", "(a U c) && d"),
    ("a𝒰c", "a U c"),
    ("a 𝑈 b 𝑈 c", "a U (b U c)"),
    ("a ↔ b → c", "a <-> (b -> c)"),
    ("(a ⇔ c) ∧ (b ⟷ d) ∧ (c ⟺ c)", "(a <-> c) && (b <-> d)"),
    ("□ (a → ◊ c) ∧ ⬦d", "G (a -> F c) && F d"),
    ("𝐆(a → 𝐅 c)", "G (a -> F c)"),
    ("𝖦(a→𝖷𝗙 c) ∧ 𝗚 𝐗 𝗫 d", "G (a -> X F c) && G X X d"),
    ("a 𝐔 c ∧ d", "(a U c) && d"),
    ("a𝖴(c𝗨d)", "a U (c U d)"),
    ("⊤ → ¬⊥ ∧ c", "c"),
    ("¬¬□¬c", "G !c"),
    ("□[0:2] c ∧ ◇[1:2] d ∧ ○[2] c", "G[0:2] c && F[1:2] d && X[2] c"),
];

#[test]
fn the_signs_of_papers_are_read_in_ltl() {
    let folder = Folder::new();
    for (written, meant) in PAPER {
        same(&folder, written, &meant.replace("&&", "&").replace("||", "|"));
        let run = folder.run(["check", "--ins", "a,b", "--formula", written, "--verdict-only"]);
        assert!(run.code <= 1, "{written}: {}{}", run.out, run.err);
    }
}

#[test]
fn the_signs_of_papers_are_read_in_tlsf_and_tsl() {
    let folder = Folder::new();
    let renamed = |text: &str| -> String {
        let name = |c| match c {
            'a' => 'r',
            'b' => 'q',
            'c' => 'g',
            'd' => 'h',
            c => c,
        };
        text.chars().map(name).collect()
    };
    let tsl = |text: &str| format!("input a, b: Bool;\noutput c, d: Bool;\nguarantee {{ {text}; }}\n");
    for (written, meant) in PAPER {
        // TLSF has levels of its own: the binary temporal operators are the loosest.
        if !written.contains(['𝒰', '𝑈', '𝐔', '𝖴', '𝗨']) {
            folder.file("left.tlsf", tlsf("Mealy", "Mealy", &format!("{};", renamed(written))));
            folder.file("right.tlsf", tlsf("Mealy", "Mealy", &format!("{};", renamed(meant))));
            let run = folder.run(["diff", "left.tlsf", "right.tlsf"]);
            assert!(run.code == 0 && run.out.starts_with("EQUIVALENT"), "{written}: {}{}", run.out, run.err);
        }
        folder.file("left.tsl", tsl(written));
        folder.file("right.tsl", tsl(meant));
        let run = folder.run(["diff", "left.tsl", "right.tsl"]);
        shown(written, &run);
        assert!(run.code == 0 && run.out.starts_with("EQUIVALENT"), "{written}: {}{}", run.out, run.err);
    }
    folder.file("u.tlsf", tlsf("Mealy", "Mealy", "r → g 𝒰 q;"));
    folder.file("v.tlsf", tlsf("Mealy", "Mealy", "(r -> g) U q;"));
    assert_eq!(folder.run(["diff", "u.tlsf", "v.tlsf"]).code, 0);
    // Comparisons, the arrow of updates, and big operators.
    folder.file(
        "n.tsl",
        "cell n: 0..3 = 0;\ninput a: Bool;\nalways guarantee { n ≤ 2 ∧ n ≠ 3 → [n ← 3] ∨ ¬a; ∧[0 ≤ i < 2] (n = i → ¬[n ← 1]); n ≥ 0; }",
    );
    folder.file(
        "m.tsl",
        "cell n: 0..3 = 0;\ninput a: Bool;\nalways guarantee { n <= 2 && n != 3 -> [n <- 3] || !a; &&[0 <= i < 2] (n = i -> ![n <- 1]); n >= 0; }",
    );
    let run = folder.run(["diff", "n.tsl", "m.tsl"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let formatted = folder.run(["fmt", "--check", "n.tsl"]);
    folder.run(["fmt", "n.tsl"]);
    let run = folder.run(["diff", "n.tsl", "m.tsl"]);
    assert!(run.code == 0 && folder.run(["fmt", "--check", "n.tsl"]).code == 0, "{}", formatted.err);
}

/// Formulas as papers typeset them, and a part of the one hint about each.
const TYPESET: &[(&str, &str)] = &[
    (r"\Box (a \rightarrow \Diamond c)", r"`G` for `\Box`"),
    (r"a \wedge c", r"`&&` for `\wedge`"),
    (r"\neg a \vee c", r"`!` for `\neg`"),
    (r"\bigcirc c", r"`X` for `\bigcirc`"),
    (r"a \leftrightarrow \lozenge c", r"`<->` for `\leftrightarrow`"),
    ("G (a -> F<=3 c)", "`F[0:3]`"),
    ("G (a -> F <= 3 c)", "`F[0:3]`"),
    ("□ (a → ◇≤3 c)", "`F[0:3]`"),
    ("G (a -> F_{[0,3]} c)", "`G[0:3]`"),
];

#[test]
fn typeset_formulas_get_one_hint() {
    let folder = Folder::new();
    for (written, hint) in TYPESET {
        folder.file("t.ltl", format!("// inputs: a\n// outputs: c\n{written}\n"));
        folder.file("t.tsl", format!("input a: Bool;\noutput c: Bool;\nguarantee {{ {written}; }}\n"));
        for file in ["t.ltl", "t.tsl"] {
            let run = folder.run(["check", file]).exits(2);
            let text = run.err.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(text.matches("error[").count(), 1, "{written}: {}", run.err);
            assert!(
                text.contains(hint) || file == "t.tsl" && text.contains("bounds are"),
                "{written}: {text}"
            );
        }
    }
    // Those are conjunctions and disjunctions, and comparisons.
    folder.file("t.ltl", "// inputs: a\n// outputs: c\na /\\c \\/ a /\\ Box\n");
    assert!(
        folder.run(["check", "t.ltl", "--ins", "Box"]).code != 2
            || !folder.run(["check", "t.ltl"]).err.contains("LaTeX")
    );
    folder.file("t.tsl", "input F1: 0..9;\noutput c: Bool;\nguarantee { F1<=3 -> c; F F1 <= 3 -> F c; }\n");
    folder.run(["check", "t.tsl"]).exits(0);
}

#[test]
fn the_signs_of_papers_are_read_in_laws() {
    let folder = Folder::new();
    let policy = |law: &str| {
        format!(
            "[propositions]\npaid = {{}}\n[actions]\nship = {{}}\n[[laws]]\nid = \"l\"\nformula = {law:?}\nexplanation = \"pay first\"\n"
        )
    };
    let answer = |law: &str| {
        folder.file("p.toml", policy(law));
        let run = folder.run(["check", "p.toml"]);
        (run.code, run.out.clone(), run.err)
    };
    let plain = answer("!ship W paid");
    for law in ["¬ship W paid", "□ (ship → ⊤) ∧ (¬ship W paid)"] {
        let (code, ..) = answer(law);
        assert_eq!(code, plain.0, "{law}: {:?} and {plain:?}", answer(law));
    }
}

#[test]
fn spellings_of_wring_and_acacia_are_read() {
    let folder = Folder::new();
    for (written, meant) in [
        ("G(a=1 -> F(c=1))", "G (a -> F c)"),
        ("G(a=0 -> F(c=0))", "G (!a -> F !c)"),
        ("a = 1 * c=0 + d=1", "a & !c | d"),
        ("!a=0", "a"),
        ("\"a\"=1 -> X \"c\"=0", "a -> X !c"),
        ("a + b * c ^ d", "a | ((b & c) ^ d)"),
        ("F[1 to 3] c", "F[1:3] c"),
        ("F[1 to $] c & G[2 to inf] d", "F[1:$] c & G[2:$] d"),
    ] {
        same(&folder, written, meant);
    }
    for (wrong, word) in [
        ("G(a=2 -> c)", "a=1"),
        ("(a|b)=1", "stands after no proposition"),
        ("a ≤ c", "not compared"),
        ("F[99999999999999999999:3] c", "does not fit"),
        ("X[1:2] c", "one bound"),
    ] {
        let run = folder.run(["check", "--ins", "a,b", "--formula", wrong]);
        shown(wrong, &run);
        assert!(run.code == 2 && run.err.contains(word), "{wrong}: {}", run.err);
        assert!(!run.err.contains("occurs in no formula"), "{wrong}: a consequence is reported: {}", run.err);
    }
}

#[test]
fn strong_bounds_are_read_on_both_sides() {
    let folder = Folder::new();
    for (written, meant) in [
        ("X[2!] c", "X X c"),
        ("X[!2] c", "X X c"),
        ("X[!] c", "X c"),
        ("F[1:2!] c", "X (c | X c)"),
        ("F[!1:2] c", "X (c | X c)"),
        ("G[1:2!] c", "X (c & X c)"),
        ("G[! 0 .. 1] c", "c & X c"),
    ] {
        same(&folder, written, meant);
    }
    // On finite words their steps have to exist: a word of one letter satisfies the weak ones only.
    let shortest = |formula: &str| {
        folder.file("f.tlsf", tlsf("Mealy,Finite", "Mealy", &format!("{formula}; X false;")));
        let run = folder.run(["check", "f.tlsf", "--verdict-only"]);
        shown(formula, &run);
        run.code
    };
    for (strong, weak) in
        [("X[2!] g", "X[2] g"), ("F[1:2!] g", "F[1:2] g"), ("G[!1:2] g", "G[1:2] g"), ("X[!1] g", "X[1] g")]
    {
        assert_eq!((shortest(strong), shortest(weak)), (1, 0), "{strong}");
        let left = tlsf("Mealy,Finite", "Mealy", &format!("{strong};"));
        folder.file("a.tlsf", left);
        assert_eq!(folder.run(["check", "a.tlsf", "--verdict-only"]).code, 0, "{strong}");
    }
    for wrong in ["Y[2!] g", "X[] g", "F[!] g", "X[!2:3] g"] {
        folder.file("w.tlsf", tlsf("Mealy", "Mealy", &format!("{wrong};")));
        let run = folder.run(["check", "w.tlsf"]);
        assert_eq!(run.code, 2, "{wrong}: {}{}", run.out, run.err);
    }
}

/// As in the format's tool; the same formulas without past operators are equivalent under every model.
#[test]
fn past_operators_of_tlsf_are_read_under_every_semantics() {
    let folder = Folder::new();
    let cases = [
        ("G (g <-> Y r)", "!g && G (X g <-> r)"),
        ("G (g <-> Z r)", "g && G (X g <-> r)"),
        ("G (g -> O r)", "(!g) W r"),
        ("G (g -> H r)", "(!g) W (!r) || G r || (r W (!r && G !g))"),
        ("G (g <-> Y Y (r && !h))", "!g && X !g && G (X X g <-> (r && !h))"),
        ("G (g <-> Z Y (r && !h))", "g && X !g && G (X X g <-> (r && !h))"),
        ("G (g <-> Y (h S r))", "!g && G ((r || (g && h)) <-> X g)"),
        ("G (g <-> (h S r))", "(g <-> r) && G (X g <-> (X r || (X h && g)))"),
        ("G (g <-> (h T r))", "(g <-> r) && G (X g <-> (X r && (X h || g)))"),
        ("G (g <-> O[1:2] h)", "!g && (X g <-> h) && G (X X g <-> (h || X h))"),
        ("G (h <-> Y (g S r))", "!h && G ((r || (h && g)) <-> X h)"),
        ("G (g <-> H[0:1] r)", "(g <-> r) && G (X g <-> (r && X r))"),
    ];
    let models = [("Mealy", "Mealy"), ("Moore", "Moore"), ("Moore", "Mealy"), ("Mealy", "Moore")];
    for (past, future) in cases.into_iter().filter(|(past, _)| *past != "G (g -> H r)") {
        for (semantics, target) in models {
            folder.file("past.tlsf", tlsf(semantics, target, &format!("{past};")));
            folder.file("future.tlsf", tlsf(semantics, target, &format!("{future};")));
            let run = folder.run(["diff", "past.tlsf", "future.tlsf"]);
            assert!(
                run.code == 0 && run.out.starts_with("EQUIVALENT"),
                "{past} as {semantics} to {target}: {}{}",
                run.out,
                run.err
            );
            let verdict = |file: &str| folder.run(["check", file, "--verdict-only"]).code;
            assert_eq!(verdict("past.tlsf"), verdict("future.tlsf"), "{past} as {semantics} to {target}");
        }
    }
    // Machines of such files are written, and hold.
    for (semantics, target) in models {
        folder.file("e.tlsf", tlsf(semantics, target, "G (g <-> Y (h S r));"));
        for ending in ["hoa", "aag", "json"] {
            let file = format!("e.{ending}");
            let run = folder.run(["emit", "e.tlsf", "-o", &file]);
            assert_eq!(run.code, 0, "{}", run.err);
            let run = folder.run(["verify", "e.tlsf", &file]);
            assert!(run.code == 0 && run.out.starts_with("HOLDS"), "{}{}", run.out, run.err);
        }
    }
    folder.file("w.tlsf", tlsf("Mealy", "Mealy", "G (g -> O X r); Y F g S r;"));
    let run = folder.run(["check", "w.tlsf"]);
    assert!(run.code == 2 && run.err.matches("TSL0126").count() >= 2, "{}", run.err);
}

/// A file that declares, defines or binds such a letter has no operator of this name.
#[test]
fn letters_of_past_operators_stay_names_where_a_file_says_so() {
    let folder = Folder::new();
    let head = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }\n";
    let files = [
        "MAIN { INPUTS { Y; O; } OUTPUTS { S[2]; H; } GUARANTEE { G (Y -> S[0]); H || O -> S[1]; } }",
        "GLOBAL { PARAMETERS { T = 2; } } MAIN { INPUTS { a; } OUTPUTS { b[T]; } GUARANTEE { G (a -> b[T - 1]); } }",
        "GLOBAL { DEFINITIONS { S(H) = H -> X O; O = true; } } MAIN { INPUTS { a; } OUTPUTS { b; } GUARANTEE { G S(a); } }",
        "MAIN { INPUTS { a; } OUTPUTS { b[2]; } GUARANTEE { &&[0 <= T < 2] G (a -> b[T]); ||[O IN {0, 1}] b[O]; } }",
        "GLOBAL { DEFINITIONS { f(x) = x ~ O U S : S  otherwise : x; } } MAIN { INPUTS { a; } OUTPUTS { b; } GUARANTEE { f(a U b); } }",
    ];
    for main in files {
        folder.file("n.tlsf", format!("{head}{main}"));
        let run = folder.run(["check", "n.tlsf", "--hints", "none"]);
        shown(main, &run);
        assert!(run.code <= 1 && run.err.is_empty(), "{main}: {}", run.err);
    }
    folder.file("w.tlsf", tlsf("Mealy", "Mealy", "G (r -> S);"));
    let run = folder.run(["check", "w.tlsf"]);
    assert!(run.code == 2 && run.err.contains("is a past operator"), "{}", run.err);
}

#[test]
fn empty_entries_of_tlsf_sections_are_passed_over() {
    let folder = Folder::new();
    let head = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }\n";
    let main = |empty: &str| {
        format!(
            "{head}GLOBAL {{ PARAMETERS {{ {empty} n = 1; {empty} }} DEFINITIONS {{ {empty} f(x) = x; {empty} }} }}\n\
             MAIN {{ INPUTS {{ {empty} r; {empty} }} OUTPUTS {{ {empty} g; {empty} }} ASSUME {{ {empty} }} GUARANTEE {{ {empty} G (r -> f(g)); {empty} }} }}"
        )
    };
    for count in [0, 1, 2, 10, 1000] {
        folder.file("l.tlsf", main(&"; ".repeat(count)));
        let run = folder.run(["check", "l.tlsf", "--hints", "none"]);
        assert!(run.code == 0 && run.err.is_empty(), "{count}: {}{}", run.out, run.err);
    }
    folder.file("none.tlsf", format!("{head}MAIN {{ INPUTS {{ ; }} OUTPUTS {{ g; }} GUARANTEE {{ g; }} }}"));
    assert_eq!(folder.run(["check", "none.tlsf"]).code, 0);
}

#[test]
fn names_that_begin_like_an_operator_are_announced() {
    let folder = Folder::new();
    let check = |args: &[&str]| {
        let run = folder.run(["check", "--hints", "none"].iter().chain(args));
        shown(&args.join(" "), &run);
        run
    };
    let light = "G (Car -> X Green) & G (!Car -> X !Green) & G !(Red & Green)";
    let run = check(&["--ins", "Car", "--formula", light]);
    assert_eq!((run.code, run.err.matches("TSL0048").count()), (1, 1), "{}", run.err);
    assert!(
        run.err.contains("`Green` is read as `G reen`") && run.err.contains("--outs Green"),
        "{}",
        run.err
    );
    assert!(check(&["--ins", "Car", "--outs", "Green,Red", "--formula", light]).err.is_empty());
    assert!(check(&["--ins", "Car", "--formula", &light.replace("Green", "\"Green\"")]).err.is_empty());
    for name in ["Floor", "Fire", "Fan", "Gate", "Grant", "Xray", "Fault", "Gürtel"] {
        let run = check(&["--ins", "a", "--formula", &format!("G (a -> X {name})")]);
        assert!(run.code <= 1 && run.err.contains(&format!("`{name}` is read as")), "{name}: {}", run.err);
    }
    for quiet in
        ["GFa -> GFb", "G(a -> Fb)", "Xp1 & a", "F1 & a", "XXreq & a", "Greq & (a -> req)", "FGa", "Ga"]
    {
        let run = check(&["--ins", "a", "--formula", quiet]);
        assert!(!run.err.contains("TSL0048"), "{quiet}: {}", run.err);
    }
}

#[test]
fn constants_of_other_tools_are_announced() {
    let folder = Folder::new();
    for (formula, code, warnings) in
        [("G (a -> ff)", 0, 1), ("G (a -> false)", 1, 0), ("G (a -> tt) & G (tt -> !ff)", 0, 2)]
    {
        let run = folder.run(["check", "--ins", "a", "--formula", formula, "--hints", "none"]);
        shown(formula, &run);
        assert_eq!(
            (run.code, run.err.matches("TSL0042").count()),
            (code, warnings),
            "{formula}: {}",
            run.err
        );
    }
    let run = folder.run(["check", "--ins", "a,tt", "--formula", "G (a -> tt)", "--hints", "none"]);
    assert!(run.code == 1 && run.err.is_empty(), "a listed name is a name: {}", run.err);
    folder.file("c.tsl", "always guarantee { a -> ff; [x <- b()]; }");
    assert!(folder.run(["check", "c.tsl"]).err.contains("did you mean `false`"));
    folder.file("c.tlsf", tlsf("Mealy", "Mealy", "G (r -> tt);"));
    let run = folder.run(["check", "c.tlsf"]);
    assert!(run.code == 2 && run.err.contains("the constant is `true`"), "{}", run.err);
}

/// No stack overflows and nothing hangs: 100,000 nested operators are refused with the limit, or read.
#[test]
fn many_signs_are_read_or_refused() {
    let folder = Folder::new();
    let many = quota(8_000);
    let texts = [
        "¬".repeat(many) + "a",
        "□◇".repeat(many) + "a",
        "○[2]".repeat(many) + "a",
        "a 𝒰 ".repeat(many) + "a",
        "a → ".repeat(many) + "a",
        "a ∧ ".repeat(many) + "⊤",
        "a=0 + ".repeat(many) + "a",
        "X[2!] ".repeat(many) + "a",
        "⊤".repeat(many),
        "𝒰".repeat(many),
        "Green ".repeat(many),
    ];
    for text in texts {
        let begin: String = text.chars().take(12).collect();
        folder.file("m.ltl", format!("// inputs: b\n{text}\n"));
        folder.file("m.tlsf", tlsf("Mealy", "Mealy", &format!("{text};").replace('a', "g")));
        folder.file("m.tsl", format!("always guarantee {{ {text}; }}"));
        for file in ["m.ltl", "m.tlsf", "m.tsl"] {
            let run = folder.run(["check", file, "--verdict-only", "--time-limit", "1s"]);
            println!("{begin} in {file}: exit {}", run.code);
            assert!(
                run.code <= 3,
                "{begin} in {file}: exit {}: {}",
                run.code,
                run.err.get(..400).unwrap_or(&run.err)
            );
        }
    }
}
