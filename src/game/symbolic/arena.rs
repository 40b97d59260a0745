//! The product of the components as decision diagrams: state bits with transition functions, marks, and the
//! letters on which a safety component dies.

use super::diagrams::{Bdd, Diagrams, Replacement};
use super::layout::Layout;
use crate::base::{Budget, Id, IdVec, Limit, LimitKind};
use crate::game::components::{Color, Components};
use crate::game::condition::Condition;
use crate::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use crate::model::{Role, RunStateId};
use oxidd::Function;
use rustc_hash::FxHashMap;

/// What has happened to the contract: which role is violated beyond repair. A later mode is never left for an
/// earlier one, and only the violations that still matter are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mode {
    /// Nothing is violated.
    Open,
    /// A guarantee is violated: the system needs a violated assumption.
    Failed,
    /// An assumption is violated: the system owes only the restrictions.
    Freed,
    /// A restriction is violated: only a violated fact would save the system.
    Lost,
    /// A fact is violated: the system has won.
    Absurd,
}

impl Mode {
    /// All of them.
    pub(super) const ALL: [Self; 5] = [Self::Open, Self::Failed, Self::Freed, Self::Lost, Self::Absurd];

    /// The role whose violation leads from this mode to each later one, in the order in which they count.
    pub(super) fn exits(self) -> &'static [(Role, Mode)] {
        use Role::{Assumption, Fact, Guarantee, Restriction};
        match self {
            Self::Open => &[
                (Fact, Self::Absurd),
                (Restriction, Self::Lost),
                (Assumption, Self::Freed),
                (Guarantee, Self::Failed),
            ],
            Self::Failed => &[(Fact, Self::Absurd), (Restriction, Self::Lost), (Assumption, Self::Freed)],
            Self::Freed => &[(Fact, Self::Absurd), (Restriction, Self::Lost)],
            Self::Lost => &[(Fact, Self::Absurd)],
            Self::Absurd => &[],
        }
    }
    /// What the system must achieve if the mode is never left.
    pub(super) fn objective(self, components: &Components) -> Condition {
        let violated = match self {
            Self::Open => None,
            Self::Failed => Some(Role::Guarantee),
            Self::Freed => Some(Role::Assumption),
            Self::Lost => Some(Role::Restriction),
            Self::Absurd => Some(Role::Fact),
        };
        components.objective(violated).clone()
    }
    /// The components that decide the game from here on.
    pub(super) fn relevant(self, components: &Components) -> Vec<usize> {
        let colors = self.objective(components).colors();
        let mut all: Vec<usize> = colors.iter().flat_map(|&c| components.colors[c].components()).collect();
        for &(role, next) in self.exits() {
            all.extend(&components.part(role).safety);
            if !components.part(role).safety.is_empty() {
                all.extend(next.relevant(components));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The variables and functions of the game.
pub(super) struct Arena<'a> {
    pub(super) diagrams: Diagrams<'a>,
    pub(super) alphabet: &'a Alphabet,
    pub(super) components: &'a Components,
    /// The variable of each bit of a letter and of the components' memory.
    letter: IdVec<BitId, usize>,
    /// The bit of the letter of each variable that is one.
    pub(super) bit_of: FxHashMap<usize, BitId>,
    /// The code of each state of each component.
    codes: Vec<Vec<usize>>,
    /// The variables of each component's state, least significant bit first.
    pub(super) state: Vec<Vec<usize>>,
    /// The edges of each color.
    pub(super) colors: Vec<Bdd>,
    /// The letters on which some safety component of a role dies.
    pub(super) violated: [Bdd; 4],
    /// The successor of every state bit: its variable and its function.
    pub(super) step_functions: Vec<(usize, Bdd)>,
    /// The same as a replacement.
    pub(super) step: Replacement,
    /// Variables for the turns of a circuit, above all others.
    pub(super) turns: Vec<usize>,
    pub(super) inputs: Bdd,
    pub(super) outputs: Bdd,
}

impl<'a> Arena<'a> {
    /// The arena over the best order of the layout, which keeps no other: the first, unless another one makes it less
    /// than half as large.
    pub(super) fn new(
        components: &'a Components,
        alphabet: &'a Alphabet,
        layout: &mut Layout,
        nodes: usize,
        turns: usize,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let mut best: Option<(usize, usize, Self)> = None;
        let mut full = None;
        for i in 0..layout.orders.len() {
            match Self::ordered(components, alphabet, layout, &layout.orders[i], nodes, turns, budget) {
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
                Ok(arena)
            }
            (None, Some(limit)) => Err(limit),
            (None, None) => {
                Err(Limit::new(LimitKind::Size, "a symbolic game without an order of its variables"))
            }
        }
    }

    fn ordered(
        components: &'a Components,
        alphabet: &'a Alphabet,
        layout: &Layout,
        order: &[usize],
        nodes: usize,
        turns: usize,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        // Every second one is the variable before it in the next step.
        let place = |v: usize| 2 * order[v] + turns;
        let letter: IdVec<BitId, usize> = (0..layout.bits).map(place).collect();
        let state = layout.state.iter().map(|bits| bits.iter().map(|&v| place(v)).collect()).collect();
        let diagrams = Diagrams::new(nodes, turns + 2 * order.len(), budget)?;
        let cube =
            |player| diagrams.conjunction(alphabet.bits_of(player).map(|bit| diagrams.variable(letter[bit])));
        let (inputs, outputs) = (cube(Player::Environment)?, cube(Player::System)?);
        let of_letter = letter.enumerate().take(alphabet.bit_count());
        let bit_of = of_letter.map(|(bit, &v)| (v, bit)).collect();
        let none = diagrams.bottom.clone();
        let mut arena = Self {
            alphabet,
            components,
            letter,
            bit_of,
            codes: layout.codes.clone(),
            state,
            colors: Vec::new(),
            violated: [none.clone(), none.clone(), none.clone(), none],
            step_functions: Vec::new(),
            step: Diagrams::replacement(Vec::new(), Vec::new()),
            turns: (0..turns).collect(),
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
        functions.chain(&self.colors).chain(&self.violated).map(Function::node_count).sum()
    }

    fn fill(&mut self) -> Result<(), Limit> {
        let (mut variables, mut functions) = (Vec::new(), Vec::new());
        let (mut marks, mut deaths) = (Vec::new(), Vec::new());
        for (c, automaton) in self.components.automata.iter().enumerate() {
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
        let memory = &self.components.memory;
        let mut memo = FxHashMap::default();
        for (bit, next) in memory.bits() {
            variables.push(self.letter[bit]);
            functions.push(self.guard(memory.guards(), next, &mut memo)?);
        }
        for role in ROLES {
            for &c in &self.components.part(role).safety {
                let slot = &mut self.violated[slot(role)];
                *slot = self.diagrams.or(slot, &deaths[c])?;
            }
        }
        for color in &self.components.colors {
            let edges = self.color(color, &marks)?;
            self.colors.push(edges);
        }
        self.step_functions = variables.iter().copied().zip(functions.iter().cloned()).collect();
        self.step = Diagrams::replacement(variables, functions);
        Ok(())
    }

    /// The edges of a color, given the accepting edges of each component.
    fn color(&self, color: &Color, marks: &[Bdd]) -> Result<Bdd, Limit> {
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

    /// The set of one state of a component.
    fn code(&self, c: usize, q: RunStateId) -> Result<Bdd, Limit> {
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

    /// The variables of a position's states and of the bits of memory that matter to it, given the true ones.
    pub(super) fn assignment(
        &self,
        relevant: &[usize],
        states: &[RunStateId],
        remembered: &[BitId],
        memory: &Letter,
    ) -> Vec<(usize, bool)> {
        let mut assignment: Vec<(usize, bool)> =
            remembered.iter().map(|&bit| (self.letter[bit], memory.contains(bit))).collect();
        for (&c, &q) in relevant.iter().zip(states) {
            let code = self.codes[c][q.index()];
            assignment.extend(self.state[c].iter().enumerate().map(|(i, &v)| (v, code >> i & 1 == 1)));
        }
        assignment.sort_unstable();
        assignment
    }

    /// The initial position: every component in its initial state, which has code 0, and no memory.
    pub(super) fn initial(&self) -> Vec<(usize, bool)> {
        let memory = self.components.memory.bits().map(|(bit, _)| &self.letter[bit]);
        self.state.iter().flatten().chain(memory).map(|&v| (v, false)).collect()
    }

    /// The variable of a bit of the next state, given that of this one.
    pub(super) fn next(state: usize) -> usize {
        state + 1
    }

    /// The variable of a bit of a letter.
    pub(super) fn variable(&self, bit: BitId) -> usize {
        self.letter[bit]
    }

    /// The letters on which a role is violated.
    pub(super) fn violated(&self, role: Role) -> &Bdd {
        &self.violated[slot(role)]
    }
}

const ROLES: [Role; 4] = [Role::Fact, Role::Restriction, Role::Assumption, Role::Guarantee];

fn slot(role: Role) -> usize {
    ROLES.iter().position(|&r| r == role).expect("all roles are listed")
}
