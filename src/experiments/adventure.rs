//! `experiment adventure`: Tables 1 and 2 of Rothkopf et al. (arXiv 2402.16905): choose-your-own-adventure games by an
//! agent with a synthesized controller, and by the same simulated model alone.
//!
//! Both agents are judged by the guarantees of the same specification, and all tasks have one set of error rates, which
//! was fixed before the first run. Nothing is fitted to the rows of the paper.

use super::replaced::{Part, Replaced};
use super::{Chart, Experiment, ExperimentReport, Measured, Row};
use std::fmt::Write;
use std::sync::{Arc, OnceLock};
use tsl_synth_agents::story::{NoAudience, Observed, StoryOptions, Turn};
use tsl_synth_agents::{AnswerKind, NoOracle, Oracle, OracleAnswer, OracleRequest, Sim, SimRates};
use tsl_synth_core::base::{Random, sha256};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{AtomId, Letter};
use tsl_synth_core::model::OnBroken;
use tsl_synth_service::{
    Failure, Input, LoadedStory, Oracles, Session, SpecLanguage, SpecRequest, StoryRequest, run_story,
};

/// For each task its name, its specification, and the adherence that the paper reports, in percent: with the controller,
/// and by the model alone.
const TASKS: [(&str, &str, f64, f64); 4] = [
    ("1", tsl_synth_specs::text("adventure/story.tsl"), 96.00, 86.60),
    ("2", tsl_synth_specs::text("adventure/story_forest.tsl"), 96.00, 89.33),
    ("3", tsl_synth_specs::text("adventure/story_choices.tsl"), 98.67, 14.67),
    ("4", tsl_synth_specs::text("adventure/story_choices_forest.tsl"), 97.33, 16.00),
];
const PROMPTS: &str = tsl_synth_specs::text("adventure/prompts.toml");
/// Violating games of the paper's Table 2 out of 300: hallucinations and arithmetic errors.
const PAPER_ERRORS: [(&str, u32, u32); 2] = [("controller", 9, 0), ("model alone", 43, 101)];

/// The error rates of the simulated model.
#[derive(Clone, Debug, PartialEq)]
pub struct AdventureRates {
    /// The rates of single answers.
    pub answers: SimRates,
    /// The probability that the model alone forgets a rule of its prompt in a turn.
    pub forget: f64,
    /// The probability that the model alone miscounts in a turn.
    pub miscount: f64,
}

impl Default for AdventureRates {
    fn default() -> Self {
        let answers = SimRates {
            success: 0.9,
            spurious: 0.0135,
            sticky: 0.05,
            misread: 0.0,
            refusal: 0.005,
            malformed: 0.005,
        };
        Self { answers, forget: 0.02, miscount: 0.1 }
    }
}

/// The agents that play.
const AGENTS: [&str; 3] = ["controller", "controller, rewriting", "model alone"];
/// How often passages that fail their check are written again.
const REGENERATE: u32 = 2;

/// The experiment.
#[derive(Clone, Debug)]
pub struct Adventure {
    /// Games of each task and agent.
    pub games: u32,
    /// Turns of each game.
    pub turns: u32,
    /// The error rates.
    pub rates: AdventureRates,
    /// The seed.
    pub seed: u64,
    /// The tasks.
    tasks: Arc<[AdventureTask]>,
}

/// A task: a specification, and what the paper has about it.
#[derive(Debug)]
struct AdventureTask {
    name: String,
    /// The name of its file.
    file: String,
    text: String,
    /// The adherence with the controller, and by the model alone, in percent.
    paper: Option<(f64, f64)>,
    /// Its agent, loaded on first use.
    story: OnceLock<LoadedStory>,
}

impl Default for Adventure {
    fn default() -> Self {
        let tasks = TASKS.iter().map(|(name, text, with, without)| AdventureTask {
            name: (*name).to_owned(),
            file: format!("task{name}.tsl"),
            text: (*text).to_owned(),
            paper: Some((*with, *without)),
            story: OnceLock::new(),
        });
        Self { games: 75, turns: 20, rates: AdventureRates::default(), seed: 0, tasks: tasks.collect() }
    }
}

/// The rates that the sensitivity curves vary, and the values that they get.
const VARIED: [&str; 5] = ["spurious", "success", "sticky", "forget", "miscount"];
const GRID: [f64; 6] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2];

/// The result of a game.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is counted by itself")]
struct AdventureResult {
    /// A guarantee about the count was violated.
    arithmetic: bool,
    /// Another guarantee was violated.
    hallucination: bool,
    /// An assumption was broken.
    broken: bool,
    /// A guarantee was violated before any assumption was broken.
    unexplained: bool,
}

impl Adventure {
    /// The rates with one of them set to this error (`success` to one minus the error).
    fn varied(&self, rate: &str, error: f64) -> AdventureRates {
        let mut rates = self.rates.clone();
        match rate {
            "spurious" => rates.answers.spurious = error,
            "success" => rates.answers.success = 1.0 - error,
            "sticky" => rates.answers.sticky = error,
            "forget" => rates.forget = error,
            _ => rates.miscount = error,
        }
        rates
    }

    /// The experiment with specifications given by the user.
    ///
    /// # Errors
    /// What is wrong with a file, in a sentence.
    pub fn with_files(self, files: &Replaced) -> Result<Self, String> {
        files.only("adventure", &[Part::Specs], "`--spec` (specifications in TSL, each of them a task)")?;
        if files.specs.is_empty() {
            return Ok(self);
        }
        let mut tasks: Vec<AdventureTask> = Vec::new();
        for file in &files.specs {
            let name = file.stem().to_owned();
            if tasks.iter().any(|task| task.name == name) {
                return Err(format!("two specifications have the name `{name}`"));
            }
            let (file, text) = (file.name.clone(), file.text.clone());
            tasks.push(AdventureTask { name, file, text, paper: None, story: OnceLock::new() });
        }
        Ok(Self { tasks: tasks.into(), ..self })
    }

    /// The names of the tasks.
    pub(crate) fn tasks(&self) -> Vec<String> {
        self.tasks.iter().map(|task| task.name.clone()).collect()
    }

    /// The task of the sensitivity curves.
    fn varied_task(&self) -> &str {
        let third = self.tasks.iter().find(|task| task.name == "3").or(self.tasks.last());
        third.map_or("", |task| task.name.as_str())
    }

    pub(crate) fn story(&self, task: &str) -> Result<&LoadedStory, Failure> {
        let found = self.tasks.iter().find(|own| own.name == task);
        let task = found.ok_or_else(|| Failure::internal(format!("there is no task `{task}`")))?;
        if let Some(story) = task.story.get() {
            return Ok(story);
        }
        let spec = SpecRequest::text(SpecLanguage::Tsl, task.file.as_str(), task.text.as_str());
        let mut request = StoryRequest::new(spec);
        if task.paper.is_some() {
            request.prompts = Some(Input::Text { name: "prompts.toml".into(), text: PROMPTS.into() });
        }
        let story = Session::new().story(&request)?;
        Ok(task.story.get_or_init(|| story))
    }

    /// The games of a task and an agent.
    fn games(&self, task: &str, agent: &str, rates: &AdventureRates, name: &str) -> Result<Row, Failure> {
        let loaded = self.story(task)?;
        let places = LocationAtoms::new(loaded).ok_or_else(|| {
            let why =
                format!("the specification `{task}` lacks names by which the model alone plays: {NAMES}");
            Failure::from(Diagnostic::error(Code::CANNOT_READ, why))
        })?;
        let mut all = Vec::new();
        for game in 0..self.games {
            // The same seed for all agents of a task, so that they face the same random errors.
            let seed = Random::new(self.seed ^ u64::from(game) ^ hash(task)).bits();
            all.push(if agent == "model alone" {
                self.alone(loaded, &places, rates, seed)
            } else {
                let regenerate = if agent == "controller" { 0 } else { REGENERATE };
                self.guarded(loaded, rates, regenerate, seed)
            });
        }
        let count =
            |which: &dyn Fn(&AdventureResult) -> bool| all.iter().filter(|game| which(game)).count() as f64;
        let kept = count(&|game| !game.arithmetic && !game.hallucination);
        let values: [Measured; 6] = [
            ("games", f64::from(self.games)),
            ("kept", kept),
            ("hallucinations", count(&|game| game.hallucination)),
            ("arithmetic", count(&|game| game.arithmetic)),
            ("broken", count(&|game| game.broken)),
            ("unexplained", count(&|game| game.unexplained)),
        ];
        Ok(Row::new(name, &values))
    }

    fn guarded(
        &self,
        loaded: &LoadedStory,
        rates: &AdventureRates,
        regenerate: u32,
        seed: u64,
    ) -> AdventureResult {
        let options =
            StoryOptions { turns: self.turns, regenerate, on_broken: OnBroken::Resync, with_user: true };
        let mut model = Sim::new(rates.answers.clone(), loaded.world(), seed);
        let mut reader = Sim::new(rates.answers.clone(), loaded.world(), seed ^ 1);
        let mut user = Sim::new(SimRates::default(), loaded.world(), seed ^ 2);
        let mut world = NoOracle;
        let header = loaded.header(Vec::new(), &options, 10, seed);
        let oracles =
            Oracles { evaluator: &mut reader, generator: &mut model, user: &mut user, world: &mut world };
        let played = run_story(loaded, oracles, &options, header, &mut NoAudience, &mut |_| {});
        let mut game = AdventureResult::default();
        for violation in played.violations() {
            game.add(&loaded.story.clauses.guarantees[violation.guarantee].text);
            game.unexplained |= violation.broken.is_none();
        }
        game.broken = played.turns.iter().any(|turn: &Turn| !turn.broken.is_empty());
        game
    }

    /// The model follows the rules of its prompt unless it forgets them: it chooses the place of the next passage and
    /// keeps the count. Its passages and its reader have the same error rates as those of the controller.
    fn alone(
        &self,
        loaded: &LoadedStory,
        places: &LocationAtoms,
        rates: &AdventureRates,
        seed: u64,
    ) -> AdventureResult {
        let story = &loaded.story;
        let alphabet = &story.problem.alphabet;
        let mut model = Sim::new(rates.answers.clone(), loaded.world(), seed);
        let mut reader = Sim::new(rates.answers.clone(), loaded.world(), seed ^ 1);
        let mut user = Sim::new(SimRates::default(), loaded.world(), seed ^ 2);
        let mut mind = Random::new(seed ^ 3);
        let (mut passage, mut seen) = (String::new(), [false; 2]);
        let mut run = Vec::new();
        let mut count: u32 = 0;
        for turn in 0..self.turns {
            let message = ask(&mut user, &OracleRequest::new(AnswerKind::Message, "turn", "")).1;
            let mut letter = Letter::new();
            let mut holds = |atom: AtomId, oracle: &mut Sim, text: &str| {
                let request = OracleRequest::new(AnswerKind::Predicate, story.name(atom), "").about(text);
                let holds = !text.is_empty() && ask(oracle, &request).0;
                if holds {
                    alphabet.choose(atom, &mut letter);
                }
                holds
            };
            let market = holds(places.in_market, &mut reader, &passage);
            let town = holds(places.in_town, &mut reader, &passage);
            holds(places.in_cave, &mut reader, &passage);
            let safe = places.safe.is_some_and(|safe| holds(safe, &mut reader, &message));
            if count >= 3
                && let Some(enough) = places.enough
            {
                alphabet.choose(enough, &mut letter);
            }
            seen = [seen[0] || market, seen[1] || town];
            let forgets = mind.chance(rates.forget);
            let pick = mind.chance(0.5);
            let released = seen[0] && seen[1];
            let update = match (places.to_forest, turn) {
                (Some(forest), 0) if !forgets => forest,
                _ if forgets => {
                    if pick {
                        places.to_cave
                    } else {
                        places.to_town
                    }
                }
                _ if !seen[0] && (!seen[1] || pick) => places.to_market,
                _ if !seen[1] => places.to_town,
                _ if released && pick => places.to_cave,
                _ => {
                    if mind.chance(0.5) {
                        places.to_market
                    } else {
                        places.to_town
                    }
                }
            };
            alphabet.choose(update, &mut letter);
            if let Some((counts, stays)) = places.count {
                let counted = (safe && town) != mind.chance(rates.miscount);
                alphabet.choose(if counted { counts } else { stays }, &mut letter);
                count += u32::from(counted);
            }
            run.push(Observed { letter: alphabet.canonical(&letter), only_inputs: false });
            let term = alphabet.update_term(update).unwrap_or_default();
            passage = ask(&mut model, &OracleRequest::new(AnswerKind::Generate, term, "")).1;
        }
        let mut game = AdventureResult::default();
        for judged in story.clauses.judge(alphabet, &run) {
            for guarantee in judged.violated {
                game.add(&story.clauses.guarantees[guarantee].text);
            }
            game.broken |= !judged.broken.is_empty() || !judged.given_up.is_empty();
        }
        game
    }
}

impl AdventureResult {
    fn add(&mut self, guarantee: &str) {
        if guarantee.contains("count <- count + 1") {
            self.arithmetic = true;
        } else {
            self.hallucination = true;
        }
    }
}

/// The atoms without which the model alone cannot play.
const NAMES: &str = "inCave(summary), inMarket(summary), inTown(summary), [passage <- toCave(summary)], \
                     [passage <- toMarket(summary)], [passage <- toTown(summary)]";

/// The atoms that the model alone reads and sets.
struct LocationAtoms {
    in_cave: AtomId,
    in_market: AtomId,
    in_town: AtomId,
    safe: Option<AtomId>,
    enough: Option<AtomId>,
    to_cave: AtomId,
    to_market: AtomId,
    to_town: AtomId,
    to_forest: Option<AtomId>,
    /// The updates that count and that do not count.
    count: Option<(AtomId, AtomId)>,
}

impl LocationAtoms {
    /// `None` if the specification lacks a name that the built-in ones have.
    fn new(loaded: &LoadedStory) -> Option<Self> {
        let problem = &loaded.story.problem;
        let atoms = problem.alphabet.atoms();
        let named = |name: &str| atoms.enumerate().find(|(_, atom)| atom.name == name).map(|(id, _)| id);
        Some(Self {
            in_cave: named("inCave(summary)")?,
            in_market: named("inMarket(summary)")?,
            in_town: named("inTown(summary)")?,
            safe: named("safe"),
            enough: named("enough"),
            to_cave: named("[passage <- toCave(summary)]")?,
            to_market: named("[passage <- toMarket(summary)]")?,
            to_town: named("[passage <- toTown(summary)]")?,
            to_forest: named("[passage <- toForest(summary)]"),
            count: named("[count <- count + 1]").zip(named("[count <- count]")),
        })
    }
}

/// The truth value or the text that a simulated model answers; malformed answers are requested again, up to ten times.
fn ask(oracle: &mut Sim, request: &OracleRequest) -> (bool, String) {
    for _ in 0..10 {
        match oracle.ask(request) {
            Ok(OracleAnswer::Truth(holds)) => return (holds, String::new()),
            Ok(OracleAnswer::Text(text)) => return (false, text),
            _ => {}
        }
    }
    (false, String::new())
}

/// The FNV-1a hash of a name.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Experiment for Adventure {
    fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        for task in self.tasks() {
            parts.extend(AGENTS.iter().map(|agent| format!("task {task}/{agent}")));
        }
        let varied = self.varied_task();
        for rate in VARIED {
            for error in GRID {
                parts.extend(AGENTS.iter().map(|agent| format!("task {varied}/{agent}/{rate}/{error}")));
            }
        }
        parts
    }

    fn run(&self, part: &str) -> Result<Row, Failure> {
        let wrong = || Failure::internal(format!("there is no part `{part}`"));
        let pieces: Vec<&str> = part.split('/').collect();
        let (task, agent, rates) = match pieces.as_slice() {
            [task, agent] => (task, agent, self.rates.clone()),
            [task, agent, rate, error] => {
                (task, agent, self.varied(rate, error.parse().map_err(|_| wrong())?))
            }
            _ => return Err(wrong()),
        };
        self.games(task.strip_prefix("task ").ok_or_else(wrong)?, agent, &rates, part)
    }

    fn report(&self, rows: &[Row]) -> ExperimentReport {
        let percent = |row: &Row| 100.0 * row.get("kept") / row.get("games").max(1.0);
        let row = |part: &str| rows.iter().find(|row| row.part == part);
        let mut text = format!("{} games of {} turns for each task and agent\n\n", self.games, self.turns);
        let _ = writeln!(text, "games in which every guarantee was kept, in percent");
        let _ = writeln!(text, "{:<6}{:<24}{:>8}{:>8}", "task", "agent", "paper", "ours");
        for AdventureTask { name: task, paper, .. } in &*self.tasks {
            for agent in AGENTS {
                let paper = match (agent, paper) {
                    ("controller", Some((with, _))) => format!("{with:.2}"),
                    ("model alone", Some((_, without))) => format!("{without:.2}"),
                    _ => "-".into(),
                };
                let ours = row(&format!("task {task}/{agent}")).map_or(0.0, percent);
                let _ = writeln!(text, "{task:<6}{agent:<24}{paper:>8}{ours:>8.2}");
            }
        }
        let _ = writeln!(
            text,
            "\nviolating games of all tasks, in percent of {}",
            self.tasks.len() as u32 * self.games
        );
        let _ = writeln!(
            text,
            "{:<24}{:>16}{:>8}{:>20}{:>8}",
            "agent", "hallucinations", "", "arithmetic errors", ""
        );
        let _ = writeln!(text, "{:<24}{:>16}{:>8}{:>20}{:>8}", "", "paper", "ours", "paper", "ours");
        for agent in AGENTS {
            let sum = |column: &str| {
                let all = self.tasks.iter().filter_map(|task| row(&format!("task {}/{agent}", task.name)));
                let games = f64::from(self.games.max(1)) * self.tasks.len() as f64;
                100.0 * all.map(|row| row.get(column)).sum::<f64>() / games
            };
            let paper = PAPER_ERRORS.iter().find(|(name, ..)| *name == agent);
            let shown =
                |count: Option<u32>| count.map_or("-".into(), |n| format!("{:.2}", f64::from(n) / 3.0));
            let _ = writeln!(
                text,
                "{agent:<24}{:>16}{:>8.2}{:>20}{:>8.2}",
                shown(paper.map(|p| p.1)),
                sum("hallucinations"),
                shown(paper.map(|p| p.2)),
                sum("arithmetic"),
            );
        }
        let unexplained: f64 = rows.iter().map(|row| row.get("unexplained")).sum();
        let _ = writeln!(
            text,
            "\ngames of the controller with a violated guarantee and no broken assumption to blame: {unexplained}"
        );
        let SimRates { success, spurious, sticky, misread, refusal, malformed } = &self.rates.answers;
        let AdventureRates { forget, miscount, .. } = &self.rates;
        let _ = writeln!(
            text,
            "error rates, the same for all tasks and agents, fixed before the first run: success {success}, spurious \
             {spurious},\n  sticky {sticky}, misread {misread}, refusal {refusal}, malformed {malformed}; of the model \
             alone: forget {forget}, miscount {miscount}"
        );
        let mut lines = Vec::new();
        let varied = self.varied_task();
        let _ = writeln!(
            text,
            "\ntask {varied}, percent of games kept where one rate differs (success: by 1 - rate)"
        );
        let _ = write!(text, "{:<36}", "rate");
        for error in GRID {
            let _ = write!(text, "{error:>8}");
        }
        text.push('\n');
        for rate in VARIED {
            for agent in AGENTS {
                let points: Vec<(f64, f64)> = GRID
                    .iter()
                    .map(|error| {
                        (*error, row(&format!("task {varied}/{agent}/{rate}/{error}")).map_or(0.0, percent))
                    })
                    .collect();
                let _ = write!(text, "{:<36}", format!("{rate}, {agent}"));
                for (_, kept) in &points {
                    let _ = write!(text, "{kept:>8.2}");
                }
                text.push('\n');
                lines.push((format!("{rate}, {agent}"), points));
            }
        }
        let chart = Chart {
            title: format!("Task {varied}: games in which every guarantee was kept"),
            x: "error rate".into(),
            y: "percent".into(),
            lines,
        };
        ExperimentReport { text, chart: Some(chart) }
    }

    fn settings(&self) -> String {
        let Self { games, turns, rates, seed, tasks } = self;
        let own: String =
            tasks.iter().filter(|task| task.paper.is_none()).map(|task| task.text.as_str()).collect();
        let own = if own.is_empty() { own } else { format!(" {}", sha256(own.as_bytes())) };
        format!("{games} {turns} {rates:?} {seed}{own}")
    }
}
