//! Small formulas for guards: irredundant sums of products between two bounds (Minato 1993, "Fast generation of
//! prime-irredundant covers from binary decision diagrams", procedure ISOP). The result is deterministic; letters that
//! cannot occur are don't-cares between the bounds and make it shorter.

use crate::logic::{BitId, Cube, Guard, Guards};
use rustc_hash::FxHashMap;

/// An irredundant cover: cubes whose union contains `lower` and is contained in `upper`. An empty list is false, the
/// empty cube is true. The number of cubes may be exponential in the number of bits.
pub fn cover(guards: &mut Guards, lower: Guard, upper: Guard) -> Vec<Cube> {
    cover_within(guards, lower, upper, usize::MAX).unwrap_or_default()
}

/// Like [`cover`]; `None` if the cover, or an intermediate one, has more than `limit` cubes.
pub fn cover_within(guards: &mut Guards, lower: Guard, upper: Guard, limit: usize) -> Option<Vec<Cube>> {
    let mut search = CoverSearch { guards, limit, memo: FxHashMap::default() };
    let (mut cubes, _) = search.isop(lower, upper)?;
    for cube in &mut cubes {
        cube.sort_unstable();
    }
    cubes.sort_by(|a, b| {
        let key = |cube: &Cube| cube.iter().map(|&(bit, value)| (bit, !value)).collect::<Vec<_>>();
        key(a).cmp(&key(b))
    });
    Some(cubes)
}

struct CoverSearch<'a> {
    guards: &'a mut Guards,
    limit: usize,
    memo: FxHashMap<(Guard, Guard), (Vec<Cube>, Guard)>,
}

impl CoverSearch<'_> {
    fn isop(&mut self, lower: Guard, upper: Guard) -> Option<(Vec<Cube>, Guard)> {
        if lower == Guard::FALSE {
            return Some((Vec::new(), Guard::FALSE));
        }
        if upper == Guard::TRUE {
            return Some((vec![Cube::new()], Guard::TRUE));
        }
        if let Some(known) = self.memo.get(&(lower, upper)) {
            return Some(known.clone());
        }
        let tops = [lower, upper].map(|g| self.guards.branch(g).map(|(bit, ..)| bit));
        let bit = tops.into_iter().flatten().min().expect("the bounds are not both constant");
        let ((lower0, lower1), (upper0, upper1)) = (self.split(lower, bit), self.split(upper, bit));
        let only0 = self.guards.minus(lower0, upper1);
        let only1 = self.guards.minus(lower1, upper0);
        let (cubes0, cover0) = self.isop(only0, upper0)?;
        let (cubes1, cover1) = self.isop(only1, upper1)?;
        let rest0 = self.guards.minus(lower0, cover0);
        let rest1 = self.guards.minus(lower1, cover1);
        let rest = self.guards.or(rest0, rest1);
        let both = self.guards.and(upper0, upper1);
        let (mut cubes, shared) = self.isop(rest, both)?;
        if cubes0.len() + cubes1.len() + cubes.len() > self.limit {
            return None;
        }
        let with = |cube: Cube, value| [vec![(bit, value)], cube].concat();
        cubes.extend(cubes0.into_iter().map(|cube| with(cube, false)));
        cubes.extend(cubes1.into_iter().map(|cube| with(cube, true)));
        let low = self.guards.or(cover0, shared);
        let high = self.guards.or(cover1, shared);
        let union = self.guards.make(bit, low, high);
        self.memo.insert((lower, upper), (cubes.clone(), union));
        Some((cubes, union))
    }
    fn split(&self, guard: Guard, bit: BitId) -> (Guard, Guard) {
        match self.guards.branch(guard) {
            Some((b, low, high)) if b == bit => (low, high),
            _ => (guard, guard),
        }
    }
}

/// A cover as a formula: `a & !b | c`. `1` and `0` are the constants; `literal` gives the text of a bit or of
/// its negation.
pub fn formula(cubes: &[Cube], literal: &dyn Fn(BitId, bool) -> String) -> String {
    if cubes.is_empty() {
        return "0".into();
    }
    let product = |cube: &Cube| {
        if cube.is_empty() {
            return "1".to_owned();
        }
        cube.iter().map(|&(bit, value)| literal(bit, value)).collect::<Vec<_>>().join(" & ")
    };
    cubes.iter().map(product).collect::<Vec<_>>().join(" | ")
}
