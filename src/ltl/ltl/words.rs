//! The words of a text, for editors.

use super::{INFIX, PREFIXES};
use crate::word::{Word, WordKind, sign};
use pest::Parser;
use tsl_synth_grammars::ltl as grammar;

use grammar::Rule;

/// The words of a text; operators that are glued to a word are a part of it.
pub fn words(text: &str) -> Vec<Word> {
    let pairs = match grammar::LtlGrammar::parse(Rule::text, text) {
        Ok(mut pairs) => pairs.next().map(pest::iterators::Pair::into_inner),
        Err(_) => None,
    };
    let mut words = Vec::new();
    for pair in pairs.into_iter().flatten() {
        let (at, word) = (pair.as_span(), pair.as_str());
        let spelt = |spellings: &[&str]| spellings.contains(&word);
        let kind = match pair.as_rule() {
            Rule::EOI => continue,
            Rule::section => {
                let name = word.trim_end_matches('{').trim_end();
                words.push(Word { kind: WordKind::Keyword, range: at.start()..at.start() + name.len() });
                words.push(Word { kind: WordKind::Bracket, range: at.end() - 1..at.end() });
                continue;
            }
            Rule::bounds => WordKind::Number,
            Rule::constant => WordKind::Constant,
            Rule::word if matches!(word, "true" | "True" | "TRUE" | "false" | "False" | "FALSE") => {
                WordKind::Constant
            }
            Rule::word if PREFIXES.iter().any(|row| spelt(row.1)) || INFIX.iter().any(|row| spelt(row.1)) => {
                WordKind::Operator
            }
            Rule::word => WordKind::Name,
            Rule::quoted => WordKind::Text,
            _ => sign(word),
        };
        words.push(Word { kind, range: at.start()..at.end() });
    }
    words
}
