//! Decisions about calls and about the end of a run.

use super::judge::Judge;
use super::session::{GateSession, OpenProposal, restart_soft};
use super::views::IndistinguishableSet;
use super::{Decision, Reason};
use crate::language::{Ending, Fallback, LawId, LawKind, OnViolation, Unmatched};
use crate::{EventContent, Game, PolicyPosition, PossibleState, Program, SeenLetter, SessionState, Turns};
use std::borrow::Cow;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{HostEvent, LawStatus, Ruling};

/// The positions of games that decide about a proposal.
pub(super) enum After {
    /// The positions after its letters.
    Views(Vec<IndistinguishableSet>),
    /// The agent chose its part of the next letter: the positions before, and that part.
    Choice(Vec<IndistinguishableSet>, Letter),
}

fn ruling(unmatched: Unmatched) -> Ruling {
    match unmatched {
        Unmatched::Deny => Ruling::Deny,
        Unmatched::Ask => Ruling::Ask,
        Unmatched::Warn => Ruling::Warn,
        Unmatched::Allow => Ruling::Allow,
    }
}

/// The result of a query that may be too hard, with the message in that case.
pub(super) type Answered<T> = Result<T, String>;

pub(super) fn too_hard(limit: &Limit) -> String {
    limit.to_string()
}

impl Judge {
    pub(super) fn budget(&self) -> Budget {
        Budget::unlimited().child(self.options.work)
    }
    /// Decides about a call, whose letters become part of the session only by [`GateSession::grant`]. Events other than
    /// calls are denied.
    pub fn propose(&mut self, session: &mut GateSession, event: &HostEvent<'_>) -> OpenProposal {
        let mut faults = Vec::new();
        let reported = session.interpreter.read(&self.compiled, event, &mut faults);
        let mut decision = Decision::allow();
        for fault in faults {
            decision.add(Ruling::Deny, Reason::Unreadable(fault));
        }
        let EventContent::Call { call, program, unmatched, opaque } = reported else {
            decision.add(Ruling::Deny, Reason::Unmatched);
            return OpenProposal { decision, call: None, after: session.state.clone(), last: None };
        };
        if let Some(unmatched) = unmatched {
            decision.add(ruling(unmatched), Reason::Unmatched);
        }
        if let Some(opaque) = opaque {
            decision.add(ruling(opaque), Reason::Opaque);
        }
        let mut after = session.state.clone();
        let before = self.violated_copies(&session.state);
        let violates = |world: &PossibleState| {
            before.enumerate().any(|(law, &least)| world.violated_copies(&self.compiled, law) > least)
        };
        decision.letters = after.call(&self.compiled, call, &program, event.time, &violates);
        let last = decision.letters.last().cloned();
        let overflowed = |state: &SessionState| state.worlds().iter().any(|world| world.overflowed);
        if overflowed(&after) && !program.is_silent() {
            decision.add(ruling(self.compiled.policy.on_overflow), Reason::Overflow);
        }
        if !program.is_silent() {
            let violated = self.newly_violated(&before, &after);
            self.judge_call(&session.state, &after, &program, violated, event.time, &mut decision);
        }
        OpenProposal { decision, call: Some(call), after, last }
    }
    fn judge_call(
        &mut self,
        before: &SessionState,
        after: &SessionState,
        program: &Program,
        violated: Vec<LawId>,
        time: Option<i64>,
        decision: &mut Decision,
    ) {
        let mut here = before.clone();
        let completed = here.flush(&self.compiled, time);
        let is_choice_first = self.stepping.turns() == Turns::CallFirst;
        let violated = if is_choice_first {
            // Soft laws that are violated by the letter that is now complete restart.
            restart_soft(&mut here, &self.compiled);
            // This call is not to blame for the rest of the previous letter; the game decides about the possible rest
            // of its own letter.
            decision.letters = program.only_letter().map_or(completed, |letter| {
                vec![SeenLetter { letter: letter.letter.clone(), bindings: letter.bindings.clone() }]
            });
            Vec::new()
        } else {
            violated
        };
        let laws = &self.compiled.policy.laws;
        for on in [OnViolation::Warn, OnViolation::Log] {
            let own = violated.iter().copied().filter(|&law| laws[law].on_violation == on);
            let own: Vec<LawId> = own.filter(|&law| laws[law].kind != LawKind::Assume).collect();
            if !own.is_empty() {
                let mild = if on == OnViolation::Warn { Ruling::Warn } else { Ruling::Allow };
                decision.add(mild, Reason::Violates(own));
            }
        }
        let result = self.judge_laws(before, &here, after, program, &violated, decision);
        if let Err(message) = result {
            decision.add(Ruling::Deny, Reason::TooHard(message));
        }
    }
    fn judge_laws(
        &mut self,
        before: &SessionState,
        flushed: &SessionState,
        after: &SessionState,
        program: &Program,
        violated: &[LawId],
        decision: &mut Decision,
    ) -> Answered<()> {
        let hard = self.kept_hard();
        let is_choice_first = self.stepping.turns() == Turns::CallFirst;
        let views = self.views(if is_choice_first { flushed } else { before })?;
        let after = match (is_choice_first, program.only_letter()) {
            (true, Some(letter)) => After::Choice(views.clone(), letter.letter.clone()),
            (true, None) => {
                return Err("a command of several letters where the action is chosen first".into());
            }
            (false, _) => After::Views(self.views(after)?),
        };
        if !self.compiled.policy.look_ahead {
            let soft = self.soft_of_step(&views, &hard)?;
            decision.dropped = self.soft().into_iter().filter(|law| !soft.contains(law)).collect();
            let kept: Vec<LawId> = hard.iter().copied().chain(soft).collect();
            return self.refuse_step(&after, violated, &kept, decision);
        }
        let Some(soft) = self.kept_soft(&views, &hard)? else {
            decision.is_lost = true;
            return self.refuse_step(&after, violated, &hard, decision);
        };
        decision.dropped = self.soft().into_iter().filter(|law| !soft.contains(law)).collect();
        let kept: Vec<LawId> = hard.into_iter().chain(soft).collect();
        if self.is_good(&after, &kept)? {
            return Ok(());
        }
        let (deny, strict) = self.strictest(&after, &kept)?;
        let step: Vec<LawId> = violated.iter().copied().filter(|law| strict.contains(law)).collect();
        if step.is_empty() {
            let core = self.core(&after, &strict)?;
            decision.add(deny, Reason::Loses(core));
        } else {
            decision.add(deny, Reason::Violates(step));
        }
        Ok(())
    }
    /// Deny if the laws with `on_violation = "deny"` alone refuse, ask if only the laws with `"ask"` in addition do;
    /// and the laws that refuse together.
    fn strictest(&mut self, after: &After, kept: &[LawId]) -> Answered<(Ruling, Vec<LawId>)> {
        let laws = &self.compiled.policy.laws;
        let deny: Vec<LawId> =
            kept.iter().copied().filter(|&law| laws[law].on_violation == OnViolation::Deny).collect();
        if deny.len() < kept.len() && self.is_good(after, &deny)? {
            return Ok((Ruling::Ask, kept.to_vec()));
        }
        Ok((Ruling::Deny, deny))
    }
    /// Without look-ahead, or if the hard laws cannot be kept anyway: refuses for the laws that are violated at once.
    fn refuse_step(
        &mut self,
        after: &After,
        violated: &[LawId],
        kept: &[LawId],
        decision: &mut Decision,
    ) -> Answered<()> {
        let mut laws: Vec<LawId> = violated.iter().copied().filter(|law| kept.contains(law)).collect();
        if let After::Choice(views, choice) = after {
            for &law in kept {
                let is_legal =
                    |game: &Game, position: &PolicyPosition| game.is_choice_step_legal(position, choice);
                if !self.ask(views, &[law], &is_legal)? {
                    laws.push(law);
                }
            }
        }
        if laws.is_empty() {
            return Ok(());
        }
        let of = |law: &LawId| self.compiled.policy.laws[*law].on_violation;
        let is_asked = laws.iter().all(|law| of(law) == OnViolation::Ask);
        decision.add(if is_asked { Ruling::Ask } else { Ruling::Deny }, Reason::Violates(laws));
        Ok(())
    }
    /// The game of some laws for a view, and the position in it.
    pub(super) fn game_at<'v>(
        &mut self,
        view: &'v IndistinguishableSet,
        kept: &[LawId],
        budget: &Budget,
    ) -> Answered<(&mut Game, Cow<'v, PolicyPosition>)> {
        let tracks = view.positions.len();
        if tracks > self.options.tracks {
            return Err(format!(
                "the session may be in {tracks} states, and a common strategy is computed for at most {}",
                self.options.tracks
            ));
        }
        let game = self.game(kept, view.copies, tracks, budget).map_err(|limit| too_hard(&limit))?;
        let position = view.position(game)?;
        Ok((game, position))
    }
    /// Whether a property holds of the position of every view in the game of some laws.
    pub(super) fn ask(
        &mut self,
        views: &[IndistinguishableSet],
        kept: &[LawId],
        holds: &dyn Fn(&Game, &PolicyPosition) -> bool,
    ) -> Answered<bool> {
        let budget = self.budget();
        for view in views {
            let (game, position) = self.game_at(view, kept, &budget)?;
            if !holds(game, &position) {
                return Ok(false);
            }
        }
        Ok(true)
    }
    fn is_winning(&mut self, views: &[IndistinguishableSet], kept: &[LawId]) -> Answered<bool> {
        self.ask(views, kept, &|game, position| game.is_winning(position))
    }
    /// Whether the agent, after a proposal, can still keep some laws and stop.
    pub(super) fn is_good(&mut self, after: &After, kept: &[LawId]) -> Answered<bool> {
        match after {
            After::Views(views) => self.ask(views, kept, &|game, position| game.is_closed(position)),
            After::Choice(views, choice) => {
                self.ask(views, kept, &|game, position| game.is_choice_allowed(position, choice))
            }
        }
    }
    /// Without look-ahead: all soft laws, or none if they leave no action and the policy allows dropping them.
    pub(super) fn soft_of_step(
        &mut self,
        views: &[IndistinguishableSet],
        hard: &[LawId],
    ) -> Answered<Vec<LawId>> {
        let soft = self.soft();
        if self.compiled.policy.fallback == Fallback::None || soft.is_empty() {
            return Ok(soft);
        }
        let all: Vec<LawId> = hard.iter().chain(&soft).copied().collect();
        let blocked = self.blocked_by(views, &all)?;
        let is_stuck = !self.compiled.policy.idle && blocked.iter().all(|(_, laws)| !laws.is_empty());
        Ok(if is_stuck { Vec::new() } else { soft })
    }
    /// The soft laws that are kept now: in declared order, each that can be kept together with the hard laws and those
    /// chosen before it. `None` if the hard laws alone cannot be kept.
    pub(super) fn kept_soft(
        &mut self,
        views: &[IndistinguishableSet],
        hard: &[LawId],
    ) -> Answered<Option<Vec<LawId>>> {
        let soft = self.soft();
        if !self.compiled.policy.look_ahead {
            return Ok(Some(soft));
        }
        // Usually all can be kept, and then one game is enough.
        let all: Vec<LawId> = hard.iter().chain(&soft).copied().collect();
        if self.is_winning(views, &all)? {
            return Ok(Some(soft));
        }
        if soft.is_empty() || !self.is_winning(views, hard)? {
            return Ok(None);
        }
        let mut kept = hard.to_vec();
        for law in soft {
            kept.push(law);
            if !self.is_winning(views, &kept)? {
                kept.pop();
            }
        }
        Ok(Some(kept.split_off(hard.len())))
    }
    /// Decides whether the agent may stop; if so, the letters of the end become part of the session.
    ///
    /// The end is refused while some law that can still be kept is not satisfied if the run ends here, but at most as
    /// often in a row as the policy allows; then it is granted, and the decision lists these laws as owed.
    pub fn end(&mut self, session: &mut GateSession, event: &HostEvent<'_>) -> Decision {
        let mut decision = Decision::allow();
        let mut faults = Vec::new();
        let reported = session.interpreter.read(&self.compiled, event, &mut faults);
        let mut after = session.state.clone();
        decision.letters = after.read(&self.compiled, reported, event.time);
        let hard = self.kept_hard();
        // Hard laws are judged by their states; the game determines the soft laws to keep, which may be too hard.
        let soft = self.views(&session.state).and_then(|views| self.kept_soft(&views, &hard));
        decision.is_lost = matches!(soft, Ok(None));
        let soft = soft.ok().flatten().unwrap_or_default();
        decision.dropped = self.soft().into_iter().filter(|law| !soft.contains(law)).collect();
        let owed: Vec<LawId> =
            hard.into_iter().chain(soft).filter(|&law| self.is_owed(&after, law)).collect();
        let is_refused = !owed.is_empty() && session.end_refusals < self.compiled.policy.end_refusals;
        if is_refused {
            session.end_refusals += 1;
            decision.letters.clear();
            decision.add(Ruling::Deny, Reason::Owes(owed));
        } else {
            decision.left_owed = owed;
            session.state = after;
            session.end_refusals = 0;
            session.last = decision.letters.last().cloned().or_else(|| session.last.take());
            session.restart_soft(&self.compiled);
        }
        decision
    }
    /// Decides again about a call that is part of the session already: denied if the hard laws can no longer be kept.
    pub fn confirm(&mut self, session: &GateSession) -> Decision {
        let mut decision = Decision::allow();
        if !self.compiled.policy.look_ahead {
            return decision;
        }
        let hard = self.kept_hard();
        match self.views(&session.state).and_then(|views| self.is_winning(&views, &hard)) {
            Ok(true) => {}
            Ok(false) => decision.add(Ruling::Deny, Reason::Loses(hard)),
            Err(message) => decision.add(Ruling::Deny, Reason::TooHard(message)),
        }
        decision
    }
    /// The laws, hard and soft, that can still be kept but are not satisfied if the run ends here.
    pub fn owed(&self, session: &GateSession) -> Vec<LawId> {
        let mut state = session.state.clone();
        state.flush(&self.compiled, None);
        let laws = self.kept_hard().into_iter().chain(self.soft());
        laws.filter(|&law| self.is_owed(&state, law)).collect()
    }
    /// Whether a law can still be kept in some of these states but is not satisfied if the run ends there.
    pub(super) fn is_owed(&self, state: &SessionState, law: LawId) -> bool {
        if self.compiled.policy.end == Ending::Infinite {
            return false;
        }
        let standing = state.standing(&self.compiled, law);
        standing.worst == LawStatus::CurrentlyViolated
            || standing.worst == LawStatus::Violated && standing.best == LawStatus::CurrentlyViolated
    }
}
