//! Many random policies.

use super::definition::{Counts, compare};
use super::explicit::Bounds;
use super::texts::{FLAVORS, Flavor, Text, of_outcomes, random};
use super::{SMALL, laws, tracks};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tsl_synth_testkit::Rng;

/// What a campaign has found.
#[derive(Default)]
struct Found {
    counts: Counts,
    tracks: tracks::Counts,
    properties: laws::Counts,
    too_large: usize,
    failed: Vec<String>,
}

impl Found {
    fn one(&mut self, seed: u64, text: &Text, copies: usize, bounds: Bounds) {
        let whole = || {
            let mut tracked = tracks::check(seed, text);
            tracked.add(&tracks::check(seed, &of_outcomes(&mut Rng(seed * 104_729 + 11))));
            (compare(text, copies, bounds), laws::check(seed, text), tracked)
        };
        match catch_unwind(AssertUnwindSafe(whole)) {
            Ok((compared, properties, tracks)) => {
                compared.as_ref().map_or_else(|| self.too_large += 1, |counts| self.counts.add(counts));
                self.properties.add(&properties);
                self.tracks.add(&tracks);
            }
            Err(_) => self.failed.push(format!("seed {seed}, {copies} copies")),
        }
    }
    fn print(&self) {
        for (name, count) in self.counts.rows() {
            println!("{count:>8}  {name}");
        }
        println!("{:>8}  too large for the definition, left out", self.too_large);
        for (name, count) in self.properties.rows().into_iter().chain(self.tracks.rows()) {
            println!("{count:>8}  {name}");
        }
    }
}

/// The policies of some seeds; `TSL_SYNTH_GAME=<seed>` takes one of them.
fn campaign(seeds: Range<u64>, bounds: Bounds) -> Found {
    let mut found = Found::default();
    let one = std::env::var("TSL_SYNTH_GAME").ok().and_then(|n| n.parse::<u64>().ok());
    let is_timed = std::env::var_os("TSL_SYNTH_GAMES_TIMES").is_some();
    for seed in seeds.filter(|&seed| one.is_none_or(|one| one == seed)) {
        let mut rng = Rng(seed * 7919 + 3);
        let flavor = FLAVORS[seed as usize % FLAVORS.len()];
        let text = random(&mut rng, flavor);
        let copies = if flavor == Flavor::ForEach && rng.below(4) == 0 { 2 } else { 1 };
        let start = std::time::Instant::now();
        found.one(seed, &text, copies, bounds);
        if is_timed {
            println!("seed {seed}, {flavor:?}: {:?}", start.elapsed());
        }
    }
    assert!(found.failed.is_empty(), "{:?}", found.failed);
    found
}

#[test]
fn games_equal_their_definition() {
    let found = campaign(0..14, SMALL);
    found.print();
    let tracks = &found.tracks;
    assert!(found.counts.policies >= 9 && tracks.sets >= 30 && tracks.together >= 2, "too few for a test");
    assert!(tracks.strictest >= 3, "too few sets with a strictest position: {}", tracks.strictest);
}

/// `TSL_SYNTH_GAMES=1800`, `TSL_SYNTH_GAMES_FROM=0`
#[test]
#[ignore = "a campaign"]
fn campaign_policy_games() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("TSL_SYNTH_GAMES_FROM").unwrap_or(0);
    let seeds = number("TSL_SYNTH_GAMES").unwrap_or(1800);
    let found = campaign(first..first + seeds, Bounds { nodes: 600, letters: 100_000 });
    found.print();
    if seeds < 1800 {
        return;
    }
    let counts = &found.counts;
    let quotas = [
        (counts.policies, 1000, "policies"),
        (counts.look_ahead, 300, "need look-ahead"),
        (counts.pending, 300, "with pending calls"),
        (counts.for_each, 200, "with bound values"),
        (counts.registers, 200, "with registers"),
        (found.tracks.policies, 300, "with games of sets of positions"),
        (found.tracks.with_conflict, 100, "with sets that are lost though each position alone is winning"),
    ];
    for (count, least, what) in quotas {
        assert!(count >= least, "{count} policies {what}, at least {least} are asked for");
    }
}
