//! The library without the command line: what it depends on, and sessions that answer several requests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;
use tsl_synth_core::model::Verdict;
use tsl_synth_service::{
    BenchVerdict, CheckRequest, Clock, EmitRequest, Emitted, Event, ExplainSpecRequest, ExplainTraceRequest,
    FailureKind, Input, Lang, Observer, Phase, Playing, Session, SessionObserver, SimulateRequest,
    SpecLanguage, SpecRequest, StopFlag, Texts, VerifyRequest,
};

/// The packages of others, with versions, that a build with these flags of cargo needs at run time.
fn packages_of_others(flags: &[&str]) -> BTreeSet<(String, String)> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .args(["--target", "x86_64-unknown-linux-gnu"])
        .args(flags)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let package = |line: &str| {
        let mut words = line.split(' ').map(str::to_owned);
        Some((words.next()?, words.next()?))
            .filter(|(name, _)| !name.starts_with("tsl-synth") && name != "tsl-check")
    };
    text.lines().filter_map(package).collect()
}

/// More packages are more to build and to trust: who needs another one says here what it replaces.
#[test]
fn packages_do_not_become_more() {
    for (what, flags, most) in [
        ("the program", &["--package", "tsl-synth"][..], 190),
        // The crate csv (three packages) reads tables of tools and trips; it replaced a reader of our own.
        ("the library without the command line", &["--package", "tsl-synth", "--no-default-features"], 94),
        ("policies alone", &["--package", "tsl-synth-policy"], 68),
    ] {
        let found = packages_of_others(flags);
        println!("{what}: {} packages of others", found.len());
        assert!(found.len() <= most, "{what}: {} packages of others, at most {most}", found.len());
    }
}

/// The packages that a program with `default-features = false` builds, in `fixtures/library/packages.txt`.
#[test]
fn the_lean_library_depends_on_what_is_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = packages_of_others(&["--package", "tsl-synth", "--no-default-features"]);
    let packages: BTreeSet<String> = packages.into_iter().map(|(name, _)| name).collect();
    for command_line in ["clap", "clap_complete", "ctrlc", "indicatif", "annotate-snippets"] {
        assert!(!packages.contains(command_line), "{command_line} is for the command line only");
    }
    let fresh = packages.into_iter().collect::<Vec<_>>().join("\n") + "\n";
    let path = root.join("fixtures/library/packages.txt");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&path, &fresh).expect("packages.txt");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("packages.txt"), fresh);
}

/// The manual shows the program that CI builds and runs.
#[test]
fn the_manual_shows_the_program_outside_of_the_package() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect(path);
    let program = read("fixtures/library/src/main.rs");
    let shown = program.split_once("\n\n").expect("a comment and the program").1;
    let page = "src/cli/topics/library.md";
    assert!(read(page).contains(&format!("```rust\n{shown}```\n")), "{page} shows another program");
}

/// Records the phases, and the verdicts that were announced before the report.
#[derive(Default)]
struct Heard {
    phases: Mutex<Vec<String>>,
    verdicts: Mutex<Vec<bool>>,
}

impl Observer for Heard {
    fn phase(&self, phase: Phase) {
        self.phases.lock().expect("lock").push(phase.to_string());
    }
}

impl SessionObserver for Heard {
    fn event(&self, event: Event<'_>) {
        if let Event::Verdict { report, sources } = event {
            assert!(sources.iter().next().is_some() && report.certificate.is_some());
            assert!(report.explanation.is_none(), "the explanation follows the verdict");
            self.verdicts.lock().expect("lock").push(report.is_realizable());
        }
    }
}

/// A clock that advances by a second with each reading.
#[derive(Default)]
struct Ticking(Mutex<u64>);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        let mut seconds = self.0.lock().expect("lock");
        *seconds += 1;
        Duration::from_secs(*seconds)
    }
}

fn tsl(name: &str, text: &str) -> SpecRequest {
    SpecRequest::text(SpecLanguage::Tsl, name, text)
}

const LAMP: &str = "always guarantee { press -> [lamp <- on()]; !press -> [lamp <- lamp]; }";
const IMPOSSIBLE: &str = "always guarantee { [x <- a()]; p -> [x <- b()]; }";

#[test]
fn the_verdict_comes_before_its_explanation() {
    let (heard, clock) = (Heard::default(), Ticking::default());
    let mut session = Session::new().with_observer(&heard).with_clock(&clock);
    let report = session.check(&CheckRequest::new(tsl("x.tsl", IMPOSSIBLE))).expect("a report");
    assert!(report.is_unrealizable());
    let explanation = report.explanation.as_ref().expect("it is explained");
    assert_eq!((explanation.core.guarantees.len(), explanation.repairs.is_empty()), (2, false));
    assert!(report.reason().is_some_and(|reason| reason.contains("[x <- b()]")), "{:?}", report.reason());
    let (all, certificate) = (report.time.as_secs(), report.certificate_time.expect("checked").as_secs());
    assert!(0 < certificate && certificate < all, "{certificate} of {all} s");
    assert_eq!(*heard.verdicts.lock().expect("lock"), [false]);
    let phases = heard.phases.lock().expect("lock");
    assert!(phases.iter().any(|phase| phase == "certificate"), "{phases:?}");
}

/// The answers for one specification do not depend on those that a session read before.
#[test]
fn a_session_answers_many_requests() {
    let alone = Session::new().emit(&EmitRequest::new(tsl("lamp.tsl", LAMP), Lang::Js)).expect("files");
    let mut session = Session::new();
    let wrong = session.check(&CheckRequest::new(tsl("wrong.tsl", "always guarantee { a && ; }")));
    let failure = wrong.expect_err("a syntax error");
    assert!(matches!(failure.kind, FailureKind::Input) && failure.is_of_input());
    assert!(failure.to_string().starts_with("the input has errors: TSL0"), "{failure}");
    assert!(session.check(&CheckRequest::new(tsl("lamp.tsl", LAMP))).expect("a report").is_realizable());
    let again = session.emit(&EmitRequest::new(tsl("lamp.tsl", LAMP), Lang::Js)).expect("files");
    assert_eq!(alone.files, again.files);
    let mut none = EmitRequest::new(tsl("x.tsl", IMPOSSIBLE), Lang::Js);
    let failure = session.emit(&none).expect_err("no controller");
    assert!(matches!(failure.kind, FailureKind::NoStrategy { .. }), "{failure}");
    (none.what, none.lang) = (Emitted::CounterStrategy, Lang::Hoa);
    assert!(
        session
            .emit(&none)
            .expect("a counter-strategy")
            .main()
            .text()
            .is_some_and(|text| text.starts_with("HOA: v1"))
    );
    let findings = session.check(&CheckRequest::new(tsl("y.tsl", IMPOSSIBLE))).expect("a report");
    let findings = findings.findings(&session.sources);
    let named = findings.iter().flat_map(|d| &d.labels).map(|l| &session.sources.get(l.span.source).name);
    assert!(named.clone().count() > 0 && named.clone().all(|name| name == "y.tsl"), "{findings:?}");
}

#[test]
fn imports_and_machines_come_from_the_loader() {
    let mut texts = Texts::default();
    let mut add = |path: &str, text: &str| texts.0.insert(PathBuf::from(path), text.to_owned());
    add("lib/on.tsl", "lit a = press -> [lamp <- a];\n");
    add(
        "main.tsl",
        "import \"lib/on.tsl\" as L\nalways guarantee { L.lit on(); !press -> [lamp <- lamp]; }\n",
    );
    let mut session = Session::new().with_loader(&texts);
    let spec = SpecRequest::files(["main.tsl"]);
    let files = session.emit(&EmitRequest::new(spec.clone(), Lang::Hoa)).expect("files");
    let machine = Input::Text { name: "lamp.hoa".into(), text: files.main().text().expect("text").into() };
    let report = session.verify(&VerifyRequest::new(spec.clone(), machine)).expect("a report");
    assert_eq!(
        report.verdict(),
        tsl_synth_documents::VerifyVerdict::Holds,
        "{}",
        report.reason(&session.sources)
    );
    let failure = session.check(&CheckRequest::new(SpecRequest::files(["other.tsl"]))).expect_err("no file");
    assert!(failure.to_string().contains("there is no such file"), "{failure}");
}

#[test]
fn plays_and_causes_without_files() {
    let mut session = Session::new();
    let machine = session.simulate(&SimulateRequest::new(tsl("lamp.tsl", LAMP))).expect("a machine");
    let mut play = Playing::new(&machine, 7, false);
    let mut steps = 0;
    assert!(play.random(5, true, &mut |_| steps += 1));
    assert!(steps >= 5 && play.len() >= 5);
    assert!(!play.document(None).cycle.is_empty(), "the play was asked to close");
    let mut request =
        ExplainTraceRequest::new(Input::Text { name: "trace".into(), text: "press; cycle{!press}".into() });
    request.spec = tsl("lamp.tsl", LAMP);
    request.effect = Some("[lamp <- on()]".into());
    let report = session.explain_trace(&request).expect("an answer");
    assert_eq!(report.document.verdict, tsl_synth_documents::CauseVerdict::Cause);
    assert!(report.document.sentence.contains("`press`"), "{}", report.document.sentence);
    let report = session.explain_spec(&ExplainSpecRequest::new(tsl("x.tsl", IMPOSSIBLE))).expect("a report");
    let explanation = report.explanation.as_ref().expect("it is explained");
    assert_eq!((explanation.lost.len(), explanation.cores.cores.len()), (2, 1));
}

#[test]
fn formulas_need_no_text() {
    let spec = SpecRequest::formulas(["G (request -> X grant)", "G (grant -> X !grant)"], ["grant"]);
    let report = Session::new().check(&CheckRequest::new(spec)).expect("a report");
    assert!(report.is_unrealizable() && report.name == "<formula>");
}

#[test]
fn a_raised_flag_ends_the_work() {
    let stop = StopFlag::new();
    stop.raise(tsl_synth_service::LimitKind::Interrupted);
    let mut session = Session::new().with_cancel(stop);
    let report = session.check(&CheckRequest::new(tsl("lamp.tsl", LAMP))).expect("a report");
    assert!(matches!(report.verdict, Verdict::Unknown(_)));
    let row = session.bench_row(&CheckRequest::new(tsl("lamp.tsl", LAMP)));
    assert_eq!((row.verdict, row.file.as_str()), (BenchVerdict::Unknown, "lamp.tsl"));
    let row = Session::new().bench_row(&CheckRequest::new(tsl("lamp.tsl", LAMP)));
    assert_eq!((row.verdict, row.states), (BenchVerdict::Realizable, Some(1)));
}

/// Labels that leave outputs open: all choices, which may differ from step to step, have to satisfy the guarantees.
#[test]
fn every_resolution_of_open_labels_is_verified() {
    use tsl_synth_documents::VerifyVerdict::{Holds, Unknown, Violated};
    let machine = |ap: &str, body: &str| {
        let head = "HOA: v1\nStates: 2\nStart: 0\n";
        let text = format!("{head}AP: {ap}\nacc-name: all\nAcceptance: 0 t\n--BODY--\n{body}--END--\n");
        Input::Text { name: "m.hoa".into(), text }
    };
    let verdict = |formula: &str, ap: &str, body: &str| {
        let mut session = Session::new();
        let spec = SpecRequest::formulas([formula], ["c", "d"]);
        let report = session.verify(&VerifyRequest::new(spec, machine(ap, body))).expect("a report");
        (report.verdict(), report.reason(&session.sources))
    };
    let (anything, rest) = ("State: 0\n[t] 0\nState: 1\n[t] 1\n", "State: 1\n[t] 1\n");
    for (formula, ap, body, expected) in [
        ("G !c", "1 \"c\"", anything, Violated),
        ("G c", "1 \"c\"", anything, Violated),
        ("G (c || !c)", "1 \"c\"", anything, Holds),
        // An output that the file does not name is open, too.
        ("G !c", "1 \"d\"", anything, Violated),
        ("G (c || d)", "2 \"c\" \"d\"", &format!("State: 0\n[0 | 1] 0\n{rest}"), Holds),
        ("G (c <-> !d)", "2 \"c\" \"d\"", &format!("State: 0\n[0 | 1] 0\n{rest}"), Violated),
        ("G (a -> c)", "3 \"a\" \"c\" \"d\"", &format!("State: 0\n[!0 | 1] 0\n{rest}"), Holds),
        ("G (a -> c || d)", "3 \"a\" \"c\" \"d\"", &format!("State: 0\n[0&1 | 0&2 | !0] 0\n{rest}"), Holds),
        ("G (a -> c)", "3 \"a\" \"c\" \"d\"", &format!("State: 0\n[0&1 | 0&2 | !0] 0\n{rest}"), Violated),
        // A constant choice satisfies the first formula; a varying one violates it.
        ("G c || G !c", "1 \"c\"", anything, Violated),
        ("G F c", "1 \"c\"", anything, Violated),
        ("F G c || G F !c", "1 \"c\"", anything, Holds),
    ] {
        let (found, reason) = verdict(formula, ap, body);
        assert_eq!(found, expected, "{formula}: {body}: {reason}");
        assert!(found != Holds || reason.contains("leave open"), "{reason}");
    }
    // For cells, every update that a label allows.
    let text = "always guarantee { p -> [x <- a()]; [x <- a()] || [x <- b()]; }";
    for (label, expected) in [("[t] 0", Violated), ("[0&1&!2 | !0&(1 | 2)] 0", Holds)] {
        let mut session = Session::new();
        let ap = "3 \"p\" \"[x <- a()]\" \"[x <- b()]\"";
        let machine = machine(ap, &format!("State: 0\n{label}\nState: 1\n[t] 1\n"));
        let report = session.verify(&VerifyRequest::new(tsl("x.tsl", text), machine)).expect("a report");
        assert_eq!(report.verdict(), expected, "{label}: {}", report.reason(&session.sources));
    }
    let many: Vec<String> = (0..7).map(|i| format!("o{i}")).collect();
    let spec = SpecRequest::formulas([many.join(" || ")], many.clone());
    let report = Session::new().verify(&VerifyRequest::new(spec, machine("0", anything))).expect("a report");
    assert_eq!(report.verdict(), Unknown, "too many to look at");
    // One label with 128 output letters that leaves nothing open.
    let join = |part: &dyn Fn(usize) -> String, with: &str| (0..7).map(part).collect::<Vec<_>>().join(with);
    let propositions = join(&|i| format!("\"r{i}\" \"o{i}\""), " ");
    let label = join(&|i| format!("({0}&{1} | !{0}&!{1})", 2 * i, 2 * i + 1), " & ");
    let copying =
        machine(&format!("14 {propositions}"), &format!("State: 0\n[{label}] 0\nState: 1\n[{label}] 1\n"));
    let spec = SpecRequest::formulas([join(&|i| format!("G (r{i} <-> o{i})"), " & ")], many);
    let mut session = Session::new();
    let report = session.verify(&VerifyRequest::new(spec, copying)).expect("a report");
    let reason = report.reason(&session.sources);
    assert!(report.verdict() == Holds && !reason.contains("leave open"), "{reason}");
}

/// The examples of the library say what they are for; here they run.
#[test]
fn the_examples_do_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::current_exe().expect("this program");
    let folder = folder.parent().and_then(Path::parent).expect("the folder of the build").join("examples");
    let mut checked = 0;
    for (name, said) in [
        ("check", "export class Controller"),
        ("explain", "add `always assume {"),
        ("decide", "deny Denied by tests-first: Run the tests before you push."),
    ] {
        let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        if !program.exists() {
            tsl_synth_testkit::skip("the examples are not built: `cargo test` without `--test` builds them");
            return;
        }
        let run = Command::new(&program).current_dir(root).output().expect("it runs");
        let out = String::from_utf8_lossy(&run.stdout);
        assert!(
            run.status.success() && out.contains(said),
            "{name}: {out}{}",
            String::from_utf8_lossy(&run.stderr)
        );
        if name == "decide" {
            let rulings: Vec<&str> = out.lines().filter_map(|line| line.trim().split(' ').next()).collect();
            assert_eq!(rulings.iter().filter(|ruling| **ruling == "allow").count(), 3, "{out}");
        }
        checked += 1;
    }
    println!("{checked} examples");
}
