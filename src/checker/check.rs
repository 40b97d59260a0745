//! The check of a certificate; see the head of the crate for why it is sound.

use crate::certificate::{Certificate, Claim, Goal, Row};
use crate::contract::{Contract, Role, Signals};
use crate::cube::Cube;
use crate::formula::{Arena, Formula};
use crate::hoa::{Machine, State};
use crate::machine::{MachineKind, check_machine};
use crate::tableau::expand;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Steps of all expansions together.
const MOST_STEPS: u64 = 2_000_000_000;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The line of the certificate at fault, if one is.
    pub line: Option<usize>,
    /// The claim, in words, if one is at fault.
    pub claim: Option<String>,
    /// Why.
    pub why: String,
}

/// What was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Claims.
    pub claims: usize,
    /// Rows of all claims.
    pub rows: usize,
}

/// A claim in words.
pub fn describe(goal: Goal) -> String {
    match goal {
        Goal::Clause(role, index) => format!("{} {}", role.word(), index + 1),
        Goal::Guarantees => "guarantees".into(),
    }
}

/// The roles of the clauses that may be given for a claim of a verdict; `None` if the claim is none of this verdict.
fn allowed(goal: Goal, is_realizable: bool) -> Option<&'static [Role]> {
    Some(match (goal, is_realizable) {
        (Goal::Clause(Role::Restriction, _), true) => &[Role::Fact],
        (Goal::Clause(Role::Guarantee, _), true) => &[Role::Fact, Role::Assumption],
        (Goal::Clause(Role::Fact, _), false) => &[],
        (Goal::Clause(Role::Assumption, _), false) => &[Role::Restriction],
        (Goal::Guarantees, false) => &[Role::Restriction, Role::Guarantee],
        _ => return None,
    })
}

/// The claims that together are a verdict about a contract.
pub fn needed(contract: &Contract, is_realizable: bool) -> Vec<Goal> {
    let of = |role: Role| (0..contract.of(role).len()).map(move |i| Goal::Clause(role, i));
    if is_realizable {
        return of(Role::Restriction).chain(of(Role::Guarantee)).collect();
    }
    of(Role::Fact).chain(of(Role::Assumption)).chain([Goal::Guarantees]).collect()
}

/// The formulas that no play satisfies, if a claim holds; sorted.
///
/// # Errors
/// A clause that is given is not one that may be.
pub fn conjuncts(
    arena: &mut Arena,
    contract: &Contract,
    is_realizable: bool,
    goal: Goal,
    given: &[(Role, usize)],
) -> Result<Vec<Formula>, String> {
    let Some(allowed) = allowed(goal, is_realizable) else {
        return Err("this claim is no part of the verdict".into());
    };
    let mut all = Vec::new();
    for &(role, index) in given {
        if !allowed.contains(&role) {
            return Err(format!("no {} may be given for it", role.word()));
        }
        let clause = *contract.of(role).get(index).ok_or("a clause that is given does not exist")?;
        all.extend(arena.conjuncts(clause));
    }
    if let Goal::Clause(role, index) = goal {
        let clause = *contract.of(role).get(index).ok_or("its clause does not exist")?;
        let broken = arena.not(clause);
        all.extend(arena.conjuncts(broken));
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Checks a certificate about a machine, which may be the one inside.
///
/// # Errors
/// What is wrong first.
pub fn check(certificate: &Certificate, machine: &Machine, arena: &mut Arena) -> Result<Checked, Refused> {
    let whole = |why: String| Refused { line: None, claim: None, why };
    if certificate.is_realizable == (certificate.kind == MachineKind::Counter) {
        return Err(whole("the verdict needs a machine of the other player".into()));
    }
    check_machine(machine, certificate.kind, &certificate.signals)
        .map_err(|why| whole(format!("the machine: {why}")))?;
    let mut checked = Checked::default();
    let mut steps = MOST_STEPS;
    for goal in needed(&certificate.contract, certificate.is_realizable) {
        let missing =
            || Refused { line: None, claim: Some(describe(goal)), why: "the claim is missing".into() };
        let claim = certificate.claims.iter().find(|claim| claim.goal == goal).ok_or_else(missing)?;
        let refuse =
            |(line, why): (usize, String)| Refused { line: Some(line), claim: Some(describe(goal)), why };
        let Certificate { contract, is_realizable, .. } = certificate;
        let start = conjuncts(arena, contract, *is_realizable, goal, &claim.given)
            .map_err(|why| refuse((claim.line, why)))?;
        check_claim(arena, machine, claim, &start, &mut steps).map_err(refuse)?;
        checked.claims += 1;
        checked.rows += claim.rows.len();
    }
    Ok(checked)
}

/// The edges of the states of a machine with labels restricted to some atoms, each once.
#[derive(Debug)]
pub struct EdgesOver<'a> {
    machine: &'a Machine,
    atoms: BTreeSet<u32>,
    of_state: HashMap<State, Rc<BTreeSet<(Cube, State)>>>,
}

impl<'a> EdgesOver<'a> {
    /// Over these atoms.
    pub fn new(machine: &'a Machine, atoms: BTreeSet<u32>) -> Self {
        Self { machine, atoms, of_state: HashMap::new() }
    }

    /// The edges of a state. Computing them takes a step for each literal.
    ///
    /// # Errors
    /// No steps are left.
    pub fn of(&mut self, state: State, steps: &mut u64) -> Result<Rc<BTreeSet<(Cube, State)>>, String> {
        if let Some(known) = self.of_state.get(&state) {
            return Ok(known.clone());
        }
        let edges = &self.machine.edges[state];
        let cost: usize = edges.iter().map(|edge| 1 + edge.0.literals().len()).sum();
        *steps = steps.checked_sub(cost as u64).ok_or("the labels of the machine are too many")?;
        let over = edges.iter().map(|(cube, next)| (cube.of(&|atom| self.atoms.contains(&atom)), *next));
        let found = Rc::new(over.collect::<BTreeSet<_>>());
        self.of_state.insert(state, found.clone());
        Ok(found)
    }
}

/// Checks that no play satisfies all of `start`.
fn check_claim(
    arena: &Arena,
    machine: &Machine,
    claim: &Claim,
    start: &[Formula],
    steps: &mut u64,
) -> Result<(), (usize, String)> {
    let rows = &claim.rows;
    let Some(first) = rows.first() else { return Err((claim.line, "its table has no rows".into())) };
    if first.state != machine.start || first.formulas.iter().any(|f| start.binary_search(f).is_err()) {
        return Err((first.line, "the first row is not that of the start".into()));
    }
    let (mut index, mut of_state) = (HashMap::new(), BTreeMap::<State, Vec<usize>>::new());
    for (i, row) in rows.iter().enumerate() {
        if row.state >= machine.edges.len() {
            return Err((row.line, format!("there is no state {}", row.state)));
        }
        if index.insert((row.state, &row.formulas[..]), i).is_some() {
            return Err((row.line, "the same pair stands there twice".into()));
        }
        of_state.entry(row.state).or_default().push(i);
    }
    let mut edges = EdgesOver::new(machine, arena.atoms(start));
    let mut always: HashMap<u64, BTreeSet<Formula>> = HashMap::new();
    for row in rows {
        let large = |why: String| (row.line, format!("too large: {why}"));
        let edges = edges.of(row.state, steps).map_err(large)?;
        for &(ref cube, target) in edges.iter() {
            let branches = expand(arena, &row.formulas, cube, steps).map_err(large)?;
            for branch in branches {
                let same = index.get(&(target, &branch.next[..])).copied();
                let found = same.or_else(|| smallest(rows, of_state.get(&target), &branch.next));
                let Some(next) = found.map(|i| &rows[i]) else {
                    return Err((row.line, format!("an edge to state {target} leads to no row")));
                };
                if next.rank > row.rank {
                    let why = format!("an edge leads to the row of line {} with a larger rank", next.line);
                    return Err((row.line, why));
                }
                if next.rank == row.rank {
                    let postponed: BTreeSet<Formula> = branch.postponed.into_iter().collect();
                    let common = always.entry(row.rank).or_insert_with(|| postponed.clone());
                    common.retain(|f| postponed.contains(f));
                    if common.is_empty() {
                        let why =
                            format!("the edges of rank {} postpone no common strong fixpoint", row.rank);
                        return Err((row.line, why));
                    }
                }
            }
        }
    }
    Ok(())
}

/// The row of least rank whose formulas are some of these.
fn smallest(rows: &[Row], of_state: Option<&Vec<usize>>, formulas: &[Formula]) -> Option<usize> {
    let is_subset = |i: &usize| rows[*i].formulas.iter().all(|f| formulas.binary_search(f).is_ok());
    of_state?.iter().copied().filter(is_subset).min_by_key(|&i| rows[i].rank)
}

/// How the contract of a certificate differs from that of a specification; `None` if they are equal. Signals are compared
/// as sets, and the contracts as one formula in normal form each, over the signals of the certificate.
pub fn difference(
    arena: &mut Arena,
    certificate: &Certificate,
    signals: &Signals,
    contract: &Contract,
) -> Option<String> {
    for is_input in [true, false] {
        let (own, read) = (certificate.signals.sorted(is_input), signals.sorted(is_input));
        if own != read {
            let kind = if is_input { "inputs" } else { "outputs" };
            return Some(format!(
                "the {kind} of the certificate are {own:?}, those of the specification {read:?}"
            ));
        }
    }
    if !certificate.signals.cells.is_empty() {
        return Some("the certificate declares cells".into());
    }
    let formula = contract.formula(arena);
    let own = certificate.contract.formula(arena);
    (formula != own).then(|| "the clauses are not those of the specification".into())
}
