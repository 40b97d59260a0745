//! Programs that run another command which their words name: a table of their options, and where the command begins.
//!
//! To add one, add a line. A program that is in neither table here, nor a shell, runs no other command as far as its words
//! tell; an option that a line does not list makes the command opaque.

mod languages;
mod machines;
mod secrets;
mod system;

/// Where the command of a launcher begins, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// After the options and operands: the words of one command.
    Command,
    /// The same, any number of times and with further words.
    Again,
    /// After the options and operands: words that are joined by blanks to the text of a script.
    Text,
    /// The same, any number of times.
    TextAgain,
    /// After the options and operands: one word that is the text of a script, or the words of one command.
    TextOrCommand,
    /// After the options: each word is the text of a script, which runs any number of times.
    Texts,
    /// After the options: the words of one command, up to `:::`, any number of times and with further words.
    Template,
    /// After the options and operands nothing but words for a shell.
    Login,
    /// The words after this word, wherever it stands: `--`, `-c`. Without it no command is run.
    After(&'static [&'static str]),
}

/// What a launcher without a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    /// It runs none.
    Nothing,
    /// It runs a shell, or reads commands.
    Shell,
}

/// What the exit of a launcher tells about its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is that of the command.
    Same,
    /// The launcher waits, but may succeed although the command has failed or did not run.
    Untold,
    /// The same, where the command may run any number of times.
    Again,
    /// The command runs on when the launcher has ended, or begins later.
    Later,
}

/// A program that runs another command. Long options with `=` take no further word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launcher {
    pub(crate) names: &'static [&'static str],
    /// The words of its subcommand: `compose exec`. Options may stand before each of them.
    pub(crate) path: &'static [&'static str],
    /// Options without a value: letters, then long names.
    pub(crate) flags: &'static str,
    pub(crate) long_flags: &'static [&'static str],
    /// Options with a value.
    pub(crate) valued: &'static str,
    pub(crate) long_valued: &'static [&'static str],
    /// Options whose value is the text of the script that it runs.
    pub(crate) scripts: &'static [&'static str],
    /// Words between the options and the command.
    pub(crate) operands: usize,
    /// Whether options may follow the operands, too.
    pub(crate) late_options: bool,
    /// Whether `NAME=value` may stand before the command.
    pub(crate) assignments: bool,
    pub(crate) then: Then,
    pub(crate) without: Without,
    /// What its exit tells, unless an option decides that.
    pub(crate) outcome: Outcome,
    /// Options that decide what its exit tells, of which the first that is given counts; with `=`, if it has this value,
    /// where `?` is a value that is not known.
    pub(crate) outcomes: &'static [(&'static str, Outcome)],
}

const PLAIN: Launcher = Launcher {
    names: &[],
    path: &[],
    flags: "",
    long_flags: &[],
    valued: "",
    long_valued: &[],
    scripts: &[],
    operands: 0,
    late_options: false,
    assignments: false,
    then: Then::Command,
    without: Without::Nothing,
    outcome: Outcome::Same,
    outcomes: &[],
};

/// All launchers.
pub(crate) fn launchers() -> impl Iterator<Item = &'static Launcher> {
    system::LAUNCHERS.iter().chain(machines::LAUNCHERS).chain(languages::LAUNCHERS).chain(secrets::LAUNCHERS)
}

/// Whether a program of this name is a launcher of the operating system, which no package of a project is.
pub(crate) fn is_of_system(name: &str) -> bool {
    system::LAUNCHERS.iter().any(|launcher| launcher.names.contains(&name))
}

/// Launchers that only change how a command runs here, not where: a table for the command is a table for all of it.
pub(crate) const TRANSPARENT: &[&str] = &[
    "sudo",
    "doas",
    "env",
    "genv",
    "nice",
    "gnice",
    "ionice",
    "chrt",
    "taskset",
    "nohup",
    "noglob",
    "nocorrect",
    "eatmydata",
    "setsid",
    "stdbuf",
    "gstdbuf",
    "timeout",
    "gtimeout",
    "time",
    "gtime",
    "faketime",
    "caffeinate",
    "chronic",
    "unbuffer",
    "command",
    "builtin",
    "exec",
    "strace",
    "ltrace",
    "flock",
];
