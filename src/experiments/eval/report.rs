//! Tables of an evaluation: as text, and as CSV.

use super::statistics::{Interval, Metric, metrics};
use super::{Arm, RunRow};
use std::fmt::Write;
use tsl_synth_core::base::{counted, csv_field};

/// A metric with its values in a group: of each arm, and the paired difference.
pub struct MetricLine {
    /// The metric.
    pub metric: &'static Metric,
    /// Guarded and alone.
    pub arms: [Option<Interval>; 2],
    /// Guarded minus alone.
    pub difference: Option<Interval>,
}

/// The table of a group.
pub struct EvalTable {
    /// The group.
    pub group: String,
    /// The numbers of runs of the two arms.
    pub runs: [usize; 2],
    /// Tokens of the prompts and of the answers of both arms.
    pub tokens: [[u64; 2]; 2],
    /// The metrics that have values.
    pub lines: Vec<MetricLine>,
}

/// The table of a group, or of all groups together for `None`.
pub fn table(rows: &[RunRow], group: Option<&str>, seed: u64) -> EvalTable {
    let own: Vec<&RunRow> = rows.iter().filter(|row| group.is_none_or(|group| row.group == group)).collect();
    let of = |arm: Arm| own.iter().filter(move |row| row.arm == arm.name());
    let tokens = Arm::ALL.map(|arm| {
        [of(arm).map(|row| row.prompt_tokens).sum(), of(arm).map(|row| row.completion_tokens).sum()]
    });
    let mut lines = Vec::new();
    for metric in metrics() {
        let arms = Arm::ALL.map(|arm| metric.of_arm(&own, arm, seed));
        let is_zero = |value: &Option<Interval>| value.is_none_or(|value| value.high == 0.0);
        let is_idle = matches!(metric.name, "tokens in" | "tokens out" | "reasoning" | "requests");
        if arms.iter().all(Option::is_none) || is_idle && arms.iter().all(is_zero) {
            continue;
        }
        lines.push(MetricLine { metric, arms, difference: metric.difference(&own, seed) });
    }
    EvalTable {
        group: group.unwrap_or("all").into(),
        runs: Arm::ALL.map(|arm| of(arm).count()),
        tokens,
        lines,
    }
}

/// A value in the unit of its metric.
pub(super) fn shown(metric: &Metric, value: f64) -> String {
    if metric.is_share { format!("{:.1} %", 100.0 * value) } else { format!("{value:.1}") }
}

fn cell(metric: &Metric, value: Option<Interval>, with_sign: bool) -> String {
    let Some(Interval { mean, low, high, .. }) = value else { return "-".into() };
    let number = |value: f64| {
        let value = if metric.is_share { 100.0 * value } else { value };
        // No `-0.0`.
        let value = if value.abs() < 0.05 { 0.0 } else { value };
        if with_sign { format!("{value:+.1}") } else { format!("{value:.1}") }
    };
    format!("{} [{}, {}]", number(mean), number(low), number(high))
}

/// What the tokens of a table cost: prices of a million tokens in prompts and in answers.
pub(super) fn cost(tokens: [u64; 2], prices: [f64; 2]) -> f64 {
    tokens.iter().zip(prices).map(|(count, price)| *count as f64 * price / 1e6).sum()
}

impl EvalTable {
    /// The table as text. `prices`: of a million tokens in prompts and in answers.
    pub fn text(&self, prices: Option<[f64; 2]>) -> String {
        let [guarded, alone] = self.runs;
        let mut text = format!("{}: {} guarded, {alone} alone\n", self.group, counted(guarded, "run"));
        let mut rows = vec![["", "guarded", "alone", "difference"].map(str::to_string)];
        for line in &self.lines {
            rows.push([
                format!("{}{}", line.metric.name, if line.metric.is_share { " %" } else { "" }),
                cell(line.metric, line.arms[0], false),
                cell(line.metric, line.arms[1], false),
                cell(line.metric, line.difference, true),
            ]);
        }
        if let Some(prices) = prices {
            let [guarded, alone] = self.tokens.map(|tokens| cost(tokens, prices));
            rows.push(["cost".into(), format!("{guarded:.4}"), format!("{alone:.4}"), String::new()]);
        }
        // At least two blanks stand between two columns.
        let widest = |column: usize| rows.iter().map(|row| row[column].len() + 2).max().unwrap_or(0);
        let width: [usize; 4] =
            std::array::from_fn(|column| widest(column).max(if column == 0 { 15 } else { 24 }));
        for [name, cells @ ..] in &rows {
            let mut line = format!("{name:<0$}", width[0]);
            for (cell, width) in cells.iter().zip(&width[1..]) {
                let _ = write!(line, "{cell:>width$}");
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

/// All runs, one in each line. Texts are quoted where they have to be.
pub fn csv(rows: &[RunRow]) -> String {
    let mut text = "group,task,run,arm,seed,finished,end,kept,done,steps,failed,refused,asked,came,correct,f1,questions,requests,prompt_tokens,completion_tokens,reasoning_tokens,answer,violated\n".to_string();
    for row in rows {
        let optional = |value: Option<String>| value.unwrap_or_default();
        let fields = [
            csv_field(&row.group),
            csv_field(&row.task),
            row.run.to_string(),
            row.arm.clone(),
            row.seed.to_string(),
            row.finished.to_string(),
            csv_field(&row.end),
            row.kept.to_string(),
            row.done.to_string(),
            row.steps.to_string(),
            row.failed.to_string(),
            row.refused.to_string(),
            row.asked.to_string(),
            row.came.to_string(),
            optional(row.correct.map(|correct| correct.to_string())),
            optional(row.f1.map(|f1| f1.to_string())),
            row.questions.to_string(),
            row.requests.to_string(),
            row.prompt_tokens.to_string(),
            row.completion_tokens.to_string(),
            row.reasoning_tokens.to_string(),
            csv_field(row.answer.as_deref().unwrap_or_default()),
            csv_field(&row.violated.join("; ")),
        ];
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stay_apart_whatever_the_values() {
        for size in 0..16 {
            let value = 10_u64.pow(size);
            let row = |arm: Arm, steps: u64| RunRow {
                group: "g".into(),
                task: "t".into(),
                arm: arm.name().into(),
                steps,
                prompt_tokens: steps,
                completion_tokens: value - steps.min(value),
                ..RunRow::default()
            };
            for steps in [[value, 0], [0, value], [value, value]] {
                let rows = [row(Arm::Guarded, steps[0]), row(Arm::Alone, steps[1])];
                let text = table(&rows, Some("g"), 0).text(Some([1e6, 2.0]));
                for line in text.lines().skip(2) {
                    // A name, and each value with its interval, with two blanks or more between them.
                    let parts = line.split("  ").filter(|part| !part.trim().is_empty()).count();
                    assert_eq!(parts, if line.starts_with("cost") { 3 } else { 4 }, "{text}");
                }
            }
        }
    }

    #[test]
    fn tables_and_csv() {
        let row = |arm: Arm, kept| RunRow {
            group: "g".into(),
            task: "t".into(),
            arm: arm.name().into(),
            kept,
            prompt_tokens: 1_000_000,
            answer: Some("=a \"b\", c".into()),
            ..RunRow::default()
        };
        let rows = [row(Arm::Guarded, true), row(Arm::Alone, false)];
        let text = table(&rows, Some("g"), 0).text(Some([2.0, 8.0]));
        assert!(text.starts_with("g: 1 run guarded, 1 alone\n"), "{text}");
        let kept = text.lines().find(|line| line.starts_with("kept %")).expect("a line");
        assert_eq!(
            kept.split_whitespace().collect::<Vec<_>>().join(" "),
            "kept % 100.0 [100.0, 100.0] 0.0 [0.0, 0.0] +100.0 [+100.0, +100.0]"
        );
        assert!(text.contains("2.0000") && !text.contains("reasoning"), "{text}");
        let csv = csv(&rows);
        assert_eq!(csv.lines().count(), 3);
        assert!(csv.contains("\"'=a \"\"b\"\", c\""), "{csv}");
    }
}
