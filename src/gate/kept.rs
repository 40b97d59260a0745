//! Solved games that are kept between runs of a program, since a hook is a new process for each event.
//!
//! The key of a game has the version of the program, the hash of the policy and the options of the game; an entry has a
//! checksum over all of it. An entry that is damaged or has another key is ignored, and the game is solved.

use crate::VERSION;
use tsl_synth_core::base::{Id, Limit, LimitKind, sha256};
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
    fn key(&self, what: &str, options: &GameOptions) -> String {
        format!("{what} {FORMAT} {VERSION} {} {options:?}", self.policy)
    }
    fn get(&self, key: &str) -> Option<Vec<Vec<u64>>> {
        unpack(key, &self.cache.get(&sha256(key.as_bytes()))?)
    }
    fn put(&self, key: &str, lists: &[Vec<u64>]) {
        if let Some(bytes) = pack(key, lists) {
            // What cannot be kept is solved again.
            let _ = self.cache.put(&sha256(key.as_bytes()), &bytes);
        }
    }
}

impl SolvedGames for KeptGames {
    fn find(&self, options: &GameOptions) -> Option<SolvedGame> {
        game_of(&self.get(&self.key("game", options))?)
    }
    fn keep(&self, options: &GameOptions, solved: &SolvedGame) {
        self.put(&self.key("game", options), &lists_of(solved));
    }
    fn find_limit(&self, options: &GameOptions) -> Option<Limit> {
        let lists = self.get(&self.key("limit", options))?;
        let [text] = lists.as_slice() else { return None };
        let bytes: Option<Vec<u8>> = text.iter().map(|&byte| u8::try_from(byte).ok()).collect();
        Some(Limit::new(LimitKind::Memory, String::from_utf8(bytes?).ok()?))
    }
    fn keep_limit(&self, options: &GameOptions, limit: &Limit) {
        let text = limit.what.bytes().map(u64::from).collect();
        self.put(&self.key("limit", options), &[text]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadedPolicy;
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};
    use tsl_synth_core::base::Budget;
    use tsl_synth_core::source::SourceMap;

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

    impl Cache for Memory {
        fn get(&self, key: &str) -> Option<Vec<u8>> {
            self.0.lock().expect("no panic").get(key).cloned()
        }
        fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
            self.0.lock().expect("no panic").insert(key.to_owned(), value.to_vec());
            Ok(())
        }
    }

    #[test]
    fn limits_are_kept_by_policy_and_options() {
        let text = "policy = 1\n[actions]\ngroups = [[\"a\", \"b\"]]\n[[law]]\nid = \"l\"\nrule = \"after a end requires b\"\n";
        let mut sources = SourceMap::new();
        let source = sources.add("p.toml", text);
        let loaded = LoadedPolicy::read(&mut sources, source, &Budget::unlimited()).expect("a policy");
        let options = GameOptions::new(&loaded.compiled.policy);
        let memory = Memory::default();
        let of = |policy: &str| KeptGames::new(Box::new(memory.clone()), policy);
        assert!(of("0").find_limit(&options).is_none());
        let limit = Limit::new(LimitKind::Memory, "the game of all laws: 7 nodes of \u{e9}");
        of("0").keep_limit(&options, &limit);
        assert_eq!(of("0").find_limit(&options).map(|own| own.to_string()), Some(limit.to_string()));
        assert!(of("0").find(&options).is_none(), "a limit is no game");
        assert!(of("1").find_limit(&options).is_none(), "of another policy");
        let mut other = options.clone();
        other.nodes += 1;
        assert!(of("0").find_limit(&other).is_none(), "of other options");
        for bytes in memory.0.lock().expect("no panic").values_mut() {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
        }
        assert!(of("0").find_limit(&options).is_none(), "damaged");
    }
}
