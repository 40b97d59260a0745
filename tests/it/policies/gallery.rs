//! The policies of the gallery: each has a log that keeps it and one that violates its laws, except those listed below.

use super::compiled;
use std::ops::ControlFlow;
use std::path::Path;
use tsl_synth_seats::log::{LogFormat, LogReader};
use tsl_synth_service::{MonitorRun, MonitorTotals};

/// The laws of a policy, and their verdicts on a log.
fn judge(policy: &Path, log: &Path) -> (Vec<String>, MonitorTotals) {
    let text = std::fs::read_to_string(policy).expect("the policy");
    let name = policy.file_name().expect("a name").to_string_lossy();
    let compiled = compiled(&name, &text);
    let ids = compiled.policy.laws.iter().map(|law| law.id.clone()).collect();
    let mut run = MonitorRun::new(&compiled, false);
    let mut reader = LogReader::new(LogFormat::Jsonl, "log");
    let bytes = std::fs::read(log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
    let mut sink = |event: &tsl_synth_core::model::HostEvent<'_>| {
        run.event(event);
        ControlFlow::Continue(())
    };
    let _ = reader.read_document(&bytes, &mut sink).expect("a log");
    let _ = reader.finish(&mut sink);
    (ids, run.finish())
}

#[test]
fn each_policy_is_kept_by_one_log_and_broken_by_another() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies");
    let mut rules = 0;
    let mut policies: Vec<_> = std::fs::read_dir(&folder)
        .expect("the gallery")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    policies.sort();
    assert!(policies.len() >= 10, "{policies:?}");
    for policy in policies {
        let stem = policy.file_stem().expect("a name").to_string_lossy().into_owned();
        let log = |kind: &str| folder.join(format!("logs/{stem}.{kind}.jsonl"));
        let (ids, kept) = judge(&policy, &log("keeps"));
        assert_eq!(kept.violating, 0, "{stem}: {:?}", kept.first);
        assert!(kept.laws.iter().any(|law| law.judged > 0), "{stem}: nothing is judged");
        let (_, broken) = judge(&policy, &log("breaks"));
        assert_eq!(broken.violating, 1, "{stem}");
        assert_eq!((kept.faults, broken.faults), (0, 0), "{stem}");
        for (id, law) in ids.iter().zip(&broken.laws) {
            let expected = !matches!(
                (stem.as_str(), id.as_str()),
                (_, "compile-after-change" | "build-before-commit" | "tests-before-commit")
                    | ("retail", "identify-first" | "no-cancel-after-modify")
            );
            assert_eq!(law.violated > 0, expected, "{stem}: {id}");
        }
        rules += ids.len();
    }
    assert!(rules >= 15, "{rules} rules");
}
