//! What was found outside of a session when a call was proposed: answers of probes, and totals of other sessions.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The maximal number of bytes that a probe may print.
pub const PROBE_OUTPUT: usize = 64 << 10;

/// The answer of a probe.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum ProbeAnswer {
    /// The command of the probe ended.
    Ended {
        /// Its exit code.
        exit: i32,
        /// What it printed, without line breaks at the end.
        text: String,
    },
    /// There is no answer, with the reason.
    Failed(String),
}

impl ProbeAnswer {
    /// The answer of a command that ended with this exit code and printed these bytes.
    pub fn ended(exit: i32, printed: &[u8]) -> Self {
        if printed.len() > PROBE_OUTPUT {
            return Self::Failed(format!("it printed more than {} KiB", PROBE_OUTPUT >> 10));
        }
        match std::str::from_utf8(printed) {
            Ok(text) => Self::Ended { exit, text: text.trim_end_matches(['\n', '\r']).to_owned() },
            Err(_) => Self::Failed("it printed no UTF-8 text".into()),
        }
    }
}

/// What was found outside of a session for a proposed call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OutsideFacts {
    /// The answers of the probes that tables ask about the call, by the names of the probes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub probes: BTreeMap<String, ProbeAnswer>,
    /// What other sessions have counted, by the names of the registers, as decimal numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub totals: BTreeMap<String, String>,
}

impl OutsideFacts {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.probes.is_empty() && self.totals.is_empty()
    }
    /// The answers of probes as a JSON document of the names: `{"branch": {"exit": 0, "text": "main", "lines": ["main"]}}`.
    /// Without an answer there is no value, and a command that failed has no text.
    pub fn probe_document(&self) -> String {
        let value = |answer: &ProbeAnswer| match answer {
            ProbeAnswer::Ended { exit: 0, text } => {
                let lines: Vec<&str> = text.lines().collect();
                serde_json::json!({ "exit": 0, "text": text, "lines": lines })
            }
            ProbeAnswer::Ended { exit, .. } => serde_json::json!({ "exit": exit }),
            ProbeAnswer::Failed(_) => serde_json::json!({}),
        };
        let all = self.probes.iter().map(|(name, answer)| (name.clone(), value(answer)));
        serde_json::Value::Object(all.collect()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_texts_and_exit_codes() {
        assert_eq!(ProbeAnswer::ended(0, b"main\r\n\n"), ProbeAnswer::Ended { exit: 0, text: "main".into() });
        assert!(matches!(ProbeAnswer::ended(0, b"\xff"), ProbeAnswer::Failed(_)));
        assert!(matches!(ProbeAnswer::ended(0, &vec![b'a'; PROBE_OUTPUT + 1]), ProbeAnswer::Failed(_)));
        let probes = [
            ("a".to_owned(), ProbeAnswer::ended(0, b"x\ny\n")),
            ("b".to_owned(), ProbeAnswer::ended(1, b"error")),
            ("c".to_owned(), ProbeAnswer::Failed("late".into())),
        ];
        let facts = OutsideFacts { probes: probes.into(), totals: BTreeMap::new() };
        let document = facts.probe_document();
        assert_eq!(document, r#"{"a":{"exit":0,"lines":["x","y"],"text":"x\ny"},"b":{"exit":1},"c":{}}"#);
        let text = serde_json::to_string(&facts).expect("JSON");
        assert_eq!(serde_json::from_str::<OutsideFacts>(&text).expect("facts"), facts);
    }
}
