//! Rows of experiments as JSON lines: the first line contains a hash of their settings.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tsl_synth_core::base::sha256;

/// A row of numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RowDocument {
    part: String,
    values: Vec<(String, f64)>,
}

/// The first line of rows that are made with these settings.
pub fn rows_header(settings: &str) -> String {
    let header = BTreeMap::from([("settings", sha256(settings.as_bytes()))]);
    line(&header)
}

fn line(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string(document).expect("our documents have string keys only");
    text.push('\n');
    text
}

/// The line of a row: its part and its numbers by column.
///
/// # Panics
/// Never: numbers of rows are finite.
pub fn row_line(part: &str, values: &[(String, f64)]) -> String {
    line(&RowDocument { part: part.into(), values: values.to_vec() })
}

/// The rows of a text that begins with the header of these settings; no rows for another text. Lines that cannot be
/// read are skipped, since a run may have been interrupted.
pub fn read_rows(text: &str, settings: &str) -> Vec<(String, Vec<(String, f64)>)> {
    let Some(rows) = text.strip_prefix(&rows_header(settings)) else { return Vec::new() };
    let read = rows.lines().filter_map(|line| serde_json::from_str::<RowDocument>(line).ok());
    read.map(|row| (row.part, row.values)).collect()
}
