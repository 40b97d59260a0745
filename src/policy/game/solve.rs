//! The winning positions of a game, by the fixpoints that define them (see the module `game`).

use super::arena::PolicyArena;
use std::cell::Cell;
use std::rc::{Rc, Weak};
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::Guard;

/// The solution of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solution {
    /// The winning positions.
    pub winning: Guard,
    /// Those that stay winning whatever the world does before the agent's next choice.
    pub closed: Guard,
}

/// Solves a game: for all laws at once or, where that creates too many nodes, compositionally.
///
/// The winning positions for a subset of the laws contain those for all laws (Filiot, Jin and Raskin 2011 solve
/// conjunctions of LTL formulas in this way). Restricted to them, intermediate results are small that can be
/// exponentially large otherwise. For laws `A_i then B_i immediately`, for example, it then does not matter which pending
/// calls could discharge several laws one after the other: in no winning position do two laws wait for different calls.
///
/// # Errors
/// The budget, `nodes` live nodes in the store, or a few times as many created ones.
pub(super) fn solve(
    arena: &mut PolicyArena,
    is_finite: bool,
    nodes: usize,
    budget: &Budget,
) -> Result<Solution, Limit> {
    let collect_at = nodes / 4 * 3;
    // Where intermediate results are as large as the game, those of all calls together are quadratic.
    let square = arena.calls.len().pow(2);
    let [of_some_calls, of_all_calls] = arena.kept();
    let is_alone = !is_finite || of_some_calls.len() + of_all_calls.len() < 2;
    let most = arena.made() + 8 * square + if is_alone { 4 * nodes } else { nodes / 8 };
    match Fixpoints::new(arena, budget, most, collect_at).all(is_finite) {
        Err(limit) if !is_alone && limit.kind == LimitKind::Memory => {
            arena.collect(Vec::new());
            arena.store.clear_exhausted();
            let most = arena.made() + 8 * square + 7 * nodes / 2;
            let found =
                Fixpoints::new(arena, budget, most, collect_at).joined(&of_some_calls, &of_all_calls)?;
            Ok(found.solution())
        }
        other => other,
    }
}

/// A guard that garbage collection keeps and updates.
#[derive(Clone, Debug)]
struct Root(Rc<Cell<Guard>>);

/// A solution during the computation of fixpoints.
struct Found {
    winning: Root,
    closed: Root,
}

impl Found {
    fn solution(&self) -> Solution {
        Solution { winning: self.winning.get(), closed: self.closed.get() }
    }
}

impl Root {
    fn get(&self) -> Guard {
        self.0.get()
    }
    fn set(&self, guard: Guard) {
        self.0.set(guard);
    }
}

/// The computation of fixpoints. [`Fixpoints::tick`] may collect garbage: a guard that is used after it has to be a
/// [`Root`].
struct Fixpoints<'a> {
    arena: &'a mut PolicyArena,
    budget: &'a Budget,
    /// The maximal number of created nodes.
    most: usize,
    roots: Vec<Weak<Cell<Guard>>>,
    /// Garbage is never collected below this number of nodes in the store.
    collect_at: usize,
    /// The number of nodes at which garbage is collected next.
    collect_next: usize,
}

/// The calls that may lead to the end.
struct Calls<'a> {
    /// The positions in which they may be made.
    positions: &'a Root,
    /// Those that the agent may leave to the world.
    closed: &'a Root,
    /// The choices of each call after which all answers lead to `closed`.
    safe: Vec<Root>,
}

impl<'a> Fixpoints<'a> {
    fn new(arena: &'a mut PolicyArena, budget: &'a Budget, most: usize, collect_at: usize) -> Self {
        Self { arena, budget, most, roots: Vec::new(), collect_at, collect_next: collect_at }
    }
    fn root(&mut self, guard: Guard) -> Root {
        let cell = Rc::new(Cell::new(guard));
        self.roots.push(Rc::downgrade(&cell));
        Root(cell)
    }
    /// Counts the growth of the store, and collects garbage if there are many nodes.
    fn tick(&mut self) -> Result<(), Limit> {
        self.arena.tick(self.budget)?;
        if self.arena.made() > self.most {
            let what = format!("the game of all laws: {} nodes of diagrams made", self.arena.made());
            return Err(Limit::new(LimitKind::Memory, what));
        }
        if self.arena.store.node_count() > self.collect_next {
            self.roots.retain(|root| root.strong_count() > 0);
            let cells: Vec<_> = self.roots.iter().filter_map(Weak::upgrade).collect();
            let mut guards: Vec<Guard> = cells.iter().map(|cell| cell.get()).collect();
            self.arena.collect(guards.iter_mut().collect());
            for (cell, guard) in cells.iter().zip(guards) {
                cell.set(guard);
            }
            self.collect_next = self.collect_at.max(2 * self.arena.store.node_count());
        }
        Ok(())
    }
    /// The solution of the game of all laws.
    fn all(&mut self, is_finite: bool) -> Result<Solution, Limit> {
        let found = if is_finite { self.finite(Guard::TRUE, true)? } else { self.infinite()? };
        Ok(found.solution())
    }
    /// The solution of the game of two sets of laws, within the solutions of the games of each set.
    fn joined(&mut self, these: &[usize], those: &[usize]) -> Result<Found, Limit> {
        if these.is_empty() || those.is_empty() {
            return self.by_halves(&[these, those].concat());
        }
        let (first, second) = (self.by_halves(these)?, self.by_halves(those)?);
        let positions = self.arena.store.and(first.winning.get(), second.winning.get());
        self.arena.keep(&[these, those].concat());
        self.finite(positions, false)
    }
    /// The solution of the game of these laws, within the solutions of the games of each half of them.
    fn by_halves(&mut self, laws: &[usize]) -> Result<Found, Limit> {
        if laws.len() > 1 {
            let (first, second) = laws.split_at(laws.len() / 2);
            return self.joined(first, second);
        }
        self.arena.keep(laws);
        self.finite(Guard::TRUE, false)
    }
    /// The solution for runs that end:
    /// `νZ. μY. End ∪ {p : some call whose answers are all in C, and some in V} ∪ (C ∩ V if the agent may do nothing)`,
    /// where `C` is the largest subset of `Z` that letters of the world do not leave, and `V` the positions of `C` from
    /// which letters of the world may lead to `Y`. `Z` begins with `positions`, which contain the solution.
    fn finite(&mut self, positions: Guard, simple_first: bool) -> Result<Found, Limit> {
        let positions = self.root(positions);
        loop {
            let closed = self.closed(&positions)?;
            let reached = self.leading_to_end(&positions, &closed, simple_first)?;
            if reached.get() == positions.get() {
                return Ok(Found { winning: positions, closed });
            }
            positions.set(reached.get());
        }
    }
    /// The inner fixpoint: the positions of a set from which the agent may come to an accepted end without leaving it.
    ///
    /// With `simple_first` a subset is computed first: what reaches the positions from which the world may lead to an end
    /// in every state of the laws, for instance because all calls that any law can wait for are pending. If that is the
    /// whole set, the exact computation is not needed. So it is for responses, with small diagrams; the exact
    /// intermediate results depend on which obligations each set of calls discharges, and can be exponentially large.
    fn leading_to_end(&mut self, positions: &Root, closed: &Root, simple_first: bool) -> Result<Root, Limit> {
        let reached = self.arena.store.and(positions.get(), self.arena.end);
        let reached = self.root(reached);
        if reached.get() == positions.get() {
            return Ok(reached);
        }
        let mut safe = Vec::with_capacity(self.arena.calls.len());
        for at in 0..self.arena.calls.len() {
            let (call, store) = (&mut self.arena.calls[at], &mut self.arena.store);
            let choices = call.safe_choices(store, closed.get());
            safe.push(self.root(choices));
            self.tick()?;
        }
        let hopeful = self.reached_by_world(&reached, closed)?;
        let calls = Calls { positions, closed, safe };
        if simple_first {
            let PolicyArena { store, law_bits, .. } = &mut *self.arena;
            let in_some_state = store.minus(closed.get(), hopeful.get());
            let in_some_state = store.exists(in_some_state, &|bit| law_bits[bit]);
            let in_all_states = store.minus(closed.get(), in_some_state);
            let (hopeful, reached) = (self.root(in_all_states), self.root(Guard::FALSE));
            let most = self.arena.made() + (1 << 14) + 2 * calls.safe.len().pow(2);
            self.chain(&calls, &reached, &hopeful, most)?;
            if reached.get() == positions.get() {
                return Ok(reached);
            }
        }
        self.chain(&calls, &reached, &hopeful, usize::MAX)?;
        Ok(reached)
    }
    /// Adds the positions from which calls, and letters of the world after them, lead to hopeful positions; only some of
    /// them if more than `most` nodes were created. Each call is applied to what was reached before it in the same pass (Burch, Clarke
    /// and Long 1991 call it chaining): obligations that are discharged one after the other then take one pass, not one
    /// pass each. Passes alternate in their direction, since the order in which calls depend on each other is not known.
    fn chain(&mut self, calls: &Calls<'_>, reached: &Root, hopeful: &Root, most: usize) -> Result<(), Limit> {
        let Calls { positions, closed, safe } = calls;
        let mut order: Vec<usize> = (0..safe.len()).collect();
        while reached.get() != positions.get() && self.arena.made() <= most {
            let before = self.root(reached.get());
            for &at in &order {
                let (call, store) = (&mut self.arena.calls[at], &mut self.arena.store);
                let calls = call.hopeful_choices(store, hopeful.get());
                let calls = store.and(calls, safe[at].get());
                let calls = call.choose(store, calls);
                let calls = store.and(calls, positions.get());
                reached.set(store.or(reached.get(), calls));
                let own = store.and(calls, closed.get());
                hopeful.set(store.or(hopeful.get(), own));
                self.tick()?;
                if self.arena.made() > most {
                    return Ok(());
                }
            }
            if self.arena.idle {
                reached.set(self.arena.store.or(reached.get(), hopeful.get()));
            }
            hopeful.set(self.reached_by_world(hopeful, closed)?.get());
            if self.arena.idle {
                reached.set(self.arena.store.or(reached.get(), hopeful.get()));
            }
            if reached.get() == before.get() {
                return Ok(());
            }
            order.reverse();
        }
        Ok(())
    }
    /// The solution for infinite runs under safety laws: the agent can continue forever without violating one.
    fn infinite(&mut self) -> Result<Found, Limit> {
        let positions = self.root(Guard::TRUE);
        loop {
            let closed = self.closed(&positions)?;
            let next = self.root(if self.arena.idle { closed.get() } else { Guard::FALSE });
            for at in 0..self.arena.calls.len() {
                let (call, store) = (&mut self.arena.calls[at], &mut self.arena.store);
                let safe = call.safe_choices(store, closed.get());
                let safe = call.choose(store, safe);
                next.set(store.or(next.get(), safe));
                self.tick()?;
            }
            next.set(self.arena.store.and(next.get(), positions.get()));
            if next.get() == positions.get() {
                return Ok(Found { winning: positions, closed });
            }
            positions.set(next.get());
        }
    }
    /// The positions from which letters of the world may lead to a set of positions, none included, within `bound`.
    fn reached_by_world(&mut self, positions: &Root, bound: &Root) -> Result<Root, Limit> {
        let reached = self.arena.store.and(positions.get(), bound.get());
        let reached = self.root(reached);
        self.until_stable(&reached, |arena, at, reached| {
            let (world, store) = (&mut arena.worlds[at], &mut arena.store);
            let more = world.world_some(store, reached);
            let more = store.and(more, bound.get());
            store.or(reached, more)
        })?;
        Ok(reached)
    }
    /// The positions of a set that stay in it whatever the world does.
    fn closed(&mut self, positions: &Root) -> Result<Root, Limit> {
        let closed = self.root(positions.get());
        self.until_stable(&closed, |arena, at, closed| {
            let (world, store) = (&mut arena.worlds[at], &mut arena.store);
            let all = world.world_all(store, closed);
            store.and(closed, all)
        })?;
        Ok(closed)
    }
    /// Applies the steps of the world to a set of positions, one after the other, until none changes it.
    fn until_stable(
        &mut self,
        positions: &Root,
        step: impl Fn(&mut PolicyArena, usize, Guard) -> Guard,
    ) -> Result<(), Limit> {
        loop {
            let before = self.root(positions.get());
            for at in 0..self.arena.worlds.len() {
                positions.set(step(self.arena, at, positions.get()));
                self.tick()?;
            }
            if positions.get() == before.get() {
                return Ok(());
            }
        }
    }
}
