//! Which options of well-known programs take a value, so that the words of a command can be told apart: subcommand,
//! options, their values, operands.
//!
//! An option of a program without a row, or one that an incomplete row does not name, may or may not take the next
//! word as its value. A subcommand with a row of its own that is not complete takes the options of its program, too.

mod clusters;
mod containers;
mod general;

/// How a program reads words that begin with `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionStyle {
    /// `-ab` is `-a -b`; long options may be abbreviated.
    Getopt,
    /// `-ab` is `-a -b`; long options are written in full.
    Bundles,
    /// `-ab` is one option, with one or two hyphens.
    Words,
    /// Not known.
    Unknown,
}

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionArity {
    /// It takes none.
    Flag,
    /// The rest of the word, or the next word.
    Value,
    /// The rest of the word, if there is any; never the next word.
    Attached,
    /// Not known.
    Either,
}

/// The options of a program, or of one of its subcommands.
#[derive(Debug)]
pub(super) struct ProgramRow {
    /// The program, with the words of the subcommand.
    path: &'static str,
    /// How it reads words.
    pub(super) style: OptionStyle,
    /// Whether options that are not named here take no value.
    complete: bool,
    /// Options that take a value; with a `?` only in the same word.
    valued: &'static str,
    /// Options without a value; of a complete row only those of which longer ones begin with the name.
    flags: &'static str,
    /// Whether what follows the first operand is not for this program.
    pub(super) stops: bool,
    /// Whether a quoted variable whose value is not known is an operand and never an option. Scripts pass the connection
    /// to a client of databases so: `psql "$DATABASE_URL"`.
    pub(super) connects: bool,
}

impl ProgramRow {
    /// Whether an option, written with its hyphens and without its value, takes one.
    pub(super) fn arity(&self, option: &str) -> OptionArity {
        for name in self.valued.split_ascii_whitespace() {
            let (name, arity) = match name.strip_suffix('?') {
                Some(name) => (name, OptionArity::Attached),
                None => (name, OptionArity::Value),
            };
            if name == option || self.style == Words && same_name(name, option) {
                return arity;
            }
        }
        if self.complete || self.flags.split_ascii_whitespace().any(|name| name == option) {
            return OptionArity::Flag;
        }
        self.parent().map_or(OptionArity::Either, |parent| parent.arity(option))
    }
    /// Whether an option without a value, or several of them in one word, may end with this text.
    pub(super) fn may_end_flags(&self, end: &str) -> bool {
        let takes_values = |name: &str| name.len() == 2;
        !self.complete
            || self.style != OptionStyle::Getopt
            || end.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            || self.valued.split_ascii_whitespace().any(|name| takes_values(name.trim_end_matches('?')))
    }
    /// An abbreviated long option in full.
    pub(super) fn full_name<'n>(&'n self, option: &'n str) -> &'n str {
        if self.style != OptionStyle::Getopt || !option.starts_with("--") || self.lists(option) {
            return option;
        }
        let valued = self.valued.split_ascii_whitespace().map(|name| name.trim_end_matches('?'));
        valued
            .chain(self.flags.split_ascii_whitespace())
            .find(|name| name.starts_with(option))
            .unwrap_or(option)
    }
    /// For the row of a subcommand: the row of the program, or of the subcommand one level above.
    fn parent(&self) -> Option<&'static Self> {
        let (path, _) = self.path.rsplit_once(' ')?;
        rows().find(|row| row.path == path)
    }
    /// Whether an option is named here.
    pub(super) fn lists(&self, option: &str) -> bool {
        let valued = self.valued.split_ascii_whitespace().map(|name| name.trim_end_matches('?'));
        valued.chain(self.flags.split_ascii_whitespace()).any(|name| name == option)
    }
}

/// Whether two options differ in the number of their hyphens at most.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    one.trim_start_matches('-') == other.trim_start_matches('-')
}

/// The row of a program.
pub(super) fn program_row(name: &str) -> Option<&'static ProgramRow> {
    let name = match name {
        "tofu" | "terragrunt" => "terraform",
        "docker-compose" | "podman-compose" => "docker compose",
        "podman" | "nerdctl" => "docker",
        "k" | "oc" => "kubectl",
        "python3" => "python",
        "pip3" => "pip",
        "nodejs" => "node",
        "egrep" | "fgrep" => "grep",
        "gsed" => "sed",
        "flyctl" => "fly",
        "gmake" => "make",
        "mvnw" | "mvnd" => "mvn",
        "mariadb" | "mycli" => "mysql",
        "mariadb-admin" => "mysqladmin",
        "pgcli" => "psql",
        "mongo" => "mongosh",
        name if name.strip_prefix("python3.").is_some_and(|rest| !rest.is_empty()) => "python",
        name => name,
    };
    rows().find(|row| row.path == name)
}

/// The row of a subcommand, or that of the program where the subcommand has none.
pub(super) fn subcommand_row(row: &'static ProgramRow, word: &str) -> &'static ProgramRow {
    let of = |own: &ProgramRow| {
        own.path.strip_prefix(row.path).and_then(|rest| rest.strip_prefix(' ')) == Some(word)
    };
    rows().find(|own| of(own)).unwrap_or(row)
}

/// All rows.
fn rows() -> impl Iterator<Item = &'static ProgramRow> {
    general::ROWS.iter().chain(containers::ROWS).chain(clusters::ROWS)
}

const fn row(
    path: &'static str,
    style: OptionStyle,
    complete: bool,
    valued: &'static str,
    flags: &'static str,
) -> ProgramRow {
    ProgramRow { path, style, complete, valued, flags, stops: false, connects: false }
}

/// A program that runs a script, whose arguments follow it.
const fn interpreter(path: &'static str, style: OptionStyle, valued: &'static str) -> ProgramRow {
    ProgramRow { path, style, complete: true, valued, flags: "", stops: true, connects: false }
}

/// A client of databases, all of whose options with a value are listed.
const fn client(path: &'static str, style: OptionStyle, valued: &'static str) -> ProgramRow {
    ProgramRow { path, style, complete: true, valued, flags: "", stops: false, connects: true }
}

use OptionStyle::Words;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{OptionName, ProgramPattern};
    use crate::word::{Certainty, ShellWord};
    use tsl_synth_core::base::{Glob, GlobKind};

    #[test]
    fn rows_have_names_of_options() {
        for row in rows() {
            let names = row.valued.split_ascii_whitespace().chain(row.flags.split_ascii_whitespace());
            for name in names {
                assert!(name.starts_with('-') && name.len() > 1, "{}: {name}", row.path);
            }
            let twice = rows().filter(|other| other.path == row.path).count();
            assert_eq!(twice, 1, "{}", row.path);
            // A subcommand is found by way of the row before it.
            assert!(!row.path.contains(' ') || row.parent().is_some(), "{}", row.path);
        }
    }

    /// Each option with a value, in each of its spellings, is one for a pattern of its subcommand.
    #[test]
    fn options_with_values_are_matched_in_all_rows() {
        let glob = |text: &str| Glob::new(text, GlobKind::Name).expect("a glob");
        for row in rows() {
            let path: Vec<&str> = row.path.split(' ').collect();
            for name in row.valued.split_ascii_whitespace() {
                let (name, attached) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
                let short = !name.starts_with("--") && name.len() == 2 && row.style != Words;
                let forms = [
                    (!attached).then(|| vec![name.to_owned(), "v".into()]),
                    short.then(|| vec![format!("{name}v")]),
                    (!short).then(|| vec![format!("{name}=v")]),
                ];
                for form in forms.into_iter().flatten() {
                    let words = path.iter().map(ToString::to_string).chain(form);
                    let words: Vec<ShellWord> = words.map(|word| ShellWord::literal(&word)).collect();
                    for (value, expected) in
                        [("v", Certainty::Yes), ("*", Certainty::Yes), ("w", Certainty::No)]
                    {
                        let pattern = ProgramPattern {
                            programs: vec![glob(path[0])],
                            subcommand: path[1..].iter().map(|word| glob(word)).collect(),
                            flags: vec![vec![OptionName::new(glob(name), Some(glob(value)))]],
                            without_flags: Vec::new(),
                            operands: Vec::new(),
                            without_operands: Vec::new(),
                        };
                        assert_eq!(
                            pattern.matches(&words),
                            expected,
                            "{}: {words:?} {name}={value}",
                            row.path
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn arities_are_those_of_the_subcommand() {
        let git = program_row("git").expect("a row");
        assert_eq!(git.arity("-C"), OptionArity::Value);
        assert_eq!(git.arity("--no-pager"), OptionArity::Flag);
        let commit = subcommand_row(git, "commit");
        assert_eq!(commit.arity("-m"), OptionArity::Value);
        assert_eq!(commit.arity("-S"), OptionArity::Attached);
        assert_eq!(commit.arity("-n"), OptionArity::Flag);
        assert_eq!(subcommand_row(git, "status").path, "git");
        assert_eq!(program_row("k").expect("a row").arity("--strange"), OptionArity::Either);
        assert_eq!(program_row("tofu").expect("a row").arity("--var"), OptionArity::Value);
    }
}
