//! Policies in parts: the product of the games of the parts is the game of all laws.

use super::compile;
use super::texts::{Flavor, random};
use std::fmt::Write;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::logic::Letter;
use tsl_synth_policy::language::{ActionId, LawAtom, LawId, OUTCOMES, PropositionId};
use tsl_synth_policy::{CompiledPolicy, Game, GameLetter, GameOptions, PolicyPosition, Standing, parts};
use tsl_synth_testkit::Rng;

/// The names in the laws and tables of random policies.
const NAMES: [&str; 10] = ["a", "b", "c", "p", "q", "r", "held0", "high0", "high1", "unread"];

/// A text with other names for actions and propositions.
fn renamed(text: &str, suffix: &str) -> String {
    let mut all = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        let _ = write!(all, "{word}");
        if NAMES.contains(&word.as_str()) {
            all += suffix;
        }
        word.clear();
        all.push(c);
    }
    all
}

/// The lines of a section of a policy.
fn section<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let Some(start) = text.find(from) else { return "" };
    let rest = &text[start + from.len()..];
    &rest[..rest.find(to).unwrap_or(rest.len())]
}

/// A policy with the laws of two random ones, over different names; their actions are one group, with one action that
/// no law reads.
fn joined(rng: &mut Rng, flavor: Flavor) -> String {
    let texts: Vec<String> = ["1", "2"].map(|suffix| renamed(&random(rng, flavor).whole(), suffix)).into();
    let idle = if rng.below(3) == 0 { "idle = false\n" } else { "" };
    let mut all = format!("policy = 1\n{idle}[propositions]\n");
    for text in &texts {
        all += section(text, "[propositions]\n", "[actions]");
    }
    let names = |text: &str| section(text, "groups = [[", "]]").to_string();
    let _ = write!(all, "[actions]\ngroups = [[{}, {}, \"free\"]]\n", names(&texts[0]), names(&texts[1]));
    if texts.iter().any(|text| text.contains("[actions.effects]")) {
        all += "[actions.effects]\n";
        for text in &texts {
            all += section(text, "[actions.effects]\n", "[[");
        }
    }
    for (i, text) in texts.iter().enumerate() {
        let tables = ["[[count]]", "[[match]]", "[[law]]"].iter().filter_map(|name| text.find(name));
        let start = tables.min().unwrap_or(text.len());
        all += &text[start..].replace("id = \"law-", &format!("id = \"law-{i}-"));
    }
    all
}

/// The games of the parts, with their laws.
struct Product {
    games: Vec<Game>,
}

impl Product {
    fn new(compiled: &Arc<CompiledPolicy>, kept: &[LawId], assumed: &[LawId]) -> Option<Self> {
        let mut laws: Vec<LawId> = kept.iter().chain(assumed).copied().collect();
        laws.sort_unstable();
        let parts = parts(compiled, &laws);
        let game = |part: &tsl_synth_policy::PolicyPart| {
            let own = |laws: &[LawId]| laws.iter().copied().filter(|law| part.laws.contains(law)).collect();
            let options = GameOptions {
                kept: own(kept),
                assumed: own(assumed),
                has_others: true,
                ..GameOptions::new(&compiled.policy)
            };
            Game::new(compiled, &options, &Budget::unlimited()).expect("small")
        };
        (parts.len() > 1).then(|| Self { games: parts.iter().map(game).collect() })
    }
    fn is_closed(&self, position: &PolicyPosition) -> bool {
        self.games.iter().all(|game| game.is_closed(position))
    }
    /// Of the games that need a call before the world does anything all need the same one.
    fn is_winning(&self, position: &PolicyPosition) -> bool {
        let standings: Vec<Standing> = self.games.iter().map(|game| game.standing(position)).collect();
        let is_urgent = |one: &Standing| matches!(one, Standing::Closed | Standing::Urgent);
        let mut actions = self.games[0].stepping().compiled().policy.atoms.actions.ids();
        standings.iter().all(|one| *one == Standing::Closed)
            || standings.iter().all(is_urgent) && actions.any(|action| self.is_allowed(position, action))
            || self.games.iter().all(|game| game.is_end_accepted(position))
    }
    fn is_allowed(&self, position: &PolicyPosition, action: ActionId) -> bool {
        self.games.iter().all(|game| game.allowed_actions(position).contains(&action))
    }
}

/// A random letter of the agent or the world.
fn letter(rng: &mut Rng, compiled: &CompiledPolicy, position: &PolicyPosition) -> GameLetter {
    let atoms = &compiled.policy.atoms;
    let mut bits = Letter::new();
    if rng.flip() {
        bits.insert(atoms.bit(LawAtom::Call(ActionId::from_index(rng.below(atoms.actions.len())))));
    } else {
        let pending: Vec<ActionId> = position.pending.keys().map(|(action, _)| *action).collect();
        if !pending.is_empty() && rng.flip() {
            bits.insert(
                atoms.bit(LawAtom::Result(pending[rng.below(pending.len())], OUTCOMES[rng.below(3)])),
            );
        }
        for id in 0..atoms.propositions.len() {
            let id = PropositionId::from_index(id);
            if !atoms.propositions[id].is_computed && rng.below(3) == 0 {
                let clear = atoms.propositions[id].is_state && rng.flip();
                bits.insert(atoms.bit(if clear { LawAtom::Clear(id) } else { LawAtom::Proposition(id) }));
            }
        }
    }
    GameLetter { bits, reaches: Vec::new() }
}

/// The number of positions in which the product was compared with the game of all laws, and of those that are lost.
fn compare(seed: u64, flavor: Flavor) -> (usize, usize) {
    let mut rng = Rng(seed * 7919 + 5);
    let text = joined(&mut rng, flavor);
    compare_text(seed, &mut rng, &text)
}

/// The same for one policy.
fn compare_text(seed: u64, rng: &mut Rng, text: &str) -> (usize, usize) {
    let compiled = compile(text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let GameOptions { kept, assumed, .. } = GameOptions::new(&compiled.policy);
    let Some(product) = Product::new(&compiled, &kept, &assumed) else { return (0, 0) };
    // Parts with registers, and those that count letters, may let time pass; so does the game that they are compared with.
    let parts = parts(&compiled, &[kept, assumed].concat());
    let has_others = !compiled.policy.registers.is_empty() || parts.iter().any(|part| part.counts_letters);
    let whole = GameOptions { has_others, ..GameOptions::new(&compiled.policy) };
    let whole = Game::new(&compiled, &whole, &Budget::unlimited()).expect("small");
    // Without registers no part may permit what only letters help that the world may not have.
    let is_counted = !compiled.policy.registers.is_empty();
    let exact = GameOptions::new(&compiled.policy);
    let exact = (!is_counted).then(|| Game::new(&compiled, &exact, &Budget::unlimited()).expect("small"));
    let (mut positions, mut lost) = (0, 0);
    for _ in 0..30 {
        let mut position = whole.stepping().initial();
        for _ in 0..8 {
            assert_eq!(
                whole.is_closed(&position),
                product.is_closed(&position),
                "seed {seed}: {position:?}\n{text}"
            );
            assert_eq!(
                whole.is_winning(&position),
                product.is_winning(&position),
                "seed {seed}: {position:?}\n{text}"
            );
            let is_sound = |exact: &Game| exact.is_closed(&position) || !product.is_closed(&position);
            assert!(exact.as_ref().is_none_or(is_sound), "seed {seed}: {position:?}\n{text}");
            for action in compiled.policy.atoms.actions.ids() {
                let allowed = whole.allowed_actions(&position).contains(&action);
                assert_eq!(
                    allowed,
                    product.is_allowed(&position, action),
                    "seed {seed}: {position:?}\n{text}"
                );
            }
            positions += 1;
            lost += usize::from(!whole.is_winning(&position));
            position = whole.stepping().after(&position, &letter(rng, &compiled, &position));
        }
    }
    (positions, lost)
}

/// A policy of some rules of all patterns that share a few actions and a state.
fn ruled(rng: &mut Rng) -> String {
    let names = ["a", "b", "c", "d", "e"];
    let mut laws = String::new();
    // Half of the policies have few patterns, so that rules of the same pattern meet.
    let few: Vec<&str> = (0..=rng.below(3)).map(|_| RULES[rng.below(RULES.len())]).collect();
    let patterns = if rng.flip() { few.as_slice() } else { &RULES };
    for rule in 0..2 + rng.below(4) {
        let pattern = patterns[rng.below(patterns.len())];
        let mut left: Vec<&str> = names[..3 + rng.below(3)].to_vec();
        let mut of = || left.remove(rng.below(left.len()));
        let (a, b, c) = (of(), of(), of());
        let most = 1 + rng.below(2);
        let words = pattern.split(' ').map(|word| match word {
            "A" => a.into(),
            "B" => b.into(),
            "C" => c.into(),
            "N" => most.to_string(),
            _ => word.to_string(),
        });
        let text = words.collect::<Vec<_>>().join(" ");
        let kind = if rng.below(8) == 0 { "kind = \"soft\"\n" } else { "" };
        let key = if text.starts_with("G (") { "ltl" } else { "rule" };
        let _ = write!(laws, "[[law]]\nid = \"law-{rule}\"\n{kind}{key} = \"{text}\"\n");
    }
    let idle = if rng.below(6) == 0 { "idle = false\n" } else { "" };
    let mut all = format!(
        "policy = 1\n{idle}[propositions]\np = {{ state = true, initial = false }}\n\
         [actions]\ngroups = [[\"a\", \"b\", \"c\", \"d\", \"e\", \"free\"]]\n"
    );
    for value in [true, false] {
        let _ = write!(
            all,
            "[[match]]\non = \"message\"\nrole = \"user\"\nregex = \"{value}\"\nset = {{ p = {value} }}\n"
        );
    }
    all + &laws
}

/// The patterns of these rules.
const RULES: [&str; 21] = [
    "G ( A -> X ! B )",
    "G ( A -> X[!] true )",
    "G ( A -> X G ! p )",
    "A then B immediately",
    "A requires B before",
    "A requires B since C",
    "B forbids A after",
    "A then B eventually",
    "A then B eventually",
    "A then B immediately",
    "at most N A",
    "at most N A since B",
    "at most N A per 60s",
    "never A while p",
    "never A unless p",
    "A within N of B",
    "A within N of B",
    "A only between B and C",
    "end requires A",
    "after A end requires B",
    "ask before first A",
];

/// The numbers of policies with parts, of positions, and of lost positions.
fn rules_campaign(seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let (mut policies, mut positions, mut lost) = (0, 0, 0);
    for seed in seeds {
        let mut rng = Rng(seed * 104_729 + 11);
        let text = ruled(&mut rng);
        let (own, own_lost) = compare_text(seed, &mut rng, &text);
        policies += usize::from(own > 0);
        positions += own;
        lost += own_lost;
    }
    println!("{policies} policies with parts, {positions} positions, {lost} of them lost");
    (policies, positions, lost)
}

#[test]
fn parts_that_share_actions_are_the_game_of_all_laws() {
    let (policies, positions, lost) = rules_campaign(0..400);
    assert!(
        policies >= 150 && positions >= 30_000 && lost >= 1_000,
        "{policies}, {positions}, {lost}: too few"
    );
}

/// `TSL_SYNTH_PARTS=6000`
#[test]
#[ignore = "a campaign"]
fn campaign_policy_rules() {
    let seeds = std::env::var("TSL_SYNTH_PARTS").ok().and_then(|n| n.parse().ok()).unwrap_or(6000);
    rules_campaign(400..400 + seeds);
}

fn campaign(seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let (mut policies, mut positions, mut lost) = (0, 0, 0);
    for seed in seeds {
        let flavor = [Flavor::Plain, Flavor::Registers, Flavor::ForEach][seed as usize % 3];
        let (own, own_lost) = compare(seed, flavor);
        policies += usize::from(own > 0);
        positions += own;
        lost += own_lost;
    }
    println!("{policies} policies with parts, {positions} positions, {lost} of them lost");
    (policies, positions, lost)
}

#[test]
fn parts_are_the_game_of_all_laws() {
    let (policies, positions, lost) = campaign(0..900);
    assert!(
        policies >= 100 && positions >= 20_000 && lost >= 1_000,
        "{policies}, {positions}, {lost}: too few"
    );
}

#[test]
fn the_only_part_has_all_actions() {
    // The outcome of `b`, which no law reads, is a letter: after `a` it violates the law.
    let text =
        "policy = 1\n[actions]\ngroups = [[\"a\", \"b\"]]\n[[law]]\nid = \"one\"\nltl = \"G (a -> X a)\"\n";
    let compiled = compile(text).expect("a policy");
    let parts = parts(&compiled, &GameOptions::new(&compiled.policy).kept);
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].actions.len(), 2);
}

/// `TSL_SYNTH_PARTS=6000`
#[test]
#[ignore = "a campaign"]
fn campaign_policy_parts() {
    let seeds = std::env::var("TSL_SYNTH_PARTS").ok().and_then(|n| n.parse().ok()).unwrap_or(6000);
    let (policies, ..) = campaign(0..seeds);
    assert!(policies * 40 >= seeds as usize, "too few for a campaign");
}
