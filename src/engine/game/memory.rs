//! Bits of memory that all automata of a game share: each is false at first, and its next value is a function
//! of the letter and of the other bits. The labels of automata read them like bits of the letter.

use rustc_hash::FxHashMap;
use tsl_synth_automata::Labels;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, Class, FormulaId, Formulas, Guard, Guards, Letter, Node,
};

/// The shared memory of a game.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The atoms of the game, then one atom for every bit of memory.
    pub alphabet: Alphabet,
    /// The first bit of memory; all bits of the alphabet from there on are memory.
    first: BitId,
    labels: Labels,
    /// The next value of each bit of memory.
    next: Vec<Guard>,
    /// The past values of Boolean formulas that are false in the letter without true bits, most recent first.
    lines: FxHashMap<FormulaId, Vec<FormulaId>>,
}

impl Memory {
    /// No memory yet.
    pub fn new(alphabet: &Alphabet) -> Self {
        let first = BitId::from_index(alphabet.bit_count());
        Self {
            alphabet: alphabet.clone(),
            first,
            labels: Labels::new(),
            next: Vec::new(),
            lines: FxHashMap::default(),
        }
    }
    /// The bits of memory with their next values, guards of [`Memory::guards`].
    pub fn bits(&self) -> impl Iterator<Item = (BitId, Guard)> + '_ {
        self.next.iter().enumerate().map(|(i, &next)| (BitId::from_index(self.first.index() + i), next))
    }
    /// The store of the next values.
    pub fn guards(&self) -> &Guards {
        &self.labels.guards
    }
    /// The store of the next values, to add to it.
    pub(super) fn guards_mut(&mut self) -> &mut Guards {
        &mut self.labels.guards
    }
    /// The letters that satisfy a Boolean formula, a guard of the memory's own store.
    pub(super) fn guard(&mut self, formulas: &Formulas, f: FormulaId) -> Guard {
        self.labels.guard(formulas, &self.alphabet, f)
    }
    /// A new bit, false forever until its next value is defined.
    pub(super) fn reserve(&mut self) -> BitId {
        self.alphabet.add_input(format!("m{}", self.next.len()));
        self.next.push(Guard::FALSE);
        BitId::from_index(self.alphabet.bit_count() - 1)
    }
    /// A new bit as [`Memory::reserve`], placed after another one in the order of bits.
    pub(super) fn reserve_behind(&mut self, other: BitId) -> BitId {
        let bit = BitId::from_index(self.alphabet.bit_count());
        self.labels.guards.put_behind(bit, other);
        self.alphabet.add_input_behind(format!("m{}", self.next.len()), other);
        self.next.push(Guard::FALSE);
        bit
    }
    /// The atom of a bit of memory.
    pub(super) fn atom(&self, bit: BitId) -> AtomId {
        let atoms = self.alphabet.atoms().len();
        AtomId::from_index(atoms - (self.alphabet.bit_count() - bit.index()))
    }
    /// Sets the next value of a reserved bit, a guard of the memory's own store.
    pub(super) fn define(&mut self, bit: BitId, next: Guard) {
        self.next[bit.index() - self.first.index()] = next;
    }
    /// How many bits there are.
    pub fn len(&self) -> usize {
        self.next.len()
    }
    /// Whether there is no memory.
    pub fn is_empty(&self) -> bool {
        self.next.is_empty()
    }
    /// The bits of memory among `read` and those that their later values depend on, in order.
    pub fn relevant(&self, read: impl IntoIterator<Item = BitId>) -> Vec<BitId> {
        let mut found = Letter::new();
        let mut stack: Vec<BitId> = read.into_iter().collect();
        while let Some(bit) = stack.pop() {
            if bit >= self.first && found.insert(bit) {
                stack.extend(self.labels.guards.support(self.next(bit)));
            }
        }
        found.iter().collect()
    }
    /// The next value of a bit of memory.
    pub fn next(&self, bit: BitId) -> Guard {
        self.next[bit.index() - self.first.index()]
    }
    /// The true bits of memory after a step; `letter` also contains the true bits of memory before it.
    pub fn step(&self, letter: &Letter) -> Letter {
        self.bits().map(|(bit, _)| bit).filter(|&bit| self.after(bit, letter)).collect()
    }
    /// Whether a bit of memory is true in the next step.
    pub fn after(&self, bit: BitId, letter: &Letter) -> bool {
        self.labels.guards.contains(self.next(bit), letter)
    }

    /// The formula for "the Boolean formula `f`, `k` ≥ 1 steps ago". The letters before the first step count as having
    /// no true bits. A delay line of `k` bits of memory stores the past of one formula: `f` has a line of its own if
    /// that takes fewer new bits than the lines of its atoms.
    pub fn past(&mut self, formulas: &mut Formulas, f: FormulaId, k: u32) -> FormulaId {
        if formulas.is_constant(f) {
            return f;
        }
        let (positive, negated) = self.quiet(formulas, f);
        let own = self.missing(positive, k);
        let atoms: Vec<FormulaId> = formulas.support(&[f]).iter().map(|a| formulas.atom(a)).collect();
        if atoms.len() > 1 {
            let apart: Vec<(FormulaId, bool)> = atoms.iter().map(|&a| self.quiet(formulas, a)).collect();
            if apart.iter().map(|&(a, _)| self.missing(a, k)).sum::<u32>() <= own {
                return self.past_of_atoms(formulas, f, k);
            }
        }
        let line = self.line(formulas, positive, k);
        if negated { formulas.not(line) } else { line }
    }

    /// The formula for "from the `k`-th step on", for `k` ≥ 1.
    pub fn started(&mut self, formulas: &mut Formulas, k: u32) -> FormulaId {
        self.line(formulas, formulas.top(), k)
    }

    /// The bit of [`Memory::started`].
    pub fn started_bit(&mut self, formulas: &mut Formulas, k: u32) -> BitId {
        let tap = self.started(formulas, k);
        match *formulas.node(tap) {
            Node::Atom(a) => match self.alphabet.atoms()[a].kind {
                AtomKind::Input(bit) => bit,
                _ => unreachable!("taps are inputs"),
            },
            _ => unreachable!("taps are atoms"),
        }
    }

    /// `f` or its negation, whichever is false in the letter without true bits, and whether it is the negation.
    fn quiet(&self, formulas: &mut Formulas, f: FormulaId) -> (FormulaId, bool) {
        debug_assert!(formulas.class(f).is(Class::BOOLEAN), "only Boolean formulas have a past");
        let letter = Letter::new();
        let empty = formulas.with_constants(f, &|a| Some(self.alphabet.holds(a, &letter)));
        if empty == formulas.top() { (formulas.not(f), true) } else { (f, false) }
    }

    fn missing(&self, f: FormulaId, k: u32) -> u32 {
        k.saturating_sub(self.lines.get(&f).map_or(0, |line| line.len() as u32))
    }

    fn line(&mut self, formulas: &mut Formulas, f: FormulaId, k: u32) -> FormulaId {
        let mut line = self.lines.remove(&f).unwrap_or_default();
        while (line.len() as u32) < k {
            let source = line.last().copied().unwrap_or(f);
            let next = self.guard(formulas, source);
            let name = format!("m{}", self.next.len());
            // Functions that depend on the past of a formula mostly depend on its present too: keep the bits adjacent.
            let atom = match self.labels.guards.support(next).last() {
                Some(&bit) => {
                    let new = BitId::from_index(self.alphabet.bit_count());
                    self.labels.guards.put_behind(new, bit);
                    self.alphabet.add_input_behind(name, bit)
                }
                None => self.alphabet.add_input(name),
            };
            self.next.push(next);
            line.push(formulas.atom(atom));
        }
        let tap = line[k as usize - 1];
        self.lines.insert(f, line);
        tap
    }

    /// As [`Memory::past`], with a line for each atom.
    pub fn past_of_atoms(&mut self, formulas: &mut Formulas, f: FormulaId, k: u32) -> FormulaId {
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for g in formulas.subformulas(&[f]) {
            let node = formulas.node(g).clone();
            let delayed = if let Node::Atom(_) = node {
                let (positive, negated) = self.quiet(formulas, g);
                let line = self.line(formulas, positive, k);
                if negated { formulas.not(line) } else { line }
            } else {
                let mut operands = Vec::new();
                node.for_each_operand(|h| operands.push(done[&h]));
                formulas.rebuild(&node, &operands)
            };
            done.insert(g, delayed);
        }
        done[&f]
    }
}
