//! Emptiness questions about an explicit machine: on its product with a tableau, or with deterministic conditions and a
//! tableau for the rest.

use super::components::{Fairness, fair_play};
use super::couvreur::{ProductEmptiness, SearchExtent, search, shortened};
use crate::base::{Budget, Limit};
use crate::certify::Certified;
use crate::certify::kernel::checker::PlaySearch;
use crate::certify::kernel::condition_product::ConditionProduct;
use crate::certify::kernel::conditions::is_cheap;
use crate::certify::kernel::normal::{NormalForms, SignedFormula};
use crate::certify::kernel::plays::Plays;
use crate::certify::kernel::product::TableauProduct;
use crate::certify::kernel::windows::is_window;
use crate::certify::kernel::{Emptiness, NoPlay};
use crate::logic::{Alphabet, Formulas};

/// How questions about an explicit machine are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::certify) enum ProductKind {
    /// By its product with a tableau, made on the way.
    Tableau,
    /// By its product with deterministic conditions and a tableau for the rest.
    Conditions,
}

/// Answers questions about an explicit machine.
pub(in crate::certify) struct Explicit<'a> {
    pub(super) formulas: &'a Formulas,
    pub(super) alphabet: &'a Alphabet,
    plays: Plays,
    budget: Budget,
    effort: SearchExtent,
    way: ProductKind,
    /// Further conjuncts that cost little as conditions.
    pool: Vec<SignedFormula>,
}

impl<'a> Explicit<'a> {
    /// Asks about these plays, with a tableau.
    pub(in crate::certify) fn new(
        formulas: &'a Formulas,
        alphabet: &'a Alphabet,
        plays: Plays,
        effort: SearchExtent,
        budget: &Budget,
    ) -> Self {
        let budget = budget.clone();
        Self { formulas, alphabet, plays, budget, effort, way: ProductKind::Tableau, pool: Vec::new() }
    }
    /// Obeys another budget from now on and answers in this way.
    pub(in crate::certify) fn obey(&mut self, budget: &Budget, way: ProductKind) {
        self.budget = budget.clone();
        self.way = way;
    }
    /// Remembers which conjuncts of a pool cost little.
    pub(super) fn consider(&mut self, pool: &[SignedFormula]) {
        let formulas = self.formulas;
        let cheap = |&literal: &SignedFormula| is_window(formulas, literal) || is_cheap(formulas, literal);
        self.pool = pool.iter().copied().filter(cheap).collect();
    }

    fn by_tableau(&mut self, conjuncts: &[SignedFormula], done: &mut Certified) -> Result<Emptiness, Limit> {
        let (mut forms, context) = (NormalForms::default(), (self.formulas, self.alphabet));
        let mut product =
            TableauProduct::of_literals(&mut self.plays, &mut forms, context, conjuncts, &self.budget)?;
        let found = search(&mut product, self.effort)?;
        done.product_states += product.len() as u64;
        Ok(match found {
            ProductEmptiness::Play(play) => Emptiness::Play(play),
            ProductEmptiness::Nothing(shown) => shown_by_search(shown),
        })
    }

    fn by_conditions(
        &mut self,
        conjuncts: &[SignedFormula],
        done: &mut Certified,
    ) -> Result<Emptiness, Limit> {
        let (plays, budget, context) = (&mut self.plays, &self.budget, (self.formulas, self.alphabet));
        let all = [conjuncts, &self.pool].concat();
        let product = ConditionProduct::new(plays, context, all, budget)?;
        done.product_states += product.graph().edges.len() as u64;
        let guards = &mut plays.guards;
        Ok(match fair_play(product.graph(), guards, product.condition(), budget)? {
            Fairness::Play(play) => Emptiness::Play(shortened(play)),
            Fairness::Nothing(shown) => shown_by_search(product.no_play(&shown, guards, budget)?),
        })
    }
}

/// What a search found must convince the kernel.
fn shown_by_search(shown: Option<NoPlay>) -> Emptiness {
    Emptiness::NoPlay(shown.expect("the components show that there is no play"))
}

impl PlaySearch for Explicit<'_> {
    fn find(&mut self, conjuncts: &[SignedFormula], done: &mut Certified) -> Result<Emptiness, Limit> {
        let found = match self.way {
            ProductKind::Tableau => self.by_tableau(conjuncts, done),
            ProductKind::Conditions => self.by_conditions(conjuncts, done),
        };
        done.searches += 1;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Id, IdVec, Random};
    use crate::logic::{FormulaId, Guards, LassoSemantics, Letter, Player};
    use crate::model::{Mealy, MealyEdge, MealyState, StateId};

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
            let answer = |way: ProductKind| {
                let budget = Budget::unlimited();
                let plays = Plays::of_mealy(&alphabet, &machine, &budget).expect("a machine");
                let mut explicit = Explicit::new(&formulas, &alphabet, plays, SearchExtent::First, &budget);
                explicit.obey(&budget, way);
                let found = explicit.find(&conjuncts, &mut Certified::default()).expect("there is no limit");
                if let Emptiness::Play(play) = found { Some(play) } else { None }
            };
            let (guessed, determined) = (answer(ProductKind::Tableau), answer(ProductKind::Conditions));
            assert_eq!(guessed.is_some(), determined.is_some(), "{round}");
            for play in [&guessed, &determined].into_iter().flatten() {
                let mut meaning = LassoSemantics::new(&formulas, &alphabet, play);
                assert!(conjuncts.iter().all(|&(f, value)| meaning.holds(f) == value), "{round}");
            }
            found[usize::from(determined.is_some())] += 1;
        }
        assert!(found.iter().all(|&n| n > 60), "{found:?}");
    }
}
