//! What laws permit and imply, against all short sessions.

use std::collections::BTreeSet;
use tsl_synth_core::base::{Budget, Random};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::CallOutcome;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{AnalysisFrame, SessionSearch, find_session};
use tsl_synth_policy::language::{LawAtom, LawId, Named, load_policy};

const HEAD: &str =
    "policy = 1\nname = \"p\"\ntrace = \"TRACE\"\n[actions]\ngroups = GROUPS\n[propositions]\np = {}\n";

const LAWS: [&str; 14] = [
    "G !a",
    "G(a -> O b.ok)",
    "G(b -> X G !a)",
    "G(a -> F b.ok)",
    "F a",
    "G !(a & Y O a)",
    "G(p -> !a)",
    "G(a -> p)",
    "F(b.ok | b.failed)",
    "G(b -> X !b)",
    "G !(b.failed & O a)",
    "G(b.ok -> X(!b U a))",
    "G(p -> X p)",
    "H(a -> Y b)",
];

fn compiled(laws: &[&str], trace: &str, groups: &str) -> CompiledPolicy {
    let mut text = HEAD.replace("TRACE", trace).replace("GROUPS", groups);
    for (i, law) in laws.iter().enumerate() {
        text.push_str(&["[[law]]\nid = \"l", &i.to_string(), "\"\nltl = \"", law, "\"\n"].concat());
    }
    let mut sources = SourceMap::new();
    let source = sources.add("p.toml", &text);
    let mut found = Diagnostics::new();
    let policy = load_policy(&mut sources, source, &mut found);
    CompiledPolicy::new(policy.unwrap_or_else(|| panic!("{found:?}")), &Budget::unlimited()).expect("small")
}

/// All letters that can occur, with the calls and results in them.
fn letters(compiled: &CompiledPolicy, frame: &AnalysisFrame<'_>) -> Vec<(Letter, [bool; 2], [bool; 2])> {
    let atoms = &compiled.policy.atoms;
    let action = |name: &str| match atoms.named(name) {
        Some(Named::Action(id)) => id,
        _ => panic!("an action"),
    };
    let Some(Named::Proposition(p)) = atoms.named("p") else { panic!("a proposition") };
    let ids = [action("a"), action("b")];
    let outcomes = [None, Some(CallOutcome::Ok), Some(CallOutcome::Failed)];
    let mut all = Vec::new();
    for called in [[false, false], [true, false], [false, true], [true, true]] {
        for first in outcomes {
            for second in outcomes {
                for holds in [false, true] {
                    let mut letter = Letter::new();
                    for (id, _) in ids.iter().zip(called).filter(|(_, called)| *called) {
                        letter.insert(atoms.bit(LawAtom::Call(*id)));
                    }
                    for (id, outcome) in ids.iter().zip([first, second]) {
                        if let Some(outcome) = outcome {
                            letter.insert(atoms.bit(LawAtom::Result(*id, outcome)));
                        }
                    }
                    if holds {
                        letter.insert(atoms.bit(LawAtom::Proposition(p)));
                    }
                    if !frame.guards.contains(frame.world, &letter) {
                        continue;
                    }
                    all.push((letter, called, [first.is_some(), second.is_some()]));
                }
            }
        }
    }
    all
}

/// The length of a shortest session of at most `most` letters that keeps the laws and keeps or violates another one, by
/// trying all. States with the same monitors and open calls are tried once.
fn by_hand(
    (compiled, frame): (&CompiledPolicy, &AnalysisFrame<'_>),
    laws: &[LawId],
    (asked, keeps): (LawId, bool),
    most: usize,
) -> Option<usize> {
    let letters = letters(compiled, frame);
    let all: Vec<LawId> = laws.iter().copied().chain([asked]).collect();
    let mut now: BTreeSet<(Vec<u32>, [usize; 2])> = BTreeSet::from([(vec![0; all.len()], [0, 0])]);
    for length in 1..=most {
        let mut next = BTreeSet::new();
        for (states, open) in &now {
            for (letter, called, ended) in &letters {
                if (0..2).any(|i| ended[i] && open[i] == 0) {
                    continue;
                }
                let states: Vec<u32> =
                    all.iter().zip(states).map(|(&law, &state)| compiled.step(law, state, letter)).collect();
                let open = [0, 1].map(|i| open[i] + usize::from(called[i]) - usize::from(ended[i]));
                let good = all.iter().zip(&states).all(|(&law, &state)| {
                    let holds = compiled.monitors[law].standing(state).holds();
                    if law == asked { holds == keeps } else { holds }
                });
                if good {
                    return Some(length);
                }
                next.insert((states, open));
            }
        }
        now = next;
    }
    None
}

#[test]
fn sessions_are_found_where_there_are_any() {
    let mut random = Random::new(11);
    let (mut found, mut excluded) = (0, 0);
    for round in 0..240 {
        let trace = if round % 2 == 0 { "per-action" } else { "per-event" };
        let is_one_group = round % 3 == 0;
        let groups = if is_one_group { r#"[["a", "b"]]"# } else { r#"[["a"], ["b"]]"# };
        let chosen: Vec<&str> = (0..=random.below(4)).map(|_| LAWS[random.below(LAWS.len())]).collect();
        let compiled = compiled(&chosen, trace, groups);
        let ids: Vec<LawId> = compiled.policy.laws.ids().collect();
        let (asked, laws) = ids.split_last().expect("a law");
        for keeps in [true, false] {
            let budget = Budget::unlimited();
            let mut frame = AnalysisFrame::new(&compiled, &budget).expect("a small policy");
            let answer = find_session(&mut frame, laws, (*asked, keeps), &budget).expect("no limit");
            let expected = by_hand((&compiled, &frame), laws, (*asked, keeps), 4);
            match answer {
                SessionSearch::Found(word) => {
                    found += 1;
                    if word.len() <= 4 {
                        // Sessions with one call at a time may be longer.
                        let fits =
                            |least| if is_one_group { least == word.len() } else { least <= word.len() };
                        assert!(expected.is_some_and(fits), "{chosen:?} {keeps}: {word:?}");
                    } else if is_one_group {
                        assert_eq!(expected, None, "{chosen:?} {keeps}: {word:?}");
                    }
                    for (law, wanted) in laws.iter().map(|law| (law, true)).chain([(asked, keeps)]) {
                        let state = word.iter().fold(0, |state, letter| compiled.step(*law, state, letter));
                        assert_eq!(compiled.monitors[*law].standing(state).holds(), wanted, "{chosen:?}");
                    }
                }
                SessionSearch::Excluded(core) => {
                    excluded += 1;
                    assert_eq!(expected, None, "{chosen:?} {keeps}");
                    // Without any of its laws there is a session.
                    for law in &core {
                        let rest: Vec<LawId> = core.iter().copied().filter(|own| own != law).collect();
                        let other =
                            find_session(&mut frame, &rest, (*asked, keeps), &budget).expect("no limit");
                        assert!(matches!(other, SessionSearch::Found(_)), "{chosen:?} {keeps}: {core:?}");
                    }
                }
            }
        }
    }
    assert!(found > 200 && excluded > 20, "{found} {excluded}");
}

#[test]
fn unrelated_laws_cost_nothing() {
    // 200 laws about actions of their own: their product would be huge.
    let names: Vec<String> = (0..200).flat_map(|i| [format!("\"a{i}\""), format!("\"b{i}\"")]).collect();
    let mut text = format!("policy = 1\nname = \"p\"\n[actions]\ngroups = [[{}]]\n", names.join(", "));
    for i in 0..200 {
        let law = format!("[[law]]\nid = \"l{i}\"\nltl = \"G(a{i} -> O b{i}.ok) & G(b{i} -> F b{i}.ok)\"\n");
        text.push_str(&law);
    }
    text.push_str("[[law]]\nid = \"asked\"\nltl = \"G(a7 -> O b7.ok)\"\n");
    let mut sources = SourceMap::new();
    let source = sources.add("p.toml", &text);
    let mut found = Diagnostics::new();
    let policy = load_policy(&mut sources, source, &mut found).unwrap_or_else(|| panic!("{found:?}"));
    let budget = Budget::unlimited();
    let compiled = CompiledPolicy::new(policy, &budget).expect("small laws");
    let ids: Vec<LawId> = compiled.policy.laws.ids().collect();
    let (asked, laws) = ids.split_last().expect("a law");
    let mut frame = AnalysisFrame::new(&compiled, &budget).expect("a frame");
    let answer = find_session(&mut frame, laws, (*asked, false), &budget).expect("no limit");
    assert_eq!(answer, SessionSearch::Excluded(vec![ids[7]]));
    let answer = find_session(&mut frame, laws, (*asked, true), &budget).expect("no limit");
    assert!(matches!(answer, SessionSearch::Found(word) if word.len() == 1));
}
