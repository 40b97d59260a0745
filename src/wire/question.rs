//! Questions in JSON, for hosts without files and processes.

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

/// A question. The answer is the document that the verb of this name writes with `--format json`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "ask", deny_unknown_fields)]
#[non_exhaustive]
pub enum Question {
    /// Is there a controller?
    Check {
        /// The specification.
        spec: QuestionSpec,
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
        /// The effect on the trace; else that which the trace names.
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
        /// What the other player does, as a trace.
        #[serde(default)]
        script: Option<String>,
        /// So many random steps, without a script.
        #[serde(default)]
        random: usize,
        /// What random steps follow from.
        #[serde(default)]
        seed: u64,
        /// Limit on counted work.
        #[serde(default)]
        work: Option<u64>,
    },
}

/// A question without an answer.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct QuestionError {
    /// Why.
    pub error: String,
}
