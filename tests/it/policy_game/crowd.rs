//! Games of any number of copies: where one says that the agent can keep all laws, the game of several copies by its
//! definition says so, in every position that these copies can reach.

use super::compile;
use super::explicit::{Bounds, Explicit};
use super::texts::{Flavor, random};
use std::collections::BTreeMap;
use std::fmt::Write;
use tsl_synth_core::base::Budget;
use tsl_synth_policy::{Crowd, Game, GameOptions, PolicyPosition};
use tsl_synth_testkit::Rng;

/// What was compared.
#[derive(Debug, Default)]
struct Found {
    policies: usize,
    /// Positions in which the definition says that all laws can be kept, and those in which the crowd says so, too.
    closed: usize,
    shown: usize,
    /// Of these, positions in which some copies owe something.
    owing: usize,
    /// Positions that are lost.
    lost: usize,
    /// Positions that are lost though each copy alone is not.
    lost_together: usize,
}

/// The position of one copy in a position of several.
fn single(position: &PolicyPosition, copy: usize, copies: usize) -> PolicyPosition {
    let mut own = position.clone();
    for (_, states) in own.laws.enumerate_mut().filter(|(_, states)| states.len() == copies) {
        *states = vec![states[copy]];
    }
    let mut pending = BTreeMap::new();
    for ((action, reaches), count) in &position.pending {
        let reaches = reaches.iter().map(|mask| mask >> copy & 1).collect();
        *pending.entry((*action, reaches)).or_insert(0) += count;
    }
    own.pending = pending;
    own
}

/// Compares a policy with some copies; `false` if crowds or the definition do not decide it.
fn compare(text: &str, copies: usize, found: &mut Found) -> bool {
    let compiled = compile(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = GameOptions::new(&compiled.policy);
    let budget = Budget::unlimited();
    let Ok(Some(mut crowd)) = Crowd::new(&compiled, &options, &budget) else { return false };
    let bounds = Bounds { nodes: 4_000, letters: 400_000 };
    let Some(explicit) = Explicit::solve(&compiled, &options.kept, copies, bounds) else { return false };
    let game = Game::new(&compiled, &options, &budget).expect("a game");
    found.policies += 1;
    for node in 0..explicit.len() {
        let position = explicit.rules.position(explicit.position(node));
        let singles: Vec<PolicyPosition> = (0..copies).map(|copy| single(&position, copy, copies)).collect();
        let states: Option<Vec<_>> = singles.iter().map(|own| game.variables(own)).collect();
        let is_shown = states.is_some_and(|states| crowd.is_closed(states, &budget).expect("no limit"));
        let is_closed = explicit.graph.closed[node];
        assert!(is_closed || !is_shown, "{copies} copies in {position:?}, which is lost:\n{text}");
        found.closed += usize::from(is_closed);
        found.lost += usize::from(!is_closed);
        found.lost_together += usize::from(!is_closed && singles.iter().all(|own| game.is_closed(own)));
        found.shown += usize::from(is_shown);
        found.owing += usize::from(is_shown && !explicit.graph.end[node]);
    }
    true
}

/// A policy in which a call for no value settles what is owed for all values, and what may forbid this call.
fn conflicting(rng: &mut Rng) -> String {
    const LAWS: [&str; 12] = [
        "G (a.ok -> F t)",
        "G (a.failed -> X G !t)",
        "G (a -> F t)",
        "G (a -> F b)",
        "G (b -> X G !t)",
        "G (b.failed -> X G !t)",
        "G (t -> X G !a)",
        "G (t -> X G !b)",
        "G (b -> F t)",
        "G (a -> X (!a U t))",
        "G (a.ok -> X (!t U b))",
        "G (t.failed -> F b)",
    ];
    let mut text = String::from("policy = 1\n[actions]\ngroups = [[\"a\", \"b\", \"t\"]]\n");
    for (call, bind) in [("a", true), ("b", rng.below(3) > 0), ("t", false)] {
        let _ = write!(text, "[[match]]\non = \"call\"\ntool = \"{call}\"\naction = \"{call}\"\n");
        text += if bind { "bind = { v = \"/arguments/v\" }\n" } else { "" };
    }
    for number in 0..2 + rng.below(2) {
        let law = LAWS[rng.below(LAWS.len())];
        let _ = write!(text, "[[law]]\nid = \"l{number}\"\nfor_each = [\"v\"]\nltl = \"{law}\"\n");
    }
    text
}

/// Random policies with some numbers of copies.
fn campaign(seeds: std::ops::Range<u64>) -> Found {
    let mut found = Found::default();
    for seed in seeds {
        let mut rng = Rng(seed * 7919 + 17);
        let text = random(&mut rng, Flavor::ForEach).whole();
        // Laws without values are shared by all copies, which crowds do not decide.
        let text = text.replace("for_each = [\"v\"]\n", "").replace("ltl = ", "for_each = [\"v\"]\nltl = ");
        for copies in [2, 3] {
            compare(&text, copies, &mut found);
        }
        compare(&conflicting(&mut rng), 2, &mut found);
    }
    println!("{found:?}");
    found
}

#[test]
fn crowds_permit_nothing_that_several_copies_refuse() {
    let found = campaign(0..8);
    assert!(found.policies >= 12 && found.owing >= 200, "too few for a test: {found:?}");
    assert!(found.lost_together >= 5, "too few positions that are lost together: {found:?}");
    assert!(found.shown * 10 >= found.closed * 7, "too few are shown: {found:?}");
}

/// `TSL_SYNTH_GAMES=2000`, `TSL_SYNTH_GAMES_FROM=0`
#[test]
#[ignore = "a campaign"]
fn campaign_crowds() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("TSL_SYNTH_GAMES_FROM").unwrap_or(0);
    campaign(first..first + number("TSL_SYNTH_GAMES").unwrap_or(2_000));
}

const HEAD: &str = "policy = 1\n[actions]\ngroups = [[\"edit\", \"mend\", \"test\"]]\n\
    [[match]]\non = \"call\"\ntool = \"edit\"\naction = \"edit\"\nbind = { file = \"/arguments/file\" }\n\
    [[match]]\non = \"call\"\ntool = \"mend\"\naction = \"mend\"\nbind = { file = \"/arguments/file\" }\n\
    [[match]]\non = \"call\"\ntool = \"test\"\naction = \"test\"\n";

/// Whether it is shown for any number of files that were edited, and whether it is so for two.
fn edited(laws: &[&str]) -> (bool, bool) {
    let mut text = HEAD.to_owned();
    for (number, law) in laws.iter().enumerate() {
        let _ = writeln!(text, "[[law]]\nid = \"l{number}\"\nfor_each = [\"file\"]\nltl = \"{law}\"");
    }
    let compiled = compile(&text).expect("a policy");
    let options = GameOptions::new(&compiled.policy);
    let budget = Budget::unlimited();
    let mut crowd = Crowd::new(&compiled, &options, &budget).expect("no limit").expect("it is decided");
    let bounds = Bounds { nodes: 50_000, letters: 4_000_000 };
    let explicit = Explicit::solve(&compiled, &options.kept, 2, bounds).expect("small");
    let game = Game::new(&compiled, &options, &budget).expect("a game");
    // Both are in the state that an edit leads to.
    let is_it = |&node: &usize| {
        let position = explicit.rules.position(explicit.position(node));
        position.laws.iter().all(|row| row.iter().all(|state| *state == row[0]))
            && position.pending.is_empty()
            && !explicit.graph.end[node]
    };
    let node = (0..explicit.len()).find(is_it).expect("such a position");
    let position = explicit.rules.position(explicit.position(node));
    let state = game.variables(&single(&position, 0, 2)).expect("no law is violated");
    (crowd.is_closed(vec![state], &budget).expect("no limit"), explicit.graph.closed[node])
}

#[test]
fn any_number_of_files_owe_something() {
    // One call settles all; each is settled by a call of its own; both kinds of calls are needed.
    assert_eq!(edited(&["G (edit -> F test)"]), (true, true));
    assert_eq!(edited(&["G (edit -> F mend)"]), (true, true));
    assert_eq!(edited(&["G (edit -> F mend)", "G (mend -> F test)"]), (true, true));
    assert_eq!(edited(&["G (edit -> F mend)", "G (test -> X G !mend)"]), (true, true));
    // A test before the last file is mended would end all mending, and one that must come after the first is too early.
    let early = ["G (edit -> F mend)", "G (mend -> X test)", "G (test -> X G !mend)"];
    let (is_shown, is_closed) = edited(&early);
    assert!(is_closed || !is_shown, "nothing is shown that two files refuse");
}
