//! Questions in JSON, for hosts without files and processes.

use super::parts::CheckDiagnostic;
use super::{SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A text of a specification. Its language is that of the ending of its name: `.tsl`, `.ltl` or `.tlsf`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionText {
    /// Its name, with an ending.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A specification.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionSpec {
    /// Texts that together are one specification.
    pub texts: Vec<QuestionText>,
    /// The inputs of LTL: names, or regular expressions between slashes.
    #[serde(default)]
    pub ins: Vec<String>,
    /// The outputs of LTL.
    #[serde(default)]
    pub outs: Vec<String>,
    /// Values of parameters of TLSF.
    #[serde(default)]
    pub parameters: BTreeMap<String, i64>,
}

/// How much is reported in addition to a verdict.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionHints {
    /// Nothing: the verdict is returned as soon as it is certified, without a search for a controller that does not
    /// make the assumptions false.
    None,
    /// Explanations that are found with a small amount of counted work.
    #[default]
    Brief,
    /// All explanations that this program can find.
    Full,
}

/// A question. The answer is the document that the verb of this name writes with `--format json`, that of `view` a
/// [`ViewDocument`], and that of `about` an [`AboutDocument`].
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "ask", deny_unknown_fields)]
pub enum Question {
    /// Which version answers, and which targets there are?
    About {},
    /// Is there a controller?
    Check {
        /// The specification.
        spec: QuestionSpec,
        /// How much is reported in addition to the verdict.
        #[serde(default)]
        hints: QuestionHints,
        /// Limit on counted work; past it the verdict is UNKNOWN.
        #[serde(default)]
        work: Option<u64>,
    },
    /// The controller as code, as an automaton or as a circuit.
    Emit {
        /// The specification.
        spec: QuestionSpec,
        /// The name of the target.
        lang: String,
        /// The counter-strategy of an unrealizable specification instead.
        #[serde(default)]
        counter: bool,
        /// Limit on counted work.
        #[serde(default)]
        work: Option<u64>,
    },
    /// Why is there no controller? With a trace: why did the effect happen?
    Explain {
        /// The specification.
        spec: QuestionSpec,
        /// A trace: a JSON document, or a word such as `a & b; cycle{!a}`.
        #[serde(default)]
        trace: Option<String>,
        /// The effect on the trace; without it the effect in the trace.
        #[serde(default)]
        effect: Option<String>,
        /// Limit on counted work.
        #[serde(default)]
        work: Option<u64>,
    },
    /// A play of the controller, or against the counter-strategy.
    Simulate {
        /// The specification.
        spec: QuestionSpec,
        /// The choices of the other player, as a trace.
        #[serde(default)]
        script: Option<String>,
        /// The number of random steps, without a script.
        #[serde(default)]
        random: usize,
        /// The seed of the random steps.
        #[serde(default)]
        seed: u64,
        /// Limit on counted work.
        #[serde(default)]
        work: Option<u64>,
    },
    /// A page that draws and plays the controller, or the counter-strategy.
    View {
        /// The specification.
        spec: QuestionSpec,
        /// Limit on counted work.
        #[serde(default)]
        work: Option<u64>,
    },
}

/// A page.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ViewDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The specification: the names of its texts with ", " between them.
    pub spec: String,
    /// The page: one document in HTML that loads nothing and runs nothing but its own script.
    pub html: String,
    /// Warnings and notes about the specification.
    pub diagnostics: Vec<CheckDiagnostic>,
}

impl ViewDocument {
    /// The document with this page.
    pub fn new(tool_version: &str, spec: &str, html: String, diagnostics: Vec<CheckDiagnostic>) -> Self {
        let (schema_version, tool) = (SCHEMA_VERSION.into(), Tool::new(tool_version));
        Self { schema_version, tool, spec: spec.into(), html, diagnostics }
    }
}

/// The version and the targets.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AboutDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that answers.
    pub tool: Tool,
    /// The targets of `emit`.
    pub langs: Vec<AboutLang>,
}

impl AboutDocument {
    /// The document with these targets.
    pub fn new(tool_version: &str, langs: Vec<AboutLang>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(tool_version), langs }
    }
}

/// A target of `emit`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AboutLang {
    /// Its name.
    pub name: String,
    /// Whether it is code that runs.
    pub code: bool,
    /// Whether it supports counter-strategies, too.
    pub counter: bool,
}

/// A question without an answer.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct QuestionError {
    /// Why.
    pub error: String,
}
