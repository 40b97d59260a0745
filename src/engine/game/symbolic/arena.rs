//! The product of the automata as decision diagrams: state bits with transition functions, marks, and the
//! letters on which a safety automaton dies.

use super::diagrams::{Bdd, Diagrams, Replacement};
use super::layout::VariableLayout;
use super::sift::sifted;
use crate::game::colors::{AutomatonId, Color, ColorId};
use crate::game::compiled::CompiledContract;
use crate::game::condition::ColorCondition;
pub(super) use crate::game::mode::Mode;
use crate::game::role::GameRole;
use crate::game::tuning::WORTH_SIFTING;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{BooleanFunction as _, Budget, Id, IdVec, Limit, LimitKind, Variable};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::RunStateId;

/// The variables and functions of the game.
pub(super) struct SymbolicArena<'a> {
    pub(super) diagrams: Diagrams<'a>,
    pub(super) alphabet: &'a Alphabet,
    pub(super) compiled: &'a CompiledContract,
    /// The variable of each bit of a letter and of the automata's memory.
    letter: IdVec<BitId, Variable>,
    /// The bit of the letter of each variable that stands for one.
    pub(super) bit_of: FxHashMap<Variable, BitId>,
    /// The code of each state of each automaton.
    codes: IdVec<AutomatonId, Vec<usize>>,
    /// The variables of each automaton's state, least significant bit first.
    pub(super) state: IdVec<AutomatonId, Vec<Variable>>,
    /// The edges of each color.
    pub(super) colors: IdVec<ColorId, Bdd>,
    /// The letters on which some safety automaton of a duty dies.
    violated: [Bdd; 5],
    /// The successor of every state bit: its variable and its function.
    pub(super) step_functions: Vec<(Variable, Bdd)>,
    /// `step_functions` as a replacement.
    pub(super) step: Replacement,
    /// Variables for the turns of a circuit, above all others.
    pub(super) turns: Vec<Variable>,
    pub(super) inputs: Bdd,
    pub(super) outputs: Bdd,
}

impl<'a> SymbolicArena<'a> {
    /// The arena over the best order of the layout: the first, unless another order makes it less than half as large.
    /// The layout keeps only the best order.
    pub(super) fn new(
        compiled: &'a CompiledContract,
        alphabet: &'a Alphabet,
        layout: &mut VariableLayout,
        nodes: usize,
        turns: usize,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let mut best: Option<(usize, usize, Self)> = None;
        let mut full = None;
        for i in 0..layout.orders.len() {
            match Self::ordered(compiled, alphabet, layout, &layout.orders[i], nodes, turns, budget) {
                Ok(arena) => {
                    let size = arena.size();
                    if best.as_ref().is_none_or(|&(_, smallest, _)| 2 * size < smallest) {
                        best = Some((i, size, arena));
                    }
                }
                Err(limit) if limit.kind == LimitKind::Memory => full = Some(limit),
                Err(limit) => return Err(limit),
            }
        }
        match (best, full) {
            (Some((i, _, arena)), _) => {
                layout.orders = vec![layout.orders.swap_remove(i)];
                match arena.sifted(layout, turns) {
                    Some(order) => {
                        layout.orders = vec![order];
                        Self::ordered(compiled, alphabet, layout, &layout.orders[0], nodes, turns, budget)
                    }
                    None => Ok(arena),
                }
            }
            (None, Some(limit)) => Err(limit),
            (None, None) => {
                Err(Limit::new(LimitKind::Size, "a symbolic game without an order of its variables"))
            }
        }
    }

    fn ordered(
        compiled: &'a CompiledContract,
        alphabet: &'a Alphabet,
        layout: &VariableLayout,
        order: &[usize],
        nodes: usize,
        turns: usize,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        // Every second variable is the next-state variable of the one before it.
        let position = |v: usize| Variable::from_index(2 * order[v] + turns);
        let letter: IdVec<BitId, Variable> = (0..layout.bits).map(position).collect();
        let state = layout.state.iter().map(|bits| bits.iter().map(|&v| position(v)).collect()).collect();
        let diagrams = Diagrams::new(nodes, turns + 2 * order.len(), budget)?;
        let cube =
            |player| diagrams.conjunction(alphabet.bits_of(player).map(|bit| diagrams.variable(letter[bit])));
        let (inputs, outputs) = (cube(Player::Environment)?, cube(Player::System)?);
        let of_letter = letter.enumerate().take(alphabet.bit_count());
        let bit_of = of_letter.map(|(bit, &v)| (v, bit)).collect();
        let none = diagrams.bottom.clone();
        let mut arena = Self {
            alphabet,
            compiled,
            letter,
            bit_of,
            codes: layout.codes.clone(),
            state,
            colors: IdVec::new(),
            violated: [0; 5].map(|_| none.clone()),
            step_functions: Vec::new(),
            step: Diagrams::replacement(Vec::new(), Vec::new()),
            turns: (0..turns).map(Variable::from_index).collect(),
            inputs,
            outputs,
            diagrams,
        };
        arena.fill()?;
        Ok(arena)
    }

    /// The sizes of all diagrams together.
    fn size(&self) -> usize {
        let functions = self.step_functions.iter().map(|(_, function)| function);
        functions.chain(&self.colors).chain(&self.violated).map(Bdd::node_count).sum()
    }

    /// An order in which the diagrams are less than half as large, searched for once. A bit that stores the last value
    /// of an atom stays next to it, so that substituting the next values in a region nearly keeps the order of its
    /// variables.
    fn sifted(&self, layout: &mut VariableLayout, turns: usize) -> Option<Vec<usize>> {
        if std::mem::replace(&mut layout.sifted, true) || self.size() < WORTH_SIFTING {
            return None;
        }
        let variables = layout.orders[0].len();
        let functions = self.step_functions.iter().map(|(_, function)| function);
        let functions = functions.chain(&self.colors).chain(&self.violated);
        let order: Vec<Variable> =
            (0..variables).map(|position| Variable::from_index(2 * position + turns)).collect();
        let is_atom = |low: &Bdd, high: &Bdd| *low == self.diagrams.bottom && *high == self.diagrams.top;
        let pairs: Vec<(Variable, Variable)> = self
            .step_functions
            .iter()
            .filter_map(|(v, function)| Diagrams::branch(function).map(|branch| (*v, branch)))
            .filter(|(_, (_, low, high))| is_atom(low, high))
            .map(|(v, (atom, ..))| (atom, v))
            .collect();
        // If sifting runs out of nodes or time, the first order stays.
        let found = sifted(&order, &pairs, functions, self.diagrams.budget).ok()?;
        if found.nodes[1] * 2 > found.nodes[0] {
            return None;
        }
        let mut order = vec![0; variables];
        let at = |position: usize| Variable::from_index(2 * position + turns);
        let variable_at: FxHashMap<Variable, usize> =
            layout.orders[0].iter().enumerate().map(|(v, &position)| (at(position), v)).collect();
        for (position, at) in found.order.into_iter().enumerate() {
            order[variable_at[&at]] = position;
        }
        Some(order)
    }

    fn fill(&mut self) -> Result<(), Limit> {
        let (mut variables, mut functions) = (Vec::new(), Vec::new());
        let (mut marks, mut deaths) = (IdVec::new(), IdVec::new());
        for (c, automaton) in self.compiled.automata.enumerate() {
            let mut bits = vec![self.diagrams.bottom.clone(); self.state[c].len()];
            let mut mark = self.diagrams.bottom.clone();
            let mut death = self.diagrams.bottom.clone();
            let mut memo = FxHashMap::default();
            for (q, edges) in automaton.states.enumerate() {
                if Some(q) == automaton.dead && q != automaton.initial && self.codes[c][q.index()] == 0 {
                    // It has no code: the mode ends.
                    continue;
                }
                let here = self.code(c, q)?;
                for edge in edges {
                    let guard = self.guard(&automaton.guards, edge.guard, &mut memo)?;
                    let taken = self.diagrams.and(&here, &guard)?;
                    if edge.accepting {
                        mark = self.diagrams.or(&mark, &taken)?;
                    }
                    if Some(edge.next) == automaton.dead {
                        death = self.diagrams.or(&death, &taken)?;
                    }
                    for (i, bit) in bits.iter_mut().enumerate() {
                        if self.codes[c][edge.next.index()] >> i & 1 == 1 {
                            *bit = self.diagrams.or(bit, &taken)?;
                        }
                    }
                }
            }
            variables.extend(&self.state[c]);
            functions.extend(bits);
            marks.push(mark);
            deaths.push(death);
        }
        let memory = &self.compiled.memory;
        let mut memo = FxHashMap::default();
        for (bit, next) in memory.bits() {
            variables.push(self.letter[bit]);
            functions.push(self.guard(memory.guards(), next, &mut memo)?);
        }
        for duty in DUTIES {
            for &c in &self.compiled.part(duty).safety {
                let slot = &mut self.violated[slot(duty)];
                *slot = self.diagrams.or(slot, &deaths[c])?;
            }
        }
        for color in &self.compiled.colors {
            let edges = self.color(color, &marks)?;
            self.colors.push(edges);
        }
        self.step_functions = variables.iter().copied().zip(functions.iter().cloned()).collect();
        self.step = Diagrams::replacement(variables, functions);
        Ok(())
    }

    /// The edges of a color, given the accepting edges of each automaton.
    fn color(&self, color: &Color, marks: &IdVec<AutomatonId, Bdd>) -> Result<Bdd, Limit> {
        let d = &self.diagrams;
        match color {
            Color::Accepting(c) => Ok(marks[*c].clone()),
            Color::All(parts) => {
                parts.iter().try_fold(d.top.clone(), |sum, part| d.and(&sum, &self.color(part, marks)?))
            }
            Color::Any(parts) => {
                parts.iter().try_fold(d.bottom.clone(), |sum, part| d.or(&sum, &self.color(part, marks)?))
            }
            Color::Not(color) => d.not(&self.color(color, marks)?),
        }
    }

    /// The set of one state of an automaton.
    fn code(&self, c: AutomatonId, q: RunStateId) -> Result<Bdd, Limit> {
        let code = self.codes[c][q.index()];
        let mut set = self.diagrams.top.clone();
        for (i, &v) in self.state[c].iter().enumerate() {
            let variable = self.diagrams.variable(v);
            set = if code >> i & 1 == 1 {
                self.diagrams.and(&set, variable)
            } else {
                self.diagrams.minus(&set, variable)
            }?;
        }
        Ok(set)
    }

    /// A guard as a diagram. Recursion is as deep as there are bits.
    fn guard(&self, guards: &Guards, guard: Guard, memo: &mut FxHashMap<Guard, Bdd>) -> Result<Bdd, Limit> {
        let Some((bit, low, high)) = guards.branch(guard) else {
            return Ok(self.diagrams.constant(guard == Guard::TRUE));
        };
        if let Some(done) = memo.get(&guard) {
            return Ok(done.clone());
        }
        let low = self.guard(guards, low, memo)?;
        let high = self.guard(guards, high, memo)?;
        let made = self.diagrams.ite(self.diagrams.variable(self.letter[bit]), &high, &low)?;
        memo.insert(guard, made.clone());
        Ok(made)
    }

    /// A position as an assignment of its state variables and of the relevant bits of memory, of which `memory`
    /// contains the true ones.
    pub(super) fn assignment(
        &self,
        relevant: &[AutomatonId],
        states: &[RunStateId],
        remembered: &[BitId],
        memory: &Letter,
    ) -> Vec<(Variable, bool)> {
        let mut assignment: Vec<(Variable, bool)> =
            remembered.iter().map(|&bit| (self.letter[bit], memory.contains(bit))).collect();
        for (&c, &q) in relevant.iter().zip(states) {
            let code = self.codes[c][q.index()];
            assignment.extend(self.state[c].iter().enumerate().map(|(i, &v)| (v, code >> i & 1 == 1)));
        }
        assignment.sort_unstable();
        assignment
    }

    /// The initial position: every automaton in its initial state, which has code 0, and no memory.
    pub(super) fn initial(&self) -> Vec<(Variable, bool)> {
        let memory = self.compiled.memory.bits().map(|(bit, _)| &self.letter[bit]);
        self.state.iter().flatten().chain(memory).map(|&v| (v, false)).collect()
    }

    /// The variable of a bit of the next state, given that of this one.
    pub(super) fn next(state: Variable) -> Variable {
        state.successor()
    }

    /// The variable of a bit of a letter.
    pub(super) fn variable(&self, bit: BitId) -> Variable {
        self.letter[bit]
    }

    /// Whether a system that has violated a guarantee can still win.
    pub(super) fn may_fail(&self) -> bool {
        let possible = |duty| *self.violated(duty) != self.diagrams.bottom;
        let saved = possible(GameRole::Assumption) || possible(GameRole::Fact);
        let objective = Mode::GuaranteeViolated.objective(self.compiled);
        possible(GameRole::Guarantee) && (saved || objective != ColorCondition::False)
    }

    /// The bits of states that no mode needs.
    pub(super) fn irrelevant(&self) -> Result<Bdd, Limit> {
        let relevant = Mode::Open.relevant(self.compiled);
        let mut needed: Vec<Variable> = relevant.iter().flat_map(|&c| &self.state[c]).copied().collect();
        needed.extend(self.compiled.memory_of(&relevant).into_iter().map(|bit| self.letter[bit]));
        let bits = self.step_functions.iter().map(|&(v, _)| v).filter(|v| !needed.contains(v));
        self.diagrams.conjunction(bits.map(|v| self.diagrams.variable(v)))
    }

    /// The letters on which no duty is violated.
    pub(super) fn stays(&self) -> Result<Bdd, Limit> {
        let d = &self.diagrams;
        self.violated.iter().try_fold(d.top.clone(), |stays, violated| d.minus(&stays, violated))
    }

    /// The letters on which a duty is violated.
    pub(super) fn violated(&self, duty: GameRole) -> &Bdd {
        &self.violated[slot(duty)]
    }
}

const DUTIES: [GameRole; 5] =
    [GameRole::Fact, GameRole::Restriction, GameRole::Assumption, GameRole::Promise, GameRole::Guarantee];

fn slot(duty: GameRole) -> usize {
    DUTIES.iter().position(|&d| d == duty).expect("all duties are listed")
}
