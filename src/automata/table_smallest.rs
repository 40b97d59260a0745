//! Smallest deterministic parity automata by SAT.
//!
//! The SAT solver is asked for an equivalent automaton of k states, with k from the number of residual languages
//! upward, so the first automaton found is a smallest one (the encoding of Baarir and Duret-Lutz, *SAT-based
//! minimization of deterministic ω-automata*, LPAR 2015, for parity). Minimization is NP-complete (Schewe 2010).
//!
//! Variables, for states r of the given automaton R and c of the new one C: `together(r, c)`: some word leads to both;
//! `goes(c, a, c')`: letter a leads from c to c'; `least(c, a, p)`: the priority of that edge is at least p. For
//! priorities i of R and j of C of different parity, `path(x, y, m)`: in the product, over edges of at least i in R and
//! of at least j in C, a path leads from x, the end of an edge of priority i, to y, and passes an edge of priority j if
//! m. A path with m must not return to x by an edge of priority i. Every state of C is assigned a residual language of
//! R, the first states one each, which leaves few symmetric numberings. The automaton found is compared with R again.

use super::table::{ParityTable, TableEntry};
use super::tuning::{COMPARED_PAIRS, MAX_CLAUSES, MAX_DECISIONS};
use rustc_hash::FxHashMap;
use rustsat::types::Lit;
use tsl_synth_core::base::{Budget, Limit, LimitKind, Sat};

/// An equivalent automaton, and a lower bound on the states of every equivalent one. They match, so that the automaton
/// is a smallest one, unless a limit ended the search; then the table is returned as it is. `table` is tidy.
pub fn smallest_table(table: &ParityTable, needed: usize, budget: &Budget) -> (ParityTable, usize) {
    let n = table.len();
    if needed >= n || n * n * table.letters > COMPARED_PAIRS {
        return (table.clone(), needed);
    }
    let language = languages(table);
    let count = language.iter().max().map_or(0, |most| most + 1);
    let mut needed = needed.max(count);
    while needed < n {
        match SizeQuestion::new(table, &language, needed, budget).and_then(|question| question.solve(budget))
        {
            Ok(Some(found)) => {
                let found = found.tidy();
                // If the comparison fails, the automaton is not used and the bound is only the number of languages.
                debug_assert!(found.same_language(table), "{needed} states for another language");
                return if found.same_language(table) { (found, needed) } else { (table.clone(), count) };
            }
            Ok(None) => needed += 1,
            Err(_) => break,
        }
    }
    (table.clone(), needed)
}

/// The number of each state's language; that of the initial state is 0.
fn languages(table: &ParityTable) -> Vec<usize> {
    let (n, equal) = (table.len(), table.equal_states());
    let mut language: Vec<usize> = Vec::new();
    let mut count = 0;
    for p in 0..n {
        let known = (0..p).find(|q| equal[p * n + q]).map(|q| language[q]);
        language.push(known.unwrap_or(count));
        count += usize::from(known.is_none());
    }
    language
}

/// A pair of states, `r * k + c`.
type PairIndex = usize;

struct SizeQuestion<'a> {
    table: &'a ParityTable,
    language: &'a [usize],
    /// How many states the new automaton has.
    k: usize,
    /// One representative letter for each distinct column of the table.
    letters: Vec<usize>,
    /// The index in `letters` of each letter's representative.
    class: Vec<usize>,
    priorities: u32,
    sat: Sat,
    /// `goes` by state and letter: each next state with its literal.
    goes: Vec<Vec<(usize, Lit)>>,
    /// By state and letter: there is no next state.
    ends: Vec<Lit>,
    /// `least` by state and letter, for the priorities 1, 2, ....
    least: Vec<Vec<Lit>>,
    together: FxHashMap<PairIndex, Lit>,
}

impl<'a> SizeQuestion<'a> {
    fn new(table: &'a ParityTable, language: &'a [usize], k: usize, budget: &Budget) -> Result<Self, Limit> {
        let columns: Vec<Vec<TableEntry>> =
            (0..table.letters).map(|a| (0..table.len()).map(|r| table.row(r)[a]).collect()).collect();
        let mut letters: Vec<usize> = Vec::new();
        let class = (0..table.letters).map(|a| {
            letters.iter().position(|&b| columns[a] == columns[b]).unwrap_or_else(|| {
                letters.push(a);
                letters.len() - 1
            })
        });
        let class = class.collect();
        let mut this = Self {
            table,
            language,
            k,
            letters,
            class,
            priorities: table.priorities().last().map_or(1, |most| most + 1),
            sat: Sat::default(),
            goes: Vec::new(),
            ends: Vec::new(),
            least: Vec::new(),
            together: FxHashMap::default(),
        };
        this.structure()?;
        this.reached()?;
        for i in 0..this.priorities {
            for j in (0..this.priorities).filter(|j| j % 2 != i % 2) {
                let before = this.sat.clauses();
                this.cycles(i, j)?;
                budget.tick(this.sat.clauses() - before, || this.what())?;
            }
        }
        Ok(this)
    }

    fn what(&self) -> String {
        format!("the search for an automaton of {} states", self.k)
    }

    fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) -> Result<(), Limit> {
        if self.sat.clauses() == MAX_CLAUSES {
            return Err(Limit::new(LimitKind::Size, self.what()));
        }
        self.sat.add(literals);
        Ok(())
    }

    /// Whether a state may be assigned a language: the first states have one each, the others any.
    fn may_have(&self, state: usize, language: usize) -> bool {
        let count = self.language.iter().max().map_or(0, |most| most + 1);
        state == language || state >= count
    }

    /// Every state and letter has one next state or none, and one priority.
    fn structure(&mut self) -> Result<(), Limit> {
        for _ in 0..self.k * self.letters.len() {
            let ends = self.sat.fresh();
            let goes: Vec<(usize, Lit)> = (0..self.k).map(|to| (to, self.sat.fresh())).collect();
            let mut all: Vec<Lit> = goes.iter().map(|&(_, lit)| lit).collect();
            all.push(ends);
            self.clause(all.iter().copied())?;
            for (i, &a) in all.iter().enumerate() {
                for &b in &all[i + 1..] {
                    self.clause([!a, !b])?;
                }
            }
            let least: Vec<Lit> = (1..self.priorities).map(|_| self.sat.fresh()).collect();
            for two in least.windows(2) {
                self.clause([!two[1], two[0]])?;
            }
            self.goes.push(goes);
            self.ends.push(ends);
            self.least.push(least);
        }
        Ok(())
    }

    /// Defines `together`: only pairs of states with the same language are reached by a word.
    fn reached(&mut self) -> Result<(), Limit> {
        let n = self.table.len();
        for r in 0..n {
            for c in 0..self.k {
                if !self.may_have(c, self.language[r]) {
                    continue;
                }
                let lit = self.sat.fresh();
                self.together.insert(r * self.k + c, lit);
            }
        }
        // A state has one language.
        let count = self.language.iter().max().map_or(0, |most| most + 1);
        for c in count..self.k {
            let has: Vec<Lit> = (0..count).map(|_| self.sat.fresh()).collect();
            for (i, &a) in has.iter().enumerate() {
                for &b in &has[i + 1..] {
                    self.clause([!a, !b])?;
                }
            }
            for r in 0..n {
                self.clause([!self.together[&(r * self.k + c)], has[self.language[r]]])?;
            }
        }
        self.clause([self.together[&0]])?;
        for r in 0..n {
            for c in 0..self.k {
                let Some(&here) = self.together.get(&(r * self.k + c)) else { continue };
                for a in 0..self.letters.len() {
                    let edge = c * self.letters.len() + a;
                    let Some((to, _)) = self.table.row(r)[self.letters[a]] else {
                        self.clause([!here, self.ends[edge]])?;
                        continue;
                    };
                    self.clause([!here, !self.ends[edge]])?;
                    for (next, goes) in self.goes[edge].clone() {
                        let then = self.together.get(&(to as usize * self.k + next)).copied();
                        self.clause([Some(!here), Some(!goes), then].into_iter().flatten())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The priority of an edge is at least p: a literal, or a constant.
    fn at_least(&self, edge: usize, p: u32) -> Result<Lit, bool> {
        match p {
            0 => Err(true),
            p if p >= self.priorities => Err(false),
            p => Ok(self.least[edge][p as usize - 1]),
        }
    }

    /// No cycle has the least priority i in the given automaton and j in the new one.
    fn cycles(&mut self, i: u32, j: u32) -> Result<(), Limit> {
        let (n, k, letters) = (self.table.len(), self.k, self.letters.len());
        let component = self.table.components_from(i);
        let inner = |r: usize, a: usize| -> TableEntry {
            let entry = self.table.row(r)[self.letters[a]];
            entry.filter(|&(to, p)| p >= i && component[to as usize] == component[r])
        };
        let edges: Vec<TableEntry> = (0..n * letters).map(|e| inner(e / letters, e % letters)).collect();
        let mut starts: Vec<usize> =
            edges.iter().flatten().filter(|(_, p)| *p == i).map(|&(to, _)| to as usize).collect();
        starts.sort_unstable();
        starts.dedup();
        for start in starts {
            for begin in 0..k {
                let Some(&here) = self.together.get(&(start * k + begin)) else { continue };
                // `path` by pair, without and with an edge of priority j.
                let mut path: FxHashMap<PairIndex, [Lit; 2]> = FxHashMap::default();
                for r in (0..n).filter(|&r| component[r] == component[start]) {
                    for c in 0..k {
                        if !self.may_have(c, self.language[r]) {
                            continue;
                        }
                        let both = [self.sat.fresh(), self.sat.fresh()];
                        path.insert(r * k + c, both);
                    }
                }
                self.clause([!here, path[&(start * k + begin)][0]])?;
                for r in (0..n).filter(|&r| component[r] == component[start]) {
                    for a in 0..letters {
                        let Some((to, p)) = edges[r * letters + a] else { continue };
                        for c in 0..k {
                            let Some(&[plain, marked]) = path.get(&(r * k + c)) else { continue };
                            let edge = c * letters + a;
                            // Not at least j; at least j + 1.
                            let low = self.at_least(edge, j).map_or_else(|_| None, |lit| Some(!lit));
                            let high = self.at_least(edge, j + 1).ok();
                            for (next, goes) in self.goes[edge].clone() {
                                let Some(&[then, then_marked]) = path.get(&(to as usize * k + next)) else {
                                    continue;
                                };
                                let all = |last: [Option<Lit>; 3]| {
                                    [Some(!goes), low].into_iter().chain(last).flatten().collect::<Vec<Lit>>()
                                };
                                self.clause(all([Some(!plain), Some(then), None]))?;
                                self.clause(all([Some(!marked), Some(then_marked), None]))?;
                                self.clause(all([Some(!plain), high, Some(then_marked)]))?;
                                if p == i && to as usize == start && next == begin {
                                    self.clause(all([Some(!marked), None, None]))?;
                                    self.clause(all([Some(!plain), high, None]))?;
                                }
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn solve(mut self, budget: &Budget) -> Result<Option<ParityTable>, Limit> {
        let what = self.what();
        let found = self.sat.satisfiable(MAX_DECISIONS, budget, || what.clone())?;
        Ok(found.then(|| self.found()))
    }

    fn found(&self) -> ParityTable {
        let holds = |lit: Lit| self.sat.holds(lit);
        let mut entries = Vec::new();
        for c in 0..self.k {
            for &class in &self.class {
                let edge = c * self.letters.len() + class;
                let to = self.goes[edge].iter().find(|&&(_, goes)| holds(goes));
                let priority = self.least[edge].iter().take_while(|&&lit| holds(lit)).count();
                entries.push(to.map(|&(to, _)| (to as u32, priority as u32)));
            }
        }
        ParityTable { letters: self.table.letters, entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for these letters (0 is `a`, 1 is `b`) in turn.
    fn rounds(letters: &[usize]) -> ParityTable {
        let n = letters.len();
        let entry = |i: usize| {
            let (state, letter) = (i / 4, i % 4);
            let seen = letter >> letters[state] & 1 == 1;
            let last = seen && state + 1 == n;
            Some((if seen { (state + 1) % n } else { state } as u32, u32::from(!last)))
        };
        ParityTable { letters: 4, entries: (0..4 * n).map(entry).collect() }
    }

    #[test]
    fn infinitely_often_both_needs_two_states() {
        for waits in [&[0, 1][..], &[0, 1, 1], &[0, 1, 0, 0, 1]] {
            let table = rounds(waits).tidy();
            let (least, needed) = smallest_table(&table, 1, &Budget::unlimited());
            assert_eq!((least.len(), needed), (2, 2), "{waits:?}");
            assert!(least.same_language(&table));
        }
    }

    #[test]
    fn nothing_is_claimed_past_the_limit() {
        let table = rounds(&[0, 1, 1]).tidy();
        let (same, needed) = smallest_table(&table, 1, &Budget::unlimited().with_work(1));
        assert_eq!((same.len(), needed), (3, 1));
    }

    /// All automata of that number of states over two letters with the priorities 0, 1, 2.
    fn all(states: usize) -> impl Iterator<Item = ParityTable> {
        let choices = 3 * states + 1;
        let of = move |mut code: usize| {
            let mut entry = || {
                let choice = code % choices;
                code /= choices;
                (choice > 0).then(|| (((choice - 1) / 3) as u32, ((choice - 1) % 3) as u32))
            };
            ParityTable { letters: 2, entries: (0..2 * states).map(|_| entry()).collect() }
        };
        (0..choices.pow(2 * states as u32)).map(of)
    }

    #[test]
    fn as_small_as_enumeration_finds() {
        let smaller: Vec<ParityTable> = all(1).chain(all(2)).map(|table| table.tidy()).collect();
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) % below
        };
        let mut found = [0; 4];
        for _ in 0..150 {
            let entries = (0..6).map(|_| (next(9) > 0).then(|| (next(3) as u32, next(3) as u32))).collect();
            let table = ParityTable { letters: 2, entries }.tidy();
            let (least, needed) = smallest_table(&table, 1, &Budget::unlimited());
            let fewest =
                smaller.iter().filter(|other| other.same_language(&table)).map(ParityTable::len).min();
            assert_eq!(least.len(), fewest.unwrap_or(3).min(table.len()), "{table:?}");
            assert!(needed >= least.len().min(3), "{table:?}");
            found[least.len()] += 1;
        }
        assert!(found[2] > 10 && found[3] > 10, "{found:?}");
    }
}
