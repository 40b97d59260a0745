//! Who chooses in `plan drive`.

use crate::oracles::{self, Access};
use tsl_synth::base::Random;
use tsl_synth::control::{Answer, Kind, Oracle, OracleError, Request};

/// Chooses by a rule.
enum Rule {
    First,
    Last,
    Random(Random),
}

impl Oracle for Rule {
    fn ask(&mut self, request: &Request) -> Result<Answer, OracleError> {
        let n = request.choices.len();
        if n == 0 {
            return Err(OracleError::Unusable("there is nothing to choose from".into()));
        }
        let chosen = match self {
            Self::First => 0,
            Self::Last => n - 1,
            Self::Random(random) => random.below(n),
        };
        Ok(if request.kind == Kind::ChooseMany {
            Answer::Choices(vec![chosen])
        } else {
            Answer::Choice(chosen)
        })
    }
}

/// The oracle of this name.
///
/// # Errors
/// Why there is none.
pub(super) fn open(name: &str, access: &Access) -> Result<Box<dyn Oracle>, String> {
    match name {
        "first" => Ok(Box::new(Rule::First)),
        "last" => Ok(Box::new(Rule::Last)),
        "random" => Ok(Box::new(Rule::Random(Random::new(access.seed)))),
        _ => oracles::open(name, access).map_err(|error| format!("{error:#}")),
    }
}
