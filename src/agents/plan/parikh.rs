//! Whether a grammar derives a word within use limits, decided by numbers of applications.
//!
//! The numbers of how often each production is applied in a derivation satisfy balance equations: a symbol is replaced
//! as often as it is written. Conversely a solution in natural numbers is the vector of a derivation exactly if each
//! symbol that it replaces is reachable from the start by productions that it applies (Verma, Seidl and Schwentick, "On
//! the complexity of equational Horn clauses", CADE 2005, theorem 4; Esparza, "Petri nets, commutative context-free
//! grammars, and basic parallel processes", 1997). Since limits count steps in any order, this is exact. Solutions are
//! searched by linear relaxation, branching on fractional numbers and on unreachable parts; the search is bounded, the
//! problem being NP-complete.

use super::rational::Fraction;
use super::simplex::{Bounds, Relaxed, Simplex};
use tsl_synth_core::base::{Budget, Limit, short_gcd};

/// The maximal number of pivots of one question.
const MAX_PIVOTS: u64 = 30_000;
/// The maximal number of relaxations solved for one question.
const MAX_NODES: u32 = 600;
/// The largest number of productions of a derivation that is written greedily.
const MAX_GREEDY: usize = 400;
/// Productions beyond this number are not examined.
const MAX_PRODUCTIONS: usize = 6_000;

/// Whether a plan can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Possible {
    /// Some completion is known to exist.
    Yes,
    /// It is proved that there is none.
    No,
    /// The bounded search found neither.
    Unknown,
}

/// A production of the grammar in question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Applied {
    /// The symbol that it replaces.
    pub(super) top: u32,
    /// The symbols that it writes, sorted.
    pub(super) bag: Vec<u32>,
    /// The counters that its steps increase, with the amounts, sorted.
    pub(super) uses: Vec<(usize, u32)>,
    /// Its cost: its steps, and 1 for a rule.
    pub(super) cost: u32,
}

/// A question: symbol 0 is the start.
pub(super) struct Question {
    pub(super) symbols: usize,
    pub(super) productions: Vec<Applied>,
    /// For each counter, how much it may and must still increase.
    pub(super) room: Vec<(u64, Option<u64>)>,
    /// The largest total cost.
    pub(super) cost: Option<u64>,
}

impl Question {
    /// Whether there is a derivation.
    pub(super) fn answer(mut self, budget: &Budget) -> Result<Possible, Limit> {
        let room = &self.room;
        let fits = |uses: &[(usize, u32)]| {
            uses.iter().all(|&(at, n)| room[at].1.is_none_or(|most| u64::from(n) <= most))
        };
        self.productions.retain(|one| fits(&one.uses));
        let Some((least_cost, least)) = self.cheapest() else { return Ok(Possible::No) };
        if self.allows(&least) {
            return Ok(Possible::Yes);
        }
        if self.productions.len() > MAX_PRODUCTIONS {
            return Ok(Possible::Unknown);
        }
        for scarcity in [1_024, 64] {
            budget.tick(1, || "which plans can be completed".into())?;
            if self.is_derived_greedily(scarcity) {
                return Ok(Possible::Yes);
            }
        }
        // Most derivations are small. Within a bound of the cost the search is finite.
        let small = least_cost.saturating_mul(4).saturating_add(40);
        if self.cost.is_none_or(|most| most > small) {
            let mut within = Search::new(&self, Some(small));
            within.nodes = MAX_NODES / 2;
            if within.run(budget)? == Possible::Yes {
                return Ok(Possible::Yes);
            }
        }
        Search::new(&self, self.cost).run(budget)
    }

    /// Removes what derives nothing, and returns the least cost of a derivation regardless of limits, and how often
    /// it applies each production (nothing if it is long); `None` if there is no derivation.
    fn cheapest(&mut self) -> Option<(u64, Vec<u64>)> {
        let prices: Vec<Option<u64>> = self.productions.iter().map(|one| Some(u64::from(one.cost))).collect();
        let best = self.cheapest_derivations(&prices);
        let (least_cost, _) = best[0]?;
        let (mut applied, mut open, mut count) = (vec![0u64; self.productions.len()], vec![0u32], 0usize);
        let small = self.productions.len().saturating_mul(4) + 4_000;
        while let Some(symbol) = open.pop() {
            let (_, at) = best[symbol as usize]?;
            count += 1;
            if count > small {
                break;
            }
            applied[at] += 1;
            open.extend(&self.productions[at].bag);
        }
        let complete = count <= small;
        let kept: Vec<bool> = self
            .productions
            .iter()
            .map(|one| one.bag.iter().all(|&symbol| best[symbol as usize].is_some()))
            .collect();
        let mut at = 0;
        self.productions.retain(|_| {
            at += 1;
            kept[at - 1]
        });
        let applied = applied.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(n, _)| n);
        Some((least_cost, if complete { applied.collect() } else { Vec::new() }))
    }

    /// Whether a derivation that is written production by production, each the one with the smallest rest, keeps all limits.
    /// A use of what is left of a counter has a price that grows with `scarcity` and with the share of what is left.
    fn is_derived_greedily(&self, scarcity: u64) -> bool {
        let mut room: Vec<Option<u64>> = self.room.iter().map(|&(_, most)| most).collect();
        let (mut applied, mut open) = (vec![0u64; self.productions.len()], vec![0u32]);
        let mut best = self.smallest_rests(&room, scarcity);
        for _ in 0..MAX_GREEDY {
            let Some(symbol) = open.pop() else { return self.allows(&applied) };
            let Some((_, at)) = best[symbol as usize] else { return false };
            let one = &self.productions[at];
            applied[at] += 1;
            open.extend(&one.bag);
            let mut scarcer = false;
            for &(counter, amount) in &one.uses {
                if let Some(left) = &mut room[counter] {
                    *left = left.saturating_sub(u64::from(amount));
                    scarcer = true;
                }
            }
            if scarcer {
                best = self.smallest_rests(&room, scarcity);
            }
        }
        false
    }

    /// For each symbol the price of the cheapest derivation by productions that what is left allows one by one, and its
    /// first production.
    fn smallest_rests(&self, room: &[Option<u64>], scarcity: u64) -> Vec<Option<(u64, usize)>> {
        let price = |one: &Applied| {
            one.uses.iter().try_fold(16 * (1 + u64::from(one.cost)), |sum, &(counter, amount)| {
                let amount = u64::from(amount);
                match room[counter] {
                    Some(left) if amount > left => None,
                    Some(left) => Some(sum + amount.saturating_mul(scarcity) / (left + 1)),
                    None => Some(sum),
                }
            })
        };
        self.cheapest_derivations(&self.productions.iter().map(price).collect::<Vec<_>>())
    }

    /// For each symbol the least price of a derivation and its first production, given the prices of productions that may
    /// be applied; `None` if there is no derivation.
    fn cheapest_derivations(&self, prices: &[Option<u64>]) -> Vec<Option<(u64, usize)>> {
        let mut best: Vec<Option<(u64, usize)>> = vec![None; self.symbols];
        loop {
            let mut changed = false;
            for (at, (one, price)) in self.productions.iter().zip(prices).enumerate() {
                let total = price.and_then(|price| {
                    one.bag.iter().try_fold(price, |sum: u64, &symbol| {
                        best[symbol as usize].map(|(rest, _)| sum.saturating_add(rest))
                    })
                });
                if let Some(total) = total
                    && best[one.top as usize].is_none_or(|(known, _)| total < known)
                {
                    best[one.top as usize] = Some((total, at));
                    changed = true;
                }
            }
            if !changed {
                return best;
            }
        }
    }

    /// Whether these numbers of applications keep all limits; never for an empty vector.
    fn allows(&self, applied: &[u64]) -> bool {
        if applied.len() != self.productions.len() {
            return false;
        }
        let (mut used, mut cost) = (vec![0u64; self.room.len()], 0u64);
        for (one, &n) in self.productions.iter().zip(applied) {
            cost += n * u64::from(one.cost);
            for &(at, amount) in &one.uses {
                used[at] += n * u64::from(amount);
            }
        }
        let kept = |(used, &(need, most)): (&u64, &(u64, Option<u64>))| {
            *used >= need && most.is_none_or(|most| *used <= most)
        };
        used.iter().zip(&self.room).all(kept) && self.cost.is_none_or(|most| cost <= most)
    }
}

/// The search for a solution of a question.
struct Search<'q> {
    question: &'q Question,
    simplex: Simplex,
    pivots: u64,
    nodes: u32,
}

/// A branch: bounds of some variables.
type Branch = Vec<(usize, Bounds)>;

fn bounded(n: u64) -> Option<i64> {
    i64::try_from(n).ok()
}

impl<'q> Search<'q> {
    /// A search for a solution of at most this cost.
    fn new(question: &'q Question, cost: Option<u64>) -> Self {
        let n = question.productions.len();
        let mut sums: Vec<(Vec<(u32, i64)>, Bounds)> = Vec::new();
        // The balance of each symbol: replaced minus written.
        let mut balance: Vec<Vec<(u32, i64)>> = vec![Vec::new(); question.symbols];
        for (at, one) in question.productions.iter().enumerate() {
            let mut own: Vec<(u32, i64)> = vec![(one.top, 1)];
            for &symbol in &one.bag {
                match own.iter_mut().find(|entry| entry.0 == symbol) {
                    Some(entry) => entry.1 -= 1,
                    None => own.push((symbol, -1)),
                }
            }
            for (symbol, factor) in own {
                if factor != 0 {
                    balance[symbol as usize].push((at as u32, factor));
                }
            }
        }
        for (symbol, terms) in balance.into_iter().enumerate() {
            let exactly = Some(i64::from(symbol == 0));
            if !terms.is_empty() || symbol == 0 {
                sums.push((terms, (exactly, exactly)));
            }
        }
        let mut variables: Vec<Bounds> = vec![(Some(0), None); n];
        let mut counted: Vec<Vec<(u32, i64)>> = vec![Vec::new(); question.room.len()];
        for (at, one) in question.productions.iter().enumerate() {
            for &(counter, amount) in &one.uses {
                counted[counter].push((at as u32, i64::from(amount)));
                if let Some(most) = question.room[counter].1 {
                    let high = bounded(most / u64::from(amount.max(1)));
                    let known = variables[at].1;
                    variables[at].1 = known.map_or(high, |known| high.map(|high| high.min(known)));
                }
            }
        }
        for (terms, &(need, most)) in counted.into_iter().zip(&question.room) {
            // The bound of a variable says as much as the sum of one term.
            let says_more = match terms[..] {
                [] | [(_, _)] => need > 0,
                _ => need > 0 || most.is_some(),
            };
            if says_more {
                // The sum is a multiple of the greatest common divisor of its factors.
                let divisor =
                    terms.iter().fold(0, |divisor, term| short_gcd(divisor, term.1.unsigned_abs())).max(1);
                let low = (need > 0).then(|| bounded(need.div_ceil(divisor) * divisor)).flatten();
                sums.push((terms, (low, most.and_then(|most| bounded(most / divisor * divisor)))));
            }
        }
        if let Some(most) = cost {
            let terms = question.productions.iter().enumerate();
            let terms =
                terms.filter(|(_, one)| one.cost > 0).map(|(at, one)| (at as u32, i64::from(one.cost)));
            sums.push((terms.collect(), (None, bounded(most))));
        }
        Self { question, simplex: Simplex::new(&variables, sums), pivots: MAX_PIVOTS, nodes: 0 }
    }

    fn run(&mut self, budget: &Budget) -> Result<Possible, Limit> {
        // Each level holds the branches that are left, and the bounds to restore.
        let mut levels: Vec<(Vec<Branch>, Branch)> = vec![(vec![Vec::new()], Vec::new())];
        while let Some((branches, restore)) = levels.last_mut() {
            for (variable, bounds) in restore.drain(..).rev() {
                self.simplex.set_bounds(variable, bounds);
            }
            let Some(branch) = branches.pop() else {
                levels.pop();
                continue;
            };
            for &(variable, (low, high)) in &branch {
                let before = self.simplex.bounds(variable);
                restore.push((variable, before));
                let low = before.0.max(low);
                let high = before.1.map_or(high, |known| Some(high.map_or(known, |high| high.min(known))));
                self.simplex.set_bounds(variable, (low, high));
            }
            self.nodes += 1;
            if self.nodes > MAX_NODES {
                return Ok(Possible::Unknown);
            }
            match self.simplex.check(&mut self.pivots, budget)? {
                Relaxed::Infeasible => {}
                Relaxed::Unknown => return Ok(Possible::Unknown),
                Relaxed::Feasible => match self.branches() {
                    None => return Ok(Possible::Yes),
                    Some(branches) => levels.push((branches, Vec::new())),
                },
            }
        }
        Ok(Possible::No)
    }

    /// The branches at the present values, the one to try first at the end; `None` if the values are those of a
    /// derivation.
    fn branches(&self) -> Option<Vec<Branch>> {
        let productions = &self.question.productions;
        let values: Vec<Fraction> = (0..productions.len()).map(|at| self.simplex.value(at)).collect();
        // Large numbers are mostly those of productions without limits, whose branches could go on without end.
        let fractional = (0..values.len()).filter(|&at| values[at].as_integer().is_none());
        if let Some(at) = fractional.min_by_key(|&at| values[at]) {
            let floor = values[at].floor();
            return Some(vec![vec![(at, (None, Some(floor)))], vec![(at, (Some(floor + 1), None))]]);
        }
        let mut reached = vec![false; self.question.symbols];
        reached[0] = true;
        loop {
            let mut changed = false;
            for (one, value) in productions.iter().zip(&values) {
                if value.is_positive() && reached[one.top as usize] {
                    for &symbol in &one.bag {
                        changed |= !std::mem::replace(&mut reached[symbol as usize], true);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut outside = vec![false; self.question.symbols];
        for (one, value) in productions.iter().zip(&values) {
            if value.is_positive() && !reached[one.top as usize] {
                outside[one.top as usize] = true;
            }
        }
        if !outside.contains(&true) {
            return None;
        }
        // A derivation replaces no symbol of this part, or some production enters it from without.
        let inside = |one: &Applied| outside[one.top as usize];
        let nowhere = productions.iter().enumerate().filter(|(_, one)| inside(one));
        let mut branches = vec![nowhere.map(|(at, _)| (at, (None, Some(0)))).collect::<Branch>()];
        let enters = |one: &Applied| !inside(one) && one.bag.iter().any(|&symbol| outside[symbol as usize]);
        let mut before: Branch = Vec::new();
        for (at, _) in productions.iter().enumerate().filter(|(_, one)| enters(one)) {
            let mut branch = before.clone();
            branch.push((at, (Some(1), None)));
            branches.push(branch);
            before.push((at, (None, Some(0))));
        }
        branches.reverse();
        Some(branches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Random;

    /// Whether some derivation keeps the limits, by search over bags of open symbols and counters, up to a cost.
    fn brute(question: &Question, most: u64) -> bool {
        let mut todo = vec![(vec![0u32], vec![0u64; question.room.len()], 0u64)];
        let mut seen: std::collections::BTreeSet<_> = todo.iter().cloned().collect();
        while let Some((bag, used, cost)) = todo.pop() {
            let Some(&symbol) = bag.first() else {
                if used.iter().zip(&question.room).all(|(used, (need, _))| used >= need) {
                    return true;
                }
                continue;
            };
            for one in question.productions.iter().filter(|one| one.top == symbol) {
                let (mut bag, mut used) = (bag[1..].to_vec(), used.clone());
                bag.extend(&one.bag);
                bag.sort_unstable();
                for &(at, n) in &one.uses {
                    used[at] += u64::from(n);
                }
                let kept =
                    used.iter().zip(&question.room).all(|(used, (_, most))| most.is_none_or(|m| *used <= m));
                let next = (bag, used, cost + u64::from(one.cost));
                if kept && next.2 <= most && next.0.len() <= 8 && seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        false
    }

    /// A random question without a bound of the cost.
    fn random_question(random: &mut Random) -> Question {
        let symbols = 1 + random.below(4);
        let counters = 1 + random.below(3);
        let mut productions: Vec<Applied> = Vec::new();
        for top in 0..symbols {
            for _ in 0..=random.below(3) {
                let mut bag: Vec<u32> = (0..random.below(4)).map(|_| random.below(symbols) as u32).collect();
                bag.sort_unstable();
                let uses = if random.below(3) > 0 {
                    vec![(random.below(counters), 1 + random.below(2) as u32)]
                } else {
                    Vec::new()
                };
                productions.push(Applied { top: top as u32, bag, uses, cost: 1 });
            }
        }
        let room = (0..counters)
            .map(|_| {
                let need = random.below(3) as u64;
                (need, (random.below(4) > 0).then(|| need + random.below(3) as u64))
            })
            .collect();
        Question { symbols, productions, room, cost: None }
    }

    #[test]
    fn answers_equal_a_search_over_derivations() {
        let mut random = Random::new(7);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..3_000 {
            let most = 9;
            let question = Question { cost: Some(most), ..random_question(&mut random) };
            let expected = brute(&question, most);
            let text = format!("{:?} {:?}", question.productions, question.room);
            let found = question.answer(&Budget::unlimited()).expect("no limit");
            assert_eq!(found, if expected { Possible::Yes } else { Possible::No }, "{text}");
            yes += u32::from(expected);
            no += u32::from(!expected);
        }
        assert!(yes > 500 && no > 500, "{yes} {no}");
    }

    #[test]
    fn the_search_ends_without_a_bound_of_the_cost() {
        let mut random = Random::new(11);
        let mut answers = [0; 3];
        for _ in 0..6_000 {
            let question = random_question(&mut random);
            let small = brute(&question, 7);
            let text = format!("{:?} {:?}", question.productions, question.room);
            let found = question.answer(&Budget::unlimited()).expect("no limit");
            assert!(!small || found == Possible::Yes, "{text}");
            answers[found as usize] += 1;
        }
        assert!(answers[0] > 1_000 && answers[1] > 3_000 && answers[2] < 5, "{answers:?}");
    }
}
