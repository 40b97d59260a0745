//! How large the games of published and of our own policies are, and what a decision costs.

use super::compile_file;
use crate::policy_check::ltlcrit;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::LawStatus;
use tsl_synth_policy::language::{LawAtom, LawId};
use tsl_synth_policy::{CompiledPolicy, Conjunction, Game, GameLetter, GameOptions, GameSize};

/// The laws of some lists of LTLCrit in one list.
fn published(files: &[&str]) -> String {
    let folder = &ltlcrit::cases()[0];
    let mut text = String::from("[");
    for file in files {
        let data = ltlcrit::read(folder, file);
        for law in data["laws"].as_array().expect("a list") {
            let (id, law) = (law["law_id"].as_str().expect("a name"), law["law"].as_str().expect("a law"));
            let comma = if text.len() > 1 { ",\n" } else { "" };
            let _ = write!(text, "{comma}{}", serde_json::json!({ "law_id": id, "law": law }));
        }
    }
    text + "]"
}

/// The policies with their names: those of the gallery, and the published laws in one list.
fn policies() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the gallery") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "json" || ending == "toml") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            all.push((name, std::fs::read_to_string(&path).expect("a policy")));
        }
    }
    all.sort();
    let files = ["laws_saycan_hard.json", "laws_saycan_soft.json", "laws_innermonologue.json"];
    all.push(("all published laws.json".to_string(), published(&files)));
    all
}

/// The sizes and times of one policy.
struct Costs {
    laws: usize,
    actions: usize,
    size: GameSize,
    game: Duration,
    /// Nodes and time of the question whether all hard laws can be kept together.
    together: (usize, Duration, LawStatus),
    /// A decision on a known letter: its next position, and whether it stays winning.
    decision: Duration,
}

fn costs(compiled: &Arc<CompiledPolicy>) -> Costs {
    let start = Instant::now();
    let options = GameOptions::new(&compiled.policy);
    let budget = Budget::unlimited();
    let game = Game::new(compiled, &options, &budget).expect("solved");
    let time = start.elapsed();
    let initial = game.stepping().initial();
    let atoms = &compiled.policy.atoms;
    let letters: Vec<GameLetter> = atoms
        .actions
        .ids()
        .map(|id| GameLetter {
            bits: [atoms.bit(LawAtom::Call(id))].into_iter().collect::<Letter>(),
            reaches: vec![1; game.stepping().keys().len()],
        })
        .collect();
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 1 << 10 {
        for letter in &letters {
            black_box(game.is_closed(&game.stepping().after(black_box(&initial), letter)));
            rounds += 1;
        }
    }
    let decision = start.elapsed() / rounds;
    let start = Instant::now();
    let hard: Vec<LawId> =
        options.kept.iter().copied().filter(|&law| compiled.policy.laws[law].for_each.is_empty()).collect();
    let conjunction = Conjunction::new(compiled, &hard, 1 << 17, &budget).expect("small");
    let standing = conjunction.standing(compiled, &vec![0; hard.len()]);
    assert!(game.can_act_and_stop(), "the agent can act and stop");
    Costs {
        laws: compiled.policy.laws.len(),
        actions: atoms.actions.len(),
        size: game.size(),
        game: time,
        together: (conjunction.nodes(), start.elapsed(), standing),
        decision,
    }
}

#[test]
fn games_of_written_policies_are_small() {
    for (name, text) in policies() {
        let costs = costs(&compile_file(&name, &text).unwrap_or_else(|error| panic!("{name}: {error}")));
        assert!(costs.size.nodes < 500_000, "{name}: {:?}", costs.size);
        assert!(costs.together.0 < 100_000, "{name}: {} nodes", costs.together.0);
        assert_ne!(costs.together.2, LawStatus::Violated, "{name}");
    }
}

#[test]
#[ignore = "a table"]
fn policy_games_table() {
    println!(
        "| policy | laws | actions | bits of positions | bits of letters | nodes | game | laws together: nodes | time | decision |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, text) in policies() {
        let costs = costs(&compile_file(&name, &text).unwrap_or_else(|error| panic!("{name}: {error}")));
        let (size, together) = (costs.size, costs.together);
        println!(
            "| {name} | {} | {} | {} | {} | {} | {:.1?} | {} | {:.1?} | {:.0?} |",
            costs.laws,
            costs.actions,
            size.state_bits,
            size.letter_bits,
            size.nodes,
            costs.game,
            together.0,
            together.1,
            costs.decision,
        );
    }
}
