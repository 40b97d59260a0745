//! Maps the commands of a script to the patterns that they match.

use super::argv::ArgvPattern;
use super::automaton::{ScriptAutomaton, SilentAutomaton};
use super::build::{ShellAutomaton, ShellCommand};
use super::together::{Sets, matched_together, unions};
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
}

impl CommandLetter {
    /// Whether it certainly matches no pattern, and does no more than its words show.
    pub fn is_nothing(&self) -> bool {
        self.sure.is_empty() && self.maybe.is_empty() && !self.opaque
    }
}

/// An automaton over the patterns that the commands of a script match.
pub type LetterAutomaton = ScriptAutomaton<CommandLetter>;

/// The patterns that a command matches. A pattern matches if it matches the command or one that the command runs, as in
/// `sudo git push`.
pub fn command_letter(command: &ShellCommand, patterns: &[ArgvPattern]) -> CommandLetter {
    let mut letter = CommandLetter { opaque: command.opaque.is_some(), ..CommandLetter::default() };
    for (i, pattern) in patterns.iter().enumerate() {
        let views: Vec<Certainty> = command.views.iter().map(|view| pattern.matches(view)).collect();
        letter.named |= views.iter().take(command.own_views).any(|own| *own == Certainty::Yes);
        match views.into_iter().max().unwrap_or(Certainty::No) {
            Certainty::Yes => letter.sure.push(i),
            Certainty::Maybe => letter.maybe.push(i),
            Certainty::No => {}
        }
    }
    letter.together = together(command, patterns, &letter.maybe);
    letter
}

/// The sets of these patterns that a command may match together.
fn together(command: &ShellCommand, patterns: &[ArgvPattern], maybe: &[usize]) -> Option<Vec<Vec<usize>>> {
    let maybe: Vec<(usize, &ArgvPattern)> = maybe.iter().map(|&i| (i, &patterns[i])).collect();
    let mut all = Sets::from([BTreeSet::new()]);
    if !maybe.is_empty() {
        for view in &command.views {
            all = unions(&all, &matched_together(&maybe, view)?)?;
        }
    }
    Some(all.into_iter().map(|set| set.into_iter().collect()).collect())
}

/// The automaton over patterns. Commands that match nothing are letters, too, but a shell whose commands follow as
/// separate letters is a silent step unless a pattern matches it.
pub fn letter_automaton(automaton: &ShellAutomaton, patterns: &[ArgvPattern]) -> LetterAutomaton {
    let of_commands: Vec<CommandLetter> =
        automaton.letters.iter().map(|command| command_letter(command, patterns)).collect();
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
            if automaton.letters[edge.letter].shell && letter.is_nothing() {
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
