//! `$'..'`: escapes are read as bash reads them.

use std::process::Command;
use tsl_synth_core::base::Random;
use tsl_synth_shell::{
    ArgvPattern, CommandClause, CommandPattern, ShellWord, letter_automaton, script_automaton,
};
use tsl_synth_testkit::{quota, skip};

/// Pieces of quoted texts.
const PARTS: &[&str] = &[
    "\\x", "\\x{", "}", "\\u", "\\U", "\\c", "\\", "\\0", "\\1", "\\7", "\\4", "0", "1", "6", "8", "a", "F",
    "g", "p", "s", "\\n", "\\e", "\\E", "\\v", "\\'", "\\\"", "\\?", "\\z", "?", "@", "é", "\\é", " ",
    "\\\\", "7", "0000", "{", "\"", "$x", "\\M", "\\C", "-",
];

/// The last word of a script of one command, and whether it is read.
fn last_word(script: &str) -> Option<ShellWord> {
    let automaton = script_automaton(script);
    automaton.letters.first().and_then(|command| command.views.first()?.last().cloned())
}

#[test]
fn random_escapes_are_those_of_bash() {
    if Command::new("bash").arg("--version").output().is_err() {
        return skip("there is no bash");
    }
    let mut random = Random::new(11);
    let mut words = Vec::new();
    while words.len() < quota(4_000) {
        let body: String = (0..=random.below(6)).map(|_| PARTS[random.below(PARTS.len())]).collect();
        // An odd number of `\` at the end escapes the quote.
        if (body.len() - body.trim_end_matches('\\').len()).is_multiple_of(2) {
            words.push(format!("a$'{body}'z"));
        }
    }
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), format!("printf '%s\\0' {}", words.join(" "))).expect("it is written");
    let output = Command::new("bash").arg(file.path()).env("LC_ALL", "C.UTF-8").output().expect("bash runs");
    let all: Vec<&[u8]> = output.stdout.split(|&byte| byte == 0).collect();
    assert_eq!(all.len(), words.len() + 1, "{}", String::from_utf8_lossy(&output.stderr));
    let mut known = 0;
    for (word, expected) in words.iter().zip(all) {
        let read = last_word(&format!("echo {word}")).unwrap_or_else(|| panic!("{word}"));
        let Some(text) = read.text() else {
            let has_bytes = ["\\x", "\\u", "\\U", "\\c", "\\4", "\\7", "\\1", "\\M-", "\\C-"];
            assert!(has_bytes.iter().any(|start| word.contains(start)), "{word} is known");
            continue;
        };
        known += 1;
        assert_eq!(text.as_bytes(), expected, "{word}");
    }
    assert!(known * 10 > words.len() * 8, "only {known} of {} are known", words.len());
}

#[test]
fn words_written_with_escapes_are_seen() {
    let push = CommandClause::from(ArgvPattern::new(&["git", "push", "**"]).expect("a pattern"));
    let seen = |script: &str| {
        let automaton =
            letter_automaton(&script_automaton(script), &CommandPattern::each(std::slice::from_ref(&push)));
        let any = |holds: fn(&tsl_synth_shell::CommandLetter) -> bool| automaton.letters.iter().any(holds);
        (any(|own| !own.sure.is_empty()), any(|own| !own.maybe.is_empty() || own.opaque))
    };
    for word in [
        r"$'pu\x73h'",
        r"$'\x70ush'",
        r"pus$'\150'",
        r"pus$'\u0068'",
        r"pus$'\u68'",
        r"$'\U00000070ush'",
        r"$'\x{70}ush'",
        r"$'push\0 it'",
        r"$'pu\0 it'sh",
        r"$'push\c@z'",
        r"'p'$'\x75'sh",
    ] {
        assert_eq!(seen(&format!("git {word}")), (true, false), "{word}");
        assert_eq!(seen(&format!("$'\\x67it' {word} origin")), (true, false), "{word}");
        assert_eq!(seen(&format!("bash -c \"git {}\"", word.replace('$', "\\$"))), (true, false), "{word}");
    }
    for free in [
        r"git $'\x70\x75ll'",
        r"git $'st\141sh'",
        r"git stash $'\x70ush'",
        r"gi$'\x73' push",
        r"echo git $'pu\x73h'",
        r"g$'it\0'x$'push'",
        r"gi$'\0150' push",
    ] {
        assert_eq!(seen(free), (false, false), "{free}");
    }
    for word in [r"$'p\xffsh'", r"$'p\u00fcsh'", r"$'p\M-ush'"] {
        assert_eq!(seen(&format!("git {word}")), (false, true), "{word}");
    }
}
