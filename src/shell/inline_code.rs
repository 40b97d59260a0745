//! Inline code, which a policy can refuse as one kind: code that an interpreter gets in its arguments or on its standard
//! input, not in a file.

use super::graph_builder::ShellCommand;
use super::interpreters::has_code;
use super::word::{Certainty, ShellWord};

/// The name of the kind.
pub const CODE_INLINE: &str = "code.inline";

/// Whether a command, or a command that it runs, executes inline code.
pub fn inline_code(command: &ShellCommand) -> Certainty {
    let of_view = |view: &Vec<ShellWord>| match view.split_first() {
        Some((program, arguments)) => match program.program() {
            Some(name) => has_code(name, arguments, command.input.is_some()),
            None => Certainty::Maybe,
        },
        None => Certainty::Maybe,
    };
    command.views.iter().map(of_view).max().unwrap_or(Certainty::No)
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
