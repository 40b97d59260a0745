//! Simulated environments for agents under policies. They are deterministic and do no input or output: the same seed
//! and actions give the same world.
//!
//! An environment reports its state as a [`WorldMessage`]. For an agent it is a port like all others: [`Simulated`]
//! answers requests of the kind `act` with messages as JSON. So a program that reads and writes JSON lines can be an
//! environment, too.

mod inventory_model;
mod message;
mod refusal;
mod rules;

pub use inventory_model::{InventoryModel, ModelRates};
pub use message::{Offer, ToolCall, WorldMessage};
pub use rules::{
    EffectsModel, EffectsRates, EffectsWorld, LawModel, LawRates, WorldSpec, WorldTask, world_policy,
    world_schema,
};

use super::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};

/// The pseudo-action by which an agent requests the first message, before its first action.
pub const BEGIN: &str = "begin";

/// What a request of kind [`AnswerKind::Imagine`] is about, if everything that may happen by chance is to happen.
pub const WITH_CHANCES: &str = "all that may happen happens";

/// An environment.
pub trait Environment {
    /// The message to the agent. `ok` and the beginning of the text refer to the last action.
    fn message(&self) -> WorldMessage;
    /// Carries out an action. An unknown or impossible action fails and changes nothing observable but the report on
    /// it.
    fn act(&mut self, action: &str);
    /// A copy for trying actions. In it no action fails at random; with `chances` all random effects take place, else none.
    fn imagined(&self, chances: bool) -> Self
    where
        Self: Sized;
}

/// An environment as the port to the world.
#[derive(Clone, Debug)]
pub struct Simulated<E>(pub E);

impl<E: Environment> Oracle for Simulated<E> {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        if request.kind == AnswerKind::Imagine {
            let mut copy = self.0.imagined(request.about == WITH_CHANCES);
            let told = request.choices.iter().map(|action| {
                copy.act(action);
                copy.message().json()
            });
            let told: Vec<String> = told.collect();
            return Ok(OracleAnswer::Text(format!("[{}]", told.join(","))));
        }
        if request.kind != AnswerKind::Act {
            let message = format!("an environment does not answer requests of kind `{}`", request.kind);
            return Err(OracleError::Unusable(message));
        }
        if request.subject != BEGIN {
            self.0.act(&request.subject);
        }
        Ok(OracleAnswer::Text(self.0.message().json()))
    }
    fn imagines(&self) -> bool {
        true
    }
}
