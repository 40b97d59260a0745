//! `verify`: a play that may not be one of TSL is reported as undecided, not as a violation.

use tsl_synth_documents::{VerifyDocument, VerifyVerdict};
use tsl_synth_service::{
    Input, MachineVerdict, Session, SpecLanguage, SpecRequest, VerifyAnswer, VerifyReport, VerifyRequest,
};

/// A machine with one state that always makes these updates.
fn constant(names: &[&str], updates: &[usize]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let label: Vec<String> = (0..names.len())
        .filter(|i| names[*i].starts_with('['))
        .map(|i| format!("{}{i}", if updates.contains(&i) { "" } else { "!" }))
        .collect();
    let label = label.join("&");
    format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: {} {}\nacc-name: all\nAcceptance: 0 t\n--BODY--\nState: 0\n[{label}] 0\n--END--\n",
        names.len(),
        quoted.join(" ")
    )
}

fn verified(spec: &str, machine: String, refinements: u32) -> (VerifyReport, VerifyDocument) {
    let spec = SpecRequest::text(SpecLanguage::Tsl, "s.tsl", spec);
    let machine = Input::Text { name: "m.hoa".into(), text: machine };
    let mut request = VerifyRequest::new(spec, machine);
    request.solver.refinement_rounds = refinements;
    let mut session = Session::new();
    let report = session.verify(&request).expect("a report");
    let document = report.document(&session.sources);
    (report, document)
}

fn is_undecided(report: &VerifyReport) -> bool {
    let VerifyAnswer::Judged { found, .. } = &report.answer else { return false };
    matches!(found.judgment, MachineVerdict::Undecided { .. })
}

#[test]
fn a_play_that_may_be_none_of_tsl_is_no_violation() {
    let spec = "cell x: A = c(); always assume { p c(); } always guarantee { p x || [x <- f x]; }";
    let names = ["p(x)", "p(c())", "[x <- f(x)]", "[x <- x]"];
    let keep = constant(&names, &[3]);
    let (report, _) = verified(spec, keep.clone(), 64);
    assert_eq!(report.verdict(), VerifyVerdict::Holds, "{:?}", report.answer);
    // Without refinement it is not known whether the values of `p(x)` and `p(c())` in the play are consistent.
    let (report, document) = verified(spec, keep, 0);
    assert_eq!(report.verdict(), VerifyVerdict::Unknown, "{:?}", report.answer);
    assert!(is_undecided(&report));
    let reason = document.reason.expect("a reason");
    assert!(
        reason.contains("after 0 rounds of refinement") && reason.contains("was not decided"),
        "{reason}"
    );
}

#[test]
fn values_without_end_are_a_limit() {
    let spec = "cell n: A = zero(); always guarantee { !stop; p n -> [n <- inc n]; q -> [n <- zero()]; }";
    let names = ["stop", "q", "p(n)", "[n <- inc(n)]", "[n <- zero()]", "[n <- n]"];
    let (report, document) = verified(spec, constant(&names, &[3]), 64);
    assert_eq!(report.verdict(), VerifyVerdict::Unknown, "{:?}", report.answer);
    assert!(is_undecided(&report));
    assert!(document.trace.is_some() && document.notion.is_none());
}
