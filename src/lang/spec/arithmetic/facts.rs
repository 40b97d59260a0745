//! Facts about comparisons of numbers: which truth values exclude each other in one step, in the first step, and before
//! and after updates. Each is a set of literals that no numbers allow; sets with a smaller such set are left out.

use super::abstraction::{NumberAtom, NumberCell, Numbers, require};
use tsl_synth_arithmetic::{LinearAnswer, LinearModel, decide, satisfies};
use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, LinearSystem, Sum};

/// The largest number of choices of updates for which a comparison in the next step is related to this step.
const CHOICES: usize = 64;
/// The largest number of systems that are decided.
const SYSTEMS: usize = 20_000;
/// The largest number of atoms of which three are taken together.
const TRIPLES: usize = 12;
/// How many solutions are kept to see without a decision that a system has one.
const MODELS: usize = 64;

/// Literals that exclude each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Forbidden {
    /// Whether this holds in the first step only.
    pub(crate) from_start: bool,
    /// Updates that are made in some steps.
    pub(crate) updates: Vec<(u32, AtomId)>,
    /// Truth values of comparisons, and of atoms that tell values of inputs, in some steps.
    pub(crate) literals: Vec<(u32, AtomId, bool)>,
}

impl Forbidden {
    /// The formula that says so.
    pub(crate) fn formula(&self, formulas: &mut Formulas) -> FormulaId {
        let mut premises = Vec::new();
        for &(step, atom) in &self.updates {
            let now = formulas.atom(atom);
            premises.push(formulas.next_n(step, now));
        }
        for &(step, atom, truth) in &self.literals {
            let now = formulas.atom(atom);
            let now = if truth { now } else { formulas.not(now) };
            premises.push(formulas.next_n(step, now));
        }
        let all = formulas.and(premises);
        let never = formulas.not(all);
        if self.from_start { never } else { formulas.globally(never) }
    }
}

/// One possible literal: the sum of an atom, and its truth value.
#[derive(Clone)]
struct Candidate {
    step: u32,
    atom: AtomId,
    sum: Sum,
    equal: bool,
    truth: bool,
}

struct Finder<'a> {
    numbers: &'a Numbers,
    left: usize,
    models: Vec<LinearModel>,
}

impl Finder<'_> {
    fn impossible(&mut self, literals: &[&Candidate]) -> bool {
        let mut system = LinearSystem::default();
        for literal in literals {
            require(&mut system, literal.sum.clone(), literal.equal, literal.truth);
        }
        self.numbers.bound(&mut system);
        if self.left == 0 || self.models.iter().any(|model| satisfies(&system, model)) {
            return false;
        }
        self.left -= 1;
        match decide(&system) {
            LinearAnswer::Impossible(_) => true,
            LinearAnswer::Possible(model) => {
                if self.models.len() < MODELS {
                    self.models.push(model);
                }
                false
            }
            LinearAnswer::Unknown => false,
        }
    }

    /// The smallest sets of at most `size` literals that are impossible together with `given`.
    fn smallest(&mut self, literals: &[Candidate], given: &[&Candidate], size: usize) -> Vec<Vec<usize>> {
        let mut found: Vec<Vec<usize>> = Vec::new();
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for round in 0..=size {
            let mut next = Vec::new();
            for set in sets {
                let last = set.last().map_or(0, |&last| last + 1);
                let all: Vec<&Candidate> =
                    set.iter().map(|&i| &literals[i]).chain(given.iter().copied()).collect();
                if round > 0 || !given.is_empty() {
                    let covered = |small: &Vec<usize>| small.iter().all(|i| set.contains(i));
                    if found.iter().any(covered) {
                        continue;
                    }
                    if is_connected(&all) && self.impossible(&all) {
                        found.push(set);
                        continue;
                    }
                }
                for i in last..literals.len() {
                    if set.iter().all(|&j| literals[j].atom != literals[i].atom) {
                        next.push([&set[..], &[i]].concat());
                    }
                }
            }
            sets = next;
        }
        found
    }
}

/// Whether the literals are connected by variables that they share.
fn is_connected(literals: &[&Candidate]) -> bool {
    let mut rest: Vec<&Candidate> = literals.to_vec();
    let Some(first) = rest.pop() else { return false };
    let mut variables: Vec<u32> = first.sum.terms().map(|(variable, _)| variable).collect();
    while !rest.is_empty() {
        let shares = |literal: &&Candidate| literal.sum.terms().any(|(v, _)| variables.contains(&v));
        let Some(at) = rest.iter().position(shares) else { return false };
        variables.extend(rest.swap_remove(at).sum.terms().map(|(variable, _)| variable));
    }
    true
}

/// All facts about one step, the first step, and two steps, in order.
pub(crate) fn facts(numbers: &Numbers) -> Vec<Forbidden> {
    let mut finder = Finder { numbers, left: SYSTEMS, models: Vec::new() };
    let now = candidates(&numbers.atoms, 0, |sum| Some(sum.clone()));
    let size = if numbers.atoms.len() <= TRIPLES { 3 } else { 2 };
    let mut all = Vec::new();
    let mut within: Vec<Vec<usize>> = finder.smallest(&now, &[], size);
    all.extend(within.iter().map(|set| forbidden(&now, set, None, &[], false)));
    // The first step: initial values in place of cells.
    let start = candidates(&numbers.atoms, 0, |sum| {
        sum.substituted(|v| match numbers.cell(v).and_then(|cell| cell.initial) {
            Some(value) => Some(Sum::constant(value)),
            None => Some(Sum::variable(v)),
        })
    });
    let known = std::mem::take(&mut within);
    for set in finder.smallest(&start, &[], 2) {
        if !known.iter().any(|small| small.iter().all(|i| set.contains(i))) {
            all.push(forbidden(&start, &set, None, &[], true));
        }
    }
    for atom in &numbers.atoms {
        for choice in choices(numbers, atom) {
            transition(&mut finder, &now, atom, &choice, &known, &mut all);
        }
    }
    all
}

/// Both literals of each atom, with its sum mapped.
fn candidates(atoms: &[NumberAtom], step: u32, image: impl Fn(&Sum) -> Option<Sum>) -> Vec<Candidate> {
    let mut all = Vec::new();
    for NumberAtom { atom, comparison } in atoms {
        let Some(sum) = image(&comparison.sum) else { continue };
        for truth in [true, false] {
            all.push(Candidate { step, atom: *atom, sum: sum.clone(), equal: comparison.equal, truth });
        }
    }
    all
}

fn forbidden(
    literals: &[Candidate],
    set: &[usize],
    next: Option<&Candidate>,
    updates: &[AtomId],
    from_start: bool,
) -> Forbidden {
    let chosen = set.iter().map(|&i| &literals[i]).chain(next);
    Forbidden {
        from_start,
        updates: updates.iter().map(|&atom| (0, atom)).collect(),
        literals: chosen.map(|literal| (literal.step, literal.atom, literal.truth)).collect(),
    }
}

/// An update of each cell that a comparison reads, with its new value.
type Choice<'a> = Vec<(&'a NumberCell, AtomId, &'a Sum)>;

/// All choices of linear updates for the cells of a comparison; none if there are too many.
fn choices<'a>(numbers: &'a Numbers, atom: &NumberAtom) -> Vec<Choice<'a>> {
    let cells: Vec<&NumberCell> =
        atom.comparison.sum.terms().filter_map(|(variable, _)| numbers.cell(variable)).collect();
    if cells.is_empty() {
        return Vec::new();
    }
    let mut all: Vec<Choice<'a>> = vec![Vec::new()];
    for cell in cells {
        let options = cell.options.iter().filter_map(|(atom, sum)| Some((*atom, sum.as_ref()?)));
        let options: Vec<(AtomId, &Sum)> = options.collect();
        if all.len() * options.len() > CHOICES {
            return Vec::new();
        }
        let extend = |choice: &Choice<'a>| -> Vec<Choice<'a>> {
            let with = |&(atom, sum): &(AtomId, &'a Sum)| [&choice[..], &[(cell, atom, sum)]].concat();
            options.iter().map(with).collect()
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}

/// The sum of a comparison after updates, over the cells before them; inputs are those of the next step.
fn after(numbers: &Numbers, sum: &Sum, choice: &[(&NumberCell, AtomId, &Sum)]) -> Option<Sum> {
    sum.substituted(|v| match choice.iter().find(|(cell, ..)| cell.variable() == v) {
        Some((_, _, new)) => Some((*new).clone()),
        None => Some(Sum::variable(numbers.timed(v, 1))),
    })
}

/// Facts about a comparison after updates and comparisons before them.
fn transition(
    finder: &mut Finder<'_>,
    now: &[Candidate],
    atom: &NumberAtom,
    choice: &Choice<'_>,
    known: &[Vec<usize>],
    all: &mut Vec<Forbidden>,
) {
    let Some(sum) = after(finder.numbers, &atom.comparison.sum, choice) else { return };
    let updates: Vec<AtomId> = choice.iter().map(|(_, update, _)| *update).collect();
    let next =
        |truth| Candidate { step: 1, atom: atom.atom, sum: sum.clone(), equal: atom.comparison.equal, truth };
    let next = [next(true), next(false)];
    for later in &next {
        for set in finder.smallest(now, &[later], 2) {
            if !known.iter().any(|small| small.iter().all(|i| set.contains(i))) {
                all.push(forbidden(now, &set, Some(later), &updates, false));
            }
        }
    }
}
