//! What remains of a safety formula after some letters: formula progression (Bacchus and Kabanza, "Using temporal
//! logics to express search control knowledge for planning", AIJ 2000; the `after` function of Esparza, Křetínský and
//! Sickert, "From LTL to deterministic automata", FMSD 2016) computed with the expansions of the tableau, all branches
//! at once.
//!
//! A residual is a disjunction of parts: a word satisfies a part iff its first letter is among the part's letters and
//! it satisfies the part's obligations. A safety formula holds on a word iff no residual along it is
//! [`ResidualId::DEAD`], and its negation, a co-safety formula, iff some is. Residuals are deterministic, whereas a run
//! of the tableau chooses branches. A part whose obligations include those of another part is dropped for the letters
//! that both allow. Exponentially many residuals in the worst case.

use super::normal::{Normal, NormalForms, NormalId};
use super::tableau::{LetterChoice, Obligations, expand};
use crate::tuning::{MAX_PARTS, WHOLE_WORK};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tsl_synth_core::base::{Budget, IdVec, Limit, LimitKind};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{Guard, Guards};

define_id! {
    /// A residual of a store.
    pub(crate) struct ResidualId;
}

impl ResidualId {
    /// The residual that no word satisfies.
    pub(crate) const DEAD: Self = Self(0);
    /// The residual that every word satisfies.
    pub(crate) const FREE: Self = Self(1);
}

/// A part of a residual: obligations other than sets of letters, and the allowed first letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Residual {
    obligations: Obligations,
    letters: Guard,
}

/// A store of residuals.
#[derive(Debug)]
pub(crate) struct Residuals {
    parts: IdVec<ResidualId, Vec<Residual>>,
    index: FxHashMap<Vec<Residual>, ResidualId>,
    steps: FxHashMap<(ResidualId, Guard), Vec<ResidualStep>>,
    /// The steps on all letters; `None` if computing them took too much work.
    whole: FxHashMap<ResidualId, Option<Vec<ResidualStep>>>,
}

/// Letters, and the residual after each of them.
type ResidualStep = (Guard, ResidualId);

impl Default for Residuals {
    fn default() -> Self {
        let mut this = Self {
            parts: IdVec::new(),
            index: FxHashMap::default(),
            steps: FxHashMap::default(),
            whole: FxHashMap::default(),
        };
        this.intern(Vec::new());
        this.intern(vec![Residual { obligations: Obligations::new(), letters: Guard::TRUE }]);
        this
    }
}

impl Residuals {
    fn intern(&mut self, parts: Vec<Residual>) -> ResidualId {
        if let Some(&id) = self.index.get(&parts) {
            return id;
        }
        let id = self.parts.push(parts.clone());
        self.index.insert(parts, id);
        id
    }

    /// The residual of some formulas before any letter. None of them may have a strong fixpoint.
    pub(crate) fn of(&mut self, forms: &NormalForms, guards: &mut Guards, roots: &[NormalId]) -> ResidualId {
        let mut letters = Guard::TRUE;
        let obligations = without_letters(roots.iter().copied(), forms, guards, &mut letters);
        if letters == Guard::FALSE {
            return ResidualId::DEAD;
        }
        self.intern(vec![Residual { obligations, letters }])
    }

    /// The residuals after the letters of a set, each with the class of letters that lead to it.
    pub(crate) fn after(
        &mut self,
        (residual, letters): (ResidualId, Guard),
        forms: &NormalForms,
        guards: &mut Guards,
        budget: &Budget,
    ) -> Result<Vec<ResidualStep>, Limit> {
        if residual == ResidualId::DEAD || residual == ResidualId::FREE {
            return Ok(vec![(letters, residual)]);
        }
        if !self.whole.contains_key(&residual) {
            let little = budget.child(WHOLE_WORK.min(budget.left()));
            let steps = self.expanded((residual, Guard::TRUE), forms, guards, &little);
            budget.tick(little.work(), what)?;
            self.whole.insert(residual, steps.ok());
        }
        if let Some(Some(steps)) = self.whole.get(&residual) {
            return Ok(within(steps, letters, guards));
        }
        if let Some(known) = self.steps.get(&(residual, letters)) {
            return Ok(known.clone());
        }
        let steps = self.expanded((residual, letters), forms, guards, budget)?;
        self.steps.insert((residual, letters), steps.clone());
        Ok(steps)
    }

    fn expanded(
        &mut self,
        (residual, letters): (ResidualId, Guard),
        forms: &NormalForms,
        guards: &mut Guards,
        budget: &Budget,
    ) -> Result<Vec<ResidualStep>, Limit> {
        let mut classes: Vec<(Guard, Vec<Residual>)> = vec![(letters, Vec::new())];
        for part in self.parts[residual].clone() {
            let here = guards.and(letters, part.letters);
            if here == Guard::FALSE {
                continue;
            }
            for branch in expand(forms, guards, &part.obligations, here, LetterChoice::EachLetter, budget)? {
                if !branch.postponed.is_empty() {
                    return Err(Limit::new(
                        LimitKind::Size,
                        "certificate: a formula is not a safety formula",
                    ));
                }
                let mut letters = Guard::TRUE;
                let obligations = without_letters(branch.next.iter(), forms, guards, &mut letters);
                if letters != Guard::FALSE {
                    classes = split(classes, branch.letters, &Residual { obligations, letters }, guards);
                }
                budget.tick(classes.len() as u64, what)?;
            }
        }
        let mut merged: BTreeMap<ResidualId, Guard> = BTreeMap::new();
        for (letters, parts) in classes {
            budget.tick(1 + (parts.len() * parts.len() / 8) as u64, what)?;
            let residual = self.intern(weakest(parts, guards));
            if self.parts[residual].len() > MAX_PARTS {
                return Err(Limit::new(LimitKind::Size, what()));
            }
            let all = merged.entry(residual).or_insert(Guard::FALSE);
            *all = guards.or(*all, letters);
        }
        Ok(merged.into_iter().map(|(residual, letters)| (letters, residual)).collect())
    }
}

/// The steps restricted to some letters.
fn within(steps: &[ResidualStep], letters: Guard, guards: &mut Guards) -> Vec<ResidualStep> {
    // Most often they are all in one class.
    let Some(some) = guards.pick(letters) else { return Vec::new() };
    if let Some(&(all, left)) = steps.iter().find(|(class, _)| guards.contains(*class, &some))
        && guards.implies(letters, all)
    {
        return vec![(letters, left)];
    }
    let mut inside = Vec::new();
    for &(class, left) in steps {
        let class = guards.and(class, letters);
        if class != Guard::FALSE {
            inside.push((class, left));
        }
    }
    inside
}

fn what() -> String {
    "certificate: the residuals of a formula".into()
}

/// The obligations other than sets of letters; `letters` is intersected with these sets.
pub(crate) fn without_letters(
    obligations: impl Iterator<Item = NormalId>,
    forms: &NormalForms,
    guards: &mut Guards,
    letters: &mut Guard,
) -> Obligations {
    let mut rest = Obligations::new();
    for f in obligations {
        match *forms.node(f) {
            Normal::Letters(more) => *letters = guards.and(*letters, more),
            _ => _ = rest.insert(f),
        }
    }
    rest
}

/// Adds a part to the classes within some letters, splitting classes where necessary.
fn split(
    classes: Vec<(Guard, Vec<Residual>)>,
    letters: Guard,
    part: &Residual,
    guards: &mut Guards,
) -> Vec<(Guard, Vec<Residual>)> {
    let mut finer = Vec::with_capacity(classes.len() + 1);
    for (class, parts) in classes {
        let (inside, outside) = (guards.and(class, letters), guards.minus(class, letters));
        if inside != Guard::FALSE {
            finer.push((inside, [&parts[..], std::slice::from_ref(part)].concat()));
        }
        if outside != Guard::FALSE {
            finer.push((outside, parts));
        }
    }
    finer
}

/// The same disjunction with fewer parts: parts with equal obligations are merged, and a part is dropped for the
/// letters of any part with a proper subset of its obligations.
fn weakest(parts: Vec<Residual>, guards: &mut Guards) -> Vec<Residual> {
    let mut joined: BTreeMap<Obligations, Guard> = BTreeMap::new();
    for Residual { obligations, letters } in parts {
        let all = joined.entry(obligations).or_insert(Guard::FALSE);
        *all = guards.or(*all, letters);
    }
    let all: Vec<(Obligations, Guard)> = joined.into_iter().collect();
    let mut weakest = Vec::with_capacity(all.len());
    for (obligations, letters) in &all {
        let mut letters = *letters;
        for (fewer, allowed) in &all {
            if fewer != obligations && fewer.is_subset(obligations) {
                letters = guards.minus(letters, *allowed);
            }
        }
        if letters != Guard::FALSE {
            weakest.push(Residual { obligations: obligations.clone(), letters });
        }
    }
    weakest
}
