//! Search for plays with a given number of letters against a counter-strategy, by SAT.
//!
//! Encoding of formulas on lassos: Latvala, Biere, Heljanko and Junttila 2004, "Simple bounded LTL model checking": two
//! backward rounds give the fixpoints, as in [`tsl_synth_core::logic::LassoSemantics`]. O(letters · (formulas + edges of the
//! machine)) clauses. A play that is found is replayed on the machine.

use super::endless::{CounterPlays, subsets, what};
use super::letters::idle;
use super::tuning::{MAX_CLAUSES, MAX_DECISIONS};
use rustc_hash::FxHashMap;
use rustsat::types::Lit;
use std::collections::BTreeMap;
use tsl_synth_core::base::{Budget, Limit, LimitKind, Sat};
use tsl_synth_core::logic::{AtomId, AtomKind, BitId, FormulaId, Guard, Letter, Node, Player};
use tsl_synth_core::model::StateId;

/// The answers of the system in a play of `letters` letters in which no clause is broken and at least one and at most
/// `failures` clauses fail, and the step where the loop begins; `None` if there is none.
///
/// # Errors
/// A limit of the solver or of the budget.
pub(super) fn lasso(
    plays: &CounterPlays<'_>,
    letters: usize,
    failures: usize,
    budget: &Budget,
) -> Result<Option<(Vec<Letter>, usize)>, Limit> {
    LassoQuestion::new(plays, letters, failures, budget)?.solve(budget)
}

struct LassoQuestion<'a> {
    plays: &'a CounterPlays<'a>,
    letters: usize,
    sat: Sat,
    /// A literal that is true.
    yes: Lit,
    /// By step and bit.
    bits: Vec<FxHashMap<BitId, Lit>>,
    /// Where the loop begins.
    from: Vec<Lit>,
}

impl<'a> LassoQuestion<'a> {
    fn new(
        plays: &'a CounterPlays<'a>,
        letters: usize,
        failures: usize,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut sat = Sat::default();
        let yes = sat.fresh();
        let from = (0..letters).map(|_| sat.fresh()).collect();
        let mut this = Self { plays, letters, sat, yes, bits: vec![FxHashMap::default(); letters], from };
        this.clause([yes])?;
        this.clause(this.from.clone())?;
        this.at_most(&this.from.clone(), 1)?;
        this.machine()?;
        budget.tick(this.sat.clauses() / 16, what)?;
        this.words(failures)?;
        budget.tick(this.sat.clauses() / 16, what)?;
        Ok(this)
    }

    fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) -> Result<(), Limit> {
        if self.sat.clauses() == MAX_CLAUSES {
            return Err(Limit::new(LimitKind::Size, what()));
        }
        self.sat.add(literals);
        Ok(())
    }

    /// A literal that is true iff all of these are.
    fn all(&mut self, literals: &[Lit]) -> Result<Lit, Limit> {
        if let [only] = literals {
            return Ok(*only);
        }
        let all = self.sat.fresh();
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
        let literal = self.sat.fresh();
        self.bits[step].insert(bit, literal);
        literal
    }

    /// The letters are those of a play of the machine, and its final state is the state in which the loop begins.
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

    /// A literal for: the letter of a step is in a guard.
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

    /// No clause is broken, and at least one and at most `failures` clauses fail.
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
        self.clause(fails.clone())?;
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

    /// The value of a formula at the step where the loop begins.
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

    fn solve(mut self, budget: &Budget) -> Result<Option<(Vec<Letter>, usize)>, Limit> {
        if !self.sat.satisfiable(MAX_DECISIONS, budget, what)? {
            return Ok(None);
        }
        let holds = |lit: Lit| self.sat.holds(lit);
        let idle = idle(self.plays.alphabet);
        let outputs = self.bits.iter().map(|bits| {
            let value = |bit: &BitId| bits.get(bit).map_or(idle.contains(*bit), |&literal| holds(literal));
            let own = self.plays.alphabet.bits_of(Player::System);
            own.filter(|bit| value(bit)).collect::<Letter>()
        });
        let from = self.from.iter().position(|&literal| holds(literal)).unwrap_or(0);
        Ok(Some((outputs.collect(), from)))
    }
}

fn operands(gs: &[FormulaId], known: &FxHashMap<FormulaId, Vec<Lit>>, i: usize) -> Vec<Lit> {
    gs.iter().map(|g| known[g][i]).collect()
}
