//! Named patterns with phrases in the places of names: `no more than 3 pushes per day`, `a push needs tests since the last
//! edit`.

use super::clause::{ClauseToken, range};
use super::counts::at_most;
use super::ground::{ground_phrase, number};
use super::names::PolicyNames;
use super::pattern::LawPattern;
use super::pattern_read::{parse_pattern, read_window};

/// Beginnings of sentences about the largest number of calls, beside those of [`at_most`].
const AT_MOST: &[&[&str]] =
    &[&["never", "more", "than"], &["maximally"], &["max"], &["there", "are", "at", "most"]];
/// What stands between a call and what it requires.
const REQUIRES: &[&[&str]] = &[&["requires"], &["require"], &["needs"], &["need"]];
/// What stands before the events since which it is required.
const SINCE: &[&[&str]] = &[
    &["since", "the", "last"],
    &["since", "the", "latest"],
    &["after", "the", "last"],
    &["after", "the", "latest"],
    &["since"],
];
/// What stands before the length of time of a limit.
const PER: &[&[&str]] = &[&["per"], &["each"], &["every"], &["in", "any"], &["a"], &["an"]];
const OVER_SESSIONS: &[&[&str]] = &[
    &["over", "all", "sessions"],
    &["across", "all", "sessions"],
    &["in", "all", "sessions"],
    &["over", "sessions"],
];

/// How many tokens one of these phrases takes at the beginning.
fn begins(tokens: &[ClauseToken], phrases: &[&[&str]]) -> Option<usize> {
    let is_there = |phrase: &&&[&str]| {
        tokens.len() >= phrase.len() && phrase.iter().zip(tokens).all(|(word, token)| token.is(word))
    };
    phrases.iter().filter(is_there).map(|phrase| phrase.len()).max()
}

/// The tokens before and after the only place of one of these phrases.
fn around<'t>(
    tokens: &'t [ClauseToken],
    phrases: &[&[&str]],
) -> Option<(&'t [ClauseToken], &'t [ClauseToken])> {
    let at = (1..tokens.len()).find(|&at| begins(&tokens[at..], phrases).is_some())?;
    let length = begins(&tokens[at..], phrases)?;
    let (first, rest) = (&tokens[..at], &tokens[at + length..]);
    (!rest.is_empty() && (1..rest.len()).all(|at| begins(&rest[at..], phrases).is_none()))
        .then_some((first, rest))
}

/// A length of time at the end of a limit, such as `day`, `10 minutes`.
fn window(tokens: &[ClauseToken]) -> Option<String> {
    let text = match tokens {
        [unit] => format!("1{}", unit.word()?),
        [count, unit] => format!("{}{}", number(count.word()?)?, unit.word()?),
        _ => return None,
    };
    read_window(&text).map(|window| window.text)
}

/// The pattern that a sentence is, with phrases for names; `None` if it is none.
pub(super) fn read(text: &str, tokens: &[ClauseToken], names: &PolicyNames) -> Option<LawPattern> {
    let name = |tokens: &[ClauseToken]| ground_phrase(text.get(range(tokens))?, names).ok();
    let rule = if let Some(begin) =
        begins(tokens, &at_most().chain(AT_MOST.iter().copied()).collect::<Vec<_>>())
    {
        let (most, mut rest) = tokens[begin..].split_first()?;
        let most = number(most.word()?)?;
        let over = (1..rest.len()).find(|&at| begins(&rest[at..], OVER_SESSIONS) == Some(rest.len() - at));
        rest = &rest[..over.unwrap_or(rest.len())];
        let (rest, since) = match around(rest, SINCE) {
            Some((rest, since)) => (rest, format!(" since {}", name(since)?)),
            None => (rest, String::new()),
        };
        let limit = (1..rest.len()).find_map(|at| {
            let length = begins(&rest[at..], PER)?;
            Some((at, window(&rest[at + length..])?))
        });
        let (what, per) = match limit {
            Some((at, window)) => (&rest[..at], format!(" per {window}")),
            None => (rest, String::new()),
        };
        let over = if over.is_some() { " over sessions" } else { "" };
        format!("at most {most} {}{since}{per}{over}", name(what)?)
    } else {
        let (call, needed) = around(tokens, REQUIRES)?;
        match around(needed, SINCE) {
            Some((needed, since)) => {
                format!("{} requires {} since {}", name(call)?, name(needed)?, name(since)?)
            }
            None => format!("{} requires {} before", name(call)?, name(needed)?),
        }
    };
    parse_pattern(&rule, names).ok()
}

#[cfg(test)]
mod tests {
    use super::super::names::NameKind;
    use super::super::sentence::read_sentence;
    use super::*;

    fn names() -> PolicyNames {
        let actions = ["git.push", "git.push.force", "tests.run", "files.edit", "files.delete", "refund"];
        actions.into_iter().map(|name| (name, NameKind::Action)).collect()
    }

    #[test]
    fn phrases_stand_for_names() {
        for (texts, rule) in [
            (
                &[
                    "at most 3 pushes",
                    "No more than three pushes.",
                    "Up to 3 pushes",
                    "never more than 3 pushes",
                ][..],
                "at most 3 git.push",
            ),
            (
                &[
                    "at most 2 pushes per day",
                    "no more than 2 pushes a day",
                    "a maximum of 2 pushes every day",
                ],
                "at most 2 git.push per 1d",
            ),
            (
                &["at most 5 refunds per 10 minutes", "up to five refunds in any 10 minutes"],
                "at most 5 refund per 10min",
            ),
            (
                &[
                    "at most 3 pushes per day over all sessions",
                    "no more than 3 pushes a day across all sessions",
                ],
                "at most 3 git.push per 1d over sessions",
            ),
            (&["at most 1 push since the last edit"], "at most 1 git.push since files.edit"),
            (
                &[
                    "a push requires tests since the last edit",
                    "pushing needs the tests after the latest edit",
                    "A push needs passed tests since the last edit.",
                ],
                "git.push requires tests.run since files.edit",
            ),
            (
                &["a push requires tests", "never push without tests", "push only after the tests passed"],
                "git.push requires tests.run before",
            ),
            (&["never force push", "force pushes are forbidden"], "never git.push.force"),
        ] {
            let meant = parse_pattern(rule, &names()).expect("a rule");
            for text in texts {
                let read = read_sentence(text, &names()).unwrap_or_else(|why| panic!("{text}: {why}"));
                assert_eq!(read.law.to_string(), meant.law().to_string(), "{text}");
            }
        }
    }

    #[test]
    fn words_that_are_not_understood_are_refused() {
        for text in [
            "at most 3 pushes on Fridays",
            "at most 3 pushes and edits",
            "at most 3 large pushes",
            "at most some pushes",
            "at most 3 pushes per sprint",
            "never touch files",
            "a push requires tests and lunch",
            "a push requires tests since the last edit since the last push",
            "a careful push requires tests",
            "a push never requires tests",
            "a push does not require tests",
        ] {
            assert!(
                read_sentence(text, &names()).is_err(),
                "{text}: {:?}",
                read_sentence(text, &names()).map(|read| read.law.to_string())
            );
        }
    }
}
