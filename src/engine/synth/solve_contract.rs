//! Decides one contract. First equal atoms are merged, atoms of one polarity are fixed, and the contract is decomposed
//! into parts over disjoint outputs. Then the bounded, the explicit and the symbolic engine run in rounds with
//! increasing counted work, also on parts with as few guarantees, assumptions and inputs as suffice.

use super::equivalent::with_equal_atoms;
use super::fixed::Fixed;
use super::found::WinningStrategy;
use super::lazy::{ClauseChoice, IdleInputs};
use super::monitored::certify_in_turn;
use super::options::{Progress, SolverOptions};
use super::parts::{ContractPart, Decomposed, MoreOutputs, parts, related};
use super::portfolio::{EngineAnswer, Portfolio, is_large_opponent, symbolic_work};
use super::tuning::{
    ALONE, BOUNDED_SHARE, EASY, EXPLICIT_SHARE, FINITE_BOUNDED_SHARE, FINITE_EXPLICIT, GROWING_SHARE,
    KNOWN_WINNER, LARGE_PRODUCT, LARGE_SHARE, MANY, MOST_NODES, NODE_BYTES, PROBES, READABLE, SMALL_PRODUCT,
    STRATEGY_SHARE,
};
use crate::game::{CompiledContract, StrategyForm};
use crate::mealy::{circuit_of_mealy, circuits_in_parallel, parallel_composition, quotient_mealy};
use std::cell::Cell;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, BitId, FormulaId, Formulas, Node, Normalizer, Player};
use tsl_synth_core::model::{Contract, Engine, Mealy, Observer, SolvedBy, StrategyRepr};
use tsl_synth_kernel::StrategyClaim;
use tsl_synth_lang::spec::Target;

/// A contract to decide, with options.
pub(super) struct SolveRequest<'a> {
    pub(super) formulas: &'a mut Formulas,
    pub(super) alphabet: &'a Alphabet,
    pub(super) contract: &'a Contract,
    /// Whether the specification is over finite words.
    pub(super) finite: bool,
    pub(super) options: &'a SolverOptions,
    /// The form of each player's strategy.
    pub(super) wanted: &'a dyn Fn(Player) -> StrategyForm,
    pub(super) observer: &'a dyn Observer,
    pub(super) log: &'a mut Vec<String>,
    /// What is learned on the way.
    pub(super) progress: &'a mut Progress,
}

/// Decides a contract.
///
/// # Errors
/// The limit that ended the last attempt.
pub(super) fn solve_contract(question: SolveRequest<'_>) -> Result<EngineAnswer, Limit> {
    let SolveRequest { formulas, alphabet, contract, finite, options, wanted, observer, log, progress } =
        question;
    let structured = to_assume_guarantee(formulas, contract);
    let same_guarantees = structured == *contract;
    let contract = with_equal_atoms(formulas, &structured);
    // A guarantee in which an atom was replaced is the same only together with others.
    let kept_guarantees = same_guarantees && contract.guarantees == structured.guarantees;
    let (contract, fixed) = Fixed::by_polarity(formulas, alphabet, &contract);
    let nodes = usize::try_from(options.memory / NODE_BYTES / 2).unwrap_or(usize::MAX).min(MOST_NODES);
    let mut run =
        Portfolio { formulas, alphabet, contract, finite, options, observer, nodes, wanted, log, progress };
    let settled = match options.engine_in_use() {
        Engine::Bounded if options.bound.is_some() => run.bounded(u64::MAX),
        Engine::Bounded => run.rounds(),
        Engine::Symbolic => {
            run.symbolic(&run.contract.clone(), &run.budget(options.work.saturating_mul(ALONE)))
        }
        Engine::Explicit => run.explicit(&run.contract.clone(), options.work.saturating_mul(ALONE)),
        Engine::Auto => run.portfolio(),
    };
    if !kept_guarantees {
        run.progress.forget_guarantees();
    }
    let settled = settled?;
    let core = settled.core.filter(|_| same_guarantees);
    Ok(EngineAnswer { winner: fixed.complete(alphabet, settled.winner), core, ..settled })
}

/// A contract that is being decided, with the intermediate results.
struct PortfolioState {
    contract: Contract,
    /// The values of bits that the contract of the part no longer mentions.
    fixed: Fixed,
    /// The part of the whole contract, if it is one.
    part: Option<ContractPart>,
    /// The clauses chosen so far.
    clauses: ClauseChoice,
    /// For each behavior of idle inputs, the free inputs chosen so far.
    inputs: [Vec<BitId>; IdleInputs::ALL.len()],
    /// The automata of the contract, once they are compiled.
    compiled: Option<CompiledContract>,
    /// The winner, if it is known; its strategy may not be known yet.
    winner: Option<Player>,
    /// The result, if the system wins it.
    won: Option<EngineAnswer>,
}

impl PortfolioState {
    fn new(contract: Contract) -> Self {
        let (fixed, part) = (Fixed::default(), None);
        let (clauses, inputs) = (ClauseChoice::default(), Default::default());
        Self { contract, fixed, part, clauses, inputs, compiled: None, winner: None, won: None }
    }

    /// The guarantees of the whole contract from which those of the part come.
    fn origins(&self) -> impl Iterator<Item = usize> {
        self.part.iter().flat_map(|part| part.origins.iter().copied())
    }
}

/// A contract in parts; no goals if it is decided as a whole.
#[derive(Default)]
struct Split {
    goals: Vec<PortfolioState>,
    /// For each duty of a part that was lost, the outputs that it was joined with.
    more: MoreOutputs,
    exact: bool,
}

/// The result of a round for all parts.
enum PartsRound {
    Decided(EngineAnswer),
    /// The environment wins the contract of this part, which is stronger than the whole contract.
    Lost(ContractPart),
    Open,
}

/// The guarantees of the whole contract whose conjuncts are in several places of the parts.
fn split_guarantees(goals: &[PortfolioState]) -> Vec<usize> {
    let mut all: Vec<usize> = goals.iter().flat_map(PortfolioState::origins).collect();
    all.sort_unstable();
    all.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

/// The guarantees of the whole contract that those of a part are, without those that are split.
fn whole_guarantees(origins: &[usize], split: &[usize]) -> Vec<Option<usize>> {
    origins.iter().map(|origin| (!split.contains(origin)).then_some(*origin)).collect()
}

/// The guarantees of which all conjuncts are in parts that are won.
fn won_guarantees(goals: &[PortfolioState]) -> Vec<usize> {
    let (won, open): (Vec<&PortfolioState>, Vec<&PortfolioState>) =
        goals.iter().partition(|goal| goal.won.is_some());
    let open: Vec<usize> = open.into_iter().flat_map(PortfolioState::origins).collect();
    won.into_iter().flat_map(PortfolioState::origins).filter(|origin| !open.contains(origin)).collect()
}

impl Portfolio<'_> {
    /// Runs all engines in turns.
    fn portfolio(&mut self) -> Result<EngineAnswer, Limit> {
        let whole = self.contract.clone();
        let mut split = Split::default();
        self.decompose(&mut split, &whole);
        let mut all = PortfolioState::new(whole.clone());
        let mut last = Limit::new(LimitKind::Work, "the rounds of the engines");
        for round in 0..=self.options.rounds.saturating_mul(3) / 2 {
            let work = (self.options.work / PROBES).saturating_mul(1 << (2 * round.min(30)));
            if let Some(settled) = self.parts(&mut split, &whole, round, work, &mut last)? {
                return Ok(settled);
            }
            if !split.exact || split.goals.is_empty() {
                self.contract.clone_from(&whole);
                if let Some(settled) = self.round(round, work, &mut all, &mut last)? {
                    return Ok(settled);
                }
            }
        }
        Err(last)
    }

    /// Decomposes a contract; what is known about parts that stay as they were is kept.
    fn decompose(&mut self, split: &mut Split, whole: &Contract) {
        let Decomposed { parts, exact } = parts(self.formulas, self.alphabet, whole, &split.more);
        let mut before = std::mem::take(&mut split.goals);
        split.exact = exact;
        if parts.len() < 2 {
            return;
        }
        self.log.push(format!("parts: {} over disjoint outputs", parts.len()));
        for part in parts {
            let same = before.iter().position(|goal| goal.part.as_ref() == Some(&part));
            if let Some(same) = same {
                split.goals.push(before.swap_remove(same));
                continue;
            }
            let (contract, fixed) = Fixed::by_polarity(self.formulas, self.alphabet, &part.contract);
            split.goals.push(PortfolioState { fixed, part: Some(part), ..PortfolioState::new(contract) });
        }
    }

    /// Runs one round for every part that is not yet won; the whole contract is decided when all parts are won, or when
    /// one is lost. A part with fewer premises than the whole that is lost is joined with the parts that have them.
    fn parts(
        &mut self,
        split: &mut Split,
        whole: &Contract,
        round: u32,
        work: u64,
        last: &mut Limit,
    ) -> Result<Option<EngineAnswer>, Limit> {
        loop {
            let lost = match self.open_parts(split, whole, round, work, last)? {
                PartsRound::Decided(settled) => return Ok(Some(settled)),
                PartsRound::Open => return Ok(None),
                PartsRound::Lost(part) => part,
            };
            let Some(outputs) = related(self.formulas, self.alphabet, whole, &lost) else {
                split.goals.clear();
                return Ok(None);
            };
            for &duty in lost.contract.restrictions.iter().chain(&lost.contract.guarantees) {
                split.more.entry(duty).or_default().extend(&outputs);
            }
            self.decompose(split, whole);
        }
    }

    fn open_parts(
        &mut self,
        split: &mut Split,
        whole: &Contract,
        round: u32,
        work: u64,
        last: &mut Limit,
    ) -> Result<PartsRound, Limit> {
        let Split { goals, exact, .. } = split;
        let shared = split_guarantees(goals);
        for goal in goals.iter_mut().filter(|goal| goal.won.is_none()) {
            self.contract.clone_from(&goal.contract);
            self.progress.origins = goal.part.as_ref().map(|part| whole_guarantees(&part.origins, &shared));
            let settled = self.round(round, work, goal, last);
            self.progress.origins = None;
            let Some(mut settled) = settled? else { continue };
            settled.winner = goal.fixed.complete(self.alphabet, settled.winner);
            if settled.winner.player() == Player::System {
                goal.won = Some(settled);
                continue;
            }
            let origins = goal.part.iter().flat_map(|part| &part.origins);
            let core = settled.core.take();
            let kept = |i: usize| core.as_ref().is_none_or(|core| core.contains(&i));
            let mut core: Vec<usize> =
                origins.enumerate().filter(|&(i, _)| kept(i)).map(|(_, &origin)| origin).collect();
            core.dedup();
            let budget = self.budget(work);
            let Self { formulas, alphabet, .. } = self;
            let strategy = settled.winner.strategy(Target::Mealy);
            let claim = StrategyClaim { formulas, alphabet, contract: whole, strategy };
            if *exact || certify_in_turn(&claim, &budget).is_ok() {
                return Ok(PartsRound::Decided(EngineAnswer { core: exact.then_some(core), ..settled }));
            }
            // The contract of the part is stronger than the whole contract, so its counter-strategy need not win the
            // whole.
            return Ok(goal.part.take().map_or(PartsRound::Open, PartsRound::Lost));
        }
        if goals.is_empty() || goals.iter().any(|goal| goal.won.is_none()) {
            self.progress.parts = won_guarantees(goals);
            return Ok(PartsRound::Open);
        }
        self.compose(std::mem::take(goals)).map(PartsRound::Decided)
    }

    /// The parallel composition of the controllers of all parts.
    fn compose(&self, goals: Vec<PortfolioState>) -> Result<EngineAnswer, Limit> {
        let wanted = (self.wanted)(Player::System);
        let mut engines: Vec<SolvedBy> = Vec::new();
        let (mut machines, mut circuits) = (Vec::new(), Vec::new());
        for goal in goals {
            let (Some(EngineAnswer { winner, engine, .. }), Some(part)) = (goal.won, goal.part) else {
                continue;
            };
            engines.push(engine);
            match winner {
                WinningStrategy::System(StrategyRepr::Explicit(machine)) => {
                    machines.push((machine, part.outputs));
                }
                WinningStrategy::System(StrategyRepr::Circuit(circuit)) => {
                    circuits.push((circuit, part.outputs));
                }
                WinningStrategy::Environment(_) => {}
            }
        }
        engines.dedup();
        let engine = if let [engine] = engines[..] { engine } else { SolvedBy::Several };
        let most = match wanted {
            StrategyForm::Circuit => None,
            StrategyForm::Either | StrategyForm::PreferExplicit => Some(SMALL_PRODUCT),
            StrategyForm::Explicit => Some(LARGE_PRODUCT),
        };
        let explicit =
            most.filter(|_| circuits.is_empty()).and_then(|most| parallel_composition(&machines, most));
        let winner = match explicit {
            Some(machine) => WinningStrategy::System(StrategyRepr::Explicit(quotient_mealy(&machine))),
            None if wanted == StrategyForm::Explicit => {
                return Err(Limit::new(
                    LimitKind::Size,
                    "an explicit product of the controllers of all parts",
                ));
            }
            None => {
                let encoded =
                    |(machine, own): (Mealy, Vec<BitId>)| (circuit_of_mealy(self.alphabet, &machine), own);
                circuits.extend(machines.into_iter().map(encoded));
                WinningStrategy::circuit(Player::System, circuits_in_parallel(self.alphabet, &circuits))
            }
        };
        Ok(EngineAnswer { winner, engine, bound: None, core: None })
    }

    /// Runs one round of all engines on the contract.
    fn round(
        &mut self,
        round: u32,
        work: u64,
        goal: &mut PortfolioState,
        last: &mut Limit,
    ) -> Result<Option<EngineAnswer>, Limit> {
        // Over finite words a unit of work of the games takes longer and the bounded engine needs few of them.
        let most = if self.finite { FINITE_BOUNDED_SHARE } else { BOUNDED_SHARE };
        let shares: &[u64] = if round == 0 { &[1, most] } else { &[most] };
        for &share in shares {
            match self.bounded(work.saturating_mul(share)) {
                Ok(settled) if settled.winner.states().is_some_and(|n| n <= READABLE) => {
                    return Ok(Some(settled));
                }
                Ok(settled) => return Ok(Some(self.smaller(settled, work))),
                Err(limit) => *last = limit,
            }
            self.spent(work.saturating_mul(share));
            self.go_on()?;
            if share == 1
                && let Some(settled) = self.constant_inputs()
            {
                return Ok(Some(self.with_core(settled, goal, work)));
            }
            self.go_on()?;
        }
        let contract = self.contract.clone();
        let settled = self.games(&contract, work, goal);
        let mut parts_work = self.games_work(work);
        match settled {
            Ok(settled) => return Ok(Some(self.with_core(settled, goal, work))),
            Err(limit) => {
                self.log.push(format!("games of automata: {}", limit.what));
                if limit.kind == LimitKind::Size {
                    parts_work = parts_work.saturating_mul(LARGE_SHARE);
                }
            }
        }
        self.spent(self.games_work(work));
        self.go_on()?;
        if self.contract.guarantees.len().max(self.contract.assumptions.len()) > 1
            && let Some(settled) = self.fewer(&mut goal.clauses, parts_work)
        {
            return Ok(Some(settled));
        }
        self.spent(parts_work);
        self.go_on()?;
        // If the system wins, no attack succeeds.
        let attacks: &[IdleInputs] = if goal.winner == Some(Player::System) { &[] } else { &IdleInputs::ALL };
        for (&idle, inputs) in attacks.iter().zip(&mut goal.inputs) {
            if let Some(settled) = self.few_inputs(idle, inputs, self.games_work(work) / idle.share()) {
                return Ok(Some(settled));
            }
            self.spent(self.games_work(work) / idle.share());
            self.go_on()?;
        }
        Ok(None)
    }

    /// Counts the work that an attempt without an answer was allowed.
    fn spent(&mut self, work: u64) {
        self.progress.effort = self.progress.effort.saturating_add(work);
    }

    /// Tries to replace a large counter-strategy, or one against many guarantees (which are checked together), by one
    /// against few guarantees, which may be smaller and faster to certify.
    fn with_core(&mut self, settled: EngineAnswer, goal: &mut PortfolioState, work: u64) -> EngineAnswer {
        let large = settled.winner.states().is_none() || self.contract.guarantees.len() > MANY;
        if settled.winner.player() == Player::System
            || !large
            || (self.wanted)(Player::Environment) == StrategyForm::Circuit
            || self.contract.guarantees.len() < 2
        {
            return settled;
        }
        match self.fewer(&mut goal.clauses, symbolic_work(work)) {
            Some(smaller) if smaller.core.is_some() => smaller,
            _ => settled,
        }
    }

    /// A large machine takes long to certify: the symbolic engine may find a smaller one.
    fn smaller(&mut self, settled: EngineAnswer, work: u64) -> EngineAnswer {
        let contract = self.contract.clone();
        match self.symbolic(&contract, &self.budget(symbolic_work(work))) {
            Ok(other) if other.winner.states().is_some_and(|few| Some(few) < settled.winner.states()) => {
                other
            }
            _ => settled,
        }
    }

    /// Solves the game of the automata explicitly, and then symbolically unless the explicit game has a small strategy.
    /// Compiles the automata unless this was done before.
    fn games(
        &mut self,
        contract: &Contract,
        work: u64,
        goal: &mut PortfolioState,
    ) -> Result<EngineAnswer, Limit> {
        let compiled = match &mut goal.compiled {
            Some(compiled) => compiled,
            none => none.insert(self.compiled(contract, self.games_work(work))?),
        };
        let most = self.explicit_work(work);
        if goal.winner.is_some_and(|winner| wants_explicit((self.wanted)(winner))) {
            // The symbolic engine knows the winner, but its strategy is too large to be explicit.
            let most = most.saturating_mul(KNOWN_WINNER);
            return self.explicit_game(compiled, most, most / GROWING_SHARE);
        }
        let explicit = self.explicit_game(compiled, most, most / GROWING_SHARE);
        let readable = if (self.wanted)(Player::System) == StrategyForm::Circuit { READABLE } else { EASY };
        if let Ok(settled) = &explicit
            && settled.winner.states().is_some_and(|n| n <= readable)
        {
            return explicit;
        }
        self.go_on()?;
        let settled = self.symbolic_turn(compiled, work, &mut goal.winner);
        settled.or_else(|limit| explicit.map_err(|_| limit))
    }

    /// The explicit engine's share of the work of a round.
    fn explicit_work(&self, work: u64) -> u64 {
        work.saturating_mul(EXPLICIT_SHARE) / if self.finite { FINITE_EXPLICIT } else { 1 }
    }

    /// Solves a game symbolically. If an explicit strategy is preferred or required and the symbolic one is not small,
    /// the explicit engine runs with more work than in its own turn, since the winner is known. If it fails, the
    /// result is a circuit where that is allowed, and else the symbolic strategy is explored position by position,
    /// which may take long.
    fn symbolic_turn(
        &mut self,
        compiled: &CompiledContract,
        work: u64,
        known: &mut Option<Player>,
    ) -> Result<EngineAnswer, Limit> {
        let wanted = self.wanted;
        let either = |player| match wanted(player) {
            form if wants_explicit(form) => StrategyForm::Either,
            form => form,
        };
        let settled = self.symbolic_with_more(compiled, work, &either, known)?;
        let form = wanted(settled.winner.player());
        if settled.winner.states().is_some() || !wants_explicit(form) {
            return Ok(settled);
        }
        let is_large = settled.winner.player() == Player::Environment
            && is_large_opponent(self.alphabet, compiled.determined);
        if form == StrategyForm::PreferExplicit && is_large {
            return Ok(settled);
        }
        self.go_on()?;
        let most = self.explicit_work(work).saturating_mul(KNOWN_WINNER);
        match self.explicit_game(compiled, most, most / GROWING_SHARE) {
            Ok(explicit) => Ok(explicit),
            Err(_) if form == StrategyForm::PreferExplicit => Ok(settled),
            Err(_) => {
                self.go_on()?;
                self.symbolic_with_more(compiled, work, wanted, known)
            }
        }
    }

    /// Solves a game symbolically; if the system wins, its strategy gets the work of the next round, too.
    fn symbolic_with_more(
        &mut self,
        compiled: &CompiledContract,
        work: u64,
        wanted: &dyn Fn(Player) -> StrategyForm,
        known: &mut Option<Player>,
    ) -> Result<EngineAnswer, Limit> {
        let budget = self.budget(self.games_work(work));
        let winner = Cell::new(None);
        let more = self.games_work(work).saturating_mul(STRATEGY_SHARE);
        let granting = |player| {
            // If the environment wins, a part of the contract with a smaller strategy may suffice.
            if winner.replace(Some(player)).is_none() && player == Player::System {
                budget.grant(more);
            }
            wanted(player)
        };
        let settled = self.symbolic_game(compiled, &granting, &budget);
        *known = winner.get().or(*known);
        settled
    }

    /// Runs the bounded engine in rounds with increasing work.
    fn rounds(&mut self) -> Result<EngineAnswer, Limit> {
        let mut last = Limit::new(LimitKind::Work, "the rounds of the bounded engine");
        let mut chosen = ClauseChoice::default();
        for round in 0..self.options.rounds {
            let work = self.options.work.saturating_mul(1 << (3 * round.min(20)));
            match self.bounded(work) {
                Ok(settled) => return Ok(settled),
                Err(limit) => last = limit,
            }
            self.go_on()?;
            if self.contract.assumptions.len() < 2 {
                continue;
            }
            if let Some(settled) = self.fewer(&mut chosen, symbolic_work(work)) {
                return Ok(settled);
            }
            self.go_on()?;
        }
        Err(last)
    }
}

fn wants_explicit(form: StrategyForm) -> bool {
    matches!(form, StrategyForm::Explicit | StrategyForm::PreferExplicit)
}

/// If there are no assumptions, and a guarantee `p1 | … | pn | (g1 & …)` is the only one, or the only one that is not a
/// safety property, it is replaced by the guarantees g under the assumptions ¬p, and the other guarantees become
/// restrictions: an equivalent contract with more structure.
pub(super) fn to_assume_guarantee(formulas: &mut Formulas, contract: &Contract) -> Contract {
    if !contract.assumptions.is_empty() {
        return contract.clone();
    }
    let mut normalizer = Normalizer::new();
    let open = |f: &FormulaId| contract.guarantees.len() == 1 || !normalizer.is_safety(formulas, *f);
    let (open, kept): (Vec<FormulaId>, Vec<FormulaId>) = contract.guarantees.iter().copied().partition(open);
    let [guarantee] = open[..] else { return contract.clone() };
    let Node::Or(parts) = formulas.node(guarantee).clone() else { return contract.clone() };
    let mut conclusions: Vec<_> =
        parts.iter().copied().filter(|&f| !matches!(formulas.node(f), Node::Not(_))).collect();
    let conclusion = match conclusions.iter().position(|&f| matches!(formulas.node(f), Node::And(_))) {
        Some(i) => conclusions.swap_remove(i),
        None => match conclusions.pop() {
            Some(f) => f,
            None => parts[0],
        },
    };
    let mut assumptions = Vec::new();
    for &premise in parts.iter().filter(|&&f| f != conclusion) {
        let negated = formulas.not(premise);
        match formulas.node(negated) {
            Node::And(fs) => assumptions.extend_from_slice(fs),
            _ => assumptions.push(negated),
        }
    }
    let guarantees = match formulas.node(conclusion) {
        Node::And(fs) => fs.to_vec(),
        _ => vec![conclusion],
    };
    let restrictions = [&contract.restrictions[..], &kept].concat();
    Contract { restrictions, assumptions, guarantees, ..contract.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Budget;
    use tsl_synth_core::model::Silent;
    use tsl_synth_kernel::CertifyError;

    /// The environment freezes its inputs at different values, or controls one that the system has to guess.
    #[test]
    fn frozen_inputs_defeat_the_system() -> Result<(), CertifyError> {
        let mut alphabet = Alphabet::new();
        let (a, b) = (alphabet.add_input("a"), alphabet.add_input("b"));
        let g = alphabet.add_output("g");
        let mut formulas = Formulas::new();
        let [a, b, g] = [a, b, g].map(|atom| formulas.atom(atom));
        let [not_a, not_b, not_g] = [a, b, g].map(|f| formulas.not(f));
        let low = formulas.and([not_a, not_b]);
        let differ = formulas.and([a, not_b]);
        let both = [g, not_g].map(|f| {
            let duty = formulas.implies(differ, f);
            formulas.globally(duty)
        });
        let (later, present) = (formulas.next(a), g);
        let guess = formulas.iff(present, later);
        let guess = formulas.globally(guess);
        let guess = formulas.next(guess);
        for (guarantees, played) in [(both.to_vec(), 0), (vec![guess], 1)] {
            let contract = Contract { assumptions: vec![low], guarantees, ..Contract::default() };
            let mut log = Vec::new();
            let mut settler = Portfolio {
                formulas: &mut formulas,
                alphabet: &alphabet,
                contract: contract.clone(),
                finite: false,
                options: &SolverOptions { threads: 1, ..SolverOptions::default() },
                observer: &Silent,
                nodes: 1 << 16,
                wanted: &|_| StrategyForm::Either,
                log: &mut log,
                progress: &mut Progress::default(),
            };
            let mut chosen = Vec::new();
            let settled = settler.few_inputs(IdleInputs::Frozen, &mut chosen, 1 << 20).expect("an answer");
            assert_eq!((settled.winner.player(), chosen.len()), (Player::Environment, played), "{log:?}");
            let budget = Budget::unlimited();
            let strategy = settled.winner.strategy(Target::Mealy);
            let claim =
                StrategyClaim { formulas: &formulas, alphabet: &alphabet, contract: &contract, strategy };
            certify_in_turn(&claim, &budget)?;
        }
        Ok(())
    }
}
