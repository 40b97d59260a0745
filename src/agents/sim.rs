//! A simulated model: it does what is requested, with errors at given rates.
//!
//! A passage lists the predicates that hold of it in square brackets, such as `[inCave(summary)]`, which the simulated
//! evaluator reads.

use super::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::base::Random;

/// How often a simulated model errs: probabilities from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct SimRates {
    /// A requested predicate holds of the passage; drawn for each predicate.
    pub success: f64,
    /// A predicate holds of the passage without being requested; drawn for each predicate.
    pub spurious: f64,
    /// A predicate that holds of a passage holds of the next one, too; drawn for each predicate.
    pub sticky: f64,
    /// The evaluator says the opposite of what holds.
    pub misread: f64,
    /// The model refuses to answer.
    pub refusal: f64,
    /// The answer cannot be used.
    pub malformed: f64,
}

impl Default for SimRates {
    /// A perfect model.
    fn default() -> Self {
        Self { success: 1.0, spurious: 0.0, sticky: 0.0, misread: 0.0, refusal: 0.0, malformed: 0.0 }
    }
}

impl SimRates {
    /// Reads rates such as `success=0.97,spurious=0.01`; the other rates are those of a perfect model.
    ///
    /// # Errors
    /// A sentence about the part that cannot be read.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut rates = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong =
                || format!("`{part}` is no rate: expected a name and a number from 0 to 1, as `success=0.9`");
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let value: f64 = value.trim().parse().map_err(|_| wrong())?;
            if !(0.0..=1.0).contains(&value) {
                return Err(wrong());
            }
            *rates.rate(name.trim()).ok_or_else(|| {
                format!(
                    "there is no rate `{}`: there are success, spurious, sticky, misread, refusal, malformed",
                    name.trim()
                )
            })? = value;
        }
        Ok(rates)
    }

    fn rate(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "success" => &mut self.success,
            "spurious" => &mut self.spurious,
            "sticky" => &mut self.sticky,
            "misread" => &mut self.misread,
            "refusal" => &mut self.refusal,
            "malformed" => &mut self.malformed,
            _ => return None,
        })
    }
}

/// The predicates of an agent, as far as a simulated model needs them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimWorld {
    /// For each function term, the predicates that it requests of a passage.
    pub makes: BTreeMap<String, Vec<String>>,
    /// The predicates about passages.
    pub of_passages: Vec<String>,
    /// The predicates about messages: each holds of a message of the simulated user with probability 1/2.
    pub of_messages: Vec<String>,
}

/// A simulated model. The same seed and requests give the same answers.
#[derive(Clone, Debug)]
pub struct Sim {
    rates: SimRates,
    world: SimWorld,
    random: Random,
    /// The predicates that held of the last passage.
    last: BTreeSet<String>,
    passages: u64,
}

impl Sim {
    /// A model with these rates.
    pub fn new(rates: SimRates, world: SimWorld, seed: u64) -> Self {
        Self { rates, world, random: Random::new(seed), last: BTreeSet::new(), passages: 0 }
    }

    fn passage(&mut self, subject: &str) -> String {
        let asked = self.world.makes.get(subject).cloned().unwrap_or_default();
        let mut holds = BTreeSet::new();
        for predicate in self.world.of_passages.clone() {
            let (success, spurious, sticky) = (
                self.random.chance(self.rates.success),
                self.random.chance(self.rates.spurious),
                self.random.chance(self.rates.sticky),
            );
            let wanted = asked.contains(&predicate) && success;
            if wanted || spurious || sticky && self.last.contains(&predicate) {
                holds.insert(predicate);
            }
        }
        self.passages += 1;
        let mut text = format!("Passage {}, as asked: {subject}.", self.passages);
        for predicate in &holds {
            text.extend([" [", predicate, "]"]);
        }
        self.last = holds;
        text
    }

    fn message(&mut self) -> String {
        let mut text = "I go on.".to_string();
        for predicate in self.world.of_messages.clone() {
            if self.random.flip() {
                text.extend([" [", &predicate, "]"]);
            }
        }
        text
    }
}

impl Oracle for Sim {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        if self.random.chance(self.rates.refusal) {
            return Err(OracleError::Refused("I cannot help with that.".into()));
        }
        if self.random.chance(self.rates.malformed) {
            return Err(OracleError::invalid("banana", "this is no answer"));
        }
        let n = request.choices.len().max(1);
        Ok(match request.kind {
            AnswerKind::Predicate => {
                let holds = request.about.contains(&format!("[{}]", request.subject));
                OracleAnswer::Truth(holds != self.random.chance(self.rates.misread))
            }
            AnswerKind::Generate if request.subject == "summary" => {
                OracleAnswer::Text(format!("{} passages so far.", self.passages))
            }
            AnswerKind::Generate => OracleAnswer::Text(self.passage(&request.subject)),
            AnswerKind::Message => OracleAnswer::Text(self.message()),
            AnswerKind::Act => OracleAnswer::Text("Nothing happens.".into()),
            AnswerKind::Imagine | AnswerKind::Translate => {
                let why = format!("a simulated model does not answer requests of kind `{}`", request.kind);
                return Err(OracleError::Unusable(why));
            }
            AnswerKind::Choose => OracleAnswer::Choice(self.random.below(n)),
            AnswerKind::ChooseMany => {
                let mut chosen: Vec<usize> = (0..n).filter(|_| self.random.flip()).collect();
                if chosen.is_empty() {
                    chosen.push(self.random.below(n));
                }
                OracleAnswer::Choices(chosen)
            }
            AnswerKind::Score => {
                OracleAnswer::Scores((0..n).map(|_| (self.random.below(1000)) as f64 / 1000.0).collect())
            }
        })
    }
}
