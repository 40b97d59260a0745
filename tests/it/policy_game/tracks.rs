//! Positions that the agent cannot distinguish: a game with tracks, compared with the game of sets of positions by its
//! definition.

use super::explicit::{Bounds, Explicit, Mode, Position, Rules};
use super::texts::{Flavor, Text, random};
use super::{SMALL, compile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::model::CallOutcome;
use tsl_synth_policy::language::{ActionId, LawAtom, LawId, LawKind, OUTCOMES, RegisterId};
use tsl_synth_policy::{CompiledPolicy, Game, GameLetter, GameOptions, PolicyPosition, keep_strictest};
use tsl_synth_testkit::Rng;

/// How many sets of positions were compared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) policies: usize,
    pub(super) sets: usize,
    scripts: usize,
    winning: usize,
    pub(super) together: usize,
    pub(super) with_conflict: usize,
    ruled_out: usize,
    pub(super) strictest: usize,
    too_large: usize,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        self.policies += other.policies;
        self.sets += other.sets;
        self.scripts += other.scripts;
        self.winning += other.winning;
        self.together += other.together;
        self.with_conflict += other.with_conflict;
        self.ruled_out += other.ruled_out;
        self.strictest += other.strictest;
        self.too_large += other.too_large;
    }
    pub(super) fn rows(&self) -> [(&'static str, usize); 9] {
        [
            ("policies whose games of sets of positions were compared", self.policies),
            ("... with sets that are lost though each position alone is winning", self.with_conflict),
            ("sets of two or three positions compared", self.sets),
            ("... with a winning strategy", self.winning),
            ("... lost though each position alone is winning", self.together),
            ("scripts with an open outcome among them", self.scripts),
            ("sets from which a letter has ruled positions out", self.ruled_out),
            ("sets that equal their strictest positions, which are fewer", self.strictest),
            ("too large for the definition, left out", self.too_large),
        ]
    }
}

/// The positions after a call and each of its outcomes, from a random position: those in which a script with the
/// command `call;` may end.
fn script(explicit: &Explicit<'_>, rng: &mut Rng) -> Vec<Position> {
    let rules = &explicit.rules;
    let actions = &rules.compiled.policy.atoms.actions;
    let from = explicit.position(rng.below(explicit.len()));
    if actions.is_empty() {
        return Vec::new();
    }
    let pick = |rng: &mut Rng| ActionId::from_index(rng.below(actions.len()));
    let (action, other) = (pick(rng), pick(rng));
    let (call, then) = (rules.bit(LawAtom::Call(action)), rules.bit(LawAtom::Call(other)));
    let mask = |bits: u64| rules.masks(bits).first().copied().unwrap_or(0);
    let mut places = Vec::new();
    for outcome in OUTCOMES {
        let bit = rules.bit(LawAtom::Result(action, outcome));
        let letters = match rules.mode {
            Mode::Apart => vec![call, bit],
            Mode::CallFirst => vec![call | bit],
            Mode::TruthsFirst => vec![call | from.truths, bit | then],
        };
        let mut now = BTreeSet::from([from.clone()]);
        for bits in letters {
            let mask = mask(bits);
            let next = now.iter().flat_map(|place| {
                let mut place = place.clone();
                if rules.mode == Mode::TruthsFirst && bits & bit != 0 {
                    // The outcome is observed before the next call.
                    let observed = rules.observe(&place, bit).unwrap_or_default();
                    let Some(Some(told)) = observed.into_iter().next() else { return BTreeSet::new() };
                    place = told;
                }
                let (ends, broken) = rules.after(&place, bits, mask);
                let is_framed = rules.is_framed(place.last, bits);
                if is_framed && (!broken || bits & bit == 0) { ends } else { BTreeSet::new() }
            });
            now = next.flatten().collect();
        }
        places.extend(now);
    }
    places
}

/// Some sets of positions that read the same letters: positions after scripts, and arbitrary ones. Returns also the
/// number of sets after scripts.
fn starts(explicit: &Explicit<'_>, rng: &mut Rng) -> (Vec<Vec<Position>>, usize) {
    let size = 2 + rng.below(2);
    let (mut sets, mut scripts) = (Vec::new(), 0);
    let shared = |place: &Position| (place.pending.clone(), place.last, place.truths);
    let mut add = |all: Vec<Position>, rng: &mut Rng| {
        let mut by_letters: BTreeMap<_, Vec<Position>> = BTreeMap::new();
        for place in all {
            by_letters.entry(shared(&place)).or_default().push(place);
        }
        let groups: Vec<Vec<Position>> = by_letters.into_values().filter(|group| group.len() > 1).collect();
        if groups.is_empty() {
            return 0;
        }
        let mut group = groups[rng.below(groups.len())].clone();
        while group.len() > size {
            group.swap_remove(rng.below(group.len()));
        }
        let is_new = group.iter().collect::<BTreeSet<_>>().len() > 1;
        sets.extend(is_new.then_some(group));
        usize::from(is_new)
    };
    for _ in 0..3 {
        scripts += add(script(explicit, rng), rng);
        add((0..explicit.len()).map(|node| explicit.position(node).clone()).collect(), rng);
    }
    (sets, scripts)
}

/// Compares the game with tracks with the game of sets of positions, on all sets that can be reached from some sets.
pub(super) fn check(seed: u64, text: &Text) -> Counts {
    let whole = text.whole();
    let compiled = compile(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
    let kept = GameOptions::new(&compiled.policy).kept;
    let mut counts = Counts::default();
    let few = Bounds { nodes: 300, letters: 40_000 };
    let Some(single) = Explicit::solve(&compiled, &kept, 1, few) else {
        return Counts { too_large: 1, ..counts };
    };
    let (sets, scripts) = starts(&single, &mut Rng(seed * 32_452_867 + 7));
    if sets.is_empty() {
        return counts;
    }
    let has_assumed = compiled.policy.laws.iter().any(|law| law.kind == LawKind::Assume);
    let full: usize = sets.iter().map(Vec::len).max().unwrap_or(0);
    let rules = Rules::new(&compiled, &kept, 1);
    let Some(explicit) = Explicit::from(rules, sets, Bounds { nodes: 400, letters: 60_000 }) else {
        return Counts { too_large: 1, ..counts };
    };
    (counts.policies, counts.scripts) = (1, scripts);
    let mut games = (1..=full).map(|tracks| tracked(&compiled, tracks)).collect::<Vec<Game>>();
    for node in 0..explicit.len() {
        let is_winning = compare(&explicit, node, &mut games, &whole);
        let set = explicit.set(node);
        counts.strictest += usize::from(compare_strictest(&explicit, node, &mut games, &whole));
        counts.sets += usize::from(set.len() > 1);
        counts.winning += usize::from(set.len() > 1 && is_winning);
        counts.ruled_out += usize::from(has_assumed && set.len() == 1);
        let positions = set.iter().map(|place| explicit.rules.position(place));
        counts.together +=
            usize::from(!is_winning && positions.into_iter().all(|one| games[0].is_winning(&one)));
    }
    counts.with_conflict = usize::from(counts.together > 0);
    counts
}

fn tracked(compiled: &Arc<CompiledPolicy>, tracks: usize) -> Game {
    let options = GameOptions { tracks, ..GameOptions::new(&compiled.policy) };
    Game::new(compiled, &options, &Budget::unlimited()).expect("small")
}

/// The positions of a set.
fn positions(explicit: &Explicit<'_>, node: usize) -> Vec<PolicyPosition> {
    explicit.set(node).iter().map(|place| explicit.rules.position(place)).collect()
}

/// Compares all answers about one set of positions; returns whether the agent wins there.
fn compare(explicit: &Explicit<'_>, node: usize, games: &mut [Game], whole: &str) -> bool {
    compare_as(explicit, node, &positions(explicit, node), games, whole)
}

/// Compares all answers about one set of positions with those about the strictest of them, if there are fewer; returns
/// whether there are.
fn compare_strictest(explicit: &Explicit<'_>, node: usize, games: &mut [Game], whole: &str) -> bool {
    let (all, compiled) = (positions(explicit, node), games[0].stepping().compiled().clone());
    let mut strictest = all.clone();
    let laws: Vec<LawId> = compiled.policy.laws.ids().collect();
    let registers: Vec<RegisterId> = compiled.policy.registers.ids().collect();
    keep_strictest(&compiled, &laws, &registers, &mut strictest);
    if strictest.len() < all.len() {
        compare_as(explicit, node, &strictest, games, whole);
    }
    strictest.len() < all.len()
}

/// Compares all answers about one set of positions with those of the game about these positions; returns whether the
/// agent wins there.
fn compare_as(
    explicit: &Explicit<'_>,
    node: usize,
    positions: &[PolicyPosition],
    games: &mut [Game],
    whole: &str,
) -> bool {
    let (set, graph) = (explicit.set(node), &explicit.graph);
    let game = &mut games[positions.len() - 1];
    let position = game.joined(positions).expect("the same letters");
    let context = || format!("positions {set:?}\n{whole}");
    assert_eq!(game.is_winning(&position), graph.winning[node], "winning: {}", context());
    assert_eq!(game.is_closed(&position), graph.closed[node], "closed: {}", context());
    assert_eq!(game.is_end_accepted(&position), graph.end[node], "end: {}", context());
    let allowed = game.allowed_actions(&position);
    assert_eq!(allowed, explicit.actions(node, &graph.closed), "allowed: {}", context());
    let legal = game.step_legal_actions(&position);
    assert_eq!(legal, explicit.actions(node, &vec![true; explicit.len()]), "step-legal: {}", context());
    let way = game.way_out(&position, &Budget::unlimited()).expect("no limit");
    assert_eq!(way.map(|way| way.len()), graph.way(node), "way: {}", context());
    graph.winning[node]
}

/// The position after a call of the first action and its outcome.
fn after_call(game: &Game, outcome: CallOutcome) -> PolicyPosition {
    let (stepping, action) = (game.stepping(), ActionId::from_index(0));
    let letter = |atom| GameLetter {
        bits: [stepping.compiled().policy.atoms.bit(atom)].into_iter().collect(),
        reaches: Vec::new(),
    };
    let called = stepping.after(&stepping.initial(), &letter(LawAtom::Call(action)));
    stepping.after(&called, &letter(LawAtom::Result(action, outcome)))
}

/// A call whose outcome the agent does not know: the action that is required after success is wrong after failure.
#[test]
fn one_strategy_must_do_for_all_positions() {
    let text = "policy = 1\nidle = false\n[actions]\ngroups = [[\"a\", \"b\", \"c\"]]\n\
        [[law]]\nid = \"then-b\"\nltl = \"G (a.ok -> X[!] b)\"\n\
        [[law]]\nid = \"then-c\"\nltl = \"G (a.failed -> X[!] c)\"\n";
    let compiled = compile(text).expect("a policy");
    let one = tracked(&compiled, 1);
    let two = tracked(&compiled, 2);
    let ends = [CallOutcome::Ok, CallOutcome::Failed].map(|outcome| after_call(&one, outcome));
    let next = ends.each_ref().map(|end| one.allowed_actions(end));
    assert_eq!(next, [vec![ActionId::from_index(1)], vec![ActionId::from_index(2)]]);
    let both = two.joined(&ends).expect("the same letters");
    assert!(!two.is_winning(&both) && two.allowed_actions(&both).is_empty());
    let same = two.joined(&[ends[0].clone(), ends[0].clone()]).expect("the same letters");
    assert_eq!(two.allowed_actions(&same), next[0]);
}

/// A letter of the world that violates an assumption only after success is possible after failure, and so for both.
#[test]
fn a_letter_is_possible_if_it_is_in_one_of_the_positions() {
    let text = "policy = 1\n[propositions]\np = {}\n[actions]\ngroups = [[\"a\"]]\n\
        [[law]]\nid = \"no-p\"\nltl = \"G !(p && O a)\"\n\
        [[law]]\nid = \"world\"\nkind = \"assume\"\nltl = \"G (a.ok -> X G !p)\"\n";
    let compiled = compile(text).expect("a policy");
    let (one, two) = (tracked(&compiled, 1), tracked(&compiled, 2));
    let ends = [CallOutcome::Ok, CallOutcome::Failed].map(|outcome| after_call(&one, outcome));
    assert_eq!(ends.each_ref().map(|end| one.is_closed(end)), [true, false]);
    let joined = |ends: [&PolicyPosition; 2]| two.joined(&ends.map(Clone::clone)).expect("the same letters");
    assert!(two.is_closed(&joined([&ends[0], &ends[0]])));
    assert!(!two.is_closed(&joined([&ends[0], &ends[1]])));
    assert!(!two.is_closed(&joined([&ends[1], &ends[0]])));
}

/// Two positions that read the same letters correspond to one position of a game with every law twice, if there are no
/// `assume` laws: a letter that violates one would rule out only its own position.
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
        let has_assumed = single.policy.laws.iter().any(|law| law.kind == LawKind::Assume);
        if has_assumed || !single.policy.registers.is_empty() {
            continue;
        }
        let Some(explicit) = Explicit::solve(&single, &[], 1, SMALL) else { continue };
        let budget = Budget::unlimited();
        let options = GameOptions { tracks: 2, ..GameOptions::new(&single.policy) };
        let tracks = Game::new(&single, &options, &budget).expect("small");
        let twice = Game::new(&double, &GameOptions::new(&double.policy), &budget).expect("small");
        for _ in 0..20 {
            let mut pick = || explicit.rules.position(explicit.position(rng.below(explicit.len())));
            let (first, mut second) = (pick(), pick());
            (second.pending, second.last, second.truths) =
                (first.pending.clone(), first.last.clone(), first.truths.clone());
            let joined = tracks.joined(&[first.clone(), second.clone()]).expect("the same letters");
            let mut written = first.clone();
            written.laws = first.laws.iter().chain(second.laws.iter()).cloned().collect();
            assert_eq!(tracks.is_winning(&joined), twice.is_winning(&written), "{}", text.whole());
            let actions = twice.allowed_actions(&written);
            assert_eq!(tracks.allowed_actions(&joined), actions, "{}", text.whole());
            seen[usize::from(tracks.is_winning(&joined))] += 1;
        }
    }
    assert!(seen.iter().all(|&seen| seen > 20), "{seen:?}");
}
