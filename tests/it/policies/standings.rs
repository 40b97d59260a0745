//! The four verdicts of a law after each prefix, compared with the definition over all continuations of bounded length.

use super::{compiled, letter};
use crate::words::meaning::{Letter, holds, words};
use tsl_synth_core::base::Id;
use tsl_synth_core::model::LawStatus;
use tsl_synth_policy::language::words::{LawTree, PolicyNames};
use tsl_synth_policy::language::{LawId, names_of};
use tsl_synth_policy::{BoundLetter, PossibleState};
use tsl_synth_testkit::Rng;

/// A random law without future operators below past operators.
fn random_law(rng: &mut Rng, depth: usize, past_only: bool) -> String {
    let leaf = ["p", "q", "!p", "!q", "true"];
    if depth == 0 {
        return leaf[rng.below(4)].to_owned();
    }
    let past = past_only || rng.below(3) == 0;
    let mut below = |past| random_law(rng, depth - 1, past);
    let (f, g) = (below(past), below(past));
    let shape = rng.below(12);
    match (past, shape) {
        (_, 0) => format!("({f} & {g})"),
        (_, 1) => format!("({f} | {g})"),
        (_, 2) => format!("!({f})"),
        (_, 3) => format!("({f} -> {g})"),
        (true, 4) => format!("Y ({f})"),
        (true, 5) => format!("Z ({f})"),
        (true, 6) => format!("O ({f})"),
        (true, 7) => format!("H ({f})"),
        (true, 8 | 9) => format!("(({f}) S ({g}))"),
        (true, _) => format!("(({f}) T ({g}))"),
        (false, 4) => format!("X ({f})"),
        (false, 5) => format!("X[!] ({f})"),
        (false, 6) => format!("F ({f})"),
        (false, 7) => format!("G ({f})"),
        (false, 8) => format!("(({f}) U ({g}))"),
        (false, 9) => format!("(({f}) W ({g}))"),
        (false, 10) => format!("(({f}) R ({g}))"),
        (false, _) => format!("(({f}) M ({g}))"),
    }
}

/// The length of the longest continuation that is tried. A larger monitor may need a longer one, so its law is skipped.
const LONGEST: usize = 4;

fn by_definition(law: &LawTree, prefix: &[Letter<'static>], after: &[Vec<Letter<'static>>]) -> LawStatus {
    let whole = |more: &Vec<Letter<'static>>| {
        let word: Vec<Letter<'static>> = prefix.iter().chain(more).cloned().collect();
        holds(law, &word, 0)
    };
    let (mut some, mut all) = (false, true);
    for more in after {
        let value = whole(more);
        (some, all) = (some || value, all && value);
    }
    match (some, all, whole(&Vec::new())) {
        (false, ..) => LawStatus::Violated,
        (true, true, _) => LawStatus::Satisfied,
        (true, false, true) => LawStatus::CurrentlySatisfied,
        (true, false, false) => LawStatus::CurrentlyViolated,
    }
}

/// The number of compared laws, and of each verdict.
fn campaign(seed: u64, laws: usize) -> (usize, [usize; 4]) {
    let mut rng = Rng(seed);
    let after = words(&["p", "q"], LONGEST);
    let (mut judged, mut verdicts) = (0, [0; 4]);
    for _ in 0..laws {
        let depth = 1 + rng.below(3);
        let text = random_law(&mut rng, depth, false);
        let policy = format!(
            "policy = 1\n[propositions]\np = {{}}\nq = {{}}\n[[law]]\nid = \"l\"\nltl = \"{text}\"\n"
        );
        let compiled = compiled("random.toml", &policy);
        if compiled.monitors[LawId::from_index(0)].len() > LONGEST + 1 {
            continue;
        }
        judged += 1;
        let names: PolicyNames = names_of(&compiled.policy.atoms);
        let law = LawTree::read(&text, &names).expect("the text was read");
        let mut world = PossibleState::new(&compiled);
        let mut prefix: Vec<Letter<'static>> = Vec::new();
        for _ in 0..4 {
            let own: Letter<'static> = ["p", "q"].into_iter().filter(|_| rng.flip()).collect();
            let bound = BoundLetter { letter: letter(&compiled, &own), ..BoundLetter::default() };
            world.step(&compiled, &bound, None);
            prefix.push(own);
            let expected = by_definition(&law, &prefix, &after);
            let found = world.standing(&compiled, LawId::from_index(0));
            assert_eq!(found, expected, "{text} after {prefix:?}");
            verdicts[found as usize] += 1;
        }
    }
    (judged, verdicts)
}

#[test]
fn standings_are_those_of_all_continuations() {
    let (judged, verdicts) = campaign(1, 120);
    println!("{judged} laws, verdicts {verdicts:?}");
    assert!(judged > 80 && verdicts.iter().all(|&n| n > 5), "{judged} laws, {verdicts:?}");
}

/// `campaigns standings`
#[test]
#[ignore = "a campaign: see tests/README.md"]
fn campaign_standings() {
    let (judged, verdicts) = campaign(2, 2_600);
    println!("{judged} laws, verdicts {verdicts:?}");
    assert!(judged >= 2_000);
}
