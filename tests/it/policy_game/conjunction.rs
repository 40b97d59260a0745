//! The standing of all laws together, compared with the existence of words that keep them: for few laws by a search
//! through the product of their monitors, for many by blocks of laws over disjoint propositions, which share only the
//! length of the word.

use super::compile;
use super::explicit::bits;
use super::texts::{Flavor, many, random};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::logic::{BitId, Letter};
use tsl_synth_core::model::LawStatus;
use tsl_synth_policy::language::LawId;
use tsl_synth_policy::{CompiledPolicy, Conjunction};
use tsl_synth_testkit::Rng;

/// The standing of all laws together, by a search through the product of the monitors over all letters.
#[test]
fn conjunction_agrees_with_words() {
    let mut dead = 0;
    for seed in 0..200 {
        let mut rng = Rng(seed * 49_979_687 + 1);
        let text = random(&mut rng, Flavor::Plain);
        let compiled = compile(&text.whole()).expect("a policy");
        let mut policy = compiled.policy.clone();
        if policy.atoms.bits() > 12 {
            continue;
        }
        let possible = policy.atoms.possible(&mut policy.guards, true);
        let letters: Vec<Letter> = (0..1 << policy.atoms.bits())
            .map(bits)
            .filter(|letter| policy.guards.contains(possible, letter))
            .collect();
        let laws: Vec<LawId> = policy.laws.ids().collect();
        let mut states: Vec<Vec<u32>> = vec![vec![0; laws.len()]];
        let mut next: Vec<BTreeSet<usize>> = Vec::new();
        while next.len() < states.len() {
            let from = states[next.len()].clone();
            let mut own = BTreeSet::new();
            for letter in &letters {
                let to: Vec<u32> =
                    laws.iter().map(|&law| compiled.step(law, from[law.index()], letter)).collect();
                let known = states.iter().position(|one| *one == to);
                own.insert(known.unwrap_or_else(|| {
                    states.push(to);
                    states.len() - 1
                }));
            }
            next.push(own);
        }
        let holds = |state: &Vec<u32>| {
            laws.iter().all(|&law| compiled.monitors[law].dfa().is_accepting(state[law.index()]))
        };
        let mut live: Vec<bool> = states.iter().map(holds).collect();
        for _ in 0..states.len() {
            live = (0..states.len()).map(|i| live[i] || next[i].iter().any(|&to| live[to])).collect();
        }
        let conjunction = Conjunction::new(&compiled, &laws, 1 << 20, &Budget::unlimited()).expect("small");
        for (state, live) in states.iter().zip(live) {
            let standing = conjunction.standing(&compiled, state);
            assert_eq!(standing != LawStatus::Violated, live, "{state:?}\n{}", text.whole());
            assert_eq!(standing.holds(), live && holds(state), "{state:?}\n{}", text.whole());
            let each = laws.iter().all(|&law| compiled.monitors[law].dfa().is_live(state[law.index()]));
            dead += usize::from(each && !live);
        }
    }
    assert!(dead > 10, "laws of which each is alive and all together are not: {dead}");
}

/// The number of propositions of a block of laws, and the number of blocks.
const WIDTH: usize = 3;
const BLOCKS: usize = 18;
/// Words up to this length are considered.
const LENGTH: usize = 40;

/// A random law that some word keeps; most of them are obligations for later letters.
fn random_obligation(rng: &mut Rng, names: &[String]) -> String {
    let at = rng.below(names.len());
    let (a, b) = (&names[at], &names[(at + 1 + rng.below(names.len() - 1)) % names.len()]);
    match rng.below(10) {
        0 => format!("F {a}"),
        1 => format!("!{a} U {b}"),
        2 => format!("G ({a} -> X G !{b})"),
        3 => format!("G ({a} -> X !{b})"),
        4 => format!("G ({a} -> O {b})"),
        5 => format!("F ({a} && X {b})"),
        6 => format!("G (!{a} -> F {b})"),
        7 | 8 => format!("G ({a} -> F {b})"),
        _ => format!("G ({a} -> X[!] {b})"),
    }
}

/// 54 laws in blocks of three over propositions of their own. The laws of a block are far from each other in the
/// declared order.
fn in_blocks(rng: &mut Rng) -> String {
    let mut text = String::from("policy = 1\n[propositions]\n");
    for i in 0..WIDTH * BLOCKS {
        let _ = writeln!(text, "p{i} = {{}}");
    }
    for at in 0..3 * BLOCKS {
        let names: Vec<String> = (0..WIDTH).map(|i| format!("p{}", at % BLOCKS * WIDTH + i)).collect();
        let _ = write!(text, "[[law]]\nid = \"law-{at}\"\nltl = \"{}\"\n", random_obligation(rng, &names));
    }
    text
}

/// A block: its laws, and its letters.
struct Block<'a> {
    compiled: &'a CompiledPolicy,
    laws: Vec<LawId>,
    letters: Vec<Letter>,
    next: BTreeMap<Vec<u32>, BTreeSet<Vec<u32>>>,
}

impl<'a> Block<'a> {
    fn new(compiled: &'a CompiledPolicy, block: usize) -> Self {
        let laws = (0..3).map(|i| LawId::from_index(block + i * BLOCKS)).collect();
        let name = |i: usize| format!("p{}", block * WIDTH + i);
        let atoms = &compiled.policy.atoms;
        let bit =
            |i: usize| (0..atoms.bits()).map(BitId::from_index).find(|&bit| atoms.bit_name(bit) == name(i));
        let own: Vec<BitId> = (0..WIDTH).map(|i| bit(i).expect("a bit")).collect();
        let letter = |code: usize| (0..WIDTH).filter(|i| code >> i & 1 == 1).map(|i| own[i]).collect();
        let letters = (0..1 << WIDTH).map(letter).collect();
        Self { compiled, laws, letters, next: BTreeMap::new() }
    }
    /// The states of the laws of the block, from the states of all laws.
    fn own(&self, states: &[u32]) -> Vec<u32> {
        self.laws.iter().map(|law| states[law.index()]).collect()
    }
    fn step(&self, states: &[u32], letter: &Letter) -> Vec<u32> {
        self.laws.iter().zip(states).map(|(&law, &state)| self.compiled.step(law, state, letter)).collect()
    }
    /// The lengths of words from some states after which all laws of the block are kept.
    fn lengths(&mut self, states: Vec<u32>) -> BTreeSet<usize> {
        let mut now = BTreeSet::from([states]);
        let mut lengths = BTreeSet::new();
        for length in 0..=LENGTH {
            let accepts = |states: &Vec<u32>| {
                let mut all = self.laws.iter().zip(states);
                all.all(|(&law, &state)| self.compiled.monitors[law].dfa().is_accepting(state))
            };
            lengths.extend(now.iter().any(accepts).then_some(length));
            let mut next = BTreeSet::new();
            for states in &now {
                if !self.next.contains_key(states) {
                    let own = self.letters.iter().map(|letter| self.step(states, letter)).collect();
                    self.next.insert(states.clone(), own);
                }
                next.extend(self.next[states].iter().cloned());
            }
            now = next;
        }
        lengths
    }
}

/// 54 laws, most of them obligations for later letters: the diagrams stay small, and the standing is that of the
/// blocks, which must agree on the length of a word.
#[test]
fn fifty_four_laws_stand_together_as_some_word_says() {
    let mut seen = [0; 2];
    for seed in 0..12 {
        let mut rng = Rng(seed * 67_867_967 + 3);
        let text = in_blocks(&mut rng);
        let compiled = compile(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let laws: Vec<LawId> = compiled.policy.laws.ids().collect();
        assert_eq!(laws.len(), 54);
        let conjunction = Conjunction::new(&compiled, &laws, 1 << 17, &Budget::unlimited()).expect("small");
        assert!(conjunction.nodes() < 6_000, "{} nodes", conjunction.nodes());
        let mut blocks: Vec<Block<'_>> = (0..BLOCKS).map(|block| Block::new(&compiled, block)).collect();
        let mut states = vec![0; laws.len()];
        for _ in 0..6 {
            let mut common: BTreeSet<usize> = (0..=LENGTH).collect();
            for block in &mut blocks {
                let lengths = block.lengths(block.own(&states));
                common.retain(|length| lengths.contains(length));
            }
            let standing = conjunction.standing(&compiled, &states);
            assert_eq!(standing != LawStatus::Violated, !common.is_empty(), "{states:?}\n{text}");
            assert_eq!(standing.holds(), common.contains(&0), "{states:?}\n{text}");
            seen[usize::from(standing != LawStatus::Violated)] += 1;
            // A letter after which as many laws as possible can still be kept.
            for block in &blocks {
                let own = block.own(&states);
                let count = |states: &[u32]| {
                    let live = |&(&law, &state): &(&LawId, &u32)| compiled.monitors[law].dfa().is_live(state);
                    block.laws.iter().zip(states).filter(live).count()
                };
                let first = rng.below(block.letters.len());
                let letters = block.letters[first..].iter().chain(&block.letters[..first]);
                let next = letters.map(|letter| block.step(&own, letter)).max_by_key(|next| count(next));
                for (law, state) in block.laws.iter().zip(next.expect("a letter")) {
                    states[law.index()] = state;
                }
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen >= 10), "{seen:?}");
}

/// How many random sets of laws, each of which can be kept alone, are decided, and with how many nodes.
#[test]
#[ignore = "a table"]
fn conjunction_table() {
    for (flavor, laws) in [(Flavor::Plain, 20), (Flavor::Plain, 54), (Flavor::Next, 20), (Flavor::Next, 54)] {
        let (mut decided, mut kept, mut nodes, mut slowest) = (0, 0, 0, std::time::Duration::ZERO);
        for seed in 0..20 {
            let text = many(&mut Rng(seed * 86_028_121 + 1), flavor, laws);
            let compiled = compile(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let is_live = |law: &LawId| compiled.monitors[*law].dfa().is_live(0);
            let all: Vec<LawId> = compiled.policy.laws.ids().filter(is_live).collect();
            let start = std::time::Instant::now();
            if let Ok(one) = Conjunction::new(&compiled, &all, 1 << 17, &Budget::unlimited()) {
                (decided, nodes) = (decided + 1, nodes.max(one.nodes()));
                let standing = one.standing(&compiled, &vec![0; all.len()]);
                kept += usize::from(standing != LawStatus::Violated);
            }
            slowest = slowest.max(start.elapsed());
        }
        println!(
            "{laws} laws, {flavor:?}: {decided} of 20 decided, {kept} can be kept, at most {nodes} nodes, {slowest:?}"
        );
    }
}
