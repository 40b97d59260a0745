//! Which laws refuse a proposal that violates none of them at once.

use super::decide::After;
use super::judge::Judge;
use crate::spec::policy::LawId;

/// Games that are asked for one core.
const MOST: usize = 96;

impl Judge {
    /// Laws that together refuse a proposal: each law that does so by itself; else a set that is minimal under inclusion,
    /// found by leaving out one law after the other, from the last on. Past a number of games, or where a smaller game is too
    /// hard, a set that is not minimal.
    pub(super) fn core(&mut self, after: &After, laws: &[LawId]) -> Result<Vec<LawId>, String> {
        let mut alone = Vec::new();
        for &law in laws {
            if !self.is_good(after, &[law])? {
                alone.push(law);
            }
        }
        if !alone.is_empty() {
            return Ok(alone);
        }
        let mut core = laws.to_vec();
        for &law in laws.iter().rev().take(MOST) {
            let rest: Vec<LawId> = core.iter().copied().filter(|&own| own != law).collect();
            match self.is_good(after, &rest) {
                Ok(true) => {}
                Ok(false) => core = rest,
                Err(_) => break,
            }
        }
        Ok(core)
    }
}
