//! What tables about shell commands catch: spellings of the command that each describes, read by the reader of commands.

use crate::language::{EventKind, Match, Policy, ShellMatch};
use crate::shell::{Certainty, CommandClause, ExampleCommand, Exported, never_matches, script_automaton};

/// A command as the tables see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadSpelling {
    /// The command.
    pub text: String,
    /// How sure it is that the table matches one of its simple commands.
    pub certainty: Certainty,
    /// Whether a part of it cannot be read, so that it may be any command.
    pub is_opaque: bool,
    /// Whether nothing in it is, or may be, what the table names: neither by this table nor by another one of the same
    /// names, and all of it can be read.
    pub passes: bool,
}

/// What a table catches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSpellings {
    /// The table, by its number in the policy.
    pub table: usize,
    /// A command that it matches, if one was found.
    pub example: Option<String>,
    /// The same command in other spellings.
    pub same: Vec<ReadSpelling>,
    /// Commands that look like it.
    pub others: Vec<ReadSpelling>,
    /// If no command matches the table, why, and what to write instead.
    pub never: Option<(String, String)>,
}

/// What each table about shell commands catches whose number `is_asked`.
pub fn spellings(policy: &Policy, is_asked: impl Fn(usize) -> bool) -> Vec<TableSpellings> {
    let calls = policy.matches.iter().enumerate().filter(|(_, table)| table.on == EventKind::Call);
    let shell: Vec<(usize, &Match, &ShellMatch)> =
        calls.filter_map(|(i, table)| Some((i, table, table.shell.as_ref()?))).collect();
    let asked = shell.iter().filter(|(i, ..)| is_asked(*i));
    let of = |&(table, own, command): &(usize, &Match, &ShellMatch)| {
        let same_names =
            shell.iter().filter(|(_, other, _)| other.action == own.action && other.set == own.set);
        let like: Vec<&CommandClause> = same_names.map(|(.., command)| &command.clause).collect();
        of_table(table, &command.clause, &like)
    };
    asked.map(of).collect()
}

fn of_table(table: usize, clause: &CommandClause, like: &[&CommandClause]) -> TableSpellings {
    let examples = ExampleCommand::of(clause);
    let found = |wanted: Certainty| {
        examples.iter().find(|example| read(example.text(), clause, like).certainty == wanted)
    };
    // A word with blanks matches only in quotes, which nobody writes.
    let cause = never_matches(clause);
    let is_word = cause.as_ref().is_some_and(|(why, _)| why.starts_with('`'));
    let example = found(Certainty::Yes).or_else(|| found(Certainty::Maybe)).filter(|_| !is_word);
    let never = if example.is_none() { cause } else { None };
    let all = |texts: Vec<String>| texts.into_iter().map(|text| read(text, clause, like)).collect();
    TableSpellings {
        table,
        example: example.map(ExampleCommand::text),
        same: example.map(|own| all(own.same())).unwrap_or_default(),
        others: example.map(|own| all(own.others(clause))).unwrap_or_default(),
        never,
    }
}

fn read(text: String, clause: &CommandClause, like: &[&CommandClause]) -> ReadSpelling {
    let script = script_automaton(&text);
    let exported = Exported::of(&script);
    let best = |clause: &CommandClause| {
        let each = script.letters.iter().map(|command| clause.matches(command, &exported));
        each.max().unwrap_or(Certainty::No)
    };
    let certainty = best(clause);
    let is_opaque = script.letters.iter().any(|command| command.opaque.is_some());
    let passes = !is_opaque && like.iter().all(|clause| best(clause) == Certainty::No);
    ReadSpelling { text, certainty, is_opaque, passes }
}
