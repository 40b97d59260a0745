//! The table of the public corpus.

use super::Folder;
use crate::spec::corpus::fields;
use std::time::Instant;
use tsl_synth_testkit::{files_below, shared};

/// The verdict in a column of the index; `None` if it contains none or both.
fn verdict(text: &str) -> Option<&'static str> {
    let without = text.to_lowercase().replace("unrealizable", "");
    match (without.len() < text.len(), without.contains("realizable")) {
        (true, false) => Some("UNREALIZABLE"),
        (false, true) => Some("REALIZABLE"),
        _ => None,
    }
}

#[test]
#[ignore = "prints the table of the public corpus: see tests/README.md"]
fn corpus_table() {
    let given = std::env::var("TSL_SYNTH_CORPUS").map(std::path::PathBuf::from).ok();
    let Some(root) = given.or_else(|| shared("cases/tsl")) else { return };
    let seconds = std::env::var("TSL_SYNTH_SECONDS").unwrap_or_else(|_| "30".into());
    let index = std::fs::read_to_string(root.join("INDEX.csv")).expect("INDEX.csv");
    let mut lines = index.lines();
    let header = fields(lines.next().expect("a header"));
    let column = |name: &str| header.iter().position(|h| h == name).expect("a column");
    let (name, expected, orig, fork, parses) = (
        column("name"),
        column("expected"),
        column("ltlsynt_orig"),
        column("ltlsynt_fork"),
        column("orig_tlsf"),
    );
    let folder = Folder::new();
    let (mut decided, mut total, mut contradictions) = (0, 0, 0);
    let (mut theirs, mut ours_too) = (0, 0);
    println!("{:<14} {:<6} {:>8} {:>7}  {:<14} file", "verdict", "notion", "seconds", "states", "expected");
    for line in lines {
        let row = fields(line);
        let path = root.join(&row[name]);
        let dialect = if row[parses] == "ok" { "tsltools" } else { "barnard" };
        let check = |refinements: &str| {
            let limit = format!("{seconds}s");
            let path = path.display().to_string();
            let root = root.display().to_string();
            folder.run([
                "check",
                "--format",
                "json",
                "--verdict-only",
                "--time-limit",
                &limit,
                "--dialect",
                dialect,
                "--import-root",
                &root,
                "--refinements",
                refinements,
                &path,
            ])
        };
        let start = Instant::now();
        let run = check("64");
        let elapsed = start.elapsed().as_secs_f64();
        let result = run.json()["results"][0].clone();
        let found = if run.code == 2 { "(error)" } else { result["verdict"].as_str().unwrap_or_default() };
        let solver = if dialect == "tsltools" { &row[orig] } else { &row[fork] };
        let indexed = verdict(&row[expected]);
        // Where a paper and the solver disagree, the solver's verdict is expected: Fig. 2 of arXiv 2402.16905, for
        // example, lacks an assumption.
        let wanted = verdict(solver).or(indexed);
        let answered = found.ends_with("REALIZABLE");
        let mut contradicts = answered && wanted.is_some_and(|wanted| wanted != found);
        // Other tools solve the LTL game without refinement of the abstraction, with which a controller may exist.
        let refined = contradicts && {
            let plain = check("0").json()["results"][0]["verdict"].clone();
            plain.as_str() == wanted
        };
        contradicts &= !refined;
        total += 1;
        decided += usize::from(answered);
        contradictions += usize::from(contradicts);
        if verdict(&row[orig]).is_some() || verdict(&row[fork]).is_some() {
            theirs += 1;
            ours_too += usize::from(answered);
        }
        let states = result["states"].as_u64().map_or(String::from("-"), |s| s.to_string());
        println!(
            "{found:<14} {:<6} {elapsed:>8.2} {states:>7}  {:<14} {}{}",
            result["notion"].as_str().unwrap_or("-"),
            wanted.unwrap_or("-"),
            row[name],
            match (contradicts, indexed) {
                (true, _) => "  CONTRADICTION",
                _ if refined => "  (as expected without refinement)",
                (false, Some(indexed)) if answered && indexed != found => "  (the index says the opposite)",
                _ => "",
            }
        );
    }
    println!("{total} files, {decided} decided within {seconds} s, {contradictions} contradictions");
    println!("{ours_too} of the {theirs} that ltlsynt decided");
}

/// Runs `check`: the seconds until its first line and until its end, and what it printed.
fn timed(arguments: &[&str]) -> (f64, f64, String) {
    use std::io::{BufRead, BufReader, Read};
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tsl-synth"));
    command.arg("check").args(arguments).env_remove("CI").env_remove("NO_COLOR");
    let start = Instant::now();
    let piped = std::process::Stdio::piped;
    let mut child = command.stdout(piped()).stderr(std::process::Stdio::null()).spawn().expect("the binary");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut text = String::new();
    out.read_line(&mut text).expect("a line");
    let first = start.elapsed().as_secs_f64();
    out.read_to_string(&mut text).expect("text");
    child.wait().expect("an end");
    (first, start.elapsed().as_secs_f64(), text)
}

/// Compares `check` with `check --verdict-only` on the public corpora: how much later the verdict is printed, how much
/// longer the run takes, and how wide the lines are. Takes every `TSL_SYNTH_EVERY`-th file, if it is decided within
/// `TSL_SYNTH_SECONDS`.
#[test]
#[ignore = "prints a table: see tests/README.md"]
fn verdict_first_table() {
    let seconds = std::env::var("TSL_SYNTH_SECONDS").unwrap_or_else(|_| "10".into());
    let every: usize = std::env::var("TSL_SYNTH_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let (mut later, mut longer, mut widest) = (Vec::new(), Vec::new(), 0);
    for part in ["cases/tsl", "bench/syntcomp"] {
        let Some(root) = shared(part) else { continue };
        let files = files_below(&root, &["tsl", "tlsf"]);
        let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        let root = root.display().to_string();
        for file in files.iter().step_by(every) {
            let limit = format!("{seconds}s");
            let common = ["--import-root", root.as_str(), file.as_str()];
            let (bare, bare_end, text) =
                timed(&[&["--verdict-only", "--time-limit", limit.as_str()][..], &common].concat());
            if !text.starts_with("REALIZABLE") && !text.starts_with("UNREALIZABLE") {
                continue;
            }
            let (first, end, text) = timed(&common);
            let width = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            widest = widest.max(width);
            later.push(first - bare);
            longer.push(end - bare_end);
            if end - bare_end > 3.0 || first - bare > 0.05 || width > 200 {
                println!("{:>7.3} {:>7.2} {width:>4} {file}", first - bare, end - bare_end);
            }
        }
    }
    for (what, mut times) in [("the verdict later by", later), ("the run longer by", longer)] {
        times.sort_by(f64::total_cmp);
        let at = |share: usize| {
            times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap_or(0.0)
        };
        println!(
            "{what}: {:.3} s in the median, {:.3} s in the 95th percentile, {:.3} s at most, of {}",
            at(50),
            at(95),
            at(100),
            times.len()
        );
    }
    println!("the widest line has {widest} columns");
}
