//! Games over programs: `check` of `.rpg` and `.issy`.

use super::{Failure, FailureKind, FilesReport, Input, VERSION, emitted};
use crate::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tsl_synth_core::base::{Budget, Limit, LimitKind, Rational, StopFlag};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, Player, Sum};
use tsl_synth_core::model::{
    ProgramGame, ProgramMove, ProgramNodes, ProgramSort, ProgramText, ProgramVariable,
};
use tsl_synth_documents::{
    CheckPlay, CheckStep, CheckVerdict, ProgramCertificateDocument, ProgramPlay, ProgramPlayStep,
    ProgramResult,
};
use tsl_synth_emit::{EmittedFile, Lang, ProgramFile, emit_program};
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
    /// The meaning of actions, which the games of specifications have.
    pub actions: Option<Actions>,
    /// How long it took.
    pub elapsed: Duration,
}

/// The meaning of the actions of a game.
#[derive(Clone, Debug)]
pub struct Actions {
    pub(super) alphabet: Alphabet,
    pub(super) atoms: Vec<AtomId>,
    /// The cells that are Boolean outputs.
    pub(super) outputs: BTreeSet<String>,
    /// The cells that only the translation has.
    pub(super) hidden: BTreeSet<String>,
    pub(super) has_unknown_terms: bool,
}

impl Actions {
    /// An update; that of a Boolean output to a constant as the output, `pump` or `!pump`.
    fn name(&self, atom: AtomId) -> String {
        if let AtomKind::Update(cell, _) = self.alphabet.atoms()[atom].kind {
            let name = &self.alphabet.cells()[cell].name;
            let term = self.outputs.contains(name).then(|| self.alphabet.update_term(atom)).flatten();
            match term.map(|term| term.trim_end_matches("()")) {
                Some("true") => return name.clone(),
                Some("false") => return format!("!{name}"),
                _ => {}
            }
        }
        self.alphabet.atoms()[atom].name.clone()
    }

    /// The updates and the Boolean outputs of a move, without those of hidden cells.
    fn of(&self, actions: u64) -> impl Iterator<Item = AtomId> + '_ {
        let is_shown = |atom: &AtomId| match self.alphabet.atoms()[*atom].kind {
            AtomKind::Update(cell, _) => !self.hidden.contains(&self.alphabet.cells()[cell].name),
            AtomKind::Output(_) | AtomKind::Input(_) => true,
        };
        let taken = self.atoms.iter().enumerate().filter(move |(at, _)| actions >> at & 1 == 1);
        taken.map(|(_, &atom)| atom).filter(is_shown)
    }
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
        result.play = self.shown_play();
        result
    }

    /// The play with names.
    pub fn shown_play(&self) -> ProgramPlay {
        let (Some(play), Some(solution)) = (&self.play, &self.solution) else {
            return ProgramPlay::default();
        };
        let game = &solution.game;
        let (cells, rest) = game.variables.split_at(game.cells);
        let lost = play.lost.as_ref().map(|lost| ProgramPlayStep {
            location: game.locations[lost.location].clone(),
            state: self.named(cells, &lost.cells),
            inputs: lost.inputs.as_ref().map(|inputs| self.named(rest, inputs)).unwrap_or_default(),
            answer: Vec::new(),
        });
        let mut shown = ProgramPlay { steps: Vec::new(), repeats_from: play.repeats_from, lost };
        for step in &play.steps {
            let chosen = &game.moves[step.chosen];
            let answer = match &self.actions {
                Some(own) => own.of(chosen.actions).map(|atom| own.name(atom)).collect(),
                None => transition(game, chosen),
            };
            shown.steps.push(ProgramPlayStep {
                location: game.locations[step.location].clone(),
                state: self.named(cells, &step.cells),
                inputs: self.named(rest, &step.inputs),
                answer,
            });
        }
        shown
    }

    /// Whether a variable has a name in the text.
    fn is_shown(&self, name: &str) -> bool {
        !self.actions.as_ref().is_some_and(|actions| actions.hidden.contains(name))
    }

    fn named(&self, variables: &[ProgramVariable], values: &[Rational]) -> BTreeMap<String, String> {
        let shown = |(variable, value): (&ProgramVariable, &Rational)| {
            let text = match variable.sort {
                ProgramSort::Boolean => value.is_positive().to_string(),
                ProgramSort::Integer | ProgramSort::Real => value.to_string(),
            };
            (variable.name.clone(), text)
        };
        variables.iter().zip(values).filter(|(own, _)| self.is_shown(&own.name)).map(shown).collect()
    }

    /// The values of a step of a play of a specification.
    fn values_of_step(&self, game: &ProgramGame, cells: &[Rational], inputs: &[Rational]) -> CheckStep {
        let mut shown = CheckStep::default();
        for (variable, value) in game.variables.iter().zip(cells.iter().chain(inputs)) {
            let name = variable.name.clone();
            if !self.is_shown(&name) {
                continue;
            }
            if variable.sort == ProgramSort::Boolean {
                shown.inputs.insert(name, value.is_positive());
            } else {
                shown.numbers.insert(name, value.to_string());
            }
        }
        shown
    }

    /// The play as one of a specification.
    pub(super) fn check_play(&self) -> Option<CheckPlay> {
        let (play, solution, actions) =
            (self.play.as_ref()?, self.solution.as_ref()?, self.actions.as_ref()?);
        let game = &solution.game;
        let alphabet = &actions.alphabet;
        let mut steps = Vec::new();
        for step in &play.steps {
            let mut shown = self.values_of_step(game, &step.cells, &step.inputs);
            for atom in alphabet.outputs() {
                shown.outputs.insert(alphabet.atoms()[atom].name.clone(), false);
            }
            for atom in actions.of(game.moves[step.chosen].actions) {
                match alphabet.atoms()[atom].kind {
                    AtomKind::Update(cell, _) => {
                        let term = alphabet.update_term(atom).unwrap_or_default().to_owned();
                        shown.updates.insert(alphabet.cells()[cell].name.clone(), term);
                    }
                    AtomKind::Output(_) => {
                        shown.outputs.insert(alphabet.atoms()[atom].name.clone(), true);
                    }
                    AtomKind::Input(_) => {}
                }
            }
            steps.push(shown);
        }
        if let Some((lost, inputs)) = play.lost.as_ref().and_then(|lost| Some((lost, lost.inputs.as_ref()?)))
        {
            steps.push(self.values_of_step(game, &lost.cells, inputs));
        }
        Some(CheckPlay { steps, repeats_from: play.repeats_from, failures: Vec::new(), shortest: false })
    }

    /// The controller as code.
    pub(super) fn code(&self, lang: Lang, stem: &str) -> Result<Vec<EmittedFile>, Failure> {
        let no_controller = FailureKind::NoStrategy { player: Player::System, notion: None };
        let (game, certificate) = match &self.solution {
            Some(Solution { game, answer: Some((Winner::System, certificate)) }) => (game, certificate),
            Some(Solution { answer: Some((Winner::Environment, _)), .. }) => {
                return Err(Failure::of_kind(no_controller));
            }
            _ => {
                let what = self.reason.clone().unwrap_or_default();
                return Err(Failure::from(Limit::new(LimitKind::Work, what)));
            }
        };
        let names = match &self.actions {
            Some(actions) if actions.has_unknown_terms => {
                let what = "a controller whose updates apply functions that are not computed, as a program over numbers, is not emitted";
                return Err(Failure::from(Limit::new(LimitKind::Size, what)));
            }
            Some(actions) => actions.atoms.iter().map(|&atom| actions.name(atom)).collect(),
            None => Vec::new(),
        };
        let controller = controller(game, certificate)
            .ok_or_else(|| Failure::internal("a certificate without a controller"))?;
        let file = ProgramFile { source: &self.name, stem, version: VERSION };
        Ok(emit_program(game, &controller, &names, lang, file)?)
    }

    /// How the answer was checked.
    pub fn certificate(&self) -> Option<String> {
        Some(match self.result().certificate?.regions {
            1 => "1 region of states, checked step by step".into(),
            regions => format!("{regions} regions of states, checked step by step"),
        })
    }
}

/// The updates of a move that change a cell, as text.
fn transition(game: &ProgramGame, chosen: &ProgramMove) -> Vec<String> {
    let changed = chosen.updates.iter().zip(&game.variables).enumerate();
    let changed = changed.filter(|(at, (sum, _))| **sum != Sum::variable(*at as u32));
    let all: Vec<String> =
        changed.map(|(_, (sum, cell))| format!("[{} <- {}]", cell.name, sum_text(game, cell, sum))).collect();
    if all.is_empty() { vec!["no change".into()] } else { all }
}

/// A sum with the names of its variables.
fn sum_text(game: &ProgramGame, cell: &ProgramVariable, sum: &Sum) -> String {
    if let (ProgramSort::Boolean, Some(value)) = (cell.sort, sum.value()) {
        return value.is_positive().to_string();
    }
    let name = |variable: u32| {
        game.variables.get(variable as usize).map_or_else(String::new, |own| own.name.clone())
    };
    sum.text(name, |number| number.to_string())
}

impl Session<'_> {
    /// Decides who wins a game over a program; the answer is certified.
    ///
    /// # Errors
    /// Errors of the text, a certificate that fails.
    pub fn check_program(&mut self, request: &ProgramRequest) -> Result<ProgramReport, Failure> {
        self.deep(|session| session.check_program_here(request))
    }

    /// The certified controller of a game over a program as code, in Python or JavaScript.
    ///
    /// # Errors
    /// Errors of the text, no controller, a limit, another language.
    pub fn emit_program(
        &mut self,
        request: &ProgramRequest,
        lang: Lang,
        stem: Option<&str>,
    ) -> Result<FilesReport, Failure> {
        let report = self.check_program(request)?;
        let name = report.name.clone();
        let stem = emitted::stem(stem, &name, "controller");
        let files = self.deep(|_| report.code(lang, &stem))?;
        Ok(FilesReport { name, target: lang.name(), files, diagnostics: Diagnostics::new() })
    }

    fn check_program_here(&mut self, request: &ProgramRequest) -> Result<ProgramReport, Failure> {
        let source = self.source(&request.text)?;
        let text = read_program(&self.sources, source, request.language)?;
        self.decided(request.text.shown(), &text, true, &self.cancel)
    }

    /// The answer about a game; a win of the environment counts only if the game is exact.
    pub(super) fn decided(
        &self,
        name: String,
        text: &ProgramText,
        is_exact: bool,
        stop: &StopFlag,
    ) -> Result<ProgramReport, Failure> {
        let begin = self.clock.now();
        let budget = Budget::unlimited().with_flag(stop.clone());
        let (mut solution, mut reason) = match solve(text, &budget) {
            Ok(solution) => (Some(solution), None),
            Err(CertifyError::Limit(limit)) => (None, Some(limit.to_string())),
            Err(error) => return Err(Failure::internal(format!("the certificate fails: {error}"))),
        };
        if let Some(Solution { answer, .. }) = &mut solution {
            if answer.is_none() {
                reason = Some("neither player's strategy was found".into());
            } else if !is_exact && matches!(answer, Some((Winner::Environment, _))) {
                *answer = None;
                reason =
                    Some("there is no controller that is right for every meaning of the functions".into());
            }
        }
        let answer =
            solution.as_ref().and_then(|solution| Some((&solution.game, &solution.answer.as_ref()?.1)));
        let formula = text.formula.as_ref();
        let play = answer.and_then(|(game, certificate)| losing_play(game, formula, certificate, PLAY));
        let elapsed = self.clock.now().saturating_sub(begin);
        Ok(ProgramReport { name, solution, reason, play, actions: None, elapsed })
    }
}
