//! Cores: the laws that together refuse a proposal that violates none of them at once.

use super::decide::After;
use super::solver::GateSolver;
use crate::language::LawId;

/// The maximal number of laws whose removal is tried for one core.
const MOST: usize = 96;

impl GateSolver {
    /// Laws that together refuse a proposal: all laws that refuse it alone, if there are any; otherwise a set that is
    /// minimal under inclusion, found by removing one law after the other, from the last on. The set need not be
    /// minimal if there are too many laws, or if a smaller game is too hard. Only parts of the policy that refuse the
    /// proposal are searched.
    pub(super) fn core(&mut self, after: &After, laws: &[LawId]) -> Result<Vec<LawId>, String> {
        let mut parts = Vec::new();
        for (part, kept) in self.concerned(laws) {
            if !self.is_part_winning_after(part, after, &kept)? {
                parts.push((part, kept));
            }
        }
        let mut alone = Vec::new();
        for (part, laws) in &parts {
            for &law in laws {
                if !self.is_part_winning_after(*part, after, &[law])? {
                    alone.push(law);
                }
            }
        }
        let Some((part, laws)) = parts.first().filter(|_| alone.is_empty()) else { return Ok(alone) };
        let mut core = laws.clone();
        for &law in laws.iter().rev().take(MOST) {
            let rest: Vec<LawId> = core.iter().copied().filter(|&own| own != law).collect();
            match self.is_part_winning_after(*part, after, &rest) {
                Ok(true) => {}
                Ok(false) => core = rest,
                Err(_) => break,
            }
        }
        Ok(core)
    }
}
