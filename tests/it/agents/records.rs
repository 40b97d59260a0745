//! Records: a replay writes the same bytes, and malformed records are rejected with the number of the line.

use super::{TASKS, adventure, game, options, record};
use tsl_synth_agents::SimRates;
use tsl_synth_agents::story::{NoAudience, StoryEnd};
use tsl_synth_core::model::OnBroken;
use tsl_synth_documents::Record;
use tsl_synth_service::replay_story;

#[test]
fn a_replay_makes_the_same_bytes() {
    let rates =
        SimRates { success: 0.7, spurious: 0.1, sticky: 0.1, misread: 0.05, refusal: 0.1, malformed: 0.1 };
    for task in TASKS {
        let (_, loaded) = adventure(task);
        for (seed, policy) in OnBroken::ALL.into_iter().enumerate() {
            let (played, text) = game(&loaded, &options(15, 1, policy), &rates, seed as u64);
            let mut again = String::new();
            let replayed =
                replay_story(&loaded, &record(&text), &mut NoAudience, &mut |line| again.push_str(line));
            assert_eq!(again, text, "{task}, {policy:?}");
            assert_eq!(replayed.expect("a record").turns, played.turns);
        }
    }
}

#[test]
fn a_replay_of_another_record_says_where_it_differs() {
    let (_, loaded) = adventure("story");
    let (_, text) = game(&loaded, &options(6, 0, OnBroken::Error), &SimRates::default(), 5);
    let mut other = record(&text);
    let changed =
        other.exchanges.iter().position(|e| e.request.subject == "toTown(summary)").expect("a town");
    other.exchanges[changed].request.subject = "toCave(summary)".into();
    let mut again = String::new();
    let played =
        replay_story(&loaded, &other, &mut NoAudience, &mut |line| again.push_str(line)).expect("it runs");
    let StoryEnd::Stopped(stop) = played.end else { panic!("{:?}", played.end) };
    assert!(stop.to_string().contains(&format!("exchange {}", changed + 1)), "{stop}");
    assert_ne!(again, text);
}

#[test]
fn what_is_no_record_is_said_with_its_line() {
    let (_, loaded) = adventure("story");
    let (_, text) = game(&loaded, &options(3, 0, OnBroken::Error), &SimRates::default(), 5);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let wrong = |text: String| Record::read(&text).expect_err("no record");
    assert_eq!(wrong(String::new()).0, 1);
    assert_eq!(wrong("banana\n".into()).0, 1);
    assert_eq!(wrong(lines[1..].concat()).0, 1);
    assert_eq!(wrong(format!("{}{}", lines[0], lines[0])).0, 2);
    assert_eq!(wrong(format!("{}banana\n{}", lines[0], lines[1])).0, 2);
    assert!(wrong(lines[0].replace("\"1.0\"", "\"9.0\"")).1.contains("9.0"));
    // A run that was cut off: the last line is incomplete.
    let torn = format!("{}{}", lines[0], &lines[1][..20]);
    assert!(Record::read(&torn).expect("a record").end.is_none());
    // Prefixes of a record are read or rejected, without a panic.
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)).step_by(7) {
        let _ = Record::read(&text[..end]);
    }
}
