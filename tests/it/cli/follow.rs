//! `monitor --follow`: files that grow, folders in which logs appear, and numbers that are written anew.

use super::Folder;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const POLICY: &str = "policy = 1\nname = \"shop\"\nunmatched = \"allow\"\n\
    [actions]\ngroups = [[\"pay\", \"ship\"]]\n\
    [[match]]\non = \"call\"\ntool = \"pay\"\naction = \"pay\"\n\
    [[match]]\non = \"call\"\ntool = \"ship\"\naction = \"ship\"\n\
    [[law]]\nid = \"paid\"\nltl = \"(!ship W pay)\"\n\
    [[law]]\nid = \"ships\"\nltl = \"G (pay -> F ship)\"\n";

/// The longest wait for what must come.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running `monitor`, whose lines are read as they come.
struct Following {
    child: Child,
    lines: Receiver<String>,
}

impl Following {
    fn new(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = folder.command(["policy", "monitor", "p.toml"]);
        command.args(arguments).arg("--follow");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let (told, lines) = channel();
        let (out, err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
        let streams: [Box<dyn std::io::Read + Send>; 2] = [Box::new(out), Box::new(err)];
        for stream in streams {
            let told = told.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = told.send(line);
                }
            });
        }
        Self { child, lines }
    }
    /// Waits for a line with this text.
    fn wait(&self, text: &str) -> String {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => seen.push(line),
                Err(error) => panic!("no line has `{text}` ({error}): {seen:?}"),
            }
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(folder: &Folder, name: &str, text: &str) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
    file.write_all(text.as_bytes()).expect("it is written");
}

fn call(session: &str, id: u64, tool: &str) -> String {
    format!(
        "{{\"event\":\"call\",\"session\":\"{session}\",\"id\":\"{id}\",\"tool\":\"{tool}\"}}\n\
         {{\"event\":\"result\",\"session\":\"{session}\",\"id\":\"{id}\",\"ok\":true}}\n"
    )
}

#[test]
fn a_file_is_read_line_by_line_as_it_grows() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("log.jsonl", call("s", 1, "pay"));
    let following = Following::new(&folder, &["log.jsonl"]);
    following.wait("pay");
    // Half a line is no line.
    let (first, second) = (call("s", 2, "ship"), call("t", 3, "ship"));
    append(&folder, "log.jsonl", &first[..20]);
    std::thread::sleep(Duration::from_millis(500));
    append(&folder, "log.jsonl", &format!("{}{second}", &first[20..]));
    following.wait("ship");
    following.wait("session t");
    following.wait("violates paid");
}

#[test]
fn new_logs_of_a_folder_are_found() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    std::fs::create_dir(folder.path().join("logs")).expect("a folder");
    let following = Following::new(&folder, &["logs", "--format", "json"]);
    for (n, count) in [1, 10, 100].into_iter().enumerate() {
        for i in 0..count {
            append(&folder, &format!("logs/d{n}/s{n}-{i}.jsonl"), &call(&format!("s{n}-{i}"), 1, "ship"));
        }
        for _ in 0..count {
            let line: Value = serde_json::from_str(&following.wait("\"violated\":[")).expect("JSON");
            assert_eq!(line["violated"][0], "paid", "{line}");
        }
    }
    append(&folder, "logs/d0/s0-0.jsonl", &call("s0-0", 2, "pay"));
    following.wait("\"step\":2");
    // What cannot be followed is named.
    append(
        &folder,
        "logs/whole.json",
        "{\n \"messages\": [\n {\"role\": \"user\", \"content\": \"hello\"}\n]}\n",
    );
    following.wait("whole.json` is not followed: it is one document");
    std::fs::write(folder.path().join("logs/d0/s0-0.jsonl"), "").expect("a shorter file");
    following.wait("s0-0.jsonl` is not followed: it became shorter");
}

#[test]
fn subagents_belong_to_their_session() {
    // A call is told once its result is there, since the host may refuse it.
    let record = |second: u32, agent: &str, tool: &str| {
        let side = if agent.is_empty() {
            String::new()
        } else {
            format!("\"isSidechain\":true,\"agentId\":\"{agent}\",")
        };
        let line = |kind: &str, content: &str| {
            format!(
                "{{{side}\"type\":\"{kind}\",\"sessionId\":\"s1\",\"timestamp\":\"2026-11-01T08:00:{second:02}.000Z\",\
                 \"message\":{{\"role\":\"{kind}\",\"content\":[{{{content}}}]}}}}\n"
            )
        };
        let call = format!("\"type\":\"tool_use\",\"id\":\"t{second}\",\"name\":\"{tool}\",\"input\":{{}}");
        let result = format!(
            "\"type\":\"tool_result\",\"tool_use_id\":\"t{second}\",\"content\":\"x\",\"is_error\":false"
        );
        line("assistant", &call) + &line("user", &result)
    };
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    // The subagent pays before the main agent ships, in another file.
    append(&folder, "logs/s1.jsonl", &record(3, "", "ship"));
    append(&folder, "logs/s1/subagents/agent-a.jsonl", &record(1, "a", "pay"));
    let following = Following::new(&folder, &["logs", "--from", "claude", "--format", "json"]);
    following.wait("pay");
    append(&folder, "logs/s1.jsonl", &record(5, "", "ship"));
    append(&folder, "logs/s1.jsonl", &record(7, "", "pay"));
    for _ in 0..3 {
        let line = following.wait("\"laws\"");
        assert!(!line.contains("\"violated\":["), "{line}");
    }
}

#[test]
fn numbers_are_written_anew() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("log.jsonl", call("s", 1, "pay"));
    let _following = Following::new(&folder, &["log.jsonl", "--format", "prometheus", "-o", "shop.prom"]);
    let wait = |text: &str| {
        for _ in 0..300 {
            let now = std::fs::read_to_string(folder.path().join("shop.prom")).unwrap_or_default();
            if now.contains(text) {
                return;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        panic!("`{text}` never stands in {:?}", std::fs::read_to_string(folder.path().join("shop.prom")));
    };
    // What is owed in an open session is neither kept nor violated.
    wait("law=\"ships\",standing=\"undecidable\"} 1");
    append(&folder, "log.jsonl", &call("s", 2, "ship"));
    wait("law=\"ships\",standing=\"kept\"} 1");
    append(&folder, "log.jsonl", &call("t", 1, "ship"));
    wait("tsl_synth_monitor_violating_sessions{policy=\"shop\"} 1");
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("log.jsonl", call("s", 1, "pay"));
    let calls: [(&[&str], &str); 4] = [
        (&["log.jsonl", "--stats"], "with `--follow` numbers go to a file"),
        (&["log.jsonl", "-o", "x.txt"], "`-o FILE` is for numbers"),
        (&["nothing.jsonl"], "cannot read `nothing.jsonl`"),
        (&["log.jsonl", "--letters", "l.csv"], "cannot be used with"),
    ];
    for (arguments, text) in calls {
        let run = folder.run(["policy", "monitor", "p.toml", "--follow"].iter().chain(arguments));
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains(text), "{run:?}");
    }
}

#[test]
fn the_dashboard_and_the_alerts_read_numbers_that_are_written() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("log.jsonl", call("s", 1, "pay"));
    folder.run(["new", "monitor", "watch"]).exits(0);
    let metrics = folder.run(["policy", "monitor", "p.toml", "log.jsonl", "--format", "prometheus"]).out;
    let written: Vec<&str> = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(written.len() >= 5, "{metrics}");
    let mut read = 0;
    for name in ["alerts.yml", "dashboard.json", "README.md"] {
        let text = std::fs::read_to_string(folder.path().join("watch").join(name)).expect("it is written");
        if name == "dashboard.json" {
            let dashboard: Value = serde_json::from_str(&text).expect("JSON");
            assert!(dashboard["panels"].as_array().is_some_and(|panels| panels.len() >= 5), "{text}");
        }
        for part in text.split("tsl_synth_").skip(1) {
            let end = part.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(part.len());
            let metric = format!("tsl_synth_{}", &part[..end]);
            assert!(written.contains(&metric.as_str()), "{name} reads {metric}");
            read += 1;
        }
    }
    assert!(read >= 10, "{read} metrics are read");
}
