//! Policies at run time: events become letters, laws are monitored, and decisions are made.

mod compiled;
mod game;

pub use compiled::CompiledPolicy;
pub use game::{
    Conjunction, GAME_NODES, Game, GameLetter, GameOptions, GameSize, Position, SoftGames, Stepping, Turns,
    WayStep,
};
