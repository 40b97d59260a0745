//! Answers that stand in sentences: `1. I choose this`, `The answer is 2.`, `Yes, because ..`.
//!
//! A text that names two different answers is no answer, unless words such as `answer` or `choose` single one out. What
//! a sentence only mentions, as in `option 1 is blocked` or `I cannot choose 1`, is not answered.

/// Words after which an answer is announced.
const MARKERS: [&str; 10] =
    ["answer", "choose", "choice", "chose", "pick", "select", "decision", "selected", "chosen", "answers"];
/// Words that may stand before the number of a choice, as in `option 2`. The choice need not be the answer.
const COUNTERS: [&str; 2] = ["option", "number"];
/// Words that may stand between a marker and the answer.
const LINKS: [&str; 13] =
    ["is", "are", "was", "the", "option", "number", "choice", "nr", "with", "would", "be", "go", "final"];
/// Negations and words with a similar sense: a choice that is named after them may be rejected.
const NEGATIONS: [&str; 17] = [
    "not",
    "never",
    "t",
    "avoid",
    "instead",
    "rather",
    "neither",
    "nor",
    "except",
    "but",
    "cannot",
    "refuse",
    "impossible",
    "unable",
    "decline",
    "without",
    "besides",
];
/// Words that say why a choice is rejected.
const FAULTS: [&str; 14] = [
    "worst",
    "worse",
    "bad",
    "wrong",
    "blocked",
    "closed",
    "dangerous",
    "unsafe",
    "risky",
    "nowhere",
    "invalid",
    "incorrect",
    "harmful",
    "useless",
];
/// Words of sentences that say what the model is going to do: `we should wait`.
const PLANS: [&str; 26] = [
    "should",
    "let",
    "lets",
    "will",
    "would",
    "ll",
    "d",
    "go",
    "going",
    "take",
    "do",
    "best",
    "better",
    "safest",
    "prefer",
    "want",
    "use",
    "try",
    "recommend",
    "suggest",
    "must",
    "need",
    "perform",
    "execute",
    "therefore",
    "think",
];

/// A word of a text: letters and digits, and whether it is a number without a decimal part, sign or unit.
#[derive(Clone, Copy, Debug)]
struct Word<'t> {
    text: &'t str,
    /// The position of its first byte.
    start: usize,
    number: Option<usize>,
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(begin) = text[rest..].find(char::is_alphanumeric).map(|at| rest + at) {
        let inside = |c: char| c.is_alphanumeric() || c == '_';
        let end = text[begin..].find(|c| !inside(c)).map_or(text.len(), |at| begin + at);
        let (before, after) = (&text[..begin], &text[end..]);
        let digit = |c: char| c.is_ascii_digit();
        let decimal = after.strip_prefix(['.', ',', '/', ':']).is_some_and(|after| after.starts_with(digit))
            || before.strip_suffix(['.', '/', ':']).is_some_and(|before| before.ends_with(digit));
        let signed = before.ends_with('-') && !before.trim_end_matches('-').ends_with(char::is_alphanumeric);
        let percent = after.starts_with('%');
        let word = &text[begin..end];
        let number = word.parse().ok().filter(|_| !decimal && !signed && !percent);
        found.push(Word { text: word, start: begin, number });
        rest = end;
    }
    found
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// The part of the text after its last marker, from the answer on; `None` if a negation stands between the beginning of
/// the answer's sentence and the answer.
fn announced(text: &str) -> Option<&str> {
    after_marker(text, &MARKERS, &|word| is_one_of(word, &LINKS) || word.eq_ignore_ascii_case("no"))
}

fn after_marker<'t>(text: &'t str, markers: &[&str], is_link: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    let words = words(text);
    let marker = words.iter().rposition(|word| is_one_of(word.text, markers))?;
    let after = words[marker + 1..].iter().find(|word| !is_link(word.text))?;
    let begin = text[..after.start].rfind(ENDS).map_or(0, |at| at + 1);
    let is_negated = words
        .iter()
        .any(|word| (begin..after.start).contains(&word.start) && is_one_of(word.text, &NEGATIONS));
    (!is_negated).then(|| &text[after.start..])
}

/// Where sentences end.
const ENDS: [char; 5] = ['.', '\n', '!', '?', ';'];

/// What a line announces and nothing else: `2` in `Action: 2` and in `Option 2`.
pub(super) fn of_line(line: &str) -> &str {
    const HEADS: [&str; 9] =
        ["my", "final", "answer", "action", "choice", "option", "decision", "number", "selection"];
    let mut rest = line.trim();
    loop {
        rest = rest.trim_start_matches(['*', '#', '`', ' ', ':']);
        rest = rest.strip_prefix("- ").unwrap_or(rest);
        let Some(head) = words(rest).first().copied().filter(|word| word.start == 0) else { return line };
        if !is_one_of(head.text, &HEADS) {
            return rest;
        }
        rest = &rest[head.text.len()..];
    }
}

/// The first line that has a word in it, if there are others.
pub(super) fn first_line(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.contains(char::is_alphanumeric))?;
    (line.trim() != text.trim()).then_some(line)
}

/// The last line that has a word in it.
pub(super) fn last_line(text: &str) -> Option<&str> {
    let line = text.lines().rfind(|line| line.contains(char::is_alphanumeric))?;
    (line.trim() != text.trim()).then_some(line)
}

/// The places where the text of a choice stands as whole words, whatever their case.
fn names(text: &str, choice: &str) -> bool {
    let (text, choice) = (text.to_lowercase(), choice.trim().to_lowercase());
    if choice.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
        return false;
    }
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(choice.as_str()).any(|(at, found)| {
        edge(text[..at].chars().next_back()) && edge(text[at + found.len()..].chars().next())
    })
}

/// The choices that a part of a text names, by their numbers or by their texts.
fn named(text: &str, choices: &[String]) -> Vec<usize> {
    let numbers = words(text).into_iter().filter_map(|word| word.number?.checked_sub(1));
    let mut found: Vec<usize> = numbers.filter(|&i| i < choices.len()).collect();
    let mut named: Vec<usize> = (0..choices.len()).filter(|&i| names(text, &choices[i])).collect();
    // A choice whose text is part of another one that is there is not meant: `go` beside `go home`.
    let all = named.clone();
    named.retain(|&i| !all.iter().any(|&other| other != i && names(&choices[other], &choices[i])));
    found.extend(named);
    found.sort_unstable();
    found.dedup();
    found
}

/// The only choice that a part of a text names, unless the part has a negation or rejects a choice.
fn only(text: &str, choices: &[String]) -> Option<usize> {
    let rejects = |word: &Word<'_>| is_one_of(word.text, &NEGATIONS) || is_one_of(word.text, &FAULTS);
    match named(text, choices)[..] {
        [one] if !words(text).iter().any(rejects) => Some(one),
        _ => None,
    }
}

/// The only choice of the sentences that say what is done: `We should wait here.` Other sentences mention choices.
fn planned(text: &str, choices: &[String]) -> Option<usize> {
    let mut found: Option<usize> = None;
    for sentence in text.split_inclusive(ENDS) {
        let named = named(sentence, choices);
        let mut others = sentence.to_lowercase();
        for &i in &named {
            others = others.replace(&choices[i].trim().to_lowercase(), " ");
        }
        let plans = words(&others).iter().any(|word| is_one_of(word.text, &PLANS));
        if named.is_empty() || !plans {
            continue;
        }
        let counted = after_marker(sentence, &COUNTERS, &|_| false)
            .and_then(|rest| words(rest).first()?.number?.checked_sub(1))
            .filter(|&i| i < choices.len());
        let one = counted.or_else(|| only(sentence, choices))?;
        if found.is_some_and(|found| found != one) {
            return None;
        }
        found = Some(one);
    }
    found
}

/// Whether the text begins with one of the other choices, not with the one of this number.
fn begins_with_another(text: &str, number: usize, choices: &[String]) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let begins = |choice: &String| {
        let choice = choice.trim().to_lowercase();
        !choice.is_empty() && text.starts_with(&choice)
    };
    choices.iter().any(begins) && !begins(&choices[number])
}

/// The number of a choice that a text begins with.
enum LeadingNumber {
    /// Nothing in the text contradicts it.
    Only(usize),
    /// The text has other numbers, or begins with the text of another choice.
    Contradicted,
}

/// The number that a text begins with as one line of a list, if it is the only number of a choice in it:
/// `2. I choose this`.
fn leading(text: &str, choices: &[String]) -> Option<LeadingNumber> {
    let begun = text.trim_start_matches(|c: char| c.is_whitespace() || "#([*\"'`".contains(c));
    let first = words(begun).first().copied().filter(|word| word.start == 0)?;
    let number = first.number?.checked_sub(1).filter(|&i| i < choices.len())?;
    let after = &begun[first.text.len()..];
    if !after.starts_with(['.', ')', ']', ':', ',', '*']) && !after.trim_start().starts_with(['-', '–', '—'])
    {
        return None;
    }
    let mut others = words(after).into_iter().filter_map(|word| word.number?.checked_sub(1));
    let is_only = others.all(|other| other == number || other >= choices.len());
    let is_plain = is_only && !begins_with_another(after, number, choices);
    Some(if is_plain { LeadingNumber::Only(number) } else { LeadingNumber::Contradicted })
}

/// The choice, from 0, that a sentence names.
pub(super) fn choice(text: &str, choices: &[String]) -> Option<usize> {
    match leading(text, choices) {
        Some(LeadingNumber::Only(number)) => return Some(number),
        Some(LeadingNumber::Contradicted) => return None,
        None => {}
    }
    if words(text).iter().any(|word| is_one_of(word.text, &MARKERS)) {
        return announced_choice(text, choices);
    }
    planned(text, choices)
}

/// The choice that a text announces.
pub(super) fn announced_choice(text: &str, choices: &[String]) -> Option<usize> {
    let rest = announced(text)?;
    let first = words(rest).first().copied()?;
    let at_once = first.number.and_then(|number| number.checked_sub(1)).filter(|&i| i < choices.len());
    let Some(number) = at_once else {
        let sentence = rest.split_inclusive(ENDS).next().unwrap_or(rest);
        return only(sentence, choices).or_else(|| only(text, choices)).or_else(|| planned(text, choices));
    };
    // `answer: 2. left`, where the second choice is `right`, names two, and so does `answer 1 or 2`.
    let after = &rest[first.start + first.text.len()..];
    let is_or = words(after).first().is_some_and(|word| is_one_of(word.text, &["or", "and"]));
    let another = begins_with_another(after, number, choices);
    (!another && !is_or).then_some(number)
}

/// The choices, from 0, that a sentence announces: `I choose 1 and 3.`
pub(super) fn choices(text: &str, count: usize) -> Option<Vec<usize>> {
    let rest = announced(text)?;
    let sentence = rest.split(['.', '\n', '!']).next().unwrap_or(rest);
    let mut found = Vec::new();
    for number in words(sentence).iter().filter_map(|word| word.number) {
        let i = number.checked_sub(1).filter(|&i| i < count)?;
        if !found.contains(&i) {
            found.push(i);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The truth that a sentence begins with or announces: `Yes, ..`, `The answer is no.`
pub(super) fn truth(text: &str, word_truth: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    if words(text).iter().any(|word| is_one_of(word.text, &MARKERS)) {
        let rest = after_marker(text, &MARKERS, &|word| is_one_of(word, &LINKS))?;
        let first = words(rest).first().copied()?;
        let holds = word_truth(first.text)?;
        return (!names_opposite(&rest[first.text.len()..], holds, word_truth)).then_some(holds);
    }
    let first = words(text).first().copied()?;
    let holds = word_truth(first.text)?;
    let after = text[first.start + first.text.len()..].trim_start_matches(['*', '"', '`', '\'']);
    let ends = after.trim().is_empty() || after.starts_with([',', '.', ';', ':', '!', '\n', ')']) || {
        let dash = after.trim_start();
        dash.starts_with(['-', '–', '—'])
    };
    let is_number = first.text.chars().all(|c| c.is_ascii_digit());
    let decimal = after.starts_with(['.', ',']) && after[1..].starts_with(|c: char| c.is_ascii_digit());
    // `1` before a sentence is a truth only as the beginning of a list: `1. The reader is in a cave.`
    let is_begun = ends && !(is_number && (decimal || first.number.is_none()));
    (is_begun && !names_opposite(after, holds, word_truth)).then_some(holds)
}

/// Whether a text names the other truth. `no` does so only if it stands alone: not in `there is no light`.
fn names_opposite(text: &str, holds: bool, word_truth: &dyn Fn(&str) -> Option<bool>) -> bool {
    words(text).iter().any(|word| {
        let after = text[word.start + word.text.len()..].trim_start_matches([' ', '*', '"', '\'']);
        let is_alone = after.is_empty() || after.starts_with([',', '.', ';', ':', '!', '?', '\n', ')']);
        let is_word = word.text.len() > 2 || is_alone;
        word_truth(word.text) == Some(!holds) && (word.number.is_some() || is_word)
    })
}

/// The last list in brackets of a text.
pub(super) fn list(text: &str) -> Option<&str> {
    let begin = text.rfind('[')?;
    let end = text[begin..].find(']')? + begin;
    Some(&text[begin..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given() -> Vec<String> {
        ["go left", "go right", "wait", "go right away"].map(String::from).into()
    }

    #[test]
    fn choices_in_sentences() {
        for (text, i) in [
            ("1. I choose this", 0),
            ("I choose 2.", 1),
            ("I would go with option 3, because it is the safest of the 4.", 2),
            ("The answer is: **2**", 1),
            ("There are 4 doors and 1 key.\nMy choice: 3", 2),
            ("I think we should wait here.", 2),
            ("Let us go right away!", 3),
            ("Answer: go left", 0),
            ("2) because the left is closed", 1),
            ("2. I choose this, as to go left is dark.", 1),
            ("I choose 2.\nOption 1 is dangerous.", 1),
            ("I choose 2, not 1.", 1),
            ("I'll take option 3", 2),
            ("Go left is closed. We should wait.", 2),
            ("1 is closed, therefore my answer is 2.", 1),
        ] {
            assert_eq!(choice(text, &given()), Some(i), "{text}");
        }
        for text in [
            "1 or 2",
            "go left or wait",
            "I would not go left.",
            "1. go left 2. go right",
            "I don't wait.",
            "2. go left",
            "I choose 9.",
            "answer: 2. go left",
            "banana",
            "2.5",
            "-1",
            "50% of 2.5",
            "",
            "Anything but 1",
            "I cannot choose 1",
            "I can't pick 1.",
            "It is impossible to choose 2.",
            "I refuse to do 1",
            "The worst is 1.",
            "Go left is blocked.",
            "Option 1 is dangerous.",
            "Please choose 1 or 2",
            "We should not go left.",
        ] {
            assert_eq!(choice(text, &given()), None, "{text}");
        }
    }

    #[test]
    fn several_choices_in_sentences() {
        assert_eq!(choices("I choose 1 and 3.", 3), Some(vec![0, 2]));
        assert_eq!(choices("The answers are: 2, 1", 3), Some(vec![1, 0]));
        for text in ["1, banana", "I choose 1 and 7.", "I choose none."] {
            assert_eq!(choices(text, 3), None, "{text}");
        }
        assert_eq!(list("Scores: [1, 2] or rather [0.5, 1]."), Some("[0.5, 1]"));
        assert_eq!(list("no list"), None);
    }

    #[test]
    fn truths_in_sentences() {
        let word = |word: &str| match word.to_lowercase().as_str() {
            "1" | "yes" | "true" => Some(true),
            "0" | "no" | "false" => Some(false),
            _ => None,
        };
        for (text, holds) in [
            ("Yes, because there is no light.", true),
            ("No. The hero is in a town.", false),
            ("The answer is no.", false),
            ("Answer: 1", true),
            ("1. The reader is in a cave.", true),
            ("True - it says so.", true),
            ("Yes, there is no light.", true),
            ("Yes, there is an option.", true),
            ("The answer is yes, since there is no light.", true),
        ] {
            assert_eq!(truth(text, &word), Some(holds), "{text}");
        }
        for text in [
            "not true",
            "1 0",
            "1.5",
            "yes and no",
            "Yes. Or rather false.",
            "It is dark.",
            "no light",
            "I cannot answer with 1 or 0",
            "It is impossible to answer 1",
            "Yes, no",
            "Yes.\n\nWait, no.",
            "Yes: 0",
            "Please answer 0 or 1",
            "The answer is not 1.",
        ] {
            assert_eq!(truth(text, &word), None, "{text}");
        }
    }
}
