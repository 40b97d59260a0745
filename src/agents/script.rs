//! An oracle that answers from a script.

use super::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};

/// An answer of a script, with the requests that it applies to.
#[derive(Clone, Debug, PartialEq)]
pub struct Scripted {
    /// Only for requests of this kind; `None` means every request that admits an answer of this form.
    pub kind: Option<AnswerKind>,
    /// Only for requests with this subject; `None` means any subject.
    pub subject: Option<String>,
    /// Whether it may be given any number of times.
    pub repeat: bool,
    /// The answer, or why there is none.
    pub outcome: Result<OracleAnswer, OracleError>,
}

impl Scripted {
    fn fits(&self, request: &OracleRequest) -> bool {
        let of_its_form = || match (&self.outcome, request.kind) {
            (Ok(OracleAnswer::Truth(_)), kind) => kind == AnswerKind::Predicate,
            (Ok(OracleAnswer::Choice(_) | OracleAnswer::Reasoned { .. }), kind) => kind == AnswerKind::Choose,
            (Ok(OracleAnswer::Choices(_)), kind) => kind == AnswerKind::ChooseMany,
            (Ok(OracleAnswer::Scores(_)), kind) => kind == AnswerKind::Score,
            (Ok(OracleAnswer::Text(_)), kind) => kind.is_text(),
            (Err(_), _) => true,
        };
        self.kind.map_or_else(of_its_form, |kind| kind == request.kind)
            && self.subject.as_ref().is_none_or(|subject| *subject == request.subject)
    }
}

/// Answers each request with the first answer of the script that applies to it and is unused or repeatable.
#[derive(Clone, Debug, Default)]
pub struct Script {
    answers: Vec<Option<Scripted>>,
}

impl Script {
    /// The script with these answers.
    pub fn new(answers: Vec<Scripted>) -> Self {
        Self { answers: answers.into_iter().map(Some).collect() }
    }
}

impl Oracle for Script {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let found =
            self.answers.iter_mut().find(|slot| slot.as_ref().is_some_and(|answer| answer.fits(request)));
        let Some(slot) = found else {
            let OracleRequest { kind, subject, .. } = request;
            return Err(OracleError::Ended(format!(
                "the script has no more answers to `{kind}` about `{subject}`"
            )));
        };
        match slot {
            Some(answer) if answer.repeat => answer.outcome.clone(),
            once => {
                once.take().map_or(Err(OracleError::Ended("the script is at its end".into())), |a| a.outcome)
            }
        }
    }
}
