//! Reading of world files.

use super::entries::WorldFile;
use super::resolve::resolve;
use super::spec::WorldSpec;
use crate::toml_or_json::toml_or_json;
use serde::Deserialize;
use tsl_synth_policy::CompiledPolicy;

/// The schema of world files.
pub fn world_schema() -> schemars::Schema {
    schemars::schema_for!(WorldFile)
}

/// The policy that a world file names, if it names one. `None` for a text that is no world file.
///
/// # Errors
/// A text that begins like a world file and cannot be read, with the reason.
pub fn world_policy(text: &str, is_json: bool) -> Result<Option<Option<String>>, String> {
    #[derive(Deserialize)]
    struct Head {
        world: Option<serde_json::Value>,
        policy: Option<serde_json::Value>,
    }
    let head: Head = toml_or_json(text, is_json)?;
    let named = head.policy.as_ref().and_then(|policy| policy.as_str()).map(str::to_owned);
    Ok(head.world.map(|_| named))
}

impl WorldSpec {
    /// The world of the effects alone: everything that may happen happens every other time, and there is no task.
    ///
    /// # Panics
    /// Never, since nothing is named that the policy might not have.
    pub fn of_policy(compiled: &CompiledPolicy) -> Self {
        let empty = WorldFile { world: 1, ..WorldFile::default() };
        resolve(Some(&compiled.policy), &empty).expect("an empty file names nothing")
    }

    /// Reads a world file in TOML or JSON. The policy is the one whose names and effects the file is about; a world with
    /// rules of its own needs none.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence: with the line for a text that is not TOML or JSON or has other fields.
    pub fn read(text: &str, is_json: bool, compiled: Option<&CompiledPolicy>) -> Result<Self, String> {
        let file: WorldFile = toml_or_json(text, is_json)?;
        if file.world != 1 {
            return Err(format!("`world = {}`: this version of the program reads `world = 1`", file.world));
        }
        resolve(compiled.map(|compiled| &compiled.policy), &file)
    }
}
