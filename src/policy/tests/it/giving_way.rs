//! Soft laws that leave the agent no action, and `fallback = "hard"`: compared with the definition, law by law.

use super::gates::Gate;
use std::collections::BTreeSet;
use std::fmt::Write;
use tsl_synth_core::base::{Id, Random};
use tsl_synth_core::model::{HostEventKind, JsonText, Ruling};

/// Each law forbids some actions while `here` holds.
struct Forbidding {
    actions: usize,
    hard: Vec<Vec<usize>>,
    soft: Vec<Vec<usize>>,
}

/// How the laws are written and judged.
#[derive(Clone, Copy, Debug)]
struct Form {
    timing: &'static str,
    fallback: bool,
}

impl Forbidding {
    fn random(random: &mut Random) -> Self {
        let actions = 1 + random.below(4);
        let mut laws = |count: usize| -> Vec<Vec<usize>> {
            (0..count).map(|_| (0..actions).filter(|_| random.below(3) == 0).collect()).collect()
        };
        let (hard, soft) = (laws(2), laws(5));
        Self { actions, hard, soft }
    }

    /// One soft law against each action.
    fn of_size(actions: usize) -> Self {
        Self { actions, hard: Vec::new(), soft: (0..actions).map(|action| vec![action]).collect() }
    }

    fn text(&self, form: Form) -> String {
        let names: Vec<String> = (0..self.actions).map(|action| format!("a{action}")).collect();
        let Form { timing, fallback } = form;
        // With `timing = "same"` a call has a letter of its own, in which the proposition still holds.
        let here = if timing == "same" { "{ state = true }" } else { "{}" };
        let mut text = format!("policy = 1\ntiming = \"{timing}\"\nend = \"finite\"\nidle = false\n");
        text.push_str(if fallback { "fallback = \"hard\"\n" } else { "" });
        let _ = write!(text, "[propositions]\nhere = {here}\n[actions]\ngroups = [{names:?}]\n");
        for (kind, laws) in [("hard", &self.hard), ("soft", &self.soft)] {
            for (number, law) in laws.iter().enumerate() {
                let next = if timing == "next" { "X " } else { "" };
                let actions = law.iter().map(|&action| names[action].as_str());
                let actions: Vec<&str> = actions.chain(["false"]).collect();
                let ltl = format!("G (here -> {next}!({}))", actions.join(" | "));
                let _ =
                    write!(text, "[[law]]\nid = \"{kind}{number}\"\nkind = \"{kind}\"\nltl = \"{ltl}\"\n");
            }
        }
        text
    }

    /// By definition: the soft laws that are kept while `here` holds, and the actions that are allowed then.
    fn expected(&self, fallback: bool) -> (Vec<usize>, BTreeSet<usize>) {
        let allowed = |kept: &[usize]| -> BTreeSet<usize> {
            let laws = || self.hard.iter().chain(kept.iter().map(|&law| &self.soft[law]));
            (0..self.actions).filter(|action| !laws().any(|law| law.contains(action))).collect()
        };
        let all: Vec<usize> = (0..self.soft.len()).collect();
        if !fallback || !allowed(&all).is_empty() || allowed(&[]).is_empty() {
            return (all.clone(), allowed(&all));
        }
        let mut kept = Vec::new();
        for law in all {
            kept.push(law);
            if allowed(&kept).is_empty() {
                kept.pop();
            }
        }
        let allowed = allowed(&kept);
        (kept, allowed)
    }
}

fn call(action: usize) -> HostEventKind<'static> {
    HostEventKind::Call {
        id: Some("c".into()),
        server: None,
        tool: format!("a{action}").into(),
        arguments: JsonText::borrowed("{}"),
    }
}

fn observe(here: bool) -> HostEventKind<'static> {
    HostEventKind::Observe { truths: [("here".into(), here)].into(), complete: true }
}

fn is_as_defined(laws: &Forbidding, form: Form) -> bool {
    let text = laws.text(form);
    let mut gate = Gate::new(&text);
    gate.hears(observe(true));
    let (kept, allowed) = laws.expected(form.fallback);
    let options = gate.solver.options(&gate.session).expect("decided");
    let shown: BTreeSet<usize> = options.allowed.iter().map(|action| action.index()).collect();
    assert_eq!(shown, allowed, "{form:?}\n{text}");
    let dropped: Vec<String> =
        (0..laws.soft.len()).filter(|law| !kept.contains(law)).map(|law| format!("soft{law}")).collect();
    for action in 0..laws.actions {
        let (ruling, gave_way) = gate.ruling(call(action));
        let is_allowed = ruling < Ruling::Ask;
        assert_eq!(is_allowed, allowed.contains(&action), "a{action} {form:?}\n{text}");
        if is_allowed {
            assert_eq!(gave_way, dropped, "a{action} {form:?}\n{text}");
        }
    }
    assert_eq!(options.is_over_constrained, laws.expected(false).1.is_empty(), "{form:?}\n{text}");
    // Elsewhere the laws forbid nothing, and none gives way.
    gate.hears(observe(false));
    for action in 0..laws.actions {
        assert_eq!(gate.ruling(call(action)), (Ruling::Allow, Vec::new()), "a{action} {form:?}\n{text}");
    }
    !dropped.is_empty()
}

#[test]
fn soft_laws_give_way_in_their_order_where_no_action_is_left() {
    let mut gave_way = 0;
    for seed in 0..60 {
        let laws = Forbidding::random(&mut Random::new(seed));
        for timing in ["next", "same"] {
            for fallback in [true, false] {
                let form = Form { timing, fallback };
                gave_way += usize::from(is_as_defined(&laws, form));
            }
        }
    }
    assert!(gave_way > 20, "{gave_way}");
}

#[test]
fn the_last_law_that_leaves_no_action_gives_way_at_any_size() {
    for actions in [1, 2, 10, 40] {
        for timing in ["next", "same"] {
            let form = Form { timing, fallback: true };
            assert!(is_as_defined(&Forbidding::of_size(actions), form), "{actions}");
        }
    }
}

#[test]
fn hard_laws_never_give_way() {
    let laws = Forbidding { actions: 2, hard: vec![vec![0], vec![1]], soft: vec![vec![0], vec![1]] };
    for timing in ["next", "same"] {
        assert!(!is_as_defined(&laws, Form { timing, fallback: true }));
    }
}
