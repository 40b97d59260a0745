//! The document of `emit --format json`.

use super::parts::CheckDiagnostic;
use super::{CheckVerdict, SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::Serialize;

/// The files that were made.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EmitDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The specification: its file, or its files with ", " between them.
    pub spec: String,
    /// The target.
    pub lang: String,
    /// Why there are no files: `UNREALIZABLE` where a controller was asked for, `REALIZABLE` where a counter-strategy
    /// was, `UNKNOWN` for a limit, `ERROR`. Absent if there are files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<CheckVerdict>,
    /// The same in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The files, the main one first; none if nothing was made.
    pub files: Vec<EmitFile>,
    /// The findings about the input if nothing was made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub diagnostics: Vec<CheckDiagnostic>,
}

/// A file that was made.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct EmitFile {
    /// Its path, relative to the folder of the output.
    pub path: String,
    /// Whether it is the one that `-o` names.
    pub main: bool,
    /// Its text.
    pub text: String,
}

impl EmitDocument {
    /// The document with these files.
    pub fn new(tool_version: &str, spec: &str, lang: &str, files: Vec<EmitFile>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            spec: spec.into(),
            lang: lang.into(),
            verdict: None,
            reason: None,
            files,
            diagnostics: Vec::new(),
        }
    }
}
