//! Does a machine, whoever made it, do what a specification asks? The certifier decides; what a play of a controller
//! contradicts of the meaning of TSL is added as a fact, as in synthesis.

use super::found::WinningStrategy;
use super::options::{Certificate, CheckMethod, FactCheck};
use super::terms::derived_again;
use super::tuning::{PLAYS_WORK, SHORT_WORK, UNFOLD_STATES, UNFOLD_WORK};
use crate::base::{Budget, Id, IdVec, Limit, LimitKind, StopFlag};
use crate::certify::{
    Certified, CertifyError, StrategyClaim, StrategyRef, Violation, certify, circuit_of_counter,
    circuit_of_mealy, controller_of_circuit, counter_of_circuit, find_false_output, find_violation,
};
use crate::logic::{CellId, Guards, Lasso, LassoSemantics, Player};
use crate::model::{
    Circuit, Contract, CounterEdge, CounterState, CounterStrategy, Form, Mealy, Notion, Observer, Phase,
    Role, StateId,
};
use crate::spec::{Clause, ClauseId, Consistency, Language, Problem, Target, check_plays, frame_constraints};

/// A machine to be verified.
#[derive(Clone, Debug)]
pub enum MachineCandidate {
    /// A controller.
    Mealy(Mealy),
    /// A counter-strategy.
    Counter(CounterStrategy),
    /// A circuit of either player; one output of `proper` per cell says that it has exactly one update.
    Circuit {
        /// Whose strategy it is.
        owner: Player,
        /// The strategy.
        circuit: Circuit,
        /// What has to be true in every step.
        proper: Circuit,
    },
}

impl MachineCandidate {
    /// Whose strategy it is.
    pub fn owner(&self) -> Player {
        match self {
            Self::Mealy(_) => Player::System,
            Self::Counter(_) => Player::Environment,
            Self::Circuit { owner, .. } => *owner,
        }
    }
}

/// How to verify.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// On decision diagrams, whatever the size.
    pub symbolic: bool,
    /// Rounds of refinement of the TSL abstraction.
    pub refinement_rounds: u32,
    /// Ends the work.
    pub stop: StopFlag,
    /// Bytes that may be used.
    pub memory: u64,
}

/// What was found about a machine.
#[derive(Clone, Debug)]
pub struct Verification {
    /// The answer.
    pub judgment: MachineVerdict,
    /// By which method.
    pub by: CheckMethod,
    /// States of the explicit machine; `None` for a circuit that was not unfolded.
    pub states: Option<usize>,
    /// Facts of TSL that were needed.
    pub constraints: Vec<Clause>,
    /// How many of them the certifier derived from their terms.
    pub facts: FactCheck,
    /// See [`Certificate::plays_checked_once`].
    pub plays_checked_once: bool,
}

impl Verification {
    /// How it was checked that the machine does what is asked; `None` if that is not the answer.
    pub fn certificate(&self) -> Option<Certificate> {
        let MachineVerdict::Holds(certified, _) = &self.judgment else { return None };
        let &Self { by, facts, plays_checked_once, .. } = self;
        let product_states = certified.product_states;
        Some(Certificate { by, product_states, facts, plays_checked_once, friendly: false })
    }
}

/// The answer to whether a machine does what a specification asks.
#[derive(Clone, Debug)]
pub enum MachineVerdict {
    /// Yes. For a counter-strategy: against all systems in the sense of the notion.
    Holds(Certified, Notion),
    /// No: this play.
    Violated {
        /// The clause that decides; `None` where the system keeps all guarantees against a counter-strategy.
        clause: Option<ClauseId>,
        /// Its role.
        role: Role,
        /// The play, which is one in the sense of TSL.
        play: Lasso,
    },
    /// Not known: a play violates a clause, and a limit was reached before it was known whether predicates and functions
    /// of TSL allow that play.
    Undecided {
        /// The clause that fails on the play.
        clause: Option<ClauseId>,
        /// Its role.
        role: Role,
        /// The play.
        play: Lasso,
        /// What was reached.
        limit: Limit,
    },
    /// No: after these inputs a cell has not exactly one update.
    Improper(CellId, Vec<Vec<bool>>),
    /// No: it is not a strategy; why.
    Malformed(String),
    /// A limit was reached.
    Unknown(Limit),
}

/// Verifies a machine. The arena of formulas grows; the clauses of the problem stay.
pub fn verify(
    problem: &mut Problem,
    candidate: &MachineCandidate,
    options: &VerifyOptions,
    observer: &dyn Observer,
) -> Verification {
    observer.phase(Phase::Verification);
    let budget = Budget::unlimited().with_flag(options.stop.clone()).with_memory(options.memory);
    let mut found = Verification {
        judgment: MachineVerdict::Unknown(Limit::new(LimitKind::Work, "verification")),
        by: CheckMethod::Products,
        states: None,
        constraints: Vec::new(),
        facts: FactCheck::default(),
        plays_checked_once: false,
    };
    match judge(problem, candidate, options, &budget, &mut found) {
        Ok(judgment) => found.judgment = judgment,
        Err(limit) => found.judgment = MachineVerdict::Unknown(limit),
    }
    found.plays_checked_once = candidate.owner() == Player::Environment
        && problem.language == Language::Tsl
        && matches!(found.judgment, MachineVerdict::Holds(_, Notion::Tsl));
    found.facts = derived_again(problem, &found.constraints, &budget);
    found
}

fn judge(
    problem: &mut Problem,
    candidate: &MachineCandidate,
    options: &VerifyOptions,
    budget: &Budget,
    found: &mut Verification,
) -> Result<MachineVerdict, Limit> {
    if let MachineCandidate::Circuit { proper, .. } = candidate {
        for output in 0..proper.outputs.len() {
            if let Some(inputs) = find_false_output(proper, output, budget)? {
                return Ok(MachineVerdict::Improper(CellId::from_index(output), inputs));
            }
        }
    }
    let strategy = match strategy(problem, candidate, options, budget)? {
        Ok(strategy) => strategy,
        Err(message) => return Ok(MachineVerdict::Malformed(message)),
    };
    found.states = strategy.states();
    found.by = strategy.method(&Certified::default());
    let mut contract = problem.contract();
    if problem.target == Target::Moore && candidate.owner() == Player::System {
        contract = problem.target_contract(&contract);
    }
    let mut rounds = 0;
    // What predicates say of a value they say of the cell that holds it: with these plays of any length are ruled out
    // at once.
    let mut frames: Option<Vec<Clause>> = None;
    loop {
        let Problem { formulas, alphabet, target, .. } = &*problem;
        let claim =
            StrategyClaim { formulas, alphabet, contract: &contract, strategy: strategy.strategy(*target) };
        let violation = match certify(&claim, budget) {
            Ok(certified) => {
                found.by = strategy.method(&certified);
                let notion = match &strategy {
                    WinningStrategy::Environment(Form::Explicit(counter)) => {
                        notion_of_plays(problem, counter, budget)
                    }
                    // LTL has no plays that TSL excludes; those of a circuit of TSL are not looked at.
                    WinningStrategy::Environment(Form::Circuit(_)) if problem.language != Language::Tsl => {
                        Notion::Tsl
                    }
                    WinningStrategy::Environment(Form::Circuit(_)) => Notion::Ltl,
                    WinningStrategy::System(_) => Notion::Tsl,
                };
                return Ok(MachineVerdict::Holds(certified, notion));
            }
            Err(CertifyError::Malformed(message) | CertifyError::Wrong(message)) => {
                return Ok(MachineVerdict::Malformed(message));
            }
            Err(CertifyError::Limit(limit)) => return Err(limit),
            Err(CertifyError::Violated(violation)) => violation,
        };
        let violation = shorter(&claim, budget).unwrap_or(violation);
        let mut undecided = None;
        if candidate.owner() == Player::System {
            let work = budget.child(PLAYS_WORK);
            let play = follower(problem, &violation.play);
            match check_plays(problem, &play, &work) {
                Consistency::Consistent => {}
                Consistency::Inconsistent(refinement)
                    if rounds < options.refinement_rounds
                        && breaks(problem, &violation.play, &refinement.clause) =>
                {
                    rounds += 1;
                    let frames = frames.get_or_insert_with(|| frame_constraints(problem));
                    let broken = frames.iter().filter(|frame| breaks(problem, &violation.play, frame));
                    for clause in broken.cloned().chain([refinement.clause]) {
                        if !contract.facts.contains(&clause.formula) {
                            contract.facts.push(clause.formula);
                            found.constraints.push(clause);
                        }
                    }
                    continue;
                }
                Consistency::Inconsistent(_) => undecided = Some(rounds_used(rounds)),
                Consistency::Unknown(limit) => undecided = Some(limit),
            }
        }
        let Violation { role, clause, play } = violation;
        let mut of_role = problem.clauses.enumerate().filter(|(_, c)| c.role == role).map(|(id, _)| id);
        let clause = clause.and_then(|index| of_role.nth(index));
        return Ok(match undecided {
            None => MachineVerdict::Violated { clause, role, play },
            Some(limit) => MachineVerdict::Undecided { clause, role, play, limit },
        });
    }
}

/// The play is not one of TSL; another one may be.
fn rounds_used(rounds: u32) -> Limit {
    let s = if rounds == 1 { "" } else { "s" };
    let what = format!(
        "after {rounds} round{s} of refinement the play is still one that predicates and functions do not allow"
    );
    Limit::new(LimitKind::Work, what)
}

/// Explicit where that is small, unless diagrams are asked for.
fn strategy(
    problem: &Problem,
    candidate: &MachineCandidate,
    options: &VerifyOptions,
    budget: &Budget,
) -> Result<Result<WinningStrategy, String>, Limit> {
    let Problem { formulas, alphabet, .. } = problem;
    // A circuit is a strategy by construction, so this is asked of the machine.
    let malformed = |strategy, contract: &Contract| match certify(
        &StrategyClaim { formulas, alphabet, contract, strategy },
        budget,
    ) {
        Err(CertifyError::Malformed(message)) => Some(message),
        _ => None,
    };
    Ok(Ok(match candidate {
        MachineCandidate::Mealy(mealy) if options.symbolic => {
            if let Some(message) = malformed(StrategyRef::Mealy(mealy), &Contract::default()) {
                return Ok(Err(message));
            }
            WinningStrategy::circuit(Player::System, circuit_of_mealy(alphabet, mealy))
        }
        MachineCandidate::Counter(counter) if options.symbolic => {
            let nothing = Contract { guarantees: vec![formulas.bottom()], ..Contract::default() };
            if let Some(message) = malformed(StrategyRef::Counter(counter), &nothing) {
                return Ok(Err(message));
            }
            WinningStrategy::circuit(Player::Environment, circuit_of_counter(alphabet, counter))
        }
        MachineCandidate::Mealy(mealy) => WinningStrategy::System(Form::Explicit(mealy.clone())),
        MachineCandidate::Counter(counter) => WinningStrategy::Environment(Form::Explicit(counter.clone())),
        MachineCandidate::Circuit { owner, circuit, .. } => {
            let work = budget.child(UNFOLD_WORK);
            let whole = WinningStrategy::circuit(*owner, circuit.clone());
            let unfolded = match owner {
                _ if options.symbolic => return Ok(Ok(whole)),
                Player::System => controller_of_circuit(alphabet, circuit, UNFOLD_STATES, &work)
                    .map(|mealy| WinningStrategy::System(Form::Explicit(mealy))),
                Player::Environment => counter_of_circuit(alphabet, circuit, UNFOLD_STATES, &work)
                    .map(|counter| WinningStrategy::Environment(Form::Explicit(counter))),
            };
            match unfolded {
                Ok(strategy) => strategy,
                Err(CertifyError::Limit(limit)) => match limit.kind {
                    LimitKind::Size | LimitKind::Work => whole,
                    _ => return Err(limit),
                },
                Err(CertifyError::Malformed(message) | CertifyError::Wrong(message)) => {
                    return Ok(Err(message));
                }
                // An unfolding refutes nothing.
                Err(CertifyError::Violated(_)) => whole,
            }
        }
    }))
}

/// A shorter play against an explicit machine, if that is found soon.
fn shorter(claim: &StrategyClaim<'_>, budget: &Budget) -> Option<Violation> {
    match claim.strategy {
        StrategyRef::Mealy(_) | StrategyRef::Moore(_) | StrategyRef::Counter(_) => {
            find_violation(claim, &budget.child(SHORT_WORK)).ok().flatten()
        }
        StrategyRef::MealyCircuit(_) | StrategyRef::MooreCircuit(_) | StrategyRef::CounterCircuit(_) => None,
    }
}

/// In which sense a counter-strategy wins: of TSL if all its plays are consistent.
fn notion_of_plays(problem: &mut Problem, counter: &CounterStrategy, budget: &Budget) -> Notion {
    match check_plays(problem, counter, &budget.child(PLAYS_WORK)) {
        Consistency::Consistent => Notion::Tsl,
        Consistency::Inconsistent(_) | Consistency::Unknown(_) => Notion::Ltl,
    }
}

/// One play as a strategy of the environment: it has no edges but those of the play.
fn follower(problem: &Problem, play: &Lasso) -> CounterStrategy {
    let alphabet = &problem.alphabet;
    let mut guards = Guards::new();
    let mut states = IdVec::new();
    for position in 0..play.len() {
        let letter = play.letter(position);
        let input = alphabet.bits_of(Player::Environment).filter(|&bit| letter.contains(bit)).collect();
        let outputs: Vec<_> = alphabet.bits_of(Player::System).collect();
        let guard = guards.valuation(outputs.into_iter().rev(), letter);
        let next = StateId::from_index(play.successor(position));
        states.push(CounterState { input, edges: vec![CounterEdge { guard, next }] });
    }
    CounterStrategy { guards, states, initial: StateId::from_index(0) }
}

fn breaks(problem: &Problem, play: &Lasso, clause: &Clause) -> bool {
    !LassoSemantics::new(&problem.formulas, &problem.alphabet, play).holds(clause.formula)
}
