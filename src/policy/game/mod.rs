//! The game of all laws of a policy: the choices after which the agent can continue and finally stop, whatever the
//! world does.
//!
//! # Positions and letters
//!
//! A **position** has the states of the monitors of all laws (which include the values of propositions that hold until
//! they are cleared), for each action the number of its calls without an outcome (exact up to some number), the registers,
//! and, where truths and a call join in one letter, the last letter or the truths since then. A position is **lost**
//! when a law that the agent has to keep is violated.
//!
//! A **letter of the world** has no call and is not empty. It has at most one outcome, of an action that is pending; if
//! as many calls are pending as are counted, the world chooses whether as many or one less are left. It sets and clears propositions
//! freely, with these exceptions: those that only tables about calls set belong to the agent; computed ones follow from
//! the registers; and those that some action's effects name change only in letters with an outcome of such an action
//! (`may_set` and `sets` allow setting, `may_clear` and `clears` clearing; `sets` and `clears` must happen when the
//! outcome is ok, unless the letter may do the opposite, too; propositions that the agent raises are not forced). It
//! does not violate an `assume` law that is not yet violated; a violated one is not a constraint any more. A **letter
//! of the agent** has exactly one call and any of the agent's own propositions, `opaque` among them, and no others.
//!
//! An effect of a call that is not known to have succeeded may or may not have happened; `quantities` are treated only
//! by the search for trajectories.
//!
//! # Turns
//!
//! - [`Turns::Apart`] (`per-event`, `state-change`, and policies without actions): letters of the world come between
//!   the agent's choices. After a choice the world answers with any finite sequence of letters, none included.
//! - [`Turns::CallFirst`] (`per-action` with `timing = "next"`): the agent chooses the call and its own propositions,
//!   then the world chooses everything else in the same letter, including outcomes of pending calls (this one, too), at
//!   most one for each action. A momentary proposition under effects keeps its last value unless the letter has a call
//!   or an outcome of an action that may change it. There are no other letters. A choice to which the world has no
//!   answer is lost.
//! - [`Turns::TruthsFirst`] (`per-action` with `timing = "same"`): truths accumulate (a later `set` undoes a `clear`;
//!   each action's outcome joins a letter at most once) to a letter that breaks no `assume` law without a call; then
//!   the agent's call joins them. At the end, truths that are not yet part of a letter form the last one.
//!
//! The agent chooses a call, nothing (if the policy has `idle`), or the end, which is accepted if every kept law holds
//! on the word so far.
//!
//! # Registers
//!
//! The letter's own call is counted first, then the proposition shows whether the number is above the bound, and after
//! that a letter of `reset_on` makes the number 0. A `count` is exact up to the first number above the bound. A `sum`
//! is one bit: a letter of `on` has its old value, and the world may raise it for the next letter. With a `window` the
//! world may also decrease the number after any letter. These decisions of the world are part of its answer. A register
//! may refer to those declared before it.
//!
//! # Winning
//!
//! With `C(Z)` the largest subset of `Z` that no letter of the world leaves, and `V(Y)` the positions from which
//! letters of the world may lead to `Y`, the winning positions are
//!
//! ```text
//! X = νZ. μY. { p : the end is accepted in p }
//!           ∪ { p : for some call all answers lead to C(Z), and some answer leads to V(Y) }
//!           ∪ (C(Z) ∩ V(Y), if the agent may do nothing)
//! ```
//!
//! A choice is **allowed** if all answers to it lead to `C(X)`; for a known letter this takes one step of the monitors
//! and one evaluation of a decision diagram. It is **step-legal** if no answer violates a law in this letter. A
//! position is over-constrained if no call is step-legal and the policy has no `idle`. With `end = "infinite"` the end
//! is never accepted and the fixpoint of `Y` is omitted; only safety laws are decided.
//!
//! # Copies and tracks
//!
//! Laws with `for_each` have copies, the same number for each list of bound values. A letter *reaches* a copy if it is
//! a step of the copy's monitor. Every letter reaches the laws without `for_each`. It reaches one copy or none if a
//! table of some atom in it binds all values, all copies if every atom in it has a table that binds none (or no table
//! at all), and any of these if tables bind some of the values. An outcome reaches the copies that its call reached or,
//! if the call is never bound, those that the rest of its letter reaches. So the game of one copy together with all
//! unbound laws is exact, and several copies are a joint game.
//!
//! Tracks are positions that read the same letters and need one common strategy, because the agent cannot distinguish
//! them: each has its own states of laws and registers; the pending calls are the same in all. With them, a script with
//! unknown outcomes is a subset game. A letter of the world is possible if some track allows it; tracks on which it
//! would break an `assume` law are ruled out by it.
//!
//! # Encoding
//!
//! Binary decision diagrams ([`Guards`](tsl_synth_core::logic::Guards)); preimages by composition with next-state functions. The
//! budget counts nodes; if the store is full, the result is a [`Limit`](tsl_synth_core::base::Limit), never an answer. Checked
//! against an explicit game over all letters in `tests/it/policy_game`.

mod arena;
mod conjunction;
mod decide;
mod functions;
mod infinite;
mod influence;
mod layout;
mod legal;
mod order;
mod parts;
mod position;
mod rows;
mod set_abstraction;
mod solve;
mod solved;
mod strictest;
mod way;

pub use conjunction::Conjunction;
pub use decide::{GAME_NODES, Game, GameOptions, GameSize};
pub use layout::VariableKind;
pub use layout::{GameLayout, Turns};
pub use order::PositionOrder;
pub use parts::{PolicyPart, Standing, connected_parts, parts};
pub use position::{GameLetter, PolicyPosition, Stepping};
pub use rows::Rows;
pub use set_abstraction::SetAbstraction;
pub use solved::{LetterMoves, SolvedGame, Ways};
pub use strictest::keep_strictest;
pub use way::WayStep;
