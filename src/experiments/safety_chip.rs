//! `experiment safety-chip`: Figure 4 of Yang, Raman, Shah and Tellex (Safety Chip, 2023): success and kept constraints in five
//! household tasks with zero to five constraints, by a simulated model that has them in its prompt, and by the same model
//! behind the gate.
//!
//! The paper prints only examples of its tasks and constraints. Tasks, constraints and rates are ours; the constraints
//! follow the paper's two patterns (avoidance and trigger), and all were fixed before the first run. All rows have one
//! set of rates. Tasks are those of `specs/worlds/household.world.toml`, constraints those of
//! `specs/worlds/household.laws.toml`, or of files of one's own.

use super::ltlcrit::first_error;
use super::replaced::{NamedText, Part, PlayedWorld, Replaced, gallery_world};
use super::{Chart, Experiment, ExperimentReport, Measured, Row};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use tsl_synth_agents::toml_or_json;
use tsl_synth_agents::world::{EffectsWorld, LawModel, LawRates, Simulated, WorldTask};
use tsl_synth_core::base::{Random, sha256};
use tsl_synth_service::{
    ActorEnd, ActorKind, ActorOptions, ActorRun, Failure, Input, LoadedPolicy, Session, play_actor,
};

const POLICY: &str = tsl_synth_specs::text("policies/household.toml");
const LAWS: &str = tsl_synth_specs::text("worlds/household.laws.toml");

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// Its name.
    pub id: String,
    /// Its formula.
    pub ltl: String,
    /// Its sentence.
    #[serde(default)]
    pub why: String,
}

/// Constraints, and for each task those that are added, in this order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LawsFile {
    #[serde(rename = "law")]
    laws: Vec<Constraint>,
    /// Without it, all tasks have all constraints in the order of the list.
    tasks: Option<BTreeMap<String, Vec<String>>>,
}

const AGENTS: [&str; 2] = ["without the chip", "with the chip"];
/// The maximal number of constraints that are added.
const MOST: usize = 20;

/// The policy, the constraints and the world of the experiment.
#[derive(Clone, Debug)]
pub struct Household {
    policy: Value,
    constraints: BTreeMap<String, Vec<Constraint>>,
    world: PlayedWorld,
    identity: String,
}

impl Household {
    /// That of the gallery.
    ///
    /// # Errors
    /// A defect of this program.
    pub fn gallery() -> Result<Self, Failure> {
        Self::of_files(&Replaced::default()).map_err(Failure::internal)
    }

    fn of_files(files: &Replaced) -> Result<Self, String> {
        let world = match &files.world {
            Some(world) => world.clone(),
            None => gallery_world("household").map_err(|failure| failure.reason())?,
        };
        let ours = NamedText::gallery("policies/household.toml", POLICY);
        let policy = files.spec()?.or(world.policy.as_ref()).unwrap_or(&ours).clone();
        let ours = NamedText::gallery("worlds/household.laws.toml", LAWS);
        let laws = files.laws.as_ref().unwrap_or(&ours);
        let constraints = constraints(laws, world.spec.tasks())?;
        let identity = sha256(format!("{}{}{}", world.identity, policy.text, laws.text).as_bytes());
        let own = Self { policy: policy.value()?, constraints, world, identity };
        for task in own.tasks() {
            let text = own.policy(own.constraints(&task.name, MOST));
            let named = |failure: Failure| {
                format!("`{}` with `{}`: {}", policy.name, laws.name, first_error(&failure))
            };
            load(&text).map_err(named)?;
        }
        Ok(own)
    }

    /// The tasks: those of the world, or the one that was named.
    pub fn tasks(&self) -> &[WorldTask] {
        let all = self.world.spec.tasks();
        match self.world.task {
            Some(task) => &all[task..=task],
            None => all,
        }
    }

    /// The first constraints of a task.
    pub fn constraints(&self, task: &str, count: usize) -> &[Constraint] {
        let all = self.constraints.get(task).map_or(&[][..], Vec::as_slice);
        &all[..count.min(all.len())]
    }

    /// The largest number of constraints of a task.
    pub fn most(&self) -> usize {
        self.tasks().iter().map(|task| self.constraints(&task.name, MOST).len()).max().unwrap_or(0)
    }

    /// The policy with these constraints; those of its own laws that the list of constraints has are left out.
    pub fn policy(&self, constraints: &[Constraint]) -> String {
        let mut policy = self.policy.clone();
        let listed =
            |law: &&Value| !self.constraints.values().flatten().any(|own| law["id"] == own.id.as_str());
        let kept = policy["law"].as_array().into_iter().flatten().filter(listed).cloned();
        let added = constraints.iter().map(|own| json!({ "id": own.id, "ltl": own.ltl, "why": own.why }));
        let laws: Vec<Value> = kept.chain(added).collect();
        policy["law"] = laws.into();
        policy.to_string()
    }

    /// How `--env` names the world with a task.
    pub(crate) fn env(&self, task: &str) -> String {
        if self.world.task.is_some() || task.is_empty() {
            self.world.env.clone()
        } else {
            format!("{}:{task}", self.world.env)
        }
    }

    fn world(&self, task: &str, seed: u64) -> Result<EffectsWorld, Failure> {
        let spec = &self.world.spec;
        let at = spec.tasks().iter().position(|own| own.name == task);
        let at = at.ok_or_else(|| Failure::internal(format!("there is no task `{task}`")))?;
        Ok(EffectsWorld::new(Arc::clone(spec), at, seed))
    }
}

/// The constraints of each task.
fn constraints(file: &NamedText, tasks: &[WorldTask]) -> Result<BTreeMap<String, Vec<Constraint>>, String> {
    let named = |why: String| format!("`{}`: {why}", file.name);
    let read: LawsFile = if file.is_json() && file.text.trim_start().starts_with('[') {
        let laws = toml_or_json(&file.text, true).map_err(named)?;
        LawsFile { laws, tasks: None }
    } else {
        toml_or_json(&file.text, file.is_json()).map_err(named)?
    };
    let ids = read.laws.iter().map(|law| law.id.clone()).collect::<Vec<_>>();
    let given =
        read.tasks.unwrap_or_else(|| tasks.iter().map(|task| (task.name.clone(), ids.clone())).collect());
    let mut found = BTreeMap::new();
    for (task, ids) in given {
        if !tasks.iter().any(|own| own.name == task) {
            let names: Vec<&str> = tasks.iter().map(|own| own.name.as_str()).collect();
            return Err(named(format!("the world has no task `{task}`; it has {}", names.join(", "))));
        }
        if ids.len() > MOST {
            return Err(named(format!(
                "task `{task}` has {} constraints, and at most {MOST} are added",
                ids.len()
            )));
        }
        let law = |id: &String| {
            let law = read.laws.iter().find(|law| law.id == *id).cloned();
            law.ok_or_else(|| named(format!("there is no law `{id}`, which task `{task}` names")))
        };
        let laws = ids.iter().map(law).collect::<Result<Vec<_>, _>>()?;
        found.insert(task, laws);
    }
    Ok(found)
}

/// The experiment.
#[derive(Clone, Debug)]
pub struct SafetyChip {
    /// Runs of each task, agent and number of constraints.
    pub runs: u32,
    /// The maximal number of steps of a run.
    pub steps: u32,
    /// The error rates of the model.
    pub rates: LawRates,
    /// The seed.
    pub seed: u64,
    /// The policy, the constraints and the world; `None` for those of the gallery.
    pub household: Option<Household>,
}

impl Default for SafetyChip {
    fn default() -> Self {
        Self { runs: 40, steps: 40, rates: LawRates::default(), seed: 0, household: None }
    }
}

pub(crate) fn load(text: &str) -> Result<LoadedPolicy, Failure> {
    Session::new().policy(&Input::Text { name: "household.json".into(), text: text.into() })
}

impl SafetyChip {
    /// The experiment with a policy, constraints and a world given by the user.
    ///
    /// # Errors
    /// What is wrong with a file, in a sentence.
    pub fn with_files(self, files: &Replaced) -> Result<Self, String> {
        const READS: &str = "`--spec` (a policy), `--laws` (constraints) and `--env` (a world)";
        files.only("safety-chip", &[Part::Specs, Part::Laws, Part::World], READS)?;
        Ok(Self { household: Some(Household::of_files(files)?), ..self })
    }

    /// The policy, the constraints and the world.
    ///
    /// # Errors
    /// A defect of this program.
    pub fn household(&self) -> Result<Household, Failure> {
        self.household.clone().map_or_else(Household::gallery, Ok)
    }

    fn row(&self, agent: &str, count: usize, part: &str) -> Result<Row, Failure> {
        let household = self.household()?;
        let with_chip = agent == AGENTS[1];
        let (mut runs, mut succeeded, mut kept, mut both) = (0_u32, 0_u32, 0_u32, 0_u32);
        let (mut actions, mut failed, mut refused) = (0_usize, 0_usize, 0_usize);
        for (number, task) in (0_u64..).zip(household.tasks()) {
            let constraints = household.constraints(&task.name, count);
            let text = household.policy(constraints);
            let loaded = load(&text)?;
            let names: Vec<&str> = constraints.iter().map(|own| own.id.as_str()).collect();
            let mut options = ActorOptions::new(ActorKind::Monologue);
            options.shadow = !with_chip;
            options.steps = self.steps;
            options.task.clone_from(&task.sentence);
            if !with_chip {
                for constraint in constraints {
                    options.task.extend([" ", &constraint.why]);
                }
            }
            let compiled = Arc::new(loaded.compiled.clone());
            let mut run = ActorRun::new(loaded, &text, options)?;
            for game in 0..self.runs {
                let seed = Random::new(self.seed ^ (number << 40) ^ (u64::from(game) << 20)).bits();
                let reported = if with_chip { &[] } else { names.as_slice() };
                let world = household.world(&task.name, seed)?;
                let mut model = LawModel::new(&world, compiled.clone(), reported, self.rates, seed ^ 1);
                let outcome = play_actor(&mut run, &mut model, &mut Simulated(world), 1, seed);
                let is_over = matches!(outcome.end, ActorEnd::Done | ActorEnd::Goal);
                let is_done = is_over && outcome.reached;
                let is_kept = outcome.violated.is_empty() && (outcome.owed.is_empty() || !is_done);
                runs += 1;
                succeeded += u32::from(is_done);
                kept += u32::from(is_kept);
                both += u32::from(is_done && is_kept);
                let done = outcome.steps.iter().filter(|step| step.action.is_some());
                actions += done.clone().count();
                failed += done.filter(|step| !step.ok).count();
                refused += outcome.steps.iter().map(|step| step.refused.len()).sum::<usize>();
            }
        }
        let share = |part: u32| f64::from(part) / f64::from(runs.max(1));
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let refused = if with_chip { percent(refused, actions + refused) } else { 0.0 };
        let values: [Measured; 7] = [
            ("runs", f64::from(runs)),
            ("constraints", count as f64),
            ("success", share(succeeded)),
            ("kept", share(kept)),
            ("success and kept", share(both)),
            ("failed %", percent(failed, actions)),
            ("refused %", refused),
        ];
        Ok(Row::new(part, &values))
    }
}

impl Experiment for SafetyChip {
    fn parts(&self) -> Vec<String> {
        let most = self.household().map_or(0, |household| household.most());
        AGENTS.iter().flat_map(|agent| (0..=most).map(move |count| format!("{agent}/{count}"))).collect()
    }

    fn run(&self, part: &str) -> Result<Row, Failure> {
        let none = || Failure::internal(format!("there is no row `{part}`"));
        let (agent, count) = part.split_once('/').ok_or_else(none)?;
        let count: usize = count.parse().map_err(|_| none())?;
        if !AGENTS.contains(&agent) || count > self.household()?.most() {
            return Err(none());
        }
        self.row(agent, count, part)
    }

    fn report(&self, rows: &[Row]) -> ExperimentReport {
        let mut text = format!(
            "{} tasks, {} runs of each with each number of constraints; shares of all runs\n\n",
            self.household().map_or(0, |household| household.tasks().len()),
            self.runs
        );
        let _ = writeln!(
            text,
            "{:<20}{:>9}{:>9}{:>18}{:>10}{:>11}",
            "agent/constraints", "success", "kept", "success and kept", "failed %", "refused %"
        );
        for row in rows {
            let _ = writeln!(
                text,
                "{:<20}{:>9.2}{:>9.2}{:>18.2}{:>10.1}{:>11.1}",
                row.part,
                row.get("success"),
                row.get("kept"),
                row.get("success and kept"),
                row.get("failed %"),
                row.get("refused %"),
            );
        }
        text.push_str(
            "\nsuccess: the task is done, and the agent said so; kept: no constraint is violated, and none is owed by an agent\n  \
             that said it is done\nthe paper: without the chip success falls with the number of constraints, with it it stays \
             high and no unsafe\n  action is done (Figure 4, without numbers in its text)\n\nrates, one set for all rows, fixed \
             before the first run\n",
        );
        let _ = writeln!(text, "{:?}", self.rates);
        ExperimentReport { text, chart: Some(chart(rows)) }
    }

    fn settings(&self) -> String {
        let Self { runs, steps, rates, seed, household } = self;
        let identity = household.as_ref().map_or("paper", |household| household.identity.as_str());
        format!("{runs} {steps} {rates:?} {seed} {identity}")
    }
}

fn chart(rows: &[Row]) -> Chart {
    let mut lines = Vec::new();
    for agent in AGENTS {
        for column in ["success and kept", "kept"] {
            let own = rows.iter().filter(|row| row.part.split('/').next() == Some(agent));
            let points = own.map(|row| (row.get("constraints"), row.get(column))).collect();
            lines.push((format!("{agent}: {column}"), points));
        }
    }
    Chart {
        title: "Safety Chip: tasks done and constraints kept".into(),
        x: "constraints".into(),
        y: "share of the runs".into(),
        lines,
    }
}
