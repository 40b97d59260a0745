//! `bench`: one row for each specification, tables of rows and of expectations, and a summary.

mod row;
mod summary;

pub use row::{BENCH_HEADER, BenchRow, BenchVerdict, ExpectedVerdict, read_bench_rows, read_expectations};
pub use summary::bench_summary;

use super::{CheckRequest, Hints};
use crate::Session;
use tsl_synth_documents::{CheckResult, CheckVerdict};

impl Session<'_> {
    /// Checks one specification, only for its verdict, as a row of a benchmark.
    pub fn bench_row(&mut self, request: &CheckRequest) -> BenchRow {
        let request =
            CheckRequest { hints: Hints::None, denied: Vec::new(), minimize: false, ..request.clone() };
        let start = self.clock.now();
        let name = request.spec.name();
        let (result, error) = match self.check(&request) {
            Ok(report) => (report.result(&self.sources), None),
            Err(failure) => {
                let verdict = if failure.is_of_input() { BenchVerdict::Error } else { BenchVerdict::Crash };
                (failure.check_result(&name, &self.sources), Some(verdict))
            }
        };
        let mut row = BenchRow::of(&result);
        row.file = name;
        row.seconds = self.clock.now().saturating_sub(start).as_secs_f64();
        if let Some(verdict) = error {
            row.verdict = verdict;
        }
        row
    }
}

impl BenchRow {
    /// The row of a result.
    pub fn of(result: &CheckResult) -> Self {
        let count = |n: Option<usize>| n.map(|n| n as u64);
        let verdict = match result.verdict {
            CheckVerdict::Realizable => BenchVerdict::Realizable,
            CheckVerdict::Unrealizable => BenchVerdict::Unrealizable,
            CheckVerdict::Unknown => BenchVerdict::Unknown,
            CheckVerdict::Error => BenchVerdict::Error,
        };
        Self {
            reason: if verdict.is_answer() {
                String::new()
            } else {
                result.reason.clone().unwrap_or_default()
            },
            verdict,
            notion: result.notion.map_or(String::new(), |notion| notion.to_string()),
            engine: result.engine.clone().unwrap_or_default(),
            seconds: result.seconds,
            solve_seconds: Some((result.seconds - result.certificate_seconds.unwrap_or(0.0)).max(0.0)),
            certificate_seconds: result.certificate_seconds,
            states: count(result.states),
            latches: count(result.latches),
            gates: count(result.gates),
            peak_memory: result.peak_memory,
            ..Self::default()
        }
    }
}
