//! `over = "sessions"`: what is counted over all sessions of a store.

use crate::clock::{now, wait};
use std::sync::Arc;
use tsl_synth_gate::{Decision, Gate, GateJournal, MemoryStore, Policy, Ruling, Store};

const DAY: i64 = 86_400_000;

const MONEY: &str = r#"
policy = 1
name = "money"

[[count]]
name = "over_500"
sum = "/arguments/eur"
on = "pay"
returned_on = "pay.failed"
above = 500
window = "1d"
over = "sessions"

[[match]]
on = "call"
tool = "pay"
action = "pay"

[[match]]
on = "call"
tool = "look"
action = "look"

[rules]
cap = { ltl = "G (pay -> !over_500)", why = "At most 500 a day." }
"#;

const CALLS: &str = r#"
policy = 1
unmatched = "allow"

[[match]]
on = "call"
tool = "deploy"
action = "deploy"

[rules]
few = "at most 3 deploy per 1d over sessions"
"#;

fn store() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(|| Some(now())))
}

fn policy(text: &str) -> Policy {
    Policy::from_text("totals.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn gate(policy: &Policy, session: &str, store: &Arc<MemoryStore>) -> Gate {
    Gate::new(policy, session, store.clone()).expect("a gate")
}

fn pay(gate: &Gate, eur: i64) -> Decision {
    gate.propose("pay", &format!(r#"{{"eur": {eur}}}"#)).expect("a decision")
}

fn is_allowed(decision: &Decision) -> bool {
    decision.verdict == Ruling::Allow
}

#[test]
fn amounts_of_other_sessions_count_for_a_day() {
    let (policy, store) = (policy(MONEY), store());
    let [a, b, c] = ["a", "b", "c"].map(|name| gate(&policy, name, &store));
    assert!(is_allowed(&pay(&a, 300)));
    let second = pay(&b, 201);
    assert!(!is_allowed(&second) && second.by == ["cap"], "{second:?}");
    let granted = pay(&b, 200);
    assert!(is_allowed(&granted));
    assert!(!is_allowed(&pay(&a, 1)) && !is_allowed(&pay(&c, 1)));
    // Other calls are allowed all the same, and what failed is given back.
    assert!(is_allowed(&a.propose("look", "{}").expect("a decision")));
    b.commit(&granted.ticket.expect("a ticket"), Some(false), None).expect("heard");
    assert!(!is_allowed(&pay(&c, 201)));
    wait(DAY / 2);
    assert!(is_allowed(&pay(&c, 200)));
    wait(DAY / 2);
    // The 300 have left the window, the 200 have not.
    assert!(!is_allowed(&pay(&a, 301)));
    assert!(is_allowed(&pay(&a, 300)));
}

#[test]
fn calls_of_many_sessions_are_counted_exactly() {
    let (policy, store) = (policy(CALLS), store());
    let mut granted = 0;
    for round in 0..4 {
        for session in 0..100 {
            let gate = gate(&policy, &format!("s{session}"), &store);
            granted += usize::from(is_allowed(&gate.propose("deploy", "{}").expect("a decision")));
            let other = gate.propose("look", "{}").expect("a decision");
            assert!(is_allowed(&other), "{round} {}", other.reason);
        }
    }
    assert_eq!(granted, 3);
    wait(DAY);
    let gate = gate(&policy, "s1", &store);
    assert!(is_allowed(&gate.propose("deploy", "{}").expect("a decision")));
}

/// A later process reads what others had counted from the journals, whatever the present total is.
#[test]
fn the_journal_has_the_totals() {
    let (policy, store) = (policy(MONEY), store());
    pay(&gate(&policy, "a", &store), 300);
    pay(&gate(&policy, "b", &store), 100);
    let mut journal: Box<dyn GateJournal + Send> = store.journals();
    let records = journal.lock("b", 0).expect("records");
    journal.unlock();
    let told = r#""outside":{"totals":{"over_500":"300"}}"#;
    assert!(records.iter().any(|record| record.data.contains(told)), "{records:?}");
    // In each session the later process goes on where the earlier one was.
    assert!(!is_allowed(&pay(&gate(&policy, "b", &store), 101)));
    assert!(is_allowed(&pay(&gate(&policy, "b", &store), 100)));
    assert!(!is_allowed(&pay(&gate(&policy, "a", &store), 1)));
}

#[test]
fn what_removed_sessions_have_counted_stays() {
    let (policy, store) = (policy(MONEY), store());
    let first = gate(&policy, "a", &store);
    assert!(is_allowed(&pay(&first, 300)));
    first.close_and_remove().expect("closed");
    for _ in 0..2 {
        let again = gate(&policy, "a", &store);
        assert!(!is_allowed(&pay(&again, 201)));
        assert!(is_allowed(&pay(&again, 50)));
        again.close_and_remove().expect("closed");
    }
    assert!(!is_allowed(&pay(&gate(&policy, "b", &store), 101)));
    assert!(is_allowed(&pay(&gate(&policy, "b", &store), 100)));
    wait(DAY);
    assert!(is_allowed(&pay(&gate(&policy, "a", &store), 500 - 100)));
}

#[test]
fn threads_in_sessions_of_their_own_share_the_total() {
    let text = MONEY.replace("window = \"1d\"\n", "");
    let (policy, store) = (policy(&text), Arc::new(MemoryStore::new(|| None)));
    let granted: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let (policy, store) = (&policy, &store);
                scope.spawn(move || {
                    let gate = gate(policy, &format!("s{number}"), store);
                    (0..100).filter(|_| is_allowed(&pay(&gate, 1))).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).sum()
    });
    assert_eq!(granted, 500);
}

#[test]
fn counts_over_sessions_are_read_strictly() {
    for (from, to, says) in [
        ("over = \"sessions\"", "over = \"all\"", "`over` is one of"),
        (
            "over = \"sessions\"",
            "over = \"sessions\"\nreset_on = \"look\"",
            "without `distinct` and `reset_on`",
        ),
    ] {
        let error =
            Policy::from_text("totals.toml", &MONEY.replace(from, to)).expect_err("an error").to_string();
        assert!(error.contains(says), "{error}");
    }
    for wrong in ["over session", "over", "over days"] {
        let text = CALLS.replace("over sessions", wrong);
        let error = Policy::from_text("totals.toml", &text).expect_err("an error").to_string();
        assert!(error.contains("expected `sessions`"), "{error}");
    }
}
