//! The game of all laws of a policy (TODO docs)

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
mod way;

pub use conjunction::Conjunction;
pub use decide::{GAME_NODES, Game, GameOptions, GameSize};
pub use layout::Turns;
pub use position::{GameLetter, Position, Stepping};
pub use soft::SoftGames;
pub use way::WayStep;
