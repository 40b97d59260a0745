//! From states of a session to positions of games: the choice of the copies of laws that are judged together.

use super::solver::GateSolver;
use crate::language::{LawId, LawKind};
use crate::{
    Copies, Game, Key, LawState, PolicyPart, PolicyPosition, PossibleState, SessionState, keep_strictest,
};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;

/// Positions that the agent cannot distinguish, all with the same copies of laws.
#[derive(Clone, Debug)]
pub(super) struct InformationSet {
    /// The number of copies of each law with bound values in them.
    pub copies: usize,
    /// The positions, each once.
    pub positions: Vec<PolicyPosition>,
}

impl InformationSet {
    /// The position of a game with a track for each of these positions; an error message if the query is too hard.
    pub(super) fn position(&self, game: &Game) -> Result<Cow<'_, PolicyPosition>, String> {
        if let [one] = self.positions.as_slice() {
            return Ok(Cow::Borrowed(one));
        }
        let joined = game.joined(&self.positions).map(Cow::Owned);
        joined.ok_or_else(|| {
            "the states that the session may be in differ in truths that join the next letter, for which no common \
             strategy is computed"
                .to_string()
        })
    }
}

/// Takes calls that are pending in one of some positions to be pending in all, as a common strategy does, and removes
/// positions that are equal then.
fn merge_pending(positions: &mut Vec<PolicyPosition>) {
    let mut pending = std::collections::BTreeMap::new();
    for (slot, &count) in positions.iter().flat_map(|one| &one.pending) {
        let most = pending.entry(slot.clone()).or_insert(0);
        *most = count.max(*most);
    }
    let mut kept: Vec<PolicyPosition> = Vec::new();
    for mut one in positions.drain(..) {
        one.pending.clone_from(&pending);
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    *positions = kept;
}

/// For each part of the policy the positions to judge.
#[derive(Clone, Debug)]
pub(super) struct Views {
    parts: Vec<Arc<Vec<InformationSet>>>,
}

impl Views {
    /// The positions to judge in a part.
    pub(super) fn of_part(&self, part: usize) -> &[InformationSet] {
        &self.parts[part]
    }
}

impl GateSolver {
    /// The positions that a session may be in, for each part of the policy: for each combination of copies that differ,
    /// and for all copies together that have open obligations and are not shown to be independent; an error message if
    /// the query is too hard.
    pub(super) fn views(&self, state: &SessionState) -> Result<Views, String> {
        if state.is_lost() {
            return Err("the command may run in too many ways".into());
        }
        // Parts without copies have the same positions if there is only one.
        let mut plain: Option<Arc<Vec<InformationSet>>> = None;
        let is_shared = state.worlds().len() == 1;
        let mut all = Vec::with_capacity(self.parts.len());
        for (at, part) in self.parts.iter().enumerate() {
            if let Some(plain) = plain.as_ref().filter(|_| part.part.lists.is_empty()) {
                all.push(plain.clone());
                continue;
            }
            let is_plain = is_shared && part.part.lists.is_empty();
            let views = Arc::new(self.views_in(state, at, !is_plain)?);
            if is_plain {
                plain = Some(views.clone());
            }
            all.push(views);
        }
        Ok(Views { parts: all })
    }
    /// The positions to judge in a part.
    pub(super) fn views_of(&self, state: &SessionState, part: usize) -> Result<Vec<InformationSet>, String> {
        if state.is_lost() {
            return Err("the command may run in too many ways".into());
        }
        self.views_in(state, part, true)
    }
    /// The same; only with `is_own` the positions leave out what does not concern the part.
    fn views_in(&self, state: &SessionState, at: usize, is_own: bool) -> Result<Vec<InformationSet>, String> {
        let part = &self.parts[at];
        let lists = self.stepping.keys();
        let mut apart: Vec<Vec<Key>> = Vec::new();
        let mut together: Vec<Vec<Key>> = Vec::new();
        for (list, names) in lists.iter().enumerate() {
            if part.part.lists.contains(&list) {
                apart.push(self.distinct(state, list, &part.part));
                let owing =
                    if part.are_independent[list] { Vec::new() } else { self.owing(state, list, &part.part) };
                together.push(owing);
            } else {
                // The values of other parts do not matter.
                apart.push(vec![vec![None; names.len()]]);
                together.push(Vec::new());
            }
        }
        let mut chosen: Vec<Vec<Vec<Key>>> = vec![Vec::new()];
        for keys in &apart {
            chosen = chosen
                .iter()
                .flat_map(|first| keys.iter().map(|key| [&first[..], &[vec![key.clone()]]].concat()))
                .collect();
            if chosen.len() > self.options.views {
                return Err(format!("more than {} combinations of values differ", self.options.views));
            }
        }
        let most = together.iter().map(Vec::len).max().unwrap_or(0);
        if most > self.options.copies {
            return Err(format!(
                "{most} values have open obligations, and at most {} are decided together",
                self.options.copies
            ));
        }
        if most > 1 {
            for (keys, apart) in together.iter_mut().zip(&apart) {
                keys.extend(apart.iter().take(1).cycle().take(most - keys.len()).cloned());
            }
            chosen.push(together);
        }
        Ok(chosen.iter().map(|keys| self.view(state, keys, &part.part, is_own)).collect())
    }
    fn view(
        &self,
        state: &SessionState,
        keys: &[Vec<Key>],
        part: &PolicyPart,
        is_own: bool,
    ) -> InformationSet {
        let copies = keys.first().map_or(1, Vec::len);
        let mut positions: Vec<PolicyPosition> = Vec::new();
        let of_part = Some(part).filter(|_| is_own && self.parts.len() > 1);
        for world in state.worlds() {
            let position = self.stepping.position_of(world, keys, of_part);
            if !positions.contains(&position) {
                positions.push(position);
            }
        }
        if positions.len() > 1 {
            merge_pending(&mut positions);
            keep_strictest(&self.compiled, &part.laws, &part.registers, &mut positions);
        }
        InformationSet { copies, positions }
    }
    /// The laws of a part with a list of bound values, and their copies in a state.
    fn copies_of<'w>(
        &self,
        world: &'w PossibleState,
        list: usize,
        part: &PolicyPart,
    ) -> Vec<(LawId, &'w Copies)> {
        let of = |&law: &LawId| match world.law(law) {
            LawState::Each(copies) if self.stepping.key_of(law) == Some(list) => Some((law, &**copies)),
            _ => None,
        };
        part.laws.iter().filter_map(of).collect()
    }
    /// The copies that differ in the states of their laws or in their pending calls, one of each kind; the first is the
    /// copy for values not seen.
    fn distinct(&self, state: &SessionState, list: usize, part: &PolicyPart) -> Vec<Key> {
        let names = &self.stepping.keys()[list];
        let (mut seen, mut known, mut keys) = (FxHashSet::default(), FxHashSet::default(), Vec::new());
        for world in state.worlds() {
            let of_laws = self.copies_of(world, list, part);
            for (_, copies) in &of_laws {
                for (key, _) in copies.iter() {
                    if !known.insert(key.clone()) {
                        continue;
                    }
                    let mut profile: Vec<u32> = Vec::new();
                    for world in state.worlds() {
                        let own = self.copies_of(world, list, part);
                        profile.extend(own.iter().map(|(_, copies)| copies.state_for(key)));
                        let concerns = |action| part.actions.contains(action);
                        for call in world.pending.iter().filter(|call| call.last.actions.iter().any(concerns))
                        {
                            let is_own = names.iter().zip(key).all(|(name, value)| {
                                let bound = call.bindings.iter().find(|(own, _)| own == name);
                                bound.is_none_or(|(_, bound)| value.as_deref() == Some(bound))
                            });
                            profile.push(u32::from(is_own));
                        }
                    }
                    if seen.insert(profile) {
                        keys.push(key.clone());
                    }
                }
            }
        }
        keys
    }
    /// The copies with an open obligation in some state: a law, not an assumption, that can still be kept but does not
    /// hold yet. At most one more than [`GateOptions::copies`](super::GateOptions::copies) are returned.
    fn owing(&self, state: &SessionState, list: usize, part: &PolicyPart) -> Vec<Key> {
        let mut keys: Vec<Key> = Vec::new();
        for world in state.worlds() {
            for (law, copies) in self.copies_of(world, list, part) {
                if self.compiled.policy.laws[law].kind == LawKind::Assume {
                    continue;
                }
                let monitor = &self.compiled.monitors[law];
                let owes = |state: u32| monitor.dfa().is_live(state) && !monitor.standing(state).holds();
                if !copies.states().into_iter().any(owes) {
                    continue;
                }
                for (key, state) in copies.iter() {
                    if owes(state) && !keys.contains(key) {
                        keys.push(key.clone());
                        if keys.len() > self.options.copies {
                            return keys;
                        }
                    }
                }
            }
        }
        keys
    }
}
