//! Who chooses in `plan drive`.

use std::path::Path;
use tsl_synth::base::Random;
use tsl_synth::control::{Answer, Kind, Oracle, OracleError, Request, Script};
use tsl_synth::service::Loader;
use tsl_synth::wire::read_script;

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

/// The oracle of this name. Oracles that are programs, servers or persons are to be opened here.
///
/// # Errors
/// Why there is none.
pub(super) fn open(name: &str, seed: u64) -> Result<Box<dyn Oracle>, String> {
    if let Some(path) = name.strip_prefix("script:") {
        let loader = crate::files::DiskLoader::new(None);
        let unreadable = |why: String| format!("cannot read the script `{path}`: {why}");
        let bytes = loader.read(Path::new(path)).map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".into()))?;
        let answers = read_script(&text).map_err(|(line, why)| unreadable(format!("line {line}: {why}")))?;
        return Ok(Box::new(Script::new(answers)));
    }
    match name {
        "first" => Ok(Box::new(Rule::First)),
        "last" => Ok(Box::new(Rule::Last)),
        "random" => Ok(Box::new(Rule::Random(Random::new(seed)))),
        _ => Err(format!("there is no oracle `{name}`: say `first`, `last`, `random` or `script:FILE`")),
    }
}
