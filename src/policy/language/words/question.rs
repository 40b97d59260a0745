//! Questions about what the laws of a policy permit and require: `may I ship before payment?`, `must tests run before a
//! push?`.

use super::ground::{FILLERS, by_words, ground_phrase, parts, stem, undoubled};
use super::names::PolicyNames;
use super::pattern::{CountRequest, LawPattern};
use super::pattern_read::parse_pattern;
use super::refused::Refused;
use super::sentence::read_sentence;
use super::slot::NEGATIONS;
use super::tree::LawTree;
use std::collections::BTreeSet;
use tsl_synth_core::diag::Code;

/// What is asked about a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// Whether the laws permit a session that violates it.
    May,
    /// Whether every session that keeps the laws keeps it.
    Must,
}

/// A question as a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyQuestion {
    /// What is asked about the law.
    pub kind: QuestionKind,
    /// The law.
    pub law: LawTree,
    /// The registers that it needs.
    pub registers: Vec<CountRequest>,
}

/// The beginnings of questions about what is permitted.
const MAY: [&str; 9] = ["may", "can", "could", "am", "is", "are", "would", "do", "does"];
/// Words that make such a beginning one about a permission.
const PERMITTED: [&str; 6] = ["allowed", "permitted", "able", "possible", "free", "ok"];
/// The beginnings of questions about what is required.
const MUST: [&str; 4] = ["must", "shall", "should", "will"];
/// Verbs of such questions, at the beginning or after `do`: `do I need to`.
const NEED: [&str; 6] = ["have", "has", "need", "needs", "require", "requires"];
/// Words between such a beginning and what is done.
const BETWEEN: [&str; 14] =
    ["i", "we", "it", "you", "one", "they", "the", "agent", "robot", "always", "ever", "to", "for", "be"];
/// What the end of a session is called.
const END: [&str; 10] =
    ["end", "ending", "stop", "stopping", "finish", "finishing", "the end", "i stop", "i finish", "done"];

/// What a question asks, and its words without the beginning: `pay before shipping` of `is it allowed to pay before
/// shipping` and of `is paying allowed before shipping`.
fn begun(words: &[String]) -> Option<(QuestionKind, Vec<String>)> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let first = lower.first()?.as_str();
    // `do I have to`, `does it need to`.
    let asks_need = lower.iter().take(4).position(|word| NEED.contains(&word.as_str()));
    let allowed = lower.iter().take(5).position(|word| PERMITTED.contains(&word.as_str()));
    let is_between = |word: &&str| BETWEEN.contains(word);
    // `pushing is allowed`, which says the same as the question.
    if let Some(allowed) = lower.iter().position(|word| ["allowed", "permitted"].contains(&word.as_str()))
        && !["is", "are", "am", "would"].contains(&first)
        && allowed > 1
        && ["is", "are"].contains(&lower[allowed - 1].as_str())
        // `No push is allowed` and `Deploying is allowed only after a review` are laws and no questions.
        && !lower.iter().any(|word| word == "only" || NEGATIONS.contains(&word.as_str()))
    {
        return Some((QuestionKind::May, [&words[..allowed - 1], &words[allowed + 1..]].concat()));
    }
    // `does pushing need tests`, `do the tests have to run before a push`.
    if let (Some(need), true) = (asks_need, ["do", "does"].contains(&first)) {
        let subject = words[1..need].iter().filter(|word| !is_between(&word.to_lowercase().as_str()));
        let subject: Vec<String> = subject.cloned().collect();
        let object = words[need + 1..].to_vec();
        if !subject.is_empty() && !object.is_empty() {
            let asked = match object.iter().position(|word| word == "to") {
                Some(0) => [subject, object[1..].to_vec()].concat(),
                Some(_) => return None,
                None => [object, vec!["before".to_owned()], subject].concat(),
            };
            return Some((QuestionKind::Must, asked));
        }
    }
    if let (Some(allowed), true) = (allowed, ["is", "are"].contains(&first))
        && !lower[1..allowed].iter().all(|word| is_between(&word.as_str()))
    {
        let named = (1..words.len()).filter(|&at| at != allowed);
        let named = named.filter(|&at| at > allowed || !is_between(&lower[at].as_str()));
        return Some((QuestionKind::May, named.map(|at| words[at].clone()).collect()));
    }
    let (kind, mut at) = match () {
        () if PERMITTED.contains(&first) => (QuestionKind::May, 1),
        () if ["do", "does"].contains(&first) => (QuestionKind::Must, asks_need? + 1),
        () if ["am", "is", "are", "would"].contains(&first) => (QuestionKind::May, allowed? + 1),
        () if MAY.contains(&first) => (QuestionKind::May, 1),
        () if MUST.contains(&first) || NEED.contains(&first) => (QuestionKind::Must, 1),
        () => return None,
    };
    while lower.get(at).is_some_and(|word| is_between(&word.as_str())) {
        at += 1;
    }
    (at < lower.len()).then(|| (kind, words[at..].to_vec()))
}

/// The parts before and after one of these words.
fn around(words: &[String], sign: &str) -> Option<(String, String)> {
    let at = words.iter().position(|word| word.eq_ignore_ascii_case(sign))?;
    let (left, right) = (words[..at].join(" "), words[at + 1..].join(" "));
    (!left.is_empty() && !right.is_empty()).then_some((left, right))
}

struct QuestionReader<'n> {
    names: &'n PolicyNames,
}

impl QuestionReader<'_> {
    fn name(&self, phrase: &str) -> Result<String, Refused> {
        ground_phrase(phrase, self.names).or_else(|refused| self.loosely(phrase).ok_or(refused))
    }

    /// The only name that has all words of a phrase, in any order: `tests` and `running the tests` are `tests.run`. Of names
    /// with further words the shortest counts.
    fn loosely(&self, phrase: &str) -> Option<String> {
        let words = parts(phrase).into_iter().filter(|word| !FILLERS.contains(&word.as_str()));
        let wanted: BTreeSet<String> = words.map(|word| undoubled(&stem(&word))).collect();
        match by_words(&wanted, self.names.iter().map(|(name, _)| &**name)).as_slice() {
            [one] => Some((*one).to_owned()),
            _ => None,
        }
    }

    fn rule(&self, text: &str) -> Result<(LawTree, Vec<CountRequest>), Refused> {
        let pattern: LawPattern = parse_pattern(text, self.names)?;
        Ok((pattern.law(), pattern.register().into_iter().collect()))
    }

    /// The law that a session violates which does what is asked about.
    fn forbidden(&self, words: &[String]) -> Result<(LawTree, Vec<CountRequest>), Refused> {
        if let [not, what @ ..] = words
            && not.eq_ignore_ascii_case("not")
        {
            // A session in which it is not done.
            return Ok((LawTree::finally(LawTree::atom(self.name(&what.join(" "))?)), Vec::new()));
        }
        if let Some((what, needed)) = around(words, "before") {
            return self.requires_before(&what, &needed);
        }
        if let Some((what, needed)) = around(words, "without") {
            if END.contains(&what.to_lowercase().as_str()) {
                return self.rule(&format!("end requires {}", self.name(&needed)?));
            }
            let (what, needed) = (self.name(&what)?, self.done(&needed)?);
            let law = LawTree::implies(
                LawTree::finally(LawTree::atom(what)),
                LawTree::finally(LawTree::atom(needed)),
            );
            return Ok((law, Vec::new()));
        }
        if let Some((what, trigger)) = around(words, "after") {
            return self.rule(&format!("{} forbids {} after", self.name(&trigger)?, self.name(&what)?));
        }
        if let Some((what, state)) = ["while", "if", "when"].into_iter().find_map(|sign| around(words, sign))
        {
            return self.rule(&format!("never {} while {}", self.name(&what)?, self.name(&state)?));
        }
        if let [what @ .., once] = words
            && once.eq_ignore_ascii_case("once")
        {
            return self.rule(&format!("never {}", self.name(&what.join(" "))?));
        }
        if let Some((what, most)) = repeated(words) {
            return self.rule(&format!("at most {most} {}", self.name(&what)?));
        }
        self.rule(&format!("never {}", self.name(&words.join(" "))?))
    }

    /// The law that requires what is asked about.
    fn required(&self, words: &[String]) -> Result<(LawTree, Vec<CountRequest>), Refused> {
        if let Some((needed, what)) = around(words, "before") {
            return self.requires_before(&what, &needed);
        }
        if let Some((owed, trigger)) = around(words, "after") {
            return self.rule(&format!("{} then {} eventually", self.name(&trigger)?, self.name(&owed)?));
        }
        let done = LawTree::finally(LawTree::atom(self.done(&words.join(" "))?));
        Ok((done, Vec::new()))
    }

    /// That something happens only after something else.
    fn requires_before(&self, what: &str, needed: &str) -> Result<(LawTree, Vec<CountRequest>), Refused> {
        let needed = self.name(needed)?;
        if END.contains(&what.to_lowercase().as_str()) {
            return self.rule(&format!("end requires {needed}"));
        }
        self.rule(&format!("{} requires {needed} before", self.name(what)?))
    }

    /// The name of a proposition, or the success of an action.
    fn done(&self, phrase: &str) -> Result<String, Refused> {
        let name = self.name(phrase)?;
        let ended = format!("{name}.ok");
        Ok(if self.names.knows(&ended) { ended } else { name })
    }
}

/// `A twice`, `A again`, `A 3 times`, `A more than 3 times`: what, and how often at most is less than that.
fn repeated(words: &[String]) -> Option<(String, u32)> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let number = |word: &str| super::ground::number(word).filter(|&n| n > 0);
    let (rest, most) = match lower.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [.., "twice" | "again"] => (words.len() - 1, 1),
        [.., "more", "than", "once"] => (words.len() - 3, 1),
        [.., "more", "than", n, "times"] => (words.len() - 4, number(n)?),
        [.., n, "times"] => (words.len() - 2, number(n)?.checked_sub(1).filter(|&most| most > 0)?),
        _ => return None,
    };
    (rest > 0).then(|| (words[..rest].join(" "), most))
}

/// Parses a question about a policy. A sentence that is not a question stands for the question whether it holds in every
/// session.
///
/// # Errors
/// If it has none of the known forms, or mentions an unknown name.
pub fn read_question(text: &str, names: &PolicyNames) -> Result<PolicyQuestion, Refused> {
    let plain = text.trim().trim_end_matches(['?', '.', '!']).trim();
    let words: Vec<String> = plain.split_whitespace().map(|word| word.trim_matches(',').to_owned()).collect();
    if words.is_empty() {
        return Err(Refused::new(Code::SENTENCE_FORM, 0..text.len(), "there is no question"));
    }
    let reader = QuestionReader { names };
    // A name and a question mark; `is a push required?` is no name.
    let begins = |list: &[&str]| list.contains(&words[0].to_lowercase().as_str());
    let is_name = || {
        text.trim().ends_with('?')
            && !begins(&MAY)
            && !begins(&MUST)
            && !begins(&NEED)
            && reader.name(plain).is_ok()
    };
    let begun = begun(&words).or_else(|| is_name().then(|| (QuestionKind::May, words.clone())));
    let Some((kind, rest)) = begun else {
        let read = read_sentence(plain, names)?;
        return Ok(PolicyQuestion { kind: QuestionKind::Must, law: read.law, registers: read.registers });
    };
    let read = match kind {
        QuestionKind::May => reader.forbidden(&rest),
        QuestionKind::Must => reader.required(&rest),
    };
    let (law, registers) = read.map_err(|refused| {
        Refused { range: 0..text.len(), ..refused }.hint(
            "questions are `may A before B`, `may A without B`, `may A after B`, `may A while P`, `may A N times`, \
             `may A`, `must A before B`, `must A after B`, `must A`, or a sentence about what always holds",
        )
    })?;
    Ok(PolicyQuestion { kind, law, registers })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::words::NameKind;

    fn names() -> PolicyNames {
        [
            ("pay", NameKind::Action),
            ("ship_order", NameKind::Action),
            ("refund", NameKind::Action),
            ("cancel", NameKind::Action),
            ("git.push", NameKind::Action),
            ("tests.run", NameKind::Action),
            ("files.edit", NameKind::Action),
            ("files.write", NameKind::Action),
            ("living_room", NameKind::Momentary),
            ("bathroom", NameKind::Momentary),
            ("frozen", NameKind::State),
        ]
        .into_iter()
        .collect()
    }

    #[test]
    fn questions_are_read() {
        use QuestionKind::{May, Must};
        for (text, kind, law) in [
            ("may I ship the order before payment?", May, "G(ship_order -> O pay.ok)"),
            ("Can the agent ship an order without paying?", May, "F ship_order -> F pay.ok"),
            ("Is it allowed to refund after shipping the order", May, "G(ship_order -> X G !refund)"),
            ("am I allowed to refund twice?", May, "G !(refund & Y O refund)"),
            ("may I refund more than 2 times", May, "G !(refund & Y O(refund & Y O refund))"),
            ("May I refund 2 times?", May, "G !(refund & Y O refund)"),
            ("could we refund while frozen?", May, "G !(refund & frozen)"),
            ("may it pay?", May, "G !pay"),
            ("may I stop before paying?", May, "F pay.ok"),
            ("Must I pay before shipping the order?", Must, "G(ship_order -> O pay.ok)"),
            ("Do I have to pay before I ship the order?", Must, "G(ship_order -> O pay.ok)"),
            ("must I refund after shipping the order?", Must, "G(ship_order -> X[!] F refund.ok)"),
            ("must I pay?", Must, "F pay.ok"),
            ("Will you enter the living room before the bathroom?", Must, "G(bathroom -> O living_room)"),
            ("may I push before running the tests?", May, "G(git.push -> O tests.run.ok)"),
            ("may I push before tests?", May, "G(git.push -> O tests.run.ok)"),
            ("may I push after editing files?", May, "G(files.edit -> X G !git.push)"),
            ("may I refund after cancelling?", May, "G(cancel -> X G !refund)"),
            ("never refund while frozen", Must, "G !(refund & frozen)"),
            ("is refunding allowed?", May, "G !refund"),
            ("Is a refund permitted while frozen?", May, "G !(refund & frozen)"),
            ("is refund ok after cancelling?", May, "G(cancel -> X G !refund)"),
            ("allowed to refund twice?", May, "G !(refund & Y O refund)"),
            ("refund?", May, "G !refund"),
            ("Ship the order?", May, "G !ship_order"),
        ] {
            let read = read_question(text, &names()).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!((read.kind, read.law.to_string().as_str()), (kind, law), "{text}");
        }
        for text in [
            "",
            "?",
            "may I",
            "may I fly?",
            "may I pay before",
            "why did it pay?",
            "must I dance after pay",
            "may I change files?",
        ] {
            assert!(read_question(text, &names()).is_err(), "{text}");
        }
    }
}
