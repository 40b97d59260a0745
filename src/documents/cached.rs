//! A verdict with its strategy, as `check --cache` keeps it. The strategy is checked again when it is read.

use super::{CheckNotion, CheckVerdict, SCHEMA_VERSION};
use serde::{Deserialize, Serialize};

/// The whole file.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct CachedVerdict {
    /// The version of this format.
    pub schema_version: String,
    /// REALIZABLE or UNREALIZABLE.
    pub verdict: CheckVerdict,
    /// The notion of unrealizability; only for UNREALIZABLE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notion: Option<CheckNotion>,
    /// The strategy: HOA, or AIGER if it is a circuit.
    pub strategy: String,
}

impl CachedVerdict {
    /// The file for a verdict.
    pub fn new(verdict: CheckVerdict, notion: Option<CheckNotion>, strategy: String) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), verdict, notion, strategy }
    }
}
