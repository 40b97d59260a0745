//! The words of a TLSF text, in order and with their spans.

use pest::Parser;
use rustc_hash::FxHashSet;

use tsl_synth_core::source::{SourceId, Span};

use tsl_synth_grammars::tlsf as grammar;

use grammar::Rule;

/// The kinds of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsfWordKind {
    /// Text between double quotes.
    String,
    /// `[!]`
    Strong,
    /// Operators, brackets and separators.
    Symbol,
    /// Digits.
    Number,
    /// A name or an operator in letters.
    Word,
    /// A character that is not part of the language.
    Unknown,
    /// The end of the text.
    End,
}

/// A word with its span.
#[derive(Clone, Copy, Debug)]
pub(super) struct TlsfWord<'a> {
    pub(super) sort: TlsfWordKind,
    pub(super) text: &'a str,
    pub(super) span: Span,
}

impl TlsfWord<'_> {
    /// How it is shown in messages.
    pub(super) fn shown(&self) -> String {
        match self.sort {
            TlsfWordKind::End => "the end of the text".into(),
            TlsfWordKind::String => "a text".into(),
            _ => format!("`{}`", self.text.escape_debug()),
        }
    }
}

/// All words, the last one is [`TlsfWordKind::End`].
pub(super) fn words(text: &str, source: SourceId) -> Vec<TlsfWord<'_>> {
    let pairs = match grammar::TlsfGrammar::parse(Rule::text, text) {
        Ok(mut pairs) => pairs.next().map(pest::iterators::Pair::into_inner),
        Err(_) => None,
    };
    let mut words = Vec::new();
    for pair in pairs.into_iter().flatten() {
        let sort = match pair.as_rule() {
            Rule::string => TlsfWordKind::String,
            Rule::strong => TlsfWordKind::Strong,
            Rule::symbol => TlsfWordKind::Symbol,
            Rule::number => TlsfWordKind::Number,
            Rule::word => TlsfWordKind::Word,
            Rule::EOI => continue,
            _ => TlsfWordKind::Unknown,
        };
        let at = pair.as_span();
        words.push(TlsfWord { sort, text: pair.as_str(), span: Span::new(source, at.start(), at.end()) });
    }
    words.push(TlsfWord {
        sort: TlsfWordKind::End,
        text: "",
        span: Span::new(source, text.len(), text.len()),
    });
    words
}

/// The letters of past operators and of `M` that a file uses as names: those that it declares as signals, parameters,
/// definitions or their parameters, values of enumerations, binds in a big operator, or has in a pattern. Linear.
pub(super) fn letter_names<'a>(words: &[TlsfWord<'a>]) -> FxHashSet<&'a str> {
    let mut names = FxHashSet::default();
    // The open braces, each with whether names are declared in it, and whether it holds definitions.
    let mut braces: Vec<(bool, bool)> = Vec::new();
    // Whether a definition has begun whose `=` is still to come, whether a pattern has begun, and an enumeration.
    let (mut head, mut pattern, mut values) = (false, false, false);
    for (i, word) in words.iter().enumerate() {
        let near = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |word| word.text);
        let (before, after) = (near(i.checked_sub(1)), near(Some(i + 1)));
        let (declares, defines) = braces.last().copied().unwrap_or_default();
        match word.text {
            "{" => {
                let declares = matches!(before, "INPUTS" | "OUTPUTS" | "PARAMETERS");
                braces.push((declares, before == "DEFINITIONS"));
                (head, pattern, values) = (before == "DEFINITIONS", false, false);
            }
            "}" => {
                braces.pop();
                (head, pattern, values) = (false, false, false);
            }
            ";" => (head, pattern, values) = (defines, false, false),
            "enum" => values = true,
            "=" => head = false,
            "~" => pattern = true,
            ":" => pattern = false,
            "Y" | "Z" | "O" | "H" | "S" | "T" | "M" => {
                let binds = matches!(after, "IN" | "ELEM" | "<-" | "←")
                    || matches!(before, "<" | "<=" | ">" | ">=" | "≤" | "≥");
                if declares || head || pattern || binds || values && after == ":" {
                    names.insert(word.text);
                }
            }
            _ => {}
        }
    }
    names
}
