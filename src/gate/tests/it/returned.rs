//! `returned_on`: sums that take back what did not come about.

use std::sync::Arc;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};

const POLICY: &str = r#"
policy = 1
unmatched = "allow"

[[match]]
on = "call"
tool = "pay"
action = "pay"

[[match]]
on = "call"
tool = "tip"
action = "tip"

[[count]]
name = "over_500"
sum = "/arguments/eur"
on = ["pay", "tip"]
returned_on = "pay.failed"
above = 500

[[law]]
id = "cap"
rule = "never over_500"
why = "At most 500 in all."
"#;

/// Plays a session: `300` pays, `t300` tips, `?` behind it leaves the result open and `#ID` names the call; `!` fails, `u` has an
/// unknown outcome; `x` before it is to be denied; `!ID` fails the call later.
fn play(session: &str) {
    let policy = Policy::from_text("returned.toml", POLICY).unwrap_or_else(|error| panic!("{error}"));
    let store = Arc::new(MemoryStore::new(|| None));
    let open = || Gate::new(&policy, "s", store.clone()).expect("a gate");
    let mut gate = open();
    let mut tickets = std::collections::BTreeMap::new();
    for word in session.split(' ') {
        if word == "restart" {
            gate = open();
            continue;
        }
        if let Some(id) = word.strip_prefix('!') {
            let ticket: String = tickets.remove(id).expect("a ticket");
            gate.commit(&ticket, Some(false), None).expect("heard");
            continue;
        }
        let (is_denied, rest) = word.strip_prefix('x').map_or((false, word), |rest| (true, rest));
        let (tool, rest) = rest.strip_prefix('t').map_or(("pay", rest), |rest| ("tip", rest));
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, end) = rest.split_at(digits);
        let decision = gate.propose(tool, &format!("{{\"eur\": {amount}}}")).expect("a decision");
        assert_eq!(decision.verdict == Ruling::Deny, is_denied, "{word} of {session}: {}", decision.reason);
        let Some(ticket) = decision.ticket else { continue };
        match end {
            "" => drop(gate.commit(&ticket, Some(true), None).expect("heard")),
            "!" => drop(gate.commit(&ticket, Some(false), None).expect("heard")),
            "u" => drop(gate.commit(&ticket, None, None).expect("heard")),
            id => drop(tickets.insert(id.trim_start_matches('?').to_owned(), ticket)),
        }
    }
}

#[test]
fn failed_payments_are_taken_back() {
    for session in [
        "300! 300 200 x1",
        "500! 500! 500 x0.01",
        "300 x300 200",
        "300?a x300 !a 300 200",
        "300?a 200?b x1 !b 200 x1",
        "300u x300 200",
        "300! x501 500",
        "300! restart 500 x1",
        "300 restart x300 200",
        "t300! x300 200",
        "t300 200! 200 x1",
        "0.1! 0.2! 500 x0.01",
        "250?a 250?b x1 !a !b 500 x1",
    ] {
        play(session);
    }
}

#[test]
fn what_cannot_be_taken_back_is_an_error() {
    for (from, to) in [
        ("sum = \"/arguments/eur\"", "sum = \"/result/eur\""),
        ("sum = \"/arguments/eur\"", "count = true"),
        ("pay.failed", "pay.fail"),
        ("returned_on", "return_on"),
    ] {
        assert!(Policy::from_text("returned.toml", &POLICY.replace(from, to)).is_err(), "{to}");
    }
}
