//! Decisions about calls and about the end of a run.

use super::session::{GateSession, OpenProposal, restart_soft};
use super::solver::GateSolver;
use super::views::{InformationSet, Views};
use super::{Decision, Reason};
use crate::language::{DefaultRuling, Ending, Fallback, LawId, LawKind, OnViolation};
use crate::{
    EventContent, Game, PolicyPosition, PossibleState, Program, SeenLetter, SessionState, Standing, Turns,
};
use std::borrow::Cow;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{HostEvent, LawStatus, Ruling};

/// The positions of games that decide about a proposal.
pub(super) enum After {
    /// The positions after its letters.
    Views(Views),
    /// The agent chose its part of the next letter: the positions before, and that part.
    Choice(Views, Letter),
}

fn ruling(unmatched: DefaultRuling) -> Ruling {
    match unmatched {
        DefaultRuling::Deny => Ruling::Deny,
        DefaultRuling::Ask => Ruling::Ask,
        DefaultRuling::Warn => Ruling::Warn,
        DefaultRuling::Allow => Ruling::Allow,
    }
}

/// What is asked about a position in a game.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked<'a> {
    /// Whether it stays winning whatever the world does.
    Closed,
    /// Whether it is winning.
    Winning,
    /// Whether it is winning, and not only because the run may end.
    Urgent,
    /// Whether the end is accepted.
    End,
    /// Whether the agent's part of a letter is allowed.
    ChoiceAllowed(&'a Letter),
    /// Whether no rest of the letter violates a law with the agent's part.
    ChoiceLegal(&'a Letter),
}

impl Asked<'_> {
    fn holds(&self, game: &Game, position: &PolicyPosition) -> bool {
        match self {
            Self::Closed => game.is_closed(position),
            Self::Winning => game.is_winning(position),
            Self::Urgent => matches!(game.standing(position), Standing::Closed | Standing::Urgent),
            Self::End => game.is_end_accepted(position),
            Self::ChoiceAllowed(choice) => game.is_choice_allowed(position, choice),
            Self::ChoiceLegal(choice) => game.is_choice_step_legal(position, choice),
        }
    }
}

/// The laws that decisions keep in a position.
pub(super) struct KeptLaws {
    /// The laws.
    pub laws: Vec<LawId>,
    /// Whether the hard laws that deny cannot be kept in any case; then `laws` are all hard laws, each for itself.
    pub is_lost: bool,
    /// Whether soft laws are left out because they would leave the agent no action (`fallback = "hard"`).
    pub gave_way: bool,
}

/// The result of a query that may be too hard, with the message in that case.
pub(super) type QueryResult<T> = Result<T, String>;

pub(super) fn too_hard(limit: &Limit) -> String {
    limit.to_string()
}

impl GateSolver {
    /// The budget of the rest of the present decision.
    pub(super) fn budget(&self) -> Budget {
        Budget::unlimited().child(self.left)
    }
    /// A decision begins.
    pub(super) fn begin(&mut self) {
        self.left = self.options.work;
    }
    /// Decides about a call, whose letters become part of the session only by [`GateSession::grant`]. Events other than
    /// calls are denied.
    pub fn propose(&mut self, session: &mut GateSession, event: &HostEvent<'_>) -> OpenProposal {
        self.begin();
        let mut faults = Vec::new();
        session.state.read_totals(&self.compiled, event);
        let reported = session.interpreter.read(&self.compiled, event, &mut faults);
        let mut decision = Decision::allow();
        for fault in faults {
            decision.add(Ruling::Deny, Reason::Unreadable(fault));
        }
        let EventContent::Call { call, program, unmatched, opaque } = reported else {
            decision.add(Ruling::Deny, Reason::DefaultRuling);
            return OpenProposal {
                decision,
                call: None,
                after: session.state.clone(),
                last: None,
                is_closed: false,
            };
        };
        if let Some(unmatched) = unmatched {
            decision.add(ruling(unmatched), Reason::DefaultRuling);
        }
        if let Some(opaque) = opaque {
            decision.add(ruling(opaque), Reason::Opaque);
        }
        let mut after = session.state.clone();
        let before = &session.state;
        let violates = |world: &PossibleState| {
            let mut laws = self.compiled.policy.laws.ids();
            !world.excused.is_empty() || laws.any(|law| self.is_newly_violated(before, world, law))
        };
        decision.letters = after.call(&self.compiled, call, &program, event.time, &violates);
        let last = decision.letters.last().cloned();
        let overflowed = |state: &SessionState| state.worlds().iter().any(|world| world.overflowed);
        if overflowed(&after) && !program.is_silent() {
            decision.add(ruling(self.compiled.policy.on_overflow), Reason::Overflow);
        }
        let mut is_closed = false;
        if !program.is_silent() {
            let violated = self.newly_violated(&session.state, &after);
            is_closed = self.judge_call(session, &after, &program, violated, event.time, &mut decision);
        }
        OpenProposal { decision, call: Some(call), after, last, is_closed }
    }
    /// Adds the reasons of the laws. Returns whether all laws can be kept after the call whatever the world does.
    fn judge_call(
        &mut self,
        session: &mut GateSession,
        after: &SessionState,
        program: &Program,
        violated: Vec<LawId>,
        time: Option<i64>,
        decision: &mut Decision,
    ) -> bool {
        let mut here = session.state.clone();
        let completed = here.flush(&self.compiled, time);
        let is_choice_first = self.stepping.turns() == Turns::CallFirst;
        let violated = if is_choice_first {
            // Soft laws that are violated by the letter that is now complete restart.
            here.end_event();
            restart_soft(&mut here, &self.compiled);
            // This call is not to blame for the rest of the previous letter; the game decides about the possible rest
            // of its own letter.
            decision.letters = program.only_letter().map_or(completed, |letter| {
                vec![SeenLetter { letter: letter.letter.clone(), bindings: letter.known_bindings() }]
            });
            self.mild_of_choice(&here, program, decision)
        } else {
            violated
        };
        let compiled = self.compiled.clone();
        let laws = &compiled.policy.laws;
        for on in [OnViolation::Warn, OnViolation::Log] {
            let own = violated.iter().copied().filter(|&law| laws[law].on_violation == on);
            let own: Vec<LawId> = own.filter(|&law| laws[law].kind != LawKind::Assume).collect();
            if !own.is_empty() {
                let mild = if on == OnViolation::Warn { Ruling::Warn } else { Ruling::Allow };
                decision.add(mild, Reason::Violates(own));
            }
        }
        let result = self.judge_laws(session, &here, after, program, &violated, decision);
        result.unwrap_or_else(|message| {
            // A call that violates a hard law at once is denied whatever else can be kept.
            let denies = |law: &LawId| {
                laws[*law].kind == LawKind::Hard && laws[*law].on_violation == OnViolation::Deny
            };
            let denied: Vec<LawId> = violated.iter().copied().filter(denies).collect();
            if !denied.is_empty() {
                decision.add(Ruling::Deny, Reason::Violates(denied));
                return false;
            }
            // What violates nothing and leaves every state as it is takes no strategy away.
            if !violated.is_empty() || is_choice_first || !after.is_unmoved(&session.state) {
                decision.add(Ruling::Deny, Reason::TooHard(message));
            }
            false
        })
    }
    fn judge_laws(
        &mut self,
        session: &mut GateSession,
        flushed: &SessionState,
        after: &SessionState,
        program: &Program,
        violated: &[LawId],
        decision: &mut Decision,
    ) -> QueryResult<bool> {
        let is_choice_first = self.stepping.turns() == Turns::CallFirst;
        // Where soft laws may be dropped, they are not all kept even if they can be.
        let is_closed = !self.may_give_way() && self.is_closed(session)?;
        let before = &session.state;
        if is_closed {
            if violated.is_empty() && self.all_closed(after, Some(before), Some(before))? {
                return Ok(true);
            }
            // All laws can be kept, so only what the call changes may refuse it.
            let mut views = self.changed_parts(before, after)?;
            for part in 0..self.parts.len() {
                if self.limit_of(part).is_some() && self.takes_nothing(part, before, after) {
                    views.leave_out(part);
                }
            }
            let laws: Vec<LawId> = self.kept_hard().into_iter().chain(self.soft()).collect();
            return self.judge_ahead(&After::Views(views), violated, &laws, decision).map(|()| false);
        }
        let views = self.views(if is_choice_first { flushed } else { before })?;
        let after = match (is_choice_first, program.only_letter()) {
            (true, Some(letter)) => After::Choice(views.clone(), letter.letter.clone()),
            (true, None) => {
                return Err("a command of several letters where the action is chosen first".into());
            }
            (false, _) => After::Views(self.views(after)?),
        };
        if !self.compiled.policy.look_ahead {
            let hard = self.kept_hard();
            let soft = self.soft_of_step(&views, &hard)?;
            decision.dropped = self.soft().into_iter().filter(|law| !soft.contains(law)).collect();
            let kept: Vec<LawId> = hard.into_iter().chain(soft).collect();
            return self.refuse_step(&after, violated, &kept, decision).map(|()| false);
        }
        let kept = self.kept(&views)?;
        decision.is_lost = kept.is_lost;
        if kept.is_lost {
            return self.refuse_step(&after, violated, &kept.laws, decision).map(|()| false);
        }
        decision.dropped = self.soft().into_iter().filter(|law| !kept.laws.contains(law)).collect();
        self.judge_ahead(&after, violated, &kept.laws, decision).map(|()| false)
    }
    /// Decides with look-ahead, from a position that is not lost: denies if the laws with `on_violation = "deny"` alone
    /// refuse, asks if only the laws with `"ask"` in addition do.
    fn judge_ahead(
        &mut self,
        after: &After,
        violated: &[LawId],
        kept: &[LawId],
        decision: &mut Decision,
    ) -> QueryResult<()> {
        let (deny, ask): (Vec<LawId>, Vec<LawId>) = kept.iter().partition(|&&law| !self.is_asked(law));
        let at_once = |laws: &[LawId]| -> Vec<LawId> {
            violated.iter().copied().filter(|law| laws.contains(law)).collect()
        };
        // An asked law that cannot be kept any more is not in the game, but its violation is asked about all the same.
        // The monitors in `after` do not show that violation, since it is excused.
        let hard = self.compiled.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Hard);
        let asked: Vec<LawId> =
            hard.map(|(id, _)| id).filter(|&law| self.is_asked(law)).chain(ask.clone()).collect();
        let asked = at_once(&asked);
        let denied = at_once(&deny);
        if !denied.is_empty() {
            decision.add(Ruling::Deny, Reason::Violates(denied));
            return Ok(());
        }
        if asked.is_empty() && self.is_winning_after(after, kept)? {
            return Ok(());
        }
        let is_denied =
            if asked.is_empty() && ask.is_empty() { true } else { !self.is_winning_after(after, &deny)? };
        let (ruling, strict, step) =
            if is_denied { (Ruling::Deny, deny.as_slice(), Vec::new()) } else { (Ruling::Ask, kept, asked) };
        if step.is_empty() {
            let core = self.core(after, strict)?;
            decision.add(ruling, Reason::Loses(core));
        } else {
            decision.add(ruling, Reason::Violates(step));
        }
        Ok(())
    }
    fn is_asked(&self, law: LawId) -> bool {
        self.compiled.policy.laws[law].on_violation == OnViolation::Ask
    }
    /// Where the action is chosen before the rest of its letter: the laws with `on_violation = "warn"` or `"log"` that
    /// some rest of the letter violates.
    fn mild_of_choice(
        &mut self,
        here: &SessionState,
        program: &Program,
        decision: &mut Decision,
    ) -> Vec<LawId> {
        let laws = self.compiled.policy.laws.enumerate();
        let is_mild = |on: OnViolation| matches!(on, OnViolation::Warn | OnViolation::Log);
        let mild: Vec<LawId> = laws
            .filter(|(_, law)| law.kind != LawKind::Assume && is_mild(law.on_violation))
            .map(|(id, _)| id)
            .collect();
        let Some(choice) = program.only_letter().filter(|_| !mild.is_empty()) else { return Vec::new() };
        let is_legal = Asked::ChoiceLegal(&choice.letter);
        let mut violated = Vec::new();
        for law in mild {
            let found = self.views(here).and_then(|views| self.ask(&views, &[law], &is_legal));
            match found {
                Ok(true) => {}
                Ok(false) => violated.push(law),
                Err(message) => decision.add(Ruling::Warn, Reason::TooHard(message)),
            }
        }
        violated
    }
    /// Without look-ahead, or if the hard laws cannot be kept anyway: refuses for the laws that are violated at once.
    fn refuse_step(
        &mut self,
        after: &After,
        violated: &[LawId],
        kept: &[LawId],
        decision: &mut Decision,
    ) -> QueryResult<()> {
        let mut laws: Vec<LawId> = violated.iter().copied().filter(|law| kept.contains(law)).collect();
        if let After::Choice(views, choice) = after {
            for &law in kept {
                if !self.ask(views, &[law], &Asked::ChoiceLegal(choice))? {
                    laws.push(law);
                }
            }
        }
        if laws.is_empty() {
            return Ok(());
        }
        let is_asked = laws.iter().all(|&law| self.is_asked(law));
        decision.add(if is_asked { Ruling::Ask } else { Ruling::Deny }, Reason::Violates(laws));
        Ok(())
    }
    /// The game of some laws of a part for a view, and the position in it.
    pub(super) fn game_at<'v>(
        &mut self,
        part: usize,
        view: &'v InformationSet,
        kept: &[LawId],
        budget: &Budget,
    ) -> QueryResult<(&mut Game, Cow<'v, PolicyPosition>)> {
        let tracks = view.positions.len();
        if tracks > self.options.tracks {
            return Err(format!(
                "the session may be in {tracks} states, and a common strategy is computed for at most {}",
                self.options.tracks
            ));
        }
        let game = self.game(part, kept, view.copies, tracks, budget).map_err(|limit| too_hard(&limit))?;
        let position = view.position(game)?;
        Ok((game, position))
    }
    /// The parts of the policy that some of these laws belong to, with these laws.
    pub(super) fn concerned(&self, kept: &[LawId]) -> Vec<(usize, Vec<LawId>)> {
        if self.parts.len() == 1 {
            let is_in_game = |law: &LawId| !self.compiled.policy.laws[*law].is_value_limit;
            return vec![(0, kept.iter().copied().filter(is_in_game).collect())];
        }
        let mut all: Vec<(usize, Vec<LawId>)> =
            (0..self.parts.len()).map(|part| (part, Vec::new())).collect();
        for &law in kept {
            if let Some(part) = self.map.laws[law] {
                all[part].1.push(law);
            }
        }
        all.retain(|(_, laws)| !laws.is_empty());
        all
    }
    /// Whether a property holds of the position of every view of a part in the game of some of its laws.
    pub(super) fn ask_part(
        &mut self,
        part: usize,
        views: &[InformationSet],
        kept: &[LawId],
        asked: &Asked<'_>,
    ) -> QueryResult<bool> {
        let budget = self.budget();
        let mut holds = Ok(true);
        for view in views {
            holds = if view.is_abstract() {
                self.holds_abstractly(part, view, kept, asked, &budget)
            } else {
                let found = self.game_at(part, view, kept, &budget);
                found.map(|(game, position)| asked.holds(game, &position))
            };
            if holds != Ok(true) {
                break;
            }
        }
        self.left = self.left.saturating_sub(budget.work());
        holds
    }
    /// The same for one view of any number of copies. The abstraction is only a sufficient condition, so where it fails the
    /// answer is unknown. It must not be `false`: in a lost position only immediate violations are refused.
    fn holds_abstractly(
        &mut self,
        part: usize,
        view: &InformationSet,
        kept: &[LawId],
        asked: &Asked<'_>,
        budget: &Budget,
    ) -> QueryResult<bool> {
        let game = self.game(part, kept, 1, 1, budget).map_err(|limit| too_hard(&limit))?;
        if matches!(asked, Asked::End) {
            return Ok(view.positions.iter().all(|position| asked.holds(game, position)));
        }
        let positions = view.positions.iter().map(|position| game.variables(position));
        // The violated copy is a view of its own.
        let Some(positions) = positions.collect() else { return Ok(false) };
        let is_shown = match self.abstraction(part, kept, budget).map_err(|limit| too_hard(&limit))? {
            Some(abstraction) if matches!(asked, Asked::Closed | Asked::Winning | Asked::Urgent) => {
                abstraction.is_closed(positions, budget).map_err(|limit| too_hard(&limit))?
            }
            _ => false,
        };
        let copies = self.options.copies;
        is_shown.then_some(true).ok_or_else(|| {
            format!("more than {copies} values have open obligations, for which no common strategy was found")
        })
    }
    /// Whether a property holds of the position of every view in the games of some laws.
    pub(super) fn ask(&mut self, views: &Views, kept: &[LawId], asked: &Asked<'_>) -> QueryResult<bool> {
        for (part, kept) in self.concerned(kept) {
            if !self.ask_part(part, views.of_part(part), &kept, asked)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// Whether the agent, after a proposal, can still keep some laws and stop.
    pub(super) fn is_winning_after(&mut self, after: &After, kept: &[LawId]) -> QueryResult<bool> {
        for (part, kept) in self.concerned(kept) {
            if !self.is_part_winning_after(part, after, &kept)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// The same for some laws of a part.
    pub(super) fn is_part_winning_after(
        &mut self,
        part: usize,
        after: &After,
        kept: &[LawId],
    ) -> QueryResult<bool> {
        match after {
            After::Views(views) => self.ask_part(part, views.of_part(part), kept, &Asked::Closed),
            After::Choice(views, choice) => {
                self.ask_part(part, views.of_part(part), kept, &Asked::ChoiceAllowed(choice))
            }
        }
    }
    /// Without look-ahead: all soft laws, or none if they leave no action and the policy allows dropping them.
    pub(super) fn soft_of_step(&mut self, views: &Views, hard: &[LawId]) -> QueryResult<Vec<LawId>> {
        let soft = self.soft();
        if self.compiled.policy.fallback == Fallback::None || soft.is_empty() {
            return Ok(soft);
        }
        let all: Vec<LawId> = hard.iter().chain(&soft).copied().collect();
        let blocked = self.blocked_by(views, &all)?;
        let is_stuck = !self.compiled.policy.idle && blocked.iter().all(|(_, laws)| !laws.is_empty());
        Ok(if is_stuck { Vec::new() } else { soft })
    }
    /// The laws that are kept now: those that can be kept, except for soft laws that give way where the laws would leave
    /// no action and the policy has `fallback = "hard"`: in declared order, each one that leaves some action is kept.
    pub(super) fn kept(&mut self, views: &Views) -> QueryResult<KeptLaws> {
        let kept = self.winnable(views)?;
        let is_open = self.may_give_way() && self.compiled.policy.look_ahead && !kept.is_lost;
        if !is_open || !self.is_stuck(views, &kept.laws)? {
            return Ok(kept);
        }
        let soft = self.soft();
        let blocked = self.blocked_by(views, &kept.laws)?;
        let leave_some =
            |laws: &[LawId]| blocked.iter().any(|(_, own)| !own.iter().any(|law| laws.contains(law)));
        let mut laws: Vec<LawId> = kept.laws.iter().copied().filter(|law| !soft.contains(law)).collect();
        if !leave_some(&laws) {
            // The hard laws alone leave no action: nothing is gained.
            return Ok(kept);
        }
        for &law in kept.laws.iter().filter(|law| soft.contains(law)) {
            laws.push(law);
            if !leave_some(&laws) {
                laws.pop();
            }
        }
        Ok(KeptLaws { gave_way: laws.len() < kept.laws.len(), laws, is_lost: false })
    }
    /// Whether soft laws are dropped where all laws leave no action.
    fn may_give_way(&self) -> bool {
        self.compiled.policy.fallback != Fallback::None && !self.compiled.policy.idle
    }
    /// Whether no call is step-legal under some laws for some part of the policy.
    fn is_stuck(&mut self, views: &Views, laws: &[LawId]) -> QueryResult<bool> {
        let budget = self.budget();
        for (part, laws) in self.concerned(laws) {
            for view in views.of_part(part).iter().filter(|view| view.copies == 1 && !view.is_abstract()) {
                let (game, position) = self.game_at(part, view, &laws, &budget)?;
                if game.is_over_constrained(&position) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
    /// The laws that can be kept: the hard laws with `on_violation = "deny"`; then, in declared order, each hard law
    /// with `"ask"` and then each soft law that can be kept together with those chosen before it. So a law that is only
    /// asked about never ends the look-ahead for the others.
    fn winnable(&mut self, views: &Views) -> QueryResult<KeptLaws> {
        let hard = self.kept_hard();
        let all: Vec<LawId> = hard.iter().copied().chain(self.soft()).collect();
        // Usually all can be kept, and then one game is enough.
        if !self.compiled.policy.look_ahead || self.is_winning(views, &all)? {
            return Ok(KeptLaws { laws: all, is_lost: false, gave_way: false });
        }
        let deny: Vec<LawId> = hard.iter().copied().filter(|&law| !self.is_asked(law)).collect();
        if deny.len() == all.len() || !self.is_winning(views, &deny)? {
            return Ok(KeptLaws { laws: hard, is_lost: true, gave_way: false });
        }
        let mut laws = deny;
        for law in all {
            if !laws.contains(&law) {
                laws.push(law);
                if !self.is_winning(views, &laws)? {
                    laws.pop();
                }
            }
        }
        Ok(KeptLaws { laws, is_lost: false, gave_way: false })
    }
    /// Decides whether the agent may stop; if so, the letters of the end become part of the session.
    ///
    /// The end is refused while some law that can still be kept is not satisfied if the run ends here, but at most as
    /// often in a row as the policy allows; then it is granted, and the decision lists these laws as owed.
    pub fn end(&mut self, session: &mut GateSession, event: &HostEvent<'_>) -> Decision {
        self.begin();
        let mut decision = Decision::allow();
        let mut faults = Vec::new();
        let reported = session.interpreter.read(&self.compiled, event, &mut faults);
        let mut after = session.state.clone();
        decision.letters = after.read(&self.compiled, reported, event.time);
        let hard = self.kept_hard();
        // Hard laws are judged by their states; the game determines the soft laws to keep, which may be too hard.
        let kept = self.views(&session.state).and_then(|views| self.winnable(&views));
        decision.is_lost = matches!(&kept, Ok(kept) if kept.is_lost);
        let kept = kept.map_or_else(|_| Vec::new(), |kept| kept.laws);
        let soft: Vec<LawId> = self.soft().into_iter().filter(|law| kept.contains(law)).collect();
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
            session.end_event(&self.compiled);
        }
        decision
    }
    /// Decides again about a call that is part of the session already: denied if the hard laws can no longer be kept.
    pub fn confirm(&mut self, session: &GateSession) -> Decision {
        let mut decision = Decision::allow();
        if !self.compiled.policy.look_ahead {
            return decision;
        }
        self.begin();
        // Where a game is not solved, the call was granted because it takes nothing away.
        if self.all_closed(&session.state, None, None) == Ok(true) {
            return decision;
        }
        let hard: Vec<LawId> = self.kept_hard().into_iter().filter(|&law| !self.is_asked(law)).collect();
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
