//! Texts that could make the script parser hang, crash or misread.

use tsl_synth_core::base::Random;
use tsl_synth_shell::{argv_automaton, script_automaton};
use tsl_synth_testkit::quota;

#[test]
fn random_texts_are_read_or_opaque() {
    let pieces = [
        "a",
        "git push",
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "while",
        "until",
        "do",
        "done",
        "for",
        "in",
        "case",
        "esac",
        "{",
        "}",
        "(",
        ")",
        "((",
        "))",
        "[[",
        "]]",
        ";",
        ";;",
        "&",
        "&&",
        "|",
        "||",
        "|&",
        "!",
        "\n",
        "<",
        ">",
        ">>",
        "<<E",
        "<<<",
        "<(",
        ">(",
        "$(",
        "${",
        "$((",
        "`",
        "'",
        "\"",
        "\\",
        "$",
        "$x",
        "*",
        "~",
        "#",
        "=",
        "x=",
        "x=(",
        "2>&1",
        "99999999999999999999>x",
        "function",
        "f()",
        "time",
        "coproc",
        "select",
        "eval",
        "exec",
        "exit",
        "break",
        "return",
        "set -e",
        "trap x EXIT",
        "sudo",
        "env",
        "timeout 5",
        "xargs",
        "bash -c",
        "find . -exec",
        "+",
        "\u{e4}\u{1f600}",
        "\u{0}",
        "\r",
        "\t",
        "@(",
        "{a,b}",
        "$'",
        "~99999999999999999999",
        "&>",
        "<>",
        ">|",
        "-",
    ];
    let mut random = Random::new(17);
    for _ in 0..4_000 {
        let spaced = random.chance(0.7);
        let length = random.below(24);
        let words: Vec<&str> = (0..length).map(|_| pieces[random.below(pieces.len())]).collect();
        let text = words.join(if spaced { " " } else { "" });
        let automaton = script_automaton(&text);
        assert!(!automaton.states.is_empty());
        argv_automaton(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
}

/// Ordinary commands with a few random changes: the parser fails on none.
#[test]
fn changed_commands_are_read_or_opaque() {
    let path = tsl_synth_testkit::repository().join("fixtures/shell/ordinary.txt");
    let text = std::fs::read_to_string(path).expect("commands");
    let commands: Vec<Vec<char>> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.chars().collect()).collect();
    let pieces = [
        "$(",
        ")",
        "((",
        "{",
        "}",
        "`",
        "\"",
        "'",
        "\\",
        "<(",
        "<<E\n",
        "\nE\n",
        "<<<",
        "|",
        "\n",
        "[[",
        "=~",
        "${",
        "${\u{1f600}a}",
        "${#",
        "$'",
        "a=(",
        "a[",
        "]=",
        "\u{e9}",
        "2>&1",
        "{fd}>",
        "case x in",
        "esac",
        "~",
    ];
    let mut random = Random::new(23);
    for _ in 0..quota(4_000) {
        let mut changed = commands[random.below(commands.len())].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(changed.len() + 1);
            match random.below(3) {
                0 => drop(changed.splice(at..at, pieces[random.below(pieces.len())].chars())),
                1 => drop(changed.drain(at..changed.len().min(at + 1 + random.below(6)))),
                _ => {
                    let other = &commands[random.below(commands.len())];
                    let from = random.below(other.len().max(1));
                    let part = &other[from.min(other.len())..other.len().min(from + 12)];
                    drop(changed.splice(at..at, part.iter().copied()));
                }
            }
        }
        let text: String = changed.into_iter().collect();
        let automaton = script_automaton(&text);
        let failed = automaton.letters.iter().any(|letter| letter.opaque == Some("the parser failed"));
        assert!(!failed, "{text}");
    }
    assert!(script_automaton("echo ${\u{1f600}a} ${#} ${} ${#\u{e9}}").letters.len() <= 2);
}

#[test]
fn large_and_deep_texts_are_read_or_opaque() {
    let mut texts: Vec<String> = Vec::new();
    for open in [
        "(",
        "( ",
        "((",
        "{ ",
        "$(",
        "\"$(",
        "`",
        "${",
        "${x:-",
        "$((",
        "<(",
        "a <(",
        "if ",
        "if a; then ",
        "while a; do ",
        "! ",
        "case x in a) ",
        "case x in (a) ",
        "for x in a; do ",
        "f() { ",
        "function f() (",
        "a && ",
        "a | ",
        "a; ",
        "a & ",
        "a || ",
        "[[ ( ",
        "[[ ! ",
        "bash -c '",
        "sudo ",
        "xargs ",
        "x=(",
        "{a,",
        "coproc ",
        "time ",
        "a <<E\n",
        "@(",
        "\\",
        "\"",
        "\n",
        "[[ a && ",
    ] {
        for times in [7, 9, 40, 1_000, 20_000] {
            texts.push(open.repeat(times));
            texts.push(format!("{}a", open.repeat(times)));
        }
    }
    for (open, close) in [
        ("(", ")"),
        ("{ ", "; }"),
        ("$(", ")"),
        ("if a; then ", "; fi"),
        ("while a; do ", "; done"),
        ("case x in a) ", " ;; esac"),
        ("case x in a) ", "\nesac"),
        ("f() { ", "; }"),
        ("\"$(", ")\""),
        ("${x:-", "}"),
        ("a <(", ")"),
        ("( ( ", " ; ) )"),
        ("(a; ", ")"),
    ] {
        for times in [5, 8, 30, 1_000] {
            texts.push(format!("{}a{}", open.repeat(times), close.repeat(times)));
        }
    }
    // Each function calls the next one nine times: inlining all calls would take exponential size.
    let calls: String = (0..12)
        .map(|i| format!("f{i}() {{ {} }}; ", format!("f{}; ", i + 1).repeat(9)))
        .collect::<Vec<_>>()
        .concat();
    texts.push(format!("{calls} f12() {{ a; }}; f0"));
    // Pipelines and background commands with many interleavings.
    texts.push(["(a; b; c; d; e)"; 12].join(" | "));
    texts.push("(a; b; c; d) & ".repeat(30));
    texts.push("if x; then (a; b; c; d) & fi; ".repeat(60));
    for text in texts {
        let automaton = script_automaton(&text);
        assert!(!automaton.states.is_empty());
    }
}
