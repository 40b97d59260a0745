//! The sets of patterns that a command with unknown words may match together.
//!
//! All patterns are run along the words at the same time. An unknown word is one of the texts that some pattern names,
//! or another text, for which each glob with wildcards is tried as matching and as not matching. A word that is split
//! is any number of such words. So `git $a` is `git push` or `git pull` but never both, and `git $a $b` may be a push
//! that has `--force`.

use super::argv::ArgvPattern;
use super::clause::CommandClause;
use super::word::{Certainty, ShellWord};
use std::collections::BTreeSet;
use tsl_synth_core::base::Glob;

/// The most sets of patterns.
const MOST_SETS: usize = 64;
/// The most states of all patterns at one word.
const MOST_STATES: usize = 512;
/// The most globs with wildcards that one unknown word is tried with.
const MOST_GLOBS: usize = 6;

/// Sets of patterns, by their indices.
pub(super) type Sets = BTreeSet<BTreeSet<usize>>;

/// Each union of a set of one list and a set of another; `None` if there are too many.
pub(super) fn unions(first: &Sets, second: &Sets) -> Option<Sets> {
    let mut all = Sets::new();
    for one in first {
        for other in second {
            all.insert(one | other);
            if all.len() > MOST_SETS {
                return None;
            }
        }
    }
    Some(all)
}

/// The sets of these patterns that a command with these words may match together; `None` if there are too many.
pub(super) fn matched_together(patterns: &[(usize, &ArgvPattern)], words: &[ShellWord]) -> Option<Sets> {
    let mut all = Sets::from([BTreeSet::new()]);
    for words in ArgvPattern::readings(words) {
        all = unions(&all, &run(patterns, &words)?)?;
    }
    for (i, pattern) in patterns {
        if pattern.matches_as_alias(words) {
            all = unions(&all, &Sets::from([BTreeSet::new(), BTreeSet::from([*i])]))?;
        }
    }
    Some(all)
}

/// The sets of these patterns of which no two exclude each other; `None` if there are too many. Each pattern is given by
/// the clauses by which it may match.
pub(super) fn compatible(patterns: &[(usize, Vec<&CommandClause>)]) -> Option<Sets> {
    let clash = |one: &[&CommandClause], two: &[&CommandClause]| {
        one.iter().all(|one| two.iter().all(|two| one.excludes(two)))
    };
    let mut all = Sets::from([BTreeSet::new()]);
    for (at, (i, own)) in patterns.iter().enumerate() {
        let fits = |set: &&BTreeSet<usize>| {
            patterns[..at].iter().all(|(other, clauses)| !set.contains(other) || !clash(own, clauses))
        };
        let more: Vec<BTreeSet<usize>> = all.iter().filter(fits).cloned().collect();
        for mut set in more {
            set.insert(*i);
            all.insert(set);
        }
        if all.len() > MOST_SETS {
            return None;
        }
    }
    Some(all)
}

/// What the words so far may match: whether there are any, and for each pattern the numbers of its parts.
type Matched = (bool, Vec<Vec<bool>>);

fn run(patterns: &[(usize, &ArgvPattern)], words: &[ShellWord]) -> Option<Sets> {
    let start: Matched = (false, patterns.iter().map(|(_, pattern)| pattern.start()).collect());
    let mut now = BTreeSet::from([start]);
    for word in words {
        let fields = word.fields();
        let mut seen: BTreeSet<(usize, Matched)> = now.into_iter().map(|state| (0, state)).collect();
        let mut open: Vec<(usize, Matched)> = seen.iter().cloned().collect();
        while let Some((at, state)) = open.pop() {
            for (field, to) in &fields.edges[at] {
                for after in after(patterns, &state, field)? {
                    if seen.insert((*to, after.clone())) {
                        open.push((*to, after));
                    }
                }
                if seen.len() > MOST_STATES {
                    return None;
                }
            }
        }
        now = seen.into_iter().filter(|(at, _)| fields.ends[*at]).map(|(_, state)| state).collect();
    }
    let matched = |(_, parts): &Matched| {
        let all = patterns.iter().zip(parts).filter(|(_, parts)| parts.last() == Some(&true));
        all.map(|((i, _), _)| *i).collect()
    };
    let sets: Sets = now.iter().map(matched).collect();
    (sets.len() <= MOST_SETS).then_some(sets)
}

/// The states after one word, for all values that it may have.
fn after(patterns: &[(usize, &ArgvPattern)], state: &Matched, word: &ShellWord) -> Option<Vec<Matched>> {
    let is_first = !state.0;
    let step = |fits: &dyn Fn(&Glob) -> bool| -> Matched {
        let parts = patterns.iter().zip(&state.1).map(|((_, pattern), now)| pattern.after(now, fits));
        (true, parts.collect())
    };
    let fits_text = |glob: &Glob, text: &str| {
        let word = ShellWord::literal(text);
        let fits = if is_first { word.matches_program(glob) } else { word.matches(glob) };
        fits != Certainty::No
    };
    let certainty = |glob: &Glob| if is_first { word.matches_program(glob) } else { word.matches(glob) };
    let mut all = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (_, pattern) in patterns {
        for glob in pattern.globs().filter(|glob| certainty(glob) == Certainty::Maybe) {
            match glob.literal() {
                Some(text) => all.push(step(&|glob| fits_text(glob, text))),
                None if open.contains(&glob.as_str()) => {}
                None => open.push(glob.as_str()),
            }
        }
    }
    if open.len() > MOST_GLOBS {
        return None;
    }
    for chosen in 0..1_usize << open.len() {
        let fits = |glob: &Glob| match (certainty(glob), open.iter().position(|own| *own == glob.as_str())) {
            (Certainty::Maybe, Some(i)) => chosen >> i & 1 == 1,
            (certainty, _) => certainty == Certainty::Yes,
        };
        all.push(step(&fits));
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}
