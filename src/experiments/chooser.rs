//! A simulated model that chooses among numbered choices.

use tsl_synth_agents::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::base::Random;

/// Chooses at random; some answers are not numbers.
pub(super) struct RandomChooser {
    pub(super) random: Random,
    /// Percent of answers that are not numbers.
    pub(super) malformed: u32,
}

impl Oracle for RandomChooser {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        if self.random.below(100) < self.malformed as usize {
            return Err(OracleError::invalid("banana", "a whole number from 1 is expected"));
        }
        let chosen = self.random.below(request.choices.len().max(1));
        Ok(if request.kind == AnswerKind::ChooseMany {
            OracleAnswer::Choices(vec![chosen])
        } else {
            OracleAnswer::Choice(chosen)
        })
    }
}
