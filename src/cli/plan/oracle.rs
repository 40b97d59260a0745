//! The oracles of `plan drive`.

use crate::oracles::{self, Access};
use tsl_synth_agents::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::base::Random;

/// Chooses by a rule.
enum ChoiceRule {
    First,
    Last,
    Random(Random),
}

impl Oracle for ChoiceRule {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let n = request.choices.len();
        if n == 0 {
            return Err(OracleError::Unusable("there is nothing to choose from".into()));
        }
        let chosen = match self {
            Self::First => 0,
            Self::Last => n - 1,
            Self::Random(random) => random.below(n),
        };
        Ok(if request.kind == AnswerKind::ChooseMany {
            OracleAnswer::Choices(vec![chosen])
        } else {
            OracleAnswer::Choice(chosen)
        })
    }
}

/// The oracle of this name.
///
/// # Errors
/// If no oracle has this name, or it cannot be opened.
pub(crate) fn open(name: &str, access: &Access) -> Result<Box<dyn Oracle>, String> {
    match name {
        "first" => Ok(Box::new(ChoiceRule::First)),
        "last" => Ok(Box::new(ChoiceRule::Last)),
        "random" => Ok(Box::new(ChoiceRule::Random(Random::new(access.seed)))),
        _ => oracles::open(name, access).map_err(|error| format!("{error:#}")),
    }
}
