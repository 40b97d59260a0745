//! Laws that do not deny take no action away from the agent: `ask`, `warn` and `log` in what `check` says.

use super::checked;
use tsl_synth_policy::analysis::LawFinding;
use tsl_synth_service::{PolicyCheckReport, PolicyVerdict};

const ANSWERS: [&str; 4] = ["deny", "ask", "warn", "log"];

/// The answers to a violation of `y` for which something is so.
fn answers(text: &str, is_so: impl Fn(&PolicyCheckReport) -> bool) -> Vec<&'static str> {
    let with = |answer: &str| checked("a.toml", &text.replace("ANSWER", answer));
    ANSWERS.into_iter().filter(|answer| is_so(&with(answer))).collect()
}

#[test]
fn only_laws_that_deny_leave_no_choice() {
    let head =
        "policy = 1\nidle = false\n[propositions]\np = {}\n[actions]\ngroups = [[\"a\", \"b\"]]\n[rules]\n";
    for timing in ["next", "same"] {
        // Both laws together, in pairs, and the law alone.
        for laws in [
            "x = \"never a\"\ny = { rule = \"never b\", on_violation = \"ANSWER\" }\n",
            "x = { ltl = \"G (p -> !a)\" }\ny = { ltl = \"G !b\", on_violation = \"ANSWER\" }\n",
            "y = { ltl = \"G (!a & !b)\", on_violation = \"ANSWER\" }\nx = \"at most 3 a\"\n",
        ] {
            let text = format!("{}{laws}", head.replace("idle", &format!("timing = \"{timing}\"\nidle")));
            let stuck = |report: &PolicyCheckReport| report.verdict == PolicyVerdict::OverConstrained;
            assert_eq!(answers(&text, stuck), ["deny"], "{text}");
        }
    }
}

#[test]
fn only_laws_that_deny_are_lost_to_the_world() {
    let text = "policy = 1\n[actions]\ngroups = [[\"a\", \"b\"]]\n[rules]\nx = \"a then b immediately\"\n\
                y = { rule = \"never b\", on_violation = \"ANSWER\" }\n";
    assert_eq!(answers(text, |report| !report.ahead.traps.is_empty()), ["deny"]);
    let text = "policy = 1\n[propositions]\np = {}\n[actions]\ngroups = [[\"a\"]]\n[rules]\n\
                x = { ltl = \"G (p -> X[!] F a)\" }\ny = { ltl = \"G p\", on_violation = \"ANSWER\" }\n";
    assert_eq!(answers(text, |report| report.verdict == PolicyVerdict::Unrealizable), ["deny"]);
}

#[test]
fn a_law_is_implied_by_one_that_is_as_strict() {
    for own in ANSWERS {
        // Every call of `a` violates `y`; `x` says less.
        let text = format!(
            "policy = 1\n[actions]\ngroups = [[\"a\", \"b\"]]\n[rules]\n\
             x = {{ rule = \"a requires b before\", on_violation = \"{own}\" }}\ny = {{ rule = \"never a\", on_violation = \"ANSWER\" }}\n"
        );
        let implied = |report: &PolicyCheckReport| {
            report.law_findings.iter().any(|(_, finding)| matches!(finding, LawFinding::ImpliedBy(_)))
        };
        let at_most = ANSWERS.iter().position(|answer| *answer == own).expect("an answer");
        assert_eq!(answers(&text, implied), ANSWERS[..=at_most], "{text}");
        // The milder of two laws with the same words adds nothing.
        let same = text.replace("a requires b before", "never a");
        let says = |report: &PolicyCheckReport| -> bool { report.law_findings.len() == 1 };
        assert_eq!(answers(&same, says), ANSWERS, "{same}");
    }
}
