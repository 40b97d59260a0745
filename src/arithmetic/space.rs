//! Sets of states as unions of polyhedra: intersection, difference, inclusion, preimages, elimination of variables.
//!
//! Inequalities are interned as atoms, so that polyhedra are short lists of numbers and questions about them are asked
//! once. An integer polyhedron counts as possible if it has rational points and a few cases do not exclude integer ones:
//! what is empty here is empty.

use crate::simplex::{Bound, Simplex, SimplexAnswer};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use tsl_synth_core::base::{Rational, StopFlag};
use tsl_synth_core::logic::{Inequality, LinearSystem, Sum};

/// An interned inequality of a [`Space`]; the lowest bit tells it from its negation.
pub type Atom = u32;

/// A conjunction of atoms, sorted, with at most one upper and one lower bound for each form.
pub type Polyhedron = Vec<Atom>;

/// A union of polyhedra.
pub type Region = Vec<Polyhedron>;

/// An inequality as an atom, unless its value is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// Always true, or always false.
    Known(bool),
    /// An atom.
    Atom(Atom),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AtomData {
    form: u32,
    upper: bool,
    bound: Rational,
    strict: bool,
}

/// The remembered answer to the question whether a polyhedron has points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Empty,
    /// The model with this number is a point of it.
    Model(u32),
    Possible,
}

/// The answer to that question, with the point.
enum Points {
    None,
    One(BTreeMap<u32, Rational>),
    Unknown,
}

/// The deepest nesting of cases that exclude values between integers.
const DEPTH: usize = 6;

/// A bound whose denominator is larger than `LONG` is rounded to a multiple of 1 / `SHORT`.
const LONG: i128 = 1_000_000;
const SHORT: i128 = 10_000;

/// The most options that a literal is dropped against when regions are simplified.
const LARGE: usize = 60;

/// The number of latest points that are tried for any polyhedron, and the most points that are remembered.
const RECENT: usize = 12;
const MODELS: usize = 200_000;

/// The most atoms of an unsatisfiable core that is remembered, and the most cores for each key of a last atom.
const CORE: usize = 6;
const CORES: usize = 40;

/// The work of a question to the simplex method, in intersections.
const SIMPLEX: u64 = 16;

/// How often flags are looked at, in intersections.
const CHECKED: u64 = 64;

/// Owns the inequalities of regions.
#[derive(Debug, Default)]
pub struct Space {
    integer: Vec<bool>,
    forms: Vec<Vec<(u32, Rational)>>,
    form_ids: FxHashMap<Vec<(u32, Rational)>, u32>,
    atoms: Vec<AtomData>,
    /// The form of each atom, and in the lowest bit whether it is an upper bound.
    keys: Vec<u32>,
    sums: Vec<Inequality>,
    atom_ids: FxHashMap<AtomData, Atom>,
    possible: FxHashMap<Polyhedron, Known>,
    /// Small unsatisfiable sets of atoms (cores), sorted, by the key of their last atom.
    cores: FxHashMap<u32, Vec<Polyhedron>>,
    maps: Vec<Vec<Option<Sum>>>,
    mapped: FxHashMap<(usize, Atom), Option<Literal>>,
    /// Points of polyhedra, with values for the variables that existed then; variables that were added later are 0.
    models: Vec<Vec<Rational>>,
    /// The work that was done: intersections, and several times as much for a question to the simplex method.
    pub work: u64,
    /// The work after which operations end early, with results that mean nothing.
    end: Option<u64>,
    flags: Vec<StopFlag>,
    is_exhausted: bool,
}

impl Space {
    /// A space over variables, which are integers or not.
    pub fn new(integer: Vec<bool>) -> Self {
        Self { integer, ..Self::default() }
    }
    /// Lets operations end early once this much more work was done or a flag is raised: then
    /// [`is_exhausted`](Self::is_exhausted), and the results of operations mean nothing.
    pub fn set_limit(&mut self, work: u64, flags: &[StopFlag]) {
        self.end = Some(self.work.saturating_add(work));
        self.flags = flags.to_vec();
    }
    /// Whether operations ended early.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
    fn check(&mut self) -> bool {
        self.is_exhausted |= self.end.is_some_and(|end| self.work > end)
            || self.work.is_multiple_of(CHECKED) && self.flags.iter().any(|flag| flag.raised().is_some());
        self.is_exhausted
    }
    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.integer.len()
    }
    /// One more variable.
    pub fn add_variable(&mut self, is_integer: bool) -> u32 {
        self.integer.push(is_integer);
        (self.integer.len() - 1) as u32
    }
    /// Whether a variable is an integer.
    pub fn is_integer(&self, variable: u32) -> bool {
        self.integer.get(variable as usize).copied().unwrap_or(false)
    }
    /// The inequality of an atom.
    pub fn inequality(&self, atom: Atom) -> &Inequality {
        &self.sums[atom as usize]
    }
    /// All inequalities of a polyhedron.
    pub fn inequalities(&self, polyhedron: &[Atom]) -> Vec<Inequality> {
        polyhedron.iter().map(|&atom| self.inequality(atom).clone()).collect()
    }
    /// Inequalities over the variables as a system.
    pub fn system(&self, inequalities: Vec<Inequality>) -> LinearSystem {
        LinearSystem { inequalities, different: Vec::new(), integer: self.integer.clone() }
    }
    /// An inequality as an atom; `None` if a number is too large.
    pub fn literal(&mut self, inequality: &Inequality) -> Option<Literal> {
        if let Some(value) = inequality.known() {
            return Some(Literal::Known(value));
        }
        let normal = inequality.normalized(|v| self.is_integer(v))?;
        let terms: Vec<(u32, Rational)> = normal.sum.terms().collect();
        let upper = terms.first()?.1.is_positive();
        let form = if upper { terms } else { terms.iter().map(|&(v, c)| (v, c.negated())).collect() };
        let bound = if upper { normal.sum.offset().negated() } else { normal.sum.offset() };
        let all_integers = form.iter().all(|&(v, _)| self.is_integer(v));
        let next = self.forms.len() as u32;
        let form = *self.form_ids.entry(form.clone()).or_insert_with(|| {
            self.forms.push(form);
            next
        });
        let data = AtomData { form, upper, bound, strict: normal.strict };
        if let Some(&atom) = self.atom_ids.get(&data) {
            return Some(Literal::Atom(atom));
        }
        let opposite = if all_integers {
            let step = if upper { Rational::ONE } else { Rational::ONE.negated() };
            AtomData { form, upper: !upper, bound: bound.plus(step)?, strict: false }
        } else {
            AtomData { form, upper: !upper, bound, strict: !data.strict }
        };
        let negated = normal.negated().normalized(|v| self.is_integer(v))?;
        let first = self.atoms.len() as Atom;
        for (data, inequality) in [(data, normal), (opposite, negated)] {
            self.atom_ids.insert(data.clone(), self.atoms.len() as Atom);
            self.keys.push(data.form * 2 + u32::from(data.upper));
            self.atoms.push(data);
            self.sums.push(inequality);
        }
        Some(Literal::Atom(first))
    }
    /// The polyhedron of inequalities; `None` if it is empty or a number is too large.
    pub fn polyhedron(&mut self, inequalities: &[Inequality]) -> Option<Polyhedron> {
        let mut atoms = Vec::new();
        for inequality in inequalities {
            match self.literal(inequality)? {
                Literal::Known(true) => {}
                Literal::Known(false) => return None,
                Literal::Atom(atom) => atoms.push(atom),
            }
        }
        self.meet(&[], &atoms)
    }

    /// The intersection; `None` if it is empty.
    pub fn meet(&mut self, left: &[Atom], right: &[Atom]) -> Option<Polyhedron> {
        self.work += 1;
        let result = self.joined(left, right)?;
        self.may_have_points(&result, [left, right]).then_some(result)
    }

    /// Both lists of atoms with the strongest bound for each side of a form; `None` if two bounds exclude each other.
    fn joined(&self, left: &[Atom], right: &[Atom]) -> Option<Polyhedron> {
        let (left, right) = (self.sorted(left), self.sorted(right));
        let mut result: Polyhedron = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
        loop {
            let from_left = match (left.peek(), right.peek()) {
                (Some(&&a), Some(&&b)) => self.keys[a as usize] <= self.keys[b as usize],
                (is_left, None) if is_left.is_none() => break,
                (is_left, _) => is_left.is_some(),
            };
            let Some(&atom) = (if from_left { left.next() } else { right.next() }) else { break };
            match result.last_mut() {
                Some(last) if self.keys[*last as usize] == self.keys[atom as usize] => {
                    if *last != atom && self.is_stronger(atom, *last) {
                        *last = atom;
                    }
                }
                _ => result.push(atom),
            }
        }
        let excluded = |pair: &[Atom]| {
            if self.keys[pair[0] as usize] ^ 1 != self.keys[pair[1] as usize] {
                return false;
            }
            let (low, high) = (&self.atoms[pair[0] as usize], &self.atoms[pair[1] as usize]);
            low.bound > high.bound || low.bound == high.bound && (low.strict || high.strict)
        };
        if result.windows(2).any(excluded) { None } else { Some(result) }
    }

    /// Atoms in the order of their forms and sides.
    fn sorted<'a>(&self, atoms: &'a [Atom]) -> Cow<'a, [Atom]> {
        let key = |atom: &Atom| self.keys[*atom as usize];
        if atoms.is_sorted_by_key(key) {
            return Cow::Borrowed(atoms);
        }
        let mut sorted = atoms.to_vec();
        sorted.sort_unstable_by_key(|atom| (key(atom), *atom));
        Cow::Owned(sorted)
    }

    /// Whether an atom implies another one on the same side of the same form and is not equal to it.
    fn is_stronger(&self, atom: Atom, other: Atom) -> bool {
        let (new, old) = (&self.atoms[atom as usize], &self.atoms[other as usize]);
        match new.bound.cmp(&old.bound) {
            std::cmp::Ordering::Equal => new.strict && !old.strict,
            order => (order == std::cmp::Ordering::Less) == new.upper,
        }
    }

    /// Whether a polyhedron may have points; false is certain.
    pub fn is_possible(&mut self, polyhedron: &[Atom]) -> bool {
        self.may_have_points(polyhedron, [&[], &[]])
    }

    /// Whether a polyhedron may have points: points of some larger polyhedra are tried first.
    fn may_have_points(&mut self, polyhedron: &[Atom], larger: [&[Atom]; 2]) -> bool {
        if polyhedron.len() < 2 {
            return true;
        }
        if let Some(&known) = self.possible.get(polyhedron) {
            return known != Known::Empty;
        }
        let own = larger.into_iter().filter_map(|other| match self.possible.get(other) {
            Some(&Known::Model(model)) => Some(model),
            _ => None,
        });
        let recent = (self.models.len().saturating_sub(RECENT)..self.models.len()).rev();
        let is_point = |&model: &u32| self.holds_all(polyhedron, &self.models[model as usize]);
        let known = match own.chain(recent.map(|model| model as u32)).find(is_point) {
            Some(model) => Known::Model(model),
            None if self.has_core(polyhedron) => Known::Empty,
            None => match self.points(polyhedron, DEPTH) {
                Points::None => Known::Empty,
                Points::One(_) => Known::Model((self.models.len() - 1) as u32),
                Points::Unknown => Known::Possible,
            },
        };
        self.possible.insert(polyhedron.to_vec(), known);
        known != Known::Empty
    }

    /// Whether the bounds of a polyhedron imply a remembered core, so that it is empty.
    fn has_core(&self, polyhedron: &[Atom]) -> bool {
        let is_met = |&needed: &Atom| {
            let key = self.keys[needed as usize];
            let own = polyhedron.binary_search_by_key(&key, |&atom| self.keys[atom as usize]);
            own.is_ok_and(|at| polyhedron[at] == needed || self.is_stronger(polyhedron[at], needed))
        };
        polyhedron.iter().any(|atom| {
            let cores = self.cores.get(&self.keys[*atom as usize]);
            cores.is_some_and(|cores| cores.iter().any(|core| core.iter().rev().all(is_met)))
        })
    }

    /// Remembers an unsatisfiable core unless it is large; the oldest core with its last key makes room.
    fn add_core(&mut self, mut core: Polyhedron) {
        if core.len() > CORE {
            return;
        }
        core.sort_unstable_by_key(|&atom| self.keys[atom as usize]);
        let Some(&last) = core.last() else { return };
        let cores = self.cores.entry(self.keys[last as usize]).or_default();
        if cores.contains(&core) {
            return;
        }
        if cores.len() >= CORES {
            cores.remove(0);
        }
        cores.push(core);
    }

    /// A point of a polyhedron, with integers where they are needed; `None` if there is none or none is found.
    pub fn point(&mut self, polyhedron: &[Atom]) -> Option<BTreeMap<u32, Rational>> {
        match self.points(polyhedron, 3 * DEPTH) {
            Points::One(model) => Some(model),
            Points::None | Points::Unknown => None,
        }
    }

    fn points(&mut self, polyhedron: &[Atom], depth: usize) -> Points {
        self.work += SIMPLEX;
        let mut columns: Vec<u32> = Vec::new();
        for &atom in polyhedron {
            columns.extend(self.forms[self.atoms[atom as usize].form as usize].iter().map(|&(v, _)| v));
        }
        columns.sort_unstable();
        columns.dedup();
        let column = |variable: u32| columns.binary_search(&variable).unwrap_or(0);
        let (mut rows, mut bounds) = (Vec::new(), Vec::new());
        let mut last = None;
        for &atom in polyhedron {
            let AtomData { form, upper, bound, strict } = &self.atoms[atom as usize];
            let terms = &self.forms[*form as usize];
            let (number, scale) = if let [(variable, factor)] = terms.as_slice() {
                (column(*variable), *factor)
            } else {
                if last != Some(*form) {
                    last = Some(*form);
                    let mut row = vec![Rational::ZERO; columns.len()];
                    for &(variable, factor) in terms {
                        row[column(variable)] = factor;
                    }
                    rows.push(row);
                }
                (columns.len() + rows.len() - 1, Rational::ONE)
            };
            let Some(value) = bound.over(scale) else { return Points::Unknown };
            bounds.push(Bound { form: number, upper: *upper, value, strict: *strict });
        }
        match Simplex::new(columns.len(), rows).decide(&bounds) {
            SimplexAnswer::Impossible(conflict) => {
                self.add_core(conflict.into_iter().map(|(bound, _)| polyhedron[bound]).collect());
                Points::None
            }
            SimplexAnswer::Unknown => Points::Unknown,
            SimplexAnswer::Possible(values) => {
                let model: BTreeMap<u32, Rational> = columns.into_iter().zip(values).collect();
                self.integral(polyhedron, model, depth)
            }
        }
    }

    /// Branch and bound: the model if its integer variables have integer values, otherwise what is found with one of them
    /// below or above its value.
    fn integral(&mut self, polyhedron: &[Atom], model: BTreeMap<u32, Rational>, depth: usize) -> Points {
        let broken = model.iter().find(|(v, value)| self.is_integer(**v) && !value.is_integer());
        let Some((&variable, &value)) = broken else {
            if self.models.len() >= MODELS {
                self.models.clear();
                self.possible.retain(|_, known| !matches!(known, Known::Model(_)));
            }
            let mut values = vec![Rational::ZERO; self.integer.len()];
            for (&variable, &value) in &model {
                values[variable as usize] = value;
            }
            self.models.push(values);
            return Points::One(model);
        };
        if depth == 0 {
            return Points::Unknown;
        }
        let floor = Sum::constant(value.floor());
        let below = Sum::variable(variable).plus(Rational::ONE.negated(), &floor);
        let Some(below) = below.map(Inequality::at_most_zero) else { return Points::Unknown };
        let mut unknown = false;
        for case in [below.negated(), below] {
            let Some(Literal::Atom(atom)) = self.literal(&case) else { return Points::Unknown };
            let Some(part) = self.joined(polyhedron, &[atom]) else { continue };
            match self.points(&part, depth - 1) {
                Points::One(model) => return Points::One(model),
                Points::Unknown => unknown = true,
                Points::None => {}
            }
        }
        if unknown { Points::Unknown } else { Points::None }
    }

    /// Whether a point satisfies an atom; variables without a value are 0.
    pub fn holds(&self, atom: Atom, model: &BTreeMap<u32, Rational>) -> bool {
        self.holds_at(atom, |variable| model.get(&variable).copied())
    }
    fn holds_at(&self, atom: Atom, value_of: impl Fn(u32) -> Option<Rational>) -> bool {
        let AtomData { form, upper, bound, strict } = &self.atoms[atom as usize];
        let mut value = Rational::ZERO;
        for &(variable, factor) in &self.forms[*form as usize] {
            let own = value_of(variable).unwrap_or(Rational::ZERO);
            let Some(sum) = factor.times(own).and_then(|part| value.plus(part)) else { return false };
            value = sum;
        }
        if value == *bound { !strict } else { (value < *bound) == *upper }
    }
    fn holds_all(&self, polyhedron: &[Atom], model: &[Rational]) -> bool {
        polyhedron.iter().all(|&atom| self.holds_at(atom, |v| model.get(v as usize).copied()))
    }

    /// Whether a polyhedron implies an atom.
    pub fn implies(&mut self, polyhedron: &[Atom], atom: Atom) -> bool {
        polyhedron.contains(&atom) || self.meet(polyhedron, &[atom ^ 1]).is_none()
    }

    /// Whether a polyhedron is within another one by comparing bounds only. Linear: both are sorted.
    fn is_plainly_within(&self, inner: &[Atom], outer: &[Atom]) -> bool {
        if inner.len() < outer.len() {
            return false;
        }
        let key = |atom: Atom| self.keys[atom as usize];
        let mut own = inner.iter();
        outer.iter().all(|&needed| {
            let found = own.by_ref().find(|&&atom| key(atom) >= key(needed));
            found.is_some_and(|&atom| {
                atom == needed || key(atom) == key(needed) && self.is_stronger(atom, needed)
            })
        })
    }

    /// The polyhedra with larger ones of a region in place of those that are plainly within them.
    pub fn enlarged(&self, polyhedra: &[Polyhedron], region: &Region) -> Region {
        let mut result = Region::new();
        for polyhedron in polyhedra {
            let larger = region.iter().find(|other| self.is_plainly_within(polyhedron, other));
            let larger = larger.unwrap_or(polyhedron);
            if !result.contains(larger) {
                result.push(larger.clone());
            }
        }
        result
    }

    /// The union of two regions.
    pub fn union(&mut self, left: &Region, right: &Region) -> Region {
        let mut result = left.clone();
        for polyhedron in right {
            self.insert(&mut result, polyhedron.clone());
        }
        result
    }
    /// Adds a polyhedron unless it is plainly within another one.
    pub fn insert(&self, region: &mut Region, polyhedron: Polyhedron) {
        if region.iter().any(|other| self.is_plainly_within(&polyhedron, other)) {
            return;
        }
        region.retain(|other| !self.is_plainly_within(other, &polyhedron));
        region.push(polyhedron);
    }
    /// The intersection of two regions.
    pub fn intersection(&mut self, left: &Region, right: &Region) -> Region {
        let mut result = Vec::new();
        for a in left {
            for b in right {
                if self.check() {
                    return Region::new();
                }
                if let Some(both) = self.meet(a, b) {
                    self.insert(&mut result, both);
                }
            }
        }
        result
    }
    /// What is in the left region and not in the right one, as disjoint parts of the left polyhedra.
    pub fn difference(&mut self, left: &Region, right: &Region) -> Region {
        let mut result = Vec::new();
        for polyhedron in left {
            for part in self.without(polyhedron, right) {
                self.insert(&mut result, part);
            }
        }
        result
    }
    /// What of a polyhedron is in no polyhedron of a region.
    fn without(&mut self, polyhedron: &Polyhedron, region: &[Polyhedron]) -> Region {
        let mut parts = vec![polyhedron.clone()];
        for other in region {
            let mut next = Vec::new();
            for part in parts {
                if self.check() {
                    return Region::new();
                }
                if self.meet(&part, other).is_none() {
                    next.push(part);
                    continue;
                }
                let mut rest = part;
                for &atom in other {
                    if let Some(outside) = self.meet(&rest, &[atom ^ 1]) {
                        next.push(outside);
                        match self.meet(&rest, &[atom]) {
                            Some(inside) => rest = inside,
                            None => break,
                        }
                    }
                }
            }
            parts = next;
            if parts.is_empty() {
                break;
            }
        }
        parts
    }
    /// Whether a polyhedron is within a region.
    pub fn is_covered(&mut self, polyhedron: &Polyhedron, region: &[Polyhedron]) -> bool {
        let all: Vec<usize> = (0..region.len()).collect();
        self.is_covered_by(polyhedron, region, &all)
    }
    /// Whether a polyhedron is within the union of the members of a region with these indices. Members with the fewest
    /// inequalities that the polyhedron lacks come first, since each such inequality makes a case: with none, the polyhedron
    /// is within the member.
    fn is_covered_by(&mut self, polyhedron: &Polyhedron, region: &[Polyhedron], numbers: &[usize]) -> bool {
        if self.check() {
            return true;
        }
        let mut left: Vec<(usize, usize)> = Vec::new();
        for &number in numbers {
            let Some(both) = self.joined(polyhedron, &region[number]) else { continue };
            let open = both.iter().filter(|atom| !polyhedron.contains(atom)).count();
            if open == 0 {
                return true;
            }
            left.push((open, number));
        }
        left.sort_unstable();
        let Some(at) = left.iter().position(|&(_, number)| self.meet(polyhedron, &region[number]).is_some())
        else {
            return !self.is_possible(polyhedron);
        };
        let rest: Vec<usize> = left[at + 1..].iter().map(|&(_, number)| number).collect();
        let mut inside = polyhedron.clone();
        for &atom in &region[left[at].1] {
            if let Some(outside) = self.meet(&inside, &[atom ^ 1]) {
                if !self.is_covered_by(&outside, region, &rest) {
                    return false;
                }
                match self.meet(&inside, &[atom]) {
                    Some(part) => inside = part,
                    None => return true,
                }
            }
        }
        true
    }
    /// Whether a region is within another one.
    pub fn is_within(&mut self, inner: &Region, outer: &Region) -> bool {
        inner.iter().all(|polyhedron| self.is_covered(polyhedron, outer))
    }

    /// The same region with fewer and larger polyhedra where that is found: atoms are dropped while the polyhedron stays
    /// within the region, and polyhedra that the others cover are dropped.
    pub fn simplified(&mut self, region: &Region) -> Region {
        let mut result: Region = Vec::new();
        for polyhedron in region {
            let mut larger = polyhedron.clone();
            let mut at = 0;
            while at < larger.len() {
                let mut without = larger.clone();
                let atom = without.remove(at);
                let flipped = self.meet(&without, &[atom ^ 1]);
                let is_free = match flipped {
                    None => true,
                    Some(beyond) => {
                        region.len() > 1 && region.len() < LARGE && self.is_covered(&beyond, region)
                    }
                };
                if is_free { larger = without } else { at += 1 }
            }
            self.insert(&mut result, larger);
        }
        let mut at = 0;
        while result.len() > 1 && result.len() < LARGE && at < result.len() {
            let one = result.remove(at);
            if !self.is_covered(&one, &result) {
                result.insert(at, one);
                at += 1;
            }
        }
        result
    }

    /// A subset of the region whose bounds have small denominators: larger ones, which grow with each preimage until they
    /// overflow, are rounded so that the polyhedron shrinks. A polyhedron that would become empty stays as it is.
    pub fn rounded(&mut self, region: Region) -> Region {
        let mut result = Region::new();
        for polyhedron in region {
            let is_long = |atom: &Atom| self.atoms[*atom as usize].bound.denominator() > LONG;
            let shorter = if polyhedron.iter().any(is_long) {
                let rows = self.inequalities(&polyhedron);
                let rows: Option<Vec<Inequality>> = rows.iter().map(shortened).collect();
                rows.and_then(|rows| self.polyhedron(&rows))
            } else {
                None
            };
            self.insert(&mut result, shorter.unwrap_or(polyhedron));
        }
        result
    }

    /// Whether an atom mentions a variable.
    fn mentions(&self, atom: Atom, variable: u32) -> bool {
        self.mentions_any(atom, |v| v == variable)
    }
    /// Whether an atom mentions a variable that satisfies a condition.
    pub fn mentions_any(&self, atom: Atom, mut wanted: impl FnMut(u32) -> bool) -> bool {
        self.forms[self.atoms[atom as usize].form as usize].iter().any(|&(v, _)| wanted(v))
    }
    /// The number of the form that an atom bounds, and whether it is an upper bound.
    pub fn form(&self, atom: Atom) -> (u32, bool) {
        let data = &self.atoms[atom as usize];
        (data.form, data.upper)
    }

    /// All points for which there are values of some variables: exact for rational numbers and where one of two
    /// combined inequalities has a factor of 1 for the variable, otherwise a superset. `None` if it is empty or a number
    /// is too large.
    pub fn exists(&mut self, polyhedron: &[Atom], variables: &[u32]) -> Option<Polyhedron> {
        let mut atoms = polyhedron.to_vec();
        let mut left: Vec<u32> = variables.to_vec();
        loop {
            let equation = |variable: u32| {
                let rows = atoms.iter().copied().filter(|&atom| self.mentions(atom, variable));
                let rows: Vec<Atom> = rows.collect();
                let is_opposite = |pair: &&[Atom]| self.is_equation(pair[0], pair[1]);
                rows.windows(2).find(is_opposite).map(|pair| (pair[0], pair[1]))
            };
            let counts = |&variable: &u32| {
                let rows: Vec<Atom> =
                    atoms.iter().copied().filter(|&atom| self.mentions(atom, variable)).collect();
                let up = rows.iter().filter(|&&atom| self.factor(atom, variable).is_positive()).count();
                let cost = if equation(variable).is_some() { rows.len() } else { up * (rows.len() - up) };
                (cost, variable)
            };
            left.retain(|&variable| atoms.iter().any(|&atom| self.mentions(atom, variable)));
            let Some(variable) = left.iter().copied().min_by_key(counts) else { break };
            let equation = equation(variable);
            let (with, mut rest): (Vec<Atom>, Vec<Atom>) =
                atoms.iter().partition(|&&atom| self.mentions(atom, variable));
            let (upper, lower): (Vec<Atom>, Vec<Atom>) =
                with.iter().partition(|&&atom| self.factor(atom, variable).is_positive());
            for &high in &upper {
                for &low in &lower {
                    // With an equation, the others are combined with it only.
                    let belongs = |atom: Atom| equation.is_some_and(|(a, b)| atom == a || atom == b);
                    if equation.is_some() && belongs(high) == belongs(low) {
                        continue;
                    }
                    self.work += 1;
                    if self.check() {
                        return None;
                    }
                    let (a, b) = (self.factor(high, variable), self.factor(low, variable).negated());
                    let (up, down) = (self.inequality(high).clone(), self.inequality(low).clone());
                    let sum = up.sum.times(b)?.plus(a, &down.sum)?;
                    match self.literal(&Inequality { sum, strict: up.strict || down.strict })? {
                        Literal::Known(true) => {}
                        Literal::Known(false) => return None,
                        Literal::Atom(atom) => rest.push(atom),
                    }
                }
            }
            atoms = self.joined(&rest, &[])?;
            if atoms.len() > 8 {
                atoms = self.irredundant(atoms);
            }
        }
        self.meet(&atoms, &[])
    }

    /// Whether two bounds say that a form has a value.
    fn is_equation(&self, low: Atom, high: Atom) -> bool {
        let (low, high) = (&self.atoms[low as usize], &self.atoms[high as usize]);
        low.form == high.form
            && low.bound == high.bound
            && !low.strict
            && !high.strict
            && low.upper != high.upper
    }

    /// The polyhedron without atoms that the others imply.
    pub fn irredundant(&mut self, mut atoms: Polyhedron) -> Polyhedron {
        let mut at = 0;
        while at < atoms.len() {
            let mut without = atoms.clone();
            let atom = without.remove(at);
            if self.meet(&without, &[atom ^ 1]).is_none() { atoms = without } else { at += 1 }
        }
        atoms
    }

    /// The factor of a variable in the sum of an atom, which is at most 0.
    pub fn factor(&self, atom: Atom, variable: u32) -> Rational {
        self.sums[atom as usize].sum.coefficient(variable)
    }

    /// Registers sums in place of variables; `None` keeps a variable.
    pub fn add_map(&mut self, map: Vec<Option<Sum>>) -> usize {
        self.maps.push(map);
        self.maps.len() - 1
    }
    /// An atom with the sums of a map in place of variables; `None` if a number is too large.
    pub fn mapped(&mut self, map: usize, atom: Atom) -> Option<Literal> {
        if let Some(&known) = self.mapped.get(&(map, atom)) {
            return known;
        }
        let inequality = self.inequality(atom).clone();
        let image = |variable: u32| {
            let own = self.maps[map].get(variable as usize).cloned().flatten();
            Some(own.unwrap_or_else(|| Sum::variable(variable)))
        };
        let result = inequality.substituted(image).and_then(|part| self.literal(&part));
        self.mapped.insert((map, atom), result);
        result
    }
    /// The points that a map leads into a polyhedron; `None` if there is none or a number is too large.
    pub fn preimage(&mut self, map: usize, given: &[Atom], polyhedron: &[Atom]) -> Option<Polyhedron> {
        let mut atoms = Vec::with_capacity(polyhedron.len());
        for &atom in polyhedron {
            match self.mapped(map, atom)? {
                Literal::Known(true) => {}
                Literal::Known(false) => return None,
                Literal::Atom(atom) => atoms.push(atom),
            }
        }
        self.meet(given, &atoms)
    }
}

/// An inequality that implies the given one, with a constant whose denominator is small.
fn shortened(inequality: &Inequality) -> Option<Inequality> {
    let offset = inequality.sum.offset();
    if offset.denominator() <= LONG {
        return Some(inequality.clone());
    }
    let scale = Rational::integer(SHORT)?;
    // A larger constant makes `sum ≤ 0` stronger.
    let larger = offset.times(scale)?.ceiling().over(scale)?;
    let sum = inequality.sum.plus(Rational::ONE, &Sum::constant(larger.minus(offset)?))?;
    Some(Inequality { sum, strict: inequality.strict })
}
