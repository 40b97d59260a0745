//! Comparison of two specifications: whether every word that one allows satisfies the other. For each clause of the
//! other one, the language of the words that the first allows and on which the clause fails is tested for emptiness.
//!
//! The test starts with the automaton of the negated clause (`ltl_to_buchi`) and adds a conjunct when a word is found
//! that violates it, so that conjuncts that are not needed cost nothing. A word that is found is checked against all
//! formulas by the lasso semantics. Emptiness is certified: the certifier, whose tableaux share no algorithm with these
//! automata, proves that the machine that reads every letter and answers nothing satisfies the clause on all of its
//! plays.

use super::cause::shortest_lasso;
use super::tuning::{DIFFERENCE_STATES, DIFFERENCE_WORK};
use tsl_synth_automata::{ParityArrow, accepting_loop, ltl_to_buchi};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Guard, Guards, Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::{Buchi, Contract, Mealy, MealyEdge, MealyState, StateId};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify, find_violation};
use tsl_synth_lang::spec::{ClauseId, JointSide, JointSpec, TracedFormula};

/// A word that one specification allows and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinguishing {
    /// The word, over the joint alphabet.
    pub word: Lasso,
    /// The clause of the other specification that fails on it; `None` where a cell gets an update that the other one
    /// does not have.
    pub clause: Option<ClauseId>,
}

/// What is known about the words of one specification that the other one does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OneWay {
    /// There are none, by two independent translations.
    None,
    /// There is one.
    Word(Box<Distinguishing>),
    /// A limit was reached.
    Unknown(Limit),
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct LanguageComparison {
    /// The words that the first allows and the second does not, and the other way round.
    pub ways: [OneWay; 2],
    /// Emptiness questions that were answered and certified.
    pub questions: u64,
}

impl LanguageComparison {}

/// Compares two specifications.
///
/// # Errors
/// A message, if the two translations or the lasso semantics disagree: a defect of this program.
pub fn compare(joint: &mut JointSpec, budget: &Budget) -> Result<LanguageComparison, String> {
    let mut questions = 0;
    let mut ways = Vec::new();
    for from in 0..2 {
        ways.push(match one_way(joint, from, &mut questions, budget) {
            Ok(None) => OneWay::None,
            Ok(Some(found)) => OneWay::Word(Box::new(found)),
            Err(CertifyError::Limit(limit)) => OneWay::Unknown(limit),
            Err(error) => return Err(error.to_string()),
        });
    }
    let [second, first] = [ways.pop(), ways.pop()].map(|way| way.unwrap_or(OneWay::None));
    Ok(LanguageComparison { ways: [first, second], questions })
}

/// A word that side `from` allows and the other side does not.
fn one_way(
    joint: &mut JointSpec,
    from: usize,
    questions: &mut u64,
    budget: &Budget,
) -> Result<Option<Distinguishing>, CertifyError> {
    let [one, other] = [joint.sides[from].clone(), joint.sides[1 - from].clone()];
    // The conjuncts of `one` if the assumptions of `other` hold, and if they may fail.
    let kept = allowed(&mut joint.formulas, &joint.facts, &one, &other.assumptions);
    let always = allowed(&mut joint.formulas, &joint.facts, &one, &[]);
    let known = |kept: &[FormulaId], asked: &TracedFormula| kept.contains(&asked.0);
    let musts = other.always.iter().filter(|asked| !known(&always, asked)).map(|&asked| (asked, false));
    let goals = other.guarantees.iter().filter(|asked| !known(&kept, asked)).map(|&asked| (asked, true));
    let mut best: Option<Distinguishing> = None;
    let mut limit = None;
    for ((formula, clause), assumed) in musts.chain(goals).collect::<Vec<_>>() {
        let mut conjuncts = if assumed { kept.clone() } else { always.clone() };
        if assumed {
            conjuncts.extend(&other.assumptions);
        }
        let mut question = InclusionQuestion { joint, conjuncts, clause: formula };
        *questions += 1;
        match question.word(budget) {
            Ok(Some(word)) => {
                let word = question.shortened(&word, budget);
                if best.as_ref().is_none_or(|best| word.len() < best.word.len()) {
                    best = Some(Distinguishing { word, clause });
                }
            }
            Ok(None) => match question.certified(budget) {
                Err(CertifyError::Limit(reached)) => limit = Some(reached),
                done => done?,
            },
            Err(reached) => limit = Some(reached),
        }
    }
    match (best, limit) {
        (None, Some(limit)) => Err(limit.into()),
        (best, _) => Ok(best),
    }
}

/// The conjuncts of the language of a side, given that the assumptions `assumed` hold.
fn allowed(
    formulas: &mut Formulas,
    facts: &[FormulaId],
    side: &JointSide,
    assumed: &[FormulaId],
) -> Vec<FormulaId> {
    let rest = side.assumptions.iter().copied().filter(|a| !assumed.contains(a)).collect::<Vec<_>>();
    let premise = formulas.and(rest);
    let mut all: Vec<FormulaId> = facts.to_vec();
    all.extend(side.always.iter().map(|&(formula, _)| formula));
    all.extend(side.guarantees.iter().map(|&(formula, _)| formulas.implies(premise, formula)));
    all
}

/// The question whether a word satisfies all conjuncts and violates the clause.
struct InclusionQuestion<'a> {
    joint: &'a mut JointSpec,
    conjuncts: Vec<FormulaId>,
    clause: FormulaId,
}

impl InclusionQuestion<'_> {
    /// Whether a word is an answer, by the lasso semantics.
    fn answers(&self, word: &Lasso) -> bool {
        let mut meaning = LassoSemantics::new(&self.joint.formulas, &self.joint.alphabet, word);
        !meaning.holds(self.clause) && self.conjuncts.iter().all(|&f| meaning.holds(f))
    }

    /// A word that answers the question; `None` if there is none.
    fn word(&mut self, budget: &Budget) -> Result<Option<Lasso>, Limit> {
        let JointSpec { formulas, alphabet, .. } = &mut *self.joint;
        let mut added = vec![formulas.not(self.clause)];
        loop {
            let all = formulas.and(added.iter().copied());
            let automaton = ltl_to_buchi(formulas, alphabet, all, DIFFERENCE_STATES, budget)?;
            let Some(word) = accepted(alphabet, &automaton) else { return Ok(None) };
            let mut meaning = LassoSemantics::new(formulas, alphabet, &word);
            let broken = self.conjuncts.iter().copied().find(|&f| !meaning.holds(f));
            match broken {
                None => return Ok(Some(word)),
                Some(conjunct) if added.contains(&conjunct) => {
                    // The automaton accepts a word that violates its formula: the certifier will report the
                    // disagreement.
                    return Ok(None);
                }
                Some(conjunct) => added.push(conjunct),
            }
        }
    }

    /// A short answer, at most as long as the known one.
    fn shortened(&self, word: &Lasso, budget: &Budget) -> Lasso {
        let mut best = shortest_lasso(word);
        let part = budget.child(DIFFERENCE_WORK);
        if let Ok(Some(violation)) = self.ask(&part, true)
            && violation.len() < best.len()
            && self.answers(&violation)
        {
            best = violation;
        }
        shrink(best, &|word| self.answers(word))
    }

    /// Lets the certifier confirm that there is no word.
    fn certified(&self, budget: &Budget) -> Result<(), CertifyError> {
        match self.ask(budget, false)? {
            None => Ok(()),
            Some(_) => Err(CertifyError::Wrong("two translations of a formula disagree".into())),
        }
    }

    /// Asks the certifier for a word; for a short one if `short`.
    fn ask(&self, budget: &Budget, short: bool) -> Result<Option<Lasso>, CertifyError> {
        let JointSpec { formulas, alphabet, .. } = &*self.joint;
        let mut formulas = formulas.clone();
        let (flat, exactly_one) = flattened(alphabet, &mut formulas);
        let facts = exactly_one.into_iter().chain(self.conjuncts.iter().copied()).collect();
        let contract = Contract { facts, guarantees: vec![self.clause], ..Contract::default() };
        let machine = reader();
        let strategy = StrategyRef::Mealy(&machine);
        let claim = StrategyClaim { formulas: &formulas, alphabet: &flat, contract: &contract, strategy };
        let violation = if short {
            find_violation(&claim, budget)?
        } else {
            match certify(&claim, budget) {
                Ok(_) => None,
                Err(CertifyError::Violated(violation)) => Some(violation),
                Err(error) => return Err(error),
            }
        };
        Ok(violation.map(|violation| {
            let letter = |letter: &Letter| {
                let mut whole = Letter::new();
                for atom in alphabet.atoms().ids().filter(|&atom| flat.holds(atom, letter)) {
                    alphabet.choose(atom, &mut whole);
                }
                whole
            };
            let Lasso { prefix, cycle } = &violation.play;
            let part = |part: &[Letter]| part.iter().map(letter).collect();
            shortest_lasso(&Lasso { prefix: part(prefix), cycle: part(cycle) })
        }))
    }
}

/// The machine that reads every letter and answers nothing.
fn reader() -> Mealy {
    let initial = StateId::from_index(0);
    let edge = MealyEdge { guard: Guard::TRUE, output: Letter::new(), next: initial };
    let states: IdVec<StateId, MealyState> = IdVec::from(vec![MealyState { edges: vec![edge] }]);
    Mealy { guards: Guards::new(), states, initial }
}

/// The same atoms as inputs, and formulas which state that exactly one update of each cell holds.
fn flattened(alphabet: &Alphabet, formulas: &mut Formulas) -> (Alphabet, Vec<FormulaId>) {
    let mut flat = Alphabet::new();
    for atom in alphabet.atoms() {
        flat.add_input(atom.name.clone());
    }
    let mut exactly_one = Vec::new();
    for cell in alphabet.cells() {
        let options: Vec<FormulaId> = cell.options.iter().map(|&atom| formulas.atom(atom)).collect();
        let mut all = vec![formulas.or(options.iter().copied())];
        for (i, &a) in options.iter().enumerate() {
            for &b in &options[i + 1..] {
                let both = formulas.and([a, b]);
                all.push(formulas.not(both));
            }
        }
        let one = formulas.and(all);
        exactly_one.push(formulas.globally(one));
    }
    (flat, exactly_one)
}

/// A word that an automaton accepts.
fn accepted(alphabet: &Alphabet, automaton: &Buchi) -> Option<Lasso> {
    let graph: Vec<Vec<ParityArrow>> = automaton
        .edges
        .iter()
        .map(|edges| {
            edges.iter().map(|e| ParityArrow { to: e.next.index(), marks: e.marks, priority: 0 }).collect()
        })
        .collect();
    let initial: Vec<usize> = automaton.initial.iter().map(|q| q.index()).collect();
    let found = accepting_loop(&graph, &initial, automaton.sets)?;
    let letter = |&(node, arrow): &(usize, usize)| {
        let guard = automaton.edges.as_slice()[node][arrow].guard;
        alphabet.canonical(&automaton.guards.pick(guard).unwrap_or_default())
    };
    let part = |part: &[(usize, usize)]| part.iter().map(letter).collect();
    Some(Lasso { prefix: part(&found.prefix), cycle: part(&found.cycle) })
}

/// Removes steps and then true atoms from a word, as long as it stays an answer.
fn shrink(word: Lasso, answers: &dyn Fn(&Lasso) -> bool) -> Lasso {
    let mut word = word;
    let mut step = 0;
    while step < word.len() {
        let mut shorter = word.clone();
        match step.checked_sub(word.prefix.len()) {
            None => {
                shorter.prefix.remove(step);
            }
            Some(at) => {
                shorter.cycle.remove(at);
            }
        }
        if !shorter.cycle.is_empty() && answers(&shorter) {
            word = shorter;
        } else {
            step += 1;
        }
    }
    for step in 0..word.len() {
        let bits: Vec<_> = word.letter(step).iter().collect();
        for bit in bits {
            let mut plainer = word.clone();
            match step.checked_sub(word.prefix.len()) {
                None => plainer.prefix[step].remove(bit),
                Some(at) => plainer.cycle[at].remove(bit),
            };
            if answers(&plainer) {
                word = plainer;
            }
        }
    }
    shortest_lasso(&word)
}
