//! Two specifications over one alphabet, for comparison. Atoms are matched by name; an atom of only one specification
//! is unconstrained by the other. Each specification denotes a set of infinite words: those that satisfy the semantic
//! constraints on its atoms and the contract (the guarantees, if the assumptions hold).

use super::problem::{ClauseId, Constraint, Problem};
use rustc_hash::{FxHashMap, FxHashSet};
use std::convert::Infallible;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, FormulaId, Formulas};
use tsl_synth_core::model::Role;

/// A formula, with the clause that it comes from if there is one.
pub type TracedFormula = (FormulaId, Option<ClauseId>);

/// The requirements of one specification: all of `always`, and all `guarantees` if all `assumptions` hold.
#[derive(Clone, Debug, Default)]
pub struct JointSide {
    /// Unconditional requirements: restrictions, facts about atoms that occur in both specifications, and that each
    /// cell gets one of the updates of this specification.
    pub always: Vec<TracedFormula>,
    /// The assumptions.
    pub assumptions: Vec<FormulaId>,
    /// The guarantees.
    pub guarantees: Vec<TracedFormula>,
}

/// Two specifications over the atoms of both.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// All formulas.
    pub formulas: Formulas,
    /// The atoms of both.
    pub alphabet: Alphabet,
    /// The atoms to show to users: all but those that encode past operators, which come last in `alphabet`.
    pub shown: Vec<AtomId>,
    /// Semantic constraints on atoms that occur in only one specification, including the encoding of past operators.
    pub facts: Vec<FormulaId>,
    /// The requirements of the left and the right specification.
    pub sides: [JointSide; 2],
    /// For each specification, the names of the shown atoms that occur only in it.
    pub alone: [Vec<String>; 2],
}

/// Joins two specifications.
///
/// # Errors
/// A name that is an input of one and an output of the other, or an update of one and a plain output of the other.
pub fn join(left: &Problem, right: &Problem) -> Result<JointSpec, String> {
    let problems = [left, right];
    let (alphabet, atoms, hidden) = alphabet(problems)?;
    let mut formulas = Formulas::new();
    let known: [FxHashSet<AtomId>; 2] = atoms.each_ref().map(|atoms| atoms.iter().copied().collect());
    let mut joint = JointSpec {
        shown: alphabet.atoms().ids().filter(|atom| !hidden.contains(atom)).collect(),
        facts: Vec::new(),
        sides: Default::default(),
        alone: Default::default(),
        formulas: Formulas::new(),
        alphabet,
    };
    for (i, problem) in problems.into_iter().enumerate() {
        let other = &known[1 - i];
        let mut side = JointSide::default();
        for (id, clause) in problem.clauses.enumerate() {
            let formula = formulas
                .import(&problem.formulas, clause.formula, |formulas, atom| {
                    Ok::<_, Infallible>(formulas.atom(atoms[i][atom.index()]))
                })
                .unwrap_or_else(|never| match never {});
            let remembers = clause.constraint == Some(Constraint::Interpretation)
                && formulas.support(&[formula]).iter().any(|atom| hidden.contains(&atom));
            let foreign = || formulas.support(&[formula]).iter().any(|atom| !other.contains(&atom));
            match clause.role {
                Role::Fact if foreign() => joint.facts.push(formula),
                Role::Restriction if remembers => joint.facts.push(formula),
                Role::Fact | Role::Restriction => side.always.push((formula, Some(id))),
                Role::Assumption => side.assumptions.push(formula),
                Role::Guarantee => side.guarantees.push((formula, Some(id))),
            }
        }
        for cell in joint.alphabet.cells() {
            let own: Vec<AtomId> = cell.options.iter().copied().filter(|a| known[i].contains(a)).collect();
            if !own.is_empty() && own.len() < cell.options.len() {
                let options: Vec<FormulaId> = own.iter().map(|&atom| formulas.atom(atom)).collect();
                let some = formulas.or(options);
                side.always.push((formulas.globally(some), None));
            }
        }
        let alone = joint.shown.iter().filter(|atom| known[i].contains(atom) && !other.contains(atom));
        joint.alone[i] = alone.map(|&atom| joint.alphabet.atoms()[atom].name.clone()).collect();
        joint.sides[i] = side;
    }
    joint.formulas = formulas;
    Ok(joint)
}

/// The kind of an atom in the joint alphabet; an update is identified by its cell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum AtomKindPair {
    Input,
    Output,
    Update(String),
}

/// The joint alphabet, the joint atom of every atom of each problem, and the joint atoms that encode past operators.
#[expect(clippy::type_complexity, reason = "three results of one pass")]
fn alphabet(problems: [&Problem; 2]) -> Result<(Alphabet, [Vec<AtomId>; 2], FxHashSet<AtomId>), String> {
    let mut kinds: FxHashMap<String, AtomKindPair> = FxHashMap::default();
    let mut order: Vec<(String, AtomKindPair, bool)> = Vec::new();
    let mut names: [Vec<String>; 2] = Default::default();
    for (i, problem) in problems.into_iter().enumerate() {
        for (id, atom) in problem.alphabet.atoms().enumerate() {
            let hidden = problem.is_hidden(id);
            let cell = |cell| problem.alphabet.cells()[cell].name.clone();
            let (mut name, mut kind) = match atom.kind {
                AtomKind::Input(_) => (atom.name.clone(), AtomKindPair::Input),
                AtomKind::Output(_) => (atom.name.clone(), AtomKindPair::Output),
                AtomKind::Update(of, _) => (atom.name.clone(), AtomKindPair::Update(cell(of))),
            };
            if hidden {
                // The encoding of past operators is never shared between specifications.
                let side = ["left", "right"][i];
                name = format!("{name} ({side})");
                if let AtomKindPair::Update(cell) = &mut kind {
                    *cell = format!("{cell} ({side})");
                }
            }
            match kinds.get(&name) {
                None => {
                    kinds.insert(name.clone(), kind.clone());
                    order.push((name.clone(), kind, hidden));
                }
                Some(known) if *known == kind => {}
                Some(AtomKindPair::Input) => {
                    return Err(format!("`{name}` is an input of the one and an output of the other"));
                }
                Some(_) if kind == AtomKindPair::Input => {
                    return Err(format!("`{name}` is an output of the one and an input of the other"));
                }
                Some(_) => {
                    return Err(format!("`{name}` is an update of the one and a plain output of the other"));
                }
            }
            names[i].push(name);
        }
    }
    let mut alphabet = Alphabet::new();
    let mut atoms: FxHashMap<&str, AtomId> = FxHashMap::default();
    let mut hidden_atoms = FxHashSet::default();
    for hidden in [false, true] {
        let part = || order.iter().filter(move |(.., h)| *h == hidden);
        for (name, ..) in part().filter(|(_, kind, _)| *kind == AtomKindPair::Input) {
            atoms.insert(name, alphabet.add_input(name.clone()));
        }
        for (name, ..) in part().filter(|(_, kind, _)| *kind == AtomKindPair::Output) {
            atoms.insert(name, alphabet.add_output(name.clone()));
        }
        let mut done: Vec<&str> = Vec::new();
        for (_, kind, _) in part() {
            let AtomKindPair::Update(cell) = kind else { continue };
            if done.contains(&cell.as_str()) {
                continue;
            }
            done.push(cell);
            let options: Vec<&String> =
                part().filter(|(_, other, _)| other == kind).map(|(name, ..)| name).collect();
            let made = alphabet.add_cell(cell.clone(), options.iter().map(|name| (*name).clone()));
            for (name, &atom) in options.into_iter().zip(&alphabet.cells()[made].options.clone()) {
                atoms.insert(name, atom);
            }
        }
        if hidden {
            hidden_atoms.extend(part().map(|(name, ..)| atoms[name.as_str()]));
        }
    }
    let of = |names: &Vec<String>| names.iter().map(|name| atoms[name.as_str()]).collect();
    let both = [of(&names[0]), of(&names[1])];
    Ok((alphabet, both, hidden_atoms))
}
