//! Random formulas, machines and contracts, and a brute-force oracle for verdicts about them.

use std::collections::BTreeSet;
use std::fmt::Write;
use tsl_check::certificate::{Certificate, read_certificate};
use tsl_check::contract::{Contract, Role, Signals};
use tsl_check::formula::{Arena, Formula};
use tsl_check::hoa::{Machine, read_hoa};
use tsl_check::machine::{MachineKind, reached};
use tsl_synth_certificates::lasso::{Lasso, holds};
use tsl_synth_certificates::{Limits, NoCertificate, Subject, certificate};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// The limits of all certificates here.
pub(crate) const LIMITS: Limits = Limits { pairs: 5000, steps: 2_000_000 };

pub(crate) fn formula(random: &mut Random, arena: &mut Arena, atoms: usize, size: usize) -> Formula {
    if size <= 1 {
        let atom = random.below(atoms) as u32;
        return arena.literal(atom, random.below(2) == 0);
    }
    let left = 1 + random.below(size - 1);
    let p = formula(random, arena, atoms, left);
    let q = formula(random, arena, atoms, (size - left).max(1));
    let (top, bottom) = (arena.constant(true), arena.constant(false));
    match random.below(10) {
        0 | 1 => arena.and([p, q]),
        2 | 3 => arena.or([p, q]),
        4 => arena.next(p),
        5 => arena.until(top, p),
        6 => arena.release(bottom, p),
        7 => arena.until(p, q),
        8 if random.below(2) == 0 => arena.weak(p, q),
        8 => arena.release(p, q),
        _ => arena.strong(p, q),
    }
}

/// Two inputs and two outputs, or one of each.
pub(crate) fn signals(random: &mut Random) -> Signals {
    let mut signals = Signals::default();
    let two = random.below(3) == 0;
    for (name, is_input) in [("a", true), ("b", true), ("x", false), ("y", false)] {
        if two || matches!(name, "a" | "x") {
            signals.add(name, is_input).expect("different names");
        }
    }
    signals
}

/// A machine in HOA with one edge for each letter of the opponent.
pub(crate) fn hoa(random: &mut Random, signals: &Signals, kind: MachineKind) -> String {
    let states = 1 + random.below(3);
    let names: Vec<String> = signals.atoms().map(|a| format!("\"{}\"", signals.name(a))).collect();
    let is_own = |atom: &u32| kind.owns(signals.is_input(*atom));
    let (own, read): (Vec<u32>, Vec<u32>) = signals.atoms().partition(is_own);
    let controls: String = own.iter().map(|a| format!(" {a}")).collect::<Vec<_>>().concat();
    let mut out = format!(
        "HOA: v1\nStates: {states}\nStart: 0\nAP: {} {}\ncontrollable-AP:{controls}\nAcceptance: 0 t\n--BODY--\n",
        names.len(),
        names.join(" ")
    );
    let letter = |atoms: &[u32], values: usize| -> String {
        let literal = |(i, a): (usize, &u32)| format!("{}{a}", if values >> i & 1 == 1 { "" } else { "!" });
        atoms.iter().enumerate().map(literal).collect::<Vec<_>>().join("&")
    };
    for state in 0..states {
        writeln!(out, "State: {state}").expect("strings take everything");
        let fixed = random.below(1 << own.len());
        for values in 0..1 << read.len() {
            let answer = if kind == MachineKind::Mealy { random.below(1 << own.len()) } else { fixed };
            let next = random.below(states);
            writeln!(out, "[{}&{}] {next}", letter(&read, values), letter(&own, answer)).expect("strings");
        }
    }
    out + "--END--\n"
}

/// A random contract with a random machine.
pub(crate) fn subject(random: &mut Random, arena: &mut Arena) -> Subject {
    let signals = signals(random);
    let is_realizable = random.below(2) == 0;
    let kind = match (is_realizable, random.below(3)) {
        (false, _) => MachineKind::Counter,
        (true, 0) => MachineKind::Moore,
        (true, _) => MachineKind::Mealy,
    };
    let hoa = hoa(random, &signals, kind);
    let machine = read_hoa(&hoa, &signals).expect("the machine is well formed");
    let mut clauses = Vec::new();
    for (role, most) in [(Role::Fact, 1), (Role::Restriction, 1), (Role::Assumption, 2), (Role::Guarantee, 2)]
    {
        let least = usize::from(role == Role::Guarantee);
        for _ in 0..least + random.below(most + 1 - least) {
            let size = 1 + random.below(6);
            clauses.push((role, formula(random, arena, signals.len(), size)));
        }
    }
    let contract = Contract { clauses };
    Subject { name: "random".into(), is_realizable, kind, signals, contract, hoa, machine }
}

/// The letters of a cube over so many atoms.
fn letters(cube: &tsl_check::cube::Cube, atoms: usize) -> Vec<BTreeSet<u32>> {
    let of = |values: usize| (0..atoms as u32).filter(|a| values >> a & 1 == 1).collect::<BTreeSet<u32>>();
    let fits = |letter: &BTreeSet<u32>| cube.literals().iter().all(|&(a, v)| letter.contains(&a) == v);
    (0..1usize << atoms).map(of).filter(fits).collect()
}

/// All plays `u v v ..` of a machine with at most so many letters in u and v together.
pub(crate) fn plays(
    machine: &Machine,
    atoms: usize,
    most: usize,
    found: &mut dyn FnMut(&Lasso) -> bool,
) -> bool {
    type Path = (Vec<usize>, Vec<BTreeSet<u32>>);
    let mut todo: Vec<Path> = vec![(vec![machine.start], Vec::new())];
    while let Some((states, word)) = todo.pop() {
        let last = states[states.len() - 1];
        for (back, &state) in states[..states.len() - 1].iter().enumerate() {
            if state == last && !found(&Lasso { letters: word.clone(), back }) {
                return false;
            }
        }
        if word.len() == most {
            continue;
        }
        for (cube, next) in &machine.edges[last] {
            for letter in letters(cube, atoms) {
                let (mut states, mut word) = (states.clone(), word.clone());
                states.push(*next);
                word.push(letter);
                todo.push((states, word));
            }
        }
    }
    true
}

/// Whether a machine is one for its player, by enumeration of letters.
pub(crate) fn is_well_formed(machine: &Machine, kind: MachineKind, signals: &Signals) -> bool {
    let own: BTreeSet<u32> = signals.atoms().filter(|&a| kind.owns(signals.is_input(a))).collect();
    reached(machine).into_iter().all(|state| {
        let mut answers: BTreeSet<(BTreeSet<u32>, BTreeSet<u32>, usize)> = BTreeSet::new();
        for (cube, next) in &machine.edges[state] {
            for letter in letters(cube, signals.len()) {
                let (mine, read) = letter.into_iter().partition(|a| own.contains(a));
                answers.insert((read, mine, *next));
            }
        }
        let reads: BTreeSet<_> = answers.iter().map(|answer| &answer.0).collect();
        let mine: BTreeSet<_> = answers.iter().map(|answer| &answer.1).collect();
        let opponent = signals.len() - own.len();
        reads.len() == answers.len()
            && reads.len() == 1 << opponent
            && (kind == MachineKind::Mealy || mine.len() == 1)
    })
}

/// Whether short plays agree with the verdict.
pub(crate) fn is_right(
    machine: &Machine,
    kind: MachineKind,
    (signals, contract): (&Signals, &Contract),
    arena: &mut Arena,
) -> bool {
    let whole = contract.formula(arena);
    let wanted = kind != MachineKind::Counter;
    let most = if signals.len() == 2 { 7 } else { 4 };
    is_well_formed(machine, kind, signals)
        && plays(machine, signals.len(), most, &mut |word| holds(arena, whole, word) == wanted)
}

/// The judgment of the verdict of a certificate.
pub(crate) fn is_right_of(certificate: &Certificate, arena: &mut Arena) -> bool {
    let Certificate { machine, kind, signals, contract, is_realizable, .. } = certificate;
    *is_realizable == (*kind != MachineKind::Counter) && is_right(machine, *kind, (signals, contract), arena)
}

/// A random subject whose verdict is right, with its certificate.
pub(crate) fn certified(random: &mut Random) -> (String, Subject) {
    loop {
        let mut arena = Arena::new();
        let subject = subject(random, &mut arena);
        match certificate(&subject, &mut arena, LIMITS) {
            Ok(text) => return (text, subject),
            Err(NoCertificate::False(_) | NoCertificate::TooLarge(_)) => {}
        }
    }
}

/// Whether a text is accepted, and the certificate if it is one.
pub(crate) fn judged(text: &str, arena: &mut Arena) -> Option<(Certificate, bool)> {
    let certificate = read_certificate(text, arena).ok()?;
    let machine = certificate.machine.clone();
    let accepted = tsl_check::check::check(&certificate, &machine, arena).is_ok();
    Some((certificate, accepted))
}
