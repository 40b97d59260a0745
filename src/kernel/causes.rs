//! Causes, by their definition. An input sequence σ is outside the cause of an effect on a trace π if the machine has a
//! play without the effect whose inputs change no cell of π that σ does not change. For a given σ this is one emptiness
//! question on the graph of these plays, answered by the checker's own tableau, whatever way the cause was found.
//!
//! Checked: that the trace has the effect; the counterfactual; each necessary event in the first rounds, and that
//! no other cell there is one; each alternative, and that it is minimal; inputs that never matter, on samples.
//! A formula or automaton is compared with the definition on sampled sequences; that a formula is not too weak
//! is checked for all sequences at once, on plays of pairs of sequences.

use super::effects::{self, MarkedAutomaton};
use super::outcome::{Certified, CertifyError};
use super::search::couvreur::{ProductEmptiness, SearchExtent, search};
use super::tuning::{EVENT_STEPS, FEWEST_SAMPLES, SAMPLED_LETTERS, SAMPLES};
use crate::trusted::normal::NormalForms;
use crate::trusted::plays::Plays;
use crate::trusted::product::TableauProduct;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec};
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, FormulaId, Formulas, Guard, Lasso, LassoSemantics, Letter, Player,
};
use tsl_synth_core::model::{Buchi, Cause, Marks, NecessaryEvent, Parity, StateId};

/// A claim about a cause.
#[derive(Clone, Copy, Debug)]
pub struct CauseClaim<'a> {
    /// The plays of the system: every play that it accepts counts.
    pub system: &'a Buchi,
    /// The trace on which the effect happened.
    pub actual: &'a Lasso,
    /// The plays without the effect that count as counterfactuals; also restricted by `automata`.
    pub without: FormulaId,
    /// For an effect that is given as an automaton: the effect, and an automaton of the plays without it.
    pub automata: Option<(&'a Buchi, &'a Buchi)>,
    /// A constraint on the plays of the input sequences that are compared with the trace; other sequences are not
    /// considered.
    pub within: FormulaId,
    /// The cause.
    pub cause: &'a Cause,
    /// Whether necessary events and alternatives are claimed to be the whole cause.
    pub exact: bool,
    /// The exact cause, if it was computed.
    pub automaton: Option<&'a Parity>,
    /// Whether sequences with infinitely many changes are compared by the definition, too; not under the limit
    /// assumption.
    pub infinite: bool,
}

/// Checks a cause.
///
/// # Errors
/// [`CertifyError::Wrong`] with the claim that is wrong, or a limit of the budget.
pub fn certify_cause(
    formulas: &Formulas,
    alphabet: &Alphabet,
    claim: &CauseClaim<'_>,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let inputs = alphabet.bits_of(Player::Environment).collect();
    let (mut watched, mut formulas) = (alphabet.clone(), formulas.clone());
    let (system, accepts) = marked(claim.system, &mut watched, &mut formulas);
    let mut without = formulas.and([claim.without, accepts]);
    let automata = claim.automata.map(|(effect, broken)| {
        let with = MarkedAutomaton::new(effect, "with", &mut watched, &mut formulas);
        let broken = MarkedAutomaton::new(broken, "without", &mut watched, &mut formulas);
        without = formulas.and([without, broken.accepts]);
        (with, broken)
    });
    let done = Certified::default();
    let mut checker =
        CauseChecker { formulas, alphabet, watched, claim, system, automata, without, inputs, budget, done };
    checker.complement()?;
    checker.events()?;
    checker.samples()?;
    checker.formula()?;
    Ok(checker.done)
}

struct CauseChecker<'a> {
    formulas: Formulas,
    alphabet: &'a Alphabet,
    /// The alphabet with the marks of the automata.
    watched: Alphabet,
    claim: &'a CauseClaim<'a>,
    /// The plays of the system: one initial state, and acceptance marks as extra outputs.
    system: Plays,
    /// The automata of the plays with the effect and of those without it.
    automata: Option<(MarkedAutomaton<'a>, MarkedAutomaton<'a>)>,
    /// The plays without the effect, as a formula about the product with the automaton.
    without: FormulaId,
    inputs: Vec<BitId>,
    budget: &'a Budget,
    done: Certified,
}

/// A cell: a step and an input.
type Cell = (usize, BitId);

fn wrong(what: impl Into<String>) -> CertifyError {
    CertifyError::Wrong(what.into())
}

impl CauseChecker<'_> {
    /// Whether some play without the effect changes only cells that `far` changes.
    fn spoiled(&mut self, far: &Lasso) -> Result<bool, CertifyError> {
        let actual = self.claim.actual;
        let cells = |step: usize| {
            let (was, may) = (at(actual, step), at(far, step));
            let fixed = self.inputs.iter().filter(|&&bit| was.contains(bit) == may.contains(bit));
            fixed.map(|&bit| (bit, was.contains(bit))).collect()
        };
        let plays = self.plays(shape(actual, far), cells)?;
        self.broken(plays)
    }

    /// The plays of the system with these input values in the steps of a prefix and a cycle.
    fn plays(
        &self,
        (prefix, cycle): (usize, usize),
        values: impl Fn(usize) -> Vec<(BitId, bool)>,
    ) -> Result<Plays, CertifyError> {
        let mut guards = self.system.guards.clone();
        let mut states: Vec<(usize, StateId)> = vec![(0, self.system.initial)];
        let mut index: FxHashMap<(usize, StateId), usize> = FxHashMap::default();
        index.insert(states[0], 0);
        let mut edges: IdVec<StateId, Vec<(Guard, StateId)>> = IdVec::new();
        while edges.len() < states.len() {
            let (step, state) = states[edges.len()];
            let allowed = guards.cube(&values(step));
            let next = if step + 1 == prefix + cycle { prefix } else { step + 1 };
            let mut out = Vec::new();
            for &(letters, to) in &self.system.edges[state] {
                self.budget.tick(1, || "certificate of a cause".into())?;
                let guard = guards.and(letters, allowed);
                if guard != Guard::FALSE {
                    let to = *index.entry((next, to)).or_insert_with(|| {
                        states.push((next, to));
                        states.len() - 1
                    });
                    out.push((guard, StateId::from_index(to)));
                }
            }
            edges.push(out);
        }
        Ok(Plays { guards, edges, initial: StateId::from_index(0) })
    }

    /// Whether one of these plays is without the effect.
    fn broken(&mut self, plays: Plays) -> Result<bool, CertifyError> {
        let plays = match &self.automata {
            Some((_, without)) => without.beside(&plays, self.budget)?,
            None => plays,
        };
        self.some(plays, self.without)
    }

    /// Whether a formula holds on some of these plays.
    fn some(&mut self, mut plays: Plays, f: FormulaId) -> Result<bool, CertifyError> {
        let (mut forms, context, asked) =
            (NormalForms::default(), (&self.formulas, &self.watched), [(f, true)]);
        let mut product = TableauProduct::of_literals(&mut plays, &mut forms, context, &asked, self.budget)?;
        let found = search(&mut product, SearchExtent::First)?;
        self.done.searches += 1;
        self.done.product_states += product.len() as u64;
        Ok(matches!(found, ProductEmptiness::Play(_)))
    }

    /// Checks that no word is accepted by both automata.
    fn complement(&mut self) -> Result<(), CertifyError> {
        let Some((with, without)) = self.automata.clone() else { return Ok(()) };
        let both = without.beside(&with.beside(&effects::all(), self.budget)?, self.budget)?;
        let accepts = self.formulas.and([with.accepts, without.accepts]);
        if self.some(both, accepts)? {
            return Err(wrong("the automaton of plays without the effect accepts a play with it"));
        }
        Ok(())
    }

    /// Checks that a play is accepted by one of the automata.
    fn one_of(&mut self, play: &Lasso) -> Result<(), CertifyError> {
        let Some((with, without)) = self.automata.clone() else { return Ok(()) };
        for watched in [with, without] {
            let plays = watched.beside(&effects::only(self.alphabet, play), self.budget)?;
            if self.some(plays, watched.accepts)? {
                return Ok(());
            }
        }
        Err(wrong("neither the effect nor the automaton of plays without it accepts a play"))
    }

    /// The number of questions: `most`, but fewer for long traces.
    fn questions(&self, most: usize) -> usize {
        most.min((SAMPLED_LETTERS / self.claim.actual.len()).max(FEWEST_SAMPLES))
    }

    /// The actual inputs with these cells changed.
    fn changed(&self, cells: &[Cell]) -> Lasso {
        let actual = self.claim.actual;
        let last = cells.iter().map(|&(step, _)| step + 1).max().unwrap_or(0).max(actual.prefix.len());
        let round = actual.cycle.len();
        let mut letters: Vec<Letter> = (0..last + round).map(|step| at(actual, step).clone()).collect();
        for &(step, bit) in cells {
            if !letters[step].remove(bit) {
                letters[step].insert(bit);
            }
        }
        let cycle = letters.split_off(last);
        Lasso { prefix: letters, cycle }
    }

    fn name(&self, bit: BitId) -> &str {
        let mut atoms = self.alphabet.atoms().iter();
        atoms.find(|atom| atom.kind == AtomKind::Input(bit)).map_or("?", |atom| atom.name.as_str())
    }

    fn events(&mut self) -> Result<(), CertifyError> {
        let claim = self.claim;
        if self.spoiled(&self.changed(&[]))? {
            return Err(wrong("the effect does not happen on the trace"));
        }
        if let Some(counterfactual) = &claim.cause.counterfactual {
            let play = &counterfactual.play;
            if !LassoSemantics::new(&self.formulas, self.alphabet, play).holds(claim.without) {
                return Err(wrong("the counterfactual has the effect"));
            }
            let bits: Vec<BitId> = (0..self.alphabet.bit_count()).map(BitId::from_index).collect();
            let values = |step| bits.iter().map(|&bit| (bit, at(play, step).contains(bit))).collect();
            let same = self.plays((play.prefix.len(), play.cycle.len()), values)?;
            if !self.broken(same)? {
                return Err(wrong("the counterfactual has the effect, or is no play of the system"));
            }
        }
        let steps =
            (claim.actual.prefix.len() + 2 * claim.actual.cycle.len()).min(self.questions(EVENT_STEPS));
        for step in 0..steps {
            for i in 0..self.inputs.len() {
                let input = self.inputs[i];
                let listed = claim.cause.necessary.iter().any(|e| e.input == input && e.steps.contains(step));
                if self.spoiled(&self.changed(&[(step, input)]))? != listed {
                    let not = if listed { "not " } else { "" };
                    return Err(wrong(format!("`{}` at step {step} is {not}necessary", self.name(input))));
                }
            }
        }
        for set in claim.cause.alternatives.iter().take(self.questions(SAMPLES)) {
            let cells: Vec<Cell> = set.iter().map(|event| (event.step, event.input)).collect();
            if !self.spoiled(&self.changed(&cells))? {
                return Err(wrong("an alternative does not undo the effect"));
            }
            for left_out in 0..cells.len() {
                let mut fewer = cells.clone();
                fewer.remove(left_out);
                if self.spoiled(&self.changed(&fewer))? {
                    return Err(wrong("an alternative is not minimal"));
                }
            }
        }
        Ok(())
    }

    /// Compares, on sampled sequences, the definition of the cause with its formula, automaton and events.
    fn samples(&mut self) -> Result<(), CertifyError> {
        let claim = self.claim;
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |below: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as usize % below.max(1)
        };
        for _ in 0..self.questions(SAMPLES) {
            let actual = claim.actual;
            let far = if claim.infinite && next(2) == 0 {
                let density = 1 + next(4);
                let shape = (actual.prefix.len() + next(3), actual.cycle.len() * (1 + next(2)));
                let mut letters: Vec<Letter> =
                    (0..shape.0 + shape.1).map(|step| at(actual, step).clone()).collect();
                for letter in &mut letters {
                    for &bit in &self.inputs {
                        if next(density + 1) == 0 && !letter.remove(bit) {
                            letter.insert(bit);
                        }
                    }
                }
                let cycle = letters.split_off(shape.0);
                Lasso { prefix: letters, cycle }
            } else {
                let count = 1 + next(4);
                let horizon = actual.prefix.len() + 2 * actual.cycle.len();
                let mut cells: Vec<Cell> = (0..count)
                    .filter(|_| !self.inputs.is_empty())
                    .map(|_| (next(horizon), self.inputs[next(self.inputs.len())]))
                    .collect();
                cells.sort_unstable();
                cells.dedup();
                self.changed(&cells)
            };
            self.sample(&far)?;
        }
        Ok(())
    }

    fn sample(&mut self, far: &Lasso) -> Result<(), CertifyError> {
        let claim = self.claim;
        if !self.is_within(far) {
            return Ok(());
        }
        if self.automata.is_some()
            && let Some(play) = self.play_of(far)
        {
            self.one_of(&play)?;
        }
        let inside = !self.spoiled(far)?;
        let says = |what: &str, value: bool| {
            if value == inside {
                return Ok(());
            }
            Err(wrong(format!("{what} and the definition differ on a sequence of inputs")))
        };
        if let Some(f) = claim.cause.formula {
            says("the formula", LassoSemantics::new(&self.formulas, self.alphabet, far).holds(f))?;
        }
        if let Some(automaton) = claim.automaton {
            says("the automaton", automaton.accepts(far))?;
        }
        let keeps = self.keeps_events(far);
        if claim.exact {
            says("the list of events", keeps)?;
        } else if inside && !keeps {
            return Err(wrong("a sequence in the cause does not keep its events"));
        }
        for &input in &claim.cause.irrelevant {
            let mut other = far.clone();
            for letter in other.prefix.iter_mut().chain(&mut other.cycle) {
                if !letter.remove(input) {
                    letter.insert(input);
                }
            }
            if claim.infinite && self.is_within(&other) && self.spoiled(&other)? == inside {
                return Err(wrong(format!("`{}` matters", self.name(input))));
            }
        }
        Ok(())
    }

    /// A run of the system on these inputs, accepting or not, that takes the first possible edge in each state; `None`
    /// if it reaches a state without one.
    fn play_of(&self, far: &Lasso) -> Option<Lasso> {
        let system = self.claim.system;
        let mut guards = system.guards.clone();
        let (mut position, mut state) = (0, *system.initial.first()?);
        let mut seen: FxHashMap<_, usize> = FxHashMap::default();
        let mut letters = Vec::new();
        loop {
            if let Some(back) = seen.insert((position, state), letters.len()) {
                let cycle = letters.split_off(back);
                return Some(Lasso { prefix: letters, cycle });
            }
            let given = guards.valuation(self.inputs.iter().copied(), far.letter(position));
            let (letter, next) = system.edges[state].iter().find_map(|edge| {
                let both = guards.and(edge.guard, given);
                guards.pick(both).map(|letter| (letter, edge.next))
            })?;
            letters.push(letter);
            state = next;
            position = far.successor(position);
        }
    }

    /// Whether the system's play of these inputs satisfies `within`.
    fn is_within(&self, far: &Lasso) -> bool {
        // The run that is found may be one that the system does not accept.
        let accepted = self.claim.system.sets == 0;
        self.formulas.is_constant(self.claim.within)
            || accepted
                && self.play_of(far).is_some_and(|word| {
                    LassoSemantics::new(&self.formulas, self.alphabet, &word).holds(self.claim.within)
                })
    }

    /// Whether a sequence agrees with the trace in all necessary events and in one cell of each alternative.
    fn keeps_events(&self, far: &Lasso) -> bool {
        let (actual, cause) = (self.claim.actual, self.claim.cause);
        let kept = |(step, bit): Cell| at(far, step).contains(bit) == at(actual, step).contains(bit);
        let (prefix, cycle) = shape(actual, far);
        let long = |event: &NecessaryEvent| {
            let steps = &event.steps;
            let start = steps.period.last().or(steps.prefix.last()).map_or(0, |last| last + 1);
            start.max(prefix) + cycle * steps.every
        };
        let mut recurring = cause.recurring.iter();
        // In a round of trace and events, far enough from the beginning to repeat.
        let returns = |group: &Vec<NecessaryEvent>| {
            let start = group.iter().map(&long).max().unwrap_or(0);
            let round = group.iter().map(|event| event.steps.every).max().unwrap_or(1) * cycle;
            (start..start + round)
                .any(|s| group.iter().all(|event| event.steps.contains(s) && kept((s, event.input))))
        };
        let once = |event: &NecessaryEvent| {
            (0..long(event)).filter(|&s| event.steps.contains(s)).any(|s| kept((s, event.input)))
        };
        cause.necessary.iter().all(|event| {
            (0..long(event)).filter(|&s| event.steps.contains(s)).all(|s| kept((s, event.input)))
        }) && cause.alternatives.iter().all(|set| set.iter().any(|event| kept((event.step, event.input))))
            && (cause.recurring.is_empty() || recurring.any(once))
            && cause.again.iter().all(returns)
    }

    /// Checks, for all pairs of sequences at once, that no sequence that satisfies the formula is outside the cause:
    /// the far sequence has separate input bits, and changes a cell wherever the close one does.
    fn formula(&mut self) -> Result<(), CertifyError> {
        let (claim, system) = (self.claim, &self.system);
        let Some(f) = claim.cause.formula else { return Ok(()) };
        // With a constraint `within`, far sequences have outputs, too: this case is left to the samples.
        if !claim.infinite || !self.formulas.is_constant(claim.within) {
            return Ok(());
        }
        let mut alphabet = self.watched.clone();
        let mut formulas = self.formulas.clone();
        let mut copies: FxHashMap<AtomId, (BitId, FormulaId)> = FxHashMap::default();
        for atom in self.alphabet.inputs() {
            let copy = alphabet.add_input(format!("far {}", self.alphabet.atoms()[atom].name));
            let AtomKind::Input(bit) = alphabet.atoms()[copy].kind else { continue };
            copies.insert(atom, (bit, formulas.atom(copy)));
        }
        let far = formulas.import(&self.formulas, f, |_, atom| match copies.get(&atom) {
            Some(&(_, copy)) => Ok(copy),
            None => Err(wrong("the formula speaks of an output")),
        })?;
        let mut guards = system.guards.clone();
        let n = system.edges.len();
        let mut edges: IdVec<StateId, Vec<(Guard, StateId)>> = IdVec::new();
        for step in 0..claim.actual.len() {
            let was = claim.actual.letter(step);
            let mut allowed = Guard::TRUE;
            for atom in self.alphabet.inputs() {
                let AtomKind::Input(close) = self.alphabet.atoms()[atom].kind else { continue };
                let value = was.contains(close);
                let (same, changed) = (guards.literal(close, value), guards.literal(copies[&atom].0, !value));
                let either = guards.or(same, changed);
                allowed = guards.and(allowed, either);
            }
            let next = claim.actual.successor(step);
            for out in &system.edges {
                let mut all = Vec::new();
                for &(letters, to) in out {
                    self.budget.tick(1, || "certificate of a cause".into())?;
                    let guard = guards.and(letters, allowed);
                    all.push((guard, StateId::from_index(next * n + to.index())));
                }
                edges.push(all);
            }
        }
        let mut plays = Plays { guards, edges, initial: system.initial };
        if let Some((_, without)) = &self.automata {
            plays = without.beside(&plays, self.budget)?;
        }
        let (mut forms, context) = (NormalForms::default(), (&formulas, &alphabet));
        let asked = [(far, true), (self.without, true)];
        let mut product = TableauProduct::of_literals(&mut plays, &mut forms, context, &asked, self.budget)?;
        let found = search(&mut product, SearchExtent::First)?;
        self.done.searches += 1;
        self.done.product_states += product.len() as u64;
        if let ProductEmptiness::Play(_) = found {
            return Err(wrong("the formula is too weak"));
        }
        Ok(())
    }
}

/// The plays of a system, and the formula that it accepts them: every mark occurs infinitely often.
fn marked(system: &Buchi, alphabet: &mut Alphabet, formulas: &mut Formulas) -> (Plays, FormulaId) {
    let mut guards = system.guards.clone();
    let (mut marks, mut goals) = (Vec::new(), Vec::new());
    for set in 0..system.sets {
        let atom = alphabet.add_output(format!("accepted {set}"));
        marks.push(alphabet.guard(atom, &mut guards));
        let mark = formulas.atom(atom);
        let finally = formulas.finally(mark);
        goals.push(formulas.globally(finally));
    }
    let mut edges: IdVec<StateId, Vec<(Guard, StateId)>> = IdVec::new();
    for out in &system.edges {
        let mut all = Vec::with_capacity(out.len());
        for edge in out {
            let mut letters = edge.guard;
            for (set, &mark) in marks.iter().enumerate() {
                let seen = edge.marks.covers(Marks::of(set));
                let literal = if seen { mark } else { guards.not(mark) };
                letters = guards.and(letters, literal);
            }
            all.push((letters, StateId::from_index(edge.next.index())));
        }
        edges.push(all);
    }
    let initial = if let [only] = system.initial[..] {
        StateId::from_index(only.index())
    } else {
        let starts = system.initial.iter().map(|q| edges[StateId::from_index(q.index())].clone());
        let all = starts.collect::<Vec<_>>().concat();
        edges.push(all)
    };
    (Plays { guards, edges, initial }, formulas.and(goals))
}

/// Lengths of prefix and cycle with which both words can be written.
fn shape(a: &Lasso, b: &Lasso) -> (usize, usize) {
    let mut cycle = a.cycle.len();
    while !cycle.is_multiple_of(b.cycle.len()) {
        cycle += a.cycle.len();
    }
    (a.prefix.len().max(b.prefix.len()), cycle)
}

fn at(word: &Lasso, step: usize) -> &Letter {
    match step.checked_sub(word.prefix.len()) {
        None => &word.prefix[step],
        Some(later) => &word.cycle[later % word.cycle.len()],
    }
}
