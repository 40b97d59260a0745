//! Environments of ours for agents under policies, without input and output: the same seed and actions give the same world.
//!
//! An environment reports what holds as a [`WorldMessage`], and an agent asks it as it asks every other port: [`Simulated`]
//! answers requests of the kind `act` with messages as JSON. So a program that speaks JSON lines can be an environment, too.

mod household;
mod household_model;
mod inventory;
mod inventory_model;
mod message;

pub use household::{HOUSEHOLD_TASKS, Household, Room};
pub use household_model::{HouseholdModel, HouseholdRates};
pub use inventory::{ACTIONS, Inventory, InventoryRates, OBSERVATIONS, SUB_GOALS, inventory_observations};
pub use inventory_model::{InventoryModel, ModelRates};
pub use message::{Offer, ToolCall, WorldMessage};

use super::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};

/// The action by which an agent asks what it sees before it did anything.
pub const BEGIN: &str = "begin";

/// An environment.
pub trait Environment {
    /// What the agent sees. `ok` and the beginning of the text are about the last action.
    fn message(&self) -> WorldMessage;
    /// Does an action; one that does not exist, or cannot be done, fails and changes nothing that is seen.
    fn act(&mut self, action: &str);
}

/// An environment as the port to the world.
#[derive(Clone, Debug)]
pub struct Simulated<E>(pub E);

impl<E: Environment> Oracle for Simulated<E> {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        if request.kind != AnswerKind::Act {
            let message = format!("an environment does not answer requests of kind `{}`", request.kind);
            return Err(OracleError::Unusable(message));
        }
        if request.subject != BEGIN {
            self.0.act(&request.subject);
        }
        Ok(OracleAnswer::Text(self.0.message().json()))
    }
}
