//! An oracle that answers from a script.

use super::{Answer, Kind, Oracle, OracleError, Request};

/// An answer of a script, with the requests that it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Scripted {
    /// For requests of this kind only; without it for those that want an answer of this form.
    pub kind: Option<Kind>,
    /// For requests about this only.
    pub subject: Option<String>,
    /// Whether it may be given any number of times.
    pub repeat: bool,
    /// The answer, or why there is none.
    pub outcome: Result<Answer, OracleError>,
}

impl Scripted {
    fn fits(&self, request: &Request) -> bool {
        let of_its_form = || match (&self.outcome, request.kind) {
            (Ok(Answer::Truth(_)), kind) => kind == Kind::Predicate,
            (Ok(Answer::Choice(_)), kind) => kind == Kind::Choose,
            (Ok(Answer::Choices(_)), kind) => kind == Kind::ChooseMany,
            (Ok(Answer::Scores(_)), kind) => kind == Kind::Score,
            (Ok(Answer::Text(_)), kind) => {
                matches!(kind, Kind::Generate | Kind::Message | Kind::Act | Kind::Translate)
            }
            (Err(_), _) => true,
        };
        self.kind.map_or_else(of_its_form, |kind| kind == request.kind)
            && self.subject.as_ref().is_none_or(|subject| *subject == request.subject)
    }
}

/// Answers each request with the first answer of the script that is for it and was not given yet, or may be repeated.
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
    fn ask(&mut self, request: &Request) -> Result<Answer, OracleError> {
        let found =
            self.answers.iter_mut().find(|slot| slot.as_ref().is_some_and(|answer| answer.fits(request)));
        let Some(slot) = found else {
            let Request { kind, subject, .. } = request;
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
