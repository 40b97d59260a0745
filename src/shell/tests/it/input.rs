//! Tables about the text on the standard input of a command.

use Certainty::{Maybe, No, Yes};
use tsl_synth_core::base::{Glob, GlobKind};
use tsl_synth_shell::{ArgvPattern, Certainty, ClauseWords, CommandClause, Exported, script_automaton};

/// How sure it is that some command of a script is `sql` with a text that drops something.
fn drops(script: &str) -> Certainty {
    let words = ClauseWords::Argv(ArgvPattern::new(&["sql", "**"]).expect("a pattern"));
    let glob = Glob::new("*DROP *", GlobKind::Name).expect("a glob");
    let clause = CommandClause { input: vec![glob], ..words.into() };
    let automaton = script_automaton(script);
    let exported = Exported::of(&automaton);
    automaton.letters.iter().map(|command| clause.matches(command, &exported)).max().unwrap_or(No)
}

#[test]
fn known_texts_are_compared() {
    for (script, expected) in [
        ("sql <<< 'DROP t'", Yes),
        ("sql x <<E\nbegin;\nDROP t;\nE", Yes),
        ("sql -x <<'E'\nDROP $t\nE", Yes),
        ("sql <<E\nDROP $t\nE", Yes),
        ("echo 'DROP t' | sql", Yes),
        ("echo DROP t | sql", Yes),
        ("echo DROP $t | sql", Yes),
        ("printf 'DROP t' | sql x", Yes),
        ("printf '%s' 'DROP t' | sql x", Yes),
        ("cat <<E | sql\nDROP t\nE", Yes),
        ("sudo sql <<< 'DROP t'", Yes),
        ("bash -c \"sql <<< 'DROP t'\"", Yes),
        ("x && (sql <<< 'DROP t')", Yes),
        ("sql <<< 'SELECT 1'", No),
        ("echo 'SELECT 1' | sql", No),
        ("echo SELECT 1 | sql && echo 'DROP t'", No),
        ("cat <<E | sql\nSELECT 1\nE", No),
        ("other <<< 'DROP t'", No),
        ("echo 'DROP t' | other | tee x; sql", No),
        ("sql", No),
        ("sql > x 2>&1", No),
        ("sql | grep x", No),
        ("cat x | other; sql", No),
        ("other < x; sql", No),
    ] {
        assert_eq!(drops(script), expected, "{script}");
    }
}

#[test]
fn texts_of_files_and_programs_may_be_any() {
    for script in [
        "sql < x",
        "cat x | sql",
        "curl x | sql -q",
        "echo \"$x\" | sql",
        "sql <<< \"$x\"",
        "cat x | (cd y && sql)",
        "cat x | { read a; sql; }",
        "cat x | while read a; do sql; done",
        "{ sql; } < x",
        "(sql) <<E\nDROP t\nE",
        "cat x | bash -c sql",
        "bash -c sql <<< 'DROP t'",
        "cat x | sudo sql",
        "cat x | find . -exec sql {} \\;",
        "sql < <(cat x)",
        "sql <&3",
        "echo 'SELECT 1' | sql < x",
        "sql <<< 'SELECT 1' <&3",
        "f() { sql; }; cat x | f",
    ] {
        assert_eq!(drops(script), Maybe, "{script}");
    }
}
