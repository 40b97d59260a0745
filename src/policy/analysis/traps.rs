//! Traps: steps of the agent that violate no law at once, and after which the world can make it impossible to keep some
//! laws.
//!
//! The positions of the game of the hard laws of each part of the policy are searched breadth first, from the beginning,
//! along letters of the world and choices that the game allows, so that the first path to a trap is a shortest one. For laws with bound
//! values, only runs are searched in which every letter is bound to one value. Every result is a trap; that there are
//! no others is known only if the search is complete.

use super::loss::{Losses, is_local};
use super::moves::PlayerLetters;
use crate::language::{ActionId, LawAtom, LawId};
use crate::{
    CompiledPolicy, Game, GameLetter, GameOptions, PolicyPart, PolicyPosition, Stepping, Turns, WayStep,
    connected_parts, parts,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_core::model::CallOutcome;

/// The largest number of positions that are searched by default.
pub const TRAP_POSITIONS: usize = 1_000;
/// The largest number of letters of each player that are tried in a position.
const LETTERS: usize = 256;
/// The largest number of letters that are tried in all positions together, if they have few bits.
const ALL_LETTERS: usize = 300_000;
/// Letters count several times if the product of their bits and of the laws that read them is larger than this.
const LETTER_WORK: usize = 512;
/// The largest number of traps that are listed.
const MAX_TRAPS: usize = 16;

/// A step-legal choice after which laws are lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The action of the last step.
    pub action: ActionId,
    /// The laws that are lost together; a set of one or two laws is minimal.
    pub laws: Vec<LawId>,
    /// A shortest legal path, including the step.
    pub way: Vec<WayStep>,
}

/// The results of the game of all hard laws.
#[derive(Clone, Debug, Default)]
pub struct LookAhead {
    /// Whether some agent can act and stop whatever the world does; `None` if that is not decided.
    pub can_act_and_stop: Option<bool>,
    /// If there is no such agent: laws that are lost from the beginning.
    pub lost: Vec<LawId>,
    /// Steps after which laws are lost, shortest paths first, each pair of an action and a set of laws once.
    pub traps: Vec<Trap>,
    /// The number of positions that were searched for traps.
    pub positions: usize,
    /// Whether the search visited all positions in its scope.
    pub is_complete: bool,
    /// Whether the search is about runs in which all letters are about one value, because there are laws with bound
    /// values.
    pub is_of_one_value: bool,
    /// Why the game was not solved.
    pub not_decided: Option<String>,
    /// Why traps were not searched.
    pub not_searched: Option<&'static str>,
}

/// Solves the game from the beginning and searches at most `limit` positions for traps.
///
/// # Errors
/// The budget.
pub fn look_ahead(compiled: &Arc<CompiledPolicy>, limit: usize, budget: &Budget) -> Result<LookAhead, Limit> {
    let mut found = LookAhead::default();
    let options = GameOptions::new(&compiled.policy);
    if compiled.policy.atoms.actions.is_empty() || options.kept.is_empty() {
        let what = if options.kept.is_empty() { "hard law that denies" } else { "action" };
        found.not_decided = Some(format!("there is no {what}"));
        return Ok(found);
    }
    let laws: Vec<LawId> = {
        let mut laws: Vec<LawId> = options.kept.iter().chain(&options.assumed).copied().collect();
        laws.sort_unstable();
        laws
    };
    let games = match games(compiled, &options, &laws, budget) {
        Ok(games) => games,
        Err(limit) if is_local(&limit) => {
            found.not_decided = Some(limit.what);
            return Ok(found);
        }
        Err(limit) => return Err(limit),
    };
    let Some(first) = games.first().map(|own| &own.game) else { return Ok(found) };
    let initial = first.stepping().initial();
    found.can_act_and_stop = Some(true);
    for own in games.iter().filter(|own| !own.game.is_closed(&initial)) {
        let Some(game) = own.losing(&initial) else {
            // The world may have fewer letters than this game gives it.
            let whole = Game::new(compiled, &options, budget).ok();
            if whole.is_some_and(|game| game.can_act_and_stop()) {
                continue;
            }
            found.can_act_and_stop = None;
            found.not_decided = Some("laws that count letters may not all be kept".into());
            return Ok(found);
        };
        found.can_act_and_stop = Some(false);
        found.lost = Losses::new(compiled, game.options()).core(&initial, budget)?;
        return Ok(found);
    }
    if first.turns() != Turns::Apart {
        found.not_searched = Some("several truths and a call join in one letter");
        return Ok(found);
    }
    let has_copies = !first.stepping().keys().is_empty();
    // The search does not model time, by which the numbers of registers with a window decrease.
    let has_window = compiled.policy.registers.iter().any(|register| register.window.is_some());
    found.is_of_one_value = has_copies;
    found.is_complete = true;
    // A step may concern laws of several games.
    let parts = connected_parts(compiled, &laws);
    let search_of = |part: &PolicyPart, games: Vec<&PartGame>, found: LookAhead, tried: usize| {
        let moves = PlayerLetters::new(compiled, part, parts.len() == 1, has_copies);
        let losses = games.iter().map(|own| Losses::new(compiled, own.exact().options())).collect();
        let (laws, options) = (part.laws.clone(), options.clone());
        let nodes = Vec::new();
        let mut search = TrapSearch { compiled, options, games, moves, losses, laws, nodes, found, tried };
        search.run(limit, budget)?;
        Ok((search.found, search.tried))
    };
    let mut tried = 0;
    for part in &parts {
        let own = games.iter().filter(|own| own.laws.iter().any(|law| part.laws.contains(law)));
        let own: Vec<&PartGame> = own.collect();
        if own.iter().all(|own| own.game.is_never_lost()) {
            continue;
        }
        if tried >= ALL_LETTERS || found.positions >= limit {
            found.is_complete = false;
            break;
        }
        (found, tried) = search_of(part, own, found, tried)?;
    }
    found.is_complete &= !has_window;
    Ok(found)
}

/// The game of a part of the policy.
struct PartGame {
    laws: Vec<LawId>,
    game: Game,
    /// For a part that counts letters the game in which the world can do less than it really can.
    quiet: Option<Game>,
}

impl PartGame {
    /// The game whose lost positions are really lost.
    fn exact(&self) -> &Game {
        self.quiet.as_ref().unwrap_or(&self.game)
    }
    /// A game in which the world can make it impossible to keep the laws from a position.
    fn losing(&self, position: &PolicyPosition) -> Option<&Game> {
        Some(self.exact()).filter(|game| !game.is_closed(position))
    }
}

/// The games of all parts of the policy.
fn games(
    compiled: &Arc<CompiledPolicy>,
    options: &GameOptions,
    laws: &[LawId],
    budget: &Budget,
) -> Result<Vec<PartGame>, Limit> {
    let (mut games, parts) = (Vec::new(), parts(compiled, laws));
    for part in &parts {
        let own = |laws: &[LawId]| laws.iter().copied().filter(|law| part.laws.contains(law)).collect();
        let options = GameOptions {
            kept: own(&options.kept),
            assumed: own(&options.assumed),
            has_others: parts.len() > 1,
            ..options.clone()
        };
        let game = Game::new(compiled, &options, budget)?;
        let is_approximate = part.counts_letters && !game.is_never_lost();
        let quiet = is_approximate
            .then(|| Game::new(compiled, &GameOptions { is_quiet: true, ..options }, budget))
            .transpose()?;
        games.push(PartGame { laws: part.laws.clone(), game, quiet });
    }
    Ok(games)
}

struct TrapState {
    position: PolicyPosition,
    before: usize,
    /// The letter that led here.
    letter: GameLetter,
    is_agents: bool,
}

/// The parts that distinguish positions in the search.
type Key = (Vec<u32>, Vec<(ActionId, Vec<u32>, u32)>, Vec<u32>);

struct TrapSearch<'a> {
    compiled: &'a Arc<CompiledPolicy>,
    /// The game of all laws.
    options: GameOptions,
    /// The games of the parts whose laws the search is about.
    games: Vec<&'a PartGame>,
    moves: PlayerLetters<'a>,
    /// For each game the laws that are lost in its positions.
    losses: Vec<Losses<'a>>,
    laws: Vec<LawId>,
    nodes: Vec<TrapState>,
    found: LookAhead,
    /// The number of letters that were tried in all parts.
    tried: usize,
}

impl TrapSearch<'_> {
    fn stepping(&self) -> &Stepping {
        self.games[0].game.stepping()
    }
    /// The parts of a position that the search distinguishes; soft laws are not part of the game.
    fn key(&self, position: &PolicyPosition) -> Key {
        let laws = self.laws.iter().flat_map(|law| position.laws[law.index()].iter().copied()).collect();
        let pending =
            position.pending.iter().map(|((action, reach), count)| (*action, reach.clone(), *count));
        (laws, pending.collect(), position.registers.iter().flatten().copied().collect())
    }
    fn letter(&self, bits: Letter) -> GameLetter {
        GameLetter { bits, reaches: vec![1; self.stepping().keys().len()] }
    }

    fn run(&mut self, limit: usize, budget: &Budget) -> Result<(), Limit> {
        let first = self.stepping().initial();
        let mut seen = FxHashSet::from_iter([self.key(&first)]);
        let letter = GameLetter::default();
        self.nodes.push(TrapState { position: first, before: 0, letter, is_agents: false });
        let mut at = 0;
        while at < self.nodes.len() && self.found.traps.len() < MAX_TRAPS && self.tried < ALL_LETTERS {
            budget.tick(1, || "the search for traps".into())?;
            let position = self.nodes[at].position.clone();
            let (calls, has_all_calls) = self.moves.of_agent(&position, LETTERS);
            let (answers, has_all_answers) = self.moves.of_world(&position, LETTERS);
            self.found.is_complete &= has_all_calls && has_all_answers;
            let work = self.moves.bits_told() * self.laws.len();
            self.tried += (calls.len() + answers.len()) * work.div_ceil(LETTER_WORK);
            budget.tick((calls.len() + answers.len()) as u64, || "the search for traps".into())?;
            let calls = calls.into_iter().map(|bits| (bits, true));
            for (bits, is_agents) in calls.chain(answers.into_iter().map(|bits| (bits, false))) {
                let letter = self.letter(bits);
                let Some(next) = self.next(at, &letter, is_agents, budget)? else { continue };
                for position in next {
                    if seen.contains(&self.key(&position)) {
                        continue;
                    }
                    if self.found.positions + self.nodes.len() >= limit {
                        self.found.is_complete = false;
                        continue;
                    }
                    seen.insert(self.key(&position));
                    self.nodes.push(TrapState { position, before: at, letter: letter.clone(), is_agents });
                }
            }
            at += 1;
        }
        self.found.is_complete &= at >= self.nodes.len();
        self.found.positions += self.nodes.len();
        Ok(())
    }

    /// The positions after a letter; `None` if the game does not allow it to the agent, or the `assume` laws to the
    /// world.
    fn next(
        &mut self,
        at: usize,
        letter: &GameLetter,
        is_agents: bool,
        budget: &Budget,
    ) -> Result<Option<Vec<PolicyPosition>>, Limit> {
        let position = &self.nodes[at].position;
        let violated = self.stepping().violates(position, letter);
        let is_broken = |law: &LawId| {
            if is_agents { self.options.kept.contains(law) } else { self.options.assumed.contains(law) }
        };
        if violated.iter().any(is_broken) {
            return Ok(None);
        }
        let next = self.moves.after(self.stepping(), position, letter);
        if !is_agents || next.iter().all(|position| self.games.iter().all(|own| own.game.is_closed(position)))
        {
            return Ok(Some(next));
        }
        let of = |position| (0..self.games.len()).find(|&game| self.games[game].losing(position).is_some());
        match next.iter().find_map(|position| Some((of(position)?, position.clone()))) {
            Some((game, lost)) => self.trap(at, letter, game, &lost, budget)?,
            None => self.found.is_complete = false,
        }
        Ok(None)
    }

    fn trap(
        &mut self,
        at: usize,
        letter: &GameLetter,
        game: usize,
        lost: &PolicyPosition,
        budget: &Budget,
    ) -> Result<(), Limit> {
        let atoms = &self.compiled.policy.atoms;
        let called = |&id: &ActionId| letter.bits.contains(atoms.bit(LawAtom::Call(id)));
        let Some(action) = atoms.actions.ids().find(called) else { return Ok(()) };
        let laws = self.losses[game].core(lost, budget)?;
        if self.found.traps.iter().any(|trap| trap.action == action && trap.laws == laws) {
            return Ok(());
        }
        let mut way = vec![WayStep { letter: letter.clone(), is_agents: true }];
        let mut here = at;
        while here != 0 {
            let node = &self.nodes[here];
            way.push(WayStep { letter: node.letter.clone(), is_agents: node.is_agents });
            here = node.before;
        }
        way.reverse();
        self.found.traps.push(Trap { action, laws, way });
        Ok(())
    }
}

/// The names of the atoms that are true in a letter of a path.
pub fn letter_names(compiled: &CompiledPolicy, letter: &GameLetter) -> Vec<String> {
    let atoms = &compiled.policy.atoms;
    let name = |bit: BitId| match atoms.atom(bit) {
        // Nothing distinguishes this outcome from others.
        LawAtom::Result(action, CallOutcome::Ok) if !compiled.reads_outcome(action) => {
            format!("{} ends", atoms.actions[action].name)
        }
        _ => atoms.bit_name(bit),
    };
    letter.bits.iter().map(name).collect()
}
