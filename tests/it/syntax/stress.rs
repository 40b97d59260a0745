//! Deeply nested, long, random and broken texts: the parsers do not panic, hang or overflow the stack.

use std::fmt::Write;
use std::time::Instant;

use tsl_synth_core::diag::{Code, Diagnostics};
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::syntax::parse_tsl;
use tsl_synth_ltl::ltl::{parse_ltl, print_ltl};
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::scan::MAX_NESTING;
use tsl_synth_testkit::quota;

use super::corpus::{check_format, corpus, render, rows};

/// A small pseudorandom generator (xorshift).
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Parses a TSL text; checks that the spans of findings are inside the text.
fn tsl(text: &str, dialect: Dialect) -> (bool, String) {
    let mut map = SourceMap::new();
    let source = map.add("test", text);
    let mut found = Diagnostics::new();
    let parsed = parse_tsl(&map, source, dialect, &mut found).is_some();
    assert_eq!(parsed, !found.has_errors(), "{text}");
    (parsed, checked(&map, text, &found))
}

fn ltl(text: &str) -> (bool, String) {
    let mut map = SourceMap::new();
    let source = map.add("test", text);
    let mut found = Diagnostics::new();
    let module = parse_ltl(&map, source, &|_| false, &mut found);
    assert_eq!(module.is_some(), !found.has_errors(), "{text}");
    if let Some(module) = &module {
        for formula in &module.formulas {
            let printed = print_ltl(&module.exprs, *formula);
            let again = map.add("again", printed.clone());
            let Some(reread) = parse_ltl(&map, again, &|_| false, &mut found) else {
                panic!("`{printed}` does not parse: {}", render(&map, &found));
            };
            let same = module.exprs.same(*formula, &reread.exprs, reread.formulas[0]);
            assert!(same && reread.formulas.len() == 1, "`{printed}` reads differently ({text})");
        }
    }
    (module.is_some(), checked(&map, text, &found))
}

fn checked(map: &SourceMap, text: &str, found: &Diagnostics) -> String {
    for finding in found {
        for label in &finding.labels {
            let range = label.span.range();
            assert!(text.get(range.clone()).is_some(), "{range:?} is no place of {text:?}: {finding:?}");
        }
    }
    render(map, found)
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = quota(1_500).min(6_000);
    let section = |inner: String| format!("always guarantee {{ {inner}; }}");
    let repeated =
        ["(", "[x <- (", "!", "X ", "X X G ! ", "f (", "{", "/*", "a -> (", "|", "F[0:1] ", "-", "&&[i IN "];
    for piece in repeated {
        for text in [section(piece.repeat(deep)), piece.repeat(deep), format!("d = {}a;", piece.repeat(deep))]
        {
            for dialect in [Dialect::TslSynth, Dialect::Tsltools, Dialect::Barnard] {
                let (parsed, _) = tsl(&text, dialect);
                assert!(!parsed, "{piece}");
            }
            assert!(!ltl(&text).0, "{piece}");
        }
    }
    let deep = 100_000;
    let closed = format!("{}a{}", "(".repeat(deep), ")".repeat(deep));
    let too_deep = Code::TOO_DEEP.to_string();
    assert!(tsl(&section(closed.clone()), Dialect::TslSynth).1.contains(&too_deep));
    assert!(ltl(&closed).1.contains(&too_deep));
    assert!(tsl(&section(format!("{}a", "!".repeat(deep))), Dialect::TslSynth).1.contains(&too_deep));
    assert!(ltl(&format!("{}a", "X ".repeat(deep))).1.contains(&too_deep));
}

#[test]
fn nesting_up_to_the_limit_is_fine() {
    let deep = MAX_NESTING - 1;
    for (open, close) in [("(", ")"), ("f (", ")"), ("(a -> ", ")"), ("f(", ")")] {
        let text = format!("guarantee {{ {}a{}; }}", open.repeat(deep), close.repeat(deep));
        let (parsed, found) = tsl(&text, Dialect::TslSynth);
        assert!(parsed, "{open}: {found}");
        check_format(open, &text, Dialect::TslSynth).expect("it parses");
    }
    assert!(tsl(&format!("guarantee {{ {}a; }}", "X ".repeat(deep)), Dialect::TslSynth).0);
    assert!(ltl(&format!("{}a{}", "(".repeat(deep), ")".repeat(deep))).0);
}

#[test]
fn long_flat_texts_take_time_in_proportion() {
    let start = Instant::now();
    let count = quota(8_000).min(40_000);
    for op in [" && ", " -> ", " U ", " + ", " <-> ", " "] {
        let formula = vec!["p x"; count].join(op);
        let text = format!("always guarantee {{\n  {formula};\n}}\n");
        assert!(tsl(&text, Dialect::TslSynth).0, "{op}");
    }
    for op in [" & ", " -> ", " U ", " <-> ", "\n"] {
        assert!(ltl(&vec!["p"; count].join(op)).0, "{op}");
    }
    let lines = "  a && X !b -> [x <- f x y];\n".repeat(count);
    assert!(tsl(&format!("always guarantee {{\n{lines}}}\n"), Dialect::Tsltools).0);
    let words = "a b ".repeat(count);
    tsl(&words, Dialect::TslSynth);
    tsl(&format!("x = {words}"), Dialect::TslSynth);
    tsl(&"always ".repeat(count), Dialect::TslSynth);
    tsl(&"assume { a ".repeat(900), Dialect::TslSynth);
    tsl(&"x = a\n".repeat(count), Dialect::TslSynth);
    tsl(&"a (b) ".repeat(count), Dialect::TslSynth);
    tsl(&") ".repeat(count), Dialect::TslSynth);
    tsl(&format!("guarantee {{ {} }}", "a & ; \" ) ".repeat(count)), Dialect::TslSynth);
    // Generous: a quadratic pass would take minutes.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

const WORDS: &[&str] = &[
    "a",
    "b",
    "x",
    "p",
    "f",
    "G",
    "F",
    "X",
    "U",
    "W",
    "R",
    "A",
    "S",
    "T",
    "M",
    "Y",
    "O",
    "H",
    "!",
    "&&",
    "||",
    "->",
    "<->",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "..",
    "<-",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    "+",
    "-",
    "*",
    "/",
    "%",
    "|",
    "&",
    "^",
    "~",
    "?",
    "=>",
    "<>",
    "[]",
    "()",
    "1",
    "42",
    "3.14",
    "true",
    "false",
    "IN",
    "AND",
    "NOT",
    "SIZE",
    "(+)",
    "(-)",
    "\"t\"",
    "\"",
    "'",
    "\n",
    "\n",
    " ",
    "otherwise",
    "if",
    "always",
    "assume",
    "guarantee",
    "initially",
    "after",
    "import",
    "as",
    "input",
    "cell",
    "predicate",
    "enum",
    "//",
    "/*",
    "*/",
    "#LIA",
    "é",
    "∧",
    "[x <- t]",
    "[x <- f x]",
    "&&[i IN s]",
    "F[0:2]",
    "X[2]",
    "c()",
    "p x",
    "f(x, y)",
    "always guarantee {",
    "};",
    "@",
];

#[test]
fn random_words_never_panic() {
    let mut dice = Xorshift(0x5eed_1234_5678_9abc);
    let mut parsed = 0;
    for round in 0..6_000 {
        let mut text = String::new();
        if round % 3 > 0 {
            text.push_str("always guarantee {");
        }
        for _ in 0..dice.below(30) {
            text.push_str(WORDS[dice.below(WORDS.len())]);
            if dice.below(4) > 0 {
                text.push(' ');
            }
        }
        if round % 3 == 1 {
            text.push_str(";}");
        }
        for dialect in [Dialect::TslSynth, Dialect::Tsltools, Dialect::Barnard] {
            if tsl(&text, dialect).0 {
                parsed += 1;
                check_format(&text, &text, dialect);
            }
        }
        ltl(&text);
    }
    println!("{parsed} random texts parse");
}

#[test]
fn random_formulas_round_trip() {
    let mut dice = Xorshift(0x00c0_ffee_0000_0001);
    let infix = ["&&", "||", "->", "<->", "U", "W", "R", "A", "S", "T", "="];
    let prefix = ["!", "X", "F", "G", "X[2]", "F[0:3]", "&&[i IN {1..3}]", "Y"];
    let atom = [
        "a",
        "p x",
        "[x <- f x]",
        "(b)",
        "f(x, y)",
        "c()",
        "x + 1",
        "(a && b)",
        "(X a)",
        "true",
        "p (f x) y",
    ];
    for _ in 0..quota(800) {
        let mut formula = String::new();
        for i in 0..=dice.below(6) {
            if i > 0 {
                let _ = write!(formula, " {} ", infix[dice.below(infix.len())]);
            }
            for _ in 0..dice.below(3) {
                formula.push_str(prefix[dice.below(prefix.len())]);
                formula.push(' ');
            }
            formula.push_str(atom[dice.below(atom.len())]);
        }
        let text = format!("guarantee {{ {formula}; }}");
        for dialect in [Dialect::TslSynth, Dialect::Tsltools, Dialect::Barnard] {
            check_format(&text, &text, dialect);
        }
        ltl(&formula.replace(['+', '=', '{', '}'], "&"));
    }
}

#[test]
fn broken_specifications_never_panic() {
    let mut files = crate::gallery::gallery();
    files.retain(|path| path.extension().is_some_and(|e| e == "tsl"));
    if let Some(folder) = corpus() {
        files.extend(
            rows(&folder).into_iter().map(|(name, ..)| folder.join(name)).filter(|path| path.is_file()),
        );
    }
    let mut dice = Xorshift(0x0dd_ba11);
    let mut parsed = 0;
    for path in files {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a specification");
        for _ in 0..quota(3) {
            let mut chars: Vec<char> = text.chars().collect();
            for _ in 0..=dice.below(4) {
                let (at, other) = (dice.below(chars.len().max(1)), dice.below(chars.len().max(1)));
                match dice.below(5) {
                    0 => drop(chars.drain(at..(at + 1 + dice.below(20)).min(chars.len()))),
                    1 => chars.swap(at, other),
                    2 => chars
                        .insert(at, ['(', ')', '{', '}', ';', '[', '&', '\0', '"', '/', '='][dice.below(11)]),
                    3 => chars.splice(at..at, WORDS[dice.below(WORDS.len())].chars()).for_each(drop),
                    _ => chars.truncate(at.max(1)),
                }
                if chars.is_empty() {
                    chars.push(' ');
                }
            }
            let text: String = chars.into_iter().collect();
            if tsl(&text, Dialect::TslSynth).0 {
                parsed += 1;
                check_format(&name, &text, Dialect::TslSynth);
            }
            ltl(&text);
        }
    }
    println!("{parsed} broken specifications parse");
    assert!(parsed >= 10, "{parsed} broken specifications parse");
}

#[test]
fn odd_files_are_clean() {
    for text in [
        "",
        "\u{feff}",
        "\0\0\0",
        "\u{1}\u{2}",
        "\r\n\r\n",
        "\u{feff}always guarantee {\r\n a;\r\n}\r\n",
        "é",
        "💥",
    ] {
        tsl(text, Dialect::TslSynth);
        ltl(text);
    }
    assert!(tsl("\u{feff}always guarantee {\r\n  X\r\n a;\r\n}\r\n", Dialect::TslSynth).0);
    assert!(tsl("always guarantee {\r\n  größe_1 -> [état <- λ é];\r\n} // fin", Dialect::TslSynth).0);
}

/// Ten megabytes: `campaigns ten-megabytes`.
#[test]
#[ignore = "takes a while and much memory in a debug build"]
fn ten_megabytes() {
    for op in [" && ", " -> "] {
        let text = format!("guarantee {{ {}; }}", vec!["ab"; 10_000_000 / (2 + op.len())].join(op));
        let start = Instant::now();
        assert!(tsl(&text, Dialect::TslSynth).0);
        println!("{} bytes with `{op}`: {:?}", text.len(), start.elapsed());
    }
    let text = format!("guarantee {{\n{}}}", "  a && X !b -> [x <- f x y];\n".repeat(340_000));
    let start = Instant::now();
    assert!(tsl(&text, Dialect::Tsltools).0);
    println!("{} bytes in lines: {:?}", text.len(), start.elapsed());
    let text = vec!["ab"; 2_000_000].join(" & ");
    let start = Instant::now();
    assert!(ltl(&text).0);
    println!("{} bytes of LTL: {:?}", text.len(), start.elapsed());
}
