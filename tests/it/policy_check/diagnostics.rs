//! The exact diagnostics about policies: examples in `fixtures/diagnostics` for each code of the check.

use super::input;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use tsl_synth_core::diag::{Code, all_codes};
use tsl_synth_service::{LoggedSession, LoggedSessions, PolicyCheckRequest, Session};
use tsl_synth_testkit::files_below;

/// The codes of what the check of a policy finds.
const CHECK_CODES: Range<u16> = 510..540;

#[test]
fn diagnostics_match_fixtures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics");
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let (mut failures, mut codes) = (String::new(), BTreeSet::new());
    for path in files_below(&folder, &["toml"]) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let code = name.split('-').next().and_then(|code| code.parse().ok());
        if !code.is_some_and(|code: u16| CHECK_CODES.contains(&code)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("fixtures are text");
        let mut session = Session::new();
        let mut request = PolicyCheckRequest::new(input(&name, text));
        // Fixtures named `cut` limit the search; those named `grounded` are compared with a session without any letter.
        if name.contains("cut") {
            request.states = 3;
        }
        let mut held = LoggedSessions::default();
        if name.contains("grounded") {
            held.sessions.push(LoggedSession::default());
            held.unmatched.insert("Write".into(), 2);
            held.unknown.insert("fire".into(), 1);
        }
        let report = session.check_policy_against(&request, &|_| Ok(held.clone()));
        // A policy that cannot be read has no verdict.
        let (verdict, diagnostics) = match report {
            Ok(report) => (report.verdict.name(), report.diagnostics),
            Err(failure) => ("error", failure.diagnostics),
        };
        codes.extend(diagnostics.iter().map(|d| d.code));
        let mut found = format!("{verdict}\n");
        for one in &diagnostics {
            let places: Vec<String> = one
                .labels
                .iter()
                .map(|label| {
                    let (start, _) = session.sources.positions(label.span);
                    format!("{}:{} {}", start.line, start.column, label.text)
                })
                .collect();
            let _ =
                writeln!(found, "{} {:?}: {} [{}]", one.code, one.severity, one.message, places.join("; "));
            for hint in &one.hints {
                let _ = writeln!(found, "  {hint}");
            }
        }
        let path = path.with_extension("expected");
        if update {
            std::fs::write(&path, &found).expect("the expectation can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != found {
            let _ = writeln!(failures, "== {name}\nexpected:\n{expected}\nfound:\n{found}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
    let missing: Vec<Code> = all_codes()
        .map(|(code, _)| code)
        .filter(|code| CHECK_CODES.contains(&code.0) && !codes.contains(code))
        .collect();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
}
