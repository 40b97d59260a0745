//! The existence of a machine with n states as clauses.
//!
//! Variables, for machine states s, input classes i and entries (q, k), a node with a counter:
//! `reached(s, q, k)`: some run is in q at s with a counter of at least k; `bit(s, i, b)`: the answer at s to
//! i has output bit b; `met(s, i, o)`: the answer is among
//! the outputs o of some label; `goes(s, i, s')`: its next state is s'; `asked(s, i, q, k)`: the answer leads a run to
//! (q, k). Clauses say that these are an inductive invariant in which no counter is too large. States are
//! numbered as a breadth-first search would number them.

use super::classes::LetterClass;
use super::universal::Universal;
use crate::mealy::tuning::{MAX_CLAUSES, MAX_DECISIONS, MAX_LEARNED};
use rustc_hash::FxHashMap;
use rustsat::types::Lit;
use tsl_synth_core::base::{Budget, Limit, LimitKind, Sat};
use tsl_synth_core::logic::{BitId, Cube, Guard, Letter};

/// A machine over classes, with the invariant that justifies it.
#[derive(Debug)]
pub(super) struct ExactMachine {
    /// How many states.
    pub(super) n: usize,
    /// For each state and class an output letter and the next state.
    pub(super) answers: Vec<Vec<(Letter, usize)>>,
    /// How many counters are distinguished at each node.
    pub(super) levels: Vec<u32>,
    /// For each state and node how many counters are allowed there: 0 when no run may be there.
    pub(super) reached: Vec<Vec<u32>>,
}

/// The answer for one number of states.
#[derive(Debug)]
pub(super) enum SizeAnswer {
    /// A controller.
    Machine(ExactMachine),
    /// There is no controller with this number of states.
    None,
}

/// The clauses for one number of states.
pub(super) struct Encoding<'a> {
    universal: &'a Universal,
    n: usize,
    /// How many counters are distinguished at each node.
    levels: Vec<u32>,
    classes: usize,
    sat: Sat,
    /// `reached` by state and entry.
    reached: Vec<Vec<Lit>>,
    /// The first entry of each node.
    entries: Vec<usize>,
    /// `goes` by position (state, class) and next state.
    goes: Vec<Vec<Lit>>,
    /// `bit` by position.
    bits: Vec<FxHashMap<BitId, Lit>>,
}

impl<'a> Encoding<'a> {
    /// Builds the clauses.
    ///
    /// # Errors
    /// A limit, among them too many clauses.
    pub(super) fn new(
        universal: &'a Universal,
        classes: &[LetterClass],
        (n, levels): (usize, Vec<u32>),
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let mut count = 0;
        let entries = levels.iter().map(|&levels| {
            count += levels as usize;
            count - levels as usize
        });
        let entries = entries.collect();
        let what = || format!("clauses for a machine of {n} states");
        let steps =
            universal.nodes.iter().zip(&levels).flat_map(|(node, &levels)| {
                node.edges.iter().map(move |edge| (edge.label, u64::from(levels)))
            });
        let of_class = |class: &LetterClass| {
            let met = steps.clone().filter(|&(label, _)| class.outputs[label] != Guard::FALSE);
            met.map(|(_, levels)| levels).sum::<u64>()
        };
        let about = n as u64 * classes.iter().map(of_class).sum::<u64>();
        if about > MAX_CLAUSES {
            return Err(Limit::new(LimitKind::Size, what()));
        }
        let mut sat = Sat::default();
        let mut table = |rows: usize, columns: usize| -> Vec<Vec<Lit>> {
            let mut row = || (0..columns).map(|_| sat.fresh()).collect();
            (0..rows).map(|_| row()).collect()
        };
        let reached = table(n, count);
        let goes = table(n * classes.len(), n);
        let mut this = Self {
            universal,
            n,
            levels,
            classes: classes.len(),
            sat,
            reached,
            entries,
            goes,
            bits: vec![FxHashMap::default(); n * classes.len()],
        };
        this.numbering();
        for s in 0..n {
            this.monotone(s);
        }
        for &q in &universal.initial {
            let begin = this.reached[0][this.entries[q]];
            this.sat.add([begin]);
        }
        for (i, class) in classes.iter().enumerate() {
            let mut outputs: Vec<Guard> = class.outputs.clone();
            outputs.sort_unstable();
            outputs.dedup();
            let cubes: Vec<(Guard, Vec<Cube>)> =
                outputs.into_iter().map(|g| (g, universal.guards.cubes(g))).collect();
            for s in 0..n {
                let before = this.sat.clauses();
                this.position(s, i, class, &cubes);
                budget.tick(this.sat.clauses() - before, what)?;
                if this.sat.clauses() > MAX_CLAUSES {
                    return Err(Limit::new(LimitKind::Size, what()));
                }
            }
        }
        Ok(this)
    }

    /// A counter of at least k is one of at least k − 1.
    fn monotone(&mut self, s: usize) {
        for q in 0..self.universal.nodes.len() {
            let first = self.entries[q];
            for k in 1..self.levels[q] as usize {
                let (more, less) = (self.reached[s][first + k], self.reached[s][first + k - 1]);
                self.sat.add([!more, less]);
            }
        }
    }

    /// Every position has a next state; the first use of a state comes after that of the state before it, which breaks
    /// symmetry.
    fn numbering(&mut self) {
        // used[j]: state j is the next state of an earlier position.
        let mut used: Vec<Option<Lit>> = vec![None; self.n];
        for p in 0..self.goes.len() {
            let goes = self.goes[p].clone();
            self.sat.add(goes.iter().copied());
            for (j, &goes) in goes.iter().enumerate().skip(2) {
                self.sat.add([Some(!goes), used[j - 1]].into_iter().flatten());
            }
            for (j, &goes) in goes.iter().enumerate().skip(1) {
                let now = self.sat.fresh();
                self.sat.add([Some(!now), used[j], Some(goes)].into_iter().flatten());
                used[j] = Some(now);
            }
        }
    }

    /// The constraints on the answer of state s to class i.
    fn position(&mut self, s: usize, i: usize, class: &LetterClass, cubes: &[(Guard, Vec<Cube>)]) {
        let universal = self.universal;
        let p = s * self.classes + i;
        let mut met: FxHashMap<Guard, Lit> = FxHashMap::default();
        for (outputs, cubes) in
            cubes.iter().filter(|(outputs, _)| !matches!(*outputs, Guard::FALSE | Guard::TRUE))
        {
            let lit = self.sat.fresh();
            met.insert(*outputs, lit);
            for cube in cubes {
                let mut clause = vec![lit];
                for &(bit, value) in cube {
                    let output = self.output(p, bit);
                    clause.push(if value { !output } else { output });
                }
                self.sat.add(clause);
            }
        }
        let mut asked: FxHashMap<usize, Lit> = FxHashMap::default();
        let mut order: Vec<(usize, Lit)> = Vec::new();
        for (q, node) in universal.nodes.iter().enumerate() {
            for edge in node.edges.iter().filter(|edge| class.outputs[edge.label] != Guard::FALSE) {
                let met = met.get(&class.outputs[edge.label]).copied();
                for k in 0..self.levels[q] {
                    let here = self.reached[s][self.entries[q] + k as usize];
                    let next = universal.counter(q, edge, k, &self.levels);
                    let then = next.map(|k| {
                        let entry = self.entries[edge.next] + k as usize;
                        *asked.entry(entry).or_insert_with(|| {
                            let lit = self.sat.fresh();
                            order.push((entry, lit));
                            lit
                        })
                    });
                    self.sat.add([Some(!here), met.map(|met| !met), then].into_iter().flatten());
                }
            }
        }
        for (entry, asked) in order {
            for next in 0..self.n {
                let (goes, reached) = (self.goes[p][next], self.reached[next][entry]);
                self.sat.add([!asked, !goes, reached]);
            }
        }
    }

    fn output(&mut self, p: usize, bit: BitId) -> Lit {
        if let Some(&lit) = self.bits[p].get(&bit) {
            return lit;
        }
        let lit = self.sat.fresh();
        self.bits[p].insert(bit, lit);
        lit
    }

    /// Runs the solver.
    ///
    /// # Errors
    /// The limit on its decisions, or one of the budget.
    pub(super) fn solve(&mut self, budget: &Budget) -> Result<SizeAnswer, Limit> {
        let n = self.n;
        let what = || format!("the search for a machine of {n} states");
        self.sat.limit_learned(MAX_LEARNED);
        let found = self.sat.satisfiable(MAX_DECISIONS, budget, what)?;
        Ok(if found { SizeAnswer::Machine(self.found()) } else { SizeAnswer::None })
    }

    fn found(&self) -> ExactMachine {
        let answers = (0..self.n).map(|s| {
            let answer = |i: usize| {
                let p = s * self.classes + i;
                let output =
                    self.bits[p].iter().filter(|&(_, &lit)| self.sat.holds(lit)).map(|(&bit, _)| bit);
                let next = self.goes[p].iter().position(|&lit| self.sat.holds(lit));
                (output.collect(), next.expect("some next state"))
            };
            (0..self.classes).map(answer).collect()
        });
        let answers = answers.collect();
        let reached = self.reached.iter().map(|row| {
            let levels = |q: usize| {
                let (first, count) = (self.entries[q], self.levels[q] as usize);
                row[first..first + count].iter().take_while(|&&lit| self.sat.holds(lit)).count() as u32
            };
            (0..self.entries.len()).map(levels).collect()
        });
        ExactMachine { n: self.n, levels: self.levels.clone(), answers, reached: reached.collect() }
    }
}
