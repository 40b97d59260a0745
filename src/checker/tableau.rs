//! One step of a tableau: the ways in which a word can satisfy some formulas, by the expansion laws of the fixpoints
//! (Gerth, Peled, Vardi and Wolper, "Simple on-the-fly automatic verification of linear temporal logic", PSTV 1995).
//!
//! Soundness, used in the head of the crate: let a word satisfy all formulas of a set, and its first letter be in the cube.
//! Then there is a branch such that the word without its first letter satisfies all of `next`, and for each strong
//! fixpoint of `postponed` the goal (q of `p U q`, p and q of `p M q`) is false of the word. For the alternatives of
//! each operator are exhaustive by its law, a second alternative of a fixpoint is chosen only if the first one is false
//! of the word, and an alternative is dropped only if a literal of it contradicts letters that are chosen already. A branch
//! is dropped if another one has a subset of its `next` and of its `postponed`; what is claimed holds for that one, too.

use crate::cube::Cube;
use crate::formula::{Arena, Formula, Node};
use std::collections::BTreeSet;

/// One way to satisfy a set of formulas.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    /// What the rest of the word satisfies; sorted.
    pub next: Vec<Formula>,
    /// The strong fixpoints that are postponed: their goals do not hold now; sorted.
    pub postponed: Vec<Formula>,
    /// Letters with which it is possible. The check does not need them.
    pub letters: Cube,
}

impl Branch {
    fn is_no_worse_than(&self, next: &BTreeSet<Formula>, postponed: &BTreeSet<Formula>) -> bool {
        self.next.iter().all(|f| next.contains(f)) && self.postponed.iter().all(|f| postponed.contains(f))
    }
}

#[derive(Clone)]
struct Draft {
    letters: Cube,
    asserted: BTreeSet<Formula>,
    todo: Vec<Formula>,
    splits: Vec<Formula>,
    next: BTreeSet<Formula>,
    postponed: BTreeSet<Formula>,
}

/// An alternative of a split: what holds now, and whether the formula itself holds in the next step.
struct Way {
    now: Option<Formula>,
    again: bool,
}

/// What is known of an alternative.
#[derive(PartialEq, Eq)]
enum Known {
    False,
    True,
    Open,
}

/// The branches of some formulas on the letters of a cube. `steps` is counted down.
///
/// # Errors
/// No steps are left.
pub fn expand(
    arena: &Arena,
    formulas: &[Formula],
    letters: &Cube,
    steps: &mut u64,
) -> Result<Vec<Branch>, String> {
    let mut finished: Vec<Branch> = Vec::new();
    let mut drafts = vec![Draft {
        letters: letters.clone(),
        asserted: BTreeSet::new(),
        todo: formulas.to_vec(),
        splits: Vec::new(),
        next: BTreeSet::new(),
        postponed: BTreeSet::new(),
    }];
    while let Some(mut draft) = drafts.pop() {
        let cost = 1 + draft.todo.len() + finished.len() / 8;
        *steps = steps.checked_sub(cost as u64).ok_or("the expansion of a set of formulas is too large")?;
        if !draft.settle(arena) {
            continue;
        }
        if finished.iter().any(|branch| branch.is_no_worse_than(&draft.next, &draft.postponed)) {
            continue;
        }
        match draft.splits.pop() {
            Some(split) => {
                // The first alternative is tried first.
                for way in ways(arena, split).into_iter().rev() {
                    let mut other = draft.clone();
                    if other.known(arena, &way) != Known::False {
                        other.take(arena, split, &way);
                        drafts.push(other);
                    }
                }
            }
            None => finished.push(Branch {
                next: draft.next.into_iter().collect(),
                postponed: draft.postponed.into_iter().collect(),
                letters: draft.letters,
            }),
        }
    }
    // Equal branches would make each other redundant.
    finished.sort();
    finished.dedup_by(|a, b| (&a.next, &a.postponed) == (&b.next, &b.postponed));
    let kept = |i: usize| {
        let (next, postponed) =
            (finished[i].next.iter().copied().collect(), finished[i].postponed.iter().copied().collect());
        let worse = |j: usize| j != i && finished[j].is_no_worse_than(&next, &postponed);
        !(0..finished.len()).any(worse)
    };
    let keep: Vec<bool> = (0..finished.len()).map(kept).collect();
    let mut flags = keep.into_iter();
    finished.retain(|_| flags.next().unwrap_or(true));
    Ok(finished)
}

/// The alternatives of a formula that has several, by its expansion law; of R and M what holds in any case, q, is
/// asserted apart.
fn ways(arena: &Arena, f: Formula) -> Vec<Way> {
    let now = |g: &Formula| Way { now: Some(*g), again: false };
    match arena.node(f) {
        Node::Or(fs) => fs.iter().map(now).collect(),
        Node::Until(p, q) | Node::Weak(p, q) => vec![now(q), Way { now: Some(*p), again: true }],
        Node::Release(p, _) | Node::Strong(p, _) => vec![now(p), Way { now: None, again: true }],
        Node::True | Node::False | Node::Literal(..) | Node::And(_) | Node::Next(_) => Vec::new(),
    }
}

impl Draft {
    /// Whether the letters or the asserted formulas decide an alternative.
    fn known(&self, arena: &Arena, way: &Way) -> Known {
        let Some(f) = way.now else { return Known::Open };
        let value = match arena.node(f) {
            Node::True => Some(true),
            Node::False => Some(false),
            Node::Literal(atom, sign) => self.letters.value(*atom).map(|value| value == *sign),
            _ if self.asserted.contains(&f) => Some(true),
            _ => None,
        };
        match value {
            Some(false) => Known::False,
            Some(true) if !way.again => Known::True,
            _ => Known::Open,
        }
    }

    fn take(&mut self, arena: &Arena, f: Formula, way: &Way) {
        self.todo.extend(way.now);
        if way.again {
            self.next.insert(f);
            if matches!(arena.node(f), Node::Until(..) | Node::Strong(..)) {
                self.postponed.insert(f);
            }
        }
    }

    /// Asserts what is to do, and takes alternatives that are the only ones. False if there is a contradiction.
    fn settle(&mut self, arena: &Arena) -> bool {
        loop {
            if !self.assert_all(arena) {
                return false;
            }
            let splits = std::mem::take(&mut self.splits);
            for f in splits {
                let ways = ways(arena, f);
                if ways.iter().any(|way| self.known(arena, way) == Known::True) {
                    continue;
                }
                let open: Vec<Way> =
                    ways.into_iter().filter(|way| self.known(arena, way) != Known::False).collect();
                match &open[..] {
                    [] => return false,
                    [only] => self.take(arena, f, only),
                    _ => self.splits.push(f),
                }
            }
            if self.todo.is_empty() {
                return true;
            }
        }
    }

    fn assert_all(&mut self, arena: &Arena) -> bool {
        while let Some(f) = self.todo.pop() {
            if !self.asserted.insert(f) {
                continue;
            }
            match arena.node(f) {
                Node::True => {}
                Node::False => return false,
                Node::Literal(atom, value) => {
                    if !self.letters.add(*atom, *value) {
                        return false;
                    }
                }
                Node::And(fs) => self.todo.extend_from_slice(fs),
                Node::Next(g) => self.next.extend(arena.conjuncts(*g)),
                Node::Or(_) | Node::Until(..) | Node::Weak(..) => self.splits.push(f),
                Node::Release(_, q) | Node::Strong(_, q) => {
                    self.todo.push(*q);
                    self.splits.push(f);
                }
            }
        }
        true
    }
}
