//! Writes certificates in the format of `tsl_check::certificate`. What is written here is checked by `tsl-check`, which
//! trusts none of it.

#![forbid(unsafe_code)]

pub mod lasso;

mod product;
mod text;

pub use product::Limits;

use lasso::holds;
use product::{Shown, explore};
use tsl_check::certificate::Goal;
use tsl_check::check::{conjuncts, describe, needed};
use tsl_check::contract::{Contract, Role, Signals};
use tsl_check::formula::{Arena, Formula};
use tsl_check::hoa::Machine;
use tsl_check::machine::MachineKind;

/// What a certificate is about.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The name of the specification.
    pub name: String,
    /// The verdict.
    pub is_realizable: bool,
    /// The kind of the machine.
    pub kind: MachineKind,
    /// Inputs, outputs and cells.
    pub signals: Signals,
    /// The clauses, about the plays of the machine.
    pub contract: Contract,
    /// The machine in HOA.
    pub hoa: String,
    /// The same.
    pub machine: Machine,
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCertificate {
    /// A limit was reached.
    TooLarge(String),
    /// A claim does not hold: the machine is not what the verdict says.
    False(String),
}

/// A claim with its proof.
pub(crate) struct Proved {
    pub(crate) goal: Goal,
    pub(crate) given: Vec<(Role, usize)>,
    pub(crate) rows: Vec<product::Ranked>,
}

/// The certificate of a verdict.
///
/// # Errors
/// A limit was reached, or a claim does not hold.
pub fn certificate(subject: &Subject, arena: &mut Arena, limits: Limits) -> Result<String, NoCertificate> {
    let mut limits = limits;
    let mut proved = Vec::new();
    for goal in needed(&subject.contract, subject.is_realizable) {
        proved.push(prove(subject, arena, goal, &mut limits)?);
    }
    Ok(text::write(subject, arena, &proved))
}

/// Proves a claim with as few of the given clauses as plays against it ask for.
fn prove(
    subject: &Subject,
    arena: &mut Arena,
    goal: Goal,
    limits: &mut Limits,
) -> Result<Proved, NoCertificate> {
    let large = |why: String| NoCertificate::TooLarge(format!("claim `{}`: {why}", describe(goal)));
    let mut open = candidates(&subject.contract, subject.is_realizable, goal);
    let mut given = Vec::new();
    loop {
        let start =
            conjuncts(arena, &subject.contract, subject.is_realizable, goal, &given).map_err(large)?;
        let play = match explore(arena, &subject.machine, &start, limits).map_err(large)? {
            Shown::NoPlay(rows) => return Ok(Proved { goal, given, rows }),
            Shown::Play(play) => play,
        };
        let word = play.word(&subject.machine);
        let breaks = |f: Formula| !holds(arena, f, &word);
        if open.is_empty() {
            return Err(NoCertificate::False(describe(goal)));
        }
        let broken = open.iter().position(|&(_, f)| breaks(f));
        match broken {
            Some(at) => given.push(open.remove(at).0),
            // The play satisfies them all; whether the claim is false, the search with all of them says.
            None => given.extend(open.drain(..).map(|clause| clause.0)),
        }
    }
}

/// The clauses that may be given for a claim.
fn candidates(contract: &Contract, is_realizable: bool, goal: Goal) -> Vec<((Role, usize), Formula)> {
    let roles: &[Role] = match (goal, is_realizable) {
        (Goal::Clause(Role::Restriction, _), _) => &[Role::Fact],
        (Goal::Clause(Role::Guarantee, _), _) => &[Role::Fact, Role::Assumption],
        (Goal::Clause(Role::Assumption, _), _) => &[Role::Restriction],
        (Goal::Guarantees, _) => &[Role::Restriction, Role::Guarantee],
        (Goal::Clause(Role::Fact, _), _) => &[],
    };
    let of = |&role: &Role| contract.of(role).into_iter().enumerate().map(move |(i, f)| ((role, i), f));
    roles.iter().flat_map(of).collect()
}
