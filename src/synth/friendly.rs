//! Controllers that keep a contract without making its assumptions false (see [`certify_friendly`] for the notion).
//!
//! Whether a friendly controller exists is a game with more outputs: for each input a *hint*, which value it should have in
//! the next step. With A the facts and assumptions, the system has to keep the contract and
//! `FG (hints followed) → (A ∨ some input was illegal)`, hint legal inputs only, and never make A impossible with a legal
//! input. A friendly controller hints the continuation that it has; and a winner of this game is friendly, as its hints
//! lead from every history with legal inputs to a play that satisfies A. Who is to blame when a play is no prefix of A any
//! more tells a [`Closure`], whose state the environment announces by further inputs, fixed by facts. Safety needs no
//! hints, and what can never become impossible no closure.

use super::closure::{Closure, StateCode};
use super::found::WinningStrategy;
use super::options::Options;
use super::settle::{GameQuestion, settle};
use super::tuning::{
    CLOSURE_STATES, CLOSURE_WORK, FRIENDLY_ROUNDS, FRIENDLY_STATES, PART_GAME, UNFOLD_STATES,
};
use crate::base::{Budget, Id, IdSet, Limit, LimitKind};
use crate::certify::{
    CertifyError, Friendly, StrategyClaim, StrategyRef, certify, certify_friendly, certify_none_friendly,
    controller_of_circuit, is_always_keepable,
};
use crate::game::StrategyForm;
use crate::logic::{
    Alphabet, AtomId, AtomKind, BitId, Class, FormulaId, Formulas, Letter, Node, Normalizer, Player,
};
use crate::mealy::swept;
use crate::model::{Circuit, Contract, CounterState, CounterStrategy, Form, Literal, Mealy, Observer};
use rustc_hash::FxHashMap;

/// Whether some system could make the assumptions false, as far as is known: an assumption mentions an output, or facts
/// connect its inputs with one, and the environment may be unable to keep them by its own choice.
pub(super) fn depends_on_outputs(formulas: &Formulas, alphabet: &Alphabet, contract: &Contract) -> bool {
    let relevant = relevant(formulas, contract);
    let mentions =
        |&f: &FormulaId| formulas.support(&[f]).iter().any(|atom| alphabet.player(atom) == Player::System);
    relevant.iter().any(mentions) && !is_always_keepable(formulas, alphabet, &relevant)
}

/// The assumptions, and the facts that are connected with them by atoms that they share. Every environment keeps the
/// others whatever the system does.
fn relevant(formulas: &Formulas, contract: &Contract) -> Vec<FormulaId> {
    let assumed = formulas.support(&contract.assumptions);
    [&contract.assumptions[..], &connected(formulas, assumed, &contract.facts)].concat()
}

/// Those formulas that are connected with some atoms by atoms that they share.
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

/// What was found in the game with hints.
pub(super) enum FriendlyResult {
    /// A friendly controller, certified as such and as a controller.
    Friendly(Mealy),
    /// There is none; certified.
    None,
}

/// The search for a friendly controller of a contract.
pub(super) struct FriendlySearch<'a> {
    pub(super) formulas: &'a mut Formulas,
    pub(super) alphabet: &'a Alphabet,
    pub(super) contract: &'a Contract,
    pub(super) options: &'a Options,
    pub(super) observer: &'a dyn Observer,
    pub(super) log: &'a mut Vec<String>,
}

impl FriendlySearch<'_> {
    /// Looks for one.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn run(&mut self) -> Result<FriendlyResult, Limit> {
        let stop = self.options.stop.within(self.options.friendly_work);
        let rounds = self.options.rounds.min(FRIENDLY_ROUNDS);
        let options = Options { stop, rounds, threads: 1, ..self.options.clone() };
        let relevant = conjuncts(self.formulas, &relevant(self.formulas, self.contract));
        let alphabet = self.alphabet;
        let of_system = alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == Player::System);
        let dependent = connected(self.formulas, of_system.collect(), &relevant);
        // With hints for every input, a fact that is left out would be an excuse for the system: hints can contradict it.
        let Contract { facts, assumptions, .. } = self.contract;
        let all = conjuncts(self.formulas, &[&facts[..], &assumptions[..]].concat());
        let inputs = self.formulas.support(&dependent);
        if dependent.len() < all.len() {
            // What has no atom in common with these the environment can keep by itself, so hints about them are enough for
            // a friendly controller.
            let stop = options.stop.within(self.options.friendly_work / PART_GAME);
            let options = Options { stop, ..options.clone() };
            let game = self.game(&dependent, &|input| inputs.contains(input), &options);
            match game.and_then(|game| self.play(&game, &options)) {
                Ok(FriendlyResult::Friendly(machine)) => return Ok(FriendlyResult::Friendly(machine)),
                // It would be certified for more hints only.
                Ok(FriendlyResult::None) => {}
                Err(limit) => self.log.push(format!("hints about few inputs: {limit}")),
            }
        }
        let game = self.game(&all, &|_| true, &options)?;
        self.play(&game, &options)
    }

    /// Plays a game with hints. Only in a game with everything that is relevant and with all hints a certificate that there
    /// is no friendly controller is possible.
    fn play(&mut self, game: &HintedGame, options: &Options) -> Result<FriendlyResult, Limit> {
        let wanted = |player| match player {
            // Without its hints it may be a small machine.
            Player::System => StrategyForm::Either,
            Player::Environment => StrategyForm::Explicit,
        };
        let settled = settle(GameQuestion {
            formulas: self.formulas,
            alphabet: &game.extended,
            contract: &game.contract,
            options,
            wanted: &wanted,
            observer: self.observer,
            log: self.log,
        });
        self.log.push(format!("friendly controller: {} units of work", options.stop.spent()));
        let budget = options.budget().with_memory(options.memory);
        match settled?.winner {
            WinningStrategy::System(form) => {
                let machine = match form {
                    Form::Explicit(machine) => machine,
                    Form::Circuit(circuit) => game.unfolded(circuit, &budget)?,
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
            WinningStrategy::Environment(Form::Explicit(counter)) => {
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
            WinningStrategy::Environment(Form::Circuit(_)) => Err(Limit::new(
                LimitKind::Size,
                "a strategy against friendly controllers as an explicit machine",
            )),
        }
    }

    /// The game about some conjuncts of what is expected, with hints about some inputs.
    fn game(
        &mut self,
        expected: &[FormulaId],
        is_hinted: &dyn Fn(AtomId) -> bool,
        options: &Options,
    ) -> Result<HintedGame, Limit> {
        let (safety, goals): (Vec<FormulaId>, Vec<FormulaId>) =
            expected.iter().partition(|&&f| self.formulas.class(f).is(Class::SAFETY));
        let budget = options.budget().child(CLOSURE_WORK);
        let closure = Closure::new(self.formulas, self.alphabet, expected, CLOSURE_STATES, &budget);
        let closure = match closure {
            Err(limit) if matches!(limit.kind, LimitKind::Size | LimitKind::Work) && !goals.is_empty() => {
                // Most often what is not safety can be satisfied after every prefix of what is. Where it cannot, fewer inputs
                // count as illegal, and the certifier refuses a wrong answer.
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
            // A fact that the system made false is no excuse.
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

/// A check that was not finished, or that found no machine to check.
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

/// The contract of the game with hints, and what it speaks about.
struct HintedGame {
    /// With hints and the code of the closure.
    extended: Alphabet,
    /// With hints.
    hinted: Alphabet,
    /// The hint of each input.
    hints: Vec<(AtomId, AtomId)>,
    contract: Contract,
    closure: Closure,
    code: Option<StateCode>,
}

impl HintedGame {
    /// The machine of a circuit that plays the game, without its hints.
    fn unfolded(&self, mut circuit: Circuit, budget: &Budget) -> Result<Mealy, Limit> {
        let outputs = self.extended.bits_of(Player::System);
        for (index, bit_of_output) in outputs.enumerate() {
            if self.hints.iter().any(|&(_, hint)| bit(&self.extended, hint) == bit_of_output) {
                circuit.outputs[index] = Literal::FALSE;
            }
        }
        controller_of_circuit(&self.extended, &swept(circuit), UNFOLD_STATES, budget).map_err(as_limit)
    }

    /// A counter-strategy that does not announce the state of the closure.
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
