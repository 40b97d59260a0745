//! Monitors of clauses: the clauses that a run violates, and the player who caused the violation.

use tsl_synth_automata::ltl_to_monitor_without;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, FormulaId, Guard, Letter, Player};
use tsl_synth_core::model::{Monitor, MonitorStateId, Role};
use tsl_synth_lang::spec::{Clause, ClauseId, Problem};

/// Limits on the states of a monitor and on the work to construct it; clauses beyond them are not watched.
const MONITOR_STATES: usize = 2_000;
const MONITOR_WORK: u64 = 2_000_000;

/// A clause with its monitor.
#[derive(Clone, Debug)]
pub struct WatchedClause {
    /// The clause; `None` for a fact that refinement added.
    pub clause: Option<ClauseId>,
    /// Its text.
    pub text: String,
    /// Detects violations of the clause; there are none for a liveness property.
    pub monitor: Monitor,
}

/// The clauses of a specification that are watched.
#[derive(Clone, Debug)]
pub struct WatchedClauses {
    /// The assumptions and the facts; if there are several, the last element may be their conjunction.
    pub assumptions: Vec<WatchedClause>,
    /// The guarantees.
    pub guarantees: Vec<WatchedClause>,
    /// Whether every assumption and fact and their conjunction are watched: then a violated guarantee without a broken
    /// assumption is a defect of the controller.
    pub is_complete: bool,
    /// Whether the last assumption is the conjunction of all.
    has_joint: bool,
}

impl WatchedClauses {
    /// The monitors of a specification. `further` are facts in addition to those of the problem; `text` returns the
    /// text of a clause.
    pub fn new(
        problem: &mut Problem,
        further: &[Clause],
        text: &dyn Fn(&Problem, ClauseId) -> String,
    ) -> Self {
        let mut assumptions = watched(problem, &[Role::Assumption, Role::Fact], text);
        for clause in further {
            let formula = problem.formulas.display(clause.formula, &problem.alphabet);
            assumptions.extend(monitor_of(problem, clause.formula).map(|monitor| WatchedClause {
                clause: None,
                text: formula,
                monitor,
            }));
        }
        let environment = |clause: &&Clause| {
            matches!(clause.role, Role::Assumption | Role::Fact) && !problem.defines_register(clause)
        };
        let all: Vec<FormulaId> =
            problem.clauses.iter().filter(environment).chain(further).map(|clause| clause.formula).collect();
        let mut has_joint = false;
        let mut is_complete = assumptions.len() == all.len();
        // A prefix may violate the conjunction of the assumptions although it violates none of them.
        if all.len() > 1 {
            let joint = problem.formulas.and(all);
            let text = "all assumptions together".to_string();
            let monitor = monitor_of(problem, joint);
            has_joint = monitor.is_some();
            is_complete &= has_joint;
            assumptions.extend(monitor.map(|monitor| WatchedClause { clause: None, text, monitor }));
        }
        let guarantees = watched(problem, &[Role::Guarantee, Role::Restriction], text);
        Self { assumptions, guarantees, is_complete, has_joint }
    }
}

fn monitor_of(problem: &mut Problem, formula: FormulaId) -> Option<Monitor> {
    let budget = Budget::unlimited().with_work(MONITOR_WORK);
    let mut whole = vec![formula];
    if problem.remembers(formula) {
        // What is observed has no registers.
        let definitions = problem.clauses.iter().filter(|clause| problem.defines_register(clause));
        whole.extend(definitions.map(|clause| clause.formula));
    }
    let registers = &problem.signature.registers;
    let input = |atom: AtomId| match problem.alphabet.atoms()[atom].kind {
        AtomKind::Input(bit) | AtomKind::Output(bit) => Some(bit),
        AtomKind::Update(..) => None,
    };
    let hidden: Vec<BitId> = registers.iter().filter_map(|register| input(register.atom)).collect();
    let Problem { formulas, alphabet, .. } = problem;
    let whole = formulas.and(whole);
    let is_hidden = |bit| hidden.contains(&bit);
    ltl_to_monitor_without(formulas, alphabet, whole, &is_hidden, MONITOR_STATES, &budget).ok()
}

fn watched(
    problem: &mut Problem,
    roles: &[Role],
    text: &dyn Fn(&Problem, ClauseId) -> String,
) -> Vec<WatchedClause> {
    let is_watched = |clause: &Clause| roles.contains(&clause.role) && !problem.defines_register(clause);
    let clauses = problem.clauses.enumerate().filter(|(_, clause)| is_watched(clause));
    let clauses: Vec<_> = clauses.map(|(id, clause)| (id, clause.formula)).collect();
    let mut watched = Vec::new();
    for (id, formula) in clauses {
        if let Some(monitor) = monitor_of(problem, formula) {
            watched.push(WatchedClause { clause: Some(id), text: text(problem, id), monitor });
        }
    }
    watched
}

/// A step of a run that was observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Inputs, updates and outputs that hold; all others do not.
    pub letter: Letter,
    /// Whether only the inputs are known: the run ended before the outputs were chosen.
    pub only_inputs: bool,
}

/// The indices of the clauses that a step violates for the first time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepJudgment {
    /// The assumptions that no choice of the system could have kept.
    pub broken: Vec<usize>,
    /// The assumptions that another choice of the system could have kept.
    pub given_up: Vec<usize>,
    /// The guarantees.
    pub violated: Vec<usize>,
}

impl WatchedClauses {
    /// The index of the monitor of the conjunction of all assumptions, if there is one.
    pub(super) fn joint(&self) -> Option<usize> {
        self.assumptions.len().checked_sub(1).filter(|_| self.has_joint)
    }
    /// The clauses that each step of a run violates.
    pub fn judge(&self, alphabet: &Alphabet, run: &[Observed]) -> Vec<StepJudgment> {
        let start = |watched: &[WatchedClause]| -> Vec<(Monitor, Option<MonitorStateId>)> {
            watched.iter().map(|w| (w.monitor.clone(), Some(w.monitor.initial))).collect()
        };
        let (mut assumptions, mut guarantees) = (start(&self.assumptions), start(&self.guarantees));
        let mut all = Vec::with_capacity(run.len());
        for observed in run {
            let mut judged = StepJudgment::default();
            for (i, (monitor, now)) in assumptions.iter_mut().enumerate() {
                match step(alphabet, monitor, now, observed) {
                    ClauseFate::Alive => {}
                    ClauseFate::Avoidable => judged.given_up.push(i),
                    ClauseFate::Unavoidable => judged.broken.push(i),
                }
            }
            // The conjunction of the assumptions is reported as broken only if no single assumption is.
            if let Some(joint) = self.joint()
                && assumptions[..joint].iter().any(|(_, now)| now.is_none())
            {
                judged.broken.retain(|&i| i != joint);
                judged.given_up.retain(|&i| i != joint);
            }
            for (i, (monitor, now)) in guarantees.iter_mut().enumerate() {
                if step(alphabet, monitor, now, observed) != ClauseFate::Alive {
                    judged.violated.push(i);
                }
            }
            all.push(judged);
        }
        all
    }
}

/// The effect of a step on a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClauseFate {
    /// It is not violated, or was violated before.
    Alive,
    /// It is violated, and would not be with other outputs.
    Avoidable,
    /// It is violated whatever the outputs.
    Unavoidable,
}

fn step(
    alphabet: &Alphabet,
    monitor: &mut Monitor,
    now: &mut Option<MonitorStateId>,
    observed: &Observed,
) -> ClauseFate {
    let Some(state) = *now else { return ClauseFate::Alive };
    if monitor.states[state].dead {
        *now = None;
        return ClauseFate::Unavoidable;
    }
    let next = monitor.step(state, &observed.letter);
    let known = |bit| (alphabet.owner(bit) == Player::Environment).then(|| observed.letter.contains(bit));
    if observed.only_inputs {
        return if is_alive(monitor, state, &known) { ClauseFate::Alive } else { ClauseFate::Unavoidable };
    }
    if !monitor.states[next].dead {
        *now = Some(next);
        return ClauseFate::Alive;
    }
    *now = None;
    if is_alive(monitor, state, &known) { ClauseFate::Avoidable } else { ClauseFate::Unavoidable }
}

/// Whether some letter with these values keeps a monitor alive.
pub(super) fn is_alive(
    monitor: &mut Monitor,
    now: MonitorStateId,
    known: &dyn Fn(BitId) -> Option<bool>,
) -> bool {
    let Monitor { guards, states, .. } = monitor;
    let mut alive = states[now].edges.iter().filter(|edge| !states[edge.next].dead);
    alive.any(|edge| guards.given(edge.guard, known) != Guard::FALSE)
}
