//! The oracles of the runs of an evaluation.

use crate::oracles::{Access, OracleArgs, SharedOracle, open_kept};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tsl_synth_agents::{Oracle, OracleAnswer, OracleError, OracleRequest, OracleUsage, Port};
use tsl_synth_experiments::eval::{Arm, EvalGroup, EvalPorts, EvalRole, EvalTask, Subject, wiki_tools};

/// Opens the oracle that a text names for a subject in an environment.
pub(crate) type Opener = fn(&str, &Subject, &str, u64, &Access) -> anyhow::Result<Box<dyn Oracle>>;

/// The oracles that the flags name.
pub(super) struct Opened<'a> {
    pub(super) oracles: &'a OracleArgs,
    pub(super) baseline: Option<String>,
    pub(super) judge: Option<String>,
    pub(super) access: &'a Access,
    pub(super) opener: Opener,
    /// The file that keeps the answers of models.
    pub(super) kept: Option<PathBuf>,
    /// The models so far: what their servers refuse is remembered for all runs.
    pub(super) models: BTreeMap<String, SharedOracle>,
    pub(super) pace: Option<Pace>,
}

/// The least time between two questions.
#[derive(Clone)]
pub(super) struct Pace {
    every: Duration,
    last: Rc<Cell<Option<Instant>>>,
}

impl Pace {
    /// So many questions in a minute.
    pub(super) fn new(rate: u32) -> Self {
        Self { every: Duration::from_mins(1) / rate.max(1), last: Rc::default() }
    }
}

/// An oracle that is not asked too fast.
struct Paced(Box<dyn Oracle>, Pace);

impl Oracle for Paced {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let before = self.0.usage().requests;
        if let Some(last) = self.1.last.get() {
            std::thread::sleep(self.1.every.saturating_sub(last.elapsed()));
        }
        let outcome = self.0.ask(request);
        // An answer that was kept took nothing from the server.
        if before != self.0.usage().requests || before == 0 {
            self.1.last.set(Some(Instant::now()));
        }
        outcome
    }
    fn imagines(&self) -> bool {
        self.0.imagines()
    }
    fn begin(&mut self, seed: u64) {
        self.0.begin(seed);
    }
    fn usage(&self) -> OracleUsage {
        self.0.usage()
    }
}

impl Opened<'_> {
    fn opened(
        &mut self,
        text: &str,
        subject: &Subject,
        env: &str,
        seed: u64,
    ) -> anyhow::Result<Box<dyn Oracle>> {
        let is_model = ["http:", "https:", "record:"].iter().any(|scheme| text.starts_with(scheme));
        if !is_model {
            return (self.opener)(text, subject, env, seed, self.access);
        }
        let shared = if let Some(known) = self.models.get(text) {
            known.clone()
        } else {
            let opened = match &self.kept {
                Some(file) if !text.starts_with("record:") => open_kept(text, file, self.access)?,
                _ => (self.opener)(text, subject, env, seed, self.access)?,
            };
            let opened = match &self.pace {
                Some(pace) => Box::new(Paced(opened, pace.clone())),
                None => opened,
            };
            let shared = SharedOracle::new(opened);
            self.models.insert(text.to_string(), shared.clone());
            shared
        };
        let mut oracle = Box::new(shared);
        oracle.begin(seed);
        Ok(oracle)
    }
}

impl EvalPorts for Opened<'_> {
    fn open(
        &mut self,
        role: EvalRole,
        arm: Arm,
        group: &EvalGroup,
        task: &EvalTask,
        seed: u64,
    ) -> Result<Option<Box<dyn Oracle>>, String> {
        let env = task.env.clone().or_else(|| self.oracles.env.clone()).unwrap_or_default();
        let model = match (arm, &self.baseline) {
            (Arm::Alone, Some(baseline)) => Some(baseline.clone()),
            _ => self.oracles.text(Port::Generator).map(str::to_string),
        };
        let (text, seed) = match role {
            EvalRole::Model => (model, seed),
            EvalRole::Evaluator => (self.oracles.evaluator.clone(), seed ^ 1),
            EvalRole::User => {
                let needed = matches!(&group.subject, Subject::Story(story) if story.needs_user());
                let simulated = || model.filter(|text| needed && (text == "sim" || text.starts_with("sim:")));
                (self.oracles.user.clone().or_else(simulated), seed ^ 2)
            }
            EvalRole::World => {
                if env == "wiki" {
                    let tools = wiki_tools().map_err(|failure| failure.reason())?;
                    return Ok(Some(Box::new(tools)));
                }
                ((!env.is_empty()).then(|| env.clone()), seed)
            }
            EvalRole::Judge => (self.judge.clone(), seed),
        };
        let Some(text) = text else { return Ok(None) };
        self.opened(&text, &group.subject, &env, seed).map(Some).map_err(|error| format!("{error:#}"))
    }
}
