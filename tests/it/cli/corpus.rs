//! The table of the public corpus.

use super::Folder;
use crate::spec::corpus::fields;
use crate::support::shared;
use std::time::Instant;

/// What a column of the index says about realizability; `None` where it does not say, or says both.
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
        // Where papers and solvers disagree (Fig. 2 of the seed paper lacks an assumption) the solver is right.
        let wanted = verdict(solver).or(indexed);
        let answered = found.ends_with("REALIZABLE");
        let mut contradicts = answered && wanted.is_some_and(|wanted| wanted != found);
        // Other tools play the plain LTL game; refinement of the abstraction may find a controller all the same.
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
