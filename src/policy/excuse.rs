//! Violations that are excused: letters that violate a law and nevertheless become part of a session.
//!
//! A call that violates a law with `on_violation = "ask"`, `"warn"` or `"log"` may be made. If its monitor then read
//! the whole letter, the law would be violated for ever, and no later violation could be told from this one. So the
//! monitor reads the letter as if the call had not been made: without the calls in it, or without that one of several
//! calls that alone violates the law. If nothing is left, or the rest violates the law, too, the monitor stays in its
//! state. What the law has read before is kept: a law that forbids a call after an event goes on forbidding it.

use super::compiled::CompiledPolicy;
use crate::language::{Law, LawAtom, LawId, LawKind, OnViolation};
use rustc_hash::FxHashSet;
use tsl_synth_core::logic::{BitId, Letter};

/// The maximal number of pairs of states for one comparison of languages.
const MOST_PAIRS: usize = 4_096;

/// The laws whose violations are excused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Excuse {
    /// None: a violated law stays violated.
    #[default]
    Nothing,
    /// Laws of the agent with an `on_violation` other than `deny`.
    NotDenied,
    /// The same, and all hard laws: for what has happened without a decision of the gate.
    Hard,
}

impl Excuse {
    /// Whether violations of a law are excused.
    pub fn covers(self, law: &Law) -> bool {
        match self {
            Self::Nothing => false,
            Self::NotDenied => law.kind != LawKind::Assume && law.on_violation != OnViolation::Deny,
            Self::Hard => law.kind == LawKind::Hard || Self::NotDenied.covers(law),
        }
    }
}

impl CompiledPolicy {
    /// Whether some continuation keeps a law from this state of its monitor on.
    pub fn is_live(&self, law: LawId, state: u32) -> bool {
        self.monitors[law].dfa().is_live(state)
    }
    /// The state of a law's monitor after a letter whose violation of the law is excused; never violated if `state` is
    /// not.
    pub fn excused_step(&self, law: LawId, state: u32, letter: &Letter) -> u32 {
        let atoms = &self.policy.atoms;
        let is_call = |bit: &BitId| matches!(atoms.atom(*bit), LawAtom::Call(_) | LawAtom::Opaque);
        let calls: Vec<BitId> = letter.iter().filter(is_call).collect();
        let without = |left_out: &[BitId]| {
            let mut rest = letter.clone();
            for &bit in left_out {
                rest.remove(bit);
            }
            if rest.is_empty() { state } else { self.step(law, state, &rest) }
        };
        let all = Some(without(&calls)).filter(|&next| self.is_live(law, next));
        let single = calls.iter().filter(|_| calls.len() > 1).map(|&call| without(&[call]));
        // Of several ways the one after which the law permits least.
        let strictest = single.filter(|&next| self.is_live(law, next)).fold(all, |best, next| match best {
            Some(best) if !self.permits_no_more(law, next, best) => Some(best),
            _ => Some(next),
        });
        strictest.unwrap_or(state)
    }
    /// Of two states of a law's monitor the one that permits less; the first one if neither does.
    pub(super) fn stricter(&self, law: LawId, first: u32, second: u32) -> u32 {
        if first != second && self.permits_no_more(law, second, first) { second } else { first }
    }
    /// Whether every continuation that a law accepts from `first` is accepted from `second`, too; `false` if that takes
    /// too long to find out.
    pub(super) fn permits_no_more(&self, law: LawId, first: u32, second: u32) -> bool {
        let (decision, monitor) = (&self.decisions[law], &self.monitors[law]);
        let mut stack = vec![(first, second)];
        let mut seen = FxHashSet::from_iter([(first, second)]);
        while let Some((one, other)) = stack.pop() {
            if monitor.standing(one).holds() && !monitor.standing(other).holds() || seen.len() > MOST_PAIRS {
                return false;
            }
            for class in 0..decision.classes() {
                let next = (decision.next(one, class), decision.next(other, class));
                if seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        true
    }
}
