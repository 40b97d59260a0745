//! The game of policies against its definition, position by position, and laws about games.

mod explicit;
mod measure;
mod texts;
mod traps;

use crate::support::Rng;
use explicit::{Explicit, Mode};
use std::collections::BTreeSet;
use std::sync::Arc;
use texts::{FLAVORS, Flavor, Text, random};
use tsl_synth::base::{Budget, Id};
use tsl_synth::control::policy::{CompiledPolicy, Game, GameLetter, GameOptions, SoftGames};
use tsl_synth::diag::Diagnostics;
use tsl_synth::logic::{BitId, Letter};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::policy::{ActionId, LawId, LawKind, load_policy};

fn compile(text: &str) -> Result<Arc<CompiledPolicy>, String> {
    let mut map = SourceMap::new();
    let source = map.add("random.toml", text);
    let mut diagnostics = Diagnostics::new();
    let policy = load_policy(&mut map, source, &mut diagnostics);
    let policy =
        policy.ok_or_else(|| format!("{:?}", diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()))?;
    CompiledPolicy::new(policy, &Budget::unlimited()).map(Arc::new).map_err(|limit| limit.to_string())
}

/// What a campaign has seen.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    policies: usize,
    positions: usize,
    look_ahead: usize,
    look_ahead_together: usize,
    pending: usize,
    for_each: usize,
    registers: usize,
    losing: usize,
    effects: usize,
    assumed: usize,
    next: usize,
    same: usize,
    two_copies: usize,
    skipped: usize,
}

fn bits(all: u64) -> Letter {
    (0..64).filter(|i| all >> i & 1 == 1).map(BitId::from_index).collect()
}

/// Compares a game with its definition; gives whether it was small enough.
fn compare(text: &Text, copies: usize, counts: &mut Counts) -> bool {
    let whole = text.whole();
    let compiled = compile(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
    let policy = &compiled.policy;
    let mut options = GameOptions::new(policy);
    options.copies = copies;
    let Some(explicit) = Explicit::solve(&compiled, &options.kept, copies, 600) else { return false };
    let budget = Budget::unlimited();
    let has_key = policy.laws.iter().any(|law| !law.for_each.is_empty());
    let mut game = match Game::new(&compiled, &options, &budget) {
        Ok(game) => game,
        Err(limit) => panic!("{limit}\n{whole}"),
    };
    if options.kept.iter().any(|&law| !compiled.monitors[law].dfa().is_live(0)) {
        assert!(!game.is_winning(&game.stepping().initial()), "{whole}");
        return false;
    }
    let mut singles: Vec<Game> = Vec::new();
    for &law in &options.kept {
        let single = GameOptions { kept: vec![law], ..options.clone() };
        singles.push(Game::new(&compiled, &single, &budget).expect("smaller than all"));
    }
    let (mut differs, mut together, mut pending) = (false, false, false);
    for (p, place) in explicit.places.iter().enumerate() {
        let position = explicit.position(place);
        let context = || format!("position {place:?}\n{whole}");
        assert_eq!(game.is_winning(&position), explicit.winning[p], "winning: {}", context());
        assert_eq!(game.is_closed(&position), explicit.closed[p], "closed: {}", context());
        assert_eq!(game.is_end_accepted(&position), explicit.end[p], "end: {}", context());
        let allowed = game.allowed_actions(&position).expect("no limit");
        assert_eq!(allowed, explicit.actions(p, &explicit.closed), "allowed: {}", context());
        let all = vec![true; explicit.places.len()];
        let legal = game.step_legal_actions(&position).expect("no limit");
        assert_eq!(legal, explicit.actions(p, &all), "step-legal: {}", context());
        let owed = game.owed(&position);
        assert_eq!(owed.is_empty(), explicit.end[p], "owed: {}", context());
        // Letters known in full, where nothing is left to the world.
        for choice in explicit.choices[p].iter().filter(|_| explicit.mode != Mode::CallFirst) {
            let ends: BTreeSet<_> = choice.answers.iter().flatten().collect();
            if let [Some(to)] = ends.into_iter().collect::<Vec<_>>()[..]
                && policy.registers.is_empty()
            {
                let reaches = if has_key { vec![choice.mask] } else { Vec::new() };
                let letter = GameLetter { bits: bits(choice.letter | place.truths), reaches };
                assert_eq!(
                    game.is_allowed(&position, &letter),
                    explicit.closed[*to],
                    "letter: {}",
                    context()
                );
                let after = game.stepping().after(&position, &letter);
                let mut expected = explicit.position(&explicit.places[*to]);
                // Soft laws begin again when they are violated.
                for (law, rule) in policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Soft) {
                    let _ = rule;
                    expected.laws[law.index()].clone_from(&after.laws[law.index()]);
                }
                expected.last = after.last.clone();
                for (slot, count) in &after.pending {
                    assert_eq!(expected.pending.remove(slot), Some((*count).min(2)), "{}", context());
                }
                assert_eq!((after.laws, expected.pending.len()), (expected.laws, 0), "{}", context());
            }
        }
        let way = game.way_out(&position, &budget).expect("no limit");
        assert_eq!(way.as_ref().map(Vec::len), explicit.way(p), "way {way:?}: {}", context());
        if legal != allowed {
            differs = true;
            let by_each = |action: &ActionId, singles: &mut Vec<Game>| {
                singles
                    .iter_mut()
                    .all(|one| one.allowed_actions(&position).expect("no limit").contains(action))
            };
            together |= legal.iter().any(|action| !allowed.contains(action) && by_each(action, &mut singles));
        }
        pending |= place.pending.values().map(|&count| usize::from(count)).sum::<usize>() >= 2;
    }
    let count = |counter: &mut usize, yes: bool| *counter += usize::from(yes);
    counts.policies += 1;
    counts.positions += explicit.places.len();
    count(&mut counts.look_ahead, differs);
    count(&mut counts.look_ahead_together, together);
    count(&mut counts.pending, pending);
    count(&mut counts.for_each, has_key);
    count(&mut counts.registers, !policy.registers.is_empty());
    count(&mut counts.losing, !game.can_act_and_stop());
    count(&mut counts.effects, policy.effects.iter().any(Option::is_some));
    count(&mut counts.assumed, policy.laws.iter().any(|law| law.kind == LawKind::Assume));
    count(&mut counts.next, explicit.mode == Mode::CallFirst);
    count(&mut counts.same, explicit.mode == Mode::TruthsFirst);
    count(&mut counts.two_copies, has_key && copies > 1);
    true
}

fn campaign(seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    let mut failed = Vec::new();
    let one = std::env::var("TSL_SYNTH_GAME").ok().and_then(|n| n.parse::<u64>().ok());
    for seed in seeds.filter(|&seed| one.is_none_or(|one| one == seed)) {
        let mut rng = Rng(seed * 7919 + 3);
        let flavor = FLAVORS[seed as usize % FLAVORS.len()];
        let text = random(&mut rng, flavor);
        let copies = if flavor == Flavor::ForEach && rng.below(4) == 0 { 2 } else { 1 };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut own = counts;
            (compare(&text, copies, &mut own), own)
        }));
        match caught {
            Ok((true, own)) => counts = own,
            Ok((false, _)) => counts.skipped += 1,
            Err(_) => failed.push(format!("seed {seed}, {flavor:?}, {copies} copies")),
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
    counts
}

#[test]
fn games_equal_their_definition() {
    let counts = campaign(0..240);
    println!("{counts:#?}");
    assert!(counts.policies >= 150, "{counts:?}");
}

/// `TSL_SYNTH_GAMES=1800`, `TSL_SYNTH_GAMES_FROM=0`
#[test]
#[ignore = "a campaign"]
fn campaign_policy_games() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("TSL_SYNTH_GAMES_FROM").unwrap_or(0);
    let counts = campaign(first..first + number("TSL_SYNTH_GAMES").unwrap_or(1800));
    println!("{counts:#?}");
}

/// The set of allowed actions in each position that the explicit game reaches.
fn allowed_everywhere(text: &Text, kept: &[LawId]) -> Option<Vec<Vec<ActionId>>> {
    let compiled = compile(&text.whole()).ok()?;
    let all: Vec<LawId> = compiled.policy.laws.ids().collect();
    let explicit = Explicit::solve(&compiled, &[], 1, 400)?;
    let _ = all;
    let options = GameOptions { kept: kept.to_vec(), ..GameOptions::new(&compiled.policy) };
    let mut game = Game::new(&compiled, &options, &Budget::unlimited()).expect("small");
    let positions = explicit.places.iter().map(|place| explicit.position(place));
    Some(positions.map(|position| game.allowed_actions(&position).expect("no limit")).collect())
}

#[test]
fn more_laws_never_allow_more() {
    let mut seen = 0;
    for seed in 0..60 {
        let mut rng = Rng(seed * 104_729 + 11);
        let text = random(&mut rng, FLAVORS[seed as usize % FLAVORS.len()]);
        let laws: Vec<LawId> = (0..text.laws.len()).map(LawId::from_index).collect();
        let hard: Vec<LawId> =
            laws.iter().copied().filter(|law| !text.laws[law.index()].contains("assume")).collect();
        let mut before: Option<Vec<Vec<ActionId>>> = None;
        for count in 0..=hard.len() {
            let Some(allowed) = allowed_everywhere(&text, &hard[..count]) else { break };
            if let Some(before) = &before {
                for (more, fewer) in before.iter().zip(&allowed) {
                    assert!(fewer.iter().all(|action| more.contains(action)), "{}", text.whole());
                    seen += usize::from(more != fewer);
                }
            }
            before = Some(allowed);
        }
    }
    assert!(seen > 20, "laws forbid something: {seen}");
}

#[test]
fn order_and_names_of_laws_change_nothing() {
    for seed in 0..60 {
        let mut rng = Rng(seed * 15_485_863 + 5);
        let text = random(&mut rng, FLAVORS[seed as usize % FLAVORS.len()]);
        let whole = text.whole();
        let answers = |whole: &str| {
            let compiled = compile(whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
            let mut game = Game::new(&compiled, &GameOptions::new(&compiled.policy), &Budget::unlimited())
                .expect("small");
            let initial = game.stepping().initial();
            let actions = game.allowed_actions(&initial).expect("no limit");
            let way = game.way_out(&initial, &Budget::unlimited()).expect("no limit").map(|way| way.len());
            (game.can_act_and_stop(), actions, way)
        };
        let expected = answers(&whole);
        let mut reversed = text.clone();
        reversed.laws.reverse();
        assert_eq!(answers(&reversed.whole()), expected, "{whole}");
        // Other names, which sort otherwise.
        let renamed =
            whole.replace("held0", "z0").replace("\"v\"", "\"a_value\"").replace("{ v =", "{ a_value =");
        assert_eq!(answers(&renamed), expected, "{whole}");
    }
}

#[test]
fn soft_laws_are_kept_in_their_order() {
    let text = "policy = 1\n[propositions]\np = {}\n[actions]\ngroups = [[\"a\", \"b\"]]\n\
        [[law]]\nid = \"one\"\nkind = \"soft\"\nltl = \"F a\"\n\
        [[law]]\nid = \"two\"\nkind = \"soft\"\nltl = \"G !a\"\n\
        [[law]]\nid = \"three\"\nkind = \"soft\"\nltl = \"F b\"\n\
        [[law]]\nid = \"four\"\nkind = \"hard\"\nltl = \"G (b -> X G !a)\"\n";
    let compiled = compile(text).expect("a policy");
    let mut games = SoftGames::new(&compiled, &GameOptions::new(&compiled.policy));
    let budget = Budget::unlimited();
    let position = games.game(&[], &budget).expect("small").stepping().initial();
    let kept = games.kept(&position, &budget).expect("small");
    assert_eq!(kept, [0, 2].map(LawId::from_index));
    let b = compiled.policy.atoms.bit(tsl_synth::spec::policy::Atom::Call(ActionId::from_index(1)));
    let letter = GameLetter { bits: [b].into_iter().collect(), reaches: Vec::new() };
    let game = games.game(&kept, &budget).expect("small");
    assert!(!game.is_allowed(&position, &letter) && game.is_step_legal(&position, &letter));
    // After `b`, `a` is forbidden for ever, and so the first soft law goes.
    let after = game.stepping().after(&position, &letter);
    assert_eq!(games.kept(&after, &budget).expect("small"), [1, 2].map(LawId::from_index));
}

/// Two positions that see the same letters are one position of a game with every law twice.
#[test]
fn tracks_are_laws_written_twice() {
    let mut seen = [0; 2];
    for seed in 0..60 {
        let mut rng = Rng(seed * 32_452_843 + 1);
        let flavor = [Flavor::Plain, Flavor::Next, Flavor::Same][seed as usize % 3];
        let text = random(&mut rng, flavor);
        let single = compile(&text.whole()).expect("a policy");
        let mut doubled = text.clone();
        doubled.laws.extend(text.laws.iter().cloned());
        let double = compile(&doubled.whole()).expect("a policy");
        if !single.policy.registers.is_empty() {
            continue;
        }
        let Some(explicit) = Explicit::solve(&single, &[], 1, 300) else { continue };
        let budget = Budget::unlimited();
        let options = GameOptions { tracks: 2, ..GameOptions::new(&single.policy) };
        let mut tracks = Game::new(&single, &options, &budget).expect("small");
        let mut twice = Game::new(&double, &GameOptions::new(&double.policy), &budget).expect("small");
        for _ in 0..20 {
            let first = explicit.position(&explicit.places[rng.below(explicit.places.len())]);
            let mut second = explicit.position(&explicit.places[rng.below(explicit.places.len())]);
            (second.pending, second.last, second.truths) =
                (first.pending.clone(), first.last.clone(), first.truths.clone());
            let joined = tracks.stepping().joined(&[first.clone(), second.clone()]);
            let mut written = first.clone();
            written.laws.extend(second.laws.iter().cloned());
            assert_eq!(tracks.is_winning(&joined), twice.is_winning(&written), "{}", text.whole());
            let actions = twice.allowed_actions(&written).expect("no limit");
            assert_eq!(tracks.allowed_actions(&joined).expect("no limit"), actions, "{}", text.whole());
            seen[usize::from(tracks.is_winning(&joined))] += 1;
        }
    }
    assert!(seen.iter().all(|&seen| seen > 20), "{seen:?}");
}

/// The standing of all laws together, by a search through the product of the monitors over all letters.
#[test]
fn laws_stand_together_as_some_word_says() {
    use tsl_synth::control::policy::Conjunction;
    use tsl_synth::model::Standing;
    let mut dead = 0;
    for seed in 0..200 {
        let mut rng = Rng(seed * 49_979_687 + 1);
        let text = random(&mut rng, Flavor::Plain);
        let compiled = compile(&text.whole()).expect("a policy");
        let mut policy = compiled.policy.clone();
        if policy.atoms.bits() > 12 {
            continue;
        }
        let possible = policy.atoms.possible(&mut policy.guards, true);
        let letters: Vec<Letter> = (0..1 << policy.atoms.bits())
            .map(bits)
            .filter(|letter| policy.guards.contains(possible, letter))
            .collect();
        let laws: Vec<LawId> = policy.laws.ids().collect();
        let mut states: Vec<Vec<u32>> = vec![vec![0; laws.len()]];
        let mut next: Vec<BTreeSet<usize>> = Vec::new();
        while next.len() < states.len() {
            let from = states[next.len()].clone();
            let mut own = BTreeSet::new();
            for letter in &letters {
                let to: Vec<u32> =
                    laws.iter().map(|&law| compiled.step(law, from[law.index()], letter)).collect();
                let known = states.iter().position(|one| *one == to);
                own.insert(known.unwrap_or_else(|| {
                    states.push(to);
                    states.len() - 1
                }));
            }
            next.push(own);
        }
        let holds = |state: &Vec<u32>| {
            laws.iter().all(|&law| compiled.monitors[law].dfa().is_accepting(state[law.index()]))
        };
        let mut live: Vec<bool> = states.iter().map(holds).collect();
        for _ in 0..states.len() {
            live = (0..states.len()).map(|i| live[i] || next[i].iter().any(|&to| live[to])).collect();
        }
        let conjunction = Conjunction::new(&compiled, &laws, 1 << 20, &Budget::unlimited()).expect("small");
        for (state, live) in states.iter().zip(live) {
            let standing = conjunction.standing(&compiled, state);
            assert_eq!(standing != Standing::Violated, live, "{state:?}\n{}", text.whole());
            assert_eq!(standing.holds(), live && holds(state), "{state:?}\n{}", text.whole());
            let each = laws.iter().all(|&law| compiled.monitors[law].dfa().is_live(state[law.index()]));
            dead += usize::from(each && !live);
        }
    }
    assert!(dead > 10, "laws of which each is alive and all together are not: {dead}");
}

#[test]
fn runs_without_end_are_decided_for_safety_laws() {
    let policy = |law: &str, idle: bool| {
        let text = format!(
            "policy = 1\nend = \"infinite\"\nidle = {idle}\n[propositions]\np = {{}}\n[actions]\n\
             groups = [[\"a\", \"b\"]]\n[[law]]\nid = \"one\"\nltl = \"{law}\"\n"
        );
        let compiled = compile(&text).expect("a policy");
        Game::new(&compiled, &GameOptions::new(&compiled.policy), &Budget::unlimited())
            .map(|game| game.can_act_and_stop())
            .map_err(|limit| limit.what)
    };
    assert_eq!(policy("G (a -> X G !b)", false), Ok(true));
    assert_eq!(policy("G (a -> X G !act) && G !b", false), Ok(false));
    assert_eq!(policy("G (a -> X G !act) && G !b", true), Ok(true));
    assert_eq!(policy("G (a -> X !p)", true), Ok(true));
    assert!(policy("G F a", true).is_err_and(|what| what.contains("`one` is not a safety law")));
}

#[test]
fn a_game_past_its_limit_gives_no_answer() {
    let mut rng = Rng(77);
    let compiled = compile(&random(&mut rng, Flavor::Next).whole()).expect("a policy");
    let options = GameOptions { nodes: 8, ..GameOptions::new(&compiled.policy) };
    assert!(Game::new(&compiled, &options, &Budget::unlimited()).is_err());
    let options = GameOptions::new(&compiled.policy);
    assert!(Game::new(&compiled, &options, &Budget::unlimited().with_work(10)).is_err());
}
