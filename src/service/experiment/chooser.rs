//! A simulated model that chooses among numbered choices.

use crate::base::Random;
use crate::control::{Answer, Kind, Oracle, OracleError, Request};

/// Chooses at random; some answers are no number.
pub(super) struct Chooser {
    pub(super) random: Random,
    /// Percent of answers that are no number.
    pub(super) malformed: u32,
}

impl Oracle for Chooser {
    fn ask(&mut self, request: &Request) -> Result<Answer, OracleError> {
        if self.random.below(100) < self.malformed as usize {
            return Err(OracleError::invalid("banana", "a whole number from 1 is expected"));
        }
        let chosen = self.random.below(request.choices.len().max(1));
        Ok(if request.kind == Kind::ChooseMany {
            Answer::Choices(vec![chosen])
        } else {
            Answer::Choice(chosen)
        })
    }
}
