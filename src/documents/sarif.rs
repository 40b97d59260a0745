//! SARIF 2.1.0, as far as findings about specifications need it.
//!
//! OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; section numbers below.

use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use tsl_synth_core::diag::{Code, Diagnostic, Severity, explanation};
use tsl_synth_core::source::{SourceMap, Span};

/// A SARIF log (3.13).
#[derive(Clone, Debug, Serialize)]
pub struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<SarifRun>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    tool: SarifTool,
    /// Columns count Unicode code points, as everywhere in this tool (3.14.17).
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Clone, Debug, Serialize)]
struct SarifTool {
    driver: SarifDriver,
}

#[derive(Clone, Debug, Serialize)]
struct SarifDriver {
    name: &'static str,
    version: String,
    rules: Vec<SarifRule>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: String,
    short_description: SarifText,
}

#[derive(Clone, Debug, Serialize)]
struct SarifText {
    text: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: SarifText,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<SarifText>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: SarifRegion,
}

#[derive(Clone, Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
    byte_offset: u32,
    byte_length: u32,
}

impl SarifLog {
    /// A log with one run and these findings, each with the map of its places.
    pub fn new<'a>(
        tool_version: &str,
        findings: impl IntoIterator<Item = (&'a SourceMap, &'a Diagnostic)>,
    ) -> Self {
        let findings: Vec<_> = findings.into_iter().collect();
        let codes: BTreeSet<Code> = findings.iter().map(|(_, d)| d.code).collect();
        let codes: Vec<Code> = codes.into_iter().collect();
        let results = findings
            .iter()
            .map(|(map, diagnostic)| {
                result(map, diagnostic, codes.iter().position(|&c| c == diagnostic.code))
            })
            .collect();
        let rules = codes
            .iter()
            .map(|&code| SarifRule {
                id: code.to_string(),
                short_description: SarifText { text: explanation(code).unwrap_or_default().into() },
            })
            .collect();
        let driver = SarifDriver { name: "tsl-synth", version: tool_version.into(), rules };
        Self {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: vec![SarifRun { tool: SarifTool { driver }, column_kind: "unicodeCodePoints", results }],
        }
    }
}

fn result(map: &SourceMap, diagnostic: &Diagnostic, rule: Option<usize>) -> SarifResult {
    let mut text = diagnostic.message.clone();
    for hint in &diagnostic.hints {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    let mut places = diagnostic
        .labels
        .iter()
        .map(|label| location(map, label.span, (!label.text.is_empty()).then_some(&label.text)));
    SarifResult {
        rule_id: diagnostic.code.to_string(),
        rule_index: rule.unwrap_or(0),
        level: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: SarifText { text },
        locations: places.next().into_iter().collect(),
        related_locations: places.collect(),
    }
}

fn location(map: &SourceMap, span: Span, message: Option<&String>) -> Location {
    let (start, end) = map.positions(span);
    Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri: uri(&map.get(span.source).name) },
            region: SarifRegion {
                start_line: start.line,
                start_column: start.column,
                end_line: end.line,
                end_column: end.column,
                byte_offset: span.start,
                byte_length: span.end - span.start,
            },
        },
        message: message.map(|text| SarifText { text: text.clone() }),
    }
}

/// A path as a URI reference: bytes that RFC 3986 does not allow in a path are percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            b'\\' => uri.push('/'),
            _ => write!(uri, "%{byte:02X}").expect("writing to a string"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_fields_are_there() {
        let mut map = SourceMap::new();
        let source = map.add("a b/ü.tsl", "x\nyy");
        let diagnostic = Diagnostic::warning(Code::SYNTAX, "bad")
            .at(Span::new(source, 2, 4), "here")
            .at(Span::new(source, 0, 1), "and here");
        let log = serde_json::to_value(SarifLog::new("1.2.3", [(&map, &diagnostic)])).expect("plain data");
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["name"], "tsl-synth");
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "TSL0001");
        let result = &run["results"][0];
        assert_eq!((&result["ruleId"], &result["level"]), (&"TSL0001".into(), &"warning".into()));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/%C3%BC.tsl");
        assert_eq!((&place["region"]["startLine"], &place["region"]["endColumn"]), (&2.into(), &3.into()));
        assert_eq!(result["relatedLocations"][0]["message"]["text"], "and here");
    }
}
