//! Games abstracted to sets of states: where one says that the agent can keep all laws, the game of several copies by its
//! definition says so, in every position that these copies can reach.

use super::compile;
use super::explicit::{Bounds, Explicit};
use super::texts::{Flavor, random};
use std::collections::BTreeMap;
use std::fmt::Write;
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, Ruling};
use tsl_synth_policy::gate::{GateOptions, GateSession, GateSolver, Reason};
use tsl_synth_policy::{CompiledPolicy, Game, GameOptions, PolicyPosition, SetAbstraction};
use tsl_synth_testkit::Rng;

/// What was compared.
#[derive(Debug, Default)]
struct Found {
    policies: usize,
    /// Positions in which the definition says that all laws can be kept, and those in which the abstraction says so, too.
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

/// Compares a policy with some copies; `false` if the abstraction or the definition do not decide it.
fn compare(text: &str, copies: usize, found: &mut Found) -> bool {
    let compiled = compile(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = GameOptions::new(&compiled.policy);
    let budget = Budget::unlimited();
    let Ok(Some(mut abstraction)) = SetAbstraction::new(&compiled, &options, &budget) else { return false };
    let bounds = Bounds { nodes: 3_000, letters: 200_000 };
    let Some(explicit) = Explicit::solve(&compiled, &options.kept, copies, bounds) else { return false };
    let game = Game::new(&compiled, &options, &budget).expect("a game");
    found.policies += 1;
    for node in 0..explicit.len() {
        let position = explicit.rules.position(explicit.position(node));
        // A call for another value has a copy of its own, which is none of these; its outcome may concern shared laws.
        let is_shared = compiled.policy.laws.iter().any(|law| law.for_each.is_empty());
        if is_shared && position.pending.keys().any(|(_, reaches)| reaches.iter().all(|&mask| mask == 0)) {
            continue;
        }
        let singles: Vec<PolicyPosition> = (0..copies).map(|copy| single(&position, copy, copies)).collect();
        let states: Option<Vec<_>> = singles.iter().map(|own| game.variables(own)).collect();
        let is_shown = states.is_some_and(|states| abstraction.is_closed(states, &budget).expect("no limit"));
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
    let laws: Vec<&str> = (0..2 + rng.below(2)).map(|_| LAWS[rng.below(LAWS.len())]).collect();
    let laws: Vec<(&str, bool)> = laws.into_iter().map(|law| (law, rng.below(3) > 0)).collect();
    of_laws(&laws, rng.below(3) > 0)
}

/// A policy with laws about calls of `a`, of `b`, which may be bound to values, too, and of `t`, which is not; each law is
/// about each value (`true`), or about all calls.
fn of_laws(laws: &[(&str, bool)], is_bound: bool) -> String {
    let is_used = |name: &str| {
        laws.iter().any(|(law, _)| law.split(|c: char| !c.is_alphanumeric()).any(|own| own == name))
    };
    let used: Vec<&str> = ["a", "b", "t"].into_iter().filter(|name| is_used(name)).collect();
    let mut text = format!("policy = 1\n[actions]\ngroups = [{used:?}]\n");
    for call in used {
        let bind = call == "a" || call == "b" && is_bound;
        let _ = write!(text, "[[match]]\non = \"call\"\ntool = \"{call}\"\naction = \"{call}\"\n");
        text += if bind { "bind = { v = \"/arguments/v\" }\n" } else { "" };
    }
    for (number, (law, is_of_value)) in laws.iter().enumerate() {
        let each = if *is_of_value { "for_each = [\"v\"]\n" } else { "" };
        let _ = write!(text, "[[law]]\nid = \"l{number}\"\n{each}ltl = \"{law}\"\n");
    }
    text
}

/// Random policies with some numbers of copies.
fn campaign(seeds: std::ops::Range<u64>) -> Found {
    let mut found = Found::default();
    for seed in seeds {
        let mut rng = Rng(seed * 7919 + 17);
        let text = random(&mut rng, Flavor::ForEach).whole();
        let all = text.replace("for_each = [\"v\"]\n", "").replace("ltl = ", "for_each = [\"v\"]\nltl = ");
        for copies in [2, 3] {
            // Laws without values are shared by all copies.
            compare(&text, copies, &mut found);
            compare(&all, copies, &mut found);
        }
        compare(&conflicting(&mut rng), 2, &mut found);
    }
    println!("{found:?}");
    found
}

#[test]
fn the_abstraction_permits_nothing_that_several_copies_refuse() {
    let mut found = campaign(0..2);
    // What is owed for one value is forbidden for another.
    let laws = [("G (a.ok -> F t)", true), ("G (a.failed -> X G !t)", true)];
    assert!(compare(&of_laws(&laws, true), 2, &mut found), "it is small");
    println!("{found:?}");
    assert!(found.policies >= 4 && found.owing >= 50, "too few for a test: {found:?}");
    assert!(found.lost_together >= 5, "too few positions that are lost together: {found:?}");
    assert!(found.shown * 10 >= found.closed * 7, "too few are shown: {found:?}");
}

/// `TSL_SYNTH_GAMES=2000`, `TSL_SYNTH_GAMES_FROM=0`
#[test]
#[ignore = "a campaign"]
fn campaign_set_abstraction() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("TSL_SYNTH_GAMES_FROM").unwrap_or(0);
    let seeds = first..first + number("TSL_SYNTH_GAMES").unwrap_or(2_000);
    sessions(seeds.clone());
    campaign(seeds);
}

/// A gate, and a session of it.
struct Gate {
    solver: GateSolver,
    session: GateSession,
}

impl Gate {
    /// A gate that judges at most so many copies together, and any larger number by the abstraction.
    fn new(compiled: &std::sync::Arc<CompiledPolicy>, copies: usize) -> Self {
        let options = GateOptions { copies, ..GateOptions::default() };
        let solver = GateSolver::new(compiled.clone(), options, &Budget::unlimited()).expect("a game");
        let session = solver.session();
        Self { solver, session }
    }
    /// Whether a call is granted; none if that is too hard. The session goes on only if `goes_on`.
    fn call(&mut self, call: &HostEvent<'_>, goes_on: bool) -> Option<bool> {
        let open = self.solver.propose(&mut self.session, call);
        let is_granted = open.decision.ruling < Ruling::Ask;
        let is_known = !open.decision.reasons.iter().any(|reason| matches!(reason, Reason::TooHard(_)));
        if goes_on {
            self.session.grant(&self.solver.compiled().clone(), open);
        }
        is_known.then_some(is_granted)
    }
}

/// What two gates decided about the same calls.
#[derive(Debug, Default)]
struct Compared {
    /// Granted by both.
    both: usize,
    /// Granted by the gate that judges several copies, and by the abstract one refused or too hard.
    only_exact: usize,
    /// Refused by both.
    none: usize,
}

/// A session under two gates, of which one judges all copies that owe something by the abstraction.
fn session(seed: u64, compared: &mut Compared) {
    let mut rng = Rng(seed * 3571 + 5);
    let text = if seed.is_multiple_of(2) {
        conflicting(&mut rng)
    } else {
        random(&mut rng, Flavor::ForEach).whole()
    };
    let compiled = compile(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let actions: Vec<String> = compiled.policy.atoms.actions.iter().map(|own| own.name.clone()).collect();
    let (mut coarse, mut exact) = (Gate::new(&compiled, 1), Gate::new(&compiled, 8));
    for line in 1..=30_u64 {
        let tool = actions[rng.below(actions.len())].clone().into();
        let arguments = JsonText(format!("{{\"v\": \"v{}\", \"eur\": 1}}", rng.below(3)).into());
        let id: std::borrow::Cow<'static, str> = format!("c{line}").into();
        let event =
            |kind| HostEvent { time: Some(1_000 * line.cast_signed()), ..HostEvent::new("s", line, kind) };
        let call = event(HostEventKind::Call { id: Some(id.clone()), server: None, tool, arguments });
        let (by_coarse, by_exact) = (coarse.call(&call, false) == Some(true), exact.call(&call, false));
        let Some(by_exact) = by_exact else { continue };
        assert!(by_exact || !by_coarse, "only the abstraction permits {call:?}:\n{text}");
        match (by_coarse, by_exact) {
            (true, _) => compared.both += 1,
            (false, true) => compared.only_exact += 1,
            (false, false) => compared.none += 1,
        }
        if by_exact {
            coarse.call(&call, true);
            exact.call(&call, true);
            let outcome = if rng.below(4) == 0 { CallOutcome::Failed } else { CallOutcome::Ok };
            let result = event(HostEventKind::Result { call: Some(id), outcome, result: None });
            coarse.solver.read_event(&mut coarse.session, &result);
            exact.solver.read_event(&mut exact.session, &result);
        }
    }
}

fn sessions(seeds: std::ops::Range<u64>) -> Compared {
    let mut compared = Compared::default();
    seeds.for_each(|seed| session(seed, &mut compared));
    println!("{compared:?}");
    compared
}

#[test]
fn gates_with_the_abstraction_permit_no_more() {
    let compared = sessions(0..100);
    assert!(compared.both >= 300 && compared.none >= 100, "too few for a test: {compared:?}");
    assert!(compared.only_exact * 5 <= compared.both, "too few are shown: {compared:?}");
}
