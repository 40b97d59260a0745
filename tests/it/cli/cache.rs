//! The cache of verdicts: strategies from it are certified again, and no entry is trusted.

use super::{Folder, REALIZABLE, UNREALIZABLE};
use crate::gallery;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tsl_synth_testkit::quota;

/// The entries of the cache in a folder.
fn entries(folder: &Folder) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.path().join("kept")).expect("the cache");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files
}

fn results(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let fixed = ["check", "--cache", "kept", "--format", "json", "--stats"];
    let run = folder.run(fixed.iter().chain(args));
    run.json()["results"].as_array().expect("results").clone()
}

fn is_hit(result: &Value) -> bool {
    let log = result["log"].as_array().map_or(&[][..], Vec::as_slice);
    log.iter().any(|line| line == "the strategy is from the cache and was certified again")
}

fn is_refused(result: &Value) -> bool {
    result["diagnostics"].as_array().expect("a list").iter().any(|d| d["code"] == "TSL0320")
}

/// The parts of a result that are the same in every run.
fn answer(result: &Value) -> Value {
    let mut answer = result.clone();
    let object = answer.as_object_mut().expect("an object");
    for varies in ["seconds", "certificateSeconds", "peakMemory", "engine", "bound", "log"] {
        object.remove(varies);
    }
    let found = object["diagnostics"].as_array_mut().expect("a list");
    found.retain(|diagnostic| diagnostic["code"] != "TSL0320");
    answer
}

/// The parts of a result that do not depend on the strategy either: the cache may have another certified strategy.
fn verdict(result: &Value) -> Value {
    let mut answer = answer(result);
    let object = answer.as_object_mut().expect("an object");
    for varies in ["states", "latches", "gates", "certificate"] {
        object.remove(varies);
    }
    // Notes about the particular controller.
    if let Some(found) = object.get_mut("diagnostics").and_then(Value::as_array_mut) {
        found.retain(|d| !["TSL0309", "TSL0310", "TSL0312"].iter().any(|code| d["code"] == *code));
    }
    answer
}

#[test]
fn the_gallery_is_answered_the_same_from_the_cache() {
    let folder = Folder::new();
    let files: Vec<String> = gallery::every(6, 1).iter().map(|path| path.display().to_string()).collect();
    let gallery: Vec<&str> = ["--each"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let solved = results(&folder, &gallery);
    assert!(solved.len() > 10 && solved.iter().all(|result| !is_hit(result)));
    let again = results(&folder, &gallery);
    for (solved, again) in solved.iter().zip(&again) {
        // Answers of games over numbers are not kept.
        let by = again["certificate"]["by"].as_str().unwrap_or_default();
        assert!(is_hit(again) || by.contains("regions of states"), "{}", again["spec"]);
        // Not compared with `answer`: the certificates may use different facts.
        assert_eq!(verdict(solved), verdict(again));
    }
}

/// Strategies of both players that are circuits.
#[test]
fn circuits_are_kept_too() {
    let folder = Folder::new();
    let arbiter = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/tlsf/round_robin_arbiter.tlsf");
    let arbiter = arbiter.to_str().expect("UTF-8");
    // The environment has to store all outputs of a step to falsify each disjunct in the next one.
    let guess = |i: usize| format!("(o{i} <-> X i{i})");
    folder.file("guesses.ltl", format!("G ({})", (0..12).map(guess).collect::<Vec<_>>().join(" || ")));
    for (args, verdict) in [
        ([arbiter, "--param", "n=10", "--verdict-only"], "REALIZABLE"),
        (["guesses.ltl", "--ins", "/i.*/", "--verdict-only"], "UNREALIZABLE"),
    ] {
        let solved = results(&folder, &args).remove(0);
        assert_eq!(solved["verdict"], verdict);
        assert!(solved.get("latches").is_some() && !is_hit(&solved), "{solved}");
        let again = results(&folder, &args).remove(0);
        assert!(is_hit(&again), "{again}");
        assert_eq!(answer(&solved), answer(&again));
    }
}

#[test]
fn the_key_is_the_content_and_what_matters() {
    let folder = Folder::new();
    folder.file(".git/HEAD", "");
    folder.file("lib.tsl", "f x = g(x);\n");
    let text = "import \"lib.tsl\" as Lib\nalways guarantee { p(s) -> [x <- Lib.f(x)]; }";
    folder.file("a.tsl", text);
    let hit = |args: &[&str]| is_hit(&results(&folder, args)[0]);
    assert!(!hit(&["a.tsl"]));
    assert!(hit(&["a.tsl"]));
    // The key depends on the contents of the files and on options that change the game, not on the name of the file.
    folder.file("other/b.tsl", text.replace("lib.tsl", "../lib.tsl"));
    assert!(!hit(&["other/b.tsl"]), "the text is another one");
    folder.file("b.tsl", text);
    assert!(hit(&["b.tsl"]));
    assert!(!hit(&["b.tsl", "--refinements", "0"]));
    assert!(!hit(&["b.tsl", "--verdict-only"]));
    folder.file("lib.tsl", "f x = h(x);\n");
    assert!(!hit(&["a.tsl"]));
    // Only certified verdicts are stored, and `--no-certify` does not use them.
    folder.file("c.tsl", REALIZABLE);
    assert!(!hit(&["c.tsl", "--no-certify"]));
    assert!(!hit(&["c.tsl"]));
    assert!(!hit(&["c.tsl", "--no-certify"]));
    let before = entries(&folder).len();
    folder.file(
        "open.ltl",
        "// inputs: r\n// outputs: g\nG (r -> X X g)\nG (r -> X X X X (g | F r))\nG F !g\n",
    );
    assert_eq!(results(&folder, &["open.ltl", "--bound", "0"])[0]["verdict"], "UNKNOWN");
    assert_eq!(entries(&folder).len(), before);
}

#[test]
fn what_is_in_the_cache_is_not_trusted() {
    let folder = Folder::new();
    let specs: [(&str, String); 6] = [
        ("yes.tsl", REALIZABLE.into()),
        ("no.tsl", UNREALIZABLE.into()),
        ("weak.tsl", REALIZABLE.replace("! go -> [x <- b()]", "[x <- a()] || [x <- b()] || [x <- x]")),
        (
            "count.tsl",
            "wrapping cell n: 0..3 = 0;\nalways guarantee { go -> [n <- n + 1]; F n = 3 || true; }".into(),
        ),
        ("follow.ltl", "// inputs: r\n// outputs: g\nG (r <-> X g)\n".into()),
        ("ahead.ltl", "// inputs: r\n// outputs: g\nG (g <-> X r)\n".into()),
    ];
    let mut entry = Vec::new();
    let mut right = Vec::new();
    for (name, text) in &specs {
        folder.file(name, text);
        let before = if folder.path().join("kept").exists() { entries(&folder) } else { Vec::new() };
        let result = results(&folder, &[name]).remove(0);
        assert_ne!(result["verdict"], "ERROR", "{name}: {result}");
        let new: Vec<PathBuf> = entries(&folder).into_iter().filter(|file| !before.contains(file)).collect();
        assert_eq!(new.len(), 1, "{name}: {result}");
        entry.push((*name, new[0].clone()));
        right.push(verdict(&result));
    }
    let texts: Vec<Vec<u8>> = entry.iter().map(|(_, file)| std::fs::read(file).expect("an entry")).collect();
    let mut hostile: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"null".to_vec(),
        vec![0xff; 1000],
        b"[".repeat(100_000),
        vec![b' '; 17 << 20],
        br#"{"schemaVersion":"1.0","verdict":"UNKNOWN","strategy":""}"#.to_vec(),
        br#"{"schemaVersion":"9.0","verdict":"REALIZABLE","strategy":""}"#.to_vec(),
        br#"{"schemaVersion":"1.0","verdict":"REALIZABLE","strategy":"aag 99999999 9 9 9 9"}"#.to_vec(),
        br#"{"schemaVersion":"1.0","verdict":"REALIZABLE","strategy":"{}"}"#.to_vec(),
        br#"{"schemaVersion":"1.0","verdict":"REALIZABLE","facts":["false"],"strategy":""}"#.to_vec(),
    ];
    for text in &texts {
        let value: Value = serde_json::from_slice(text).expect("our own entry");
        let strategy = value["strategy"].as_str().expect("a strategy");
        let half: String = strategy.chars().take(strategy.chars().count() / 2).collect();
        for verdict in ["REALIZABLE", "UNREALIZABLE"] {
            for notion in [None, Some("ltl"), Some("tsl")] {
                for strategy in [strategy, half.as_str(), &strategy.replace('!', "")] {
                    let mut value =
                        json!({ "schemaVersion": "1.0", "verdict": verdict, "strategy": strategy });
                    if let Some(notion) = notion {
                        value["notion"] = notion.into();
                    }
                    hostile.push(value.to_string().into_bytes());
                }
            }
        }
    }
    let (mut refused, mut hits) = (0, 0);
    // All whole strategies, and a quarter of the cut and changed ones; all in `campaigns suite`.
    let sampled = if quota(1) > 1 { 1 } else { 4 };
    let is_taken = |i: usize| i < 10 || (i - 10).is_multiple_of(3) || i.is_multiple_of(sampled);
    for (i, text) in hostile.iter().enumerate().filter(|(i, _)| is_taken(*i)) {
        // All specifications in one call, each with this entry.
        for (_, file) in &entry {
            std::fs::write(file, text).expect("an entry");
        }
        let names: Vec<&str> = ["--each"].into_iter().chain(entry.iter().map(|(name, _)| *name)).collect();
        let found = results(&folder, &names);
        for ((result, right), (name, file)) in found.iter().zip(&right).zip(&entry) {
            assert_eq!(
                &verdict(result),
                right,
                "entry {i}, {name}: {}",
                String::from_utf8_lossy(&text[..text.len().min(400)])
            );
            assert!(is_hit(result) != is_refused(result), "entry {i}, {name}");
            refused += usize::from(is_refused(result));
            hits += usize::from(is_hit(result));
            if is_refused(result) {
                assert_ne!(&std::fs::read(file).expect("an entry"), text, "the entry is replaced");
            }
        }
    }
    assert!(refused > 50 && hits >= entry.len(), "{refused} were refused, {hits} used");
    for result in results(&folder, &["--each", "yes.tsl", "no.tsl"]) {
        assert!(is_hit(&result), "{result}");
    }
}

#[test]
fn a_cache_that_cannot_be_written() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    folder.file("taken", "");
    let run = folder.run(["check", "yes.tsl", "--cache", "taken"]).exits(2);
    assert!(run.err.contains("cannot make the folder `taken`"), "{}", run.err);
    // A folder at the path of the entry is not an entry, and the verdict is still given.
    folder.run(["check", "yes.tsl", "--cache", "kept", "--stats"]).exits(0);
    let file = entries(&folder).remove(0);
    std::fs::remove_file(&file).expect("the entry");
    std::fs::create_dir(&file).expect("a folder");
    let run = folder.run(["check", "yes.tsl", "--cache", "kept", "--stats"]).exits(0);
    assert!(run.out.contains("the cache does not take the verdict"), "{}", run.out);
}
