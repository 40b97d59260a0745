//! How long decisions take: `campaigns shield-times` and `campaigns shield-pipes`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText};
use tsl_synth_service::{GateService, Input, MemoryJournal, Session};

const POLICIES: &[&str] = &[
    "tests-before-push.toml",
    "refunds.toml",
    "retail.toml",
    "payments.toml",
    "saycan.json",
    "innermonologue.json",
];

fn text(name: &str) -> String {
    std::fs::read_to_string(crate::readme::root().join("specs/policies").join(name)).expect("a policy")
}

fn quantiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6;
    format!("{:>10.1} {:>10.1} {:>10.1}", at(50), at(90), at(99))
}

/// At most eight tools that the policy maps to actions, so that decisions evaluate its laws.
fn tools(name: &str) -> Vec<String> {
    let mut session = Session::new();
    let loaded = session.policy(&Input::Text { name: name.into(), text: text(name) }).expect("a policy");
    let policy = &loaded.compiled.policy;
    let mut tools: Vec<String> = policy
        .matches
        .iter()
        .filter(|table| table.action.is_some() && table.shell.is_none())
        .flat_map(|table| table.tools.iter().map(|glob| glob.as_str().to_owned()))
        .collect();
    tools.extend(policy.atoms.actions.iter().map(|action| action.name.clone()));
    tools.truncate(8);
    tools
}

#[test]
#[ignore = "a table of times"]
fn decisions() {
    println!("microseconds in process            median        90%        99%");
    for name in POLICIES {
        let mut session = Session::new();
        let loaded =
            session.policy(&Input::Text { name: (*name).into(), text: text(name) }).expect("a policy");
        let start = Instant::now();
        let mut shield = GateService::new(loaded, "", "", MemoryJournal::default(), false)
            .map_err(|(limit, _)| limit.to_string())
            .expect("a gate");
        let solved = start.elapsed();
        let tools = tools(name);
        let (mut allowed, mut denied) = (Vec::new(), Vec::new());
        for i in 0..4_000_u64 {
            let event =
                |kind| HostEvent { time: Some(1), ..HostEvent::new(format!("s{}", i % 100), i, kind) };
            let tool = tools[(i / 100) as usize % tools.len()].clone();
            let arguments = JsonText::borrowed(r#"{"order_id":"7","amount":5}"#);
            let call = event(HostEventKind::Call {
                id: Some(format!("c{i}").into()),
                server: None,
                tool: tool.into(),
                arguments,
            });
            let start = Instant::now();
            let answer = shield.event(&call).expect("an answer");
            let took = start.elapsed();
            if answer.answer.ticket.is_some() {
                allowed.push(took);
                let result = HostEventKind::Result {
                    call: Some(format!("c{i}").into()),
                    outcome: CallOutcome::Ok,
                    result: None,
                };
                shield.event(&event(result)).expect("it is heard");
            } else {
                denied.push(took);
            }
        }
        println!("{name} (solved in {:.1} ms)", solved.as_secs_f64() * 1e3);
        for (what, times) in [("allowed", allowed), ("denied", denied)] {
            if !times.is_empty() {
                println!("  {:<8} {:>6}             {}", what, times.len(), quantiles(times));
            }
        }
    }
}

#[test]
#[ignore = "a table of times"]
fn over_pipes_and_as_a_process() {
    let program = env!("CARGO_BIN_EXE_tsl-synth");
    println!("microseconds                        median        90%        99%");
    for name in POLICIES {
        let policy = crate::readme::root().join("specs/policies").join(name);
        let mut child = Command::new(program)
            .arg("shield")
            .arg(&policy)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut requests = child.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let tools = tools(name);
        let mut times = Vec::new();
        for i in 0..3_000 {
            let tool = &tools[i % tools.len()];
            let line =
                format!("{{\"event\":\"propose\",\"id\":\"c{i}\",\"tool\":\"{tool}\",\"arguments\":{{}}}}\n");
            let start = Instant::now();
            requests.write_all(line.as_bytes()).expect("it reads");
            let mut answer = String::new();
            answers.read_line(&mut answer).expect("an answer");
            times.push(start.elapsed());
        }
        drop(requests);
        child.wait().expect("it ends");
        println!("{name:<32} JSON lines {}", quantiles(times));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let payload = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{},"tool_use_id":"t"}"#;
    let process = |args: &[&str], times: &mut Vec<Duration>| {
        let start = Instant::now();
        let mut child = Command::new(program)
            .args(args)
            .env("TSL_SYNTH_STATE", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let _ = child.stdin.take().expect("a pipe").write_all(payload.as_bytes());
        child.wait().expect("it ends");
        times.push(start.elapsed());
    };
    for name in POLICIES {
        let policy = crate::readme::root().join("specs/policies").join(name);
        let policy = policy.to_str().expect("a name");
        let (mut bare, mut hook) = (Vec::new(), Vec::new());
        for _ in 0..40 {
            process(&["--version"], &mut bare);
            process(&["shield", policy, "--proto", "hook", "--host", "claude-code"], &mut hook);
        }
        println!("{name:<32} hook       {}", quantiles(hook));
        println!("{:<32} --version  {}", "", quantiles(bare));
    }
}
