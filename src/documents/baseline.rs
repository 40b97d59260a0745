//! The baseline of accepted failures: what `check --baseline` reads and `--write-baseline` writes.

use super::{CheckVerdict, SCHEMA_VERSION};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The whole file.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct BaselineDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The known failures, by specification.
    pub known: Vec<BaselineEntry>,
}

/// The known failures of one specification.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineEntry {
    /// The specification: its file, or its files with ", " between them, relative to the folder of the baseline.
    pub spec: String,
    /// The verdict, UNREALIZABLE or UNKNOWN; absent if only findings fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<CheckVerdict>,
    /// The codes of findings that `--deny` refuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
}

impl BaselineDocument {
    /// The file with these entries.
    pub fn new(known: Vec<BaselineEntry>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), known }
    }
}
