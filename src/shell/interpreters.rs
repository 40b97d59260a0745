//! Programs that run code which is given with the call: `python -c`, `node -e`, a program of `awk`, a recipe of `make`.
//!
//! What such code does is not followed. A policy can refuse all of it as one kind, [`CODE_INLINE`].

use super::graph_builder::ShellCommand;
use super::word::{Certainty, ShellWord};

/// The name of the kind.
pub const CODE_INLINE: &str = "code.inline";

/// Where an interpreter finds code in its call.
struct Interpreter {
    /// Its names; `3.12` and the like may follow.
    names: &'static [&'static str],
    /// Letters of options whose value is code, also in bundles: `-ne`.
    letters: &'static str,
    /// Other options and subcommands whose value is code.
    options: &'static [&'static str],
    /// Whether it reads code from its standard input, where no file is named.
    reads_input: bool,
    /// Whether each call runs code: the first word, or a recipe.
    always: bool,
}

const PLAIN: Interpreter =
    Interpreter { names: &[], letters: "", options: &[], reads_input: false, always: false };

const INTERPRETERS: &[Interpreter] = &[
    Interpreter { names: &["python", "pypy", "ipython"], letters: "c", reads_input: true, ..PLAIN },
    Interpreter {
        names: &["node", "nodejs"],
        letters: "ep",
        options: &["--eval", "--print"],
        reads_input: true,
        ..PLAIN
    },
    Interpreter { names: &["deno"], options: &["eval"], ..PLAIN },
    Interpreter { names: &["bun"], letters: "ep", options: &["--eval", "--print"], ..PLAIN },
    Interpreter { names: &["tsx", "ts-node"], letters: "ep", options: &["--eval", "--print"], ..PLAIN },
    Interpreter { names: &["perl", "raku"], letters: "eE", reads_input: true, ..PLAIN },
    Interpreter { names: &["ruby", "jruby"], letters: "e", reads_input: true, ..PLAIN },
    Interpreter { names: &["php"], letters: "rRBE", options: &["--run"], reads_input: true, ..PLAIN },
    Interpreter { names: &["lua", "luajit"], letters: "e", reads_input: true, ..PLAIN },
    Interpreter { names: &["Rscript", "R"], letters: "e", options: &["--expression"], ..PLAIN },
    Interpreter { names: &["julia"], letters: "eE", options: &["--eval"], reads_input: true, ..PLAIN },
    Interpreter { names: &["osascript"], letters: "e", reads_input: true, ..PLAIN },
    Interpreter {
        names: &["swift", "elixir", "scala", "groovy", "tclsh", "guile"],
        letters: "ec",
        reads_input: true,
        ..PLAIN
    },
    Interpreter { names: &["emacs"], options: &["--eval", "-eval", "-f", "--funcall"], ..PLAIN },
    Interpreter {
        names: &["pwsh", "powershell"],
        options: &["-c", "-Command", "-EncodedCommand", "-e"],
        ..PLAIN
    },
    Interpreter { names: &["awk", "gawk", "mawk", "nawk"], always: true, ..PLAIN },
    Interpreter { names: &["make", "gmake", "bmake", "just", "task", "rake"], always: true, ..PLAIN },
];

/// Whether a command, or one that it runs, is code that is given with the call.
pub fn inline_code(command: &ShellCommand) -> Certainty {
    let of_view = |view: &Vec<ShellWord>| has_code(view, command.input.is_some());
    command.views.iter().map(of_view).max().unwrap_or(Certainty::No)
}

fn has_code(words: &[ShellWord], has_input: bool) -> Certainty {
    let Some(name) = words.first().and_then(ShellWord::program) else { return Certainty::Maybe };
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let Some(interpreter) = INTERPRETERS.iter().find(|own| own.names.contains(&name)) else {
        return Certainty::No;
    };
    if interpreter.always {
        return Certainty::Yes;
    }
    let mut certainty = Certainty::No;
    for word in &words[1..] {
        let Some(text) = word.text() else {
            certainty = certainty.max(Certainty::Maybe);
            continue;
        };
        let bundle = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let option = text.split_once('=').map_or(text, |(name, _)| name);
        if bundle.is_some_and(|letters| letters.contains(|c| interpreter.letters.contains(c)))
            || interpreter.options.contains(&option)
            || text == "-" && interpreter.reads_input
        {
            return Certainty::Yes;
        }
        if !text.starts_with('-') {
            // A file, or a module; what follows are its arguments.
            return certainty;
        }
        if text == "-m" {
            return certainty;
        }
    }
    let reads = interpreter.reads_input && has_input;
    if reads { Certainty::Yes } else { certainty }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script_automaton;

    fn certainty(script: &str) -> Certainty {
        script_automaton(script).letters.iter().map(inline_code).max().unwrap_or(Certainty::No)
    }

    #[test]
    fn code_in_the_call_is_recognized() {
        for script in [
            "python -c 'print(1)'",
            "python3.12 -c 'print(1)'",
            "/usr/bin/python3 -Ic 'print(1)'",
            "python3 - <<'EOF'\nprint(1)\nEOF",
            "python3 <<< 'print(1)'",
            "node -e 'x'",
            "node --eval='x'",
            "node -pe 'x'",
            "deno eval 'x'",
            "bun -e 'x'",
            "perl -ne 'print'",
            "perl -pi -e 's/a/b/' f",
            "ruby -e 'puts 1'",
            "php -r 'echo 1;'",
            "lua -e 'print(1)'",
            "Rscript -e '1'",
            "awk '{print $1}' f",
            "make test",
            "sudo env A=1 python -c 'x'",
            "uv run python -c 'x'",
            "bash -c \"python -c 'x'\"",
            "docker exec app node -e 'x'",
            "xargs -n1 python -c 'x'",
        ] {
            assert_eq!(certainty(script), Certainty::Yes, "{script}");
        }
        for script in [
            "python x.py -c a",
            "python -m pytest -c x",
            "node server.js -e",
            "perl x.pl",
            "ruby x.rb -e",
            "cargo run -- -e",
            "grep -e x f",
            "php artisan migrate",
            "echo python -c x",
            "git commit -m 'python -c x'",
        ] {
            assert_eq!(certainty(script), Certainty::No, "{script}");
        }
        assert_eq!(certainty("python $x"), Certainty::Maybe);
    }
}
