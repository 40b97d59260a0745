//! What a command runs besides itself.

use super::launchers::Outcome;
use super::word::ShellWord;

/// What a command runs besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// No other command.
    Nothing,
    /// One command, whose outcome is also that of the program.
    Command(Vec<ShellWord>),
    /// Commands, each any number of times.
    Repeatedly(Vec<Vec<ShellWord>>),
    /// A script, whose outcome is also that of the program; whether it stops at the first failure, and whether a
    /// pipeline fails with any of its parts.
    Script(String, bool, bool),
    /// A shell with the file of its script, as with [`Runs::Script`].
    File(ShellWord, bool, bool),
    /// Scripts, each any number of times.
    Scripts(Vec<String>),
    /// A script of a project of which nothing is known, or this command, if it is a program.
    Either(Vec<ShellWord>),
    /// The same as this, with an outcome that is not that of the program.
    Apart(Box<Self>, Outcome),
    /// Commands that cannot be determined.
    Opaque(&'static str),
}
