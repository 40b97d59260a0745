//! A small wiki with questions about it, on which agents with tools are tested.

use crate::tools::Article;
use serde::Deserialize;

/// Articles, questions and worked examples.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wiki {
    /// The articles.
    #[serde(skip)]
    pub articles: Vec<Article>,
    /// The questions.
    #[serde(rename = "question")]
    pub questions: Vec<WikiQuestion>,
    /// Worked examples for prompts.
    #[serde(rename = "example", default)]
    pub examples: Vec<Example>,
}

/// A question with its answer and the steps that find it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WikiQuestion {
    /// The kind of question: the tool that its last step uses.
    pub kind: QuestionKind,
    /// The question.
    pub text: String,
    /// Tools and inputs in order; `{1}` stands for what the first step returned.
    pub steps: Vec<(String, String)>,
    /// A template for the result of the last step, in which `{}` stands for the answer, between the text before and
    /// after it.
    pub read: String,
    /// The answer.
    pub answer: String,
}

/// Kinds of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// Arithmetic.
    Calculator,
    /// The answer is in the beginning of an article.
    Search,
    /// The answer is further down in an article.
    Lookup,
}

impl QuestionKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Calculator, Self::Search, Self::Lookup];
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calculator => "calculator",
            Self::Search => "search",
            Self::Lookup => "lookup",
        }
    }
}

/// A worked example.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The question, and the run of an agent that answers it.
    pub text: String,
}

/// Reads the questions about a wiki with these articles.
///
/// # Errors
/// Text that is not TOML or not of this form, or a wiki without questions.
pub fn read_wiki(text: &str, articles: Vec<Article>) -> Result<Wiki, String> {
    let mut wiki: Wiki = toml::from_str(text).map_err(|error| error.to_string())?;
    if wiki.questions.is_empty() || wiki.questions.iter().any(|question| question.steps.is_empty()) {
        return Err("a wiki needs questions, and each of them a step".into());
    }
    wiki.articles = articles;
    Ok(wiki)
}
