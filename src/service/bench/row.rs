//! Rows of the table of results, and of the table of expectations.

use std::fmt::Write;
use tsl_synth_core::base::csv_field;

/// The header of the table of results, with the end of its line.
pub const BENCH_HEADER: &str = "file,verdict,notion,engine,seconds,solve_seconds,certificate_seconds,states,latches,gates,peak_memory,expected,reference_size,versus_verdict,versus_seconds,reason\n";

/// The outcome of a run on one specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BenchVerdict {
    /// There is a controller.
    Realizable,
    /// There is no controller.
    Unrealizable,
    /// A limit was reached.
    #[default]
    Unknown,
    /// The process did not end on its own within the time limit.
    Timeout,
    /// The input is wrong, or the answer cannot be read.
    Error,
    /// The program failed.
    Crash,
}

impl BenchVerdict {
    const ALL: [Self; 6] =
        [Self::Realizable, Self::Unrealizable, Self::Unknown, Self::Timeout, Self::Error, Self::Crash];

    /// Whether it is a definite answer: realizable or unrealizable.
    pub fn is_answer(self) -> bool {
        matches!(self, Self::Realizable | Self::Unrealizable)
    }
    /// Its word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Realizable => "REALIZABLE",
            Self::Unrealizable => "UNREALIZABLE",
            Self::Unknown => "UNKNOWN",
            Self::Timeout => "TIMEOUT",
            Self::Error => "ERROR",
            Self::Crash => "CRASH",
        }
    }
    /// The verdict with this word, in either case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name().eq_ignore_ascii_case(name))
    }
}

impl std::fmt::Display for BenchVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A row of the table of results: one specification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BenchRow {
    /// The specification.
    pub file: String,
    /// The outcome.
    pub verdict: BenchVerdict,
    /// `ltl` or `tsl`, for UNREALIZABLE.
    pub notion: String,
    /// The engine that found the answer.
    pub engine: String,
    /// Seconds for the whole run.
    pub seconds: f64,
    /// The part of `seconds` before the certificate check.
    pub solve_seconds: Option<f64>,
    /// The part of `seconds` for the certificate check.
    pub certificate_seconds: Option<f64>,
    /// States of the strategy.
    pub states: Option<u64>,
    /// Latches of a strategy that is a circuit.
    pub latches: Option<u64>,
    /// Gates of a strategy that is a circuit.
    pub gates: Option<u64>,
    /// The most physical memory that the process had, in bytes.
    pub peak_memory: Option<u64>,
    /// The verdict of the table of expectations.
    pub expected: String,
    /// The size of the reference circuit in that table.
    pub reference_size: Option<i64>,
    /// The verdict of the other solver.
    pub versus_verdict: Option<BenchVerdict>,
    /// The wall-clock time of the other solver in seconds.
    pub versus_seconds: Option<f64>,
    /// Why there is no answer.
    pub reason: String,
}

impl BenchRow {
    /// Whether there is an answer.
    pub fn solved(&self) -> bool {
        self.verdict.is_answer()
    }
    /// Whether there is an answer and it differs from the expected one.
    pub fn disagrees(&self) -> bool {
        let expected = BenchVerdict::from_name(&self.expected).filter(|expected| expected.is_answer());
        self.solved() && expected.is_some_and(|expected| expected != self.verdict)
    }
    /// A summary on one line.
    pub fn line(&self) -> String {
        let mut line = format!("{} {} {:.2} s", self.file, self.verdict, self.seconds);
        if self.disagrees() {
            let _ = write!(line, " (expected {})", self.expected);
        }
        if let Some(verdict) = self.versus_verdict {
            let _ = write!(line, " versus {verdict}");
            let _ = self.versus_seconds.map(|s| write!(line, " {s:.2} s"));
        }
        line
    }
    /// The line of the CSV table.
    pub fn csv(&self) -> String {
        let time = |t: Option<f64>| t.map_or(String::new(), |t| format!("{t:.3}"));
        let count = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
        let fields = [
            quoted(&self.file),
            self.verdict.to_string(),
            self.notion.clone(),
            quoted(&self.engine),
            time(Some(self.seconds)),
            time(self.solve_seconds),
            time(self.certificate_seconds),
            count(self.states),
            count(self.latches),
            count(self.gates),
            count(self.peak_memory),
            quoted(&self.expected),
            self.reference_size.map_or(String::new(), |n| n.to_string()),
            self.versus_verdict.map_or(String::new(), |verdict| verdict.to_string()),
            time(self.versus_seconds),
            quoted(&self.reason),
        ];
        fields.join(",") + "\n"
    }
}

fn quoted(text: &str) -> String {
    csv_field(&text.replace(['\n', '\r'], " "))
}

/// The fields of a line.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut inside) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if inside && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => fields.push(std::mem::take(&mut field)),
            _ => field.push(c),
        }
    }
    fields.push(field);
    fields
}

/// The rows of a table that was written before; an incomplete last line is ignored.
///
/// # Errors
/// A table with other columns, or an unknown verdict.
pub fn read_bench_rows(text: &str) -> Result<Vec<BenchRow>, String> {
    let mut lines = text.split_inclusive('\n');
    if lines.next().is_some_and(|first| first != BENCH_HEADER) {
        return Err("the table to resume has other columns".into());
    }
    let mut rows = Vec::new();
    for line in lines.filter(|line| line.ends_with('\n')) {
        let all = fields(line.trim_end());
        let [
            file,
            verdict,
            notion,
            engine,
            seconds,
            solve,
            certificate,
            states,
            latches,
            gates,
            memory,
            expected,
            reference,
            versus,
            versus_seconds,
            reason,
        ] = &all[..]
        else {
            return Err("the table to resume has a line with another number of columns".into());
        };
        rows.push(BenchRow {
            file: file.clone(),
            verdict: BenchVerdict::from_name(verdict).ok_or_else(|| format!("`{verdict}` is no verdict"))?,
            notion: notion.clone(),
            engine: engine.clone(),
            seconds: seconds.parse().unwrap_or_default(),
            solve_seconds: solve.parse().ok(),
            certificate_seconds: certificate.parse().ok(),
            states: states.parse().ok(),
            latches: latches.parse().ok(),
            gates: gates.parse().ok(),
            peak_memory: memory.parse().ok(),
            expected: expected.clone(),
            reference_size: reference.parse().ok(),
            versus_verdict: BenchVerdict::from_name(versus),
            versus_seconds: versus_seconds.parse().ok(),
            reason: reason.clone(),
        });
    }
    Ok(rows)
}

/// An entry of the table of expectations.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedVerdict {
    /// The file without its folder and ending.
    pub name: String,
    /// The verdict.
    pub status: String,
    /// The size of the reference circuit.
    pub size: Option<i64>,
}

/// Reads a table with the columns `name`, `status` and, if known, `reference_size`.
pub fn read_expectations(text: &str) -> Vec<ExpectedVerdict> {
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap_or_default());
    let column = |name: &str| header.iter().position(|h| h == name);
    let (name, status, size) = (column("name"), column("status"), column("reference_size"));
    lines
        .map(|line| {
            let all = fields(line);
            let get = |column: Option<usize>| column.and_then(|c| all.get(c)).cloned().unwrap_or_default();
            ExpectedVerdict { name: get(name), status: get(status), size: get(size).parse().ok() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_written() {
        let row = BenchRow {
            file: "a,b \"c\".tlsf".into(),
            verdict: BenchVerdict::Realizable,
            seconds: 1.5,
            solve_seconds: Some(1.25),
            states: Some(3),
            expected: "unrealizable".into(),
            reference_size: Some(-1),
            reason: "x, y".into(),
            ..BenchRow::default()
        };
        assert!(row.disagrees());
        let text = format!("{BENCH_HEADER}{}half a li", row.csv());
        assert_eq!(read_bench_rows(&text), Ok(vec![row]));
        assert!(read_bench_rows("other,columns\n").is_err());
    }

    #[test]
    fn expectations_are_found_by_their_columns() {
        let table = read_expectations("status,name,reference_size\nrealizable,x,12\n,y,\n");
        assert_eq!(
            table[0],
            ExpectedVerdict { name: "x".into(), status: "realizable".into(), size: Some(12) }
        );
        assert_eq!(table[1], ExpectedVerdict { name: "y".into(), status: String::new(), size: None });
    }
}
