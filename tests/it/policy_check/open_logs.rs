//! `check --against` on logs that leave outcomes open: what it says about a law holds for all ways to complete the log.

use crate::policy_game::compile;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{Grounding, ground};
use tsl_synth_service::LoggedSessionsBuilder;
use tsl_synth_testkit::Rng;

const NAMES: [&str; 3] = ["a", "b", "c"];
const RULES: [&str; 6] = [
    "a requires b before",
    "a requires b since c",
    "a then b eventually",
    "after c end requires a",
    "at most 1 c since b",
    "b then c immediately",
];

fn policy() -> String {
    let mut text =
        String::from("policy = 1\nunmatched = \"allow\"\n[actions]\ngroups = [[\"a\", \"b\", \"c\"]]\n");
    for name in NAMES {
        text += &["[[match]]\non = \"call\"\ntool = \"", name, "\"\naction = \"", name, "\"\n"].concat();
    }
    for (number, rule) in RULES.iter().enumerate() {
        text += &["[[law]]\nid = \"", &number.to_string(), "\"\nrule = \"", rule, "\"\n"].concat();
    }
    text
}

/// What the log says about each law.
fn grounding(compiled: &CompiledPolicy, calls: &[(usize, CallOutcome)]) -> Vec<Grounding> {
    let mut log = LoggedSessionsBuilder::new(compiled);
    for (number, &(action, outcome)) in calls.iter().enumerate() {
        let id = format!("{number}");
        let (tool, arguments) = (NAMES[action].into(), JsonText::borrowed("{}"));
        let call = HostEventKind::Call { id: Some(id.clone().into()), server: None, tool, arguments };
        let result = HostEventKind::Result { call: Some(id.into()), outcome, result: None };
        for kind in [call, result] {
            log.event(&HostEvent::new("s", 0, kind));
        }
    }
    ground(compiled, &log.finish().sessions)
}

fn is_kept(one: &Grounding) -> bool {
    one.violated.is_empty() && one.owed.is_empty()
}

#[test]
fn what_is_said_about_logs_holds_however_they_are_completed() {
    let compiled = compile(&policy()).expect("a policy");
    let mut rng = Rng(21);
    let (mut undecided, mut broken, mut kept) = (0, 0, 0);
    for _ in 0..300 {
        let outcome =
            |rng: &mut Rng| [CallOutcome::Ok, CallOutcome::Failed, CallOutcome::Unknown][rng.below(3)];
        let calls: Vec<(usize, CallOutcome)> =
            (0..=rng.below(5)).map(|_| (rng.below(3), outcome(&mut rng))).collect();
        let found = grounding(&compiled, &calls);
        let open: Vec<usize> = (0..calls.len()).filter(|&at| calls[at].1 == CallOutcome::Unknown).collect();
        let mut all: Vec<Vec<Grounding>> = Vec::new();
        for code in 0..1_usize << open.len() {
            let mut completed = calls.clone();
            for (i, &at) in open.iter().enumerate() {
                completed[at].1 = if code >> i & 1 == 1 { CallOutcome::Ok } else { CallOutcome::Failed };
            }
            all.push(grounding(&compiled, &completed));
        }
        for (law, own) in found.iter().enumerate() {
            let is = |of: fn(&Grounding) -> bool| all.iter().all(|one| of(&one[law]));
            if !own.undecided.is_empty() {
                // Events are judged one by one, so that some laws are undecided that all completions decide alike.
                undecided += usize::from(!is(is_kept) && !is(|one| !is_kept(one)));
            } else if is_kept(own) {
                kept += 1;
                assert!(is(is_kept), "{}: {calls:?}", RULES[law]);
            } else {
                broken += 1;
                assert!(is(|one| !is_kept(one)), "{}: {calls:?}", RULES[law]);
                assert!(
                    own.violated.is_empty() || is(|one| !one.violated.is_empty()),
                    "{}: {calls:?}",
                    RULES[law]
                );
            }
        }
    }
    assert!(undecided >= 50 && broken >= 50 && kept >= 50, "{undecided}, {broken}, {kept}: too few");
}
