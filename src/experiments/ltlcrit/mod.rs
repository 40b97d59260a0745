//! `experiment ltlcrit`: Tables 1 and 2 of Gokhale, Srivastava and Bullo (LTLCrit, 2025): steps to the sub-goals on the way to a
//! diamond, and failed and refused actions, under the laws that the paper prints; or the same for another world and policy.
//!
//! The world and the models are ours (`specs/worlds/inventory.world.toml`, [`InventoryModel`]); all rows have one set of rates,
//! which was fixed before the first run. A game has the same random events in all rows as long as the actions are the same.

mod laws;
mod mined;
mod setting;

pub(crate) use laws::load;
pub use laws::read_laws;
pub use setting::Setting;

use super::replaced::{Part, Replaced};
use super::{Chart, Experiment, ExperimentReport, Measured, Row};
use laws::{conflicting, laws, policy, repaired};
use serde_json::Value;
use std::fmt::Write;
use tsl_synth_agents::Oracle;
use tsl_synth_agents::world::{EffectsModel, EffectsRates, InventoryModel, ModelRates};
use tsl_synth_core::base::Random;
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_service::{ActorKind, ActorOptions, ActorOutcome, ActorRun, ActorTotals, Failure, play_actor};

/// A method, and for each tool the steps on average and the number of runs out of 5 that reached it.
type PaperRow = (&'static str, [Option<f64>; 4], [u32; 4]);

/// The rows of Table 1.
const PAPER: [PaperRow; 4] = [
    ("SayCan", [None; 4], [0; 4]),
    ("SayCan + LTLCrit", [Some(12.6), Some(17.6), Some(37.8), Some(45.4)], [5; 4]),
    ("InnerMonologue", [Some(12.2), Some(18.2), Some(43.25), Some(45.5)], [5, 5, 4, 4]),
    ("InnerMonologue + LTLCrit", [Some(9.4), Some(14.4), Some(32.0), Some(35.8)], [5; 4]),
];

/// Table 2: percent of actions that failed, and that were refused.
const PAPER_FAILED: [(&str, &str, &str); 2] =
    [("InnerMonologue", "23", "N/A"), ("InnerMonologue + LTLCrit", "4.5", "15")];

/// The games that laws are mined from in each iteration.
const MINED_GAMES: u32 = 60;
/// How often games are played and laws mined from them. The paper says that two iterations were enough for InnerMonologue.
const ITERATIONS: u32 = 3;

/// The law that the paper prints with undefined names. The gallery has the intended version.
const NEVER_FIRES: &str = "saycan-soft-007";

/// The laws of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Laws {
    /// The laws of the row `hard`, but violations are only counted and nothing is refused.
    Unguarded,
    /// The hard laws that the paper prints for SayCan.
    Hard,
    /// All laws that the paper prints for the actor, except soft law 7 of SayCan: it names propositions that do not
    /// exist, so it never applies.
    Printed,
    /// `Printed`, and the intended version of soft law 7 of SayCan.
    Normalized,
    /// `Printed`, with laws weakened where they conflict.
    Repaired,
    /// Laws that our critic mines from games of other seeds, with the hard laws.
    Mined,
    /// The laws of a list from another source, with the hard laws.
    Critic,
}

const ROWS: [(Laws, &str); 7] = [
    (Laws::Unguarded, "unguarded"),
    (Laws::Hard, "hard"),
    (Laws::Printed, "printed"),
    (Laws::Normalized, "law 7 normalized"),
    (Laws::Repaired, "repaired"),
    (Laws::Mined, "mined"),
    (Laws::Critic, "critic"),
];

const ACTORS: [(ActorKind, &str); 2] =
    [(ActorKind::Score, "SayCan"), (ActorKind::Monologue, "InnerMonologue")];

/// The experiment.
#[derive(Clone, Debug)]
pub struct Ltlcrit {
    /// Games of each row.
    pub games: u32,
    /// The maximal number of steps of a game.
    pub steps: u32,
    /// How often another action is requested in a step; the paper has no bound.
    pub retries: u32,
    /// The error rates of the models.
    pub model: ModelRates,
    /// Laws for two further rows, as [`read_laws`] gives them: those of a critic.
    pub critic: Option<Vec<Value>>,
    /// The seed.
    pub seed: u64,
    /// The policy and the world; `None` for those of the paper.
    pub setting: Option<Setting>,
}

impl Default for Ltlcrit {
    fn default() -> Self {
        let (model, critic, setting) = (ModelRates::default(), None, None);
        Self { games: 100, steps: 150, retries: 10, model, critic, seed: 0, setting }
    }
}

/// The result of a game: its outcome, and the number of actions until the event of each column of the table.
type Game = (ActorOutcome, Vec<Option<u64>>);

impl Ltlcrit {
    /// The experiment with a policy, a world and laws given by the user.
    ///
    /// # Errors
    /// What is wrong with a file, in a sentence.
    pub fn with_files(self, files: &Replaced) -> Result<Self, String> {
        const READS: &str = "`--spec` (a policy), `--laws` (of a critic) and `--env` (a world)";
        files.only("ltlcrit", &[Part::Specs, Part::Laws, Part::World], READS)?;
        let own = Self { setting: Setting::of_files(files)?, ..self };
        let Some(laws) = &files.laws else { return Ok(own) };
        let named = |why: String| format!("`{}`: {why}", laws.name);
        own.with_critic(read_laws(&laws.text).map_err(named)?).map_err(named)
    }

    /// With rows for these laws of a critic.
    ///
    /// # Errors
    /// The first error in a law, in a sentence.
    pub fn with_critic(self, laws: Vec<Value>) -> Result<Self, String> {
        let own = Self { critic: Some(laws), ..self };
        let read = own.setting().and_then(|setting| {
            let laws = own.laws(&setting, ActorKind::Score, Laws::Critic)?;
            load(&policy(&setting.policy, &laws))
        });
        match read {
            Ok(_) => Ok(own),
            Err(failure) => Err(first_error(&failure)),
        }
    }

    /// The policy and the world.
    fn setting(&self) -> Result<Setting, Failure> {
        self.setting.clone().map_or_else(Setting::of_paper, Ok)
    }

    /// The laws of a row, hard ones first.
    fn laws(&self, setting: &Setting, actor: ActorKind, row: Laws) -> Result<Vec<Value>, Failure> {
        let hard = || laws(&setting.policy, "hard");
        let meant = || match &setting.monologue {
            Some(own) if actor != ActorKind::Score => laws(own, "soft"),
            _ => [hard(), laws(&setting.policy, "soft")].concat(),
        };
        let printed = || -> Vec<Value> {
            let is_printed = |law: &Value| !setting.is_paper() || law["id"] != NEVER_FIRES;
            meant().into_iter().filter(is_printed).collect()
        };
        Ok(match row {
            Laws::Unguarded | Laws::Hard => hard(),
            Laws::Printed => printed(),
            Laws::Normalized => meant(),
            Laws::Repaired => repaired(&setting.policy, &printed())?,
            Laws::Mined => hard().into_iter().chain(self.mined(setting, actor)?).collect(),
            Laws::Critic => {
                let given = self.critic.iter().flatten().cloned();
                let soft = given.filter(|law| law["kind"] != "hard");
                hard().into_iter().chain(soft).collect()
            }
        })
    }

    /// The soft laws mined from games of an actor, of seeds that no row plays: first from unguarded ones, then, as in the
    /// paper, from games under the laws found so far.
    fn mined(&self, setting: &Setting, actor: ActorKind) -> Result<Vec<Value>, Failure> {
        let hard = laws(&setting.policy, "hard");
        let mut soft: Vec<Value> = Vec::new();
        for iteration in 0..ITERATIONS {
            let text = policy(&setting.policy, &[hard.clone(), soft.clone()].concat());
            let mut run = self.actor(setting, actor, &text, iteration == 0)?;
            let seed = |game: u32| !self.seed ^ (u64::from(iteration * MINED_GAMES + game) << 20);
            let games =
                (0..MINED_GAMES).map(|game| self.game(setting, &mut run, Random::new(seed(game)).bits()).0);
            let games: Vec<ActorOutcome> = games.collect();
            soft = mined::mined(&setting.policy, &setting.goals, &games, &soft)?;
        }
        Ok(soft)
    }

    /// The policies of the rows of an actor that a model of one's own is measured under, with their names: the hard laws, and
    /// what is printed, repaired where it conflicts.
    ///
    /// # Errors
    /// A defect of this program.
    pub(crate) fn policies(&self) -> Result<Vec<(String, ActorKind, String)>, Failure> {
        let setting = self.setting()?;
        let mut found = Vec::new();
        for (actor, name) in ACTORS {
            for (laws, row) in ROWS.iter().filter(|(laws, _)| matches!(laws, Laws::Hard | Laws::Repaired)) {
                let laws = self.laws(&setting, actor, *laws)?;
                found.push((format!("{name}/{row}"), actor, policy(&setting.policy, &laws)));
            }
        }
        Ok(found)
    }

    /// The environment and the task that a model of one's own is measured in.
    pub(crate) fn environment(&self) -> Result<(String, String, String), Failure> {
        let setting = self.setting()?;
        let task = setting.task();
        let name = if task.name.is_empty() { "task" } else { task.name.as_str() };
        Ok((setting.env.clone(), name.to_owned(), task.sentence.clone()))
    }

    fn actor(
        &self,
        setting: &Setting,
        actor: ActorKind,
        text: &str,
        shadow: bool,
    ) -> Result<ActorRun, Failure> {
        let mut options = ActorOptions::new(actor);
        options.task.clone_from(&setting.task().sentence);
        options.steps = self.steps;
        options.retries = self.retries;
        options.shadow = shadow;
        ActorRun::new(load(text)?, text, options)
    }

    fn game(&self, setting: &Setting, run: &mut ActorRun, seed: u64) -> Game {
        let mut world = tsl_synth_agents::world::Simulated(setting.world(seed));
        let mut model: Box<dyn Oracle> = if setting.has_own_world {
            Box::new(EffectsModel::new(&setting.world(seed), EffectsRates::default(), seed ^ 1))
        } else {
            Box::new(InventoryModel::new(self.model, seed ^ 1))
        };
        let outcome = play_actor(run, model.as_mut(), &mut world, 1, seed);
        let columns = setting.columns.iter().map(|column| column.reached(&outcome)).collect();
        (outcome, columns)
    }

    fn row(&self, actor: ActorKind, kind: Laws, part: &str) -> Result<Row, Failure> {
        let setting = self.setting()?;
        let text = policy(&setting.policy, &self.laws(&setting, actor, kind)?);
        let conflicts = conflicting(&text)?.len();
        let mut run = self.actor(&setting, actor, &text, kind == Laws::Unguarded)?;
        let mut totals = ActorTotals::default();
        let mut tools = vec![(0_u32, 0_u64); setting.columns.len()];
        let mut violations = 0;
        for game in 0..self.games {
            let seed = Random::new(self.seed ^ (u64::from(game) << 20)).bits();
            let (outcome, columns) = self.game(&setting, &mut run, seed);
            totals.add(&outcome.steps, outcome.end.name());
            violations += if kind == Laws::Unguarded {
                outcome.steps.iter().filter(|step| !step.violated.is_empty()).count()
            } else {
                outcome.violated.len()
            };
            for (tool, reached) in tools.iter_mut().zip(columns) {
                if let Some(steps) = reached {
                    *tool = (tool.0 + 1, tool.1 + steps);
                }
            }
        }
        let games = f64::from(self.games.max(1));
        let mut row = Row::new(part, &[("games", f64::from(self.games))]);
        for (column, (runs, steps)) in setting.columns.iter().zip(&tools) {
            let mean = if *runs == 0 { 0.0 } else { *steps as f64 / f64::from(*runs) };
            row.values.push((column.name.clone(), mean));
        }
        let reached = setting.columns.iter().zip(&tools);
        row.values.extend(reached.map(|(column, (runs, _))| (column.times(), f64::from(*runs))));
        let values: [Measured; 5] = [
            ("failed %", totals.failed_percent()),
            ("refused %", if kind == Laws::Unguarded { 0.0 } else { totals.refused_percent() }),
            ("hard laws violated", f64::from(u32::try_from(violations).unwrap_or(u32::MAX))),
            ("over-constrained per game", totals.over_constrained as f64 / games),
            ("conflicting pairs", conflicts as f64),
        ];
        row.values.extend(values.map(|(name, value)| (name.to_owned(), value)));
        let is_column = |name: &str| setting.columns.iter().any(|column| column.name == name);
        for name in setting.task().sub_goals().filter(|name| setting.is_paper() || !is_column(name)) {
            let found = totals.goals.iter().find(|goal| goal.name == name);
            let mean = found.and_then(tsl_synth_service::GoalTotal::mean).unwrap_or(0.0);
            row.values.push((name.to_owned(), mean));
        }
        Ok(row)
    }

    /// The table of the actions until each column.
    fn reached(&self, setting: &Setting, rows: &[Row]) -> String {
        let mut text = format!(
            "actions until a {} on average, and the games that came to it, of {} games for each row\n\n",
            if setting.is_paper() { "tool" } else { "sub-goal" },
            self.games
        );
        let width = setting.columns.iter().map(|column| column.name.len() + 2).max().unwrap_or(0).max(17);
        let names = setting.columns.iter().map(|column| format!("{:>width$}", column.name));
        let _ = writeln!(text, "{:<28}{}", "method", names.collect::<String>());
        for row in rows {
            let _ = write!(text, "{:<28}", row.part);
            for column in &setting.columns {
                let runs = row.get(&column.times());
                let mean = (runs > 0.0).then(|| row.get(&column.name));
                let _ = write!(text, "{:>width$}", cell(mean, runs, self.games));
            }
            text.push('\n');
        }
        if setting.is_paper() {
            text.push_str("\nthe paper, of 5 games\n");
            for (name, means, runs) in PAPER {
                let _ = write!(text, "{name:<28}");
                for (mean, runs) in means.into_iter().zip(runs) {
                    let _ = write!(text, "{:>width$}", cell(mean, f64::from(runs), 5));
                }
                text.push('\n');
            }
        }
        text
    }
}

/// The mean number of actions, and in how many games the event happened.
fn cell(mean: Option<f64>, runs: f64, of: u32) -> String {
    let mean = mean.map_or("N/A".into(), |mean| format!("{mean:.1}"));
    format!("{mean} ({runs}/{of})")
}

/// The first error of a failure, or what it is.
pub fn first_error(failure: &Failure) -> String {
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
    let first = failure.diagnostics.iter().find(is_error).map(|one| one.message.clone());
    first.unwrap_or_else(|| failure.reason())
}

impl Experiment for Ltlcrit {
    fn parts(&self) -> Vec<String> {
        let is_there = |actor: ActorKind, laws: Laws| match laws {
            Laws::Critic => self.critic.is_some(),
            Laws::Normalized => actor == ActorKind::Score && self.setting.is_none(),
            _ => true,
        };
        let mut parts = Vec::new();
        for (actor, name) in ACTORS {
            let rows = ROWS.iter().filter(|(laws, _)| is_there(actor, *laws));
            parts.extend(rows.map(|(_, row)| format!("{name}/{row}")));
        }
        parts
    }

    fn run(&self, part: &str) -> Result<Row, Failure> {
        let none = || Failure::internal(format!("there is no row `{part}`"));
        let (actor, laws) = part.split_once('/').ok_or_else(none)?;
        let actor = ACTORS.iter().find(|(_, name)| *name == actor).ok_or_else(none)?.0;
        let laws = ROWS.iter().find(|(_, name)| *name == laws).ok_or_else(none)?.0;
        self.row(actor, laws, part)
    }

    fn report(&self, rows: &[Row]) -> ExperimentReport {
        // The setting was read before the rows were made.
        let Ok(setting) = self.setting() else {
            return ExperimentReport { text: String::new(), chart: None };
        };
        let mut text = self.reached(&setting, rows);
        let _ = writeln!(
            text,
            "\n{:<28}{:>9}{:>10}{:>16}{:>19}{:>11}",
            "percent of actions", "failed", "refused", "hard violated", "over-constrained", "conflicts"
        );
        for row in rows {
            let _ = writeln!(
                text,
                "{:<28}{:>9.1}{:>10.1}{:>16}{:>19.2}{:>11}",
                row.part,
                row.get("failed %"),
                row.get("refused %"),
                row.get("hard laws violated"),
                row.get("over-constrained per game"),
                row.get("conflicting pairs"),
            );
        }
        if setting.is_paper() {
            text.push_str("\nthe paper\n");
            for (name, failed, refused) in PAPER_FAILED {
                let _ = writeln!(text, "{name:<28}{failed:>9}{refused:>10}");
            }
        }
        text.push_str(if setting.is_paper() { MEANING_IN_PAPER } else { MEANING });
        text.push_str(MEANING_OF_ALL);
        if setting.has_own_world {
            let _ = writeln!(text, "{:?}", EffectsRates::default());
        } else {
            let _ = writeln!(text, "{:?}", self.model);
        }
        let _ = writeln!(text, "those of the world are in {}", setting.file);
        ExperimentReport { text, chart: Some(chart(&setting, rows)) }
    }

    fn settings(&self) -> String {
        let Self { games, steps, retries, model, critic, seed, setting } = self;
        let identity = setting.as_ref().map_or("paper", |setting| setting.identity.as_str());
        format!("{games} {steps} {retries} {model:?} {critic:?} {seed} {identity}")
    }
}

const MEANING_IN_PAPER: &str = "\nunguarded: the hard laws are only counted; hard: the 19 hard laws of SayCan; printed: all laws that the paper\n  \
     prints for the actor, but soft law 7 of SayCan, whose names do not exist; law 7 normalized: with that law as it is\n  \
     meant; repaired: what is printed, where a soft law yields to those with which it conflicts, hard ones\n  \
     first, then soft ones from the last on; mined: the hard laws, and soft ones that `critic` mines in three\n  \
     iterations from games of other seeds\n";
const MEANING: &str = "\nunguarded: the hard laws are only counted; hard: the hard laws of the policy; printed: all its laws; repaired: those,\n  \
     where a soft law yields to those with which it conflicts, hard ones first, then soft ones from the last on; mined:\n  \
     the hard laws, and soft ones that `critic` mines in three iterations from games of other seeds\n";
const MEANING_OF_ALL: &str = "refused: of the proposals; a score is only asked about actions that are allowed\n\
     hard violated: actions of unguarded games that violate a hard law, and hard laws violated in the others\n\
     over-constrained: states of a game in which the laws leave no action, where soft laws give way\nconflicts: pairs \
     of laws that exclude each other in some state\n\nrates of the model, one set for all rows, fixed before the first run\n";

/// The sub-goals from left to right, and the actions until each.
fn chart(setting: &Setting, rows: &[Row]) -> Chart {
    let line = |row: &Row| {
        let goals = (1_u32..).zip(setting.task().sub_goals());
        let points = goals.map(|(number, goal)| (f64::from(number), row.get(goal)));
        (row.part.clone(), points.filter(|(_, mean)| *mean > 0.0).collect::<Vec<_>>())
    };
    Chart {
        title: "LTLCrit: actions until each of the sub-goals".into(),
        x: "sub-goal".into(),
        y: "actions on average".into(),
        lines: rows.iter().map(line).filter(|(_, points)| !points.is_empty()).collect(),
    }
}
