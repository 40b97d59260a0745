//! Claims about circuits by deterministic automata for the conjuncts of a contract.
//!
//! An engine that solves the game of these automata knows for each conjunct an automaton, and its circuit stores the
//! states of these automata. Its automata are not trusted. Here each of them becomes a *monitor* of the circuit: a circuit
//! that reads the letters of a play and says in each step whether the automaton takes an accepting edge, and whether it is
//! alive. Then:
//!
//! 1. For each conjunct f with the condition c over the signals of its monitors, the kernel shows for all words that f
//!    implies c, or that c implies f, whichever the conjunct's place in the contract needs ([`implication`]).
//! 2. The circuit is put in parallel with its monitors ([`circuit`]). Latches of monitors that provably always have the
//!    value of a latch of the circuit are replaced by it ([`merge`]).
//! 3. The kernel certifies the contract in which the conditions replace the conjuncts, for the circuit with monitors.
//!
//! This is sound: let a play of a controller satisfy the facts and assumptions. By 1 it satisfies their conditions, by 3
//! the conditions of the restrictions and guarantees, and by 1 these themselves. For a counter-strategy likewise with the
//! roles exchanged. A play that violates the conditions may be allowed by the contract, as only one implication is
//! checked: so there is no answer "violated" from here.
//!
//! The questions in 3 are about invariants and what recurs, without the variables of a tableau, which makes them easier
//! than those about the conjuncts themselves.

mod circuit;
mod merge;
mod implication;

use crate::claim::{StrategyClaim, StrategyRef};
use crate::entry::{certify_circuit, check_circuit};
use crate::outcome::{Certified, CertifyError};
use crate::trusted::cases::Cases;
use crate::trusted::conditions::recurring;
use crate::trusted::normal::SignedFormula;
use crate::tuning::MONITOR_LATCHES;
use circuit::{MonitorOutputs, Monitors};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, AtomId, Class, FormulaId, Formulas, Node, Player};
use tsl_synth_core::model::{Circuit, Contract, DeterministicBuchi, Role};

/// An automaton with the binary code of each state in the engine's circuit. States have different codes, but the dead
/// state may have that of any other one.
#[derive(Clone, Debug)]
pub struct MonitorAutomaton {
    /// The automaton, over the letters of the contract's alphabet.
    pub automaton: DeterministicBuchi,
    /// The code of each state. The initial state has code 0.
    pub codes: Vec<usize>,
}

/// A condition on a run of automata, which are given by their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MonitorCondition {
    /// The automaton is never dead.
    Alive(usize),
    /// Such edges are taken infinitely often.
    Often(EdgeSet),
    /// Such edges are taken finitely often.
    Seldom(EdgeSet),
    /// All of them hold.
    All(Vec<MonitorCondition>),
    /// One of them holds.
    Any(Vec<MonitorCondition>),
}

/// A set of combinations of edges that the automata take in the same step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeSet {
    /// The edge of this automaton is accepting.
    Accepting(usize),
    /// In all of the sets.
    All(Vec<EdgeSet>),
    /// In one of the sets.
    Any(Vec<EdgeSet>),
    /// Not in the set.
    Not(Box<EdgeSet>),
}

/// A formula as a condition on the runs of automata.
#[derive(Clone, Debug)]
pub struct MonitoredFormula {
    /// The automata.
    pub automata: Vec<MonitorAutomaton>,
    /// The condition.
    pub condition: MonitorCondition,
}

/// Compiles a formula; `None` if it has no small automata.
pub type CompileFormula<'o> =
    dyn FnMut(&mut Formulas, FormulaId) -> Result<Option<MonitoredFormula>, Limit> + 'o;

/// Certifies a claim about a circuit by automata that `compile` returns for its conjuncts. Conjuncts that the kernel
/// answers without a tableau, and those for which `compile` returns `None`, stay as they are.
///
/// # Errors
/// Malformed, or a limit: of the budget, or because the automata or their conditions do not show the claim.
pub fn certify_by_monitors(
    claim: &StrategyClaim<'_>,
    compile: &mut CompileFormula<'_>,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let (circuit, blind) = match claim.strategy {
        StrategyRef::MealyCircuit(circuit) => (circuit, false),
        StrategyRef::MooreCircuit(circuit) | StrategyRef::CounterCircuit(circuit) => (circuit, true),
        StrategyRef::Mealy(_) | StrategyRef::Moore(_) | StrategyRef::Counter(_) => {
            return Err(undecided("an explicit machine needs no monitors").into());
        }
    };
    check_circuit(claim, circuit, blind, budget)?;
    let mut composition = Composition::new(claim, circuit);
    let contract = composition.contract(claim, compile, budget)?;
    if composition.monitors.parts.is_empty() {
        return Err(undecided("no conjunct has an automaton").into());
    }
    let plan = merge::plan(&composition.monitors, budget)?;
    let added = plan.iter().filter(|latch| latch.is_none()).count();
    if added > MONITOR_LATCHES + circuit.latches.len() / 2 {
        return Err(undecided("the circuit does not store the states of the automata").into());
    }
    let whole = composition.monitors.parallel(&plan, MonitorOutputs::Signals);
    let Composition { formulas, alphabet, .. } = &composition;
    let inner = StrategyClaim { formulas, alphabet, contract: &contract, strategy: claim.strategy };
    match certify_circuit(&inner, &whole, false, budget) {
        Ok(certified) => Ok(Certified { monitors: composition.monitors.parts.len() as u64, ..certified }),
        Err(CertifyError::Violated(_)) => {
            Err(undecided("the conditions of the automata do not suffice").into())
        }
        Err(error) => Err(error),
    }
}

fn undecided(what: &str) -> Limit {
    Limit::new(LimitKind::Size, format!("certificate by monitors: {what}"))
}

/// Which implications between a conjunct and its condition are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Direction {
    /// The condition follows from the conjunct, which the plays are known to satisfy.
    Known,
    /// The conjunct follows from the condition, which the plays are shown to satisfy.
    Shown,
}

impl Direction {
    fn of(owner: Player, role: Role) -> Self {
        let shown = match owner {
            Player::System => matches!(role, Role::Restriction | Role::Guarantee),
            Player::Environment => matches!(role, Role::Fact | Role::Assumption),
        };
        if shown { Self::Shown } else { Self::Known }
    }
}

/// The contract over the signals of monitors.
struct Composition<'a> {
    formulas: Formulas,
    /// The alphabet of the contract, and the signals of all monitors as further atoms of the circuit's owner.
    alphabet: Alphabet,
    monitors: Monitors<'a>,
    /// The condition that replaces each conjunct, or the conjunct.
    known: FxHashMap<(SignedFormula, Direction), FormulaId>,
    /// The atoms and condition of each formula that was compiled.
    compiled: FxHashMap<SignedFormula, Option<(MonitoredFormula, FormulaId)>>,
}

impl<'a> Composition<'a> {
    fn new(claim: &StrategyClaim<'a>, circuit: &'a Circuit) -> Self {
        let (alphabet, owner) = (claim.alphabet, claim.strategy.owner());
        Self {
            formulas: claim.formulas.clone(),
            alphabet: alphabet.clone(),
            monitors: Monitors { alphabet, owner, circuit, parts: Vec::new() },
            known: FxHashMap::default(),
            compiled: FxHashMap::default(),
        }
    }

    fn contract(
        &mut self,
        claim: &StrategyClaim<'_>,
        compile: &mut CompileFormula<'_>,
        budget: &Budget,
    ) -> Result<Contract, CertifyError> {
        let cases = Cases::new(&self.formulas, claim.contract);
        self.formulas = cases.formulas.clone();
        let mut contract = Contract::default();
        for role in [Role::Fact, Role::Restriction, Role::Assumption, Role::Guarantee] {
            let direction = Direction::of(self.monitors.owner, role);
            let mut clauses = Vec::new();
            for &clause in claim.contract.of(role) {
                let mut parts = Vec::new();
                for &conjunct in cases.conjuncts(clause) {
                    parts.push(self.replacement(claim, conjunct, direction, compile, budget)?);
                }
                clauses.push(self.formulas.and(parts));
            }
            match role {
                Role::Fact => contract.facts = clauses,
                Role::Restriction => contract.restrictions = clauses,
                Role::Assumption => contract.assumptions = clauses,
                Role::Guarantee => contract.guarantees = clauses,
            }
        }
        Ok(contract)
    }

    /// The condition that replaces a conjunct, or the conjunct itself.
    fn replacement(
        &mut self,
        claim: &StrategyClaim<'_>,
        conjunct: SignedFormula,
        direction: Direction,
        compile: &mut CompileFormula<'_>,
        budget: &Budget,
    ) -> Result<FormulaId, CertifyError> {
        if let Some(&known) = self.known.get(&(conjunct, direction)) {
            return Ok(known);
        }
        let (f, value) = conjunct;
        let itself = if value { f } else { self.formulas.not(f) };
        let mut replacement = itself;
        if !is_easy(&self.formulas, conjunct)
            && let Some((monitored, condition)) = self.compiled(conjunct, itself, compile)?
        {
            implication::check(&mut self.formulas, claim.alphabet, itself, &monitored, direction, budget)?;
            replacement = condition;
        }
        self.known.insert((conjunct, direction), replacement);
        Ok(replacement)
    }

    /// The automata of a conjunct and its condition over the signals of their monitors.
    fn compiled(
        &mut self,
        conjunct: SignedFormula,
        itself: FormulaId,
        compile: &mut CompileFormula<'_>,
    ) -> Result<Option<(MonitoredFormula, FormulaId)>, CertifyError> {
        if let Some(known) = self.compiled.get(&conjunct) {
            return Ok(known.clone());
        }
        let mut made = None;
        if let Some(monitored) = compile(&mut self.formulas, itself)? {
            let mut signals = Vec::new();
            for part in &monitored.automata {
                circuit::check_codes(part)?;
                let number = self.monitors.parts.len();
                let mut add = |name: String| match self.monitors.owner {
                    Player::System => self.alphabet.add_output(name),
                    Player::Environment => self.alphabet.add_input(name),
                };
                signals.push((add(format!("alive {number}")), add(format!("accepting {number}"))));
                self.monitors.parts.push(part.clone());
            }
            let condition = condition(&mut self.formulas, &signals, &monitored)?;
            made = Some((monitored, condition));
        }
        self.compiled.insert(conjunct, made.clone());
        Ok(made)
    }
}

/// Whether the kernel answers questions about a conjunct without the variables of a tableau: it has no temporal operator
/// but an outermost G, F, GF or FG, or relates each letter to the next one.
fn is_easy(formulas: &Formulas, (f, value): SignedFormula) -> bool {
    let is_boolean = |g: FormulaId| formulas.class(g).is(Class::BOOLEAN);
    let is_outermost = matches!(*formulas.node(f), Node::Globally(g) | Node::Finally(g) if is_boolean(g));
    is_boolean(f)
        || is_outermost
        || recurring(formulas, f).is_some_and(|(g, _)| is_boolean(g))
        || value && formulas.is_windowed(f) && formulas.next_depth(f) <= 1
}

/// The condition of a formula's automata over their signals (alive, accepting).
fn condition(
    formulas: &mut Formulas,
    signals: &[(AtomId, AtomId)],
    monitored: &MonitoredFormula,
) -> Result<FormulaId, Limit> {
    Builder { formulas, signals, automata: &monitored.automata }.condition(&monitored.condition)
}

struct Builder<'b> {
    formulas: &'b mut Formulas,
    signals: &'b [(AtomId, AtomId)],
    automata: &'b [MonitorAutomaton],
}

impl Builder<'_> {
    /// Recursion is as deep as the condition.
    fn condition(&mut self, condition: &MonitorCondition) -> Result<FormulaId, Limit> {
        Ok(match condition {
            MonitorCondition::Alive(i) => {
                let alive = self.signals.get(*i).ok_or_else(unknown)?.0;
                let alive = self.formulas.atom(alive);
                self.formulas.globally(alive)
            }
            MonitorCondition::Often(edges) => {
                let edges = self.edges(edges)?;
                let finally = self.formulas.finally(edges);
                self.formulas.globally(finally)
            }
            MonitorCondition::Seldom(edges) => {
                let edges = self.edges(edges)?;
                let never = self.formulas.not(edges);
                let globally = self.formulas.globally(never);
                self.formulas.finally(globally)
            }
            MonitorCondition::All(parts) | MonitorCondition::Any(parts) => {
                let made: Vec<FormulaId> =
                    parts.iter().map(|part| self.condition(part)).collect::<Result<_, Limit>>()?;
                if matches!(condition, MonitorCondition::All(_)) {
                    self.formulas.and(made)
                } else {
                    self.formulas.or(made)
                }
            }
        })
    }

    fn edges(&mut self, edges: &EdgeSet) -> Result<FormulaId, Limit> {
        Ok(match edges {
            EdgeSet::Accepting(i) => {
                let signal = self.signals.get(*i).ok_or_else(unknown)?.1;
                // In a monitor whose dead state has the code of another state, edges mean nothing after the death.
                if circuit::shares_code(&self.automata[*i]) {
                    return Err(undecided("the dead state has no code of its own"));
                }
                self.formulas.atom(signal)
            }
            EdgeSet::All(parts) | EdgeSet::Any(parts) => {
                let made: Vec<FormulaId> =
                    parts.iter().map(|part| self.edges(part)).collect::<Result<_, Limit>>()?;
                if matches!(edges, EdgeSet::All(_)) {
                    self.formulas.and(made)
                } else {
                    self.formulas.or(made)
                }
            }
            EdgeSet::Not(part) => {
                let made = self.edges(part)?;
                self.formulas.not(made)
            }
        })
    }
}

fn unknown() -> Limit {
    undecided("a condition on an automaton that is not there")
}
