//! From states of a session to positions of games: the choice of the copies of laws that are judged together.

use super::session::GateSession;
use super::solver::GateSolver;
use crate::language::{LawId, LawKind};
use crate::{
    Copies, Game, Key, LawState, PendingCall, PolicyPart, PolicyPosition, PossibleState, SessionState,
    keep_strictest,
};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use tsl_synth_core::base::Id;

/// Positions that the agent cannot distinguish, all with the same copies of laws.
#[derive(Clone, Debug)]
pub(super) struct InformationSet {
    /// The number of copies of each law with bound values in them; 0 if the positions are those of single copies of
    /// which there may be any number, all at once.
    pub copies: usize,
    /// The positions, each once.
    pub positions: Vec<PolicyPosition>,
}

impl InformationSet {
    /// Whether there may be any number of copies in these positions, all at once.
    pub(super) fn is_abstract(&self) -> bool {
        self.copies == 0
    }
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

/// The copies of laws in a state, and the pending calls that concern these laws.
struct WorldCopies<'w> {
    laws: Vec<(LawId, &'w Copies)>,
    pending: Vec<&'w Arc<PendingCall>>,
}

/// Whether a call binds no other value than those of a key.
fn is_bound_to(call: &PendingCall, names: &[String], key: &Key) -> bool {
    names.iter().zip(key.iter()).all(|(name, value)| {
        let bound = call.bindings.iter().find(|(own, _)| own == name);
        bound.is_none_or(|(_, bound)| value.as_deref() == Some(bound))
    })
}

impl WorldCopies<'_> {
    /// The actions of the pending calls that may be of a key, sorted, with their number before them.
    fn open_actions(&self, names: &[String], key: &Key) -> Vec<u32> {
        let own = self.pending.iter().filter(|call| is_bound_to(call, names, key));
        let mut actions: Vec<u32> =
            own.flat_map(|call| &call.last.actions).map(|action| action.index() as u32).collect();
        actions.sort_unstable();
        actions.insert(0, actions.len() as u32);
        actions
    }
}

/// The calls that only one of two lists has, in which calls have one order.
fn changed_calls<'c>(one: &'c [Arc<PendingCall>], other: &'c [Arc<PendingCall>]) -> Vec<&'c PendingCall> {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[same..], &other[same..]);
    let pointers = |calls: &[Arc<PendingCall>]| calls.iter().map(Arc::as_ptr).collect::<FxHashSet<_>>();
    let (in_one, in_other) = (pointers(one), pointers(other));
    let only_one = one.iter().filter(|call| !in_other.contains(&Arc::as_ptr(call)));
    let only_other = other.iter().filter(|call| !in_one.contains(&Arc::as_ptr(call)));
    only_one.chain(only_other).map(|call| &**call).collect()
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
    /// A part need not be judged.
    pub(super) fn leave_out(&mut self, part: usize) {
        self.parts[part] = Arc::default();
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
    /// The positions to judge after a state from which all laws can be kept: only those that differ.
    pub(super) fn changed_parts(&self, before: &SessionState, state: &SessionState) -> Result<Views, String> {
        let known = match (before.worlds(), state.worlds()) {
            ([before], [state]) => Some((before, self.map.changed(before, state))),
            _ => None,
        };
        let Some((before, changed)) = known else { return self.views(state) };
        let none: Arc<Vec<InformationSet>> = Arc::default();
        let mut parts = vec![none; self.parts.len()];
        for part in changed {
            let views = self.changed_views(before, state, part);
            parts[part] = Arc::new(views.map_or_else(|| self.views_of(state, part), Ok)?);
        }
        Ok(Views { parts })
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
                apart.push(vec![names.iter().map(|_| None).collect()]);
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
        let is_abstract = most > self.options.copies;
        if is_abstract && (state.worlds().len() > 1 || part.part.lists.len() > 1) {
            return Err(format!(
                "more than {} values have open obligations, which is not decided for them together",
                self.options.copies
            ));
        }
        if most > 1 && !is_abstract {
            for (keys, apart) in together.iter_mut().zip(&apart) {
                keys.extend(apart.iter().take(1).cycle().take(most - keys.len()).cloned());
            }
            chosen.push(together);
        }
        let mut views: Vec<_> =
            chosen.iter().map(|keys| self.view(state, keys, &part.part, is_own)).collect();
        if is_abstract {
            // Of each kind there may be any number of copies.
            let positions = views.iter().flat_map(|view| view.positions.clone()).collect();
            views.push(InformationSet { copies: 0, positions });
        }
        Ok(views)
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
        let concerns =
            |call: &&Arc<PendingCall>| call.last.actions.iter().any(|action| part.actions.contains(action));
        let worlds: Vec<WorldCopies<'_>> = state
            .worlds()
            .iter()
            .map(|world| WorldCopies {
                laws: self.copies_of(world, list, part),
                pending: world.pending.iter().filter(concerns).collect(),
            })
            .collect();
        let names = &self.stepping.keys()[list];
        if let ([own], [_]) = (worlds.as_slice(), names.as_slice())
            && let [(_, copies)] = own.laws.as_slice()
        {
            return self.distinct_of_one(copies, own);
        }
        let (mut seen, mut known, mut keys) = (FxHashSet::default(), FxHashSet::default(), Vec::new());
        let mut profile: Vec<u32> = Vec::new();
        for (_, copies) in worlds.iter().flat_map(|world| &world.laws) {
            for (key, _) in copies.iter() {
                self.look_at(1);
                if !known.insert(key) {
                    continue;
                }
                profile.clear();
                for world in &worlds {
                    profile.extend(world.laws.iter().map(|(_, copies)| copies.state_for(key)));
                    profile.extend(world.open_actions(names, key));
                }
                if !seen.contains(&profile) {
                    seen.insert(profile.clone());
                    keys.push(key.clone());
                }
            }
        }
        keys
    }
    /// The same for the copies of a single law with one name, in a single state: the copies with pending calls, and one
    /// for each state of the monitor. The time does not depend on the number of copies, but for finding these.
    fn distinct_of_one(&self, copies: &Copies, own: &WorldCopies<'_>) -> Vec<Key> {
        let none: Key = [None].into();
        let (mut of_calls, mut kinds) = (Vec::new(), FxHashSet::default());
        let called: BTreeSet<Key> =
            own.pending.iter().map(|call| copies.values(&call.bindings).into()).collect();
        for key in called.iter().filter(|key| key.iter().all(Option::is_some)) {
            self.look_at(1);
            if kinds.insert((copies.state_for(key), own.open_actions(copies.names(), key))) {
                of_calls.push(key.clone());
            }
        }
        let mut found: Vec<Key> = Vec::new();
        for state in copies.states().into_iter().filter(|&state| state != copies.default_state()) {
            let of_state = called.iter().filter(|key| copies.state_for(key) == state).count();
            if of_state == copies.count(|own| own == state) {
                continue;
            }
            let some = copies.some_in(state, &|| self.look_at(1)).filter(|key| !called.contains(*key));
            let search = || {
                let mut all = copies.unordered().inspect(|_| self.look_at(1));
                all.find(|(key, own)| *own == state && !called.contains(*key)).map(|(key, _)| key)
            };
            found.extend(some.or_else(search).cloned());
        }
        std::iter::once(none).chain(found).chain(of_calls).collect()
    }
    /// For a state of which another one is known from which all laws can be kept: the positions of a part that are not
    /// those of the other one, where all copies of its laws are apart (see [`PolicyPart::is_bound`]). `None` if that
    /// is to be decided for all copies.
    pub(super) fn changed_views(
        &self,
        known: &PossibleState,
        state: &SessionState,
        part: usize,
    ) -> Option<Vec<InformationSet>> {
        let ([world], part) = (state.worlds(), &self.parts[part].part) else { return None };
        let (&[list], true) = (part.lists.as_slice(), part.is_bound) else { return None };
        let mut keys: Vec<Key> = Vec::new();
        for &law in &part.laws {
            let (LawState::Each(before), LawState::Each(own)) = (known.law(law), world.law(law)) else {
                return None;
            };
            if !Arc::ptr_eq(before, own) {
                keys.extend(own.changed(before)?.into_iter().cloned());
            }
        }
        let names = &self.stepping.keys()[list];
        for call in changed_calls(&known.pending, &world.pending)
            .into_iter()
            .filter(|call| call.last.actions.iter().any(|action| part.actions.contains(action)))
        {
            let value = |name: &String| call.bindings.iter().find(|(own, _)| own == name);
            let key: Option<Vec<_>> =
                names.iter().map(|name| Some(Some(value(name)?.1.as_str().into()))).collect();
            keys.push(key?.into());
        }
        keys.sort_unstable();
        keys.dedup();
        self.look_at(keys.len());
        Some(keys.into_iter().map(|key| self.view(state, &[vec![key]], part, true)).collect())
    }
    /// The values for which a law is owed in some state of a session, in order.
    pub fn owing_values(&self, session: &GateSession, law: LawId) -> Vec<Key> {
        let monitor = &self.compiled.monitors[law];
        let owes = |state: u32| monitor.dfa().is_live(state) && !monitor.standing(state).holds();
        let mut keys: Vec<Key> = Vec::new();
        for world in session.state().worlds() {
            if let LawState::Each(copies) = world.law(law)
                && copies.states().into_iter().any(owes)
            {
                self.look_at(copies.len());
                keys.extend(copies.unordered().filter(|&(_, state)| owes(state)).map(|(key, _)| key.clone()));
            }
        }
        keys.sort_unstable();
        keys.dedup();
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
                    self.look_at(1);
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
