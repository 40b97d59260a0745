//! Queries about a solved game.

use super::arena;
use super::functions::FunctionBuilder;
use super::infinite;
use super::layout::{GameLayout, Turns, VariableKind, lay_out, top};
use super::parts::Standing;
use super::position::{GameLetter, PolicyPosition, Stepping};
use super::solve::{self, Solution};
use super::solved::{SolvedDiagrams, SolvedGame};
use crate::CompiledPolicy;
use crate::language::{ActionId, Ending, Law, LawAtom, LawId, LawKind, OnViolation, Policy};
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id, IdSet, Limit, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};

/// The parameters of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOptions {
    /// The laws that the agent keeps.
    pub kept: Vec<LawId>,
    /// The laws that the world keeps.
    pub assumed: Vec<LawId>,
    /// The number of copies of each law with bound values, at most 16.
    pub copies: usize,
    /// The number of tracks: positions that read the same letters and need one common strategy.
    pub tracks: usize,
    /// The maximal number of live diagram nodes.
    pub nodes: usize,
    /// Whether there are letters about laws of other parts of the policy, which may let time pass for these.
    pub has_others: bool,
    /// Whether such letters, and outcomes that no law reads, are nevertheless left out. The world is then weaker than it
    /// really is, so that a position that is lost in this game is lost.
    pub is_quiet: bool,
    /// Whether the game is solved; if not, every position that violates no law counts as winning.
    pub is_solved: bool,
}

/// The default limit on the nodes of the decision diagrams of a game: one or two seconds, where no solved game is stored.
pub const GAME_NODES: usize = 1 << 19;

impl GameOptions {
    /// The game of the hard laws that deny, one copy of each, one position.
    pub fn new(policy: &Policy) -> Self {
        let of = |is: fn(&Law) -> bool| {
            policy.laws.enumerate().filter(move |(_, law)| is(law)).map(|(id, _)| id).collect()
        };
        Self {
            kept: of(|law| law.kind == LawKind::Hard && law.on_violation == OnViolation::Deny),
            assumed: of(|law| law.kind == LawKind::Assume),
            copies: 1,
            tracks: 1,
            nodes: GAME_NODES,
            has_others: false,
            is_quiet: false,
            is_solved: true,
        }
    }
}

/// The size of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameSize {
    /// Variables of positions.
    pub state_bits: usize,
    /// Variables of letters and of further decisions of the world.
    pub letter_bits: usize,
    /// Nodes of diagrams made so far.
    pub nodes: usize,
}

/// A solved game.
#[derive(Clone, Debug)]
pub struct Game {
    pub(super) stepping: Stepping,
    options: GameOptions,
    pub(super) layout: GameLayout,
    pub(super) solved: SolvedGame,
    /// The diagrams from which the ways to the end are computed; `None` once they are, or if the solution was read.
    pub(super) source: Option<Box<SolvedDiagrams>>,
    /// The limit that the computation of the ways to the end exceeded.
    without_ways: Option<Limit>,
    /// Whether something was computed since the game was read, or its answers were last taken.
    pub(super) is_new: bool,
}

impl Game {
    /// Builds and solves the game of a policy.
    ///
    /// # Errors
    /// The budget, the limit of nodes, and policies that the game does not decide: liveness on infinite runs, and laws
    /// with bound values where truths and an action join in one letter.
    pub fn new(
        compiled: &Arc<CompiledPolicy>,
        options: &GameOptions,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let (layout, solved, source) = solve(compiled, options, budget)?;
        let stepping = Stepping::new(compiled.clone(), options.copies, options.tracks);
        let source = Some(Box::new(source));
        Ok(Self {
            stepping,
            options: options.clone(),
            layout,
            solved,
            source,
            without_ways: None,
            is_new: true,
        })
    }
    /// The game with a solution that was computed before; `None` if it is the solution of another game.
    pub fn read(compiled: &Arc<CompiledPolicy>, options: &GameOptions, solved: SolvedGame) -> Option<Self> {
        let layout = lay_out(compiled, options).ok().filter(|layout| solved.fits(layout))?;
        let stepping = Stepping::new(compiled.clone(), options.copies, options.tracks);
        Some(Self {
            stepping,
            options: options.clone(),
            layout,
            solved,
            source: None,
            without_ways: None,
            is_new: false,
        })
    }
    /// The solution of the game.
    pub fn solved(&self) -> &SolvedGame {
        &self.solved
    }
    /// The variables of the game.
    pub fn layout(&self) -> &GameLayout {
        &self.layout
    }
    /// The solution of the game if something was computed since it was last taken or read.
    pub fn take_new(&mut self) -> Option<&SolvedGame> {
        std::mem::take(&mut self.is_new).then_some(&self.solved)
    }
    /// Computes the ways to an accepted end, if that was not done yet.
    ///
    /// # Errors
    /// The budget, or the limit of nodes.
    pub fn add_ways(&mut self, budget: &Budget) -> Result<(), Limit> {
        if self.solved.ways.is_some() {
            return Ok(());
        }
        if let Some(limit) = &self.without_ways {
            return Err(limit.clone());
        }
        let source = if let Some(source) = self.source.take() {
            *source
        } else {
            let (_, solved, source) = solve(self.stepping.compiled(), &self.options, budget)?;
            self.solved = solved;
            source
        };
        self.is_new = true;
        let added = source.add_ways(&mut self.solved, &self.layout.kinds, budget);
        self.without_ways = added.as_ref().err().filter(|limit| limit.kind == LimitKind::Memory).cloned();
        added
    }
    /// The effect of letters on positions.
    pub fn stepping(&self) -> &Stepping {
        &self.stepping
    }
    /// The parameters of the game.
    pub fn options(&self) -> &GameOptions {
        &self.options
    }
    /// The size of the game.
    pub fn size(&self) -> GameSize {
        let state_bits = self.layout.kinds.iter().filter(|&&kind| kind == VariableKind::State).count();
        let letter_bits = self.layout.kinds.len() - state_bits;
        GameSize { state_bits, letter_bits, nodes: self.solved.made }
    }
    /// The variables that are true in a position; `None` if some law that the agent keeps is violated.
    pub fn variables(&self, position: &PolicyPosition) -> Option<Letter> {
        self.encode(position)
    }
    pub(super) fn encode(&self, position: &PolicyPosition) -> Option<Letter> {
        let policy = &self.stepping.compiled().policy;
        let mut set = Letter::new();
        let put = |set: &mut Letter, bits: &[BitId], code: u32| {
            for (i, &bit) in bits.iter().rev().enumerate() {
                if code >> i & 1 == 1 {
                    set.insert(bit);
                }
            }
        };
        for instance in &self.layout.instances {
            let states = &position.laws[instance.law.index()];
            let copies = states.len() / self.layout.tracks;
            let state = states[instance.track * copies + instance.copy.map_or(0, |(_, copy)| copy)];
            put(&mut set, &instance.bits, instance.codes[state as usize]?);
        }
        for slot in &self.layout.slots {
            let count = position.pending.get(&(slot.action, slot.reaches.clone())).copied().unwrap_or(0);
            set.extend(slot.bits.iter().zip(1..).filter(|&(_, least)| count >= least).map(|(&bit, _)| bit));
        }
        for vars in &self.layout.registers {
            let value = position.registers[vars.register.index()][vars.track];
            put(&mut set, &vars.bits, value.min(top(policy, vars.register)));
        }
        set.union_with(&self.letters_so_far(position));
        Some(set)
    }
    /// The variables that are true in a position because of its last letter and of the truths since then.
    fn letters_so_far(&self, position: &PolicyPosition) -> Letter {
        let atoms = &self.stepping.compiled().policy.atoms;
        let mut set = Letter::new();
        for &(id, bit) in &self.layout.memory {
            if position.last.contains(atoms.bit(LawAtom::Proposition(id))) {
                set.insert(bit);
            }
        }
        for bit in position.truths.iter() {
            let var = self.layout.letter[bit.index()].or(self.layout.blank);
            let state = self.layout.truths.iter().find(|(own, _)| Some(*own) == var);
            set.extend(state.map(|&(_, state)| state));
        }
        set
    }
    /// Joins positions that the agent cannot distinguish, each on a track of its own. Calls that are pending in one of
    /// them are taken to be pending in all. `None` if they differ in the encoding of the last letter, or of truths that
    /// join the next one, because tracks share letters.
    ///
    /// # Panics
    /// If their number is not that of the tracks, or if some position has more than one track.
    pub fn joined(&self, positions: &[PolicyPosition]) -> Option<PolicyPosition> {
        let joined = self.stepping.joined(positions);
        let first = self.letters_so_far(&joined);
        positions.iter().all(|one| self.letters_so_far(one) == first).then_some(joined)
    }
    fn is_in(&self, positions: Guard, position: &PolicyPosition) -> bool {
        self.encode(position).is_some_and(|set| self.solved.diagrams.contains(positions, &set))
    }
    /// Whether some law kept in this game is violated.
    pub fn is_violated(&self, position: &PolicyPosition) -> bool {
        self.encode(position).is_none()
    }
    /// Whether the world can never make the agent lose: each position in which no law is violated stays winning.
    pub fn is_never_lost(&self) -> bool {
        self.solved.closed == Guard::TRUE
    }
    /// Whether the position is winning: the agent can finally stop, and has an allowed choice.
    pub fn is_winning(&self, position: &PolicyPosition) -> bool {
        self.is_in(self.solved.winning, position)
    }
    /// Whether the position is winning and stays so whatever the world does.
    pub fn is_closed(&self, position: &PolicyPosition) -> bool {
        self.is_in(self.solved.closed, position)
    }
    /// What a position is.
    pub fn standing(&self, position: &PolicyPosition) -> Standing {
        if self.is_closed(position) {
            Standing::Closed
        } else if !self.is_winning(position) {
            Standing::Lost
        } else if self.allowed_actions(position).is_empty() {
            Standing::AtEnd
        } else {
            Standing::Urgent
        }
    }
    /// Whether some agent can act and stop: the position before the first letter is winning, and stays so whatever the
    /// world does.
    pub fn can_act_and_stop(&self) -> bool {
        self.is_closed(&self.stepping.initial())
    }
    /// The laws kept in this game that a letter violates.
    pub fn violated_by(&self, position: &PolicyPosition, letter: &GameLetter) -> Vec<LawId> {
        let mut laws = self.stepping.violates(position, letter);
        laws.retain(|law| self.options.kept.contains(law));
        laws
    }
    /// Whether a letter, known in full, violates no law kept in this game.
    pub fn is_step_legal(&self, position: &PolicyPosition, letter: &GameLetter) -> bool {
        self.violated_by(position, letter).is_empty()
    }
    /// Whether a letter of the agent, known in full, is allowed: it violates no law, and all answers of the world to it
    /// stay winning.
    pub fn is_allowed(&self, position: &PolicyPosition, letter: &GameLetter) -> bool {
        self.is_step_legal(position, letter) && self.is_closed(&self.stepping.after(position, letter))
    }
    /// If the agent chooses before the rest of the letter is known: whether its part of the letter is allowed, so that
    /// every completion by the world leads to a position that stays winning.
    pub fn is_choice_allowed(&self, position: &PolicyPosition, choice: &Letter) -> bool {
        self.is_choice_in(&self.solved.allowed, position, choice)
    }
    /// Whether this part of the letter is step-legal: no completion by the world violates a law in this letter.
    pub fn is_choice_step_legal(&self, position: &PolicyPosition, choice: &Letter) -> bool {
        self.is_choice_in(&self.solved.legal, position, choice)
    }
    fn is_choice_in(&self, choices: &[(BitId, Guard)], position: &PolicyPosition, choice: &Letter) -> bool {
        let Some(mut set) = self.encode(position) else { return false };
        set.extend(choice.iter().filter_map(|bit| self.layout.letter[bit.index()]));
        let mut calls = choices.iter().filter(|(call, _)| set.contains(*call));
        let (Some(&(_, own)), None) = (calls.next(), calls.next()) else { return false };
        self.calls_in(choice) == 1 && self.solved.diagrams.contains(own, &set)
    }
    /// The number of calls in a letter.
    fn calls_in(&self, letter: &Letter) -> usize {
        let atoms = &self.stepping.compiled().policy.atoms;
        letter.iter().filter(|&bit| matches!(atoms.atom(bit), LawAtom::Call(_))).count()
    }
    /// Whether the agent may do nothing.
    pub(super) fn is_idle(&self) -> bool {
        self.stepping.compiled().policy.idle
    }
    /// The actions among some choices; with one copy of each law, only for letters that reach this copy.
    fn actions(&self, choices: &[(BitId, Guard)], position: &PolicyPosition) -> Vec<ActionId> {
        let calls = self.calls(choices, position);
        let is_among = |id: &ActionId| self.call_of(*id).is_some_and(|call| calls.contains(&call));
        self.stepping.compiled().policy.atoms.actions.ids().filter(is_among).collect()
    }
    /// The variables of calls among some choices.
    fn calls(&self, choices: &[(BitId, Guard)], position: &PolicyPosition) -> Vec<BitId> {
        let Some(set) = self.encode(position) else { return Vec::new() };
        let kinds = &self.layout.kinds;
        let reach: &[Vec<BitId>] = if self.options.copies == 1 { &self.layout.reach } else { &[] };
        let known = |bit: BitId| match kinds[bit] {
            VariableKind::State => Some(set.contains(bit)),
            _ => reach.iter().any(|own| own.contains(&bit)).then_some(true),
        };
        let is_among = |&&(_, own): &&(BitId, Guard)| self.solved.diagrams.pick_given(own, &known).is_some();
        choices.iter().filter(is_among).map(|&(call, _)| call).collect()
    }
    /// The variable for calls of an action.
    fn call_of(&self, id: ActionId) -> Option<BitId> {
        self.layout.letter[self.stepping.compiled().policy.atoms.bit(LawAtom::Call(id)).index()]
    }
    /// The actions that are not among [`Game::allowed_actions`].
    pub fn forbidden_actions(&self, position: &PolicyPosition) -> IdSet<ActionId> {
        let allowed = self.calls(&self.solved.allowed, position);
        if allowed.len() == self.solved.allowed.len() {
            return IdSet::new();
        }
        let is_forbidden = |id: &ActionId| !self.call_of(*id).is_some_and(|call| allowed.contains(&call));
        self.stepping.compiled().policy.atoms.actions.ids().filter(is_forbidden).collect()
    }
    /// The actions that the agent may call, with one copy of each law for the values of that copy: for some truths that
    /// the agent itself raises with the call, all answers of the world stay winning.
    pub fn allowed_actions(&self, position: &PolicyPosition) -> Vec<ActionId> {
        self.actions(&self.solved.allowed, position)
    }
    /// The actions whose letter violates no law, whatever the world adds to it. There is none where a law kept in this
    /// game is violated already.
    pub fn step_legal_actions(&self, position: &PolicyPosition) -> Vec<ActionId> {
        self.actions(&self.solved.legal, position)
    }
    /// Whether no call is step-legal and the policy has no `idle`.
    pub fn is_over_constrained(&self, position: &PolicyPosition) -> bool {
        !self.is_idle() && self.step_legal_actions(position).is_empty()
    }
    /// Whether every law kept in this game is kept if the run ends here.
    pub fn is_end_accepted(&self, position: &PolicyPosition) -> bool {
        self.is_in(self.solved.end, position)
    }
    /// The laws kept in this game that are not satisfied if the run ends here.
    pub fn owed(&self, position: &PolicyPosition) -> Vec<LawId> {
        let mut laws = self.stepping.owed(position);
        laws.retain(|law| self.options.kept.contains(law));
        laws
    }
    /// How the players take turns.
    pub fn turns(&self) -> Turns {
        self.layout.turns
    }
}

/// Builds and solves a game.
fn solve(
    compiled: &Arc<CompiledPolicy>,
    options: &GameOptions,
    budget: &Budget,
) -> Result<(GameLayout, SolvedGame, SolvedDiagrams), Limit> {
    let is_finite = compiled.policy.end == Ending::Finite;
    if !is_finite && options.is_solved {
        infinite::only_safety(compiled, &options.kept, budget)?;
    }
    let layout = lay_out(compiled, options)?;
    let mut store = Guards::new();
    store.set_limit(options.nodes);
    let maker = FunctionBuilder::new(compiled, &layout, &compiled.roles, store, budget);
    let mut arena = arena::build(maker, compiled.policy.idle)?;
    let solution = if options.is_solved {
        if !is_finite {
            arena.end = Guard::FALSE;
        }
        solve::solve(&mut arena, is_finite, options.nodes, budget)?
    } else {
        Solution { winning: Guard::TRUE, closed: Guard::TRUE }
    };
    let (solved, source) = SolvedGame::new(arena, &layout, solution, budget)?;
    Ok((layout, solved, source))
}
