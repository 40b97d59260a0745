//! Whether a plan can be completed: by the table of summaries while it is small, then lazily, and by the whole table
//! only where the lazy search finds no answer.

use super::completion::{Calls, Completion, Situation};
use super::parikh::Possible;
use super::reach::{MAX_ITEMS, Reach};
use super::space::Space;
use tsl_synth_core::base::{Budget, Limit, LimitKind};

/// The table of summaries is filled up to this number of entries before the lazy search is asked.
const SMALL_TABLE: usize = 5_000;

/// The two decision procedures of a planner.
pub(super) struct LookAhead<'a> {
    pub(super) reach: Reach,
    completion: Completion<'a>,
    small: usize,
    large: usize,
}

impl<'a> LookAhead<'a> {
    pub(super) fn new(space: &Space<'a>) -> Self {
        Self {
            reach: Reach::with_limit(MAX_ITEMS),
            completion: Completion::new(space),
            small: SMALL_TABLE,
            large: MAX_ITEMS,
        }
    }
    /// Takes over the limits of the table of summaries.
    pub(super) fn like(&mut self, other: &Self) {
        (self.small, self.large) = (other.small, other.large);
    }
    /// Limits the table of summaries to this number of entries, also where the lazy search finds no answer.
    pub(super) fn limit_table(&mut self, entries: usize) {
        (self.small, self.large) = (entries, entries);
    }
    /// Decides by the whole table from now on, as it is computed.
    pub(super) fn use_table(&mut self) {
        self.small = self.small.max(self.reach.len()).max(MAX_ITEMS);
    }
    /// Whether a plan of at most this further cost can be completed from one of these situations. `by_table` decides the
    /// same by the table.
    pub(super) fn possible(
        &mut self,
        space: &mut Space<'a>,
        (starts, calls): (&[Situation<'_>], &dyn Calls),
        cost: Option<u64>,
        budget: &Budget,
        by_table: &mut dyn FnMut(&mut Space<'a>, &mut Reach) -> Result<bool, Limit>,
    ) -> Result<Possible, Limit> {
        if let Some(answer) = self.table(space, self.small, by_table)? {
            return Ok(answer);
        }
        let answer = self.completion.possible(space, starts, calls, cost, budget)?;
        if answer != Possible::Unknown || self.large <= self.small {
            return Ok(answer);
        }
        let answer = self.table(space, self.large, by_table)?;
        // Either all of the table can be used from now on, or no more of it is computed.
        if answer.is_some() {
            self.small = self.large;
        } else {
            self.large = self.small;
        }
        Ok(answer.unwrap_or(Possible::Unknown))
    }
    fn table(
        &mut self,
        space: &mut Space<'a>,
        entries: usize,
        by_table: &mut dyn FnMut(&mut Space<'a>, &mut Reach) -> Result<bool, Limit>,
    ) -> Result<Option<Possible>, Limit> {
        if self.reach.len() > entries {
            return Ok(None);
        }
        self.reach.most = entries;
        let found = by_table(space, &mut self.reach);
        self.reach.most = MAX_ITEMS;
        match found {
            Ok(true) => Ok(Some(Possible::Yes)),
            Ok(false) => Ok(Some(Possible::No)),
            Err(limit) if limit.kind == LimitKind::Size => Ok(None),
            Err(limit) => Err(limit),
        }
    }
}
