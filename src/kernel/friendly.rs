//! Controllers that do not win by breaking the assumptions.
//!
//! Let A be the facts and assumptions of a contract. An input i is *legal* after a history h iff some output o has
//! h·(i,o) in Pref(A). A controller is *friendly* iff each of its histories whose inputs were all legal, the empty one
//! included, has a continuation among its plays that satisfies A. Environmentally-friendly synthesis (Majumdar, Piterman
//! and Schmuck, TACAS 2019) and obliging games (Chatterjee, Horn and Löding, CONCUR 2010) ask for the same of games.
//!
//! [`certify_friendly`] explores the histories of a machine with [`Expectations`]. [`certify_none_friendly`] checks a
//! counter-strategy that shows that no controller of the contract is friendly; its documentation has the soundness
//! argument.

use super::blame::KnownPast;
use super::claim::{StrategyClaim, StrategyRef};
use super::entry::check_moore;
use super::legal_histories::{Expectations, MachineProduct, Reached, expectations};
use super::outcome::{Certified, CertifyError};
use super::search::couvreur::SearchExtent;
use super::search::explicit::{Explicit, ProductKind};
use crate::trusted::cases::Cases;
use crate::trusted::checker::Checker;
use crate::trusted::plays::{MemoryCharge, Plays};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, FormulaId, Formulas, Guard, Guards, Lasso, Letter, Player,
};
use tsl_synth_core::model::{Contract, StateId};

/// The answer of [`certify_friendly`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Friendly {
    /// The controller is friendly.
    Yes(Certified),
    /// It is not.
    No(Falsified),
    /// No word satisfies the facts and assumptions.
    Unsatisfiable,
}

/// How a controller makes the assumptions false although the environment gave legal inputs only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Falsified {
    /// A play of the controller; its first `steps` letters have legal inputs.
    pub play: Lasso,
    /// The number of steps after which no play of the controller satisfies the assumptions; the least possible. 0 means
    /// from the start.
    pub steps: usize,
    /// The first assumption of the contract that, alone with the facts, cannot be kept any more; `None` if only several
    /// assumptions together cannot.
    pub assumption: Option<usize>,
}

/// Whether an explicit controller is friendly. The claim's contract need not hold; only its facts and assumptions are
/// read.
///
/// # Errors
/// [`CertifyError::Malformed`] for a machine that is no controller (and for counter-strategies and circuits), or
/// [`CertifyError::Limit`].
pub fn certify_friendly(claim: &StrategyClaim<'_>, budget: &Budget) -> Result<Friendly, CertifyError> {
    let &StrategyClaim { formulas, alphabet, contract, strategy } = claim;
    let machine = match strategy {
        StrategyRef::Mealy(machine) => machine,
        StrategyRef::Moore(machine) => {
            check_moore(machine)?;
            machine
        }
        _ => {
            return Err(CertifyError::Malformed(
                "only explicit controllers are checked for friendliness".into(),
            ));
        }
    };
    let mut plays = Plays::of_mealy(alphabet, machine, budget)?;
    let expected_clauses = expectations(contract);
    let mut expected = Expectations::new(formulas, alphabet, &mut plays.guards, &expected_clauses, budget)?;
    if expected.initial()?.is_empty() {
        return Ok(Friendly::Unsatisfiable);
    }
    let speaks_of_outputs =
        formulas.support(&expected_clauses).iter().any(|atom| alphabet.player(atom) == Player::System);
    if !speaks_of_outputs {
        // A constrains inputs only, and the controller has a play for every sequence of inputs.
        return Ok(Friendly::Yes(Certified { searches: 1, ..Certified::default() }));
    }
    let together = MachineProduct::new(&mut plays, &mut expected, budget)?;
    let done =
        Certified { searches: 1, product_states: together.len() as u64, diagram_nodes: 0, monitors: 0 };
    match violation(&mut plays, alphabet, &mut expected, &together, budget)? {
        None => Ok(Friendly::Yes(done)),
        Some(history) => {
            let play = continued(&plays, history.clone());
            let past = KnownPast { formulas, alphabet, plays: &plays, history: &history };
            let assumption = past.first_impossible(contract, budget)?;
            Ok(Friendly::No(Falsified { play, steps: history.len(), assumption }))
        }
    }
}

/// A shortest history with legal inputs after which no play of the machine satisfies facts and assumptions.
fn violation(
    plays: &mut Plays,
    alphabet: &Alphabet,
    expected: &mut Expectations,
    together: &MachineProduct,
    budget: &Budget,
) -> Result<Option<Vec<Letter>>, Limit> {
    let first = (plays.initial, expected.initial()?);
    if !together.unfalsifiable(first.0, &first.1) {
        return Ok(Some(Vec::new()));
    }
    let mut memory = MemoryCharge::new(budget);
    let mut seen: FxHashSet<(StateId, Reached)> = FxHashSet::default();
    seen.insert(first.clone());
    // Each with the index of its predecessor and the letters of the edge from it.
    let mut found: Vec<((StateId, Reached), usize, Guard)> = vec![(first, 0, Guard::TRUE)];
    let mut done = 0;
    while done < found.len() {
        let (state, reached) = found[done].0.clone();
        for i in 0..plays.edges[state].len() {
            let (letters, next) = plays.edges[state][i];
            for (letters, after) in expected.after(&reached, letters, &mut plays.guards)? {
                if !together.unfalsifiable(next, &after) {
                    // After letters with illegal inputs the environment is to blame.
                    let legal = expected.legal_among(&reached, letters, alphabet, &mut plays.guards)?;
                    let letters = plays.guards.and(letters, legal);
                    if letters == Guard::FALSE {
                        continue;
                    }
                    let mut steps = vec![letters];
                    let mut at = done;
                    while at > 0 {
                        steps.push(found[at].2);
                        at = found[at].1;
                    }
                    let pick = |&set: &Guard| plays.guards.pick(set).expect("a class has a letter");
                    return Ok(Some(steps.iter().rev().map(pick).collect()));
                }
                let pair = (next, after);
                if seen.insert(pair.clone()) {
                    memory.charge(160 + 8 * pair.1.len() as u64)?;
                    found.push((pair, done, letters));
                }
            }
        }
        done += 1;
    }
    Ok(None)
}

/// A play that begins with a history.
fn continued(plays: &Plays, history: Vec<Letter>) -> Lasso {
    let mut state = plays.initial;
    for letter in &history {
        state = plays.after(state, letter).expect("a history of the machine");
    }
    let mut at: FxHashMap<StateId, usize> = FxHashMap::default();
    let mut letters = history;
    loop {
        if let Some(&start) = at.get(&state) {
            let cycle = letters.split_off(start);
            return Lasso { prefix: letters, cycle };
        }
        at.insert(state, letters.len());
        let (set, next) = plays.edges[state][0];
        letters.push(plays.guards.pick(set).expect("an edge has a letter"));
        state = next;
    }
}

/// Checks that no controller of a contract is friendly: the counter-strategy of the claim plays against systems that also
/// give a *hint* for every input, an output that says which value the input should have in the next step.
///
/// Let h ↔ X i say that each input follows its hint. It is checked that no play against the strategy satisfies the
/// contract and
///
/// `FG (h ↔ X i) → (A ∨ some input was illegal)`,
///
/// where plays are left out on which, before any illegal input, the system makes A impossible with a legal input or
/// hints an illegal one. Suppose that a friendly controller kept the contract. Let it give hints: as long as the hints
/// are followed, they are the inputs of one continuation among its plays that satisfies A; after each step in which
/// they are not followed, it chooses another such continuation, which exists because it is friendly. These hints are
/// legal, and it never makes A impossible. A play on which all inputs were legal and hints are followed from some step
/// on is one of those continuations in the end, so it satisfies A. Against the strategy this controller with its hints
/// has a play that satisfies all of it, a contradiction.
///
/// # Errors
/// [`CertifyError::Malformed`] if some input has no hint or the strategy is no counter-strategy,
/// [`CertifyError::Violated`] with a play that refutes the claim, or [`CertifyError::Limit`].
pub fn certify_none_friendly(
    claim: &StrategyClaim<'_>,
    hints: &[(AtomId, AtomId)],
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let &StrategyClaim { formulas, alphabet, contract, strategy } = claim;
    let StrategyRef::Counter(machine) = strategy else {
        return Err(CertifyError::Malformed("only explicit counter-strategies are checked".into()));
    };
    let kinds =
        |&(input, hint): &(AtomId, AtomId)| match (alphabet.atoms()[input].kind, alphabet.atoms()[hint].kind)
        {
            (AtomKind::Input(input), AtomKind::Output(hint)) => Some((input, hint)),
            _ => None,
        };
    let bits: Option<FxHashMap<_, _>> = hints.iter().map(kinds).collect();
    let Some(bits) =
        bits.filter(|bits| alphabet.bits_of(Player::Environment).all(|bit| bits.contains_key(&bit)))
    else {
        return Err(CertifyError::Malformed("some input has no hint".into()));
    };
    let hint_bits: FxHashSet<BitId> = bits.values().copied().collect();
    let clauses = [&contract.facts, &contract.restrictions, &contract.assumptions, &contract.guarantees];
    let speaks_of_hints = clauses.into_iter().flatten().any(|&f| {
        let support = formulas.support(&[f]);
        hints.iter().any(|&(_, hint)| support.contains(hint))
    });
    if speaks_of_hints || hint_bits.len() != hints.len() {
        return Err(CertifyError::Malformed("a hint is no output of its own".into()));
    }
    let plays = Plays::of_counter(alphabet, machine, budget)?;
    let mut extended = alphabet.clone();
    let illegal = extended.add_input("illegal");
    let AtomKind::Input(illegal_bit) = extended.atoms()[illegal].kind else { unreachable!("it is an input") };
    let mut game = HintedPlays { alphabet, contract, formulas, bits: &bits, illegal: illegal_bit, budget };
    let plays = game.plays(plays)?;
    let mut formulas = formulas.clone();
    let friendly = obligation(&mut formulas, contract, hints, illegal);
    let mut asked = contract.clone();
    asked.restrictions.push(friendly);
    let cases = &Cases::new(&formulas, &asked);
    let mut last = Limit::new(LimitKind::Work, "certificate: the game with hints");
    for way in [ProductKind::Tableau, ProductKind::Conditions] {
        let plays =
            Plays { guards: plays.guards.clone(), edges: plays.edges.clone(), initial: plays.initial };
        let mut search = Explicit::new(&cases.formulas, &extended, plays, SearchExtent::First, budget);
        let share = budget.child((budget.left() / 2).max(1));
        search.obey(&share, way);
        match Checker::new(cases, &extended, search).defeats(contract, &[friendly]) {
            Err(CertifyError::Limit(limit)) => last = limit,
            other => return other,
        }
    }
    Err(CertifyError::Limit(last))
}

/// `FG (h ↔ X i) → (A ∨ F illegal)`.
fn obligation(
    formulas: &mut Formulas,
    contract: &Contract,
    hints: &[(AtomId, AtomId)],
    illegal: AtomId,
) -> FormulaId {
    let mut differ = Vec::new();
    for &(input, hint) in hints {
        let (input, hint) = (formulas.atom(input), formulas.atom(hint));
        let later = formulas.next(input);
        let same = formulas.iff(hint, later);
        differ.push(formulas.not(same));
    }
    let differ = formulas.or(differ);
    let often = formulas.finally(differ);
    let often = formulas.globally(often);
    let expected = formulas.and(expectations(contract));
    let illegal = formulas.atom(illegal);
    let illegal = formulas.finally(illegal);
    formulas.or([often, expected, illegal])
}

/// The plays that a counter-strategy with hints is checked on.
struct HintedPlays<'a> {
    alphabet: &'a Alphabet,
    contract: &'a Contract,
    formulas: &'a Formulas,
    /// The hint of each input.
    bits: &'a FxHashMap<BitId, BitId>,
    illegal: BitId,
    budget: &'a Budget,
}

impl HintedPlays<'_> {
    /// The plays with the bit `illegal`, which is true from the first illegal input on.
    fn plays(&mut self, plays: Plays) -> Result<Plays, Limit> {
        let Plays { mut guards, edges, initial } = plays;
        let (alphabet, budget) = (self.alphabet, self.budget);
        let expected_clauses = expectations(self.contract);
        let mut expected =
            Expectations::new(self.formulas, alphabet, &mut guards, &expected_clauses, budget)?;
        let mut memory = MemoryCharge::new(budget);
        let first = expected.initial()?;
        // `None` after an illegal input.
        let start = (initial, (!first.is_empty()).then_some(first));
        let mut index: FxHashMap<(StateId, Option<Reached>), StateId> = FxHashMap::default();
        index.insert(start.clone(), StateId::from_index(0));
        let mut found = vec![start];
        let mut out: IdVec<StateId, Vec<(Guard, StateId)>> = IdVec::new();
        let was = guards.bit(self.illegal);
        let was_not = guards.not(was);
        while out.len() < found.len() {
            let (state, reached) = found[out.len()].clone();
            let mut here: Vec<(Guard, (StateId, Option<Reached>))> = Vec::new();
            for &(letters, next) in &edges[state] {
                let Some(reached) = &reached else {
                    here.push((guards.and(letters, was), (next, None)));
                    continue;
                };
                let legal = expected.legal(reached, alphabet, &mut guards)?;
                let wrong = guards.minus(letters, legal);
                here.push((guards.and(wrong, was), (next, None)));
                let right = guards.and(letters, legal);
                for (letters, reached) in expected.after(reached, right, &mut guards)? {
                    if reached.is_empty() {
                        continue;
                    }
                    let hinted = expected.legal(&reached, alphabet, &mut guards)?;
                    let hinted = self.renamed(hinted, &mut guards);
                    let letters = guards.and(letters, hinted);
                    here.push((guards.and(letters, was_not), (next, Some(reached))));
                }
            }
            let mut row = Vec::new();
            for (letters, pair) in here {
                if letters == Guard::FALSE {
                    continue;
                }
                memory.charge(64)?;
                budget.tick(1, || "certificate: the plays with hints".into())?;
                let next = *index.entry(pair).or_insert_with_key(|pair| {
                    found.push(pair.clone());
                    StateId::from_index(found.len() - 1)
                });
                row.push((letters, next));
            }
            out.push(row);
        }
        Ok(Plays { guards, edges: out, initial: StateId::from_index(0) })
    }

    /// A guard over inputs as one over their hints.
    fn renamed(&self, guard: Guard, guards: &mut Guards) -> Guard {
        let mut done: FxHashMap<Guard, Guard> = FxHashMap::default();
        let mut stack = vec![guard];
        while let Some(&top) = stack.last() {
            let Some((bit, low, high)) = guards.branch(top) else {
                done.insert(top, top);
                stack.pop();
                continue;
            };
            match (done.get(&low), done.get(&high)) {
                (Some(&low), Some(&high)) => {
                    let hint = guards.bit(self.bits[&bit]);
                    let renamed = guards.ite(hint, high, low);
                    done.insert(top, renamed);
                    stack.pop();
                }
                (low_done, high_done) => {
                    let more = [(low, low_done.is_none()), (high, high_done.is_none())];
                    stack.extend(more.into_iter().filter(|&(_, open)| open).map(|(g, _)| g));
                }
            }
        }
        done[&guard]
    }
}
