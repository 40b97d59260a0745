//! `monitor`: sessions of a log judged by a policy, event by event.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::base::{Id, calendar};
use tsl_synth_core::model::{HostEvent, HostEventKind, LawStatus, SessionOrigin};
use tsl_synth_policy::language::{LawId, LawKind};
use tsl_synth_policy::{
    CompiledPolicy, Conjunction, Interpreter, LawState, PolicyMonitor, SeenLetter, StandingRange,
};

/// The standing of a law after an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLaw {
    /// The law.
    pub law: LawId,
    /// Its standing.
    pub standing: StandingRange,
}

/// The names that are true in a letter, and the values that it is bound to.
pub type NamedLetter = (Vec<String>, Vec<(String, String)>);

/// The judgment of one event of a log.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MonitorRow {
    /// The session.
    pub session: String,
    /// The line of the log, or the number of the message.
    pub line: u64,
    /// The number of the last letter in the session, from 0.
    pub step: u64,
    /// The time of the event, in milliseconds since the Unix epoch.
    pub time: Option<i64>,
    /// The agent within the session.
    pub agent: Option<String>,
    /// Where the session comes from.
    pub origin: Option<Arc<SessionOrigin>>,
    /// The letters, by the names that are true in them, and their bindings.
    pub letters: Vec<NamedLetter>,
    /// The letters themselves.
    pub seen: Vec<SeenLetter>,
    /// The standing of the conjunction of all hard laws.
    pub joint: StandingRange,
    /// The standing of each law.
    pub laws: Vec<RowLaw>,
    /// The laws that are violated since this event.
    pub violated: Vec<LawId>,
    /// The faults of the event.
    pub faults: Vec<String>,
    /// Whether no table matches the call.
    pub unmatched: bool,
    /// The hard laws that are owed if the agent requests to stop here; `None` if it does not.
    pub owed: Option<Vec<LawId>>,
}

/// A violation in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenViolation {
    /// The law.
    pub law: LawId,
    /// The session.
    pub session: String,
    /// The line of the log, or the number of the message.
    pub line: u64,
    /// The names that are true in the letter.
    pub letter: Vec<String>,
    /// The values that the letter is bound to.
    pub bindings: Vec<(String, String)>,
    /// Whether the law was owed when the session ended, and was not violated before.
    pub owed: bool,
}

/// The totals of one law over all sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LawTotal {
    /// Sessions in which the law was judged: some letter of the session matters to it.
    pub judged: u64,
    /// Sessions that keep it.
    pub kept: u64,
    /// Sessions that violate it.
    pub violated: u64,
    /// Sessions for which the log does not decide it.
    pub undecidable: u64,
}

impl LawTotal {
    /// The numbers of sessions: judged, kept, violated, undecidable.
    pub fn counts(&self) -> [u64; 4] {
        [self.judged, self.kept, self.violated, self.undecidable]
    }
}

/// The property by which sessions are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorGroup {
    /// The day, in UTC, on which they begin.
    Day,
    /// The agent that was named first. A session with subagents counts once.
    Agent,
    /// The model that was named last.
    Model,
    /// The service.
    Service,
    /// The file of the log.
    File,
}

/// A half-open interval of times, in milliseconds since the Unix epoch: only sessions that begin in it are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MonitorWindow {
    /// The beginning of the interval; it belongs to it.
    pub since: Option<i64>,
    /// The end of the interval; it does not belong to it.
    pub until: Option<i64>,
}

/// The totals of the sessions of a group.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GroupTotals {
    /// The number of sessions.
    pub sessions: u64,
    /// The number of sessions that violate some hard law.
    pub violating: u64,
    /// The totals of each law, in the order of the policy.
    pub laws: Vec<LawTotal>,
}

/// The totals over all sessions.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MonitorTotals {
    /// The totals of each group, by the name of the group. The name is empty for sessions whose log does not tell it.
    pub groups: BTreeMap<String, GroupTotals>,
    /// The number of sessions that do not begin within the window; they are not judged.
    pub outside: u64,
    /// The number of sessions that are not judged because the log does not tell when they begin.
    pub undated: u64,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of events.
    pub events: u64,
    /// The number of letters.
    pub letters: u64,
    /// The number of calls that no table matches.
    pub unmatched: u64,
    /// The number of events with faults.
    pub faults: u64,
    /// The number of sessions that violate some hard law.
    pub violating: u64,
    /// The totals of each law, in the order of the policy.
    pub laws: Vec<LawTotal>,
    /// The first violations.
    pub first: Vec<SeenViolation>,
}

/// The largest number of violations that are listed.
const LISTED: usize = 20;

struct SessionMonitor<'p> {
    monitor: PolicyMonitor<'p>,
    letters: u64,
    violated: Vec<bool>,
    judged: Vec<bool>,
    /// The state of each law without copies, if it is unique; a law whose state does not change need not be judged
    /// again.
    states: Vec<Option<u32>>,
    last: (u64, Option<SeenLetter>),
    /// When the session began.
    begun: Option<i64>,
    origin: Option<Arc<SessionOrigin>>,
    /// The agent that was named first.
    agent: Option<String>,
}

/// A session of a log.
enum Running<'p> {
    /// One that is judged.
    Judged(Box<SessionMonitor<'p>>),
    /// One that begins outside of the window.
    Skipped,
}

/// Judges the sessions of a log, event by event.
pub struct MonitorRun<'p> {
    compiled: &'p CompiledPolicy,
    interpreter: Interpreter,
    conjunction: Option<&'p Conjunction>,
    running: FxHashMap<String, Running<'p>>,
    totals: MonitorTotals,
    window: MonitorWindow,
    group: Option<MonitorGroup>,
    /// Whether rows are returned.
    rows: bool,
}

impl<'p> MonitorRun<'p> {
    /// Starts without sessions. Without `rows`, only totals are computed.
    pub fn new(compiled: &'p CompiledPolicy, rows: bool) -> Self {
        let totals = MonitorTotals {
            laws: vec![LawTotal::default(); compiled.policy.laws.len()],
            ..MonitorTotals::default()
        };
        let interpreter = Interpreter::new(compiled);
        let running = FxHashMap::default();
        let window = MonitorWindow::default();
        Self { compiled, interpreter, conjunction: None, running, totals, window, group: None, rows }
    }
    /// Judges only the sessions whose first event is within a window.
    pub fn within(self, window: MonitorWindow) -> Self {
        Self { window, ..self }
    }
    /// Counts the sessions of each group, too.
    pub fn grouped(self, group: Option<MonitorGroup>) -> Self {
        Self { group, ..self }
    }
    /// Adds the solved question whether all hard laws can still be kept together.
    pub fn with_conjunction(self, conjunction: Option<&'p Conjunction>) -> Self {
        Self { conjunction, ..self }
    }

    /// Reads an event. Returns a row if rows are requested and the event has a letter, an end, a fault, or an unmatched
    /// call.
    pub fn event(&mut self, event: &HostEvent<'_>) -> Option<MonitorRow> {
        let compiled = self.compiled;
        // Two look-ups, so that the name is copied only for the first event of a session.
        if !self.running.contains_key(event.session.as_ref()) {
            let running = self.begin(event);
            self.running.insert(event.session.to_string(), running);
        }
        let Running::Judged(running) = self.running.get_mut(event.session.as_ref())? else {
            if matches!(event.kind, HostEventKind::Close) {
                self.running.remove(event.session.as_ref());
            }
            return None;
        };
        self.totals.events += 1;
        if event.origin.is_some() {
            running.origin.clone_from(&event.origin);
        }
        running.begun = running.begun.or(event.time);
        if running.agent.is_none() {
            running.agent = event.agent.as_ref().map(ToString::to_string);
        }
        let mut step = running.monitor.event(event);
        let closes = step.closes;
        self.totals.unmatched += u64::from(step.unmatched);
        self.totals.faults += u64::from(!step.faults.is_empty());
        self.totals.letters += step.letters.len() as u64;
        running.letters += step.letters.len() as u64;
        let violated = if step.letters.is_empty() { Vec::new() } else { running.judge(compiled) };
        for &law in &violated {
            if self.totals.first.len() < LISTED {
                let (letter, bindings) =
                    step.letters.last().map_or_else(Default::default, |letter| named(compiled, letter));
                self.totals.first.push(SeenViolation {
                    law,
                    session: event.session.to_string(),
                    line: event.line,
                    letter,
                    bindings,
                    owed: false,
                });
            }
        }
        let says = !step.letters.is_empty() || step.ends || !step.faults.is_empty() || step.unmatched;
        let row = (self.rows && says).then(|| {
            let laws: Vec<RowLaw> = compiled
                .policy
                .laws
                .ids()
                .map(|law| RowLaw { law, standing: running.monitor.standing(law) })
                .collect();
            let owed = step.ends.then(|| {
                let owes = |row: &&RowLaw| {
                    compiled.policy.laws[row.law].kind == LawKind::Hard
                        && row.standing.worst == LawStatus::CurrentlyViolated
                };
                laws.iter().filter(owes).map(|row| row.law).collect()
            });
            MonitorRow {
                session: event.session.to_string(),
                line: event.line,
                step: running.letters.saturating_sub(1),
                time: event.time,
                agent: event.agent.as_ref().map(ToString::to_string),
                origin: event.origin.clone(),
                letters: step.letters.iter().map(|letter| named(compiled, letter)).collect(),
                seen: step.letters.clone(),
                joint: running.monitor.joint(),
                laws,
                violated,
                faults: step.faults.iter().map(ToString::to_string).collect(),
                unmatched: step.unmatched,
                owed,
            }
        });
        if let Some(letter) = step.letters.pop() {
            running.last = (event.line, Some(letter));
        }
        if closes && let Some(Running::Judged(running)) = self.running.remove(event.session.as_ref()) {
            self.close(event.session.as_ref(), &running);
        }
        row
    }

    /// The monitor of a new session, unless it begins outside of the window.
    fn begin(&mut self, first: &HostEvent<'_>) -> Running<'p> {
        let MonitorWindow { since, until } = self.window;
        if since.is_some() || until.is_some() {
            let Some(time) = first.time else {
                self.totals.undated += 1;
                return Running::Skipped;
            };
            if since.is_some_and(|since| time < since) || until.is_some_and(|until| time >= until) {
                self.totals.outside += 1;
                return Running::Skipped;
            }
        }
        let monitor = SessionMonitor::new(self.compiled, self.interpreter.another(), self.conjunction);
        Running::Judged(Box::new(monitor))
    }

    fn close(&mut self, session: &str, running: &SessionMonitor<'p>) {
        let totals = std::mem::take(&mut self.totals);
        self.totals = self.counted(totals, session, running, true);
    }
    /// The totals with another session. What an open session still owes is undecidable so far.
    fn counted(
        &self,
        mut totals: MonitorTotals,
        session: &str,
        running: &SessionMonitor<'p>,
        has_ended: bool,
    ) -> MonitorTotals {
        let mut violates = false;
        let mut counts = Vec::with_capacity(totals.laws.len());
        for (id, law) in self.compiled.policy.laws.enumerate() {
            let place = Id::index(id);
            let standing = running.monitor.standing(id);
            let mut count = LawTotal { judged: u64::from(running.judged[place]), ..LawTotal::default() };
            let is_open = !has_ended && standing.best != LawStatus::Violated;
            if standing.worst.holds() {
                count.kept = 1;
            } else if standing.best.holds() || is_open {
                count.undecidable = 1;
            } else {
                count.violated = 1;
                violates |= law.kind == LawKind::Hard;
                if !running.violated[place] && totals.first.len() < LISTED {
                    let (letter, bindings) = running
                        .last
                        .1
                        .as_ref()
                        .map_or_else(Default::default, |letter| named(self.compiled, letter));
                    totals.first.push(SeenViolation {
                        law: id,
                        session: session.to_string(),
                        line: running.last.0,
                        letter,
                        bindings,
                        owed: true,
                    });
                }
            }
            counts.push(count);
        }
        totals.sessions += 1;
        totals.violating += u64::from(violates);
        add(&mut totals.laws, &counts);
        if let Some(group) = self.group {
            let own = totals.groups.entry(running.group(group)).or_default();
            own.sessions += 1;
            own.violating += u64::from(violates);
            add(&mut own.laws, &counts);
        }
        totals
    }
    /// The sessions that have not ended, by their names.
    fn open(&self) -> Vec<(&String, &SessionMonitor<'p>)> {
        let open = self.running.iter().filter_map(|(session, running)| match running {
            Running::Judged(running) => Some((session, &**running)),
            Running::Skipped => None,
        });
        let mut open: Vec<_> = open.collect();
        open.sort_unstable_by_key(|(session, _)| *session);
        open
    }
    fn with_open(&self, have_ended: bool) -> MonitorTotals {
        let add =
            |totals, (session, running): (&String, _)| self.counted(totals, session, running, have_ended);
        self.open().into_iter().fold(self.totals.clone(), add)
    }
    /// The totals so far. An open session keeps what holds if it ends here, and violates what it cannot keep any more;
    /// the rest is undecidable.
    pub fn so_far(&self) -> MonitorTotals {
        self.with_open(false)
    }
    /// The totals, where open sessions have ended.
    pub fn finish(self) -> MonitorTotals {
        self.with_open(true)
    }
}

impl<'p> SessionMonitor<'p> {
    fn new(
        compiled: &'p CompiledPolicy,
        interpreter: Interpreter,
        conjunction: Option<&'p Conjunction>,
    ) -> Self {
        let laws = compiled.policy.laws.len();
        Self {
            monitor: PolicyMonitor::with_interpreter(compiled, interpreter).with_conjunction(conjunction),
            letters: 0,
            violated: vec![false; laws],
            judged: vec![false; laws],
            states: vec![Some(0); laws],
            last: (0, None),
            begun: None,
            origin: None,
            agent: None,
        }
    }
    /// The name of the group of the session; empty if the log does not tell it.
    fn group(&self, group: MonitorGroup) -> String {
        let origin = self.origin.as_deref();
        let name = match group {
            MonitorGroup::Day => return self.begun.map(calendar::date).unwrap_or_default(),
            MonitorGroup::Agent => self.agent.as_ref(),
            MonitorGroup::Model => origin.and_then(|origin| origin.model.as_ref()),
            MonitorGroup::Service => origin.and_then(|origin| origin.service.as_ref()),
            MonitorGroup::File => origin.and_then(|origin| origin.file.as_ref()),
        };
        name.cloned().unwrap_or_default()
    }
    /// Judges the laws whose states have changed; returns those that are newly violated.
    fn judge(&mut self, compiled: &CompiledPolicy) -> Vec<LawId> {
        let mut violated = Vec::new();
        for id in compiled.policy.laws.ids() {
            let place = Id::index(id);
            let state = match self.monitor.worlds() {
                // What is not told may matter without a change of this state.
                _ if self.monitor.has_moved(id).is_some() => None,
                [world] => match world.law(id) {
                    LawState::One(state) => Some(*state),
                    LawState::Each(_) => None,
                },
                _ => None,
            };
            if state.is_some() && state == self.states[place] {
                continue;
            }
            self.states[place] = state;
            self.judged[place] |= moved(&self.monitor, id);
            if !self.violated[place] && self.monitor.standing(id).sure() == Some(LawStatus::Violated) {
                self.violated[place] = true;
                self.judged[place] = true;
                violated.push(id);
            }
        }
        violated
    }
}

/// Adds the counts of one session.
fn add(totals: &mut Vec<LawTotal>, counts: &[LawTotal]) {
    totals.resize(counts.len(), LawTotal::default());
    for (total, count) in totals.iter_mut().zip(counts) {
        total.judged += count.judged;
        total.kept += count.kept;
        total.violated += count.violated;
        total.undecidable += count.undecidable;
    }
}

/// Whether some letter of the session mattered to a law: its monitor left its first state, or has a copy for a value.
fn moved(monitor: &PolicyMonitor<'_>, law: LawId) -> bool {
    if let Some(moved) = monitor.has_moved(law) {
        return moved;
    }
    monitor.worlds().iter().any(|world| match world.law(law) {
        LawState::One(state) => *state != 0,
        LawState::Each(copies) => !copies.is_empty() || copies.states() != [0],
    })
}

/// The names that are true in a letter, and its bindings.
fn named(compiled: &CompiledPolicy, seen: &SeenLetter) -> NamedLetter {
    (compiled.policy.atoms.letter_names(&seen.letter), seen.bindings.clone())
}
