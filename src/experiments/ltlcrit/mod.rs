//! `experiment ltlcrit`: Tables 1 and 2 of Gokhale, Srivastava and Bullo (LTLCrit, 2025): steps to the sub-goals on the way to a
//! diamond, and failed and refused actions, under the laws that the paper prints.
//!
//! The world and the models are ours ([`Inventory`], [`InventoryModel`]); all rows have one set of rates, which was
//! fixed before the first run. A game has the same random events in all rows as long as the actions are the same.

mod laws;
mod mined;

pub(crate) use laws::load;
pub use laws::read_laws;

use super::{Chart, Experiment, ExperimentReport, Measured, Row};
use laws::{INNER_MONOLOGUE, SAYCAN, conflicting, laws, policy, repaired};
use serde_json::Value;
use std::fmt::Write;
use tsl_synth_agents::world::{Inventory, InventoryModel, InventoryRates, ModelRates, SUB_GOALS, Simulated};
use tsl_synth_core::base::Random;
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_documents::ActorStepDocument;
use tsl_synth_service::{ActorKind, ActorOptions, ActorOutcome, ActorRun, ActorTotals, Failure, play_actor};

/// The columns of Table 1.
const TOOLS: [&str; 4] = ["wooden tool", "stone tool", "iron tool", "diamond"];
/// The columns for the numbers of games that reached these tools.
const REACHED: [&str; 4] = ["wooden tool in", "stone tool in", "iron tool in", "diamond in"];

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
    /// The chances of the world.
    pub world: InventoryRates,
    /// The error rates of the models.
    pub model: ModelRates,
    /// Laws for two further rows, as [`read_laws`] gives them: those of a critic.
    pub critic: Option<Vec<Value>>,
    /// The seed.
    pub seed: u64,
}

impl Default for Ltlcrit {
    fn default() -> Self {
        let (world, model) = (InventoryRates::default(), ModelRates::default());
        Self { games: 100, steps: 150, retries: 10, world, model, critic: None, seed: 0 }
    }
}

impl Ltlcrit {
    /// With rows for these laws of a critic.
    ///
    /// # Errors
    /// The first error in a law, in a sentence.
    pub fn with_critic(self, laws: Vec<Value>) -> Result<Self, String> {
        let own = Self { critic: Some(laws), ..self };
        let read = own.laws(ActorKind::Score, Laws::Critic).and_then(|laws| load(&policy(&laws)?));
        match read {
            Ok(_) => Ok(own),
            Err(failure) => {
                let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
                let first = failure.diagnostics.iter().find(is_error).map(|one| one.message.clone());
                Err(first.unwrap_or_else(|| failure.reason()))
            }
        }
    }

    /// The laws of a row, hard ones first.
    fn laws(&self, actor: ActorKind, row: Laws) -> Result<Vec<Value>, Failure> {
        let hard = || laws(SAYCAN, "hard");
        let meant = || {
            Ok(match actor {
                ActorKind::Score => [hard()?, laws(SAYCAN, "soft")?].concat(),
                ActorKind::Monologue | ActorKind::Plan => laws(INNER_MONOLOGUE, "soft")?,
            })
        };
        let printed = || -> Result<Vec<Value>, Failure> {
            Ok(meant()?.into_iter().filter(|law| law["id"] != NEVER_FIRES).collect())
        };
        match row {
            Laws::Unguarded | Laws::Hard => hard(),
            Laws::Printed => printed(),
            Laws::Normalized => meant(),
            Laws::Repaired => repaired(&printed()?),
            Laws::Mined => Ok(hard()?.into_iter().chain(self.mined(actor)?).collect()),
            Laws::Critic => {
                let given = self.critic.iter().flatten().cloned();
                let soft = given.filter(|law| law["kind"] != "hard");
                Ok(hard()?.into_iter().chain(soft).collect())
            }
        }
    }

    /// The soft laws mined from games of an actor, of seeds that no row plays: first from unguarded ones, then, as in the
    /// paper, from games under the laws found so far.
    fn mined(&self, actor: ActorKind) -> Result<Vec<Value>, Failure> {
        let hard = laws(SAYCAN, "hard")?;
        let mut soft: Vec<Value> = Vec::new();
        for iteration in 0..ITERATIONS {
            let text = policy(&[hard.clone(), soft.clone()].concat())?;
            let mut run = self.actor(actor, &text, iteration == 0)?;
            let seed = |game: u32| !self.seed ^ (u64::from(iteration * MINED_GAMES + game) << 20);
            let games: Vec<ActorOutcome> =
                (0..MINED_GAMES).map(|game| self.game(&mut run, Random::new(seed(game)).bits())).collect();
            soft = mined::mined(&games, &soft)?;
        }
        Ok(soft)
    }

    /// The policies of the rows of an actor that a model of one's own is measured under, with their names: the hard laws, and
    /// what is printed, repaired where it conflicts.
    ///
    /// # Errors
    /// A defect of this program.
    pub(crate) fn policies(&self) -> Result<Vec<(String, ActorKind, String)>, Failure> {
        let mut found = Vec::new();
        for (actor, name) in ACTORS {
            for (laws, row) in ROWS.iter().filter(|(laws, _)| matches!(laws, Laws::Hard | Laws::Repaired)) {
                found.push((format!("{name}/{row}"), actor, policy(&self.laws(actor, *laws)?)?));
            }
        }
        Ok(found)
    }

    fn actor(&self, actor: ActorKind, text: &str, shadow: bool) -> Result<ActorRun, Failure> {
        let mut options = ActorOptions::new(actor);
        options.task = "Mine a diamond.".into();
        options.steps = self.steps;
        options.retries = self.retries;
        options.shadow = shadow;
        ActorRun::new(load(text)?, text, options)
    }

    fn game(&self, run: &mut ActorRun, seed: u64) -> ActorOutcome {
        let mut world = Simulated(Inventory::new(self.world, seed));
        let mut model = InventoryModel::new(self.model, seed ^ 1);
        play_actor(run, &mut model, &mut world, 1, seed)
    }

    fn row(&self, actor: ActorKind, kind: Laws, part: &str) -> Result<Row, Failure> {
        let text = policy(&self.laws(actor, kind)?)?;
        let conflicts = conflicting(&text)?.len();
        let mut run = self.actor(actor, &text, kind == Laws::Unguarded)?;
        let (mut totals, mut tools) = (ActorTotals::default(), [(0_u32, 0_u64); 4]);
        let mut violations = 0;
        for game in 0..self.games {
            let outcome = self.game(&mut run, Random::new(self.seed ^ (u64::from(game) << 20)).bits());
            totals.add(&outcome.steps, outcome.end.name());
            violations += if kind == Laws::Unguarded {
                outcome.steps.iter().filter(|step| !step.violated.is_empty()).count()
            } else {
                outcome.violated.len()
            };
            for (tool, reached) in tools.iter_mut().zip(tools_of(&outcome.steps)) {
                if let Some(steps) = reached {
                    *tool = (tool.0 + 1, tool.1 + steps);
                }
            }
        }
        let games = f64::from(self.games.max(1));
        let mut values: Vec<Measured> = vec![("games", f64::from(self.games))];
        for (name, (runs, steps)) in TOOLS.iter().zip(tools) {
            values.push((name, if runs == 0 { 0.0 } else { steps as f64 / f64::from(runs) }));
        }
        values.extend(REACHED.iter().zip(tools).map(|(name, (runs, _))| (*name, f64::from(runs))));
        values.extend([
            ("failed %", totals.failed_percent()),
            ("refused %", if kind == Laws::Unguarded { 0.0 } else { totals.refused_percent() }),
            ("hard laws violated", f64::from(u32::try_from(violations).unwrap_or(u32::MAX))),
            ("over-constrained per game", totals.over_constrained as f64 / games),
            ("conflicting pairs", conflicts as f64),
        ]);
        for name in SUB_GOALS {
            let found = totals.goals.iter().find(|goal| goal.name == name);
            values.push((name, found.and_then(tsl_synth_service::GoalTotal::mean).unwrap_or(0.0)));
        }
        Ok(Row::new(part, &values))
    }
}

/// The number of actions until each column of Table 1 was reached.
fn tools_of(steps: &[ActorStepDocument]) -> [Option<u64>; 4] {
    let goal = |name: &str| {
        let own = |step: &&ActorStepDocument| step.goals.iter().any(|goal| goal == name);
        steps.iter().find(own).map(|step| u64::from(step.number) + 1)
    };
    let stone = steps.iter().find(|step| step.truths.iter().any(|name| name == "obs_has_stone_pickaxe"));
    [goal("wooden pickaxe"), stone.map(|step| u64::from(step.number)), goal("iron pickaxe"), goal("diamond")]
}

impl Experiment for Ltlcrit {
    fn parts(&self) -> Vec<String> {
        let is_there = |actor: ActorKind, laws: Laws| match laws {
            Laws::Critic => self.critic.is_some(),
            Laws::Normalized => actor == ActorKind::Score,
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
        let mut text = format!(
            "actions until a tool on average, and the games that came to it, of {} games for each row\n\n",
            self.games
        );
        let cell = |mean: Option<f64>, runs: f64, of: u32| {
            let mean = mean.map_or("N/A".into(), |mean| format!("{mean:.1}"));
            format!("{mean} ({runs}/{of})")
        };
        let _ = writeln!(text, "{:<28}{}", "method", TOOLS.map(|name| format!("{name:>17}")).concat());
        for row in rows {
            let _ = write!(text, "{:<28}", row.part);
            for tool in TOOLS {
                let runs = row.get(&format!("{tool} in"));
                let mean = (runs > 0.0).then(|| row.get(tool));
                let _ = write!(text, "{:>17}", cell(mean, runs, self.games));
            }
            text.push('\n');
        }
        text.push_str("\nthe paper, of 5 games\n");
        for (name, means, runs) in PAPER {
            let _ = write!(text, "{name:<28}");
            for (mean, runs) in means.into_iter().zip(runs) {
                let _ = write!(text, "{:>17}", cell(mean, f64::from(runs), 5));
            }
            text.push('\n');
        }
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
        text.push_str("\nthe paper\n");
        for (name, failed, refused) in PAPER_FAILED {
            let _ = writeln!(text, "{name:<28}{failed:>9}{refused:>10}");
        }
        text.push_str(
            "\nunguarded: the hard laws are only counted; hard: the 19 hard laws of SayCan; printed: all laws that the paper\n  \
             prints for the actor, but soft law 7 of SayCan, whose names do not exist; law 7 normalized: with that law as it is\n  \
             meant; repaired: what is printed, where a soft law yields to those with which it conflicts, hard ones\n  \
             first, then soft ones from the last on; mined: the hard laws, and soft ones that `critic` mines in three\n  \
             iterations from games of other seeds\nrefused: of the proposals; a score is only asked about actions that are \
             allowed\nhard violated: actions of unguarded games that violate a hard law, and hard laws violated in the others\n\
             over-constrained: states of a game in which the laws leave no action, where soft laws give way\nconflicts: pairs \
             of laws that exclude each other in some state\n\nrates, one set for all rows, fixed before the first run\n",
        );
        let _ = writeln!(text, "{:?}\n{:?}", self.model, self.world);
        ExperimentReport { text, chart: Some(chart(rows)) }
    }

    fn settings(&self) -> String {
        format!("{self:?}")
    }
}

/// The sub-goals from left to right, and the actions until each.
fn chart(rows: &[Row]) -> Chart {
    let line = |row: &Row| {
        let points = (1_u32..).zip(SUB_GOALS).map(|(number, goal)| (f64::from(number), row.get(goal)));
        (row.part.clone(), points.filter(|(_, mean)| *mean > 0.0).collect::<Vec<_>>())
    };
    Chart {
        title: "LTLCrit: actions until each of the nine sub-goals".into(),
        x: "sub-goal".into(),
        y: "actions on average".into(),
        lines: rows.iter().map(line).filter(|(_, points)| !points.is_empty()).collect(),
    }
}
