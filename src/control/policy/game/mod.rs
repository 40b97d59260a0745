//! The game of all laws of a policy: which choices leave the agent able to go on and to stop, whatever the world does.
//!
//! # Positions and letters
//!
//! A **position** has the states of the monitors of all laws (what the propositions that hold until they are cleared are is part
//! of them), for each action how many of its calls have no outcome yet (none, one, several), the registers, and, where truths
//! and a call join in one letter, the last letter or the truths since then. A position is **lost** when a law that the agent
//! keeps is violated.
//!
//! A **letter of the world** has no call and is not empty. It has at most one outcome, of an action that is pending; of several
//! pending calls one or several are left, as the world likes. It sets and clears propositions freely, with these exceptions:
//! those that only tables about calls set belong to the agent; computed ones follow from the registers; and those that some
//! action's effects name change only in letters with an outcome of such an action (`may_set` and `sets` allow setting,
//! `may_clear` and `clears` clearing; `sets` and `clears` must happen when the outcome is ok, unless the letter may do the
//! opposite, too; what the agent raises itself is not forced). It does not violate an `assume` law whose monitor is not yet violated; one that is violated asks nothing.
//! A **letter of the agent** has exactly one call and any of the agent's own propositions, `opaque` among them, and no others.
//!
//! Outcomes, effects, quantities: an effect of a call that is not known to have ended well may have happened or not;
//! `quantities` are left to searches for trajectories.
//!
//! # Turns
//!
//! - [`Turns::Apart`] (`per-event`, `state-change`, and policies without actions): letters of the world come between the
//!   agent's choices. After a choice the world answers with any finite sequence of letters, none included.
//! - [`Turns::CallFirst`] (`per-action` with `timing = "next"`): the agent chooses the call and its own propositions, then the
//!   world everything else in the same letter, the outcomes of pending calls (this one included) among it, each action's at
//!   most once. A momentary proposition under effects keeps its last value unless the letter has a call or an outcome of an
//!   action that may change it. No other letters come. A choice to which the world has no answer is lost.
//! - [`Turns::TruthsFirst`] (`per-action` with `timing = "same"`): truths accumulate (a later `set` undoes a `clear`; each action's
//!   outcome joins a letter at most once), the letter being one that breaks no `assume` law without a call; then the agent's call
//!   joins them. At the end truths that are in no letter yet form the last one.
//!
//! The agent chooses a call, nothing (if the policy has `idle`), or the end, which is accepted if every kept law holds on the
//! word so far.
//!
//! # Registers
//!
//! The letter's own call is counted first, then the proposition shows whether the number is above the bound, and after that a
//! letter of `reset_on` makes the number 0. A `count` is exact up to the first number above the bound. A `sum` is one bit: a
//! letter of `on` shows the old one, and the world may raise it for the next letter. With a `window` the world may also make
//! the number smaller after any letter. What the world decides in this way is part of its answer. Registers see those
//! declared before them.
//!
//! # Winning
//!
//! With `C(Z)` the largest subset of `Z` that no letter of the world leaves, and `V(Y)` the positions from which letters of the
//! world may lead to `Y`, the winning positions are
//!
//! ```text
//! X = νZ. μY. { p : the end is accepted in p }
//!           ∪ { p : for some call all answers lead to C(Z), and some answer leads to V(Y) }
//!           ∪ (C(Z) ∩ V(Y), if the agent may do nothing)
//! ```
//!
//! A choice is **allowed** if all answers to it lead to `C(X)`: to decide on a letter that is known, the monitors take it, and
//! one walk down a diagram answers. It is **step-legal** if no answer violates a law in this letter. A position is
//! over-constrained if no call is step-legal and the agent may not do nothing.
//! With `end = "infinite"` the end is never accepted and `Y` falls away; only safety laws are decided.
//!
//! # Copies and tracks
//!
//! Laws with `for_each` have copies, each list of bound values so many. A letter reaches laws without `for_each` always. It
//! reaches one copy or none if a table of something in it binds all values, all copies if everything in it has a table that
//! binds none (or no table at all), and any of these where tables bind some of them. An outcome reaches the copies that its
//! call has reached; the outcome of a call that is never bound those that the rest of its letter reaches. So one copy
//! together with all unbound laws is exact, and several copies are a joint game.
//!
//! Tracks are positions that see the same letters and need one common strategy: each has its own states of laws and registers;
//! what is pending in one is pending in all. With them the open outcomes of a script are one subset game. A letter of the
//! world is possible if some track allows it; tracks on which it would break an `assume` law are ruled out by it.
//!
//! # Encoding
//!
//! Binary decision diagrams ([`Guards`](crate::logic::Guards)); preimages by composition with next-state functions. The budget
//! counts nodes; a store that is full gives up with a [`Limit`](crate::base::Limit), never with an answer. Checked against an
//! explicit game over all letters in `tests/it/policy_game`.

mod arena;
mod conjunction;
mod decide;
mod functions;
mod infinite;
mod layout;
mod legal;
mod position;
mod roles;
mod soft;
mod solve;
mod solved;
mod way;

pub use conjunction::Conjunction;
pub use decide::{GAME_NODES, Game, GameOptions, GameSize};
pub use layout::Turns;
pub(crate) use layout::VariableKind;
pub use position::{GameLetter, PolicyPosition, Stepping};
pub use soft::SoftGames;
pub use solved::{LetterMoves, SolvedGame, Ways};
pub use way::WayStep;
