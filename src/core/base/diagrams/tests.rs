//! Random operations against truth tables of six variables; limits, interruption and orders.

use super::*;
use crate::base::{Budget, Random, StopFlag};

const VARIABLES: usize = 6;

#[expect(clippy::unnecessary_wraps, reason = "a charge may refuse")]
fn free(_: Spent) -> Result<(), Limit> {
    Ok(())
}

/// A truth table: bit `i` is the value where variable `v` is bit `v` of `i`.
type Table = u64;

fn table_of(holds: impl Fn(usize) -> bool) -> Table {
    (0..64).filter(|&i| holds(i)).fold(0, |table, i| table | 1 << i)
}

fn holds(table: Table, i: usize) -> bool {
    table >> i & 1 == 1
}

fn cofactor(table: Table, v: usize, value: bool) -> Table {
    table_of(|i| holds(table, if value { i | 1 << v } else { i & !(1 << v) }))
}

fn table(diagram: &Diagram) -> Table {
    table_of(|i| diagram.eval(|v| i >> v.index() & 1 == 1))
}

/// The cubes of an irredundant cover between two bounds, by the recurrence of Minato 1993 on tables, with the variables in
/// this order.
fn cover(lower: Table, upper: Table, order: &[Variable]) -> Vec<Table> {
    if lower == 0 || upper == Table::MAX {
        return if lower == 0 { Vec::new() } else { vec![Table::MAX] };
    }
    let (v, below) = (order[0].index(), &order[1..]);
    let of = |table: Table| [false, true].map(|value| cofactor(table, v, value));
    let union = |cubes: &[Table]| cubes.iter().fold(0, |union, cube| union | cube);
    let ([lower0, lower1], [upper0, upper1]) = (of(lower), of(upper));
    let [without, with] = [cover(lower0 & !upper1, upper0, below), cover(lower1 & !upper0, upper1, below)];
    let rest = lower0 & !union(&without) | lower1 & !union(&with);
    let shared = cover(rest, upper0 & upper1, below);
    let literal = table_of(|i| i >> v & 1 == 1);
    let own = without.iter().map(|cube| cube & !literal).chain(with.iter().map(|cube| cube & literal));
    own.chain(shared).collect()
}

struct Pairs {
    store: DiagramStore,
    variables: Vec<Diagram>,
    made: Vec<(Diagram, Table)>,
    random: Random,
}

impl Pairs {
    fn new(seed: u64) -> Self {
        let store = DiagramStore::new(1 << 12, 1 << 10, "a test");
        let variables = store.add_variables(VARIABLES).expect("room");
        let made = variables.iter().cloned().enumerate().map(|(v, d)| (d, table_of(|i| i >> v & 1 == 1)));
        Self { made: made.collect(), store, variables, random: Random::new(seed) }
    }
    fn some(&mut self) -> (Diagram, Table) {
        let index = self.random.below(self.made.len());
        self.made[index].clone()
    }
    fn some_variables(&mut self) -> Vec<usize> {
        (0..VARIABLES).filter(|_| self.random.below(3) == 0).collect()
    }
    /// One operation on some of the functions.
    fn operation(&mut self) -> (Diagram, Table) {
        let [(a, ta), (b, tb), (c, tc)] = [0; 3].map(|_| self.some());
        let chosen = self.some_variables();
        let signs: Vec<bool> = chosen.iter().map(|_| self.random.flip()).collect();
        let replaced: Vec<(usize, (Diagram, Table))> = chosen.iter().map(|&v| (v, self.some())).collect();
        let (store, variables) = (&self.store, &self.variables);
        let one =
            |sum: Diagram, &v: &usize| store.apply(Operation::And(&sum, &variables[v]), &free).expect("room");
        let cube = chosen.iter().fold(store.constant(true), one);
        let over = |of: Table, join: fn(Table, Table) -> Table| {
            chosen.iter().fold(of, |of, &v| join(cofactor(of, v, false), cofactor(of, v, true)))
        };
        let some = |x, y| x | y;
        let all = |x, y| x & y;
        let (made, expected) = match self.random.below(14) {
            0 => (store.apply(Operation::And(&a, &b), &free), ta & tb),
            1 => (store.apply(Operation::Or(&a, &b), &free), ta | tb),
            2 => (Ok(store.not(&a)), !ta),
            3 => (store.apply(Operation::Iff(&a, &b), &free), !(ta ^ tb)),
            4 => (store.apply(Operation::Ite(&a, &b, &c), &free), ta & tb | !ta & tc),
            5 => (store.apply(Operation::Minus(&a, &b), &free), ta & !tb),
            6 => (store.apply(Operation::Exists(&a, &cube), &free), over(ta, some)),
            7 => (store.apply(Operation::Forall(&a, &cube), &free), over(ta, all)),
            8 => (store.apply(Operation::AndExists(&a, &b, &cube), &free), over(ta & tb, some)),
            9 => (store.apply(Operation::ForallOr(&a, &b, &cube), &free), over(ta | tb, all)),
            10 => {
                let literal = |sum: Diagram, (&v, &sign): (&usize, &bool)| {
                    let own = if sign { variables[v].clone() } else { store.not(&variables[v]) };
                    store.apply(Operation::And(&sum, &own), &free).expect("room")
                };
                let literals = chosen.iter().zip(&signs).fold(store.constant(true), literal);
                let expected = chosen.iter().zip(&signs).fold(ta, |t, (&v, &sign)| cofactor(t, v, sign));
                (store.apply(Operation::Cofactor(&a, &literals), &free), expected)
            }
            11 => {
                let expected = table_of(|i| {
                    let value = |j: usize, v: usize, to: bool| j & !(1 << v) | usize::from(to) << v;
                    holds(ta, replaced.iter().fold(i, |j, &(v, (_, own))| value(j, v, holds(own, i))))
                });
                let pairs = replaced.iter().map(|(v, (own, _))| (Variable::from_index(*v), own.clone()));
                (
                    store.apply(Operation::Replace(&a, &DiagramStore::replacement(pairs.collect())), &free),
                    expected,
                )
            }
            12 => {
                let effort = [0, 1, 10_000][self.random.below(3)];
                let lower = store.apply(Operation::And(&a, &b), &free).expect("room");
                let made = store.apply(Operation::Covered(&lower, &a, effort), &free).expect("room");
                let own = table(&made);
                assert_eq!((ta & tb & !own, own & !ta), (0, 0));
                if effort == 10_000 {
                    assert_eq!(
                        own,
                        cover(ta & tb, ta, &store.order()).iter().fold(0, |union, cube| union | cube)
                    );
                }
                (Ok(made), own)
            }
            _ => {
                let effort = [0, 1, 100][self.random.below(3)];
                let made = store.apply(Operation::Simplified(&a, &b, effort), &free).expect("room");
                assert_eq!(table(&made) & tb, ta & tb);
                assert!(made.node_count() <= a.node_count());
                let expected = table(&made);
                (Ok(made), expected)
            }
        };
        (made.expect("room"), expected)
    }
}

#[test]
fn operations_are_those_of_truth_tables() {
    let mut collections = [0; 2];
    for seed in 0..4 {
        let mut pairs = Pairs::new(seed);
        for step in 0..4_000 {
            let (made, expected) = pairs.operation();
            assert_eq!(table(&made), expected, "{seed} {step}");
            // Equal functions are equal diagrams.
            for (other, own) in &pairs.made {
                assert_eq!(*other == made, *own == expected);
            }
            let index = VARIABLES + pairs.random.below(30);
            if pairs.made.len() <= index {
                pairs.made.push((made, expected));
            } else {
                pairs.made[index] = (made, expected);
            }
            if step % 97 == 0 {
                // The charge ends the collection at a random point, or not at all.
                let (end, asked) = (pairs.random.below(800), Cell::new(0));
                let charge = |_: Spent| {
                    asked.set(asked.get() + 1);
                    if asked.get() <= end {
                        Ok(())
                    } else {
                        Err(Limit::new(LimitKind::Interrupted, "a test"))
                    }
                };
                let is_ended = pairs.store.collect_garbage(&charge).is_err();
                assert_eq!(is_ended, asked.get() > end);
                collections[usize::from(is_ended)] += 1;
            }
        }
    }
    assert!(collections.iter().all(|&n| n > 20), "{collections:?} to the end and ended");
}

#[test]
fn another_order_changes_no_function() {
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..60 {
        let mut pairs = Pairs::new(seed);
        for _ in 0..40 {
            let made = pairs.operation();
            pairs.made.push(made);
        }
        let blocks = [vec![1; 6], vec![2, 1, 3], vec![1, 2, 2, 1], vec![6]][pairs.random.below(4)].clone();
        let nodes = [u64::MAX, pairs.random.below(200) as u64][pairs.random.below(2)];
        let effort = Effort { growth: 100 + pairs.random.below(100), nodes };
        assert!(pairs.store.sift(blocks, effort, &free).expect("no limit") <= nodes);
        let nodes = pairs.store.nodes();
        pairs.store.collect_garbage(&free).expect("no limit");
        assert_eq!(pairs.store.nodes(), nodes, "sifting leaves no garbage");
        orders.insert(pairs.store.order());
        for (diagram, own) in &pairs.made {
            assert_eq!(table(diagram), *own);
        }
        for _ in 0..200 {
            let (made, expected) = pairs.operation();
            assert_eq!(table(&made), expected);
        }
    }
    assert!(orders.len() > 20, "{}", orders.len());
}

/// Σ xᵢ yᵢ: with all x above all y, of 2ⁿ nodes.
fn sum(store: &DiagramStore, v: &[Diagram], count: usize, charge: Charge<'_>) -> Result<Diagram, Limit> {
    (0..count).try_fold(store.constant(false), |sum, i| {
        let own = store.apply(Operation::And(&v[i], &v[v.len() / 2 + i]), charge)?;
        store.apply(Operation::Or(&sum, &own), charge)
    })
}

#[test]
fn sifting_brings_together_what_belongs_together() {
    let store = DiagramStore::new(1 << 16, 1 << 12, "a test");
    let v = store.add_variables(20).expect("room");
    let made = sum(&store, &v, 10, &free).expect("room");
    assert_eq!(made.node_count(), (1 << 11) - 1);
    let mut last = made.node_count();
    for nodes in [500, 5_000, 50_000, u64::MAX] {
        let looked_at = store.sift(vec![1; 20], Effort { growth: 120, nodes }, &free).expect("no limit");
        assert!(looked_at <= nodes);
        // A block that is stopped on its way goes back to its best position.
        assert!(made.node_count() <= last, "{} after {last}", made.node_count());
        last = made.node_count();
    }
    assert_eq!(last, 21);
}

#[test]
fn what_does_not_fit_leaves_a_store_that_works() {
    let store = DiagramStore::new(1 << 12, 1 << 10, "a test");
    let v = store.add_variables(40).expect("room");
    let attempt = |count| sum(&store, &v, count, &free).map(|made| made.node_count());
    assert_eq!(attempt(5), Ok(63));
    let limit = attempt(20).expect_err("a million nodes");
    assert_eq!(limit.kind, LimitKind::Memory);
    assert!(store.nodes() < 2 << 12);
    assert_eq!(attempt(6), Ok(127));
}

#[test]
fn an_operation_ends_soon_after_its_charge_says_so() {
    let flag = StopFlag::new();
    let budget = Budget::unlimited().with_flag(flag.clone());
    let store = DiagramStore::new(1 << 20, 1 << 16, "a test");
    let v = store.add_variables(40).expect("room");
    let low = sum(&store, &v, 12, &free).expect("room");
    // A replacement that reverses the variables.
    let high =
        DiagramStore::replacement((0..40).map(|i| (Variable::from_index(i), v[39 - i].clone())).collect());
    let steps = Cell::new(0);
    let charge = |spent: Spent| {
        steps.set(steps.get() + spent.steps);
        if steps.get() > 2_000 {
            flag.raise(LimitKind::Interrupted);
        }
        budget.tick(spent.made, || "a test".into())
    };
    let limit = store.apply(Operation::Replace(&low, &high), &charge).expect_err("it was interrupted");
    assert_eq!(limit.kind, LimitKind::Interrupted);
    assert!(steps.get() < 6_000, "{}", steps.get());
    assert_eq!(sum(&store, &v, 12, &free), Ok(low));
}

#[test]
fn the_same_operations_cost_the_same() {
    let run = || {
        let spent = Cell::new(Spent::default());
        let charge = |own: Spent| {
            let Spent { steps, made, swept } = spent.get();
            spent.set(Spent { steps: steps + own.steps, made: made + own.made, swept: swept + own.swept });
            Ok(())
        };
        let store = DiagramStore::new(1 << 13, 1 << 12, "a test");
        let v = store.add_variables(40).expect("room");
        let sizes =
            [9, 10, 11, 20, 10].map(|count| sum(&store, &v, count, &charge).ok().map(|own| own.node_count()));
        (sizes, spent.get(), store.nodes(), store.bytes())
    };
    assert_eq!(run(), run());
    assert!(run().1.swept > 0);
}
