//! Random policies: an agent that proposes random actions, compared with the definition of the game.
//!
//! If calls and events of the world have separate letters, the position is tracked by the rules of the definition, and
//! each decision is compared with the game by its definition from that position. Otherwise the monitors check the
//! granted calls.

use super::loaded;
use super::walk::Walk;
use crate::policy_game::texts::{FLAVORS, Flavor, random};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tsl_synth_seats::journal::CHECKPOINT;
use tsl_synth_testkit::Rng;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) policies: usize,
    pub(super) granted: usize,
    pub(super) refused: usize,
    pub(super) compared: usize,
    /// Refused although no law is violated at once.
    pub(super) ahead: usize,
    /// Compared with one copy for a value and one for values not seen.
    pub(super) copies: usize,
    pub(super) lost: usize,
    pub(super) soft_dropped: usize,
    pub(super) too_large: usize,
    pub(super) ends_refused: usize,
    pub(super) repeated: usize,
    pub(super) replayed: usize,
    pub(super) judged: usize,
    pub(super) checkpoints: usize,
}

impl Counts {
    fn rows(&self) -> [(&'static str, usize); 14] {
        [
            ("policies", self.policies),
            ("calls granted", self.granted),
            ("calls refused", self.refused),
            ("decisions compared with the definition", self.compared),
            ("... refused though no law is violated at once", self.ahead),
            ("... with copies for a value and for values not seen", self.copies),
            ("... in lost positions", self.lost),
            ("... where a soft law gives way", self.soft_dropped),
            ("positions too large for the definition", self.too_large),
            ("ends refused", self.ends_refused),
            ("calls proposed again", self.repeated),
            ("sessions read again from the journal", self.replayed),
            ("checkpoints in journals", self.checkpoints),
            ("sessions of which no hard law may be violated", self.judged),
        ]
    }
}

/// The policy of a seed. If the definition cannot track its sessions, it assumes nothing about the world: `assume` laws
/// become hard, and effects are removed.
fn policy(seed: u64) -> String {
    let flavor = FLAVORS[seed as usize % FLAVORS.len()];
    let mut text = random(&mut Rng(seed * 6271 + 17), flavor);
    let is_followed = matches!(flavor, Flavor::Plain | Flavor::ForEach)
        || flavor == Flavor::Registers && !text.head.contains("sum =") && !text.head.contains("window");
    if !is_followed {
        for law in &mut text.laws {
            *law = law.replace("kind = \"assume\"", "kind = \"hard\"");
        }
        let lines = text.head.lines().filter(|line| {
            !["may_set", "may_clear", "sets", "clears"]
                .iter()
                .any(|word| line.contains(&format!("{{ {word} =")))
        });
        text.head = lines.flat_map(|line| [line, "\n"]).collect();
    }
    text.whole()
}

fn session(seed: u64) -> Counts {
    let text = policy(seed);
    let compiled = loaded(&text).compiled;
    let mut walk = Walk::new(&compiled, &text, seed * 77_003 + 5);
    let first = walk.gates[0].options("s").unwrap_or_else(|error| panic!("{error}\n{text}"));
    // Long sessions have checkpoints.
    let steps = if seed % 8 == 7 { 60 } else { 14 };
    let replay = walk.rng.below(steps);
    for step in 0..steps {
        walk.options();
        if step == replay {
            walk.replay();
        }
        if walk.rng.below(3) == 0 {
            walk.world();
        } else {
            walk.agent();
        }
    }
    if !first.lost && !walk.was_late {
        walk.counts.judged += 1;
        walk.judge();
    }
    walk.end();
    let records = walk.journal.records("s");
    walk.counts.checkpoints = records.iter().filter(|record| record.kind == CHECKPOINT).count();
    walk.counts
}

fn sessions(seeds: Range<u64>) -> Counts {
    let mut all = Counts::default();
    let mut failed = Vec::new();
    let one = std::env::var("TSL_SYNTH_GATE").ok().and_then(|n| n.parse::<u64>().ok());
    for seed in seeds.filter(|&seed| one.is_none_or(|one| one == seed)) {
        match catch_unwind(AssertUnwindSafe(|| session(seed))) {
            Ok(counts) => all.add(&counts),
            Err(_) => failed.push(seed),
        }
    }
    for (name, count) in all.rows() {
        println!("{count:>8}  {name}");
    }
    assert!(failed.is_empty(), "seeds {failed:?}");
    all
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.policies += other.policies;
        self.granted += other.granted;
        self.refused += other.refused;
        self.compared += other.compared;
        self.ahead += other.ahead;
        self.copies += other.copies;
        self.lost += other.lost;
        self.soft_dropped += other.soft_dropped;
        self.too_large += other.too_large;
        self.ends_refused += other.ends_refused;
        self.repeated += other.repeated;
        self.replayed += other.replayed;
        self.judged += other.judged;
        self.checkpoints += other.checkpoints;
    }
}

#[test]
fn decisions_of_the_gate_are_those_of_the_definition() {
    let counts = sessions(0..60);
    assert!(counts.compared >= 150 && counts.ahead >= 6 && counts.copies >= 15, "too few for a test");
}

/// `TSL_SYNTH_GATES=3000`, `TSL_SYNTH_GATES_FROM=0`; `TSL_SYNTH_GATE=<seed>` takes one of them.
#[test]
#[ignore = "a campaign"]
fn campaign_gates() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("TSL_SYNTH_GATES_FROM").unwrap_or(0);
    sessions(first..first + number("TSL_SYNTH_GATES").unwrap_or(3000));
}
