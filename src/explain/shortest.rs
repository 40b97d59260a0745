//! A shortest endless play against a counter-strategy.
//!
//! A play is a lasso of the machine: stem and loop after which it is in the same state. Such plays in which no clause
//! is *broken*, that is, false whatever comes, are compared by how many clauses fail, then by their letters. That no
//! fewer clauses fail is an emptiness question for each smaller set of failures, answered by the certifier; that no
//! play with as few failures has fewer letters is a question to a SAT solver for each number of letters.
//!
//! Encoding of formulas on lassos of n letters: Latvala, Biere, Heljanko and Junttila 2004, "Simple bounded LTL model
//! checking": two backward rounds give the fixpoints, as in [`Meaning`]. A clause is broken by some prefix iff it fails
//! on the word with `W` for `U`, and so on: the limit of the weak views of [`super::forced`], which only fall.

use super::letters::{choices, idle};
use super::play::PlayStep;
use crate::base::{Budget, Limit, LimitKind, satisfiable};
use crate::certify::{CertifyError, certify_counter};
use crate::logic::{
    Alphabet, AtomId, AtomKind, BitId, FormulaId, Formulas, Guard, Lasso, Letter, Meaning, Node, Player,
};
use crate::model::{Contract, CounterStrategy, StateId};
use rustc_hash::FxHashMap;
use rustsat::instances::{BasicVarManager, ManageVars};
use rustsat::solvers::Solve;
use rustsat::types::{Clause, Lit, TernaryVal};
use rustsat_batsat::BasicSolver;
use std::collections::BTreeMap;

/// Questions with more clauses are not asked.
const MAX_CLAUSES: u64 = 1_000_000;
/// Decisions of the solver on one number of letters.
const MAX_DECISIONS: u64 = 100_000;
/// Counted work of one emptiness question.
const EMPTINESS_WORK: u64 = 200_000;
/// More sets of clauses than this are not looked through.
const MAX_SETS: usize = 500;

/// An endless play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endless {
    /// Its steps; the last ones are the loop.
    pub(super) steps: Vec<PlayStep>,
    /// Where the loop begins.
    pub(super) from: usize,
}

/// What is compared: plays against a counter-strategy, and the clauses that they may break.
pub(super) struct Plays<'a> {
    formulas: Formulas,
    alphabet: &'a Alphabet,
    counter: &'a CounterStrategy,
    clauses: Vec<FormulaId>,
    /// That no prefix breaks the clause.
    unbroken: Vec<FormulaId>,
}

impl<'a> Plays<'a> {
    /// Plays against a counter-strategy that defeats the clauses, taken together.
    pub(super) fn new(
        formulas: &Formulas,
        alphabet: &'a Alphabet,
        counter: &'a CounterStrategy,
        clauses: Vec<FormulaId>,
    ) -> Self {
        let mut formulas = formulas.clone();
        let unbroken = clauses.iter().map(|&f| unbroken(&mut formulas, f)).collect();
        Self { formulas, alphabet, counter, clauses, unbroken }
    }

    /// A play with the fewest failing clauses and of those with the fewest letters, at best the known one, which fails
    /// `failures` clauses; and whether it is known to be one.
    pub(super) fn shortest(&self, known: Endless, failures: usize, budget: &Budget) -> (Endless, bool) {
        let mut best = known;
        let exact = self.improve(&mut best, failures, budget).is_ok();
        (best, exact)
    }

    fn improve(&self, best: &mut Endless, failures: usize, budget: &Budget) -> Result<(), Limit> {
        let better = (1..failures).find_map(|fewer| match self.failing_at_most(fewer, budget) {
            Ok(play) => play.map(|play| Ok((play, fewer))),
            Err(limit) => Some(Err(limit)),
        });
        let failures = match better.transpose()? {
            Some((play, fewer)) => {
                *best = play;
                fewer
            }
            None => failures,
        };
        for letters in 1..best.steps.len() {
            if let Some(play) = Question::new(self, letters, failures, budget)?.solve(budget)? {
                *best = self.plain(play, failures);
                break;
            }
        }
        Ok(())
    }

    /// Some play in which only so many clauses fail and none is broken.
    fn failing_at_most(&self, failures: usize, budget: &Budget) -> Result<Option<Endless>, Limit> {
        for set in subsets(self.clauses.len(), failures)? {
            let kept = (0..self.clauses.len()).filter(|i| !set.contains(i)).map(|i| self.clauses[i]);
            let guarantees = kept.chain(set.iter().map(|&i| self.unbroken[i])).collect();
            let contract = Contract { guarantees, ..Contract::default() };
            let part = budget_of(budget);
            let checked = certify_counter(&self.formulas, self.alphabet, &contract, self.counter, &part);
            budget.tick(part.work(), what)?;
            match checked {
                Ok(_) => {}
                Err(CertifyError::Violated(violation)) => return Ok(self.endless(&violation.play)),
                Err(CertifyError::Limit(limit)) => return Err(limit),
                Err(error) => return Err(Limit::new(LimitKind::Size, error.to_string())),
            }
        }
        Ok(None)
    }

    /// The play in which the system answers as in a word: the rounds of the loop until the machine is in a state in which
    /// a round began.
    fn endless(&self, word: &Lasso) -> Option<Endless> {
        let (mut state, mut at, mut steps) = (self.counter.initial, 0, Vec::new());
        let mut seen: FxHashMap<(StateId, usize), usize> = FxHashMap::default();
        loop {
            if let Some(&from) = seen.get(&(state, at)) {
                return Some(Endless { steps, from });
            }
            seen.insert((state, at), steps.len());
            let machine_state = &self.counter.states[state];
            let letter = self.alphabet.canonical(word.letter(at));
            let output = letter.iter().filter(|&bit| self.alphabet.owner(bit) == Player::System).collect();
            state = self.counter.edge(state, &output)?.next;
            steps.push(PlayStep { input: machine_state.input.clone(), output: Some(output) });
            at = word.successor(at);
        }
    }

    /// The play with the system idle wherever that changes neither the loop nor which clauses fail more than allowed.
    fn plain(&self, play: Endless, failures: usize) -> Endless {
        let idle = idle(self.alphabet);
        let mut play = play;
        for step in 0..play.steps.len() {
            for bits in choices(self.alphabet) {
                let mut outputs: Vec<Letter> = play.steps.iter().filter_map(|s| s.output.clone()).collect();
                let before = outputs[step].clone();
                for &bit in &bits {
                    if idle.contains(bit) {
                        outputs[step].insert(bit);
                    } else {
                        outputs[step].remove(bit);
                    }
                }
                if outputs[step] == before {
                    continue;
                }
                if let Some(other) = self.replay(outputs, play.from)
                    && self.failing(&other).is_some_and(|failing| failing <= failures)
                {
                    play = other;
                }
            }
        }
        play
    }

    /// The play with these answers, if the loop closes.
    fn replay(&self, outputs: Vec<Letter>, from: usize) -> Option<Endless> {
        let mut states = vec![self.counter.initial];
        let mut steps = Vec::new();
        for output in outputs {
            let state = *states.last()?;
            states.push(self.counter.edge(state, &output)?.next);
            steps.push(PlayStep { input: self.counter.states[state].input.clone(), output: Some(output) });
        }
        (states.last() == states.get(from)).then_some(Endless { steps, from })
    }

    /// How many clauses fail; `None` if one is broken.
    fn failing(&self, play: &Endless) -> Option<usize> {
        let letter = |step: &PlayStep| {
            let mut letter = step.input.clone();
            letter.union_with(step.output.as_ref()?);
            Some(letter)
        };
        let mut letters: Vec<Letter> = play.steps.iter().map(letter).collect::<Option<_>>()?;
        let cycle = letters.split_off(play.from);
        let word = Lasso { prefix: letters, cycle };
        let mut meaning = Meaning::new(&self.formulas, self.alphabet, &word);
        if !self.unbroken.iter().all(|&f| meaning.holds(f)) {
            return None;
        }
        Some(self.clauses.iter().filter(|&&f| !meaning.holds(f)).count())
    }
}

fn what() -> String {
    "looking for a shortest losing play".into()
}

/// A part of the budget for one question.
fn budget_of(budget: &Budget) -> Budget {
    Budget::unlimited().with_work(EMPTINESS_WORK.min(budget.left()))
}

/// The subsets of so many of the numbers below n, in lexicographic order.
fn subsets(n: usize, size: usize) -> Result<Vec<Vec<usize>>, Limit> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = all.iter().flat_map(|set| {
            let first = set.last().map_or(0, |&last| last + 1);
            (first..n).map(move |i| set.iter().copied().chain([i]).collect())
        });
        all = longer.collect();
        if all.len() > MAX_SETS {
            return Err(Limit::new(LimitKind::Size, what()));
        }
    }
    Ok(all)
}

/// The formula that holds on a word iff no prefix of it breaks `f`. O(size).
fn unbroken(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    // For each subformula: that no prefix makes it false, and that some prefix makes it true.
    let mut views: FxHashMap<FormulaId, (FormulaId, FormulaId)> = FxHashMap::default();
    let (top, bottom) = (formulas.top(), formulas.bottom());
    for g in formulas.subformulas(&[f]) {
        let view = match formulas.node(g).clone() {
            Node::True | Node::False | Node::Atom(_) => (g, g),
            Node::Not(h) => {
                let (weak, strong) = views[&h];
                (formulas.not(strong), formulas.not(weak))
            }
            Node::And(hs) => {
                (formulas.and(hs.iter().map(|h| views[h].0)), formulas.and(hs.iter().map(|h| views[h].1)))
            }
            Node::Or(hs) => {
                (formulas.or(hs.iter().map(|h| views[h].0)), formulas.or(hs.iter().map(|h| views[h].1)))
            }
            Node::Iff(a, b) => {
                let ((wa, sa), (wb, sb)) = (views[&a], views[&b]);
                let mut equal = |yes: [FormulaId; 2], no: [FormulaId; 2]| {
                    let no = no.map(|h| formulas.not(h));
                    let (both, neither) = (formulas.and(yes), formulas.and(no));
                    formulas.or([both, neither])
                };
                (equal([wa, wb], [sa, sb]), equal([sa, sb], [wa, wb]))
            }
            Node::Next(h) => (formulas.next(views[&h].0), formulas.next(views[&h].1)),
            Node::Finally(h) => (top, formulas.finally(views[&h].1)),
            Node::Globally(h) => (formulas.globally(views[&h].0), bottom),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                (formulas.weak_until(views[&a].0, views[&b].0), formulas.until(views[&a].1, views[&b].1))
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => (
                formulas.release(views[&a].0, views[&b].0),
                formulas.strong_release(views[&a].1, views[&b].1),
            ),
        };
        views.insert(g, view);
    }
    views[&f].0
}

/// Is there a play of so many letters in which no clause is broken and only so many fail?
struct Question<'a> {
    plays: &'a Plays<'a>,
    letters: usize,
    solver: BasicSolver,
    variables: BasicVarManager,
    clauses: u64,
    /// A literal that is true.
    yes: Lit,
    /// By step and bit.
    bits: Vec<FxHashMap<BitId, Lit>>,
    /// Where the loop begins.
    from: Vec<Lit>,
}

impl<'a> Question<'a> {
    fn new(plays: &'a Plays<'a>, letters: usize, failures: usize, budget: &Budget) -> Result<Self, Limit> {
        let mut variables = BasicVarManager::default();
        let yes = variables.new_var().pos_lit();
        let from = (0..letters).map(|_| variables.new_var().pos_lit()).collect();
        let solver = BasicSolver::default();
        let mut this = Self {
            plays,
            letters,
            solver,
            variables,
            clauses: 0,
            yes,
            bits: vec![FxHashMap::default(); letters],
            from,
        };
        this.clause([yes])?;
        this.clause(this.from.clone())?;
        this.at_most(&this.from.clone(), 1)?;
        this.machine()?;
        budget.tick(this.clauses / 16, what)?;
        this.words(failures)?;
        budget.tick(this.clauses / 16, what)?;
        Ok(this)
    }

    fn fresh(&mut self) -> Lit {
        self.variables.new_var().pos_lit()
    }

    fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) -> Result<(), Limit> {
        let clause: Clause = literals.into_iter().collect();
        self.clauses += 1;
        if self.clauses > MAX_CLAUSES {
            return Err(Limit::new(LimitKind::Size, what()));
        }
        self.solver.add_clause(clause).expect("the solver takes every clause");
        Ok(())
    }

    /// A literal that is true iff all of these are.
    fn all(&mut self, literals: &[Lit]) -> Result<Lit, Limit> {
        if let [only] = literals {
            return Ok(*only);
        }
        let all = self.fresh();
        for &literal in literals {
            self.clause([!all, literal])?;
        }
        self.clause(literals.iter().map(|&literal| !literal).chain([all]))?;
        Ok(all)
    }

    fn some(&mut self, literals: &[Lit]) -> Result<Lit, Limit> {
        let not: Vec<Lit> = literals.iter().map(|&literal| !literal).collect();
        Ok(!self.all(&not)?)
    }

    fn equal(&mut self, a: Lit, b: Lit) -> Result<Lit, Limit> {
        let (both, neither) = (self.all(&[a, b])?, self.all(&[!a, !b])?);
        self.some(&[both, neither])
    }

    fn at_most(&mut self, literals: &[Lit], most: usize) -> Result<(), Limit> {
        for set in subsets(literals.len(), most + 1)? {
            self.clause(set.into_iter().map(|i| !literals[i]))?;
        }
        Ok(())
    }

    fn bit(&mut self, step: usize, bit: BitId) -> Lit {
        if let Some(&literal) = self.bits[step].get(&bit) {
            return literal;
        }
        let literal = self.fresh();
        self.bits[step].insert(bit, literal);
        literal
    }

    /// The letters that the machine allows, and that its state at the end is that where the loop begins.
    fn machine(&mut self) -> Result<(), Limit> {
        let (counter, alphabet) = (self.plays.counter, self.plays.alphabet);
        let mut reached = vec![BTreeMap::from([(counter.initial, self.yes)])];
        for step in 0..self.letters {
            self.codes(step)?;
            let mut guards: FxHashMap<Guard, Lit> = FxHashMap::default();
            let mut next: BTreeMap<StateId, Vec<Lit>> = BTreeMap::new();
            for (&state, &here) in &reached[step] {
                for edge in &counter.states[state].edges {
                    let guard = self.guard(step, edge.guard, &mut guards)?;
                    let taken = self.all(&[here, guard])?;
                    next.entry(edge.next).or_default().push(taken);
                }
            }
            let mut then = BTreeMap::new();
            for (state, ways) in next {
                then.insert(state, self.some(&ways)?);
            }
            reached.push(then);
        }
        for step in 0..self.letters {
            for bit in alphabet.bits_of(Player::Environment) {
                let given =
                    reached[step].iter().filter(|(state, _)| counter.states[**state].input.contains(bit));
                let literals: Vec<Lit> = given.map(|(_, &literal)| literal).collect();
                let given = self.some(&literals)?;
                self.bits[step].insert(bit, given);
            }
            let mut closes = vec![!self.from[step]];
            for (state, &end) in &reached[self.letters] {
                if let Some(&begin) = reached[step].get(state) {
                    closes.push(self.all(&[begin, end])?);
                }
            }
            self.clause(closes)?;
        }
        Ok(())
    }

    /// Every cell has the code of one of its options.
    fn codes(&mut self, step: usize) -> Result<(), Limit> {
        for cell in self.plays.alphabet.cells() {
            for code in cell.options.len()..1 << cell.bits.len() {
                let mut differs = Vec::new();
                for (i, &bit) in cell.bits.iter().enumerate() {
                    let literal = self.bit(step, bit);
                    differs.push(if code >> i & 1 == 1 { !literal } else { literal });
                }
                self.clause(differs)?;
            }
        }
        Ok(())
    }

    /// That the letter of a step is in a set.
    fn guard(&mut self, step: usize, guard: Guard, known: &mut FxHashMap<Guard, Lit>) -> Result<Lit, Limit> {
        let guards = &self.plays.counter.guards;
        let mut stack = vec![guard];
        while let Some(&top) = stack.last() {
            if known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let Some((bit, low, high)) = guards.branch(top) else {
                known.insert(top, if top == Guard::TRUE { self.yes } else { !self.yes });
                continue;
            };
            match (known.get(&low).copied(), known.get(&high).copied()) {
                (Some(low), Some(high)) => {
                    let bit = self.bit(step, bit);
                    let (then, otherwise) = (self.all(&[bit, high])?, self.all(&[!bit, low])?);
                    let either = self.some(&[then, otherwise])?;
                    known.insert(top, either);
                }
                _ => stack.extend([low, high]),
            }
        }
        Ok(known[&guard])
    }

    /// No clause is broken, and only so many fail.
    fn words(&mut self, failures: usize) -> Result<(), Limit> {
        let plays = self.plays;
        let roots: Vec<FormulaId> = plays.clauses.iter().chain(&plays.unbroken).copied().collect();
        let mut values: FxHashMap<FormulaId, Vec<Lit>> = FxHashMap::default();
        for f in plays.formulas.subformulas(&roots) {
            let value = self.values(f, &values)?;
            values.insert(f, value);
        }
        for f in &plays.unbroken {
            self.clause([values[f][0]])?;
        }
        let fails: Vec<Lit> = plays.clauses.iter().map(|f| !values[f][0]).collect();
        self.at_most(&fails, failures)
    }

    /// The truth of a formula at every step.
    fn values(&mut self, f: FormulaId, known: &FxHashMap<FormulaId, Vec<Lit>>) -> Result<Vec<Lit>, Limit> {
        let node = self.plays.formulas.node(f).clone();
        let each = 0..self.letters;
        match node {
            Node::True => Ok(vec![self.yes; self.letters]),
            Node::False => Ok(vec![!self.yes; self.letters]),
            Node::Atom(atom) => each.map(|i| self.atom(i, atom)).collect(),
            Node::Not(g) => Ok(known[&g].iter().map(|&literal| !literal).collect()),
            Node::And(gs) => each.map(|i| self.all(&operands(&gs, known, i))).collect(),
            Node::Or(gs) => each.map(|i| self.some(&operands(&gs, known, i))).collect(),
            Node::Iff(a, b) => each.map(|i| self.equal(known[&a][i], known[&b][i])).collect(),
            Node::Next(g) => {
                let mut values = known[&g][1..].to_vec();
                values.push(self.where_the_loop_begins(&known[&g])?);
                Ok(values)
            }
            Node::Finally(g) => self.fixpoint(false, |this, i, next| this.some(&[known[&g][i], next])),
            Node::Globally(g) => self.fixpoint(true, |this, i, next| this.all(&[known[&g][i], next])),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                self.fixpoint(matches!(node, Node::WeakUntil(..)), |this, i, next| {
                    let stay = this.all(&[known[&a][i], next])?;
                    this.some(&[known[&b][i], stay])
                })
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                self.fixpoint(matches!(node, Node::Release(..)), |this, i, next| {
                    let stay = this.some(&[known[&a][i], next])?;
                    this.all(&[known[&b][i], stay])
                })
            }
        }
    }

    fn atom(&mut self, step: usize, atom: AtomId) -> Result<Lit, Limit> {
        let alphabet = self.plays.alphabet;
        match alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => Ok(self.bit(step, bit)),
            AtomKind::Update(cell, index) => {
                let mut code = vec![self.yes];
                for (i, &bit) in alphabet.cells()[cell].bits.iter().enumerate() {
                    let literal = self.bit(step, bit);
                    code.push(if index >> i & 1 == 1 { literal } else { !literal });
                }
                self.all(&code)
            }
        }
    }

    /// The value that a formula has at the step to which the last one leads back.
    fn where_the_loop_begins(&mut self, values: &[Lit]) -> Result<Lit, Limit> {
        let mut ways = Vec::new();
        for (&from, &value) in self.from.clone().iter().zip(values) {
            ways.push(self.all(&[from, value])?);
        }
        self.some(&ways)
    }

    /// Two backward rounds from a value reach the fixpoint.
    fn fixpoint(
        &mut self,
        start: bool,
        step: impl Fn(&mut Self, usize, Lit) -> Result<Lit, Limit>,
    ) -> Result<Vec<Lit>, Limit> {
        let mut next = if start { self.yes } else { !self.yes };
        let mut values = vec![next; self.letters];
        for _ in 0..2 {
            for i in (0..self.letters).rev() {
                values[i] = step(self, i, next)?;
                next = values[i];
            }
            next = self.where_the_loop_begins(&values)?;
        }
        Ok(values)
    }

    fn solve(mut self, budget: &Budget) -> Result<Option<Endless>, Limit> {
        if !satisfiable(&mut self.solver, self.clauses, MAX_DECISIONS, budget, what)? {
            return Ok(None);
        }
        let holds = |lit: Lit| matches!(self.solver.lit_val(lit), Ok(TernaryVal::True));
        let idle = idle(self.plays.alphabet);
        let outputs = self.bits.iter().map(|bits| {
            let value = |bit: &BitId| bits.get(bit).map_or(idle.contains(*bit), |&literal| holds(literal));
            let own = self.plays.alphabet.bits_of(Player::System);
            own.filter(|bit| value(bit)).collect::<Letter>()
        });
        let from = self.from.iter().position(|&literal| holds(literal)).unwrap_or(0);
        let play = self.plays.replay(outputs.collect(), from);
        debug_assert!(play.is_some(), "the solver's play is one of the machine");
        Ok(play)
    }
}

fn operands(gs: &[FormulaId], known: &FxHashMap<FormulaId, Vec<Lit>>, i: usize) -> Vec<Lit> {
    gs.iter().map(|g| known[g][i]).collect()
}
