//! Shell commands: which programs a script may run in which order, and which patterns of a policy those match.
//!
//! [`script_automaton`] reads a script for bash (or what POSIX shells share with it), [`argv_automaton`] a list of
//! words as some hosts send it. [`letter_automaton`] maps the commands to a list of [`CommandPattern`]s. Nothing is run
//! and no file is read, so some things are not modeled: what a program does internally, aliases and functions of the
//! shell of the host, and programs of the same name in other folders.
//!
//! Commands that other programs run are followed as the tables in `launchers` and `programs` say: words after the
//! options (`sudo`, `xargs`, `docker exec`, `uv run`), texts (`bash -c`, `ssh`, `watch`), options and settings (`git rebase
//! --exec`, `tar --to-command`, `git -c core.pager`), variables (`GIT_SSH_COMMAND`). `eval` and `trap` with known texts are
//! commands of the script; those of `trap` may occur at any later time. `source`, programs whose names are not known, shells
//! that read scripts from files, and constructs that are not understood are *opaque*: they may be any command.
//!
//! Not modeled, besides: what code for an interpreter does unless it visibly runs commands ([`inline_code`] tells such
//! code), links, and values of variables from outside of the script in arithmetic, which are taken for numbers. The names
//! of the working folder and of the home folder are taken to have no blanks, wildcards to find no hidden files unless the
//! script changes that (`dotglob`).
//!
//! This crate is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]

mod ansi;
mod arguments;
mod argv;
mod automaton;
mod braces;
mod branches;
mod case_pattern;
mod graph_builder;
mod clause;
mod compare;
mod detached;
mod disturbed;
mod effects;
mod escapes;
mod file_glob;
mod file_specs;
mod files;
mod folder;
mod forms;
mod found;
mod git_commands;
mod graph;
mod inline_code;
mod interpreters;
mod launchers;
mod letters;
mod nodes;
mod option_rows;
mod option_variables;
mod options;
mod outcome;
mod packages;
mod powershell;
mod prepare;
mod programs;
mod read;
mod run;
mod runs;
mod scripts;
mod spellings;
mod together;
mod tree;
mod unchanging;
mod values;
mod word;
mod wrappers;
mod written;

pub use argv::{ARGV_WORDS, ArgvPattern};
pub use automaton::{CommandOutcome, ScriptAutomaton, ScriptEdge, ScriptState, ScriptWord};
pub use clause::{ClauseWords, CommandClause, CommandPattern, EnvGlob, Exported};
pub use file_glob::FileGlob;
pub use graph::SCRIPT_STATES;
pub use graph_builder::{ShellAutomaton, ShellCommand, Unread};
pub use inline_code::{CODE_INLINE, inline_code};
pub use letters::{CommandLetter, LetterAutomaton, command_letter, letter_automaton};
pub use options::{FLAG_GROUPS, OptionName, ProgramPattern};
pub use powershell::powershell_with_files;
pub use prepare::SCRIPT_DEPTH;
pub use read::SCRIPT_LENGTH;
pub use run::{argv_automaton, argv_with_files, script_automaton, script_with_files};
pub use scripts::WantedFiles;
pub use spellings::{ExampleCommand, contradiction, impossible_word};
pub use tree::{Fed, Redirect, RedirectKind};
pub use unchanging::{Disturbance, disturbance};
pub use word::{Certainty, Folders, ShellWord, UnknownText, WordPiece};
