//! Means with bootstrap intervals, and paired differences of the two arms.
//!
//! Runs of one task are not independent, so whole tasks are drawn (the cluster bootstrap), and single runs only where
//! there is one task. The percentile method with [`RESAMPLES`] draws gives the intervals of 95 percent (Efron and
//! Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). The draws are seeded.

use super::{Arm, RunRow};
use std::collections::BTreeMap;
use tsl_synth_core::base::Random;

/// The number of draws.
const RESAMPLES: usize = 2_000;

/// A mean with the ends of its interval of 95 percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The number of values.
    pub count: usize,
}

/// What is measured of a run.
#[derive(Clone, Copy)]
pub struct Metric {
    /// Its name in tables.
    pub name: &'static str,
    /// What it means, in a sentence.
    pub about: &'static str,
    /// Whether it is a proportion, shown in percent.
    pub is_share: bool,
    /// The numerator and denominator that a run adds; `None` if the run has none.
    of: fn(&RunRow) -> Option<(f64, f64)>,
    /// Whether it is measured of runs whose model could not be reached, too.
    of_all: bool,
}

fn truth(value: bool) -> (f64, f64) {
    (f64::from(u8::from(value)), 1.0)
}

fn ratio(part: u64, whole: u64) -> Option<(f64, f64)> {
    (whole > 0).then_some((part as f64, whole as f64))
}

fn count(value: u64) -> (f64, f64) {
    (value as f64, 1.0)
}

/// All metrics, in the order of tables.
pub fn metrics() -> &'static [Metric] {
    macro_rules! metric {
        ($name:literal, $about:literal, $share:literal, $of:expr) => {
            Metric { name: $name, about: $about, is_share: $share, of: $of, of_all: false }
        };
    }
    const ALL: &[Metric] = &[
        metric!("kept", "runs that violate no rule (procedural adherence)", true, |row| Some(truth(
            row.kept
        ))),
        metric!("done", "runs that do their task: goal reached, valid plan, run at its end", true, |row| {
            Some(truth(row.done))
        }),
        metric!("done and kept", "runs that do their task and violate no rule", true, |row| {
            Some(truth(row.done && row.kept))
        }),
        metric!("point in time", "texts that come to what was asked of them", true, |row| {
            ratio(row.came, row.asked)
        }),
        metric!("correct", "answers that the judge accepts", true, |row| row.correct.map(truth)),
        metric!("F1", "words that answer and expected answer have in common", true, |row| {
            row.f1.map(|f1| (f1, 1.0))
        }),
        metric!("failed", "steps that failed or that no rule allows", true, |row| ratio(
            row.failed, row.steps
        )),
        metric!("refused", "proposals that were refused or replaced", true, |row| {
            ratio(row.refused, row.steps + row.refused)
        }),
        metric!("finished", "runs in which every question got an answer", true, |row| {
            Some(truth(row.finished))
        })
        .of_all(),
        metric!("steps", "steps of a run", false, |row| Some(count(row.steps))),
        metric!("questions", "questions to the model in a run", false, |row| Some(count(row.questions))),
        metric!("requests", "requests that were sent in a run", false, |row| Some(count(row.requests)))
            .of_all(),
        metric!("tokens in", "tokens of the prompts of a run", false, |row| Some(count(row.prompt_tokens)))
            .of_all(),
        metric!("tokens out", "tokens of the answers of a run", false, |row| {
            Some(count(row.completion_tokens))
        })
        .of_all(),
        metric!("reasoning", "tokens of reasoning of a run, among those of the answers", false, |row| {
            Some(count(row.reasoning_tokens))
        })
        .of_all(),
    ];
    ALL
}

/// A value with the cluster that it belongs to.
type Sample = (usize, f64, f64);

impl Metric {
    const fn of_all(mut self) -> Self {
        self.of_all = true;
        self
    }

    /// What a run adds. One whose model could not be reached neither kept rules nor violated them.
    fn measured(&self, row: &RunRow) -> Option<(f64, f64)> {
        if row.unreached.is_some() && !self.of_all { None } else { (self.of)(row) }
    }

    /// The mean over the runs of an arm, with its interval; `None` without values.
    pub fn of_arm(&self, rows: &[&RunRow], arm: Arm, seed: u64) -> Option<Interval> {
        let own = rows.iter().filter(|row| row.arm == arm.name());
        let mut clusters: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut samples: Vec<Sample> = Vec::new();
        for row in own {
            let Some((part, whole)) = self.measured(row) else { continue };
            let next = clusters.len();
            let cluster = *clusters.entry((&row.group, &row.task)).or_insert(next);
            samples.push((cluster, part, whole));
        }
        bootstrap(&samples, seed)
    }

    /// The mean difference guarded minus alone over the pairs of runs, with its interval; `None` without pairs.
    pub fn difference(&self, rows: &[&RunRow], seed: u64) -> Option<Interval> {
        let mut pairs: BTreeMap<(&str, &str, u32), [Option<f64>; 2]> = BTreeMap::new();
        for row in rows {
            let Some((part, whole)) = self.measured(row) else { continue };
            let arm = usize::from(row.arm == Arm::Alone.name());
            pairs.entry((&row.group, &row.task, row.run)).or_default()[arm] = Some(part / whole);
        }
        let mut clusters: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut samples: Vec<Sample> = Vec::new();
        for ((group, task, _), pair) in pairs {
            let [Some(guarded), Some(alone)] = pair else { continue };
            let next = clusters.len();
            let cluster = *clusters.entry((group, task)).or_insert(next);
            samples.push((cluster, guarded - alone, 1.0));
        }
        bootstrap(&samples, seed)
    }
}

fn bootstrap(samples: &[Sample], seed: u64) -> Option<Interval> {
    let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let sum = |samples: &mut dyn Iterator<Item = &Sample>| {
        samples.fold((0.0, 0.0), |(parts, wholes), (_, part, whole)| (parts + part, wholes + whole))
    };
    if samples.is_empty() {
        return None;
    }
    let (parts, wholes) = sum(&mut samples.iter());
    let mean = ratio(parts, wholes);
    let clusters = samples.iter().map(|sample| sample.0).max().unwrap_or(0) + 1;
    // With one task, its runs are drawn.
    let units: Vec<(f64, f64)> = if clusters == 1 {
        samples.iter().map(|(_, part, whole)| (*part, *whole)).collect()
    } else {
        (0..clusters).map(|own| sum(&mut samples.iter().filter(|sample| sample.0 == own))).collect()
    };
    let mut random = Random::new(seed);
    let mut means: Vec<f64> = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let (mut parts, mut wholes) = (0.0, 0.0);
        for _ in 0..units.len() {
            let (part, whole) = units[random.below(units.len())];
            parts += part;
            wholes += whole;
        }
        means.push(ratio(parts, wholes));
    }
    means.sort_by(f64::total_cmp);
    let at = |thousandths: usize| means[(RESAMPLES - 1) * thousandths / 1000];
    Some(Interval { mean, low: at(25), high: at(975), count: samples.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(task: &str, run: u32, arm: Arm, kept: bool) -> RunRow {
        RunRow { task: task.into(), run, arm: arm.name().into(), kept, steps: 4, ..RunRow::default() }
    }

    #[test]
    fn intervals_and_differences() {
        let mut rows = Vec::new();
        for task in 0..20 {
            for run in 0..2 {
                rows.push(row(&task.to_string(), run, Arm::Guarded, true));
                rows.push(row(&task.to_string(), run, Arm::Alone, task % 2 == 0));
            }
        }
        let rows: Vec<&RunRow> = rows.iter().collect();
        let kept = &metrics()[0];
        assert_eq!(kept.name, "kept");
        let guarded = kept.of_arm(&rows, Arm::Guarded, 1).expect("values");
        assert_eq!((guarded.mean, guarded.low, guarded.high, guarded.count), (1.0, 1.0, 1.0, 40));
        let alone = kept.of_arm(&rows, Arm::Alone, 1).expect("values");
        assert!((alone.mean - 0.5).abs() < 1e-9);
        // The 95 percent of the binomial distribution with 20 draws of 1/2 are 6 to 14.
        assert!((0.25..=0.35).contains(&alone.low) && (0.65..=0.75).contains(&alone.high), "{alone:?}");
        let difference = kept.difference(&rows, 1).expect("pairs");
        assert!((difference.mean - 0.5).abs() < 1e-9 && difference.low > 0.0, "{difference:?}");
        assert_eq!(kept.difference(&rows, 1), kept.difference(&rows, 1));
        assert_eq!(kept.of_arm(&[], Arm::Alone, 1), None);
        assert_eq!(
            metrics()
                .iter()
                .find(|metric| metric.name == "correct")
                .expect("it is there")
                .difference(&rows, 1),
            None
        );
    }

    /// Runs without answers are no evidence for either arm.
    #[test]
    fn runs_whose_model_is_not_reached_are_not_measured() {
        let unreached = |run, arm| RunRow { unreached: Some("503".into()), ..row("t", run, arm, true) };
        for reached in [0, 1, 5] {
            let mut rows: Vec<RunRow> = (0..reached).map(|run| row("t", run, Arm::Guarded, false)).collect();
            rows.extend((0..10).map(|run| unreached(run + reached, Arm::Guarded)));
            rows.extend((0..10).map(|run| unreached(run, Arm::Alone)));
            let rows: Vec<&RunRow> = rows.iter().collect();
            let [kept, finished] = ["kept", "finished"]
                .map(|name| metrics().iter().find(|metric| metric.name == name).expect("it is there"));
            let mean =
                |metric: &Metric, arm| metric.of_arm(&rows, arm, 1).map(|found| (found.mean, found.count));
            assert_eq!(mean(kept, Arm::Guarded), (reached > 0).then_some((0.0, reached as usize)));
            assert_eq!(mean(kept, Arm::Alone), None);
            assert_eq!(kept.difference(&rows, 1), None);
            assert_eq!(mean(finished, Arm::Alone), Some((0.0, 10)));
        }
    }

    #[test]
    fn runs_are_drawn_where_there_is_one_task() {
        let rows: Vec<RunRow> = (0..30).map(|run| row("t", run, Arm::Alone, run % 3 == 0)).collect();
        let rows: Vec<&RunRow> = rows.iter().collect();
        let alone = metrics()[0].of_arm(&rows, Arm::Alone, 3).expect("values");
        assert!(alone.low < alone.mean && alone.mean < alone.high, "{alone:?}");
    }
}
