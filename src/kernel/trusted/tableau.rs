//! The expansion step of an on-the-fly tableau: Gerth, Peled, Vardi and Wolper, "Simple on-the-fly automatic
//! verification of linear temporal logic" (PSTV 1995), with acceptance on transitions as in Couvreur, "On-the-fly
//! verification of linear temporal logic" (FM 1999).
//!
//! A state is a set of formulas that the rest of the word must satisfy. Its expansion on a set of letters splits it
//! into branches: some letters, the obligations of the next step, and the strong fixpoints that were *postponed*. A run
//! is accepting when no strong fixpoint is postponed forever. Departures: sets of letters are guards instead of
//! literals; a branch is dropped when another branch of the same expansion has a subset of its obligations and of its
//! postponed fixpoints. Dropping is sound for the *emptiness* of a product in which all letters of the expansion lead
//! to the same machine state: if a word is accepted through the dropped branch, it is accepted through the other branch
//! after its first letter is exchanged, and no more fixpoints are postponed.
//!
//! Cost: exponential in the disjunctive formulas of a state in the worst case; branches are cut as soon as no letter is
//! left or a finished branch makes them redundant.

use super::normal::{GoalId, Normal, NormalForms, NormalId};
use tsl_synth_core::base::{Budget, IdSet, Limit};
use tsl_synth_core::logic::{Guard, Guards};

/// The formulas that the rest of the word must satisfy.
pub(crate) type Obligations = IdSet<NormalId>;

/// One way to satisfy the obligations of a state in this step.
#[derive(Clone, Debug)]
pub(crate) struct TableauBranch {
    /// The letters with which this way is possible; never empty.
    pub(crate) letters: Guard,
    /// The obligations of the next step.
    pub(crate) next: Obligations,
    /// The strong fixpoints that are postponed.
    pub(crate) postponed: IdSet<GoalId>,
}

/// For which letters an expansion has to keep the best branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LetterChoice {
    /// For some letter: enough if all letters lead to the same state.
    SomeLetter,
    /// For every letter.
    EachLetter,
}

impl TableauBranch {
    fn is_no_worse_than(&self, other: &Self, choice: LetterChoice, guards: &mut Guards) -> bool {
        self.next.is_subset(&other.next)
            && self.postponed.is_subset(&other.postponed)
            && (choice == LetterChoice::SomeLetter || guards.implies(other.letters, self.letters))
    }
}

/// A branch under construction.
#[derive(Clone, Debug)]
struct PartialBranch {
    branch: TableauBranch,
    /// Formulas asserted in this step that are processed or waiting in `splits`.
    asserted: Obligations,
    /// Formulas to assert.
    todo: Vec<NormalId>,
    /// Asserted formulas with several ways to satisfy them.
    splits: Vec<NormalId>,
}

/// Comparisons of a draft with finished branches that count as one unit of work.
const BRANCHES_PER_WORK: u64 = 32;

/// The branches of a state with these obligations on the letters of `letters`; none is redundant.
pub(crate) fn expand(
    forms: &NormalForms,
    guards: &mut Guards,
    obligations: &Obligations,
    letters: Guard,
    choice: LetterChoice,
    budget: &Budget,
) -> Result<Vec<TableauBranch>, Limit> {
    let mut finished: Vec<TableauBranch> = Vec::new();
    let mut drafts = vec![PartialBranch {
        branch: TableauBranch { letters, next: Obligations::new(), postponed: IdSet::new() },
        asserted: Obligations::new(),
        todo: obligations.iter().collect(),
        splits: Vec::new(),
    }];
    while let Some(mut draft) = drafts.pop() {
        // Every draft is compared with all finished branches.
        let work = 1 + finished.len() as u64 / BRANCHES_PER_WORK;
        budget.tick(work, || "certificate: expanding a state of the tableau".into())?;
        if !draft.assert_all(forms, guards)
            || finished.iter().any(|b| b.is_no_worse_than(&draft.branch, choice, guards))
        {
            continue;
        }
        if let Some(f) = draft.splits.pop() {
            draft.split(f, forms, guards, choice, &mut drafts);
        } else {
            finished.retain(|b| !draft.branch.is_no_worse_than(b, choice, guards));
            finished.push(draft.branch);
        }
    }
    Ok(finished)
}

impl PartialBranch {
    /// Asserts the formulas in `todo`; `false` when no letter is left.
    fn assert_all(&mut self, forms: &NormalForms, guards: &mut Guards) -> bool {
        while let Some(f) = self.todo.pop() {
            if !self.asserted.insert(f) {
                continue;
            }
            match *forms.node(f) {
                Normal::Letters(g) => {
                    self.branch.letters = guards.and(self.branch.letters, g);
                    if self.branch.letters == Guard::FALSE {
                        return false;
                    }
                }
                Normal::And(ref gs) => self.todo.extend_from_slice(gs),
                Normal::Next(g) => self.oblige(g, forms),
                Normal::Or(_) | Normal::Until { .. } => self.splits.push(f),
                Normal::Release { goal, .. } => {
                    self.todo.push(goal);
                    self.splits.push(f);
                }
            }
        }
        true
    }

    fn oblige(&mut self, f: NormalId, forms: &NormalForms) {
        if let Normal::And(gs) = forms.node(f) {
            self.branch.next.extend(gs.iter().copied());
        } else {
            self.branch.next.insert(f);
        }
    }

    /// Pushes one draft per way to satisfy `f`, the one to be tried first last.
    fn split(
        self,
        f: NormalId,
        forms: &NormalForms,
        guards: &mut Guards,
        choice: LetterChoice,
        drafts: &mut Vec<Self>,
    ) {
        let (now, later) = match forms.node(f) {
            Normal::Or(gs) => (&gs[..], None),
            Normal::Until { hold, goal, .. } => (std::slice::from_ref(goal), Some(Some(*hold))),
            Normal::Release { free, .. } => (std::slice::from_ref(free), Some(None)),
            Normal::Letters(_) | Normal::And(_) | Normal::Next(_) => unreachable!("has one way"),
        };
        if now.iter().any(|&g| self.is_asserted(g, forms, guards)) {
            drafts.push(self);
            return;
        }
        let mut now = now.to_vec();
        // Sets of letters leave no obligations for later: they are tried first.
        now.sort_by_key(|&g| matches!(forms.node(g), Normal::Letters(_)));
        let mut others = self.clone();
        if choice == LetterChoice::EachLetter
            && let Some(&g) = now.last()
            && let Normal::Letters(letters) = *forms.node(g)
        {
            // None of the other ways is better for these letters.
            others.branch.letters = guards.minus(others.branch.letters, letters);
            now.pop();
            let mut draft = self;
            draft.todo.push(g);
            drafts.push(draft);
            if others.branch.letters == Guard::FALSE {
                return;
            }
        }
        if let Some(hold) = later {
            let mut draft = others.clone();
            draft.todo.extend(hold);
            draft.branch.next.insert(f);
            draft.branch.postponed.extend(forms.goal(f));
            drafts.push(draft);
        }
        for g in now {
            let mut draft = others.clone();
            draft.todo.push(g);
            drafts.push(draft);
        }
    }

    fn is_asserted(&self, f: NormalId, forms: &NormalForms, guards: &mut Guards) -> bool {
        self.asserted.contains(f)
            || matches!(*forms.node(f), Normal::Letters(g) if guards.implies(self.branch.letters, g))
    }
}
