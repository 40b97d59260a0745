//! Which Boolean variables the game has, and in which order they stand in the diagrams: law by law, the bits of letters that
//! the law reads and then the bits of its state, so that what depends on each other stands together. Laws that read the same
//! letters follow each other. Calls are on top.

use super::GameOptions;
use super::roles::{Roles, keys_of};
use crate::base::{Id, IdVec, Limit, LimitKind};
use crate::control::policy::CompiledPolicy;
use crate::logic::BitId;
use crate::model::CallOutcome;
use crate::spec::policy::{
    ActionId, Amount, LawAtom, LawId, OUTCOMES, Policy, PropositionId, RegisterId, Timing, TraceMode,
};
use rustc_hash::FxHashSet;

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VariableKind {
    /// Part of a position.
    State,
    /// Part of a letter.
    Letter,
    /// Something that the world decides beside the letter, such as what a sum has become.
    Chance,
}

/// How the players take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turns {
    /// Letters of the world between letters of the agent.
    Apart,
    /// The agent chooses a call, and then the world the rest of its letter.
    CallFirst,
    /// The world's truths accumulate, and then the agent's call joins them in one letter.
    TruthsFirst,
}

/// A law in the game: of one copy, on one track.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Instance {
    /// The law.
    pub law: LawId,
    /// Which list of bound values it has, and which copy it is.
    pub copy: Option<(usize, usize)>,
    /// Which of several positions that see the same letters.
    pub track: usize,
    /// Whether the agent keeps it; else the world does.
    pub is_kept: bool,
    /// The variables of its state.
    pub bits: Vec<BitId>,
    /// The code of each state of its monitor; of those that end the game there is none.
    pub codes: Vec<Option<u32>>,
}

/// Calls of one action that reach the same copies and have no outcome yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallSlot {
    /// The action.
    pub action: ActionId,
    /// For each list of bound values which copies the calls reach.
    pub reaches: Vec<u32>,
    /// At least one, at least two calls.
    pub bits: [BitId; 2],
    /// Whether, of several calls, several are left when one ends.
    pub chance: BitId,
}

/// A register on one track.
#[derive(Clone, Debug, Hash)]
pub(crate) struct RegisterVars {
    /// The register.
    pub register: RegisterId,
    /// Which of several positions that see the same letters.
    pub track: usize,
    /// The number, the highest bit first; of a sum, whether it is above its bound.
    pub bits: Vec<BitId>,
    /// A sum rises above its bound.
    pub rise: Option<BitId>,
    /// With a window: the world chooses an upper bound of the number after the letter, since amounts may leave the window; of
    /// a sum, whether it stays above the bound.
    pub fall: Vec<BitId>,
    /// The number counts up to here, the first that is above the bound.
    pub top: u32,
}

/// The variables of a game.
#[derive(Clone, Debug, Hash)]
pub(crate) struct GameLayout {
    /// What each variable is.
    pub kinds: IdVec<BitId, VariableKind>,
    /// For each bit of letters of the policy its variable. Outcomes that nothing distinguishes share one.
    pub letter: Vec<Option<BitId>>,
    /// Something is true that no law reads.
    pub blank: Option<BitId>,
    /// What the blank stands for.
    pub blank_atoms: Vec<LawAtom>,
    /// Which copies a letter reaches, for each list of bound values.
    pub reach: Vec<Vec<BitId>>,
    /// The laws.
    pub instances: Vec<Instance>,
    /// The calls that may be pending.
    pub slots: Vec<CallSlot>,
    /// The registers that laws read, each after those that it reads.
    pub registers: Vec<RegisterVars>,
    /// Momentary propositions under effects, where letters are one after the other observations: their last value.
    pub memory: Vec<(PropositionId, BitId)>,
    /// Bits of letters, and whether they are among the truths since the last letter.
    pub truths: Vec<(BitId, BitId)>,
    /// For each track whether a letter has ruled it out, since it would have broken a law of the world there. Empty where
    /// that cannot be: with one track, or without such laws.
    pub ruled_out: Vec<BitId>,
    /// How the players take turns.
    pub turns: Turns,
    /// Copies for each list of bound values.
    pub copies: usize,
    /// Positions that see the same letters.
    pub tracks: usize,
}

struct LayoutBuilder<'a> {
    policy: &'a Policy,
    roles: &'a Roles,
    reads: Vec<bool>,
    /// The actions whose outcomes are placed.
    placed: Vec<bool>,
    layout: GameLayout,
}

/// How the players of a policy take turns.
pub(super) fn turns(policy: &Policy) -> Turns {
    match (policy.trace, policy.timing) {
        _ if policy.atoms.actions.is_empty() => Turns::Apart,
        (TraceMode::PerEvent | TraceMode::StateChange, _) => Turns::Apart,
        (TraceMode::PerAction, Timing::Next) => Turns::CallFirst,
        (TraceMode::PerAction, Timing::Same) => Turns::TruthsFirst,
    }
}

/// An order of laws, given the bits of letters that each reads, in which laws about the same letters stand together: the next
/// one has as few bits as possible that no law before it reads.
pub(super) fn together(reads: &[Vec<BitId>]) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let mut left: Vec<usize> = (0..reads.len()).collect();
    let fresh = |seen: &FxHashSet<BitId>, i: usize| reads[i].iter().filter(|bit| !seen.contains(bit)).count();
    while let Some(at) = (0..left.len()).min_by_key(|&at| fresh(&seen, left[at])) {
        let law = left.remove(at);
        seen.extend(&reads[law]);
        order.push(law);
    }
    order
}

/// Lays out the variables of a game.
///
/// # Errors
/// What the game has no encoding for.
pub(super) fn lay_out(
    compiled: &CompiledPolicy,
    options: &GameOptions,
) -> Result<(GameLayout, Roles), Limit> {
    let policy = &compiled.policy;
    let limit = |what: &str| Err(Limit::new(LimitKind::Size, what));
    let chosen = |law: LawId| options.kept.contains(&law) || options.assumed.contains(&law);
    let laws: Vec<LawId> = policy.laws.ids().filter(|&law| chosen(law)).collect();
    let roles = Roles::new(policy, keys_of(policy.laws.iter().map(|law| law.for_each.as_slice())));
    let turns = turns(policy);
    if !roles.keys.is_empty() && turns != Turns::Apart {
        return limit("look-ahead for laws with `for_each` where truths and an action join in one letter");
    }
    if options.copies == 0 || options.copies > 16 || options.tracks == 0 || options.tracks > 1 << 10 {
        return limit("a game has 1 to 16 copies of a law and 1 to 1024 positions");
    }
    let layout = GameLayout {
        kinds: IdVec::new(),
        letter: vec![None; policy.atoms.bits()],
        blank: None,
        blank_atoms: Vec::new(),
        reach: Vec::new(),
        instances: Vec::new(),
        slots: Vec::new(),
        registers: Vec::new(),
        memory: Vec::new(),
        truths: Vec::new(),
        ruled_out: Vec::new(),
        turns,
        copies: options.copies,
        tracks: options.tracks,
    };
    let (reads, placed) = (vec![false; policy.atoms.bits()], vec![false; policy.atoms.actions.len()]);
    let mut builder = LayoutBuilder { policy, roles: &roles, reads, placed, layout };
    for &law in &laws {
        for &guard in compiled.monitors[law].guards() {
            builder.read(guard);
        }
    }
    builder.start();
    for at in together(&laws.iter().map(|&law| compiled.reads(law)).collect::<Vec<_>>()) {
        let law = laws[at];
        for &guard in compiled.monitors[law].guards() {
            builder.place_all(guard)?;
        }
        builder.law(compiled, law, options.kept.contains(&law));
    }
    for action in policy.atoms.actions.ids() {
        builder.action(action);
    }
    builder.bindings();
    if options.tracks > 1 && laws.iter().any(|law| !options.kept.contains(law)) {
        builder.layout.ruled_out = (0..options.tracks).map(|_| builder.add(VariableKind::State)).collect();
    }
    let layout = builder.layout;
    Ok((layout, roles))
}

impl LayoutBuilder<'_> {
    fn add(&mut self, kind: VariableKind) -> BitId {
        self.layout.kinds.push(kind)
    }
    /// The register of a computed proposition.
    fn register_of(&self, id: PropositionId) -> Option<RegisterId> {
        self.policy.registers.enumerate().find(|(_, register)| register.proposition == id).map(|(id, _)| id)
    }
    /// Marks the bits that a guard reads, through registers too.
    fn read(&mut self, guard: crate::logic::Guard) {
        let mut stack = vec![guard];
        while let Some(guard) = stack.pop() {
            for bit in self.policy.guards.support(guard) {
                if std::mem::replace(&mut self.reads[bit.index()], true) {
                    continue;
                }
                if let LawAtom::Proposition(id) | LawAtom::Clear(id) = self.policy.atoms.atom(bit)
                    && let Some(register) = self.register_of(id)
                {
                    stack.extend([
                        self.policy.registers[register].on,
                        self.policy.registers[register].reset_on,
                    ]);
                }
            }
        }
    }
    fn is_read(&self, atom: LawAtom) -> bool {
        self.reads[self.policy.atoms.bit(atom).index()]
    }
    /// The variables that stand above all others, and what else the world may report.
    fn start(&mut self) {
        for _ in &self.roles.keys {
            let copies = (0..self.layout.copies).map(|_| self.add(VariableKind::Letter)).collect();
            self.layout.reach.push(copies);
        }
        let atoms = &self.policy.atoms;
        // A letter has one call: with it on top, what the laws forbid is a conjunction for each call.
        for id in atoms.actions.ids() {
            self.layout.letter[atoms.bit(LawAtom::Call(id)).index()] = Some(self.add(VariableKind::Letter));
        }
        let is_blank = |id: &PropositionId| {
            let id = *id;
            !self.is_read(LawAtom::Proposition(id))
                && !self.is_read(LawAtom::Clear(id))
                && !self.roles.is_agents[id]
                && !self.roles.is_framed[id]
                && !atoms.propositions[id].is_computed
        };
        let blank: Vec<LawAtom> =
            atoms.propositions.ids().filter(is_blank).map(LawAtom::Proposition).collect();
        if !blank.is_empty() && self.layout.turns != Turns::CallFirst {
            self.layout.blank = Some(self.place_letter());
            self.layout.blank_atoms = blank;
        }
    }
    /// Whether the game keeps track of the calls of an action that have no outcome yet.
    fn is_tracked(&self, id: ActionId) -> bool {
        let effects = self.policy.effects[id].iter();
        let mut named = effects.flat_map(|effects| {
            [&effects.may_set, &effects.may_clear, &effects.sets, &effects.clears].into_iter().flatten()
        });
        let may_be_alone = self.layout.turns != Turns::CallFirst;
        OUTCOMES.iter().any(|&outcome| self.is_read(LawAtom::Result(id, outcome)))
            || named.any(|&id| self.is_read(LawAtom::Proposition(id)) || self.is_read(LawAtom::Clear(id)))
            || may_be_alone && (self.layout.blank.is_none() || !self.roles.keys.is_empty())
    }
    /// The outcomes of an action, and what is pending.
    fn action(&mut self, id: ActionId) {
        if std::mem::replace(&mut self.placed[id.index()], true) || !self.is_tracked(id) {
            return;
        }
        let atoms = &self.policy.atoms;
        let is_forced = self.policy.effects[id]
            .iter()
            .any(|effects| !effects.sets.is_empty() || !effects.clears.is_empty());
        let mut shared = None;
        for outcome in OUTCOMES {
            let is_own =
                self.is_read(LawAtom::Result(id, outcome)) || outcome == CallOutcome::Ok && is_forced;
            let var = if is_own { None } else { shared };
            let var = var.unwrap_or_else(|| self.place_letter());
            if !is_own {
                shared = Some(var);
            }
            self.layout.letter[atoms.bit(LawAtom::Result(id, outcome)).index()] = Some(var);
        }
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for key in 0..self.roles.keys.len() {
            let masks = self.roles.reaches(key, id, self.layout.copies);
            all = all
                .iter()
                .flat_map(|first| masks.iter().map(|&mask| [&first[..], &[mask]].concat()))
                .collect();
        }
        for reaches in all {
            let bits = [self.add(VariableKind::State), self.add(VariableKind::State)];
            let chance = self.add(VariableKind::Chance);
            self.layout.slots.push(CallSlot { action: id, reaches, bits, chance });
        }
    }
    /// Where laws have copies, what no law reads may still say which copies a letter reaches.
    fn bindings(&mut self) {
        for (id, proposition) in self.policy.atoms.propositions.enumerate() {
            let atom = LawAtom::Proposition(id);
            let is_blank = self.layout.blank_atoms.contains(&atom);
            if !self.roles.keys.is_empty() && !proposition.is_computed && !is_blank {
                self.place(atom);
            }
        }
    }
    /// A bit of letters that the world raises.
    fn place_letter(&mut self) -> BitId {
        let var = self.add(VariableKind::Letter);
        if self.layout.turns == Turns::TruthsFirst {
            let state = self.add(VariableKind::State);
            self.layout.truths.push((var, state));
        }
        var
    }
    fn place(&mut self, atom: LawAtom) {
        let at = self.policy.atoms.bit(atom).index();
        if self.layout.letter[at].is_some() && !matches!(atom, LawAtom::Call(_) | LawAtom::Result(..)) {
            return;
        }
        match atom {
            LawAtom::Call(id) | LawAtom::Result(id, _) => self.action(id),
            LawAtom::Opaque => self.layout.letter[at] = Some(self.add(VariableKind::Letter)),
            LawAtom::Proposition(id) | LawAtom::Clear(id) => {
                let proposition = &self.policy.atoms.propositions[id];
                let both: &[LawAtom] = &[LawAtom::Proposition(id), LawAtom::Clear(id)];
                for &atom in if proposition.is_state { both } else { &both[..1] } {
                    let is_agents = self.roles.is_agents(atom);
                    let var = if is_agents { self.add(VariableKind::Letter) } else { self.place_letter() };
                    self.layout.letter[self.policy.atoms.bit(atom).index()] = Some(var);
                }
                if self.roles.is_framed[id] && !proposition.is_state && self.layout.turns == Turns::CallFirst
                {
                    let bit = self.add(VariableKind::State);
                    self.layout.memory.push((id, bit));
                }
            }
        }
    }
    /// Places what a guard reads.
    fn place_all(&mut self, guard: crate::logic::Guard) -> Result<(), Limit> {
        for bit in self.policy.guards.support(guard) {
            let atom = self.policy.atoms.atom(bit);
            let register = match atom {
                LawAtom::Proposition(id) | LawAtom::Clear(id) => self.register_of(id),
                _ => None,
            };
            match register {
                Some(register) => self.register(register)?,
                None => self.place(atom),
            }
        }
        Ok(())
    }
    /// Places a register and what it reads; registers read those before them.
    fn register(&mut self, id: RegisterId) -> Result<(), Limit> {
        if self.layout.registers.iter().any(|vars| vars.register == id) {
            return Ok(());
        }
        let register = &self.policy.registers[id];
        for guard in [register.on, register.reset_on] {
            for bit in self.policy.guards.support(guard) {
                let atom = self.policy.atoms.atom(bit);
                match atom {
                    LawAtom::Proposition(p) | LawAtom::Clear(p) if self.register_of(p).is_some() => {
                        let before = self.register_of(p).filter(|&other| other < id);
                        // At most as deep as there are registers, each of which is after the next.
                        before.map_or(Ok(()), |other| self.register(other))?;
                    }
                    _ => self.place(atom),
                }
            }
        }
        let is_sum = matches!(register.amount, Amount::Sum(_));
        let top = top(self.policy, id);
        if top > 1 << 20 {
            let what = format!("a count to more than {} in look-ahead", 1 << 20);
            return Err(Limit::new(LimitKind::Size, what));
        }
        let width = (u32::BITS - top.leading_zeros()) as usize;
        for track in 0..self.layout.tracks {
            let bits = (0..width).map(|_| self.add(VariableKind::State)).collect();
            let rise = is_sum.then(|| self.add(VariableKind::Chance));
            let falls = if register.window.is_some() { width } else { 0 };
            let fall = (0..falls).map(|_| self.add(VariableKind::Chance)).collect();
            self.layout.registers.push(RegisterVars { register: id, track, bits, rise, fall, top });
        }
        Ok(())
    }
    /// Places the states of a law: those of all copies and tracks.
    fn law(&mut self, compiled: &CompiledPolicy, law: LawId, is_kept: bool) {
        let monitor = &compiled.monitors[law];
        let key = &self.policy.laws[law].for_each;
        let key = self.roles.keys.iter().position(|own| own == key);
        let mut codes = Vec::new();
        let mut next = 0;
        for state in 0..monitor.len() as u32 {
            let is_lost = is_kept && !monitor.dfa().is_live(state);
            codes.push((!is_lost).then_some(next));
            next += u32::from(!is_lost);
        }
        let width = u32::BITS - next.saturating_sub(1).leading_zeros();
        let copies = if key.is_some() { self.layout.copies } else { 1 };
        for track in 0..self.layout.tracks {
            for copy in 0..copies {
                let copy = key.map(|key| (key, copy));
                let bits = (0..width).map(|_| self.add(VariableKind::State)).collect();
                self.layout.instances.push(Instance {
                    law,
                    copy,
                    track,
                    is_kept,
                    bits,
                    codes: codes.clone(),
                });
            }
        }
    }
}

/// The first number that is above the bound of a register; of a sum, 1.
#[expect(clippy::cast_sign_loss, reason = "bounds are not negative")]
pub(super) fn top(policy: &Policy, id: RegisterId) -> u32 {
    let register = &policy.registers[id];
    match register.amount {
        Amount::Sum(_) => 1,
        Amount::One => (register.above.floor() + 1.0).min(f64::from(u32::MAX)) as u32,
    }
}
