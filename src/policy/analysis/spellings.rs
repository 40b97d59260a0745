//! Which spellings of a shell command a table matches. Example commands are generated from the table, in equivalent and in
//! merely similar spellings; each is parsed like the command of a call and compared with the tables.

use crate::language::{EventKind, Policy};
use tsl_synth_shell::{
    Certainty, CommandClause, ExampleCommand, Exported, ShellAutomaton, contradiction, impossible_word,
    script_automaton,
};

/// A command, and how a table judges it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadSpelling {
    /// The command.
    pub text: String,
    /// How sure it is that the table matches one of its simple commands.
    pub certainty: Certainty,
    /// Whether a part of the command is opaque: what it runs is not known before it runs.
    pub is_opaque: bool,
    /// Whether the command is missed: no part of it is opaque, and no table with the same names matches or may match it.
    pub passes: bool,
}

/// The spellings of the command that a table describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSpellings {
    /// The table, by its number in the policy.
    pub table: usize,
    /// A command that the table matches, if one was found.
    pub example: Option<ExampleCommand>,
    /// Equivalent spellings of the example.
    pub same: Vec<ReadSpelling>,
    /// If it is known that no command matches the table: the cause, and what to write instead.
    pub never: Option<(String, String)>,
}

/// The spellings for each table about shell commands that stands in the text of the policy itself. The tables of
/// vocabularies are left out; they are tested when they are written.
///
/// Parses at most 84 commands per table, and compares each with the tables of the same names.
pub fn spellings(policy: &Policy) -> Vec<TableSpellings> {
    let tables = policy.matches.iter().enumerate();
    let own = tables.filter(|(_, table)| table.on == EventKind::Call && policy.is_own(table));
    own.filter_map(|(table, own)| Some(of_table(policy, table, &own.shell.as_ref()?.clause))).collect()
}

fn of_table(policy: &Policy, table: usize, clause: &CommandClause) -> TableSpellings {
    let wrong = impossible_word(clause);
    // A table with such a word matches only commands that quote it, which nobody writes.
    let example = if wrong.is_none() { example_of(clause) } else { None };
    let never = wrong.or_else(|| if example.is_none() { contradiction(clause) } else { None });
    let same = example.as_ref().map(|own| read_all(policy, table, own.same())).unwrap_or_default();
    TableSpellings { table, example, same, never }
}

/// The first example that a table surely matches, or else the first that it may match.
fn example_of(clause: &CommandClause) -> Option<ExampleCommand> {
    let mut possible = None;
    for example in ExampleCommand::of(clause) {
        match ParsedCommand::new(&example.text()).certainty(clause) {
            Certainty::Yes => return Some(example),
            Certainty::Maybe => possible = possible.or(Some(example)),
            Certainty::No => {}
        }
    }
    possible
}

/// Commands that resemble the example of a table, and mostly are other commands.
pub fn look_alikes(policy: &Policy, own: &TableSpellings) -> Vec<ReadSpelling> {
    let (Some(example), Some(shell)) = (&own.example, &policy.matches[own.table].shell) else {
        return Vec::new();
    };
    read_all(policy, own.table, example.others(&shell.clause))
}

fn read_all(policy: &Policy, table: usize, commands: Vec<String>) -> Vec<ReadSpelling> {
    let own = &policy.matches[table];
    let same_names = policy
        .matches
        .iter()
        .filter(|other| other.on == own.on && other.action == own.action && other.set == own.set);
    let clauses: Vec<&CommandClause> =
        same_names.filter_map(|other| other.shell.as_ref()).map(|shell| &shell.clause).collect();
    let Some(shell) = &own.shell else { return Vec::new() };
    let read = |text: String| {
        let parsed = ParsedCommand::new(&text);
        let certainty = parsed.certainty(&shell.clause);
        let is_opaque = parsed.script.letters.iter().any(|command| command.opaque.is_some());
        let is_missed = |clause: &&CommandClause| parsed.certainty(clause) == Certainty::No;
        let passes = !is_opaque && certainty == Certainty::No && clauses.iter().all(is_missed);
        ReadSpelling { text, certainty, is_opaque, passes }
    };
    commands.into_iter().map(read).collect()
}

/// The simple commands of a script.
struct ParsedCommand {
    script: ShellAutomaton,
    exported: Exported,
}

impl ParsedCommand {
    fn new(text: &str) -> Self {
        let script = script_automaton(text);
        let exported = Exported::of(&script);
        Self { script, exported }
    }
    /// How sure it is that one of the simple commands matches.
    fn certainty(&self, clause: &CommandClause) -> Certainty {
        let each = self.script.letters.iter().map(|command| clause.matches(command, &self.exported));
        each.max().unwrap_or(Certainty::No)
    }
}
