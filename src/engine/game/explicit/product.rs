//! The product of the automata as an explicit game, explored forward.
//!
//! A position is a list of diagrams over letters: the edges of each automaton in its state, and the next value of each
//! bit of memory, all under the current memory. States and memories that select the same diagrams are one position. The
//! environment chooses a diagram over outputs, the system an end of it. Products of diagrams are cached across
//! positions.

use super::ExplicitEffort;
use super::decisions::{Decisions, LetterDiagram, NOTHING};
use super::zielonka::{GameEdge, GameGraph};
use crate::game::colors::{AutomatonId, Color, ColorId, ColorPosition, Colors};
use crate::game::compiled::CompiledContract;
use crate::game::condition::ColorCondition;
use crate::game::mode::Mode;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_core::base::{Budget, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Letter, Player};
use tsl_synth_core::model::{DeterministicBuchi, RunStateId};

/// The vertices in which a player has won.
pub(super) const WON: [(Player, u32); 2] = [(Player::System, 0), (Player::Environment, 1)];

/// The relevant parts of the contract in a mode.
struct ModeInfo {
    /// The relevant automata; first those whose dead state ends the mode, in order of precedence.
    automata: Vec<AutomatonId>,
    /// The relevant bits of memory.
    remembered: Vec<BitId>,
    /// The colors of the condition.
    colors: IdVec<ColorPosition, ColorId>,
}

/// A part of the effect of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum EdgePart {
    /// The default: an automaton stays in its only state, a bit of memory becomes false.
    Nothing,
    /// The start of a chain of parts, in a mode.
    Start(Mode),
    /// An automaton takes an edge.
    Taken { automaton: AutomatonId, next: RunStateId, accepting: bool },
    /// A bit of memory becomes true.
    Remembered(BitId),
    /// A chain and one more part, and the mode that is entered because of them.
    Both { before: u32, this: u32, exit: Option<Mode> },
    /// The game is decided.
    Won(Player),
}

/// A vertex of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Vertex {
    /// A player has won.
    Won,
    /// The environment chooses inputs: the diagram over letters; `None` until the position is explored.
    Position(Option<LetterDiagram>),
    /// The system chooses outputs: the diagram over outputs.
    Choice(LetterDiagram),
}

/// The explored part of the game.
pub(super) struct ExplicitGame<'a> {
    compiled: &'a CompiledContract,
    pub(super) decisions: Decisions<'a>,
    mode_infos: BTreeMap<Mode, Rc<ModeInfo>>,
    /// The winner of a mode in which the moves do not matter; `None` for any other mode.
    decided_modes: BTreeMap<Mode, Option<Player>>,
    /// The state of each automaton with only one that is not dead, if no color depends on the automaton.
    only: IdVec<AutomatonId, Option<RunStateId>>,
    /// The diagram of each explored state of each automaton: the edge that is taken.
    states: IdVec<AutomatonId, FxHashMap<RunStateId, LetterDiagram>>,
    /// The diagram of each bit of memory: its next value.
    later: FxHashMap<BitId, LetterDiagram>,
    outcomes: Vec<EdgePart>,
    outcome_numbers: FxHashMap<EdgePart, u32>,
    /// The diagram of edges for each diagram of outcomes.
    settled: FxHashMap<LetterDiagram, LetterDiagram>,
    /// The edges at the ends of the diagrams of positions and choices.
    pub(super) edges: Vec<GameEdge>,
    edge_numbers: FxHashMap<GameEdge, u32>,
    pub(super) graph: GameGraph,
    pub(super) vertices: Vec<Vertex>,
    /// The mode and the diagrams of each position that is not explored.
    waiting: FxHashMap<u32, (Mode, Rc<[LetterDiagram]>)>,
    positions: FxHashMap<(Mode, Rc<[LetterDiagram]>), u32>,
    choices: FxHashMap<LetterDiagram, u32>,
    queue: std::collections::VecDeque<u32>,
    /// The vertex where the game begins.
    pub(super) initial: u32,
}

impl<'a> ExplicitGame<'a> {
    /// The initial position.
    ///
    /// # Errors
    /// More than [`Colors::MOST`] colors; the limits of diagrams and of the budget.
    pub(super) fn new(
        compiled: &'a CompiledContract,
        alphabet: &Alphabet,
        effort: ExplicitEffort,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let mut product = Self {
            compiled,
            decisions: Decisions::new(alphabet, compiled.memory.len(), effort, budget),
            mode_infos: BTreeMap::new(),
            decided_modes: BTreeMap::new(),
            only: only_states(compiled),
            states: IdVec::filled(FxHashMap::default(), compiled.automata.len()),
            later: FxHashMap::default(),
            outcomes: Vec::new(),
            outcome_numbers: FxHashMap::default(),
            settled: FxHashMap::default(),
            edges: Vec::new(),
            edge_numbers: FxHashMap::default(),
            graph: GameGraph::default(),
            vertices: Vec::new(),
            waiting: FxHashMap::default(),
            positions: FxHashMap::default(),
            choices: FxHashMap::default(),
            queue: std::collections::VecDeque::new(),
            initial: 0,
        };
        let nothing = product.outcome(EdgePart::Nothing);
        debug_assert_eq!(nothing, NOTHING);
        for mode in Mode::ALL {
            let decided = product.decided(mode);
            product.decided_modes.insert(mode, decided);
        }
        for (player, vertex) in WON {
            product.add(Vertex::Won, player, Mode::FactViolated);
            product.graph.edges[vertex as usize].push(GameEdge { to: vertex, colors: Colors::NONE });
        }
        product.initial = if let Some(player) = product.decided_modes[&Mode::Open] {
            won(player)
        } else {
            let initial = |&c: &AutomatonId| compiled.automata[c].initial;
            let mode_info = product.mode_info(Mode::Open)?;
            let states: Vec<RunStateId> = mode_info.automata.iter().map(initial).collect();
            product.position(Mode::Open, &states, &Letter::new())?
        };
        Ok(product)
    }

    /// How many positions are known.
    pub(super) fn positions(&self) -> usize {
        self.positions.len()
    }

    /// How many positions are not explored.
    pub(super) fn open(&self) -> usize {
        self.queue.len()
    }

    /// Whether there are any.
    pub(super) fn is_open(&self) -> bool {
        self.open() > 0
    }

    /// Explores the oldest unexplored position.
    pub(super) fn explore(&mut self) -> Result<(), Limit> {
        let Some(position) = self.queue.pop_front() else { return Ok(()) };
        let Some((mode, diagrams)) = self.waiting.remove(&position) else { return Ok(()) };
        self.decisions.begin();
        self.decisions.tick(1)?;
        let start = self.outcome(EdgePart::Start(mode));
        let mut whole = self.decisions.end(start);
        for &diagram in diagrams.iter() {
            let Self { compiled, decisions, decided_modes, outcomes, outcome_numbers, .. } = &mut *self;
            let mut chain = EdgePartChain { compiled, decided_modes, outcomes, outcome_numbers };
            whole = decisions.product(whole, diagram, &mut |before, this| chain.pair(before, this))?;
        }
        let diagram = self.settle(whole)?;
        self.vertices[position as usize] = Vertex::Position(Some(diagram));
        for choice in self.decisions.below(diagram, Decisions::is_of_outputs)? {
            self.decisions.tick(0)?;
            let to = self.choice(choice, mode)?;
            self.graph.edges[position as usize].push(GameEdge { to, colors: Colors::NONE });
        }
        Ok(())
    }

    fn add(&mut self, vertex: Vertex, owner: Player, mode: Mode) -> u32 {
        self.vertices.push(vertex);
        self.graph.owners.push(owner);
        self.graph.modes.push(mode);
        self.graph.edges.push(Vec::new());
        self.vertices.len() as u32 - 1
    }

    fn choice(&mut self, diagram: LetterDiagram, mode: Mode) -> Result<u32, Limit> {
        if let Some(&vertex) = self.choices.get(&diagram) {
            return Ok(vertex);
        }
        let vertex = self.add(Vertex::Choice(diagram), Player::System, mode);
        self.choices.insert(diagram, vertex);
        let ends = self.decisions.below(diagram, |decisions, d| decisions.number(d).is_some())?;
        let edges = ends.iter().filter_map(|&end| self.decisions.number(end));
        let edges = edges.map(|number| self.edges[number as usize]).collect();
        self.graph.edges[vertex as usize] = edges;
        Ok(vertex)
    }

    fn outcome(&mut self, outcome: EdgePart) -> u32 {
        number(outcome, &mut self.outcomes, &mut self.outcome_numbers)
    }

    /// The diagram of edges for a diagram of outcomes.
    fn settle(&mut self, diagram: LetterDiagram) -> Result<LetterDiagram, Limit> {
        let mut settled = std::mem::take(&mut self.settled);
        // Ends first, because they create positions.
        for end in self.decisions.below(diagram, |decisions, d| decisions.number(d).is_some())? {
            if settled.contains_key(&end) {
                continue;
            }
            let Some(outcome) = self.decisions.number(end) else { continue };
            // No work is counted, but the flags are read: a position may have many thousand edges.
            self.decisions.tick(0)?;
            let edge = self.edge(outcome)?;
            let edge = number(edge, &mut self.edges, &mut self.edge_numbers);
            let edge = self.decisions.end(edge);
            settled.insert(end, edge);
        }
        let mapped = self.decisions.map(diagram, &mut settled);
        self.settled = settled;
        mapped
    }

    /// The edge for a chain of outcomes.
    fn edge(&mut self, outcome: u32) -> Result<GameEdge, Limit> {
        let (mut taken, mut memory) = (FxHashMap::default(), Letter::new());
        let (mut here, mut exit) = (outcome, None);
        let from = loop {
            match self.outcomes[here as usize] {
                EdgePart::Won(player) => return Ok(GameEdge { to: won(player), colors: Colors::NONE }),
                EdgePart::Start(mode) => break mode,
                EdgePart::Both { before, this, exit: mode } => {
                    exit = exit.or(mode);
                    match self.outcomes[this as usize] {
                        EdgePart::Taken { automaton, next, accepting } => {
                            taken.insert(automaton, (next, accepting));
                        }
                        EdgePart::Remembered(bit) => {
                            memory.insert(bit);
                        }
                        _ => {}
                    }
                    here = before;
                }
                _ => unreachable!("pieces come second"),
            }
        };
        let mut colors = Colors::NONE;
        if exit.is_none() {
            let mode_info = self.mode_info(from)?;
            let accepting = |c: AutomatonId| taken.get(&c).is_some_and(|&(_, accepting)| accepting);
            let seen =
                |&(_, &color): &(ColorPosition, &ColorId)| self.compiled.colors[color].holds(&accepting);
            colors = mode_info.colors.enumerate().filter(seen).map(|(position, _)| position).collect();
        }
        let mode = exit.unwrap_or(from);
        let mode_info = self.mode_info(mode)?;
        let next = |&c: &AutomatonId| taken.get(&c).map(|&(next, _)| next).or(self.only[c]);
        let states: Option<Vec<RunStateId>> = mode_info.automata.iter().map(next).collect();
        let states = states.expect("an automaton with several states has taken an edge");
        Ok(GameEdge { to: self.position(mode, &states, &memory)?, colors })
    }

    /// The position of some states and a memory.
    fn position(&mut self, mode: Mode, states: &[RunStateId], memory: &Letter) -> Result<u32, Limit> {
        let mode_info = self.mode_info(mode)?;
        let mut diagrams = Vec::with_capacity(states.len() + mode_info.remembered.len());
        for (&c, &q) in mode_info.automata.iter().zip(states) {
            let diagram = self.state(c, q)?;
            diagrams.push(self.decisions.remembering(diagram, memory));
        }
        for &bit in &mode_info.remembered {
            let diagram = self.next_value(bit)?;
            diagrams.push(self.decisions.remembering(diagram, memory));
        }
        let key = (mode, Rc::from(diagrams));
        if let Some(&position) = self.positions.get(&key) {
            return Ok(position);
        }
        let position = self.add(Vertex::Position(None), Player::Environment, mode);
        self.waiting.insert(position, key.clone());
        self.positions.insert(key, position);
        self.queue.push_back(position);
        Ok(position)
    }

    /// The edge that an automaton takes in a state.
    fn state(&mut self, c: AutomatonId, q: RunStateId) -> Result<LetterDiagram, Limit> {
        if let Some(&diagram) = self.states[c].get(&q) {
            return Ok(diagram);
        }
        let automaton = &self.compiled.automata[c];
        let mut ends: Vec<(LetterDiagram, Guard)> = Vec::new();
        for e in &automaton.states[q] {
            let taken = if self.only[c] == Some(e.next) {
                EdgePart::Nothing
            } else {
                EdgePart::Taken { automaton: c, next: e.next, accepting: e.accepting }
            };
            let taken = self.outcome(taken);
            ends.push((self.decisions.end(taken), e.guard));
        }
        // The guards of a state cover all letters: the last one is the complement of the others.
        let Some((mut diagram, _)) = ends.pop() else {
            return Err(Limit::new(LimitKind::Size, "an automaton with a state without edges"));
        };
        for (end, guard) in ends {
            diagram = self.decisions.choice(&automaton.guards, guard, (end, diagram))?;
        }
        self.states[c].insert(q, diagram);
        Ok(diagram)
    }

    /// The next value of a bit of memory.
    fn next_value(&mut self, bit: BitId) -> Result<LetterDiagram, Limit> {
        if let Some(&diagram) = self.later.get(&bit) {
            return Ok(diagram);
        }
        let [low, high] = [EdgePart::Nothing, EdgePart::Remembered(bit)].map(|value| self.outcome(value));
        let (low, high) = (self.decisions.end(low), self.decisions.end(high));
        let memory = &self.compiled.memory;
        let diagram = self.decisions.choice(memory.guards(), memory.next(bit), (high, low))?;
        self.later.insert(bit, diagram);
        Ok(diagram)
    }

    fn mode_info(&mut self, mode: Mode) -> Result<Rc<ModeInfo>, Limit> {
        if let Some(mode_info) = self.mode_infos.get(&mode) {
            return Ok(Rc::clone(mode_info));
        }
        let relevant = mode.relevant(self.compiled);
        let mut automata: Vec<AutomatonId> = Vec::new();
        for (duty, _) in mode.exits() {
            automata.extend(&self.compiled.part(*duty).safety);
        }
        automata.extend(&relevant);
        let mut seen = IdVec::filled(false, self.compiled.automata.len());
        automata.retain(|&c| !std::mem::replace(&mut seen[c], true));
        let colors = mode.objective(self.compiled).colors();
        if colors.len() > Colors::MOST {
            return Err(Limit::new(LimitKind::Size, "an explicit game with more than 512 colors"));
        }
        let remembered = self.compiled.memory_of(&relevant);
        let mode_info = Rc::new(ModeInfo { automata, remembered, colors });
        self.mode_infos.insert(mode, Rc::clone(&mode_info));
        Ok(mode_info)
    }

    /// The winner of a mode in which the moves do not matter; `None` for any other mode.
    fn decided(&self, mode: Mode) -> Option<Player> {
        let player = match mode.objective(self.compiled) {
            ColorCondition::True => Player::System,
            ColorCondition::False => Player::Environment,
            _ => return None,
        };
        let possible = |duty| !self.compiled.part(duty).safety.is_empty();
        let exits = mode.exits().iter().filter(|(duty, _)| possible(*duty));
        exits.into_iter().all(|&(_, next)| self.decided(next) == Some(player)).then_some(player)
    }
}

/// The state of each automaton with only one that is not dead, if no color depends on the automaton.
fn only_states(compiled: &CompiledContract) -> IdVec<AutomatonId, Option<RunStateId>> {
    let colored: Vec<AutomatonId> = compiled.colors.iter().flat_map(Color::automata).collect();
    let only = |(c, automaton): (AutomatonId, &DeterministicBuchi)| {
        let mut alive = automaton.states.ids().filter(|&q| Some(q) != automaton.dead);
        alive.next().filter(|_| alive.next().is_none() && !colored.contains(&c))
    };
    compiled.automata.enumerate().map(only).collect()
}

/// The vertex in which a player has won.
pub(super) fn won(player: Player) -> u32 {
    WON.iter().find(|(winner, _)| *winner == player).map_or(0, |&(_, vertex)| vertex)
}

fn number<T: Copy + Eq + std::hash::Hash>(item: T, all: &mut Vec<T>, numbers: &mut FxHashMap<T, u32>) -> u32 {
    *numbers.entry(item).or_insert_with(|| {
        all.push(item);
        all.len() as u32 - 1
    })
}

/// Builds chains of outcomes.
struct EdgePartChain<'c> {
    compiled: &'c CompiledContract,
    decided_modes: &'c BTreeMap<Mode, Option<Player>>,
    outcomes: &'c mut Vec<EdgePart>,
    outcome_numbers: &'c mut FxHashMap<EdgePart, u32>,
}

impl EdgePartChain<'_> {
    /// A chain extended by a part. `this` is `None` if the part depends on the letter; the result then is `None`, too,
    /// unless the chain has already decided the game.
    fn pair(&mut self, before: u32, this: Option<u32>) -> Option<u32> {
        let (mode, known) = match self.outcomes[before as usize] {
            EdgePart::Won(_) => return Some(before),
            EdgePart::Both { exit, .. } => (None, exit),
            EdgePart::Start(mode) => (Some(mode), None),
            _ => unreachable!("pieces come second"),
        };
        let this = this?;
        let mut exit = known;
        if known.is_none()
            && let EdgePart::Taken { automaton, next, .. } = self.outcomes[this as usize]
            && self.compiled.automata[automaton].dead == Some(next)
        {
            let mode = mode.unwrap_or_else(|| self.start(before));
            let ends = |duty| self.compiled.part(duty).safety.contains(&automaton);
            exit = mode.exits().iter().find(|(duty, _)| ends(*duty)).map(|&(_, next)| next);
            if let Some(player) = exit.and_then(|next| self.decided_modes[&next]) {
                return Some(number(EdgePart::Won(player), self.outcomes, self.outcome_numbers));
            }
        }
        Some(number(EdgePart::Both { before, this, exit }, self.outcomes, self.outcome_numbers))
    }

    /// The mode at the start of a chain.
    fn start(&self, mut outcome: u32) -> Mode {
        loop {
            match self.outcomes[outcome as usize] {
                EdgePart::Both { before, .. } => outcome = before,
                EdgePart::Start(mode) => return mode,
                _ => unreachable!("a chain has a start"),
            }
        }
    }
}
