//! From LTL on finite words to a complete deterministic finite automaton, by progression.
//!
//! A state is the requirement on the rest of the word: an antichain of sets of obligations (a disjunction of
//! conjunctions, minimal under inclusion, so that equal Boolean functions are equal states; the functions are
//! monotone). An obligation is `X f` or `X[!] f`, a requirement on the next step. Each past operator has a register,
//! which stores the truth value that it needs from the previous step (Havelund and Rosu, "Synthesizing monitors for
//! safety properties", TACAS 2002); a state also contains the values of all registers. At most 2^2^n states for n
//! obligations. After Brzozowski ("Derivatives of regular expressions", 1964) and De Giacomo and Vardi (2013);
//! minimized by partition refinement.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use tsl_synth_core::base::{Budget, Limit, LimitKind, coarsest_partition};
use tsl_synth_core::logic::{FiniteFormulas, FiniteId, FiniteNode};
use tsl_synth_core::model::Dfa;

/// A formula that the next step must satisfy; unless `strong`, there need not be a next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FiniteObligation {
    strong: bool,
    formula: FiniteId,
}

/// A disjunction of conjunctions.
type Owed = BTreeSet<BTreeSet<FiniteObligation>>;

/// The truth values of past subformulas after the letters read so far, in the order of formulas.
type PastValues = Vec<(usize, bool)>;

/// The most alternatives, that is disjuncts, of one state.
const MAX_ALTERNATIVES: usize = 1 << 12;

/// Drops sets that include another one.
fn minimal(all: Owed) -> Owed {
    let sets: Vec<BTreeSet<FiniteObligation>> = all.into_iter().collect();
    let kept = |i: usize| {
        !sets
            .iter()
            .enumerate()
            .any(|(j, other)| j != i && other.len() < sets[i].len() && other.is_subset(&sets[i]))
    };
    (0..sets.len()).filter(|&i| kept(i)).map(|i| sets[i].clone()).collect()
}

fn verum() -> Owed {
    BTreeSet::from([BTreeSet::new()])
}

struct FiniteProgression<'a> {
    formulas: &'a FiniteFormulas,
    budget: &'a Budget,
}

impl FiniteProgression<'_> {
    fn limit(&self, size: usize) -> Result<(), Limit> {
        self.budget.tick(size as u64, || "the automaton of a law".into())?;
        if size > MAX_ALTERNATIVES {
            let what =
                format!("a state of the automaton of a law has more than {MAX_ALTERNATIVES} alternatives");
            return Err(Limit::new(LimitKind::Size, what));
        }
        Ok(())
    }
    fn both(&self, a: &Owed, b: &Owed) -> Result<Owed, Limit> {
        self.limit(a.len().saturating_mul(b.len()))?;
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| x.union(y).copied().collect()));
        Ok(minimal(pairs.collect()))
    }
    fn either(&self, mut a: Owed, b: Owed) -> Result<Owed, Limit> {
        self.limit(a.len() + b.len())?;
        a.extend(b);
        Ok(minimal(a))
    }
    /// The registers before the first step, by the number of the formula: `Y f` and `Z f` store the previous value of
    /// `f`, `f S g` and `f T g` their own previous value.
    fn first(&self) -> PastValues {
        let value = |i| match self.formulas.node(tsl_synth_core::base::Id::from_index(i)) {
            FiniteNode::Yesterday(_) | FiniteNode::Since(..) => Some((i, false)),
            FiniteNode::WeakYesterday(_) | FiniteNode::Triggered(..) => Some((i, true)),
            _ => None,
        };
        (0..self.formulas.len()).filter_map(value).collect()
    }
    /// The registers after a step.
    fn after(&self, before: &PastValues, table: &[Owed]) -> PastValues {
        let holds = |i: usize| !table[i].is_empty();
        let value =
            |&(i, _): &(usize, bool)| match self.formulas.node(tsl_synth_core::base::Id::from_index(i)) {
                FiniteNode::Yesterday(f) | FiniteNode::WeakYesterday(f) => {
                    (i, holds(tsl_synth_core::base::Id::index(*f)))
                }
                _ => (i, holds(i)),
            };
        before.iter().map(value).collect()
    }
    /// The obligations of each formula after a letter. Operands have smaller numbers, so one pass over the subformulas
    /// suffices. Formulas about the past become true or false.
    fn step(&self, letter: u32, registers: &PastValues) -> Result<Vec<Owed>, Limit> {
        let mut table: Vec<Owed> = Vec::with_capacity(self.formulas.len());
        let mut registers = registers.iter();
        let boolean = |value: bool| if value { verum() } else { Owed::new() };
        for i in 0..self.formulas.len() {
            let id = tsl_synth_core::base::Id::from_index(i);
            let owe = |strong| BTreeSet::from([BTreeSet::from([FiniteObligation { strong, formula: id }])]);
            let of = |f: FiniteId| &table[tsl_synth_core::base::Id::index(f)];
            let one =
                |strong, formula| BTreeSet::from([BTreeSet::from([FiniteObligation { strong, formula }])]);
            let row = match *self.formulas.node(id) {
                FiniteNode::Constant(value) => boolean(value),
                FiniteNode::Letter { letter: own, negated } => {
                    boolean(self.formulas.letters().holds(letter, own) != negated)
                }
                FiniteNode::And(f, g) => self.both(of(f), of(g))?,
                FiniteNode::Or(f, g) => self.either(of(f).clone(), of(g).clone())?,
                FiniteNode::Next(f) => one(false, f),
                FiniteNode::StrongNext(f) => one(true, f),
                FiniteNode::Until(f, g) => self.either(of(g).clone(), self.both(of(f), &owe(true))?)?,
                FiniteNode::Release(f, g) => self.both(of(g), &self.either(of(f).clone(), owe(false))?)?,
                ref past => {
                    let before = registers.next().is_some_and(|&(_, value)| value);
                    let holds = |f: FiniteId| !of(f).is_empty();
                    boolean(match *past {
                        FiniteNode::Since(f, g) => holds(g) || holds(f) && before,
                        FiniteNode::Triggered(f, g) => holds(g) && (holds(f) || before),
                        _ => before,
                    })
                }
            };
            table.push(row);
        }
        Ok(table)
    }
}

/// The minimal automaton of a formula over `letters`; letter `i` of the automaton is `letters[i]`.
///
/// # Errors
/// More than `max_states` states, or the budget.
pub fn finite_to_dfa(
    formulas: &FiniteFormulas,
    root: FiniteId,
    letters: &[u32],
    max_states: usize,
    budget: &Budget,
) -> Result<Dfa, Limit> {
    let progression = FiniteProgression { formulas, budget };
    // The effect of a letter depends on the registers, of which few valuations occur.
    let mut steps: FxHashMap<(PastValues, u32), (Vec<Owed>, PastValues)> = FxHashMap::default();
    // The obligation of the initial state is the formula itself; the state is accepting if the empty word satisfies the
    // formula.
    let first: Owed = BTreeSet::from([BTreeSet::from([FiniteObligation { strong: false, formula: root }])]);
    let mut states: Vec<(Owed, PastValues)> = vec![(first, progression.first())];
    let mut ids: FxHashMap<(Owed, PastValues), usize> = FxHashMap::default();
    let mut edges: Vec<Vec<usize>> = Vec::new();
    while edges.len() < states.len() {
        let (owed, registers) = states[edges.len()].clone();
        let mut row = Vec::with_capacity(letters.len());
        for &letter in letters {
            let (table, after) = match steps.entry((registers.clone(), letter)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    let table = progression.step(letter, &registers)?;
                    let after = progression.after(&registers, &table);
                    free.insert((table, after))
                }
            };
            let mut next = Owed::new();
            for all in &owed {
                let mut sum = verum();
                for obligation in all {
                    sum = progression
                        .both(&sum, &table[tsl_synth_core::base::Id::index(obligation.formula)])?;
                }
                next = progression.either(next, sum)?;
            }
            // Registers are dropped when no obligation is left or the formula is violated: they no longer matter.
            let done = next.is_empty() || next.iter().any(BTreeSet::is_empty);
            let next = (next, if done { PastValues::new() } else { after.clone() });
            let fresh = states.len();
            let id = *ids.entry(next.clone()).or_insert(fresh);
            if id == fresh {
                states.push(next);
            }
            if states.len() > max_states {
                let what = format!("the automaton of a law has more than {max_states} states");
                return Err(Limit::new(LimitKind::Size, what));
            }
            row.push(id);
        }
        edges.push(row);
    }
    let mut accepting: Vec<bool> =
        states.iter().map(|(owed, _)| owed.iter().any(|all| all.iter().all(|one| !one.strong))).collect();
    accepting[0] = formulas.holds(root, &[]);
    Ok(minimized(&edges, &accepting))
}

/// The coarsest quotient.
fn minimized(edges: &[Vec<usize>], accepting: &[bool]) -> Dfa {
    let initial = accepting.iter().map(|&yes| usize::from(yes)).collect();
    let block = coarsest_partition(initial, |state, block| {
        edges[state].iter().map(|&next| block[next]).collect::<Vec<usize>>()
    });
    let count = block.iter().max().map_or(0, |most| most + 1);
    let mut quotient = vec![Vec::new(); count];
    let mut yes = vec![false; count];
    for (state, &own) in block.iter().enumerate().rev() {
        quotient[own] = edges[state].iter().map(|&next| block[next] as u32).collect();
        yes[own] = accepting[state];
    }
    Dfa::new(quotient, yes)
}

/// The automaton of the words that two automata both accept, minimized.
///
/// # Errors
/// More than `max_states` states.
pub fn intersection(a: &Dfa, b: &Dfa, max_states: usize) -> Result<Dfa, Limit> {
    let mut pairs: Vec<(u32, u32)> = vec![(0, 0)];
    let mut ids: FxHashMap<(u32, u32), usize> = FxHashMap::from_iter([((0, 0), 0)]);
    let (mut edges, mut accepting) = (Vec::new(), Vec::new());
    while edges.len() < pairs.len() {
        let (p, q) = pairs[edges.len()];
        accepting.push(a.is_accepting(p) && b.is_accepting(q));
        let mut row = Vec::new();
        for letter in 0..a.letters() {
            let next = (a.next(p, letter), b.next(q, letter));
            let fresh = pairs.len();
            let id = *ids.entry(next).or_insert(fresh);
            if id == fresh {
                pairs.push(next);
            }
            row.push(id);
        }
        edges.push(row);
        if pairs.len() > max_states {
            let what = format!("the automaton of the laws has more than {max_states} states");
            return Err(Limit::new(LimitKind::Size, what));
        }
    }
    Ok(minimized(&edges, &accepting))
}
