//! Small formulas for guards: irredundant sums of products between two bounds (Minato 1993, "Fast generation
//! of prime-irredundant covers from binary decision diagrams", procedure ISOP). The result is deterministic;
//! the bounds let letters that cannot occur shorten it.

use crate::logic::{Cube, Guard, Guards};
use rustc_hash::FxHashMap;

/// An irredundant cover: cubes whose union is around `lower` and inside `upper`. An empty list is false, the
/// empty cube is true. The number of cubes may be exponential in the number of bits.
pub fn cover(guards: &mut Guards, lower: Guard, upper: Guard) -> Vec<Cube> {
    let mut memo = FxHashMap::default();
    let (cubes, _) = isop(guards, lower, upper, &mut memo);
    let mut cubes = cubes;
    for cube in &mut cubes {
        cube.sort_unstable();
    }
    cubes.sort_by(|a, b| {
        let key = |cube: &Cube| cube.iter().map(|&(bit, value)| (bit, !value)).collect::<Vec<_>>();
        key(a).cmp(&key(b))
    });
    cubes
}

type Memo = FxHashMap<(Guard, Guard), (Vec<Cube>, Guard)>;

fn isop(guards: &mut Guards, lower: Guard, upper: Guard, memo: &mut Memo) -> (Vec<Cube>, Guard) {
    if lower == Guard::FALSE {
        return (Vec::new(), Guard::FALSE);
    }
    if upper == Guard::TRUE {
        return (vec![Cube::new()], Guard::TRUE);
    }
    if let Some(known) = memo.get(&(lower, upper)) {
        return known.clone();
    }
    let tops = [lower, upper].map(|g| guards.branch(g).map(|(bit, ..)| bit));
    let bit = tops.into_iter().flatten().min().expect("the bounds are not both constant");
    let split = |g: Guard| match guards.branch(g) {
        Some((b, low, high)) if b == bit => (low, high),
        _ => (g, g),
    };
    let ((lower0, lower1), (upper0, upper1)) = (split(lower), split(upper));
    let only0 = guards.minus(lower0, upper1);
    let only1 = guards.minus(lower1, upper0);
    let (cubes0, cover0) = isop(guards, only0, upper0, memo);
    let (cubes1, cover1) = isop(guards, only1, upper1, memo);
    let rest0 = guards.minus(lower0, cover0);
    let rest1 = guards.minus(lower1, cover1);
    let rest = guards.or(rest0, rest1);
    let both = guards.and(upper0, upper1);
    let (mut cubes, shared) = isop(guards, rest, both, memo);
    let with = |cube: Cube, value| [vec![(bit, value)], cube].concat();
    cubes.extend(cubes0.into_iter().map(|cube| with(cube, false)));
    cubes.extend(cubes1.into_iter().map(|cube| with(cube, true)));
    let low = guards.or(cover0, shared);
    let high = guards.or(cover1, shared);
    let union = guards.make(bit, low, high);
    memo.insert((lower, upper), (cubes.clone(), union));
    (cubes, union)
}

/// A cover as a formula: `a & !b | c`. `1` and `0` are the constants; `name` gives the text of a bit.
pub fn formula(cubes: &[Cube], name: &dyn Fn(crate::logic::BitId) -> String) -> String {
    if cubes.is_empty() {
        return "0".into();
    }
    let product = |cube: &Cube| {
        if cube.is_empty() {
            return "1".to_owned();
        }
        let literal = |&(bit, value): &(_, bool)| format!("{}{}", if value { "" } else { "!" }, name(bit));
        cube.iter().map(literal).collect::<Vec<_>>().join(" & ")
    };
    cubes.iter().map(product).collect::<Vec<_>>().join(" | ")
}
