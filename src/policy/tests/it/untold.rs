//! Sessions whose outcomes or arguments are not told, against all ways to complete them.
//!
//! For each law the verdict of the monitor is compared with those of the sessions in which each open call succeeded or
//! failed. What is said to be kept or violated must be so in all of them. Laws without copies and registers must be
//! decided wherever all of them agree; copies are judged one by one, and registers by what they counted at least and at
//! most, so such laws may remain undecidable.

use tsl_synth_core::base::{Budget, Random};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, LawStatus, UntoldFacts};
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::language::load_policy;
use tsl_synth_policy::{CompiledPolicy, PolicyMonitor};

const EXACT: [&str; 9] = [
    "rule = \"c requires a since b\"",
    "rule = \"b requires a before\"",
    "rule = \"end requires a\"",
    "rule = \"a forbids c after\"",
    "rule = \"a then b eventually\"",
    "ltl = \"G(a.failed -> X(!b U a.ok))\"",
    "ltl = \"G(b -> O(a.ok & Y O a.failed))\"",
    "ltl = \"G(a.ok | a.failed -> X !c)\"",
    "ltl = \"G(c -> O good)\"",
];
const COARSE: [&str; 8] = [
    "rule = \"c requires a before\"\nfor_each = [\"k\"]",
    "rule = \"a then b eventually\"\nfor_each = [\"k\"]",
    "rule = \"c requires a since b\"\nfor_each = [\"k\"]",
    "rule = \"end requires a\"\nfor_each = [\"k\"]",
    "ltl = \"G !many\"",
    "ltl = \"G(c -> !many)\"",
    "ltl = \"G(many -> O b.ok)\"",
    "ltl = \"G !spent\"",
];

/// Limits for each value. The letter of a shell command has no value here, so it may be about any of them.
const LIMITS: [&str; 3] = [
    "rule = \"at most 1 c per 1d for each k\"",
    "rule = \"at most 1 a.ok per 1d for each k\"",
    "ltl = \"G !spent_each\"\nfor_each = [\"k\"]",
];

const HEAD: &str = r#"policy = 1
name = "p"
trace = "TRACE"
timing = "TIMING"
unmatched = "allow"
[propositions]
good = {}
valid = {}
[actions]
groups = [["a", "b", "c"]]
[[match]]
on = "call"
tool = "a"
action = "a"
bind = { k = "/arguments/k" }
[[match]]
on = "call"
tool = "b"
action = "b"
[[match]]
on = "call"
tool = "c"
action = "c"
bind = { k = "/arguments/k" }
[[match]]
on = "result"
tool = "b"
ok = true
proposition = "good"
[[match]]
on = "result"
tool = "a"
ok = true
where = [{ pointer = "/result/valid", "=" = true }]
proposition = "valid"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["just", "a"]
action = "a"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["just", "b"]
action = "b"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["just", "c"]
action = "c"
[[count]]
name = "many"
count = true
on = "a.ok"
above = 1
reset_on = ["c.ok"]
[[count]]
name = "spent"
sum = "/arguments/n"
on = "a"
returned_on = "a.failed"
above = 3
"#;
const EACH: &str = r#"[[count]]
name = "spent_each"
sum = "/arguments/n"
on = "a"
returned_on = "a.failed"
above = 3
for_each = "k"
"#;

fn compiled(laws: &[&str], trace: &str, timing: &str) -> CompiledPolicy {
    let mut text = HEAD.replace("TRACE", trace).replace("TIMING", timing);
    if laws.iter().any(|law| law.contains("spent_each")) {
        text.push_str(EACH);
    }
    for (i, law) in laws.iter().enumerate() {
        text.push_str(&["[[law]]\nid = \"l", &i.to_string(), "\"\n", law, "\n"].concat());
    }
    let mut sources = SourceMap::new();
    let source = sources.add("p.toml", &text);
    let mut found = Diagnostics::new();
    let policy = load_policy(&mut sources, source, &mut found);
    CompiledPolicy::new(policy.unwrap_or_else(|| panic!("{found:?}")), &Budget::unlimited()).expect("small")
}

/// Commands of a shell, as names of calls.
const SCRIPTS: [&str; 8] = [
    "just a",
    "just b && just c",
    "just a || just b",
    "just a; just b",
    "just a | just c",
    "just a && just b || just c",
    "if just a; then just c; fi",
    "ls",
];

/// Calls of tools with the value of `k`, each with its outcome; `None` where it is open. With `+` the amount is 4, not 2.
type Session = Vec<(&'static str, &'static str, Option<CallOutcome>)>;

fn session(random: &mut Random, length: usize, has_scripts: bool) -> Session {
    let call = |_| {
        let tool = ["a", "b", "c"][random.below(3)];
        let script = SCRIPTS[random.below(SCRIPTS.len())];
        let tool = if has_scripts && random.below(2) == 0 { script } else { tool };
        let key = ["x", "y"][random.below(2)];
        let told = [Some(CallOutcome::Failed), None, None][random.below(3)];
        (tool, key, told)
    };
    (0..length).map(call).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Kept,
    Violated,
    Undecidable,
}

/// How the log leaves outcomes open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// It has no marks of success.
    NotTold,
    /// It says that the outcome is unknown.
    Unknown,
    /// It has no arguments.
    NoArguments,
    /// It has no results.
    NoResults,
    /// It tells all.
    Told,
}

/// The verdicts of the laws. No law that is violated is kept later.
fn verdicts(compiled: &CompiledPolicy, session: &Session, manner: Manner) -> Vec<Verdict> {
    let mut monitor = PolicyMonitor::new(compiled);
    let mut kinds = Vec::new();
    if manner == Manner::NotTold {
        kinds.push(HostEventKind::Untold(UntoldFacts { outcomes: true, ..UntoldFacts::default() }));
    }
    if manner == Manner::NoResults {
        kinds.push(HostEventKind::Untold(UntoldFacts { results: true, ..UntoldFacts::default() }));
    }
    if manner == Manner::NoArguments {
        kinds.push(HostEventKind::Untold(UntoldFacts { arguments: true, ..UntoldFacts::default() }));
    }
    for (i, (tool, key, outcome)) in session.iter().enumerate() {
        let id = Some(i.to_string().into());
        let (tool, command) = if SCRIPTS.contains(tool) { ("Bash", *tool) } else { (*tool, "") };
        let (key, n) = key.strip_suffix('+').map_or((*key, 2), |key| (key, 4));
        let arguments = match manner {
            Manner::NoArguments => "null".into(),
            _ => format!("{{\"k\":\"{key}\",\"n\":{n},\"command\":\"{command}\"}}"),
        };
        let arguments = JsonText(arguments.into());
        kinds.push(HostEventKind::Call { id: id.clone(), server: None, tool: tool.into(), arguments });
        let outcome = match outcome {
            Some(outcome) => *outcome,
            None if manner == Manner::Unknown => CallOutcome::Unknown,
            None => CallOutcome::Ok,
        };
        kinds.push(HostEventKind::Result { call: id, outcome, result: None });
    }
    kinds.push(HostEventKind::Close);
    let mut violated = vec![false; compiled.policy.laws.len()];
    for kind in kinds {
        monitor.event(&HostEvent::new("s", 1, kind));
        for (law, was) in compiled.policy.laws.ids().zip(&mut violated) {
            let now = monitor.standing(law).best == LawStatus::Violated;
            assert!(now || !*was, "{law:?} is violated no more: {session:?}");
            *was = now;
        }
    }
    let verdict = |law| {
        let standing = monitor.standing(law);
        match (standing.worst.holds(), standing.best.holds()) {
            (true, _) => Verdict::Kept,
            (false, true) => Verdict::Undecidable,
            (false, false) => Verdict::Violated,
        }
    };
    compiled.policy.laws.ids().map(verdict).collect()
}

/// The verdicts on which all completions of a session agree.
fn of_completions(compiled: &CompiledPolicy, session: &Session) -> Vec<Verdict> {
    let open: Vec<usize> = (0..session.len()).filter(|&i| session[i].2.is_none()).collect();
    let mut all: Option<Vec<Verdict>> = None;
    for set in 0..1_usize << open.len() {
        let mut complete = session.clone();
        for (bit, &i) in open.iter().enumerate() {
            let failed = set >> bit & 1 == 1;
            complete[i].2 = Some(if failed { CallOutcome::Failed } else { CallOutcome::Ok });
        }
        let own = verdicts(compiled, &complete, Manner::Told);
        all = Some(match all {
            None => own,
            Some(all) => {
                let both = all.into_iter().zip(own);
                both.map(|(a, b)| if a == b { a } else { Verdict::Undecidable }).collect()
            }
        });
    }
    all.expect("some completion")
}

/// The violations that there are, those that are found, and the kept laws that are not said to be kept. With `is_exact`
/// all verdicts must be those of the completions.
fn compare(
    laws: &[&str],
    is_exact: bool,
    has_scripts: bool,
    (trace, timing): (&str, &str),
    seed: u64,
) -> [usize; 3] {
    let together = compiled(laws, trace, timing);
    let alone: Vec<CompiledPolicy> = laws.iter().map(|law| compiled(&[law], trace, timing)).collect();
    let mut random = Random::new(seed);
    let mut counts = [0; 3];
    for number in 0..100 {
        let session = session(&mut random, 1 + number % 7, has_scripts);
        let mut right = of_completions(&together, &session);
        for manner in [Manner::NotTold, Manner::Unknown] {
            for (law, (own, right)) in
                verdicts(&together, &session, manner).iter().zip(&mut right).enumerate()
            {
                if *right == Verdict::Undecidable && own != right {
                    // The more laws, the sooner too much is open in a session that is told: ask for this one alone.
                    *right = of_completions(&alone[law], &session)[0];
                }
                let is_coarse = !is_exact && *own == Verdict::Undecidable;
                assert!(
                    own == right || is_coarse,
                    "{trace} {}: {own:?} for {right:?}: {session:?}",
                    laws[law]
                );
                counts[0] += usize::from(*right == Verdict::Violated);
                counts[1] += usize::from(*own == Verdict::Violated);
                counts[2] += usize::from(*right == Verdict::Kept && *own != Verdict::Kept);
            }
        }
    }
    counts
}

const TRACES: [(&str, &str); 4] =
    [("per-event", "same"), ("per-action", "same"), ("per-action", "next"), ("state-change", "same")];

#[test]
fn laws_over_open_outcomes_are_judged_by_all_completions() {
    for (seed, trace) in TRACES[..3].iter().enumerate() {
        let [right, own, unsure] = compare(&EXACT, true, false, *trace, seed as u64);
        assert!(right > 200 && own == right && unsure == 0, "{trace:?}: {right} {own} {unsure}");
        let [right, own, unsure] = compare(&COARSE, false, false, *trace, seed as u64 + 10);
        println!("{trace:?}: {own} of {right} violations found, {unsure} kept laws undecidable");
        assert!(own * 10 > right * 9 && right > 100, "{trace:?}: {own} of {right}");
    }
}

#[test]
fn limits_of_values_are_judged_by_all_completions() {
    for (seed, trace) in [TRACES[0], TRACES[3]].iter().enumerate() {
        for has_scripts in [false, true] {
            let [right, own, unsure] = compare(&LIMITS, false, has_scripts, *trace, seed as u64 + 30);
            println!("{trace:?}: {own} of {right} violations found, {unsure} kept laws undecidable");
            assert!(right > 50 && own * 10 > right * 7, "{trace:?}: {own} of {right}");
        }
    }
}

#[test]
fn what_is_said_about_scripts_and_changes_is_so() {
    for (seed, trace) in TRACES.iter().enumerate() {
        for (more, laws) in [&EXACT[..], &COARSE[..]].into_iter().enumerate() {
            let [right, own, unsure] = compare(laws, false, true, *trace, (20 + seed * 2 + more) as u64);
            println!("{trace:?}: {own} of {right} violations found, {unsure} kept laws undecidable");
            assert!(*trace != TRACES[0] || own * 10 > right * 7, "{trace:?}: {own} of {right}");
        }
    }
}

#[test]
fn a_law_that_reads_unknown_reads_what_the_host_tells() {
    let laws = ["ltl = \"G !a.unknown\"", "ltl = \"G(c -> O a.ok)\"", "ltl = \"G(a.unknown -> F b)\""];
    let compiled = compiled(&laws, "per-event", "same");
    let session = vec![("a", "x", None), ("c", "x", Some(CallOutcome::Ok))];
    let [kept, violated, open] = [Verdict::Kept, Verdict::Violated, Verdict::Undecidable];
    assert_eq!(verdicts(&compiled, &session, Manner::Unknown), [violated, open, violated]);
    assert_eq!(verdicts(&compiled, &session, Manner::NotTold), [open, open, open]);
    let told = vec![("a", "x", Some(CallOutcome::Ok)), ("c", "x", None)];
    assert_eq!(verdicts(&compiled, &told, Manner::Unknown), [kept, kept, kept]);
}

#[test]
fn copies_are_judged_one_by_one() {
    let compiled = compiled(&COARSE[..1], "per-event", "same");
    let [violated, open] = [[Verdict::Violated], [Verdict::Undecidable]];
    // The check of one order is none of another one.
    assert_eq!(verdicts(&compiled, &vec![("a", "x", None), ("c", "y", None)], Manner::NotTold), violated);
    assert_eq!(verdicts(&compiled, &vec![("c", "y", None), ("a", "x", None)], Manner::NotTold), violated);
    assert_eq!(verdicts(&compiled, &vec![("a", "x", None), ("c", "x", None)], Manner::NotTold), open);
}

/// Laws about values of arguments.
const OF_VALUES: [&str; 3] = [
    "rule = \"at most 1 distinct k in a\"",
    "rule = \"at most 1 distinct k in a since b\"",
    "rule = \"at most 2 distinct k in c\"",
];

/// The verdicts on which a session with all values of its arguments agrees.
fn of_values(compiled: &CompiledPolicy, session: &Session) -> Vec<Verdict> {
    let values = ["x", "x+", "y", "y+"];
    let mut all: Option<Vec<Verdict>> = None;
    for code in 0..values.len().pow(session.len() as u32) {
        let mut complete = session.clone();
        let mut left = code;
        for call in &mut complete {
            (call.1, left) = (values[left % values.len()], left / values.len());
        }
        let own = verdicts(compiled, &complete, Manner::Told);
        all = Some(match all {
            None => own,
            Some(all) => {
                let both = all.into_iter().zip(own);
                both.map(|(a, b)| if a == b { a } else { Verdict::Undecidable }).collect()
            }
        });
    }
    all.expect("some value")
}

#[test]
fn laws_over_arguments_that_are_not_told_are_judged_by_all_values() {
    for (seed, (trace, timing)) in TRACES.into_iter().enumerate() {
        let all = EXACT.into_iter().chain(COARSE).chain(LIMITS).chain(OF_VALUES);
        // A number for each value needs a letter for each event.
        let laws: Vec<&str> = all.filter(|law| trace != "per-action" || !LIMITS.contains(law)).collect();
        let compiled = compiled(&laws, trace, timing);
        let mut random = Random::new(seed as u64 + 50);
        let (mut decided, mut open) = (0, 0);
        for number in 0..40 {
            let mut session = session(&mut random, 1 + number % 4, false);
            for call in &mut session {
                call.2.get_or_insert(CallOutcome::Ok);
            }
            let right = of_values(&compiled, &session);
            for (law, (own, right)) in
                verdicts(&compiled, &session, Manner::NoArguments).into_iter().zip(right).enumerate()
            {
                let is_coarse = trace != "per-event" || law >= EXACT.len();
                assert!(
                    own == right || is_coarse && own == Verdict::Undecidable,
                    "{trace} {}: {own:?} for {right:?}: {session:?}",
                    laws[law]
                );
                decided += usize::from(own != Verdict::Undecidable);
                open += usize::from(right == Verdict::Undecidable);
            }
        }
        println!("{trace} {timing}: {decided} decided, {open} differ between values");
        assert!(open > 20 && (trace != "per-event" || decided > 400), "{trace}: {decided}, {open}");
    }
}

#[test]
fn laws_over_results_that_are_not_told_are_open() {
    let compiled = compiled(&["ltl = \"G(c -> O valid)\"", EXACT[1]], "per-event", "same");
    let [ok, failed] = [CallOutcome::Ok, CallOutcome::Failed].map(Some);
    let [kept, violated, open] = [Verdict::Kept, Verdict::Violated, Verdict::Undecidable];
    for (session, right) in [
        (vec![("a", "x", ok), ("c", "x", ok)], [open, kept]),
        (vec![("a", "x", failed), ("c", "x", ok)], [violated, kept]),
        (vec![("c", "x", ok), ("a", "x", ok), ("b", "x", ok)], [violated, kept]),
        (vec![("b", "x", ok), ("a", "x", ok), ("c", "x", ok)], [open, violated]),
    ] {
        assert_eq!(verdicts(&compiled, &session, Manner::NoResults), right, "{session:?}");
    }
}
