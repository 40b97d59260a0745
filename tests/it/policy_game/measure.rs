//! How large the game of the published laws is.

use crate::support::shared;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;
use tsl_synth::base::Budget;
use tsl_synth::control::policy::{CompiledPolicy, Conjunction, GAME_NODES, Game, GameOptions};
use tsl_synth::diag::Diagnostics;
use tsl_synth::source::SourceMap;
use tsl_synth::spec::policy::{LawId, load_policy};

/// The laws of some files of the seed in one list.
fn laws(files: &[&str]) -> Option<String> {
    let folder = shared("cases/agents/ltlcrit")?;
    let mut text = String::from("[");
    for file in files {
        let read = std::fs::read_to_string(folder.join(file)).expect("a file of laws");
        let data: serde_json::Value = serde_json::from_str(&read).expect("JSON");
        for law in data["laws"].as_array().expect("a list") {
            let (id, law) = (law["law_id"].as_str().expect("a name"), law["law"].as_str().expect("a law"));
            let comma = if text.len() > 1 { ",\n" } else { "" };
            let _ = write!(text, "{comma}{}", serde_json::json!({ "law_id": id, "law": law }));
        }
    }
    Some(text + "]")
}

#[test]
fn the_published_laws_are_one_small_game() {
    let files = ["laws_saycan_hard.json", "laws_saycan_soft.json", "laws_innermonologue.json"];
    for chosen in [&files[..1], &files[..2], &files[2..], &files[..]] {
        let Some(text) = laws(chosen) else { return };
        let mut map = SourceMap::new();
        let source = map.add("laws.json", text.as_str());
        let mut diagnostics = Diagnostics::new();
        let policy = load_policy(&mut map, source, &mut diagnostics).expect("the laws are read");
        let start = Instant::now();
        let compiled = Arc::new(CompiledPolicy::new(policy, &Budget::unlimited()).expect("monitors"));
        let monitors = start.elapsed();
        let start = Instant::now();
        let options = GameOptions::new(&compiled.policy);
        let mut game = Game::new(&compiled, &options, &Budget::unlimited()).expect("solved");
        let initial = game.stepping().initial();
        let actions = game.allowed_actions(&initial).expect("no limit").len();
        let size = game.size();
        println!(
            "{} laws, {} actions: monitors {monitors:?}, game {:?}: {size:?}, {actions} actions allowed at first",
            compiled.policy.laws.len(),
            compiled.policy.atoms.actions.len(),
            start.elapsed(),
        );
        assert!(game.is_winning(&initial) && size.nodes < 200_000);
        let all: Vec<LawId> = compiled.policy.laws.ids().collect();
        let start = Instant::now();
        // Not yet decided for the longer lists.
        let nodes = GAME_NODES / 16;
        let standing = Conjunction::new(&compiled, &all, nodes, &Budget::unlimited())
            .map(|conjunction| conjunction.standing(&compiled, &vec![0; all.len()]));
        println!("  all laws together: {standing:?} ({:?})", start.elapsed());
    }
}
