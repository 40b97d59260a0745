//! The emptiness questions of a contract, clause by clause, and the refinement that asks each of them with as
//! few conjuncts as suffice.

use super::cases::Cases;
use super::conditions::{Conditions, Context, is_cheap};
use super::fair_component::{Condition, fair_play};
use super::fair_product::{Asked, explore};
use super::mixed::Mixed;
use super::normal::NormalForms;
use super::plays::Plays;
use super::product::{Effort, search, shortened};
use super::residuals::Residuals;
use super::symbolic::{circuit_of_counter, circuit_of_mealy};
use super::windows::Windows;
use super::{Certified, CertifyError, Violation};
use crate::base::{Budget, Limit};
use crate::logic::{Alphabet, FormulaId, Formulas, Lasso, Meaning, Player};
use crate::model::{Contract, CounterStrategy, Mealy, Role};
use std::cell::LazyCell;

/// Certifies that a machine is a controller for the contract: total on inputs, deterministic, one update per
/// cell and step, and every play keeps the contract.
///
/// # Errors
/// [`CertifyError`]: malformed, refuted by a play, or a limit of the budget.
pub fn certify_mealy(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    machine: &Mealy,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let plays = Plays::of_mealy(alphabet, machine, budget)?;
    let cases = &Cases::new(formulas, contract);
    let formulas = &cases.formulas;
    let circuit = LazyCell::new(|| circuit_of_mealy(alphabet, machine));
    let explicit = Explicit::new(formulas, alphabet, plays, Effort::First, budget);
    let search = Mixed::new(explicit, Player::System, &circuit, budget);
    Checker::new(cases, alphabet, search).controller(contract)
}

/// Certifies that a machine of the environment defeats every controller: total on outputs, deterministic, blind
/// to the present output, and every play breaks the contract (and keeps the facts).
///
/// # Errors
/// [`CertifyError`]: malformed, refuted by a play, or a limit of the budget.
pub fn certify_counter(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    machine: &CounterStrategy,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let plays = Plays::of_counter(alphabet, machine, budget)?;
    let cases = &Cases::new(formulas, contract);
    let formulas = &cases.formulas;
    let circuit = LazyCell::new(|| circuit_of_counter(alphabet, machine));
    let explicit = Explicit::new(formulas, alphabet, plays, Effort::First, budget);
    let search = Mixed::new(explicit, Player::Environment, &circuit, budget);
    Checker::new(cases, alphabet, search).counter(contract)
}

/// A short play of the machine that breaks the contract, for a person to read; `None` when there is none.
/// Explores whole products, so it costs more than [`certify_mealy`] on a wrong machine.
///
/// # Errors
/// [`CertifyError::Malformed`] or [`CertifyError::Limit`].
pub fn find_violation_of_mealy(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    machine: &Mealy,
    budget: &Budget,
) -> Result<Option<Violation>, CertifyError> {
    let plays = Plays::of_mealy(alphabet, machine, budget)?;
    let cases = &Cases::new(formulas, contract);
    let formulas = &cases.formulas;
    let search = Explicit::new(formulas, alphabet, plays, Effort::Shortest, budget);
    violation(Checker::new(cases, alphabet, search).controller(contract))
}

/// A short play against the counter-strategy that keeps the contract (or breaks a fact); `None` when there is
/// none.
///
/// # Errors
/// [`CertifyError::Malformed`] or [`CertifyError::Limit`].
pub fn find_violation_of_counter(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    machine: &CounterStrategy,
    budget: &Budget,
) -> Result<Option<Violation>, CertifyError> {
    let plays = Plays::of_counter(alphabet, machine, budget)?;
    let cases = &Cases::new(formulas, contract);
    let formulas = &cases.formulas;
    let search = Explicit::new(formulas, alphabet, plays, Effort::Shortest, budget);
    violation(Checker::new(cases, alphabet, search).counter(contract))
}

fn violation(result: Result<Certified, CertifyError>) -> Result<Option<Violation>, CertifyError> {
    match result {
        Ok(_) => Ok(None),
        Err(CertifyError::Violated(violation)) => Ok(Some(violation)),
        Err(error) => Err(error),
    }
}

/// A formula or its negation.
pub(super) type Literal = (FormulaId, bool);

/// Answers emptiness questions about the plays of one strategy.
pub(super) trait Search {
    /// A play that satisfies all conjuncts, if there is one. Counts what it did.
    fn find(&mut self, conjuncts: &[Literal], done: &mut Certified) -> Result<Option<Lasso>, Limit>;
    /// Plays that break one of these are of no use: the next answers may look at any of them as well.
    fn may_assume(&mut self, _pool: &[Literal]) {}
}

/// Asks the questions of a contract.
pub(super) struct Checker<'a, S> {
    cases: &'a Cases,
    alphabet: &'a Alphabet,
    search: S,
    done: Certified,
}

impl<'a, S: Search> Checker<'a, S> {
    /// A checker of the contract whose cases these are.
    pub(super) fn new(cases: &'a Cases, alphabet: &'a Alphabet, search: S) -> Self {
        Self { cases, alphabet, search, done: Certified::default() }
    }

    /// The strategy is a controller.
    pub(super) fn controller(&mut self, contract: &Contract) -> Result<Certified, CertifyError> {
        let mut expected = self.conjuncts(&contract.facts);
        self.keeps(Role::Restriction, &contract.restrictions, &expected)?;
        expected.extend(self.conjuncts(&contract.assumptions));
        self.keeps(Role::Guarantee, &contract.guarantees, &expected)?;
        Ok(self.done)
    }

    /// The strategy defeats every controller.
    pub(super) fn counter(&mut self, contract: &Contract) -> Result<Certified, CertifyError> {
        self.keeps(Role::Fact, &contract.facts, &[])?;
        let mut kept = self.conjuncts(&contract.restrictions);
        self.keeps(Role::Assumption, &contract.assumptions, &kept)?;
        kept.extend(self.conjuncts(&contract.guarantees));
        self.refute(Role::Guarantee, None, &[(self.cases.formulas.top(), true)], &kept)?;
        Ok(self.done)
    }

    /// Every play that satisfies all of `pool` keeps the clauses.
    fn keeps(&mut self, role: Role, clauses: &[FormulaId], pool: &[Literal]) -> Result<(), CertifyError> {
        let cases = self.cases;
        for (i, &clause) in clauses.iter().enumerate() {
            for case in cases.negated(clause) {
                self.refute(role, Some(i), case, pool)?;
            }
        }
        Ok(())
    }

    /// Shows that no play satisfies `claim` and all of `pool`.
    fn refute(
        &mut self,
        role: Role,
        clause: Option<usize>,
        claim: &[Literal],
        pool: &[Literal],
    ) -> Result<(), CertifyError> {
        // What the claim itself merely adds to its core, as the premises of a negated implication, waits too.
        let (mut pool, mut used): (Vec<Literal>, Vec<Literal>) = (pool.to_vec(), Vec::new());
        for &part in claim {
            if part.1 { pool.push(part) } else { used.push(part) }
        }
        if used.is_empty() {
            used = claim.to_vec();
            pool.truncate(pool.len() - used.len());
        }
        let formulas = &self.cases.formulas;
        loop {
            self.search.may_assume(&pool);
            let Some(play) = self.search.find(&used, &mut self.done)? else { return Ok(()) };
            let mut meaning = Meaning::new(formulas, self.alphabet, &play);
            debug_assert!(used.iter().all(|&(f, value)| meaning.holds(f) == value), "a play of the tableau");
            let broken = pool
                .iter()
                .enumerate()
                .filter(|&(_, &(f, value))| meaning.holds(f) != value)
                .min_by_key(|(_, (f, _))| formulas.size(*f))
                .map(|(i, _)| i);
            let Some(broken) = broken else {
                return Err(CertifyError::Violated(Violation { role, clause, play }));
            };
            used.push(pool.swap_remove(broken));
        }
    }

    fn conjuncts(&self, clauses: &[FormulaId]) -> Vec<Literal> {
        clauses.iter().flat_map(|&clause| self.cases.conjuncts(clause)).copied().collect()
    }
}

/// How questions about an explicit machine are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By its product with a tableau, made on the way.
    Tableau,
    /// By its product with deterministic conditions and a tableau for the rest.
    Conditions,
}

/// Answers questions about an explicit machine.
pub(super) struct Explicit<'a> {
    pub(super) formulas: &'a Formulas,
    pub(super) alphabet: &'a Alphabet,
    plays: Plays,
    budget: Budget,
    effort: Effort,
    way: Way,
    /// Further conjuncts that cost little as conditions.
    pool: Vec<Literal>,
}

impl<'a> Explicit<'a> {
    /// Asks about these plays, with a tableau.
    fn new(
        formulas: &'a Formulas,
        alphabet: &'a Alphabet,
        plays: Plays,
        effort: Effort,
        budget: &Budget,
    ) -> Self {
        let budget = budget.clone();
        Self { formulas, alphabet, plays, budget, effort, way: Way::Tableau, pool: Vec::new() }
    }
    /// Obeys another budget from now on and answers in this way.
    pub(super) fn obey(&mut self, budget: &Budget, way: Way) {
        self.budget = budget.clone();
        self.way = way;
    }
    /// Remembers which conjuncts of a pool cost little.
    pub(super) fn consider(&mut self, pool: &[Literal]) {
        let formulas = self.formulas;
        let cheap = |&literal: &Literal| is_window(formulas, literal) || is_cheap(formulas, literal);
        self.pool = pool.iter().copied().filter(cheap).collect();
    }

    fn by_tableau(&mut self, conjuncts: &[Literal], done: &mut Certified) -> Result<Option<Lasso>, Limit> {
        let mut forms = NormalForms::default();
        let mut roots = Vec::new();
        for &literal in conjuncts {
            let guards = &mut self.plays.guards;
            roots.push(forms.add(self.formulas, self.alphabet, guards, literal, &self.budget)?);
        }
        let found = search(&mut self.plays, &mut forms, &roots, self.effort, &self.budget)?;
        done.product_states += found.states;
        Ok(found.play)
    }

    fn by_conditions(&mut self, conjuncts: &[Literal], done: &mut Certified) -> Result<Option<Lasso>, Limit> {
        let (formulas, alphabet, budget) = (self.formulas, self.alphabet, &self.budget);
        let (mut forms, mut residuals) = (NormalForms::default(), Residuals::default());
        let guards = &mut self.plays.guards;
        let mut c =
            Context { formulas, alphabet, guards, forms: &mut forms, residuals: &mut residuals, budget };
        let all = conjuncts.iter().chain(&self.pool).copied();
        let (relations, rest): (Vec<Literal>, Vec<Literal>) =
            all.partition(|&literal| is_window(formulas, literal));
        let mut conditions = Conditions::default();
        let others = conditions.take(rest.into_iter(), &mut c)?;
        let mut relations = relations.into_iter().map(|f| c.normal(f)).collect::<Result<Vec<_>, _>>()?;
        let mut others = others.into_iter().map(|f| c.normal(f)).collect::<Result<Vec<_>, _>>()?;
        let windows =
            Windows::among(&mut relations, &forms, &mut self.plays.guards, alphabet.bit_count(), budget)?;
        // What only looked like one.
        others.extend(relations);
        let asked = Asked { windows: &windows, conditions: &conditions, others: &others };
        let (graph, kept) = explore(&mut self.plays, &forms, &mut residuals, &asked, budget)?;
        done.product_states += graph.edges.len() as u64;
        let condition = Condition { clauses: &conditions.clauses, goals: forms.goal_count(), kept: &kept };
        let play = fair_play(&graph, &mut self.plays.guards, &condition, budget)?;
        Ok(play.map(shortened))
    }
}

/// Whether a conjunct says how each letter is related to the next one.
fn is_window(formulas: &Formulas, (f, value): Literal) -> bool {
    value && formulas.is_windowed(f) && formulas.next_depth(f) == 1
}

impl Search for Explicit<'_> {
    fn find(&mut self, conjuncts: &[Literal], done: &mut Certified) -> Result<Option<Lasso>, Limit> {
        let found = match self.way {
            Way::Tableau => self.by_tableau(conjuncts, done),
            Way::Conditions => self.by_conditions(conjuncts, done),
        };
        done.searches += 1;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Id, IdVec, Random};
    use crate::logic::{Guards, Letter};
    use crate::model::{MealyEdge, MealyState, StateId};

    /// A Boolean formula over atoms and what they are in the next step.
    fn window(formulas: &mut Formulas, atoms: &[FormulaId], random: &mut Random, depth: usize) -> FormulaId {
        if depth == 0 {
            let atom = atoms[random.below(atoms.len())];
            let now = if random.flip() { formulas.not(atom) } else { atom };
            return if random.flip() { formulas.next(now) } else { now };
        }
        let parts = [0; 2].map(|_| window(formulas, atoms, random, depth - 1));
        match random.below(4) {
            0 => formulas.and(parts),
            1 => formulas.next(parts[0]),
            _ => formulas.or(parts),
        }
    }

    /// A formula over atoms, of any kind.
    fn formula(formulas: &mut Formulas, atoms: &[FormulaId], random: &mut Random, depth: usize) -> FormulaId {
        if depth == 0 {
            let atom = atoms[random.below(atoms.len())];
            return if random.flip() { formulas.not(atom) } else { atom };
        }
        let [a, b] = [0; 2].map(|_| formula(formulas, atoms, random, depth - 1));
        match random.below(11) {
            0 => formulas.and([a, b]),
            1 | 2 => formulas.or([a, b]),
            3 => formulas.iff(a, b),
            4 => formulas.next(a),
            5 => formulas.finally(a),
            6 => formulas.globally(a),
            7 => formulas.until(a, b),
            8 => formulas.release(a, b),
            9 => {
                let (a, b) = (formulas.finally(a), formulas.finally(b));
                let (a, b) = (formulas.globally(a), formulas.globally(b));
                formulas.implies(a, b)
            }
            _ => {
                let a = formulas.globally(a);
                formulas.finally(a)
            }
        }
    }

    #[test]
    fn conditions_say_what_their_formulas_say() {
        let mut random = Random::new(20_261_121);
        let mut found = [0; 2];
        for round in 0..600 {
            let mut alphabet = Alphabet::new();
            let atoms = [alphabet.add_input("a"), alphabet.add_input("b"), alphabet.add_output("c")];
            let bits: Vec<_> = alphabet.bits_of(Player::Environment).collect();
            let output = alphabet.bits_of(Player::System).next().expect("c has a bit");
            let mut formulas = Formulas::new();
            let atoms = atoms.map(|atom| formulas.atom(atom));
            let mut guards = Guards::new();
            let mut edge = |when: bool, random: &mut Random| MealyEdge {
                guard: guards.literal(bits[0], when),
                output: (random.flip()).then_some(output).into_iter().collect::<Letter>(),
                next: StateId::from_index(random.below(3)),
            };
            let mut states = IdVec::new();
            for _ in 0..3 {
                let edges = vec![edge(false, &mut random), edge(true, &mut random)];
                states.push(MealyState { edges });
            }
            let machine = Mealy { guards, states, initial: StateId::from_index(0) };
            let mut conjuncts = Vec::new();
            for _ in 0..=random.below(4) {
                if round % 2 == 0 {
                    let body = window(&mut formulas, &atoms, &mut random, 2);
                    conjuncts.push((formulas.globally(body), true));
                } else {
                    conjuncts.push((formula(&mut formulas, &atoms, &mut random, 3), random.flip()));
                }
            }
            let goal = formula(&mut formulas, &atoms, &mut random, 1);
            let goal = formulas.finally(goal);
            conjuncts.push((formulas.globally(goal), random.flip()));
            let answer = |way: Way| {
                let budget = Budget::unlimited();
                let plays = Plays::of_mealy(&alphabet, &machine, &budget).expect("a machine");
                let mut explicit = Explicit::new(&formulas, &alphabet, plays, Effort::First, &budget);
                explicit.obey(&budget, way);
                explicit.find(&conjuncts, &mut Certified::default()).expect("there is no limit")
            };
            let (guessed, determined) = (answer(Way::Tableau), answer(Way::Conditions));
            assert_eq!(guessed.is_some(), determined.is_some(), "{round}");
            for play in [&guessed, &determined].into_iter().flatten() {
                let mut meaning = Meaning::new(&formulas, &alphabet, play);
                assert!(conjuncts.iter().all(|&(f, value)| meaning.holds(f) == value), "{round}");
            }
            found[usize::from(determined.is_some())] += 1;
        }
        assert!(found.iter().all(|&n| n > 60), "{found:?}");
    }
}
