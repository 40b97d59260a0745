//! The protocol of oracles: one JSON object per line each way, and scripts of such answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tsl_synth_agents::{AnswerKind, OracleAnswer, OracleError, OracleRequest, Scripted, TextGrammar};

/// A request, as a program that acts as an oracle reads it.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestDocument {
    /// Repeated in the answer.
    pub id: u64,
    /// `predicate`, `choose`, `choose_many`, `generate`, `score`, `message` or `act`.
    pub kind: String,
    /// The subject of the request.
    pub subject: String,
    /// The whole question.
    pub prompt: String,
    /// The text that the question is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The options to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Strings at which a text has to end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// The language of the text that is wanted, for decoders that take a grammar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grammar: Option<GrammarDocument>,
    /// Whether a thought is wanted with the choice: then the answer may be `{"thought": "..", "choice": 2}`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub thought: bool,
    /// 1 when it is asked for the first time.
    pub attempt: u32,
}

/// The language of a text.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrammarDocument {
    /// In GBNF, the grammars of llama.cpp.
    pub gbnf: String,
    /// As a regular expression that the whole text matches.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub regex: String,
}

impl RequestDocument {
    /// The document of a request.
    pub fn new(id: u64, request: &OracleRequest) -> Self {
        let OracleRequest { kind, subject, prompt, about, choices, stop, grammar, thought, attempt } =
            request.clone();
        let grammar = grammar.map(|TextGrammar { gbnf, regex }| GrammarDocument { gbnf, regex });
        let kind = kind.name().into();
        Self { id, kind, subject, prompt, about, choices, stop, grammar, thought, attempt }
    }
    /// The request.
    ///
    /// # Errors
    /// If there is no such kind of request.
    pub fn request(&self) -> Result<OracleRequest, String> {
        let Self { kind, subject, prompt, about, choices, stop, grammar, thought, attempt, .. } =
            self.clone();
        let kind =
            AnswerKind::of_name(&kind).ok_or_else(|| format!("there is no kind of request `{kind}`"))?;
        let grammar = grammar.map(|GrammarDocument { gbnf, regex }| TextGrammar { gbnf, regex });
        Ok(OracleRequest { kind, subject, prompt, about, choices, stop, grammar, thought, attempt })
    }
}

/// An answer: a truth, an index from 1, one with a thought, several, a text, or numbers, as JSON.
pub fn answer_value(answer: &OracleAnswer) -> Value {
    match answer {
        OracleAnswer::Truth(truth) => Value::Bool(*truth),
        OracleAnswer::Choice(i) => Value::from(i + 1),
        OracleAnswer::Reasoned { thought, choice } => json!({ "thought": thought, "choice": choice + 1 }),
        OracleAnswer::Choices(chosen) => chosen.iter().map(|i| i + 1).collect(),
        OracleAnswer::Text(text) => Value::String(text.clone()),
        OracleAnswer::Scores(scores) => scores.iter().copied().collect(),
    }
}

/// The answer to a request of this kind that a JSON value represents.
///
/// # Errors
/// If it represents none.
pub fn value_answer(kind: AnswerKind, value: &Value) -> Result<OracleAnswer, OracleError> {
    let index = |value: &Value| {
        let i = value.as_u64().and_then(|i| usize::try_from(i).ok()).and_then(|i| i.checked_sub(1));
        i.ok_or("a whole number from 1 is expected")
    };
    let answer = match (kind, value) {
        (AnswerKind::Predicate, Value::Bool(truth)) => Ok(OracleAnswer::Truth(*truth)),
        (AnswerKind::Predicate, _) => Err("`true` or `false` is expected"),
        (AnswerKind::Choose, Value::Object(parts)) => match (parts.get("thought"), parts.get("choice")) {
            (Some(Value::String(thought)), Some(chosen)) if parts.len() == 2 => {
                index(chosen).map(|choice| OracleAnswer::Reasoned { thought: thought.clone(), choice })
            }
            _ => Err("a whole number from 1, or a `thought` and a `choice`, is expected"),
        },
        (AnswerKind::Choose, value) => index(value).map(OracleAnswer::Choice),
        (AnswerKind::ChooseMany, Value::Array(chosen)) => {
            chosen.iter().map(index).collect::<Result<_, _>>().map(OracleAnswer::Choices)
        }
        (AnswerKind::ChooseMany, _) => Err("a list of whole numbers from 1 is expected"),
        (
            AnswerKind::Generate
            | AnswerKind::Message
            | AnswerKind::Act
            | AnswerKind::Imagine
            | AnswerKind::Translate,
            Value::String(text),
        ) => Ok(OracleAnswer::Text(text.clone())),
        (
            AnswerKind::Generate
            | AnswerKind::Message
            | AnswerKind::Act
            | AnswerKind::Imagine
            | AnswerKind::Translate,
            _,
        ) => Err("a text is expected"),
        (AnswerKind::Score, Value::Array(scores)) => {
            let scores: Option<Vec<f64>> = scores.iter().map(Value::as_f64).collect();
            scores.map(OracleAnswer::Scores).ok_or("a list of numbers is expected")
        }
        (AnswerKind::Score, _) => Err("a list of numbers is expected"),
    };
    answer.map_err(|why| OracleError::invalid(&value.to_string(), why))
}

/// The answer of a program to a request, on one line.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerDocument {
    /// The `id` of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The answer: a truth value; the number of a choice, from 1, alone or in an object with a `thought`; a list of such
    /// numbers; a text; or a list of scores.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub answer: Value,
    /// The reason, if there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Whether no more answers follow.
    #[serde(default, skip_serializing_if = "is_false")]
    pub end: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(super) fn is_false(flag: &bool) -> bool {
    !flag
}

impl AnswerDocument {
    /// The answer that it represents for a request of this kind.
    ///
    /// # Errors
    /// The refusal or the end that the document reports, or why its answer is invalid.
    pub fn outcome(&self, kind: AnswerKind) -> Result<OracleAnswer, OracleError> {
        if self.end {
            return Err(OracleError::Ended("it ended the conversation".into()));
        }
        if let Some(refusal) = &self.refusal {
            return Err(OracleError::Refused(refusal.clone()));
        }
        value_answer(kind, &self.answer)
    }
}

/// A line of a script: an answer and what it is for.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedDocument {
    /// For requests of this kind only. Without it the type of the value decides: a truth value is for `predicate`, a
    /// number or an object with `thought` and `choice` for `choose`, a list for `choose_many`, a text for any request for a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// For requests about this only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Whether it may be given any number of times.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repeat: bool,
    /// The answer.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub answer: Value,
    /// The reason, if there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

impl ScriptedDocument {
    /// The scripted answer; a text without a kind answers every kind of request for a text.
    fn scripted(self) -> Result<Scripted, String> {
        let kind = match (&self.kind, &self.answer) {
            (Some(name), _) => Some(
                AnswerKind::of_name(name).ok_or_else(|| format!("there is no kind of request `{name}`"))?,
            ),
            (None, Value::Bool(_)) => Some(AnswerKind::Predicate),
            (None, Value::Number(_) | Value::Object(_)) => Some(AnswerKind::Choose),
            (None, Value::Array(_)) => Some(AnswerKind::ChooseMany),
            (None, _) => None,
        };
        if self.answer.is_null() && self.refusal.is_none() {
            return Err("`answer` or `refusal` is missing".into());
        }
        let outcome = match self.refusal {
            Some(refusal) => Err(OracleError::Refused(refusal)),
            None => value_answer(kind.unwrap_or(AnswerKind::Generate), &self.answer),
        };
        Ok(Scripted { kind, subject: self.subject, repeat: self.repeat, outcome })
    }
}

/// The answers of a script: JSON lines; empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// The number of the first line that is not an answer, from 1, and why.
pub fn read_script(text: &str) -> Result<Vec<Scripted>, (usize, String)> {
    let mut script = Vec::new();
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let document: ScriptedDocument =
            serde_json::from_str(line).map_err(|error| (i + 1, error.to_string()))?;
        script.push(document.scripted().map_err(|why| (i + 1, why))?);
    }
    Ok(script)
}
