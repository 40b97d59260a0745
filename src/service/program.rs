//! Games over programs: `check` of `.rpg` and `.issy`.

use super::{Failure, FailureKind, FilesReport, Input, VERSION, emitted};
use crate::Session;
use std::collections::BTreeMap;
use std::time::Duration;
use tsl_synth_core::base::{Budget, Limit, LimitKind, Rational};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{ProgramGame, ProgramNodes, ProgramSort, ProgramVariable};
use tsl_synth_documents::{CheckVerdict, ProgramCertificateDocument, ProgramPlayStep, ProgramResult};
use tsl_synth_emit::emit_program;
use tsl_synth_kernel::CertifyError;
use tsl_synth_programs::{NumberPlay, Solution, Winner, controller, losing_play, read_program, solve};

pub use tsl_synth_programs::ProgramLanguage;

/// The most steps of a play that is reported.
const PLAY: usize = 12;

/// Asks who wins a game over a program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProgramRequest {
    /// The text.
    pub text: Input,
    /// Its language.
    pub language: ProgramLanguage,
}

impl ProgramRequest {
    /// Asks about this text.
    pub fn new(text: Input, language: ProgramLanguage) -> Self {
        Self { text, language }
    }
}

/// The answer about a game over a program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProgramReport {
    /// The name of the text.
    pub name: String,
    /// The game that was solved and who wins it; `None` if a limit was reached before.
    pub solution: Option<Solution>,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// A play that the environment wins.
    pub play: Option<NumberPlay>,
    /// How long it took.
    pub elapsed: Duration,
}

impl ProgramReport {
    /// The answer.
    pub fn verdict(&self) -> CheckVerdict {
        match self.solution.as_ref().and_then(|solution| solution.answer.as_ref()) {
            Some((Winner::System, _)) => CheckVerdict::Realizable,
            Some((Winner::Environment, _)) => CheckVerdict::Unrealizable,
            None => CheckVerdict::Unknown,
        }
    }

    /// The result of `check --format json`.
    pub fn result(&self) -> ProgramResult {
        let mut result = ProgramResult::new(&self.name, Vec::new());
        result.verdict = Some(self.verdict());
        result.reason.clone_from(&self.reason);
        result.seconds = self.elapsed.as_secs_f64();
        let Some(solution) = &self.solution else { return result };
        (result.locations, result.moves) = (solution.game.locations.len(), solution.game.moves.len());
        result.certificate = solution.answer.as_ref().map(|(_, certificate)| ProgramCertificateDocument {
            regions: match &certificate.nodes {
                ProgramNodes::System(nodes) => nodes.len(),
                ProgramNodes::Environment(nodes) => nodes.len(),
            },
            components: certificate.components.len(),
        });
        if let Some(play) = &self.play {
            result.play = play
                .steps
                .iter()
                .map(|step| {
                    let game = &solution.game;
                    let (cells, rest) = game.variables.split_at(game.cells);
                    ProgramPlayStep {
                        location: game.locations[step.location].clone(),
                        state: named(cells, &step.cells),
                        inputs: named(rest, &step.inputs),
                    }
                })
                .collect();
            result.repeats_from = play.repeats_from;
        }
        result
    }
}

fn named(variables: &[ProgramVariable], values: &[Rational]) -> BTreeMap<String, String> {
    let shown = |(variable, value): (&ProgramVariable, &Rational)| {
        let text = match variable.sort {
            ProgramSort::Boolean => value.is_positive().to_string(),
            ProgramSort::Integer | ProgramSort::Real => value.to_string(),
        };
        (variable.name.clone(), text)
    };
    variables.iter().zip(values).map(shown).collect()
}

impl Session<'_> {
    /// Decides who wins a game over a program; the answer is certified.
    ///
    /// # Errors
    /// Errors of the text, a certificate that fails.
    pub fn check_program(&mut self, request: &ProgramRequest) -> Result<ProgramReport, Failure> {
        self.deep(|session| session.check_program_here(request))
    }

    /// The certified controller of a game over a program as Python.
    ///
    /// # Errors
    /// Errors of the text, no controller, a limit.
    pub fn emit_program(
        &mut self,
        request: &ProgramRequest,
        stem: Option<&str>,
    ) -> Result<FilesReport, Failure> {
        let report = self.check_program(request)?;
        let name = report.name.clone();
        let stem = emitted::stem(stem, &name, "controller");
        let no_controller = || FailureKind::NoStrategy { player: Player::System, notion: None };
        let (game, certificate) = match report.solution {
            Some(Solution { game, answer: Some((Winner::System, certificate)) }) => (game, certificate),
            Some(Solution { answer: Some((Winner::Environment, _)), .. }) => {
                return Err(Failure::of_kind(no_controller()));
            }
            _ => {
                let what = report.reason.unwrap_or_default();
                return Err(Failure::from(Limit::new(LimitKind::Work, what)));
            }
        };
        self.deep(|_| {
            let controller = controller(&game, &certificate)
                .ok_or_else(|| Failure::internal("a certificate without a controller"))?;
            let files = emit_program(&game, &controller, &name, &stem, VERSION)?;
            Ok(FilesReport { name: name.clone(), target: "python", files, diagnostics: Diagnostics::new() })
        })
    }

    fn check_program_here(&mut self, request: &ProgramRequest) -> Result<ProgramReport, Failure> {
        let begin = self.clock.now();
        let source = self.source(&request.text)?;
        let text = read_program(&self.sources, source, request.language)?;
        let budget = Budget::unlimited().with_flag(self.cancel.clone());
        let (solution, reason) = match solve(&text, &budget) {
            Ok(solution) if solution.answer.is_none() => {
                (Some(solution), Some("neither player's strategy was found".to_string()))
            }
            Ok(solution) => (Some(solution), None),
            Err(CertifyError::Limit(limit)) => (None, Some(limit.to_string())),
            Err(error) => return Err(Failure::internal(format!("the certificate fails: {error}"))),
        };
        let answer = solution.as_ref().and_then(|solution| {
            solution.answer.as_ref().map(|(_, certificate)| (&solution.game, certificate))
        });
        let play =
            answer.and_then(|(game, certificate): (&ProgramGame, _)| losing_play(game, certificate, PLAY));
        let elapsed = self.clock.now().saturating_sub(begin);
        Ok(ProgramReport { name: request.text.shown(), solution, reason, play, elapsed })
    }
}
