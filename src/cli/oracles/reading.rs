//! Reads the answers of people and models with some tolerance: truth values, choices by number or text, and scores.

use super::sentence;
use serde_json::Value;
use tsl_synth_agents::{AnswerKind, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::base::unfenced;
use tsl_synth_documents::value_answer;

/// The text without fences, quotes, emphasis and final punctuation.
fn bare(text: &str) -> &str {
    let text = unfenced(text);
    let mark = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '*' | '“' | '”' | '‘' | '’');
    text.trim_matches(mark).trim_end_matches(['.', '!', ';', ',']).trim_matches(mark)
}

fn truth(word: &str) -> Option<bool> {
    let is = |words: [&str; 5]| words.iter().any(|other| word.eq_ignore_ascii_case(other));
    match () {
        () if is(["1", "true", "yes", "y", "t"]) => Some(true),
        () if is(["0", "false", "no", "n", "f"]) => Some(false),
        () => None,
    }
}

/// The index of the choice that a text names: by its number, by its number and its text, or by its text.
fn choice(text: &str, choices: &[String]) -> Option<usize> {
    let text = bare(text);
    let mut same = choices.iter().enumerate().filter(|(_, choice)| bare(choice).eq_ignore_ascii_case(text));
    // A number is asked for, so that it is the number of a choice before it is the text of one.
    let is_number = text.parse().is_ok_and(|number: usize| (1..=choices.len()).contains(&number));
    if let (false, Some((i, _)), None) = (is_number, same.next(), same.next()) {
        return Some(i);
    }
    let digits = text.trim_start_matches(['#', '(', '[']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let i = digits[..end].parse::<usize>().ok()?.checked_sub(1)?;
    let rest = digits[end..].trim_start_matches([')', ']', '.', ':', '-']).trim();
    let repeated = || choices.get(i).is_some_and(|choice| bare(choice).eq_ignore_ascii_case(bare(rest)));
    // A number with a decimal part is not the number of a choice.
    let decimals = digits[end..].strip_prefix('.');
    let is_decimal = decimals.is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    (rest.is_empty() || (!is_decimal && repeated())).then_some(i)
}

/// The parts of a list: between commas, semicolons or line ends, or else between spaces.
fn parts(text: &str) -> Vec<&str> {
    let text = bare(text);
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let separated = |by: &[char]| -> Vec<&str> {
        text.split(by).map(str::trim).filter(|part| !part.is_empty()).collect()
    };
    let parts = separated(&[',', ';', '\n']);
    match parts.as_slice() {
        [one]
            if one
                .split_whitespace()
                .all(|word| word.chars().all(|c| c.is_ascii_digit() || ".-".contains(c))) =>
        {
            separated(&[' ', '\t'])
        }
        _ => parts,
    }
}

/// The answer in a JSON value: itself, or the only member of an object.
fn inner(value: &Value) -> &Value {
    match value {
        Value::Object(members) if members.len() == 1 => members.values().next().unwrap_or(value),
        _ => value,
    }
}

/// What stands after `NAME:` in a line.
fn marker(line: &str, name: &str) -> Option<String> {
    let line = line.trim_start_matches(['*', '#', '-', ' ', '`']);
    let head = line.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
    let rest = line[head.len()..].trim_start_matches(['*', '`']).strip_prefix(':')?;
    Some(rest.trim_matches(['*', ' ', '`']).to_owned())
}

/// The text without what a model that goes on makes up: the observation after its action, and all that follows.
fn until_observation(text: &str) -> &str {
    let (mut has_acted, mut end) = (false, 0);
    for line in text.split_inclusive('\n') {
        if has_acted && marker(line, "Observation").is_some() {
            return &text[..end];
        }
        has_acted |= marker(line, "Action").is_some();
        end += line.len();
    }
    text
}

/// Reads a text as the answer to a request.
///
/// # Errors
/// When the text is not such an answer.
pub(super) fn read(request: &OracleRequest, text: &str) -> Result<OracleAnswer, OracleError> {
    if request.kind.is_text() {
        return Ok(OracleAnswer::Text(text.to_string()));
    }
    let text = if request.thought { until_observation(text) } else { text };
    if request.thought
        && request.kind == AnswerKind::Choose
        && let Some((thought, chosen)) = with_thought(text)
        && let Ok(OracleAnswer::Choice(choice)) = read_choice(request, &chosen)
    {
        return Ok(OracleAnswer::Reasoned { thought, choice });
    }
    read_choice(request, text)
}

/// A thought, and the text of the choice after it: two members of a JSON object, what stands before and after the last
/// `Action:`, or the last line and the lines before it.
fn with_thought(text: &str) -> Option<(String, String)> {
    let text = unfenced(text);
    if let Ok(Value::Object(members)) = serde_json::from_str::<Value>(text) {
        let thought = members.get("thought")?.as_str()?;
        let mut others = members.iter().filter(|(name, _)| *name != "thought");
        let (Some((_, chosen)), None) = (others.next(), others.next()) else { return None };
        let chosen = chosen.as_str().map_or_else(|| chosen.to_string(), str::to_owned);
        return Some((thought.trim().to_owned(), chosen));
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let at =
        lines.iter().rposition(|line| marker(line, "Action").is_some()).or(lines.len().checked_sub(1))?;
    let chosen = marker(lines[at], "Action").unwrap_or_else(|| lines[at].to_owned());
    let thoughts =
        lines[..at].iter().map(|line| marker(line, "Thought").unwrap_or_else(|| line.trim().to_owned()));
    let thought = thoughts.collect::<Vec<_>>().join(" ");
    (!thought.is_empty()).then_some((thought, chosen))
}

/// Reads a text as an answer from a closed set.
fn read_choice(request: &OracleRequest, text: &str) -> Result<OracleAnswer, OracleError> {
    let whole = read_form(request, text);
    if whole.is_ok() {
        return whole;
    }
    // Models answer in the first line and explain it, or think aloud and answer in the last one, or in a sentence.
    let of = |line: Option<&str>| read_form(request, sentence::of_line(line?)).ok();
    let (first, last) = (sentence::first_line(text), sentence::last_line(text));
    let read = match (of(first), of(last)) {
        (Some(begun), Some(ended)) => (begun == ended).then_some(ended),
        (None, Some(ended)) => Some(ended),
        (Some(begun), None) => {
            let announced = match request.kind {
                AnswerKind::Choose => sentence::announced_choice(text, &request.choices),
                _ => None,
            };
            announced.is_none_or(|other| begun == OracleAnswer::Choice(other)).then_some(begun)
        }
        (None, None) => read_form(request, sentence::of_line(text))
            .ok()
            .or_else(|| read_sentence(request, text))
            .or_else(|| last.and_then(|line| read_sentence(request, line))),
    };
    read.map_or(whole, Ok)
}

/// An answer that a sentence holds.
fn read_sentence(request: &OracleRequest, text: &str) -> Option<OracleAnswer> {
    match request.kind {
        AnswerKind::Predicate => sentence::truth(text, &truth).map(OracleAnswer::Truth),
        AnswerKind::Choose => sentence::choice(text, &request.choices).map(OracleAnswer::Choice),
        AnswerKind::ChooseMany => sentence::choices(text, request.choices.len()).map(OracleAnswer::Choices),
        AnswerKind::Score => read_plain(request, sentence::list(text)?).ok(),
        AnswerKind::Generate
        | AnswerKind::Message
        | AnswerKind::Act
        | AnswerKind::Imagine
        | AnswerKind::Translate => None,
    }
}

/// Reads a text that is nothing but the answer.
fn read_form(request: &OracleRequest, text: &str) -> Result<OracleAnswer, OracleError> {
    let plain = bare(text);
    if let Ok(value) = serde_json::from_str::<Value>(plain) {
        match inner(&value) {
            Value::String(text) if value.is_object() => return read_plain(request, text),
            Value::Number(number) => return read_plain(request, &number.to_string()),
            value @ (Value::Bool(_) | Value::Array(_)) => return value_answer(request.kind, value),
            _ => {}
        }
    }
    read_plain(request, text)
}

fn read_plain(request: &OracleRequest, text: &str) -> Result<OracleAnswer, OracleError> {
    let found = match request.kind {
        AnswerKind::Predicate => truth(bare(text)).map(OracleAnswer::Truth).ok_or("0 or 1 is expected"),
        AnswerKind::Choose => choice(text, &request.choices)
            .map(OracleAnswer::Choice)
            .ok_or("the number of a choice, from 1, is expected"),
        AnswerKind::ChooseMany => parts(text)
            .into_iter()
            .map(|part| choice(part, &request.choices))
            .collect::<Option<Vec<_>>>()
            .map(OracleAnswer::Choices)
            .ok_or("numbers of choices, from 1, with commas between them, are expected"),
        AnswerKind::Score => parts(text)
            .into_iter()
            .map(|part| part.parse().ok().filter(|score: &f64| score.is_finite()))
            .collect::<Option<Vec<_>>>()
            .map(OracleAnswer::Scores)
            .ok_or("a list of numbers is expected"),
        AnswerKind::Generate
        | AnswerKind::Message
        | AnswerKind::Act
        | AnswerKind::Imagine
        | AnswerKind::Translate => Ok(OracleAnswer::Text(text.to_string())),
    };
    found.map_err(|why| OracleError::invalid(text.trim(), why))
}

/// Whether the prompt lists the choices already.
pub(super) fn lists_choices(request: &OracleRequest) -> bool {
    request.choices.iter().all(|choice| request.prompt.contains(choice.as_str()))
        && (1..=request.choices.len()).all(|i| {
            let lines = || request.prompt.lines().map(str::trim_start);
            lines().any(|line| {
                line.strip_prefix(&i.to_string()).is_some_and(|rest| rest.starts_with(['.', ')', ':']))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: AnswerKind) -> OracleRequest {
        OracleRequest::new(kind, "s", "?").choices(["Colorization", "Image Denoising", "3"])
    }

    #[test]
    fn truth_values() {
        for yes in [
            "1",
            " 1.\n",
            "true",
            "Yes.",
            "```json\n{\"answer\": 1}\n```",
            "```\ntrue\n```",
            "**1**",
            "\"1\"",
            "{\"inCave\": true}",
            "{\"a\":\"yes\"}",
        ] {
            assert_eq!(read(&asked(AnswerKind::Predicate), yes), Ok(OracleAnswer::Truth(true)), "{yes}");
        }
        for no in ["0", "False.", "no", "```json\n0\n```", "{\"x\": 0}"] {
            assert_eq!(read(&asked(AnswerKind::Predicate), no), Ok(OracleAnswer::Truth(false)), "{no}");
        }
        for neither in [
            "",
            "banana",
            "2",
            "10",
            "01",
            "1 0",
            "not true",
            "{}",
            "null",
            "{\"a\":1,\"b\":0}",
            "[1]",
            "1.5",
            "-1",
        ] {
            assert!(read(&asked(AnswerKind::Predicate), neither).is_err(), "{neither}");
        }
    }

    #[test]
    fn thoughts_stand_before_choices() {
        let request = asked(AnswerKind::Choose).with_thought();
        for text in [
            "Thought: noise is 1 problem\nAction: 2",
            "**Thought:** noise is 1 problem\n\n**Action:** 2. Image Denoising",
            "noise is 1 problem\nImage Denoising",
            "{\"thought\": \"noise is 1 problem\", \"choice\": 2}",
            "```json\n{\"thought\": \"noise is 1 problem\", \"action\": \"Image Denoising\"}\n```",
            "Thought: noise is 1 problem\nAction: 2\nObservation: ok\nThought: now 1\nAction: 1",
        ] {
            let wanted = OracleAnswer::Reasoned { thought: "noise is 1 problem".into(), choice: 1 };
            assert_eq!(read(&request, text), Ok(wanted), "{text}");
        }
        // Without a thought the choice counts all the same.
        for text in [
            "2",
            "Action: 2",
            "I choose 2.",
            "Action: 2\n1 is unsafe",
            "Action: 2\nObservation: 1\nAction: 1",
        ] {
            assert_eq!(read(&request, text), Ok(OracleAnswer::Choice(1)), "{text}");
        }
        for none in
            ["Thought: hm\nAction: fly", "Action: I refuse to do 1", "Thought: hm\nAction: anything but 1"]
        {
            assert!(read(&request, none).is_err(), "{none}");
        }
    }

    #[test]
    fn choices() {
        for (text, i) in [
            ("2", 1),
            ("1.", 0),
            ("#2", 1),
            ("(2)", 1),
            ("2. Image Denoising", 1),
            ("2) **Image Denoising**", 1),
            ("image denoising", 1),
            ("```json\n{\"choice\": 1}\n```", 0),
            ("{\"choice\": \"Colorization\"}", 0),
            // The text of the third choice is a number, too.
            ("3", 2),
            ("2\n\nBecause option 1 is blocked.", 1),
            ("Option 3\nsince 1 leads nowhere", 2),
            ("2. Image Denoising\nColorization is dangerous.", 1),
            ("2\nConfidence: 1", 1),
            ("1 is closed.\n2", 1),
            ("Final answer: 2", 1),
            // Too large, which `OracleAnswer::check` reports.
            ("17", 16),
        ] {
            assert_eq!(read(&asked(AnswerKind::Choose), text), Ok(OracleAnswer::Choice(i)), "{text}");
        }
        for none in [
            "",
            "0",
            "banana",
            "2.5",
            "1 or 2",
            "2. Colorization",
            "-1",
            "true",
            "99999999999999999999999",
            "1\n2",
            "2\nWait, my answer is 1.",
        ] {
            assert!(read(&asked(AnswerKind::Choose), none).is_err(), "{none}");
        }
        // The number that is asked for, not the text of another choice.
        let numbers = OracleRequest::new(AnswerKind::Choose, "s", "?").choices(["2", "1", "4"]);
        for (text, i) in [("1", 0), ("2", 1), ("3", 2), ("4", 2), ("2. 1", 1)] {
            assert_eq!(read(&numbers, text), Ok(OracleAnswer::Choice(i)), "{text}");
        }
    }

    #[test]
    fn several_choices_and_scores() {
        for text in [
            "1, 2",
            "1 2",
            "[1, 2]",
            "1\n2",
            "1. Colorization\n2. Image Denoising",
            "{\"chosen\": [1,2]}",
            "```\n[1,2]\n```",
        ] {
            assert_eq!(
                read(&asked(AnswerKind::ChooseMany), text),
                Ok(OracleAnswer::Choices(vec![0, 1])),
                "{text}"
            );
        }
        assert_eq!(read(&asked(AnswerKind::ChooseMany), "2"), Ok(OracleAnswer::Choices(vec![1])));
        assert!(read(&asked(AnswerKind::ChooseMany), "1, banana").is_err());
        for text in ["[0.5, 1, -2]", "0.5, 1, -2", "{\"scores\": [0.5, 1, -2]}", "0.5 1 -2"] {
            assert_eq!(
                read(&asked(AnswerKind::Score), text),
                Ok(OracleAnswer::Scores(vec![0.5, 1.0, -2.0])),
                "{text}"
            );
        }
        assert!(read(&asked(AnswerKind::Score), "[0.5, \"x\"]").is_err());
        assert!(read(&asked(AnswerKind::Score), "nan, inf, 1").is_err());
    }
}
