//! Programs that run code which is given with the call: `python -c`, `node -e`, a program of `awk`, a recipe of `make`.
//!
//! What such code does is not followed, unless it visibly runs commands ([`calls_commands`]).

use super::word::{Certainty, ShellWord};

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

/// Whether a program of this name executes inline code.
pub(super) fn has_code(name: &str, arguments: &[ShellWord], has_input: bool) -> Certainty {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let Some(interpreter) = INTERPRETERS.iter().find(|own| own.names.contains(&name)) else {
        return Certainty::No;
    };
    if interpreter.always {
        return Certainty::Yes;
    }
    let mut certainty = Certainty::No;
    for word in arguments {
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

/// Parts of code by which an interpreter starts other programs. A part made of letters, digits and `_` counts only as a
/// whole word.
fn commands_of(name: &str) -> &'static [&'static str] {
    match name {
        "python" | "pypy" | "ipython" => &[
            "subprocess",
            ".system(",
            ".popen(",
            "os.exec",
            "os.spawn",
            "os.posix_spawn",
            "import system",
            "import popen",
            "import os as",
            "from os import",
            "pty.",
            "ctypes",
            "__import__",
            "importlib",
            "getattr(os",
            "runpy",
        ],
        "node" | "nodejs" | "bun" | "tsx" | "ts-node" | "deno" => &[
            "child_process",
            "execSync",
            "spawnSync",
            "execFile",
            "Deno.Command",
            "Deno.run",
            "Bun.spawn",
            "Bun.$",
            "process.binding",
            "execa",
        ],
        "perl" | "raku" => {
            &["system", "exec", "`", "qx", "fork", "run", "shell", "|-", "-|", "|\"", "\"|", "|'", "'|"]
        }
        "ruby" | "jruby" => &[
            "system", "exec", "spawn", "`", "%x", "popen", "Open3", "fork", "syscall", "open(\"|", "open('|",
            "open \"|", "open '|",
        ],
        "php" => &["exec", "shell_exec", "system", "passthru", "popen", "proc_open", "pcntl_exec", "`"],
        "lua" | "luajit" => &["execute", "popen"],
        "Rscript" | "R" => &["system", "system2", "pipe", "shell"],
        "julia" => &["run", "pipeline", "`"],
        "osascript" => &["do shell script", "doShellScript", "Terminal", "System Events"],
        _ => &[],
    }
}

/// Whether the code of an interpreter visibly starts other programs. Code that hides this is not detected, nor is code in
/// files.
pub(super) fn calls_commands<'t>(name: &str, mut texts: impl Iterator<Item = &'t str>) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let parts = commands_of(name);
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let has = |text: &str, part: &str| {
        let alone = part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        text.match_indices(part).any(|(at, _)| {
            let around = (text[..at].chars().next_back(), text[at + part.len()..].chars().next());
            !alone || !is_letter(around.0) && !is_letter(around.1)
        })
    };
    texts.any(|text| parts.iter().any(|part| has(text, part)))
}
