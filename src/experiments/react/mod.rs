//! `experiment react`: a table in the shape of Table 1 of Crouse et al. (arXiv 2310.08535): questions that are
//! answered with Calculator, Search and Lookup by a weak and a strong simulated model, with no to three examples in the
//! prompt, as free text, partly constrained, and constrained by a behavior.
//!
//! The rates of the models were fixed before the first run; nothing is fitted to the paper. The wiki and its questions are
//! ours, `specs/agents/wiki.toml`.

mod agents;
mod model;
mod text;
mod tools;

pub use agents::{ReactAgent, ReactRun};
pub use model::{ReactModel, ReactRates};
pub use tools::Tools;

use super::ltlcrit::first_error;
use super::replaced::{Part, Replaced};
use super::{Chart, Experiment, ExperimentReport, Measured, Row};
use agents::{Agents, MOST_LOOPS};
use std::fmt::Write;
use std::sync::Arc;
use tsl_synth_agents::Oracle;
use tsl_synth_agents::tools::Article;
use tsl_synth_agents::wiki::{QuestionKind, Wiki, WikiQuestion, read_wiki};
use tsl_synth_core::base::{Random, sha256};
use tsl_synth_service::{Failure, Input, Session};

const WIKI: &str = tsl_synth_specs::text("agents/wiki.toml");
const CONSTRAINED: &str = tsl_synth_specs::text("agents/react.agent");
const PARTIAL: &str = tsl_synth_specs::text("agents/react_ablation.agent");
/// The models.
const MODELS: [&str; 2] = ["weak", "strong"];
/// Numbers of examples in the prompt.
const EXAMPLES: [usize; 4] = [0, 1, 2, 3];
/// The accuracies of the paper's Table 1 in percent, MPT-7b and then MPT-30b, k = 0..3: partly constrained and
/// constrained, for HotpotQA, Fever and GSM8K.
const PAPER: [[[[f64; 2]; 3]; 4]; 2] = [
    [
        [[0.2, 1.6], [10.2, 29.8], [2.6, 3.9]],
        [[2.8, 10.0], [44.8, 45.0], [5.6, 6.4]],
        [[5.8, 8.8], [53.4, 53.0], [5.1, 6.1]],
        [[7.8, 12.4], [44.2, 43.4], [3.5, 6.6]],
    ],
    [
        [[3.8, 7.2], [34.0, 36.4], [12.1, 14.4]],
        [[12.0, 13.8], [48.4, 49.2], [19.0, 24.2]],
        [[14.4, 15.2], [45.0, 45.2], [23.4, 28.1]],
        [[15.4, 16.8], [49.8, 50.8], [25.5, 29.9]],
    ],
];

/// Accuracies of other systems in the paper's Table 1: HotpotQA, Fever and GSM8K.
const PAPER_OTHERS: [(&str, [Option<f64>; 3]); 2] =
    [("best known", [Some(67.5), Some(89.5), Some(97.0)]), ("PaLM-540B", [Some(27.4), Some(60.9), None])];

/// The experiment.
#[derive(Clone, Debug)]
pub struct React {
    /// The number of questions of each row; those of the wiki are repeated in order.
    pub questions: u32,
    /// The error rates of the weak and of the strong model.
    pub rates: [ReactRates; 2],
    /// The seed.
    pub seed: u64,
    /// The agents, questions and articles; `None` for those of the gallery.
    pub lab: Option<Arc<ReactLab>>,
    /// A text that distinguishes different files.
    pub identity: String,
}

impl Default for React {
    fn default() -> Self {
        let weak = ReactRates {
            skip: 0.25,
            empty: 0.15,
            unknown: 0.15,
            fabricate: 0.2,
            repeat: 0.2,
            example: 0.5,
            mistake: 0.25,
            misread: 0.2,
        };
        let strong = ReactRates {
            skip: 0.08,
            empty: 0.05,
            unknown: 0.05,
            fabricate: 0.08,
            repeat: 0.08,
            example: 0.5,
            mistake: 0.08,
            misread: 0.05,
        };
        Self { questions: 300, rates: [weak, strong], seed: 0, lab: None, identity: String::new() }
    }
}

/// The embedded wiki: questions, and the articles of its folder.
///
/// # Errors
/// An embedded file is invalid, which is a defect of this program.
pub(crate) fn wiki() -> Result<Wiki, Failure> {
    read_wiki(WIKI, articles()).map_err(Failure::internal)
}

/// The embedded articles.
fn articles() -> Vec<Article> {
    tsl_synth_specs::folder("agents/wiki").map(|(name, text)| Article::of_text(name, text)).collect()
}

/// The agents with their questions and tools.
#[derive(Debug)]
pub struct ReactLab {
    wiki: Wiki,
    agents: Agents,
}

impl ReactLab {
    /// The agents, questions and tools of the experiment.
    ///
    /// # Errors
    /// An embedded file is invalid, which is a defect of this program.
    pub fn new() -> Result<Self, Failure> {
        Self::of_files(&Replaced::default()).map_err(Failure::internal)
    }

    /// The agents, questions and tools with these files in the place of those of the gallery.
    pub(crate) fn of_files(files: &Replaced) -> Result<Self, String> {
        let articles = || match &files.articles {
            Some(own) => own.clone(),
            None => articles(),
        };
        let wiki = match &files.tasks {
            Some(own) => read_wiki(&own.text, articles()).map_err(|why| format!("`{}`: {why}", own.name))?,
            None => read_wiki(WIKI, articles())?,
        };
        let behavior = |name: &str, text: &str| {
            let input = Input::Text { name: name.into(), text: text.into() };
            let read = Session::new().behavior(&input, Some(MOST_LOOPS as u32));
            read.map(|(behavior, _)| behavior)
                .map_err(|failure| format!("`{name}`: {}", first_error(&failure)))
        };
        let constrained = match files.spec()? {
            Some(own) => behavior(&own.name, &own.text)?,
            None => behavior("react.agent", CONSTRAINED)?,
        };
        let agents = Agents { constrained, partial: behavior("react_ablation.agent", PARTIAL)? };
        Ok(Self { wiki, agents })
    }
    /// The wiki.
    pub fn wiki(&self) -> &Wiki {
        &self.wiki
    }
    /// The prompt of an agent: the instructions, this number of examples, and the question.
    pub fn prompt(&self, question: &WikiQuestion, examples: usize) -> String {
        let mut text = model::instructions();
        for example in self.wiki.examples.iter().take(examples) {
            text.extend([&example.text, "\n"]);
        }
        text.extend([text::QUESTION, " ", &question.text, "\n"]);
        text
    }
    /// Runs an agent on a question.
    pub fn run(
        &self,
        agent: ReactAgent,
        question: &WikiQuestion,
        examples: usize,
        model: &mut dyn Oracle,
    ) -> ReactRun {
        self.agents.run(agent, &self.prompt(question, examples), model, &self.wiki)
    }
    /// The constrained agent.
    pub(crate) fn constrained(&self) -> &tsl_synth_agents::behavior::Behavior {
        &self.agents.constrained
    }
    /// Whether a run ends in the answer to the question.
    pub fn is_correct(&self, question: &WikiQuestion, run: &ReactRun) -> bool {
        model::is_correct(question, &run.text)
    }
}

impl React {
    /// The experiment with a behavior, questions and articles given by the user.
    ///
    /// # Errors
    /// What is wrong with a file, in a sentence.
    pub fn with_files(self, files: &Replaced) -> Result<Self, String> {
        const READS: &str = "`--spec` (a behavior), `--tasks` (questions) and `--env` (a folder of articles)";
        files.only("react", &[Part::Specs, Part::Tasks, Part::Articles], READS)?;
        if files.specs.is_empty() && files.tasks.is_none() && files.articles.is_none() {
            return Ok(self);
        }
        let lab = ReactLab::of_files(files)?;
        let identity = sha256(format!("{:?}{:?}{:?}", files.specs, files.tasks, files.articles).as_bytes());
        Ok(Self { lab: Some(Arc::new(lab)), identity, ..self })
    }

    /// The row of a model with this number of examples in the prompt.
    fn row(
        &self,
        rates: &ReactRates,
        model: &str,
        examples: usize,
        agent: ReactAgent,
    ) -> Result<Vec<Measured>, Failure> {
        let lab = self.lab.clone().map_or_else(|| ReactLab::new().map(Arc::new), Ok)?;
        let (mut sums, mut correct, mut asked) = (ReactRun::default(), [0_u32; 3], [0_u32; 3]);
        let mut answered = 0_u32;
        for (i, question) in (0..self.questions).zip(lab.wiki.questions.iter().cycle()) {
            // The same seed for all agents and numbers of examples, so that they begin with the same errors.
            let mut seeds = Random::new(self.seed ^ (u64::from(i) << 8) ^ model.len() as u64);
            let mut model = ReactModel::new(&lab.wiki, rates.clone(), seeds.bits());
            let run = lab.run(agent, question, examples, &mut model);
            let kind = question.kind as usize;
            asked[kind] += 1;
            correct[kind] += u32::from(lab.is_correct(question, &run));
            answered += u32::from(text::answer(&run.text).is_some());
            sums.calls += run.calls;
            sums.null_inputs += run.null_inputs;
            sums.unknown += run.unknown;
            sums.steps += run.steps;
            sums.illegal += run.illegal;
        }
        let rate = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
        let [calculator, search, lookup] = QuestionKind::ALL.map(|kind| kind as usize);
        Ok(vec![
            ("questions", f64::from(self.questions)),
            ("answered", f64::from(answered)),
            ("correct", f64::from(correct.iter().sum::<u32>())),
            ("calculator", rate(correct[calculator], asked[calculator])),
            ("search", rate(correct[search], asked[search])),
            ("lookup", rate(correct[lookup], asked[lookup])),
            ("calls", f64::from(sums.calls)),
            ("null inputs", f64::from(sums.null_inputs)),
            ("null-input rate", rate(sums.null_inputs, sums.calls)),
            ("unknown tools", f64::from(sums.unknown)),
            ("steps", f64::from(sums.steps)),
            ("illegal steps", f64::from(sums.illegal)),
            ("illegal-step rate", rate(sums.illegal, sums.steps)),
            ("loops", rate(sums.calls, self.questions)),
        ])
    }

    /// The table of how well the texts keep to the form.
    fn forms(&self, rows: &[Row]) -> String {
        let mut text = format!(
            "\nform, in percent of {} questions, of the calls of tools, and of the steps; loops for each question\n",
            self.questions
        );
        let _ = writeln!(
            text,
            "{:<8}{:>2}  {:<20}{:>10}{:>10}{:>13}{:>15}{:>8}",
            "model", "k", "agent", "answered", "correct", "null inputs", "illegal steps", "loops"
        );
        for model in MODELS {
            for examples in EXAMPLES {
                for agent in ReactAgent::ALL {
                    let name = part(model, examples, agent);
                    let value = |column| value(rows, &name, column);
                    let share = |column| 100.0 * value(column) / f64::from(self.questions.max(1));
                    let _ = writeln!(
                        text,
                        "{model:<8}{examples:>2}  {:<20}{:>10.1}{:>10.1}{:>13.1}{:>15.1}{:>8.2}",
                        agent.name(),
                        share("answered"),
                        share("correct"),
                        100.0 * value("null-input rate"),
                        100.0 * value("illegal-step rate"),
                        value("loops"),
                    );
                }
            }
        }
        text
    }
}

fn value(rows: &[Row], part: &str, column: &str) -> f64 {
    rows.iter().find(|row| row.part == part).map_or(0.0, |row| row.get(column))
}

/// The accuracies of the paper and ours.
fn accuracies(rows: &[Row]) -> String {
    let mut text =
        "accuracy in percent; paper: MPT-7b and MPT-30b, partly constrained and constrained agent, other \
                    questions than ours\n\n"
            .to_string();
    let _ = writeln!(
        text,
        "{:<10}{:>13}{:>15}{:>15}  |{:>21}{:>21}{:>21}",
        "paper", "HotpotQA", "Fever", "GSM8K", "ours: lookup", "search", "calculator"
    );
    let _ = write!(text, "{:<8}{:>2}", "model", "k");
    for _ in 0..3 {
        let _ = write!(text, "{:>7}{:>6}  ", "partly", "full");
    }
    text.push('|');
    for _ in 0..3 {
        let _ = write!(text, "{:>7}{:>7}{:>7}", "free", "partly", "full");
    }
    text.push('\n');
    for (model, paper) in MODELS.iter().zip(&PAPER) {
        for (examples, paper) in EXAMPLES.iter().zip(paper) {
            let _ = write!(text, "{model:<8}{examples:>2}");
            for [partly, full] in paper {
                let _ = write!(text, "{partly:>7.1}{full:>6.1}  ");
            }
            text.push('|');
            for kind in [QuestionKind::Lookup, QuestionKind::Search, QuestionKind::Calculator] {
                for agent in ReactAgent::ALL {
                    let share = value(rows, &part(model, *examples, agent), kind.name());
                    let _ = write!(text, "{:>7.1}", 100.0 * share);
                }
            }
            text.push('\n');
        }
    }
    for (name, of_paper) in PAPER_OTHERS {
        let _ = write!(text, "{name:<10}");
        for share in of_paper {
            let _ = write!(text, "{:>13}  ", share.map_or("-".into(), |share: f64| format!("{share:.1}")));
        }
        text.push_str("|\n");
    }
    text
}

fn part(model: &str, examples: usize, agent: ReactAgent) -> String {
    format!("{model}/{examples}/{}", agent.name())
}

impl Experiment for React {
    fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        for model in MODELS {
            for examples in EXAMPLES {
                parts.extend(ReactAgent::ALL.map(|agent| part(model, examples, agent)));
            }
        }
        parts
    }

    fn run(&self, name: &str) -> Result<Row, Failure> {
        for (model, rates) in MODELS.iter().zip(&self.rates) {
            for examples in EXAMPLES {
                for agent in ReactAgent::ALL {
                    if part(model, examples, agent) == name {
                        return Ok(Row::new(name, &self.row(rates, model, examples, agent)?));
                    }
                }
            }
        }
        Err(Failure::internal(format!("there is no part `{name}`")))
    }

    fn report(&self, rows: &[Row]) -> ExperimentReport {
        let mut text = accuracies(rows);
        text.push_str(&self.forms(rows));
        let illegal: f64 = rows
            .iter()
            .filter(|row| row.part.ends_with("/constrained"))
            .map(|row| row.get("illegal steps"))
            .sum();
        let _ = writeln!(text, "\nillegal steps of the constrained agent in all rows: {illegal}");
        for (model, rates) in MODELS.iter().zip(&self.rates) {
            let ReactRates { skip, empty, unknown, fabricate, repeat, example, mistake, misread } = rates;
            let _ = writeln!(
                text,
                "error rates of the {model} model, the same in all its rows, fixed before the first run: skip {skip}, \
                 empty {empty},\n  unknown {unknown}, fabricate {fabricate}, repeat {repeat}, each times {example} for \
                 every example; mistake {mistake}, misread {misread}"
            );
        }
        let mut lines = Vec::new();
        for model in MODELS {
            for agent in ReactAgent::ALL {
                let points = EXAMPLES.iter().map(|examples| {
                    let correct = value(rows, &part(model, *examples, agent), "correct");
                    (*examples as f64, 100.0 * correct / f64::from(self.questions.max(1)))
                });
                lines.push((format!("{model}, {}", agent.name()), points.collect()));
            }
        }
        let chart = Chart {
            title: "Questions answered correctly".into(),
            x: "examples in the prompt".into(),
            y: "percent".into(),
            lines,
        };
        ExperimentReport { text, chart: Some(chart) }
    }

    fn settings(&self) -> String {
        let Self { questions, rates, seed, identity, .. } = self;
        format!("{questions} {rates:?} {seed} {identity}")
    }
}
