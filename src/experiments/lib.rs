//! Tables of papers compared with ours, by simulated models with stated error rates.
//!
//! An experiment is a list of independent parts. Each part gives one row of numbers, which depend on its name and the
//! seed only: parts may run in any order and on several threads, and rows that exist already need not be computed
//! again.

#![forbid(unsafe_code)]

mod adventure;
mod chooser;
pub mod eval;
mod ltlcrit;
pub mod openagi;
pub mod react;
mod replaced;
mod safety_chip;
pub mod travel;
mod travel_data;
mod travel_judge;

pub use adventure::{Adventure, AdventureRates};
pub use ltlcrit::{Ltlcrit, Setting, first_error, read_laws};
pub use replaced::{NamedText, PlayedWorld, Replaced, gallery_world};
pub use safety_chip::{Constraint, Household, SafetyChip};
pub use travel_judge::TripJudgment;

use tsl_synth_service::Failure;

/// The name of a column and a measured number.
pub type Measured = (&'static str, f64);

/// A row: the name of its part, and the measured numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name of the part.
    pub part: String,
    /// Numbers by the names of their columns.
    pub values: Vec<(String, f64)>,
}

impl Row {
    /// The row of a part.
    pub fn new(part: impl Into<String>, values: &[Measured]) -> Self {
        let values = values.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
        Self { part: part.into(), values }
    }
    /// A number of the row; 0 if it does not have it.
    pub fn get(&self, column: &str) -> f64 {
        self.values.iter().find(|(name, _)| name == column).map_or(0.0, |(_, value)| *value)
    }
}

/// Lines of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Its title.
    pub title: String,
    /// What the horizontal axis shows.
    pub x: String,
    /// What the vertical axis shows.
    pub y: String,
    /// The lines: names and points from left to right.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

/// The report of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentReport {
    /// The tables as text.
    pub text: String,
    /// A chart, if there is one.
    pub chart: Option<Chart>,
}

/// An experiment.
pub trait Experiment: Sync {
    /// The names of its parts, in order.
    fn parts(&self) -> Vec<String>;
    /// Runs a part.
    ///
    /// # Errors
    /// A part that it does not have, or a defect of this program.
    fn run(&self, part: &str) -> Result<Row, Failure>;
    /// The report on all rows, which are in the order of the parts.
    fn report(&self, rows: &[Row]) -> ExperimentReport;
    /// All that the rows depend on in addition to their parts; rows of an experiment with other settings are not
    /// reused.
    fn settings(&self) -> String;
}
