//! Seeded random LTL problems: 2 to 6 atoms, size at most 30, half of them one random formula and half assumptions and
//! guarantees of common patterns, as in handwritten specifications. Also small random contracts.

use super::instance::Instance;
use tsl_synth_core::logic::{AtomId, FormulaId, Player};
use tsl_synth_testkit::{Rng, random_formula};

/// How large a random problem may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) size: u32,
}

impl Scale {
    /// 2 to 6 atoms, size at most 30.
    pub(crate) const FULL: Self = Self { inputs: 3, outputs: 3, size: 30 };
    /// Small enough for brute force.
    pub(crate) const TINY: Self = Self { inputs: 2, outputs: 2, size: 8 };
}

/// A random problem.
pub(crate) fn random_instance(rng: &mut Rng, scale: Scale) -> Instance {
    loop {
        let inputs = ["a", "b", "c"][..=rng.below(scale.inputs)].join(" ");
        let outputs = ["x", "y", "z"][..=rng.below(scale.outputs)].join(" ");
        let mut instance = Instance::new(&inputs, &outputs);
        if rng.flip() {
            let size = 2 + rng.below(scale.size as usize - 1);
            let f = random_formula(rng, &mut instance.formulas, &instance.alphabet, size);
            instance.contract.guarantees.push(f);
        } else {
            for _ in 0..rng.below(3) {
                let f = assumption(rng, &mut instance);
                instance.contract.assumptions.push(f);
            }
            for _ in 0..=rng.below(4) {
                let f = guarantee(rng, &mut instance);
                instance.contract.guarantees.push(f);
            }
        }
        let objective = instance.contract.formula(&mut instance.formulas);
        if instance.formulas.size(objective) <= scale.size {
            return instance;
        }
    }
}

fn literal(rng: &mut Rng, instance: &mut Instance, player: Option<Player>) -> FormulaId {
    let alphabet = &instance.alphabet;
    let atoms: Vec<AtomId> =
        alphabet.atoms().ids().filter(|&a| player.is_none_or(|p| alphabet.player(a) == p)).collect();
    let f = instance.formulas.atom(atoms[rng.below(atoms.len())]);
    if rng.below(4) == 0 { instance.formulas.not(f) } else { f }
}

fn assumption(rng: &mut Rng, instance: &mut Instance) -> FormulaId {
    let p = literal(rng, instance, Some(Player::Environment));
    // In half of the cases the trigger is an output of the system.
    let trigger = if rng.flip() { Player::Environment } else { Player::System };
    let q = literal(rng, instance, Some(trigger));
    let fs = &mut instance.formulas;
    let body = match rng.below(6) {
        0 | 1 => fs.finally(p),
        2 => {
            let then = fs.finally(p);
            fs.implies(q, then)
        }
        3 => {
            let then = fs.next(p);
            fs.implies(q, then)
        }
        4 => {
            let both = fs.and([p, q]);
            fs.not(both)
        }
        _ => return fs.weak_until(p, q),
    };
    fs.globally(body)
}

fn guarantee(rng: &mut Rng, instance: &mut Instance) -> FormulaId {
    let p = literal(rng, instance, Some(Player::Environment));
    let q = literal(rng, instance, Some(Player::System));
    let r = literal(rng, instance, None);
    let fs = &mut instance.formulas;
    let body = match rng.below(13) {
        0 | 1 => {
            let then = fs.finally(q);
            fs.implies(p, then)
        }
        2 => {
            let both = fs.and([q, r]);
            fs.not(both)
        }
        3 => fs.finally(q),
        4 => {
            let then = fs.next(q);
            fs.implies(p, then)
        }
        5 => {
            let then = fs.next_n(2, r);
            fs.implies(q, then)
        }
        6 => {
            let then = fs.weak_until(q, p);
            fs.implies(q, then)
        }
        7 => {
            let then = fs.until(q, r);
            fs.implies(p, then)
        }
        8 => {
            let tomorrow = fs.next(r);
            fs.iff(q, tomorrow)
        }
        9 => fs.iff(q, r),
        10 => {
            let forever = fs.globally(q);
            return fs.finally(forever);
        }
        11 => return fs.release(p, q),
        _ => random_formula(rng, fs, &instance.alphabet, 5),
    };
    fs.globally(body)
}

/// A random contract of at most two inputs and two outputs, or a cell of three options, whose assumptions mostly
/// mention outputs; a third has facts and a third has restrictions.
pub(crate) fn random_contract(rng: &mut Rng) -> Instance {
    let inputs = ["a", "a b"][rng.below(2)];
    let outputs = ["x", "x y", "x", "x y", "x y z"][rng.below(5)];
    let mut instance = match outputs {
        "x y z" => Instance::new(inputs, "").with_cell("m", outputs),
        _ => Instance::new(inputs, outputs),
    };
    let mut texts = Texts { rng, inputs, outputs };
    for _ in 0..=texts.rng.below(2) {
        let text = texts.assumption();
        instance = instance.with_assumption(&text);
    }
    if texts.rng.below(3) == 0 {
        let text = texts.fact();
        instance = instance.with_fact(&text);
    }
    if texts.rng.below(3) == 0 {
        let text = texts.restriction();
        instance = instance.with_restriction(&text);
    }
    for _ in 0..=texts.rng.below(2) {
        let text = texts.guarantee();
        instance = instance.with_guarantee(&text);
    }
    if texts.rng.below(4) == 0 {
        let f = random_formula(texts.rng, &mut instance.formulas, &instance.alphabet, 4);
        instance.contract.assumptions.push(f);
    }
    instance
}

/// Clauses as text, with literals over these names.
struct Texts<'a> {
    rng: &'a mut Rng,
    inputs: &'a str,
    outputs: &'a str,
}

impl Texts<'_> {
    fn literal(&mut self, of: Option<Player>) -> String {
        let mut names: Vec<&str> = Vec::new();
        if of != Some(Player::System) {
            names.extend(self.inputs.split(' '));
        }
        if of != Some(Player::Environment) {
            names.extend(self.outputs.split(' '));
        }
        let not = if self.rng.below(4) == 0 { "!" } else { "" };
        format!("{not}{}", names[self.rng.below(names.len())])
    }

    fn assumption(&mut self) -> String {
        let i = self.literal(Some(Player::Environment));
        let j = self.literal(Some(Player::Environment));
        let o = self.literal(Some(Player::System));
        let z = self.literal(None);
        match self.rng.below(20) {
            0 => format!("G ({o} -> X {i})"),
            1 => format!("G ({i} -> X {o})"),
            2 => format!("G ({i} -> F {o})"),
            3 => format!("G ({o} -> F {i})"),
            4 => format!("G F ({i} & {o})"),
            5 => format!("G F ({z} & X {o})"),
            6 => format!("F G ({i} | {o})"),
            7 => format!("F G {z}"),
            8 => format!("{o} U {i}"),
            9 => format!("{i} W {o}"),
            10 => format!("F ({i} & X {o})"),
            11 => format!("G F {i} -> G F {o}"),
            12 => format!("G ({o} -> {i})"),
            13 => format!("G ({o} & {i} -> X ({j} | {z}))"),
            14 => format!("F {o}"),
            15 => format!("{i} -> X F G {o}"),
            16 => format!("G ({i} <-> X {o})"),
            17 => format!("G F {i}"),
            18 => format!("G ({i} -> X {j})"),
            _ => format!("G ({i} | X {j})"),
        }
    }

    fn fact(&mut self) -> String {
        let i = self.literal(Some(Player::Environment));
        let j = self.literal(Some(Player::Environment));
        let o = self.literal(Some(Player::System));
        match self.rng.below(5) {
            0 => format!("G ({o} -> X {i})"),
            1 => format!("G ({o} <-> X {i})"),
            2 => format!("G !({i} & {j})"),
            3 => i,
            _ => format!("G ({i} & {o} -> X {j})"),
        }
    }

    fn restriction(&mut self) -> String {
        let i = self.literal(Some(Player::Environment));
        let o = self.literal(Some(Player::System));
        let p = self.literal(Some(Player::System));
        match self.rng.below(3) {
            0 => format!("G !({o} & {p})"),
            1 => format!("G ({o} -> X !{p})"),
            _ => format!("G ({i} -> {o})"),
        }
    }

    fn guarantee(&mut self) -> String {
        let i = self.literal(Some(Player::Environment));
        let o = self.literal(Some(Player::System));
        let p = self.literal(Some(Player::System));
        let z = self.literal(None);
        match self.rng.below(14) {
            0 => format!("G ({i} -> F {o})"),
            1 => format!("G ({i} -> {o})"),
            2 => format!("G ({i} -> X {o})"),
            3 => format!("G ({o} -> X !{o})"),
            4 => format!("G F {o}"),
            5 => format!("G !({o} & {p})"),
            6 => format!("{o} W {i}"),
            7 => format!("F G {o}"),
            8 => format!("G ({o} <-> X {z})"),
            9 => format!("G ({i} -> {o} U {z})"),
            10 => format!("G ({o} -> {z})"),
            11 => format!("G F {i} -> G F {o}"),
            12 => format!("F ({i} & {o})"),
            _ => format!("G ({o} <-> X {p}) | G F {z}"),
        }
    }
}
