//! The last decision of a long session takes no more work than the first ones: counted, not timed.

use std::fmt::Write;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Random};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, Ruling};
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateOptions, GateSession, GateSolver};
use tsl_synth_policy::language::load_policy;

/// Tools that are actions, with the order as their value.
const TOOLS: [&str; 5] = ["look", "refund", "note", "ship", "close"];

fn policy(rules: &[&str]) -> String {
    let mut text = String::from("policy = 1\nunmatched = \"allow\"\n");
    let _ = write!(text, "[actions]\ngroups = [{TOOLS:?}]\n");
    for tool in TOOLS {
        let _ = write!(
            text,
            "[[match]]\non = \"call\"\ntool = \"{tool}\"\naction = \"{tool}\"\nbind = {{ order = \"/arguments/order\" }}\n"
        );
    }
    for (number, rule) in rules.iter().enumerate() {
        let _ = write!(text, "[[law]]\nid = \"r{number}\"\nfor_each = [\"order\"]\nrule = \"{rule}\"\n");
    }
    text
}

fn solver(text: &str) -> GateSolver {
    let mut sources = SourceMap::new();
    let source = sources.add("policy.toml", text);
    let policy = load_policy(&mut sources, source, &mut Diagnostics::new()).expect("a policy");
    let compiled = CompiledPolicy::new(policy, &Budget::unlimited()).expect("monitors");
    GateSolver::new(Arc::new(compiled), GateOptions::default(), &Budget::unlimited()).expect("a game")
}

/// Edits of so many files, of which a test of all files is owed; then whether the test is permitted, and whether the agent
/// may stop before and after it.
fn edited(files: usize, laws: &[&str]) -> (usize, bool, [bool; 2]) {
    let mut text = String::from(
        "policy = 1\nunmatched = \"allow\"\n[actions]\ngroups = [[\"edit\", \"mend\", \"test\"]]\n",
    );
    for (tool, bind) in [("edit", true), ("mend", true), ("test", false)] {
        let _ = write!(text, "[[match]]\non = \"call\"\ntool = \"{tool}\"\naction = \"{tool}\"\n");
        text += if bind { "bind = { order = \"/arguments/order\" }\n" } else { "" };
    }
    for (number, law) in laws.iter().enumerate() {
        let _ = write!(text, "[[law]]\nid = \"l{number}\"\nfor_each = [\"order\"]\nltl = \"{law}\"\n");
    }
    let mut session = Long::new(&text);
    let granted = (0..files).filter(|file| session.call("edit", &format!("f{file}"))).count();
    let before = session.may_stop();
    let is_tested = session.call("test", "");
    (granted, is_tested, [before, session.may_stop()])
}

#[test]
fn any_number_of_values_may_owe_something() {
    // A test settles all edits.
    assert_eq!(edited(40, &["G (edit -> F test)"]), (40, true, [false, true]));
    // Each edit must be mended, which a test would end: it is denied while some are not mended.
    let mended = ["G (edit -> F mend)", "G (test -> X G !mend)"];
    assert_eq!(edited(40, &mended), (40, false, [false, false]));
    // What cannot be kept for a single file is denied for the first one.
    let never = ["G (edit -> F test)", "G (edit -> X G !test)"];
    assert_eq!(edited(3, &never).0, 0);
}

#[test]
fn calls_that_change_no_law_may_not_end_in_a_violation() {
    // The call changes the state of no law, but its outcome violates the first one.
    let never = ["G !refund.ok", "G (look -> F note)", "G (ship -> O refund.ok)"];
    for bound in [&["order"][..], &["order", "item"]] {
        for laws in 1..=never.len() {
            let mut text = policy(&[]);
            if bound.len() == 2 {
                text = text.replace("/order\" }", "/order\", item = \"/arguments/item\" }");
            }
            for (number, law) in never[..laws].iter().enumerate() {
                let _ = write!(text, "[[law]]\nid = \"n{number}\"\nfor_each = {bound:?}\nltl = \"{law}\"\n");
            }
            let mut session = Long::new(&text);
            for order in 0..3 {
                assert!(session.call("look", &format!("o{order}")), "{text}");
            }
            for order in 0..6 {
                assert!(!session.call("refund", &format!("o{order}")), "o{order}\n{text}");
            }
        }
    }
}

/// A session of random calls, each with a random order as its argument.
struct Long {
    solver: GateSolver,
    session: GateSession,
    random: Random,
    line: u64,
    granted: usize,
}

impl Long {
    fn new(text: &str) -> Self {
        let solver = solver(text);
        let session = solver.session();
        Self { solver, session, random: Random::new(5), line: 0, granted: 0 }
    }
    fn event(&mut self, kind: HostEventKind<'static>) -> HostEvent<'static> {
        self.line += 1;
        HostEvent { time: Some(1_000 * self.line.cast_signed()), ..HostEvent::new("s", self.line, kind) }
    }
    /// Proposes a call about an order, which ends if it is granted.
    fn call(&mut self, tool: &str, order: &str) -> bool {
        let arguments = JsonText(serde_json::json!({ "order": order, "item": order }).to_string().into());
        let id: std::borrow::Cow<'static, str> = format!("c{}", self.line).into();
        let tool = tool.to_owned().into();
        let call = HostEventKind::Call { id: Some(id.clone()), server: None, tool, arguments };
        let call = self.event(call);
        let proposal = self.solver.propose(&mut self.session, &call);
        if proposal.decision.ruling >= Ruling::Ask {
            self.session.refuse(&proposal);
            return false;
        }
        self.session.grant(&self.solver.compiled().clone(), proposal);
        let result = HostEventKind::Result { call: Some(id), outcome: CallOutcome::Ok, result: None };
        let result = self.event(result);
        self.solver.read_event(&mut self.session, &result);
        true
    }
    /// Whether the agent may stop; the session goes on all the same.
    fn may_stop(&mut self) -> bool {
        let end = self.event(HostEventKind::End);
        self.solver.end(&mut self.session.clone(), &end).ruling < Ruling::Ask
    }
    /// Proposes calls about so many orders, each of which ends if it is granted; returns how many copies of laws the
    /// decisions looked at.
    fn calls(&mut self, calls: usize, orders: usize) -> u64 {
        let before = self.solver.looked_at();
        for _ in 0..calls {
            let tool = TOOLS[self.random.below(TOOLS.len())];
            let order = format!("o{}", self.random.below(orders));
            self.granted += usize::from(self.call(tool, &order));
        }
        self.solver.looked_at() - before
    }
}

#[test]
fn the_last_calls_look_at_no_more_copies_than_the_first() {
    let all: [&[&str]; 6] = [
        &["at most 3 refund"],
        &["refund requires look before"],
        &["refund then note eventually"],
        &["refund requires look before", "at most 4 refund", "close forbids refund after"],
        &["refund then note eventually", "ship then close eventually", "note requires look before"],
        &["refund requires look since note", "ship requires refund before", "close requires ship before"],
    ];
    for rules in all {
        let mut session = Long::new(&policy(rules));
        let first = session.calls(100, 100);
        let middle = session.calls(900, 100);
        let last = session.calls(100, 100);
        assert!(session.granted > 200, "{rules:?}: {} calls are granted", session.granted);
        assert!(
            last <= 2 * first + 100,
            "{rules:?}: {first} copies for the first calls, {last} for the last"
        );
        assert!(
            middle <= 20 * first + 1_000,
            "{rules:?}: {first} copies for the first calls, {middle} later"
        );
    }
}
