//! Reduction of deterministic parity automata.
//!
//! - Weak languages (every component accepts all its cycles or none) get *the* minimal automaton: states get
//!   priorities by how often they can still alternate, and then are minimized like automata on finite words (Löding,
//!   *Efficient minimization of deterministic weak ω-automata*, IPL 2001, whose colorings these are).
//!   O(n · letters · depth).
//! - Automata for languages that are deterministic Büchi (co-Büchi) become such automata on the same states (Krishnan,
//!   Puri and Brayton, *Deterministic ω-automata vis-a-vis deterministic Büchi automata*, 1994). Then bisimilar states
//!   are merged; edges between components are redirected to a state with the same language in the lowest possible
//!   component; and, for small automata, states with the same language are merged where the result is verified to be
//!   equivalent. The result is small and not always minimal: minimization is NP-complete here (Schewe 2010). It is
//!   minimal if no two states have the same language: words with different residual languages lead to different states
//!   of every deterministic automaton.

use super::table::{Cycles, ParityTable, TableEntry};
use super::tuning::{COMPARED_PAIRS, MERGED_STATES};
use tsl_synth_core::base::coarsest_partition;

/// A deterministic automaton for the same language, and a lower bound on the states of every such automaton: the number
/// of residual languages, or 1 if the table is too large to count them.
pub fn reduce_table(table: &ParityTable) -> (ParityTable, usize) {
    let table = table.tidy();
    let cycles = table.cycles();
    if let Some(priorities) = weak_priorities(&table, &cycles) {
        let view = |state: usize, entry: TableEntry| entry.map(|(to, _)| (to, priorities[state] % 2));
        let least = quotient(&table, view).tidy();
        let states = least.len();
        return (least, states);
    }
    let mut best = normal(&table);
    loop {
        let n = best.len();
        if n > MERGED_STATES && n * n * best.letters > COMPARED_PAIRS {
            return (best, 1);
        }
        let equal = best.equal_states();
        let next =
            deepened(&best, &equal).or_else(|| if n <= MERGED_STATES { merged(&best, &equal) } else { None });
        let Some(next) = next else {
            let needed = (0..n).filter(|p| !(0..*p).any(|q| equal[p * n + q])).count();
            return (best, needed);
        };
        best = normal(&next.tidy());
    }
}

/// The priority of each state of a weak automaton; states with even priorities accept. `None` if some component has
/// both kinds of cycles.
fn weak_priorities(table: &ParityTable, cycles: &Cycles) -> Option<Vec<u32>> {
    let component = &cycles.component;
    let mut kinds = component.table((false, false));
    for i in 0..table.entries.len() {
        let kind = &mut kinds[component[i / table.letters]];
        kind.0 |= cycles.accepting[i];
        kind.1 |= cycles.rejecting[i];
    }
    if kinds.as_slice().contains(&(true, true)) {
        return None;
    }
    let top = 2 * component.count() as u32 + 2;
    let mut priority = component.table(top + 1);
    let mut order: Vec<usize> = (0..table.len()).collect();
    order.sort_by_key(|&state| component[state]);
    // Successors come first; a letter without an entry ends the run, which rejects.
    for group in order.chunk_by(|&a, &b| component[a] == component[b]) {
        let own = component[group[0]];
        let mut least = top + 1;
        for &state in group {
            for &(to, _) in table.row(state).iter().flatten() {
                if component[to as usize] != own {
                    least = least.min(priority[component[to as usize]]);
                }
            }
        }
        priority[own] = match kinds[own] {
            (true, _) if least % 2 == 1 => least - 1,
            (false, true) if least.is_multiple_of(2) => least - 1,
            _ => least,
        };
    }
    Some(component.iter().map(|c| priority[c]).collect())
}

/// The table as a Büchi or co-Büchi automaton if its language has a deterministic one, with bisimilar states merged.
fn normal(table: &ParityTable) -> ParityTable {
    let cycles = table.cycles();
    let only = |accepting: bool| -> Option<ParityTable> {
        let (own, other) = if accepting {
            (&cycles.accepting, &cycles.rejecting)
        } else {
            (&cycles.rejecting, &cycles.accepting)
        };
        // Decisive edges lie on cycles of this kind only; every cycle of this kind must contain one.
        let decisive = |i: usize| own[i] && !other[i];
        let rest =
            table.entries.iter().enumerate().map(|(i, entry)| entry.filter(|_| !decisive(i))).collect();
        let rest = ParityTable { letters: table.letters, entries: rest }.cycles();
        let left = if accepting { &rest.accepting } else { &rest.rejecting };
        if left.contains(&true) {
            return None;
        }
        let (strong, weak) = if accepting { (0, 1) } else { (1, 2) };
        let mark = |(i, entry): (usize, &TableEntry)| {
            entry.map(|(to, _)| (to, if decisive(i) { strong } else { weak }))
        };
        let entries = table.entries.iter().enumerate().map(mark).collect();
        Some(ParityTable { letters: table.letters, entries })
    };
    let table = only(true).or_else(|| only(false)).unwrap_or_else(|| table.clone());
    quotient(&table, |_, entry| entry)
}

/// Merges states that are bisimilar once `view` is applied to the entries; a block keeps the mapped entries of its
/// first state.
fn quotient(table: &ParityTable, view: impl Fn(usize, TableEntry) -> TableEntry) -> ParityTable {
    let seen: Vec<TableEntry> =
        table.entries.iter().enumerate().map(|(i, &entry)| view(i / table.letters, entry)).collect();
    let row = |state: usize, block: &[usize]| -> Vec<TableEntry> {
        let row = seen[state * table.letters..(state + 1) * table.letters].iter();
        row.map(|entry| entry.map(|(to, p)| (block[to as usize] as u32, p))).collect()
    };
    let block = coarsest_partition(vec![0; table.len()], row);
    let mut entries: Vec<TableEntry> = Vec::new();
    for (state, &own) in block.iter().enumerate() {
        // Blocks are numbered by their first states.
        if entries.len() == own * table.letters {
            entries.extend(row(state, &block));
        }
    }
    ParityTable { letters: table.letters, entries }
}

/// Redirects edges between components to a state with the same language in the lowest component; `None` unless that
/// makes the table smaller.
fn deepened(table: &ParityTable, equal: &[bool]) -> Option<ParityTable> {
    let n = table.len();
    let component = table.cycles().component;
    let deepest: Vec<u32> = (0..n)
        .map(|p| (0..n).filter(|&q| equal[p * n + q]).min_by_key(|&q| (component[q], q)).unwrap_or(p) as u32)
        .collect();
    let mut changed = false;
    let mut entries = Vec::with_capacity(table.entries.len());
    for (i, entry) in table.entries.iter().enumerate() {
        entries.push(entry.map(|(to, priority)| {
            let crosses = component[to as usize] != component[i / table.letters];
            let deeper = deepest[to as usize];
            if crosses && component[deeper as usize] < component[to as usize] {
                changed = true;
                return (deeper, priority);
            }
            (to, priority)
        }));
    }
    let mut result = ParityTable { letters: table.letters, entries };
    if component[deepest[0] as usize] < component[0] {
        result = from(&result, deepest[0] as usize);
        changed = true;
    }
    changed.then(|| result.tidy()).filter(|result| result.len() < n)
}

/// The same table with another initial state.
fn from(table: &ParityTable, initial: usize) -> ParityTable {
    let swap = |state: usize| match state {
        0 => initial,
        s if s == initial => 0,
        s => s,
    };
    let mut entries = Vec::with_capacity(table.entries.len());
    for state in 0..table.len() {
        let row = table.row(swap(state)).iter();
        entries.extend(row.map(|entry| entry.map(|(to, p)| (swap(to as usize) as u32, p))));
    }
    ParityTable { letters: table.letters, entries }
}

/// Merges two states with the same language; `None` if merging any such pair changes the language of the table.
fn merged(table: &ParityTable, equal: &[bool]) -> Option<ParityTable> {
    let n = table.len();
    for keep in 0..n {
        for gone in (0..n).filter(|&gone| gone != keep && equal[keep * n + gone]) {
            let lead = |entry: &TableEntry| {
                entry.map(|(to, p)| (if to as usize == gone { keep as u32 } else { to }, p))
            };
            let entries = table.entries.iter().map(lead).collect();
            let mut candidate = ParityTable { letters: table.letters, entries };
            if gone == 0 {
                candidate = from(&candidate, keep);
            }
            let candidate = candidate.tidy();
            if candidate.len() < n && candidate.same_language(table) {
                return Some(candidate);
            }
        }
    }
    None
}
