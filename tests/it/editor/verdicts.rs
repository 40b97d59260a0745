//! Verdicts with findings, reused for texts with the same meaning; repairs.

use super::{read, request, shown, texts};
use crate::gallery;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tsl_synth_service::editor::{JudgedSpec, KeptVerdicts, Sketch, SpecVerdict};
use tsl_synth_service::{CheckRequest, Session, SpecLanguage, StopFlag};

fn judged(path: &Path, language: SpecLanguage, text: &str, kept: &mut KeptVerdicts) -> JudgedSpec {
    let request = CheckRequest::new(request(path, language, text));
    let reading = Session::new().read_spec(&request.spec);
    Session::new().check_edited(&request, &reading, &Sketch::new(language, text), kept)
}

/// The text with a comment line and two blanks before every line.
fn spread(text: &str) -> String {
    text.lines().flat_map(|line| ["// äöü a comment\n  ", line, "\n"]).collect()
}

/// Small specifications that are decided at once, each with its verdict.
fn small() -> &'static [(PathBuf, SpecLanguage, String, JudgedSpec)] {
    static SMALL: OnceLock<Vec<(PathBuf, SpecLanguage, String, JudgedSpec)>> = OnceLock::new();
    SMALL.get_or_init(|| {
        let sample = gallery::every(5, 0);
        let all = texts().into_iter().filter(|(path, _, text)| text.len() < 600 && sample.contains(path));
        all.map(|(path, language, text)| {
            let found = judged(&path, language, &text, &mut KeptVerdicts::default());
            (path, language, text, found)
        })
        .collect()
    })
}

/// The findings of the editor service, apart from its own codes, are those in the JSON document of `check`.
#[test]
fn findings_of_the_gallery_are_those_of_check() {
    assert!(small().len() > 10);
    let files = gallery::gallery();
    let results: HashMap<&PathBuf, &Value> = files.iter().zip(gallery::results()).collect();
    for (path, _, _, found) in small() {
        let result = results[path];
        let verdict = match found.verdict {
            SpecVerdict::Realizable => "REALIZABLE",
            SpecVerdict::Unrealizable => "UNREALIZABLE",
            _ => "UNKNOWN",
        };
        assert_eq!(result["verdict"], verdict, "{}", path.display());
        let own = ["TSL0300", "TSL0305"];
        let mut ours: Vec<_> =
            found.findings.iter().map(shown).filter(|one| !own.contains(&one.0.as_str())).collect();
        let mut theirs: Vec<_> = result["diagnostics"]
            .as_array()
            .expect("diagnostics")
            .iter()
            .map(|one| {
                let text = |key: &str| one[key].as_str().unwrap_or_default().to_string();
                (text("code"), text("message"), one["start"]["byte"].as_u64().unwrap_or(0) as usize)
            })
            .collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{}", path.display());
        let states = result["states"].as_u64();
        if let (Some(states), SpecVerdict::Realizable) = (states, found.verdict) {
            assert!(states == 0 || found.headline.starts_with("realizable, "), "{}", found.headline);
        }
    }
}

#[test]
fn comments_and_blanks_of_the_gallery_are_not_checked_again() {
    let mut with_findings = 0;
    for (path, language, text, _) in small() {
        let language = *language;
        // Lines that begin with `//` may name the inputs of LTL.
        if language == SpecLanguage::Ltl {
            continue;
        }
        let mut kept = KeptVerdicts::default();
        let first = judged(path, language, text, &mut kept);
        if !matches!(first.verdict, SpecVerdict::Realizable | SpecVerdict::Unrealizable) {
            continue;
        }
        assert!(!first.reused);
        let other = spread(text);
        let again = judged(path, language, &other, &mut kept);
        assert!(again.reused, "{}", path.display());
        let anew = judged(path, language, &other, &mut KeptVerdicts::default());
        assert!(!anew.reused);
        let all = |judged: &JudgedSpec| {
            let mut all: Vec<_> = judged
                .findings
                .iter()
                .map(|one| (shown(one), one.range.clone(), one.places.clone()))
                .collect();
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all
        };
        assert_eq!(all(&again), all(&anew), "{}", path.display());
        assert_eq!(again.repairs, anew.repairs, "{}", path.display());
        assert_eq!(again.verdict, anew.verdict);
        with_findings += usize::from(!again.findings.is_empty());
        // The verdict is not reused after a clause was added.
        if language == SpecLanguage::Tsl {
            let more = format!("{other}\nalways guarantee {{ [zebra9 <- zebra9()]; }}\n");
            assert!(!judged(path, language, &more, &mut kept).reused, "{}", path.display());
        }
    }
    assert!(with_findings > 1, "{with_findings} specifications with findings");
}

#[test]
fn repairs_of_the_gallery_that_are_applied_make_the_specification_realizable() {
    let mut applied = 0;
    for (path, language, text, found) in small() {
        let language = *language;
        for repair in &found.repairs {
            let after = repair.apply(text);
            let reading = read(language, &after);
            assert!(reading.meaning.is_some(), "{}: {after}\n{:#?}", path.display(), reading.findings);
            let verdict = judged(path, language, &after, &mut KeptVerdicts::default());
            assert_eq!(
                verdict.verdict,
                SpecVerdict::Realizable,
                "{}: {}\n{after}",
                path.display(),
                repair.title
            );
            applied += 1;
        }
    }
    assert!(applied > 2, "{applied} repairs");
}

#[test]
fn work_on_a_text_ends_when_the_flag_is_raised() {
    let (path, language, text) = texts()
        .into_iter()
        .find(|(path, ..)| path.ends_with("amba_decomposed_arbiter.tlsf"))
        .expect("the arbiter");
    let stop = StopFlag::new();
    let request = CheckRequest::new(request(&path, language, &text));
    let reading = Session::new().read_spec(&request.spec);
    let sketch = Sketch::new(language, &text);
    let raised = stop.clone();
    let start = Instant::now();
    let verdict = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            raised.raise(tsl_synth_service::LimitKind::Interrupted);
        });
        let mut session = Session::new().with_cancel(stop);
        session.check_edited(&request, &reading, &sketch, &mut KeptVerdicts::default()).verdict
    });
    assert!(start.elapsed() < Duration::from_secs(20), "{:?} for {verdict:?}", start.elapsed());
}

/// Prints how long readings and verdicts of the gallery take, first and again after an edit of comments:
/// `campaigns checking-again`.
#[test]
#[ignore = "a table"]
fn prints_the_times_of_checking_again() {
    println!("| specification | reading | verdict | after a comment | after an edit of a clause |");
    println!("|---|---|---|---|---|");
    for (path, language, text) in texts() {
        let mut kept = KeptVerdicts::default();
        let ms = |start: Instant| format!("{:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        read(language, &text);
        let reading = ms(start);
        let start = Instant::now();
        let first = judged(&path, language, &text, &mut kept);
        let verdict = ms(start);
        let start = Instant::now();
        let again = judged(&path, language, &format!("{text}\n// a comment\n"), &mut kept);
        let after = ms(start);
        assert!(again.reused || first.verdict == SpecVerdict::Unknown);
        let edited = match language {
            SpecLanguage::Tsl => format!("{text}\nguarantee {{ F true || zebra9; }}\n"),
            SpecLanguage::Ltl => text.clone(),
            _ => text.replacen("GUARANTEES {", "GUARANTEES { true;", 1),
        };
        let start = Instant::now();
        judged(&path, language, &edited, &mut KeptVerdicts::default());
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        println!("| `{name}` | {reading} | {verdict} | {after} | {} |", ms(start));
    }
}
