//! The document of `emit --format json`.

use super::{SCHEMA_VERSION, Tool};
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
    /// The files, the main one first.
    pub files: Vec<EmitFile>,
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
            files,
        }
    }
}
