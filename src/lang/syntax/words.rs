//! The words of a text in one of the specification languages, for editors: the kind and the span of each word, even if
//! the text has errors.

use super::{tlsf, tsl};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::ltl;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp, reserved_word};
use tsl_synth_ltl::scan::scan;
use tsl_synth_ltl::word::{Word, WordKind, sign};

/// A specification language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordLanguage {
    /// TSL
    Tsl,
    /// TLSF
    Tlsf,
    /// LTL
    Ltl,
}

/// The words and comments of a text in order; `None` if brackets nest too deep, a comment is not closed, or
/// there is a control character.
pub fn words(text: &str, notation: WordLanguage, source: SourceId) -> Option<Vec<Word>> {
    let comments = scan(text, Span::new(source, 0, text.len()), true, &mut Diagnostics::new())?.comments;
    let comment = |range| Word { kind: WordKind::Comment, range };
    let mut words: Vec<Word> = comments.into_iter().map(comment).collect();
    let found = match notation {
        WordLanguage::Tsl => words_of_tsl(text)?,
        WordLanguage::Tlsf => words_of_tlsf(text, source),
        WordLanguage::Ltl => ltl::words(text),
    };
    words.extend(found);
    words.sort_by_key(|word| word.range.start);
    Some(words)
}

/// The offset from which a text cannot be read: that of a bracket past the limit, of a comment that is not closed, or
/// of a control character. `None` if there is none.
pub fn unreadable_from(text: &str) -> Option<usize> {
    let mut found = Diagnostics::new();
    let mut map = SourceMap::new();
    let source = map.add("", "");
    if scan(text, Span::new(source, 0, text.len()), true, &mut found).is_some() {
        return None;
    }
    let label = found.iter().find_map(|diagnostic| diagnostic.labels.first());
    Some(label.map_or(0, |label| label.span.start as usize))
}

fn words_of_tsl(text: &str) -> Option<Vec<Word>> {
    use tsl::Rule;
    let kind = |rule, word: &str| match rule {
        Rule::theory | Rule::word => WordKind::Keyword,
        Rule::number => WordKind::Number,
        Rule::string => WordKind::Text,
        Rule::name => match reserved_word(word) {
            None => WordKind::Name,
            Some("a constant") => WordKind::Constant,
            Some(_) if matches!(word, "otherwise" | "if") => WordKind::Keyword,
            Some(_) => WordKind::Operator,
        },
        _ => sign(word),
    };
    let words = tsl::lexemes(text)?;
    let mut words: Vec<Word> = words
        .into_iter()
        .map(|(rule, range)| {
            let end = range.start + text[range.clone()].trim_end().len();
            Word { kind: kind(rule, &text[range.start..end]), range: range.start..end }
        })
        .collect();
    let timed: Vec<usize> = (1..words.len()).filter(|&place| is_time_word(text, &words, place)).collect();
    for place in timed {
        words[place].kind = WordKind::Operator;
    }
    Some(words)
}

/// Whether a word is `within` or `for` between an operator and a number, or `every` between an operand and a number, and
/// no declaration introduces a name that is spelled like it.
fn is_time_word(text: &str, words: &[Word], place: usize) -> bool {
    let spelled = |place: usize| words.get(place).map_or("", |word| &text[word.range.clone()]);
    let word = spelled(place);
    let before = words[place - 1].kind;
    let fits = match word {
        "within" | "for" => {
            UnaryOp::of_spelling(spelled(place - 1)).and_then(UnaryOp::time_word) == Some(word)
        }
        "every" => {
            matches!(before, WordKind::Name | WordKind::Constant) || [")", "]"].contains(&spelled(place - 1))
        }
        _ => false,
    };
    let introduces = ["input", "output", "cell", "predicate", "function", ","];
    let is_declared =
        || (1..words.len()).any(|at| spelled(at) == word && introduces.contains(&spelled(at - 1)));
    let counts = words.get(place + 1).is_some_and(|next| match next.kind {
        WordKind::Number => true,
        // A name is a number if something that it can apply to follows.
        WordKind::Name => {
            let after = words.get(place + 2).map(|after| after.kind);
            word == "every"
                || matches!(after, Some(WordKind::Name | WordKind::Bracket)) && spelled(place + 2) != ")"
        }
        _ => spelled(place + 1) == "(",
    });
    fits && counts && !is_declared()
}

fn words_of_tlsf(text: &str, source: SourceId) -> Vec<Word> {
    tlsf::words(text, source)
        .into_iter()
        .map(|(range, meaning)| {
            let word = &text[range.clone()];
            let first = word.chars().next();
            let kind = match (meaning, first) {
                (_, Some('"')) => WordKind::Text,
                (_, Some(c)) if c.is_ascii_digit() => WordKind::Number,
                (Some("a constant"), _) => WordKind::Constant,
                (Some("an operator"), _) => WordKind::Operator,
                (Some(_), _) => WordKind::Keyword,
                (None, Some(c)) if c.is_alphabetic() || matches!(c, '_' | '@') => WordKind::Name,
                _ if UnaryOp::of_spelling(word).is_some() || BinaryOp::of_spelling(word).is_some() => {
                    WordKind::Operator
                }
                _ => sign(word),
            };
            Word { kind, range }
        })
        .collect()
}
