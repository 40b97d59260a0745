//! The resources that a computation may use: time, memory, counted work. The clock is a port: the binary owns it and
//! raises the [`StopFlag`]; the library only looks at the flag and at its own counters.

use super::steps;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Why a computation ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitKind {
    /// The time limit passed (raised by the binary's clock).
    Time,
    /// The memory limit was reached, in counted bytes of states and nodes.
    Memory,
    /// A size limit on formulas, automata or games was reached.
    Size,
    /// The bound on rejecting visits was exhausted; says nothing about realizability.
    Bound,
    /// The number of refinement or counted work rounds was exhausted.
    Work,
    /// The user interrupted the computation.
    Interrupted,
    /// Another thread found the answer first.
    Superseded,
    /// The counted work that a [`StopFlag`] allows is used up. Unlike [`LimitKind::Work`], which ends one attempt, it ends
    /// everything that runs under the flag: another attempt would end at once.
    Quota,
}

/// A limit that was reached: an answer (`Unknown`), not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which resource ran out.
    pub kind: LimitKind,
    /// The interrupted activity, for messages: "the automaton of guarantee 3 has more than 4096 states".
    pub what: String,
}

impl Limit {
    /// A limit of this kind, met while doing `what`.
    pub fn new(kind: LimitKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into() }
    }
}

impl std::fmt::Display for LimitKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Time => "time limit reached",
            Self::Memory => "memory limit reached",
            Self::Size => "size limit reached",
            Self::Bound => "bound reached",
            Self::Work | Self::Quota => "limit of work reached",
            Self::Interrupted => "interrupted",
            Self::Superseded => "superseded",
        })
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind, self.what)
    }
}

impl std::error::Error for Limit {}

/// Raised by a clock, a signal handler or another thread; seen by every [`Budget`] that shares it.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    code: AtomicU8,
    /// If this flag is raised, so is the one below it.
    above: Option<StopFlag>,
    /// Counted work of all budgets that share the flag, which raises itself when it exceeds `limit`.
    spent: AtomicU64,
    limit: Option<u64>,
}

impl StopFlag {
    /// A lowered flag.
    pub fn new() -> Self {
        Self::default()
    }
    /// A flag that is raised with this one, and by itself when all budgets that share it together have counted more
    /// than `work`. Reproducible if these budgets are used one after the other.
    #[must_use]
    pub fn within(&self, work: u64) -> Self {
        steps::forget();
        Self(Arc::new(Flag { above: Some(self.clone()), limit: Some(work), ..Flag::default() }))
    }
    /// The work counted so far, of a flag that has a limit.
    pub fn spent(&self) -> u64 {
        self.0.spent.load(Ordering::Relaxed)
    }
    /// Counts for this flag and for those above it.
    fn spend(&self, work: u64) {
        let mut flag = Some(self);
        while let Some(this) = flag {
            if let Some(limit) = this.0.limit
                && this.0.spent.fetch_add(work, Ordering::Relaxed).saturating_add(work) > limit
            {
                this.raise(LimitKind::Quota);
            }
            flag = this.0.above.as_ref();
        }
    }
    /// Raises the flag; the first reason stays.
    pub fn raise(&self, reason: LimitKind) {
        let code = match reason {
            LimitKind::Time => 1,
            LimitKind::Memory => 2,
            LimitKind::Interrupted => 3,
            LimitKind::Superseded => 4,
            LimitKind::Size | LimitKind::Bound | LimitKind::Work | LimitKind::Quota => 5,
        };
        let _ = self.0.code.compare_exchange(0, code, Ordering::SeqCst, Ordering::SeqCst);
    }
    /// Whether this flag or one above it has a limit of counted work, so that results may depend on the order in which
    /// threads count.
    pub fn counts_work(&self) -> bool {
        self.0.limit.is_some() || self.0.above.as_ref().is_some_and(Self::counts_work)
    }
    /// The reason for which the flag was raised, if it was.
    pub fn raised(&self) -> Option<LimitKind> {
        match self.0.code.load(Ordering::Relaxed) {
            0 => self.0.above.as_ref().and_then(Self::raised),
            1 => Some(LimitKind::Time),
            2 => Some(LimitKind::Memory),
            3 => Some(LimitKind::Interrupted),
            4 => Some(LimitKind::Superseded),
            _ => Some(LimitKind::Quota),
        }
    }
}

/// The resources that one computation may use. Not shared between threads: each thread has its own budget, with the
/// flags of all it must obey.
#[derive(Clone, Debug)]
pub struct Budget {
    flags: Vec<StopFlag>,
    /// Clones count together.
    work: Rc<Cell<u64>>,
    work_limit: Cell<u64>,
    bytes: Cell<u64>,
    bytes_limit: u64,
}

impl Budget {
    /// No limit at all.
    pub fn unlimited() -> Self {
        Self {
            flags: Vec::new(),
            work: Rc::new(Cell::new(0)),
            work_limit: Cell::new(u64::MAX),
            bytes: Cell::new(0),
            bytes_limit: u64::MAX,
        }
    }
    /// Also obeys `flag`.
    pub fn with_flag(mut self, flag: StopFlag) -> Self {
        self.flags.push(flag);
        self
    }
    /// At most `bytes` counted bytes.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.bytes_limit = bytes;
        self
    }
    /// At most `work` further units of counted work; counting starts anew.
    pub fn with_work(mut self, work: u64) -> Self {
        self.work = Rc::new(Cell::new(0));
        self.work_limit = Cell::new(work);
        self
    }
    /// For a part of the computation: obeys the flags and the memory limit of this one and has `work` units of its own.
    /// They are not counted in this budget, where a unit may be a different amount of work: the caller ticks this
    /// budget as appropriate.
    #[must_use]
    pub fn child(&self, work: u64) -> Self {
        self.clone().with_work(work)
    }
    /// Raises the limit of work by this many units.
    pub fn grant(&self, work: u64) {
        self.work_limit.set(self.work_limit.get().saturating_add(work));
    }
    /// The flags that it obeys.
    pub fn flags(&self) -> &[StopFlag] {
        &self.flags
    }
    /// A function, for loops that cannot hold the budget, that returns whether one of its flags was raised.
    pub fn stopped(&self) -> impl Fn() -> bool + 'static {
        let flags = self.flags.clone();
        move || flags.iter().any(|flag| flag.raised().is_some())
    }
    /// Units of work that are left.
    pub fn left(&self) -> u64 {
        self.work_limit.get().saturating_sub(self.work.get())
    }
    /// Units of work counted so far.
    pub fn work(&self) -> u64 {
        self.work.get()
    }
    /// The memory limit in bytes.
    pub fn memory_limit(&self) -> u64 {
        self.bytes_limit
    }
    /// Counts `amount` units of work and obeys the flags. `what` is only built when a limit is met.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn tick(&self, amount: u64, what: impl FnOnce() -> String) -> Result<(), Limit> {
        let work = self.work.get().saturating_add(amount);
        self.work.set(work);
        if work > self.work_limit.get() {
            return Err(Limit::new(LimitKind::Work, what()));
        }
        let spent = amount.saturating_add(steps::take_work());
        let raised = self.flags.iter().fold(None, |raised, flag| {
            flag.spend(spent);
            raised.or(flag.raised())
        });
        match raised {
            Some(kind) => Err(Limit::new(kind, what())),
            None => Ok(()),
        }
    }
    /// Counts `bytes` of memory in use.
    ///
    /// # Errors
    /// The memory limit, when it is exceeded.
    pub fn charge(&self, bytes: u64, what: impl FnOnce() -> String) -> Result<(), Limit> {
        let total = self.bytes.get().saturating_add(bytes);
        self.bytes.set(total);
        if total > self.bytes_limit {
            return Err(Limit::new(LimitKind::Memory, what()));
        }
        Ok(())
    }
    /// Releases `bytes` that were charged.
    pub fn release(&self, bytes: u64) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_with_work_count_all_budgets_together() {
        let stop = StopFlag::new();
        let flag = stop.within(100);
        let budget = || Budget::unlimited().with_flag(flag.clone());
        let what = || String::from("test");
        assert!(budget().tick(60, what).is_ok() && budget().tick(40, what).is_ok());
        let limit = budget().with_work(5).tick(1, what).expect_err("the flag has counted more");
        assert_eq!((limit.kind, flag.spent(), stop.raised()), (LimitKind::Quota, 101, None));
        assert!(flag.counts_work() && !stop.counts_work());
        let inner = stop.within(100).within(1000);
        assert!(Budget::unlimited().with_flag(inner.clone()).tick(101, what).is_err());
        assert_eq!((inner.raised(), inner.spent()), (Some(LimitKind::Quota), 101));
        let other = stop.within(100);
        stop.raise(LimitKind::Interrupted);
        assert_eq!((other.raised(), flag.raised()), (Some(LimitKind::Interrupted), Some(LimitKind::Quota)));
    }

    #[test]
    fn children_obey_and_count_for_themselves() {
        let stop = StopFlag::new();
        let parent = Budget::unlimited().with_flag(stop.clone()).with_memory(1_000).with_work(10);
        let child = parent.child(50);
        let what = || String::from("test");
        assert!(child.tick(40, what).is_ok());
        assert_eq!((child.left(), parent.work(), child.memory_limit()), (10, 0, 1_000));
        assert_eq!(child.tick(20, what).expect_err("50 units").kind, LimitKind::Work);
        stop.raise(LimitKind::Time);
        assert_eq!(parent.child(50).tick(1, what).expect_err("stopped").kind, LimitKind::Time);
    }
}
