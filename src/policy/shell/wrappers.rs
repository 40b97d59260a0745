//! Programs that run another command, which is given by their arguments.

use super::word::{ShellWord, WordPiece};

/// What a command runs besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// No other command.
    Nothing,
    /// One command, whose outcome is also that of the program.
    Command(Vec<ShellWord>),
    /// One command, any number of times and each time with further arguments.
    Repeatedly(Vec<ShellWord>),
    /// A script, whose outcome is also that of the program; whether it stops at the first failure, and whether a
    /// pipeline fails with any of its parts.
    Script(String, bool, bool),
    /// Commands that cannot be determined.
    Opaque(&'static str),
}

/// A program and its options. Long options with `=` take no further word.
struct Wrapper {
    name: &'static str,
    /// Options without a value: letters, then long names.
    flags: &'static str,
    long_flags: &'static [&'static str],
    /// Options with a value.
    valued: &'static str,
    long_valued: &'static [&'static str],
    /// Words between the options and the command.
    operands: usize,
    /// Whether `NAME=value` may stand before the command.
    assignments: bool,
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "sudo",
        flags: "AbBEHiknPSs",
        long_flags: &[
            "--preserve-env",
            "--login",
            "--non-interactive",
            "--set-home",
            "--shell",
            "--stdin",
            "--background",
        ],
        valued: "CDghprRtTuU",
        long_valued: &["--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--role", "--type"],
        operands: 0,
        assignments: true,
    },
    Wrapper {
        name: "doas",
        flags: "n",
        long_flags: &[],
        valued: "uC",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "env",
        flags: "i0v",
        long_flags: &["--ignore-environment", "--null", "--debug"],
        valued: "uC",
        long_valued: &["--unset", "--chdir"],
        operands: 0,
        assignments: true,
    },
    Wrapper {
        name: "nice",
        flags: "0123456789",
        long_flags: &[],
        valued: "n",
        long_valued: &["--adjustment"],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "ionice",
        flags: "t",
        long_flags: &["--ignore"],
        valued: "cn",
        long_valued: &["--class", "--classdata"],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "nohup",
        flags: "",
        long_flags: &[],
        valued: "",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "setsid",
        flags: "cfw",
        long_flags: &["--ctty", "--fork", "--wait"],
        valued: "",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "stdbuf",
        flags: "",
        long_flags: &[],
        valued: "ioe",
        long_valued: &["--input", "--output", "--error"],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "timeout",
        flags: "vfp",
        long_flags: &["--preserve-status", "--foreground", "--verbose"],
        valued: "sk",
        long_valued: &["--signal", "--kill-after"],
        operands: 1,
        assignments: false,
    },
    Wrapper {
        name: "time",
        flags: "pvaqV",
        long_flags: &["--portability", "--verbose", "--append", "--quiet"],
        valued: "fo",
        long_valued: &["--format", "--output"],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "command",
        flags: "p",
        long_flags: &[],
        valued: "",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "builtin",
        flags: "",
        long_flags: &[],
        valued: "",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    // Of zsh.
    Wrapper {
        name: "noglob",
        flags: "",
        long_flags: &[],
        valued: "",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "nocorrect",
        flags: "",
        long_flags: &[],
        valued: "",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "caffeinate",
        flags: "dimsu",
        long_flags: &[],
        valued: "tw",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "chronic",
        flags: "ve",
        long_flags: &[],
        valued: "",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "unbuffer",
        flags: "p",
        long_flags: &[],
        valued: "",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "exec",
        flags: "cl",
        long_flags: &[],
        valued: "a",
        long_valued: &[],
        operands: 0,
        assignments: false,
    },
    Wrapper {
        name: "xargs",
        flags: "0oprtx",
        long_flags: &["--null", "--interactive", "--no-run-if-empty", "--verbose", "--exit", "--open-tty"],
        valued: "adEILnPs",
        long_valued: &[
            "--arg-file",
            "--delimiter",
            "--max-lines",
            "--max-args",
            "--max-procs",
            "--max-chars",
            "--replace",
        ],
        operands: 0,
        assignments: false,
    },
];

/// Shells that take a script after `-c`.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash"];

/// Programs and builtins that run their arguments or other text in ways that are not modeled.
const UNREADABLE: &[&str] = &[
    "eval",
    "source",
    ".",
    "su",
    "parallel",
    "watch",
    "script",
    "chroot",
    "flock",
    "busybox",
    "strace",
    "ltrace",
    "expect",
    "fish",
    "csh",
    "tcsh",
    "nsenter",
    "unshare",
    "runuser",
    "pkexec",
    "arch",
    "chrt",
    "cpulimit",
    "dbus-run-session",
    "dumb-init",
    "entr",
    "fakeroot",
    "firejail",
    "gosu",
    "linux32",
    "linux64",
    "numactl",
    "proot",
    "rlwrap",
    "setarch",
    "setpriv",
    "su-exec",
    "systemd-run",
    "taskset",
    "tini",
    "xvfb-run",
];

/// What a command with these words runs.
pub(super) fn runs(words: &[ShellWord]) -> Runs {
    let Some(name) = words.first().and_then(ShellWord::program) else {
        return Runs::Opaque("a program without a known name");
    };
    if UNREADABLE.contains(&name) {
        return Runs::Opaque("a command that runs what it is given");
    }
    if SHELLS.contains(&name) {
        return shell(&words[1..]);
    }
    if name == "find" || name == "fd" {
        return find(name, &words[1..]);
    }
    match WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
        Some(wrapper) => wrapped(wrapper, &words[1..]),
        None => Runs::Nothing,
    }
}

fn is_assignment(word: &ShellWord) -> bool {
    let Some(WordPiece::Text(text)) = word.pieces.first() else { return false };
    text.split_once('=').is_some_and(|(name, _)| {
        !word.splits && !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn wrapped(wrapper: &Wrapper, words: &[ShellWord]) -> Runs {
    const UNCLEAR: Runs = Runs::Opaque("options that are not known");
    let (mut at, mut options) = (0, true);
    let mut operands = wrapper.operands;
    while let Some(word) = words.get(at) {
        if wrapper.assignments && is_assignment(word) {
            at += 1;
            continue;
        }
        if word.splits {
            return UNCLEAR;
        }
        let option = match (word.text(), word.pieces.first()) {
            _ if !options => None,
            (Some(text), _) if text.starts_with('-') => Some(text),
            (None, Some(WordPiece::Text(text))) if text.starts_with("--") && text.contains('=') => {
                at += 1;
                continue;
            }
            (None, Some(WordPiece::Any)) if operands == 0 => return UNCLEAR,
            (None, Some(WordPiece::Text(text))) if text.starts_with('-') => return UNCLEAR,
            _ => None,
        };
        let Some(option) = option else {
            if operands == 0 {
                let inner = words[at..].to_vec();
                return if wrapper.name == "xargs" { repeated(inner) } else { Runs::Command(inner) };
            }
            (operands, at, options) = (operands - 1, at + 1, false);
            continue;
        };
        at += 1;
        match option {
            "--" => options = false,
            // `env -`.
            "-" if wrapper.name == "env" => {}
            "-h" | "--help" | "--version" if wrapper.name != "sudo" => return Runs::Nothing,
            "-v" | "-V" if wrapper.name == "command" => return Runs::Nothing,
            "-l" | "-v" | "-K" | "-V" if wrapper.name == "sudo" => return Runs::Nothing,
            long if long.starts_with("--") => {
                let valued = wrapper.long_valued.contains(&long);
                let with_value = long.split_once('=').is_some_and(|(name, _)| {
                    wrapper.long_valued.contains(&name) || wrapper.long_flags.contains(&name)
                });
                if !valued && !with_value && !wrapper.long_flags.contains(&long) {
                    return UNCLEAR;
                }
                at += usize::from(valued);
            }
            short => {
                let letters = &short[1..];
                let valued = letters.find(|c| wrapper.valued.contains(c));
                let flags = &letters[..valued.unwrap_or(letters.len())];
                if letters.is_empty() || !flags.chars().all(|c| wrapper.flags.contains(c)) {
                    return UNCLEAR;
                }
                // The value is the rest of the word, or the next one.
                if valued.is_some_and(|place| place + 1 == letters.len()) {
                    if words.get(at).is_none_or(|value| value.splits) {
                        return UNCLEAR;
                    }
                    at += 1;
                }
            }
        }
    }
    match wrapper.name {
        // Without a command it runs `echo`.
        "xargs" => Runs::Repeatedly(vec![ShellWord::literal("echo"), ShellWord::unknown()]),
        "sudo" => Runs::Opaque("a shell"),
        _ => Runs::Nothing,
    }
}

/// The inserted arguments are unknown, and `-I` may insert them anywhere.
fn repeated(mut inner: Vec<ShellWord>) -> Runs {
    if inner.iter().skip(1).any(|word| word.text().is_some_and(|text| text.contains("{}") || text == "%")) {
        inner.truncate(1);
    }
    inner.push(ShellWord::unknown());
    Runs::Repeatedly(inner)
}

fn shell(words: &[ShellWord]) -> Runs {
    let (mut at, mut script, mut stops, mut pipefail) = (0, false, false, false);
    while let Some(word) = words.get(at) {
        let Some(text) = word.text() else { return Runs::Opaque("a shell whose script is not known") };
        let Some(letters) = text.strip_prefix(['-', '+']) else { break };
        at += 1;
        match letters {
            "-" | "" => break,
            "-version" | "-help" => return Runs::Nothing,
            "-login" | "-noprofile" | "-norc" | "-posix" => {}
            "-rcfile" | "-init-file" => return Runs::Opaque("a shell with a start file"),
            letters if letters.chars().all(|c| "cehluxioa".contains(c)) => {
                script |= letters.contains('c');
                stops |= letters.contains('e') && text.starts_with('-');
                if letters.contains('o') {
                    match words.get(at).and_then(ShellWord::text) {
                        Some("errexit") => stops = true,
                        Some("pipefail") => pipefail = true,
                        Some("nounset" | "xtrace") => {}
                        _ => return Runs::Opaque("a shell with unknown options"),
                    }
                    at += 1;
                }
            }
            _ => return Runs::Opaque("a shell with unknown options"),
        }
    }
    match words.get(at).map(ShellWord::text) {
        Some(Some(text)) if script => Runs::Script(text.to_owned(), stops, pipefail),
        _ => Runs::Opaque("a shell whose script is not known"),
    }
}

/// `find .. -exec CMD {} \;`
fn find(name: &str, words: &[ShellWord]) -> Runs {
    let executes = |word: &ShellWord| match word.text() {
        Some(text) if name == "fd" => ["-x", "-X", "--exec", "--exec-batch"].contains(&text),
        Some(text) => ["-exec", "-execdir", "-ok", "-okdir"].contains(&text),
        None => word.splits && word.pieces.first() == Some(&WordPiece::Any),
    };
    let mut places = words.iter().enumerate().filter(|(_, word)| executes(word));
    let Some((at, word)) = places.next() else { return Runs::Nothing };
    if word.text().is_none() {
        // Most likely a list of folders; to run a command, it would have to contain that command, too.
        return if places.next().is_some() { Runs::Opaque("several commands") } else { Runs::Nothing };
    }
    if places.next().is_some() {
        return Runs::Opaque("several commands");
    }
    let inner = words[at + 1..].iter().take_while(|word| !matches!(word.text(), Some(";" | "+")));
    let inner: Vec<ShellWord> = inner
        .map(|word| match word.text() {
            Some(text) if text.contains('{') => ShellWord { pieces: vec![WordPiece::Any], splits: true },
            _ => word.clone(),
        })
        .collect();
    if inner.is_empty() { Runs::Opaque("no command") } else { Runs::Repeatedly(inner) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::word::read_word;

    fn words(text: &str) -> Vec<ShellWord> {
        text.split(' ').map(|word| read_word(word, false).word).collect()
    }

    #[test]
    fn wrappers_are_seen_through() {
        for (text, inner) in [
            ("sudo -u root -n A=1 git push", "git push"),
            ("/usr/bin/env -i -u X A=\"$x\" git push", "git push"),
            ("timeout -k 5 --signal=KILL 10 git push", "git push"),
            ("nice -n5 git push", "git push"),
            ("nice -10 git push", "git push"),
            ("stdbuf -oL git push", "git push"),
            ("command -p git push", "git push"),
            ("timeout -- 5 git -C x push", "git -C x push"),
        ] {
            assert_eq!(runs(&words(text)), Runs::Command(words(inner)), "{text}");
        }
        for text in [
            "sudo --strange git push",
            "timeout $t git push",
            "env -S x",
            "sudo $x",
            "$x push",
            "bash x.sh",
            "sh -c $x",
        ] {
            assert!(matches!(runs(&words(text)), Runs::Opaque(_)), "{text}");
        }
        for text in ["command -v git", "git push", "env A=1", "find . -name x"] {
            assert_eq!(runs(&words(text)), Runs::Nothing, "{text}");
        }
        assert_eq!(runs(&words("bash -lc 'ls' x")), Runs::Script("ls".into(), false, false));
        assert_eq!(runs(&words("sh -ec ls")), Runs::Script("ls".into(), true, false));
        assert_eq!(runs(&words("bash -eo pipefail -c ls")), Runs::Script("ls".into(), true, true));
        assert!(matches!(runs(&words("xargs -0 -n 1 rm -f")), Runs::Repeatedly(inner) if inner.len() == 3));
        assert!(matches!(runs(&words("find . -exec rm {} +")), Runs::Repeatedly(inner) if inner.len() == 2));
    }
}
