//! Tokens of sentences, and a parser for clauses in the form that [`english`](super::english) writes.

use super::english::{FALSE, LINKS, NOT, PREFIXES, TRUE};
use super::hints::unknown_name;
use super::names::{ACT, PolicyNames};
use super::pattern_print::{NameVerb, Tense};
use super::refused::Refused;
use super::tree::{LAW_DEPTH, LawTree, Temporal};
use std::ops::Range;
use tsl_synth_core::diag::Code;

/// The largest length of a sentence in bytes.
const LONGEST: usize = 100_000;

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClauseTokenKind {
    /// A word in lower case. Phrases such as `now or later` are one word.
    Word(String),
    /// A name between back quotes.
    Name(String),
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `(`
    Open,
    /// `)`
    Close,
    /// The end of a sentence.
    Stop,
}

/// A token with its byte range in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClauseToken {
    pub(super) kind: ClauseTokenKind,
    pub(super) range: Range<usize>,
}

impl ClauseToken {
    pub(super) fn word(&self) -> Option<&str> {
        match &self.kind {
            ClauseTokenKind::Word(word) => Some(word),
            _ => None,
        }
    }
    pub(super) fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }
}

/// Phrases of three words that denote one operator.
const GLUED: &[[&str; 3]] = &[["then", "or", "later"], ["now", "or", "later"], ["now", "or", "before"]];

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Result<Vec<ClauseToken>, Refused> {
    if text.len() > LONGEST {
        let message = format!("this sentence has {} bytes, more than {LONGEST}", text.len());
        return Err(Refused::new(Code::SENTENCE_FORM, 0..0, message));
    }
    let mut found: Vec<ClauseToken> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut end = start + c.len_utf8();
        let kind = match c {
            c if c.is_whitespace() => continue,
            ',' => ClauseTokenKind::Comma,
            ':' => ClauseTokenKind::Colon,
            '(' => ClauseTokenKind::Open,
            ')' => ClauseTokenKind::Close,
            '.' | '!' | '?' | ';' => ClauseTokenKind::Stop,
            '`' => {
                let mut name = String::new();
                let mut closed = false;
                while let Some((at, c)) = chars.next() {
                    end = at + c.len_utf8();
                    match c {
                        '`' => {
                            closed = true;
                            break;
                        }
                        '\\' => {
                            if let Some((at, c)) = chars.next() {
                                end = at + c.len_utf8();
                                name.push(c);
                            }
                        }
                        _ => name.push(c),
                    }
                }
                if !closed {
                    let message = "expected a back quote after a name that begins with one";
                    return Err(Refused::new(Code::SENTENCE_FORM, start..end, message));
                }
                ClauseTokenKind::Name(name)
            }
            _ => {
                while let Some((at, c)) = chars.peek().copied() {
                    let next = text[at + c.len_utf8()..].chars().next();
                    let inside = c == '.' && next.is_some_and(char::is_alphanumeric);
                    if c.is_whitespace() || (",:()!?;`.".contains(c) && !inside) {
                        break;
                    }
                    end = at + c.len_utf8();
                    chars.next();
                }
                ClauseTokenKind::Word(text[start..end].replace('’', "'").to_lowercase())
            }
        };
        found.push(ClauseToken { kind, range: start..end });
        if let [.., a, b, c] = found.as_slice()
            && let Some(glued) = GLUED.iter().find(|glued| a.is(glued[0]) && b.is(glued[1]) && c.is(glued[2]))
        {
            let token = ClauseToken {
                kind: ClauseTokenKind::Word(glued.join(" ")),
                range: a.range.start..c.range.end,
            };
            found.truncate(found.len() - 3);
            found.push(token);
        }
    }
    Ok(found)
}

/// The tokens of a fixed phrase.
fn phrase(text: &str) -> Vec<ClauseTokenKind> {
    tokens(text).unwrap_or_default().into_iter().map(|token| token.kind).collect()
}

fn same(tokens: &[ClauseToken], phrase: &[ClauseTokenKind]) -> bool {
    tokens.len() == phrase.len() && tokens.iter().zip(phrase).all(|(token, kind)| token.kind == *kind)
}

/// The tokens after a phrase, if the tokens begin with it.
pub(super) fn after<'t>(tokens: &'t [ClauseToken], text: &str) -> Option<&'t [ClauseToken]> {
    let phrase = phrase(text);
    let (first, rest) = tokens.split_at_checked(phrase.len())?;
    same(first, &phrase).then_some(rest)
}

/// The tokens before a phrase, if the tokens end with it.
pub(super) fn before<'t>(tokens: &'t [ClauseToken], text: &str) -> Option<&'t [ClauseToken]> {
    let phrase = phrase(text);
    let (rest, last) = tokens.split_at_checked(tokens.len().checked_sub(phrase.len())?)?;
    same(last, &phrase).then_some(rest)
}

/// The tokens before and after the first occurrence of a phrase outside of parentheses.
pub(super) fn around<'t>(
    tokens: &'t [ClauseToken],
    text: &str,
) -> Option<(&'t [ClauseToken], &'t [ClauseToken])> {
    let phrase = phrase(text);
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            ClauseTokenKind::Open => depth += 1,
            ClauseTokenKind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && tokens.len() >= at + phrase.len() && same(&tokens[at..at + phrase.len()], &phrase) {
            return Some((&tokens[..at], &tokens[at + phrase.len()..]));
        }
    }
    None
}

/// The byte range of some tokens.
pub(super) fn range(tokens: &[ClauseToken]) -> Range<usize> {
    let start = tokens.first().map_or(0, |token| token.range.start);
    start..tokens.last().map_or(start, |token| token.range.end)
}

/// The time at which a statement about a name holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClauseTime {
    Here,
    Later,
    ThenOrLater,
    AtTheEnd,
    ByTheEnd,
}

/// A statement about one name.
#[derive(Clone, Debug)]
pub(super) struct NamePredicate {
    /// The atom.
    pub(super) atom: LawTree,
    tense: Option<Tense>,
    positive: bool,
    when: ClauseTime,
    range: Range<usize>,
}

/// The position of a clause in a sentence, which determines the formula of a statement about one name.
pub(super) enum ClauseContext<'a> {
    /// A condition on the current step.
    Plain,
    /// A condition on the steps so far, as in `only if .. before`.
    Before,
    /// A condition on the steps since the last step that satisfies this law, as in `only if .. since ..`.
    Since(&'a LawTree),
}

impl ClauseContext<'_> {
    fn law(&self, said: &NamePredicate) -> Result<LawTree, Refused> {
        let (x, positive) = (said.atom.clone(), said.positive);
        let signed = |law: LawTree| if positive { law } else { LawTree::negate(law) };
        let strictly = |op: Temporal, law: LawTree| match said.when {
            ClauseTime::Later => LawTree::unary(op, law),
            _ => law,
        };
        Ok(match (self, said.tense, said.when) {
            (Self::Plain, Some(Tense::Present | Tense::Past), ClauseTime::Here) => signed(x),
            // `never succeeds later`
            (_, None, ClauseTime::Later | ClauseTime::ThenOrLater) => {
                strictly(Temporal::Next, LawTree::globally(LawTree::negate(x)))
            }
            (_, Some(Tense::Present), ClauseTime::Later | ClauseTime::ThenOrLater) => {
                strictly(Temporal::StrongNext, LawTree::finally(signed(x)))
            }
            (_, Some(Tense::Present), ClauseTime::AtTheEnd) if positive => {
                LawTree::finally(LawTree::globally(x))
            }
            (_, Some(Tense::Present), ClauseTime::AtTheEnd) => LawTree::globally(LawTree::finally(signed(x))),
            (_, Some(Tense::Perfect), ClauseTime::ByTheEnd) if positive => LawTree::finally(x),
            (_, Some(Tense::Perfect), ClauseTime::ByTheEnd) => LawTree::globally(LawTree::negate(x)),
            (Self::Before, Some(Tense::Perfect), ClauseTime::Here) => signed(LawTree::once(x)),
            (Self::Since(stale), Some(Tense::Perfect), ClauseTime::Here) => {
                signed(super::pattern::fresh(x, stale))
            }
            // `has been false`
            (Self::Before, None, ClauseTime::Here) => LawTree::once(LawTree::negate(x)),
            (Self::Since(stale), None, ClauseTime::Here) => super::pattern::fresh(LawTree::negate(x), stale),
            _ => {
                let message = "this form of the verb has no meaning at this place of the sentence";
                return Err(Refused::new(Code::SENTENCE_FORM, said.range.clone(), message));
            }
        })
    }
}

/// Parses clauses over the names of a policy.
pub(super) struct ClauseReader<'a> {
    pub(super) names: &'a PolicyNames,
}

impl ClauseReader<'_> {
    fn refused(tokens: &[ClauseToken], message: &str) -> Refused {
        Refused::new(Code::SENTENCE_FORM, range(tokens), message)
    }

    /// Parses a clause at a position of a sentence.
    pub(super) fn read(
        &self,
        tokens: &[ClauseToken],
        context: &ClauseContext<'_>,
    ) -> Result<LawTree, Refused> {
        self.clause(tokens, context, 0)
    }
    /// Parses a clause about the current step.
    pub(super) fn plain(&self, tokens: &[ClauseToken]) -> Result<LawTree, Refused> {
        self.read(tokens, &ClauseContext::Plain)
    }

    fn clause(
        &self,
        tokens: &[ClauseToken],
        context: &ClauseContext<'_>,
        depth: usize,
    ) -> Result<LawTree, Refused> {
        if depth > LAW_DEPTH {
            return Err(Self::refused(tokens, "this sentence is nested too deeply"));
        }
        let read = |tokens: &[ClauseToken]| self.clause(tokens, context, depth + 1);
        if tokens.is_empty() {
            return Err(Self::refused(tokens, "something is missing here: expected what happens"));
        }
        if let Some(said) = self.said(tokens)? {
            return context.law(&said);
        }
        for (text, value) in [(TRUE, true), (FALSE, false)] {
            if after(tokens, text).is_some_and(<[_]>::is_empty) {
                return Ok(LawTree::Constant(value));
            }
        }
        for (op, prefix) in PREFIXES {
            if let Some(rest) = after(tokens, prefix) {
                return Ok(LawTree::unary(*op, read(rest)?));
            }
        }
        if let Some(rest) = after(tokens, NOT) {
            return Ok(LawTree::Not(Box::new(read(rest)?)));
        }
        if let Some(rest) = after(tokens, "if")
            && let Some((given, then)) = around(rest, ", then")
        {
            return Ok(LawTree::implies(read(given)?, read(then)?));
        }
        for (op, between, turned, behind) in LINKS {
            if let Some(rest) = before(tokens, behind)
                && let Some((first, second)) = around(rest, between)
            {
                let (first, second) = (read(first)?, read(second)?);
                let (f, g) = if *turned { (second, first) } else { (first, second) };
                return Ok(LawTree::binary(*op, f, g));
            }
        }
        if let Some((f, g)) = around(tokens, "exactly if") {
            return Ok(LawTree::Iff(Box::new(read(f)?), Box::new(read(g)?)));
        }
        if let (Some(_), Some(_)) = (around(tokens, "and"), around(tokens, "or")) {
            return Err(Self::refused(tokens, "`and` and `or` need parentheses around one of them"));
        }
        for (word, conjunction) in [("and", true), ("or", false)] {
            let mut parts = Vec::new();
            let mut rest = tokens;
            while let Some((first, others)) = around(rest, word) {
                parts.push(read(first)?);
                rest = others;
            }
            if !parts.is_empty() {
                parts.push(read(rest)?);
                return Ok(if conjunction { LawTree::all(parts) } else { LawTree::any(parts) });
            }
        }
        if let [
            ClauseToken { kind: ClauseTokenKind::Open, .. },
            inner @ ..,
            ClauseToken { kind: ClauseTokenKind::Close, .. },
        ] = tokens
        {
            return read(inner);
        }
        Err(Self::refused(
            tokens,
            "expected what happens to a name, such as `tests` succeeds, `edit` is called",
        ))
    }

    /// The atom of a name in a sentence; an error if the policy has no such name.
    pub(super) fn atom(&self, token: &ClauseToken, suffix: &str) -> Result<LawTree, Refused> {
        let (ClauseTokenKind::Name(name) | ClauseTokenKind::Word(name)) = &token.kind else {
            return Err(Refused::new(Code::SENTENCE_FORM, token.range.clone(), "expected a name"));
        };
        let atom = if suffix.is_empty() { name.clone() } else { format!("{name}.{suffix}") };
        if self.names.knows(&atom) {
            return Ok(LawTree::atom(atom));
        }
        let mut refused = unknown_name(&atom, token.range.clone(), self.names);
        refused.code = Code::SENTENCE_NAME;
        Err(refused)
    }

    /// Parses a statement about one name; `None` if the tokens are something else.
    fn said(&self, tokens: &[ClauseToken]) -> Result<Option<NamePredicate>, Refused> {
        let whole = range(tokens);
        for (text, positive) in [("an action is called", true), ("no action is called", false)] {
            if after(tokens, text).is_some_and(<[_]>::is_empty) {
                let atom = LawTree::atom(ACT);
                let tense = Some(Tense::Present);
                return Ok(Some(NamePredicate {
                    atom,
                    tense,
                    positive,
                    when: ClauseTime::Here,
                    range: whole,
                }));
            }
        }
        let [first @ ClauseToken { kind: ClauseTokenKind::Name(_), .. }, rest @ ..] = tokens else {
            return Ok(None);
        };
        let (when, rest) = [
            (ClauseTime::Later, "later"),
            (ClauseTime::ThenOrLater, "then or later"),
            (ClauseTime::AtTheEnd, "at the end"),
            (ClauseTime::ByTheEnd, "by the end"),
        ]
        .into_iter()
        .find_map(|(when, text)| before(rest, text).map(|rest| (when, rest)))
        .unwrap_or((ClauseTime::Here, rest));
        if after(rest, "has been false").is_some_and(<[_]>::is_empty) {
            let atom = self.atom(first, "")?;
            return Ok(Some(NamePredicate { atom, tense: None, positive: false, when, range: whole }));
        }
        let (never, rest) = after(rest, "never").map_or((false, rest), |rest| (true, rest));
        for verb in NameVerb::ALL {
            for tense in [Tense::Present, Tense::Perfect, Tense::Past] {
                for positive in [true, false] {
                    if !after(rest, verb.form(tense, positive)).is_some_and(<[_]>::is_empty) {
                        continue;
                    }
                    let suffix = match verb {
                        NameVerb::Called | NameVerb::Holds => "",
                        NameVerb::Succeeds => "ok",
                        NameVerb::Fails => "failed",
                        NameVerb::Unknown => "unknown",
                    };
                    let atom = self.atom(first, suffix)?;
                    let tense = (!never).then_some(tense);
                    return Ok(Some(NamePredicate { atom, tense, positive, when, range: whole }));
                }
            }
        }
        Ok(None)
    }
}
