//! Controllers that satisfy a contract without making its assumptions false (see [`certify_friendly`] for the notion).
//!
//! The existence of a friendly controller is decided by a game with additional outputs: for each input a *hint*, the
//! value that it should have in the next step. Let A be the conjunction of facts and assumptions. The system has to
//! satisfy the contract and `FG (hints followed) → (A ∨ some input was illegal)`, to hint only legal inputs, and never
//! to make A impossible after a legal input. A friendly controller can hint a continuation that satisfies A;
//! conversely, a controller that wins this game is friendly, as its hints lead from every history with legal inputs to
//! a play that satisfies A. A [`Closure`] determines the player at fault when a play is no longer a prefix of A; its
//! state is encoded in further inputs, whose values are determined by facts. Safety properties need no hints, and
//! properties that can never become impossible need no closure.

use super::closure::{Closure, StateCode};
use super::found::WinningStrategy;
use super::options::{Progress, SolverOptions};
use super::solve_contract::{SolveRequest, solve_contract};
use super::tuning::{
    CLOSURE_STATES, CLOSURE_WORK, FRIENDLY_ROUNDS, FRIENDLY_STATES, PART_GAME, UNFOLD_STATES,
};
use crate::game::StrategyForm;
use crate::mealy::simplified;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdSet, Limit, LimitKind};
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, Class, FormulaId, Formulas, Letter, Node, Normalizer, Player,
};
use tsl_synth_core::model::{
    Circuit, Contract, CounterState, CounterStrategy, Literal, Mealy, Observer, StrategyRepr,
};
use tsl_synth_kernel::{
    CertifyError, Friendly, StrategyClaim, StrategyRef, certify, certify_friendly, certify_none_friendly,
    controller_of_circuit, is_always_unfalsifiable,
};

/// Whether some system may be able to make the assumptions false, over-approximated: an assumption mentions an output,
/// or facts connect its inputs with one, and the environment is not known to be able to satisfy them whatever the
/// outputs are.
pub(super) fn depends_on_outputs(formulas: &Formulas, alphabet: &Alphabet, contract: &Contract) -> bool {
    let relevant = relevant(formulas, contract);
    let mentions =
        |&f: &FormulaId| formulas.support(&[f]).iter().any(|atom| alphabet.player(atom) == Player::System);
    relevant.iter().any(mentions) && !is_always_unfalsifiable(formulas, alphabet, &relevant)
}

/// The assumptions, and the facts that are connected with them by shared atoms. Every environment satisfies the other
/// facts whatever the system does.
fn relevant(formulas: &Formulas, contract: &Contract) -> Vec<FormulaId> {
    let assumed = formulas.support(&contract.assumptions);
    [&contract.assumptions[..], &connected(formulas, assumed, &contract.facts)].concat()
}

/// The formulas that are connected with some atoms through shared atoms, directly or by a chain of formulas.
fn connected(formulas: &Formulas, mut atoms: IdSet<AtomId>, all: &[FormulaId]) -> Vec<FormulaId> {
    let (mut found, mut left) = (Vec::new(), all.to_vec());
    loop {
        let (near, far): (Vec<FormulaId>, Vec<FormulaId>) =
            left.iter().partition(|&&f| !formulas.support(&[f]).is_disjoint(&atoms));
        if near.is_empty() {
            return found;
        }
        atoms.union_with(&formulas.support(&near));
        found.extend(near);
        left = far;
    }
}

/// The result of the game with hints.
pub(super) enum FriendlyResult {
    /// A friendly controller, certified as such and as a controller.
    Friendly(Mealy),
    /// No controller is friendly; certified.
    None,
}

/// The search for a friendly controller of a contract.
pub(super) struct FriendlySearch<'a> {
    pub(super) formulas: &'a mut Formulas,
    pub(super) alphabet: &'a Alphabet,
    pub(super) contract: &'a Contract,
    pub(super) options: &'a SolverOptions,
    pub(super) observer: &'a dyn Observer,
    pub(super) log: &'a mut Vec<String>,
}

impl FriendlySearch<'_> {
    /// Searches for a friendly controller.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn run(&mut self) -> Result<FriendlyResult, Limit> {
        let stop = self.options.stop.within(self.options.friendly_work);
        let rounds = self.options.rounds.min(FRIENDLY_ROUNDS);
        let options = SolverOptions { stop, rounds, threads: 1, ..self.options.clone() };
        let relevant = conjuncts(self.formulas, &relevant(self.formulas, self.contract));
        let alphabet = self.alphabet;
        let of_system = alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == Player::System);
        let dependent = connected(self.formulas, of_system.collect(), &relevant);
        // With hints for every input, no fact may be left out: the system could give hints that contradict it, so that
        // the environment cannot follow them.
        let Contract { facts, assumptions, .. } = self.contract;
        let all = conjuncts(self.formulas, &[&facts[..], &assumptions[..]].concat());
        let inputs = self.formulas.support(&dependent);
        if dependent.len() < all.len() {
            // The environment can satisfy the conjuncts that share no atom with these by its own choice, so hints about
            // the inputs of these are enough for a friendly controller.
            let stop = options.stop.within(self.options.friendly_work / PART_GAME);
            let options = SolverOptions { stop, ..options.clone() };
            let game = self.game(&dependent, &|input| inputs.contains(input), &options);
            match game.and_then(|game| self.play(&game, &options)) {
                Ok(FriendlyResult::Friendly(machine)) => return Ok(FriendlyResult::Friendly(machine)),
                // That no controller is friendly can be certified only with hints for all inputs.
                Ok(FriendlyResult::None) => {}
                Err(limit) => self.log.push(format!("hints about few inputs: {limit}")),
            }
        }
        let game = self.game(&all, &|_| true, &options)?;
        self.play(&game, &options)
    }

    /// Solves a game with hints. That there is no friendly controller can be certified only for the game with all facts
    /// and assumptions and with hints for all inputs.
    fn play(&mut self, game: &HintedGame, options: &SolverOptions) -> Result<FriendlyResult, Limit> {
        let wanted = |player| match player {
            // A circuit may become a small machine without its hints.
            Player::System => StrategyForm::Either,
            Player::Environment => StrategyForm::Explicit,
        };
        let settled = solve_contract(SolveRequest {
            formulas: self.formulas,
            alphabet: &game.extended,
            contract: &game.contract,
            finite: false,
            options,
            wanted: &wanted,
            observer: self.observer,
            log: self.log,
            progress: &mut Progress::default(),
        });
        self.log.push(format!("friendly controller: {} units of work", options.stop.spent()));
        let budget = options.budget().with_memory(options.memory);
        match settled?.winner {
            WinningStrategy::System(form) => {
                let machine = match form {
                    StrategyRepr::Explicit(machine) => machine,
                    StrategyRepr::Circuit(circuit) => game.unfolded(circuit, &budget)?,
                };
                let code = game.code.as_ref().map(|code| (code, &game.extended));
                let machine = game.closure.without_code(&machine, self.alphabet, code, FRIENDLY_STATES);
                let machine = machine.ok_or_else(|| Limit::new(LimitKind::Size, "a friendly controller"))?;
                let claim = StrategyClaim {
                    formulas: self.formulas,
                    alphabet: self.alphabet,
                    contract: self.contract,
                    strategy: StrategyRef::Mealy(&machine),
                };
                let unsure =
                    |what: &str| Limit::new(LimitKind::Work, format!("a friendly controller: {what}"));
                match certify(&claim, &budget) {
                    Ok(_) => {}
                    Err(CertifyError::Limit(limit)) => return Err(limit),
                    Err(error) => return Err(unsure(&error.to_string())),
                }
                match certify_friendly(&claim, &budget) {
                    Ok(Friendly::Yes(_)) => Ok(FriendlyResult::Friendly(machine)),
                    Ok(Friendly::No(_) | Friendly::Unsatisfiable) => {
                        Err(unsure("the one that was found is not friendly"))
                    }
                    Err(CertifyError::Limit(limit)) => Err(limit),
                    Err(error) => Err(unsure(&error.to_string())),
                }
            }
            WinningStrategy::Environment(StrategyRepr::Explicit(counter)) => {
                let counter = game.without_code(&counter);
                let claim = StrategyClaim {
                    formulas: self.formulas,
                    alphabet: &game.hinted,
                    contract: self.contract,
                    strategy: StrategyRef::Counter(&counter),
                };
                match certify_none_friendly(&claim, &game.hints, &budget) {
                    Ok(_) => Ok(FriendlyResult::None),
                    Err(CertifyError::Limit(limit)) => Err(limit),
                    Err(error) => {
                        let what = format!("that no controller is friendly: {error}");
                        Err(Limit::new(LimitKind::Work, what))
                    }
                }
            }
            WinningStrategy::Environment(StrategyRepr::Circuit(_)) => Err(Limit::new(
                LimitKind::Size,
                "a strategy against friendly controllers as an explicit machine",
            )),
        }
    }

    /// The game for some conjuncts of the facts and assumptions, with hints for some inputs.
    fn game(
        &mut self,
        expected: &[FormulaId],
        is_hinted: &dyn Fn(AtomId) -> bool,
        options: &SolverOptions,
    ) -> Result<HintedGame, Limit> {
        let (safety, goals): (Vec<FormulaId>, Vec<FormulaId>) =
            expected.iter().partition(|&&f| self.formulas.class(f).is(Class::SAFETY));
        let budget = options.budget().child(CLOSURE_WORK);
        let closure = Closure::new(self.formulas, self.alphabet, expected, CLOSURE_STATES, &budget);
        let closure = match closure {
            Err(limit) if matches!(limit.kind, LimitKind::Size | LimitKind::Work) && !goals.is_empty() => {
                // Usually the other conjuncts can be satisfied after every prefix of the safety conjuncts. If not,
                // fewer inputs count as illegal, and the certifier rejects a wrong answer.
                let budget = options.budget().child(CLOSURE_WORK);
                Closure::new(self.formulas, self.alphabet, &safety, CLOSURE_STATES, &budget)?
            }
            closure => closure?,
        };
        let Some(closure) = closure else {
            return Err(Limit::new(LimitKind::Bound, "assumptions that no environment can keep"));
        };
        let formulas = &mut *self.formulas;
        let mut extended = self.alphabet.clone();
        let hints: Vec<(AtomId, AtomId)> = self
            .alphabet
            .inputs()
            .filter(|&input| is_hinted(input))
            .map(|input| (input, extended.add_output(format!("hint {}", self.alphabet.atoms()[input].name))))
            .collect();
        let hinted = extended.clone();
        let Contract { mut facts, mut restrictions, assumptions, guarantees } = self.contract.clone();
        let mut illegal = formulas.bottom();
        let mut code = None;
        if !closure.is_universal() {
            let state = closure.code(&mut extended);
            let broken = closure.is_broken(formulas, &state);
            let not_broken = formulas.not(broken);
            let never_broken = formulas.globally(not_broken);
            illegal = formulas.finally(broken);
            // A false fact releases the system only if some input was illegal.
            for f in &mut facts {
                if conjuncts(formulas, &[*f]).iter().any(|part| expected.contains(part)) {
                    *f = formulas.or([*f, never_broken]);
                }
            }
            facts.extend(closure.facts(formulas, self.alphabet, &state));
            restrictions.push(closure.never_falsified(formulas, &state));
            if !goals.is_empty() {
                let bits = hints.iter().map(|&(input, hint)| (bit(&extended, input), bit(&extended, hint)));
                let bits: FxHashMap<BitId, BitId> = bits.collect();
                restrictions.extend(closure.legal_hints(formulas, &extended, &state, &bits));
            }
            code = Some(state);
        }
        let mut often = vec![illegal];
        for &(input, hint) in &hints {
            let (input, hint) = (formulas.atom(input), formulas.atom(hint));
            let later = formulas.next(input);
            let same = formulas.iff(hint, later);
            let differ = formulas.not(same);
            let again = formulas.finally(differ);
            often.push(formulas.globally(again));
        }
        if !goals.is_empty() {
            often.push(formulas.and(goals));
            restrictions.push(formulas.or(often));
        }
        let contract = Contract { facts, restrictions, assumptions, guarantees };
        Ok(HintedGame { extended, hinted, hints, contract, closure, code })
    }
}

/// The conjuncts of some formulas, in normal form.
fn conjuncts(formulas: &mut Formulas, clauses: &[FormulaId]) -> Vec<FormulaId> {
    let mut normalizer = Normalizer::new();
    let mut all = Vec::new();
    for &f in clauses {
        let f = normalizer.normalize(formulas, f, false);
        match formulas.node(f) {
            Node::And(parts) => all.extend_from_slice(parts),
            _ => all.push(f),
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The limit of a check that was not finished, or that had no machine to check.
pub(super) fn as_limit(error: CertifyError) -> Limit {
    match error {
        CertifyError::Limit(limit) => limit,
        other => Limit::new(LimitKind::Size, other.to_string()),
    }
}

fn bit(alphabet: &Alphabet, atom: AtomId) -> BitId {
    match alphabet.atoms()[atom].kind {
        AtomKind::Input(bit) | AtomKind::Output(bit) => bit,
        AtomKind::Update(..) => unreachable!("neither inputs nor hints are updates"),
    }
}

/// The contract of the game with hints, and its alphabets.
struct HintedGame {
    /// The alphabet with hints and the code of the closure.
    extended: Alphabet,
    /// The alphabet with hints.
    hinted: Alphabet,
    /// The hint of each input.
    hints: Vec<(AtomId, AtomId)>,
    contract: Contract,
    closure: Closure,
    code: Option<StateCode>,
}

impl HintedGame {
    /// Unfolds a circuit that wins the extended game into an explicit Mealy machine; the hint outputs become false.
    fn unfolded(&self, mut circuit: Circuit, budget: &Budget) -> Result<Mealy, Limit> {
        let outputs = self.extended.bits_of(Player::System);
        for (index, bit_of_output) in outputs.enumerate() {
            if self.hints.iter().any(|&(_, hint)| bit(&self.extended, hint) == bit_of_output) {
                circuit.outputs[index] = Literal::FALSE;
            }
        }
        controller_of_circuit(&self.extended, &simplified(circuit), UNFOLD_STATES, budget).map_err(as_limit)
    }

    /// The counter-strategy without the inputs that encode the state of the closure.
    fn without_code(&self, counter: &CounterStrategy) -> CounterStrategy {
        let known = |letter: &Letter| -> Letter {
            letter.iter().filter(|bit| bit.index() < self.hinted.bit_count()).collect()
        };
        let states = counter.states.iter();
        let states =
            states.map(|state| CounterState { input: known(&state.input), edges: state.edges.clone() });
        CounterStrategy { guards: counter.guards.clone(), states: states.collect(), initial: counter.initial }
    }
}
