//! Results as JUnit XML, as build servers read it: one suite, a case for each specification.

use super::CheckedSpec;
use crate::check::args::CheckArgs;
use crate::xml::{attribute, content};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::CheckVerdict;

pub(super) fn document(answers: &[CheckedSpec], args: &CheckArgs) -> String {
    let cases: Vec<TestCase> = answers.iter().map(|answer| TestCase::of(answer, args)).collect();
    let count = |tag: &str| cases.iter().filter(|case| case.tag == Some(tag)).count();
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let counts = format!(
        "name=\"tsl-synth check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\"",
        cases.len(),
        count(FAILURE),
        count(ERROR),
        count(SKIPPED),
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite {counts}>\n"
    );
    for case in &cases {
        case.write(&mut text);
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

const FAILURE: &str = "failure";
const ERROR: &str = "error";
const SKIPPED: &str = "skipped";

/// A test case.
struct TestCase {
    name: String,
    class: String,
    seconds: f64,
    /// The XML element for a case that did not pass; `kind`, `message` and `body` are its contents.
    tag: Option<&'static str>,
    kind: String,
    message: String,
    body: String,
}

impl TestCase {
    fn of(answer: &CheckedSpec, args: &CheckArgs) -> Self {
        let verdict = answer.verdict();
        let denied = answer.denied(&args.deny);
        let tag = match verdict {
            _ if answer.known => Some(SKIPPED),
            CheckVerdict::Error => Some(ERROR),
            CheckVerdict::Unrealizable => Some(FAILURE),
            _ if !denied.is_empty() => Some(FAILURE),
            CheckVerdict::Unknown => Some(ERROR),
            CheckVerdict::Realizable => None,
        };
        let codes: Vec<String> = denied.iter().map(ToString::to_string).collect();
        let kind = match verdict {
            CheckVerdict::Realizable => codes.join(", "),
            verdict => verdict.to_string(),
        };
        let result = answer.result(false);
        let reason = match &answer.answer {
            Err(failure) => failure.to_string(),
            Ok(_) => result.reason.unwrap_or_default(),
        };
        let message = match (answer.known, verdict) {
            (true, _) => format!("known failure: {kind}"),
            (false, CheckVerdict::Realizable) => format!("denied findings: {kind}"),
            (false, _) if reason.is_empty() => kind.clone(),
            (false, _) => reason,
        };
        let mut body = answer.text(args);
        for diagnostic in answer.diagnostics().filter(|d| d.severity >= Severity::Warning) {
            let place = diagnostic.labels.first().map_or(String::new(), |label| {
                let start = answer.sources.positions(label.span).0;
                let file = &answer.sources.get(label.span.source).name;
                format!("{file}:{}:{}: ", start.line, start.column)
            });
            let _ = writeln!(body, "{place}{diagnostic}");
        }
        let folder = Path::new(&answer.name).parent().map(Path::to_string_lossy).unwrap_or_default();
        let class = if folder.is_empty() { "tsl-synth".into() } else { folder.replace(['/', '\\'], ".") };
        Self { name: answer.name.clone(), class, seconds: result.seconds, tag, kind, message, body }
    }

    fn write(&self, text: &mut String) {
        let Self { name, class, seconds, kind, message, body, .. } = self;
        let _ = write!(
            text,
            "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" time=\"{seconds:.3}\"",
            attribute(name),
            attribute(class),
            attribute(name),
        );
        match self.tag {
            None => text.push_str("/>\n"),
            Some(SKIPPED) => {
                let _ =
                    write!(text, ">\n      <skipped message=\"{}\"/>\n    </testcase>\n", attribute(message));
            }
            Some(tag) => {
                let _ = write!(
                    text,
                    ">\n      <{tag} type=\"{}\" message=\"{}\">{}</{tag}>\n    </testcase>\n",
                    attribute(kind),
                    attribute(message),
                    content(body),
                );
            }
        }
    }
}
