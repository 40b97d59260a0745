//! The port to an oracle that supplies content: a model, a person, a program, or a script.

use super::OracleUsage;
use std::fmt;

/// The kind of answer that a request requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerKind {
    /// Whether something holds of a text.
    Predicate,
    /// One of several choices.
    Choose,
    /// Some of several choices, at least one.
    ChooseMany,
    /// A text.
    Generate,
    /// A number for each of several choices; more is better.
    Score,
    /// The next message of the user.
    Message,
    /// The response of the world to an action.
    Act,
    /// The responses that the world would give to actions in order, without carrying them out: a list in JSON.
    Imagine,
    /// A sentence in a formal language.
    Translate,
}

impl AnswerKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Predicate,
        Self::Choose,
        Self::ChooseMany,
        Self::Generate,
        Self::Score,
        Self::Message,
        Self::Act,
        Self::Imagine,
        Self::Translate,
    ];
    /// The name of the kind in records and in the protocol of JSON lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predicate => "predicate",
            Self::Choose => "choose",
            Self::ChooseMany => "choose_many",
            Self::Generate => "generate",
            Self::Score => "score",
            Self::Message => "message",
            Self::Act => "act",
            Self::Imagine => "imagine",
            Self::Translate => "translate",
        }
    }
    /// Whether the answer is a text, and not one of a closed set.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Generate | Self::Message | Self::Act | Self::Imagine | Self::Translate)
    }
    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for AnswerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The language of the texts that may be answered, for decoders of models that take one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextGrammar {
    /// In GBNF, the grammars of llama.cpp.
    pub gbnf: String,
    /// As a regular expression without look-around, which the whole text matches; empty if there is only the grammar.
    pub regex: String,
}

/// A question to an oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleRequest {
    /// The kind of answer that is wanted.
    pub kind: AnswerKind,
    /// The subject of the question, by its name in the agent's file: a term, a state, a symbol of a grammar.
    pub subject: String,
    /// The whole question, for a model or a person.
    pub prompt: String,
    /// The text that the question is about, such as a passage or the text so far; the prompt contains it, too.
    pub about: String,
    /// The alternatives to choose from; empty for kinds without choices.
    pub choices: Vec<String>,
    /// A generated text ends before the first of these.
    pub stop: Vec<String>,
    /// The language of a generated text; an oracle may ignore it.
    pub grammar: Option<TextGrammar>,
    /// Whether a thought is wanted before a choice; an oracle may ignore it.
    pub thought: bool,
    /// The number of this attempt, from 1.
    pub attempt: u32,
}

impl OracleRequest {
    /// A question without choices and stop strings.
    pub fn new(kind: AnswerKind, subject: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            kind,
            subject: subject.into(),
            prompt: prompt.into(),
            about: String::new(),
            choices: Vec::new(),
            stop: Vec::new(),
            grammar: None,
            thought: false,
            attempt: 1,
        }
    }
    /// About this text.
    pub fn about(mut self, text: impl Into<String>) -> Self {
        self.about = text.into();
        self
    }
    /// With these choices.
    pub fn choices(mut self, choices: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
    }
    /// With this language of the text.
    pub fn grammar(mut self, grammar: TextGrammar) -> Self {
        self.grammar = Some(grammar);
        self
    }
    /// With a thought before the choice.
    pub fn with_thought(mut self) -> Self {
        self.thought = true;
        self
    }
    /// With these stop strings.
    pub fn stop(mut self, stop: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.stop = stop.into_iter().map(Into::into).collect();
        self
    }
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum OracleAnswer {
    /// To [`AnswerKind::Predicate`].
    Truth(bool),
    /// To [`AnswerKind::Choose`]: the index of the choice, from 0. In JSON lines it counts from 1.
    Choice(usize),
    /// To [`AnswerKind::Choose`] with a thought before the choice.
    Reasoned {
        /// The thought.
        thought: String,
        /// The index of the choice, from 0.
        choice: usize,
    },
    /// To [`AnswerKind::ChooseMany`]: the indices of the choices, from 0, in the order in which they were chosen.
    Choices(Vec<usize>),
    /// To [`AnswerKind::Generate`], [`AnswerKind::Message`], [`AnswerKind::Act`], [`AnswerKind::Imagine`] and
    /// [`AnswerKind::Translate`].
    Text(String),
    /// To [`AnswerKind::Score`]: one number for each choice.
    Scores(Vec<f64>),
}

impl OracleAnswer {
    /// Checks that this answer fits the request: it is of the requested kind, every index is in range,
    /// [`Self::Choices`] are distinct and not empty, and [`Self::Scores`] are one finite number for each choice.
    ///
    /// # Errors
    /// The reason why it does not fit, as a sentence.
    pub fn check(&self, request: &OracleRequest) -> Result<(), String> {
        let n = request.choices.len();
        let in_range = |&i: &usize| {
            if i < n { Ok(()) } else { Err(format!("there is no choice {}: there are {n}", i + 1)) }
        };
        match (request.kind, self) {
            (AnswerKind::Predicate, Self::Truth(_))
            | (
                AnswerKind::Generate
                | AnswerKind::Message
                | AnswerKind::Act
                | AnswerKind::Imagine
                | AnswerKind::Translate,
                Self::Text(_),
            ) => Ok(()),
            (AnswerKind::Choose, Self::Choice(i) | Self::Reasoned { choice: i, .. }) => in_range(i),
            (AnswerKind::ChooseMany, Self::Choices(chosen)) if chosen.is_empty() => {
                Err("at least one choice is needed".into())
            }
            (AnswerKind::ChooseMany, Self::Choices(chosen)) => {
                chosen.iter().try_for_each(in_range)?;
                let twice = chosen.iter().enumerate().find(|(k, i)| chosen[..*k].contains(i));
                twice.map_or(Ok(()), |(_, i)| Err(format!("choice {} is there twice", i + 1)))
            }
            (AnswerKind::Score, Self::Scores(scores)) if scores.len() != n => {
                Err(format!("{} scores for {n} choices", scores.len()))
            }
            (AnswerKind::Score, Self::Scores(scores)) if scores.iter().all(|score| score.is_finite()) => {
                Ok(())
            }
            (AnswerKind::Score, Self::Scores(_)) => Err("a score is not a finite number".into()),
            (kind, _) => Err(format!("this is no answer to a request of kind `{kind}`")),
        }
    }
}

/// For human readers: choices are numbered from 1.
impl fmt::Display for OracleAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>().join(", ");
        match self {
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Choice(i) => write!(f, "{}", i.saturating_add(1)),
            Self::Reasoned { thought, choice } => write!(f, "{thought} {}", choice.saturating_add(1)),
            Self::Choices(chosen) => {
                f.write_str(&list(&mut chosen.iter().map(|i| i.saturating_add(1).to_string())))
            }
            Self::Text(text) => f.write_str(text),
            Self::Scores(scores) => f.write_str(&list(&mut scores.iter().map(f64::to_string))),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleError {
    /// The answer cannot be used; asking again may help.
    Invalid {
        /// The answer, shortened.
        answer: String,
        /// Why it cannot be used.
        why: String,
    },
    /// The model refuses; asking again may help.
    Refused(String),
    /// The oracle cannot be reached or does not answer in time; the adapter has already retried where that may help.
    Unavailable(String),
    /// No more answers follow: a script is at its end, or a person left.
    Ended(String),
    /// The oracle will never answer: a wrong key, a missing program, or an unsupported request.
    Unusable(String),
}

impl OracleError {
    /// An answer that cannot be used.
    pub fn invalid(answer: &str, why: impl Into<String>) -> Self {
        Self::Invalid { answer: shortened(answer), why: why.into() }
    }
    /// Whether the same request may be asked again.
    pub fn may_ask_again(&self) -> bool {
        matches!(self, Self::Invalid { .. } | Self::Refused(_))
    }
}

/// At most 200 characters of a text.
fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { answer, why } => write!(f, "{why}: `{answer}`"),
            Self::Refused(text) => write!(f, "it refused: `{text}`"),
            Self::Unavailable(why) | Self::Ended(why) | Self::Unusable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for OracleError {}

/// Answers requests.
pub trait Oracle {
    /// The answer to a request.
    ///
    /// # Errors
    /// When there is none. [`Conversation`](super::Conversation) checks again whether an answer fits its request.
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError>;
    /// Whether it answers requests of kind [`AnswerKind::Imagine`], as simulated worlds do.
    fn imagines(&self) -> bool {
        false
    }
    /// Called before the first question of a run with this seed, where one oracle answers in several runs.
    fn begin(&mut self, _seed: u64) {}
    /// What its answers cost so far; nothing for oracles that are no models.
    fn usage(&self) -> OracleUsage {
        OracleUsage::default()
    }
}

/// An oracle that answers no request.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOracle;

impl Oracle for NoOracle {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        Err(OracleError::Unusable(format!("nobody is there to answer a request of kind `{}`", request.kind)))
    }
}
