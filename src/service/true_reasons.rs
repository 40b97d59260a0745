//! Tests: reasons for updates name clauses of the specification only, and inputs that are read.

use super::*;
use serde_json::Value;

const GUARD: &str = "\
input player: Vec;
input hp: Int;
predicate sees: Vec -> Bool;
predicate near: Vec -> Bool;
output move: Move;
cell mode: enum {patrol, alert, chase, flee} = patrol;
cell timer: 0..LAST = 0;

always guarantee {
  mode = patrol && sees(player) -> [mode <- alert];
  mode = alert && sees(player) && near(player) -> [mode <- chase];
  mode = chase && hp < 10 -> [mode <- flee];
  [mode <- flee] -> mode = chase && hp < 10;
  mode = flee && timer = LAST -> [mode <- patrol];
  mode = flee && timer != LAST -> [timer <- timer + 1];
  mode != flee -> [timer <- 0];
}
";

const LAMP: &str = "\
input p: Bool;
cell mode: enum {idle, run, err} = idle;
cell t: 0..LAST = 0;

always guarantee {
  mode = idle && p -> [mode <- run];
  [mode <- run] -> mode = idle;
  mode = run && t = LAST -> [mode <- err];
  mode = run && t != LAST -> [t <- t + 1];
  mode != run -> [t <- 0];
  mode = err && p -> [mode <- idle];
}
";

fn spec(text: &str, last: usize) -> SpecRequest {
    SpecRequest::text(SpecLanguage::Tsl, "s.tsl", text.replace("LAST", &last.to_string()))
}

/// Whether a clause has a line of the specification.
fn is_written(clause: &str) -> bool {
    clause.starts_with("line ")
}

#[test]
fn the_clauses_of_an_edge_are_those_of_the_specification() {
    for (text, last) in
        [GUARD, LAMP].into_iter().flat_map(|text| [(text, 1), (text, 3), (text, 5), (text, 8)])
    {
        let report =
            Session::new().emit(&EmitRequest::new(spec(text, last), Lang::Json)).expect("realizable");
        let document: Value = serde_json::from_str(report.main().text().expect("a text")).expect("JSON");
        let mut clauses = 0;
        for state in document["states"].as_array().expect("states") {
            for edge in state["edges"].as_array().expect("edges") {
                for of_cell in edge["asked"].as_object().into_iter().flatten().map(|(_, clauses)| clauses) {
                    for clause in of_cell.as_array().expect("clauses") {
                        let clause = clause.as_str().expect("a text");
                        assert!(is_written(clause), "{last}: {clause}\n{edge}");
                        clauses += 1;
                    }
                }
            }
        }
        assert!(clauses > 0, "{last}: {document}");
    }
}

#[test]
fn a_sentence_names_inputs_that_are_read_and_clauses_that_are_written() {
    let letter = r#"{"sees(player)": true, "near(player)": true, "10 > hp": true}"#;
    let mut fled = false;
    for last in [3, 5] {
        for step in [3, last + 2] {
            let letters = vec![letter; step + 1].join(", ");
            let trace = Input::Text { name: "t.json".into(), text: format!(r#"{{"prefix": [{letters}]}}"#) };
            let mut request = ExplainTraceRequest::new(trace);
            request.spec = spec(GUARD, last);
            request.at = Some(step);
            let report = Session::new().explain_trace(&request).expect("a trace");
            assert!(!report.document.chain.is_empty(), "{last} {step}");
            for link in &report.document.chain {
                assert!(link.clauses.iter().all(|clause| is_written(clause)), "{last} {step}: {link:?}");
                assert!(!link.sentence.contains("% 2"), "{last} {step}: {}", link.sentence);
                // Neither predicate is read while the guard flees.
                let flees = link.because.iter().any(|input| input.contains("mode = flee"));
                fled |= flees;
                let reads = link.because.iter().any(|input| input.contains("player"));
                assert!(!flees || !reads, "{last} {step}: {}", link.sentence);
            }
        }
    }
    assert!(fled, "no link is about the guard that flees");
}
