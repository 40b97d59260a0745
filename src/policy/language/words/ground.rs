//! The name that a noun phrase of a sentence denotes. `the living room` denotes `living_room`, or `obs_living_room`.

use super::clause::{ClauseToken, ClauseTokenKind, range, tokens};
use super::names::PolicyNames;
use super::pattern::PatternSubject;
use super::recognize::subject;
use super::refused::Refused;
use std::collections::BTreeSet;
use tsl_synth_core::diag::Code;
use tsl_synth_ltl::spelling::nearest;

/// Prefixes of generated names, which sentences omit.
const PREFIXES: &[&str] = &["obs_", "action_", "act_", "tool_", "prop_", "is_"];

/// Words without a meaning of their own in a noun phrase.
pub(super) const FILLERS: &[&str] = &[
    "a",
    "an",
    "the",
    "you",
    "i",
    "we",
    "it",
    "they",
    "he",
    "she",
    "your",
    "our",
    "my",
    "its",
    "that",
    "this",
    "there",
    "to",
    "in",
    "into",
    "at",
    "inside",
    "of",
    "for",
    "on",
    "be",
    "is",
    "are",
    "was",
    "were",
    "been",
    "being",
    "have",
    "has",
    "had",
    "having",
    "do",
    "does",
    "did",
    "doing",
    "done",
    "must",
    "should",
    "shall",
    "will",
    "would",
    "need",
    "needs",
    "ought",
    "always",
    "please",
    "make",
    "sure",
    "ensure",
    "agent",
    "robot",
    "then",
    "also",
    "ever",
    "already",
    "any",
    "user",
    "assistant",
    "required",
    "needed",
    "mandatory",
    "supposed",
    "just",
    "with",
    "by",
    "holds",
    "hold",
    "held",
    "true",
    "happens",
    "happen",
    "happened",
    "keep",
    "s",
];

/// Words that change what a sentence means. Where one is left beside a name, the error says so, instead of calling it no
/// part of the name.
const MEANINGFUL: &[&str] = &[
    "only",
    "again",
    "first",
    "last",
    "every",
    "each",
    "all",
    "both",
    "one",
    "time",
    "times",
    "more",
    "less",
    "still",
    "anymore",
    "some",
    "may",
    "can",
    "could",
    "able",
    "allowed",
    "permitted",
    "twice",
    "once",
    "except",
    "instead",
    "nor",
    "either",
    "neither",
    "unless",
    "without",
    "while",
    "if",
    "when",
    "before",
    "after",
    "until",
    "within",
    "per",
];

/// Words that a phrase may have between the words of a name.
const ARTICLES: &[&str] = &["a", "an", "the", "my", "your", "our", "its"];

/// Verbs for being somewhere and for doing something; the name denotes the place or the action.
const VERBS: &[&str] = &[
    "go",
    "goes",
    "going",
    "gone",
    "went",
    "enter",
    "enters",
    "entering",
    "entered",
    "visit",
    "visits",
    "visiting",
    "visited",
    "walk",
    "walks",
    "walking",
    "walked",
    "move",
    "moves",
    "moving",
    "moved",
    "reach",
    "reaches",
    "reaching",
    "reached",
    "get",
    "gets",
    "getting",
    "got",
    "come",
    "comes",
    "coming",
    "came",
    "travel",
    "traveling",
    "travelled",
    "head",
    "heading",
    "pass",
    "through",
    "stay",
    "stays",
    "staying",
    "stayed",
    "remain",
    "remains",
    "wait",
    "waits",
    "call",
    "calls",
    "calling",
    "called",
    "use",
    "uses",
    "using",
    "used",
    "run",
    "runs",
    "running",
    "ran",
    "execute",
    "executes",
    "executing",
    "executed",
    "perform",
    "performs",
    "performing",
    "performed",
    "take",
    "takes",
    "taking",
    "took",
    "start",
    "starts",
    "starting",
    "occur",
    "occurs",
    "occurred",
];

/// Words for the success of a call.
const DONE: &[&str] =
    &["succeed", "succeeds", "succeeded", "successful", "successfully", "passed", "ok", "passes"];
/// Words for the failure of a call.
const FAILED: &[&str] = &["fail", "fails", "failed", "failing", "unsuccessful"];

/// A word without its ending, so that `tests` and `testing` are `test`, and `payment` is `pay`.
pub(super) fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let long = |stem: &str, least: usize| stem.chars().count() >= least;
    let mut stem = word.as_str();
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| long(rest, 2)) {
        return format!("{rest}y");
    }
    for ending in ["ing", "ed"] {
        if let Some(rest) = stem.strip_suffix(ending).filter(|rest| long(rest, 3)) {
            stem = rest;
            let mut last = stem.chars().rev();
            let (a, b) = (last.next(), last.next());
            // `running` is `run`, and `calling` stays `call`.
            if a == b && !matches!(a, Some('l' | 's' | 'e')) {
                stem = &stem[..stem.len() - a.map_or(0, char::len_utf8)];
            }
            break;
        }
    }
    if let Some(rest) = stem.strip_suffix('s').filter(|rest| long(rest, 2) && !rest.ends_with('s')) {
        stem = rest;
    }
    stem = stem.strip_suffix("ment").filter(|rest| long(rest, 3)).unwrap_or(stem);
    stem.strip_suffix('e').filter(|rest| long(rest, 2)).unwrap_or(stem).to_owned()
}

/// A stem without its doubled last letter: `cancell` of `cancelling` is `cancel`.
pub(super) fn undoubled(stem: &str) -> String {
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && stem.len() > 3 => stem[..stem.len() - a.len_utf8()].to_owned(),
        _ => stem.to_owned(),
    }
}

/// The words of a text or a name, in lower case: split at characters that are not alphanumeric and before capitals in
/// camel case.
pub(super) fn parts(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        let hump = c.is_uppercase() && last.is_lowercase();
        if c.is_alphanumeric() && (hump || !last.is_alphanumeric()) {
            found.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = found.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    found
}

/// A name without the prefix of generated names.
pub(super) fn bare(name: &str) -> &str {
    PREFIXES
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name)
}

fn stems(text: &str) -> Vec<String> {
    parts(text).iter().map(|word| stem(word)).collect()
}

/// The number that a word denotes.
pub(super) fn number(word: &str) -> Option<u32> {
    const WORDS: &[&str] = &[
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let known = WORDS.iter().position(|w| *w == word).and_then(|n| u32::try_from(n).ok());
    known.or_else(|| word.parse().ok())
}

/// The name that a phrase denotes.
///
/// # Errors
/// If it denotes no name, or is ambiguous.
pub fn ground_phrase(text: &str, names: &PolicyNames) -> Result<String, Refused> {
    match phrase(&tokens(text)?, names)? {
        PatternSubject::Action(name) | PatternSubject::Momentary(name) | PatternSubject::State(name) => {
            Ok(name.to_string())
        }
        PatternSubject::Outcome(name, outcome) => Ok(format!("{name}.{outcome}")),
    }
}

/// The single name that a phrase denotes: the phrase has all words of the name in sequence, and otherwise only words
/// without a meaning of their own.
pub(super) fn phrase(tokens: &[ClauseToken], names: &PolicyNames) -> Result<PatternSubject, Refused> {
    if let Some(sign) = tokens.iter().find(|token| {
        !matches!(token.kind, ClauseTokenKind::Word(_) | ClauseTokenKind::Name(_) | ClauseTokenKind::Comma)
    }) {
        let message = "signs mean nothing here; between back quotes they are part of a name";
        return Err(Refused::new(Code::SENTENCE_FORM, sign.range.clone(), message));
    }
    let shown: Vec<&ClauseToken> = tokens
        .iter()
        .filter(|token| matches!(token.kind, ClauseTokenKind::Word(_) | ClauseTokenKind::Name(_)))
        .collect();
    if let Some(ClauseToken { kind: ClauseTokenKind::Name(name), range }) =
        shown.iter().copied().find(|token| matches!(token.kind, ClauseTokenKind::Name(_)))
    {
        if !names.knows(name) {
            return Err(unknown(name, range.clone(), names));
        }
        let known = |word: &str| FILLERS.contains(&word) || VERBS.contains(&word);
        let other = shown.iter().find(|token| match &token.kind {
            ClauseTokenKind::Word(word) => !known(word),
            ClauseTokenKind::Name(other) => other != name,
            _ => false,
        });
        return match other {
            None => Ok(subject(name, names, false)),
            Some(other) => {
                let message = format!("expected nothing else beside `{name}` here");
                Err(Refused::new(Code::SENTENCE_FORM, other.range.clone(), message))
            }
        };
    }
    // Words with the index of their token; a token that is itself a name is split into its words.
    let words: Vec<(String, usize)> = shown
        .iter()
        .enumerate()
        .flat_map(|(at, token)| {
            parts(bare(token.word().unwrap_or_default())).into_iter().map(move |word| (word, at))
        })
        .filter(|(word, _)| !ARTICLES.contains(&word.as_str()))
        .collect();
    let stemmed: Vec<String> = words.iter().map(|(word, _)| stem(word)).collect();
    let mut best: Vec<(Vec<usize>, &str)> = Vec::new();
    for (name, _) in names.iter() {
        let all = parts(bare(name));
        // `the tests` denotes `run_tests`: verbs at the beginning of a name are optional.
        let nouns = all.iter().position(|word| !VERBS.contains(&word.as_str())).unwrap_or(0);
        let at = |wanted: &[String]| {
            let wanted: Vec<String> = wanted.iter().map(|word| stem(word)).collect();
            (0..stemmed.len()).find_map(|from| places(&wanted, &stemmed, &words, from))
        };
        if let Some(places) = at(&all).or_else(|| at(&all[nouns..])) {
            best.push((places, name));
        }
    }
    let longest = best.iter().map(|found| found.0.len()).max().unwrap_or(0);
    best.retain(|found| found.0.len() == longest);
    let rest = |taken: &[usize]| -> Vec<(&str, usize)> {
        let others = words.iter().enumerate().filter(|(i, _)| !taken.contains(i));
        others.map(|(_, (word, at))| (word.as_str(), *at)).collect()
    };
    let is_known = |word: &str| {
        FILLERS.contains(&word) || VERBS.contains(&word) || DONE.contains(&word) || FAILED.contains(&word)
    };
    let meaningful = |taken: &[usize]| -> Vec<(&str, usize)> {
        rest(taken).into_iter().filter(|(word, _)| !is_known(word)).collect()
    };
    match best.as_slice() {
        [] => {
            let unknowns = meaningful(&[]);
            let wanted: BTreeSet<String> = unknowns.iter().map(|(word, _)| undoubled(&stem(word))).collect();
            // Words of vocabularies are named by a part: `the tests` are `tests.run`, and `a push` is `git.push`.
            let of_vocabularies = names.iter().map(|(name, _)| &**name).filter(|name| name.contains('.'));
            match by_words(&wanted, of_vocabularies).as_slice() {
                [] => {}
                [name] => {
                    let beside = words.iter().map(|(word, _)| word.as_str());
                    return Ok(with_outcome(subject(name, names, false), beside));
                }
                several => return Err(ambiguous(several, range(tokens))),
            }
            let range = match (unknowns.first(), unknowns.last()) {
                (Some((_, first)), Some((_, last))) => shown[*first].range.start..shown[*last].range.end,
                _ => range(tokens),
            };
            let text: Vec<&str> = unknowns.iter().map(|(word, _)| *word).collect();
            Err(unknown(&text.join(" "), range, names))
        }
        [(taken, name)] => {
            if let Some((word, at)) = meaningful(taken).first() {
                let message = beside(word, name);
                return Err(Refused::new(Code::SENTENCE_NAME, shown[*at].range.clone(), message));
            }
            Ok(with_outcome(subject(name, names, false), rest(taken).iter().map(|(word, _)| *word)))
        }
        several => {
            let several: Vec<&str> = several.iter().map(|(_, name)| *name).collect();
            Err(ambiguous(&several, range(tokens)))
        }
    }
}

/// An action or its outcome, as the words beside its name say.
fn with_outcome<'w>(found: PatternSubject, words: impl Iterator<Item = &'w str>) -> PatternSubject {
    let words: Vec<&str> = words.collect();
    let says = |list: &[&str]| words.iter().any(|word| list.contains(word));
    match found {
        PatternSubject::Action(action) if says(FAILED) => PatternSubject::Outcome(action, "failed"),
        PatternSubject::Action(action) if says(DONE) => PatternSubject::Outcome(action, "ok"),
        other => other,
    }
}

fn ambiguous(names: &[&str], range: std::ops::Range<usize>) -> Refused {
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    Refused::new(Code::SENTENCE_NAME, range, format!("this may be {}", all.join(" or ")))
        .hint("write the name itself, between back quotes")
}

/// The names that have all of some stems as words, in any order, with the fewest further words.
pub(super) fn by_words<'n>(wanted: &BTreeSet<String>, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let own = |name: &str| -> BTreeSet<String> {
        let words = parts(name).into_iter().filter(|word| !FILLERS.contains(&word.as_str()));
        words.map(|word| undoubled(&stem(&word))).collect()
    };
    let mut found: Vec<(usize, &str)> = names
        .map(|name| (own(name), name))
        .filter(|(own, _)| !wanted.is_empty() && wanted.is_subset(own))
        .map(|(own, name)| (own.len(), name))
        .collect();
    let fewest = found.iter().map(|(words, _)| *words).min();
    found.retain(|(words, _)| Some(*words) == fewest);
    found.into_iter().map(|(_, name)| name).collect()
}

/// Why a word beside a name is not read.
fn beside(word: &str, name: &str) -> String {
    if MEANINGFUL.contains(&word) {
        format!("`{word}` is not understood at this place, and the sentence means something else without it")
    } else {
        format!("`{word}` is no part of the name `{name}`, and no other name has it")
    }
}

/// The positions of the words of a name in a phrase, beginning at `from`, with only fillers between them.
fn places(
    wanted: &[String],
    stemmed: &[String],
    words: &[(String, usize)],
    from: usize,
) -> Option<Vec<usize>> {
    let mut taken = Vec::new();
    let mut at = from;
    for word in wanted {
        while !taken.is_empty()
            && stemmed.get(at) != Some(word)
            && FILLERS.contains(&words.get(at)?.0.as_str())
        {
            at += 1;
        }
        if stemmed.get(at) != Some(word) {
            return None;
        }
        taken.push(at);
        at += 1;
    }
    (!taken.is_empty()).then_some(taken)
}

fn unknown(text: &str, range: std::ops::Range<usize>, names: &PolicyNames) -> Refused {
    if text.is_empty() {
        return Refused::new(Code::SENTENCE_FORM, range, "expected the name of something here");
    }
    let message = format!("there is no action or proposition `{text}`");
    let joined = text.replace(' ', "_");
    let candidates: Vec<(&str, &str)> = names.iter().map(|(name, _)| (bare(name), &**name)).collect();
    let near = nearest(&joined, candidates.iter().map(|(bare, _)| *bare)).or_else(|| {
        // Otherwise a name that shares a word.
        let words = stems(text);
        let shares = |bare: &str| stems(bare).iter().any(|word| words.contains(word));
        candidates.iter().map(|(bare, _)| *bare).find(|bare| shares(bare))
    });
    let near = near.and_then(|near| candidates.iter().find(|(bare, _)| *bare == near));
    let refused = Refused::new(Code::SENTENCE_NAME, range, message);
    match near {
        Some((_, name)) => refused.hint(format!("did you mean `{name}`?")),
        None => refused,
    }
}
