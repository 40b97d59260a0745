//! Limits on outcomes with calls side by side: another call is permitted as long as all open ones may succeed.

use std::sync::Arc;
use tsl_synth_core::base::Random;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};

/// Random sessions; a call is permitted exactly if the limit is kept even if all open calls succeed.
fn check(rule: &str, most: usize, customers: usize) {
    let text = format!(
        "policy = 1\nunmatched = \"allow\"\ntools = [\"pay\", \"look\"]\n[rules]\nlimit = \"{rule}\"\n"
    );
    let policy = Policy::from_text("p.toml", &text).unwrap_or_else(|error| panic!("{error}"));
    let mut found = [0; 2];
    for seed in 0..20 {
        let gate = Gate::new(&policy, "s", Arc::new(MemoryStore::new(|| None))).expect("a gate");
        let mut random = Random::new(seed);
        let (mut done, mut open) = (vec![0; customers], Vec::<(usize, String)>::new());
        for step in 0..30 {
            if random.below(3) == 0 && !open.is_empty() {
                let (customer, ticket) = open.swap_remove(random.below(open.len()));
                let ok = random.below(3) > 0;
                gate.commit(&ticket, Some(ok), None).expect("heard");
                done[customer] += usize::from(ok);
                continue;
            }
            let customer = random.below(customers);
            let arguments = format!("{{\"customer\": \"c{customer}\"}}");
            let decision = gate.propose("pay", &arguments).expect("a decision");
            let pending = open.iter().filter(|(own, _)| *own == customer).count();
            let is_permitted = done[customer] + pending < most;
            assert_eq!(
                decision.verdict == Ruling::Allow,
                is_permitted,
                "{rule}: seed {seed}, step {step}: {done:?} {open:?}: {}",
                decision.reason
            );
            found[usize::from(is_permitted)] += 1;
            open.extend(decision.ticket.filter(|_| is_permitted).map(|ticket| (customer, ticket)));
        }
    }
    assert!(found.iter().all(|&count| count > 10), "{rule}: {found:?}");
}

#[test]
fn as_many_calls_are_permitted_as_may_succeed() {
    for most in [1, 2, 3, 5, 7] {
        check(&format!("at most {most} pay.ok"), most, 1);
        check(&format!("at most {most} pay.ok per 1h"), most, 1);
        check(&format!("at most {most} pay.ok since look.ok"), most, 1);
        check(&format!("at most {most} (pay.ok | pay.failed & look.ok)"), most, 1);
    }
}

#[test]
fn each_value_has_open_calls_of_its_own() {
    for most in [1, 2, 4] {
        check(&format!("at most {most} pay.ok for each customer"), most, 3);
    }
}
