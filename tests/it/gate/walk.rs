//! One session of a random policy: an agent that proposes random actions, a world that keeps the `assume` laws, and the
//! comparison of each answer of the gate with the definition.

use super::beside;
use super::cached::{self, MemoryCache};
use super::definition::{Known, Oracle};
use super::random::Counts;
use super::store::Kept;
use crate::policy_game::explicit::{Mode, Position, Rules};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::base::Id;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, LawStatus, Ruling};
use tsl_synth_policy::language::{
    ActionId, Amount, LawAtom, LawId, LawKind, OUTCOMES, PropositionId, TraceMode,
};
use tsl_synth_policy::{CompiledPolicy, PolicyMonitor};
use tsl_synth_service::{GateAnswer, GateService};
use tsl_synth_testkit::Rng;

/// A call without a result.
#[derive(Clone, Debug)]
struct Open {
    id: String,
    ticket: String,
    tool: String,
    arguments: String,
    action: usize,
    mask: u32,
}

/// The laws that the agent can keep in a position: all hard ones and some soft ones. `Lost` if it cannot keep the hard
/// ones.
enum Keeps {
    Lost,
    Laws(Vec<LawId>),
}

/// One session.
pub(super) struct Walk<'a> {
    compiled: &'a CompiledPolicy,
    text: &'a str,
    rules: Rules<'a>,
    oracle: Oracle<'a>,
    pub(super) rng: Rng,
    pub(super) journal: Kept,
    pub(super) gates: Vec<GateService<Kept>>,
    /// The solved games that some of the gates share.
    shelf: MemoryCache,
    calls: usize,
    open: Vec<Open>,
    happened: Vec<HostEvent<'static>>,
    /// The position by the definition; `None` if the definition does not track the session.
    place: Option<Position>,
    pub(super) counts: Counts,
    hard: Vec<LawId>,
    /// The outcomes and truths in the letter that is being collected, if letters have several events.
    gathered: BTreeSet<String>,
    /// Whether a call was granted; after that no letter of the world leads to a lost position.
    has_acted: bool,
    /// Whether the world had a letter before that in a position that was not closed, where the agent should have acted
    /// first.
    pub(super) was_late: bool,
}

fn event(kind: HostEventKind<'static>) -> HostEvent<'static> {
    HostEvent::new("s", 0, kind)
}

fn call(open: &Open) -> HostEvent<'static> {
    event(HostEventKind::Call {
        id: Some(open.id.clone().into()),
        server: None,
        tool: open.tool.clone().into(),
        arguments: JsonText(Cow::Owned(open.arguments.clone())),
    })
}

impl<'a> Walk<'a> {
    pub(super) fn new(compiled: &'a CompiledPolicy, text: &'a str, seed: u64) -> Self {
        let policy = &compiled.policy;
        let hard = policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Hard).map(|(id, _)| id);
        let hard: Vec<LawId> = hard.collect();
        let has_key = policy.laws.iter().any(|law| !law.for_each.is_empty());
        let rules = Rules::new(compiled, &hard, if has_key { 2 } else { 1 });
        // In the definition sums and windows are nondeterministic, so their sessions are not tracked.
        let is_exact = policy.registers.iter().all(|r| matches!(r.amount, Amount::One) && r.window.is_none());
        let place = (rules.mode == Mode::Apart && is_exact).then(|| rules.initial());
        let journal = Kept::default();
        let shelf = MemoryCache::default();
        Self {
            compiled,
            text,
            oracle: Oracle::new(compiled),
            rules,
            rng: Rng(seed),
            gates: vec![beside(text, &journal), cached::beside(text, "0", &journal, &shelf)],
            journal,
            shelf,
            calls: 0,
            open: Vec::new(),
            happened: Vec::new(),
            place,
            counts: Counts { policies: 1, ..Counts::default() },
            hard,
            gathered: BTreeSet::new(),
            has_acted: false,
            was_late: false,
        }
    }
    /// Sends an event to a random one of the gates, which share the journal.
    fn send(&mut self, event: &HostEvent<'static>) -> GateAnswer {
        let gate = self.rng.below(self.gates.len());
        self.gates[gate].event(event).unwrap_or_else(|error| panic!("{error}\n{}", self.text))
    }
    fn context(&self) -> String {
        format!("{:#?}\nafter {:#?}\n{}", self.place, self.happened, self.text)
    }
    /// Whether a letter violates one of these laws at once.
    fn violates(&self, kept: &[LawId], place: &Position, bits: u64, mask: u32) -> bool {
        Rules::new(self.compiled, kept, self.rules.copies()).after(place, bits, mask).0.contains(&None)
    }
    /// A position after a letter, with the calls that are open.
    fn step(&self, place: &Position, bits: u64, mask: u32, open: &[Open]) -> Position {
        // Without kept laws, so that positions are also tracked after violations.
        let free = Rules::new(self.compiled, &[], self.rules.copies());
        let (ends, _) = free.after(place, bits, mask);
        let mut next = ends.into_iter().flatten().next().unwrap_or_else(|| place.clone());
        next.pending.clear();
        for call in open {
            let (bound, _) = free.binding(LawAtom::Call(ActionId::from_index(call.action)));
            let everywhere = if free.has_key() { free.all_copies() } else { 0 };
            let slot =
                next.pending.entry((call.action, if bound { call.mask } else { everywhere })).or_insert(0);
            *slot = (*slot + 1).min(free.counted(call.action));
        }
        // The monitor of a violated soft law restarts.
        for (id, _) in self.compiled.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Soft) {
            let dfa = self.compiled.monitors[id].dfa();
            for state in &mut next.laws[id.index()] {
                if !dfa.is_live(*state) {
                    *state = 0;
                }
            }
        }
        next
    }
    /// A position after a letter that has happened: hard laws that it violates go on as if it had not.
    fn happens(&self, place: &Position, bits: u64, mask: u32, open: &[Open]) -> Position {
        let mut next = self.step(place, bits, mask, open);
        for law in &self.hard {
            let dfa = self.compiled.monitors[*law].dfa();
            let states = next.laws[law.index()].iter_mut();
            for (state, before) in states.zip(&place.laws[law.index()]) {
                if dfa.is_live(*before) && !dfa.is_live(*state) {
                    *state = *before;
                }
            }
        }
        next
    }
    /// The laws that the agent can keep in a position; `None` if the game by the definition is too large.
    fn kept(&mut self, place: &Position) -> Option<Keeps> {
        let is_won = |views: &(Vec<Known>, Option<Known>)| views.0.iter().all(|known| known.winning);
        let mut kept = self.hard.clone();
        if !is_won(&self.oracle.views(&kept, place)?) {
            return Some(Keeps::Lost);
        }
        let laws = self.compiled.policy.laws.enumerate();
        let soft: Vec<LawId> = laws.filter(|(_, law)| law.kind == LawKind::Soft).map(|(id, _)| id).collect();
        for &law in &soft {
            kept.push(law);
            if !is_won(&self.oracle.views(&kept, place)?) {
                kept.pop();
            }
        }
        self.counts.soft_dropped += usize::from(kept.len() < self.hard.len() + soft.len());
        Some(Keeps::Laws(kept))
    }
    /// Compares a decision about a call with the definition.
    fn compare(&mut self, open: &Open, answer: &GateAnswer) {
        let Some(place) = self.place.clone() else { return };
        let bits = self.rules.bit(LawAtom::Call(ActionId::from_index(open.action)));
        let after: Vec<Open> = self.open.iter().chain([open]).cloned().collect();
        let next = self.step(&place, bits, open.mask, &after);
        let Some(kept) = self.kept(&place) else { return self.counts.too_large += 1 };
        let is_allowed = answer.answer.ruling < Ruling::Ask;
        self.counts.compared += 1;
        let Keeps::Laws(kept) = kept else {
            self.counts.lost += 1;
            let has_copies = next.laws.iter().any(|states| states.len() > 1);
            let newly = self.hard.iter().any(|&law| {
                let dfa = self.compiled.monitors[law].dfa();
                let dead =
                    |place: &Position| place.laws[law.index()].iter().filter(|&&s| !dfa.is_live(s)).count();
                dead(&next) > dead(&place)
            });
            assert!(has_copies || is_allowed != newly, "lost: {:?}\n{}", answer.document, self.context());
            return;
        };
        let Some((singles, together)) = self.oracle.views(&kept, &next) else {
            return self.counts.too_large += 1;
        };
        let violates = self.violates(&kept, &place, bits, open.mask);
        let each = !violates && singles.iter().all(|known| known.closed);
        match together {
            None => assert_eq!(is_allowed, each, "{open:?} {:#?}\n{}", answer.document, self.context()),
            Some(together) => {
                self.counts.copies += 1;
                assert!(!is_allowed || each, "{open:?} {:#?}\n{}", answer.document, self.context());
                let is_due = !each || !together.closed || !self.is_won_together(&kept, &place);
                assert!(is_allowed || is_due, "{open:?} {:#?}\n{}", answer.document, self.context());
            }
        }
        self.counts.ahead += usize::from(!is_allowed && !violates);
    }
    fn is_won_together(&mut self, kept: &[LawId], place: &Position) -> bool {
        let views = self.oracle.views(kept, place);
        views.is_some_and(|(_, together)| together.is_none_or(|known| known.winning))
    }
    /// Compares the allowed actions with the definition.
    pub(super) fn options(&mut self) {
        let gate = self.rng.below(self.gates.len());
        let answer = self.gates[gate].options("s").unwrap_or_else(|error| panic!("{error}\n{}", self.text));
        let policy = &self.compiled.policy;
        let allowed: BTreeSet<&str> = answer.allowed.iter().flatten().map(String::as_str).collect();
        let has_way = !allowed.is_empty() || policy.idle || answer.owed.is_empty();
        // The game of one copy does not constrain calls bound to other values, so with several copies it may promise a
        // legal continuation that does not exist; each such call is refused nevertheless.
        assert!(
            answer.lost || has_way || self.rules.has_key(),
            "no legal way: {answer:#?}\n{}",
            self.context()
        );
        let Some(place) = self.place.clone() else { return };
        if place.laws.iter().any(|states| states.len() > 1) {
            return;
        }
        let Some(kept) = self.kept(&place) else { return };
        assert_eq!(answer.lost, matches!(kept, Keeps::Lost), "{answer:#?}\n{}", self.context());
        let Keeps::Laws(kept) = kept else { return };
        let Some(known) = self.oracle.ask(&kept, 1, &place) else { return };
        let name = |&action: &usize| policy.atoms.actions[ActionId::from_index(action)].name.as_str();
        let expected: BTreeSet<&str> = known.allowed.iter().map(name).collect();
        assert_eq!(allowed, expected, "{answer:#?}\n{}", self.context());
        assert_eq!(answer.owed.is_empty(), known.end, "{answer:#?}\n{}", self.context());
    }
    /// The agent proposes every action, in some order, until one is granted.
    pub(super) fn agent(&mut self) {
        let actions = self.compiled.policy.atoms.actions.len();
        let first = self.rng.below(actions);
        for action in (0..actions).map(|i| (first + i) % actions) {
            let id = ActionId::from_index(action);
            let (bound, _) = self.rules.binding(LawAtom::Call(id));
            let mut tool = self.compiled.policy.atoms.actions[id].name.clone();
            let second = format!("{tool}2");
            let is_second = bound && self.rng.flip() && self.text.contains(&format!("tool = \"{second}\""));
            let mask = match (self.rules.has_key(), bound && !is_second) {
                (false, _) => 0,
                (true, true) => 1,
                (true, false) => self.rules.all_copies(),
            };
            if is_second {
                tool = second;
            }
            let arguments = format!("{{\"v\":\"x\",\"eur\":{}}}", self.rng.below(3));
            self.calls += 1;
            let mut open =
                Open { id: format!("c{}", self.calls), ticket: String::new(), tool, arguments, action, mask };
            let answer = self.send(&call(&open));
            assert!(answer.document.faults.is_empty(), "{:?}", answer.document);
            self.compare(&open, &answer);
            if answer.answer.ruling >= Ruling::Ask {
                self.counts.refused += 1;
                assert!(!answer.document.reason.is_empty() && answer.answer.ticket.is_none());
                continue;
            }
            self.counts.granted += 1;
            open.ticket = answer.answer.ticket.expect("a ticket");
            self.grant(&open);
            return;
        }
    }
    fn grant(&mut self, open: &Open) {
        self.happened.push(call(open));
        self.open.push(open.clone());
        self.gathered.clear();
        self.has_acted = true;
        if let Some(place) = &self.place {
            let bits = self.rules.bit(LawAtom::Call(ActionId::from_index(open.action)));
            self.place = Some(self.happens(place, bits, open.mask, &self.open));
        }
        if self.rng.below(3) == 0 {
            self.propose_again(open);
        }
    }
    /// A granted call is proposed again: the same call has the same ticket, another call with its identifier is
    /// refused.
    fn propose_again(&mut self, open: &Open) {
        self.counts.repeated += 1;
        let answer = self.send(&call(open));
        if answer.answer.ruling < Ruling::Ask {
            assert_eq!(answer.answer.ticket.as_ref(), Some(&open.ticket), "{}", self.context());
        }
        let other = Open { arguments: "{\"v\":\"x\",\"other\":1}".into(), ..open.clone() };
        let answer = self.send(&call(&other));
        assert_eq!(answer.answer.ruling, Ruling::Deny, "{:?}\n{}", answer.document, self.context());
        assert!(answer.answer.ticket.is_none());
    }
    /// An event of the world that keeps the `assume` laws, if a few random attempts find one.
    pub(super) fn world(&mut self) {
        if !self.has_acted {
            let hard = self.hard.clone();
            let views = self.place.clone().and_then(|place| self.oracle.views(&hard, &place));
            let is_closed = |(singles, both): (Vec<Known>, Option<Known>)| {
                singles.iter().chain(&both).all(|known| known.closed)
            };
            self.was_late |= !views.is_some_and(is_closed);
        }
        for _ in 0..6 {
            if self.rng.flip() && !self.open.is_empty() {
                let which = self.rng.below(self.open.len());
                // Seldom unknown, since decisions after it are mostly not compared.
                let outcome = OUTCOMES[[0, 0, 0, 1, 1, 1, 2][self.rng.below(7)]];
                if self.result(which, outcome) {
                    return;
                }
            } else if self.observe() {
                return;
            }
        }
    }
    /// Whether the definition permits a letter of the world; if so, updates the position.
    fn may(&mut self, bits: u64, mask: u32, open: &[Open]) -> bool {
        let Some(place) = self.place.clone() else { return true };
        let (ends, broken) = self.rules.after(&place, bits, mask);
        if broken || ends.is_empty() || !self.rules.is_framed(0, bits) {
            return false;
        }
        self.place = Some(self.happens(&place, bits, mask, open));
        true
    }
    /// Whether the definition permits a result; if so, updates the position. A result of unknown outcome is both that of
    /// a call that succeeded and of one that failed: the definition, which is about one position, does not track the
    /// session after it if these lead to two.
    fn may_end(&mut self, action: ActionId, outcome: CallOutcome, mask: u32, rest: &[Open]) -> bool {
        let bit = |outcome| LawAtom::Result(action, outcome);
        let before = self.place.clone();
        if !self.may(self.rules.bit(bit(outcome)), mask, rest) {
            return false;
        }
        let Some(before) = before.filter(|_| outcome == CallOutcome::Unknown) else { return true };
        let ends = OUTCOMES.map(|outcome| self.happens(&before, self.rules.bit(bit(outcome)), mask, rest));
        if ends[0] != ends[1] || ends[1] != ends[2] {
            self.place = None;
        }
        true
    }
    fn result(&mut self, which: usize, outcome: CallOutcome) -> bool {
        let call = self.open[which].clone();
        let action = ActionId::from_index(call.action);
        let gathered = format!("result {}", call.action);
        if self.place.is_none() && self.gathered.contains(&gathered) {
            return false;
        }
        let rest: Vec<Open> = self.open.iter().filter(|open| open.id != call.id).cloned().collect();
        if !self.may_end(action, outcome, call.mask, &rest) {
            return false;
        }
        self.gathered.insert(gathered);
        let kind = HostEventKind::Result { call: Some(call.id.clone().into()), outcome, result: None };
        self.happened.push(event(kind.clone()));
        if self.rng.flip() {
            let gate = self.rng.below(self.gates.len());
            self.gates[gate].commit("s", &call.ticket, outcome, None, None).expect("an open call");
        } else {
            self.send(&event(kind));
        }
        self.open = rest;
        let gate = self.rng.below(self.gates.len());
        let used = self.gates[gate].commit("s", &call.ticket, outcome, None, None);
        assert!(used.is_err(), "a ticket is used once");
        if self.rng.below(3) == 0 {
            let answer = self.send(&super::walk::call(&call));
            assert_eq!(answer.answer.ruling, Ruling::Deny, "an ended call: {:?}", answer.document);
        }
        true
    }
    fn observe(&mut self) -> bool {
        let atoms = &self.compiled.policy.atoms;
        let ids: Vec<PropositionId> = atoms
            .propositions
            .enumerate()
            .filter(|(id, own)| {
                !own.is_computed
                    && !self.rules.is_agents(*id)
                    && self.rules.binding(LawAtom::Proposition(*id)).1
            })
            .map(|(id, _)| id)
            .collect();
        if ids.is_empty() {
            return false;
        }
        let mut truths: BTreeMap<Cow<'static, str>, bool> = BTreeMap::new();
        let mut bits = 0;
        for _ in 0..=self.rng.below(2) {
            let id = ids[self.rng.below(ids.len())];
            let value = !atoms.propositions[id].is_state || self.rng.flip();
            let name = atoms.propositions[id].name.clone();
            let is_new = !truths.contains_key(name.as_str());
            if is_new && (self.place.is_some() || self.gathered.insert(name.clone())) {
                bits |= self.rules.bit(if value { LawAtom::Proposition(id) } else { LawAtom::Clear(id) });
                truths.insert(name.into(), value);
            }
        }
        let mask = if self.rules.has_key() { self.rules.all_copies() } else { 0 };
        let open = self.open.clone();
        if truths.is_empty() || !self.may(bits, mask, &open) {
            return false;
        }
        let told = event(HostEventKind::Observe { truths, complete: false });
        self.happened.push(told.clone());
        let answer = self.send(&told);
        assert!(answer.document.faults.is_empty(), "{:?}", answer.document);
        true
    }
    /// A gate that reads the journal from its beginning has the same answers as the others.
    pub(super) fn replay(&mut self) {
        self.counts.replayed += 1;
        let fresh = if self.rng.flip() {
            beside(self.text, &self.journal)
        } else {
            cached::beside(self.text, "0", &self.journal, &self.shelf)
        };
        let before: Vec<_> = self.gates.iter_mut().map(|gate| gate.options("s")).collect();
        self.gates.push(fresh);
        let after = self.gates.last_mut().expect("a gate").options("s");
        assert!(before.iter().all(|one| *one == after), "{before:#?}\n{after:#?}\n{}", self.context());
        self.gates.remove(0);
    }
    /// Asserts that the events so far violate no hard law, if the first position is not lost and `was_late` is false.
    pub(super) fn judge(&self) {
        let mut monitor = PolicyMonitor::new(self.compiled);
        for event in &self.happened {
            // Where the outcome joins a later letter, the gate judges what the host tells, and the monitor both outcomes.
            let is_unknown =
                matches!(event.kind, HostEventKind::Result { outcome: CallOutcome::Unknown, .. });
            if is_unknown && self.compiled.policy.trace == TraceMode::PerAction {
                return;
            }
            monitor.event(event);
            for &law in &self.hard {
                let standing = monitor.standing(law);
                assert!(standing.worst != LawStatus::Violated, "{law:?} {event:?}\n{}", self.context());
            }
        }
    }
    /// Requests the end of the session until it is accepted.
    pub(super) fn end(&mut self) {
        let most = self.compiled.policy.end_refusals as usize;
        self.replay();
        for refused in 0.. {
            assert!(refused <= most, "the end is refused for ever\n{}", self.context());
            let answer = self.send(&event(HostEventKind::End));
            if answer.answer.ruling < Ruling::Ask {
                let owed = !answer.document.owed.is_empty();
                assert!(!owed || refused == most, "owed after {refused}: {:?}", answer.document);
                break;
            }
            self.counts.ends_refused += 1;
        }
    }
}
