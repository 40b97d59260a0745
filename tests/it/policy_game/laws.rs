//! Properties of games: further laws never allow more, and neither the order of laws nor names matter.

use super::compile;
use super::explicit::{Bounds, Explicit};
use super::texts::Text;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_policy::language::{LawAtom, LawId, OUTCOMES};
use tsl_synth_policy::{CompiledPolicy, Game, GameLetter, GameOptions, PolicyPosition, Turns};
use tsl_synth_testkit::Rng;

/// The number of positions in which each property was checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    fewer_laws: usize,
    allow_more: usize,
    reordered: usize,
    renamed: usize,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        self.fewer_laws += other.fewer_laws;
        self.allow_more += other.allow_more;
        self.reordered += other.reordered;
        self.renamed += other.renamed;
    }
    pub(super) fn rows(&self) -> [(&'static str, usize); 4] {
        [
            ("positions compared with one hard law less", self.fewer_laws),
            ("... which allows more", self.allow_more),
            ("positions compared with laws in another order", self.reordered),
            ("positions compared under other names", self.renamed),
        ]
    }
}

/// Checks all properties for a policy.
pub(super) fn check(seed: u64, text: &Text) -> Counts {
    let (fewer_laws, allow_more) = more_laws_never_allow_more(text);
    let mut reversed = text.clone();
    reversed.laws.reverse();
    let reordered = same_answers(seed, &text.whole(), &reversed.whole(), &|name| name.to_string());
    let renamed = same_answers(seed, &text.whole(), &renamed(&text.whole()), &renamed_word);
    Counts { fewer_laws, allow_more, reordered, renamed }
}

fn game(compiled: &Arc<CompiledPolicy>, kept: Option<Vec<LawId>>) -> Game {
    let mut options = GameOptions::new(&compiled.policy);
    options.kept = kept.unwrap_or(options.kept);
    Game::new(compiled, &options, &Budget::unlimited()).expect("small")
}

/// Compares the game of all hard laws with those in which one of them is missing; returns the number of comparisons,
/// and in how many of them the smaller set of laws allows more.
fn more_laws_never_allow_more(text: &Text) -> (usize, usize) {
    let whole = text.whole();
    let compiled = compile(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
    let hard = GameOptions::new(&compiled.policy).kept;
    // Without kept laws no position ends the game, so that those in which a law is violated are compared, too.
    let bounds = Bounds { nodes: 200, letters: 20_000 };
    let Some(explicit) = Explicit::solve(&compiled, &[], 1, bounds) else { return (0, 0) };
    let all = game(&compiled, None);
    let (mut seen, mut more) = (0, 0);
    for left_out in &hard {
        let kept = hard.iter().copied().filter(|law| law != left_out).collect();
        let fewer = game(&compiled, Some(kept));
        for node in 0..explicit.len() {
            let position = explicit.rules.position(explicit.position(node));
            let with = all.allowed_actions(&position);
            let without = fewer.allowed_actions(&position);
            assert!(with.iter().all(|action| without.contains(action)), "{position:?}\n{whole}");
            let wins = (all.is_winning(&position), fewer.is_winning(&position));
            assert!(!wins.0 || wins.1, "{position:?}\n{whole}");
            seen += 1;
            more += usize::from(with != without);
        }
    }
    (seen, more)
}

/// Another name, which sorts the other way round.
fn renamed_word(word: &str) -> String {
    let names = ["a", "b", "c", "p", "q", "r", "v", "held0", "unread", "high0", "high1"];
    match names.iter().position(|&name| name == word) {
        Some(at) => format!("other_{}", (b'z' - at as u8) as char),
        None => word.to_string(),
    }
}

/// A text in which every word is renamed.
fn renamed(text: &str) -> String {
    let (mut own, mut word) = (String::new(), String::new());
    for c in text.chars().chain(['\n']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            own += &renamed_word(&word);
            word.clear();
            own.push(c);
        }
    }
    own
}

/// One of two policies that read the same letters.
struct Side {
    compiled: Arc<CompiledPolicy>,
    game: Game,
    position: PolicyPosition,
}

impl Side {
    fn new(whole: &str) -> Self {
        let compiled = compile(whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
        let game = game(&compiled, None);
        let position = game.stepping().initial();
        Self { compiled, game, position }
    }
    fn step(&mut self, letter: &GameLetter) {
        let has_call = self.calls().iter().any(|&call| letter.bits.contains(call));
        self.position = if self.game.turns() == Turns::TruthsFirst && !has_call {
            self.game.stepping().observed(&self.position, &letter.bits)
        } else {
            let bits = letter.bits.iter().chain(self.position.truths.iter()).collect();
            let letter = GameLetter { bits, reaches: letter.reaches.clone() };
            self.game.stepping().after(&self.position, &letter)
        };
    }
    fn calls(&self) -> Vec<BitId> {
        let atoms = &self.compiled.policy.atoms;
        atoms.actions.ids().map(|id| atoms.bit(LawAtom::Call(id))).collect()
    }
    /// The bit with this name.
    fn bit(&self, name: &str) -> BitId {
        let atoms = &self.compiled.policy.atoms;
        let mut bits = (0..atoms.bits()).map(BitId::from_index);
        bits.find(|&bit| atoms.bit_name(bit) == name).expect("the same bits")
    }
    /// All answers of the game in the present position.
    fn answers(&mut self, name: &dyn Fn(&str) -> String) -> (bool, bool, bool, Vec<String>, Option<usize>) {
        let (game, position) = (&mut self.game, &self.position);
        let actions = game.allowed_actions(position);
        let atoms = &self.compiled.policy.atoms;
        let mut actions: Vec<String> = actions.iter().map(|&id| name(&atoms.actions[id].name)).collect();
        actions.sort();
        let way = game.way_out(position, &Budget::unlimited()).expect("no limit").map(|way| way.len());
        (game.is_winning(position), game.is_closed(position), game.is_end_accepted(position), actions, way)
    }
}

/// A random letter: at most one call, with at most two other atoms.
fn some_letter(rng: &mut Rng, side: &Side) -> GameLetter {
    let atoms = &side.compiled.policy.atoms;
    let calls = side.calls();
    let mut bits = Letter::new();
    if rng.flip() {
        bits.insert(calls[rng.below(calls.len())]);
    }
    for _ in 0..rng.below(3) {
        match atoms.atom(BitId::from_index(rng.below(atoms.bits()))) {
            LawAtom::Result(id, outcome) => {
                let others = OUTCOMES.iter().filter(|&&other| other != outcome);
                others.for_each(|&other| _ = bits.remove(atoms.bit(LawAtom::Result(id, other))));
                bits.insert(atoms.bit(LawAtom::Result(id, outcome)));
            }
            LawAtom::Proposition(id) => {
                bits.remove(atoms.bit(LawAtom::Clear(id)));
                bits.insert(atoms.bit(LawAtom::Proposition(id)));
            }
            LawAtom::Clear(id) if atoms.propositions[id].is_state => {
                bits.remove(atoms.bit(LawAtom::Proposition(id)));
                bits.insert(atoms.bit(LawAtom::Clear(id)));
            }
            LawAtom::Call(_) | LawAtom::Clear(_) => {}
            LawAtom::Opaque => _ = bits.insert(atoms.bit(LawAtom::Opaque)),
        }
    }
    let reaches = side.game.stepping().keys().iter().map(|_| rng.below(2) as u32).collect();
    GameLetter { bits, reaches }
}

/// Steps both policies with the same letters, which violate no law if such letters are found, and compares all answers.
fn same_answers(seed: u64, whole: &str, other: &str, name: &dyn Fn(&str) -> String) -> usize {
    let (mut one, mut two) = (Side::new(whole), Side::new(other));
    let mut rng = Rng(seed * 15_485_863 + 5);
    let mut seen = 0;
    for step in 0..24 {
        if step % 8 == 0 {
            (one.position, two.position) = (one.game.stepping().initial(), two.game.stepping().initial());
        }
        assert_eq!(one.answers(name), two.answers(&|own| own.to_string()), "{:?}\n{whole}", one.position);
        seen += 1;
        let mut letter = some_letter(&mut rng, &one);
        for _ in 0..6 {
            if one.game.is_step_legal(&one.position, &letter) {
                break;
            }
            letter = some_letter(&mut rng, &one);
        }
        let atoms = &one.compiled.policy.atoms;
        let words = |bit: BitId| renamed_bit(&atoms.bit_name(bit), name);
        let bits = letter.bits.iter().map(|bit| two.bit(&words(bit))).collect();
        two.step(&GameLetter { bits, reaches: letter.reaches.clone() });
        one.step(&letter);
    }
    seen
}

/// The name of a bit: `!p`, or an action with its outcome.
fn renamed_bit(bit: &str, name: &dyn Fn(&str) -> String) -> String {
    let (first, rest) = bit.split_at(usize::from(bit.starts_with('!')));
    match rest.split_once('.') {
        Some((action, outcome)) => format!("{first}{}.{outcome}", name(action)),
        None => format!("{first}{}", name(rest)),
    }
}
