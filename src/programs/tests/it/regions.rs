//! Operations on regions against enumeration: unions of random polyhedra over integers of a small box.

use std::collections::BTreeMap;
use tsl_synth_arithmetic::{Polyhedron, Region, Space};
use tsl_synth_core::base::{Random, Rational};
use tsl_synth_core::logic::{Inequality, Sum};

/// Values are from -`WIDE` to `WIDE`.
const WIDE: i64 = 3;

fn number(value: i64) -> Rational {
    Rational::integer(value.into()).expect("small")
}

fn small(random: &mut Random, below: usize) -> i64 {
    i64::try_from(random.below(below)).expect("small")
}

fn inequality(constant: i64, factors: [i64; 3]) -> Inequality {
    let mut sum = Sum::constant(number(constant));
    for (variable, factor) in (0..).zip(factors) {
        sum = sum.plus(number(factor), &Sum::variable(variable)).expect("small");
    }
    Inequality::at_most_zero(sum)
}

fn the_box() -> Vec<Inequality> {
    let mut all = Vec::new();
    for variable in 0..3 {
        for sign in [1, -1] {
            let mut factors = [0; 3];
            factors[variable] = sign;
            all.push(inequality(-WIDE, factors));
        }
    }
    all
}

fn random_region(random: &mut Random, space: &mut Space) -> Region {
    let mut region = Region::new();
    for _ in 0..=random.below(4) {
        let mut parts = the_box();
        for _ in 0..=random.below(3) {
            let factors = [(); 3].map(|()| small(random, 5) - 2);
            parts.push(inequality(small(random, 7) - 3, factors));
        }
        region.extend(space.polyhedron(&parts));
    }
    region
}

fn points(space: &Space, region: &[Polyhedron]) -> Vec<bool> {
    let side = 2 * WIDE + 1;
    let holds = |code: i64| {
        let values = [code % side, code / side % side, code / side / side];
        let point: BTreeMap<u32, Rational> = (0..).zip(values.map(|v| number(v - WIDE))).collect();
        region.iter().any(|polyhedron| polyhedron.iter().all(|&atom| space.holds(atom, &point)))
    };
    (0..side * side * side).map(holds).collect()
}

#[test]
fn operations_are_those_of_sets() {
    let mut random = Random::new(6);
    let (mut within, mut apart) = (0, 0);
    for round in 0..600 {
        let mut space = Space::new(vec![true; 3]);
        let (left, right) = (random_region(&mut random, &mut space), random_region(&mut random, &mut space));
        let (a, b) = (points(&space, &left), points(&space, &right));
        let both = |wanted: fn(bool, bool) -> bool| -> Vec<bool> {
            a.iter().zip(&b).map(|(&a, &b)| wanted(a, b)).collect()
        };
        let found = space.intersection(&left, &right);
        assert_eq!(points(&space, &found), both(|a, b| a && b), "round {round}");
        let found = space.difference(&left, &right);
        assert_eq!(points(&space, &found), both(|a, b| a && !b), "round {round}");
        let joined = space.union(&left, &right);
        let found = space.simplified(&joined);
        assert_eq!(points(&space, &found), both(|a, b| a || b), "round {round}");
        assert!(space.is_within(&left, &joined), "round {round}");
        let expected = a.iter().zip(&b).all(|(&a, &b)| !a || b);
        // Where values between integers are not excluded by few cases, a region may count as not covered.
        let found = space.is_within(&left, &right);
        assert!(expected || !found, "round {round}");
        if found {
            within += 1;
        } else {
            apart += 1;
        }
    }
    assert!(within > 20 && apart > 200, "{within} {apart}");
}
