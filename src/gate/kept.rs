//! Solved games that are kept between runs of a program, since a hook is a new process for each event.
//!
//! The key of a game has the version of the program, the hash of the policy and the options of the game; an entry has a
//! checksum over all of it. An entry that is damaged or has another key is ignored, and the game is solved.

use crate::VERSION;
use tsl_synth_core::base::{Id, sha256};
use tsl_synth_core::logic::{BitId, Guard, GuardDiagrams};
use tsl_synth_core::model::Cache;
use tsl_synth_policy::gate::SolvedGames;
use tsl_synth_policy::{GameOptions, LetterMoves, SolvedGame, Ways};
use tsl_synth_seats::packed::{pack, unpack};

/// To be changed whenever the meaning of the lists changes.
const FORMAT: u32 = 2;

/// The solved games of a policy in a cache.
pub(crate) struct KeptGames {
    cache: Box<dyn Cache + Send>,
    /// The hash of the text of the policy.
    policy: String,
}

impl std::fmt::Debug for KeptGames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptGames").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl KeptGames {
    /// The solved games of the policy whose text has this hash.
    pub(crate) fn new(cache: Box<dyn Cache + Send>, policy: &str) -> Self {
        Self { cache, policy: policy.to_owned() }
    }
    fn key(&self, options: &GameOptions) -> String {
        format!("game {FORMAT} {VERSION} {} {options:?}", self.policy)
    }
}

impl SolvedGames for KeptGames {
    fn find(&self, options: &GameOptions) -> Option<SolvedGame> {
        let key = self.key(options);
        let bytes = self.cache.get(&sha256(key.as_bytes()))?;
        game_of(&unpack(&key, &bytes)?)
    }
    fn keep(&self, options: &GameOptions, solved: &SolvedGame) {
        let key = self.key(options);
        if let Some(bytes) = pack(&key, &lists_of(solved)) {
            // A game that cannot be kept is solved again.
            let _ = self.cache.put(&sha256(key.as_bytes()), &bytes);
        }
    }
}

fn number(id: impl Id) -> u64 {
    id.index() as u64
}

fn pairs(list: &[(BitId, Guard)]) -> Vec<u64> {
    list.iter().flat_map(|&(bit, guard)| [number(bit), number(guard)]).collect()
}

fn lists_of(solved: &SolvedGame) -> Vec<Vec<u64>> {
    let mut head = vec![solved.layout, solved.made as u64];
    head.extend([solved.winning, solved.closed, solved.end].map(number));
    let nodes = solved.diagrams.nodes().iter();
    let nodes = nodes.flat_map(|&(bit, low, high)| [number(bit), number(low), number(high)]);
    let mut lists = vec![head, nodes.collect(), pairs(&solved.allowed), pairs(&solved.legal)];
    if let Some(ways) = &solved.ways {
        let all = |guards: &[Guard]| guards.iter().map(|&guard| number(guard)).collect();
        lists.push(all(&ways.layers));
        for moves in &ways.classes {
            let call = moves.call.map(number).into_iter().collect();
            lists.extend([call, all(&moves.into), pairs(&moves.next), pairs(&moves.computed)]);
        }
    }
    lists
}

fn id<I: Id>(number: u64) -> Option<I> {
    u32::try_from(number).ok().map(|number| I::from_index(number as usize))
}

fn game_of(lists: &[Vec<u64>]) -> Option<SolvedGame> {
    let [head, nodes, allowed, legal, rest @ ..] = lists else { return None };
    let &[layout, made, winning, closed, end] = head.as_slice() else { return None };
    let all = |list: &[u64]| list.iter().map(|&number| id(number)).collect::<Option<Vec<Guard>>>();
    let pairs = |list: &[u64]| {
        let pair = |pair: &[u64]| match *pair {
            [bit, guard] => Some((id(bit)?, id(guard)?)),
            _ => None,
        };
        list.chunks(2).map(pair).collect::<Option<Vec<(BitId, Guard)>>>()
    };
    let moves = |lists: &[Vec<u64>]| {
        let [call, into, next, computed] = lists else { return None };
        let call = match call.as_slice() {
            [] => None,
            &[call] => Some(id(call)?),
            _ => return None,
        };
        Some(LetterMoves { call, into: all(into)?, next: pairs(next)?, computed: pairs(computed)? })
    };
    let ways = match rest {
        [] => None,
        [layers, classes @ ..] => {
            let classes = classes.chunks(4).map(moves).collect::<Option<_>>()?;
            Some(Ways { layers: all(layers)?, classes })
        }
    };
    let node = |node: &[u64]| match *node {
        [bit, low, high] => Some((id(bit)?, id(low)?, id(high)?)),
        _ => None,
    };
    Some(SolvedGame {
        layout,
        made: usize::try_from(made).ok()?,
        diagrams: GuardDiagrams::from_nodes(nodes.chunks(3).map(node).collect::<Option<_>>()?)?,
        winning: id(winning)?,
        closed: id(closed)?,
        allowed: pairs(allowed)?,
        legal: pairs(legal)?,
        end: id(end)?,
        ways,
    })
}
