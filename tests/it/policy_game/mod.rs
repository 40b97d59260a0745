//! The game of policies, compared with its definition position by position, and properties of games.

mod campaign;
mod conjunction;
mod definition;
pub(crate) mod explicit;
pub(crate) mod families;
mod large;
mod laws;
mod measure;
mod parts;
pub(crate) mod texts;
mod tracks;
mod traps;

use crate::support::Rng;
use explicit::Bounds;
use std::sync::Arc;
use texts::{Flavor, random};
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::language::{ActionId, LawId, load_policy};
use tsl_synth_policy::{CompiledPolicy, Game, GameLetter, GameOptions, SoftGames};

/// Games that the definition solves in a fraction of a second.
const SMALL: Bounds = Bounds { nodes: 600, letters: 30_000 };

pub(crate) fn compile(text: &str) -> Result<Arc<CompiledPolicy>, String> {
    compile_file("random.toml", text)
}

fn compile_file(name: &str, text: &str) -> Result<Arc<CompiledPolicy>, String> {
    let mut map = SourceMap::new();
    let source = map.add(name, text);
    let mut diagnostics = Diagnostics::new();
    let policy = load_policy(&mut map, source, &mut diagnostics);
    let policy =
        policy.ok_or_else(|| format!("{:?}", diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()))?;
    CompiledPolicy::new(policy, &Budget::unlimited()).map(Arc::new).map_err(|limit| limit.to_string())
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
    let b = compiled.policy.atoms.bit(tsl_synth_policy::language::LawAtom::Call(ActionId::from_index(1)));
    let letter = GameLetter { bits: [b].into_iter().collect(), reaches: Vec::new() };
    let game = games.game(&kept, &budget).expect("small");
    assert!(!game.is_allowed(&position, &letter) && game.is_step_legal(&position, &letter));
    // After `b` the hard law forbids `a` forever, so the first soft law is dropped.
    let after = game.stepping().after(&position, &letter);
    assert_eq!(games.kept(&after, &budget).expect("small"), [1, 2].map(LawId::from_index));
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
