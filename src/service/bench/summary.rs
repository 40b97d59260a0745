//! The summary of a table of results.

use super::row::{BenchRow, BenchVerdict};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// The family of a specification: its name without numbers, hashes and the suffix of expanded parameters.
fn family(file: &str) -> String {
    let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let name = stem.split("_pb_").next().unwrap_or(stem);
    let hash = |part: &str| part.len() == 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let name = name.rsplit_once('_').filter(|(_, last)| hash(last)).map_or(name, |(rest, _)| rest);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['_', '-']);
    if name.is_empty() { "(numbered)".into() } else { name.into() }
}

/// Penalized average time: an unsolved instance counts as twice the limit.
fn par2(times: impl Iterator<Item = Option<f64>>, limit: Duration) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for time in times {
        sum += time.unwrap_or(2.0 * limit.as_secs_f64());
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// A verdict that is an answer.
fn answer(verdict: Option<BenchVerdict>) -> Option<BenchVerdict> {
    verdict.filter(|verdict| verdict.is_answer())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The summary that is printed at the end of a run.
pub fn bench_summary(rows: &[BenchRow], limit: Duration) -> String {
    let mut text = String::new();
    let count = |verdict: BenchVerdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let solved = rows.iter().filter(|row| row.solved()).count();
    let _ = writeln!(
        text,
        "{solved} of {} solved in {:.0} s each: {} realizable, {} unrealizable; {} unknown, {} not stopped, {} wrong inputs, {} crashes",
        rows.len(),
        limit.as_secs_f64(),
        count(BenchVerdict::Realizable),
        count(BenchVerdict::Unrealizable),
        count(BenchVerdict::Unknown),
        count(BenchVerdict::Timeout),
        count(BenchVerdict::Error),
        count(BenchVerdict::Crash),
    );
    let _ = writeln!(text, "PAR2 {:.3} s", par2(rows.iter().map(|r| r.solved().then_some(r.seconds)), limit));
    certificates(rows, &mut text);
    versus(rows, limit, &mut text);
    families(rows, &mut text);
    sizes(rows, &mut text);
    let mut list = |title: &str, chosen: &dyn Fn(&BenchRow) -> bool| {
        let lines: Vec<String> = rows.iter().filter(|row| chosen(row)).map(BenchRow::line).collect();
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{title}\n  {}", lines.join("\n  "));
        }
    };
    list(
        "other verdicts than expected (some tables are wrong; a certificate decides):",
        &BenchRow::disagrees,
    );
    list("other verdicts than those of the other solver:", &|row| {
        row.solved() && answer(row.versus_verdict).is_some_and(|theirs| theirs != row.verdict)
    });
    list("crashes:", &|row| row.verdict == BenchVerdict::Crash);
    list("wrong inputs:", &|row| row.verdict == BenchVerdict::Error);
    text
}

fn certificates(rows: &[BenchRow], text: &mut String) {
    let ratios = rows.iter().filter(|row| row.solved()).filter_map(|row| {
        let (solve, certificate) = (row.solve_seconds?, row.certificate_seconds?);
        (solve > 0.0).then(|| certificate / solve)
    });
    if let Some(ratio) = median(ratios.collect()) {
        let _ = writeln!(text, "certifying costs {ratio:.2} of solving in the median");
    }
    if let Some(most) = rows.iter().filter(|row| row.solved()).filter_map(|row| row.peak_memory).max() {
        let _ = writeln!(text, "peak memory of what is solved: {} MiB", most >> 20);
    }
}

fn versus(rows: &[BenchRow], limit: Duration, text: &mut String) {
    let both: Vec<&BenchRow> = rows.iter().filter(|row| row.versus_verdict.is_some()).collect();
    if both.is_empty() {
        return;
    }
    let theirs = |row: &BenchRow| answer(row.versus_verdict).is_some();
    let only_ours = both.iter().filter(|row| row.solved() && !theirs(row)).count();
    let only_theirs = both.iter().filter(|row| !row.solved() && theirs(row)).count();
    let times: Vec<f64> = both
        .iter()
        .filter(|row| row.solved() && theirs(row))
        .filter_map(|row| Some(row.versus_seconds? / row.seconds.max(0.001)))
        .collect();
    let par = par2(both.iter().map(|row| row.versus_seconds.filter(|_| theirs(row))), limit);
    let _ = writeln!(
        text,
        "the other solver: {} solved, PAR2 {par:.3} s; {only_ours} only by us, {only_theirs} only by it, {} by both",
        both.iter().filter(|row| theirs(row)).count(),
        times.len(),
    );
    if let Some(middle) = median(times.clone()) {
        let mean = (times.iter().map(|t| t.max(1e-6).ln()).sum::<f64>() / times.len() as f64).exp();
        let _ = writeln!(
            text,
            "its time divided by ours: {middle:.2} in the median, {mean:.2} in the geometric mean"
        );
    }
}

fn families(rows: &[BenchRow], text: &mut String) {
    let mut families: BTreeMap<String, Vec<&BenchRow>> = BTreeMap::new();
    for row in rows {
        families.entry(family(&row.file)).or_default().push(row);
    }
    let width = families.keys().map(|name| name.chars().count()).max().unwrap_or(0).min(48);
    let _ = writeln!(text, "\n{:width$}  solved  of  theirs  seconds", "family");
    for (name, rows) in families {
        let solved = rows.iter().filter(|row| row.solved());
        let theirs = rows.iter().filter(|row| answer(row.versus_verdict).is_some()).count();
        let theirs = if rows.iter().all(|row| row.versus_verdict.is_none()) {
            String::new()
        } else {
            theirs.to_string()
        };
        let seconds = solved.clone().fold(0.0, |sum, row| sum + row.seconds);
        let _ = writeln!(
            text,
            "{name:width$}  {:6}  {:2}  {theirs:>6}  {seconds:7.2}",
            solved.count(),
            rows.len()
        );
    }
}

fn sizes(rows: &[BenchRow], text: &mut String) {
    let ratios: Vec<f64> = rows
        .iter()
        .filter_map(|row| {
            let size = row.latches? + row.gates?;
            let reference = row.reference_size.filter(|&size| size > 0)?;
            Some(size as f64 / reference as f64)
        })
        .collect();
    if let Some(middle) = median(ratios.clone()) {
        let _ = writeln!(
            text,
            "\ncircuits: latches and gates are {middle:.2} of the reference in the median of {}",
            ratios.len()
        );
    }
    let states: Vec<f64> =
        rows.iter().filter(|row| row.solved()).filter_map(|row| row.states.map(|n| n as f64)).collect();
    if let (Some(middle), Some(most)) = (median(states.clone()), states.iter().copied().reduce(f64::max)) {
        let _ = writeln!(text, "\nstates: {middle:.0} in the median, {most:.0} at most");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_by_their_names() {
        assert_eq!(family("bench/full_arbiter_unreal1_pb_2_10_pe_.tlsf"), "full_arbiter_unreal");
        assert_eq!(family("Alarm_06e9cad4.tlsf"), "Alarm");
        assert_eq!(family("g-unreal-20.tlsf"), "g-unreal");
        assert_eq!(family("02.tlsf"), "(numbered)");
    }

    #[test]
    fn unsolved_counts_twice_the_limit() {
        let limit = Duration::from_secs(10);
        assert!((par2([Some(2.0), None].into_iter(), limit) - 11.0).abs() < 1e-9);
    }
}
