//! The operations, by recursion over the topmost variable of their operands (Bryant 1986; Brace, Rudell and Bryant 1990 for
//! negated edges). Recursion is as deep as there are variables.

use super::tables::{BOTTOM, Edge, Meter, REPLACE, Stop, Tables};
use rustc_hash::FxHashMap;

const AND: u32 = 1;
const XOR: u32 = 2;
const ITE: u32 = 3;
const EXISTS: u32 = 4;
const AND_EXISTS: u32 = 5;
const COFACTOR: u32 = 6;

/// A simultaneous replacement: for each level the function in place of its variable, if it has one.
pub(super) struct Replaced<'r> {
    pub(super) number: u32,
    pub(super) functions: &'r [Option<Edge>],
}

/// A running operation, with access to tables and meter.
pub(super) struct Recursion<'t, 'm> {
    pub(super) tables: &'t mut Tables,
    pub(super) meter: Meter<'m>,
    /// Steps of the recursion so far.
    pub(super) steps: usize,
}

type Made = Result<Edge, Stop>;

impl Recursion<'_, '_> {
    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        self.tables.step(self.meter)
    }
    fn top(&self, edges: &[Edge]) -> u32 {
        edges.iter().map(|&edge| self.tables.level(edge)).min().unwrap_or(BOTTOM)
    }

    pub(super) fn and(&mut self, a: Edge, b: Edge) -> Made {
        if a == b || b == Edge::TRUE {
            return Ok(a);
        }
        if a == Edge::TRUE {
            return Ok(b);
        }
        if a == Edge::FALSE || b == Edge::FALSE || a == !b {
            return Ok(Edge::FALSE);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.tables.known(AND, a, b, Edge::TRUE) {
            return Ok(known);
        }
        self.step()?;
        let level = self.top(&[a, b]);
        let ((a0, a1), (b0, b1)) = (self.tables.cofactors(a, level), self.tables.cofactors(b, level));
        let low = self.and(a0, b0)?;
        let high = self.and(a1, b1)?;
        let made = self.tables.make(level, low, high)?;
        self.tables.keep(AND, a, b, Edge::TRUE, made);
        Ok(made)
    }
    pub(super) fn or(&mut self, a: Edge, b: Edge) -> Made {
        self.and(!a, !b).map(|neither| !neither)
    }
    pub(super) fn xor(&mut self, a: Edge, b: Edge) -> Made {
        let negated = a.is_negated() != b.is_negated();
        let (a, b) = (a.without_negation(), b.without_negation());
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            return Ok(Edge::FALSE.negated_if(negated));
        }
        if a == Edge::TRUE {
            return Ok((!b).negated_if(negated));
        }
        if let Some(known) = self.tables.known(XOR, a, b, Edge::TRUE) {
            return Ok(known.negated_if(negated));
        }
        self.step()?;
        let level = self.top(&[a, b]);
        let ((a0, a1), (b0, b1)) = (self.tables.cofactors(a, level), self.tables.cofactors(b, level));
        let low = self.xor(a0, b0)?;
        let high = self.xor(a1, b1)?;
        let made = self.tables.make(level, low, high)?;
        self.tables.keep(XOR, a, b, Edge::TRUE, made);
        Ok(made.negated_if(negated))
    }
    /// `a ? b : c`
    pub(super) fn ite(&mut self, a: Edge, b: Edge, c: Edge) -> Made {
        if a.is_constant() || b == c {
            return Ok(if a == Edge::TRUE { b } else { c });
        }
        // A condition without negation.
        let (a, b, c) = if a.is_negated() { (!a, c, b) } else { (a, b, c) };
        let constant = |own: Edge, same: Edge, opposite: Edge| match own {
            _ if own == a => same,
            _ if own == !a => opposite,
            _ => own,
        };
        let (b, c) = (constant(b, Edge::TRUE, Edge::FALSE), constant(c, Edge::FALSE, Edge::TRUE));
        match (b, c) {
            (b, c) if b == c => return Ok(b),
            (b, c) if b == !c => return self.xor(a, c),
            (Edge::TRUE, c) => return self.or(a, c),
            (Edge::FALSE, c) => return self.and(!a, c),
            (b, Edge::TRUE) => return self.or(!a, b),
            (b, Edge::FALSE) => return self.and(a, b),
            _ => {}
        }
        let negated = b.is_negated();
        let (b, c) = (b.negated_if(negated), c.negated_if(negated));
        if let Some(known) = self.tables.known(ITE, a, b, c) {
            return Ok(known.negated_if(negated));
        }
        self.step()?;
        let level = self.top(&[a, b, c]);
        let (a0, a1) = self.tables.cofactors(a, level);
        let (b0, b1) = self.tables.cofactors(b, level);
        let (c0, c1) = self.tables.cofactors(c, level);
        let low = self.ite(a0, b0, c0)?;
        let high = self.ite(a1, b1, c1)?;
        let made = self.tables.make(level, low, high)?;
        self.tables.keep(ITE, a, b, c, made);
        Ok(made.negated_if(negated))
    }

    /// The part of a conjunction of variables from a level downward.
    fn rest_of_cube(&self, mut cube: Edge, level: u32) -> Edge {
        while self.tables.level(cube) < level {
            cube = self.tables.cofactors(cube, self.tables.level(cube)).1;
        }
        cube
    }
    /// ∃ cube. a
    pub(super) fn exists(&mut self, a: Edge, cube: Edge) -> Made {
        let level = self.tables.level(a);
        let cube = self.rest_of_cube(cube, level);
        if a.is_constant() || cube.is_constant() {
            return Ok(a);
        }
        if let Some(known) = self.tables.known(EXISTS, a, cube, Edge::TRUE) {
            return Ok(known);
        }
        self.step()?;
        let (a0, a1) = self.tables.cofactors(a, level);
        let low = self.exists(a0, cube)?;
        let made = if self.tables.level(cube) == level {
            // `low` has no variable of the cube, so quantification does not change `a1` if that is `low` or its
            // negation.
            if low == Edge::TRUE || low == a1 {
                low
            } else if low == !a1 {
                Edge::TRUE
            } else {
                let high = self.exists(a1, cube)?;
                self.or(low, high)?
            }
        } else {
            let high = self.exists(a1, cube)?;
            self.tables.make(level, low, high)?
        };
        self.tables.keep(EXISTS, a, cube, Edge::TRUE, made);
        Ok(made)
    }
    /// ∀ cube. a
    pub(super) fn forall(&mut self, a: Edge, cube: Edge) -> Made {
        self.exists(!a, cube).map(|made| !made)
    }
    /// ∃ cube. a ∧ b
    pub(super) fn and_exists(&mut self, a: Edge, b: Edge, cube: Edge) -> Made {
        if a == Edge::FALSE || b == Edge::FALSE || a == !b {
            return Ok(Edge::FALSE);
        }
        if a == Edge::TRUE || a == b {
            return self.exists(b, cube);
        }
        if b == Edge::TRUE {
            return self.exists(a, cube);
        }
        let level = self.top(&[a, b]);
        let cube = self.rest_of_cube(cube, level);
        if cube.is_constant() {
            return self.and(a, b);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.tables.known(AND_EXISTS, a, b, cube) {
            return Ok(known);
        }
        self.step()?;
        let ((a0, a1), (b0, b1)) = (self.tables.cofactors(a, level), self.tables.cofactors(b, level));
        let low = self.and_exists(a0, b0, cube)?;
        let made = if self.tables.level(cube) == level {
            // As in the package CUDD: `low` has no variable of the cube. If it is a factor of the other half, that half
            // implies it; if its negation is one, t ∨ (¬t ∧ f) = t ∨ f applies.
            if low == Edge::TRUE || low == a1 || low == b1 {
                low
            } else {
                let high = if low == !a1 {
                    self.exists(b1, cube)?
                } else if low == !b1 {
                    self.exists(a1, cube)?
                } else {
                    self.and_exists(a1, b1, cube)?
                };
                self.or(low, high)?
            }
        } else {
            let high = self.and_exists(a1, b1, cube)?;
            self.tables.make(level, low, high)?
        };
        self.tables.keep(AND_EXISTS, a, b, cube, made);
        Ok(made)
    }
    /// ∀ cube. a ∨ b
    pub(super) fn forall_or(&mut self, a: Edge, b: Edge, cube: Edge) -> Made {
        self.and_exists(!a, !b, cube).map(|made| !made)
    }

    /// The cofactor of a function for a conjunction of literals, which is not false.
    pub(super) fn cofactor(&mut self, a: Edge, cube: Edge) -> Made {
        let negated = a.is_negated();
        let a = a.without_negation();
        let level = self.tables.level(a);
        let mut cube = cube;
        while self.tables.level(cube) < level {
            let (low, high) = self.tables.cofactors(cube, self.tables.level(cube));
            cube = if low == Edge::FALSE { high } else { low };
        }
        if a.is_constant() || cube.is_constant() {
            return Ok(a.negated_if(negated));
        }
        if let Some(known) = self.tables.known(COFACTOR, a, cube, Edge::TRUE) {
            return Ok(known.negated_if(negated));
        }
        self.step()?;
        let (a0, a1) = self.tables.cofactors(a, level);
        let made = if self.tables.level(cube) == level {
            let (low, high) = self.tables.cofactors(cube, level);
            if low == Edge::FALSE { self.cofactor(a1, high)? } else { self.cofactor(a0, low)? }
        } else {
            let low = self.cofactor(a0, cube)?;
            let high = self.cofactor(a1, cube)?;
            self.tables.make(level, low, high)?
        };
        self.tables.keep(COFACTOR, a, cube, Edge::TRUE, made);
        Ok(made.negated_if(negated))
    }

    /// A function with functions in place of variables. Below the last level with a replacement nothing changes.
    pub(super) fn replace(&mut self, a: Edge, replaced: &Replaced<'_>) -> Made {
        let negated = a.is_negated();
        let a = a.without_negation();
        let level = self.tables.level(a);
        if level as usize >= replaced.functions.len() {
            return Ok(a.negated_if(negated));
        }
        let number = Edge(replaced.number);
        if let Some(known) = self.tables.known(REPLACE, a, number, Edge::TRUE) {
            return Ok(known.negated_if(negated));
        }
        self.step()?;
        let (a0, a1) = self.tables.cofactors(a, level);
        let low = self.replace(a0, replaced)?;
        let high = self.replace(a1, replaced)?;
        let made = if let Some(function) = replaced.functions[level as usize] {
            self.ite(function, high, low)?
        } else {
            let variable = self.tables.make(level, Edge::FALSE, Edge::TRUE)?;
            self.ite(variable, high, low)?
        };
        self.tables.keep(REPLACE, a, number, Edge::TRUE, made);
        Ok(made.negated_if(negated))
    }

    /// A function that agrees with `a` wherever `care` holds, which is not false.
    pub(super) fn simplified(&mut self, a: Edge, care: Edge, most: usize) -> Made {
        let mut known = FxHashMap::default();
        self.simplified_with(a, care, most, &mut known)
    }
    fn simplified_with(
        &mut self,
        a: Edge,
        care: Edge,
        most: usize,
        known: &mut FxHashMap<(Edge, Edge), Edge>,
    ) -> Made {
        let negated = a.is_negated();
        let a = a.without_negation();
        if a.is_constant() || care.is_constant() || known.len() > most {
            return Ok(a.negated_if(negated));
        }
        if let Some(&made) = known.get(&(a, care)) {
            return Ok(made.negated_if(negated));
        }
        self.step()?;
        let level = self.tables.level(a);
        let made = if self.tables.level(care) < level {
            // `a` does not depend on this variable, so the care set is the union for both of its values.
            let (low, high) = self.tables.cofactors(care, self.tables.level(care));
            let either = self.or(low, high)?;
            self.simplified_with(a, either, most, known)?
        } else {
            let ((a0, a1), (c0, c1)) = (self.tables.cofactors(a, level), self.tables.cofactors(care, level));
            if c0 == Edge::FALSE {
                self.simplified_with(a1, c1, most, known)?
            } else if c1 == Edge::FALSE {
                self.simplified_with(a0, c0, most, known)?
            } else {
                let low = self.simplified_with(a0, c0, most, known)?;
                let high = self.simplified_with(a1, c1, most, known)?;
                self.tables.make(level, low, high)?
            }
        };
        known.insert((a, care), made);
        Ok(made.negated_if(negated))
    }

    /// The union of an irredundant cover by cubes that is implied by `lower` and implies `upper`.
    pub(super) fn covered(&mut self, lower: Edge, upper: Edge, most: usize) -> Made {
        let mut known = FxHashMap::default();
        self.covered_with(lower, upper, most, &mut known)
    }
    fn covered_with(
        &mut self,
        lower: Edge,
        upper: Edge,
        most: usize,
        known: &mut FxHashMap<(Edge, Edge), Edge>,
    ) -> Made {
        if lower == Edge::FALSE || self.steps > most {
            return Ok(lower);
        }
        if upper == Edge::TRUE {
            return Ok(Edge::TRUE);
        }
        if let Some(&made) = known.get(&(lower, upper)) {
            return Ok(made);
        }
        self.step()?;
        let level = self.top(&[lower, upper]);
        let (lower0, lower1) = self.tables.cofactors(lower, level);
        let (upper0, upper1) = self.tables.cofactors(upper, level);
        // Cubes with the literal, then those without it for the rest.
        let only0 = self.and(lower0, !upper1)?;
        let only1 = self.and(lower1, !upper0)?;
        let cover0 = self.covered_with(only0, upper0, most, known)?;
        let cover1 = self.covered_with(only1, upper1, most, known)?;
        let rest0 = self.and(lower0, !cover0)?;
        let rest1 = self.and(lower1, !cover1)?;
        let rest = self.or(rest0, rest1)?;
        let both = self.and(upper0, upper1)?;
        let shared = self.covered_with(rest, both, most, known)?;
        let low = self.or(cover0, shared)?;
        let high = self.or(cover1, shared)?;
        let made = self.tables.make(level, low, high)?;
        known.insert((lower, upper), made);
        Ok(made)
    }
}
