//! Conditions and responses of several phrases: with `and`, `or`, commas, `both`, `either`, `neither`, `exactly one of`, and
//! with a part that is said once for all of them.

use super::names::{Names, Side};
use super::text::{negated, strip};
use super::verbs::{is_only_verb, is_verb};
use super::words::{is_article, is_copula, is_identifier, is_negation, is_one_of, words};

/// What joins the phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// There is one phrase.
    One,
    /// All of them.
    And,
    /// All of them, with the word `both`.
    Both,
    /// One of them or more.
    Or,
    /// A number of them.
    Counted,
    /// None of them. The formula is the disjunction of the phrases; the caller negates it.
    Neither,
}

/// A formula without temporal operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Joined {
    pub(super) formula: String,
    pub(super) join: Join,
}

impl Joined {
    /// The formula of the condition, negated for [`Join::Neither`].
    fn into_condition(self) -> String {
        if self.join == Join::Neither { negated(&self.formula) } else { self.formula }
    }
}

/// How many of the phrases of a list are to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Plain,
    Both,
    Either,
    Neither,
    NotBoth,
    ExactlyOne,
    AtMostOne,
    AtLeastOne,
    NoneOf,
}

const GROUPS: [(&str, Group); 7] = [
    ("exactly one of", Group::ExactlyOne),
    ("at most one of", Group::AtMostOne),
    ("at least one of", Group::AtLeastOne),
    ("none of", Group::NoneOf),
    ("either", Group::Either),
    ("neither", Group::Neither),
    ("both", Group::Both),
];

struct List {
    pieces: Vec<String>,
    group: Group,
    is_and: bool,
    /// Whether words stand before the word that counts, as the verb of `show exactly one of red and green`.
    is_led: bool,
}

/// The place of words with blanks or ends around them.
fn place(text: &str, wanted: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let ends = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || c == ',');
    lower
        .match_indices(wanted)
        .map(|(at, _)| at)
        .find(|&at| ends(lower[..at].chars().last()) && ends(lower[at + wanted.len()..].chars().next()))
}

fn has(text: &str, word: &str) -> bool {
    place(text, word).is_some()
}

/// A list without the words that say how many of its phrases are to hold, and with `or` in place of `nor`.
fn grouped(text: &str) -> Result<(String, Group, bool), String> {
    let mut text = text.trim().trim_matches(',').trim().to_string();
    let (mut group, mut is_led) = (Group::Plain, false);
    if let Some(at) = place(&text, "but not both").filter(|at| at + "but not both".len() == text.len()) {
        text = text[..at].trim_end().trim_end_matches(',').to_string();
        group = Group::NotBoth;
    }
    let and = has(&text, "and");
    for (said, meant) in GROUPS {
        // `both doors` says how many, and joins nothing.
        let Some(at) = place(&text, said).filter(|_| meant != Group::Both || and) else { continue };
        let before = text[..at].trim();
        let is_counted = !matches!(meant, Group::Either | Group::Both);
        if words(before).last().is_some_and(is_negation)
            || group != Group::Plain && (group, meant) != (Group::NotBoth, Group::Either)
        {
            return Err(format!("expected no negation and no other count before `{said}` in `{text}`"));
        }
        if group == Group::Plain {
            group = meant;
        }
        let rest = text[at + said.len()..].trim();
        let rest = if meant == Group::Neither {
            match place(rest, "nor") {
                // Each further `nor` joins as the first one does.
                Some(nor) => {
                    let behind = rest[nor + 3..].replace(" nor ", " or ");
                    format!("{}or{behind}", &rest[..nor])
                }
                None => return Err(format!("expected `neither .. nor ..` in place of `{text}`")),
            }
        } else {
            rest.to_string()
        };
        is_led = !before.is_empty();
        text = format!("{before} {rest}").trim().to_string();
        let (and, or) = (has(&text, "and"), has(&text, "or"));
        if and == or && is_counted || meant == Group::Either && !or || meant == Group::Both && or {
            return Err(format!("expected a list behind `{said}` in `{text}`"));
        }
        break;
    }
    Ok((text, group, is_led))
}

/// Splits a list into its phrases.
fn list(text: &str) -> Result<List, String> {
    let (text, group, is_led) = grouped(text)?;
    let (and, or) = (has(&text, "and"), has(&text, "or"));
    if and && or {
        return Err(format!(
            "expected `and` or `or`, since both can be read in two ways, in place of `{text}`: write one sentence for each \
             part"
        ));
    }
    if group == Group::NotBoth && !or {
        return Err(format!("expected `.. or .., but not both` in place of `{text}`"));
    }
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    loop {
        let cut =
            [("and", 3), ("or", 2)].into_iter().filter_map(|(word, size)| Some((place(rest, word)?, size)));
        let comma = rest.find(',').map(|at| (at, 1));
        let Some((at, size)) = cut.chain(comma).min() else { break };
        pieces.push(rest[..at].trim().to_string());
        rest = &rest[at + size..];
    }
    pieces.push(rest.trim().to_string());
    pieces.retain(|piece| !piece.is_empty());
    if pieces.len() > 1 && !and && !or {
        return Err(format!("expected `and` or `or` before the last part of `{text}`"));
    }
    if group != Group::Plain && pieces.len() < 2 {
        return Err(format!("expected a list of two or more in place of `{text}`"));
    }
    Ok(List { pieces, group, is_and: and, is_led })
}

/// The formula of a list whose phrases were read.
fn joined(literals: &[String], list: &List) -> Result<Joined, String> {
    let all = |link: &str, parts: Vec<String>| format!("({})", parts.join(link));
    let not = |literal: &String| format!("!{literal}");
    let counts = !matches!(list.group, Group::Plain | Group::Both | Group::Either);
    if counts && literals.iter().any(|literal| literal.starts_with('!')) {
        return Err("expected a list without negations after a word that counts".into());
    }
    if let [one] = literals {
        return Ok(Joined { formula: one.clone(), join: Join::One });
    }
    let (join, formula) = match list.group {
        Group::Plain | Group::Both | Group::Either if list.is_and => {
            let join = if list.group == Group::Both { Join::Both } else { Join::And };
            (join, all(" && ", literals.to_vec()))
        }
        Group::Plain | Group::Both | Group::Either => (Join::Or, all(" || ", literals.to_vec())),
        Group::AtLeastOne => (Join::Counted, all(" || ", literals.to_vec())),
        Group::Neither | Group::NoneOf => (Join::Neither, all(" || ", literals.to_vec())),
        Group::NotBoth if literals.len() > 2 => return Err("expected two before `but not both`".into()),
        Group::NotBoth | Group::ExactlyOne => {
            let only = |one: &String| {
                let signed = |other: &String| if other == one { other.clone() } else { not(other) };
                all(" && ", literals.iter().map(signed).collect())
            };
            (Join::Counted, all(" || ", literals.iter().map(only).collect()))
        }
        Group::AtMostOne => {
            let pairs = literals.iter().enumerate().flat_map(|(at, one)| {
                literals[at + 1..].iter().map(move |other| format!("!({one} && {other})"))
            });
            (Join::Counted, all(" && ", pairs.collect()))
        }
    };
    Ok(Joined { formula, join })
}

fn has_copula(piece: &str) -> bool {
    words(piece).any(is_copula)
}

/// Whether a word behind the first one may be a verb: `the timer expires`.
fn has_verb(piece: &str) -> bool {
    let said: Vec<&str> = words(piece).filter(|word| !is_article(word)).collect();
    let ends = |word: &&str| word.ends_with('s') && !word.ends_with("ss") || word.ends_with("ed");
    said.iter().skip(1).any(ends) || is_one_of(&["it"], said.first().copied().unwrap_or_default())
}

/// Whether a part of a list says what something is or does.
fn is_complete(piece: &str) -> bool {
    has_copula(piece) || has_verb(piece)
}

/// Whether a part of a list may go on with the subject before it: `the tank is full and slowly heated`.
fn is_rest(piece: &str) -> bool {
    let said: Vec<&str> = words(piece).collect();
    let first = said.first().copied().unwrap_or_default();
    let is_participle = said.last().is_some_and(|last| last.ends_with("ed"));
    is_negation(first) || first.ends_with("ly") || is_participle && !begins_with_article(piece)
}

/// Whether a part of a list may be a plural with a verb: `the pumps run`.
fn may_be_plural(piece: &str) -> bool {
    let said: Vec<&str> = words(piece).collect();
    let [.., noun, verb] = said[..] else { return false };
    is_verb(verb) && noun.ends_with('s') && !noun.ends_with("ss")
}

/// Whether more than one word is said of a subject: `the door is fully open`.
fn is_long(piece: &str, head: &str) -> bool {
    let said = words(piece).skip(words(head).count());
    said.filter(|word| !is_negation(word)).count() > 1
}

fn begins_with_article(piece: &str) -> bool {
    let mut said = words(piece);
    said.next().is_some_and(is_article) && said.next().is_some()
}

fn unclear<T>(piece: &str) -> Result<T, String> {
    Err(format!("expected what `{piece}` is or does, said again for each part of the list"))
}

/// The phrases of a condition, each whole: `the door is open or closed` says twice what the door is, `the pump and the fan
/// are on` says it of two.
fn whole(pieces: &[String], names: &Names) -> Result<Vec<String>, String> {
    let own = |piece: &str| {
        let word = words(piece).find(|word| !is_negation(word)).unwrap_or_default();
        is_identifier(word) || names.knows(word)
    };
    let size = |piece: &str| words(piece).filter(|word| !is_negation(word)).count();
    let mut found: Vec<String> = Vec::new();
    let mut subject: Option<(String, bool)> = None;
    for (at, piece) in pieces.iter().enumerate() {
        if has_copula(piece) {
            let end = words(piece).position(is_copula).unwrap_or(0);
            let head: Vec<&str> = words(piece).take(end + 1).collect();
            subject = Some((head.join(" "), words(piece).any(is_negation)));
            found.push(piece.clone());
            continue;
        }
        let is_single = size(piece) == 1 && !begins_with_article(piece);
        let before = at.checked_sub(1).map(|before| pieces[before].as_str());
        // `the user presses the red button or the green one`, `the mode is A or B`: what the second part is said of is not
        // said.
        if let Some(before) = before.filter(|before| is_complete(before)) {
            let is_named = words(before).last().is_some_and(is_identifier);
            let is_other = is_single && own(piece) && is_named && words(piece).all(is_identifier);
            if is_other || !is_single && !is_complete(piece) {
                return unclear(piece);
            }
        }
        match &subject {
            Some((head, _))
                if is_single && !own(piece) && before.is_some_and(|before| is_long(before, head)) =>
            {
                return unclear(piece);
            }
            Some((head, is_negated)) if is_single && !own(piece) => {
                if *is_negated && !words(piece).any(is_negation) {
                    return unclear(piece);
                }
                found.push(format!("{head} {piece}"));
                continue;
            }
            Some(_) if size(piece) > 1 && (!has_verb(piece) || is_rest(piece)) => return unclear(piece),
            // `the timer expires or stops`
            None if at > 0 && is_single && !own(piece) && size(&pieces[at - 1]) > 1 => return unclear(piece),
            _ => {}
        }
        let later_is = pieces[at + 1..].iter().any(|next| has_copula(next));
        if later_is && !is_single && !is_complete(piece) {
            // `valve A or valve B is open`; but `the pumps run and the door is open`, `pumps run and valve B is open`.
            let is_named = words(piece).last().is_some_and(is_identifier);
            if may_be_plural(piece) || !begins_with_article(piece) && !is_named {
                return unclear(piece);
            }
        }
        let needs = (begins_with_article(piece) || later_is && !is_single) && !is_complete(piece)
            || is_single && !own(piece) && pieces[at + 1..].iter().any(|next| words(next).any(is_plural));
        if !needs || pieces.len() == 1 {
            found.push(piece.clone());
            continue;
        }
        let Some(said) = pieces[at + 1..].iter().find_map(|next| predicate(next)) else {
            // The last of `the pump and the fan run`.
            if at > 0 && predicate(piece).is_some() {
                found.push(piece.clone());
                continue;
            }
            return unclear(piece);
        };
        if begins_with_article(piece) != pieces.last().is_some_and(|last| begins_with_article(last)) {
            return unclear(piece);
        }
        found.push(format!("{piece} {said}"));
    }
    Ok(found)
}

fn is_plural(word: &str) -> bool {
    is_one_of(&["are", "have"], word)
}

/// What a phrase says of its subject: from the verb on, or what is behind an article and a noun.
fn predicate(piece: &str) -> Option<String> {
    let said: Vec<&str> = words(piece).collect();
    let from = match said.iter().position(|word| is_copula(word)) {
        Some(at) => at,
        None if begins_with_article(piece) => 2,
        None => return None,
    };
    let rest = said.get(from..).unwrap_or_default();
    (!rest.is_empty()).then(|| rest.join(" "))
}

/// The subjects of a sentence, and how many of them it is about: all, one, or none.
pub(super) struct Things {
    /// The words of each, as they are written.
    pub(super) all: Vec<String>,
    list: List,
}

impl Things {
    /// Reads `the A`, `both the A and the B`, `exactly one of the A, the B and the C`.
    ///
    /// # Errors
    /// What was expected.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let list = list(text)?;
        let last = ["and", "or", "nor"].iter().filter_map(|word| Some(place(text, word)? + word.len())).min();
        let is_open = text.contains(',') && last.is_none_or(|last| text[last..].contains(','));
        if list.is_led || list.pieces.is_empty() || is_open || list.group == Group::NotBoth {
            return Err(format!("expected a list such as `the A, the B and the C` in place of `{text}`"));
        }
        Ok(Self { all: list.pieces.clone(), list })
    }

    /// The formula of what they do, from the formula of each.
    ///
    /// # Errors
    /// What was expected.
    pub(super) fn joined(&self, formulas: &[String]) -> Result<Joined, String> {
        joined(formulas, &self.list)
    }

    /// Whether all of them do it.
    pub(super) fn is_all(&self) -> bool {
        matches!(self.list.group, Group::Plain | Group::Both) && (self.list.is_and || self.all.len() == 1)
    }
}

impl Names {
    /// The formula of a condition of this side.
    ///
    /// # Errors
    /// What was expected.
    pub(super) fn condition(&mut self, text: &str, side: Side) -> Result<String, String> {
        let list = list(text)?;
        if list.pieces.is_empty() {
            return Err(format!("expected what holds, in words, in place of `{}`", text.trim()));
        }
        let whole = whole(&list.pieces, self)?;
        for piece in &whole {
            let said: Vec<&str> = words(piece).collect();
            if let Some(word) = said.iter().find(|word| is_one_of(&["each"], word)) {
                return Err(format!("expected one thing in place of `{word}` in `{piece}`"));
            }
            let is_gerund = said.len() > 1 && said[0].len() > 4 && said[0].ends_with("ing");
            if is_gerund && side == Side::Input && !has_copula(piece) && !self.is_given(piece) {
                return Err(format!(
                    "expected who does it, as in `the SYSTEM does ..`, in place of `{piece}`"
                ));
            }
        }
        let literals =
            whole.iter().map(|piece| self.of_condition(piece, side)).collect::<Result<Vec<_>, _>>()?;
        Ok(joined(&literals, &list)?.into_condition())
    }

    /// The formula of what one subject shall do or be.
    ///
    /// # Errors
    /// What was expected.
    pub(super) fn response(&mut self, text: &str, subject: &[String]) -> Result<Joined, String> {
        let list = list(text)?;
        if list.pieces.is_empty() {
            return Err(format!("expected what holds, in words, in place of `{}`", text.trim()));
        }
        let shares = |piece: &String| {
            let said: Vec<&str> = words(piece).filter(|word| !is_negation(word)).collect();
            matches!(said[..], [one] if !is_article(one) && !is_identifier(one) && !self.knows(one))
        };
        let has_object = list.pieces.last().is_some_and(|last| words(last).any(is_article));
        let is_state = strip(&list.pieces[0], "be ").is_some();
        if !is_state && has_object && list.pieces.iter().any(shares) {
            return Err(format!("expected what is done to what, said for each part of `{}`", text.trim()));
        }
        let mut literals = Vec::new();
        let mut verb: Option<Verb> = None;
        for piece in &list.pieces {
            let said: Vec<&str> = words(piece).collect();
            let shared;
            let piece = match verb {
                Some(verb) if self.is_object(piece, &verb, &list)? => {
                    shared = format!("{} {piece}", verb.word);
                    &shared
                }
                None if begins_with_article(piece) => return unclear(piece),
                _ => {
                    verb = Verb::of(&said).filter(|_| !is_state);
                    piece
                }
            };
            if is_state && is_unclear_state(&list.pieces, piece, self) {
                return unclear(piece);
            }
            let is_single = words(piece).filter(|word| !is_negation(word)).count() == 1;
            let is_verb = words(piece).any(is_article) || !is_state;
            let not_be = strip(piece, "not be ").map(|rest| format!("not {rest}"));
            literals.push(match not_be.as_deref().or_else(|| strip(piece, "be ")) {
                Some(rest) => self.of_response(rest, subject, true)?,
                None if is_state && is_single => self.of_response(piece, subject, true)?,
                None if is_verb => self.of_response(piece, subject, false)?,
                None => return unclear(piece),
            });
        }
        joined(&literals, &list)
    }
}

/// The verb of a part of a list, and what is known of its object.
#[derive(Clone, Copy)]
struct Verb<'t> {
    word: &'t str,
    /// Whether the object has an article: `open the door`.
    has_article: bool,
    /// Whether the object is one word: `show red`.
    is_short: bool,
    /// Whether the object ends with a name: `open valve A`.
    is_named: bool,
}

impl<'t> Verb<'t> {
    fn of(said: &[&'t str]) -> Option<Self> {
        let [word, object @ ..] = said else { return None };
        let has_article = object.iter().any(|word| is_article(word));
        let is_named = object.last().is_some_and(|last| is_identifier(last));
        (!object.is_empty()).then_some(Self { word, has_article, is_short: object.len() == 1, is_named })
    }
}

impl Names {
    /// Whether a part of a list is one more object of the verb before it, as in `show red or green`, and no verb of its own.
    ///
    /// # Errors
    /// If it may be both.
    fn is_object(&self, piece: &str, verb: &Verb, list: &List) -> Result<bool, String> {
        let all: Vec<&str> = words(piece).collect();
        let said: Vec<&str> = all.iter().copied().filter(|word| !is_negation(word)).collect();
        let [first, rest @ ..] = said.as_slice() else { return Ok(true) };
        if list.is_led || begins_with_article(piece) {
            return Ok(true);
        }
        let is_known = is_verb(first) || self.is_done(first);
        let is_clear = match rest {
            // `grant access to A or B`
            [] if is_identifier(first) && verb.is_named && !is_object_named(list) => false,
            [] if is_identifier(first) || self.knows(first) && !is_known => return Ok(is_object_named(list)),
            // `turn left or stop`
            [] if verb.has_article => is_known,
            [] if !is_known && all.len() == 1 && verb.is_short => return Ok(true),
            [] => false,
            // `return home`, `light the lamp`
            [next, ..] => is_known || is_article(next),
        };
        if is_clear { Ok(false) } else { unclear(piece) }
    }
}

/// Whether a part of a list of states may be a verb, or share more than `be` with the first part: `be fully open or closed`.
fn is_unclear_state(pieces: &[String], piece: &str, names: &Names) -> bool {
    let Some(first) = pieces.first().filter(|first| first.as_str() != piece && strip(piece, "be ").is_none())
    else {
        return false;
    };
    let said: Vec<&str> = words(piece).filter(|word| !is_negation(word)).collect();
    let size = words(first).filter(|word| !is_negation(word)).count();
    matches!(said[..], [one] if size > 2 || is_only_verb(one) || names.is_done(one))
}

/// Whether the first part of a list is a verb and the name of what it is done to: `grant A`.
fn is_object_named(list: &List) -> bool {
    let said: Vec<&str> = list.pieces.first().map(|first| words(first).collect()).unwrap_or_default();
    matches!(said[..], [_, object] if is_identifier(object))
}
