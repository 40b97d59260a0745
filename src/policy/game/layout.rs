//! The Boolean variables of the game and their order in the diagrams: for each law the bits of letters that it reads,
//! then the bits of its state, so that dependent variables are adjacent. Laws that read the same letters follow each
//! other. Calls are on top.

use super::GameOptions;
use crate::CompiledPolicy;
use crate::language::{
    ActionId, Effects, LawAtom, LawId, LawKind, OUTCOMES, Policy, PropositionId, RegisterId, Timing,
    TraceMode,
};
use crate::roles::{Roles, TableBinding};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::BitId;
use tsl_synth_core::model::CallOutcome;

/// The role of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    /// Part of a position.
    State,
    /// Part of a letter.
    Letter,
    /// A decision of the world that is not part of the letter, such as whether a sum exceeds its bound.
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

/// A law in the game, for one copy and one track.
#[derive(Clone, Debug, Hash)]
pub struct Instance {
    /// The law.
    pub law: LawId,
    /// The index of its list of bound values, and the index of the copy; `None` for a law without copies.
    pub copy: Option<(usize, usize)>,
    /// The index of the track.
    pub track: usize,
    /// Whether the agent has to keep it; otherwise the world has.
    pub is_kept: bool,
    /// The variables of its state.
    pub bits: Vec<BitId>,
    /// The code of each state of its monitor; `None` for states that end the game.
    pub codes: Vec<Option<u32>>,
}

/// Calls of one action that reach the same copies and have no outcome yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallSlot {
    /// The action.
    pub action: ActionId,
    /// For each list of bound values the copies that the calls reach, as a mask.
    pub reaches: Vec<u32>,
    /// For each n from 1 to [`CompiledPolicy::open_calls`], whether there are at least n calls.
    pub bits: Vec<BitId>,
    /// Whether the largest n that is counted still holds after one call ends; the world decides.
    pub chance: BitId,
}

/// A register on one track.
#[derive(Clone, Debug, Hash)]
pub struct RegisterVars {
    /// The register.
    pub register: RegisterId,
    /// The index of the track.
    pub track: usize,
    /// The number, the highest bit first; for a sum, whether it is above its bound.
    pub bits: Vec<BitId>,
    /// For a sum: whether it rises above its bound.
    pub rise: Option<BitId>,
    /// With a window: the world chooses an upper bound of the number after the letter, since amounts may leave the
    /// window; for a sum, whether it stays above the bound.
    pub fall: Vec<BitId>,
    /// The number saturates here, at the first value above the bound.
    pub top: u32,
}

/// The variables of a game.
#[derive(Clone, Debug, Hash)]
pub struct GameLayout {
    /// The role of each variable.
    pub kinds: IdVec<BitId, VariableKind>,
    /// For each bit of letters of the policy its variable. Outcomes that nothing distinguishes share one.
    pub letter: Vec<Option<BitId>>,
    /// The variable for letters in which some proposition holds that no law reads; `None` if there is none.
    pub blank: Option<BitId>,
    /// The propositions that `blank` represents.
    pub blank_atoms: Vec<LawAtom>,
    /// For each list of bound values, a variable for each copy that a letter may reach.
    pub reach: Vec<Vec<BitId>>,
    /// The laws.
    pub instances: Vec<Instance>,
    /// The calls that may be pending.
    pub slots: Vec<CallSlot>,
    /// The registers that laws read, each after those that it reads.
    pub registers: Vec<RegisterVars>,
    /// Momentary propositions that effects name, with variables for their last values; only with [`Turns::CallFirst`].
    pub memory: Vec<(PropositionId, BitId)>,
    /// Variables of letters, each with the variable for whether it is among the truths since the last letter.
    pub truths: Vec<(BitId, BitId)>,
    /// For each track the variable for whether a letter has ruled it out by breaking an `assume` law on it. Empty with
    /// one track, or without such laws.
    pub ruled_out: Vec<BitId>,
    /// How the players take turns.
    pub turns: Turns,
    /// The number of copies for each list of bound values.
    pub copies: usize,
    /// The number of tracks.
    pub tracks: usize,
}

struct LayoutBuilder<'a> {
    policy: &'a Policy,
    roles: &'a Roles,
    open_calls: &'a IdVec<ActionId, u32>,
    /// Whether a letter in which nothing holds leaves every position as it is.
    is_calm: bool,
    /// Whether the world has letters in which nothing holds that a law reads, whatever the policy names.
    may_pass: bool,
    /// Whether outcomes that no law reads are left out.
    is_quiet: bool,
    reads: Vec<bool>,
    /// The actions whose outcomes have variables.
    placed: Vec<bool>,
    /// Calls that reach single copies, which have no variables yet.
    later: Vec<(ActionId, Vec<u32>)>,
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

/// An order of laws in which those about the same bits are adjacent, given for each kind of bits those that each law
/// reads: the next law has as few bits of the first kind as possible that no law before it reads, among several such
/// laws as few of the second kind, and so on.
pub(super) fn together(kinds: &[&[Vec<BitId>]]) -> Vec<usize> {
    let laws = kinds.first().map_or(0, |reads| reads.len());
    let mut readers: Vec<FxHashMap<BitId, Vec<usize>>> = vec![FxHashMap::default(); kinds.len()];
    let mut fresh: Vec<Vec<usize>> = vec![Vec::new(); laws];
    for (kind, reads) in kinds.iter().enumerate() {
        for (law, bits) in reads.iter().enumerate() {
            fresh[law].push(bits.len());
            for &bit in bits {
                readers[kind].entry(bit).or_default().push(law);
            }
        }
    }
    let (mut order, mut left) = (Vec::new(), (0..laws).collect::<Vec<usize>>());
    while let Some(at) = (0..left.len()).min_by_key(|&at| &fresh[left[at]]) {
        let law = left.remove(at);
        for (kind, reads) in kinds.iter().enumerate() {
            for bit in &reads[law] {
                for other in readers[kind].remove(bit).into_iter().flatten() {
                    fresh[other][kind] -= 1;
                }
            }
        }
        order.push(law);
    }
    order
}

/// The most computed propositions of one law whose values are tried one by one.
const COMPUTED: usize = 4;

/// Whether letters in which nothing holds, except computed propositions, leave a law as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Calm {
    /// They change no state of the law and no register that it reads.
    Always,
    /// They may decrease registers with a window, and violate the law, which is none of the world, where a computed
    /// proposition holds.
    WhileKept,
    /// They may change its state.
    No,
}

/// What letters in which nothing holds, except computed propositions, do to a law.
pub(super) fn calm(compiled: &CompiledPolicy, law: LawId) -> Calm {
    let policy = &compiled.policy;
    let (mut computed, mut calm) = (Vec::new(), Calm::Always);
    for bit in compiled.reads(law) {
        if let LawAtom::Proposition(id) = policy.atoms.atom(bit)
            && let Some(&register) = compiled.roles.registers.get(&id)
        {
            if policy.registers[register].window.is_some() {
                calm = Calm::WhileKept;
            }
            computed.push(bit);
        }
    }
    if computed.len() > COMPUTED {
        return Calm::No;
    }
    let (decision, monitor) = (&compiled.decisions[law], &compiled.monitors[law]);
    let kind = policy.laws[law].kind;
    for code in 0..1_usize << computed.len() {
        let letter = computed.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1);
        let class = decision.class(&letter.map(|(_, &bit)| bit).collect());
        for state in 0..monitor.len() as u32 {
            let next = decision.next(state, class);
            let is_violation = code > 0 && !monitor.dfa().is_live(next) && kind != LawKind::Assume;
            if next != state && !is_violation {
                return Calm::No;
            } else if next != state {
                calm = Calm::WhileKept;
            }
        }
    }
    calm
}

/// Lays out the variables of a game.
///
/// # Errors
/// If the game has no encoding for the policy or the options.
pub(super) fn lay_out(compiled: &CompiledPolicy, options: &GameOptions) -> Result<GameLayout, Limit> {
    let policy = &compiled.policy;
    let limit = |what: &str| Err(Limit::new(LimitKind::Size, what));
    let chosen = |law: LawId| options.kept.contains(&law) || options.assumed.contains(&law);
    let laws: Vec<LawId> = policy.laws.ids().filter(|&law| chosen(law)).collect();
    let roles = compiled.roles.clone();
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
    let is_calm = turns == Turns::Apart && laws.iter().all(|&law| calm(compiled, law) == Calm::Always);
    let is_quiet = options.is_quiet;
    let may_pass = !is_calm && options.has_others && !is_quiet;
    let mut builder = LayoutBuilder {
        policy,
        roles: &roles,
        open_calls: compiled.open_calls(),
        is_calm,
        may_pass,
        is_quiet,
        reads,
        placed,
        later: Vec::new(),
        layout,
    };
    let guards = laws.iter().flat_map(|&law| compiled.monitors[law].guards().iter().copied());
    for bit in compiled.reads_through_registers(guards) {
        builder.reads[bit.index()] = true;
    }
    builder.start();
    // Calls are constants in each class of letters: they only decide between laws that are equal otherwise.
    let is_call = |bit: &BitId| matches!(policy.atoms.atom(*bit), LawAtom::Call(_));
    let reads = |&law: &LawId| compiled.reads(law).into_iter().partition(is_call);
    let (calls, others): (Vec<Vec<BitId>>, Vec<Vec<BitId>>) = laws.iter().map(reads).unzip();
    let order = together(&[&others, &calls]);
    for &at in &order {
        let law = laws[at];
        for &guard in compiled.monitors[law].guards() {
            builder.place_all(guard)?;
        }
        builder.law(compiled, law, options.kept.contains(&law), None);
        if options.copies == 1 {
            builder.law(compiled, law, options.kept.contains(&law), Some(0));
        }
    }
    for action in policy.atoms.actions.ids() {
        builder.action(action);
    }
    builder.bindings();
    // What belongs to one of several copies is adjacent, so that conditions on each copy add up in diagrams.
    for copy in (0..options.copies).filter(|_| options.copies > 1) {
        for &at in &order {
            builder.law(compiled, laws[at], options.kept.contains(&laws[at]), Some(copy));
        }
        builder.slots_of_copy(copy);
    }
    if options.tracks > 1 && laws.iter().any(|law| !options.kept.contains(law)) {
        builder.layout.ruled_out = (0..options.tracks).map(|_| builder.add(VariableKind::State)).collect();
    }
    Ok(builder.layout)
}

impl LayoutBuilder<'_> {
    fn add(&mut self, kind: VariableKind) -> BitId {
        self.layout.kinds.push(kind)
    }
    /// The register of a computed proposition.
    fn register_of(&self, id: PropositionId) -> Option<RegisterId> {
        self.roles.registers.get(&id).copied()
    }
    /// Whether the world has letters in which nothing holds that a law reads.
    fn has_blank(&self) -> bool {
        self.may_pass || !self.layout.blank_atoms.is_empty()
    }
    fn is_read(&self, atom: LawAtom) -> bool {
        self.reads[self.policy.atoms.bit(atom).index()]
    }
    /// Adds the topmost variables, and the variable for propositions that no law reads.
    fn start(&mut self) {
        for _ in &self.roles.keys {
            let copies = (0..self.layout.copies).map(|_| self.add(VariableKind::Letter)).collect();
            self.layout.reach.push(copies);
        }
        let atoms = &self.policy.atoms;
        let is_blank = |id: &PropositionId| {
            let id = *id;
            !self.is_read(LawAtom::Proposition(id))
                && !self.is_read(LawAtom::Clear(id))
                && !self.roles.is_agents[id]
                && !self.roles.is_framed(id)
                && !atoms.propositions[id].is_computed
        };
        let blank: Vec<LawAtom> =
            atoms.propositions.ids().filter(is_blank).map(LawAtom::Proposition).collect();
        if self.layout.turns != Turns::CallFirst {
            self.layout.blank_atoms = blank;
        }
        self.calls();
        if self.has_blank() {
            self.layout.blank = Some(self.place_letter());
        }
    }
    /// Adds the variables of calls. Actions that nothing in the game distinguishes share one.
    fn calls(&mut self) {
        let atoms = &self.policy.atoms;
        let mut shared: Vec<(Vec<TableBinding>, BitId)> = Vec::new();
        for id in atoms.actions.ids() {
            let is_own =
                self.is_read(LawAtom::Call(id)) || self.policy.effects[id].is_some() || self.is_tracked(id);
            let binding: Vec<TableBinding> =
                (0..self.roles.keys.len()).map(|key| self.roles.of_call(key, id)).collect();
            let known = shared.iter().find(|(own, _)| !is_own && *own == binding).map(|&(_, var)| var);
            let var = known.unwrap_or_else(|| self.add(VariableKind::Letter));
            if !is_own && known.is_none() {
                shared.push((binding, var));
            }
            self.layout.letter[atoms.bit(LawAtom::Call(id)).index()] = Some(var);
        }
    }
    /// Whether the game keeps track of the calls of an action that have no outcome yet.
    fn is_tracked(&self, id: ActionId) -> bool {
        let mut named = self.policy.effects[id].iter().flat_map(Effects::named);
        // An outcome that no law reads may be all that a letter has.
        let may_be_alone = self.layout.turns != Turns::CallFirst && !self.is_calm && !self.is_quiet;
        OUTCOMES.iter().any(|&outcome| self.is_read(LawAtom::Result(id, outcome)))
            || named.any(|id| self.is_read(LawAtom::Proposition(id)) || self.is_read(LawAtom::Clear(id)))
            || may_be_alone && (!self.has_blank() || !self.roles.keys.is_empty())
    }
    /// Adds the variables for the outcomes of an action and for its pending calls.
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
            if reaches.iter().any(|mask| mask.is_power_of_two()) && self.layout.copies > 1 {
                self.later.push((id, reaches));
            } else {
                self.slot(id, reaches);
            }
        }
    }
    fn slot(&mut self, action: ActionId, reaches: Vec<u32>) {
        let bits = (0..self.open_calls[action]).map(|_| self.add(VariableKind::State)).collect();
        let chance = self.add(VariableKind::Chance);
        self.layout.slots.push(CallSlot { action, reaches, bits, chance });
    }
    /// Adds the calls that reach single copies, this one the last of them.
    fn slots_of_copy(&mut self, copy: usize) {
        let last = |reaches: &[u32]| {
            let single = reaches.iter().filter(|mask| mask.is_power_of_two());
            single.map(|mask| mask.trailing_zeros() as usize).max()
        };
        let is_own = |(_, reaches): &(ActionId, Vec<u32>)| last(reaches) == Some(copy);
        let (own, rest) = std::mem::take(&mut self.later).into_iter().partition(is_own);
        self.later = rest;
        let own: Vec<(ActionId, Vec<u32>)> = own;
        for (action, reaches) in own {
            self.slot(action, reaches);
        }
    }
    /// If laws have copies, adds the propositions that no law reads, too: they may determine the copies that a letter
    /// reaches.
    fn bindings(&mut self) {
        for (id, proposition) in self.policy.atoms.propositions.enumerate() {
            let atom = LawAtom::Proposition(id);
            let is_blank = self.layout.blank_atoms.contains(&atom);
            if !self.roles.keys.is_empty() && !proposition.is_computed && !is_blank {
                self.place(atom);
            }
        }
    }
    /// Adds a variable for a bit of letters that the world raises.
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
        if self.layout.letter[at].is_some() && !matches!(atom, LawAtom::Result(..)) {
            return;
        }
        match atom {
            // Calls have their variables already. Pending calls belong to the laws about outcomes.
            LawAtom::Call(_) => {}
            LawAtom::Result(id, _) => self.action(id),
            LawAtom::Opaque => self.layout.letter[at] = Some(self.add(VariableKind::Letter)),
            LawAtom::Proposition(id) | LawAtom::Clear(id) => {
                let proposition = &self.policy.atoms.propositions[id];
                let both: &[LawAtom] = &[LawAtom::Proposition(id), LawAtom::Clear(id)];
                for &atom in if proposition.is_state { both } else { &both[..1] } {
                    let is_agents = self.roles.is_agents(atom);
                    let var = if is_agents { self.add(VariableKind::Letter) } else { self.place_letter() };
                    self.layout.letter[self.policy.atoms.bit(atom).index()] = Some(var);
                }
                if self.roles.is_framed(id) && !proposition.is_state && self.layout.turns == Turns::CallFirst
                {
                    let bit = self.add(VariableKind::State);
                    self.layout.memory.push((id, bit));
                }
            }
        }
    }
    /// Adds the variables that a guard reads.
    fn place_all(&mut self, guard: tsl_synth_core::logic::Guard) -> Result<(), Limit> {
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
    /// Adds the variables of a register and of the bits that it reads; registers only read those declared before them.
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
                        // The recursion is at most as deep as there are registers, since each one is declared after the
                        // next.
                        before.map_or(Ok(()), |other| self.register(other))?;
                    }
                    _ => self.place(atom),
                }
            }
        }
        let is_sum = !register.is_exact();
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
    /// Adds the state variables of a law on all tracks: of a law without copies, or of one copy of a law that has copies.
    fn law(&mut self, compiled: &CompiledPolicy, law: LawId, is_kept: bool, copy: Option<usize>) {
        let monitor = &compiled.monitors[law];
        let key = &self.policy.laws[law].for_each;
        let key = self.roles.keys.iter().position(|own| own == key);
        if key.is_some() != copy.is_some() {
            return;
        }
        let mut codes = Vec::new();
        let mut next = 0;
        for state in 0..monitor.len() as u32 {
            let is_lost = is_kept && !monitor.dfa().is_live(state);
            codes.push((!is_lost).then_some(next));
            next += u32::from(!is_lost);
        }
        let width = u32::BITS - next.saturating_sub(1).leading_zeros();
        for track in 0..self.layout.tracks {
            let bits = (0..width).map(|_| self.add(VariableKind::State)).collect();
            let codes = codes.clone();
            self.layout.instances.push(Instance { law, copy: key.zip(copy), track, is_kept, bits, codes });
        }
    }
}

impl GameLayout {
    /// The calls of an action that may be pending.
    pub(super) fn slots_of(&self, id: ActionId) -> impl Iterator<Item = &CallSlot> {
        self.slots.iter().filter(move |slot| slot.action == id)
    }
}

/// The first number that is above the bound of a register; 1 for one that is not counted exactly.
#[expect(clippy::cast_sign_loss, reason = "bounds are not negative")]
pub(super) fn top(policy: &Policy, id: RegisterId) -> u32 {
    let register = &policy.registers[id];
    if register.is_exact() { (register.above.floor() + 1.0).min(f64::from(u32::MAX)) as u32 } else { 1 }
}
