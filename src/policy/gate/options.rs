//! The options of the agent: allowed actions, the laws that block the others, and a way to the end.

use super::AgentOptions;
use super::decide::{KeptLaws, QueryResult, too_hard};
use super::session::{GateSession, restart_soft};
use super::solver::GateSolver;
use super::views::Views;
use crate::language::{ActionId, LawId};
use crate::{SessionState, Turns, WayStep};
use tsl_synth_core::base::{IdSet, LimitKind};

/// For each action the laws that it violates at once.
pub type Blocked = Vec<(ActionId, Vec<LawId>)>;

impl GateSolver {
    /// The state in which the agent makes its next choice.
    fn before_choice(&self, session: &GateSession) -> SessionState {
        let mut state = session.state.clone();
        if self.stepping.turns() == Turns::CallFirst {
            state.flush(&self.compiled, None);
            state.end_event();
            restart_soft(&mut state, &self.compiled);
        }
        state
    }
    /// The options of the agent in the present state.
    ///
    /// # Errors
    /// Why the question is too hard.
    pub fn options(&mut self, session: &GateSession) -> Result<AgentOptions, String> {
        self.begin();
        let state = self.before_choice(session);
        let mut ended = state.clone();
        ended.flush(&self.compiled, None);
        let views = self.views(&state)?;
        let hard = self.kept_hard();
        let KeptLaws { laws: kept, is_lost, gave_way } = self.kept(&views)?;
        let mut options = AgentOptions { is_lost, is_over_constrained: gave_way, ..AgentOptions::default() };
        // A law that is only asked about is owed also where it cannot be kept any more.
        let mut counted: Vec<LawId> = hard.iter().chain(&kept).copied().collect();
        counted.sort_unstable();
        counted.dedup();
        options.owed = counted.into_iter().filter(|&law| self.is_owed(&ended, law)).collect();
        if self.compiled.policy.look_ahead && !options.is_lost {
            self.look_ahead(&views, &kept, &mut options)?;
        } else {
            // Without look-ahead each law is judged separately: an action is allowed if it violates none of them at
            // once.
            let blocked = self.blocked_by(&views, &kept)?;
            options.allowed =
                blocked.iter().filter(|(_, laws)| laws.is_empty()).map(|(own, _)| *own).collect();
            options.is_over_constrained = !self.compiled.policy.idle && options.allowed.is_empty();
            if options.is_over_constrained {
                let soft = self.soft_of_step(&views, &hard)?;
                let passes =
                    |laws: &[LawId]| laws.iter().all(|law| !hard.contains(law) && !soft.contains(law));
                options.allowed =
                    blocked.iter().filter(|(_, laws)| passes(laws)).map(|(own, _)| *own).collect();
            }
        }
        Ok(options)
    }
    fn look_ahead(&mut self, views: &Views, kept: &[LawId], options: &mut AgentOptions) -> QueryResult<()> {
        let budget = self.budget();
        let mut allowed: IdSet<ActionId> = self.compiled.policy.atoms.actions.ids().collect();
        let mut way_out: Option<Vec<WayStep>> = Some(Vec::new());
        for (part, kept) in self.concerned(kept) {
            // The actions that some view forbids, and those that all views forbid.
            let (mut in_some, mut in_all): (IdSet<ActionId>, Option<IdSet<ActionId>>) = (IdSet::new(), None);
            let mut way: Option<Vec<WayStep>> = None;
            let lists = self.parts[part].part.lists.clone();
            for view in views.of_part(part).iter().filter(|view| !view.is_abstract()) {
                let (game, position) = self.game_at(part, view, &kept, &budget)?;
                let position = &*position;
                options.is_over_constrained |= game.is_over_constrained(position);
                if way.as_ref().is_none_or(Vec::is_empty) {
                    // What the ways of other parts do for this one need not be done again.
                    let ahead = way_out.as_ref().filter(|way| {
                        !way.is_empty() && view.copies == 1 && game.layout().tracks == 1 && lists.is_empty()
                    });
                    let ahead = ahead.map(|way| {
                        way.iter().fold(position.clone(), |at, step| game.stepping().after(&at, &step.letter))
                    });
                    let mut found = match &ahead {
                        Some(ahead) => game.way_out(ahead, &budget),
                        None => Ok(None),
                    };
                    if matches!(found, Ok(None)) {
                        found = game.way_out(position, &budget);
                    }
                    way = match found {
                        // The way is for information: a game that is too large for it decides all the same.
                        Err(limit) if limit.kind == LimitKind::Memory => None,
                        found => found.map_err(|limit| too_hard(&limit))?,
                    };
                }
                if view.copies == 1 {
                    let forbidden = game.forbidden_actions(position);
                    in_some.union_with(&forbidden);
                    match &mut in_all {
                        Some(in_all) => in_all.intersect_with(&forbidden),
                        None => in_all = Some(forbidden),
                    }
                }
            }
            way_out = way_out.zip(way).map(|(first, rest)| [first, rest].concat());
            // A call that is bound to a value is allowed if it is allowed for some value; every other call concerns all
            // copies.
            let is_bound = |action| lists.iter().any(|&list| self.stepping.is_bound_by(list, action));
            for action in in_some.iter() {
                let is_forbidden =
                    !is_bound(action) || in_all.as_ref().is_none_or(|all| all.contains(action));
                if is_forbidden {
                    allowed.remove(action);
                }
            }
        }
        options.way_out = way_out;
        options.allowed = allowed.iter().collect();
        Ok(())
    }
    /// For each action the laws under each of which alone it is not step-legal, for some values.
    ///
    /// # Errors
    /// Why the question is too hard.
    pub fn blocked(&mut self, session: &GateSession) -> Result<Blocked, String> {
        let views = self.views(&self.before_choice(session))?;
        let laws: Vec<LawId> = self.kept_hard().into_iter().chain(self.soft()).collect();
        self.blocked_by(&views, &laws)
    }
    pub(super) fn blocked_by(&mut self, views: &Views, laws: &[LawId]) -> QueryResult<Blocked> {
        let budget = self.budget();
        let mut blocked: Blocked =
            self.compiled.policy.atoms.actions.ids().map(|action| (action, Vec::new())).collect();
        for (part, laws) in self.concerned(laws) {
            for law in laws {
                for view in views.of_part(part).iter().filter(|view| view.copies == 1) {
                    let (game, position) = self.game_at(part, view, &[law], &budget)?;
                    // A law that is violated already forbids nothing more.
                    if game.is_violated(&position) {
                        continue;
                    }
                    let legal = game.step_legal_actions(&position);
                    for (action, laws) in &mut blocked {
                        if !legal.contains(action) && !laws.contains(&law) {
                            laws.push(law);
                        }
                    }
                }
            }
        }
        Ok(blocked)
    }
    /// A minimal set of laws that together block every action; laws that block the fewest actions are removed first.
    pub fn over_constraining(&self, blocked: &[(ActionId, Vec<LawId>)]) -> Vec<LawId> {
        let mut laws: Vec<LawId> = blocked.iter().flat_map(|(_, laws)| laws.iter().copied()).collect();
        laws.sort_unstable();
        laws.dedup();
        let count = |law: LawId| blocked.iter().filter(|(_, laws)| laws.contains(&law)).count();
        let covers = |laws: &[LawId]| blocked.iter().all(|(_, own)| own.iter().any(|law| laws.contains(law)));
        let mut order = laws.clone();
        order.sort_by_key(|&law| count(law));
        if covers(&laws) {
            for law in order {
                let rest: Vec<LawId> = laws.iter().copied().filter(|&own| own != law).collect();
                if covers(&rest) {
                    laws = rest;
                }
            }
        }
        laws
    }
}
