//! Tables of prompts that accompany a specification: the prompts with which models evaluate its predicates and
//! functions.
//!
//! ```toml
//! [generator]
//! prompt = "You are writing an adventure book. Write one paragraph."   # before the prompt of every function
//! summary = "Summarize the story so far in a few sentences."           # renews the summary after each passage
//!
//! [evaluator]
//! prompt = "Read this passage of an adventure story."                  # before the question of every predicate
//!
//! [functions]                                                          # by name or by the whole term
//! toForest = "The passage plays in a forest."
//! toCave = { prompt = "The reader comes to a cave.", check = "inCave" }
//! buy = { prompt = "Buy a lamp.", by = "world" }                       # the environment port does it
//!
//! [predicates]
//! inCave = "Is the main character in a cave?"
//! safe = { prompt = "Did the reader make a safe choice?", about = "message" }
//! open = { prompt = "Is the shop open?", by = "world" }                # the environment port is asked
//! enough = { cell = "count", at_least = 3 }                            # computed, nobody is asked
//!
//! [inputs]                                                             # which text an input stands for
//! summary = "passage"
//!
//! [cells]                                                              # initial values
//! count = 0
//! ```

use serde::Deserialize;
use std::collections::BTreeMap;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::{SourceId, SourceMap, Span};

/// A text that the agent keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Text {
    /// The last generated text.
    #[default]
    Passage,
    /// The last message of the user.
    Message,
    /// The summary of all passages.
    Summary,
}

/// The party that evaluates a function or a predicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    /// A model: the generator for functions, the evaluator for predicates.
    #[default]
    Model,
    /// The user.
    User,
    /// The environment that the agent acts on.
    World,
}

/// The prompts of the generator that are common to all functions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorPrompts {
    /// The text before the prompt of every function.
    #[serde(default)]
    pub prompt: String,
    /// The prompt that renews the summary; without it there is no summary.
    pub summary: Option<String>,
}

/// The prompts of the evaluator that are common to all predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluatorPrompts {
    /// The text before the question of every predicate.
    #[serde(default)]
    pub prompt: String,
}

/// The prompt of a function.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a prompt, or a table of `prompt` and `check` is expected")]
pub enum FunctionPrompt {
    /// The prompt.
    Prompt(String),
    /// A prompt with a check of the result, or for another party than the model.
    Checked(CheckedPrompt),
}

/// A prompt with a check.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedPrompt {
    /// The prompt.
    pub prompt: String,
    /// The predicate that the generated text must satisfy, by name or by the whole term.
    pub check: Option<String>,
    /// Who evaluates the function.
    #[serde(default)]
    pub by: Who,
}

impl FunctionPrompt {
    /// Who evaluates the function.
    pub fn by(&self) -> Who {
        match self {
            Self::Prompt(_) => Who::Model,
            Self::Checked(checked) => checked.by,
        }
    }
    /// The prompt.
    pub fn prompt(&self) -> &str {
        match self {
            Self::Prompt(prompt) => prompt,
            Self::Checked(checked) => &checked.prompt,
        }
    }
    /// The predicate that the generated text must satisfy.
    pub fn check(&self) -> Option<&str> {
        match self {
            Self::Prompt(_) => None,
            Self::Checked(checked) => checked.check.as_deref(),
        }
    }
}

/// How a predicate is evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "a question, a table of `prompt` and `about`, or a table of `cell` and `at_least` is expected"
)]
pub enum PredicatePrompt {
    /// The question to the evaluator.
    Prompt(String),
    /// The question and the text that it is about.
    About(AboutPrompt),
    /// A comparison with the number in a cell; it is computed, nobody is asked.
    Counted(Counted),
}

/// A question about a text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutPrompt {
    /// The question.
    pub prompt: String,
    /// The text that it is about.
    pub about: Option<Text>,
    /// Who is asked.
    #[serde(default)]
    pub by: Who,
}

/// A comparison.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// The cell.
    pub cell: String,
    /// The least number for which the predicate holds.
    pub at_least: i64,
}

/// The initial value of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a text, a whole number or a truth value is expected")]
pub enum Initial {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A text.
    Text(String),
}

/// A table of prompts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompts {
    /// The prompts of the generator that are common to all functions.
    #[serde(default)]
    pub generator: GeneratorPrompts,
    /// The prompts of the evaluator that are common to all predicates.
    #[serde(default)]
    pub evaluator: EvaluatorPrompts,
    /// By the name of a function or constant, or by a whole term, which has precedence.
    #[serde(default)]
    pub functions: BTreeMap<String, FunctionPrompt>,
    /// By the name of a predicate or input, or by a whole term, which has precedence.
    #[serde(default)]
    pub predicates: BTreeMap<String, PredicatePrompt>,
    /// The text that an input signal refers to; the passage by default.
    #[serde(default)]
    pub inputs: BTreeMap<String, Text>,
    /// Initial values of cells for which the specification does not define one.
    #[serde(default)]
    pub cells: BTreeMap<String, Initial>,
}

impl Prompts {
    /// Adds another table; the entries of this one have precedence.
    pub fn extend(&mut self, other: Self) {
        fn merge<V>(to: &mut BTreeMap<String, V>, from: BTreeMap<String, V>) {
            for (name, value) in from {
                to.entry(name).or_insert(value);
            }
        }
        if self.generator.prompt.is_empty() {
            self.generator.prompt = other.generator.prompt;
        }
        self.generator.summary = self.generator.summary.take().or(other.generator.summary);
        if self.evaluator.prompt.is_empty() {
            self.evaluator.prompt = other.evaluator.prompt;
        }
        merge(&mut self.functions, other.functions);
        merge(&mut self.predicates, other.predicates);
        merge(&mut self.inputs, other.inputs);
        merge(&mut self.cells, other.cells);
    }
    /// The prompt of a function term: that of the term, else that of its head.
    pub fn function(&self, term: &str, head: &str) -> Option<&FunctionPrompt> {
        self.functions.get(term).or_else(|| self.functions.get(head))
    }
    /// How a predicate term is evaluated: the entry of the term, else that of its head.
    pub fn predicate(&self, term: &str, head: &str) -> Option<&PredicatePrompt> {
        self.predicates.get(term).or_else(|| self.predicates.get(head))
    }
}

/// Reads a table of prompts.
///
/// # Errors
/// Text that is not TOML or not of this form, with its position.
pub fn read_prompts(map: &SourceMap, source: SourceId) -> Result<Prompts, Diagnostic> {
    let text = &map.get(source).text;
    toml::from_str(text).map_err(|error| {
        let found =
            Diagnostic::error(Code::BAD_PROMPTS, format!("this is no table of prompts: {}", error.message()));
        match error.span() {
            Some(span) => {
                found.at(Span::new(source, span.start.min(text.len()), span.end.min(text.len())), "here")
            }
            None => found,
        }
        .hint("`tsl-synth help agent` shows a table")
    })
}
