//! Maps the commands of a script to the patterns that they match.

use super::automaton::{ScriptAutomaton, SilentAutomaton};
use super::clause::{CommandPattern, Exported};
use super::files::CommandFiles;
use super::graph_builder::{ShellAutomaton, ShellCommand};
use super::together::{Sets, compatible, matched_together, unions};
use super::word::Certainty;
use std::collections::{BTreeMap, BTreeSet};

/// The patterns of a list that a command matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommandLetter {
    /// The indices of the patterns that certainly match, in order.
    pub sure: Vec<usize>,
    /// The indices of the patterns that may match, because some words are not known before the script runs.
    pub maybe: Vec<usize>,
    /// The sets of these that may match together, as far as that is known; one of them holds. `None` if there are too
    /// many.
    pub together: Option<Vec<Vec<usize>>>,
    /// Whether the command may do more than its words show, so that every pattern may match.
    pub opaque: bool,
    /// Whether a pattern certainly matches the command itself, and not only one that it runs elsewhere.
    pub named: bool,
    /// The file that it writes, if a pattern asks for it and it is one file that is known.
    pub written: Option<String>,
    /// The file that it reads, in the same way.
    pub read: Option<String>,
}

impl CommandLetter {
    /// Whether it certainly matches no pattern, and does no more than its words show.
    pub fn is_nothing(&self) -> bool {
        self.sure.is_empty() && self.maybe.is_empty() && !self.opaque
    }
}

/// An automaton over the patterns that the commands of a script match.
pub type LetterAutomaton = ScriptAutomaton<CommandLetter>;

/// The patterns that a command matches. The words of a pattern match if they match the command or one that the command
/// runs, as in `sudo git push`.
pub fn command_letter(
    command: &ShellCommand,
    patterns: &[CommandPattern<'_>],
    exported: &Exported,
) -> CommandLetter {
    let mut letter = CommandLetter { opaque: command.opaque.is_some(), ..CommandLetter::default() };
    // Without what it runs elsewhere, if it does.
    let own = (command.own_views < command.views.len())
        .then(|| ShellCommand { views: command.views[..command.own_views].to_vec(), ..command.clone() });
    for (i, pattern) in patterns.iter().enumerate() {
        let certainty = pattern.matches(command, exported);
        let itself = own.as_ref().map_or(certainty, |own| pattern.matches(own, exported));
        letter.named |= itself == Certainty::Yes;
        match certainty {
            Certainty::Yes => letter.sure.push(i),
            Certainty::Maybe => letter.maybe.push(i),
            Certainty::No => {}
        }
    }
    letter.together = together(command, patterns, &letter.maybe, exported);
    let named = letter.sure.iter().chain(&letter.maybe);
    if named.into_iter().any(|&i| patterns[i].asks_for_files) {
        let files = CommandFiles::of(command);
        (letter.written, letter.read) = (files.only_written(), files.only_read());
    }
    letter
}

/// The sets of these patterns that a command may match together. Patterns of words alone are run along the words
/// together; of others each set counts that has no two patterns that exclude each other.
fn together(
    command: &ShellCommand,
    patterns: &[CommandPattern<'_>],
    maybe: &[usize],
    exported: &Exported,
) -> Option<Vec<Vec<usize>>> {
    let of_words = |i: usize| patterns[i].any.iter().all(|clause| clause.argv().is_some());
    let (sure, open): (Vec<usize>, Vec<usize>) = maybe.iter().partition(|&&i| patterns[i].is_sure);
    let (plain, others): (Vec<usize>, Vec<usize>) = sure.iter().partition(|&&i| of_words(i));
    let plain: Vec<_> = plain
        .iter()
        .flat_map(|&i| patterns[i].any.iter().filter_map(move |c| Some((i, c.argv()?))))
        .collect();
    let mut all = Sets::from([BTreeSet::new()]);
    if !plain.is_empty() {
        for view in &command.views {
            all = unions(&all, &matched_together(&plain, view)?)?;
        }
    }
    if !others.is_empty() {
        let possible = |&i: &usize| {
            let clauses = patterns[i].any.iter().copied();
            (i, clauses.filter(|clause| clause.matches(command, exported) != Certainty::No).collect())
        };
        all = unions(&all, &compatible(&others.iter().map(possible).collect::<Vec<_>>())?)?;
    }
    // Of these it is not only the words that are not known.
    for i in open {
        all = unions(&all, &Sets::from([BTreeSet::new(), BTreeSet::from([i])]))?;
    }
    Some(all.into_iter().map(|set| set.into_iter().collect()).collect())
}

/// The automaton over patterns. Commands that match nothing are letters, too, but a shell whose commands follow as
/// separate letters is a silent step unless a pattern matches it.
pub fn letter_automaton(automaton: &ShellAutomaton, patterns: &[CommandPattern<'_>]) -> LetterAutomaton {
    let exported = Exported::of(automaton);
    let of_commands: Vec<CommandLetter> =
        automaton.letters.iter().map(|command| command_letter(command, patterns, &exported)).collect();
    let mut numbers: BTreeMap<&CommandLetter, usize> = BTreeMap::new();
    for letter in &of_commands {
        numbers.insert(letter, 0);
    }
    for (i, number) in numbers.values_mut().enumerate() {
        *number = i;
    }
    let mut draft = SilentAutomaton::default();
    for state in &automaton.states {
        let at = draft.state();
        draft.ends[at] = (state.ends_ok, state.ends_failed);
    }
    for (at, state) in automaton.states.iter().enumerate() {
        for edge in &state.edges {
            let letter = &of_commands[edge.letter];
            let command = &automaton.letters[edge.letter];
            if (command.shell || command.elsewhere) && letter.is_nothing() {
                draft.edges[at].push((None, edge.to));
                continue;
            }
            for ok in [true, false].into_iter().filter(|&ok| edge.outcome.allows(ok)) {
                draft.edges[at].push((Some((numbers[letter], ok)), edge.to));
            }
        }
    }
    let letters = numbers.keys().map(|&letter| letter.clone()).collect();
    ScriptAutomaton { letters, states: draft.finish(0) }
}
