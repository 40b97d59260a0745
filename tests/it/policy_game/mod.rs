//! The game of policies, compared with its definition position by position, and properties of games.

mod by_halves;
mod campaign;
mod conjunction;
mod definition;
pub(crate) mod explicit;
pub(crate) mod families;
mod large;
mod laws;
mod measure;
mod parts;
mod set_abstraction;
pub(crate) mod texts;
mod tracks;
mod traps;

use explicit::Bounds;
use std::sync::Arc;
use texts::{Flavor, random};
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::{HostEvent, HostEventKind, JsonText, Ruling};
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::gate::{GateOptions, GateSolver, Reason};
use tsl_synth_policy::language::{LawId, load_policy};
use tsl_synth_policy::{CompiledPolicy, Game, GameOptions};
use tsl_synth_testkit::Rng;

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
        [[match]]\non = \"call\"\ntool = \"a\"\naction = \"a\"\n[[match]]\non = \"call\"\ntool = \"b\"\naction = \"b\"\n\
        [[law]]\nid = \"one\"\nkind = \"soft\"\nltl = \"F a\"\n\
        [[law]]\nid = \"two\"\nkind = \"soft\"\nltl = \"G !a\"\n\
        [[law]]\nid = \"three\"\nkind = \"soft\"\nltl = \"F b\"\n\
        [[law]]\nid = \"four\"\nkind = \"hard\"\nltl = \"G (b -> X G !a)\"\n";
    let compiled = compile(text).expect("a policy");
    let mut solver =
        GateSolver::new(compiled.clone(), GateOptions::default(), &Budget::unlimited()).expect("small");
    let mut session = solver.session();
    let call = |tool: &'static str| {
        HostEvent::new(
            "s",
            0,
            HostEventKind::Call {
                id: None,
                server: None,
                tool: tool.into(),
                arguments: JsonText::borrowed("{}"),
            },
        )
    };
    let [first, second] = [0, 1].map(LawId::from_index);
    let open = solver.propose(&mut session, &call("a"));
    assert_eq!((open.decision.ruling, &*open.decision.dropped), (Ruling::Allow, &[second][..]));
    // After `b` the hard law forbids `a` forever, so the first soft law could not be kept.
    let open = solver.propose(&mut session, &call("b"));
    assert_eq!(open.decision.reasons, [Reason::Loses(vec![LawId::from_index(3), first])]);
    assert_eq!((open.decision.ruling, &*open.decision.dropped), (Ruling::Deny, &[second][..]));
    // If it is made nevertheless, the first soft law is dropped instead of the second.
    session.grant(&compiled, open);
    let open = solver.propose(&mut session, &call("a"));
    assert_eq!((open.decision.ruling, &*open.decision.dropped), (Ruling::Deny, &[first][..]));
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
