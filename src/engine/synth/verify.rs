//! Checks whether a machine from any source satisfies a specification. The certifier decides; if a play of a controller
//! is inconsistent with the semantics of TSL, a fact that excludes it is added, as in synthesis.

use super::found::WinningStrategy;
use super::monitored::certify_in_turn;
use super::numbers::{
    NumberAnswer, certified_numbers, has_comparisons, is_interpreted, numbers_of, play_over_numbers,
};
use super::options::{Certificate, CheckMethod, FactCheck};
use super::terms::{certify_arithmetic, derived_again};
use super::tuning::{PLAYS_WORK, SHORT_WORK, UNFOLD_STATES, UNFOLD_WORK};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, StopFlag};
use tsl_synth_core::logic::{CellId, Guards, Lasso, LassoSemantics, Player};
use tsl_synth_core::model::{
    Abstraction, Circuit, Contract, CounterEdge, CounterState, CounterStrategy, Mealy, Observer, Phase, Role,
    StateId, StrategyRepr,
};
use tsl_synth_kernel::{
    Certified, CertifyError, StrategyClaim, StrategyRef, Violation, certify, circuit_of_counter,
    circuit_of_mealy, controller_of_circuit, counter_of_circuit, find_false_output, find_violation,
};
use tsl_synth_lang::spec::{
    Clause, ClauseId, Consistency, Language, Problem, Target, check_plays, frame_constraints,
};

/// A machine to be verified.
#[derive(Clone, Debug)]
pub enum MachineCandidate {
    /// A controller.
    Mealy(Mealy),
    /// A counter-strategy.
    Counter(CounterStrategy),
    /// A circuit of either player; one output of `proper` per cell is true if the cell has exactly one update.
    Circuit {
        /// The player whose strategy it is.
        owner: Player,
        /// The strategy.
        circuit: Circuit,
        /// Its outputs have to be true in every step.
        proper: Circuit,
    },
}

impl MachineCandidate {
    /// The player whose strategy it is.
    pub fn owner(&self) -> Player {
        match self {
            Self::Mealy(_) => Player::System,
            Self::Counter(_) => Player::Environment,
            Self::Circuit { owner, .. } => *owner,
        }
    }
}

/// Options of verification.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Whether decision diagrams are used whatever the size.
    pub symbolic: bool,
    /// Rounds of refinement of the TSL abstraction.
    pub refinement_rounds: u32,
    /// Ends the verification when it is raised.
    pub stop: StopFlag,
    /// Counted bytes that may be used.
    pub memory: u64,
}

/// The result of the verification of a machine.
#[derive(Clone, Debug)]
pub struct Verification {
    /// The answer.
    pub judgment: MachineVerdict,
    /// The method.
    pub by: CheckMethod,
    /// States of the explicit machine; `None` for a circuit that was not unfolded.
    pub states: Option<usize>,
    /// Facts of TSL that were added.
    pub constraints: Vec<Clause>,
    /// How many of them the certifier derived from their terms.
    pub facts: FactCheck,
    /// See [`Certificate::plays_checked_once`].
    pub plays_checked_once: bool,
    /// See [`Certificate::invariants`].
    pub invariants: bool,
}

impl Verification {
    /// The certificate that the machine satisfies the specification; `None` for other answers than
    /// [`MachineVerdict::Holds`].
    pub fn certificate(&self) -> Option<Certificate> {
        let MachineVerdict::Holds(certified, _) = &self.judgment else { return None };
        let &Self { by, facts, plays_checked_once, invariants, .. } = self;
        let product_states = certified.product_states;
        Some(Certificate { by, product_states, facts, plays_checked_once, invariants, friendly: false })
    }
}

/// Whether a machine satisfies a specification.
#[derive(Clone, Debug)]
pub enum MachineVerdict {
    /// Yes. A counter-strategy wins against all systems in the sense of the notion.
    Holds(Certified, Abstraction),
    /// No, as this play shows.
    Violated {
        /// The violated clause; `None` if the system satisfies all guarantees against a counter-strategy.
        clause: Option<ClauseId>,
        /// Its role.
        role: Role,
        /// The play, which is consistent with the semantics of TSL.
        play: Lasso,
    },
    /// Not known: a play violates a clause, and a limit was reached before it was known whether some interpretation of
    /// the predicates and functions allows that play.
    Undecided {
        /// The clause that fails on the play.
        clause: Option<ClauseId>,
        /// Its role.
        role: Role,
        /// The play.
        play: Lasso,
        /// The limit that was reached.
        limit: Limit,
    },
    /// No: after these inputs a cell has not exactly one update.
    Improper(CellId, Vec<Vec<bool>>),
    /// No: it is not a strategy; holds the reason.
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
        invariants: false,
    };
    match judge(problem, candidate, options, &budget, &mut found) {
        Ok(judgment) => found.judgment = judgment,
        Err(limit) => found.judgment = MachineVerdict::Unknown(limit),
    }
    let of_environment = candidate.owner() == Player::Environment
        && problem.language == Language::Tsl
        && matches!(found.judgment, MachineVerdict::Holds(_, Abstraction::Tsl));
    found.invariants = of_environment && has_comparisons(problem);
    found.plays_checked_once = of_environment && !(found.invariants && is_interpreted(problem));
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
    // Frame constraints (a predicate has the same truth value for a value and for the cell that holds it) exclude plays
    // of any length at once.
    let mut frames: Option<Vec<Clause>> = None;
    loop {
        let Problem { formulas, alphabet, target, .. } = &*problem;
        let claim =
            StrategyClaim { formulas, alphabet, contract: &contract, strategy: strategy.strategy(*target) };
        let violation = match certify_in_turn(&claim, budget) {
            Ok(certified) => {
                found.by = strategy.method(&certified);
                match certify_arithmetic(problem, &found.constraints, budget) {
                    Err(CertifyError::Limit(limit)) => return Err(limit),
                    Err(_) => return Err(Limit::new(LimitKind::Work, "a proof of a fact about numbers")),
                    Ok(()) => {}
                }
                let notion = match &strategy {
                    WinningStrategy::Environment(StrategyRepr::Explicit(counter)) => {
                        notion_of_plays(problem, &contract, counter, budget)
                    }
                    // In LTL every play is consistent; the plays of a circuit for TSL are not checked.
                    WinningStrategy::Environment(StrategyRepr::Circuit(_))
                        if problem.language != Language::Tsl =>
                    {
                        Abstraction::Tsl
                    }
                    WinningStrategy::Environment(StrategyRepr::Circuit(_)) => Abstraction::Ltl,
                    WinningStrategy::System(_) => Abstraction::Tsl,
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
            let consistency = match check_plays(problem, &play, &work) {
                Consistency::Consistent if has_comparisons(problem) => {
                    play_over_numbers(problem, &play, &work)
                }
                consistency => consistency,
            };
            match consistency {
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

/// The limit for a play that is inconsistent with TSL after all rounds of refinement; another play may be consistent.
fn rounds_used(rounds: u32) -> Limit {
    let s = if rounds == 1 { "" } else { "s" };
    let what = format!(
        "after {rounds} round{s} of refinement the play is still one that predicates and functions do not allow"
    );
    Limit::new(LimitKind::Work, what)
}

/// The strategy of a candidate: explicit if that is small, unless decision diagrams are requested.
fn strategy(
    problem: &Problem,
    candidate: &MachineCandidate,
    options: &VerifyOptions,
    budget: &Budget,
) -> Result<Result<WinningStrategy, String>, Limit> {
    let Problem { formulas, alphabet, .. } = problem;
    // A circuit is a strategy by construction, so well-formedness is checked on the explicit machine.
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
        MachineCandidate::Mealy(mealy) => WinningStrategy::System(StrategyRepr::Explicit(mealy.clone())),
        MachineCandidate::Counter(counter) => {
            WinningStrategy::Environment(StrategyRepr::Explicit(counter.clone()))
        }
        MachineCandidate::Circuit { owner, circuit, .. } => {
            let work = budget.child(UNFOLD_WORK);
            let whole = WinningStrategy::circuit(*owner, circuit.clone());
            let unfolded = match owner {
                _ if options.symbolic => return Ok(Ok(whole)),
                Player::System => controller_of_circuit(alphabet, circuit, UNFOLD_STATES, &work)
                    .map(|mealy| WinningStrategy::System(StrategyRepr::Explicit(mealy))),
                Player::Environment => counter_of_circuit(alphabet, circuit, UNFOLD_STATES, &work)
                    .map(|counter| WinningStrategy::Environment(StrategyRepr::Explicit(counter))),
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
                // Unfolding checks no clauses.
                Err(CertifyError::Violated(_)) => whole,
            }
        }
    }))
}

/// A shorter play against an explicit machine, if one is found within a small budget.
fn shorter(claim: &StrategyClaim<'_>, budget: &Budget) -> Option<Violation> {
    match claim.strategy {
        StrategyRef::Mealy(_) | StrategyRef::Moore(_) | StrategyRef::Counter(_) => {
            find_violation(claim, &budget.child(SHORT_WORK)).ok().flatten()
        }
        StrategyRef::MealyCircuit(_) | StrategyRef::MooreCircuit(_) | StrategyRef::CounterCircuit(_) => None,
    }
}

/// The sense in which a counter-strategy wins: that of TSL if all its plays are consistent.
fn notion_of_plays(
    problem: &mut Problem,
    contract: &Contract,
    counter: &CounterStrategy,
    budget: &Budget,
) -> Abstraction {
    match check_plays(problem, counter, &budget.child(PLAYS_WORK)) {
        Consistency::Consistent if has_comparisons(problem) => {
            let found = numbers_of(problem, contract, &[], counter, budget);
            let is_certified = match &found {
                Ok(NumberAnswer::Possible(machine, states)) => {
                    certified_numbers(problem, contract, machine, states, budget).is_ok()
                }
                _ => false,
            };
            if is_certified { Abstraction::Tsl } else { Abstraction::Ltl }
        }
        Consistency::Consistent => Abstraction::Tsl,
        Consistency::Inconsistent(_) | Consistency::Unknown(_) => Abstraction::Ltl,
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
