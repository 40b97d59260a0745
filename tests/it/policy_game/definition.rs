//! One policy: all answers of the library's game in every reachable position, compared with the definition.

use super::compile;
use super::explicit::{Bounds, Choice, Explicit, Mode, bits};
use super::texts::Text;
use std::collections::BTreeSet;
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_policy::language::{ActionId, LawKind};
use tsl_synth_policy::{Game, GameLetter, GameOptions, PolicyPosition};

/// What was found in one policy, or in many: how many have each property.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) policies: usize,
    pub(super) positions: usize,
    /// In some position an action is refused that violates no law at once.
    pub(super) look_ahead: usize,
    /// In addition, the game of no single law refuses this action.
    pub(super) look_ahead_together: usize,
    /// In some position two or more calls have no outcome yet.
    pub(super) pending: usize,
    pub(super) for_each: usize,
    pub(super) registers: usize,
    /// The first position is lost, or the world can lead into a lost one.
    pub(super) losing: usize,
    /// Some hard law is kept by no word.
    pub(super) unkeepable: usize,
    pub(super) effects: usize,
    pub(super) assumed: usize,
    pub(super) next: usize,
    pub(super) same: usize,
    pub(super) two_copies: usize,
}

impl Counts {
    /// The rows of a table.
    pub(super) fn rows(&self) -> [(&'static str, usize); 14] {
        [
            ("policies compared", self.policies),
            ("positions compared", self.positions),
            ("refuses what no monitor of a law refuses", self.look_ahead),
            ("... nor the game of any single law", self.look_ahead_together),
            ("two or more calls pending", self.pending),
            ("laws with bound values", self.for_each),
            ("... in two copies", self.two_copies),
            ("registers", self.registers),
            ("lost from the beginning", self.losing),
            ("a hard law that no word keeps", self.unkeepable),
            ("effects declared", self.effects),
            ("laws of the world", self.assumed),
            ("the call before the rest of its letter", self.next),
            ("truths join the next call", self.same),
        ]
    }
    pub(super) fn add(&mut self, other: &Self) {
        let count = |own: &mut usize, more: usize| *own += more;
        count(&mut self.policies, other.policies);
        count(&mut self.positions, other.positions);
        count(&mut self.look_ahead, other.look_ahead);
        count(&mut self.look_ahead_together, other.look_ahead_together);
        count(&mut self.pending, other.pending);
        count(&mut self.for_each, other.for_each);
        count(&mut self.registers, other.registers);
        count(&mut self.losing, other.losing);
        count(&mut self.unkeepable, other.unkeepable);
        count(&mut self.effects, other.effects);
        count(&mut self.assumed, other.assumed);
        count(&mut self.next, other.next);
        count(&mut self.same, other.same);
        count(&mut self.two_copies, other.two_copies);
    }
}

/// A policy with its game and the definition of it.
struct Comparison<'a> {
    whole: &'a str,
    explicit: &'a Explicit<'a>,
    game: Game,
    /// The game of each kept law alone.
    singles: Vec<Game>,
}

/// Compares the game of a policy with its definition; `None` if the definition is too large.
pub(super) fn compare(text: &Text, copies: usize, bounds: Bounds) -> Option<Counts> {
    let whole = text.whole();
    let compiled = compile(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
    let policy = &compiled.policy;
    let options = GameOptions { copies, ..GameOptions::new(policy) };
    let explicit = Explicit::solve(&compiled, &options.kept, copies, bounds)?;
    let solve = |options: &GameOptions| match Game::new(&compiled, options, &Budget::unlimited()) {
        Ok(game) => game,
        Err(limit) => panic!("{limit}\n{whole}"),
    };
    let singles = options.kept.iter().map(|&law| solve(&GameOptions { kept: vec![law], ..options.clone() }));
    let singles = singles.collect();
    let mut all = Comparison { whole: &whole, explicit: &explicit, game: solve(&options), singles };
    let (mut differs, mut together, mut pending) = (false, false, false);
    for node in 0..explicit.len() {
        let found = all.position(node);
        (differs, together) = (differs || found.0, together || found.1);
        all.letters(node);
        pending |=
            explicit.position(node).pending.values().map(|&count| usize::from(count)).sum::<usize>() >= 2;
    }
    let has_key = policy.laws.iter().any(|law| !law.for_each.is_empty());
    Some(Counts {
        policies: 1,
        positions: explicit.len(),
        look_ahead: usize::from(differs),
        look_ahead_together: usize::from(together),
        pending: usize::from(pending),
        for_each: usize::from(has_key),
        registers: usize::from(!policy.registers.is_empty()),
        losing: usize::from(!all.game.can_act_and_stop()),
        unkeepable: usize::from(options.kept.iter().any(|&law| !compiled.monitors[law].dfa().is_live(0))),
        effects: usize::from(policy.effects.iter().any(Option::is_some)),
        assumed: usize::from(policy.laws.iter().any(|law| law.kind == LawKind::Assume)),
        next: usize::from(explicit.rules.mode == Mode::CallFirst),
        same: usize::from(explicit.rules.mode == Mode::TruthsFirst),
        two_copies: usize::from(has_key && copies > 1),
    })
}

impl Comparison<'_> {
    /// Compares all answers in one position. Returns whether the game refuses an action that violates no law at once,
    /// and whether the game of no single law refuses such an action.
    fn position(&mut self, node: usize) -> (bool, bool) {
        let (graph, place) = (&self.explicit.graph, self.explicit.position(node));
        let position = self.explicit.rules.position(place);
        let (game, whole) = (&mut self.game, self.whole);
        let context = || format!("position {place:?}\n{whole}");
        assert_eq!(game.is_winning(&position), graph.winning[node], "winning: {}", context());
        assert_eq!(game.is_closed(&position), graph.closed[node], "closed: {}", context());
        assert_eq!(game.is_end_accepted(&position), graph.end[node], "end: {}", context());
        let allowed = game.allowed_actions(&position);
        assert_eq!(allowed, self.explicit.actions(node, &graph.closed), "allowed: {}", context());
        let everywhere = vec![true; self.explicit.len()];
        let legal = game.step_legal_actions(&position);
        assert_eq!(legal, self.explicit.actions(node, &everywhere), "step-legal: {}", context());
        assert_eq!(game.owed(&position).is_empty(), graph.end[node], "owed: {}", context());
        let way = game.way_out(&position, &Budget::unlimited()).expect("no limit");
        assert_eq!(way.as_ref().map(Vec::len), graph.way(node), "way {way:?}: {}", context());
        let singles = &mut self.singles;
        let mut by_each =
            |action: &ActionId| singles.iter_mut().all(|one| one.allowed_actions(&position).contains(action));
        let refused: Vec<&ActionId> = legal.iter().filter(|action| !allowed.contains(action)).collect();
        (!refused.is_empty(), refused.into_iter().any(&mut by_each))
    }
    /// Compares decisions on letters that are completely known, so that the next position is unique.
    fn letters(&self, node: usize) {
        let (explicit, place) = (self.explicit, self.explicit.position(node));
        let policy = &self.game.stepping().compiled().policy;
        if explicit.rules.mode == Mode::CallFirst || !policy.registers.is_empty() {
            return;
        }
        let position = explicit.rules.position(place);
        for choice in &explicit.graph.choices[node] {
            let ends: BTreeSet<_> = choice.answers.iter().flatten().collect();
            let [Some(to)] = ends.into_iter().collect::<Vec<_>>()[..] else { continue };
            let letter = self.letter(choice, place.truths);
            let is_allowed = self.game.is_allowed(&position, &letter);
            assert_eq!(
                is_allowed, explicit.graph.closed[*to],
                "letter {letter:?} in {place:?}\n{}",
                self.whole
            );
            let after = self.game.stepping().after(&position, &letter);
            self.next(&after, &explicit.rules.position(explicit.position(*to)));
        }
    }
    fn letter(&self, choice: &Choice, truths: u64) -> GameLetter {
        let has_key = !self.game.stepping().keys().is_empty();
        let reaches = if has_key { vec![choice.mask] } else { Vec::new() };
        GameLetter { bits: bits(choice.letter | truths), reaches }
    }
    /// Compares a position after a letter with the expected one.
    fn next(&self, after: &PolicyPosition, expected: &PolicyPosition) {
        let mut expected = expected.clone();
        // Violated soft laws restart, which the definition does not model.
        for (law, rule) in self.game.stepping().compiled().policy.laws.enumerate() {
            if rule.kind == LawKind::Soft {
                expected.laws[law.index()].clone_from(&after.laws[law.index()]);
            }
        }
        assert_eq!(after.laws, expected.laws, "{}", self.whole);
        let mut pending = after.pending.clone();
        for ((action, _), count) in &mut pending {
            *count = (*count).min(self.game.stepping().compiled().open_calls()[*action]);
        }
        assert_eq!(pending, expected.pending, "{}", self.whole);
    }
}
