//! Limits for each value, such as two credits for each customer and day, against a list of all calls that were granted.

use crate::clock::{now, wait};
use std::sync::Arc;
use tsl_synth_core::base::Random;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn whole(number: usize) -> i64 {
    i64::try_from(number).expect("a small number")
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Calls,
    Amounts,
    Products,
}

/// A policy and what it says.
#[expect(clippy::struct_excessive_bools, reason = "each is a part of the rule")]
struct Limit {
    text: String,
    counted: Counted,
    most: i64,
    window: Option<i64>,
    over_sessions: bool,
    /// Whether failed calls are taken back.
    returns: bool,
    /// Whether closing the account of a customer counts anew.
    resets: bool,
    /// Whether calls count when they have succeeded.
    on_ok: bool,
}

const TOOLS: &str = "policy = 1\nname = \"limits\"\nunmatched = \"allow\"\ntools = [\"credit\", \"close\"]\n";

impl Limit {
    fn rule(rule: &str, counted: Counted, most: i64, window: Option<i64>) -> Self {
        let text = format!("{TOOLS}\n[rules]\nlimit = {{ rule = \"{rule}\", for_each = \"customer\" }}\n");
        let over_sessions = rule.ends_with("over sessions");
        let (on_ok, resets) = (rule.contains("credit.ok"), rule.contains("since close"));
        Self { text, counted, most, window, over_sessions, returns: false, resets, on_ok }
    }
    fn sum(most: i64, window: Option<i64>, more: &str) -> Self {
        let (returns, resets) = (more.contains("returned_on"), more.contains("reset_on"));
        let (on_ok, over_sessions) = (more.contains("\"credit.ok\"\nabove"), more.contains("over ="));
        let on = if on_ok { "" } else { "on = \"credit\"\n" };
        let time = if window.is_some() { "window = \"1d\"\n" } else { "" };
        let text = format!(
            "{TOOLS}\n[[count]]\nname = \"much\"\nsum = \"/arguments/eur\"\nfor_each = \"customer\"\n{on}{more}\n\
             above = {most}\n{time}\n[[law]]\nid = \"limit\"\nfor_each = [\"customer\"]\nltl = \"G !much\"\n"
        );
        Self { text, counted: Counted::Amounts, most, window, over_sessions, returns, resets, on_ok }
    }
}

/// A call that was granted.
#[derive(Clone, Debug)]
struct Granted {
    session: usize,
    customer: Option<u64>,
    eur: i64,
    product: u64,
    time: i64,
    counts: bool,
}

const CUSTOMERS: u64 = 4;

/// All calls so far, the slow and obvious way.
struct Reference<'l> {
    limit: &'l Limit,
    granted: Vec<Granted>,
}

impl Reference<'_> {
    /// What a session has counted for a customer.
    fn number(&self, session: usize, customer: u64) -> i64 {
        let is_own = |one: &&Granted| {
            one.session == session
                && one.counts
                && one.customer.is_none_or(|own| own == customer)
                && self.limit.window.is_none_or(|window| now() - one.time < window)
        };
        let own = self.granted.iter().filter(is_own);
        match self.limit.counted {
            Counted::Calls => whole(own.count()),
            Counted::Amounts => own.map(|one| one.eur).sum(),
            Counted::Products => {
                let mut products: Vec<u64> = own.map(|one| one.product).collect();
                products.sort_unstable();
                products.dedup();
                whole(products.len())
            }
        }
    }
    /// The number after a call, for the customer for whom it is the largest.
    fn after(&self, call: &Granted) -> i64 {
        let others: Vec<usize> = if self.limit.over_sessions {
            (0..SESSIONS).filter(|&s| s != call.session).collect()
        } else {
            Vec::new()
        };
        let of_others = |customer: Option<u64>| -> i64 {
            let largest = |&session: &usize| match customer {
                Some(customer) => self.number(session, customer),
                None => (0..=CUSTOMERS).map(|own| self.number(session, own)).max().unwrap_or(0),
            };
            others.iter().map(largest).sum()
        };
        let mut with = Reference { limit: self.limit, granted: self.granted.clone() };
        with.granted.push(Granted { counts: true, ..call.clone() });
        let own = match call.customer {
            Some(customer) => Some(with.number(call.session, customer)),
            None => (0..=CUSTOMERS).map(|customer| with.number(call.session, customer)).max(),
        };
        own.unwrap_or(0) + of_others(call.customer)
    }
}

const SESSIONS: usize = 3;

/// Plays random sessions; returns how many calls were granted and denied.
fn play(limit: &Limit, seed: u64) -> [usize; 2] {
    let policy = Policy::from_text("limits.toml", &limit.text).unwrap_or_else(|error| panic!("{error}"));
    let store = Arc::new(MemoryStore::new(|| Some(now())));
    let open = |session: usize| Gate::new(&policy, &format!("s{session}"), store.clone()).expect("a gate");
    let mut gates: Vec<Gate> = (0..SESSIONS).map(open).collect();
    let mut random = Random::new(seed);
    let mut reference = Reference { limit, granted: Vec::new() };
    let mut pending: Vec<(usize, String)> = Vec::new();
    let mut found = [0; 2];
    for step in 0..60 {
        let session = random.below(SESSIONS);
        match random.below(12) {
            0 => gates[session] = open(session),
            1 => {
                wait(HOUR * whole(random.below(14)));
            }
            2 if limit.resets => {
                let customer = random.below(CUSTOMERS as usize) as u64;
                let closing = gates[session].propose("close", &format!("{{\"customer\": \"c{customer}\"}}"));
                let ticket = closing.expect("a decision").ticket.expect("a ticket");
                gates[session].commit(&ticket, Some(true), None).expect("heard");
                let is_own = |one: &Granted| one.session == session && one.customer == Some(customer);
                reference.granted.retain(|one| !is_own(one));
            }
            3 if !pending.is_empty() => {
                let (at, ticket) = pending.remove(random.below(pending.len()));
                let ok = random.below(2) == 0;
                gates[reference.granted[at].session].commit(&ticket, Some(ok), None).expect("heard");
                let own = &mut reference.granted[at];
                if limit.on_ok {
                    own.counts = ok;
                } else if limit.returns && !ok && own.customer.is_some() {
                    // What was counted for all customers stays so.
                    own.counts = false;
                }
            }
            _ => {
                let customer = random.below(CUSTOMERS as usize + 1) as u64;
                // A call without a customer counts for all of them, so there are few.
                let customer =
                    (customer < CUSTOMERS || random.below(6) > 0).then_some(customer.min(CUSTOMERS - 1));
                let (eur, product) = (whole(random.below(60)), random.below(5) as u64);
                let call = Granted { session, customer, eur, product, time: now(), counts: !limit.on_ok };
                let mut arguments = serde_json::json!({ "eur": eur, "product": format!("p{product}") });
                if let Some(customer) = customer {
                    arguments["customer"] = format!("c{customer}").into();
                }
                let decision = gates[session].propose("credit", &arguments.to_string()).expect("a decision");
                let is_denied = decision.verdict == Ruling::Deny;
                if !limit.on_ok {
                    let after = reference.after(&call);
                    assert_eq!(
                        is_denied,
                        after > limit.most,
                        "{}seed {seed}, step {step}: {call:?} makes {after}: {}\n{:?}",
                        limit.text,
                        decision.reason,
                        reference.granted
                    );
                }
                found[usize::from(is_denied)] += 1;
                if let Some(ticket) = decision.ticket.filter(|_| !is_denied) {
                    if limit.returns || limit.on_ok {
                        pending.push((reference.granted.len(), ticket));
                    }
                    reference.granted.push(call);
                }
            }
        }
    }
    found
}

/// Closing an account takes calls of the reference away, so that the places of pending calls would change.
fn check(limit: &Limit) {
    assert!(!(limit.resets && (limit.returns || limit.on_ok)));
    let mut all = [0; 2];
    for seed in 0..40 {
        let [granted, denied] = play(limit, seed);
        all = [all[0] + granted, all[1] + denied];
    }
    assert!(all[0] > 200 && all[1] > 30, "{}{all:?}", limit.text);
}

#[test]
fn calls_are_counted_for_each_value() {
    for limit in [
        Limit::rule("at most 2 credit per 1d", Counted::Calls, 2, Some(DAY)),
        Limit::rule("at most 9 credit", Counted::Calls, 9, None),
        Limit::rule("at most 1 credit per 6h", Counted::Calls, 1, Some(6 * HOUR)),
        Limit::rule("at most 2 distinct product in credit", Counted::Products, 2, None),
    ] {
        check(&limit);
    }
}

#[test]
fn amounts_are_counted_for_each_value() {
    for limit in [
        Limit::sum(150, None, ""),
        Limit::sum(100, Some(DAY), ""),
        Limit::sum(100, None, "returned_on = \"credit.failed\""),
        Limit::sum(100, Some(DAY), "returned_on = \"credit.failed\""),
    ] {
        check(&limit);
    }
}

#[test]
fn all_sessions_are_counted_for_each_value() {
    for limit in [
        Limit::rule("at most 2 credit per 1d over sessions", Counted::Calls, 2, Some(DAY)),
        Limit::sum(150, Some(DAY), "over = \"sessions\""),
        Limit::sum(150, None, "over = \"sessions\"\nreturned_on = \"credit.failed\""),
    ] {
        check(&limit);
    }
}

/// Laws beside limits: a call is denied if the laws alone deny it, or the limit does.
#[test]
fn limits_leave_other_laws_as_they_are() {
    let laws = "checked = { rule = \"credit requires check before for each customer\" }\n\
                closed = { rule = \"close forbids credit after for each customer\" }\n\
                late = { rule = \"after credit end requires close for each customer\" }\n\
                few = \"at most 7 check\"\n";
    let tools = TOOLS.replace("\"close\"", "\"close\", \"check\"");
    let limit = "limit = \"at most 2 credit per 1d for each customer\"\n";
    let read = |text: &str| Policy::from_text("limits.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let (with, without) =
        (read(&format!("{tools}\n[rules]\n{laws}{limit}")), read(&format!("{tools}\n[rules]\n{laws}")));
    let mut denied_by = [0; 3];
    for seed in 0..60 {
        let open = |policy: &Policy| {
            Gate::new(policy, "s", Arc::new(MemoryStore::new(|| Some(now())))).expect("a gate")
        };
        let (limited, free) = (open(&with), open(&without));
        let (mut random, mut counts) = (Random::new(seed), [0; CUSTOMERS as usize]);
        for step in 0..25 {
            let (customer, tool) =
                (random.below(CUSTOMERS as usize), ["credit", "close", "check", "credit"][random.below(4)]);
            let arguments = format!("{{\"customer\": \"c{customer}\"}}");
            let decision = limited.propose(tool, &arguments).expect("a decision");
            let is_over = tool == "credit" && counts[customer] >= 2;
            let is_denied = decision.verdict == Ruling::Deny;
            let alone = (!is_over).then(|| free.propose(tool, &arguments).expect("a decision"));
            let is_denied_alone = alone.as_ref().is_some_and(|alone| alone.verdict == Ruling::Deny);
            assert_eq!(
                is_denied,
                is_over || is_denied_alone,
                "seed {seed}, step {step}: {tool} {customer}: {}",
                decision.reason
            );
            denied_by[usize::from(is_denied) + usize::from(is_over)] += 1;
            if let (Some(ticket), Some(alone)) = (decision.ticket.filter(|_| !is_denied), alone) {
                let ok = random.below(4) > 0;
                limited.commit(&ticket, Some(ok), None).expect("heard");
                free.commit(&alone.ticket.expect("a ticket"), Some(ok), None).expect("heard");
                counts[customer] += usize::from(tool == "credit");
            }
        }
    }
    assert!(denied_by.iter().all(|&count| count > 30), "{denied_by:?}");
}
