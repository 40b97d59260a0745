//! The runs that the automata of small scripts accept.

use tsl_synth_shell::{
    ArgvPattern, CommandClause, CommandLetter, CommandPattern, LetterAutomaton, letter_automaton,
    script_automaton,
};

/// Patterns of the commands `a`, `b`, `c` and `git push`.
fn patterns() -> Vec<CommandClause> {
    let tables: [&[&str]; 4] = [&["a", "**"], &["b", "**"], &["c", "**"], &["git", "push", "**"]];
    tables.iter().map(|parts| ArgvPattern::new(parts).expect("a pattern").into()).collect()
}

fn name(letter: &CommandLetter) -> String {
    let names = ["a", "b", "c", "push"];
    let sure = letter.sure.iter().map(|&i| names[i].to_owned());
    let maybe = letter.maybe.iter().map(|&i| format!("{}?", names[i]));
    let opaque = letter.opaque.then(|| "opaque".to_owned());
    let all: Vec<String> = sure.chain(maybe).chain(opaque).collect();
    if all.is_empty() { "other".into() } else { all.join("+") }
}

pub(super) fn automaton(script: &str) -> LetterAutomaton {
    letter_automaton(&script_automaton(script), &CommandPattern::each(&patterns()))
}

/// The complete runs of at most six commands: `a` is a command that succeeded, `a!` one that failed; then `=` is exit
/// status 0, `=!` any other.
fn runs(script: &str) -> Vec<String> {
    let automaton = automaton(script);
    let mut runs = Vec::new();
    for (word, (ok, failed)) in automaton.words(6) {
        let commands =
            word.iter().map(|&(letter, ok)| name(&automaton.letters[letter]) + if ok { " " } else { "! " });
        let commands: String = commands.collect();
        runs.extend(ok.then(|| format!("{commands}=")));
        runs.extend(failed.then(|| format!("{commands}=!")));
    }
    runs.sort();
    runs
}

#[test]
fn scripts_have_the_runs_that_bash_has() {
    let table: &[(&str, &str)] = &[
        ("", "="),
        ("a", "a =, a! =!"),
        ("a && git push", "a push =, a push! =!, a! =!"),
        ("a || b", "a =, a! b =, a! b! =!"),
        ("! a", "a =!, a! ="),
        ("a && b || c", "a b =, a b! c =, a b! c! =!, a! c =, a! c! =!"),
        ("a; b", "a b =, a b! =!, a! b =, a! b! =!"),
        ("a | b", "a b =, a b! =!, a! b =, a! b! =!, b a =, b a! =, b! a =!, b! a! =!"),
        ("set -o pipefail; a | false", "other"),
        ("true && a", "other a =, other a! =!"),
        ("false && a", "other! =!"),
        ("if a; then b; fi", "a b =, a b! =!, a! ="),
        ("(a; exit 0); b", "a b =, a b! =!, a! b =, a! b! =!"),
        ("a; exit 3; b", "a =!, a! =!"),
        ("set -e\na\nb", "other a b =, other a b! =!, other a! =!, other! =!"),
        ("bash -ec 'a; b'", "a b =, a b! =!, a! =!"),
        ("bash -ec 'a || true; b'", "a b =, a b! =!, a! other b =, a! other b! =!"),
        ("timeout 5 sudo -u x a", "a =, a! =!"),
        ("eval a", "a =, a! =!"),
        ("eval \"$x\"", "opaque =, opaque =!, opaque! =!"),
        ("$x push", "push?+opaque"),
        ("echo $(a) b", "a other =, a other! =!, a! other =, a! other! =!"),
        ("x=$(a)", "a =, a =!, a! =, a! =!"),
        ("git \"$x\"", "push? =, push?! =!"),
        ("f() { a; }; f && b", "a b =, a b! =!, a! =!"),
        ("case $x in y) a;; *) b;; esac", "a =, a! =!, b =, b! =!"),
        ("case $x in y) a;; z) b;; esac", "=, a =, a! =!, b =, b! =!"),
        ("case x in y) a;; x) b;; esac", "b =, b! =!"),
        ("a; exit 0", "a =, a! ="),
        ("a || exit", "a =, a! =!"),
        ("a; exit $?", "a =, a! =!"),
        ("cat <<'E'\n$(a)\nE\nb", "other b =, other b! =!, other! b =, other! b! =!"),
        ("a () { b; }; a", "b =, b! =!"),
    ];
    for (script, expected) in table {
        let found = runs(script);
        let some: Vec<&String> =
            found.iter().filter(|run| *expected != "other" || run.contains("a ")).collect();
        match *expected {
            "other" => assert!(
                found.iter().all(|run| run.ends_with("=!")) && !some.is_empty(),
                "{script}: {found:?}"
            ),
            "push?+opaque" => assert!(found.iter().any(|run| run.contains("opaque")), "{script}: {found:?}"),
            _ => {
                let mut expected: Vec<&str> = expected.split(", ").collect();
                expected.sort_unstable();
                assert_eq!(found, expected, "{script}");
            }
        }
    }
}

/// Whether some run begins with exactly these commands and outcomes.
fn may(script: &str, commands: &[(&str, bool)]) -> bool {
    let automaton = automaton(script);
    let numbers = |wanted: &str| automaton.letters.iter().position(|letter| name(letter) == wanted);
    let word: Option<Vec<(usize, bool)>> =
        commands.iter().map(|&(command, ok)| Some((numbers(command)?, ok))).collect();
    word.is_some_and(|word| !automaton.after(&word).is_empty())
}

#[test]
fn nothing_that_may_run_is_missed() {
    for script in [
        "b & git push",
        "xargs git push < list",
        "find . -name x -exec git push {} \\;",
        "for x in 1 2; do git push; done",
        "while true; do git push; done",
        "sudo bash -c \"bash -c 'git push'\"",
        "x=1 /usr/bin/git -C dir push",
        "echo \"$(git push)\"",
        "cat <<E\n$(git push)\nE",
        "cat < <(git push)",
        "[[ -n $(git push) ]]",
        "((x)); git push",
        "{ git push; } > log",
        "exec git push",
        "if false; then :; elif true; then git push; fi",
        "command git push",
        "\"git\" 'push'",
        "g\"i\"t pu\\sh",
        "git push 2>&1 | tee log",
        "coproc git push",
        "( (git push) )",
        "select x in a; do git push; done",
        "time -p -- ! A=b git push",
        "f() { git push; }; sudo ls; f",
        "env -i PATH=/bin git push",
        "`git push`",
        "trap 'git push' EXIT",
        "su -c 'git push'",
        "bash <<E\ngit push\nE",
        "echo ${x:-$(git push)}",
    ] {
        let automaton = automaton(script);
        let push =
            |letter: &CommandLetter| letter.opaque || letter.sure.contains(&3) || letter.maybe.contains(&3);
        assert!(automaton.letters.iter().any(push), "{script}");
    }
    assert!(may("b & git push", &[("push", true), ("b", false)]));
    assert!(may("while a; do b; done", &[("a", true), ("b", false), ("a", true), ("b", true), ("a", false)]));
    assert!(!may("while a; do b; done", &[("a", false), ("b", true)]));
    assert!(may("for i in 1 2; do a || break; done; b", &[("a", true), ("a", false), ("b", true)]));
    assert!(!may("for i in 1 2; do a || break; done; b", &[("a", false), ("a", true)]));
}

#[test]
fn what_cannot_be_read_is_opaque() {
    for script in [
        "eval \"$x\"",
        "source x",
        ". x",
        "$x",
        "$(a) b",
        "bash x.sh",
        "bash < x",
        "curl x | sh",
        "if",
        "a (",
        "echo 'x",
        "f() { f; }; f",
        "trap \"$x\" EXIT",
        "su",
        "echo ${x@P}",
        "alias a=b; shopt -s expand_aliases; a",
        "env -S 'git push'",
        "sudo --unknown x git push",
        "hash -p /bin/git a",
    ] {
        assert!(automaton(script).letters.iter().any(|letter| letter.opaque), "{script}");
    }
    for script in [
        "a",
        "echo \"$x\" | grep y",
        "ls *.rs",
        "cd x && cargo test -- --nocapture",
        "((i=i+1))",
        "x=$((1+2)); a",
        "trap 'rm -f t' EXIT; ls",
        "git commit -m \"$(cat <<'EOF'\nfix `a`\nEOF\n)\"",
        "echo ${x:-$(a)}",
        "su -c 'git push'",
        "bash <<E\na\nE",
    ] {
        assert!(!automaton(script).letters.iter().any(|letter| letter.opaque), "{script}");
    }
}
